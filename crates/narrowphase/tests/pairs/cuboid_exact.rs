//! Boxes that touch exactly, or miss touching by one step of f32, by construction.

use crate::common::{Random, cuboid, pose};
use impinge_narrowphase::pairs::cuboid_cuboid::{closest, manifold, relation, sweep};
use impinge_narrowphase::{Relation, Relative};
use impinge_shapes::glam::{DVec3, Quat, Vec3, vec3};
use impinge_shapes::{Cuboid, Pose};

use Relation::{Apart, Penetrating, Touching};

/// B at `position` turned by `rotation`, against an unturned A at the origin.
fn relate(a: &Cuboid, b: &Cuboid, position: Vec3, rotation: Quat) -> Relation {
    let there = Relative::new(&Pose::IDENTITY, &pose(position, rotation));
    let answer = relation(a, b, &there);
    assert_eq!(answer, relation(b, a, &there.flipped()), "{position} {rotation}");
    assert_eq!(answer != Apart, manifold(a, b, &there, 0.0).is_some(), "{position} {rotation}");
    let distance = closest(a, b, &there).distance;
    assert_eq!(answer == Apart, distance > 0.0, "{position} {rotation}");
    assert_eq!(answer == Penetrating, distance < 0.0, "{position} {rotation}");
    answer
}

/// Turns that are exact although they are no quarter turns: `|q|² R(q)` has whole entries.
const WHOLE: [Quat; 4] = [
    Quat::from_xyzw(1.0, 2.0, 0.0, 2.0),
    Quat::from_xyzw(2.0, -1.0, 4.0, 2.0),
    Quat::from_xyzw(0.0, 0.0, 1.0, 2.0),
    Quat::from_xyzw(1.0, 1.0, 1.0, 0.0),
];

/// `|q|² R(q)` and `|q|²`, exact for whole quaternions.
fn whole_rotation(q: Quat) -> ([DVec3; 3], f64) {
    let [x, y, z, w] = q.to_array().map(f64::from);
    let columns = [
        DVec3::new(w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), w * w + y * y - x * x - z * z, 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w + z * z - x * x - y * y),
    ];
    (columns, x * x + y * y + z * z + w * w)
}

fn narrow(v: DVec3) -> Vec3 {
    Vec3::from_array(v.to_array().map(impinge_shapes::round::nearest))
}

#[test]
fn lattice_neighbours_touch_and_one_ulp_decides() {
    let (a, b) = (cuboid([1.0, 0.5, 0.25]), cuboid([0.5, 0.25, 0.125]));
    let s = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [
        (Quat::IDENTITY, vec3(0.5, 0.25, 0.125)),
        (Quat::from_xyzw(0.0, 0.0, s, s), vec3(0.25, 0.5, 0.125)),
        (Quat::from_xyzw(0.0, s, 0.0, -s), vec3(0.125, 0.25, 0.5)),
        (Quat::from_xyzw(0.5, 0.5, 0.5, 0.5), vec3(0.125, 0.5, 0.25)),
        (Quat::from_xyzw(3.0, 0.0, 0.0, 0.0), vec3(0.5, 0.25, 0.125)),
    ];
    for (turn, half_b) in turns {
        let reach = vec3(1.0, 0.5, 0.25) + half_b;
        for k in 1..27 {
            let side =
                vec3([0.0, 1.0, -1.0][k % 3], [0.0, 1.0, -1.0][k / 3 % 3], [0.0, 1.0, -1.0][k / 9]);
            let at = side * reach;
            assert_eq!(relate(&a, &b, at, turn), Touching, "{at} {turn}");
            let there = Relative::new(&Pose::IDENTITY, &pose(at, turn));
            let patch = manifold(&a, &b, &there, 0.0).unwrap();
            assert!(patch.points.iter().any(|p| p.distance.abs() <= 0.0));
            if side.abs().element_sum() < 1.5 {
                assert_eq!(patch.points.len(), 4, "{patch:?}");
                assert!(patch.points.iter().all(|p| p.distance.abs() <= 0.0), "{patch:?}");
            }
            for i in (0..3).filter(|&i| side[i].abs() > 0.5) {
                let (mut far, mut near) = (at, at * 0.75);
                far[i] = if at[i] > 0.0 { at[i].next_up() } else { at[i].next_down() };
                near[i] = if at[i] > 0.0 { at[i].next_down() } else { at[i].next_up() };
                assert_eq!(relate(&a, &b, far, turn), Apart);
                assert_eq!(relate(&a, &b, near, turn), Penetrating);
            }
        }
    }
}

