//! Sweeps of different queries, which take turns, so that rounded numbers tell of many of them side
//! by side which bodies need a closer look.

use std::slice::from_ref;

use impinge_broadphase::{Cast, Met};
use impinge_narrowphase::SweepOptions;
use impinge_narrowphase::sweep_bounds::{self, SweepAt, SweepBounds};
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Cuboid, Shape, Sphere};
use prefetch_index::prefetch_index;
use smallvec::SmallVec;

use super::lists::Unsorted;
use super::ray::STOP;
use super::{Queries, SweepQuery};
use crate::body::Stored;
use crate::tolerance::SEARCH_SLACK;
use crate::{BodyId, SweepHit};

/// What becomes of hits.
trait Keep {
    /// Whether a hit of this body at `earliest` or later could still count.
    fn wants(&self, place: usize, body: BodyId, earliest: f32) -> bool;

    /// Whether no hit of the body in this slot could count, as far as that is quickly told.
    fn passes_over(&self, place: usize, slot: u32) -> bool;

    /// Takes note of a body that is certainly hit; `false` asks for the hit itself.
    fn expect(&mut self, place: usize, body: BodyId, bounds: &SweepBounds) -> bool;

    fn offer(&mut self, place: usize, hit: SweepHit);
}

/// What becomes of hits where they end the search.
trait Search: Keep {
    /// How far the search of this query is to go on.
    fn reach(&self, place: usize) -> f32;
}

/// Bodies of which none is left out before all are known.
const FEW: usize = 4;

/// The first hit of a query, as far as it is known.
struct First {
    /// Fraction of the best hit; infinite where there is none.
    at: f32,
    /// There is a hit at this fraction or before; infinite where none is known.
    latest: f32,
    /// The body with the smallest id of those that certainly overlap the mover at the start.
    inside: Option<BodyId>,
    /// Bodies that are certainly hit, and what is known of it.
    open: SmallVec<[(SweepBounds, BodyId); 4]>,
    /// How many they may become before those that cannot be first any more are left out.
    most: usize,
}

impl First {
    /// Leaves out bodies, where there are so many that it pays.
    fn thin_out(&mut self, may_be_first: impl Fn(&SweepBounds, BodyId) -> bool) {
        if self.open.len() >= self.most {
            self.open.retain(|(bounds, body)| may_be_first(bounds, *body));
            self.most = (2 * self.open.len()).max(FEW);
        }
    }
}

/// The first hits, each with the best hit so far.
struct Firsts<'h> {
    firsts: Vec<First>,
    hits: &'h mut [Option<SweepHit>],
}

impl<'h> Firsts<'h> {
    fn new(hits: &'h mut [Option<SweepHit>]) -> Self {
        let endless = f32::INFINITY;
        let first = |_: &_| First {
            at: endless,
            latest: endless,
            inside: None,
            open: <_>::default(),
            most: FEW,
        };
        Self { firsts: hits.iter().map(first).collect(), hits }
    }

    /// Whether a hit of this body at `earliest` or later could be the first.
    fn could_win(&self, place: usize, body: BodyId, earliest: f32) -> bool {
        let first = &self.firsts[place];
        let ties = || self.hits[place].is_none_or(|best| body < best.body);
        earliest <= first.latest && (earliest < first.at || (earliest <= first.at && ties()))
    }
}

impl Keep for Firsts<'_> {
    fn wants(&self, place: usize, body: BodyId, earliest: f32) -> bool {
        let before = |inside| body < inside;
        self.could_win(place, body, earliest) && self.firsts[place].inside.is_none_or(before)
    }

    fn passes_over(&self, place: usize, slot: u32) -> bool {
        self.firsts[place].inside.is_some_and(|inside| inside.index() < slot)
    }

    fn expect(&mut self, place: usize, body: BodyId, bounds: &SweepBounds) -> bool {
        let first = &mut self.firsts[place];
        if bounds.latest < first.latest {
            first.latest = bounds.latest;
            first.thin_out(|other, _| other.earliest <= bounds.latest);
        }
        if bounds.starts_inside() {
            // Nothing comes before it but a body with a smaller id.
            first.inside = Some(body);
            first.thin_out(|_, other| other < body);
        }
        first.open.push((*bounds, body));
        true
    }

    fn offer(&mut self, place: usize, hit: SweepHit) {
        let at = hit.fraction;
        let first = &mut self.firsts[place];
        let ties = || self.hits[place].is_none_or(|best| hit.body < best.body);
        if at < first.at || (at <= first.at && ties()) {
            first.at = at;
            self.hits[place] = Some(hit);
        }
    }
}

