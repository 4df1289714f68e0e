//! One run: builds the scene, moves it, asks its queries.

use std::time::{Duration, Instant};

use impinge::broadphase::simd_level;
use impinge::glam::Vec3;
use impinge::{
    Body, BodyId, Contact, Hits, OverlapQuery, Pose, Queries, RayHit, RayQuery, SweepHit,
    SweepQuery, UpdateOptions, World,
};
use impinge_testkit::hash::{Unordered, of_pair, of_words};
use impinge_testkit::scenes::{self, QueryShape, Scene, SceneBody};
use indicatif::{ProgressBar, ProgressStyle};

use super::args::{RunPlan, StressArgs};
use super::clock::StageClock;
use super::report::{self, Hash, Run, ms, per_second, percentile};

/// Queries of a batch: enough to keep many threads busy, few enough for percentiles.
const BATCH: usize = 4096;

/// Does the run, on the threads of the pool it is called in.
pub(crate) fn run(args: &StressArgs, plan: RunPlan, threads: usize) -> anyhow::Result<Run> {
    let scene = scenes::build(plan.scene, plan.bodies, plan.moving_percent, args.seed)
        .with_fixed(args.fixed, args.seed);
    let batches = [args.rays, args.sweeps, args.overlaps].map(|count| count.div_ceil(BATCH));
    let progress = progress(scene.name, args.updates + 1 + batches.iter().sum::<usize>())?;
    let mut stressed = Stressed::new(&scene)?;
    let mut clock = StageClock::default();
    for step in 0..=u32::try_from(args.updates)? {
        stressed.update(step, &mut clock)?;
        progress.inc(1);
    }
    let (pairs, contacts) = stressed.found();
    let (index, queries) = stressed.ask(args, &progress);
    progress.finish_and_clear();
    Ok(Run {
        scene: scene.name,
        bodies: scene.bodies.len(),
        moving_percent: plan.moving_percent,
        moving: scene.moving_count(),
        fixed: scene.bodies.iter().filter(|body| body.fixed).count(),
        updates: args.updates,
        seed: args.seed,
        threads,
        simd: simd_level().name(),
        pairs: usize::try_from(pairs.count)?,
        contacts: usize::try_from(contacts.count)?,
        hash: Hash(pairs.finish()),
        contacts_hash: Hash(contacts.finish()),
        stages: clock.stages(),
        index_ms: ms(index),
        queries,
    })
}

/// A bar on a terminal, nothing elsewhere.
fn progress(name: &'static str, length: usize) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{prefix:12} {wide_bar} {pos}/{len} {eta:>4}")?;
    Ok(ProgressBar::new(length as u64).with_style(style).with_prefix(name))
}

/// A scene in a world.
struct Stressed<'s> {
    scene: &'s Scene,
    world: World,
    ids: Vec<BodyId>,
    places: Places,
    /// Reused from step to step.
    poses: Vec<(BodyId, Pose)>,
}

impl<'s> Stressed<'s> {
    fn new(scene: &'s Scene) -> anyhow::Result<Self> {
        let mut world = World::with_capacity(scene.bodies.len());
        let mut ids = Vec::with_capacity(scene.bodies.len());
        for body in &scene.bodies {
            ids.push(world.insert(body_of(body))?);
        }
        let places = Places::new(&ids);
        Ok(Self { scene, world, ids, places, poses: Vec::new() })
    }

    /// Moves the bodies to where they are at this step, and updates; only the update is timed.
    fn update(&mut self, step: u32, clock: &mut StageClock) -> anyhow::Result<()> {
        self.poses.clear();
        let ids = &self.ids;
        self.poses.extend(self.scene.poses_at(step).map(|(place, pose)| (ids[place], pose)));
        self.world.set_poses(&self.poses)?;
        self.world.update_with(UpdateOptions::new().observer(clock));
        Ok(())
    }

    /// Pairs and contacts of the last update.
    fn found(&self) -> (Unordered, Unordered) {
        let pairs = self.world.pairs().map(|(a, b)| {
            let (a, b) = (self.places.of(a), self.places.of(b));
            of_pair(a.min(b), a.max(b))
        });
        let contacts = self.world.contacts().into_iter().map(|c| contact_hash(c, &self.places));
        (pairs.collect(), contacts.collect())
    }

    /// Brings the index up to date, and asks the queries of every kind.
    fn ask(&mut self, args: &StressArgs, progress: &ProgressBar) -> (Duration, report::Queries) {
        let rays = self.scene.rays(args.rays, args.seed);
        let sweeps = self.scene.sweeps(QueryShape::Alternating, args.sweeps, args.seed);
        let overlaps = self.scene.overlaps(QueryShape::Alternating, args.overlaps, args.seed);
        let rays: Vec<RayQuery<'_>> =
            rays.iter().map(|case| RayQuery::new(case.ray, case.max_distance)).collect();
        let sweeps: Vec<SweepQuery<'_>> = sweeps
            .iter()
            .map(|case| SweepQuery::new(&case.shape, case.pose, case.displacement))
            .collect();
        let overlaps: Vec<OverlapQuery<'_>> =
            overlaps.iter().map(|case| OverlapQuery::new(&case.shape, case.pose)).collect();

        let start = Instant::now();
        let view = self.world.queries();
        let index = start.elapsed();
        let asking = Asking { view: &view, places: &self.places, progress };
        let queries = report::Queries {
            raycast: asking.rays(&rays),
            sweep: asking.sweeps(&sweeps),
            overlap: asking.overlaps(&overlaps),
        };
        (index, queries)
    }
}

