//! How far a hull extends: bounds and sides of planes.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};

use super::ConvexHull;
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::{Aabb, Plane, PlaneSide, Pose, round, tolerance};

/// Heights of a hull's points above a plane, `norm` times as large.
struct Heights<N> {
    /// Of the frame's origin.
    origin: N,
    /// Added by a unit along each of the hull's axes.
    along: Vector<N>,
}

impl<N: Number> Heights<N> {
    fn new(pose: &Pose, plane: &Plane) -> Self {
        let rotation = Rotation::<N>::new(pose.rotation());
        let normal = Vector::<N>::new(plane.normal());
        let origin = normal
            .dot(&Vector::new(pose.position()))
            .minus(&N::new(plane.distance().into()))
            .times(&rotation.norm);
        Self { origin, along: rotation.unrotate(&normal) }
    }

    fn of(&self, point: Vec3) -> N {
        self.origin.plus(&self.along.dot(&Vector::new(point)))
    }
}

impl ConvexHull {
    /// See [`Shape::aabb`](crate::Shape::aabb).
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let (m, c) = (pose.rotation_matrix(), pose.translation());
        let (low, high, slack) = if pose.permutes_axes() {
            // A turned box of the hull is a box of the turned hull.
            let (a, b) = (m * self.min.as_dvec3(), m * self.max.as_dvec3());
            (a.min(b), a.max(b), 0.0)
        } else {
            let (low, high) = self.turned_bounds(m);
            (low, high, self.extents().element_sum() * tolerance::ROTATED_BOUNDS)
        };
        let lower = |i: usize| round::sum_down(c[i], -round::add_up(-low[i], slack));
        let upper = |i: usize| round::sum_up(c[i], round::add_up(high[i], slack));
        Aabb::from_sorted(
            Vec3::new(lower(0), lower(1), lower(2)),
            Vec3::new(upper(0), upper(1), upper(2)),
        )
    }

    /// The smallest box in the hull's own frame that holds it, without rounding.
    #[must_use]
    #[inline]
    pub fn local_aabb(&self) -> Aabb {
        Aabb::from_sorted(self.min, self.max)
    }

    /// Bounds of the rotated vertices, up to the rounding of each product.
    fn turned_bounds(&self, m: DMat3) -> (DVec3, DVec3) {
        if self.vertices.len() > 2 * tolerance::HULL_SCAN {
            // Six climbs are less work than to turn every vertex.
            let rows = m.transpose();
            let reach = |row: DVec3| self.support(row).dot(row);
            let end = |sign: f64| {
                [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| sign * reach(row * sign))
            };
            return (end(-1.0).into(), end(1.0).into());
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for vertex in &self.vertices {
            let vertex = m * vertex.as_dvec3();
            (low, high) = (low.min(vertex), high.max(vertex));
        }
        (low, high)
    }

    /// See [`Shape::classify`](crate::Shape::classify).
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        let heights = Heights::<Approx>::new(pose, plane);
        let direction = heights.along.value();
        let (low, high) = (self.support_vertex(-direction), self.support_vertex(direction));
        // The vertices are lowest and highest along a rounded direction. No other lies farther
        // out by more than the rounding adds up to on the way there.
        let [x, y, z] = heights.along.0.each_ref().map(Number::error);
        let doubt = 2.0 * DVec3::new(x, y, z).dot(self.extents());
        let [low, high] = [low, high].map(|v| heights.of(self.vertices[v as usize]));
        if low.value() > low.error() + doubt {
            return PlaneSide::Front;
        }
        if high.value() < -(high.error() + doubt) {
            return PlaneSide::Behind;
        }
        if low.value() < -low.error() && high.value() > high.error() {
            return PlaneSide::Straddling;
        }
        self.scan_side(&heights, &Heights::<Exact>::new(pose, plane))
    }

    /// A box `center ± half` in the hull's frame that holds it.
    pub(super) fn local_box(&self) -> (DVec3, DVec3) {
        let (min, max) = (self.min.as_dvec3(), self.max.as_dvec3());
        let center = (min + max) * 0.5;
        let half =
            |i: usize| round::add_up(max[i], -center[i]).max(round::add_up(center[i], -min[i]));
        (center, DVec3::new(half(0), half(1), half(2)))
    }

    /// The side by every vertex.
    fn scan_side(&self, approx: &Heights<Approx>, exact: &Heights<Exact>) -> PlaneSide {
        let mut all = None;
        for &vertex in &self.vertices {
            let sign = approx.of(vertex).known_sign().unwrap_or_else(|| exact.of(vertex).sign());
            let side = match sign {
                Ordering::Greater => PlaneSide::Front,
                Ordering::Equal => PlaneSide::Straddling,
                Ordering::Less => PlaneSide::Behind,
            };
            let both = all.map_or(side, |all: PlaneSide| all.with(side));
            if both == PlaneSide::Straddling {
                return both;
            }
            all = Some(both);
        }
        all.unwrap_or(PlaneSide::Straddling)
    }
}
