//! Rays at shapes with margins from none to a thousandth of the size, needles among them.

use glam::{DVec3, Vec3, Vec3Swizzles};
use impinge_shapes::{Pose, Ray, RayOptions, Shape, ShapeRayHit};

use crate::draw::{Draw, EXIT, SKIP};

fn cast(shape: &Shape, pose: &Pose, ray: &Ray) -> Option<ShapeRayHit> {
    shape.raycast(pose, ray, f32::INFINITY, &RayOptions::default())
}

/// A power of two.
const GROWN: f32 = 1_048_576.0;

fn grown(shape: &Shape) -> Shape {
    match shape {
        Shape::Cuboid(cuboid) => Shape::cuboid(cuboid.half_extents() * GROWN).unwrap(),
        Shape::ConvexHull(hull) => {
            let corners: Vec<_> = hull.vertices().iter().map(|&v| v * GROWN).collect();
            Shape::convex_hull(&corners).unwrap()
        }
        _ => shape.clone(),
    }
}

/// How far a ray's points are from a box, in f64 from the coordinates alone.
struct Approach {
    half: DVec3,
    start: DVec3,
    way: DVec3,
}

impl Approach {
    fn distance(&self, at: f64) -> f64 {
        let point = self.start + self.way * at;
        (point - point.clamp(-self.half, self.half)).length()
    }

    /// The first of the nearest places, as the distance is convex.
    fn nearest(&self, end: f64) -> f64 {
        let (mut low, mut high) = (0.0, end);
        for _ in 0..200 {
            let third = (high - low) / 3.0;
            let (one, other) = (low + third, high - third);
            if self.distance(one) <= self.distance(other) { high = other } else { low = one }
        }
        low
    }

    /// The first place as near as `reach`, up to one that is.
    fn first(&self, reach: f64, later: f64) -> f64 {
        let (mut low, mut high) = (0.0, later);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if self.distance(middle) <= reach { high = middle } else { low = middle }
        }
        high
    }
}

/// Needles and boxes on a lattice, flat ones among them, with a margin and a ray that mostly
/// passes near.
fn draw_case(draw: &mut Draw, case: usize) -> (Vec3, f32, Ray) {
    let length = [10.0, 1e3, 1e4, 1e5][usize::from(draw.below(4))];
    let shares = [0.0, 1e-13, 1e-12, 1e-11, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3];
    let margin = shares[usize::from(draw.below(9))] * length;
    let flat = if case.is_multiple_of(3) { Vec3::new(1.0, 1.0, 0.0) } else { Vec3::ONE };
    loop {
        let (half, from, to) = if case.is_multiple_of(4) {
            ((draw.lattice() * 8.0).abs(), draw.lattice() * 16.0, draw.lattice() * 8.0)
        } else {
            let from = Vec3::new(-1.5 * length, draw.unit() * 3.0, draw.unit() * 3.0);
            let to = Vec3::new(draw.unit() * length, draw.unit() * 1.1, draw.unit() * 1.1);
            (Vec3::new(length, 1.0, 1.0), from, to)
        };
        if let Ok(ray) = Ray::new(from, to - from) {
            return (half * flat, margin, ray);
        }
    }
}

