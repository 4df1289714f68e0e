//! Where a straight path enters the difference of two cores, as a ray meets a surface.
//!
//! Seen along the ray, three support points that lie around it are a portal; farther points take
//! their places until the plane through the last of them, before which nothing of the difference
//! lies, is where the portal is. Round cores, whose planes only come nearer to it, are settled by
//! Newton's method on the way.

use impinge_shapes::glam::{DMat3, DVec2, DVec3};

use super::Cores;
use super::sweep::Path;
use super::view::{Corner, Goal, View};
use crate::{Impact, tolerance};

/// A path from the origin down the last axis of a view.
struct Ray<'a, 'b> {
    view: View<'a, 'b>,
    length: f64,
    /// As much of it as is looked at.
    reach: f64,
    /// Bound of the error of a place.
    error: f64,
}

/// Why the search ended without an impact: the path is clear, or it is left open.
#[derive(Clone, Copy)]
enum Ended {
    Clear,
    Open,
}

/// A support point, unless it tells that all of the path is clear.
type Looked = Result<Corner, Ended>;

impl Cores<'_> {
    /// How the path by `motion`, in A's frame, runs; `None` where the start is not certainly apart,
    /// or the path passes too near to tell. What is not touched before the share `most` of it may be
    /// told to be clear.
    ///
    /// - Error: planes are within 2^-44 of the sizes and the path, so that nobody touches before
    ///   the fraction by more than that over the speed along the normal.
    /// - Source: the portal: Snethen, *XenoCollide: Complex Collision Made Simple*, Game Programming
    ///   Gems 7 (2008), with the inner point far ahead.
    pub(super) fn cast(&self, motion: DVec3, most: f64) -> Option<Path> {
        let ahead = motion.try_normalize()?;
        let (one, other) = ahead.any_orthonormal_pair();
        let view = View::new(self, self.radius, DMat3::from_cols(one, other, -ahead));
        let error = tolerance::FRAME * (self.size + motion.abs().element_sum());
        let length = motion.length();
        let ray = Ray { view, length, reach: length * most, error };
        match ray.portal().and_then(|portal| ray.entry(portal)) {
            Ok(impact) => Some(Path::Touches(impact)),
            Err(Ended::Clear) => Some(Path::Clear),
            Err(Ended::Open) => None,
        }
    }
}

impl Ray<'_, '_> {
    /// The point farthest along a unit direction, unless all of the path that is looked at is
    /// certainly beyond it.
    #[inline]
    fn look(&self, normal: DVec3) -> Looked {
        let corner = self.view.support(normal);
        let beyond = -corner.at.dot(normal) - self.reach * normal.z.max(0.0);
        if beyond > self.error { Err(Ended::Clear) } else { Ok(corner) }
    }

    /// Looks at right angles to the ray.
    #[inline]
    fn look_aside(&self, way: DVec2) -> Looked {
        self.look(way.try_normalize().ok_or(Ended::Open)?.extend(0.0))
    }

    /// Three support points around the ray, counter-clockwise as seen from its start.
    fn portal(&self) -> Result<[Corner; 3], Ended> {
        let aside = |corner: &Corner| corner.at.truncate();
        let mut p = self.look(DVec3::Z)?;
        let way = -aside(&p);
        let mut q = self.look_aside(if way == DVec2::ZERO { DVec2::X } else { way })?;
        if aside(&p).perp_dot(aside(&q)) < 0.0 {
            (p, q) = (q, p);
        }
        for _ in 0..tolerance::CAST_STEPS {
            let r = self.look_aside((aside(&q) - aside(&p)).perp())?;
            if aside(&q).perp_dot(aside(&r)) < 0.0 {
                p = r;
            } else if aside(&r).perp_dot(aside(&p)) < 0.0 {
                q = r;
            } else {
                return Ok([p, q, r]);
            }
        }
        Err(Ended::Open)
    }

