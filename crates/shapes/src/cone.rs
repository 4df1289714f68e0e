//! A cone around the Y axis of its frame.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::ball::Quadratic;
use crate::crossing::{self, Found, Limits, Pass};
use crate::cylinder::{Cylinder, Tilt, disc_reach};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::local::{LocalPoint, LocalRay};
use crate::miss;
use crate::span::{End, LineSpan, Mark, surd};
use crate::tracked::Tracked;
use crate::{
    Aabb, CylinderError, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions,
    ShapeRayHit, round, tolerance,
};

/// The points between a disc of the radius at `y = -half_height` and the apex at
/// `y = half_height`, both on the Y axis of the shape's frame.
///
/// ```
/// use impinge_shapes::{Cone, Pose, Ray, RayOptions};
/// use glam::Vec3;
///
/// let spike = Cone::new(2.0, 1.0)?;
/// let down = Ray::new(Vec3::new(0.5, 5.0, 0.0), Vec3::NEG_Y).unwrap();
/// let hit = spike.raycast(&Pose::IDENTITY, &down, 100.0, &RayOptions::default()).unwrap();
/// assert_eq!((hit.distance, hit.point), (5.0, Vec3::new(0.5, 0.0, 0.0)));
/// # Ok::<(), impinge_shapes::ConeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    half_height: f32,
    radius: f32,
}

/// Why a [`Cone`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ConeError {
    /// The half height is negative, NaN or infinite.
    #[error("half_height: must be finite and not negative, got {0}")]
    HalfHeight(f32),
    /// The radius is negative, NaN or infinite.
    #[error("radius: must be finite and not negative, got {0}")]
    Radius(f32),
}

impl Cone {
    /// A cone along Y; half height 0 makes it a disc, radius 0 a segment, both a point.
    ///
    /// # Errors
    /// A half height or radius that is negative, NaN or infinite.
    pub fn new(half_height: f32, radius: f32) -> Result<Self, ConeError> {
        match Cylinder::new(half_height, radius) {
            Ok(same) => Ok(Self { half_height: same.half_height(), radius: same.radius() }),
            Err(CylinderError::HalfHeight(bad)) => Err(ConeError::HalfHeight(bad)),
            Err(CylinderError::Radius(bad)) => Err(ConeError::Radius(bad)),
        }
    }

    /// Half of the height.
    #[must_use]
    #[inline]
    pub fn half_height(&self) -> f32 {
        self.half_height
    }

    /// Radius of the base.
    #[must_use]
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// A cone that is a disc, a segment or a point; those are cylinders too.
    fn flat(&self) -> Option<Cylinder> {
        let is_flat = self.half_height <= 0.0 || self.radius <= 0.0;
        Cylinder::new(self.half_height, self.radius).ok().filter(|_| is_flat)
    }

