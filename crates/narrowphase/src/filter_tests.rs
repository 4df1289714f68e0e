//! The f64 filters of the round rooms say what exact arithmetic says, at and near touch.

use std::cmp::Ordering;

use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Capsule, Cuboid, Pose, Sphere};

use crate::exact_pair::relation_of;
use crate::pairs::{capsule_capsule, capsule_sphere, cuboid_sphere, sphere_sphere};
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
