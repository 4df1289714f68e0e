//! What boxes alone tell of the shapes within: how near, and how early.

use impinge_shapes::glam::{DMat3, DVec3};
use impinge_shapes::{Aabb, HalfSpace, Pose, round};

use crate::tolerance;

/// A lower bound of the distance of two boxes; zero where they overlap.
pub(crate) fn gap_between(a: &Aabb, b: &Aabb) -> f64 {
    let below = b.min().as_dvec3() - a.max().as_dvec3();
    let above = a.min().as_dvec3() - b.max().as_dvec3();
    let gap = below.max(above).max(DVec3::ZERO);
    gap.length() * (1.0 - tolerance::SAME_POINT)
}

/// A lower bound of the part of `way` after which a box that goes along it touches another;
/// infinite where it never does.
///
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.5.8.
pub(crate) fn first_touch(mover: &Aabb, way: DVec3, target: &Aabb) -> f64 {
    let slack = tolerance::FRAME * way.abs().element_sum();
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        // How far the mover must go along the axis to touch, and to have touched last.
        let near = f64::from(target.min()[axis]) - f64::from(mover.max()[axis]) - slack;
        let far = f64::from(target.max()[axis]) - f64::from(mover.min()[axis]) + slack;
        let step = way[axis];
        if step.abs() > 0.0 {
            let (first, last) = if step > 0.0 { (near, far) } else { (far, near) };
            enter = enter.max(first / step);
            leave = leave.min(last / step);
        } else if near > 0.0 || far < 0.0 {
            return f64::INFINITY;
        }
    }
    let enter = enter * (1.0 - tolerance::SAME_POINT);
    if enter > leave * (1.0 + tolerance::SAME_POINT) { f64::INFINITY } else { enter }
}

/// Bounds, along the axes of a frame, of a box of the world.
pub(crate) fn seen_from(pose: &Pose, bounds: &Aabb) -> Aabb {
    let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
    if !(min.is_finite() && max.is_finite()) {
        return Aabb::EVERYTHING;
    }
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    let turn = pose.rotation_matrix();
    let center = turn.transpose() * (center - pose.translation());
    // The columns are the frame's axes in the world.
    let half = DVec3::from_array(std::array::from_fn(|i| turn.col(i).abs().dot(half)));
    let size = half.element_sum() + min.abs().max(max.abs()).element_sum();
    let slack = tolerance::FRAME * (size + pose.translation().abs().element_sum());
    let low = (center - half - slack).to_array().map(round::down);
    let high = (center + half + slack).to_array().map(round::up);
    Aabb::new(low.into(), high.into()).unwrap_or(Aabb::EVERYTHING)
}

/// Bounds, along the axes of a frame, of a box of another one, grown by `margin`.
///
/// Boxing it in the world first would make it larger twice.
pub(crate) fn box_seen_from(frame: &Pose, pose: &Pose, own: &Aabb, margin: f32) -> Aabb {
    let (min, max) = (own.min().as_dvec3(), own.max().as_dvec3());
    if !(min.is_finite() && max.is_finite()) {
        return Aabb::EVERYTHING;
    }
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    let to_frame = frame.rotation_matrix().transpose();
    let turn = to_frame * pose.rotation_matrix();
    let rows = turn.transpose();
    let arm = pose.translation() - frame.translation();
    let center = to_frame * arm + turn * center;
    let half = DVec3::from_array(std::array::from_fn(|i| rows.col(i).abs().dot(half)));
    around(frame, pose, center, half, margin, min.abs().max(max.abs()).element_sum())
}

/// Bounds, along the axes of a frame, of a ball around a pose, grown by `margin`.
pub(crate) fn ball_seen_from(frame: &Pose, pose: &Pose, radius: f32, margin: f32) -> Aabb {
    let arm = pose.translation() - frame.translation();
    let center = frame.rotation_matrix().transpose() * arm;
    around(frame, pose, center, DVec3::splat(radius.into()), margin, 0.0)
}

/// A box in a frame, grown by a margin and by what rounding may have moved it; `size` bounds the
/// coordinates that went into it beside those of the poses.
fn around(frame: &Pose, pose: &Pose, center: DVec3, half: DVec3, margin: f32, size: f64) -> Aabb {
    let half = half + f64::from(margin.max(0.0));
    let places = frame.translation().abs() + pose.translation().abs();
    let slack = tolerance::FRAME * (2.0 * half.element_sum() + size + places.element_sum());
    let low = (center - half - slack).to_array().map(round::down);
    let high = (center + half + slack).to_array().map(round::up);
    Aabb::new(low.into(), high.into()).unwrap_or(Aabb::EVERYTHING)
}

