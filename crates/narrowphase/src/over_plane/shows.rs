//! What each kind of shape shows to a half-space.

use fearless_simd::Simd;
use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::DVec3;
use impinge_shapes::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Rounded, Sphere, Triangle};

use super::deepest::Deepest;
use super::eight::Points;
use super::points::{Corners, Look, Shown};
use super::{Deep, Over, face};
use crate::exact_pair::exact_sum;
use crate::real::{Numbers, Real3};

/// A bounded convex shape over the boundary of a half-space: a core, and a radius around it.
///
/// Each kind by itself: a [`Solid`] is larger, and what was written in pieces is slow to be read.
pub(crate) trait Shows {
    /// The core's deepest place.
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64>;

    /// The core's largest coordinates.
    fn reach(&self) -> Real3<f64>;

    /// The radius around the core.
    #[inline(always)]
    fn radius(&self) -> f64 {
        0.0
    }

    /// The depth of the core's deepest place, without rounding, where `up` is an axis.
    #[inline(always)]
    fn level_depth(&self, up: Real3<f64>) -> f64 {
        self.deepest(up).depth
    }

    /// Whether a look at the level depth is shorter than the way to the deepest place, so that it
    /// comes first. What lanes know by its numbers is told the same way by them, so never.
    #[inline(always)]
    fn is_searched(&self) -> bool {
        false
    }

    /// Whether the radius is not rounded.
    #[inline(always)]
    fn has_exact_radius(&self) -> bool {
        true
    }

    /// Whether it shows how the shape is turned.
    #[inline(always)]
    fn is_turned(&self) -> bool {
        true
    }

    /// The core's deepest place in the world.
    #[inline(always)]
    fn lowest(&self, over: &Over<f64>, deepest: Real3<f64>) -> Real3<f64> {
        over.world(deepest)
    }

    /// The points within the margin; `None` where the room must be asked.
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()>;

    /// Whether [`Shows::look_ahead`] tells anything.
    const LOOKS_AHEAD: bool = false;

    /// What is worth knowing of eight shapes before the first of them is shown, because each
    /// waits for it.
    #[inline(always)]
    fn look_ahead<S: Simd>(&self, _simd: S, _up: Real3<f64>) -> Option<u32> {
        None
    }

    /// Puts corners that were found ahead in a lane, without their heights.
    #[inline(always)]
    fn put_corners(&self, _ahead: u32, _lane: usize, _points: &mut Points) {}

    /// As [`Shows::show`], with what was found ahead.
    ///
    /// Out of line: few are asked, and code for one among lanes is made of scattered loads.
    #[inline(never)]
    fn show_by_itself(
        &self,
        _ahead: Option<u32>,
        look: &Look<'_, f64>,
        shown: &mut Shown,
    ) -> Option<()> {
        self.show(look, shown)
    }
}

impl<T: Shows> Shows for &T {
    const LOOKS_AHEAD: bool = T::LOOKS_AHEAD;

    #[inline(always)]
    fn look_ahead<S: Simd>(&self, simd: S, up: Real3<f64>) -> Option<u32> {
        T::look_ahead(self, simd, up)
    }

    #[inline(always)]
    fn put_corners(&self, ahead: u32, lane: usize, points: &mut Points) {
        T::put_corners(self, ahead, lane, points);
    }

    #[inline(always)]
    fn show_by_itself(
        &self,
        ahead: Option<u32>,
        look: &Look<'_, f64>,
        shown: &mut Shown,
    ) -> Option<()> {
        T::show_by_itself(self, ahead, look, shown)
    }

    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        T::deepest(self, up)
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        T::reach(self)
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        T::radius(self)
    }

    #[inline(always)]
    fn level_depth(&self, up: Real3<f64>) -> f64 {
        T::level_depth(self, up)
    }

    #[inline(always)]
    fn is_searched(&self) -> bool {
        T::is_searched(self)
    }

    #[inline(always)]
    fn has_exact_radius(&self) -> bool {
        T::has_exact_radius(self)
    }

    #[inline(always)]
    fn is_turned(&self) -> bool {
        T::is_turned(self)
    }

    #[inline(always)]
    fn lowest(&self, over: &Over<f64>, deepest: Real3<f64>) -> Real3<f64> {
        T::lowest(self, over, deepest)
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        T::show(self, look, shown)
    }
}

