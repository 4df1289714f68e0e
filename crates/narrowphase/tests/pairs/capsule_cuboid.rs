//! Capsules against boxes: known answers, and random pairs whose queries must agree with each
//! other and with the generic path.

use crate::common::{Random, Room, capsule, cuboid, outside_capsule, outside_cuboid, pose};
use crate::common::{random_capsule, random_cuboid};
use impinge_narrowphase::pairs::capsule_cuboid::{closest, manifold, relation, sweep};
use impinge_narrowphase::{Relation, Relative, batch, convex};
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Capsule, Cuboid, Pose, Shape, Triangle};

use Relation::{Apart, Penetrating, Touching};

const ROOM: Room<Capsule, Cuboid> = Room {
    relation,
    closest,
    manifold,
    sweep,
    outside_a: outside_capsule,
    outside_b: outside_cuboid,
    size: 8.0,
};

fn random_pair(random: &mut Random) -> (Capsule, Cuboid, Pose, Pose) {
    let (a, b) = (random_capsule(random), random_cuboid(random));
    let at_a = pose(random.vector(1.0), random.rotation());
    let turned = if random.one_in(4) { at_a.rotation() } else { random.rotation() };
    (a, b, at_a, pose(random.vector(1.75), turned))
}

#[test]
fn random_pairs_agree_with_themselves() {
    let mut counts = [0; 3];
    for seed in 0..10_000 {
        let (a, b, at_a, at_b) = random_pair(&mut Random(seed));
        counts[ROOM.check_still(&a, &b, &at_a, &at_b, seed) as usize] += 1;
        let relative = Relative::new(&at_a, &at_b);
        let (found, generic) = (closest(&a, &b, &relative), convex::closest(&a, &b, &relative));
        assert!(
            (generic.distance - found.distance).abs() < 1e-9,
            "seed {seed}: {generic:?} {found:?}"
        );
    }
    assert!(counts[0] > 2000 && counts[2] > 2000, "{counts:?}");
}

