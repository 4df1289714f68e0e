//! First touches that were wrong once.

use glam::{Quat, Vec3};
use impinge_narrowphase::{SweepOptions, closest, overlaps, sweep};
use impinge_shapes::{Pose, Shape};
use impinge_testkit::oracle::{self, curved::Outcome};
use impinge_world::{Body, SweepQuery, World};

use super::{cuboid, pose, rounded};

/// Two boxes 3.5e-7 apart along an edge of each move apart; the times at which they would have met,
/// all before the start, counted as a hit at the start.
#[test]
fn swept_boxes_that_met_before_the_start() {
    let a = cuboid(1.9655448, 6.73498, 5.9991055);
    let b = cuboid(9.157106, 13.491183, 11.266443);
    let pose_a =
        pose([-24.198296, 13.711319, 6.3930993], [0.33407763, -0.08343217, 0.59993786, 0.72215354]);
    let pose_b =
        pose([-7.029464, 0.47316808, -3.1220703], [0.33407885, -0.08343661, 0.5999357, 0.72215426]);
    let way = Vec3::new(20.08714, 11.95799, 22.974493);
    let options = SweepOptions::default();
    assert_eq!(sweep(&a, &pose_a, way, &b, &pose_b, &options), None);
    assert_eq!(sweep(&b, &pose_b, -way, &a, &pose_a, &options), None);
    let back = sweep(&a, &pose_a, -way, &b, &pose_b, &options).expect("they meet on the way back");
    assert!(back.fraction < 1e-6, "{back:?}");
}

#[test]
fn a_cylinder_stops_at_a_corner_that_it_starts_close_to() {
    let roller = Shape::cylinder(39.0625, 7.8125).unwrap();
    let lying = Quat::from_xyzw(1.0, 0.0, 0.0, 1.0);
    let from = Pose::new(Vec3::new(2.0, 51.000_008, -53.000_004), lying).unwrap();
    let corners = [
        Vec3::new(0.0, -15.625, -7.8125),
        Vec3::new(0.0, -7.8125, 7.8125),
        Vec3::new(0.0, 0.0, -15.625),
        Vec3::new(15.625, 15.625, 7.8125),
    ];
    let rock = Shape::convex_hull(&corners).unwrap();
    let turn = Quat::from_xyzw(0.0, 0.5, 0.0, 1.0);
    let at = Pose::new(Vec3::new(-13.625, 27.5625, -45.1875), turn).unwrap();
    let way = Vec3::new(-11.258_913, -90.070_89, -61.019_363);
    let hit = sweep(&roller, &from, way, &rock, &at, &SweepOptions::default());
    // Two last places of 51 above the corner.
    let exact = 2.0_f32.powi(-17) / 90.070_89;
    assert!(hit.is_some_and(|hit| (hit.fraction / exact - 1.0).abs() < 1e-3), "{hit:?}");
}

#[test]
fn a_point_next_to_a_triangle_meets_the_side_it_comes_from() {
    let point = Shape::sphere(0.0).unwrap();
    let corners = [Vec3::ZERO, Vec3::new(0.0, 15.125, 15.125), Vec3::new(15.125, 10.25, 0.0)];
    let sheet = Shape::triangle(corners[0], corners[1], corners[2]).unwrap();
    let at = Pose::from_position(Vec3::Y * f32::from_bits(1)).unwrap();
    let way = Vec3::Y * 15.125;
    let hit = sweep(&point, &Pose::IDENTITY, way, &sheet, &at, &SweepOptions::default());
    assert!(hit.is_some_and(|hit| hit.normal.dot(way) <= 0.0), "{hit:?}");
}

