//! Bounds of signed distances and of times of impact.

use std::cell::{Cell, OnceCell};

use glam::{DMat3, DVec3};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::{Body, Placed};
use crate::oracle::{
    convex::{Corner, Guess, Nearest, Room, Support, guess, nearest, room},
    number::{Fraction, Vector},
};

/// Share of the sizes to which points are rounded; a power of two.
const GRID: f64 = 1.0 / (1_u64 << 47) as f64;

/// Share of the sizes by which bounds are moved outward: what rounding in f64 and to the grid may
/// have cost, and more.
const SLACK: f64 = 1.0 / (1_u64 << 43) as f64;

/// Steps of the grid beyond which a depth is surely more than bounds are moved outward.
const SURE: u32 = 64;

const _: () = assert!(SURE as f64 * GRID >= 4.0 * SLACK);

/// The search ends when a step gains less than this share of what it has, as a power of two.
const FINE: usize = 34;

/// The same for depths, whose search is slow: still a sixteenth of the last place of an f32.
const FINE_DEPTH: usize = 28;

/// Steps of a search, after which it ends with what it has.
const MOST_STEPS: usize = 160;

/// Steps along a way.
const MOST_ADVANCES: usize = 100;

/// A number lies between these, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Not above it.
    pub low: f64,
    /// Not below it.
    pub high: f64,
}

impl Bounds {
    /// Difference of the ends.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// How far a number lies outside.
    #[must_use]
    pub fn miss(&self, x: f64) -> f64 {
        (self.low - x).max(x - self.high).max(0.0)
    }
}

/// The difference of two bodies without their radii: B less A, or B less all that A sweeps over.
struct Difference<'a> {
    a: Placed<'a>,
    b: Placed<'a>,
    /// What A sweeps over, from where it is.
    sweep: DVec3,
    grid: f64,
    /// Sum of the sizes.
    size: f64,
    guess: OnceCell<Guess<()>>,
    steps: Cell<usize>,
    search: Cell<Search>,
}

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    Distance,
    Depth,
    /// Whether there is a depth beyond what rounding may have cost.
    Sign,
}

fn direction_of(v: &Vector) -> DVec3 {
    let parts = v.rough();
    let most = parts.iter().filter(|p| p.mantissa.abs() > 0.0).map(|p| p.exponent).max();
    let Some(most) = most else { return DVec3::X };
    DVec3::from_array(parts.map(|part| part.over_power(most))).normalize()
}

impl<'a> Difference<'a> {
    fn new(a: &'a Body, b: &'a Body, shift: DVec3, sweep: DVec3) -> Self {
        let origin = a.pose.position().as_dvec3();
        let (mut a, b) = (Placed::new(a, origin), Placed::new(b, origin));
        a.offset += shift;
        Self::of(a, b, sweep)
    }

    fn of(a: Placed<'a>, b: Placed<'a>, sweep: DVec3) -> Self {
        let size = a.size() + b.size() + sweep.length() + a.radius() + b.radius();
        let mut grid = GRID;
        while grid < size * GRID {
            grid *= 2.0;
        }
        while grid > size * GRID * 2.0 && grid > 0.0 {
            grid /= 2.0;
        }
        let (steps, search) = (Cell::new(0), Cell::new(Search::Distance));
        Self { a, b, sweep, grid, size, guess: OnceCell::new(), steps, search }
    }

    fn radius(&self) -> f64 {
        self.a.radius() + self.b.radius()
    }

    fn slack(&self) -> f64 {
        self.size * SLACK
    }

    /// The point lowest along a direction.
    fn lowest_point(&self, direction: DVec3) -> DVec3 {
        let ahead = if self.sweep.dot(direction) > 0.0 { self.sweep } else { DVec3::ZERO };
        self.b.farthest(-direction) - self.a.farthest(direction) - ahead
    }

    fn guess(&self) -> &Guess<()> {
        self.guess.get_or_init(|| guess(|direction| (self.lowest_point(direction), ())))
    }

