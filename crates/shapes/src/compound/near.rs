//! Which parts of a compound may be near something, for little work.

use glam::{DMat3, DQuat, DVec3};

use super::Compound;
use crate::pose::{Frame, Nearly, unit};
use crate::{Aabb, Pose, Ray, Shape, tolerance};

/// A part and a box around its core, all in the compound's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hold {
    /// Number of the part's first simple shape among those of all.
    pub(super) first: u32,
    /// The part's position.
    place: DVec3,
    /// The part's rotation at unit length.
    unit: DQuat,
    /// The part's axes.
    turn: DMat3,
    /// How far the core reaches along them from the part's position; infinite for a half-space.
    half: DVec3,
    /// By how much the core is grown.
    margin: f64,
    /// Of a ball around the part.
    reach: f64,
}

impl Hold {
    pub(super) fn new(first: u32, pose: &Pose, shape: &Shape) -> Self {
        let of_bounds =
            |bounds: &Aabb| (bounds.min().abs().max(bounds.max().abs()).as_dvec3(), 0.0);
        let (half, margin) = match shape {
            Shape::TriangleMesh(mesh) => of_bounds(mesh.bounds()),
            Shape::HeightField(field) => of_bounds(field.bounds()),
            _ => shape
                .solid()
                .map_or((DVec3::INFINITY, 0.0), |solid| (solid.core.reach(), solid.radius())),
        };
        Self {
            first,
            place: pose.translation(),
            unit: unit(pose.rotation()),
            turn: pose.rotation_matrix(),
            half,
            margin,
            reach: half.length() + margin,
        }
    }

    /// How far the part reaches from the compound's origin, or more; 0 if it is infinite.
    pub(super) fn extent(&self) -> f64 {
        let extent = self.place.abs().element_sum() + self.reach;
        if extent.is_finite() { extent } else { 0.0 }
    }

    /// The part's pose in the world, at `at` in this frame.
    #[inline(always)]
    pub(super) fn placed(&self, frame: &Frame, at: &Pose) -> Pose {
        frame.compose_unit(at, self.unit)
    }

    /// A lower bound of the signed distance of the part from a point of the compound's frame, but for
    /// rounding.
    #[inline(always)]
    fn height(&self, point: DVec3) -> f64 {
        let arm = point - self.place;
        let DMat3 { x_axis, y_axis, z_axis } = self.turn;
        let over = DVec3::new(x_axis.dot(arm), y_axis.dot(arm), z_axis.dot(arm)).abs() - self.half;
        let most = over.max_element();
        let distance = if most > 0.0 { over.max(DVec3::ZERO).length() } else { most };
        distance - self.margin
    }
}

/// The box of a hold, grown by some more.
impl Hold {
    /// Whether a ray certainly passes the box, grown by the margin and by `slack`, or ends before
    /// it; from a place and along a direction of the compound's frame, up to a distance.
    ///
    /// - Source: as [`crate::miss`].
    #[inline(always)]
    fn is_passed(&self, arm: DVec3, direction: DVec3, end: f64, slack: f64) -> bool {
        let DMat3 { x_axis, y_axis, z_axis } = self.turn;
        let m = [x_axis.dot(arm), y_axis.dot(arm), z_axis.dot(arm)];
        let d = [x_axis.dot(direction), y_axis.dot(direction), z_axis.dot(direction)];
        let half = (self.half + (self.margin + slack)).to_array();
        let mut apart = false;
        for ((m, d), half) in m.iter().zip(&d).zip(&half) {
            let closing = if *m < 0.0 { *d } else { -d };
            let gap = m.abs() - half;
            apart |= (gap > 0.0) & ((closing <= 0.0) | (closing * end < gap));
        }
        for (j, k) in [(1, 2), (2, 0), (0, 1)] {
            let height = (m[j] * d[k] - m[k] * d[j]).abs();
            apart |= height > half[j] * d[k].abs() + half[k] * d[j].abs();
        }
        apart
    }
}

/// How far a place in the frame of a compound may be from that of a part in the world, where `size`
/// is the sum of all that enters, with the farthest part's extent; `None` where more than that is
/// rounded.
///
/// - Error: a part's place in the world is rounded to f32 and a distance, too, by less than 2^-22 of
///   the coordinates together.
#[inline(always)]
fn slack(size: f64) -> Option<f64> {
    let slack = size * tolerance::ROUNDED_PLACE;
    // Beyond them places are rounded by more.
    (slack >= f32::MIN_POSITIVE.into() && size <= f32::MAX.into()).then_some(slack)
}

/// A ray in the frame of a compound, in f64.
pub(super) struct Way {
    origin: DVec3,
    direction: DVec3,
    /// See [`slack`].
    slack: Option<f64>,
}

impl Way {
    #[inline(always)]
    pub(super) fn new(frame: &Nearly, extent: f64, ray: &Ray) -> Self {
        let origin = ray.origin().as_dvec3();
        Self {
            origin: frame.undo(origin),
            direction: frame.undo_turn(ray.direction().as_dvec3()),
            slack: slack(frame.size() + origin.abs().element_sum() + extent),
        }
    }

    /// Whether the ray certainly passes a part, or ends before it: by a ball and a box around the
    /// part.
    #[inline(always)]
    pub(super) fn misses(&self, hold: &Hold, end: f32) -> bool {
        let Some(slack) = self.slack else { return false };
        let to = hold.place - self.origin;
        let reach = hold.reach + slack;
        let (square, along) = (reach * reach, to.dot(self.direction));
        let ahead = f64::from(end) * (1.0 + tolerance::ROUNDED_PLACE) + reach;
        to.cross(self.direction).length_squared() > square
            || (along < 0.0 && to.length_squared() > square)
            || along > ahead
            || hold.is_passed(-to, self.direction, ahead, slack)
    }
}

