//! A cylinder around the origin of its frame.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::ball::Quadratic;
use crate::crossing::{self, Found, Limits, Pass};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector, square_root};
use crate::local::{LocalPoint, LocalRay};
use crate::miss;
use crate::span::{End, LineSpan, Mark};
use crate::tracked::Tracked;
use crate::{
    Aabb, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions, ShapeRayHit,
    round, tolerance,
};

/// The points with `|y| ≤ half_height` and `x² + z² ≤ radius²` in the shape's frame.
///
/// ```
/// use impinge_shapes::{Cylinder, Pose, Ray, RayOptions};
/// use glam::Vec3;
///
/// let drum = Cylinder::new(1.0, 2.0)?;
/// let pose = Pose::from_position(Vec3::new(0.0, 5.0, 0.0)).unwrap();
/// let along = Ray::new(Vec3::new(-9.0, 6.0, 0.0), Vec3::X).unwrap();
/// let hit = drum.raycast(&pose, &along, 100.0, &RayOptions::default()).unwrap();
/// assert_eq!((hit.distance, hit.normal), (7.0, Vec3::NEG_X)); // grazing the top counts
/// # Ok::<(), impinge_shapes::CylinderError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_height: f32,
    radius: f32,
}

/// Why a [`Cylinder`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CylinderError {
    /// The half height is negative, NaN or infinite.
    #[error("half_height: must be finite and not negative, got {0}")]
    HalfHeight(f32),
    /// The radius is negative, NaN or infinite.
    #[error("radius: must be finite and not negative, got {0}")]
    Radius(f32),
}

