//! Any two shapes: convex bodies, half-spaces, and unions of bodies.
//!
//! A mesh is the union of its triangles, and a compound of its parts: they touch where some of
//! their parts touch, and penetrate where some of them do.

use glam::{DVec3, Vec3};
use impinge_shapes::{HalfSpace, HeightField, Plane, PlaneSide, Pose, Ray, Shape};

use super::{
    Sweep,
    convex::{self, Contact, Polytope},
    curved::{self, Body, Bounds, Outcome},
    number::Time,
};

/// What a shape is made of.
#[derive(Debug)]
pub(super) enum Solid {
    Bodies(Vec<Body>),
    HalfSpace(HalfSpace),
}

impl Solid {
    pub(super) fn of(shape: &Shape, pose: &Pose) -> Option<Self> {
        Some(match shape {
            Shape::HalfSpace(half_space) => Self::HalfSpace(*half_space),
            Shape::TriangleMesh(mesh) => {
                let corner = |&i: &u32| mesh.vertices()[i as usize];
                let triangles = mesh.triangles().iter().map(|t| t.iter().map(corner).collect());
                Self::Bodies(triangles.map(|corners| body(corners, pose)).collect())
            }
            Shape::HeightField(field) => Self::Bodies(triangles_of(field, pose)),
            Shape::Compound(compound) => {
                let parts = compound.placed(pose).map(|(_, at, part)| Self::of(part, &at));
                let mut bodies = Vec::new();
                for part in parts {
                    match part? {
                        Self::Bodies(more) => bodies.extend(more),
                        Self::HalfSpace(_) => return None,
                    }
                }
                Self::Bodies(bodies)
            }
            _ => Self::Bodies(vec![Body::of(shape, pose)?]),
        })
    }
}

fn body(vertices: Vec<Vec3>, pose: &Pose) -> Body {
    Body::from(&Polytope { vertices, pose: *pose, radius: 0.0, margin: 0.0 })
}

/// Two triangles in each cell, on either side of the diagonal between its second and third corner.
fn triangles_of(field: &HeightField, pose: &Pose) -> Vec<Body> {
    let mut triangles = Vec::new();
    for row in 1..field.rows() {
        for column in 1..field.columns() {
            let corner = |r: usize, c: usize| field.vertex(row - r, column - c);
            let (second, third) = (corner(1, 0), corner(0, 1));
            for other in [corner(1, 1), corner(0, 0)] {
                let corners = [second, third, other].into_iter().collect::<Option<Vec<Vec3>>>();
                triangles.extend(corners.map(|corners| body(corners, pose)));
            }
        }
    }
    triangles
}

/// Whether bounds or a plane show that A meets no part of B on its way: so that most pairs and most
/// triangles of a surface take no whole numbers.
fn surely_apart(a: &Body, way: DVec3, b: &Body) -> bool {
    bounds_apart(a, way, b) || curved::parted(a, way, b)
}

fn bounds_apart(a: &Body, way: DVec3, b: &Body) -> bool {
    let ((low, high), (least, most)) = (a.bounds(), b.bounds());
    // Adding rounds by less than the bounds are grown, unless the way is much longer.
    let slack = way.abs().max_element() * f64::EPSILON;
    let (low, high) = (low + way.min(-DVec3::splat(slack)), high + way.max(DVec3::splat(slack)));
    low.cmpgt(most + slack).any() || high.cmplt(least - slack).any()
}

fn relation_of_bodies(a: &Body, b: &Body) -> Option<Contact> {
    if surely_apart(a, DVec3::ZERO, b) {
        return Some(Contact::Apart);
    }
    if let (Some(a), Some(b)) = (a.polytope(), b.polytope()) {
        return Some(convex::relation(&a, &b));
    }
    let bounds = curved::signed(a, b);
    if bounds.low > 0.0 {
        Some(Contact::Apart)
    } else if bounds.high < 0.0 {
        Some(Contact::Penetrating)
    } else {
        None
    }
}

