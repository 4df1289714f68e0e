//! Closest points of two boxes that are apart, by one formula for one pair and for eight.
//!
//! The axis with the largest gap names what is nearest: a corner and a face, two edges, or the
//! borders of those. The points are taken as such, and the plane across the line between them
//! proves that they are nearest. What it leaves open is for a search.

use super::axes::{EDGES, edges};
use crate::real::{Mask, Real, Real3};
use crate::tolerance;

/// Which edges and faces an axis belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along<M> {
    /// It is a face's of B.
    pub(super) is_b: M,
    /// It is an edge's across an edge.
    pub(super) is_edge: M,
    /// The edge or face of A is on its second or third axis.
    pub(super) of_a: [M; 2],
    /// The same of B.
    pub(super) of_b: [M; 2],
}

impl Along<bool> {
    pub(super) fn new(index: usize) -> Self {
        let is_edge = index >= EDGES;
        let (i, j) = if is_edge { edges(index) } else { (index % 3, index % 3) };
        Self {
            is_b: !is_edge && index >= 3,
            is_edge,
            of_a: [i == 1, i == 2],
            of_b: [j == 1, j == 2],
        }
    }
}

/// Two boxes in A's frame, as [`super::axes::Boxes`] has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart<R> {
    pub(super) a: Real3<R>,
    pub(super) b: Real3<R>,
    pub(super) centre: Real3<R>,
    /// B's axes.
    pub(super) axes: [Real3<R>; 3],
    /// The unit of errors.
    pub(super) size: R,
}

/// Closest points in A's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest<R: Real> {
    /// Where the rest is the answer.
    pub(super) proved: R::Mask,
    pub(super) distance: R,
    /// Unit, from A to B.
    pub(super) normal: Real3<R>,
    pub(super) point_a: Real3<R>,
    pub(super) point_b: Real3<R>,
}

/// Where the closest points may be.
#[derive(Clone, Copy, Debug)]
struct Guess<R: Real> {
    /// The corner of A, or the place on its edge.
    on_a: Real3<R>,
    /// The same of B, in B's frame.
    on_b: Real3<R>,
    /// What is nearest is B's corner and a place on A.
    by_a: R::Mask,
    /// What is nearest is A's corner and a place on B.
    by_b: R::Mask,
    /// From edge to edge, where it is neither.
    crossing: Real3<R>,
    /// Where the edges are not too nearly parallel.
    clear: R::Mask,
}

impl<R: Real> Apart<R> {
    /// The closest points, if the features that are farthest along an axis, or their borders, have
    /// them, and nothing else is as near.
    ///
    /// The axis must part the boxes.
    ///
    /// - Error: both points are on the boxes, along edges within 2^-40 of the size, and the plane
    ///   across the line between them parts the boxes by the distance less [`tolerance::PARTED`] of
    ///   the size, so that this is more than the error of the distance.
    #[inline(always)]
    pub(super) fn nearest(&self, along: &Along<R::Mask>) -> Nearest<R> {
        let Self { a, b, centre, axes: [u, v, w], size } = *self;
        let (zero, one) = (size.all(0.0), size.all(1.0));
        let &Along { is_b, is_edge, of_a: [second_a, third_a], of_b: [second_b, third_b] } = along;
        let unit = Real3::new(
            R::pick(second_a | third_a, zero, one),
            R::pick(second_a, one, zero),
            R::pick(third_a, one, zero),
        );
        let axis_b = Real3::pick(third_b, w, Real3::pick(second_b, v, u));
        let across = unit.cross(axis_b);
        let axis = Real3::pick(is_edge, across, Real3::pick(is_b, axis_b, unit));
        let axis = Real3::pick(axis.dot(centre).below(zero), -axis, axis);

        // The corners farthest along it.
        let on_a = Real3::new(far(axis.x, a.x), far(axis.y, a.y), far(axis.z, a.z));
        let on_b =
            Real3::new(far(-axis.dot(u), b.x), far(-axis.dot(v), b.y), far(-axis.dot(w), b.z));
        let (by_a, clear) = (!(is_edge | is_b), !is_edge);
        let mut guess = Guess { on_a, on_b, by_a, by_b: is_b, crossing: on_a, clear };
        if is_edge.any() {
            guess = self.between_edges(along, [unit, axis_b, across], guess);
        }

        // Each line is exactly zero along what is level with it, however near the boxes are.
        let Guess { on_a, on_b, by_a, by_b, crossing, clear } = guess;
        let (mut line, mut point_a) = (crossing, on_a);
        if by_a.any() {
            let corner = u * on_b.x + v * on_b.y + w * on_b.z + centre;
            let nearest = within(corner, a);
            line = Real3::pick(by_a, corner - nearest, line);
            point_a = Real3::pick(by_a, nearest, point_a);
        }
        if by_b.any() {
            let off = on_a - centre;
            let corner = Real3::new(off.dot(u), off.dot(v), off.dot(w));
            let back = within(corner, b) - corner;
            line = Real3::pick(by_b, u * back.x + v * back.y + w * back.z, line);
        }
        let distance = line.dot(line).sqrt();
        let normal = Real3::new(line.x / distance, line.y / distance, line.z / distance);
        let proved = clear & self.is_nearest(along, [on_a, on_b], line, distance);
        Nearest { proved, distance, normal, point_a, point_b: point_a + line }
    }

