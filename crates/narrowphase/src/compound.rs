//! A compound beside a simple shape: its parts one by one, the nearest first.
//!
//! The answers are those of [`crate::parts`], which takes any two shapes apart. Here a bound of each
//! part's distance, from a ball around the other shape, says which parts are looked at and placed.

use impinge_shapes::glam::DVec3;
use impinge_shapes::{PartsByBound, PlacedCompound, Pose, Shape};
use smallvec::SmallVec;

use crate::queries::{
    closest, distance_within, is_closer, is_deeper, manifold, manifolds, overlaps, relation,
};
use crate::{Closest, Manifold, Relation};

/// A compound and a simple shape of finite extent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside<'a> {
    compound: PlacedCompound<'a>,
    other: &'a Shape,
    pose: &'a Pose,
    /// Whether the compound is B.
    flipped: bool,
    /// A ball around the other shape is as large as this, around its position.
    reach: f64,
}

impl<'a> Beside<'a> {
    /// `None` for other shapes.
    ///
    /// Made where it stays: it is large.
    #[inline(always)]
    pub(crate) fn of(
        a: &'a Shape,
        pose_a: &'a Pose,
        b: &'a Shape,
        pose_b: &'a Pose,
    ) -> Option<Self> {
        let (compound, at, other, pose, flipped) = match (a, b) {
            (Shape::Compound(a), b) => (a, pose_a, b, pose_b, false),
            (a, Shape::Compound(b)) => (b, pose_b, a, pose_a, true),
            _ => return None,
        };
        let reach = match other {
            Shape::Sphere(ball) => ball.radius().into(),
            _ => {
                let solid = other.solid()?;
                solid.core.reach().length() + solid.radius()
            }
        };
        Some(Self { compound: compound.at(at), other, pose, flipped, reach })
    }

    /// The parts with a lower bound of their distance.
    #[inline(always)]
    fn parts(&self) -> PartsByBound {
        let center: DVec3 = self.pose.translation();
        self.compound.nearest_to(center, self.reach)
    }

    /// Both shapes of a part and the other shape in the caller's order, and the part's first number.
    #[inline(always)]
    fn ask<T>(
        &mut self,
        index: usize,
        ask: impl FnOnce(&Shape, &Pose, &Shape, &Pose) -> T,
    ) -> Option<(u32, T)> {
        let (first, at, part) = self.compound.part(index)?;
        let answer = if self.flipped {
            ask(self.other, self.pose, part, &at)
        } else {
            ask(part, &at, self.other, self.pose)
        };
        Some((first, answer))
    }

    /// The numbers of both parts, where that of the compound is among those of all of them.
    #[inline(always)]
    fn number(&self, first: u32, part_a: &mut u32, part_b: &mut u32) {
        let part = if self.flipped { part_b } else { part_a };
        *part = part.saturating_add(first);
    }

    pub(crate) fn overlaps(&mut self) -> bool {
        let mut parts = self.parts();
        while let Some((_, index)) = parts.next_within(0.0) {
            if let Some((_, true)) = self.ask(index, overlaps) {
                return true;
            }
        }
        false
    }

    pub(crate) fn relation(&mut self) -> Relation {
        let mut found = Relation::Apart;
        let mut parts = self.parts();
        while let Some((_, index)) = parts.next_within(0.0) {
            match self.ask(index, relation) {
                Some((_, Relation::Penetrating)) => return Relation::Penetrating,
                Some((_, Relation::Touching)) => found = Relation::Touching,
                _ => {}
            }
        }
        found
    }

    /// Up to `reach`, and what rounds to the same.
    pub(crate) fn closest(&mut self, reach: f64) -> Option<Closest> {
        let (mut best, mut parts): (Option<Closest>, _) = (None, self.parts());
        let mut limit = reach;
        while let Some((_, index)) = parts.next_within(limit) {
            let most = best.map_or(f32::INFINITY, |best| best.distance);
            let asked = self.ask(index, |a, pose_a, b, pose_b| closest(a, pose_a, b, pose_b, most));
            if let Some((first, Some(mut found))) = asked {
                self.number(first, &mut found.part_a, &mut found.part_b);
                if best.is_none_or(|best| is_closer(&found, &best)) {
                    best = Some(found);
                    // As far as what rounds to the same distance, which may come first among equals.
                    limit = reach.min(found.distance.next_up().into());
                }
            }
        }
        best
    }

