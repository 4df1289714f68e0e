//! The distance of two solids without the work of a depth.

use impinge_shapes::convex::Solid;
use impinge_shapes::convex::gjk::Enough;
use impinge_shapes::simd::SimdLevel;

use super::axes::{Told, told};
use super::glance::{self, Clearance};
use super::{Cores, Gap, cuboid_triangle, enclosure};
use crate::{Relation, Relative};

/// The distance of two solids, zero where they touch or overlap; infinite where a plane certainly
/// parts them by more than `most`.
pub(crate) fn clearance(a: &Solid<'_>, b: &Solid<'_>, b_in_a: &Relative, most: f64) -> f64 {
    let cores = Cores::new(a, b, b_in_a);
    let error = cores.error();
    let above = most.max(0.0) + cores.radius + error;
    if let Some(gap) = cores.gap_of_point() {
        return cores.clearance_of(&gap, above);
    }
    if !cores.is_exact() {
        if cores.level_or_dips().is_some_and(Relation::overlaps) {
            return 0.0;
        }
        return match cores.gap_at_side() {
            Some(gap) => cores.clearance_of(&gap, above),
            None => cores.clearance_of_turned(above),
        };
    }
    if cuboid_triangle::relation(&cores) == Some(Some(Relation::Penetrating)) {
        return 0.0;
    }
    let start = match told(&cores, above, false) {
        Some(Told::Apart) => return f64::INFINITY,
        Some(Told::Overlap) => return 0.0,
        Some(Told::Gap(gap)) => return cores.separation(&gap).distance.max(0.0),
        Some(Told::Towards(start)) => start,
        Some(Told::Open) | None => cores.start(),
    };
    if cores.level_or_dips().is_some_and(Relation::overlaps) {
        return 0.0;
    }
    if let Some(gap) = cores.gap_at_side() {
        return cores.clearance_of(&gap, above);
    }
    let enough = Enough { below: cores.radius - error, above };
    let mut near = None;
    if most.is_finite() {
        match cores.glance(most.max(0.0)) {
            Some(Relation::Apart) => return f64::INFINITY,
            Some(Relation::Penetrating) => return 0.0,
            _ => {}
        }
    }
    match glance::clearance(SimdLevel::detected(), a, b, b_in_a) {
        Some(Clearance::Penetrating) => return 0.0,
        Some(Clearance::Near(found)) => near = cores.nearest_from(&found, &enough),
        None => {}
    }
    let nearest = near.unwrap_or_else(|| cores.nearest_until(start, &enough));
    if nearest.lower_bound > above {
        return f64::INFINITY;
    }
    let overlaps = nearest.distance < cores.radius - error
        || enclosure::is_certain(nearest.simplex.points(), error);
    if overlaps {
        return 0.0;
    }
    cores.separation(&cores.gap_of(start, &nearest)).distance.max(0.0)
}

impl Cores<'_> {
    /// The distance by a gap that is known; infinite for more than `above`.
    fn clearance_of(&self, gap: &Gap, above: f64) -> f64 {
        if gap.at_least > above { f64::INFINITY } else { self.separation(gap).distance.max(0.0) }
    }
}
