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

/// Four numbers of eight shapes, turned over: a vector for each number.
#[inline(always)]
pub(crate) fn turn_eight<S: Simd>(simd: S, shapes: [[f32; 4]; WIDTH]) -> [f64x8<S>; 4] {
    let [a, b, c, d, e, f, g, h] = each!(shapes, four => f32x4::load_array(simd, four));
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
    let ([i, j, k, l], [m, n, o, p]) = (turned([a, b, c, d]), turned([e, f, g, h]));
    let [a, b, c, d, e, f, g, h] = each!(high, four => f32x4::load_array(simd, four));
    let ([q, r, s, t], [u, v, w, x]) = (turned([a, b, c, d]), turned([e, f, g, h]));
    [
        i.combine(m).combine(q.combine(u)),
        j.combine(n).combine(r.combine(v)),
        k.combine(o).combine(s.combine(w)),
        l.combine(p).combine(t.combine(x)),
    ]
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
