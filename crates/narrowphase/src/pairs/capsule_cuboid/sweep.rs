//! First touch of a moving box with a capsule.

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, Cuboid};

use super::core::Core;
use super::{contact, settle};
use crate::{Impact, Relation, Relative, convex, tolerance};

/// First touch of B, which moves by `motion`, with A, which rests.
///
/// - Frame: `motion` is in the world's axes; the answer is in A's frame.
/// - Degenerate: touching at the start is a hit at 0 if the motion leads into penetration, and no
///   hit otherwise.
/// - Error: whether there is a hit is exact: f64 is believed where the box certainly stays clear,
///   or certainly goes in; the rest is decided by the vertices of what the box sweeps over. The
///   fraction is never later than the exact touch by more than 2^-44 of the sizes and the path,
///   over the speed along the normal.
/// - Source: the distance of two convex sets is a convex function of the path, so that Newton's
///   method from the start approaches its first zero from below (conservative advancement, Mirtich
///   1996, with a quadratic rate because the distance is in closed form).
#[must_use]
pub fn sweep(a: &Capsule, b: &Cuboid, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    let at_start = Core::new(a, b, b_in_a);
    let way = b_in_a.vector_from_world(motion.as_dvec3());
    // In the box's frame the capsule moves the other way.
    let path = -b_in_a.vector_to_b(way);
    let travel = path.abs().element_sum();
    let enough = tolerance::AXIS_ERROR * (at_start.size + travel);
    let nearest = at_start.nearest();
    let swept = || convex::swept_relation(a, b, b_in_a, motion);
    if nearest.excess.length() <= at_start.radius + enough
        && settle(a, b, b_in_a, &at_start, &nearest) != Relation::Apart
    {
        return from_touch(&at_start, path, b_in_a, swept);
    }
    // Where the direction to the box is mostly rounding, the last good one is kept; it is at least
    // as steep, so the advance stays on the safe side.
    let resolved = tolerance::DIRECTION * (at_start.size + travel);
    let (mut fraction, mut normal) = (0.0_f64, at_start.best().normal);
    for _ in 0..tolerance::ADVANCE_ITERATIONS {
        let core = at_start.moved(path * fraction);
        let nearest = core.nearest();
        let length = nearest.excess.length();
        if length > resolved {
            normal = core.upright(-nearest.excess / length, &nearest);
        }
        // On a long way a plane tells how far the path goes on: a direction off by rounding does not.
        let (gap, parted) = (length - core.radius, core.parted(normal) - core.radius);
        let mut gap = if gap - parted > enough { parted } else { gap };
        if gap <= enough && length - core.radius > enough {
            // A direction from farther away no longer parts the two, but an axis may.
            let best = core.best();
            if best.separation - core.radius > enough {
                (gap, normal) = (best.separation - core.radius, best.normal);
            }
        }
        let approach = normal.dot(path);
        if gap <= enough {
            let beyond = tolerance::PROBE * (at_start.size + travel) / approach;
            let on = (fraction + beyond.max(0.0)).min(1.0);
            let hits = enters(&at_start.moved(path * on), enough) || swept() != Relation::Apart;
            // Nearer than f64 sees, flat cores have two sides; the motion tells which.
            let is_behind = approach < -tolerance::LEVEL_WITH * travel;
            let normal = if is_behind { -normal } else { normal };
            return hits.then(|| impact(&core, normal, fraction, way, b_in_a));
        }
        // A convex distance that does not fall here never falls again.
        if approach <= 0.0 || fraction >= 1.0 {
            let hits = gap <= 2.0 * enough && swept() != Relation::Apart;
            return hits.then(|| impact(&core, normal, fraction, way, b_in_a));
        }
        fraction = (fraction + convex::step(gap, approach, travel, enough)).min(1.0);
    }
    let core = at_start.moved(path * fraction);
    (swept() != Relation::Apart).then(|| impact(&core, normal, fraction, way, b_in_a))
}

/// Whether the segment, grown by its radius, certainly goes into the box here.
fn enters(core: &Core, error: f64) -> bool {
    if core.radius > 0.0 {
        core.nearest().excess.length() + error < core.radius
    } else {
        core.goes_in(error)
    }
}

/// A hit at 0 if the motion leads from touch into penetration.
fn from_touch(
    core: &Core,
    path: DVec3,
    b_in_a: &Relative,
    swept: impl FnOnce() -> Relation,
) -> Option<Impact> {
    let nearest = core.nearest();
    let here = contact(core, &nearest, Relation::Touching);
    // A normal that is clear of rounding is the only one, and a motion that is clearly inclined to
    // it needs no exact arithmetic.
    let is_resolved = nearest.excess.length() > tolerance::DIRECTION * core.size;
    let inward = here.normal.dot(path);
    let inclined = is_resolved && inward.abs() * tolerance::INCLINED > path.length();
    let enters = if inclined { inward > 0.0 } else { swept() == Relation::Penetrating };
    enters.then(|| impact(core, here.normal, 0.0, DVec3::ZERO, b_in_a))
}

/// Normal and point of a touch in A's frame.
fn impact(core: &Core, normal: DVec3, fraction: f64, motion: DVec3, b_in_a: &Relative) -> Impact {
    let nearest = core.nearest();
    let on_box = core.at(nearest.share) - nearest.excess;
    Impact {
        fraction,
        normal: *b_in_a.rotation() * normal,
        point: b_in_a.point_from_b(on_box) + motion * fraction,
    }
}
