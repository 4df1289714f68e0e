//! Two boxes, prepared side by side and finished one by one, where [`super::side_by_side`] leaves
//! them open.

use impinge_shapes::glam::{DMat3, DVec3, Vec3};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Cuboid, round};
use smallvec::SmallVec;

use super::axes::{Best, Boxes};
use super::closest::separation_of;
use super::contact::Contact;
use super::manifold::meet;
use crate::real::{Placed, Real, Turn};
use crate::witness::room;
use crate::{Closest, ContactPoint, Relation};

/// The kind of pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CuboidCuboid;

room!(CuboidCuboid, Cuboid, Cuboid);

/// Numbers of a pair's frames.
pub(crate) const FRAMES: usize = 21;

/// B's centre and its axes in A's frame, and A's axes in the world's, each as three vectors.
#[inline(always)]
pub(crate) fn frames<R: Real>(a: &Placed<R>, b: &Placed<R>) -> [R; FRAMES] {
    let (turn_a, turn_b) = (Turn::of(a.rotation), Turn::of(b.rotation));
    let t = turn_a.undo(b.position - a.position);
    let [x, y, z] = turn_b.columns;
    // Not by `map`, which the lanes would leave.
    let (x, y, z) = (turn_a.undo(x), turn_a.undo(y), turn_a.undo(z));
    let [i, j, k] = turn_a.columns;
    [
        t.x, t.y, t.z, x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, i.x, i.y, i.z, j.x, j.y, j.z,
        k.x, k.y, k.z,
    ]
}

/// Room to work in, for one pair after the other.
pub(crate) struct Workroom(Contact);

impl Workroom {
    pub(crate) fn new(level: SimdLevel) -> Self {
        Self(Contact::none(level))
    }
}

/// A pair whose relation, frames and best axis are known.
pub(crate) struct Settled {
    boxes: Boxes,
    best: Best,
    relation: Relation,
    world_from_a: DMat3,
    origin: DVec3,
}

impl Settled {
    /// A pair of boxes, each by its place and half extents, whose frames are a lane of `rows`.
    ///
    /// `candidates` are the axes that may be the best, `slanted` whether edges may be so nearly
    /// parallel that their axis must be looked at by itself.
    #[inline(always)]
    pub(crate) fn new<const W: usize>(
        a: (DVec3, [f64; 3]),
        b: (DVec3, [f64; 3]),
        relation: Relation,
        frames: (&[[f64; W]; FRAMES], usize),
        (candidates, slanted): (u64, bool),
        preference: f64,
    ) -> Self {
        Self::with(a, b, relation, frames, |boxes| boxes.best_of(candidates, slanted, preference))
    }

    /// The same where the number of the best axis is known, and the signed distance along it.
    #[inline(always)]
    pub(crate) fn along<const W: usize>(
        a: (DVec3, [f64; 3]),
        b: (DVec3, [f64; 3]),
        relation: Relation,
        frames: (&[[f64; W]; FRAMES], usize),
        (index, separation): (usize, f64),
    ) -> Self {
        let best = |boxes: &Boxes| Best { index, separation, normal: boxes.unit_axis(index) };
        Self::with(a, b, relation, frames, best)
    }

    #[inline(always)]
    fn with<const W: usize>(
        (origin, a): (DVec3, [f64; 3]),
        (_, b): (DVec3, [f64; 3]),
        relation: Relation,
        (rows, lane): (&[[f64; W]; FRAMES], usize),
        best: impl FnOnce(&Boxes) -> Best,
    ) -> Self {
        let number = |k: usize| rows[k][lane % W];
        let vector = |k: usize| [number(k), number(k + 1), number(k + 2)];
        let boxes = Boxes { a, b, t: vector(0), r: [vector(3), vector(6), vector(9)] };
        Self {
            best: best(&boxes),
            boxes,
            relation,
            world_from_a: DMat3::from_cols_array_2d(&[vector(12), vector(15), vector(18)]),
            origin,
        }
    }

    /// What [`manifold`](crate::manifold) says of them: makes one with this normal, if there is
    /// any, and its points one after the other.
    ///
    /// Where it is kept, because a manifold is large and would be copied by wider loads than the
    /// stores that have just made it, which have to wait for each other.
    #[inline(always)]
    pub(crate) fn manifold<'m>(
        &self,
        margin: f64,
        Workroom(contact): &mut Workroom,
        make: impl FnOnce(Vec3) -> Option<&'m mut SmallVec<[ContactPoint; 4]>>,
    ) {
        let Some(meeting) = meet(&self.boxes, self.relation, &self.best, margin, contact) else {
            return;
        };
        let normal = round::nearest_vec(self.world_from_a * meeting.normal);
        let Some(points) = make(normal) else { return };
        meeting.each_point(&self.boxes, contact, |point| {
            points.push(point.in_world(&self.world_from_a, self.origin));
        });
    }

    /// What [`closest`](crate::closest) says of them.
    pub(crate) fn closest(&self, Workroom(contact): &mut Workroom) -> Closest {
        let found = separation_of(&self.boxes, self.relation, &self.best, contact);
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
