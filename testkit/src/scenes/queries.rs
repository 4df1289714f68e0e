//! Rays, sweeps and overlaps to ask in a scene.

use glam::{Quat, Vec3};
use impinge_shapes::{Pose, Ray, Shape, round};

use super::{Scene, cuboid, sphere, stream};
use crate::rng::Rng;

/// A ray and how far it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayCase {
    /// The ray.
    pub ray: Ray,
    /// Its length.
    pub max_distance: f32,
}

/// A shape that moves along a line.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepCase {
    /// The mover.
    pub shape: Shape,
    /// Its pose at the start.
    pub pose: Pose,
    /// Where it goes from there.
    pub displacement: Vec3,
}

/// A shape at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlapCase {
    /// The shape.
    pub shape: Shape,
    /// Its pose.
    pub pose: Pose,
}

/// Shapes that sweeps and overlaps are asked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryShape {
    /// Spheres of radius 0.1 to 0.5.
    Sphere,
    /// Rotated boxes of half extents 0.1 to 0.5.
    Cuboid,
    /// Spheres and boxes in turn, beginning with a sphere.
    Alternating,
}

fn draw(shapes: QueryShape, index: usize, scene: &Scene, rng: &mut Rng) -> (Shape, Pose) {
    let position = if scene.sparse && !scene.bodies.is_empty() {
        let body = &scene.bodies[rng.below(scene.bodies.len())];
        body.pose.position() + rng.cube(-4.0, 4.0)
    } else {
        rng.vec(scene.bounds.min(), scene.bounds.max())
    };
    let (size, rotation) = (rng.cube(0.1, 0.5), rng.rotation());
    let is_sphere = match shapes {
        QueryShape::Sphere => true,
        QueryShape::Cuboid => false,
        QueryShape::Alternating => index.is_multiple_of(2),
    };
    // Both draw the same numbers, so that a case has the same place whatever its shape.
    let (shape, rotation) =
        if is_sphere { (sphere(size.x), Quat::IDENTITY) } else { (cuboid(size), rotation) };
    (shape, Pose::new(position, rotation).expect("scenes draw finite poses"))
}

impl Scene {
    /// Rays from origins uniform in the bounds, in uniform directions, half the side long.
    #[must_use]
    pub fn rays(&self, count: usize, seed: u64) -> Vec<RayCase> {
        let mut rng = Rng::stream(seed, stream::RAYS);
        let max_distance = round::nearest(self.side() * 0.5);
        let mut draw = || {
            let origin = rng.vec(self.bounds.min(), self.bounds.max());
            RayCase { ray: ray(origin, rng.direction()), max_distance }
        };
        (0..count).map(|_| draw()).collect()
    }

    /// Shapes that start uniform in the bounds (in a sparse scene, beside a body) and move 0.5 to
    /// 10 in a uniform direction.
    #[must_use]
    pub fn sweeps(&self, shapes: QueryShape, count: usize, seed: u64) -> Vec<SweepCase> {
        let mut rng = Rng::stream(seed, stream::SWEEPS);
        let case = |index: usize| {
            let (shape, pose) = draw(shapes, index, self, &mut rng);
            let length = 0.5 + 9.5 * rng.unit();
            let displacement = round::nearest_vec(rng.direction().as_dvec3() * length);
            SweepCase { shape, pose, displacement }
        };
        (0..count).map(case).collect()
    }

    /// Shapes like those of [`Scene::sweeps`], at rest.
    #[must_use]
    pub fn overlaps(&self, shapes: QueryShape, count: usize, seed: u64) -> Vec<OverlapCase> {
        let mut rng = Rng::stream(seed, stream::OVERLAPS);
        let case = |index: usize| {
            let (shape, pose) = draw(shapes, index, self, &mut rng);
            OverlapCase { shape, pose }
        };
        (0..count).map(case).collect()
    }
}

fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray::new(origin, direction).expect("scenes draw finite rays")
}
