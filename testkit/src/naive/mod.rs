//! Slow and obvious versions of what the library does fast.

#[cfg(feature = "worlds")]
mod hits;

use impinge_shapes::Aabb;

#[cfg(feature = "worlds")]
pub use hits::{Placed, ray_hits, sweep_hits};

/// All pairs of overlapping boxes, smaller index first, sorted: every box against every other.
#[must_use]
pub fn pairs_quadratic(boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (i, a) in (0_u32..).zip(boxes) {
        for (j, b) in (0_u32..).zip(boxes).skip(i as usize + 1) {
            if a.overlaps(b) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

/// All pairs of overlapping boxes, smaller index first, sorted: boxes in the order of their lower
/// x, each against those that begin before it ends.
///
/// - Cost: `n log n` and the pairs that overlap on x.
#[must_use]
pub fn pairs_sorted(boxes: &[Aabb]) -> Vec<(u32, u32)> {
    let mut order: Vec<(u32, &Aabb)> = (0..).zip(boxes).collect();
    order.sort_by(|(i, a), (j, b)| a.min().x.total_cmp(&b.min().x).then(i.cmp(j)));
    let mut pairs = Vec::new();
    for (place, &(i, a)) in order.iter().enumerate() {
        let end = a.max().x;
        // Equal bounds touch, and 0.0 and -0.0 are equal: `<=`, not the order of the sort.
        for &(j, b) in order[place + 1..].iter().take_while(|(_, b)| b.min().x <= end) {
            if a.overlaps(b) {
                pairs.push((i.min(j), i.max(j)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Every body that a test hits, in order.
pub fn query_all<T>(bodies: usize, mut test: impl FnMut(usize) -> Option<T>) -> Vec<(usize, T)> {
    (0..bodies).filter_map(|body| Some((body, test(body)?))).collect()
}

/// Whether a test hits any body.
pub fn query_any(bodies: usize, test: impl FnMut(usize) -> bool) -> bool {
    (0..bodies).any(test)
}

/// The body with the least value that a test gives, `None` if it hits none.
///
/// - Ties: the first body.
pub fn query_closest<T>(
    bodies: usize,
    test: impl FnMut(usize) -> Option<T>,
    distance: impl Fn(&T) -> f32,
) -> Option<(usize, T)> {
    let hits = query_all(bodies, test);
    hits.into_iter()
        .reduce(|best, hit| if distance(&hit.1) < distance(&best.1) { hit } else { best })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rng::Rng;

    #[test]
    fn both_pair_searches_agree() {
        let mut rng = Rng::new(3);
        let boxes: Vec<Aabb> = (0..400)
            .map(|_| {
                // Whole numbers, so that many boxes touch.
                let low = rng.cube(-8.0, 8.0).round();
                Aabb::new(low, low + rng.cube(0.0, 3.0).round()).unwrap()
            })
            .collect();
        let pairs = pairs_quadratic(&boxes);
        assert_eq!(pairs, pairs_sorted(&boxes));
        assert!(pairs.len() > 400);
    }

    #[test]
    fn zeros_of_both_signs_touch() {
        let a = Aabb::new(Vec3::splat(-1.0), Vec3::splat(-0.0)).unwrap();
        let b = Aabb::new(Vec3::splat(0.0), Vec3::ONE).unwrap();
        let c = Aabb::new(Vec3::splat(-0.0), Vec3::splat(-0.0)).unwrap();
        let expected = vec![(0, 1), (0, 2), (1, 2)];
        assert_eq!(pairs_sorted(&[a, b, c]), expected);
        assert_eq!(pairs_quadratic(&[a, b, c]), expected);
    }

    #[test]
    fn the_closest_hit_is_the_first_of_equals() {
        let distances = [3.0, 1.0, 1.0];
        let hit = query_closest(3, |i| Some(distances[i]), |&d| d);
        assert_eq!(hit.map(|(body, _)| body), Some(1));
        assert!(query_closest(3, |_| None::<f32>, |&d| d).is_none());
        assert!(query_any(3, |i| distances[i] > 2.0));
    }
}
