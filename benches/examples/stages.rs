//! Which share of the near pairs of each scene every stage passes on to the next.
//!
//! `cargo run -p impinge-benches --features counters --example stages`
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::hint::black_box;

use impinge_benches::SEED;
use impinge_narrowphase::batch::{self, PairRef};
use impinge_narrowphase::counters::{Stage, take};
use impinge_narrowphase::{closest, manifolds, overlaps};
use impinge_shapes::Shape;
use impinge_shapes::simd::{SimdLevel, simd_level};
use impinge_testkit::naive;
use impinge_testkit::scenes::{self, SceneKind};

/// Bodies of a scene.
const BODIES: usize = 10_000;

/// Steps after the start at which pairs are taken too: bodies then lie anywhere.
const STEPS: [u32; 2] = [0, 5];

/// Kinds that have lanes.
fn has_lanes(pair: &PairRef<'_>) -> bool {
    let has =
        |shape: &Shape| matches!(shape, Shape::Sphere(_) | Shape::Cuboid(_) | Shape::Capsule(_));
    has(pair.a) && has(pair.b)
}

/// Pairs passed on by the lanes in one batch, by the common case one by one, and by the rooms.
#[derive(Clone, Copy, Default)]
struct Passed {
    lanes: u64,
    common: u64,
    room: u64,
}

impl Passed {
    /// Answers all pairs in a batch, then those that `each` answers one by one.
    fn count(
        &mut self,
        pairs: &[PairRef<'_>],
        all: impl FnOnce(&[PairRef<'_>]),
        each: impl Fn(&PairRef<'_>),
    ) {
        let _ = (take(Stage::Lanes), take(Stage::Common), take(Stage::Room));
        all(pairs);
        self.lanes += take(Stage::Lanes);
        let _ = (take(Stage::Common), take(Stage::Room));
        for pair in pairs {
            each(pair);
            self.common += take(Stage::Common).min(1);
            self.room += take(Stage::Room).min(1);
        }
    }
}

/// A share in percent.
fn percent(part: u64, whole: usize) -> String {
    let (part, whole) = (f64::from(u32::try_from(part).unwrap_or(u32::MAX)), whole.max(1));
    format!("{:.3}", 100.0 * part / f64::from(u32::try_from(whole).unwrap_or(u32::MAX)))
}

fn row(kind: SceneKind, level: SimdLevel) -> String {
    let scene = scenes::build(kind, BODIES, 100.0, SEED);
    let (mut near, mut laned) = (0, 0);
    let [mut yes, mut distance, mut contact] = [Passed::default(); 3];
    for step in STEPS {
        let poses: Vec<_> = scene.bodies.iter().map(|body| body.pose_at(step)).collect();
        let found = naive::pairs_sorted(&scene.aabbs_at(step));
        let pairs: Vec<PairRef<'_>> = found
            .iter()
            .map(|&(a, b)| (a as usize, b as usize))
            .map(|(a, b)| PairRef {
                a: &scene.bodies[a].shape,
                pose_a: &poses[a],
                b: &scene.bodies[b].shape,
                pose_b: &poses[b],
            })
            .collect();
        near += pairs.len();
        laned += pairs.iter().filter(|pair| has_lanes(pair)).count();
        yes.count(
            &pairs,
            |pairs| batch::overlaps(pairs, level, &mut Vec::new()),
            |p| _ = black_box(overlaps(p.a, p.pose_a, p.b, p.pose_b)),
        );
        distance.count(
            &pairs,
            |pairs| batch::closest(pairs, f32::INFINITY, level, &mut Vec::new()),
            |p| _ = black_box(closest(p.a, p.pose_a, p.b, p.pose_b, f32::INFINITY)),
        );
        contact.count(
            &pairs,
            |pairs| batch::manifolds(pairs, 0.0, level, &mut Vec::new()),
            |p| _ = black_box(manifolds(p.a, p.pose_a, p.b, p.pose_b, 0.0)),
        );
    }
    let cells = [yes, distance, contact].map(|Passed { lanes, common, room }| {
        let [lanes, common, room] =
            [percent(lanes, laned), percent(common, near), percent(room, near)];
        format!("{lanes} {common} {room}")
    });
    format!("| `{}` | {near} | {laned} | {} |", kind.name(), cells.join(" | "))
}

fn main() {
    let level = simd_level();
    println!("level {}; share in percent that goes on", level.name());
    println!("of each answer: lanes of a batch, common case one by one, f64 of the room");
    println!("| scene | near pairs | with lanes | overlap | distance | manifold |");
    println!("|---|---|---|---|---|---|");
    for kind in SceneKind::ALL {
        println!("{}", row(kind, level));
    }
}
