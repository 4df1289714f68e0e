//! Along which of all axes between two cores with few edges they are farthest apart.

use std::marker::PhantomData;

use fearless_simd::{Simd, f64x4, mask64x4, prelude::*};
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::{Bits, SimdLevel};

use super::axes::nearest_on;
use super::few::Few;
use super::{Gap, Proof};
use crate::lanes::lanes;
use crate::real::{Real, Real3};
use crate::tolerance;

/// Axes that are looked along at once.
const LANES: usize = 4;
/// Rows of axes: one for each edge of the core with fewer directions of edges, at most three, with
/// the other's edges side by side and a face in the last lane; then the faces that are left.
const ROWS: usize = 4;
const PLACES: usize = ROWS * LANES;
/// The lane of a row of edges that has a face instead.
const FACE_LANE: usize = LANES - 1;

/// Where an axis comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    FaceOfA(usize),
    FaceOfB(usize),
    Edges(usize, usize),
    Nothing,
}

/// Where the axes of two cores are.
struct Places<A, B>(PhantomData<(A, B)>);

impl<A: Few, B: Few> Places<A, B> {
    /// Whether rows are of A's edges and lanes of B's.
    const ROWS_OF_A: bool = A::EDGES <= B::EDGES;
    /// Rows of edges.
    const EDGE_ROWS: usize = if Self::ROWS_OF_A { A::EDGES } else { B::EDGES };
    const COUNT: usize = A::FACES + B::FACES + A::EDGES * B::EDGES;
    /// All rows.
    const ROWS: usize = Self::EDGE_ROWS + (A::FACES + B::FACES > Self::EDGE_ROWS) as usize;
    /// The place of each axis: A's faces, B's, then the edges of A with those of B, so that faces
    /// come first where several are as good.
    const IN_ORDER: [usize; PLACES] = Self::in_order();
    /// A bit for each place that has an axis.
    const ALL: u64 = Self::all();

    const fn face(face: usize) -> usize {
        if face < Self::EDGE_ROWS {
            face * LANES + FACE_LANE
        } else {
            Self::EDGE_ROWS * LANES + face - Self::EDGE_ROWS
        }
    }

    const fn in_order() -> [usize; PLACES] {
        let mut places = [0; PLACES];
        let mut k = 0;
        while k < Self::COUNT {
            places[k] = if k < A::FACES + B::FACES {
                Self::face(k)
            } else {
                let (i, j) =
                    ((k - A::FACES - B::FACES) / B::EDGES, (k - A::FACES - B::FACES) % B::EDGES);
                if Self::ROWS_OF_A { i * LANES + j } else { j * LANES + i }
            };
            k += 1;
        }
        places
    }

    const fn all() -> u64 {
        let (mut all, mut k) = (0, 0);
        while k < Self::COUNT {
            all |= 1 << Self::IN_ORDER[k];
            k += 1;
        }
        all
    }

    fn source(place: usize) -> Source {
        let (row, lane) = (place / LANES, place % LANES);
        let face = match (row < Self::EDGE_ROWS, lane) {
            (true, FACE_LANE) => row,
            (true, _) if Self::ROWS_OF_A => return Source::Edges(row, lane),
            (true, _) => return Source::Edges(lane, row),
            (false, _) => lane + Self::EDGE_ROWS,
        };
        if face < A::FACES { Source::FaceOfA(face) } else { Source::FaceOfB(face - A::FACES) }
    }

    /// The normal of a face; the X axis where there is none.
    #[inline(always)]
    fn normal(a: &A, b: &B, face: usize) -> DVec3 {
        if face < A::FACES {
            a.normal(face)
        } else if face < A::FACES + B::FACES {
            b.normal(face - A::FACES)
        } else {
            DVec3::X
        }
    }
}

