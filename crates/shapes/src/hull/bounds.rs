//! A hull as the common part of half-spaces, and where points lie in them.

use std::cell::OnceCell;
use std::cmp::Ordering;

use glam::Vec3;

use super::ConvexHull;
use crate::Pose;
use crate::exact::Exact;
use crate::filter::{Approx, Number, Rotation, Vector};
use crate::tolerance;
use crate::tracked::Tracked;

/// A number in which the outward normal of a face can be had, of any length.
pub(super) trait FaceNormal: Number {
    fn face_normal(hull: &ConvexHull, face: usize) -> Vector<Self>;
}

impl FaceNormal for Approx {
    #[inline]
    fn face_normal(hull: &ConvexHull, face: usize) -> Vector<Self> {
        // A component that is zero is exactly so; the others are as if 32 roundings had passed.
        let magnitude =
            |x: f64| if x.abs() <= 0.0 { 0.0 } else { tolerance::HULL_NORMAL_MAGNITUDE };
        Vector(hull.normals[face].to_array().map(|x| Self::rounded(x, magnitude(x))))
    }
}

impl FaceNormal for Tracked {
    fn face_normal(hull: &ConvexHull, face: usize) -> Vector<Self> {
        hull.upright(face)
    }
}

impl FaceNormal for Exact {
    fn face_normal(hull: &ConvexHull, face: usize) -> Vector<Self> {
        hull.upright(face)
    }
}

/// The half-space `normal · (x - anchor) ≤ 0`.
#[derive(Clone, Debug)]
pub(super) struct Bound<N> {
    pub(super) normal: Vector<N>,
    pub(super) anchor: Vec3,
}

impl ConvexHull {
    /// A corner of a face, counted around it.
    #[inline]
    fn corner(&self, face: usize, place: usize) -> Vec3 {
        self.vertices[self.faces.vertices[self.faces.starts[face] as usize + place] as usize]
    }

    /// Normal of a face by three of its corners.
    fn upright<N: Number>(&self, face: usize) -> Vector<N> {
        let corner = |k: usize| self.corner(face, k);
        Vector::between(corner(0), corner(1)).cross(&Vector::between(corner(0), corner(2)))
    }

    /// Number of half-spaces of which the hull is the common part: the faces first, then the
    /// sides of a polygon; three pairs for a segment, its ends last, and for a point.
    #[inline]
    pub(super) fn bound_count(&self) -> usize {
        match self.dimension {
            3 => self.face_count(),
            2 => self.face_count() + self.edges.len(),
            _ => 6,
        }
    }

    #[inline]
    pub(super) fn bound<N: FaceNormal>(&self, index: usize) -> Bound<N> {
        if index < self.face_count() {
            let normal = N::face_normal(self, index);
            return Bound { normal, anchor: self.corner(index, 0) };
        }
        if self.dimension == 2 { self.side(index - self.face_count()) } else { self.axis(index) }
    }

    /// Side `k` of a polygon: the normal lies in its plane.
    fn side<N: FaceNormal>(&self, k: usize) -> Bound<N> {
        let next = if k + 1 < self.edges.len() { k + 1 } else { 0 };
        let (from, to) = (self.corner(0, k), self.corner(0, next));
        let normal = Vector::between(from, to).cross(&N::face_normal(self, 0));
        Bound { normal, anchor: from }
    }

    /// Two half-spaces for each of three axes: of the world for a point; for a segment two across
    /// it, then its own.
    fn axis<N: Number>(&self, index: usize) -> Bound<N> {
        let (Some(&first), Some(&last)) = (self.vertices.first(), self.vertices.last()) else {
            return Bound { normal: Vector([N::ZERO, N::ZERO, N::ZERO]), anchor: Vec3::ZERO };
        };
        let up = index.is_multiple_of(2);
        let axis = if self.dimension == 0 {
            Vector::new(Vec3::AXES[index / 2])
        } else {
            let along = Vector::<N>::between(first, last);
            let across = along.cross(&Vector::new(self.least_axis()));
            match index / 2 {
                0 => across,
                1 => along.cross(&across),
                _ => along,
            }
        };
        let normal = if up { axis } else { Vector(axis.0.each_ref().map(N::negated)) };
        Bound { normal, anchor: if up { last } else { first } }
    }

    /// The axis along which a segment extends least, which is never its own.
    fn least_axis(&self) -> Vec3 {
        let size = self.max.as_dvec3() - self.min.as_dvec3();
        if size.x <= size.y && size.x <= size.z {
            Vec3::X
        } else if size.y <= size.z {
            Vec3::Y
        } else {
            Vec3::Z
        }
    }
}

/// A place in the world as the hull sees it, `norm` times as far from its frame's origin.
#[derive(Clone, Debug)]
pub(super) struct Local<N> {
    pub(super) rotation: Rotation<N>,
    pub(super) place: Vector<N>,
}

impl<N: Number> Local<N> {
    #[inline]
    pub(super) fn new(pose: &Pose, point: Vec3) -> Self {
        let rotation = Rotation::new(pose.rotation());
        let place = rotation.unrotate(&Vector::between(pose.position(), point));
        Self { rotation, place }
    }

    /// How far the place lies beyond the bound, in the units of its normal.
    #[inline]
    pub(super) fn beyond(&self, bound: &Bound<N>) -> N {
        let anchor = Vector::new(bound.anchor).scaled(&self.rotation.norm);
        bound.normal.dot(&self.place.minus(&anchor))
    }
}

impl ConvexHull {
    /// See [`Shape::contains_point`](crate::Shape::contains_point).
    #[must_use]
    pub fn contains_point(&self, pose: &Pose, point: Vec3) -> bool {
        if !point.is_finite() {
            return false;
        }
        if let Some(holds) = self.clearly_contains(pose, point) {
            return holds;
        }
        let approx = Local::<Approx>::new(pose, point);
        let (tracked, exact) = (OnceCell::new(), OnceCell::new());
        let known = |index: usize| {
            let tracked = tracked.get_or_init(|| Local::<Tracked>::new(pose, point));
            tracked.beyond(&self.bound(index)).known_sign()
        };
        (0..self.bound_count()).all(|index| {
            let sign = approx.beyond(&self.bound(index)).known_sign().or_else(|| known(index));
            let sign = sign.unwrap_or_else(|| {
                let exact = exact.get_or_init(|| Local::<Exact>::new(pose, point));
                exact.beyond(&self.bound(index)).sign()
            });
            sign != Ordering::Greater
        })
    }
}
