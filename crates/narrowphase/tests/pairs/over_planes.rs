//! Half-spaces against every bounded convex kind: manifolds, sweeps and the rest straight from the
//! poses against the rooms, which work the pair's frame out in full.

use crate::common::{Random, pose};
use impinge_narrowphase::pairs::{
    capsule_half_space, convex_half_space, cuboid_half_space, half_space_sphere,
};
use impinge_narrowphase::{
    Impact, Manifold, Patch, Relation, Relative, Separation, SweepOptions, closest, distance,
    manifold, overlaps, relation, sweep,
};
use impinge_shapes::convex::Core;
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{HalfSpace, Pose, Shape};

const CASES: u64 = 10_000;

const KINDS: [&str; 11] = [
    "sphere",
    "capsule",
    "box",
    "cylinder",
    "cone",
    "triangle",
    "hull",
    "round box",
    "round hull",
    "round cylinder",
    "round triangle",
];

struct Case {
    shape: Shape,
    at: Pose,
    plane: HalfSpace,
    plane_at: Pose,
    way: Vec3,
    /// Sum of all lengths.
    size: f64,
    /// Drawn from few numbers, so that much is level or touches exactly.
    lattice: bool,
    name: String,
}

fn shape(kind: &str, random: &mut Random, lattice: bool, scale: f32) -> Option<Shape> {
    let mut vector =
        || scale * if lattice { random.whole_vector(2) * 0.5 } else { random.vector(1.0) };
    let size = vector().abs();
    let corners = [(); 7].map(|()| vector());
    Some(match kind {
        "sphere" => Shape::sphere(size.x).ok()?,
        "capsule" => Shape::capsule(corners[0], corners[1], size.x).ok()?,
        "box" => Shape::cuboid(size).ok()?,
        "cylinder" => Shape::cylinder(size.y, size.x).ok()?,
        "cone" => Shape::cone(size.y, size.x).ok()?,
        "triangle" => Shape::triangle(corners[0], corners[1], corners[2]).ok()?,
        "hull" => Shape::convex_hull(&corners).ok()?,
        _ => {
            let core = kind.strip_prefix("round ")?;
            let core = shape(core, random, lattice, scale)?;
            let by = if lattice { 0.5 } else { random.within(0.0, 0.5) };
            Shape::rounded(core, by * scale).ok()?
        }
    })
}

/// Far from each other, near, within rounding of touching, or on a lattice, where many touch.
fn drawn(kind: &str, seed: u64) -> Case {
    let mut random = Random(seed ^ 0x5eed << 20);
    let lattice = random.one_in(3);
    let axes = lattice && random.one_in(2);
    let scale = if lattice {
        1.0
    } else {
        let powers = [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4];
        powers[usize::try_from(random.next() % 8).unwrap_or(0)]
    };
    let vector = |random: &mut Random| {
        scale * if lattice { random.whole_vector(2) * 0.5 } else { random.vector(1.5) }
    };
    let shape = loop {
        if let Some(shape) = shape(kind, &mut random, lattice, scale) {
            break shape;
        }
    };
    let plane = loop {
        let normal = if axes { Vec3::AXES[random.axis()] } else { vector(&mut random) / scale };
        if let Ok(plane) = HalfSpace::new(normal, vector(&mut random).x) {
            break plane;
        }
    };
    let far = if random.one_in(4) { random.whole_vector(2) * 1024.0 } else { Vec3::ZERO };
    let place = |random: &mut Random| {
        let turn = match (axes, lattice) {
            (true, _) => Quat::IDENTITY,
            (_, true) => random.whole_rotation(),
            _ => random.rotation(),
        };
        pose(far + vector(random), turn)
    };
    let (mut at, plane_at) = (place(&mut random), place(&mut random));
    if !lattice && random.one_in(2) {
        // To where they touch, and a little off it.
        let found = closest(&plane.into(), &plane_at, &shape, &at, f32::INFINITY);
        let found = found.expect("no limit");
        let off = [0.0, 1e-7, -1e-7, 1e-3, -1e-3][usize::from(seed.to_le_bytes()[0] % 5)];
        at = pose(at.position() + found.normal * (off * scale - found.distance), at.rotation());
    }
    let mut way = vector(&mut random);
    if random.one_in(8) {
        way = Vec3::ZERO;
    }
    let lengths = at.position().length() + plane_at.position().length() + way.length();
    let size = f64::from(lengths + 8.0 * scale);
    let name = format!("{kind}, seed {seed}: {shape:?} {at:?} {plane:?} {plane_at:?} {way}");
    Case { shape, at, plane, plane_at, way, size, lattice, name }
}

