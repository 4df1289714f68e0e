//! Numbers of eight things turned over: from a row for each thing to a vector for each number, and
//! back.

use fearless_simd::{Simd, f32x4, f32x16, f64x8, prelude::*};

/// Things side by side.
pub(crate) const WIDTH: usize = 8;

/// What an expression makes of each of eight things, in their order.
///
/// No closure, because closures may stay out of line, where they lose the vectors.
macro_rules! each {
    ($things:expr, $thing:pat => $made:expr) => {{
        let [a, b, c, d, e, f, g, h] = $things;
        [
            {
                let $thing = a;
                $made
            },
            {
                let $thing = b;
                $made
            },
            {
                let $thing = c;
                $made
            },
            {
                let $thing = d;
                $made
            },
            {
                let $thing = e;
                $made
            },
            {
                let $thing = f;
                $made
            },
            {
                let $thing = g;
                $made
            },
            {
                let $thing = h;
                $made
            },
        ]
    }};
}
pub(crate) use each;

/// Whether a vector of the machine holds an f64 of each of eight things.
#[inline(always)]
pub(crate) fn is_wide<S: Simd>() -> bool {
    size_of::<S::f64s>() >= WIDTH * size_of::<f64>()
}

/// Four numbers of eight shapes, turned over: a vector for each number.
#[inline(always)]
pub(crate) fn turn_eight<S: Simd>(simd: S, shapes: [[f32; 4]; WIDTH]) -> [f64x8<S>; 4] {
    let [a, b, c, d, e, f, g, h] = each!(shapes, four => f32x4::load_array(simd, four));
    if is_wide::<S>() {
        // One instruction for each choice out of two vectors.
        let (low, high) = (four(a, b, c, d), four(e, f, g, h));
        let (even, odd) = (low.unzip_low(high), low.unzip_high(high));
        let (x, y) = simd.widen_f32x16(even.unzip_low(odd));
        let (z, w) = simd.widen_f32x16(even.unzip_high(odd));
        return [x, y, z, w];
    }
    let ([i, j, k, l], [m, n, o, p]) = (turned([a, b, c, d]), turned([e, f, g, h]));
    let (x, y) = simd.widen_f32x16(i.combine(m).combine(j.combine(n)));
    let (z, w) = simd.widen_f32x16(k.combine(o).combine(l.combine(p)));
    [x, y, z, w]
}

/// Four numbers of sixteen shapes, turned over.
#[inline(always)]
pub(crate) fn turn_sixteen<S: Simd>(
    simd: S,
    low: [[f32; 4]; WIDTH],
    high: [[f32; 4]; WIDTH],
) -> [f32x16<S>; 4] {
    let [a, b, c, d, e, f, g, h] = each!(low, four => f32x4::load_array(simd, four));
    let [q, r, s, t, u, v, w, x] = each!(high, four => f32x4::load_array(simd, four));
    if is_wide::<S>() {
        let (low, next) = (four(a, b, c, d), four(e, f, g, h));
        let (third, last) = (four(q, r, s, t), four(u, v, w, x));
        let (even, odd) = (low.unzip_low(next), low.unzip_high(next));
        let (later_even, later_odd) = (third.unzip_low(last), third.unzip_high(last));
        return [
            even.unzip_low(later_even),
            odd.unzip_low(later_odd),
            even.unzip_high(later_even),
            odd.unzip_high(later_odd),
        ];
    }
    let ([i, j, k, l], [m, n, o, p]) = (turned([a, b, c, d]), turned([e, f, g, h]));
    let [a, b, c, d, e, f, g, h] = [q, r, s, t, u, v, w, x];
    let ([q, r, s, t], [u, v, w, x]) = (turned([a, b, c, d]), turned([e, f, g, h]));
    [
        i.combine(m).combine(q.combine(u)),
        j.combine(n).combine(r.combine(v)),
        k.combine(o).combine(s.combine(w)),
        l.combine(p).combine(t.combine(x)),
    ]
}

#[inline(always)]
fn four<S: Simd>(a: f32x4<S>, b: f32x4<S>, c: f32x4<S>, d: f32x4<S>) -> f32x16<S> {
    a.combine(b).combine(c.combine(d))
}

/// The way back: two numbers of eight pairs, and two more, as four of each pair.
#[inline(always)]
pub(crate) fn turn_back<S: Simd>(
    first: f32x16<S>,
    second: f32x16<S>,
    pairs: &mut [[f32; 4]; WIDTH],
) {
    let (even, odd) = (first.zip_low(second), first.zip_high(second));
    let (low, high) = pairs.as_flattened_mut().split_at_mut(2 * WIDTH);
    even.zip_low(odd).store_slice(low);
    even.zip_high(odd).store_slice(high);
}

/// Four numbers of four shapes, turned over.
#[inline(always)]
pub(crate) fn turned<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (even, odd) = (a.zip_low(c), b.zip_low(d));
    let (later_even, later_odd) = (a.zip_high(c), b.zip_high(d));
    [
        even.zip_low(odd),
        even.zip_high(odd),
        later_even.zip_low(later_odd),
        later_even.zip_high(later_odd),
    ]
}

#[cfg(test)]
mod tests {
    use impinge_shapes::simd::SimdLevel;

    use super::*;
    use crate::lanes::lanes;

    #[inline(always)]
    fn rows<S: Simd>(simd: S, shapes: &[[[f32; 4]; WIDTH]; 2]) -> [[[f32; 2 * WIDTH]; 4]; 2] {
        let [low, high] = *shapes;
        let mut eights = [[0.0; 2 * WIDTH]; 4];
        let (ones, others) = (turn_eight(simd, low), turn_eight(simd, high));
        for ((row, one), other) in eights.iter_mut().zip(ones).zip(others) {
            one.narrow(other).store_array(row);
        }
        [eights, turn_sixteen(simd, low, high).map(Into::into)]
    }

    #[test]
    fn every_number_goes_to_the_lane_of_its_shape() {
        let number = |shape: u8, k: u8| f32::from(shape * 4 + k);
        let four = |shape: u8| [0, 1, 2, 3].map(|k| number(shape, k));
        let shapes = [[0, 1, 2, 3, 4, 5, 6, 7].map(four), [8, 9, 10, 11, 12, 13, 14, 15].map(four)];
        let expected =
            [0, 1, 2, 3].map(|k| std::array::from_fn(|lane| shapes[lane / 8][lane % 8][k]));
        let mut levels = 0;
        for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
            let Some(found) = lanes!(level, simd => rows(simd, &shapes)) else { continue };
            assert_eq!(found, [expected; 2], "{}", level.name());
            levels += 1;
        }
        assert!(levels > 0, "no lanes at all");
    }
}
