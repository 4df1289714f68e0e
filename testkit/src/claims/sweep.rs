//! What a sweep of any two shapes must be, by exact times or certain bounds of them.

use impinge_narrowphase::{ShapeSweepHit, SweepOptions, sweep};
use impinge_shapes::{Pose, glam::Vec3, round};

use crate::{
    check::{expect_same, ulp},
    generate::{Class, Course, Kind, SweepCase, course, nudged, sweep_case},
    oracle::{
        self,
        curved::{Bounds, Outcome},
    },
    rng::Rng,
};

/// One of the classes of pairs and the courses, in turn by `number`.
pub fn draw(number: u64, a: Kind, b: Kind, rng: &mut Rng) -> SweepCase {
    let count = (Class::ALL.len() + Course::ALL.len()) as u64;
    let place = usize::try_from(number % count).unwrap_or(0);
    match Class::ALL.get(place) {
        Some(&class) => sweep_case(class, a, b, rng),
        None => {
            let case = course(Course::ALL[place - Class::ALL.len()], a, b, rng);
            if rng.one_in(2) { nudged(case, rng) } else { case }
        }
    }
}

fn go(case: &SweepCase, options: &SweepOptions) -> Option<ShapeSweepHit> {
    let pair = &case.pair;
    sweep(&pair.a, &pair.pose_a, case.displacement, &pair.b, &pair.pose_b, options)
}

/// The coordinates of a sweep, which rounding is relative to.
fn size(case: &SweepCase) -> f64 {
    case.pair.size() + case.displacement.as_dvec3().length()
}

/// A hit within a unit in the last place of the true time, and what a shell of 2^-26 of the sizes
/// (2^-24 with a cylinder or a cone) around the shapes makes of it: that over the speed of
/// approach, or where round shapes graze, the chord of the shell.
fn check_hit(
    hit: &ShapeSweepHit,
    time: Bounds,
    incidence: f64,
    case: &SweepCase,
) -> Result<(), String> {
    let told = || format!("found {hit:?}, exact {time:?} at incidence {incidence:?} for {case:?}");
    let way = case.displacement.as_dvec3().length();
    let size = size(case);
    let shell = size / f64::from(if case.pair.is_curved() { 1 << 24 } else { 1 << 26 });
    let chord = (2.0 * size * shell).sqrt();
    let slack = ulp(time.high) + (shell / incidence).min(chord) / way;
    let miss = time.miss(hit.fraction.into());
    if miss.is_nan() || miss > slack {
        return Err(format!("{miss} off, allowed {slack}: {}", told()));
    }
    if hit.started_overlapping || hit.depth > 0.0 {
        return Err(format!("no overlap at the start: {}", told()));
    }
    let normal = hit.normal.as_dvec3();
    if (normal.length() - 1.0).abs() > 1e-6 {
        return Err(format!("no unit normal: {}", told()));
    }
    let against = normal.dot(case.displacement.as_dvec3()) / way;
    if against > 1e-6 {
        return Err(format!("normal along the motion, {against}: {}", told()));
    }
    Ok(())
}

/// What the parts of a case meet, together.
struct Expected {
    /// Earliest touch, `None` for none.
    hit: Option<(Bounds, f64)>,
    overlapping: bool,
    /// Touch at the start, and whether some surely enters.
    touching: bool,
    enters: Option<bool>,
    unknown: bool,
}

fn combine(outcomes: &[Outcome]) -> Expected {
    let mut all = Expected {
        hit: None,
        overlapping: false,
        touching: false,
        enters: Some(false),
        unknown: false,
    };
    for outcome in outcomes {
        match *outcome {
            Outcome::Miss => {}
            Outcome::StartOverlapping => all.overlapping = true,
            Outcome::StartTouching { enters } => {
                all.touching = true;
                all.enters = match (all.enters, enters) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (None, _) | (_, None) => None,
                    _ => Some(false),
                };
            }
            Outcome::Hit { time, incidence } => {
                // The first of all lies between the least of both bounds.
                all.hit = Some(all.hit.map_or((time, incidence), |(best, known)| {
                    let incidence = if time.high < best.high { incidence } else { known };
                    let (low, high) = (best.low.min(time.low), best.high.min(time.high));
                    (Bounds { low, high }, incidence)
                }));
            }
            Outcome::Unknown => all.unknown = true,
        }
    }
    all
}

