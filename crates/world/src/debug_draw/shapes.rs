//! Shapes as lines: edges of what has some, rings of what is round.

use impinge_shapes::glam::{DMat3, DVec3, Vec3};
use impinge_shapes::{
    Capsule, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, Pose, Rounded, Shape, Triangle, round,
};

use super::{Color, DebugDraw, EDGES};

/// Lines of a ring; a multiple of four, so that it meets the lines along the sides.
const SEGMENTS: usize = 32;

/// How far the directions of a ring around a rounded shape lean out of its plane, so that of
/// parallel edges the near ones are followed on one side and the far ones on the other.
const TILT: f64 = 0.25;

/// Draws a placed shape: the edges of boxes, hulls, triangles and surfaces, rings and sides of
/// round shapes, a square of a half-space's plane.
///
/// Every end of a line lies on the boundary of the shape; lines between two of them may run within
/// a round shape.
///
/// - Units: `extent` is half of the edge of the square that is drawn of a half-space, around the
///   point of its plane nearest to the body's origin.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Color, DebugDraw, draw_shape};
///
/// struct Longest(f32);
/// impl DebugDraw for Longest {
///     fn line(&mut self, a: Vec3, b: Vec3, _: Color) {
///         self.0 = self.0.max(a.distance(b));
///     }
/// }
/// let mut longest = Longest(0.0);
/// let cuboid = Shape::cuboid(Vec3::new(1.0, 2.0, 3.0))?;
/// draw_shape(&mut longest, &cuboid, &Pose::IDENTITY, 10.0, Color::new(0, 0, 0));
/// assert_eq!(longest.0, 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn draw_shape<D: DebugDraw + ?Sized>(
    draw: &mut D,
    shape: &Shape,
    pose: &Pose,
    extent: f32,
    color: Color,
) {
    let (turn, origin) = (pose.rotation_matrix(), pose.translation());
    let mut pen = Pen { draw, turn, origin, color };
    match shape {
        Shape::Sphere(sphere) => pen.rings(f64::from(sphere.radius())),
        Shape::Cuboid(cuboid) => pen.cuboid(cuboid),
        Shape::Capsule(capsule) => pen.capsule(capsule),
        Shape::Cylinder(cylinder) => pen.cylinder(cylinder),
        Shape::Cone(cone) => pen.cone(cone),
        Shape::Triangle(triangle) => pen.triangle(triangle),
        Shape::ConvexHull(hull) => pen.hull(hull),
        Shape::Rounded(rounded) => pen.rounded(rounded),
        Shape::HalfSpace(half_space) => pen.half_space(half_space, extent.into()),
        Shape::TriangleMesh(mesh) => {
            let triangles = (0..mesh.triangle_count()).map(|index| mesh.triangle(number(index)));
            pen.surface(triangles);
        }
        Shape::HeightField(field) => {
            let triangles = (0..field.triangle_count()).map(|index| field.triangle(number(index)));
            pen.surface(triangles);
        }
        Shape::Compound(compound) => {
            for (_, pose, part) in compound.placed(pose) {
                draw_shape(draw, part, &pose, extent, color);
            }
        }
    }
}

/// A number of a triangle; surfaces have fewer than 2^32.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Draws in the frame of a body.
struct Pen<'d, D: ?Sized> {
    draw: &'d mut D,
    turn: DMat3,
    origin: DVec3,
    color: Color,
}

