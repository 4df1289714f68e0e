//! Operations that change both worlds in the same way.

use impinge_shapes::{Pose, round};
use impinge_world::{BodyId, BodyKind, Groups};

use super::naive::NaiveBody;
use super::{Setting, Soak, draw};
use crate::check::expect_same;

impl Soak {
    pub(super) fn insert(&mut self) -> Result<(), String> {
        let rng = &mut self.rng;
        let (sort, shape) = draw::shape(&self.setting, rng);
        let kind = if rng.one_in(3) { BodyKind::Fixed } else { BodyKind::Moving };
        let pose = draw::pose(&self.setting, rng);
        let (groups, sensor, margin) =
            (draw::groups(rng), rng.one_in(8), draw::margin(&self.setting, rng));
        let (id, user_data) = (BodyId::default(), rng.bits());
        *self.figures.shapes.entry(sort).or_default() += 1;
        self.put(NaiveBody { id, shape, pose, kind, groups, sensor, margin, user_data })
    }

    /// Inserts a body, whose id must be a new one.
    fn put(&mut self, body: NaiveBody) -> Result<(), String> {
        let id = self.world.insert(body.body()).map_err(|error| format!("{error}: {body:?}"))?;
        if id == BodyId::default() || !self.naive.issued.insert(id) {
            return Err(format!("the id {id:?} was given out before"));
        }
        self.naive.changed.insert(id);
        self.naive.bodies.push(NaiveBody { id, ..body });
        self.figures.most_bodies = self.figures.most_bodies.max(self.naive.bodies.len());
        expect_same(self.world.len(), self.naive.bodies.len(), &"number of bodies")
    }

    pub(super) fn remove(&mut self) -> Result<(), String> {
        if self.rng.one_in(60) {
            self.world.clear();
            for body in std::mem::take(&mut self.naive.bodies) {
                self.naive.changed.remove(&body.id);
            }
            self.naive.ignored.clear();
            self.setting.unit = self.rng.pick(&Setting::UNITS);
            let exponent = i32::try_from(self.setting.unit.to_bits() >> 52).unwrap_or(0) - 1023;
            *self.figures.units.entry(exponent).or_default() += 1;
            return self.set();
        }
        let Some(id) = draw::id(&self.naive, &mut self.rng) else { return Ok(()) };
        let Some(body) = self.naive.remove(id) else { return Ok(()) };
        expect_same(self.world.remove(id), Some(body.body()), &id)?;
        expect_same(self.world.contains(id), false, &id)?;
        // Out and in again: the slot is used by another body at once.
        if self.rng.one_in(4) { self.put(body) } else { Ok(()) }
    }

    /// Puts one body elsewhere.
    fn put_at(&mut self, id: BodyId, pose: Pose) -> Result<(), String> {
        self.world.set_pose(id, pose).map_err(|error| error.to_string())?;
        let moved = self.naive.get(id).is_some_and(|body| !same_bits(&body.pose, &pose));
        self.naive.change(id, moved, |body| body.pose = pose);
        Ok(())
    }

    pub(super) fn shift(&mut self) -> Result<(), String> {
        if !self.rng.one_in(8) {
            let Some(id) = draw::id(&self.naive, &mut self.rng) else { return Ok(()) };
            let Some(body) = self.naive.get(id) else { return Ok(()) };
            let pose = draw::beside(&body.pose, &self.setting, &mut self.rng);
            return self.put_at(id, pose);
        }
        // Many at once, in any order, some twice.
        let count = self.rng.below(self.naive.bodies.len() + 1);
        let mut poses = Vec::new();
        for _ in 0..count {
            let body = &self.naive.bodies[self.rng.below(self.naive.bodies.len())];
            poses.push((body.id, draw::beside(&body.pose, &self.setting, &mut self.rng)));
        }
        if self.rng.one_in(2) {
            // Poses of one body keep their order, because the last one counts.
            poses.sort_by_key(|(id, _)| *id);
        }
        self.world.set_poses(&poses).map_err(|error| error.to_string())?;
        // A body that went and came back counts as changed, too.
        let differs = |(id, pose): &(BodyId, Pose)| {
            self.naive.get(*id).is_some_and(|body| !same_bits(&body.pose, pose))
        };
        let moved: Vec<bool> = poses.iter().map(differs).collect();
        for ((id, pose), moved) in poses.into_iter().zip(moved) {
            self.naive.change(id, moved, |body| body.pose = pose);
        }
        Ok(())
    }

