//! Where the state of a world is written to: bytes, or a hash.

use std::collections::BTreeMap;
use std::sync::Arc;

use impinge_shapes::Shape;
use impinge_shapes::glam::Vec3;

use super::shapes::{self, REFERENCE};
use crate::BodyId;

/// Takes the numbers of a world one after the other.
pub(crate) trait Sink {
    fn u8(&mut self, x: u8);

    fn u32(&mut self, x: u32);

    fn u64(&mut self, x: u64);

    /// A shape on its own, or a reference to one that is shared.
    fn shape(&mut self, shape: &Shape);

    fn f32(&mut self, x: f32) {
        self.u32(x.to_bits());
    }

    fn f32s(&mut self, numbers: &[f32]) {
        for &x in numbers {
            self.f32(x);
        }
    }

    fn vec(&mut self, v: Vec3) {
        self.f32s(&v.to_array());
    }

    fn body(&mut self, id: BodyId) {
        self.u64(id.to_bits());
    }

    fn count(&mut self, count: usize) {
        self.u64(count as u64);
    }
}

/// Mixes words into one, in their order.
///
/// Every step maps the 64 bits so far one to one, and the word likewise, so that two sequences
/// that differ in one word have different hashes for certain.
///
/// - Source: the multiply and shift steps are those of the finaliser of Vigna's SplitMix64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest {
    state: u64,
    /// The lower half of a word whose upper half is still to come.
    half: Option<u32>,
}

impl Digest {
    /// Begins with a number for what is hashed.
    pub(crate) fn new(kind: u64) -> Self {
        let mut digest = Self { state: 0x243f_6a88_85a3_08d3, half: None };
        digest.word(kind);
        digest
    }

    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        let x = (self.state ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        self.state = (x ^ (x >> 32)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    }

    /// Two of them are a word.
    #[inline]
    fn half(&mut self, half: u32) {
        match self.half.take() {
            Some(lower) => self.word(u64::from(half) << 32 | u64::from(lower)),
            None => self.half = Some(half),
        }
    }

    pub(crate) fn finish(mut self) -> u64 {
        if self.half.is_some() {
            self.half(0);
        }
        let x = (self.state ^ (self.state >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Hash of bytes, in words of eight from the lowest on, the last filled up with zeros.
    pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
        let mut digest = Self::new(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            digest.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        digest.word(u64::from_le_bytes(last));
        digest.finish()
    }
}

/// Hashes what is written; a shared shape counts by what it is.
#[derive(Debug)]
pub(crate) struct Hashing {
    digest: Digest,
    /// Hashes of the shared shapes met so far, by their addresses.
    known: BTreeMap<*const (), u64>,
}

impl Hashing {
    pub(crate) fn new(kind: u64) -> Self {
        Self { digest: Digest::new(kind), known: BTreeMap::new() }
    }

    pub(crate) fn finish(self) -> u64 {
        self.digest.finish()
    }
}

impl Sink for Hashing {
    fn u8(&mut self, x: u8) {
        self.digest.half(x.into());
    }

    fn u32(&mut self, x: u32) {
        self.digest.half(x);
    }

    fn u64(&mut self, x: u64) {
        let [a, b, c, d, e, f, g, h] = x.to_le_bytes();
        self.digest.half(u32::from_le_bytes([a, b, c, d]));
        self.digest.half(u32::from_le_bytes([e, f, g, h]));
    }

    fn shape(&mut self, shape: &Shape) {
        let Some(address) = address(shape) else { return shapes::write(shape, self) };
        let hash = if let Some(&hash) = self.known.get(&address) {
            hash
        } else {
            let outer = std::mem::replace(&mut self.digest, Digest::new(0));
            shapes::write(shape, self);
            let hash = std::mem::replace(&mut self.digest, outer).finish();
            self.known.insert(address, hash);
            hash
        };
        self.u64(hash);
    }
}

/// Writes little-endian bytes, and shared shapes once to a table of their own.
#[derive(Debug, Default)]
pub(crate) struct Bytes {
    pub(crate) out: Vec<u8>,
    table: Vec<u8>,
    /// Places in the table, by address.
    places: BTreeMap<*const (), u32>,
}

impl Bytes {
    /// The shared shapes, each after those it is made of, and their number.
    pub(crate) fn table(&self) -> (&[u8], usize) {
        (&self.table, self.places.len())
    }
}

impl Sink for Bytes {
    fn u8(&mut self, x: u8) {
        self.out.push(x);
    }

    fn u32(&mut self, x: u32) {
        self.out.extend_from_slice(&x.to_le_bytes());
    }

    fn u64(&mut self, x: u64) {
        self.out.extend_from_slice(&x.to_le_bytes());
    }

    fn shape(&mut self, shape: &Shape) {
        let Some(address) = address(shape) else { return shapes::write(shape, self) };
        let place = if let Some(&place) = self.places.get(&address) {
            place
        } else {
            let outer = std::mem::take(&mut self.out);
            shapes::write(shape, self);
            let own = std::mem::replace(&mut self.out, outer);
            self.table.extend_from_slice(&own);
            // A table of 2^32 shapes does not fit into memory.
            let place = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
            self.places.insert(address, place);
            place
        };
        self.u8(REFERENCE);
        self.u32(place);
    }
}

/// What tells a shared shape from others while it lives; `None` for plain ones.
fn address(shape: &Shape) -> Option<*const ()> {
    match shape {
        Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::HalfSpace(_) => None,
        Shape::Triangle(shared) => Some(Arc::as_ptr(shared).cast()),
        Shape::ConvexHull(shared) => Some(Arc::as_ptr(shared).cast()),
        Shape::Rounded(shared) => Some(Arc::as_ptr(shared).cast()),
        Shape::TriangleMesh(shared) => Some(Arc::as_ptr(shared).cast()),
        Shape::HeightField(shared) => Some(Arc::as_ptr(shared).cast()),
        Shape::Compound(shared) => Some(Arc::as_ptr(shared).cast()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_same_for_ever() {
        let mut digest = Digest::new(1);
        for word in 0..10 {
            digest.word(word);
        }
        assert_eq!(digest.finish(), 0xc061_b716_e335_6b42);
        assert_eq!(Digest::of_bytes(b"impinge"), 0xa097_fdf9_f6c9_26e7);
    }

    #[test]
    fn one_word_makes_the_difference() {
        let hash = |words: [u64; 3]| {
            let mut digest = Digest::new(0);
            words.into_iter().for_each(|word| digest.word(word));
            digest.finish()
        };
        let mut seen: Vec<u64> = (0..3)
            .flat_map(|at| {
                (0..64).map(move |bit| {
                    let mut words = [5, 6, 7];
                    words[at] ^= 1 << bit;
                    words
                })
            })
            .map(hash)
            .chain([hash([5, 6, 7]), hash([6, 5, 7])])
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 3 * 64 + 2);
        let bytes = [0, 1, 8, 9].map(|len| Digest::of_bytes(&[0; 9][..len]));
        assert!(bytes.is_sorted_by(|a, b| a != b));
    }
}
