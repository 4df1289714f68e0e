//! First touch of a moving box with a capsule.

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, Cuboid};

use super::core::Core;
use super::{contact, settle};
use crate::{Impact, Relation, Relative, tolerance};

/// First touch of B, which moves by `motion`, with A, which rests.
///
/// - Frame: `motion` is in the world's axes; the answer is in A's frame.
/// - Degenerate: touching at the start is a hit at 0 if the motion leads into penetration, and no
///   hit otherwise; motion along the surface within 2^-44 counts as along it.
/// - Error: never later than the exact touch by more than 2^-44 of the sizes and the path, over
///   the speed along the normal. A path that passes within 2^-44 of them counts as a hit.
/// - Source: the distance of two convex sets is a convex function of the path, so that Newton's
///   method from the start approaches its first zero from below (conservative advancement, Mirtich
///   1996, with a quadratic rate because the distance is in closed form).
#[must_use]
pub fn sweep(a: &Capsule, b: &Cuboid, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    let at_start = Core::new(a, b, b_in_a);
    let motion = b_in_a.vector_from_world(motion.as_dvec3());
    // In the box's frame the capsule moves the other way.
    let path = -b_in_a.vector_to_b(motion);
    let travel = path.abs().element_sum();
    let enough = tolerance::AXIS_ERROR * (at_start.size + travel);
    let nearest = at_start.nearest();
    let start_distance = nearest.excess.length();
    let touching = start_distance <= at_start.radius + enough
        && settle(a, b, b_in_a, &at_start, start_distance) != Relation::Apart;
    if touching {
        return from_touch(&at_start, path, b_in_a);
    }
    // Where the direction to the box is mostly rounding, the last good one is kept; it is at least
    // as steep, so the advance stays on the safe side.
    let resolved = tolerance::DIRECTION * (at_start.size + travel);
    let (mut fraction, mut normal) = (0.0_f64, at_start.best().normal);
    for _ in 0..tolerance::ADVANCE_ITERATIONS {
        let core = at_start.moved(path * fraction);
        let excess = core.nearest().excess;
        let length = excess.length();
        let gap = length - core.radius;
        if length > resolved {
            normal = -excess / length;
        }
        let approach = normal.dot(path);
        if gap <= enough && (approach > 0.0 || fraction > 0.0) {
            return Some(impact(&core, normal, fraction, motion, b_in_a));
        }
        // A convex distance that does not fall here never falls again.
        if approach <= 0.0 || fraction >= 1.0 {
            return None;
        }
        fraction = (fraction + gap / approach).min(1.0);
    }
    let core = at_start.moved(path * fraction);
    Some(impact(&core, normal, fraction, motion, b_in_a))
}

/// A hit at 0 if the motion leads from touch into penetration.
fn from_touch(core: &Core, path: DVec3, b_in_a: &Relative) -> Option<Impact> {
    let still = tolerance::AXIS_ERROR * path.abs().element_sum();
    let here = contact(core, &core.nearest(), Relation::Touching);
    // A bare segment may touch with several axes at once, of which all must close.
    let inward = if core.radius > 0.0 {
        here.normal.dot(path) > still
    } else {
        core.touching_axes().all(|normal| normal.dot(path) > still)
    };
    inward.then(|| impact(core, here.normal, 0.0, DVec3::ZERO, b_in_a))
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
