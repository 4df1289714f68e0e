//! Serde: every type as the numbers that make it, checked again when they are read.

use std::sync::Arc;

use glam::{Quat, Vec3};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Aabb, Capsule, Compound, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, HeightField, Obb,
    Plane, Pose, Ray, Rounded, Shape, Sides, Sphere, Triangle, TriangleMesh,
};

/// A type that is written as what some of its methods return, and made from these.
macro_rules! checked {
    ($type:ident, $name:literal, { $($field:ident: $of:ty),* }, $make:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                #[derive(Serialize)]
                #[serde(rename = $name)]
                struct Raw { $($field: $of),* }
                Raw { $($field: self.$field().clone()),* }.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(rename = $name, deny_unknown_fields)]
                struct Raw { $($field: $of),* }
                let Raw { $($field),* } = Raw::deserialize(deserializer)?;
                $make.map_err(D::Error::custom)
            }
        }
    };
}

checked!(Pose, "Pose", { position: Vec3, rotation: Quat }, Pose::new(position, rotation));
checked!(Aabb, "Aabb", { min: Vec3, max: Vec3 }, Aabb::new(min, max));
checked!(Ray, "Ray", { origin: Vec3, direction: Vec3 }, Ray::from_unit(origin, direction));
checked!(Plane, "Plane", { normal: Vec3, distance: f32 }, Plane::from_unit(normal, distance));
checked!(Obb, "Obb", { pose: Pose, half_extents: Vec3 }, Obb::new(pose, half_extents));
checked!(Sphere, "Sphere", { radius: f32 }, Sphere::new(radius));
checked!(Cuboid, "Cuboid", { half_extents: Vec3 }, Cuboid::new(half_extents));
checked!(Capsule, "Capsule", { a: Vec3, b: Vec3, radius: f32 }, Capsule::new(a, b, radius));
checked!(Cone, "Cone", { half_height: f32, radius: f32 }, Cone::new(half_height, radius));
checked!(
    Cylinder,
    "Cylinder",
    { half_height: f32, radius: f32 },
    Cylinder::new(half_height, radius)
);
checked!(Triangle, "Triangle", { a: Vec3, b: Vec3, c: Vec3 }, Triangle::new(a, b, c));
checked!(Rounded, "Rounded", { core: Shape, radius: f32 }, Rounded::new(core, radius));
checked!(
    HalfSpace,
    "HalfSpace",
    { normal: Vec3, offset: f32 },
    HalfSpace::from_unit(normal, offset)
);

impl Serialize for ConvexHull {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename = "ConvexHull")]
        struct Raw<'a> {
            vertices: &'a [Vec3],
        }
        Raw { vertices: self.vertices() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ConvexHull {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "ConvexHull", deny_unknown_fields)]
        struct Raw {
            vertices: Vec<Vec3>,
        }
        Self::new(&Raw::deserialize(deserializer)?.vertices).map_err(D::Error::custom)
    }
}

impl Serialize for TriangleMesh {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename = "TriangleMesh")]
        struct Raw<'a> {
            vertices: &'a [Vec3],
            triangles: &'a [[u32; 3]],
            sides: Sides,
        }
        let (vertices, triangles, sides) = (self.vertices(), self.triangles(), self.sides());
        Raw { vertices, triangles, sides }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TriangleMesh {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "TriangleMesh", deny_unknown_fields)]
        struct Raw {
            vertices: Vec<Vec3>,
            triangles: Vec<[u32; 3]>,
            #[serde(default)]
            sides: Sides,
        }
        let Raw { vertices, triangles, sides } = Raw::deserialize(deserializer)?;
        let mesh = Self::new(vertices, triangles).map_err(D::Error::custom)?;
        Ok(mesh.with_sides(sides))
    }
}

/// A height field; the heights are those of the vertices, and null where there is a hole.
#[derive(Serialize, Deserialize)]
#[serde(rename = "HeightField", deny_unknown_fields)]
struct RawField {
    rows: usize,
    columns: usize,
    scale: Vec3,
    scaled_heights: Vec<Option<f32>>,
    #[serde(default)]
    sides: Sides,
}

