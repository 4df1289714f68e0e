//! Moving shapes.

use impinge_narrowphase::{
    Closest, ImpactOptions, Motion, SweepOptions, TimeOfImpact, closest, sweep, time_of_impact,
};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape};
use parry3d::math::Pose as PeerPose;
use parry3d::query::details::ShapeCastOptions;
use parry3d::query::{NonlinearRigidMotion, ShapeCastHit, ShapeCastStatus, Unsupported};

use crate::{Placed, poses};

/// How much farther than the size of a pair a cast without an end goes; beyond, sweeps lose digits.
const FAR: f32 = 65_536.0;

/// A hit as parry tells it: points and normals in the frames of the two shapes.
fn hit(
    time: f32,
    found: &Closest,
    pose1: &PeerPose,
    pose2: &PeerPose,
    status: ShapeCastStatus,
) -> ShapeCastHit {
    let normal = found.normal;
    ShapeCastHit {
        time_of_impact: time,
        witness1: pose1.inverse_transform_point(found.point_a),
        witness2: pose2.inverse_transform_point(found.point_b),
        normal1: pose1.rotation.inverse() * normal,
        normal2: pose2.rotation.inverse() * -normal,
        status,
        subshape1: found.part_a,
        subshape2: found.part_b,
    }
}

/// The second shape of a pair moves along a line, as seen from the first.
pub(crate) fn linear(
    pair: &Placed,
    velocity: Vec3,
    options: &ShapeCastOptions,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    let (grown_a, grown_b);
    let (mut a, mut b) = (&pair.a, &pair.b);
    if options.target_distance > 0.0 {
        // A margin around either of the two; surfaces and half-spaces have none.
        if let Ok(grown) = Shape::rounded(b.clone(), options.target_distance) {
            grown_b = grown;
            b = &grown_b;
        } else {
            grown_a =
                Shape::rounded(a.clone(), options.target_distance).map_err(|_| Unsupported)?;
            a = &grown_a;
        }
    }
    let time = longest(pair, velocity, options.max_time_of_impact);
    let way = velocity * time;
    let sweep_options = SweepOptions::default();
    let Some(found) = sweep(b, &pair.b_in_a, way, a, &Pose::IDENTITY, &sweep_options) else {
        return Ok(None);
    };
    // The normal points out of the first shape, against the motion.
    let leaves = found.normal.dot(velocity) >= 0.0;
    if found.started_overlapping && !options.stop_at_penetration && leaves {
        return Ok(None);
    }
    let position = pair.b_in_a.position() + way * found.fraction;
    let there = Pose::new(position, pair.b_in_a.rotation()).map_err(|_| Unsupported)?;
    let at_hit = closest(&pair.a, &Pose::IDENTITY, &pair.b, &there, f32::INFINITY);
    let at_hit = at_hit.ok_or(Unsupported)?;
    let status = if found.started_overlapping {
        ShapeCastStatus::PenetratingOrWithinTargetDist
    } else {
        ShapeCastStatus::Converged
    };
    let (first, second) = (PeerPose::IDENTITY, poses::peer_pose(&there));
    Ok(Some(hit(time * found.fraction, &at_hit, &first, &second, status)))
}

/// The time until which there is something to be hit; a cast may have no end.
fn longest(pair: &Placed, velocity: Vec3, most: f32) -> f32 {
    let reach = |shape: &Shape| {
        let bounds = shape.aabb(&Pose::IDENTITY);
        let corner = bounds.min().abs().max(bounds.max().abs()).length();
        if corner.is_finite() { corner } else { 0.0 }
    };
    let size = pair.b_in_a.position().length() + reach(&pair.a) + reach(&pair.b);
    let speed = velocity.length();
    if speed > 0.0 { most.min(size * FAR / speed) } else { 0.0 }
}

/// Both shapes move and turn.
pub(crate) fn turning(
    (a, motion1): (&Shape, &NonlinearRigidMotion),
    (b, motion2): (&Shape, &NonlinearRigidMotion),
    (start, end): (f32, f32),
    stop_at_penetration: bool,
) -> Result<Option<ShapeCastHit>, Unsupported> {
    let time = end - start;
    let motion = |peer: &NonlinearRigidMotion| {
        let pose = poses::pose(&peer.position_at_time(start))?;
        let (way, turn) = (peer.linvel * time, peer.angvel * time);
        let motion = Motion::new(pose, way, turn).map_err(|_| Unsupported)?;
        motion.about(peer.local_center).map_err(|_| Unsupported)
    };
    let (of_a, of_b) = (motion(motion1)?, motion(motion2)?);
    let found = time_of_impact(a, &of_a, b, &of_b, &ImpactOptions::default());
    let (fraction, status) = match found {
        TimeOfImpact::Apart => return Ok(None),
        TimeOfImpact::Unconverged { safe } => (safe, ShapeCastStatus::OutOfIterations),
        TimeOfImpact::Touches(touch) if touch.started_overlapping => {
            let towards = of_b.displacement() - of_a.displacement();
            if !stop_at_penetration && touch.normal.dot(towards) >= 0.0 {
                return Ok(None);
            }
            (0.0, ShapeCastStatus::PenetratingOrWithinTargetDist)
        }
        TimeOfImpact::Touches(touch) => (touch.fraction, ShapeCastStatus::Converged),
    };
    let (pose_a, pose_b) = (of_a.pose_at(fraction), of_b.pose_at(fraction));
    let at_hit = closest(a, &pose_a, b, &pose_b, f32::INFINITY).ok_or(Unsupported)?;
    let (first, second) = (poses::peer_pose(&pose_a), poses::peer_pose(&pose_b));
    Ok(Some(hit(start + time * fraction, &at_hit, &first, &second, status)))
}
