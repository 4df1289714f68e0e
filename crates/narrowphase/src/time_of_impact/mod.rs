//! First touch of two shapes that move and turn.

mod advance;
mod course;
mod reach;

use std::ops::ControlFlow;

use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape, round};

use self::advance::{Outcome, advance};
use self::course::{Axis, Course, Ground, Mover, Track};
use crate::dispatch::{Pair, Simple};
use crate::motion::turned;
use crate::parts::{self, Leaf};
use crate::{Motion, Relation, surface, tolerance};

/// How a time of impact is found.
///
/// ```
/// use impinge_narrowphase::{ImpactOptions, Motion, TimeOfImpact, time_of_impact};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (floor, cube) = (Shape::half_space(Vec3::Y, 0.0)?, Shape::cuboid(Vec3::ONE)?);
/// let rest = Motion::still(Pose::IDENTITY);
/// let fall = Motion::new(Pose::from_position(Vec3::Y * 3.0)?, Vec3::Y * -2.0, Vec3::Z)?;
/// let at = |tolerance| {
///     let options = ImpactOptions { tolerance: Some(tolerance), ..ImpactOptions::default() };
///     match time_of_impact(&floor, &rest, &cube, &fall, &options) {
///         TimeOfImpact::Touches(hit) => hit.fraction,
///         _ => f32::NAN,
///     }
/// };
/// // A smaller tolerance comes nearer to the exact time, never past it.
/// assert!(at(0.1) <= at(1e-4) && at(1e-4) <= at(1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ImpactOptions {
    /// Depth up to which a penetration may be overlooked, and distance from which an approach
    /// counts as a touch. `None` is [`tolerance::IMPACT`] of the largest half extent of the smaller
    /// shape.
    ///
    /// Less than [`tolerance::LEAST_IMPACT`] of the lengths of the pair and its motion counts as
    /// that; so does a number that is NaN.
    pub tolerance: Option<f32>,
    /// Most steps for each pair of simple shapes.
    pub max_iterations: u32,
    /// Touching at the start and moving apart or along is a hit at fraction 0.
    pub stop_on_touch: bool,
    /// Leave out simple shapes that overlap at the start.
    pub skip_started: bool,
}

impl Default for ImpactOptions {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_iterations: tolerance::IMPACT_ITERATIONS,
            stop_on_touch: false,
            skip_started: false,
        }
    }
}

/// Whether and when two moving shapes touch.
///
/// ```
/// use impinge_narrowphase::{ImpactOptions, Motion, TimeOfImpact, time_of_impact};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// // Both bodies move and turn.
/// let rod = Shape::capsule_along_y(1.0, 0.25)?;
/// let left = Motion::new(Pose::from_position(Vec3::X * -3.0)?, Vec3::X * 2.5, Vec3::Z * 4.0)?;
/// let right = Motion::new(Pose::from_position(Vec3::X * 3.0)?, Vec3::X * -2.5, Vec3::Z * -4.0)?;
/// let found = time_of_impact(&rod, &left, &rod, &right, &ImpactOptions::default());
/// assert!(matches!(found, TimeOfImpact::Touches(hit) if hit.fraction > 0.1));
///
/// let few = ImpactOptions { max_iterations: 1, ..ImpactOptions::default() };
/// let unsure = time_of_impact(&rod, &left, &rod, &right, &few);
/// let TimeOfImpact::Unconverged { safe } = unsure else { panic!("one step does not do") };
/// assert!(matches!(found, TimeOfImpact::Touches(hit) if safe <= hit.fraction));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TimeOfImpact {
    /// They never penetrate deeper than the tolerance.
    Apart,
    /// They come to touch.
    Touches(ImpactHit),
    /// The steps were used up: up to the time `safe` they do not penetrate deeper than the
    /// tolerance, and what comes after is not known.
    Unconverged {
        /// Part of the motion, in `[0, 1]`.
        safe: f32,
    },
}

/// Where two moving shapes first touch.
///
/// ```
/// use impinge_narrowphase::{ImpactOptions, Motion, TimeOfImpact, time_of_impact};
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
///
/// let (floor, ball) = (Shape::half_space(Vec3::Y, 0.0)?, Shape::sphere(1.0)?);
/// let rest = Motion::still(Pose::IDENTITY);
/// let fall = Motion::new(Pose::from_position(Vec3::Y * 3.0)?, Vec3::Y * -4.0, Vec3::X)?;
/// let found = time_of_impact(&floor, &rest, &ball, &fall, &ImpactOptions::default());
/// let TimeOfImpact::Touches(hit) = found else { panic!("it lands") };
/// assert_eq!(hit.normal, Vec3::Y); // from the floor to the ball
/// assert!(hit.fraction <= 0.5 && hit.fraction > 0.499);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ImpactHit {
    /// Part of the motion done at the touch, in `[0, 1]`.
    pub fraction: f32,
    /// Unit, from A to B, in the world at the touch.
    pub normal: Vec3,
    /// World point of the touch.
    pub point: Vec3,
    /// The shapes overlap at the start; `fraction` is 0 and `depth` says how deep.
    pub started_overlapping: bool,
    /// Depth of the overlap at the start, 0 otherwise.
    pub depth: f32,
    /// Part of A, 0 for a simple shape.
    pub part_a: u32,
    /// Part of B, 0 for a simple shape.
    pub part_b: u32,
}

