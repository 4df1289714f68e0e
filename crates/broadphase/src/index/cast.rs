//! Moving boxes and rays against boxes.

use std::ops::ControlFlow;

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};
use glam::Vec3;
use impinge_shapes::Aabb;

use super::everything::find_all_of_many;
use super::flight::{Queries, Terms, best_first_many};
use super::{QueryIndex, Reach, best_first};
use crate::lanes::{Lanes, narrow, splat};
use crate::tolerance::{FARTHEST, FASTEST, SLAB, SLAB_UNDERFLOW, SLOWEST};

/// One of many moving boxes, for [`QueryIndex::cast_many`].
///
/// ```
/// use impinge_broadphase::Cast;
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// // A ray is a point that moves.
/// let origin = Aabb::from_point(Vec3::ZERO)?;
/// let ray = Cast::new(origin, Vec3::X, f32::INFINITY);
/// assert_eq!(ray.mover.center(), Vec3::ZERO);
/// # Ok::<(), impinge_shapes::AabbError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cast {
    /// The box at the start.
    pub mover: Aabb,
    /// Where it goes from there.
    pub displacement: Vec3,
    /// Largest fraction of the displacement that is of interest.
    pub max_fraction: f32,
    /// Whether [`QueryIndex::cast_many`] leaves out the boxes that it would tell at fraction 0: those
    /// that the mover touches at the start, and some that it meets before 2^-144. Movements that
    /// visit whatever their bounds touch leave out none.
    pub beyond_start: bool,
}

impl Cast {
    /// Of a box that meets others from the start on.
    #[must_use]
    pub fn new(mover: Aabb, displacement: Vec3, max_fraction: f32) -> Self {
        Self { mover, displacement, max_fraction, beyond_start: false }
    }
}

/// A box that one of many queries meets.
///
/// ```
/// use impinge_broadphase::{BroadPhase, Cast, Met, Mobility};
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// let mut broad = BroadPhase::new();
/// broad.set(7, Aabb::new(Vec3::ONE, Vec3::ONE * 2.0)?, Mobility::Fixed);
/// broad.update();
/// let mover = Aabb::from_point(Vec3::ZERO)?;
/// let casts = [Cast::new(mover, Vec3::ONE, 3.0)];
/// let mut all: Vec<Met> = Vec::new();
/// broad.index().cast_many(&casts, |met, _| all.extend_from_slice(met));
/// assert_eq!((all[0].query, all[0].id, all.len()), (0, 7, 1));
/// assert!(all[0].at <= 1.0 && all[0].at > 0.999);
/// # Ok::<(), impinge_shapes::AabbError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Met {
    /// Which of the queries, by its place among them.
    pub query: u32,
    /// The box.
    pub id: u32,
    /// Lower bound of the fraction or distance at which the query meets it.
    pub at: f32,
}

