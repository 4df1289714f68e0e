//! What queries of a batch find in any order, and the order that it comes in.

use super::best::Found;
use crate::Hits;

/// What queries found, in any order.
#[derive(Debug)]
pub(super) struct Unsorted<T> {
    /// Each with the number of its query.
    found: Vec<(usize, T)>,
}

impl<T> Unsorted<T> {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { found: Vec::with_capacity(capacity) }
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    #[inline]
    pub(super) fn push(&mut self, query: usize, item: T) {
        self.found.push((query, item));
    }
}

impl<T: Found + Copy> Unsorted<T> {
    /// The lists of so many queries, each by rank.
    ///
    /// - Source: Knuth, *The Art of Computer Programming* 3, §5.2, on sorting by counting.
    /// - Reason: a key and a place are a quarter of a hit, which is moved but once.
    pub(super) fn lists(&self, queries: usize) -> Hits<T> {
        let mut ends = vec![0; queries];
        self.found.iter().for_each(|&(query, _)| ends[query] += 1);
        let mut all = 0;
        for count in &mut ends {
            // Each list's begin for now; filling it moves it to the end.
            all += std::mem::replace(count, all);
        }
        // The key of each item and where it lies.
        let mut order = vec![(0, 0); all];
        for (place, (query, item)) in self.found.iter().enumerate() {
            order[ends[*query]] = (key(item), place);
            ends[*query] += 1;
        }
        let mut begin = 0;
        for &end in &ends {
            order[begin..end].sort_unstable();
            begin = end;
        }
        let items = order.into_iter().map(|(_, place)| self.found[place].1).collect();
        Hits::from_parts(ends, items)
    }
}

/// Appends what one query finds, by rank.
pub(super) fn append<T: Found + Copy>(list: &mut Vec<T>, find: impl FnOnce(&mut Unsorted<T>)) {
    let mut found = Unsorted::with_capacity(0);
    find(&mut found);
    list.extend_from_slice(found.lists(1).items());
}

/// A number in the order of ranks: bits of numbers are in their order, those of negative ones in the
/// opposite one. A query finds a body once, whose slot is as good as its id.
fn key(item: &impl Found) -> u64 {
    let (at, body) = item.rank();
    let flip = if at.is_sign_negative() { u32::MAX } else { 1 << 31 };
    u64::from(at.to_bits() ^ flip) << 32 | u64::from(body.index())
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use impinge_shapes::glam::Vec3;

    use super::*;
    use crate::{BodyId, RayHit};

    fn by_rank(a: &RayHit, b: &RayHit) -> Ordering {
        a.distance.total_cmp(&b.distance).then(a.body.cmp(&b.body))
    }

    fn hit(distance: f32, slot: u64) -> RayHit {
        let (point, normal) = (Vec3::ZERO, Vec3::X);
        let body = BodyId::from_bits(1 << 32 | slot);
        let (started_inside, part, barycentric) = (false, 0, None);
        RayHit { body, distance, point, normal, started_inside, part, barycentric }
    }

    #[test]
    fn lists_come_by_rank_whatever_was_found_first() {
        let at = [f32::INFINITY, 3.0, 1e-40, 0.0, -0.0, -1e-40, -2.0, f32::NEG_INFINITY, 3.0, 0.0];
        let mut found = Unsorted::with_capacity(0);
        let mut expected = vec![Vec::new(); 4];
        for (slot, &at) in (1..).zip(&at) {
            for query in [3, 0, 2] {
                let hit = hit(at, slot * 7 % 11);
                found.push(query, hit);
                expected[query].push(hit);
            }
        }
        found.push(0, hit(1.0, 20));
        expected[0].push(hit(1.0, 20));
        expected.iter_mut().for_each(|list| list.sort_by(by_rank));
        assert_eq!(found.len(), 3 * at.len() + 1);
        let lists = found.lists(4);
        assert_eq!(lists.len(), 4);
        for (list, expected) in lists.iter().zip(&expected) {
            assert_eq!(list, expected);
            assert!(list.windows(2).all(|pair| by_rank(&pair[0], &pair[1]).is_lt()));
        }
        assert!(Unsorted::<RayHit>::with_capacity(9).lists(0).is_empty());
    }
}
