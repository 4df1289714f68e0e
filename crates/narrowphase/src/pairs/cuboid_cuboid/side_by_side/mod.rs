//! Manifolds and closest points of eight pairs of boxes side by side, to the bit those of
//! [`super::manifold`] and [`super::closest`].
//!
//! A face over a face is what most manifolds of boxes are. Everything of them is the same steps for
//! every pair, once the numbers of the boxes are turned so that the reference face comes first. Edges
//! that cross are found by steps of their own (`crossing.rs`), and so are the closest points of boxes
//! that are apart (`parted.rs`). What rounding might touch, and manifolds of boxes that are nearest
//! elsewhere, are left to one pair at a time.

mod boxes;
mod crossing;
mod parted;

use fearless_simd::{Simd, mask64x8, prelude::*};
use impinge_shapes::glam::Vec3;

use super::axes::EDGES;
use super::lanes::{FRAMES, frames};
use crate::clip::MOST;
use crate::clip::eight::{Corners, Places, WIDTH};
use crate::real::{Placed, Real3, Turn};
use crate::witness::feature_id;
use crate::{ContactPoint, FeatureId, contacts, tolerance};
use boxes::{Best, Boxes, Lane, NUMBERS, Three, Yes, size_of};
use crossing::Crossing;

/// What is asked about eight pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Bits of the lanes with a pair.
    pub(crate) used: u64,
    /// Bits of the pairs that are apart; the others penetrate.
    pub(crate) apart: u64,
    /// Edge axes that may be the best of some pair, a bit each.
    pub(crate) edges: u64,
    /// Some edges may be so nearly parallel that their axis must be looked at by itself.
    pub(crate) slanted: bool,
    /// Share of its depth by which an edge must beat the best face.
    pub(crate) preference: f64,
    pub(crate) margin: f64,
    /// The closest points are wanted instead of a manifold.
    pub(crate) closest: bool,
    /// Fewer faces over faces than this are put off.
    pub(crate) worthwhile: u32,
}

/// Room for eight pairs and their answers.
#[repr(align(64))]
pub(crate) struct Eight {
    /// Numbers of [`frames`].
    pub(crate) rows: [[f64; WIDTH]; FRAMES],
    /// Numbers of the best axes, and the signed distances along them.
    best: [[f64; WIDTH]; 2],
    /// Bits of the pairs of which the best axis is known.
    chosen: u64,
    /// Bits of the pairs that have a manifold.
    pub(crate) met: u64,
    /// Bits of the pairs that are left to one at a time.
    pub(crate) open: u64,
    /// Bits of the pairs that are to be asked about again, with others like them: the best axis is a
    /// face's, or an edge's beside a face that looks nearly along it.
    pub(crate) put_off: u64,
    /// Bits of the pairs with one point on each box: those that meet by edges, and those that are
    /// apart and whose closest points are proved.
    crossed: u64,
    /// Their points; what is closest has no features.
    crossings: Crossings,
    /// The normals, and a number for nothing.
    normals: [[f32; 4]; WIDTH],
    points: [contacts::Points; POINTS],
    /// The numbers of the features, but for the edges that meet.
    faces: [f64; WIDTH],
    /// The corners behind the points.
    corners: Corners,
    places: Places,
}

impl Eight {
    pub(crate) const EMPTY: Self = Self {
        rows: [[0.0; WIDTH]; FRAMES],
        best: [[0.0; WIDTH]; 2],
        chosen: 0,
        met: 0,
        open: 0,
        put_off: 0,
        crossed: 0,
        crossings: Crossings::EMPTY,
        normals: [[0.0; 4]; WIDTH],
        points: [contacts::NONE; POINTS],
        faces: [0.0; WIDTH],
        corners: Corners::EMPTY,
        places: Places::EMPTY,
    };
}

/// What points are made with.
struct Settling<S: Simd> {
    apart: Yes<S>,
    least: Lane<S>,
    ties: Lane<S>,
    margin: Lane<S>,
}

/// Eight pairs and their best axes.
struct Pairs<S: Simd> {
    boxes: Boxes<S>,
    best: Best<S>,
    /// The unit of errors.
    size: Lane<S>,
    /// Along the best axis, on the side that the relation says.
    separation: Lane<S>,
    /// A's place in the world.
    origin: Real3<Lane<S>>,
    turn: Turn<Lane<S>>,
    settling: Settling<S>,
}

/// Pairs whose best axis is an edge axis.
struct Edges<S: Simd> {
    /// The axis.
    across: Three<S>,
    /// The edges cross indeed.
    meets: Yes<S>,
    /// Some face looks nearly along the axis.
    steady: Yes<S>,
}

impl<S: Simd> Edges<S> {
    /// `no` is no pair.
    #[inline(always)]
    fn none(simd: S, no: Yes<S>) -> Self {
        Self { across: [Lane::splat(simd, 0.0); 3], meets: no, steady: no }
    }
}

/// Most points of a manifold.
const POINTS: usize = 4;

/// Beyond this, a coordinate might be too large for f32.
const LARGE: f64 = (1_u128 << 120) as f64;

