//! A surface over a grid of heights.

mod cast;
mod cells;
mod pyramid;
mod strip;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::ControlFlow;

use glam::{DMat3, DVec3, Vec3};
use thiserror::Error;

use self::cells::{Cells, HOLE};
use self::pyramid::Pyramid;
use crate::crossing::Limits;
use crate::triangles::{self, Bends, Boxes, Few, Node, Tree, WIDTH, triangle_bounds};
use crate::{
    Aabb, EdgeKind, MassProperties, Plane, PlaneSide, Pose, Ray, RayCrossings, RayOptions,
    ShapeRayHit, Sides, Triangle, round, tolerance,
};

/// A grid of samples of a height, with two triangles in each cell between four samples: the
/// points of the triangles, not what is below.
///
/// The samples are given row by row. Rows follow each other along Z, columns along X, heights are
/// along Y, and the grid is centred on the origin: it covers `scale.x` by `scale.z`. The vertex of
/// the sample at row `r` and column `c` is, computed in f64 in this order and each coordinate
/// rounded once to f32,
/// - x: `(2c - (columns - 1)) · scale.x / (2 (columns - 1))`,
/// - y: `height · scale.y`,
/// - z: `(2r - (rows - 1)) · scale.z / (2 (rows - 1))`.
///
/// The cell at row `r` and column `c` lies between the samples `(r, c)`, `(r, c + 1)`,
/// `(r + 1, c)` and `(r + 1, c + 1)` and has the number `k = r (columns - 1) + c`. Its diagonal
/// runs from `(r, c + 1)` to `(r + 1, c)`. Triangle `2k` has the corners `(r, c)`, `(r + 1, c)`,
/// `(r, c + 1)`, triangle `2k + 1` the corners `(r + 1, c)`, `(r + 1, c + 1)`, `(r, c + 1)`. The
/// front of every triangle looks up, along +Y.
///
/// A sample may be a hole; then the triangles that would use it are missing.
///
/// ```
/// use impinge_shapes::{HeightField, Pose, Ray, RayOptions};
/// use glam::Vec3;
///
/// let slope = HeightField::new(2, 3, vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0], Vec3::splat(4.0))?;
/// let down = Ray::new(Vec3::new(1.0, 9.0, 0.5), Vec3::NEG_Y).unwrap();
/// let hit = slope.raycast(&Pose::IDENTITY, &down, 9.0, &RayOptions::default()).unwrap();
/// assert_eq!((hit.point, hit.part), (Vec3::new(1.0, 6.0, 0.5), 3));
/// # Ok::<(), impinge_shapes::HeightFieldError>(())
/// ```
#[derive(Clone)]
pub struct HeightField {
    cells: Cells,
    pyramid: Pyramid,
    bounds: Aabb,
    scale: Vec3,
    /// Cells to a unit of length along X and along Z.
    density: [f64; 2],
    sides: Sides,
}

/// Why a [`HeightField`] was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum HeightFieldError {
    /// There are fewer than two rows.
    #[error("rows: must be at least 2, got {0}")]
    Rows(usize),
    /// There are fewer than two columns.
    #[error("columns: must be at least 2, got {0}")]
    Columns(usize),
    /// There are more triangles than a `u32` counts.
    #[error("rows and columns: must make at most 2^31 cells, got {rows} by {columns}")]
    TooManyCells {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// The number of heights is not that of the samples.
    #[error("heights: must be {wanted}, rows times columns, got {got}")]
    Count {
        /// Rows times columns.
        wanted: usize,
        /// Number of heights given.
        got: usize,
    },
    /// A height is NaN or infinite.
    #[error("heights[{index}]: must be finite, got {value}")]
    Height {
        /// The sample.
        index: usize,
        /// Its height.
        value: f32,
    },
    /// The scale along X or Z is negative, zero, NaN or infinite.
    #[error("scale[{axis}]: must be finite and positive, got {value}")]
    Scale {
        /// Axis 0 or 2.
        axis: usize,
        /// The scale given.
        value: f32,
    },
    /// The scale of the heights is NaN or infinite.
    #[error("scale[1]: must be finite, got {0}")]
    ScaleOfHeights(f32),
    /// A height times the scale is no f32 number.
    #[error("heights[{index}]: must be finite after scaling, got {value}")]
    ScaledHeight {
        /// The sample.
        index: usize,
        /// Its height.
        value: f32,
    },
    /// Holes leave no triangle.
    #[error("heights: must leave a triangle beside the holes")]
    Empty,
}