#[test]
fn boxes_turned_alike_touch_exactly() {
    for q in WHOLE {
        let (columns, norm) = whole_rotation(q);
        let half = f64::from(3_u8);
        let a = cuboid([3.0, 2.0, 1.0]);
        let b = cuboid(narrow(DVec3::splat(norm - half)));
        let at = narrow(columns[0]);
        let relate =
            |at: Vec3| relation(&a, &b, &Relative::new(&pose(Vec3::ZERO, q), &pose(at, q)));
        assert_eq!(relate(at), Touching, "{q}");
        let out = at + at.signum() * 1e-6;
        assert_eq!(relate(out), Apart, "{q}");
        assert_eq!(relate(at - at.signum() * 1e-6), Penetrating, "{q}");
    }
}

#[test]
fn crossed_edges_touch_exactly_and_one_ulp_decides() {
    let (mut touching, mut apart, mut deep) = (0, 0, 0);
    for q in WHOLE {
        let (columns, norm) = whole_rotation(q);
        let a = cuboid([2.0, 3.0, 1.0]);
        let b = cuboid(narrow(DVec3::splat(norm)));
        for (i, j, flip) in (0..18).map(|k| (k / 6, k / 2 % 3, k % 2 == 0)) {
            let cross = DVec3::AXES[i].cross(columns[j]) * if flip { -1.0 } else { 1.0 };
            if cross.length_squared() <= 0.0 {
                continue;
            }
            // A's farthest corner along the axis meets B's farthest against it.
            let side = |along: f64| if along < 0.0 { -1.0 } else { 1.0 };
            let mut at = DVec3::new(side(cross.x) * 2.0, side(cross.y) * 3.0, side(cross.z));
            for column in columns {
                at += column * side(column.dot(cross));
            }
            assert_eq!(relate(&a, &b, narrow(at), q), Touching, "{q} {i} {j}");
            touching += 1;
            let k = (0..3).max_by(|&k, &l| cross[k].abs().total_cmp(&cross[l].abs())).unwrap();
            for outward in [true, false] {
                let mut moved = narrow(at);
                let up = (cross[k] > 0.0) == outward;
                moved[k] = if up { moved[k].next_up() } else { moved[k].next_down() };
                let answer = relate(&a, &b, moved, q);
                assert!(!outward || answer == Apart, "{q} {i} {j}");
                apart += u32::from(answer == Apart);
                deep += u32::from(answer == Penetrating);
            }
        }
    }
    assert!(touching > 50 && apart > 50 && deep > 5, "{touching} {apart} {deep}");
}

#[test]
fn stacks_touch_at_any_yaw() {
    let (a, b) = (cuboid([1.0, 0.5, 1.0]), cuboid([0.5, 0.25, 0.5]));
    for k in 0..40 {
        let half_angle = 1e-8 * 1.5_f32.powi(k);
        for q in [
            Quat::from_xyzw(0.0, half_angle, 0.0, 1.0),
            Quat::from_xyzw(0.0, -1.0, 0.0, half_angle),
        ] {
            let at = vec3(0.25, 0.75, 0.125);
            assert_eq!(relate(&a, &b, at, q), Touching, "{q}");
            let there = Relative::new(&Pose::IDENTITY, &pose(at, q));
            let patch = manifold(&a, &b, &there, 0.0).unwrap();
            assert_eq!(patch.points.len(), 4, "{patch:?}");
            assert_eq!(patch.normal, DVec3::Y);
            assert_eq!(relate(&a, &b, vec3(0.25, 0.75_f32.next_up(), 0.125), q), Apart);
            assert_eq!(relate(&a, &b, vec3(0.25, 0.75_f32.next_down(), 0.125), q), Penetrating);
            // Running into it, along it, and away from it.
            let hit = |y: f32| sweep(&a, &b, &there, vec3(1.0, y, 0.5));
            assert!(hit(-1e-30).unwrap().fraction <= 0.0);
            assert!(hit(0.0).is_none() && hit(1.0).is_none());
        }
    }
}

