//! Blocks of sixteen boxes, and a tree of sixteen-wide nodes above them.
//!
//! The tree is implicit: child `l` of node `n` is number `16 n + l` one level below.

use fearless_simd::Simd;
use impinge_shapes::at_level;
use prefetch_index::prefetch_index;
use rayon::prelude::*;

use crate::fat::{FIXED, Fat, STRETCHED};
use crate::lanes::{Bits, Bounds, Lanes, WIDTH};
use crate::order::Order;
use crate::slots::Slots;
use crate::tolerance::{WORN_MOST, WORN_SHARE};
use impinge_shapes::simd::SimdLevel;

/// Id of a lane that is not in use.
const NOBODY: u32 = u32::MAX;
/// Nodes of the first level, 256 boxes each, that one task refreshes.
const TASK_NODES: usize = 8;
/// How many blocks ahead the boxes are fetched that are copied.
const AHEAD: usize = 2;

/// Who lives in a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Members {
    pub(crate) ids: [u32; WIDTH],
}

/// One bit for each lane of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Masks {
    /// The lane is in use.
    pub(crate) alive: u32,
    /// The lane's box is fixed.
    pub(crate) fixed: u32,
    /// The lane's box may be larger than the box that it stands for.
    roomy: u32,
}

impl Masks {
    #[inline(always)]
    fn write(&mut self, lane: usize, fat: &Fat) {
        let put = |bits: u32, kind| bits & !(1 << lane) | u32::from(fat.has(kind)) << lane;
        self.fixed = put(self.fixed, FIXED);
        self.roomy = put(self.roomy, STRETCHED);
    }
}

/// Fat boxes packed in blocks. A lane keeps its box until the box goes or the forest is built anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forest {
    pub(crate) blocks: Vec<Lanes>,
    pub(crate) members: Vec<Members>,
    pub(crate) masks: Vec<Masks>,
    /// Bounds of the level below, sixteen to a node: the first level holds the bounds of the
    /// blocks, the last one is a single node.
    pub(crate) levels: Vec<Vec<Lanes>>,
    /// Edge sum of each block when it was built.
    built: Vec<f32>,
    alive: usize,
    /// One bit for each block written since the last refresh.
    touched: Vec<u64>,
    /// Boxes written since the wear was measured.
    written: usize,
}

impl Forest {
    /// Boxes in the forest.
    pub(crate) fn len(&self) -> usize {
        self.alive
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.alive == 0
    }

    /// Lanes whose box is gone.
    pub(crate) fn vacant(&self) -> usize {
        self.blocks.len() * WIDTH - self.alive
    }

    /// Packs the boxes anew; `tag` is added to each box's place.
    pub(crate) fn build(
        &mut self,
        simd: SimdLevel,
        slots: &mut Slots,
        ids: &mut [u32],
        tag: u32,
        order: &mut Order,
    ) {
        order.sort(simd, slots, ids);
        let count = ids.len().div_ceil(WIDTH);
        self.members.clear();
        self.masks.clear();
        for block in ids.chunks(WIDTH) {
            let mut members = Members { ids: [NOBODY; WIDTH] };
            members.ids[..block.len()].copy_from_slice(block);
            self.members.push(members);
            self.masks.push(Masks { alive: (1 << block.len()) - 1, ..Masks::default() });
        }
        for (lane, &id) in (tag..).zip(ids.iter()) {
            if let Some(slot) = slots.get_mut(id) {
                slot.place = lane;
            }
        }
        self.alive = ids.len();
        self.touched.clear();
        self.touched.resize(count.div_ceil(64), 0);
        self.make_empty(count);
        self.gather(simd, slots);
        self.written = 0;
        let mut built = std::mem::take(&mut self.built);
        built.clear();
        built.extend((0..count).map(|block| self.block_bounds(block).edge_sum()));
        self.built = built;
    }

