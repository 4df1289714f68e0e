//! Exact answers, computed with whole numbers of any size from the bits of the inputs.
//!
//! Nothing here uses the library's own exact arithmetic or its tests between shapes; from its
//! types come only the numbers that were put in. Each oracle takes the definitions of the
//! semantics literally: closed sets, boxes `{ c + R(q)·x : |x_i| ≤ h_i }` with the exact rotation,
//! rays and half-spaces with the stored direction and normal.

mod aligned;
mod boxes;
pub mod convex;
pub mod curved;
pub mod manifolds;
mod motion;
mod number;
mod planes;
mod rounded;
mod solids;

use glam::Vec3;
use impinge_shapes::{Capsule, Pose, Ray, Shape};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

pub use aligned::{clamp_movement, sweep_aabbs};
pub use motion::Course;
pub use number::{Fraction, Surd, Time};
pub use planes::{side_of_aabb, side_of_plane};
pub use solids::{bounds, clearance, outcomes, ray_gap, ray_outcome, relation};

use number::{Rotation, Scale, Vector};
use rounded::{Core, Path, squared_distance};

/// What a linear motion meets.
#[derive(Clone, Debug)]
pub enum Sweep {
    /// Nothing.
    Miss,
    /// The shapes overlap with depth at the start.
    StartOverlapping,
    /// They touch at the start.
    StartTouching {
        /// Whether they overlap with depth right after; `None` where one of them is flat or a
        /// point, so that there is no depth.
        enters: Option<bool>,
    },
    /// They are apart at the start.
    Hit {
        /// Fraction of the way at which they touch first.
        time: Time,
        /// How fast they approach there as a share of the speed: 1 head on, 0 grazing.
        incidence: f64,
    },
}

/// A sphere, capsule or box in whole numbers: the core, and the radius around it.
enum Placed {
    /// Ends over a common denominator.
    Segment { ends: [Vector; 2], denominator: BigInt, radius: BigInt },
    /// Centre, rotation and half extents.
    Cuboid { center: Vector, rotation: Box<Rotation>, half: Vector },
}

fn lengths(shape: &Shape, pose: &Pose) -> Vec<f32> {
    let mut numbers = pose.position().to_array().to_vec();
    match shape {
        Shape::Sphere(sphere) => numbers.push(sphere.radius()),
        Shape::Cuboid(cuboid) => numbers.extend(cuboid.half_extents().to_array()),
        Shape::Capsule(capsule) => {
            numbers.extend(capsule.a().to_array());
            numbers.extend(capsule.b().to_array());
            numbers.push(capsule.radius());
        }
        Shape::HalfSpace(half_space) => numbers.push(half_space.offset()),
        _ => {}
    }
    numbers
}

fn place(shape: &Shape, pose: &Pose, scale: Scale) -> Option<Placed> {
    let center = scale.vector(pose.position());
    match shape {
        Shape::Sphere(sphere) => Some(Placed::Segment {
            ends: [center.clone(), center],
            denominator: BigInt::one(),
            radius: scale.whole(sphere.radius()),
        }),
        Shape::Capsule(capsule) => Some(place_capsule(capsule, pose, scale)),
        Shape::Cuboid(cuboid) => Some(Placed::Cuboid {
            center,
            rotation: Box::new(Rotation::of_pose(pose)),
            half: scale.vector(cuboid.half_extents()),
        }),
        _ => None,
    }
}

fn place_capsule(capsule: &Capsule, pose: &Pose, scale: Scale) -> Placed {
    let rotation = Rotation::of_pose(pose);
    let center = scale.vector(pose.position()).times(&rotation.norm);
    let end = |end: Vec3| rotation.turn(&scale.vector(end)).plus(&center);
    Placed::Segment {
        ends: [end(capsule.a()), end(capsule.b())],
        denominator: rotation.norm.clone(),
        radius: scale.whole(capsule.radius()),
    }
}

/// A moving point with a radius against a core, everything times `factor` (and over the scale).
struct Approach {
    path: Path,
    core: Core,
    radius: BigInt,
    factor: BigInt,
    scale: Scale,
}

