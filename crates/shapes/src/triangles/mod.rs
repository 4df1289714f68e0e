//! What meshes and height fields have in common: many triangles in a tree of boxes.

mod cast;
mod edge;
mod near;
mod pairs;
mod swept;
#[cfg(test)]
mod tests;
mod tree;
mod walk;

use std::ops::ControlFlow;

pub use edge::EdgeKind;
pub use pairs::{first_pair, for_each_pair_in, nearest_pair};

pub(crate) use cast::{Closest, closest, crossings};
pub(crate) use edge::{Bend, Bends, bend};
pub(crate) use near::{nearest_to, nearest_to_box};
pub(crate) use tree::{Boxes, Few, Node, Tree, WIDTH, triangle_bounds};
pub(crate) use walk::{
    contains_point, extreme, for_each_in, for_each_of_leaf, nearest, side, world_bounds,
};

use glam::{DMat3, DVec3};

use crate::{Aabb, HeightField, Triangle, TriangleMesh};

/// The sides of its triangles that a surface shows to rays. The front is where the corners run
/// counter-clockwise.
///
/// ```
/// use impinge_shapes::{Pose, Ray, RayOptions, Shape, Sides, TriangleMesh};
/// use glam::Vec3;
///
/// let corners = vec![Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0];
/// let up = Ray::new(Vec3::new(1.0, -3.0, 1.0), Vec3::Y)?;
/// let hits = |sides| {
///     let tile = TriangleMesh::new(corners.clone(), vec![[0, 1, 2]])?.with_sides(sides);
///     let tile = Shape::from(tile);
///     let hit = tile.raycast(&Pose::IDENTITY, &up, 9.0, &RayOptions::default());
///     Ok::<_, impinge_shapes::TriangleMeshError>(hit.is_some())
/// };
/// assert_eq!((hits(Sides::Both)?, hits(Sides::Front)?), (true, false)); // from behind
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sides {
    /// Rays hit the triangles from both sides.
    #[default]
    Both,
    /// Rays pass through from behind.
    Front,
}

