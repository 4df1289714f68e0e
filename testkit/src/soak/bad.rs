//! Input that must be refused, or answered by nothing, and change nothing.

use glam::{Quat, Vec3};
use impinge_narrowphase::Motion;
use impinge_shapes::{Aabb, Obb, Plane, Pose, Ray, Shape};
use impinge_world::{
    Body, BodyError, BodyId, BodyKind, Filter, FirstImpact, Groups, ImpactQuery, Verdict,
    WorldError,
};

use super::{Soak, draw};
use crate::rng::Rng;

/// A number that no size can be.
fn bad_length(rng: &mut Rng) -> f32 {
    rng.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, -f32::MIN_POSITIVE])
}

fn not_finite(rng: &mut Rng) -> f32 {
    rng.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY])
}

/// A vector of which one component is not finite.
fn bad_vector(rng: &mut Rng) -> Vec3 {
    let mut vector = rng.cube(-1.0, 1.0);
    vector[rng.below(3)] = not_finite(rng);
    vector
}

/// The name of what was tried, and whether it was refused as it should be.
type Tried = (&'static str, bool);

impl Soak {
    pub(super) fn mistreat(&mut self) -> Result<(), String> {
        if self.rng.one_in(12) {
            return self.visit();
        }
        let had_view = self.world.view().is_some();
        let (name, refused) = match self.rng.below(5) {
            0 => self.bad_bodies(),
            1 => self.stale_ids(),
            2 => self.bad_lists(),
            3 => bad_shapes(&mut self.rng),
            _ => bad_values(&mut self.rng),
        };
        if !refused {
            return Err(format!("bad input was taken: {name}"));
        }
        *self.figures.refused.entry(name).or_default() += 1;
        if self.world.view().is_some() != had_view {
            return Err(format!("bad input made the queries out of date: {name}"));
        }
        self.check_standing()?;
        self.bad_questions()
    }

    fn bad_bodies(&mut self) -> Tried {
        let (_, shape) = draw::shape(&self.setting, &mut self.rng);
        let rng = &mut self.rng;
        let body = Body::moving(shape).pose(draw::pose(&self.setting, rng));
        let mut turned = rng.rotation();
        let (name, body) = match rng.below(4) {
            0 => ("body at no place", body.at(bad_vector(rng))),
            1 => {
                turned.z = not_finite(rng);
                ("body with a rotation that is not finite", body.rotated(turned))
            }
            2 => ("body with a rotation of zeros", body.rotated(Quat::from_array([0.0; 4]))),
            _ => ("body with a bad margin", body.margin(bad_length(rng))),
        };
        let error = self.world.insert(body);
        let right = match name {
            "body with a bad margin" => matches!(error, Err(BodyError::Margin(_))),
            _ => matches!(error, Err(BodyError::Pose(_))),
        };
        (name, right)
    }

    fn stale_ids(&mut self) -> Tried {
        let id = draw::stale_id(&self.naive, &mut self.rng);
        let (_, shape) = draw::shape(&self.setting, &mut self.rng);
        let (world, rng) = (&mut self.world, &mut self.rng);
        let other = draw::id(&self.naive, rng).unwrap_or(id);
        let stale = Err(WorldError::StaleId(id));
        match rng.below(11) {
            0 => ("stale id to remove", world.remove(id).is_none()),
            1 => {
                let pose = draw::pose(&self.setting, rng);
                ("stale id to move", world.set_pose(id, pose) == stale)
            }
            2 => ("stale id to reshape", world.set_shape(id, shape) == stale),
            3 => ("stale id to regroup", world.set_groups(id, Groups::NONE) == stale),
            4 => ("stale id to fix", world.set_kind(id, BodyKind::Fixed) == stale),
            5 => ("stale id to make a sensor", world.set_sensor(id, true) == stale),
            6 => ("stale id to number", world.set_user_data(id, 1) == stale),
            7 => ("stale id to give a margin", world.set_body_margin(id, 0.25) == stale),
            8 => {
                let refused = world.set_ignored(other, id, true) == stale
                    && world.set_ignored(id, other, true) == stale;
                ("stale id to ignore", refused)
            }
            9 => {
                let explained = world.explain(other, id).verdict;
                let unseen = !world.is_ignored(other, id) && world.contact(other, id).is_none();
                ("stale id to explain", unseen && explained == Verdict::StaleId(id))
            }
            _ => ("stale id to look up", world.body(id).is_none() && !world.contains(id)),
        }
    }

    fn bad_lists(&mut self) -> Tried {
        let rng = &mut self.rng;
        match rng.below(3) {
            0 => {
                // All but one are right, and none is moved.
                let ids: Vec<BodyId> = self.naive.bodies.iter().map(|body| body.id).collect();
                let mut poses: Vec<(BodyId, Pose)> =
                    ids.into_iter().map(|id| (id, draw::pose(&self.setting, rng))).collect();
                let id = draw::stale_id(&self.naive, rng);
                let index = rng.below(poses.len() + 1);
                poses.insert(index, (id, draw::pose(&self.setting, rng)));
                let refused = Err(WorldError::StaleIdAt { index, id });
                ("stale id among many to move", self.world.set_poses(&poses) == refused)
            }
            1 => {
                let refused = self.world.set_margin(bad_length(rng));
                ("bad margin of the world", matches!(refused, Err(WorldError::Margin(_))))
            }
            _ => {
                let refused = self.world.set_recycling(bad_length(rng));
                ("bad length to recycle", matches!(refused, Err(WorldError::Recycling(_))))
            }
        }
    }

    /// Questions about what is nowhere find nothing; now and then, because they are many.
    fn bad_questions(&mut self) -> Result<(), String> {
        if !self.rng.one_in(4) {
            return Ok(());
        }
        let (_, shape) = draw::shape(&self.setting, &mut self.rng);
        let pose = draw::pose(&self.setting, &mut self.rng);
        let nowhere = bad_vector(&mut self.rng);
        let ray = draw::ray(&self.setting, &mut self.rng);
        let queries = self.world.queries();
        let all = Filter::new().kinds(impinge_world::Kinds::ALL);
        let still = Motion::still(pose);
        let skipping = impinge_narrowphase::ImpactOptions {
            tolerance: Some(f32::NAN),
            max_iterations: 0,
            ..Default::default()
        };
        let impact = ImpactQuery::new(&shape, still).options(skipping).filter(all);
        let answered = [
            queries.contains_point(nowhere, &all).is_empty(),
            queries.closest_point(nowhere, f32::INFINITY, &all).is_none(),
            queries.closest(&shape, &pose, f32::NAN, &all).is_none(),
            queries.raycast(&ray, f32::NAN, &all).is_none(),
            !queries.raycast_any(&ray, -1.0, &all),
            queries.sweep(&shape, &pose, nowhere, &all).is_none(),
            queries.overlap_frustum(&[], &all).len() == self.naive.seen(&all).len(),
            !touches_later(&queries.time_of_impact_with(&impact)),
        ];
        self.tick("odd questions");
        match answered.iter().position(|right| !right) {
            Some(place) => Err(format!("odd question {place} got an answer: {nowhere} {shape:?}")),
            None => self.check_standing(),
        }
    }
}

fn touches_later(first: &FirstImpact) -> bool {
    matches!(first, FirstImpact::Touches(hit) if hit.fraction > 0.0)
}

/// Shapes that cannot be.
fn bad_shapes(rng: &mut Rng) -> Tried {
    let bad = bad_length(rng);
    let point = bad_vector(rng);
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    match rng.below(16) {
        0 => ("sphere", Shape::sphere(bad).is_err()),
        1 => ("cuboid", Shape::cuboid(Vec3::new(1.0, bad, 1.0)).is_err()),
        2 => ("capsule", Shape::capsule_along_y(1.0, bad).is_err()),
        3 => ("capsule between bad points", Shape::capsule(Vec3::ZERO, point, 1.0).is_err()),
        4 => ("cylinder", Shape::cylinder(bad, 1.0).is_err()),
        5 => ("cone", Shape::cone(1.0, bad).is_err()),
        6 => ("triangle", Shape::triangle(Vec3::ZERO, point, Vec3::X).is_err()),
        7 => ("hull of nothing", Shape::convex_hull(&[]).is_err()),
        8 => ("hull of bad points", Shape::convex_hull(&[Vec3::ZERO, point]).is_err()),
        9 => {
            let half_space = Shape::half_space(Vec3::Y, 0.0);
            let of_half_space = half_space.map(|core| Shape::rounded(core, 1.0).is_err());
            let margin = Shape::sphere(1.0).map(|core| Shape::rounded(core, bad).is_err());
            ("rounded", of_half_space.unwrap_or(false) && margin.unwrap_or(false))
        }
        10 => {
            let zero = Shape::half_space(Vec3::ZERO, 1.0).is_err();
            ("half-space", zero && Shape::half_space(point, 0.0).is_err())
        }
        11 => ("empty mesh", Shape::triangle_mesh(corners, Vec::new()).is_err()),
        12 => {
            let beyond = Shape::triangle_mesh(corners, vec![[0, 1, 3]]).is_err();
            (
                "mesh of missing vertices",
                beyond && Shape::triangle_mesh(vec![], vec![[0, 0, 0]]).is_err(),
            )
        }
        13 => (
            "mesh of bad vertices",
            Shape::triangle_mesh(vec![Vec3::X, point, Vec3::Y], vec![[0, 1, 2]]).is_err(),
        ),
        14 => {
            let few = Shape::height_field(1, 2, vec![0.0; 2], Vec3::ONE).is_err();
            let missing = Shape::height_field(2, 2, vec![0.0; 3], Vec3::ONE).is_err();
            let high = Shape::height_field(2, 2, vec![0.0, 0.0, not_finite(rng), 0.0], Vec3::ONE);
            ("height field", few && missing && high.is_err())
        }
        _ => ("empty compound", Shape::compound([]).is_err()),
    }
}

/// Poses, rays, planes, boxes and motions that cannot be.
fn bad_values(rng: &mut Rng) -> Tried {
    let point = bad_vector(rng);
    let zero = Quat::from_array([0.0, -0.0, 0.0, 0.0]);
    match rng.below(7) {
        0 => ("pose at no place", Pose::new(point, Quat::IDENTITY).is_err()),
        1 => ("pose with a rotation of zeros", Pose::new(Vec3::ZERO, zero).is_err()),
        2 => {
            let direction = Ray::new(Vec3::ZERO, Vec3::ZERO).is_err();
            let odd = Ray::new(point, Vec3::X).is_err() && Ray::new(Vec3::ZERO, point).is_err();
            ("ray", direction && odd)
        }
        3 => {
            let zero = Plane::new(Vec3::ZERO, 1.0).is_err();
            ("plane", zero && Plane::through(point, Vec3::Y).is_err())
        }
        4 => {
            let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO).is_err();
            ("bounds", inverted && Aabb::new(Vec3::splat(f32::NAN), Vec3::ONE).is_err())
        }
        5 => ("oriented box", Obb::new(Pose::IDENTITY, Vec3::splat(bad_length(rng))).is_err()),
        _ => {
            let way = Motion::new(Pose::IDENTITY, point, Vec3::ZERO).is_err();
            ("motion", way && Motion::new(Pose::IDENTITY, Vec3::ZERO, point).is_err())
        }
    }
}
