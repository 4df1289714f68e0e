//! Shapes of several parts taken apart: compounds, meshes and height fields.

mod first;

use std::cell::{Cell, OnceCell};
use std::ops::ControlFlow;

use impinge_shapes::glam::Vec3;
use impinge_shapes::{
    Aabb, HeightField, Pose, Shape, Triangle, TriangleMesh, for_each_pair_in, nearest_pair, round,
};
use smallvec::SmallVec;

use crate::Relative;
use crate::bounds::{Ground, Seen, ball_seen_from, box_seen_from, gap_between, placed, seen_from};
use crate::dispatch::Simple;

pub(crate) use first::first_leaves;

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

impl<'a> Leaf<'a> {
    /// A body that is one simple shape.
    pub(crate) fn whole(simple: Simple<'a>, pose: &Pose) -> Self {
        Self::new(0, simple, pose)
    }

    /// How a ball is turned shows in no answer, so its rotation is left out of the work.
    fn new(part: u32, simple: Simple<'a>, pose: &Pose) -> Self {
        let pose = if simple.is_ball() { pose.unrotated() } else { *pose };
        Self { part, pose, simple, surface: None }
    }
}

impl Leaf<'_> {
    /// Bounds in the world; those of a turned box are a little wide, because the tightest ones cost
    /// more than many a query that they shorten.
    pub(crate) fn aabb(&self) -> Aabb {
        if matches!(self.simple, Simple::Cuboid(_)) {
            return placed(&self.pose, &self.own_bounds());
        }
        self.simple.aabb(&self.pose)
    }

    /// Bounds in its own frame.
    fn own_bounds(&self) -> Aabb {
        let own = match self.simple {
            Simple::Cuboid(cuboid) => Aabb::new(-cuboid.half_extents(), cuboid.half_extents()),
            Simple::Capsule(capsule) => {
                let (low, high) = (capsule.a().min(capsule.b()), capsule.a().max(capsule.b()));
                let radius = f64::from(capsule.radius());
                let down = |end: f32| round::sum_down(end.into(), -radius);
                let up = |end: f32| round::sum_up(end.into(), radius);
                Aabb::new(
                    Vec3::new(down(low.x), down(low.y), down(low.z)),
                    Vec3::new(up(high.x), up(high.y), up(high.z)),
                )
            }
            simple => return simple.aabb(&Pose::IDENTITY),
        };
        own.unwrap_or(Aabb::EVERYTHING)
    }

    /// Bounds in the frame of another pose, grown by `margin`.
    fn seen_from(&self, frame: &Pose, margin: f32) -> Aabb {
        if let Simple::Sphere(sphere) = self.simple {
            return ball_seen_from(frame, &self.pose, sphere.radius(), margin);
        }
        box_seen_from(frame, &self.pose, &self.own_bounds(), margin)
    }

    /// In the frame of a surface with these bounds, for the search of its triangles.
    fn seen_by(&self, frame: &Pose, surface: &Aabb) -> Seen {
        if let Simple::Sphere(sphere) = self.simple {
            return Seen::ball(sphere.radius(), &self.pose, frame, surface);
        }
        Seen::solid(&self.own_bounds(), &self.pose, frame, surface)
    }

    fn is_ground(&self) -> bool {
        matches!(self.simple, Simple::HalfSpace(_))
    }

    /// The half-space in another frame, if it is one.
    fn ground(&self, seen_from: &Pose) -> Option<Ground> {
        let Simple::HalfSpace(half_space) = self.simple else { return None };
        Some(Ground::new(half_space, &self.pose, seen_from))
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

use on_surface;

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

    fn bounds(&self) -> &Aabb {
        on_surface!(self, surface => surface.bounds())
    }

    /// Visits the triangles that a solid may be closer to than the limit that `visit` answers with,
    /// at first `limit`; that of a ball may be negative. Negative infinity ends the search.
    fn nearest_to(&self, seen: &Seen, limit: f64, visit: &mut impl FnMut(u32, Triangle) -> f64) {
        let Seen { center, turn, half, radius, slack } = seen;
        let limit = limit + radius;
        let mut visit = |index, triangle| visit(index, triangle) + radius;
        if let Some(half) = half {
            let place = (*center, turn, *half);
            on_surface!(self, set => set.nearest_to_box(place, *slack, limit, &mut visit));
        } else {
            on_surface!(self, set => set.nearest_to(*center, *slack, limit, &mut visit));
        }
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
    /// A surface gets the bounds in the world that `bound` makes of its own.
    fn of(first: u32, pose: Pose, shape: &'a Shape, bound: Bound) -> Option<Self> {
        let surface = match shape {
            Shape::TriangleMesh(mesh) => Surface::Mesh(mesh),
            Shape::HeightField(field) => Surface::Field(field),
            _ => {
                let simple = Simple::of(shape)?;
                return Some(Self::Simple(Leaf::new(first, simple, &pose)));
            }
        };
        let bounds = bound(&pose, surface.bounds());
        Some(Self::Surface { first, pose, surface, bounds })
    }

    fn aabb(&self) -> Aabb {
        match self {
            Self::Simple(leaf) => leaf.aabb(),
            Self::Surface { bounds, .. } => *bounds,
        }
    }

    /// Whether a pair is told by one formula, which costs less than bounds do.
    fn is_soon_told(&self, other: &Self) -> bool {
        let (Self::Simple(a), Self::Simple(b)) = (self, other) else { return false };
        a.simple.is_beside_sphere(&b.simple) || b.simple.is_beside_sphere(&a.simple)
    }

    /// A triangle that a search of the surface came upon.
    fn found(&self, index: u32, triangle: Triangle) -> Option<Leaf<'a>> {
        let Self::Surface { first, pose, surface, .. } = *self else { return None };
        Some(Leaf {
            part: first.saturating_add(index),
            pose,
            simple: Simple::Triangle(triangle),
            surface: Some((surface, index)),
        })
    }

    /// The triangle of a surface; none for a hole.
    fn leaf(&self, index: u32) -> Option<Leaf<'a>> {
        match *self {
            Self::Simple(leaf) => Some(leaf),
            Self::Surface { surface, .. } => self.found(index, surface.triangle(index)?),
        }
    }
}

