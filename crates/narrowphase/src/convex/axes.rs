//! Segments, triangles and boxes, told by the few axes that can part them; and all axes of others,
//! where nothing else has told their depth.

use impinge_shapes::convex::Core;
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use super::looks::{Best, Seen};
use super::{Cores, Gap};
use crate::real::{Real, Real3};
use crate::{Relative, tolerance};

/// What the axes tell of two cores with few edges.
///
/// - Source: Gottschalk, Lin & Manocha, *OBBTree: A Hierarchical Structure for Rapid Interference
///   Detection* (1996).
pub(super) enum Told {
    /// They are farther apart than was asked.
    Apart,
    /// They certainly overlap.
    Overlap,
    Gap(Gap),
    /// They are apart, and this is about the way from A to B.
    Towards(DVec3),
    /// Nothing that is certain.
    Open,
}

/// Looks along the normals of the faces and across an edge of each, up to an axis along which the
/// two are certainly farther apart than `above`; `None` for cores that are no segments, triangles
/// or boxes. How deep they overlap is told where `is_deep` says so.
///
/// - Error: of a gap as of [`Cores::gap_of`]. An axis across edges is within 2^-41 of the direction
///   it stands for, and yes or no is only told beyond [`tolerance::TILTED`] of the size.
pub(super) fn told(cores: &Cores<'_>, above: f64, is_deep: bool) -> Option<Told> {
    if !(Few::is(&cores.a.core) && Few::is(&cores.b.core)) {
        return None;
    }
    let a = Few::new(&cores.a.core);
    let mut b = Few::new(&cores.b.core);
    b.place(cores.at, cores.moved);
    let tie = tolerance::TIE * cores.size;
    let mut seen = Seen::EMPTY;
    let best = seen.best(SimdLevel::detected(), (&a, &b), above, tie);
    let Best { distance, normal, .. } = best;
    if distance > above {
        return Some(Told::Apart);
    }
    let error = cores.error();
    let slack = tolerance::TILTED * cores.size;
    let (is_apart, is_overlap) = (distance > error, best.is_whole && distance < -slack);
    if is_overlap && !is_deep {
        return Some(Told::Overlap);
    }
    let gap =
        if is_apart || is_overlap && !best.is_tied { best.gap(&a, &b, error, slack) } else { None };
    Some(match gap {
        Some(gap) => Told::Gap(gap),
        None if is_apart => Told::Towards(normal * distance),
        None => Told::Open,
    })
}

/// A core with few edges, in A's frame.
pub(super) struct Few {
    /// The corners of a triangle; of all else the first is the middle.
    pub(super) points: [DVec3; 3],
    /// Half of the extents of what is as far on one side of its middle as on the other.
    pub(super) halves: [DVec3; 3],
    /// Along edges, of any length.
    pub(super) edges: [DVec3; 3],
    /// Of faces, of any length; of a box the unit vectors along its edges.
    pub(super) normals: [DVec3; 3],
    pub(super) edge_count: u8,
    pub(super) normal_count: u8,
    pub(super) is_triangle: bool,
    /// Whether no edge or face is missing that has a direction.
    pub(super) is_whole: bool,
}

impl Few {
    /// Whether a core has few edges, and some.
    pub(super) fn is(core: &Core<'_>) -> bool {
        matches!(core, Core::Segment(_) | Core::Cuboid(_) | Core::Triangle(_))
    }

    /// In the core's own frame; the origin for a core that is none.
    #[inline(always)]
    pub(super) fn new(core: &Core<'_>) -> Self {
        let mut few = Self {
            points: [DVec3::ZERO; 3],
            halves: [DVec3::ZERO; 3],
            edges: [DVec3::ZERO; 3],
            normals: [DVec3::ZERO; 3],
            edge_count: 0,
            normal_count: 0,
            is_triangle: false,
            is_whole: true,
        };
        match core {
            Core::Segment(ends) => {
                let [from, to] = ends.map(Vec3::as_dvec3);
                few.points[0] = (from + to) * 0.5;
                few.halves[0] = (to - from) * 0.5;
                (few.edges[0], few.edge_count) = (few.halves[0], 1);
            }
            Core::Cuboid(half) => {
                few.halves = [DVec3::X, DVec3::Y, DVec3::Z];
                let half = half.as_dvec3();
                few.halves[0].x *= half.x;
                few.halves[1].y *= half.y;
                few.halves[2].z *= half.z;
                (few.edges, few.normals) = (DVec3::AXES, DVec3::AXES);
                (few.edge_count, few.normal_count) = (3, 3);
            }
            Core::Triangle(corners) => few.add_triangle(corners.map(Vec3::as_dvec3)),
            Core::Point | Core::Hull(_) | Core::Cylinder(_) | Core::Cone(_) => {}
        }
        few
    }