    /// Where the ray enters through the portal once it is as far out as it can be.
    fn entry(&self, mut portal: [Corner; 3]) -> Result<Impact, Ended> {
        let cores = self.view.cores;
        let exact = cores.is_exact();
        let is_round = !exact || cores.radius > 0.0;
        let middle = self.view.along_axes(-cores.start());
        let mut enters = !exact;
        for step in 0..tolerance::CAST_STEPS {
            let [p, q, r] = [portal[0].at, portal[1].at, portal[2].at];
            let Some(upright) = (q - p).cross(r - p).try_normalize() else { break };
            let areas = areas(&portal);
            let sum = areas[0] + areas[1] + areas[2];
            let share = |k: usize| (areas[k] / sum).max(0.0);
            let weights = [share(0), share(1), share(2)];
            let height = p.z * weights[0] + q.z * weights[1] + r.z * weights[2];
            // What the path has met before its start is not apart.
            if height >= 0.0 {
                break;
            }
            enters = enters || self.enters(&portal, areas, upright, middle, height);
            let is_due = is_round && step % 2 == 0 && step > 0;
            let fit = is_due.then(|| self.view.fit(&portal, upright, Goal::Entry)).flatten();
            let fit = fit.filter(|fit| {
                fit.normal.z > 0.0 && fit.at.x.abs().max(fit.at.y.abs()) <= self.error
            });
            let (normal, height) =
                fit.as_ref().map_or((upright, height), |fit| (fit.normal, fit.at.z.max(height)));
            let next = self.look(normal)?;
            let plane = next.at.dot(normal) / normal.z;
            let open = (plane - height) * normal.z;
            if open <= self.error {
                let is_apart = -plane * normal.z > self.error;
                // Along a surface it is open where it is met.
                let is_steep = normal.z > tolerance::ALONG;
                if !(enters && is_apart && is_steep && open >= -self.error) {
                    break;
                }
                let points =
                    fit.map_or_else(|| self.view.points(&portal, weights), |fit| fit.points);
                return Ok(self.impact(-plane, normal, points));
            }
            if (next.at - p).dot(upright) > 0.0 {
                replace(&mut portal, next);
            } else if fit.is_none() {
                break;
            }
        }
        Err(Ended::Open)
    }

    /// Whether the ray certainly passes between the corners of a portal before the path ends, at
    /// this height, and has the middle of the difference behind it.
    fn enters(
        &self,
        portal: &[Corner; 3],
        areas: [f64; 3],
        upright: DVec3,
        middle: DVec3,
        height: f64,
    ) -> bool {
        let far = tolerance::THROUGH * self.error;
        let [p, q, r] = aside(portal);
        let sides = [r - q, p - r, q - p];
        let farthest = p.length_squared().max(q.length_squared()).max(r.length_squared());
        let rounding = tolerance::PORTAL_AREA * farthest;
        let is_through = sides.iter().zip(areas).all(|(side, area)| {
            let area = area - rounding;
            area > 0.0 && area * area > far * far * side.length_squared()
        });
        if !is_through || (portal[0].at - middle).dot(upright) <= far {
            return false;
        }
        // On a long portal the shares of the corners in the height are off by more than places are.
        let [p, q, r] = [portal[0].at.z, portal[1].at.z, portal[2].at.z];
        let spread = p.max(q).max(r) - p.min(q).min(r);
        let doubt = spread * rounding / (areas[0] + areas[1] + areas[2]);
        (height + self.length - doubt) * upright.z > far
    }

    fn impact(&self, way: f64, normal: DVec3, [a, b]: [DVec3; 2]) -> Impact {
        let cores = self.view.cores;
        let on_a = a + normal * cores.a.radius();
        let on_b = b - normal * cores.b.radius() - DVec3::Z * way;
        Impact {
            fraction: way / self.length,
            normal: self.view.to_core(normal),
            point: self.view.to_core((on_a + on_b) * 0.5),
        }
    }
}

/// The corners as they are seen along the ray.
#[inline]
fn aside(portal: &[Corner; 3]) -> [DVec2; 3] {
    // One by one, because the closure of a map may stay out of line.
    [portal[0].at.truncate(), portal[1].at.truncate(), portal[2].at.truncate()]
}

/// Twice the areas between the ray and the sides of a portal.
fn areas(portal: &[Corner; 3]) -> [f64; 3] {
    let [p, q, r] = aside(portal);
    [q.perp_dot(r), r.perp_dot(p), p.perp_dot(q)]
}

