//! What is kept at contact points for solvers: the points as the bodies see them, and slots.

use impinge_narrowphase::{ContactPoint, Manifold};
use impinge_shapes::glam::DVec3;
use impinge_shapes::{Aabb, Pose, round};
use smallvec::SmallVec;

use crate::contacts::{Anchor, ContactRef, Slot};
use crate::page::Extras;
use crate::tolerance;

/// Anchors and slots of contact points that were just found; `old` is the contact before.
pub(crate) fn made(
    manifolds: &[Manifold],
    poses: [Pose; 2],
    old: Option<ContactRef<'_>>,
) -> Extras {
    let [a, b] = &poses;
    // From the world to the bodies.
    let (turn_a, turn_b) = (a.rotation_matrix().transpose(), b.rotation_matrix().transpose());
    let mut extras = Extras { made: poses, anchors: SmallVec::new(), slots: SmallVec::new() };
    for manifold in manifolds {
        let local_normal = round::nearest_vec(turn_a * manifold.normal.as_dvec3());
        for point in &manifold.points {
            let on_a = turn_a * (point.point_a.as_dvec3() - a.translation());
            let on_b = turn_b * (point.point_b.as_dvec3() - b.translation());
            let (local_a, local_b) = (round::nearest_vec(on_a), round::nearest_vec(on_b));
            extras.anchors.push(Anchor { local_a, local_b, local_normal });
        }
    }
    extras.slots.resize(extras.anchors.len(), Slot::default());
    if let Some(old) = old {
        carry_over(manifolds, &mut extras, &old);
    }
    extras
}

/// What a contact point is recognised by.
type Name = (u32, u32, u32);

fn name((manifold, point): (&Manifold, &ContactPoint)) -> Name {
    (manifold.part_a, manifold.part_b, point.feature.0)
}

/// Gives each new point the slot of the old point that the same features made, or else of the one
/// nearby whose features make none any more; each slot goes to one point.
fn carry_over(manifolds: &[Manifold], extras: &mut Extras, old: &ContactRef<'_>) {
    if old.slots.is_empty() {
        // The world has slots since now.
        return;
    }
    let points = manifolds.iter().flat_map(|m| m.points.iter().map(move |point| (m, point)));
    let new: SmallVec<[Name; 4]> = points.map(name).collect();
    let before: SmallVec<[Name; 4]> = old.contact.points().map(name).collect();
    let mut fresh: SmallVec<[usize; 4]> = SmallVec::new();
    let mut left: SmallVec<[usize; 4]> = SmallVec::new();
    // Both are sorted by parts and then by feature.
    let (mut i, mut k) = (0, 0);
    loop {
        match (new.get(i), before.get(k)) {
            (None, None) => break,
            (Some(name), Some(was)) if name == was => {
                extras.slots[i] = old.slots[k];
                (i, k) = (i + 1, k + 1);
            }
            (Some(name), was) if was.is_none_or(|was| name < was) => {
                fresh.push(i);
                i += 1;
            }
            _ => {
                left.push(k);
                k += 1;
            }
        }
    }
    if fresh.is_empty() || left.is_empty() {
        return;
    }
    let near = tolerance::SAME_PLACE * extent(&extras.anchors).max(extent(old.anchors));
    for i in fresh {
        let place = &extras.anchors[i];
        let of_parts = |k: &usize| (new[i].0, new[i].1) == (before[*k].0, before[*k].1);
        let mut nearest: Option<(f64, usize)> = None;
        for k in left.iter().copied().filter(of_parts) {
            let gap = gap(place, &old.anchors[k]);
            if gap <= near && nearest.is_none_or(|(best, _)| gap < best) {
                nearest = Some((gap, k));
            }
        }
        if let Some((_, k)) = nearest {
            extras.slots[i] = old.slots[k];
            left.retain(|other| *other != k);
        }
    }
}

