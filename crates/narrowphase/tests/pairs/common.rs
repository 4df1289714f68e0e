//! What the tests of the rooms share: random numbers, and queries that must agree with each other.
#![allow(missing_docs, unreachable_pub, reason = "test code")]

use impinge_narrowphase::{Impact, Patch, Relation, Relative, Separation};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Capsule, Cuboid, Pose};

/// A small generator of repeatable numbers.
///
/// - Source: Steele, Lea & Flood, *Fast splittable pseudorandom number generators* (2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn within(&mut self, low: f32, high: f32) -> f32 {
        let bits = u16::try_from(self.next() >> 48).unwrap_or(0);
        low + (high - low) * (f32::from(bits) / 65536.0)
    }

    pub fn axis(&mut self) -> usize {
        usize::try_from(self.next() % 3).unwrap_or(0)
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    pub fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|_| self.within(-reach, reach)))
    }

    /// A whole number from `-reach` to `reach`.
    pub fn whole(&mut self, reach: u8) -> f32 {
        let choices = 2 * u64::from(reach) + 1;
        f32::from(u8::try_from(self.next() % choices).unwrap_or(0)) - f32::from(reach)
    }

    pub fn whole_vector(&mut self, reach: u8) -> Vec3 {
        Vec3::from_array([0, 1, 2].map(|_| self.whole(reach)))
    }

    /// A quaternion of small whole numbers: many quarter turns, shared axes and exact touches.
    pub fn whole_rotation(&mut self) -> Quat {
        let q = Quat::from_array([0, 1, 2, 3].map(|_| self.whole(2)));
        if q.length_squared() > 0.0 { q } else { Quat::IDENTITY }
    }

    pub fn rotation(&mut self) -> Quat {
        Quat::from_array([0, 1, 2, 3].map(|_| self.within(-1.0, 1.0)))
    }
}

pub fn cuboid(half_extents: impl Into<Vec3>) -> Cuboid {
    Cuboid::new(half_extents.into()).expect("valid half extents")
}

pub fn capsule(a: impl Into<Vec3>, b: impl Into<Vec3>, radius: f32) -> Capsule {
    Capsule::new(a.into(), b.into(), radius).expect("valid capsule")
}

pub fn pose(position: impl Into<Vec3>, rotation: Quat) -> Pose {
    Pose::new(position.into(), rotation).expect("valid pose")
}

/// A box of which one in three is flat, a segment or a point.
pub fn random_cuboid(random: &mut Random) -> Cuboid {
    let mut half = (random.vector(1.0) + Vec3::ONE) * 0.75;
    if random.one_in(4) {
        half[random.axis()] = 0.0;
    }
    if random.one_in(8) {
        half[random.axis()] = 0.0;
    }
    cuboid(half)
}

/// A capsule of which some are spheres, segments, or run along an axis.
pub fn random_capsule(random: &mut Random) -> Capsule {
    let mut along = random.vector(1.0);
    if random.one_in(4) {
        along = Vec3::AXES[random.axis()];
    }
    if random.one_in(16) {
        along = Vec3::ZERO;
    }
    let radius = if random.one_in(8) { 0.0 } else { random.within(0.0, 0.75) };
    let centre = random.vector(0.25);
    capsule(centre - along, centre + along, radius)
}

/// A pose turned and moved by some 1e-2 to 1e-12: nearly parallel, nearly touching.
pub fn nudged(at: &Pose, random: &mut Random) -> Pose {
    let by = |random: &mut Random| {
        let power = i32::try_from(random.next() % 11).unwrap_or(0) + 2;
        10.0_f32.powi(-power)
    };
    let turn = Quat::from_array([0, 1, 2, 3].map(|_| random.whole(1))) * by(random);
    let move_by = random.whole_vector(1) * by(random);
    pose(at.position() + move_by, at.rotation() + turn)
}

/// The functions of a room, and what it takes to check them.
pub struct Room<A, B> {
    pub relation: fn(&A, &B, &Relative) -> Relation,
    pub closest: fn(&A, &B, &Relative) -> Separation,
    pub manifold: fn(&A, &B, &Relative, f64) -> Option<Patch>,
    pub sweep: fn(&A, &B, &Relative, Vec3) -> Option<Impact>,
    /// Zero on the surface, positive outside; in the shape's frame.
    pub outside_a: fn(&A, DVec3) -> f64,
    pub outside_b: fn(&B, DVec3) -> f64,
    /// Some length that bounds the two shapes.
    pub size: f64,
}

pub fn outside_cuboid(cuboid: &Cuboid, point: DVec3) -> f64 {
    (point.abs() - cuboid.half_extents().as_dvec3()).max_element()
}

pub fn outside_capsule(capsule: &Capsule, point: DVec3) -> f64 {
    let (a, b) = (capsule.a().as_dvec3(), capsule.b().as_dvec3());
    let share = (point - a).dot(b - a) / (b - a).length_squared();
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a + (b - a) * share) - f64::from(capsule.radius())
}

