//! First touch of a convex solid that moves along a line with one that rests.

use impinge_shapes::convex::Solid;
use impinge_shapes::glam::{DVec3, Vec3};

use super::{Cores, Gap};
use crate::{Impact, Relation, Relative, tolerance};

/// How a straight path runs past the other core, as far as f64 knows.
pub(super) enum Path {
    /// It comes to touch.
    Touches(Impact),
    /// It stays clear.
    Clear,
    /// It touches here, or passes so near that rounding hides which.
    Near(Impact),
}

/// First touch of B, which moves by `motion`, with A, which rests.
///
/// - Frame: `motion` is in the world's axes; the answer is in A's frame.
/// - Degenerate: touching at the start is a hit at 0 if the motion leads into penetration, and no
///   hit otherwise.
/// - Error: whether there is a hit is exact for polytopes, grown or not: f64 is believed where a
///   plane certainly parts the path from the other, or where the path certainly leads into it;
///   the rest is decided by the vertices. With a cylinder or a cone a path that passes within
///   2^-44 of the sizes and the path counts as a hit. The fraction is
///   never later than the exact one by more than 2^-38 of the sizes and the path, over the speed
///   along the normal.
/// - Source: van den Bergen, *Ray casting against general convex objects* (2004), as a ray at the
///   surface of the difference; where that is open, as Newton's method on the convex distance.
#[must_use]
pub fn sweep<'a>(
    a: impl Into<Solid<'a>>,
    b: impl Into<Solid<'a>>,
    b_in_a: &Relative,
    motion: Vec3,
) -> Option<Impact> {
    swept(&Cores::new(&a.into(), &b.into(), b_in_a), motion, None)
}

/// [`sweep`] where the relation at the start is known.
pub(crate) fn sweep_from(
    a: Solid<'_>,
    b: Solid<'_>,
    b_in_a: &Relative,
    motion: Vec3,
    relation: Relation,
) -> Option<Impact> {
    let cores = Cores::new(&a, &b, b_in_a);
    if relation == Relation::Touching && cores.is_exact() {
        // What slides along the other, or leaves it, is told sooner than where that might end.
        let gap = || cores.gap(b_in_a.translation()).normal;
        let normal = cores.face().unwrap_or_else(gap);
        if cores.settled(normal, Some(motion)) != Relation::Penetrating {
            return None;
        }
    }
    swept(&cores, motion, Some(relation))
}

fn swept(cores: &Cores<'_>, motion: Vec3, relation: Option<Relation>) -> Option<Impact> {
    let way = cores.at.vector_from_world(motion.as_dvec3());
    // The distance of a point is a formula, so that a few steps by it are sooner done.
    let cast = if cores.has_point() { None } else { cores.cast(way, 1.0) };
    match cast.unwrap_or_else(|| cores.path(way)) {
        Path::Touches(impact) => Some(impact),
        Path::Clear => None,
        Path::Near(impact) => cores.decided(impact, motion, relation),
    }
}

/// [`sweep`] of two that are certainly apart at the start, to the bit, where a ray at the surface of
/// the difference tells; `None` inside for a path that is clear, or clear up to the share `most`
/// of it.
pub(crate) fn sweep_from_afar(
    a: Solid<'_>,
    b: Solid<'_>,
    b_in_a: &Relative,
    motion: Vec3,
    most: f64,
) -> Option<Option<Impact>> {
    let cores = Cores::new(&a, &b, b_in_a);
    if cores.has_point() {
        return None;
    }
    match cores.cast(b_in_a.vector_from_world(motion.as_dvec3()), most)? {
        Path::Touches(impact) => Some(Some(impact)),
        Path::Clear => Some(None),
        Path::Near(_) => None,
    }
}

/// The share of a path that certainly does not pass a plane at this distance, of which `error` is
/// the bound; the path is no longer than `travel` and approaches it by `approach`.
pub(crate) fn step(distance: f64, approach: f64, travel: f64, error: f64) -> f64 {
    let is_slanting = approach * tolerance::SLANTING < travel;
    let short = if is_slanting { tolerance::SHORT * error } else { 0.0 };
    (distance - short) / approach
}

