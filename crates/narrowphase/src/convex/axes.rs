//! Segments, triangles and boxes, told by the few axes that can part them; and all axes of others,
//! where nothing else has told their depth.

use fearless_simd::{Simd, f64x8, prelude::*};
use impinge_shapes::convex::Core;
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use super::{Cores, Gap};
use crate::lanes::lanes;
use crate::real::{Real, Real3};
use crate::{Relative, tolerance};

/// Axes that are looked along at once.
const LANES: usize = 8;

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
    let mut looks = Looks {
        a: &a,
        b: &b,
        level: SimdLevel::detected(),
        above,
        tie: tolerance::TIE * cores.size,
        block: Block::EMPTY,
        normal: DVec3::X,
        distance: f64::NEG_INFINITY,
        source: Source::FaceOfA(0),
        is_tied: false,
        is_whole: a.is_whole && b.is_whole,
    };
    looks.run();
    let Looks { distance, normal, .. } = looks;
    if distance > above {
        return Some(Told::Apart);
    }
    let error = cores.error();
    let slack = tolerance::TILTED * cores.size;
    let (is_apart, is_overlap) = (distance > error, looks.is_whole && distance < -slack);
    if is_overlap && !is_deep {
        return Some(Told::Overlap);
    }
    let gap = if is_apart || is_overlap && !looks.is_tied { looks.gap(error, slack) } else { None };
    Some(match gap {
        Some(gap) => Told::Gap(gap),
        None if is_apart => Told::Towards(normal * distance),
        None => Told::Open,
    })
}

/// Where an axis comes from.
#[derive(Clone, Copy)]
enum Source {
    FaceOfA(u8),
    FaceOfB(u8),
    Edges(u8, u8),
}

/// Axes to look along, coordinate by coordinate, and what is seen along each.
struct Block {
    /// Of any length before, unit after.
    axes: [[f64; LANES]; 3],
    sources: [Source; LANES],
    count: usize,
    /// How far B begins beyond A along each axis.
    ahead: [f64; LANES],
    /// How far A begins beyond B.
    behind: [f64; LANES],
}

impl Block {
    const EMPTY: Self = Self {
        // Those that are not used have a length, too.
        axes: [[1.0; LANES], [0.0; LANES], [0.0; LANES]],
        sources: [Source::FaceOfA(0); LANES],
        count: 0,
        ahead: [0.0; LANES],
        behind: [0.0; LANES],
    };

    #[inline]
    fn look(&mut self, level: SimdLevel, a: &Few, b: &Few) {
        if lanes!(level, simd => self.side_by_side(simd, a, b)).is_some() {
            return;
        }
        for k in 0..self.count {
            let [x, y, z] = self.axes.each_ref().map(|lanes| lanes[k]);
            let (axis, ahead, behind) = seen_along(Real3::new(x, y, z), a, b);
            (self.axes[0][k], self.axes[1][k], self.axes[2][k]) = (axis.x, axis.y, axis.z);
            (self.ahead[k], self.behind[k]) = (ahead, behind);
        }
    }

    #[inline(always)]
    fn side_by_side<S: Simd>(&mut self, simd: S, a: &Few, b: &Few) {
        let [x, y, z] = self.axes;
        let axis = Real3::new(
            f64x8::load_array(simd, x),
            f64x8::load_array(simd, y),
            f64x8::load_array(simd, z),
        );
        let (axis, ahead, behind) = seen_along(axis, a, b);
        self.axes = [axis.x.into(), axis.y.into(), axis.z.into()];
        (self.ahead, self.behind) = (ahead.into(), behind.into());
    }
}

/// The axis as a unit vector, how far B begins beyond A along it, and A beyond B.
#[inline(always)]
fn seen_along<R: Real>(axis: Real3<R>, a: &Few, b: &Few) -> (Real3<R>, R, R) {
    let axis = axis * (axis.x.all(1.0) / axis.dot(axis).sqrt());
    let ((low_a, high_a), (low_b, high_b)) = (a.span(axis), b.span(axis));
    (axis, low_b - high_a, low_a - high_b)
}

#[inline(always)]
fn along<R: Real>(axis: Real3<R>, vector: DVec3) -> R {
    let all = axis.x;
    axis.dot(Real3::new(all.all(vector.x), all.all(vector.y), all.all(vector.z)))
}

/// The search for the axis along which two cores are farthest apart or overlap least.
struct Looks<'f> {
    a: &'f Few,
    b: &'f Few,
    level: SimdLevel,
    above: f64,
    /// Distances that differ by less are tied.
    tie: f64,
    block: Block,
    /// Of the best axis, unit, from A to B.
    normal: DVec3,
    /// Signed, along it.
    distance: f64,
    source: Source,
    /// Whether another direction is as good.
    is_tied: bool,
    /// Whether all axes were looked along that could be better.
    is_whole: bool,
}

