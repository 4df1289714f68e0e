//! Every ordered pair of shapes answers every query, and the answers agree with each other.

use crate::common::{Random, moved, pose};
use impinge_narrowphase::{
    Relation, SweepOptions, closest, distance, manifold, manifolds, overlaps, project_point,
    relation, sweep,
};
use impinge_shapes::glam::{Vec3, vec3};
use impinge_shapes::{Pose, Shape};

/// Poses drawn for each ordered pair.
const CASES: u64 = 40;

fn tetrahedron() -> Shape {
    let corners =
        vec![Vec3::NEG_ONE, vec3(1.0, 1.0, -1.0), vec3(1.0, -1.0, 1.0), vec3(-1.0, 1.0, 1.0)];
    let faces = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    Shape::triangle_mesh(corners, faces).expect("valid")
}

fn dunes() -> Shape {
    let heights = [0.0, 0.5, 0.0, 0.25, 1.0, -0.5, 0.0, 0.25, 0.0, 0.0, 0.0, 0.75].to_vec();
    Shape::height_field(3, 4, heights, vec3(3.0, 1.0, 2.5)).expect("valid")
}

fn octahedron() -> Shape {
    let corners = Vec3::AXES.map(|axis| [axis, -axis]).concat();
    Shape::convex_hull(&corners).expect("valid")
}

/// One of each kind, and some of what they can be made of.
fn shapes() -> Vec<Shape> {
    let cuboid = Shape::cuboid(vec3(1.0, 0.5, 0.75)).expect("valid");
    let cylinder = Shape::cylinder(0.75, 0.5).expect("valid");
    let aside = Pose::from_position(vec3(0.75, -0.25, 0.0)).expect("valid");
    let parts = [(aside, cylinder.clone()), (Pose::IDENTITY, tetrahedron())];
    vec![
        Shape::sphere(0.75).expect("valid"),
        cuboid.clone(),
        Shape::capsule(vec3(-0.5, 0.0, 0.25), vec3(0.75, 0.5, 0.0), 0.5).expect("valid"),
        cylinder.clone(),
        Shape::cone(0.75, 0.75).expect("valid"),
        Shape::triangle(vec3(-1.0, 0.0, 0.0), vec3(1.0, 0.25, 0.0), vec3(0.0, 0.5, 1.0))
            .expect("valid"),
        octahedron(),
        Shape::rounded(cuboid, 0.25).expect("valid"),
        Shape::rounded(octahedron(), 0.125).expect("valid"),
        Shape::rounded(cylinder, 0.25).expect("valid"),
        Shape::half_space(vec3(0.5, 1.0, -0.25), -0.5).expect("valid"),
        tetrahedron(),
        dunes(),
        Shape::compound(parts).expect("valid"),
    ]
}

/// Two shapes somewhere near each other, half of them on a lattice.
fn placed(random: &mut Random) -> (Pose, Pose) {
    if random.one_in(2) {
        let at = |random: &mut Random| pose(random.whole_vector(2) * 0.5, random.whole_rotation());
        (at(random), at(random))
    } else {
        let far = random.vector(4000.0);
        let at = |random: &mut Random| pose(far + random.vector(1.5), random.rotation());
        (at(random), at(random))
    }
}

fn is_round(shape: &Shape) -> bool {
    match shape {
        Shape::Cylinder(_) | Shape::Cone(_) => true,
        Shape::Rounded(rounded) => is_round(rounded.core()),
        Shape::Compound(compound) => compound.parts().iter().any(|(_, part)| is_round(part)),
        _ => false,
    }
}

