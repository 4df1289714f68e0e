//! Touching, one ulp apart and one ulp deep: whole numbers against whole-number arithmetic, and
//! constructions that touch by design.

use std::cmp::Ordering;

use impinge_narrowphase::pairs::{
    capsule_capsule, capsule_half_space, capsule_sphere, cuboid_sphere, half_space_half_space,
    half_space_sphere, sphere_sphere,
};
use impinge_narrowphase::{Relation, Relative};
use impinge_shapes::glam::{I64Vec3, Quat, Vec3};
use impinge_shapes::{Capsule, Cuboid, HalfSpace, Pose, Sphere};

use crate::random::Random;
use crate::rooms::Kind;

fn at(x: f32, y: f32, z: f32) -> Relative {
    Relative::from_b_in_a(&Pose::from_position(Vec3::new(x, y, z)).unwrap())
}

fn sphere(radius: f32) -> Sphere {
    Sphere::new(radius).unwrap()
}

fn relation_of(distance_to_reach: Ordering) -> Relation {
    match distance_to_reach {
        Ordering::Greater => Relation::Apart,
        Ordering::Equal => Relation::Touching,
        Ordering::Less => Relation::Penetrating,
    }
}

/// A whole-numbered vector, read off its decimal digits so that no cast is needed.
fn whole(v: Vec3) -> I64Vec3 {
    v.as_i64vec3()
}

#[test]
fn whole_numbers_agree_with_whole_number_arithmetic() {
    let mut touching = [0; 4];
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let center = random.whole_vec(6);
        let b = Sphere::whole(&mut random);
        // Far from the origin the same whole numbers lie under larger ones.
        let far = random.pick(&[Vec3::ZERO, Vec3::new(65_536.0, -131_072.0, 1024.0)]);
        let pose_a = Pose::from_position(far).unwrap();
        let b_in_a = Relative::new(&pose_a, &Pose::from_position(far + center).unwrap());
        let c = whole(center);
        let r = whole(Vec3::splat(b.radius())).x;
        let mut check = |name: &str, index: usize, found: Relation, expected: Relation| {
            assert_eq!(found, expected, "{name} seed {seed}: {center} {b:?}");
            touching[index] += u32::from(expected == Relation::Touching);
        };

        let a = Sphere::whole(&mut random);
        let reach = r + whole(Vec3::splat(a.radius())).x;
        let expected = relation_of(c.length_squared().cmp(&(reach * reach)));
        check("sphere", 0, sphere_sphere::relation(&a, &b, &b_in_a), expected);

        let a = Cuboid::whole(&mut random);
        let over = c.abs() - whole(a.half_extents());
        let square = over.max(I64Vec3::ZERO).length_squared();
        let expected = if r == 0 { over.max_element().cmp(&0) } else { square.cmp(&(r * r)) };
        check("cuboid", 1, cuboid_sphere::relation(&a, &b, &b_in_a), relation_of(expected));

        let a = Capsule::whole(&mut random);
        let reach = r + whole(Vec3::splat(a.radius())).x;
        let (core, from) = (whole(a.b()) - whole(a.a()), c - whole(a.a()));
        let (along, length) = (from.dot(core), core.length_squared());
        let expected = if along <= 0 {
            from.length_squared().cmp(&(reach * reach))
        } else if along >= length {
            (c - whole(a.b())).length_squared().cmp(&(reach * reach))
        } else {
            from.cross(core).length_squared().cmp(&(reach * reach * length))
        };
        check("capsule", 2, capsule_sphere::relation(&a, &b, &b_in_a), relation_of(expected));

        let a = HalfSpace::whole(&mut random);
        let height = whole(a.normal()).dot(c) - whole(Vec3::splat(a.offset())).x;
        let expected = relation_of(height.cmp(&r));
        check("half-space", 3, half_space_sphere::relation(&a, &b, &b_in_a), expected);
    }
    assert!(touching.iter().all(|&count| count > 50), "{touching:?}");
}

/// Checks a room's relation around a distance at which it touches.
fn around(touch: f32, relation: impl Fn(f32) -> Relation) {
    assert_eq!(relation(touch), Relation::Touching);
    assert_eq!(relation(touch.next_up()), Relation::Apart);
    assert_eq!(relation(touch.next_down()), Relation::Penetrating);
}

