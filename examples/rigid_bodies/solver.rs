//! Sequential impulses with sub-steps and warm starting, on the contacts of a world.
//!
//! Source: Catto, *Iterative Dynamics with Temporal Coherence* (2005), and *Solver2D* (2024) for
//! soft contacts with sub-steps and a relaxing pass.

use impinge::glam::{Mat3, Quat, Vec3};
use impinge::{Body, BodyId, Filter, Pose, Queries, Shape, SweepOptions, SweepQuery, World};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Depth at which resting bodies may stay.
pub(crate) const SLOP: f32 = 0.01;
/// Seconds of a step.
pub(crate) const STEP: f32 = 1.0 / 60.0;
/// Parts of a step in which bodies move and contacts are solved.
pub(crate) const SUBSTEPS: u8 = 6;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);
const FRICTION: f32 = 0.6;
/// How stiff contacts are: one sinks in by its load over its mass and the square of this. Beyond a
/// fifth of the rate of the sub-steps a high pyramid does not come to rest.
const HERTZ: f32 = 60.0;
/// Most speed with which overlaps are pushed apart.
const MOST_PUSH: f32 = 3.0;

/// A body as the solver sees it; all zero inverse masses are fixed.
#[derive(Clone, Debug)]
struct Rigid {
    id: BodyId,
    position: Vec3,
    rotation: Quat,
    velocity: Vec3,
    spin: Vec3,
    inverse_mass: f32,
    /// In the body's frame, whose axes are the principal ones.
    inverse_inertia: Vec3,
    /// Least extent of its bounds; faster bodies are swept.
    thickness: f32,
}

impl Rigid {
    fn velocity_at(&self, arm: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }

    fn world_inertia(&self) -> Mat3 {
        let turn = Mat3::from_quat(self.rotation);
        turn * Mat3::from_diagonal(self.inverse_inertia) * turn.transpose()
    }
}

/// How a contact gives way: [`Softness::bias`] of the overlap a second, a part of the mass.
#[derive(Clone, Copy, Debug)]
struct Softness {
    bias: f32,
    mass: f32,
    impulse: f32,
}

impl Softness {
    const RIGID: Self = Self { bias: 0.0, mass: 1.0, impulse: 0.0 };

    fn new(hertz: f32, damping: f32, step: f32) -> Self {
        let omega = std::f32::consts::TAU * hertz;
        let sum = 2.0 * damping + step * omega;
        let share = step * omega * sum;
        let impulse = 1.0 / (1.0 + share);
        Self { bias: omega / sum, mass: share * impulse, impulse }
    }
}

/// One contact point of one step.
#[derive(Clone, Debug)]
struct Row {
    a: usize,
    b: usize,
    normal: Vec3,
    tangents: [Vec3; 2],
    local: [Vec3; 2],
    arms: [Vec3; 2],
    inertia: [Mat3; 2],
    /// Inverse of the mass felt along the normal and the tangents.
    mass: [f32; 3],
    /// Impulses along the normal and the tangents.
    impulse: [f32; 3],
    soft: Softness,
}

/// Bodies that fall, collide and come to rest.
#[derive(Clone, Debug)]
pub(crate) struct Simulation {
    pub(crate) world: World,
    bodies: Vec<Rigid>,
    /// Place of each body, by the index of its id.
    places: Vec<usize>,
    rows: Vec<Row>,
    substeps: u8,
}

impl Simulation {
    pub(crate) fn new(substeps: u8) -> Result<Self> {
        let mut world = World::new();
        world.set_slots(true);
        world.set_margin(2.0 * SLOP)?;
        Ok(Self { world, bodies: vec![], places: vec![], rows: vec![], substeps })
    }

    pub(crate) fn add_fixed(&mut self, shape: Shape, at: Vec3) -> Result<BodyId> {
        self.add(Body::fixed(shape).at(at), Vec3::ZERO)
    }

    pub(crate) fn add_moving(&mut self, shape: Shape, at: Vec3, velocity: Vec3) -> Result<BodyId> {
        self.add(Body::moving(shape).at(at), velocity)
    }

