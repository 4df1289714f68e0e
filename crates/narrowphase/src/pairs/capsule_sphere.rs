//! A capsule (A) and a sphere (B).

use std::cmp::Ordering;

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, Sphere};

use crate::exact_pair::{ExactPair, certain, noise, relation_of, settle};
use crate::quadratic::{ball_entry, earlier, side_entry};
use crate::real::{Placed, Real, Turn};
use crate::segment::Nearest;
use crate::witness::{Round as Common, Sides, Witness, room};
use crate::zonotope::{Zonotope, certain_distance};
use crate::{FeatureId, Impact, Patch, Relation, Relative, Separation, segment, tolerance};

/// The common case: a core with a length, its nearest point clear of the centre, touch out of
/// reach of rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapsuleSphere;

room!(CapsuleSphere, Capsule, Sphere);

impl Common for CapsuleSphere {
    const IN_TWOS: [bool; 2] = [true, true];

    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        let (first, second, radius) = (a.vector(0), a.vector(3), a.numbers[6]);
        let (zero, one) = (radius.all(0.0), radius.all(1.0));
        let (turn, per_norm) = Turn::shared(a.rotation);
        let reach = radius + b.numbers[0];
        // World axes, from A's position.
        let center = b.position - a.position;
        let start = turn.apply(first) * per_norm;
        let core = turn.apply(second - first) * per_norm;
        let size = first.sum_abs() + second.sum_abs() + center.sum_abs() + reach;
        let noise = size * one.all(tolerance::FRAME);
        let square = core.dot(core);
        let per_square = one / square;
        let offset = center - start;
        let s = (offset.dot(core) * per_square).to_share();
        let inner = s.above(zero) & s.below(one);
        let between = offset - core * s;
        // Beside the core the vector is perpendicular to it but for rounding, which a short one
        // shows the more.
        let tilt = R::pick(inner, between.dot(core) * per_square, zero);
        let between = between - core * tilt;
        let length = between.dot(between).sqrt();
        let distance = length - reach;
        let normal = between * (one / length);
        let certain = distance.abs().above(noise) & length.above(noise) & square.above(zero);
        let point_a = a.position + (start + core * s + normal * radius);
        let both = (certain, certain);
        Witness::from_a(both, distance, normal, point_a, cap(s))
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        let (first, second) = (a.vector(0), a.vector(3));
        // In the capsule's frame, all but the core times the squared length of the quaternion.
        let (turn, norm) = Turn::scaled(a.rotation);
        let center = turn.undo(b.position - a.position);
        let (core, offset) = (second - first, center - first * norm);
        let reach = (a.numbers[6] + b.numbers[0]) * norm;
        let size = (first.sum_abs() + second.sum_abs()) * norm + center.sum_abs() + reach;
        // Of a core without a length the first end, as that is no number.
        let share = (offset.dot(core) / core.dot(core)).most(norm.all(0.0)).least(norm);
        let between = offset - core * share;
        Sides::by_squares(between.dot(between), reach, size)
    }
}

/// Number of the part of a core on which a parameter lies; see [`segment::feature`].
#[inline(always)]
pub(super) fn cap<R: Real>(s: R) -> R {
    let (zero, one) = (s.all(0.0), s.all(1.0));
    R::pick(s.at_most(zero), zero, R::pick(s.below(one), one + one, one))
}

/// The pair in f64, in the capsule's frame.
#[derive(Clone, Copy)]
struct Round {
    start: DVec3,
    core: DVec3,
    radius: f64,
    center: DVec3,
    reach: f64,
    noise: f64,
}

impl Round {
    fn new(a: &Capsule, b: &Sphere, center: DVec3) -> Self {
        let (start, end) = (a.a().as_dvec3(), a.b().as_dvec3());
        let radius = f64::from(a.radius());
        let reach = radius + f64::from(b.radius());
        let noise = noise([start, end, center], reach);
        Self { start, core: end - start, radius, center, reach, noise }
    }

    /// Parameter of the core's nearest point, and the vector from there to the centre.
    fn nearest(&self) -> (f64, DVec3) {
        segment::nearest_to_origin(self.center - self.start, -self.core)
    }

    /// The separation, whose normal leans towards `hint` where the centre lies on the core.
    fn separate(&self, hint: DVec3) -> (f64, Separation) {
        let (s, between) = self.nearest();
        let length = between.length();
        let normal = if length > self.noise {
            let unit = between / length;
            if segment::feature(s) == 2 { segment::straighten(unit, self.core) } else { unit }
        } else {
            self.out_of(s, hint)
        };
        let distance = length - self.reach;
        let point_a = self.start + self.core * s + normal * self.radius;
        (s, Separation { distance, normal, point_a, point_b: point_a + normal * distance })
    }

    /// A unit vector out of the core where the centre lies on it: the hint itself where it leads out
    /// of an end, otherwise across the core.
    fn out_of(&self, s: f64, hint: DVec3) -> DVec3 {
        let outward = match segment::feature(s) {
            0 => -self.core.dot(hint),
            1 => self.core.dot(hint),
            _ => 0.0,
        };
        let beyond = if outward > 0.0 { hint.try_normalize() } else { None };
        beyond.unwrap_or_else(|| segment::perpendicular(self.core, hint))
    }
}

