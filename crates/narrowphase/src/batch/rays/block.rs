//! Rays side by side, and their answers.

use fearless_simd::{Simd, f32x16, f64x8, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{RayOptions, Shape, ShapeRayHit, StartedInside};

use super::super::gather::{four_of, with};
use super::sink::Sink;
use super::{RayOf, RayRef, Source};
use crate::lanes::lanes;
use crate::real::{Real, Real3, Turn};
use crate::turn::{WIDTH, each, turn_back, turn_eight};

/// Most numbers that a shape with a kernel for rays has.
pub(super) const MOST_NUMBERS: usize = 9;

/// A shape that rays are cast at in lanes.
///
/// The kernel does what `raycast` of the shape does where nothing is too close to call, with the
/// same operations in the same order, so that its numbers are the same to the bit; the lanes in
/// which something is are asked again one by one.
pub(super) trait Target: Sized + 'static {
    /// How many numbers it is.
    const COUNT: usize;

    /// Whether it shows how the shape is turned.
    const TURNED: bool;

    /// Whether hits carry the weights of corners.
    const WEIGHTED: bool;

    /// They come first; the rest is zero.
    fn numbers(&self) -> [f32; MOST_NUMBERS];

    /// The shape, if it is of this kind.
    fn of(shape: &Shape) -> Option<&Self>;

    /// The single call.
    fn raycast(&self, item: &RayOf<'_, Self>, cast: &Cast<'_>) -> Option<ShapeRayHit>;

    /// Where the ray enters from outside, if it does, and where it starts inside.
    fn meet<R: Real>(aim: &Aimed<R>, end: &End) -> Meeting<R>;
}

/// A ray and a placed shape in lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aimed<R> {
    pub(super) origin: Real3<R>,
    pub(super) direction: Real3<R>,
    pub(super) position: Real3<R>,
    /// The quaternion, x, y, z, w.
    pub(super) rotation: [R; 4],
    /// As [`Target::numbers`] gives them.
    pub(super) numbers: [R; MOST_NUMBERS],
}

impl<R: Real> Aimed<R> {
    /// Three of the numbers as a vector.
    #[inline(always)]
    pub(super) fn vector(&self, first: usize) -> Real3<R> {
        let n = &self.numbers;
        Real3::new(n[first], n[first + 1], n[first + 2])
    }

    /// `|q|² · R(q)` by its columns, and `|q|²`, as a pose of `impinge-shapes` gives them.
    #[inline(always)]
    pub(super) fn scaled_rotation(&self) -> ([Real3<R>; 3], R) {
        let (Turn { columns }, norm) = Turn::scaled(self.rotation);
        (columns, norm)
    }
}

/// How far the rays go and which faces they pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Infinite for rays without end.
    pub(super) max_distance: f64,
    pub(super) cull_back_faces: bool,
}

/// What a kernel knows of its rays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting<R: Real> {
    /// Where there is certainly no hit.
    pub(super) missed: R::Mask,
    /// Where the rest is the answer.
    pub(super) hit: R::Mask,
    /// Where the ray certainly starts in the shape; neither a miss nor a hit.
    pub(super) inside: R::Mask,
    pub(super) distance: R,
    /// Unit.
    pub(super) normal: Real3<R>,
    /// Of the corners of a triangle.
    pub(super) weights: Real3<R>,
}

/// What all rays of a batch share.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Cast<'a> {
    pub(super) max_distance: f32,
    pub(super) options: &'a RayOptions,
    pub(super) level: SimdLevel,
}

impl Cast<'_> {
    /// By single calls, the rays at some places.
    pub(super) fn one_by_one(
        &self,
        run: &[RayRef<'_>],
        places: &[u16],
        out: &mut [Option<ShapeRayHit>],
    ) {
        for place in places.iter().map(|&place| usize::from(place)) {
            let (Some(RayOf { ray, shape, pose }), Some(slot)) =
                (run.get(place), out.get_mut(place))
            else {
                continue;
            };
            *slot = shape.raycast(pose, ray, self.max_distance, self.options);
        }
    }

    /// Answers the rays.
    pub(super) fn answer<T: Target>(
        &self,
        source: &(impl Source<T> + ?Sized),
        sink: &mut impl Sink<T>,
    ) {
        // No lane holds for a length that is negative or not a number.
        let done = if self.max_distance >= 0.0 {
            lanes!(self.level, simd => self.answer_in_lanes(simd, source, sink))
        } else {
            None
        };
        if done.is_none() {
            for index in 0..source.count() {
                let hit = source.item(index).and_then(|item| single(&item, self));
                sink.put(source.place(index), hit);
            }
        }
    }

    #[inline(always)]
    fn answer_in_lanes<S: Simd, T: Target>(
        &self,
        simd: S,
        source: &(impl Source<T> + ?Sized),
        sink: &mut impl Sink<T>,
    ) {
        let mut found = Answers::UNKNOWN;
        for first in (0..source.count()).step_by(WIDTH) {
            let used = WIDTH.min(source.count() - first);
            (found.missed, found.hit, found.inside) = (0, 0, 0);
            if let Some(rays) = source.eight(first) {
                found.fill::<_, T>(simd, &aimed(simd, &rays), self);
            }
            sink.take(self, source, (first, used), &found);
        }
    }
}

#[cold]
pub(super) fn single<T: Target>(item: &RayOf<'_, T>, cast: &Cast<'_>) -> Option<ShapeRayHit> {
    item.shape.raycast(item, cast)
}