    /// See [`Shape::aabb`](crate::Shape::aabb).
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let rows = pose.rotation_matrix().transpose();
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let slack = if pose.permutes_axes() { 0.0 } else { (h + r) * tolerance::ROTATED_BOUNDS };
        let c = pose.translation();
        let (mut min, mut max) = (Vec3::ZERO, Vec3::ZERO);
        for (axis, row) in [rows.x_axis, rows.y_axis, rows.z_axis].into_iter().enumerate() {
            let (apex, rim) = (row.y * h, disc_reach(row) * r);
            min[axis] = round::sum_down(c[axis], apex.min(-apex - rim) - slack);
            max[axis] = round::sum_up(c[axis], apex.max(-apex + rim) + slack);
        }
        Aabb::from_sorted(min, max)
    }

    /// See [`Shape::support`](crate::Shape::support).
    #[must_use]
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let apex = DVec3::Y * f64::from(self.half_height);
        let rim = DVec3::new(direction.x, 0.0, direction.z).normalize_or_zero();
        let rim = rim * f64::from(self.radius) - apex;
        if direction.dot(apex) > direction.dot(rim) { apex } else { rim }
    }

    /// The way to a point of its frame from the nearest one of the cone, which may be that itself.
    ///
    /// - Error: some roundings of the distances from the base and the slant, so that no part of the
    ///   cone lies beyond the plane across it.
    pub(crate) fn way_to(&self, point: DVec3) -> DVec3 {
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let sideways = DVec3::new(point.x, 0.0, point.z);
        let out = sideways.length();
        let way = |across: f64, up: f64| {
            let share = if out > 0.0 { across / out } else { 0.0 };
            sideways * share + DVec3::Y * up
        };
        if point.y <= -h {
            return way((out - r).max(0.0), point.y + h);
        }
        // How far beyond the slant, times its length.
        let beyond = out * 2.0 * h + (point.y - h) * r;
        if point.y <= h && beyond <= 0.0 {
            return DVec3::ZERO;
        }
        let square = r * r + 4.0 * h * h;
        let along = out * r + (h - point.y) * 2.0 * h;
        if along <= 0.0 {
            return way(out, point.y - h);
        }
        if along >= square {
            return way(out - r, point.y + h);
        }
        way(2.0 * h * (beyond / square), r * (beyond / square))
    }

    /// See [`Shape::raycast`](crate::Shape::raycast).
    ///
    /// - Normal: at the apex along the axis, unless that runs along the ray; then perpendicular
    ///   to the ray, in the plane of ray and axis.
    /// - Ties: on the rim the base, not the side.
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        if let Some(flat) = self.flat() {
            return flat.raycast(pose, ray, max_distance, options);
        }
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

    fn probe<N: Number>(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        let line = ApexLine::<N>::new(self, &LocalRay::new(pose, ray));
        let Some(span) = line.span()? else { return Some(Found::Miss) };
        span.probe(limits, |end, leaving| {
            Some(pose.rotation_matrix() * line.outward(end, leaving)?)
        })
    }

    /// See [`Shape::crossings`](crate::Shape::crossings).
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        if let Some(flat) = self.flat() {
            return flat.crossings(pose, ray, max_distance);
        }
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
        let line = ApexLine::<N>::new(self, &LocalRay::new(pose, ray));
        let Some(span) = line.span()? else { return Some(None) };
        span.leave(max, |end| Some(pose.rotation_matrix() * line.outward(end, true)?))
    }

    /// See [`Shape::contains_point`](crate::Shape::contains_point).
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        if let Some(flat) = self.flat() {
            return flat.contains_point(pose, point);
        }
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
        let height = local.length(self.half_height);
        if !y.magnitude().at_most(&height)? {
            return Some(false);
        }
        // Compared with the radius there, which is the base's times (half height - y) over the
        // height.
        let across = x.squared().plus(&z.squared()).times(&height.plus(&height).squared());
        let room = height.minus(y).times(&local.length(self.radius));
        across.at_most(&room.squared())
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
        let [apex, base] = tilt.heights(self.half_height);
        let apex = PlaneSide::of_interval(&apex, &N::ZERO)?;
        Some(apex.with(PlaneSide::of_ball(&base, &N::new(self.radius.into()), &tilt.slant)?))
    }

    /// See [`Shape::mass_properties`](crate::Shape::mass_properties): the centre of mass lies a
    /// quarter of the height above the base.
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let volume = 2.0 / 3.0 * std::f64::consts::PI * r * r * h;
        let across = volume * (0.15 * r * r + 0.15 * h * h);
        let moments = DVec3::new(across, volume * (0.3 * r * r), across);
        let center = DVec3::Y * (-0.5 * h);
        MassProperties::from_f64(volume, center, DMat3::from_diagonal(moments))
    }
}

/// A line as seen from the apex of a cone that is not flat.
///
/// With `w = (l² x, -r² y, l² z)` for a point or direction `(x, y, z)`, the height `l` and the
/// base's radius `r`, the double cone is `w(u)·u ≤ 0`. Along the line `from + t d` that is
/// `a t² + 2 b t + c`, with the signs of `a` for how steep the line is.
struct ApexLine<N> {
    from: Vector<N>,
    direction: Vector<N>,
    /// `from × direction`, without which numbers would cancel for a start far away.
    moment: Vector<N>,
    height: N,
    squared_height: N,
    squared_radius: N,
    a: N,
    b: N,
    c: N,
}

