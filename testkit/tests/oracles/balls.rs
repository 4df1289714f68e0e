//! Spheres beside cylinders, cones and triangles, whose common case has formulas of its own, against
//! the path that every convex pair has.

use impinge_narrowphase::pairs::{cone_sphere, cylinder_sphere, sphere_sphere, sphere_triangle};
use impinge_narrowphase::{
    self as narrow, Closest, Patch, Relation, Relative, Separation, SweepOptions, convex,
};
use impinge_shapes::convex::Solid;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape, round};
use impinge_testkit::check::{Tally, expect_same, for_each_case};
use impinge_testkit::generate::{Class, Kind, PairCase, SweepCase, pair, sweep_case};

const CASES: usize = 12_000;

/// What a pair's size is to the bounds of errors.
fn size(case: &PairCase) -> f64 {
    let reach = |shape: &Shape| {
        let Some(Solid { core, radii }) = shape.solid() else { return f64::INFINITY };
        core.reach().element_sum() + f64::from(radii[0] + radii[1])
    };
    let apart = case.pose_b.translation() - case.pose_a.translation();
    reach(&case.a) + reach(&case.b) + apart.abs().element_sum()
}

/// The distance between two f32 numbers of this size.
fn ulp(x: f64) -> f64 {
    (x.abs() * f64::from(f32::EPSILON)).max(f64::from(f32::from_bits(1)))
}

/// The contact that the pair's room finds.
fn room(case: &PairCase) -> Patch {
    let (at, margin) = (Relative::new(&case.pose_a, &case.pose_b), f64::INFINITY);
    let found = match (&case.a, &case.b) {
        (Shape::Cone(a), Shape::Sphere(b)) => cone_sphere::manifold(a, b, &at, margin),
        (Shape::Cylinder(a), Shape::Sphere(b)) => cylinder_sphere::manifold(a, b, &at, margin),
        (Shape::Triangle(b), Shape::Sphere(a)) => {
            sphere_triangle::manifold(a, b, &at.flipped(), margin)
        }
        _ => None,
    };
    found.expect("any distance")
}

fn flipped(found: &Closest) -> Closest {
    Closest { normal: -found.normal, point_a: found.point_b, point_b: found.point_a, ..*found }
}

/// Checks a case in both orders, and says how the two lie to each other.
fn check(case: &PairCase) -> Result<Relation, String> {
    let PairCase { a, pose_a, b, pose_b, .. } = case;
    let (Some(one), Some(other)) = (a.solid(), b.solid()) else { return Err("no solids".into()) };
    let at = Relative::new(pose_a, pose_b);
    let expected: Separation = convex::closest(one, other, &at);
    let known = convex::relation(one, other, &at);
    let noise = size(case) / f64::from(1_u32 << 31) / f64::from(1 << 9);
    let demand = |holds: bool, what: &str, found: &dyn std::fmt::Debug| {
        let about = || format!("{what}: {found:?}, expected {expected:?} {known:?}\n{case:?}");
        if holds { Ok(()) } else { Err(about()) }
    };
    let relation = narrow::relation(a, pose_a, b, pose_b);
    let is_exact = matches!(a, Shape::Triangle(_));
    let as_known = relation == known || (!is_exact && expected.distance.abs() <= noise / 8.0);
    demand(as_known, "relation", &relation)?;
    demand(narrow::relation(b, pose_b, a, pose_a) == relation, "exchanged", &relation)?;
    demand(narrow::overlaps(a, pose_a, b, pose_b) == relation.overlaps(), "overlaps", &relation)?;

    let found = narrow::closest(a, pose_a, b, pose_b, f32::INFINITY).ok_or("no closest points")?;
    let allowed = noise + ulp(expected.distance);
    let off = (f64::from(found.distance) - expected.distance).abs();
    demand(off <= allowed, "distance", &found)?;
    demand((found.normal.length() - 1.0).abs() < 1e-6, "normal", &found)?;
    let between = (found.point_b - found.point_a).as_dvec3();
    let coordinates = size(case) + found.point_a.as_dvec3().abs().element_sum();
    let off = (between - found.normal.as_dvec3() * f64::from(found.distance)).abs().max_element();
    demand(off <= 3.0 * ulp(coordinates), "points", &found)?;
    let back = narrow::closest(b, pose_b, a, pose_a, f32::INFINITY).ok_or("no closest points")?;
    demand(flipped(&back) == found, "exchanged", &back)?;
    let distance = narrow::distance(a, pose_a, b, pose_b);
    demand(distance.to_bits() == found.distance.max(0.0).to_bits(), "distance alone", &distance)?;

    let manifold = narrow::manifold(a, pose_a, b, pose_b, f32::MAX).ok_or("no contact")?;
    demand(manifold.points.len() == 1, "points", &manifold)?;
    let point = manifold.points[0];
    let same = (manifold.normal, point.distance, point.point_a, point.point_b)
        == (found.normal, found.distance, found.point_a, found.point_b);
    demand(same, "contact", &(&manifold, &found))?;
    let patch = room(case);
    let same = patch.points[0].feature == point.feature;
    // Elsewhere two features may be as near.
    let is_clear = matches!(case.class, Class::Random | Class::NearTouching | Class::MixedScale);
    demand(same || !is_clear, "feature", &(&manifold, &patch))?;
    Ok(relation)
}

#[test]
fn spheres_are_as_near_as_the_generic_path_finds_them() {
    for kind in [Kind::Cone, Kind::Cylinder, Kind::Triangle] {
        let mut tally = Tally::default();
        for_each_case(0xba11, CASES, |class, rng| {
            let case = pair(class, kind, Kind::Sphere, rng);
            tally.count(class, check(&case)?.overlaps());
            Ok(())
        });
        tally.assert_balanced();
    }
}

