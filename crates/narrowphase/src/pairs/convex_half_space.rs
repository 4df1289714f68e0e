//! A convex solid of any kind (A) and a half-space (B).

use std::cmp::Ordering;
use std::marker::PhantomData;

use fearless_simd::{Simd, f64x8};
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::exact::Exact;
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Cone, ConvexHull, Cylinder, HalfSpace, Pose, Rounded, Shape, Triangle};
use smallvec::SmallVec;

use crate::convex::disc::quarters;
use crate::convex::feature::Feature;
use crate::dispatch::Pair;
use crate::exact_pair::{ExactPair, certain, leads_out, noise, relation_of, settle};
use crate::level::{self, Floor};
use crate::over_plane::{self, Deep, OverPlane, Shows, seen_over_plane};
use crate::real::{Placed, Real};
use crate::slot::Slot;
use crate::witness::{Room, Round, Sides, Witness};
use crate::{FeatureId, Impact, Patch, PatchPoint, Relation, Relative, Separation, tolerance};

/// A convex shape without a room of its own, and a half-space.
///
/// The common case, in lanes: the core's lowest point out of rounding's reach of the boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConvexHalfSpace<T>(PhantomData<T>);

pub(crate) type CylinderHalfSpace = ConvexHalfSpace<Cylinder>;
pub(crate) type ConeHalfSpace = ConvexHalfSpace<Cone>;
pub(crate) type TriangleHalfSpace = ConvexHalfSpace<Triangle>;
pub(crate) type HullHalfSpace = ConvexHalfSpace<ConvexHull>;
/// What is rounded, but for boxes: see [`RoundCuboidHalfSpace`].
pub(crate) type RoundedHalfSpace = ConvexHalfSpace<Rounded>;

/// A kind of convex shape without a room of its own.
pub(crate) trait Convex: Deep + 'static {
    /// The shape, if it is of this kind.
    fn of(shape: &Shape) -> Option<&Self>;

    /// As a half-space sees it.
    type Seen<'a>: Shows;

    /// The shape as a half-space sees it.
    fn seen(&self) -> Self::Seen<'_>;
}

macro_rules! convex {
    ($($kind:ident),*) => {$(
        impl Convex for $kind {
            type Seen<'a> = &'a Self;

            #[inline(always)]
            fn of(shape: &Shape) -> Option<&Self> {
                if let Shape::$kind(shape) = shape { Some(shape) } else { None }
            }

            #[inline(always)]
            fn seen(&self) -> &Self {
                self
            }
        }
    )*};
}
convex!(Cone, ConvexHull, Cylinder, Triangle);

impl Convex for Rounded {
    type Seen<'a> = Solid<'a>;

    #[inline(always)]
    fn of(shape: &Shape) -> Option<&Self> {
        if let Shape::Rounded(shape) = shape { Some(shape) } else { None }
    }

    #[inline(always)]
    fn seen(&self) -> Solid<'_> {
        self.into()
    }
}

impl<T: Convex> Room for ConvexHalfSpace<T>
where
    for<'a> &'a T: Into<Solid<'a>>,
{
    type A = T;
    type B = HalfSpace;

    #[inline(always)]
    fn pair<'a>(a: &'a T, b: &'a HalfSpace) -> Pair<'a> {
        Pair::ConvexHalfSpace(a.into(), b)
    }

    #[inline(always)]
    fn of<'a>(a: &'a Shape, b: &'a Shape) -> Option<(&'a T, &'a HalfSpace, bool)> {
        match (a, b) {
            (a, Shape::HalfSpace(b)) => Some((T::of(a)?, b, false)),
            (Shape::HalfSpace(b), a) => Some((T::of(a)?, b, true)),
            _ => None,
        }
    }

    #[inline(always)]
    fn look_up<S: Simd>(
        simd: S,
        shapes: [&T; 8],
        solids: &mut Placed<f64x8<S>>,
        half_spaces: &Placed<f64x8<S>>,
        points: bool,
    ) {
        T::look_up(simd, shapes, solids, half_spaces, points);
    }

    seen_over_plane!();
}

impl<T: Convex> OverPlane for ConvexHalfSpace<T>
where
    for<'a> &'a T: Into<Solid<'a>>,
{
    type Seen<'a> = T::Seen<'a>;

    #[inline(always)]
    fn seen(a: &T) -> T::Seen<'_> {
        a.seen()
    }
}