#[test]
fn random_sweeps_end_in_touch() {
    let mut counts = [0; 2];
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let (a, b, at_a, at_b) = random_pair(&mut random);
        let relative = Relative::new(&at_a, &at_b);
        if relation(&a, &b, &relative) != Apart {
            continue;
        }
        let motion = random.vector(3.0);
        counts[usize::from(ROOM.check_sweep((&a, &b), (&at_a, &at_b), motion, seed))] += 1;
        let found = sweep(&a, &b, &relative, motion);
        let generic = convex::sweep(&a, &b, &relative, motion);
        assert_eq!(found.is_some(), generic.is_some(), "seed {seed}");
        if let (Some(found), Some(generic)) = (found, generic) {
            let late = (found.fraction - generic.fraction).abs();
            let speed = relative.vector_from_world(motion.as_dvec3()).dot(found.normal).abs();
            assert!(late * speed < 1e-9, "seed {seed}: {found:?} {generic:?}");
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}

/// A capsule from `a` to `b` against a box at the origin of the world.
fn relate(a: [f32; 3], b: [f32; 3], radius: f32, half: [f32; 3]) -> Relation {
    let (capsule, cuboid) = (capsule(a, b, radius), cuboid(half));
    let there = Relative::new(&Pose::IDENTITY, &Pose::IDENTITY);
    let answer = relation(&capsule, &cuboid, &there);
    assert_eq!(answer == Apart, closest(&capsule, &cuboid, &there).distance > 0.0);
    assert_eq!(answer == Penetrating, closest(&capsule, &cuboid, &there).distance < 0.0);
    assert_eq!(answer != Apart, manifold(&capsule, &cuboid, &there, 0.0).is_some());
    // The same exactly, seen from a frame whose turn has whole entries over 9.
    let turned = pose([0.0; 3], Quat::from_xyzw(1.0, 2.0, 0.0, 2.0));
    let there = Relative::new(&turned, &turned);
    assert_eq!(answer, relation(&capsule, &cuboid, &there), "{a:?} {b:?} {radius} {half:?}");
    answer
}

#[test]
fn touching_is_exact_over_faces_edges_and_corners() {
    let cube = [1.0; 3];
    for (r, expected) in
        [(0.5_f32.next_down(), Apart), (0.5, Touching), (0.5_f32.next_up(), Penetrating)]
    {
        // Along a face, sloping to a face, beyond it.
        assert_eq!(relate([-3.0, 1.5, 0.0], [3.0, 1.5, 0.0], r, cube), expected);
        assert_eq!(relate([-0.5, 1.5, 0.0], [3.0, 2.5, 0.5], r, cube), expected);
    }
    for (r, expected) in
        [(5.0_f32.next_down(), Apart), (5.0, Touching), (5.0_f32.next_up(), Penetrating)]
    {
        // Along an edge, across an edge, an end over an edge, an end over a corner (2, 3, 6 -> 7).
        assert_eq!(relate([4.0, 5.0, -9.0], [4.0, 5.0, 9.0], r, cube), expected);
        assert_eq!(relate([8.0, 2.0, 0.5], [0.0, 8.0, 0.5], r, cube), expected);
        assert_eq!(relate([4.0, 5.0, 0.5], [12.0, 11.0, 0.5], r, cube), expected);
    }
    for (r, expected) in
        [(7.0_f32.next_down(), Apart), (7.0, Touching), (7.0_f32.next_up(), Penetrating)]
    {
        assert_eq!(relate([3.0, 4.0, 7.0], [3.0, 4.0, 7.0], r, cube), expected);
        assert_eq!(relate([3.0, 4.0, 7.0], [6.0, 8.0, 14.0], r, cube), expected);
        // Past a corner: (2, 3, 6) is perpendicular to (3, -2, 0).
        assert_eq!(relate([0.0, 6.0, 7.0], [6.0, 2.0, 7.0], r, cube), expected);
    }
}

#[test]
fn bare_segments_touch_exactly() {
    let cube = [1.0; 3];
    let up = 1.0_f32.next_up();
    assert_eq!(relate([-2.0, 1.0, 0.0], [2.0, 1.0, 0.0], 0.0, cube), Touching);
    assert_eq!(relate([-2.0, up, 0.0], [2.0, up, 0.0], 0.0, cube), Apart);
    assert_eq!(relate([2.0, 0.0, 0.0], [0.0, 2.0, 0.0], 0.0, cube), Touching);
    assert_eq!(relate([2.0_f32.next_up(), 0.0, 0.0], [0.0, 2.0, 0.0], 0.0, cube), Apart);
    assert_eq!(relate([2.0_f32.next_down(), 0.0, 0.0], [0.0, 2.0, 0.0], 0.0, cube), Penetrating);
    assert_eq!(relate([-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], 0.0, [1.0, 0.0, 1.0]), Touching);
    assert_eq!(relate([0.5, -1.0, 0.0], [0.5, 1.0, 0.0], 0.0, [1.0, 0.0, 1.0]), Penetrating);
    assert_eq!(relate([0.0; 3], [0.0; 3], 0.0, [0.0; 3]), Touching);
    assert_eq!(relate([0.0; 3], [0.0; 3], 1e-30, [0.0; 3]), Penetrating);
}

#[test]
fn known_depths_and_patches() {
    let cube = cuboid([1.0, 1.0, 1.0]);
    let there = Relative::new(&Pose::IDENTITY, &Pose::IDENTITY);
    // A rod through the box: out along the nearest face.
    let through = closest(&capsule([-3.0, 0.75, 0.0], [3.0, 0.75, 0.0], 0.5), &cube, &there);
    assert!((through.distance + 0.75).abs() < 1e-15, "{through:?}");
    assert_eq!(through.normal, DVec3::NEG_Y);
    // Lying on a face: two points above its borders.
    let lying = capsule([-3.0, 1.5, 0.0], [0.5, 1.5, 0.0], 0.5);
    let patch = manifold(&lying, &cube, &there, 0.0).unwrap();
    let points: Vec<DVec3> = patch.points.iter().map(|p| p.point_b).collect();
    assert_eq!(points, [DVec3::new(-1.0, 1.0, 0.0), DVec3::new(0.5, 1.0, 0.0)]);
    // Lying on an edge, and standing on a face.
    let on_edge = capsule([1.25, 1.25, -3.0], [1.25, 1.25, 3.0], 0.5);
    assert_eq!(manifold(&on_edge, &cube, &there, 0.0).unwrap().points.len(), 2);
    let standing = capsule([0.5, 1.25, 0.0], [0.5, 3.0, 0.0], 0.5);
    assert_eq!(manifold(&standing, &cube, &there, 0.0).unwrap().points.len(), 1);
}

#[test]
fn sweeps_from_touch_hit_only_inward() {
    let cube = cuboid([1.0, 1.0, 1.0]);
    let there = Relative::new(&Pose::IDENTITY, &Pose::IDENTITY);
    for radius in [0.5, 0.0] {
        let y = 1.0 + radius;
        let lying = capsule([-3.0, y, 0.0], [0.5, y, 0.0], radius);
        let hit = |motion: [f32; 3]| sweep(&lying, &cube, &there, motion.into());
        assert!(hit([0.0, 1.0, 0.0]).is_some_and(|hit| hit.fraction <= 0.0));
        assert!(hit([1.0, 0.0, 1.0]).is_none());
        assert!(hit([0.0, -1.0, 0.0]).is_none());
        // From a distance, at both ends of the path.
        let above = capsule([-3.0, y + 1.0, 0.0], [0.5, y + 1.0, 0.0], radius);
        let hit = |y: f32| sweep(&above, &cube, &there, Vec3::new(0.25, y, 0.0));
        assert!(hit(4.0).is_some_and(|hit| (hit.fraction - 0.25).abs() < 1e-13));
        assert!(hit(1.0).is_some_and(|hit| (hit.fraction - 1.0).abs() < 1e-12));
        assert!(hit(1.0_f32.next_down()).is_none());
    }
}

/// Gaps and overlaps of far less than f64 can tell on the way.
#[test]
fn a_path_past_the_box_by_a_hair_is_no_hit() {
    let cube = cuboid([1.0, 1.0, 1.0]);
    let here = Pose::IDENTITY;
    let tiny = 2.0_f32.powi(-46);
    // Over a face, its side 2^-46 above it.
    let above = 2.0_f32.powi(-23);
    let start = pose(Vec3::new(-3.0, 1.0 + above, 0.0), Quat::IDENTITY);
    for (radius, expected) in [(above - tiny, false), (above, true), (above + tiny, true)] {
        let rod = capsule([0.0, 0.0, -0.5], [0.0, 0.0, 0.5], radius);
        let at = Relative::new(&start, &here);
        // The room moves the box.
        let there = sweep(&rod, &cube, &at, Vec3::new(-6.0, 0.0, 0.0));
        assert_eq!(there.is_some(), expected, "{radius}");
        let generic = convex::sweep(&rod, &cube, &at, Vec3::new(-6.0, 0.0, 0.0));
        assert_eq!(generic.is_some(), expected, "{radius}");
    }
    // Past an edge at the origin, steeply down to it.
    let box_at = pose(Vec3::new(-1.0, -1.0, 0.0), Quat::IDENTITY);
    let start = pose(Vec3::new(-4.0, 4.0, 0.0), Quat::IDENTITY);
    let at = Relative::new(&start, &box_at);
    for (beside, expected) in [(tiny, false), (0.0, true), (-tiny, true)] {
        let rod = capsule([beside, 0.0, -0.5], [beside, 0.0, 0.5], 0.0);
        let wedge = [[beside, 0.0, -0.5], [beside, 0.0, 0.5], [1.0, 1.0, 0.0]].map(Vec3::from);
        let wedge = Triangle::new(wedge[0], wedge[1], wedge[2]).unwrap();
        let motion = Vec3::new(-8.0, 8.0, 0.0);
        assert_eq!(sweep(&rod, &cube, &at, motion).is_some(), expected, "{beside}");
        assert_eq!(convex::sweep(&rod, &cube, &at, motion).is_some(), expected, "{beside}");
        assert_eq!(convex::sweep(&wedge, &cube, &at, motion).is_some(), expected, "{beside}");
    }
}

#[test]
fn scaling_by_a_power_of_two_scales_the_answer_bit_for_bit() {
    let bits = |v: DVec3| v.to_array().map(f64::to_bits);
    for seed in 0..1000 {
        for power in [-60, 60] {
            let scale = 2.0_f32.powi(power);
            let by = f64::from(scale);
            let mut random = Random(seed);
            let (a, b, at_a, at_b) = random_pair(&mut random);
            let motion = random.vector(3.0);
            let grow = |at: &Pose| pose(at.position() * scale, at.rotation());
            let one = Relative::new(&at_a, &at_b);
            let two = Relative::new(&grow(&at_a), &grow(&at_b));
            let c = Capsule::new(a.a() * scale, a.b() * scale, a.radius() * scale).unwrap();
            let d = cuboid(b.half_extents() * scale);
            assert_eq!(relation(&a, &b, &one), relation(&c, &d, &two), "seed {seed}");
            let (x, y) = (closest(&a, &b, &one), closest(&c, &d, &two));
            assert_eq!((x.distance * by).to_bits(), y.distance.to_bits(), "seed {seed}");
            assert_eq!(bits(x.point_a * by), bits(y.point_a), "seed {seed}");
            let (x, y) = (sweep(&a, &b, &one, motion), sweep(&c, &d, &two, motion * scale));
            assert_eq!(
                x.map(|x| (x.fraction.to_bits(), bits(x.normal), bits(x.point * by))),
                y.map(|y| (y.fraction.to_bits(), bits(y.normal), bits(y.point))),
                "seed {seed}"
            );
            let generic = convex::closest(&a, &b, &one).distance * by;
            let scaled = convex::closest(&c, &d, &two).distance;
            assert_eq!(generic.to_bits(), scaled.to_bits(), "seed {seed}");
        }
    }
}

#[test]
fn pairs_of_whole_numbers_agree_with_themselves() {
    let (mut counts, mut sweeps) = ([0; 3], [0; 2]);
    for seed in 0..4000 {
        let mut random = Random(seed);
        let (a, b) = (random.whole_vector(2), random.whole_vector(2));
        let a = capsule(a, b, random.whole(2).abs());
        let b = cuboid(random.whole_vector(2).abs());
        let at_a = pose(random.whole_vector(1), random.whole_rotation());
        let turned = if random.one_in(2) { at_a.rotation() } else { random.whole_rotation() };
        let at_b = pose(random.whole_vector(4), turned);
        let found = ROOM.check_still(&a, &b, &at_a, &at_b, seed);
        counts[found as usize] += 1;
        let motion = random.whole_vector(4);
        let relative = Relative::new(&at_a, &at_b);
        if found != Penetrating {
            let (room, generic) =
                (sweep(&a, &b, &relative, motion), convex::sweep(&a, &b, &relative, motion));
            assert_eq!(room.is_some(), generic.is_some(), "seed {seed}: {room:?} {generic:?}");
        }
        let hit = match found {
            Apart => ROOM.check_sweep((&a, &b), (&at_a, &at_b), motion, seed),
            Touching => {
                let hit = sweep(&a, &b, &Relative::new(&at_a, &at_b), motion).is_some();
                let on = crate::common::moved(&at_b, motion.as_dvec3() / 1024.0);
                let after = relation(&a, &b, &Relative::new(&at_a, &on));
                assert_eq!(hit, after == Penetrating, "seed {seed}");
                hit
            }
            Penetrating => continue,
        };
        sweeps[usize::from(hit)] += 1;
    }
    assert!(
        counts.iter().all(|&n| n > 50) && sweeps.iter().all(|&n| n > 200),
        "{counts:?} {sweeps:?}"
    );
}

#[test]
fn nearly_parallel_and_nearly_touching_pairs_agree_with_themselves() {
    let (mut counts, mut sweeps) = ([0; 3], [0; 2]);
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let (a, b) = (random.whole_vector(2), random.whole_vector(2));
        let a = capsule(a, b, random.whole(2).abs());
        let b = cuboid(random.whole_vector(2).abs());
        let at_a = pose(random.whole_vector(1), random.whole_rotation());
        let at_b =
            crate::common::nudged(&pose(random.whole_vector(4), at_a.rotation()), &mut random);
        let found = ROOM.check_still(&a, &b, &at_a, &at_b, seed);
        counts[found as usize] += 1;
        let relative = Relative::new(&at_a, &at_b);
        let generic = convex::closest(&a, &b, &relative);
        let distance = closest(&a, &b, &relative).distance;
        assert!((generic.distance - distance).abs() < 1e-6, "seed {seed}: {generic:?} {distance}");
        if found == Apart {
            let motion = random.whole_vector(4);
            let hit = ROOM.check_sweep((&a, &b), (&at_a, &at_b), motion, seed);
            let generic = convex::sweep(&a, &b, &relative, motion);
            assert_eq!(hit, generic.is_some(), "seed {seed}: {generic:?}");
            sweeps[usize::from(hit)] += 1;
        }
    }
    assert!(counts[0] > 2000 && counts[2] > 2000, "{counts:?}");
    assert!(sweeps.iter().all(|&n| n > 500), "{sweeps:?}");
}

