//! Stable radix sort of keys with a payload.

/// Bits of one pass: 2,048 counters are 8 KiB, a quarter of the smallest L1 caches.
const DIGIT: u32 = 11;

/// What a sort needs beside the words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    scratch: Vec<u64>,
    counts: Vec<u32>,
}

/// Sorts by the upper half of each word, stably; `bits` is how many low bits of that half are in
/// use. `memory` is overwritten.
pub(crate) fn sort_by_upper_half(words: &mut Vec<u64>, memory: &mut Memory, bits: u32) {
    let Memory { scratch, counts } = memory;
    scratch.resize(words.len(), 0);
    let passes = bits.div_ceil(DIGIT).max(1);
    // Equal digits keep the counters few: 24 bits are two passes of 12 rather than 11, 11, 2.
    let digit = bits.div_ceil(passes).max(1);
    let size = 1_usize << digit;
    let mask = size as u64 - 1;
    counts.clear();
    counts.resize(size * passes as usize, 0);
    for word in words.iter() {
        for (pass, counts) in (0..passes).zip(counts.chunks_exact_mut(size)) {
            counts[digit_of(*word, 32 + pass * digit, mask)] += 1;
        }
    }
    for (pass, counts) in (0..passes).zip(counts.chunks_exact_mut(size)) {
        let shift = 32 + pass * digit;
        if counts.iter().any(|&count| count as usize == words.len()) {
            continue;
        }
        let mut next = 0;
        for count in counts.iter_mut() {
            next += std::mem::replace(count, next);
        }
        for &word in words.iter() {
            let place = &mut counts[digit_of(word, shift, mask)];
            scratch[*place as usize] = word;
            *place += 1;
        }
        std::mem::swap(words, scratch);
    }
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a digit has at most eleven bits")]
fn digit_of(word: u64, shift: u32, mask: u64) -> usize {
    ((word >> shift) & mask) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_stably_for_every_width_of_key() {
        let (mut words, mut memory) = (Vec::new(), Memory::default());
        let mut state = 7_u64;
        for bits in [1, 3, 11, 12, 20, 22, 23, 27, 30, 32] {
            words.clear();
            for payload in 0..3000_u64 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                words.push(((state >> (64 - bits)) << 32) | payload);
            }
            let mut expected = words.clone();
            expected.sort_by_key(|word| word >> 32);
            sort_by_upper_half(&mut words, &mut memory, bits);
            assert_eq!(words, expected, "{bits} bits");
        }
        words.clear();
        sort_by_upper_half(&mut words, &mut memory, 20);
        assert!(words.is_empty());
    }
}