/// Beyond the sharp end of a triangle that is 1e-45 wide the sides are no wider apart than rounding:
/// what lay over their continuation was taken to lie over the triangle.
#[test]
fn a_point_beyond_the_sharp_end_of_a_sliver_counted_as_over_it() {
    let least = f32::from_bits(1);
    let place = Vec3::new(0.0, 15.75, 11.75);
    let point = cuboid(0.0, 0.0, 0.0);
    for width in [least, 1e-30, 1e-9, 1e-4] {
        let corners = [Vec3::new(0.0, 11.75, -width), Vec3::X * -width, Vec3::ZERO];
        let [p, q, r] = corners;
        let sliver = rounded(Shape::triangle(p, q, r).unwrap(), 0.0);
        for rotation in [[0.0, 0.0, 0.0, 1.0], [2.0, -2.0, -2.0, -2.0]] {
            let at = pose(place.to_array(), rotation);
            let exact = oracle::bounds(&sliver, &Pose::IDENTITY, &point, &at).expect("an oracle");
            for found in [
                closest(&sliver, &Pose::IDENTITY, &point, &at, f32::INFINITY),
                closest(&point, &at, &sliver, &Pose::IDENTITY, f32::INFINITY),
            ] {
                let found = found.expect("no limit");
                assert!(exact.miss(found.distance.into()) < 1e-6, "{width} {found:?} {exact:?}");
            }
        }
    }
}

/// A point that starts a last place before the end of a segment, and moves along it, started on the
/// end in f64, which it then left: it met the segment at the end of its way, or at the other end.
#[test]
fn a_point_next_to_the_end_of_a_segment_that_met_it_late() {
    let start = Pose::from_position(Vec3::Y * -f32::from_bits(1)).unwrap();
    let point = Shape::sphere(0.0).unwrap();
    let segment = |a: Vec3, b: Vec3| Shape::capsule(a, b, 0.0).unwrap();
    let movers = [point.clone(), segment(Vec3::ZERO, Vec3::ZERO), segment(Vec3::ZERO, Vec3::X)];
    let targets = [
        segment(Vec3::Y * 5.75, Vec3::ZERO),
        segment(Vec3::ZERO, Vec3::Y * 5.75),
        cuboid(0.0, 5.75, 0.0),
    ];
    for (mover, target) in movers.iter().flat_map(|mover| targets.iter().map(move |b| (mover, b))) {
        let at = match target {
            Shape::Cuboid(_) => Pose::from_position(Vec3::Y * 5.75).unwrap(),
            _ => Pose::IDENTITY,
        };
        for length in [4.125, 60.0] {
            let way = Vec3::Y * length;
            let options = SweepOptions::default();
            let there = sweep(mover, &start, way, target, &at, &options);
            let back = sweep(target, &at, -way, mover, &start, &options);
            for hit in [there, back] {
                let hit = hit.unwrap_or_else(|| panic!("{mover:?} misses {target:?}"));
                assert!(hit.fraction <= f32::from_bits(1), "{mover:?} {target:?} {hit:?}");
            }
            let normal = there.map_or(Vec3::ZERO, |hit| hit.normal);
            assert!(normal.dot(way) <= 0.0, "{mover:?} {target:?} {normal}");
        }
    }
}

/// Nearly along a needle the step to its end was a rounding too long, which is far along the way; the
/// point was seen beyond the end, and missed it.
#[test]
fn a_point_that_grazes_the_end_of_a_needle_missed_it() {
    let most = 5.6250005;
    let point = Shape::sphere(f32::from_bits(1)).unwrap();
    let [p, q, r] = [[4.0000005, 4.0, 4.0], [5.625, most, most], [most; 3]].map(Vec3::from_array);
    let needle = Shape::triangle(p, q, r).unwrap();
    let start = pose([most; 3], [-2.0, -2.0, -2.0, -2.0]);
    let at = pose(p.to_array(), [0.0, 0.0, 0.0, 1.0]);
    let way = Vec3::splat(most);
    check_fraction(&point, &start, way, &needle, &at);
    check_fraction(&needle, &at, -way, &point, &start);
}