    /// Puts the places on two edges that are nearest to each other in place of their corners.
    ///
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.9.
    #[inline(always)]
    fn between_edges(
        &self,
        along: &Along<R::Mask>,
        [unit, axis_b, across]: [Real3<R>; 3],
        guess: Guess<R>,
    ) -> Guess<R> {
        let Self { a, b, centre, axes: [u, v, w], size } = *self;
        let zero = size.all(0.0);
        let Guess { on_a, on_b, by_a, by_b, .. } = guess;
        let &Along { is_edge, of_a: [second_a, third_a], of_b: [second_b, third_b], .. } = along;
        let (first_a, first_b) = (!(second_a | third_a), !(second_b | third_b));
        let edge_a = [is_edge & first_a, is_edge & second_a, is_edge & third_a];
        let edge_b = [is_edge & first_b, is_edge & second_b, is_edge & third_b];
        let middle = on_edge(on_b, edge_b, zero);
        let middle = u * middle.x + v * middle.y + w * middle.z + centre;
        let between = middle - on_edge(on_a, edge_a, zero);
        let square = across.dot(across);
        let half_a = R::pick(third_a, a.z, R::pick(second_a, a.y, a.x));
        let half_b = R::pick(third_b, b.z, R::pick(second_b, b.y, b.x));
        // The place on A's edge nearest to the line of B's, then the one on that nearest to it.
        let at_a = between.cross(axis_b).dot(across) / square;
        let beyond_a = is_edge & !at_a.abs().below(half_a);
        let at_a = clamped(at_a, half_a);
        let crossed = between.cross(unit).dot(across) / square;
        let beside = axis_b.dot(unit) * at_a - between.dot(axis_b);
        let at_b = R::pick(beyond_a, beside, crossed);
        let beyond_b = is_edge & !at_b.abs().below(half_b);
        let at_b = clamped(at_b, half_b);
        Guess {
            on_a: on_edge(on_a, edge_a, at_a),
            on_b: on_edge(on_b, edge_b, at_b),
            // Past the end of B's edge its corner is nearest, else past that of A's edge that one.
            by_a: by_a | beyond_b,
            by_b: by_b | (beyond_a & !beyond_b),
            crossing: across * (between.dot(across) / square),
            clear: guess.clear | square.above(size.all(tolerance::SHORT_SQUARED)),
        }
    }

