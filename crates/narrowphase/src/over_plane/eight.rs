//! Eight shapes over their half-spaces side by side, up to the points, which go one by one.

use fearless_simd::{Simd, f64x4, f64x8, prelude::*};
use impinge_shapes::glam::Vec3;

use super::points::{Look, Shown};
use super::{Deep, Facing, Over, Shows};
use crate::ContactPoint;
use crate::real::{Placed, Real, Real3, Turn};
use crate::slot::Slot;
use crate::turn::WIDTH;
use crate::witness::narrow;

/// What is known of eight shapes over their half-spaces, a row for each number.
#[repr(align(64))]
pub(crate) struct Eight {
    axes: [[[f64; WIDTH]; 3]; 3],
    per: [f64; WIDTH],
    position: [[f64; WIDTH]; 3],
    outward: [[f64; WIDTH]; 3],
    up: [[f64; WIDTH]; 3],
    height: [f64; WIDTH],
    size: [f64; WIDTH],
    distance: [f64; WIDTH],
    /// Bits of the lanes whose distance has a proven sign, and whose points are within the range of f32.
    pub(crate) certain: u64,
    /// Bits of the lanes whose distance is above the margin.
    pub(crate) beyond: u64,
}

impl Eight {
    /// Nothing is certain yet.
    pub(crate) const UNKNOWN: Self = Self {
        axes: [[[0.0; WIDTH]; 3]; 3],
        per: [0.0; WIDTH],
        position: [[0.0; WIDTH]; 3],
        outward: [[0.0; WIDTH]; 3],
        up: [[0.0; WIDTH]; 3],
        height: [0.0; WIDTH],
        size: [0.0; WIDTH],
        distance: [0.0; WIDTH],
        certain: 0,
        beyond: 0,
    };

    /// Takes eight pairs.
    #[inline(always)]
    pub(crate) fn fill<S: Simd, T: Deep>(
        &mut self,
        simd: S,
        solid: &Placed<f64x8<S>>,
        half_space: &Placed<f64x8<S>>,
        margin: f64,
    ) {
        let facing = Facing::of(half_space);
        let mut over = Over::new(solid.position, solid.rotation, &facing);
        let core = T::deepest(over.up, &solid.numbers);
        let radius = T::radius(&solid.numbers);
        let mut distance = over.distance(&core, radius);
        let reach = T::reach(&solid.numbers);
        let noise = over.noise(reach, radius);
        let mut certain = Real::abs(distance).above(noise);
        over.settle::<T>(solid, &facing, &mut certain, &mut distance);
        // A place lies within the reach of the origin, and no farther from the boundary than both do.
        let size = over.position.sum_abs() + (over.size + (reach.sum_abs() + radius)) * 4.0;
        certain &= size.simd_lt(f64x8::splat(simd, f32::MAX.into()));
        self.certain = certain.to_bitmask();
        self.beyond = distance.simd_gt(f64x8::splat(simd, margin)).to_bitmask();
        if self.certain & self.beyond == u64::from(u8::MAX) {
            return;
        }
        for (rows, column) in self.axes.iter_mut().zip(over.axes.columns) {
            store(column, rows);
        }
        over.per.store_array(&mut self.per);
        store(over.position, &mut self.position);
        store(over.outward, &mut self.outward);
        store(over.up, &mut self.up);
        over.height.store_array(&mut self.height);
        over.size.store_array(&mut self.size);
        distance.store_array(&mut self.distance);
    }

    /// One of them.
    #[inline(always)]
    pub(crate) fn over(&self, lane: usize) -> Over<f64> {
        let lane = lane % WIDTH;
        let [a, b, c] = &self.axes;
        Over {
            axes: Turn { columns: [pick(a, lane), pick(b, lane), pick(c, lane)] },
            per: self.per[lane],
            position: pick(&self.position, lane),
            outward: pick(&self.outward, lane),
            up: pick(&self.up, lane),
            height: self.height[lane],
            size: self.size[lane],
        }
    }

    /// Out of the half-space in its frame.
    #[inline(always)]
    pub(crate) fn up(&self, lane: usize) -> Real3<f64> {
        pick(&self.up, lane % WIDTH)
    }

    /// How its points are asked for.
    #[inline(always)]
    pub(crate) fn look<'a>(&self, lane: usize, over: &'a Over<f64>, margin: f64) -> Look<'a> {
        Look { over, distance: self.distance[lane % WIDTH], margin }
    }
}

/// As [`points`](super::points), to the bit, coordinates side by side, of what is certain.
#[inline(always)]
pub(crate) fn points_in_lanes<S: Simd, T: Shows>(
    simd: S,
    (shape, ahead): (&T, Option<u32>),
    look: &Look<'_>,
    flipped: bool,
    found: &mut impl Slot,
) -> Option<()> {
    let mut shown = Shown::NONE;
    shape.show_in_lanes(simd, ahead, look, &mut shown)?;
    let met = look.met();
    let points = found.make(met.rounded().oriented(flipped).normal)?;
    let over = look.over;
    let [a, b, c] = over.axes.columns;
    let (a, b, c) = (four(simd, a), four(simd, b), four(simd, c));
    let (position, normal) = (four(simd, over.position), four(simd, met.normal));
    for point in shown.points() {
        let (place, height) = (point.place, point.height);
        let point_a = position + (a * place.x + b * place.y + c * place.z) * over.per;
        let point_b = point_a + normal * height;
        let (one, other) = if flipped { (point_b, point_a) } else { (point_a, point_b) };
        let rounded = simd.narrow_f64x4(one, other);
        let distance = narrow(height);
        let [ax, ay, az, _, bx, by, bz, _]: [f32; 8] = rounded.into();
        let (point_a, point_b) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
        points.push(ContactPoint { point_a, point_b, distance, feature: point.feature });
    }
    Some(())
}

#[inline(always)]
fn four<S: Simd>(simd: S, v: Real3<f64>) -> f64x4<S> {
    f64x4::load_array(simd, [v.x, v.y, v.z, 0.0])
}

#[inline(always)]
fn store<S: Simd>(vector: Real3<f64x8<S>>, rows: &mut [[f64; WIDTH]; 3]) {
    let [x, y, z] = rows;
    vector.x.store_array(x);
    vector.y.store_array(y);
    vector.z.store_array(z);
}

#[inline(always)]
fn pick([x, y, z]: &[[f64; WIDTH]; 3], lane: usize) -> Real3<f64> {
    Real3::new(x[lane], y[lane], z[lane])
}
