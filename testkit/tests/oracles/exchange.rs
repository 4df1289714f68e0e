//! Every ordered pair of kinds against the pair with A and B exchanged.

use impinge_narrowphase::{
    Manifold, Relation, SweepOptions, closest, distance, manifold, manifolds, overlaps, relation,
    sweep,
};
use impinge_shapes::{Shape, round};
use impinge_testkit::{
    check::{Tally, expect_same, for_each_case, ulp},
    generate::{Class, Kind, PairCase, pair, sweep_case},
};

/// Sum of the coordinates that take part, without the infinite ones.
fn size(case: &PairCase) -> f64 {
    case.reaches().into_iter().sum()
}

/// Whether the pair has a room of its own, which is asked in one order whatever that of the
/// arguments.
fn is_one_room(case: &PairCase) -> bool {
    let has_rooms = |shape: &Shape| {
        matches!(
            shape,
            Shape::Sphere(_) | Shape::Cuboid(_) | Shape::Capsule(_) | Shape::HalfSpace(_)
        )
    };
    has_rooms(&case.a) && has_rooms(&case.b) && case.a.kind_name() != case.b.kind_name()
}

/// What two orders of the arguments may differ by.
fn slack(case: &PairCase, overlapping: bool) -> f64 {
    let search =
        if case.is_curved() && overlapping { size(case) / f64::from(1 << 20) } else { 0.0 };
    4.0 * ulp(size(case)) + search
}

/// All that is yes or no of a pair; the last is whether it has contacts where it overlaps.
fn answers(case: &PairCase) -> (Relation, bool, bool, bool) {
    let PairCase { a, pose_a, b, pose_b, .. } = case;
    let lies = relation(a, pose_a, b, pose_b);
    // Contacts with a surface turn to its triangles' normals, which may leave none.
    let has_parts = [a, b].into_iter().any(|shape| {
        matches!(shape, Shape::TriangleMesh(_) | Shape::HeightField(_) | Shape::Compound(_))
    });
    (
        lies,
        overlaps(a, pose_a, b, pose_b),
        distance(a, pose_a, b, pose_b) <= 0.0,
        has_parts || manifold(a, pose_a, b, pose_b, 0.0).is_some() == lies.overlaps(),
    )
}

/// Whether they overlap.
fn check_pair(case: &PairCase) -> Result<bool, String> {
    let other = case.swapped();
    let (one, two) = (answers(case), answers(&other));
    expect_same(two, one, case)?;
    let overlap = one.0.overlaps();
    // Among the denormal numbers a distance may round to zero.
    let touches = one.2 || case.class == Class::Denormal;
    expect_same((one.1, touches), (overlap, overlap || case.class == Class::Denormal), case)?;
    let measure = |case: &PairCase| {
        let found = closest(&case.a, &case.pose_a, &case.b, &case.pose_b, f32::INFINITY);
        found.ok_or_else(|| format!("no answer without a limit: {case:?}"))
    };
    let (found, turned) = (measure(case)?, measure(&other)?);
    if is_one_room(case) {
        let mirrored = (-turned.normal, turned.point_b, turned.point_a);
        expect_same(turned.distance.to_bits(), found.distance.to_bits(), case)?;
        expect_same(mirrored, (found.normal, found.point_a, found.point_b), case)?;
    } else if found.distance.is_finite() || turned.distance.is_finite() {
        let off = (f64::from(found.distance) - f64::from(turned.distance)).abs();
        if off.is_nan() || off > slack(case, overlap) {
            return Err(format!("{found:?} and {turned:?} for {other:?}"));
        }
    }
    Ok(overlap)
}

fn check_kind(a: Kind, count: usize) {
    for b in Kind::ALL {
        let mut tally = Tally::default();
        for_each_case(0xe8_c4a6, count, |class, rng| {
            let case = pair(class, a, b, rng);
            let answer = check_pair(&case).map_err(|error| format!("{a:?}, {b:?}: {error}"))?;
            tally.count(class, answer);
            Ok(())
        });
        // Two half-spaces are apart only back to back, which the generator seldom makes.
        let can_miss = (a, b) != (Kind::HalfSpace, Kind::HalfSpace);
        let (yes, no) = (tally.of(true), tally.of(false));
        assert!(yes > count / 20 && (no > count / 20 || !can_miss), "{a:?}, {b:?}: {tally:?}");
    }
}

#[test]
fn round_shapes_answer_alike_in_both_orders() {
    for kind in [Kind::Sphere, Kind::Capsule, Kind::Cylinder, Kind::Cone, Kind::Rounded] {
        check_kind(kind, 480);
    }
}

#[test]
fn flat_faces_answer_alike_in_both_orders() {
    for kind in [Kind::Cuboid, Kind::Triangle, Kind::ConvexHull, Kind::HalfSpace] {
        check_kind(kind, 480);
    }
}

#[test]
fn shapes_of_many_parts_answer_alike_in_both_orders() {
    for kind in [Kind::TriangleMesh, Kind::HeightField, Kind::Compound] {
        check_kind(kind, 240);
    }
}