/// Axes that were looked along, coordinate by coordinate, and what is seen along each.
pub(super) struct Seen {
    /// Unit.
    axes: [[f64; PLACES]; 3],
    /// How far B begins beyond A along each axis.
    ahead: [f64; PLACES],
    /// How far A begins beyond B.
    behind: [f64; PLACES],
    /// A bit for each place that holds an axis.
    used: u64,
    /// A bit for each of these that is across edges so near to parallel that it is a little off.
    slanted: u64,
    /// The squared sine of the angle between the edges of such an axis.
    sines: [f64; PLACES],
    /// A bit for each axis along which a distance may be tied with the greatest.
    near: u64,
}

/// The axis along which two cores are farthest apart or overlap least.
pub(super) struct Best {
    /// Unit, from A to B.
    pub(super) normal: DVec3,
    /// Signed, along it.
    pub(super) distance: f64,
    source: Source,
    /// Whether another direction is as good.
    pub(super) is_tied: bool,
    /// Whether all axes were looked along, none of which is without a direction, and it is the best
    /// whatever rounding hides of those that are a little off.
    pub(super) is_whole: bool,
    /// Whether it is a little off itself.
    is_slanted: bool,
}

impl Seen {
    pub(super) const EMPTY: Self = Self {
        axes: [[0.0; PLACES]; 3],
        ahead: [0.0; PLACES],
        behind: [0.0; PLACES],
        used: 0,
        slanted: 0,
        sines: [1.0; PLACES],
        near: 0,
    };

    /// The best axis, or any along which the two are farther apart than `above`; of those that are
    /// tied the first.
    #[inline(always)]
    pub(super) fn best<A: Few, B: Few>(
        &mut self,
        level: SimdLevel,
        (a, b): (&A, &B),
        above: f64,
        size: f64,
    ) -> Best {
        let tie = tolerance::TIE * size;
        let is_seen = lanes!(level, simd => self.side_by_side(simd, a, b, above, tie)).is_some();
        if !is_seen {
            self.one_by_one(a, b);
        }
        self.chosen::<A, B>(tie, tolerance::SLANTED_MISS * size)
    }

    /// The best of the axes that were looked along.
    #[inline(always)]
    fn chosen<A: Few, B: Few>(&self, tie: f64, miss: f64) -> Best {
        let mut best = Best {
            normal: DVec3::X,
            distance: f64::NEG_INFINITY,
            source: Source::Nothing,
            is_tied: false,
            is_whole: self.used == Places::<A, B>::ALL,
            is_slanted: false,
        };
        // One that is better than all others by more than a tie is what is left of them in any
        // order, and one by one is a branch for each that nothing can guess.
        if self.near.is_power_of_two() {
            let place = self.near.trailing_zeros() as usize % PLACES;
            self.choose(place, Places::<A, B>::source(place), tie, &mut best);
        } else {
            for &place in &Places::<A, B>::IN_ORDER[..Places::<A, B>::COUNT] {
                if self.used >> place & 1 != 0 {
                    self.choose(place, Places::<A, B>::source(place), tie, &mut best);
                }
            }
        }
        for place in Bits(self.slanted) {
            let place = place % PLACES;
            let distance = self.ahead[place].max(self.behind[place]);
            best.is_whole &= distance < best.distance - miss / self.sines[place].sqrt();
        }
        best
    }

    /// Takes an axis if it is better than those before.
    #[inline(always)]
    fn choose(&self, place: usize, source: Source, tie: f64, best: &mut Best) {
        let (ahead, behind) = (self.ahead[place], self.behind[place]);
        let distance = ahead.max(behind);
        if distance < best.distance - tie {
            return;
        }
        let [x, y, z] = &self.axes;
        let axis = DVec3::new(x[place], y[place], z[place]);
        let normal = if behind > ahead { -axis } else { axis };
        if distance > best.distance + tie {
            (best.normal, best.distance, best.source) = (normal, distance, source);
            best.is_slanted = self.slanted >> place & 1 == 1;
            best.is_tied = (ahead - behind).abs() <= tie;
        } else {
            let is_same = normal.dot(best.normal) > 0.0
                && normal.cross(best.normal).length_squared() <= tolerance::SAME_AXIS;
            best.is_tied |= !is_same;
        }
    }

