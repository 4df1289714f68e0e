//! The one `match` over one shape.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use crate::convex::Solid;
use crate::{
    Aabb, Capsule, CapsuleError, Compound, CompoundError, Cone, ConeError, ConvexHull,
    ConvexHullError, Cuboid, CuboidError, Cylinder, CylinderError, HalfSpace, HalfSpaceError,
    HeightField, HeightFieldError, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings,
    RayOptions, Rounded, RoundedError, ShapeRayHit, Sphere, SphereError, Triangle, TriangleError,
    TriangleMesh, TriangleMeshError,
};

/// A shape in its own frame: a closed set of points.
///
/// Cloning is cheap: large shapes are shared.
///
/// ```
/// use impinge_shapes::{Pose, Shape};
/// use glam::Vec3;
///
/// let shape = Shape::cuboid(Vec3::new(1.0, 2.0, 3.0))?;
/// assert_eq!(shape.aabb(&Pose::IDENTITY).max(), Vec3::new(1.0, 2.0, 3.0));
/// assert!(Shape::cuboid(Vec3::new(1.0, -2.0, 3.0)).is_err());
/// # Ok::<(), impinge_shapes::CuboidError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball around the origin.
    Sphere(Sphere),
    /// A box around the origin.
    Cuboid(Cuboid),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A cylinder along Y around the origin.
    Cylinder(Cylinder),
    /// A cone along Y around the origin, its apex up.
    Cone(Cone),
    /// Everything between three points; shared, because it is larger than the other simple shapes.
    Triangle(Arc<Triangle>),
    /// The convex hull of some points.
    ConvexHull(Arc<ConvexHull>),
    /// A convex shape grown by a margin.
    Rounded(Arc<Rounded>),
    /// Everything on one side of a plane.
    HalfSpace(HalfSpace),
    /// A surface of triangles.
    TriangleMesh(Arc<TriangleMesh>),
    /// A surface of heights over a grid.
    HeightField(Arc<HeightField>),
    /// Several shapes that move as one.
    Compound(Arc<Compound>),
}

impl Shape {
    /// A ball around the origin.
    ///
    /// # Errors
    /// A radius that is negative, NaN or infinite.
    pub fn sphere(radius: f32) -> Result<Self, SphereError> {
        Sphere::new(radius).map(Self::Sphere)
    }

    /// A box around the origin from its half extents.
    ///
    /// # Errors
    /// A half extent that is negative, NaN or infinite.
    pub fn cuboid(half_extents: Vec3) -> Result<Self, CuboidError> {
        Cuboid::new(half_extents).map(Self::Cuboid)
    }

    /// A capsule between two points.
    ///
    /// # Errors
    /// A point that is not finite, or a radius that is negative, NaN or infinite.
    pub fn capsule(a: Vec3, b: Vec3, radius: f32) -> Result<Self, CapsuleError> {
        Capsule::new(a, b, radius).map(Self::Capsule)
    }

    /// A capsule along Y around the origin; `half_height` is half of the segment.
    ///
    /// # Errors
    /// A half height or radius that is negative, NaN or infinite.
    pub fn capsule_along_y(half_height: f32, radius: f32) -> Result<Self, CapsuleError> {
        Capsule::along_y(half_height, radius).map(Self::Capsule)
    }

    /// A cylinder along Y around the origin.
    ///
    /// # Errors
    /// A half height or radius that is negative, NaN or infinite.
    pub fn cylinder(half_height: f32, radius: f32) -> Result<Self, CylinderError> {
        Cylinder::new(half_height, radius).map(Self::Cylinder)
    }

    /// A cone along Y around the origin: its base at `-half_height`, its apex at `half_height`.
    ///
    /// # Errors
    /// A half height or radius that is negative, NaN or infinite.
    pub fn cone(half_height: f32, radius: f32) -> Result<Self, ConeError> {
        Cone::new(half_height, radius).map(Self::Cone)
    }

    /// Everything between three points.
    ///
    /// # Errors
    /// A point that is not finite.
    pub fn triangle(a: Vec3, b: Vec3, c: Vec3) -> Result<Self, TriangleError> {
        Triangle::new(a, b, c).map(Self::from)
    }

