//! Complete list of the pairs whose bounds overlap, step after step.

#[cfg(feature = "box3d")]
mod box3d;
mod obvhs;
mod ours;
pub(crate) mod parry;
mod rapier;

use impinge_shapes::{Aabb, Pose};
use impinge_testkit::scenes::{Scene, SceneKind};

use crate::{
    Args,
    measure::{Times, turns},
    report::{Entry, Report, Row, Unit},
};

/// Steps before the first measured one: fat boxes that all begin fresh need some to fall out of
/// step with each other.
const WARM_UP: u32 = 40;

/// A pair of bodies, by their place in the scene.
pub(crate) type Pair = (u32, u32);

/// What changes in one step.
#[derive(Debug)]
pub(crate) struct Step {
    /// Bounds of every body.
    pub(crate) bounds: Vec<Aabb>,
    /// The bodies that moved, and where to; ascending.
    pub(crate) moved: Vec<(u32, Pose)>,
}

impl Step {
    pub(crate) fn at(scene: &Scene, step: u32) -> Self {
        let moved = (0..).zip(&scene.bodies).filter(|(_, body)| body.moving);
        let moved = moved.map(|(id, body)| (id, body.pose_at(step))).collect();
        Self { bounds: scene.aabbs_at(step), moved }
    }

    /// Bounds of the bodies that moved.
    fn moved_bounds(&self) -> impl Iterator<Item = (u32, Aabb)> + '_ {
        self.moved.iter().map(|&(id, _)| (id, self.bounds[id as usize]))
    }
}

/// Someone who finds pairs.
trait Contender {
    /// Takes the step's input over into its own types; not timed.
    fn prepare(&mut self, step: &Step);

    /// Brings its structure up to date and finds the pairs; timed.
    fn step(&mut self);

    /// The pairs it found, in any order, smaller body first or not.
    fn pairs(&mut self) -> Vec<Pair>;

    /// Whether its pairs are those of fattened bounds, two fixed bodies among them, which the check
    /// has to filter.
    fn fat(&self) -> bool {
        false
    }

    /// Whether it saves work in some steps to do more in others, so that only the mean is fair.
    fn uneven(&self) -> bool {
        false
    }
}

type Make = fn(&Scene) -> Box<dyn Contender>;

/// A contender, and the least and greatest share of moving bodies that it is measured at.
const CONTENDERS: &[(&str, Make, f32, f32)] = &[
    ("impinge", ours::sweep, 0.0, 100.0),
    ("impinge one slice", ours::slice, 0.0, 100.0),
    ("parry3d refit", parry::refit, 100.0, 100.0),
    ("parry3d rebuild", parry::rebuild, 100.0, 100.0),
    ("parry3d partial", parry::partial, 0.0, 99.0),
    ("parry3d fat", parry::fat, 0.0, 100.0),
    ("parry3d two trees", parry::two_trees, 0.0, 99.0),
    ("rapier3d events", rapier::events, 0.0, 100.0),
    ("obvhs refit", obvhs::refit, 100.0, 100.0),
    ("obvhs rebuild", obvhs::rebuild, 100.0, 100.0),
    ("obvhs partial", obvhs::partial, 0.0, 99.0),
    ("obvhs fat", obvhs::fat, 0.0, 100.0),
    #[cfg(feature = "box3d")]
    ("box3d fat", box3d::fat, 0.0, 100.0),
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
    let admitted = CONTENDERS
        .iter()
        .filter(|&&(name, _, least, most)| args.admits(name) && (least..=most).contains(&moving));
    let mut field: Vec<(&str, Box<dyn Contender>, Times, String)> = admitted
        .map(|&(name, make, ..)| (name, make(&scene), Times::default(), String::new()))
        .collect();
    let first = WARM_UP + 1;
    for step in 1..first {
        let step = Step::at(&scene, step);
        for (_, contender, ..) in &mut field {
            contender.prepare(&step);
            contender.step();
        }
    }
    let mut found = 0;
    for round in 0..args.rounds {
        let step = Step::at(&scene, first + round);
        for turn in turns(field.len(), round) {
            let (_, contender, times, _) = &mut field[turn];
            contender.prepare(&step);
            times.time(|| contender.step());
        }
        if round == 0 || round + 1 == args.rounds {
            let reference = scene.pairs_at(first + round);
            found = reference.len() as u64;
            for (_, contender, _, remark) in &mut field {
                *remark = check(contender.as_mut(), &reference, &step.bounds, &scene);
            }
        }
    }
    let entries = field.into_iter().map(|(name, contender, times, remark)| Entry {
        contender: name,
        uneven: contender.uneven(),
        times,
        calls: 1,
        found,
        remark,
    });
    Row {
        suite: "pairs",
        scene: name,
        bodies,
        moving,
        unit: Unit::MillisecondsPerStep,
        entries: entries.collect(),
    }
}

/// In what a contender's pairs differ from the reference.
fn check(
    contender: &mut dyn Contender,
    reference: &[Pair],
    bounds: &[Aabb],
    scene: &Scene,
) -> String {
    let mut pairs = contender.pairs();
    for pair in &mut pairs {
        *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
    }
    if contender.fat() {
        let overlap = |a: u32, b: u32| bounds[a as usize].overlaps(&bounds[b as usize]);
        pairs.retain(|&(a, b)| scene.meet(a, b) && overlap(a, b));
    }
    pairs.sort_unstable();
    let count = pairs.len();
    pairs.dedup();
    let twice = count - pairs.len();
    if pairs == reference && twice == 0 {
        return String::new();
    }
    let missing: Vec<&Pair> =
        reference.iter().filter(|pair| pairs.binary_search(pair).is_err()).collect();
    let by_rounding = missing.iter().filter(|&&&(a, b)| barely(bounds, a, b)).count();
    let missing = missing.len();
    let surplus = pairs.iter().filter(|pair| reference.binary_search(pair).is_err()).count();
    format!(
        "of {} pairs {missing} missing ({by_rounding} of them overlap by less than {ROUNDING}), \
         {surplus} too many, {twice} twice",
        reference.len()
    )
}

/// Overlaps below this may be lost to a contender that computes its bounds itself, in f32.
const ROUNDING: f32 = 1e-4;

/// Whether two bounds overlap by less than [`ROUNDING`].
fn barely(bounds: &[Aabb], a: u32, b: u32) -> bool {
    let common = bounds[a as usize].intersection(&bounds[b as usize]);
    common.is_none_or(|common| (common.max() - common.min()).min_element() < ROUNDING)
}