/// Where a point lies on several faces of a box, both of a flat one, too, or on a segment, or two
/// segments cross, but for rounding, the normal was one along which the two part.
#[test]
fn normals_of_what_all_but_touches_were_along_the_way() {
    let (least, point) = (f32::from_bits(1), Shape::sphere(0.0).unwrap());
    let corner = pose([9.5, 9.5, -least], [0.0, 0.0, 0.0, 1.0]);
    let segment = Shape::capsule(Vec3::Z * 5.5, Vec3::X * 2.326_032_7e-10, 0.0).unwrap();
    let slanting = Shape::capsule(Vec3::new(13.125, -0.25, 0.0), Vec3::ZERO, 0.0).unwrap();
    let beside = Pose::from_position(Vec3::X * least).unwrap();
    let flat = cuboid(1.625, 1.625, 0.0);
    let below = pose([0.0, 0.0, -0.624_999_94], [-1.625, least, 0.0, -1.625]);
    let cases = [
        (cuboid(9.5, 9.5, 9.5), corner, Vec3::splat(9.5), &point, Vec3::new(9.5, least, 9.5)),
        (segment, Pose::IDENTITY, Vec3::Z * -6.25, &point, Vec3::ZERO),
        (cuboid(0.0, 0.0, 4.0), beside, Vec3::X * -6.125, &slanting, Vec3::ZERO),
        (flat, below, Vec3::splat(1.625), &point, Vec3::ZERO),
    ];
    for (mover, start, way, target, place) in cases {
        let at = Pose::from_position(place).unwrap();
        let there = sweep(&mover, &start, way, target, &at, &SweepOptions::default());
        let back = sweep(target, &at, -way, &mover, &start, &SweepOptions::default());
        for (hit, way) in [(there, way), (back, -way)] {
            let along = hit.expect("a hit").normal.dot(way.normalize());
            assert!(along <= 1e-9, "{along} along the way: {hit:?}");
        }
    }
}

/// A box 6e-11 thick passes the end of a segment by as much and is met at its middle: beside it the
/// direction from farther away was kept, and the end counted as met a gap of 2^-39 of the sizes before.
#[test]
fn a_thin_box_that_passes_the_end_of_a_segment_met_it_early() {
    let thin = 2.921_751_7e-11;
    let a = cuboid(0.125, thin, thin);
    let pose_a = pose([-thin; 3], [-5.820_766e-11, -0.125, -0.125, 0.0]);
    let b = Shape::capsule(Vec3::new(15.0, 15.0, 0.0), Vec3::X * 8.875, 0.0).unwrap();
    let pose_b = pose([3.125, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]);
    check_fraction(&a, &pose_a, Vec3::X * 15.0, &b, &pose_b);
    check_fraction(&b, &pose_b, Vec3::X * -15.0, &a, &pose_a);
}

/// The end of a triangle passes a corner by 2^-37 of the sizes, and its edge runs along the way to
/// another end, which is met there: beside it rounding tilted the direction, and steps were too short.
#[test]
fn an_edge_that_runs_along_the_way_past_a_corner_met_it_early() {
    let thin = -2.921_751_7e-11;
    let end = Vec3::new(thin, -6.112_941e-10, thin);
    let a = Shape::triangle(Vec3::splat(-3.5), Vec3::new(-3.5, 10.125, 2.125), end).unwrap();
    let pose_a = pose([thin; 3], [thin, thin, thin, -0.21961543]);
    let flat = [Vec3::splat(-13.875), Vec3::splat(-3.5), Vec3::new(-3.5, 0.0, -3.5)];
    let b = Shape::convex_hull(&flat).unwrap();
    let pose_b = pose([15.25; 3], [0.0, 0.0, 0.0, 1.0]);
    // A gap of 2^-46 of the sizes is 0.0026 of a path that runs along so nearly.
    check_fraction_within(4e-3, &a, &pose_a, Vec3::splat(15.25), &b, &pose_b);
    check_fraction_within(4e-3, &b, &pose_b, Vec3::splat(-15.25), &a, &pose_a);
}

/// A triangle 3e-9 wide that a box runs along was met at the start of the path, a gap of 2^-31 of the
/// sizes before.
#[test]
fn a_box_that_runs_along_a_needle_met_it_early() {
    let a = cuboid(0.02897155, 0.02897155, 0.02897155);
    let end = Vec3::splat(0.026516333);
    let b = Shape::triangle(Vec3::splat(-0.037646648), end.with_x(0.02651633), end).unwrap();
    let pose_a = pose(
        [0.053032655, 0.053032663, 0.053032666],
        [0.31764707, 0.31764707, 0.32086244, 0.83381534],
    );
    let pose_b = pose(
        [-0.04079157, 0.05729117, 0.07028208],
        [-0.44978732, -0.48268548, 0.120766565, -0.7417018],
    );
    let way = Vec3::new(-0.040695604, 0.07232286, 0.08957214);
    check_fraction(&a, &pose_a, way, &b, &pose_b);
    check_fraction(&b, &pose_b, -way, &a, &pose_a);
}

