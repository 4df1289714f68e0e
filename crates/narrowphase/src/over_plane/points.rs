//! The contact points that a solid shows to a half-space: corners, ends of a line, parts of a rim.

use std::f64::consts::FRAC_1_SQRT_2;

use impinge_shapes::ConvexHull;
use impinge_shapes::glam::{DVec3, Vec3};

use smallvec::SmallVec;

use super::{Lie, Shows, noise};
use crate::convex::disc::{EIGHTHS, kept};
use crate::convex::patch::reduced;
use crate::pairs::convex_half_space::QUARTERS;
use crate::real::{Real, Real3};
use crate::{FeatureId, PatchPoint, level, tolerance};

/// Most points that a shape shows at once.
const SHOWN: usize = 8;
/// Most points of a manifold.
pub(super) const MOST: usize = 4;

/// A point of the solid's surface, in its frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) place: DVec3,
    /// Over the boundary.
    pub(super) height: f64,
    pub(super) feature: FeatureId,
}

/// What a solid shows: in the end at most four points, by feature.
#[derive(Debug)]
pub(crate) struct Shown {
    points: [Point; SHOWN],
    count: usize,
}

/// The names of corners, which are mostly small numbers.
pub(super) const NAMES: [FeatureId; 64] = {
    let mut names = [FeatureId(0); 64];
    let mut name = 0;
    while name < 64 {
        names[name as usize] = FeatureId::of([name, 0, 0, 0]);
        name += 1;
    }
    names
};

/// The quarters of a solid's upper and lower rim in the order of their features: names, cosines and
/// sines.
pub(super) const IN_ORDER: [[(u32, f64, f64); 4]; 2] = [in_order(0), in_order(1)];

const fn in_order(below: u32) -> [(u32, f64, f64); 4] {
    let mut sorted = [(0, 0.0, 0.0); 4];
    let (mut count, mut place) = (0, 0);
    while place < 8 {
        if QUARTERS[below as usize] >> place & 1 == 1 {
            let name = place << 1 | below;
            let FeatureId(feature) = NAMES[name as usize];
            let mut at = count;
            while at > 0 {
                let FeatureId(before) = NAMES[sorted[at - 1].0 as usize];
                if before < feature {
                    break;
                }
                sorted[at] = sorted[at - 1];
                at -= 1;
            }
            let (cosine, sine) = EIGHTHS[place as usize];
            sorted[at] = (name, cosine, sine);
            count += 1;
        }
        place += 1;
    }
    sorted
}

#[inline(always)]
pub(super) fn named(name: u32) -> FeatureId {
    match NAMES.get(name as usize) {
        Some(name) => *name,
        None => FeatureId::of([name, 0, 0, 0]),
    }
}

impl Shown {
    pub(crate) const NONE: Self = Self {
        points: [Point { place: DVec3::ZERO, height: 0.0, feature: FeatureId(0) }; SHOWN],
        count: 0,
    };

    pub(super) fn points(&self) -> &[Point] {
        &self.points[..self.count.min(MOST)]
    }

    /// One more; `None` where there are too many.
    #[inline(always)]
    fn add(&mut self, place: DVec3, height: f64, feature: FeatureId) -> Option<()> {
        *self.points.get_mut(self.count)? = Point { place, height, feature };
        self.count += 1;
        Some(())
    }

    /// Gives the lowest points, which rounding has raised a little, the height that is the least.
    ///
    /// Out of line: in lanes the compiler makes a scatter of it, whose stores the next loads wait for.
    #[cold]
    #[inline(never)]
    fn lower(&mut self, least: f64, distance: f64) {
        for point in &mut self.points[..self.count.min(SHOWN)] {
            if point.height <= least {
                point.height = distance;
            }
        }
    }

