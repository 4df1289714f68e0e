//! A point beside a triangle.

use crate::real::{Real, Real3};
use crate::tolerance;
use crate::witness::Sides;

/// The point of a triangle nearest to another point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest<R> {
    pub(crate) length: R,
    /// Unit, from the triangle to the point.
    pub(crate) outward: Real3<R>,
    /// How far the distance may be off but for rounding.
    pub(crate) open: R,
    /// 0 for the inside of the triangle, 1 to 3 for its corners, 4 to 6 for the edges from there.
    pub(crate) feature: R,
}

/// The way to a point from the nearest place on a triangle, or a normal of it.
#[derive(Clone, Copy, Debug)]
struct Way<R: Real> {
    /// From the triangle's corners to the point.
    arms: [Real3<R>; 3],
    /// The point lies over the inside, and `along` is a normal; elsewhere it is the way.
    inside: R::Mask,
    along: Real3<R>,
    /// As [`Nearest::feature`].
    feature: R,
}

impl<R: Real> Way<R> {
    #[inline(always)]
    fn new([p, q, r]: [Real3<R>; 3], point: Real3<R>) -> Self {
        let arms = [point - p, point - q, point - r];
        let edges = [q - p, r - q, p - r];
        let across = edges[0].cross(edges[1]);
        let zero = point.x.all(0.0);
        let sides = [
            across.dot(edges[0].cross(arms[0])),
            across.dot(edges[1].cross(arms[1])),
            across.dot(edges[2].cross(arms[2])),
        ];
        let inside = sides[0].above(zero) & sides[1].above(zero) & sides[2].above(zero);
        let border = Border::new(&arms, &edges, &sides);
        let along = Real3::pick(inside, across, border.way);
        Self { arms, inside, along, feature: R::pick(inside, zero, border.feature) }
    }
}

/// Whether the distance of a point from a triangle is above or below `reach`, where that is certain;
/// `size` is the sum of all lengths.
///
/// - Error: by the bounds of [`Nearest::new`], but of squares, each times that of a vector along the
///   way, so that no length has to be known.
#[inline(always)]
pub(crate) fn sides<R: Real>(
    corners: [Real3<R>; 3],
    point: Real3<R>,
    reach: R,
    size: R,
) -> Sides<R::Mask> {
    let Way { arms, inside, along, .. } = Way::new(corners, point);
    let zero = size.all(0.0);
    let (limit, noise) = (reach * reach, (size * size) * size.all(tolerance::FRAME_SQUARES));
    let square = along.dot(along);
    let heights = [along.dot(arms[0]), along.dot(arms[1]), along.dot(arms[2])];
    let least = heights[0].least(heights[1]).least(heights[2]);
    let most = heights[0].most(heights[1]).most(heights[2]);
    let is_behind = inside & heights[0].below(zero);
    let (low, high) = (R::pick(is_behind, -most, least), R::pick(is_behind, -least, most));
    let apart = low.above(zero) & (low * low).above((limit + noise) * square);
    // The line along the normal crosses the triangle for sure where its corners are as high.
    let (open, bracket) = (most - least, size * size.all(tolerance::BRACKET));
    let crosses = (open * open).at_most((bracket * bracket) * square);
    let within = (high * high).below((limit - noise) * square);
    let deep = (inside & crosses & within) | (!inside & square.below(limit - noise));
    Sides::new(apart | deep, deep)
}

impl<R: Real> Nearest<R> {
    /// - Error: beside an edge or a corner the distance is that of a point of the triangle, and
    ///   planes across `outward` through its corners bound it from below. Over the inside it lies
    ///   between the heights of the three corners, as the line along `outward` crosses the
    ///   triangle. `open` is the difference of these bounds, each within 2^-49 of the coordinates.
    /// - Degenerate: a point on an edge or a corner, or beside a triangle without area, may get a
    ///   normal that is NaN, and `open` with it.
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.5, by the same regions.
    #[inline(always)]
    pub(crate) fn new(corners: [Real3<R>; 3], point: Real3<R>) -> Self {
        let Way { arms, inside, along, feature } = Way::new(corners, point);
        let zero = point.x.all(0.0);
        let length = along.dot(along).sqrt();
        let unit = along * (zero.all(1.0) / length);
        let heights = [unit.dot(arms[0]), unit.dot(arms[1]), unit.dot(arms[2])];
        let least = heights[0].least(heights[1]).least(heights[2]);
        let most = heights[0].most(heights[1]).most(heights[2]);
        let is_behind = inside & heights[0].below(zero);
        Self {
            length: R::pick(inside, heights[0].abs(), length),
            outward: Real3::pick(is_behind, -unit, unit),
            open: R::pick(inside, most, length) - least,
            feature,
        }
    }
}

/// The way to a point from the nearest place on a triangle's border.
#[derive(Clone, Copy, Debug)]
struct Border<R> {
    way: Real3<R>,
    feature: R,
}

impl<R: Real> Border<R> {
    /// Beside the edge over whose outer side the point lies, or from the nearest corner; where the
    /// point lies over the inside, from anywhere.
    #[inline(always)]
    fn new(arms: &[Real3<R>; 3], edges: &[Real3<R>; 3], sides: &[R; 3]) -> Self {
        let (zero, one) = (sides[0].all(0.0), sides[0].all(1.0));
        let squares = [arms[0].dot(arms[0]), arms[1].dot(arms[1]), arms[2].dot(arms[2])];
        let later = squares[1].below(squares[0]);
        let mut arm = Real3::pick(later, arms[1], arms[0]);
        let mut feature = R::pick(later, zero.all(2.0), one);
        let last = squares[2].below(squares[0].least(squares[1]));
        arm = Real3::pick(last, arms[2], arm);
        feature = R::pick(last, zero.all(3.0), feature);
        let mut along = edges[0];
        let (mut place, mut square) = (zero, one);
        // One by one, because closures may stay out of line.
        for k in 0..3 {
            let (there, long) = (arms[k].dot(edges[k]), edges[k].dot(edges[k]));
            let beside = sides[k].at_most(zero) & there.above(zero) & there.below(long);
            arm = Real3::pick(beside, arms[k], arm);
            along = Real3::pick(beside, edges[k], along);
            place = R::pick(beside, there, place);
            square = R::pick(beside, long, square);
            feature = R::pick(beside, zero.all([4.0, 5.0, 6.0][k]), feature);
        }
        let scale = one / square;
        let way = arm - along * (place * scale);
        // Beside an edge the way is perpendicular to it but for rounding, which a short one shows
        // the more.
        let tilt = R::pick(place.above(zero), way.dot(along) * scale, zero);
        Self { way: way - along * tilt, feature }
    }
}
