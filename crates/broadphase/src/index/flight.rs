//! Many queries at once, in flight side by side.
//!
//! A query alone waits at each node for what it meets there to be put in order, and for each body
//! that is not in cache; a body alone fills one lane of a kernel. Many queries take turns, node by
//! node, and what they meet is told to the visitor together.

use fearless_simd::Simd;
use impinge_shapes::at_level;

use super::traverse::Reach;
use super::walk::{Levels, Walk};
use super::{Met, QueryIndex};
use crate::lanes::Bits;
use crate::tolerance::{FLIGHTS, LANDED};

/// Where queries come from, one after the other.
pub(super) trait Queries<Q> {
    /// Writes the next one over `query`.
    fn next(&mut self, query: &mut Q) -> Option<Terms>;
}

/// What is to be known of a query besides where it goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Terms {
    pub(super) number: u32,
    /// How far it reaches: no NaN, and not negative at first.
    pub(super) limit: f32,
    /// Whether boxes met at 0 are left out.
    pub(super) beyond_start: bool,
}

/// One of many queries, and how far it has come.
#[derive(Debug)]
struct Flight<'f, Q> {
    terms: Terms,
    query: Q,
    walk: Walk,
    /// The forest it is in, and those that are to come: all, before it begins.
    levels: &'f Levels<'f>,
    rest: &'f [Levels<'f>],
}

/// The flights, of which each is at a node, or at a box, or ended.
struct Flights<'f, Q> {
    all: Vec<Flight<'f, Q>>,
    /// Those at a node, a bit for each.
    under_way: u64,
    /// Those that may be anywhere.
    stopped: u64,
}

const _: () = assert!(FLIGHTS <= u64::BITS as usize);

/// [`best_first`](super::best_first) of many queries.
pub(super) fn best_first_many<Q: Reach + Default>(
    index: &QueryIndex,
    queries: &mut impl Queries<Q>,
    visit: &mut dyn FnMut(&[Met], &mut [f32]),
) {
    let forests = index.forests().into_iter().filter(|forest| !forest.is_empty());
    let forests: Vec<Levels<'_>> = forests.map(Levels::new).collect();
    let mut flights = Flights { all: Vec::with_capacity(FLIGHTS), under_way: 0, stopped: 0 };
    let Some(levels) = forests.first() else { return };
    while flights.all.len() < FLIGHTS {
        let mut query = Q::default();
        let Some(terms) = queries.next(&mut query) else { break };
        flights.stopped |= 1 << flights.all.len();
        flights.all.push(Flight { terms, query, walk: Walk::new(), levels, rest: &forests });
    }
    let mut landed = Landed::new();
    loop {
        landed.count = 0;
        at_level!(index.simd_level(), simd => flights.turn(simd, &forests, queries, &mut landed));
        let (met, limits) = (&landed.met[..landed.count], &mut landed.limits[..landed.count]);
        if met.is_empty() {
            return;
        }
        visit(met, limits);
        for (&place, &answer) in landed.places.iter().zip(&*limits) {
            flights.all[place].lower(answer);
            flights.stopped |= 1 << place;
        }
    }
}

/// Boxes that flights came to.
struct Landed {
    met: [Met; FLIGHTS],
    limits: [f32; FLIGHTS],
    /// Which flights.
    places: [usize; FLIGHTS],
    count: usize,
}

impl Landed {
    fn new() -> Self {
        let (met, limits) = ([Met::default(); FLIGHTS], [0.0; FLIGHTS]);
        Self { met, limits, places: [0; FLIGHTS], count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, place: usize, terms: &Terms, id: u32, at: f32) {
        // Each flight lands once at most.
        let count = self.count % FLIGHTS;
        self.met[count] = Met { query: terms.number, id, at };
        (self.limits[count], self.places[count]) = (terms.limit, place);
        self.count = count + 1;
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
        landed: &mut Landed,
    ) {
        for place in Bits(self.stopped) {
            let Some(flight) = self.all.get_mut(place) else { break };
            flight.walk.cut_later(simd, flight.terms.limit);
        }
        loop {
            for place in Bits(std::mem::take(&mut self.stopped)) {
                let Some(flight) = self.all.get_mut(place) else { break };
                loop {
                    if !flight.walk.is_stopped() {
                        self.under_way |= 1 << place;
                    } else if let Some((id, at)) = flight.walk.take(flight.levels) {
                        if flight.terms.beyond_start && at <= 0.0 {
                            continue;
                        }
                        landed.push(place, &flight.terms, id, at);
                    } else if flight.renew(simd, forests, queries) {
                        continue;
                    }
                    break;
                }
            }
            if self.under_way == 0 || landed.count >= LANDED {
                return;
            }
            for place in Bits(self.under_way) {
                let Some(flight) = self.all.get_mut(place) else { break };
                let stopped =
                    flight.walk.step(simd, flight.levels, &flight.query, flight.terms.limit);
                self.stopped |= u64::from(stopped) << place;
            }
            self.under_way &= !self.stopped;
        }
    }
}

impl<'f, Q: Reach> Flight<'f, Q> {
    /// Enters the next forest, or the first one with another query; whether there was one.
    #[inline(always)]
    fn renew<S: Simd>(
        &mut self,
        simd: S,
        forests: &'f [Levels<'f>],
        queries: &mut impl Queries<Q>,
    ) -> bool {
        if self.rest.is_empty() || self.terms.limit < 0.0 {
            let Some(terms) = queries.next(&mut self.query) else { return false };
            (self.terms, self.rest) = (terms, forests);
        }
        let Some((levels, rest)) = self.rest.split_first() else { return false };
        (self.levels, self.rest) = (levels, rest);
        self.walk.begin(simd, levels, &self.query, self.terms.limit);
        true
    }

    /// Takes a visitor's answer for a limit.
    #[inline(always)]
    fn lower(&mut self, answer: f32) {
        let answer = if answer.is_nan() { -1.0 } else { answer };
        let limit = &mut self.terms.limit;
        *limit = if answer < *limit { answer } else { *limit };
    }
}
