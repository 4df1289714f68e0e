//! How two sets of vertices lie to each other, decided without rounding.
//!
//! The Minkowski difference of two convex hulls is the hull of all differences of their vertices.
//! Where the origin lies to it is decided with exact numbers.

use std::cmp::Ordering;

use impinge_shapes::convex::wolfe;
use impinge_shapes::exact::{Exact, ExactVec3};
use impinge_shapes::glam::{DVec3, Vec3};

use crate::exact_pair::{ExactPair, relation_of};
use crate::{Relation, Relative, tolerance};

/// The vertices of two placed cores, of which B may sweep along a way.
pub(super) struct Vertices<'a> {
    pub(super) a: &'a [Vec3],
    pub(super) b: &'a [Vec3],
    /// Way of B, along the world's axes; with it, B is everything it passes over.
    pub(super) motion: Option<Vec3>,
    /// The radii by which the cores are grown.
    pub(super) radii: [f32; 4],
}

impl Vertices<'_> {
    /// Relation of the hulls of the vertices, grown by the radii.
    pub(super) fn relation(&self, at: &Relative) -> Relation {
        let differences = Differences::new(self, at);
        let sum = self.radii.iter().fold(Exact::ZERO, |sum, &r| sum + Exact::from(r));
        let reach = differences.pair.number(sum);
        relation_of(wolfe::compare_distance(|direction| differences.least(direction), &reach))
    }
}

/// All differences of a vertex of A and one of B, in exact arithmetic where it matters.
struct Differences<'a> {
    pair: ExactPair,
    vertices: &'a Vertices<'a>,
    /// From A's position, along the world's axes, in f64.
    near_a: Vec<DVec3>,
    near_b: Vec<DVec3>,
    /// Bound of the error of their coordinates.
    error: f64,
    /// Exact counterparts, made when needed.
    motion: ExactVec3,
}

impl<'a> Differences<'a> {
    fn new(vertices: &'a Vertices<'a>, at: &Relative) -> Self {
        let pair = ExactPair::new(at);
        let turn = at.world_from_a();
        let near_a: Vec<_> = vertices.a.iter().map(|v| *turn * v.as_dvec3()).collect();
        let near_b: Vec<_> =
            vertices.b.iter().map(|v| *turn * at.point_from_b(v.as_dvec3())).collect();
        let motion = vertices.motion.unwrap_or(Vec3::ZERO);
        let size = near_a
            .iter()
            .chain(&near_b)
            .fold(0.0_f64, |most, v| most.max(v.x.abs() + v.y.abs() + v.z.abs()));
        let travel = motion.as_dvec3().abs().element_sum();
        let motion = pair.world(motion);
        Self { pair, vertices, near_a, near_b, error: (size + travel) * tolerance::FRAME, motion }
    }

    fn point_of_a(&self, index: usize) -> ExactVec3 {
        self.pair.of_a(self.vertices.a[index])
    }

    fn point_of_b(&self, index: usize) -> ExactVec3 {
        self.pair.point_of_b(self.vertices.b[index])
    }

    /// The difference `a - b` that lies least along `direction`, which is not zero.
    fn least(&self, direction: &ExactVec3) -> ExactVec3 {
        let rough = wolfe::rough(direction);
        let best_a = wolfe::extreme(
            &self.near_a,
            -rough,
            self.error,
            |k| self.point_of_a(k),
            |p| -direction.dot(p),
        );
        let mut best_b = wolfe::extreme(
            &self.near_b,
            rough,
            self.error,
            |k| self.point_of_b(k),
            |p| direction.dot(p),
        );
        if self.vertices.motion.is_some() && direction.dot(&self.motion).sign() == Ordering::Greater
        {
            best_b = best_b.plus(&self.motion);
        }
        best_a.minus(&best_b)
    }
}
