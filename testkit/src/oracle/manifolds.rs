//! What contact points must lie on, how deep they may be, and which patch they must cover, worked
//! out in f64 from the definitions of the shapes.
//!
//! Corners and faces of a hull are found anew from its points; nothing is asked of the library but
//! the numbers that were put in.

use glam::{DMat3, DQuat, DVec2, DVec3, Vec3};
use impinge_shapes::{Pose, Shape};

/// A face: its outward unit normal and its corners, in order.
#[derive(Clone, Debug)]
pub struct Face {
    /// Either way for a flat body.
    pub normal: DVec3,
    /// At least three.
    pub corners: Vec<DVec3>,
}

#[derive(Clone, Debug)]
enum Core {
    /// The hull of some points; a flat one with an inside has one face, others less.
    Points { points: Vec<DVec3>, faces: Vec<Face>, is_flat: bool },
    /// Between two discs around the Y axis at plus and minus `half`.
    Discs { half: f64, top: f64, bottom: f64 },
    /// `normal · x ≤ offset`.
    HalfSpace { normal: DVec3, offset: f64 },
}

/// A placed convex shape.
#[derive(Clone, Debug)]
pub struct Body {
    turn: DMat3,
    offset: DVec3,
    core: Core,
    radius: f64,
}

/// Share of the size within which points lie in one plane.
const COPLANAR: f64 = 1e-11;

impl Body {
    /// The body that a shape is; `None` for surfaces and compounds.
    #[must_use]
    pub fn of(shape: &Shape, pose: &Pose) -> Option<Self> {
        let points = |points: &[Vec3]| hull(points.iter().map(|p| p.as_dvec3()).collect());
        let (core, radius) = match shape {
            Shape::Sphere(sphere) => (points(&[Vec3::ZERO]), sphere.radius()),
            Shape::Capsule(capsule) => (points(&[capsule.a(), capsule.b()]), capsule.radius()),
            Shape::Cuboid(cuboid) => {
                let half = cuboid.half_extents();
                let side = |k: usize, bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                let corner = |k| Vec3::new(side(k, 1), side(k, 2), side(k, 4)) * half;
                (points(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner)), 0.0)
            }
            Shape::Triangle(triangle) => (points(&triangle.vertices()), 0.0),
            Shape::ConvexHull(hull) => (points(hull.vertices()), 0.0),
            Shape::Cylinder(c) => {
                let [half, radius] = [c.half_height(), c.radius()].map(f64::from);
                (Core::Discs { half, top: radius, bottom: radius }, 0.0)
            }
            Shape::Cone(c) => {
                let [half, bottom] = [c.half_height(), c.radius()].map(f64::from);
                (Core::Discs { half, top: 0.0, bottom }, 0.0)
            }
            Shape::HalfSpace(h) => {
                let (normal, offset) = (h.normal().as_dvec3(), f64::from(h.offset()));
                (Core::HalfSpace { normal, offset }, 0.0)
            }
            Shape::Rounded(rounded) => {
                let core = Self::of(rounded.core(), pose)?;
                let radius = core.radius + f64::from(rounded.radius());
                return Some(Self { radius, ..core });
            }
            _ => return None,
        };
        let q = DQuat::from_array(pose.rotation().to_array().map(f64::from)).normalize();
        let (turn, offset) = (DMat3::from_quat(q), pose.position().as_dvec3());
        Some(Self { turn, offset, core, radius: radius.into() })
    }

    /// The radius around the core.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// How far the body reaches along a unit direction; infinite for a half-space that is cut by
    /// planes across it.
    #[must_use]
    pub fn reach(&self, direction: DVec3) -> f64 {
        let local = self.turn.transpose() * direction;
        let top = match &self.core {
            Core::Points { points, .. } => {
                points.iter().map(|p| p.dot(local)).fold(f64::NEG_INFINITY, f64::max)
            }
            Core::Discs { half, top, bottom } => {
                let across = (local.x * local.x + local.z * local.z).sqrt();
                (local.y * half + across * top).max(-local.y * half + across * bottom)
            }
            Core::HalfSpace { normal, offset } => {
                let is_along = (local - *normal / normal.length()).length() < 1e-6;
                if is_along { *offset / normal.length() } else { f64::INFINITY }
            }
        };
        top + self.offset.dot(direction) + self.radius
    }

    /// Signed distance of a point from the surface: negative inside. Nothing is inside of a flat
    /// core, whatever the radius around it.
    #[must_use]
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        let local = self.turn.transpose() * (point - self.offset);
        let from_core = match &self.core {
            Core::Points { points, faces, is_flat } => {
                let height = |face: &Face| face.normal.dot(local - face.corners[0]);
                let most = faces.iter().map(height).fold(f64::NEG_INFINITY, f64::max);
                if !is_flat && !faces.is_empty() && most <= 0.0 {
                    most
                } else if faces.is_empty() {
                    from_segment(local, points[0], points[points.len() - 1])
                } else {
                    let from = |face: &Face| from_polygon(local, face);
                    faces.iter().map(from).fold(f64::INFINITY, f64::min)
                }
            }
            Core::Discs { half, top, bottom } => from_discs(local, *half, *top, *bottom),
            Core::HalfSpace { normal, offset } => (normal.dot(local) - offset) / normal.length(),
        };
        from_core - self.radius
    }

    /// The face that looks along a unit direction within the sine of an angle, in the world and out
    /// by the radius; `None` where none does, or two do nearly the same.
    #[must_use]
    pub fn face_towards(&self, direction: DVec3, sine: f64) -> Option<Face> {
        let Core::Points { faces, is_flat, .. } = &self.core else { return None };
        let local = self.turn.transpose() * direction;
        let mut best: Option<(f64, DVec3, &Face)> = None;
        let mut second = 1.0_f64;
        for face in faces {
            let normal =
                if *is_flat && face.normal.dot(local) < 0.0 { -face.normal } else { face.normal };
            let tilt = (normal - local).length();
            if best.as_ref().is_none_or(|(least, ..)| tilt < *least) {
                second = best.map_or(second, |(least, ..)| least);
                best = Some((tilt, normal, face));
            } else {
                second = second.min(tilt);
            }
        }
        let (tilt, normal, face) = best.filter(|(tilt, ..)| *tilt <= sine)?;
        if second < 2.0 * tilt + 64.0 * sine {
            return None;
        }
        let world = |p: &DVec3| self.turn * (*p + normal * self.radius) + self.offset;
        let corners = face.corners.iter().map(world).collect();
        Some(Face { normal: self.turn * normal, corners })
    }
}

