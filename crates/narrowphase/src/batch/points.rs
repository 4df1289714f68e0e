//! Points beside placed shapes.

use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Pose, Shape, Sphere};

use super::{PairRef, closest};
use crate::Projection;

/// Points that are asked about at a time, so that what stands between stays in the nearest cache.
const RUN: usize = 256;

/// A point, and a placed shape of any kind.
#[derive(Clone, Copy, Debug)]
pub struct PointRef<'a> {
    /// In the world.
    pub point: Vec3,
    /// The shape.
    pub shape: &'a Shape,
    /// Where it is.
    pub pose: &'a Pose,
}

/// [`project_point`](crate::project_point) of every point, in their order; `out` is replaced.
///
/// - Ties: the level changes no answer.
///
/// ```
/// use impinge_narrowphase::batch::{self, PointRef};
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// let (ball, cube) = (Shape::sphere(1.0)?, Shape::cuboid(Vec3::ONE)?);
/// let pose = &Pose::IDENTITY;
/// let points = [
///     PointRef { point: Vec3::X * 3.0, shape: &ball, pose },
///     PointRef { point: Vec3::X * 0.5, shape: &cube, pose },
///     PointRef { point: Vec3::NAN, shape: &cube, pose },
/// ];
/// let mut found = Vec::new();
/// batch::project_points(&points, 9.0, simd_level(), &mut found);
/// let distances = found.iter().map(|found| found.map(|found| found.distance));
/// assert!(distances.eq([Some(2.0), Some(-0.5), None]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn project_points(
    points: &[PointRef<'_>],
    max_distance: f32,
    level: SimdLevel,
    out: &mut Vec<Option<Projection>>,
) {
    out.clear();
    let Ok(tip) = Sphere::new(0.0).map(Shape::from) else { return };
    let (mut poses, mut found) = (Vec::new(), Vec::new());
    for run in points.chunks(RUN) {
        poses.clear();
        poses.extend(run.iter().map(|asked| Pose::from_position(asked.point).ok()));
        let pairs: Vec<PairRef<'_>> = (run.iter().zip(&poses))
            .map(|(&PointRef { shape: a, pose: pose_a, .. }, at)| {
                let pose_b = at.as_ref().unwrap_or(&Pose::IDENTITY);
                PairRef { a, pose_a, b: &tip, pose_b }
            })
            .collect();
        closest(&pairs, max_distance, level, &mut found);
        let answers = found.iter().zip(&poses);
        out.extend(answers.map(|(found, at)| found.filter(|_| at.is_some()).map(Projection::on_a)));
    }
}
