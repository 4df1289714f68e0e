//! The difference of two cores along axes of choice, and the smooth parts of its surface.

use super::Cores;
use crate::tolerance;
use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::Support;
use impinge_shapes::glam::{DMat2, DMat3, DVec2, DVec3};

/// The set of all differences of a point of A and one of B, grown by a radius.
pub(super) struct View<'a, 'b> {
    pub(super) cores: &'a Cores<'b>,
    /// By which the difference has grown.
    radius: f64,
    /// The axes in A's frame and in B's, unit and at right angles to each other.
    axes: [DMat3; 2],
    /// From A's origin to B's, along the axes.
    shift: DVec3,
}

/// A support point of the difference.
#[derive(Clone, Copy)]
pub(super) struct Corner {
    /// Its place along the axes.
    pub(super) at: DVec3,
    /// The point of A in A's frame and that of B in B's.
    on: [DVec3; 2],
}

/// A smooth part of the surface: points of the cores or circles on them, grown by the radii.
#[derive(Clone, Copy, PartialEq)]
struct Part {
    /// The point or the middle of the circle on A, and that on B, as in [`Corner`].
    middles: [DVec3; 2],
    /// Of the circles, which lie across the cores' own Y; zero for points.
    radii: [f64; 2],
}

/// One to three of them, not the same one twice.
#[derive(Clone, Copy)]
struct Parts {
    parts: [Part; 3],
    count: usize,
}

impl Parts {
    fn holds(&self, part: &Part) -> bool {
        // Two places are enough: the third one is the last.
        self.parts[0] == *part || (self.count > 1 && self.parts[1] == *part)
    }
}

/// What planes are laid on the surface for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Goal {
    /// Where they pass the last axis is to be as far down as it can be: the axis enters there.
    Entry,
    /// They are to pass the origin as far away as they can: the nearest point is there.
    Nearest,
}

/// A plane that is laid on several parts.
struct Plane {
    slope: DVec2,
    /// Across the plane, with 1 along the last axis, and one over its length.
    normal: DVec3,
    inverse: f64,
    /// Of the cores' circles.
    rims: [Rim; 2],
}

/// Where a plane lies on all circles around one axis.
#[derive(Clone, Copy)]
struct Rim {
    /// From the middle, over the radius.
    out: DVec3,
    /// How the plane's height there bends, over the radius.
    bend: DMat2,
}

impl Rim {
    const NONE: Self = Self { out: DVec3::ZERO, bend: DMat2::ZERO };

    #[inline]
    fn new(spin: DVec3, normal: DVec3) -> Self {
        let out = normal - spin * spin.dot(normal);
        let inverse = 1.0 / out.length();
        // Once more, for what rounding leaves where the plane is level: what is still a little short
        // then is a point within the circle.
        let out = out * inverse;
        let out = out - spin * spin.dot(out);
        Self { out, bend: across(spin.cross(out).truncate(), inverse) }
    }
}

/// A plane on a part.
#[derive(Clone, Copy, Default)]
struct Laid {
    /// The points of the cores, along the axes.
    points: [DVec3; 2],
    /// The point of the difference.
    at: DVec3,
    /// What is to be as small as it can be, and how it changes with the slope of the plane.
    value: f64,
    gradient: DVec2,
    bend: DMat2,
}

/// A plane on several parts that no other plane on them is better than.
pub(super) struct Fit {
    /// Unit, out of the surface.
    pub(super) normal: DVec3,
    /// The point of the surface that is meant, along the axes.
    pub(super) at: DVec3,
    /// Where it comes from on A's core and on B's.
    pub(super) points: [DVec3; 2],
    pub(super) ground: Ground,
}

/// What a plane lies on.
pub(super) enum Ground {
    /// Parts: the radii of their circles, their points, and the shares of those in the one that is
    /// meant.
    Parts { count: usize, radii: [[f64; 2]; 3], at: [DVec3; 3], shares: [f64; 3] },
    /// A disc, on which the point is this far from the rim.
    Disc { inside: f64 },
}

