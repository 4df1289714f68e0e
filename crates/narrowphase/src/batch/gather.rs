//! Pairs side by side.

use std::ptr;

use fearless_simd::{Simd, f32x4, f32x16, f64x4, f64x8, prelude::*};
use impinge_shapes::{Cuboid, Pose};

use super::source::{Item, Source};
use super::{AsPair, PairOf};
use crate::real::{MOST_NUMBERS, Numbers, Placed, Real3, baseline};
use crate::turn::{WIDTH, each, turn_eight, turn_sixteen, turned};
use crate::witness::Room;

/// Lanes of half a block.
pub(super) const HALF: usize = WIDTH / 2;

/// Placed shapes side by side: a row for each of their numbers.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Rows<const W: usize> {
    pub(super) position: [[f32; W]; 3],
    pub(super) rotation: [[f32; W]; 4],
    pub(super) numbers: [[f32; W]; MOST_NUMBERS],
}

impl<const W: usize> Rows<W> {
    const EMPTY: Self = Self {
        position: [[0.0; W]; 3],
        rotation: [[0.0; W]; 4],
        numbers: [[0.0; W]; MOST_NUMBERS],
    };

    #[inline(always)]
    fn set<T: Numbers>(&mut self, lane: usize, shape: &T, pose: &Pose) {
        let position = pose.position();
        let lane = lane % W;
        self.position[0][lane] = position.x;
        self.position[1][lane] = position.y;
        self.position[2][lane] = position.z;
        if T::TURNED {
            let rotation = pose.rotation();
            self.rotation[0][lane] = rotation.x;
            self.rotation[1][lane] = rotation.y;
            self.rotation[2][lane] = rotation.z;
            self.rotation[3][lane] = rotation.w;
        }
        let numbers = self.numbers.iter_mut().zip(shape.numbers()).take(T::COUNT);
        for (row, number) in numbers {
            row[lane] = number;
        }
    }
}

impl<const W: usize> Rows<W> {
    /// [`Rows::set`] of four lanes at once, four numbers of each in one go.
    #[inline(always)]
    fn set_four<S: Simd, T: Numbers>(&mut self, simd: S, lane: usize, four: [(&T, &Pose); 4]) {
        // One by one, because closures may stay out of line.
        let [(a, at_a), (b, at_b), (c, at_c), (d, at_d)] = four;
        let (a, b, c, d) = (a.numbers(), b.numbers(), c.numbers(), d.numbers());
        let places = [with(at_a, a[0]), with(at_b, b[0]), with(at_c, c[0]), with(at_d, d[0])];
        let [x, y, z] = &mut self.position;
        let [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth] =
            &mut self.numbers;
        turn_over(simd, places, lane, [x, y, z, first]);
        if T::TURNED {
            let (a, b) = (at_a.rotation().to_array(), at_b.rotation().to_array());
            let (c, d) = (at_c.rotation().to_array(), at_d.rotation().to_array());
            let [x, y, z, w] = &mut self.rotation;
            turn_over(simd, [a, b, c, d], lane, [x, y, z, w]);
        }
        if T::COUNT > 1 {
            let next = [four_of::<1>(&a), four_of::<1>(&b), four_of::<1>(&c), four_of::<1>(&d)];
            turn_over(simd, next, lane, [second, third, &mut *fourth, &mut *fifth]);
        }
        if T::COUNT > 7 {
            let last = [four_of::<5>(&a), four_of::<5>(&b), four_of::<5>(&c), four_of::<5>(&d)];
            turn_over(simd, last, lane, [sixth, seventh, eighth, ninth]);
        } else if T::COUNT > 5 {
            let last = [four_of::<3>(&a), four_of::<3>(&b), four_of::<3>(&c), four_of::<3>(&d)];
            turn_over(simd, last, lane, [fourth, fifth, sixth, seventh]);
        }
    }
}

/// A position and one number more.
#[inline(always)]
pub(super) fn with(pose: &Pose, number: f32) -> [f32; 4] {
    let at = pose.position();
    [at.x, at.y, at.z, number]
}