impl Approach {
    /// A point that goes from `start` by `motion` per time (both over `denominator`).
    fn new(
        (start, motion, denominator): (&Vector, &Vector, &BigInt),
        radius: &BigInt,
        target: &Placed,
        last: Option<Fraction>,
        scale: Scale,
    ) -> Self {
        match target {
            Placed::Segment { ends, denominator: other, radius: more } => {
                let factor = denominator * other;
                let path = Path { start: start.times(other), motion: motion.times(other), last };
                let [a, b] = ends.each_ref().map(|end| end.times(denominator));
                let radius = (radius + more) * &factor;
                Self { path, core: Core::Segment(a, b), radius, factor, scale }
            }
            Placed::Cuboid { center, rotation, half } => {
                let factor = denominator * &rotation.norm;
                let offset = start.minus(&center.times(denominator));
                let path = Path {
                    start: rotation.turn_back(&offset),
                    motion: rotation.turn_back(motion),
                    last,
                };
                let core = Core::Cuboid(half.times(&factor));
                Self { path, core, radius: radius * &factor, factor, scale }
            }
        }
    }

    fn square(&self) -> BigInt {
        &self.radius * &self.radius
    }

    fn touches(&self) -> bool {
        squared_distance(&self.path, &self.core).first_at_most(&self.square()).is_some()
    }

    /// Least distance of the path's points from the core, less the radius.
    fn distance(&self) -> f64 {
        let least = squared_distance(&self.path, &self.core).minimum();
        let square = &self.factor * &self.factor;
        let least = Fraction::new(least.numerator, least.denominator * square);
        let least = least.shifted(2 * self.scale.exponent()).sqrt_f64();
        let radius = Fraction::new(self.radius.clone(), self.factor.clone());
        least - radius.shifted(self.scale.exponent()).to_f64()
    }

    fn sweep(&self) -> Sweep {
        let distance = squared_distance(&self.path, &self.core);
        let square = self.square();
        let start = distance.at_start();
        if start > Fraction::whole(square.clone()) {
            return distance.first_at_most(&square).map_or(Sweep::Miss, |time| {
                let incidence = distance.incidence(&time, &self.path, &square);
                Sweep::Hit { time, incidence }
            });
        }
        if start < Fraction::whole(square) {
            return Sweep::StartOverlapping;
        }
        if self.radius.is_zero() {
            // A point; inside a box it overlaps with depth, which its distance does not tell.
            if let Core::Cuboid(half) = &self.core {
                let inside = |i: usize| self.path.start.0[i].abs() < half.0[i];
                if (0..3).all(inside) {
                    return Sweep::StartOverlapping;
                }
            }
            return Sweep::StartTouching { enters: None };
        }
        Sweep::StartTouching { enters: Some(distance.falls_at_start()) }
    }
}