    /// The convex hull of some points.
    ///
    /// # Errors
    /// No points, or one that is not finite.
    pub fn convex_hull(points: &[Vec3]) -> Result<Self, ConvexHullError> {
        ConvexHull::new(points).map(|hull| Self::ConvexHull(Arc::new(hull)))
    }

    /// A convex shape grown by a margin.
    ///
    /// # Errors
    /// A radius that is negative, NaN or infinite, or a core that is not convex or not bounded.
    pub fn rounded(core: Self, radius: f32) -> Result<Self, RoundedError> {
        Rounded::new(core, radius).map(|rounded| Self::Rounded(Arc::new(rounded)))
    }

    /// A surface of triangles, each of three indices of vertices.
    ///
    /// # Errors
    /// No triangles, a vertex that is not finite, or an index beyond the vertices.
    pub fn triangle_mesh(
        vertices: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<Self, TriangleMeshError> {
        TriangleMesh::new(vertices, triangles).map(|mesh| Self::TriangleMesh(Arc::new(mesh)))
    }

    /// A surface of heights over a grid of samples; see [`HeightField::new`].
    ///
    /// # Errors
    /// Fewer than two rows or columns, another number of heights, or a value that is not finite.
    pub fn height_field(
        rows: usize,
        columns: usize,
        heights: Vec<f32>,
        scale: Vec3,
    ) -> Result<Self, HeightFieldError> {
        HeightField::new(rows, columns, heights, scale)
            .map(|field| Self::HeightField(Arc::new(field)))
    }

    /// The points with `normal · x ≤ offset`.
    ///
    /// # Errors
    /// A value that is not finite, or a normal of zeros.
    pub fn half_space(normal: Vec3, offset: f32) -> Result<Self, HalfSpaceError> {
        HalfSpace::new(normal, offset).map(Self::HalfSpace)
    }

    /// Several shapes that move as one; parts that are compounds themselves are taken apart.
    ///
    /// # Errors
    /// No parts.
    pub fn compound(parts: impl IntoIterator<Item = (Pose, Self)>) -> Result<Self, CompoundError> {
        Compound::new(parts).map(|compound| Self::Compound(Arc::new(compound)))
    }

    /// Bounds in the world, rounded outward; unbounded shapes reach infinity.
    ///
    /// - Error: never smaller than the exact bounds; exact where these are f32 numbers and the
    ///   rotation only permutes the axes.
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Sphere(sphere) => sphere.aabb(pose),
            Self::Cuboid(cuboid) => cuboid.aabb(pose),
            Self::Capsule(capsule) => capsule.aabb(pose),
            Self::Cylinder(cylinder) => cylinder.aabb(pose),
            Self::Cone(cone) => cone.aabb(pose),
            Self::Triangle(triangle) => triangle.aabb(pose),
            Self::ConvexHull(hull) => hull.aabb(pose),
            Self::Rounded(rounded) => rounded.aabb(pose),
            Self::HalfSpace(half_space) => half_space.aabb(pose),
            Self::TriangleMesh(mesh) => mesh.aabb(pose),
            Self::HeightField(field) => field.aabb(pose),
            Self::Compound(compound) => compound.aabb(pose),
        }
    }

    /// A point of the shape farthest along `direction`, both in the shape's frame; `None` where
    /// the shape has no end in that direction.
    ///
    /// - Ties: the first in the order of the shape's own features (lower coordinates, first end,
    ///   first part); for a zero direction any point of the shape.
    #[must_use]
    pub fn support(&self, direction: DVec3) -> Option<DVec3> {
        match self {
            Self::Sphere(sphere) => Some(sphere.support(direction)),
            Self::Cuboid(cuboid) => Some(cuboid.support(direction)),
            Self::Capsule(capsule) => Some(capsule.support(direction)),
            Self::Cylinder(cylinder) => Some(cylinder.support(direction)),
            Self::Cone(cone) => Some(cone.support(direction)),
            Self::Triangle(triangle) => Some(triangle.support(direction)),
            Self::ConvexHull(hull) => Some(hull.support(direction)),
            Self::Rounded(rounded) => Some(rounded.support(direction)),
            Self::HalfSpace(half_space) => half_space.support(direction),
            Self::TriangleMesh(mesh) => Some(mesh.support(direction)),
            Self::HeightField(field) => Some(field.support(direction)),
            Self::Compound(compound) => compound.support(direction),
        }
    }

    /// Where a ray first meets the shape, within `max_distance` (inclusive, may be infinite).
    ///
    /// - Normal: a box answers with the face that is entered last.
    /// - Ties: on an edge or corner of a box the first face in the order of its own
    ///   +x -x +y -y +z -z; a compound reports the part with the smaller index.
    /// - Degenerate: a `max_distance` that is negative or NaN hits nothing. A shape without size
    ///   has the normal `-direction`.
    /// - Error: whether there is a hit, and whether the origin is inside, is decided exactly; for
    ///   rounded shapes as [`Rounded::raycast`] says. The distance is within one ulp above and two
    ///   below the exact one; each number is computed in f64 and rounded once.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Ray, RayOptions, Shape};
    /// use glam::Vec3;
    ///
    /// let ball = Shape::sphere(1.0)?;
    /// let pose = Pose::from_position(Vec3::new(0.0, 0.0, -10.0)).unwrap();
    /// let forward = Ray::new(Vec3::ZERO, Vec3::NEG_Z).unwrap();
    /// let hit = ball.raycast(&pose, &forward, 9.0, &RayOptions::default()).unwrap();
    /// assert_eq!((hit.distance, hit.normal), (9.0, Vec3::Z)); // the end of the ray counts
    ///
    /// let grazing = Ray::new(Vec3::new(0.0, 1.0, 0.0), Vec3::NEG_Z).unwrap();
    /// assert!(ball.raycast(&pose, &grazing, 99.0, &RayOptions::default()).is_some());
    /// # Ok::<(), impinge_shapes::SphereError>(())
    /// ```
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        match self {
            Self::Sphere(sphere) => sphere.raycast(pose, ray, max_distance, options),
            Self::Cuboid(cuboid) => cuboid.raycast(pose, ray, max_distance, options),
            Self::Capsule(capsule) => capsule.raycast(pose, ray, max_distance, options),
            Self::Cylinder(cylinder) => cylinder.raycast(pose, ray, max_distance, options),
            Self::Cone(cone) => cone.raycast(pose, ray, max_distance, options),
            Self::Triangle(triangle) => triangle.raycast(pose, ray, max_distance, options),
            Self::ConvexHull(hull) => hull.raycast(pose, ray, max_distance, options),
            Self::Rounded(rounded) => rounded.raycast(pose, ray, max_distance, options),
            Self::HalfSpace(half_space) => half_space.raycast(pose, ray, max_distance, options),
            Self::TriangleMesh(mesh) => mesh.raycast(pose, ray, max_distance, options),
            Self::HeightField(field) => field.raycast(pose, ray, max_distance, options),
            Self::Compound(compound) => compound.raycast(pose, ray, max_distance, options),
        }
    }

    /// Every place where a ray passes the boundary, within `max_distance` (inclusive, may be
    /// infinite), in order of distance.
    ///
    /// A ray that starts inside only leaves; one that grazes enters and leaves at the same
    /// distance, and so does one that passes a flat shape. A compound answers for each of its
    /// parts.
    ///
    /// - Normal: as in [`Shape::raycast`], where the ray leaves along it.
    /// - Ties: the smaller part first, and of one part the entry.
    /// - Degenerate: a `max_distance` that is negative or NaN crosses nothing.
    /// - Error: as in [`Shape::raycast`]; whether a crossing lies within the distance is decided
    ///   exactly.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Ray, Shape};
    /// use glam::Vec3;
    ///
    /// let wall = Shape::cuboid(Vec3::new(0.5, 3.0, 3.0))?;
    /// let ray = Ray::new(Vec3::new(-4.0, 0.0, 0.0), Vec3::X).unwrap();
    /// let crossings = wall.crossings(&Pose::IDENTITY, &ray, 100.0);
    /// assert_eq!((crossings[0].distance, crossings[0].normal), (3.5, Vec3::NEG_X));
    /// assert_eq!((crossings[1].distance, crossings[1].normal), (4.5, Vec3::X));
    /// assert!(crossings[0].entering && !crossings[1].entering);
    /// # Ok::<(), impinge_shapes::CuboidError>(())
    /// ```
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        match self {
            Self::Sphere(sphere) => sphere.crossings(pose, ray, max_distance),
            Self::Cuboid(cuboid) => cuboid.crossings(pose, ray, max_distance),
            Self::Capsule(capsule) => capsule.crossings(pose, ray, max_distance),
            Self::Cylinder(cylinder) => cylinder.crossings(pose, ray, max_distance),
            Self::Cone(cone) => cone.crossings(pose, ray, max_distance),
            Self::Triangle(triangle) => triangle.crossings(pose, ray, max_distance),
            Self::ConvexHull(hull) => hull.crossings(pose, ray, max_distance),
            Self::Rounded(rounded) => rounded.crossings(pose, ray, max_distance),
            Self::HalfSpace(half_space) => half_space.crossings(pose, ray, max_distance),
            Self::TriangleMesh(mesh) => mesh.crossings(pose, ray, max_distance),
            Self::HeightField(field) => field.crossings(pose, ray, max_distance),
            Self::Compound(compound) => compound.crossings(pose, ray, max_distance),
        }
    }

    /// Whether the world point lies in the shape or on its boundary; never for a point that is
    /// not finite. A surface has no inside.
    ///
    /// - Error: none, but for a rounded cylinder or cone; see [`Rounded::contains_point`].
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        match self {
            Self::Sphere(sphere) => sphere.contains_point(pose, point),
            Self::Cuboid(cuboid) => cuboid.contains_point(pose, point),
            Self::Capsule(capsule) => capsule.contains_point(pose, point),
            Self::Cylinder(cylinder) => cylinder.contains_point(pose, point),
            Self::Cone(cone) => cone.contains_point(pose, point),
            Self::Triangle(triangle) => triangle.contains_point(pose, point),
            Self::ConvexHull(hull) => hull.contains_point(pose, point),
            Self::Rounded(rounded) => rounded.contains_point(pose, point),
            Self::HalfSpace(half_space) => half_space.contains_point(pose, point),
            Self::TriangleMesh(mesh) => mesh.contains_point(pose, point),
            Self::HeightField(field) => field.contains_point(pose, point),
            Self::Compound(compound) => compound.contains_point(pose, point),
        }
    }

    /// Side of the plane on which the whole shape lies.
    ///
    /// - Error: none, but for a rounded cylinder or cone; see [`Rounded::classify`].
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        match self {
            Self::Sphere(sphere) => sphere.classify(pose, plane),
            Self::Cuboid(cuboid) => cuboid.classify(pose, plane),
            Self::Capsule(capsule) => capsule.classify(pose, plane),
            Self::Cylinder(cylinder) => cylinder.classify(pose, plane),
            Self::Cone(cone) => cone.classify(pose, plane),
            Self::Triangle(triangle) => triangle.classify(pose, plane),
            Self::ConvexHull(hull) => hull.classify(pose, plane),
            Self::Rounded(rounded) => rounded.classify(pose, plane),
            Self::HalfSpace(half_space) => half_space.classify(pose, plane),
            Self::TriangleMesh(mesh) => mesh.classify(pose, plane),
            Self::HeightField(field) => field.classify(pose, plane),
            Self::Compound(compound) => compound.classify(pose, plane),
        }
    }

    /// Volume, centre of mass and inertia at density 1; `None` for unbounded shapes, height fields
    /// and meshes that enclose nothing.
    #[must_use]
    pub fn mass_properties(&self) -> Option<MassProperties> {
        match self {
            Self::Sphere(sphere) => Some(sphere.mass_properties()),
            Self::Cuboid(cuboid) => Some(cuboid.mass_properties()),
            Self::Capsule(capsule) => Some(capsule.mass_properties()),
            Self::Cylinder(cylinder) => Some(cylinder.mass_properties()),
            Self::Cone(cone) => Some(cone.mass_properties()),
            Self::Triangle(triangle) => Some(triangle.mass_properties()),
            Self::ConvexHull(hull) => Some(hull.mass_properties()),
            Self::Rounded(rounded) => Some(rounded.mass_properties()),
            Self::HalfSpace(_) => None,
            Self::TriangleMesh(mesh) => mesh.mass_properties(),
            Self::HeightField(field) => field.mass_properties(),
            Self::Compound(compound) => compound.mass_properties(),
        }
    }

    /// The shape as convex algorithms see it; `None` for one that is not convex or not bounded.
    ///
    /// - Degenerate: a cylinder or a cone without a radius is a segment ([`Solid::thinned`]).
    #[must_use]
    #[inline]
    pub fn solid(&self) -> Option<Solid<'_>> {
        match self {
            Self::Sphere(sphere) => Some(sphere.into()),
            Self::Cuboid(cuboid) => Some(cuboid.into()),
            Self::Capsule(capsule) => Some(capsule.into()),
            Self::Cylinder(cylinder) => Some(Solid::from(cylinder).thinned()),
            Self::Cone(cone) => Some(Solid::from(cone).thinned()),
            Self::Triangle(triangle) => Some(triangle.as_ref().into()),
            Self::ConvexHull(hull) => Some(hull.as_ref().into()),
            Self::Rounded(rounded) => Some(rounded.solid()),
            Self::HalfSpace(_)
            | Self::TriangleMesh(_)
            | Self::HeightField(_)
            | Self::Compound(_) => None,
        }
    }

    /// Number of simple shapes in it: triangles of a surface, all those of all parts of a
    /// compound, otherwise 1. Parts of hits are below it.
    #[must_use]
    pub fn part_count(&self) -> usize {
        match self {
            Self::Compound(compound) => compound.part_count(),
            Self::TriangleMesh(mesh) => mesh.triangle_count(),
            Self::HeightField(field) => field.triangle_count(),
            Self::Sphere(_)
            | Self::Cuboid(_)
            | Self::Capsule(_)
            | Self::Cylinder(_)
            | Self::Cone(_)
            | Self::Triangle(_)
            | Self::ConvexHull(_)
            | Self::Rounded(_)
            | Self::HalfSpace(_) => 1,
        }
    }

    /// Name of the kind of shape, as scene files spell it.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Cuboid(_) => "cuboid",
            Self::Capsule(_) => "capsule",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Triangle(_) => "triangle",
            Self::ConvexHull(_) => "hull",
            Self::Rounded(_) => "rounded",
            Self::HalfSpace(_) => "half_space",
            Self::TriangleMesh(_) => "mesh",
            Self::HeightField(_) => "height_field",
            Self::Compound(_) => "compound",
        }
    }
}

