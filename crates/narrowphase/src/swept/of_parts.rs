//! Sweeps of shapes of several parts: the first hit of all.

use std::cell::Cell;

use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape};
use smallvec::SmallVec;

use super::{Known, course_of, sweep_of_pair};
use crate::convex::Course;
use crate::parts::{self, Leaf};
use crate::queries::relation_of_leaves;
use crate::surface::{self, Deepest, InTurn, Parts, Stand};
use crate::{Relation, Relative, ShapeSweepHit, SweepOptions, tolerance};

/// [`sweep`](crate::sweep) of two shapes of which one has several parts.
pub(super) fn of_parts<'a>(
    (mover, pose): (&'a Shape, &Pose),
    displacement: Vec3,
    (target, target_pose): (&'a Shape, &Pose),
    options: &SweepOptions,
) -> Option<ShapeSweepHit> {
    let rests_on_surface = Cell::new(false);
    // What stays where it is touches the first of all that it touches.
    let may_slide = !options.stop_on_touch && displacement.cmpne(Vec3::ZERO).any();
    let mut search = Search {
        displacement,
        options,
        may_slide,
        rests_on_surface: &rests_on_surface,
        most: 1.0,
        hits: Hits::default(),
        later: SmallVec::new(),
        turn: InTurn::default(),
    };
    let slides = || may_slide && rests_on_surface.get();
    let shapes = ((mover, pose), (target, target_pose));
    parts::first_leaves(
        shapes.0,
        displacement,
        shapes.1,
        &slides,
        &mut |moving, resting, at, may_meet| {
            search.visit(moving, resting, at, may_meet);
            search.most
        },
    );
    search.done()
}

/// The search for the first hit of all parts.
struct Search<'a, 's> {
    displacement: Vec3,
    options: &'s SweepOptions,
    may_slide: bool,
    /// Whether a surface is touched at the start, or left.
    rests_on_surface: &'s Cell<bool>,
    /// A touch after this share of the way counts no more.
    most: f64,
    hits: Hits,
    /// Triangles that count only where none is touched at the start.
    later: SmallVec<[Parts<'a>; 4]>,
    turn: InTurn<'a>,
}

impl<'a> Search<'a, '_> {
    fn visit(
        &mut self,
        moving: &Leaf<'a>,
        resting: &Leaf<'a>,
        at: Option<&Relative>,
        may_meet: &dyn Fn() -> bool,
    ) {
        let on_surface = moving.surface.is_some() || resting.surface.is_some();
        let leaves = (resting, moving);
        // Not handed on by value, because it is large.
        let stand = match at {
            Some(at) if on_surface && self.options.keep_starts() => {
                self.turn.stand(leaves, at, false)
            }
            _ => None,
        };
        // What is in the plane of a triangle mostly is in it, or in the next one.
        if !stand.as_ref().is_some_and(Stand::is_in) && !may_meet() {
            return;
        }
        let (Some(stand), Some(at)) = (&stand, at) else {
            return self.look(moving, resting, at, None);
        };
        let deepest = self.hits.started();
        if !self.turn.admits(stand, leaves, at, false, deepest) {
            return;
        }
        if deepest.is_some() {
            self.measure(moving, resting, Some(at));
        } else {
            let relation = stand.is_in().then(|| relation_of_leaves(resting, moving, Some(at)));
            self.look(moving, resting, Some(at), relation);
        }
    }

    /// Looks for the first touch of two parts; how they lie at the start may be known.
    fn look(
        &mut self,
        moving: &Leaf<'a>,
        resting: &Leaf<'a>,
        at: Option<&Relative>,
        relation: Option<Relation>,
    ) {
        let (displacement, options) = (self.displacement, self.options);
        let on_surface = moving.surface.is_some() || resting.surface.is_some();
        let course = on_surface.then(|| course_of(moving, displacement, resting));
        let mut known = Known { relation, course, at, most: self.most, deepest: None };
        // What slides over a surface meets no triangle anew; see below.
        if self.may_slide
            && let Some(Some(course)) = course
        {
            if self.rests_on_surface.get() || course == Course::Clear {
                return;
            }
            let found = relation.unwrap_or_else(|| relation_of_leaves(resting, moving, at));
            match found {
                Relation::Apart => self.later.push((*moving, *resting)),
                Relation::Touching => self.rests_on_surface.set(true),
                Relation::Penetrating => known.relation = Some(found),
            }
            if found != Relation::Penetrating {
                return;
            }
        }
        let (relation, hit) = sweep_of_pair(moving, displacement, resting, options, &known);
        let leaves = options.skip_leaving
            && !options.skip_started
            && relation == Relation::Penetrating
            && hit.is_none();
        if (relation == Relation::Touching || leaves) && on_surface {
            self.rests_on_surface.set(true);
        }
        if let Some(hit) = hit {
            let beside = relation == Relation::Apart && on_surface;
            self.keep(hit, !(beside && surface::runs_along(&hit, displacement)));
        }
    }

    /// Looks how deep two parts overlap at the start, where others do and only what is deeper counts.
    fn measure(&mut self, moving: &Leaf<'a>, resting: &Leaf<'a>, at: Option<&Relative>) {
        let relation = relation_of_leaves(resting, moving, at);
        if relation != Relation::Penetrating {
            return;
        }
        let deepest = self.hits.started();
        let known = Known { relation: Some(relation), at, deepest, ..Known::NOTHING };
        let found = sweep_of_pair(moving, self.displacement, resting, self.options, &known);
        if let (_, Some(hit)) = found {
            self.keep(hit, true);
        }
    }

    fn keep(&mut self, hit: ShapeSweepHit, enters: bool) {
        self.hits.keep(hit, enters);
        // What is met a little later may be reported level with it, and come first among equals.
        let share = |hit: &ShapeSweepHit| f64::from(hit.fraction);
        let most = self.hits.entering.as_ref().map_or(1.0, share);
        self.most = (most * (1.0 + tolerance::SWEPT_SLACK)).min(1.0);
    }

    fn done(&mut self) -> Option<ShapeSweepHit> {
        loop {
            let deepest = self.hits.started();
            let Some((moving, resting)) = self.turn.next(deepest) else { break };
            if deepest.is_some() {
                self.measure(&moving, &resting, None);
            } else {
                self.look(&moving, &resting, None, None);
            }
        }
        // A surface that is touched at the start, or left, goes on as it is: what slides over it, or
        // away from it, meets no triangle anew.
        if self.rests_on_surface.get() && !self.options.stop_on_touch {
            return self.hits.entering;
        }
        for (moving, resting) in std::mem::take(&mut self.later) {
            let relation = Some(Relation::Apart);
            let known = Known { relation, most: self.most, ..Known::NOTHING };
            let found = sweep_of_pair(&moving, self.displacement, &resting, self.options, &known);
            if let (_, Some(hit)) = found {
                self.hits.keep(hit, false);
            }
        }
        self.hits.best
    }
}

/// The first hit, and the first without triangles of a surface that the mover comes to touch along
/// the way.
#[derive(Default)]
struct Hits {
    best: Option<ShapeSweepHit>,
    entering: Option<ShapeSweepHit>,
}

impl Hits {
    /// The deepest of what overlaps at the start.
    fn started(&self) -> Option<Deepest> {
        let best = self.best.as_ref().filter(|best| best.started_overlapping)?;
        Some(Deepest { distance: -best.depth, parts: (best.part_mover, best.part) })
    }

    fn keep(&mut self, hit: ShapeSweepHit, enters: bool) {
        let keep = |best: &mut Option<ShapeSweepHit>| {
            if best.is_none_or(|best| is_before(&hit, &best)) {
                *best = Some(hit);
            }
        };
        keep(&mut self.best);
        if enters {
            keep(&mut self.entering);
        }
    }
}

/// Earlier, or as early and deeper, or as deep and of parts that come first.
fn is_before(a: &ShapeSweepHit, b: &ShapeSweepHit) -> bool {
    let key = |x: &ShapeSweepHit| (x.fraction, -x.depth);
    let parts = |x: &ShapeSweepHit| (x.part_mover, x.part);
    key(a) < key(b) || (key(a) <= key(b) && parts(a) < parts(b))
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Shape;
    use impinge_shapes::glam::Vec3;

    use crate::convex::draw::Draw;
    use crate::convex::is_polytope;
    use crate::queries::{closest, relation};
    use crate::{Relation, SweepOptions, sweep};

    #[test]
    fn of_all_triangles_that_a_mover_overlaps_at_the_start_the_deepest_counts() {
        let (mut none, mut alone, mut first, mut deeper, mut off) = (0, 0, 0, 0, 0);
        for seed in 0..8_000 {
            let mut draw = Draw(seed);
            let [(ground, under), (it, at)] = draw.on_surface();
            let way = if draw.below(3) == 0 { Vec3::ZERO } else { draw.vector() * 2.0 };
            let mut all = Vec::new();
            for part in 0..50 {
                let triangle = Shape::from(match &ground {
                    Shape::TriangleMesh(mesh) => mesh.triangle(part).unwrap(),
                    Shape::HeightField(field) => field.triangle(part).unwrap(),
                    _ => unreachable!("a surface"),
                });
                if relation(&triangle, &under, &it, &at) == Relation::Penetrating {
                    let found = closest(&triangle, &under, &it, &at, f32::INFINITY).unwrap();
                    all.push((-found.distance, part));
                }
            }
            let hit = sweep(&it, &at, way, &ground, &under, &SweepOptions::default());
            let started = hit.filter(|hit| hit.started_overlapping);
            let best = all.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a });
            let Some((depth, part)) = best else {
                assert!(started.is_none(), "seed {seed}: {hit:?}");
                none += 1;
                continue;
            };
            let hit = started.unwrap_or_else(|| panic!("seed {seed}: {hit:?}, {depth} deep"));
            assert!(hit.fraction <= 0.0 && hit.distance <= 0.0, "seed {seed}: {hit:?}");
            // Asked in another order, a depth is rounded another way; that of a curved body may be told
            // too large, and is left out where a plane tells less.
            let is_curved = !it.solid().is_some_and(|it| is_polytope(&it.core));
            let error = 2.0_f32.powi(if is_curved { -18 } else { -36 });
            let near = (hit.depth - depth).abs() <= error + depth * 2.0_f32.powi(-22);
            assert!(near, "seed {seed}: {hit:?}, {depth} in {part} of {all:?}, {it:?}");
            off += usize::from(hit.part != part);
            match (all.len(), all.iter().filter(|one| one.0 >= depth).count()) {
                (1, _) => alone += 1,
                (_, 1) => deeper += 1,
                _ => first += 1,
            }
        }
        let seen = [none, alone, first, deeper];
        assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
        assert!(off < 60, "{off}");
    }
}
