//! Cylinders and cones, flat, thin and thinly rounded, beside shapes of any size: what all queries tell
//! must agree.

use crate::common::{Random, pose};
use impinge_narrowphase::{
    ImpactOptions, Motion, Relation, SweepOptions, TimeOfImpact, closest, distance, manifold,
    overlaps, relation, sweep, time_of_impact,
};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{Pose, Ray, RayOptions, Shape};

fn rounded(core: Shape, radius: f32) -> Shape {
    Shape::rounded(core, radius).expect("valid")
}

fn capsule(a: Vec3, b: Vec3, radius: f32) -> Shape {
    Shape::capsule(a, b, radius).expect("valid")
}

/// Whether all queries tell what the relation tells; the relation, and the signed distance.
fn agreed(name: &str, (a, at_a): (&Shape, &Pose), (b, at_b): (&Shape, &Pose)) -> (Relation, f32) {
    let told = relation(a, at_a, b, at_b);
    let near = closest(a, at_a, b, at_b, f32::INFINITY).expect("no limit");
    let show = || format!("{name}: {told:?}, {near:?}, {a:?} {at_a:?} {b:?} {at_b:?}");
    let sign = match told {
        Relation::Apart => near.distance > 0.0,
        Relation::Touching => near.distance == 0.0,
        Relation::Penetrating => near.distance < 0.0,
    };
    assert!(sign, "{}", show());
    assert_eq!(overlaps(a, at_a, b, at_b), told.overlaps(), "{}", show());
    assert_eq!(distance(a, at_a, b, at_b) > 0.0, told == Relation::Apart, "{}", show());
    assert_eq!(manifold(a, at_a, b, at_b, 0.0).is_some(), told.overlaps(), "{}", show());
    let started = (told == Relation::Penetrating).then_some(true);
    let rests = sweep(b, at_b, Vec3::ZERO, a, at_a, &SweepOptions::default());
    assert_eq!(rests.is_some(), told.overlaps(), "{rests:?} {}", show());
    let starts = |hit: impinge_narrowphase::ShapeSweepHit| hit.started_overlapping.then_some(true);
    assert_eq!(rests.and_then(starts), started, "{rests:?} {}", show());
    let way = Vec3::new(0.8, 0.5, -0.3) * (8.0 * reach(a).max(reach(b)));
    let goes = sweep(b, at_b, way, a, at_a, &SweepOptions::default());
    assert_eq!(goes.and_then(starts), started, "{goes:?} {}", show());
    (told, near.distance)
}

/// A regression: with radii below what rounding hides, the depth of the cores was not asked for.
#[test]
fn what_lies_deep_in_a_cylinder_penetrates_it_however_thinly_it_is_rounded() {
    let (cylinder, cone) = (Shape::cylinder(1.0, 1.0).unwrap(), Shape::cone(1.0, 1.0).unwrap());
    let thin = |radius: f32| rounded(Shape::cuboid(Vec3::splat(0.1)).unwrap(), radius);
    let dot = Shape::cuboid(Vec3::splat(1e-13)).unwrap();
    let disc = rounded(Shape::cylinder(0.0, 1.0).unwrap(), 1e-13);
    let huge = Shape::cylinder(2.0_f32.powi(60), 2.0_f32.powi(60)).unwrap();
    let cases = [
        (cylinder.clone(), thin(1e-13), 1.1),
        (cylinder.clone(), thin(1e-16), 1.1),
        (cylinder.clone(), thin(0.0), 1.1),
        (cone, thin(1e-13), 0.581_377_7),
        (rounded(cylinder, 1e-13), dot, 1.0),
        (disc, capsule(Vec3::NEG_Y, Vec3::Y, 1e-13), 1.0),
        (huge, capsule(Vec3::ZERO, Vec3::ZERO, 1.0), 2.0_f32.powi(60)),
    ];
    for (place, (a, b, depth)) in cases.iter().enumerate() {
        let here = Pose::IDENTITY;
        let (told, found) = agreed(&format!("case {place}"), (a, &here), (b, &here));
        assert_eq!(told, Relation::Penetrating, "case {place}");
        assert!((found + depth).abs() <= depth * 1e-5, "case {place}: {found}");
        let goes = Motion::new(here, Vec3::X * 9.0, Vec3::ZERO).unwrap();
        let options = ImpactOptions::default();
        let TimeOfImpact::Touches(hit) =
            time_of_impact(b, &goes, a, &Motion::still(here), &options)
        else {
            panic!("case {place} does not touch");
        };
        assert!(hit.started_overlapping, "case {place}: {hit:?}");
    }
}

