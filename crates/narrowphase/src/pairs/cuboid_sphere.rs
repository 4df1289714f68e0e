//! A box (A) and a sphere (B).

use std::cmp::Ordering;

use impinge_shapes::exact::{Exact, ExactVec3};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Cuboid, Sphere};

use crate::exact_pair::{
    ExactPair, certain, exact_difference, exact_length_squared, noise, relation_of, settle,
};
use crate::level::{self, Gap};
use crate::quadratic::ball_entry;
use crate::real::{Mask, Placed, Real, Real3, Turn, known_sum};
use crate::witness::{Round, Sides, Witness, room};
use crate::zonotope::Zonotope;
use crate::{FeatureId, Impact, Patch, Relation, Relative, Separation, tolerance};

/// The common case: touch out of reach of rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CuboidSphere;

room!(CuboidSphere, Cuboid, Sphere);

impl Round for CuboidSphere {
    const IN_TWOS: [bool; 2] = [true, true];

    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let (half, radius) = (a.vector(0), b.numbers[0]);
        let (zero, one) = (radius.all(0.0), radius.all(1.0));
        let (turn, per_norm) = Turn::shared(a.rotation);
        let center = turn.undo(b.position - a.position) * per_norm;
        let size = half.sum_abs() + center.sum_abs() + radius;
        let noise = size * one.all(tolerance::FRAME);
        let over = center.abs() - half;
        let most = over.x.most(over.y).most(over.z);
        // From the box's nearest point to the centre.
        let excess = Real3 {
            x: beyond(center.x, over.x),
            y: beyond(center.y, over.y),
            z: beyond(center.z, over.z),
        };
        let length = excess.dot(excess).sqrt();
        let outside = most.above(zero);
        let mut local = excess * (one / length);
        let mut height = length;
        if (!outside).any() {
            // The first of the nearest faces in the order +x -x +y -y +z -z.
            let x = most.at_most(over.x);
            let y = !x & most.at_most(over.y);
            let z = !(x | y);
            let face = Real3 {
                x: R::pick(x, side(center.x), zero),
                y: R::pick(y, side(center.y), zero),
                z: R::pick(z, side(center.z), zero),
            };
            local = Real3::pick(outside, local, face);
            height = R::pick(outside, length, most);
        }
        let mut distance = height - radius;
        let normal = turn.apply(local) * per_norm;
        let mut certain = distance.abs().above(noise);
        if (!certain).any() {
            over_face(a, b, over, noise).settle(&mut certain, &mut distance);
        }
        let (three, nine) = (one.all(3.0), one.all(9.0));
        Witness::at_ball(
            certain,
            distance,
            normal,
            (b.position, radius),
            digit(local.x) + three * digit(local.y) + nine * digit(local.z),
        )
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        // Everything times the squared length of the quaternion.
        let (turn, norm) = Turn::scaled(a.rotation);
        let (half, radius) = (a.vector(0) * norm, b.numbers[0] * norm);
        let (zero, center) = (radius.all(0.0), turn.undo(b.position - a.position));
        let over = center.abs() - half;
        let away = Real3 { x: over.x.most(zero), y: over.y.most(zero), z: over.z.most(zero) };
        let size = half.sum_abs() + center.sum_abs() + radius;
        let depth = -over.x.most(over.y).most(over.z);
        let sides = Sides::by_squares(away.dot(away), radius, size).or_inside(depth, size);
        if !(!sides.certain).any() {
            return sides;
        }
        let noise = size * size.all(tolerance::FRAME);
        over_face(a, b, over, noise).settle_sides(sides)
    }
}

/// The distance where the ball certainly is over a face across an axis of the world.
///
/// `over`: how far the centre is beyond the faces, times any factor, and within `noise` of that.
#[inline(always)]
fn over_face<R: Real>(a: &Placed<R>, b: &Placed<R>, over: Real3<R>, noise: R) -> Gap<R> {
    let (Turn { columns: [u, v, w] }, _) = Turn::scaled(a.rotation);
    let most = over.x.most(over.y).most(over.z);
    let (x, y) = (most.at_most(over.x), most.at_most(over.y));
    let of = |one: R, other: R, last: R| R::pick(x, one, R::pick(y, other, last));
    // Sums of two products of f32 numbers are zero in f64 only where they are zero.
    let leak = of(u.y.abs() + u.z.abs(), v.x.abs() + v.z.abs(), w.x.abs() + w.y.abs());
    let aside = of(over.y.most(over.z), over.x.most(over.z), over.x.most(over.y));
    let along = |v: Real3<R>| of(v.x, v.y, v.z);
    let (height, is_exact) = known_sum(along(b.position), -along(a.position));
    let known = level::is_zero(leak) & is_exact & aside.below(-noise);
    Gap { known, height: height.abs() }.less(along(a.vector(0))).less(b.numbers[0])
}