/// GJK took a tetrahedron that was flat up to rounding for a volume around the origin, so that the
/// generic sweep stopped 5 mm before the box.
#[test]
fn flat_tetrahedra_hold_nothing() {
    let mut random = Random(146_889);
    let (a, b, at_a, at_b) = random_pair(&mut random);
    let relative = Relative::new(&at_a, &at_b);
    let motion = random.vector(3.0);
    let found = convex::sweep(&a, &b, &relative, motion).unwrap();
    assert!((found.fraction - sweep(&a, &b, &relative, motion).unwrap().fraction).abs() < 1e-9);
}

/// A gap that is known, though not its direction, was told as the least there is: 1.5e-7 for 1.93.
#[test]
fn a_small_gap_beside_a_huge_box_is_told_as_it_is() {
    for power in 8..13 {
        let s = 10.0_f32.powi(power);
        let (floor, under) = (cuboid([s, 0.0, s * 0.7]), pose(Vec3::ZERO, Quat::IDENTITY));
        for seed in 0..500 {
            let (body, at) = above(&mut Random(seed));
            let exact = lowest(&body, &at);
            let found = closest(&body, &floor, &Relative::new(&at, &under));
            let allowed = 1e-6 + 2.0 * f64::from(s) / (1_u64 << 44) as f64;
            let error = (found.distance - exact).abs();
            assert!(error <= allowed, "seed {seed} 1e{power}: {exact} {found:?}");
        }
    }
}

