//! The points of one body less those of another, in whole numbers.

use glam::DVec3;
use impinge_shapes::Pose;
use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{
    Polytope,
    guess::guess,
    nearest::{Corner, Support},
};
use crate::oracle::number::{Fraction, Rotation, Rough, Scale, Vector};

/// A way in whole numbers over a power of two.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) vector: Vector,
    pub(super) exponent: i32,
}

impl Way {
    pub(super) fn none() -> Self {
        Self { vector: Vector::zero(), exponent: 0 }
    }

    pub(super) fn of(displacement: glam::Vec3) -> Self {
        let scale = Scale::of(displacement.to_array());
        Self { vector: scale.vector(displacement), exponent: scale.exponent() }
    }
}

/// All points of B less those of A, times the factor and over the scale.
///
/// The bodies meet where it contains the origin; when A moves, it moves the other way.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) a: Vec<Vector>,
    pub(super) b: Vec<Vector>,
    /// Sum of the radii.
    pub(super) radius: BigInt,
    /// Of A, per time.
    pub(super) motion: Vector,
    pub(super) factor: BigInt,
    pub(super) scale: Scale,
}

fn numbers(body: &Polytope) -> impl Iterator<Item = f32> + '_ {
    let vertices = body.vertices.iter().flat_map(|v| v.to_array());
    vertices.chain(body.pose.position().to_array()).chain([body.radius, body.margin])
}

fn rotation(pose: &Pose) -> Rotation {
    let rotation = Rotation::of_pose(pose);
    // Most cases without a turn stay small this way.
    if rotation.columns[0].0[0] == rotation.norm && rotation.columns[1].0[1] == rotation.norm {
        Rotation { columns: [0, 1, 2].map(Vector::unit), norm: BigInt::one() }
    } else {
        rotation
    }
}

impl Difference {
    pub(super) fn new(a: &Polytope, b: &Polytope, way: &Way) -> Self {
        let mut scale = Scale::of(numbers(a).chain(numbers(b)));
        if !way.vector.is_zero() {
            scale = scale.with(way.exponent);
        }
        let (turn_a, turn_b) = (rotation(&a.pose), rotation(&b.pose));
        let factor = &turn_a.norm * &turn_b.norm;
        let place = |body: &Polytope, turn: &Rotation, other: &BigInt| -> Vec<Vector> {
            let center = scale.vector(body.pose.position()).times(&turn.norm);
            let placed = |v: &glam::Vec3| turn.turn(&scale.vector(*v)).plus(&center).times(other);
            body.vertices.iter().map(placed).collect()
        };
        let radii = [a.radius, a.margin, b.radius, b.margin].map(|radius| scale.whole(radius));
        let radius = radii.into_iter().sum::<BigInt>() * &factor;
        let shift = usize::try_from(way.exponent - scale.exponent()).unwrap_or(0);
        let motion = way.vector.map(|x| (x << shift) * &factor);
        Self {
            a: place(a, &turn_a, &turn_b.norm),
            b: place(b, &turn_b, &turn_a.norm),
            radius,
            motion,
            factor,
            scale,
        }
    }

    /// After A has moved for a time; everything times its denominator.
    pub(super) fn at(&self, time: &Fraction) -> Self {
        let Fraction { numerator, denominator } = time;
        let moved = self.motion.times(numerator);
        let times = |v: &Vector| v.times(denominator);
        Self {
            a: self.a.iter().map(|v| times(v).plus(&moved)).collect(),
            b: self.b.iter().map(times).collect(),
            radius: &self.radius * denominator,
            motion: times(&self.motion),
            factor: &self.factor * denominator,
            scale: self.scale,
        }
    }

    /// All that A sweeps over in the time from 0 to 1; the tags of the moved points of A follow
    /// those of the others.
    pub(super) fn swept(&self) -> Self {
        let moved = self.a.iter().map(|v| v.plus(&self.motion));
        let a = self.a.iter().cloned().chain(moved).collect();
        Self { a, ..self.clone() }
    }

    pub(super) fn has_radius(&self) -> bool {
        !self.radius.is_zero()
    }

    pub(super) fn in_f64(&self) -> InF64 {
        let roughs =
            [&self.a, &self.b].map(|all| all.iter().map(Vector::rough).collect::<Vec<_>>());
        let whole = |part: &&Rough| part.mantissa.abs() > 0.0;
        let exponents = roughs.iter().flatten().flatten().filter(whole).map(|part| part.exponent);
        let most = exponents.max().unwrap_or(0) + 1;
        let near = |rough: [Rough; 3]| DVec3::from_array(rough.map(|part| part.over_power(most)));
        InF64 {
            points: roughs.map(|all| all.into_iter().map(near).collect()),
            motion: near(self.motion.rough()),
            radius: Rough::of(&self.radius).over_power(most),
        }
    }

    /// Squared sum of the radii.
    pub(super) fn reach(&self) -> Fraction {
        Fraction::whole(&self.radius * &self.radius)
    }
}

/// A difference in f64, over a power of two that leaves its points below 1.
pub(super) struct InF64 {
    /// Of either body.
    pub(super) points: [Vec<DVec3>; 2],
    pub(super) motion: DVec3,
    pub(super) radius: f64,
}

/// The first of the points with the least value.
fn first_least(points: &[Vector], value: impl Fn(&Vector) -> BigInt) -> usize {
    let values = points.iter().map(value).enumerate();
    values.min_by(|(_, x), (_, y)| x.cmp(y)).map_or(0, |(i, _)| i)
}

pub(super) fn farthest(points: &[DVec3], direction: DVec3) -> usize {
    let values = points.iter().map(|p| p.dot(direction)).enumerate();
    values.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(i, _)| i)
}

impl Support for Difference {
    fn first(&self) -> Vec<Corner> {
        let [a, b] = self.in_f64().points;
        let found = guess(|direction| {
            let (i, j) = (farthest(&a, direction), farthest(&b, -direction));
            (b[j] - a[i], (i, j))
        });
        let corners = found.corners.iter().map(|&(_, (i, j), _)| (i, j));
        corners.map(|(i, j)| Corner { at: self.b[j].minus(&self.a[i]), tag: i }).collect()
    }

    fn lowest(&self, direction: &Vector) -> Corner {
        let i = first_least(&self.a, |v| -direction.dot(v));
        let j = first_least(&self.b, |v| direction.dot(v));
        Corner { at: self.b[j].minus(&self.a[i]), tag: i }
    }
}