#[test]
fn nearly_parallel_edges_give_the_face_depth() {
    let (a, b) = (cuboid([2.0, 0.5, 2.0]), cuboid([0.5, 0.5, 0.5]));
    for k in 0..30 {
        let half_angle = 1e-8 * 1.7_f32.powi(k);
        let q = Quat::from_xyzw(half_angle, 0.0, half_angle, 1.0);
        let there = Relative::new(&Pose::IDENTITY, &pose([0.25, 0.875, 0.25], q));
        let found = closest(&a, &b, &there);
        let down = there.rotation().row(1).abs().dot(DVec3::splat(0.5));
        assert!((found.distance - (0.375 - down)).abs() < 1e-14, "{half_angle} {found:?}");
        assert_eq!(found.normal, DVec3::Y);
    }
}

#[test]
fn flat_boxes_segments_and_points() {
    let relate = |a: [f32; 3], b: [f32; 3], at: [f32; 3], q: Quat| {
        relate(&cuboid(a), &cuboid(b), at.into(), q)
    };
    let (still, eighth) = (Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 1.0, 2.0));
    let (flat, rod, point) = ([1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]);
    // Flat differences only ever touch.
    assert_eq!(relate(flat, flat, [0.5, 0.5, 0.0], eighth), Touching);
    assert_eq!(relate(flat, flat, [2.0, 2.0, 0.0], still), Touching);
    assert_eq!(relate(flat, flat, [2.5, 2.0, 0.0], eighth), Apart);
    assert_eq!(relate(flat, flat, [0.5, 0.5, 1e-30], eighth), Apart);
    // Rods in one plane, turned about themselves or not.
    let roll = Quat::from_xyzw(0.6, 0.0, 0.0, 0.8);
    assert_eq!(relate(rod, rod, [0.5, 0.25, 0.0], eighth), Touching);
    assert_eq!(relate(rod, rod, [0.5, 1.0, 0.0], eighth), Apart);
    assert_eq!(relate(rod, rod, [0.5, 1.0, 0.0], eighth * roll), Apart);
    assert_eq!(relate(rod, rod, [2.0, 0.0, 0.0], roll), Touching);
    assert_eq!(relate(rod, rod, [2.0, 1e-30, 0.0], roll), Apart);
    assert_eq!(relate(rod, rod, [2.0_f32.next_up(), 0.0, 0.0], roll), Apart);
    // Points.
    assert_eq!(relate(point, point, [0.0; 3], roll), Touching);
    assert_eq!(relate(point, point, [0.0, 1e-40, 0.0], roll), Apart);
    assert_eq!(relate(point, rod, [0.5, 0.0, 0.0], roll), Touching);
    assert_eq!(relate([1.0; 3], point, [0.5, 1.0, 0.0], roll), Touching);
    assert_eq!(relate([1.0; 3], point, [0.5, 0.5, 0.0], roll), Penetrating);
    // A plate in a box overlaps by more than touch.
    assert_eq!(relate([1.0; 3], flat, [0.5, 0.5, 0.0], eighth), Penetrating);
    assert_eq!(
        relate(flat, rod, [0.5, 0.5, 0.0], Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)),
        Penetrating
    );
}

