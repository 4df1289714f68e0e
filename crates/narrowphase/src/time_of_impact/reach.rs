//! The space that a moving body passes, as another moving body sees it.

use impinge_shapes::glam::DVec3;
use impinge_shapes::{Aabb, round};

use crate::{Motion, tolerance};

/// Bounds of all places that what starts within `bounds` and goes by `motion` takes, seen from a
/// body that goes by `seen_from`: in the world as it is at the start.
pub(super) fn passed(bounds: &Aabb, motion: &Motion, seen_from: &Motion) -> Aabb {
    let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
    if !(min.is_finite() && max.is_finite()) {
        return Aabb::EVERYTHING;
    }
    let turns = |motion: &Motion| motion.axis_and_angle().1 > 0.0;
    let around = |center: DVec3, (min, max): (DVec3, DVec3)| {
        let radius = (min - center).abs().max((max - center).abs()).length();
        (center - radius, center + radius)
    };
    let (mut min, mut max) =
        if turns(motion) { around(motion.world_center(), (min, max)) } else { (min, max) };
    let travel = motion.displacement().as_dvec3() - seen_from.displacement().as_dvec3();
    (min, max) = (min.min(min + travel), max.max(max + travel));
    if turns(seen_from) {
        (min, max) = around(seen_from.world_center(), (min, max));
    }
    let size = min.abs().max(max.abs()).element_sum()
        + motion.world_center().abs().element_sum()
        + seen_from.world_center().abs().element_sum()
        + travel.abs().element_sum();
    let slack = tolerance::FRAME * size;
    let low = (min - slack).to_array().map(round::down);
    let high = (max + slack).to_array().map(round::up);
    Aabb::new(low.into(), high.into()).unwrap_or(Aabb::EVERYTHING)
}