impl HeightField {
    /// A two-sided height field without holes.
    ///
    /// # Errors
    /// Fewer than two rows or columns or more than 2^31 cells, a number of heights other than
    /// `rows * columns`, a height that is not finite before or after scaling, a scale that is not
    /// finite, or not positive along X or Z.
    pub fn new(
        rows: usize,
        columns: usize,
        heights: Vec<f32>,
        scale: Vec3,
    ) -> Result<Self, HeightFieldError> {
        Self::of(rows, columns, heights.into_iter().map(Some), scale, scale.y)
    }

    /// A two-sided height field in which `None` is a hole.
    ///
    /// # Errors
    /// As [`HeightField::new`]; also if no triangle is left.
    pub fn with_holes(
        rows: usize,
        columns: usize,
        heights: Vec<Option<f32>>,
        scale: Vec3,
    ) -> Result<Self, HeightFieldError> {
        Self::of(rows, columns, heights.into_iter(), scale, scale.y)
    }

    /// A two-sided height field from heights that were multiplied by `scale.y` before, such as
    /// those of [`HeightField::scaled_heights`]: it comes out the same to the bit.
    ///
    /// # Errors
    /// As [`HeightField::with_holes`].
    pub fn from_scaled_heights(
        rows: usize,
        columns: usize,
        heights: Vec<Option<f32>>,
        scale: Vec3,
    ) -> Result<Self, HeightFieldError> {
        Self::of(rows, columns, heights.into_iter(), scale, 1.0)
    }

    fn of(
        rows: usize,
        columns: usize,
        heights: impl ExactSizeIterator<Item = Option<f32>>,
        scale: Vec3,
        factor: f32,
    ) -> Result<Self, HeightFieldError> {
        if rows < 2 {
            return Err(HeightFieldError::Rows(rows));
        }
        if columns < 2 {
            return Err(HeightFieldError::Columns(columns));
        }
        let cells = (rows - 1).checked_mul(columns - 1).filter(|&cells| cells <= 1 << 31);
        let wanted = cells.and_then(|_| rows.checked_mul(columns));
        let Some(wanted) = wanted else {
            return Err(HeightFieldError::TooManyCells { rows, columns });
        };
        if heights.len() != wanted {
            return Err(HeightFieldError::Count { wanted, got: heights.len() });
        }
        for axis in [0, 2] {
            let value = scale[axis];
            if !(value.is_finite() && value > 0.0) {
                return Err(HeightFieldError::Scale { axis, value });
            }
        }
        if !scale.y.is_finite() {
            return Err(HeightFieldError::ScaleOfHeights(scale.y));
        }
        let scaled = heights.enumerate().map(|(index, height)| scaled(index, height, factor));
        let y = scaled.collect::<Result<Vec<f32>, _>>()?;
        let cells = Cells::new(coordinates(columns, scale.x), coordinates(rows, scale.z), y);
        let bounds = bounds(&cells).ok_or(HeightFieldError::Empty)?;
        let pyramid = Pyramid::new(&cells);
        let density = [(cells.columns(), scale.x), (cells.rows(), scale.z)]
            .map(|(n, x)| n as f64 / f64::from(x));
        Ok(Self { cells, pyramid, bounds, scale, density, sides: Sides::Both })
    }

    /// The same height field showing these sides to rays; the front is above.
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

