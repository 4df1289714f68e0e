//! Steps of GJK towards the nearest points of two cores, with simplices that are not rounded.

use impinge_shapes::convex::wolfe;
use impinge_shapes::glam::DVec3;
use impinge_shapes::tolerance::{GJK_GAP, GJK_STALLED};
use smallvec::{SmallVec, smallvec};

use super::{Cores, Gap, Proof};
use crate::tolerance;

/// What the steps have come to.
#[derive(Debug)]
struct Stepped {
    /// Of two points, one of each core, or zero.
    distance: f64,
    /// Of the cores along [`Stepped::normal`], than along which none that was looked along is
    /// greater.
    height: f64,
    /// Unit, from A to B.
    normal: DVec3,
}

impl Cores<'_> {
    /// What the steps come to where the bounds of a gap are open and it is not known to be an
    /// overlap, if that is more than the gap knows; the point is still that of the gap.
    pub(super) fn stepped(&self, gap: &Gap) -> Option<Gap> {
        let (low, high) = (gap.at_least, gap.at_most);
        let is_known = if low > self.error() {
            high - low <= GJK_STALLED * (high + self.size)
        } else {
            gap.proof == Proof::Bounds && high <= 0.0 || self.agree(low, high)
        };
        if is_known {
            return None;
        }
        let Stepped { distance, height, normal } = self.steps(gap.normal);
        let at_most = high.min(distance);
        let found = Gap { distance: height, at_least: height, at_most, normal, ..*gap };
        (distance - height < high - low).then_some(found)
    }

    /// Whether the bounds of a distance are as near to each other as to its rounding.
    fn agree(&self, low: f64, high: f64) -> bool {
        high - low <= self.error() + GJK_GAP * high.abs()
    }

    /// Steps from a guess of the direction until the bounds of the distance agree, or the origin is
    /// in the simplex.
    ///
    /// Support points and the heights of planes are those of f64. Which face of a simplex is the
    /// nearest and along what it lies is exact, so that simplices count that are flat beside the
    /// sizes of the cores, and short gaps between long ones have a direction.
    #[cold]
    fn steps(&self, start: DVec3) -> Stepped {
        let normal = start.try_normalize().unwrap_or(DVec3::X);
        let first = self.support(normal).difference();
        let mut points: SmallVec<[wolfe::Place; 4]> = smallvec![first.into()];
        let height = -normal.dot(first);
        let mut found = Stepped { distance: f64::INFINITY, height, normal };
        for _ in 0..tolerance::EXACT_STEPS {
            let nearest = wolfe::Nearest::of(&points);
            found.distance = nearest.distance();
            let Some(normal) = (-nearest.direction()).try_normalize() else { break };
            let next = self.support(normal).difference();
            let height = -normal.dot(next);
            if height > found.height {
                (found.height, found.normal) = (height, normal);
            }
            if self.agree(height, found.distance) {
                break;
            }
            points = nearest.kept().iter().map(|&k| points[k].clone()).collect();
            points.push(next.into());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Vec3;

    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;

    #[test]
    fn steps_come_to_the_bounds_of_other_searches() {
        let (mut seen, mut open) = ([0; 2], 0);
        for seed in 0..2_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let (one, other) = (draw.round(scale), draw.cornered(scale));
            let far = if seed % 3 == 0 { 0.4 } else { 1.6 };
            let place = draw.vector() * scale * far;
            let (pose, there) = (draw.pose(Vec3::ZERO), draw.pose(place));
            let (one, other) = (one.solid().unwrap(), other.solid().unwrap());
            let at = Relative::new(&pose, &there);
            let cores = Cores::new(&one, &other, &at);
            let error = cores.error();
            let found = cores.steps(cores.start());
            let expected = cores.nearest(cores.start());
            // Each plane parts the cores by no more than two points are apart.
            assert!(found.height <= expected.distance + error, "seed {seed}: {found:?}");
            assert!(found.distance + error >= expected.lower_bound, "seed {seed}: {found:?}");
            assert!((found.normal.length() - 1.0).abs() <= 1e-15, "seed {seed}: {found:?}");
            assert_eq!(cores.along(found.normal).to_bits(), found.height.to_bits(), "seed {seed}");
            let is_apart = expected.lower_bound > error;
            seen[usize::from(is_apart)] += 1;
            if is_apart {
                let is_open = found.distance - found.height > 2.0_f64.powi(-40) * cores.size;
                open += usize::from(is_open);
            } else {
                assert!(found.distance <= 2.0 * error, "seed {seed}: {found:?} {expected:?}");
            }
        }
        assert!(seen.iter().all(|&count| count > 400), "{seen:?}");
        assert!(open <= 20, "{open}");
    }
}
