//! The vertices of two hulls side by side in f32 numbers, in one frame and one unit.

use fearless_simd::{Simd, f32x8, f32x16, prelude::*};
use impinge_shapes::convex::Core;
use impinge_shapes::glam::{DVec3, Quat, Vec3};
use impinge_shapes::{ConvexHull, Pose, VertexLanes, round};

use crate::{Relative, tolerance};

/// Vertices in a block, two blocks of a hull.
const LANES: usize = 16;

/// Vertices side by side, coordinate by coordinate.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Block {
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
}

impl Block {
    const EMPTY: Self = Self { x: [0.0; LANES], y: [0.0; LANES], z: [0.0; LANES] };
}

/// B's place in A's frame, in the unit in which the size of the pair is between a half and one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Columns of B's rotation, times [`Frame::scale`].
    axes: [Vec3; 3],
    translation: Vec3,
    /// The unit's inverse, a power of two.
    scale: f32,
    /// From the middle of B to that of A: a point in the inside of the Minkowski difference.
    pub(super) middle: Vec3,
}

impl Frame {
    /// From the poses themselves; `None` for pairs so small or large that f32 is no help.
    #[inline]
    pub(super) fn of_poses(
        (a, pose_a): (&ConvexHull, &Pose),
        (b, pose_b): (&ConvexHull, &Pose),
    ) -> Option<Self> {
        let ((ua, wa), (ub, wb)) = (parts(pose_a.rotation()), parts(pose_b.rotation()));
        // The quaternion of B as A sees it; neither need have unit length.
        let (u, w) = (ub * wa - ua * wb - ua.cross(ub), wa * wb + ua.dot(ub));
        let double = 2.0 / (u.length_squared() + w * w);
        let (q, r) = (u * double, u * (w * double));
        let axes = [
            DVec3::new(1.0 - u.y * q.y - u.z * q.z, u.x * q.y + r.z, u.x * q.z - r.y),
            DVec3::new(u.x * q.y - r.z, 1.0 - u.x * q.x - u.z * q.z, u.y * q.z + r.x),
            DVec3::new(u.x * q.z + r.y, u.y * q.z - r.x, 1.0 - u.x * q.x - u.y * q.y),
        ];
        let way = pose_b.translation() - pose_a.translation();
        let double = 2.0 / (ua.length_squared() + wa * wa);
        let aside = way.cross(ua);
        let translation = way + (aside * wa - ua.cross(aside)) * double;
        Self::new((a, b), axes, translation)
    }

    /// From the frame in f64.
    #[inline]
    pub(super) fn of_relative(hulls: (&ConvexHull, &ConvexHull), at: &Relative) -> Option<Self> {
        let axes = at.rotation();
        Self::new(hulls, [axes.x_axis, axes.y_axis, axes.z_axis], at.translation())
    }

    #[inline(always)]
    fn new(
        (a, b): (&ConvexHull, &ConvexHull),
        axes: [DVec3; 3],
        translation: DVec3,
    ) -> Option<Self> {
        let reach = Core::Hull(a).reach() + Core::Hull(b).reach() + translation.abs();
        let size = reach.element_sum();
        if !(tolerance::GLANCE_LEAST..=1.0 / tolerance::GLANCE_LEAST).contains(&size) {
            return None;
        }
        let scale = 0.5 / power_below(size);
        let [x, y, z] = axes;
        let (p, q) = (a.center(), b.center());
        let middle = p - (x * q.x + y * q.y + z * q.z + translation);
        let narrow = |v: DVec3| round::nearest_vec(v * scale);
        Some(Self {
            axes: [narrow(x), narrow(y), narrow(z)],
            translation: narrow(translation),
            scale: round::nearest(scale),
            middle: narrow(middle),
        })
    }

    /// A margin in the unit of the frame, no less than it is; `None` for one that is larger than
    /// the hulls, and would have larger errors.
    #[inline]
    pub(super) fn margin(&self, margin: f64) -> Option<f32> {
        let margin = round::up(margin * f64::from(self.scale));
        (margin <= 1.0).then_some(margin)
    }
}

#[inline(always)]
fn parts(turn: Quat) -> (DVec3, f64) {
    (DVec3::new(turn.x.into(), turn.y.into(), turn.z.into()), turn.w.into())
}