#[test]
fn every_pair_relates_and_measures_alike_in_both_orders() {
    let shapes = shapes();
    let mut seen = [0; 3];
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for seed in 0..CASES {
                let mut random = Random(seed ^ (i as u64) << 32 ^ (j as u64) << 48);
                let (at_a, at_b) = placed(&mut random);
                let name = format!("{} {i} {} {j} seed {seed}", a.kind_name(), b.kind_name());
                let found = relation(a, &at_a, b, &at_b);
                seen[found as usize] += 1;
                assert_eq!(found, relation(b, &at_b, a, &at_a), "{name}");
                assert_eq!(found.overlaps(), overlaps(a, &at_a, b, &at_b), "{name}");
                let near = closest(a, &at_a, b, &at_b, f32::INFINITY).expect("no limit");
                let back = closest(b, &at_b, a, &at_a, f32::INFINITY).expect("no limit");
                assert!(!near.distance.is_nan() && near.normal.is_finite(), "{name}: {near:?}");
                match found {
                    Relation::Apart => assert!(near.distance > 0.0, "{name}: {near:?}"),
                    Relation::Touching => assert!(near.distance.abs() <= 0.0, "{name}: {near:?}"),
                    Relation::Penetrating => assert!(near.distance <= 0.0, "{name}: {near:?}"),
                }
                let (clear, signed) = (distance(a, &at_a, b, &at_b), near.distance.max(0.0));
                assert_eq!(clear.to_bits() << 1, signed.to_bits() << 1, "{name}: {clear} {near:?}");
                if !near.distance.is_finite() {
                    continue;
                }
                let size = at_a.position().abs().max_element() + 8.0;
                let tiny = size * 4.0 * f32::EPSILON;
                // The depth with a round core is an upper bound, good to 2^-20.
                let slack = if is_round(a) || is_round(b) { 1e-4 } else { tiny };
                assert!(
                    (near.distance - back.distance).abs() <= slack,
                    "{name}: {near:?} {back:?}"
                );
                let gap = near.point_b - near.point_a - near.normal * near.distance;
                assert!(gap.length() <= tiny, "{name}: {near:?}");
                assert!((near.normal.length() - 1.0).abs() < 1e-6, "{name}: {near:?}");
                let limit = near.distance - near.distance.abs() * 0.5 - 0.001;
                assert_eq!(closest(a, &at_a, b, &at_b, limit), None, "{name}: {near:?}");
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 10), "{seen:?}");
}

#[test]
fn every_pair_has_manifolds_where_it_touches() {
    let shapes = shapes();
    let (mut some, mut none, mut points) = (0, 0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for seed in 0..CASES {
                let mut random = Random(seed ^ (i as u64) << 32 ^ (j as u64) << 48);
                let (at_a, at_b) = placed(&mut random);
                let name = format!("{} {i} {} {j} seed {seed}", a.kind_name(), b.kind_name());
                let found = relation(a, &at_a, b, &at_b);
                for margin in [0.0, 0.25] {
                    let all = manifolds(a, &at_a, b, &at_b, margin);
                    let near = closest(a, &at_a, b, &at_b, margin);
                    let surface = |shape: &Shape| shape.part_count() > 1;
                    // At an edge within a surface the next triangle may have the contact.
                    // A distance that rounds to the margin may be a little more.
                    let at_margin = margin > 0.0 && near.is_some_and(|n| n.distance >= margin);
                    if !surface(a) && !surface(b) && !at_margin {
                        assert_eq!(near.is_some(), !all.is_empty(), "{name}: {near:?}");
                        assert!(all.len() <= 1, "{name}");
                    }
                    if margin <= 0.0 && found == Relation::Apart {
                        assert!(all.is_empty(), "{name}: {all:?}");
                    }
                    for one in &all {
                        assert!((one.normal.length() - 1.0).abs() < 1e-6, "{name}: {one:?}");
                        assert!((1..=4).contains(&one.points.len()), "{name}: {one:?}");
                        assert!(one.points.iter().all(|p| p.distance <= margin), "{name}");
                        assert!(one.points.is_sorted_by_key(|p| p.feature), "{name}: {one:?}");
                        points += one.points.len();
                    }
                    *if all.is_empty() { &mut none } else { &mut some } += 1;
                    assert_eq!(manifold(a, &at_a, b, &at_b, margin).is_some(), !all.is_empty());
                }
            }
        }
    }
    assert!(some > 1000 && none > 1000 && points > some, "{some} {none} {points}");
}

