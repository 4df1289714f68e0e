//! What users of other libraries reported as wrong, as cases of ours. Each test names the report;
//! the numbers are those of the report where it gives some.

use impinge_narrowphase::{
    Closest, Relation, ShapeSweepHit, SweepOptions, closest, overlaps, relation, sweep,
};
use impinge_shapes::{
    Pose, Shape,
    glam::{Quat, Vec3},
};
use impinge_testkit::{
    check::ulp,
    oracle::{self, convex::Contact, curved::Outcome},
    rng::Rng,
};

fn cuboid(x: f32, y: f32, z: f32) -> Shape {
    Shape::cuboid(Vec3::new(x, y, z)).expect("sizes are not negative")
}

fn at(x: f32, y: f32, z: f32) -> Pose {
    Pose::from_position(Vec3::new(x, y, z)).expect("coordinates are finite")
}

fn turned(position: [f32; 3], rotation: [f32; 4]) -> Pose {
    let turn = Quat::from_array(rotation);
    Pose::new(Vec3::from_array(position), turn).expect("coordinates are finite")
}

/// The relation and the signed distance of a pair, both as the oracle has them.
fn agreed(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> (Relation, Closest) {
    let told = format!("{a:?} at {pose_a:?} and {b:?} at {pose_b:?}");
    let lies = relation(a, pose_a, b, pose_b);
    if let Some(exact) = oracle::relation(a, pose_a, b, pose_b) {
        let exact = match exact {
            Contact::Apart => Relation::Apart,
            Contact::Touching => Relation::Touching,
            Contact::Penetrating => Relation::Penetrating,
        };
        assert_eq!(lies, exact, "{told}");
    }
    assert_eq!(overlaps(a, pose_a, b, pose_b), lies.overlaps(), "{told}");
    let found = closest(a, pose_a, b, pose_b, f32::INFINITY).expect("there is no limit");
    let exact = oracle::bounds(a, pose_a, b, pose_b).expect("the pair has an oracle");
    let reach = |shape: &Shape, pose: &Pose| {
        let bounds = shape.aabb(pose);
        f64::from(bounds.min().abs().max(bounds.max().abs()).max_element())
    };
    let unit = ulp(reach(a, pose_a).max(reach(b, pose_b)));
    let miss = exact.miss(found.distance.into());
    assert!(miss <= 4.0 * unit, "{found:?}, exact {exact:?}: {told}");
    assert!((found.normal.length() - 1.0).abs() < 1e-6, "{found:?}: {told}");
    (lies, found)
}

/// A sweep whose hit is the oracle's, within 2^-22 of the way.
fn swept(a: &Shape, pose: &Pose, way: Vec3, b: &Shape, to: &Pose) -> Option<ShapeSweepHit> {
    let told = format!("{a:?} at {pose:?} by {way} to {b:?} at {to:?}");
    let found = sweep(a, pose, way, b, to, &SweepOptions::default());
    let outcomes = oracle::outcomes(a, pose, way, b, to).expect("the pair has an oracle");
    let hits = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Hit { time, .. } => Some(*time),
        _ => None,
    });
    let first = hits.reduce(|first, next| if next.high < first.high { next } else { first });
    match (first, &found) {
        (None, None) => {}
        (Some(time), Some(hit)) => {
            let miss = time.miss(hit.fraction.into());
            assert!(miss <= 1.0 / f64::from(1 << 22), "{hit:?}, exact {time:?}: {told}");
        }
        (first, found) => {
            let starts = outcomes.iter().all(|outcome| {
                matches!(outcome, Outcome::StartOverlapping | Outcome::StartTouching { .. })
            });
            assert!(starts, "{found:?}, exact {first:?}: {told}");
        }
    }
    found
}

