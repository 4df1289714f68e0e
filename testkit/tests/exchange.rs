//! Every ordered pair of kinds against the pair with A and B exchanged.

use impinge_narrowphase::{
    Relation, SweepOptions, closest, distance, manifold, overlaps, relation, sweep,
};
use impinge_shapes::Shape;
use impinge_testkit::{
    check::{Tally, expect_same, for_each_case, ulp},
    generate::{Class, Kind, PairCase, pair, sweep_case},
    oracle::{self, curved::Bounds},
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
        if case.is_curved() && overlapping { size(case) / f64::from(1 << 13) } else { 0.0 };
    4.0 * ulp(size(case)) + search
}

/// Whether a cylinder or a cone is so near to touching that this counts as touching, or not.
fn is_near(case: &PairCase) -> bool {
    let bounds = || oracle::bounds(&case.a, &case.pose_a, &case.b, &case.pose_b);
    let near = |bounds: Bounds| {
        bounds.high > -size(case) / f64::from(1 << 19)
            && bounds.low < size(case) / f64::from(1 << 28)
    };
    case.is_curved() && bounds().is_some_and(near)
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

/// Whether they overlap; `None` where they are too near to tell.
fn check_pair(case: &PairCase) -> Result<Option<bool>, String> {
    let other = case.swapped();
    let (one, two) = (answers(case), answers(&other));
    if one != two && is_near(case) {
        return Ok(None);
    }
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
    Ok(Some(overlap))
}

fn check_kind(a: Kind, count: usize) {
    for b in Kind::ALL {
        let mut tally = Tally::default();
        for_each_case(0xe8_c4a6, count, |class, rng| {
            let case = pair(class, a, b, rng);
            let answer = check_pair(&case).map_err(|error| format!("{a:?}, {b:?}: {error}"))?;
            answer.into_iter().for_each(|answer| tally.count(class, answer));
            Ok(())
        });
        // Two half-spaces are apart only back to back, which the generator seldom makes.
        let can_miss = (a, b) != (Kind::HalfSpace, Kind::HalfSpace);
        let (yes, no) = (tally.of(true), tally.of(false));
        assert!(tally.total() * 20 > count * 19, "{a:?}, {b:?}: {tally:?}");
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