/// What the room says of the shape (A) and the half-space (B), in the world.
struct Told {
    relation: Relation,
    separation: Separation,
    manifolds: [Option<Manifold>; 2],
    /// Of the half-space against the shape's motion, and its points without it.
    impact: Option<Impact>,
}

fn margins(case: &Case) -> [f32; 2] {
    [0.0, if case.lattice { 0.375 } else { 1e-2 }]
}

fn told(case: &Case) -> Told {
    let Case { shape, at, plane, plane_at, way, .. } = case;
    let margins = margins(case).map(f64::from);
    let frame = Relative::new(at, plane_at);
    let back = Relative::new(plane_at, at);
    let (relation, separation, patches, impact, flipped) = match shape {
        Shape::Sphere(it) => (
            half_space_sphere::relation(plane, it, &back),
            half_space_sphere::closest(plane, it, &back),
            margins.map(|margin| half_space_sphere::manifold(plane, it, &back, margin)),
            half_space_sphere::sweep(plane, it, &back, *way),
            true,
        ),
        Shape::Capsule(it) => (
            capsule_half_space::relation(it, plane, &frame),
            capsule_half_space::closest(it, plane, &frame),
            margins.map(|margin| capsule_half_space::manifold(it, plane, &frame, margin)),
            capsule_half_space::sweep(it, plane, &frame, -*way),
            false,
        ),
        Shape::Cuboid(it) => (
            cuboid_half_space::relation(it, plane, &frame),
            cuboid_half_space::closest(it, plane, &frame),
            margins.map(|margin| cuboid_half_space::manifold(it, plane, &frame, margin)),
            cuboid_half_space::sweep(it, plane, &frame, -*way),
            false,
        ),
        _ => {
            // As they are: without a radius they are segments elsewhere, which have a room of their own.
            let solid = match shape {
                Shape::Cylinder(it) => Core::Cylinder(*it).into(),
                Shape::Cone(it) => Core::Cone(*it).into(),
                _ => shape.solid().expect("convex"),
            };
            (
                convex_half_space::relation(solid, plane, &frame),
                convex_half_space::closest(solid, plane, &frame),
                margins.map(|margin| convex_half_space::manifold(solid, plane, &frame, margin)),
                convex_half_space::sweep(solid, plane, &frame, -*way),
                false,
            )
        }
    };
    let at = if flipped { back } else { frame };
    let impact = impact.map(|impact| Impact {
        fraction: impact.fraction,
        normal: at.vector_to_world(if flipped { -impact.normal } else { impact.normal }),
        point: at.point_to_world(impact.point)
            - if flipped { way.as_dvec3() * impact.fraction } else { DVec3::ZERO },
    });
    let found = if flipped { separation.flipped() } else { separation };
    let separation = Separation {
        distance: found.distance,
        normal: at.vector_to_world(found.normal),
        point_a: at.point_to_world(found.point_a),
        point_b: at.point_to_world(found.point_b),
    };
    let manifolds = patches.map(|patch| patch.map(|patch| in_world(&patch, &at, flipped)));
    Told { relation, separation, manifolds, impact }
}

fn in_world(patch: &Patch, at: &Relative, flipped: bool) -> Manifold {
    let narrow = |v: DVec3| v.as_vec3();
    let points = patch.points.iter().map(|point| impinge_narrowphase::ContactPoint {
        point_a: narrow(at.point_to_world(point.point_a)),
        point_b: narrow(at.point_to_world(point.point_b)),
        #[expect(clippy::cast_possible_truncation, reason = "to compare with f32")]
        distance: point.distance as f32,
        feature: point.feature,
    });
    let normal = narrow(at.vector_to_world(patch.normal));
    let found = Manifold { normal, points: points.collect(), part_a: 0, part_b: 0 };
    if flipped { found.flipped() } else { found }
}