/// dimforge/parry#70: of 200 steps of a capsule through the top of a box, some found nothing.
#[test]
fn parry_70_capsule_through_the_top_of_a_box() {
    let ground = cuboid(50.0, 50.0, 50.0);
    let below = at(0.0, -50.0, 0.0);
    let tall = Shape::capsule(Vec3::new(0.0, -0.5, 0.0), Vec3::new(0.0, 0.5, 0.0), 0.5).unwrap();
    let round = Shape::capsule(Vec3::ZERO, Vec3::ZERO, 0.5).unwrap();
    let ball = Shape::sphere(0.5).unwrap();
    for step in 0..200_u8 {
        let y = -0.5 + f32::from(step) / 200.0;
        for shape in [&tall, &round, &ball] {
            let (lies, found) = agreed(shape, &at(0.0, y, 0.0), &ground, &below);
            assert_eq!(lies, Relation::Penetrating, "{shape:?} at {y}");
            assert!(found.distance < 0.0, "{shape:?} at {y}");
        }
    }
    assert_eq!(agreed(&tall, &at(0.0, 1.0, 0.0), &ground, &below).0, Relation::Touching);
    let above = at(0.0, 1.0_f32.next_up(), 0.0);
    assert_eq!(agreed(&tall, &above, &ground, &below).0, Relation::Apart);
}

/// dimforge/parry#34: no contact where the corner of a box is exactly the centre of a ball.
#[test]
fn parry_34_ball_around_the_corner_of_a_box() {
    let (ball, unit) = (Shape::sphere(1.0).unwrap(), cuboid(1.0, 1.0, 1.0));
    for corner in [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, 1.0, 0.0], [0.0, -1.0, 0.0]] {
        let [x, y, z] = corner;
        let (lies, found) = agreed(&ball, &at(x, y, z), &unit, &Pose::IDENTITY);
        assert_eq!(lies, Relation::Penetrating);
        assert_eq!(found.distance.to_bits(), (-1.0_f32).to_bits(), "{found:?}");
    }
}

/// dimforge/parry#429: casts onto boxes of 5, 50 and 500 m came short by 0.2, 3.6 and 139 mm.
#[test]
fn parry_429_balls_fall_on_large_boxes() {
    let ball = Shape::sphere(0.5166).unwrap();
    let rng = &mut Rng::new(429);
    for half in [5.0_f32, 50.0, 500.0, 50_000.0] {
        let ground = cuboid(half, half, half);
        let place = at(0.0, -half, 0.0);
        for _ in 0..200 {
            let x = rng.range(-0.9 * f64::from(half), 0.9 * f64::from(half));
            let z = rng.range(-0.9 * f64::from(half), 0.9 * f64::from(half));
            let (height, way) = (rng.range(0.6, 4.0), Vec3::new(0.0, -5.0, 0.0));
            let hit = swept(&ball, &at(x, height, z), way, &ground, &place).expect("it falls");
            let exact = (f64::from(height) - f64::from(0.5166_f32)) / 5.0;
            assert!((f64::from(hit.fraction) - exact).abs() <= ulp(exact), "{hit:?}, {exact}");
            assert_eq!(hit.normal, Vec3::Y, "{hit:?}");
        }
    }
}

/// dimforge/parry#180: of three starts 10^-6 apart, the middle one found no hit on a segment.
#[test]
fn parry_180_a_box_falls_on_a_segment() {
    let line = Shape::capsule(Vec3::new(1.0, 1.0, 0.0), Vec3::new(124.0, 1.0, 0.0), 0.0).unwrap();
    let square = cuboid(2.0, 2.0, 2.0);
    let way = Vec3::new(0.0081385, -0.999966, 0.0) * 100.0;
    for x in [15.689464_f32, 15.689465, 15.689466] {
        let hit = swept(&square, &at(x, 54.00709, 0.0), way, &line, &Pose::IDENTITY);
        let hit = hit.expect("it falls on the segment");
        assert!((hit.fraction - 0.510_088).abs() < 1e-5, "{hit:?}");
        let back = swept(&line, &Pose::IDENTITY, -way, &square, &at(x, 54.00709, 0.0));
        assert!(back.is_some(), "{x}");
    }
}

