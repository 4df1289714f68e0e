//! Which face of the Minkowski difference of two hulls is nearest to the origin, as far as f32 can
//! tell.

use fearless_simd::{Simd, f32x4, f32x16, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::Bits;
use smallvec::SmallVec;

use super::clouds::{Clouds, Extreme, Level};
use crate::tolerance;

/// Most points of the polytope; two less than half of [`FACES`], which a polytope cannot exceed.
const POINTS: usize = 32;
const FACES: usize = 64;
const LANES: usize = 16;

/// Polytopes that grow in turn, so that one need not wait for another: more are no faster.
const TURNS: usize = 3;

/// The corners of a face of the difference: the vertices of A and of B that make each.
pub(crate) type Corners = [[u8; 2]; 3];

/// Where the way out of the difference leaves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Exit {
    /// The nearest face, outward.
    pub(crate) face: Corners,
    /// A face that may be as near; all others are certainly farther.
    pub(crate) beside: Option<Corners>,
    /// The normal of the nearest face, about unit.
    pub(crate) normal: Vec3,
    /// The places of the vertices of A and of B among which those farthest along any direction are
    /// that is not farther from the normal than [`tolerance::GLANCE_TURN`].
    pub(crate) farthest: [u64; 2],
}

/// A polytope of points of the difference. A place without a face is infinitely high.
struct Polytope {
    /// Coordinates, and a number that means nothing.
    points: [Row; POINTS],
    vertices: [[u8; 2]; POINTS],
    count: usize,
    /// Unit normals, coordinate by coordinate.
    normals: [[f32; FACES]; 3],
    /// Of the lowest corner of each face along its normal.
    heights: [f32; FACES],
    /// Three of each face, in order around its outside, and one that means nothing.
    sides: [[Side; 4]; FACES],
    /// Places without a face.
    free: u64,
}

/// A point as it goes into lanes.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct Row([f32; 4]);

/// A side of a face in one number, for many of them are passed on as they are: the corners that it
/// runs from and to in a byte each, then which side of which face lies beyond.
#[derive(Clone, Copy)]
struct Side(u32);

impl Side {
    #[inline(always)]
    const fn new(from: u32, to: u32, [face, side]: [u32; 2]) -> Self {
        Self(from | to << 8 | side << 16 | face << 18)
    }

    #[inline(always)]
    fn from(self) -> usize {
        self.0 as usize % POINTS
    }

    #[inline(always)]
    fn to(self) -> usize {
        (self.0 >> 8) as usize % POINTS
    }

    /// The face beyond, and which of its sides this is.
    #[inline(always)]
    fn beyond(self) -> [usize; 2] {
        [(self.0 >> 18) as usize % FACES, (self.0 >> 16) as usize % 4]
    }
}

/// The sides of a tetrahedron with the corners 0, 1, 2 around the outside of the first face.
const TETRAHEDRON: [[Side; 4]; 4] = [
    [Side::new(0, 1, [1, 2]), Side::new(1, 2, [3, 2]), Side::new(2, 0, [2, 0]), Side(0)],
    [Side::new(0, 3, [2, 2]), Side::new(3, 1, [3, 0]), Side::new(1, 0, [0, 0]), Side(0)],
    [Side::new(0, 2, [0, 2]), Side::new(2, 3, [3, 1]), Side::new(3, 0, [1, 0]), Side(0)],
    [Side::new(1, 3, [1, 1]), Side::new(3, 2, [2, 1]), Side::new(2, 1, [0, 1]), Side(0)],
];

/// What a polytope is to do next.
#[derive(Clone, Copy)]
struct Aim {
    /// Its nearest face.
    place: usize,
    /// The point of the difference that is farthest along the face's normal.
    next: Extreme,
    /// The faces that the point is beyond.
    seen: u64,
}

