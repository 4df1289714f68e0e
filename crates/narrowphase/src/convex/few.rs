//! Cores with few edges: segments, boxes and triangles, each with what axes ask of it.

use impinge_shapes::glam::{DVec3, Vec3};

use crate::real::{Real, Real3};
use crate::{Relative, tolerance};

/// What is made of a core as [`Few`]; `None` for a core that is no segment, triangle or box.
macro_rules! with_few {
    ($core:expr, $few:ident => $made:expr) => {
        match $core {
            Core::Segment(ends) => {
                let $few = $crate::convex::few::Segment::new(ends);
                $made
            }
            Core::Cuboid(half) => {
                let $few = $crate::convex::few::OrientedBox::new(*half);
                $made
            }
            Core::Triangle(corners) => {
                let $few = $crate::convex::few::TriangleCore::new(corners);
                $made
            }
            Core::Point | Core::Hull(_) | Core::Cylinder(_) | Core::Cone(_) => None,
        }
    };
}
pub(super) use with_few;

/// A core with few edges, in its own frame until it is placed, then in A's.
pub(super) trait Few {
    /// Directions of edges.
    const EDGES: usize;
    /// Directions of faces.
    const FACES: usize;

    /// Brings what is B's into A's frame.
    fn place(&mut self, at: &Relative, moved: DVec3);

    /// Along edges, of any length; what is beyond [`Few::EDGES`] does not count.
    fn edges(&self) -> [DVec3; 3];

    /// Across a face, of any length; zero for one without a direction.
    fn normal(&self, face: usize) -> DVec3;

    /// Where it begins and ends along an axis.
    fn span<R: Real>(&self, axis: Real3<R>) -> (R, R);

    /// The point farthest along a unit vector, in the middle of those that are as far.
    fn farthest(&self, along: DVec3, level: f64) -> DVec3;

    /// Whether a point of a face's plane lies on the face, but for `slack`.
    fn face_holds(&self, face: usize, point: DVec3, slack: f64) -> bool;

    /// The ends of the edge of a direction that lies farthest along a unit vector; `None` where the
    /// core goes farther than the edge.
    fn edge(&self, place: usize, along: DVec3, slack: f64) -> Option<[DVec3; 2]>;

    /// Where each edge begins, and the way to its end; nothing for a box, which has several in each
    /// direction.
    fn sides(&self) -> impl Iterator<Item = (DVec3, DVec3)>;
}

/// A segment.
pub(super) struct Segment {
    middle: DVec3,
    half: DVec3,
}

impl Segment {
    #[inline(always)]
    pub(super) fn new(ends: &[Vec3; 2]) -> Self {
        let [from, to] = [ends[0].as_dvec3(), ends[1].as_dvec3()];
        Self { middle: (from + to) * 0.5, half: (to - from) * 0.5 }
    }
}

impl Few for Segment {
    const EDGES: usize = 1;
    const FACES: usize = 0;

    #[inline(always)]
    fn place(&mut self, at: &Relative, moved: DVec3) {
        self.middle = at.point_from_b(self.middle) + moved;
        self.half = *at.rotation() * self.half;
    }

    #[inline(always)]
    fn edges(&self) -> [DVec3; 3] {
        [self.half, DVec3::ZERO, DVec3::ZERO]
    }

    #[inline(always)]
    fn normal(&self, _face: usize) -> DVec3 {
        DVec3::ZERO
    }

    #[inline(always)]
    fn span<R: Real>(&self, axis: Real3<R>) -> (R, R) {
        let (middle, reach) = (along(axis, self.middle), along(axis, self.half).abs());
        (middle - reach, middle + reach)
    }

    #[inline(always)]
    fn farthest(&self, along: DVec3, level: f64) -> DVec3 {
        towards(self.middle, self.half, along, level)
    }

    fn face_holds(&self, _face: usize, _point: DVec3, _slack: f64) -> bool {
        false
    }

    #[inline(always)]
    fn edge(&self, _place: usize, _along: DVec3, _slack: f64) -> Option<[DVec3; 2]> {
        Some([self.middle - self.half, self.middle + self.half])
    }

    #[inline(always)]
    fn sides(&self) -> impl Iterator<Item = (DVec3, DVec3)> {
        std::iter::once((self.middle - self.half, self.half * 2.0))
    }
}

/// A box.
pub(super) struct OrientedBox {
    middle: DVec3,
    /// Unit vectors along its edges.
    axes: [DVec3; 3],
    /// Half of the extents.
    halves: [DVec3; 3],
}

impl OrientedBox {
    #[inline(always)]
    pub(super) fn new(half: Vec3) -> Self {
        let half = half.as_dvec3();
        let halves = [DVec3::X * half.x, DVec3::Y * half.y, DVec3::Z * half.z];
        Self { middle: DVec3::ZERO, axes: DVec3::AXES, halves }
    }
}

impl Few for OrientedBox {
    const EDGES: usize = 3;
    const FACES: usize = 3;

    #[inline(always)]
    fn place(&mut self, at: &Relative, moved: DVec3) {
        let turn = at.rotation();
        self.middle = at.point_from_b(self.middle) + moved;
        let [x, y, z] = self.halves;
        self.halves = [turn.x_axis * x.x, turn.y_axis * y.y, turn.z_axis * z.z];
        self.axes = [turn.x_axis, turn.y_axis, turn.z_axis];
    }

    #[inline(always)]
    fn edges(&self) -> [DVec3; 3] {
        self.axes
    }

    #[inline(always)]
    fn normal(&self, face: usize) -> DVec3 {
        self.axes[face]
    }

