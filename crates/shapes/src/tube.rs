//! Points and rays against capsules: two balls and the round side between them.

use std::cmp::Ordering;

use crate::ball::{Ball, Quadratic, Root};
use crate::crossing::{Found, Limits, Pass};
use crate::filter::{Number, Vector, square_root};
use crate::ray::StartedInside;
use crate::span::Mark;
use crate::tolerance;

/// A capsule whose segment runs from zero to `segment`.
#[derive(Clone, Debug)]
pub(crate) struct Tube<N> {
    pub(crate) segment: Vector<N>,
    pub(crate) radius: N,
}

/// The ray `from + t · direction` against a tube.
#[derive(Clone, Debug)]
pub(crate) struct TubeRay<N> {
    pub(crate) tube: Tube<N>,
    pub(crate) from: Vector<N>,
    pub(crate) direction: Vector<N>,
}

impl<N: Number> Tube<N> {
    /// How the point's distance from the segment compares with the radius; `None` where rounding
    /// hides it.
    ///
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.2.1, without the division.
    pub(crate) fn compare_distance(&self, point: &Vector<N>) -> Option<Ordering> {
        let along = point.dot(&self.segment);
        let whole = self.segment.length_squared();
        if along.known_sign()? != Ordering::Greater {
            return Ball::compare_distance(point, &self.radius);
        }
        if along.compared(&whole)? != Ordering::Less {
            return Ball::compare_distance(&point.minus(&self.segment), &self.radius);
        }
        let squared = point.cross(&self.segment).length_squared();
        squared.compared(&self.radius.squared().times(&whole))
    }
}

impl<N: Number> TubeRay<N> {
    /// What the ray finds; `None` where rounding hides it.
    pub(crate) fn probe(&self, limits: &Limits) -> Option<Found> {
        let inside = self.tube.compare_distance(&self.from)? != Ordering::Greater;
        match (inside, limits.started_inside) {
            (true, StartedInside::Hit) => return Some(Found::Inside),
            (true, StartedInside::Skip) => return Some(Found::Miss),
            _ => {}
        }
        let max = limits.max_distance.map(N::new);
        let pass = if inside {
            if let Some(max) = &max
                && self.stays_beyond(max)?
            {
                return Some(Found::Miss);
            }
            self.last_pass()?
        } else {
            if !self.is_hit(max.as_ref())? {
                return Some(Found::Miss);
            }
            self.first_pass()?
        };
        let Pass { distance, normal } = pass;
        Some(Found::Boundary { started_inside: inside, distance, normal })
    }

    /// Where the ray, which enters up to `max`, leaves again up to `max`; the outer `None` where
    /// rounding hides it.
    pub(crate) fn leave(&self, max: Option<f64>) -> Option<Option<Pass>> {
        if let Some(max) = max
            && self.stays_beyond(&N::new(max))?
        {
            return Some(None);
        }
        Some(Some(self.last_pass()?))
    }

    fn at(&self, t: &N) -> Vector<N> {
        self.from.plus(&self.direction.scaled(t))
    }

    /// Whether the ray, which meets the capsule up to `max`, is still inside after it.
    ///
    /// On the surface it depends on the direction: inward, or along the side with some of it
    /// ahead.
    fn stays_beyond(&self, max: &N) -> Option<bool> {
        let end = self.at(max);
        match self.tube.compare_distance(&end)? {
            Ordering::Less => return Some(true),
            Ordering::Greater => return Some(false),
            Ordering::Equal => {}
        }
        let (d, s) = (&self.direction, &self.tube.segment);
        let (along, whole, speed) = (end.dot(s), s.length_squared(), d.dot(s));
        let before = along.known_sign()? != Ordering::Greater;
        let behind = along.compared(&whole)? != Ordering::Less;
        let outward = if before {
            end.dot(d)
        } else if behind {
            end.minus(s).dot(d)
        } else {
            end.dot(d).times(&whole).minus(&along.times(&speed))
        };
        match outward.known_sign()? {
            Ordering::Less => return Some(true),
            Ordering::Greater => return Some(false),
            Ordering::Equal => {}
        }
        let parallel = d.cross(s).length_squared().known_sign()? == Ordering::Equal;
        Some(match speed.known_sign()? {
            Ordering::Greater => parallel && !behind,
            Ordering::Less => parallel && along.known_sign()? == Ordering::Greater,
            Ordering::Equal => false,
        })
    }

    /// The balls around the two ends.
    fn balls(&self) -> [Ball<N>; 2] {
        [self.from.clone(), self.from.minus(&self.tube.segment)].map(|from| Ball {
            from,
            direction: self.direction.clone(),
            radius: self.tube.radius.clone(),
        })
    }

    /// Whether the ray meets the capsule, its origin being outside.
    ///
    /// The squared distance of `from + t d` and `s · segment` is a convex quadratic over the
    /// rectangle (or strip) of `t` and `s`. Its minimum lies on an edge, which is a ray against
    /// an end's ball or the ray's end against the capsule, or where the two lines are closest.
    fn is_hit(&self, max: Option<&N>) -> Option<bool> {
        for ball in self.balls() {
            if ball.is_hit(max)? {
                return Some(true);
            }
        }
        if let Some(max) = max
            && self.tube.compare_distance(&self.at(max))? != Ordering::Greater
        {
            return Some(true);
        }
        self.lines_are_close(max)
    }

