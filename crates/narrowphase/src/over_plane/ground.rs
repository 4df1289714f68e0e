//! One shape over a half-space that is not turned and lies across an axis of the world, as a floor
//! does: by few numbers, with the answers of any half-space, to the bit.

use impinge_shapes::glam::Quat;
use impinge_shapes::{HalfSpace, Pose};

use super::{Level, Shows};
use crate::level::{Gap, is_zero};
use crate::real::{Real3, Turn, known_sum, quaternion};
use crate::tolerance;
use crate::witness::Sides;

/// Such a half-space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ground {
    axis: Axis,
    /// 1 or -1, out of the half-space.
    way: f64,
    /// The half-space's origin.
    origin: Real3<f64>,
    offset: f64,
}

#[derive(Clone, Copy, Debug)]
enum Axis {
    X,
    Y,
    Z,
}

impl Ground {
    /// `None` of any other half-space.
    #[inline(always)]
    pub(crate) fn of(half_space: &HalfSpace, at: &Pose) -> Option<Self> {
        const ONE: u32 = 1.0_f32.to_bits() << 1;
        let normal = half_space.normal();
        // Without the signs.
        let bits = [normal.x.to_bits() << 1, normal.y.to_bits() << 1, normal.z.to_bits() << 1];
        let (axis, way) = match bits {
            [0, ONE, 0] => (Axis::Y, normal.y),
            [0, 0, ONE] => (Axis::Z, normal.z),
            [ONE, 0, 0] => (Axis::X, normal.x),
            _ => return None,
        };
        if at.rotation() != Quat::IDENTITY {
            return None;
        }
        let (origin, offset) = (at.position().into(), half_space.offset().into());
        Some(Self { axis, way: way.into(), origin, offset })
    }

    #[inline(always)]
    fn along(&self, v: Real3<f64>) -> f64 {
        match self.axis {
            Axis::X => v.x,
            Axis::Y => v.y,
            Axis::Z => v.z,
        }
    }

    /// Along the axis by as much.
    #[inline(always)]
    fn by(&self, long: f64) -> Real3<f64> {
        match self.axis {
            Axis::X => Real3::new(long, 0.0, 0.0),
            Axis::Y => Real3::new(0.0, long, 0.0),
            Axis::Z => Real3::new(0.0, 0.0, long),
        }
    }

    /// Out of the half-space, in the world.
    #[inline(always)]
    pub(crate) fn outward(&self) -> Real3<f64> {
        self.by(self.way)
    }

    /// Height over the boundary of a point so far away from the half-space's origin.
    #[inline(always)]
    pub(crate) fn height(&self, away: Real3<f64>) -> f64 {
        self.way * self.along(away) - self.offset
    }

    /// Out of the half-space in the frame of a pose, times the squared length of its quaternion, and
    /// that.
    ///
    /// A way for each axis, so that no more than a row of the rotation is made.
    #[inline(always)]
    pub(crate) fn up(&self, rotation: [f64; 4]) -> (Real3<f64>, f64) {
        let (row, norm) = match self.axis {
            Axis::X => {
                let (Turn { columns: [a, b, c] }, norm) = Turn::scaled(rotation);
                (Real3::new(a.x, b.x, c.x), norm)
            }
            Axis::Y => {
                let (Turn { columns: [a, b, c] }, norm) = Turn::scaled(rotation);
                (Real3::new(a.y, b.y, c.y), norm)
            }
            Axis::Z => {
                let (Turn { columns: [a, b, c] }, norm) = Turn::scaled(rotation);
                (Real3::new(a.z, b.z, c.z), norm)
            }
        };
        (row * self.way, norm)
    }

    /// The same for a shape, which may not show how it is turned.
    #[inline(always)]
    fn up_of<T: Shows>(&self, shape: &T, pose: &Pose) -> (Real3<f64>, f64) {
        if shape.is_turned() { self.up(quaternion(pose)) } else { (self.outward(), 1.0) }
    }

    /// As [`Level`] of any half-space, and the gap, where it is known.
    #[inline(always)]
    pub(super) fn level<T: Shows>(&self, shape: &T, pose: &Pose) -> Option<(Level<f64>, Gap<f64>)> {
        self.level_along(shape, pose, self.up_of(shape, pose).0)
    }

    /// The distance of a shape that stands level, without rounding, where that is known.
    #[inline(always)]
    pub(crate) fn gap<T: Shows>(&self, shape: &T, pose: &Pose) -> Option<f64> {
        self.level(shape, pose).map(|(_, gap)| gap.height)
    }

