//! A capsule and a box straight from their poses, for one pair or for several side by side.
//!
//! The steps of the room, to the bit, where the sign of the distance is clear of rounding.

use super::rod::{Best, Crossings, Place, Rod, nowhere};
use crate::real::{Mask, Placed, Real, Real3, Turn};
use crate::tolerance;

/// The two frames, and the pair in that of the box.
#[derive(Clone, Copy)]
struct Scene<R> {
    world_from_a: Turn<R>,
    /// From B's frame to A's.
    rotation: Turn<R>,
    translation: Real3<R>,
    origin: Real3<R>,
    rod: Rod<R>,
}

/// Where the segment is nearest, and how it lies to the box.
#[derive(Clone, Copy)]
struct Found<R: Real> {
    crossings: Crossings<R>,
    nearest: Place<R>,
    length: R,
    /// Where the sign of the distance is proven.
    certain: R::Mask,
    penetrating: R::Mask,
}

/// Where the two are nearest or deepest, in the box's frame; see [`super::Contact`].
#[derive(Clone, Copy)]
struct Contact<R: Real> {
    share: R,
    normal: Real3<R>,
    distance: R,
    /// Whether the segment leaves the box over one of its edges.
    over_edge: R::Mask,
}

impl<R: Real> Scene<R> {
    /// As [`Relative::new`](crate::Relative::new) and [`Core::new`](super::core::Core::new).
    #[inline(always)]
    fn new(a: &Placed<R>, b: &Placed<R>) -> Self {
        let (first, second, radius) = (a.vector(0), a.vector(3), a.numbers[6]);
        let half = b.vector(0);
        let (turn_a, turn_b) = (Turn::of(a.rotation), Turn::of(b.rotation));
        let [x, y, z] = turn_b.columns;
        let rotation = Turn { columns: [turn_a.undo(x), turn_a.undo(y), turn_a.undo(z)] };
        let translation = turn_a.undo(b.position - a.position);
        let far = |at: R, first: R, second: R| at.abs() + first.abs().most(second.abs());
        let size = far(translation.x, first.x, second.x)
            + far(translation.y, first.y, second.y)
            + far(translation.z, first.z, second.z);
        let rod = Rod {
            start: rotation.undo(first - translation),
            along: rotation.undo(second - first),
            half,
            radius,
            size: size + (half.x + half.y + half.z) + radius,
        };
        Self { world_from_a: turn_a, rotation, translation, origin: a.position, rod }
    }

    #[inline(always)]
    fn find(&self) -> Found<R> {
        let crossings = self.rod.crossings(self.rod.size.all(0.0));
        let nearest = self.rod.nearest(&crossings);
        let length = nearest.excess.dot(nearest.excess).sqrt();
        let error = self.rod.part(tolerance::AXIS_ERROR);
        let penetrating = length.below(self.rod.radius - error);
        let certain = penetrating | length.above(self.rod.radius + error);
        Found { crossings, nearest, length, certain, penetrating }
    }

    /// The contact of a pair whose relation is certain.
    #[inline(always)]
    fn contact(&self, found: &Found<R>) -> Contact<R> {
        let (rod, Place { share, excess }) = (&self.rod, found.nearest);
        let length = found.length;
        let enters = length.at_most(rod.part(tolerance::DIRECTION));
        let contact = Contact {
            share,
            normal: Real3::new(-excess.x / length, -excess.y / length, -excess.z / length),
            distance: length - rod.radius,
            over_edge: nowhere(length),
        };
        let wanted = enters & found.certain;
        if wanted.any() { self.entered(found, &contact, wanted) } else { contact }
    }

