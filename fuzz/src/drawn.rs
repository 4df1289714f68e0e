//! Checks of cases as the tests draw them, with the fuzzer's bytes for their random numbers: every
//! kind of shape, and every class of case.

use arbitrary::Result;
use impinge_narrowphase as narrow;
use impinge_shapes::Shape;
use impinge_testkit::{
    claims::{self, manifold::Seen},
    generate::{Class, Kind, PairCase, pair, ray_case},
    oracle,
    rng::Rng,
    soak,
};

use crate::input::Input;

/// What random tests panic with, here with the case that the message has.
fn told<T>(answer: std::result::Result<T, String>) -> T {
    answer.unwrap_or_else(|message| panic!("{message}"))
}

/// Two of these that do not lie among the denormal numbers.
fn convex_pair(input: &mut Input<'_>) -> Result<([Kind; 2], PairCase, Rng)> {
    let kinds = [input.pick(&Kind::CONVEX)?, input.pick(&Kind::CONVEX)?];
    let class = input.pick(&Class::ALL)?;
    if class == Class::Denormal {
        return Err(arbitrary::Error::IncorrectFormat);
    }
    let mut rng = input.draws()?;
    let case = pair(class, kinds[0], kinds[1], &mut rng);
    Ok((kinds, case, rng))
}

/// Signed distances, normals, witnesses and overlaps of convex shapes.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn distance(input: &mut Input<'_>) -> Result<&'static str> {
    let (_, case, _) = convex_pair(input)?;
    let PairCase { a, pose_a, b, pose_b, .. } = &case;
    let Some(exact) = oracle::bounds(a, pose_a, b, pose_b) else { return Ok("no oracle") };
    let found = narrow::closest(a, pose_a, b, pose_b, f32::INFINITY);
    let found = found.unwrap_or_else(|| panic!("no distance without a limit: {case:?}"));
    let size = case.size().max(case.magnitude());
    let mut worst = claims::distance::Worst::default();
    told(claims::distance::check(&case, &found, exact, size, &mut worst));
    let overlaps = narrow::overlaps(a, pose_a, b, pose_b);
    // What counts as touching with a cylinder or a cone, and the bounds of the oracle.
    let noise = case.magnitude() / (1_u64 << 36) as f64;
    assert!(!overlaps || exact.low <= noise, "apart by {exact:?}: {case:?}");
    assert!(overlaps || exact.high >= -noise, "overlap by {exact:?}: {case:?}");
    Ok(if overlaps { "overlap" } else { "apart" })
}

/// Sweeps of any bounded shape at any other, surfaces and compounds too.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn course(input: &mut Input<'_>) -> Result<&'static str> {
    let (a, b) = (input.pick(&Kind::CONVEX)?, input.pick(&Kind::ALL)?);
    let number = u64::from(input.below(17)?);
    let case = claims::sweep::draw(number, a, b, &mut input.draws()?);
    Ok(told(claims::sweep::check(&case)))
}

/// Times of impact of shapes that move and turn.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn impact(input: &mut Input<'_>) -> Result<&'static str> {
    let (a, b) = (input.pick(&Kind::CONVEX)?, input.pick(&Kind::ALL)?);
    let case = claims::impact::draw(a, b, &mut input.draws()?);
    let found = case.check(&mut 0);
    Ok(found.unwrap_or_else(|message| panic!("{message} for {case:?}")))
}

/// Contact points of convex shapes.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn manifold(input: &mut Input<'_>) -> Result<&'static str> {
    let ([a, b], case, mut rng) = convex_pair(input)?;
    let margin = claims::manifold::margin(&case, &mut rng);
    let mut seen = Seen::default();
    told(seen.look(&case, margin, false));
    let rounding = claims::manifold::rounding(&case);
    assert!(seen.fits(a, b, rounding), "{seen:?} within {margin}: {case:?}");
    Ok(if seen.manifolds[0] > 0 { "none" } else { "points" })
}

/// Rays at simple shapes, and points in them.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn ray(input: &mut Input<'_>) -> Result<&'static str> {
    let (kind, class) = (input.pick(&Kind::SIMPLE)?, input.pick(&Class::ALL)?);
    let case = ray_case(class, kind, &mut input.draws()?);
    // Of rounded shapes there are bounds only.
    let is_hit = if matches!(case.shape, Shape::Rounded(_)) {
        told(claims::ray::check_round(&case))
    } else {
        Some(told(claims::ray::check(&case, 2.0)))
    };
    let origin = case.ray.origin();
    if let Some(exact) = oracle::contains_point(&case.shape, &case.pose, origin) {
        assert_eq!(case.shape.contains_point(&case.pose, origin), exact, "{case:?}");
    }
    Ok(is_hit.map_or("unknown", |is_hit| if is_hit { "hit" } else { "missed" }))
}

/// Batches of pairs, of one ordered pair of kinds or of any, beside single calls.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// They differ in a bit.
pub fn batch(input: &mut Input<'_>) -> Result<&'static str> {
    let (is_mix, kinds) =
        (input.below(1)? == 1, [input.pick(&Kind::ALL)?, input.pick(&Kind::ALL)?]);
    let count = 1 + input.below(39)?;
    let rng = &mut input.draws()?;
    let draw = |_| {
        let [a, b] = if is_mix { [(); 2].map(|()| rng.pick(&Kind::ALL)) } else { kinds };
        pair(rng.pick(&Class::ALL), a, b, rng)
    };
    let cases: Vec<PairCase> = (0..count).map(draw).collect();
    let overlaps = claims::batch::check(&cases);
    Ok(if overlaps == 0 || overlaps == cases.len() { "one answer" } else { "both answers" })
}

/// Any operations on a world, beside a naive one.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// The two worlds differ.
pub fn world(input: &mut Input<'_>) -> Result<&'static str> {
    let figures = soak::run_over(input.rest()?).unwrap_or_else(|error| panic!("{error}"));
    Ok(if figures.contacts > 0 { "contacts" } else { "none" })
}