    /// Where the guess in f64 shows the two to be apart, as closely as the search on the grid: the
    /// guess lies in the difference, and a plane across the way to it bounds it, but for rounding.
    fn apart(&self) -> Option<Gap> {
        let point = self.guess().point();
        let (high, normal) = (point.length(), point.try_normalize()?);
        let low = normal.dot(self.lowest_point(normal));
        let close = high - low <= 4.0 * self.grid + high / (1_u64 << FINE) as f64;
        let (slack, radius) = (self.slack(), self.radius());
        let bounds = Bounds { low: low - slack - radius, high: high + slack - radius };
        (low > slack && close).then_some(Gap { bounds, normal: Some(normal) })
    }

    /// Whether a plane that f64 finds surely parts the two.
    fn is_parted(&self) -> bool {
        let normal = self.guess().point().try_normalize();
        let beyond = self.slack() + self.radius();
        normal.is_some_and(|normal| normal.dot(self.lowest_point(normal)) > beyond)
    }

    fn rounded(&self, point: DVec3) -> Vector {
        let whole = |x: f64| BigInt::from((x / self.grid).round().to_i64().unwrap_or(0));
        Vector(point.to_array().map(whole))
    }

    /// How deep what overlaps without regard to the radii does so, as closely as is searched for.
    fn depth(&self, nearest: &Nearest, search: Search) -> Gap {
        self.steps.set(0);
        self.search.set(search);
        let (least, most) = match room(self, nearest) {
            Room::Flat => (0.0, 0.0),
            Room::Depth { square, above } => (self.length(&square), self.length(&above)),
        };
        let (slack, radius) = (self.slack(), self.radius());
        let bounds = Bounds { low: -most - slack - radius, high: -least + slack - radius };
        Gap { bounds, normal: None }
    }

    /// A root of a squared length on the grid.
    fn length(&self, square: &Fraction) -> f64 {
        square.sqrt_f64() * self.grid
    }
}

impl Support for Difference<'_> {
    fn first(&self) -> Vec<Corner> {
        let corners = self.guess().corners.iter();
        corners.map(|&(at, ..)| Corner { at: self.rounded(at), tag: 0 }).collect()
    }

    fn lowest(&self, direction: &Vector) -> Corner {
        let point = self.lowest_point(direction_of(direction));
        Corner { at: self.rounded(point), tag: 0 }
    }

    fn is_settled(&self, gain: &BigInt, here: &BigInt, square: &BigInt) -> bool {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        let search = self.search.get();
        let fine = if search == Search::Distance { FINE } else { FINE_DEPTH };
        // Four steps of the grid, or a small share.
        !gain.is_positive()
            || gain * gain <= square * 16
            || gain << fine <= *here
            || steps > MOST_STEPS
            || (search == Search::Sign && here * here > square * (SURE * SURE))
    }
}

/// Where two bodies are nearest or deepest, within bounds.
struct Gap {
    bounds: Bounds,
    /// From A to B, if they are apart without their radii.
    normal: Option<DVec3>,
}

/// Where the two are nearest, or the proof that they overlap without regard to the radii.
fn outside(difference: &Difference<'_>) -> Result<Gap, Box<Nearest>> {
    if difference.size <= 0.0 {
        return Ok(Gap { bounds: Bounds { low: 0.0, high: 0.0 }, normal: None });
    }
    if let Some(gap) = difference.apart() {
        return Ok(gap);
    }
    let nearest = nearest(difference);
    if nearest.is_origin() {
        return Err(Box::new(nearest));
    }
    let (slack, radius) = (difference.slack(), difference.radius());
    let normal = direction_of(&nearest.direction);
    let low = normal.dot(difference.lowest_point(normal));
    let high = difference.length(&nearest.square);
    let bounds = Bounds { low: low - slack - radius, high: high + slack - radius };
    Ok(Gap { bounds, normal: (low > slack).then_some(normal) })
}

fn gap(difference: &Difference<'_>) -> Gap {
    outside(difference).unwrap_or_else(|nearest| difference.depth(&nearest, Search::Depth))
}

/// As [`gap`], but with wider bounds of what surely overlaps.
fn sign(difference: &Difference<'_>) -> Gap {
    outside(difference).unwrap_or_else(|nearest| difference.depth(&nearest, Search::Sign))
}

/// Whether a plane that f64 finds surely parts B from all that A sweeps over.
pub(in crate::oracle) fn parted(a: &Body, way: DVec3, b: &Body) -> bool {
    Difference::new(a, b, DVec3::ZERO, way).is_parted()
}

