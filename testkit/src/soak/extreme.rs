//! Bodies at the ends of the range of f32, which visit a copy of the world.

use glam::Vec3;
use impinge_shapes::Pose;
use impinge_world::{Body, BodyId, ClosestBody, Filter, Kinds, RayHit, SweepHit, World};

use super::naive::Naive;
use super::{Soak, draw};
use crate::check::expect_same;
use crate::generate::{self, Kind};
use crate::rng::Rng;

/// A finite number of any size and sign, the ends of the range included.
fn extreme(rng: &mut Rng) -> f32 {
    let any = f32::from_bits(u32::try_from(rng.bits() >> 32).unwrap_or(0));
    let ends = [f32::MAX, f32::MIN, f32::MAX * 0.5, f32::MIN_POSITIVE, f32::from_bits(1), -0.0];
    if rng.one_in(3) || !any.is_finite() { rng.pick(&ends) } else { any }
}

fn body(rng: &mut Rng) -> Body {
    let position = Vec3::new(extreme(rng), extreme(rng), extreme(rng));
    let kind = rng.pick(&Kind::ALL);
    let size = f64::from(extreme(rng).abs().min(f32::MAX * 0.25)) * 0.5;
    let size = if kind == Kind::HeightField { size.min(1e37) } else { size };
    let shape = generate::shape(kind, size.max(1e-44), false, rng);
    let body = if rng.one_in(3) { Body::fixed(shape) } else { Body::moving(shape) };
    body.at(position).rotated(rng.rotation())
}

impl Soak {
    /// Extreme bodies come, are met and asked about, and go; the others are as if they never came.
    pub(super) fn visit(&mut self) -> Result<(), String> {
        let (mut world, mut naive) = (self.world.clone(), self.naive.clone());
        let mut visitors = Vec::new();
        for _ in 0..1 + self.rng.below(4) {
            let body = body(&mut self.rng);
            let id = world.insert(body.clone()).map_err(|error| format!("{error}: {body:?}"))?;
            visitors.push(id);
        }
        world.update();
        let told = world.contacts().iter().flat_map(|contact| contact.points());
        let odd = told
            .filter(|(manifold, point)| point.distance.is_nan() || !manifold.normal.is_finite());
        expect_same(odd.count(), 0, &"contact points that are no numbers")?;
        for _ in 0..4 {
            self.question(&mut world, &visitors)?;
        }
        for id in visitors {
            if world.remove(id).is_none() {
                return Err(format!("lost: {id:?}"));
            }
        }
        world.update();
        naive.update(&|_, _| true, false)?;
        let contacts = world.contacts();
        expect_same(contacts.len(), naive.contacts.len(), &"contacts after the visit")?;
        for (found, expected) in contacts.iter().zip(&naive.contacts) {
            let same = (found.a, found.b) == (expected.a, expected.b);
            if !same || found.manifolds != expected.manifolds {
                return Err(format!("after the visit {found:?}, expected {expected:?}"));
            }
        }
        expect_same(world.sensor_overlaps(), &naive.sensors[..], &"overlaps after the visit")?;
        self.unchanged(&world, &naive)
    }

    fn unchanged(&mut self, world: &World, naive: &Naive) -> Result<(), String> {
        let pairs: Vec<_> = world.pairs().collect();
        expect_same(pairs, naive.pairs.clone(), &"pairs after the visit")?;
        self.tick("visits of extreme bodies");
        self.check_standing()
    }

    /// Asks from far away and near; what is told must be about bodies of the world, in order.
    fn question(&mut self, world: &mut World, visitors: &[BodyId]) -> Result<(), String> {
        let rng = &mut self.rng;
        let all = Filter::new().kinds(Kinds::ALL);
        let (_, shape) = draw::shape(&self.setting, rng);
        let shape = if rng.one_in(2) { shape } else { body(rng).shape().clone() };
        let far = Vec3::new(extreme(rng), extreme(rng), extreme(rng));
        let pose = if rng.one_in(2) { generate::pose(far, rng.rotation()) } else { Pose::IDENTITY };
        let (way, reach) = (Vec3::new(extreme(rng), extreme(rng), 0.0), extreme(rng).abs());
        let ray = draw::ray(&self.setting, rng);
        let queries = world.queries();
        let mut rays: Vec<RayHit> = Vec::new();
        queries.raycast_all(&ray, f32::INFINITY, &all, &mut rays);
        let mut sweeps: Vec<SweepHit> = Vec::new();
        queries.sweep_all(&shape, &pose, way, &all, &mut sweeps);
        let mut near: Vec<ClosestBody> = Vec::new();
        queries.closest_all(&shape, &pose, reach, &all, &mut near);
        let overlapping = queries.overlap(&shape, &pose, &all);
        let containing = queries.contains_point(pose.position(), &all);
        let ordered = rays.is_sorted_by(|a, b| a.distance <= b.distance)
            && sweeps.is_sorted_by(|a, b| a.fraction <= b.fraction)
            && near.is_sorted_by(|a, b| a.closest.distance <= b.closest.distance)
            && overlapping.is_sorted()
            && containing.is_sorted();
        let named = rays.iter().map(|hit| hit.body).chain(sweeps.iter().map(|hit| hit.body));
        let named = named.chain(near.iter().map(|found| found.body));
        let mut named = named.chain(overlapping.iter().copied()).chain(containing.iter().copied());
        let known = named.all(|id| world.contains(id));
        let seen = near.iter().any(|found| visitors.contains(&found.body));
        self.count("extreme questions", seen);
        if ordered && known {
            Ok(())
        } else {
            Err(format!("rays {rays:?}, sweeps {sweeps:?}, near {near:?}: {shape:?} at {pose:?}"))
        }
    }
}