/// dimforge/rapier.js#258: casts across long thin boxes missed them.
#[test]
fn rapier_js_258_casts_across_long_thin_boxes() {
    let cases = [
        ([244.5, 0.5], [884.5, 188.5], [380.0, 241.0], [1004.0, 137.0]),
        ([335.0, 0.5], [408.0, 286.5], [894.0, 328.0], [385.0, 217.0]),
    ];
    for (half, place, from, to) in cases {
        let beam = cuboid(half[0], half[1], 10.0);
        let place = at(place[0], place[1], 0.0);
        let start = at(from[0], from[1], 0.0);
        let way = Vec3::new(to[0] - from[0], to[1] - from[1], 0.0);
        for mover in [Shape::sphere(1.0).unwrap(), cuboid(0.5, 0.5, 0.5), cuboid(8.0, 4.0, 1.0)] {
            let hit = swept(&mover, &start, way, &beam, &place).expect("the way crosses it");
            assert!(!hit.started_overlapping && hit.fraction > 0.0, "{hit:?}");
        }
    }
}

/// dimforge/ncollide#4: a ball half a unit from a tall block was found to hit its far side.
#[test]
fn ncollide_4_ball_beside_a_tall_block() {
    let (block, ball) = (cuboid(2.5, 450.0, 2.5), Shape::sphere(15.0).unwrap());
    let way = Vec3::new(0.630_261, -0.776_384, 0.0) * 100.0;
    let start = at(784.470_15, -88.887_8, 0.0);
    let hit = swept(&ball, &start, way, &block, &at(802.5, 0.0, 0.0)).expect("it is near");
    assert!((hit.distance - 0.840_677).abs() < 1e-4, "{hit:?}");
    assert_eq!(hit.normal, Vec3::NEG_X);
}

/// flexible-collision-library/fcl#493 and #495: boxes turned alike, an edge apart, within rounding;
/// the two halves of the search disagreed whether they touch.
#[test]
fn fcl_493_boxes_turned_alike_that_kiss() {
    let mut counts = [0; 3];
    let turn = [-0.087_514_36, 0.106_636_55, -0.087_514_36, 0.986_565_3];
    for half in [0.25_f32, 0.125, 1.0] {
        let unit = cuboid(half, half, half);
        let place = turned([2.0, 0.0, 1.25], turn);
        for axis in 0..3 {
            let across = place.rotation_matrix().col(axis) * f64::from(2.0 * half);
            let there = (place.translation() + across).as_vec3();
            for x in -3..=3 {
                for y in -3..=3 {
                    let step = |v: f32, n: i32| {
                        let one = |v: f32| if n < 0 { v.next_down() } else { v.next_up() };
                        (0..n.unsigned_abs()).fold(v, |v, _| one(v))
                    };
                    let near = [step(there.x, x), step(there.y, y), there.z];
                    let (lies, _) = agreed(&unit, &turned(near, turn), &unit, &place);
                    counts[lies as usize] += 1;
                }
            }
        }
    }
    assert!(counts[0] > 50 && counts[2] > 50, "{counts:?}");
}

/// flexible-collision-library/fcl#395: a thin plate and a turned box made a triangle without area.
#[test]
fn fcl_395_a_plate_and_a_turned_box() {
    let (plate, brick) = (cuboid(0.23, 0.24, 0.005), cuboid(0.024_760_5, 0.073, 0.036_25));
    let flat = at(-0.721, -0.772, 0.81);
    // The rotation of the report as a quaternion.
    let turn = [0.660_165_1, -0.164_983_85, -0.647_293_6, -0.343_472_42];
    let there = turned([-0.426_771_33, -0.765_968_5, 0.807_467_3], turn);
    let (lies, found) = agreed(&plate, &flat, &brick, &there);
    assert_eq!(lies.overlaps(), found.distance <= 0.0);
}