/// A piece, and its bounds once they are asked for.
struct Bounded<'a> {
    piece: Piece<'a>,
    bounds: OnceCell<Aabb>,
}

impl<'a> Bounded<'a> {
    fn new(piece: Piece<'a>) -> Self {
        Self { piece, bounds: OnceCell::new() }
    }

    fn all(shape: &'a Shape, pose: &Pose) -> SmallVec<[Self; 4]> {
        pieces(shape, pose).map(Self::new).collect()
    }

    fn bounds(&self) -> &Aabb {
        self.bounds.get_or_init(|| self.piece.aabb())
    }
}

/// Makes bounds in the world of those in a frame: [`placed`], because the tightest ones would cost
/// more than the query that they shorten.
type Bound = fn(&Pose, &Aabb) -> Aabb;

/// The pieces of a shape in the order of their numbers.
pub(crate) fn pieces<'a>(shape: &'a Shape, pose: &Pose) -> impl Iterator<Item = Piece<'a>> {
    bounded_pieces(shape, pose, placed)
}

/// One by one, so that none is placed before it is asked for.
fn bounded_pieces<'a>(
    shape: &'a Shape,
    pose: &Pose,
    bound: Bound,
) -> impl Iterator<Item = Piece<'a>> {
    let (parts, alone) = match shape {
        Shape::Compound(compound) => (Some(compound.placed(pose)), None),
        _ => (None, Some((0, *pose, shape))),
    };
    let placed = parts.into_iter().flatten().chain(alone);
    placed.filter_map(move |(first, pose, shape)| Piece::of(first, pose, shape, bound))
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
/// surfaces in no order, and not those that are certainly farther apart.
///
/// `visit` is told the frame that all triangles of a surface share, where it is known.
pub(crate) fn for_each_leaf_pair<'a>(
    (a, pose_a): (&'a Shape, &Pose),
    (b, pose_b): (&'a Shape, &Pose),
    margin: f32,
    visit: &mut impl FnMut(Leaf<'a>, Leaf<'a>, Option<&Relative>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if let Some((piece_a, piece_b)) = whole_pieces((a, pose_a), (b, pose_b)) {
        return pairs_of_pieces(&piece_a, &piece_b, margin, visit);
    }
    let pieces_b = Bounded::all(b, pose_b);
    for piece_a in pieces(a, pose_a) {
        let reach_a = OnceCell::new();
        for piece_b in &pieces_b {
            let reach_a = || reach_a.get_or_init(|| piece_a.aabb().inflate(margin));
            if !piece_a.is_soon_told(&piece_b.piece) && !piece_b.bounds().overlaps(reach_a()) {
                continue;
            }
            pairs_of_pieces(&piece_a, &piece_b.piece, margin, visit)?;
        }
    }
    ControlFlow::Continue(())
}

/// Both shapes as pieces, if neither is a compound: of these there is nothing to choose from, so
/// that nobody asks for their bounds.
fn whole_pieces<'a>(
    (a, pose_a): (&'a Shape, &Pose),
    (b, pose_b): (&'a Shape, &Pose),
) -> Option<(Piece<'a>, Piece<'a>)> {
    let bound: Bound = |_, _| Aabb::EVERYTHING;
    Some((Piece::of(0, *pose_a, a, bound)?, Piece::of(0, *pose_b, b, bound)?))
}

/// [`for_each_leaf_pair`] of two pieces.
fn pairs_of_pieces<'a>(
    piece_a: &Piece<'a>,
    piece_b: &Piece<'a>,
    margin: f32,
    visit: &mut impl FnMut(Leaf<'a>, Leaf<'a>, Option<&Relative>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match (piece_a, piece_b) {
        (Piece::Simple(leaf_a), Piece::Surface { pose, .. }) if leaf_a.is_ground() => {
            let ground = leaf_a.ground(pose);
            above(piece_b, ground, margin, &mut |leaf_b| visit(*leaf_a, leaf_b, None))
        }
        (Piece::Surface { pose, .. }, Piece::Simple(leaf_b)) if leaf_b.is_ground() => {
            let ground = leaf_b.ground(pose);
            above(piece_a, ground, margin, &mut |leaf_a| visit(leaf_a, *leaf_b, None))
        }
        (Piece::Simple(leaf_a), Piece::Simple(leaf_b)) => visit(*leaf_a, *leaf_b, None),
        (Piece::Simple(leaf_a), Piece::Surface { pose, .. }) => {
            let at = Relative::new(&leaf_a.pose, pose);
            near(leaf_a, piece_b, margin, &mut |leaf_b| visit(*leaf_a, leaf_b, Some(&at)))
        }
        (Piece::Surface { pose, .. }, Piece::Simple(leaf_b)) => {
            let at = Relative::new(pose, &leaf_b.pose);
            near(leaf_b, piece_a, margin, &mut |leaf_a| visit(leaf_a, *leaf_b, Some(&at)))
        }
        _ => surface_pairs(piece_a, piece_b, margin, visit),
    }
}

/// Visits the triangles of a surface that may be as near to a solid as `margin`.
fn near<'a>(
    leaf: &Leaf<'a>,
    piece: &Piece<'a>,
    margin: f32,
    visit: &mut impl FnMut(Leaf<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    nearest_of_surface(leaf, piece, margin.into(), &mut |found| {
        flow = visit(found);
        if flow.is_break() { f64::NEG_INFINITY } else { margin.into() }
    });
    flow
}

/// Visits the triangles of a surface that may come as near to a half-space as `margin`.
fn above<'a>(
    piece: &Piece<'a>,
    ground: Option<Ground>,
    margin: f32,
    visit: &mut impl FnMut(Leaf<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (Piece::Surface { surface, .. }, Some(ground)) = (piece, ground) else {
        return ControlFlow::Continue(());
    };
    let mut flow = ControlFlow::Continue(());
    surface.nearest(margin.into(), &mut |node| ground.height(node), &mut |index| {
        flow = piece.leaf(index).map_or(ControlFlow::Continue(()), &mut *visit);
        if flow.is_break() { f64::NEG_INFINITY } else { margin.into() }
    });
    flow
}

fn surface_pairs<'a>(
    a: &Piece<'a>,
    b: &Piece<'a>,
    margin: f32,
    visit: &mut impl FnMut(Leaf<'a>, Leaf<'a>, Option<&Relative>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (
        Piece::Surface { pose: pose_a, surface: surface_a, .. },
        Piece::Surface { pose: pose_b, surface: surface_b, .. },
    ) = (a, b)
    else {
        return ControlFlow::Continue(());
    };
    let mut both = |i: u32, j: u32| match (a.leaf(i), b.leaf(j)) {
        (Some(leaf_a), Some(leaf_b)) => visit(leaf_a, leaf_b, None),
        _ => ControlFlow::Continue(()),
    };
    on_surface!(*surface_a, sa => on_surface!(*surface_b, sb => {
        for_each_pair_in(sa, sb, pose_a, pose_b, f64::from(margin), &mut both)
    }))
}

/// Branch and bound over the pairs of simple shapes of two shapes: visits those that may be closer
/// than the limit that `visit` answers with, at first `limit`, and all whose bounds overlap; of a
/// half-space and a surface only those that may be deeper than the limit.
///
/// `visit` is told the frame that all triangles of a surface share, where it is known.
pub(crate) fn nearest_leaves<'a>(
    (a, pose_a): (&'a Shape, &Pose),
    (b, pose_b): (&'a Shape, &Pose),
    limit: f64,
    visit: &mut impl FnMut(&Leaf<'a>, &Leaf<'a>, Option<&Relative>) -> f64,
) {
    if let Some((piece_a, piece_b)) = whole_pieces((a, pose_a), (b, pose_b))
        && nearest_of_pieces(&piece_a, &piece_b, limit, visit)
    {
        return;
    }
    // Two pieces that are never too far from each other need no bounds.
    let alone =
        limit >= f64::INFINITY && [a, b].iter().all(|shape| !matches!(shape, Shape::Compound(_)));
    let bound: Bound = if alone { |_, _| Aabb::EVERYTHING } else { placed };
    let limit = Cell::new(limit);
    let pieces_b = bounded_pieces(b, pose_b, bound).map(Bounded::new);
    let pieces_b: SmallVec<[Bounded<'_>; 4]> = pieces_b.collect();
    for piece_a in bounded_pieces(a, pose_a, bound) {
        let bounds_a = OnceCell::new();
        let bounds_a = || bounds_a.get_or_init(|| piece_a.aabb());
        for piece_b in &pieces_b {
            // Bounds are never closer than 0, while shapes may overlap to any depth.
            let now = limit.get().max(0.0);
            let is_far = || gap_between(bounds_a(), piece_b.bounds()) > now;
            if !(alone || piece_a.is_soon_told(&piece_b.piece)) && is_far() {
                continue;
            }
            let piece_b = &piece_b.piece;
            let mut nearer = |leaf_a: &Leaf<'a>, leaf_b: &Leaf<'a>, at: Option<&Relative>| {
                limit.set(visit(leaf_a, leaf_b, at));
                limit.get()
            };
            if nearest_of_pieces(&piece_a, piece_b, limit.get(), &mut nearer) {
                continue;
            }
            let ground = match (&piece_a, piece_b) {
                (Piece::Simple(leaf), Piece::Surface { pose, surface, .. })
                | (Piece::Surface { pose, surface, .. }, Piece::Simple(leaf)) => {
                    leaf.ground(pose).map(|ground| (ground, *surface))
                }
                _ => None,
            };
            let mut both = |i: u32, j: u32| {
                if let (Some(leaf_a), Some(leaf_b)) = (piece_a.leaf(i), piece_b.leaf(j)) {
                    nearer(&leaf_a, &leaf_b, None);
                }
                limit.get().max(0.0)
            };
            if let Some((ground, surface)) = ground {
                let a_is_surface = matches!(piece_a, Piece::Surface { .. });
                surface.nearest(limit.get(), &mut |node| ground.height(node), &mut |index| {
                    if a_is_surface {
                        both(index, 0)
                    } else {
                        both(0, index)
                    };
                    limit.get()
                });
                continue;
            }
            match (&piece_a, piece_b) {
                (Piece::Simple(_), Piece::Simple(_)) => {
                    both(0, 0);
                }
                (
                    Piece::Surface { pose: at_a, surface: surface_a, .. },
                    Piece::Surface { pose: at_b, surface: surface_b, .. },
                ) => on_surface!(*surface_a, sa => on_surface!(*surface_b, sb => {
                    nearest_pair(sa, sb, at_a, at_b, now, &mut both);
                })),
                // A solid and a surface are told above.
                _ => {}
            }
        }
    }
}

/// [`nearest_leaves`] of a simple shape, which is no half-space, and a surface; whether that is what
/// two pieces are.
fn nearest_of_pieces<'a>(
    piece_a: &Piece<'a>,
    piece_b: &Piece<'a>,
    limit: f64,
    visit: &mut impl FnMut(&Leaf<'a>, &Leaf<'a>, Option<&Relative>) -> f64,
) -> bool {
    match (piece_a, piece_b) {
        (Piece::Simple(leaf), Piece::Surface { pose, .. }) if !leaf.is_ground() => {
            let at = Relative::new(&leaf.pose, pose);
            let mut near = |triangle: Leaf<'a>| visit(leaf, &triangle, Some(&at));
            nearest_of_surface(leaf, piece_b, limit, &mut near);
            true
        }
        (Piece::Surface { pose, .. }, Piece::Simple(leaf)) if !leaf.is_ground() => {
            let at = Relative::new(pose, &leaf.pose);
            let mut near = |triangle: Leaf<'a>| visit(&triangle, leaf, Some(&at));
            nearest_of_surface(leaf, piece_a, limit, &mut near);
            true
        }
        _ => false,
    }
}

/// The triangles of a surface for [`nearest_leaves`].
fn nearest_of_surface<'a>(
    leaf: &Leaf<'a>,
    piece: &Piece<'a>,
    limit: f64,
    visit: &mut impl FnMut(Leaf<'a>) -> f64,
) {
    let Piece::Surface { pose, surface, .. } = piece else { return };
    let seen = leaf.seen_by(pose, surface.bounds());
    let mut limit = limit;
    surface.nearest_to(&seen, limit, &mut |index, triangle| {
        limit = piece.found(index, triangle).map_or(limit, &mut *visit);
        limit
    });
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Vec3;

    use super::*;
    use crate::convex::draw::Draw;

    #[test]
    fn own_bounds_are_those_of_the_shape_where_it_is_not_turned() {
        let mut seen = [0; 3];
        for seed in 0..2_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let (a, b, size) = (draw.vector() * scale, draw.vector() * scale, draw.next().abs());
            let kind = draw.below(3);
            seen[usize::try_from(kind).unwrap()] += 1;
            let shape = match kind {
                0 => Shape::capsule(a, b, size * scale).unwrap(),
                1 => Shape::cuboid(a.abs()).unwrap(),
                _ => draw.round(scale),
            };
            let Some(simple) = Simple::of(&shape) else { continue };
            let leaf = Leaf::whole(simple, &draw.pose(Vec3::ONE));
            assert_eq!(leaf.own_bounds(), shape.aabb(&Pose::IDENTITY), "seed {seed}: {shape:?}");
        }
        assert!(seen.iter().all(|&count| count > 500), "{seen:?}");
    }

    #[test]
    fn a_half_space_looks_at_few_triangles_of_a_surface() {
        const SIDE: usize = 65;
        let height = |k: usize| if k == 40 * SIDE + 20 { -3.0 } else { 0.0 };
        let heights: Vec<f32> = (0..SIDE * SIDE).map(height).collect();
        let field =
            Shape::from(HeightField::new(65, 65, heights, Vec3::new(64.0, 1.0, 64.0)).unwrap());
        let below = Shape::half_space(Vec3::Y, -2.0).unwrap();
        let (here, mut seen) = (Pose::IDENTITY, 0);
        let _ = for_each_leaf_pair((&field, &here), (&below, &here), 0.5, &mut |_, _, _| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert!((6..=16).contains(&seen), "{seen} near the pit");
        let mut depths = Vec::new();
        nearest_leaves((&below, &here), (&field, &here), f64::INFINITY, &mut |_, _, _| {
            depths.push(());
            -1.0
        });
        assert!(depths.len() < 64, "{} for the deepest", depths.len());
        let mut seen = 0;
        first_leaves(
            (&below, &here),
            Vec3::Y * 4.0,
            (&field, &here),
            &|| false,
            &mut |_, _, _, _| {
                seen += 1;
                0.0
            },
        );
        assert!((6..=16).contains(&seen), "{seen} that overlap at the start");
    }
}
