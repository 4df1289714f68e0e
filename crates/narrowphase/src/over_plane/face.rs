//! The few corners of a hull's face over a half-space, of eight hulls side by side.

use fearless_simd::{Simd, f64x8, mask64x8, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{ConvexHull, VertexLanes};

use super::eight::{Points, load};
use super::points::{Look, MOST, named, same};
use crate::FeatureId;
use crate::real::{Real, Real3};

/// Vertices side by side.
const WIDTH: usize = 8;

/// Puts the corners of a face that has three or four of them in a lane, without their heights;
/// where there are three, the last one in the fourth place, too.
#[inline(always)]
pub(super) fn put_corners(hull: &ConvexHull, face: u32, lane: usize, points: &mut Points) {
    let corners = hull.face_corners(face);
    let ([a, b, c, last], count) = match *corners.as_bytes() {
        [a, b, c] => ([key(a), key(b), key(c), u64::MAX], 3),
        [a, b, c, d] => ([key(a), key(b), key(c), key(d)], MOST),
        _ => return,
    };
    let [i, j, k, last] = ascending([a, b, c, last]);
    let l = if count < MOST { k } else { last };
    let blocks = hull.vertex_lanes();
    for (turn, key) in [i, j, k, l].into_iter().enumerate() {
        let Some(Vec3 { x: at_x, y: at_y, z: at_z }) = vertex(blocks, key) else { return };
        let [x, y, z] = &mut points.places[turn];
        (x[lane], y[lane], z[lane]) = (at_x.into(), at_y.into(), at_z.into());
        points.features[lane][turn] = feature(key);
    }
    for lanes in &mut points.shown[..count] {
        *lanes |= 1 << lane;
    }
}

/// Bits of the lanes whose corners are within the margin, at places of their own, and of which one is
/// as deep as the hull: with what [`Corners::hull_face`](super::points::Corners::hull_face) and
/// [`Corners::finished`](super::points::Corners::finished) make of their heights, to the bit.
#[inline(always)]
pub(super) fn show<S: Simd>(
    simd: S,
    look: &Look<'_, f64x8<S>>,
    reach: f64x8<S>,
    points: &mut Points,
) -> u64 {
    let [a, b, c, d] = &points.places;
    let corners = [load(simd, a), load(simd, b), load(simd, c), load(simd, d)];
    let never = look.lie.height.above(look.lie.height);
    let (mut is_lowest, mut is_near) = (never, !never);
    for (corner, row) in corners.iter().zip(&mut points.heights) {
        let height = look.lie.height + look.lie.up.dot(*corner);
        let is_over = height.above(look.distance);
        let height = Real::pick(is_over, height, look.distance);
        is_lowest |= !is_over;
        is_near &= height.simd_le(look.margin);
        height.store_array(row);
    }
    let same = same(look.lie.size + reach);
    let same = same * same;
    let [a, b, c, d] = corners;
    // The last two of three are one.
    let all_four = mask64x8::from_bitmask(simd, points.shown[MOST - 1]);
    let twice = (beside(a, b, same) | beside(b, c, same) | beside(a, d, same))
        | (beside(a, c, same) | beside(b, d, same))
        | (beside(c, d, same) & all_four);
    points.shown[0] & (is_lowest & is_near & !twice).to_bitmask()
}

/// Whether the square of the way between two places is at most this.
#[inline(always)]
fn beside<R: Real>(one: Real3<R>, other: Real3<R>, square: R) -> R::Mask {
    let way = other - one;
    way.dot(way).at_most(square)
}

#[inline(always)]
fn vertex(blocks: &[VertexLanes], key: u64) -> Option<Vec3> {
    let [name, ..] = key.to_le_bytes();
    let (block, lane) = (blocks.get(usize::from(name) / WIDTH)?, usize::from(name) % WIDTH);
    Some(Vec3::new(block.x[lane], block.y[lane], block.z[lane]))
}

/// A corner's feature, by which points are in order, and its name.
#[inline(always)]
fn key(name: u8) -> u64 {
    u64::from(named(name.into()).0) << 8 | u64::from(name)
}

#[inline(always)]
fn feature(key: u64) -> FeatureId {
    let [_, a, b, c, d, ..] = key.to_le_bytes();
    FeatureId(u32::from_le_bytes([a, b, c, d]))
}

#[inline(always)]
fn ascending([a, b, c, d]: [u64; MOST]) -> [u64; MOST] {
    let ((a, b), (c, d)) = ((a.min(b), a.max(b)), (c.min(d), c.max(d)));
    let ((a, c), (b, d)) = ((a.min(c), a.max(c)), (b.min(d), b.max(d)));
    [a, b.min(c), b.max(c), d]
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{DVec3, Quat};
    use impinge_shapes::simd::SimdLevel;
    use impinge_shapes::{HalfSpace, Pose};

    use super::super::eight::tests::{bits, in_lane};
    use super::super::points::Shown;
    use super::super::{Lie, Seen, Shows};
    use super::*;
    use crate::convex::draw::Draw;
    use crate::lanes::lanes;

    #[inline(always)]
    fn in_all_lanes<S: Simd>(
        simd: S,
        look: &Look<'_, f64>,
        reach: f64,
        points: &mut Points,
    ) -> u64 {
        let all = |x: f64| f64x8::splat(simd, x);
        let lie = Lie {
            up: Real3 { x: all(look.lie.up.x), y: all(look.lie.up.y), z: all(look.lie.up.z) },
            height: all(look.lie.height),
            size: all(look.lie.size),
        };
        let look = Look { lie: &lie, distance: all(look.distance), margin: all(look.margin) };
        show(simd, &look, all(reach), points)
    }

    #[test]
    fn few_corners_are_shown_as_one_by_one() {
        let (mut threes, mut fours, mut left) = (0, 0, 0);
        for seed in 0..12_000 {
            let mut draw = Draw(seed);
            let count = [4, 8, 8, 20][usize::try_from(draw.below(4)).unwrap()];
            let half = Vec3::new(0.5, 0.75, 0.25) + draw.vector() * 0.1;
            let points: Vec<Vec3> = (0..count)
                .map(|k| {
                    let signs =
                        Vec3::from([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }));
                    if count == 8 { half * signs } else { draw.vector() }
                })
                .collect();
            let Ok(hull) = ConvexHull::new(&points) else { continue };
            let lean = if draw.below(3) == 0 { 0.1 } else { 0.0 };
            let quarter = [0.0, 1.0][usize::try_from(draw.below(2)).unwrap()];
            let turn = Quat::from_xyzw(quarter, lean * draw.next(), 0.0, 1.0);
            let up = Vec3::Y + draw.vector() * lean;
            let (Ok(pose), Ok(plane)) = (Pose::new(draw.vector(), turn), HalfSpace::new(up, 0.0))
            else {
                continue;
            };
            let mut seen = Seen::new(&hull, &pose, &plane, &Pose::IDENTITY);
            let Some(distance) = seen.distance() else { continue };
            let margin = distance + [0.0, 0.1, 2.0][usize::try_from(draw.below(3)).unwrap()];
            let look = Look { lie: &seen.over.lie, distance, margin };
            let mut expected = Shown::NONE;
            let is_shown = Shows::show(&hull, &look, &mut expected).is_some();
            let face = hull.face_along(-DVec3::from(seen.over.lie.up)).unwrap();
            for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
                let lane = usize::try_from(seed).unwrap() % WIDTH;
                let mut points = Points::NONE;
                put_corners(&hull, face, lane, &mut points);
                let reach = Shows::reach(&hull);
                let reach = reach.x + reach.y + reach.z;
                let told = lanes!(level, simd => in_all_lanes(simd, &look, reach, &mut points));
                let Some(told) = told else { continue };
                if told == 0 {
                    left += 1;
                    continue;
                }
                let found = in_lane(&points, lane);
                assert_eq!(told, 1 << lane, "seed {seed}");
                *(if found.len() == 3 { &mut threes } else { &mut fours }) += 1;
                assert!(is_shown, "seed {seed}, {}", level.name());
                assert_eq!(found, bits(&expected), "seed {seed}, {}", level.name());
            }
        }
        let seen = [threes, fours, left];
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    }
}