/// How a capsule and a sphere lie to each other. Exact.
///
/// - Degenerate: a sphere of radius 0 on the core of a capsule of radius 0 touches.
#[must_use]
pub fn relation(a: &Capsule, b: &Sphere, b_in_a: &Relative) -> Relation {
    let round = Round::new(a, b, b_in_a.translation());
    let length = round.nearest().1.length();
    let sign = certain(length - round.reach, round.noise);
    relation_of(sign.unwrap_or_else(|| exact_compare(a, b, b_in_a)))
}

/// The core as seen from the centre, in exact arithmetic.
fn exact_core(pair: &ExactPair, a: &Capsule) -> Zonotope<1> {
    let start = pair.position_of_b().minus(&pair.of_a(a.a()));
    Zonotope::new(start, [pair.segment_of_a(a.b(), a.a())])
}

#[cold]
pub(crate) fn exact_compare(a: &Capsule, b: &Sphere, b_in_a: &Relative) -> Ordering {
    let pair = ExactPair::new(b_in_a);
    exact_core(&pair, a).compare(&pair.reach(a.radius(), b.radius()))
}

/// Signed distance of a capsule and a sphere.
///
/// - Ties: a centre on the core takes the axis most across it, the first of +x, +y, +z.
/// - Error: the distance within 2^-44 of the sum of the coordinates; its sign is exact.
#[must_use]
pub fn closest(a: &Capsule, b: &Sphere, b_in_a: &Relative) -> Separation {
    separation(a, b, b_in_a).1
}

fn separation(a: &Capsule, b: &Sphere, b_in_a: &Relative) -> (f64, Separation) {
    let round = Round::new(a, b, b_in_a.translation());
    let (s, mut found) = round.separate(DVec3::ZERO);
    found.distance = settle(found.distance, round.noise, || relation(a, b, b_in_a));
    found.point_b = found.point_a + found.normal * found.distance;
    (s, found)
}

/// The one contact point of a capsule and a sphere.
///
/// - Feature: 0 on the cap around the capsule's first end, 1 around its second, 2 on its side.
#[must_use]
pub fn manifold(a: &Capsule, b: &Sphere, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let (s, found) = separation(a, b, b_in_a);
    let feature = segment::feature(s);
    (found.distance <= margin).then(|| Patch::single(&found, FeatureId(feature)))
}

/// First touch of a capsule with a sphere that moves by `motion`. Exact yes/no, grazing counts.
///
/// - Error: never late; where the path grazes, early as accuracy.md says. At the fraction the two
///   touch within 2^-43 of the coordinates.
/// - Degenerate: a motion that is not finite moves nothing.
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.7: the centre's path against
///   the capsule of both radii.
#[must_use]
pub fn sweep(a: &Capsule, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let mut round = Round::new(a, b, b_in_a.translation());
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    round.noise += noise([along], 0.0);
    let fraction = match relation(a, b, b_in_a) {
        Relation::Penetrating => 0.0,
        Relation::Touching => leads_in(a, b, b_in_a, motion).then_some(0.0)?,
        Relation::Apart => first_fraction(a, b, b_in_a, &round, motion)?,
    };
    let there = Round { center: round.center + along * fraction, ..round };
    let (_, found) = there.separate(-along);
    Some(Impact { fraction, normal: found.normal, point: found.point_a })
}

/// Whether a sphere that touches moves into the capsule. Exact.
fn leads_in(a: &Capsule, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> bool {
    let pair = ExactPair::new(b_in_a);
    let nearest = exact_core(&pair, a).nearest_at(&pair.reach(a.radius(), b.radius()));
    nearest.is_some_and(|between| between.dot(&motion.into()).sign() == Ordering::Less)
}

fn first_fraction(
    a: &Capsule,
    b: &Sphere,
    b_in_a: &Relative,
    round: &Round,
    motion: Vec3,
) -> Option<f64> {
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    let offset = round.center - round.start;
    let generators = [-round.core, along];
    // The plane across the nearest points parts the two; mostly it does so all the way.
    let (_, out) = round.nearest();
    let away = certain_distance(offset, &generators, out, out, round.reach, round.noise);
    if away == Some(Ordering::Greater) {
        return None;
    }
    let nearest = segment::nearest(offset, round.core, along);
    let Nearest { between, direction, .. } = nearest;
    let sign = certain_distance(offset, &generators, between, direction, round.reach, round.noise)
        .unwrap_or_else(|| exact_sweep(a, b, b_in_a, motion));
    if sign == Ordering::Greater {
        return None;
    }
    let slack = round.noise * tolerance::GRAZE;
    // What starts nearer than rounding shows may lie on either side of where it enters.
    if out.length() <= round.reach + slack {
        return Some(0.0);
    }
    let ball = |from: DVec3| ball_entry(from, along, round.reach, slack);
    let caps = earlier(ball(offset), ball(offset - round.core));
    let side = side_entry(offset, along, round.core, round.reach, slack);
    Some(earlier(side, caps).map_or(nearest.t, |entry| entry.first.min(1.0)))
}

/// Compares the least distance of the path from the core with both radii.
#[cold]
pub(crate) fn exact_sweep(a: &Capsule, b: &Sphere, b_in_a: &Relative, motion: Vec3) -> Ordering {
    let pair = ExactPair::new(b_in_a);
    let start = pair.position_of_b().minus(&pair.of_a(a.a()));
    let generators = [pair.segment_of_a(a.b(), a.a()), pair.world(motion)];
    Zonotope::new(start, generators).compare(&pair.reach(a.radius(), b.radius()))
}
