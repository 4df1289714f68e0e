//! Moving boxes and rays against boxes.

use std::ops::ControlFlow;

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};
use glam::Vec3;
use impinge_shapes::Aabb;

use super::{QueryIndex, Reach, best_first, best_first_many};
use crate::lanes::{Lanes, splat};
use crate::tolerance::{FARTHEST, FASTEST, SLAB, SLAB_UNDERFLOW, SLOWEST};

/// One of many moving boxes, for [`QueryIndex::cast_many`].
///
/// ```
/// use impinge_broadphase::Cast;
/// use impinge_shapes::{Aabb, glam::Vec3};
///
/// // A ray is a point that moves.
/// let origin = Aabb::from_point(Vec3::ZERO)?;
/// let ray = Cast { mover: origin, displacement: Vec3::X, max_fraction: f32::INFINITY };
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
/// let casts = [Cast { mover, displacement: Vec3::ONE, max_fraction: 3.0 }];
/// let mut all: Vec<Met> = Vec::new();
/// broad.index().cast_many(&casts, |met, _| all.extend_from_slice(met));
/// assert_eq!((all[0].query, all[0].id, all.len()), (0, 7, 1));
/// assert!(all[0].at <= 1.0 && all[0].at > 0.999);
/// # Ok::<(), impinge_shapes::AabbError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// others, and is what [`QueryIndex::cast`] would visit.
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
    ///     Ok(Cast { mover, displacement: way, max_fraction: f32::INFINITY })
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
        let mut wild = Vec::new();
        let mut slabs = (0..).zip(casts).filter_map(|(query, cast)| {
            let slabs = Slabs::new(&cast.mover, cast.displacement, cast.max_fraction);
            if slabs.is_none() {
                wild.push((query, cast));
            }
            Some((query, slabs?, cast.max_fraction))
        });
        best_first_many(self, &mut slabs, visit);
        for (query, cast) in wild {
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
        match Slabs::new(mover, displacement, max_fraction) {
            Some(slabs) => best_first(self, &slabs, max_fraction, visit),
            None if max_fraction >= 0.0 => {
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
            None => {}
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

/// A moving box as slab tests against boxes grown by it.
///
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.3 and §5.5.8.
struct Slabs {
    /// For each axis which plane of a box comes first on the way, and which one last, as
    /// [`Lanes::plane`] counts them; with the face of the mover that meets it.
    planes: [[usize; 2]; 3],
    starts: [[f32; 2]; 3],
    /// `1 / d` of each component of the movement, for what is met first and last: a little less and
    /// a little more, so that rounding hides nothing, see [`SLAB`]. What lies behind the start has
    /// a negative number for either, which is as good as any other.
    inverse: [[f32; 2]; 3],
    /// Axes without movement, where the mover's whole range must touch instead.
    still: [bool; 3],
}

impl Slabs {
    /// `None` for movements that slabs cannot treat.
    fn new(mover: &Aabb, displacement: Vec3, max_fraction: f32) -> Option<Self> {
        let mut lo = mover.min().to_array();
        let mut hi = mover.max().to_array();
        let tame = lo.iter().chain(&hi).all(|x| x.abs() <= FARTHEST)
            && displacement.to_array().iter().all(|d| d.abs() <= FASTEST);
        // A difference of coordinates may overflow, which must not hide a box within reach.
        let reach = displacement.as_dvec3().abs().max_element() * f64::from(max_fraction);
        if !tame || (reach > FASTEST.into() && max_fraction < f32::INFINITY) {
            return None;
        }
        // The widened start must hold all of a slow movement, however long it lasts.
        let slow =
            Vec3::select(displacement.abs().cmplt(Vec3::splat(SLOWEST)), displacement, Vec3::ZERO);
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
        let still = displacement.to_array().map(|d| d.abs() < SLOWEST);
        let inverse = displacement.to_array().map(|d| {
            let inverse = 1.0 / d;
            [inverse * (1.0 - SLAB), inverse * (1.0 + SLAB)]
        });
        let (mut planes, mut starts) = ([[0; 2]; 3], [[0.0; 2]; 3]);
        for axis in 0..3 {
            // The mover's upper face goes to a box's lower one first, or the other way round. Nobody
            // can guess which: no branches.
            let back = usize::from(displacement[axis] <= -SLOWEST);
            planes[axis] = [axis + 3 * back, axis + 3 - 3 * back];
            let faces = [hi[axis], lo[axis], hi[axis]];
            starts[axis] = [faces[back], faces[back + 1]];
        }
        Some(Self { planes, starts, inverse, still })
    }
}

impl Reach for Slabs {
    #[inline(always)]
    fn reach<S: Simd>(&self, simd: S, lanes: &Lanes, limit: f32) -> (mask32x16<S>, f32x16<S>) {
        let mut entry = splat(simd, 0.0);
        // Widened as well, for limits that are told by rounded numbers.
        let mut exit = splat(simd, limit * (1.0 + SLAB));
        let mut met = entry.simd_eq(entry);
        for axis in 0..3 {
            let ([first, last], [front, rear]) = (self.planes[axis], self.starts[axis]);
            let (first, last) = (lanes.plane(simd, first), lanes.plane(simd, last));
            let (front, rear) = (splat(simd, front), splat(simd, rear));
            if self.still[axis] {
                met &= first.simd_le(front) & last.simd_ge(rear);
            } else {
                // The mover is finite and the reciprocal a normal number: no NaN but in unused lanes.
                let [near, far] = self.inverse[axis];
                entry = entry.max((first - front) * splat(simd, near));
                exit = exit.min((last - rear) * splat(simd, far));
            }
        }
        // A box that was left behind has an exit below zero, and so below the entry.
        met &= entry.simd_le(exit + splat(simd, SLAB_UNDERFLOW));
        (met, entry)
    }
}
