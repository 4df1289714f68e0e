//! Everything that queries meet, in any order.
//!
//! Where nothing ends a query early, nothing need be put in order: a query goes down a tree level by
//! level, and no node waits for another one.

use fearless_simd::{Simd, prelude::*, u32x16};
use impinge_shapes::at_level;

use super::flight::{Queries, Terms};
use super::traverse::Reach;
use super::walk::{LANE, LANES, Levels, Meeting};
use super::{Met, QueryIndex};
use crate::lanes::WIDTH;
use crate::tolerance::TOLD;

/// Everything that many queries meet, in any order.
pub(super) fn find_all_of_many<Q: Reach + Default>(
    index: &QueryIndex,
    queries: &mut impl Queries<Q>,
    visit: &mut dyn FnMut(&[Met]),
) {
    let forests = index.forests().into_iter().filter(|forest| !forest.is_empty());
    let forests: Vec<Levels<'_>> = forests.map(Levels::new).collect();
    let (mut query, mut met) = (Q::default(), Vec::new());
    at_level!(index.simd_level(), simd => {
        all_of_many(simd, &forests, (queries, &mut query), &mut met, visit);
    });
    if !met.is_empty() {
        visit(&met);
    }
}

#[inline(always)]
fn all_of_many<S: Simd, Q: Reach>(
    simd: S,
    forests: &[Levels<'_>],
    (queries, query): (&mut impl Queries<Q>, &mut Q),
    met: &mut Vec<Met>,
    visit: &mut dyn FnMut(&[Met]),
) {
    let mut everything = Everything::default();
    while let Some(Terms { number, limit, beyond_start }) = queries.next(query) {
        // What ends before it begins meets nothing.
        if limit < 0.0 {
            continue;
        }
        for levels in forests {
            for (id, at) in everything.find(simd, levels, query, limit) {
                if beyond_start && at <= 0.0 {
                    continue;
                }
                met.push(Met { query: number, id, at });
                if met.len() >= TOLD {
                    visit(met);
                    met.clear();
                }
            }
        }
    }
}

/// Room for everything that a query meets.
#[derive(Debug, Default)]
struct Everything {
    /// Nodes of one level that are met, and of the one below.
    above: Vec<u32>,
    below: Vec<u32>,
    /// Boxes, and the keys of where they are met.
    ids: Vec<u32>,
    keys: Vec<u32>,
}

impl Everything {
    /// Finds everything that a query meets in a forest, level by level: nothing is put in order, and
    /// no node waits for another one of its level.
    #[inline(always)]
    fn find<S: Simd>(
        &mut self,
        simd: S,
        levels: &Levels<'_>,
        query: &impl Reach,
        limit: f32,
    ) -> impl Iterator<Item = (u32, f32)> {
        // A walk begins with few.
        room(&mut self.above, 0).copy_from_slice(&LANES);
        let mut count = levels.of_level(levels.top()).len().min(WIDTH);
        for level in (1..=levels.top()).rev() {
            let (nodes, mut next) = (levels.of_level(level), 0);
            for &index in &self.above[..count] {
                let lanes = &nodes[index as usize];
                let found = Meeting::new(simd, query, lanes, limit);
                found.put(simd, children(simd, index), room(&mut self.below, next));
                next += found.count();
            }
            std::mem::swap(&mut self.above, &mut self.below);
            count = next;
        }
        let (blocks, mut met) = (levels.of_level(0), 0);
        for &index in &self.above[..count] {
            let found = Meeting::new(simd, query, &blocks[index as usize], limit);
            let ids = u32x16::load_array_ref(simd, levels.ids(index));
            found.put(simd, ids, room(&mut self.ids, met));
            found.put(simd, found.keys(simd), room(&mut self.keys, met));
            met += found.count();
        }
        let found = self.ids[..met].iter().zip(&self.keys[..met]);
        found.map(|(&id, &key)| (id, f32::from_bits(key & !LANE)))
    }
}

/// Room for sixteen more behind the first `count`.
#[inline(always)]
fn room<T: Copy + Default>(list: &mut Vec<T>, count: usize) -> &mut [T] {
    if list.len() < count + WIDTH {
        list.resize(2 * count + WIDTH, T::default());
    }
    &mut list[count..count + WIDTH]
}

/// The children of a node.
#[inline(always)]
fn children<S: Simd>(simd: S, index: u32) -> u32x16<S> {
    u32x16::load_array_ref(simd, &LANES) + u32x16::splat(simd, index << 4)
}
