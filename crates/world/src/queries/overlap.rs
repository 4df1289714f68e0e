//! What lies where.

use std::ops::ControlFlow;

use impinge_narrowphase as narrow;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Cuboid, Pose, Shape, round};

use super::Queries;
use super::last_word::is_told_early;
use crate::{BodyId, Filter};

/// A shape at rest with all that can be said about it.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, BodyId, Filter, Hits, OverlapQuery, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X))?;
/// let probe = Shape::cuboid(Vec3::splat(0.25))?;
/// let here = OverlapQuery::new(&probe, Pose::from_position(Vec3::X * 0.5)?);
/// // Each query of a batch has its own filter.
/// let queries = [here, here.filter(Filter::new().exclude(a))];
/// let mut bodies: Hits<BodyId> = Hits::new();
/// world.queries().overlap_batch(&queries, &mut bodies);
/// assert_eq!((&bodies[0], &bodies[1]), (&[a, b][..], &[b][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OverlapQuery<'q> {
    /// The shape, in its own frame.
    pub shape: &'q Shape,
    /// Where it is.
    pub pose: Pose,
    /// Which bodies to see.
    pub filter: Filter<'q>,
}

impl<'q> OverlapQuery<'q> {
    /// Against every solid body.
    #[must_use]
    pub fn new(shape: &'q Shape, pose: Pose) -> Self {
        Self { shape, pose, filter: Filter::default() }
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'q>) -> Self {
        self.filter = filter;
        self
    }
}

impl Queries<'_> {
    /// The bodies that overlap a shape, in the order of ids.
    #[must_use]
    pub fn overlap(&self, shape: &Shape, pose: &Pose, filter: &Filter<'_>) -> Vec<BodyId> {
        let mut bodies = Vec::new();
        self.append_overlaps(&OverlapQuery::new(shape, *pose).filter(*filter), &mut bodies);
        bodies
    }

    /// [`Queries::overlap`] into a list of the caller's, which is overwritten.
    pub fn overlap_into(&self, query: &OverlapQuery<'_>, bodies: &mut Vec<BodyId>) {
        bodies.clear();
        self.append_overlaps(query, bodies);
    }

    /// Whether any body overlaps a shape.
    #[must_use]
    pub fn overlap_any(&self, shape: &Shape, pose: &Pose, filter: &Filter<'_>) -> bool {
        self.overlap_any_with(&OverlapQuery::new(shape, *pose).filter(*filter))
    }

    /// [`Queries::overlap_any`] as a query.
    #[must_use]
    pub fn overlap_any_with(&self, query: &OverlapQuery<'_>) -> bool {
        let mut found = false;
        self.index.overlap(&query.shape.aabb(&query.pose), |slot| {
            found = self.overlapped(query, slot).is_some();
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }

    /// The bodies whose shapes overlap an axis-aligned box, in the order of ids.
    ///
    /// - Error: the box is cut to the body's bounds; where the centre and half extents of what is
    ///   left are not f32 numbers it is grown by at most two ulp of its coordinates, never beyond
    ///   the bounds test with the box itself, which is exact.
    #[must_use]
    pub fn overlap_aabb(&self, bounds: &Aabb, filter: &Filter<'_>) -> Vec<BodyId> {
        self.collect(bounds, |slot| self.in_box(bounds, filter, slot))
    }

    /// The body if its shape overlaps the box.
    pub(super) fn in_box(&self, bounds: &Aabb, filter: &Filter<'_>, slot: u32) -> Option<BodyId> {
        let (id, stored) = self.seen(slot, filter)?;
        let own = self.bodies.bounds(slot);
        // A shape that lies in the box altogether needs no closer look.
        let overlaps = bounds.contains(own) || {
            let (cuboid, pose) = placed_box(&bounds.intersection(own)?)?;
            narrow::overlaps(&cuboid, &pose, &stored.shape, &stored.pose)
        };
        overlaps.then_some(id)
    }

    /// The bodies whose bounds overlap an axis-aligned box, in the order of ids; exact and cheap.
    #[must_use]
    pub fn aabb_candidates(&self, bounds: &Aabb, filter: &Filter<'_>) -> Vec<BodyId> {
        self.collect(bounds, |slot| self.near_box(bounds, filter, slot))
    }

    /// The body if its bounds overlap the box.
    pub(super) fn near_box(&self, bounds: &Aabb, filter: &Filter<'_>, slot: u32) -> Option<BodyId> {
        let (id, _) = self.seen(slot, filter)?;
        self.bodies.bounds(slot).overlaps(bounds).then_some(id)
    }

    /// The bodies that contain a point, in the order of ids; none for a point that is not finite.
    #[must_use]
    pub fn contains_point(&self, point: Vec3, filter: &Filter<'_>) -> Vec<BodyId> {
        let Ok(bounds) = Aabb::from_point(point) else { return Vec::new() };
        self.collect(&bounds, |slot| self.around_point(point, filter, slot))
    }

    /// The body if it contains the point.
    pub(super) fn around_point(
        &self,
        point: Vec3,
        filter: &Filter<'_>,
        slot: u32,
    ) -> Option<BodyId> {
        let (id, stored) = self.seen(slot, filter)?;
        let holds = |slot| self.bodies.bounds(slot).contains_point(point);
        let contains = (!is_told_early(&stored.shape) || holds(slot))
            && stored.shape.contains_point(&stored.pose, point);
        contains.then_some(id)
    }

    /// How far an axis-aligned box may move before it meets the bounds of a body, each axis on its
    /// own.
    ///
    /// Where the boxes overlap strictly on the other two axes at the start, and the mover lies
    /// before or behind the body on this axis, the movement on this axis is cut to the gap.
    /// Sliding along a touching body is free, running into it gives 0, a body that overlaps
    /// already cuts nothing. For a body of the world, [exclude](Filter::exclude) it.
    ///
    /// - Error: the gap is rounded toward zero.
    /// - Degenerate: this is no time of impact; a diagonal mover can pass through an edge, which
    ///   [`Queries::sweep`] sees. A component that is NaN counts as 0.
    ///
    /// ```
    /// use impinge_shapes::{Aabb, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, Filter, World};
    ///
    /// let mut world = World::new();
    /// world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(vec3(4.0, 0.0, 0.0)))?;
    /// let mover = Aabb::new(Vec3::NEG_ONE, Vec3::ONE)?;
    /// let queries = world.queries();
    /// let allowed = queries.clamp_movement(&mover, vec3(5.0, 0.5, 0.0), &Filter::default());
    /// assert_eq!(allowed, vec3(2.0, 0.5, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn clamp_movement(&self, mover: &Aabb, movement: Vec3, filter: &Filter<'_>) -> Vec3 {
        let mut allowed = narrow::clamp_movement(mover, movement, []);
        self.index.overlap(&mover.sweep_bounds(movement), |slot| {
            allowed = self.clamped_at(slot, mover, allowed, filter);
            ControlFlow::Continue(())
        });
        allowed
    }

    /// What the bounds of the body in this slot leave of what is allowed.
    pub(super) fn clamped_at(
        &self,
        slot: u32,
        mover: &Aabb,
        allowed: Vec3,
        filter: &Filter<'_>,
    ) -> Vec3 {
        match self.seen(slot, filter) {
            Some(_) => narrow::clamp_movement(mover, allowed, [*self.bodies.bounds(slot)]),
            None => allowed,
        }
    }

    /// Appends the bodies that overlap a shape, sorted.
    pub(super) fn append_overlaps(&self, query: &OverlapQuery<'_>, bodies: &mut Vec<BodyId>) {
        let bounds = query.shape.aabb(&query.pose);
        self.append(&bounds, bodies, |slot| self.overlapped(query, slot));
    }

    fn overlapped(&self, query: &OverlapQuery<'_>, slot: u32) -> Option<BodyId> {
        let (id, stored) = self.seen(slot, &query.filter)?;
        let overlaps = self.may_touch(query, slot, stored)
            && narrow::overlaps(query.shape, &query.pose, &stored.shape, &stored.pose);
        overlaps.then_some(id)
    }

    fn collect(&self, bounds: &Aabb, test: impl FnMut(u32) -> Option<BodyId>) -> Vec<BodyId> {
        let mut bodies = Vec::new();
        self.append(bounds, &mut bodies, test);
        bodies
    }

    /// Appends what the test makes of the bodies whose bounds overlap the box, sorted.
    fn append(
        &self,
        bounds: &Aabb,
        bodies: &mut Vec<BodyId>,
        mut test: impl FnMut(u32) -> Option<BodyId>,
    ) {
        let start = bodies.len();
        self.index.overlap(bounds, |slot| {
            bodies.extend(test(slot));
            ControlFlow::Continue(())
        });
        bodies[start..].sort_unstable();
    }
}