    /// The contact where the segment itself enters the box in some lanes.
    #[inline(always)]
    fn entered(&self, found: &Found<R>, other: &Contact<R>, wanted: R::Mask) -> Contact<R> {
        let (rod, zero) = (&self.rod, found.length.all(0.0));
        let best: Best<R> = rod.best();
        let grazes = best.separation.abs().at_most(rod.part(tolerance::DIRECTION));
        let share = rod.deepest(&found.crossings, &best, wanted & !grazes);
        let share = R::pick(grazes, found.nearest.share, share);
        let known = found.length.above(rod.part(tolerance::AXIS_ERROR));
        let between = R::pick(known, found.length, best.separation.least(zero));
        let distance = between - rod.radius;
        // A capsule far thinner than the other lengths may be apart even so.
        let gap = distance.most(rod.part(tolerance::LEAST_GAP));
        let distance = R::pick(found.penetrating, distance, gap);
        Contact {
            share: R::pick(wanted, share, other.share),
            normal: Real3::pick(wanted, best.normal, other.normal),
            distance: R::pick(wanted, distance, other.distance),
            over_edge: wanted & !best.face,
        }
    }

    /// A point of A's frame in the world.
    #[inline(always)]
    fn point_to_world(&self, point: Real3<R>) -> Real3<R> {
        self.world_from_a.apply(point) + self.origin
    }

    /// A contact point at a place of the capsule's surface; the normal is in A's frame.
    #[inline(always)]
    fn point(&self, surface: Real3<R>, normal: Real3<R>, distance: R, feature: R) -> Point<R> {
        let [on_a, on_b] = self.points(surface, normal, distance);
        Point { distance, on_a, on_b, feature }
    }

    /// Both witnesses in the world of a point of the capsule's surface; the normal is in A's frame.
    #[inline(always)]
    fn points(&self, surface: Real3<R>, normal: Real3<R>, distance: R) -> [Real3<R>; 2] {
        let point_a = self.rotation.apply(surface) + self.translation;
        let point_b = point_a + normal * distance;
        [self.point_to_world(point_a), self.point_to_world(point_b)]
    }
}

/// Where the relation is certain, and where it is that the two penetrate each other.
#[inline(always)]
pub(crate) fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> (R::Mask, R::Mask) {
    let found = Scene::new(a, b).find();
    (found.certain, found.penetrating)
}

/// Where two shapes are nearest or deepest, in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest<R: Real> {
    /// Where the rest is the answer.
    pub(crate) certain: R::Mask,
    pub(crate) distance: R,
    /// Unit, from A to B.
    pub(crate) normal: Real3<R>,
    pub(crate) point_a: Real3<R>,
    pub(crate) point_b: Real3<R>,
}

/// The nearest points; see [`super::closest`]. Where a pair is flipped, those of the flipped pair
/// flipped back.
#[inline(always)]
pub(crate) fn nearest<R: Real>(a: &Placed<R>, b: &Placed<R>, flipped: R::Mask) -> Nearest<R> {
    let scene = Scene::new(a, b);
    let found = scene.find();
    let contact = scene.contact(&found);
    let normal = scene.rotation.apply(contact.normal);
    let [point_a, point_b] = scene.points(contact.surface(&scene.rod), normal, contact.distance);
    // A flipped normal is turned around before it is taken to the world, which shows in the signs
    // of zeros.
    let ahead = scene.world_from_a.apply(Real3::pick(flipped, -normal, normal));
    Nearest {
        certain: found.certain,
        distance: contact.distance,
        normal: Real3::pick(flipped, -ahead, ahead),
        point_a,
        point_b,
    }
}

/// The manifold of a pair, in the world: one point or two.
#[derive(Clone, Copy)]
pub(crate) struct Points<R: Real> {
    /// Where the rest is the answer.
    pub(crate) certain: R::Mask,
    /// Unit, from A to B.
    pub(crate) normal: Real3<R>,
    /// The nearest or deepest point; where it is beyond the margin there is none.
    pub(crate) first: Point<R>,
    /// Where there is another one.
    pub(crate) two: R::Mask,
    pub(crate) second: Point<R>,
}

/// A contact point in the world.
#[derive(Clone, Copy)]
pub(crate) struct Point<R> {
    pub(crate) distance: R,
    pub(crate) on_a: Real3<R>,
    pub(crate) on_b: Real3<R>,
    /// Number of its feature.
    pub(crate) feature: R,
}

