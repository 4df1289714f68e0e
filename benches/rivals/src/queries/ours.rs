//! impinge's queries over a world.

use impinge_testkit::scenes::{RayCase, SweepCase};
use impinge_world::{
    Body, BodyId, Hits, OverlapQuery, Queries, RayHit, RayQuery, SweepHit, SweepQuery, World,
};

use super::{Answers, Contender, Questions, listed};

/// The scene as a world, and each body's place in the scene by the index of its id.
struct Bodies {
    world: World,
    places: Vec<u32>,
}

impl Bodies {
    fn new(questions: &Questions) -> Self {
        let (mut world, mut places) = (World::new(), Vec::new());
        for (place, body) in (0..).zip(&questions.scene.bodies) {
            let body = Body::moving(body.shape.clone()).pose(body.pose);
            let id = world.insert(body).expect("scenes hold finite poses");
            let index = id.index() as usize;
            places.resize(places.len().max(index + 1), u32::MAX);
            places[index] = place;
        }
        world.prepare_queries();
        Self { world, places }
    }

    fn queries(&self) -> Queries<'_> {
        self.world.view().expect("nothing has moved since the queries were prepared")
    }

    fn place(&self, id: BodyId) -> u32 {
        self.places[id.index() as usize]
    }
}

fn ray_queries(questions: &Questions) -> Vec<RayQuery<'static>> {
    let query = |case: &RayCase| RayQuery::new(case.ray, case.max_distance);
    questions.rays.iter().map(query).collect()
}

/// Question and body of all results, sorted.
fn all<T>(lists: &Hits<T>, place: impl Fn(&T) -> u32) -> Answers {
    let mut found = Vec::new();
    for (question, list) in (0..).zip(lists.iter()) {
        found.extend(list.iter().map(|item| (question, place(item))));
    }
    found.sort_unstable();
    Answers::All(found)
}

struct Rays {
    bodies: Bodies,
    rays: Vec<RayQuery<'static>>,
    hits: Vec<Option<RayHit>>,
    batch: bool,
}

fn new_rays(questions: &Questions, batch: bool) -> Box<dyn Contender + '_> {
    let rays = ray_queries(questions);
    Box::new(Rays { bodies: Bodies::new(questions), rays, hits: Vec::new(), batch })
}

/// `Queries::raycast_batch`.
pub(super) fn ray_batch(questions: &Questions) -> Box<dyn Contender + '_> {
    new_rays(questions, true)
}

/// `Queries::raycast_with`, ray after ray.
pub(super) fn rays(questions: &Questions) -> Box<dyn Contender + '_> {
    new_rays(questions, false)
}

impl Contender for Rays {
    fn ask(&mut self) {
        let queries = self.bodies.queries();
        if self.batch {
            queries.raycast_batch(&self.rays, &mut self.hits);
        } else {
            self.hits.clear();
            self.hits.extend(self.rays.iter().map(|ray| queries.raycast_with(ray)));
        }
    }

    fn answers(&self) -> Answers {
        let first = |hit: &RayHit| (self.bodies.place(hit.body), hit.distance);
        Answers::First(self.hits.iter().map(|hit| hit.as_ref().map(first)).collect())
    }
}

struct AnyRays {
    bodies: Bodies,
    rays: Vec<RayQuery<'static>>,
    found: Vec<bool>,
    batch: bool,
}

fn new_any_rays(questions: &Questions, batch: bool) -> Box<dyn Contender + '_> {
    let rays = ray_queries(questions);
    Box::new(AnyRays { bodies: Bodies::new(questions), rays, found: Vec::new(), batch })
}

/// `Queries::raycast_any_batch`.
pub(super) fn any_ray_batch(questions: &Questions) -> Box<dyn Contender + '_> {
    new_any_rays(questions, true)
}

/// `Queries::raycast_any_with`, ray after ray.
pub(super) fn any_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    new_any_rays(questions, false)
}

