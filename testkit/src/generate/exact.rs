//! Rotations whose matrix is rational with the denominator 1 or 5, and shapes whose sizes stay
//! f32 numbers when such a matrix turns them.

use glam::{DVec3, Quat};

use crate::rng::Rng;

/// A rotation by a quarter turn, a cyclic permutation, or the angle of the 3-4-5 triangle.
#[derive(Clone, Copy, Debug)]
pub struct ExactTurn {
    /// Its quaternion, not of unit length.
    pub rotation: Quat,
    /// The columns of its matrix times 5, in whole numbers.
    pub columns: [DVec3; 3],
}

/// Quaternions of small whole numbers whose squares sum to 1, 2, 4, 5 or 10.
const TURNS: [[f32; 4]; 12] = [
    [0.0, 0.0, 0.0, 1.0],
    [0.0, -0.0, 0.0, -1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, -1.0],
    [0.0, 0.0, 1.0, 1.0],
    [1.0, 1.0, 1.0, 1.0],
    [0.5, -0.5, 0.5, -0.5],
    [0.0, 0.0, 1.0, 2.0],
    [2.0, 0.0, 0.0, 1.0],
    [0.0, -1.0, 0.0, 2.0],
    [0.0, 0.5, 0.0, 1.0],
    [1.0, 0.0, 3.0, 0.0],
];

impl ExactTurn {
    /// One of them.
    #[must_use]
    pub fn draw(rng: &mut Rng) -> Self {
        Self::of(rng.pick(&TURNS))
    }

    /// The identity.
    #[must_use]
    pub fn identity() -> Self {
        Self::of(TURNS[0])
    }

    fn of(q: [f32; 4]) -> Self {
        let [x, y, z, w] = q.map(f64::from);
        let norm = x * x + y * y + z * z + w * w;
        // Five times a matrix of fifths: small whole numbers, so nothing is rounded.
        let column = |a: f64, b: f64, c: f64| DVec3::new(a, b, c) * 5.0 / norm;
        let columns = [
            column(w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
            column(2.0 * (x * y - w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x)),
            column(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z),
        ];
        Self { rotation: Quat::from_array(q), columns }
    }
}

/// A multiple of 125/16, which stays a multiple of 1/16 after three divisions by 5.
#[must_use]
pub(super) fn length(most: usize, rng: &mut Rng) -> f64 {
    7.8125 * rng.below(most + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_rotations_in_whole_numbers() {
        for q in TURNS {
            let turn = ExactTurn::of(q);
            let [x, y, z] = turn.columns;
            assert_eq!(x.cross(y), z * 5.0, "{q:?}");
            assert_eq!(DVec3::new(x.dot(x), y.dot(y), x.dot(y)), DVec3::new(25.0, 25.0, 0.0));
            assert_eq!(x.round(), x);
        }
    }
}