#[test]
fn one_ulp_decides() {
    let quarter = Quat::from_xyzw(1.0, 1.0, 1.0, 1.0);
    for scale in [2.0_f32.powi(-120), 1.0, 2.0_f32.powi(110)] {
        let (one, three) = (sphere(scale), sphere(3.0 * scale));
        around(4.0 * scale, |x| sphere_sphere::relation(&one, &three, &at(x, 0.0, 0.0)));
        let capsule = Capsule::along_y(2.0 * scale, scale).unwrap();
        around(4.0 * scale, |x| capsule_sphere::relation(&capsule, &three, &at(x, scale, 0.0)));
        around(6.0 * scale, |y| capsule_sphere::relation(&capsule, &three, &at(0.0, y, 0.0)));
        let cuboid = Cuboid::new(Vec3::new(1.0, 2.0, 4.0) * scale).unwrap();
        around(4.0 * scale, |x| cuboid_sphere::relation(&cuboid, &three, &at(x, scale, 0.0)));
        // A corner, (2, 3, 6) away from a centre of radius 7.
        let seven = sphere(7.0 * scale);
        let corner = |z: f32| at(3.0 * scale, 5.0 * scale, z);
        around(10.0 * scale, |z| cuboid_sphere::relation(&cuboid, &seven, &corner(z)));
        let floor = HalfSpace::new(Vec3::Y, scale).unwrap();
        around(4.0 * scale, |y| half_space_sphere::relation(&floor, &three, &at(scale, y, 0.0)));
        // The capsule's lower end is 3 below its centre; the half-space is B here.
        let below = |y: f32| at(0.0, -y, scale);
        around(4.0 * scale, |y| capsule_half_space::relation(&capsule, &floor, &below(y)));
        around(2.0 * scale, |x| capsule_capsule::relation(&capsule, &capsule, &at(x, scale, 0.0)));
        around(6.0 * scale, |y| capsule_capsule::relation(&capsule, &capsule, &at(0.0, y, 0.0)));
        let lying = |z: f32| {
            let pose = Pose::new(Vec3::new(scale, scale, z), quarter).unwrap();
            capsule_capsule::relation(&capsule, &capsule, &Relative::from_b_in_a(&pose))
        };
        // The turned core runs along z: its lower end comes down on the standing one's side.
        assert_eq!(lying(2.0 * scale), Relation::Penetrating);
        let ceiling = HalfSpace::new(Vec3::NEG_Y, scale).unwrap();
        around(2.0 * scale, |y| {
            half_space_half_space::relation(&floor, &ceiling, &at(0.0, y, 0.0))
        });
    }
}

#[test]
fn rotations_are_meant_exactly() {
    // (1, 2, 2, 4) turns by a matrix of 25ths: the box's corner lies where f64 cannot say.
    let turn = Quat::from_xyzw(1.0, 2.0, 2.0, 4.0);
    let pose_a = Pose::new(Vec3::ZERO, turn).unwrap();
    let cuboid = Cuboid::new(Vec3::new(25.0, 50.0, 25.0)).unwrap();
    let capsule = Capsule::new(Vec3::new(25.0, 50.0, 25.0), Vec3::ZERO, 1.0).unwrap();
    // The corner (25, 50, 25) comes to lie at whole numbers.
    let corner = pose_a.rotation_matrix() * Vec3::new(25.0, 50.0, 25.0).as_dvec3();
    let corner = impinge_shapes::round::nearest_vec(corner.round());
    for (offset, radius) in [(Vec3::new(2.0, 3.0, 6.0), 7.0), (Vec3::new(1.0, 4.0, 8.0), 9.0)] {
        for sign in 0..8 {
            let flip = |bit: i32| if sign & bit == 0 { 1.0 } else { -1.0 };
            let offset = offset * Vec3::new(flip(1), flip(2), flip(4));
            let local = pose_a.rotation_matrix().transpose() * offset.as_dvec3();
            if local.min_element() < 0.0 {
                continue;
            }
            let pose_b = Pose::from_position(corner + offset).unwrap();
            let b_in_a = Relative::new(&pose_a, &pose_b);
            let touches = |radius: f32| cuboid_sphere::relation(&cuboid, &sphere(radius), &b_in_a);
            assert_eq!(touches(radius), Relation::Touching, "{offset}");
            assert_eq!(touches(radius.next_down()), Relation::Apart, "{offset}");
            assert_eq!(touches(radius.next_up()), Relation::Penetrating, "{offset}");
            let capped = |r: f32| capsule_sphere::relation(&capsule, &sphere(r - 1.0), &b_in_a);
            assert_eq!(capped(radius), Relation::Touching, "{offset}");
            let found = cuboid_sphere::closest(&cuboid, &sphere(radius), &b_in_a);
            assert_eq!(found.distance.to_bits(), 0.0_f64.to_bits());
        }
    }
}

/// The fraction of a sweep as a function of the number that decides it.
type Fraction<'a> = &'a dyn Fn(f32) -> Option<f64>;