    /// Whether nothing is nearer than the ends of a line from A to B, and nothing else as near; the
    /// corners are those that the line was taken from, B's in B's frame.
    #[inline(always)]
    fn is_nearest(
        &self,
        along: &Along<R::Mask>,
        [on_a, on_b]: [Real3<R>; 2],
        line: Real3<R>,
        distance: R,
    ) -> R::Mask {
        let Self { a, b, centre, axes: [u, v, w], size } = *self;
        let &Along { is_b, is_edge, of_a: [second_a, third_a], of_b: [second_b, third_b] } = along;
        let (on_u, on_v, on_w) = (line.dot(u), line.dot(v), line.dot(w));
        let reach_a = a.x * line.x.abs() + a.y * line.y.abs() + a.z * line.z.abs();
        let reach_b = b.x * on_u.abs() + b.y * on_v.abs() + b.z * on_w.abs();
        let gap = line.dot(centre) - (reach_a + reach_b);
        let slack = size * size.all(tolerance::PARTED) * distance;
        let parts = (line.dot(line) - gap).at_most(slack);
        // The points may move along what is level with them, unless they were free to.
        let floor = distance * size.all(tolerance::LEVEL_WITH);
        let (first_a, first_b) = (!(second_a | third_a), !(second_b | third_b));
        let is_a = !(is_edge | is_b);
        let steep_a = steep(line.x, on_a.x, floor, is_a | (is_edge & first_a))
            & steep(line.y, on_a.y, floor, is_a | (is_edge & second_a))
            & steep(line.z, on_a.z, floor, is_a | (is_edge & third_a));
        let steep_b = steep(-on_u, on_b.x, floor, is_b | (is_edge & first_b))
            & steep(-on_v, on_b.y, floor, is_b | (is_edge & second_b))
            & steep(-on_w, on_b.z, floor, is_b | (is_edge & third_b));
        let is_far = distance.above(size * size.all(tolerance::FAR_ENOUGH));
        parts & steep_a & steep_b & is_far
    }
}

/// The end of a box that is farthest along a direction.
#[inline(always)]
fn far<R: Real>(along: R, half: R) -> R {
    R::pick(along.below(along.all(0.0)), -half, half)
}

/// A corner moved along one of the edges there.
#[inline(always)]
fn on_edge<R: Real>(corner: Real3<R>, [x, y, z]: [R::Mask; 3], at: R) -> Real3<R> {
    let (on_x, on_y) = (R::pick(x, at, corner.x), R::pick(y, at, corner.y));
    Real3::new(on_x, on_y, R::pick(z, at, corner.z))
}

/// Whether a line out of a box leaves it on the side where the corner is and is not level with the
/// edge there, or is free to be.
#[inline(always)]
fn steep<R: Real>(along: R, corner: R, floor: R, free: R::Mask) -> R::Mask {
    let is_outward = (-along * corner).at_most(along.all(0.0));
    (is_outward & along.abs().above(floor)) | free
}

/// The number nearest to it that is no farther from zero than this.
#[inline(always)]
fn clamped<R: Real>(number: R, most: R) -> R {
    number.most(-most).least(most)
}

