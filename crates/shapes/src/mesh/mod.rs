//! Many triangles that share vertices.

mod build;
mod edges;
mod fan;
mod mass;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::ControlFlow;

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use self::build::{Link, MeshTree};
use self::edges::Edges;
use crate::crossing::Limits;
use crate::pose::first_not_finite;
use crate::triangles::{self, Bends, Node, Tree};
use crate::{
    Aabb, EdgeKind, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions,
    ShapeRayHit, Sides, Triangle,
};

/// A surface of triangles in the shape's frame: the points of the triangles themselves, not what
/// they enclose.
///
/// The front of a triangle is where its vertices run counter-clockwise. Triangles without area are
/// the segments and points that they are. Vertices that no triangle names are not part of the
/// shape.
///
/// ```
/// use impinge_shapes::{Pose, Ray, RayCrossings, RayOptions, TriangleMesh};
/// use glam::Vec3;
///
/// let vertices = vec![Vec3::ZERO, Vec3::Z * 4.0, Vec3::X * 4.0, Vec3::new(4.0, 0.0, 4.0)];
/// let square = TriangleMesh::new(vertices, vec![[0, 1, 2], [2, 1, 3]])?;
/// let down = Ray::new(Vec3::new(3.0, 1.0, 3.0), Vec3::NEG_Y).unwrap();
/// let hit = square.raycast(&Pose::IDENTITY, &down, 9.0, &RayOptions::default()).unwrap();
/// assert_eq!((hit.distance, hit.part), (1.0, 1));
/// # Ok::<(), impinge_shapes::TriangleMeshError>(())
/// ```
#[derive(Clone)]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    sides: Sides,
    tree: MeshTree,
    edges: Edges,
}