    /// The points in the order of their features.
    #[inline(always)]
    fn sort(&mut self) {
        let points = &mut self.points[..self.count.min(SHOWN)];
        for k in 1..points.len() {
            let mut at = k;
            while at > 0 && points[at].feature < points[at - 1].feature {
                points.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    /// Four of more points, in the order of their features.
    #[inline(never)]
    fn reduced(&self, normal: DVec3, size: f64) -> Self {
        let mut all = SmallVec::<[PatchPoint; SHOWN]>::new();
        for point in &self.points[..self.count.min(SHOWN)] {
            let Point { place: point_a, height: distance, feature } = *point;
            let point_b = point_a + normal * distance;
            all.push(PatchPoint { point_a, point_b, distance, feature });
        }
        let four = reduced(&all, normal, size);
        let mut kept = Self::NONE;
        for point in four {
            let PatchPoint { point_a: place, distance: height, feature, .. } = point;
            kept.points[kept.count % MOST] = Point { place, height, feature };
            kept.count += 1;
        }
        kept
    }

    /// The ends of a capsule within the margin; their features are their numbers.
    #[inline(always)]
    pub(super) fn ends(
        &mut self,
        look: &Look<'_, f64>,
        ends: [Vec3; 2],
        radius: f64,
        noise: f64,
    ) -> Option<()> {
        if ends[0] == ends[1] {
            return None;
        }
        let up = DVec3::from(look.lie.up);
        for (number, end) in (0..).zip(ends) {
            let end = end.as_dvec3();
            let mut height = (look.lie.height + up.dot(end)) - radius;
            if height.abs() <= noise {
                // It lies over a floor where even the distance is that short.
                if look.distance.abs() > noise {
                    return None;
                }
                height = level::sum([look.lie.height, up.dot(end), -radius])?;
            }
            if height <= look.margin {
                let place = end - up * radius;
                self.points[self.count % MOST] =
                    Point { place, height, feature: FeatureId(number) };
                self.count += 1;
            }
        }
        Some(())
    }

    /// The up to four lowest corners of a box within the margin; their features are their numbers.
    #[inline(always)]
    pub(super) fn lowest_corners(
        &mut self,
        &Look { lie: &Lie { up, height, size }, distance, margin }: &Look<'_, f64>,
        half: DVec3,
    ) -> Option<()> {
        if half.min_element() <= 0.0 {
            return None;
        }
        let tie = tolerance::TIE * (size + (half.x + half.y + half.z));
        let (x, y, z) = (up.x * half.x, up.y * half.y, up.z * half.z);
        let (mut heights, mut count) = ([(0_u32, f64::INFINITY); 8], 0);
        let floor = [height - z, height + z];
        for k in 0..8_u32 {
            let level = floor[(k >> 2) as usize];
            let level = if k & 2 == 0 { level - y } else { level + y };
            let height = if k & 1 == 0 { level - x } else { level + x };
            let height = if height <= distance + tie { distance } else { height };
            heights[count % 8] = (k, height);
            count += usize::from(height <= margin);
        }
        let mut chosen = 0_u32;
        if count <= MOST {
            chosen = heights[..count].iter().fold(0, |set, (k, _)| set | 1 << k);
        } else {
            for _ in 0..MOST {
                let mut best = (0, f64::INFINITY);
                for &(k, height) in &heights[..count.min(8)] {
                    if chosen >> k & 1 == 0 && height < best.1 - tie {
                        best = (k, height);
                    }
                }
                chosen |= 1 << best.0;
            }
        }
        for &(k, height) in &heights[..count.min(8)] {
            if chosen >> k & 1 == 1 {
                let side = |bit: u32| if k & bit == 0 { -1.0 } else { 1.0 };
                let place = DVec3::new(side(1), side(2), side(4)) * half;
                self.points[self.count % MOST] = Point { place, height, feature: FeatureId(k) };
                self.count += 1;
            }
        }
        Some(())
    }
}

/// How a shape lies to the boundary, and what is asked of it; or several side by side.
///
/// By reference: what has just been written number by number is slow to be copied at once.
#[derive(Clone, Copy)]
pub(crate) struct Look<'l, R> {
    pub(super) lie: &'l Lie<R>,
    /// Of the two shapes.
    pub(super) distance: R,
    pub(super) margin: R,
}

impl<R: Real> Look<'_, R> {
    /// The slope of a plane seen from a shape around Y.
    #[inline(always)]
    pub(super) fn sideways(&self) -> R {
        (self.lie.up.x * self.lie.up.x + self.lie.up.z * self.lie.up.z).sqrt()
    }

    /// As [`Over::noise`](super::Over).
    #[inline(always)]
    pub(super) fn noise(&self, reach: Real3<R>, radius: R) -> R {
        noise(self.lie.size, reach, radius)
    }
}

/// How near points of a shape are to each other that lie in one place; `size` is the sum of all
/// lengths.
#[inline(always)]
pub(super) fn same<R: Real>(size: R) -> R {
    size * size.all(2.0 * tolerance::SAME_POINT)
}

/// Corners as they are found.
pub(super) struct Corners<'a> {
    look: &'a Look<'a, f64>,
    /// Unit, out of the half-space, in the shape's frame.
    up: DVec3,
    /// Sum of the core's largest coordinates and the radius around it.
    reach: f64,
    /// Height of the lowest of the corners.
    least: f64,
    shown: &'a mut Shown,
    /// Whether the points are corners of a rim, in order, no two of which lie in one place.
    is_rim: bool,
}