    /// Makes this many empty blocks, and the nodes above them.
    fn make_empty(&mut self, blocks: usize) {
        self.blocks.clear();
        self.blocks.resize(blocks, Lanes::UNUSED);
        let mut level = 0;
        let mut below = blocks;
        while below > 0 {
            below = below.div_ceil(WIDTH);
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].clear();
            self.levels[level].resize(below, Lanes::UNUSED);
            level += 1;
            if below == 1 {
                break;
            }
        }
        self.levels.truncate(level);
    }

    /// Takes over who lives where in another forest, each box without its room. Boxes cannot be
    /// written after it.
    pub(crate) fn copy_without_room(&mut self, simd: SimdLevel, slots: &Slots, from: &Self) {
        self.members.clone_from(&from.members);
        self.masks.clone_from(&from.masks);
        self.alive = from.alive;
        self.make_empty(from.blocks.len());
        self.fill(simd, slots, Which::Tight);
    }

    /// Boxes that may be larger than those that they stand for.
    pub(crate) fn roomy(&self) -> usize {
        self.masks.iter().map(|masks| (masks.roomy & masks.alive).count_ones() as usize).sum()
    }

    /// Bounds of a block, as the first level has them.
    #[inline(always)]
    pub(crate) fn block_bounds(&self, block: usize) -> Bounds {
        self.levels[0][block / WIDTH].get(block % WIDTH)
    }

    /// Fetches ahead a block and who lives in it.
    #[inline(always)]
    pub(crate) fn prefetch(&self, block: usize) {
        if let Some(lanes) = self.blocks.get(block) {
            lanes.prefetch();
        }
        prefetch_index(&self.members, block);
        prefetch_index(&self.masks, block);
    }

    /// Copies every fat box from its slot and refreshes the whole tree.
    pub(crate) fn gather(&mut self, simd: SimdLevel, slots: &Slots) {
        self.touched.fill(0);
        self.written += self.alive;
        self.fill(simd, slots, Which::Fat);
    }

    /// Copies every box from its slot and refreshes the whole tree.
    fn fill(&mut self, simd: SimdLevel, slots: &Slots, which: Which) {
        let Some((first, upper)) = self.levels.split_first_mut() else { return };
        let members = &self.members;
        if first.len() <= TASK_NODES {
            fill_nodes(slots, which, first, &mut self.blocks, &mut self.masks, members);
        } else {
            first
                .par_chunks_mut(TASK_NODES)
                .zip(self.blocks.par_chunks_mut(TASK_NODES * WIDTH))
                .zip(self.masks.par_chunks_mut(TASK_NODES * WIDTH))
                .zip(members.par_chunks(TASK_NODES * WIDTH))
                .for_each(|(((nodes, blocks), masks), members)| {
                    fill_nodes(slots, which, nodes, blocks, masks, members);
                });
        }
        let mut below: &Vec<Lanes> = first;
        for level in upper {
            at_level!(simd, simd => refresh_level(simd, below, level));
            below = level;
        }
    }

    /// Copies one fat box into its lane.
    pub(crate) fn write(&mut self, lane: u32, fat: &Fat) {
        let (block, lane) = (lane as usize / WIDTH, lane as usize % WIDTH);
        self.blocks[block].set(lane, &fat.bounds());
        self.masks[block].write(lane, fat);
        self.touched[block / 64] |= 1 << (block % 64);
        self.written += 1;
    }

    /// Empties a lane.
    pub(crate) fn erase(&mut self, lane: u32) {
        self.write(lane, &Fat::tight(&Bounds::UNUSED));
        let (block, lane) = (lane as usize / WIDTH, lane as usize % WIDTH);
        self.members[block].ids[lane] = NOBODY;
        self.masks[block].alive &= !(1 << lane);
        self.alive -= 1;
    }

    /// Brings the tree up to date with the lanes written since the last refresh.
    pub(crate) fn refresh(&mut self, simd: SimdLevel) {
        at_level!(simd, simd => self.refresh_touched(simd));
    }

    #[inline(always)]
    fn refresh_touched<S: Simd>(&mut self, simd: S) {
        let mut touched = std::mem::take(&mut self.touched);
        for level in 0..self.levels.len() {
            let (lower, upper) = self.levels.split_at_mut(level);
            let below = lower.last().unwrap_or(&self.blocks);
            for index in 0..below.len().div_ceil(64) {
                let word = std::mem::take(&mut touched[index]);
                for bit in Bits(word) {
                    let child = index * 64 + bit;
                    let bounds = below[child].bounds(simd);
                    upper[0][child / WIDTH].set(child % WIDTH, &bounds);
                    // The parents' words were read and cleared before, so that one set of bits
                    // serves all levels.
                    let parent = child / WIDTH;
                    touched[parent / 64] |= 1 << (parent % 64);
                }
            }
        }
        touched.fill(0);
        self.touched = touched;
    }

    /// How much the surfaces of the blocks have grown since they were built, 1 for not at all;
    /// `None` while too little was written for the answer to be worth its cost.
    ///
    /// Surfaces, as squares of edge sums, because a ray meets a block as often as its surface says.
    pub(crate) fn wear(&mut self) -> Option<f32> {
        if self.written * WORN_SHARE < self.blocks.len() {
            return None;
        }
        self.written = 0;
        let mut sum = 0.0;
        for (block, &built) in self.built.iter().enumerate() {
            let now = self.block_bounds(block).edge_sum();
            // Comparisons with a NaN (an empty block, or one without end) are false.
            let growth = if now > built {
                let growth = now / built;
                if growth < WORN_MOST { growth } else { WORN_MOST }
            } else {
                1.0
            };
            sum += growth * growth;
        }
        let count = self.built.len().max(1) as f32;
        Some(sum / count)
    }

    /// Calls with the id of every box.
    pub(crate) fn each_id(&self, mut call: impl FnMut(u32)) {
        for (members, masks) in self.members.iter().zip(&self.masks) {
            for lane in Bits(u64::from(masks.alive)) {
                call(members.ids[lane]);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Which box of an id is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Fat,
    /// Without room.
    Tight,
}

/// Copies the boxes below some nodes of the first level.
fn fill_nodes(
    slots: &Slots,
    which: Which,
    nodes: &mut [Lanes],
    blocks: &mut [Lanes],
    masks: &mut [Masks],
    members: &[Members],
) {
    let mut ahead = members.iter().skip(AHEAD);
    let children = blocks.iter_mut().zip(masks).zip(members).enumerate();
    for (index, ((block, masks), members)) in children {
        for &id in ahead.next().map_or(&[][..], |ahead| &ahead.ids) {
            match which {
                Which::Fat => slots.prefetch_known_fat(id),
                Which::Tight => slots.prefetch_any(id),
            }
        }
        let mut all = Bounds::EMPTY;
        for lane in Bits(u64::from(masks.alive)) {
            let id = members.ids[lane % WIDTH];
            let bounds = match which {
                Which::Fat => {
                    let fat = slots.fat(id);
                    masks.write(lane, fat);
                    fat.bounds()
                }
                Which::Tight => slots.at(id).bounds(),
            };
            all.include(&bounds);
            block.set(lane, &bounds);
        }
        nodes[index / WIDTH].set(index % WIDTH, &all.or_unused());
    }
}

#[inline(always)]
fn refresh_level<S: Simd>(simd: S, below: &[Lanes], level: &mut [Lanes]) {
    for (index, lanes) in below.iter().enumerate() {
        level[index / WIDTH].set(index % WIDTH, &lanes.bounds(simd));
    }
}
