//! Moving shapes through the world.

use std::slice::from_ref;

use impinge_broadphase::Cast;
use impinge_narrowphase::sweep_bounds::SweepBounds;
use impinge_narrowphase::{self as narrow, SweepOptions};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Aabb, Pose, Shape, round};

use super::best::Best;
use super::ray::STOP;
use super::{Queries, lists};
use crate::body::Stored;
use crate::tolerance::{SWEEP_ROOM, TAMEST, TURNED_BOUNDS};
use crate::{BodyId, Filter, SweepHit};

/// A moving shape with all that can be said about it.
///
/// ```
/// use impinge_narrowphase::SweepOptions;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, SweepQuery, World};
///
/// // A ball that rests on the floor slides along it towards a wall.
/// let mut world = World::new();
/// let floor = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let wall = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(Vec3::X * 5.0))?;
/// let ball = Shape::sphere(0.5)?;
/// let slide = SweepQuery::new(&ball, Pose::from_position(Vec3::Y * 0.5)?, Vec3::X * 7.0);
/// let hit = world.queries().sweep_with(&slide).unwrap();
/// assert_eq!((hit.body, hit.fraction), (wall, 0.5));
///
/// let sticky = SweepOptions { stop_on_touch: true, ..SweepOptions::default() };
/// let hit = world.queries().sweep_with(&slide.options(sticky)).unwrap();
/// assert_eq!((hit.body, hit.fraction), (floor, 0.0));
/// assert!(!world.queries().sweep_any_with(&slide.filter(Filter::new().exclude(wall))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SweepQuery<'q> {
    /// The mover, in its own frame.
    pub shape: &'q Shape,
    /// Where it starts.
    pub pose: Pose,
    /// How far it goes, without turning.
    pub displacement: Vec3,
    /// Touch and overlap at the start.
    pub options: SweepOptions,
    /// Which bodies to see.
    pub filter: Filter<'q>,
}

impl<'q> SweepQuery<'q> {
    /// Against every solid body.
    #[must_use]
    pub fn new(shape: &'q Shape, pose: Pose, displacement: Vec3) -> Self {
        let (options, filter) = (SweepOptions::default(), Filter::default());
        Self { shape, pose, displacement, options, filter }
    }

    /// With other options.
    #[must_use]
    pub fn options(mut self, options: SweepOptions) -> Self {
        self.options = options;
        self
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'q>) -> Self {
        self.filter = filter;
        self
    }
}

impl SweepQuery<'_> {
    /// What the index sees of the query.
    pub(super) fn cast(&self) -> Cast {
        let displacement = self.displacement;
        if !displacement.is_finite() {
            let (mover, displacement) = (Aabb::EVERYTHING, Vec3::ZERO);
            return Cast::new(mover, displacement, -1.0);
        }
        let way = displacement.as_dvec3().abs();
        let mover = self.roomy_bounds(way).unwrap_or_else(|| {
            let bounds = self.shape.aabb(&self.pose);
            let extent = bounds.max().as_dvec3() - bounds.min().as_dvec3();
            bounds.inflate(round::up((extent + way).element_sum() * SWEEP_ROOM))
        });
        Cast::new(mover, displacement, 1.0)
    }

    /// The mover's bounds with their room, rounded outward once, where that is quickly done.
    fn roomy_bounds(&self, way: DVec3) -> Option<Aabb> {
        let reach = match self.shape {
            Shape::Sphere(sphere) => DVec3::splat(sphere.radius().into()),
            Shape::Cuboid(cuboid) => half_lengths(cuboid.half_extents(), self.pose.rotation())?,
            _ => return None,
        };
        let half = reach + (reach * 2.0 + way).element_sum() * SWEEP_ROOM;
        let centre = self.pose.translation();
        let lower = |axis: usize| round::sum_down(centre[axis], -half[axis]);
        let upper = |axis: usize| round::sum_up(centre[axis], half[axis]);
        let min = Vec3::new(lower(0), lower(1), lower(2));
        Aabb::new(min, Vec3::new(upper(0), upper(1), upper(2))).ok()
    }

    /// [`SweepQuery::at`] of a body of which bounds are known.
    pub(super) fn within(
        &self,
        body: BodyId,
        stored: &Stored,
        bounds: &SweepBounds,
    ) -> Option<SweepHit> {
        let (target, target_pose) = (&stored.shape, &stored.pose);
        let (way, options) = (self.displacement, &self.options);
        let (mover, pose) = (self.shape, &self.pose);
        let hit = narrow::sweep_within(mover, pose, way, target, target_pose, options, bounds)?;
        Some(SweepHit::new(body, hit))
    }

    /// Where it hits this body.
    fn at(&self, body: BodyId, stored: &Stored) -> Option<SweepHit> {
        let (target, target_pose) = (&stored.shape, &stored.pose);
        let (way, options) = (self.displacement, &self.options);
        let hit = narrow::sweep(self.shape, &self.pose, way, target, target_pose, options)?;
        Some(SweepHit::new(body, hit))
    }
}

