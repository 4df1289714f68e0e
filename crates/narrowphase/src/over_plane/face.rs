//! The few corners of a hull's face over a half-space, side by side.

use fearless_simd::{Simd, f32x8, f64x4, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{ConvexHull, VertexLanes};

use super::points::{Corners, Look, MOST, Shown, named};
use crate::FeatureId;

/// Vertices side by side.
const WIDTH: usize = 8;

/// Three or four corners, within the margin all of them, at places of their own, of which one is as
/// deep as the hull: what [`Corners::hull_face`] and [`Corners::finished`] make of them, to the bit.
/// `None`, with nothing shown, of any others.
#[inline(always)]
pub(super) fn show<S: Simd>(
    simd: S,
    hull: &ConvexHull,
    face: u32,
    look: &Look<'_>,
    shown: &mut Shown,
) -> Option<()> {
    let corners = hull.face_corners(face);
    let ([a, b, c, last], count) = match *corners.as_bytes() {
        [a, b, c] => ([key(a), key(b), key(c), u64::MAX], 3),
        [a, b, c, d] => ([key(a), key(b), key(c), key(d)], MOST),
        _ => return None,
    };
    let [i, j, k, last] = ascending([a, b, c, last]);
    // A triangle's last corner stands for the fourth, too.
    let l = if count < MOST { k } else { last };
    let blocks = hull.vertex_lanes();
    let (a, b) = (vertex(blocks, i)?, vertex(blocks, j)?);
    let (c, d) = (vertex(blocks, k)?, vertex(blocks, l)?);
    let xy = f32x8::load_array(simd, [a.x, b.x, c.x, d.x, a.y, b.y, c.y, d.y]);
    let zz = f32x8::load_array(simd, [a.z, b.z, c.z, d.z, a.z, b.z, c.z, d.z]);
    let ((x, y), (z, _)) = (simd.widen_f32x8(xy), simd.widen_f32x8(zz));
    let (up, distance) = (look.over.up, f64x4::splat(simd, look.distance));
    let heights = (x * up.x + y * up.y + z * up.z) + look.over.height;
    let is_over = heights.simd_gt(distance);
    let heights = is_over.select(heights, distance);
    let is_shown = heights.simd_le(f64x4::splat(simd, look.margin));
    if is_over.all_true() || !is_shown.all_true() {
        return None;
    }
    let same = Corners::of(hull, look, shown).same();
    let same = f64x4::splat(simd, same * same);
    let beside = turned::<1, _>(simd, [x, y, z]).simd_le(same).to_bitmask();
    let across = turned::<2, _>(simd, [x, y, z]).simd_le(same).to_bitmask();
    // A triangle's last two are one.
    let twice = if count < MOST { 1 << 2 } else { 0 };
    if (beside & !twice) | across != 0 {
        return None;
    }
    let heights: [f64; MOST] = heights.into();
    for ((place, height), key) in
        [a, b, c, d].into_iter().zip(heights).zip([i, j, k, l]).take(count)
    {
        shown.add(place.as_dvec3(), height, feature(key));
    }
    Some(())
}

#[inline(always)]
fn vertex(blocks: &[VertexLanes], key: u64) -> Option<Vec3> {
    let [name, ..] = key.to_le_bytes();
    let (block, lane) = (blocks.get(usize::from(name) / WIDTH)?, usize::from(name) % WIDTH);
    Some(Vec3::new(block.x[lane], block.y[lane], block.z[lane]))
}

/// Squared distances of each to the one that many further on.
#[inline(always)]
fn turned<const BY: usize, S: Simd>(simd: S, [x, y, z]: [f64x4<S>; 3]) -> f64x4<S> {
    let dx = simd.slide_f64x4::<BY>(x, x) - x;
    let dy = simd.slide_f64x4::<BY>(y, y) - y;
    let dz = simd.slide_f64x4::<BY>(z, z) - z;
    dx * dx + dy * dy + dz * dz
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

    use super::super::{Point, Seen, Shows};
    use super::*;
    use crate::convex::draw::Draw;
    use crate::lanes::lanes;

    fn bits(shown: &Shown) -> Vec<([u64; 4], u32)> {
        let of = |point: &Point| {
            let [x, y, z] = point.place.to_array();
            ([x, y, z, point.height].map(f64::to_bits), point.feature.0)
        };
        shown.points().iter().map(of).collect()
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
            let look = Look { over: &seen.over, distance, margin };
            let mut expected = Shown::NONE;
            let is_shown = Shows::show(&hull, &look, &mut expected).is_some();
            let face = hull.face_along(-DVec3::from(seen.over.up)).unwrap();
            for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
                let mut shown = Shown::NONE;
                let found = lanes!(level, simd => show(simd, &hull, face, &look, &mut shown));
                let Some(found) = found else { continue };
                let found = found.map(|()| bits(&shown));
                if found.is_none() {
                    left += 1;
                    assert!(shown.points().is_empty(), "seed {seed}");
                    continue;
                }
                *(if shown.points().len() == 3 { &mut threes } else { &mut fours }) += 1;
                assert!(is_shown, "seed {seed}, {}", level.name());
                assert_eq!(found, Some(bits(&expected)), "seed {seed}, {}", level.name());
            }
        }
        let seen = [threes, fours, left];
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    }
}
