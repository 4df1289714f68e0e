//! parry3d's `Bvh`, driven in the ways that its interface offers.

use impinge_testkit::scenes::Scene;
use parry3d::bounding_volume::{Aabb, BoundingVolume};
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};

use super::{Contender, Pair, Step};
use crate::convert;

/// How far `fat` grows its boxes: of 0.05, 0.1, 0.2, 0.3 and 0.4 the one with the best means at
/// shares of 1 and 10 %.
pub(super) const MARGIN: f32 = 0.3;

/// Bounds of all bodies at the start.
fn bounds_of(scene: &Scene) -> Vec<Aabb> {
    scene.aabbs().iter().map(convert::aabb).collect()
}

fn build(leaves: impl Iterator<Item = (usize, Aabb)>) -> Bvh {
    Bvh::from_iter(BvhBuildStrategy::Binned, leaves)
}

/// The tree against itself, every overlapping pair of leaves.
#[cfg(not(feature = "parallel"))]
fn self_pairs(tree: &Bvh, workspace: &mut BvhWorkspace, pairs: &mut Vec<Pair>) {
    tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push((a, b)));
}

/// The tree against itself, every overlapping pair of leaves, in parallel.
#[cfg(feature = "parallel")]
fn self_pairs(tree: &Bvh, _: &mut BvhWorkspace, pairs: &mut Vec<Pair>) {
    pairs.append(&mut tree.traverse_bvtt_single_tree_parallel::<false>());
}

/// New bounds for all nodes, which are laid out anew in the order of the traversal.
fn refit_nodes(tree: &mut Bvh, workspace: &mut BvhWorkspace) {
    #[cfg(not(feature = "parallel"))]
    tree.refit(workspace);
    #[cfg(feature = "parallel")]
    tree.refit_parallel(workspace);
}

/// One tree whose moved leaves are overwritten before all bounds are refitted.
struct Refit {
    tree: Bvh,
    workspace: BvhWorkspace,
    moved: Vec<(u32, Aabb)>,
    pairs: Vec<Pair>,
}

/// Tight leaves written in place, full refit, self-traversal.
pub(super) fn refit(scene: &Scene) -> Box<dyn Contender> {
    Box::new(Refit {
        tree: build(bounds_of(scene).into_iter().enumerate()),
        workspace: BvhWorkspace::default(),
        moved: Vec::new(),
        pairs: Vec::new(),
    })
}

impl Contender for Refit {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved_bounds().map(|(id, aabb)| (id, convert::aabb(&aabb))).collect();
    }

    fn step(&mut self) {
        for &(id, aabb) in &self.moved {
            let _ = self.tree.update_partially_if_present(aabb, id, 0.0);
        }
        refit_nodes(&mut self.tree, &mut self.workspace);
        self.pairs.clear();
        self_pairs(&self.tree, &mut self.workspace, &mut self.pairs);
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }
}

/// A new tree every step.
struct Rebuild {
    leaves: Vec<Aabb>,
    workspace: BvhWorkspace,
    pairs: Vec<Pair>,
}

/// Binned rebuild, self-traversal.
pub(super) fn rebuild(scene: &Scene) -> Box<dyn Contender> {
    let leaves = bounds_of(scene);
    Box::new(Rebuild { leaves, workspace: BvhWorkspace::default(), pairs: Vec::new() })
}

impl Contender for Rebuild {
    fn prepare(&mut self, step: &Step) {
        self.leaves = step.bounds.iter().map(convert::aabb).collect();
    }

    fn step(&mut self) {
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &self.leaves);
        self.pairs.clear();
        self_pairs(&tree, &mut self.workspace, &mut self.pairs);
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }
}

/// One tree, of which only the paths above moved leaves are refitted.
struct Partial {
    tree: Bvh,
    workspace: BvhWorkspace,
    moved: Vec<(u32, Aabb)>,
    ids: Vec<u32>,
    fixed: Vec<bool>,
    pairs: Vec<Pair>,
}

/// Tight leaves written in place, refit above them, full self-traversal.
pub(super) fn partial(scene: &Scene) -> Box<dyn Contender> {
    Box::new(Partial {
        tree: build(bounds_of(scene).into_iter().enumerate()),
        workspace: BvhWorkspace::default(),
        moved: Vec::new(),
        ids: Vec::new(),
        fixed: scene.bodies.iter().map(|body| body.fixed).collect(),
        pairs: Vec::new(),
    })
}

impl Contender for Partial {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved_bounds().map(|(id, aabb)| (id, convert::aabb(&aabb))).collect();
        self.ids = self.moved.iter().map(|&(id, _)| id).collect();
    }

    fn step(&mut self) {
        for &(id, aabb) in &self.moved {
            let _ = self.tree.update_partially_if_present(aabb, id, 0.0);
        }
        // Above a sixteenth of the leaves rapier3d, too, prefers the full refit.
        if self.ids.len() * 16 < self.tree.leaf_count() as usize {
            self.tree.refit_partial(&[], &self.ids);
        } else {
            refit_nodes(&mut self.tree, &mut self.workspace);
        }
        self.pairs.clear();
        self_pairs(&self.tree, &mut self.workspace, &mut self.pairs);
        let fixed = &self.fixed;
        self.pairs.retain(|&(a, b)| !(fixed[a as usize] && fixed[b as usize]));
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }
}

/// One tree with fat leaves for the moving bodies, and their pairs kept from step to step.
///
/// Pairs between resting bodies are found once and stay at the head of the list. Those of the
/// fat boxes are kept apart; each step those with a body that left its fat box are replaced, and
/// all are filtered by the tight boxes into the tail of the list.
struct Fat {
    tree: Bvh,
    workspace: BvhWorkspace,
    tight: Vec<Aabb>,
    moved: Vec<(u32, Aabb)>,
    /// Bodies whose leaf was rewritten in this step and in the last one, and their flags.
    changed: Vec<u32>,
    changed_before: Vec<u32>,
    is_changed: Vec<bool>,
    fat_pairs: Vec<Pair>,
    resting: usize,
    pairs: Vec<Pair>,
}