    /// Rows of samples.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> usize {
        self.cells.rows() + 1
    }

    /// Samples in a row.
    #[must_use]
    #[inline]
    pub fn columns(&self) -> usize {
        self.cells.columns() + 1
    }

    /// Extent along X and Z, and the factor of the heights.
    #[must_use]
    #[inline]
    pub fn scale(&self) -> Vec3 {
        self.scale
    }

    /// The heights of the vertices, row by row; `None` for a hole.
    pub fn scaled_heights(&self) -> impl ExactSizeIterator<Item = Option<f32>> {
        self.cells.heights_of_samples()
    }

    /// The vertex of a sample; `None` for a hole and outside of the grid.
    #[must_use]
    pub fn vertex(&self, row: usize, column: usize) -> Option<Vec3> {
        self.cells.vertex(row, column)
    }

    /// Number of triangles that the grid has room for, two to a cell, missing ones included.
    #[must_use]
    #[inline]
    pub fn triangle_count(&self) -> usize {
        2 * self.cells.rows() * self.cells.columns()
    }

    /// The triangle of that number; `None` for one that is missing and beyond the last.
    #[must_use]
    pub fn triangle(&self, index: u32) -> Option<Triangle> {
        let (row, column, second) = self.place(index);
        Some(Triangle::from_finite(self.cells.triangle(row, column, second)?))
    }

    /// Row and column of a triangle's cell, and whether it is the second there.
    fn place(&self, index: u32) -> (usize, usize, bool) {
        let cell = (index / 2) as usize;
        let columns = self.cells.columns();
        (cell / columns, cell % columns, index % 2 == 1)
    }

    /// Bounds in the shape's own frame. Exact.
    #[must_use]
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// What an edge of a triangle is for contacts from above, as
    /// [`TriangleMesh::edge_kind`](crate::TriangleMesh::edge_kind); `edge` 0, 1 or 2 begins at
    /// that corner of the triangle.
    #[must_use]
    pub fn edge_kind(&self, triangle: u32, edge: usize) -> Option<EdgeKind> {
        Some(self.bends(triangle, edge)?.kind(false))
    }

    /// What an edge of a triangle is for contacts from below.
    #[must_use]
    pub fn edge_kind_from_behind(&self, triangle: u32, edge: usize) -> Option<EdgeKind> {
        Some(self.bends(triangle, edge)?.kind(true))
    }

    fn bends(&self, triangle: u32, edge: usize) -> Option<Bends> {
        let (row, column, second) = self.place(triangle);
        let own = self.cells.triangle(row, column, second)?;
        let before = |x: usize| x.checked_sub(1);
        // The neighbour's cell, and the corner of the neighbour that is not on the edge.
        let (row, column, far) = match (second, edge) {
            (false, 0) => (Some(row), before(column), 0),
            (false, 1) => (Some(row), Some(column), 1),
            (false, 2) => (before(row), Some(column), 2),
            (true, 0) => (Some(row + 1), Some(column), 1),
            (true, 1) => (Some(row), Some(column + 1), 2),
            (true, 2) => (Some(row), Some(column), 0),
            _ => return None,
        };
        let neighbour = row.zip(column).and_then(|(r, c)| self.cells.triangle(r, c, !second));
        let Some(neighbour) = neighbour else { return Some(Bends::default()) };
        let corners = std::array::from_fn(|i| own[(edge + i) % 3]);
        Some(Bends::from(triangles::bend(corners, neighbour[far])))
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
        let mut visit = |index: u32, _: &[Vec3; 3]| visit(index);
        let mut few = Few::new();
        if !self.few_leaves(bounds, &mut few) {
            return triangles::for_each_in(self, bounds, &mut visit);
        }
        for &cell in &few {
            triangles::for_each_of_leaf(self, cell, bounds, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    /// Branch and bound over the triangles, as
    /// [`TriangleMesh::nearest`](crate::TriangleMesh::nearest).
    pub fn nearest(
        &self,
        limit: f64,
        bound: &mut impl FnMut(&Aabb) -> f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) {
        triangles::nearest(self, limit, bound, &mut |index, _| visit(index));
    }

    /// Branch and bound by the distance from a point, as
    /// [`TriangleMesh::nearest_to`](crate::TriangleMesh::nearest_to).
    pub fn nearest_to(
        &self,
        point: DVec3,
        slack: f64,
        limit: f64,
        visit: &mut impl FnMut(u32, Triangle) -> f64,
    ) {
        triangles::nearest_to(self, point, slack, limit, visit);
    }

    /// Branch and bound by the distance from a box, as
    /// [`TriangleMesh::nearest_to_box`](crate::TriangleMesh::nearest_to_box).
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
        cast::closest(self, pose, ray, limits)
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

    /// None: a height field encloses nothing.
    #[must_use]
    pub fn mass_properties(&self) -> Option<MassProperties> {
        None
    }
}

/// Coordinates of `count` samples along an axis, as the type's documentation says.
fn coordinates(count: usize, scale: f32) -> Vec<f32> {
    let (last, scale) = ((count - 1) as f64, f64::from(scale));
    let at = |i: usize| round::nearest((2.0 * i as f64 - last) * scale / (2.0 * last));
    (0..count).map(at).collect()
}

/// Height of a vertex, [`HOLE`] for a hole.
fn scaled(index: usize, height: Option<f32>, scale: f32) -> Result<f32, HeightFieldError> {
    let Some(value) = height else { return Ok(HOLE) };
    if !value.is_finite() {
        return Err(HeightFieldError::Height { index, value });
    }
    let y = f64::from(value) * f64::from(scale);
    if y.abs() > f32::MAX.into() {
        return Err(HeightFieldError::ScaledHeight { index, value });
    }
    Ok(round::nearest(y))
}

/// Bounds of the triangles that are there.
fn bounds(cells: &Cells) -> Option<Aabb> {
    let mut bounds: Option<Aabb> = None;
    for row in 0..cells.rows() {
        for column in 0..cells.columns() {
            for second in [false, true] {
                if let Some(corners) = cells.triangle(row, column, second) {
                    let own = triangle_bounds(&corners);
                    bounds = Some(bounds.map_or(own, |bounds| bounds.union(&own)));
                }
            }
        }
    }
    bounds
}

impl PartialEq for HeightField {
    /// Whether vertices, scale and sides are the same; the rest follows from them.
    fn eq(&self, other: &Self) -> bool {
        self.sides == other.sides && self.scale == other.scale && self.cells == other.cells
    }
}

impl fmt::Debug for HeightField {
    /// Without the heights, because there are many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeightField")
            .field("rows", &self.rows())
            .field("columns", &self.columns())
            .field("scale", &self.scale)
            .field("sides", &self.sides)
            .finish_non_exhaustive()
    }
}

/// A square of `2^level` cells on a side, so many squares from the first row and column; level 0
/// is a cell and a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Square {
    level: u32,
    row: u32,
    column: u32,
}