impl<'a, 'b> View<'a, 'b> {
    /// `axes` in A's frame, unit and at right angles to each other.
    pub(super) fn new(cores: &'a Cores<'b>, radius: f64, axes: DMat3) -> Self {
        let in_b = cores.at.rotation().transpose() * axes;
        let shift = axes.transpose() * (cores.at.translation() + cores.moved);
        Self { cores, radius, axes: [axes, in_b], shift }
    }

    /// A vector along the axes in A's frame.
    pub(super) fn to_core(&self, v: DVec3) -> DVec3 {
        self.axes[0] * v
    }

    /// A vector of A's frame along the axes.
    pub(super) fn along_axes(&self, v: DVec3) -> DVec3 {
        self.axes[0].transpose() * v
    }

    /// The point farthest along a unit direction.
    #[inline]
    pub(super) fn support(&self, normal: DVec3) -> Corner {
        let on_a = self.cores.a.core.support_nearly(self.axes[0] * normal);
        let on_b = self.cores.b.core.support_nearly(self.axes[1] * -normal);
        let [a, b] = self.placed([on_a, on_b]);
        Corner { at: a - b + normal * self.radius, on: [on_a, on_b] }
    }

    /// A support point that is known.
    pub(super) fn corner(&self, point: &Support) -> Corner {
        let at = self.along_axes(point.difference());
        let cores = self.cores;
        let on_b = cores.at.vector_to_b(point.b - cores.at.translation() - cores.moved);
        Corner { at, on: [point.a, on_b] }
    }

    /// The points of both cores along the axes.
    #[inline]
    pub(super) fn placed(&self, [on_a, on_b]: [DVec3; 2]) -> [DVec3; 2] {
        [self.axes[0].transpose() * on_a, self.axes[1].transpose() * on_b + self.shift]
    }

    /// The points of the cores that make a point between corners.
    pub(super) fn points(&self, corners: &[Corner; 3], weights: [f64; 3]) -> [DVec3; 2] {
        let mix = |k: usize| (0..3).map(|i| corners[i].on[k] * weights[i]).sum();
        self.placed([mix(0), mix(1)])
    }

    fn part(&self, corner: &Corner) -> Part {
        let (a, radius_a) = middle(&self.cores.a.core, corner.on[0]);
        let (b, radius_b) = middle(&self.cores.b.core, corner.on[1]);
        Part { middles: [a, b], radii: [radius_a, radius_b] }
    }

    /// The plane across `(-slope, 1)`, for parts that have circles on these cores.
    #[inline]
    fn plane(&self, slope: DVec2, has_circle: [bool; 2]) -> Plane {
        let normal = (-slope).extend(1.0);
        let mut rims = [Rim::NONE; 2];
        for (core, rim) in rims.iter_mut().enumerate() {
            if has_circle[core] {
                *rim = Rim::new(self.spin(core), normal);
            }
        }
        Plane { slope, normal, inverse: 1.0 / normal.length(), rims }
    }

    /// Lays a plane on a part whose middles are along the axes; how it bends is left out where
    /// nobody asks.
    #[inline]
    fn lay(&self, part: &Part, plane: &Plane, goal: Goal, has_bend: bool) -> Laid {
        let Plane { slope, normal, inverse, rims: [on_a, on_b] } = plane;
        let [radius_a, radius_b] = part.radii;
        let points = [part.middles[0] + on_a.out * radius_a, part.middles[1] - on_b.out * radius_b];
        let mut bend = DMat2::ZERO;
        if has_bend {
            bend = on_a.bend * radius_a + on_b.bend * radius_b;
        }
        let mut at = points[0] - points[1];
        if self.radius > 0.0 {
            at += *normal * (inverse * self.radius);
            if has_bend {
                let share = self.radius * inverse;
                bend += DMat2::from_diagonal(DVec2::splat(share));
                bend -= across(normal.truncate() * *inverse, share);
            }
        }
        let (value, gradient) = (at.z - slope.dot(at.truncate()), -at.truncate());
        if goal == Goal::Entry {
            return Laid { points, at, value, gradient, bend };
        }
        // Over the length of the normal.
        let square = inverse * inverse;
        if has_bend {
            let mixed = DMat2::from_cols(
                gradient * slope.x + *slope * gradient.x,
                gradient * slope.y + *slope * gradient.y,
            );
            let round =
                DMat2::from_diagonal(DVec2::splat(value)) - across(*slope, 3.0 * value * square);
            bend = (bend - (mixed + round) * square) * *inverse;
        }
        Laid {
            points,
            at,
            value: value * inverse,
            gradient: (gradient - *slope * (value * square)) * *inverse,
            bend,
        }
    }

