//! Two simple shapes on their ways: how far apart they are at a time, and how fast that can change.

use impinge_shapes::HalfSpace;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::{DMat3, DVec3};

use crate::motion::turned;
use crate::{Motion, Relative, convex, tolerance};

/// A frame fixed to a body on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    /// Centre of turning at the start.
    center: DVec3,
    velocity: DVec3,
    /// Unit, or zero without a turn.
    axis: DVec3,
    angle: f64,
    /// From the centre to the frame's origin, at the start.
    arm: DVec3,
    rotation: DMat3,
}

impl Track {
    /// The frame that is at a place of the world at the start; `origin` is taken off all places, so
    /// that what is far from the world's origin loses no bits.
    pub(super) fn new(
        motion: &Motion,
        (rotation, position): (DMat3, DVec3),
        origin: DVec3,
    ) -> Self {
        let (axis, angle) = motion.axis_and_angle();
        let center = motion.world_center();
        let velocity = motion.displacement().as_dvec3();
        Self { center: center - origin, velocity, axis, angle, arm: position - center, rotation }
    }

    /// Rotation and position at a time.
    fn at(&self, time: f64) -> (DMat3, DVec3) {
        let center = self.center + self.velocity * time;
        let turn = turned(self.axis, self.angle * time);
        (turn * self.rotation, center + turn * self.arm)
    }

    /// Speed along a unit direction, at any time, of a point at this distance from the axis, in
    /// excess of that of the centre.
    fn swing(&self, n: DVec3, lever: f64) -> f64 {
        self.angle * n.cross(self.axis).length() * lever
    }

    fn size(&self) -> f64 {
        self.arm.abs().element_sum() + self.velocity.abs().element_sum()
    }
}

/// A convex solid on its way.
#[derive(Clone, Copy)]
pub(super) struct Mover<'a> {
    track: Track,
    solid: Solid<'a>,
    /// Greatest distance of the core's points from the axis. The radius around the core plays no
    /// part: it is the same in all directions.
    lever: f64,
    /// Greatest distance of the core's points from the centre of turning.
    far: f64,
}

impl<'a> Mover<'a> {
    pub(super) fn new(track: Track, solid: Solid<'a>) -> Self {
        let (mut lever, mut far) = (0.0_f64, 0.0_f64);
        let mut reach_point = |point: DVec3, around: f64| {
            let from_center = track.arm + track.rotation * point;
            let from_axis = from_center - track.axis * track.axis.dot(from_center);
            lever = lever.max(from_axis.length() + around);
            far = far.max(from_center.length() + around);
        };
        let reach = solid.core.reach();
        match solid.core {
            Core::Cylinder(_) => {
                for end in [-reach.y, reach.y] {
                    reach_point(DVec3::Y * end, reach.x);
                }
            }
            Core::Cone(_) => {
                reach_point(DVec3::Y * reach.y, 0.0);
                reach_point(DVec3::Y * -reach.y, reach.x);
            }
            core => {
                for vertex in core.vertices().unwrap_or_default() {
                    reach_point(vertex.as_dvec3(), 0.0);
                }
            }
        }
        Self { track, solid, lever, far }
    }

    fn size(&self) -> f64 {
        self.track.size() + self.solid.core.reach().element_sum() + self.solid.radius()
    }
}

/// A half-space on its way.
#[derive(Clone, Copy)]
pub(super) struct Ground {
    track: Track,
    /// Unit, out of it, at the start.
    outward: DVec3,
    /// Height of the boundary over the centre of turning.
    height: f64,
}

impl Ground {
    pub(super) fn new(track: Track, half_space: &HalfSpace) -> Self {
        let normal = half_space.normal().as_dvec3();
        let length = normal.length();
        let outward = track.rotation * (normal / length);
        let height = outward.dot(track.arm) + f64::from(half_space.offset()) / length;
        Self { track, outward, height }
    }

    /// The frame of the boundary's point under the centre of turning.
    pub(super) fn foot(&self) -> Track {
        Track { arm: self.outward * self.height, ..self.track }
    }

    /// Whether the boundaries of two half-spaces that look at each other do so all the way.
    pub(super) fn stays_opposite(&self, other: &Self) -> bool {
        let turn = |ground: &Self| ground.track.axis * ground.track.angle;
        let turns = |ground: &Self| turn(ground).cross(ground.outward).length_squared() > 0.0;
        turn(self) == turn(other) || !(turns(self) || turns(other))
    }
}

/// Two simple shapes on their ways.
pub(super) enum Course<'a> {
    Solids(Mover<'a>, Mover<'a>),
    /// A half-space and a solid.
    Ground(Ground, Mover<'a>),
}

/// A direction along which the two are looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Unit, from the first to the second, in the world.
    pub(super) normal: DVec3,
    /// Between the nearest points, less the origin.
    pub(super) point: DVec3,
}

