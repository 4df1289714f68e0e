//! Contact manifolds, with the solver's numbers carried over by feature.

use impinge_narrowphase::{Manifold, manifolds};
use impinge_shapes::Pose;
use parry3d::math::Pose as PeerPose;
use parry3d::query::{ContactManifold, TrackedContact, TypedWorkspaceData, WorkspaceData};
use parry3d::shape::{PackedFeatureId, Shape as PeerShape};

use crate::Placed;

/// Bits of a feature that fit the id that a rapier contact has for one of its two shapes.
const HALF: u32 = 16;

/// Tells rapier that the list of a pair's manifolds changes from step to step; nothing is kept in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfParts;

impl WorkspaceData for OfParts {
    fn as_typed_workspace_data(&self) -> TypedWorkspaceData<'_> {
        TypedWorkspaceData::Custom
    }

    fn clone_dyn(&self) -> Box<dyn WorkspaceData> {
        Box::new(*self)
    }
}

/// The points of one manifold, in the frames of both shapes.
fn fill<M, C: Default + Copy>(
    target: &mut ContactManifold<M, C>,
    found: &Manifold,
    pos12: &PeerPose,
) {
    let normal = found.normal;
    target.local_n1 = normal;
    target.local_n2 = pos12.rotation.inverse() * -normal;
    target.subshape1 = found.part_a;
    target.subshape2 = found.part_b;
    let old = std::mem::take(&mut target.points);
    target.points.extend(found.points.iter().map(|point| {
        let feature = point.feature.0;
        TrackedContact::new(
            point.point_a,
            pos12.inverse_transform_point(point.point_b),
            // Together the two are the one id that impinge gives.
            PackedFeatureId(feature >> HALF),
            PackedFeatureId(feature & ((1 << HALF) - 1)),
            point.distance,
        )
    }));
    target.match_contacts(&old);
}

/// Writes the manifolds of a pair over those of the last step; what the solver keeps stays with
/// the same parts and features.
///
/// Two simple shapes have one manifold, without points where they are apart: rapier's solver refers
/// to it by its place, and only looks for others where a shape is composite.
pub(crate) fn find<M: Default + Clone, C: Default + Copy>(
    pair: &Placed,
    pos12: &PeerPose,
    prediction: f32,
    is_composite: bool,
    list: &mut Vec<ContactManifold<M, C>>,
) {
    let found = manifolds(&pair.a, &Pose::IDENTITY, &pair.b, &pair.b_in_a, prediction);
    if !is_composite {
        list.resize_with(1, ContactManifold::default);
        match (&mut list[..], found.first()) {
            ([only], Some(found)) => fill(only, found, pos12),
            (all, _) => all.iter_mut().for_each(ContactManifold::clear),
        }
        return;
    }
    // Both lists are sorted by parts, but parry's may come from elsewhere at first.
    let mut old = std::mem::take(list);
    for manifold in &found {
        let same = |other: &ContactManifold<M, C>| {
            (other.subshape1, other.subshape2) == (manifold.part_a, manifold.part_b)
        };
        let mut target = match old.iter().position(same) {
            Some(place) => old.swap_remove(place),
            None => ContactManifold::default(),
        };
        fill(&mut target, manifold, pos12);
        list.push(target);
    }
}

/// Whether the contacts of a pair of simple shapes could be kept, their distances measured anew.
///
/// A pair without contacts is looked at each time.
pub(crate) fn are_reused<M, C: Default + Copy>(
    pos12: &PeerPose,
    g1: &dyn PeerShape,
    g2: &dyn PeerShape,
    list: &mut [ContactManifold<M, C>],
) -> bool {
    let is_simple = |shape: &dyn PeerShape| {
        shape.as_composite_shape().is_none() && shape.as_halfspace().is_none()
    };
    match list {
        [manifold] if is_simple(g1) && is_simple(g2) => manifold.try_update_contacts(pos12),
        _ => false,
    }
}
