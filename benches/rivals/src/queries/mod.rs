//! Rays, sweeps and overlaps against resting bodies of exact shape, and the making of indices.

#[cfg(feature = "box3d")]
mod box3d;
mod builds;
mod bvh;
mod check;
#[cfg(feature = "embree")]
mod embree;
mod obvhs;
mod ours;
mod parry;
mod rapier;

use impinge_testkit::scenes::{
    self, OverlapCase, QueryShape, RayCase, Scene, SceneKind, SweepCase,
};

use crate::{
    Args,
    measure::{Times, turns},
    report::{Entry, Report, Row, Unit},
};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The first body along each ray.
    Rays,
    /// Whether there is a body along each ray.
    AnyRays,
    /// All bodies along each ray.
    AllRays,
    /// The first body that each moving sphere or box touches.
    Sweeps(QueryShape),
    /// All bodies that each sphere or box overlaps.
    Overlaps(QueryShape),
    /// Nothing yet: the index is made, and the time is that for each body.
    Builds,
}

impl Kind {
    /// Its name in reports.
    fn name(self) -> &'static str {
        match self {
            Self::Rays => "rays",
            Self::AnyRays => "any rays",
            Self::AllRays => "all rays",
            Self::Sweeps(QueryShape::Sphere) => "sphere sweeps",
            Self::Sweeps(_) => "box sweeps",
            Self::Overlaps(QueryShape::Sphere) => "sphere overlaps",
            Self::Overlaps(_) => "box overlaps",
            Self::Builds => "index builds",
        }
    }
}

/// A scene and the questions about it; those that are not asked are empty.
#[derive(Debug)]
struct Questions {
    kind: Kind,
    scene: Scene,
    rays: Vec<RayCase>,
    sweeps: Vec<SweepCase>,
    overlaps: Vec<OverlapCase>,
}

impl Questions {
    fn new(kind: Kind, scene: Scene, seed: u64) -> Self {
        let (mut rays, mut sweeps, mut overlaps) = (Vec::new(), Vec::new(), Vec::new());
        match kind {
            Kind::Rays | Kind::AnyRays | Kind::AllRays => rays = scene.rays(100_000, seed),
            Kind::Sweeps(shape) => sweeps = scene.sweeps(shape, 20_000, seed),
            Kind::Overlaps(shape) => overlaps = scene.overlaps(shape, 20_000, seed),
            Kind::Builds => {}
        }
        Self { kind, scene, rays, sweeps, overlaps }
    }

    fn len(&self) -> usize {
        if self.kind == Kind::Builds {
            return self.scene.bodies.len();
        }
        self.rays.len() + self.sweeps.len() + self.overlaps.len()
    }
}

/// What a contender answers, in the order of the questions.
#[derive(Debug)]
enum Answers {
    /// The body and how far away it is.
    First(Vec<Option<(u32, f32)>>),
    /// Whether there is a body at all.
    Any(Vec<bool>),
    /// Question and body, sorted.
    All(Vec<(u32, u32)>),
}

/// Someone who answers.
trait Contender {
    /// Answers all questions into buffers of its own; timed.
    fn ask(&mut self);

    /// The answers of the last round.
    fn answers(&self) -> Answers;
}

/// Someone who says for each question whether there is a body, by a test of one question.
struct Asked<Q, F> {
    questions: Vec<Q>,
    test: F,
    found: Vec<bool>,
}

/// Asks one question after the other.
fn asked<'q, Q: 'q>(
    questions: impl Iterator<Item = Q>,
    test: impl Fn(&Q) -> bool + 'q,
) -> Box<dyn Contender + 'q> {
    Box::new(Asked { questions: questions.collect(), test, found: Vec::new() })
}

impl<Q, F: Fn(&Q) -> bool> Contender for Asked<Q, F> {
    fn ask(&mut self) {
        self.found.clear();
        self.found.extend(self.questions.iter().map(&self.test));
    }

    fn answers(&self) -> Answers {
        Answers::Any(self.found.clone())
    }
}

/// Someone who lists for each question what it meets and where.
struct Listed<Q, F> {
    questions: Vec<Q>,
    list: F,
    /// Question, body and distance.
    found: Vec<(u32, u32, f32)>,
}

/// Lists the answers to one question after the other: `list` tells each body and its distance.
fn listed<'q, Q: 'q>(
    questions: impl Iterator<Item = Q>,
    list: impl FnMut(&Q, &mut dyn FnMut(u32, f32)) + 'q,
) -> Box<dyn Contender + 'q> {
    Box::new(Listed { questions: questions.collect(), list, found: Vec::new() })
}

impl<Q, F: FnMut(&Q, &mut dyn FnMut(u32, f32))> Contender for Listed<Q, F> {
    fn ask(&mut self) {
        let Self { questions, list, found } = self;
        found.clear();
        for (number, question) in (0..).zip(questions) {
            list(question, &mut |body, distance| found.push((number, body, distance)));
        }
    }

    fn answers(&self) -> Answers {
        let found = self.found.iter().map(|&(question, body, _)| (question, body));
        let mut found: Vec<(u32, u32)> = found.collect();
        found.sort_unstable();
        Answers::All(found)
    }
}

type Make = for<'q> fn(&'q Questions) -> Box<dyn Contender + 'q>;