#[test]
fn grazing_sweeps_hit_and_one_ulp_beside_they_miss() {
    let (one, two) = (sphere(1.0), sphere(2.0));
    let capsule = Capsule::along_y(2.0, 1.0).unwrap();
    let hanging = Capsule::new(Vec3::Y * -4.0, Vec3::ZERO, 1.0).unwrap();
    let cuboid = Cuboid::new(Vec3::new(1.0, 1.0, 4.0)).unwrap();
    let across = Vec3::new(16.0, 0.0, 0.0);
    let passes: [(&str, Fraction); 5] = [
        ("sphere", &|y| {
            sphere_sphere::sweep(&one, &two, &at(-8.0, y, 0.0), across).map(|hit| hit.fraction)
        }),
        ("capsule's end", &|y| {
            let b_in_a = at(-8.0, y, 0.0);
            capsule_sphere::sweep(&hanging, &two, &b_in_a, across).map(|hit| hit.fraction)
        }),
        ("capsule's side", &|z| {
            capsule_sphere::sweep(&capsule, &two, &at(-8.0, 1.0, z), across).map(|hit| hit.fraction)
        }),
        ("box's face", &|y| {
            let b_in_a = at(-8.0, y, 1.0);
            cuboid_sphere::sweep(&cuboid, &two, &b_in_a, across).map(|hit| hit.fraction)
        }),
        ("capsules", &|z| {
            let standing = Capsule::along_y(1.0, 2.0).unwrap();
            let b_in_a = at(-8.0, 0.0, z);
            capsule_capsule::sweep(&capsule, &standing, &b_in_a, across).map(|hit| hit.fraction)
        }),
    ];
    for (name, pass) in passes {
        let touch = 3.0_f32;
        let graze = pass(touch).unwrap_or_else(|| panic!("{name}: a graze is a hit"));
        let early = if name == "box's face" { 0.4375 } else { 0.5 };
        assert!((graze - early).abs() < 1e-6, "{name}: {graze}");
        assert!(pass(touch.next_up()).is_none(), "{name}");
        assert!(pass(touch.next_down()).is_some(), "{name}");
    }
}

#[test]
fn sweeps_that_end_in_touch_hit_and_one_ulp_short_they_miss() {
    let (one, two) = (sphere(1.0), sphere(2.0));
    let capsule = Capsule::along_y(2.0, 1.0).unwrap();
    let cuboid = Cuboid::new(Vec3::new(1.0, 2.0, 4.0)).unwrap();
    let floor = HalfSpace::new(Vec3::X, 1.0).unwrap();
    let turned = HalfSpace::new(Vec3::NEG_X, -1.0).unwrap();
    let reaches: [(&str, Fraction); 7] = [
        ("sphere", &|x| {
            sphere_sphere::sweep(&one, &two, &at(8.0, 0.0, 0.0), Vec3::NEG_X * x)
                .map(|h| h.fraction)
        }),
        ("capsule", &|x| {
            let b_in_a = at(8.0, 1.0, 0.0);
            capsule_sphere::sweep(&capsule, &two, &b_in_a, Vec3::NEG_X * x).map(|h| h.fraction)
        }),
        ("cuboid", &|x| {
            let b_in_a = at(8.0, 1.0, 3.0);
            cuboid_sphere::sweep(&cuboid, &two, &b_in_a, Vec3::NEG_X * x).map(|h| h.fraction)
        }),
        ("half-space", &|x| {
            let b_in_a = at(8.0, 1.0, 3.0);
            half_space_sphere::sweep(&floor, &two, &b_in_a, Vec3::NEG_X * x).map(|h| h.fraction)
        }),
        ("capsules", &|x| {
            let b = Capsule::new(Vec3::ZERO, Vec3::X * 3.0, 2.0).unwrap();
            let b_in_a = at(8.0, 1.0, 0.0);
            capsule_capsule::sweep(&capsule, &b, &b_in_a, Vec3::NEG_X * x).map(|h| h.fraction)
        }),
        ("capsule under a half-space", &|x| {
            let fat = Capsule::along_y(2.0, 2.0).unwrap();
            let b_in_a = at(6.0, 1.0, 0.0);
            capsule_half_space::sweep(&fat, &turned, &b_in_a, Vec3::NEG_X * x).map(|h| h.fraction)
        }),
        ("half-spaces", &|x| {
            let b_in_a = at(5.0, 1.0, 0.0);
            half_space_half_space::sweep(&floor, &turned, &b_in_a, Vec3::NEG_X * x)
                .map(|h| h.fraction)
        }),
    ];
    for (name, reach) in reaches {
        assert!((reach(5.0).unwrap_or(f64::NAN) - 1.0).abs() < 1e-12, "{name}");
        assert!(reach(5.0_f32.next_down()).is_none(), "{name}");
        let past = reach(5.0_f32.next_up()).unwrap();
        assert!(past < 1.0 && past > 0.9999, "{name}: {past}");
        assert!((reach(10.0).unwrap() - 0.5).abs() < 1e-12, "{name}");
    }
}