impl Search for Firsts<'_> {
    fn reach(&self, place: usize) -> f32 {
        let first = &self.firsts[place];
        // Infinite where nothing is known yet.
        let most = first.at.min(first.latest);
        (most + most * SEARCH_SLACK).min(1.0)
    }
}

/// Whether there is a hit.
impl Keep for [bool] {
    fn wants(&self, place: usize, _: BodyId, _: f32) -> bool {
        !self[place]
    }

    fn passes_over(&self, _: usize, _: u32) -> bool {
        false
    }

    fn expect(&mut self, place: usize, _: BodyId, _: &SweepBounds) -> bool {
        self[place] = true;
        true
    }

    fn offer(&mut self, place: usize, _: SweepHit) {
        self[place] = true;
    }
}

impl Search for [bool] {
    fn reach(&self, place: usize) -> f32 {
        if self[place] { STOP } else { 1.0 }
    }
}

/// All hits.
impl Keep for Unsorted<SweepHit> {
    fn wants(&self, _: usize, _: BodyId, _: f32) -> bool {
        true
    }

    fn passes_over(&self, _: usize, _: u32) -> bool {
        false
    }

    fn expect(&mut self, _: usize, _: BodyId, _: &SweepBounds) -> bool {
        false
    }

    fn offer(&mut self, place: usize, hit: SweepHit) {
        self.push(place, hit);
    }
}

/// Sweeps of one kind, and of which query and at which body each is.
struct Group<'q, M> {
    sweeps: Vec<SweepAt<'q, M>>,
    of: Vec<(usize, BodyId, &'q Stored)>,
    found: Vec<SweepBounds>,
}

impl<'q, M> Group<'q, M> {
    fn new() -> Self {
        Self { sweeps: Vec::new(), of: Vec::new(), found: Vec::new() }
    }

    fn clear(&mut self) {
        self.sweeps.clear();
        self.of.clear();
    }

