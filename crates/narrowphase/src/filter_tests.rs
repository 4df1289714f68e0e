//! The f64 filters of the round rooms say what exact arithmetic says, at and near touch.

use std::cmp::Ordering;

use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Capsule, Cone, Cuboid, Cylinder, HalfSpace, Pose, Sphere, Triangle};

use crate::exact_pair::relation_of;
use crate::pairs::capsule_half_space::CapsuleHalfSpace;
use crate::pairs::capsule_sphere::CapsuleSphere;
use crate::pairs::convex_half_space::ConvexHalfSpace;
use crate::pairs::cuboid_half_space::CuboidHalfSpace;
use crate::pairs::cuboid_sphere::CuboidSphere;
use crate::pairs::cylinder_sphere::CylinderSphere;
use crate::pairs::half_space_sphere::HalfSpaceSphere;
use crate::pairs::sphere_sphere::SphereSphere;
use crate::pairs::sphere_triangle::SphereTriangle;
use crate::pairs::{capsule_capsule, capsule_sphere, cuboid_sphere, sphere_sphere};
use crate::real::Placed;
use crate::witness::Round;
use crate::{Relation, Relative};

/// Small whole numbers, of which many make pairs touch, some of them nudged by an ulp.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % count
    }

    fn whole(&mut self, limit: u8) -> f32 {
        let value = u8::try_from(self.next(2 * u64::from(limit) + 1)).unwrap();
        let whole = f32::from(value) - f32::from(limit);
        match self.next(24) {
            0 => whole.next_up(),
            1 => whole.next_down(),
            _ => whole,
        }
    }

    fn vec(&mut self, limit: u8) -> Vec3 {
        Vec3::new(self.whole(limit), self.whole(limit), self.whole(limit))
    }

    fn pose(&mut self) -> Pose {
        let turns = [
            Quat::IDENTITY,
            Quat::from_xyzw(0.0, 1.0, 0.0, 1.0),
            Quat::from_xyzw(1.0, 1.0, -1.0, 1.0),
            Quat::from_xyzw(1.0, 2.0, 2.0, 4.0),
            Quat::from_xyzw(1e-7, 0.0, 0.0, 1.0),
        ];
        let turn = turns[usize::try_from(self.next(5)).unwrap()];
        Pose::new(self.vec(5), turn).unwrap()
    }

    fn sphere(&mut self) -> Sphere {
        Sphere::new(self.whole(3).abs()).unwrap()
    }

    fn capsule(&mut self) -> Capsule {
        let (a, mut b) = (self.vec(3), self.vec(3));
        if self.next(2) == 0 {
            b = Vec3::new(a.x, b.y, a.z);
        }
        Capsule::new(a, b, self.whole(2).abs()).unwrap()
    }
}

/// Compares a room's relation and yes/no of its sweep with exact arithmetic.
struct Agreement {
    name: &'static str,
    relations: [u32; 3],
    sweeps: [u32; 2],
}

impl Agreement {
    fn new(name: &'static str) -> Self {
        Self { name, relations: [0; 3], sweeps: [0; 2] }
    }

    fn relation(&mut self, seed: u64, found: Relation, exact: Ordering) {
        assert_eq!(found, relation_of(exact), "{} seed {seed}", self.name);
        self.relations[match found {
            Relation::Apart => 0,
            Relation::Touching => 1,
            Relation::Penetrating => 2,
        }] += 1;
    }

    /// Exact sweeps compare the path's least distance with the reach, for pairs that are apart.
    fn sweep(&mut self, seed: u64, start: Relation, hit: bool, exact: impl FnOnce() -> Ordering) {
        if start == Relation::Apart {
            assert_eq!(hit, exact() != Ordering::Greater, "{} sweep, seed {seed}", self.name);
            self.sweeps[usize::from(hit)] += 1;
        }
    }

    fn finish(self) {
        let counts = [self.relations.iter().min(), self.sweeps.iter().min()];
        assert!(counts.iter().all(|&least| least > Some(&5)), "{} {counts:?}", self.name);
    }
}

#[test]
fn relations_and_sweeps_agree_with_exact_arithmetic() {
    let mut spheres = Agreement::new("sphere, sphere");
    let mut capsule_with_sphere = Agreement::new("capsule, sphere");
    let mut box_with_sphere = Agreement::new("cuboid, sphere");
    let mut capsules = Agreement::new("capsule, capsule");
    for seed in 0..6000 {
        let mut numbers = Numbers(seed);
        let b_in_a = Relative::new(&numbers.pose(), &numbers.pose());
        let motion = numbers.vec(6);
        let (one, two) = (numbers.sphere(), numbers.sphere());
        let (rod, bar) = (numbers.capsule(), numbers.capsule());
        let cuboid = Cuboid::new(numbers.vec(3).abs()).unwrap();

        let found = sphere_sphere::relation(&one, &two, &b_in_a);
        spheres.relation(seed, found, sphere_sphere::exact_compare(&one, &two, &b_in_a));
        let hit = sphere_sphere::sweep(&one, &two, &b_in_a, motion).is_some();
        spheres.sweep(seed, found, hit, || sphere_sphere::exact_sweep(&one, &two, &b_in_a, motion));

        let found = capsule_sphere::relation(&rod, &two, &b_in_a);
        let exact = capsule_sphere::exact_compare(&rod, &two, &b_in_a);
        capsule_with_sphere.relation(seed, found, exact);
        let hit = capsule_sphere::sweep(&rod, &two, &b_in_a, motion).is_some();
        capsule_with_sphere
            .sweep(seed, found, hit, || capsule_sphere::exact_sweep(&rod, &two, &b_in_a, motion));

        let found = cuboid_sphere::relation(&cuboid, &two, &b_in_a);
        let exact = cuboid_sphere::exact_compare(&cuboid, &two, &b_in_a);
        box_with_sphere.relation(seed, found, exact);
        if seed % 4 == 0 {
            let hit = cuboid_sphere::sweep(&cuboid, &two, &b_in_a, motion).is_some();
            box_with_sphere.sweep(seed, found, hit, || {
                cuboid_sphere::exact_sweep(&cuboid, &two, &b_in_a, motion)
            });
        }

        let found = capsule_capsule::relation(&rod, &bar, &b_in_a);
        let exact = capsule_capsule::exact_compare(&rod, &bar, &b_in_a);
        capsules.relation(seed, found, exact);
        let hit = capsule_capsule::sweep(&rod, &bar, &b_in_a, motion).is_some();
        capsules
            .sweep(seed, found, hit, || capsule_capsule::exact_sweep(&rod, &bar, &b_in_a, motion));
    }
    spheres.finish();
    capsule_with_sphere.finish();
    box_with_sphere.finish();
    capsules.finish();
}

