//! Bounded convex shapes over the boundary of a half-space, straight from the two poses.
//!
//! The plane's normal is taken into the shape's frame once, and what of the core lies deepest along
//! it is known in closed form. Where rounding might change a yes or no, and where a shape shows more
//! than a few points, the answer is `None` and the room is asked, whose answers these are.

use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{HalfSpace, Pose, Shape, round};
use smallvec::SmallVec;

use crate::real::{Placed, Real3, Turn};
use crate::witness::{Plane, Rounded, Witness};
use crate::{Closest, ContactPoint, Manifold, ShapeSweepHit, tolerance};

mod points;

pub(crate) use points::Shown;

/// A solid as the boundary of a half-space sees it.
pub(crate) struct Over<'a> {
    solid: &'a Solid<'a>,
    /// The solid's axes in the world, by `1 / per` too long.
    axes: Turn<f64>,
    per: f64,
    /// The solid's origin in the world.
    position: Real3<f64>,
    /// Unit, out of the half-space, in the world.
    outward: Real3<f64>,
    /// The same in the solid's frame.
    up: DVec3,
    /// Height of the solid's origin over the boundary.
    height: f64,
    /// Sum of the lengths that went into the height.
    size: f64,
}

impl<'a> Over<'a> {
    #[inline(always)]
    fn new(solid: &'a Solid<'a>, pose: &Pose, half_space: &HalfSpace, plane_at: &Pose) -> Self {
        let placed = Placed::of(half_space, plane_at);
        let plane = Plane::new(&placed);
        let position = Real3::from(pose.position());
        let away = position - placed.position;
        let q = pose.rotation();
        let (axes, norm) = Turn::scaled([q.x.into(), q.y.into(), q.z.into(), q.w.into()]);
        let per = 1.0 / norm;
        let up = axes.undo(plane.outward);
        Self {
            solid,
            axes,
            per,
            position,
            outward: plane.outward,
            up: DVec3::new(up.x * per, up.y * per, up.z * per),
            height: plane.height(away),
            size: away.sum_abs() + plane.offset.abs(),
        }
    }

    /// The deepest point of the core and how far it is below the solid's origin.
    #[inline(always)]
    fn deepest(&self) -> (DVec3, f64) {
        let up = self.up;
        let below = |point: DVec3| -up.dot(point);
        let lower = |(one, depth): (DVec3, f64), other: DVec3| {
            let reach = below(other);
            if reach > depth { (other, reach) } else { (one, depth) }
        };
        let first = |point: &Vec3| (point.as_dvec3(), below(point.as_dvec3()));
        match &self.solid.core {
            Core::Point => (DVec3::ZERO, 0.0),
            Core::Segment([a, b]) => lower(first(a), b.as_dvec3()),
            Core::Cuboid(half) => {
                let half = half.as_dvec3();
                let side = |up: f64, half: f64| if up < 0.0 { half } else { -half };
                let sides = [side(up.x, half.x), side(up.y, half.y), side(up.z, half.z)];
                (DVec3::from_array(sides), up.abs().dot(half))
            }
            Core::Triangle([a, b, c]) => lower(lower(first(a), b.as_dvec3()), c.as_dvec3()),
            Core::Hull(hull) => {
                let vertex = hull.support_nearly(-up);
                (vertex, below(vertex))
            }
            Core::Cylinder(cylinder) => {
                let (h, r) = (f64::from(cylinder.half_height()), f64::from(cylinder.radius()));
                let (rim, sideways) = self.rim(r);
                let y = if up.y < 0.0 { h } else { -h };
                (rim + DVec3::Y * y, up.y.abs() * h + sideways * r)
            }
            Core::Cone(cone) => {
                let (h, r) = (f64::from(cone.half_height()), f64::from(cone.radius()));
                let (rim, sideways) = self.rim(r);
                let (apex, base) = (-up.y * h, up.y * h + sideways * r);
                let y = DVec3::Y * h;
                if apex > base { (y, apex) } else { (rim - y, base) }
            }
        }
    }