/// Distance from a segment.
fn from_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let share = (p - a).dot(along) / along.length_squared();
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + along * share)
}

/// Distance from a flat polygon.
fn from_polygon(p: DVec3, face: &Face) -> f64 {
    let corners = &face.corners;
    let edges = || corners.iter().zip(corners.iter().cycle().skip(1));
    let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let is_over = edges().all(|(&a, &b)| {
        let out = (b - a).cross(face.normal);
        out.dot(p - a) * out.dot(middle - a) >= 0.0
    });
    if is_over {
        return face.normal.dot(p - corners[0]).abs();
    }
    edges().map(|(&a, &b)| from_segment(p, a, b)).fold(f64::INFINITY, f64::min)
}

/// Signed distance from what lies between two discs, seen in a half-plane through the axis.
fn from_discs(p: DVec3, half: f64, top: f64, bottom: f64) -> f64 {
    let seen = DVec3::new((p.x * p.x + p.z * p.z).sqrt(), p.y, 0.0);
    let profile = [(0.0, -half), (bottom, -half), (top, half), (0.0, half)];
    let profile = profile.map(|(r, y)| DVec3::new(r, y, 0.0));
    let out = DVec3::new(2.0 * half, bottom - top, 0.0).try_normalize().unwrap_or(DVec3::X);
    let most = (seen.y - half).max(-half - seen.y).max(out.dot(seen - profile[1]));
    if most <= 0.0 {
        return most;
    }
    let edges = profile.windows(2).map(|edge| from_segment(seen, edge[0], edge[1]));
    edges.fold(f64::INFINITY, f64::min)
}