/// The nearest face, from three points of the difference that go around the outside of a face.
///
/// - Source: van den Bergen, *Proximity queries and penetration depth computation on 3D game
///   objects* (2001), on the expanding polytope.
#[inline(always)]
pub(super) fn way_out<S: Simd, const N: usize>(
    simd: S,
    clouds: &Clouds<N>,
    portal: &[Extreme; 3],
) -> Option<Exit> {
    let mut polytope = Polytope::NONE;
    polytope.begin(simd, clouds, portal)?;
    loop {
        let aim = polytope.aim(simd, clouds);
        if let Some(found) = polytope.follow(simd, clouds, &aim) {
            return found;
        }
    }
}

/// Room for the polytopes of [`ways_out`], which are large: only as many as were needed at a time.
pub(super) struct Room(SmallVec<[Polytope; TURNS]>);

impl Room {
    #[inline]
    pub(super) fn new() -> Self {
        Self(SmallVec::new())
    }
}

/// [`way_out`] of several pairs, each answer at the pair's place.
///
/// A step waits for the one before, so that those of other pairs cost little in between.
#[inline(always)]
pub(super) fn ways_out<S: Simd, const N: usize>(
    simd: S,
    Room(polytopes): &mut Room,
    clouds: &[Clouds<N>],
    portals: &[[Extreme; 3]],
    found: &mut [Option<Exit>],
) {
    while polytopes.len() < TURNS.min(clouds.len()) {
        polytopes.push(Polytope::NONE);
    }
    let polytopes = polytopes.as_mut_slice();
    // The pair of each, if it has any left.
    let mut pairs = [usize::MAX; TURNS];
    let mut aims = [Aim::NONE; TURNS];
    let mut next = 0;
    for (polytope, pair) in polytopes.iter_mut().zip(&mut pairs) {
        *pair = polytope.begin_next(simd, clouds, portals, &mut next);
    }
    while pairs.iter().any(|&pair| pair < clouds.len()) {
        for ((polytope, pair), aim) in polytopes.iter().zip(pairs).zip(&mut aims) {
            if let Some(clouds) = clouds.get(pair) {
                *aim = polytope.aim(simd, clouds);
            }
        }
        for ((polytope, pair), aim) in polytopes.iter_mut().zip(&mut pairs).zip(&aims) {
            let (Some(of), Some(slot)) = (clouds.get(*pair), found.get_mut(*pair)) else {
                continue;
            };
            if let Some(exit) = polytope.follow(simd, of, aim) {
                *slot = exit;
                *pair = polytope.begin_next(simd, clouds, portals, &mut next);
            }
        }
    }
}

/// Whether a corner, or two edges that cross, are met along the normal of a face, so that the point
/// of each hull on the way out is the only one.
#[inline(always)]
fn is_one_way([on_a, on_b]: &[Level; 2]) -> bool {
    let (on_a, on_b) = (on_a.tied.count_ones(), on_b.tied.count_ones());
    on_a == 1 || on_b == 1 || (on_a == 2 && on_b == 2)
}

impl Aim {
    const NONE: Self = Self { place: 0, next: Extreme::NONE, seen: 0 };
}

impl Polytope {
    const NONE: Self = Self {
        points: [Row([0.0; 4]); POINTS],
        vertices: [[0; 2]; POINTS],
        count: 0,
        normals: [[0.0; FACES]; 3],
        heights: [0.0; FACES],
        sides: [[Side(0); 4]; FACES],
        free: u64::MAX,
    };

