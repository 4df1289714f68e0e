//! Why two bodies do or do not meet.

use std::fmt;

use impinge_narrowphase::{self as narrow, Closest};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Aabb, round};

use crate::{BodyId, BodyKind, Groups, World};

/// What decides about two bodies; the first that applies, in this order.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, Groups, Verdict, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(vec3(1.5, 1.5, 0.0)))?;
/// assert_eq!(world.explain(a, b).verdict, Verdict::ShapesApart); // though their bounds meet
/// world.set_pose(b, Pose::from_position(Vec3::X)?)?;
/// assert_eq!(world.explain(a, b).verdict, Verdict::Contact); // at once, without an update
/// world.set_groups(b, Groups::NONE)?;
/// let verdict = world.explain(a, b).verdict;
/// assert_eq!(verdict, Verdict::Groups { a: Groups::ALL, b: Groups::NONE });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Verdict {
    /// This id names no body of the world.
    StaleId(BodyId),
    /// Both ids name the same body.
    SameBody,
    /// Two fixed bodies never meet.
    BothFixed,
    /// One belongs to no group that the other accepts.
    Groups {
        /// Groups of the first body.
        a: Groups,
        /// Groups of the second body.
        b: Groups,
    },
    /// They [ignore](World::set_ignored) each other.
    Ignored,
    /// The contact filter keeps them apart.
    ContactFilter,
    /// Their bounds, grown by half of the margin each, are apart.
    BoundsApart {
        /// Axis of the widest gap: 0 for x, 1 for y, 2 for z.
        axis: usize,
        /// How wide it is, rounded down.
        gap: f32,
    },
    /// Their shapes are farther apart than the margin; [`Explanation::closest`] tells how far, and
    /// its normal is an axis that separates them.
    ShapesApart,
    /// They overlap through a sensor.
    SensorOverlap,
    /// They are in contact, maybe by the margin only.
    Contact,
}

/// Why two bodies meet, or why they do not; what [`World::explain`] answers.
///
/// It prints as a sentence.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, Verdict, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 1.5))?;
/// let why = world.explain(a, b);
/// assert!(why.meet() && why.verdict == Verdict::Contact);
/// world.set_ignored(a, b, true)?;
/// assert_eq!(world.explain(a, b).to_string(), "apart: the bodies ignore each other");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Explanation {
    /// What decides.
    pub verdict: Verdict,
    /// One of them is a sensor.
    pub sensor: bool,
    /// Distance up to which they would be in contact; 0 with a sensor.
    pub margin: f32,
    /// Distance, axis and nearest points of the shapes, whatever decides; A is the first body.
    /// `None` where there are no two bodies.
    pub closest: Option<Closest>,
}

impl Explanation {
    /// Whether the next update reports a contact or a sensor overlap, if nothing changes.
    #[must_use]
    pub fn meet(&self) -> bool {
        matches!(self.verdict, Verdict::Contact | Verdict::SensorOverlap)
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verdict {
            Verdict::StaleId(id) => write!(f, "{id:?} is not a body of this world"),
            Verdict::SameBody => write!(f, "apart: both are the same body"),
            Verdict::BothFixed => write!(f, "apart: both bodies are fixed"),
            Verdict::Groups { a, b } => write!(
                f,
                "apart: groups {:#x} accepting {:#x} do not meet groups {:#x} accepting {:#x}",
                a.memberships, a.accepts, b.memberships, b.accepts
            ),
            Verdict::Ignored => write!(f, "apart: the bodies ignore each other"),
            Verdict::ContactFilter => write!(f, "apart: the contact filter said no"),
            Verdict::BoundsApart { axis, gap } => {
                let name = ["x", "y", "z"].get(axis).copied().unwrap_or("?");
                write!(f, "apart: the bounds are {gap} apart along {name}")
            }
            Verdict::ShapesApart => {
                write!(f, "apart: the shapes are")?;
                self.write_distance(f)
            }
            Verdict::SensorOverlap => {
                write!(f, "overlap through a sensor:")?;
                self.write_distance(f)
            }
            Verdict::Contact => {
                write!(f, "in contact:")?;
                self.write_distance(f)
            }
        }
    }
}

