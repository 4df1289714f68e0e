//! Cores that meet in a plane across an axis of the world, as what rests on something does: the
//! gap is known without rounding, and what both have in that plane tells whether they touch.

use impinge_shapes::Pose;
use impinge_shapes::convex::Core;
use impinge_shapes::convex::Solid;
use impinge_shapes::glam::{DVec2, DVec3, Vec3};
use smallvec::SmallVec;

use super::{Cores, Gap, Proof, is_polytope};
use crate::level::{Own, may_have_own, sum};
use crate::{Relation, Relative, tolerance};

/// What of a core lies farthest along an axis, seen along it.
struct Foot {
    /// Corners, in the order of a ring if there are three or more; of a disc its centre.
    points: SmallVec<[DVec2; 8]>,
    middle: DVec2,
    /// Of a disc.
    radius: f64,
    /// Whether the points are the corners of a face.
    is_face: bool,
}

impl Foot {
    /// Nothing yet.
    #[inline]
    fn none() -> Self {
        Self { points: SmallVec::new(), middle: DVec2::ZERO, radius: 0.0, is_face: true }
    }

    /// Finds it where it stays; `flat` takes a point of the core's frame to where it is seen.
    fn find(&mut self, core: &Core<'_>, own: Own, way: f64, flat: impl Fn(DVec3) -> DVec2) {
        let side = way * own.sign;
        let up = DVec3::AXES[own.index] * side;
        let far = own.reach(core, way);
        let is_far = |point: &Vec3| way * own.along(*point) >= far;
        let foot = self;
        let mut put = |point: DVec3| foot.points.push(flat(point));
        let mut corners = |points: &[Vec3]| {
            points.iter().filter(|point| is_far(point)).for_each(|point| put(point.as_dvec3()));
        };
        match core {
            Core::Point => put(DVec3::ZERO),
            Core::Segment(ends) => corners(ends),
            Core::Triangle(points) => corners(points),
            Core::Cuboid(half) => {
                let half = half.as_dvec3();
                let (i, j) = ((own.index + 1) % 3, (own.index + 2) % 3);
                let (one, other) = (DVec3::AXES[i] * half[i], DVec3::AXES[j] * half[j]);
                let middle = up * far;
                [one + other, other - one, -one - other, one - other]
                    .into_iter()
                    .for_each(|corner| put(middle + corner));
            }
            Core::Hull(hull) => {
                let face = hull.face_along(up).and_then(|face| hull.face(face));
                let corner = |at: u32| &hull.vertices()[at as usize];
                match face.filter(|face| face.vertices.iter().all(|&at| is_far(corner(at)))) {
                    Some(face) => {
                        face.vertices.iter().for_each(|&at| put(corner(at).as_dvec3()));
                    }
                    None => {
                        corners(hull.vertices());
                        foot.is_face = false;
                    }
                }
            }
            Core::Cylinder(it) if own.index == 1 => {
                put(up * far);
                foot.radius = it.radius().into();
            }
            Core::Cylinder(it) => {
                let half = DVec3::Y * f64::from(it.half_height());
                put(up * far + half);
                put(up * far - half);
            }
            Core::Cone(it) if own.index == 1 => {
                put(up * far);
                foot.radius = if side > 0.0 { 0.0 } else { it.radius().into() };
            }
            Core::Cone(it) => put(up * far - DVec3::Y * f64::from(it.half_height())),
        }
        foot.is_face &= foot.points.len() > 2;
        foot.middle = foot.points.iter().sum::<DVec2>() / foot.points.len() as f64;
    }

    /// A point of `self`, where it was, that certainly comes to lie in the other on its way by a share
    /// of `motion`.
    fn comes_into(
        &self,
        other: &Self,
        motion: DVec2,
        shares: [f64; 2],
        error: f64,
    ) -> Option<DVec2> {
        if !other.is_face && other.radius <= 0.0 {
            return None;
        }
        let point = std::iter::once(&self.middle)
            .chain(&self.points)
            .find(|&&point| other.is_met_by(point, self.radius, motion, shares, error))?;
        if self.radius > 0.0 && other.radius > 0.0 {
            // In the middle of what the discs have in common.
            let between = other.middle - self.middle;
            let far = between.length();
            let share = (self.radius.min(far) + (far - other.radius).max(0.0)) * 0.5 / far;
            return Some(*point + if far > 0.0 { between * share } else { DVec2::ZERO });
        }
        Some(*point)
    }

