//! Indices made from nothing: all boxes at once.

use std::{cell::RefCell, time::Duration};

use ::bvh::bvh::{Bvh as PeerBvh, BvhNode};
use ::obvhs::{
    BvhBuildParams,
    aabb::Aabb as WideAabb,
    cwbvh::{CwBvh, builder::build_cwbvh},
};
use impinge_broadphase::BroadPhase;
use parry3d::bounding_volume::Aabb;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};

use super::{Answers, Contender, Questions, bvh, obvhs};
use crate::convert;

/// Someone who makes an index, and can list what is in it.
struct Built<T, B, L> {
    build: B,
    list: L,
    made: Option<T>,
}

fn built<'q, T: 'q>(
    build: impl Fn() -> T + 'q,
    list: impl Fn(&T) -> Vec<u32> + 'q,
) -> Box<dyn Contender + 'q> {
    Box::new(Built { build, list, made: None })
}

impl<T, B: Fn() -> T, L: Fn(&T) -> Vec<u32>> Contender for Built<T, B, L> {
    fn ask(&mut self) {
        // That of the round before is let go of here, too.
        self.made = Some((self.build)());
    }

    fn answers(&self) -> Answers {
        let made = self.made.as_ref().expect("a round was measured");
        let mut ids: Vec<(u32, u32)> = (self.list)(made).into_iter().map(|id| (0, id)).collect();
        ids.sort_unstable();
        Answers::All(ids)
    }
}

/// `BroadPhase::set_many` and `BroadPhase::update_index`.
pub(super) fn ours(questions: &Questions) -> Box<dyn Contender + '_> {
    let boxes: Vec<_> = (0..).zip(questions.scene.aabbs()).collect();
    built(
        move || {
            let mut broad_phase = BroadPhase::new();
            broad_phase.set_many(&boxes);
            broad_phase.update_index();
            broad_phase
        },
        |made| {
            let mut ids = Vec::new();
            made.index().for_each(|id| ids.push(id));
            ids
        },
    )
}

fn parry(questions: &Questions, strategy: BvhBuildStrategy) -> Box<dyn Contender + '_> {
    let bounds: Vec<Aabb> = questions.scene.aabbs().iter().map(convert::aabb).collect();
    built(move || Bvh::from_leaves(strategy, &bounds), |made| made.leaves(|_| true).collect())
}

/// `Bvh::from_leaves`, by bins.
pub(super) fn parry_binned(questions: &Questions) -> Box<dyn Contender + '_> {
    parry(questions, BvhBuildStrategy::Binned)
}

/// `Bvh::from_leaves`, by clusters.
pub(super) fn parry_ploc(questions: &Questions) -> Box<dyn Contender + '_> {
    parry(questions, BvhBuildStrategy::Ploc)
}

fn wide(questions: &Questions, params: BvhBuildParams) -> Box<dyn Contender + '_> {
    let bounds = questions.scene.aabbs();
    let bounds: Vec<WideAabb> = bounds.iter().map(convert::wide_aabb).collect();
    built(
        move || build_cwbvh(&bounds, params, &mut Duration::default()),
        |made: &CwBvh| made.primitive_indices.clone(),
    )
}

/// `build_cwbvh` as its rays have it.
pub(super) fn obvhs_best(questions: &Questions) -> Box<dyn Contender + '_> {
    wide(questions, obvhs::BUILD)
}

/// `build_cwbvh` as fast as it goes.
pub(super) fn obvhs_fast(questions: &Questions) -> Box<dyn Contender + '_> {
    wide(questions, BvhBuildParams { max_prims_per_leaf: 1, ..BvhBuildParams::fastest_build() })
}

/// `Bvh::build`.
pub(super) fn bvh(questions: &Questions) -> Box<dyn Contender + '_> {
    let bodies = RefCell::new(bvh::placed(&questions.scene));
    let ids: Vec<u32> = (0..).take(questions.scene.bodies.len()).collect();
    built(
        move || PeerBvh::build(&mut bodies.borrow_mut()),
        move |made: &PeerBvh<f32, 3>| {
            let leaf = |node: &BvhNode<f32, 3>| match node {
                BvhNode::Leaf { shape_index, .. } => Some(ids[*shape_index]),
                BvhNode::Node { .. } => None,
            };
            made.nodes.iter().filter_map(leaf).collect()
        },
    )
}

/// `b3DynamicTree_CreateProxy` box by box, then `b3DynamicTree_Rebuild`.
#[cfg(feature = "box3d")]
pub(super) fn box3d(questions: &Questions) -> Box<dyn Contender + '_> {
    use impinge_foreign::{Bounds, box3d::Tree};

    let bounds = questions.scene.aabbs();
    let boxes: Vec<(u32, Bounds)> = (0..).zip(bounds.iter().map(convert::foreign_aabb)).collect();
    built(
        move || Tree::new(boxes.iter().copied()),
        |made| {
            let everything = Bounds { min: [f32::MIN; 3], max: [f32::MAX; 3] };
            let mut ids = Vec::new();
            made.query(everything, |id| ids.push(id));
            ids
        },
    )
}