impl<N: Number> ApexLine<N> {
    fn new(cone: &Cone, ray: &LocalRay<N>) -> Self {
        let half = ray.start.length(cone.half_height);
        let Vector([x, y, z]) = ray.start.from.clone();
        let from = Vector([x, y.minus(&half), z]);
        let direction = ray.direction.clone();
        let height = half.plus(&half);
        let squared_height = height.squared();
        let squared_radius = ray.start.length(cone.radius).squared();
        let form = |u: &Vector<N>, v: &Vector<N>| {
            let across = u.0[0].times(&v.0[0]).plus(&u.0[2].times(&v.0[2]));
            let along = u.0[1].times(&v.0[1]);
            squared_height.times(&across).minus(&squared_radius.times(&along))
        };
        let (a, b, c) = (form(&direction, &direction), form(&from, &direction), form(&from, &from));
        let moment = from.cross(&direction);
        Self { from, direction, moment, height, squared_height, squared_radius, a, b, c }
    }

    /// `b² - a c`: for a quadratic form it is minus the adjugate form of the moment.
    fn discriminant(&self) -> N {
        let Vector([x, y, z]) = &self.moment;
        let across = x.squared().plus(&z.squared()).times(&self.squared_radius);
        self.squared_height.times(&across.minus(&y.squared().times(&self.squared_height)))
    }

    /// The part of the line in the cone.
    ///
    /// A line that is flatter than the side meets one half of the double cone between the roots;
    /// a steeper one is in the lower half before the first root or after the second; one that is
    /// parallel to the side has one root.
    fn span(&self) -> Option<Option<LineSpan<N>>> {
        let (y, slope) = (&self.from.0[1], &self.direction.0[1]);
        let rise = slope.known_sign()?;
        let above_base = y.plus(&self.height);
        let caps = match rise {
            Ordering::Greater => [Some((above_base.negated(), slope.clone())), None],
            Ordering::Less => [None, Some((above_base, slope.negated()))],
            Ordering::Equal if above_base.known_sign()? == Ordering::Less => return Some(None),
            Ordering::Equal => [None, None],
        };
        let one_sided =
            |mark| if rise == Ordering::Greater { [None, Some(mark)] } else { [Some(mark), None] };
        let (a, b, c) = (self.a.clone(), self.b.clone(), self.c.clone());
        match self.a.known_sign()? {
            Ordering::Greater => {
                let discriminant = self.discriminant();
                // The middle of the part between the roots lies below the apex.
                let below = self.foot().0[1].known_sign()? != Ordering::Greater;
                if !below || discriminant.known_sign()? == Ordering::Less {
                    return Some(None);
                }
                let quadric = Quadratic { a, b, c, discriminant };
                LineSpan::common(Some(quadric), caps, [Some(Mark::Low), Some(Mark::High)])
            }
            Ordering::Less => {
                let (a, b, c) = (a.negated(), b.negated(), c.negated());
                let quadric = Quadratic { a, b, c, discriminant: self.discriminant() };
                let mark = if rise == Ordering::Greater { Mark::Low } else { Mark::High };
                LineSpan::common(Some(quadric), caps, one_sided(mark))
            }
            Ordering::Equal => match (self.b.known_sign()?, self.c.known_sign()?) {
                // On the surface, through the apex.
                (Ordering::Equal, Ordering::Equal) => {
                    let ascending = rise == Ordering::Greater;
                    let apex = if ascending {
                        Mark::Ratio(y.negated(), slope.clone())
                    } else {
                        Mark::Ratio(y.clone(), slope.negated())
                    };
                    LineSpan::common(None, caps, one_sided(apex))
                }
                (sign, _) if sign == Ordering::Equal || sign != rise => Some(None),
                (sign, _) => {
                    let (twice, c) = (b.plus(&b), self.c.clone());
                    let root = if sign == Ordering::Greater {
                        Mark::Ratio(c.negated(), twice)
                    } else {
                        Mark::Ratio(c, twice.negated())
                    };
                    LineSpan::common(None, caps, one_sided(root))
                }
            },
        }
    }

    /// `a` times the point midway between the roots: `a · from - b · d`.
    fn foot(&self) -> Vector<N> {
        let Vector([x, y, z]) = &self.direction;
        let across = |v: &N| self.squared_height.times(v);
        let w = Vector([across(x), self.squared_radius.times(y).negated(), across(z)]);
        w.cross(&self.moment)
    }

