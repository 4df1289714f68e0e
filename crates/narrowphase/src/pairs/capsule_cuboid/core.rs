//! The capsule's segment against the box, in the box's frame.

use impinge_shapes::glam::DVec3;
use impinge_shapes::{Capsule, Cuboid};

use crate::{Relative, tolerance};

/// A segment and a box around the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    /// First end of the segment.
    pub(super) start: DVec3,
    /// From the first end to the second.
    pub(super) along: DVec3,
    /// The box's half extents.
    pub(super) half: DVec3,
    /// The capsule's radius.
    pub(super) radius: f64,
    /// Sum of all lengths involved: the unit of all errors.
    pub(super) size: f64,
}

/// The place on the segment nearest to the box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// Its place on the segment, from 0 to 1.
    pub(super) share: f64,
    /// From the nearest point of the box to it; zero inside the box.
    pub(super) excess: DVec3,
}

impl Core {
    pub(super) fn new(a: &Capsule, b: &Cuboid, b_in_a: &Relative) -> Self {
        let to_box = |point: DVec3| b_in_a.vector_to_b(point - b_in_a.translation());
        let (first, second) = (a.a().as_dvec3(), a.b().as_dvec3());
        let start = to_box(first);
        let half = b.half_extents().as_dvec3();
        let radius = f64::from(a.radius());
        let far = b_in_a.translation().abs() + first.abs().max(second.abs());
        Self {
            start,
            along: b_in_a.vector_to_b(second - first),
            half,
            radius,
            size: far.element_sum() + half.element_sum() + radius,
        }
    }

    /// A point of the segment.
    #[inline]
    pub(super) fn at(&self, share: f64) -> DVec3 {
        self.start + self.along * share
    }

    /// The segment after a move.
    pub(super) fn moved(&self, by: DVec3) -> Self {
        Self { start: self.start + by, ..*self }
    }

    /// From the nearest point of the box to `point`.
    #[inline]
    fn excess(&self, point: DVec3) -> DVec3 {
        point - point.clamp(-self.half, self.half)
    }

    /// The place on the segment nearest to the box.
    ///
    /// - Ties: the middle of all nearest places.
    /// - Source: the squared distance is convex along the segment and quadratic between the places
    ///   where the segment crosses the planes of the box's faces, so its derivative is a rising
    ///   polyline whose zero is bracketed by two of these places.
    pub(super) fn nearest(&self) -> Nearest {
        let along = self.along;
        // Movement below the rounding of the coordinates counts as none, so that a segment that
        // is parallel to a face up to rounding does not slide to one of its ends.
        let still = tolerance::TIE * self.size;
        let moving =
            DVec3::from_array(along.to_array().map(|v| if v.abs() <= still { 0.0 } else { v }));
        let slope = |share: f64| self.excess(self.at(share)).dot(moving);
        let (at_start, at_end) = (slope(0.0), slope(1.0));
        if at_start > 0.0 || at_end < 0.0 {
            let share = if at_start > 0.0 { 0.0 } else { 1.0 };
            return Nearest { share, excess: self.excess(self.at(share)) };
        }
        // Brackets of the first and the last zero of the derivative.
        let (mut low, mut low_slope) = (0.0, at_start);
        let (mut high, mut high_slope) = (1.0, at_end);
        let (mut first_zero, mut last_zero) = (1.0_f64, 0.0_f64);
        let mut note = |share: f64, slope: f64| {
            if slope < 0.0 && share >= low {
                (low, low_slope) = (share, slope);
            } else if slope > 0.0 && share <= high {
                (high, high_slope) = (share, slope);
            } else if slope.abs() <= 0.0 {
                first_zero = first_zero.min(share);
                last_zero = last_zero.max(share);
            }
        };
        note(0.0, at_start);
        note(1.0, at_end);
        for i in 0..3 {
            for side in [-self.half[i], self.half[i]] {
                let share = (side - self.start[i]) / moving[i];
                if share > 0.0 && share < 1.0 {
                    note(share, slope(share));
                }
            }
        }
        let share = if first_zero <= last_zero {
            0.5 * (first_zero + last_zero)
        } else {
            low + (high - low) * (low_slope / (low_slope - high_slope))
        };
        Nearest { share, excess: self.excess(self.at(share)) }
    }

    /// The direction between the nearest points, or that at right angles to the segment, if one of
    /// them lies between its ends and so the two are parted by more: on a long segment rounding
    /// tilts the one, and beside a long box a segment that is short or level tilts the other.
    pub(super) fn upright(&self, direction: DVec3, nearest: &Nearest) -> DVec3 {
        let along = self.along.normalize_or_zero();
        let tilt = along.dot(direction);
        if nearest.share > 0.0 && nearest.share < 1.0 && tilt.abs() > tolerance::TILT {
            let upright = (direction - along * tilt).normalize_or(direction);
            if self.parted(upright) > self.parted(direction) { upright } else { direction }
        } else {
            direction
        }
    }

