//! The four points of a contact patch that stand for all of them.

use impinge_shapes::glam::{DVec2, DVec3};
use smallvec::{SmallVec, smallvec};

use super::feature::plane_axes;
use crate::{PatchPoint, tolerance};

/// What is left of the points of a patch.
pub(crate) type Four = SmallVec<[PatchPoint; 4]>;

/// At most four points that span all others, sorted by feature.
///
/// - Ties: the deepest, then the one farthest from it or, where that leaves more, opposite to it,
///   then the largest area on either side of these two; the first among equals. Points that are
///   nearly as deep, far or wide as the best count as equal, so that the choice does not flicker;
///   then the deepest takes the place of one of the four.
/// - Error: where no point counts as nearly as deep, the four cover at least half of the area of
///   all, but for the share that counts as equal.
pub(crate) fn reduced(points: &[PatchPoint], normal: DVec3, size: f64) -> Four {
    let mut four = Four::new();
    reduce(points, normal, size, &mut four);
    four
}

/// As [`reduced`], into an empty list.
pub(super) fn reduce(points: &[PatchPoint], normal: DVec3, size: f64, four: &mut Four) {
    let same = tolerance::SAME_POINT * size;
    if points.len() <= 4 {
        merge_few(points, same, four);
    } else {
        reduce_many(points, normal, same, four);
    }
}

/// Out of the way of few points, because it needs much more memory.
#[inline(never)]
fn reduce_many(points: &[PatchPoint], normal: DVec3, same: f64, four: &mut Four) {
    // Where each was in the order around the patch.
    let mut places: SmallVec<[usize; 16]> = SmallVec::new();
    let mut kept: SmallVec<[PatchPoint; 16]> = SmallVec::new();
    merge(points, same, &mut kept, &mut places);
    if kept.len() > 4 {
        straighten(&mut kept, &places, same);
    }
    if kept.len() > 4 {
        *four = Choice::new(&kept, normal).four();
    } else {
        four.extend_from_slice(&kept);
    }
}

/// The points in the order of their features, of twins the deeper one.
fn merge(
    points: &[PatchPoint],
    same: f64,
    kept: &mut SmallVec<[PatchPoint; 16]>,
    places: &mut SmallVec<[usize; 16]>,
) {
    let mut order: SmallVec<[usize; 16]> = (0..points.len()).collect();
    order.sort_by_key(|&place| points[place].feature);
    for place in order {
        if add_unless_twin(&points[place], same, kept) {
            places.push(place);
        }
    }
}

/// As [`merge`], of at most four points.
fn merge_few(points: &[PatchPoint], same: f64, kept: &mut Four) {
    let mut order = [0; 4];
    for (place, point) in points.iter().enumerate() {
        let mut turn = place;
        while turn > 0 && points[order[turn - 1]].feature > point.feature {
            order[turn] = order[turn - 1];
            turn -= 1;
        }
        order[turn] = place;
    }
    for &place in &order[..points.len()] {
        add_unless_twin(&points[place], same, kept);
    }
}

/// Whether a point has no twin among others and was added; of twins the deeper one is left.
#[inline]
fn add_unless_twin<const N: usize>(
    point: &PatchPoint,
    same: f64,
    kept: &mut SmallVec<[PatchPoint; N]>,
) -> bool {
    // Roots are taken only where rounding could count.
    let far = 2.0 * same * same;
    for other in kept.iter_mut() {
        let between = (other.point_a - point.point_a).length_squared();
        let is_near = between <= far && between.sqrt() <= same;
        if other.feature == point.feature || is_near {
            if point.distance < other.distance {
                *other = PatchPoint { feature: other.feature, ..*point };
            }
            return false;
        }
    }
    kept.push(*point);
    true
}

/// Drops points of more than four that lie on the line between two others next to them, and no
/// deeper than it: where edges of both faces run along each other, rounding makes them cross
/// anywhere.
fn straighten(points: &mut SmallVec<[PatchPoint; 16]>, places: &[usize], same: f64) {
    let is_between = |p: &PatchPoint, a: &PatchPoint, b: &PatchPoint| {
        let (way, off) = (b.point_a - a.point_a, p.point_a - a.point_a);
        let share = off.dot(way) / way.length_squared();
        let level = a.distance + (b.distance - a.distance) * share;
        (0.0..=1.0).contains(&share)
            && (off - way * share).length() <= same
            && p.distance >= level - same
    };
    let count = points.len();
    let mut around: SmallVec<[usize; 16]> = (0..count).collect();
    around.sort_by_key(|&k| places[k]);
    let (mut before, mut after): (SmallVec<[usize; 16]>, SmallVec<[usize; 16]>) =
        (smallvec![0; count], smallvec![0; count]);
    for (turn, &k) in around.iter().enumerate() {
        after[k] = around[(turn + 1) % count];
        before[after[k]] = k;
    }
    let mut dropped: SmallVec<[usize; 16]> = SmallVec::new();
    for k in 0..count {
        if count - dropped.len() <= 4 {
            break;
        }
        // Two on each side: the nearest points may be among the corners without being one.
        let (last, next) = (before[k], after[k]);
        let ends = [(last, next), (before[last], next), (last, after[next])];
        let on_line = ends.iter().any(|&(i, j)| {
            let (i, j) = (i.min(j), i.max(j));
            is_between(&points[k], &points[i], &points[j])
        });
        if on_line {
            (after[last], before[next]) = (next, last);
            dropped.push(k);
        }
    }
    let mut place = 0;
    points.retain(|_| {
        place += 1;
        !dropped.contains(&(place - 1))
    });
}

