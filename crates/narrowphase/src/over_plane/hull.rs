//! Hulls over half-spaces in lanes, of which two things are a few numbers: the bounds, which tell all
//! over a floor, and the deepest vertex, which each hull is asked for by itself.

use fearless_simd::{Simd, f32x8, f64x8, prelude::*};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::simd::Bits;
use impinge_shapes::{ConvexHull, round, vectorized};

use super::deepest::{Deep, Deepest};
use super::points::{Look, Shown};
use super::{Facing, Over, Shows, level_gap};
use crate::real::{MOST_NUMBERS, Numbers, Placed, Real, Real3};
use crate::turn::{WIDTH, turn_eight};

/// The deepest vertex, which is not known before [`Deep::look_up`], and the bounds.
impl Numbers for ConvexHull {
    const COUNT: usize = 9;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let bounds = self.local_aabb();
        let (min, max) = (bounds.min(), bounds.max());
        [0.0, 0.0, 0.0, min.x, min.y, min.z, max.x, max.y, max.z]
    }
}

impl Deep for ConvexHull {
    const SEARCHED: bool = true;

    /// Asks each hull for its deepest vertex; where no `points` are wanted only those that are not over a
    /// floor.
    #[inline(always)]
    fn look_up<S: Simd>(
        simd: S,
        hulls: [&Self; WIDTH],
        solids: &mut Placed<f64x8<S>>,
        half_spaces: &Placed<f64x8<S>>,
        points: bool,
    ) {
        let facing = Facing::of(half_spaces);
        let over = Over::new(solids.position, solids.rotation, &facing);
        let all = u64::from(u8::MAX);
        let level = level_gap::<Self, _>(solids, &facing).1.known.to_bitmask();
        let asked = if points { all } else { all & !level };
        if asked == 0 {
            return;
        }
        let (down, reach) = (-over.lie.up, <Self as Deep>::reach(&solids.numbers));
        let search = Search {
            along: [down.x, down.y, down.z],
            reach: [reach.x, reach.y, reach.z],
            asked,
            // Several vertices of what rests on a face are as low.
            ties: level == all,
            points,
        };
        let [x, y, z] = search.deepest(simd, &hulls);
        (solids.numbers[0], solids.numbers[1], solids.numbers[2]) = (x, y, z);
    }

    #[inline(always)]
    fn deepest<R: Real>(up: Real3<R>, &[x, y, z, ..]: &[R; MOST_NUMBERS]) -> Deepest<R> {
        let place = Real3::new(x, y, z);
        Deepest { place, depth: -up.dot(place) }
    }

    #[inline(always)]
    fn level_depth<R: Real>(up: Real3<R>, &[_, _, _, a, b, c, d, e, f]: &[R; MOST_NUMBERS]) -> R {
        let zero = a.all(0.0);
        let end = |up: R, min: R, max: R| R::pick(up.below(zero), max, min);
        -up.dot(Real3 { x: end(up.x, a, d), y: end(up.y, b, e), z: end(up.z, c, f) })
    }

    #[inline(always)]
    fn reach<R: Real>(&[_, _, _, a, b, c, d, e, f]: &[R; MOST_NUMBERS]) -> Real3<R> {
        Real3::new(a.abs().most(d.abs()), b.abs().most(e.abs()), c.abs().most(f.abs()))
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        Shows::show(self, look, shown)
    }
}

/// How eight hulls are asked for their farthest vertices.
struct Search<S: Simd> {
    along: [f64x8<S>; 3],
    /// The farthest coordinates.
    reach: [f64x8<S>; 3],
    /// Bits of the lanes whose answer is wanted.
    asked: u64,
    /// Each has several farthest vertices.
    ties: bool,
    /// Where all points that are as far are to follow.
    points: bool,
}

impl<S: Simd> Search<S> {
    /// The coordinates of the vertices.
    ///
    /// Out of line, because every kernel of hulls asks for it.
    #[inline(never)]
    fn deepest(&self, simd: S, hulls: &[&ConvexHull; WIDTH]) -> [f64x8<S>; 3] {
        vectorized!(simd => self.in_lanes(simd, hulls))
    }

    #[inline(always)]
    fn in_lanes(&self, simd: S, hulls: &[&ConvexHull; WIDTH]) -> [f64x8<S>; 3] {
        let &Self { along, reach, asked, ties, points } = self;
        let (told, mut places) = if ties {
            (0, [[0.0; 4]; WIDTH])
        } else {
            ConvexHull::supports_in_lanes(simd, *hulls, along, reach)
        };
        let open = asked & !told;
        if open != 0 {
            let mut rows = [[0.0; WIDTH]; 3];
            for (row, numbers) in rows.iter_mut().zip(along) {
                numbers.store_array(row);
            }
            for lane in Bits(open) {
                let lane = lane % WIDTH;
                let along = DVec3::new(rows[0][lane], rows[1][lane], rows[2][lane]);
                let at_end = if points { first_at_end(simd, hulls[lane], along) } else { None };
                places[lane] = match at_end {
                    Some(place) => place,
                    None => farthest(simd, hulls[lane], along),
                };
            }
        }
        let [x, y, z, _] = turn_eight(simd, places);
        [x, y, z]
    }
}

