//! What of a core lies deepest below a plane, in closed form.

use fearless_simd::{Simd, f64x8};
use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Capsule, Cone, Cuboid, Cylinder, Rounded, Shape, Sphere, Triangle};

use super::eight::Points;
use super::points::{Corners, Look, Shown};
use super::side_by_side::{Around, ends, lowest_corners};
use crate::real::{MOST_NUMBERS, Numbers, Placed, Real, Real3};

/// The deepest place of a core in its own frame, where the plane's normal is `up`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deepest<R> {
    pub(super) place: Real3<R>,
    /// How far it is below the core's origin.
    pub(super) depth: R,
}

impl<R: Real> Deepest<R> {
    /// - Ties: the first one.
    #[inline(always)]
    pub(super) fn of_points<const N: usize>(up: Real3<R>, points: [Real3<R>; N]) -> Self {
        let mut lowest = Self { place: points[0], depth: -up.dot(points[0]) };
        for &place in &points[1..] {
            let depth = -up.dot(place);
            let deeper = depth.above(lowest.depth);
            lowest.place = Real3::pick(deeper, place, lowest.place);
            lowest.depth = depth.most(lowest.depth);
        }
        lowest
    }

    #[inline(always)]
    pub(super) fn of_cuboid(up: Real3<R>, half: Real3<R>) -> Self {
        let zero = up.x.all(0.0);
        let place = Real3 {
            x: R::pick(up.x.below(zero), half.x, -half.x),
            y: R::pick(up.y.below(zero), half.y, -half.y),
            z: R::pick(up.z.below(zero), half.z, -half.z),
        };
        Self { place, depth: up.abs().dot(half) }
    }

    #[inline(always)]
    pub(super) fn of_cylinder(up: Real3<R>, half: R, radius: R) -> Self {
        let (x, z, sideways) = rim(up, radius);
        let y = R::pick(up.y.below(half.all(0.0)), half, -half);
        Self { place: Real3 { x, y, z }, depth: up.y.abs() * half + sideways * radius }
    }

    #[inline(always)]
    pub(super) fn of_cone(up: Real3<R>, half: R, radius: R) -> Self {
        let (x, z, sideways) = rim(up, radius);
        let (apex, base) = (-up.y * half, up.y * half + sideways * radius);
        let (upside_down, zero) = (apex.above(base), half.all(0.0));
        let place = Real3 {
            x: R::pick(upside_down, zero, x),
            y: R::pick(upside_down, half, -half),
            z: R::pick(upside_down, zero, z),
        };
        Self { place, depth: apex.most(base) }
    }
}

/// The deepest place of a rim around Y, and the sine of the plane's slope.
#[inline(always)]
fn rim<R: Real>(up: Real3<R>, radius: R) -> (R, R, R) {
    let (zero, sideways) = (radius.all(0.0), (up.x * up.x + up.z * up.z).sqrt());
    let out = R::pick(sideways.above(zero), -radius / sideways, zero);
    (up.x * out, up.z * out, sideways)
}

/// A shape of a few numbers whose deepest place is known in closed form.
pub(crate) trait Deep: Numbers {
    /// Of the core, from the shape's numbers.
    fn deepest<R: Real>(up: Real3<R>, numbers: &[R; MOST_NUMBERS]) -> Deepest<R>;

    /// Whether the deepest place is not among the shape's numbers: over a floor the level depth is
    /// asked for first, and everywhere else the place is looked up.
    const SEARCHED: bool = false;

    /// Whether a floor is looked for before anything else.
    const FLOOR_FIRST: bool = Self::SEARCHED;

    /// As [`Room::look_up`](crate::witness::Room::look_up), of eight over their half-spaces.
    #[inline(always)]
    fn look_up<S: Simd>(
        _simd: S,
        _shapes: [&Self; 8],
        _solids: &mut Placed<f64x8<S>>,
        _half_spaces: &Placed<f64x8<S>>,
        _points: bool,
    ) {
    }

    /// The core's depth, without rounding, where `up` is an axis.
    #[inline(always)]
    fn level_depth<R: Real>(up: Real3<R>, numbers: &[R; MOST_NUMBERS]) -> R {
        Self::deepest(up, numbers).depth
    }

    /// The core's largest coordinates.
    fn reach<R: Real>(numbers: &[R; MOST_NUMBERS]) -> Real3<R>;

