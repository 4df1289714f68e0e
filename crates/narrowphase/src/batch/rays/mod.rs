//! Rays at shapes, eight at a time.

mod ball;
mod block;
mod capsule;
mod cuboid;
mod facet;
mod half_space;
mod sink;
mod typed;

use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{
    Capsule, Cuboid, HalfSpace, Pose, Ray, RayOptions, Shape, ShapeRayHit, Sphere, Triangle,
};

use super::gather::eight_from;
use super::in_runs;
use super::sort::{self, Order};
use crate::turn::{WIDTH, each};
use block::Target;
use sink::Slots;

pub use typed::{ray_capsule, ray_cuboid, ray_half_space, ray_sphere, ray_triangle};

/// A ray and a placed shape, borrowed.
///
/// ```
/// use impinge_narrowphase::batch::{RayOf, ray_cuboid};
/// use impinge_shapes::{Cuboid, Pose, Ray, RayOptions, glam::Vec3, simd::SimdLevel};
///
/// let (shape, pose) = (Cuboid::new(Vec3::ONE)?, Pose::IDENTITY);
/// let ray = Ray::new(Vec3::X * -5.0, Vec3::X)?;
/// let mut hits = Vec::new();
/// let asked = [RayOf { ray: &ray, shape: &shape, pose: &pose }];
/// ray_cuboid::raycast(&asked, 9.0, &RayOptions::default(), SimdLevel::scalar(), &mut hits);
/// assert_eq!(hits[0].map(|hit| (hit.distance, hit.normal)), Some((4.0, Vec3::NEG_X)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RayOf<'a, T> {
    /// The ray.
    pub ray: &'a Ray,
    /// The shape it may hit.
    pub shape: &'a T,
    /// Where the shape is.
    pub pose: &'a Pose,
}

impl<T> Clone for RayOf<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RayOf<'_, T> {}

/// A ray and a placed shape, held; see [`PlacedPair`](super::PlacedPair).
///
/// ```
/// use impinge_narrowphase::batch::{PlacedRay, ray_sphere};
/// use impinge_shapes::{Pose, Ray, RayOptions, Sphere, glam::{Vec3, vec3}, simd::simd_level};
///
/// let shape = Sphere::new(1.0)?;
/// let rays: Vec<_> = (0..12_u8)
///     .map(|i| {
///         let ray = Ray::new(vec3(-5.0, 0.25 * f32::from(i), 0.0), Vec3::X)?;
///         Ok(PlacedRay { ray, shape, pose: Pose::IDENTITY })
///     })
///     .collect::<Result<_, impinge_shapes::RayError>>()?;
/// let mut hits = Vec::new();
/// ray_sphere::raycast(&rays, 100.0, &RayOptions::default(), simd_level(), &mut hits);
/// assert_eq!(hits.iter().flatten().count(), 5); // the last of them grazes
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedRay<T> {
    /// The ray.
    pub ray: Ray,
    /// The shape it may hit.
    pub shape: T,
    /// Where the shape is.
    pub pose: Pose,
}

/// What is a ray and a placed shape: a [`RayOf`] or a [`PlacedRay`].
///
/// ```
/// use impinge_narrowphase::batch::{AsRay, RayOf, ray_sphere};
/// use impinge_shapes::{Pose, Ray, RayOptions, Sphere, glam::Vec3, simd::simd_level};
///
/// // One ray at every ball of a list.
/// struct At<'s>(&'s Ray, &'s (Sphere, Pose));
/// impl AsRay<Sphere> for At<'_> {
///     fn as_ray(&self) -> RayOf<'_, Sphere> {
///         RayOf { ray: self.0, shape: &self.1.0, pose: &self.1.1 }
///     }
/// }
/// let ball = Sphere::new(1.0)?;
/// let at = |place| Pose::from_position(place);
/// let row = [(ball, at(Vec3::X * 5.0)?), (ball, at(Vec3::Y * 5.0)?)];
/// let ray = Ray::new(Vec3::ZERO, Vec3::X)?;
/// let mut hits = Vec::new();
/// let asked = [At(&ray, &row[0]), At(&ray, &row[1])];
/// ray_sphere::raycast(&asked, 9.0, &RayOptions::default(), simd_level(), &mut hits);
/// assert_eq!((hits[0].map(|hit| hit.distance), hits[1]), (Some(4.0), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait AsRay<T> {
    /// The two, borrowed.
    fn as_ray(&self) -> RayOf<'_, T>;
}

impl<T> AsRay<T> for RayOf<'_, T> {
    #[inline(always)]
    fn as_ray(&self) -> RayOf<'_, T> {
        *self
    }
}

impl<T> AsRay<T> for PlacedRay<T> {
    #[inline(always)]
    fn as_ray(&self) -> RayOf<'_, T> {
        let Self { ray, shape, pose } = self;
        RayOf { ray, shape, pose }
    }
}

