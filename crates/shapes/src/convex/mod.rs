//! What all convex solids have in common: a core in its own frame, grown by a radius.
//!
//! A sphere is a point grown by a radius, a capsule a segment, a rounded box a box. Whatever works
//! on a [`Core`] works on every convex shape at once; special code only makes it exact or fast.

pub mod gjk;
mod ray;
pub mod wolfe;

use glam::{DVec3, Vec3};
use smallvec::{SmallVec, smallvec};

use crate::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Rounded, Sphere, Triangle};

/// A convex core in its own frame.
#[derive(Clone, Copy, Debug)]
pub enum Core<'a> {
    /// The origin.
    Point,
    /// Everything between two points.
    Segment([Vec3; 2]),
    /// The box with these half extents around the origin.
    Cuboid(Vec3),
    /// Everything between three points.
    Triangle([Vec3; 3]),
    /// The convex hull of some points.
    Hull(&'a ConvexHull),
    /// A cylinder along Y around the origin.
    Cylinder(Cylinder),
    /// A cone along Y around the origin, its apex up.
    Cone(Cone),
}

/// A core grown by the sum of two radii: its shape's own and the margin around it.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a> {
    /// The core.
    pub core: Core<'a>,
    /// Kept apart, because their sum need not be an f32 or f64 number.
    pub radii: [f32; 2],
}

impl Solid<'_> {
    /// Sum of the radii, rounded once.
    #[must_use]
    #[inline]
    pub fn radius(&self) -> f64 {
        f64::from(self.radii[0]) + f64::from(self.radii[1])
    }

    /// A cylinder or a cone without a radius as the segment that it is, of which more is exact.
    #[must_use]
    #[inline]
    pub fn thinned(self) -> Self {
        let (half_height, radius) = match &self.core {
            Core::Cylinder(cylinder) => (cylinder.half_height(), cylinder.radius()),
            Core::Cone(cone) => (cone.half_height(), cone.radius()),
            _ => return self,
        };
        if radius > 0.0 {
            return self;
        }
        Self { core: Core::Segment([Vec3::Y * -half_height, Vec3::Y * half_height]), ..self }
    }
}

impl<'a> From<Core<'a>> for Solid<'a> {
    #[inline]
    fn from(core: Core<'a>) -> Self {
        Self { core, radii: [0.0; 2] }
    }
}

impl From<&Sphere> for Solid<'_> {
    #[inline]
    fn from(sphere: &Sphere) -> Self {
        Self { core: Core::Point, radii: [sphere.radius(), 0.0] }
    }
}

impl From<&Capsule> for Solid<'_> {
    #[inline]
    fn from(capsule: &Capsule) -> Self {
        let core = Core::Segment([capsule.a(), capsule.b()]);
        Self { core, radii: [capsule.radius(), 0.0] }
    }
}

impl From<&Cuboid> for Solid<'_> {
    #[inline]
    fn from(cuboid: &Cuboid) -> Self {
        Core::Cuboid(cuboid.half_extents()).into()
    }
}

impl From<&Triangle> for Solid<'_> {
    #[inline]
    fn from(triangle: &Triangle) -> Self {
        Core::Triangle(triangle.vertices()).into()
    }
}

impl From<&Cylinder> for Solid<'_> {
    #[inline]
    fn from(cylinder: &Cylinder) -> Self {
        Core::Cylinder(*cylinder).into()
    }
}

impl From<&Cone> for Solid<'_> {
    #[inline]
    fn from(cone: &Cone) -> Self {
        Core::Cone(*cone).into()
    }
}

impl<'a> From<&'a ConvexHull> for Solid<'a> {
    #[inline]
    fn from(hull: &'a ConvexHull) -> Self {
        Core::Hull(hull).into()
    }
}

impl<'a> From<&'a Rounded> for Solid<'a> {
    #[inline]
    fn from(rounded: &'a Rounded) -> Self {
        rounded.solid()
    }
}

