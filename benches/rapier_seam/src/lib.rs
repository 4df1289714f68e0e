//! impinge's narrow phase behind parry's `QueryDispatcher`, for rapier3d and whoever else asks
//! parry's questions through it.
//!
//! Shapes that impinge does not know are `Unsupported`: chain parry's own dispatcher behind.

mod casts;
mod manifolds;
mod poses;
pub mod scene;
mod shapes;

use impinge_narrowphase::{closest, overlaps};
use impinge_shapes::{Pose, Shape};
use parry3d::math::Pose as PeerPose;
use parry3d::query::details::{NormalConstraints, ShapeCastOptions};
use parry3d::query::{
    ClosestPoints, Contact, ContactManifold, ContactManifoldsWorkspace, NonlinearRigidMotion,
    PersistentQueryDispatcher, QueryDispatcher, ShapeCastHit, ShapeDistance, ShapeIntersection,
    Unsupported,
};
use parry3d::shape::Shape as PeerShape;

pub use shapes::ShapeCache;

/// parry's questions, answered by impinge.
#[derive(Clone, Debug, Default)]
pub struct Seam {
    /// Shapes that are costly to convert; see [`ShapeCache::adopt`].
    pub cache: ShapeCache,
    /// Keeps the contacts of a pair that hardly moved and measures their distances anew, as parry's
    /// own dispatcher does for simple shapes.
    pub reuse: bool,
}

/// Two shapes in the frame of the first.
struct Placed {
    a: Shape,
    b: Shape,
    b_in_a: Pose,
}

impl Seam {
    fn placed(
        &self,
        pos12: &PeerPose,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
    ) -> Result<Placed, Unsupported> {
        let (a, b) = (self.cache.shape(g1)?, self.cache.shape(g2)?);
        Ok(Placed { a, b, b_in_a: poses::pose(pos12)? })
    }
}

impl Placed {
    fn closest(&self, max_distance: f32) -> Option<impinge_narrowphase::Closest> {
        closest(&self.a, &Pose::IDENTITY, &self.b, &self.b_in_a, max_distance)
    }
}

impl QueryDispatcher for Seam {
    fn intersection_test(
        &self,
        pos12: &PeerPose,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
    ) -> Result<ShapeIntersection, Unsupported> {
        let pair = self.placed(pos12, g1, g2)?;
        let intersecting = overlaps(&pair.a, &Pose::IDENTITY, &pair.b, &pair.b_in_a);
        let mut answer = ShapeIntersection { intersecting, subshape1: 0, subshape2: 0 };
        let has_parts = pair.a.part_count() > 1 || pair.b.part_count() > 1;
        if let Some(found) = pair.closest(0.0).filter(|_| intersecting && has_parts) {
            (answer.subshape1, answer.subshape2) = (found.part_a, found.part_b);
        }
        Ok(answer)
    }

    fn distance(
        &self,
        pos12: &PeerPose,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
    ) -> Result<ShapeDistance, Unsupported> {
        let found = self.placed(pos12, g1, g2)?.closest(f32::INFINITY).ok_or(Unsupported)?;
        let distance = found.distance.max(0.0);
        Ok(ShapeDistance::new(distance).with_subshapes(found.part_a, found.part_b))
    }

    fn contact(
        &self,
        pos12: &PeerPose,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
        prediction: f32,
    ) -> Result<Option<Contact>, Unsupported> {
        let found = self.placed(pos12, g1, g2)?.closest(prediction);
        Ok(found.map(|found| {
            let (normal, point_b) = (found.normal, found.point_b);
            Contact::new(
                found.point_a,
                pos12.inverse_transform_point(point_b),
                normal,
                pos12.rotation.inverse() * -normal,
                found.distance,
            )
            .with_subshapes(found.part_a, found.part_b)
        }))
    }

    fn closest_points(
        &self,
        pos12: &PeerPose,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
        max_dist: f32,
    ) -> Result<ClosestPoints, Unsupported> {
        Ok(match self.placed(pos12, g1, g2)?.closest(max_dist) {
            None => ClosestPoints::Disjoint,
            Some(found) if found.distance <= 0.0 => ClosestPoints::Intersecting,
            Some(found) => ClosestPoints::WithinMargin(
                found.point_a,
                pos12.inverse_transform_point(found.point_b),
            ),
        })
    }

    fn cast_shapes(
        &self,
        pos12: &PeerPose,
        local_vel12: parry3d::math::Vector,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
        options: ShapeCastOptions,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        casts::linear(&self.placed(pos12, g1, g2)?, local_vel12, &options)
    }

    fn cast_shapes_nonlinear(
        &self,
        motion1: &NonlinearRigidMotion,
        g1: &dyn PeerShape,
        motion2: &NonlinearRigidMotion,
        g2: &dyn PeerShape,
        start_time: f32,
        end_time: f32,
        stop_at_penetration: bool,
    ) -> Result<Option<ShapeCastHit>, Unsupported> {
        let shapes = (self.cache.shape(g1)?, self.cache.shape(g2)?);
        let times = (start_time, end_time);
        casts::turning((&shapes.0, motion1), (&shapes.1, motion2), times, stop_at_penetration)
    }
}

impl<ManifoldData, ContactData> PersistentQueryDispatcher<ManifoldData, ContactData> for Seam
where
    ManifoldData: Default + Clone,
    ContactData: Default + Copy,
{
    fn contact_manifolds(
        &self,
        pos12: &PeerPose,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
        prediction: f32,
        manifolds: &mut Vec<ContactManifold<ManifoldData, ContactData>>,
        workspace: &mut Option<ContactManifoldsWorkspace>,
    ) -> Result<(), Unsupported> {
        if self.reuse && manifolds::are_reused(pos12, g1, g2, manifolds) {
            return Ok(());
        }
        let pair = self.placed(pos12, g1, g2)?;
        let is_composite = [g1, g2].iter().any(|shape| shape.as_composite_shape().is_some());
        if is_composite && workspace.is_none() {
            *workspace = Some(manifolds::OfParts.into());
        }
        manifolds::find(&pair, pos12, prediction, is_composite, manifolds);
        Ok(())
    }

    fn contact_manifold_convex_convex(
        &self,
        pos12: &PeerPose,
        g1: &dyn PeerShape,
        g2: &dyn PeerShape,
        _: Option<&dyn NormalConstraints>,
        _: Option<&dyn NormalConstraints>,
        prediction: f32,
        manifold: &mut ContactManifold<ManifoldData, ContactData>,
    ) -> Result<(), Unsupported> {
        let pair = self.placed(pos12, g1, g2)?;
        let mut one = vec![std::mem::take(manifold)];
        manifolds::find(&pair, pos12, prediction, false, &mut one);
        *manifold = one.pop().unwrap_or_default();
        Ok(())
    }
}
