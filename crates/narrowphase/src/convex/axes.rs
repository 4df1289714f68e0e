//! Segments, triangles and boxes, told by the few axes that can part them; and all axes of others,
//! where nothing else has told their depth.

use impinge_shapes::convex::Core;
use impinge_shapes::glam::DVec3;
use impinge_shapes::simd::SimdLevel;
use smallvec::SmallVec;

use super::few::{Few, with_few};
use super::looks::{Best, Seen};
use super::sweep::step;
use super::{Cores, Gap, Proof};
use crate::{segment, tolerance};

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
/// or boxes. How deep they overlap is told where `is_deep` says so. An end of a segment that is nearest
/// to a triangle tells the two without any axis.
///
/// - Error: of a gap as of [`Cores::gap_of`]. An axis across edges that tells it is within 2^-41 of the
///   direction it stands for, and yes or no is only told beyond [`tolerance::TILTED`] of the size; one
///   across edges next to parallel tells nothing but that another is the best.
pub(super) fn told(cores: &Cores<'_>, above: f64, is_deep: bool) -> Option<Told> {
    if let Some(gap) = cores.gap_of_end() {
        return Some(if gap.at_least > above { Told::Apart } else { Told::Gap(gap) });
    }
    with_few!(&cores.a.core, a => with_few!(&cores.b.core, b => {
        let mut b = b;
        Some(told_of(cores, &a, &mut b, above, is_deep))
    }))
}

/// As [`told`], of A and of B in its own frame.
#[inline(always)]
fn told_of<A: Few, B: Few>(cores: &Cores<'_>, a: &A, b: &mut B, above: f64, is_deep: bool) -> Told {
    b.place(cores.at, cores.moved);
    let mut seen = Seen::EMPTY;
    let best = seen.best(SimdLevel::detected(), (a, b), above, cores.size);
    let Best { distance, normal, .. } = best;
    if distance > above {
        return Told::Apart;
    }
    let error = cores.error();
    let slack = tolerance::TILTED * cores.size;
    let (is_apart, is_overlap) = (distance > error, best.is_whole && distance < -slack);
    if is_overlap && !is_deep {
        return Told::Overlap;
    }
    let is_clear = is_apart || is_overlap && !best.is_tied;
    match if is_clear { best.gap(a, b, error, slack) } else { None } {
        Some(gap) => Told::Gap(gap),
        None if is_apart => match between_edges(cores, a, b) {
            Some(gap) if gap.at_least > above => Told::Apart,
            Some(gap) => Told::Gap(gap),
            None => Told::Towards(normal * distance),
        },
        None => Told::Open,
    }
}

/// The gap of a segment and a triangle whose nearest points are on edges of both, where a plane
/// between these proves it; `None` for other cores.
fn between_edges<A: Few, B: Few>(cores: &Cores<'_>, a: &A, b: &B) -> Option<Gap> {
    // One edge and three, and one face.
    if (A::EDGES + B::EDGES, A::FACES + B::FACES) != (4, 1) {
        return None;
    }
    let mut nearest: Option<(DVec3, DVec3, DVec3, segment::Nearest)> = None;
    for (from_a, along_a) in a.sides() {
        for (from_b, along_b) in b.sides() {
            let found = segment::nearest(from_b - from_a, along_a, along_b);
            let square = found.between.length_squared();
            if nearest.is_none_or(|(.., least)| square < least.between.length_squared()) {
                nearest = Some((from_a, along_a, along_b, found));
            }
        }
    }
    let (from_a, along_a, along_b, found) = nearest?;
    let mut normal = found.direction.try_normalize()?;
    // Between ends no way is at right angles to an edge; otherwise rounding tilts a short one.
    for (along, share) in [(along_a, found.s), (along_b, found.t)] {
        if segment::feature(share) == 2 {
            normal = segment::straighten(normal, along);
        }
    }
    let distance = found.between.length();
    let (at_least, at_most) = (cores.along(normal), distance);
    let is_clear = distance > cores.error()
        && distance - at_least <= impinge_shapes::tolerance::GJK_GAP * distance;
    let point_a = from_a + along_a * found.s;
    is_clear.then_some(Gap { distance, at_least, at_most, proof: Proof::Bounds, normal, point_a })
}

