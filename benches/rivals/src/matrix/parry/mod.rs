//! parry3d's best for each pair: its function for that very pair where there is one, with the
//! shapes' types known to the compiler, otherwise its dispatcher.

mod dispatched;
mod half_space;
mod solids;
mod sphere;

use impinge_shapes::Shape;
use parry3d::math::{Pose, Vector};
use parry3d::query::{Contact, ContactManifold, Ray, ShapeCastHit, ShapeCastOptions};
use parry3d::shape::{Shape as PeerShape, SharedShape};

use super::cases::LENGTH;
use super::kinds::Kind;
use crate::convert;
use crate::kernels::{Case, RAY_LENGTH, Runner, runner, whole};

/// Makes a runner; `None` where parry3d has no answer.
pub(super) type Make = fn(&[Case]) -> Option<Runner>;

/// The five questions about a pair.
#[derive(Clone, Copy)]
pub(super) struct Tests {
    pub(super) overlap: Make,
    pub(super) distance: Make,
    pub(super) contact: Make,
    pub(super) manifold: Make,
    pub(super) sweep: Make,
}

pub(super) fn tests(a: Kind, b: Kind) -> Tests {
    match (a, b) {
        (Kind::Mesh | Kind::HeightField | Kind::Compound, _) => dispatched::TESTS,
        (Kind::HalfSpace, b) => half_space::tests(b),
        (a, Kind::Sphere) => sphere::tests(a),
        (a, b) => solids::tests(a, b),
    }
}

/// Two shapes and their poses.
type Pair<A, B> = (A, Pose, B, Pose);

/// The pairs in parry3d's types.
fn pairs<A: PeerShape + Clone, B: PeerShape + Clone>(cases: &[Case]) -> Vec<Pair<A, B>> {
    let pair = |case: &Case| {
        let (pose_a, pose_b) = (convert::pose(&case.pose_a), convert::pose(&case.pose_b));
        (typed::<A>(&case.a), pose_a, typed::<B>(&case.b), pose_b)
    };
    cases.iter().map(pair).collect()
}

fn typed<A: PeerShape + Clone>(shape: &Shape) -> A {
    let shape = convert::shape(shape).expect("both have all kinds");
    shape.as_shape::<A>().expect("cases of one kind hold the same shapes").clone()
}

/// The pairs and B's moves, seen from A.
type Moving<A, B> = (A, Pose, B, Pose, Vector);

fn moving<A: PeerShape + Clone, B: PeerShape + Clone>(cases: &[Case]) -> Vec<Moving<A, B>> {
    let pairs = pairs(cases).into_iter().zip(cases);
    let way = |case: &Case| convert::vector(case.ray.direction());
    pairs.map(|((a, pose_a, b, pose_b), case)| (a, pose_a, b, pose_b, way(case))).collect()
}

/// A runner of a cast: gets the pose and the velocity of B in A's frame.
fn cast<A: PeerShape + Clone, B: PeerShape + Clone>(
    cases: &[Case],
    test: fn(&Pose, Vector, &A, &B, ShapeCastOptions) -> Option<ShapeCastHit>,
) -> Option<Runner> {
    let options = ShapeCastOptions::with_max_time_of_impact(LENGTH);
    Some(runner(moving(cases), move |(a, pose_a, b, pose_b, way): &Moving<A, B>| {
        let way = pose_a.rotation.inverse() * *way;
        whole(test(&pose_a.inv_mul(pose_b), way, a, b, options))
            .map_or(f32::NAN, |hit| -hit.time_of_impact)
    }))
}

/// A runner of a test that gets B's pose in A's frame.
fn in_a<A: PeerShape + Clone, B: PeerShape + Clone>(
    cases: &[Case],
    test: impl Fn(&Pose, &A, &B) -> f32 + 'static,
) -> Option<Runner> {
    Some(runner(pairs(cases), move |(a, pose_a, b, pose_b): &Pair<A, B>| {
        test(&pose_a.inv_mul(pose_b), a, b)
    }))
}

/// A runner of a manifold, whose memory is used again.
fn manifold<A: PeerShape + Clone, B: PeerShape + Clone>(
    cases: &[Case],
    test: fn(&Pose, &A, &B, &mut ContactManifold<(), ()>),
) -> Option<Runner> {
    let scratch = std::cell::RefCell::new(ContactManifold::<(), ()>::new());
    in_a(cases, move |b_in_a, a: &A, b: &B| {
        let mut manifold = scratch.borrow_mut();
        manifold.clear();
        test(b_in_a, a, b, &mut manifold);
        manifold.find_deepest_contact().map_or(f32::NAN, |point| point.dist)
    })
}

/// The depth of a contact whose points and normals are there, too.
fn depth(found: Option<Contact>) -> f32 {
    whole(found).map_or(f32::NAN, |contact| contact.dist)
}

/// Shapes of any kind: a virtual call, a few nanoseconds.
fn shared(case: &Case) -> (SharedShape, Pose) {
    (convert::shape(&case.a).expect("both have all kinds"), convert::pose(&case.pose_a))
}

pub(super) fn ray(cases: &[Case]) -> Option<Runner> {
    let placed = cases.iter().map(|case| {
        let (origin, direction) = (case.ray.origin(), case.ray.direction());
        (shared(case), Ray::new(convert::vector(origin), convert::vector(direction)))
    });
    Some(runner(placed.collect(), |((shape, pose), ray): &((SharedShape, Pose), Ray)| {
        whole(shape.cast_ray_and_get_normal(pose, ray, RAY_LENGTH, true))
            .map_or(f32::NAN, |hit| -hit.time_of_impact)
    }))
}

pub(super) fn project(cases: &[Case]) -> Option<Runner> {
    let placed = cases.iter().map(|case| (shared(case), convert::vector(case.ray.origin())));
    Some(runner(placed.collect(), |((shape, pose), point): &((SharedShape, Pose), Vector)| {
        let found = whole(shape.project_point(pose, *point, false));
        let distance = (found.point - *point).length();
        if found.is_inside { -distance } else { distance }
    }))
}