    /// All axes one after the other.
    #[inline(never)]
    fn one_by_one<A: Few, B: Few>(&mut self, a: &A, b: &B) {
        for &place in &Places::<A, B>::IN_ORDER[..Places::<A, B>::COUNT] {
            let (DVec3 { x, y, z }, most) = match Places::<A, B>::source(place) {
                Source::FaceOfA(face) => (a.normal(face), 0.0),
                Source::FaceOfB(face) => (b.normal(face), 0.0),
                Source::Edges(i, j) => {
                    let (one, other) = (a.edges()[i], b.edges()[j]);
                    (one.cross(other), one.length_squared() * other.length_squared())
                }
                Source::Nothing => continue,
            };
            let axis = Real3::new(x, y, z);
            let square = axis.dot(axis);
            let (is_used, is_clear) =
                (square > most * tolerance::LEAST_SLANTED, square > most * tolerance::SLANTED);
            self.used |= u64::from(is_used) << place;
            self.slanted |= u64::from(is_used & !is_clear) << place;
            self.sines[place] = square / most;
            let (axis, ahead, behind) = seen_along(axis, a, b);
            (self.axes[0][place], self.axes[1][place], self.axes[2][place]) =
                (axis.x, axis.y, axis.z);
            (self.ahead[place], self.behind[place]) = (ahead, behind);
        }
        self.near = self.used;
    }

    /// A row at a time; those beyond the second not where these tell that the two are apart.
    ///
    /// All numbers are put side by side here, in registers: what is stored one by one before is
    /// waited for long.
    #[inline(always)]
    fn side_by_side<S: Simd, A: Few, B: Few>(
        &mut self,
        simd: S,
        a: &A,
        b: &B,
        above: f64,
        tie: f64,
    ) {
        let edges = Edges::new::<A, B>(simd, a, b);
        let none = f64x4::splat(simd, f64::NEG_INFINITY);
        let (mut found, mut greatest) = ([none; ROWS], none);
        // Not by a loop, whose rows would not be known when it is compiled.
        found[0] = self.row::<S, A, B, 0>(&edges, a, b);
        greatest = greatest.max(found[0]);
        if Places::<A, B>::ROWS > 1 {
            found[1] = self.row::<S, A, B, 1>(&edges, a, b);
            greatest = greatest.max(found[1]);
        }
        let mut most = greatest.reduce_max();
        if Places::<A, B>::ROWS > 2 && most <= above {
            found[2] = self.row::<S, A, B, 2>(&edges, a, b);
            greatest = greatest.max(found[2]);
            if Places::<A, B>::ROWS > 3 {
                found[3] = self.row::<S, A, B, 3>(&edges, a, b);
                greatest = greatest.max(found[3]);
            }
            most = greatest.reduce_max();
        }
        self.near = tied(found[0], most, tie)
            | tied(found[1], most, tie) << LANES
            | tied(found[2], most, tie) << (2 * LANES)
            | tied(found[3], most, tie) << (3 * LANES);
    }