/// The largest power of two that is no larger than a normal number.
#[inline(always)]
fn power_below(size: f64) -> f64 {
    f64::from_bits(size.to_bits() & f64::INFINITY.to_bits())
}

/// The vertices of both hulls in A's frame, in at most `N` blocks each.
pub(super) struct Clouds<const N: usize> {
    a: [Block; N],
    /// Turned around, so that the farthest of them along a direction is B's farthest against it.
    b: [Block; N],
    /// The places of vertices that do not only fill a block.
    own: [u64; 2],
}

/// A point of the Minkowski difference of two hulls that is farthest along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extreme {
    pub(super) point: Vec3,
    /// Its height along the direction.
    pub(super) height: f32,
    /// The vertices of A and B that make it.
    pub(super) vertices: [u8; 2],
}

impl Extreme {
    pub(super) const NONE: Self = Self { point: Vec3::ZERO, height: 0.0, vertices: [0; 2] };
}

impl<const N: usize> Clouds<N> {
    pub(super) const EMPTY: Self = Self { a: [Block::EMPTY; N], b: [Block::EMPTY; N], own: [0; 2] };

    /// Becomes those of two hulls, in place, because they are large; `None` for hulls without
    /// vertices in lanes, or with too many.
    #[inline(always)]
    pub(super) fn take<S: Simd>(
        &mut self,
        simd: S,
        hulls: (&ConvexHull, &ConvexHull),
        frame: &Frame,
    ) -> Option<()> {
        let (a, b) = (hulls.0.vertex_lanes(), hulls.1.vertex_lanes());
        let (first_a, first_b) = (a.first()?, b.first()?);
        let own = |hull: &ConvexHull| u64::MAX >> (64 - hull.vertices().len().clamp(1, 64));
        self.own = [own(hulls.0), own(hulls.1)];
        for (k, to) in self.a.iter_mut().enumerate() {
            *to = scaled(simd, two_of(simd, a, k, first_a), frame.scale);
        }
        let [p, q, r] = frame.axes;
        let axes = [splat(simd, -p), splat(simd, -q), splat(simd, -r)];
        let origin = splat(simd, -frame.translation);
        for (k, to) in self.b.iter_mut().enumerate() {
            *to = placed(two_of(simd, b, k, first_b), &axes, &origin);
        }
        Some(())
    }

    /// The farthest point of the difference along a direction.
    #[inline(always)]
    pub(super) fn farthest<S: Simd>(&self, simd: S, along: Vec3) -> Extreme {
        let along = splat(simd, along);
        let (height_a, place_a) = highest(simd, &self.a, &along);
        let (height_b, place_b) = highest(simd, &self.b, &along);
        let point = vertex(&self.a, place_a) + vertex(&self.b, place_b);
        Extreme { point, height: height_a + height_b, vertices: [place_a, place_b] }
    }

    /// The vertices of each hull that may be as far as the farthest along a unit vector.
    #[inline(always)]
    pub(super) fn level<S: Simd>(&self, simd: S, along: Vec3) -> [Level; 2] {
        let along = splat(simd, along);
        let [own_a, own_b] = self.own;
        [level(simd, &self.a, &along, own_a), level(simd, &self.b, &along, own_b)]
    }
}

/// The places of vertices of a hull that are nearly as far as the farthest along a direction.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// Those that may be as far, by [`tolerance::GLANCE_TIE`].
    pub(super) tied: u64,
    /// And those that may be along a direction that is a little off, by
    /// [`tolerance::GLANCE_BESIDE`].
    pub(super) beside: u64,
}

/// The vertices of two blocks of a hull; where there is none, the first one again.
#[inline(always)]
fn two_of<S: Simd>(
    simd: S,
    lanes: &[VertexLanes],
    k: usize,
    first: &VertexLanes,
) -> [f32x16<S>; 3] {
    let one = lanes.get(2 * k).unwrap_or(first);
    let other = lanes.get(2 * k + 1).unwrap_or(first);
    let of = |lanes| f32x8::load_array_ref(simd, lanes);
    [
        of(&one.x).combine(of(&other.x)),
        of(&one.y).combine(of(&other.y)),
        of(&one.z).combine(of(&other.z)),
    ]
}