#[test]
fn small_gaps_beside_huge_boxes_are_the_same_side_by_side() {
    let (mut all, mut small) = (Vec::new(), 0);
    for (power, seed) in [10, 11, 12, 13].into_iter().flat_map(|p| (0..512).map(move |s| (p, s))) {
        let s = 10.0_f32.powi(power);
        let mut random = Random(seed);
        let (body, at) = above(&mut random);
        let floor = cuboid([s, if random.one_in(2) { 0.0 } else { 1.0 }, s * 0.7]);
        all.push((Shape::from(body), at, Shape::from(floor)));
    }
    let here = Pose::IDENTITY;
    let pair = |of: &'static str, (body, at, floor)| batch::PairRef {
        a: if of == "ahead" { body } else { floor },
        pose_a: if of == "ahead" { at } else { &here },
        b: if of == "ahead" { floor } else { body },
        pose_b: if of == "ahead" { &here } else { at },
    };
    for of in ["ahead", "flipped"] {
        let pairs: Vec<_> =
            all.iter().map(|(body, at, floor)| pair(of, (body, at, floor))).collect();
        let mut found = Vec::new();
        batch::closest(&pairs, f32::INFINITY, SimdLevel::detected(), &mut found);
        for (pair, found) in pairs.iter().zip(found) {
            let (a, b) = ((pair.a, pair.pose_a), (pair.b, pair.pose_b));
            let one = impinge_narrowphase::closest(a.0, a.1, b.0, b.1, f32::INFINITY);
            assert_eq!(found, one, "{of} {a:?} {b:?}");
            small += usize::from(one.is_some_and(|one| one.distance > 0.0));
        }
    }
    assert!(small > 2_000, "{small}");
}