/// Bounds in the world of a box of a frame.
pub(crate) fn placed(pose: &Pose, bounds: &Aabb) -> Aabb {
    let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    let turn = pose.rotation_matrix();
    let rows = turn.transpose();
    let half = DVec3::from_array(std::array::from_fn(|i| rows.col(i).abs().dot(half)));
    let center = turn * center + pose.translation();
    let size = half.element_sum() + min.abs().max(max.abs()).element_sum();
    let slack = tolerance::FRAME * (size + pose.translation().abs().element_sum());
    let low = (center - half - slack).to_array().map(round::down);
    let high = (center + half + slack).to_array().map(round::up);
    Aabb::new(low.into(), high.into()).unwrap_or(Aabb::EVERYTHING)
}

/// A ball, or the box around another solid along its own axes, in the frame of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) center: DVec3,
    /// From the axes of the solid to those of the surface.
    pub(crate) turn: DMat3,
    /// Half extents of the box; `None` for a ball.
    pub(crate) half: Option<DVec3>,
    /// Of the ball, or zero.
    pub(crate) radius: f64,
    /// How far the place may be off, and the answer of [`closest`](crate::closest) for the solid
    /// and a triangle: 2^-40 of the size, as `convex` promises, with a factor of sixteen.
    pub(crate) slack: f64,
}

impl Seen {
    pub(crate) fn ball(radius: f32, pose: &Pose, frame: &Pose, surface: &Aabb) -> Self {
        let arm = pose.translation() - frame.translation();
        let center = frame.rotation_matrix().transpose() * arm;
        let radius = f64::from(radius);
        let slack = Self::slack(pose, frame, surface, radius);
        Self { center, turn: DMat3::IDENTITY, half: None, radius, slack }
    }

    /// `own` are the bounds of the solid in its frame.
    pub(crate) fn solid(own: &Aabb, pose: &Pose, frame: &Pose, surface: &Aabb) -> Self {
        // Where f32 does not hold them, a coordinate and a radius still add up to no more than this.
        let most = DVec3::splat(2.0 * f64::from(f32::MAX));
        let (min, max) = (own.min().as_dvec3().max(-most), own.max().as_dvec3().min(most));
        let arm = pose.translation() - frame.translation();
        let to_frame = frame.rotation_matrix().transpose();
        let turn = to_frame * pose.rotation_matrix();
        let center = to_frame * arm + turn * ((min + max) * 0.5);
        let reach = min.abs().max(max.abs()).element_sum();
        let slack = Self::slack(pose, frame, surface, reach);
        Self { center, turn, half: Some((max - min) * 0.5), radius: 0.0, slack }
    }

    fn slack(pose: &Pose, frame: &Pose, surface: &Aabb, reach: f64) -> f64 {
        let places = frame.translation().abs() + pose.translation().abs();
        let surface = surface.min().abs().max(surface.max().abs()).as_dvec3();
        ((places + surface).element_sum() + reach) * tolerance::SAME_POINT
    }
}

/// A half-space in the frame of another shape, whose bounds say next to nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    /// Unit, out of the half-space.
    normal: DVec3,
    offset: f64,
    /// Sum of the magnitudes in the offset.
    size: f64,
}

impl Ground {
    pub(crate) fn new(half_space: &HalfSpace, pose: &Pose, seen_from: &Pose) -> Self {
        let normal = half_space.normal().as_dvec3();
        let length = normal.length();
        let outward = pose.rotation_matrix() * (normal / length);
        let arm = seen_from.translation() - pose.translation();
        let own = f64::from(half_space.offset()) / length;
        Self {
            normal: seen_from.rotation_matrix().transpose() * outward,
            offset: outward.dot(arm) - own,
            size: arm.abs().element_sum() + own.abs(),
        }
    }

    /// A lower bound of the signed distance of what the box holds; negative where it is deep.
    pub(crate) fn height(&self, bounds: &Aabb) -> f64 {
        let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
        let lowest = DVec3::select(self.normal.cmpgt(DVec3::ZERO), min, max);
        let size = self.size + min.abs().max(max.abs()).element_sum();
        self.normal.dot(lowest) + self.offset - tolerance::FRAME * size
    }