    /// The deepest place of a rim around Y, and the sine of the plane's slope.
    #[inline(always)]
    fn rim(&self, radius: f64) -> (DVec3, f64) {
        let sideways = (self.up.x * self.up.x + self.up.z * self.up.z).sqrt();
        let out = if sideways > 0.0 { -radius / sideways } else { 0.0 };
        (DVec3::new(self.up.x * out, 0.0, self.up.z * out), sideways)
    }

    /// Bound within which a distance is the room's affair.
    ///
    /// Twice that of a room, whose coordinates are those of the solid's frame and may be smaller in
    /// sum by a factor of √3: so that the two never differ about what touches.
    #[inline(always)]
    fn noise(&self) -> f64 {
        let reach = self.solid.core.reach();
        let own = (reach.x + reach.y) + (reach.z + self.solid.radius());
        2.0 * tolerance::FRAME * (self.size + own)
    }

    /// The core's deepest point and the distance; `None` if rounding might hide its sign.
    #[inline(always)]
    fn measured(&self) -> Option<(DVec3, f64)> {
        let (deepest, reach) = self.deepest();
        let distance = self.height - (reach + self.solid.radius());
        if distance.abs() > self.noise() { Some((deepest, distance)) } else { None }
    }

    /// A point of the solid's frame in the world.
    #[inline(always)]
    fn world(&self, point: DVec3) -> Real3<f64> {
        let turned = self.axes.apply(Real3::new(point.x, point.y, point.z));
        self.position + turned * self.per
    }

    /// The solid's lowest point in the world, from that of the core.
    #[inline(always)]
    fn lowest(&self, deepest: DVec3) -> Real3<f64> {
        let core = match self.solid.core {
            Core::Point => self.position,
            _ => self.world(deepest),
        };
        core - self.outward * self.solid.radius()
    }
}

/// Whether the two overlap.
#[inline(always)]
pub(crate) fn overlaps(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
) -> Option<bool> {
    let (_, distance) = Over::new(solid, pose, half_space, plane_at).measured()?;
    Some(distance < 0.0)
}

/// Zero or the distance.
#[inline(always)]
pub(crate) fn distance(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
) -> Option<f32> {
    let (_, distance) = Over::new(solid, pose, half_space, plane_at).measured()?;
    Some(round::nearest(distance).max(0.0))
}

/// Closest points, `None` inside for farther apart than `most`; `flipped`: the caller's A is the
/// half-space.
#[inline(always)]
pub(crate) fn closest(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
    flipped: bool,
    most: f32,
) -> Option<Option<Closest>> {
    let over = Over::new(solid, pose, half_space, plane_at);
    let (deepest, distance) = over.measured()?;
    // Not by `then`, whose closure stays out of line; and a limit that is no number finds nothing.
    Some(if round::nearest(distance) <= most {
        let point_a = over.lowest(deepest);
        let normal = -over.outward;
        let point_b = point_a + normal * distance;
        let found = Witness {
            certain: true,
            single: true,
            distance,
            normal,
            point_a,
            point_b,
            feature: 0.0,
        };
        Some(found.rounded().oriented(flipped).closest())
    } else {
        None
    })
}

/// The manifold of a solid without a room of its own, `None` inside for none.
#[inline(always)]
pub(crate) fn manifold(
    solid: &Solid<'_>,
    pose: &Pose,
    half_space: &HalfSpace,
    plane_at: &Pose,
    flipped: bool,
    margin: f64,
) -> Option<Option<Manifold>> {
    let mut found = None;
    let shape = (solid, pose);
    fill(shape, (half_space, plane_at), flipped, margin, Shown::of, &mut found)?;
    Some(found)
}

