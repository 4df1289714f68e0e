//! Pairs of parts along a way, those that may touch first before the others.

use std::cell::{Cell, OnceCell};

use impinge_shapes::glam::{DVec3, Vec3};
use impinge_shapes::{Aabb, Pose, Shape, Triangle, TriangleSet, first_pair};
use smallvec::SmallVec;

use super::{Bounded, Leaf, Piece, Surface, on_surface};
use crate::Relative;
use crate::bounds::first_touch;
use crate::convex::Slide;
use crate::dispatch::Simple;
use crate::shadow::{Course, Shadow};

/// Branch and bound over the pairs of simple shapes of a mover, which goes by `way`, and a target:
/// visits those that may touch before the part of the way that `visit` answers with, at first all
/// of it.
///
/// Of what a solid only slides over, or leaves, nothing is visited any more once `slides` says so.
///
/// `visit` is told the frame that all triangles of a surface share, where it is known: that of the
/// target, and the mover in it; and asks whether two that may overlap at the start may meet at all, if it
/// does not know.
pub(crate) fn first_leaves<'a>(
    (mover, pose): (&'a Shape, &Pose),
    displacement: Vec3,
    (target, target_pose): (&'a Shape, &Pose),
    slides: &impl Fn() -> bool,
    visit: &mut impl FnMut(&Leaf<'a>, &Leaf<'a>, Option<&Relative>, &dyn Fn() -> bool) -> f64,
) {
    let (limit, way) = (Cell::new(1.0_f64), displacement.as_dvec3());
    let movers: SmallVec<[Bounded<'_>; 4]> = Bounded::all(mover, pose);
    let targets: SmallVec<[Bounded<'_>; 4]> = Bounded::all(target, target_pose);
    // Those that may touch first come first, so that they leave less of the way to the others.
    let mut order = SmallVec::<[(f64, &Piece<'_>, &Piece<'_>); 4]>::new();
    for moving in &movers {
        for resting in &targets {
            let first = first_touch(moving.bounds(), way, resting.bounds());
            if first <= 1.0 {
                order.push((first, &moving.piece, &resting.piece));
            }
        }
    }
    order.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (first, moving, resting) in order {
        let now = limit.get();
        if first > now {
            break;
        }
        match (moving, resting) {
            (Piece::Simple(mover), Piece::Simple(target)) => {
                limit.set(visit(mover, target, None, &|| true));
            }
            (Piece::Simple(leaf), Piece::Surface { pose, .. }) => {
                let frame = Relative::new(pose, &leaf.pose);
                let mut met = |target: &Leaf<'a>, may_meet: &dyn Fn(&Leaf<'a>) -> bool| {
                    visit(leaf, target, Some(&frame), &|| may_meet(target))
                };
                first_of_surface((leaf, displacement), resting, slides, &limit, &mut met);
            }
            (Piece::Surface { pose, .. }, Piece::Simple(leaf)) => {
                let frame = Relative::new(&leaf.pose, pose);
                let mut met = |mover: &Leaf<'a>, may_meet: &dyn Fn(&Leaf<'a>) -> bool| {
                    visit(mover, leaf, Some(&frame), &|| may_meet(mover))
                };
                first_of_surface((leaf, -displacement), moving, slides, &limit, &mut met);
            }
            (
                Piece::Surface { pose: at, surface: surface_a, .. },
                Piece::Surface { pose: at_b, surface: surface_b, .. },
            ) => {
                let way = at.rotation_matrix().transpose() * way;
                let bound = |a: &Aabb, b: &Aabb| first_touch(a, way, b);
                let mut both = |i: u32, j: u32| {
                    if let (Some(mover), Some(target)) = (moving.leaf(i), resting.leaf(j)) {
                        limit.set(visit(&mover, &target, None, &|| true));
                    }
                    limit.get()
                };
                on_surface!(*surface_a, sa => on_surface!(*surface_b, sb => {
                    first_pair(sa, sb, at, at_b, now, &bound, &mut both);
                }));
            }
        }
    }
}

/// The triangles of a surface for [`first_leaves`], as if it rested and a simple shape moved.
fn first_of_surface<'a>(
    (leaf, displacement): (&Leaf<'a>, Vec3),
    piece: &Piece<'a>,
    slides: &impl Fn() -> bool,
    limit: &Cell<f64>,
    visit: &mut impl FnMut(&Leaf<'a>, &dyn Fn(&Leaf<'a>) -> bool) -> f64,
) {
    let Piece::Surface { pose, surface, .. } = piece else { return };
    let slide = OnceCell::new();
    let path = || {
        let solid = leaf.simple.solid()?;
        Some(Slide::new(pose, (&solid, &leaf.pose), displacement))
    };
    let mut passes = |node: &Aabb| {
        slides() && slide.get_or_init(path).as_ref().is_some_and(|it| it.passes(node))
    };
    let ground = leaf.ground(pose);
    let mover = if ground.is_none() { Some(leaf.seen_from(pose, 0.0)) } else { None };
    let shadow = OnceCell::new();
    let mut met = |index: u32, triangle: Triangle| {
        let most = limit.get();
        let Some(found) = piece.found(index, triangle) else { return most };
        let may_meet = |triangle: &Leaf<'_>| {
            let shadow =
                shadow.get_or_init(|| Shadowed::of(leaf, pose, displacement.as_dvec3())).as_ref();
            shadow.is_none_or(|it| it.may_meet(triangle, most))
        };
        // Where nothing is left of the way, whoever asks sees as soon what is not met.
        let is_known = most <= 0.0;
        let may_start_in = mover.is_some_and(|mover| overlaps_bounds(&mover, &triangle));
        if is_known || may_start_in || may_meet(&found) {
            let is_known = is_known || !may_start_in;
            limit.set(visit(&found, &|triangle| is_known || may_meet(triangle)));
        }
        limit.get()
    };
    let way = pose.rotation_matrix().transpose() * displacement.as_dvec3();
    if let Some(mover) = &mover {
        on_surface!(surface, set => {
            set.first_met(mover, way, limit.get(), &mut passes, &mut met);
        });
        return;
    }
    let Some(ground) = ground else { return };
    let mut bound = |node: &Aabb| {
        if passes(node) { f64::INFINITY } else { ground.first_touch(-way, node) }
    };
    surface.nearest(limit.get(), &mut bound, &mut |index| {
        surface.triangle(index).map_or(limit.get(), |triangle| met(index, triangle))
    });
}