/// Four numbers in a row.
#[inline(always)]
pub(super) fn four_of<const FIRST: usize>(numbers: &[f32]) -> [f32; 4] {
    [numbers[FIRST], numbers[FIRST + 1], numbers[FIRST + 2], numbers[FIRST + 3]]
}

/// Writes four rows from `lane` on, of which each shape holds one number.
#[inline(always)]
pub(super) fn turn_over<S: Simd, const W: usize>(
    simd: S,
    shapes: [[f32; 4]; 4],
    lane: usize,
    rows: [&mut [f32; W]; 4],
) {
    let [a, b, c, d] = shapes;
    let (a, b) = (f32x4::load_array(simd, a), f32x4::load_array(simd, b));
    let (c, d) = (f32x4::load_array(simd, c), f32x4::load_array(simd, d));
    for (row, four) in rows.into_iter().zip(turned([a, b, c, d])) {
        if let Some(part) = row.get_mut(lane..lane + 4) {
            four.store_slice(part);
        }
    }
}

impl Rows<WIDTH> {
    /// Four lanes from this one on.
    #[inline(always)]
    fn load_half<S: Simd, const FIRST: usize>(&self, simd: S) -> Placed<f64x4<S>> {
        let half = widen_half::<S, FIRST>;
        let [x, y, z] = &self.position;
        let [u, v, s, t] = &self.rotation;
        let [a, b, c, d, e, f, g, h, i] = &self.numbers;
        Placed {
            position: Real3 { x: half(simd, x), y: half(simd, y), z: half(simd, z) },
            rotation: [half(simd, u), half(simd, v), half(simd, s), half(simd, t)],
            numbers: [
                half(simd, a),
                half(simd, b),
                half(simd, c),
                half(simd, d),
                half(simd, e),
                half(simd, f),
                half(simd, g),
                half(simd, h),
                half(simd, i),
            ],
        }
    }
}

#[inline(always)]
fn widen_half<S: Simd, const FIRST: usize>(simd: S, row: &[f32; WIDTH]) -> f64x4<S> {
    let mut wide = [0.0; HALF];
    for (wide, &number) in wide.iter_mut().zip(&row[FIRST..FIRST + HALF]) {
        *wide = f64::from(number);
    }
    f64x4::load_array(simd, wide)
}

/// [`Fours`] of eight boxes from a place on.
macro_rules! fours {
    ($shapes:ident, $poses:ident, $first:expr) => {{
        let k = [0, 1, 2, 3, 4, 5, 6, 7_usize];
        [
            each!(k, k => with($poses[$first + k], $shapes[$first + k].numbers()[0])),
            each!(k, k => $poses[$first + k].rotation().to_array()),
            each!(k, k => four_of::<1>(&$shapes[$first + k].numbers())),
        ]
    }};
}

/// The same of pairs that lie side by side.
macro_rules! beside {
    ($pairs:ident, $shape:ident, $pose:ident, $first:expr) => {{
        let k = [0, 1, 2, 3, 4, 5, 6, 7_usize];
        [
            each!(k, k => {
                let pair = $pairs[$first + k].as_pair();
                with(pair.$pose, pair.$shape.numbers()[0])
            }),
            each!(k, k => $pairs[$first + k].as_pair().$pose.rotation().to_array()),
            each!(k, k => four_of::<1>(&$pairs[$first + k].as_pair().$shape.numbers())),
        ]
    }};
}

/// Eight things from `first` on; the last one stands for those beyond the end, too.
#[inline(always)]
pub(super) fn eight_from<T>(things: &[T], first: usize) -> Option<[&T; WIDTH]> {
    let rest = things.get(first..)?;
    if let Some(eight) = rest.first_chunk::<WIDTH>() {
        return Some(each!(eight, thing => thing));
    }
    let last = rest.last()?;
    Some(each!([0, 1, 2, 3, 4, 5, 6, 7], k => rest.get(k).unwrap_or(last)))
}

/// Sixteen placed boxes in f32 lanes.
pub(super) struct Boxes<S: Simd> {
    pub(super) position: [f32x16<S>; 3],
    pub(super) rotation: [f32x16<S>; 4],
    /// Half extents.
    pub(super) half: [f32x16<S>; 3],
}