/// The contact points that are no farther apart than the margin; see [`super::manifold`].
#[inline(always)]
pub(crate) fn points<R: Real>(a: &Placed<R>, b: &Placed<R>, margin: R) -> Points<R> {
    let scene = Scene::new(a, b);
    let rod = &scene.rod;
    let found = scene.find();
    let contact = scene.contact(&found);
    let one = margin.all(1.0);
    let normal = scene.rotation.apply(contact.normal);
    let distance = contact.distance;
    let late = R::pick(contact.share.above(one.all(0.5)), one, one.all(0.0));
    let name = contact.feature() * one.all(2.0);
    let mut points = Points {
        certain: found.certain,
        normal: scene.world_from_a.apply(normal),
        first: scene.point(contact.surface(rod), normal, distance, name + late),
        two: nowhere(one),
        second: Point { distance, on_a: normal, on_b: normal, feature: name },
    };
    let wanted = found.certain & distance.at_most(margin);
    let line = side_line(rod, &contact, wanted);
    if !line.found.any() {
        return points;
    }
    let level = distance + rod.part(16.0 * tolerance::TIE);
    let [low, high] = line.heights;
    let parallel = line.found & low.at_most(level) & high.at_most(level);
    if parallel.any() {
        // Both ends, each as deep as the contact.
        let start = scene.point(line.ends[0], normal, distance, name);
        points.first = Point::pick(parallel, start, points.first);
    }
    // Of a capsule that slopes the lower end is the contact itself.
    let to_start = !parallel & late.above(one.all(0.5));
    let height = R::pick(to_start, low, high);
    points.two = parallel | (line.found & height.at_most(margin) & height.above(distance));
    if points.two.any() {
        let surface = Real3::pick(to_start, line.ends[0], line.ends[1]);
        let feature = name + R::pick(to_start, one.all(0.0), one);
        let height = R::pick(parallel, distance, height);
        points.second = scene.point(surface, normal, height, feature);
    }
    points
}

impl<R: Real> Point<R> {
    #[inline(always)]
    fn pick(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            distance: R::pick(mask, yes.distance, no.distance),
            on_a: Real3::pick(mask, yes.on_a, no.on_a),
            on_b: Real3::pick(mask, yes.on_b, no.on_b),
            feature: R::pick(mask, yes.feature, no.feature),
        }
    }
}

impl<R: Real> Contact<R> {
    #[inline(always)]
    fn surface(&self, rod: &Rod<R>) -> Real3<R> {
        rod.at(self.share) + self.normal * rod.radius
    }

    /// See [`super::manifold::feature`].
    #[inline(always)]
    fn feature(&self) -> R {
        let three = self.share.all(3.0);
        (digit(self.normal.x) * three + digit(self.normal.y)) * three + digit(self.normal.z)
    }
}

/// Digit of a feature: 0 between the faces, 1 along the axis, 2 against it.
#[inline(always)]
fn digit<R: Real>(along: R) -> R {
    let (zero, one, two) = (along.all(0.0), along.all(1.0), along.all(2.0));
    R::pick(is_zero(along), zero, R::pick(along.above(zero), one, two))
}

#[inline(always)]
fn is_zero<R: Real>(component: R) -> R::Mask {
    component.abs().at_most(component.all(tolerance::SAME_POINT))
}

/// The line on the capsule's side that runs along the feature of the box; see
/// [`super::manifold::side_points`].
#[derive(Clone, Copy)]
struct SideLine<R: Real> {
    found: R::Mask,
    ends: [Real3<R>; 2],
    heights: [R; 2],
}