    /// What this disc and another foot have in common, where both rest: a point of an edge that is
    /// certainly in the disc, or nothing if they are apart by more than rounding hides.
    fn crossed_by(&self, other: &Self, error: f64) -> Option<Shared> {
        let count = other.points.len();
        let (mut nearest, mut least, mut is_beside) = (other.middle, f64::INFINITY, count < 3);
        for k in 0..count {
            let (from, to) = (other.points[k], other.points[(k + 1) % count]);
            let (edge, arm) = (to - from, self.middle - from);
            let share = (arm.dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
            let point = if share > 0.0 { from + edge * share } else { from };
            let square = (point - self.middle).length_squared();
            if square < least {
                (nearest, least) = (point, square);
            }
            let turn = edge.perp_dot(other.middle - from);
            is_beside |= edge.perp_dot(arm) * turn < 0.0;
        }
        let (far, slack) = (least.sqrt(), tolerance::FOOTING * error);
        if far < self.radius - slack {
            return Some(Shared::At(nearest));
        }
        // Of points without an order only some of what lies between them was looked at.
        let is_whole = other.is_face || count < 3;
        (is_whole && is_beside && far > self.radius + slack).then_some(Shared::Nothing)
    }

    /// `radius` is that of a disc around the point, which meets discs sooner.
    fn is_met_by(
        &self,
        point: DVec2,
        radius: f64,
        motion: DVec2,
        [mut from, mut to]: [f64; 2],
        error: f64,
    ) -> bool {
        if self.radius > 0.0 {
            let away = self.middle - point;
            let share = (away.dot(motion) / motion.length_squared()).clamp(from, to);
            let share = if share.is_nan() { from } else { share };
            let reach = self.radius + radius - tolerance::FOOTING * error;
            return reach > 0.0 && (away - motion * share).length_squared() < reach * reach;
        }
        let [first, second, ..] = &*self.points else { return false };
        if !self.is_face {
            return false;
        }
        let turn = if (second - first).perp_dot(self.middle - first) < 0.0 { -1.0 } else { 1.0 };
        for (k, corner) in self.points.iter().enumerate() {
            let next = self.points.get(k + 1).unwrap_or(first);
            let (edge, arm) = (next - corner, point - corner);
            // No shorter than the lengths are.
            let sizes = (edge.abs() + arm.abs() + motion.abs()).element_sum();
            let inside = turn * edge.perp_dot(arm) - tolerance::FOOTING * error * sizes;
            let speed = turn * edge.perp_dot(motion);
            // Where it is inside of this edge.
            let share = -inside / speed;
            if speed > 0.0 {
                from = from.max(share);
            } else if speed < 0.0 {
                to = to.min(share);
            } else if inside <= 0.0 {
                return false;
            }
        }
        from <= to
    }
}

/// What two feet in one plane have in common.
enum Shared {
    At(DVec2),
    Nothing,
}

/// How cores lie that a plane across an axis of the world parts, or in which they meet.
enum Footing {
    /// Apart, without any rounding.
    Apart,
    /// Side by side, farther apart than rounding hides.
    Aside,
    /// The plane's normal, from A to B, and a point of A's core that both have in common, in A's
    /// frame.
    Touch(DVec3, DVec3),
}

/// A placed solid.
pub(super) type Placed<'a> = (&'a Solid<'a>, &'a Pose);

