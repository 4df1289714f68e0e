//! Whole updates: new poses in, contact manifolds of all overlapping bodies out.

#[cfg(feature = "box3d")]
mod box3d;
mod ours;
mod parry;
mod rapier;

use impinge_narrowphase as narrow;
use impinge_testkit::scenes::{Scene, SceneKind};

use crate::{
    Args,
    measure::{Times, turns},
    pairs::{Pair, Step},
    report::{Entry, Report, Row, Unit},
};

/// Steps before the first measured one.
const WARM_UP: u32 = 6;

/// Someone who finds contacts.
trait Contender {
    /// Takes the new poses over into its own types; not timed.
    fn prepare(&mut self, step: &Step);

    /// Everything from new poses to manifolds; timed.
    fn step(&mut self);

    /// The pairs with at least one contact point, smaller body first, in any order.
    fn touching(&self) -> Vec<Pair>;
}

type Make = fn(&Scene) -> Box<dyn Contender>;

const CONTENDERS: &[(&str, Make)] = &[
    ("impinge", ours::update),
    ("parry3d by hand", parry::by_hand),
    ("rapier3d pipeline", rapier::pipeline),
    #[cfg(feature = "box3d")]
    ("box3d step", box3d::step),
];

pub(crate) fn run(args: &Args, report: &mut Report) {
    for &bodies in &args.bodies {
        for &moving in &args.moving {
            for &kind in &args.scenes {
                report.add(measure(args, kind, bodies, moving));
            }
        }
    }
}

fn measure(args: &Args, kind: SceneKind, bodies: usize, moving: f32) -> Row {
    let (scene, name) = args.scene(kind, bodies, moving);
    let admitted = CONTENDERS.iter().filter(|(name, _)| args.admits(name));
    let mut field: Vec<(&str, Box<dyn Contender>, Times)> =
        admitted.map(|&(name, make)| (name, make(&scene), Times::default())).collect();
    for step in 1..=WARM_UP {
        let step = Step::at(&scene, step);
        for (_, contender, _) in &mut field {
            contender.prepare(&step);
            contender.step();
        }
    }
    // These rounds are long, so fewer do.
    let rounds = args.rounds.div_ceil(2);
    for round in 0..rounds {
        let step = Step::at(&scene, WARM_UP + 1 + round);
        for turn in turns(field.len(), round) {
            let (_, contender, times) = &mut field[turn];
            contender.prepare(&step);
            times.time(|| contender.step());
        }
    }
    let reference = touching(&scene, WARM_UP + rounds);
    let entries = field.into_iter().map(|(name, contender, times)| Entry {
        contender: name,
        times,
        uneven: !name.starts_with("parry3d"),
        calls: 1,
        found: contender.touching().len() as u64,
        remark: difference(&reference, contender.touching()),
    });
    Row {
        suite: "update",
        scene: name,
        bodies,
        moving,
        unit: Unit::MillisecondsPerStep,
        entries: entries.collect(),
    }
}

/// A pair and its exact relation.
type Relation = (Pair, narrow::Relation);

/// The pairs that touch or overlap after so many steps, sorted: every pair of bounds, tested.
fn touching(scene: &Scene, step: u32) -> Vec<Relation> {
    let poses: Vec<_> = scene.bodies.iter().map(|body| body.pose_at(step)).collect();
    let near = scene.pairs_at(step).into_iter();
    let relation = |(a, b): Pair| {
        let (i, j) = (a as usize, b as usize);
        let (shape_a, shape_b) = (&scene.bodies[i].shape, &scene.bodies[j].shape);
        ((a, b), narrow::relation(shape_a, &poses[i], shape_b, &poses[j]))
    };
    near.map(relation).filter(|(_, relation)| relation.overlaps()).collect()
}

/// In what the touching pairs differ from the reference.
fn difference(reference: &[Relation], mut found: Vec<Pair>) -> String {
    found.sort_unstable();
    let absent = |(pair, _): &&Relation| found.binary_search(pair).is_err();
    let missing: Vec<&Relation> = reference.iter().filter(absent).collect();
    let touch = |one: &&&Relation| one.1 == narrow::Relation::Touching;
    let touching = missing.iter().filter(touch).count();
    let surplus =
        found.iter().filter(|pair| reference.binary_search_by_key(pair, |one| &one.0).is_err());
    let (missing, surplus) = (missing.len(), surplus.count());
    if missing + surplus == 0 {
        return String::new();
    }
    format!(
        "of {} touching pairs {missing} missing ({touching} of them only touch), {surplus} too many",
        reference.len()
    )
}