    pub(super) fn teleport(&mut self) -> Result<(), String> {
        let Some(id) = draw::id(&self.naive, &mut self.rng) else { return Ok(()) };
        let pose = match draw::id(&self.naive, &mut self.rng) {
            // Onto another body, or to where it is already.
            Some(other) if self.rng.one_in(4) => self.naive.get(other).map(|body| body.pose),
            _ => None,
        };
        let pose = pose.unwrap_or_else(|| draw::pose(&self.setting, &mut self.rng));
        self.put_at(id, pose)
    }

    pub(super) fn reshape(&mut self) -> Result<(), String> {
        let Some(id) = draw::id(&self.naive, &mut self.rng) else { return Ok(()) };
        let (sort, shape) = draw::shape(&self.setting, &mut self.rng);
        *self.figures.shapes.entry(sort).or_default() += 1;
        self.world.set_shape(id, shape.clone()).map_err(|error| error.to_string())?;
        self.naive.change(id, true, |body| body.shape = shape);
        Ok(())
    }

    pub(super) fn refilter(&mut self) -> Result<(), String> {
        let Some(id) = draw::id(&self.naive, &mut self.rng) else { return Ok(()) };
        let Some(body) = self.naive.get(id).cloned() else { return Ok(()) };
        let (world, rng) = (&mut self.world, &mut self.rng);
        let result = match rng.below(8) {
            0 | 1 => {
                let groups = if rng.one_in(10) { Groups::NONE } else { draw::groups(rng) };
                self.naive.change(id, body.groups != groups, |body| body.groups = groups);
                world.set_groups(id, groups)
            }
            2 => {
                let sensor = rng.one_in(3);
                self.naive.change(id, body.sensor != sensor, |body| body.sensor = sensor);
                world.set_sensor(id, sensor)
            }
            3 => {
                let kind = if rng.one_in(3) { BodyKind::Fixed } else { BodyKind::Moving };
                self.naive.change(id, body.kind != kind, |body| body.kind = kind);
                world.set_kind(id, kind)
            }
            4 => {
                let margin = draw::margin(&self.setting, rng);
                let changes = body.margin.to_bits() != margin.to_bits();
                self.naive.change(id, changes, |body| body.margin = margin);
                world.set_body_margin(id, margin)
            }
            5 => {
                let user_data = rng.bits();
                self.naive.change(id, false, |body| body.user_data = user_data);
                world.set_user_data(id, user_data)
            }
            _ => {
                // Most pairs are far apart, so often one that is in contact.
                let contact = world.contacts().get(rng.below(world.contacts().len().max(1)));
                let pair = contact.filter(|_| rng.one_in(2)).map(|contact| (contact.a, contact.b));
                let alive = |&(a, b): &(BodyId, BodyId)| world.contains(a) && world.contains(b);
                let other = draw::id(&self.naive, rng).unwrap_or(id);
                let (a, b) = pair.filter(alive).unwrap_or((id, other));
                let ignored = !rng.one_in(3);
                self.naive.set_ignored(a, b, ignored);
                world.set_ignored(a, b, ignored)
            }
        };
        result.map_err(|error| error.to_string())
    }

    pub(super) fn set(&mut self) -> Result<(), String> {
        let margin = self.rng.pick(&[0.0, 0.0, 0.125, 0.3]) * self.setting.unit;
        let margin = round::nearest(margin);
        self.world.set_margin(margin).map_err(|error| error.to_string())?;
        self.naive.margin = margin;
        self.naive.has_slots = self.rng.one_in(2);
        self.world.set_slots(self.naive.has_slots);
        self.setting = Setting::draw(self.setting.unit, &mut self.rng);
        self.check_standing()
    }
}

/// Whether two poses have the same bits.
pub(super) fn same_bits(a: &Pose, b: &Pose) -> bool {
    let bits = |pose: &Pose| {
        (pose.position().to_array().map(f32::to_bits), pose.rotation().to_array().map(f32::to_bits))
    };
    bits(a) == bits(b)
}