pub fn moved(pose: &Pose, by: DVec3) -> Pose {
    let at = pose.translation() + by;
    let position = Vec3::from_array(at.to_array().map(impinge_shapes::round::nearest));
    Pose::new(position, pose.rotation()).expect("valid pose")
}

impl<A, B> Room<A, B> {
    /// Checks that relation, closest points and manifolds agree; tells the relation.
    pub fn check_still(&self, a: &A, b: &B, at_a: &Pose, at_b: &Pose, seed: u64) -> Relation {
        let relative = Relative::new(at_a, at_b);
        let relation = (self.relation)(a, b, &relative);
        let found = (self.closest)(a, b, &relative);
        let sign = match relation {
            Relation::Apart => found.distance > 0.0,
            Relation::Touching => found.distance.abs() <= 0.0,
            Relation::Penetrating => found.distance < 0.0,
        };
        assert!(sign, "seed {seed}: {relation:?} {found:?}");
        assert!((found.normal.length() - 1.0).abs() < 1e-12, "seed {seed}: {found:?}");
        let tiny = 1e-10 * self.size;
        self.check_points(a, b, &relative, &found, tiny, seed);

        // Moving B by -distance * normal leaves the two just touching.
        let by = relative.vector_to_world(-found.normal * found.distance);
        let after = (self.closest)(a, b, &Relative::new(at_a, &moved(at_b, by)));
        assert!(after.distance.abs() < 1e-6 * self.size, "seed {seed}: {found:?} {after:?}");

        for margin in [0.0, 0.25] {
            let patch = (self.manifold)(a, b, &relative, margin);
            assert_eq!(patch.is_some(), found.distance <= margin, "seed {seed}: {found:?}");
            let Some(patch) = patch else { continue };
            assert!((1..=4).contains(&patch.points.len()));
            assert!(patch.points.is_sorted_by_key(|p| p.feature));
            let mut deepest = f64::INFINITY;
            for p in &patch.points {
                let here = Separation {
                    distance: p.distance,
                    normal: patch.normal,
                    point_a: p.point_a,
                    point_b: p.point_b,
                };
                assert!(p.distance <= margin);
                self.check_points(a, b, &relative, &here, 1e-6 * self.size, seed);
                deepest = deepest.min(p.distance);
            }
            // Along a face that is nearly the best axis the depth is another by part of the angle.
            let turned = patch.normal.cross(found.normal).length();
            let turned = if turned <= 0.0625 { turned * self.size } else { 0.0 };
            let slack = tiny + 1e-3 * found.distance.abs() + turned;
            assert!((deepest - found.distance).abs() < slack, "seed {seed}: {patch:?} {found:?}");
        }
        relation
    }

    fn check_points(&self, a: &A, b: &B, at: &Relative, found: &Separation, tiny: f64, seed: u64) {
        let gap = found.point_b - found.point_a - found.normal * found.distance;
        assert!(gap.length() < tiny, "seed {seed}: {found:?}");
        let in_b = at.vector_to_b(found.point_b - at.translation());
        let (on_a, on_b) = ((self.outside_a)(a, found.point_a), (self.outside_b)(b, in_b));
        assert!(on_a.abs() < tiny && on_b.abs() < tiny, "seed {seed}: {found:?} {on_a} {on_b}");
    }

    /// Checks that a sweep from apart ends in touch, or never meets; tells whether it hit.
    pub fn check_sweep(
        &self,
        (a, b): (&A, &B),
        (at_a, at_b): (&Pose, &Pose),
        motion: Vec3,
        seed: u64,
    ) -> bool {
        let size = self.size + f64::from(motion.abs().element_sum());
        let path = |fraction: f64| {
            let there = moved(at_b, motion.as_dvec3() * fraction);
            (self.closest)(a, b, &Relative::new(at_a, &there)).distance
        };
        let relative = Relative::new(at_a, at_b);
        let Some(impact) = (self.sweep)(a, b, &relative, motion) else {
            for k in 0..=16 {
                let there = path(f64::from(k) / 16.0);
                assert!(there > -1e-6 * size, "seed {seed}: {there}");
            }
            return false;
        };
        assert!((0.0..=1.0).contains(&impact.fraction), "seed {seed}");
        let at = path(impact.fraction);
        assert!(at.abs() < 1e-6 * size, "seed {seed}: {at} {impact:?}");
        let along = relative.vector_from_world(motion.as_dvec3());
        assert!(impact.normal.dot(along) <= 0.0, "seed {seed}: {impact:?}");
        assert!((impact.normal.length() - 1.0).abs() < 1e-12, "seed {seed}: {impact:?}");
        let on_a = (self.outside_a)(a, impact.point);
        let in_b = impact.point - relative.translation() - along * impact.fraction;
        let on_b = (self.outside_b)(b, relative.vector_to_b(in_b));
        assert!(on_a.abs() < 1e-9 * size && on_b.abs() < 1e-9 * size, "seed {seed}: {impact:?}");
        for k in 1..8 {
            let before = path(impact.fraction * f64::from(k) / 8.0);
            assert!(before > -1e-6 * size, "seed {seed}: {before}");
        }
        true
    }
}
