//! What the soak draws at random.

use glam::{Quat, Vec3};
use impinge_shapes::{Pose, Ray, RayOptions, Shape, StartedInside, round};
use impinge_world::{BodyId, Filter, Groups, Kinds, RayQuery};

use super::Setting;
use super::naive::Naive;
use crate::generate::{self, Kind};
use crate::rng::Rng;

/// A power of two that takes a body far away, or makes it large.
fn large(rng: &mut Rng) -> f64 {
    (1_u64 << (4 + rng.below(17))) as f64
}

/// A multiple of a quarter of the unit, so that touching happens.
fn lattice(setting: &Setting, reach: f64, rng: &mut Rng) -> Vec3 {
    let (side, unit) = (reach / setting.unit, round::nearest(setting.unit));
    (rng.cube(-side, side) * 4.0).round() * 0.25 * unit
}

pub(super) fn rotation(rng: &mut Rng) -> Quat {
    match rng.below(10) {
        0..4 => Quat::IDENTITY,
        4 => Quat::from_xyzw(0.0, 1.0, 0.0, 1.0), // of no unit length
        _ => rng.rotation(),
    }
}

/// A place within the setting, or rarely far out of it.
pub(super) fn pose(setting: &Setting, rng: &mut Rng) -> Pose {
    let near = if rng.one_in(2) {
        lattice(setting, setting.side, rng)
    } else {
        rng.cube(-setting.side, setting.side)
    };
    let factor = if rng.one_in(150) { round::nearest(large(rng)) } else { 1.0 };
    generate::pose(near * factor, rotation(rng))
}

/// A little away from a pose, or turned a little.
pub(super) fn beside(pose: &Pose, setting: &Setting, rng: &mut Rng) -> Pose {
    let quarter = 0.25 * setting.unit;
    let position = pose.position() + rng.cube(-quarter, quarter);
    let turned = glam::Vec4::from(pose.rotation()) + rng.cube(-0.1, 0.1).extend(0.0);
    let rotation = if rng.one_in(2) { pose.rotation() } else { Quat::from_vec4(turned) };
    Pose::new(position, rotation).unwrap_or(*pose)
}

/// A shape of any kind; half-spaces are rare, because everything meets them.
pub(super) fn shape(setting: &Setting, rng: &mut Rng) -> (Kind, Shape) {
    let mut kind = rng.pick(&Kind::ALL);
    if kind == Kind::HalfSpace && !rng.one_in(4) {
        kind = Kind::Cuboid;
    }
    if rng.one_in(4) {
        // Round numbers touch their like on the lattice.
        let unit = round::nearest(setting.unit);
        let round = match kind {
            Kind::Sphere => Shape::sphere(0.5 * unit).ok(),
            Kind::Cuboid => Shape::cuboid(Vec3::new(0.5, 0.25, 1.0) * unit).ok(),
            Kind::Capsule => Shape::capsule_along_y(0.5 * unit, 0.25 * unit).ok(),
            Kind::Cylinder => Shape::cylinder(0.5 * unit, 0.5 * unit).ok(),
            Kind::HalfSpace => Shape::half_space(Vec3::Y, -4.0 * unit).ok(),
            _ => None,
        };
        if let Some(shape) = round {
            return (kind, shape);
        }
    }
    let size = match rng.below(30) {
        0 => 4.0,
        1 => 0.01,
        2 => large(rng),
        _ => 0.8,
    };
    (kind, generate::shape(kind, size * setting.unit, rng.one_in(12), rng))
}

pub(super) fn groups(rng: &mut Rng) -> Groups {
    if rng.one_in(3) {
        let bits = |rng: &mut Rng| u32::try_from(rng.below(8)).unwrap_or(0);
        Groups::new(bits(rng), bits(rng))
    } else {
        Groups::ALL
    }
}

pub(super) fn margin(setting: &Setting, rng: &mut Rng) -> f32 {
    if rng.one_in(8) { rng.range(0.0, 0.5 * setting.unit) } else { 0.0 }
}

/// A body of the list.
pub(super) fn id(naive: &Naive, rng: &mut Rng) -> Option<BodyId> {
    let count = naive.bodies.len();
    (count > 0).then(|| naive.bodies[rng.below(count)].id)
}

/// An id that names no body of the list.
pub(super) fn stale_id(naive: &Naive, rng: &mut Rng) -> BodyId {
    let removed: Vec<BodyId> =
        naive.issued.iter().copied().filter(|id| naive.get(*id).is_none()).collect();
    match rng.below(6) {
        0 => BodyId::default(),
        1 => BodyId::from_bits(u64::MAX),
        2 => BodyId::from_bits(1 << 32 | 0xffff_fff0),
        _ if removed.is_empty() => BodyId::default(),
        _ => rng.pick(&removed),
    }
}

fn every_third(id: BodyId) -> bool {
    !id.index().is_multiple_of(3)
}

/// A filter of any sort, now and then with ids that name nothing.
pub(super) fn filter(naive: &Naive, rng: &mut Rng) -> Filter<'static> {
    let mut filter = Filter::new();
    if rng.one_in(3) {
        filter = filter.groups(groups(rng));
    }
    if rng.one_in(2) {
        let kinds = [Kinds::ALL, Kinds::FIXED, Kinds::MOVING, Kinds::SENSORS, Kinds::SOLID];
        filter = filter.kinds(rng.pick(&kinds));
    }
    let any_id = |rng: &mut Rng| {
        if rng.one_in(8) { Some(stale_id(naive, rng)) } else { id(naive, rng) }
    };
    if rng.one_in(5) {
        filter.exclude = any_id(rng);
    }
    if rng.one_in(5) {
        // One that ignores somebody, if there is one.
        let ignoring = naive.ignored.first().map(|pair| pair.0);
        filter.asked_by = if rng.one_in(2) { ignoring } else { any_id(rng) };
    }
    if rng.one_in(6) {
        filter = filter.predicate(&every_third);
    }
    filter
}

pub(super) fn ray(setting: &Setting, rng: &mut Rng) -> Ray {
    loop {
        let direction =
            if rng.one_in(3) { lattice(setting, setting.unit, rng) } else { rng.direction() };
        if let Ok(ray) = Ray::new(pose(setting, rng).position(), direction) {
            return ray;
        }
    }
}

pub(super) fn ray_query(setting: &Setting, naive: &Naive, rng: &mut Rng) -> RayQuery<'static> {
    let started = [StartedInside::Hit, StartedInside::Skip, StartedInside::Exit];
    let options = RayOptions { started_inside: rng.pick(&started), cull_back_faces: rng.one_in(5) };
    let query = RayQuery::new(ray(setting, rng), reach(setting, rng));
    query.options(options).filter(filter(naive, rng))
}

/// A way to go; rarely one that is not finite.
pub(super) fn displacement(setting: &Setting, rng: &mut Rng) -> Vec3 {
    match rng.below(16) {
        0 => Vec3::ZERO,
        1 => Vec3::new(f32::NAN, 0.0, 0.0),
        2 => Vec3::new(0.0, f32::NEG_INFINITY, 0.0),
        3..9 => lattice(setting, setting.side, rng),
        _ => rng.cube(-setting.side, setting.side),
    }
}

/// A length to look for something, now and then an odd one.
pub(super) fn reach(setting: &Setting, rng: &mut Rng) -> f32 {
    match rng.below(12) {
        0 => f32::INFINITY,
        1 => f32::NAN,
        2 => round::nearest(-0.25 * setting.unit),
        3 => 0.0,
        4..7 => round::nearest(0.5 * setting.unit),
        _ => rng.range(0.0, 2.0 * setting.side),
    }
}
