//! Planes through the world.

use impinge_shapes::{Plane, PlaneSide};

use super::Queries;
use crate::{BodyId, Filter, PlaneSplit};

impl Queries<'_> {
    /// The bodies that touch a plane, in the order of ids.
    #[must_use]
    pub fn overlap_plane(&self, plane: &Plane, filter: &Filter<'_>) -> Vec<BodyId> {
        let mut bodies = Vec::new();
        self.index.plane(plane, |slot, side| {
            if side == PlaneSide::Straddling
                && let Some((body, stored)) = self.seen(slot, filter)
                && stored.shape.classify(&stored.pose, plane) == PlaneSide::Straddling
            {
                bodies.push(body);
            }
        });
        bodies.sort_unstable();
        bodies
    }

    /// All bodies by side of a plane.
    ///
    /// ```
    /// use impinge_shapes::{Plane, Shape, glam::Vec3};
    /// use impinge_world::{Body, Filter, World};
    ///
    /// let mut world = World::new();
    /// let above = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::Y * 5.0))?;
    /// let on = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::Y))?;
    /// let sides = world.queries().classify_plane(&Plane::new(Vec3::Y, 0.0)?, &Filter::default());
    /// assert_eq!((sides.front, sides.straddling), (vec![above], vec![on]));
    /// assert!(sides.behind.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn classify_plane(&self, plane: &Plane, filter: &Filter<'_>) -> PlaneSplit {
        let mut split = PlaneSplit::default();
        self.index.plane(plane, |slot, side| {
            let Some((body, stored)) = self.seen(slot, filter) else { return };
            let side = match side {
                PlaneSide::Straddling => stored.shape.classify(&stored.pose, plane),
                clear => clear,
            };
            match side {
                PlaneSide::Front => split.front.push(body),
                PlaneSide::Straddling => split.straddling.push(body),
                PlaneSide::Behind => split.behind.push(body),
            }
        });
        split.front.sort_unstable();
        split.straddling.sort_unstable();
        split.behind.sort_unstable();
        split
    }

    /// The bodies that no single one of the planes puts outside, in the order of ids; inside is
    /// in front of every plane.
    ///
    /// - Error: bodies that lie outside are found when they lie behind none of the planes alone,
    ///   near an edge of the frustum. No body inside is ever left out.
    /// - Degenerate: no planes leave everything inside.
    #[must_use]
    pub fn overlap_frustum(&self, planes: &[Plane], filter: &Filter<'_>) -> Vec<BodyId> {
        let mut bodies = Vec::new();
        let mut offer = |slot: u32, planes: &[Plane]| {
            let Some((body, stored)) = self.seen(slot, filter) else { return };
            let behind = |plane| stored.shape.classify(&stored.pose, plane) == PlaneSide::Behind;
            if !planes.iter().any(behind) {
                bodies.push(body);
            }
        };
        match planes {
            [] => self.index.for_each(|slot| offer(slot, &[])),
            [first, rest @ ..] => self.index.plane(first, |slot, side| match side {
                PlaneSide::Front => offer(slot, rest),
                PlaneSide::Straddling => offer(slot, planes),
                PlaneSide::Behind => {}
            }),
        }
        bodies.sort_unstable();
        bodies
    }
}