/// More than four points, and where each lies across the normal.
struct Choice<'a> {
    points: &'a [PatchPoint],
    flat: SmallVec<[DVec2; 16]>,
    /// Length within which two count as equally deep or far.
    level: f64,
}

impl<'a> Choice<'a> {
    fn new(points: &'a [PatchPoint], normal: DVec3) -> Self {
        let [u, v] = plane_axes(normal);
        let first = points[0].point_a;
        let off = |point: &PatchPoint| point.point_a - first;
        let extent = points.iter().map(|point| off(point).length()).fold(0.0, f64::max);
        let flat = points.iter().map(|point| DVec2::new(u.dot(off(point)), v.dot(off(point))));
        Self { points, flat: flat.collect(), level: tolerance::LEVEL * extent }
    }

    fn four(&self) -> Four {
        let nearly = self.pick(|k| -self.points[k].distance, self.level);
        let mut places = self.from(nearly);
        let mut renamed = None;
        let depth = |k: &usize, l: &usize| {
            self.points[*k].distance.total_cmp(&self.points[*l].distance).then(k.cmp(l))
        };
        let least = (0..self.points.len()).min_by(depth).unwrap_or(0);
        let found = places.iter().copied().min_by(depth).unwrap_or(nearly);
        if self.points[least].distance < self.points[found].distance {
            let (exchanged, given) = self.exchanged(&places, least);
            let own = self.from(least);
            if self.area(&exchanged) < tolerance::EXCHANGED * self.area(&own) {
                places = own;
            } else {
                (places, renamed) = (exchanged, given);
            }
        }
        let mut chosen: Four = places.into_iter().map(|k| self.points[k]).collect();
        if let Some((place, name)) = renamed {
            chosen[place].feature = self.points[name].feature;
        }
        chosen.sort_by_key(|point| point.feature);
        chosen
    }

    /// The first of the points whose value is at most `level` below the greatest.
    fn pick(&self, value: impl Fn(usize) -> f64, level: f64) -> usize {
        let count = self.points.len();
        let most = (0..count).map(&value).fold(f64::NEG_INFINITY, f64::max);
        (0..count).find(|&k| value(k) >= most - level).unwrap_or(0)
    }

    /// A point, the one farthest from it or opposite, and those farthest to either side.
    fn from(&self, place: usize) -> SmallVec<[usize; 4]> {
        let here = self.points[place].point_a;
        let far = self.pick(|k| (self.points[k].point_a - here).length(), self.level);
        let far = self.across(place, far);
        let opposite = self.across(place, self.opposite(place));
        let is_more = self.area(&opposite) > self.area(&far) * (1.0 + tolerance::LEVEL);
        if is_more { opposite } else { far }
    }

    /// Two points and those farthest to either side of the line through them.
    fn across(&self, from: usize, to: usize) -> SmallVec<[usize; 4]> {
        let start = self.flat[from];
        let way = self.flat[to] - start;
        let side = |k: usize| way.perp_dot(self.flat[k] - start);
        let level = self.level * way.length();
        let mut places = smallvec![from];
        for k in [to, self.pick(side, level), self.pick(|k| -side(k), level)] {
            if !places.contains(&k) {
                places.push(k);
            }
        }
        places
    }

    /// The point farthest from a line through one, with all others on one side of it.
    ///
    /// The points then lie in a parallelogram with sides along that line and along the way to the
    /// point that is returned, and it and those farthest to either side cover half of it.
    fn opposite(&self, place: usize) -> usize {
        let start = self.flat[place];
        let ways = || self.flat.iter().map(|&p| p - start).filter(|way| way.length_squared() > 0.0);
        let Some(first) = ways().next() else { return place };
        let (mut left, mut right) = (first, first);
        for way in ways() {
            left = if left.perp_dot(way) > 0.0 { way } else { left };
            right = if right.perp_dot(way) < 0.0 { way } else { right };
        }
        let (left, right) = (left.normalize_or_zero(), right.normalize_or_zero());
        let across = (left - right).perp();
        let across = if across.length_squared() > 0.0 { across } else { left };
        let inward: f64 = ways().map(|way| across.dot(way)).sum();
        let across = if inward < 0.0 { -across } else { across };
        self.pick(|k| across.dot(self.flat[k] - start), 0.0)
    }

