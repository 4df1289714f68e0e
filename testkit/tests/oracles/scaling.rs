//! A scene times a power of two has the answers times it, bit for bit, for every ordered pair of
//! shapes: no absolute number decides anything.

use impinge_narrowphase::{
    Closest, Manifold, ShapeSweepHit, SweepOptions, closest, manifolds, relation, sweep,
};
use impinge_shapes::Shape;
use impinge_testkit::{
    check::{expect_same, for_each_case},
    generate::{Class, Kind, PairCase, SweepCase, pair, sweep_case},
};

/// Every ordered pair of kinds.
fn pairs() -> impl Iterator<Item = (Kind, Kind)> {
    Kind::ALL.into_iter().flat_map(|a| Kind::ALL.map(|b| (a, b)))
}

/// The case times a factor, if every number survives the way there and back.
fn scaled(case: &PairCase, factor: f32) -> Option<PairCase> {
    // What a flat shape contains can be as small as that.
    let vanishes = |shape: &Shape| match shape {
        Shape::HeightField(field) => field.scale().min_element() * factor <= 0.0,
        _ => false,
    };
    if case.class == Class::Denormal || vanishes(&case.a) || vanishes(&case.b) {
        return None;
    }
    let scaled = case.scaled(factor);
    let back = scaled.scaled(1.0 / factor);
    let same = (&back.a, back.pose_a, &back.b, back.pose_b)
        == (&case.a, case.pose_a, &case.b, case.pose_b);
    same.then_some(scaled)
}

/// Equal bits, but for results among the denormal numbers, which lose some.
fn is_same(x: f32, y: f32, factor: f32) -> bool {
    let tiny = f32::MIN_POSITIVE * factor.max(1.0);
    x.to_bits() == y.to_bits() || x.abs() <= tiny && y.abs() <= tiny
}

/// Every number of an answer, lengths times a factor.
fn numbers(found: &Closest, factor: f32) -> Vec<f32> {
    let points = found.point_a.to_array().into_iter().chain(found.point_b.to_array());
    let lengths = points.chain([found.distance]).map(move |x| x * factor);
    lengths.chain(found.normal.to_array()).collect()
}

fn numbers_of_contacts(all: &[Manifold], factor: f32) -> Vec<f32> {
    let of_point = |p: &impinge_narrowphase::ContactPoint| {
        let points = p.point_a.to_array().into_iter().chain(p.point_b.to_array());
        points.chain([p.distance]).map(|x| x * factor).collect::<Vec<f32>>()
    };
    let of_one = |m: &Manifold| {
        let points = m.points.iter().flat_map(of_point);
        m.normal.to_array().into_iter().chain(points).collect::<Vec<f32>>()
    };
    all.iter().flat_map(of_one).collect()
}

fn expect_scaled(here: &[f32], there: &[f32], factor: f32, case: &PairCase) -> Result<(), String> {
    let same =
        here.len() == there.len() && here.iter().zip(there).all(|(&x, &y)| is_same(x, y, factor));
    if same { Ok(()) } else { Err(format!("{here:?} becomes {there:?} times {factor}: {case:?}")) }
}

#[test]
fn a_power_of_two_scales_pairs_bit_for_bit() {
    let (mut compared, mut overlapping) = (0, 0);
    for (a, b) in pairs() {
        for_each_case(0x5ca1, 48, |class, rng| {
            let case = pair(class, a, b, rng);
            for factor in [2.0_f32.powi(-20), 2.0_f32.powi(13)] {
                let Some(scaled) = scaled(&case, factor) else { continue };
                let lies = relation(&case.a, &case.pose_a, &case.b, &case.pose_b);
                let there = relation(&scaled.a, &scaled.pose_a, &scaled.b, &scaled.pose_b);
                expect_same(there, lies, &case)?;
                let near = |c: &PairCase| closest(&c.a, &c.pose_a, &c.b, &c.pose_b, f32::INFINITY);
                let (here, there) = (near(&case), near(&scaled));
                let (here, there) = (here.ok_or("no answer")?, there.ok_or("no answer")?);
                expect_scaled(&numbers(&here, factor), &numbers(&there, 1.0), factor, &case)?;
                let all = |c: &PairCase| manifolds(&c.a, &c.pose_a, &c.b, &c.pose_b, 0.0);
                let (here, there) = (all(&case), all(&scaled));
                let (here, there) =
                    (numbers_of_contacts(&here, factor), numbers_of_contacts(&there, 1.0));
                expect_scaled(&here, &there, factor, &case)?;
                compared += 1;
                overlapping += usize::from(lies.overlaps());
            }
            Ok(())
        });
    }
    assert!(compared > 8_000 && overlapping * 5 > compared, "{overlapping} of {compared}");
    assert!((compared - overlapping) * 10 > compared, "{overlapping} of {compared}");
}

fn hit(case: &SweepCase) -> Option<ShapeSweepHit> {
    let pair = &case.pair;
    let options = SweepOptions::default();
    sweep(&pair.a, &pair.pose_a, case.displacement, &pair.b, &pair.pose_b, &options)
}

#[test]
fn a_power_of_two_scales_sweeps_bit_for_bit() {
    let (mut compared, mut hits) = (0, 0);
    for (a, b) in pairs() {
        for_each_case(0x5ca2, 48, |class, rng| {
            let case = sweep_case(class, a, b, rng);
            let factor = 2.0_f32.powi(-9);
            let Some(pair) = scaled(&case.pair, factor) else { return Ok(()) };
            let there = SweepCase { pair, displacement: case.displacement * factor };
            if there.displacement / factor != case.displacement {
                return Ok(());
            }
            let numbers = |hit: Option<ShapeSweepHit>| {
                hit.map(|hit| (hit.fraction.to_bits(), hit.started_overlapping, hit.part))
            };
            let (here, there) = (hit(&case), hit(&there));
            compared += 1;
            hits += usize::from(here.is_some());
            expect_same(numbers(there), numbers(here), &case)
        });
    }
    assert!(compared > 4_000 && hits * 5 > compared, "{hits} of {compared}");
    assert!((compared - hits) * 10 > compared, "{hits} of {compared}");
}