/// A compound at a pose.
///
/// ```
/// use impinge_shapes::{Compound, Pose, Shape};
/// use glam::{DVec3, Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let at = |x: f32| Pose::from_position(Vec3::new(x, 0.0, 0.0)).unwrap();
/// let dumbbell = Compound::new([(at(-3.0), ball.clone()), (at(3.0), ball)]).unwrap();
/// let mut placed = dumbbell.at(&at(10.0));
/// let mut parts = placed.nearest_to(DVec3::X * 20.0, 0.5);
/// let (bound, part) = parts.next_within(10.0).unwrap();
/// assert!(part == 1 && bound <= 5.5 && bound > 5.4);
/// assert_eq!(parts.next_within(10.0), None);
/// assert_eq!(placed.part(1).unwrap().1, at(13.0));
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PlacedCompound<'a> {
    compound: &'a Compound,
    pose: Pose,
    near: Nearly,
    /// Made for the first part that is placed.
    frame: Option<Frame>,
}

impl<'a> PlacedCompound<'a> {
    #[inline(always)]
    pub(super) fn new(compound: &'a Compound, pose: &Pose) -> Self {
        Self { compound, pose: *pose, near: pose.nearly(), frame: None }
    }

    /// The part of that index with the number of its first simple shape among those of all, and its
    /// pose in the world; `None` beyond the last.
    #[must_use]
    #[inline]
    pub fn part(&mut self, index: usize) -> Option<(u32, Pose, &'a Shape)> {
        let (at, shape) = self.compound.parts.get(index)?;
        let hold = self.compound.holds.get(index)?;
        let frame = self.frame.get_or_insert_with(|| self.pose.frame());
        Some((hold.first, hold.placed(frame, at), shape))
    }

    /// Whether the part of that index is a mesh or a height field.
    #[must_use]
    #[inline]
    pub fn is_surface(&self, index: usize) -> bool {
        let part = self.compound.parts.get(index).map(|(_, part)| part);
        matches!(part, Some(Shape::TriangleMesh(_) | Shape::HeightField(_)))
    }

    /// The parts with a lower bound of the signed distance of each from anything within a ball of the
    /// world.
    ///
    /// - Sign: as of [`closest`](https://docs.rs/impinge-narrowphase) points, negative by the depth
    ///   of overlap.
    #[must_use]
    #[inline]
    pub fn nearest_to(&self, center: DVec3, radius: f64) -> PartsByBound {
        let point = self.near.undo(center);
        let size = self.near.size() + center.abs().element_sum() + radius;
        // Below all bounds where more is rounded than this tells.
        let slack = slack(size + self.compound.extent).unwrap_or(f64::INFINITY);
        let bound = |hold: &Hold| hold.height(point) - radius - slack;
        let mut bounds = PartsByBound { few: [f64::NAN; FEW], rest: Vec::new() };
        for (place, hold) in bounds.few.iter_mut().zip(&self.compound.holds) {
            *place = bound(hold);
        }
        bounds.rest.extend(self.compound.holds.iter().skip(FEW).map(bound));
        bounds
    }
}

/// Parts of a compound whose bounds need no memory of their own.
const FEW: usize = 8;

/// Parts of a compound that are yet to be looked at, by a bound of their distance.
///
/// ```
/// use impinge_shapes::{Compound, Pose, Shape};
/// use glam::{DVec3, Vec3};
///
/// let ball = Shape::sphere(1.0)?;
/// let row = (0..10).map(|k| (Pose::from_position(Vec3::X * (3 * k) as f32).unwrap(), ball.clone()));
/// let row = Compound::new(row).unwrap();
/// let mut parts = row.at(&Pose::IDENTITY).nearest_to(DVec3::X * 27.0, 0.0);
/// let near: Vec<usize> = std::iter::from_fn(|| Some(parts.next_within(6.0)?.1)).collect();
/// assert_eq!(near, [9, 8, 7]);
/// # Ok::<(), impinge_shapes::SphereError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PartsByBound {
    few: [f64; FEW],
    rest: Vec<f64>,
}

impl PartsByBound {
    /// Takes the part with the least bound, if that is at most `limit`: the bound and the part's
    /// index.
    ///
    /// - Ties: the part that comes first.
    /// - Cost: a look at all parts.
    #[inline]
    pub fn next_within(&mut self, limit: f64) -> Option<(f64, usize)> {
        // Looked for each time, because most parts are never asked for.
        let (mut least, mut first) = (f64::INFINITY, usize::MAX);
        let mut look = |index: usize, bound: f64| {
            let is_less = bound < least;
            least = if is_less { bound } else { least };
            first = if is_less { index } else { first };
        };
        for (index, &bound) in self.few.iter().enumerate() {
            look(index, bound);
        }
        for (index, &bound) in (FEW..).zip(&self.rest) {
            look(index, bound);
        }
        if least > limit {
            return None;
        }
        // No number is less than this, nor is it less than any.
        let place = match first.checked_sub(FEW) {
            None => self.few.get_mut(first)?,
            Some(later) => self.rest.get_mut(later)?,
        };
        *place = f64::NAN;
        Some((least, first))
    }
}