/// Sixteen pairs of boxes in f32 lanes.
pub(super) struct Sixteen<S: Simd> {
    pub(super) a: Boxes<S>,
    pub(super) b: Boxes<S>,
}

impl<S: Simd> Sixteen<S> {
    #[inline(always)]
    pub(super) fn gather(simd: S, pairs: &Borrowed<'_, 16>) -> Self {
        let Borrowed { a, pose_a, b, pose_b } = pairs;
        Self {
            a: Boxes::new(simd, fours!(a, pose_a, 0), fours!(a, pose_a, WIDTH)),
            b: Boxes::new(simd, fours!(b, pose_b, 0), fours!(b, pose_b, WIDTH)),
        }
    }

    /// Pairs that lie side by side.
    #[inline(always)]
    pub(super) fn beside(simd: S, pairs: &[impl AsPair<Cuboid, Cuboid>; 16]) -> Self {
        Self {
            a: Boxes::new(simd, beside!(pairs, a, pose_a, 0), beside!(pairs, a, pose_a, WIDTH)),
            b: Boxes::new(simd, beside!(pairs, b, pose_b, 0), beside!(pairs, b, pose_b, WIDTH)),
        }
    }
}

/// Pairs of boxes, each part by itself.
///
/// It is filled in place, one reference at a time: pairs that are handed on by value are copied by
/// wider loads than the stores that have just made them, which have to wait for each other.
pub(super) struct Borrowed<'a, const W: usize> {
    pub(super) a: [&'a Cuboid; W],
    pub(super) pose_a: [&'a Pose; W],
    pub(super) b: [&'a Cuboid; W],
    pub(super) pose_b: [&'a Pose; W],
}

impl<'a, const W: usize> Borrowed<'a, W> {
    /// The same pair in all places.
    #[inline(always)]
    pub(super) fn all(pair: &PairOf<'a, Cuboid, Cuboid>) -> Self {
        let PairOf { a, pose_a, b, pose_b } = *pair;
        Self { a: [a; W], pose_a: [pose_a; W], b: [b; W], pose_b: [pose_b; W] }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, pair: &PairOf<'a, Cuboid, Cuboid>) {
        let place = place % W;
        (self.a[place], self.pose_a[place]) = (pair.a, pair.pose_a);
        (self.b[place], self.pose_b[place]) = (pair.b, pair.pose_b);
    }
}

impl<'a> Borrowed<'a, WIDTH> {
    /// The pairs in f64 lanes.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S) -> (Placed<f64x8<S>>, Placed<f64x8<S>>) {
        let Self { a, pose_a, b, pose_b } = self;
        let k = [0, 1, 2, 3, 4, 5, 6, 7];
        (
            placed(simd, each!(k, k => (a[k], pose_a[k]))),
            placed(simd, each!(k, k => (b[k], pose_b[k]))),
        )
    }
}

/// Eight boxes: the place and the first half extent of each, the quaternions, and the other extents.
type Fours = [[[f32; 4]; WIDTH]; 3];

impl<S: Simd> Boxes<S> {
    #[inline(always)]
    fn new(simd: S, [at, turns, sizes]: Fours, [at_next, turns_next, sizes_next]: Fours) -> Self {
        let [x, y, z, first] = turn_sixteen(simd, at, at_next);
        let [second, third, ..] = turn_sixteen(simd, sizes, sizes_next);
        Self {
            position: [x, y, z],
            rotation: turn_sixteen(simd, turns, turns_next),
            half: [first, second, third],
        }
    }
}

/// Eight placed shapes in lanes.
#[inline(always)]
fn placed<S: Simd, T: Numbers>(simd: S, shapes: [(&T, &Pose); WIDTH]) -> Placed<f64x8<S>> {
    if T::SHARED {
        let (shape, pose) = shapes[0];
        let [a, b, c, d, e, f, g, h] =
            each!(shapes, (one, there) => ptr::eq(one, shape) & ptr::eq(there, pose));
        if (a & b & c & d) & (e & f & g & h) {
            return alike(simd, shape, pose);
        }
    }
    let none = f64x8::splat(simd, 0.0);
    let numbers = each!(shapes, (shape, _) => shape.numbers());
    if T::COUNT == 4 {
        // They lie side by side.
        let places = each!(shapes, (_, pose) => with(pose, 0.0));
        let [x, y, z, _] = turn_eight(simd, places);
        let turns = each!(shapes, (_, pose) => pose.rotation().to_array());
        let [first, second, third, fourth] =
            turn_eight(simd, each!(&numbers, numbers => four_of::<0>(numbers)));
        return Placed {
            position: Real3::new(x, y, z),
            rotation: if T::TURNED { turn_eight(simd, turns) } else { [none; 4] },
            numbers: [first, second, third, fourth, none, none, none, none, none],
        };
    }
    let places = each!(shapes, (shape, pose) => with(pose, shape.numbers()[0]));
    let [x, y, z, first] = turn_eight(simd, places);
    let mut placed = Placed {
        position: Real3::new(x, y, z),
        rotation: [none; 4],
        numbers: [first, none, none, none, none, none, none, none, none],
    };
    if T::TURNED {
        let turns = each!(shapes, (_, pose) => pose.rotation().to_array());
        placed.rotation = turn_eight(simd, turns);
    }
    if T::COUNT > 1 {
        let next = each!(&numbers, numbers => four_of::<1>(numbers));
        let [second, third, fourth, fifth] = turn_eight(simd, next);
        placed.numbers = [first, second, third, fourth, fifth, none, none, none, none];
    }
    if T::COUNT > 7 {
        let last = each!(&numbers, numbers => four_of::<5>(numbers));
        placed.numbers[5..].copy_from_slice(&turn_eight(simd, last));
    } else if T::COUNT > 5 {
        let last = each!(&numbers, numbers => four_of::<3>(numbers));
        let [_, _, sixth, seventh] = turn_eight(simd, last);
        (placed.numbers[5], placed.numbers[6]) = (sixth, seventh);
    }
    placed
}

/// One placed shape in all lanes.
#[inline(always)]
fn alike<S: Simd, T: Numbers>(simd: S, shape: &T, pose: &Pose) -> Placed<f64x8<S>> {
    let Placed { position: Real3 { x, y, z }, rotation, numbers } = Placed::of(shape, pose);
    let ([i, j, k, w], [a, b, c, d, e, f, g, h, l]) = (rotation, numbers);
    let [x, y, z, i, j, k, w, a] =
        each!([x, y, z, i, j, k, w, a], number => f64x8::splat(simd, number));
    let [b, c, d, e, f, g, h, l] =
        each!([b, c, d, e, f, g, h, l], number => f64x8::splat(simd, number));
    Placed {
        position: Real3::new(x, y, z),
        rotation: [i, j, k, w],
        numbers: [a, b, c, d, e, f, g, h, l],
    }
}

/// Eight pairs of one kind in lanes.
pub(super) struct Eight<S: Simd> {
    pub(super) a: Placed<f64x8<S>>,
    pub(super) b: Placed<f64x8<S>>,
    /// Bits of the lanes whose pairs are flipped.
    pub(super) flipped: u64,
}

impl<S: Simd> Eight<S> {
    /// The pairs from `first` on; the last one stands in the lanes without a pair, too.
    ///
    /// `points`: whether the nearest points are wanted; see [`Room::look_up`].
    #[inline(always)]
    pub(super) fn gather<'a, K: Room<A: Numbers, B: Numbers>>(
        simd: S,
        source: &(impl Source<'a, K> + ?Sized),
        first: usize,
        points: bool,
    ) -> Option<Self> {
        let items = source.eight(first)?;
        let a = each!(&items, item => (item.pair.a, item.pair.pose_a));
        let b = each!(&items, item => (item.pair.b, item.pair.pose_b));
        let [i, j, k, l, m, n, o, p] = each!(&items, item => u64::from(item.flipped));
        let flipped = (i | j << 1 | k << 2 | l << 3) | (m << 4 | n << 5 | o << 6 | p << 7);
        let (mut a, b) = (placed(simd, a), placed(simd, b));
        K::look_up(simd, each!(&items, item => item.pair.a), &mut a, &b, points);
        Some(Self { a, b, flipped })
    }
}

/// Pairs of one kind, as many as there are lanes or fewer.
pub(super) struct Block<const W: usize> {
    pub(super) a: Rows<W>,
    pub(super) b: Rows<W>,
    /// Bits of the lanes whose pairs are flipped.
    pub(super) flipped: u64,
    /// Bits of the lanes in use.
    pub(super) used: u64,
    /// What distances are compared with.
    pub(super) margin: f64,
}

impl<const W: usize> Block<W> {
    pub(super) const EMPTY: Self =
        Self { a: Rows::EMPTY, b: Rows::EMPTY, flipped: 0, used: 0, margin: 0.0 };

    /// Takes a pair.
    #[inline(always)]
    pub(super) fn set<A: Numbers, B: Numbers>(&mut self, lane: usize, pair: &PairOf<'_, A, B>) {
        self.a.set(lane, pair.a, pair.pose_a);
        self.b.set(lane, pair.b, pair.pose_b);
    }

    /// Takes the pairs from `first` on; lanes without a pair keep what they held.
    #[inline(always)]
    pub(super) fn gather<'a, K: Room<A: Numbers, B: Numbers>>(
        &mut self,
        source: &(impl Source<'a, K> + ?Sized),
        first: usize,
    ) {
        (self.flipped, self.used) = (0, 0);
        for start in (0..W).step_by(4) {
            let at = |k: usize| source.item(first + start + k);
            let (four, token) = ((at(0), at(1), at(2), at(3)), baseline!());
            if let ((Some(p), Some(q), Some(r), Some(s)), Some(simd)) = (four, token) {
                let (i, j, k, l) = (&p.pair, &q.pair, &r.pair, &s.pair);
                let a = [(i.a, i.pose_a), (j.a, j.pose_a), (k.a, k.pose_a), (l.a, l.pose_a)];
                let b = [(i.b, i.pose_b), (j.b, j.pose_b), (k.b, k.pose_b), (l.b, l.pose_b)];
                self.a.set_four(simd, start, a);
                self.b.set_four(simd, start, b);
                let flipped = [p.flipped, q.flipped, r.flipped, s.flipped].map(u64::from);
                let [p, q, r, s] = flipped;
                self.flipped |= (p | q << 1 | r << 2 | s << 3) << start;
                self.used |= 0b1111 << start;
                continue;
            }
            for lane in start..start + 4 {
                let Some(Item { pair, flipped }) = source.item(first + lane) else { return };
                self.set(lane, &pair);
                self.flipped |= u64::from(flipped) << lane;
                self.used |= 1 << lane;
            }
        }
    }
}

impl Block<WIDTH> {
    /// Half of the pairs, from this lane on.
    #[inline(always)]
    pub(super) fn load_half<S: Simd, const FIRST: usize>(
        &self,
        simd: S,
    ) -> (Placed<f64x4<S>>, Placed<f64x4<S>>) {
        (self.a.load_half::<S, FIRST>(simd), self.b.load_half::<S, FIRST>(simd))
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::simd::SimdLevel;
    use impinge_shapes::{Capsule, Cuboid, HalfSpace, Sphere, Triangle};

    use super::super::PlacedPair;
    use super::super::source::Known;
    use super::*;
    use crate::convex::draw::Draw;
    use crate::lanes::lanes;
    use crate::pairs::capsule_capsule::CapsuleCapsule;
    use crate::pairs::capsule_cuboid::CapsuleCuboid;
    use crate::pairs::capsule_sphere::CapsuleSphere;
    use crate::pairs::cuboid_cuboid::lanes::CuboidCuboid;
    use crate::pairs::sphere_triangle::SphereTriangle;

    /// Eleven pairs: eight of them by fours, three one by one.
    fn check<K: Room<A: Numbers + Clone, B: Numbers + Clone>>(
        a: impl Fn(Vec3) -> K::A,
        b: impl Fn(Vec3) -> K::B,
    ) {
        let pose = |at: Vec3| Pose::new(at, Quat::from_xyzw(at.z, at.x, 0.5, at.y)).unwrap();
        let pairs: Vec<PlacedPair<K::A, K::B>> = (1..=11_u8)
            .map(|k| {
                let size = Vec3::new(1.0, 0.25, 0.5) * f32::from(k);
                PlacedPair { a: a(size), pose_a: pose(size), b: b(-size), pose_b: pose(-size) }
            })
            .collect();
        let mut block = Block::<WIDTH>::EMPTY;
        let mut expected = Block::<WIDTH>::EMPTY;
        for (first, used) in [(0, 0xff), (WIDTH, 0b111)] {
            block.gather::<K>(&Known(&pairs), first);
            for (lane, pair) in pairs.iter().skip(first).take(WIDTH).enumerate() {
                let PlacedPair { a, pose_a, b, pose_b } = pair;
                expected.set(lane, &PairOf { a, pose_a, b, pose_b });
            }
            assert_eq!((block.used, block.flipped), (used, 0));
            for (found, wanted) in [(&block.a, &expected.a), (&block.b, &expected.b)] {
                let rows = |rows: &Rows<WIDTH>| {
                    let numbers = rows.numbers.as_flattened();
                    [rows.position.as_flattened(), rows.rotation.as_flattened(), numbers]
                        .concat()
                        .iter()
                        .map(|x| x.to_bits())
                        .collect::<Vec<_>>()
                };
                assert_eq!(rows(found), rows(wanted), "from {first}");
                assert!(rows(found).iter().any(|&bits| bits != 0));
            }
        }
    }

    #[test]
    fn four_at_once_lie_where_they_lie_one_by_one() {
        let capsule = |v: Vec3| Capsule::new(v, v * 2.0, v.x.abs()).unwrap();
        let cuboid = |v: Vec3| Cuboid::new(v.abs()).unwrap();
        check::<CapsuleCapsule>(capsule, capsule);
        check::<CuboidCuboid>(cuboid, cuboid);
        check::<CapsuleCuboid>(capsule, cuboid);
        let sphere = |v: Vec3| Sphere::new(v.y.abs()).unwrap();
        check::<CapsuleSphere>(capsule, sphere);
        check::<SphereTriangle>(sphere, |v| Triangle::new(v, v * 2.0, v - Vec3::X).unwrap());
    }

    #[inline(always)]
    fn rows_of<S: Simd>(simd: S, shapes: [(&HalfSpace, &Pose); WIDTH]) -> [[f64; WIDTH]; 16] {
        let Placed { position: Real3 { x, y, z }, rotation, numbers } = placed(simd, shapes);
        let mut rows = [[0.0; WIDTH]; 16];
        for (row, lanes) in rows.iter_mut().zip([x, y, z].iter().chain(&rotation).chain(&numbers)) {
            lanes.store_array(row);
        }
        rows
    }

    #[test]
    fn a_shared_half_space_lies_in_all_lanes_as_copies_of_it_do() {
        for seed in 0..200 {
            let mut draw = Draw(seed);
            let made = |draw: &mut Draw| {
                let half_space = HalfSpace::new(draw.vector(), draw.next()).unwrap();
                let turn = Quat::from_vec4(draw.vector().extend(draw.next()));
                (half_space, Pose::new(draw.vector() * 100.0, turn).unwrap())
            };
            let (half_space, pose) = made(&mut draw);
            let copies = [(half_space, pose); WIDTH];
            let (other, there) = made(&mut draw);
            for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
                let shared = [(&half_space, &pose); WIDTH];
                let Some(found) = lanes!(level, simd => rows_of(simd, shared)) else { continue };
                let apart = each!(&copies, (shape, pose) => (shape, pose));
                let expected = lanes!(level, simd => rows_of(simd, apart)).unwrap();
                let bits = |rows: [[f64; WIDTH]; 16]| rows.map(|row| row.map(f64::to_bits));
                assert_eq!(bits(found), bits(expected), "seed {seed}, {}", level.name());
                // One that differs in its shape or its pose alone is not passed over.
                for (shape, at) in [(&other, &pose), (&half_space, &there)] {
                    let mut mixed = shared;
                    mixed[usize::try_from(seed).unwrap() % WIDTH] = (shape, at);
                    let mixed = lanes!(level, simd => rows_of(simd, mixed)).unwrap();
                    assert_ne!(bits(mixed), bits(found), "seed {seed}, {}", level.name());
                }
            }
        }
    }
}