/// The smallest cuboid with an f32 centre that holds the box.
///
/// - Degenerate: infinite ends are taken at the largest finite coordinate, where bodies end.
fn placed_box(bounds: &Aabb) -> Option<(Shape, Pose)> {
    let lower = bounds.min().max(Vec3::MIN);
    let upper = bounds.max().min(Vec3::MAX);
    let center = Aabb::new(lower, upper).ok()?.center();
    let half = |axis: usize| {
        let (low, middle, high) = (lower[axis], center[axis], upper[axis]);
        let below = round::sum_up(middle.into(), -f64::from(low));
        let above = round::sum_up(high.into(), -f64::from(middle));
        below.max(above).min(f32::MAX)
    };
    let cuboid = Cuboid::new(Vec3::new(half(0), half(1), half(2))).ok()?;
    Some((cuboid.into(), Pose::from_position(center).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aabb(min: [f32; 3], max: [f32; 3]) -> Aabb {
        Aabb::new(min.into(), max.into()).unwrap()
    }

    #[test]
    fn placed_boxes_hold_the_box() {
        for (min, max) in [(0.1_f32, 0.7_f32), (-3.0, 1e9), (0.3, 0.3), (f32::NEG_INFINITY, 0.1)] {
            let bounds = aabb([min; 3], [max; 3]);
            let (shape, pose) = placed_box(&bounds).unwrap();
            let placed = shape.aabb(&pose);
            assert!(placed.contains(&aabb([min.max(f32::MIN); 3], [max; 3])), "{min} {max}");
        }
    }
}
