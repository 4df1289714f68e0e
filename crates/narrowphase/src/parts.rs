//! Shapes of several parts taken apart: compounds, meshes and height fields.

use std::cell::Cell;
use std::ops::ControlFlow;

use impinge_shapes::glam::DVec3;
use impinge_shapes::{
    Aabb, HeightField, Pose, Shape, Triangle, TriangleMesh, for_each_pair_in, nearest_pair, round,
};
use smallvec::SmallVec;

use crate::dispatch::Simple;
use crate::tolerance;

/// A simple shape of a body at its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<'a> {
    /// Its number among all simple shapes of the body.
    pub(crate) part: u32,
    pub(crate) pose: Pose,
    pub(crate) simple: Simple<'a>,
    /// The surface that it is a triangle of, and which.
    pub(crate) surface: Option<(Surface<'a>, u32)>,
}

impl Leaf<'_> {
    pub(crate) fn aabb(&self) -> Aabb {
        self.simple.aabb(&self.pose)
    }
}

/// A shape of triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Surface<'a> {
    Mesh(&'a TriangleMesh),
    Field(&'a HeightField),
}

/// Calls a method that meshes and height fields share.
macro_rules! on_surface {
    ($surface:expr, $name:ident => $call:expr) => {
        match $surface {
            Surface::Mesh($name) => $call,
            Surface::Field($name) => $call,
        }
    };
}

impl Surface<'_> {
    pub(crate) fn triangle(&self, index: u32) -> Option<Triangle> {
        on_surface!(self, surface => surface.triangle(index))
    }

    pub(crate) fn for_each_in(
        &self,
        bounds: &Aabb,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        on_surface!(self, surface => surface.for_each_in(bounds, visit))
    }

    fn nearest(
        &self,
        limit: f64,
        bound: &mut impl FnMut(&Aabb) -> f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) {
        on_surface!(self, surface => surface.nearest(limit, bound, visit));
    }
}

/// What a body is made of: simple shapes and surfaces.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece<'a> {
    Simple(Leaf<'a>),
    Surface {
        /// Number of the first triangle among all simple shapes of the body.
        first: u32,
        pose: Pose,
        surface: Surface<'a>,
        bounds: Aabb,
    },
}

impl<'a> Piece<'a> {
    fn of(first: u32, pose: Pose, shape: &'a Shape) -> Option<Self> {
        let surface = match shape {
            Shape::TriangleMesh(mesh) => Surface::Mesh(mesh),
            Shape::HeightField(field) => Surface::Field(field),
            _ => {
                let simple = Simple::of(shape)?;
                return Some(Self::Simple(Leaf { part: first, pose, simple, surface: None }));
            }
        };
        Some(Self::Surface { first, pose, surface, bounds: shape.aabb(&pose) })
    }

    fn aabb(&self) -> Aabb {
        match self {
            Self::Simple(leaf) => leaf.aabb(),
            Self::Surface { bounds, .. } => *bounds,
        }
    }

    /// The triangle of a surface; none for a hole.
    fn leaf(&self, index: u32) -> Option<Leaf<'a>> {
        match *self {
            Self::Simple(leaf) => Some(leaf),
            Self::Surface { first, pose, surface, .. } => Some(Leaf {
                part: first.saturating_add(index),
                pose,
                simple: Simple::Triangle(surface.triangle(index)?),
                surface: Some((surface, index)),
            }),
        }
    }
}

/// The pieces of a shape in the order of their numbers.
pub(crate) fn pieces<'a>(shape: &'a Shape, pose: &Pose) -> SmallVec<[Piece<'a>; 4]> {
    match shape {
        Shape::Compound(compound) => compound
            .placed(pose)
            .filter_map(|(first, pose, shape)| Piece::of(first, pose, shape))
            .collect(),
        _ => Piece::of(0, *pose, shape).into_iter().collect(),
    }
}

/// Visits the simple shapes of a shape whose bounds touch `reach`; for surfaces in no order.
pub(crate) fn for_each_leaf<'a>(
    shape: &'a Shape,
    pose: &Pose,
    reach: &Aabb,
    visit: &mut impl FnMut(Leaf<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for piece in pieces(shape, pose) {
        for_each_leaf_of(&piece, reach, visit)?;
    }
    ControlFlow::Continue(())
}

fn for_each_leaf_of<'a>(
    piece: &Piece<'a>,
    reach: &Aabb,
    visit: &mut impl FnMut(Leaf<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if !piece.aabb().overlaps(reach) {
        return ControlFlow::Continue(());
    }
    match piece {
        Piece::Simple(leaf) => visit(*leaf),
        Piece::Surface { pose, surface, .. } => surface
            .for_each_in(&seen_from(pose, reach), &mut |index| {
                piece.leaf(index).map_or(ControlFlow::Continue(()), &mut *visit)
            }),
    }
}