impl Looks<'_> {
    fn run(&mut self) {
        let (a, b) = (self.a, self.b);
        for (k, &normal) in (0..a.normal_count).zip(&a.normals) {
            self.add(normal, Source::FaceOfA(k));
        }
        for (k, &normal) in (0..b.normal_count).zip(&b.normals) {
            self.add(normal, Source::FaceOfB(k));
        }
        for (i, &one) in (0..a.edge_count).zip(&a.edges) {
            for (j, &other) in (0..b.edge_count).zip(&b.edges) {
                let across = one.cross(other);
                let most = one.length_squared() * other.length_squared();
                let is_clear = across.length_squared() > tolerance::SLANTED * most;
                if !is_clear {
                    self.is_whole = false;
                } else if self.add(across, Source::Edges(i, j)) {
                    return;
                }
            }
        }
        self.look();
    }

    /// One more axis; whether those before tell enough.
    #[inline]
    fn add(&mut self, axis: DVec3, source: Source) -> bool {
        if self.block.count == LANES {
            self.look();
            if self.distance > self.above {
                return true;
            }
        }
        let block = &mut self.block;
        let place = block.count % LANES;
        (block.axes[0][place], block.axes[1][place], block.axes[2][place]) =
            (axis.x, axis.y, axis.z);
        block.sources[place] = source;
        block.count = place + 1;
        false
    }

    fn look(&mut self) {
        self.block.look(self.level, self.a, self.b);
        for k in 0..self.block.count {
            self.choose(k);
        }
        self.block.count = 0;
    }

    /// Takes an axis if it is better than those before.
    #[inline]
    fn choose(&mut self, k: usize) {
        let (ahead, behind) = (self.block.ahead[k], self.block.behind[k]);
        let distance = ahead.max(behind);
        if distance < self.distance - self.tie {
            return;
        }
        let [x, y, z] = self.block.axes.each_ref().map(|lanes| lanes[k]);
        let axis = DVec3::new(x, y, z);
        let normal = if behind > ahead { -axis } else { axis };
        if distance > self.distance + self.tie {
            (self.normal, self.distance) = (normal, distance);
            self.source = self.block.sources[k];
            self.is_tied = (ahead - behind).abs() <= self.tie;
        } else {
            let is_same = normal.dot(self.normal) > 0.0
                && normal.cross(self.normal).length_squared() <= tolerance::SAME_AXIS;
            self.is_tied |= !is_same;
        }
    }

    /// The gap, if the two meet along the best axis, apart or on the way out.
    fn gap(&self, error: f64, slack: f64) -> Option<Gap> {
        let Self { a, b, normal, distance, .. } = *self;
        let point_a = match self.source {
            Source::FaceOfA(k) => {
                let foot = b.farthest(-normal, error) - normal * distance;
                a.face_holds(k.into(), foot, error).then_some(foot)?
            }
            Source::FaceOfB(k) => {
                let corner = a.farthest(normal, error);
                b.face_holds(k.into(), corner + normal * distance, error).then_some(corner)?
            }
            Source::Edges(i, j) => {
                let on_a = a.edge(i.into(), normal, error)?;
                nearest_on(on_a, b.edge(j.into(), -normal, error)?)?
            }
        };
        // Along an axis that is not quite the right one the cores are apart by less.
        let (at_least, at_most) = (distance, distance + slack);
        Some(Gap { distance, at_least, at_most, proven: true, normal, point_a })
    }
}

/// A core with few edges, in A's frame.
struct Few {
    /// The corners of a triangle; of all else the first is the middle.
    points: [DVec3; 3],
    /// Half of the extents of what is as far on one side of its middle as on the other.
    halves: [DVec3; 3],
    /// Along edges, of any length.
    edges: [DVec3; 3],
    /// Of faces, of any length; of a box the unit vectors along its edges.
    normals: [DVec3; 3],
    edge_count: u8,
    normal_count: u8,
    is_triangle: bool,
    /// Whether no edge or face is missing that has a direction.
    is_whole: bool,
}

impl Few {
    /// Whether a core has few edges, and some.
    fn is(core: &Core<'_>) -> bool {
        matches!(core, Core::Segment(_) | Core::Cuboid(_) | Core::Triangle(_))
    }

    /// In the core's own frame; the origin for a core that is none.
    #[inline(always)]
    fn new(core: &Core<'_>) -> Self {
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
    fn place(&mut self, at: &Relative, moved: DVec3) {
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
    fn span<R: Real>(&self, axis: Real3<R>) -> (R, R) {
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
    fn farthest(&self, along: DVec3, level: f64) -> DVec3 {
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
    fn face_holds(&self, face: usize, point: DVec3, slack: f64) -> bool {
        if self.is_triangle {
            let [p, q, r] = self.points;
            let normal = self.normals[0];
            return [(p, q), (q, r), (r, p)].into_iter().all(|(from, to)| {
                let side = to - from;
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
    fn edge(&self, place: usize, along: DVec3, slack: f64) -> Option<[DVec3; 2]> {
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

/// The point of the first of two edges that is nearest to the other one's line, if it is one of the
/// edge, and so is the other's.
fn nearest_on([from, to]: [DVec3; 2], [start, end]: [DVec3; 2]) -> Option<DVec3> {
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
        let exact = a.vertices().is_some() && b.vertices().is_some();
        Gap { at_most: if exact { best.distance } else { best.at_most }, ..best }
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
            let cores = Cores::new(one.solid().unwrap(), other.solid().unwrap(), &at);
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
