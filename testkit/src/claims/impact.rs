//! What a time of impact of any two shapes must be, by bounds of their distance along the way.

use impinge_narrowphase::{ImpactHit, ImpactOptions, Motion, TimeOfImpact, time_of_impact};
use impinge_shapes::{Pose, Shape, glam::Vec3, round};

use crate::{
    check::ulp,
    generate::{Kind, pose, shape},
    oracle::Course,
    rng::Rng,
};

/// Two shapes on their ways, and the tolerance.
#[derive(Clone, Debug)]
pub struct Case {
    a: Shape,
    on_a: Motion,
    b: Shape,
    on_b: Motion,
    tolerance: f32,
}

/// A turn by up to some radians, or none, around a place in or beside a body.
fn motion(at: Pose, way: Vec3, size: f64, rng: &mut Rng) -> Motion {
    let turn = rng.direction() * rng.pick(&[0.0, 0.25, 2.0, 12.0]) * rng.range(0.0, 1.0);
    let center = rng.cube(-size, size) * rng.pick(&[0.0, 0.0, 0.5]);
    Motion::new(at, way, turn).and_then(|motion| motion.about(center)).expect("finite")
}

/// Two shapes of sizes that differ by up to eight, on ways that meet, pass or part.
pub fn draw(a: Kind, b: Kind, rng: &mut Rng) -> Case {
    let size = rng.power_of_ten(-3.0, 4.0);
    let other = size * rng.pick(&[1.0, 1.0, 0.1, 8.0]);
    let reach = size + other;
    let far = rng.cube(-reach, reach) * rng.pick(&[0.0, 0.0, 0.0, 100.0]);
    let from = far.as_dvec3();
    let apart = rng.direction().as_dvec3() * reach * (0.5 + 2.5 * rng.unit());
    // Towards the other, past it, or away.
    let aim = rng.direction().as_dvec3() * reach * rng.unit() - apart * (2.0 * rng.unit() - 0.5);
    let along = rng.direction().as_dvec3() * reach * rng.pick(&[0.0, 0.5]);
    let place = |v: glam::DVec3, rng: &mut Rng| pose(round::nearest_vec(v), rng.rotation());
    let (at_a, at_b) = (place(from, rng), place(from + apart, rng));
    Case {
        a: shape(a, size, false, rng),
        on_a: motion(at_a, round::nearest_vec(along), size, rng),
        b: shape(b, other, false, rng),
        on_b: motion(at_b, round::nearest_vec(along + aim), other, rng),
        tolerance: round::nearest(size.min(other) / rng.pick(&[32.0, 256.0])),
    }
}

impl Case {
    /// What rounding places of parts to f32 may cost beyond the rounding of f64.
    fn rounding(&self) -> f64 {
        let is_whole = self.a.part_count() == 1 && self.b.part_count() == 1;
        let at = |motion: &Motion| motion.pose().position().abs().max_element();
        let extent = |shape: &Shape| {
            let bounds = shape.aabb(&Pose::IDENTITY);
            let reach = bounds.min().abs().max(bounds.max().abs()).max_element();
            if reach.is_finite() { reach } else { 0.0 }
        };
        let most = at(&self.on_a).max(at(&self.on_b)) + extent(&self.a) + extent(&self.b);
        if is_whole { 0.0 } else { 8.0 * ulp(f64::from(most)) }
    }

    fn start_fits(&self, hit: &ImpactHit, course: &Course) -> Result<(), String> {
        let start = course.distance(0.0);
        let slack = course.noise() + self.rounding();
        let is_plane = |shape: &Shape| matches!(shape, Shape::HalfSpace(_));
        let overlaps = start.low <= slack;
        // What overlaps a surface is one depth of many.
        let one = self.a.part_count() == 1 && self.b.part_count() == 1;
        let deep = f64::from(hit.depth) * 1.000_001 + slack >= -start.high;
        let fits = hit.fraction <= 0.0 && overlaps && (deep || !one || is_plane(&self.a));
        if fits { Ok(()) } else { Err(format!("{hit:?} starts at {start:?}")) }
    }

    /// Tests one answer, and says which; counts the stretches of the way that were looked at.
    ///
    /// # Errors
    /// The case, and what is wrong with its answer.
    pub fn check(&self, steps: &mut usize) -> Result<&'static str, String> {
        let Self { a, on_a, b, on_b, tolerance } = self;
        let course = Course::new(a, on_a, b, on_b).ok_or("no oracle")?;
        let options = ImpactOptions { tolerance: Some(*tolerance), ..ImpactOptions::default() };
        let found = time_of_impact(a, on_a, b, on_b, &options);
        let allowed = f64::from(*tolerance) * (1.0 + 1.0 / 1024.0) + self.rounding();
        let (until, label) = match found {
            TimeOfImpact::Touches(hit) if hit.started_overlapping => {
                self.start_fits(&hit, &course)?;
                return Ok("started");
            }
            TimeOfImpact::Touches(hit) => {
                let time = f64::from(hit.fraction);
                let there = course.distance(time);
                // The fraction is rounded down.
                let early = course.speed() * ulp(time) + course.noise();
                if there.low > allowed + early || there.low.is_nan() {
                    return Err(format!("{hit:?} is early, {there:?}"));
                }
                if !(hit.normal.length() - 1.0).abs().le(&1e-6) {
                    return Err(format!("no unit normal in {hit:?}"));
                }
                (time, "touches")
            }
            TimeOfImpact::Apart => (1.0, "apart"),
            TimeOfImpact::Unconverged { safe } => (f64::from(safe), "unconverged"),
        };
        *steps += course.never_deeper(allowed, until).map_err(|(time, there)| {
            format!("{found:?} is late: {there:?} at {time}, tolerance {tolerance}")
        })?;
        Ok(label)
    }
}
