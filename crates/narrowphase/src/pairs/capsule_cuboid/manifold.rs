//! Contact manifold of a capsule and a box.

use impinge_shapes::glam::DVec3;
use impinge_shapes::{Capsule, Cuboid};
use smallvec::SmallVec;

use super::core::Core;
use super::{Contact, contact, settle};
use crate::{FeatureId, Patch, PatchPoint, Relative, Separation, tolerance};

/// Contact points of a capsule and a box that are no farther apart than `margin`: two where the
/// segment runs along a face or an edge, one elsewhere.
///
/// - Normal: of [`closest`](super::closest).
/// - Error: for a margin of zero, `None` exactly when the two are apart.
#[must_use]
pub fn manifold(a: &Capsule, b: &Cuboid, b_in_a: &Relative, margin: f64) -> Option<Patch> {
    let core = Core::new(a, b, b_in_a);
    let nearest = core.nearest();
    let relation = settle(a, b, b_in_a, &core, &nearest);
    let contact = contact(&core, &nearest, relation);
    if contact.distance > margin {
        return None;
    }
    let name = feature(&contact) << 1;
    let mut points: SmallVec<[PatchPoint; 4]> = SmallVec::new();
    let deepest_end = u32::from(contact.share > 0.5);
    if let Some(ends) = side_points(&core, &contact) {
        let level = contact.distance + 16.0 * tolerance::TIE * core.size;
        let parallel = ends.iter().all(|(_, height)| *height <= level);
        for (k, (surface, height)) in (0..).zip(ends) {
            // Of a capsule that slopes the lower end is the contact itself.
            let distance = if parallel { contact.distance } else { height };
            if distance <= margin && (parallel || k != deepest_end) {
                points.push(point(&contact.at_surface(surface, distance, b_in_a), name | k));
            }
        }
    }
    if points.len() < 2 {
        points.retain(|point| point.distance > contact.distance);
        points.push(point(&contact.separation(&core, b_in_a), name | deepest_end));
    }
    points.sort_unstable_by_key(|point| point.feature);
    Some(Patch { normal: *b_in_a.rotation() * contact.normal, points })
}

fn point(separation: &Separation, name: u32) -> PatchPoint {
    PatchPoint {
        point_a: separation.point_a,
        point_b: separation.point_b,
        distance: separation.distance,
        feature: FeatureId(name),
    }
}

/// The box's corner, edge or face that the normal comes from: base 3, each axis zero, positive or
/// negative.
fn feature(contact: &Contact) -> u32 {
    let normal = contact.normal.to_array();
    normal.iter().fold(0, |name, &n| {
        let side = if is_zero(n) {
            0
        } else if n > 0.0 {
            1
        } else {
            2
        };
        name * 3 + side
    })
}

fn is_zero(component: f64) -> bool {
    component.abs() <= tolerance::SAME_POINT
}

/// The two ends of the line on the capsule's side that runs along the feature of the box which the
/// normal names, each with its height over that feature; `None` where there is no such line.
fn side_points(core: &Core, contact: &Contact) -> Option<[(DVec3, f64); 2]> {
    let along = core.along.try_normalize()?;
    let normal = contact.normal;
    let side = (normal - along * normal.dot(along)).try_normalize()?;
    let line = core.moved(side * core.radius);
    let across: SmallVec<[usize; 3]> = (0..3).filter(|&i| is_zero(normal[i])).collect();
    let off_edge = |i: usize| (along - DVec3::AXES[i] * along[i]).length();
    let runs_along = match across.len() {
        // Over a face any slope will do: the higher end counts if the margin reaches it.
        2 => contact.axis.is_none_or(|axis| axis.index < 3),
        1 => off_edge(across[0]) <= tolerance::RUNS_ALONG,
        _ => false,
    };
    let (low, high) = if runs_along { line.between(&across)? } else { return None };
    let top = normal.abs().dot(core.half);
    let end = |share: f64| (line.at(share), -normal.dot(line.at(share)) - top);
    ((high - low) * core.along.length() > 16.0 * tolerance::TIE * core.size)
        .then(|| [end(low), end(high)])
}