/// A regression: from one middle to the other there was no way to walk.
#[test]
fn what_lies_around_the_middle_of_a_cone_penetrates_it_in_both_orders() {
    let cone = rounded(Shape::cone(0.112_699_606, 44.21007).unwrap(), 1.893_714e-15);
    let half = Vec3::new(0.001_043_522_6, 7.449_416_4e-6, 0.001);
    let cuboid = rounded(Shape::cuboid(half).unwrap(), 1.050_119_45e-11);
    let turn = Quat::from_xyzw(-9.134_705e-7, -5.622_720_8e-8, 1.283_854_2e-7, 1.0);
    let (tilted, here) = (pose(Vec3::ZERO, turn), Pose::IDENTITY);
    for (one, other) in [((&cone, &tilted), (&cuboid, &here)), ((&cuboid, &here), (&cone, &tilted))]
    {
        let (told, found) = agreed("one middle", one, other);
        assert_eq!(told, Relation::Penetrating);
        assert!((found + 0.1127).abs() < 1e-3, "{found}");
    }
}

/// A regression: what a search by support points left open beside a thinly rounded disc counted as
/// touching, far above what rounding hides.
#[test]
fn a_gap_beside_a_thinly_rounded_disc_is_no_touch() {
    let disc = |size: f32, radius: f32| rounded(Shape::cylinder(0.0, size).unwrap(), radius);
    let cube = Shape::cuboid(Vec3::ONE).unwrap();
    let dot = capsule(Vec3::ZERO, Vec3::ZERO, 0.0);
    let cone = || Shape::cone(0.0, 1e6).unwrap();
    let rod = |end: Vec3| capsule(Vec3::ZERO, end, 1e-4);
    let cases = [
        (disc(1000.0, 1e-8), cube.clone(), Vec3::new(300.0, -1.000_002_5, 0.0), 2.493_395e-6),
        (disc(1000.0, 1e-7), cube, Vec3::new(300.0, -1.000_002_9, 0.0), 2.761_023e-6),
        (disc(1e9, 1.0), dot.clone(), Vec3::new(3e8, 3.0, 0.0), 2.0),
        (disc(1e9, 1.0), dot, Vec3::new(3e8, 1.5, 1e8), 0.5),
        (cone(), rod(Vec3::X), Vec3::new(3e5, 6e-4, 0.0), 5e-4),
        (cone(), rod(Vec3::Y), Vec3::new(3e5, 6e-4, 0.0), 5e-4),
    ];
    for (place, (a, b, at, gap)) in cases.iter().enumerate() {
        let (here, there) = (Pose::IDENTITY, Pose::from_position(*at).unwrap());
        for (one, other) in [((a, &here), (b, &there)), ((b, &there), (a, &here))] {
            let (told, found) = agreed(&format!("case {place}"), one, other);
            assert_eq!(told, Relation::Apart, "case {place}");
            assert!((found - gap).abs() <= gap * 1e-5, "case {place}: {found}");
        }
    }
}

/// A power of ten that rounding hides beside the sizes, or not, or no radius.
fn thin(random: &mut Random, size: f32) -> f32 {
    let power = i32::try_from(random.next() % 14).unwrap_or(0) + 3;
    if random.one_in(8) { 0.0 } else { random.within(0.1, 1.0) * 10.0_f32.powi(-power) * size }
}

