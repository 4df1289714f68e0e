//! Where a line meets a set, in exact arithmetic and without special positions: the convex hull
//! of some points is cut with planes, and a quadratic has its minimum over a stretch of the line
//! at an end or where its slope is zero.

use std::cmp::Ordering;

use glam::Vec3;
use impinge_shapes::exact::{Exact, ExactRotation, ExactVec3};
use impinge_shapes::{Pose, Ray};

/// The place `offset / weight` as seen from the ray's origin, with a positive weight.
#[derive(Clone)]
struct Place {
    offset: ExactVec3,
    weight: Exact,
}

/// `numerator / denominator` along a ray, the denominator positive.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    numerator: Exact,
    denominator: Exact,
}

impl Fraction {
    fn new(numerator: Exact, denominator: Exact) -> Self {
        Self { numerator, denominator }
    }

    pub(crate) fn compare(&self, x: f32) -> Ordering {
        self.numerator.cmp(&(self.denominator.clone() * Exact::from(x)))
    }

    fn is_before(&self, other: &Self) -> bool {
        self.numerator.clone() * other.denominator.clone()
            < other.numerator.clone() * self.denominator.clone()
    }

    pub(crate) fn to_f64(&self) -> f64 {
        self.numerator.ratio(&self.denominator)
    }
}

/// The part of the hull in the plane through the origin with this normal: the hull of the corners
/// there, and of where the lines between corners on both sides pass.
fn cut(places: &[Place], normal: &ExactVec3) -> Vec<Place> {
    let height = |place: &Place| normal.dot(&place.offset);
    let mut cut = Vec::new();
    for a in places {
        let above = height(a);
        match above.sign() {
            Ordering::Equal => cut.push(a.clone()),
            Ordering::Less => {}
            Ordering::Greater => {
                for b in places {
                    let below = -height(b);
                    if below.sign() == Ordering::Greater {
                        let mix = |x: &Exact, y: &Exact| {
                            x.clone() * below.clone() + y.clone() * above.clone()
                        };
                        let offset = a.offset.scale(&below).plus(&b.offset.scale(&above));
                        cut.push(Place { offset, weight: mix(&a.weight, &b.weight) });
                    }
                }
            }
        }
    }
    cut
}

/// From where to where the ray's line is in the hull of the points of a shape's frame.
pub(crate) fn line_in_hull(points: &[Vec3], pose: &Pose, ray: &Ray) -> Option<[Fraction; 2]> {
    let rotation = ExactRotation::from(pose.rotation());
    let arm = ExactVec3::from(pose.position()).minus(&ExactVec3::from(ray.origin()));
    let arm = arm.scale(&rotation.norm);
    let places: Vec<_> = points
        .iter()
        .map(|&point| Place {
            offset: rotation.rotate(&ExactVec3::from(point)).plus(&arm),
            weight: rotation.norm.clone(),
        })
        .collect();
    let d = ExactVec3::from(ray.direction());
    // Any axis that is not along the ray.
    let axis = if ray.direction().x.abs() < 0.9 { Vec3::X } else { Vec3::Y };
    let across = d.cross(&ExactVec3::from(axis));
    let on_line = cut(&cut(&places, &across), &d.cross(&across));
    let mut ends: Option<[Fraction; 2]> = None;
    for place in on_line {
        let at = Fraction {
            numerator: place.offset.dot(&d),
            denominator: place.weight * d.length_squared(),
        };
        ends = Some(match ends {
            None => [at.clone(), at],
            Some([near, far]) => {
                let (first, last) = (at.is_before(&near), far.is_before(&at));
                [if first { at.clone() } else { near }, if last { at } else { far }]
            }
        });
    }
    ends
}

/// A stretch of a ray; without an end it goes on forever.
#[derive(Clone)]
pub(crate) struct Window {
    low: Fraction,
    high: Option<Fraction>,
}

impl Window {
    pub(crate) fn new(from: f32, to: f32) -> Self {
        let whole = |x: f32| Fraction::new(Exact::from(x), Exact::from(1.0));
        Self { low: whole(from), high: to.is_finite().then(|| whole(to)) }
    }

    /// The part with `p + q t ≥ 0`.
    pub(crate) fn where_positive(mut self, p: Exact, q: Exact) -> Option<Self> {
        match q.sign() {
            Ordering::Equal if p.sign() == Ordering::Less => return None,
            Ordering::Equal => {}
            Ordering::Greater => {
                let at = Fraction::new(-p, q);
                self.low = if self.low.is_before(&at) { at } else { self.low };
            }
            Ordering::Less => {
                let at = Fraction::new(p, -q);
                self.high = Some(self.high.filter(|high| high.is_before(&at)).unwrap_or(at));
            }
        }
        let is_empty = self.high.as_ref().is_some_and(|high| high.is_before(&self.low));
        (!is_empty).then_some(self)
    }

    /// Whether `a t² + 2 b t + c ≤ 0` somewhere; without an end `a` must not be negative, and
    /// where it is zero, `b` neither.
    pub(crate) fn dips(&self, a: &Exact, b: &Exact, c: &Exact) -> bool {
        let holds = |t: &Fraction| {
            let Fraction { numerator: n, denominator: m } = t.clone();
            let linear = b.clone() * n.clone() * m.clone();
            let value = a.clone() * n.square() + linear.clone() + linear + c.clone() * m.square();
            value.sign() != Ordering::Greater
        };
        if holds(&self.low) || self.high.as_ref().is_some_and(&holds) {
            return true;
        }
        if a.sign() != Ordering::Greater {
            return false;
        }
        let middle = Fraction::new(-b.clone(), a.clone());
        let before_end = self.high.as_ref().is_none_or(|high| middle.is_before(high));
        self.low.is_before(&middle) && before_end && holds(&middle)
    }
}