    /// Becomes a tetrahedron; `None` where one of its faces has no area.
    #[inline(always)]
    fn begin<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        clouds: &Clouds<N>,
        [p, q, r]: &[Extreme; 3],
    ) -> Option<()> {
        let inward = (r.point - p.point).cross(q.point - p.point);
        let apex = clouds.farthest(simd, inward);
        self.count = 0;
        for point in [p, q, r, &apex] {
            self.push(point);
        }
        self.heights = [f32::INFINITY; FACES];
        self.free = u64::MAX << TETRAHEDRON.len();
        self.sides[..TETRAHEDRON.len()].copy_from_slice(&TETRAHEDRON);
        let corners = [
            self.rows(simd, [0, 0, 0, 1]),
            self.rows(simd, [1, 3, 2, 3]),
            self.rows(simd, [2, 1, 3, 2]),
        ];
        let planes = planes(simd, &corners)?;
        for place in 0..TETRAHEDRON.len() {
            self.put(place, &planes, place);
        }
        Some(())
    }

    /// Begins with the next pair that it can begin with, and gives its place.
    #[inline(always)]
    fn begin_next<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        clouds: &[Clouds<N>],
        portals: &[[Extreme; 3]],
        next: &mut usize,
    ) -> usize {
        while let (Some(clouds), Some(portal)) = (clouds.get(*next), portals.get(*next)) {
            *next += 1;
            if self.begin(simd, clouds, portal).is_some() {
                return *next - 1;
            }
        }
        usize::MAX
    }

    #[inline(always)]
    fn aim<S: Simd, const N: usize>(&self, simd: S, clouds: &Clouds<N>) -> Aim {
        let place = self.nearest(simd);
        let next = clouds.farthest(simd, self.normal(place));
        Aim { place, next, seen: self.seen_from(simd, next.point) }
    }

    /// Grows, or ends: with the way out, or without one where f32 does not find it.
    #[inline(always)]
    fn follow<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        clouds: &Clouds<N>,
        Aim { place, next, seen }: &Aim,
    ) -> Option<Option<Exit>> {
        if next.height - self.heights[place % FACES] <= tolerance::GLANCE_HEIGHT {
            let level = clouds.level(simd, self.normal(*place));
            return Some(if is_one_way(&level) { self.exit(simd, *place, &level) } else { None });
        }
        let has_grown = self.grow(simd, next, *seen).is_some() && self.count < POINTS;
        if has_grown { None } else { Some(None) }
    }

    #[inline(always)]
    fn push(&mut self, point: &Extreme) {
        let (place, Vec3 { x, y, z }) = (self.count % POINTS, point.point);
        (self.points[place], self.vertices[place]) = (Row([x, y, z, 0.0]), point.vertices);
        self.count += 1;
    }

    #[inline(always)]
    fn normal(&self, place: usize) -> Vec3 {
        let ([x, y, z], place) = (&self.normals, place % FACES);
        Vec3::new(x[place], y[place], z[place])
    }

    /// The plane of a face, of those in some lanes.
    #[inline(always)]
    fn put(&mut self, place: usize, [x, y, z, height]: &[[f32; 4]; 4], lane: usize) {
        let (place, lane) = (place % FACES, lane % 4);
        self.normals[0][place] = x[lane];
        self.normals[1][place] = y[lane];
        self.normals[2][place] = z[lane];
        self.heights[place] = height[lane];
    }

    /// Points side by side, coordinate by coordinate.
    #[inline(always)]
    fn rows<S: Simd>(&self, simd: S, [i, j, k, l]: [usize; 4]) -> [f32x4<S>; 3] {
        let p = f32x4::load_array_ref(simd, &self.points[i % POINTS].0);
        let q = f32x4::load_array_ref(simd, &self.points[j % POINTS].0);
        let r = f32x4::load_array_ref(simd, &self.points[k % POINTS].0);
        let s = f32x4::load_array_ref(simd, &self.points[l % POINTS].0);
        let (xy_pr, z_pr) = (p.zip_low(r), p.zip_high(r));
        let (xy_qs, z_qs) = (q.zip_low(s), q.zip_high(s));
        [xy_pr.zip_low(xy_qs), xy_pr.zip_high(xy_qs), z_pr.zip_low(z_qs)]
    }

    /// Blocks of sixteen places up to the last that has a face.
    #[inline(always)]
    fn blocks(&self) -> usize {
        (FACES - self.free.leading_ones() as usize).div_ceil(LANES)
    }

    /// The first of the nearest faces.
    #[inline(always)]
    fn nearest<S: Simd>(&self, simd: S) -> usize {
        let (heights, _) = self.heights.as_chunks::<LANES>();
        let heights = &heights[..self.blocks()];
        let mut least = f32x16::load_array_ref(simd, &heights[0]);
        if let [_] = heights {
            // Most polytopes have no more.
            let level = f32x16::splat(simd, least.reduce_min());
            return least.simd_eq(level).to_bitmask().trailing_zeros() as usize % FACES;
        }
        for block in &heights[1..] {
            least = least.min(f32x16::load_array_ref(simd, block));
        }
        let level = f32x16::splat(simd, least.reduce_min());
        let mut found = 0_u64;
        for (k, block) in heights.iter().enumerate() {
            let here = f32x16::load_array_ref(simd, block).simd_eq(level);
            found |= here.to_bitmask() << (k * LANES);
        }
        found.trailing_zeros() as usize % FACES
    }

    /// The faces that a point is beyond.
    #[inline(always)]
    fn seen_from<S: Simd>(&self, simd: S, point: Vec3) -> u64 {
        let [x, y, z] = &self.normals;
        let ((x, _), (y, _), (z, _)) = (x.as_chunks(), y.as_chunks(), z.as_chunks());
        let (heights, _) = self.heights.as_chunks::<LANES>();
        let noise = f32x16::splat(simd, tolerance::GLANCE_LEVEL);
        let (mut seen, mut k) = (0, 0);
        loop {
            let x = f32x16::load_array_ref(simd, &x[k]) * point.x;
            let y = f32x16::load_array_ref(simd, &y[k]) * point.y;
            let z = f32x16::load_array_ref(simd, &z[k]) * point.z;
            let beyond = (x + y) + z - f32x16::load_array_ref(simd, &heights[k]);
            seen |= beyond.simd_gt(noise).to_bitmask() << (k * LANES);
            k += 1;
            if k >= self.blocks() {
                return seen;
            }
        }
    }

    /// Replaces what a point sees by faces to it; `None` where that is not in one piece.
    #[inline(always)]
    fn grow<S: Simd>(&mut self, simd: S, next: &Extreme, seen: u64) -> Option<()> {
        let (mut rim, mut length) = ([Side(0); POINTS], 0_usize);
        let (mut around, mut starts) = (0_u32, 0_u32);
        for place in Bits(seen) {
            for &side in &self.sides[place % FACES][..3] {
                // Stored in any case: nothing can guess which sides are on the rim.
                let is_outer = seen >> side.beyond()[0] & 1 == 0;
                rim[length % POINTS] = side;
                length += usize::from(is_outer);
                starts |= u32::from(is_outer) << side.from();
                around |= 1 << side.from();
            }
            self.heights[place % FACES] = f32::INFINITY;
        }
        // Euler's formula for a disc, whose rim passes every corner once.
        let (faces, corners) = (seen.count_ones(), around.count_ones());
        let is_once = starts.count_ones() as usize == length && length >= 3;
        if !is_once || 2 * corners as usize != faces as usize + length + 2 {
            return None;
        }
        self.free |= seen;
        let rim = rim.get(..length).filter(|_| self.free.count_ones() as usize >= length)?;
        self.fan(simd, next, rim)
    }

    /// Faces from the sides of a rim to a point, in the first places that are free; `None` where
    /// one of them has no area.
    #[inline(always)]
    fn fan<S: Simd>(&mut self, simd: S, next: &Extreme, rim: &[Side]) -> Option<()> {
        let new = u32::try_from(self.count).ok()?;
        self.push(next);
        // The faces whose sides on the rim run from each corner, and to it.
        let (mut leaving, mut coming) = ([0_u8; POINTS], [0_u8; POINTS]);
        let mut free = self.free;
        for side in rim {
            let place = free.trailing_zeros();
            free &= free.wrapping_sub(1);
            (leaving[side.from()], coming[side.to()]) = (byte(place), byte(place));
            let [face, beyond] = side.beyond();
            self.sides[face][beyond] = Side::new(side.0 >> 8 & 0xFF, side.0 & 0xFF, [place, 0]);
        }
        let Vec3 { x, y, z } = next.point;
        let last = [f32x4::splat(simd, x), f32x4::splat(simd, y), f32x4::splat(simd, z)];
        for four in rim.chunks(4) {
            // Where there are fewer, the first one again.
            let i = four[0];
            let (j, k) = (four.get(1).map_or(i, |side| *side), four.get(2).map_or(i, |side| *side));
            let l = four.get(3).map_or(i, |side| *side);
            let first = self.rows(simd, [i.from(), j.from(), k.from(), l.from()]);
            let second = self.rows(simd, [i.to(), j.to(), k.to(), l.to()]);
            let planes = planes(simd, &[first, second, last])?;
            for (lane, side) in four.iter().enumerate() {
                let place = self.free.trailing_zeros() as usize % FACES;
                self.free &= self.free.wrapping_sub(1);
                self.put(place, &planes, lane);
                let (from, to) = (side.0 & 0xFF, side.0 >> 8 & 0xFF);
                let after = [leaving[side.to()].into(), 2];
                let before = [coming[side.from()].into(), 1];
                self.sides[place] =
                    [*side, Side::new(to, new, after), Side::new(new, from, before), Side(0)];
            }
        }
        Some(())
    }

    /// The nearest face, unless more than one other may be as near.
    #[inline(always)]
    fn exit<S: Simd>(&self, simd: S, place: usize, level: &[Level; 2]) -> Option<Exit> {
        let (heights, _) = self.heights.as_chunks::<LANES>();
        let limit = f32x16::splat(simd, self.heights[place % FACES] + tolerance::GLANCE_TIE);
        let mut near = 0_u64;
        for (k, block) in heights.iter().enumerate().take(self.blocks()) {
            let here = f32x16::load_array_ref(simd, block).simd_le(limit);
            near |= here.to_bitmask() << (k * LANES);
        }
        let mut others = Bits(near & !(1 << place));
        let beside = others.next().map(|other| self.face(other));
        if others.next().is_some() {
            return None;
        }
        let (face, normal) = (self.face(place), self.normal(place));
        let farthest = [level[0].beside, level[1].beside];
        Some(Exit { face, beside, normal, farthest })
    }

    fn face(&self, place: usize) -> Corners {
        let [i, j, k, _] = self.sides[place % FACES];
        [i, j, k].map(|side| self.vertices[side.from()])
    }
}