/// Fat, thin or none.
fn extent(random: &mut Random) -> f32 {
    match random.next() % 8 {
        0 => 0.0,
        1 => random.within(0.0, 0.01),
        2 => 1.0,
        3 => random.within(0.0, 1e-5),
        _ => random.within(0.1, 1.0),
    }
}

fn grown(core: Shape, random: &mut Random, size: f32) -> Shape {
    let radius = thin(random, size);
    if radius > 0.0 { rounded(core, radius) } else { core }
}

fn turning(random: &mut Random) -> Shape {
    let size = [1.0, 10.0, 100.0][random.axis()];
    let (half, radius) = (extent(random) * size, extent(random) * size);
    let is_cone = random.one_in(2);
    let core = if is_cone {
        Shape::cone(half, radius).expect("valid")
    } else {
        Shape::cylinder(half, radius).expect("valid")
    };
    grown(core, random, size)
}

fn beside(random: &mut Random) -> Shape {
    let size = [1.0, 0.1, 0.001, 10.0][usize::try_from(random.next() % 4).unwrap_or(0)];
    let points: Vec<_> = (0..9).map(|_| random.vector(size)).collect();
    let core = match random.next() % 7 {
        0 => {
            let half = Vec3::new(extent(random), extent(random), extent(random));
            Shape::cuboid(half * size).expect("valid")
        }
        1 => return capsule(points[0], points[1], thin(random, size)),
        2 => return capsule(points[0], points[0], thin(random, size)),
        3 => return capsule(Vec3::Y * size, Vec3::NEG_Y * size, thin(random, size)),
        4 => Shape::triangle(points[0], points[1], points[2]).expect("valid"),
        5 => Shape::convex_hull(&points).expect("valid"),
        _ => return turning(random),
    };
    grown(core, random, size)
}

/// Two shapes, one of which turns about an axis, in either order; the first has a place.
struct Drawn {
    a: Shape,
    b: Shape,
    at_a: Pose,
    /// The larger reach of those that take part, and the smaller one of the two.
    most: f32,
    least: f32,
}

impl Drawn {
    fn new(random: &mut Random, is_alone: bool) -> Self {
        let (one, other) = (turning(random), beside(random));
        let (a, b) = if random.one_in(2) { (other, one) } else { (one, other) };
        let (own, other) = (reach(&a), reach(&b));
        let (most, least) = (if is_alone { own } else { own.max(other) }, own.min(other));
        let from = random.vector(1.0) * if random.one_in(2) { 0.0 } else { most };
        let at_a = pose(from, turn(random));
        Self { a, b, at_a, most, least }
    }

    /// A way from somewhere to somewhere, through the middle of A, near its border or past it; in one
    /// of four along an axis.
    fn way(&self, random: &mut Random) -> (Vec3, Vec3) {
        let (middle, most) = (self.at_a.position(), self.most);
        let from = middle + random.vector(1.0) * [0.5, 2.0, 5.0][random.axis()] * most;
        let asides = [0.0, 0.5 * self.least, 0.7 * most, most];
        let aside = asides[usize::try_from(random.next() % 4).unwrap_or(0)];
        let to = middle + random.vector(1.0) * aside;
        let way = (to - from) * random.within(0.5, 3.0);
        let level = Vec3::AXES[random.axis()];
        (from, if random.one_in(4) { way * level } else { way })
    }
}

fn reach(shape: &Shape) -> f32 {
    shape.aabb(&Pose::IDENTITY).half_extents().max_element()
}

/// Sum of the sizes and of what lies between, by which bounds are given.
fn size(shapes: &[&Shape], between: Vec3) -> f64 {
    let reach = |shape: &Shape| shape.aabb(&Pose::IDENTITY).half_extents().element_sum();
    let sizes: f32 = shapes.iter().map(|shape| reach(shape)).sum();
    f64::from(sizes + between.abs().element_sum())
}

fn turn(random: &mut Random) -> Quat {
    if random.one_in(3) { random.whole_rotation() } else { random.rotation() }
}

