//! Bodies that rest on a flat floor, and the questions of the matrix about them: exactly, as in every
//! scene that was built so, where rounding hides what is zero; or as a solver leaves them.

use glam::{Quat, Vec3};
use impinge_shapes::{HeightField, Pose, Ray, Shape};
use impinge_testkit::rng::Rng;

use super::kinds::Kind;
use super::{CALLS, FEW_CALLS, OF_PAIRS, measure, summary};
use crate::Args;
use crate::kernels::Case;
use crate::report::Report;

/// Cells along a side of the floors of triangles, each 1 wide.
const SIDE: u16 = 32;
/// Bodies stay this far from the middle, so that a move along the floor ends on it, too.
const AREA: f64 = 8.0;

/// Half of the most that a settled body leans around either level axis, in radians.
const LEAN: f64 = 1.0 / 512.0;
/// The most that it has sunk.
const SUNK: f64 = 1.0 / 128.0;

const FLOORS: [Kind; 4] = [Kind::Mesh, Kind::HeightField, Kind::HalfSpace, Kind::Cuboid];
const BODIES: [Kind; 6] =
    [Kind::Cuboid, Kind::Capsule, Kind::Cylinder, Kind::Cone, Kind::Hull, Kind::Sphere];

/// A floor whose top is at height 0, and how far below that its origin is.
fn floor(kind: Kind) -> (Shape, f32) {
    let side = usize::from(SIDE);
    let scale = Vec3::new(f32::from(SIDE), 1.0, f32::from(SIDE));
    let flat = || HeightField::new(side + 1, side + 1, vec![0.0; (side + 1).pow(2)], scale);
    match kind {
        Kind::Mesh => (super::kinds::mesh_of(&flat().expect("a square")), 0.0),
        Kind::HeightField => (flat().expect("a square").into(), 0.0),
        Kind::HalfSpace => (Shape::half_space(Vec3::Y, 0.0).expect("a direction"), 0.0),
        _ => (Shape::cuboid(Vec3::new(scale.x * 0.5, 1.0, scale.z * 0.5)).expect("finite"), 1.0),
    }
}

/// A body and the height of its origin where it rests. Sizes are multiples of 1/64, so that sums of
/// them are exact.
fn body(kind: Kind, rng: &mut Rng) -> (Shape, f32) {
    let mut size = || (rng.range(16.0, 48.0)).round() / 64.0;
    let (one, two) = (size(), size());
    let half = Vec3::new(two, one, size());
    let corners = || {
        (0..8)
            .map(|k| half * Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 })))
    };
    let shape = match kind {
        Kind::Cuboid => Shape::cuboid(half).ok(),
        Kind::Capsule => Shape::capsule_along_y(one, two).ok(),
        Kind::Cylinder => Shape::cylinder(one, two).ok(),
        Kind::Cone => Shape::cone(one, two).ok(),
        Kind::Hull => Shape::convex_hull(&corners().collect::<Vec<_>>()).ok(),
        _ => Shape::sphere(one).ok(),
    };
    let height = if kind == Kind::Capsule { one + two } else { one };
    (shape.expect("finite positive sizes"), height)
}

/// How bodies rest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// They touch, without any depth.
    Exact,
    /// They lean a little and have sunk a little.
    Settled,
}

/// Half of the bodies are turned around the vertical; all move level.
fn cases(rest: Rest, on: Kind, kind: Kind, count: usize, seed: u64) -> Vec<Case> {
    let mut rng = Rng::new(seed);
    let (below, depth) = floor(on);
    let draw = |_| {
        let (b, height) = body(kind, &mut rng);
        let turn = if rng.one_in(2) { rng.range(-2.0, 2.0) } else { 0.0 };
        let at = rng.cube(-AREA, AREA).with_y(height);
        let turn = Quat::from_xyzw(0.0, turn, 0.0, 1.0).normalize();
        let (turn, at) = if rest == Rest::Settled {
            let (lean, sunk) = (rng.cube(-LEAN, LEAN), rng.range(0.0, SUNK));
            let lean = Quat::from_xyzw(lean.x, 0.0, lean.z, 1.0);
            ((turn * lean).normalize(), at - Vec3::Y * sunk)
        } else {
            (turn, at)
        };
        let way = rng.cube(-1.0, 1.0).with_y(0.0).normalize_or(Vec3::X).with_y(0.0);
        Case {
            a: below.clone(),
            pose_a: Pose::new(Vec3::Y * -depth, Quat::IDENTITY).expect("finite"),
            b,
            pose_b: Pose::new(at, turn).expect("finite"),
            ray: Ray::new(at, way).expect("not zero"),
        }
    };
    (0..count).map(draw).collect()
}

pub(crate) fn run(args: &Args, rest: Rest, report: &mut Report) {
    let suite = if rest == Rest::Exact { "resting" } else { "settled" };
    let mut without = Vec::new();
    let first = report.rows().len();
    for on in FLOORS {
        for kind in BODIES {
            let few = on.is_surface() || kind.has_memory();
            let cases = cases(rest, on, kind, if few { FEW_CALLS } else { CALLS }, args.seed);
            for column in &OF_PAIRS {
                let scene = format!("{} {} {}", on.name(), kind.name(), column.name);
                if args.asks_of(&scene) {
                    let row = (suite, scene);
                    measure(args, report, column, (on, kind), row, &cases, &mut without);
                }
            }
        }
    }
    summary(report, first, &without);
}