    /// A lower bound of the part of `way`, that of the box in its frame against the half-space,
    /// after which what it holds touches; infinite where it never does.
    pub(crate) fn first_touch(&self, way: DVec3, bounds: &Aabb) -> f64 {
        let height = self.height(bounds);
        if height <= 0.0 {
            return 0.0;
        }
        let approach = tolerance::FRAME * way.abs().element_sum() - self.normal.dot(way);
        let part = height / approach * (1.0 - tolerance::SAME_POINT);
        if approach > 0.0 && part <= 1.0 { part } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{Quat, Vec3};

    use super::*;

    fn cube(center: Vec3) -> Aabb {
        Aabb::new(center - 1.0, center + 1.0).unwrap()
    }

    #[test]
    fn boxes_touch_no_earlier_than_told() {
        let (here, there) = (cube(Vec3::ZERO), cube(Vec3::new(6.0, 1.0, 0.0)));
        let part = |way: Vec3| first_touch(&here, way.as_dvec3(), &there);
        assert!(part(Vec3::X * 8.0) <= 0.5 && part(Vec3::X * 8.0) > 0.499);
        assert!(part(Vec3::X * 4.0) <= 1.0 && part(Vec3::NEG_X) > 1.0 && part(Vec3::Y) > 1.0);
        assert!(part(Vec3::new(8.0, 16.0, 0.0)) > 1.0 && part(Vec3::ZERO) > 1.0);
        assert!(first_touch(&here, DVec3::X, &here) <= 0.0);
        assert!(first_touch(&here, DVec3::X, &Aabb::EVERYTHING) <= 0.0);
    }

    #[test]
    fn boxes_of_a_frame_lie_within_their_bounds() {
        let turn = Quat::from_xyzw(0.3, -0.1, 0.7, 0.4);
        let pose = Pose::new(Vec3::new(5.0, -40.0, 0.1), turn).unwrap();
        let own = cube(Vec3::new(1.0, 2.0, 3.0));
        let (bounds, back) = (placed(&pose, &own), seen_from(&pose, &placed(&pose, &own)));
        assert!(back.contains(&own), "{back:?}");
        for corner in own.corners() {
            let point = Aabb::from_point(pose.transform_point(corner)).unwrap();
            assert!(bounds.overlaps(&point), "{corner}");
        }
        let farthest = bounds.max().x - pose.transform_point(own.center()).x;
        assert!(farthest < 1.74, "{farthest}");
        let frame = Pose::new(Vec3::new(-7.0, 3.0, 20.0), Quat::from_xyzw(0.5, 0.1, -0.2, 0.8));
        let frame = frame.unwrap();
        let (seen, grown) =
            (box_seen_from(&frame, &pose, &own, 0.0), box_seen_from(&frame, &pose, &own, 0.25));
        let twice = seen_from(&frame, &bounds);
        let size = |bounds: &Aabb| (bounds.max() - bounds.min()).max_element();
        assert!(size(&seen) < size(&twice) && size(&seen) < 3.47, "{seen:?} {twice:?}");
        assert!((size(&grown) - size(&seen) - 0.5).abs() < 1e-4, "{grown:?}");
        for corner in own.corners() {
            let point = frame.inverse().transform_point(pose.transform_point(corner));
            assert!(seen.inflate(1e-4).overlaps(&Aabb::from_point(point).unwrap()), "{corner}");
        }
        let ball = ball_seen_from(&frame, &pose, 1.5, 0.5);
        let middle = frame.inverse().transform_point(pose.position());
        assert!((ball.center() - middle).length() < 1e-4, "{ball:?}");
        assert!(size(&ball) >= 4.0 && size(&ball) < 4.001, "{ball:?}");
    }

    #[test]
    fn boxes_lie_no_lower_above_a_half_space_than_told() {
        let half_space = HalfSpace::new(Vec3::Y, 2.0).unwrap();
        let turn = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
        let pose = Pose::new(Vec3::new(5.0, 1.0, 0.0), turn).unwrap();
        // Turned over: all above -1 is inside.
        let ground = Ground::new(&half_space, &pose, &Pose::IDENTITY);
        let below = cube(Vec3::new(0.0, -4.0, 0.0));
        assert!(ground.height(&below) <= 2.0 && ground.height(&below) > 1.999);
        let deep = ground.height(&cube(Vec3::Y));
        assert!(deep <= -3.0 && deep > -3.001);
        let part = ground.first_touch(DVec3::Y * 4.0, &below);
        assert!(part <= 0.5 && part > 0.499);
        assert!(ground.first_touch(DVec3::NEG_Y, &below) > 1.0);
        assert!(ground.first_touch(DVec3::Y, &below) > 1.0);
    }
}
