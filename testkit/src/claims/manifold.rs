//! What a manifold of two convex shapes must be, by the definitions of the shapes.

use std::collections::BTreeSet;

use glam::{DVec2, DVec3};
use impinge_narrowphase::{Manifold, manifold};
use impinge_shapes::{Pose, Shape, round};

use crate::{
    check::ulp,
    generate::{Kind, PairCase},
    oracle::{
        self,
        manifolds::{Body, Face, area, around, axes_across, common_part, outside},
    },
    rng::Rng,
};

/// The largest errors seen, in last places of the largest coordinate but for the shares.
#[derive(Debug, Default)]
pub struct Worst {
    /// Of the gap along the normal.
    pub gap: f64,
    /// Of the least distance.
    pub depth: f64,
    /// Points out of the shapes.
    pub out: f64,
    /// Points in shapes without radius.
    pub within: f64,
    /// Points in shapes with a radius, as a share of it.
    pub sunk: f64,
    /// Part of the area of a patch that the points do not cover.
    pub lost: f64,
}

/// What was seen of a pair of kinds.
#[derive(Debug, Default)]
pub struct Seen {
    /// The largest errors.
    pub worst: Worst,
    /// Cases without a manifold, and with one of so many points.
    pub manifolds: [usize; 5],
    /// How many were compared with the exact depth.
    pub exact: usize,
    /// Points of all manifolds.
    pub points: usize,
    /// Points farther out than [`FAR`].
    pub far: usize,
    /// Patches of at most four corners.
    pub patches: usize,
    /// And those of them that the points cover.
    pub covered: usize,
    /// Patches of more corners.
    pub large_patches: usize,
}

impl Seen {
    /// Looks at the manifold of a case within a margin, thoroughly by the exact depth, too.
    ///
    /// # Errors
    /// What must hold to the bit does not.
    pub fn look(&mut self, case: &PairCase, margin: f32, thorough: bool) -> Result<(), String> {
        let found = manifold(&case.a, &case.pose_a, &case.b, &case.pose_b, margin);
        let Some(found) = found else {
            self.manifolds[0] += 1;
            return Ok(());
        };
        self.manifolds[found.points.len().min(4)] += 1;
        let found = Found::new(case, margin, found).ok_or("no body")?;
        found.check_form()?;
        found.measure_depth(thorough, self)?;
        found.measure_points(self);
        found.measure_patch(self);
        Ok(())
    }

    /// Whether no error is larger than promised for two kinds, of which points may be so many last
    /// places more out of a rounded surface.
    #[must_use]
    pub fn fits(&self, a: Kind, b: Kind, rounding: f64) -> bool {
        let is_curved = |kind| matches!(kind, Kind::Cylinder | Kind::Cone | Kind::Rounded);
        let (one, other) = (is_curved(a), is_curved(b));
        // The depth of curved shapes is found step by step, to 2^-20, and their places are as flat
        // as they are.
        let [gap, depth] = if one || other { [64.0, 20.0] } else { [16.0, 4.0] };
        let out = rounding + if one && other { 4.0 * FAR } else { FAR };
        let worst = &self.worst;
        let is_near = worst.gap <= gap && worst.depth <= depth && worst.out <= out;
        is_near && worst.within <= 16.0 && worst.sunk <= 2.0 && worst.lost <= 0.51
    }
}

/// Last place of the largest coordinate; where coordinates of the two frames cancel each other, that of
/// what f64, in which the points are measured, makes of that.
fn unit(case: &PairCase) -> f64 {
    ulp(case.magnitude().max(case.size() / f64::from(1 << 20)))
}

/// How many last places points of rounded shapes that are turned from the normal may be off:
/// 2^-9 of the radius.
#[must_use]
pub fn rounding(case: &PairCase) -> f64 {
    let radius = |shape: &Shape| Body::of(shape, &Pose::IDENTITY).map_or(0.0, |body| body.radius());
    let unit = unit(case);
    radius(&case.a).max(radius(&case.b)) / (512.0 * unit)
}

/// A margin for a case: none, little or much.
pub fn margin(case: &PairCase, rng: &mut Rng) -> f32 {
    let reach = case.reaches().into_iter().fold(f64::INFINITY, f64::min);
    round::nearest(rng.pick(&[0.0, 0.0, 0.01, 0.5]) * reach)
}

/// Last places within which a point is on a shape, or on the border of a patch.
pub const FAR: f64 = 8.0;

fn raise(most: &mut f64, value: f64) {
    if value > *most || value.is_nan() {
        *most = value;
    }
}

/// A manifold and what it was made of.
struct Found<'a> {
    case: &'a PairCase,
    margin: f32,
    manifold: Manifold,
    a: Body,
    b: Body,
    normal: DVec3,
    /// As [`unit`] tells it.
    unit: f64,
}

impl<'a> Found<'a> {
    fn new(case: &'a PairCase, margin: f32, manifold: Manifold) -> Option<Self> {
        let (a, b) = (Body::of(&case.a, &case.pose_a)?, Body::of(&case.b, &case.pose_b)?);
        let normal = manifold.normal.as_dvec3().normalize();
        let unit = unit(case);
        Some(Self { case, margin, manifold, a, b, normal, unit })
    }

