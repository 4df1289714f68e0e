//! Rays and points against one triangle given by its corners: a triangle shape, or one of many
//! that share a frame.

use std::cell::OnceCell;
use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::crossing::{Found, Limits, Pass};
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector, normal_components, quotient};
use crate::local::{LocalPoint, LocalRay};
use crate::pose::rotation_of;
use crate::ray::StartedInside;
use crate::tracked::Tracked;
use crate::{Pose, Ray, ShapeRayHit, round, tolerance};

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacetHit {
    /// The origin lies on the triangle.
    pub(crate) started_inside: bool,
    /// Along the unit direction.
    pub(crate) distance: f64,
    /// In the shape's frame, of any length; none where the hit counts as one from within.
    normal: Option<DVec3>,
    /// Weights of the corners at the point hit, each within [`tolerance::REPORTED`].
    weights: [f64; 3],
}

/// One ray against many triangles of one shape: what depends on the ray alone is computed once.
#[derive(Debug)]
pub(crate) struct FacetRay<'a> {
    pose: &'a Pose,
    ray: &'a Ray,
    limits: Limits,
    rough: RoughRay,
    /// Made when the first triangle needs it.
    approx: OnceCell<LocalRay<Approx>>,
    /// The same.
    tracked: OnceCell<LocalRay<Tracked>>,
    /// The same.
    exact: OnceCell<LocalRay<Exact>>,
}

impl<'a> FacetRay<'a> {
    #[inline(always)]
    pub(crate) fn new(pose: &'a Pose, ray: &'a Ray, limits: Limits) -> Self {
        let rough = RoughRay::new(pose, ray);
        let (approx, tracked, exact) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { pose, ray, limits, rough, approx, tracked, exact }
    }

    /// The ray's origin and direction in the shape's frame, each off by no more than
    /// [`tolerance::PLAIN`] says.
    #[inline(always)]
    pub(crate) fn local(&self) -> (DVec3, DVec3) {
        let per = 1.0 / self.rough.norm;
        (self.rough.from * per, self.rough.direction * per)
    }

    /// What the ray may hit, and where it may hit it.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Where the ray meets the triangle of these corners, which are in the shape's frame.
    pub(crate) fn cast(&self, corners: &[Vec3; 3]) -> Option<FacetHit> {
        self.cast_within(corners, self.limits.max_distance)
    }

    /// As [`FacetRay::cast`], but what is certainly farther than a distance within the limits may be
    /// left out.
    pub(crate) fn cast_within(&self, corners: &[Vec3; 3], most: Option<f64>) -> Option<FacetHit> {
        match self.rough.probe(corners, &self.limits, most) {
            Some(found) => found,
            None => self.cast_carefully(corners),
        }
    }

    #[inline(never)]
    fn cast_carefully(&self, corners: &[Vec3; 3]) -> Option<FacetHit> {
        self.approx()
            .probe(corners, &self.limits)
            .or_else(|| self.tracked().probe(corners, &self.limits))
            .or_else(|| self.exact().probe(corners, &self.limits))
            .flatten()
    }

    /// Where the ray leaves the triangle, which it meets; the limits must hit the boundary from
    /// within.
    pub(crate) fn leave(&self, corners: &[Vec3; 3]) -> Option<Pass> {
        let Pass { distance, normal } = self
            .approx()
            .leave(corners, &self.limits)
            .or_else(|| self.tracked().leave(corners, &self.limits))
            .or_else(|| self.exact().leave(corners, &self.limits))
            .flatten()?;
        Some(Pass { distance, normal: self.pose.rotation_matrix() * normal })
    }

    /// The hit in the world.
    pub(crate) fn found(&self, facet: &FacetHit) -> Found {
        let FacetHit { started_inside, distance, .. } = *facet;
        match facet.normal {
            None => Found::Inside,
            Some(normal) => {
                // Times the squared length of the quaternion, because it may have any length.
                let normal = self.pose.scaled_rotation().0 * normal;
                Found::Boundary { started_inside, distance, normal }
            }
        }
    }

    /// The hit in f32; each number is rounded once.
    pub(crate) fn hit(&self, facet: &FacetHit) -> Option<ShapeRayHit> {
        let weights = facet.weights.map(|weight| round::nearest(weight.clamp(0.0, 1.0) + 0.0));
        let hit = self.found(facet).hit(self.ray, &self.limits)?;
        Some(ShapeRayHit { barycentric: Some(weights), ..hit })
    }

    fn approx(&self) -> &LocalRay<Approx> {
        self.approx.get_or_init(|| LocalRay::new(self.pose, self.ray))
    }

