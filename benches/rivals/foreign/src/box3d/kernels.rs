//! Tests of two shapes, without memory of a step before.

use std::{fmt, mem, ptr};

use box3d_sys::{
    b3Capsule, b3CollideCapsules, b3CollideHullAndCapsule, b3CollideHullAndSphere, b3CollideHulls,
    b3CollideSpheres, b3DistanceInput, b3LocalManifold, b3LocalManifoldPoint, b3RayCastHull,
    b3RayCastInput, b3SATCache, b3ShapeCast, b3ShapeCastPairInput, b3ShapeDistance, b3SimplexCache,
    b3Sphere,
};

use super::{Cloud, Hull, array, transform, vector};
use crate::{Pose, Vector};

/// `B3_OVERLAP_SLOP`: shapes that are less far apart overlap, for Box3D.
pub const OVERLAP_SLOP: f32 = 0.1 * 0.005;

/// Room for the points of a manifold, as its world has.
const POINTS: usize = 32;

/// A sphere.
#[derive(Clone, Copy, Debug)]
pub struct Sphere(b3Sphere);

impl Sphere {
    /// A sphere around the origin.
    pub fn new(radius: f32) -> Self {
        Self(b3Sphere { center: vector([0.0; 3]), radius })
    }
}

/// A capsule.
#[derive(Clone, Copy, Debug)]
pub struct Capsule(b3Capsule);

impl Capsule {
    /// A segment, grown by a radius.
    pub fn new(a: Vector, b: Vector, radius: f32) -> Self {
        Self(b3Capsule { center1: vector(a), center2: vector(b), radius })
    }
}

/// Points and normal of a contact, in the frame of the first shape.
pub struct Manifold {
    points: [mem::MaybeUninit<b3LocalManifoldPoint>; POINTS],
    count: usize,
    /// The normal.
    pub normal: Vector,
}

impl fmt::Debug for Manifold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.separations()).finish()
    }
}

impl Manifold {
    /// What a test writes through the manifold that it is given, and its capacity.
    #[inline]
    fn of(test: impl FnOnce(*mut b3LocalManifold, i32)) -> Self {
        let mut points = [const { mem::MaybeUninit::uninit() }; POINTS];
        let mut manifold =
            b3LocalManifold { points: points.as_mut_ptr().cast(), ..Default::default() };
        test(&raw mut manifold, POINTS as i32);
        let count = manifold.pointCount as usize;
        Self { points, count, normal: array(manifold.normal) }
    }

    fn separations(&self) -> impl Iterator<Item = f32> {
        let points = self.points[..self.count].iter();
        // SAFETY: the test wrote so many points; a part that it left out is not read.
        points.map(|point| unsafe { (*point.as_ptr()).separation })
    }

    /// Signed distance at the deepest point, if there is one: Box3D also makes points of shapes
    /// that are a little apart.
    #[inline]
    pub fn deepest(&self) -> Option<f32> {
        self.separations().min_by(f32::total_cmp)
    }
}

/// `b3CollideHulls`.
#[inline]
pub fn collide_hulls(a: Hull<'_>, b: Hull<'_>, b_in_a: &Pose) -> Manifold {
    let (b_in_a, mut cache) = (transform(b_in_a), b3SATCache::default());
    Manifold::of(|manifold, capacity| {
        // SAFETY: the manifold has room for `capacity` points, the hulls are valid.
        unsafe {
            b3CollideHulls(manifold, capacity, a.data(), b.data(), b_in_a, &raw mut cache);
        }
    })
}

/// `b3CollideHullAndSphere`.
#[inline]
pub fn collide_hull_and_sphere(a: Hull<'_>, b: &Sphere, b_in_a: &Pose) -> Manifold {
    let (b_in_a, mut cache) = (transform(b_in_a), b3SimplexCache::default());
    Manifold::of(|manifold, capacity| {
        // SAFETY: the manifold has room for `capacity` points, the hull is valid.
        unsafe {
            b3CollideHullAndSphere(manifold, capacity, a.data(), &b.0, b_in_a, &raw mut cache);
        }
    })
}

/// `b3CollideHullAndCapsule`.
#[inline]
pub fn collide_hull_and_capsule(a: Hull<'_>, b: &Capsule, b_in_a: &Pose) -> Manifold {
    let (b_in_a, mut cache) = (transform(b_in_a), b3SimplexCache::default());
    Manifold::of(|manifold, capacity| {
        // SAFETY: the manifold has room for `capacity` points, the hull is valid.
        unsafe {
            b3CollideHullAndCapsule(manifold, capacity, a.data(), &b.0, b_in_a, &raw mut cache);
        }
    })
}

/// `b3CollideCapsules`.
#[inline]
pub fn collide_capsules(a: &Capsule, b: &Capsule, b_in_a: &Pose) -> Manifold {
    let b_in_a = transform(b_in_a);
    Manifold::of(|manifold, capacity| {
        // SAFETY: the manifold has room for `capacity` points.
        unsafe { b3CollideCapsules(manifold, capacity, &a.0, &b.0, b_in_a) };
    })
}

/// `b3CollideSpheres`.
#[inline]
pub fn collide_spheres(a: &Sphere, b: &Sphere, b_in_a: &Pose) -> Manifold {
    let b_in_a = transform(b_in_a);
    Manifold::of(|manifold, capacity| {
        // SAFETY: the manifold has room for `capacity` points.
        unsafe { b3CollideSpheres(manifold, capacity, &a.0, &b.0, b_in_a) };
    })
}

/// `b3ShapeDistance`: 0 where they overlap.
#[inline]
pub fn distance(a: Cloud<'_>, b: Cloud<'_>, b_in_a: &Pose) -> f32 {
    let input = b3DistanceInput {
        proxyA: a.proxy(),
        proxyB: b.proxy(),
        transform: transform(b_in_a),
        useRadii: true,
    };
    let mut cache = b3SimplexCache::default();
    // SAFETY: the clouds have points, the cache is empty, and no simplexes are asked for.
    let output = unsafe { b3ShapeDistance(&input, &raw mut cache, ptr::null_mut(), 0) };
    output.distance
}

/// `b3ShapeCast`: which part of the way `b` goes until it touches `a`, if less than `most`.
#[inline]
pub fn cast(a: Cloud<'_>, b: Cloud<'_>, b_in_a: &Pose, way: Vector, most: f32) -> Option<f32> {
    let input = b3ShapeCastPairInput {
        proxyA: a.proxy(),
        proxyB: b.proxy(),
        transform: transform(b_in_a),
        translationB: vector(way),
        maxFraction: most,
        canEncroach: false,
    };
    // SAFETY: the clouds have points.
    let output = unsafe { b3ShapeCast(&input) };
    output.hit.then_some(output.fraction)
}

/// `b3RayCastHull`: which part of the way a ray goes until it meets the hull, if less than `most`,
/// and the normal there; all in the frame of the hull.
#[inline]
pub fn ray_hull(hull: Hull<'_>, origin: Vector, way: Vector, most: f32) -> Option<(f32, Vector)> {
    let (origin, translation) = (vector(origin), vector(way));
    let input = b3RayCastInput { origin, translation, maxFraction: most };
    // SAFETY: the hull is valid.
    let output = unsafe { b3RayCastHull(hull.data(), &input) };
    output.hit.then(|| (output.fraction, array(output.normal)))
}