/// Those who answer a kind of question; the answers of the first are what the others' are compared
/// with, after a sample of them was compared with a search through all bodies.
fn contenders(kind: Kind) -> Vec<(&'static str, Make)> {
    let sphere =
        matches!(kind, Kind::Sweeps(QueryShape::Sphere) | Kind::Overlaps(QueryShape::Sphere));
    match kind {
        Kind::Rays | Kind::AnyRays | Kind::AllRays => of_rays(kind),
        Kind::Sweeps(_) => vec![
            ("impinge", ours::sweep_batch as Make),
            ("impinge singly", ours::sweeps),
            ("parry3d", if sphere { parry::sphere_sweeps } else { parry::box_sweeps }),
            ("rapier3d", rapier::sweeps),
            ("obvhs", if sphere { obvhs::sphere_sweeps } else { obvhs::box_sweeps }),
            ("bvh", if sphere { bvh::sphere_sweeps } else { bvh::box_sweeps }),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::sweeps),
            #[cfg(feature = "box3d")]
            ("box3d tree", box3d::tree_sweeps),
        ],
        Kind::Overlaps(_) => vec![
            ("impinge", ours::overlap_batch as Make),
            ("parry3d", if sphere { parry::sphere_overlaps } else { parry::box_overlaps }),
            ("rapier3d", rapier::overlaps),
            ("obvhs", if sphere { obvhs::sphere_overlaps } else { obvhs::box_overlaps }),
            ("bvh", if sphere { bvh::sphere_overlaps } else { bvh::box_overlaps }),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::overlaps),
            #[cfg(feature = "box3d")]
            ("box3d tree", box3d::tree_overlaps),
        ],
        Kind::Builds => vec![
            ("impinge", builds::ours as Make),
            ("parry3d", builds::parry_binned),
            ("parry3d ploc", builds::parry_ploc),
            ("obvhs", builds::obvhs_fast),
            ("obvhs best", builds::obvhs_best),
            ("bvh", builds::bvh),
            #[cfg(feature = "box3d")]
            ("box3d tree", builds::box3d),
        ],
    }
}

/// Those who answer a kind of question about rays.
fn of_rays(kind: Kind) -> Vec<(&'static str, Make)> {
    match kind {
        Kind::Rays => vec![
            ("impinge", ours::ray_batch as Make),
            ("impinge singly", ours::rays),
            ("parry3d", parry::rays),
            ("rapier3d", rapier::rays),
            ("obvhs", obvhs::wide_rays),
            ("obvhs binary", obvhs::binary_rays),
            ("bvh", bvh::rays),
            ("bvh nearest", bvh::nearest_rays),
            #[cfg(feature = "embree")]
            ("embree", embree::rays),
            #[cfg(feature = "embree")]
            ("embree sorted", embree::sorted_rays),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::rays),
            #[cfg(feature = "box3d")]
            ("box3d tree", box3d::tree_rays),
        ],
        Kind::AnyRays => vec![
            ("impinge", ours::any_ray_batch as Make),
            ("impinge singly", ours::any_rays),
            ("parry3d", parry::any_rays),
            ("rapier3d", rapier::any_rays),
            ("obvhs", obvhs::any_wide_rays),
            ("obvhs binary", obvhs::any_binary_rays),
            ("bvh", bvh::any_rays),
            #[cfg(feature = "embree")]
            ("embree", embree::any_rays),
            #[cfg(feature = "embree")]
            ("embree sorted", embree::any_sorted_rays),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::any_rays),
            #[cfg(feature = "box3d")]
            ("box3d tree", box3d::any_tree_rays),
        ],
        _ => vec![
            ("impinge", ours::all_ray_batch as Make),
            ("impinge singly", ours::all_rays),
            ("parry3d", parry::all_rays),
            ("rapier3d", rapier::all_rays),
            ("obvhs", obvhs::all_wide_rays),
            ("obvhs binary", obvhs::all_binary_rays),
            ("bvh", bvh::all_rays),
            #[cfg(feature = "box3d")]
            ("box3d tree", box3d::all_tree_rays),
        ],
    }
}

pub(crate) fn run(args: &Args, kind: Kind, report: &mut Report) {
    for &bodies in &args.bodies {
        for &scene in &args.scenes {
            report.add(measure(args, kind, scene, bodies));
        }
    }
}

fn measure(args: &Args, kind: Kind, scene: SceneKind, bodies: usize) -> Row {
    let questions = Questions::new(kind, scenes::build(scene, bodies, 0.0, args.seed), args.seed);
    let mut field: Vec<(&str, Box<dyn Contender + '_>, Times)> = contenders(kind)
        .into_iter()
        .filter(|(name, _)| args.admits(name))
        .map(|(name, make)| (name, make(&questions), Times::default()))
        .collect();
    // The first round warms up; each round asks everything, so a few are enough.
    for round in 0..args.rounds.div_ceil(4) + 1 {
        for turn in turns(field.len(), round) {
            let (_, contender, times) = &mut field[turn];
            if round == 0 {
                contender.ask();
            } else {
                times.time(|| contender.ask());
            }
        }
    }
    let answers: Vec<Answers> = field.iter().map(|(_, c, _)| c.answers()).collect();
    let remarks = check::compare(&questions, &answers);
    let entries = field.into_iter().zip(&answers).zip(remarks);
    let entries = entries.map(|(((contender, _, times), answers), remark)| Entry {
        contender,
        times,
        uneven: false,
        calls: questions.len(),
        found: match answers {
            Answers::First(hits) => hits.iter().flatten().count() as u64,
            Answers::Any(found) => found.iter().filter(|&&found| found).count() as u64,
            Answers::All(pairs) => pairs.len() as u64,
        },
        remark,
    });
    Row {
        suite: kind.name(),
        scene: scene.name().to_owned(),
        bodies,
        moving: 0.0,
        unit: Unit::NanosecondsPerCall,
        entries: entries.collect(),
    }
}
