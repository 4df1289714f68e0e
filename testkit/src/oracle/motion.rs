//! Bodies that move and turn: bounds of their distance at any time, and how fast it changes.
//!
//! The distance of convex sets, negative by the depth where they overlap, changes by no more than
//! the points of both move. So between two times it is bounded by what it is at them, and a chain
//! of times shows what it never falls below.

use glam::{DMat3, DQuat, DVec3};
use impinge_narrowphase::Motion;
use impinge_shapes::{Pose, Shape};

use super::{
    curved::{self, Body, Bounds},
    solids::Solid,
};

/// Share of all lengths that rounding may cost a distance here; a power of two.
const NOISE: f64 = 1.0 / (1_u64 << 40) as f64;

/// More than what is looked for, by which a chain of times is allowed to be off, so that it ends.
const SPARE: f64 = 0.125;

/// One shape on its way, relative to a place near both.
#[derive(Debug)]
struct Mover {
    solid: Solid,
    turn: DMat3,
    /// Of turning, in the shape's frame.
    center: DVec3,
    /// Of turning, at the start.
    start: DVec3,
    way: DVec3,
    axis: DVec3,
    angle: f64,
}

/// Sine and cosine: those of a small part of the angle, doubled again and again.
///
/// - Error: a last place for each doubling.
fn sine_and_cosine(angle: f64) -> (f64, f64) {
    let (mut x, mut doublings) = (angle, 0);
    while x.abs() > 0.125 {
        x *= 0.5;
        doublings += 1;
    }
    let square = x * x;
    let series = |first: f64, from: f64| {
        let (mut sum, mut term, mut k) = (first, first, from);
        for _ in 0..8 {
            term *= -square / ((k + 1.0) * (k + 2.0));
            sum += term;
            k += 2.0;
        }
        sum
    };
    let (mut sine, mut cosine) = (series(x, 1.0), series(1.0, 0.0));
    for _ in 0..doublings {
        (sine, cosine) = (2.0 * sine * cosine, 1.0 - 2.0 * sine * sine);
    }
    (sine, cosine)
}

impl Mover {
    fn new(shape: &Shape, motion: &Motion, origin: DVec3) -> Option<Self> {
        let turn = DMat3::from_quat(motion.pose().rotation().as_dquat().normalize());
        let center = motion.center().as_dvec3();
        let angle = motion.turn().as_dvec3().length();
        Some(Self {
            solid: Solid::of(shape, &Pose::IDENTITY)?,
            turn,
            center,
            start: motion.pose().position().as_dvec3() - origin + turn * center,
            way: motion.displacement().as_dvec3(),
            axis: motion.turn().as_dvec3().normalize_or_zero(),
            angle,
        })
    }

    /// How the frame is turned and moved at a time.
    fn frame(&self, time: f64) -> (DMat3, DVec3) {
        let (sine, cosine) = sine_and_cosine(self.angle * time * 0.5);
        let [x, y, z] = (self.axis * sine).to_array();
        let turn = DMat3::from_quat(DQuat::from_xyzw(x, y, z, cosine).normalize()) * self.turn;
        (turn, self.start + self.way * time - turn * self.center)
    }

    /// How far its points are from the centre of turning at most; those of a half-space that
    /// matter are on the line through it.
    fn reach(&self) -> f64 {
        match &self.solid {
            Solid::Bodies(bodies) => {
                bodies.iter().map(|body| body.reach_from(self.center)).fold(0.0, f64::max)
            }
            Solid::HalfSpace(half_space) => {
                self.center.length() + f64::from(half_space.offset().abs())
            }
        }
    }
}

/// Two shapes on their ways.
#[derive(Debug)]
pub struct Course {
    a: Mover,
    b: Mover,
    /// How fast the distance changes at most.
    speed: f64,
    noise: f64,
}

impl Course {
    /// `None` for shapes without an oracle, and two half-spaces.
    #[must_use]
    pub fn new(a: &Shape, of_a: &Motion, b: &Shape, of_b: &Motion) -> Option<Self> {
        let origin = of_a.pose().position().as_dvec3();
        let (a, b) = (Mover::new(a, of_a, origin)?, Mover::new(b, of_b, origin)?);
        let (reach_a, reach_b) = (a.reach(), b.reach());
        let between = (b.start - a.start).length() + a.way.length() + b.way.length();
        let size = between + reach_a + reach_b + a.center.length() + b.center.length();
        let is_plane = |mover: &Mover| matches!(mover.solid, Solid::HalfSpace(_));
        // A plane that turns is as fast as it is far from its centre where the other one is.
        let (arm_a, arm_b) = match (is_plane(&a), is_plane(&b)) {
            (true, true) => return None,
            (true, false) => (size, reach_b),
            (false, true) => (reach_a, size),
            (false, false) => (reach_a, reach_b),
        };
        let speed = (a.way - b.way).length() + a.angle * arm_a + b.angle * arm_b;
        Some(Self { a, b, speed: speed * 1.000_001, noise: size * NOISE })
    }

