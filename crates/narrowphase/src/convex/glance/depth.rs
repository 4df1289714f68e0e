//! Which face of the Minkowski difference of two hulls is nearest to the origin, as far as f32 can
//! tell.

use fearless_simd::{Simd, f32x16, prelude::*};
use impinge_shapes::glam::Vec3;
use impinge_shapes::simd::Bits;

use super::clouds::{Clouds, Extreme, Level};
use crate::tolerance;

/// Most points of the polytope; two less than half of [`FACES`], which a polytope cannot exceed.
const POINTS: usize = 32;
const FACES: usize = 64;
const LANES: usize = 16;

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
    points: [Vec3; POINTS],
    vertices: [[u8; 2]; POINTS],
    count: usize,
    /// Unit normals, coordinate by coordinate.
    normals: [[f32; FACES]; 3],
    /// Of the lowest corner of each face along its normal.
    heights: [f32; FACES],
    corners: [[u8; 3]; FACES],
    /// Places without a face.
    free: u64,
}

/// The nearest face, from three points of the difference that go around the outside of a face.
///
/// - Source: van den Bergen, *Proximity queries and penetration depth computation on 3D game
///   objects* (2001), on the expanding polytope.
#[inline(always)]
pub(super) fn way_out<S: Simd, const N: usize>(
    simd: S,
    clouds: &Clouds<N>,
    portal: [Extreme; 3],
) -> Option<Exit> {
    let mut polytope = Polytope {
        points: [Vec3::ZERO; POINTS],
        vertices: [[0; 2]; POINTS],
        count: 0,
        normals: [[0.0; FACES]; 3],
        heights: [f32::INFINITY; FACES],
        corners: [[0; 3]; FACES],
        free: u64::MAX,
    };
    let [p, q, r] = portal;
    let inward = (r.point - p.point).cross(q.point - p.point);
    let apex = clouds.farthest(simd, inward);
    for point in [p, q, r, apex] {
        polytope.push(&point);
    }
    for face in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
        polytope.add(face)?;
    }
    while polytope.count < POINTS {
        let place = polytope.nearest(simd);
        let next = clouds.farthest(simd, polytope.normal(place));
        if next.height - polytope.heights[place] <= tolerance::GLANCE_HEIGHT {
            let level = clouds.level(simd, polytope.normal(place));
            return if is_one_way(&level) { polytope.exit(simd, place, &level) } else { None };
        }
        polytope.grow(simd, &next)?;
    }
    None
}

/// Whether a corner, or two edges that cross, are met along the normal of a face, so that the point
/// of each hull on the way out is the only one.
#[inline(always)]
fn is_one_way([on_a, on_b]: &[Level; 2]) -> bool {
    let (on_a, on_b) = (on_a.tied.count_ones(), on_b.tied.count_ones());
    on_a == 1 || on_b == 1 || (on_a == 2 && on_b == 2)
}

impl Polytope {
    #[inline(always)]
    fn push(&mut self, point: &Extreme) {
        let place = self.count % POINTS;
        (self.points[place], self.vertices[place]) = (point.point, point.vertices);
        self.count += 1;
    }

    #[inline(always)]
    fn normal(&self, place: usize) -> Vec3 {
        let [x, y, z] = &self.normals;
        Vec3::new(x[place], y[place], z[place])
    }

    /// A face in a place that is free; `None` where there is none or the face has no area.
    #[inline(always)]
    fn add(&mut self, corners: [u8; 3]) -> Option<()> {
        let [i, j, k] = corners;
        let [p, q, r] = [self.point(i), self.point(j), self.point(k)];
        let normal = (q - p).cross(r - p);
        let scale = 1.0 / normal.length();
        if self.free == 0 || !scale.is_finite() {
            return None;
        }
        let (place, normal) = (self.free.trailing_zeros() as usize % FACES, normal * scale);
        self.free &= self.free - 1;
        let [x, y, z] = &mut self.normals;
        (x[place], y[place], z[place]) = (normal.x, normal.y, normal.z);
        // Whatever the error of the normal, no point of the face is lower along it.
        self.heights[place] = normal.dot(p).min(normal.dot(q)).min(normal.dot(r));
        self.corners[place] = corners;
        Some(())
    }

    #[inline(always)]
    fn point(&self, place: u8) -> Vec3 {
        self.points[usize::from(place) % POINTS]
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
        let mut least = f32x16::splat(simd, f32::INFINITY);
        for block in heights {
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
        let mut seen = 0;
        for k in 0..self.blocks() {
            let x = f32x16::load_array_ref(simd, &x[k]) * point.x;
            let y = f32x16::load_array_ref(simd, &y[k]) * point.y;
            let z = f32x16::load_array_ref(simd, &z[k]) * point.z;
            let beyond = (x + y) + z - f32x16::load_array_ref(simd, &heights[k]);
            seen |= beyond.simd_gt(noise).to_bitmask() << (k * LANES);
        }
        seen
    }

    /// Replaces what a point sees by faces to it; `None` where that is not in one piece.
    #[inline(always)]
    fn grow<S: Simd>(&mut self, simd: S, next: &Extreme) -> Option<()> {
        let seen = self.seen_from(simd, next.point);
        // For each corner, those to which a side of a face runs from it.
        let (mut sides, mut around) = ([0_u32; POINTS], 0_u32);
        for place in Bits(seen) {
            for [from, to] in sides_of(self.corners[place]) {
                sides[usize::from(from) % POINTS] |= 1 << (to % 32);
                around |= 1 << (from % 32);
            }
        }
        let (mut rim, mut length, mut starts) = ([[0_u8; 2]; POINTS], 0_usize, 0_u32);
        for place in Bits(seen) {
            for [from, to] in sides_of(self.corners[place]) {
                // Stored in any case: nothing can guess which sides are on the rim.
                let inside = sides[usize::from(to) % POINTS] >> (from % 32) & 1;
                rim[length % POINTS] = [from, to];
                length += usize::from(inside == 0);
                starts |= (inside ^ 1) << (from % 32);
            }
        }
        // Euler's formula for a disc, whose rim passes every corner once.
        let (faces, corners) = (seen.count_ones(), around.count_ones());
        let is_once = starts.count_ones() as usize == length && length >= 3;
        if !is_once || 2 * corners as usize != faces as usize + length + 2 {
            return None;
        }
        for place in Bits(seen) {
            self.heights[place] = f32::INFINITY;
        }
        self.free |= seen;
        let new = u8::try_from(self.count).ok()?;
        self.push(next);
        // A loop, because a closure would stay out of line.
        for &[from, to] in rim.iter().take(length) {
            self.add([from, to, new])?;
        }
        Some(())
    }

    /// The nearest face, unless more than one other may be as near.
    #[inline(always)]
    fn exit<S: Simd>(&self, simd: S, place: usize, level: &[Level; 2]) -> Option<Exit> {
        let (heights, _) = self.heights.as_chunks::<LANES>();
        let limit = f32x16::splat(simd, self.heights[place] + tolerance::GLANCE_TIE);
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
        self.corners[place].map(|corner| self.vertices[usize::from(corner) % POINTS])
    }
}

#[inline(always)]
fn sides_of([i, j, k]: [u8; 3]) -> [[u8; 2]; 3] {
    [[i, j], [j, k], [k, i]]
}
