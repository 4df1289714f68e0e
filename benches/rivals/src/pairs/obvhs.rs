//! obvhs's binary tree. It has no search of a tree against itself; the one here is ours.

use impinge_testkit::scenes::Scene;
use obvhs::{
    aabb::Aabb,
    bvh2::{Bvh2, reinsertion::ReinsertionOptimizer},
    ploc::{PlocBuilder, PlocSearchDistance, SortPrecision},
};

use super::{Contender, Pair, Step, parry::MARGIN};
use crate::convert;

/// Bounds of all bodies at the start.
fn bounds_of(scene: &Scene) -> Vec<Aabb> {
    scene.aabbs().iter().map(convert::wide_aabb).collect()
}

/// The bodies that moved and their bounds.
fn moved_in(step: &Step) -> Vec<(u32, Aabb)> {
    step.moved_bounds().map(|(id, aabb)| (id, convert::wide_aabb(&aabb))).collect()
}

/// A good tree, one body in each leaf, made to be refitted.
///
/// As the list of primitives is in order, and leaves are never merged, a leaf names its body.
fn good(bounds: &[Aabb]) -> Bvh2 {
    let ids = (0..bounds.len() as u32).collect();
    let (distance, precision) = (PlocSearchDistance::Medium, SortPrecision::U128);
    let mut tree = PlocBuilder::new().build(distance, bounds, ids, precision, 1);
    ReinsertionOptimizer::default().run(&mut tree, 1.0, None);
    // Parents before children, which a quick refit asks for.
    tree.reorder_in_stack_traversal_order();
    tree.init_parents_if_uninit();
    tree.init_primitives_to_nodes_if_uninit();
    tree
}

/// Overwrites the bounds of moved leaves, not of the nodes above them.
fn overwrite(tree: &mut Bvh2, moved: &[(u32, Aabb)]) {
    for &(id, aabb) in moved {
        let leaf = tree.primitives_to_nodes[id as usize];
        tree.nodes[leaf as usize].set_aabb(aabb);
    }
}

/// Every pair of overlapping leaves: each has one lowest node above both, at which the two sides
/// are searched against each other.
fn self_pairs(tree: &Bvh2, stack: &mut Vec<(u32, u32)>, pairs: &mut Vec<Pair>) {
    let nodes = tree.nodes.as_slice();
    let overlap =
        |&(a, b): &(u32, u32)| nodes[a as usize].aabb().intersect_aabb(nodes[b as usize].aabb());
    for node in nodes.iter().filter(|node| !node.is_leaf()) {
        let sides = (node.first_index, node.first_index + 1);
        stack.extend(Some(sides).filter(overlap));
        while let Some((a, b)) = stack.pop() {
            let (one, other) = (&nodes[a as usize], &nodes[b as usize]);
            let (l, m) = (one.first_index, other.first_index);
            match (one.is_leaf(), other.is_leaf()) {
                (true, true) => pairs.push((l, m)),
                (true, false) => stack.extend([(a, m), (a, m + 1)].into_iter().filter(overlap)),
                (false, true) => stack.extend([(l, b), (l + 1, b)].into_iter().filter(overlap)),
                (false, false) => {
                    let sides = [(l, m), (l, m + 1), (l + 1, m), (l + 1, m + 1)];
                    stack.extend(sides.into_iter().filter(overlap));
                }
            }
        }
    }
}

/// One tree whose moved leaves are overwritten before all bounds are refitted.
struct Refit {
    tree: Bvh2,
    moved: Vec<(u32, Aabb)>,
    stack: Vec<(u32, u32)>,
    pairs: Vec<Pair>,
}

/// Leaves written in place, `Bvh2::refit_all`, self-traversal.
pub(super) fn refit(scene: &Scene) -> Box<dyn Contender> {
    let tree = good(&bounds_of(scene));
    Box::new(Refit { tree, moved: Vec::new(), stack: Vec::new(), pairs: Vec::new() })
}

impl Contender for Refit {
    fn prepare(&mut self, step: &Step) {
        self.moved = moved_in(step);
    }

    fn step(&mut self) {
        overwrite(&mut self.tree, &self.moved);
        self.tree.refit_all();
        self.pairs.clear();
        self_pairs(&self.tree, &mut self.stack, &mut self.pairs);
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }
}

/// A new tree every step.
struct Rebuild {
    builder: PlocBuilder,
    tree: Bvh2,
    bounds: Vec<Aabb>,
    stack: Vec<(u32, u32)>,
    pairs: Vec<Pair>,
}

/// `PlocBuilder::build_with_bvh`, its fastest, self-traversal.
pub(super) fn rebuild(scene: &Scene) -> Box<dyn Contender> {
    let bounds = bounds_of(scene);
    Box::new(Rebuild {
        builder: PlocBuilder::with_capacity(bounds.len()),
        tree: Bvh2::zeroed(bounds.len()),
        bounds,
        stack: Vec::new(),
        pairs: Vec::new(),
    })
}

impl Contender for Rebuild {
    fn prepare(&mut self, step: &Step) {
        self.bounds = step.bounds.iter().map(convert::wide_aabb).collect();
    }

    fn step(&mut self) {
        let mut ids = std::mem::take(&mut self.tree.primitive_indices);
        ids.clear();
        ids.extend(0..self.bounds.len() as u32);
        let (distance, precision) = (PlocSearchDistance::Minimum, SortPrecision::U64);
        self.builder.build_with_bvh(&mut self.tree, distance, &self.bounds, ids, precision, 0);
        self.pairs.clear();
        self_pairs(&self.tree, &mut self.stack, &mut self.pairs);
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }
}

