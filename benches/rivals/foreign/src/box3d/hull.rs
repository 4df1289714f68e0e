//! Convex hulls.

use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

use box3d_sys::{b3BoxHull, b3CreateHull, b3DestroyHull, b3HullData, b3MakeBoxHull};

use super::Cloud;
use crate::Vector;

/// A borrowed hull of either kind.
#[derive(Clone, Copy, Debug)]
pub struct Hull<'a> {
    data: *const b3HullData,
    owner: PhantomData<&'a b3HullData>,
}

impl<'a> Hull<'a> {
    /// The hull as the library wants it.
    pub(super) fn data(self) -> *const b3HullData {
        self.data
    }

    /// Its corners.
    #[inline]
    pub fn points(self) -> &'a [Vector] {
        // SAFETY: the pointer is that of a hull that lives as long as `'a`.
        let data = unsafe { &*self.data };
        // SAFETY: the points lie that many bytes behind its beginning, in the same allocation.
        let points = unsafe { self.data.byte_add(data.pointOffset as usize) };
        // SAFETY: there are as many as the hull has corners, three numbers each.
        unsafe { slice::from_raw_parts(points.cast(), data.vertexCount as usize) }
    }

    /// Its corners as a cloud.
    #[inline]
    pub fn cloud(self) -> Cloud<'a> {
        Cloud::new(self.points(), 0.0)
    }
}

/// A box, which owns all that belongs to it.
#[derive(Clone, Debug)]
pub struct BoxHull(b3BoxHull);

impl BoxHull {
    /// A box around the origin.
    pub fn new([x, y, z]: Vector) -> Self {
        // SAFETY: any sizes give a box.
        Self(unsafe { b3MakeBoxHull(x, y, z) })
    }

    /// The box as a hull.
    #[inline]
    pub fn hull(&self) -> Hull<'_> {
        // The hull is its first field, and what lies behind it is reached from there.
        Hull { data: ptr::from_ref(&self.0).cast(), owner: PhantomData }
    }
}

/// The hull of some points.
#[derive(Debug)]
pub struct PointHull(NonNull<b3HullData>);

impl PointHull {
    /// A hull; `None` where Box3D makes none: of points that are flat, or have too many corners.
    pub fn new(points: &[Vector]) -> Option<Self> {
        let count = i32::try_from(points.len()).ok()?;
        // SAFETY: there are that many points.
        let hull = unsafe { b3CreateHull(points.as_ptr().cast(), count, count) };
        NonNull::new(hull).map(Self)
    }

    /// The hull.
    #[inline]
    pub fn hull(&self) -> Hull<'_> {
        Hull { data: self.0.as_ptr(), owner: PhantomData }
    }
}

impl Drop for PointHull {
    fn drop(&mut self) {
        // SAFETY: it was made by `b3CreateHull` and is not used again.
        unsafe { b3DestroyHull(self.0.as_ptr()) };
    }
}
