//! Pairs of convex shapes for tests in here, the same in every run.

use impinge_shapes::convex::gjk::{self, Support};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{HeightField, Pose, Shape, TriangleMesh};

use super::Cores;

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

    /// A surface, and a body that rests on it or lies near it.
    pub(crate) fn on_surface(&mut self) -> [(Shape, Pose); 2] {
        let (ground, (it, at)) = (self.surface(), self.body());
        if self.below(4) != 0 {
            return [(ground, Pose::IDENTITY), (it, at)];
        }
        let under = self.pose(Vec3::new(3.0, -2.0, 5.0));
        let turn = under.rotation() * at.rotation();
        let at = Pose::new(under.transform_point(at.position()), turn).unwrap();
        [(ground, under), (it, at)]
    }

    /// Level, in steps or rough; as a field or as a mesh.
    fn surface(&mut self) -> Shape {
        let rough = self.below(3);
        let height = |draw: &mut Self| match rough {
            0 => 0.0,
            1 => draw.next().round() * 0.25,
            _ => draw.next() * 0.5,
        };
        let heights: Vec<f32> = (0..36).map(|_| height(self)).collect();
        let field = HeightField::new(6, 6, heights, Vec3::new(5.0, 1.0, 5.0)).unwrap();
        if self.below(2) == 0 {
            return field.into();
        }
        let triangles = (0..50).filter_map(|k| field.triangle(k));
        let corners: Vec<Vec3> = triangles.flat_map(|triangle| triangle.vertices()).collect();
        let count = u32::try_from(corners.len()).unwrap();
        let faces = (0..count / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        TriangleMesh::new(corners, faces).unwrap().into()
    }

    /// What rests on the level surface, upright or not, has sunk into it and leans a little, or lies
    /// anywhere near it.
    fn body(&mut self) -> (Shape, Pose) {
        let shape = match self.below(4) {
            0 => self.round(1.0),
            1 => Shape::cuboid((self.vector().abs() * 4.0).ceil() * 0.25).unwrap(),
            2 => Shape::sphere(self.next().abs() + 0.1).unwrap(),
            _ => self.cornered(1.0),
        };
        let kind = self.below(4);
        let lean = self.vector().with_y(0.0) * (1.0 / 512.0);
        let turn = match kind {
            0 => Quat::IDENTITY,
            1 => Quat::from_xyzw(0.0, self.next(), 0.0, 1.0),
            2 => Quat::from_xyzw(0.0, self.next(), 0.0, 1.0) * Quat::from_vec4((lean, 1.0).into()),
            _ => Quat::from_vec4((self.vector(), 1.0).into()),
        };
        let place = self.vector() * 2.0;
        let low = shape.aabb(&Pose::new(Vec3::ZERO, turn).unwrap()).min().y;
        let sunk = if kind == 2 { self.next().abs() / 128.0 } else { 0.0 };
        let height = if self.below(2) == 0 { -low - sunk } else { place.y * 0.5 - low };
        (shape, Pose::new(place.with_y(height), turn).unwrap())
    }
}

/// How far a point of A's frame is from A's core, and from B's.
pub(super) fn off(cores: &Cores<'_>, point: DVec3) -> [f64; 2] {
    let to = |core: &dyn Fn(DVec3) -> DVec3| {
        gjk::nearest(|n| Support { a: core(n), b: point }, DVec3::X, cores.size).distance
    };
    [to(&|n| cores.support(n).a), to(&|n| cores.support(-n).b)]
}
