//! The end of a search for the nearest points or the way out between round cores: the plane that
//! lies best on the smooth parts that the search has come to.
//!
//! Support points of round sides come nearer by a factor with each that is looked at; Newton's
//! method between the parts that they are on squares what is open. What it finds is proved by the
//! support point along its normal, or not used.

use impinge_shapes::convex::gjk::{Enough, Nearest, Simplex, Support};
use impinge_shapes::glam::{DMat3, DVec3};

use super::Cores;
use super::depth::Exit;
use super::turned::Soon;
use super::view::{Goal, View};
use crate::tolerance;

/// A plane laid on the difference of two cores, in A's frame.
struct Fitted {
    /// Unit, from A to B.
    normal: DVec3,
    /// How far the difference reaches along it.
    reach: f64,
    /// The point of the difference nearest to the origin.
    at: DVec3,
    /// The points of the cores that it comes from.
    points: Support,
    /// The cosine of an angle around the normal within which the difference reaches no less far.
    bowl: f64,
}

impl Cores<'_> {
    fn fitted(&self, points: &[Support], normal: DVec3) -> Option<Fitted> {
        let (one, other) = normal.any_orthonormal_pair();
        let view = View::new(self, 0.0, DMat3::from_cols(one, other, normal));
        let mut corners = [view.corner(points.first()?); 3];
        for (corner, point) in corners.iter_mut().zip(points).skip(1) {
            *corner = view.corner(point);
        }
        let count = points.len().min(3);
        let found = view.fit(&corners[..count], DVec3::Z, Goal::Nearest)?;
        let reach = view.support(found.normal).at.dot(found.normal);
        let (a, b) = (view.to_core(found.points[0]), view.to_core(found.points[1]));
        Some(Fitted {
            normal: view.to_core(found.normal),
            reach,
            at: view.to_core(found.at),
            points: Support { a, b },
            bowl: if reach > 0.0 { view.bowl(&found, reach) } else { 1.0 },
        })
    }

    /// The nearest points of cores that are apart, from those of a simplex between them, with the
    /// bounds that the search by simplexes would go on to.
    fn nearest_fitted(&self, simplex: &Simplex) -> Option<Nearest> {
        let normal = (-simplex.nearest()).try_normalize()?;
        let found = self.fitted(simplex.points(), normal)?;
        let (distance, lower_bound) = (found.at.length(), -found.reach);
        let allowed = impinge_shapes::tolerance::GJK_GAP * distance
            + impinge_shapes::tolerance::GJK_NOISE * self.size;
        let is_proven = distance - lower_bound <= allowed
            && lower_bound - distance <= self.error()
            && lower_bound > self.error();
        is_proven.then(|| Nearest {
            point_a: found.points.a,
            point_b: found.points.b,
            distance,
            lower_bound: lower_bound.min(distance),
            simplex: Simplex::single(found.points),
            normal: Some(found.normal),
            plane: found.normal,
        })
    }

    /// The nearest points of cores of which one is round.
    pub(super) fn nearest_of_round(&self, start: DVec3, enough: &Enough) -> Nearest {
        if let Some(Soon::Near(close)) = self.soon_of_turned(enough) {
            return close.nearest();
        }
        self.nearest_by_simplexes(start, enough)
    }

    /// The same where nothing is told sooner.
    pub(super) fn nearest_by_simplexes(&self, start: DVec3, enough: &Enough) -> Nearest {
        let known = |simplex: &Simplex| self.nearest_fitted(simplex);
        impinge_shapes::convex::gjk::nearest_unless(
            |n| self.support(n),
            start,
            self.size,
            enough,
            known,
        )
    }

    /// The same for who knows of what is near without a simplex: `None` as soon as a plane parts the
    /// cores and the distance may be no more than `above`.
    pub(super) fn nearest_or_apart(&self, start: DVec3, above: f64) -> Option<Nearest> {
        let enough = Enough { above, ..Enough::NEVER };
        let mut is_near = false;
        let found = impinge_shapes::convex::gjk::nearest_unless(
            |n| self.support(n),
            start,
            self.size,
            &enough,
            |simplex| {
                is_near = simplex.nearest().length() <= above;
                is_near.then_some(Nearest::NOTHING)
            },
        );
        (!is_near).then_some(found)
    }

    /// A way out of round cores that overlap, than which none near it is shorter: through the smooth
    /// parts that the corners of a face are on.
    pub(super) fn exit_of_round(&self, face: &[Support; 3], normal: DVec3) -> Option<Exit> {
        let found = self.fitted(face, normal)?;
        let aside = found.at - found.normal * found.reach;
        let slack = tolerance::DEPTH_GAP * self.size;
        let is_met = aside.length_squared() <= slack * slack && found.reach > 0.0;
        is_met.then_some(Exit {
            normal: found.normal,
            upper: found.reach,
            meeting: Some(found.points),
            bowl: found.bowl,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use impinge_shapes::glam::{DVec2, Quat, Vec3};
    use impinge_shapes::{Pose, Shape};

    use super::*;
    use crate::Relative;
    use crate::convex::depth::{self, Search};
    use crate::convex::draw::Draw;

    /// A round shape and another one, near each other.
    fn with_pair(seed: u64, test: impl FnOnce(&Cores<'_>)) {
        let mut draw = Draw(seed);
        let scale = draw.scale();
        let one = draw.round(scale);
        let other = if seed.is_multiple_of(3) { draw.round(scale) } else { draw.cornered(scale) };
        let place = draw.vector() * scale * if seed.is_multiple_of(16) { 1e3 } else { 1.0 };
        let away = draw.vector() * scale * [0.0, 0.8, 1.8, 1.8][usize::try_from(seed % 4).unwrap()];
        let (pose, there) = (draw.pose(place), draw.pose(place + away));
        let at = Relative::new(&pose, &there);
        let (a, b) = (one.solid().unwrap(), other.solid().unwrap());
        test(&Cores::new(&a, &b, &at));
    }

    #[test]
    fn nearest_points_are_those_of_the_search_by_support_points() {
        let (mut seen, mut fitted) = ([0; 2], 0);
        for seed in 0..12_000 {
            with_pair(seed, |cores| {
                let (found, expected) =
                    (cores.nearest(cores.start()), cores.searched(cores.start(), &Enough::NEVER));
                let is_apart = expected.lower_bound > cores.error();
                seen[usize::from(is_apart)] += 1;
                if !is_apart {
                    return;
                }
                fitted += usize::from(found.normal.is_some());
                let slack = expected.distance * 2.0_f64.powi(-39) + cores.error();
                assert!(found.lower_bound <= found.distance, "seed {seed}: {found:?}");
                // No less than is proven, and no more than what was found by points.
                let excess = found.distance - expected.distance;
                assert!(excess <= slack, "seed {seed}: {found:?} {expected:?}");
                let lack = expected.lower_bound - found.distance;
                assert!(lack <= slack, "seed {seed}: {found:?} {expected:?}");
                let between = (found.point_b - found.point_a).length();
                assert!(
                    (between - found.distance).abs() <= cores.error(),
                    "seed {seed}: {found:?}"
                );
            });
        }
        assert!(seen.iter().all(|&count| count > 2_000), "{seen:?}");
        assert!(fitted > seen[1] / 2, "{fitted} of {seen:?}");
    }

    /// A regression: a circle that lies nearly level under the plane was left by the point on it.
    #[test]
    fn a_rod_along_the_end_of_a_cylinder_is_as_far_as_the_end() {
        let cylinder = Shape::cylinder(0.5, 0.5).unwrap();
        let rod = Shape::capsule(Vec3::Y, Vec3::NEG_Y, 2.0).unwrap();
        let level = Quat::from_xyzw(0.5, -0.5, 0.5, -0.5);
        for height in [2.5, 2.500_000_2, 3.0, 4.0] {
            let place = Vec3::new(3e-8, height, 1e-8);
            let at = Relative::from_b_in_a(&Pose::new(place, level).unwrap());
            let (a, b) = (cylinder.solid().unwrap(), rod.solid().unwrap());
            let found = crate::convex::closest(a, b, &at);
            let expected = f64::from(height) - 2.5;
            assert!((found.distance - expected).abs() <= 1e-12, "{height}: {found:?}");
            assert!((found.point_a.y - 0.5).abs() <= 1e-12, "{height}: {found:?}");
        }
    }

    #[test]
    fn ways_out_are_no_longer_than_those_of_the_search_by_support_points() {
        let (mut fitted, mut seen, mut anew) = (0, 0, 0);
        for seed in 0..12_000 {
            with_pair(seed, |cores| {
                let nearest = cores.searched(cores.start(), &Enough::NEVER);
                if nearest.lower_bound > cores.error() || nearest.simplex.points().len() < 4 {
                    return;
                }
                let support = |n| cores.support(n);
                let round = |face: &[Support; 3], normal| cores.exit_of_round(face, normal);
                let of = |round: Option<depth::Round<'_>>| {
                    let simplex = nearest.simplex.points();
                    match depth::way_out(&support, simplex, cores.size, false, round) {
                        Search::Found(found) => Some(found),
                        _ => None,
                    }
                };
                let (Some(found), Some(expected)) = (of(Some(&round)), of(None)) else { return };
                seen += 1;
                fitted += usize::from(found.is_fitted);
                let simplex = nearest.simplex.points();
                let first =
                    depth::search(&support, simplex, cores.size, false, (Some(&round), true));
                anew += usize::from(first.is_none());
                let slack = tolerance::ROUND_DEPTH_GAP * cores.size;
                let excess = found.upper - expected.upper;
                assert!(excess <= slack, "seed {seed}: {found:?} {expected:?}");
                // What it says is how far the cores overlap along its normal.
                let reach = -cores.along(found.normal);
                assert!((reach - found.upper).abs() <= cores.error(), "seed {seed}: {found:?}");
                if expected.encloses {
                    let lack = expected.lower - found.upper;
                    assert!(lack <= cores.error(), "seed {seed}: {found:?} {expected:?}");
                }
            });
        }
        assert!(seen > 3_000 && fitted > seen / 2, "{fitted} of {seen}");
        // What a bowl tells is given up now and then.
        assert!(anew > 10 && anew < seen / 20, "{anew} of {seen}");
    }

    /// Calls `test` with the ways out through smooth parts that the search for a depth comes to.
    fn with_exits(seed: u64, test: impl Fn(&Cores<'_>, &Exit)) {
        with_pair(seed, |cores| {
            let nearest = cores.searched(cores.start(), &Enough::NEVER);
            if nearest.lower_bound > cores.error() || nearest.simplex.points().len() < 4 {
                return;
            }
            let round = |face: &[Support; 3], normal| {
                let exit = cores.exit_of_round(face, normal)?;
                test(cores, &exit);
                Some(exit)
            };
            let (support, simplex) = (|n| cores.support(n), nearest.simplex.points());
            let _ = depth::way_out(&support, simplex, cores.size, false, Some(&round));
        });
    }

    #[test]
    fn no_way_out_within_a_bowl_is_shorter() {
        let (seen, wide) = (Cell::new([0; 2]), Cell::new(0));
        for seed in 0..12_000 {
            with_exits(seed, |cores, exit| {
                let mut counts = seen.get();
                counts[usize::from(exit.bowl < 1.0)] += 1;
                seen.set(counts);
                wide.set(wide.get() + usize::from(exit.bowl < 0.7));
                assert!(exit.bowl >= 0.6, "seed {seed}: {exit:?}");
                let slack = cores.size * 2.0_f64.powi(-40);
                let (one, other) = exit.normal.any_orthonormal_pair();
                for place in 0..32 {
                    // Within the angle up to its rim, all around.
                    let share = [0.0, 0.3, 0.6, 0.9][place % 4];
                    let cosine = exit.bowl + (1.0 - exit.bowl) * share;
                    let around = DVec2::new(place as f64 - 15.5, (place * 5 % 32) as f64 - 15.5);
                    let DVec2 { x, y } = around.normalize() * (1.0 - cosine * cosine).sqrt();
                    let normal = exit.normal * cosine + one * x + other * y;
                    let reach = -cores.along(normal);
                    assert!(
                        reach >= exit.upper - slack,
                        "seed {seed}: {reach} at {cosine} {exit:?}"
                    );
                }
            });
        }
        let ([none, some], wide) = (seen.get(), wide.get());
        assert!(none > 100 && some > 3_000 && wide > 1_000, "{none} {some} {wide}");
    }
}