    fn tracked(&self) -> &LocalRay<Tracked> {
        self.tracked.get_or_init(|| LocalRay::new(self.pose, self.ray))
    }

    fn exact(&self) -> &LocalRay<Exact> {
        self.exact.get_or_init(|| LocalRay::new(self.pose, self.ray))
    }
}

impl<N: Number> LocalPoint<N> {
    /// Whether the point lies on the triangle; `None` where rounding hides it.
    ///
    /// - Degenerate: without a normal the triangle is the union of its edges.
    pub(crate) fn is_on(&self, corners: &[Vec3; 3]) -> Option<bool> {
        let [a, b, c] = *corners;
        let normal = Vector::between(a, b).cross(&Vector::between(a, c));
        let to = corners.map(|corner| self.to(corner));
        if to[0].dot(&normal).known_sign()? != Ordering::Equal {
            return Some(false);
        }
        let flat = !is_zero(&normal)?;
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let moment = to[i].cross(&to[j]);
            if flat && moment.dot(&normal).known_sign()? == Ordering::Less {
                return Some(false);
            }
            let between = !flat && is_zero(&moment)?;
            if between && to[i].dot(&to[j]).known_sign()? != Ordering::Greater {
                return Some(true);
            }
        }
        Some(flat)
    }
}

/// A place where a line in the triangle's plane touches an edge: `at / speed` along the line.
#[derive(Clone, Debug)]
struct Touch<N> {
    at: N,
    /// Positive.
    speed: N,
    weights: [f64; 3],
}

impl<N: Number> Touch<N> {
    fn is_before(&self, other: &Self) -> Option<bool> {
        let [own, others] = [self.at.times(&other.speed), other.at.times(&self.speed)];
        Some(own.compared(&others)? == Ordering::Less)
    }

    fn is_beyond(&self, max: Option<f64>) -> Option<bool> {
        let Some(max) = max else { return Some(false) };
        Some(self.at.compared(&self.speed.times(&N::new(max)))? == Ordering::Greater)
    }

    fn distance(&self) -> Option<f64> {
        quotient(&self.at, &self.speed)
    }
}

impl<N: Number> LocalRay<N> {
    /// Where the ray meets the triangle; the outer `None` where rounding hides it.
    ///
    /// With `p` from the origin to the first corner and `n` the normal `(b - a) × (c - a)`, the
    /// ray's line meets the plane at `p·n / d·n`, and the weights there are the volumes that `d`
    /// spans with each edge and `p`, over their sum, which is `d·n`.
    ///
    /// - Source: Möller and Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection* (1997),
    ///   without the division; all three weights are tested for their sign.
    pub(crate) fn probe(&self, corners: &[Vec3; 3], limits: &Limits) -> Option<Option<FacetHit>> {
        let [a, b, c] = *corners;
        let (ab, ca) = (Vector::between(a, b), Vector::between(c, a));
        let normal = ca.cross(&ab);
        let speed = self.direction.dot(&normal);
        let facing = speed.known_sign()?;
        if limits.cull_back_faces && facing != Ordering::Less {
            return Some(None);
        }
        let to_a = self.start.to(a);
        let height = to_a.dot(&normal);
        let ahead = height.known_sign()?;
        if facing == Ordering::Equal {
            return if ahead == Ordering::Equal {
                self.probe_in_plane(corners, limits)
            } else {
                Some(None)
            };
        }
        let moment = self.direction.cross(&to_a);
        let (of_b, of_c) = (ca.dot(&moment), ab.dot(&moment));
        let whole = speed.times(&self.start.norm);
        let weights = [whole.minus(&of_b).minus(&of_c), of_b, of_c];
        for weight in &weights {
            let sign = weight.known_sign()?;
            if sign != facing && sign != Ordering::Equal {
                return Some(None);
            }
        }
        let inside = ahead == Ordering::Equal;
        if (!inside && ahead != facing) || (inside && limits.started_inside == StartedInside::Skip)
        {
            return Some(None);
        }
        if let Some(max) = limits.max_distance
            && height.compared(&speed.times(&N::new(max)))? == facing
        {
            return Some(None);
        }
        let [of_a, of_b, of_c] = &weights;
        let weights = [share(of_a, &whole)?, share(of_b, &whole)?, share(of_c, &whole)?];
        let within = inside && limits.started_inside == StartedInside::Hit;
        let normal = if within {
            None
        } else {
            let outward = direction(&normal)?;
            // Against a ray that comes, along one that leaves.
            Some(if (facing == Ordering::Less) == inside { -outward } else { outward })
        };
        let distance = if inside { 0.0 } else { quotient(&height, &speed)? };
        Some(Some(FacetHit { started_inside: inside, distance, normal, weights }))
    }