    /// The distances along the axes of a row.
    #[inline(always)]
    fn row<S: Simd, A: Few, B: Few, const ROW: usize>(
        &mut self,
        edges: &Edges<S>,
        a: &A,
        b: &B,
    ) -> f64x4<S> {
        let simd = edges.squares.token();
        let places = Places::<A, B>::ALL >> (ROW * LANES) & ((1 << LANES) - 1);
        let places = mask64x4::from_bitmask(simd, places);
        let edge_rows = Places::<A, B>::EDGE_ROWS;
        let (axis, least) = if ROW < edge_rows {
            let one = if Places::<A, B>::ROWS_OF_A { a.edges()[ROW] } else { b.edges()[ROW] };
            let face = Places::<A, B>::normal(a, b, ROW);
            edges.row(one, face, Places::<A, B>::ROWS_OF_A)
        } else {
            // Not by a closure, which may stay out of line.
            let p = Places::<A, B>::normal(a, b, edge_rows);
            let q = Places::<A, B>::normal(a, b, edge_rows + 1);
            let r = Places::<A, B>::normal(a, b, edge_rows + 2);
            (gathered(simd, [p, q, r, DVec3::X]), f64x4::splat(simd, 0.0))
        };
        let square = axis.dot(axis);
        let is_used = square.simd_gt(least * tolerance::LEAST_SLANTED) & places;
        let is_clear = square.simd_gt(least * tolerance::SLANTED);
        let (axis, ahead, behind) = seen_along(axis, a, b);
        let (from, to) = (ROW * LANES, (ROW + 1) * LANES);
        axis.x.store_slice(&mut self.axes[0][from..to]);
        axis.y.store_slice(&mut self.axes[1][from..to]);
        axis.z.store_slice(&mut self.axes[2][from..to]);
        ahead.store_slice(&mut self.ahead[from..to]);
        behind.store_slice(&mut self.behind[from..to]);
        self.used |= is_used.to_bitmask() << from;
        let slanted = (is_used & !is_clear).to_bitmask();
        if slanted != 0 {
            self.slanted |= slanted << from;
            (square / least).store_slice(&mut self.sines[from..to]);
        }
        is_used.select(ahead.max(behind), f64x4::splat(simd, f64::NEG_INFINITY))
    }
}

/// The edges of the core that has more directions of them, side by side.
struct Edges<S: Simd> {
    ways: Real3<f64x4<S>>,
    /// The squares of their lengths; 0 where a row has a face.
    squares: f64x4<S>,
    is_face: mask64x4<S>,
}

impl<S: Simd> Edges<S> {
    #[inline(always)]
    fn new<A: Few, B: Few>(simd: S, a: &A, b: &B) -> Self {
        let [p, q, r] = if Places::<A, B>::ROWS_OF_A { b.edges() } else { a.edges() };
        let ways = gathered(simd, [p, q, r, DVec3::ZERO]);
        let is_face = mask64x4::from_bitmask(simd, 1 << FACE_LANE);
        Self { ways, squares: ways.dot(ways), is_face }
    }

    /// Across one edge and each of these, A's edges first, and a face beside them; and what the
    /// square of each must exceed, but for a factor.
    #[inline(always)]
    fn row(&self, one: DVec3, face: DVec3, is_of_a: bool) -> (Real3<f64x4<S>>, f64x4<S>) {
        let (own, face) = (self.everywhere(one), self.everywhere(face));
        let across = if is_of_a { own.cross(self.ways) } else { self.ways.cross(own) };
        let least = self.squares * self.squares.all(one.length_squared());
        (Real3::pick(self.is_face, face, across), least)
    }

    #[inline(always)]
    fn everywhere(&self, vector: DVec3) -> Real3<f64x4<S>> {
        let all = self.squares;
        Real3::new(all.all(vector.x), all.all(vector.y), all.all(vector.z))
    }
}

/// Four vectors coordinate by coordinate.
#[inline(always)]
fn gathered<S: Simd>(simd: S, [p, q, r, s]: [DVec3; LANES]) -> Real3<f64x4<S>> {
    Real3::new(
        f64x4::load_array(simd, [p.x, q.x, r.x, s.x]),
        f64x4::load_array(simd, [p.y, q.y, r.y, s.y]),
        f64x4::load_array(simd, [p.z, q.z, r.z, s.z]),
    )
}

/// A bit for each distance that may be tied with the greatest, whichever of both comes first.
#[inline(always)]
fn tied<S: Simd>(distances: f64x4<S>, most: f64, tie: f64) -> u64 {
    (distances.simd_ge(most - tie) | (distances + tie).simd_ge(most)).to_bitmask()
}

/// The axis as a unit vector, how far B begins beyond A along it, and A beyond B.
#[inline(always)]
fn seen_along<R: Real, A: Few, B: Few>(axis: Real3<R>, a: &A, b: &B) -> (Real3<R>, R, R) {
    let axis = axis * (axis.x.all(1.0) / axis.dot(axis).sqrt());
    let ((low_a, high_a), (low_b, high_b)) = (a.span(axis), b.span(axis));
    (axis, low_b - high_a, low_a - high_b)
}