impl Contender for AnyRays {
    fn ask(&mut self) {
        let queries = self.bodies.queries();
        if self.batch {
            queries.raycast_any_batch(&self.rays, &mut self.found);
        } else {
            self.found.clear();
            self.found.extend(self.rays.iter().map(|ray| queries.raycast_any_with(ray)));
        }
    }

    fn answers(&self) -> Answers {
        Answers::Any(self.found.clone())
    }
}

struct AllRays {
    bodies: Bodies,
    rays: Vec<RayQuery<'static>>,
    hits: Hits<RayHit>,
}

/// `Queries::raycast_all_batch`.
pub(super) fn all_ray_batch(questions: &Questions) -> Box<dyn Contender + '_> {
    let rays = ray_queries(questions);
    Box::new(AllRays { bodies: Bodies::new(questions), rays, hits: Hits::new() })
}

/// `Queries::raycast_all_with`, ray after ray.
pub(super) fn all_rays(questions: &Questions) -> Box<dyn Contender + '_> {
    let (bodies, mut hits) = (Bodies::new(questions), Vec::new());
    listed(ray_queries(questions).into_iter(), move |ray, tell| {
        bodies.queries().raycast_all_with(ray, &mut hits);
        hits.iter().for_each(|hit: &RayHit| tell(bodies.place(hit.body), hit.distance));
    })
}

impl Contender for AllRays {
    fn ask(&mut self) {
        self.bodies.queries().raycast_all_batch(&self.rays, &mut self.hits);
    }

    fn answers(&self) -> Answers {
        all(&self.hits, |hit| self.bodies.place(hit.body))
    }
}

struct Sweeps<'q> {
    bodies: Bodies,
    sweeps: Vec<SweepQuery<'q>>,
    hits: Vec<Option<SweepHit>>,
    batch: bool,
}

fn new_sweeps(questions: &Questions, batch: bool) -> Box<dyn Contender + '_> {
    fn query(case: &SweepCase) -> SweepQuery<'_> {
        SweepQuery::new(&case.shape, case.pose, case.displacement)
    }
    let sweeps = questions.sweeps.iter().map(query).collect();
    Box::new(Sweeps { bodies: Bodies::new(questions), sweeps, hits: Vec::new(), batch })
}

/// `Queries::sweep_batch`.
pub(super) fn sweep_batch(questions: &Questions) -> Box<dyn Contender + '_> {
    new_sweeps(questions, true)
}

/// `Queries::sweep_with`, sweep after sweep.
pub(super) fn sweeps(questions: &Questions) -> Box<dyn Contender + '_> {
    new_sweeps(questions, false)
}

impl Contender for Sweeps<'_> {
    fn ask(&mut self) {
        let queries = self.bodies.queries();
        if self.batch {
            queries.sweep_batch(&self.sweeps, &mut self.hits);
        } else {
            self.hits.clear();
            self.hits.extend(self.sweeps.iter().map(|sweep| queries.sweep_with(sweep)));
        }
    }

    fn answers(&self) -> Answers {
        let first = |hit: &SweepHit| (self.bodies.place(hit.body), hit.distance);
        Answers::First(self.hits.iter().map(|hit| hit.as_ref().map(first)).collect())
    }
}

struct Overlaps<'q> {
    bodies: Bodies,
    overlaps: Vec<OverlapQuery<'q>>,
    found: Hits<BodyId>,
}

/// `Queries::overlap_batch`.
pub(super) fn overlap_batch(questions: &Questions) -> Box<dyn Contender + '_> {
    let cases = questions.overlaps.iter();
    let overlaps = cases.map(|case| OverlapQuery::new(&case.shape, case.pose)).collect();
    Box::new(Overlaps { bodies: Bodies::new(questions), overlaps, found: Hits::new() })
}

impl Contender for Overlaps<'_> {
    fn ask(&mut self) {
        self.bodies.queries().overlap_batch(&self.overlaps, &mut self.found);
    }

    fn answers(&self) -> Answers {
        all(&self.found, |&id| self.bodies.place(id))
    }
}
