//! Bytes that are not to be trusted.

use impinge_shapes::glam::Vec3;

use super::DecodeError;
use crate::BodyId;

/// Why reading ended; boxed, because it hardly ever does.
pub(super) type Refusal = Box<DecodeError>;

/// Reads one section from its start.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    section: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(section: &'static str, bytes: &'a [u8]) -> Self {
        Self { section, rest: bytes }
    }

    /// An error that tells what of this section is wrong.
    pub(super) fn refuse(&self, what: &str) -> Refusal {
        Box::new(DecodeError::Invalid { section: self.section, what: what.to_owned() })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let ends = || Box::new(DecodeError::SectionEnds(self.section));
        let (&array, rest) = self.rest.split_first_chunk().ok_or_else(ends)?;
        self.rest = rest;
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Refusal> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn bool(&mut self) -> Result<bool, Refusal> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.refuse("neither yes nor no")),
        }
    }

    pub(super) fn u32(&mut self) -> Result<u32, Refusal> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Refusal> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Result<f32, Refusal> {
        self.u32().map(f32::from_bits)
    }

    pub(super) fn vec(&mut self) -> Result<Vec3, Refusal> {
        Ok(Vec3::new(self.f32()?, self.f32()?, self.f32()?))
    }

    pub(super) fn body(&mut self) -> Result<BodyId, Refusal> {
        self.u64().map(BodyId::from_bits)
    }

    /// A number that counts something.
    pub(super) fn number(&mut self) -> Result<usize, Refusal> {
        usize::try_from(self.u64()?).map_err(|_| self.refuse("a count that is too large"))
    }

    /// Number of items that follow, of at least `size` bytes each: room for them is room for what
    /// was given.
    pub(super) fn count(&mut self, size: usize) -> Result<usize, Refusal> {
        let count = self.number()?;
        if self.has(count, size) {
            Ok(count)
        } else {
            Err(Box::new(DecodeError::SectionEnds(self.section)))
        }
    }

    /// Whether that many items of at least `size` bytes each may follow.
    pub(super) fn has(&self, count: usize, size: usize) -> bool {
        count.checked_mul(size).is_some_and(|bytes| bytes <= self.rest.len())
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Result<(), Refusal> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.refuse("bytes after its end")) }
    }
}
