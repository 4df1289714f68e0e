//! Hashes of results: one that ignores the order of the records, one that does not.

/// Mixes 64 bits, one to one: every input bit changes half of the output bits.
///
/// - Source: the finaliser of SplitMix64 (Stafford's variant 13).
#[must_use]
#[inline]
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Hash of one record, whose words count in their order.
#[must_use]
pub fn of_words(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0x243f_6a88_85a3_08d3, |hash, word| {
        mix(hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15)
    })
}

/// Hash of one pair of numbers, in their order.
#[must_use]
#[inline]
pub fn of_pair(a: u32, b: u32) -> u64 {
    mix((u64::from(a) << 32) | u64::from(b))
}

/// Hash of a collection whose order does not count: the wrapping sum of its records' hashes.
///
/// ```
/// use impinge_testkit::hash::{Unordered, of_pair};
/// let hash = |pairs: &[(u32, u32)]| {
///     pairs.iter().map(|&(a, b)| of_pair(a, b)).collect::<Unordered>()
/// };
/// assert_eq!(hash(&[(1, 2), (3, 4)]), hash(&[(3, 4), (1, 2)]));
/// assert_ne!(hash(&[(1, 2)]), hash(&[(2, 1)]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unordered {
    /// How many records were added.
    pub count: u64,
    /// Wrapping sum of the records' hashes.
    pub sum: u64,
}

impl Unordered {
    /// Adds a record by its hash ([`of_words`], [`of_pair`]).
    #[inline]
    pub fn add(&mut self, record: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(record);
    }

    /// One number for the collection.
    #[must_use]
    pub fn finish(&self) -> u64 {
        mix(self.sum ^ mix(self.count))
    }
}

impl FromIterator<u64> for Unordered {
    fn from_iter<I: IntoIterator<Item = u64>>(records: I) -> Self {
        let mut hash = Self::default();
        for record in records {
            hash.add(record);
        }
        hash
    }
}