/// A normal that was made to stand at right angles to a segment far shorter than rounding, or level
/// with a face but for less than that, parted the two by too little: a box of 1e10 was met 2.7e7
/// early, and a segment above one touched it 7.5 before.
#[test]
fn a_segment_that_is_lost_in_rounding_is_met_no_earlier() {
    for power in 8..14 {
        let s = 10.0_f32.powi(power);
        let here = pose(Vec3::ZERO, Quat::IDENTITY);
        let (target, ball) = (capsule([0.0, -0.5, 0.0], [0.0, 0.5, 0.0], 0.5), Vec3::ZERO);
        let (mover, ball) = (cuboid([2.0 * s, s, 0.5 * s]), capsule(ball, ball, 0.5));
        for seed in 0..2_000 {
            let mut random = Random(seed);
            let start = random.vector(1.0).normalize_or(Vec3::X) * 20.0 * s;
            let at = Relative::new(&here, &pose(start, random.rotation()));
            let fraction = |target| sweep(target, &mover, &at, -start).unwrap().fraction;
            let off = (fraction(&target) - fraction(&ball)).abs() * f64::from(start.length());
            assert!(off <= 2.0 + 2e-11 * f64::from(s), "seed {seed} 1e{power}: {off}");
        }
    }
    for (power, seed) in [10, 11, 12].into_iter().flat_map(|p| (0..4_000).map(move |s| (p, s))) {
        let s = 10.0_f32.powi(power);
        let (floor, under) = (cuboid([s, 0.0, s * 0.7]), pose(Vec3::ZERO, Quat::IDENTITY));
        let mut random = Random(seed);
        let (body, at) = above(&mut random);
        let way = Vec3::new(random.within(-3.0, 3.0), -15.0, random.within(-3.0, 3.0));
        let found = sweep(&body, &floor, &Relative::new(&at, &under), way * -1.0).unwrap();
        let off = (found.fraction * 15.0 - lowest(&body, &at)).abs();
        assert!(off <= 1e-2, "seed {seed} 1e{power}: {off} {found:?}");
    }
}

/// A capsule above the plane through the origin, half of them without a radius.
fn above(random: &mut Random) -> (Capsule, Pose) {
    let radius = if random.one_in(2) { 0.0 } else { 0.5 };
    let (from, to) = (random.vector(0.6), random.vector(0.6));
    let body = capsule(from, if random.one_in(4) { from + (to - from) * 1e-3 } else { to }, radius);
    let height = Vec3::Y * random.within(2.0, 9.0);
    (body, pose(random.vector(1.0) + height, random.rotation()))
}

fn lowest(body: &Capsule, at: &Pose) -> f64 {
    let height = |end: Vec3| (at.rotation_matrix() * end.as_dvec3() + at.translation()).y;
    height(body.a()).min(height(body.b())) - f64::from(body.radius())
}