/// A triangle 4e-10 wide runs along another, a gap of 2^-39 of the sizes away: the direction between
/// the nearest points did not part them, and where it led the path ended, at 0.66 for 1.
#[test]
fn a_needle_that_runs_along_a_triangle_met_it_early() {
    let triangle =
        |[p, q, r]: [[f32; 3]; 3]| Shape::triangle(p.into(), q.into(), r.into()).unwrap();
    let (long, thin) = (-2.680_832_8e-5, -4.381_775e-10);
    let needle = triangle([[thin, 0.0, 0.0], [0.0; 3], [3.713_903_4e-7, long, long]]);
    let from = pose([-4.090_669e-10, 15.25, 15.25], [0.0, 0.0, 0.0, 1.0]);
    let end = [long, -2.680_896_8e-5, long];
    let large = triangle([[15.25; 3], [15.25, 15.25, -7.125], end]);
    let at = pose([14.25; 3], [2.0; 4]);
    let way = Vec3::splat(14.25);
    check_fraction_within(4e-3, &needle, &from, way, &large, &at);
    check_fraction_within(4e-3, &large, &at, -way, &needle, &from);
}

/// A triangle 3e-11 wide runs along a point, a gap of 2^-35 of the sizes away, in one plane with it:
/// none of the axes that were asked lies in a plane that both are in, and it was met at the start.
#[test]
fn a_needle_that_runs_along_a_point_met_it_early() {
    let (left, right) = (-4.381_775e-10, -4.090_626_2e-10);
    let ends = [Vec3::X * left, Vec3::Y * 1.25, Vec3::X * right];
    let needle = Shape::triangle(ends[0], ends[1], ends[2]).unwrap();
    let way = Vec3::Y * -15.25;
    let line = Shape::capsule(Vec3::ZERO, Vec3::Z, 0.0).unwrap();
    let hull = Shape::convex_hull(&ends).unwrap();
    for needle in [&needle, &hull] {
        for other in [&Shape::sphere(0.0).unwrap(), &line] {
            check_fraction(needle, &Pose::IDENTITY, way, other, &Pose::IDENTITY);
            check_fraction(other, &Pose::IDENTITY, -way, needle, &Pose::IDENTITY);
        }
    }
}

/// The direction between nearest points on an edge 4.4e8 long was tilted by rounding, and the lower
/// bound along another one led the sweep 0.024 of its path too far.
#[test]
fn swept_segment_that_grazes_beside_a_long_edge() {
    let ends = [Vec3::new(7.875, 320.2258, -9.0), Vec3::new(8.375001, 442478850.0, 11.125)];
    let a = Shape::convex_hull(&ends).unwrap();
    let b = rounded(cuboid(1.0, 15.250001, 1.875), 9.0);
    let pose_a = pose([-8.625, -6.2499995, -17.910059], [0.0, 0.0, 0.0, 1.0]);
    let pose_b = pose([13.0, 7.7500005, -5.75], [1.0, -1.0, 1.0, -2.0]);
    let way = Vec3::new(10.625, -115211460.0, -1.09992925e-7);
    check_fraction(&a, &pose_a, way, &b, &pose_b);
}

/// The search for the nearest points ended early beside a plate 2e-9 thick, and its lower bound was
/// taken for the distance: the sweep stopped at once.
#[test]
fn swept_long_rounded_box_against_a_thin_plate() {
    let a = rounded(cuboid(7800952.0, 14.5, 0.625), 7.125);
    let b = cuboid(3.375, 2.25, 1.8459545e-9);
    let pose_a = pose([12.499999, -0.012852532, 0.125], [2.0, -1.0, 2.0, -1.0]);
    let pose_b = pose([-3.2377916e-9, 2.8940735, 14.000001], [-2.0, 1.0, 1.0, -2.0]);
    check_fraction(&a, &pose_a, Vec3::new(-4.75, -12.75, 15.75), &b, &pose_b);
}