impl Cylinder {
    /// A cylinder along Y; half height 0 makes it a disc, radius 0 a segment, both a point.
    ///
    /// # Errors
    /// A half height or radius that is negative, NaN or infinite.
    pub fn new(half_height: f32, radius: f32) -> Result<Self, CylinderError> {
        if !(half_height.is_finite() && half_height >= 0.0) {
            return Err(CylinderError::HalfHeight(half_height));
        }
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(CylinderError::Radius(radius));
        }
        Ok(Self { half_height: half_height.abs(), radius: radius.abs() })
    }

    /// Half of the height.
    #[must_use]
    #[inline]
    pub fn half_height(&self) -> f32 {
        self.half_height
    }

    /// Radius.
    #[must_use]
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// See [`Shape::aabb`](crate::Shape::aabb).
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let rows = pose.rotation_matrix().transpose();
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let slack = if pose.permutes_axes() { 0.0 } else { (h + r) * tolerance::ROTATED_BOUNDS };
        let reach = |row: DVec3| row.y.abs() * h + disc_reach(row) * r + slack;
        let half = DVec3::new(reach(rows.x_axis), reach(rows.y_axis), reach(rows.z_axis));
        let c = pose.translation();
        let lower = |axis: usize| round::sum_down(c[axis], -half[axis]);
        let upper = |axis: usize| round::sum_up(c[axis], half[axis]);
        Aabb::from_sorted(
            Vec3::new(lower(0), lower(1), lower(2)),
            Vec3::new(upper(0), upper(1), upper(2)),
        )
    }

    /// See [`Shape::support`](crate::Shape::support).
    #[must_use]
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let h = f64::from(self.half_height);
        let rim = DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero();
        let y = if direction.y > 0.0 { h } else { -h };
        rim * f64::from(self.radius) + DVec3::Y * y
    }

    /// The way to a point of its frame from the nearest one of the cylinder, which may be that itself.
    ///
    /// - Error: two roundings of the distances from the cap and from the side, so that no part of
    ///   the cylinder lies beyond the plane across it.
    pub(crate) fn way_to(&self, point: DVec3) -> DVec3 {
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let sideways = DVec3::new(point.x, 0.0, point.z);
        let out = sideways.length();
        let share = if out > r { (out - r) / out } else { 0.0 };
        sideways * share + DVec3::Y * (point.y - point.y.clamp(-h, h))
    }

    /// See [`Shape::raycast`](crate::Shape::raycast).
    ///
    /// - Ties: on the rim the cap, not the side.
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let limits = Limits::new(max_distance, options)?;
        let half = Vec3::new(self.radius, self.half_height, self.radius);
        if miss::clearly(pose, half, ray, max_distance) {
            return None;
        }
        self.find(pose, ray, &limits)?.hit(ray, &limits)
    }

    fn find(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        self.probe::<Approx>(pose, ray, limits)
            .or_else(|| self.probe::<Tracked>(pose, ray, limits))
            .or_else(|| self.probe::<Exact>(pose, ray, limits))
    }

    pub(crate) fn probe<N: Number>(
        &self,
        pose: &Pose,
        ray: &Ray,
        limits: &Limits,
    ) -> Option<Found> {
        let local = LocalRay::<N>::new(pose, ray);
        let Some(span) = self.span(&local)? else { return Some(Found::Miss) };
        span.probe(limits, |end, leaving| {
            Some(pose.rotation_matrix() * self.outward(&local, end, leaving)?)
        })
    }

    /// See [`Shape::crossings`](crate::Shape::crossings).
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        crossing::crossings(
            ray,
            max_distance,
            |limits| self.find(pose, ray, limits),
            |max| {
                self.leave::<Approx>(pose, ray, max)
                    .or_else(|| self.leave::<Tracked>(pose, ray, max))
                    .or_else(|| self.leave::<Exact>(pose, ray, max))
                    .flatten()
            },
        )
    }

    fn leave<N: Number>(&self, pose: &Pose, ray: &Ray, max: Option<f64>) -> Option<Option<Pass>> {
        let local = LocalRay::<N>::new(pose, ray);
        let Some(span) = self.span(&local)? else { return Some(None) };
        span.leave(max, |end| Some(pose.rotation_matrix() * self.outward(&local, end, true)?))
    }

    /// The part of the ray's line in the cylinder: between two planes and in a round column.
    fn span<N: Number>(&self, ray: &LocalRay<N>) -> Option<Option<LineSpan<N>>> {
        let Vector([_, y, _]) = &ray.start.from;
        let Vector([_, slope, _]) = &ray.direction;
        let height = ray.start.length(self.half_height);
        let caps = match slope.known_sign()? {
            Ordering::Equal => {
                if !y.magnitude().at_most(&height)? {
                    return Some(None);
                }
                [None, None]
            }
            // Reflected, so that the ray ascends.
            sign => {
                let (y, slope) = if sign == Ordering::Less {
                    (y.negated(), slope.negated())
                } else {
                    (y.clone(), slope.clone())
                };
                let (near, far) = (height.plus(&y).negated(), height.minus(&y));
                [Some((near, slope.clone())), Some((far, slope))]
            }
        };
        let column = Column::new(ray, self.radius);
        if column.a.known_sign()? == Ordering::Equal {
            if column.c.known_sign()? == Ordering::Greater {
                return Some(None);
            }
            return LineSpan::common(None, caps, [None, None]);
        }
        let discriminant = column.discriminant();
        if discriminant.known_sign()? == Ordering::Less {
            return Some(None);
        }
        let Column { a, b, c, .. } = column;
        let quadric = Quadratic { a, b, c, discriminant };
        LineSpan::common(Some(quadric), caps, [Some(Mark::Low), Some(Mark::High)])
    }

    /// The outward normal at an end of the span.
    fn outward<N: Number>(&self, ray: &LocalRay<N>, end: &End<N>, leaving: bool) -> Option<DVec3> {
        let side = if leaving { 1.0 } else { -1.0 };
        let direction = ray.direction.value() * side;
        if end.on_cap {
            let is_point = self.radius <= 0.0 && self.half_height <= 0.0;
            return Some(if is_point { direction } else { DVec3::Y * direction.y.signum() });
        }
        Column::new(ray, self.radius).outward(direction, side)
    }

    /// See [`Shape::contains_point`](crate::Shape::contains_point).
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        point.is_finite()
            && self
                .holds::<Approx>(pose, point)
                .or_else(|| self.holds::<Tracked>(pose, point))
                .or_else(|| self.holds::<Exact>(pose, point))
                .unwrap_or(false)
    }

    fn holds<N: Number>(&self, pose: &Pose, point: Vec3) -> Option<bool> {
        let local = LocalPoint::<N>::new(pose, &Rotation::new(pose.rotation()), point);
        let Vector([x, y, z]) = &local.from;
        let radius = local.length(self.radius);
        Some(
            y.magnitude().at_most(&local.length(self.half_height))?
                && x.squared().plus(&z.squared()).at_most(&radius.squared())?,
        )
    }

    /// See [`Shape::classify`](crate::Shape::classify).
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        self.side::<Approx>(pose, plane)
            .or_else(|| self.side::<Tracked>(pose, plane))
            .or_else(|| self.side::<Exact>(pose, plane))
            .unwrap_or(PlaneSide::Straddling)
    }

    fn side<N: Number>(&self, pose: &Pose, plane: &Plane) -> Option<PlaneSide> {
        let tilt = Tilt::<N>::new(pose, plane);
        let [top, bottom] = tilt.heights(self.half_height);
        let disc =
            |height: &N| PlaneSide::of_ball(height, &N::new(self.radius.into()), &tilt.slant);
        Some(disc(&top)?.with(disc(&bottom)?))
    }

    /// See [`Shape::mass_properties`](crate::Shape::mass_properties).
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let volume = 2.0 * std::f64::consts::PI * r * r * h;
        let across = volume * (r * r / 4.0 + h * h / 3.0);
        let moments = DVec3::new(across, volume * (r * r / 2.0), across);
        MassProperties::from_f64(volume, DVec3::ZERO, DMat3::from_diagonal(moments))
    }
}

/// How far a disc of radius 1 around Y reaches along a row of the rotation.
pub(crate) fn disc_reach(row: DVec3) -> f64 {
    (row.x * row.x + row.z * row.z).sqrt()
}