/// Fat leaves, refit above those that changed, traversal of the changed, pairs kept.
pub(super) fn fat(scene: &Scene) -> Box<dyn Contender> {
    let tight = bounds_of(scene);
    let moving: Vec<bool> = scene.bodies.iter().map(|body| body.moving).collect();
    let leaf =
        |(id, aabb): (usize, &Aabb)| (id, if moving[id] { aabb.loosened(MARGIN) } else { *aabb });
    let mut tree = build(tight.iter().enumerate().map(leaf));
    let mut workspace = BvhWorkspace::default();
    tree.refit(&mut workspace);
    let mut all = Vec::new();
    self_pairs(&tree, &mut workspace, &mut all);
    all.retain(|&(a, b)| scene.meet(a, b));
    let rests = |&(a, b): &Pair| !moving[a as usize] && !moving[b as usize];
    let (pairs, fat_pairs): (Vec<Pair>, Vec<Pair>) = all.into_iter().partition(rests);
    Box::new(Fat {
        tree,
        workspace,
        moved: Vec::new(),
        changed: Vec::new(),
        changed_before: Vec::new(),
        is_changed: vec![false; tight.len()],
        fat_pairs,
        resting: pairs.len(),
        pairs,
        tight,
    })
}

impl Contender for Fat {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved_bounds().map(|(id, aabb)| (id, convert::aabb(&aabb))).collect();
    }

    fn step(&mut self) {
        std::mem::swap(&mut self.changed, &mut self.changed_before);
        for id in self.changed.drain(..) {
            self.is_changed[id as usize] = false;
        }
        for id in &self.changed_before {
            self.is_changed[*id as usize] = false;
        }
        for &(id, aabb) in &self.moved {
            self.tight[id as usize] = aabb;
            let status = self.tree.update_partially_if_present(aabb, id, MARGIN);
            if status == Some(BvhLeafUpdateStatus::UpdatedInPlace) {
                self.changed.push(id);
                self.is_changed[id as usize] = true;
            }
        }
        if (self.changed.len() + self.changed_before.len()) * 16 < self.tight.len() {
            self.tree.refit_partial(&self.changed_before, &self.changed);
        } else {
            refit_nodes(&mut self.tree, &mut self.workspace);
        }
        if !self.changed.is_empty() {
            let is_changed = &self.is_changed;
            self.fat_pairs.retain(|&(a, b)| !is_changed[a as usize] && !is_changed[b as usize]);
            let fat_pairs = &mut self.fat_pairs;
            self.tree.traverse_bvtt_single_tree::<true>(&mut self.workspace, &mut |a, b| {
                fat_pairs.push((a, b));
            });
        }
        self.pairs.truncate(self.resting);
        let tight = &self.tight;
        let touch = |&&(a, b): &&Pair| tight[a as usize].intersects(&tight[b as usize]);
        self.pairs.extend(self.fat_pairs.iter().filter(touch));
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }

    fn uneven(&self) -> bool {
        true
    }
}

/// A tree of the moving bodies, refitted, and one of the resting bodies, built once.
///
/// Pairs between resting bodies stay at the head of the list; the others are found each step.
pub(crate) struct TwoTrees {
    moving: Bvh,
    resting: Bvh,
    workspace: BvhWorkspace,
    moved: Vec<(u32, Aabb)>,
    /// How many pairs of resting bodies lead the list.
    pub(crate) kept: usize,
    /// All pairs.
    pub(crate) pairs: Vec<Pair>,
}

/// Tree of the moving bodies refitted and traversed, each of its leaves against the resting tree.
pub(super) fn two_trees(scene: &Scene) -> Box<dyn Contender> {
    Box::new(TwoTrees::new(scene))
}

impl TwoTrees {
    pub(crate) fn new(scene: &Scene) -> Self {
        let tight = bounds_of(scene);
        let side = |moves: bool| {
            let leaves = tight.iter().copied().enumerate();
            build(leaves.filter(|&(id, _)| scene.bodies[id].moving == moves))
        };
        let (moving, resting) = (side(true), side(false));
        let mut workspace = BvhWorkspace::default();
        let mut pairs = Vec::new();
        self_pairs(&resting, &mut workspace, &mut pairs);
        pairs.retain(|&(a, b)| scene.meet(a, b));
        Self { moving, resting, workspace, moved: Vec::new(), kept: pairs.len(), pairs }
    }

    /// The pairs after these bodies moved.
    pub(crate) fn step(&mut self, moved: &[(u32, Aabb)]) {
        self.pairs.truncate(self.kept);
        for &(id, aabb) in moved {
            let _ = self.moving.update_partially_if_present(aabb, id, 0.0);
        }
        refit_nodes(&mut self.moving, &mut self.workspace);
        self_pairs(&self.moving, &mut self.workspace, &mut self.pairs);
        if !self.resting.is_empty() {
            for (id, aabb) in moved {
                self.pairs.extend(self.resting.intersect_aabb(aabb).map(|other| (*id, other)));
            }
        }
    }
}

impl Contender for TwoTrees {
    fn prepare(&mut self, step: &Step) {
        self.moved = step.moved_bounds().map(|(id, aabb)| (id, convert::aabb(&aabb))).collect();
    }

    fn step(&mut self) {
        let moved = std::mem::take(&mut self.moved);
        Self::step(self, &moved);
        self.moved = moved;
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }
}
