//! The five scenes of boxes that peers were measured on.

use glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Aabb, round};

use super::{Scene, SceneBody, body, bounds, cuboid, stream};
use crate::rng::{Rng, cube_root};

fn scene(bodies: Vec<SceneBody>, bounds: Aabb) -> Scene {
    Scene { name: "", bodies, bounds, sparse: false }
}

/// A cube of the given side around the origin.
fn cube(side: f64) -> Aabb {
    let half = Vec3::splat(round::nearest(side * 0.5));
    bounds(-half, half)
}

fn uniform_side(count: usize) -> f64 {
    2.0 * cube_root(count as f64)
}

pub(super) fn uniform(count: usize, seed: u64) -> Scene {
    let mut rng = Rng::stream(seed, stream::BODIES);
    let region = cube(uniform_side(count));
    let mut draw = || {
        let position = rng.vec(region.min(), region.max());
        body(cuboid(rng.cube(0.25, 0.75)), position, rng.rotation())
    };
    scene((0..count).map(|_| draw()).collect(), region)
}

pub(super) fn plain(count: usize, seed: u64) -> Scene {
    let mut rng = Rng::stream(seed, stream::BODIES);
    let region = plain_region(count);
    let mut draw = || {
        let position = rng.vec(region.min(), region.max());
        body(cuboid(rng.cube(0.25, 0.75)), position, rng.rotation())
    };
    scene((0..count).map(|_| draw()).collect(), region)
}

/// The square of side `1.6·√N` around the origin, heights 0 to 3.
pub(super) fn plain_region(count: usize) -> Aabb {
    let half = round::nearest(0.8 * (count.max(1) as f64).sqrt());
    bounds(Vec3::new(-half, 0.0, -half), Vec3::new(half, 3.0, half))
}

pub(super) fn clusters(count: usize, seed: u64) -> Scene {
    clusters_in(cube(2.0 * uniform_side(count)), count, seed)
}

/// Gaussian clusters with centres uniform in a region.
pub(super) fn clusters_in(region: Aabb, count: usize, seed: u64) -> Scene {
    let mut places = Rng::stream(seed, stream::CENTERS);
    let centers: Vec<Vec3> =
        (0..(count / 500).max(4)).map(|_| places.vec(region.min(), region.max())).collect();
    let mut rng = Rng::stream(seed, stream::BODIES);
    let mut draw = || {
        let center = rng.pick(&centers).as_dvec3();
        let offset = DVec3::new(rng.gaussian(), rng.gaussian(), rng.gaussian()) * 6.0;
        let position = round::nearest_vec(center + offset);
        body(cuboid(rng.cube(0.25, 0.75)), position, rng.rotation())
    };
    scene((0..count).map(|_| draw()).collect(), region)
}

pub(super) fn mixed(count: usize, seed: u64) -> Scene {
    let mut rng = Rng::stream(seed, stream::BODIES);
    let region = cube(uniform_side(count));
    let mut draw = || {
        let position = rng.vec(region.min(), region.max());
        let scale = 0.8 * rng.power_of_ten(-1.3, 0.7);
        let half_extents = round::nearest_vec(rng.cube(0.25, 0.75).as_dvec3() * scale);
        body(cuboid(half_extents), position, rng.rotation())
    };
    scene((0..count).map(|_| draw()).collect(), region)
}

/// Unit cubes with whole-number centres, x fastest, then y, then z; the last layer may be partly
/// empty.
pub(super) fn stack(count: usize) -> Scene {
    let mut side = 1_u16;
    while usize::from(side).pow(3) < count {
        side += 1;
    }
    let half = Vec3::splat(0.5);
    let places =
        (0..side).flat_map(|z| (0..side).flat_map(move |y| (0..side).map(move |x| (x, y, z))));
    let bodies = places
        .take(count)
        .map(|(x, y, z)| {
            let position = Vec3::new(f32::from(x), f32::from(y), f32::from(z));
            body(cuboid(half), position, Quat::IDENTITY)
        })
        .collect();
    scene(bodies, bounds(Vec3::splat(-0.5), Vec3::splat(f32::from(side) - 0.5)))
}