impl Tree for HeightField {
    type Link = Square;

    #[inline]
    fn root(&self) -> Square {
        Square { level: self.pyramid.top(), row: 0, column: 0 }
    }

    #[inline]
    fn root_bounds(&self) -> &Aabb {
        &self.bounds
    }

    #[inline]
    fn is_leaf(&self, square: Square) -> bool {
        square.level == 0
    }

    #[inline]
    fn open<'a>(
        &'a self,
        square: Square,
        scratch: &'a mut Option<Node<Square>>,
    ) -> Option<&'a Node<Square>> {
        let level = square.level.checked_sub(1)?;
        let (row, column) = (2 * square.row, 2 * square.column);
        let places = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let heights = places.map(|(down, along)| {
            self.pyramid.heights(&self.cells, level, row + down, column + along)
        });
        let at = |first: u32, k: usize| (first as usize + k) << level;
        let x = [0, 1, 2].map(|k| self.cells.x(at(column, k)));
        let z = [0, 1, 2].map(|k| self.cells.z(at(row, k)));
        // All lanes of an array at once: written one by one, they would be waited for when read
        // together.
        let there = heights.map(|[low, high]| low <= high);
        let lanes = |all: [f32; WIDTH], none: f32| -> [f32; WIDTH] {
            std::array::from_fn(|lane| if there[lane] { all[lane] } else { none })
        };
        let (least, most) = (f32::INFINITY, f32::NEG_INFINITY);
        let boxes = Boxes {
            min: [
                lanes([x[0], x[1], x[0], x[1]], least),
                lanes(heights.map(|[low, _]| low), least),
                lanes([z[0], z[0], z[1], z[1]], least),
            ],
            max: [
                lanes([x[1], x[2], x[1], x[2]], most),
                lanes(heights.map(|[_, high]| high), most),
                lanes([z[1], z[1], z[2], z[2]], most),
            ],
        };
        let links =
            places.map(|(down, along)| Square { level, row: row + down, column: column + along });
        Some(scratch.insert(Node { boxes, links }))
    }

    #[inline]
    fn leaf_below(&self, point: Vec3) -> Option<Square> {
        if point.is_nan() {
            return None;
        }
        let [(row, _), (column, _)] = cast::cells_around(self, &Aabb::from_sorted(point, point));
        Some(Square { level: 0, row, column })
    }

    #[inline]
    fn few_leaves(&self, bounds: &Aabb, few: &mut Few<Square>) -> bool {
        let [(top, bottom), (left, right)] = cast::cells_around(self, bounds);
        let (rows, columns) = (u64::from(bottom - top) + 1, u64::from(right - left) + 1);
        if rows * columns > tolerance::FEW_LEAVES as u64 {
            return false;
        }
        let (bottom_of, top_of) = (bounds.min().y, bounds.max().y);
        for row in top..=bottom {
            for column in left..=right {
                let [low, high] = self.cells.heights(row as usize, column as usize);
                if low <= top_of && bottom_of <= high {
                    few.push(Square { level: 0, row, column });
                }
            }
        }
        true
    }

    #[inline]
    fn leaf(
        &self,
        square: Square,
        visit: &mut impl FnMut(u32, &[Vec3; 3]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (row, column) = (square.row as usize, square.column as usize);
        let first = 2 * (row * self.cells.columns() + column);
        for (index, second) in [(first, false), (first + 1, true)] {
            if let Some(corners) = self.cells.triangle(row, column, second) {
                // There are at most 2^32 triangles, as the constructor sees to.
                visit(u32::try_from(index).unwrap_or(u32::MAX), &corners)?;
            }
        }
        ControlFlow::Continue(())
    }
}