fn body_of(body: &SceneBody) -> Body {
    let shape = body.shape.clone();
    let fresh = if body.fixed { Body::fixed(shape) } else { Body::moving(shape) };
    fresh.pose(body.pose)
}

/// Places of bodies in the order of insertion: ids may differ between versions, places do not.
struct Places {
    by_slot: Vec<u32>,
}

impl Places {
    fn new(ids: &[BodyId]) -> Self {
        let slots = ids.iter().map(|id| id.index() as usize + 1).max().unwrap_or(0);
        let mut by_slot = vec![0; slots];
        for (place, id) in (0..).zip(ids) {
            by_slot[id.index() as usize] = place;
        }
        Self { by_slot }
    }

    fn of(&self, id: BodyId) -> u32 {
        self.by_slot[id.index() as usize]
    }
}

/// A view, and what goes with asking it.
struct Asking<'a> {
    view: &'a Queries<'a>,
    places: &'a Places,
    progress: &'a ProgressBar,
}

impl Asking<'_> {
    fn rays(&self, queries: &[RayQuery<'_>]) -> report::Query {
        let mut hits: Vec<Option<RayHit>> = Vec::new();
        self.batches(queries, |batch, found, first| {
            let start = Instant::now();
            self.view.raycast_batch(batch, &mut hits);
            let time = start.elapsed();
            for (number, hit) in (first..).zip(&hits) {
                found.extend(hit.iter().map(|hit| ray_hash(number, hit, self.places)));
            }
            time
        })
    }

    fn sweeps(&self, queries: &[SweepQuery<'_>]) -> report::Query {
        let mut hits: Vec<Option<SweepHit>> = Vec::new();
        self.batches(queries, |batch, found, first| {
            let start = Instant::now();
            self.view.sweep_batch(batch, &mut hits);
            let time = start.elapsed();
            for (number, hit) in (first..).zip(&hits) {
                found.extend(hit.iter().map(|hit| sweep_hash(number, hit, self.places)));
            }
            time
        })
    }

    fn overlaps(&self, queries: &[OverlapQuery<'_>]) -> report::Query {
        let mut hits: Hits<BodyId> = Hits::new();
        self.batches(queries, |batch, found, first| {
            let start = Instant::now();
            self.view.overlap_batch(batch, &mut hits);
            let time = start.elapsed();
            for (number, bodies) in (first..).zip(hits.iter()) {
                let places = bodies.iter().map(|&body| self.places.of(body));
                found.extend(places.map(|place| of_words([number, place.into()])));
            }
            time
        })
    }

    /// Asks batch after batch. `ask` gets the number of the batch's first query, adds the hashes
    /// of what it finds, and says how long the queries alone took.
    fn batches<Q>(
        &self,
        queries: &[Q],
        mut ask: impl FnMut(&[Q], &mut Vec<u64>, u64) -> Duration,
    ) -> report::Query {
        let (mut times, mut all) = (Vec::new(), Unordered::default());
        let mut found = Vec::new();
        let mut first = 0;
        for batch in queries.chunks(BATCH) {
            times.push(ask(batch, &mut found, first));
            first += batch.len() as u64;
            found.drain(..).for_each(|hash| all.add(hash));
            self.progress.inc(1);
        }
        let total: Duration = times.iter().sum();
        report::Query {
            count: queries.len(),
            hits: usize::try_from(all.count).unwrap_or(usize::MAX),
            per_second: per_second(queries.len(), total.as_secs_f64()),
            median_ms: ms(percentile(&times, 50)),
            p99_ms: ms(percentile(&times, 99)),
            hash: Hash(all.finish()),
        }
    }
}

fn ray_hash(number: u64, hit: &RayHit, places: &Places) -> u64 {
    let ids = [number, places.of(hit.body).into(), hit.part.into(), hit.started_inside.into()];
    let numbers = [bits(hit.distance)].into_iter().chain(vector(hit.point));
    of_words(ids.into_iter().chain(numbers).chain(vector(hit.normal)))
}

fn sweep_hash(number: u64, hit: &SweepHit, places: &Places) -> u64 {
    let ids = [number, places.of(hit.body).into(), hit.part.into(), hit.started_overlapping.into()];
    let numbers = [bits(hit.fraction), bits(hit.distance), bits(hit.depth)];
    let vectors = vector(hit.point).into_iter().chain(vector(hit.normal));
    of_words(ids.into_iter().chain(numbers).chain(vectors))
}

fn contact_hash(contact: &Contact, places: &Places) -> u64 {
    let mut words = vec![places.of(contact.a).into(), places.of(contact.b).into()];
    for manifold in &contact.manifolds {
        words.extend([u64::from(manifold.part_a), u64::from(manifold.part_b)]);
        words.extend(vector(manifold.normal));
        for point in &manifold.points {
            words.extend(vector(point.point_a));
            words.extend(vector(point.point_b));
            words.extend([bits(point.distance), point.feature.0.into()]);
        }
    }
    of_words(words)
}

/// The number's bits, zero without its sign.
fn bits(x: f32) -> u64 {
    (x + 0.0).to_bits().into()
}

fn vector(v: Vec3) -> [u64; 3] {
    v.to_array().map(bits)
}