/// The nearest point of a box around the origin.
#[inline(always)]
fn within<R: Real>(point: Real3<R>, half: Real3<R>) -> Real3<R> {
    Real3::new(clamped(point.x, half.x), clamped(point.y, half.y), clamped(point.z, half.z))
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{DMat3, DQuat, DVec3};

    use super::super::axes::Boxes;
    use super::super::closest::{by_features, nearest_along};
    use super::super::survey::Survey;
    use crate::tolerance;

    const SEED: u64 = 0xa9a7;

    struct Random(u64);

    impl Random {
        fn below(&mut self, count: u64) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from((self.0 >> 33) % count).unwrap()
        }

        fn within(&mut self, low: f64, high: f64) -> f64 {
            let bits = u32::try_from(self.below(1 << 30)).unwrap();
            low + (high - low) * f64::from(bits) / f64::from(1 << 30)
        }

        /// A direction with so many components that are not zero.
        fn toward(&mut self, count: usize) -> DVec3 {
            let first = self.below(3);
            let mut found = DVec3::ZERO;
            for k in 0..count {
                let sign = if self.below(2) == 0 { -1.0 } else { 1.0 };
                found[(first + k) % 3] = sign * self.within(0.2, 1.0);
            }
            found.normalize()
        }

        /// A point of a box on the face, edge or corner that is farthest along a direction.
        fn feature(&mut self, half: DVec3, toward: DVec3) -> DVec3 {
            let on = |k: usize| {
                let free = self.within(-0.9, 0.9);
                let sign = if toward[k] < 0.0 { -1.0 } else { 1.0 };
                half[k] * if toward[k].abs() <= 0.0 { free } else { sign }
            };
            DVec3::from_array([0, 1, 2].map(on))
        }
    }

    /// Any feature beside any other at a known distance, in general position and level with others.
    #[test]
    fn what_is_proved_is_nearest() {
        let mut random = Random(SEED);
        // By how many components the line has in A's frame and in B's, and whether it is proved.
        let (mut counts, mut near) = ([[[0; 2]; 4]; 4], 0);
        for round in 0..40_000 {
            let (on_a, on_b) = (1 + random.below(3), 1 + random.below(3));
            let (line, back) = (random.toward(on_a), random.toward(on_b));
            let spin = match random.below(4) {
                0 => 0.0,
                1 => std::f64::consts::FRAC_PI_4,
                _ => random.within(-3.0, 3.0),
            };
            let turn = DQuat::from_axis_angle(line, spin) * DQuat::from_rotation_arc(back, -line);
            let rotation = DMat3::from_quat(turn);
            let mut half = || {
                let thin = if random.below(8) == 0 { 0.0 } else { 1.0 };
                let third = thin * random.within(0.1, 2.0);
                DVec3::new(random.within(0.1, 2.0), random.within(0.1, 2.0), third)
            };
            let (a, b) = (half(), half());
            let exponent = i32::try_from(random.below(8)).unwrap();
            let gap = random.within(0.1, 1.0) * 0.1_f64.powi(exponent);
            let (point_a, point_b) = (random.feature(a, line), random.feature(b, back));
            let centre = point_a + line * gap - rotation * point_b;
            let r = [rotation.x_axis, rotation.y_axis, rotation.z_axis].map(|v| v.to_array());
            let boxes = Boxes { a: a.to_array(), b: b.to_array(), t: centre.to_array(), r };
            let size = boxes.size();
            let best = boxes.best(&Survey::new(&boxes), 0.0);
            let found = nearest_along(&boxes, best.index);
            if gap <= size * tolerance::FAR_ENOUGH {
                let distance = found.map_or(gap, |found| found.distance);
                assert!(distance <= size * tolerance::FAR_ENOUGH * 1.01, "round {round}");
                near += 1;
                continue;
            }
            counts[on_a][on_b][usize::from(found.is_some())] += 1;
            let Some(found) = found else { continue };
            let what = format!("seed {SEED:x}, round {round}: {boxes:?} {found:?}");
            let (nearest_a, nearest_b) = by_features(&boxes);
            let least = nearest_a.distance(nearest_b);
            assert!((found.distance - least).abs() <= size * 0.5_f64.powi(43), "{least} {what}");
            assert!((found.distance - gap).abs() <= size * 0.5_f64.powi(43), "{gap} {what}");
            assert!((found.normal - line).length() <= size / gap * 0.5_f64.powi(40), "{what}");
            assert!((found.normal.length() - 1.0).abs() <= 8.0 * f64::EPSILON, "{what}");
            let (off_a, off_b) = (found.point_a - point_a, found.point_b - point_a - line * gap);
            assert!(off_a.length().max(off_b.length()) <= size * 0.5_f64.powi(30), "{what}");
        }
        assert!(near > 10_000, "{near}");
        for (on_a, on_b) in [(1, 3), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)] {
            let [open, proved] = counts[on_a][on_b];
            assert!(proved > 5 * open, "{on_a} {on_b}: {counts:?}");
        }
        // A face over a face or an edge has no corner or crossing that alone is nearest.
        for (on_a, on_b) in [(1, 1), (1, 2), (2, 1)] {
            let [open, proved] = counts[on_a][on_b];
            assert!(open > 1_000 && proved == 0, "{on_a} {on_b}: {counts:?}");
        }
    }
}
