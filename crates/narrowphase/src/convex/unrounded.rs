//! Steps of GJK towards the nearest points of curved cores, with simplices that are not rounded.

use impinge_shapes::convex::gjk::Enough;
use impinge_shapes::convex::wolfe;
use impinge_shapes::exact::ExactVec3;
use impinge_shapes::glam::DVec3;
use smallvec::{SmallVec, smallvec};

use super::{Cores, Gap};
use crate::{Relation, tolerance};

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
    /// The relation, where steps towards the nearest points are certain of it.
    #[cold]
    pub(super) fn stepped_exactly(&self) -> Option<Relation> {
        let enough = self.enough();
        let found = self.steps(&enough);
        if found.height > enough.above {
            return Some(Relation::Apart);
        }
        (found.distance < enough.below).then_some(Relation::Penetrating)
    }

    /// A gap of curved cores, or, where its bounds were left open and it is not known to be an
    /// overlap, the one that the steps come to.
    ///
    /// - Ties: the given one.
    pub(super) fn or_stepped(&self, gap: Gap) -> Gap {
        let overlaps = gap.proven && gap.at_most <= 0.0;
        let allowed = self.error() + impinge_shapes::tolerance::GJK_GAP * gap.at_most.abs();
        let open = gap.at_most - gap.at_least;
        if overlaps || open <= allowed || self.is_exact() {
            return gap;
        }
        let Stepped { distance, height, normal } = self.steps(&Enough::NEVER);
        if distance - height >= open {
            return gap;
        }
        let at_most = gap.at_most.min(distance);
        let stepped = Gap { distance: height, at_least: height, at_most, normal, ..gap };
        if height > 0.0 { self.leaving(stepped) } else { stepped }
    }

    /// Steps until the bounds of the distance agree or tell enough, or the origin is in the simplex.
    ///
    /// Support points and the heights of planes are those of f64. Which face of a simplex is the
    /// nearest and along what it lies is exact, so that simplices count that are flat beside the
    /// sizes of the cores, and short gaps between long ones have a direction.
    #[cold]
    fn steps(&self, enough: &Enough) -> Stepped {
        let first = self.support(DVec3::X).difference();
        let mut points: SmallVec<[ExactVec3; 5]> = smallvec![first.into()];
        let mut found = Stepped { distance: f64::INFINITY, height: -first.x, normal: DVec3::X };
        for _ in 0..tolerance::EXACT_STEPS {
            let nearest = wolfe::Nearest::of(&points);
            found.distance = nearest.distance();
            let Some(normal) = (-nearest.direction()).try_normalize() else { break };
            let next = self.support(normal).difference();
            let height = -normal.dot(next);
            if height > found.height {
                (found.height, found.normal) = (height, normal);
            }
            let is_enough = found.distance < enough.below || found.height > enough.above;
            if is_enough || found.distance - height <= self.error() {
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
            let found = cores.steps(&Enough::NEVER);
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
