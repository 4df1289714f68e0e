//! Scenes that are hard for sweeps, grids or trees.

use glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Aabb, round};

use super::{Scene, SceneBody, body, bounds, boxes, cuboid, stream};
use crate::rng::{Rng, cube_root};

fn scene(bodies: Vec<SceneBody>, bounds: Aabb) -> Scene {
    Scene { name: "", bodies, bounds, sparse: true }
}

/// From `-half` to `half`.
fn around_origin(half: DVec3) -> Aabb {
    let half = round::nearest_vec(half);
    bounds(-half, half)
}

/// Rotated boxes with centres uniform in a region, which may be flat.
fn boxes_in(region: Aabb, count: usize, seed: u64) -> Scene {
    let mut rng = Rng::stream(seed, stream::BODIES);
    let mut draw = || {
        let position = rng.vec(region.min(), region.max());
        body(cuboid(rng.cube(0.25, 0.75)), position, rng.rotation())
    };
    scene((0..count).map(|_| draw()).collect(), region)
}

pub(super) fn line(count: usize, seed: u64) -> Scene {
    boxes_in(around_origin(DVec3::X * 0.75 * count as f64), count, seed)
}

pub(super) fn flat(count: usize, seed: u64) -> Scene {
    let half = (count as f64).sqrt();
    boxes_in(around_origin(DVec3::new(half, 0.0, half)), count, seed)
}

pub(super) fn spot(count: usize, seed: u64) -> Scene {
    boxes_in(around_origin(DVec3::ZERO), count, seed)
}

pub(super) fn sizes(count: usize, seed: u64) -> Scene {
    let mut rng = Rng::stream(seed, stream::BODIES);
    let region = around_origin(DVec3::splat(cube_root(count as f64)));
    let mut draw = || {
        let position = rng.vec(region.min(), region.max());
        let scale = rng.power_of_ten(-3.3, 0.7);
        let half_extents = round::nearest_vec(rng.cube(0.25, 0.75).as_dvec3() * scale);
        body(cuboid(half_extents), position, rng.rotation())
    };
    scene((0..count).map(|_| draw()).collect(), region)
}

pub(super) fn rods(count: usize, seed: u64) -> Scene {
    let mut rng = Rng::stream(seed, stream::BODIES);
    let side = cube_root(count as f64);
    let region = around_origin(DVec3::splat(side));
    let mut draw = |index: usize| {
        let mut half_extents = Vec3::splat(0.05);
        half_extents[index % 3] = round::nearest(side * 0.5);
        body(cuboid(half_extents), rng.vec(region.min(), region.max()), Quat::IDENTITY)
    };
    scene((0..count).map(&mut draw).collect(), region)
}

pub(super) fn islands(count: usize, seed: u64) -> Scene {
    boxes::clusters_in(around_origin(DVec3::splat(10_000.0)), count, seed)
}

pub(super) fn far(count: usize, seed: u64) -> Scene {
    let half = Vec3::splat(round::nearest(cube_root(count as f64)));
    let middle = Vec3::new(8_000.0, -5_000.0, 3_000.0);
    boxes_in(bounds(middle - half, middle + half), count, seed)
}