impl Queries<'_> {
    /// The first body that a moving shape touches.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, Filter, World};
    ///
    /// let mut world = World::new();
    /// let wall = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(vec3(5.0, 0.0, 0.0)))?;
    /// let ball = Shape::sphere(1.0)?;
    /// let queries = world.queries();
    /// let hit = queries.sweep(&ball, &Pose::IDENTITY, vec3(6.0, 0.0, 0.0), &Filter::default());
    /// let hit = hit.unwrap();
    /// assert_eq!((hit.body, hit.fraction, hit.normal), (wall, 0.5, Vec3::NEG_X));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sweep(
        &self,
        shape: &Shape,
        pose: &Pose,
        displacement: Vec3,
        filter: &Filter<'_>,
    ) -> Option<SweepHit> {
        self.sweep_with(&SweepQuery::new(shape, *pose, displacement).filter(*filter))
    }

    /// Whether a moving shape touches any body.
    #[must_use]
    pub fn sweep_any(
        &self,
        shape: &Shape,
        pose: &Pose,
        displacement: Vec3,
        filter: &Filter<'_>,
    ) -> bool {
        self.sweep_any_with(&SweepQuery::new(shape, *pose, displacement).filter(*filter))
    }

    /// Every body that a moving shape touches on its way, by fraction; `hits` is overwritten.
    pub fn sweep_all(
        &self,
        shape: &Shape,
        pose: &Pose,
        displacement: Vec3,
        filter: &Filter<'_>,
        hits: &mut Vec<SweepHit>,
    ) {
        self.sweep_all_with(&SweepQuery::new(shape, *pose, displacement).filter(*filter), hits);
    }

    /// [`Queries::sweep`] with options.
    #[must_use]
    pub fn sweep_with(&self, query: &SweepQuery<'_>) -> Option<SweepHit> {
        let mut best: Option<SweepHit> = None;
        self.on_the_way(query, |slot, cast| {
            if let Some((body, stored)) = self.seen(slot, &query.filter) {
                // Nothing comes before what is hit at once but a body with a smaller id.
                let beaten = best.is_some_and(|best| best.fraction <= 0.0 && best.body < body);
                if !beaten && let Some(hit) = self.sweep_at(query, cast, body, stored) {
                    best.offer(hit);
                }
            }
            best.reach(1.0)
        });
        best
    }

    /// [`Queries::sweep_any`] with options.
    #[must_use]
    pub fn sweep_any_with(&self, query: &SweepQuery<'_>) -> bool {
        let mut is_hit = false;
        self.on_the_way(query, |slot, cast| {
            let seen = self.seen(slot, &query.filter);
            is_hit = seen
                .is_some_and(|(body, stored)| self.sweep_at(query, cast, body, stored).is_some());
            if is_hit { STOP } else { 1.0 }
        });
        is_hit
    }

    /// [`Queries::sweep_all`] with options.
    pub fn sweep_all_with(&self, query: &SweepQuery<'_>, hits: &mut Vec<SweepHit>) {
        hits.clear();
        self.append_sweep_hits(query, hits);
    }

    /// Appends every hit of a moving shape, sorted.
    pub(super) fn append_sweep_hits(&self, query: &SweepQuery<'_>, hits: &mut Vec<SweepHit>) {
        lists::append(hits, |found| self.sweep_all_many(from_ref(query), found));
    }

    /// Where a mover hits a body.
    pub(super) fn sweep_at(
        &self,
        query: &SweepQuery<'_>,
        cast: &Cast,
        body: BodyId,
        stored: &Stored,
    ) -> Option<SweepHit> {
        let hit = query.at(body, stored)?;
        query.hit_within(cast, hit, &stored.shape, self.bodies.bounds(body.index()))
    }

    /// Visits the bodies whose bounds the mover's bounds meet, up to the fraction that the visits
    /// return.
    fn on_the_way(&self, query: &SweepQuery<'_>, mut visit: impl FnMut(u32, &Cast) -> f32) {
        let cast = query.cast();
        let Cast { mover, displacement, max_fraction, .. } = &cast;
        self.index.cast(mover, *displacement, *max_fraction, |slot, _| visit(slot, &cast));
    }
}

/// Half lengths along the world's axes of a box that is turned, or a little more.
///
/// - Error: see [`TURNED_BOUNDS`]. `None` where numbers might underflow or overflow.
fn half_lengths(half: Vec3, rotation: Quat) -> Option<DVec3> {
    let [x, y, z, w] = rotation.to_array();
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let n = (xx + yy) + (zz + ww);
    let size = half.x + half.y + half.z;
    let is_tame = |number: f32| (TAMEST..=1.0 / TAMEST).contains(&number);
    if !is_tame(n) || !is_tame(size) {
        return None;
    }
    let share = 1.0 / n;
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let along = |x: f32, y: f32, z: f32| {
        f64::from(x.abs() * half.x + y.abs() * half.y + z.abs() * half.z) * f64::from(share)
    };
    let reach = DVec3::new(
        along((ww + xx) - (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)),
        along(2.0 * (xy + wz), (ww + yy) - (xx + zz), 2.0 * (yz - wx)),
        along(2.0 * (xz - wy), 2.0 * (yz + wx), (ww + zz) - (xx + yy)),
    );
    Some(reach + f64::from(size) * TURNED_BOUNDS)
}
