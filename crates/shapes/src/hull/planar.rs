//! The hull of points in one plane.

use std::cmp::Ordering;

use glam::Vec3;

use super::predicates::turn;

/// The corners of the points' hull, in the order that turns left seen along `axes`, in whose
/// plane the points' plane must have an area.
///
/// - Source: Andrew, *Another Efficient Algorithm for Convex Hulls in Two Dimensions* (1979).
pub(super) fn polygon(points: &[Vec3], axes: [usize; 2]) -> Vec<u32> {
    let [i, j] = axes;
    let mut order: Vec<u32> = (0..super::to_u32(points.len())).collect();
    order.sort_unstable_by(|&a, &b| {
        let (a, b) = (points[a as usize], points[b as usize]);
        a[i].total_cmp(&b[i]).then(a[j].total_cmp(&b[j]))
    });
    let mut chain: Vec<u32> = Vec::new();
    // Along the lower side, and back along the upper one without the point they share.
    append(&mut chain, points, axes, order.iter().copied());
    append(&mut chain, points, axes, order.iter().rev().skip(1).copied());
    chain.pop();
    chain
}

/// Appends the corners of a chain that turns left from the last point on.
fn append(
    chain: &mut Vec<u32>,
    points: &[Vec3],
    axes: [usize; 2],
    order: impl Iterator<Item = u32>,
) {
    let start = chain.len().max(1);
    for point in order {
        while let [.., a, b] = chain[..]
            && chain.len() > start
            && turn(points[a as usize], points[b as usize], points[point as usize], axes)
                != Ordering::Greater
        {
            chain.pop();
        }
        chain.push(point);
    }
}
