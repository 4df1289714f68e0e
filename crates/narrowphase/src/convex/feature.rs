//! What a solid shows along a direction: a face, a line along an edge or a round side, a corner.

use impinge_shapes::ConvexHull;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::{DVec3, Vec3};
use smallvec::SmallVec;

use super::depth::across;
use super::disc::{self, EIGHTHS};
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
    /// Radius of the disc whose rim the corners are; else zero.
    pub(crate) rim: f64,
    /// The place of the corner of a rim that is its outermost point, where it leans.
    pub(super) lowest: Option<usize>,
}

impl Feature {
    /// What looks most along `direction`, a unit vector: a face, a line or a corner.
    pub(crate) fn facing(solid: &Solid<'_>, direction: DVec3) -> Self {
        let face = Plane::facing(solid, direction, None)
            .filter(|face| solid.radius() <= 0.0 || face.looks_along(direction));
        let mut feature = Self::nothing();
        match face {
            Some(face) => face.fill(solid.radius(), direction, &mut feature),
            None => feature.narrow(solid, direction),
        }
        feature
    }

    /// To be filled where it stays, because features are large.
    #[inline(always)]
    pub(super) fn nothing() -> Self {
        Self {
            corners: SmallVec::new(),
            names: SmallVec::new(),
            normal: None,
            outermost: None,
            rim: 0.0,
            lowest: None,
        }
    }

    /// Becomes what looks most along a unit vector, but no face.
    pub(super) fn narrow(&mut self, solid: &Solid<'_>, direction: DVec3) {
        self.corners.clear();
        self.names.clear();
        (self.normal, self.outermost, self.rim, self.lowest) = (None, None, 0.0, None);
        match Line::facing(solid, direction) {
            Some(line) if line.is_round() || line.runs_across(direction) => {
                line.fill(solid, direction, self);
            }
            _ => {
                let support = solid.core.support_nearly(direction);
                self.corners.push(support + direction * solid.radius());
                self.names.push(name_of_corner(&solid.core, direction, support));
            }
        }
    }

    /// The corner at a place, or the support point beside it.
    pub(crate) fn end(&self, place: usize) -> DVec3 {
        match self.outermost {
            Some((end, point)) if end == place => point,
            _ => self.corners[place],
        }
    }

    /// What of a rim is kept where all of it is over a face: places, and what is there, given the
    /// quarters of a solid's upper and lower rim.
    pub(crate) fn kept(
        &self,
        margin: f64,
        distance: impl Fn(DVec3) -> f64,
        quarters: [u8; 2],
    ) -> impl Iterator<Item = (usize, DVec3)> {
        let mut distances = [f64::INFINITY; disc::CORNERS];
        for (distance_of, &corner) in distances.iter_mut().zip(&self.corners) {
            *distance_of = distance(corner);
        }
        let is_lower = self.names.first().is_some_and(|name| name & 1 == 1);
        let (kept, replaced) = disc::kept(&distances, margin, quarters[usize::from(is_lower)]);
        let places = (0..self.corners.len()).filter(move |place| kept >> place & 1 == 1);
        places.map(move |place| {
            let lowest = self.lowest.filter(|_| place == replaced);
            (place, self.corners[lowest.unwrap_or(place)])
        })
    }

    fn add_cuboid(&mut self, half: DVec3, axis: usize, normal: DVec3) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (along_u, along_v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let mut signs = normal;
            (signs[u], signs[v]) = (along_u, along_v);
            self.corners.push(signs * half);
            self.names.push(cuboid_corner(signs));
        }
    }

    /// The disc at this height as a polygon that does not turn with the direction; but the corner
    /// nearest to where the direction points lies exactly there.
    fn add_disc(&mut self, height: f64, radius: f64, direction: DVec3) {
        let sideways = DVec3::new(direction.x, 0.0, direction.z);
        let tilted = sideways.length() > tolerance::SAME_POINT;
        let lowest = sideways.try_normalize().filter(|_| tilted);
        let below = u32::from(direction.y < 0.0);
        let (mut nearest, mut most) = (0, f64::NEG_INFINITY);
        for (place, (cosine, sine)) in EIGHTHS.into_iter().enumerate() {
            let out = DVec3::new(cosine, 0.0, sine);
            let along = lowest.map_or(0.0, |lowest| lowest.dot(out));
            if along > most {
                (nearest, most) = (place, along);
            }
        }
        (self.rim, self.lowest) = (radius, lowest.map(|_| nearest));
        for (place, (cosine, sine)) in (0..).zip(EIGHTHS) {
            let out = match lowest {
                Some(lowest) if self.corners.len() == nearest => lowest,
                _ => DVec3::new(cosine, 0.0, sine),
            };
            self.corners.push(DVec3::Y * height + out * radius);
            self.names.push(place << 1 | below);
        }
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

/// Whether the face of a solid that looks most along a unit vector nearly does; of a hull, it may be
/// known by its index.
pub(super) fn face_looks_along(solid: &Solid<'_>, direction: DVec3, known: Option<u32>) -> bool {
    Plane::facing(solid, direction, known).is_some_and(|face| face.looks_along(direction))
}

/// Which face of a solid looks most along a direction, however much it is turned from it, without
/// its corners, which are large, and of a hull elsewhere in memory than the normal.
#[derive(Clone, Copy)]
pub(super) struct Plane<'a> {
    of: Of<'a>,
    /// Unit, out of the solid.
    pub(super) normal: DVec3,
}

