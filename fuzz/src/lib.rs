//! What the fuzz targets check: the library against the exact oracles of testkit.
//!
//! Each check takes the bytes that a fuzzer made. `cargo fuzz run closest` and the like run them
//! with a fuzzer; the tests here run them with some thousand seeded inputs, without one.

pub mod drawn;
pub mod input;

use arbitrary::Result;
use impinge_narrowphase::{Relation, SweepOptions, overlaps, relation};
use impinge_shapes::{
    ConvexHull, HullFace, Pose, Ray, RayOptions, Shape, TriangleMesh,
    glam::{DVec3, Vec3},
};
use impinge_testkit::{
    check::ulp,
    generate::{Class, PairCase},
    oracle::{
        self,
        convex::{Contact, Polytope, contains_point, side_of_points},
        curved::Outcome,
    },
};

use self::input::Input;

/// A check of one input: what it found, to count, or an error where the bytes were used up.
pub type Check = fn(&mut Input<'_>) -> Result<&'static str>;

/// Runs a check.
///
/// # Panics
/// With the case, if the library's answer is not the oracle's.
pub fn run(check: Check, bytes: &[u8]) {
    // Bytes that are used up are no answer.
    let _ = check(&mut Input::new(bytes));
}

fn as_relation(contact: Contact) -> Relation {
    match contact {
        Contact::Apart => Relation::Apart,
        Contact::Touching => Relation::Touching,
        Contact::Penetrating => Relation::Penetrating,
    }
}

/// Two placed shapes whose answers are exact.
fn placed_pair(input: &mut Input<'_>) -> Result<PairCase> {
    let (a, pose_a) = (input.polytope()?, input.pose()?);
    let (b, pose_b) = (input.polytope()?, input.pose()?);
    Ok(PairCase { class: Class::Random, a, pose_a, b, pose_b })
}

/// Relation, overlap and signed distance of two shapes.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn closest(input: &mut Input<'_>) -> Result<&'static str> {
    let pair = placed_pair(input)?;
    let PairCase { a, pose_a, b, pose_b, .. } = &pair;
    let Some(exact) = oracle::relation(a, pose_a, b, pose_b) else { return Ok("no oracle") };
    let exact = as_relation(exact);
    assert_eq!(relation(a, pose_a, b, pose_b), exact, "{pair:?}");
    assert_eq!(relation(b, pose_b, a, pose_a), exact, "{pair:?}");
    assert_eq!(overlaps(a, pose_a, b, pose_b), exact.overlaps(), "{pair:?}");
    let found = impinge_narrowphase::closest(a, pose_a, b, pose_b, f32::INFINITY);
    let found = found.unwrap_or_else(|| panic!("no distance without a limit: {pair:?}"));
    if let Some(bounds) = oracle::bounds(a, pose_a, b, pose_b) {
        let allowed = 4.0 * ulp(pair.magnitude()) + pair.size() / f64::from(1 << 22);
        let miss = bounds.miss(found.distance.into());
        assert!(miss <= allowed, "{miss} off, {found:?}, exact {bounds:?}: {pair:?}");
    }
    let length = found.normal.length();
    assert!((length - 1.0).abs() < 1e-6, "normal of length {length}: {pair:?}");
    Ok(match exact {
        Relation::Apart => "apart",
        Relation::Touching => "touching",
        Relation::Penetrating => "penetrating",
    })
}

/// A shape that moves along a line to another.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn sweep(input: &mut Input<'_>) -> Result<&'static str> {
    let (pair, way) = (placed_pair(input)?, input.vector()?);
    let PairCase { a, pose_a, b, pose_b, .. } = &pair;
    let options = SweepOptions::default();
    let found = impinge_narrowphase::sweep(a, pose_a, way, b, pose_b, &options);
    let outcomes = oracle::outcomes(a, pose_a, way, b, pose_b);
    let Some([outcome]) = outcomes.as_deref() else { return Ok("no oracle") };
    let told = || format!("{found:?}, exact {outcome:?}: {pair:?} by {way:?}");
    match outcome {
        Outcome::Unknown => Ok("unknown"),
        Outcome::StartOverlapping => {
            assert!(found.is_some_and(|hit| hit.started_overlapping), "{}", told());
            Ok("overlapping")
        }
        Outcome::StartTouching { enters } => {
            let resting = way.cmpeq(Vec3::ZERO).all();
            let expected = if resting { Some(true) } else { *enters };
            if let Some(expected) = expected {
                assert_eq!(found.is_some(), expected, "{}", told());
            }
            Ok("touching")
        }
        Outcome::Miss => {
            assert!(found.is_none(), "{}", told());
            Ok("miss")
        }
        Outcome::Hit { time, incidence } => {
            let Some(hit) = found else { panic!("missed: {}", told()) };
            let length = way.as_dvec3().length();
            // A shell of 2^-22 of the sizes around the shapes.
            let size = pair.size() + length;
            let shell = size / f64::from(1 << 22);
            let slack = (shell / incidence).min((2.0 * size * shell).sqrt()) / length;
            // A path that is nearly along a surface may be met a gap of 2^-40 of the sizes before.
            let early = slack.max(shell / f64::from(1 << 18) / incidence / length);
            let (fraction, ulp) = (f64::from(hit.fraction), ulp(time.high));
            let is_in_time = fraction <= time.high + ulp + slack;
            assert!(is_in_time && fraction >= time.low - ulp - early, "{}", told());
            assert!(!hit.started_overlapping, "{}", told());
            let along = hit.normal.as_dvec3().dot(way.as_dvec3()) / length;
            assert!(along <= 1e-6, "normal along the way: {}", told());
            Ok("hit")
        }
    }
}