/// A ray and a placed shape of any kind.
pub type RayRef<'a> = RayOf<'a, Shape>;

/// Kinds of shapes with kernels of their own for rays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Sphere,
    Cuboid,
    Triangle,
    HalfSpace,
    Capsule,
    /// Everything else.
    None,
}

impl Lane {
    fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere(_) => Self::Sphere,
            Shape::Cuboid(_) => Self::Cuboid,
            Shape::Triangle(_) => Self::Triangle,
            Shape::HalfSpace(_) => Self::HalfSpace,
            Shape::Capsule(_) => Self::Capsule,
            _ => Self::None,
        }
    }
}

/// [`Shape::raycast`] of every ray at its shape, in their order; `out` is replaced.
///
/// - Ties: the level changes no answer.
///
/// ```
/// use impinge_narrowphase::batch::{RayRef, raycast};
/// use impinge_shapes::{Pose, Ray, RayOptions, Shape, glam::{Vec3, vec3}, simd::simd_level};
///
/// let (ball, cone) = (Shape::sphere(1.0)?, Shape::cone(1.0, 1.0)?);
/// let pose = Pose::IDENTITY;
/// let rays = [Ray::new(vec3(-5.0, 0.0, 0.0), Vec3::X)?, Ray::new(vec3(-5.0, 2.0, 0.0), Vec3::X)?];
/// let of = |shape| rays.each_ref().map(|ray| RayRef { ray, shape, pose: &pose });
/// let asked = [of(&ball), of(&cone)].concat();
/// let mut hits = Vec::new();
/// raycast(&asked, 100.0, &RayOptions::default(), simd_level(), &mut hits);
/// let distances: Vec<_> = hits.iter().map(|hit| hit.map(|hit| hit.distance)).collect();
/// assert_eq!(distances, [Some(4.0), None, Some(4.5), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn raycast(
    rays: &[RayRef<'_>],
    max_distance: f32,
    options: &RayOptions,
    level: SimdLevel,
    out: &mut Vec<Option<ShapeRayHit>>,
) {
    let cast = block::Cast { max_distance, options, level };
    in_runs(rays, out, |run, found| {
        if run.len() < sort::FEW {
            return cast.one_by_one(run, sort::in_order(run), found);
        }
        let order = Order::sorted(run.iter().map(|ray| Lane::of(ray.shape) as u8));
        let of = |kind| Picked { run, places: order.at(kind as usize) };
        let slots = &mut Slots::new(found);
        cast.answer::<Sphere>(&of(Lane::Sphere), slots);
        cast.answer::<Cuboid>(&of(Lane::Cuboid), slots);
        cast.answer::<Triangle>(&of(Lane::Triangle), slots);
        cast.answer::<HalfSpace>(&of(Lane::HalfSpace), slots);
        cast.answer::<Capsule>(&of(Lane::Capsule), slots);
        cast.one_by_one(run, order.at(Lane::None as usize), found);
    });
}

/// A list of rays at shapes of one kind.
trait Source<T> {
    /// How many there are.
    fn count(&self) -> usize;

    /// The ray at an index below [`Source::count`].
    fn item(&self, index: usize) -> Option<RayOf<'_, T>>;

    /// Eight rays from `first` on; the last one stands for those beyond the end, too.
    fn eight(&self, first: usize) -> Option<[RayOf<'_, T>; WIDTH]>;

    /// Index of its answer.
    fn place(&self, index: usize) -> usize;

    /// The places of eight answers from `first` on, where they lie side by side.
    #[inline(always)]
    fn slots<'o, O>(&self, _first: usize, _out: &'o mut [O]) -> Option<&'o mut [O; WIDTH]> {
        None
    }
}

/// Rays at shapes of a known kind.
struct Known<'a, P>(&'a [P]);

impl<T, P: AsRay<T>> Source<T> for Known<'_, P> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn item(&self, index: usize) -> Option<RayOf<'_, T>> {
        Some(self.0.get(index)?.as_ray())
    }

    #[inline(always)]
    fn eight(&self, first: usize) -> Option<[RayOf<'_, T>; WIDTH]> {
        Some(each!(eight_from(self.0, first)?, ray => ray.as_ray()))
    }

    #[inline(always)]
    fn place(&self, index: usize) -> usize {
        index
    }

    #[inline(always)]
    fn slots<'o, O>(&self, first: usize, out: &'o mut [O]) -> Option<&'o mut [O; WIDTH]> {
        out.get_mut(first..)?.first_chunk_mut()
    }
}

/// The rays at these places of a mix, all at shapes of one kind.
struct Picked<'r, 'a> {
    run: &'r [RayRef<'a>],
    places: &'r [u16],
}