#[inline(always)]
fn side_line<R: Real>(rod: &Rod<R>, contact: &Contact<R>, wanted: R::Mask) -> SideLine<R> {
    let (zero, one) = (rod.size.all(0.0), rod.size.all(1.0));
    let normal = contact.normal;
    let [x, y, z] = [is_zero(normal.x), is_zero(normal.y), is_zero(normal.z)];
    let length = rod.along.dot(rod.along).sqrt();
    let (along, valid) = unit(rod.along, length);
    // Over a face any slope will do: the higher end counts if the margin reaches it.
    let over_face = ((x & y) | (y & z) | (x & z)) & !contact.over_edge;
    let over_edge = ((x & !y & !z) | (!x & y & !z) | (!x & !y & z)) & wanted;
    let mut runs = over_face;
    if over_edge.any() {
        let square = |v: R, named: R::Mask| R::pick(named, zero, v * v);
        let off = (square(along.x, x) + square(along.y, y) + square(along.z, z)).sqrt();
        runs = runs | (over_edge & off.at_most(one.all(tolerance::RUNS_ALONG)));
    }
    let mut found = wanted & runs & valid;
    let nothing = SideLine { found, ends: [normal; 2], heights: [zero; 2] };
    if !found.any() {
        return nothing;
    }
    let aside = normal - along * normal.dot(along);
    let (side, valid) = unit(aside, aside.dot(aside).sqrt());
    let line = rod.moved(side * rod.radius);
    let (low, high, between) = line.between(&line.crossings(zero), [x, y, z], found);
    let long = ((high - low) * length).above(rod.part(16.0 * tolerance::TIE));
    found = found & valid & between & long;
    let top = normal.abs().dot(rod.half);
    let (first, second) = (line.at(low), line.at(high));
    let heights = [-normal.dot(first) - top, -normal.dot(second) - top];
    SideLine { found, ends: [first, second], heights }
}