/// RobotLocomotion/drake#21673: plates that just touch raised an error.
#[test]
fn drake_21673_plates_that_just_touch() {
    let (plate, block) = (cuboid(0.025, 0.275, 0.15), cuboid(0.125, 0.1, 0.075));
    // Nearly a quarter turn about z.
    let turn = [0.0, 0.0, 0.706_825_2, 0.707_388_3];
    let place = turned([0.75, 0.0, 0.15], turn);
    for step in -20..=20 {
        let y = 0.125_f32 + 1e-8 * step as f32;
        let (lies, found) = agreed(&plate, &place, &block, &at(0.75, y, 0.15));
        assert!(found.distance.abs() < 1e-2, "{lies:?} {found:?}");
    }
    // The halves of the report do not add up in f32; a sixteenth does.
    let plate = cuboid(0.0625, 0.275, 0.15);
    let beside = agreed(&plate, &at(0.0, 0.0, 0.0), &block, &at(0.1875, 0.1, 0.0));
    assert_eq!(beside.0, Relation::Touching);
    assert_eq!(beside.1.distance.to_bits() << 1, 0, "{beside:?}");
}

/// coal-library/coal#344: the normal of overlapping or touching balls was no number.
#[test]
fn coal_344_balls_that_touch_have_a_normal() {
    let ball = Shape::sphere(0.5).unwrap();
    for x in [-0.9_f32, -1.0, -0.0, -1e-30] {
        let (lies, found) = agreed(&ball, &at(x, 0.0, 0.0), &ball, &Pose::IDENTITY);
        assert!(lies.overlaps() && found.normal == Vec3::X, "{found:?}");
    }
}

/// flexible-collision-library/fcl#127: the nearest point of a box to a ball was elsewhere.
#[test]
fn fcl_127_nearest_points_of_a_ball_and_a_box() {
    let (ball, slab) = (Shape::sphere(1.0).unwrap(), cuboid(5.0, 1.0, 5.0));
    let (_, found) = agreed(&ball, &Pose::IDENTITY, &slab, &at(0.0, 5.0, 3.0));
    assert_eq!((found.distance, found.point_a, found.point_b), (3.0, Vec3::Y, Vec3::Y * 4.0));
}

/// RobotLocomotion/drake#1668: cubes of 20 and 10 that overlap by a corner of 1 have depth 1.
#[test]
fn drake_1668_cubes_that_overlap_at_a_corner() {
    let (large, small) = (cuboid(10.0, 10.0, 10.0), cuboid(5.0, 5.0, 5.0));
    let (_, found) = agreed(&large, &Pose::IDENTITY, &small, &at(14.0, 14.0, 14.0));
    assert_eq!((found.distance, found.normal), (-1.0, Vec3::X));
}

/// felipeek/raw-physics#6: equal boxes that overlap along one axis only were apart.
#[test]
fn raw_physics_6_equal_boxes_in_a_row() {
    let unit = cuboid(1.0, 1.0, 1.0);
    for x in [0.5_f32, 1.0, 1.5, 1.999_999_9] {
        let (lies, found) = agreed(&unit, &Pose::IDENTITY, &unit, &at(x, 0.0, 0.0));
        assert_eq!((lies, found.normal), (Relation::Penetrating, Vec3::X), "{found:?}");
    }
    let (lies, found) = agreed(&unit, &Pose::IDENTITY, &unit, &at(2.0, 0.0, 0.0));
    assert_eq!((lies, found.distance), (Relation::Touching, 0.0));
}

/// jrouwe/JoltPhysics#2049: casts of a box against a scaled box hit or missed by where they start.
#[test]
fn jolt_2049_box_casts_under_scale() {
    for scale in [1.0_f32, 0.01, 2.5, 1000.0] {
        let slab = cuboid(1.5 * scale, 0.5 * scale, 1.5 * scale);
        let mover = cuboid(0.5 * scale, 0.5 * scale, 0.5 * scale);
        for (x, z) in [(0.0, 0.0), (0.25, -0.5), (1.9, 1.9), (-1.999, 0.3), (2.0, 0.0)] {
            let start = at(x * scale, 3.0 * scale, z * scale);
            let way = Vec3::new(0.0, -5.0 * scale, 0.0);
            let hit = swept(&mover, &start, way, &slab, &Pose::IDENTITY);
            let hit = hit.unwrap_or_else(|| panic!("missed from {x}, {z} at scale {scale}"));
            assert!((hit.fraction - 0.4).abs() < 1e-6, "{hit:?}");
        }
        let beside = at(2.001 * scale, 3.0 * scale, 0.0);
        let way = Vec3::new(0.0, -5.0 * scale, 0.0);
        assert_eq!(swept(&mover, &beside, way, &slab, &Pose::IDENTITY), None);
    }
}

