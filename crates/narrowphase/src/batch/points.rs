//! Points beside placed shapes.

use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Pose, Shape, Sphere};

use super::sort::{Lane, RUN};
use super::{PairRef, closest};
use crate::{Projection, project_point};

/// A point, and a placed shape of any kind.
///
/// ```
/// use impinge_narrowphase::batch::{self, PointRef};
/// use impinge_shapes::{Pose, Shape, glam::Vec3, simd::simd_level};
///
/// // How far grid points lie from a cube.
/// let (cube, pose) = (Shape::cuboid(Vec3::ONE)?, Pose::IDENTITY);
/// let grid = (-3..=3_i8).map(|x| Vec3::X * f32::from(x));
/// let points: Vec<PointRef<'_>> =
///     grid.map(|point| PointRef { point, shape: &cube, pose: &pose }).collect();
/// let mut found = Vec::new();
/// batch::project_points(&points, f32::INFINITY, simd_level(), &mut found);
/// let distances: Vec<f32> = found.iter().flatten().map(|found| found.distance).collect();
/// assert_eq!(distances, [2.0, 1.0, 0.0, -1.0, 0.0, 1.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PointRef<'a> {
    /// In the world.
    pub point: Vec3,
    /// The shape.
    pub shape: &'a Shape,
    /// Where it is.
    pub pose: &'a Pose,
}

/// [`project_point`] of every point, in their order; `out` is replaced.
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
    out.resize(points.len(), None);
    let Ok(tip) = Sphere::new(0.0).map(Shape::from) else { return };
    let (mut places, mut poses, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for (run, out) in points.chunks(RUN).zip(out.chunks_mut(RUN)) {
        places.clear();
        poses.clear();
        for (place, &PointRef { point, shape, pose }) in run.iter().enumerate() {
            let at = Pose::from_position(point).ok();
            let in_lanes = |pose_b: &Pose| {
                Lane::of(&PairRef { a: shape, pose_a: pose, b: &tip, pose_b }) != Lane::None
            };
            if let Some(at) = at.filter(in_lanes) {
                places.push(place);
                poses.push(at);
            } else {
                out[place] = project_point(shape, pose, point, max_distance);
            }
        }
        let pair = |(&place, pose_b)| {
            let PointRef { shape: a, pose: pose_a, .. } = run[place];
            PairRef { a, pose_a, b: &tip, pose_b }
        };
        let pairs: Vec<PairRef<'_>> = places.iter().zip(&poses).map(pair).collect();
        closest(&pairs, max_distance, level, &mut found);
        for (&place, found) in places.iter().zip(&found) {
            out[place] = found.map(Projection::on_a);
        }
    }
}
