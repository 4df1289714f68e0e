//! Manifolds over half-spaces: eight pairs side by side up to their contacts, which may be several;
//! what a shape shows is found by itself where its kind has no lanes, or these leave it open. All else
//! is answered as of pairs that meet in one place.

use fearless_simd::Simd;
use impinge_shapes::simd::{Bits, SimdLevel};

use super::PairOf;
use super::gather::Eight;
use super::manifolds::several;
pub(super) use super::round::{closest, distances, overlaps};
use super::source::Source;
use crate::common;
use crate::lanes::lanes;
use crate::over_plane::{self, Deep, OverPlane, Shows};
use crate::slot::{Slot, Slots};
use crate::turn::WIDTH;

/// Manifolds of the pairs, each at its place of `out`; `margin` is not negative.
pub(super) fn manifolds<'a, K: OverPlane<A: Deep>>(
    source: &(impl Source<'a, K> + ?Sized),
    margin: f32,
    level: SimdLevel,
    out: &mut (impl Slots + ?Sized),
) {
    let done = lanes!(level, simd => in_lanes::<_, K>(simd, source, margin.into(), out));
    if done.is_none() {
        several::<K>(source, margin, out);
    }
}

#[inline(always)]
fn in_lanes<'a, S: Simd, K: OverPlane<A: Deep>>(
    simd: S,
    source: &(impl Source<'a, K> + ?Sized),
    margin: f64,
    out: &mut (impl Slots + ?Sized),
) {
    let count = source.count();
    let mut seen = over_plane::Eight::UNKNOWN;
    for first in (0..count).step_by(WIDTH) {
        (seen.certain, seen.beyond, seen.told) = (0, 0, 0);
        let mut all_flipped = 0;
        if let Some(Eight { a, b, flipped }) = Eight::gather(simd, source, first, false) {
            seen.fill::<S, K::A>(simd, &a, &b, margin);
            all_flipped = flipped;
        }
        let used = u64::from(u8::MAX) >> (WIDTH - WIDTH.min(count - first));
        let asked = used & !(seen.certain & seen.beyond);
        let mut ahead = [None; WIDTH];
        if K::Seen::LOOKS_AHEAD && asked & seen.certain != 0 {
            for lane in Bits(asked & seen.certain) {
                if let Some(item) = source.item(first + lane) {
                    ahead[lane % WIDTH] = K::seen(item.pair.a).look_ahead(simd, seen.up(lane));
                }
            }
            for lane in Bits(asked & seen.certain) {
                if let Some(item) = source.item(first + lane) {
                    seen.put_corners(lane, &K::seen(item.pair.a), ahead[lane % WIDTH]);
                }
            }
            seen.show_corners(simd, margin);
        }
        for lane in Bits(asked & seen.certain & !seen.told) {
            if let Some(item) = source.item(first + lane) {
                seen.show(lane, (&K::seen(item.pair.a), ahead[lane % WIDTH]), margin);
            }
        }
        if asked & seen.told != 0 {
            seen.put_in_world(simd, all_flipped);
        }
        for lane in Bits(asked) {
            let Some(mut slot) = out.slot(source.place(first + lane)) else { continue };
            if seen.told >> lane & 1 == 1 {
                seen.put(lane, &mut slot);
                continue;
            }
            // The single call would come as far as this, too.
            common::passed_on!(Lanes);
            let Some(item) = source.item(first + lane) else { continue };
            let (PairOf { a, b, .. }, (pose_a, pose_b)) = (item.pair, item.poses());
            slot.fill(common::asked_manifold::<K>(a, b, item.flipped, pose_a, pose_b, margin));
        }
    }
}