impl QueryIndex {
    /// [`QueryIndex::cast`] of many boxes, which take turns, so that none waits for memory alone.
    ///
    /// The visitor gets boxes that are met, at most one of each query at a time, and for each
    /// the largest fraction that is of interest to its query, which it may lower; a negative
    /// number ends the query. What one query visits, and in which order, does not depend on the
    /// others, and is what [`QueryIndex::cast`] would visit, but for [`Cast::beyond_start`].
    ///
    /// - Cost: a visitor that looks up what belongs to all of the boxes before it uses any of it
    ///   lets the cache misses wait side by side.
    ///
    /// ```
    /// use impinge_broadphase::{BroadPhase, Cast, Mobility};
    /// use impinge_shapes::{Aabb, glam::Vec3};
    ///
    /// let mut broad = BroadPhase::new();
    /// for (id, x) in [(3, 2.0), (5, 4.0), (8, 6.0)] {
    ///     broad.set(id, Aabb::from_point(Vec3::X * x)?, Mobility::Fixed);
    /// }
    /// broad.update();
    /// let from = |x: f32, way| -> Result<Cast, impinge_shapes::AabbError> {
    ///     let mover = Aabb::from_point(Vec3::X * x)?;
    ///     Ok(Cast::new(mover, way, f32::INFINITY))
    /// };
    /// let casts = [from(0.0, Vec3::X)?, from(5.0, Vec3::NEG_X)?];
    /// let mut first = [None; 2];
    /// broad.index().cast_many(&casts, |met, limits| {
    ///     for (met, limit) in met.iter().zip(limits) {
    ///         first[met.query as usize] = Some(met.id);
    ///         *limit = -1.0;
    ///     }
    /// });
    /// assert_eq!(first, [Some(3), Some(5)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_many(&self, casts: &[Cast], mut visit: impl FnMut(&[Met], &mut [f32])) {
        self.visit_met_by_many(casts, &mut visit);
    }

    fn visit_met_by_many(&self, casts: &[Cast], visit: &mut dyn FnMut(&[Met], &mut [f32])) {
        let mut tame = Tame { casts, next: 0, wild: Vec::new() };
        best_first_many(self, &mut tame, visit);
        for query in tame.wild {
            let cast = &casts[query as usize];
            let mut limit = cast.max_fraction;
            self.cast(&cast.mover, cast.displacement, limit, |id, at| {
                let mut limits = [limit];
                visit(&[Met { query, id, at }], &mut limits);
                if limits[0] < limit {
                    limit = limits[0];
                }
                limits[0]
            });
        }
    }

    /// Everything that many moving boxes meet: what [`QueryIndex::cast`] visits of each whose visitor
    /// lowers no limit, but for [`Cast::beyond_start`], in any order.
    ///
    /// - Cost: less than [`QueryIndex::cast_many`], as nothing is put in order.
    ///
    /// ```
    /// use impinge_broadphase::{BroadPhase, Cast, Mobility};
    /// use impinge_shapes::{Aabb, glam::Vec3};
    ///
    /// let mut broad = BroadPhase::new();
    /// for (id, x) in [(3, 2.0), (5, 4.0), (8, 6.0)] {
    ///     broad.set(id, Aabb::from_point(Vec3::X * x)?, Mobility::Fixed);
    /// }
    /// broad.update();
    /// let origin = Aabb::from_point(Vec3::ZERO)?;
    /// let casts = [5.0, 3.0].map(|length| Cast::new(origin, Vec3::X, length));
    /// let mut found = Vec::new();
    /// broad.index().cast_all(&casts, |met| found.extend(met.iter().map(|met| (met.query, met.id))));
    /// found.sort_unstable();
    /// assert_eq!(found, [(0, 3), (0, 5), (1, 3)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast_all(&self, casts: &[Cast], mut visit: impl FnMut(&[Met])) {
        self.visit_all_met_by_many(casts, &mut visit);
    }

    fn visit_all_met_by_many(&self, casts: &[Cast], visit: &mut dyn FnMut(&[Met])) {
        let mut tame = Tame { casts, next: 0, wild: Vec::new() };
        find_all_of_many(self, &mut tame, visit);
        for query in tame.wild {
            let cast = &casts[query as usize];
            self.cast(&cast.mover, cast.displacement, cast.max_fraction, |id, at| {
                visit(&[Met { query, id, at }]);
                cast.max_fraction
            });
        }
    }

    /// Visits the boxes that `mover` meets while it moves by `displacement`, roughly nearest first.
    ///
    /// The visitor gets the id and a lower bound of the fraction at which the boxes first touch,
    /// and returns the new largest fraction that is of interest; a negative number stops.
    ///
    /// - Error: conservative. Every box is visited that the moving box touches at a fraction of at
    ///   most the current largest one, and perhaps some that it misses by rounding or by the room
    ///   given to moving boxes.
    /// - Ties: a box met at exactly the largest fraction is visited.
    /// - Degenerate: without any displacement, boxes that touch at the start are visited with
    ///   fraction 0. Movers and displacements with a component beyond 2^120, and NaN displacements,
    ///   visit every box that the bounds of the whole movement touch, with fraction 0.
    pub fn cast(
        &self,
        mover: &Aabb,
        displacement: Vec3,
        max_fraction: f32,
        mut visit: impl FnMut(u32, f32) -> f32,
    ) {
        self.visit_met(mover, displacement, max_fraction, &mut visit);
    }

    fn visit_met(
        &self,
        mover: &Aabb,
        displacement: Vec3,
        max_fraction: f32,
        visit: &mut dyn FnMut(u32, f32) -> f32,
    ) {
        let mut slabs = Slabs::default();
        if slabs.aim(mover, displacement, max_fraction) {
            best_first(self, &slabs, max_fraction, visit);
        } else if max_fraction >= 0.0 {
            let bounds = if max_fraction <= 1.0 {
                mover.sweep_bounds(displacement)
            } else {
                Aabb::EVERYTHING
            };
            let mut limit = max_fraction;
            self.overlap(&bounds, |id| {
                let answer = visit(id, 0.0);
                limit = if answer < limit { answer } else { limit };
                if answer >= 0.0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        }
    }

    /// Visits the boxes that a ray meets, roughly nearest first.
    ///
    /// As [`QueryIndex::cast`] with a point for the mover: fractions are multiples of `direction`,
    /// that is distances if it has unit length.
    ///
    /// - Degenerate: `max_distance` may be infinite. A NaN in the origin meets nothing.
    pub fn ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max_distance: f32,
        visit: impl FnMut(u32, f32) -> f32,
    ) {
        if let Ok(point) = Aabb::from_point(origin) {
            self.cast(&point, direction, max_distance, visit);
        }
    }
}

/// Casts that slabs can treat, one after the other.
struct Tame<'c> {
    casts: &'c [Cast],
    next: usize,
    /// Places of those that they cannot.
    wild: Vec<u32>,
}

