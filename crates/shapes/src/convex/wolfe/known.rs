//! The numbers of the search: fast ones that may not know a sign, and exact ones.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use super::place::{Form, Place};
use crate::exact::Exact;
use crate::filter::{Number, Vector, quotient_within};
use crate::tolerance;
use crate::tracked::Tracked;

/// What the method computes with.
pub(super) trait Known: Number {
    /// Most steps of a search.
    const STEPS: usize;

    fn of(x: &Exact) -> Self;
    fn at(place: &Place) -> Vector<Self>;
    /// The vector divided by its largest component, and the most that a component may be off by.
    fn rough(vector: &Vector<Self>) -> Option<(DVec3, f64)>;
    /// The quotient of two numbers, of which the divisor is not zero, within [`tolerance::FILTER`].
    fn ratio(number: &Self, divisor: &Self) -> Option<f64>;
}

impl Known for Tracked {
    const STEPS: usize = tolerance::KNOWN_STEPS;

    fn of(x: &Exact) -> Self {
        Self::of(x)
    }

    #[inline]
    fn at(place: &Place) -> Vector<Self> {
        Vector(match place.form() {
            Form::Near(at) => at.to_array().map(Self::new),
            &Form::Steps(steps, last) => steps.map(|count| Self::of_steps(count, last)),
            Form::Wide(exact) => exact.0.each_ref().map(Self::of),
        })
    }

    fn rough(vector: &Vector<Self>) -> Option<(DVec3, f64)> {
        let value = vector.value();
        let largest = value.abs().max_element();
        let error = vector.error() / largest;
        let is_known = (f64::MIN_POSITIVE..f64::INFINITY).contains(&largest) && error < 0.5;
        is_known.then(|| (value / largest, 4.0 * error + 4.0 * f64::EPSILON))
    }

    fn ratio(number: &Self, divisor: &Self) -> Option<f64> {
        // Half of it is room for the division, which a denormal quotient would exceed.
        let quotient = quotient_within(number, divisor, 0.5 * tolerance::FILTER)?;
        (f64::MIN_POSITIVE..f64::INFINITY).contains(&quotient.abs()).then_some(quotient)
    }
}

impl Known for Exact {
    const STEPS: usize = usize::MAX;

    fn of(x: &Exact) -> Self {
        x.clone()
    }

    fn at(place: &Place) -> Vector<Self> {
        Vector(place.exact().0)
    }

    fn rough(vector: &Vector<Self>) -> Option<(DVec3, f64)> {
        let [x, y, z] = &vector.0;
        let largest = [x, y, z].into_iter().map(Self::abs).max().unwrap_or(Self::ZERO);
        let rough = DVec3::new(x.ratio(&largest), y.ratio(&largest), z.ratio(&largest));
        Some((rough, 4.0 * f64::EPSILON))
    }

    fn ratio(number: &Self, divisor: &Self) -> Option<f64> {
        Some(number.ratio(divisor))
    }
}

/// The axis along which a vector is known to lie, and which way.
pub(super) fn axis<N: Number>(vector: &Vector<N>) -> Option<(usize, Ordering)> {
    let [x, y, z] = vector.0.each_ref().map(N::known_sign);
    match (x?, y?, z?) {
        (sign, Ordering::Equal, Ordering::Equal) => Some((0, sign)),
        (Ordering::Equal, sign, Ordering::Equal) => Some((1, sign)),
        (Ordering::Equal, Ordering::Equal, sign) => Some((2, sign)),
        _ => None,
    }
}

/// The vector, of length one where it is known to lie along an axis: its length does not matter, and
/// what is multiplied by one is not rounded.
pub(super) fn tidy<N: Number>(vector: Vector<N>) -> Vector<N> {
    match axis(&vector) {
        Some((axis, sign)) if sign != Ordering::Equal => {
            let one = if sign == Ordering::Less { -Vec3::AXES[axis] } else { Vec3::AXES[axis] };
            Vector::new(one)
        }
        _ => vector,
    }
}