impl Course<'_> {
    /// The direction along which they are farthest apart at a time, or overlap least.
    pub(super) fn axis(&self, time: f64, guess: Option<DVec3>) -> Axis {
        match self {
            Self::Solids(a, b) => {
                let (at_a, at_b) = (a.track.at(time), b.track.at(time));
                let relative = Relative::between_frames(at_a, at_b);
                let start = guess
                    .map_or(relative.translation(), |normal| relative.vector_from_world(normal));
                let found = convex::closest_in_f64(a.solid, b.solid, &relative, start);
                let normal = relative.vector_to_world(found.normal);
                let between = (found.point_a + found.point_b) * 0.5;
                Axis {
                    normal: normal.try_normalize().unwrap_or(DVec3::X),
                    point: at_a.0 * between + at_a.1,
                }
            }
            Self::Ground(ground, mover) => {
                let outward = turned(ground.track.axis, ground.track.angle * time) * ground.outward;
                let lowest = Self::lowest(mover, outward, time);
                let down = mover.solid.radius() + self.along(outward, time) * 0.5;
                Axis { normal: outward, point: lowest - outward * down }
            }
        }
    }

    /// The core's point farthest against a direction.
    fn lowest(mover: &Mover<'_>, n: DVec3, time: f64) -> DVec3 {
        let (rotation, position) = mover.track.at(time);
        position + rotation * mover.solid.core.support(rotation.transpose() * -n)
    }

    /// How far apart they are at a time along a fixed direction of the world, negative by their
    /// overlap: the distance is no less. The normal of a half-space turns with it.
    ///
    /// - Error: [`Course::noise`].
    pub(super) fn along(&self, normal: DVec3, time: f64) -> f64 {
        match self {
            Self::Solids(a, b) => {
                let between = Self::lowest(b, normal, time) - Self::lowest(a, -normal, time);
                normal.dot(between) - (a.solid.radius() + b.solid.radius())
            }
            Self::Ground(ground, mover) => {
                let outward = turned(ground.track.axis, ground.track.angle * time) * ground.outward;
                let center = ground.track.center + ground.track.velocity * time;
                let lowest = Self::lowest(mover, outward, time);
                outward.dot(lowest - center) - ground.height - mover.solid.radius()
            }
        }
    }

    /// Bound, for all times, of the rate at which [`Course::along`] falls.
    ///
    /// - Source: Mirtich, *Impulse-based dynamic simulation of rigid body systems* (1996), §2.3.2,
    ///   with the distance from the axis in place of that from the centre.
    pub(super) fn approach(&self, normal: DVec3) -> f64 {
        match self {
            Self::Solids(a, b) => {
                normal.dot(a.track.velocity - b.track.velocity)
                    + a.track.swing(normal, a.lever)
                    + b.track.swing(normal, b.lever)
            }
            Self::Ground(ground, mover) => {
                let tilt = ground.tilt();
                let between = mover.track.velocity - ground.track.velocity;
                if tilt > 0.0 {
                    between.length()
                        + mover.track.angle * mover.lever
                        + tilt * Self::span(ground, mover)
                } else {
                    -normal.dot(between) + mover.track.swing(normal, mover.lever)
                }
            }
        }
    }

    /// Bound, for all times and all points, of the second derivative of what [`Course::along`] is
    /// the least of.
    ///
    /// - Derivation: a point at distance `r` from an axis has the acceleration `angle² r` towards
    ///   it, of which the share of `n` across the axis shows. A height over a half-space is the
    ///   product of its normal `N` and an arm `D`, so that its second derivative is
    ///   `N''·D + 2 N'·D' + N·D''`.
    pub(super) fn bend(&self, normal: DVec3) -> f64 {
        match self {
            Self::Solids(a, b) => {
                a.track.swing(normal, a.lever) * a.track.angle
                    + b.track.swing(normal, b.lever) * b.track.angle
            }
            Self::Ground(ground, mover) => {
                let (tilt, turn) = (ground.tilt(), mover.track.angle);
                if tilt > 0.0 {
                    let between = mover.track.velocity - ground.track.velocity;
                    let speed = between.length() + turn * mover.lever;
                    ground.track.angle * tilt * Self::span(ground, mover)
                        + 2.0 * tilt * speed
                        + turn * turn * mover.lever
                } else {
                    mover.track.swing(normal, mover.lever) * turn
                }
            }
        }
    }

    /// Greatest distance of the mover's core from the half-space's centre of turning.
    fn span(ground: &Ground, mover: &Mover<'_>) -> f64 {
        let start = mover.track.center - ground.track.center;
        let end = start + mover.track.velocity - ground.track.velocity;
        start.length().max(end.length()) + mover.far
    }

    /// Bound of the speed of any point of one towards any of the other.
    pub(super) fn speed(&self) -> f64 {
        match self {
            Self::Solids(a, b) => {
                (a.track.velocity - b.track.velocity).length()
                    + a.track.angle * a.lever
                    + b.track.angle * b.lever
            }
            Self::Ground(ground, mover) => {
                (mover.track.velocity - ground.track.velocity).length()
                    + mover.track.angle * mover.lever
                    + ground.tilt() * Self::span(ground, mover)
            }
        }
    }

    /// No length of the pair is larger.
    pub(super) fn size(&self) -> f64 {
        match self {
            Self::Solids(a, b) => {
                a.size() + b.size() + (a.track.center - b.track.center).abs().element_sum()
            }
            Self::Ground(ground, mover) => {
                let between = ground.track.center - mover.track.center;
                ground.track.size()
                    + mover.size()
                    + between.abs().element_sum()
                    + ground.height.abs()
            }
        }
    }

    /// Bound of the error of a separation; an angle of many turns adds its own rounding.
    pub(super) fn noise(&self) -> f64 {
        let turns = match self {
            Self::Solids(a, b) => a.track.angle + b.track.angle,
            Self::Ground(ground, mover) => ground.track.angle + mover.track.angle,
        };
        tolerance::FRAME * self.size() * (1.0 + turns / 64.0)
    }
}

impl Ground {
    /// Rate at which the normal turns.
    fn tilt(&self) -> f64 {
        self.track.angle * self.track.axis.cross(self.outward).length()
    }
}