fn gap_between((a, at_a): (&Shape, &Pose), (b, at_b): (&Shape, &Pose)) -> f64 {
    f64::from(closest(a, at_a, b, at_b, f32::INFINITY).expect("no limit").distance)
}

/// How deep it goes on the way that is done, as `gap` says of each part.
fn deepest(done: f32, gap: impl Fn(f32) -> f64) -> f64 {
    (0_u8..=40).map(|step| gap(done * f32::from(step) / 40.0)).fold(0.0, f64::min)
}

#[test]
fn queries_of_thinly_rounded_round_shapes_tell_what_their_relation_tells() {
    let mut seen = [0; 3];
    for seed in 0..60_000 {
        let mut random = Random(seed);
        let Drawn { a, b, at_a, most, least } = Drawn::new(&mut random, false);
        let far = [0.0, 0.2 * least, 0.8 * most, 1.5 * most][usize::try_from(seed % 4).unwrap()];
        let mut at_b = pose(at_a.position() + random.vector(1.0) * far, turn(&mut random));
        if random.one_in(2) {
            // To where they all but touch.
            let power = i32::try_from(random.next() % 30).unwrap_or(0) + 14;
            let nudge = random.within(-1.0, 1.0) * 2.0_f32.powi(-power) * most;
            for by in [0.0, 0.0, nudge] {
                let near = closest(&a, &at_a, &b, &at_b, f32::INFINITY).expect("no limit");
                let place = at_b.position() - near.normal * (near.distance - by);
                at_b = pose(place, at_b.rotation());
            }
        }
        let (told, _) = agreed(&format!("seed {seed}"), (&a, &at_a), (&b, &at_b));
        let (exchanged, _) = agreed(&format!("seed {seed}, B first"), (&b, &at_b), (&a, &at_a));
        assert_eq!(exchanged, told, "seed {seed}: {a:?} {at_a:?} {b:?} {at_b:?}");
        seen[told as usize] += 1;
    }
    assert!(seen[0] > 6_000 && seen[1] > 20 && seen[2] > 6_000, "{seen:?}");
}

/// Before they end, at the end, and whichever of the two moves, by distances.
#[test]
fn sweeps_of_thinly_rounded_round_shapes_end_where_they_touch() {
    let mut seen = [0; 3];
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let drawn = Drawn::new(&mut random, false);
        let (from, way) = drawn.way(&mut random);
        let (Drawn { a, b, at_a, .. }, at_b) = (drawn, pose(from, turn(&mut random)));
        let options = SweepOptions::default();
        let hit = sweep(&b, &at_b, way, &a, &at_a, &options);
        let back = sweep(&a, &at_a, -way, &b, &at_b, &options);
        let show = || format!("seed {seed}: {hit:?} {back:?} {a:?} {at_a:?} {b:?} {at_b:?} {way}");
        let gap = |done: f32| {
            let there = pose(from + way * done, at_b.rotation());
            gap_between((&a, &at_a), (&b, &there))
        };
        let between = (at_a.position() - from).abs() + way.abs();
        let slack = size(&[&a, &b], between) / f64::from(1 << 19);
        if hit.is_some() != back.is_some() {
            let end = hit.or(back).map_or(0.0, |hit| hit.fraction);
            assert!(gap(end).abs() <= slack, "{}", show());
        }
        let Some(hit) = hit else {
            seen[0] += 1;
            assert!(deepest(1.0, gap) >= -slack, "{}", show());
            continue;
        };
        seen[1 + usize::from(hit.started_overlapping)] += 1;
        if !hit.started_overlapping {
            assert!(gap(hit.fraction) <= slack, "{}", show());
            assert!(deepest(hit.fraction, gap) >= -slack, "{}", show());
        }
    }
    assert!(seen.iter().all(|&count| count > 1_500), "{seen:?}");
}

