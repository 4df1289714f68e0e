//! Ways out all around an axis: across the side of a cylinder or a cone, or off a segment.
//!
//! What is small beside them leaves nearly as well all around, and a polytope of support points would
//! take hundreds to tell the shortest of such a ring.

use std::f64::consts::TAU;

use impinge_shapes::convex::Core;
use impinge_shapes::glam::DVec3;

use super::turned::Turned;
use super::{Cores, Gap};
use crate::tolerance::{self, RING_LOOKS, RING_STEPS};

impl Cores<'_> {
    /// The way out found so far, or, where that left the depth open, a shorter one across the side of
    /// either core, of those that have one.
    ///
    /// Along all normals of a side its core reaches equally far, and the other one as far as its
    /// farthest point, which goes up and down a few times on the way around; the shortest way out is
    /// looked for from each of [`RING_LOOKS`] places that is no worse than those beside it.
    ///
    /// - Ties: what was found before, then A's side, then the least angle.
    /// - Source: golden section: Kiefer, *Sequential minimax search for a maximum* (1953).
    pub(super) fn around_sides(&self, found: Gap) -> Gap {
        let mut best = found;
        if best.at_most - best.distance <= tolerance::ROUND_DEPTH_GAP * self.size {
            return best;
        }
        for is_b in [false, true] {
            let core = if is_b { &self.b.core } else { &self.a.core };
            let Some(ring) = Ring::of(core) else { continue };
            let normal = |angle: f64| {
                let normal = ring.at(angle);
                if is_b { -(*self.at.rotation() * normal) } else { normal }
            };
            let tie = tolerance::TIE * self.size;
            let (angle, distance) = highest(|angle| self.along(normal(angle)), tie);
            if distance > best.distance + tie {
                best = Gap { distance, at_least: distance, normal: normal(angle), ..best };
            }
        }
        best
    }
}

/// The normals of a side: unit vectors at one angle to an axis.
struct Ring {
    /// Along the axis, as long as it is for all of them.
    along: DVec3,
    /// Across it, from where the angle is zero, and by a quarter of a turn.
    across: [DVec3; 2],
}

impl Ring {
    fn of(core: &Core<'_>) -> Option<Self> {
        if let Core::Segment([from, to]) = core {
            let (one, other) =
                (to.as_dvec3() - from.as_dvec3()).try_normalize()?.any_orthonormal_pair();
            return Some(Self { along: DVec3::ZERO, across: [one, other] });
        }
        let [out, up] = Turned::of(core)?.side();
        Some(Self { along: DVec3::Y * up, across: [DVec3::X * out, DVec3::Z * out] })
    }

    fn at(&self, angle: f64) -> DVec3 {
        let (sin, cos) = libm::sincos(angle);
        let [one, other] = self.across;
        self.along + one * cos + other * sin
    }
}

/// Where a function of an angle is greatest, and what it is there.
///
/// Near a place it is taken to rise by no more than it falls to the lower one beside it, so that few
/// places are worth more looks, and none where all are level.
///
/// - Ties: the least angle, of those that differ by no more than `tie`.
fn highest(height: impl Fn(f64) -> f64, tie: f64) -> (f64, f64) {
    let step = TAU / RING_LOOKS as f64;
    let heights: [f64; RING_LOOKS] = std::array::from_fn(|place| height(place as f64 * step));
    let mut best = (0.0, heights[0]);
    for (place, &here) in heights.iter().enumerate() {
        let [one, other] = [1, RING_LOOKS - 1].map(|by| heights[(place + by) % RING_LOOKS]);
        let is_top = here >= one && here >= other;
        if is_top && here + (here - one.min(other)) > best.1 + tie {
            let found = highest_near(&height, place as f64 * step, step);
            if found.1 > best.1 {
                best = found;
            }
        }
    }
    best
}

/// The same within `reach` of an angle, of a function that rises and then falls there.
fn highest_near(height: &impl Fn(f64) -> f64, middle: f64, reach: f64) -> (f64, f64) {
    let share = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (middle - reach, middle + reach);
    let at = |angle: f64| (angle, height(angle));
    let (mut one, mut other) = (at(high - share * (high - low)), at(low + share * (high - low)));
    for _ in 0..RING_STEPS {
        if one.1 < other.1 {
            (low, one) = (one.0, other);
            other = at(low + share * (high - low));
        } else {
            (high, other) = (other.0, one);
            one = at(high - share * (high - low));
        }
    }
    let best = if one.1 < other.1 { one } else { other };
    let from = at(middle);
    if best.1 > from.1 { best } else { from }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Shape;
    use impinge_shapes::glam::Vec3;

    use super::*;
    use crate::Relative;
    use crate::convex::Proof;
    use crate::convex::draw::Draw;

    #[test]
    fn no_way_out_across_a_side_is_shorter_than_what_is_found() {
        let (mut seen, mut worst) = ([0; 2], [0.0_f64; 2]);
        for seed in 0..4_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let core = match seed % 4 {
                0 => Shape::capsule(draw.vector() * scale, draw.vector() * scale, 0.0),
                _ => Ok(draw.round(scale)),
            };
            // What is within is as large, or a pebble.
            let is_pebble = seed % 3 != 0;
            let inside = draw.cornered(scale * if is_pebble { 1e-3 } else { 1.0 });
            let (one, other) = (core.unwrap(), inside);
            let place = draw.vector() * scale * if seed % 5 == 0 { 0.0 } else { 0.1 };
            let (pose, there) = (draw.pose(Vec3::ZERO), draw.pose(place));
            let (one, other) = (one.solid().unwrap(), other.solid().unwrap());
            let at = Relative::new(&pose, &there);
            let (a, b) = if seed % 2 == 0 { (one, other) } else { (other, one) };
            let cores = Cores::new(&a, &b, &at);
            let start = cores.along(DVec3::Y);
            let open = Gap {
                distance: start,
                at_least: start,
                at_most: cores.size,
                proof: Proof::Bounds,
                normal: DVec3::Y,
                point_a: DVec3::ZERO,
            };
            let found = cores.around_sides(open);
            let is_shorter = found.distance > start;
            seen[usize::from(is_shorter)] += 1;
            assert!((found.normal.length() - 1.0).abs() <= 1e-15, "seed {seed}: {found:?}");
            assert_eq!(cores.along(found.normal).to_bits(), found.distance.to_bits(), "{seed}");
            let Some(ring) = Ring::of(&one.core) else { continue };
            for place in 0..5_000 {
                let normal = ring.at(TAU * f64::from(place) / 5_000.0);
                let normal = if seed % 2 == 0 { normal } else { -(*at.rotation() * normal) };
                let lack = (cores.along(normal) - found.distance) / cores.size;
                worst[usize::from(is_pebble)] = worst[usize::from(is_pebble)].max(lack);
            }
        }
        // Between two places that are looked at there may be another shortest way.
        assert!(worst[0] <= 1e-3 && worst[1] <= tolerance::ROUND_DEPTH_GAP, "{worst:?}");
        assert!(seen.iter().all(|&count| count > 400), "{seen:?}");
    }
}