#[test]
fn flat_boxes_meet_in_their_plane() {
    let plate = cuboid([1.0, 1.0, 0.0]);
    let rod = cuboid([1.0, 0.0, 0.0]);
    let eighth = Quat::from_xyzw(0.0, 0.0, 1.0, 2.0);
    let from = |b: &Cuboid, at: [f32; 3], q: Quat, motion: [f32; 3]| {
        let there = Relative::new(&Pose::IDENTITY, &pose(at, q));
        sweep(&plate, b, &there, motion.into())
    };
    let hit = from(&plate, [4.0, 0.5, 0.0], Quat::IDENTITY, [-4.0, 0.0, 0.0]).unwrap();
    assert!((hit.fraction - 0.5).abs() < 1e-15 && hit.normal == DVec3::X, "{hit:?}");
    let hit = from(&rod, [3.0, 0.0, 0.0], eighth, [-4.0, 0.0, 0.0]).unwrap();
    // The rod's half reach along x is cos 53.13° = 0.6.
    assert!((hit.fraction - 0.35).abs() < 1e-15, "{hit:?}");
    assert!((hit.point - DVec3::new(1.0, -0.8, 0.0)).length() < 1e-14, "{hit:?}");
    // A hair out of the plane they never meet; crossing the plane they meet in it.
    assert!(from(&plate, [4.0, 0.5, 1e-30], Quat::IDENTITY, [-4.0, 0.0, 0.0]).is_none());
    let hit = from(&plate, [1.0, 1.0, 2.0], eighth, [0.0, 0.0, -2.0]).unwrap();
    assert!((hit.fraction - 1.0).abs() <= 0.0 && hit.normal == DVec3::Z, "{hit:?}");
    assert!(from(&plate, [1.0, 1.0, 2.0], eighth, [0.0, 0.0, -2.0_f32.next_down()]).is_none());
}

#[test]
fn sweeps_graze_and_arrive_inclusively() {
    let (a, b) = (cuboid([1.0; 3]), cuboid([0.5; 3]));
    let from = |at: [f32; 3], motion: [f32; 3]| {
        sweep(&a, &b, &Relative::new(&Pose::IDENTITY, &pose(at, Quat::IDENTITY)), motion.into())
    };
    let fraction = |at, motion| from(at, motion).map(|hit| hit.fraction);
    assert_eq!(fraction([3.5, 0.0, 0.0], [-2.0, 0.0, 0.0]), Some(1.0));
    assert_eq!(fraction([3.5, 0.0, 0.0], [-2.0_f32.next_down(), 0.0, 0.0]), None);
    // Along a face, past an edge, over a corner.
    assert_eq!(fraction([3.5, 1.5, 0.0], [-4.0, 0.0, 0.0]), Some(0.5));
    assert_eq!(fraction([3.5, 1.5_f32.next_up(), 0.0], [-4.0, 0.0, 0.0]), None);
    assert_eq!(fraction([2.5, 0.5, 0.0], [-4.0, 4.0, 0.0]), Some(0.25));
    assert_eq!(fraction([2.5, 0.5_f32.next_up(), 0.0], [-4.0, 4.0, 0.0]), None);
    assert_eq!(fraction([2.5, 0.5, 2.5], [-4.0, 4.0, -4.0]), Some(0.25));
    // Touching: only inward.
    assert_eq!(fraction([1.5, 0.0, 0.0], [-1e-30, 5.0, 0.0]), Some(0.0));
    assert_eq!(fraction([1.5, 0.0, 0.0], [0.0, 5.0, 0.0]), None);
    assert_eq!(fraction([1.5, 1.5, 0.0], [-1.0, 0.0, 0.0]), None);
    assert_eq!(fraction([1.5, 1.5, 0.0], [-1.0, -1e-30, 0.0]), Some(0.0));
    assert_eq!(fraction([1.5, 0.0, 0.0], [0.0; 3]), None);
}

#[test]
fn identical_and_contained_boxes() {
    let cube = cuboid([1.0; 3]);
    for q in [Quat::IDENTITY, Quat::from_xyzw(0.1, 0.2, 0.3, 0.9)] {
        let at = pose([5.0, 6.0, 7.0], q);
        let found = closest(&cube, &cube, &Relative::new(&at, &at));
        assert!((found.distance + 2.0).abs() < 1e-14 && found.normal == DVec3::X, "{found:?}");
    }
    let inside = Relative::new(&Pose::IDENTITY, &pose([0.0, 0.5, 0.25], WHOLE[0]));
    let found = closest(&cube, &cuboid([0.0; 3]), &inside);
    assert!((found.distance + 0.5).abs() < 1e-15 && found.normal == DVec3::Y, "{found:?}");
}

