//! Contact points of every ordered pair of convex kinds against the definitions of the shapes.

use std::collections::BTreeSet;

use glam::{DVec2, DVec3};
use impinge_narrowphase::{Manifold, manifold};
use impinge_shapes::{Shape, round};
use impinge_testkit::{
    check::{for_each_case, ulp},
    generate::{Class, Kind, PairCase, pair},
    oracle::{
        self,
        manifolds::{Body, Face, area, around, axes_across, common_part, outside},
    },
};
use rayon::prelude::*;

const KINDS: [Kind; 10] = [
    Kind::Sphere,
    Kind::Cuboid,
    Kind::Capsule,
    Kind::Cylinder,
    Kind::Cone,
    Kind::Triangle,
    Kind::ConvexHull,
    Kind::Rounded,
    Kind::RoundedPolytope,
    Kind::HalfSpace,
];

/// Cases of each ordered pair of kinds.
const CASES: usize = 10_000;
/// One of so many is compared with the exact depth, too; no multiple of the number of classes.
const THOROUGH: usize = 49;

/// The largest errors seen, in last places of the largest coordinate but for the shares.
#[derive(Debug, Default)]
struct Worst {
    /// Of the gap along the normal.
    gap: f64,
    /// Of the least distance.
    depth: f64,
    /// Points out of the shapes.
    out: f64,
    /// Points in shapes without radius.
    within: f64,
    /// Points in shapes with a radius, as a share of it.
    sunk: f64,
    /// Part of the area of a patch that the points do not cover.
    lost: f64,
}

/// What was seen of a pair of kinds.
#[derive(Debug, Default)]
struct Seen {
    worst: Worst,
    /// Cases without a manifold, and with one of so many points.
    manifolds: [usize; 5],
    /// How many were compared with the exact depth.
    exact: usize,
    points: usize,
    /// Points farther out than [`FAR`].
    far: usize,
    /// Patches of at most four corners, and those that the points cover.
    patches: usize,
    covered: usize,
    large_patches: usize,
}

/// Last places within which a point is on a shape, or on the border of a patch.
const FAR: f64 = 8.0;

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
    /// Last place of the largest coordinate.
    unit: f64,
}

impl<'a> Found<'a> {
    fn new(case: &'a PairCase, margin: f32, manifold: Manifold) -> Option<Self> {
        let (a, b) = (Body::of(&case.a, &case.pose_a)?, Body::of(&case.b, &case.pose_b)?);
        let normal = manifold.normal.as_dvec3().normalize();
        let unit = ulp(case.reaches().into_iter().fold(0.0, f64::max));
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
            let lost = 1.0 - area(&points) / area(&around(corners.clone()));
            raise(&mut seen.worst.lost, lost);
            seen.large_patches += 1;
        }
    }
}

/// Sine within which faces look at each other here.
const FACING: f64 = 1e-3;

fn measure(a: Kind, b: Kind) -> Seen {
    let mut seen = Seen::default();
    let mut number = 0;
    for_each_case(0x3a41, CASES, |class, rng| {
        let case = pair(class, a, b, rng);
        if class == Class::Denormal {
            return Ok(());
        }
        number += 1;
        let reach = case.reaches().into_iter().fold(f64::INFINITY, f64::min);
        let margin = round::nearest(rng.pick(&[0.0, 0.0, 0.01, 0.5]) * reach);
        let found = manifold(&case.a, &case.pose_a, &case.b, &case.pose_b, margin);
        let Some(found) = found else {
            seen.manifolds[0] += 1;
            return Ok(());
        };
        seen.manifolds[found.points.len().min(4)] += 1;
        let found = Found::new(&case, margin, found).ok_or("no body")?;
        found.check_form()?;
        found.measure_depth(number % THOROUGH == 0, &mut seen)?;
        found.measure_points(&mut seen);
        found.measure_patch(&mut seen);
        Ok(())
    });
    seen
}

fn is_curved(kind: Kind) -> bool {
    matches!(kind, Kind::Cylinder | Kind::Cone | Kind::Rounded)
}

fn check((a, b): (Kind, Kind)) -> Seen {
    let seen = measure(a, b);
    let worst = &seen.worst;
    let told = || format!("{a:?} and {b:?}: {seen:.4?}");
    // The depth of curved shapes is found step by step, to 2^-20, and their places are as flat as
    // they are.
    let [gap, depth] = if is_curved(a) || is_curved(b) { [64.0, 20.0] } else { [16.0, 4.0] };
    let out = if is_curved(a) && is_curved(b) { 4.0 * FAR } else { FAR };
    assert!(worst.gap <= gap && worst.depth <= depth && worst.out <= out, "{}", told());
    assert!(worst.within <= 16.0 && worst.sunk <= 2.0 && worst.lost <= 0.51, "{}", told());
    assert!(seen.exact > CASES / 200 && seen.manifolds[0] > CASES / 10, "{}", told());
    seen
}

#[test]
fn manifolds_are_what_the_shapes_show_each_other() {
    let pairs = KINDS.into_iter().flat_map(|a| KINDS.map(|b| (a, b)));
    let pairs: Vec<(Kind, Kind)> =
        pairs.filter(|pair| *pair != (Kind::HalfSpace, Kind::HalfSpace)).collect();
    let seen: Vec<Seen> = pairs.par_iter().map(|&pair| check(pair)).collect();
    for (pair, seen) in pairs.iter().zip(&seen) {
        println!("{pair:?} {seen:.3?}");
    }
    let sum = |count: fn(&Seen) -> usize| seen.iter().map(count).sum::<usize>();
    let (patches, covered) = (sum(|seen| seen.patches), sum(|seen| seen.covered));
    let (points, far) = (sum(|seen| seen.points), sum(|seen| seen.far));
    let manifolds = sum(|seen| seen.manifolds[1..].iter().sum());
    let large = sum(|seen| seen.large_patches);
    println!("{manifolds} manifolds, {points} points, {far} far, {covered} of {patches}, {large}");
    assert!(manifolds > 500_000 && patches > 5_000 && large > 400, "{manifolds} {patches} {large}");
    assert!(200 * covered >= 199 * patches, "{covered} of {patches}");
    assert!(100_000 * far <= points, "{far} of {points}");
}