/// 1 on the positive side of 0 and at it, -1 on the other.
#[inline(always)]
fn side<R: Real>(at: R) -> R {
    R::pick(at.below(at.all(0.0)), at.all(-1.0), at.all(1.0))
}

/// Signed way from the box to a coordinate that lies beyond its side by `over`, 0 where negative.
#[inline(always)]
fn beyond<R: Real>(at: R, over: R) -> R {
    let away = over.most(over.all(0.0));
    R::pick(at.below(at.all(0.0)), -away, away)
}

/// Digit of a feature: 0 between the faces, 1 beyond the positive one, 2 beyond the negative one.
#[inline(always)]
fn digit<R: Real>(along: R) -> R {
    let (zero, one, two) = (along.all(0.0), along.all(1.0), along.all(2.0));
    R::pick(along.above(zero), one, R::pick(along.below(zero), two, zero))
}

/// The pair in f64, in the box's frame.
#[derive(Clone, Copy)]
struct Rounded {
    half: DVec3,
    center: DVec3,
    radius: f64,
    noise: f64,
}

impl Rounded {
    fn new(a: &Cuboid, b: &Sphere, center: DVec3) -> Self {
        let (half, radius) = (a.half_extents().as_dvec3(), f64::from(b.radius()));
        Self { half, center, radius, noise: noise([half, center], radius) }
    }

    /// From the box's nearest point to the centre; zero inside.
    fn beyond(&self) -> DVec3 {
        self.center - self.center.clamp(-self.half, self.half)
    }

    /// As [`surface`] tells it.
    fn height(&self) -> f64 {
        surface(self.half, self.center).0
    }

    fn separate(&self) -> Separation {
        let (height, normal) = surface(self.half, self.center);
        let distance = height - self.radius;
        let point_b = self.center - normal * self.radius;
        Separation { distance, normal, point_a: self.center - normal * height, point_b }
    }

    /// The separation where a centre that moves by `along` comes to touch: of several faces that are
    /// nearer than rounding shows one that it moves against.
    fn met(&self, along: DVec3) -> Separation {
        let mut found = self.separate();
        if found.normal.dot(along) <= 0.0 {
            return found;
        }
        // Both of a box that is thinner than that.
        let faces = [1.0, -1.0].into_iter().flat_map(|side| {
            let is_near =
                move |axis: usize| side * self.center[axis] - self.half[axis] >= -self.noise;
            (0..3).filter(move |&axis| is_near(axis)).map(move |axis| DVec3::AXES[axis] * side)
        });
        let against = faces.min_by(|p, q| p.dot(along).total_cmp(&q.dot(along)));
        if let Some(normal) = against.filter(|normal| normal.dot(along) < 0.0) {
            found.normal = normal;
        }
        found
    }
}

/// Distance of a point from the surface of a box of these half extents, negative inside, and the
/// unit normal there.
///
/// - Ties: inside, the first of the nearest faces in the order +x -x +y -y +z -z.
#[inline]
pub(crate) fn surface(half: DVec3, point: DVec3) -> (f64, DVec3) {
    let over = point.abs() - half;
    if over.max_element() > 0.0 {
        let beyond = point - point.clamp(-half, half);
        return (beyond.length(), beyond.normalize());
    }
    let axis = over.max_position();
    let mut normal = DVec3::ZERO;
    normal[axis] = if point[axis] >= 0.0 { 1.0 } else { -1.0 };
    (over[axis], normal)
}

/// How a box and a sphere lie to each other. Exact.
///
/// - Degenerate: a sphere of radius 0 touches the boundary and penetrates the inside, which a flat
///   box does not have.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.2.5: the centre clamped to the
///   box.
#[must_use]
pub fn relation(a: &Cuboid, b: &Sphere, b_in_a: &Relative) -> Relation {
    let rounded = Rounded::new(a, b, b_in_a.translation());
    let sign = certain(rounded.height() - rounded.radius, rounded.noise);
    relation_of(sign.unwrap_or_else(|| exact_compare(a, b, b_in_a)))
}

/// The centre's coordinates in the box's frame and the half extents, all times the same number.
fn exact_coordinates(pair: &ExactPair, a: &Cuboid) -> (ExactVec3, [Exact; 3]) {
    let center = pair.along_a(&pair.position_of_b());
    (center, a.half_extents().to_array().map(|half| pair.number_along_a(half)))
}