/// [`ConvexHull::support_nearly`], to the bit: where many vertices are as far, as of what rests on a
/// face, f64 lanes tell it sooner than a look at each.
#[inline(always)]
fn farthest<S: Simd>(simd: S, hull: &ConvexHull, along: DVec3) -> [f32; 4] {
    let blocks = hull.vertex_lanes();
    if blocks.is_empty() {
        let Vec3 { x, y, z } = round::nearest_vec(hull.support_nearly(along));
        return [x, y, z, 0.0];
    }
    let (mut best, mut most) = ([0.0; 4], f64::NEG_INFINITY);
    for block in blocks {
        let [x, y, z] = [wide(simd, &block.x), wide(simd, &block.y), wide(simd, &block.z)];
        let heights = x * along.x + z * along.z + y * along.y;
        let (low, high) = heights.split();
        let [p, q, r, s]: [f64; WIDTH / 2] = low.max(high).into();
        let larger = |one: f64, other: f64| if one > other { one } else { other };
        let here = larger(larger(p, q), larger(r, s));
        if here > most {
            let first = heights.simd_ge(f64x8::splat(simd, here)).to_bitmask().trailing_zeros();
            let lane = first as usize % WIDTH;
            (best, most) = ([block.x[lane], block.y[lane], block.z[lane], 0.0], here);
        }
    }
    best
}

/// The same as [`farthest`] of a hull of one block along an axis: the first vertex where the bounds
/// end.
///
/// - Derivation: the heights are the products of one coordinate, which f32 holds, and one number: f64
///   has as many of them as there are coordinates, in the same order.
#[inline(always)]
fn first_at_end<S: Simd>(simd: S, hull: &ConvexHull, along: DVec3) -> Option<[f32; 4]> {
    let [x, y, z] = along.to_array().map(|way| way.to_bits() << 1);
    let axis = match (x | z, x | y, y | z) {
        (0, _, _) => 1,
        (_, 0, _) => 2,
        (_, _, 0) => 0,
        _ => return None,
    };
    let [block] = hull.vertex_lanes() else { return None };
    let (way, bounds) = (along[axis], hull.local_aabb());
    let end = if way > 0.0 { bounds.max() } else { bounds.min() };
    let row = [&block.x, &block.y, &block.z][axis];
    let ends = f32x8::from_slice(simd, row).simd_eq(f32x8::splat(simd, end[axis])).to_bitmask();
    if ends == 0 || way.abs() <= 0.0 {
        return None;
    }
    let lane = ends.trailing_zeros() as usize % WIDTH;
    Some([block.x[lane], block.y[lane], block.z[lane], 0.0])
}

#[inline(always)]
fn wide<S: Simd>(simd: S, row: &[f32; WIDTH]) -> f64x8<S> {
    let (low, high) = simd.widen_f32x8(f32x8::from_slice(simd, row));
    low.combine(high)
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Vec4;
    use impinge_shapes::simd::SimdLevel;

    use super::*;
    use crate::convex::draw::Draw;
    use crate::lanes::lanes;

    fn levels() -> impl Iterator<Item = SimdLevel> {
        SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name))
    }

    /// Blocks, few corners or many, some of which are as far as others.
    fn hull(draw: &mut Draw) -> ConvexHull {
        let count = [8, 14, 40, 160][usize::try_from(draw.below(4)).unwrap()];
        let is_coarse = draw.below(2) == 0;
        let points: Vec<Vec3> = (0..count)
            .map(|k| {
                let signs = Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }));
                let point = if count == 8 { signs } else { draw.vector().normalize_or_zero() };
                if is_coarse { (point * 4.0).round() * 0.25 } else { point }
            })
            .collect();
        ConvexHull::new(&points).unwrap()
    }

    #[test]
    fn lanes_find_the_vertex_that_one_hull_finds() {
        let (mut equal, mut small, mut large, mut at_end) = (0, 0, 0, 0);
        for seed in 0..4_000 {
            let mut draw = Draw(seed);
            let hull = hull(&mut draw);
            let along = draw.vector().as_dvec3();
            let along = if draw.below(2) == 0 { along.round() } else { along };
            let along = if draw.below(2) == 0 { along * DVec3::Y } else { along };
            let expected = hull.support_nearly(along).as_vec3().extend(0.0);
            let heights = hull.vertices().iter().map(|v| along.dot(v.as_dvec3()));
            let most = heights.clone().fold(f64::NEG_INFINITY, f64::max);
            equal += usize::from(heights.filter(|&height| height >= most).count() > 1);
            *(if hull.vertex_lanes().is_empty() { &mut large } else { &mut small }) += 1;
            for level in levels() {
                if let Some(found) = lanes!(level, simd => farthest(simd, &hull, along)) {
                    assert_eq!(Vec4::from(found), expected, "seed {seed}, {}", level.name());
                }
                if let Some(found) = lanes!(level, simd => first_at_end(simd, &hull, along)) {
                    at_end += usize::from(found.is_some());
                    assert_eq!(found.map_or(expected, Vec4::from), expected, "seed {seed}");
                }
            }
        }
        let seen = [equal, small, large, at_end];
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
    }
}