/// Visits the pairs of simple shapes of two shapes whose bounds, grown by `margin`, touch; for
/// surfaces in no order.
pub(crate) fn for_each_leaf_pair<'a>(
    (a, pose_a): (&'a Shape, &Pose),
    (b, pose_b): (&'a Shape, &Pose),
    margin: f32,
    visit: &mut impl FnMut(Leaf<'a>, Leaf<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let pieces_b = pieces(b, pose_b);
    for piece_a in pieces(a, pose_a) {
        let reach_a = piece_a.aabb().inflate(margin);
        for piece_b in pieces_b.iter().filter(|piece| piece.aabb().overlaps(&reach_a)) {
            match (&piece_a, piece_b) {
                (Piece::Simple(leaf_a), _) => {
                    for_each_leaf_of(piece_b, &reach_a, &mut |leaf_b| visit(*leaf_a, leaf_b))?;
                }
                (_, Piece::Simple(leaf_b)) => {
                    let reach_b = leaf_b.aabb().inflate(margin);
                    for_each_leaf_of(&piece_a, &reach_b, &mut |leaf_a| visit(leaf_a, *leaf_b))?;
                }
                _ => surface_pairs(&piece_a, piece_b, margin, visit)?,
            }
        }
    }
    ControlFlow::Continue(())
}

fn surface_pairs<'a>(
    a: &Piece<'a>,
    b: &Piece<'a>,
    margin: f32,
    visit: &mut impl FnMut(Leaf<'a>, Leaf<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (
        Piece::Surface { pose: pose_a, surface: surface_a, .. },
        Piece::Surface { pose: pose_b, surface: surface_b, .. },
    ) = (a, b)
    else {
        return ControlFlow::Continue(());
    };
    let mut both = |i: u32, j: u32| match (a.leaf(i), b.leaf(j)) {
        (Some(leaf_a), Some(leaf_b)) => visit(leaf_a, leaf_b),
        _ => ControlFlow::Continue(()),
    };
    on_surface!(*surface_a, sa => on_surface!(*surface_b, sb => {
        for_each_pair_in(sa, sb, pose_a, pose_b, f64::from(margin), &mut both)
    }))
}

/// Branch and bound over the pairs of simple shapes of two shapes: visits those that may be closer
/// than the limit that `visit` answers with, at first `limit`, and all whose bounds overlap.
pub(crate) fn nearest_leaves<'a>(
    (a, pose_a): (&'a Shape, &Pose),
    (b, pose_b): (&'a Shape, &Pose),
    limit: f64,
    visit: &mut impl FnMut(Leaf<'a>, Leaf<'a>) -> f64,
) {
    let limit = Cell::new(limit.max(0.0));
    let pieces_b = pieces(b, pose_b);
    for piece_a in pieces(a, pose_a) {
        for piece_b in &pieces_b {
            let now = limit.get();
            if gap_between(&piece_a.aabb(), &piece_b.aabb()) > now {
                continue;
            }
            let mut both = |i: u32, j: u32| {
                if let (Some(leaf_a), Some(leaf_b)) = (piece_a.leaf(i), piece_b.leaf(j)) {
                    limit.set(visit(leaf_a, leaf_b).max(0.0));
                }
                limit.get()
            };
            match (&piece_a, piece_b) {
                (Piece::Simple(_), Piece::Simple(_)) => {
                    both(0, 0);
                }
                (Piece::Simple(leaf), Piece::Surface { pose, surface, .. }) => {
                    let seen = seen_from(pose, &leaf.aabb());
                    let mut bound = |node: &Aabb| gap_between(&seen, node);
                    surface.nearest(now, &mut bound, &mut |j| both(0, j));
                }
                (Piece::Surface { pose, surface, .. }, Piece::Simple(leaf)) => {
                    let seen = seen_from(pose, &leaf.aabb());
                    let mut bound = |node: &Aabb| gap_between(&seen, node);
                    surface.nearest(now, &mut bound, &mut |i| both(i, 0));
                }
                (
                    Piece::Surface { pose: at_a, surface: surface_a, .. },
                    Piece::Surface { pose: at_b, surface: surface_b, .. },
                ) => on_surface!(*surface_a, sa => on_surface!(*surface_b, sb => {
                    nearest_pair(sa, sb, at_a, at_b, now, &mut both);
                })),
            }
        }
    }
}

/// A lower bound of the distance of two boxes; zero where they overlap.
fn gap_between(a: &Aabb, b: &Aabb) -> f64 {
    let below = b.min().as_dvec3() - a.max().as_dvec3();
    let above = a.min().as_dvec3() - b.max().as_dvec3();
    let gap = below.max(above).max(DVec3::ZERO);
    gap.length() * (1.0 - tolerance::SAME_POINT)
}

/// Bounds, along the axes of a frame, of a box of the world.
fn seen_from(pose: &Pose, bounds: &Aabb) -> Aabb {
    let (min, max) = (bounds.min().as_dvec3(), bounds.max().as_dvec3());
    if !(min.is_finite() && max.is_finite()) {
        return Aabb::EVERYTHING;
    }
    let (center, half) = ((min + max) * 0.5, (max - min) * 0.5);
    let turn = pose.rotation_matrix();
    let center = turn.transpose() * (center - pose.translation());
    // The columns are the frame's axes in the world.
    let half = DVec3::from_array(std::array::from_fn(|i| turn.col(i).abs().dot(half)));
    let size = half.element_sum() + min.abs().max(max.abs()).element_sum();
    let slack = tolerance::FRAME * (size + pose.translation().abs().element_sum());
    let low = (center - half - slack).to_array().map(round::down);
    let high = (center + half + slack).to_array().map(round::up);
    Aabb::new(low.into(), high.into()).unwrap_or(Aabb::EVERYTHING)
}
