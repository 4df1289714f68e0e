//! Questions that are likely to be missed.

use glam::{Quat, Vec3};
use impinge_narrowphase::SweepOptions;
use impinge_shapes::{Aabb, Pose, Ray, RayOptions, Shape, StartedInside, round};
use impinge_testkit::{generate::nudge, rng::Rng};
use impinge_world::{AabbQuery, OverlapQuery, RayQuery, SweepQuery};

use super::scene::{Scene, quarter_turn};

/// What is special about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aim {
    /// From anywhere to anywhere.
    Random,
    /// Along an axis, in faces and edges, or one ulp beside them.
    Axis,
    /// At a corner, an edge or a face, or one ulp beside it.
    Graze,
    /// From a corner, an edge or a face to another one.
    Corners,
    /// Zeros of both signs and numbers far below the others among the components.
    Zeros,
    /// Starting inside a body, or on it.
    Inside,
}

impl Aim {
    pub(crate) const ALL: [Self; 6] =
        [Self::Random, Self::Axis, Self::Graze, Self::Corners, Self::Zeros, Self::Inside];
}

/// A start and a way.
fn path(aim: Aim, scene: &Scene, rng: &mut Rng) -> (Vec3, Vec3) {
    let zero = rng.pick(&[0.0_f32, -0.0]);
    let reach = round::nearest(scene.side);
    let along_axis = |rng: &mut Rng| {
        let mut way = Vec3::splat(zero);
        way[rng.below(3)] = rng.pick(&[1.0, -1.0]) * rng.pick(&[0.5, 1.0, 2.0, 3.0]);
        way
    };
    let steps = rng.below(2);
    let mark = nudge(scene.landmark(rng), steps, rng);
    match aim {
        Aim::Random => {
            let from = scene.anywhere(1.5, rng);
            (from, scene.anywhere(1.5, rng) - from)
        }
        Aim::Axis => {
            let way = along_axis(rng) * reach.ceil();
            (mark - way * rng.pick(&[0.5, 1.0, 0.0]), way)
        }
        Aim::Graze => {
            let from = scene.anywhere(1.5, rng);
            (from, (mark - from) * rng.pick(&[1.0, 2.0, 0.5]))
        }
        Aim::Corners => {
            let way = scene.landmark(rng) - mark;
            (mark - way * rng.pick(&[0.0, 0.0, 1.0]), way)
        }
        Aim::Zeros => {
            let tiny = [zero, 1e-42, -1e-42, 1e-38, -1e-30, 1e-12, -1e-7];
            let mut way = rng.cube(-2.0, 2.0).round();
            way[rng.below(3)] = rng.pick(&tiny);
            way[rng.below(3)] = rng.pick(&tiny);
            (mark - way * rng.pick(&[0.0, 1.0, 2.0]), way * rng.pick(&[1.0, 2.0]))
        }
        Aim::Inside => {
            let body = scene.body_at_random(rng);
            let from = if rng.one_in(3) { mark } else { body.pose.position() };
            let way = if rng.one_in(2) { along_axis(rng) } else { rng.direction() };
            (from, way * rng.pick(&[0.25, 1.0, reach]))
        }
    }
}

/// A ray; none where its direction came out as zero.
pub(crate) fn ray(aim: Aim, scene: &Scene, rng: &mut Rng) -> Option<RayQuery<'static>> {
    let (from, way) = path(aim, scene, rng);
    let length = round::nearest(way.as_dvec3().length());
    let max = match rng.below(6) {
        0 | 1 => f32::INFINITY,
        2 => length.next_down(),
        3 => rng.range(0.0, 2.0 * scene.side),
        _ => length,
    };
    let started_inside = match rng.below(6) {
        0 => StartedInside::Skip,
        1 => StartedInside::Exit,
        _ => StartedInside::Hit,
    };
    let options = RayOptions { started_inside, cull_back_faces: rng.one_in(8) };
    Some(RayQuery::new(Ray::new(from, way).ok()?, max).options(options))
}

