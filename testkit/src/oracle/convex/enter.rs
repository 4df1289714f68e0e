//! Where a line enters the difference of two polytopes.
//!
//! The points `t · w` of a line that lie in a polytope are those with shares of its corners that
//! sum to 1 and cancel out across the line; the least `t` of them is a linear program.
//!
//! - Source: the revised simplex method (Dantzig 1953), in whole numbers; Bland's rule (*New finite
//!   pivoting rules for the simplex method*, 1977) takes over where steps stop to help.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::difference::Difference;
use crate::oracle::number::{Fraction, Vector};

/// Steps by the steepest price before Bland's rule, which cannot cycle, takes over.
const STEEPEST_STEPS: usize = 60;

/// A price: first the weight on columns that only help to start, then the place along the line.
/// They are compared in this order.
type Price = [BigInt; 2];

/// A point across the line with a one below, and what it costs.
#[derive(Clone, Debug)]
struct Column {
    at: Vector,
    cost: Price,
    /// Order for Bland's rule.
    index: usize,
}

/// The points of both bodies in coordinates across and along the line.
struct Lines {
    a: Vec<[BigInt; 3]>,
    b: Vec<[BigInt; 3]>,
}

impl Lines {
    fn column(&self, i: usize, j: usize) -> Column {
        let [x, y, along] = std::array::from_fn(|k| &self.b[j][k] - &self.a[i][k]);
        Column {
            at: Vector([x, y, BigInt::one()]),
            cost: [BigInt::zero(), along],
            index: 3 + i * self.b.len() + j,
        }
    }

    /// The pair of points with a negative price: the least one, or the first.
    fn priced(&self, basis: &Basis, steepest: bool) -> Option<Column> {
        // What a point adds to the price of a column; the constant comes once.
        let price = |p: &[BigInt; 3]| -> Price {
            let across = |k: usize| &basis.dual[k].0[0] * &p[0] + &basis.dual[k].0[1] * &p[1];
            [-across(0), &p[2] * &basis.volume - across(1)]
        };
        let of_a: Vec<Price> = self.a.iter().map(price).collect();
        let of_b: Vec<Price> = self.b.iter().map(price).collect();
        let whole = |i: usize, j: usize| -> Price {
            std::array::from_fn(|k| &of_b[j][k] - &of_a[i][k] - &basis.dual[k].0[2])
        };
        let zero: Price = [BigInt::zero(), BigInt::zero()];
        let (i, j) = if steepest {
            let i = (0..of_a.len()).max_by(|&i, &j| of_a[i].cmp(&of_a[j]))?;
            let j = (0..of_b.len()).min_by(|&i, &j| of_b[i].cmp(&of_b[j]))?;
            (i, j)
        } else {
            let pairs = (0..of_a.len()).flat_map(|i| (0..of_b.len()).map(move |j| (i, j)));
            pairs.into_iter().find(|&(i, j)| whole(i, j) < zero)?
        };
        (whole(i, j) < zero).then(|| self.column(i, j))
    }
}

/// Three columns around the origin, and what follows from them.
struct Basis {
    columns: [Column; 3],
    /// Rows of the inverse times the volume.
    rows: [Vector; 3],
    /// Positive.
    volume: BigInt,
    /// What each row of the equations is worth, times the volume.
    dual: [Vector; 2],
}

impl Basis {
    fn new(columns: [Column; 3]) -> Self {
        let [p, q, r] = columns.each_ref().map(|column| &column.at);
        let rows = [q.cross(r), r.cross(p), p.cross(q)];
        let volume = p.dot(&rows[0]);
        let sign = if volume.is_negative() { BigInt::from(-1) } else { BigInt::one() };
        let rows = rows.map(|row| row.times(&sign));
        let dual = std::array::from_fn(|k| {
            let part = |i: usize| rows[i].times(&columns[i].cost[k]);
            part(0).plus(&part(1)).plus(&part(2))
        });
        Self { columns, rows, volume: volume * sign, dual }
    }

    /// Shares of the columns times the volume.
    fn share(&self, i: usize) -> &BigInt {
        &self.rows[i].0[2]
    }

    /// The basis with a column in the place of that which runs out first.
    fn replaced(self, column: Column) -> Self {
        let rates = self.rows.each_ref().map(|row| row.dot(&column.at));
        let falling = (0..3).filter(|&i| rates[i].is_positive());
        let leaving = falling.min_by(|&i, &j| {
            let order = (self.share(i) * &rates[j]).cmp(&(self.share(j) * &rates[i]));
            order.then(self.columns[i].index.cmp(&self.columns[j].index))
        });
        let mut columns = self.columns;
        // The shares sum to one, so one of them must fall.
        columns[leaving.unwrap_or(0)] = column;
        Self::new(columns)
    }

    fn total(&self, k: usize) -> BigInt {
        (0..3).map(|i| self.share(i) * &self.columns[i].cost[k]).sum()
    }
}

/// The least `t`, of any sign, for which the difference contains `t` times its motion; the motion
/// must not be zero.
pub(super) fn entry(difference: &Difference) -> Option<Fraction> {
    let w = &difference.motion;
    let main = (0..3).max_by(|&i, &j| w.0[i].abs().cmp(&w.0[j].abs()))?;
    let (second, third) = ((main + 1) % 3, (main + 2) % 3);
    let sign = if w.0[main].is_negative() { -1 } else { 1 };
    let split = |v: &Vector| -> [BigInt; 3] {
        let across = |k: usize| &v.0[k] * &w.0[main] - &v.0[main] * &w.0[k];
        [across(second), across(third), &v.0[main] * sign]
    };
    let lines = Lines {
        a: difference.a.iter().map(split).collect(),
        b: difference.b.iter().map(split).collect(),
    };
    let start = |index: usize, x: i32, y: i32| Column {
        at: Vector([x.into(), y.into(), BigInt::one()]),
        cost: [BigInt::one(), BigInt::zero()],
        index,
    };
    let mut basis = Basis::new([start(0, 1, 0), start(1, 0, 1), start(2, -1, -1)]);
    for step in 0_usize.. {
        let Some(column) = lines.priced(&basis, step < STEEPEST_STEPS) else { break };
        basis = basis.replaced(column);
    }
    let missed = basis.total(0).cmp(&BigInt::zero()) != Ordering::Equal;
    let speed = w.0[main].abs() * &basis.volume;
    (!missed).then(|| Fraction::new(basis.total(1), speed))
}

/// The greatest `t` for which the difference contains `t` times its motion.
pub(super) fn exit(difference: &Difference) -> Option<Fraction> {
    let back = Difference { motion: difference.motion.negated(), ..difference.clone() };
    let time = entry(&back)?;
    Some(Fraction::new(-time.numerator, time.denominator))
}