/// Whether the bounds of a triangle overlap others; it is in the frame of these.
fn overlaps_bounds(bounds: &Aabb, triangle: &Triangle) -> bool {
    let [a, b, c] = triangle.vertices();
    a.min(b).min(c).cmple(bounds.max()).all() && a.max(b).max(c).cmpge(bounds.min()).all()
}

/// A solid that goes by a way, and its shadow along that, in the frame of a surface.
struct Shadowed {
    course: Course,
    shadow: Shadow,
}

impl Shadowed {
    fn of(solid: &Leaf<'_>, frame: &Pose, way: DVec3) -> Option<Self> {
        let to_frame = frame.rotation_matrix().transpose();
        let (course, shape) = Course::new(to_frame * way).zip(solid.simple.solid())?;
        let turn = to_frame * solid.pose.rotation_matrix();
        let place = to_frame * (solid.pose.translation() - frame.translation());
        let shadow = course.shadow(&shape, &turn, place);
        Some(Self { course, shadow })
    }

    /// Whether it may meet a triangle before a part of the way, as far as their shadows tell.
    fn may_meet(&self, leaf: &Leaf<'_>, most: f64) -> bool {
        let Simple::Triangle(triangle) = leaf.simple else { return true };
        let corners = triangle.vertices().map(|corner| corner.as_dvec3());
        !self.course.misses(&self.shadow, &self.course.shadow_of_triangle(corners), most)
    }
}
