//! The kinds of shapes that both libraries have, and shapes of each kind.

use std::sync::LazyLock;

use glam::Vec3;
use impinge_benches::near::HULL_VERTICES;
use impinge_shapes::{HeightField, Pose, Shape};
use impinge_testkit::rng::Rng;

/// Squares along a side of the surfaces.
const SQUARES: usize = 32;

/// A kind of shape. Of a pair, the kind that comes first here is A: where parry3d's function for
/// the pair takes its shapes in one order, it is this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Mesh,
    HeightField,
    Compound,
    HalfSpace,
    Cuboid,
    Capsule,
    Cylinder,
    Cone,
    Triangle,
    Hull,
    RoundCuboid,
    RoundCylinder,
    RoundCone,
    RoundHull,
    Sphere,
}

pub(super) const KINDS: [Kind; 15] = [
    Kind::Mesh,
    Kind::HeightField,
    Kind::Compound,
    Kind::HalfSpace,
    Kind::Cuboid,
    Kind::Capsule,
    Kind::Cylinder,
    Kind::Cone,
    Kind::Triangle,
    Kind::Hull,
    Kind::RoundCuboid,
    Kind::RoundCylinder,
    Kind::RoundCone,
    Kind::RoundHull,
    Kind::Sphere,
];

/// The surfaces, which are the same in all cases.
static SURFACES: LazyLock<[Shape; 2]> = LazyLock::new(surfaces);

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::HeightField => "height-field",
            Self::Compound => "compound",
            Self::HalfSpace => "half-space",
            Self::Cuboid => "box",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Cone => "cone",
            Self::Triangle => "triangle",
            Self::Hull => "hull",
            Self::RoundCuboid => "round-box",
            Self::RoundCylinder => "round-cylinder",
            Self::RoundCone => "round-cone",
            Self::RoundHull => "round-hull",
            Self::Sphere => "sphere",
        }
    }

    /// Whether it is a surface of many triangles.
    pub(super) fn is_surface(self) -> bool {
        matches!(self, Self::Mesh | Self::HeightField)
    }

    /// Whether each shape of the kind has memory of its own.
    pub(super) fn has_memory(self) -> bool {
        matches!(self, Self::Compound | Self::Hull | Self::RoundHull)
    }

    /// Whether it has points inside.
    pub(super) fn has_inside(self) -> bool {
        !self.is_surface() && self != Self::Triangle
    }

    /// Whether it is measured with `other`: surfaces, compounds and what is rarer meet some only.
    pub(super) fn meets(self, other: Self) -> bool {
        let (first, second) = (self.min(other), self.max(other));
        let plain = |kind| {
            matches!(
                kind,
                Self::Cuboid | Self::Capsule | Self::Cylinder | Self::Hull | Self::Sphere
            )
        };
        let rare = |kind| matches!(kind, Self::RoundCylinder | Self::RoundCone | Self::RoundHull);
        match first {
            Self::Mesh | Self::HeightField | Self::Compound => plain(second),
            Self::HalfSpace => second != Self::HalfSpace && !rare(second),
            _ if rare(first) || rare(second) => {
                first == second || first == Self::Cuboid || second == Self::Sphere
            }
            _ => true,
        }
    }

    /// A shape of the kind: bodies reach from 0.15 to 1.5 from their origin.
    pub(super) fn draw(self, rng: &mut Rng) -> Shape {
        let mut size = || rng.range(0.25, 0.75);
        let shape = match self {
            Self::Mesh => Ok(SURFACES[0].clone()),
            Self::HeightField => Ok(SURFACES[1].clone()),
            Self::Compound => Ok(compound(rng)),
            Self::HalfSpace => Shape::half_space(rng.direction(), 0.0).map_err(|_| self),
            Self::Cuboid => Shape::cuboid(rng.cube(0.25, 0.75)).map_err(|_| self),
            Self::Capsule => Shape::capsule_along_y(size(), rng.range(0.15, 0.4)).map_err(|_| self),
            Self::Cylinder => Shape::cylinder(size(), size()).map_err(|_| self),
            Self::Cone => Shape::cone(size(), size()).map_err(|_| self),
            Self::Triangle => {
                let mut corner = || rng.direction() * rng.range(0.5, 1.5);
                Shape::triangle(corner(), corner(), corner()).map_err(|_| self)
            }
            Self::Hull => {
                // Points of an ellipsoid, all of which are vertices.
                let radii = rng.cube(0.35, 0.85);
                let points: Vec<Vec3> =
                    (0..HULL_VERTICES).map(|_| rng.direction() * radii).collect();
                Shape::convex_hull(&points).map_err(|_| self)
            }
            Self::RoundCuboid => rounded(Self::Cuboid, rng),
            Self::RoundCylinder => rounded(Self::Cylinder, rng),
            Self::RoundCone => rounded(Self::Cone, rng),
            Self::RoundHull => rounded(Self::Hull, rng),
            Self::Sphere => Shape::sphere(size()).map_err(|_| self),
        };
        shape.expect("finite positive sizes")
    }
}

fn rounded(core: Kind, rng: &mut Rng) -> Result<Shape, Kind> {
    let core_shape = core.draw(rng);
    Shape::rounded(core_shape, rng.range(0.05, 0.2)).map_err(|_| core)
}

/// Four bodies around the origin.
fn compound(rng: &mut Rng) -> Shape {
    let kinds = [Kind::Cuboid, Kind::Capsule, Kind::Cuboid, Kind::Sphere];
    let parts = kinds.map(|kind| {
        let pose = Pose::new(rng.cube(-0.7, 0.7), rng.rotation()).expect("finite");
        (pose, kind.draw(rng))
    });
    Shape::compound(parts).expect("four parts")
}

/// Hills of two triangles a square, as a mesh and as a height field.
fn surfaces() -> [Shape; 2] {
    let (mut rng, side) = (Rng::new(1), SQUARES + 1);
    let heights: Vec<f32> = (0..side * side).map(|_| rng.range(-0.4, 0.4)).collect();
    let scale = Vec3::new(SQUARES as f32, 1.0, SQUARES as f32);
    let field = HeightField::new(side, side, heights, scale).expect("a square");
    [mesh_of(&field), field.into()]
}

/// The triangles of a height field as a mesh.
pub(super) fn mesh_of(field: &HeightField) -> Shape {
    let mut vertices = Vec::new();
    let triangles = (0..field.triangle_count() as u32).filter_map(|index| field.triangle(index));
    // Grid points come in the order of rows, so that neighbours share their vertices.
    let mut number = std::collections::BTreeMap::new();
    let corners: Vec<[u32; 3]> = triangles
        .map(|triangle| {
            triangle.vertices().map(|vertex| {
                *number.entry(vertex.to_array().map(f32::to_bits)).or_insert_with(|| {
                    vertices.push(vertex);
                    vertices.len() as u32 - 1
                })
            })
        })
        .collect();
    Shape::triangle_mesh(vertices, corners).expect("a mesh")
}

/// Half of a surface's side.
pub(super) fn half_side() -> f64 {
    SQUARES as f64 * 0.5
}