    /// Where a ray whose line lies in the triangle's plane meets the triangle, or any ray a
    /// triangle without a normal.
    fn probe_in_plane(&self, corners: &[Vec3; 3], limits: &Limits) -> Option<Option<FacetHit>> {
        let Some((near, far)) = self.touches(corners)? else { return Some(None) };
        if far.at.known_sign()? == Ordering::Less {
            return Some(None);
        }
        let inside = near.at.known_sign()? != Ordering::Greater;
        let (touch, direction) = match (inside, limits.started_inside) {
            (true, StartedInside::Skip) => return Some(None),
            (true, StartedInside::Hit) => {
                let (before, behind) = (near.distance()?, far.distance()?);
                let step = if before < behind { -before / (behind - before) } else { 0.0 };
                let mixed = |i: usize| near.weights[i] * (1.0 - step) + far.weights[i] * step;
                let weights = std::array::from_fn(mixed);
                let hit = FacetHit { started_inside: true, distance: 0.0, normal: None, weights };
                return Some(Some(hit));
            }
            (true, StartedInside::Exit) => (far, self.direction.value()),
            (false, _) => (near, -self.direction.value()),
        };
        if touch.is_beyond(limits.max_distance)? {
            return Some(None);
        }
        Some(Some(FacetHit {
            started_inside: inside,
            distance: touch.distance()?,
            normal: Some(direction),
            weights: touch.weights,
        }))
    }

    /// Where a ray that meets the triangle leaves it, with a normal in the shape's frame; the outer
    /// `None` where rounding hides it.
    ///
    /// `limits` hit the boundary from within.
    fn leave(&self, corners: &[Vec3; 3], limits: &Limits) -> Option<Option<Pass>> {
        let [a, b, c] = *corners;
        let normal = Vector::between(a, b).cross(&Vector::between(a, c));
        if self.direction.dot(&normal).known_sign()? != Ordering::Equal {
            let hit = self.probe(corners, limits)?;
            return Some(hit.and_then(|FacetHit { distance, normal, .. }| {
                Some(Pass { distance, normal: -normal? })
            }));
        }
        match self.touches(corners)? {
            Some((_, far)) if !far.is_beyond(limits.max_distance)? => {
                let (distance, normal) = (far.distance()?, self.direction.value());
                Some(Some(Pass { distance, normal }))
            }
            _ => Some(None),
        }
    }

    /// The first and the last touch of the ray's whole line with the three edges.
    ///
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.8, two lines that meet.
    fn touches(&self, corners: &[Vec3; 3]) -> Option<Option<(Touch<N>, Touch<N>)>> {
        let mut ends: Option<(Touch<N>, Touch<N>)> = None;
        let mut offer = |touch: Touch<N>| {
            ends = Some(match ends.take() {
                None => (touch.clone(), touch),
                Some((near, far)) => {
                    let first = touch.is_before(&near)?;
                    let last = far.is_before(&touch)?;
                    (if first { touch.clone() } else { near }, if last { touch } else { far })
                }
            });
            Some(())
        };
        let d = &self.direction;
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let (from, edge) = (self.start.to(corners[i]), Vector::between(corners[i], corners[j]));
            let (across, moment) = (d.cross(&edge), from.cross(d));
            let scale = across.length_squared();
            let mut weights = [0.0; 3];
            if scale.known_sign()? == Ordering::Equal {
                // The edge lies along the line, or beside it.
                if is_zero(&moment)? {
                    for (corner, from) in [(i, from), (j, self.start.to(corners[j]))] {
                        let mut weights = weights;
                        weights[corner] = 1.0;
                        let (at, speed) = (from.dot(d), d.length_squared());
                        offer(Touch { at, speed, weights })?;
                    }
                }
            } else if from.dot(&across).known_sign()? == Ordering::Equal {
                let (along, whole) = (moment.dot(&across), self.start.norm.times(&scale));
                if along.known_sign()? != Ordering::Less && along.at_most(&whole)? {
                    weights[j] = share(&along, &whole)?;
                    weights[i] = 1.0 - weights[j];
                    let at = from.cross(&edge).dot(&across);
                    offer(Touch { at, speed: scale, weights })?;
                }
            }
        }
        Some(ends)
    }
}