/// jrouwe/JoltPhysics#419: a capsule 0.01 from a box was reported half a metre deep.
#[test]
fn jolt_419_a_capsule_a_little_off_a_box() {
    let rng = &mut Rng::new(419);
    let wall = cuboid(0.421_875, 2.0, 1.5);
    let place = at(6.921_88, 0.0, 6.5);
    let capsule = Shape::capsule_along_y(0.5, 0.3).unwrap();
    for _ in 0..500 {
        let side = rng.pick(&[-1.0_f32, 1.0]);
        let x = 6.921_88 + side * (0.421_875 + 0.3 + 0.01);
        let there = at(x, rng.range(-2.0, 2.0), 6.5 + rng.range(-1.4, 1.4));
        let (lies, found) = agreed(&capsule, &there, &wall, &place);
        assert_eq!(lies, Relation::Apart);
        assert!((found.distance - 0.01).abs() < 1e-5, "{found:?}");
    }
}

/// dimforge/parry#396: a small cylinder inside a large one was found to be apart from it.
#[test]
fn parry_396_a_cylinder_inside_a_cylinder() {
    let (big, small) = (Shape::cylinder(50.0, 100.0).unwrap(), Shape::cylinder(1.5, 1.0).unwrap());
    let pole = Shape::capsule(Vec3::Y * -50.0, Vec3::Y * 50.0, 10.0).unwrap();
    let here = Pose::IDENTITY;
    // Out through an end: 50 + 1.5 and 50 + 60 are the shortest ways.
    let (lies, found) = agreed(&big, &here, &small, &here);
    assert_eq!((lies, found.distance), (Relation::Penetrating, -51.5));
    let (lies, found) = agreed(&big, &here, &pole, &here);
    assert_eq!((lies, found.distance), (Relation::Penetrating, -110.0));
}

/// dimforge/parry#414: a cylinder that falls on a wide slab stopped at a tenth of the way.
#[test]
fn parry_414_cylinders_fall_on_a_wide_slab() {
    let slab = cuboid(5_000.0, 0.5, 5_000.0);
    let rng = &mut Rng::new(414);
    for mover in [Shape::cylinder(0.5, 0.4).unwrap(), Shape::cone(0.5, 0.4).unwrap()] {
        for _ in 0..50 {
            let (x, z) = (rng.range(-4000.0, 4000.0), rng.range(-4000.0, 4000.0));
            let start = at(x, 2.0, z);
            let way = Vec3::new(0.0, -1.25, 0.0);
            let hit = swept(&mover, &start, way, &slab, &Pose::IDENTITY).expect("it lands");
            assert!((hit.fraction - 0.8).abs() < 1e-6 && hit.normal == Vec3::Y, "{hit:?}");
        }
    }
}

/// flexible-collision-library/fcl#319: a thin wall and a cylinder made the search give up.
#[test]
fn fcl_319_a_thin_wall_and_a_cylinder() {
    let wall = cuboid(0.025, 0.195, 0.735);
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    let place = turned([0.8, -0.385, 0.735], [0.0, 0.0, quarter, quarter]);
    let drum = Shape::cylinder(0.09, 0.18).unwrap();
    // The report's cylinder runs along z, turned by -15° about z, which does not matter.
    let there = turned([0.4, -0.4, 0.93], [quarter, 0.0, 0.0, quarter]);
    let (lies, found) = agreed(&wall, &place, &drum, &there);
    assert_eq!(lies, Relation::Apart);
    assert!((found.distance - 0.025).abs() < 1e-3, "{found:?}");
}

