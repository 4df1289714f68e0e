//! Real game levels: the bounds of their objects as fixed boxes, and bodies that move among them.

use glam::{Quat, Vec3};
use impinge_shapes::{Aabb, AabbError};
use thiserror::Error;

use super::{Scene, body, cuboid, mixed_shape, stream};
use crate::rng::Rng;

/// Which level; the units differ from one to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Map {
    /// 288 boxes, 180 across, many of them regular and touching.
    One,
    /// 4,221 boxes, 259 across, 0.78 on a side in the mean: the scene called `level`.
    Two,
    /// 268 boxes, 17,000 across, 200 on a side.
    Three,
}

/// Why a file of bounds was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LevelError {
    /// A line does not hold six numbers.
    #[error("line {line}: must hold six numbers, got {text:?}")]
    NotSixNumbers {
        /// Line from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// The numbers are no box.
    #[error("line {line}: {error}")]
    Bounds {
        /// Line from 1.
        line: usize,
        /// What is wrong with them.
        error: AabbError,
    },
    /// A number is infinite.
    #[error("line {line}: must be finite")]
    NotFinite {
        /// Line from 1.
        line: usize,
    },
}

impl Map {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Three];

    fn text(self) -> &'static str {
        match self {
            Self::One => include_str!("../../data/level-bounds-1.txt"),
            Self::Two => include_str!("../../data/level-bounds-2.txt"),
            Self::Three => include_str!("../../data/level-bounds-3.txt"),
        }
    }
}

/// The boxes of a text of six numbers a line: lower corner, upper corner.
///
/// # Errors
/// The first line that is no finite box.
pub fn parse_bounds(text: &str) -> Result<Vec<Aabb>, LevelError> {
    let mut boxes = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let numbers: Option<Vec<f32>> = text.split_whitespace().map(|n| n.parse().ok()).collect();
        let Some(&[x, y, z, u, v, w]) = numbers.as_deref() else {
            return Err(LevelError::NotSixNumbers { line, text: text.to_owned() });
        };
        let (min, max) = (Vec3::new(x, y, z), Vec3::new(u, v, w));
        let bounds = Aabb::new(min, max).map_err(|error| LevelError::Bounds { line, error })?;
        if !(min.is_finite() && max.is_finite()) {
            return Err(LevelError::NotFinite { line });
        }
        boxes.push(bounds);
    }
    Ok(boxes)
}

/// The boxes of a level.
#[must_use]
pub fn level_bounds(map: Map) -> Vec<Aabb> {
    parsed(map)
}

fn parsed(map: Map) -> Vec<Aabb> {
    parse_bounds(map.text()).expect("the files are part of this crate, and a test parses them")
}

/// A level and `count` spheres, boxes and capsules, all at rest; their half extents are around half
/// of the mean edge of the level's boxes, and each lies up to three of these edges on every axis
/// beside the centre of one of the boxes, because most of a level's space is empty.
///
/// - Error: a fixed box is centre and half extents rounded to f32, so it may differ from the
///   file's bounds by an ulp.
#[must_use]
pub fn build(map: Map, count: usize, seed: u64) -> Scene {
    let boxes = parsed(map);
    let mut bodies = Vec::new();
    let bounds = boxes.iter().copied().reduce(|all, aabb| all.union(&aabb));
    let bounds = bounds.unwrap_or(Aabb::EVERYTHING);
    let mut edges = 0.0;
    for aabb in &boxes {
        let mut fixed = body(cuboid(aabb.half_extents()), aabb.center(), Quat::IDENTITY);
        fixed.fixed = true;
        bodies.push(fixed);
        let size = aabb.max().as_dvec3() - aabb.min().as_dvec3();
        edges += (size.x + size.y + size.z) / 3.0;
    }
    let unit = edges / boxes.len() as f64;
    let mut rng = Rng::stream(seed, stream::BODIES);
    for index in 0..count {
        let beside = boxes[rng.below(boxes.len())].center();
        let position = beside + rng.cube(-3.0 * unit, 3.0 * unit);
        let shape = mixed_shape(index, unit, &mut rng);
        bodies.push(body(shape, position, rng.rotation()));
    }
    Scene { name: "level", bodies, bounds, sparse: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_levels_have_their_boxes() {
        let counts = Map::ALL.map(|map| parse_bounds(map.text()).unwrap().len());
        assert_eq!(counts, [288, 4_221, 268]);
    }

    #[test]
    fn bad_lines_are_refused_and_named() {
        let five = parse_bounds("0 0 0 1 1 1\n1 2 3 4 5");
        assert_eq!(
            five.unwrap_err().to_string(),
            "line 2: must hold six numbers, got \"1 2 3 4 5\""
        );
        let inverted = parse_bounds("0 0 2 1 1 1").unwrap_err();
        assert_eq!(inverted.to_string(), "line 1: axis 2: min 2 must not be above max 1");
        assert!(parse_bounds("0 0 nan 1 1 1").is_err());
        assert_eq!(parse_bounds("0 0 0 1 1 inf"), Err(LevelError::NotFinite { line: 1 }));
        assert_eq!(parse_bounds(""), Ok(Vec::new()));
    }
}