#[test]
fn a_million_to_one() {
    let (ground, grain) = (cuboid([1e6, 1e6, 1e6]), cuboid([1.0; 3]));
    for q in WHOLE {
        let (columns, norm) = whole_rotation(q);
        let reach = columns.iter().map(|c| c.y.abs()).sum::<f64>() / norm;
        let y = 1e6 + reach;
        let at = vec3(321_987.0, impinge_shapes::round::up(y), -987_654.0);
        let there = Relative::new(&Pose::IDENTITY, &pose(at, q));
        let found = closest(&ground, &grain, &there);
        assert!((found.distance - (f64::from(at.y) - y)).abs() < 1e-9, "{found:?}");
        let patch = manifold(&ground, &grain, &there, 0.5).unwrap();
        assert_eq!(patch.normal, DVec3::Y);
        let far = pose(at * 2.0, q);
        let corner = closest(&ground, &grain, &Relative::new(&Pose::IDENTITY, &far));
        let generic = impinge_narrowphase::convex::closest(
            &ground,
            &grain,
            &Relative::new(&Pose::IDENTITY, &far),
        );
        assert!((corner.distance - generic.distance).abs() < 1e-6, "{corner:?} {generic:?}");
    }
    // A needle against a plate, both 1 to 1e6.
    let (needle, plate) = (cuboid([1.0, 1e-6, 1e-6]), cuboid([1.0, 1.0, 1e-6]));
    let there = Relative::new(
        &Pose::IDENTITY,
        &pose([0.0, 0.0, 1.25], Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)),
    );
    let found = closest(&needle, &plate, &there);
    let generic = impinge_narrowphase::convex::closest(&needle, &plate, &there);
    assert!((found.distance - generic.distance).abs() < 1e-12, "{found:?} {generic:?}");
}

#[test]
fn scaling_by_a_power_of_two_scales_the_answer_bit_for_bit() {
    let bits = |v: DVec3| v.to_array().map(f64::to_bits);
    let mut counts = [0; 3];
    for seed in 0..2000 {
        for power in [-60, 60] {
            let scale = 2.0_f32.powi(power);
            let by = f64::from(scale);
            let mut random = Random(seed);
            let (a, b) = (
                crate::common::random_cuboid(&mut random),
                crate::common::random_cuboid(&mut random),
            );
            let (p, at) = (random.rotation(), random.vector(1.75));
            let q = if random.one_in(2) { p } else { random.rotation() };
            let motion = random.vector(3.0);
            let one = Relative::new(&pose(Vec3::ONE, p), &pose(Vec3::ONE + at, q));
            let two =
                Relative::new(&pose(Vec3::ONE * scale, p), &pose((Vec3::ONE + at) * scale, q));
            let (c, d) = (cuboid(a.half_extents() * scale), cuboid(b.half_extents() * scale));
            let answer = relation(&a, &b, &one);
            counts[answer as usize] += 1;
            assert_eq!(answer, relation(&c, &d, &two), "seed {seed}");
            let (x, y) = (closest(&a, &b, &one), closest(&c, &d, &two));
            assert_eq!((x.distance * by).to_bits(), y.distance.to_bits(), "seed {seed}");
            assert_eq!(bits(x.normal), bits(y.normal), "seed {seed}");
            assert_eq!(bits(x.point_a * by), bits(y.point_a), "seed {seed}");
            let margin = 0.25;
            let (x, y) = (manifold(&a, &b, &one, margin), manifold(&c, &d, &two, margin * by));
            assert_eq!(x.is_some(), y.is_some(), "seed {seed}");
            if let (Some(x), Some(y)) = (x, y) {
                assert_eq!(x.points.len(), y.points.len(), "seed {seed}");
                for (p, q) in x.points.iter().zip(&y.points) {
                    assert_eq!(p.feature, q.feature, "seed {seed}");
                    assert_eq!(bits(p.point_a * by), bits(q.point_a), "seed {seed}");
                }
            }
            let (x, y) = (sweep(&a, &b, &one, motion), sweep(&c, &d, &two, motion * scale));
            assert_eq!(
                x.map(|x| (x.fraction.to_bits(), bits(x.normal), bits(x.point * by))),
                y.map(|y| (y.fraction.to_bits(), bits(y.normal), bits(y.point))),
                "seed {seed}"
            );
        }
    }
    assert!(counts[0] > 500 && counts[2] > 500, "{counts:?}");
}
