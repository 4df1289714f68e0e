//! Ways on which one shape meets another: head on, grazing, from afar, against something much
//! larger or smaller, and from a touch.

use glam::DVec3;
use impinge_shapes::{Pose, Shape, round};

use super::{Class, Kind, PairCase, SweepCase, any_size, nudge, pair, pairs, pose, shape};
use crate::rng::Rng;

/// What is special about a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Course {
    /// Straight at the middle of the target.
    HeadOn,
    /// Past the target within rounding of touching it.
    Grazing,
    /// Some ten thousand times the sizes, at the target or past it.
    Long,
    /// The one a hundred times as large as the other.
    Uneven,
    /// From an exact touch: in, out or along.
    FromTouch,
    /// From a near touch.
    FromNearTouch,
}

impl Course {
    /// Every course.
    pub const ALL: [Self; 6] = [
        Self::HeadOn,
        Self::Grazing,
        Self::Long,
        Self::Uneven,
        Self::FromTouch,
        Self::FromNearTouch,
    ];
}

fn size_of(shape: &Shape) -> f64 {
    match shape {
        Shape::HalfSpace(_) => 1.0,
        bounded => f64::from(bounded.aabb(&Pose::IDENTITY).half_extents().max_element()),
    }
}

/// Two shapes of these sizes around the origin, turned at random.
fn around_origin(a: (Kind, f64), b: (Kind, f64), rng: &mut Rng) -> PairCase {
    let mut placed = |(kind, size): (Kind, f64)| {
        (shape(kind, size, false, rng), pose(rng.cube(-size, size), rng.rotation()))
    };
    let ((a, pose_a), (b, pose_b)) = (placed(a), placed(b));
    PairCase { class: Class::Random, a, pose_a, b, pose_b }
}

/// A mover that passes the place where it stands after a share of the way.
fn through(mut case: PairCase, way: DVec3, share: f64) -> SweepCase {
    let displacement = round::nearest_vec(way);
    let start = case.pose_a.translation() - displacement.as_dvec3() * share;
    case.pose_a = pose(round::nearest_vec(start), case.pose_a.rotation());
    SweepCase { pair: case, displacement }
}

/// A mover and a target on a course.
#[must_use]
pub fn course(course: Course, a: Kind, b: Kind, rng: &mut Rng) -> SweepCase {
    let size = any_size(rng);
    let way = rng.direction().as_dvec3();
    match course {
        Course::HeadOn => {
            let case = around_origin((a, size), (b, size), rng);
            through(case, way * size * 8.0, 0.75)
        }
        Course::Grazing => {
            let mut case = around_origin((a, size), (b, size), rng);
            let across = way.any_orthonormal_vector();
            pairs::bring_together_along(&mut case, across, rng);
            let length = size * 8.0 * rng.unit();
            through(case, way * length, 0.5 * rng.unit() + 0.25)
        }
        Course::Long => {
            let case = around_origin((a, size), (b, size), rng);
            let far = size * rng.power_of_ten(3.0, 4.5);
            let miss = rng.direction().as_dvec3() * (size * rng.pick(&[0.0, 1.0, 2.5]));
            let case = PairCase {
                pose_a: pose(
                    round::nearest_vec(case.pose_a.translation() + miss),
                    case.pose_a.rotation(),
                ),
                ..case
            };
            through(case, way * far, rng.pick(&[0.5, 0.9, 0.999]))
        }
        Course::Uneven => {
            let other = size * rng.pick(&[0.01, 100.0]);
            let mut case = around_origin((a, size), (b, other), rng);
            if rng.one_in(2) {
                let across = way.any_orthonormal_vector();
                pairs::bring_together_along(&mut case, across, rng);
            }
            through(case, way * ((size + other) * 4.0), 0.6)
        }
        Course::FromTouch | Course::FromNearTouch => {
            let class =
                if course == Course::FromTouch { Class::Touching } else { Class::NearTouching };
            let case = pair(class, a, b, rng);
            let length = (size_of(&case.a) + size_of(&case.b)) * 2.0;
            let axis = case.pose_b.translation() - case.pose_a.translation();
            let way = match rng.below(4) {
                0 => way,
                1 => axis.try_normalize().unwrap_or(way),
                2 => -axis.try_normalize().unwrap_or(way),
                // Along an axis of a shape, which is often along the touch.
                _ => case.pose_a.rotation_matrix().col(rng.below(3)),
            };
            through(case, way * length, 0.0)
        }
    }
}

/// A mover a few last places off the path of a course.
#[must_use]
pub fn nudged(mut case: SweepCase, rng: &mut Rng) -> SweepCase {
    let at = case.pair.pose_a;
    case.pair.pose_a = pose(nudge(at.position(), 2, rng), at.rotation());
    case
}
