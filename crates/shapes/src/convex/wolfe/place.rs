//! Places in exact numbers, and the farthest of them along a direction.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::exact::{Exact, ExactVec3};
use crate::round;

/// A place in exact numbers.
#[derive(Clone, Debug)]
pub struct Place(Form);

/// How its coordinates are kept.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// As f64 numbers.
    Near(DVec3),
    /// As multiples of a power of two with this exponent.
    Steps([i128; 3], i64),
    Wide(Box<ExactVec3>),
}

impl Place {
    /// A place whose coordinates are kept as whole steps of `2^last` where all are that, and less
    /// than `2^120` of them: places with the same last digit are subtracted without a look at their
    /// exponents.
    #[must_use]
    pub fn with_last_digit(exact: ExactVec3, last: i64) -> Self {
        match exact.0.each_ref().map(|x| x.steps(last)) {
            [Some(x), Some(y), Some(z)] => Self(Form::Steps([x, y, z], last)),
            _ => exact.into(),
        }
    }

    /// From one place to another.
    #[must_use]
    #[inline]
    pub fn to(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Form::Near(from), Form::Near(to)) => {
                let sums = [0, 1, 2].map(|k| round::two_sum(to[k], -from[k]));
                if sums.iter().all(|(_, error)| error.abs() <= 0.0) {
                    return DVec3::from_array(sums.map(|(difference, _)| difference)).into();
                }
            }
            (&Form::Steps(from, last), &Form::Steps(to, same)) if last == same => {
                let differences = [0, 1, 2].map(|k| to[k].checked_sub(from[k]));
                if let [Some(x), Some(y), Some(z)] = differences {
                    return Self(Form::Steps([x, y, z], last));
                }
            }
            _ => {}
        }
        other.exact().minus(&self.exact()).into()
    }

    pub(super) fn form(&self) -> &Form {
        &self.0
    }

    pub(super) fn exact(&self) -> ExactVec3 {
        match &self.0 {
            Form::Near(at) => (*at).into(),
            &Form::Steps(steps, last) => ExactVec3(steps.map(|count| Exact::of_steps(count, last))),
            Form::Wide(exact) => (**exact).clone(),
        }
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Near(one), Form::Near(other)) => one == other,
            (Form::Steps(one, last), Form::Steps(other, same)) if last == same => one == other,
            _ => self.exact() == other.exact(),
        }
    }
}

impl From<Vec3> for Place {
    fn from(v: Vec3) -> Self {
        v.as_dvec3().into()
    }
}

impl From<DVec3> for Place {
    fn from(at: DVec3) -> Self {
        Self(Form::Near(at))
    }
}

impl From<ExactVec3> for Place {
    fn from(exact: ExactVec3) -> Self {
        match exact.0.each_ref().map(Exact::as_f64) {
            [Some(x), Some(y), Some(z)] => DVec3::new(x, y, z).into(),
            _ => Self(Form::Wide(Box::new(exact))),
        }
    }
}

/// A place that is farthest along a direction.
#[derive(Clone, Debug)]
pub struct Extreme {
    /// The place.
    pub place: Place,
    /// Whether no other is farther; elsewhere rounding may hide one that is, by as little.
    pub is_known: bool,
}

/// A direction, which may be known but for rounding.
#[expect(missing_debug_implementations, reason = "it asks a closure")]
pub struct Direction<'a> {
    /// The largest component is 1.
    pub(super) rough: DVec3,
    /// Of a component of the rough one, at most.
    pub(super) error: f64,
    /// Which way along it a way leads.
    pub(super) along: &'a dyn Fn(&Place) -> Option<Ordering>,
}

impl Direction<'_> {
    /// Whether a way leads forward (`Greater`), back or across; `None` where rounding hides it.
    #[must_use]
    pub fn along(&self, way: &Place) -> Option<Ordering> {
        (self.along)(way)
    }

    /// The first of some places that are farthest along the direction, or against it, as far as it
    /// knows.
    ///
    /// - `near` are the places within `error`, `exact(k)` one of them.
    #[must_use]
    pub fn extreme(
        &self,
        forward: bool,
        near: &[DVec3],
        error: f64,
        exact: impl Fn(usize) -> Place,
    ) -> Extreme {
        let rough = if forward { self.rough } else { -self.rough };
        let (mut most, mut size) = (f64::NEG_INFINITY, 0.0_f64);
        for v in near {
            most = most.max(rough.dot(*v));
            size = size.max(v.abs().element_sum());
        }
        // The direction has components of at most 1.
        let least = most - (8.0 * error + 4.0 * self.error * size);
        let mut candidates = (0..near.len()).filter(|&k| rough.dot(near[k]) >= least);
        let mut best = candidates.next().map_or_else(|| exact(0), &exact);
        let (wanted, mut is_known) =
            (if forward { Ordering::Greater } else { Ordering::Less }, true);
        for k in candidates {
            let place = exact(k);
            match self.along(&best.to(&place)) {
                Some(ahead) if ahead == wanted => best = place,
                Some(_) => {}
                None => is_known = false,
            }
        }
        Extreme { place: best, is_known }
    }
}
