//! Box3D's dynamic trees, used as its broad phase uses them.

use impinge_foreign::Bounds;
use impinge_foreign::box3d::Tree;
use impinge_testkit::scenes::Scene;

use super::{Contender, Pair, Step, parry::MARGIN};
use crate::convert;

/// A tree of fat boxes of the moving bodies and one of the resting bodies.
///
/// The lists are those of `parry3d fat`: pairs of resting bodies stay at the head; those of the
/// fat boxes are kept apart, replaced where a body left its box, and filtered by the tight boxes.
struct Fat {
    moving: Tree,
    resting: Tree,
    /// Place of a body in the tree of the moving ones.
    places: Vec<usize>,
    tight: Vec<Bounds>,
    fat: Vec<Bounds>,
    moved: Vec<(u32, Bounds)>,
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    fat_pairs: Vec<Pair>,
    kept: usize,
    pairs: Vec<Pair>,
}

fn grown(bounds: Bounds) -> Bounds {
    Bounds { min: bounds.min.map(|at| at - MARGIN), max: bounds.max.map(|at| at + MARGIN) }
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|axis| a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
}

fn contains(outer: &Bounds, inner: &Bounds) -> bool {
    (0..3).all(|axis| outer.min[axis] <= inner.min[axis] && inner.max[axis] <= outer.max[axis])
}

/// Fat leaves enlarged in place, `b3DynamicTree_Query` for each body that left its leaf,
/// `b3DynamicTree_Rebuild` of what grew.
pub(super) fn fat(scene: &Scene) -> Box<dyn Contender> {
    let tight: Vec<Bounds> = scene.aabbs().iter().map(convert::foreign_aabb).collect();
    let moves = |id: u32| scene.bodies[id as usize].moving;
    let (moving, resting): (Vec<u32>, Vec<u32>) =
        (0..tight.len() as u32).partition(|&id| moves(id));
    let mut fat = tight.clone();
    let mut places = vec![usize::MAX; tight.len()];
    for (place, &id) in moving.iter().enumerate() {
        fat[id as usize] = grown(tight[id as usize]);
        places[id as usize] = place;
    }
    let tree = |ids: &[u32]| Tree::new(ids.iter().map(|&id| (id, fat[id as usize])));
    let (moving_tree, resting_tree) = (tree(&moving), tree(&resting));
    let mut pairs = Vec::new();
    for &id in &resting {
        resting_tree.query(tight[id as usize], |other| {
            pairs.extend((id < other && scene.meet(id, other)).then_some((id, other)));
        });
    }
    let mut contender = Fat {
        moving: moving_tree,
        resting: resting_tree,
        places,
        moved: Vec::new(),
        changed: moving,
        is_changed: vec![false; tight.len()],
        fat_pairs: Vec::new(),
        kept: pairs.len(),
        pairs,
        tight,
        fat,
    };
    contender.search();
    Box::new(contender)
}

impl Fat {
    /// Replaces the pairs of the bodies whose boxes changed.
    fn search(&mut self) {
        let Self { moving, resting, fat, changed, is_changed, fat_pairs, .. } = self;
        for &id in &*changed {
            is_changed[id as usize] = true;
        }
        fat_pairs.retain(|&(a, b)| !is_changed[a as usize] && !is_changed[b as usize]);
        for &id in &*changed {
            let bounds = fat[id as usize];
            moving.query(bounds, |other| {
                // Of two that changed, the one with the smaller id finds the pair.
                if other > id || (other < id && !is_changed[other as usize]) {
                    fat_pairs.push((id, other));
                }
            });
            resting.query(bounds, |other| fat_pairs.push((id, other)));
        }
        for id in changed.drain(..) {
            is_changed[id as usize] = false;
        }
    }
}

impl Contender for Fat {
    fn prepare(&mut self, step: &Step) {
        let bounds = step.moved_bounds();
        self.moved = bounds.map(|(id, aabb)| (id, convert::foreign_aabb(&aabb))).collect();
    }

    fn step(&mut self) {
        for &(id, bounds) in &self.moved {
            let body = id as usize;
            self.tight[body] = bounds;
            if !contains(&self.fat[body], &bounds) {
                self.fat[body] = grown(bounds);
                self.moving.enlarge(self.places[body], self.fat[body]);
                self.changed.push(id);
            }
        }
        if !self.changed.is_empty() {
            // In this order its world does it, too.
            self.search();
            self.moving.rebuild(false);
        }
        self.pairs.truncate(self.kept);
        let tight = &self.tight;
        let touch = |&&(a, b): &&Pair| overlap(&tight[a as usize], &tight[b as usize]);
        self.pairs.extend(self.fat_pairs.iter().filter(touch));
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }

    fn uneven(&self) -> bool {
        true
    }
}