    /// The radius around the core.
    #[inline(always)]
    fn radius<R: Real>(numbers: &[R; MOST_NUMBERS]) -> R {
        numbers[0].all(0.0)
    }

    /// As [`Shows::show`](super::Shows::show).
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()>;

    /// The same of eight side by side: bits of the lanes whose points are told.
    #[inline(always)]
    fn show_eight<S: Simd>(
        _simd: S,
        _look: &Look<'_, f64x8<S>>,
        _numbers: &[f64x8<S>; MOST_NUMBERS],
        _points: &mut Points,
    ) -> u64 {
        0
    }
}

impl Deep for Sphere {
    /// Over a floor its height is nearly always known.
    const FLOOR_FIRST: bool = true;

    #[inline(always)]
    fn deepest<R: Real>(up: Real3<R>, _numbers: &[R; MOST_NUMBERS]) -> Deepest<R> {
        let zero = up.x.all(0.0);
        Deepest { place: Real3::new(zero, zero, zero), depth: zero }
    }

    #[inline(always)]
    fn reach<R: Real>(numbers: &[R; MOST_NUMBERS]) -> Real3<R> {
        let zero = numbers[0].all(0.0);
        Real3::new(zero, zero, zero)
    }

    #[inline(always)]
    fn radius<R: Real>(numbers: &[R; MOST_NUMBERS]) -> R {
        numbers[0]
    }

    /// The room knows the only one there is.
    #[inline(always)]
    fn show(&self, _look: &Look<'_, f64>, _shown: &mut Shown) -> Option<()> {
        None
    }
}

impl Deep for Capsule {
    #[inline(always)]
    fn deepest<R: Real>(up: Real3<R>, &[a, b, c, d, e, f, ..]: &[R; MOST_NUMBERS]) -> Deepest<R> {
        Deepest::of_points(up, [Real3::new(a, b, c), Real3::new(d, e, f)])
    }

    #[inline(always)]
    fn reach<R: Real>(&[a, b, c, d, e, f, ..]: &[R; MOST_NUMBERS]) -> Real3<R> {
        Real3::new(a.abs().most(d.abs()), b.abs().most(e.abs()), c.abs().most(f.abs()))
    }

    #[inline(always)]
    fn radius<R: Real>(numbers: &[R; MOST_NUMBERS]) -> R {
        numbers[6]
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        let numbers = self.wide();
        let (reach, radius) = (<Self as Deep>::reach(&numbers), <Self as Deep>::radius(&numbers));
        shown.ends(look, [self.a(), self.b()], radius, look.noise(reach, radius))
    }

    #[inline(always)]
    fn show_eight<S: Simd>(
        _simd: S,
        look: &Look<'_, f64x8<S>>,
        numbers: &[f64x8<S>; MOST_NUMBERS],
        points: &mut Points,
    ) -> u64 {
        let &[a, b, c, d, e, f, radius, ..] = numbers;
        let noise = look.noise(<Self as Deep>::reach(numbers), radius);
        ends(look, [Real3::new(a, b, c), Real3::new(d, e, f)], radius, noise, points)
    }
}

impl Deep for Cuboid {
    #[inline(always)]
    fn deepest<R: Real>(up: Real3<R>, &[x, y, z, ..]: &[R; MOST_NUMBERS]) -> Deepest<R> {
        Deepest::of_cuboid(up, Real3::new(x, y, z))
    }

    #[inline(always)]
    fn reach<R: Real>(&[x, y, z, ..]: &[R; MOST_NUMBERS]) -> Real3<R> {
        Real3::new(x, y, z)
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        shown.lowest_corners(look, self.half_extents().as_dvec3())
    }

    #[inline(always)]
    fn show_eight<S: Simd>(
        simd: S,
        look: &Look<'_, f64x8<S>>,
        &[x, y, z, ..]: &[f64x8<S>; MOST_NUMBERS],
        points: &mut Points,
    ) -> u64 {
        lowest_corners(simd, look, Real3::new(x, y, z), points)
    }
}

impl Deep for Triangle {
    #[inline(always)]
    fn deepest<R: Real>(
        up: Real3<R>,
        &[a, b, c, d, e, f, g, h, i]: &[R; MOST_NUMBERS],
    ) -> Deepest<R> {
        let corners = [Real3::new(a, b, c), Real3::new(d, e, f), Real3::new(g, h, i)];
        Deepest::of_points(up, corners)
    }

