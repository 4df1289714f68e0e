//! The rooms under test behind one interface, with generators of their shapes.

use impinge_narrowphase::pairs::{
    capsule_capsule, capsule_half_space, capsule_sphere, cuboid_sphere, half_space_half_space,
    half_space_sphere, sphere_sphere,
};
use impinge_narrowphase::{Impact, Patch, Relation, Relative, Separation};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, Cuboid, HalfSpace, Sphere};

use crate::random::Random;

/// A shape that tests can make and scale.
pub(crate) trait Kind: Clone + std::fmt::Debug {
    /// Sizes on a grid of 2^-8, some of them zero.
    fn random(random: &mut Random) -> Self;
    /// Small whole sizes, so that touching pairs occur by themselves.
    fn whole(random: &mut Random) -> Self;
    /// Sizes from the ends of f32.
    fn extreme(random: &mut Random) -> Self;
    fn scaled(&self, factor: f32) -> Self;
    /// The farthest point along a direction.
    fn support(&self, direction: DVec3) -> DVec3;
}

pub(crate) const EXTREMES: [f32; 14] =
    [0.0, -0.0, 1e-45, -1e-45, 1e-38, -1e-30, 1e-7, 1.0, -1.0, 3.0, 1e4, -1e30, 3.4e38, -3.4e38];

pub(crate) fn extreme_vec(random: &mut Random) -> Vec3 {
    Vec3::new(random.pick(&EXTREMES), random.pick(&EXTREMES), random.pick(&EXTREMES))
}

fn extreme_size(random: &mut Random) -> f32 {
    random.pick(&EXTREMES).abs()
}

fn size(random: &mut Random) -> f32 {
    if random.whole(0, 7) == 0 { 0.0 } else { random.grid(2, 8).abs() }
}

impl Kind for Sphere {
    fn random(random: &mut Random) -> Self {
        Self::new(size(random)).unwrap()
    }
    fn whole(random: &mut Random) -> Self {
        Self::new(f32::from(random.whole(0, 4))).unwrap()
    }
    fn extreme(random: &mut Random) -> Self {
        Self::new(extreme_size(random)).unwrap()
    }
    fn scaled(&self, factor: f32) -> Self {
        Self::new(self.radius() * factor).unwrap()
    }
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support(direction)
    }
}

impl Kind for Capsule {
    fn random(random: &mut Random) -> Self {
        let (a, b) = (random.grid_vec(2, 8), random.grid_vec(2, 8));
        let b = random.pick(&[a, b, b, b, Vec3::new(a.x, b.y, a.z), a * 1.5]);
        Self::new(a, b, size(random)).unwrap()
    }
    fn whole(random: &mut Random) -> Self {
        let a = random.whole_vec(3);
        let mut b = random.whole_vec(3);
        if random.whole(0, 1) == 0 {
            b = Vec3::new(a.x, b.y, a.z);
        }
        Self::new(a, b, f32::from(random.whole(0, 3))).unwrap()
    }
    fn extreme(random: &mut Random) -> Self {
        let (a, b) = (extreme_vec(random), extreme_vec(random));
        Self::new(a, b, extreme_size(random)).unwrap()
    }
    fn scaled(&self, factor: f32) -> Self {
        Self::new(self.a() * factor, self.b() * factor, self.radius() * factor).unwrap()
    }
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support(direction)
    }
}

impl Kind for Cuboid {
    fn random(random: &mut Random) -> Self {
        Self::new(Vec3::new(size(random), size(random), size(random))).unwrap()
    }
    fn whole(random: &mut Random) -> Self {
        Self::new(random.whole_vec(3).abs()).unwrap()
    }
    fn extreme(random: &mut Random) -> Self {
        Self::new(extreme_vec(random).abs()).unwrap()
    }
    fn scaled(&self, factor: f32) -> Self {
        Self::new(self.half_extents() * factor).unwrap()
    }
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support(direction)
    }
}

impl Kind for HalfSpace {
    fn random(random: &mut Random) -> Self {
        loop {
            let (normal, offset) = (random.grid_vec(1, 6), random.grid(2, 8));
            let Ok(shape) = Self::new(normal, offset) else { continue };
            // Normalising again must change nothing, so that `scaled` keeps the normal.
            if Self::new(shape.normal(), offset) == Ok(shape) {
                return shape;
            }
        }
    }
    fn whole(random: &mut Random) -> Self {
        let axis = random.pick(&[Vec3::X, Vec3::Y, Vec3::Z]);
        let normal = axis * f32::from(random.pick(&[-1_i16, 1]));
        Self::new(normal, f32::from(random.whole(-3, 3))).unwrap()
    }
    fn extreme(random: &mut Random) -> Self {
        loop {
            if let Ok(shape) = Self::new(extreme_vec(random), random.pick(&EXTREMES)) {
                return shape;
            }
        }
    }
    fn scaled(&self, factor: f32) -> Self {
        Self::new(self.normal(), self.offset() * factor).unwrap()
    }
    fn support(&self, direction: DVec3) -> DVec3 {
        self.support(direction).unwrap()
    }
}

pub(crate) type Query<A, B, R> = fn(&A, &B, &Relative) -> R;

/// The four queries of one room.
pub(crate) struct Room<A, B> {
    pub(crate) name: &'static str,
    pub(crate) relation: Query<A, B, Relation>,
    pub(crate) closest: Query<A, B, Separation>,
    pub(crate) manifold: fn(&A, &B, &Relative, f64) -> Option<Patch>,
    pub(crate) sweep: fn(&A, &B, &Relative, Vec3) -> Option<Impact>,
}

macro_rules! room {
    ($function:ident, $module:ident, $a:ty, $b:ty) => {
        pub(crate) fn $function() -> Room<$a, $b> {
            Room {
                name: stringify!($module),
                relation: $module::relation,
                closest: $module::closest,
                manifold: $module::manifold,
                sweep: $module::sweep,
            }
        }
    };
}

room!(sphere_sphere_room, sphere_sphere, Sphere, Sphere);
room!(capsule_sphere_room, capsule_sphere, Capsule, Sphere);
room!(cuboid_sphere_room, cuboid_sphere, Cuboid, Sphere);
room!(half_space_sphere_room, half_space_sphere, HalfSpace, Sphere);
room!(capsule_capsule_room, capsule_capsule, Capsule, Capsule);
room!(capsule_half_space_room, capsule_half_space, Capsule, HalfSpace);
room!(half_space_half_space_room, half_space_half_space, HalfSpace, HalfSpace);

/// Runs a generic check on every room.
macro_rules! every_room {
    ($check:ident) => {
        $check(&crate::rooms::sphere_sphere_room());
        $check(&crate::rooms::capsule_sphere_room());
        $check(&crate::rooms::cuboid_sphere_room());
        $check(&crate::rooms::half_space_sphere_room());
        $check(&crate::rooms::capsule_capsule_room());
        $check(&crate::rooms::capsule_half_space_room());
        $check(&crate::rooms::half_space_half_space_room());
    };
}
pub(crate) use every_room;
