//! Rays through a tree of boxes: every triangle that the exact test could accept is found.

use std::ops::ControlFlow;

use fearless_simd::{Simd, f32x4, prelude::*};
use glam::{DVec3, Vec3};
use smallvec::SmallVec;

use super::tree::{Boxes, Tree, WIDTH, push_in_order};
use crate::crossing::{self, Limits};
use crate::facet::{FacetHit, FacetRay};
use crate::{
    Aabb, Pose, Ray, RayCrossing, RayCrossings, ShapeRayHit, at_baseline, round, tolerance,
};

/// One coordinate of a ray in the frame of a tree; numbers are the same in all lanes.
#[derive(Clone, Copy, Debug)]
struct Slab {
    /// Middle of the tree.
    center: [f32; WIDTH],
    /// The passing point relative to the middle, moved by the widening so that the ray enters
    /// earlier and leaves later.
    entering: [f32; WIDTH],
    leaving: [f32; WIDTH],
    /// Reciprocal of the direction; finite.
    slope: [f32; WIDTH],
    ascending: bool,
}

/// A ray in the frame of a tree in f32, or a box that goes along one, widened by all that rounding
/// may have moved it.
///
/// It is measured from where it passes the middle of the tree, so that its numbers have the size
/// of the tree however far away it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxRay {
    axes: [Slab; 3],
    /// Where the ray begins.
    pub(super) begin: f32,
    /// Distance from the ray's origin to the passing point.
    passing: f64,
}

impl BoxRay {
    /// `None` for a ray that has no point in the bounds.
    fn new(pose: &Pose, ray: &Ray, bounds: &Aabb) -> Option<Self> {
        let to_frame = pose.rotation_matrix().transpose();
        let arm = ray.origin().as_dvec3() - pose.translation();
        let (origin, direction) = (to_frame * arm, to_frame * ray.direction().as_dvec3());
        Self::of(origin, direction, DVec3::ZERO, arm.abs().element_sum(), bounds)
    }

    /// A box around a point that goes along a unit direction, in the frame of the tree; `size` is
    /// that of the numbers that the point was made of. `None` where it has no point in the bounds.
    ///
    /// - Error: with `s` the size of all that is added, a point of the ray is off by less than
    ///   [`tolerance::IN_FRAME`]` · s` in f64. In f32 a plane's place relative to the middle and
    ///   to the passing point, the quotient and the reciprocal are each within 2^-24, which moves
    ///   a plane by less than [`tolerance::BOX_TEST`] of the size of the tree and the box.
    pub(super) fn of(
        origin: DVec3,
        direction: DVec3,
        reach: DVec3,
        size: f64,
        bounds: &Aabb,
    ) -> Option<Self> {
        let center = bounds.center();
        let middle = center.as_dvec3();
        let half = (bounds.max().as_dvec3() - middle).max(middle - bounds.min().as_dvec3());
        let radius = half.element_sum() + reach.element_sum();
        let size = size + middle.abs().element_sum() + radius;
        let error = size * tolerance::IN_FRAME;
        let passing = (middle - origin).dot(direction) / direction.length_squared();
        let from = origin + direction * passing - middle;
        if from.length() > radius + error {
            return None;
        }
        let widening = reach + (radius * tolerance::BOX_TEST + error + tolerance::UNDERFLOW);
        // A direction that hardly moves along an axis may as well move a little more; then
        // nothing is divided by zero and no infinity is multiplied with one.
        let least = tolerance::LEAST_SLOPE;
        let slope = direction.to_array().map(|x| if x.abs() < least { least } else { x });
        let above = (from + widening).to_array().map(round::up);
        let below = (from - widening).to_array().map(round::down);
        let axis = |k: usize| {
            let ascending = slope[k] > 0.0;
            let (entering, leaving) =
                if ascending { (above[k], below[k]) } else { (below[k], above[k]) };
            Slab {
                center: [center[k]; WIDTH],
                entering: [entering; WIDTH],
                leaving: [leaving; WIDTH],
                slope: [round::nearest(1.0 / slope[k]); WIDTH],
                ascending,
            }
        };
        Some(Self { axes: [axis(0), axis(1), axis(2)], begin: round::down(-passing), passing })
    }

    /// A distance of the ray, from the passing point, rounded up.
    pub(super) fn end(&self, distance: f64) -> f32 {
        round::sum_up(distance, -self.passing)
    }

    /// For each lane where the ray enters the box at the latest, and whether it can meet the box
    /// at all before `end`.
    #[inline]
    pub(super) fn enter(&self, boxes: &Boxes, end: f32) -> ([f32; WIDTH], u8) {
        at_baseline!(simd => self.enter_lanes(simd, boxes, end))
    }