    /// `up`: as [`Ground::up_of`] gives it.
    #[inline(always)]
    fn level_along<T: Shows>(
        &self,
        shape: &T,
        pose: &Pose,
        up: Real3<f64>,
    ) -> Option<(Level<f64>, Gap<f64>)> {
        let (one, other) = match self.axis {
            Axis::X => (up.y, up.z),
            Axis::Y => (up.x, up.z),
            Axis::Z => (up.x, up.y),
        };
        if !(is_zero(one) && is_zero(other)) {
            return None;
        }
        let up = self.by(if self.along(up) < 0.0 { -1.0 } else { 1.0 });
        let here = self.along(pose.position().into());
        let (away, known) = known_sum(here, -self.along(self.origin));
        let Gap { known, height } = Gap { known, height: self.way * away }.less(self.offset);
        let level = Level { known, outward: self.outward(), up, height };
        let gap = level.gap(shape.level_depth(up), shape.radius());
        if gap.known && shape.has_exact_radius() { Some((level, gap)) } else { None }
    }

    /// The distance, as of any half-space; `None` if rounding might hide its sign.
    #[inline(always)]
    pub(super) fn distance<T: Shows>(&self, shape: &T, pose: &Pose) -> Option<f64> {
        let (up, norm) = self.up_of(shape, pose);
        if shape.is_searched()
            && let Some((_, gap)) = self.level_along(shape, pose, up)
        {
            return Some(gap.height);
        }
        let away = Real3::from(pose.position()) - self.origin;
        let (reach, radius) = (shape.reach(), shape.radius());
        let depth = shape.deepest(up * (1.0 / norm)).depth;
        let distance = self.height(away) - (depth + radius);
        let size = away.sum_abs() + self.offset.abs();
        let noise = (size + ((reach.x + reach.y) + (reach.z + radius))) * (2.0 * tolerance::FRAME);
        if distance.abs() > noise {
            return Some(distance);
        }
        self.level_along(shape, pose, up).map(|(_, gap)| gap.height)
    }

    /// On which side of touch a shape is: as [`sides`](super::sides) tells it, or where that does not.
    #[inline(always)]
    pub(super) fn sides<T: Shows>(&self, shape: &T, pose: &Pose) -> Sides<bool> {
        let (up, norm) = self.up_of(shape, pose);
        if let Some((_, gap)) = self.level_along(shape, pose, up) {
            return gap.sides();
        }
        let away = Real3::from(pose.position()) - self.origin;
        let (depth, reach, radius) = (shape.deepest(up).depth, shape.reach(), shape.radius());
        // No other coordinate comes in.
        let size = self.along(away).abs() + self.offset.abs();
        let size = size + ((reach.x + reach.y) + (reach.z + radius));
        let excess = self.height(away) * norm - (depth + radius * norm);
        let noise = (size * norm) * (2.0 * tolerance::FRAME);
        Sides::new(excess.abs() > noise, excess < 0.0)
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::Solid;
    use impinge_shapes::glam::Vec3;
    use impinge_shapes::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Sphere};

    use super::super::{Seen, level_of_any};
    use super::*;
    use crate::Relation;
    use crate::convex::draw::Draw;
    use crate::dispatch::Pair;

    /// How often each was the case.
    #[derive(Debug, Default)]
    struct Counts {
        level: usize,
        tilted: usize,
        told: [usize; 3],
        asked: usize,
    }

    fn bits((level, gap): (Level<f64>, Gap<f64>)) -> [u64; 8] {
        let (out, up) = (level.outward, level.up);
        [out.x, out.y, out.z, up.x, up.y, up.z, level.height, gap.height].map(f64::to_bits)
    }

    impl Counts {
        fn check<'a, T: Shows>(
            &mut self,
            seed: u64,
            (shape, pose): (&'a T, &Pose),
            (half_space, plane_at): (&HalfSpace, &Pose),
        ) where
            &'a T: Into<Solid<'a>>,
        {
            let ground = Ground::of(half_space, plane_at).expect("its normal is an axis");
            let level = level_of_any(shape, pose, half_space, plane_at);
            let standing = level.as_ref().map(|(_, gap)| gap.height);
            *(if level.is_some() { &mut self.level } else { &mut self.tilted }) += 1;
            assert_eq!(ground.level(shape, pose).map(bits), level.map(bits), "seed {seed}");

            let seen = Seen::new(shape, pose, half_space, plane_at);
            let measured = seen.over.distance(&shape.deepest(seen.over.lie.up), shape.radius());
            let is_clear = measured.abs() > seen.noise();
            let measured = if is_clear { Some(measured) } else { None };
            let expected =
                if shape.is_searched() { standing.or(measured) } else { measured.or(standing) };
            let found = ground.distance(shape, pose);
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "seed {seed}");

