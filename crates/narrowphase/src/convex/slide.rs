//! Paths of a solid along what it rests on, or away from it: what lies below is nowhere entered.

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, Pose};
use smallvec::SmallVec;

use super::footing::Placed;
use super::is_polytope;
use crate::level::{Own, may_have_own, sum};

/// A plane across an axis of the world and of a frame, on whose far side all of a path lies.
#[derive(Clone, Copy, Debug)]
struct Boundary {
    own: Own,
    /// 1 where the path lies along the world's axis, seen from the plane, else -1.
    way: f64,
    /// Where it is, from the frame's origin along `way`.
    height: f64,
}

/// The path of a solid as seen by a frame, by sums without rounding.
#[derive(Debug)]
pub(crate) struct Slide {
    boundaries: SmallVec<[Boundary; 3]>,
    /// Whether what lies below the plane, and does not touch it, is certainly not met either.
    is_exact: bool,
}

impl Slide {
    /// Of a solid that moves by `motion` along the world's axes.
    pub(crate) fn new(frame: &Pose, (solid, pose): Placed<'_>, motion: Vec3) -> Self {
        let mut boundaries = SmallVec::new();
        if may_have_own(frame) && may_have_own(pose) {
            for axis in 0..3 {
                let (Some(own), Some(of_solid)) = (Own::of(frame, axis), Own::of(pose, axis))
                else {
                    continue;
                };
                for way in [1.0, -1.0] {
                    if way * f64::from(motion[axis]) < 0.0 {
                        continue;
                    }
                    let [from, to] = [frame, pose].map(|at| way * f64::from(at.position()[axis]));
                    let [one, other] = solid.radii.map(f64::from);
                    let reach = of_solid.reach(&solid.core, -way);
                    if let Some(height) = sum([to, -from, -reach, -one, -other]) {
                        boundaries.push(Boundary { own, way, height });
                    }
                }
            }
        }
        Self { boundaries, is_exact: is_polytope(&solid.core) }
    }

    /// Whether nothing within these bounds, in the frame, is entered.
    pub(crate) fn passes(&self, bounds: &Aabb) -> bool {
        self.boundaries.iter().any(|&Boundary { own, way, height }| {
            let end = if way * own.sign > 0.0 { bounds.max() } else { bounds.min() };
            let reach = way * own.along(end);
            reach <= height && (self.is_exact || reach >= height)
        })
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Shape;
    use impinge_shapes::glam::Quat;

    use super::*;
    use crate::convex::draw::Draw;
    use crate::{Relation, relation};

    /// Boxes of few digits in frames with axes of the world: those that are passed are not entered,
    /// and many of the others are.
    #[test]
    fn what_is_passed_is_not_entered() {
        let (mut passed, mut entered) = (0, 0);
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            let mut steps = |most: f32| (draw.next() * most).round() * 0.25;
            let mut point = |most: f32| Vec3::new(steps(most), steps(most), steps(most));
            let (half, size, motion) = (point(4.0).abs(), point(4.0).abs(), point(3.0));
            let (place, middle) = (point(8.0), point(4.0));
            let turn = Quat::from_xyzw(0.0, draw.next(), 0.0, 1.0);
            let quarters = Quat::from_vec4((draw.vector().round(), 1.0).into());
            let turns = [Quat::IDENTITY, turn, quarters];
            let mut any = || turns[usize::try_from(draw.below(3)).unwrap()];
            let (one, other) = (any(), any());
            let frame = Pose::new(point_of(&mut draw), one).unwrap();
            let pose = Pose::new(place, other).unwrap();
            let mover = Shape::rounded(Shape::cuboid(half).unwrap(), 0.25).unwrap();
            let slide = Slide::new(&frame, (&mover.solid().unwrap(), &pose), motion);
            let bounds = Aabb::new(middle - size, middle + size).unwrap();
            let corners: Vec<Vec3> = (0..8)
                .map(|k| {
                    let side = |bit: i32| if k & bit == 0 { -1.0 } else { 1.0 };
                    middle + size * Vec3::new(side(1), side(2), side(4))
                })
                .collect();
            let target = Shape::convex_hull(&corners).unwrap();
            let enters = |quarter: u8| {
                // Without rounding.
                let there = place + motion * (f32::from(quarter) * 0.25);
                let there = Pose::new(there, pose.rotation()).unwrap();
                relation(&mover, &there, &target, &frame) == Relation::Penetrating
            };
            let enters = (0..=4).any(enters);
            if slide.passes(&bounds) {
                assert!(!enters, "seed {seed}");
                passed += 1;
            }
            entered += u32::from(enters);
        }
        assert!(passed > 2_000 && entered > 2_000, "{passed} {entered}");
    }

    fn point_of(draw: &mut Draw) -> Vec3 {
        (draw.vector() * 8.0).round() * 0.25
    }
}
