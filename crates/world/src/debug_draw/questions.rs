//! Rays and sweeps as lines.

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Ray, Shape};

use super::{DebugDraw, DrawOptions, draw_shape, reached};
use crate::{RayHit, SweepHit};

/// Draws a ray up to where it hit, or to its end, and the hit with its normal.
///
/// - Units: a maximum distance that is infinite, NaN or negative counts as
///   [`DrawOptions::extent`].
///
/// ```
/// use impinge_shapes::{Ray, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, Color, DebugDraw, DrawOptions, Filter, World, draw_ray};
///
/// #[derive(Default)]
/// struct Lines(Vec<(Vec3, Vec3)>);
/// impl DebugDraw for Lines {
///     fn line(&mut self, a: Vec3, b: Vec3, _: Color) {
///         self.0.push((a, b));
///     }
/// }
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let ray = Ray::new(vec3(0.0, 4.0, 0.0), Vec3::NEG_Y)?;
/// let hit = world.queries().raycast(&ray, 9.0, &Filter::default());
/// let mut lines = Lines::default();
/// draw_ray(&mut lines, &ray, 9.0, hit.as_ref(), &DrawOptions::default());
/// assert_eq!(lines.0[0], (vec3(0.0, 4.0, 0.0), Vec3::ZERO)); // no farther than the floor
/// assert!(lines.0.len() > 1); // a mark and a normal where it hits
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, Color, DebugDraw, DrawOptions, Filter, World, draw_sweep};
///
/// #[derive(Default)]
/// struct Lines(Vec<(Vec3, Vec3)>);
/// impl DebugDraw for Lines {
///     fn line(&mut self, a: Vec3, b: Vec3, _: Color) {
///         self.0.push((a, b));
///     }
/// }
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(Vec3::X * 5.0))?;
/// let (mover, way) = (Shape::cuboid(Vec3::ONE)?, Vec3::X * 6.0);
/// let hit = world.queries().sweep(&mover, &Pose::IDENTITY, way, &Filter::default());
/// let mut lines = Lines::default();
/// draw_sweep(&mut lines, &mover, &Pose::IDENTITY, way, hit.as_ref(), &DrawOptions::default());
/// // The box at the start and at the end, twelve edges each, and the way between them.
/// assert!(lines.0.len() > 24 && lines.0.contains(&(Vec3::ZERO, Vec3::X * 3.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