impl Serialize for HeightField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (rows, columns, scale) = (self.rows(), self.columns(), self.scale());
        let scaled_heights = self.scaled_heights().collect();
        RawField { rows, columns, scale, scaled_heights, sides: self.sides() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for HeightField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawField::deserialize(deserializer)?;
        let field = Self::from_scaled_heights(raw.rows, raw.columns, raw.scaled_heights, raw.scale);
        Ok(field.map_err(D::Error::custom)?.with_sides(raw.sides))
    }
}

impl Serialize for Compound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename = "Compound")]
        struct Raw<'a> {
            parts: &'a [(Pose, Shape)],
        }
        Raw { parts: self.parts() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Compound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Compound", deny_unknown_fields)]
        struct Raw {
            parts: Vec<(Pose, Shape)>,
        }
        Self::new(Raw::deserialize(deserializer)?.parts).map_err(D::Error::custom)
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename = "Shape", rename_all = "snake_case")]
        enum Raw<'a> {
            Sphere(&'a Sphere),
            Cuboid(&'a Cuboid),
            Capsule(&'a Capsule),
            Cylinder(&'a Cylinder),
            Cone(&'a Cone),
            Triangle(&'a Triangle),
            ConvexHull(&'a ConvexHull),
            Rounded(&'a Rounded),
            HalfSpace(&'a HalfSpace),
            TriangleMesh(&'a TriangleMesh),
            HeightField(&'a HeightField),
            Compound(&'a Compound),
        }
        let raw = match self {
            Self::Sphere(shape) => Raw::Sphere(shape),
            Self::Cuboid(shape) => Raw::Cuboid(shape),
            Self::Capsule(shape) => Raw::Capsule(shape),
            Self::Cylinder(shape) => Raw::Cylinder(shape),
            Self::Cone(shape) => Raw::Cone(shape),
            Self::Triangle(shape) => Raw::Triangle(shape),
            Self::ConvexHull(shape) => Raw::ConvexHull(shape),
            Self::Rounded(shape) => Raw::Rounded(shape),
            Self::HalfSpace(shape) => Raw::HalfSpace(shape),
            Self::TriangleMesh(shape) => Raw::TriangleMesh(shape),
            Self::HeightField(shape) => Raw::HeightField(shape),
            Self::Compound(shape) => Raw::Compound(shape),
        };
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename = "Shape", rename_all = "snake_case")]
        enum Raw {
            Sphere(Sphere),
            Cuboid(Cuboid),
            Capsule(Capsule),
            Cylinder(Cylinder),
            Cone(Cone),
            Triangle(Triangle),
            ConvexHull(Box<ConvexHull>),
            Rounded(Rounded),
            HalfSpace(HalfSpace),
            TriangleMesh(TriangleMesh),
            HeightField(HeightField),
            Compound(Compound),
        }
        Ok(match Raw::deserialize(deserializer)? {
            Raw::Sphere(shape) => Self::Sphere(shape),
            Raw::Cuboid(shape) => Self::Cuboid(shape),
            Raw::Capsule(shape) => Self::Capsule(shape),
            Raw::Cylinder(shape) => Self::Cylinder(shape),
            Raw::Cone(shape) => Self::Cone(shape),
            Raw::Triangle(shape) => Self::Triangle(Arc::new(shape)),
            Raw::ConvexHull(shape) => Self::ConvexHull(Arc::from(shape)),
            Raw::Rounded(shape) => Self::Rounded(Arc::new(shape)),
            Raw::HalfSpace(shape) => Self::HalfSpace(shape),
            Raw::TriangleMesh(shape) => Self::TriangleMesh(Arc::new(shape)),
            Raw::HeightField(shape) => Self::HeightField(Arc::new(shape)),
            Raw::Compound(shape) => Self::Compound(Arc::new(shape)),
        })
    }
}