/// Unit normals of triangles, coordinate by coordinate, and the heights of their lowest corners;
/// `None` where one of them has no area.
#[inline(always)]
fn planes<S: Simd>(simd: S, [p, q, r]: &[[f32x4<S>; 3]; 3]) -> Option<[[f32; 4]; 4]> {
    let u = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let v = [r[0] - p[0], r[1] - p[1], r[2] - p[2]];
    let (x, y) = (u[1] * v[2] - v[1] * u[2], u[2] * v[0] - v[2] * u[0]);
    let normal = [x, y, u[0] * v[1] - v[0] * u[1]];
    let scale = f32x4::splat(simd, 1.0) / dot(&normal, &normal).sqrt();
    // False for what is no number, too.
    if !scale.simd_lt(f32x4::splat(simd, f32::INFINITY)).all_true() {
        return None;
    }
    let normal = [normal[0] * scale, normal[1] * scale, normal[2] * scale];
    // Whatever the error of the normal, no point of the face is lower along it.
    let height = dot(&normal, p).min(dot(&normal, q)).min(dot(&normal, r));
    Some([normal[0].into(), normal[1].into(), normal[2].into(), height.into()])
}

#[inline(always)]
fn dot<S: Simd>(p: &[f32x4<S>; 3], q: &[f32x4<S>; 3]) -> f32x4<S> {
    (p[0] * q[0] + p[1] * q[1]) + p[2] * q[2]
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "places are no more than 64")]
fn byte(place: u32) -> u8 {
    place as u8
}