/// Why a [`TriangleMesh`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TriangleMeshError {
    /// There are no triangles.
    #[error("triangles: must not be empty")]
    Empty,
    /// There are more triangles than a `u32` counts.
    #[error("triangles: must be fewer than 2^32, got {0}")]
    TooManyTriangles(usize),
    /// There are more vertices than a `u32` names.
    #[error("vertices: must be at most 2^32, got {0}")]
    TooManyVertices(usize),
    /// A component of a vertex is NaN or infinite.
    #[error("vertices[{index}]: must be finite, got {value}")]
    VertexNotFinite {
        /// The vertex.
        index: usize,
        /// Its first component that is not finite.
        value: f32,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangles[{triangle}]: must name vertices below {count}, got {vertex}")]
    NoSuchVertex {
        /// The triangle.
        triangle: usize,
        /// The number that it names.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
}

impl TriangleMesh {
    /// A two-sided mesh of triangles that name their vertices by index.
    ///
    /// - Cost: about a second for a million triangles.
    ///
    /// # Errors
    /// A vertex that is not finite, a triangle that names no vertex, no triangles, or more than a
    /// `u32` counts.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, TriangleMeshError> {
        let count = match u32::try_from(triangles.len()) {
            Ok(0) => return Err(TriangleMeshError::Empty),
            Ok(count) => count,
            Err(_) => return Err(TriangleMeshError::TooManyTriangles(triangles.len())),
        };
        if vertices.len().checked_sub(1).is_some_and(|last| u32::try_from(last).is_err()) {
            return Err(TriangleMeshError::TooManyVertices(vertices.len()));
        }
        for (index, vertex) in vertices.iter().enumerate() {
            if let Some(value) = first_not_finite(&vertex.to_array()) {
                return Err(TriangleMeshError::VertexNotFinite { index, value });
            }
        }
        for (triangle, named) in triangles.iter().enumerate() {
            if let Some(&vertex) = named.iter().find(|&&vertex| vertex as usize >= vertices.len()) {
                let count = vertices.len();
                return Err(TriangleMeshError::NoSuchVertex { triangle, vertex, count });
            }
        }
        let corners = |index: u32| triangles[index as usize].map(|v| vertices[v as usize]);
        let tree = build::build(count, corners);
        let edges = Edges::new(&vertices, &triangles);
        Ok(Self { vertices, triangles, sides: Sides::Both, tree, edges })
    }

    /// The same mesh showing these sides to rays.
    #[must_use]
    pub fn with_sides(self, sides: Sides) -> Self {
        Self { sides, ..self }
    }

    /// The sides of the triangles that rays hit.
    #[must_use]
    #[inline]
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// The vertices as they were given.
    #[must_use]
    #[inline]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The triangles as they were given: three indices of vertices each.
    #[must_use]
    #[inline]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Number of triangles.
    #[must_use]
    #[inline]
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The triangle of that index, `None` beyond the last.
    #[must_use]
    #[inline]
    pub fn triangle(&self, index: u32) -> Option<Triangle> {
        let named = self.triangles.get(index as usize)?;
        Some(Triangle::from_finite(named.map(|vertex| self.vertices[vertex as usize])))
    }

    /// Bounds in the shape's own frame. Exact.
    #[must_use]
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.tree.bounds
    }

    /// Whether the mesh is closed and consistently oriented: every edge is run along as often in
    /// one direction as in the other. Vertices at one position are the same.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.edges.closed()
    }

    /// What an edge of a triangle is for contacts on the front side; `edge` 0, 1 or 2 begins at
    /// that corner of the triangle. `None` for a triangle or edge that does not exist.
    ///
    /// Triangles are neighbours if an edge of each runs between the same two positions. Whether
    /// one bends away is decided exactly, by the side of the one's plane on which the other's
    /// third corner lies.
    ///
    /// - Degenerate: neighbours without area count as [`EdgeKind::Flat`], and so do the edges of a
    ///   triangle without area that has neighbours. An edge of no length is a boundary.
    ///
    /// ```
    /// use impinge_shapes::{EdgeKind, TriangleMesh};
    /// use glam::Vec3;
    ///
    /// // A roof with its ridge along Z.
    /// let (eaves, ridge) = (Vec3::new(1.0, 0.0, 0.0), Vec3::Y);
    /// let vertices = vec![-eaves, ridge, ridge + Vec3::Z, eaves];
    /// let roof = TriangleMesh::new(vertices, vec![[0, 2, 1], [1, 2, 3]])?;
    /// assert_eq!(roof.edge_kind(0, 1), Some(EdgeKind::Convex));
    /// assert_eq!(roof.edge_kind_from_behind(0, 1), Some(EdgeKind::Concave));
    /// assert_eq!(roof.edge_kind(0, 0), Some(EdgeKind::Boundary));
    /// # Ok::<(), impinge_shapes::TriangleMeshError>(())
    /// ```
    #[must_use]
    pub fn edge_kind(&self, triangle: u32, edge: usize) -> Option<EdgeKind> {
        Some(self.bends(triangle, edge)?.kind(false))
    }

    /// What an edge of a triangle is for contacts on the back side, as
    /// [`TriangleMesh::edge_kind`].
    #[must_use]
    pub fn edge_kind_from_behind(&self, triangle: u32, edge: usize) -> Option<EdgeKind> {
        Some(self.bends(triangle, edge)?.kind(true))
    }

    fn bends(&self, triangle: u32, edge: usize) -> Option<Bends> {
        self.edges.get(triangle, edge)
    }

    /// Visits every triangle whose bounds touch `bounds`, until told to stop. Exact.
    ///
    /// - Frame: the shape's own.
    /// - Ties: the order is always the same but means nothing; sort where it matters.
    pub fn for_each_in(
        &self,
        bounds: &Aabb,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        triangles::for_each_in(self, bounds, &mut |index, _| visit(index))
    }

    /// Branch and bound over the triangles: what is nearest to something, what is met first.
    ///
    /// `bound` gives a number that the cost of no triangle within a box is below, such as the
    /// distance of the box; `visit` is called with triangles that may cost no more than `limit`
    /// and answers with the new limit, usually their cost, where that is smaller; a larger answer
    /// changes nothing. Triangles that cost exactly as much as the limit are visited too, so that
    /// ties can be decided. A bound of NaN excludes nothing.
    ///
    /// - Frame: the shape's own.
    /// - Ties: the boxes with the smaller bound come first; beyond that the order is always the
    ///   same but means nothing.
    ///
    /// ```
    /// use impinge_shapes::TriangleMesh;
    /// use glam::Vec3;
    ///
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 8.0, Vec3::X * 9.0];
    /// let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [3, 4, 4]])?;
    /// // The triangle with the corner nearest to a point.
    /// let point = Vec3::X * 5.0;
    /// let mut best = (f64::INFINITY, 0);
    /// mesh.nearest(
    ///     f64::INFINITY,
    ///     &mut |bounds| f64::from(point.distance(point.clamp(bounds.min(), bounds.max()))),
    ///     &mut |index| {
    ///         let corners = mesh.triangle(index).unwrap().vertices();
    ///         let nearest = corners.map(|corner| point.distance(corner)).into_iter();
    ///         let distance = f64::from(nearest.fold(f32::INFINITY, f32::min));
    ///         if (distance, index) < best {
    ///             best = (distance, index);
    ///         }
    ///         best.0
    ///     },
    /// );
    /// assert_eq!(best, (3.0, 1));
    /// # Ok::<(), impinge_shapes::TriangleMeshError>(())
    /// ```
    pub fn nearest(
        &self,
        limit: f64,
        bound: &mut impl FnMut(&Aabb) -> f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) {
        triangles::nearest(self, limit, bound, &mut |index, _| visit(index));
    }

    /// Branch and bound over the triangles by their distance from a point.
    ///
    /// As [`TriangleMesh::nearest`] with the distance for the cost, but faster: whole triangles are
    /// left out by a rounded distance, and only those that may be nearer are visited. No triangle
    /// is left out that is no farther than the limit and `slack`, in which the caller has what
    /// rounding may have moved the point and what the answers of `visit` may be off.
    ///
    /// - Frame: the shape's own.
    /// - Ties: as with [`TriangleMesh::nearest`].
    /// - Degenerate: a limit below zero counts as zero, but negative infinity as the end of the
    ///   search.
    ///
    /// ```
    /// use impinge_shapes::TriangleMesh;
    /// use glam::{DVec3, Vec3};
    ///
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 8.0, Vec3::X * 9.0];
    /// let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [3, 4, 4]])?;
    /// let (point, mut near) = (DVec3::X * 5.0, Vec::new());
    /// mesh.nearest_to(point, 0.0, f64::INFINITY, &mut |index, triangle| {
    ///     near.push(index);
    ///     let corners = triangle.vertices().into_iter();
    ///     corners.fold(f64::INFINITY, |least, v| least.min(v.as_dvec3().distance(point)))
    /// });
    /// assert!(near.contains(&1));
    /// # Ok::<(), impinge_shapes::TriangleMeshError>(())
    /// ```
    pub fn nearest_to(
        &self,
        point: DVec3,
        slack: f64,
        limit: f64,
        visit: &mut impl FnMut(u32, Triangle) -> f64,
    ) {
        triangles::nearest_to(self, point, slack, limit, visit);
    }

    /// As [`TriangleMesh::nearest_to`], by the distance from a box given by its centre, the rotation
    /// from its axes to the shape's own, and its half extents.
    ///
    /// ```
    /// use impinge_shapes::TriangleMesh;
    /// use glam::{DMat3, DVec3, Vec3};
    ///
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 8.0, Vec3::X * 9.0];
    /// let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [3, 4, 4]])?;
    /// let place = (DVec3::X * 8.5, &DMat3::IDENTITY, DVec3::splat(0.25));
    /// let mut near = Vec::new();
    /// mesh.nearest_to_box(place, 0.0, 1.0, &mut |index, _| {
    ///     near.push(index);
    ///     1.0
    /// });
    /// assert_eq!(near, [1]);
    /// # Ok::<(), impinge_shapes::TriangleMeshError>(())
    /// ```
    pub fn nearest_to_box(
        &self,
        place: (DVec3, &DMat3, DVec3),
        slack: f64,
        limit: f64,
        visit: &mut impl FnMut(u32, Triangle) -> f64,
    ) {
        triangles::nearest_to_box(self, place, slack, limit, visit);
    }

    /// See [`Shape::aabb`](crate::Shape::aabb).
    #[must_use]
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        triangles::world_bounds(self, pose)
    }

    /// See [`Shape::support`](crate::Shape::support): of the convex hull of the triangles.
    ///
    /// - Ties: one of the vertices, always the same.
    #[must_use]
    pub fn support(&self, direction: DVec3) -> DVec3 {
        triangles::extreme(self, direction).1.as_dvec3()
    }

    /// See [`Shape::raycast`](crate::Shape::raycast): the closest of the triangles' hits;
    /// [`ShapeRayHit::part`] is the triangle.
    ///
    /// - Ties: the triangle with the smaller index among equal distances in f32.
    /// - Degenerate: a start inside concerns the triangles on which the origin lies; the others
    ///   are met as usual. See [`Triangle::raycast`].
    #[must_use]
    pub fn raycast(
        &self,
        pose: &Pose,
        ray: &Ray,
        max_distance: f32,
        options: &RayOptions,
    ) -> Option<ShapeRayHit> {
        let cull_back_faces = options.cull_back_faces || self.sides == Sides::Front;
        let limits = Limits::new(max_distance, &RayOptions { cull_back_faces, ..*options })?;
        triangles::closest(self, pose, ray, limits)
    }

    /// See [`Shape::crossings`](crate::Shape::crossings): those of all triangles, each entered and
    /// left by itself, from both sides.
    ///
    /// - Ties: the triangle with the smaller index, and of one triangle the entry, among equal
    ///   distances in f32.
    #[must_use]
    pub fn crossings(&self, pose: &Pose, ray: &Ray, max_distance: f32) -> RayCrossings {
        triangles::crossings(self, pose, ray, max_distance)
    }

    /// See [`Shape::contains_point`](crate::Shape::contains_point): points on the triangles.
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        triangles::contains_point(self, pose, point)
    }

    /// See [`Shape::classify`](crate::Shape::classify): triangles on both sides are straddling,
    /// even if none touches.
    #[must_use]
    pub fn classify(&self, pose: &Pose, plane: &Plane) -> PlaneSide {
        triangles::side(self, pose, plane)
    }

    /// Mass properties of the enclosed solid; `None` unless the mesh
    /// [is closed](TriangleMesh::is_closed) and encloses a volume.
    ///
    /// - Sign: a mesh that faces inward encloses the same solid.
    /// - Degenerate: where the mesh runs through itself, what it goes around twice counts twice,
    ///   and what it goes around the other way counts negative.
    #[must_use]
    pub fn mass_properties(&self) -> Option<MassProperties> {
        if !self.is_closed() {
            return None;
        }
        let corners =
            self.triangles.iter().map(|named| named.map(|vertex| self.vertices[vertex as usize]));
        mass::of_solid(self.bounds().center().as_dvec3(), corners)
    }
}

