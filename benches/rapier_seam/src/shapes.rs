//! Shapes of parry as shapes of impinge.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use impinge_shapes::Shape;
use parry3d::math::Vector;
use parry3d::query::Unsupported;
use parry3d::shape::{Shape as PeerShape, SharedShape, TypedShape};

/// Shapes that were converted once, hulls and meshes above all.
///
/// A shape is known by its address, so the cache keeps a share of each: its address is no other
/// shape's as long as the cache lives. Clones share one cache.
#[derive(Clone, Debug, Default)]
pub struct ShapeCache {
    shapes: Arc<RwLock<BTreeMap<usize, (Kept, Shape)>>>,
}

/// A share of a shape, which keeps it where it is.
struct Kept(#[expect(dead_code, reason = "holds the address")] SharedShape);

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kept")
    }
}

fn address(shape: &dyn PeerShape) -> usize {
    std::ptr::from_ref(shape).cast::<()>().addr()
}

impl ShapeCache {
    /// Converts a shape now, so that it is not converted at each question.
    ///
    /// # Errors
    /// A kind of shape, or a size, that impinge does not know.
    pub fn adopt(&self, shape: &SharedShape) -> Result<(), Unsupported> {
        let converted = convert(&**shape)?;
        let mut shapes = self.shapes.write().unwrap_or_else(PoisonError::into_inner);
        shapes.insert(address(&**shape), (Kept(shape.clone()), converted));
        Ok(())
    }

    /// Number of shapes that were adopted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shapes.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether no shape was adopted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shape as impinge has it.
    pub(crate) fn shape(&self, shape: &dyn PeerShape) -> Result<Shape, Unsupported> {
        match shape.as_typed_shape() {
            TypedShape::Ball(ball) => Shape::sphere(ball.radius).map_err(|_| Unsupported),
            TypedShape::Cuboid(cuboid) => {
                Shape::cuboid(cuboid.half_extents).map_err(|_| Unsupported)
            }
            _ => {
                let shapes = self.shapes.read().unwrap_or_else(PoisonError::into_inner);
                match shapes.get(&address(shape)) {
                    Some((_, converted)) => Ok(converted.clone()),
                    None => convert(shape),
                }
            }
        }
    }
}

/// A shape of a kind that both know.
fn convert(shape: &dyn PeerShape) -> Result<Shape, Unsupported> {
    let points = |points: &[Vector]| points.to_vec();
    let rounded = |core: Option<Shape>, radius: f32| Shape::rounded(core?, radius).ok();
    let triangle = |t: &parry3d::shape::Triangle| Shape::triangle(t.a, t.b, t.c);
    let hull = |hull: &parry3d::shape::ConvexPolyhedron| Shape::convex_hull(&points(hull.points()));
    let converted = match shape.as_typed_shape() {
        TypedShape::Ball(ball) => Shape::sphere(ball.radius).ok(),
        TypedShape::Cuboid(cuboid) => Shape::cuboid(cuboid.half_extents).ok(),
        TypedShape::Capsule(capsule) => {
            let segment = &capsule.segment;
            Shape::capsule(segment.a, segment.b, capsule.radius).ok()
        }
        TypedShape::Segment(segment) => Shape::capsule(segment.a, segment.b, 0.0).ok(),
        TypedShape::Triangle(corners) => triangle(corners).ok(),
        TypedShape::Cylinder(c) => Shape::cylinder(c.half_height, c.radius).ok(),
        TypedShape::Cone(cone) => Shape::cone(cone.half_height, cone.radius).ok(),
        TypedShape::ConvexPolyhedron(polyhedron) => hull(polyhedron).ok(),
        TypedShape::HalfSpace(half_space) => Shape::half_space(half_space.normal, 0.0).ok(),
        TypedShape::TriMesh(mesh) => {
            Shape::triangle_mesh(points(mesh.vertices()), mesh.indices().to_vec()).ok()
        }
        TypedShape::RoundCuboid(round) => {
            let core = Shape::cuboid(round.inner_shape.half_extents).ok();
            rounded(core, round.border_radius)
        }
        TypedShape::RoundTriangle(round) => {
            rounded(triangle(&round.inner_shape).ok(), round.border_radius)
        }
        TypedShape::RoundCylinder(round) => {
            let core = Shape::cylinder(round.inner_shape.half_height, round.inner_shape.radius);
            rounded(core.ok(), round.border_radius)
        }
        TypedShape::RoundCone(round) => {
            let core = Shape::cone(round.inner_shape.half_height, round.inner_shape.radius);
            rounded(core.ok(), round.border_radius)
        }
        TypedShape::RoundConvexPolyhedron(round) => {
            rounded(hull(&round.inner_shape).ok(), round.border_radius)
        }
        _ => None,
    };
    converted.ok_or(Unsupported)
}
