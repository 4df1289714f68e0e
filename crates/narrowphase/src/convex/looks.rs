//! Along which of all axes between two cores with few edges they are farthest apart.

use fearless_simd::{Simd, f64x8, mask64x8, prelude::*};
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;

use super::Gap;
use super::axes::{Few, nearest_on};
use crate::batch::gather::each;
use crate::lanes::lanes;
use crate::real::{Real, Real3};
use crate::tolerance;

/// Places for axes: three faces of each core, nine pairs of edges, and one that stays empty.
const PLACES: usize = 16;
/// Axes that are looked along at once.
const LANES: usize = 8;

/// Where an axis comes from.
enum Source {
    FaceOfA(usize),
    FaceOfB(usize),
    Edges(usize, usize),
}

impl Source {
    fn of(place: usize) -> Self {
        match place {
            0..3 => Self::FaceOfA(place),
            3..6 => Self::FaceOfB(place - 3),
            _ => Self::Edges((place - 6) / 3, (place - 6) % 3),
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
    /// A bit for each axis along which a distance may be tied with the greatest.
    near: u64,
}

/// The axis along which two cores are farthest apart or overlap least.
pub(super) struct Best {
    /// Unit, from A to B.
    pub(super) normal: DVec3,
    /// Signed, along it.
    pub(super) distance: f64,
    place: usize,
    /// Whether another direction is as good.
    pub(super) is_tied: bool,
    /// Whether all axes were looked along that could be better.
    pub(super) is_whole: bool,
}

impl Seen {
    pub(super) const EMPTY: Self = Self {
        axes: [[0.0; PLACES]; 3],
        ahead: [0.0; PLACES],
        behind: [0.0; PLACES],
        used: 0,
        near: 0,
    };

    /// The best axis, or any along which the two are farther apart than `above`; of those that are
    /// tied the first.
    #[inline(always)]
    pub(super) fn best(
        &mut self,
        level: SimdLevel,
        (a, b): (&Few, &Few),
        above: f64,
        tie: f64,
    ) -> Best {
        let is_seen = lanes!(level, simd => self.side_by_side(simd, a, b, above, tie)).is_some();
        if !is_seen {
            self.one_by_one(a, b);
        }
        let mut best = Best {
            normal: DVec3::X,
            distance: f64::NEG_INFINITY,
            place: 0,
            is_tied: false,
            is_whole: a.is_whole && b.is_whole && self.used == places(a, b),
        };
        // One that is better than all others by more than a tie is what is left of them in any
        // order, and one by one is a branch for each that nothing can guess.
        let mut rest = if self.near.is_power_of_two() { self.near } else { self.used };
        while rest != 0 {
            self.choose(rest.trailing_zeros() as usize % PLACES, tie, &mut best);
            rest &= rest - 1;
        }
        best
    }

    /// Takes an axis if it is better than those before.
    #[inline(always)]
    fn choose(&self, place: usize, tie: f64, best: &mut Best) {
        let (ahead, behind) = (self.ahead[place], self.behind[place]);
        let distance = ahead.max(behind);
        if distance < best.distance - tie {
            return;
        }
        let [x, y, z] = &self.axes;
        let axis = DVec3::new(x[place], y[place], z[place]);
        let normal = if behind > ahead { -axis } else { axis };
        if distance > best.distance + tie {
            (best.normal, best.distance, best.place) = (normal, distance, place);
            best.is_tied = (ahead - behind).abs() <= tie;
        } else {
            let is_same = normal.dot(best.normal) > 0.0
                && normal.cross(best.normal).length_squared() <= tolerance::SAME_AXIS;
            best.is_tied |= !is_same;
        }
    }

    /// All axes one after the other.
    #[inline(never)]
    fn one_by_one(&mut self, a: &Few, b: &Few) {
        let (axes, most) = (axes(a, b), lengths(a, b));
        let (axes, most) = (axes.as_flattened(), most.as_flattened());
        let places = places(a, b);
        for place in 0..PLACES {
            let DVec3 { x, y, z } = axes[place];
            let (axis, ahead, behind) = seen_along(Real3::new(x, y, z), a, b);
            let is_clear = axes[place].length_squared() > tolerance::SLANTED * most[place];
            if is_clear && places >> place & 1 != 0 {
                self.used |= 1 << place;
            }
            (self.axes[0][place], self.axes[1][place], self.axes[2][place]) =
                (axis.x, axis.y, axis.z);
            (self.ahead[place], self.behind[place]) = (ahead, behind);
        }
        self.near = self.used;
    }

    /// Eight at a time; those of the second half not where the first tells that the two are apart.
    ///
    /// All numbers are put side by side here, in registers: what is stored one by one before is
    /// waited for long.
    #[inline(always)]
    fn side_by_side<S: Simd>(&mut self, simd: S, a: &Few, b: &Few, above: f64, tie: f64) {
        let ([one, other], [least, least_other]) = (axes(a, b), lengths(a, b));
        let first = self.half::<S, 0>(simd, (a, b), one, least);
        let mut most = first.reduce_max();
        let mut second = f64x8::splat(simd, f64::NEG_INFINITY);
        if most <= above {
            second = self.half::<S, LANES>(simd, (a, b), other, least_other);
            most = most.max(second.reduce_max());
        }
        self.near = tied(first, most, tie) | tied(second, most, tie) << LANES;
    }

    /// The distances along the axes from a place on, as far as there are any.
    #[inline(always)]
    fn half<S: Simd, const FROM: usize>(
        &mut self,
        simd: S,
        (a, b): (&Few, &Few),
        axes: [DVec3; LANES],
        lengths: [f64; LANES],
    ) -> f64x8<S> {
        let axis = Real3::new(
            f64x8::load_array(simd, each!(axes, axis => axis.x)),
            f64x8::load_array(simd, each!(axes, axis => axis.y)),
            f64x8::load_array(simd, each!(axes, axis => axis.z)),
        );
        let least = f64x8::load_array(simd, lengths) * tolerance::SLANTED;
        let places = mask64x8::from_bitmask(simd, places(a, b) >> FROM & 0xff);
        let is_used = axis.dot(axis).simd_gt(least) & places;
        let (axis, ahead, behind) = seen_along(axis, a, b);
        axis.x.store_slice(&mut self.axes[0][FROM..FROM + LANES]);
        axis.y.store_slice(&mut self.axes[1][FROM..FROM + LANES]);
        axis.z.store_slice(&mut self.axes[2][FROM..FROM + LANES]);
        ahead.store_slice(&mut self.ahead[FROM..FROM + LANES]);
        behind.store_slice(&mut self.behind[FROM..FROM + LANES]);
        self.used |= is_used.to_bitmask() << FROM;
        is_used.select(ahead.max(behind), f64x8::splat(simd, f64::NEG_INFINITY))
    }
}

/// A bit for each distance that may be tied with the greatest, whichever of both comes first.
#[inline(always)]
fn tied<S: Simd>(distances: f64x8<S>, most: f64, tie: f64) -> u64 {
    (distances.simd_ge(most - tie) | (distances + tie).simd_ge(most)).to_bitmask()
}

/// The axes at their places, of any length.
#[inline(always)]
fn axes(a: &Few, b: &Few) -> [[DVec3; LANES]; 2] {
    let ([p, q, r], [s, t, u]) = (a.edges, b.edges);
    let ([f, g, h], [i, j, k]) = (a.normals, b.normals);
    let [ps, pt, pu] = [p.cross(s), p.cross(t), p.cross(u)];
    let [qs, qt, qu] = [q.cross(s), q.cross(t), q.cross(u)];
    let [rs, rt, ru] = [r.cross(s), r.cross(t), r.cross(u)];
    [[f, g, h, i, j, k, ps, pt], [pu, qs, qt, qu, rs, rt, ru, DVec3::X]]
}

/// What the square of an axis must exceed, but for a factor: of faces nothing.
#[inline(always)]
fn lengths(a: &Few, b: &Few) -> [[f64; LANES]; 2] {
    let ([p, q, r], [s, t, u]) = (a.edges, b.edges);
    let [p, q, r] = [p.length_squared(), q.length_squared(), r.length_squared()];
    let [s, t, u] = [s.length_squared(), t.length_squared(), u.length_squared()];
    let [ps, pt, pu] = [p * s, p * t, p * u];
    let [qs, qt, qu] = [q * s, q * t, q * u];
    let [rs, rt, ru] = [r * s, r * t, r * u];
    [[-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, ps, pt], [pu, qs, qt, qu, rs, rt, ru, 0.0]]
}

/// A bit for each place that has an axis.
#[inline(always)]
fn places(a: &Few, b: &Few) -> u64 {
    let first = |count: u8| (1_u64 << count) - 1;
    let row = first(b.edge_count) << 6;
    let rows = [row, row << 3, row << 6].into_iter().take(a.edge_count.into());
    first(a.normal_count) | first(b.normal_count) << 3 | rows.fold(0, |all, row| all | row)
}

/// The axis as a unit vector, how far B begins beyond A along it, and A beyond B.
#[inline(always)]
fn seen_along<R: Real>(axis: Real3<R>, a: &Few, b: &Few) -> (Real3<R>, R, R) {
    let axis = axis * (axis.x.all(1.0) / axis.dot(axis).sqrt());
    let ((low_a, high_a), (low_b, high_b)) = (a.span(axis), b.span(axis));
    (axis, low_b - high_a, low_a - high_b)
}

impl Best {
    /// The gap, if the two meet along the best axis, apart or on the way out.
    #[inline(always)]
    pub(super) fn gap(&self, a: &Few, b: &Few, error: f64, slack: f64) -> Option<Gap> {
        let Self { normal, distance, .. } = *self;
        let point_a = match Source::of(self.place) {
            Source::FaceOfA(k) => {
                let foot = b.farthest(-normal, error) - normal * distance;
                a.face_holds(k, foot, error).then_some(foot)?
            }
            Source::FaceOfB(k) => {
                let corner = a.farthest(normal, error);
                b.face_holds(k, corner + normal * distance, error).then_some(corner)?
            }
            Source::Edges(i, j) => {
                let on_a = a.edge(i, normal, error)?;
                nearest_on(on_a, b.edge(j, -normal, error)?)?
            }
        };
        // Along an axis that is not quite the right one the cores are apart by less.
        let (at_least, at_most) = (distance, distance + slack);
        Some(Gap { distance, at_least, at_most, proven: true, normal, point_a })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;

    #[test]
    fn axes_side_by_side_tell_what_they_tell_one_by_one() {
        // Apart by more than was asked, one axis the best, several tied.
        let mut seen = [0; 3];
        for seed in 0..6_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let mut few = || loop {
                let shape = draw.cornered(scale);
                if let Some(solid) = shape.solid().filter(|solid| Few::is(&solid.core)) {
                    break Few::new(&solid.core);
                }
            };
            let (a, mut b) = (few(), few());
            let away = draw.vector() * scale * if seed.is_multiple_of(8) { 0.0 } else { 1.6 };
            let here = draw.vector();
            let (pose, there) = (draw.pose(here), draw.pose(away));
            let at = match seed % 3 {
                0 => Relative::from_b_in_a(&impinge_shapes::Pose::IDENTITY),
                _ => Relative::new(&pose, &there),
            };
            b.place(&at, DVec3::ZERO);
            let tie = tolerance::TIE * f64::from(scale) * 8.0;
            let above = if seed.is_multiple_of(2) { f64::INFINITY } else { 0.0 };
            let told = |level| {
                let mut all = Seen::EMPTY;
                let best = all.best(level, (&a, &b), above, tie);
                (best, all.near.count_ones())
            };
            let ((one, _), (lanes, near)) =
                (told(SimdLevel::scalar()), told(SimdLevel::detected()));
            if lanes.distance > above {
                assert!(one.distance > above, "seed {seed}");
                seen[0] += 1;
                continue;
            }
            let bits = |best: &Best| {
                let DVec3 { x, y, z } = best.normal;
                let numbers = [x, y, z, best.distance].map(f64::to_bits);
                (numbers, best.place, best.is_tied, best.is_whole)
            };
            assert_eq!(bits(&lanes), bits(&one), "seed {seed}");
            seen[if near == 1 { 1 } else { 2 }] += 1;
        }
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }
}