impl<'a> Corners<'a> {
    /// None yet, of this shape.
    #[inline(always)]
    pub(super) fn of(shape: &impl Shows, look: &'a Look<'a, f64>, shown: &'a mut Shown) -> Self {
        let reach = shape.reach();
        let reach = reach.x + reach.y + reach.z + shape.radius();
        Self { look, up: look.lie.up.into(), reach, least: f64::INFINITY, shown, is_rim: false }
    }

    /// Sum of all lengths.
    #[inline(always)]
    fn size(&self) -> f64 {
        self.look.lie.size + self.reach
    }

    /// How near points are to each other that lie in one place.
    #[inline(always)]
    fn same(&self) -> f64 {
        same(self.size())
    }

    /// One more corner, if it is within the margin; `None` where there are too many.
    #[inline(always)]
    fn push(&mut self, place: DVec3, name: u32) -> Option<()> {
        let height = self.look.lie.height + self.up.dot(place);
        self.push_at(place, height, name)
    }

    #[inline(always)]
    fn push_at(&mut self, place: DVec3, height: f64, name: u32) -> Option<()> {
        // The distance is the least there is, and only rounding can go below it.
        let height = if height > self.look.distance { height } else { self.look.distance };
        self.least = if height < self.least { height } else { self.least };
        if height <= self.look.margin {
            self.shown.add(place, height, named(name))
        } else {
            Some(())
        }
    }

    #[inline(always)]
    pub(super) fn triangle(&mut self, vertices: &[Vec3; 3]) -> Option<()> {
        let corners = vertices.map(Vec3::as_dvec3);
        let [a, b, c] = corners;
        (b - a).cross(c - a).try_normalize()?;
        for (name, corner) in (0..).zip(corners) {
            self.push(corner, name)?;
        }
        Some(())
    }

    #[inline(always)]
    pub(super) fn hull_face(&mut self, hull: &ConvexHull, face: u32) -> Option<()> {
        let vertices = hull.vertices();
        for vertex in hull.face_corners(face) {
            if let Some(place) = vertices.get(vertex as usize) {
                self.push(place.as_dvec3(), vertex)?;
            }
        }
        Some(())
    }

    /// A cylinder's end or the line along its side.
    #[inline(always)]
    pub(super) fn cylinder(&mut self, half: f64, radius: f64) -> Option<()> {
        let sideways = self.look.sideways();
        if self.up.y.abs() > sideways {
            let below = self.up.y > 0.0;
            return self.rim((if below { -half } else { half }, radius), below, sideways);
        }
        self.side([(radius, -half), (radius, half)], sideways)
    }

    /// A cone's base or the line along its side.
    #[inline(always)]
    pub(super) fn cone(&mut self, half: f64, radius: f64) -> Option<()> {
        let sideways = self.look.sideways();
        if self.up.y > sideways {
            return self.rim((-half, radius), true, sideways);
        }
        self.side([(radius, -half), (0.0, half)], sideways)
    }

    /// The end of a cylinder or a cone: four of the eight corners of its rim, of which the lowest is
    /// its lowest point.
    #[inline(always)]
    fn rim(&mut self, (height, radius): (f64, f64), below: bool, sideways: f64) -> Option<()> {
        // A rim that is next to a point is no face.
        if radius <= tolerance::WIDE_RIM * self.same() {
            return None;
        }
        self.is_rim = true;
        let (up, &Look { distance, margin, .. }) = (self.up, self.look);
        let level = self.look.lie.height + up.y * height;
        let quarters = &IN_ORDER[usize::from(below)];
        if sideways <= 0.0 {
            for &(name, cosine, sine) in quarters {
                let corner = DVec3::new(cosine * radius, height, sine * radius);
                self.push_at(corner, distance, name)?;
            }
            return Some(());
        }
        let lowest = DVec3::new(-up.x / sideways, 0.0, -up.z / sideways);
        let (x, z) = (up.x.abs(), up.z.abs());
        let steepest = x.max(z).max((x + z) * FRAC_1_SQRT_2);
        let leans = sideways > tolerance::SAME_POINT;
        if !leans || level + steepest * radius > margin {
            return self.arc((height, radius), below, level, leans.then_some(lowest));
        }
        let (mut replaced, mut least) = (0, f64::INFINITY);
        let mut rises = [0.0; 4];
        for (turn, &(_, cosine, sine)) in quarters.iter().enumerate() {
            let rise = up.x * cosine + up.z * sine;
            rises[turn] = rise;
            (replaced, least) = if rise < least { (turn, rise) } else { (replaced, least) };
        }
        for (turn, &(name, cosine, sine)) in quarters.iter().enumerate() {
            let (x, z, rise) = if turn == replaced {
                (lowest.x, lowest.z, distance)
            } else {
                (cosine, sine, level + rises[turn] * radius)
            };
            self.push_at(DVec3::new(x * radius, height, z * radius), rise, name)?;
        }
        Some(())
    }