    #[inline(always)]
    fn reach<R: Real>(&[a, b, c, d, e, f, g, h, i]: &[R; MOST_NUMBERS]) -> Real3<R> {
        Real3 {
            x: a.abs().most(d.abs()).most(g.abs()),
            y: b.abs().most(e.abs()).most(h.abs()),
            z: c.abs().most(f.abs()).most(i.abs()),
        }
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.triangle(&self.vertices())?;
        corners.finished()
    }
}

impl Deep for Cylinder {
    #[inline(always)]
    fn deepest<R: Real>(up: Real3<R>, &[half, radius, ..]: &[R; MOST_NUMBERS]) -> Deepest<R> {
        Deepest::of_cylinder(up, half, radius)
    }

    #[inline(always)]
    fn reach<R: Real>(&[half, radius, ..]: &[R; MOST_NUMBERS]) -> Real3<R> {
        Real3::new(radius, half, radius)
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.cylinder(self.half_height().into(), Self::radius(self).into())?;
        corners.finished()
    }

    #[inline(always)]
    fn show_eight<S: Simd>(
        _simd: S,
        look: &Look<'_, f64x8<S>>,
        &[half, radius, ..]: &[f64x8<S>; MOST_NUMBERS],
        points: &mut Points,
    ) -> u64 {
        let (up, sideways) = (look.lie.up, look.sideways());
        let (on_rim, below) = (Real::abs(up.y).above(sideways), up.y.above(half.all(0.0)));
        Around { look, half, radii: [radius; 2], sideways, on_rim, below }.show(points)
    }
}

impl Deep for Cone {
    #[inline(always)]
    fn deepest<R: Real>(up: Real3<R>, &[half, radius, ..]: &[R; MOST_NUMBERS]) -> Deepest<R> {
        Deepest::of_cone(up, half, radius)
    }

    #[inline(always)]
    fn reach<R: Real>(&[half, radius, ..]: &[R; MOST_NUMBERS]) -> Real3<R> {
        Real3::new(radius, half, radius)
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        let mut corners = Corners::of(self, look, shown);
        corners.cone(self.half_height().into(), Self::radius(self).into())?;
        corners.finished()
    }

    #[inline(always)]
    fn show_eight<S: Simd>(
        _simd: S,
        look: &Look<'_, f64x8<S>>,
        &[half, radius, ..]: &[f64x8<S>; MOST_NUMBERS],
        points: &mut Points,
    ) -> u64 {
        let sideways = look.sideways();
        // Only the base has a rim.
        let on_rim = look.lie.up.y.above(sideways);
        let radii = [radius, radius.all(0.0)];
        Around { look, half, radii, sideways, on_rim, below: on_rim }.show(points)
    }
}

/// A rounded box: no other core is a few numbers.
impl Numbers for Rounded {
    const COUNT: usize = 4;

    #[inline(always)]
    fn numbers(&self) -> [f32; MOST_NUMBERS] {
        let half =
            if let Shape::Cuboid(core) = self.core() { core.half_extents() } else { Vec3::ZERO };
        [half.x, half.y, half.z, self.radius(), 0.0, 0.0, 0.0, 0.0, 0.0]
    }
}

impl Deep for Rounded {
    #[inline(always)]
    fn deepest<R: Real>(up: Real3<R>, &[x, y, z, ..]: &[R; MOST_NUMBERS]) -> Deepest<R> {
        Deepest::of_cuboid(up, Real3::new(x, y, z))
    }

    #[inline(always)]
    fn reach<R: Real>(&[x, y, z, ..]: &[R; MOST_NUMBERS]) -> Real3<R> {
        Real3::new(x, y, z)
    }

    #[inline(always)]
    fn radius<R: Real>(&[_, _, _, radius, ..]: &[R; MOST_NUMBERS]) -> R {
        radius
    }

    #[inline(always)]
    fn show(&self, look: &Look<'_, f64>, shown: &mut Shown) -> Option<()> {
        let [x, y, z, radius, ..] = self.wide();
        if radius <= 0.0 {
            // It has the faces of a box.
            return None;
        }
        let mut corners = Corners::of(self, look, shown);
        corners.round_cuboid(DVec3::new(x, y, z), radius)?;
        corners.finished()
    }
}