/// One tree that each moved body is searched in.
///
/// Pairs of resting bodies are found once and stay at the head of the list.
struct Partial {
    tree: Bvh2,
    moving: Vec<bool>,
    moved: Vec<(u32, Aabb)>,
    kept: usize,
    pairs: Vec<Pair>,
}

/// Moved leaves resized with `Bvh2::resize_node`, or all refitted; `Bvh2::aabb_traverse` for each.
pub(super) fn partial(scene: &Scene) -> Box<dyn Contender> {
    let tree = good(&bounds_of(scene));
    let moving: Vec<bool> = scene.bodies.iter().map(|body| body.moving).collect();
    let (mut stack, mut pairs) = (Vec::new(), Vec::new());
    self_pairs(&tree, &mut stack, &mut pairs);
    let rests = |(a, b): Pair| !moving[a as usize] && !moving[b as usize];
    pairs.retain(|&(a, b)| rests((a, b)) && scene.meet(a, b));
    Box::new(Partial { tree, moving, moved: Vec::new(), kept: pairs.len(), pairs })
}

impl Contender for Partial {
    fn prepare(&mut self, step: &Step) {
        self.moved = moved_in(step);
    }

    fn step(&mut self) {
        let Self { tree, moving, moved, pairs, .. } = self;
        // The same limit as parry3d's partial refit has here.
        if moved.len() * 16 < moving.len() {
            for &(id, aabb) in &*moved {
                tree.resize_node(tree.primitives_to_nodes[id as usize] as usize, aabb);
            }
        } else {
            overwrite(tree, moved);
            tree.refit_all();
        }
        pairs.truncate(self.kept);
        for &(id, aabb) in &*moved {
            tree.aabb_traverse(aabb, |tree, leaf| {
                let other = tree.nodes[leaf as usize].first_index;
                if id < other || !moving[other as usize] {
                    pairs.push((id, other));
                }
                true
            });
        }
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }
}

/// One tree with fat leaves for the moving bodies, and their pairs kept from step to step, with
/// the lists of parry3d's contender of that name.
struct Fat {
    tree: Bvh2,
    tight: Vec<Aabb>,
    moved: Vec<(u32, Aabb)>,
    /// Bodies that left their leaf in this step, the leaf, and their flags.
    changed: Vec<(u32, Aabb)>,
    is_changed: Vec<bool>,
    fat_pairs: Vec<Pair>,
    resting: usize,
    pairs: Vec<Pair>,
}

/// Bounds grown on all sides.
fn grown(aabb: &Aabb) -> Aabb {
    Aabb::new(aabb.min - MARGIN, aabb.max + MARGIN)
}

/// Fat leaves, `Bvh2::resize_node` or a full refit, `Bvh2::aabb_traverse` for those that changed.
pub(super) fn fat(scene: &Scene) -> Box<dyn Contender> {
    let tight = bounds_of(scene);
    let moving: Vec<bool> = scene.bodies.iter().map(|body| body.moving).collect();
    let leaf = |(aabb, &moves): (&Aabb, &bool)| if moves { grown(aabb) } else { *aabb };
    let leaves: Vec<Aabb> = tight.iter().zip(&moving).map(leaf).collect();
    let tree = good(&leaves);
    let mut all = Vec::new();
    self_pairs(&tree, &mut Vec::new(), &mut all);
    all.retain(|&(a, b)| scene.meet(a, b));
    let rests = |&(a, b): &Pair| !moving[a as usize] && !moving[b as usize];
    let (pairs, fat_pairs): (Vec<Pair>, Vec<Pair>) = all.into_iter().partition(rests);
    Box::new(Fat {
        tree,
        moved: Vec::new(),
        changed: Vec::new(),
        is_changed: vec![false; tight.len()],
        fat_pairs,
        resting: pairs.len(),
        pairs,
        tight,
    })
}

impl Contender for Fat {
    fn prepare(&mut self, step: &Step) {
        self.moved = moved_in(step);
    }

    fn step(&mut self) {
        let Self { tree, tight, changed, is_changed, fat_pairs, pairs, .. } = self;
        for (id, _) in changed.drain(..) {
            is_changed[id as usize] = false;
        }
        for &(id, aabb) in &self.moved {
            tight[id as usize] = aabb;
            let leaf = tree.nodes[tree.primitives_to_nodes[id as usize] as usize].aabb();
            if (leaf.min.cmpgt(aabb.min) | leaf.max.cmplt(aabb.max)).any() {
                changed.push((id, grown(&aabb)));
                is_changed[id as usize] = true;
            }
        }
        if changed.len() * 16 < tight.len() {
            for &(id, aabb) in &*changed {
                tree.resize_node(tree.primitives_to_nodes[id as usize] as usize, aabb);
            }
        } else {
            overwrite(tree, changed);
            tree.refit_all();
        }
        if !changed.is_empty() {
            fat_pairs.retain(|&(a, b)| !is_changed[a as usize] && !is_changed[b as usize]);
        }
        for &(id, aabb) in &*changed {
            tree.aabb_traverse(aabb, |tree, leaf| {
                let other = tree.nodes[leaf as usize].first_index;
                if id < other || !is_changed[other as usize] {
                    fat_pairs.push((id, other));
                }
                true
            });
        }
        pairs.truncate(self.resting);
        let touch = |&&(a, b): &&Pair| tight[a as usize].intersect_aabb(&tight[b as usize]);
        pairs.extend(fat_pairs.iter().filter(touch));
    }

    fn pairs(&mut self) -> Vec<Pair> {
        self.pairs.clone()
    }

    fn uneven(&self) -> bool {
        true
    }
}