    /// The outward normal at an end of the span: along `w` of the point there.
    fn outward(&self, end: &End<N>, leaving: bool) -> Option<DVec3> {
        let direction = self.direction.value() * if leaving { 1.0 } else { -1.0 };
        if end.on_cap {
            return Some(DVec3::NEG_Y);
        }
        let (point, error) = match &end.mark {
            Mark::Ratio(n, m) => {
                let point = self.from.scaled(m).plus(&self.direction.scaled(n));
                (point.value(), point.error())
            }
            root => {
                let d = self.discriminant();
                // Where `a` is negative, the polynomial was negated.
                let negated = self.a.value() < 0.0;
                let is_low = matches!(root, Mark::Low);
                let (mut point, mut error) = (DVec3::ZERO, 0.0);
                for (i, (x, y)) in self.foot().0.iter().zip(&self.direction.0).enumerate() {
                    let x = if negated { x.negated() } else { x.clone() };
                    let y = if is_low { y.negated() } else { y.clone() };
                    let (value, off) = surd(&x, &y, &d);
                    point[i] = value;
                    error += off;
                }
                (point, error)
            }
        };
        let is_known = error <= point.abs().max_element() * tolerance::REPORTED;
        if !is_known {
            return None;
        }
        if point == DVec3::ZERO {
            // The apex. A line that runs along the axis' direction only touches it.
            let square = direction.length_squared();
            return Some(if direction.y >= 0.0 {
                DVec3::Y
            } else {
                DVec3::Y * square - direction * direction.y
            });
        }
        let (l, r) = (self.squared_height.value(), self.squared_radius.value());
        Some(DVec3::new(point.x * l, -point.y * r, point.z * l))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_cones_are_refused_and_named() {
        let error = Cone::new(1.0, -1.0).unwrap_err();
        assert_eq!(error.to_string(), "radius: must be finite and not negative, got -1");
        let error = Cone::new(f32::NEG_INFINITY, 1.0);
        assert_eq!(error, Err(ConeError::HalfHeight(f32::NEG_INFINITY)));
        assert!(Cone::new(0.0, 0.0).is_ok());
    }

    #[test]
    fn bounds_are_exact_for_quarter_turns() {
        let s = std::f32::consts::FRAC_1_SQRT_2;
        let pose = Pose::new(Vec3::ONE, glam::Quat::from_xyzw(0.0, 0.0, s, s)).unwrap();
        let cone = Cone::new(4.0, 0.5).unwrap();
        // Y turns to -X.
        assert_eq!(cone.aabb(&pose).min(), Vec3::new(-3.0, 0.5, 0.5));
        assert_eq!(cone.aabb(&pose).max(), Vec3::new(5.0, 1.5, 1.5));
        let tilted = Pose::new(Vec3::ZERO, glam::Quat::from_xyzw(0.0, 0.0, 1.0, 3.0)).unwrap();
        // cos = 0.8, sin = 0.6: the apex at x = -2.4, the rim at x = 2.4 + 0.4.
        let bounds = cone.aabb(&tilted);
        assert!((bounds.min().x + 2.4).abs() < 1e-6 && (bounds.max().x - 2.8).abs() < 1e-6);
    }

    #[test]
    fn a_cone_has_the_textbook_mass() {
        let mass = Cone::new(1.5, 2.0).unwrap().mass_properties();
        assert!((mass.volume - 4.0 * std::f32::consts::PI).abs() < 1e-5);
        assert_eq!(mass.center_of_mass, Vec3::new(0.0, -0.75, 0.0));
        assert!((mass.inertia.y_axis.y - 0.3 * mass.volume * 4.0).abs() < 1e-4);
        // 3/80 m (4 r² + h²) about the centre of mass
        let across = 3.0 / 80.0 * mass.volume * (16.0 + 9.0);
        assert!((mass.inertia.x_axis.x - across).abs() < 1e-4);
    }

    #[test]
    fn support_is_apex_or_rim() {
        let cone = Cone::new(1.0, 5.0).unwrap();
        assert_eq!(cone.support(DVec3::new(0.3, 1.0, 0.0)), DVec3::Y);
        let rim = cone.support(DVec3::new(3.0, 1.0, 4.0));
        assert!(rim.abs_diff_eq(DVec3::new(3.0, -1.0, 4.0), 1e-15), "{rim}");
        assert_eq!(cone.support(DVec3::NEG_Y), DVec3::NEG_Y);
    }
}