#[inline(always)]
fn load<S: Simd>(simd: S, block: &Block) -> [f32x16<S>; 3] {
    [
        f32x16::load_array_ref(simd, &block.x),
        f32x16::load_array_ref(simd, &block.y),
        f32x16::load_array_ref(simd, &block.z),
    ]
}

// Without `array::map` here and below: it stays out of line, and without the instruction set.
#[inline(always)]
fn splat<S: Simd>(simd: S, v: Vec3) -> [f32x16<S>; 3] {
    [f32x16::splat(simd, v.x), f32x16::splat(simd, v.y), f32x16::splat(simd, v.z)]
}

#[inline(always)]
fn store<S: Simd>([x, y, z]: [f32x16<S>; 3]) -> Block {
    Block { x: x.into(), y: y.into(), z: z.into() }
}

#[inline(always)]
fn scaled<S: Simd>(simd: S, [x, y, z]: [f32x16<S>; 3], scale: f32) -> Block {
    let scale = f32x16::splat(simd, scale);
    store([x * scale, y * scale, z * scale])
}

/// Vertices of B in A's frame.
#[inline(always)]
fn placed<S: Simd>(
    [x, y, z]: [f32x16<S>; 3],
    [p, q, r]: &[[f32x16<S>; 3]; 3],
    origin: &[f32x16<S>; 3],
) -> Block {
    store([
        (p[0] * x + q[0] * y) + (r[0] * z + origin[0]),
        (p[1] * x + q[1] * y) + (r[1] * z + origin[1]),
        (p[2] * x + q[2] * y) + (r[2] * z + origin[2]),
    ])
}

/// The height of each vertex along a direction.
#[inline(always)]
fn heights<S: Simd, const N: usize>(
    simd: S,
    blocks: &[Block; N],
    [u, v, w]: &[f32x16<S>; 3],
) -> [f32x16<S>; N] {
    let mut heights = [*u; N];
    for (height, block) in heights.iter_mut().zip(blocks) {
        let [x, y, z] = load(simd, block);
        *height = (x * *u + y * *v) + z * *w;
    }
    heights
}

/// The vertices of a hull that are nearly as far as the farthest along a direction.
#[inline(always)]
fn level<S: Simd, const N: usize>(
    simd: S,
    blocks: &[Block; N],
    along: &[f32x16<S>; 3],
    own: u64,
) -> Level {
    let heights = heights(simd, blocks, along);
    let mut most = heights[0];
    for height in &heights[1..] {
        most = most.max(*height);
    }
    let highest = most.reduce_max();
    let tie = f32x16::splat(simd, highest - tolerance::GLANCE_TIE);
    let least = f32x16::splat(simd, highest - tolerance::GLANCE_BESIDE);
    let (mut tied, mut beside) = (0, 0);
    for (k, height) in heights.iter().enumerate() {
        tied |= height.simd_ge(tie).to_bitmask() << (k * LANES);
        beside |= height.simd_ge(least).to_bitmask() << (k * LANES);
    }
    Level { tied: tied & own, beside: beside & own }
}

/// The greatest height along a direction, and the first vertex that has it.
#[inline(always)]
fn highest<S: Simd, const N: usize>(
    simd: S,
    blocks: &[Block; N],
    along: &[f32x16<S>; 3],
) -> (f32, u8) {
    let heights = heights(simd, blocks, along);
    let mut most = heights[0];
    for height in &heights[1..] {
        most = most.max(*height);
    }
    let highest = most.reduce_max();
    let level = f32x16::splat(simd, highest);
    let mut places = 0_u64;
    for (k, height) in heights.iter().enumerate() {
        places |= height.simd_eq(level).to_bitmask() << (k * LANES);
    }
    #[expect(clippy::cast_possible_truncation, reason = "no more than 64")]
    let place = places.trailing_zeros() as u8;
    (highest, place)
}

#[inline(always)]
fn vertex<const N: usize>(blocks: &[Block; N], place: u8) -> Vec3 {
    let (block, lane) = (usize::from(place) / LANES % N, usize::from(place) % LANES);
    let Block { x, y, z } = &blocks[block];
    Vec3::new(x[lane], y[lane], z[lane])
}
