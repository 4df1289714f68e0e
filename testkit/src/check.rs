//! How tests run through cases, count their outcomes and measure errors.

use std::{collections::BTreeMap, fmt::Debug};

use impinge_shapes::simd::SimdLevel;

use crate::{generate::Class, hash::mix, rng::Rng};

/// How often a test saw each answer, by class.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: BTreeMap<Class, [usize; 2]>,
}

impl Tally {
    /// Counts one answer.
    pub fn count(&mut self, class: Class, answer: bool) {
        self.counts.entry(class).or_default()[usize::from(answer)] += 1;
    }

    /// Number of answers.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts.values().flatten().sum()
    }

    /// Number of cases with this answer.
    #[must_use]
    pub fn of(&self, answer: bool) -> usize {
        self.counts.values().map(|counts| counts[usize::from(answer)]).sum()
    }

    /// Demands that every class occurred, and that each answer makes up a twentieth at least.
    ///
    /// # Panics
    /// When it did not.
    pub fn assert_balanced(&self) {
        for class in Class::ALL {
            assert!(self.counts.contains_key(&class), "no case of {class:?}: {self:?}");
        }
        let (yes, no) = (self.of(true), self.of(false));
        assert!(20 * yes.min(no) >= yes + no, "{yes} yes, {no} no: {self:?}");
    }
}

/// How many times more cases than usual to run: the environment variable `IMPINGE_CASES`, 1
/// without it.
#[must_use]
pub fn case_factor() -> u64 {
    std::env::var("IMPINGE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Runs `count` times [`case_factor`] cases, the classes in turn, each with its own random numbers.
///
/// # Panics
/// With the seed and the class of the first case for which the closure returns an error.
pub fn for_each_case(
    seed: u64,
    count: usize,
    mut test: impl FnMut(Class, &mut Rng) -> Result<(), String>,
) {
    let count = count as u64 * case_factor();
    for (index, class) in (0..count).zip(Class::ALL.into_iter().cycle()) {
        let mut rng = Rng::new(mix(seed).wrapping_add(mix(index)));
        if let Err(message) = test(class, &mut rng) {
            panic!("seed {seed}, case {index} ({class:?}): {message}");
        }
    }
}

/// An error that shows what was tested, unless the answer is the expected one.
///
/// # Errors
/// The two answers differ.
pub fn expect_same<T: PartialEq + Debug>(
    found: T,
    expected: T,
    case: &impl Debug,
) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:?}, expected {expected:?} for {case:?}"))
    }
}

/// Size of the last place of an f32 of this magnitude.
#[must_use]
pub fn ulp(magnitude: f64) -> f64 {
    let nearest = impinge_shapes::round::nearest(magnitude.abs());
    f64::from(nearest.next_up()) - f64::from(nearest)
}

/// An error unless `found` lies within `ulps` last places of `magnitude` of the exact value.
///
/// # Errors
/// It lies farther away, or is no number.
pub fn expect_near(
    found: f32,
    exact: f64,
    ulps: f64,
    magnitude: f64,
    case: &impl Debug,
) -> Result<(), String> {
    let error = (f64::from(found) - exact).abs() / ulp(magnitude);
    if error <= ulps {
        Ok(())
    } else {
        Err(format!("found {found:?}, exact {exact:?}: {error} ulp off for {case:?}"))
    }
}

/// The SIMD levels of this machine, all of which answer alike.
#[must_use]
pub fn levels() -> Vec<SimdLevel> {
    SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)).collect()
}