    /// Whether the two lines are closest within the ray and the segment, and there by no more
    /// than the radius.
    ///
    /// - Degenerate: false for parallel lines and for a segment without length; then the minimum
    ///   lies on an edge.
    /// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.1.8, without the division.
    fn lines_are_close(&self, max: Option<&N>) -> Option<bool> {
        let (p, d, s) = (&self.from, &self.direction, &self.tube.segment);
        let cross = d.cross(s);
        let scale = cross.length_squared();
        let triple = p.dot(&cross).squared();
        if scale.known_sign()? == Ordering::Equal
            || !triple.at_most(&self.tube.radius.squared().times(&scale))?
        {
            return Some(false);
        }
        let (pd, ps, ds) = (p.dot(d), p.dot(s), d.dot(s));
        let along_ray = ps.times(&ds).minus(&pd.times(&s.length_squared()));
        let along_segment = ps.times(&d.length_squared()).minus(&pd.times(&ds));
        let within = |x: &N, end: Option<N>| {
            let before = end.map_or(Some(true), |end| x.at_most(&end))?;
            Some(before && x.known_sign()? != Ordering::Less)
        };
        Some(
            within(&along_ray, max.map(|max| max.times(&scale)))?
                && within(&along_segment, Some(scale))?,
        )
    }

    /// Where the ray enters; it is known to.
    fn first_pass(&self) -> Option<Pass> {
        let mut best: Option<Pass> = None;
        let mut offer = |pass: Option<Pass>| {
            if let Some(pass) = pass
                && best.as_ref().is_none_or(|best| pass.distance < best.distance)
            {
                best = Some(pass);
            }
        };
        for ball in self.balls() {
            offer(ball.first_pass()?);
        }
        offer(self.side_pass(false)?);
        best
    }

    /// Where the ray leaves; it is known to.
    fn last_pass(&self) -> Option<Pass> {
        let mut best: Option<Pass> = None;
        let mut offer = |pass: Option<Pass>| {
            if let Some(pass) = pass
                && best.as_ref().is_none_or(|best| pass.distance > best.distance)
            {
                best = Some(pass);
            }
        };
        for ball in self.balls() {
            offer(ball.last_pass()?);
        }
        offer(self.side_pass(true)?);
        best
    }

    /// Where the line enters or leaves the infinite cylinder at or ahead of its origin, if that
    /// is between the ends of the segment.
    ///
    /// With `u = p × s`, `v = d × s` and `h = p · v` the cylinder is `|u + t v|² = r² |s|²`, and
    /// because `u × v` is `h s`, its discriminant is `|s|² (r² |v|² - h²)`. The normal there is
    /// along `h v ∓ √(r² |v|² - h²) · (s / |s|) × v`.
    fn side_pass(&self, leaving: bool) -> Option<Option<Pass>> {
        let (p, d, s) = (&self.from, &self.direction, &self.tube.segment);
        let (u, v) = (p.cross(s), d.cross(s));
        let a = v.length_squared();
        if a.known_sign()? == Ordering::Equal {
            return Some(None);
        }
        let squared_radius = self.tube.radius.squared();
        let whole = s.length_squared();
        let (b, c) = (u.dot(&v), u.length_squared().minus(&squared_radius.times(&whole)));
        let height = p.dot(&v);
        let reduced = squared_radius.times(&a).minus(&height.squared());
        let outside = c.known_sign()? == Ordering::Greater;
        let never = reduced.known_sign()? == Ordering::Less
            || (!leaving && !outside)
            || (outside && b.known_sign()? != Ordering::Less);
        if never {
            return Some(None);
        }
        let quadratic = Quadratic { a, b, c, discriminant: whole.times(&reduced) };
        let root = if leaving { quadratic.last_root()? } else { quadratic.first_root()? };
        let mark = if leaving { Mark::High } else { Mark::Low };
        if !self.is_beside(root, &quadratic, &mark)? {
            return Some(None);
        }
        let distance = root.value;
        let (root, root_error) = square_root(&reduced);
        let size = v.value().length();
        let error =
            size * (height.error() + root_error) + (height.value().abs() + root) * v.error();
        let radius = self.tube.radius.value();
        if error > radius * size * size * tolerance::REPORTED {
            return None;
        }
        let axis = s.value() / s.value().length();
        let outward = axis.cross(v.value()) * if leaving { 1.0 } else { -1.0 };
        let normal = v.value() * height.value() + outward * root;
        // A segment without radius looks straight at the ray.
        let normal = if normal.length_squared() > 0.0 { normal } else { outward };
        Some(Some(Pass { distance, normal }))
    }

    /// Whether the ray's point at a root projects onto the segment; `None` where rounding hides
    /// it.
    fn is_beside(&self, at: Root, quadratic: &Quadratic<N>, mark: &Mark<N>) -> Option<bool> {
        let s = &self.tube.segment;
        let (start, speed, whole) = (self.from.dot(s), self.direction.dot(s), s.length_squared());
        let travelled = at.value * speed.value();
        let along = start.value() + travelled;
        let terms = whole.value() + start.value().abs() + travelled.abs();
        let error = start.error()
            + whole.error()
            + at.value * speed.error()
            + at.error * (speed.value().abs() + speed.error())
            + terms * f64::EPSILON;
        let beyond = (-along).max(along - whole.value());
        if beyond.abs() > error {
            return Some(beyond < 0.0);
        }
        // The root is close to one of the places where the ray passes an end, as fractions of a
        // positive speed.
        let (first, last, speed) = match speed.known_sign()? {
            Ordering::Equal => {
                return Some(start.known_sign()? != Ordering::Less && start.at_most(&whole)?);
            }
            Ordering::Greater => (start.negated(), whole.minus(&start), speed),
            Ordering::Less => (start.minus(&whole), start, speed.negated()),
        };
        Some(
            quadratic.compare((&first, &speed), mark)? != Ordering::Greater
                && quadratic.compare((&last, &speed), mark)? != Ordering::Less,
        )
    }
}