    /// The axis of a round core.
    #[inline]
    pub(super) fn spin(&self, core: usize) -> DVec3 {
        self.axes[core].row(1)
    }

    /// The plane that is laid best on the smooth parts that the corners are on, from the plane
    /// across `normal` on; `None` where there is none, or where it was not found soon.
    ///
    /// - Source: Newton's method for the greatest of smooth functions, with those that are equal at
    ///   the end as constraints (Nocedal & Wright, *Numerical Optimization* (2006), 18.1).
    pub(super) fn fit(&self, corners: &[Corner], normal: DVec3, goal: Goal) -> Option<Fit> {
        let first = self.part(corners.first()?);
        let mut parts = Parts { parts: [first; 3], count: 1 };
        for corner in corners.get(1..3.min(corners.len())).into_iter().flatten() {
            let part = self.part(corner);
            if !parts.holds(&part) {
                parts.parts[parts.count] = part;
                parts.count += 1;
            }
        }
        for part in &mut parts.parts[..parts.count] {
            part.middles = self.placed(part.middles);
        }
        let on = parts.parts[0];
        self.fit_parts(parts, normal, goal).or_else(|| self.fit_cap(&on, normal, goal))
    }

    /// The plane that lies on the flat end of a round core, where the other core is farthest at one
    /// point or with a flat end of its own.
    fn fit_cap(&self, on: &Part, normal: DVec3, goal: Goal) -> Option<Fit> {
        let spins = [self.spin(0), self.spin(1)];
        let is_near =
            |k: &usize| on.radii[*k] > 0.0 && spins[*k].dot(normal).abs() > tolerance::CAP;
        let spin = spins[(0..2).find(is_near)?];
        let normal = if spin.dot(normal) < 0.0 { -spin } else { spin };
        let corner = self.support(normal);
        let part = self.part(&corner);
        let (middles, farthest) = (self.placed(part.middles), self.placed(corner.on));
        // What is round and not level with the plane is farthest at one point.
        let flat = [0, 1].map(|k| {
            let is_level = spins[k].cross(normal).length_squared() <= tolerance::LEVEL_CAPS;
            if is_level { part.radii[k] } else { 0.0 }
        });
        let points = [0, 1].map(|k| if flat[k] > 0.0 { middles[k] } else { farthest[k] });
        let center = points[0] - points[1] + normal * self.radius;
        let reach = center.dot(normal);
        let at = match goal {
            Goal::Entry => DVec3::Z * (reach / normal.z),
            Goal::Nearest => normal * reach,
        };
        let (aside, room) = (at - center, flat[0] + flat[1]);
        if room <= 0.0 || aside.is_nan() || aside.length_squared() > room * room {
            return None;
        }
        let share = flat[0] / room;
        let points = [points[0] + aside * share, points[1] - aside * (1.0 - share)];
        let ground = Ground::Disc { inside: room - aside.length() };
        Some(Fit { normal, at, points, ground })
    }

    fn fit_parts(&self, mut parts: Parts, normal: DVec3, goal: Goal) -> Option<Fit> {
        let mut slope = -normal.truncate() / normal.z;
        let mut last = f64::INFINITY;
        let mut laid = [Laid::default(); 3];
        for _ in 0..tolerance::FIT_STEPS {
            let count = parts.count.clamp(1, 3);
            let on = &parts.parts[..count];
            let mut has_circle = [false; 2];
            for part in on {
                has_circle[0] |= part.radii[0] > 0.0;
                has_circle[1] |= part.radii[1] > 0.0;
            }
            let plane = self.plane(slope, has_circle);
            // Where three values are made equal, nothing is left for them to bend.
            let has_bend = count < 3;
            for (laid, part) in laid.iter_mut().zip(on) {
                *laid = self.lay(part, &plane, goal, has_bend);
            }
            let laid = &laid[..count];
            let shares = shares(laid);
            if last <= tolerance::FITTED * (1.0 + slope.length_squared()) {
                let least = (0..count).min_by(|&i, &j| shares[i].total_cmp(&shares[j]))?;
                if shares[least] >= 0.0 {
                    return fit_of(on, laid, shares, slope);
                }
                // The others alone are better, and this one is below what they reach.
                parts.parts.copy_within(least + 1.., least);
                parts.count -= 1;
                last = f64::INFINITY;
                continue;
            }
            let step = step(laid, shares);
            slope += step;
            let square = step.length_squared();
            // It comes nearer at once or not at all.
            if square.is_nan() || square > tolerance::FIT_SHORTER * last {
                return None;
            }
            last = square;
        }
        None
    }
}

