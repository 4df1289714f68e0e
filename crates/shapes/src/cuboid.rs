//! A box around the origin of its frame.

use std::array;

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use crate::crossing::{self, Found, Limits, Pass};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::miss::Aim;
use crate::pose::{permutes_axes, scaled_rotation};
use crate::simd::SimdLevel;
use crate::slab::{self, Slab};
use crate::tracked::Tracked;
use crate::{
    Aabb, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions, ShapeRayHit,
    StartedInside, round, tolerance,
};

/// The box `|x_i| ≤ half_extents_i` in the shape's frame.
///
/// ```
/// use impinge_shapes::{Cuboid, Pose};
/// use glam::{Quat, Vec3};
///
/// // A quarter turn about Z, from a quaternion of any length.
/// let turned = Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 1.0, 1.0)).unwrap();
/// let plank = Cuboid::new(Vec3::new(4.0, 1.0, 0.5))?;
/// assert_eq!(plank.aabb(&turned).max(), Vec3::new(1.0, 4.0, 0.5));
/// assert!(plank.contains_point(&turned, Vec3::new(1.0, 4.0, 0.5)));
/// # Ok::<(), impinge_shapes::CuboidError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half_extents: Vec3,
}

/// Why a [`Cuboid`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CuboidError {
    /// The half extent on this axis is negative, NaN or infinite.
    #[error("half_extents[{axis}]: must be finite and not negative, got {value}")]
    HalfExtent {
        /// Axis 0, 1 or 2.
        axis: usize,
        /// The half extent given.
        value: f32,
    },
}

impl Cuboid {
    /// A box; zero half extents make it flat, a segment or a point.
    ///
    /// # Errors
    /// A half extent that is negative, NaN or infinite.
    pub fn new(half_extents: Vec3) -> Result<Self, CuboidError> {
        for axis in 0..3 {
            let value = half_extents[axis];
            if !(value.is_finite() && value >= 0.0) {
                return Err(CuboidError::HalfExtent { axis, value });
            }
        }
        Ok(Self { half_extents: half_extents.abs() })
    }

    /// Half edge lengths along the axes.
    #[must_use]
    #[inline]
    pub fn half_extents(&self) -> Vec3 {
        self.half_extents
    }

    /// The eight corners; bit 0 of the index chooses the side on x, bit 1 on y, bit 2 on z
    /// (0 = negative).
    #[must_use]
    pub fn corners(&self) -> [Vec3; 8] {
        array::from_fn(|i| {
            let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
            Vec3::new(sign(1), sign(2), sign(4)) * self.half_extents
        })
    }

