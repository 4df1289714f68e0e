//! Bodies with round edges: cylinders, cones, and their grown versions.
//!
//! Distances are bracketed: two points of the bodies bound them from above, a plane between the
//! bodies (or a polytope within their difference) from below. Which points and which plane does
//! not matter for that, only for how tight the bracket is. Rays, points and planes are exact.

mod bracket;
mod line;
mod plane;

use glam::{DMat3, DQuat, DVec3, Vec3};
use impinge_shapes::{Pose, Shape};

use super::convex::Polytope;

pub(super) use bracket::parted;
pub use bracket::{Bounds, Outcome, clearance, distance, distance_at, signed, sweep};
pub use line::{contains_point, raycast};
pub use plane::{half_space_distance, half_space_relation, half_space_sweep, side_of_plane};

/// Share of the sizes by which bounds in f64 are grown; placing a point rounds by 2^-48 of them.
const SHARE: f64 = 1.0 / (1_u64 << 44) as f64;

/// A disc perpendicular to the Y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Middle.
    pub center: Vec3,
    /// Radius; zero for a point.
    pub radius: f32,
}

/// The hull of some discs in a frame of their own, placed, and grown by two radii.
#[derive(Clone, Debug)]
pub struct Body {
    /// At least one disc: two for a cylinder or a cone, one of no size for each point.
    pub discs: Vec<Disc>,
    /// Where the frame is.
    pub pose: Pose,
    /// By how much the hull is grown.
    pub radius: f32,
    /// By how much more.
    pub margin: f32,
}

impl From<&Polytope> for Body {
    fn from(body: &Polytope) -> Self {
        let disc = |&center: &Vec3| Disc { center, radius: 0.0 };
        Self {
            discs: body.vertices.iter().map(disc).collect(),
            pose: body.pose,
            radius: body.radius,
            margin: body.margin,
        }
    }
}

impl Body {
    /// The points with `|y| ≤ half_height` and `x² + z² ≤ radius²`.
    #[must_use]
    pub fn cylinder(half_height: f32, radius: f32, pose: &Pose) -> Self {
        Self::along_y([(half_height, radius), (-half_height, radius)], pose)
    }

    /// The points between the apex at `half_height` and the disc at `-half_height`.
    #[must_use]
    pub fn cone(half_height: f32, radius: f32, pose: &Pose) -> Self {
        Self::along_y([(half_height, 0.0), (-half_height, radius)], pose)
    }

    fn along_y(discs: [(f32, f32); 2], pose: &Pose) -> Self {
        let disc = |(y, radius)| Disc { center: Vec3::new(0.0, y, 0.0), radius };
        Self { discs: discs.map(disc).to_vec(), pose: *pose, radius: 0.0, margin: 0.0 }
    }

    /// The body that a shape is; `None` for unbounded and composed ones.
    #[must_use]
    pub fn of(shape: &Shape, pose: &Pose) -> Option<Self> {
        match shape {
            Shape::Cylinder(c) => Some(Self::cylinder(c.half_height(), c.radius(), pose)),
            Shape::Cone(c) => Some(Self::cone(c.half_height(), c.radius(), pose)),
            Shape::Rounded(rounded) => {
                let core = Self::of(rounded.core(), pose)?;
                Some(Self { margin: rounded.radius(), ..core })
            }
            other => Polytope::of(other, pose).map(|body| Self::from(&body)),
        }
    }

    /// The polytope that the body is, if all its discs are points.
    #[must_use]
    pub fn polytope(&self) -> Option<Polytope> {
        let is_point = |disc: &Disc| disc.radius <= 0.0;
        self.discs.iter().all(is_point).then(|| Polytope {
            vertices: self.discs.iter().map(|disc| disc.center).collect(),
            pose: self.pose,
            radius: self.radius,
            margin: self.margin,
        })
    }

    /// Bounds in f64, grown by more than rounding may have cost.
    pub(super) fn bounds(&self) -> (DVec3, DVec3) {
        let placed = Placed::new(self, DVec3::ZERO);
        let slack = (placed.size() + placed.radius()) * SHARE;
        let points = self.discs.iter().map(|disc| {
            let reach = f64::from(disc.radius) + placed.radius() + slack;
            (placed.turn * disc.center.as_dvec3() + placed.offset, reach)
        });
        let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        points.fold(none, |(low, high), (p, reach)| (low.min(p - reach), high.max(p + reach)))
    }

    /// How far it reaches from a point.
    pub(super) fn reach_from(&self, point: DVec3) -> f64 {
        let placed = Placed::new(self, point);
        let reach = |disc: &Disc| {
            let center = placed.turn * disc.center.as_dvec3() + placed.offset;
            center.length() + f64::from(disc.radius)
        };
        placed.radius() + self.discs.iter().map(reach).fold(0.0, f64::max)
    }

    /// Height of its lowest point along a unit direction, once it is turned and moved.
    pub(super) fn height(&self, frame: (DMat3, DVec3), direction: DVec3) -> f64 {
        let placed = Placed::new(self, DVec3::ZERO).within(frame);
        direction.dot(placed.farthest(-direction)) - placed.radius()
    }

    /// All numbers that measure it.
    pub(super) fn lengths(&self) -> impl Iterator<Item = f32> + '_ {
        let discs = self.discs.iter().flat_map(|d| [d.center.x, d.center.y, d.center.z, d.radius]);
        discs.chain(self.pose.position().to_array()).chain([self.radius, self.margin])
    }
}

/// A body in f64, relative to some place: rounded by 2^-50 of its coordinates at most.
struct Placed<'a> {
    body: &'a Body,
    turn: DMat3,
    offset: DVec3,
}

impl<'a> Placed<'a> {
    fn new(body: &'a Body, origin: DVec3) -> Self {
        let q: DQuat = body.pose.rotation().as_dquat();
        // The pose takes any quaternion but zero; squares of f32 numbers do not leave f64.
        let turn = DMat3::from_quat(q.normalize());
        Self { body, turn, offset: body.pose.position().as_dvec3() - origin }
    }

    /// The body in a frame that is turned and moved.
    fn within(mut self, (turn, offset): (DMat3, DVec3)) -> Self {
        self.offset = turn * self.offset + offset;
        self.turn = turn * self.turn;
        self
    }

    /// A point farthest along a direction, of the hull without the radii.
    fn farthest(&self, direction: DVec3) -> DVec3 {
        let local = self.turn.transpose() * direction;
        let across = DVec3::new(local.x, 0.0, local.z);
        let rim = across.try_normalize().unwrap_or(DVec3::X);
        let points = self.body.discs.iter().map(|disc| {
            let center = disc.center.as_dvec3();
            center + rim * f64::from(disc.radius)
        });
        let best = points.reduce(|best, p| if local.dot(p) > local.dot(best) { p } else { best });
        self.turn * best.unwrap_or(DVec3::ZERO) + self.offset
    }

    /// Largest coordinate, about.
    fn size(&self) -> f64 {
        let reach = |d: &Disc| d.center.as_dvec3().length() + f64::from(d.radius);
        self.offset.length() + self.body.discs.iter().map(reach).fold(0.0, f64::max)
    }

    fn radius(&self) -> f64 {
        f64::from(self.body.radius) + f64::from(self.body.margin)
    }
}

#[cfg(test)]
mod tests;
