//! What a solid shows along a direction: a face, a line along an edge or a round side, a corner.

use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{ConvexHull, Cylinder, HullFace};
use smallvec::{SmallVec, smallvec};

use super::depth::across;
use super::line::Line;
use crate::{Relative, tolerance};

/// A face, a line or a corner on the surface of a solid.
#[derive(Clone, Debug)]
pub(crate) struct Feature {
    /// Three or more corners of a face in order around it, two ends of a line, or one corner.
    pub(crate) corners: SmallVec<[DVec3; 8]>,
    /// One for each corner, which no other corner of the solid has.
    pub(crate) names: SmallVec<[u32; 8]>,
    /// Unit, out of the solid; for a face only.
    pub(crate) normal: Option<DVec3>,
    /// The place of the end of a line that lies farthest out, and the solid's support point beside
    /// it, which differs where a line that slopes is rounded.
    pub(crate) outermost: Option<(usize, DVec3)>,
}

/// Corners of a polygon that stands for a disc.
const DISC: usize = 8;
/// Cosines and sines of eighths of a turn.
pub(crate) const EIGHTHS: [(f64, f64); DISC] = {
    const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [(1.0, 0.0), (S, S), (0.0, 1.0), (-S, S), (-1.0, 0.0), (-S, -S), (0.0, -1.0), (S, -S)]
};

impl Feature {
    /// The face that looks most along `direction`, a unit vector, however much it is turned from
    /// it; none of a core without faces, or where a round side looks there.
    pub(super) fn face(solid: &Solid<'_>, direction: DVec3) -> Option<Self> {
        Plane::facing(solid, direction, None)?.feature(solid)
    }

    /// The face of a core that is no hull, as [`Feature::face`].
    fn simple_face(solid: &Solid<'_>, direction: DVec3) -> Option<Self> {
        let face = match &solid.core {
            Core::Point | Core::Segment(_) | Core::Hull(_) => None,
            Core::Cuboid(half) => Some(cuboid_face(*half, direction)),
            Core::Triangle(vertices) => triangle_face(vertices, direction),
            Core::Cylinder(cylinder) => cylinder_cap(cylinder, direction),
            Core::Cone(cone) => {
                let (h, r) = (f64::from(cone.half_height()), f64::from(cone.radius()));
                let sideways = DVec3::new(direction.x, 0.0, direction.z).length();
                // The base where it looks along the direction more than the side does.
                (-direction.y > sideways).then(|| disc(-h, r, direction))
            }
        }?;
        let raised = face.normal? * solid.radius();
        let mut face = face.simplified()?;
        face.corners.iter_mut().for_each(|corner| *corner += raised);
        Some(face)
    }

    /// What looks most along `direction`, a unit vector: a face, a line or a corner.
    pub(crate) fn facing(solid: &Solid<'_>, direction: DVec3) -> Self {
        Self::face(solid, direction)
            .filter(|face| solid.radius() <= 0.0 || face.looks_along(direction))
            .unwrap_or_else(|| Self::narrow(solid, direction))
    }

    /// As [`Feature::facing`], but no face.
    pub(super) fn narrow(solid: &Solid<'_>, direction: DVec3) -> Self {
        let line = Line::facing(solid, direction);
        let line = line.filter(|line| line.is_round() || line.runs_across(direction));
        line.map_or_else(|| Self::corner(solid, direction), |line| line.feature(solid, direction))
    }

    /// The corner that lies farthest along a unit vector.
    pub(super) fn corner(solid: &Solid<'_>, direction: DVec3) -> Self {
        let support = solid.core.support_nearly(direction);
        let corner = support + direction * solid.radius();
        let name = name_of_corner(&solid.core, direction, support);
        Self { corners: smallvec![corner], names: smallvec![name], normal: None, outermost: None }
    }

    /// A line between two ends.
    pub(super) fn of_line(
        ends: [DVec3; 2],
        names: [u32; 2],
        outermost: Option<(usize, DVec3)>,
    ) -> Self {
        let (corners, names) = (SmallVec::from_slice(&ends), SmallVec::from_slice(&names));
        Self { corners, names, normal: None, outermost }
    }

    /// The corner at a place, or the support point beside it.
    pub(crate) fn end(&self, place: usize) -> DVec3 {
        match self.outermost {
            Some((end, point)) if end == place => point,
            _ => self.corners[place],
        }
    }

    /// Whether this is a face that looks nearly along a unit vector.
    pub(super) fn looks_along(&self, direction: DVec3) -> bool {
        self.normal.is_some_and(|normal| looks_along(normal, direction))
    }