/// Before they hit, and where they do, by distances of points.
#[test]
fn rays_at_thinly_rounded_round_shapes_end_at_their_surface() {
    let (mut seen, dot) = ([0; 3], Shape::sphere(0.0).expect("valid"));
    for seed in 0..20_000 {
        let mut random = Random(seed);
        let drawn = Drawn::new(&mut random, true);
        let (from, way) = drawn.way(&mut random);
        let Drawn { a: shape, at_a: at, .. } = drawn;
        let Ok((ray, length)) = Ray::between(from, from + way) else { continue };
        let hit = shape.raycast(&at, &ray, length, &RayOptions::default());
        let show = || format!("seed {seed}: {hit:?} {shape:?} {at:?} {ray:?} {length}");
        let gap = |done: f32| {
            let there = Pose::from_position(from + ray.direction() * done).expect("finite");
            gap_between((&shape, &at), (&dot, &there))
        };
        let between = (at.position() - from).abs() + way.abs();
        let slack = size(&[&shape], between) / f64::from(1 << 20);
        let Some(hit) = hit else {
            seen[0] += 1;
            assert!(deepest(length, gap) >= -slack, "{}", show());
            continue;
        };
        seen[1 + usize::from(hit.started_inside)] += 1;
        if hit.started_inside {
            assert!(gap(0.0) <= slack, "{}", show());
        } else {
            assert!(gap(hit.distance).abs() <= slack, "{}", show());
            assert!(deepest(hit.distance, gap) >= -slack, "{}", show());
            assert!(hit.normal.dot(ray.direction()) <= 1e-6, "{}", show());
        }
    }
    assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
}

/// Before they touch, and where they do, by distances along the way, whichever is named first.
#[test]
fn impacts_of_thinly_rounded_round_shapes_are_never_late() {
    let mut seen = [0; 3];
    for seed in 0..6_000 {
        let mut random = Random(seed);
        let drawn = Drawn::new(&mut random, false);
        let (from, way) = drawn.way(&mut random);
        let (Drawn { a, b, at_a, most, least }, at_b) = (drawn, pose(from, turn(&mut random)));
        let mut motion = |at: Pose, way: Vec3| {
            let radians = [0.0, 0.3, 3.0, 12.0][usize::try_from(random.next() % 4).unwrap()];
            let center = random.vector(most) * [0.0, 0.0, 0.5][random.axis()];
            let moving = Motion::new(at, way, random.vector(radians)).expect("finite");
            moving.about(center).expect("finite")
        };
        let (on_a, on_b) = (motion(at_a, Vec3::ZERO), motion(at_b, way));
        let tolerance = least.max(most / 128.0) * [0.03, 0.004, 0.001][random.axis()];
        let options = ImpactOptions { tolerance: Some(tolerance), ..ImpactOptions::default() };
        let gap = |done: f32| gap_between((&a, &on_a.pose_at(done)), (&b, &on_b.pose_at(done)));
        let between = (at_a.position() - from).abs() + way.abs() + Vec3::splat(most);
        let slack = f64::from(tolerance) + size(&[&a, &b], between) / f64::from(1 << 19);
        let found = time_of_impact(&a, &on_a, &b, &on_b, &options);
        let back = time_of_impact(&b, &on_b, &a, &on_a, &options);
        for found in [found, back] {
            let show = || format!("seed {seed}: {found:?} {a:?} {on_a:?} {b:?} {on_b:?}");
            let safe = match found {
                TimeOfImpact::Touches(hit) if hit.started_overlapping => {
                    seen[2] += 1;
                    assert!(gap(0.0) <= slack, "{}", show());
                    continue;
                }
                TimeOfImpact::Touches(hit) => {
                    seen[1] += 1;
                    assert!(gap(hit.fraction) <= slack, "{}", show());
                    hit.fraction
                }
                TimeOfImpact::Apart => {
                    seen[0] += 1;
                    1.0
                }
                TimeOfImpact::Unconverged { safe } => safe,
            };
            assert!(deepest(safe, gap) >= -slack, "{}", show());
        }
    }
    assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    assert!(seen.iter().sum::<u64>() > 11_990, "too many without an answer: {seen:?}");
}