    /// What is kept of a rim that is not all within the margin, or hardly leans; `lowest` is the way
    /// to its lowest point where it does.
    #[inline(never)]
    fn arc(
        &mut self,
        (height, radius): (f64, f64),
        below: bool,
        level: f64,
        lowest: Option<DVec3>,
    ) -> Option<()> {
        let (up, &Look { distance, margin, .. }) = (self.up, self.look);
        let mut heights = [0.0; EIGHTHS.len()];
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for (place, (cosine, sine)) in EIGHTHS.into_iter().enumerate() {
            let rise = level + (up.x * cosine + up.z * sine) * radius;
            heights[place] = rise;
            (nearest, least) = if rise < least { (place, rise) } else { (nearest, least) };
        }
        if lowest.is_some() {
            heights[nearest % EIGHTHS.len()] = distance;
        }
        let (kept, replaced) = kept(&heights, margin, QUARTERS[usize::from(below)]);
        for (place, (number, (cosine, sine))) in (0..).zip(EIGHTHS).enumerate() {
            if kept >> place & 1 == 1 {
                let (x, z, rise) = match lowest {
                    Some(lowest) if place == replaced => (lowest.x, lowest.z, distance),
                    _ => (cosine, sine, heights[place]),
                };
                let corner = DVec3::new(x * radius, height, z * radius);
                self.push_at(corner, rise, number << 1 | u32::from(below))?;
            }
        }
        self.shown.sort();
        Some(())
    }

    /// The line along the side of a cylinder or a cone, by the radius and height of its ends.
    #[inline(always)]
    fn side(&mut self, ends: [(f64, f64); 2], sideways: f64) -> Option<()> {
        // Without height there is no such line.
        if !(sideways > tolerance::SAME_POINT && ends[1].1 > 0.0) {
            return None;
        }
        let up = self.up;
        let out = DVec3::new(-up.x / sideways, 0.0, -up.z / sideways);
        for (name, (radius, height)) in (0..).zip(ends) {
            self.push(DVec3::new(out.x * radius, height, out.z * radius), name)?;
        }
        Some(())
    }

    /// A corner or an edge of a box with a margin around it.
    #[inline(always)]
    pub(super) fn round_cuboid(&mut self, half: DVec3, radius: f64) -> Option<()> {
        let down = -self.up;
        let size = down.abs();
        if half.min_element() <= 0.0
            || size.max_element().powi(2) >= 1.0 - 2.0 * tolerance::NEAR_FACE
        {
            // Corners may share their place, or it may be a face.
            return None;
        }
        let signs = down.map(|x| if x > 0.0 { 1.0 } else { -1.0 });
        let name = |signs: DVec3| {
            u32::from(signs.x > 0.0) | u32::from(signs.y > 0.0) << 1 | u32::from(signs.z > 0.0) << 2
        };
        let corner = signs * half;
        let lowest = corner + down * radius;
        let mut axis = usize::from(size.y < size.x);
        axis = if size.z < size[axis] { 2 } else { axis };
        if size[axis].powi(2) > tolerance::NEAR_FACE {
            return self.push_at(lowest, self.look.distance, name(signs));
        }
        let mut across = down;
        across[axis] = 0.0;
        let mut other = signs;
        other[axis] = -other[axis];
        self.push_at(lowest, self.look.distance, name(signs))?;
        self.push(other * half + across.normalize() * radius, name(other))
    }

    /// The points, unless the lowest of the shape is none of them or two lie in one place.
    #[inline(always)]
    pub(super) fn finished(self) -> Option<()> {
        let (size, same) = (self.size(), self.same());
        let Self { look: &Look { distance, .. }, up, shown, least, is_rim, .. } = self;
        if least > distance + tolerance::UNPROVEN * size {
            return None;
        }
        if least > distance {
            shown.lower(least, distance);
        }
        if shown.count > MOST {
            *shown = shown.reduced(-up, size);
            return Some(());
        }
        if is_rim {
            return Some(());
        }
        shown.sort();
        let points = &shown.points[..shown.count.min(MOST)];
        for (k, point) in points.iter().enumerate() {
            // A closure might stay out of line.
            for other in &points[..k] {
                if (other.place - point.place).length_squared() <= same * same {
                    return None;
                }
            }
        }
        Some(())
    }
}
