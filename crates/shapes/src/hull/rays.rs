//! Rays against hulls.

use std::cell::OnceCell;
use std::cmp::Ordering;

use glam::DVec3;

use super::ConvexHull;
use super::bounds::{FaceNormal, Local};
use super::clear::Clear;
use crate::crossing::{self, Found, Limits, Pass};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector, quotient};
use crate::ray::StartedInside;
use crate::tracked::Tracked;
use crate::{Pose, Ray, RayCrossings, RayOptions, ShapeRayHit, miss, tolerance};

/// A ray in the hull's frame, `norm` times as large.
struct Line<N> {
    start: Local<N>,
    step: Vector<N>,
}

/// Where a line meets the boundary of a half-space: its start lies `height` beyond it, which
/// grows with `slope`.
#[derive(Clone)]
struct Cut<N> {
    bound: usize,
    height: N,
    slope: N,
}

/// A ray and a hull. Whatever rounding hides is computed exactly, for the bounds concerned alone.
struct Cast<'a> {
    hull: &'a ConvexHull,
    pose: &'a Pose,
    ray: &'a Ray,
    approx: Line<Approx>,
    tracked: OnceCell<Line<Tracked>>,
    exact: OnceCell<Line<Exact>>,
}

impl<N: FaceNormal> Line<N> {
    fn new(pose: &Pose, ray: &Ray) -> Self {
        let start = Local::new(pose, ray.origin());
        let step = start.rotation.unrotate(&Vector::new(ray.direction()));
        Self { start, step }
    }

    #[inline]
    fn cut(&self, hull: &ConvexHull, index: usize) -> Cut<N> {
        let bound = hull.bound(index);
        let height = self.start.beyond(&bound);
        Cut { bound: index, height, slope: bound.normal.dot(&self.step) }
    }
}

impl<N: Number> Cut<N> {
    /// The place on the ray as a fraction of a positive denominator, of a slope that is not zero.
    fn fraction(&self, ascends: bool) -> (N, N) {
        if ascends {
            (self.height.negated(), self.slope.clone())
        } else {
            (self.height.clone(), self.slope.negated())
        }
    }
}

/// Compares `a / b` and `c / d` of positive denominators.
fn compare<N: Number>((a, b): &(N, N), (c, d): &(N, N)) -> Option<Ordering> {
    a.times(d).compared(&c.times(b))
}

impl<'a> Cast<'a> {
    fn new(hull: &'a ConvexHull, pose: &'a Pose, ray: &'a Ray) -> Self {
        let (tracked, exact) = (OnceCell::new(), OnceCell::new());
        Self { hull, pose, ray, approx: Line::new(pose, ray), tracked, exact }
    }

    fn tracked(&self, bound: usize) -> Cut<Tracked> {
        self.tracked.get_or_init(|| Line::new(self.pose, self.ray)).cut(self.hull, bound)
    }

    fn exact(&self, bound: usize) -> Cut<Exact> {
        self.exact.get_or_init(|| Line::new(self.pose, self.ray)).cut(self.hull, bound)
    }

    #[inline]
    fn height(&self, cut: &Cut<Approx>) -> Ordering {
        cut.height
            .known_sign()
            .or_else(|| self.tracked(cut.bound).height.known_sign())
            .unwrap_or_else(|| self.exact(cut.bound).height.sign())
    }

    #[inline]
    fn slope(&self, cut: &Cut<Approx>) -> Ordering {
        cut.slope
            .known_sign()
            .or_else(|| self.tracked(cut.bound).slope.known_sign())
            .unwrap_or_else(|| self.exact(cut.bound).slope.sign())
    }

    /// Compares the places of two cuts, each with whether its slope is positive.
    #[inline]
    fn compare(&self, a: (&Cut<Approx>, bool), b: (&Cut<Approx>, bool)) -> Ordering {
        if self.hull.dimension == 2 && a.0.bound < 2 && b.0.bound < 2 {
            return Ordering::Equal; // both faces of a polygon lie in one plane
        }
        let tracked =
            |(cut, ascends): (&Cut<Approx>, bool)| self.tracked(cut.bound).fraction(ascends);
        let exact = |(cut, ascends): (&Cut<Approx>, bool)| self.exact(cut.bound).fraction(ascends);
        compare(&a.0.fraction(a.1), &b.0.fraction(b.1))
            .or_else(|| compare(&tracked(a), &tracked(b)))
            .or_else(|| compare(&exact(a), &exact(b)))
            .unwrap_or(Ordering::Equal)
    }