#[test]
fn boxes_with_margins_of_about_nothing_are_hit_where_they_are() {
    let mut draw = Draw(0x3a26);
    let (mut hits, mut misses) = (0, 0);
    for round in 0..12_000 {
        let (half, margin, ray) = draw_case(&mut draw, round);
        let (start, way) = (ray.origin().as_dvec3(), ray.direction().as_dvec3());
        let approach = Approach { half: half.as_dvec3(), start, way };
        let end = 4.0 * (start.length() + approach.half.length());
        let size = start.abs().element_sum() + approach.half.element_sum() + end;
        let (shell, radius) = (size / (1_u64 << 43) as f64, f64::from(margin));
        let nearest = approach.nearest(end);
        let least = approach.distance(nearest);
        let side = |k: u8, bit: u8| if k & bit == 0 { -1.0 } else { 1.0 };
        let corners = (0..8).map(|k| half * Vec3::new(side(k, 1), side(k, 2), side(k, 4)));
        let hull = Shape::convex_hull(&corners.collect::<Vec<_>>()).unwrap();
        for core in [Shape::cuboid(half).unwrap(), hull] {
            let of_core = cast(&core, &Pose::IDENTITY, &ray);
            let found = cast(&Shape::rounded(core.clone(), margin).unwrap(), &Pose::IDENTITY, &ray);
            let context = format!("{round}: {half} {margin:e} {ray:?} {found:?} {of_core:?}");
            assert!(found.is_some() || (of_core.is_none() && least > radius - shell), "{context}");
            assert!(found.is_none() || least < radius + shell, "{context}");
            misses += usize::from(found.is_none());
            let Some(hit) = found.filter(|hit| !hit.started_inside) else { continue };
            hits += 1;
            assert!(of_core.is_none_or(|it| it.distance >= hit.distance), "{context}");
            let scaled = Shape::rounded(grown(&core), margin * GROWN).unwrap();
            let far = Ray::from_unit(ray.origin() * GROWN, ray.direction()).unwrap();
            let other = cast(&scaled, &Pose::IDENTITY, &far).unwrap();
            assert_eq!((other.distance, other.normal), (hit.distance * GROWN, hit.normal));
            let cosine = -hit.normal.as_dvec3().dot(way);
            assert!(cosine > -1e-6, "{context}");
            let at = f64::from(hit.distance);
            let ulp = f64::from(hit.distance.next_up()) - at;
            let late = at - ulp - approach.first(radius.max(least), nearest);
            assert!(late <= 0.0 || late * cosine <= shell, "{context} late by {late}");
            let early = approach.first((radius + shell).max(least), nearest) - at - ulp;
            assert!(early <= 0.0, "{context} early by {early}");
        }
    }
    assert!(hits > 10_000 && misses > 3_000, "{hits} {misses}");
}

/// Whatever the core is and however it is turned: what hits it hits it with a margin, too.
#[test]
fn what_meets_a_core_meets_it_with_hardly_a_margin() {
    let mut draw = Draw(0x3a27);
    let (mut hits, mut misses, mut left) = (0, 0, 0);
    for round in 0..10_000 {
        let long = [1.0, 1e2, 1e4][usize::from(draw.below(3))];
        let mut corner = || draw.vector() * Vec3::new(long, 1.0, 1.0);
        let (a, b, c) = (corner(), corner(), corner());
        let core = match round % 5 {
            0 => Shape::triangle(a, b, c).unwrap(),
            1 => Shape::capsule(a, b, c.z.abs()).unwrap(),
            2 => Shape::cylinder(a.x.abs(), b.y.abs()).unwrap(),
            3 => Shape::cone(a.z.abs(), b.x.abs()).unwrap(),
            _ => Shape::convex_hull(&[a, b, c, a.yzx()]).unwrap(),
        };
        let pose = draw.pose();
        let ray = draw.ray_through(pose.transform_point(a.lerp(b, 0.25).lerp(c, 0.25)));
        let margin = [0.0, 1e-14, 1e-12, 1e-10][usize::from(draw.below(4))] * long;
        let shape = Shape::rounded(core.clone(), margin).unwrap();
        let context = format!("{round}: {shape:?} {pose:?} {ray:?}");
        let of = |shape: &Shape, options| shape.raycast(&pose, &ray, f32::INFINITY, options);
        let (expected, found) = (of(&core, &SKIP), of(&shape, &SKIP));
        misses += usize::from(found.is_none());
        if let (Some(expected), Some(hit)) = (expected, found) {
            assert!(hit.distance <= expected.distance.next_up(), "{expected:?} {hit:?} {context}");
        }
        let holds = shape.contains_point(&pose, ray.origin());
        assert!(found.is_some() || expected.is_none() || holds, "{expected:?} {context}");
        if let Some(hit) = found {
            hits += 1;
            assert!(hit.normal.dot(ray.direction()) <= 1e-6, "{hit:?} {context}");
        }
        if let Some(hit) = of(&shape, &EXIT).filter(|hit| hit.started_inside) {
            left += 1;
            assert!(hit.normal.dot(ray.direction()) >= -1e-6, "{hit:?} {context}");
        }
    }
    assert!(hits > 2_000 && misses > 2_000 && left > 1_000, "{hits} {misses} {left}");
}