/// Shapes that move through a scene and look for what lies in it.
pub(crate) fn probes(scene: &Scene, rng: &mut Rng) -> Vec<Shape> {
    let size = scene.side * 0.4;
    let mut length = || if rng.one_in(8) { 0.0 } else { rng.range(0.0, size) };
    let half = Vec3::new(length(), length(), length());
    let mut probes = vec![
        Shape::sphere(0.5).expect("it has a size"),
        Shape::sphere(0.0).expect("it is a point"),
        Shape::sphere(length()).expect("it has a size"),
        Shape::cuboid(Vec3::splat(0.5)).expect("it has a size"),
        Shape::cuboid(half).expect("it has a size"),
    ];
    let plate = Vec3::new(length(), 0.0, length());
    probes.push(Shape::cuboid(plate).expect("it has a size"));
    probes
}

/// Where a probe touches a point with a corner, an edge or a face, if it is not turned.
fn beside(probe: &Shape, mark: Vec3, rng: &mut Rng) -> Vec3 {
    let mut side = || rng.pick(&[-1.0_f32, 0.0, 1.0]);
    match probe {
        Shape::Cuboid(cuboid) => mark + cuboid.half_extents() * Vec3::new(side(), side(), side()),
        _ => {
            let mut off = Vec3::ZERO;
            off[rng.below(3)] = probe.aabb(&Pose::IDENTITY).max().x * rng.pick(&[-1.0, 1.0]);
            mark + off
        }
    }
}

fn rotation(scene: &Scene, rng: &mut Rng) -> Quat {
    match rng.below(8) {
        0 => quarter_turn(rng),
        1 => rng.rotation(),
        2 => scene.body_at_random(rng).pose.rotation(),
        _ => Quat::IDENTITY,
    }
}

/// A moving probe.
pub(crate) fn sweep<'q>(
    aim: Aim,
    scene: &Scene,
    probes: &'q [Shape],
    rng: &mut Rng,
) -> Option<SweepQuery<'q>> {
    let probe = &probes[rng.below(probes.len())];
    let (mut from, mut way) = path(aim, scene, rng);
    if !matches!(aim, Aim::Random | Aim::Inside) {
        // Its side goes where a ray would.
        from = beside(probe, from, rng);
    }
    if aim == Aim::Inside && rng.one_in(8) {
        way = Vec3::ZERO;
    }
    let options = SweepOptions {
        stop_on_touch: rng.one_in(3),
        skip_started: rng.one_in(3),
        skip_leaving: rng.one_in(3),
    };
    let pose = Pose::new(from, rotation(scene, rng)).ok()?;
    Some(SweepQuery::new(probe, pose, way).options(options))
}

/// Where a question about what is there looks.
fn place(aim: Aim, scene: &Scene, probe: &Shape, rng: &mut Rng) -> Vec3 {
    let (from, way) = path(aim, scene, rng);
    match aim {
        Aim::Random => from,
        Aim::Inside if rng.one_in(3) => scene.anywhere(1.5, rng),
        Aim::Inside => scene.body_at_random(rng).pose.position(),
        Aim::Graze => beside(probe, from + way, rng),
        _ => beside(probe, from, rng),
    }
}

/// A probe at rest.
pub(crate) fn overlap<'q>(
    aim: Aim,
    scene: &Scene,
    probes: &'q [Shape],
    rng: &mut Rng,
) -> Option<OverlapQuery<'q>> {
    let probe = &probes[rng.below(probes.len())];
    let at = place(aim, scene, probe, rng);
    Some(OverlapQuery::new(probe, Pose::new(at, rotation(scene, rng)).ok()?))
}

/// A box along the axes.
pub(crate) fn aabb(
    aim: Aim,
    scene: &Scene,
    probes: &[Shape],
    rng: &mut Rng,
) -> Option<AabbQuery<'static>> {
    let probe = &probes[3 + rng.below(probes.len() - 3)];
    let at = place(aim, scene, probe, rng);
    let bounds = probe.aabb(&Pose::from_position(at).ok()?);
    // One that has no f32 centre, now and then.
    let far = if rng.one_in(4) { nudge(bounds.max(), 1, rng) } else { bounds.max() };
    Some(AabbQuery::new(Aabb::new(bounds.min(), far.max(bounds.min())).ok()?))
}