    /// Without corners that lie on their neighbour; `None` for a face without area.
    fn simplified(self) -> Option<Self> {
        let count = self.corners.len();
        let next = |k: usize| self.corners[if k + 1 < count { k + 1 } else { 0 }];
        if count > 2 && (0..count).all(|k| self.corners[k] != next(k)) {
            return Some(self);
        }
        let mut kept = Self { corners: smallvec![], names: smallvec![], ..self };
        for (corner, name) in self.corners.into_iter().zip(self.names) {
            if kept.corners.last() != Some(&corner) {
                kept.corners.push(corner);
                kept.names.push(name);
            }
        }
        if kept.corners.len() > 1 && kept.corners.first() == kept.corners.last() {
            kept.corners.pop();
            kept.names.pop();
        }
        (kept.corners.len() > 2).then_some(kept)
    }

    /// Brings a feature of B into A's frame.
    pub(super) fn place(&mut self, at: &Relative) {
        for corner in &mut self.corners {
            *corner = at.point_from_b(*corner);
        }
        self.normal = self.normal.map(|normal| *at.rotation() * normal);
        self.outermost = self.outermost.map(|(end, point)| (end, at.point_from_b(point)));
    }
}

/// Whether a face with this normal looks nearly along a unit vector.
fn looks_along(normal: DVec3, direction: DVec3) -> bool {
    let tilt = normal.cross(direction).length_squared();
    normal.dot(direction) > 0.0 && tilt <= tolerance::NEAR_FACE
}

/// Whether the face of a solid that looks most along a unit vector nearly does, without the face's
/// corners where its normal is easily told; of a hull, it may be known by its index.
pub(super) fn face_looks_along(solid: &Solid<'_>, direction: DVec3, known: Option<u32>) -> bool {
    match &solid.core {
        Core::Cuboid(half) if half.min_element() > 0.0 => {
            looks_along(DVec3::AXES[foremost_axis(direction)], direction.abs())
        }
        Core::Triangle(vertices) => {
            let normal = normal_of(vertices);
            let behind = normal.is_some_and(|normal| normal.dot(direction) < 0.0);
            normal
                .is_some_and(|normal| looks_along(if behind { -normal } else { normal }, direction))
        }
        _ => Plane::facing(solid, direction, known).is_some_and(|face| face.looks_along(direction)),
    }
}

/// Which face of a solid looks most along a direction: as [`Feature::face`], but the corners of a
/// hull's face, which lie elsewhere in memory than its normal, are looked up only when wanted.
#[expect(clippy::large_enum_variant, reason = "lives on the stack for the length of one query")]
pub(super) enum Plane<'a> {
    Hull { hull: &'a ConvexHull, face: HullFace<'a>, normal: DVec3 },
    Other(Feature),
}

impl<'a> Plane<'a> {
    /// Of a hull, the face may be known by its index.
    pub(super) fn facing(solid: &Solid<'a>, direction: DVec3, known: Option<u32>) -> Option<Self> {
        let Core::Hull(hull) = solid.core else {
            return Feature::simple_face(solid, direction).map(Self::Other);
        };
        let place = known.or_else(|| hull.face_along(direction)).unwrap_or(0);
        let face = hull.face(place)?;
        let normal = face.normal.try_normalize()?;
        Some(Self::Hull { hull, face, normal })
    }

    /// Whether it looks nearly along a unit vector.
    pub(super) fn looks_along(&self, direction: DVec3) -> bool {
        match self {
            Self::Hull { normal, .. } => looks_along(*normal, direction),
            Self::Other(face) => face.looks_along(direction),
        }
    }

    /// The face on the solid's surface.
    pub(super) fn feature(self, solid: &Solid<'_>) -> Option<Feature> {
        let (hull, face, normal) = match self {
            Self::Hull { hull, face, normal } => (hull, face, normal),
            Self::Other(face) => return Some(face),
        };
        let raised = normal * solid.radius();
        let corner = |&vertex: &u32| Some(hull.vertex(vertex)? + raised);
        // Neighbours differ: they are vertices of the hull.
        let corners = face.vertices.iter().filter_map(corner).collect();
        let names = SmallVec::from_slice(face.vertices);
        Some(Feature { corners, names, normal: Some(normal), outermost: None })
    }
}

/// Names the corner of a core that lies farthest along a direction.
pub(super) fn corner_name(core: &Core<'_>, direction: DVec3) -> u32 {
    let support =
        if matches!(core, Core::Hull(_)) { DVec3::ZERO } else { core.support_nearly(direction) };
    name_of_corner(core, direction, support)
}

