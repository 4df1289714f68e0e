//! What a query of a world hits, asked about each of its bodies.

use impinge_narrowphase as narrow;
use impinge_shapes::{Pose, RayOptions, Shape, ShapeRayHit};
use impinge_world::{BodyId, RayHit, RayQuery, SweepHit, SweepQuery};

/// A body to be asked about without its world.
pub type Placed<'a> = (BodyId, &'a Shape, &'a Pose);

/// By how much more than rounding, relative to the distance, a hit lies before the bounds of a body.
const EARLY: f32 = 1.0 / (1_u32 << 20) as f32;

/// A hit of a shape that may tell hits early, which in a world is no earlier than its bounds.
fn bounded(
    hit: ShapeRayHit,
    shape: &Shape,
    pose: &Pose,
    query: &RayQuery<'_>,
) -> Option<ShapeRayHit> {
    use Shape::{Compound, Cone, Cylinder, Rounded};
    if !matches!(shape, Cylinder(_) | Cone(_) | Rounded(_) | Compound(_)) {
        return Some(hit);
    }
    let entry = shape.aabb(pose).raycast(&query.ray, query.max_distance, &RayOptions::default())?;
    if entry.distance <= hit.distance + hit.distance * EARLY {
        return Some(hit);
    }
    let normal = if hit.started_inside { entry.normal } else { hit.normal };
    let (distance, point) = (entry.distance, entry.point);
    Some(ShapeRayHit { distance, point, normal, started_inside: false, ..hit })
}

/// What a ray hits of some bodies, whatever its filter, in the order of a world: the narrow phase,
/// asked about each, and the bounds of those whose hits may be told early.
#[must_use]
pub fn ray_hits<'a>(
    bodies: impl IntoIterator<Item = Placed<'a>>,
    query: &RayQuery<'_>,
) -> Vec<RayHit> {
    let mut hits = Vec::new();
    for (body, shape, pose) in bodies {
        let hit = shape.raycast(pose, &query.ray, query.max_distance, &query.options);
        let hit = hit.and_then(|hit| bounded(hit, shape, pose, query));
        let Some(hit) = hit else { continue };
        let ShapeRayHit { distance, point, normal, started_inside, part, barycentric } = hit;
        hits.push(RayHit { body, distance, point, normal, started_inside, part, barycentric });
    }
    hits.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.body.cmp(&b.body)));
    hits
}

/// What a moving shape meets of some bodies, as [`ray_hits`].
#[must_use]
pub fn sweep_hits<'a>(
    bodies: impl IntoIterator<Item = Placed<'a>>,
    query: &SweepQuery<'_>,
) -> Vec<SweepHit> {
    let mut hits = Vec::new();
    for (body, shape, pose) in bodies {
        let (mover, way) = (query.shape, query.displacement);
        let hit = narrow::sweep(mover, &query.pose, way, shape, pose, &query.options);
        let Some(hit) = hit else { continue };
        hits.push(SweepHit {
            body,
            fraction: hit.fraction,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            started_overlapping: hit.started_overlapping,
            depth: hit.depth,
            part_mover: hit.part_mover,
            part: hit.part,
        });
    }
    hits.sort_by(|a, b| a.fraction.total_cmp(&b.fraction).then(a.body.cmp(&b.body)));
    hits
}
