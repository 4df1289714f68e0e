//! Boxes near a box.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};
use impinge_shapes::Aabb;

use super::everything::find_all_of_many;
use super::flight::{Queries, Terms, best_first_many};
use super::{Met, QueryIndex, Reach, best_first};
use crate::lanes::{Bounds, Lanes, narrow, splat};
use crate::tolerance::{DISTANCE, LEAST_SQUARE};

/// One of many boxes whose surroundings are asked about, for [`QueryIndex::nearest_many`].
///
/// ```
/// use impinge_broadphase::{BroadPhase, Mobility, Near};
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// let mut broad = BroadPhase::new();
/// broad.set(7, Aabb::from_point(Vec3::X)?, Mobility::Fixed);
/// broad.update();
/// let from = Aabb::from_point(Vec3::ZERO)?;
/// let queries = [0.5, 1.0, f32::NAN, -1.0].map(|max_distance| Near { from, max_distance });
/// let mut met = Vec::new();
/// broad.index().nearest_many(&queries, |near, _| met.extend(near.iter().map(|near| near.query)));
/// assert_eq!(met, [1]);
/// # Ok::<(), impinge_shapes::AabbError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// The box.
    pub from: Aabb,
    /// Largest distance that is of interest; nothing is within a negative one or a NaN.
    pub max_distance: f32,
}

impl QueryIndex {
    /// Visits the boxes within `max_distance` of a box, roughly nearest first.
    ///
    /// The visitor gets the id and a lower bound of the distance between the boxes, and returns the
    /// new largest distance that is of interest; a negative number stops.
    ///
    /// - Error: conservative, as [`QueryIndex::cast`]. Touching and overlapping boxes have distance 0.
    pub fn nearest(&self, from: &Aabb, max_distance: f32, mut visit: impl FnMut(u32, f32) -> f32) {
        self.visit_near(&Gaps { from: Bounds::of(from) }, max_distance, &mut visit);
    }

    fn visit_near(&self, gaps: &Gaps, limit: f32, visit: &mut dyn FnMut(u32, f32) -> f32) {
        best_first(self, gaps, limit, visit);
    }

    /// [`QueryIndex::nearest`] of many boxes, which take turns as those of
    /// [`QueryIndex::cast_many`] do: the visitor gets boxes that are near, at most one of each query
    /// at a time, and for each the largest distance that is of interest to its query.
    ///
    /// ```
    /// use impinge_broadphase::{BroadPhase, Mobility, Near};
    /// use impinge_shapes::{Aabb, glam::Vec3};
    ///
    /// let mut broad = BroadPhase::new();
    /// for (id, x) in [(3, 2.0), (5, 4.0), (8, 6.0)] {
    ///     broad.set(id, Aabb::from_point(Vec3::X * x)?, Mobility::Fixed);
    /// }
    /// broad.update();
    /// let near = |x: f32, max_distance| -> Result<Near, impinge_shapes::AabbError> {
    ///     Ok(Near { from: Aabb::from_point(Vec3::X * x)?, max_distance })
    /// };
    /// let queries = [near(0.0, 9.0)?, near(7.0, 0.5)?, near(4.5, 9.0)?];
    /// let mut first = [None; 3];
    /// broad.index().nearest_many(&queries, |met, limits| {
    ///     for (met, limit) in met.iter().zip(limits) {
    ///         first[met.query as usize] = Some(met.id);
    ///         *limit = -1.0;
    ///     }
    /// });
    /// assert_eq!(first, [Some(3), None, Some(5)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest_many(&self, queries: &[Near], mut visit: impl FnMut(&[Met], &mut [f32])) {
        self.visit_near_by_many(queries, &mut visit);
    }

    fn visit_near_by_many(&self, queries: &[Near], visit: &mut dyn FnMut(&[Met], &mut [f32])) {
        best_first_many(self, &mut InOrder { queries, next: 0 }, visit);
    }

    /// Everything that is near many boxes: what [`QueryIndex::nearest`] visits of each whose visitor
    /// lowers no limit, in any order.
    ///
    /// - Cost: less than [`QueryIndex::nearest_many`], as nothing is put in order.
    ///
    /// ```
    /// use impinge_broadphase::{BroadPhase, Mobility, Near};
    /// use impinge_shapes::{Aabb, glam::Vec3};
    ///
    /// let mut broad = BroadPhase::new();
    /// for (id, x) in [(3, 2.0), (5, 4.0), (8, 6.0)] {
    ///     broad.set(id, Aabb::from_point(Vec3::X * x)?, Mobility::Fixed);
    /// }
    /// broad.update();
    /// let from = Aabb::from_point(Vec3::X * 5.0)?;
    /// let queries = [0.5, 1.5, 9.0].map(|max_distance| Near { from, max_distance });
    /// let mut found = Vec::new();
    /// broad.index().nearest_all(&queries, |met| {
    ///     found.extend(met.iter().map(|met| (met.query, met.id)));
    /// });
    /// found.sort_unstable();
    /// assert_eq!(found, [(1, 5), (1, 8), (2, 3), (2, 5), (2, 8)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest_all(&self, queries: &[Near], mut visit: impl FnMut(&[Met])) {
        self.visit_all_near_by_many(queries, &mut visit);
    }

    fn visit_all_near_by_many(&self, queries: &[Near], visit: &mut dyn FnMut(&[Met])) {
        find_all_of_many(self, &mut InOrder { queries, next: 0 }, visit);
    }
}

/// Those that reach anywhere, one after the other.
struct InOrder<'q> {
    queries: &'q [Near],
    next: usize,
}

impl Queries<Gaps> for InOrder<'_> {
    #[inline(always)]
    fn next(&mut self, gaps: &mut Gaps) -> Option<Terms> {
        loop {
            let place = self.next;
            let near = self.queries.get(place)?;
            self.next += 1;
            if near.max_distance >= 0.0 {
                gaps.from = Bounds::of(&near.from);
                let (number, limit) = (narrow(place), near.max_distance);
                return Some(Terms { number, limit, beyond_start: false });
            }
        }
    }
}

/// The gaps between boxes and one box.
#[derive(Debug)]
struct Gaps {
    from: Bounds,
}

impl Default for Gaps {
    fn default() -> Self {
        Self { from: Bounds::EMPTY }
    }
}

impl Reach for Gaps {
    #[inline(always)]
    fn reach<S: Simd>(&self, simd: S, lanes: &Lanes, limit: f32) -> (mask32x16<S>, f32x16<S>) {
        let zero = splat(simd, 0.0);
        let mut sum = zero;
        let mut longest = zero;
        for axis in 0..3 {
            let above = lanes.lower(simd, axis) - splat(simd, self.from.hi[axis]);
            let below = splat(simd, self.from.lo[axis]) - lanes.upper(simd, axis);
            // Comparisons, because differences of equal infinities are NaN and mean no gap.
            let gap = above.simd_gt(zero).select(above, zero);
            let gap = below.simd_gt(gap).select(below, gap);
            longest = gap.simd_gt(longest).select(gap, longest);
            sum += gap * gap;
        }
        // Where the squares overflow or lose digits, the longest gap still is a lower bound.
        let sound =
            sum.simd_lt(splat(simd, f32::INFINITY)) & sum.simd_ge(splat(simd, LEAST_SQUARE));
        let root = sound.select(sum.sqrt(), longest);
        let distance = root * splat(simd, 1.0 - DISTANCE);
        (distance.simd_le(splat(simd, limit)), distance)
    }
}