/// What is a few numbers, by these.
macro_rules! deep {
    ($($kind:ident),*) => {$(
        impl Shows for $kind {
            #[inline(always)]
            fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
                <Self as Deep>::deepest(up, &self.wide())
            }

            #[inline(always)]
            fn reach(&self) -> Real3<f64> {
                <Self as Deep>::reach(&self.wide())
            }

            #[inline(always)]
            fn radius(&self) -> f64 {
                <Self as Deep>::radius(&self.wide())
            }

            #[inline(always)]
            fn is_turned(&self) -> bool {
                Self::TURNED
            }

            #[inline(always)]
            fn lowest(&self, over: &Over<f64>, deepest: Real3<f64>) -> Real3<f64> {
                over.lowest::<Self>(deepest)
            }

            #[inline(always)]
            fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
                Deep::show(self, look, shown)
            }
        }
    )*};
}
// A rounded shape as one whose core is a box.
deep!(Capsule, Cone, Cuboid, Cylinder, Rounded, Sphere, Triangle);

impl Shows for ConvexHull {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        let up = DVec3::from(up);
        let vertex = self.support_nearly(-up);
        Deepest { place: vertex.into(), depth: -up.dot(vertex) }
    }

    #[inline(always)]
    fn level_depth(&self, up: Real3<f64>) -> f64 {
        let (up, bounds) = (DVec3::from(up), self.local_aabb());
        let lowest =
            DVec3::select(up.cmplt(DVec3::ZERO), bounds.max().as_dvec3(), bounds.min().as_dvec3());
        -up.dot(lowest)
    }

    #[inline(always)]
    fn is_searched(&self) -> bool {
        true
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        Core::Hull(self).reach().into()
    }

    const LOOKS_AHEAD: bool = true;

    /// The face.
    #[inline(always)]
    fn look_ahead<S: Simd>(&self, simd: S, up: Real3<f64>) -> Option<u32> {
        self.face_along_in_lanes(simd, -DVec3::from(up))
    }

    #[inline(always)]
    fn put_corners(&self, face: u32, lane: usize, points: &mut Points) {
        face::put_corners(self, face, lane, points);
    }

    #[inline(never)]
    fn show_by_itself(
        &self,
        face: Option<u32>,
        look: &Look<'_, f64>,
        shown: &mut Shown,
    ) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.hull_face(self, face?)?;
        corners.finished()
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.hull_face(self, self.face_along(-DVec3::from(look.lie.up))?)?;
        corners.finished()
    }
}

/// Any of them, where the compiler does not know which.
impl Shows for Solid<'_> {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        match &self.core {
            Core::Point => Deepest { place: Real3::new(0.0, 0.0, 0.0), depth: 0.0 },
            Core::Segment([a, b]) => Deepest::of_points(up, [(*a).into(), (*b).into()]),
            Core::Cuboid(half) => Deepest::of_cuboid(up, (*half).into()),
            Core::Triangle([a, b, c]) => {
                Deepest::of_points(up, [(*a).into(), (*b).into(), (*c).into()])
            }
            Core::Hull(hull) => hull.deepest(up),
            Core::Cylinder(it) => Shows::deepest(it, up),
            Core::Cone(it) => Shows::deepest(it, up),
        }
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        self.core.reach().into()
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        Self::radius(self)
    }

    #[inline(always)]
    fn level_depth(&self, up: Real3<f64>) -> f64 {
        if let Core::Hull(hull) = &self.core {
            hull.level_depth(up)
        } else {
            self.deepest(up).depth
        }
    }

    #[inline(always)]
    fn is_searched(&self) -> bool {
        matches!(self.core, Core::Hull(_))
    }

    #[inline(always)]
    fn has_exact_radius(&self) -> bool {
        let [one, other] = self.radii;
        exact_sum(one.into(), other.into()).is_some()
    }

    #[inline(always)]
    fn is_turned(&self) -> bool {
        !matches!(self.core, Core::Point)
    }

    #[inline(always)]
    fn lowest(&self, over: &Over<f64>, deepest: Real3<f64>) -> Real3<f64> {
        match self.core {
            Core::Point => over.position,
            _ => over.world(deepest),
        }
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        let radius = Self::radius(self);
        if radius > 0.0 {
            let Core::Cuboid(half) = self.core else { return None };
            let mut corners = Corners::of(self, look, shown);
            corners.round_cuboid(half.as_dvec3(), radius)?;
            return corners.finished();
        }
        match &self.core {
            Core::Point | Core::Segment(_) | Core::Cuboid(_) => None,
            Core::Triangle(vertices) => {
                let mut corners = Corners::of(self, look, shown);
                corners.triangle(vertices)?;
                corners.finished()
            }
            Core::Hull(hull) => hull.show(look, shown),
            Core::Cylinder(it) => Shows::show(it, look, shown),
            Core::Cone(it) => Shows::show(it, look, shown),
        }
    }
}