/// The hull of points: every point within, no corner idle, every face a face.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// The hull is wrong.
pub fn hull(input: &mut Input<'_>) -> Result<&'static str> {
    let points = input.points(24)?;
    let hull = ConvexHull::new(&points)
        .unwrap_or_else(|error| panic!("finite points have a hull, but {error}: {points:?}"));
    let vertices = hull.vertices();
    let body =
        |vertices: Vec<Vec3>| Polytope { vertices, pose: Pose::IDENTITY, radius: 0.0, margin: 0.0 };
    let whole = body(vertices.to_vec());
    for &point in &points {
        assert!(contains_point(&whole, point), "{point} is outside: {points:?}");
    }
    for (i, &vertex) in vertices.iter().enumerate() {
        assert!(points.contains(&vertex), "{vertex} is no point: {points:?}");
        let mut others = vertices.to_vec();
        others.remove(i);
        let idle = !others.is_empty() && contains_point(&body(others), vertex);
        assert!(!idle, "{vertex} is no corner: {points:?}");
    }
    for face in hull.faces() {
        check_face(&face, vertices, &points);
    }
    if hull.dimension() == 3 {
        let (v, e, f) = (vertices.len(), hull.edges().len(), hull.face_count());
        assert_eq!(v + f, e + 2, "{points:?}");
    }
    Ok(["point", "segment", "flat", "solid"][usize::from(hull.dimension())])
}

fn check_face(face: &HullFace<'_>, vertices: &[Vec3], points: &[Vec3]) {
    let corner = |i: usize| vertices[face.vertices[i] as usize];
    let plane = [corner(0), corner(1), corner(2)];
    let behind = |&point: &Vec3| side_of_points(plane, point).is_le();
    assert!(points.iter().all(behind), "{face:?}: {points:?}");
    let on = vertices.iter().filter(|&&v| side_of_points(plane, v).is_eq()).count();
    assert_eq!(on, face.vertices.len(), "{face:?}: {points:?}");
}

/// A mesh is made of what is valid and refused otherwise; a ray and a shape meet it as they meet
/// its triangles.
///
/// # Errors
/// The bytes are used up.
///
/// # Panics
/// An answer is wrong.
pub fn mesh(input: &mut Input<'_>) -> Result<&'static str> {
    let (vertices, triangles) = input.triangles()?;
    let count = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
    let valid = !triangles.is_empty() && triangles.iter().flatten().all(|&i| i < count);
    let made = TriangleMesh::new(vertices.clone(), triangles.clone());
    assert_eq!(made.is_ok(), valid, "{made:?}: {vertices:?} {triangles:?}");
    if !valid {
        return Ok("refused");
    }
    let Ok(mesh) = Shape::triangle_mesh(vertices, triangles) else { return Ok("refused") };
    let at = input.pose()?;
    let told = format!("{mesh:?} at {at:?}");
    let (origin, direction) = (input.vector()?, input.vector()?);
    let mut answer = "missed";
    if let Ok(ray) = Ray::new(origin, direction) {
        let found = mesh.raycast(&at, &ray, f32::INFINITY, &RayOptions::default());
        let exact = oracle::raycast(&mesh, &at, &ray, f32::INFINITY).flatten();
        assert_eq!(found.is_some(), exact.is_some(), "{ray:?} {found:?}: {told}");
        if let (Some(found), Some(exact)) = (found, exact) {
            let (found, exact) = (f64::from(found.distance), exact.to_f64());
            assert!((found - exact).abs() <= 2.0 * ulp(exact), "{ray:?} {found} {exact}: {told}");
            answer = "hit";
        }
    }
    let (other, place) = (input.polytope()?, input.pose()?);
    if let Some(exact) = oracle::relation(&mesh, &at, &other, &place) {
        let found = relation(&mesh, &at, &other, &place);
        assert_eq!(found, as_relation(exact), "{other:?} at {place:?}: {told}");
    }
    let bounds = mesh.aabb(&at);
    let (low, high) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
    assert!(DVec3::cmple(low, high).all(), "{bounds:?}: {told}");
    Ok(answer)
}

#[cfg(test)]
mod tests;