/// Compares the sum of the squared excesses with the squared radius, a polynomial of degree six.
#[cold]
pub(crate) fn exact_compare(a: &Cuboid, b: &Sphere, b_in_a: &Relative) -> Ordering {
    if let Some(found) = compare_unturned(a, b, b_in_a) {
        return found;
    }
    let pair = ExactPair::new(b_in_a);
    let (center, half) = exact_coordinates(&pair, a);
    let over: [Exact; 3] = std::array::from_fn(|i| center.0[i].abs() - half[i].clone());
    if b.radius() <= 0.0 {
        let most = over.iter().map(Exact::sign).max();
        return most.unwrap_or(Ordering::Equal);
    }
    let [x, y, z] = over.map(|over| over.positive_part().square());
    (x + y + z).cmp(&pair.number_along_a(b.radius()).square())
}

/// [`exact_compare`] for an unturned box, where f64 needs no rounding: spheres that touch boxes by
/// design mostly do so in such numbers.
fn compare_unturned(a: &Cuboid, b: &Sphere, b_in_a: &Relative) -> Option<Ordering> {
    if !b_in_a.pose_a().is_unrotated() || b.radius() <= 0.0 {
        return None;
    }
    let (position, other) = (b_in_a.pose_a().translation(), b_in_a.pose_b().translation());
    let center = exact_difference(other, position)?;
    let over = exact_difference(center.abs(), a.half_extents().as_dvec3())?;
    let distance = exact_length_squared(over.max(DVec3::ZERO))?;
    let radius = exact_length_squared(DVec3::X * f64::from(b.radius()))?;
    Some(distance.total_cmp(&radius))
}

/// Signed distance of a box and a sphere.
///
/// - Ties: a centre inside takes the nearest face, the first in the order +x -x +y -y +z -z.
/// - Error: the distance within 2^-44 of the sum of the coordinates; its sign is exact.
#[must_use]
pub fn closest(a: &Cuboid, b: &Sphere, b_in_a: &Relative) -> Separation {
    let rounded = Rounded::new(a, b, b_in_a.translation());
    let mut found = rounded.separate();
    found.distance = settle(found.distance, rounded.noise, || relation(a, b, b_in_a));
    found.point_a = found.point_b - found.normal * found.distance;
    found
}

/// The one contact point of a box and a sphere.
///
/// - Feature: the box's face, edge or corner: a digit per axis to base three, x first, 0 between
///   the faces, 1 beyond the positive one, 2 beyond the negative one.
#[must_use]
pub fn manifold(a: &Cuboid, b: &Sphere, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let found = closest(a, b, b_in_a);
    let digit = |along: f64| if along > 0.0 { 1 } else { 2 * u32::from(along < 0.0) };
    let n = found.normal;
    let feature = FeatureId(digit(n.x) + 3 * digit(n.y) + 9 * digit(n.z));
    (found.distance <= margin).then(|| Patch::single(&found, feature))
}

/// First touch of a box with a sphere that moves by `motion`. Exact yes/no, grazing counts.
///
/// - Error: never late; where the path grazes, early as accuracy.md says. At the fraction the two
///   touch within 2^-43 of the coordinates.
/// - Degenerate: a motion that is not finite moves nothing.
/// - Source: the centre's path against the rounded box. The squared distance is a quadratic of
///   the fraction between the planes of the box's faces, at most six places.
#[must_use]
pub fn sweep(a: &Cuboid, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let mut rounded = Rounded::new(a, b, b_in_a.translation());
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    rounded.noise += noise([along], 0.0);
    let at_start = relation(a, b, b_in_a);
    let fraction = match at_start {
        Relation::Penetrating => 0.0,
        Relation::Touching => leads_in(a, b, b_in_a, motion).then_some(0.0)?,
        Relation::Apart => {
            // The plane through the nearest point parts the two; mostly it does so all the way.
            let out = rounded.beyond();
            let length = out.length();
            let least = length + (out.dot(along) / length).min(0.0);
            if certain(least - rounded.radius, rounded.noise) == Some(Ordering::Greater) {
                return None;
            }
            let path = Path::new(&rounded, along);
            let sign = certain(path.least - rounded.radius, rounded.noise)
                .unwrap_or_else(|| exact_sweep(a, b, b_in_a, motion));
            if sign == Ordering::Greater {
                return None;
            }
            path.first.unwrap_or(path.nearest).clamp(0.0, 1.0)
        }
    };
    rounded.center += along * fraction;
    let overlaps = at_start == Relation::Penetrating;
    let found = if overlaps { rounded.separate() } else { rounded.met(along) };
    Some(Impact { fraction, normal: found.normal, point: found.point_a })
}