fn is_zero<N: Number>(v: &Vector<N>) -> Option<bool> {
    for component in &v.0 {
        if component.known_sign()? != Ordering::Equal {
            return Some(false);
        }
    }
    Some(true)
}

/// The part `x` of the whole, in `[0, 1]`; `None` where the error exceeds
/// [`tolerance::REPORTED`] of the whole.
fn share<N: Number>(x: &N, whole: &N) -> Option<f64> {
    // By a reciprocal, which is worked out once for all three.
    let share = x.value() * (1.0 / whole.value());
    let error = x.error() + share.abs() * whole.error();
    let room = whole.value().abs() - whole.error();
    (error <= room * tolerance::REPORTED).then_some(share)
}

/// The vector's value; `None` where the error of its direction exceeds [`tolerance::REPORTED`].
fn direction<N: Number>(v: &Vector<N>) -> Option<DVec3> {
    let value = v.value();
    let largest = value.abs().max_element();
    (v.error() <= largest * tolerance::REPORTED).then_some(value)
}

/// A ray in a shape's frame in plain f64: the values of [`LocalRay`], to the bit.
///
/// A mesh asks about many triangles that the ray clearly misses, and most of the others are clearly
/// hit. They are found here by plain arithmetic with one error bound; whatever is not clear goes to
/// the filtered predicate, which costs several times as much.
#[derive(Clone, Copy, Debug)]
struct RoughRay {
    from: DVec3,
    direction: DVec3,
    norm: f64,
    /// Bounds on the magnitudes of a component of `from` and of `direction`.
    reach: f64,
    speed: f64,
}

impl RoughRay {
    #[inline(always)]
    fn new(pose: &Pose, ray: &Ray) -> Self {
        let (turn, norm) = rotation_of(normal_components(pose.rotation()));
        let arm = ray.origin().as_dvec3() - pose.translation();
        let way = ray.direction().as_dvec3();
        let [x, y, z] = [turn.x_axis, turn.y_axis, turn.z_axis];
        Self {
            from: DVec3::new(x.dot(arm), y.dot(arm), z.dot(arm)),
            direction: DVec3::new(x.dot(way), y.dot(way), z.dot(way)),
            norm,
            // An entry of the rotation is at most the norm, with its terms made positive.
            reach: norm * arm.abs().element_sum(),
            speed: norm * way.abs().element_sum(),
        }
    }