    /// See [`Shape::aabb`](crate::Shape::aabb).
    ///
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §4.2.6: `|R| · h`.
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let turned = if pose.is_unrotated() {
            (DMat3::IDENTITY, 1.0)
        } else {
            scaled_rotation(pose.rotation().to_array())
        };
        let exact = pose.permutes_axes();
        let [min, max] = bounds(self.half_extents.to_array(), turned, exact, pose.position());
        Aabb::from_sorted(min.into(), max.into())
    }

    /// [`Cuboid::aabb`] of eight boxes side by side, to the bit.
    ///
    /// ```
    /// use impinge_shapes::{Cuboid, Pose, glam::Vec3, simd::simd_level};
    ///
    /// let (cuboid, pose) = (Cuboid::new(Vec3::ONE)?, Pose::from_position(Vec3::X)?);
    /// assert_eq!(Cuboid::eight_aabbs([(&cuboid, &pose); 8], simd_level())[7], cuboid.aabb(&pose));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn eight_aabbs(boxes: [(&Self, &Pose); 8], level: SimdLevel) -> [Aabb; 8] {
        let mut found = [[0.0; 8]; 6];
        let mut numbers = [[0.0; 8]; 10];
        for (lane, (cuboid, pose)) in boxes.into_iter().enumerate() {
            let [a, b, c] = cuboid.half_extents.to_array();
            let [d, e, f] = pose.position().to_array();
            let [x, y, z, w] = pose.rotation().to_array();
            for (row, number) in numbers.iter_mut().zip([a, b, c, d, e, f, x, y, z, w]) {
                row[lane] = number;
            }
        }
        crate::at_level!(level, _simd => eight_bounds(&numbers, &mut found));
        array::from_fn(|lane| {
            let [a, b, c, d, e, f] = found.each_ref().map(|row| row[lane]);
            Aabb::from_sorted(Vec3::new(a, b, c), Vec3::new(d, e, f))
        })
    }

    /// See [`Shape::support`](crate::Shape::support).
    #[must_use]
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let h = self.half_extents.as_dvec3();
        let side = |along: f64, h: f64| if along > 0.0 { h } else { -h };
        DVec3::new(side(direction.x, h.x), side(direction.y, h.y), side(direction.z, h.z))
    }

    /// See [`Shape::raycast`](crate::Shape::raycast).
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let limits = Limits::new(max_distance, options)?;
        let aim = Aim::new(pose, DVec3::ZERO, self.half_extents.as_dvec3(), ray);
        if aim.misses(max_distance.into()) {
            return None;
        }
        self.find(&aim, pose, ray, &limits)?.hit(ray, &limits)
    }

    fn find(&self, aim: &Aim, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
        if let Some((distance, normal)) = aim.entry(limits.max_distance.unwrap_or(f64::INFINITY)) {
            return Some(Found::Entry { distance, normal });
        }
        match limits.started_inside {
            StartedInside::Hit if aim.starts_inside() => return Some(Found::Inside),
            StartedInside::Skip if aim.starts_inside() => return Some(Found::Miss),
            _ => {}
        }
        self.find_carefully(pose, ray, limits)
    }

    /// What plain f64 does not tell.
    #[inline(never)]
    fn find_carefully(&self, pose: &Pose, ray: &Ray, limits: &Limits) -> Option<Found> {
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
        let slabs = self.slabs::<N>(pose, ray);
        slab::probe(&slabs, |axis| pose.rotation_matrix().col(axis), limits)
    }

    #[inline]
    fn slabs<N: Number>(&self, pose: &Pose, ray: &Ray) -> [Slab<N>; 3] {
        let rotation = Rotation::<N>::new(pose.rotation());
        let arm = Vector::between(pose.position(), ray.origin());
        let Vector(from) = rotation.unrotate(&arm);
        let Vector(slopes) = rotation.unrotate(&Vector::new(ray.direction()));
        array::from_fn(|i| {
            let reach = rotation.norm.times(&N::new(self.half_extents[i].into()));
            Slab {
                lower: Some(reach.plus(&from[i]).negated()),
                upper: Some(reach.minus(&from[i])),
                slope: slopes[i].clone(),
            }
        })
    }

    /// See [`Shape::crossings`](crate::Shape::crossings).
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        let aim = Aim::new(pose, DVec3::ZERO, self.half_extents.as_dvec3(), ray);
        crossing::crossings(
            ray,
            max_distance,
            |limits| self.find(&aim, pose, ray, limits),
            |max| {
                self.leave::<Approx>(pose, ray, max)
                    .or_else(|| self.leave::<Tracked>(pose, ray, max))
                    .or_else(|| self.leave::<Exact>(pose, ray, max))
                    .flatten()
            },
        )
    }

    fn leave<N: Number>(&self, pose: &Pose, ray: &Ray, max: Option<f64>) -> Option<Option<Pass>> {
        let slabs = self.slabs::<N>(pose, ray);
        slab::leave(&slabs, |axis| pose.rotation_matrix().col(axis), max)
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
        let rotation = Rotation::<N>::new(pose.rotation());
        let arm = Vector::between(pose.position(), point);
        for (axis, column) in rotation.columns.iter().enumerate() {
            let reach = rotation.norm.times(&N::new(self.half_extents[axis].into()));
            if !column.dot(&arm).magnitude().at_most(&reach)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// See [`Shape::classify`](crate::Shape::classify).
    ///
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.2.3.
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        self.side::<Approx>(pose, plane)
            .or_else(|| self.side::<Tracked>(pose, plane))
            .or_else(|| self.side::<Exact>(pose, plane))
            .unwrap_or(PlaneSide::Straddling)
    }

    fn side<N: Number>(&self, pose: &Pose, plane: &Plane) -> Option<PlaneSide> {
        let rotation = Rotation::<N>::new(pose.rotation());
        let normal = Vector::<N>::new(plane.normal());
        let height = normal
            .dot(&Vector::new(pose.position()))
            .minus(&N::new(plane.distance().into()))
            .times(&rotation.norm);
        let Vector(along) = rotation.unrotate(&normal);
        let reach = (0..3).fold(N::ZERO, |reach, i| {
            reach.plus(&along[i].magnitude().times(&N::new(self.half_extents[i].into())))
        });
        PlaneSide::of_interval(&height, &reach)
    }

    /// See [`Shape::mass_properties`](crate::Shape::mass_properties).
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let h = self.half_extents.as_dvec3();
        let volume = 8.0 * h.x * h.y * h.z;
        let square = h * h;
        let moments = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
        let inertia = DMat3::from_diagonal(moments * (volume / 3.0));
        MassProperties::from_f64(volume, DVec3::ZERO, inertia)
    }
}