impl<T: Convex> Round for ConvexHalfSpace<T>
where
    for<'a> &'a T: Into<Solid<'a>>,
{
    // There may be points at other corners.
    const SINGLE: bool = false;

    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        over_plane::witness::<T, R>(a, b)
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        over_plane::sides::<T, R>(a, b)
    }
}

/// A rounded box and a half-space: one of the former whose core the compiler knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundCuboidHalfSpace;

impl Room for RoundCuboidHalfSpace {
    type A = Rounded;
    type B = HalfSpace;

    #[inline(always)]
    fn pair<'a>(a: &'a Rounded, b: &'a HalfSpace) -> Pair<'a> {
        // The caller has looked; no other core leaves the compiler a choice here.
        let half =
            if let Shape::Cuboid(core) = a.core() { core.half_extents() } else { Vec3::ZERO };
        Pair::ConvexHalfSpace(Solid { core: Core::Cuboid(half), radii: [0.0, a.radius()] }, b)
    }

    #[inline(always)]
    fn of<'a>(a: &'a Shape, b: &'a Shape) -> Option<(&'a Rounded, &'a HalfSpace, bool)> {
        ConvexHalfSpace::<Rounded>::of(a, b)
    }

    seen_over_plane!();
}

impl OverPlane for RoundCuboidHalfSpace {
    type Seen<'a> = &'a Rounded;

    #[inline(always)]
    fn seen(a: &Rounded) -> &Rounded {
        a
    }
}

impl Round for RoundCuboidHalfSpace {
    const SINGLE: bool = false;

    #[inline(always)]
    fn witness<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Witness<R> {
        over_plane::witness::<Rounded, R>(a, b)
    }

    #[inline(always)]
    fn sides<R: Real>(a: &Placed<R>, b: &Placed<R>) -> Sides<R::Mask> {
        over_plane::sides::<Rounded, R>(a, b)
    }
}

/// Which corners of a rim stand for all, of a solid's upper and lower one.
pub(crate) const QUARTERS: [u8; 2] = [quarters([0, 0, 0, 0]), quarters([1, 0, 0, 0])];

/// The pair in f64, in the solid's frame.
struct Heights<'a> {
    a: &'a Solid<'a>,
    b: &'a HalfSpace,
    at: &'a Relative,
    /// Unit, out of the half-space.
    outward: DVec3,
    /// The core's lowest point.
    lowest: DVec3,
    /// Its height over the boundary.
    height: f64,
    shift: f64,
    noise: f64,
}

impl<'a> Heights<'a> {
    fn new(a: &'a Solid<'a>, b: &'a HalfSpace, at: &'a Relative) -> Self {
        let normal = b.normal().as_dvec3();
        let (length, offset) = (normal.length(), f64::from(b.offset()));
        let outward = *at.rotation() * (normal / length);
        let lowest = a.core.support(-outward);
        let shift = offset / length;
        let height = outward.dot(lowest - at.translation()) - shift;
        let noise = noise([a.core.reach(), at.translation()], offset.abs() + a.radius());
        Self { a, b, at, outward, lowest, height, shift, noise }
    }

    fn distance(&self) -> f64 {
        self.height - self.a.radius()
    }

    /// Compares the lowest height, after the half-space has moved by `motion`, with the radius.
    ///
    /// - Error: none for polytopes and over a floor; for other curved cores the f64 value decides,
    ///   and what is within its error counts as equal.
    #[cold]
    fn exact_compare(&self, motion: Vec3) -> Ordering {
        let pose = self.at.pose_a();
        let floor = Floor::new(self.b, self.at.pose_b(), pose);
        let gap = floor.and_then(|floor| floor.gap(pose, &self.a.core, motion, self.a.radii));
        if let Some(gap) = gap {
            return level::sign(gap);
        }
        let Some(vertices) = self.a.core.vertices() else { return Ordering::Equal };
        let pair = ExactPair::new(self.at);
        let half_space = pair.half_space_b(self.b);
        let radii = self.a.radii.iter().fold(Exact::ZERO, |sum, &r| sum + Exact::from(r));
        let (reach, motion) = (pair.number(radii), pair.world(motion));
        let heights = vertices
            .iter()
            .map(|vertex| half_space.compare(&pair.of_a(*vertex).minus(&motion), &reach));
        heights.min().unwrap_or(Ordering::Equal)
    }

