//! Placed pairs, rays, points and moves of which about half overlap, hit, or lie inside, by the
//! toss of a coin, so that no branch can be learnt.

use glam::{Quat, Vec3};
use impinge_benches::near::Case;
use impinge_narrowphase::{self as narrow, SweepOptions};
use impinge_shapes::{Pose, Ray, RayOptions};
use impinge_testkit::rng::Rng;

use super::kinds::{Kind, half_side};
use crate::kernels::RAY_LENGTH;

/// Gaps and depths of near pairs.
const NEAR: f32 = 0.3;
/// Length of all moves.
pub(super) const LENGTH: f32 = 4.0;

/// What is asked, which says how cases are drawn and which of them are the two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// Two shapes that overlap by little or are apart by little.
    Near,
    /// B moves from its place by [`LENGTH`] along the ray's direction.
    Sweep,
    /// The ray at A.
    Ray,
    /// The ray's origin is a point in or near A.
    Point,
}

fn draw(a: Kind, b: Kind, question: Question, rng: &mut Rng) -> Case {
    let pose = |position: Vec3, rotation: Quat| Pose::new(position, rotation).expect("finite");
    let pose_a = pose(rng.cube(-50.0, 50.0), rng.rotation());
    let mut place = pose_a.position();
    if a.is_surface() {
        let most = half_side() - 5.0;
        let on = Vec3::new(rng.range(-most, most), rng.range(-0.4, 0.4), rng.range(-most, most));
        place += pose_a.rotation() * on;
    }
    let (near, far) = match question {
        Question::Near => (0.2, 2.4),
        Question::Sweep => (1.5, 4.0),
        Question::Ray => (1.5, 3.0),
        Question::Point => (0.0, 1.5),
    };
    let start = place + rng.direction() * rng.range(near, far);
    let aim = place + rng.cube(-1.0, 1.0);
    let ray = Ray::new(start, aim - start).expect("not zero");
    Case { a: a.draw(rng), pose_a, b: b.draw(rng), pose_b: pose(start, rng.rotation()), ray }
}

/// Which half a case belongs to, if it is one that is wanted.
fn outcome(a: Kind, question: Question, case: &Case) -> Option<bool> {
    let Case { a: target, pose_a, b, pose_b, ray } = case;
    match question {
        Question::Near => {
            let near = narrow::closest(target, pose_a, b, pose_b, NEAR)?;
            (near.distance >= -NEAR).then_some(near.distance <= 0.0)
        }
        Question::Sweep => {
            let way = ray.direction() * LENGTH;
            let options = SweepOptions::default();
            let apart = !narrow::overlaps(target, pose_a, b, pose_b);
            apart.then(|| narrow::sweep(b, pose_b, way, target, pose_a, &options).is_some())
        }
        Question::Ray => {
            let outside = !target.contains_point(pose_a, ray.origin());
            let hit = || target.raycast(pose_a, ray, RAY_LENGTH, &RayOptions::default()).is_some();
            outside.then(hit)
        }
        // Without an inside all are on one side.
        Question::Point => Some(!a.has_inside() || target.contains_point(pose_a, ray.origin())),
    }
}

pub(super) fn cases(a: Kind, b: Kind, question: Question, count: usize, seed: u64) -> Vec<Case> {
    let mut rng = Rng::new(seed);
    let mut cases = Vec::with_capacity(count);
    let one_sided = question == Question::Point && !a.has_inside();
    while cases.len() < count {
        let wanted = one_sided || rng.one_in(2);
        loop {
            let case = draw(a, b, question, &mut rng);
            if outcome(a, question, &case) == Some(wanted) {
                cases.push(case);
                break;
            }
        }
    }
    cases
}