/// Needles and slivers, whose normals rounding turns most, with the centre over any part of them.
#[test]
fn spheres_beside_slivers_are_as_near_as_the_generic_path_finds_them() {
    let mut tally = [0; 2];
    for_each_case(0x511e, CASES, |class, rng| {
        let thin = round::nearest(rng.power_of_ten(-8.0, 0.0));
        let (along, aside) = (rng.cube(-1.0, 1.0), rng.cube(-1.0, 1.0));
        let place = rng.range(-0.5, 1.5);
        let nudge = thin / 1024.0;
        let corners = [Vec3::ZERO, along, along * place + aside * thin]
            .map(|corner| corner + rng.cube(-1.0, 1.0) * nudge);
        let a = Shape::triangle(corners[0], corners[1], corners[2]).expect("finite");
        let radius = round::nearest(rng.power_of_ten(-6.0, 0.0));
        let pose = |at: Vec3, rng: &mut impinge_testkit::rng::Rng| {
            Pose::new(at, rng.rotation()).expect("finite")
        };
        let pose_a = pose(rng.cube(-2.0, 2.0), rng);
        let on = along * rng.range(-0.2, 1.2) + aside * thin * rng.range(-0.5, 1.5);
        let off = rng.direction() * radius * rng.range(0.0, 2.0);
        let pose_b = pose(pose_a.position() + pose_a.rotation() * (on + off), rng);
        let b = Shape::sphere(radius).expect("positive");
        let overlaps = check(&PairCase { class, a, pose_a, b, pose_b })?.overlaps();
        tally[usize::from(overlaps)] += 1;
        Ok(())
    });
    assert!(tally.iter().all(|&count| count > CASES / 10), "{tally:?}");
}

/// Overlaps and sweeps told by squares, against the room that takes roots.
#[test]
fn spheres_meet_as_their_room_says() {
    let (mut overlapping, mut hit) = (Tally::default(), Tally::default());
    for_each_case(0x5eeb, 4 * CASES, |class, rng| {
        let SweepCase { pair: case, displacement } =
            sweep_case(class, Kind::Sphere, Kind::Sphere, rng);
        let (Shape::Sphere(mover), Shape::Sphere(target)) = (&case.a, &case.b) else {
            return Err("no spheres".into());
        };
        let place = |pose: &Pose| Pose::from_position(pose.position()).expect("finite");
        let at = Relative::new(&place(&case.pose_b), &place(&case.pose_a));
        let relation = sphere_sphere::relation(target, mover, &at);
        let found = narrow::overlaps(&case.a, &case.pose_a, &case.b, &case.pose_b);
        if found != relation.overlaps() {
            return Err(format!("{relation:?}, not {found}: {case:?}"));
        }
        overlapping.count(class, found);
        if relation != Relation::Apart {
            return Ok(());
        }
        let options = SweepOptions::default();
        let (mover_pose, target_pose) = (&case.pose_a, &case.pose_b);
        let found =
            narrow::sweep(&case.a, mover_pose, displacement, &case.b, target_pose, &options);
        let expected = sphere_sphere::sweep(target, mover, &at, displacement);
        hit.count(class, found.is_some());
        let same = match (found, expected) {
            (None, None) => true,
            (Some(found), Some(impact)) => {
                let point = round::nearest_vec(impact.point + case.pose_b.translation());
                let far = impact.fraction * displacement.as_dvec3().length();
                (found.fraction, found.distance, found.normal, found.point)
                    == (
                        round::nearest(impact.fraction),
                        round::nearest(far),
                        round::nearest_vec(impact.normal),
                        point,
                    )
            }
            _ => false,
        };
        if same { Ok(()) } else { Err(format!("{found:?}, not {expected:?}: {case:?}")) }
    });
    overlapping.assert_balanced();
    assert!(hit.of(true) > CASES / 4 && hit.of(false) > CASES / 4, "{hit:?}");
}

/// Balls, with a margin or not, beside anything: how they are turned shows in no bit.
#[test]
fn balls_answer_the_same_however_they_are_turned() {
    let (mut overlapping, mut hit) = (Tally::default(), Tally::default());
    for kind in Kind::ALL {
        for_each_case(0x2011, CASES / 24, |class, rng| {
            let SweepCase { pair: case, displacement } = sweep_case(class, Kind::Sphere, kind, rng);
            let PairCase { a: ball, pose_a, b, pose_b, .. } = &case;
            let rounded = || Shape::rounded(ball.clone(), 0.25).expect("convex");
            let ball = if rng.one_in(2) { rounded() } else { ball.clone() };
            let turned = Pose::new(pose_a.position(), rng.rotation()).expect("finite");
            let options = SweepOptions::default();
            let told = |pose: &Pose| {
                (
                    narrow::relation(&ball, pose, b, pose_b),
                    narrow::relation(b, pose_b, &ball, pose),
                    narrow::closest(&ball, pose, b, pose_b, f32::INFINITY),
                    narrow::closest(b, pose_b, &ball, pose, f32::INFINITY),
                    narrow::distance(&ball, pose, b, pose_b),
                    narrow::manifold(&ball, pose, b, pose_b, 0.125),
                    narrow::manifold(b, pose_b, &ball, pose, 0.125),
                    narrow::sweep(&ball, pose, displacement, b, pose_b, &options),
                    narrow::sweep(b, pose_b, displacement, &ball, pose, &options),
                )
            };
            let expected = told(&pose_a.unrotated());
            overlapping.count(class, expected.0.overlaps());
            hit.count(class, expected.7.is_some());
            // As text, in which zeros have signs.
            expect_same(format!("{:?}", told(&turned)), format!("{expected:?}"), &(&ball, &case))
        });
    }
    overlapping.assert_balanced();
    hit.assert_balanced();
}