    fn compare(&self) -> Ordering {
        certain(self.distance(), self.noise).unwrap_or_else(|| self.exact_compare(Vec3::ZERO))
    }

    fn separation(&self) -> Separation {
        let distance = settle(self.distance(), self.noise, || relation_of(self.compare()));
        let normal = -self.outward;
        let point_a = self.lowest + normal * self.a.radius();
        Separation { distance, normal, point_a, point_b: point_a + normal * distance }
    }
}

/// How a convex solid and a half-space lie to each other.
///
/// - Error: none for polytopes, grown or not, and for what stands upright on a boundary across an
///   axis of the world. Any other cylinder or cone within 2^-44 of the size from the boundary counts
///   as touching.
#[must_use]
pub fn relation<'a>(a: impl Into<Solid<'a>>, b: &HalfSpace, b_in_a: &Relative) -> Relation {
    relation_of(Heights::new(&a.into(), b, b_in_a).compare())
}

/// Signed distance of a convex solid and a half-space; however deep, the way out is along the
/// normal.
///
/// - Error: the distance within 2^-44 of the sum of the coordinates; its sign is that of
///   [`relation`].
#[must_use]
pub fn closest<'a>(a: impl Into<Solid<'a>>, b: &HalfSpace, b_in_a: &Relative) -> Separation {
    let a = a.into();
    Heights::new(&a, b, b_in_a).separation()
}

/// Contact points of a convex solid and a half-space: the corners of its lowest face, edge or
/// corner that are within the margin.
///
/// - Feature: the corner.
#[must_use]
pub fn manifold<'a>(
    a: impl Into<Solid<'a>>,
    b: &HalfSpace,
    b_in_a: &Relative,
    margin: f64,
) -> Option<Patch> {
    let a = a.into();
    let found = Heights::new(&a, b, b_in_a);
    let least = found.separation();
    if least.distance > margin {
        return None;
    }
    let normal = least.normal;
    let facing = Feature::facing(&a, normal);
    let mut points: SmallVec<[PatchPoint; 16]> = SmallVec::new();
    let height = |point| found.outward.dot(point - b_in_a.translation()) - found.shift;
    let mut add = |place: usize, point_a| {
        let (distance, name) = (height(point_a), facing.names[place]);
        let feature = FeatureId::of([name, 0, 0, 0]);
        let point_b = point_a + normal * distance;
        points.push(PatchPoint { point_a, point_b, distance, feature });
    };
    let size = found.noise / tolerance::FRAME;
    if facing.rim > tolerance::WIDE_RIM * tolerance::SAME_POINT * size {
        for (place, point) in facing.kept(margin, height, QUARTERS) {
            add(place, point);
        }
    } else {
        for place in 0..facing.corners.len() {
            add(place, facing.end(place));
        }
    }
    let nearest = || FeatureId::of([0, 0, 0, 4]);
    Some(crate::convex::patch::finished(&mut points, &least, margin, size, nearest))
}

/// First touch of a convex solid with a half-space that moves by `motion`.
///
/// - Degenerate: a motion that is not finite moves nothing.
/// - Error: yes/no as in [`relation`].
#[must_use]
pub fn sweep<'a>(
    a: impl Into<Solid<'a>>,
    b: &HalfSpace,
    b_in_a: &Relative,
    motion: Vec3,
) -> Option<Impact> {
    if !motion.is_finite() {
        return None;
    }
    let a = a.into();
    let found = Heights::new(&a, b, b_in_a);
    let along = b_in_a.vector_from_world(motion.as_dvec3());
    let gap = found.distance();
    let approach = found.outward.dot(along);
    let noise_of_motion = noise([along], 0.0);
    let fraction = match relation_of(found.compare()) {
        Relation::Penetrating => 0.0,
        Relation::Touching => {
            let sign = certain(approach, noise_of_motion)
                .unwrap_or_else(|| leads_out(b, b_in_a.pose_b(), motion));
            if sign != Ordering::Greater {
                return None;
            }
            0.0
        }
        Relation::Apart => {
            let at_the_end = certain(gap - approach, found.noise + noise_of_motion)
                .unwrap_or_else(|| found.exact_compare(motion));
            if at_the_end == Ordering::Greater {
                return None;
            }
            if approach > gap { (gap / approach).max(0.0) } else { 1.0 }
        }
    };
    let normal = -found.outward;
    Some(Impact { fraction, normal, point: found.lowest + normal * a.radius() })
}