impl Explanation {
    fn write_distance(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Closest { distance, normal: Vec3 { x, y, z }, .. }) = self.closest else {
            return Ok(());
        };
        write!(f, " distance {distance} along ({x}, {y}, {z}), margin {}", self.margin)
    }
}

impl World {
    /// Why two bodies meet, or why they do not, as they are now.
    ///
    /// ```
    /// use impinge_shapes::{Shape, glam::Vec3};
    /// use impinge_world::{Body, Verdict, World};
    ///
    /// let mut world = World::new();
    /// let ball = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// let cube = world.insert(Body::moving(Shape::cuboid(Vec3::ONE)?).at(Vec3::X * 5.0))?;
    /// let why = world.explain(ball, cube);
    /// assert_eq!(why.verdict, Verdict::BoundsApart { axis: 0, gap: 3.0 });
    /// assert_eq!(why.to_string(), "apart: the bounds are 3 apart along x");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, a: BodyId, b: BodyId) -> Explanation {
        self.explain_with(a, b, None)
    }

    /// [`World::explain`] for an update with this contact filter.
    #[must_use]
    pub fn explain_with(
        &self,
        a: BodyId,
        b: BodyId,
        contact_filter: Option<&(dyn Fn(BodyId, BodyId) -> bool + Sync)>,
    ) -> Explanation {
        let stale = |verdict| Explanation { verdict, sensor: false, margin: 0.0, closest: None };
        let Some(one) = self.state.bodies.get(a) else { return stale(Verdict::StaleId(a)) };
        let Some(other) = self.state.bodies.get(b) else { return stale(Verdict::StaleId(b)) };
        if a == b {
            return stale(Verdict::SameBody);
        }
        let (tag_a, tag_b) = (self.state.bodies.tag(a.index()), self.state.bodies.tag(b.index()));
        let sensor = tag_a.sensor || tag_b.sensor;
        let pair_margin = self.state.bodies.pair_margin(a.index(), b.index(), self.state.margin);
        let margin = if sensor { 0.0 } else { pair_margin };
        let (shape_a, pose_a, shape_b, pose_b) = (&one.shape, &one.pose, &other.shape, &other.pose);
        let verdict = if tag_a.kind == BodyKind::Fixed && tag_b.kind == BodyKind::Fixed {
            Verdict::BothFixed
        } else if !tag_a.groups.meets(tag_b.groups) {
            Verdict::Groups { a: tag_a.groups, b: tag_b.groups }
        } else if self.state.bodies.are_ignored(a, b) {
            Verdict::Ignored
        } else if contact_filter.is_some_and(|filter| !filter(a.min(b), a.max(b))) {
            Verdict::ContactFilter
        } else if let Some((axis, gap)) =
            gap(&self.grown_bounds(a, one), &self.grown_bounds(b, other))
        {
            Verdict::BoundsApart { axis, gap }
        } else if sensor {
            let overlap = narrow::overlaps(shape_a, pose_a, shape_b, pose_b);
            if overlap { Verdict::SensorOverlap } else { Verdict::ShapesApart }
        } else {
            // The smaller id first, as in an update.
            let found = if a < b {
                narrow::manifolds(shape_a, pose_a, shape_b, pose_b, margin)
            } else {
                narrow::manifolds(shape_b, pose_b, shape_a, pose_a, margin)
            };
            if found.is_empty() { Verdict::ShapesApart } else { Verdict::Contact }
        };
        let closest = narrow::closest(shape_a, pose_a, shape_b, pose_b, f32::INFINITY);
        Explanation { verdict, sensor, margin, closest }
    }
}

/// The axis along which two boxes are farthest apart, if they are.
fn gap(a: &Aabb, b: &Aabb) -> Option<(usize, f32)> {
    if a.overlaps(b) {
        return None;
    }
    let mut widest = (0, f64::NEG_INFINITY);
    for axis in 0..3 {
        let above = f64::from(b.min()[axis]) - f64::from(a.max()[axis]);
        let below = f64::from(a.min()[axis]) - f64::from(b.max()[axis]);
        if above.max(below) > widest.1 {
            widest = (axis, above.max(below));
        }
    }
    Some((widest.0, round::down(widest.1)))
}