/// What a kind's yes or no by plain numbers says beside its room.
#[derive(Default)]
struct Told {
    apart: u32,
    deep: u32,
    /// The room alone knows, though the two do not touch.
    left: u32,
}

impl Told {
    fn check<K: Round>(&mut self, seed: u64, (a, pose_a): (K::A, Pose), (b, pose_b): (K::B, Pose)) {
        let wanted = K::pair(&a, &b).relation(&Relative::new(&pose_a, &pose_b));
        let sides = K::sides::<f64>(&Placed::of(&a, &pose_a), &Placed::of(&b, &pose_b));
        let Some(found) = sides.told() else {
            self.left += u32::from(wanted != Relation::Touching);
            return;
        };
        assert_eq!(found, wanted, "{} seed {seed}", std::any::type_name::<K>());
        *if found.overlaps() { &mut self.deep } else { &mut self.apart } += 1;
    }

    fn finish(&self, name: &str) {
        let Self { apart, deep, left } = *self;
        assert!(apart > 100 && deep > 100, "{name}: {apart} apart, {deep} deep");
        assert!(20 * left < apart + deep, "{name}: {left} left beside {apart} and {deep}");
    }
}

#[test]
fn yes_or_no_by_plain_numbers_is_what_the_rooms_say() {
    let mut told: [Told; 11] = Default::default();
    for seed in 0..20_000 {
        let mut numbers = Numbers(seed);
        // Sizes of one scene from equal to a million times apart, all of it from small to large.
        let scale = [1.0, 1e-6, 1e6, 1e-30, 1e15][usize::try_from(numbers.next(5)).unwrap()];
        let small = scale * [1.0, 1.0, 1e-3, 1e-6][usize::try_from(numbers.next(4)).unwrap()];
        let mut pose = || {
            let pose = numbers.pose();
            Pose::new(pose.position() * scale, pose.rotation()).unwrap()
        };
        let (one, two) = (pose(), pose());
        let ball = Sphere::new(numbers.whole(3).abs() * small).unwrap();
        let other = Sphere::new(numbers.whole(3).abs() * scale).unwrap();
        let rod = numbers.capsule();
        let rod = Capsule::new(rod.a() * scale, rod.b() * scale, rod.radius() * small).unwrap();
        let cuboid = Cuboid::new(numbers.vec(3).abs() * scale).unwrap();
        let flat = Vec3::new(scale, small, scale);
        let corners = [0; 3].map(|_| numbers.vec(4) * flat);
        let facet = Triangle::new(corners[0], corners[1], corners[2]).unwrap();
        let normal = numbers.vec(3) + Vec3::new(0.0, 0.25, 0.0);
        let floor = HalfSpace::new(normal, numbers.whole(3) * scale).unwrap();
        let (half, radius) = (numbers.whole(3).abs() * small, numbers.whole(3).abs() * scale);
        let drum = Cylinder::new(half, radius).unwrap();
        let hat = Cone::new(half, radius).unwrap();

        told[0].check::<SphereSphere>(seed, (ball, one), (other, two));
        told[1].check::<CapsuleSphere>(seed, (rod, one), (ball, two));
        told[2].check::<CuboidSphere>(seed, (cuboid, one), (ball, two));
        told[3].check::<CylinderSphere>(seed, (drum, one), (ball, two));
        told[4].check::<SphereTriangle>(seed, (other, one), (facet, two));
        told[5].check::<HalfSpaceSphere>(seed, (floor, one), (ball, two));
        told[6].check::<CapsuleHalfSpace>(seed, (rod, one), (floor, two));
        told[7].check::<CuboidHalfSpace>(seed, (cuboid, one), (floor, two));
        told[8].check::<ConvexHalfSpace<Triangle>>(seed, (facet, one), (floor, two));
        told[9].check::<ConvexHalfSpace<Cylinder>>(seed, (drum, one), (floor, two));
        told[10].check::<ConvexHalfSpace<Cone>>(seed, (hat, one), (floor, two));
    }
    let names = [
        "spheres",
        "capsule and sphere",
        "box and sphere",
        "cylinder and sphere",
        "sphere and triangle",
        "half-space and sphere",
        "capsule and half-space",
        "box and half-space",
        "triangle and half-space",
        "cylinder and half-space",
        "cone and half-space",
    ];
    for (told, name) in told.iter().zip(names) {
        told.finish(name);
    }
}
