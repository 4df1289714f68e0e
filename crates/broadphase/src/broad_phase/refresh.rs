//! The query index brought up to date, and packed anew where that pays.

use super::{BroadPhase, Scratch};
use crate::index::{OpenIndex, to_rebuild};
use crate::slots::{ALIVE, INDEX_PENDING, NOWHERE, Slots, YOUNG};
use crate::steps::{Step, in_steps};
use crate::tolerance::{FULL_SHARE, WORN, YOUNG_SHARE};

/// Boxes between the one brought up to date in the index and the one whose block is fetched.
const AHEAD: usize = 8;

impl BroadPhase {
    /// Brings the index, but not the pairs, up to date.
    pub fn update_index(&mut self) {
        if self.pending.index.is_empty() {
            return;
        }
        let many = self.pending.index.len() * FULL_SHARE >= self.len;
        let mut pending = std::mem::take(&mut self.pending.index);
        let mut young = std::mem::take(&mut self.scratch.ids);
        young.clear();
        let mut index = self.index.open();
        in_steps(pending.len(), AHEAD, |step, number| match (step, pending[number]) {
            (Step::First, id) => self.slots.prefetch_any(id),
            (Step::Second, id) if !many => {
                self.slots.prefetch_known_fat(id);
                self.slots.get(id).into_iter().for_each(|slot| index.prefetch(slot.place));
            }
            (Step::Second, _) => {}
            (Step::Last, id) => refresh_box(&mut self.slots, &mut index, id, many, &mut young),
        });
        let fresh = young.len();
        let all = self.index.len() + fresh;
        let vacant = self.index.main.vacant() + self.index.young.vacant();
        let pack = (self.index.young.len() + fresh) * YOUNG_SHARE > all || vacant > all / 4 + 64;
        if pack {
            self.scratch.ids = young;
            self.pack();
        } else {
            if fresh > 0 {
                self.index.young.each_id(|id| young.push(id));
                young.sort_unstable();
                let order = &mut self.scratch.order;
                let simd = self.index.simd_level();
                let forest = to_rebuild(&mut self.index.young);
                forest.build(simd, &mut self.slots, &mut young, YOUNG, order);
            }
            self.scratch.ids = young;
            let mut index = self.index.open();
            if many {
                index.gather(&self.slots);
            } else {
                index.refresh();
            }
            if index.main.wear().is_some_and(|wear| wear > WORN) {
                self.pack();
            }
        }
        pending.clear();
        self.pending.index = pending;
    }

    /// Packs all boxes anew into one forest.
    pub(super) fn pack(&mut self) {
        let Scratch { order, ids, .. } = &mut self.scratch;
        self.slots.alive_into(ids);
        let simd = self.index.simd_level();
        to_rebuild(&mut self.index.young).clear();
        to_rebuild(&mut self.index.main).build(simd, &mut self.slots, ids, 0, order);
        self.scene.typical = order.typical;
        self.packed = true;
    }
}

/// Brings one box of the index up to date, or lists it as homeless. With `many`, boxes that
/// keep their place are left for the copying of all.
#[inline(always)]
fn refresh_box(
    slots: &mut Slots,
    index: &mut OpenIndex<'_>,
    id: u32,
    many: bool,
    homeless: &mut Vec<u32>,
) {
    let Some(slot) = slots.get_mut(id) else { return };
    slot.flags &= !INDEX_PENDING;
    let place = slot.place;
    if !slot.has(ALIVE) {
        if place != NOWHERE {
            slot.place = NOWHERE;
            index.erase(place);
        }
        return;
    }
    if place == NOWHERE {
        homeless.push(id);
        return;
    }
    if many {
        return;
    }
    let fat = slots.fat(id);
    if index.block_bounds(place).touches(&fat.bounds()) {
        index.write(place, fat);
    } else {
        // It jumped: its block would stretch all the way.
        if let Some(slot) = slots.get_mut(id) {
            slot.place = NOWHERE;
        }
        index.erase(place);
        homeless.push(id);
    }
}
