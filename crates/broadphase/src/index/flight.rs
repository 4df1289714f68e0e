//! Many queries at once, in flight side by side.
//!
//! A query alone waits at each node for what it meets there to be put in order, and for each body
//! that is not in cache; a body alone fills one lane of a kernel. Many queries take turns, node by
//! node, and what they meet is told to the visitor together.

use fearless_simd::{Simd, dispatch};

use super::traverse::Reach;
use super::walk::{Levels, Walk};
use super::{Met, QueryIndex};

use crate::tolerance::{FLIGHTS, LANDED};

/// Where queries come from, one after the other.
pub(super) trait Queries<Q> {
    /// Writes the next one over `query`: its number and its limit, which is no NaN and not negative.
    fn next(&mut self, query: &mut Q) -> Option<(u32, f32)>;
}

/// One of many queries, and how far it has come.
#[derive(Debug)]
struct Flight<'f, Q> {
    number: u32,
    limit: f32,
    query: Q,
    walk: Walk,
    /// The forest it is in, and those that are to come.
    levels: &'f Levels<'f>,
    rest: &'f [Levels<'f>],
}

/// The flights, of which each is at a node, or at a box, or ended.
struct Flights<'f, Q> {
    all: Vec<Flight<'f, Q>>,
    /// Those at a node, a bit for each.
    under_way: u32,
    /// Those that may be anywhere.
    stopped: u32,
}

const _: () = assert!(FLIGHTS <= u32::BITS as usize);

/// [`best_first`](super::best_first) of many queries.
pub(super) fn best_first_many<Q: Reach + Default>(
    index: &QueryIndex,
    queries: &mut impl Queries<Q>,
    visit: &mut dyn FnMut(&[Met], &mut [f32]),
) {
    let forests = index.forests().into_iter().filter(|forest| !forest.is_empty());
    let forests: Vec<Levels<'_>> = forests.map(Levels::new).collect();
    let mut flights = Flights { all: Vec::with_capacity(FLIGHTS), under_way: 0, stopped: 0 };
    let Some((levels, rest)) = forests.split_first() else { return };
    while flights.all.len() < FLIGHTS {
        let mut flight =
            Flight { number: 0, limit: 0.0, query: Q::default(), walk: Walk::new(), levels, rest };
        let Some(query) = queries.next(&mut flight.query) else { break };
        (flight.number, flight.limit) = query;
        dispatch!(index.simd_level().level(), simd => flight.begin(simd));
        flights.stopped |= 1 << flights.all.len();
        flights.all.push(flight);
    }
    let (mut met, mut limits, mut places) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        met.clear();
        limits.clear();
        places.clear();
        let mut told = |flight: &Flight<'_, Q>, place: u32, id: u32, at: f32| {
            met.push(Met { query: flight.number, id, at });
            limits.push(flight.limit);
            places.push(place);
        };
        dispatch!(index.simd_level().level(), simd => flights.turn(simd, &forests, queries, &mut told));
        if met.is_empty() {
            return;
        }
        visit(&met, &mut limits);
        for (&place, &answer) in places.iter().zip(&limits) {
            let flight = &mut flights.all[place as usize];
            let answer = if answer.is_nan() { -1.0 } else { answer };
            flight.limit = if answer < flight.limit { answer } else { flight.limit };
            flights.stopped |= 1 << place;
        }
    }
}

impl<'f, Q: Reach> Flights<'f, Q> {
    /// Lets all go on until most have come to a box; queries that ended give way to new ones.
    #[inline(always)]
    fn turn<S: Simd>(
        &mut self,
        simd: S,
        forests: &'f [Levels<'f>],
        queries: &mut impl Queries<Q>,
        told: &mut impl FnMut(&Flight<'f, Q>, u32, u32, f32),
    ) {
        let mut places = self.stopped;
        while let Some(flight) = self.all.get_mut(places.trailing_zeros() as usize) {
            places &= places - 1;
            flight.walk.cut_later(simd, flight.limit);
        }
        let mut landed = 0;
        loop {
            let mut places = self.stopped;
            self.stopped = 0;
            while let Some(flight) = self.all.get_mut(places.trailing_zeros() as usize) {
                let place = places.trailing_zeros();
                places &= places - 1;
                loop {
                    if !flight.walk.is_stopped() {
                        self.under_way |= 1 << place;
                    } else if let Some((id, at)) = flight.walk.take(flight.levels) {
                        told(flight, place, id, at);
                        landed += 1;
                    } else if flight.renew(simd, forests, queries) {
                        continue;
                    }
                    break;
                }
            }
            if self.under_way == 0 || landed >= LANDED {
                return;
            }
            let mut places = self.under_way;
            while let Some(flight) = self.all.get_mut(places.trailing_zeros() as usize) {
                let place = places.trailing_zeros();
                places &= places - 1;
                let stopped = flight.walk.step(simd, flight.levels, &flight.query, flight.limit);
                self.stopped |= u32::from(stopped) << place;
            }
            self.under_way &= !self.stopped;
        }
    }
}

impl<'f, Q: Reach> Flight<'f, Q> {
    /// Enters its forest.
    #[inline(always)]
    fn begin<S: Simd>(&mut self, simd: S) {
        self.walk.begin(simd, self.levels, &self.query, self.limit);
    }

    /// Enters the next forest, or the first one with another query; whether there was one.
    #[inline(always)]
    fn renew<S: Simd>(
        &mut self,
        simd: S,
        forests: &'f [Levels<'f>],
        queries: &mut impl Queries<Q>,
    ) -> bool {
        if let (Some((levels, rest)), true) = (self.rest.split_first(), self.limit >= 0.0) {
            (self.levels, self.rest) = (levels, rest);
        } else if let (Some((levels, rest)), Some((number, limit))) =
            (forests.split_first(), queries.next(&mut self.query))
        {
            (self.levels, self.rest) = (levels, rest);
            (self.number, self.limit) = (number, limit);
        } else {
            return false;
        }
        self.begin(simd);
        true
    }
}
