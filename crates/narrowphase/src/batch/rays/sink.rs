//! Where the answers of a block of rays go.

use std::hint::select_unpredictable;

use impinge_shapes::ShapeRayHit;
use impinge_shapes::simd::Bits;

use super::Source;
use super::block::{Answers, Cast, Target, single};
use crate::turn::{WIDTH, each};

/// Bits of all lanes.
const ALL: u64 = (1 << WIDTH) - 1;

/// Takes answers. A trait, because closures stay out of line, where they lose the vectors.
pub(super) trait Sink<T: Target> {
    /// Takes what is known of a block of so many rays.
    fn take(
        &mut self,
        cast: &Cast<'_>,
        source: &(impl Source<T> + ?Sized),
        block: (usize, usize),
        found: &Answers,
    );

    /// Takes the answer of one ray.
    fn put(&mut self, place: usize, hit: Option<ShapeRayHit>);
}

/// All answers, each at its place.
pub(super) struct Slots<'o> {
    out: &'o mut [Option<ShapeRayHit>],
    /// Struck out where a hit stays: see `round::closest_in_lanes`.
    nowhere: Option<ShapeRayHit>,
}

impl<'o> Slots<'o> {
    pub(super) fn new(out: &'o mut [Option<ShapeRayHit>]) -> Self {
        Self { out, nowhere: None }
    }
}

impl<T: Target> Sink<T> for Slots<'_> {
    #[inline(always)]
    fn take(
        &mut self,
        cast: &Cast<'_>,
        source: &(impl Source<T> + ?Sized),
        (first, used): (usize, usize),
        found: &Answers,
    ) {
        let Self { out, nowhere } = self;
        let hit = |lane: usize| found.hit >> lane & 1 == 1;
        if used < WIDTH || found.hit == 0 {
            for lane in 0..used {
                if let Some(slot) = out.get_mut(source.place(first + lane)) {
                    *slot = if hit(lane) { Some(found.hit_of::<T>(lane)) } else { None };
                }
            }
        } else if let Some(slots) = source.slots(first, out) {
            // No branch for those that miss, which nothing could guess: hits are written for them,
            // too, and struck out again.
            each!([0, 1, 2, 3, 4, 5, 6, 7_usize], lane => {
                let slot = &mut slots[lane];
                *slot = Some(found.hit_of::<T>(lane));
                *select_unpredictable(hit(lane), &mut *nowhere, slot) = None;
            });
        } else {
            // Spelled out, because the compiler makes a loop of it for some shapes only.
            each!([0, 1, 2, 3, 4, 5, 6, 7_usize], lane => {
                if let Some(slot) = out.get_mut(source.place(first + lane)) {
                    *slot = Some(found.hit_of::<T>(lane));
                    *select_unpredictable(hit(lane), &mut *nowhere, slot) = None;
                }
            });
        }
        for lane in Bits(ALL >> (WIDTH - used) & !(found.missed | found.hit)) {
            if let Some(slot) = out.get_mut(source.place(first + lane)) {
                *slot = source.item(first + lane).and_then(|item| single(&item, cast));
            }
        }
    }

    fn put(&mut self, place: usize, hit: Option<ShapeRayHit>) {
        if let Some(slot) = self.out.get_mut(place) {
            *slot = hit;
        }
    }
}

/// The rays that hit, each by its place, in their order.
pub(super) struct Hits<'o>(pub(super) &'o mut Vec<(usize, ShapeRayHit)>);

impl<T: Target> Sink<T> for Hits<'_> {
    #[inline(always)]
    fn take(
        &mut self,
        cast: &Cast<'_>,
        source: &(impl Source<T> + ?Sized),
        (first, used): (usize, usize),
        found: &Answers,
    ) {
        // What misses, which nothing could guess, is passed over without a branch of its own.
        for lane in Bits(ALL >> (WIDTH - used) & !found.missed) {
            if found.hit >> lane & 1 == 1 {
                self.0.push((source.place(first + lane), found.hit_of::<T>(lane)));
            } else if let Some(item) = source.item(first + lane)
                && let Some(hit) = single(&item, cast)
            {
                self.0.push((source.place(first + lane), hit));
            }
        }
    }

    fn put(&mut self, place: usize, hit: Option<ShapeRayHit>) {
        if let Some(hit) = hit {
            self.0.push((place, hit));
        }
    }
}