impl Picked<'_, '_> {
    #[inline(always)]
    fn at<T: Target>(&self, place: u16) -> Option<RayOf<'_, T>> {
        let RayOf { ray, shape, pose } = *self.run.get(usize::from(place))?;
        Some(RayOf { ray, shape: T::of(shape)?, pose })
    }
}

impl<T: Target> Source<T> for Picked<'_, '_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.places.len()
    }

    #[inline(always)]
    fn item(&self, index: usize) -> Option<RayOf<'_, T>> {
        self.at(*self.places.get(index)?)
    }

    #[inline(always)]
    fn eight(&self, first: usize) -> Option<[RayOf<'_, T>; WIDTH]> {
        Some(each!(eight_from(self.places, first)?, &place => self.at(place)?))
    }

    #[inline(always)]
    fn place(&self, index: usize) -> usize {
        self.places.get(index).map_or(usize::MAX, |&place| place.into())
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{Quat, Vec3};

    use super::block::{Aimed, End};
    use super::*;
    use crate::real::{Real3, quaternion};

    /// The kernel for one ray in plain f64.
    fn clear<T: Target>(ray: &Ray, shape: &T, pose: &Pose, end: End) -> (bool, bool, bool) {
        let aim = Aimed {
            origin: Real3::from(ray.origin()),
            direction: ray.direction().into(),
            position: pose.position().into(),
            rotation: quaternion(pose),
            numbers: shape.numbers().map(f64::from),
        };
        let meeting = T::meet(&aim, &end);
        (meeting.missed, meeting.hit, meeting.inside)
    }

    /// Checks that what is clear is true, and that all but `few` are clear; how many rays start
    /// inside.
    fn check<T: Target>(seed: u64, few: u32, make: impl Fn(Vec3, Vec3, Vec3) -> T) -> u32 {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
        };
        let (mut hits, mut misses, mut unclear, mut inside) = (0, 0, 0, 0);
        for round in 0..20_000 {
            let mut vector = |scale: f32| Vec3::new(random(), random(), random()) * scale;
            let (origin, at, aside) = (vector(4.0), vector(1.0), vector(0.6));
            let (axis, shape) = (vector(1.0), make(vector(1.0), vector(1.0), vector(1.0)));
            let pose = Pose::new(at, Quat::from_xyzw(axis.x, axis.y, axis.z, 0.3)).unwrap();
            let Ok(ray) = Ray::new(origin, at + aside - origin) else { continue };
            let max_distance = if axis.x > 0.0 { f32::INFINITY } else { 3.0 + axis.y };
            let options = RayOptions { cull_back_faces: axis.z > 0.5, ..RayOptions::default() };
            let level = SimdLevel::scalar();
            let cast = block::Cast { max_distance, options: &options, level };
            let end =
                End { max_distance: max_distance.into(), cull_back_faces: options.cull_back_faces };
            let (missed, hit, within) = clear(&ray, &shape, &pose, end);
            let item = RayOf { ray: &ray, shape: &shape, pose: &pose };
            let answer = shape.raycast(&item, &cast);
            let started = answer.is_some_and(|answer| answer.started_inside);
            assert!(!within || started, "seed {seed}, round {round}: {ray:?} {pose:?}");
            assert!(!within || !hit && !missed, "seed {seed}, round {round}: {ray:?} {pose:?}");
            let entered = answer.is_some_and(|answer| !answer.started_inside);
            assert!(!hit || entered, "seed {seed}, round {round}: {ray:?} {pose:?}");
            assert!(!missed || answer.is_none(), "seed {seed}, round {round}: {ray:?} {pose:?}");
            hits += u32::from(hit);
            misses += u32::from(missed);
            inside += u32::from(within);
            unclear += u32::from(!hit && !missed && !started);
        }
        assert!(hits > 1000 && misses > 1000, "{hits} {misses}");
        assert!(unclear < few, "{unclear} unclear");
        inside
    }

    #[test]
    fn what_is_clear_is_also_true_and_nearly_all_is_clear() {
        assert!(check(1, 20, |v, _, _| Sphere::new(v.x.abs()).unwrap()) > 10);
        assert!(check(2, 20, |v, _, _| Cuboid::new(v.abs()).unwrap()) > 10);
        assert!(check(4, 20, |v, _, _| HalfSpace::new(v, v.x).unwrap()) > 10);
        // Starts inside are left to the single call, and so is what runs along the axis.
        let capsule = |a: Vec3, b: Vec3, c: Vec3| Capsule::new(a, b * 0.5, c.x.abs()).unwrap();
        assert_eq!(check(5, 400, capsule), 0);
        assert_eq!(check(3, 20, |a, b, c| Triangle::new(a, b, c).unwrap()), 0);
    }
}
