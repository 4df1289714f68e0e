//! The end of a search for the nearest points or the way out between round cores: the plane that
//! lies best on the smooth parts that the search has come to.
//!
//! Support points of round sides come nearer by a factor with each that is looked at; Newton's
//! method between the parts that they are on squares what is open. What it finds is proved by the
//! support point along its normal, or not used.

use impinge_shapes::convex::gjk::{Enough, Nearest, Simplex, Support};
use impinge_shapes::glam::{DMat3, DVec3};
use smallvec::SmallVec;

use super::Cores;
use super::depth::Exit;
use super::view::{Corner, Goal, View};
use crate::tolerance;

/// A plane laid on the difference of two cores, in A's frame.
struct Fitted {
    /// Unit, from A to B.
    normal: DVec3,
    /// How far the difference reaches along it.
    reach: f64,
    /// The point of the difference nearest to the origin.
    at: DVec3,
    /// The points of the cores that it comes from.
    points: Support,
}

impl Cores<'_> {
    fn fitted(&self, points: &[Support], normal: DVec3) -> Option<Fitted> {
        let (one, other) = normal.any_orthonormal_pair();
        let view = View::new(self, 0.0, DMat3::from_cols(one, other, normal));
        let corners: SmallVec<[Corner; 3]> =
            points.iter().map(|point| view.corner(point)).collect();
        let found = view.fit(&corners, DVec3::Z, Goal::Nearest)?;
        let reach = view.support(found.normal).at.dot(found.normal);
        let [a, b] = found.points.map(|point| view.to_core(point));
        Some(Fitted {
            normal: view.to_core(found.normal),
            reach,
            at: view.to_core(found.at),
            points: Support { a, b },
        })
    }

    /// The nearest points of cores that are apart, from those of a simplex between them, with the
    /// bounds that the search by simplexes would go on to.
    fn nearest_fitted(&self, simplex: &Simplex) -> Option<Nearest> {
        let normal = (-simplex.nearest()).try_normalize()?;
        let found = self.fitted(simplex.points(), normal)?;
        let (distance, lower_bound) = (found.at.length(), -found.reach);
        let allowed = impinge_shapes::tolerance::GJK_GAP * distance
            + impinge_shapes::tolerance::GJK_NOISE * self.size;
        let is_proven = distance - lower_bound <= allowed && lower_bound > self.error();
        is_proven.then(|| Nearest {
            point_a: found.points.a,
            point_b: found.points.b,
            distance,
            lower_bound: lower_bound.min(distance),
            simplex: Simplex::single(found.points),
            normal: Some(found.normal),
        })
    }

    /// The nearest points of cores of which one is round.
    pub(super) fn nearest_of_round(&self, start: DVec3, enough: &Enough) -> Nearest {
        let known = |simplex: &Simplex| self.nearest_fitted(simplex);
        impinge_shapes::convex::gjk::nearest_unless(
            |n| self.support(n),
            start,
            self.size,
            enough,
            known,
        )
    }

    /// A way out of round cores that overlap, than which none near it is shorter: through the smooth
    /// parts that the corners of a face are on.
    pub(super) fn exit_of_round(&self, face: &[Support; 3], normal: DVec3) -> Option<Exit> {
        let found = self.fitted(face, normal)?;
        let aside = found.at - found.normal * found.reach;
        let slack = tolerance::DEPTH_GAP * self.size;
        let is_met = aside.length_squared() <= slack * slack && found.reach > 0.0;
        is_met.then_some(Exit {
            normal: found.normal,
            upper: found.reach,
            meeting: Some(found.points),
        })
    }
}