    #[inline(always)]
    fn enter_lanes<S: Simd>(&self, simd: S, boxes: &Boxes, end: f32) -> ([f32; WIDTH], u8) {
        let mut near = f32x4::splat(simd, self.begin);
        let mut far = f32x4::splat(simd, end);
        let load = |lanes: &[f32; WIDTH]| f32x4::from_slice(simd, lanes);
        for (slab, (lower, upper)) in self.axes.iter().zip(boxes.min.iter().zip(&boxes.max)) {
            let (first, last) = if slab.ascending { (lower, upper) } else { (upper, lower) };
            let (center, slope) = (load(&slab.center), load(&slab.slope));
            let first = ((load(first) - center) - load(&slab.entering)) * slope;
            let last = ((load(last) - center) - load(&slab.leaving)) * slope;
            // A NaN, of which there is none but in lanes without a box, loses.
            near = first.simd_gt(near).select(first, near);
            far = last.simd_lt(far).select(last, far);
        }
        let lanes = near.simd_le(far).to_bitmask();
        (near.into(), u8::try_from(lanes).unwrap_or(u8::MAX))
    }
}

/// Visits every triangle that the ray could meet, the nearer boxes first. `visit` answers with a
/// distance beyond which nothing matters any more.
fn walk<T: Tree>(
    tree: &T,
    pose: &Pose,
    ray: &Ray,
    max_distance: Option<f64>,
    mut visit: impl FnMut(u32, &[Vec3; 3]) -> Option<f64>,
) {
    let Some(box_ray) = BoxRay::new(pose, ray, tree.root_bounds()) else { return };
    let mut end = max_distance.map_or(f32::INFINITY, |max| box_ray.end(max));
    let mut stack = SmallVec::<[(f32, T::Link); tolerance::STACK]>::new();
    stack.push((box_ray.begin, tree.root()));
    let mut scratch = None;
    while let Some((near, link)) = stack.pop() {
        if near > end {
            continue;
        }
        if let Some(node) = tree.open(link, &mut scratch) {
            let (near, mut lanes) = box_ray.enter(&node.boxes, end);
            let first = stack.len();
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                push_in_order(&mut stack, first, (near[lane], node.links[lane]), |it| it.0);
            }
            continue;
        }
        let _ = tree.leaf(link, &mut |index, corners| {
            if let Some(max) = visit(index, corners) {
                end = end.min(box_ray.end(max));
            }
            ControlFlow::Continue(())
        });
    }
}

/// The closest hit of a ray on triangles that are offered one by one.
///
/// - Ties: the smallest distance in f32, then the smallest index.
#[derive(Debug)]
pub(crate) struct Closest<'a> {
    pub(crate) facets: FacetRay<'a>,
    best: Option<(f32, u32, FacetHit)>,
}

impl<'a> Closest<'a> {
    #[inline(always)]
    pub(crate) fn new(pose: &'a Pose, ray: &'a Ray, limits: Limits) -> Self {
        Self { facets: FacetRay::new(pose, ray, limits), best: None }
    }

    /// Looks at a triangle; if it is the closest so far, the answer is a distance beyond which
    /// nothing matters any more.
    #[inline(always)]
    pub(crate) fn offer(&mut self, index: u32, corners: &[Vec3; 3]) -> Option<f64> {
        let limits = self.facets.limits();
        // Whatever rounds to the least distance so far lies before the next number.
        let most = self.best.map(|(least, ..)| least.next_up().into()).or(limits.max_distance);
        let hit = self.facets.cast_within(corners, most)?;
        let distance = limits.reported(hit.distance);
        if let Some((least, at, _)) = self.best
            && (distance > least || (distance >= least && index > at))
        {
            return None;
        }
        self.best = Some((distance, index, hit));
        Some(distance.next_up().into())
    }

    /// All triangles of a tree that the ray could meet.
    #[inline(never)]
    pub(crate) fn offer_all<T: Tree>(&mut self, tree: &T, pose: &Pose, ray: &Ray) {
        let end = self.facets.limits().max_distance;
        walk(tree, pose, ray, end, |index, corners| self.offer(index, corners));
    }

    pub(crate) fn hit(&self) -> Option<ShapeRayHit> {
        let (_, part, hit) = self.best.as_ref()?;
        Some(ShapeRayHit { part: *part, ..self.facets.hit(hit)? })
    }
}

/// The closest hit of a ray on the triangles of a tree.
pub(crate) fn closest<T: Tree>(
    tree: &T,
    pose: &Pose,
    ray: &Ray,
    limits: Limits,
) -> Option<ShapeRayHit> {
    let mut closest = Closest::new(pose, ray, limits);
    closest.offer_all(tree, pose, ray);
    closest.hit()
}

/// The crossings of a ray with all triangles of a tree.
///
/// - Ties: the smallest distance in f32, then the smallest index, then the entry.
pub(crate) fn crossings<T: Tree>(
    tree: &T,
    pose: &Pose,
    ray: &Ray,
    max_distance: f32,
) -> RayCrossings {
    let mut all = RayCrossings::new();
    let Some(limits) = Limits::both_ways(max_distance) else { return all };
    let facets = FacetRay::new(pose, ray, limits);
    walk(tree, pose, ray, limits.max_distance, |part, corners| {
        let found = |_: &Limits| Some(facets.found(&facets.cast(corners)?));
        let of_part = crossing::crossings(ray, max_distance, found, |_| facets.leave(corners));
        all.extend(of_part.into_iter().map(|crossing| RayCrossing { part, ..crossing }));
        None
    });
    // Stable: what one triangle answers is in order already.
    all.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.part.cmp(&b.part)));
    all
}