/// The points of two edges that are nearest to the other one's line, if they are some of the edges.
pub(super) fn nearest_on([from, to]: [DVec3; 2], [start, end]: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let (one, other, off) = (to - from, end - start, from - start);
    let (a, b, c) = (one.length_squared(), one.dot(other), other.length_squared());
    let (d, e) = (one.dot(off), other.dot(off));
    let square = a * c - b * b;
    let shares = [(b * e - c * d) / square, (a * e - b * d) / square];
    let is_within = |share: &f64| (0.0..=1.0).contains(share);
    shares.iter().all(is_within).then(|| [from + one * shares[0], start + other * shares[1]])
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
        let mut best = found;
        self.for_each_axis(None, |axis| {
            let distance = self.along(axis);
            if distance > best.distance + tolerance::TIE * self.size {
                best = Gap { distance, at_least: distance, normal: axis, ..best };
            }
        });
        // What parts two polytopes is the shortest way out, but rarely how far apart they are.
        let is_depth = self.is_exact() && best.distance <= 0.0;
        Gap { at_most: if is_depth { best.distance } else { best.at_most }, ..best }
    }

    /// The plane along a face or two edges that parts the grown cores for the longest part of a path,
    /// if that is longer than `share` of it: that part, and the direction from A to B. `error` is the
    /// bound of a distance, as [`step`] has it.
    ///
    /// - Source: as of [`Cores::through_axes`]; on each axis a path enters at a time of its own. Where
    ///   the cores differ by what is flat, or a line, that is along its edges.
    pub(super) fn parted_longest(
        &self,
        motion: DVec3,
        share: f64,
        error: f64,
    ) -> Option<(f64, DVec3)> {
        let travel = motion.abs().element_sum();
        let (mut longest, mut by) = (share, None);
        self.for_each_axis(Some(motion), |axis| {
            let (distance, approach) = (self.along(axis) - self.radius, -axis.dot(motion));
            // Along a plane even the approach is mostly rounding.
            if distance > error && approach > tolerance::FRAME * travel {
                let part = step(distance, approach, travel, error);
                if part > longest {
                    (longest, by) = (part, Some(axis));
                }
            }
        });
        by.map(|axis| (longest, axis))
    }

    /// Calls back for both ways along each axis that flat faces and straight edges make; with a motion
    /// also along those that a flat difference of the cores makes: across its edges within its plane,
    /// and towards the motion across each edge and without one.
    fn for_each_axis(&self, motion: Option<DVec3>, mut visit: impl FnMut(DVec3)) {
        let ([edges_a, edges_b], normals) = (self.edges(), self.normals());
        let crosses = edges_a.iter().flat_map(|one| edges_b.iter().map(|other| one.cross(*other)));
        let crosses = crosses.filter(|axis| axis.length_squared() > tolerance::PARALLEL_SQUARED);
        both_ways(normals.iter().flatten().copied().chain(crosses), &mut visit);
        let Some(motion) = motion else { return };
        let edges = || edges_a.iter().chain(&edges_b);
        // Those of a solid hull are many, and nothing that it differs by is flat.
        let flat = normals.iter().filter(|normals| normals.len() <= 3).flatten();
        let within = flat.flat_map(|normal| edges().map(|edge| normal.cross(*edge)));
        let towards = edges().map(|edge| edge.cross(motion).cross(*edge));
        both_ways(within.chain(towards).chain([motion]), visit);
    }

    /// Directions of A's and of B's edges, unit, in A's frame.
    fn edges(&self) -> [SmallVec<[DVec3; 6]>; 2] {
        let (a, b) = (self.a.core.edges().into_iter(), self.turned(self.b.core.edges()));
        [a.filter_map(DVec3::try_normalize).collect(), b.filter_map(DVec3::try_normalize).collect()]
    }

    /// Normals of A's and of B's faces, in A's frame.
    fn normals(&self) -> [SmallVec<[DVec3; 6]>; 2] {
        [self.a.core.normals(), self.turned(self.b.core.normals()).collect()]
    }

    /// Directions of B's frame in A's.
    fn turned(&self, all: SmallVec<[DVec3; 6]>) -> impl Iterator<Item = DVec3> {
        let rotation = *self.at.rotation();
        all.into_iter().map(move |one| rotation * one)
    }
}

/// Calls back for the unit vectors along all axes that have a length, and against them.
fn both_ways(axes: impl Iterator<Item = DVec3>, visit: impl FnMut(DVec3)) {
    axes.filter_map(DVec3::try_normalize).flat_map(|axis| [axis, -axis]).for_each(visit);
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Pose;
    use impinge_shapes::glam::Quat;

    use super::*;
    use crate::Relative;
    use crate::convex::draw::{Draw, off};

    #[test]
    fn axes_tell_what_the_polytope_of_the_difference_tells() {
        let (mut seen, mut between, mut slanted) = ([0; 5], 0, [0; 3]);
        for seed in 0..24_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let mut few = || loop {
                let shape = draw.cornered(scale);
                let core = shape.solid().map(|solid| solid.core);
                if let Some(Core::Segment(_) | Core::Cuboid(_) | Core::Triangle(_)) = core {
                    break shape;
                }
            };
            let (one, other) = (few(), few());
            let place = draw.vector() * scale * if seed.is_multiple_of(16) { 1e3 } else { 1.0 };
            let away = draw.vector() * scale * if seed.is_multiple_of(32) { 0.0 } else { 1.6 };
            let (pose, mut there) = (draw.pose(place), draw.pose(place + away));
            // Edges of boxes next to parallel, too.
            let lean = [1e-2, 1e-5, 1e-8][usize::try_from(draw.below(3)).unwrap()];
            if seed % 4 == 1 {
                let lean = Quat::from_vec4((draw.vector() * lean, 1.0).into());
                there = Pose::new(there.position(), pose.rotation() * lean).unwrap();
            }
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
                    // A regression: what a tilted axis does not see was taken for known. Points of
                    // edges leave nothing unseen.
                    let unseen = gap.at_most - gap.distance;
                    let are_points = gap.distance > 0.0
                        && matches!(
                            (&one.core, &other.core),
                            (Core::Segment(_), Core::Triangle(_))
                                | (Core::Triangle(_), Core::Segment(_))
                        );
                    between += u32::from(unseen <= 0.0);
                    let least = 0.5 * tolerance::TILTED * cores.size;
                    assert!(unseen >= least || are_points && unseen <= 0.0, "seed {seed}: {gap:?}");
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
            if seed % 4 == 1 && kind == 3 {
                slanted[usize::from(lean > 1e-6) + usize::from(lean > 1e-3)] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 1_000), "{seen:?}");
        // How many overlap by so much beside edges that hardly part, are next to parallel, and nearly.
        assert!(slanted.iter().all(|&count| count > 100), "{slanted:?}");
        assert!(between > 500, "{between} by points of edges");
    }
}