/// Whose face it is.
#[derive(Clone, Copy)]
enum Of<'a> {
    Cuboid { half: DVec3, axis: usize },
    Disc { height: f64, radius: f64 },
    Hull(&'a ConvexHull, u32),
    Triangle([Vec3; 3]),
}

impl<'a> Plane<'a> {
    /// None of a core without faces or whose face there has no area, or where a round side looks
    /// there; of a hull, the face may be known by its index.
    pub(super) fn facing(solid: &Solid<'a>, direction: DVec3, known: Option<u32>) -> Option<Self> {
        match &solid.core {
            Core::Point | Core::Segment(_) => None,
            Core::Cuboid(half) => {
                let face = Self::of_cuboid(*half, direction);
                let across = half.as_dvec3() + face.normal.abs();
                (across.min_element() > 0.0).then_some(face)
            }
            Core::Triangle(vertices) => Self::of_triangle(vertices, direction),
            Core::Hull(hull) => {
                let place = known.or_else(|| hull.face_along(direction)).unwrap_or(0);
                Self::of_hull(hull, place)
            }
            Core::Cylinder(cylinder) => {
                let (h, r) = (f64::from(cylinder.half_height()), f64::from(cylinder.radius()));
                let is_below = direction.y < 0.0;
                (direction.y.abs() > sideways(direction)).then(|| Self::of_disc(h, r, is_below))?
            }
            Core::Cone(cone) => {
                let (h, r) = (f64::from(cone.half_height()), f64::from(cone.radius()));
                // The base where it looks along the direction more than the side does.
                (-direction.y > sideways(direction)).then(|| Self::of_disc(h, r, true))?
            }
        }
    }

    pub(super) fn of_cuboid(half: Vec3, direction: DVec3) -> Self {
        let axis = foremost_axis(direction);
        let sign = if direction[axis] < 0.0 { -1.0 } else { 1.0 };
        let of = Of::Cuboid { half: half.as_dvec3(), axis };
        Self { of, normal: DVec3::AXES[axis] * sign }
    }

    /// `None` without an area.
    pub(super) fn of_triangle(vertices: &[Vec3; 3], direction: DVec3) -> Option<Self> {
        let [a, b, c] = vertices.map(Vec3::as_dvec3);
        let normal = (b - a).cross(c - a).try_normalize()?;
        let normal = if normal.dot(direction) < 0.0 { -normal } else { normal };
        Some(Self { of: Of::Triangle(*vertices), normal })
    }

    pub(super) fn of_hull(hull: &'a ConvexHull, face: u32) -> Option<Self> {
        let normal = hull.normals().get(face as usize)?.try_normalize()?;
        Some(Self { of: Of::Hull(hull, face), normal })
    }

    fn of_disc(half_height: f64, radius: f64, is_below: bool) -> Option<Self> {
        let (height, normal) =
            if is_below { (-half_height, DVec3::NEG_Y) } else { (half_height, DVec3::Y) };
        (radius > 0.0).then_some(Self { of: Of::Disc { height, radius }, normal })
    }

    /// Whether it looks nearly along a unit vector.
    pub(super) fn looks_along(&self, direction: DVec3) -> bool {
        let tilt = self.normal.cross(direction).length_squared();
        self.normal.dot(direction) > 0.0 && tilt <= tolerance::NEAR_FACE
    }

    /// Fills a feature with the face on the surface of the solid that has this radius; the corners
    /// of a disc depend on the direction.
    #[inline]
    pub(super) fn fill(&self, radius: f64, direction: DVec3, face: &mut Feature) {
        face.normal = Some(self.normal);
        match &self.of {
            Of::Cuboid { half, axis } => face.add_cuboid(*half, *axis, self.normal),
            Of::Disc { height, radius } => face.add_disc(*height, *radius, direction),
            Of::Hull(hull, of) => {
                // Neighbours differ: they are vertices of the hull.
                for vertex in hull.face_corners(*of) {
                    if let Some(corner) = hull.vertex(vertex) {
                        face.corners.push(corner);
                        face.names.push(vertex);
                    }
                }
            }
            Of::Triangle([p, q, r]) => {
                for (name, corner) in [(0, p), (1, q), (2, r)] {
                    face.corners.push(corner.as_dvec3());
                    face.names.push(name);
                }
            }
        }
        if radius > 0.0 {
            let raised = self.normal * radius;
            for corner in &mut face.corners {
                *corner += raised;
            }
        }
    }
}

/// How far a vector goes across Y.
fn sideways(direction: DVec3) -> f64 {
    DVec3::new(direction.x, 0.0, direction.z).length()
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
        Core::Point | Core::Cylinder(_) | Core::Cone(_) => 0,
        Core::Segment([first, _]) => u32::from(first.as_dvec3() != support),
        // The first of the corners there, if the box is flat.
        Core::Cuboid(_) => cuboid_corner(support),
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

/// The name of the corner of a box that lies to these sides: its place among the vertices.
pub(super) fn cuboid_corner(signs: DVec3) -> u32 {
    let bit = |k: usize| u32::from(signs[k] > 0.0) << k;
    bit(0) | bit(1) | bit(2)
}

/// Two unit vectors along a plane with this normal.
pub(crate) fn plane_axes(normal: DVec3) -> [DVec3; 2] {
    across(normal)
}