/// The hull of some points: every plane through three of them that has all others on one side.
fn hull(points: Vec<DVec3>) -> Core {
    // Differences of f32 coordinates hardly round, wherever the points are.
    let extent = |p: &DVec3| (*p - points[0]).abs().max_element();
    let size = points.iter().map(extent).fold(0.0, f64::max);
    let slack = COPLANAR * size;
    // Of a face, which of the points lie in it and the largest triangle that shows its normal.
    let mut found: Vec<(u64, f64, DVec3)> = Vec::new();
    let mut is_flat = true;
    for i in 0..points.len() {
        for j in 0..i {
            for k in 0..j {
                let area = (points[j] - points[i]).cross(points[k] - points[i]);
                let length = area.length();
                if length <= slack * size {
                    continue;
                }
                let normal = area / length;
                let height = |p: &DVec3| normal.dot(*p - points[i]);
                let (mut low, mut high, mut mask) = (0.0_f64, 0.0_f64, 0_u64);
                for (place, point) in points.iter().enumerate() {
                    // Rounding turns the normal of a needle, but all three are in its plane.
                    let h = if [i, j, k].contains(&place) { 0.0 } else { height(point) };
                    (low, high) = (low.min(h), high.max(h));
                    mask |= u64::from(h.abs() <= slack) << place;
                }
                if low < -slack && high > slack {
                    continue;
                }
                is_flat &= low >= -slack && high <= slack;
                let normal = if high > slack { -normal } else { normal };
                match found.iter_mut().find(|(other, ..)| *other == mask) {
                    Some(face) if face.1 < length => *face = (mask, length, normal),
                    Some(_) => {}
                    None => found.push((mask, length, normal)),
                }
            }
        }
    }
    let face = |&(mask, _, normal): &(u64, f64, DVec3)| {
        let chosen = points.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1);
        let [u, v] = axes_across(normal);
        let flat: Vec<DVec2> = chosen.map(|(_, p)| DVec2::new(u.dot(*p), v.dot(*p))).collect();
        let level = normal * normal.dot(points[mask.trailing_zeros() as usize]);
        let corners = around(flat).into_iter().map(|p| u * p.x + v * p.y + level).collect();
        Face { normal, corners }
    };
    let faces: Vec<Face> = found.iter().map(face).collect();
    if faces.is_empty() {
        // All on a line: the two that are farthest from each other.
        let from = points[0];
        let far = |p: &&DVec3, q: &&DVec3| p.distance(from).total_cmp(&q.distance(from));
        let a = points.iter().max_by(far).copied().unwrap_or(from);
        let far = |p: &&DVec3, q: &&DVec3| p.distance(a).total_cmp(&q.distance(a));
        let b = points.iter().max_by(far).copied().unwrap_or(from);
        return Core::Points { points: vec![a, b], faces, is_flat: true };
    }
    Core::Points { points, faces, is_flat }
}

/// Two unit vectors across a unit vector.
#[must_use]
pub fn axes_across(normal: DVec3) -> [DVec3; 2] {
    let u = normal.any_orthonormal_vector();
    [u, normal.cross(u)]
}

/// Twice the area that a triangle encloses, counter-clockwise positive.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// The corners of the hull of some points of a plane, counter-clockwise.
///
/// - Source: Andrew's monotone chain (1979).
#[must_use]
pub fn around(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut lower = chain(&mut points.iter().copied());
    lower.extend(chain(&mut points.iter().rev().copied()));
    lower
}

/// The common part of two convex polygons whose corners run counter-clockwise.
///
/// - Source: Sutherland & Hodgman, *Reentrant polygon clipping* (1974).
#[must_use]
pub fn common_part(mut polygon: Vec<DVec2>, by: &[DVec2]) -> Vec<DVec2> {
    for (&a, &b) in by.iter().zip(by.iter().cycle().skip(1)) {
        let mut left = Vec::new();
        for (&p, &q) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
            let (from, to) = (turn(a, b, p), turn(a, b, q));
            if from >= 0.0 {
                left.push(p);
            }
            if (from > 0.0 && to < 0.0) || (from < 0.0 && to > 0.0) {
                left.push(p + (q - p) * (from / (from - to)));
            }
        }
        polygon = left;
    }
    polygon
}

/// Area of a convex polygon.
#[must_use]
pub fn area(polygon: &[DVec2]) -> f64 {
    let [first, rest @ ..] = polygon else { return 0.0 };
    rest.windows(2).map(|pair| turn(*first, pair[0], pair[1]).abs() * 0.5).sum()
}