    /// Whether the cut lies within the ray.
    fn is_reached(&self, cut: &Cut<Approx>, ascends: bool, max: Option<f64>) -> bool {
        let Some(max) = max else { return true };
        fn within<N: Number>(place: &(N, N), max: f64) -> Option<bool> {
            place.0.at_most(&place.1.times(&N::new(max)))
        }
        within(&cut.fraction(ascends), max)
            .or_else(|| within(&self.tracked(cut.bound).fraction(ascends), max))
            .or_else(|| within(&self.exact(cut.bound).fraction(ascends), max))
            .unwrap_or(false)
    }

    /// Whether the ray starts inside, the bound that it enters last unless it does, and the one
    /// that it leaves first; `None` for a miss.
    ///
    /// - Ties: the first bound.
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.8, with fractions compared
    ///   by products as in [`crate::slab`].
    #[expect(clippy::type_complexity, reason = "three answers of one walk over the bounds")]
    fn ends(&self) -> Option<(bool, Option<Cut<Approx>>, Option<Cut<Approx>>)> {
        let mut inside = true;
        let (mut entry, mut exit): (Option<Cut<Approx>>, Option<Cut<Approx>>) = (None, None);
        for index in 0..self.hull.bound_count() {
            let cut = self.approx.cut(self.hull, index);
            if self.height(&cut) == Ordering::Greater {
                inside = false;
                if self.slope(&cut) != Ordering::Less {
                    return None;
                }
                let later = |best| self.compare((&cut, false), (best, false)).is_gt();
                if entry.as_ref().is_none_or(later) {
                    entry = Some(cut);
                }
            } else if self.slope(&cut) == Ordering::Greater {
                let earlier = |best| self.compare((&cut, true), (best, true)).is_lt();
                if exit.as_ref().is_none_or(earlier) {
                    exit = Some(cut);
                }
            }
        }
        if let (Some(entry), Some(exit)) = (&entry, &exit)
            && self.compare((exit, true), (entry, false)).is_lt()
        {
            return None;
        }
        Some((inside, entry, exit))
    }

    /// What the ray finds.
    fn probe(&self, limits: &Limits) -> Found {
        let Some((inside, entry, exit)) = self.ends() else { return Found::Miss };
        let crossed = match (inside, limits.started_inside) {
            (true, StartedInside::Hit) => return Found::Inside,
            (true, StartedInside::Skip) => return Found::Miss,
            (true, StartedInside::Exit) => exit,
            (false, _) => entry,
        };
        self.crossing(crossed, inside, limits)
    }

    /// The crossing of a bound, if there is one within the ray.
    fn crossing(&self, crossed: Option<Cut<Approx>>, inside: bool, limits: &Limits) -> Found {
        match crossed.and_then(|cut| self.pass(&cut, inside, limits.max_distance)) {
            None => Found::Miss,
            Some(Pass { distance, normal }) => {
                Found::Boundary { started_inside: inside, distance, normal }
            }
        }
    }

    /// Where the ray passes the bound, unless it ends before.
    fn pass(&self, cut: &Cut<Approx>, leaving: bool, max: Option<f64>) -> Option<Pass> {
        fn distance<N: Number>((numerator, denominator): &(N, N)) -> Option<f64> {
            quotient(numerator, denominator)
        }
        if !self.is_reached(cut, leaving, max) {
            return None;
        }
        let distance = distance(&cut.fraction(leaving))
            .or_else(|| distance(&self.exact(cut.bound).fraction(leaving)));
        let normal = self.pose.rotation_matrix() * self.normal(cut.bound, leaving);
        Some(Pass { distance: distance.unwrap_or(0.0), normal })
    }

