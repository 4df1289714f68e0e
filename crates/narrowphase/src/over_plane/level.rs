//! Shapes over a floor: a boundary across an axis of the world which both frames have.
//!
//! Heights are then sums of given numbers, which f64 mostly has without any rounding, also where
//! they are zero, as for all that rests. [`crate::level`] knows frames turned by quarters, too.

use super::Facing;
use crate::level::{Gap, is_zero};
use crate::real::{Mask, Real, Real3, Turn, known_sum};

/// Shapes over half-spaces that may be floors.
pub(super) struct Level<R: Real> {
    /// Where it is a floor; the rest is of no meaning elsewhere.
    pub(super) known: R::Mask,
    /// Unit, out of the half-space, in the world.
    pub(super) outward: Real3<R>,
    /// The same in the solid's frame.
    pub(super) up: Real3<R>,
    /// Height of the solid's origin over the boundary.
    pub(super) height: R,
}

/// Whether no more than one component is other than zero.
#[inline(always)]
pub(super) fn is_axis<R: Real>(v: Real3<R>) -> R::Mask {
    Across::of(v).is_axis()
}

/// Where the components of a vector are zero.
#[derive(Clone, Copy)]
struct Across<M> {
    x: M,
    y: M,
    z: M,
}

impl<M: Mask> Across<M> {
    #[inline(always)]
    fn of<R: Real<Mask = M>>(v: Real3<R>) -> Self {
        Self { x: is_zero(v.x), y: is_zero(v.y), z: is_zero(v.z) }
    }

    #[inline(always)]
    fn is_axis(self) -> M {
        (self.x & self.y) | (self.y & self.z) | (self.z & self.x)
    }

    /// The component along the axis.
    #[inline(always)]
    fn along<R: Real<Mask = M>>(self, v: Real3<R>) -> R {
        R::pick(self.x, R::pick(self.y, v.z, v.y), v.x)
    }

    /// Along the axis by as much.
    #[inline(always)]
    fn axis<R: Real<Mask = M>>(self, long: R) -> Real3<R> {
        let zero = long.all(0.0);
        Real3 {
            x: R::pick(self.x, zero, long),
            y: R::pick(self.y, zero, long),
            z: R::pick(self.z, zero, long),
        }
    }

    /// What a rotation makes of the axis, times the squared length of its quaternion: 1 or -1 for
    /// the way along the same axis, and whether it lies along that.
    ///
    /// - Derivation: the other two entries of that column, or row, are sums of two products of f32
    ///   numbers, which are zero in f64 only where they are zero.
    #[inline(always)]
    fn snap<R: Real<Mask = M>>(self, image: Real3<R>) -> (R, M) {
        let one = image.x.all(1.0);
        let turned = Self::of(image);
        let leaks = (self.x & !turned.x) | (self.y & !turned.y) | (self.z & !turned.z);
        let way = R::pick(self.along(image).below(image.x.all(0.0)), -one, one);
        (way, !leaks)
    }
}

impl<R: Real> Level<R> {
    /// `turned`: whether the solid shows how it is turned.
    #[inline(always)]
    pub(super) fn new(
        position: Real3<R>,
        rotation: [R; 4],
        facing: &Facing<'_, R>,
        turned: bool,
    ) -> Self {
        let half_space = facing.half_space;
        let (stored, offset) = (half_space.vector(0), half_space.numbers[3]);
        // No more than one component, and of length 1.
        let across = Across::of(stored);
        let mut known = across.is_axis();
        // For a ball alone: what is turned is slower with this branch, docs/tried.md.
        if !turned && !known.any() {
            return Self { known, outward: stored, up: stored, height: offset };
        }
        let is_unit = across.along(stored).abs().equals(offset.all(1.0));
        known = known & is_unit;
        let (way, is_along) =
            if facing.still { (across.along(stored), known) } else { across.snap(facing.normal) };
        known = known & is_along;
        let outward = across.axis(way);
        let mut up = outward;
        if turned {
            let (axes, _) = Turn::scaled(rotation);
            let (way, is_along) = across.snap(axes.undo(outward));
            (up, known) = (across.axis(way), known & is_along);
        }
        let there = half_space.position;
        let (away, is_exact) = known_sum(across.along(position), -across.along(there));
        let gap = Gap { known: known & is_exact, height: way * away }.less(offset);
        Self { known: gap.known, outward, up, height: gap.height }
    }

    /// Of a shape of this radius around a core that reaches this far down along the axis.
    #[inline(always)]
    pub(super) fn gap(&self, depth: R, radius: R) -> Gap<R> {
        Gap { known: self.known, height: self.height }.less(depth).less(radius)
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::Core;
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::{Cuboid, HalfSpace, Pose};

    use super::super::Deep;
    use super::*;
    use crate::convex::draw::Draw;
    use crate::level::Floor;
    use crate::real::{Numbers, Placed, quaternion};

    /// What is known side by side is what one by one is known, and that knows more.
    #[test]
    fn heights_are_those_of_floors() {
        let (mut known, mut turned_by_quarters, mut open) = (0, 0, 0);
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            let mut steps = |most: f32| (draw.next() * most).round() * 0.25;
            let mut point = |most: f32| Vec3::new(steps(most), steps(most), steps(most));
            let (half, place, there, signs) =
                (point(4.0).abs(), point(6.0), point(6.0), point(1.0));
            let offset = steps(4.0);
            let axis = usize::try_from(draw.below(3)).unwrap();
            let normal = Vec3::AXES[axis] * if signs.x < 0.0 { -1.0 } else { 1.0 };
            let tilted = normal + draw.vector() * 1e-3;
            let normal = if draw.below(8) == 0 { tilted } else { normal };
            let plane = HalfSpace::new(normal, offset).unwrap();
            let mut turn = || {
                let around = (Vec3::AXES[axis] * draw.next(), draw.next()).into();
                let quarters = (draw.vector().round(), 1.0).into();
                let anyhow = (draw.vector(), draw.next()).into();
                let all = [Quat::IDENTITY.into(), around, around, quarters, anyhow];
                Quat::from_vec4(all[usize::try_from(draw.below(5)).unwrap()])
            };
            let (Ok(pose), Ok(plane_at)) = (Pose::new(place, turn()), Pose::new(there, turn()))
            else {
                continue;
            };
            let solid = Cuboid::new(half).unwrap();
            let below = Placed::of(&plane, &plane_at);
            let facing = Facing::of(&below);
            let level = Level::new(place.into(), quaternion(&pose), &facing, true);
            let gap = level.gap(Cuboid::deepest(level.up, &solid.wide()).depth, 0.0);
            let floor = Floor::new(&plane, &plane_at, &pose);
            let expected =
                floor.and_then(|floor| floor.gap(&pose, &Core::Cuboid(half), Vec3::ZERO, [0.0; 2]));
            if gap.known {
                assert_eq!(expected, Some(gap.height), "seed {seed}");
                known += 1;
            } else if expected.is_some() {
                turned_by_quarters += 1;
            } else {
                open += 1;
            }
        }
        let seen = [known, turned_by_quarters, open];
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    }
}