/// Bounds of the signed distance of two bodies.
#[must_use]
pub fn distance(a: &Body, b: &Body) -> Bounds {
    gap(&Difference::new(a, b, DVec3::ZERO, DVec3::ZERO)).bounds
}

/// As [`distance`], but with wider bounds of what surely overlaps.
#[must_use]
pub fn signed(a: &Body, b: &Body) -> Bounds {
    sign(&Difference::new(a, b, DVec3::ZERO, DVec3::ZERO)).bounds
}

/// The same bounds for bodies that are apart, and of others only that they are not.
#[must_use]
pub fn clearance(a: &Body, b: &Body) -> Bounds {
    let difference = Difference::new(a, b, DVec3::ZERO, DVec3::ZERO);
    let meeting = Bounds { low: f64::NEG_INFINITY, high: difference.slack() };
    // A point of the difference, but for rounding.
    if difference.guess().point().length() <= 0.5 * difference.slack() {
        return meeting;
    }
    outside(&difference).map_or(meeting, |gap| gap.bounds)
}

/// Bounds of the signed distance of two bodies whose frames are turned and moved, rounding of the
/// turns and moves aside.
#[must_use]
pub fn distance_at(a: &Body, of_a: (DMat3, DVec3), b: &Body, of_b: (DMat3, DVec3)) -> Bounds {
    let (a, b) = (Placed::new(a, DVec3::ZERO), Placed::new(b, DVec3::ZERO));
    gap(&Difference::of(a.within(of_a), b.within(of_b), DVec3::ZERO)).bounds
}

/// What a linear motion meets, as far as the bounds tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Nothing.
    Miss,
    /// Overlap with depth at the start.
    StartOverlapping,
    /// Touch at the start; whether they overlap with depth right after, `None` where there is no
    /// depth.
    StartTouching {
        /// Into each other.
        enters: Option<bool>,
    },
    /// First touch at a fraction of the way.
    Hit {
        /// Bounds of the fraction.
        time: Bounds,
        /// How fast they approach there as a share of the speed, about.
        incidence: f64,
    },
    /// Too close to touching to tell.
    Unknown,
}

/// Linear motion of A against B.
#[must_use]
pub fn sweep(a: &Body, way: DVec3, b: &Body) -> Outcome {
    let at = |time: f64| sign(&Difference::new(a, b, way * time, DVec3::ZERO));
    let start = at(0.0);
    if start.bounds.high < 0.0 {
        return Outcome::StartOverlapping;
    }
    if start.bounds.low <= 0.0 {
        return Outcome::Unknown;
    }
    let path = sign(&Difference::new(a, b, DVec3::ZERO, way));
    if path.bounds.low > 0.0 {
        return Outcome::Miss;
    }
    if path.bounds.high >= 0.0 {
        return Outcome::Unknown;
    }
    // No earlier than the planes between the bodies allow; the distance is convex, so this comes
    // near from below.
    let (mut low, mut slope) = (0.0, 0.0);
    for _ in 0..MOST_ADVANCES {
        let Gap { bounds, normal } = at(low);
        let Some(normal) = normal.filter(|_| bounds.low > 0.0) else { break };
        slope = normal.dot(way);
        let next = low + bounds.low / slope;
        if slope <= 0.0 || next <= low {
            break;
        }
        low = next.min(1.0);
    }
    let incidence = slope / way.length();
    // Where they overlap by more than the bounds are moved outward.
    let slack = Difference::new(a, b, DVec3::ZERO, way).slack();
    let deep = if slope > 0.0 { 2.0 * slack / slope } else { 0.0 };
    let mut step = (low * f64::EPSILON).max(deep) + f64::MIN_POSITIVE;
    loop {
        let high = low + step;
        if at(high).bounds.high <= 0.0 {
            return Outcome::Hit { time: Bounds { low, high }, incidence };
        }
        if high > 1.0 {
            // It ends in a touch too shallow to be sure of, though the path as a whole is not.
            return Outcome::Hit { time: Bounds { low, high: 1.0 }, incidence };
        }
        step *= 4.0;
    }
}
