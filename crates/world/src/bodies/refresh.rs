//! Bounds of the bodies that moved.

use std::sync::Arc;

use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Aabb, Cuboid, Shape};
use prefetch_index::prefetch_index;

use super::{CHUNK, Chunk, grown, growth_of, place};

/// Bounds of one task, more than a chunk has.
const BOUNDS_CHUNK: usize = 256;

/// How bounds are computed anew.
pub(super) struct Refresh {
    /// That of the world.
    pub(super) margin: f32,
    /// Whether any body has one of its own.
    pub(super) has_margins: bool,
    pub(super) level: SimdLevel,
}

impl Refresh {
    /// Refreshes the bounds of the bodies in these slots, in parallel: halves of the list touch
    /// halves of the chunks; `first` is the number of the first chunk.
    pub(super) fn run(
        &self,
        slots: &[u32],
        chunks: &mut [Arc<Chunk>],
        first: usize,
        out: &mut [(u32, Aabb)],
    ) {
        if slots.len() <= BOUNDS_CHUNK {
            let mut ahead = slots.iter().skip(CHUNK / 2);
            for (slots, out) in slots.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
                self.run_few(slots, &mut ahead, chunks, first, out);
            }
            return;
        }
        let cut = place(slots[slots.len() / 2]).0;
        let at = slots.partition_point(|&slot| place(slot).0 < cut);
        let ((left, right), (left_out, right_out)) = (slots.split_at(at), out.split_at_mut(at));
        let (left_chunks, right_chunks) = chunks.split_at_mut(cut - first);
        rayon::join(
            || self.run(left, left_chunks, first, left_out),
            || self.run(right, right_chunks, cut, right_out),
        );
    }

    fn run_few<'s>(
        &self,
        slots: &[u32],
        ahead: &mut impl Iterator<Item = &'s u32>,
        chunks: &mut [Arc<Chunk>],
        first: usize,
        out: &mut [(u32, Aabb)],
    ) {
        for (slots, out) in slots.chunks(8).zip(out.chunks_mut(8)) {
            for &slot in ahead.by_ref().take(slots.len()) {
                let (chunk, lane) = place(slot);
                if let Some(chunk) = chunks.get(chunk - first) {
                    prefetch_index(&chunk.stored[..], lane);
                    prefetch_index(&chunk.bounds[..], lane);
                }
            }
            self.compute(slots, chunks, first, out);
        }
        // While they are in cache.
        for run in out.chunk_by_mut(|a, b| place(a.0).0 == place(b.0).0) {
            let Some(&mut (slot, _)) = run.first_mut() else { continue };
            let Some(chunk) = chunks.get_mut(place(slot).0 - first) else { continue };
            let chunk = Arc::make_mut(chunk);
            for (slot, bounds) in run {
                let lane = place(*slot).1;
                chunk.bounds[lane] = *bounds;
                let own = if self.has_margins { chunk.margins[lane] } else { 0.0 };
                *bounds = grown(*bounds, growth_of(own, self.margin));
            }
        }
    }

    /// Bounds of up to eight bodies as they are now; eight boxes go side by side.
    fn compute(&self, slots: &[u32], chunks: &[Arc<Chunk>], first: usize, out: &mut [(u32, Aabb)]) {
        let stored = |slot: u32| {
            let (chunk, lane) = place(slot);
            chunks.get(chunk - first)?.stored[lane].as_ref()
        };
        let cuboid = |slot: u32| {
            let stored = stored(slot)?;
            if let Shape::Cuboid(cuboid) = &stored.shape {
                Some((cuboid, &stored.pose))
            } else {
                None
            }
        };
        if let Ok(slots) = <&[u32; 8]>::try_from(slots)
            && let Some(first) = cuboid(slots[0])
        {
            let mut boxes = [first; 8];
            let mut known = true;
            for (place, &slot) in boxes.iter_mut().zip(slots).skip(1) {
                let found = cuboid(slot);
                known &= found.is_some();
                *place = found.unwrap_or(first);
            }
            if known {
                let bounds = Cuboid::eight_aabbs(boxes, self.level);
                for ((out, &slot), bounds) in out.iter_mut().zip(slots).zip(bounds) {
                    *out = (slot, bounds);
                }
                return;
            }
        }
        for (out, &slot) in out.iter_mut().zip(slots) {
            let bounds = stored(slot).map(|stored| stored.shape.aabb(&stored.pose));
            *out = (slot, bounds.unwrap_or(Aabb::EVERYTHING));
        }
    }
}