/// RobotLocomotion/drake#10578: a board and a cylinder as thin as 0.08 to 0.002 failed.
#[test]
fn drake_10578_a_board_and_a_coin() {
    let board = cuboid(0.245, 0.315, 0.007_5);
    let quarter = std::f32::consts::FRAC_1_SQRT_2;
    let place = turned([-0.145, -0.63, 0.2425], [0.0, 0.0, quarter, quarter]);
    for radius in [0.08, 0.000_5] {
        let coin = Shape::cylinder(0.001, radius).unwrap();
        for height in [0.2425, 0.25, 0.2510, 0.252] {
            let there = turned([-0.12, -0.6, height], [quarter, 0.0, 0.0, quarter]);
            let (lies, found) = agreed(&board, &place, &coin, &there);
            assert_eq!(lies.overlaps(), found.distance <= 0.0, "{found:?}");
        }
    }
}

/// jrouwe/JoltPhysics#2065 and #940: a capsule on triangles with long edges was reported metres
/// deep.
#[test]
fn jolt_2065_capsules_on_triangles_with_long_edges() {
    let rng = &mut Rng::new(2065);
    let capsule = Shape::capsule_along_y(0.5, 0.25).unwrap();
    let mut counts = [0; 3];
    for _ in 0..300 {
        // A sliver of 150 m by centimetres.
        let far = rng.direction() * 150.0;
        let near = rng.cube(-0.05, 0.05);
        let sliver = Shape::triangle(near, far, far + rng.cube(-0.05, 0.05)).unwrap();
        let along = far * rng.range(0.0, 1.0);
        let there = along + rng.direction() * rng.range(0.0, 0.6);
        let pose = Pose::new(there, rng.rotation()).unwrap();
        let (lies, found) = agreed(&sliver, &Pose::IDENTITY, &capsule, &pose);
        counts[lies as usize] += 1;
        assert!(found.distance >= -1.0 && found.distance < 1.0, "{found:?}");
    }
    assert!(counts[0] > 50 && counts[2] > 50, "{counts:?}");
}

/// coal-library/coal#49: the search between two triangles close to each other failed.
#[test]
fn coal_49_triangles_close_to_each_other() {
    let rng = &mut Rng::new(49);
    let mut counts = [0; 3];
    for _ in 0..300 {
        let corners = [0, 1, 2].map(|_| rng.cube(-1.0, 1.0));
        let [a, b, c] = corners;
        let first = Shape::triangle(a, b, c).unwrap();
        let [d, e, f] = corners.map(|v| v + rng.cube(-1e-6, 1e-6));
        let second = Shape::triangle(d, e, f).unwrap();
        let (lies, found) = agreed(&first, &Pose::IDENTITY, &second, &Pose::IDENTITY);
        counts[lies as usize] += 1;
        assert!(found.distance.abs() < 1e-5, "{found:?}");
    }
    assert!(counts[0] > 20 && counts[2] > 20, "{counts:?}");
}

/// schteppe/cannon.js#301 and dimforge/rapier#182: balls and capsules fell through the seams and
/// rims of height fields.
#[test]
fn cannon_js_301_nothing_falls_through_the_seams_of_a_height_field() {
    let field = Shape::height_field(5, 5, vec![1.0; 25], Vec3::new(8.0, 1.0, 8.0)).unwrap();
    let movers = [
        Shape::sphere(0.25).unwrap(),
        Shape::sphere(0.0).unwrap(),
        Shape::capsule_along_y(0.5, 0.25).unwrap(),
        cuboid(0.25, 0.25, 0.25),
    ];
    for mover in &movers {
        let below = mover.aabb(&Pose::IDENTITY).min().y;
        for x in -8_i8..=8 {
            for z in -8_i8..=8 {
                // Vertices, edges, diagonals, rims and corners of the field, every half metre.
                let (x, z) = (f32::from(x) * 0.5, f32::from(z) * 0.5);
                let start = at(x, 4.0, z);
                let way = Vec3::new(0.0, -8.0, 0.0);
                let hit = swept(mover, &start, way, &field, &Pose::IDENTITY);
                let hit = hit.unwrap_or_else(|| panic!("{mover:?} fell through at {x}, {z}"));
                let exact = (3.0 + below) / 8.0;
                assert!((hit.fraction - exact).abs() < 1e-6, "{mover:?} at {x}, {z}: {hit:?}");
                assert!(agreed(mover, &at(x, 1.0, z), &field, &Pose::IDENTITY).0.overlaps());
            }
        }
    }
}