fn near(a: Vec3, b: Vec3, within: f64) -> bool {
    (a.as_dvec3() - b.as_dvec3()).length() <= within
}

/// Whether two manifolds have the same points.
fn alike(found: &Manifold, room: &Manifold, tiny: f64) -> bool {
    found.points.len() == room.points.len()
        && near(found.normal, room.normal, 2e-7)
        && found.points.iter().zip(&room.points).all(|(p, q)| {
            p.feature == q.feature
                && near(p.point_a, q.point_a, tiny)
                && near(p.point_b, q.point_b, tiny)
                && f64::from((p.distance - q.distance).abs()) <= tiny
        })
}

#[test]
fn every_kind_agrees_with_its_room() {
    for kind in KINDS {
        let (mut seen, mut counts, mut others) = ([0; 3], [0; 5], 0);
        for seed in 0..CASES {
            let case = drawn(kind, seed);
            let Case { shape, at, plane, plane_at, name, .. } = &case;
            let (floor, room) = (Shape::from(*plane), told(&case));
            let tiny = case.size * 2.0_f64.powi(-22);

            assert_eq!(relation(shape, at, &floor, plane_at), room.relation, "{name}");
            assert_eq!(relation(&floor, plane_at, shape, at), room.relation, "{name}");
            let touch = room.relation.overlaps();
            assert_eq!(overlaps(shape, at, &floor, plane_at), touch, "{name}");
            assert_eq!(overlaps(&floor, plane_at, shape, at), touch, "{name}");
            seen[room.relation as usize] += 1;

            let found = closest(shape, at, &floor, plane_at, f32::INFINITY).expect("no limit");
            let back = closest(&floor, plane_at, shape, at, f32::INFINITY).expect("no limit");
            let mirrored = (back.distance, -back.normal, back.point_b, back.point_a);
            let told = (found.distance, found.normal, found.point_a, found.point_b);
            assert_eq!(told, mirrored, "{name}");
            let expected = &room.separation;
            let off = (f64::from(found.distance) - expected.distance).abs();
            let bound = expected.distance.abs() * 2.0_f64.powi(-24) + case.size * 2.0_f64.powi(-42);
            assert!(off <= bound, "{name}: {found:?} {expected:?}");
            assert!(near(found.normal, expected.normal.as_vec3(), 2e-7), "{name}");
            for (point, other) in
                [(found.point_a, expected.point_a), (found.point_b, expected.point_b)]
            {
                let level = (point.as_dvec3() - other).dot(expected.normal);
                assert!(level.abs() <= tiny, "{name}: {found:?} {expected:?}");
                // Rounding may choose another of the points that are as low.
                let same = (point.as_dvec3() - other).length() <= tiny;
                others += usize::from(!same && !case.lattice);
            }
            let clear = distance(shape, at, &floor, plane_at);
            assert_eq!(clear.to_bits(), found.distance.max(0.0).to_bits(), "{name}");

            for (margin, room) in margins(&case).into_iter().zip(&room.manifolds) {
                let met = manifold(shape, at, &floor, plane_at, margin);
                let back = manifold(&floor, plane_at, shape, at, margin);
                assert_eq!(met, back.map(Manifold::flipped), "{name}");
                let edge = f64::from((found.distance - margin).abs());
                if margin <= 0.0 || edge > tiny {
                    assert_eq!(met.is_some(), room.is_some(), "{name}: {met:?} {room:?}");
                }
                if let (Some(met), Some(room)) = (met, room) {
                    counts[met.points.len()] += 1;
                    let off = f64::from((met.distance() - found.distance).abs());
                    assert!(off <= bound, "{name}: {met:?} {found:?}");
                    let same = alike(&met, room, 2.0 * tiny);
                    assert!(same || case.lattice || edge <= tiny, "{name}: {met:?} {room:?}");
                    others += usize::from(!same);
                } else {
                    counts[0] += 1;
                }
            }
        }
        println!("{kind}: {seen:?} {counts:?} points, {others} others as good");
        assert!(seen.iter().all(|&count| count > 40), "{kind}: {seen:?}");
        let most = if kind == "sphere" { 1 } else { 2 };
        assert!(counts[..=most].iter().all(|&count| count > 100), "{kind}: {counts:?}");
        assert!(others < 40, "{kind}: {others} other points");
    }
}

