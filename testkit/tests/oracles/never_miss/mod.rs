//! Three million questions to small worlds against the exact narrow phase, asked about every body:
//! nothing is missed, and nothing is told that is not there.

mod brute;
mod draw;
mod scene;

use std::collections::BTreeMap;
use std::fmt::Debug;

use draw::Aim;
use impinge_testkit::{
    check::{case_factor, expect_same},
    hash::mix,
    naive,
    rng::Rng,
};
use impinge_world::Hits;
use rayon::prelude::*;
use scene::{Placed, Scene, Sort};

/// Questions of each sort; the sum is what the file promises.
const RAYS: usize = 1_800_000;
const SWEEPS: usize = 540_000;
const OVERLAPS: usize = 480_000;
const BOXES: usize = 240_000;
const _: () = assert!(RAYS + SWEEPS + OVERLAPS + BOXES >= 3_000_000);

/// How often questions of a sort of world and aim found nothing, and how often something.
#[derive(Default)]
struct Tally(BTreeMap<(Sort, Aim), [usize; 2]>);

impl Tally {
    fn count(&mut self, sort: Sort, aim: Aim, found: bool) {
        self.0.entry((sort, aim)).or_default()[usize::from(found)] += 1;
    }

    fn add(mut self, other: Self) -> Self {
        for (key, counts) in other.0 {
            let sum = self.0.entry(key).or_default();
            (sum[0], sum[1]) = (sum[0] + counts[0], sum[1] + counts[1]);
        }
        self
    }

    /// Demands that so many were asked, and that each sort and aim both missed and hit.
    fn assert_asked(&self, count: usize) {
        let total: usize = self.0.values().flatten().sum();
        assert!(total >= count, "{total} of {count}");
        assert_eq!(self.0.len(), Sort::ALL.len() * Aim::ALL.len());
        for (key, [nothing, something]) in &self.0 {
            assert!(*nothing.min(something) > 100, "{key:?}: {nothing} nothing, {something} hits");
        }
    }
}

/// Asks worlds of all sorts in parallel, so many questions of each aim in each, at least `count`
/// in all.
fn ask(
    seed: u64,
    count: usize,
    of_each_aim: usize,
    round_sides: bool,
    questions: impl Fn(&mut Scene, &mut Asker<'_>) -> Result<(), String> + Sync,
) {
    let in_world = of_each_aim * Aim::ALL.len();
    let worlds = (count.div_ceil(in_world) as u64).max(1) * case_factor();
    let tally = (0..worlds)
        .into_par_iter()
        .map(|number| {
            let mut rng = Rng::new(mix(seed).wrapping_add(mix(number)));
            let sort = Sort::ALL[usize::try_from(number % 5).unwrap_or(0)];
            let mut scene = Scene::draw(sort, round_sides, &mut rng);
            let mut tally = Tally::default();
            for aim in Aim::ALL {
                let (rng, tally) = (&mut rng, &mut tally);
                let mut asker = Asker { aim, count: of_each_aim, rng, tally };
                if let Err(message) = questions(&mut scene, &mut asker) {
                    panic!("seed {seed:#x}, world {number} ({sort:?}), {aim:?}: {message}");
                }
            }
            tally
        })
        .reduce(Tally::default, Tally::add);
    tally.assert_asked(count);
}

/// Draws the questions of one aim to one world, and counts the answers.
struct Asker<'a> {
    aim: Aim,
    count: usize,
    rng: &'a mut Rng,
    tally: &'a mut Tally,
}

impl Asker<'_> {
    /// So many questions; those that cannot be made are drawn again.
    fn draw<Q>(&mut self, mut draw: impl FnMut(Aim, &mut Rng) -> Option<Q>) -> Vec<Q> {
        let made = std::iter::repeat_with(|| draw(self.aim, self.rng)).take(100 * self.count);
        let made: Vec<Q> = made.flatten().take(self.count).collect();
        assert_eq!(made.len(), self.count, "too few questions can be made");
        made
    }

    /// Compares the list, the first and whether there is any with what a loop over all bodies
    /// found.
    fn check<T: PartialEq + Copy + Debug>(
        &mut self,
        scene: &Scene,
        expected: &[T],
        (all, first, any): (&[T], Option<T>, bool),
        question: &impl Debug,
    ) -> Result<(), String> {
        expect_same(all, expected, question)?;
        expect_same(first, expected.first().copied(), question)?;
        expect_same(any, !expected.is_empty(), question)?;
        self.tally.count(scene.sort, self.aim, any);
        Ok(())
    }
}