fn fit_of(parts: &[Part], on: &[Laid], shares: [f64; 3], slope: DVec2) -> Option<Fit> {
    let normal = (-slope).extend(1.0).try_normalize()?;
    let (mut points, mut at) = ([DVec3::ZERO; 2], DVec3::ZERO);
    for (laid, share) in on.iter().zip(shares) {
        points[0] += laid.points[0] * share;
        points[1] += laid.points[1] * share;
        at += laid.at * share;
    }
    let (mut each, mut radii) = ([at; 3], [[0.0; 2]; 3]);
    for (place, (part, laid)) in parts.iter().zip(on).enumerate().take(3) {
        (each[place], radii[place]) = (laid.at, part.radii);
    }
    let ground = Ground::Parts { count: on.len(), radii, at: each, shares };
    Some(Fit { normal, at, points, ground })
}

/// The middle of the circle that a support point is on, and its radius; the point itself and zero
/// for one on none.
fn middle(core: &Core<'_>, point: DVec3) -> (DVec3, f64) {
    match core {
        Core::Cylinder(cylinder) => {
            let height = f64::from(cylinder.half_height()).copysign(point.y);
            (DVec3::Y * height, cylinder.radius().into())
        }
        Core::Cone(cone) => {
            let half = f64::from(cone.half_height());
            // The apex of a disc is its middle, which is no corner.
            let is_base = point.y < 0.0 || half <= 0.0;
            if is_base { (DVec3::Y * -half, cone.radius().into()) } else { (DVec3::Y * half, 0.0) }
        }
        _ => (point, 0.0),
    }
}

/// The outer product of a vector with itself.
#[inline]
fn across(v: DVec2, factor: f64) -> DMat2 {
    DMat2::from_cols(v * (v.x * factor), v * (v.y * factor))
}

/// The step to the slope where the values, as far as gradients and bends tell, are equal and their
/// greatest no longer falls.
fn step(laid: &[Laid], shares: [f64; 3]) -> DVec2 {
    match laid {
        [only] => -(only.bend.inverse() * only.gradient),
        [one, other] => {
            let bend =
                one.bend * shares[0].clamp(0.0, 1.0) + other.bend * shares[1].clamp(0.0, 1.0);
            let way = other.gradient - one.gradient;
            let along = way * ((one.value - other.value) / way.length_squared());
            let across = way.perp();
            let open = across.dot(one.gradient + bend * along);
            along - across * (open / across.dot(bend * across))
        }
        [one, other, third] => {
            let ways =
                DMat2::from_cols(other.gradient - one.gradient, third.gradient - one.gradient);
            let falls = DVec2::new(one.value - other.value, one.value - third.value);
            ways.transpose().inverse() * falls
        }
        _ => DVec2::NAN,
    }
}

/// The shares with which the gradients cancel as far as they can.
fn shares(laid: &[Laid]) -> [f64; 3] {
    match laid {
        [one, other] => {
            let way = other.gradient - one.gradient;
            let share = -way.dot(one.gradient) / way.length_squared();
            [1.0 - share, share, 0.0]
        }
        [p, q, r] => {
            let (p, q, r) = (p.gradient, q.gradient, r.gradient);
            let areas = [q.perp_dot(r), r.perp_dot(p), p.perp_dot(q)];
            let sum = areas[0] + areas[1] + areas[2];
            [areas[0] / sum, areas[1] / sum, areas[2] / sum]
        }
        _ => [1.0, 0.0, 0.0],
    }
}