    fn add(&mut self, body: Body, velocity: Vec3) -> Result<BodyId> {
        let id = self.world.insert(body)?;
        let Some(body) = self.world.body(id) else { return Err("the body was just added".into()) };
        let mass = body.shape().mass_properties();
        let mass = mass.filter(|_| body.kind() == impinge::BodyKind::Moving);
        let inverse = |x: f32| if x > 0.0 { 1.0 / x } else { 0.0 };
        let inertia = mass.map_or(Vec3::ZERO, |mass| {
            let inertia = mass.inertia;
            Vec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z).map(inverse)
        });
        let index = id.index() as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, usize::MAX);
        }
        self.places[index] = self.bodies.len();
        self.bodies.push(Rigid {
            id,
            position: body.pose().position(),
            rotation: body.pose().rotation(),
            velocity,
            spin: Vec3::ZERO,
            inverse_mass: mass.map_or(0.0, |mass| inverse(mass.volume)),
            inverse_inertia: inertia,
            thickness: (body.aabb().max() - body.aabb().min()).min_element(),
        });
        Ok(id)
    }

    /// Goes on by [`STEP`].
    pub(crate) fn step(&mut self) -> Result<()> {
        self.world.update();
        let before: Vec<Vec3> = self.bodies.iter().map(|body| body.position).collect();
        let step = STEP / f32::from(self.substeps);
        self.make_rows(step);
        for _ in 0..self.substeps {
            for body in self.bodies.iter_mut().filter(|body| body.inverse_mass > 0.0) {
                body.velocity += GRAVITY * step;
                body.spin *= 1.0 - 0.5 * step;
            }
            self.warm_start();
            self.solve(step, true);
            for body in self.bodies.iter_mut().filter(|body| body.inverse_mass > 0.0) {
                body.position += body.velocity * step;
                let spin = Quat::from_vec4((body.spin * (0.5 * step)).extend(0.0));
                body.rotation = (body.rotation + spin * body.rotation).normalize();
            }
            // Down and up again, so that a stack feels both its floor and its top.
            self.rows.reverse();
            self.solve(step, false);
            self.rows.reverse();
            self.solve(step, false);
        }
        self.keep_impulses();
        self.stop_fast_bodies(&before);
        let moving = self.bodies.iter().filter(|body| body.inverse_mass > 0.0);
        let poses = moving.map(|body| Ok((body.id, Pose::new(body.position, body.rotation)?)));
        let poses = poses.collect::<std::result::Result<Vec<_>, impinge::PoseError>>()?;
        self.world.set_poses(&poses)?;
        Ok(())
    }

    /// Takes the contacts over, with the impulses of the last step.
    fn make_rows(&mut self, step: f32) {
        let soft = Softness::new(HERTZ, 10.0, step);
        self.rows.clear();
        for contact in self.world.contacts().with_slots() {
            let place = |id: BodyId| self.places[id.index() as usize];
            let (a, b) = (place(contact.contact.a), place(contact.contact.b));
            let (body_a, body_b) = (&self.bodies[a], &self.bodies[b]);
            let inertia = [body_a.world_inertia(), body_b.world_inertia()];
            let points = contact.contact.points().zip(contact.anchors).zip(contact.slots);
            for (((manifold, _), anchor), slot) in points {
                let normal = manifold.normal;
                let tangents: [Vec3; 2] = normal.any_orthonormal_pair().into();
                let arms = [body_a.rotation * anchor.local_a, body_b.rotation * anchor.local_b];
                let inverse = [normal, tangents[0], tangents[1]].map(|way| {
                    let felt = |i: usize| {
                        let turn = arms[i].cross(way);
                        turn.dot(inertia[i] * turn)
                    };
                    body_a.inverse_mass + body_b.inverse_mass + felt(0) + felt(1)
                });
                // Friction is kept as a vector, for the tangents turn with the normal.
                let friction = Vec3::new(slot[1], slot[2], slot[3]);
                self.rows.push(Row {
                    a,
                    b,
                    normal,
                    tangents,
                    local: [anchor.local_a, anchor.local_b],
                    arms,
                    inertia,
                    mass: inverse.map(|x| if x > 0.0 { 1.0 / x } else { 0.0 }),
                    impulse: [slot[0], friction.dot(tangents[0]), friction.dot(tangents[1])],
                    soft,
                });
            }
        }
    }

    /// Writes the impulses to the slots, where the next step finds them.
    fn keep_impulses(&mut self) {
        let mut rows = self.rows.iter();
        for contact in self.world.contacts_mut() {
            for (slot, row) in contact.slots.iter_mut().zip(&mut rows) {
                let friction = row.tangents[0] * row.impulse[1] + row.tangents[1] * row.impulse[2];
                *slot = [row.impulse[0], friction.x, friction.y, friction.z];
            }
        }
    }

    fn warm_start(&mut self) {
        for row in &self.rows {
            let [x, y, z] = row.impulse;
            let impulse = row.normal * x + row.tangents[0] * y + row.tangents[1] * z;
            push(&mut self.bodies, row, impulse);
        }
    }

    /// One pass over all contacts; without bias it takes the speed of the pushing out again.
    fn solve(&mut self, step: f32, with_bias: bool) {
        for row in &mut self.rows {
            let (a, b) = (&self.bodies[row.a], &self.bodies[row.b]);
            let between =
                b.position - a.position + (b.rotation * row.local[1] - a.rotation * row.local[0]);
            let distance = between.dot(row.normal);
            let (bias, soft) = if distance > 0.0 {
                (distance / step, Softness::RIGID)
            } else if with_bias {
                ((row.soft.bias * distance).max(-MOST_PUSH), row.soft)
            } else {
                (0.0, Softness::RIGID)
            };
            let speed = (b.velocity_at(row.arms[1]) - a.velocity_at(row.arms[0])).dot(row.normal);
            let change = -row.mass[0] * soft.mass * (speed + bias) - soft.impulse * row.impulse[0];
            let total = (row.impulse[0] + change).max(0.0);
            let impulse = row.normal * (total - row.impulse[0]);
            row.impulse[0] = total;
            push(&mut self.bodies, row, impulse);

            let (a, b) = (&self.bodies[row.a], &self.bodies[row.b]);
            let slip = b.velocity_at(row.arms[1]) - a.velocity_at(row.arms[0]);
            let wanted: [f32; 2] = std::array::from_fn(|i| {
                row.impulse[1 + i] - row.mass[1 + i] * slip.dot(row.tangents[i])
            });
            let length = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
            let most = FRICTION * row.impulse[0];
            let share = if length > most { most / length } else { 1.0 };
            let mut impulse = Vec3::ZERO;
            for (i, wanted) in wanted.into_iter().enumerate() {
                let kept = wanted * share;
                impulse += row.tangents[i] * (kept - row.impulse[1 + i]);
                row.impulse[1 + i] = kept;
            }
            push(&mut self.bodies, row, impulse);
        }
    }

    /// Sweeps the bodies that went farther than they are thick, and stops them where they hit.
    fn stop_fast_bodies(&mut self, before: &[Vec3]) {
        let bodies = self.bodies.iter_mut().zip(before);
        let mut fast = bodies
            .filter(|(body, start)| {
                body.position.distance(**start) > 0.5 * body.thickness && body.inverse_mass > 0.0
            })
            .peekable();
        if fast.peek().is_none() {
            return;
        }
        self.world.prepare_queries();
        let Some(queries) = self.world.view() else { return };
        for (body, &start) in fast {
            if let Some((position, normal)) = first_hit(&self.world, &queries, body, start) {
                body.position = position;
                body.velocity -= normal * body.velocity.dot(normal).min(0.0);
            }
        }
    }

    /// Speed of the fastest and mean square speed of all moving bodies.
    pub(crate) fn speeds(&self) -> (f32, f32) {
        let moving: Vec<f32> = self
            .bodies
            .iter()
            .filter(|body| body.inverse_mass > 0.0)
            .map(|body| body.velocity.length_squared())
            .collect();
        let count = moving.len() as f32;
        let fastest = moving.iter().fold(0.0_f32, |most, &speed| most.max(speed));
        (fastest.sqrt(), (moving.iter().sum::<f32>() / count).sqrt())
    }

    /// How deep the deepest contact is now.
    pub(crate) fn depth(&mut self) -> f32 {
        self.world.update();
        self.world.contacts().iter().map(|c| -c.distance()).fold(0.0, f32::max)
    }

    pub(crate) fn position(&self, id: BodyId) -> Vec3 {
        self.bodies[self.places[id.index() as usize]].position
    }
}