    /// What [`LocalRay::probe`] says of a ray that clearly misses the triangle, or is clearly beyond
    /// `most` there, and of one that clearly hits it from outside; `None` means nothing.
    ///
    /// - Error: with edges up to `e` a component, and `s = norm·|a| + reach` for a component of
    ///   the vector to the first corner, the magnitude of a cross product with an edge is at most
    ///   `2 s · speed · 3 e`, that of the normal's components `2 e²`, of `d·n` so `6 e² · speed`,
    ///   of the height `6 e² s`; [`tolerance::FILTER`] times the magnitudes bounds the errors.
    #[inline(always)]
    fn probe(
        &self,
        corners: &[Vec3; 3],
        limits: &Limits,
        most: Option<f64>,
    ) -> Option<Option<FacetHit>> {
        let [a, b, c] = corners.map(|corner| corner.as_dvec3());
        let (ab, ca) = (b - a, a - c);
        let to_a = a * self.norm - self.from;
        let edge = ab.abs().max(ca.abs()).max_element();
        let size = self.norm * a.abs().max_element() + self.reach;
        // Doubled for the roundings of the magnitudes themselves.
        let unit = 2.0 * tolerance::FILTER * 6.0 * edge;
        let normal = ca.cross(ab);
        let moment = self.direction.cross(to_a);
        let speed = self.direction.dot(normal);
        let (of_b, of_c) = (ca.dot(moment), ab.dot(moment));
        let whole = speed * self.norm;
        let of_a = whole - of_b - of_c;
        let error = unit * self.speed * (2.0 * size + self.norm * edge);
        // Which of them tell is anybody's guess: one branch for all.
        let any_above = (of_a > error) | (of_b > error) | (of_c > error);
        let any_below = (of_a < -error) | (of_b < -error) | (of_c < -error);
        if any_above & any_below {
            return Some(None);
        }
        let (pace, speed_error) = (speed.abs(), unit * edge * self.speed);
        if pace <= speed_error {
            return None;
        }
        let height = to_a.dot(normal);
        let ahead = height * speed.signum();
        let height_error = unit * edge * size;
        if ahead < -height_error
            || most.is_some_and(|max| ahead - height_error > max * (pace + speed_error))
            || (limits.cull_back_faces && speed > 0.0)
        {
            return Some(None);
        }
        let all_above = (of_a > error) & (of_b > error) & (of_c > error);
        let all_below = (of_a < -error) & (of_b < -error) & (of_c < -error);
        let least = pace - speed_error;
        let reached = limits.max_distance.is_none_or(|max| ahead + height_error < max * least);
        let inside = if speed > 0.0 { all_above } else { all_below };
        // As exact as they are reported: the shares, the distance and the normal.
        let distance = height / speed;
        let largest = normal.abs().max_element();
        let told = (error + 2.0 * speed_error * self.norm
            <= least * self.norm * tolerance::REPORTED)
            & (height_error + distance * speed_error <= distance * least * tolerance::REPORTED)
            & (unit * edge <= largest * tolerance::REPORTED);
        if !(inside & reached & told & (ahead > height_error)) {
            return None;
        }
        let per_whole = 1.0 / whole;
        Some(Some(FacetHit {
            started_inside: false,
            distance,
            normal: Some(if speed > 0.0 { -normal } else { normal }),
            weights: [of_a * per_whole, of_b * per_whole, of_c * per_whole],
        }))
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::RayOptions;

    #[test]
    fn what_is_clear_is_also_true_and_most_is_clear() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
        };
        let (mut clear, mut misses, mut hits, mut clear_hits) = (0, 0, 0, 0);
        for round in 0..20_000 {
            let mut vector = |scale: f32| Vec3::new(random(), random(), random()) * scale;
            let (origin, aim, at, axis) = (vector(4.0), vector(1.0), vector(9.0), vector(1.0));
            let corners = [vector(1.0), vector(1.0), vector(1.0)];
            let max_distance = if at.x > 0.0 { f32::INFINITY } else { 3.0 + aim.y };
            let pose = Pose::new(at, Quat::from_xyzw(axis.x, axis.y, axis.z, 0.3)).unwrap();
            let Ok(ray) = Ray::new(at + origin, aim - origin) else { continue };
            let limits = Limits::new(max_distance, &RayOptions::default()).unwrap();
            let rough = FacetRay::new(&pose, &ray, limits).rough;
            let exact = LocalRay::<Exact>::new(&pose, &ray).probe(&corners, &limits).unwrap();
            let said = rough.probe(&corners, &limits, limits.max_distance);
            assert!(
                said.is_none_or(|said| said.is_some() == exact.is_some()),
                "{round}: {corners:?} {pose:?} {ray:?}"
            );
            if let Some(Some(said)) = said {
                let approx = LocalRay::<Approx>::new(&pose, &ray).probe(&corners, &limits);
                let approx = approx.flatten().unwrap();
                let bits = |hit: &FacetHit| {
                    let normal = hit.normal.unwrap().to_array().map(f64::to_bits);
                    (hit.distance.to_bits(), normal, hit.weights.map(f64::to_bits))
                };
                assert_eq!(bits(&said), bits(&approx), "{round}: {corners:?} {pose:?} {ray:?}");
                clear_hits += 1;
            }
            clear += u32::from(said.is_some_and(|said| said.is_none()));
            misses += u32::from(exact.is_none());
            hits += u32::from(exact.is_some());
        }
        assert!(clear * 100 > misses * 99 && hits > 1000, "{clear} of {misses}, {hits}");
        assert!(clear_hits * 100 > hits * 99, "{clear_hits} of {hits}");
    }

    #[test]
    fn both_arithmetics_give_the_same_hit() {
        let ray = Ray::new(Vec3::new(0.1, 5.0, 0.2), Vec3::new(0.1, -1.0, 0.05)).unwrap();
        let pose = Pose::new(Vec3::X, Quat::from_xyzw(0.1, 0.3, -0.2, 0.9)).unwrap();
        let limits = Limits::new(f32::INFINITY, &RayOptions::default()).unwrap();
        let corners = [Vec3::new(-3.0, 0.5, -3.0), Vec3::new(5.0, 0.1, -2.0), Vec3::Z * 7.0];
        let approx = LocalRay::<Approx>::new(&pose, &ray).probe(&corners, &limits);
        let exact = LocalRay::<Exact>::new(&pose, &ray).probe(&corners, &limits);
        let (approx, exact) = (approx.flatten().unwrap(), exact.flatten().unwrap());
        assert!((approx.distance - exact.distance).abs() <= 1e-14 * exact.distance);
        for (a, b) in approx.weights.into_iter().zip(exact.weights) {
            assert!((a - b).abs() <= 1e-14 && b > 0.0, "{approx:?} {exact:?}");
        }
    }
}
