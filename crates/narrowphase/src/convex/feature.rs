//! What a core shows along a direction: a face, an edge or a corner.

use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{ConvexHull, Cylinder};
use smallvec::{SmallVec, smallvec};

use super::depth::across;
use crate::{Relative, tolerance};

/// A face, an edge or a corner of a core.
#[derive(Clone, Debug)]
pub(crate) struct Feature {
    /// Three or more corners of a face in order around it, two ends of an edge, or one corner.
    pub(crate) corners: SmallVec<[DVec3; 8]>,
    /// Unit, out of the core; for a face only.
    pub(crate) normal: Option<DVec3>,
    /// Tells the faces of a core apart; the corners are told apart by their place.
    pub(crate) name: u32,
}

/// Corners of a polygon that stands for a disc.
const DISC: usize = 8;
/// Cosines and sines of eighths of a turn.
const EIGHTHS: [(f64, f64); DISC] = {
    const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [(1.0, 0.0), (S, S), (0.0, 1.0), (-S, S), (-1.0, 0.0), (-S, -S), (0.0, -1.0), (S, -S)]
};

impl Feature {
    /// The face that looks most along `direction`, a unit vector; an edge or a corner where the
    /// core has none there.
    pub(crate) fn facing(solid: &Solid<'_>, direction: DVec3) -> Self {
        let face = match &solid.core {
            Core::Point | Core::Segment(_) => None,
            Core::Cuboid(half) => Some(cuboid_face(*half, direction)),
            Core::Triangle(vertices) => triangle_face(vertices, direction),
            Core::Hull(hull) => hull_face(hull, direction),
            Core::Cylinder(cylinder) => cylinder_face(cylinder, direction),
            Core::Cone(cone) => {
                let (h, r) = (f64::from(cone.half_height()), f64::from(cone.radius()));
                let sideways = DVec3::new(direction.x, 0.0, direction.z);
                // The base where it looks along the direction more than the side does.
                if -direction.y > sideways.length() {
                    Some(disc(-h, r, direction))
                } else {
                    let rim = sideways.try_normalize().map_or(DVec3::ZERO, |out| out * r);
                    Some(Self::edge([DVec3::Y * h, rim - DVec3::Y * h], 2))
                }
            }
        };
        face.and_then(Self::simplified).unwrap_or_else(|| Self::tip(solid, direction))
    }

    /// The edge or corner that lies farthest along `direction`.
    pub(crate) fn tip(solid: &Solid<'_>, direction: DVec3) -> Self {
        let support = solid.core.support_nearly(direction);
        let corner = Self { corners: smallvec![support], normal: None, name: u32::MAX };
        let slack = tolerance::FLAT_ON * solid.core.reach().max_element();
        let level = direction.dot(support) - slack;
        let mut ends: SmallVec<[(u32, DVec3); 8]> = SmallVec::new();
        if let Core::Hull(hull) = &solid.core {
            hull.vertices_above(direction, level, |place, vertex| ends.push((place, vertex)));
        } else {
            let Some(vertices) = solid.core.vertices() else { return corner };
            let vertices = (0..).zip(vertices.iter().map(|v| v.as_dvec3()));
            ends.extend(vertices.filter(|(_, v)| direction.dot(*v) >= level));
        }
        match ends[..] {
            [(first, a), (_, b)] => Self::edge([a, b], first),
            _ => {
                ends.retain(|(_, v)| *v == support);
                Self { name: ends.first().map_or(0, |(first, _)| *first), ..corner }
            }
        }
    }

    fn edge(ends: [DVec3; 2], name: u32) -> Self {
        Self { corners: SmallVec::from_slice(&ends), normal: None, name }
    }

    /// Without corners that lie on their neighbour; `None` for a face without area.
    fn simplified(mut self) -> Option<Self> {
        self.corners.dedup();
        if self.corners.len() > 1 && self.corners.first() == self.corners.last() {
            self.corners.pop();
        }
        (self.normal.is_none() || self.corners.len() > 2).then_some(self)
    }

    /// The same feature of B, in A's frame.
    pub(crate) fn of_b(mut self, at: &Relative) -> Self {
        for corner in &mut self.corners {
            *corner = at.point_from_b(*corner);
        }
        self.normal = self.normal.map(|normal| *at.rotation() * normal);
        self
    }
}

fn cuboid_face(half: Vec3, direction: DVec3) -> Feature {
    let half = half.as_dvec3();
    let size = direction.abs();
    let mut axis = usize::from(size.y > size.x);
    axis = if size.z > size[axis] { 2 } else { axis };
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let negative = direction[axis] < 0.0;
    let sign = if negative { -1.0 } else { 1.0 };
    let corner = |along_u: f64, along_v: f64| {
        let mut corner = DVec3::ZERO;
        corner[axis] = sign * half[axis];
        corner[u] = along_u * half[u];
        corner[v] = along_v * half[v];
        corner
    };
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(u, v)| corner(u, v));
    Feature {
        corners: SmallVec::from_slice(&corners),
        normal: Some(DVec3::AXES[axis] * sign),
        name: u32::try_from(2 * axis).unwrap_or(0) + u32::from(negative),
    }
}

fn triangle_face(vertices: &[Vec3; 3], direction: DVec3) -> Option<Feature> {
    let [a, b, c] = vertices.map(Vec3::as_dvec3);
    let normal = (b - a).cross(c - a).try_normalize()?;
    let behind = normal.dot(direction) < 0.0;
    Some(Feature {
        corners: SmallVec::from_slice(&[a, b, c]),
        normal: Some(if behind { -normal } else { normal }),
        name: u32::from(behind),
    })
}

fn hull_face(hull: &ConvexHull, direction: DVec3) -> Option<Feature> {
    let name = hull.face_along(direction).unwrap_or(0);
    let face = hull.face(name)?;
    let mut corners = SmallVec::new();
    for &vertex in face.vertices {
        corners.extend(hull.vertex(vertex));
    }
    Some(Feature { corners, normal: face.normal.try_normalize(), name })
}

fn cylinder_face(cylinder: &Cylinder, direction: DVec3) -> Option<Feature> {
    let (h, r) = (f64::from(cylinder.half_height()), f64::from(cylinder.radius()));
    let sideways = DVec3::new(direction.x, 0.0, direction.z);
    let end = if direction.y < 0.0 { -h } else { h };
    if direction.y.abs() > sideways.length() {
        return Some(disc(end, r, direction));
    }
    let rim = sideways.try_normalize()? * r;
    Some(Feature::edge([rim - DVec3::Y * h, rim + DVec3::Y * h], 2))
}

/// The disc at this height as a polygon, with a corner where the direction points.
fn disc(height: f64, radius: f64, direction: DVec3) -> Feature {
    let sideways = DVec3::new(direction.x, 0.0, direction.z);
    let tilted = sideways.length() > tolerance::FLAT_ON.sqrt();
    let first = sideways.try_normalize().filter(|_| tilted).unwrap_or(DVec3::X);
    let second = DVec3::Y.cross(first);
    let corners = EIGHTHS
        .iter()
        .map(|(cosine, sine)| DVec3::Y * height + (first * *cosine + second * *sine) * radius)
        .collect();
    let normal = if direction.y < 0.0 { DVec3::NEG_Y } else { DVec3::Y };
    Feature { corners, normal: Some(normal), name: u32::from(direction.y < 0.0) }
}

/// Two unit vectors along a plane with this normal.
pub(crate) fn plane_axes(normal: DVec3) -> [DVec3; 2] {
    across(normal)
}