impl Eight {
    /// Answers for eight pairs, where nothing is said but in `open`.
    #[inline(always)]
    pub(crate) fn fill<S: Simd>(
        &mut self,
        simd: S,
        (placed_a, placed_b): (&Placed<Lane<S>>, &Placed<Lane<S>>),
        asked: &Asked,
    ) {
        let numbers = frames(placed_a, placed_b);
        for (row, number) in self.rows.iter_mut().zip(&numbers) {
            number.store_slice(row);
        }
        let [t0, t1, t2, x0, x1, x2, y0, y1, y2, z0, z1, z2, ..] = numbers;
        let [a0, a1, a2, ..] = placed_a.numbers;
        let [b0, b1, b2, ..] = placed_b.numbers;
        let boxes = Boxes {
            a: [a0, a1, a2],
            b: [b0, b1, b2],
            t: [t0, t1, t2],
            r: [[x0, x1, x2], [y0, y1, y2], [z0, z1, z2]],
        };
        let size = size_of(&boxes.a, &boxes.b, &boxes.t);
        let tie = size * tolerance::TIE;
        let best = boxes.best(simd, asked, tie);
        best.index.store_slice(&mut self.best[0]);
        best.separation.store_slice(&mut self.best[1]);
        let apart = mask64x8::from_bitmask(simd, asked.apart);
        let used = mask64x8::from_bitmask(simd, asked.used);
        let (least, ties) = (size * tolerance::LEAST_GAP, size * (16.0 * tolerance::TIE));
        let margin = Lane::splat(simd, asked.margin);
        let separation = apart.select(best.separation.max(least), best.separation.min(-least));
        let wanted = if asked.closest { used } else { used & separation.simd_le(margin) };
        let asks = wanted | (used & best.short);
        let origin = placed_a.position;
        let is_small = (size + origin.sum_abs()).simd_le(Lane::splat(simd, LARGE));
        let is_face = best.index.simd_lt(Lane::splat(simd, NUMBERS[EDGES]));
        (self.chosen, self.met, self.crossed) = ((!best.short).to_bitmask(), 0, 0);
        (self.open, self.put_off) = (asks.to_bitmask(), 0);
        let turn = Turn {
            columns: [
                Real3::new(numbers[12], numbers[13], numbers[14]),
                Real3::new(numbers[15], numbers[16], numbers[17]),
                Real3::new(numbers[18], numbers[19], numbers[20]),
            ],
        };
        let settling = Settling { apart, least, ties, margin };
        let pairs = Pairs { boxes, best, size, separation, origin, turn, settling };
        let mut sure = asks & is_small & !pairs.best.short;
        if asked.closest {
            if asked.apart == asked.used {
                self.part(simd, &pairs, sure);
                return;
            }
            sure &= !apart;
        }
        let (by_edges, by_faces) = (sure & !is_face, sure & is_face);
        let mut edges = Edges::none(simd, by_edges & by_faces);
        if by_edges.any_true() {
            edges = self.cross(simd, &pairs, asked.closest, by_edges);
        }
        let done = by_faces | (edges.steady & !apart);
        let faces = done.to_bitmask();
        if faces.count_ones() < asked.worthwhile {
            self.put_off = faces;
            self.open &= !faces;
            return;
        }
        self.meet(simd, &pairs, asked.closest, &edges, done);
    }

    /// Answers for pairs that meet by an edge across an edge.
    #[inline(always)]
    fn cross<S: Simd>(
        &mut self,
        simd: S,
        pairs: &Pairs<S>,
        closest: bool,
        by_edges: Yes<S>,
    ) -> Edges<S> {
        let Pairs { boxes, best, size, separation, origin, turn, settling } = pairs;
        let crossing = boxes.crossing(simd, best.index, *separation, *size);
        let Crossing { normal, point_a, point_b, meets, steady, feature } = crossing;
        let (meets, mut steady) = (by_edges & meets, by_edges & steady);
        let (mut on_b, mut distance) = (point_b, settling.settled(*separation));
        if closest {
            steady &= !steady;
            (on_b, distance) = (point_a + normal * *separation, *separation);
        }
        self.crossed = (meets & !steady).to_bitmask();
        self.open &= !self.crossed;
        feature.store_slice(&mut self.crossings.features);
        contacts::put_normals(turn.apply(normal), &mut self.crossings.normals);
        put(turn, *origin, (point_a, on_b, distance), &mut self.crossings.points);
        Edges { across: [normal.x, normal.y, normal.z], meets, steady }
    }