impl Core<'_> {
    /// A point of the core farthest along `direction`, which need not have unit length.
    ///
    /// - Ties: the first vertex, the negative side of a box; the same point for the same bits.
    #[must_use]
    #[inline]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        match self {
            Self::Point => DVec3::ZERO,
            Self::Segment(ends) => farthest(ends, direction),
            Self::Cuboid(half) => {
                let side =
                    |along: f64, half: f32| f64::from(if along > 0.0 { half } else { -half });
                DVec3::new(
                    side(direction.x, half.x),
                    side(direction.y, half.y),
                    side(direction.z, half.z),
                )
            }
            Self::Triangle(vertices) => farthest(vertices, direction),
            Self::Hull(hull) => hull.support(direction),
            Self::Cylinder(cylinder) => cylinder.support(direction),
            Self::Cone(cone) => cone.support(direction),
        }
    }

    /// As [`Core::support`], but for hulls only up to rounding, which is sooner.
    ///
    /// - Error: no point of the core is farther by more than 2^-50 of the product of the
    ///   magnitudes.
    #[must_use]
    #[inline]
    pub fn support_nearly(&self, direction: DVec3) -> DVec3 {
        match self {
            Self::Hull(hull) => hull.support_nearly(direction),
            _ => self.support(direction),
        }
    }

    /// Some point in the middle.
    #[must_use]
    #[inline]
    pub fn middle(&self) -> DVec3 {
        match self {
            Self::Point | Self::Cuboid(_) | Self::Cylinder(_) | Self::Cone(_) => DVec3::ZERO,
            Self::Segment([a, b]) => (a.as_dvec3() + b.as_dvec3()) / 2.0,
            Self::Triangle([a, b, c]) => (a.as_dvec3() + b.as_dvec3() + c.as_dvec3()) / 3.0,
            Self::Hull(hull) => hull.center(),
        }
    }

    /// Largest absolute coordinate on each axis.
    #[must_use]
    #[inline]
    pub fn reach(&self) -> DVec3 {
        let largest = |points: &[Vec3]| {
            points.iter().fold(Vec3::ZERO, |most, p| most.max(p.abs())).as_dvec3()
        };
        match self {
            Self::Point => DVec3::ZERO,
            Self::Segment(ends) => largest(ends),
            Self::Cuboid(half) => half.as_dvec3(),
            Self::Triangle(vertices) => largest(vertices),
            Self::Hull(hull) => hull.extents(),
            Self::Cylinder(shape) => around_y(shape.half_height(), shape.radius()),
            Self::Cone(shape) => around_y(shape.half_height(), shape.radius()),
        }
    }

    /// The vertices whose convex hull the core is; `None` for curved cores.
    #[must_use]
    pub fn vertices(&self) -> Option<SmallVec<[Vec3; 8]>> {
        Some(match self {
            Self::Point => smallvec![Vec3::ZERO],
            Self::Segment(ends) => SmallVec::from_slice(ends),
            Self::Cuboid(half) => {
                let sign = |k: usize, bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                (0..8).map(|k| Vec3::new(sign(k, 1), sign(k, 2), sign(k, 4)) * half).collect()
            }
            Self::Triangle(vertices) => SmallVec::from_slice(vertices),
            Self::Hull(hull) => SmallVec::from_slice(hull.vertices()),
            Self::Cylinder(_) | Self::Cone(_) => return None,
        })
    }

    /// Directions of the edges, of any length, each once; the parallel edges of a box count as
    /// one. A curved core has its axis.
    #[must_use]
    pub fn edges(&self) -> SmallVec<[DVec3; 6]> {
        let between = |from: Vec3, to: Vec3| to.as_dvec3() - from.as_dvec3();
        match self {
            Self::Point => smallvec![],
            Self::Cylinder(_) | Self::Cone(_) => smallvec![DVec3::Y],
            Self::Segment([a, b]) => smallvec![between(*a, *b)],
            Self::Cuboid(half) => {
                let half = half.as_dvec3();
                (0..3).map(|i| DVec3::AXES[i] * half[i]).collect()
            }
            Self::Triangle([a, b, c]) => {
                smallvec![between(*a, *b), between(*b, *c), between(*c, *a)]
            }
            Self::Hull(hull) => hull
                .edges()
                .iter()
                .filter_map(|edge| {
                    let [from, to] =
                        edge.vertices.map(|v| hull.vertices().get(usize::try_from(v).ok()?));
                    Some(between(*from?, *to?))
                })
                .collect(),
        }
    }

    /// Normals of the flat faces, of any length but zero; opposite faces may share one.
    #[must_use]
    pub fn normals(&self) -> SmallVec<[DVec3; 6]> {
        match self {
            Self::Point | Self::Segment(_) => smallvec![],
            Self::Cylinder(_) | Self::Cone(_) => smallvec![DVec3::Y],
            Self::Cuboid(_) => SmallVec::from_slice(&DVec3::AXES),
            Self::Triangle([a, b, c]) => {
                let [a, b, c] = [a, b, c].map(|v| v.as_dvec3());
                smallvec![(b - a).cross(c - a)]
            }
            Self::Hull(hull) => hull.faces().map(|face| face.normal).collect(),
        }
    }
}

/// The first of the points that are farthest along `direction`.
#[inline]
fn farthest<const N: usize>(points: &[Vec3; N], direction: DVec3) -> DVec3 {
    let mut best = points[0].as_dvec3();
    let mut most = direction.dot(best);
    for point in &points[1..] {
        let point = point.as_dvec3();
        let along = direction.dot(point);
        if along > most {
            (best, most) = (point, along);
        }
    }
    best
}

/// Reach of a body of revolution along Y.
#[inline]
fn around_y(half_height: f32, radius: f32) -> DVec3 {
    Vec3::new(radius, half_height, radius).as_dvec3()
}
