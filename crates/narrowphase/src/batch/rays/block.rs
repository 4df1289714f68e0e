//! Rays side by side, and their answers.

use fearless_simd::{Simd, f32x16, f64x8, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::{Bits, SimdLevel};
use impinge_shapes::{Pose, Ray, RayOptions, Shape, ShapeRayHit};

use super::super::gather::{WIDTH, four_of, turn_over, widen, with};
use super::{RayOf, Source};
use crate::lanes::lanes;
use crate::real::{Real, Real3, baseline};

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

    /// Where the ray enters from outside, if it does.
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
        let [x, y, z, w] = self.rotation;
        let two = x.all(2.0);
        let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
        let (xy, xz, yz) = (x * y, x * z, y * z);
        let (wx, wy, wz) = (w * x, w * y, w * z);
        let columns = [
            Real3::new((ww + xx) - (yy + zz), two * (xy + wz), two * (xz - wy)),
            Real3::new(two * (xy - wz), (ww + yy) - (xx + zz), two * (yz + wx)),
            Real3::new(two * (xz + wy), two * (yz - wx), (ww + zz) - (xx + yy)),
        ];
        (columns, (xx + yy) + (zz + ww))
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
    /// Hits of the rays, each at its place of `out`, which holds none yet.
    pub(super) fn answer<T: Target>(
        &self,
        source: &(impl Source<T> + ?Sized),
        out: &mut [Option<ShapeRayHit>],
    ) {
        let mut block = Block::EMPTY;
        for first in (0..source.count()).step_by(WIDTH) {
            block.gather(source, first);
            // No lane holds for a length that is negative or not a number.
            if self.max_distance >= 0.0 {
                // Written in place: what a dispatched function returns goes through memory.
                let _ = lanes!(self.level, simd => block.fill::<_, T>(simd, self));
            }
            for lane in Bits(block.used & block.hit) {
                if let Some(slot) = out.get_mut(source.place(first + lane)) {
                    *slot = Some(block.hit_of::<T>(lane));
                }
            }
            for lane in Bits(block.used & !(block.hit | block.missed)) {
                let answer = source.item(first + lane).and_then(|item| single(&item, self));
                if let Some(slot) = out.get_mut(source.place(first + lane)) {
                    *slot = answer;
                }
            }
        }
    }
}

#[cold]
fn single<T: Target>(item: &RayOf<'_, T>, cast: &Cast<'_>) -> Option<ShapeRayHit> {
    item.shape.raycast(item, cast)
}

/// Rays of one kind of shape, as many as there are lanes or fewer, and their answers.
#[repr(align(64))]
struct Block {
    origin: [[f32; WIDTH]; 3],
    direction: [[f32; WIDTH]; 3],
    position: [[f32; WIDTH]; 3],
    rotation: [[f32; WIDTH]; 4],
    numbers: [[f32; WIDTH]; MOST_NUMBERS],
    /// Bits of the lanes in use.
    used: u64,
    /// Bits of the lanes that certainly hit nothing.
    missed: u64,
    /// Bits of the lanes whose hit is known.
    hit: u64,
    /// Distance, point, normal and weights of the hits.
    found: [[f32; WIDTH]; 10],
}

impl Block {
    const EMPTY: Self = Self {
        origin: [[0.0; WIDTH]; 3],
        direction: [[0.0; WIDTH]; 3],
        position: [[0.0; WIDTH]; 3],
        rotation: [[0.0; WIDTH]; 4],
        numbers: [[0.0; WIDTH]; MOST_NUMBERS],
        used: 0,
        missed: 0,
        hit: 0,
        found: [[0.0; WIDTH]; 10],
    };

    /// Takes the rays from `first` on; lanes without a ray keep what they held.
    #[inline(always)]
    fn gather<T: Target>(&mut self, source: &(impl Source<T> + ?Sized), first: usize) {
        (self.used, self.missed, self.hit) = (0, 0, 0);
        for start in (0..WIDTH).step_by(4) {
            let at = |k: usize| source.item(first + start + k);
            let (four, token) = ((at(0), at(1), at(2), at(3)), baseline!());
            if let ((Some(p), Some(q), Some(r), Some(s)), Some(simd)) = (four, token) {
                self.set_four(simd, start, [p, q, r, s]);
                self.used |= 0b1111 << start;
                continue;
            }
            for lane in start..start + 4 {
                let Some(RayOf { ray, shape, pose }) = source.item(first + lane) else { return };
                self.set(lane, ray, shape, pose);
                self.used |= 1 << lane;
            }
        }
    }