/// How two shapes approach each other without moving: one's axis is the path.
fn approach(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> Option<Approach> {
    let scale = Scale::of(lengths(a.0, a.1).into_iter().chain(lengths(b.0, b.1)));
    let (a, b) = (place(a.0, a.1, scale)?, place(b.0, b.1, scale)?);
    let (axis, other) = match (&a, &b) {
        (Placed::Segment { .. }, _) => (&a, &b),
        (_, Placed::Segment { .. }) => (&b, &a),
        _ => return None,
    };
    let Placed::Segment { ends: [from, to], denominator, radius } = axis else { return None };
    let motion = to.minus(from);
    let last = Some(Fraction::whole(BigInt::one()));
    Some(Approach::new((from, &motion, denominator), radius, other, last, scale))
}

/// Whether two shapes have a point in common.
///
/// `None` for pairs without an oracle: compounds, two half-spaces, and curved shapes so near to
/// touching that bounds do not tell.
#[must_use]
pub fn overlaps(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<bool> {
    simple_overlap(a, pose_a, b, pose_b)
        .or_else(|| Some(relation(a, pose_a, b, pose_b)? != convex::Contact::Apart))
}

/// Spheres, capsules, boxes and half-spaces, each pair in its own way.
fn simple_overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<bool> {
    match (a, b) {
        (Shape::Cuboid(x), Shape::Cuboid(y)) => Some(boxes::overlaps((x, pose_a), (y, pose_b))),
        (Shape::HalfSpace(half_space), other) => {
            planes::overlaps(half_space, pose_a, other, pose_b)
        }
        (other, Shape::HalfSpace(half_space)) => {
            planes::overlaps(half_space, pose_b, other, pose_a)
        }
        _ => Some(approach((a, pose_a), (b, pose_b))?.touches()),
    }
}

/// Signed distance of two shapes, within an ulp or so of f64.
///
/// `None` for pairs without an oracle, for boxes that are apart, and for a capsule or sphere
/// whose axis meets a box, unless it is a sphere.
#[must_use]
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> Option<f64> {
    match (a, b) {
        (Shape::Cuboid(x), Shape::Cuboid(y)) => boxes::depth((x, pose_a), (y, pose_b)),
        (Shape::HalfSpace(half_space), other) => {
            planes::distance(half_space, pose_a, other, pose_b)
        }
        (other, Shape::HalfSpace(half_space)) => {
            planes::distance(half_space, pose_b, other, pose_a)
        }
        _ => {
            let approach = approach((a, pose_a), (b, pose_b))?;
            let Core::Cuboid(half) = &approach.core else { return Some(approach.distance()) };
            let squared = squared_distance(&approach.path, &approach.core);
            if !squared.minimum().numerator.is_zero() {
                return Some(approach.distance());
            }
            // The nearest face is the way out for a centre; an axis may have a shorter one.
            approach.path.motion.is_zero().then(|| {
                let room = |i: usize| &half.0[i] - approach.path.start.0[i].abs();
                let least = room(0).min(room(1)).min(room(2));
                let depth = Fraction::new(-(least + &approach.radius), approach.factor.clone());
                depth.shifted(approach.scale.exponent()).to_f64()
            })
        }
    }
}

/// Linear motion of one shape against another.
///
/// `None` for pairs without an oracle: capsules against boxes and capsules, half-spaces and
/// compounds.
#[must_use]
pub fn sweep(
    mover: &Shape,
    pose: &Pose,
    displacement: Vec3,
    target: &Shape,
    target_pose: &Pose,
) -> Option<Sweep> {
    if let (Shape::Cuboid(a), Shape::Cuboid(b)) = (mover, target) {
        return Some(boxes::sweep((a, pose), displacement, (b, target_pose)));
    }
    let numbers = lengths(mover, pose).into_iter().chain(lengths(target, target_pose));
    let scale = Scale::of(numbers.chain(displacement.to_array()));
    let motion = scale.vector(displacement);
    let (motion, sphere, other) = match (mover, target) {
        (Shape::Sphere(_), _) => {
            (motion, place(mover, pose, scale)?, place(target, target_pose, scale)?)
        }
        // Only the relative motion counts.
        (_, Shape::Sphere(_)) => {
            let back = motion.map(|x| -x);
            (back, place(target, target_pose, scale)?, place(mover, pose, scale)?)
        }
        _ => return None,
    };
    let Placed::Segment { ends: [center, _], denominator, radius } = &sphere else { return None };
    let last = Some(Fraction::whole(BigInt::one()));
    Some(Approach::new((center, &motion, denominator), radius, &other, last, scale).sweep())
}

/// The first distance at which a ray meets a shape, `None` inside for no hit.
///
/// `None` outside for compounds. Distances are those of the stored direction, from 0 to
/// `max_distance`, both included; infinite is without end.
#[must_use]
pub fn raycast(shape: &Shape, pose: &Pose, ray: &Ray, max_distance: f32) -> Option<Option<Time>> {
    if let Shape::HalfSpace(half_space) = shape {
        return Some(planes::raycast(half_space, pose, ray, max_distance));
    }
    let numbers = lengths(shape, pose).into_iter().chain(ray.origin().to_array());
    let scale = Scale::of(numbers);
    let directions = Scale::of(ray.direction().to_array());
    // Whole-number times count in units of the two scales.
    let unit = scale.exponent() - directions.exponent();
    let last = max_distance.is_finite().then(|| Fraction::of(max_distance).shifted(-unit));
    let Some(target) = place(shape, pose, scale) else {
        return solids::raycast(shape, pose, ray, max_distance);
    };
    let (origin, direction) = (scale.vector(ray.origin()), directions.vector(ray.direction()));
    let point = (&origin, &direction, &BigInt::one());
    let approach = Approach::new(point, &BigInt::zero(), &target, last, scale);
    let distance = squared_distance(&approach.path, &approach.core);
    Some(distance.first_at_most(&approach.square()).map(|time| time.shifted(unit)))
}

/// Whether a shape contains a point; `None` for compounds.
#[must_use]
pub fn contains_point(shape: &Shape, pose: &Pose, point: Vec3) -> Option<bool> {
    let dot = Shape::sphere(0.0).ok()?;
    simple_overlap(shape, pose, &dot, &Pose::from_position(point).ok()?)
        .or_else(|| solids::contains_point(shape, pose, point))
}

#[cfg(test)]
mod tests;
