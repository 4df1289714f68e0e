//! Eight pairs of boxes side by side that are apart.

use fearless_simd::{Simd, prelude::*};

use super::super::apart::{Along, Apart, Nearest};
use super::super::axes::EDGES;
use super::boxes::{Boxes, Lane, NUMBERS, Three, Yes};
use super::{Eight, Pairs, put};
use crate::contacts;
use crate::real::Real3;

impl Eight {
    /// The closest points of pairs that are apart: [`super::super::closest::nearest_apart`] to the
    /// bit, where its first guess is proved.
    #[inline(always)]
    pub(super) fn part<S: Simd>(&mut self, simd: S, pairs: &Pairs<S>, asks: Yes<S>) {
        let Pairs { boxes, best, size, origin, turn, .. } = pairs;
        let along = along(simd, best.index);
        let Nearest { proved, distance, normal, point_a, point_b } =
            boxes.apart(*size).nearest(&along);
        self.crossed = (asks & proved).to_bitmask();
        self.open &= !self.crossed;
        let turned = turn.apply(normal);
        contacts::put_normals(turned, &mut self.crossings.normals);
        put(turn, *origin, (point_a, point_b, distance), &mut self.crossings.points);
    }
}

impl<S: Simd> Boxes<S> {
    #[inline(always)]
    fn apart(&self, size: Lane<S>) -> Apart<Lane<S>> {
        let Self { a, b, t, r: [u, v, w] } = self;
        Apart {
            a: vector(a),
            b: vector(b),
            centre: vector(t),
            axes: [vector(u), vector(v), vector(w)],
            size,
        }
    }
}

#[inline(always)]
fn vector<S: Simd>(&[x, y, z]: &Three<S>) -> Real3<Lane<S>> {
    Real3::new(x, y, z)
}

/// What the axes of these numbers belong to.
#[inline(always)]
fn along<S: Simd>(simd: S, index: Lane<S>) -> Along<Yes<S>> {
    let (zero, one) = (Lane::splat(simd, NUMBERS[0]), Lane::splat(simd, NUMBERS[1]));
    let (two, three) = (Lane::splat(simd, NUMBERS[2]), Lane::splat(simd, NUMBERS[3]));
    let first_edges = Lane::splat(simd, NUMBERS[EDGES]);
    let second_edges = Lane::splat(simd, NUMBERS[EDGES + 3]);
    let third_edges = Lane::splat(simd, NUMBERS[EDGES + 6]);
    let (from_b, is_edge) = (index.simd_ge(three), index.simd_ge(first_edges));
    let is_b = from_b & !is_edge;
    let (second_row, third_row) = (index.simd_ge(second_edges), index.simd_ge(third_edges));
    // Where in its row of three the number is.
    let row = is_edge.select(first_edges, from_b.select(three, zero));
    let row = third_row.select(third_edges, second_row.select(second_edges, row));
    let place = index - row;
    let (second, third) = (place.simd_eq(one), place.simd_eq(two));
    Along {
        is_b,
        is_edge,
        of_a: [
            (is_edge & second_row & !third_row) | (second & !is_edge),
            third_row | (third & !is_edge),
        ],
        of_b: [second, third],
    }
}