    fn told(&self) -> String {
        format!("{:?} within {} of {:?}", self.manifold, self.margin, self.case)
    }

    /// What must hold to the bit, or to the last place.
    fn check_form(&self) -> Result<(), String> {
        let points = &self.manifold.points;
        let features: BTreeSet<_> = points.iter().map(|point| point.feature).collect();
        let is_sorted = points.is_sorted_by_key(|point| point.feature);
        if !(1..=4).contains(&points.len()) || features.len() != points.len() || !is_sorted {
            return Err(format!("features are not distinct and sorted: {}", self.told()));
        }
        if (self.manifold.normal.as_dvec3().length() - 1.0).abs() > 1e-6 {
            return Err(format!("no unit normal: {}", self.told()));
        }
        for point in points {
            if point.distance.is_nan() || point.distance > self.margin {
                return Err(format!("beyond the margin: {}", self.told()));
            }
            let between = point.point_b.as_dvec3() - point.point_a.as_dvec3();
            let off = (between - self.normal * f64::from(point.distance)).length();
            if off > 4.0 * self.unit {
                return Err(format!("{off} off the normal: {}", self.told()));
            }
        }
        Ok(())
    }

    /// How deep it is, along its normal and at all.
    fn measure_depth(&self, thorough: bool, seen: &mut Seen) -> Result<(), String> {
        let deepest = f64::from(self.manifold.distance());
        let gap = -self.a.reach(self.normal) - self.b.reach(-self.normal);
        // Of boxes a face is taken within 3.6 degrees of the axis of least depth.
        let turned = match (&self.case.a, &self.case.b) {
            (Shape::Cuboid(a), Shape::Cuboid(b)) => {
                let sizes = a.half_extents() + b.half_extents();
                f64::from(sizes.element_sum()) / 8.0
            }
            _ => 0.0,
        };
        let off = ((deepest - gap).abs() - turned).max(0.0);
        raise(&mut seen.worst.gap, off / self.unit);
        if thorough {
            let PairCase { a, pose_a, b, pose_b, .. } = self.case;
            let exact = oracle::bounds(a, pose_a, b, pose_b).ok_or("no oracle")?;
            let off = (exact.miss(deepest) - turned).max(0.0);
            raise(&mut seen.worst.depth, off / self.unit);
            seen.exact += 1;
        }
        Ok(())
    }

    /// How far the points are from the surfaces.
    fn measure_points(&self, seen: &mut Seen) {
        for point in &self.manifold.points {
            for (body, place) in [(&self.a, point.point_a), (&self.b, point.point_b)] {
                let off = body.signed_distance(place.as_dvec3());
                seen.points += 1;
                if off >= 0.0 {
                    seen.far += usize::from(off > FAR * self.unit);
                    raise(&mut seen.worst.out, off / self.unit);
                } else if body.radius() > 0.0 {
                    let share = (-off - self.unit).max(0.0) / body.radius();
                    raise(&mut seen.worst.sunk, share);
                } else {
                    raise(&mut seen.worst.within, -off / self.unit);
                }
            }
        }
    }

    /// How much of the common part of two faces that look at each other the points cover.
    fn measure_patch(&self, seen: &mut Seen) {
        let (n, unit) = (self.normal, self.unit);
        let one = self.a.face_towards(n, FACING);
        let (Some(one), Some(other)) = (one, self.b.face_towards(-n, FACING)) else { return };
        let [u, v] = axes_across(n);
        let flat = |p: DVec3| DVec2::new(u.dot(p), v.dot(p));
        let outline = |corners: &[DVec3]| around(corners.iter().map(|&p| flat(p)).collect());
        let common = common_part(outline(&one.corners), &outline(&other.corners));
        let height = |face: &Face, at: DVec2| {
            let across = face.corners[0] - u * at.x - v * at.y;
            across.dot(face.normal) / n.dot(face.normal)
        };
        let least = f64::from(self.margin) - 8.0 * unit;
        let mut corners: Vec<DVec2> = Vec::new();
        for p in common {
            let is_new = corners.iter().all(|q| q.distance(p) > 16.0 * unit);
            if is_new && height(&other, p) - height(&one, p) < least {
                corners.push(p);
            }
        }
        let extent = corners.iter().map(|p| p.distance(corners[0])).fold(0.0, f64::max);
        if extent < 1024.0 * unit {
            return;
        }
        let points = self.manifold.points.iter().map(|p| flat(p.point_a.as_dvec3()));
        let points = around(points.collect());
        if corners.len() <= 4 {
            let off = corners.iter().map(|&p| outside(&points, p)).fold(0.0, f64::max);
            seen.patches += 1;
            seen.covered += usize::from(off <= FAR * unit);
        } else {
            let whole = area(&around(corners.clone()));
            // Within a 256th of the extent points count as equally far to the side.
            if whole < extent * extent / 128.0 {
                return;
            }
            let lost = 1.0 - area(&points) / whole;
            raise(&mut seen.worst.lost, lost);
            seen.large_patches += 1;
        }
    }
}

/// Sine within which faces look at each other here.
const FACING: f64 = 1e-3;
