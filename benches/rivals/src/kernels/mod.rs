//! Tests between two shapes, on near pairs of which about half overlap.

#[cfg(feature = "box3d")]
mod box3d;
pub(crate) mod ours;
mod parry;

use impinge_benches::near::{self, Kind};

pub(crate) use impinge_benches::near::Case;

use crate::{
    Args,
    measure::{Times, turns},
    report::{Entry, Report, Row, Unit},
};

/// How many pairs a round goes through: too many for a processor to learn their answers by heart,
/// which flatters whoever branches on them.
const PAIRS: usize = 16_384;
/// The same of hulls, each of which has vertices and faces of its own in memory.
const HULL_PAIRS: usize = 4096;

/// Where rays end.
pub(crate) const RAY_LENGTH: f32 = 10.0;

/// Answers of one round: a signed distance, or -1 and 1 for overlapping and apart where only that
/// is asked; NaN for no answer.
pub(crate) type Answers = Vec<f32>;

/// Goes through all pairs and writes down the answers; timed.
pub(crate) type Runner = Box<dyn Fn(&mut Answers)>;

/// Makes a runner of a test of one pair.
pub(crate) fn runner<T: 'static>(pairs: Vec<T>, test: impl Fn(&T) -> f32 + 'static) -> Runner {
    Box::new(move |answers| {
        answers.clear();
        answers.extend(pairs.iter().map(&test));
    })
}

/// 1 for apart, -1 for overlapping.
pub(crate) fn side(overlaps: bool) -> f32 {
    if overlaps { -1.0 } else { 1.0 }
}

/// All of an answer: nobody may leave out the points and normals that the check does not read.
pub(crate) fn whole<T>(answer: T) -> T {
    std::hint::black_box(answer)
}

type Make = fn(&[Case]) -> Runner;

/// One kernel: its name, its pairs, and who computes it how.
struct Kernel {
    name: &'static str,
    kind: Kind,
    contenders: &'static [(&'static str, Make)],
}

const KERNELS: [Kernel; 13] = [
    Kernel {
        name: "box-box overlap",
        kind: Kind::BoxBox,
        contenders: &[
            ("impinge", ours::overlap),
            ("impinge batch", ours::mixed_overlap),
            ("impinge of a kind", ours::lanes_box_box_overlap),
            ("parry3d", parry::box_box_overlap),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::box_box_overlap),
        ],
    },
    Kernel {
        name: "box-box distance",
        kind: Kind::BoxBox,
        contenders: &[
            ("impinge", ours::distance),
            ("impinge batch", ours::mixed_distance),
            ("impinge of a kind", ours::lanes_box_box_distance),
            ("parry3d", parry::box_box_distance),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::box_box_distance),
        ],
    },
    Kernel {
        name: "box-box manifold",
        kind: Kind::BoxBox,
        contenders: &[
            ("impinge", ours::manifold),
            ("impinge batch", ours::mixed_manifold),
            ("impinge of a kind", ours::lanes_box_box_manifold),
            ("parry3d", parry::box_box_manifold),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::box_box_manifold),
        ],
    },
    Kernel {
        name: "box-box contact",
        kind: Kind::BoxBox,
        contenders: &[
            ("impinge", ours::box_box_contact),
            ("impinge batch", ours::mixed_contact),
            ("impinge of a kind", ours::lanes_box_box_contact),
            ("parry3d", parry::box_box_contact),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::box_box_manifold),
        ],
    },
    Kernel {
        name: "sphere-box contact",
        kind: Kind::BoxSphere,
        contenders: &[
            ("impinge", ours::box_sphere),
            ("impinge batch", ours::mixed_contact),
            ("impinge of a kind", ours::lanes_box_sphere),
            ("parry3d", parry::box_sphere),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::box_sphere),
        ],
    },
    Kernel {
        name: "capsule-capsule",
        kind: Kind::CapsuleCapsule,
        contenders: &[
            ("impinge", ours::capsule_capsule),
            ("impinge batch", ours::mixed_contact),
            ("impinge of a kind", ours::lanes_capsule_capsule),
            ("parry3d", parry::capsule_capsule),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::capsule_capsule),
        ],
    },
    Kernel {
        name: "capsule-box contact",
        kind: Kind::CapsuleBox,
        contenders: &[
            ("impinge", ours::capsule_box),
            ("impinge batch", ours::mixed_contact),
            ("impinge of a kind", ours::lanes_capsule_box),
            ("parry3d", parry::capsule_box),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::capsule_box),
        ],
    },
    Kernel {
        name: "ray-box",
        kind: Kind::RayBox,
        contenders: &[
            ("impinge", ours::ray_box),
            ("impinge batch", ours::mixed_ray_box),
            ("impinge of a kind", ours::lanes_ray_box),
            ("parry3d", parry::ray_box),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::ray_box),
        ],
    },
    Kernel {
        name: "sphere-sphere",
        kind: Kind::SphereSphere,
        contenders: &[
            ("impinge", ours::sphere_sphere),
            ("impinge batch", ours::mixed_contact),
            ("impinge of a kind", ours::lanes_sphere_sphere),
            ("parry3d", parry::sphere_sphere),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::sphere_sphere),
        ],
    },
    Kernel {
        name: "hull-hull overlap",
        kind: Kind::HullHull,
        contenders: &[
            ("impinge", ours::overlap),
            ("impinge batch", ours::mixed_overlap),
            ("parry3d", parry::hull_hull_overlap),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::hull_hull_overlap),
        ],
    },
    Kernel {
        name: "hull-hull distance",
        kind: Kind::HullHull,
        contenders: &[
            ("impinge", ours::distance),
            ("impinge batch", ours::mixed_distance),
            ("parry3d", parry::hull_hull_distance),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::hull_hull_distance),
        ],
    },
    Kernel {
        name: "hull-hull contact",
        kind: Kind::HullHull,
        contenders: &[
            ("impinge", ours::hull_hull_contact),
            ("impinge batch", ours::mixed_contact),
            ("parry3d", parry::hull_hull_contact),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::hull_hull_manifold),
        ],
    },
    Kernel {
        name: "hull-hull manifold",
        kind: Kind::HullHull,
        contenders: &[
            ("impinge", ours::manifold),
            ("impinge batch", ours::mixed_manifold),
            ("parry3d", parry::hull_hull_manifold),
            #[cfg(feature = "box3d")]
            ("box3d", box3d::hull_hull_manifold),
        ],
    },
];