/// How two shapes lie to each other; `None` for pairs without an oracle, and where bounds do not
/// tell.
#[must_use]
pub fn relation(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Contact> {
    match (Solid::of(a, pose_a)?, Solid::of(b, pose_b)?) {
        (Solid::Bodies(a), Solid::Bodies(b)) => {
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
            let mut unsure = false;
            let mut most = Contact::Apart;
            for (a, b) in pairs {
                match relation_of_bodies(a, b) {
                    Some(contact) => most = most.max(contact),
                    None => unsure = true,
                }
            }
            (!unsure || most == Contact::Penetrating).then_some(most)
        }
        (Solid::HalfSpace(half_space), Solid::Bodies(bodies)) => {
            let of_body = |body| curved::half_space_relation(&half_space, pose_a, body);
            bodies.iter().map(of_body).max()
        }
        (Solid::Bodies(bodies), Solid::HalfSpace(half_space)) => {
            let of_body = |body| curved::half_space_relation(&half_space, pose_b, body);
            bodies.iter().map(of_body).max()
        }
        (Solid::HalfSpace(_), Solid::HalfSpace(_)) => None,
    }
}

/// An interval that holds a number known within an ulp or so.
fn around(x: f64) -> Bounds {
    let error = x.abs() * (4.0 * f64::EPSILON);
    Bounds { low: x - error, high: x + error }
}

/// Bounds of the signed distance of two shapes, of unions that of the nearest or deepest parts;
/// `None` for pairs without an oracle.
#[must_use]
pub fn bounds(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<Bounds> {
    bounds_by(a, pose_a, b, pose_b, |a, b| match (a.polytope(), b.polytope()) {
        (Some(a), Some(b)) => around(convex::distance(&a, &b)),
        _ => curved::distance(a, b),
    })
}

/// How far two shapes are apart at least, zero where they meet: the lower one of bounds for which no
/// depth is searched for; `None` for pairs without an oracle.
#[must_use]
pub fn clearance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<f64> {
    Some(bounds_by(a, pose_a, b, pose_b, curved::clearance)?.low.max(0.0))
}

/// [`bounds`] with a bracket of the distance of two bodies.
fn bounds_by(
    a: &Shape,
    pose_a: &Pose,
    b: &Shape,
    pose_b: &Pose,
    of_bodies: fn(&Body, &Body) -> Bounds,
) -> Option<Bounds> {
    let least = |all: Vec<Bounds>| {
        all.into_iter().reduce(|least, next| Bounds {
            low: least.low.min(next.low),
            high: least.high.min(next.high),
        })
    };
    let half_space = |half_space: &HalfSpace, pose: &Pose, bodies: &[Body]| {
        let of_body = |body: &Body| {
            let size = body.lengths().map(|x| f64::from(x.abs())).fold(0.0, f64::max);
            let size = size + pose.translation().length() + f64::from(half_space.offset().abs());
            let exact = curved::half_space_distance(half_space, pose, body);
            let error = size * (64.0 * f64::EPSILON);
            Bounds { low: exact - error, high: exact + error }
        };
        bodies.iter().map(of_body).collect()
    };
    match (Solid::of(a, pose_a)?, Solid::of(b, pose_b)?) {
        (Solid::Bodies(a), Solid::Bodies(b)) => {
            let of_a = |a| b.iter().map(move |b| of_bodies(a, b));
            least(a.iter().flat_map(of_a).collect())
        }
        (Solid::HalfSpace(plane), Solid::Bodies(bodies)) => {
            least(half_space(&plane, pose_a, &bodies))
        }
        (Solid::Bodies(bodies), Solid::HalfSpace(plane)) => {
            least(half_space(&plane, pose_b, &bodies))
        }
        (Solid::HalfSpace(_), Solid::HalfSpace(_)) => None,
    }
}

/// A touch after `end`, a share of the way, may be told as none.
fn outcome_of_bodies(a: &Body, displacement: Vec3, end: f64, b: &Body) -> Outcome {
    if surely_apart(a, displacement.as_dvec3() * end, b) {
        return Outcome::Miss;
    }
    let (Some(one), Some(other)) = (a.polytope(), b.polytope()) else {
        return curved::sweep(a, displacement.as_dvec3(), b);
    };
    let starts_apart = surely_apart(a, DVec3::ZERO, b);
    let sweep = if starts_apart { convex::first_touch } else { convex::sweep };
    match sweep(&one, displacement, &other) {
        Sweep::Miss => Outcome::Miss,
        Sweep::StartOverlapping => Outcome::StartOverlapping,
        Sweep::StartTouching { enters } => Outcome::StartTouching { enters },
        Sweep::Hit { time, incidence } => {
            let time = match time {
                Time::Between(low, high) => {
                    Bounds { low: around(low.to_f64()).low, high: around(high.to_f64()).high }
                }
                exact => around(exact.to_f64()),
            };
            Outcome::Hit { time, incidence }
        }
    }
}

/// What a linear motion meets, for each part of the mover and each of the target; `None` for
/// pairs without an oracle, as two half-spaces.
///
/// [`Outcome::Miss`] stands for what is met after another part surely is, too.
#[must_use]
pub fn outcomes(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
) -> Option<Vec<Outcome>> {
    Some(match (Solid::of(mover, pose)?, Solid::of(target, target_pose)?) {
        (Solid::Bodies(a), Solid::Bodies(b)) => {
            let (mut outcomes, mut end) = (Vec::new(), 1.0_f64);
            for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                let outcome = outcome_of_bodies(a, displacement, end, b);
                if let Outcome::Hit { time, .. } = outcome {
                    end = end.min(time.high);
                }
                outcomes.push(outcome);
            }
            outcomes
        }
        (Solid::Bodies(a), Solid::HalfSpace(plane)) => {
            let of_part = |a| curved::half_space_sweep(&plane, target_pose, a, displacement);
            a.iter().map(of_part).collect()
        }
        (Solid::HalfSpace(plane), Solid::Bodies(b)) => {
            let of_part = |b| curved::half_space_sweep(&plane, pose, b, -displacement);
            b.iter().map(of_part).collect()
        }
        (Solid::HalfSpace(_), Solid::HalfSpace(_)) => return None,
    })
}

/// The first distance at which a ray meets a bounded shape, `None` inside for no hit; `None`
/// outside for curved shapes with a margin.
pub(super) fn raycast(
    shape: &Shape,
    pose: &Pose,
    ray: &Ray,
    max_distance: f32,
) -> Option<Option<Time>> {
    let Solid::Bodies(bodies) = Solid::of(shape, pose)? else { return None };
    let mut first: Option<Time> = None;
    for body in &bodies {
        let time = match body.polytope() {
            Some(body) => convex::raycast(&body, ray, max_distance),
            None => curved::raycast(body, ray, max_distance)?,
        };
        let Some(time) = time else { continue };
        if first.as_ref().is_none_or(|first| time.to_f64() < first.to_f64()) {
            first = Some(time);
        }
    }
    Some(first)
}

/// What a ray meets on a way of this length, in parts of it; `None` for shapes of several bodies
/// and half-spaces.
#[must_use]
pub fn ray_outcome(shape: &Shape, pose: &Pose, ray: &Ray, length: f64) -> Option<Outcome> {
    let body = Body::of(shape, pose)?;
    let origin = Body::from(&Polytope::point(ray.origin()));
    Some(curved::sweep(&origin, ray.direction().as_dvec3() * length, &body))
}

/// Bounds of the distance of a ray's origin from a shape; `None` as for [`ray_outcome`].
#[must_use]
pub fn ray_gap(shape: &Shape, pose: &Pose, ray: &Ray) -> Option<Bounds> {
    let origin = Body::from(&Polytope::point(ray.origin()));
    Some(curved::distance(&origin, &Body::of(shape, pose)?))
}

/// Whether a bounded shape contains a point; `None` for curved ones with a margin.
pub(super) fn contains_point(shape: &Shape, pose: &Pose, point: Vec3) -> Option<bool> {
    let Solid::Bodies(bodies) = Solid::of(shape, pose)? else { return None };
    let inside = |body: &Body| match body.polytope() {
        Some(body) => Some(convex::contains_point(&body, point)),
        None => curved::contains_point(body, point),
    };
    let answers: Option<Vec<bool>> = bodies.iter().map(inside).collect();
    Some(answers?.contains(&true))
}

/// Side of a plane on which a bounded shape lies.
pub(super) fn side_of_plane(shape: &Shape, pose: &Pose, plane: &Plane) -> Option<PlaneSide> {
    let Solid::Bodies(bodies) = Solid::of(shape, pose)? else { return None };
    let sides = bodies.iter().map(|body| curved::side_of_plane(body, plane));
    sides.reduce(|one, other| if one == other { one } else { PlaneSide::Straddling })
}
