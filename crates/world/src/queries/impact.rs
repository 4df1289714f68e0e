//! Shapes that move and turn through the world.

use impinge_narrowphase::{self as narrow, ImpactOptions, Motion, TimeOfImpact};
use impinge_shapes::{Pose, Shape};

use super::Queries;
use super::best::Best;
use crate::{BodyId, BodyImpact, Filter, FirstImpact};

/// A shape that moves and turns, with all that can be said about it.
///
/// ```
/// use impinge_narrowphase::{ImpactOptions, Motion};
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, FirstImpact, ImpactQuery, World};
///
/// let mut world = World::new();
/// let wall = world.insert(Body::fixed(Shape::cuboid(vec3(1.0, 9.0, 9.0))?).at(Vec3::X * 6.0))?;
/// let rod = Shape::cuboid(vec3(2.0, 0.125, 0.125))?;
/// let spinning = Motion::new(Pose::IDENTITY, Vec3::X * 4.0, Vec3::Z * 3.0)?;
/// let options = ImpactOptions { tolerance: Some(0.001), ..ImpactOptions::default() };
/// let query = ImpactQuery::new(&rod, spinning).options(options);
/// let FirstImpact::Touches(hit) = world.queries().time_of_impact_with(&query) else {
///     panic!("it flies into the wall")
/// };
/// // The end of the rod, not its middle, and never beyond the tolerance.
/// let there = spinning.pose_at(hit.fraction);
/// let reach = rod.aabb(&there).max().x;
/// assert!(hit.body == wall && (4.999..=5.001).contains(&reach));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ImpactQuery<'q> {
    /// The mover, in its own frame.
    pub shape: &'q Shape,
    /// Where it starts, how far it goes and how it turns.
    pub motion: Motion,
    /// Tolerance, steps, touch and overlap at the start. A tolerance that is not given is that of
    /// the mover and each body; a mover without extent has the least there is.
    pub options: ImpactOptions,
    /// Which bodies to see.
    pub filter: Filter<'q>,
}

impl<'q> ImpactQuery<'q> {
    /// Against every solid body.
    #[must_use]
    pub fn new(shape: &'q Shape, motion: Motion) -> Self {
        let (options, filter) = (ImpactOptions::default(), Filter::default());
        Self { shape, motion, options, filter }
    }

    /// With other options.
    #[must_use]
    pub fn options(mut self, options: ImpactOptions) -> Self {
        self.options = options;
        self
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'q>) -> Self {
        self.filter = filter;
        self
    }

    /// Largest half extent of the mover; `None` for a point and for a half-space.
    fn extent(&self) -> Option<f64> {
        let bounds = self.shape.aabb(&Pose::IDENTITY);
        let extent = bounds.max().as_dvec3() - bounds.min().as_dvec3();
        let half = extent.max_element() * 0.5;
        (half.is_finite() && half > 0.0).then_some(half)
    }
}

impl Queries<'_> {
    /// The first body that a moving and turning shape touches, all bodies being at rest.
    ///
    /// - Normal: out of the body, at the time of the touch.
    /// - Error, Degenerate: as [`time_of_impact`](impinge_narrowphase::time_of_impact): never later
    ///   than the exact time, and nothing is passed deeper than the tolerance.
    /// - Ties: the smaller body.
    ///
    /// ```
    /// use impinge_narrowphase::Motion;
    /// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, Filter, FirstImpact, World};
    ///
    /// // A rod turns by half a turn and meets the ball beside it.
    /// let mut world = World::new();
    /// let ball = world.insert(Body::fixed(Shape::sphere(0.25)?).at(vec3(0.0, 1.5, 0.0)))?;
    /// let rod = Shape::cuboid(vec3(2.0, 0.125, 0.125))?;
    /// let turning = Motion::new(Pose::IDENTITY, Vec3::ZERO, Vec3::Z * std::f32::consts::PI)?;
    /// let first = world.queries().time_of_impact(&rod, &turning, &Filter::default());
    /// let FirstImpact::Touches(hit) = first else { panic!("they meet") };
    /// assert_eq!(hit.body, ball);
    /// assert!(hit.fraction > 0.41 && hit.fraction < 0.42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn time_of_impact(
        &self,
        shape: &Shape,
        motion: &Motion,
        filter: &Filter<'_>,
    ) -> FirstImpact {
        self.time_of_impact_with(&ImpactQuery::new(shape, *motion).filter(*filter))
    }

    /// [`Queries::time_of_impact`] with options.
    #[must_use]
    pub fn time_of_impact_with(&self, query: &ImpactQuery<'_>) -> FirstImpact {
        let mut best: Option<BodyImpact> = None;
        let mut safe = f32::INFINITY;
        let extent = query.extent();
        // What the narrow phase may take for a touch from a distance, the bounds must let through.
        let tolerance = match (query.options.tolerance, extent) {
            (Some(tolerance), _) => f64::from(tolerance).max(0.0),
            (None, extent) => extent.unwrap_or(0.0) * narrow::tolerance::IMPACT,
        };
        let none_given = query.options.tolerance.is_none() && extent.is_none();
        let least = ImpactOptions { tolerance: Some(0.0), ..query.options };
        let options = if none_given { least } else { query.options };
        let bounds = query.motion.turning_bounds(query.shape, tolerance);
        self.index.cast(&bounds, query.motion.displacement(), 1.0, |slot, _| {
            match self.impact(query, &options, slot) {
                Some((body, TimeOfImpact::Touches(hit))) => best.offer(BodyImpact::new(body, hit)),
                Some((_, TimeOfImpact::Unconverged { safe: known })) => safe = safe.min(known),
                _ => {}
            }
            // What comes after a time that is not known changes nothing.
            best.reach(1.0).min(safe)
        });
        match best {
            Some(hit) if hit.fraction <= safe => FirstImpact::Touches(hit),
            _ if safe < f32::INFINITY => FirstImpact::Unconverged { safe },
            _ => FirstImpact::Apart,
        }
    }

    fn impact(
        &self,
        query: &ImpactQuery<'_>,
        options: &ImpactOptions,
        slot: u32,
    ) -> Option<(BodyId, TimeOfImpact)> {
        let (body, stored) = self.seen(slot, &query.filter)?;
        let resting = Motion::still(stored.pose);
        let found =
            narrow::time_of_impact(&stored.shape, &resting, query.shape, &query.motion, options);
        Some((body, found))
    }
}