/// Whether a sphere that touches moves into the box. Exact.
fn leads_in(a: &Cuboid, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> bool {
    let pair = ExactPair::new(b_in_a);
    let (center, half) = exact_coordinates(&pair, a);
    let along = pair.along_a(&ExactVec3::from(motion));
    // How fast each coordinate leaves the box on the centre's side.
    let outward = |i: usize| match center.0[i].sign() {
        Ordering::Less => -along.0[i].clone(),
        _ => along.0[i].clone(),
    };
    let over = |i: usize| center.0[i].abs() - half[i].clone();
    if b.radius() <= 0.0 {
        let enters = |i: usize| {
            over(i).sign() == Ordering::Less
                || (half[i].sign() == Ordering::Greater && outward(i).sign() == Ordering::Less)
        };
        return (0..3).all(enters);
    }
    let [x, y, z] = std::array::from_fn(|i| over(i).positive_part() * outward(i));
    (x + y + z).sign() == Ordering::Less
}

/// Compares the least distance of the path from the box with the radius.
#[cold]
pub(crate) fn exact_sweep(a: &Cuboid, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Ordering {
    let pair = ExactPair::new(b_in_a);
    let half = a.half_extents();
    let start = pair.position_of_b().plus(&pair.of_a(half));
    let edge = |axis: usize| {
        let mut edge = Vec3::ZERO;
        edge[axis] = -half[axis];
        let half_edge = pair.of_a(edge);
        half_edge.plus(&half_edge)
    };
    let generators = [edge(0), edge(1), edge(2), pair.world(motion)];
    Zonotope::new(start, generators).compare(&pair.number(b.radius().into()))
}

/// What the centre's path does near the box.
#[derive(Clone, Copy, Debug)]
struct Path {
    /// Least distance from the box.
    least: f64,
    /// Fraction at the least distance.
    nearest: f64,
    /// Fraction at which the distance first falls to the radius.
    first: Option<f64>,
}

impl Path {
    fn new(rounded: &Rounded, along: DVec3) -> Self {
        let Rounded { half, center, .. } = *rounded;
        let at = |t: f64| Rounded { center: center + along * t, ..*rounded }.beyond().length();
        let (here, slack) = (at(0.0), rounded.noise * tolerance::GRAZE);
        // What starts nearer than rounding shows may lie on either side of where it enters.
        let first = (here <= rounded.radius + slack).then_some(0.0);
        let mut path = Self { least: here, nearest: 0.0, first };
        let stops = stops(half, center, along);
        for (&from, &to) in stops.iter().zip(&stops[1..]) {
            if from >= to {
                continue;
            }
            // Between two stops the centre stays on one side of each face plane: the distance is
            // that of a moving point in the axes on which it is beyond the box.
            let middle = center + along * (from + (to - from) * 0.5);
            let (mut start, mut motion) = (DVec3::ZERO, DVec3::ZERO);
            for axis in 0..3 {
                if middle[axis].abs() > half[axis] {
                    start[axis] = center[axis] - half[axis].copysign(middle[axis]);
                    motion[axis] = along[axis];
                }
            }
            let square = motion.length_squared();
            let lowest = if square > 0.0 { -start.dot(motion) / square } else { from };
            let lowest = lowest.clamp(from, to);
            if at(lowest) < path.least {
                path.least = at(lowest);
                path.nearest = lowest;
            }
            if path.first.is_none() {
                path.first = if square > 0.0 {
                    let entry = ball_entry(start, motion, rounded.radius, slack);
                    entry.map(|entry| entry.first.max(from)).filter(|&first| first <= to)
                } else {
                    (start.length() <= rounded.radius).then_some(from)
                };
            }
        }
        path
    }
}

/// 0, 1, and the fractions between at which the path crosses the planes of the faces, in order.
fn stops(half: DVec3, center: DVec3, along: DVec3) -> [f64; 8] {
    let mut stops = [0.0; 8];
    for axis in 0..3 {
        for (side, plane) in [half[axis], -half[axis]].into_iter().enumerate() {
            let stop = (plane - center[axis]) / along[axis];
            // A path along the plane never crosses it: 0 / 0 and 1 / 0 are no stops.
            stops[2 * axis + side] = if stop > 0.0 && stop < 1.0 { stop } else { 0.0 };
        }
    }
    stops[7] = 1.0;
    stops.sort_unstable_by(f64::total_cmp);
    stops
}