    fn add_triangle(&mut self, corners: [DVec3; 3]) {
        let [p, q, r] = corners;
        (self.is_triangle, self.points) = (true, corners);
        (self.edges, self.edge_count) = ([q - p, r - q, p - r], 3);
        let normal = self.edges[0].cross(self.edges[1]);
        let most = self.edges[0].length_squared() * self.edges[1].length_squared();
        if normal.length_squared() > tolerance::SLANTED * most {
            (self.normals[0], self.normal_count) = (normal, 1);
        } else {
            self.is_whole = false;
        }
    }

    /// Brings what is B's into A's frame.
    #[inline(always)]
    pub(super) fn place(&mut self, at: &Relative, moved: DVec3) {
        let turn = at.rotation();
        let points = if self.is_triangle { 3 } else { 1 };
        for point in &mut self.points[..points] {
            *point = at.point_from_b(*point) + moved;
        }
        if self.normal_count == 3 {
            let axes = [turn.x_axis, turn.y_axis, turn.z_axis];
            let [x, y, z] = self.halves;
            self.halves = [axes[0] * x.x, axes[1] * y.y, axes[2] * z.z];
            (self.edges, self.normals) = (axes, axes);
            return;
        }
        self.halves[0] = *turn * self.halves[0];
        for edge in &mut self.edges {
            *edge = *turn * *edge;
        }
        self.normals[0] = *turn * self.normals[0];
    }

    /// Where it begins and ends along an axis.
    #[inline(always)]
    pub(super) fn span<R: Real>(&self, axis: Real3<R>) -> (R, R) {
        let p = along(axis, self.points[0]);
        if self.is_triangle {
            let (q, r) = (along(axis, self.points[1]), along(axis, self.points[2]));
            return (p.least(q).least(r), p.most(q).most(r));
        }
        let mut reach = along(axis, self.halves[0]).abs();
        if self.edge_count > 1 {
            let [_, y, z] = self.halves;
            reach = reach + along(axis, y).abs() + along(axis, z).abs();
        }
        (p - reach, p + reach)
    }

    /// The point farthest along a unit vector, in the middle of those that are as far.
    pub(super) fn farthest(&self, along: DVec3, level: f64) -> DVec3 {
        if self.is_triangle {
            let heights = self.points.map(|point| point.dot(along));
            let most = heights[0].max(heights[1]).max(heights[2]) - level;
            let (mut sum, mut count) = (DVec3::ZERO, 0.0);
            for (point, height) in self.points.iter().zip(heights) {
                if height >= most {
                    (sum, count) = (sum + *point, count + 1.0);
                }
            }
            return sum / count;
        }
        self.halves.iter().fold(self.points[0], |point, half| {
            let reach = half.dot(along);
            if reach.abs() <= level { point } else { point + *half * reach.signum() }
        })
    }

    /// Whether a point of a face's plane lies on the face, but for `slack`.
    pub(super) fn face_holds(&self, face: usize, point: DVec3, slack: f64) -> bool {
        if self.is_triangle {
            let normal = self.normals[0];
            // Not the sides between the corners, which far from the origin are rounding alone.
            return self.points.into_iter().zip(self.edges).all(|(from, side)| {
                let height = side.cross(point - from).dot(normal);
                height >= -slack * side.length() * normal.length()
            });
        }
        let off = point - self.points[0];
        (0..3).filter(|&k| k != face).all(|k| {
            let axis = self.edges[k];
            off.dot(axis).abs() <= self.halves[k].dot(axis) + slack
        })
    }

    /// The ends of the edge of a direction that lies farthest along a unit vector; `None` where the
    /// core goes farther than the edge.
    pub(super) fn edge(&self, place: usize, along: DVec3, slack: f64) -> Option<[DVec3; 2]> {
        if self.is_triangle {
            let [from, to, beyond] = [0, 1, 2].map(|k| self.points[(place + k) % 3]);
            let is_farthest = beyond.dot(along) <= from.dot(along).max(to.dot(along)) + slack;
            return is_farthest.then_some([from, to]);
        }
        let others = (0..3).filter(|&k| k != place).map(|k| self.halves[k]);
        let middle = others.fold(self.points[0], |point, half| {
            let reach = half.dot(along);
            if reach.abs() <= slack { point } else { point + half * reach.signum() }
        });
        Some([middle - self.halves[place], middle + self.halves[place]])
    }
}

#[inline(always)]
fn along<R: Real>(axis: Real3<R>, vector: DVec3) -> R {
    let all = axis.x;
    axis.dot(Real3::new(all.all(vector.x), all.all(vector.y), all.all(vector.z)))
}

/// The point of the first of two edges that is nearest to the other one's line, if it is one of the
/// edge, and so is the other's.
pub(super) fn nearest_on([from, to]: [DVec3; 2], [start, end]: [DVec3; 2]) -> Option<DVec3> {
    let (one, other, off) = (to - from, end - start, from - start);
    let (a, b, c) = (one.length_squared(), one.dot(other), other.length_squared());
    let (d, e) = (one.dot(off), other.dot(off));
    let square = a * c - b * b;
    let shares = [(b * e - c * d) / square, (a * e - b * d) / square];
    let is_within = |share: &f64| (0.0..=1.0).contains(share);
    shares.iter().all(is_within).then(|| from + one * shares[0])
}