/// Eight rays in lanes.
#[inline(always)]
fn aimed<S: Simd, T: Target>(simd: S, rays: &[RayOf<'_, T>; WIDTH]) -> Aimed<f64x8<S>> {
    let none = f64x8::splat(simd, 0.0);
    let numbers = each!(rays, of => of.shape.numbers());
    let vector = |v: Vec3, number: f32| [v.x, v.y, v.z, number];
    let origins = each!(rays, of => vector(of.ray.origin(), of.shape.numbers()[0]));
    let [x, y, z, first] = turn_eight(simd, origins);
    let origin = Real3::new(x, y, z);
    let ways = each!(rays, of => vector(of.ray.direction(), of.shape.numbers()[1]));
    let [x, y, z, second] = turn_eight(simd, ways);
    let direction = Real3::new(x, y, z);
    let places = each!(rays, of => with(of.pose, of.shape.numbers()[2]));
    let [x, y, z, third] = turn_eight(simd, places);
    let mut aim = Aimed {
        origin,
        direction,
        position: Real3::new(x, y, z),
        rotation: [none; 4],
        numbers: [first, second, third, none, none, none, none, none, none],
    };
    if T::TURNED {
        aim.rotation = turn_eight(simd, each!(rays, of => of.pose.rotation().to_array()));
    }
    if T::COUNT > 3 {
        let [d, e, f, g] = turn_eight(simd, each!(&numbers, numbers => four_of::<3>(numbers)));
        let [_, _, h, i] = turn_eight(simd, each!(&numbers, numbers => four_of::<5>(numbers)));
        aim.numbers = [first, second, third, d, e, f, g, h, i];
    }
    aim
}

/// Rounded hits of a block, ray by ray, and bits of lanes.
#[repr(align(64))]
pub(super) struct Answers {
    /// Distance and point; normal and the first weight; the others, and nothing.
    parts: [[[f32; 4]; WIDTH]; 3],
    /// The ray certainly hits nothing.
    pub(super) missed: u64,
    /// The hit is known.
    pub(super) hit: u64,
    /// The hit is the start, which lies in the shape.
    inside: u64,
}

impl Answers {
    const UNKNOWN: Self = Self { parts: [[[0.0; 4]; WIDTH]; 3], missed: 0, hit: 0, inside: 0 };

    /// Answers what is clear.
    #[inline(always)]
    fn fill<S: Simd, T: Target>(&mut self, simd: S, aim: &Aimed<f64x8<S>>, cast: &Cast<'_>) {
        let end = End {
            max_distance: cast.max_distance.into(),
            cull_back_faces: cast.options.cull_back_faces,
        };
        let Meeting { missed, hit, inside, distance, normal, weights } = T::meet(aim, &end);
        (self.missed, self.hit) = (missed.to_bitmask(), hit.to_bitmask());
        self.inside = match cast.options.started_inside {
            StartedInside::Hit => inside.to_bitmask(),
            StartedInside::Skip => {
                self.missed |= inside.to_bitmask();
                0
            }
            StartedInside::Exit => 0,
        };
        self.hit |= self.inside;
        if self.hit == 0 {
            return;
        }
        // As `crossing::Place`: within the ray, and no negative zeros.
        let none = f64x8::splat(simd, 0.0);
        let distance = distance.least(f64x8::splat(simd, end.max_distance.min(f64::MAX)));
        let point = aim.origin + aim.direction * distance;
        let normal = normal + Real3::new(none, none, none);
        // As `Found::Inside`, negative zeros included.
        let (distance, point, normal) = if self.inside == 0 {
            (distance, point, normal)
        } else {
            let backwards = Real3::new(-aim.direction.x, -aim.direction.y, -aim.direction.z);
            let point = Real3::pick(inside, aim.origin, point);
            (inside.select(none, distance), point, Real3::pick(inside, backwards, normal))
        };
        let [one, two, three] = &mut self.parts;
        let (first, second) = (distance.narrow(point.x), point.y.narrow(point.z));
        let third = normal.x.narrow(normal.y);
        // Finite, unless one of the numbers is infinite or none, or they are so large that they
        // are left to the single call as well.
        let mut sum = (first + second) + third;
        turn_back(first, second, one);
        if T::WEIGHTED {
            let Real3 { x, y, z } = Real3::new(
                weights.x.to_share() + none,
                weights.y.to_share() + none,
                weights.z.to_share() + none,
            );
            let (last, rest) = (normal.z.narrow(x), y.narrow(z));
            sum = (sum + last) + rest;
            turn_back(third, last, two);
            turn_back(rest, none.narrow(none), three);
        } else {
            let last = normal.z.narrow(none);
            sum += last;
            turn_back(third, last, two);
        }
        let finite = sum.abs().simd_lt(f32x16::splat(simd, f32::INFINITY)).to_bitmask();
        self.hit &= finite & finite >> WIDTH;
    }

    #[inline(always)]
    pub(super) fn hit_of<T: Target>(&self, lane: usize) -> ShapeRayHit {
        let [one, two, three] = &self.parts;
        let [distance, x, y, z] = one[lane % WIDTH];
        let [i, j, k, u] = two[lane % WIDTH];
        let [v, w, ..] = three[lane % WIDTH];
        ShapeRayHit {
            distance,
            point: Vec3::new(x, y, z),
            normal: Vec3::new(i, j, k),
            started_inside: self.inside >> lane & 1 == 1,
            part: 0,
            barycentric: if T::WEIGHTED { Some([u, v, w]) } else { None },
        }
    }
}
