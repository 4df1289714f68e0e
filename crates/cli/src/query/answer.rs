//! Answers, field for field as the format shows them.
//!
//! Numbers are f32 in their shortest form that reads back to the same f32; zero has no sign, and
//! infinities, which JSON lacks, are the strings of the input format.

use impinge::glam::Vec3;
use serde::{Serialize, Serializer};

/// An f32 on its way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(pub(crate) f32);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Adding zero turns -0.0 into 0.0 and changes nothing else.
        match self.0 + 0.0 {
            f32::INFINITY => serializer.serialize_str("Infinity"),
            f32::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            value if value.is_nan() => serializer.serialize_str("NaN"),
            value => serializer.serialize_f32(value),
        }
    }
}

/// Three numbers in a list.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Vector([Number; 3]);

impl From<Vec3> for Vector {
    fn from(v: Vec3) -> Self {
        Self(v.to_array().map(Number))
    }
}

/// One line of output.
#[derive(Debug, Serialize)]
pub(crate) struct Line<'a> {
    /// Line of the input, for JSON Lines and for errors of a whole scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scene: Option<usize>,
    /// Of the query; none for errors of a whole scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    #[serde(flatten)]
    pub(crate) answer: Answer<'a>,
}

/// What one query, or a scene that cannot be read, answers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Answer<'a> {
    Error { error: String },
    RayHits { hits: Vec<RayHitOut<'a>> },
    SweepHits { hits: Vec<SweepHitOut<'a>> },
    Bodies { bodies: Vec<&'a str> },
    Pair(PairOut),
    Closest(ClosestOut<'a>),
    Sides { front: Vec<&'a str>, straddling: Vec<&'a str>, behind: Vec<&'a str> },
    Movement { movement: Vector },
    Pairs { pairs: Vec<[&'a str; 2]>, count: usize },
}

#[derive(Debug, Serialize)]
pub(crate) struct RayHitOut<'a> {
    pub(crate) body: &'a str,
    pub(crate) distance: Number,
    pub(crate) point: Vector,
    pub(crate) normal: Vector,
    pub(crate) started_inside: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct SweepHitOut<'a> {
    pub(crate) body: &'a str,
    pub(crate) fraction: Number,
    pub(crate) distance: Number,
    pub(crate) point: Vector,
    pub(crate) normal: Vector,
    pub(crate) started_overlapping: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct PairOut {
    pub(crate) overlap: bool,
    pub(crate) distance: Number,
    /// From a to b.
    pub(crate) normal: Vector,
    pub(crate) point_a: Vector,
    pub(crate) point_b: Vector,
    pub(crate) manifold: Vec<ContactOut>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ContactOut {
    pub(crate) point_a: Vector,
    pub(crate) point_b: Vector,
    pub(crate) distance: Number,
    pub(crate) normal: Vector,
    pub(crate) feature: u32,
}

/// All three are null if nothing lies within the distance.
#[derive(Debug, Serialize)]
pub(crate) struct ClosestOut<'a> {
    pub(crate) body: Option<&'a str>,
    pub(crate) distance: Option<Number>,
    pub(crate) point: Option<Vector>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_zero_has_no_sign() {
        let text = |x: f32| serde_json::to_string(&Number(x)).unwrap();
        assert_eq!(text(-0.0), "0.0");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(6.5), "6.5");
        assert_eq!(text(f32::NEG_INFINITY), "\"-Infinity\"");
        for bits in [1, 0x007f_ffff, 0x0080_0000, 0x3f80_0001, 0x7f7f_ffff_u32] {
            let value = f32::from_bits(bits);
            assert_eq!(text(value).parse::<f32>().unwrap().to_bits(), bits);
        }
    }
}
