//! Half-spaces against spheres, capsules and boxes: what comes straight from the poses against the
//! rooms, which work the pair's frame out in full.

use crate::common::{Random, pose};
use impinge_narrowphase::pairs::{capsule_half_space, cuboid_half_space, half_space_sphere};
use impinge_narrowphase::{
    Relation, Relative, Separation, closest, distance, manifold, overlaps, relation,
};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{Capsule, Cuboid, HalfSpace, Pose, Shape, Sphere};

const CASES: u64 = 20_000;

/// A shape beside the half-space.
#[derive(Clone, Copy, Debug)]
enum Other {
    Capsule(Capsule),
    Cuboid(Cuboid),
    Sphere(Sphere),
}

impl Other {
    fn shape(self) -> Shape {
        match self {
            Self::Capsule(capsule) => capsule.into(),
            Self::Cuboid(cuboid) => cuboid.into(),
            Self::Sphere(sphere) => sphere.into(),
        }
    }

    /// The farthest point down a world direction, in the world.
    fn lowest(self, at: &Pose, down: DVec3) -> DVec3 {
        let own = at.rotation_matrix().transpose() * down;
        let point = match self {
            Self::Capsule(capsule) => capsule.support(own),
            Self::Cuboid(cuboid) => cuboid.support(own),
            Self::Sphere(sphere) => sphere.support(own),
        };
        at.rotation_matrix() * point + at.translation()
    }

    /// The rooms' relation, and their separation from the half-space to the shape in the world.
    fn in_room(self, at: &Pose, plane: &HalfSpace, plane_at: &Pose) -> (Relation, Separation) {
        let world = |frame: &Relative, found: Separation| Separation {
            distance: found.distance,
            normal: frame.vector_to_world(found.normal),
            point_a: frame.point_to_world(found.point_a),
            point_b: frame.point_to_world(found.point_b),
        };
        let (frame, back) = (Relative::new(at, plane_at), Relative::new(plane_at, at));
        match self {
            Self::Capsule(it) => (
                capsule_half_space::relation(&it, plane, &frame),
                world(&frame, capsule_half_space::closest(&it, plane, &frame).flipped()),
            ),
            Self::Cuboid(it) => (
                cuboid_half_space::relation(&it, plane, &frame),
                world(&frame, cuboid_half_space::closest(&it, plane, &frame).flipped()),
            ),
            Self::Sphere(it) => (
                half_space_sphere::relation(plane, &it, &back),
                world(&back, half_space_sphere::closest(plane, &it, &back)),
            ),
        }
    }
}

/// A pair; every other one on a lattice, where many touch exactly.
fn drawn(seed: u64) -> (Other, Pose, HalfSpace, Pose) {
    let mut random = Random(seed);
    let lattice = random.one_in(2);
    let axes = lattice && random.one_in(2);
    let vector = |random: &mut Random| {
        if lattice { random.whole_vector(2) * 0.5 } else { random.vector(1.5) }
    };
    let size = vector(&mut random).abs();
    let other = match seed % 3 {
        0 => {
            let (first, second) = (vector(&mut random), vector(&mut random));
            // Mostly along y, as most capsules lie.
            let upright = !random.one_in(3);
            let ends =
                if upright { [Vec3::Y * size.y, Vec3::NEG_Y * size.y] } else { [first, second] };
            Other::Capsule(Capsule::new(ends[0], ends[1], size.x).expect("valid"))
        }
        1 => Other::Cuboid(Cuboid::new(size).expect("valid")),
        _ => Other::Sphere(Sphere::new(size.x).expect("valid")),
    };
    let plane = loop {
        let (mut normal, offset) = (vector(&mut random), vector(&mut random).x);
        if axes {
            normal = Vec3::AXES[random.axis()];
        }
        if let Ok(plane) = HalfSpace::new(normal, offset) {
            break plane;
        }
    };
    let far = if random.one_in(4) { random.whole_vector(2) * 1024.0 } else { Vec3::ZERO };
    let at = |random: &mut Random| {
        let turn = match (axes, lattice) {
            (true, _) => Quat::IDENTITY,
            (_, true) => random.whole_rotation(),
            _ => random.rotation(),
        };
        pose(far + vector(random), turn)
    };
    (other, at(&mut random), plane, at(&mut random))
}