impl Best {
    /// The gap, if the two meet along the best axis, apart or on the way out.
    #[inline(always)]
    pub(super) fn gap<A: Few, B: Few>(&self, a: &A, b: &B, error: f64, slack: f64) -> Option<Gap> {
        let Self { normal, distance, is_slanted, .. } = *self;
        if is_slanted {
            return None;
        }
        let point_a = match self.source {
            Source::FaceOfA(k) => {
                let foot = b.farthest(-normal, error) - normal * distance;
                a.face_holds(k, foot, error).then_some(foot)?
            }
            Source::FaceOfB(k) => {
                let corner = a.farthest(normal, error);
                b.face_holds(k, corner + normal * distance, error).then_some(corner)?
            }
            Source::Edges(i, j) => {
                let edges = (a.edge(i, normal, error)?, b.edge(j, -normal, error)?);
                let [on_a, on_b] = nearest_on(edges.0, edges.1)?;
                // Of an edge that is no longer than rounding, the ends say nothing of its way.
                if on_b.distance(on_a) > distance.abs() + slack {
                    return None;
                }
                on_a
            }
            Source::Nothing => return None,
        };
        // Along an axis that is not quite the right one the cores are apart by less.
        let (at_least, at_most) = (distance, distance + slack);
        Some(Gap { distance, at_least, at_most, proof: Proof::Bounds, normal, point_a })
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::Core;

    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;
    use crate::convex::few::with_few;

    /// How many axes are left in lanes where they tell what all tell one by one; none where they
    /// part the two.
    fn compared<A: Few, B: Few>(
        seed: u64,
        at: &Relative,
        (a, mut b): (A, B),
        (above, size): (f64, f64),
    ) -> Option<u32> {
        b.place(at, DVec3::ZERO);
        let told = |level| {
            let mut seen = Seen::EMPTY;
            let best = seen.best(level, (&a, &b), above, size);
            (best, seen.near.count_ones())
        };
        let ((one, _), (lanes, near)) = (told(SimdLevel::scalar()), told(SimdLevel::detected()));
        if lanes.distance > above {
            assert!(one.distance > above, "seed {seed}");
            return Some(0);
        }
        let bits = |best: &Best| {
            let DVec3 { x, y, z } = best.normal;
            let numbers = [x, y, z, best.distance].map(f64::to_bits);
            (numbers, best.source, best.is_tied, best.is_whole)
        };
        assert_eq!(bits(&lanes), bits(&one), "seed {seed}");
        Some(near)
    }

    #[test]
    fn axes_side_by_side_tell_what_they_tell_one_by_one() {
        // Apart by more than was asked, one axis the best, several tied.
        let mut seen = [0; 3];
        for seed in 0..6_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let mut few = || loop {
                let shape = draw.cornered(scale);
                let core = shape.solid().map(|solid| solid.core);
                if let Some(Core::Segment(_) | Core::Cuboid(_) | Core::Triangle(_)) = core {
                    break shape;
                }
            };
            let (one, other) = (few(), few());
            let away = draw.vector() * scale * if seed.is_multiple_of(8) { 0.0 } else { 1.6 };
            let here = draw.vector();
            let (pose, there) = (draw.pose(here), draw.pose(away));
            let at = match seed % 3 {
                0 => Relative::from_b_in_a(&impinge_shapes::Pose::IDENTITY),
                _ => Relative::new(&pose, &there),
            };
            let size = f64::from(scale) * 8.0;
            let above = if seed.is_multiple_of(2) { f64::INFINITY } else { 0.0 };
            let (one, other) = (one.solid().unwrap().core, other.solid().unwrap().core);
            let near = with_few!(&one, a => with_few!(&other, b => {
                compared(seed, &at, (a, b), (above, size))
            }));
            seen[near.unwrap().min(2) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }
}