/// How far a point is out of the hull of some points of a plane, whose corners run
/// counter-clockwise; zero inside.
#[must_use]
pub fn outside(polygon: &[DVec2], point: DVec2) -> f64 {
    let edges = || polygon.iter().zip(polygon.iter().cycle().skip(1));
    if polygon.len() > 2 && edges().all(|(&a, &b)| turn(a, b, point) >= 0.0) {
        return 0.0;
    }
    let lift = |p: DVec2| p.extend(0.0);
    edges()
        .map(|(&a, &b)| from_segment(lift(point), lift(a), lift(b)))
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(shape: Shape) -> Body {
        let turn = glam::Quat::from_xyzw(0.0, 0.0, 1.0, 1.0);
        Body::of(&shape, &Pose::new(Vec3::X, turn).unwrap()).unwrap()
    }

    #[test]
    fn bodies_reach_and_hold_what_they_are_made_of() {
        // A quarter turn around Z takes x to y, and y to -x; all are moved by 1 along x.
        let cuboid = body(Shape::cuboid(Vec3::new(1.0, 2.0, 3.0)).unwrap());
        assert!((cuboid.reach(DVec3::X) - 3.0).abs() < 1e-12);
        assert!((cuboid.signed_distance(DVec3::X * 1.5) + 1.0).abs() < 1e-12);
        assert!((cuboid.signed_distance(DVec3::new(6.0, 5.0, 0.0)) - 5.0).abs() < 1e-12);
        let face = cuboid.face_towards(DVec3::X, 1e-6).unwrap();
        assert_eq!(face.corners.len(), 4);
        assert!(face.corners.iter().all(|corner| (corner.x - 3.0).abs() < 1e-12));
        let cone = body(Shape::cone(2.0, 1.0).unwrap());
        assert!((cone.reach(DVec3::NEG_X) - 1.0).abs() < 1e-12);
        assert!((cone.reach(DVec3::X) - 3.0).abs() < 1e-12);
        assert!((cone.signed_distance(DVec3::new(-3.0, 0.0, 0.0)) - 2.0).abs() < 1e-12);
        let rod = body(Shape::capsule_along_y(2.0, 0.5).unwrap());
        assert!((rod.signed_distance(DVec3::new(1.0, 2.0, 0.0)) - 1.5).abs() < 1e-12);
        assert!((rod.reach(DVec3::X) - 3.5).abs() < 1e-12);
        let plate = Shape::triangle(Vec3::ZERO, Vec3::X, Vec3::Y).unwrap();
        let plate = body(Shape::rounded(plate, 0.25).unwrap());
        let above = DVec3::new(0.75, 0.25, 1.0);
        assert!((plate.signed_distance(above) - 0.75).abs() < 1e-12);
        assert!((plate.face_towards(DVec3::Z, 1e-6).unwrap().corners[0].z - 0.25).abs() < 1e-12);
        let floor = body(Shape::half_space(Vec3::X, 1.0).unwrap());
        assert!((floor.signed_distance(DVec3::Y * 3.0) - 2.0).abs() < 1e-12);
        assert!((floor.reach(DVec3::Y) - 1.0).abs() < 1e-12);
        assert!(floor.reach(DVec3::X).is_infinite());
    }

    #[test]
    fn the_common_part_of_a_square_and_a_diamond_has_eight_corners() {
        let square = around(vec![
            DVec2::new(1.0, 1.0),
            DVec2::new(-1.0, 1.0),
            DVec2::ZERO,
            DVec2::new(1.0, -1.0),
            DVec2::new(-1.0, -1.0),
        ]);
        assert_eq!((square.len(), area(&square)), (4, 4.0));
        let diamond = around([DVec2::X, DVec2::Y, -DVec2::X, -DVec2::Y].map(|p| p * 1.5).to_vec());
        let both = common_part(square.clone(), &diamond);
        assert_eq!(both.len(), 8);
        assert!((area(&both) - 3.5).abs() < 1e-12);
        assert!(both.iter().all(|&p| outside(&square, p) < 1e-15));
        assert!((outside(&both, DVec2::new(1.0, 1.0)) - 0.5_f64.sqrt() * 0.5).abs() < 1e-12);
    }
}