/// The manifold of the points that `show` finds, written where it stays: it is large.
#[inline(always)]
pub(crate) fn fill(
    (solid, pose): (&Solid<'_>, &Pose),
    (half_space, plane_at): (&HalfSpace, &Pose),
    flipped: bool,
    margin: f64,
    show: impl Fn(&mut Shown, &Over<'_>, f64, f64) -> Option<()>,
    found: &mut Option<Manifold>,
) -> Option<()> {
    let over = Over::new(solid, pose, half_space, plane_at);
    let (_, distance) = over.measured()?;
    if distance > margin {
        return Some(());
    }
    let mut shown = Shown::NONE;
    show(&mut shown, &over, distance, margin)?;
    let normal = -over.outward;
    let mut met = Witness {
        certain: true,
        single: true,
        distance,
        normal,
        point_a: over.position,
        point_b: over.position,
        feature: 0.0,
    };
    let normal_of_a = met.rounded().oriented(flipped).normal;
    let empty = Manifold { normal: normal_of_a, points: SmallVec::new(), part_a: 0, part_b: 0 };
    let manifold = found.insert(empty);
    for point in shown.points() {
        met.distance = point.height;
        met.point_a = over.world(point.place);
        met.point_b = met.point_a + normal * point.height;
        let Rounded { point_a, point_b, distance, .. } = met.rounded().oriented(flipped);
        let feature = point.feature;
        manifold.points.push(ContactPoint { point_a, point_b, distance, feature });
    }
    Some(())
}

/// First touch of two that are certainly apart, one of which moves by `way`: `None` inside for none.
///
/// `moves`: whether the solid is the mover; otherwise it is the half-space.
#[inline(always)]
pub(crate) fn sweep(
    (solid, pose): (&Solid<'_>, &Pose),
    (half_space, plane_at): (&HalfSpace, &Pose),
    moves: bool,
    way: Vec3,
) -> Option<Option<ShapeSweepHit>> {
    let over = Over::new(solid, pose, half_space, plane_at);
    let (deepest, reach) = over.deepest();
    let (gap, noise) = (over.height - (reach + solid.radius()), over.noise());
    let way = Real3::from(way);
    let rise = over.outward.dot(way);
    let approach = if moves { -rise } else { rise };
    let noise_of_both = noise + 2.0 * tolerance::FRAME * way.sum_abs();
    let beyond = approach - gap;
    if !(gap > noise && beyond.abs() > noise_of_both) {
        return None;
    }
    if beyond < 0.0 {
        return Some(None);
    }
    let fraction = gap / approach;
    let lowest = over.lowest(deepest);
    let point = if moves { lowest + way * fraction } else { lowest };
    let normal = if moves { over.outward } else { -over.outward };
    let vector = |v: Real3<f64>| round::nearest_vec(DVec3::new(v.x, v.y, v.z));
    Some(Some(ShapeSweepHit {
        fraction: round::nearest(fraction),
        distance: round::nearest(fraction * way.dot(way).sqrt()),
        point: vector(point),
        normal: vector(normal),
        started_overlapping: false,
        depth: 0.0,
        part_mover: 0,
        part: 0,
    }))
}

/// [`sweep`] of a shape; `None` for one that is not convex, too.
///
/// Kind by kind, so that each is compiled without any choice left in it.
pub(crate) fn sweep_of_shape(
    (shape, pose): (&Shape, &Pose),
    plane: (&HalfSpace, &Pose),
    moves: bool,
    way: Vec3,
) -> Option<Option<ShapeSweepHit>> {
    match shape {
        Shape::Sphere(it) => sweep((&it.into(), pose), plane, moves, way),
        Shape::Cuboid(it) => sweep((&it.into(), pose), plane, moves, way),
        Shape::Capsule(it) => sweep((&it.into(), pose), plane, moves, way),
        Shape::Cylinder(it) => sweep((&it.into(), pose), plane, moves, way),
        Shape::Cone(it) => sweep((&it.into(), pose), plane, moves, way),
        Shape::Triangle(it) => sweep((&it.as_ref().into(), pose), plane, moves, way),
        Shape::ConvexHull(it) => sweep((&it.as_ref().into(), pose), plane, moves, way),
        Shape::Rounded(it) => sweep((&it.solid(), pose), plane, moves, way),
        Shape::HalfSpace(_)
        | Shape::TriangleMesh(_)
        | Shape::HeightField(_)
        | Shape::Compound(_) => None,
    }
}