/// A vector of this length made a unit vector, and where that can be done.
#[inline(always)]
fn unit<R: Real>(of: Real3<R>, length: R) -> (Real3<R>, R::Mask) {
    let factor = length.all(1.0) / length;
    let valid = factor.above(length.all(0.0)) & factor.below(length.all(f64::INFINITY));
    (of * factor, valid)
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::{Capsule, Cuboid, Pose, Shape, round};

    use super::*;
    use crate::witness::feature_id;
    use crate::{closest, manifold, relation};

    struct Random(u64);

    impl Random {
        /// Between -1 and 1; every other number where it is coarse a multiple of a quarter.
        fn next(&mut self, coarse: bool) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let x = f32::from(u16::try_from(self.0 >> 48).unwrap()) / 32768.0 - 1.0;
            if coarse && self.0 >> 40 & 1 == 0 { (x * 4.0).round() * 0.25 } else { x }
        }

        fn vector(&mut self, coarse: bool) -> Vec3 {
            Vec3::from_array([0; 3].map(|_| self.next(coarse)))
        }

        /// Turned by anything, or along the axes, or not at all.
        fn pose(&mut self, coarse: bool, reach: f32) -> Pose {
            let (axis, kind) = (self.vector(coarse), self.next(false));
            let turn = match kind {
                k if k < 0.0 => Quat::from_xyzw(axis.x, axis.y, axis.z, 0.5),
                k if k < 0.5 => Quat::from_xyzw(0.0, axis.y, 0.0, 0.5),
                k if k < 0.75 => Quat::from_xyzw(0.5, 0.5, -0.5, 0.5),
                _ => Quat::IDENTITY,
            };
            Pose::new(self.vector(coarse) * reach, turn).unwrap()
        }
    }

    fn rounded(v: Real3<f64>) -> [u32; 3] {
        [v.x, v.y, v.z].map(|x| round::nearest(x).to_bits())
    }

    fn bits(v: Vec3) -> [u32; 3] {
        v.to_array().map(f32::to_bits)
    }

    fn same_point(found: &Point<f64>, expected: &crate::ContactPoint) -> bool {
        rounded(found.on_a) == bits(expected.point_a)
            && rounded(found.on_b) == bits(expected.point_b)
            && round::nearest(found.distance).to_bits() == expected.distance.to_bits()
            && feature_id(found.feature) == expected.feature
    }

    /// Its distance is below the resolution of a direction, and above rounding.
    #[test]
    fn a_thin_capsule_beside_a_long_box_is_apart() {
        let a = Capsule::along_y(0.5, 1e-4).unwrap();
        let b = Cuboid::new(Vec3::new(1.0, 1.0, 1e12)).unwrap();
        let (at_a, at_b) = (Pose::from_position(Vec3::X * 3.0).unwrap(), Pose::IDENTITY);
        let found = nearest(&Placed::of(&a, &at_a), &Placed::of(&b, &at_b), false);
        let (one, other) = (Shape::from(a), Shape::from(b));
        let expected = closest(&one, &at_a, &other, &at_b, f32::INFINITY).unwrap();
        assert!(found.certain && found.distance > 0.0, "{found:?}");
        assert_eq!(round::nearest(found.distance).to_bits(), expected.distance.to_bits());
        assert_eq!(rounded(found.normal), bits(expected.normal));
    }

    /// Without lanes: the steps are those of the room.
    #[test]
    fn where_it_is_certain_the_formula_says_what_the_room_says() {
        for seed in 1..=4_u64 {
            let mut random = Random(seed);
            let mut counts = [0; 6];
            for case in 0..20_000 {
                let coarse = case % 2 == 0;
                let a = if case % 3 == 0 {
                    let ends = (random.vector(coarse), random.vector(coarse));
                    Capsule::new(ends.0, ends.1, random.next(coarse).abs() * 0.5).unwrap()
                } else {
                    let (height, radius) = (random.next(coarse), random.next(coarse));
                    Capsule::along_y(height.abs(), radius.abs() * 0.5).unwrap()
                };
                let b = Cuboid::new(random.vector(coarse).abs()).unwrap();
                let (at_a, at_b) = (random.pose(coarse, 0.5), random.pose(coarse, 1.5));
                let margin = if case % 5 == 0 { 0.0 } else { 0.1 };
                let (p, q) = (Placed::of(&a, &at_a), Placed::of(&b, &at_b));
                let (one, other) = (Shape::from(a), Shape::from(b));
                let what = format!("seed {seed}, case {case}: {a:?} {at_a:?} {b:?} {at_b:?}");

                let (certain, penetrating) = sides(&p, &q);
                if !certain {
                    continue;
                }
                counts[0] += 1;
                let expected = relation(&one, &at_a, &other, &at_b);
                let wanted =
                    if penetrating { crate::Relation::Penetrating } else { crate::Relation::Apart };
                assert_eq!(expected, wanted, "{what}");
                counts[usize::from(penetrating) + 1] += 1;

                for flipped in [false, true] {
                    let found = nearest(&p, &q, flipped);
                    let expected = if flipped {
                        closest(&other, &at_b, &one, &at_a, f32::INFINITY)
                    } else {
                        closest(&one, &at_a, &other, &at_b, f32::INFINITY)
                    };
                    let mut expected = expected.unwrap();
                    if flipped {
                        std::mem::swap(&mut expected.point_a, &mut expected.point_b);
                        expected.normal = -expected.normal;
                    }
                    assert!(found.certain, "{what}");
                    let distance = round::nearest(found.distance);
                    assert_eq!(distance.to_bits(), expected.distance.to_bits(), "{what}");
                    assert_eq!(rounded(found.normal), bits(expected.normal), "{flipped} {what}");
                    assert_eq!(rounded(found.point_a), bits(expected.point_a), "{what}");
                    assert_eq!(rounded(found.point_b), bits(expected.point_b), "{what}");
                }

                let found = points(&p, &q, f64::from(margin));
                let expected = manifold(&one, &at_a, &other, &at_b, margin);
                assert_eq!(found.first.distance <= f64::from(margin), expected.is_some(), "{what}");
                let Some(expected) = expected else { continue };
                counts[3] += 1;
                counts[4] += usize::from(found.two);
                assert_eq!(rounded(found.normal), bits(expected.normal), "{what}");
                assert_eq!(expected.points.len(), 1 + usize::from(found.two), "{what}");
                let feature = feature_id(found.first.feature);
                let place = expected.points.iter().position(|point| point.feature == feature);
                let place = place.expect(&what);
                assert!(same_point(&found.first, &expected.points[place]), "{what}");
                if found.two {
                    counts[5] += place;
                    assert!(same_point(&found.second, &expected.points[1 - place]), "{what}");
                }
            }
            assert!(counts[0] > 18_000, "seed {seed}: {counts:?}");
            assert!(counts.iter().all(|&count| count > 300), "seed {seed}: {counts:?}");
        }
    }
}