/// How far B, moved by `travel` along `way`, is beyond A along an axis of the world, or against it
/// where `way` is -1: rounded, but of the right sign; `None` where rounding hides that.
fn gap_along(
    axis: usize,
    way: f64,
    [(a, own_a), (b, own_b)]: [(Placed<'_>, Own); 2],
    travel: f64,
) -> Option<f64> {
    let [at_a, at_b] = [a, b].map(|(_, pose)| way * f64::from(pose.position()[axis]));
    let ([r0, r1], [r2, r3]) = (a.0.radii.map(f64::from), b.0.radii.map(f64::from));
    let (reach_a, reach_b) = (own_a.reach(&a.0.core, way), own_b.reach(&b.0.core, -way));
    let terms = [at_b, -at_a, travel, -reach_a, -reach_b, -r0, -r1, -r2, -r3];
    let (nearly, size) =
        terms.iter().fold((0.0, 0.0), |(total, size), x| (total + x, size + x.abs()));
    // Nine roundings are far less.
    if nearly.abs() > tolerance::TIE * size { Some(nearly) } else { sum(terms) }
}

/// What an axis of the world tells of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// The two never come to touch.
    Clear,
    /// They may touch, but nowhere penetrate: one slides over the other, or leaves it.
    Along,
}

/// The path of B by `motion` along the world's axes, past A, where an axis of the world tells it
/// without any rounding.
pub(crate) fn level_course(a: Placed<'_>, b: Placed<'_>, motion: Vec3) -> Option<Course> {
    let is_exact = is_polytope(&a.0.core) && is_polytope(&b.0.core);
    let along = |axis: usize| {
        let both = [(a, Own::of(a.1, axis)?), (b, Own::of(b.1, axis)?)];
        [1.0, -1.0].into_iter().find_map(|way| {
            let travel = way * f64::from(motion[axis]);
            let gap = gap_along(axis, way, both, travel.min(0.0))?;
            if gap > 0.0 {
                return is_exact.then_some(Course::Clear);
            }
            (gap >= 0.0 && travel >= 0.0).then_some(Course::Along)
        })
    };
    (0..3).find_map(along)
}

/// The axes of the world, first the one that a direction lies along most.
fn axes_towards(direction: DVec3) -> [usize; 3] {
    let first = direction.abs().max_position();
    [first, (first + 1) % 3, (first + 2) % 3]
}

/// The two ways along an axis, first the one that a direction goes; up if it goes along none.
fn ways_towards(along: f64) -> [f64; 2] {
    let first = if along < 0.0 { -1.0 } else { 1.0 };
    [first, -first]
}

/// Whether an axis of the world tells, without any rounding, that the two do not penetrate; `normal`,
/// a direction of the world from A to B, is where it is looked for first.
pub(crate) fn is_parted(a: Placed<'_>, b: Placed<'_>, normal: DVec3) -> bool {
    let is_apart = |axis: usize| {
        let (Some(own_a), Some(own_b)) = (Own::of(a.1, axis), Own::of(b.1, axis)) else {
            return false;
        };
        let both = [(a, own_a), (b, own_b)];
        ways_towards(normal[axis])
            .into_iter()
            .any(|way| gap_along(axis, way, both, 0.0).is_some_and(|gap| gap >= 0.0))
    };
    may_have_own(a.1) && may_have_own(b.1) && axes_towards(normal).into_iter().any(is_apart)
}

impl Cores<'_> {
    /// The relation of the grown cores, or of A and what B sweeps over by `motion` along the world's
    /// axes, where an axis of the world tells it without any rounding; of curved cores that they touch,
    /// or are aside of each other by more than rounding hides.
    #[inline]
    pub(super) fn level_relation(&self, motion: Option<Vec3>) -> Option<Relation> {
        self.level_relation_towards(DVec3::ZERO, motion)
    }

    /// The same, looking first along a guess of the direction from A to B in A's frame, which may be
    /// zero.
    #[inline]
    pub(super) fn level_relation_towards(
        &self,
        normal: DVec3,
        motion: Option<Vec3>,
    ) -> Option<Relation> {
        match self.footing(normal, motion)? {
            Footing::Touch(..) => Some(Relation::Touching),
            Footing::Aside => Some(Relation::Apart),
            Footing::Apart => self.is_exact().then_some(Relation::Apart),
        }
    }

    /// The gap of cores that touch in a plane across an axis of the world, once they are grown.
    #[inline]
    pub(super) fn gap_of_footing(&self) -> Option<Gap> {
        let Footing::Touch(normal, point_a) = self.footing(DVec3::ZERO, None)? else { return None };
        let distance = self.radius;
        let (at_least, at_most) = (distance, distance);
        Some(Gap { distance, at_least, at_most, proof: Proof::Touch, normal, point_a })
    }

    /// How the grown cores lie, if an axis of the world tells it.
    ///
    /// With a motion it is how A and what B sweeps over lie, and the point is not told. `normal` is
    /// looked along first.
    #[inline]
    fn footing(&self, normal: DVec3, motion: Option<Vec3>) -> Option<Footing> {
        let poses = [self.at.pose_a(), self.at.pose_b()];
        if !poses.into_iter().all(may_have_own) || self.moved != DVec3::ZERO {
            return None;
        }
        self.footing_of_level(normal, motion)
    }

    /// Out of the way of those that are askew.
    #[inline(never)]
    fn footing_of_level(&self, normal: DVec3, motion: Option<Vec3>) -> Option<Footing> {
        // What meets a triangle mostly meets it where that lies level.
        let normal = if normal == DVec3::ZERO { self.face().unwrap_or(normal) } else { normal };
        let normal = self.at.pose_a().rotation().as_dquat() * normal;
        axes_towards(normal)
            .into_iter()
            .find_map(|axis| self.footing_along((axis, normal[axis]), motion))
    }

    /// Along an axis of the world, first the way that a direction goes `along` it.
    fn footing_along(&self, (axis, along): (usize, f64), motion: Option<Vec3>) -> Option<Footing> {
        let (pose_a, pose_b) = (self.at.pose_a(), self.at.pose_b());
        let (own_a, own_b) = (Own::of(pose_a, axis)?, Own::of(pose_b, axis)?);
        let both = [((self.a, pose_a), own_a), ((self.b, pose_b), own_b)];
        for way in ways_towards(along) {
            let travel = motion.map_or(0.0, |motion| way * f64::from(motion[axis]));
            let gap = gap_along(axis, way, both, travel.min(0.0))?;
            if gap > 0.0 {
                return Some(Footing::Apart);
            }
            if gap >= 0.0 {
                let last = if travel > 0.0 { 0.0 } else { 1.0 };
                let shares = [if travel < 0.0 { 1.0 } else { 0.0 }, last];
                let Shared::At(point) = self.shared([own_a, own_b], way, (motion, shares))? else {
                    return Some(Footing::Aside);
                };
                let (i, j) = ((own_a.index + 1) % 3, (own_a.index + 2) % 3);
                let point = DVec3::AXES[i] * point.x + DVec3::AXES[j] * point.y;
                let up = DVec3::AXES[own_a.index] * (way * own_a.sign);
                return Some(Footing::Touch(up, point + up * own_a.reach(&self.a.core, way)));
            }
        }
        None
    }

    /// What both have in common in the plane in which they meet, where that is certain.
    fn shared(
        &self,
        [own_a, own_b]: [Own; 2],
        way: f64,
        (motion, shares): (Option<Vec3>, [f64; 2]),
    ) -> Option<Shared> {
        let (i, j) = ((own_a.index + 1) % 3, (own_a.index + 2) % 3);
        let flat = |v: DVec3| DVec2::new(v[i], v[j]);
        let motion = motion.map_or(DVec3::ZERO, |it| self.at.vector_from_world(it.as_dvec3()));
        let error = tolerance::FRAME * (self.size + motion.abs().element_sum());
        let (mut a, mut b) = (Foot::none(), Foot::none());
        a.find(&self.a.core, own_a, way, flat);
        b.find(&self.b.core, own_b, -way, |p| flat(self.at.point_from_b(p)));
        let way = flat(motion);
        let point =
            b.comes_into(&a, way, shares, error).or_else(|| a.comes_into(&b, -way, shares, error));
        if let Some(point) = point {
            return Some(Shared::At(point));
        }
        let (disc, other) = if a.radius > 0.0 { (&a, &b) } else { (&b, &a) };
        if !(motion == DVec3::ZERO && disc.radius > 0.0 && other.radius <= 0.0) {
            return None;
        }
        disc.crossed_by(other, error)
    }
}