    /// Four points with another one in place of that which is missed least, the nearest one among
    /// equals; that gives it its name, too, as the place in the result and the point named.
    fn exchanged(
        &self,
        places: &SmallVec<[usize; 4]>,
        new: usize,
    ) -> (SmallVec<[usize; 4]>, Option<(usize, usize)>) {
        let with = |turn: usize| {
            let mut places = places.clone();
            places[turn] = new;
            places
        };
        let from =
            |turn: &usize| (self.points[places[*turn]].point_a - self.points[new].point_a).length();
        let turns = || 0..places.len();
        let nearest = turns().min_by(|i, j| from(i).total_cmp(&from(j))).unwrap_or(0);
        let area = |turn: usize| self.area(&with(turn));
        let best = turns().max_by(|&i, &j| area(i).total_cmp(&area(j))).unwrap_or(0);
        if area(best) > area(nearest) * (1.0 + tolerance::LEVEL) {
            (with(best), None)
        } else {
            (with(nearest), Some((nearest, places[nearest])))
        }
    }

    /// Twice the area of the hull of at most four points.
    fn area(&self, places: &[usize]) -> f64 {
        let at = |k: usize| places.get(k).or(places.first()).map_or(DVec2::ZERO, |&k| self.flat[k]);
        let [p, q, r, s] = [at(0), at(1), at(2), at(3)];
        let triangle = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a).abs();
        let crossed = |a: DVec2, b: DVec2, c: DVec2, d: DVec2| (b - a).perp_dot(d - c).abs();
        // Of a hull with four corners its diagonals, of one with three these.
        let quads = [crossed(p, q, r, s), crossed(p, r, q, s), crossed(p, s, q, r)];
        let triangles =
            [triangle(p, q, r), triangle(p, q, s), triangle(p, r, s), triangle(q, r, s)];
        quads.into_iter().chain(triangles).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{DQuat, Quat};

    use super::*;
    use crate::FeatureId;
    use crate::convex::disc::{EIGHTHS, quarters};
    use crate::convex::draw::Draw;

    /// What takes these four at once relies on it.
    #[test]
    fn every_second_of_eight_level_points_of_a_rim_stand_for_all() {
        let (mut wide, mut tiny, mut from) = (0, 0, [0; 2]);
        for seed in 0..4_000 {
            let mut draw = Draw(seed);
            let radius = f64::from(draw.scale()) * (0.01 + f64::from(draw.next().abs()));
            let turn = Quat::from_vec4((draw.vector(), draw.next() + 0.1).into()).normalize();
            let turn = DQuat::from_xyzw(turn.x.into(), turn.y.into(), turn.z.into(), turn.w.into());
            let turn = turn.normalize();
            let place = draw.vector().as_dvec3() * radius * 1e3;
            let size = radius
                * [1.0, 8.0, 2.0_f64.powi(20), 2.0_f64.powi(60)]
                    [usize::try_from(seed / 16 % 4).unwrap()];
            let names = [0, 1, 2, 3].map(|place| u32::from(seed >> place & 1 == 1));
            let point = |(number, (cosine, sine)): (u32, (f64, f64))| {
                let point_a = turn * (DVec3::new(cosine, 0.0, sine) * radius) + place;
                let [below, second, third, fourth] = names;
                let feature = FeatureId::of([number << 1 | below, second, third, fourth]);
                PatchPoint { point_a, point_b: point_a, distance: 0.0, feature }
            };
            let all: Vec<_> = (0..).zip(EIGHTHS).map(point).collect();
            let four = reduced(&all, turn * DVec3::Y, size);
            if radius > tolerance::WIDE_RIM * tolerance::SAME_POINT * size {
                let first = usize::from(quarters(names) & 1 == 0);
                let chosen = all.iter().skip(first).step_by(2);
                let mut expected: Vec<_> = chosen.map(|point| point.feature).collect();
                expected.sort_unstable();
                from[first] += 1;
                let found: Vec<_> = four.iter().map(|point| point.feature).collect();
                assert_eq!(found, expected, "seed {seed}");
                wide += 1;
            } else {
                tiny += 1;
            }
        }
        assert!(wide > 1_000 && tiny > 100 && from[0] > 100 && from[1] > 100, "{tiny} {from:?}");
    }
}