/// As [`corner_name`], where `support` is the corner of a core that is no hull.
fn name_of_corner(core: &Core<'_>, direction: DVec3, support: DVec3) -> u32 {
    match core {
        Core::Hull(hull) => hull.support_vertex(direction),
        _ => core.vertices().map_or(0, |vertices| {
            let place = vertices.iter().position(|vertex| vertex.as_dvec3() == support);
            place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0)
        }),
    }
}

/// The axis along which a vector goes farthest, the first among equals.
fn foremost_axis(direction: DVec3) -> usize {
    let size = direction.abs();
    let axis = usize::from(size.y > size.x);
    if size.z > size[axis] { 2 } else { axis }
}

pub(super) fn cuboid_face(half: Vec3, direction: DVec3) -> Feature {
    let half = half.as_dvec3();
    let axis = foremost_axis(direction);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let sign = if direction[axis] < 0.0 { -1.0 } else { 1.0 };
    let (mut corners, mut names) = (SmallVec::new(), SmallVec::new());
    for (along_u, along_v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        let mut signs = DVec3::ZERO;
        (signs[axis], signs[u], signs[v]) = (sign, along_u, along_v);
        corners.push(signs * half);
        names.push(cuboid_corner(signs));
    }
    Feature { corners, names, normal: Some(DVec3::AXES[axis] * sign), outermost: None }
}

/// The name of the corner of a box that lies to these sides: its place among the vertices.
pub(super) fn cuboid_corner(signs: DVec3) -> u32 {
    let bit = |k: usize| u32::from(signs[k] > 0.0) << k;
    bit(0) | bit(1) | bit(2)
}

/// Unit normal of a triangle; none without an area.
fn normal_of(vertices: &[Vec3; 3]) -> Option<DVec3> {
    let [a, b, c] = vertices.map(Vec3::as_dvec3);
    (b - a).cross(c - a).try_normalize()
}

pub(super) fn triangle_face(vertices: &[Vec3; 3], direction: DVec3) -> Option<Feature> {
    let [a, b, c] = vertices.map(Vec3::as_dvec3);
    let normal = normal_of(vertices)?;
    let behind = normal.dot(direction) < 0.0;
    Some(Feature {
        corners: SmallVec::from_slice(&[a, b, c]),
        names: smallvec![0, 1, 2],
        normal: Some(if behind { -normal } else { normal }),
        outermost: None,
    })
}

fn cylinder_cap(cylinder: &Cylinder, direction: DVec3) -> Option<Feature> {
    let (h, r) = (f64::from(cylinder.half_height()), f64::from(cylinder.radius()));
    let sideways = DVec3::new(direction.x, 0.0, direction.z).length();
    let end = if direction.y < 0.0 { -h } else { h };
    (direction.y.abs() > sideways).then(|| disc(end, r, direction))
}

/// The disc at this height as a polygon that does not turn with the direction; but the corner
/// nearest to where the direction points lies exactly there.
fn disc(height: f64, radius: f64, direction: DVec3) -> Feature {
    let sideways = DVec3::new(direction.x, 0.0, direction.z);
    let tilted = sideways.length() > tolerance::SAME_POINT;
    let lowest = sideways.try_normalize().filter(|_| tilted);
    let below = u32::from(direction.y < 0.0);
    let mut corners: SmallVec<[DVec3; DISC]> = SmallVec::new();
    let mut names = SmallVec::new();
    let (mut nearest, mut most) = (0, f64::NEG_INFINITY);
    for (place, (cosine, sine)) in (0..).zip(EIGHTHS) {
        let out = DVec3::new(cosine, 0.0, sine);
        let along = lowest.map_or(0.0, |lowest| lowest.dot(out));
        if along > most {
            (nearest, most) = (corners.len(), along);
        }
        corners.push(out);
        names.push(place << 1 | below);
    }
    if let (Some(corner), Some(lowest)) = (corners.get_mut(nearest), lowest) {
        *corner = lowest;
    }
    let corners = corners.into_iter().map(|out| DVec3::Y * height + out * radius).collect();
    let normal = if direction.y < 0.0 { DVec3::NEG_Y } else { DVec3::Y };
    Feature { corners, names, normal: Some(normal), outermost: None }
}

/// Two unit vectors along a plane with this normal.
pub(crate) fn plane_axes(normal: DVec3) -> [DVec3; 2] {
    across(normal)
}
