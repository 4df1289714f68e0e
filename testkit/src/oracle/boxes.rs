//! Two boxes: their Minkowski difference is a zonotope with six generators, and each of its faces
//! is perpendicular to two of them.

use glam::Vec3;
use impinge_shapes::{Cuboid, Pose};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::{
    Sweep,
    number::{Fraction, Rotation, Scale, Time, Vector},
};

/// The centre of B minus the centre of A, the six generators, and how fast the centre moves; all
/// times the same positive number.
struct Difference {
    center: Vector,
    generators: Vec<Vector>,
    motion: Vector,
    /// What everything was multiplied with, besides the scale.
    factor: BigInt,
    scale: Scale,
}

fn difference(
    (a, pose_a): (&Cuboid, &Pose),
    motion_of_a: Vec3,
    (b, pose_b): (&Cuboid, &Pose),
) -> Difference {
    let lengths = [a.half_extents(), b.half_extents(), pose_a.position(), pose_b.position()];
    let numbers = lengths.into_iter().chain([motion_of_a]).flat_map(|v| v.to_array());
    let scale = Scale::of(numbers);
    let (turn_a, turn_b) = (Rotation::of_pose(pose_a), Rotation::of_pose(pose_b));
    let factor = &turn_a.norm * &turn_b.norm;
    let (half_a, half_b) = (scale.vector(a.half_extents()), scale.vector(b.half_extents()));
    let of_a = (0..3).map(|i| turn_a.columns[i].times(&(&half_a.0[i] * &turn_b.norm)));
    let of_b = (0..3).map(|i| turn_b.columns[i].times(&(&half_b.0[i] * &turn_a.norm)));
    let apart = scale.vector(pose_b.position()).minus(&scale.vector(pose_a.position()));
    Difference {
        center: apart.times(&factor),
        generators: of_a.chain(of_b).filter(|g| !g.is_zero()).collect(),
        // As A moves, B's centre comes the other way.
        motion: scale.vector(motion_of_a).times(&-factor.clone()),
        factor,
        scale,
    }
}

impl Difference {
    /// Axes that decide: one set for every position of the centre.
    ///
    /// Three dimensions of generators need the cross products of their pairs. Flat ones also need
    /// the axes in the plane, a line those around it, a point all three.
    fn axes(&self) -> Vec<Vector> {
        let g = &self.generators;
        let mut axes = Vec::new();
        for i in 0..g.len() {
            for j in i + 1..g.len() {
                let axis = g[i].cross(&g[j]);
                if !axis.is_zero() {
                    axes.push(axis);
                }
            }
        }
        let is_solid = axes.iter().any(|axis| g.iter().any(|g| !axis.dot(g).is_zero()));
        if is_solid {
            return axes;
        }
        if let Some(normal) = axes.first().cloned() {
            axes.extend(g.iter().map(|g| normal.cross(g)));
            return axes;
        }
        let Some(line) = g.first() else {
            return (0..3).map(Vector::unit).collect();
        };
        axes.push(line.clone());
        axes.extend((0..3).map(|i| line.cross(&Vector::unit(i))));
        axes
    }

    /// Half width of the zonotope along an axis.
    fn reach(&self, axis: &Vector) -> BigInt {
        self.generators.iter().map(|g| axis.dot(g).abs()).sum()
    }
}

/// Whether two boxes have a point in common.
pub(super) fn overlaps(a: (&Cuboid, &Pose), b: (&Cuboid, &Pose)) -> bool {
    let difference = difference(a, Vec3::ZERO, b);
    let apart = |axis: &Vector| axis.dot(&difference.center).abs() > difference.reach(axis);
    !difference.axes().iter().any(apart)
}

/// Signed distance of two boxes that overlap: minus the least of the overlaps along the axes.
/// `None` if they are apart, or if both are flat.
pub(super) fn depth(a: (&Cuboid, &Pose), b: (&Cuboid, &Pose)) -> Option<f64> {
    let difference = difference(a, Vec3::ZERO, b);
    let mut least: Option<Fraction> = None;
    for axis in difference.axes() {
        let overlap = difference.reach(&axis) - axis.dot(&difference.center).abs();
        if overlap.is_negative() {
            return None;
        }
        let square = Fraction::new(&overlap * &overlap, axis.dot(&axis));
        least = Some(least.map_or_else(|| square.clone(), |least| least.min(square.clone())));
    }
    let factor = &difference.factor * &difference.factor;
    let square = least?;
    let square = Fraction::new(square.numerator, square.denominator * factor);
    Some(-square.shifted(2 * difference.scale.exponent()).sqrt_f64())
}

/// `|x| ≤ reach` along an axis, and a point that moves there, all times the axis' length.
pub(super) struct Slab {
    pub(super) start: BigInt,
    pub(super) motion: BigInt,
    pub(super) reach: BigInt,
    /// Squared length of the axis.
    pub(super) square: BigInt,
}

/// Linear motion of A against B: the centre's way through the slabs of the zonotope.
pub(super) fn sweep(a: (&Cuboid, &Pose), displacement: Vec3, b: (&Cuboid, &Pose)) -> Sweep {
    let difference = difference(a, displacement, b);
    let slab = |axis: Vector| Slab {
        start: axis.dot(&difference.center),
        motion: axis.dot(&difference.motion),
        reach: difference.reach(&axis),
        square: axis.dot(&axis),
    };
    let slabs: Vec<Slab> = difference.axes().into_iter().map(slab).collect();
    through_slabs(&slabs, &difference.motion.dot(&difference.motion))
}

/// A point that moves for the time 1 through slabs; `speed` is its squared length.
pub(super) fn through_slabs(slabs: &[Slab], speed: &BigInt) -> Sweep {
    if slabs.iter().all(|slab| slab.start.abs() <= slab.reach) {
        return start_inside(slabs);
    }
    let (mut entry, mut exit) = (Fraction::zero(), Fraction::whole(1.into()));
    let mut incidence = 1.0;
    for slab in slabs {
        if slab.motion.is_zero() {
            if slab.start.abs() > slab.reach {
                return Sweep::Miss;
            }
            continue;
        }
        let low = Fraction::new(-&slab.reach - &slab.start, slab.motion.clone());
        let high = Fraction::new(&slab.reach - &slab.start, slab.motion.clone());
        let (low, high) = if low <= high { (low, high) } else { (high, low) };
        if low > entry {
            entry = low;
            let share = Fraction::new(&slab.motion * &slab.motion, &slab.square * speed);
            incidence = share.sqrt_f64();
        }
        exit = exit.min(high);
    }
    if entry <= exit { Sweep::Hit { time: Time::Exact(entry), incidence } } else { Sweep::Miss }
}

fn start_inside(slabs: &[Slab]) -> Sweep {
    if slabs.iter().any(|slab| slab.reach.is_zero()) {
        // A flat difference has no inside to move into.
        return Sweep::StartTouching { enters: None };
    }
    let mut touching = slabs.iter().filter(|slab| slab.start.abs() == slab.reach).peekable();
    if touching.peek().is_none() {
        return Sweep::StartOverlapping;
    }
    let enters = touching.all(|slab| (&slab.start * &slab.motion).is_negative());
    Sweep::StartTouching { enters: Some(enters) }
}
