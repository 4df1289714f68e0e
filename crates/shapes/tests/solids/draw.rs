//! What the tests of solids draw beside plain numbers.

use glam::{Quat, Vec3};
use impinge_shapes::{Capsule, Plane, Pose, Ray, RayOptions, StartedInside};

pub(crate) use crate::common::Draw;

pub(crate) const SKIP: RayOptions =
    RayOptions { started_inside: StartedInside::Skip, cull_back_faces: false };
pub(crate) const EXIT: RayOptions =
    RayOptions { started_inside: StartedInside::Exit, cull_back_faces: false };

impl Draw {
    /// Components that are multiples of a quarter, in -1 to 1.
    pub(crate) fn lattice(&mut self) -> Vec3 {
        let mut component = || f32::from(self.below(9)) * 0.25 - 1.0;
        Vec3::new(component(), component(), component())
    }

    /// Components of -1, 0 and 1.
    fn step(&mut self) -> Vec3 {
        let mut component = || [-1.0, 0.0, 1.0][usize::from(self.below(3))];
        Vec3::new(component(), component(), component())
    }

    /// Rotations of a cube, their close neighbours, and any others, of any length.
    pub(crate) fn rotation(&mut self) -> Quat {
        loop {
            let w = self.step().x;
            let exact = Quat::from_vec4(self.step().extend(w));
            let off = Quat::from_xyzw(self.unit(), self.unit(), self.unit(), self.unit());
            let scale = [1.0, 1e-30, 1e30, 0.7][usize::from(self.below(4))];
            let q = match self.below(6) {
                0 => off,
                1 => exact + off * 1e-7,
                2 => exact + off * 1e-22,
                3 => Quat::IDENTITY,
                _ => exact,
            };
            if Pose::new(Vec3::ZERO, q * scale).is_ok() {
                return q * scale;
            }
        }
    }

    /// Mostly near the origin, sometimes kilometres away.
    pub(crate) fn pose(&mut self) -> Pose {
        let far = if self.below(6) == 0 { self.step() * 8192.0 } else { Vec3::ZERO };
        Pose::new(self.vector() + far, self.rotation()).unwrap()
    }

    /// A ray that passes through the target, or close to it where rounding forbids.
    pub(crate) fn ray_through(&mut self, target: Vec3) -> Ray {
        loop {
            let direction = if self.below(2) == 0 { self.step() } else { self.vector() };
            let back = [0.0, 1.0, 2.0, 3.0, 1e-5, 8192.0][usize::from(self.below(6))];
            if let Ok(ray) = Ray::new(target - direction * back, direction) {
                return ray;
            }
        }
    }

    /// Capsules of all kinds, balls among them.
    pub(crate) fn capsule(&mut self) -> Capsule {
        let (a, b) = (self.vector(), self.vector());
        let b = if self.below(4) == 0 { a } else { b };
        Capsule::new(a, b, self.coordinate().abs()).unwrap()
    }

    pub(crate) fn plane_through(&mut self, point: Vec3) -> Plane {
        loop {
            if let Ok(plane) = Plane::through(point, self.vector()) {
                return plane;
            }
        }
    }

    pub(crate) fn max_distance(&mut self) -> f32 {
        match self.below(4) {
            0 => self.coordinate().abs() * 4.0,
            1 => 1e4,
            _ => f32::INFINITY,
        }
    }
}