/// Puts a corner in the place of that which is not needed to lie around the ray with it.
fn replace(portal: &mut [Corner; 3], next: Corner) {
    let here = next.at.truncate();
    let [p, q, r] = aside(portal);
    let (p, q, r) = (here.perp_dot(p), here.perp_dot(q), here.perp_dot(r));
    let place = if p >= 0.0 && q <= 0.0 {
        2
    } else if q >= 0.0 && r <= 0.0 {
        0
    } else {
        1
    };
    portal[place] = next;
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Vec3;

    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;

    #[test]
    fn paths_are_met_where_steps_by_the_distance_meet_them() {
        let (mut hits, mut clear, mut open) = (0, 0, 0);
        for seed in 0..24_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let mut shape =
                |round: bool| if round { draw.round(scale) } else { draw.cornered(scale) };
            let (one, other) = (shape(seed % 3 == 0), shape(seed % 4 == 0));
            let place = draw.vector() * scale * if seed.is_multiple_of(16) { 1e3 } else { 1.0 };
            let way = draw.vector().normalize_or(Vec3::X) * scale * 4.0;
            let (pose, there) = (draw.pose(place), draw.pose(place + way));
            let motion = draw.vector() * scale - way;
            let at = Relative::new(&pose, &there);
            let (one, other) = (one.solid().unwrap(), other.solid().unwrap());
            let cores = Cores::new(&one, &other, &at);
            let motion = at.vector_from_world(motion.as_dvec3());
            let error = tolerance::FRAME * (cores.size + motion.abs().element_sum());
            match (cores.cast(motion, 1.0), cores.path(motion)) {
                (None, _) => open += 1,
                (Some(Path::Clear), path) => {
                    assert!(!matches!(path, Path::Touches(_)), "seed {seed}: {motion}");
                    clear += 1;
                }
                (Some(Path::Touches(found) | Path::Near(found)), path) => {
                    let (Path::Touches(expected) | Path::Near(expected)) = path else {
                        panic!("seed {seed}: {found:?} on a clear path");
                    };
                    // Steps by the distance may end early beside what is round.
                    let speed = -found.normal.dot(motion);
                    let late = (found.fraction - expected.fraction) * speed;
                    let allowed = if cores.is_exact() {
                        64.0 * error
                    } else {
                        2.0_f64.powi(-19) * cores.size
                    };
                    assert!(late <= allowed, "seed {seed}: {found:?} {expected:?}");
                    assert!(late >= -64.0 * error, "seed {seed}: {found:?} {expected:?}");
                    // Nobody is nearer than the plane across the normal tells.
                    let there = cores.moved(motion * found.fraction);
                    let gap = there.along(found.normal) - cores.radius;
                    assert!(gap.abs() <= 4.0 * error, "seed {seed}: {gap} {found:?}");
                    hits += 1;
                }
            }
        }
        assert!(hits > 8_000 && clear > 3_000, "{hits} {clear} {open}");
        assert!(open < 1_500, "{hits} {clear} {open}");
    }

    #[test]
    fn a_part_of_the_path_is_met_as_all_of_it_or_clear() {
        let (mut same, mut later, mut clear) = (0, 0, 0);
        for seed in 0..8_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let (one, other) = (draw.cornered(scale), draw.round(scale));
            let way = draw.vector().normalize_or(Vec3::X) * scale * 3.0;
            let (pose, there) = (draw.pose(Vec3::ZERO), draw.pose(way));
            let most = f64::from(draw.next().abs());
            let at = Relative::new(&pose, &there);
            let (one, other) = (one.solid().unwrap(), other.solid().unwrap());
            let cores = Cores::new(&one, &other, &at);
            let motion = (draw.vector() * scale - way * 1.5).as_dvec3();
            let motion = at.vector_from_world(motion);
            match (cores.cast(motion, 1.0), cores.cast(motion, most)) {
                (Some(Path::Touches(whole)), Some(Path::Touches(part))) => {
                    let bits = |it: &Impact| {
                        let (n, p) = (it.normal.to_array(), it.point.to_array());
                        (it.fraction.to_bits(), n.map(f64::to_bits), p.map(f64::to_bits))
                    };
                    assert_eq!(bits(&whole), bits(&part), "seed {seed}");
                    same += 1;
                }
                (Some(Path::Touches(whole)), Some(Path::Clear)) => {
                    assert!(whole.fraction > most, "seed {seed}: {} {most}", whole.fraction);
                    later += 1;
                }
                (Some(Path::Clear), part) => {
                    assert!(matches!(part, Some(Path::Clear)), "seed {seed}");
                    clear += 1;
                }
                (None, None | Some(Path::Clear)) => {}
                _ => panic!("seed {seed}: a part of the path tells more than all of it"),
            }
        }
        assert!(same > 500 && later > 500 && clear > 500, "{same} {later} {clear}");
    }
}
