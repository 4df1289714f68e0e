//! Answers that are the same to the bit.

use std::fmt::Debug;

use glam::Vec3;
use impinge_narrowphase::{Closest, ContactPoint, FeatureId, Manifold, Projection, ShapeSweepHit};
use impinge_shapes::{ShapeRayHit, simd::SimdLevel};
use smallvec::{Array, SmallVec};

/// What an answer is made of, which tells -0 from 0.
pub trait Bits {
    /// Adds it to a list, of which no two answers that differ make the same.
    fn add_to(&self, bits: &mut Vec<u32>);
}

impl Bits for u32 {
    fn add_to(&self, bits: &mut Vec<u32>) {
        bits.push(*self);
    }
}

impl Bits for bool {
    fn add_to(&self, bits: &mut Vec<u32>) {
        bits.push(u32::from(*self));
    }
}

impl Bits for f32 {
    fn add_to(&self, bits: &mut Vec<u32>) {
        bits.push(self.to_bits());
    }
}

impl Bits for Vec3 {
    fn add_to(&self, bits: &mut Vec<u32>) {
        bits.extend(self.to_array().map(f32::to_bits));
    }
}

impl Bits for FeatureId {
    fn add_to(&self, bits: &mut Vec<u32>) {
        self.0.add_to(bits);
    }
}

impl<T: Bits> Bits for Option<T> {
    fn add_to(&self, bits: &mut Vec<u32>) {
        self.as_slice().add_to(bits);
    }
}

impl<T: Bits> Bits for [T] {
    fn add_to(&self, bits: &mut Vec<u32>) {
        for one in self {
            bits.push(1);
            one.add_to(bits);
        }
        bits.push(0);
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn add_to(&self, bits: &mut Vec<u32>) {
        self.as_slice().add_to(bits);
    }
}

impl<T: Bits> Bits for Vec<T> {
    fn add_to(&self, bits: &mut Vec<u32>) {
        self.as_slice().add_to(bits);
    }
}

impl<A: Array<Item: Bits>> Bits for SmallVec<A> {
    fn add_to(&self, bits: &mut Vec<u32>) {
        self.as_slice().add_to(bits);
    }
}

/// All fields of a type, one after the other; no field can be forgotten.
macro_rules! fields {
    ($type:ident { $($field:ident),+ $(,)? }) => {
        impl Bits for $type {
            fn add_to(&self, bits: &mut Vec<u32>) {
                let Self { $($field),+ } = self;
                $($field.add_to(bits);)+
            }
        }
    };
}

fields!(Closest { distance, normal, point_a, point_b, part_a, part_b });
fields!(Manifold { normal, points, part_a, part_b });
fields!(Projection { distance, normal, point, part });
fields!(ShapeSweepHit {
    fraction,
    distance,
    point,
    normal,
    started_overlapping,
    depth,
    part_mover,
    part,
});
fields!(ShapeRayHit { distance, point, normal, started_inside, part, barycentric });
fields!(ContactPoint { point_a, point_b, distance, feature });

/// Compares answers of a batch with those of single calls, to the bit.
///
/// # Panics
/// With the first case where they differ.
pub fn assert_same<T: Bits + Debug>(
    expected: &[T],
    found: &[T],
    cases: &[impl Debug],
    what: &str,
    level: SimdLevel,
) {
    assert_eq!(expected.len(), found.len());
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for ((single, batch), case) in expected.iter().zip(found).zip(cases) {
        one.clear();
        other.clear();
        single.add_to(&mut one);
        batch.add_to(&mut other);
        assert!(one == other, "{what}, {}: {single:?}\nbatch: {batch:?}\n{case:?}", level.name());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(of: &impl Bits) -> Vec<u32> {
        let mut bits = Vec::new();
        of.add_to(&mut bits);
        bits
    }

    #[test]
    fn zeros_differ_by_their_signs_and_lists_by_where_they_end() {
        assert_eq!(bits(&0.5_f32), bits(&0.5_f32));
        assert_ne!(bits(&0.0_f32), bits(&-0.0_f32));
        assert_ne!(bits(&Some(false)), bits(&None::<bool>));
        assert_ne!(bits(&vec![vec![1], vec![]]), bits(&vec![vec![], vec![1]]));
        assert_ne!(bits(&Vec3::new(0.0, -0.0, 1.0)), bits(&Vec3::new(-0.0, 0.0, 1.0)));
    }

    #[test]
    #[should_panic(expected = "rays, scalar: -0.0\nbatch: 0.0\n7")]
    fn what_differs_is_shown_with_its_case() {
        let level = SimdLevel::by_name("scalar").expect("every machine has it");
        assert_same(&[1.0, -0.0], &[1.0, 0.0], &[5, 7], "rays", level);
    }
}