impl Queries<Slabs> for Tame<'_> {
    #[inline(always)]
    fn next(&mut self, slabs: &mut Slabs) -> Option<Terms> {
        loop {
            let place = self.next;
            let cast = self.casts.get(place)?;
            self.next += 1;
            // A NaN is no limit that anything could be within.
            if cast.max_fraction >= 0.0 {
                if slabs.aim(&cast.mover, cast.displacement, cast.max_fraction) {
                    return Some(Terms {
                        number: narrow(place),
                        limit: cast.max_fraction,
                        beyond_start: cast.beyond_start,
                    });
                }
                self.wild.push(narrow(place));
            }
        }
    }
}

/// A moving box as slab tests against boxes grown by it.
///
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.3 and §5.5.8.
#[derive(Debug, Default)]
struct Slabs {
    /// For each axis which side of a box comes first on the way: 0 for the lower face.
    sides: [usize; 3],
    /// The faces of the mover that meet the first and the last face of a box. Where it stands still,
    /// the next numbers outside of its range.
    starts: [[f32; 2]; 3],
    /// `1 / d` of each component of the movement, for what is met first and last: a little less and
    /// a little more, so that rounding hides nothing, see [`SLAB`]. What lies behind the start has
    /// a negative number for either, which is as good as any other.
    ///
    /// Infinite for axes without movement: what the mover's range touches is entered before all and
    /// left after all, and all else entered after all or left before.
    inverse: [[f32; 2]; 3],
    /// Bound of all limits: what is entered after all does not count where nothing moves either.
    most: f32,
}

impl Slabs {
    /// Takes another movement, unless it is one that slabs cannot treat.
    #[inline(always)]
    fn aim(&mut self, mover: &Aabb, displacement: Vec3, max_fraction: f32) -> bool {
        let (mut lo, mut hi) = (mover.min(), mover.max());
        let tame = lo.cmpge(Vec3::splat(-FARTHEST)).all()
            & hi.cmple(Vec3::splat(FARTHEST)).all()
            & displacement.abs().cmple(Vec3::splat(FASTEST)).all();
        // A difference of coordinates may overflow, which must not hide a box within reach.
        let reach = displacement.abs().max_element() * max_fraction;
        if !tame || (reach > FASTEST && max_fraction < f32::INFINITY) {
            return false;
        }
        let still = displacement.abs().cmplt(Vec3::splat(SLOWEST));
        // The widened start must hold all of a slow movement, however long it lasts.
        let slow = Vec3::select(still, displacement, Vec3::ZERO);
        if slow != Vec3::ZERO {
            let whole = slow.as_dvec3() * f64::from(max_fraction.max(1.0));
            for axis in 0..3 {
                let reach = whole[axis];
                if reach < 0.0 {
                    lo[axis] = impinge_shapes::round::sum_down(lo[axis].into(), reach);
                } else if reach > 0.0 {
                    hi[axis] = impinge_shapes::round::sum_up(hi[axis].into(), reach);
                }
            }
        }
        let [lo, hi] = [lo, hi].map(|corner| corner.to_array());
        for axis in 0..3 {
            // The mover's upper face goes to a box's lower one first, or the other way round. Nobody
            // can guess which: no branches.
            let back = usize::from(displacement[axis] <= -SLOWEST);
            let faces = [hi[axis], lo[axis], hi[axis]];
            let inverse = 1.0 / displacement[axis];
            self.sides[axis] = back;
            self.starts[axis] = [faces[back], faces[back + 1]];
            self.inverse[axis] = [inverse * (1.0 - SLAB), inverse * (1.0 + SLAB)];
        }
        self.most = f32::INFINITY;
        if still.any() {
            for axis in (0..3).filter(|axis| still.test(*axis)) {
                self.starts[axis] = [hi[axis].next_up(), lo[axis].next_down()];
                self.inverse[axis] = [f32::INFINITY; 2];
            }
            if still.all() {
                self.most = f32::MAX;
            }
        }
        true
    }
}

impl Reach for Slabs {
    #[inline(always)]
    fn reach<S: Simd>(&self, simd: S, lanes: &Lanes, limit: f32) -> (mask32x16<S>, f32x16<S>) {
        let mut entry = splat(simd, 0.0);
        // Widened as well, for limits that are told by rounded numbers.
        let exit = limit * (1.0 + SLAB);
        let mut exit = splat(simd, if exit < self.most { exit } else { self.most });
        for axis in 0..3 {
            let (side, [front, rear]) = (self.sides[axis], self.starts[axis]);
            let [near, far] = self.inverse[axis];
            let (first, last) = (lanes.face(simd, axis, side), lanes.face(simd, axis, side ^ 1));
            // The mover is finite. Only lanes not in use give NaN, and on an axis without movement
            // those that begin or end next to the mover: a NaN may count as anything there.
            entry = entry.max((first - splat(simd, front)) * splat(simd, near));
            exit = exit.min((last - splat(simd, rear)) * splat(simd, far));
        }
        // A box that was left behind has an exit below zero, and so below the entry.
        (entry.simd_le(exit + splat(simd, SLAB_UNDERFLOW)), entry)
    }
}