impl<D: DebugDraw + ?Sized> Pen<'_, D> {
    fn line(&mut self, a: DVec3, b: DVec3) {
        let place = |local: DVec3| round::nearest_vec(self.turn * local + self.origin);
        self.draw.line(place(a), place(b), self.color);
    }

    /// Lines from point to point, and from the last back to the first.
    fn closed(&mut self, points: &[DVec3]) {
        for (place, &from) in points.iter().enumerate() {
            self.line(from, points[(place + 1) % points.len()]);
        }
    }

    /// An ellipse around a point with two arms.
    fn ring(&mut self, center: DVec3, x: DVec3, y: DVec3) {
        self.closed(&circle().map(|[c, s]| center + x * c + y * s));
    }

    /// Half of a ring, from `x` over `y` to `-x`.
    fn arc(&mut self, center: DVec3, x: DVec3, y: DVec3) {
        let points = circle().map(|[c, s]| center + x * c + y * s);
        for pair in points[..=SEGMENTS / 2].windows(2) {
            self.line(pair[0], pair[1]);
        }
    }

    /// Three rings around the origin.
    fn rings(&mut self, radius: f64) {
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * radius);
        for (one, other) in [(y, z), (z, x), (x, y)] {
            self.ring(DVec3::ZERO, one, other);
        }
    }

    fn cuboid(&mut self, cuboid: &Cuboid) {
        let h = cuboid.half_extents().as_dvec3();
        // As the corners of a box along the axes.
        let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let corner = |i: usize| DVec3::new(sign(i, 0) * h.x, sign(i, 1) * h.y, sign(i, 2) * h.z);
        for [a, b] in EDGES {
            self.line(corner(a), corner(b));
        }
    }

    fn capsule(&mut self, capsule: &Capsule) {
        let (a, b) = (capsule.a().as_dvec3(), capsule.b().as_dvec3());
        let along = (b - a).try_normalize().unwrap_or(DVec3::Y);
        let (x, y) = across(along);
        let radius = f64::from(capsule.radius());
        let (x, y, z) = (x * radius, y * radius, along * radius);
        for (end, out) in [(a, -z), (b, z)] {
            self.ring(end, x, y);
            self.arc(end, x, out);
            self.arc(end, y, out);
        }
        for side in [x, y, -x, -y] {
            self.line(a + side, b + side);
        }
    }

    fn cylinder(&mut self, cylinder: &Cylinder) {
        let up = DVec3::Y * f64::from(cylinder.half_height());
        let [x, z] = [DVec3::X, DVec3::Z].map(|axis| axis * f64::from(cylinder.radius()));
        self.ring(-up, x, z);
        self.ring(up, x, z);
        for side in [x, z, -x, -z] {
            self.line(side - up, side + up);
        }
    }

    fn cone(&mut self, cone: &Cone) {
        let up = DVec3::Y * f64::from(cone.half_height());
        let [x, z] = [DVec3::X, DVec3::Z].map(|axis| axis * f64::from(cone.radius()));
        self.ring(-up, x, z);
        for side in [x, z, -x, -z] {
            self.line(side - up, up);
        }
    }

    fn triangle(&mut self, triangle: &Triangle) {
        self.closed(&triangle.vertices().map(|vertex| vertex.as_dvec3()));
    }

    fn hull(&mut self, hull: &ConvexHull) {
        let vertices = hull.vertices();
        let vertex = |index: u32| vertices.get(index as usize).map(|vertex| vertex.as_dvec3());
        for edge in hull.edges() {
            if let [Some(a), Some(b)] = edge.vertices.map(vertex) {
                self.line(a, b);
            }
        }
        if let (true, Some(only)) = (hull.edges().is_empty(), vertex(0)) {
            self.line(only, only);
        }
    }

    /// Rings of the points farthest in the directions of a leaning circle.
    fn rounded(&mut self, rounded: &Rounded) {
        for (x, y, z) in [
            (DVec3::Y, DVec3::Z, DVec3::X),
            (DVec3::Z, DVec3::X, DVec3::Y),
            (DVec3::X, DVec3::Y, DVec3::Z),
        ] {
            for lean in [-TILT, TILT] {
                let farthest = |[c, s]: [f64; 2]| rounded.support(x * c + y * s + z * lean);
                self.closed(&circle().map(farthest));
            }
        }
    }

    /// A square of the plane with its diagonals, and the normal.
    fn half_space(&mut self, half_space: &HalfSpace, extent: f64) {
        let normal = half_space.normal().as_dvec3();
        let middle = normal * (f64::from(half_space.offset()) / normal.length_squared());
        let (x, y) = across(normal);
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[right, up]| middle + (x * right + y * up) * extent);
        self.closed(&corners);
        self.line(corners[0], corners[2]);
        self.line(corners[1], corners[3]);
    }

    /// Each edge once, in the order of its ends' bits.
    fn surface(&mut self, triangles: impl Iterator<Item = Option<Triangle>>) {
        let mut edges: Vec<[[u32; 3]; 2]> = Vec::new();
        for triangle in triangles.flatten() {
            // Zeros of both signs are one place.
            let key = |vertex: Vec3| (vertex + Vec3::ZERO).to_array().map(f32::to_bits);
            let [a, b, c] = triangle.vertices().map(key);
            edges.extend([[a.min(b), a.max(b)], [b.min(c), b.max(c)], [c.min(a), c.max(a)]]);
        }
        edges.sort_unstable();
        edges.dedup();
        for edge in edges {
            let [a, b] = edge.map(|bits| Vec3::from_array(bits.map(f32::from_bits)).as_dvec3());
            self.line(a, b);
        }
    }
}

/// Two unit vectors at right angles to a unit vector and to each other.
fn across(along: DVec3) -> (DVec3, DVec3) {
    let least = along.abs();
    let helper = if least.x <= least.y && least.x <= least.z {
        DVec3::X
    } else if least.y <= least.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    let x = along.cross(helper).try_normalize().unwrap_or(DVec3::X);
    (x, along.cross(x))
}

/// Cosine and sine of the directions of a ring.
///
/// - Source: the formulas of half angles, from a right angle down, and of sums, so that only the
///   four operations and square roots are used.
fn circle() -> [[f64; 2]; SEGMENTS] {
    let mut step = [0.0_f64, 1.0];
    for _ in 0..(SEGMENTS / 4).ilog2() {
        let [cosine, _] = step;
        step = [((1.0 + cosine) * 0.5).sqrt(), ((1.0 - cosine) * 0.5).sqrt()];
    }
    let mut points = [[1.0, 0.0]; SEGMENTS];
    for place in 1..SEGMENTS {
        let [x, y] = points[place - 1];
        points[place] = [x * step[0] - y * step[1], x * step[1] + y * step[0]];
    }
    points
}