    fn push(
        &mut self,
        (mover, query): (&'q M, &'q SweepQuery<'q>),
        target: &'q Cuboid,
        (place, body, stored): (usize, BodyId, &'q Stored),
    ) {
        let (pose, displacement, target_pose) = (&query.pose, query.displacement, &stored.pose);
        self.sweeps.push(SweepAt { mover, pose, displacement, target, target_pose });
        self.of.push((place, body, stored));
    }

    fn answer<K: Keep + ?Sized>(
        &mut self,
        bounds: fn(&[SweepAt<'_, M>], SimdLevel, &mut Vec<SweepBounds>),
        level: SimdLevel,
        queries: &[SweepQuery<'_>],
        kept: &mut K,
    ) {
        if self.sweeps.is_empty() {
            return;
        }
        bounds(&self.sweeps, level, &mut self.found);
        for (&(place, body, stored), found) in self.of.iter().zip(&self.found) {
            if found.misses() || !kept.wants(place, body, found.earliest) {
                continue;
            }
            let query = &queries[place];
            let SweepOptions { skip_started, skip_leaving, .. } = query.options;
            if skip_started && found.starts_inside() {
                continue;
            }
            let skips = skip_started || skip_leaving;
            let certain = found.latest <= 1.0 && (found.earliest > 0.0 || !skips);
            if !(certain && kept.expect(place, body, found))
                && let Some(hit) = query.within(body, stored, found)
            {
                kept.offer(place, hit);
            }
        }
    }
}

impl Queries<'_> {
    /// [`Queries::sweep_with`] of each query; `hits` holds none yet.
    pub(super) fn sweep_many(&self, queries: &[SweepQuery<'_>], hits: &mut [Option<SweepHit>]) {
        let mut kept = Firsts::new(hits);
        self.on_many_ways(queries, &mut kept);
        for (place, query) in queries.iter().enumerate() {
            let mut open = std::mem::take(&mut kept.firsts[place].open);
            open.sort_unstable_by(|(a, one), (b, other)| {
                a.earliest.total_cmp(&b.earliest).then(one.cmp(other))
            });
            for (bounds, body) in open {
                if kept.could_win(place, body, bounds.earliest)
                    && let Some(stored) = self.bodies.stored(body.index())
                    && let Some(hit) = query.within(body, stored, &bounds)
                {
                    kept.offer(place, hit);
                }
            }
        }
    }

    /// [`Queries::sweep_any_with`] of each query.
    pub(super) fn sweep_any_many(&self, queries: &[SweepQuery<'_>], hits: &mut [bool]) {
        self.on_many_ways(queries, hits);
    }

    /// Finds what [`Queries::sweep_all_with`] lists for each query.
    pub(super) fn sweep_all_many(
        &self,
        queries: &[SweepQuery<'_>],
        found: &mut Unsorted<SweepHit>,
    ) {
        let casts = casts(queries);
        let mut ways = Ways::new(self, queries, &casts);
        self.index.cast_all(&casts, |met| ways.look(met, found));
    }

    /// Tells `kept` what the movers meet, as far as it asks for.
    fn on_many_ways<K: Search + ?Sized>(&self, queries: &[SweepQuery<'_>], kept: &mut K) {
        let casts = casts(queries);
        let mut ways = Ways::new(self, queries, &casts);
        self.index.cast_many(&casts, |met, limits| {
            ways.look(met, kept);
            for (met, limit) in met.iter().zip(limits) {
                *limit = kept.reach(met.query as usize);
            }
        });
    }
}

/// What the index sees of the queries.
fn casts(queries: &[SweepQuery<'_>]) -> Vec<Cast> {
    // Shapes lie anywhere: their misses wait side by side.
    queries.iter().for_each(|query| prefetch_index(from_ref(query.shape), 0));
    queries.iter().map(SweepQuery::cast).collect()
}

/// Bodies in the ways of different queries; those at boxes wait until all are known.
struct Ways<'q> {
    view: &'q Queries<'q>,
    queries: &'q [SweepQuery<'q>],
    casts: &'q [Cast],
    near: Vec<Met>,
    boxes: Group<'q, Cuboid>,
    balls: Group<'q, Sphere>,
}

impl<'q> Ways<'q> {
    fn new(view: &'q Queries<'q>, queries: &'q [SweepQuery<'q>], casts: &'q [Cast]) -> Self {
        Self { view, queries, casts, near: Vec::new(), boxes: Group::new(), balls: Group::new() }
    }

    /// Looks at the bodies that queries met.
    fn look<K: Keep + ?Sized>(&mut self, met: &[Met], kept: &mut K) {
        let (view, queries) = (self.view, self.queries);
        self.near.clear();
        self.near.extend(met.iter().filter(|met| !kept.passes_over(met.query as usize, met.id)));
        view.fetch(self.near.iter().map(|met| met.id));
        self.boxes.clear();
        self.balls.clear();
        for met in &self.near {
            let place = met.query as usize;
            let query = &queries[place];
            let Some((body, stored)) = view.seen(met.id, &query.filter) else { continue };
            if !kept.wants(place, body, 0.0) {
                continue;
            }
            match (query.shape, &stored.shape) {
                (Shape::Cuboid(mover), Shape::Cuboid(target)) => {
                    self.boxes.push((mover, query), target, (place, body, stored));
                }
                (Shape::Sphere(mover), Shape::Cuboid(target)) => {
                    self.balls.push((mover, query), target, (place, body, stored));
                }
                _ => {
                    if let Some(hit) = view.sweep_at(query, &self.casts[place], body, stored) {
                        kept.offer(place, hit);
                    }
                }
            }
        }
        let level = view.index.simd_level();
        self.boxes.answer(sweep_bounds::of_boxes, level, queries, kept);
        self.balls.answer(sweep_bounds::of_spheres, level, queries, kept);
    }
}
