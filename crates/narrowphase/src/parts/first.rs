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
use crate::shadow::Course;

/// Branch and bound over the pairs of simple shapes of a mover, which goes by `way`, and a target:
/// visits those that may touch before the part of the way that `visit` answers with, at first all
/// of it.
///
/// Of what a solid only slides over, or leaves, nothing is visited any more once `slides` says so.
///
/// `visit` is told the frame that all triangles of a surface share, where it is known: that of the
/// target, and the mover in it.
pub(crate) fn first_leaves<'a>(
    (mover, pose): (&'a Shape, &Pose),
    displacement: Vec3,
    (target, target_pose): (&'a Shape, &Pose),
    slides: &impl Fn() -> bool,
    visit: &mut impl FnMut(&Leaf<'a>, &Leaf<'a>, Option<&Relative>) -> f64,
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
                limit.set(visit(mover, target, None));
            }
            (Piece::Simple(leaf), Piece::Surface { pose, .. }) => {
                let frame = Relative::new(pose, &leaf.pose);
                let mut met = |target: Leaf<'a>| visit(leaf, &target, Some(&frame));
                first_of_surface((leaf, displacement), resting, slides, &limit, &mut met);
            }
            (Piece::Surface { pose, .. }, Piece::Simple(leaf)) => {
                let frame = Relative::new(&leaf.pose, pose);
                let mut met = |mover: Leaf<'a>| visit(&mover, leaf, Some(&frame));
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
                        limit.set(visit(&mover, &target, None));
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
    visit: &mut impl FnMut(Leaf<'a>) -> f64,
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
    let is_met = in_the_way(leaf, pose, displacement.as_dvec3());
    let mut met = |index: u32, triangle: Triangle| {
        let most = limit.get();
        // Where nothing is left of the way, whoever asks sees as soon what is not met.
        if let Some(found) = piece.found(index, triangle)
            && (most <= 0.0 || is_met(&found, most))
        {
            limit.set(visit(found));
        }
        limit.get()
    };
    let way = pose.rotation_matrix().transpose() * displacement.as_dvec3();
    let Some(ground) = leaf.ground(pose) else {
        let mover = leaf.seen_from(pose, 0.0);
        on_surface!(surface, set => {
            set.first_met(&mover, way, limit.get(), &mut passes, &mut met);
        });
        return;
    };
    let mut bound = |node: &Aabb| {
        if passes(node) { f64::INFINITY } else { ground.first_touch(-way, node) }
    };
    surface.nearest(limit.get(), &mut bound, &mut |index| {
        surface.triangle(index).map_or(limit.get(), |triangle| met(index, triangle))
    });
}

/// Whether a solid, which goes by `way`, may meet a triangle of a surface at `frame` before a part
/// of it, as far as their shadows tell.
fn in_the_way(
    solid: &Leaf<'_>,
    frame: &Pose,
    way: DVec3,
) -> impl Fn(&Leaf<'_>, f64) -> bool + use<> {
    let to_frame = frame.rotation_matrix().transpose();
    let seen = Course::new(to_frame * way).zip(solid.simple.solid()).map(|(course, shape)| {
        let turn = to_frame * solid.pose.rotation_matrix();
        let place = to_frame * (solid.pose.translation() - frame.translation());
        (course, course.shadow(&shape, &turn, place))
    });
    move |leaf, most| match (&seen, leaf.simple) {
        (Some((course, shadow)), Simple::Triangle(triangle)) => {
            let [a, b, c] = triangle.vertices();
            let corners = [a.as_dvec3(), b.as_dvec3(), c.as_dvec3()];
            !course.misses(shadow, &course.shadow_of_triangle(corners), most)
        }
        _ => true,
    }
}