#[test]
fn every_pair_sweeps_to_touch_or_past() {
    let shapes = shapes();
    let (mut hits, mut misses) = (0, 0);
    for (i, a) in shapes.iter().enumerate() {
        for (j, b) in shapes.iter().enumerate() {
            for seed in 0..CASES / 2 {
                let mut random = Random(seed ^ (i as u64) << 32 ^ (j as u64) << 48);
                let (at_a, at_b) = placed(&mut random);
                let motion = random.vector(4.0);
                let at_a = moved(&at_a, -motion.as_dvec3());
                let name = format!("{} {i} {} {j} seed {seed}", a.kind_name(), b.kind_name());
                let started = relation(a, &at_a, b, &at_b) == Relation::Penetrating;
                let hit = sweep(a, &at_a, motion, b, &at_b, &SweepOptions::default());
                let tiny = 1e-3;
                let distance_at = |fraction: f32| {
                    let there = moved(&at_a, motion.as_dvec3() * f64::from(fraction));
                    closest(a, &there, b, &at_b, f32::INFINITY).expect("no limit").distance
                };
                match hit {
                    Some(hit) if started => {
                        assert!(hit.started_overlapping && hit.fraction <= 0.0, "{name}: {hit:?}");
                        let skip = SweepOptions { skip_started: true, ..SweepOptions::default() };
                        let later = sweep(a, &at_a, motion, b, &at_b, &skip);
                        assert!(later.is_none_or(|l| !l.started_overlapping), "{name}: {later:?}");
                    }
                    Some(hit) => {
                        let there = distance_at(hit.fraction);
                        assert!(there.abs() < tiny, "{name}: {hit:?} {there}");
                        assert!((0.0..=1.0).contains(&hit.fraction), "{name}: {hit:?}");
                        for k in 1_u8..8 {
                            let before = hit.fraction * f32::from(k) / 8.0;
                            let there = distance_at(before);
                            assert!(there > -tiny, "{name}: {hit:?} {before} {there}");
                        }
                        assert!(hit.normal.dot(motion) <= tiny, "{name}: {hit:?}");
                        hits += 1;
                    }
                    None => {
                        assert!(!started, "{name}");
                        for k in 0_u8..=8 {
                            let there = distance_at(f32::from(k) / 8.0);
                            assert!(there > -tiny, "{name}: {k} {there}");
                        }
                        misses += 1;
                    }
                }
            }
        }
    }
    assert!(hits > 500 && misses > 500, "{hits} {misses}");
}

#[test]
fn points_project_onto_every_shape() {
    let (mut inside, mut outside) = (0, 0);
    for (i, shape) in shapes().iter().enumerate() {
        for seed in 0..200 {
            let mut random = Random(seed ^ (i as u64) << 32);
            let (at, _) = placed(&mut random);
            let point = at.position() + random.vector(2.0);
            let name = format!("{} {i} seed {seed}", shape.kind_name());
            let found = project_point(shape, &at, point, f32::INFINITY).expect("no limit");
            let off = found.point + found.normal * found.distance - point;
            let tiny = (at.position().abs().max_element() + 8.0) * 4.0 * f32::EPSILON;
            assert!(off.length() <= tiny, "{name}: {found:?} {off}");
            let holds = shape.contains_point(&at, point);
            assert_eq!(holds, found.distance <= 0.0, "{name}: {found:?}");
            *if holds { &mut inside } else { &mut outside } += 1;
        }
    }
    assert!(inside > 100 && outside > 100, "{inside} {outside}");
}

/// Kinds that have a way of their own through the queries answer as the one part of a compound does,
/// which goes the way of all others.
#[test]
fn kinds_that_are_known_answer_as_parts_do() {
    let mut seen = [0; 2];
    let simple: Vec<Shape> = shapes().into_iter().filter(|shape| shape.part_count() == 1).collect();
    for (number, (a, b)) in
        simple.iter().flat_map(|a| simple.iter().map(move |b| (a, b))).enumerate()
    {
        let alone = Shape::compound([(Pose::IDENTITY, a.clone())]).expect("one part");
        for case in 0..CASES {
            let seed = number as u64 * CASES + case;
            let (body, at_b) = placed(&mut Random(seed));
            // Where the part is once its pose is rounded.
            let Shape::Compound(compound) = &alone else { unreachable!("made as one") };
            let (_, at_a, _) = compound.placed(&body).next().expect("one part");
            let found = closest(a, &at_a, b, &at_b, f32::INFINITY);
            let context = format!("seed {seed}: {} {}", a.kind_name(), b.kind_name());
            assert_eq!(found, closest(&alone, &body, b, &at_b, f32::INFINITY), "{context}");
            assert_eq!(
                manifold(a, &at_a, b, &at_b, 0.25),
                manifold(&alone, &body, b, &at_b, 0.25),
                "{context}"
            );
            let apart = distance(a, &at_a, b, &at_b);
            assert_eq!(apart.to_bits(), distance(&alone, &body, b, &at_b).to_bits(), "{context}");
            let overlap = overlaps(a, &at_a, b, &at_b);
            assert_eq!(overlap, overlaps(&alone, &body, b, &at_b), "{context}");
            seen[usize::from(overlap)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
}