impl Cores<'_> {
    /// The way out found so far, or, where rounding or a curved core left the depth open, the best
    /// of all axes that can be one between flat faces and straight edges.
    ///
    /// - Source: Gottschalk, Lin & Manocha, *OBBTree* (1996), for any two polytopes.
    pub(super) fn through_axes(&self, found: Gap) -> Gap {
        if found.at_most - found.distance <= tolerance::DEPTH_GAP * self.size {
            return found;
        }
        let (a, b) = (&self.a.core, &self.b.core);
        let unit = |edges: SmallVec<[DVec3; 6]>| -> SmallVec<[DVec3; 6]> {
            edges.into_iter().filter_map(DVec3::try_normalize).collect()
        };
        let turned = |edges: SmallVec<[DVec3; 6]>| -> SmallVec<[DVec3; 6]> {
            edges.into_iter().map(|edge| *self.at.rotation() * edge).collect()
        };
        let (edges_a, edges_b) = (unit(a.edges()), unit(turned(b.edges())));
        let crosses = edges_a.iter().flat_map(|one| edges_b.iter().map(|other| one.cross(*other)));
        let crosses = crosses.filter(|axis| axis.length_squared() > tolerance::PARALLEL_SQUARED);
        let axes = a.normals().into_iter().chain(turned(b.normals())).chain(crosses);
        let mut best = found;
        for axis in axes.filter_map(DVec3::try_normalize).flat_map(|axis| [axis, -axis]) {
            let distance = self.along(axis);
            if distance > best.distance + tolerance::TIE * self.size {
                best = Gap { distance, at_least: distance, normal: axis, ..best };
            }
        }
        // What parts two polytopes is the shortest way out, but rarely how far apart they are.
        let is_depth = self.is_exact() && best.distance <= 0.0;
        Gap { at_most: if is_depth { best.distance } else { best.at_most }, ..best }
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::convex::gjk::{self, Support};

    use super::*;
    use crate::convex::draw::Draw;

    /// How far a point of A's frame is from A's core, and from B's.
    fn off(cores: &Cores<'_>, point: DVec3) -> [f64; 2] {
        let to = |core: &dyn Fn(DVec3) -> DVec3| {
            let support = |n: DVec3| Support { a: core(n), b: point };
            gjk::nearest(support, DVec3::X, cores.size).distance
        };
        [to(&|n| cores.support(n).a), to(&|n| cores.support(-n).b)]
    }

    #[test]
    fn axes_tell_what_the_polytope_of_the_difference_tells() {
        let mut seen = [0; 5];
        for seed in 0..24_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let mut few = || loop {
                let shape = draw.cornered(scale);
                if shape.solid().is_some_and(|solid| Few::is(&solid.core)) {
                    break shape;
                }
            };
            let (one, other) = (few(), few());
            let place = draw.vector() * scale * if seed.is_multiple_of(16) { 1e3 } else { 1.0 };
            let away = draw.vector() * scale * if seed.is_multiple_of(32) { 0.0 } else { 1.6 };
            let (pose, there) = (draw.pose(place), draw.pose(place + away));
            let at = Relative::new(&pose, &there);
            let (one, other) = (one.solid().unwrap(), other.solid().unwrap());
            let cores = Cores::new(&one, &other, &at);
            let (slack, far) = (cores.size / (1_u64 << 38) as f64, f64::from(scale) * 0.25);
            let expected = cores.gap(cores.start());
            let above = if seed.is_multiple_of(2) { f64::INFINITY } else { far };
            let kind = match told(&cores, above, seed % 3 > 0).unwrap() {
                Told::Apart => {
                    assert!(expected.distance > far - slack, "seed {seed}: {expected:?}");
                    0
                }
                Told::Overlap => {
                    let least = tolerance::TILTED * cores.size - cores.error();
                    assert!(expected.distance < -least, "seed {seed}: {expected:?}");
                    1
                }
                Told::Gap(gap) => {
                    // A regression: what a tilted axis does not see was taken for known.
                    assert!(gap.at_most - gap.distance >= 0.5 * tolerance::TILTED * cores.size);
                    let error = (gap.distance - expected.distance).abs();
                    assert!(error <= slack, "seed {seed}: {gap:?} {expected:?}");
                    let point_b = gap.point_a + gap.normal * gap.distance;
                    let off = [off(&cores, gap.point_a)[0], off(&cores, point_b)[1]];
                    assert!(off.iter().all(|&off| off <= slack), "seed {seed}: {off:?}");
                    assert!((gap.normal.length() - 1.0).abs() < 1e-12, "seed {seed}");
                    if gap.distance > 0.0 { 2 } else { 3 }
                }
                Told::Towards(way) => {
                    assert!(cores.along(way.normalize()) > 0.0, "seed {seed}");
                    4
                }
                Told::Open => continue,
            };
            seen[kind] += 1;
        }
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
    }
}