/// A surface of many triangles: a mesh or a height field.
///
/// For code that works on both; the types have most of it as methods of the same names, which are
/// documented there. Indices are those of [`ShapeRayHit::part`](crate::ShapeRayHit::part).
///
/// ```
/// use impinge_shapes::{HeightField, TriangleSet};
/// use glam::Vec3;
///
/// fn area(surface: &impl TriangleSet) -> f32 {
///     let count = surface.triangle_count() as u32;
///     let corners = (0..count).filter_map(|index| Some(surface.triangle(index)?.vertices()));
///     corners.map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum()
/// }
/// let floor = HeightField::new(2, 3, vec![0.0; 6], Vec3::new(4.0, 1.0, 2.0))?;
/// assert_eq!(area(&floor), 8.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TriangleSet: Tree {
    /// See [`TriangleMesh::bounds`].
    fn bounds(&self) -> &Aabb;

    /// See [`TriangleMesh::sides`].
    fn sides(&self) -> Sides;

    /// See [`HeightField::triangle_count`].
    fn triangle_count(&self) -> usize;

    /// See [`HeightField::triangle`].
    fn triangle(&self, index: u32) -> Option<Triangle>;

    /// See [`TriangleMesh::edge_kind`].
    fn edge_kind(&self, triangle: u32, edge: usize) -> Option<EdgeKind>;

    /// See [`TriangleMesh::edge_kind_from_behind`].
    fn edge_kind_from_behind(&self, triangle: u32, edge: usize) -> Option<EdgeKind>;

    /// See [`TriangleMesh::for_each_in`].
    fn for_each_in(
        &self,
        bounds: &Aabb,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// See [`TriangleMesh::nearest`].
    fn nearest(
        &self,
        limit: f64,
        bound: &mut impl FnMut(&Aabb) -> f64,
        visit: &mut impl FnMut(u32) -> f64,
    );

    /// See [`TriangleMesh::nearest_to`].
    fn nearest_to(
        &self,
        point: DVec3,
        slack: f64,
        limit: f64,
        visit: &mut impl FnMut(u32, Triangle) -> f64,
    );

    /// See [`TriangleMesh::nearest_to_box`].
    fn nearest_to_box(
        &self,
        place: (DVec3, &DMat3, DVec3),
        slack: f64,
        limit: f64,
        visit: &mut impl FnMut(u32, Triangle) -> f64,
    );

    /// Visits the triangles whose bounds a box may touch that goes along a way, before the part of
    /// it that `visit` answers with, at first `limit`; a larger part changes nothing.
    ///
    /// Of what `passes` says yes to, nothing is visited: it is asked for boxes of several triangles,
    /// too, and its answers may change as the search goes on.
    ///
    /// - Frame: the box and the way are in the frame of the surface.
    /// - Ties: what is touched first mostly comes first; beyond that the order is always the same
    ///   but means nothing. What is touched at the limit is visited, too, and so may be what is
    ///   missed or met later by a millionth of the sizes.
    /// - Degenerate: a way of zeros visits what the box touches where it is.
    ///
    /// ```
    /// use impinge_shapes::{Aabb, HeightField, TriangleSet};
    /// use glam::{DVec3, Vec3};
    ///
    /// let heights = vec![0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0, 3.0];
    /// let slope = HeightField::new(2, 4, heights, Vec3::new(6.0, 1.0, 2.0))?;
    /// let mover = Aabb::new(Vec3::new(-4.0, 1.5, -0.5), Vec3::new(-3.5, 2.0, 0.5)).expect("a box");
    /// let mut first = None;
    /// slope.first_met(&mover, DVec3::X * 9.0, 1.0, &mut |_| false, &mut |triangle, _| {
    ///     first.get_or_insert(triangle);
    ///     0.0
    /// });
    /// assert!(matches!(first, Some(4 | 5))); // in the last of three cells
    /// # Ok::<(), impinge_shapes::HeightFieldError>(())
    /// ```
    fn first_met(
        &self,
        mover: &Aabb,
        way: DVec3,
        limit: f64,
        passes: &mut impl FnMut(&Aabb) -> bool,
        visit: &mut impl FnMut(u32, Triangle) -> f64,
    ) where
        Self: Sized,
    {
        swept::first_met(self, mover, way, limit, passes, visit);
    }
}

/// The methods of the trait are those of the type.
macro_rules! triangle_set {
    ($type:ty) => {
        impl TriangleSet for $type {
            fn bounds(&self) -> &Aabb {
                self.bounds()
            }

            fn sides(&self) -> Sides {
                self.sides()
            }

            fn triangle_count(&self) -> usize {
                self.triangle_count()
            }

            fn triangle(&self, index: u32) -> Option<Triangle> {
                self.triangle(index)
            }

            fn edge_kind(&self, triangle: u32, edge: usize) -> Option<EdgeKind> {
                self.edge_kind(triangle, edge)
            }

            fn edge_kind_from_behind(&self, triangle: u32, edge: usize) -> Option<EdgeKind> {
                self.edge_kind_from_behind(triangle, edge)
            }

            fn for_each_in(
                &self,
                bounds: &Aabb,
                visit: &mut impl FnMut(u32) -> ControlFlow<()>,
            ) -> ControlFlow<()> {
                self.for_each_in(bounds, visit)
            }

            fn nearest(
                &self,
                limit: f64,
                bound: &mut impl FnMut(&Aabb) -> f64,
                visit: &mut impl FnMut(u32) -> f64,
            ) {
                self.nearest(limit, bound, visit);
            }

            fn nearest_to(
                &self,
                point: DVec3,
                slack: f64,
                limit: f64,
                visit: &mut impl FnMut(u32, Triangle) -> f64,
            ) {
                self.nearest_to(point, slack, limit, visit);
            }

            fn nearest_to_box(
                &self,
                place: (DVec3, &DMat3, DVec3),
                slack: f64,
                limit: f64,
                visit: &mut impl FnMut(u32, Triangle) -> f64,
            ) {
                self.nearest_to_box(place, slack, limit, visit);
            }
        }
    };
}

triangle_set!(TriangleMesh);
triangle_set!(HeightField);