/// Whether a mover with a cylinder or a cone in the pair stops within 2^-19 of the sizes.
fn ends_near(case: &SweepCase, hit: &ShapeSweepHit) -> bool {
    let pair = &case.pair;
    let way = case.displacement.as_dvec3() * f64::from(hit.fraction);
    let there = round::nearest_vec(pair.pose_a.translation() + way);
    let Ok(there) = Pose::new(there, pair.pose_a.rotation()) else { return false };
    let clearance = || oracle::clearance(&pair.a, &there, &pair.b, &pair.pose_b);
    let near = size(case) / f64::from(1 << 19);
    pair.is_curved() && clearance().is_some_and(|clearance| clearance < near)
}

/// Bounds of the distance at the start, of shapes with a cylinder or a cone.
fn start_of_curved(case: &SweepCase) -> Option<Bounds> {
    let pair = &case.pair;
    let bounds = || oracle::bounds(&pair.a, &pair.pose_a, &pair.b, &pair.pose_b);
    pair.is_curved().then(bounds).flatten()
}

/// Whether shapes with a cylinder or a cone start so near that this counts as touching.
fn starts_near(case: &SweepCase) -> bool {
    let near = size(case) / f64::from(1 << 28);
    start_of_curved(case).is_some_and(|bounds| bounds.low < near)
}

/// Whether shapes with a cylinder or a cone overlap by so little that this counts as touching.
fn is_shallow(case: &SweepCase) -> bool {
    let shallow = -size(case) / f64::from(1 << 20);
    start_of_curved(case).is_some_and(|bounds| bounds.low > shallow)
}

/// Tests one sweep; the answer labels its outcome.
///
/// # Errors
/// The case, and what is wrong with its answer.
pub fn check(case: &SweepCase) -> Result<&'static str, String> {
    let pair = &case.pair;
    let outcomes =
        oracle::outcomes(&pair.a, &pair.pose_a, case.displacement, &pair.b, &pair.pose_b)
            .ok_or_else(|| format!("no oracle for {case:?}"))?;
    let exact = combine(&outcomes);
    if exact.unknown {
        return Ok("unknown");
    }
    let found = go(case, &SweepOptions::default());
    let stopped = go(case, &SweepOptions { stop_on_touch: true, ..SweepOptions::default() });
    let skipped = go(case, &SweepOptions { skip_started: true, ..SweepOptions::default() });
    let fraction = |hit: Option<ShapeSweepHit>| hit.map(|hit| hit.fraction);
    let moves = case.displacement != Vec3::ZERO;
    if exact.overlapping {
        if found.is_none_or(|hit| !hit.started_overlapping) && is_shallow(case) {
            return Ok("unknown");
        }
        let Some(hit) = found else { return Err(format!("missed the start of {case:?}")) };
        expect_same((hit.fraction <= 0.0, hit.started_overlapping), (true, true), case)?;
        let depth_fits = hit.depth > 0.0 || pair.class == Class::Denormal && hit.depth >= 0.0;
        expect_same(depth_fits, true, &(case, hit))?;
        expect_same(skipped.is_none_or(|hit| !hit.started_overlapping), true, case)?;
        return Ok("overlapping");
    }
    if exact.touching {
        expect_same(fraction(stopped), Some(0.0), case)?;
        if !moves {
            expect_same(fraction(found), Some(0.0), case)?;
        } else if exact.enters == Some(true) {
            expect_same(fraction(found), Some(0.0), case)?;
            return Ok("entering");
        } else if exact.enters == Some(false) && exact.hit.is_none() {
            expect_same(fraction(found), None, case)?;
            return Ok("leaving");
        }
        return Ok("touching");
    }
    expect_same(skipped, found, case)?;
    if stopped != found && starts_near(case) {
        return Ok("unknown");
    }
    expect_same(stopped, found, case)?;
    match (exact.hit, found) {
        (None, None) => Ok("miss"),
        (Some((time, incidence)), Some(hit)) => {
            check_hit(&hit, time, incidence, case)?;
            Ok("hit")
        }
        // A cylinder or a cone that comes very near may count as touching.
        (None, Some(hit)) if ends_near(case, &hit) => Ok("unknown"),
        (expected, found) => Err(format!("found {found:?}, expected {expected:?} for {case:?}")),
    }
}
