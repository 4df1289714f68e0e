//! How two sets of vertices lie to each other, decided without rounding.
//!
//! The Minkowski difference of two convex hulls is the hull of all differences of their vertices.
//! Where the origin lies to it is decided with exact numbers.

use std::cmp::Ordering;

use impinge_shapes::convex::wolfe::{self, Direction, Extreme, Place};
use impinge_shapes::exact::Exact;
use impinge_shapes::glam::{DVec3, Vec3};
use smallvec::SmallVec;

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
    ///
    /// `normal` is a guess of the direction from A to B, in A's frame; any will do.
    pub(super) fn relation(&self, at: &Relative, normal: DVec3) -> Relation {
        let differences = Differences::new(self, at);
        let sum = self.radii.iter().fold(Exact::ZERO, |sum, &r| sum + Exact::from(r));
        let reach = differences.pair.number(sum);
        let first = *at.world_from_a() * -normal;
        relation_of(wolfe::compare_distance(|way| differences.least(way), first, &reach))
    }
}

/// All differences of a vertex of A and one of B, in exact arithmetic where it matters.
struct Differences<'a> {
    pair: ExactPair,
    vertices: &'a Vertices<'a>,
    /// From A's position, along the world's axes, in f64.
    near_a: Near,
    near_b: Near,
    /// Bound of the error of their coordinates.
    error: f64,
    /// See [`ExactPair::last_digit`].
    last_digit: i64,
    /// How far B moves and how far back that is, exactly.
    motion: Option<[Place; 2]>,
}

/// Vertices in f64.
type Near = SmallVec<[DVec3; 8]>;

impl<'a> Differences<'a> {
    fn new(vertices: &'a Vertices<'a>, at: &Relative) -> Self {
        let pair = ExactPair::of_points(at, vertices.a, vertices.b);
        let turn = at.world_from_a();
        let near_a: Near = vertices.a.iter().map(|v| *turn * v.as_dvec3()).collect();
        let near_b: Near =
            vertices.b.iter().map(|v| *turn * at.point_from_b(v.as_dvec3())).collect();
        let size = near_a
            .iter()
            .chain(&near_b)
            .fold(0.0_f64, |most, v| most.max(v.x.abs() + v.y.abs() + v.z.abs()));
        let travel = vertices.motion.unwrap_or(Vec3::ZERO).as_dvec3().abs().element_sum();
        let error = (size + travel) * tolerance::FRAME;
        let last_digit = pair.last_digit(size + travel);
        let motion = vertices.motion.map(|way| [way, -way].map(|v| pair.way(v, last_digit)));
        Self { pair, vertices, near_a, near_b, error, last_digit, motion }
    }

    fn point_of_a(&self, index: usize) -> Place {
        self.pair.place_of_a(self.vertices.a[index], self.last_digit)
    }

    fn point_of_b(&self, index: usize) -> Place {
        self.pair.place_of_b(self.vertices.b[index], self.last_digit)
    }

    /// The difference `a - b` that lies least along a direction.
    fn least(&self, direction: &Direction<'_>) -> Extreme {
        let a = direction.extreme(false, &self.near_a, self.error, |k| self.point_of_a(k));
        let b = direction.extreme(true, &self.near_b, self.error, |k| self.point_of_b(k));
        let along = self.motion.as_ref().map(|[motion, _]| direction.along(motion));
        let is_known = a.is_known && b.is_known && along.is_none_or(|along| along.is_some());
        let place = match &self.motion {
            Some([_, back]) if along == Some(Some(Ordering::Greater)) => back.to(&b.place),
            _ => b.place,
        };
        Extreme { place: place.to(&a.place), is_known }
    }
}