    pub(crate) fn distance(&mut self) -> f32 {
        let (mut best, mut parts) = (f32::INFINITY, self.parts());
        while let Some((_, index)) = parts.next_within(best.into()) {
            let asked =
                self.ask(index, |a, pose_a, b, pose_b| distance_within(a, pose_a, b, pose_b, best));
            best = asked.map_or(best, |(_, found)| best.min(found));
            // Nothing is nearer than what touches.
            if best <= 0.0 {
                break;
            }
        }
        best
    }

    /// Of all parts, in no order.
    pub(crate) fn manifolds(&mut self, margin: f32, all: &mut SmallVec<[Manifold; 1]>) {
        let mut parts = self.parts();
        while let Some((_, index)) = parts.next_within(margin.into()) {
            let ask = |a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose| {
                manifolds(a, pose_a, b, pose_b, margin)
            };
            if let Some((first, found)) = self.ask(index, ask) {
                all.extend(found.into_iter().map(|mut found| {
                    self.number(first, &mut found.part_a, &mut found.part_b);
                    found
                }));
            }
        }
    }

    /// The deepest; of equally deep ones that of the first part.
    pub(crate) fn manifold(&mut self, margin: f32) -> Option<Manifold> {
        let mut best: Option<Manifold> = None;
        let is_ball = matches!(self.other, Shape::Sphere(_));
        let mut parts = self.parts();
        while let Some((least, index)) = parts.next_within(margin.into()) {
            // The one contact of a sphere with a solid is as deep as the two are; others may be
            // deeper.
            let told = best.as_ref().map_or(f32::INFINITY, Manifold::distance).next_up();
            if is_ball && least > told.into() && !self.compound.is_surface(index) {
                continue;
            }
            let ask = |a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose| {
                manifold(a, pose_a, b, pose_b, margin)
            };
            let Some((first, Some(mut found))) = self.ask(index, ask) else { continue };
            self.number(first, &mut found.part_a, &mut found.part_b);
            if best.as_ref().is_none_or(|best| is_deeper(&found, best)) {
                best = Some(found);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::{HeightField, TriangleMesh};

    use super::*;
    use crate::queries::distance;

    /// Source: Steele, Lea & Flood, *Fast splittable pseudorandom number generators* (2014).
    struct Random(u64);

    impl Random {
        fn below(&mut self, count: u64) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % count
        }

        /// From 0 to 1.
        fn share(&mut self) -> f32 {
            f32::from(u16::try_from(self.below(257)).unwrap()) / 256.0
        }

        fn vector(&mut self, size: f32) -> Vec3 {
            (Vec3::new(self.share(), self.share(), self.share()) * 2.0 - 1.0) * size
        }

        fn pose(&mut self, size: f32) -> Pose {
            let (at, turn) = (self.vector(size), self.vector(1.0).extend(0.3 + self.share()));
            let turn = if self.below(4) == 0 { Quat::IDENTITY } else { Quat::from_vec4(turn) };
            Pose::new(at, turn).unwrap()
        }

        fn simple(&mut self, size: f32, most: u64) -> Shape {
            let mut length = || (0.2 + self.share()) * size;
            let (a, b) = (length(), length());
            match self.below(most) {
                0 => Shape::sphere(a).unwrap(),
                1 => Shape::cuboid(Vec3::new(a, b, a)).unwrap(),
                2 => Shape::capsule(self.vector(size), self.vector(size), b).unwrap(),
                3 => Shape::cylinder(a, b).unwrap(),
                4 => Shape::cone(a, b).unwrap(),
                5 => {
                    let points: Vec<Vec3> = (0..9).map(|_| self.vector(size)).collect();
                    Shape::convex_hull(&points).unwrap()
                }
                6 => {
                    let [a, b, c] = [(); 3].map(|()| self.vector(size));
                    Shape::triangle(a, b, c).unwrap()
                }
                7 => Shape::rounded(Shape::cuboid(Vec3::splat(a)).unwrap(), b * 0.3).unwrap(),
                8 => Shape::half_space(Vec3::Y, -a).unwrap(),
                9 => {
                    let corners: Vec<Vec3> = (0..8).map(|_| self.vector(size)).collect();
                    let named = (0..6).map(|k| [k, k + 1, k + 2]).collect();
                    TriangleMesh::new(corners, named).unwrap().into()
                }
                _ => {
                    let heights = (0..12).map(|_| self.share() * size).collect();
                    let extent = Vec3::new(size * 2.0, 1.0, size * 3.0);
                    HeightField::new(3, 4, heights, extent).unwrap().into()
                }
            }
        }
    }

    /// All parts, each alone: no part is left out, and none counts that should not.
    #[test]
    fn parts_are_left_out_only_where_they_do_not_count() {
        let (mut overlapping, mut apart, mut limited, mut several) = (0, 0, 0, 0);
        for case in 0..3000 {
            let mut random = Random(case);
            let size = [1.0, 1.0, 1e-3, 1e4, 1e30, 1e-36][usize::try_from(case % 6).unwrap()];
            let count = 1 + random.below(if case % 8 == 0 { 20 } else { 6 });
            let parts = (0..count).map(|_| (random.pose(size * 2.0), random.simple(size, 11)));
            let compound = Shape::compound(parts.collect::<Vec<_>>()).unwrap();
            let Shape::Compound(inner) = &compound else { unreachable!() };
            let far = if random.below(3) == 0 { 100.0 } else { 0.0 };
            let body = random.pose(size * far);
            let other = random.simple(size, 8);
            let at = random.pose(size * 4.0);
            let at = Pose::new(at.position() + body.position(), at.rotation()).unwrap();
            let flipped = random.below(2) == 0;
            let margin = random.share() * size;
            let limit = if random.below(2) == 0 { f32::INFINITY } else { margin };

            let (mut nearest, mut touch): (Option<Closest>, _) = (None, Relation::Apart);
            let (mut least, mut contacts) = (f32::INFINITY, Vec::new());
            for (first, place, part) in inner.placed(&body) {
                let (a, pose_a, b, pose_b) =
                    if flipped { (&other, &at, part, &place) } else { (part, &place, &other, &at) };
                let number = |part: &mut u32| *part += first;
                if let Some(mut found) = closest(a, pose_a, b, pose_b, limit) {
                    number(if flipped { &mut found.part_b } else { &mut found.part_a });
                    if nearest.is_none_or(|nearest| found.distance < nearest.distance) {
                        nearest = Some(found);
                    }
                }
                least = least.min(distance(a, pose_a, b, pose_b));
                touch = match (touch, relation(a, pose_a, b, pose_b)) {
                    (Relation::Penetrating, _) | (_, Relation::Penetrating) => {
                        Relation::Penetrating
                    }
                    (Relation::Touching, _) | (_, Relation::Touching) => Relation::Touching,
                    _ => Relation::Apart,
                };
                for mut found in manifolds(a, pose_a, b, pose_b, margin) {
                    number(if flipped { &mut found.part_b } else { &mut found.part_a });
                    contacts.push(found);
                }
            }
            let (a, pose_a, b, pose_b) = if flipped {
                (&other, &at, &compound, &body)
            } else {
                (&compound, &body, &other, &at)
            };
            assert!(Beside::of(a, pose_a, b, pose_b).is_some());
            assert_eq!(closest(a, pose_a, b, pose_b, limit), nearest, "{case}");
            assert_eq!(distance(a, pose_a, b, pose_b).to_bits(), least.to_bits(), "{case}");
            assert_eq!(relation(a, pose_a, b, pose_b), touch, "{case}");
            assert_eq!(overlaps(a, pose_a, b, pose_b), touch.overlaps(), "{case}");
            let all = manifolds(a, pose_a, b, pose_b, margin);
            assert_eq!(all.as_slice(), contacts, "{case}");
            let deepest = contacts.into_iter().reduce(|deepest, next| {
                if next.distance() < deepest.distance() { next } else { deepest }
            });
            assert_eq!(manifold(a, pose_a, b, pose_b, margin), deepest, "{case}");
            overlapping += u32::from(touch.overlaps());
            apart += u32::from(!touch.overlaps());
            limited += u32::from(nearest.is_none());
            several += u32::from(all.len() > 1);
        }
        let counts = (overlapping, apart, limited, several);
        assert!(overlapping > 600 && apart > 600 && limited > 200 && several > 300, "{counts:?}");
    }
}
