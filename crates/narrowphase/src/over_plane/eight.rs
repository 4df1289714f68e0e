//! Eight shapes over their half-spaces side by side, with the points that they show.

use fearless_simd::{Simd, f64x8, mask64x8, prelude::*};

use super::points::{Look, MOST, Shown};
use super::{Deep, Facing, Lie, Over, Shows, face};
use crate::real::{Placed, Real, Real3, Turn};
use crate::slot::Slot;
use crate::turn::WIDTH;
use crate::{FeatureId, contacts};

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
    /// Sum of the core's largest coordinates and the radius around it.
    reach: [f64; WIDTH],
    /// Bits of the lanes whose distance has a proven sign, and whose points are within the range of f32.
    pub(crate) certain: u64,
    /// Bits of the lanes whose distance is above the margin.
    pub(crate) beyond: u64,
    /// Bits of the lanes whose points are known.
    pub(crate) told: u64,
    points: Points,
    /// From A to B.
    normals: [[f32; 4]; WIDTH],
    contacts: [contacts::Points; MOST],
}

/// Up to four points of each of eight shapes, in their frames, in the order of their features.
#[repr(align(64))]
pub(crate) struct Points {
    pub(super) places: [[[f64; WIDTH]; 3]; MOST],
    /// Over the boundary.
    pub(super) heights: [[f64; WIDTH]; MOST],
    pub(super) features: [[FeatureId; MOST]; WIDTH],
    /// Bits of the lanes that have each of them.
    pub(super) shown: [u64; MOST],
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
        reach: [0.0; WIDTH],
        certain: 0,
        beyond: 0,
        told: 0,
        points: Points::NONE,
        normals: [[0.0; 4]; WIDTH],
        contacts: [contacts::NONE; MOST],
    };

    /// Takes eight pairs, with the points of those that can be told side by side.
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
        let core = T::deepest(over.lie.up, &solid.numbers);
        let radius = T::radius(&solid.numbers);
        let mut distance = over.distance(&core, radius);
        let reach = T::reach(&solid.numbers);
        let noise = over.noise(reach, radius);
        let mut certain = Real::abs(distance).above(noise);
        over.settle::<T>(solid, &facing, &mut certain, &mut distance);
        // A place lies within the reach of the origin, and no farther from the boundary than both do.
        let size = over.position.sum_abs() + (over.lie.size + (reach.sum_abs() + radius)) * 4.0;
        certain &= size.simd_lt(f64x8::splat(simd, f32::MAX.into()));
        let margin = f64x8::splat(simd, margin);
        self.certain = certain.to_bitmask();
        self.beyond = distance.simd_gt(margin).to_bitmask();
        if self.certain & self.beyond == u64::from(u8::MAX) {
            return;
        }
        for (rows, column) in self.axes.iter_mut().zip(over.axes.columns) {
            store(column, rows);
        }
        over.per.store_array(&mut self.per);
        store(over.position, &mut self.position);
        store(over.outward, &mut self.outward);
        store(over.lie.up, &mut self.up);
        over.lie.height.store_array(&mut self.height);
        over.lie.size.store_array(&mut self.size);
        distance.store_array(&mut self.distance);
        (reach.x + reach.y + reach.z + radius).store_array(&mut self.reach);
        self.points.shown = [0; MOST];
        let look = Look { lie: &over.lie, distance, margin };
        self.told = self.certain & T::show_eight(simd, &look, &solid.numbers, &mut self.points);
    }

    /// Takes the corners of one of them, which were found ahead.
    #[inline(always)]
    pub(crate) fn put_corners(&mut self, lane: usize, shape: &impl Shows, ahead: Option<u32>) {
        if let Some(ahead) = ahead {
            shape.put_corners(ahead, lane % WIDTH, &mut self.points);
        }
    }

    /// Tells the points of those whose corners were taken.
    #[inline(always)]
    pub(crate) fn show_corners<S: Simd>(&mut self, simd: S, margin: f64) {
        let lie = Lie {
            up: load(simd, &self.up),
            height: f64x8::load_array(simd, self.height),
            size: f64x8::load_array(simd, self.size),
        };
        let (distance, margin) =
            (f64x8::load_array(simd, self.distance), f64x8::splat(simd, margin));
        let look = Look { lie: &lie, distance, margin };
        let reach = f64x8::load_array(simd, self.reach);
        self.told = self.certain & face::show(simd, &look, reach, &mut self.points);
    }

    /// Shows one of them, which is certain, by itself, where its shape can tell.
    #[inline(always)]
    pub(crate) fn show(
        &mut self,
        lane: usize,
        (shape, ahead): (&impl Shows, Option<u32>),
        margin: f64,
    ) {
        let mut shown = Shown::NONE;
        let lie = self.lie(lane);
        let look = Look { lie: &lie, distance: self.distance[lane % WIDTH], margin };
        if shape.show_by_itself(ahead, &look, &mut shown).is_some() {
            self.points.take(lane, &shown);
            self.told |= 1 << lane;
        }
    }

    #[inline(always)]
    fn lie(&self, lane: usize) -> Lie<f64> {
        let lane = lane % WIDTH;
        Lie { up: self.up(lane), height: self.height[lane], size: self.size[lane] }
    }

    /// Out of the half-space in its frame.
    #[inline(always)]
    pub(crate) fn up(&self, lane: usize) -> Real3<f64> {
        pick(&self.up, lane % WIDTH)
    }

    /// Makes contacts of all that is shown; bits of the lanes whose A is the half-space.
    #[inline(always)]
    pub(crate) fn put_in_world<S: Simd>(&mut self, simd: S, flipped: u64) {
        let [a, b, c] = &self.axes;
        let axes = Turn { columns: [load(simd, a), load(simd, b), load(simd, c)] };
        let (position, outward) = (load(simd, &self.position), load(simd, &self.outward));
        let per = f64x8::load_array(simd, self.per);
        let flipped = mask64x8::from_bitmask(simd, flipped);
        let normal = -outward;
        contacts::put_normals(Real3::pick(flipped, outward, normal), &mut self.normals);
        let points = &self.points;
        for (k, contacts) in self.contacts.iter_mut().enumerate() {
            if points.shown[k] & self.told == 0 {
                continue;
            }
            let place = load(simd, &points.places[k]);
            let height = f64x8::load_array(simd, points.heights[k]);
            let here = position + axes.apply(place) * per;
            let there = here + normal * height;
            let (a, b) = (Real3::pick(flipped, there, here), Real3::pick(flipped, here, there));
            contacts::put_points(a, b, height, contacts);
        }
    }

    /// Puts the manifold of one of them, which is told, where it belongs.
    #[inline(always)]
    pub(crate) fn put(&self, lane: usize, found: &mut impl Slot) {
        let lane = lane % WIDTH;
        let Some(points) = found.make(contacts::normal(&self.normals, lane)) else { return };
        for (k, contacts) in self.contacts.iter().enumerate() {
            if self.points.shown[k] >> lane & 1 == 1 {
                points.push(contacts::point(contacts, lane, self.points.features[lane][k]));
            }
        }
    }
}