    /// Signed distance along a unit vector from the segment to the box.
    pub(super) fn parted(&self, normal: DVec3) -> f64 {
        let end = self.start + self.along;
        -self.half.dot(normal.abs()) - normal.dot(self.start).max(normal.dot(end))
    }

    /// The part of the segment between the box's face planes of the axes in `axes`; `None` where
    /// there is none even up to rounding.
    pub(super) fn between(&self, axes: &[usize]) -> Option<(f64, f64)> {
        let still = tolerance::TIE * self.size;
        self.between_planes(axes, 0.0).or_else(|| self.between_planes(axes, still))
    }

    fn between_planes(&self, axes: &[usize], slack: f64) -> Option<(f64, f64)> {
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for &i in axes {
            let (from, by, half) = (self.start[i], self.along[i], self.half[i] + slack);
            if by.abs() <= tolerance::TIE * self.size {
                if from.abs() > half {
                    return None;
                }
                continue;
            }
            let (enter, leave) = ((-half - from) / by, (half - from) / by);
            low = low.max(enter.min(leave));
            high = high.min(enter.max(leave));
        }
        (low <= high).then_some((low, high))
    }
}

/// An axis on which the segment and the box overlap least.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    /// 0 to 2 for the box's faces, 3 to 5 for its edges against the segment.
    pub(super) index: usize,
    /// Signed distance of the segment and the box along the axis.
    pub(super) separation: f64,
    /// Unit, from the segment to the box.
    pub(super) normal: DVec3,
}

impl Core {
    /// The axis of largest signed separation.
    ///
    /// - Ties: faces before edges, x before y before z, + before -.
    pub(super) fn best(&self) -> Best {
        let centre = self.at(0.5);
        let tie = tolerance::TIE * self.size;
        let toward_box = |along: f64, axis: DVec3| if along > 0.0 { -axis } else { axis };
        let mut best = Best { index: 0, separation: f64::NEG_INFINITY, normal: DVec3::X };
        for i in 0..3 {
            let here = centre[i].abs() - 0.5 * self.along[i].abs() - self.half[i];
            if here > best.separation + tie {
                let normal = toward_box(centre[i], DVec3::AXES[i]);
                best = Best { index: i, separation: here, normal };
            }
        }
        for i in 0..3 {
            let axis = DVec3::AXES[i].cross(self.along);
            let length = axis.length();
            let across = axis.dot(centre);
            let here = across.abs() - self.half.dot(axis.abs());
            // The projection of a nearly parallel edge is all rounding.
            let error = tie * (length + self.along.length());
            if length > 0.0 && here - error > best.separation * length {
                let normal = toward_box(across, axis / length);
                best = Best { index: 3 + i, separation: here / length, normal };
            }
        }
        best
    }

    /// Whether the segment certainly goes into the box: it overlaps on every axis by more than
    /// rounding, of which `error` is the bound for a place.
    pub(super) fn goes_in(&self, error: f64) -> bool {
        let centre = self.at(0.5);
        let reach = 0.5 * self.along.abs() + self.half;
        let overlaps_beside = |axis: &DVec3| {
            let across = axis.cross(self.along);
            let here = across.dot(centre).abs() - self.half.dot(across.abs());
            // The direction of the segment is within the same share of its length.
            here < -error * (across.length() + self.along.length())
        };
        (centre.abs() - reach).max_element() < -error && DVec3::AXES.iter().all(overlaps_beside)
    }

    /// The place on the segment that the axis makes touch the box last.
    pub(super) fn deepest(&self, best: &Best) -> f64 {
        let rise = self.along.dot(best.normal);
        let tie = tolerance::TIE * self.size;
        if best.index >= 3 {
            return self.crossing(best);
        }
        let others = [(best.index + 1) % 3, (best.index + 2) % 3];
        let (low, high) = self.between(&others).unwrap_or((0.0, 1.0));
        if rise.abs() <= tie {
            return 0.5 * (low + high);
        }
        // The lower end, which lies over the face but for rounding.
        if rise > 0.0 { high } else { low }
    }

    /// Where the segment passes the supporting edge of the box, as seen along the normal.
    fn crossing(&self, best: &Best) -> f64 {
        let i = best.index - 3;
        let (m, n) = ((i + 1) % 3, (i + 2) % 3);
        // Off the edge's own direction the segment meets the edge where it meets its two planes;
        // the component along the faster one is the better conditioned.
        let k = if self.along[m].abs() >= self.along[n].abs() { m } else { n };
        let edge = if best.normal[k] > 0.0 { -self.half[k] } else { self.half[k] };
        let on_segment = edge - best.normal[k] * best.separation;
        // Beside the edge, but for rounding.
        let (low, high) = self.between(&[i]).unwrap_or((0.0, 1.0));
        ((on_segment - self.start[k]) / self.along[k]).clamp(low, high)
    }
}