#[test]
fn what_comes_from_the_poses_agrees_with_the_rooms() {
    let mut seen = [[0; 3]; 3];
    let mut manifolds = [0; 2];
    for seed in 0..CASES {
        let (other, at, plane, plane_at) = drawn(seed);
        let (shape, floor) = (other.shape(), Shape::from(plane));
        let name = format!("seed {seed}: {other:?} {at:?} {plane:?} {plane_at:?}");
        let (expected, room) = other.in_room(&at, &plane, &plane_at);
        let found = relation(&floor, &plane_at, &shape, &at);
        assert_eq!(found, expected, "{name}");
        assert_eq!(relation(&shape, &at, &floor, &plane_at), expected, "{name}");
        assert_eq!(overlaps(&shape, &at, &floor, &plane_at), expected.overlaps(), "{name}");
        seen[usize::try_from(seed % 3).unwrap_or(0)][expected as usize] += 1;

        let near = closest(&floor, &plane_at, &shape, &at, f32::INFINITY).expect("no limit");
        let back = closest(&shape, &at, &floor, &plane_at, f32::INFINITY).expect("no limit");
        assert_eq!(
            (near.distance, near.normal, near.point_a, near.point_b),
            (back.distance, -back.normal, back.point_b, back.point_a),
            "{name}"
        );
        let size = at.position().length() + plane_at.position().length() + 8.0;
        let tiny = f64::from(size) * f64::from(f32::EPSILON);
        let sign = f64::from(near.distance);
        match expected {
            Relation::Apart => assert!(sign > 0.0, "{name}: {near:?}"),
            Relation::Touching => assert!(sign.abs() <= 0.0, "{name}: {near:?}"),
            Relation::Penetrating => assert!(sign < 0.0, "{name}: {near:?}"),
        }
        // One rounding to f32 on top of the two bounds of 2^-44 of the size.
        let allowed = room.distance.abs() * 2.0_f64.powi(-24) + f64::from(size) * 2.0_f64.powi(-42);
        assert!((sign - room.distance).abs() <= allowed, "{name}: {near:?} {room:?}");
        assert!((near.normal.as_dvec3() - room.normal).length() <= 1e-7, "{name}: {near:?}");
        let [point_a, point_b] = [near.point_a, near.point_b].map(|point| point.as_dvec3());
        assert!((point_b - point_a - room.normal * sign).length() <= tiny, "{name}: {near:?}");
        // On the shape, as low as any of its points; where several are, any room may choose.
        let lowest = other.lowest(&at, -room.normal).dot(room.normal);
        assert!((point_b.dot(room.normal) - lowest).abs() <= tiny, "{name}: {near:?}");
        let level = (point_b - room.point_b).dot(room.normal);
        assert!(level.abs() <= tiny, "{name}: {near:?} {room:?}");
        let clear = distance(&floor, &plane_at, &shape, &at);
        assert_eq!(clear.to_bits(), near.distance.max(0.0).to_bits(), "{name}");
        assert_eq!(clear.to_bits(), distance(&shape, &at, &floor, &plane_at).to_bits(), "{name}");

        for margin in [0.0, 0.5] {
            let met = manifold(&floor, &plane_at, &shape, &at, margin);
            // Rounding decides about what lies at the margin, but never about touch.
            if margin <= 0.0 || f64::from((near.distance - margin).abs()) > allowed {
                assert_eq!(met.is_some(), near.distance <= margin, "{name}: {near:?}");
            }
            manifolds[usize::from(met.is_some())] += 1;
            if let Some(met) = met {
                assert!((met.normal - near.normal).length() <= 2e-7, "{name}: {met:?}");
                let off = (met.distance() - near.distance).abs();
                assert!(f64::from(off) <= allowed, "{name}: {met:?} {near:?}");
            }
        }
    }
    assert!(seen.iter().flatten().all(|&count| count > 100), "{seen:?}");
    assert!(manifolds.iter().all(|&count| count > 5000), "{manifolds:?}");
}

#[test]
fn sizes_may_be_scaled_by_powers_of_two() {
    for seed in 0..CASES / 10 {
        let (other, at, plane, plane_at) = drawn(seed);
        let near = closest(&plane.into(), &plane_at, &other.shape(), &at, f32::INFINITY);
        let near = near.expect("no limit");
        for factor in [2.0_f32.powi(-40), 2.0_f32.powi(30)] {
            let scaled = match other {
                Other::Capsule(it) => {
                    Shape::capsule(it.a() * factor, it.b() * factor, it.radius() * factor)
                        .expect("valid")
                }
                Other::Cuboid(it) => Shape::cuboid(it.half_extents() * factor).expect("valid"),
                Other::Sphere(it) => Shape::sphere(it.radius() * factor).expect("valid"),
            };
            // The stored normal, which normalising again may change by an ulp.
            let Ok(large) = HalfSpace::new(plane.normal(), plane.offset() * factor) else {
                continue;
            };
            if large.normal() != plane.normal() {
                continue;
            }
            let moved = |at: &Pose| pose(at.position() * factor, at.rotation());
            let found =
                closest(&large.into(), &moved(&plane_at), &scaled, &moved(&at), f32::INFINITY);
            let found = found.expect("no limit");
            let name = format!("seed {seed} by {factor}: {found:?} {near:?}");
            assert_eq!(found.distance.to_bits(), (near.distance * factor).to_bits(), "{name}");
            assert_eq!(found.normal, near.normal, "{name}");
            assert_eq!(found.point_a, near.point_a * factor, "{name}");
            assert_eq!(found.point_b, near.point_b * factor, "{name}");
        }
    }
}