/// A capsule 3e8 long that grazes a box: the direction between the nearest points was tilted by
/// rounding, and the sweep ended 0.009 of its path too late.
#[test]
fn swept_long_capsule_that_grazes_a_box() {
    let a = cuboid(13.125, 5.25, 2.0000002);
    let ends =
        [Vec3::new(2.4999998, 6.25, -296091070.0), Vec3::new(3.637583, 14.625, -1.8866498e-7)];
    let b = Shape::capsule(ends[0], ends[1], 1.7499999).unwrap();
    let pose_a = pose([-9.5, -0.01672253, 13.874999], [0.0, 0.0, 0.0, 1.0]);
    let pose_b = pose([-3.125, 2.75, -9.875], [0.0, 0.0, 0.0, 1.0]);
    let way = Vec3::new(-3.125, 12.500001, -41760550.0);
    check_fraction(&a, &pose_a, way, &b, &pose_b);
    check_fraction(&b, &pose_b, -way, &a, &pose_a);
}

/// The rounded bounds of a sweep knew nothing of what a path of 1e11 sizes takes from the fraction
/// that is told, and a batch told another body than a single call.
#[test]
fn batches_of_sweeps_along_enormous_paths() {
    let cases = [
        (
            cuboid(0.5, 0.5, 0.5),
            Vec3::new(1e11, 1e11, 0.0),
            [[0.5; 3], [0.5; 3]],
            [[2.0, 2.0 + 1.0 / 2048.0, 0.0], [2.0 + 1.0 / 16384.0, 1.5, 0.0]],
        ),
        (
            Shape::sphere(0.5).unwrap(),
            Vec3::new(1e12, 1e11, 0.0),
            [[20.0, 5.0, 5.0], [1.0, 5.0, 5.0]],
            [[5.0, 6.5, 0.0], [1.5 + 9.995, 0.0, 0.0]],
        ),
        (
            cuboid(1e-20, 1e-20, 1e-20),
            Vec3::new(1e28, 1e28, 0.0),
            [[1e-20; 3], [1e-20; 3]],
            [[1e-19, -1e-20, 0.0], [1e-19, -1e-19, 0.0]],
        ),
    ];
    for (mover, way, halves, places) in cases {
        let mut world = World::new();
        for (half, place) in halves.into_iter().zip(places) {
            let [x, y, z] = half;
            world.insert(Body::fixed(cuboid(x, y, z)).at(Vec3::from_array(place))).unwrap();
        }
        let query = SweepQuery::new(&mover, Pose::IDENTITY, way);
        let alone = world.queries().sweep_with(&query);
        let (mut hits, mut any) = (Vec::new(), Vec::new());
        world.queries().sweep_batch(&[query], &mut hits);
        assert_eq!(hits, [alone], "{way}");
        world.queries().sweep_any_batch(&[query], &mut any);
        assert_eq!(any, [alone.is_some()], "{way}");
    }
}

/// The segment crosses the flat box 6e-6 beside it, which only an axis across both tells; that one is
/// hardly better than the box's own, which do not part the two, and was passed over: the sweep was
/// told to lead in at once.
#[test]
fn a_segment_that_passes_a_box_without_height_hit_it() {
    let flat = cuboid(8389700.0, 0.0, 0.0);
    let turned = [-0.125, -0.027282715, -2.9217517e-11, -1028.0];
    let at = pose([0.0, 0.0, -2.9217517e-11], turned);
    let end = Vec3::new(-1028.0, -9.605401e-10, 6.54552e-11);
    let segment = Shape::capsule(Vec3::Z * 2.0, end, 0.0).expect("sizes are valid");
    check_miss(&flat, &at, Vec3::Z * -0.125, &segment, &Pose::IDENTITY);
}