impl Points {
    pub(super) const NONE: Self = Self {
        places: [[[0.0; WIDTH]; 3]; MOST],
        heights: [[0.0; WIDTH]; MOST],
        features: [[FeatureId(0); MOST]; WIDTH],
        shown: [0; MOST],
    };

    /// Those of one shape.
    #[inline(always)]
    fn take(&mut self, lane: usize, shown: &Shown) {
        let lane = lane % WIDTH;
        for lanes in &mut self.shown {
            *lanes &= !(1 << lane);
        }
        for (k, point) in shown.points().iter().enumerate() {
            let [x, y, z] = &mut self.places[k];
            (x[lane], y[lane], z[lane]) = (point.place.x, point.place.y, point.place.z);
            self.heights[k][lane] = point.height;
            self.features[lane][k] = point.feature;
            self.shown[k] |= 1 << lane;
        }
    }

    /// One more of each that shows it.
    #[inline(always)]
    pub(super) fn set<S: Simd>(
        &mut self,
        k: usize,
        place: Real3<f64x8<S>>,
        height: f64x8<S>,
        shown: mask64x8<S>,
    ) {
        store(place, &mut self.places[k]);
        height.store_array(&mut self.heights[k]);
        self.shown[k] = shown.to_bitmask();
    }

    /// The same of some of them: of those that show it, and those that are meant.
    #[inline(always)]
    pub(super) fn set_some<S: Simd>(
        &mut self,
        k: usize,
        place: Real3<f64x8<S>>,
        height: f64x8<S>,
        (shown, meant): (mask64x8<S>, mask64x8<S>),
    ) {
        let simd = height.token();
        let before = (load(simd, &self.places[k]), f64x8::load_array(simd, self.heights[k]));
        let others = self.shown[k];
        let place = Real3::pick(meant, place, before.0);
        self.set(k, place, Real::pick(meant, height, before.1), shown & meant);
        self.shown[k] |= others;
    }
}

#[inline(always)]
fn store<S: Simd>(vector: Real3<f64x8<S>>, rows: &mut [[f64; WIDTH]; 3]) {
    let [x, y, z] = rows;
    vector.x.store_array(x);
    vector.y.store_array(y);
    vector.z.store_array(z);
}

#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, [x, y, z]: &[[f64; WIDTH]; 3]) -> Real3<f64x8<S>> {
    Real3 {
        x: f64x8::load_array(simd, *x),
        y: f64x8::load_array(simd, *y),
        z: f64x8::load_array(simd, *z),
    }
}

#[inline(always)]
fn pick([x, y, z]: &[[f64; WIDTH]; 3], lane: usize) -> Real3<f64> {
    Real3::new(x[lane], y[lane], z[lane])
}

#[cfg(test)]
pub(super) mod tests {
    use impinge_shapes::glam::{Quat, Vec3};
    use impinge_shapes::simd::SimdLevel;
    use impinge_shapes::{Capsule, Cone, Cuboid, Cylinder, HalfSpace, Pose};

