//! Moving boxes and rays against boxes.

use std::ops::ControlFlow;

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};
use glam::Vec3;
use impinge_shapes::Aabb;

use super::{QueryIndex, Reach, best_first};
use crate::lanes::{Lanes, splat};
use crate::tolerance::{FASTEST, SLAB, SLAB_UNDERFLOW, SLOWEST};

impl QueryIndex {
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
    /// Index of the plane that is met first and last, of [`Lanes::planes`].
    near: [usize; 3],
    far: [usize; 3],
    /// Coordinate of the mover that meets the near plane first, and of the one that leaves the far
    /// plane last.
    front: [f32; 3],
    back: [f32; 3],
    inverse: [f32; 3],
    /// Axes without movement, where the mover's whole range must touch instead.
    still: [bool; 3],
}

impl Slabs {
    /// `None` for movements that slabs cannot treat.
    fn new(mover: &Aabb, displacement: Vec3, max_fraction: f32) -> Option<Self> {
        let mut lo = mover.min().to_array();
        let mut hi = mover.max().to_array();
        let mut slabs = Self {
            near: [0, 1, 2],
            far: [3, 4, 5],
            front: hi,
            back: lo,
            inverse: [0.0; 3],
            still: [false; 3],
        };
        let tame = lo.iter().chain(&hi).all(|x| x.abs() <= FASTEST)
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
        for axis in 0..3 {
            let d = displacement[axis];
            slabs.still[axis] = d.abs() < SLOWEST;
            (slabs.front[axis], slabs.back[axis]) = (hi[axis], lo[axis]);
            if slabs.still[axis] {
                continue;
            }
            slabs.inverse[axis] = 1.0 / d;
            if d < 0.0 {
                (slabs.near[axis], slabs.far[axis]) = (axis + 3, axis);
                (slabs.front[axis], slabs.back[axis]) = (lo[axis], hi[axis]);
            }
        }
        Some(slabs)
    }
}

impl Reach for Slabs {
    #[inline(always)]
    fn reach<S: Simd>(&self, simd: S, lanes: &Lanes, limit: f32) -> (mask32x16<S>, f32x16<S>) {
        let mut entry = splat(simd, 0.0);
        let mut exit = splat(simd, f32::INFINITY);
        let mut met = entry.simd_eq(entry);
        for axis in 0..3 {
            let near = lanes.plane(simd, self.near[axis]);
            let far = lanes.plane(simd, self.far[axis]);
            if self.still[axis] {
                let touching = near.simd_le(splat(simd, self.front[axis]))
                    & far.simd_ge(splat(simd, self.back[axis]));
                met &= touching;
            } else {
                // The mover is finite and the reciprocal a normal number: no NaN but in unused lanes.
                let inverse = splat(simd, self.inverse[axis]);
                entry = entry.max((near - splat(simd, self.front[axis])) * inverse);
                exit = exit.min((far - splat(simd, self.back[axis])) * inverse);
            }
        }
        let entry = entry * splat(simd, 1.0 - SLAB);
        let exit = exit * splat(simd, 1.0 + SLAB) + splat(simd, SLAB_UNDERFLOW);
        // A box that was left behind has an exit below zero, and so below the entry.
        met &= entry.simd_le(exit) & entry.simd_le(splat(simd, limit));
        (met, entry)
    }
}
