//! The one `match` over one shape.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use crate::{
    Aabb, Capsule, CapsuleError, Compound, CompoundError, Cuboid, CuboidError, HalfSpace,
    HalfSpaceError, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions,
    ShapeRayHit, Sphere, SphereError,
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
    /// Everything on one side of a plane.
    HalfSpace(HalfSpace),
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
            Self::HalfSpace(half_space) => half_space.aabb(pose),
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
            Self::HalfSpace(half_space) => half_space.support(direction),
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
    /// - Error: whether there is a hit, and whether the origin is inside, is decided exactly. The
    ///   distance is within one ulp of the exact one; each number is computed in f64 and rounded
    ///   once.
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
            Self::HalfSpace(half_space) => half_space.raycast(pose, ray, max_distance, options),
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
            Self::HalfSpace(half_space) => half_space.crossings(pose, ray, max_distance),
            Self::Compound(compound) => compound.crossings(pose, ray, max_distance),
        }
    }

    /// Whether the world point lies in the shape or on its boundary; never for a point that is
    /// not finite. Exact.
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        match self {
            Self::Sphere(sphere) => sphere.contains_point(pose, point),
            Self::Cuboid(cuboid) => cuboid.contains_point(pose, point),
            Self::Capsule(capsule) => capsule.contains_point(pose, point),
            Self::HalfSpace(half_space) => half_space.contains_point(pose, point),
            Self::Compound(compound) => compound.contains_point(pose, point),
        }
    }

    /// Side of the plane on which the whole shape lies. Exact.
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        match self {
            Self::Sphere(sphere) => sphere.classify(pose, plane),
            Self::Cuboid(cuboid) => cuboid.classify(pose, plane),
            Self::Capsule(capsule) => capsule.classify(pose, plane),
            Self::HalfSpace(half_space) => half_space.classify(pose, plane),
            Self::Compound(compound) => compound.classify(pose, plane),
        }
    }

    /// Volume, centre of mass and inertia at density 1; `None` for unbounded shapes.
    #[must_use]
    pub fn mass_properties(&self) -> Option<MassProperties> {
        match self {
            Self::Sphere(sphere) => Some(sphere.mass_properties()),
            Self::Cuboid(cuboid) => Some(cuboid.mass_properties()),
            Self::Capsule(capsule) => Some(capsule.mass_properties()),
            Self::HalfSpace(_) => None,
            Self::Compound(compound) => compound.mass_properties(),
        }
    }

    /// Number of parts: 1 for a simple shape.
    #[must_use]
    pub fn part_count(&self) -> usize {
        match self {
            Self::Compound(compound) => compound.parts().len(),
            Self::Sphere(_) | Self::Cuboid(_) | Self::Capsule(_) | Self::HalfSpace(_) => 1,
        }
    }

    /// Name of the kind of shape, as scene files spell it.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Cuboid(_) => "cuboid",
            Self::Capsule(_) => "capsule",
            Self::HalfSpace(_) => "half_space",
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