/// Largest distance of a contact point from the first.
fn extent(anchors: &[Anchor]) -> f64 {
    let Some(first) = anchors.first() else { return 0.0 };
    let from_first =
        |anchor: &Anchor| (anchor.local_a.as_dvec3() - first.local_a.as_dvec3()).length();
    anchors.iter().map(from_first).fold(0.0, f64::max)
}

/// How far a point has moved on the body on which it moved less.
fn gap(a: &Anchor, b: &Anchor) -> f64 {
    let on_a = (a.local_a.as_dvec3() - b.local_a.as_dvec3()).length();
    on_a.min((a.local_b.as_dvec3() - b.local_b.as_dvec3()).length())
}

/// The contact as its bodies carry it along, if no point of either has moved by more than `most`
/// relative to the other since the shapes were looked at, and some point is within the margin.
///
/// - Error: distances are measured between the points that are carried along, along the normal
///   that turns with A.
pub(crate) fn recycled(
    old: ContactRef<'_>,
    made: [Pose; 2],
    poses: [&Pose; 2],
    bounds: [&Aabb; 2],
    most: f32,
    margin: f32,
) -> Option<(SmallVec<[Manifold; 1]>, Extras)> {
    let [a, b] = poses;
    // The normal turns with A, and what it measures lies up to the margin beyond the body.
    let beyond = f64::from(margin);
    let (reach_a, reach_b) = (reach(bounds[0], a) + beyond, reach(bounds[1], b) + beyond);
    // Seen from either body the other moves; the smaller one moves less.
    let moved = if reach_b <= reach_a {
        moved(&made[0], &made[1], a, b, reach_b)
    } else {
        moved(&made[1], &made[0], b, a, reach_a)
    };
    // A bound that is not a number is none.
    if moved.is_nan() || moved > f64::from(most) {
        return None;
    }
    let (turn_a, turn_b) = (a.rotation_matrix(), b.rotation_matrix());
    let mut manifolds: SmallVec<[Manifold; 1]> = old.contact.manifolds.clone();
    let mut anchors = old.anchors.iter();
    let mut is_near = false;
    for manifold in &mut manifolds {
        for point in &mut manifold.points {
            let anchor = anchors.next()?;
            let normal = turn_a * anchor.local_normal.as_dvec3();
            let on_a = turn_a * anchor.local_a.as_dvec3() + a.translation();
            let on_b = turn_b * anchor.local_b.as_dvec3() + b.translation();
            manifold.normal = round::nearest_vec(normal);
            point.point_a = round::nearest_vec(on_a);
            point.point_b = round::nearest_vec(on_b);
            point.distance = round::nearest(normal.dot(on_b - on_a));
            is_near |= point.distance <= margin;
        }
    }
    let extras = Extras { made, anchors: old.anchors.into(), slots: old.slots.into() };
    is_near.then_some((manifolds, extras))
}

/// Distance of the farthest corner of a body's bounds from its origin.
fn reach(bounds: &Aabb, pose: &Pose) -> f64 {
    let origin = pose.translation();
    let (low, high) = (bounds.min().as_dvec3() - origin, bounds.max().as_dvec3() - origin);
    low.abs().max(high.abs()).length()
}

/// How far any point within `reach` of the body's origin can have moved as seen from the frame.
fn moved(frame: &Pose, body: &Pose, frame_now: &Pose, body_now: &Pose, reach: f64) -> f64 {
    let seen = |frame: &Pose, body: &Pose| {
        let back = frame.rotation_matrix().transpose();
        (back * (body.translation() - frame.translation()), back * body.rotation_matrix())
    };
    let ((place, turn), (place_now, turn_now)) = (seen(frame, body), seen(frame_now, body_now));
    let change = turn_now - turn;
    let columns: [DVec3; 3] = [change.x_axis, change.y_axis, change.z_axis];
    // The Frobenius norm bounds the spectral one.
    let turned = columns.iter().map(|column| column.length_squared()).sum::<f64>().sqrt();
    let turned = if turned > 0.0 { turned * reach } else { 0.0 };
    (place_now - place).length() + turned
}
