//! The dynamic tree of boxes, which Box3D's broad phase is made of.

use std::ffi::{c_int, c_void};

use box3d_sys::{
    b3BoxCastInput, b3DynamicTree, b3DynamicTree_BoxCast, b3DynamicTree_Create,
    b3DynamicTree_CreateProxy, b3DynamicTree_Destroy, b3DynamicTree_EnlargeProxy,
    b3DynamicTree_MoveProxy, b3DynamicTree_Query, b3DynamicTree_RayCast, b3DynamicTree_Rebuild,
    b3RayCastInput,
};

use super::{aabb, context, vector};
use crate::{Bounds, Vector};

/// No filter.
const ALL: u64 = u64::MAX;

/// A tree of boxes, which are named by the order in which they were inserted.
#[derive(Debug)]
pub struct Tree {
    tree: b3DynamicTree,
    proxies: Vec<c_int>,
}

impl Tree {
    /// A tree of boxes, each with a number of the caller's, built at once.
    pub fn new(boxes: impl ExactSizeIterator<Item = (u32, Bounds)>) -> Self {
        let capacity = c_int::try_from(boxes.len()).expect("Box3D counts in 32 bits");
        // SAFETY: any capacity is allowed.
        let mut tree = unsafe { b3DynamicTree_Create(capacity.max(16)) };
        let insert = |(number, bounds)| {
            // SAFETY: the tree is valid.
            unsafe {
                b3DynamicTree_CreateProxy(&raw mut tree, aabb(bounds), ALL, u64::from(number))
            }
        };
        let proxies = boxes.map(insert).collect();
        let mut tree = Self { tree, proxies };
        tree.rebuild(true);
        tree
    }

    /// Sorts the boxes anew: all, or those that were enlarged.
    pub fn rebuild(&mut self, all: bool) {
        // SAFETY: the tree is valid.
        unsafe { b3DynamicTree_Rebuild(&raw mut self.tree, all) };
    }

    /// Gives a box new bounds where it is; the nodes above it grow.
    pub fn enlarge(&mut self, place: usize, bounds: Bounds) {
        let proxy = self.proxies[place];
        // SAFETY: the proxy is one of this tree.
        unsafe { b3DynamicTree_EnlargeProxy(&raw mut self.tree, proxy, aabb(bounds)) };
    }

    /// Takes a box out and puts it back with new bounds.
    pub fn reinsert(&mut self, place: usize, bounds: Bounds) {
        let proxy = self.proxies[place];
        // SAFETY: the proxy is one of this tree.
        unsafe { b3DynamicTree_MoveProxy(&raw mut self.tree, proxy, aabb(bounds)) };
    }

    /// The numbers of all boxes that overlap these bounds.
    #[inline]
    pub fn query<F: FnMut(u32)>(&self, bounds: Bounds, mut each: F) {
        unsafe extern "C" fn call<F: FnMut(u32)>(_: c_int, number: u64, each: *mut c_void) -> bool {
            // SAFETY: the query passes on the pointer that it was given below.
            let each = unsafe { &mut *each.cast::<F>() };
            each(number as u32);
            true
        }
        let each = context(&mut each);
        // SAFETY: the tree is valid, and the callback fits what it is called with.
        unsafe {
            b3DynamicTree_Query(&self.tree, aabb(bounds), ALL, false, Some(call::<F>), each);
        }
    }

    /// Numbers of boxes along a ray; `test` gets a number and the part of the way that is left,
    /// and returns which part of the way is left after it.
    #[inline]
    pub fn cast_ray<F: FnMut(u32, f32) -> f32>(&self, origin: Vector, way: Vector, mut test: F) {
        unsafe extern "C" fn call<F: FnMut(u32, f32) -> f32>(
            input: *const b3RayCastInput,
            _: c_int,
            number: u64,
            test: *mut c_void,
        ) -> f32 {
            // SAFETY: the cast passes on the pointer that it was given below.
            let test = unsafe { &mut *test.cast::<F>() };
            // SAFETY: the input is valid during the call.
            test(number as u32, unsafe { (*input).maxFraction })
        }
        let (origin, translation) = (vector(origin), vector(way));
        let input = b3RayCastInput { origin, translation, maxFraction: 1.0 };
        let test = context(&mut test);
        // SAFETY: the tree is valid, and the callback fits what it is called with.
        unsafe {
            b3DynamicTree_RayCast(&self.tree, &input, ALL, false, Some(call::<F>), test);
        }
    }

    /// The same for a box that moves.
    #[inline]
    pub fn cast_box<F: FnMut(u32, f32) -> f32>(&self, bounds: Bounds, way: Vector, mut test: F) {
        unsafe extern "C" fn call<F: FnMut(u32, f32) -> f32>(
            input: *const b3BoxCastInput,
            _: c_int,
            number: u64,
            test: *mut c_void,
        ) -> f32 {
            // SAFETY: the cast passes on the pointer that it was given below.
            let test = unsafe { &mut *test.cast::<F>() };
            // SAFETY: the input is valid during the call.
            test(number as u32, unsafe { (*input).maxFraction })
        }
        let input =
            b3BoxCastInput { box_: aabb(bounds), translation: vector(way), maxFraction: 1.0 };
        let test = context(&mut test);
        // SAFETY: the tree is valid, and the callback fits what it is called with.
        unsafe {
            b3DynamicTree_BoxCast(&self.tree, &input, ALL, false, Some(call::<F>), test);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: the tree is not used again.
        unsafe { b3DynamicTree_Destroy(&raw mut self.tree) };
    }
}