    use super::super::points::Point;
    use super::*;
    use crate::convex::draw::Draw;
    use crate::lanes::lanes;

    #[inline(always)]
    fn placed<S: Simd>(simd: S, eight: &[Placed<f64>]) -> Placed<f64x8<S>> {
        let row = |number: &dyn Fn(&Placed<f64>) -> f64| {
            let row: [f64; WIDTH] =
                eight.iter().map(number).collect::<Vec<_>>().try_into().unwrap();
            f64x8::load_array(simd, row)
        };
        Placed {
            position: Real3 {
                x: row(&|it| it.position.x),
                y: row(&|it| it.position.y),
                z: row(&|it| it.position.z),
            },
            rotation: [0, 1, 2, 3].map(|k| row(&|it| it.rotation[k])),
            numbers: [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|k| row(&|it| it.numbers[k])),
        }
    }

    /// Places and heights, and features.
    type Bits = Vec<([u64; 4], FeatureId)>;

    pub(in super::super) fn bits(shown: &Shown) -> Bits {
        let of = |point: &Point| {
            let [x, y, z] = point.place.to_array();
            ([x, y, z, point.height].map(f64::to_bits), point.feature)
        };
        shown.points().iter().map(of).collect()
    }

    pub(in super::super) fn in_lane(points: &Points, lane: usize) -> Bits {
        let of = |k: usize| {
            let ([x, y, z], height) = (points.places[k], points.heights[k]);
            ([x[lane], y[lane], z[lane], height[lane]].map(f64::to_bits), points.features[lane][k])
        };
        (0..MOST).filter(|&k| points.shown[k] >> lane & 1 == 1).map(of).collect()
    }

    /// Eight over a floor: flat, hardly leaning or leaning, all within the margin or some of it.
    fn check<T: Deep + Shows>(make: impl Fn(&mut Draw) -> T) {
        let (mut told, mut left, mut counts) = (0, 0, [0; MOST + 1]);
        for seed in 0..1_500 {
            let mut draw = Draw(seed);
            let margin = [0.0, 0.05, 3.0][usize::try_from(draw.below(3)).unwrap()];
            let shapes: Vec<T> = (0..WIDTH).map(|_| make(&mut draw)).collect();
            let lean = [0.0, 1e-12, 1e-9, 0.02, 1.0];
            let (solids, planes): (Vec<_>, Vec<_>) = shapes
                .iter()
                .map(|shape| {
                    let lean = lean[usize::try_from(draw.below(5)).unwrap()];
                    let quarter = [0.0, 1.0][usize::try_from(draw.below(2)).unwrap()];
                    let about = draw.vector() * lean;
                    let turn = Quat::from_xyzw(quarter + about.x, about.y, about.z, 1.0);
                    let at = draw.vector().with_y(0.4 + draw.next() * 0.4);
                    let pose = Pose::new(at, turn).unwrap();
                    let plane = HalfSpace::new(Vec3::Y + draw.vector() * lean, 0.0).unwrap();
                    (Placed::of(shape, &pose), Placed::of(&plane, &Pose::IDENTITY))
                })
                .unzip();
            for level in SimdLevel::NAMES.iter().filter_map(|name| SimdLevel::by_name(name)) {
                let mut eight = Eight::UNKNOWN;
                let filled = lanes!(level, simd => {
                    eight.fill::<_, T>(simd, &placed(simd, &solids), &placed(simd, &planes), margin);
                });
                if filled.is_none() {
                    continue;
                }
                for (lane, shape) in shapes.iter().enumerate() {
                    if eight.certain & !eight.beyond & !eight.told & 1 << lane != 0 {
                        left += 1;
                    }
                    if eight.told & !eight.beyond & 1 << lane == 0 {
                        continue;
                    }
                    let mut shown = Shown::NONE;
                    let (lie, distance) = (eight.lie(lane), eight.distance[lane]);
                    let look = Look { lie: &lie, distance, margin };
                    let is_shown = Shows::show(shape, &look, &mut shown);
                    assert!(is_shown.is_some(), "seed {seed}, lane {lane}, {}", level.name());
                    let (expected, found) = (bits(&shown), in_lane(&eight.points, lane));
                    assert_eq!(found, expected, "seed {seed}, lane {lane}, {}", level.name());
                    told += 1;
                    counts[found.len()] += 1;
                }
            }
        }
        eprintln!("{told} told, {left} left, by points {counts:?}");
        assert!(
            told > 5 * left && counts[1] > 100 && counts[2] > 100,
            "{told}, {left}, {counts:?}"
        );
    }

    #[test]
    fn eight_show_what_each_shows() {
        let size = |draw: &mut Draw| 0.25 + draw.next().abs() * 0.5;
        check(|draw| Cuboid::new(Vec3::new(size(draw), size(draw), size(draw))).unwrap());
        check(|draw| Capsule::new(draw.vector(), draw.vector(), size(draw)).unwrap());
        check(|draw| Cylinder::new(size(draw), size(draw)).unwrap());
        check(|draw| Cone::new(size(draw), size(draw)).unwrap());
    }
}