impl From<Sphere> for Shape {
    fn from(sphere: Sphere) -> Self {
        Self::Sphere(sphere)
    }
}

impl From<Cuboid> for Shape {
    fn from(cuboid: Cuboid) -> Self {
        Self::Cuboid(cuboid)
    }
}

impl From<Capsule> for Shape {
    fn from(capsule: Capsule) -> Self {
        Self::Capsule(capsule)
    }
}

impl From<HalfSpace> for Shape {
    fn from(half_space: HalfSpace) -> Self {
        Self::HalfSpace(half_space)
    }
}

impl From<Compound> for Shape {
    fn from(compound: Compound) -> Self {
        Self::Compound(Arc::new(compound))
    }
}

impl From<Cylinder> for Shape {
    fn from(cylinder: Cylinder) -> Self {
        Self::Cylinder(cylinder)
    }
}

impl From<Cone> for Shape {
    fn from(cone: Cone) -> Self {
        Self::Cone(cone)
    }
}

impl From<Triangle> for Shape {
    fn from(triangle: Triangle) -> Self {
        Self::Triangle(Arc::new(triangle))
    }
}

impl From<ConvexHull> for Shape {
    fn from(hull: ConvexHull) -> Self {
        Self::ConvexHull(Arc::new(hull))
    }
}

impl From<Rounded> for Shape {
    fn from(rounded: Rounded) -> Self {
        Self::Rounded(Arc::new(rounded))
    }
}

impl From<TriangleMesh> for Shape {
    fn from(mesh: TriangleMesh) -> Self {
        Self::TriangleMesh(Arc::new(mesh))
    }
}

impl From<HeightField> for Shape {
    fn from(field: HeightField) -> Self {
        Self::HeightField(Arc::new(field))
    }
}
