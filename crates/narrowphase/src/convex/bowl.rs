//! How far around a plane that lies on smooth parts of a difference no other plane is nearer to the
//! origin: where round parts bend less than a ball around the origin does, nothing needs a look.

use impinge_shapes::glam::{DVec2, DVec3};

use super::depth::across;
use super::view::{Fit, Ground, View};
use crate::tolerance;

/// Tangents of half the angles that are tried, none above a half, for the derivation at
/// [`Turn::share`].
const HALVES: [f64; 6] = [0.5, 0.375, 0.25, 0.125, 0.0625, 0.031_25];

/// A quadratic form of the unit vectors across a normal.
#[derive(Clone, Copy, Default)]
struct Form {
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Form {
    /// With the square of the component along a vector, times a factor.
    #[inline]
    fn add(&mut self, v: DVec2, factor: f64) {
        self.xx += v.x * v.x * factor;
        self.xy += v.x * v.y * factor;
        self.yy += v.y * v.y * factor;
    }

    /// Its least value.
    #[inline]
    fn least(&self) -> f64 {
        let (middle, half) = ((self.xx + self.yy) * 0.5, (self.xx - self.yy) * 0.5);
        middle - (half * half + self.xy * self.xy).sqrt()
    }
}

/// A circle of a part as a normal meets it.
#[derive(Clone, Copy, Default)]
struct Turn {
    radius: f64,
    /// Unit, around the circle where the plane lies on it.
    around: DVec2,
    /// The normal's share along the circle's plane, and that along its axis.
    level: f64,
    upright: f64,
}

impl Turn {
    fn new(spin: DVec3, radius: f64, normal: DVec3, [one, other]: &[DVec3; 2]) -> Self {
        let around = spin.cross(normal);
        let level = around.length();
        if radius <= 0.0 || level <= tolerance::AROUND {
            return Self::default();
        }
        let around = DVec2::new(around.dot(*one), around.dot(*other)) / level;
        Self { radius, around, level, upright: spin.dot(normal).abs() }
    }

    /// A factor for the square of what a unit vector across the normal goes around the circle: by so
    /// much, times the square of the sine over one and the cosine, the circle reaches farther along
    /// what is turned that way by the angle than its point under the normal does.
    ///
    /// - Derivation: along a unit vector the circle reaches `r sqrt(x^2 + y^2)`, where `y` is what
    ///   the vector goes around it and `x` what it has along the normal's share in the circle's
    ///   plane, and the point reaches `r x`. The difference is `r y^2 / (sqrt(x^2 + y^2) + x)`; of
    ///   the unit vector at the angle `f`, with `m` and `a` for the normal's shares and `c` and `s`
    ///   for what its turn goes around the circle and across that, `y = c sin(f)` and
    ///   `x <= m cos(f) + a s sin(f)`. The root is at most one, so that the sum below the line is at
    ///   most `1 + m cos(f) + a sin(f)`; and it is at most `2 x + |y|`, and so at most
    ///   `2 m cos(f) + sqrt(4 a^2 + 1) sin(f)`. With `1 + cos(f)` above it, and both in the tangent
    ///   of half the angle, these are what stands here; neither grows less with the tangent up to a
    ///   half, so that what holds for an angle holds for every smaller one.
    #[inline]
    fn share(&self, half: f64) -> f64 {
        let (m, a, square) = (self.level, self.upright, half * half);
        let by_length = ((1.0 + m) + 2.0 * a * half + (1.0 - m) * square) * 0.5;
        let by_parts = m * (1.0 - square) + (4.0 * a * a + 1.0).sqrt() * half;
        self.radius / by_length.min(by_parts)
    }
}

impl View<'_, '_> {
    /// The cosine of an angle around the normal of a fit within which the difference reaches no less
    /// far than `reach`, which is how far it reaches along the normal; 1 where none is found.
    ///
    /// - Error: rounding, and what the fit was not finished by: some 2^-42 of the size.
    /// - Derivation: the point of the normal reaches `reach cos(f)` along a vector at the angle `f`,
    ///   which is `reach sin(f)^2 / (1 + cos(f))` less. A part makes up for it where the sum of what
    ///   its circles gain ([`Turn::share`]) is no less in any direction. Of two parts the one whose
    ///   point lies on that side gains by that, too: by its distance from the point of the normal
    ///   times the sine, of which the square of the cosine to it is a lower bound. Of three there is
    ///   always one whose point lies as far on that side as the nearest side of the triangle.
    pub(super) fn bowl(&self, fit: &Fit, reach: f64) -> f64 {
        let (radii, at, shares) = match &fit.ground {
            Ground::Disc { inside } => return of_flat(*inside, reach),
            Ground::Parts { count, radii, at, shares } => (&radii[..*count], at, shares),
        };
        let axes = across(fit.normal);
        let turns = |radii: &[f64; 2]| {
            [0, 1].map(|core| Turn::new(self.spin(core), radii[core], fit.normal, &axes))
        };
        match radii {
            [only] => {
                let turns = turns(only);
                of_round(|half| form(&turns, half).least() > reach)
            }
            [one, other] => {
                let (one, other) = (turns(one), turns(other));
                let between = at[0] - at[1];
                let between = DVec2::new(between.dot(axes[0]), between.dot(axes[1]));
                let inverse = 1.0 / between.length();
                let is_held = |turns: &[Turn; 2], share: f64, half: f64| {
                    let mut form = form(turns, half);
                    form.add(between, share * inverse / half);
                    form.least() > reach
                };
                of_round(|half| is_held(&one, shares[1], half) && is_held(&other, shares[0], half))
            }
            _ => {
                let [p, q, r] = at.map(|corner| corner - fit.at);
                let from =
                    |p: DVec3, q: DVec3| p.cross(q).length_squared() / (q - p).length_squared();
                of_flat(from(p, q).min(from(q, r)).min(from(r, p)).sqrt(), reach)
            }
        }
    }
}

/// What the circles of a part gain.
#[inline]
fn form(turns: &[Turn; 2], half: f64) -> Form {
    let mut form = Form::default();
    for turn in turns.iter().filter(|turn| turn.radius > 0.0) {
        form.add(turn.around, turn.share(half));
    }
    form
}

/// The first angle that is held.
#[inline]
fn of_round(is_held: impl Fn(f64) -> bool) -> f64 {
    HALVES.into_iter().find(|&half| is_held(half)).map_or(1.0, cosine)
}

/// The angle where the plane lies on points this far around that of the normal in all directions.
#[inline]
fn of_flat(inside: f64, reach: f64) -> f64 {
    let half = (inside / reach).min(HALVES[0]);
    if half > 0.0 { cosine(half) } else { 1.0 }
}

/// Of the angle of whose half this is the tangent.
#[inline]
fn cosine(half: f64) -> f64 {
    (1.0 - half * half) / (1.0 + half * half)
}
