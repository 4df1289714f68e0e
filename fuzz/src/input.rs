//! Shapes, places and points from the bytes of a fuzzer.
//!
//! Numbers are such that answers are exact where the oracle is: of magnitudes between 2^-30 and
//! 2^30, many on a lattice, so that things touch, and many a last place off it.

use arbitrary::{Result, Unstructured};
use impinge_shapes::{
    Pose, Shape,
    glam::{Quat, Vec3},
};
use impinge_testkit::rng::Rng;

/// Draws values from the bytes of a fuzzer.
#[derive(Debug)]
pub struct Input<'a>(Unstructured<'a>);

impl<'a> Input<'a> {
    /// Over some bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(Unstructured::new(bytes))
    }

    /// A whole number from 0 to `most`.
    ///
    /// # Errors
    /// As of all functions here: the bytes are used up.
    pub fn below(&mut self, most: u8) -> Result<u8> {
        if self.0.is_empty() {
            return Err(arbitrary::Error::NotEnoughData);
        }
        self.0.int_in_range(0..=most)
    }

    /// One of the items.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Result<T> {
        let most = u8::try_from(items.len() - 1).map_err(|_| arbitrary::Error::IncorrectFormat)?;
        Ok(items[usize::from(self.below(most)?)])
    }

    /// All the bytes that are left.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn rest(&mut self) -> Result<&'a [u8]> {
        self.0.bytes(self.0.len().max(1))
    }

    /// Random numbers from all the bytes that are left.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn draws(&mut self) -> Result<Rng> {
        Ok(Rng::over(self.rest()?))
    }

    /// A number: on a lattice of eighths, a last place beside it, or any.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn number(&mut self) -> Result<f32> {
        let kind = self.below(7)?;
        if kind == 7 {
            let mantissa = f32::from(self.0.arbitrary::<i16>()?) / 32_768.0;
            let fine = f32::from(self.0.arbitrary::<u8>()?) / 16_777_216.0;
            let exponent = i32::from(self.0.int_in_range(-30_i8..=30)?);
            return Ok((mantissa + fine) * 2.0_f32.powi(exponent));
        }
        let on = f32::from(self.0.arbitrary::<i8>()?) / 8.0;
        Ok(match kind {
            5 => on.next_up(),
            6 => on.next_down(),
            _ => on,
        })
    }

    /// A point or a vector.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn vector(&mut self) -> Result<Vec3> {
        Ok(Vec3::new(self.number()?, self.number()?, self.number()?))
    }

    /// A place: any rotation of small whole numbers, or any at all.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn pose(&mut self) -> Result<Pose> {
        let position = self.vector()?;
        let rotation = match self.below(3)? {
            0 => Quat::IDENTITY,
            3 => {
                let v = self.vector()?;
                Quat::from_xyzw(v.x, v.y, v.z, self.number()?)
            }
            _ => {
                let mut whole = || Ok(f32::from(self.0.int_in_range(-2_i8..=2)?));
                Quat::from_xyzw(whole()?, whole()?, whole()?, whole()?)
            }
        };
        let rotation = if rotation.length_squared() > 0.0 { rotation } else { Quat::IDENTITY };
        Pose::new(position, rotation).map_err(|_| arbitrary::Error::IncorrectFormat)
    }

    /// At least one point.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn points(&mut self, most: u8) -> Result<Vec<Vec3>> {
        let count = 1 + self.below(most - 1)?;
        (0..count).map(|_| self.vector()).collect()
    }

    /// A shape whose answers are exact: a point, sphere, capsule, box, triangle or hull, grown by
    /// a margin or not.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn polytope(&mut self) -> Result<Shape> {
        let made = match self.below(6)? {
            0 => Shape::sphere(self.number()?.abs()).ok(),
            1 => Shape::capsule(self.vector()?, self.vector()?, self.number()?.abs()).ok(),
            2 => Shape::cuboid(self.vector()?.abs()).ok(),
            3 => Shape::triangle(self.vector()?, self.vector()?, self.vector()?).ok(),
            4 | 5 => Shape::convex_hull(&self.points(10)?).ok(),
            _ => {
                let core = match self.below(2)? {
                    0 => Shape::cuboid(self.vector()?.abs()).ok(),
                    1 => Shape::triangle(self.vector()?, self.vector()?, self.vector()?).ok(),
                    _ => Shape::convex_hull(&self.points(8)?).ok(),
                };
                let margin = self.number()?.abs();
                core.and_then(|core| Shape::rounded(core, margin).ok())
            }
        };
        made.ok_or(arbitrary::Error::IncorrectFormat)
    }

    /// A mesh's vertices and its triangles, some of which may name what does not exist.
    ///
    /// # Errors
    /// The bytes are used up.
    pub fn triangles(&mut self) -> Result<(Vec<Vec3>, Vec<[u32; 3]>)> {
        let vertices = self.points(10)?;
        let count = self.below(12)?;
        let most = self.below(10)?;
        let mut index = || Ok(u32::from(self.below(most)?));
        let triangles = (0..count).map(|_| Ok([index()?, index()?, index()?]));
        let triangles = triangles.collect::<Result<Vec<_>>>()?;
        Ok((vertices, triangles))
    }
}