    #[inline(always)]
    fn span<R: Real>(&self, axis: Real3<R>) -> (R, R) {
        let [x, y, z] = self.halves;
        let (middle, reach) = (along(axis, self.middle), along(axis, x).abs());
        let reach = reach + along(axis, y).abs() + along(axis, z).abs();
        (middle - reach, middle + reach)
    }

    #[inline(always)]
    fn farthest(&self, along: DVec3, level: f64) -> DVec3 {
        let [x, y, z] = self.halves;
        let point = towards(self.middle, x, along, level);
        towards(towards(point, y, along, level), z, along, level)
    }

    #[inline(always)]
    fn face_holds(&self, face: usize, point: DVec3, slack: f64) -> bool {
        let off = point - self.middle;
        (0..3).filter(|&k| k != face).all(|k| {
            let axis = self.axes[k];
            off.dot(axis).abs() <= self.halves[k].dot(axis) + slack
        })
    }

    #[inline(always)]
    fn edge(&self, place: usize, along: DVec3, slack: f64) -> Option<[DVec3; 2]> {
        let others = (0..3).filter(|&k| k != place).map(|k| self.halves[k]);
        let middle = others.fold(self.middle, |point, half| towards(point, half, along, slack));
        Some([middle - self.halves[place], middle + self.halves[place]])
    }

    fn sides(&self) -> impl Iterator<Item = (DVec3, DVec3)> {
        std::iter::empty()
    }
}

/// From a point by half of an extent to the side of a unit vector, unless that is level with it.
#[inline(always)]
fn towards(point: DVec3, half: DVec3, along: DVec3, level: f64) -> DVec3 {
    let reach = half.dot(along);
    if reach.abs() <= level { point } else { point + half * reach.signum() }
}

/// A triangle.
pub(super) struct TriangleCore {
    corners: [DVec3; 3],
    /// From each corner to the next.
    edges: [DVec3; 3],
    normal: DVec3,
}

impl TriangleCore {
    #[inline(always)]
    pub(super) fn new(corners: &[Vec3; 3]) -> Self {
        let [p, q, r] = [corners[0].as_dvec3(), corners[1].as_dvec3(), corners[2].as_dvec3()];
        let edges = [q - p, r - q, p - r];
        let normal = edges[0].cross(edges[1]);
        let most = edges[0].length_squared() * edges[1].length_squared();
        let is_clear = normal.length_squared() > tolerance::SLANTED * most;
        let normal = if is_clear { normal } else { DVec3::ZERO };
        Self { corners: [p, q, r], edges, normal }
    }
}

impl Few for TriangleCore {
    const EDGES: usize = 3;
    const FACES: usize = 1;

    #[inline(always)]
    fn place(&mut self, at: &Relative, moved: DVec3) {
        let turn = at.rotation();
        let ([p, q, r], [s, t, u]) = (self.corners, self.edges);
        let [p, q, r] = [at.point_from_b(p), at.point_from_b(q), at.point_from_b(r)];
        self.corners = [p + moved, q + moved, r + moved];
        self.edges = [*turn * s, *turn * t, *turn * u];
        self.normal = *turn * self.normal;
    }

    #[inline(always)]
    fn edges(&self) -> [DVec3; 3] {
        self.edges
    }

    #[inline(always)]
    fn normal(&self, _face: usize) -> DVec3 {
        self.normal
    }

    #[inline(always)]
    fn span<R: Real>(&self, axis: Real3<R>) -> (R, R) {
        let [p, q, r] = self.corners;
        let (p, q, r) = (along(axis, p), along(axis, q), along(axis, r));
        (p.least(q).least(r), p.most(q).most(r))
    }

    #[inline(always)]
    fn farthest(&self, along: DVec3, level: f64) -> DVec3 {
        let heights = self.corners.map(|corner| corner.dot(along));
        let most = heights[0].max(heights[1]).max(heights[2]) - level;
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for (corner, height) in self.corners.iter().zip(heights) {
            if height >= most {
                (sum, count) = (sum + *corner, count + 1.0);
            }
        }
        sum / count
    }

    #[inline(always)]
    fn face_holds(&self, _face: usize, point: DVec3, slack: f64) -> bool {
        // Beyond a sharp corner what is beside both sides by no more than the slack goes far.
        let [p, q, r] = self.corners;
        let (low, high) = (p.min(q).min(r) - slack, p.max(q).max(r) + slack);
        if !(point.cmpge(low) & point.cmple(high)).all() {
            return false;
        }
        // Not the sides between the corners, which far from the origin are rounding alone.
        self.corners.into_iter().zip(self.edges).all(|(from, side)| {
            let height = side.cross(point - from).dot(self.normal);
            height >= -slack * side.length() * self.normal.length()
        })
    }

    #[inline(always)]
    fn edge(&self, place: usize, along: DVec3, slack: f64) -> Option<[DVec3; 2]> {
        let [from, to, beyond] = [0, 1, 2].map(|k| self.corners[(place + k) % 3]);
        let is_farthest = beyond.dot(along) <= from.dot(along).max(to.dot(along)) + slack;
        is_farthest.then_some([from, to])
    }

    #[inline(always)]
    fn sides(&self) -> impl Iterator<Item = (DVec3, DVec3)> {
        self.corners.into_iter().zip(self.edges)
    }
}

#[inline(always)]
fn along<R: Real>(axis: Real3<R>, vector: DVec3) -> R {
    let all = axis.x;
    axis.dot(Real3::new(all.all(vector.x), all.all(vector.y), all.all(vector.z)))
}
