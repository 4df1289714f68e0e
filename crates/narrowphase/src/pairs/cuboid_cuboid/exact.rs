//! The fifteen axes of two boxes without rounding.

use std::array;
use std::cmp::Ordering;

use impinge_shapes::Cuboid;
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::glam::Vec3;

use super::axes::{EDGES, after, edges};
use crate::Relative;

/// Two boxes in the world; every axis is multiplied by both quaternions' squared lengths, which
/// makes all projections polynomials in the inputs.
pub(super) struct ExactBoxes {
    half_a: [Exact; 3],
    half_b: [Exact; 3],
    centre: ExactVec3,
    a: ExactRotation,
    b: ExactRotation,
    /// `cosines[i][j]` of A's axis `i` and B's axis `j`.
    cosines: [[Exact; 3]; 3],
}

impl ExactBoxes {
    pub(super) fn new(a: &Cuboid, b: &Cuboid, b_in_a: &Relative) -> Self {
        crate::common::passed_on!(Room);
        let (pose_a, pose_b) = (b_in_a.pose_a(), b_in_a.pose_b());
        let rotation_a = ExactRotation::from(pose_a.rotation());
        let rotation_b = ExactRotation::from(pose_b.rotation());
        let cosines = array::from_fn(|i| {
            array::from_fn(|j| rotation_a.columns[i].dot(&rotation_b.columns[j]).abs())
        });
        Self {
            half_a: a.half_extents().to_array().map(Exact::from),
            half_b: b.half_extents().to_array().map(Exact::from),
            centre: ExactVec3::from(pose_b.position()).minus(&pose_a.position().into()),
            a: rotation_a,
            b: rotation_b,
            cosines,
        }
    }

    /// Axis `index` in the world.
    fn direction(&self, index: usize) -> ExactVec3 {
        match index {
            0..3 => self.a.columns[index].scale(&self.b.norm),
            3..EDGES => self.b.columns[index - 3].scale(&self.a.norm),
            _ => {
                let (i, j) = edges(index);
                self.a.columns[i].cross(&self.b.columns[j])
            }
        }
    }

    /// Sum of the two projected half lengths.
    fn reach(&self, index: usize) -> Exact {
        let c = &self.cosines;
        let times = |h: &Exact, c: &Exact| h.clone() * c.clone();
        let norm = || self.a.norm.clone() * self.b.norm.clone();
        match index {
            0..3 => {
                let b: [Exact; 3] = array::from_fn(|j| times(&self.half_b[j], &c[index][j]));
                b.into_iter().fold(times(&self.half_a[index], &norm()), |sum, x| sum + x)
            }
            3..EDGES => {
                let j = index - 3;
                let a: [Exact; 3] = array::from_fn(|i| times(&self.half_a[i], &c[i][j]));
                a.into_iter().fold(times(&self.half_b[j], &norm()), |sum, x| sum + x)
            }
            _ => {
                let (i, j) = edges(index);
                let ((m, n), (k, l)) = (after(i), after(j));
                times(&self.half_a[m], &c[n][j])
                    + times(&self.half_a[n], &c[m][j])
                    + times(&self.half_b[k], &c[i][l])
                    + times(&self.half_b[l], &c[i][k])
            }
        }
    }

    /// How the two projections lie on axis `index`: `Greater` apart, `Equal` touching, `Less`
    /// overlapping. `None` where the axis is exactly zero and says nothing.
    pub(super) fn separation(&self, index: usize) -> Option<Ordering> {
        let direction = self.direction(index);
        let order = direction.dot(&self.centre).abs().cmp(&self.reach(index));
        let silent = order == Ordering::Equal && direction.length_squared() == Exact::ZERO;
        (!silent).then_some(order)
    }

    /// When B's projection on axis `index` enters and leaves A's while B moves.
    pub(super) fn passage(&self, index: usize, motion: Vec3) -> Passage {
        let direction = self.direction(index);
        let zero = direction.length_squared() == Exact::ZERO;
        let centre = direction.dot(&self.centre);
        let speed = direction.dot(&motion.into());
        let reach = self.reach(index);
        let order = centre.abs().cmp(&reach);
        // Mirrored so that B moves upward.
        let centre = if speed.sign() == Ordering::Less { -centre } else { centre };
        Passage {
            touches: order == Ordering::Equal && !zero,
            inward: centre.sign() == Ordering::Less && speed.sign() != Ordering::Equal,
            apart: order == Ordering::Greater,
            entry: -reach.clone() - centre.clone(),
            exit: reach - centre,
            speed: speed.abs(),
        }
    }
}

/// B's way along one axis, as fractions of the motion over the common denominator `speed`.
pub(super) struct Passage {
    /// The projections touch at the start; never for an axis of zero length.
    pub(super) touches: bool,
    /// B's centre comes nearer to A's.
    pub(super) inward: bool,
    /// The projections are apart at the start.
    pub(super) apart: bool,
    /// Numerator of the fraction at which the projections meet.
    pub(super) entry: Exact,
    /// Numerator of the fraction at which they part.
    pub(super) exit: Exact,
    /// Zero or positive.
    pub(super) speed: Exact,
}