/// A sweep of A against B, and of B the other way against A.
#[test]
fn sweeps_meet_alike_whichever_moves() {
    for (a, b) in Kind::ALL.iter().flat_map(|&a| Kind::ALL.map(|b| (a, b))) {
        let (mut hits, mut count) = (0, 0);
        for_each_case(0x5e_c4a6, 120, |class, rng| {
            let case = sweep_case(class, a, b, rng);
            let (pair, way) = (&case.pair, case.displacement);
            let options = SweepOptions::default();
            let found = sweep(&pair.a, &pair.pose_a, way, &pair.b, &pair.pose_b, &options);
            let back = sweep(&pair.b, &pair.pose_b, -way, &pair.a, &pair.pose_a, &options);
            count += 1;
            if pair.is_curved() && found.is_some() != back.is_some() {
                // What comes within 2^-19 of the sizes may count as a hit.
                return Ok(());
            }
            expect_same(back.is_some(), found.is_some(), &case)?;
            let (Some(found), Some(back)) = (found, back) else { return Ok(()) };
            hits += 1;
            expect_same(back.started_overlapping, found.started_overlapping, &case)?;
            let speed = f64::from(found.normal.dot(way)) / way.as_dvec3().length();
            let length = way.as_dvec3().length();
            let shell = (size(pair) + length) / f64::from(1 << 22);
            let early = (shell / speed.abs()).min((2.0 * (size(pair) + length) * shell).sqrt());
            let off = (f64::from(found.fraction) - f64::from(back.fraction)).abs();
            if class != Class::Denormal && off * length > early + 2.0 * ulp(length) {
                return Err(format!("{found:?} and {back:?} for {case:?}"));
            }
            Ok(())
        });
        assert!(hits > count / 20, "{a:?}, {b:?}: {hits} of {count}");
    }
}

/// Whether contacts of these kinds are mirrored to the bit: those of two kinds with a room of their
/// own, of half-spaces with what is bounded and of surfaces with everything.
fn is_mirrored(a: Kind, b: Kind) -> bool {
    let has_room =
        |kind| matches!(kind, Kind::Sphere | Kind::Cuboid | Kind::Capsule | Kind::HalfSpace);
    let is_surface = |kind| matches!(kind, Kind::TriangleMesh | Kind::HeightField);
    let is_ground = a == Kind::HalfSpace || b == Kind::HalfSpace;
    (a != b && (is_ground || (has_room(a) && has_room(b)))) || is_surface(a) || is_surface(b)
}

/// Contacts in both orders, the second exchanged back.
fn both_orders(case: &PairCase) -> [Vec<Manifold>; 2] {
    let reach = case.reaches().into_iter().fold(f64::INFINITY, f64::min);
    let margin = round::nearest(0.01 * reach);
    let ask = |c: &PairCase| manifolds(&c.a, &c.pose_a, &c.b, &c.pose_b, margin).into_vec();
    let mut back: Vec<Manifold> = ask(&case.swapped()).into_iter().map(Manifold::flipped).collect();
    back.sort_by_key(|manifold| (manifold.part_a, manifold.part_b));
    [ask(case), back]
}

/// What two orders of the arguments say where it need not be the same.
#[derive(Debug, Default)]
struct Orders {
    manifolds: usize,
    /// Opposite normals within 1e-3.
    opposite: usize,
    /// Of these, the same points within four last places of the size.
    same: usize,
}

impl Orders {
    fn count(&mut self, one: &Manifold, back: &Manifold, unit: f64) {
        self.manifolds += 1;
        if one.normal.distance(back.normal) > 1e-3 {
            return;
        }
        self.opposite += 1;
        let far = |p: &Manifold, q: &Manifold| {
            let from = |i: usize| {
                let p = &p.points[i];
                q.points.iter().fold(f64::INFINITY, |least, q| {
                    let on_a = p.point_a.as_dvec3().distance(q.point_a.as_dvec3());
                    least.min(on_a.max(p.point_b.as_dvec3().distance(q.point_b.as_dvec3())))
                })
            };
            (0..p.points.len()).map(from).fold(0.0, f64::max)
        };
        let is_same = one.points.len() == back.points.len()
            && far(one, back).max(far(back, one)) <= 4.0 * unit;
        self.same += usize::from(is_same);
    }
}

#[test]
fn contacts_are_mirrored_where_one_order_answers_for_both() {
    let pairs = Kind::ALL.iter().flat_map(|&a| Kind::ALL.map(|b| (a, b)));
    for (a, b) in pairs.filter(|&(a, b)| is_mirrored(a, b)) {
        let (mut found, mut none) = (0, 0);
        for_each_case(0x3a_c4a6, 360, |class, rng| {
            let case = pair(class, a, b, rng);
            let [mut one, mut back] = both_orders(&case);
            if a == b && class == Class::Identical {
                // A triangle and itself: nothing tells which of the two is A.
                one.retain(|manifold| manifold.part_a != manifold.part_b);
                back.retain(|manifold| manifold.part_a != manifold.part_b);
            }
            *(if one.is_empty() { &mut none } else { &mut found }) += 1;
            expect_same(back, one, &case)
        });
        assert!(found > 90 && none > 15, "{a:?}, {b:?}: {found} and {none}");
    }
}

#[test]
fn contacts_are_mostly_mirrored_where_each_order_has_its_own_answer() {
    let mut sums = [Orders::default(), Orders::default()];
    let pairs = Kind::ALL.iter().flat_map(|&a| Kind::ALL.map(|b| (a, b)));
    for (a, b) in pairs.filter(|&(a, b)| !is_mirrored(a, b) && a != Kind::HalfSpace) {
        for_each_case(0x3b_c4a6, 240, |class, rng| {
            let case = pair(class, a, b, rng);
            let [one, back] = both_orders(&case);
            if class == Class::Denormal || one.len() != back.len() {
                return Ok(());
            }
            let orders = &mut sums[usize::from(case.is_curved())];
            let unit = ulp(size(&case));
            one.iter().zip(&back).for_each(|(p, q)| orders.count(p, q, unit));
            Ok(())
        });
    }
    for (orders, [normals, points]) in sums.iter().zip([[94, 98], [92, 95]]) {
        println!("{orders:?}");
        let Orders { manifolds, opposite, same } = orders;
        assert!(*manifolds > 4_000 && 100 * opposite >= normals * manifolds, "{orders:?}");
        assert!(100 * same >= points * opposite, "{orders:?}");
    }
}
