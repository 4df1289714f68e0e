//! What each kind of shape shows to a half-space.

use impinge_shapes::convex::{Core, Solid};
use impinge_shapes::glam::DVec3;
use impinge_shapes::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Sphere, Triangle};

use super::Over;
use super::deepest::Deepest;
use super::points::{Corners, Look, Shown};
use crate::real::Real3;

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

    /// The core's deepest place in the world.
    #[inline(always)]
    fn lowest(&self, over: &Over<f64>, deepest: Real3<f64>) -> Real3<f64> {
        over.world(deepest)
    }

    /// The points within the margin; `None` where the room must be asked.
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()>;
}

impl<T: Shows> Shows for &T {
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
    fn lowest(&self, over: &Over<f64>, deepest: Real3<f64>) -> Real3<f64> {
        T::lowest(self, over, deepest)
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        T::show(self, look, shown)
    }
}

impl Shows for Sphere {
    #[inline(always)]
    fn deepest(&self, _up: Real3<f64>) -> Deepest<f64> {
        Deepest { place: Real3::new(0.0, 0.0, 0.0), depth: 0.0 }
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        Real3::new(0.0, 0.0, 0.0)
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        Self::radius(self).into()
    }

    #[inline(always)]
    fn lowest(&self, over: &Over<f64>, _deepest: Real3<f64>) -> Real3<f64> {
        over.position
    }

    /// The room knows the only one there is.
    #[inline(always)]
    fn show(&self, _look: &Look<'_>, _shown: &mut Shown) -> Option<()> {
        None
    }
}

impl Shows for Capsule {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        Deepest::of_points(up, [self.a().into(), self.b().into()])
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        self.a().abs().max(self.b().abs()).into()
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        Self::radius(self).into()
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        let radius = Shows::radius(self);
        let noise = look.over.noise(self.reach(), radius);
        shown.ends(look, [self.a(), self.b()], radius, noise)
    }
}

impl Shows for Cuboid {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        Deepest::of_cuboid(up, self.half_extents().into())
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        self.half_extents().into()
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        shown.lowest_corners(look, self.half_extents().as_dvec3())
    }
}

impl Shows for Triangle {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        let [a, b, c] = self.vertices();
        Deepest::of_points(up, [a.into(), b.into(), c.into()])
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        let [a, b, c] = self.vertices();
        a.abs().max(b.abs()).max(c.abs()).into()
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.triangle(&self.vertices())?;
        corners.finished()
    }
}

impl Shows for ConvexHull {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        let up = DVec3::from(up);
        let vertex = self.support_nearly(-up);
        Deepest { place: vertex.into(), depth: -up.dot(vertex) }
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        Core::Hull(self).reach().into()
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.hull_face(self)?;
        corners.finished()
    }
}

impl Shows for Cylinder {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        Deepest::of_cylinder(up, self.half_height().into(), Self::radius(self).into())
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        let radius = Self::radius(self).into();
        Real3::new(radius, self.half_height().into(), radius)
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.cylinder(self.half_height().into(), Self::radius(self).into())?;
        corners.finished()
    }
}

impl Shows for Cone {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        Deepest::of_cone(up, self.half_height().into(), Self::radius(self).into())
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        let radius = Self::radius(self).into();
        Real3::new(radius, self.half_height().into(), radius)
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.cone(self.half_height().into(), Self::radius(self).into())?;
        corners.finished()
    }
}

/// A box with a radius around it.
pub(crate) struct RoundCuboid {
    pub(crate) half: DVec3,
    pub(crate) radius: f64,
}

impl Shows for RoundCuboid {
    #[inline(always)]
    fn deepest(&self, up: Real3<f64>) -> Deepest<f64> {
        Deepest::of_cuboid(up, self.half.into())
    }

    #[inline(always)]
    fn reach(&self) -> Real3<f64> {
        self.half.into()
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        self.radius
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        if self.radius <= 0.0 {
            // It has the faces of a box.
            return None;
        }
        let mut corners = Corners::of(self, look, shown);
        corners.round_cuboid(self.half, self.radius)?;
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
            Core::Cylinder(it) => it.deepest(up),
            Core::Cone(it) => it.deepest(up),
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
    fn lowest(&self, over: &Over<f64>, deepest: Real3<f64>) -> Real3<f64> {
        match self.core {
            Core::Point => over.position,
            _ => over.world(deepest),
        }
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_>, shown: &mut Shown) -> Option<()> {
        let radius = Self::radius(self);
        if radius > 0.0 {
            let Core::Cuboid(half) = self.core else { return None };
            return RoundCuboid { half: half.as_dvec3(), radius }.show(look, shown);
        }
        match &self.core {
            Core::Point | Core::Segment(_) | Core::Cuboid(_) => None,
            Core::Triangle(vertices) => {
                let mut corners = Corners::of(self, look, shown);
                corners.triangle(vertices)?;
                corners.finished()
            }
            Core::Hull(hull) => hull.show(look, shown),
            Core::Cylinder(it) => it.show(look, shown),
            Core::Cone(it) => it.show(look, shown),
        }
    }
}