/// When two shapes that move and turn first touch.
///
/// A turn of any angle is followed all the way: nothing is sampled, and no thin shape is passed.
///
/// - Frame: the result is in the world.
/// - Normal: from A to B, at the time of the touch. At an edge within a mesh or a height field it
///   is the triangle's.
/// - Error: `fraction` is never later than the exact time of impact, up to the rounding of f64:
///   there the two are no farther apart than the tolerance, and up to there they have penetrated
///   nowhere deeper than it. Touching or as near as the tolerance and moving apart or along is no
///   touch, nor is sinking in from there by less than the tolerance and coming out again;
///   approaching within the tolerance is one, even if the path would just pass.
/// - Ties: the deeper of two overlaps at the start, then the first pair of parts, A's first.
/// - Degenerate: two bodies of which neither moves are tested for overlap, touching included. A
///   half-space that turns off another penetrates it at once.
/// - Source: conservative advancement, Mirtich (1996); Zhang, Redon, Lee & Kim (2007).
///
/// ```
/// use impinge_narrowphase::{ImpactOptions, Motion, TimeOfImpact, time_of_impact};
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
///
/// // A rod of length 4 turns by half a turn and meets a ball beside it after a quarter.
/// let rod = Shape::cuboid(vec3(2.0, 0.125, 0.125))?;
/// let turning = Motion::new(Pose::IDENTITY, Vec3::ZERO, Vec3::Z * std::f32::consts::PI)?;
/// let ball = Shape::sphere(0.25)?;
/// let resting = Motion::still(Pose::from_position(vec3(0.0, 1.5, 0.0))?);
/// let options = ImpactOptions::default();
/// let TimeOfImpact::Touches(hit) = time_of_impact(&rod, &turning, &ball, &resting, &options)
/// else { panic!("they meet") };
/// assert!(hit.fraction > 0.41 && hit.fraction < 0.42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn time_of_impact(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &ImpactOptions,
) -> TimeOfImpact {
    let mut search = Search {
        motions: [motion_a, motion_b],
        options,
        tolerance: allowed(a, b, options),
        best: None,
        safe: f64::INFINITY,
    };
    if let (Some(a), Some(b)) = (Simple::of(a), Simple::of(b)) {
        search.visit(&Leaf::whole(a, motion_a.pose()), &Leaf::whole(b, motion_b.pose()));
        return search.answer();
    }
    let passed = reach::passed(&b.aabb(motion_b.pose()), motion_b, motion_a);
    let _ = parts::for_each_leaf(a, motion_a.pose(), &passed, &mut |leaf_a| {
        let passed = reach::passed(&leaf_a.aabb(), motion_a, motion_b);
        parts::for_each_leaf(b, motion_b.pose(), &passed, &mut |leaf_b| {
            search.visit(&leaf_a, &leaf_b);
            ControlFlow::Continue(())
        })
    });
    search.answer()
}

/// The tolerance asked for, or that of the smaller shape; of the larger where that is a point.
fn allowed(a: &Shape, b: &Shape, options: &ImpactOptions) -> f64 {
    if let Some(tolerance) = options.tolerance {
        return f64::from(tolerance).max(0.0);
    }
    let size = |shape: &Shape| {
        let bounds = shape.aabb(&Pose::IDENTITY);
        let extent = bounds.max().as_dvec3() - bounds.min().as_dvec3();
        let half = extent.max_element() * 0.5;
        if half.is_finite() && half > 0.0 { Some(half) } else { None }
    };
    let sizes = [size(a), size(b)].into_iter().flatten();
    sizes.reduce(f64::min).unwrap_or(0.0) * tolerance::IMPACT
}

/// A hit with the time before it is rounded.
#[derive(Clone, Copy)]
struct Found {
    time: f64,
    hit: ImpactHit,
}

impl Found {
    /// Earlier, or as early and deeper, or as deep and of parts that come first.
    fn is_before(&self, other: &Self) -> bool {
        let key = |x: &Self| (x.time, -x.hit.depth);
        let parts = |x: &Self| (x.hit.part_a, x.hit.part_b);
        key(self) < key(other) || (key(self) <= key(other) && parts(self) < parts(other))
    }
}

/// The earliest touch of the pairs seen so far.
struct Search<'a> {
    motions: [&'a Motion; 2],
    options: &'a ImpactOptions,
    tolerance: f64,
    best: Option<Found>,
    /// Least time up to which a pair that did not converge is known.
    safe: f64,
}