    /// How fast the signed distance changes at most.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// What rounding may have cost a distance.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// Bounds of the signed distance at a time, of unions that of the nearest or deepest parts.
    #[must_use]
    pub fn distance(&self, time: f64) -> Bounds {
        let (frame_a, frame_b) = (self.a.frame(time), self.b.frame(time));
        let plane = |mover: &Mover, frame: (DMat3, DVec3), bodies: &[Body], other| {
            let Solid::HalfSpace(half_space) = &mover.solid else { return f64::INFINITY };
            let normal = half_space.normal().as_dvec3();
            let up = frame.0 * normal.normalize();
            let ground = up.dot(frame.1) + f64::from(half_space.offset()) / normal.length();
            let heights = bodies.iter().map(|body| body.height(other, up) - ground);
            heights.fold(f64::INFINITY, f64::min)
        };
        let exact = match (&self.a.solid, &self.b.solid) {
            (Solid::Bodies(a), Solid::Bodies(b)) => {
                let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
                let bounds = pairs.map(|(a, b)| curved::distance_at(a, frame_a, b, frame_b));
                let least = bounds.reduce(|least, next| Bounds {
                    low: least.low.min(next.low),
                    high: least.high.min(next.high),
                });
                return least.unwrap_or(Bounds { low: f64::INFINITY, high: f64::INFINITY });
            }
            (_, Solid::Bodies(b)) => plane(&self.a, frame_a, b, frame_b),
            (Solid::Bodies(a), _) => plane(&self.b, frame_b, a, frame_a),
            _ => f64::INFINITY,
        };
        Bounds { low: exact - self.noise, high: exact + self.noise }
    }

    /// Shows that up to a time the two never overlap deeper than an eighth more than `depth`, and
    /// at none of the times looked at, whose number is the answer, deeper than `depth`.
    ///
    /// # Errors
    /// A time at which they do, with the distance there.
    pub fn never_deeper(&self, depth: f64, until: f64) -> Result<usize, (f64, Bounds)> {
        let (mut time, mut count) = (0.0, 0);
        loop {
            let bounds = self.distance(time);
            count += 1;
            let room = bounds.low + depth * (1.0 + SPARE) + 4.0 * self.noise;
            if bounds.high < -depth - 2.0 * self.noise || room.is_nan() || room <= 0.0 {
                return Err((time, bounds));
            }
            if time >= until || self.speed <= 0.0 {
                return Ok(count);
            }
            time = (time + room / self.speed).min(until);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn sines_are_those_of_the_textbook() {
        for (turns, expected) in [(0.0, (0.0, 1.0)), (1.0 / 12.0, (0.5, 0.75_f64.sqrt()))] {
            for whole in [-3.0, 0.0, 2.0] {
                let (sine, cosine) = sine_and_cosine((turns + whole) * std::f64::consts::TAU);
                let off = (sine - expected.0).abs() + (cosine - expected.1).abs();
                assert!(off < 1e-13, "{turns} {whole}: {off}");
            }
        }
    }

    #[test]
    fn a_rod_that_turns_past_a_ball() {
        let rod = Shape::cuboid(Vec3::new(2.0, 0.25, 0.25)).expect("valid");
        let ball = Shape::sphere(0.5).expect("valid");
        let half_turn = Vec3::Z * std::f32::consts::PI;
        let turning = Motion::new(Pose::IDENTITY, Vec3::ZERO, half_turn).expect("finite");
        let at = |y: f32| Motion::still(Pose::from_position(Vec3::Y * y).expect("finite"));
        let course = Course::new(&rod, &turning, &ball, &at(2.75)).expect("an oracle");
        let distances = [0.0, 0.5, 1.0].map(|time| course.distance(time));
        for (bounds, exact) in distances.into_iter().zip([2.0, 0.25, 2.0]) {
            assert!(bounds.miss(exact) < 1e-6 && bounds.width() < 1e-9, "{bounds:?} {exact}");
        }
        assert!(course.never_deeper(1e-3, 1.0).is_ok_and(|count| count > 3));
        let near = Course::new(&rod, &turning, &ball, &at(2.25)).expect("an oracle");
        let (time, bounds) = near.never_deeper(1e-3, 1.0).expect_err("they meet");
        assert!((0.3..0.5).contains(&time) && bounds.high < -1e-3, "{time} {bounds:?}");
        assert!(near.never_deeper(0.28, 1.0).is_ok());
    }
}