impl Cores<'_> {
    /// The path, by steps of the distance over the speed along the normal.
    pub(super) fn path(&self, motion: DVec3) -> Path {
        let travel = motion.abs().element_sum();
        let error = tolerance::FRAME * (self.size + travel);
        let exact = self.is_exact();
        let mut fraction = 0.0_f64;
        let mut there = *self;
        let mut gap = self.gap(self.at.translation());
        for _ in 0..tolerance::ADVANCE_ITERATIONS {
            // Each step ends where a plane that was seen to part the two does; the lower bound may be
            // that of a plane across another direction, and on a round side rounding may end the
            // search too far out.
            let mut distance = if exact { gap.at_least } else { gap.distance } - self.radius;
            let approach = -gap.normal.dot(motion);
            if exact || distance > error {
                let parted = there.along(gap.normal) - self.radius;
                if !exact && parted <= error {
                    return Path::Near(self.impact(&gap, fraction));
                }
                let differ = (distance - parted).abs() > error;
                distance = if exact && differ { parted } else { distance.min(parted) };
            }
            if distance <= error {
                let impact = self.impact(&gap, fraction);
                let enters = fraction > 0.0 && exact && self.enters(motion, fraction, approach);
                return if enters { Path::Touches(impact) } else { Path::Near(impact) };
            }
            if approach <= 0.0 || fraction >= 1.0 {
                let certain = distance > 2.0 * error;
                return if certain { Path::Clear } else { Path::Near(self.impact(&gap, fraction)) };
            }
            fraction = (fraction + step(distance, approach, travel, error)).min(1.0);
            let before = gap.normal;
            there = self.moved(motion * fraction);
            gap = there.gap(before);
            // Without a distance there is no direction but that which led here.
            if gap.distance <= error && gap.normal.dot(motion) >= 0.0 {
                gap.normal = before;
            }
        }
        Path::Near(self.impact(&gap, fraction))
    }

    /// Whether the path certainly leads into the other core a little beyond `fraction`, where it
    /// is about to touch.
    ///
    /// How steeply it goes there does not tell: beside an edge it may still pass.
    fn enters(&self, motion: DVec3, fraction: f64, approach: f64) -> bool {
        let travel = motion.abs().element_sum();
        let beyond = tolerance::PROBE * (self.size + travel) / approach;
        let there = self.moved(motion * (fraction + beyond.max(0.0)).min(1.0));
        if self.radius > 0.0 {
            return there.nearest(motion).distance + there.error() < self.radius;
        }
        there.known(&there.gap(motion)) == Some(Relation::Penetrating)
    }

    fn impact(&self, gap: &Gap, fraction: f64) -> Impact {
        let found = self.grown(gap);
        let point = (found.point_a + found.point_b) * 0.5;
        Impact { fraction, normal: gap.normal, point }
    }

    /// An impact of two that come to touch, no sooner than planes part them: next to a surface that
    /// the path runs along, rounding hides which way the nearest points are from each other, so that
    /// they seem to touch along another, or are farther apart than along the one that was told.
    fn held(&self, motion: DVec3, impact: Impact) -> Impact {
        let travel = motion.abs().element_sum();
        let error = tolerance::FRAME * (self.size + travel);
        let is_slanting = impact.normal.dot(motion).abs() * tolerance::SLANTING < travel;
        if !is_slanting {
            let there = self.moved(motion * impact.fraction);
            if there.gap(impact.normal).at_least - self.radius <= error {
                return impact;
            }
        }
        match self.parted_longest(motion, impact.fraction, error) {
            Some((share, normal)) => {
                let fraction = share.min(1.0);
                let gap = Gap { normal, ..self.moved(motion * fraction).gap(normal) };
                self.impact(&gap, fraction)
            }
            None => impact,
        }
    }

    /// A path that touches or passes near: exact for polytopes, which sweep out a polytope. The
    /// relation at the start may be known.
    fn decided(&self, impact: Impact, motion: Vec3, start: Option<Relation>) -> Option<Impact> {
        if !self.is_exact() {
            let along = -impact.normal.dot(self.at.vector_from_world(motion.as_dvec3()));
            return (impact.fraction > 0.0 || along > 0.0).then_some(impact);
        }
        let start = start.unwrap_or_else(|| self.relation(&self.gap(self.at.translation())));
        match (start, self.settled(impact.normal, Some(motion))) {
            // Touching at the start, only what leads into penetration is a hit.
            (Relation::Apart, Relation::Touching | Relation::Penetrating)
            | (Relation::Touching, Relation::Penetrating) => {
                let way = self.at.vector_from_world(motion.as_dvec3());
                let impact = if start == Relation::Apart { self.held(way, impact) } else { impact };
                // Nearer than f64 sees, a flat core has two sides; the motion tells which.
                let along = impact.normal.dot(way);
                let normal = if along > 0.0 { -impact.normal } else { impact.normal };
                Some(Impact { normal, ..impact })
            }
            _ => None,
        }
    }
}

/// How A lies to all that B passes over on its way by `motion`, along the world's axes; exact for
/// polytopes, grown or not.
pub(crate) fn swept_relation<'a>(
    a: impl Into<Solid<'a>>,
    b: impl Into<Solid<'a>>,
    b_in_a: &Relative,
    motion: Vec3,
) -> Relation {
    Cores::new(&a.into(), &b.into(), b_in_a).settled(DVec3::ZERO, Some(motion))
}
