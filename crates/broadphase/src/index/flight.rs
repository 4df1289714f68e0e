//! Many queries at once, in flight side by side.
//!
//! A query alone waits for each body that is not in cache, and a body alone fills one lane of a
//! kernel. Many queries take turns, and what they meet is told to the visitor together.

use fearless_simd::{Simd, dispatch};

use super::traverse::{Reach, Walk};
use super::{Met, QueryIndex};
use crate::forest::Forest;
use crate::tolerance::FLIGHTS;

/// One of many queries, and how far it has come.
#[derive(Debug)]
struct Flight<Q> {
    number: u32,
    query: Q,
    limit: f32,
    walk: Walk,
    /// Which forest it is in.
    forest: usize,
}

/// [`best_first`](super::best_first) of many queries, each with its number and its limit.
pub(super) fn best_first_many<Q: Reach>(
    index: &QueryIndex,
    queries: &mut impl Iterator<Item = (u32, Q, f32)>,
    visit: &mut dyn FnMut(&[Met], &mut [f32]),
) {
    let mut forests = index.forests().into_iter().filter(|forest| !forest.is_empty());
    let forests = [forests.next(), forests.next()];
    let mut flights: Vec<Flight<Q>> = Vec::with_capacity(FLIGHTS);
    let (mut met, mut limits, mut places) = (Vec::new(), Vec::new(), Vec::new());
    while flights.len() < FLIGHTS
        && let Some((number, query, limit)) = next(queries)
    {
        let mut flight = Flight { number, query, limit, walk: Walk::new(), forest: 0 };
        dispatch!(index.simd_level().level(), simd => flight.enter(simd, &forests));
        flights.push(flight);
    }
    while !flights.is_empty() {
        met.clear();
        limits.clear();
        places.clear();
        let mut told = |flight: &Flight<Q>, place: usize, id: u32, at: f32| {
            met.push(Met { query: flight.number, id, at });
            limits.push(flight.limit);
            places.push(place);
        };
        dispatch!(index.simd_level().level(), simd => turn(simd, &forests, &mut flights, queries, &mut told));
        if met.is_empty() {
            continue;
        }
        visit(&met, &mut limits);
        for (&place, &answer) in places.iter().zip(&limits) {
            let flight = &mut flights[place];
            if answer < flight.limit {
                flight.limit = answer;
            }
            if answer.is_nan() {
                flight.limit = -1.0;
            }
        }
    }
}

/// The next query that any box could be within reach of.
fn next<Q>(queries: &mut impl Iterator<Item = (u32, Q, f32)>) -> Option<(u32, Q, f32)> {
    // A NaN is no limit that anything could be within.
    queries.find(|(_, _, limit)| *limit >= 0.0)
}

/// Lets each flight go on to its next box; queries that ended give way to new ones.
#[inline(always)]
fn turn<S: Simd, Q: Reach>(
    simd: S,
    forests: &[Option<&Forest>; 2],
    flights: &mut Vec<Flight<Q>>,
    queries: &mut impl Iterator<Item = (u32, Q, f32)>,
    told: &mut impl FnMut(&Flight<Q>, usize, u32, f32),
) {
    let mut place = 0;
    while let Some(flight) = flights.get_mut(place) {
        if let Some((id, at)) = flight.advance(simd, forests) {
            told(flight, place, id, at);
            place += 1;
        } else if let Some((number, query, limit)) = next(queries) {
            (flight.number, flight.query, flight.limit) = (number, query, limit);
            flight.forest = 0;
            flight.enter(simd, forests);
        } else {
            flights.swap_remove(place);
        }
    }
}

impl<Q: Reach> Flight<Q> {
    #[inline(always)]
    fn enter<S: Simd>(&mut self, simd: S, forests: &[Option<&Forest>; 2]) {
        if let Some(forest) = forests[self.forest] {
            self.walk.begin(simd, forest, &self.query, self.limit);
        }
    }

    #[inline(always)]
    fn advance<S: Simd>(&mut self, simd: S, forests: &[Option<&Forest>; 2]) -> Option<(u32, f32)> {
        loop {
            let forest = forests[self.forest]?;
            let next = self.walk.next(simd, forest, &self.query, self.limit);
            if next.is_some() || self.forest == 1 || self.limit < 0.0 {
                return next;
            }
            self.forest = 1;
            self.enter(simd, forests);
        }
    }
}