#[test]
fn every_kind_sweeps_as_in_its_room() {
    for kind in KINDS {
        let (mut hits, mut misses, mut starts) = (0, 0, 0);
        for seed in 0..CASES {
            let case = drawn(kind, seed);
            let Case { shape, at, plane, plane_at, way, name, .. } = &case;
            let (floor, room) = (Shape::from(*plane), told(&case));
            let options = SweepOptions::default();
            let found = sweep(shape, at, *way, &floor, plane_at, &options);
            let back = sweep(&floor, plane_at, -*way, shape, at, &options);
            assert_eq!(found.is_some(), back.is_some(), "{name}");
            if room.relation == Relation::Penetrating {
                let (hit, back) = (found.expect("it starts so"), back.expect("it starts so"));
                assert!(hit.started_overlapping && back.started_overlapping, "{name}: {hit:?}");
                assert!(hit.fraction <= 0.0 && hit.distance <= 0.0, "{name}: {hit:?}");
                let tiny = case.size * 2.0_f64.powi(-22);
                let expected = &room.separation;
                let off = (f64::from(hit.depth) + expected.distance).abs();
                assert!(
                    off <= expected.distance.abs() * 2.0_f64.powi(-24) + tiny,
                    "{name}: {hit:?}"
                );
                assert_eq!(hit.depth.to_bits(), back.depth.to_bits(), "{name}");
                assert!(near(hit.normal, -expected.normal.as_vec3(), 2e-7), "{name}: {hit:?}");
                assert_eq!(hit.normal, -back.normal, "{name}");
                for (hit, place) in [(hit, expected.point_b), (back, expected.point_a)] {
                    let level = (hit.point.as_dvec3() - place).dot(expected.normal);
                    assert!(level.abs() <= tiny, "{name}: {hit:?} {expected:?}");
                }
                let skipped = SweepOptions { skip_started: true, ..options };
                assert_eq!(sweep(shape, at, *way, &floor, plane_at, &skipped), None, "{name}");
                starts += 1;
                continue;
            }
            if room.relation == Relation::Touching {
                continue;
            }
            assert_eq!(found.is_some(), room.impact.is_some(), "{name}: {found:?}");
            let (Some(found), Some(back), Some(impact)) = (found, back, &room.impact) else {
                misses += 1;
                continue;
            };
            hits += 1;
            let tiny = case.size * 2.0_f64.powi(-22);
            assert_eq!(found.fraction.to_bits(), back.fraction.to_bits(), "{name}");
            let off = (f64::from(found.fraction) - impact.fraction).abs();
            let speed = way.as_dvec3().dot(impact.normal).abs();
            let allowed = 2.0_f64.powi(-23) + case.size * 2.0_f64.powi(-40) / speed;
            assert!(off <= allowed, "{name}: {found:?} {impact:?}");
            assert!(near(found.normal, -impact.normal.as_vec3(), 2e-7), "{name}: {found:?}");
            assert_eq!(found.normal, -back.normal, "{name}");
            let point = impact.point + way.as_dvec3() * impact.fraction;
            let level = (found.point.as_dvec3() - point).dot(impact.normal);
            assert!(level.abs() <= tiny + off * speed, "{name}: {found:?} {impact:?}");
            let level = (back.point.as_dvec3() - impact.point).dot(impact.normal);
            assert!(level.abs() <= tiny, "{name}: {back:?} {impact:?}");
        }
        println!("{kind}: {hits} hits, {misses} misses, {starts} overlaps at the start");
        assert!(hits > 500 && misses > 500, "{kind}: {hits} hits, {misses} misses");
        assert!(starts > 500, "{kind}: {starts} overlaps at the start");
    }
}