    /// [`Block::set`] of four lanes at once, four numbers of each in one go.
    #[inline(always)]
    fn set_four<S: Simd, T: Target>(&mut self, simd: S, lane: usize, four: [RayOf<'_, T>; 4]) {
        let [p, q, r, s] = four;
        let (a, b) = (p.shape.numbers(), q.shape.numbers());
        let (c, d) = (r.shape.numbers(), s.shape.numbers());
        let [first, second, third, n3, n4, n5, n6, n7, n8] = &mut self.numbers;
        let from = |of: &RayOf<'_, T>, number: f32| {
            let Vec3 { x, y, z } = of.ray.origin();
            [x, y, z, number]
        };
        let way = |of: &RayOf<'_, T>, number: f32| {
            let Vec3 { x, y, z } = of.ray.direction();
            [x, y, z, number]
        };
        let [x, y, z] = &mut self.origin;
        let origins = [from(&p, a[0]), from(&q, b[0]), from(&r, c[0]), from(&s, d[0])];
        turn_over(simd, origins, lane, [x, y, z, first]);
        let [x, y, z] = &mut self.direction;
        let ways = [way(&p, a[1]), way(&q, b[1]), way(&r, c[1]), way(&s, d[1])];
        turn_over(simd, ways, lane, [x, y, z, second]);
        let [x, y, z] = &mut self.position;
        let places =
            [with(p.pose, a[2]), with(q.pose, b[2]), with(r.pose, c[2]), with(s.pose, d[2])];
        turn_over(simd, places, lane, [x, y, z, third]);
        if T::TURNED {
            let [i, j, k, w] = &mut self.rotation;
            let (p, q) = (p.pose.rotation().to_array(), q.pose.rotation().to_array());
            let (r, s) = (r.pose.rotation().to_array(), s.pose.rotation().to_array());
            turn_over(simd, [p, q, r, s], lane, [i, j, k, w]);
        }
        if T::COUNT > 3 {
            let next = [four_of::<3>(&a), four_of::<3>(&b), four_of::<3>(&c), four_of::<3>(&d)];
            turn_over(simd, next, lane, [n3, n4, &mut *n5, &mut *n6]);
        }
        if T::COUNT > 7 {
            let last = [four_of::<5>(&a), four_of::<5>(&b), four_of::<5>(&c), four_of::<5>(&d)];
            turn_over(simd, last, lane, [n5, n6, n7, n8]);
        }
    }

    #[inline(always)]
    fn set<T: Target>(&mut self, lane: usize, ray: &Ray, shape: &T, pose: &Pose) {
        let lane = lane % WIDTH;
        let vectors = [ray.origin(), ray.direction(), pose.position()];
        let rows = [&mut self.origin, &mut self.direction, &mut self.position];
        for (rows, vector) in rows.into_iter().zip(vectors) {
            rows[0][lane] = vector.x;
            rows[1][lane] = vector.y;
            rows[2][lane] = vector.z;
        }
        if T::TURNED {
            let q = pose.rotation();
            self.rotation[0][lane] = q.x;
            self.rotation[1][lane] = q.y;
            self.rotation[2][lane] = q.z;
            self.rotation[3][lane] = q.w;
        }
        for (row, number) in self.numbers.iter_mut().zip(shape.numbers()).take(T::COUNT) {
            row[lane] = number;
        }
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> Aimed<f64x8<S>> {
        let vector = |[x, y, z]: &[[f32; WIDTH]; 3]| {
            Real3::new(widen(simd, x), widen(simd, y), widen(simd, z))
        };
        let [i, j, k, w] = &self.rotation;
        let [a, b, c, d, e, f, g, h, l] = &self.numbers;
        Aimed {
            origin: vector(&self.origin),
            direction: vector(&self.direction),
            position: vector(&self.position),
            rotation: [widen(simd, i), widen(simd, j), widen(simd, k), widen(simd, w)],
            numbers: [
                widen(simd, a),
                widen(simd, b),
                widen(simd, c),
                widen(simd, d),
                widen(simd, e),
                widen(simd, f),
                widen(simd, g),
                widen(simd, h),
                widen(simd, l),
            ],
        }
    }

    /// Answers what is clear.
    #[inline(always)]
    fn fill<S: Simd, T: Target>(&mut self, simd: S, cast: &Cast<'_>) {
        let end = End {
            max_distance: cast.max_distance.into(),
            cull_back_faces: cast.options.cull_back_faces,
        };
        let aim = self.load(simd);
        let Meeting { missed, hit, distance, normal, weights } = T::meet(&aim, &end);
        (self.missed, self.hit) = (missed.to_bitmask(), hit.to_bitmask());
        if self.used & self.hit == 0 {
            return;
        }
        // As `crossing::Place`: within the ray, and no negative zeros.
        let none = f64x8::splat(simd, 0.0);
        let distance = distance.least(f64x8::splat(simd, end.max_distance.min(f64::MAX)));
        let point = aim.origin + aim.direction * distance;
        let normal = normal + Real3::new(none, none, none);
        let zero = f32x16::splat(simd, 0.0);
        let mut sum = zero;
        let mut store = |pair: f32x16<S>, rows: &mut [[f32; WIDTH]]| {
            pair.store_slice(rows.as_flattened_mut());
            // Zero, unless one of the numbers is infinite or none.
            sum += pair * zero;
        };
        let [distance_rows, point_rows, normal_rows, last_rows, weight_rows] =
            self.found.as_chunks_mut::<2>().0
        else {
            return;
        };
        store(distance.narrow(point.x), distance_rows);
        store(point.y.narrow(point.z), point_rows);
        store(normal.x.narrow(normal.y), normal_rows);
        if T::WEIGHTED {
            let Real3 { x, y, z } = Real3::new(
                weights.x.to_share() + none,
                weights.y.to_share() + none,
                weights.z.to_share() + none,
            );
            store(normal.z.narrow(x), last_rows);
            store(y.narrow(z), weight_rows);
        } else {
            store(normal.z.narrow(none), last_rows);
        }
        let finite = sum.simd_eq(zero).to_bitmask();
        self.hit &= finite & finite >> WIDTH;
    }

    #[inline(always)]
    fn hit_of<T: Target>(&self, lane: usize) -> ShapeRayHit {
        let at = |row: usize| self.found[row][lane % WIDTH];
        ShapeRayHit {
            distance: at(0),
            point: Vec3::new(at(1), at(2), at(3)),
            normal: Vec3::new(at(4), at(5), at(6)),
            started_inside: false,
            part: 0,
            barycentric: T::WEIGHTED.then(|| [at(7), at(8), at(9)]),
        }
    }
}