/// Bounds of a box: of its half extents, its rotation times a number and that number, and its place;
/// `exact` where the rotation is.
#[inline(always)]
fn bounds(half: [f32; 3], (scaled, n): (DMat3, f64), exact: bool, place: Vec3) -> [[f32; 3]; 2] {
    let [x, y, z] = half.map(f64::from);
    let slack = if exact { 0.0 } else { (x + y + z) * tolerance::ROTATED_BOUNDS };
    let [cols_x, cols_y, cols_z] = [scaled.x_axis / n, scaled.y_axis / n, scaled.z_axis / n];
    let reach = |axis: usize| {
        cols_x[axis].abs() * x + cols_y[axis].abs() * y + cols_z[axis].abs() * z + slack
    };
    let half = [reach(0), reach(1), reach(2)];
    let c = place.as_dvec3();
    let lower = |axis: usize| round::sum_down(c[axis], -half[axis]);
    let upper = |axis: usize| round::sum_up(c[axis], half[axis]);
    [[lower(0), lower(1), lower(2)], [upper(0), upper(1), upper(2)]]
}

/// The same for eight boxes, written so that the compiler puts them side by side.
#[inline(always)]
fn eight_bounds(numbers: &[[f32; 8]; 10], found: &mut [[f32; 8]; 6]) {
    for lane in 0..8 {
        let [a, b, c, d, e, f, x, y, z, w] = numbers.each_ref().map(|row| row[lane]);
        let rotation = [x, y, z, w];
        let turned = scaled_rotation(rotation);
        let [min, max] = bounds([a, b, c], turned, permutes_axes(rotation), Vec3::new(d, e, f));
        for axis in 0..3 {
            found[axis][lane] = min[axis];
            found[axis + 3][lane] = max[axis];
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    #[test]
    fn bad_half_extents_are_refused_and_named() {
        let error = Cuboid::new(Vec3::new(1.0, -2.0, 1.0)).unwrap_err();
        let text = "half_extents[1]: must be finite and not negative, got -2";
        assert_eq!(error.to_string(), text);
        assert!(Cuboid::new(Vec3::new(1.0, 1.0, f32::NAN)).is_err());
        assert!(Cuboid::new(Vec3::ZERO).is_ok());
    }

    #[test]
    fn bounds_are_exact_for_quarter_turns() {
        let s = std::f32::consts::FRAC_1_SQRT_2;
        let pose = Pose::new(Vec3::ONE, Quat::from_xyzw(s, 0.0, 0.0, s)).unwrap();
        let bounds = Cuboid::new(Vec3::new(1.0, 2.0, 4.0)).unwrap().aabb(&pose);
        assert_eq!(bounds.min(), Vec3::new(0.0, -3.0, -1.0));
        assert_eq!(bounds.max(), Vec3::new(2.0, 5.0, 3.0));
    }

    #[test]
    fn unit_cube_has_the_textbook_mass() {
        let mass = Cuboid::new(Vec3::splat(0.5)).unwrap().mass_properties();
        assert_eq!(mass.volume.to_bits(), 1.0_f32.to_bits());
        assert!((mass.inertia.y_axis.y - 1.0 / 6.0).abs() < 1e-7);
    }

    #[test]
    fn eight_bounds_are_those_of_one() {
        let mut state = 7_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32_768.0 - 1.0
        };
        let scales = [1.0, 1e-30, 1e30, 3e38, f32::from_bits(3), 0.0];
        let mut seen = [0; 2];
        for case in 0..2_000 {
            let boxes: [(Cuboid, Pose); 8] = array::from_fn(|_| {
                let scale = scales[case % scales.len()];
                let mut vector = |scale: f32| Vec3::new(number(), number(), number()) * scale;
                let half = vector(scale).abs();
                let place = vector(scales[case / 7 % scales.len()]);
                let (turn, w) = (vector(1.0), vector(1.0).x);
                let turn = match case % 5 {
                    0 => Quat::IDENTITY,
                    1 => Quat::from_xyzw(turn.x.round(), turn.y.round(), turn.z.round(), 1.0),
                    2 => Quat::from_xyzw(0.0, turn.x, 0.0, w),
                    _ => Quat::from_xyzw(turn.x, turn.y, turn.z, w),
                };
                let pose =
                    Pose::new(place, if turn.length() > 0.0 { turn } else { Quat::IDENTITY });
                (Cuboid::new(half).unwrap(), pose.unwrap())
            });
            let bits = |aabb: Aabb| {
                [aabb.min(), aabb.max()].map(|corner| corner.to_array().map(f32::to_bits))
            };
            for name in SimdLevel::NAMES {
                let Some(level) = SimdLevel::by_name(name) else { continue };
                let found = Cuboid::eight_aabbs(boxes.each_ref().map(|(a, b)| (a, b)), level);
                for (found, (cuboid, pose)) in found.into_iter().zip(&boxes) {
                    let alone = cuboid.aabb(pose);
                    assert_eq!(
                        bits(found),
                        bits(alone),
                        "{name}, case {case}: {cuboid:?}, {pose:?}"
                    );
                    seen[usize::from(pose.permutes_axes())] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    }
}
