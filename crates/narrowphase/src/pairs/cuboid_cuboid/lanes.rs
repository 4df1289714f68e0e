//! Two boxes, prepared side by side and finished one by one.
//!
//! The relative frame, the fifteen axes and the choice among them take the same steps for every
//! pair and go side by side. Clipping does not, and only the pairs in contact need it.

use impinge_shapes::glam::{DMat3, DVec3};
use impinge_shapes::{Cuboid, Pose, round};

use super::axes::{Best, Boxes};
use super::closest::separation_of;
use super::manifold::patch_of;
use super::survey::Survey;
use crate::real::{Mask, Placed, Real, Real3, Turn};
use crate::witness::room;
use crate::{Closest, Manifold, Relation};

/// The kind of pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CuboidCuboid;

room!(CuboidCuboid, Cuboid, Cuboid);

/// Numbers of a [`Prepared`] pair.
pub(crate) const ROWS: usize = 24;

/// What is the same work for every pair.
pub(crate) struct Prepared<R: Real> {
    /// The boxes are surely apart.
    pub(crate) apart: R::Mask,
    /// They surely penetrate.
    pub(crate) deep: R::Mask,
    /// The axis is not settled.
    pub(crate) short: R::Mask,
    /// The unit of the pair's errors.
    pub(crate) size: R,
    /// Signed separation along the best axis.
    pub(crate) separation: R,
    /// Number of the axis, its separation, B's centre, B's axes and A's, each as three vectors.
    pub(crate) rows: [R; ROWS],
}

/// Prepares pairs; those that are apart only if `all` says so.
#[inline(always)]
pub(crate) fn prepare<R: Real>(
    a: &Placed<R>,
    b: &Placed<R>,
    preference: f64,
    all: bool,
) -> Prepared<R> {
    let (turn_a, turn_b) = (Turn::of(a.rotation), Turn::of(b.rotation));
    let centre = turn_a.undo(b.position - a.position);
    let [x, y, z] = turn_b.columns;
    let (x, y, z) = (turn_a.undo(x), turn_a.undo(y), turn_a.undo(z));
    let list = |v: Real3<R>| [v.x, v.y, v.z];
    let boxes = Boxes {
        a: list(a.vector(0)),
        b: list(b.vector(0)),
        t: list(centre),
        r: [list(x), list(y), list(z)],
    };
    let survey = Survey::new(&boxes);
    let apart = survey.apart();
    let zero = centre.x.all(0.0);
    let [i, j, k] = turn_a.columns;
    let mut prepared = Prepared {
        apart,
        deep: zero.below(zero),
        short: zero.below(zero),
        size: survey.size,
        separation: zero,
        rows: [
            zero, zero, centre.x, centre.y, centre.z, x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z,
            i.x, i.y, i.z, j.x, j.y, j.z, k.x, k.y, k.z, zero,
        ],
    };
    if all || (!apart).any() {
        let found = survey.best(&boxes, preference);
        prepared.deep = survey.deep(&boxes);
        prepared.short = found.short;
        prepared.separation = found.separation;
        (prepared.rows[0], prepared.rows[1]) = (found.index, found.separation);
    }
    prepared
}

/// One prepared pair whose relation is known.
pub(crate) struct Settled {
    boxes: Boxes,
    best: Best,
    relation: Relation,
    world_from_a: DMat3,
    origin: DVec3,
}

impl Settled {
    /// The pair of these boxes whose rows are `rows`.
    pub(crate) fn new(
        a: &Cuboid,
        pose_a: &Pose,
        b: &Cuboid,
        relation: Relation,
        rows: &[f64; ROWS],
    ) -> Self {
        let vector = |k: usize| [rows[k], rows[k + 1], rows[k + 2]];
        let boxes = Boxes {
            a: a.half_extents().as_dvec3().to_array(),
            b: b.half_extents().as_dvec3().to_array(),
            t: vector(2),
            r: [vector(5), vector(8), vector(11)],
        };
        Self {
            best: boxes.named(rows[0], rows[1]),
            boxes,
            relation,
            world_from_a: DMat3::from_cols_array_2d(&[vector(14), vector(17), vector(20)]),
            origin: pose_a.translation(),
        }
    }

    /// What [`manifold`](crate::manifold) says of them.
    pub(crate) fn manifold(&self, margin: f64) -> Option<Manifold> {
        let patch = patch_of(&self.boxes, self.relation, &self.best, margin)?;
        Some(patch.in_world(&self.world_from_a, self.origin))
    }

    /// What [`closest`](crate::closest) says of them.
    pub(crate) fn closest(&self) -> Closest {
        let found = separation_of(&self.boxes, self.relation, &self.best);
        let world = |point: DVec3| round::nearest_vec(self.world_from_a * point + self.origin);
        Closest {
            distance: round::nearest(found.distance),
            normal: round::nearest_vec(self.world_from_a * found.normal),
            point_a: world(found.point_a),
            point_b: world(found.point_b),
            part_a: 0,
            part_b: 0,
        }
    }
}
