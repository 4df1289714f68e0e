//! Near pairs: apart by little or overlapping by little, one or the other by the toss of a coin,
//! so that no branch can be learnt.

use glam::{Quat, Vec3};
use impinge_narrowphase as narrow;
use impinge_shapes::{Capsule, Cuboid, Pose, Ray, RayOptions, Shape, Sphere};
use impinge_testkit::rng::Rng;

/// Gaps and depths of near pairs.
const NEAR: f32 = 0.3;

/// Vertices of a hull.
pub const HULL_VERTICES: usize = 32;

/// Which shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two boxes.
    BoxBox,
    /// A box and a sphere.
    BoxSphere,
    /// Two capsules.
    CapsuleCapsule,
    /// A box and a capsule.
    CapsuleBox,
    /// Two spheres.
    SphereSphere,
    /// Two convex hulls of [`HULL_VERTICES`] vertices.
    HullHull,
    /// A box, and a ray from up to 3 away that hits it or passes by.
    RayBox,
    /// A sphere, and such a ray.
    RaySphere,
    /// A triangle, and such a ray.
    RayTriangle,
}

/// Two placed shapes and a ray; where the ray matters, the first shape is its target.
#[derive(Clone, Debug)]
pub struct Case {
    /// The first shape.
    pub a: Shape,
    /// Where it is.
    pub pose_a: Pose,
    /// The second shape.
    pub b: Shape,
    /// Where it is.
    pub pose_b: Pose,
    /// The ray.
    pub ray: Ray,
}

fn cuboid(rng: &mut Rng) -> Shape {
    Cuboid::new(rng.cube(0.25, 0.75)).expect("positive sizes").into()
}

fn sphere(rng: &mut Rng) -> Shape {
    Sphere::new(rng.range(0.25, 0.75)).expect("positive sizes").into()
}

fn capsule(rng: &mut Rng) -> Shape {
    let (half_height, radius) = (rng.range(0.25, 0.75), rng.range(0.15, 0.4));
    Capsule::along_y(half_height, radius).expect("positive sizes").into()
}

fn triangle(rng: &mut Rng) -> Shape {
    let mut corner = || rng.direction() * rng.range(0.5, 1.5);
    let [a, b, c] = [corner(), corner(), corner()];
    Shape::triangle(a, b, c).expect("finite corners")
}

/// Points of an ellipsoid, all of which are vertices.
fn hull(rng: &mut Rng) -> Shape {
    let radii = rng.cube(0.35, 0.85);
    let points: Vec<Vec3> = (0..HULL_VERTICES).map(|_| rng.direction() * radii).collect();
    Shape::convex_hull(&points).expect("finite points")
}

fn draw(kind: Kind, rng: &mut Rng) -> Case {
    let (a, b) = match kind {
        Kind::BoxBox | Kind::RayBox => (cuboid(rng), cuboid(rng)),
        Kind::BoxSphere => (cuboid(rng), sphere(rng)),
        Kind::CapsuleCapsule => (capsule(rng), capsule(rng)),
        Kind::CapsuleBox => (cuboid(rng), capsule(rng)),
        Kind::SphereSphere | Kind::RaySphere => (sphere(rng), sphere(rng)),
        Kind::RayTriangle => (triangle(rng), sphere(rng)),
        Kind::HullHull => (hull(rng), hull(rng)),
    };
    let place = rng.cube(-50.0, 50.0);
    let way = rng.direction() * rng.range(0.2, 2.4);
    let pose = |position: Vec3, rotation: Quat| Pose::new(position, rotation).expect("finite");
    let (pose_a, pose_b) = (pose(place, rng.rotation()), pose(place + way, rng.rotation()));
    let origin = place + rng.direction() * rng.range(1.5, 3.0);
    let ray = Ray::new(origin, place + rng.cube(-1.0, 1.0) - origin).expect("not zero");
    Case { a, pose_a, b, pose_b, ray }
}

/// Whether a case is near, and on which side.
fn overlaps(kind: Kind, case: &Case) -> Option<bool> {
    if matches!(kind, Kind::RayBox | Kind::RaySphere | Kind::RayTriangle) {
        let hit = case.a.raycast(&case.pose_a, &case.ray, 10.0, &RayOptions::default());
        return Some(hit.is_some());
    }
    let near = narrow::closest(&case.a, &case.pose_a, &case.b, &case.pose_b, NEAR)?;
    (near.distance >= -NEAR).then_some(near.distance <= 0.0)
}

/// Pairs, each overlapping (or hit by its ray) or apart by the toss of a coin.
#[must_use]
pub fn pairs(kind: Kind, count: usize, seed: u64) -> Vec<Case> {
    let mut rng = Rng::new(seed);
    let mut cases = Vec::with_capacity(count);
    while cases.len() < count {
        let wanted = rng.one_in(2);
        loop {
            let case = draw(kind, &mut rng);
            if overlaps(kind, &case) == Some(wanted) {
                cases.push(case);
                break;
            }
        }
    }
    cases
}