            let pair = Pair::ConvexHalfSpace(shape.into(), half_space);
            let expected = pair.relation(&pair.frame(pose, plane_at, false));
            match ground.sides(shape, pose).told() {
                Some(found) => {
                    assert_eq!(found, expected, "seed {seed}");
                    self.told[found as usize] += 1;
                }
                None => self.asked += 1,
            }
        }
    }

    #[test]
    fn ground_is_answered_as_any_half_space() {
        let mut counts: [Counts; 6] = Default::default();
        for seed in 0..8_000 {
            let mut draw = Draw(seed);
            let axis = usize::try_from(draw.below(3)).unwrap();
            let way = if draw.below(2) == 0 { 1.0 } else { -1.0 };
            let mut steps = |most: f32| (draw.next() * most).round() * 0.25;
            let half_space = HalfSpace::new(Vec3::AXES[axis] * way, steps(4.0)).unwrap();
            let there = Vec3::new(steps(9.0), steps(9.0), steps(9.0));
            let plane_at = Pose::from_position(there).unwrap();
            let (half, radius) = (steps(3.0).abs() + 0.25, steps(3.0).abs());
            let around = (Vec3::AXES[axis] * draw.next(), draw.next()).into();
            let upside_down = (Vec3::AXES[(axis + 1) % 3], 0.0).into();
            let quarter = (Vec3::AXES[(axis + 1) % 3], 1.0).into();
            let anyhow = (draw.vector(), draw.next()).into();
            let all = [Quat::IDENTITY.into(), around, upside_down, quarter, anyhow];
            let turn = Quat::from_vec4(all[usize::try_from(draw.below(5)).unwrap()]);
            // At the boundary, next to it, or anywhere near.
            let rise = [half, half + radius, half - draw.next() * 1e-7, draw.next() * 2.0];
            let height = half_space.offset() + rise[usize::try_from(draw.below(4)).unwrap()];
            let mut place = draw.vector() * 8.0;
            place[axis] = there[axis] + way * height;
            let Ok(pose) = Pose::new(place, turn) else { continue };
            let (at, floor) = (&pose, (&half_space, &plane_at));
            let [cuboids, capsules, cylinders, cones, balls, hulls] = &mut counts;
            let block = Cuboid::new(Vec3::new(radius, half, half)).unwrap();
            cuboids.check(seed, (&block, at), floor);
            capsules.check(seed, (&Capsule::along_y(half, radius).unwrap(), at), floor);
            cylinders.check(seed, (&Cylinder::new(half, radius).unwrap(), at), floor);
            cones.check(seed, (&Cone::new(half, radius).unwrap(), at), floor);
            balls.check(seed, (&Sphere::new(half).unwrap(), at), floor);
            let corners: Vec<Vec3> =
                (0..6).map(|k| Vec3::AXES[k / 2] * if k % 2 == 0 { half } else { -half }).collect();
            hulls.check(seed, (&ConvexHull::new(&corners).unwrap(), at), floor);
        }
        println!("{counts:?}");
        for Counts { level, tilted, told, asked } in &counts[..] {
            let always = *tilted == 0;
            assert!(*level > 1_000 && (*asked > 0 || always), "{counts:?}");
            assert!(told.iter().all(|&count| count > 300), "{counts:?}");
        }
    }

    #[test]
    fn what_is_turned_or_leans_is_no_ground() {
        let floor = HalfSpace::new(Vec3::Y, 1.0).unwrap();
        let half_turn = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);
        let long = Quat::from_xyzw(0.0, 0.0, 0.0, 2.0);
        for turn in [half_turn, long] {
            assert!(Ground::of(&floor, &Pose::new(Vec3::ZERO, turn).unwrap()).is_none());
        }
        let leaning = HalfSpace::new(Vec3::new(1e-6, 1.0, 0.0), 1.0).unwrap();
        assert!(Ground::of(&leaning, &Pose::IDENTITY).is_none());
        assert!(Ground::of(&floor, &Pose::IDENTITY).is_some());
        let apart = Pose::from_position(Vec3::Y * 3.0).unwrap();
        let ball = Sphere::new(1.0).unwrap();
        let ground = Ground::of(&floor, &Pose::IDENTITY).unwrap();
        assert_eq!(ground.sides(&ball, &apart).told(), Some(Relation::Apart));
    }
}