#[test]
fn rays_never_miss() {
    ask(0x4a75, RAYS, 500, true, |scene, asker| {
        let rays = asker.draw(|aim, rng| draw::ray(aim, scene, rng));
        let queries = scene.world.view().ok_or("the index is not current")?;
        let (mut first, mut any, mut all) = (Vec::new(), Vec::new(), Hits::new());
        queries.raycast_batch(&rays, &mut first);
        queries.raycast_any_batch(&rays, &mut any);
        queries.raycast_all_batch(&rays, &mut all);
        for (number, ray) in rays.iter().enumerate() {
            let expected = naive::ray_hits(scene.bodies.iter().map(Placed::parts), ray);
            asker.check(scene, &expected, (&all[number], first[number], any[number]), ray)?;
        }
        Ok(())
    });
}

#[test]
fn sweeps_never_miss() {
    ask(0x53ee, SWEEPS, 150, false, |scene, asker| {
        let probes = draw::probes(scene, asker.rng);
        let sweeps = asker.draw(|aim, rng| draw::sweep(aim, scene, &probes, rng));
        let queries = scene.world.view().ok_or("the index is not current")?;
        let (mut first, mut any, mut all) = (Vec::new(), Vec::new(), Hits::new());
        queries.sweep_batch(&sweeps, &mut first);
        queries.sweep_any_batch(&sweeps, &mut any);
        queries.sweep_all_batch(&sweeps, &mut all);
        for (number, sweep) in sweeps.iter().enumerate() {
            let expected = naive::sweep_hits(scene.bodies.iter().map(Placed::parts), sweep);
            asker.check(scene, &expected, (&all[number], first[number], any[number]), sweep)?;
        }
        Ok(())
    });
}

#[test]
fn overlaps_never_miss() {
    ask(0x07e4, OVERLAPS, 400, false, |scene, asker| {
        let probes = draw::probes(scene, asker.rng);
        let overlaps = asker.draw(|aim, rng| draw::overlap(aim, scene, &probes, rng));
        let queries = scene.world.view().ok_or("the index is not current")?;
        let (mut any, mut all) = (Vec::new(), Hits::new());
        queries.overlap_any_batch(&overlaps, &mut any);
        queries.overlap_batch(&overlaps, &mut all);
        for (number, overlap) in overlaps.iter().enumerate() {
            let expected = brute::overlaps(&scene.bodies, overlap.shape, &overlap.pose);
            let first = expected.first().copied();
            asker.check(scene, &expected, (&all[number], first, any[number]), overlap)?;
        }
        Ok(())
    });
}

#[test]
fn boxes_never_miss() {
    ask(0xb0c5, BOXES, 400, false, |scene, asker| {
        let probes = draw::probes(scene, asker.rng);
        let boxes = asker.draw(|aim, rng| draw::aabb(aim, scene, &probes, rng));
        let queries = scene.world.view().ok_or("the index is not current")?;
        let mut all = Hits::new();
        queries.overlap_aabb_batch(&boxes, &mut all);
        for (found, query) in all.iter().zip(&boxes) {
            // The largest cuboid with an f32 centre in the box is within it, that around it is
            // what may be found at most; mostly both are the box.
            let [inner, outer] = brute::cuboids(&query.bounds);
            let least = brute::overlaps(&scene.bodies, &inner.0, &inner.1);
            if let Some(missed) = least.iter().find(|id| !found.contains(id)) {
                return Err(format!("missed {missed:?}: {query:?}"));
            }
            if found.len() > least.len() {
                let most = brute::overlaps(&scene.bodies, &outer.0, &outer.1);
                if let Some(beyond) = found.iter().find(|id| !most.contains(id)) {
                    return Err(format!("{beyond:?} is not there: {query:?}"));
                }
            }
            expect_same(found.is_sorted(), true, query)?;
            asker.tally.count(scene.sort, asker.aim, !found.is_empty());
        }
        Ok(())
    });
}