impl PartialEq for TriangleMesh {
    /// Whether vertices, triangles and sides are the same; the rest follows from them.
    fn eq(&self, other: &Self) -> bool {
        self.sides == other.sides
            && self.triangles == other.triangles
            && self.vertices == other.vertices
    }
}

impl fmt::Debug for TriangleMesh {
    /// Counts only, because meshes are large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TriangleMesh")
            .field("vertices", &self.vertices.len())
            .field("triangles", &self.triangles.len())
            .field("sides", &self.sides)
            .finish_non_exhaustive()
    }
}

impl Tree for TriangleMesh {
    type Link = Link;

    #[inline]
    fn root(&self) -> Link {
        self.tree.root
    }

    #[inline]
    fn root_bounds(&self) -> &Aabb {
        &self.tree.bounds
    }

    #[inline]
    fn is_leaf(&self, link: Link) -> bool {
        link.count != Link::NODE
    }

    #[inline]
    fn open<'a>(
        &'a self,
        link: Link,
        _scratch: &'a mut Option<Node<Link>>,
    ) -> Option<&'a Node<Link>> {
        if link.count == Link::NODE { self.tree.nodes.get(link.first as usize) } else { None }
    }

    #[inline]
    fn leaf(
        &self,
        link: Link,
        visit: &mut impl FnMut(u32, &[Vec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let first = link.first as usize;
        let placed = self.tree.triangles.get(first..first + link.count as usize);
        placed
            .unwrap_or_default()
            .iter()
            .try_for_each(|placed| visit(placed.index, &placed.corners))
    }
}