/// Where a fast body stops on its way from `start`, and the normal there.
fn first_hit(
    world: &World,
    queries: &Queries<'_>,
    body: &Rigid,
    start: Vec3,
) -> Option<(Vec3, Vec3)> {
    let shape = world.body(body.id)?.shape().clone();
    let pose = Pose::new(start, body.rotation).ok()?;
    let way = body.position - start;
    let query = SweepQuery::new(&shape, pose, way)
        .options(SweepOptions { skip_started: true, ..SweepOptions::default() })
        .filter(Filter::new().asked_by(body.id));
    let hit = queries.sweep_with(&query)?;
    // A little deeper than touch, so that the contact holds it at the next step.
    let into = 0.1 * SLOP / way.length();
    Some((start + way * (hit.fraction + into).min(1.0), hit.normal))
}

/// Gives both bodies of a contact their share of an impulse.
fn push(bodies: &mut [Rigid], row: &Row, impulse: Vec3) {
    let [arm_a, arm_b] = row.arms;
    let a = &mut bodies[row.a];
    a.velocity -= impulse * a.inverse_mass;
    a.spin -= row.inertia[0] * arm_a.cross(impulse);
    let b = &mut bodies[row.b];
    b.velocity += impulse * b.inverse_mass;
    b.spin += row.inertia[1] * arm_b.cross(impulse);
}
