//! Pairs of convex shapes for tests in here, the same in every run.

use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Pose, Shape};

/// Numbers from -1 to 1 that need no library.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        ((self.0 >> 40) as f32 / (1 << 23) as f32) - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.next();
        (self.0 >> 33) % count
    }

    /// A power of ten from a thousandth to ten thousand.
    pub(crate) fn scale(&mut self) -> f32 {
        let steps = i32::try_from(self.below(8)).unwrap_or(0);
        10.0_f32.powi(steps - 3)
    }

    /// Mostly fat, sometimes thin, flat or without one of its extents.
    fn extent(&mut self, scale: f32) -> f32 {
        let share = self.next().abs();
        scale
            * [share + 0.1, share + 0.1, share * 0.01, 0.0]
                [[0, 0, 0, 0, 1, 1, 2, 3][usize::try_from(self.below(8)).unwrap_or(0)]]
    }

    /// A cylinder, a cone, or a round one of them.
    pub(crate) fn round(&mut self, scale: f32) -> Shape {
        let (half, radius) = (self.extent(scale), self.extent(scale));
        let kind = self.below(4);
        let core = if kind.is_multiple_of(2) {
            Shape::cylinder(half, radius).unwrap()
        } else {
            Shape::cone(half, radius).unwrap()
        };
        let margin = scale * 0.2;
        if kind < 2 { core } else { Shape::rounded(core, margin).unwrap() }
    }

    /// A shape with corners, grown or not.
    pub(crate) fn cornered(&mut self, scale: f32) -> Shape {
        let grown = |core: Shape| Shape::rounded(core, scale * 0.2).unwrap();
        match self.below(6) {
            0 => {
                Shape::triangle(self.vector() * scale, self.vector() * scale, self.vector() * scale)
                    .unwrap()
            }
            1 => {
                let points: Vec<_> = (0..14).map(|_| self.vector() * scale).collect();
                Shape::convex_hull(&points).unwrap()
            }
            2 => grown(Shape::cuboid(self.vector().abs() * scale).unwrap()),
            3 => Shape::capsule(self.vector() * scale, self.vector() * scale, scale * 0.3).unwrap(),
            4 => {
                let points: Vec<_> = (0..10).map(|_| self.vector() * scale).collect();
                grown(Shape::convex_hull(&points).unwrap())
            }
            _ => Shape::cuboid(self.vector().abs() * scale).unwrap(),
        }
    }

    /// Turned by anything, or by quarters, so that faces and axes are level.
    pub(crate) fn pose(&mut self, position: Vec3) -> Pose {
        let w = self.next() + 1.5;
        let turn = Quat::from_vec4((self.vector(), w).into());
        let quarter = Quat::from_vec4((self.vector().round(), 1.0).into());
        Pose::new(position, if self.below(4) == 0 { quarter } else { turn }).unwrap()
    }
}
