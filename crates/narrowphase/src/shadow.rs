//! What a solid passes over on a straight way, seen along the way and from the side: a cheap look at
//! what it cannot meet.

use impinge_shapes::convex::Solid;
use impinge_shapes::glam::{DMat3, DVec3};

use crate::tolerance;

/// Looks across the way, an eighth of half a turn from each other, and one along it.
const LOOKS: usize = 5;

/// A straight way, and the directions that shadows are seen along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    /// Unit; the last one is that of the way.
    looks: [DVec3; LOOKS],
    length: f64,
    /// Sum of the way's coordinates.
    size: f64,
}

/// How far something reaches along the looks of a course.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadow {
    low: [f64; LOOKS],
    high: [f64; LOOKS],
    /// Sum of the coordinates that went in.
    size: f64,
}

impl Course {
    /// `None` for a way without a direction.
    pub(crate) fn new(way: DVec3) -> Option<Self> {
        let ahead = way.try_normalize()?;
        let (one, other) = ahead.any_orthonormal_pair();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let looks = [one, other, (one + other) * half, (one - other) * half, ahead];
        Some(Self { looks, length: way.length(), size: way.abs().element_sum() })
    }

    /// The shadow of a solid whose axes are the columns of `turn`, around `place`.
    pub(crate) fn shadow(&self, solid: &Solid<'_>, turn: &DMat3, place: DVec3) -> Shadow {
        let (core, radius) = (&solid.core, solid.radius());
        let (mut low, mut high) = ([0.0; LOOKS], [0.0; LOOKS]);
        for (look, (low, high)) in self.looks.iter().zip(low.iter_mut().zip(&mut high)) {
            let own =
                DVec3::new(turn.x_axis.dot(*look), turn.y_axis.dot(*look), turn.z_axis.dot(*look));
            let middle = look.dot(place);
            *high = middle + own.dot(core.support_nearly(own)) + radius;
            *low = middle + own.dot(core.support_nearly(-own)) - radius;
        }
        let size = place.abs().element_sum() + core.reach().element_sum() + radius;
        Shadow { low, high, size }
    }

    /// The shadow of a triangle in the frame of the way.
    #[inline]
    pub(crate) fn shadow_of_triangle(&self, [a, b, c]: [DVec3; 3]) -> Shadow {
        let (mut low, mut high) = ([0.0; LOOKS], [0.0; LOOKS]);
        for (look, (low, high)) in self.looks.iter().zip(low.iter_mut().zip(&mut high)) {
            let (p, q, r) = (look.dot(a), look.dot(b), look.dot(c));
            *low = p.min(q).min(r);
            *high = p.max(q).max(r);
        }
        let most = a.abs().max(b.abs()).max(c.abs());
        Shadow { low, high, size: most.element_sum() }
    }

    /// Whether what casts one shadow, going along the way, certainly does not meet what casts the
    /// other before the share `most` of it; what it touches anywhere up to there is met.
    ///
    /// - Error: a height along a look is within [`tolerance::FRAME`] of the sizes; that is allowed
    ///   for twice.
    #[inline]
    pub(crate) fn misses(&self, mover: &Shadow, resting: &Shadow, most: f64) -> bool {
        let slack = 2.0 * tolerance::FRAME * (mover.size + resting.size + self.size);
        let mut gap = f64::NEG_INFINITY;
        for k in 0..LOOKS - 1 {
            let ahead = resting.low[k] - mover.high[k];
            gap = gap.max(ahead).max(mover.low[k] - resting.high[k]);
        }
        const ALONG: usize = LOOKS - 1;
        let behind = mover.low[ALONG] - resting.high[ALONG];
        let beyond = resting.low[ALONG] - mover.high[ALONG] - self.length * most;
        gap.max(behind).max(beyond) > slack
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Pose;
    use impinge_shapes::convex::Core;
    use impinge_shapes::glam::Vec3;

    use super::*;
    use crate::convex::draw::Draw;
    use crate::{Relation, Relative, convex};

    #[test]
    fn what_is_missed_is_not_touched_on_the_way() {
        let (mut missed, mut early, mut met) = (0, 0, 0);
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let shape = if seed % 4 == 0 { draw.round(scale) } else { draw.cornered(scale) };
            let solid = shape.solid().unwrap();
            let corners = [(); 3].map(|()| draw.vector() * scale);
            let ahead = draw.vector().normalize_or(Vec3::X);
            let pose = draw.vector() * scale * 1.5 - ahead * scale * 3.0;
            let pose = draw.pose(pose);
            let way = ahead * scale * 6.0 * draw.next().abs();
            let most = if seed % 3 == 0 { f64::from(draw.next().abs()) } else { 1.0 };
            let Some(course) = Course::new(way.as_dvec3()) else { continue };
            let shadow = course.shadow(&solid, &pose.rotation_matrix(), pose.translation());
            let resting = course.shadow_of_triangle(corners.map(Vec3::as_dvec3));
            let triangle = Solid::from(Core::Triangle(corners));
            let at = Relative::new(&Pose::IDENTITY, &pose);
            let hit = convex::sweep(triangle, solid, &at, way);
            if course.misses(&shadow, &resting, most) {
                let relation = convex::relation(triangle, solid, &at);
                assert_eq!(relation, Relation::Apart, "seed {seed}");
                missed += 1;
                if let Some(hit) = hit {
                    assert!(hit.fraction > most * (1.0 - 1e-9), "seed {seed}: {hit:?} {most}");
                    early += 1;
                }
            } else if hit.is_some() {
                met += 1;
            }
        }
        assert!(missed > 4_000 && early > 200 && met > 2_000, "{missed} {early} {met}");
    }
}