    /// The outward normal of a bound in the hull's frame, of any length.
    ///
    /// - Degenerate: what has no faces looks against the ray, along it where the ray leaves, a
    ///   segment straight across itself unless its end was hit.
    fn normal(&self, bound: usize, leaving: bool) -> DVec3 {
        /// `s × (s × d)`, where `d` is the ray and `s` the segment.
        fn across<N: Number>(along: &Vector<N>, step: &Vector<N>) -> Vector<N> {
            along.cross(&along.cross(step))
        }
        let hull = self.hull;
        if bound < hull.face_count() {
            return hull.normals[bound];
        }
        let side = if leaving { -1.0 } else { 1.0 };
        let line = || self.exact.get_or_init(|| Line::new(self.pose, self.ray));
        match (hull.dimension, bound) {
            (0, _) => -line().step.value() * side,
            (1, 0..4) => {
                let along = hull.bound::<Exact>(4).normal;
                across(&along, &line().step).value() * side
            }
            _ => hull.bound::<Exact>(bound).normal.value(),
        }
    }
}

impl ConvexHull {
    /// See [`Shape::raycast`](crate::Shape::raycast).
    ///
    /// - Normal: of the face that is entered last; a side of a polygon has its normal in the
    ///   polygon's plane.
    /// - Ties: the first face in the order of [`ConvexHull::faces`]; then the sides of a polygon.
    /// - Degenerate: a segment looks straight across itself, unless the ray runs along it and
    ///   meets its end; a point against the ray.
    /// - Cost: linear in the number of faces up to 64, and for rays that begin inside or pass an
    ///   edge within rounding; about the square root of it for others.
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let limits = Limits::new(max_distance, options)?;
        let (center, half) = self.local_box();
        if miss::clearly_around(pose, center, half, ray, max_distance) {
            return None;
        }
        let leaves = limits.started_inside == StartedInside::Exit;
        let walked = if self.dimension == 3 && self.face_count() > tolerance::HULL_SCAN {
            self.walk(pose, ray)
        } else {
            Clear::Nothing
        };
        let clear = match walked {
            Clear::Nothing => self.clear(pose, ray, leaves),
            clear => clear,
        };
        if clear == Clear::Miss {
            return None;
        }
        let cast = Cast::new(self, pose, ray);
        let found = match clear {
            Clear::Inside if limits.started_inside == StartedInside::Hit => Found::Inside,
            Clear::Inside | Clear::Miss => Found::Miss,
            Clear::Enters(face) => cast.crossing(Some(cast.approx.cut(self, face)), false, &limits),
            Clear::Leaves(face) => cast.crossing(Some(cast.approx.cut(self, face)), true, &limits),
            Clear::Nothing => cast.probe(&limits),
        };
        found.hit(ray, &limits)
    }

    /// See [`Shape::crossings`](crate::Shape::crossings).
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        let (center, half) = self.local_box();
        if miss::clearly_around(pose, center, half, ray, max_distance) {
            return RayCrossings::new();
        }
        let cast = Cast::new(self, pose, ray);
        crossing::crossings(
            ray,
            max_distance,
            |limits| Some(cast.probe(limits)),
            |max| cast.ends().and_then(|(_, _, exit)| cast.pass(&exit?, true, max)),
        )
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::super::tests::{Draw, cloud};
    use super::*;

    /// Zero, or anything from clearly off to far below what f64 can tell.
    fn nearly_zero(draw: &mut Draw) -> f32 {
        let size = 2.0_f32.powi(-i32::from(draw.below(70)));
        if draw.below(4) == 0 { 0.0 } else { draw.whole(100) / 100.0 * size }
    }

    fn near_origin(draw: &mut Draw) -> Vec3 {
        Vec3::new(nearly_zero(draw), nearly_zero(draw), nearly_zero(draw))
    }

    /// Hulls with a corner, edges and faces at the origin, near which everything happens.
    fn hulls(draw: &mut Draw) -> [ConvexHull; 3] {
        let lattice = (0..8_u8).map(|i| [i % 2, i / 2 % 2, i / 4].map(f32::from).into());
        [lattice.collect(), cloud(1, 20, draw), cloud(2, 60, draw)].map(|points: Vec<Vec3>| {
            let moved: Vec<Vec3> = points.iter().map(|&point| point - points[0]).collect();
            ConvexHull::new(&moved).unwrap()
        })
    }

    #[test]
    fn what_is_clear_is_also_true_and_most_is_clear() {
        let mut draw = Draw(9);
        let hulls = hulls(&mut draw);
        let mut kinds = [0; 5];
        for round in 0..20_000 {
            let hull = &hulls[round % 3];
            let turn = near_origin(&mut draw).extend(1.0);
            let pose = Pose::new(near_origin(&mut draw), Quat::from_vec4(turn)).unwrap();
            let direction = draw.lattice(2) + near_origin(&mut draw);
            let back = direction * draw.whole(2);
            let start = match draw.below(3) {
                0 => draw.cube(),
                1 => pose.transform_point(crate::round::nearest_vec(hull.center())),
                _ => pose.position(),
            };
            let Ok(ray) = Ray::new(start - back, direction) else { continue };
            let cast = Cast::new(hull, &pose, &ray);
            let context = format!("{round}: {:?} {pose:?} {ray:?}", hull.vertices());
            for started_inside in [StartedInside::Hit, StartedInside::Exit] {
                let options = RayOptions { started_inside, ..RayOptions::default() };
                let limits = Limits::new(f32::INFINITY, &options).unwrap();
                let leaves = started_inside == StartedInside::Exit;
                let (said, expected) =
                    (hull.clear(&pose, &ray, leaves), cast.probe(&limits).hit(&ray, &limits));
                let crossing = |face: usize, inside: bool| {
                    cast.crossing(Some(cast.approx.cut(hull, face)), inside, &limits)
                };
                let (kind, found) = match said {
                    Clear::Miss => (0, Found::Miss),
                    Clear::Inside => (1, Found::Inside),
                    Clear::Enters(face) => (2, crossing(face, false)),
                    Clear::Leaves(face) => (3, crossing(face, true)),
                    Clear::Nothing => (4, cast.probe(&limits)),
                };
                kinds[kind] += 1;
                assert_eq!(found.hit(&ray, &limits), expected, "{context} {said:?}");
            }
            if let Some(holds) = hull.clearly_contains(&pose, ray.origin()) {
                let limits = Limits::new(0.0, &RayOptions::default()).unwrap();
                let expected = matches!(cast.probe(&limits), Found::Inside);
                assert_eq!(holds, expected, "{context}");
            }
        }
        assert!(kinds.iter().all(|&n| n > 500) && kinds[4] < 20_000, "{kinds:?}");
    }

    #[test]
    fn walks_over_large_hulls_end_at_the_face_that_all_faces_tell() {
        let mut draw = Draw(21);
        let hulls = [(1, 300), (1, 2000), (2, 3000)].map(|(kind, count)| {
            let hull = ConvexHull::new(&cloud(kind, count, &mut draw)).unwrap();
            assert!(hull.face_count() > tolerance::HULL_SCAN, "{}", hull.face_count());
            hull
        });
        let mut kinds = [0; 3];
        for round in 0..3000 {
            let hull = &hulls[round % 3];
            let turn = (draw.cube() * 2.0).extend(1.0);
            let pose = Pose::new(draw.cube() * 4.0, Quat::from_vec4(turn)).unwrap();
            let count = u16::try_from(hull.vertices().len()).unwrap();
            let vertex = hull.vertices()[usize::from(draw.below(count))];
            // At corners, beside them, and anywhere.
            let target = match draw.below(3) {
                0 => vertex,
                1 => vertex + draw.cube() * 0.5,
                _ => crate::round::nearest_vec(hull.center()) + draw.cube(),
            };
            let start = pose.transform_point(draw.cube() * 8.0);
            let Ok(ray) = Ray::new(start, pose.transform_point(target) - start) else { continue };
            let cast = Cast::new(hull, &pose, &ray);
            let options = RayOptions::default();
            let limits = Limits::new(f32::INFINITY, &options).unwrap();
            let expected = cast.probe(&limits).hit(&ray, &limits);
            let context = format!("{round}: {pose:?} {ray:?}");
            match hull.walk(&pose, &ray) {
                Clear::Miss => {
                    kinds[0] += 1;
                    assert_eq!(None, expected, "{context}");
                }
                Clear::Enters(face) => {
                    kinds[1] += 1;
                    let entry = cast.crossing(Some(cast.approx.cut(hull, face)), false, &limits);
                    assert_eq!(entry.hit(&ray, &limits), expected, "{context}");
                }
                _ => kinds[2] += 1,
            }
            let found = hull.raycast(&pose, &ray, f32::INFINITY, &options);
            assert_eq!(found, expected, "{context}");
        }
        assert!(kinds.iter().all(|&n| n > 10) && kinds[2] < 100, "{kinds:?}");
    }
}