/// [`Cores::level_relation_towards`] of two solids that rest.
pub(crate) fn level_relation<'a>(
    a: impl Into<Solid<'a>>,
    b: impl Into<Solid<'a>>,
    b_in_a: &Relative,
    normal: DVec3,
) -> Option<Relation> {
    Cores::new(&a.into(), &b.into(), b_in_a).level_relation_towards(normal, None)
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Shape;
    use impinge_shapes::glam::Quat;

    use super::*;
    use crate::convex::draw::Draw;
    use crate::convex::exact::Vertices;

    /// Shapes and places of few digits, so that many touch, turned around an axis of the world or by
    /// quarters.
    fn drawn(draw: &mut Draw) -> (Shape, Pose) {
        let mut steps = |most: f32| (draw.next() * most).round() * 0.25;
        let mut point = |most: f32| Vec3::new(steps(most), steps(most), steps(most));
        let (half, corners) = (point(4.0).abs(), [point(4.0), point(4.0), point(4.0)]);
        let place = point(6.0);
        let points: Vec<Vec3> = (0..7).map(|_| point(4.0)).collect();
        let shape = match draw.below(6) {
            0 | 1 => Shape::cuboid(half).unwrap(),
            2 => Shape::triangle(corners[0], corners[1], corners[2]).unwrap(),
            3 => Shape::capsule(corners[0], corners[1], half.x).unwrap(),
            4 => Shape::convex_hull(&points).unwrap(),
            _ => Shape::rounded(Shape::cuboid(half).unwrap(), 0.25).unwrap(),
        };
        let quarters = Quat::from_vec4((draw.vector().round(), 1.0).into());
        let around = Quat::from_xyzw(0.0, draw.next(), 0.0, 1.0);
        let turn = match draw.below(3) {
            0 => Quat::IDENTITY,
            1 => around,
            _ => quarters,
        };
        (shape, Pose::new(place, turn).unwrap())
    }

    #[test]
    fn what_an_axis_tells_is_what_exact_numbers_tell() {
        let mut seen = [[0; 4]; 2];
        for seed in 0..60_000 {
            let mut draw = Draw(seed);
            let ((one, pose), (other, there)) = (drawn(&mut draw), drawn(&mut draw));
            let (one, other) = (one.solid().unwrap(), other.solid().unwrap());
            let at = Relative::new(&pose, &there);
            let cores = Cores::new(&one, &other, &at);
            let way = Vec3::new(draw.next(), draw.next().round() * 0.25, draw.next());
            let motion = (seed % 2 == 1).then_some(way);
            let [(a, b)] = [(one.core.vertices().unwrap(), other.core.vertices().unwrap())];
            let radii = [one.radii[0], one.radii[1], other.radii[0], other.radii[1]];
            let found = cores.level_relation(motion);
            let order = [Relation::Apart, Relation::Touching, Relation::Penetrating];
            let which = order.iter().position(|it| Some(*it) == found).unwrap_or(3);
            seen[usize::from(motion.is_some())][which] += 1;
            if let Some(found) = found {
                let vertices = Vertices { a: &a, b: &b, motion, radii };
                let expected = vertices.relation(&at, DVec3::X);
                assert_eq!(found, expected, "seed {seed}: {one:?} {other:?} {at:?} {motion:?}");
            }
        }
        let [[apart, touching, penetrating, open], [apart_on_way, touching_on_way, ..]] = seen;
        assert!(apart > 2_000 && apart_on_way > 2_000, "{seen:?}");
        assert!(touching > 300 && touching_on_way > 300 && open > 5_000, "{seen:?}");
        assert_eq!(penetrating, 0);
    }

    /// What stands on a triangle touches it where a ball of the same radius in its plane does.
    #[test]
    fn discs_cross_the_triangles_that_balls_in_their_plane_touch() {
        let (mut apart, mut touching, mut open) = (0, 0, 0);
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let mut level = |most: f32| (draw.vector() * most * scale).with_y(0.0);
            let corners = [level(1.0), level(1.0), level(1.0)];
            let place = level(1.5);
            // Needles, too.
            let corners = if seed % 4 == 0 {
                [corners[0], corners[1], corners[0].lerp(corners[1], 0.4) + corners[2] * 1e-3]
            } else {
                corners
            };
            let (half, radius) = (draw.next().abs() * scale, draw.next().abs() * scale);
            let stand = if draw.below(2) == 0 {
                Shape::cylinder(half, radius).unwrap()
            } else {
                Shape::cone(half, radius).unwrap()
            };
            let [p, q, r] = corners;
            let (triangle, here) = (Shape::triangle(p, q, r).unwrap(), Pose::IDENTITY);
            let turn = Quat::from_xyzw(0.0, draw.next(), 0.0, 1.0);
            let there = Pose::new(place.with_y(half), turn).unwrap();
            let ball = (Shape::sphere(radius).unwrap(), Pose::from_position(place).unwrap());
            let distance = crate::closest(&ball.0, &ball.1, &triangle, &here, f32::INFINITY);
            let distance = distance.unwrap().distance;
            let (one, other) = (triangle.solid().unwrap(), stand.solid().unwrap());
            for (a, b, at) in [
                (&one, &other, Relative::new(&here, &there)),
                (&other, &one, Relative::new(&there, &here)),
            ] {
                match Cores::new(a, b, &at).level_relation(None) {
                    Some(Relation::Apart) => {
                        assert!(distance > 0.0, "seed {seed}: {distance}");
                        apart += 1;
                    }
                    Some(found) => {
                        assert_eq!(found, Relation::Touching, "seed {seed}");
                        assert!(distance <= 0.0, "seed {seed}: {distance}");
                        touching += 1;
                    }
                    None => {
                        assert!(distance.abs() < radius * 1e-6, "seed {seed}: {distance}");
                        open += 1;
                    }
                }
            }
        }
        assert!(apart > 5_000 && touching > 5_000 && open < 100, "{apart} {touching} {open}");
    }
}