impl Search<'_> {
    fn answer(&self) -> TimeOfImpact {
        match self.best {
            Some(best) if best.time <= self.safe => TimeOfImpact::Touches(best.hit),
            _ if self.safe < f64::INFINITY => {
                TimeOfImpact::Unconverged { safe: round::down(self.safe) }
            }
            _ => TimeOfImpact::Apart,
        }
    }

    fn visit(&mut self, a: &Leaf<'_>, b: &Leaf<'_>) {
        if let Some(found) = self.touch(a, b)
            && self.best.is_none_or(|best| found.is_before(&best))
        {
            self.best = Some(found);
        }
    }

    fn touch(&mut self, a: &Leaf<'_>, b: &Leaf<'_>) -> Option<Found> {
        let (pair, flipped) = Pair::of(&a.simple, &b.simple);
        let at = pair.frame(&a.pose, &b.pose, flipped);
        let relation = pair.relation(&at);
        let started = relation == Relation::Penetrating;
        if started && self.options.skip_started {
            return None;
        }
        let stops = self.options.stop_on_touch || self.motions.iter().all(|m| m.is_still());
        if started || (relation == Relation::Touching && stops) {
            let found = pair.closest(&at);
            let found = if flipped { found.flipped() } else { found };
            let axis = Axis {
                normal: at.vector_to_world(found.normal),
                point: at.point_to_world((found.point_a + found.point_b) * 0.5),
            };
            let depth = if started { (-found.distance).max(0.0) } else { 0.0 };
            return Some(self.found(a, b, 0.0, &axis, Some(depth).filter(|_| started)));
        }
        let origin = self.motions[0].world_center();
        let track = |leaf: &Leaf<'_>, motion: &Motion| {
            Track::new(motion, (leaf.pose.rotation_matrix(), leaf.pose.translation()), origin)
        };
        let tracks = (track(a, self.motions[0]), track(b, self.motions[1]));
        let (course, outward) = match (&a.simple, &b.simple) {
            (Simple::HalfSpace(half_a), Simple::HalfSpace(half_b)) => {
                let (ground, other) =
                    (Ground::new(tracks.0, half_a), Ground::new(tracks.1, half_b));
                let foot = Mover::new(other.foot(), Core::Point.into());
                let course = Course::Ground(ground, foot);
                if !ground.stays_opposite(&other) {
                    let axis = course.axis(0.0, None);
                    let axis = Axis { point: axis.point + origin, ..axis };
                    return Some(self.found(a, b, 0.0, &axis, None));
                }
                (course, 1.0)
            }
            (Simple::HalfSpace(half), other) => {
                (Course::Ground(Ground::new(tracks.0, half), mover(tracks.1, other)), 1.0)
            }
            (other, Simple::HalfSpace(half)) => {
                (Course::Ground(Ground::new(tracks.1, half), mover(tracks.0, other)), -1.0)
            }
            (one, other) => (Course::Solids(mover(tracks.0, one), mover(tracks.1, other)), 1.0),
        };
        let size = course.size();
        let least = tolerance::LEAST_IMPACT * size;
        let allowed = self.tolerance.max(least).min(size.max(least));
        let until = self.best.map_or(1.0, |best| best.time);
        match advance(&course, allowed, until, self.options.max_iterations) {
            Outcome::Apart => None,
            Outcome::Unconverged { safe } => {
                self.safe = self.safe.min(safe);
                None
            }
            Outcome::Touches { time, axis } => {
                let axis = Axis { normal: axis.normal * outward, point: axis.point + origin };
                Some(self.found(a, b, time, &axis, None))
            }
        }
    }

    /// A touch at a world point; `depth` is that of an overlap at the start.
    fn found(
        &self,
        a: &Leaf<'_>,
        b: &Leaf<'_>,
        time: f64,
        axis: &Axis,
        depth: Option<f64>,
    ) -> Found {
        let [motion_a, motion_b] = self.motions;
        let mut normal = axis.normal;
        // The edges of a surface are known where it was at the start.
        for (leaf, motion, side) in [(a, motion_a, 1.0), (b, motion_b, -1.0)] {
            let (axis_of_turn, angle) = motion.axis_and_angle();
            let turn = turned(axis_of_turn, angle * time);
            let center = motion.world_center();
            let travel = motion.displacement().as_dvec3() * time;
            let place = turn.transpose() * (axis.point - travel - center) + center;
            let outward = turn.transpose() * (normal * side);
            normal = turn * surface::smoothed_normal(outward, place, leaf, -outward) * side;
        }
        let hit = ImpactHit {
            fraction: round::down(time),
            normal: round::nearest_vec(normal),
            point: round::nearest_vec(axis.point),
            started_overlapping: depth.is_some(),
            depth: round::nearest(depth.unwrap_or(0.0)),
            part_a: a.part,
            part_b: b.part,
        };
        Found { time, hit }
    }
}

/// The solid of a shape that is no half-space.
fn mover<'a>(track: Track, shape: &Simple<'a>) -> Mover<'a> {
    let solid: Solid<'a> = shape.solid().unwrap_or_else(|| Core::Point.into());
    Mover::new(track, solid)
}