/// A line seen along Y against a circle: `a t² + 2 b t + c ≤ 0` within.
struct Column<N> {
    a: N,
    b: N,
    c: N,
    /// `from × direction`, without which the discriminant would cancel for a start far away.
    moment: N,
    radius: N,
}

impl<N: Number> Column<N> {
    fn new(ray: &LocalRay<N>, radius: f32) -> Self {
        let (Vector([x, _, z]), Vector([dx, _, dz])) = (&ray.start.from, &ray.direction);
        let radius = ray.start.length(radius);
        Self {
            a: dx.squared().plus(&dz.squared()),
            b: x.times(dx).plus(&z.times(dz)),
            c: x.squared().plus(&z.squared()).minus(&radius.squared()),
            moment: x.times(dz).minus(&z.times(dx)),
            radius,
        }
    }

    /// `b² - a c`, by Lagrange's identity.
    fn discriminant(&self) -> N {
        self.a.times(&self.radius.squared()).minus(&self.moment.squared())
    }

    /// The normal where the line enters (`side` -1) or leaves (1), `direction` being the ray's
    /// own times `side`.
    ///
    /// The point is `(moment · (dz, -dx) ± √discriminant · (dx, dz)) / a`, whose first part is
    /// the place closest to the axis.
    fn outward(&self, direction: DVec3, side: f64) -> Option<DVec3> {
        let (root, root_error) = square_root(&self.discriminant());
        let across = DVec3::new(direction.x, 0.0, direction.z);
        let error = across.length() * (self.moment.error() + root_error);
        if error > self.a.value() * self.radius.value() * tolerance::REPORTED {
            return None;
        }
        let foot = DVec3::new(direction.z, 0.0, -direction.x) * (self.moment.value() * side);
        let normal = foot + across * root;
        // A segment looks straight at the ray.
        Some(if normal.length_squared() > 0.0 { normal } else { across })
    }
}

/// A plane in the frame of a solid that is turned about Y.
pub(crate) struct Tilt<N> {
    /// How far the origin lies above the plane.
    height: N,
    /// How fast the height grows along Y.
    rise: N,
    /// The square of how fast it grows across Y.
    pub(crate) slant: N,
}

impl<N: Number> Tilt<N> {
    pub(crate) fn new(pose: &Pose, plane: &Plane) -> Self {
        let rotation = Rotation::<N>::new(pose.rotation());
        let normal = Vector::<N>::new(plane.normal());
        let height = normal
            .dot(&Vector::new(pose.position()))
            .minus(&N::new(plane.distance().into()))
            .times(&rotation.norm);
        let Vector([x, rise, z]) = rotation.unrotate(&normal);
        Self { height, rise, slant: x.squared().plus(&z.squared()) }
    }

    /// How far the places at `y` and `-y` on the axis lie above the plane.
    pub(crate) fn heights(&self, y: f32) -> [N; 2] {
        let rise = self.rise.times(&N::new(y.into()));
        [self.height.plus(&rise), self.height.minus(&rise)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_cylinders_are_refused_and_named() {
        let error = Cylinder::new(-1.0, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "half_height: must be finite and not negative, got -1");
        assert_eq!(Cylinder::new(1.0, f32::INFINITY), Err(CylinderError::Radius(f32::INFINITY)));
        assert!(Cylinder::new(-0.0, 0.0).unwrap().half_height().is_sign_positive());
    }

    #[test]
    fn bounds_are_exact_for_quarter_turns() {
        let s = std::f32::consts::FRAC_1_SQRT_2;
        let pose = Pose::new(Vec3::ONE, glam::Quat::from_xyzw(s, 0.0, 0.0, s)).unwrap();
        let bounds = Cylinder::new(4.0, 0.5).unwrap().aabb(&pose);
        assert_eq!(bounds.min(), Vec3::new(0.5, 0.5, -3.0));
        assert_eq!(bounds.max(), Vec3::new(1.5, 1.5, 5.0));
    }

    #[test]
    fn a_cylinder_has_the_textbook_mass() {
        let mass = Cylinder::new(1.5, 2.0).unwrap().mass_properties();
        assert!((mass.volume - 12.0 * std::f32::consts::PI).abs() < 1e-5);
        assert!((mass.inertia.y_axis.y - mass.volume * 2.0).abs() < 1e-4);
        // m (3 r² + (2 h)²) / 12
        assert!((mass.inertia.x_axis.x - mass.volume * 21.0 / 12.0).abs() < 1e-4);
        assert_eq!(mass.center_of_mass, Vec3::ZERO);
    }

    #[test]
    fn support_reaches_rim_and_caps() {
        let cylinder = Cylinder::new(1.0, 5.0).unwrap();
        let rim = cylinder.support(DVec3::new(3.0, 0.1, 4.0));
        assert!(rim.abs_diff_eq(DVec3::new(3.0, 1.0, 4.0), 1e-15), "{rim}");
        assert_eq!(cylinder.support(DVec3::NEG_Y), DVec3::NEG_Y);
    }
}