    /// Answers for pairs that meet by a face over a face.
    #[inline(always)]
    fn meet<S: Simd>(
        &mut self,
        simd: S,
        pairs: &Pairs<S>,
        closest: bool,
        edges: &Edges<S>,
        mut done: Yes<S>,
    ) {
        let Pairs { boxes, best, size, separation, origin, turn, settling } = pairs;
        let &Settling { apart, ties, margin, .. } = settling;
        let reference = boxes.reference(simd, best, edges.steady, &edges.across, !closest);
        let faces = boxes.faces(simd, &reference, *size);
        let wants_deepest = closest || (done & (apart | reference.steady)).any_true();
        let same = faces.size * tolerance::SAME_POINT;
        let infinity = Lane::splat(simd, f64::INFINITY);
        let limit = if closest { infinity } else { margin + ties };
        let names = self.places.find(simd, &faces.quads, same, limit, wants_deepest);
        done &= names.clear & !(apart & reference.steady);
        if wants_deepest && !closest {
            let beyond = apart & names.deepest.simd_gt(*separation + ties);
            let explained = !reference.steady | names.deepest.simd_le(*separation * 0.5 + ties);
            // Where the face tells too little, the edges stay.
            self.crossed |= (done & edges.meets & !explained).to_bitmask();
            self.open &= !self.crossed;
            done &= !beyond & explained;
        }
        let (most, tie) = (if closest { MOST } else { POINTS }, *size * tolerance::TIE);
        self.corners.take(simd, &self.places, &names, done.to_bitmask(), tie, most);
        let counts = Lane::load_array_ref(simd, self.corners.counts());
        self.met = (done & counts.simd_gt(Lane::splat(simd, 0.0))).to_bitmask();
        self.open &= !self.met;
        faces.name.store_slice(&mut self.faces);
        let [x, y, z] = reference.normal;
        let normal = Real3::new(x, y, z);
        contacts::put_normals(turn.apply(normal), &mut self.normals);
        if closest {
            let corner = self.corners.middle(simd, names.deepest + tie * 8.0);
            let on_a = boxes.on_a(&reference, &faces, &corner);
            let points = (on_a, on_a + normal * *separation, *separation);
            put(turn, *origin, points, &mut self.points[0]);
            return;
        }
        for (k, points) in self.points.iter_mut().enumerate() {
            if !counts.simd_gt(Lane::splat(simd, NUMBERS[k])).any_true() {
                break;
            }
            let corner = self.corners.corner(simd, k);
            let distance = settling.settled(corner.distance);
            let on_a = boxes.on_a(&reference, &faces, &corner);
            put(turn, *origin, (on_a, on_a + normal * distance, distance), points);
        }
    }

    /// The number of a pair's best axis and the signed distance along it, where they are known.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "axes are small whole numbers"
    )]
    #[inline(always)]
    pub(crate) fn best(&self, lane: usize) -> Option<(usize, f64)> {
        let [index, separation] = &self.best;
        let lane = lane % WIDTH;
        if self.chosen >> lane & 1 == 1 {
            Some((index[lane] as usize, separation[lane]))
        } else {
            None
        }
    }

    /// The normal of a pair that has a manifold, and how many points that has.
    #[inline(always)]
    pub(crate) fn normal(&self, lane: usize) -> (Vec3, usize) {
        (contacts::normal(&self.normals, lane), self.corners.count(lane))
    }

    /// One of a pair's points.
    #[inline(always)]
    pub(crate) fn point(&self, k: usize, lane: usize) -> ContactPoint {
        let FeatureId(faces) = feature_id(self.faces[lane % WIDTH]);
        let feature = FeatureId(faces | u32::from(self.corners.name(k, lane)));
        contacts::point(&self.points[k % POINTS], lane, feature)
    }

    /// Whether a pair's best axis is an edge axis.
    #[inline(always)]
    pub(crate) fn is_by_edges(&self, lane: usize) -> bool {
        self.best[0][lane % WIDTH] >= NUMBERS[EDGES]
    }

    /// Bits of the pairs with one point on each box.
    pub(crate) fn crossed(&self) -> u64 {
        self.crossed
    }

    /// The normal of such a pair, and its point.
    #[inline(always)]
    pub(crate) fn crossing(&self, lane: usize) -> (Vec3, ContactPoint) {
        let Crossings { normals, points, features } = &self.crossings;
        let feature = feature_id(features[lane % WIDTH]);
        (contacts::normal(normals, lane), contacts::point(points, lane, feature))
    }
}

/// Places a point of A, one of B and their distance in the world, rounded.
#[inline(always)]
fn put<S: Simd>(
    turn: &Turn<Lane<S>>,
    origin: Real3<Lane<S>>,
    (on_a, on_b, distance): (Real3<Lane<S>>, Real3<Lane<S>>, Lane<S>),
    points: &mut contacts::Points,
) {
    let (on_a, on_b) = (turn.apply(on_a) + origin, turn.apply(on_b) + origin);
    contacts::put_points(on_a, on_b, distance, points);
}

/// Manifolds of one point, as [`Eight`] keeps those of several.
#[repr(align(64))]
struct Crossings {
    normals: [[f32; 4]; WIDTH],
    points: contacts::Points,
    features: [f64; WIDTH],
}

impl Crossings {
    const EMPTY: Self =
        Self { normals: [[0.0; 4]; WIDTH], points: contacts::NONE, features: [0.0; WIDTH] };
}

impl<S: Simd> Settling<S> {
    /// A point's distance, as [`super::manifold::Meeting`] settles it.
    #[inline(always)]
    fn settled(&self, here: Lane<S>) -> Lane<S> {
        let Self { apart, least, ties, margin } = *self;
        let deep = here.abs().simd_le(ties).select(here.min(-least), here);
        apart.select(here.max(least), deep).min(margin)
    }
}