pub(crate) fn run(args: &Args, report: &mut Report) {
    for kernel in &KERNELS {
        report.add(measure(args, kernel));
    }
}

fn measure(args: &Args, kernel: &Kernel) -> Row {
    let pairs = if kernel.kind == Kind::HullHull { HULL_PAIRS } else { PAIRS };
    let cases = near::pairs(kernel.kind, pairs, args.seed);
    let contenders = kernel.contenders.iter().map(|&(name, make)| (name, make(&cases)));
    compare(args, ("kernels", kernel.name.to_owned()), pairs, 4 * args.rounds, contenders)
}

/// One row: contenders that go through the same calls, of which the first is the reference.
pub(crate) fn compare(
    args: &Args,
    (suite, scene): (&'static str, String),
    calls: usize,
    rounds: u32,
    contenders: impl Iterator<Item = (&'static str, Runner)>,
) -> Row {
    let admitted = contenders.filter(|(name, _)| args.admits(name));
    let mut field: Vec<(&str, Runner, Times, Answers)> =
        admitted.map(|(name, run)| (name, run, Times::default(), Answers::new())).collect();
    for round in 0..rounds {
        for turn in turns(field.len(), round) {
            let (_, run, times, answers) = &mut field[turn];
            // Not timed: nobody pays for the memory that the one before went through.
            run(answers);
            if round >= 4 {
                times.time(|| run(answers));
            }
        }
    }
    let reference = field[0].3.clone();
    let entries = field.into_iter().map(|(contender, _, times, answers)| Entry {
        contender,
        times,
        uneven: false,
        calls,
        found: answers.iter().filter(|&&answer| answer <= 0.0).count() as u64,
        remark: difference(&reference, &answers),
    });
    Row {
        suite,
        scene,
        bodies: calls,
        moving: 0.0,
        unit: Unit::NanosecondsPerCall,
        entries: entries.collect(),
    }
}

/// Distances that differ by less count as equal.
const TOLERANCE: f32 = 1e-3;

fn difference(reference: &[f32], answers: &[f32]) -> String {
    let (mut other_side, mut off, mut worst) = (0, 0, 0.0_f32);
    for (&expected, &answer) in reference.iter().zip(answers) {
        if (expected <= 0.0) != (answer <= 0.0) {
            other_side += 1;
        } else if (expected - answer).abs() > TOLERANCE {
            off += 1;
            worst = worst.max((expected - answer).abs());
        }
    }
    if other_side + off == 0 {
        return String::new();
    }
    format!(
        "of {} {other_side} on the other side of touching, {off} off by more than \
         {TOLERANCE} (up to {worst:.4})",
        answers.len()
    )
}