/// Through a portal 1.7e7 long the path seemed to go in 3e-5 before its end, because of the rounding
/// of the areas that tell its height there; it ends 2e-6 above the hull.
#[test]
fn a_thin_box_that_stops_short_of_a_long_hull_hit_it() {
    let block = cuboid(8422468.0, 2.1249998, 2.3938094e-7);
    let turned = [-0.125, -0.125, -2.9217517e-11, -2.9217517e-11];
    let at = pose([-9.605401e-10, -2.9217517e-11, 1.8924183e-6], turned);
    let corners = [
        Vec3::splat(-11.5),
        Vec3::new(0.0, -2.9217517e-11, -14.250001),
        Vec3::ZERO,
        Vec3::new(9.749999, -14.250001, -8621124.0),
    ];
    let hull = Shape::convex_hull(&corners).expect("corners are valid");
    let way = Vec3::splat(-12.75);
    check_miss(&block, &at, way, &hull, &pose([-12.75; 3], [0.5; 4]));
}

/// Nothing is hit, whichever of the two moves.
fn check_miss(a: &Shape, pose_a: &Pose, way: Vec3, b: &Shape, pose_b: &Pose) {
    for (a, pose_a, way, b, pose_b) in [(a, pose_a, way, b, pose_b), (b, pose_b, -way, a, pose_a)] {
        let exact = oracle::outcomes(a, pose_a, way, b, pose_b);
        assert!(matches!(exact.as_deref(), Some([Outcome::Miss])), "{exact:?}");
        let found = sweep(a, pose_a, way, b, pose_b, &SweepOptions::default());
        assert_eq!(found, None);
    }
}

/// Compares the fraction with the exact one, which a graze may come before by 1e-4.
fn check_fraction(a: &Shape, pose_a: &Pose, way: Vec3, b: &Shape, pose_b: &Pose) {
    check_fraction_within(1e-4, a, pose_a, way, b, pose_b);
}

/// The same, with another share by which it may come before.
fn check_fraction_within(
    share: f64,
    a: &Shape,
    pose_a: &Pose,
    way: Vec3,
    b: &Shape,
    pose_b: &Pose,
) {
    let exact = match oracle::outcomes(a, pose_a, way, b, pose_b).as_deref() {
        Some([Outcome::Hit { time, .. }]) => time.low,
        other => panic!("no single hit: {other:?}"),
    };
    let found = sweep(a, pose_a, way, b, pose_b, &SweepOptions::default()).expect("a hit");
    let early = exact - f64::from(found.fraction);
    assert!((-1e-7..share).contains(&early), "{found:?}, exact {exact}");
}

/// Once one triangle was found to be touched, the others were left out as on a way along them, so
/// that the first one looked at was told in place of the first one.
#[test]
fn what_stays_on_a_mesh_touches_the_first_of_its_triangles() {
    let side = 8_u32;
    let corner = |k: u32| Vec3::new((k % (side + 1)) as f32, 0.0, (k / (side + 1)) as f32);
    let vertices: Vec<Vec3> = (0..(side + 1).pow(2)).map(corner).collect();
    let cell = |k: u32| {
        let at = k / side * (side + 1) + k % side;
        [[at, at + side + 1, at + 1], [at + 1, at + side + 1, at + side + 2]]
    };
    let triangles: Vec<[u32; 3]> = (0..side * side).rev().flat_map(cell).collect();
    let mesh = Shape::triangle_mesh(vertices.clone(), triangles.clone()).unwrap();
    let touched = |shape: &Shape, pose: &Pose| {
        let touches = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|at| vertices[at as usize]);
            let triangle = Shape::triangle(a, b, c).unwrap();
            overlaps(shape, pose, &triangle, &Pose::IDENTITY)
        };
        triangles.iter().position(touches).unwrap()
    };
    let options = SweepOptions::default();
    let bodies = [cuboid(0.75, 0.5, 0.75), cuboid(0.25, 0.5, 0.25), Shape::sphere(0.5).unwrap()];
    for (body, k) in bodies.iter().flat_map(|body| (0..64_u16).map(move |k| (body, k))) {
        let [x, z] = [k % 8, k / 8].map(|step| 1.0 + f32::from(step) * 0.75);
        let at = pose([x, 0.5, z], [0.0, 0.0, 0.0, 1.0]);
        let hit = sweep(body, &at, Vec3::ZERO, &mesh, &Pose::IDENTITY, &options).unwrap();
        let expected = (0.0, touched(body, &at));
        assert_eq!((hit.fraction, hit.part as usize), expected, "{body:?} at {at:?}");
    }
}
