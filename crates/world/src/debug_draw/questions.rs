//! Rays and sweeps as lines.

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Ray, Shape};

use super::{DebugDraw, DrawOptions, draw_shape, reached};
use crate::{RayHit, SweepHit};

/// Draws a ray up to where it hit, or to its end, and the hit with its normal.
///
/// - Units: a maximum distance that is infinite, NaN or negative counts as
///   [`DrawOptions::extent`].
pub fn draw_ray<D: DebugDraw + ?Sized>(
    draw: &mut D,
    ray: &Ray,
    max_distance: f32,
    hit: Option<&RayHit>,
    options: &DrawOptions,
) {
    let colors = &options.colors;
    let Some(hit) = hit else {
        let is_length = max_distance.is_finite() && max_distance >= 0.0;
        let length = if is_length { max_distance } else { options.extent };
        draw.line(ray.origin(), reached(ray.origin(), ray.direction(), length), colors.ray);
        return;
    };
    draw.line(ray.origin(), hit.point, colors.ray);
    options.draw_point(draw, hit.point, hit.normal, colors.hit);
}

/// Draws a moving shape where it starts and where it hits, or ends, the way between, and the hit
/// with its normal.
///
/// - Degenerate: of a displacement that is not finite only the start is drawn.
pub fn draw_sweep<D: DebugDraw + ?Sized>(
    draw: &mut D,
    shape: &Shape,
    pose: &Pose,
    displacement: Vec3,
    hit: Option<&SweepHit>,
    options: &DrawOptions,
) {
    let colors = &options.colors;
    draw_shape(draw, shape, pose, options.extent, colors.ray);
    let fraction = hit.map_or(1.0, |hit| hit.fraction);
    let end = reached(pose.position(), displacement, fraction);
    let Ok(at_end) = Pose::new(end, pose.rotation()) else { return };
    draw.line(pose.position(), end, colors.ray);
    draw_shape(draw, shape, &at_end, options.extent, colors.hit);
    if let Some(hit) = hit {
        options.draw_point(draw, hit.point, hit.normal, colors.hit);
    }
}
