//! The world, its queries and its step.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::slice;

use box3d_sys::{
    b3Body_GetContactCapacity, b3Body_GetContactData, b3Body_SetTransform, b3Body_SetType,
    b3BodyId, b3BodyType, b3BodyType_b3_dynamicBody, b3BodyType_b3_staticBody, b3ContactData,
    b3CreateBody, b3CreateHullShape, b3CreateWorld, b3DefaultBodyDef, b3DefaultQueryFilter,
    b3DefaultShapeDef, b3DefaultWorldDef, b3DestroyWorld, b3Manifold, b3Pos, b3QueryFilter,
    b3ShapeId, b3Vec3, b3World_CastRay, b3World_CastShape, b3World_IsValid, b3World_OverlapShape,
    b3World_RebuildStaticTree, b3World_Step, b3WorldId,
};

use super::{Cloud, Hull, context, quaternion, vector};
use crate::{Pose, Vector};

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Not at all; it makes no contacts with its like.
    Static,
    /// It makes contacts with all.
    Dynamic,
}

impl Motion {
    fn kind(self) -> b3BodyType {
        match self {
            Self::Static => b3BodyType_b3_staticBody,
            Self::Dynamic => b3BodyType_b3_dynamicBody,
        }
    }
}

/// A body, by its place in the order of insertion.
pub type Body = u32;

/// A world of bodies of one hull each, without gravity and without sleep.
#[derive(Debug)]
pub struct World {
    world: b3WorldId,
    bodies: Vec<b3BodyId>,
    filter: b3QueryFilter,
    /// Worlds share a table, which is not for many threads.
    one_thread: PhantomData<*const ()>,
}

/// Shapes get their numbers in the order of insertion, beginning with 1.
fn body(shape: b3ShapeId) -> Body {
    shape.index1 as u32 - 1
}

/// Called with each shape that a cast hits; returns which part of the way is left.
unsafe extern "C" fn first_hit(
    shape: b3ShapeId,
    _: b3Pos,
    _: b3Vec3,
    fraction: f32,
    _: u64,
    _: c_int,
    _: c_int,
    first: *mut c_void,
) -> f32 {
    // SAFETY: the casts below pass this on.
    let first = unsafe { &mut *first.cast::<Option<(Body, f32)>>() };
    *first = Some((body(shape), fraction));
    fraction
}

/// Called with the first shape that a cast happens to hit; ends the cast.
unsafe extern "C" fn any_hit(
    _: b3ShapeId,
    _: b3Pos,
    _: b3Vec3,
    _: f32,
    _: u64,
    _: c_int,
    _: c_int,
    met: *mut c_void,
) -> f32 {
    // SAFETY: the cast below passes this on.
    unsafe { *met.cast::<bool>() = true };
    0.0
}

impl World {
    /// An empty world that steps with that many threads.
    pub fn new(threads: usize) -> Self {
        // SAFETY: it only returns constants.
        let mut definition = unsafe { b3DefaultWorldDef() };
        definition.gravity = vector([0.0; 3]);
        definition.enableSleep = false;
        definition.workerCount = threads as u32;
        // SAFETY: the definition is valid.
        let world = unsafe { b3CreateWorld(&definition) };
        // SAFETY: any number may be asked for.
        assert!(unsafe { b3World_IsValid(world) }, "Box3D has room for one more world");
        // SAFETY: it only returns constants.
        let filter = unsafe { b3DefaultQueryFilter() };
        Self { world, bodies: Vec::new(), filter, one_thread: PhantomData }
    }

    /// Inserts a body.
    pub fn insert(&mut self, hull: Hull<'_>, pose: &Pose, motion: Motion) -> Body {
        // SAFETY: it only returns constants.
        let mut definition = unsafe { b3DefaultBodyDef() };
        definition.type_ = motion.kind();
        definition.position = vector(pose.position);
        definition.rotation = quaternion(pose.rotation);
        // SAFETY: world and definition are valid.
        let id = unsafe { b3CreateBody(self.world, &definition) };
        // SAFETY: it only returns constants.
        let definition = unsafe { b3DefaultShapeDef() };
        // SAFETY: body, definition and hull are valid; the hull is copied.
        let shape = unsafe { b3CreateHullShape(id, &definition, hull.data()) };
        let place = self.bodies.len() as Body;
        assert_eq!(body(shape), place, "shapes are numbered in the order of insertion");
        self.bodies.push(id);
        place
    }

    /// Builds the tree of static bodies anew, all at once.
    pub fn rebuild_static_tree(&mut self) {
        // SAFETY: the world is valid.
        unsafe { b3World_RebuildStaticTree(self.world) };
    }

    /// Changes how a body moves.
    pub fn set_motion(&mut self, body: Body, motion: Motion) {
        // SAFETY: the body is one of this world.
        unsafe { b3Body_SetType(self.bodies[body as usize], motion.kind()) };
    }

    /// Puts a body elsewhere.
    #[inline]
    pub fn set_pose(&mut self, body: Body, pose: &Pose) {
        let (position, rotation) = (vector(pose.position), quaternion(pose.rotation));
        // SAFETY: the body is one of this world.
        unsafe { b3Body_SetTransform(self.bodies[body as usize], position, rotation) };
    }

    /// A step of no time: pairs, contacts and events, but no solver.
    pub fn update(&mut self) {
        // SAFETY: the world is valid.
        unsafe { b3World_Step(self.world, 0.0, 1) };
    }

    /// The first body along a ray and which part of the way leads there.
    #[inline]
    pub fn cast_ray(&self, origin: Vector, way: Vector) -> Option<(Body, f32)> {
        let mut first = None;
        let (origin, way, context) = (vector(origin), vector(way), context(&mut first));
        // SAFETY: the world is valid, and the callback fits what it is called with.
        unsafe {
            b3World_CastRay(self.world, origin, way, self.filter, Some(first_hit), context);
        }
        first
    }

    /// Whether a ray meets a body.
    #[inline]
    pub fn meets_ray(&self, origin: Vector, way: Vector) -> bool {
        let mut met = false;
        let (origin, way, context) = (vector(origin), vector(way), context(&mut met));
        // SAFETY: the world is valid, and the callback fits what it is called with.
        unsafe { b3World_CastRay(self.world, origin, way, self.filter, Some(any_hit), context) };
        met
    }

    /// The first body that a cloud around `origin` touches and which part of the way leads there.
    #[inline]
    pub fn cast(&self, origin: Vector, cloud: Cloud<'_>, way: Vector) -> Option<(Body, f32)> {
        let mut first = None;
        let (origin, proxy, way) = (vector(origin), cloud.proxy(), vector(way));
        let (filter, first_hit, context) = (self.filter, Some(first_hit as _), context(&mut first));
        // SAFETY: the world is valid, and the callback fits what it is called with.
        unsafe {
            b3World_CastShape(self.world, origin, &proxy, way, filter, first_hit, context);
        }
        first
    }

    /// All bodies that a cloud around `origin` overlaps.
    #[inline]
    pub fn overlap<F: FnMut(Body)>(&self, origin: Vector, cloud: Cloud<'_>, mut each: F) {
        unsafe extern "C" fn call<F: FnMut(Body)>(shape: b3ShapeId, each: *mut c_void) -> bool {
            // SAFETY: the query passes on the pointer that it was given below.
            let each = unsafe { &mut *each.cast::<F>() };
            each(body(shape));
            true
        }
        let (origin, proxy, each) = (vector(origin), cloud.proxy(), context(&mut each));
        // SAFETY: the world is valid, and the callback fits what it is called with.
        unsafe {
            b3World_OverlapShape(self.world, origin, &proxy, self.filter, Some(call::<F>), each);
        }
    }

    /// All pairs of bodies with a contact point that is no more than touching deep, smaller first.
    pub fn touching(&self) -> Vec<(Body, Body)> {
        let mut pairs = Vec::new();
        let mut contacts: Vec<b3ContactData> = Vec::new();
        for &id in &self.bodies {
            // SAFETY: the body is one of this world.
            let capacity = unsafe { b3Body_GetContactCapacity(id) };
            contacts.resize_with(capacity as usize, Default::default);
            // SAFETY: there is room for that many contacts.
            let count = unsafe { b3Body_GetContactData(id, contacts.as_mut_ptr(), capacity) };
            let touching = contacts[..count as usize].iter().filter(|contact| touches(contact));
            pairs.extend(touching.map(|contact| {
                let (a, b) = (body(contact.shapeIdA), body(contact.shapeIdB));
                (a.min(b), a.max(b))
            }));
        }
        // Each was told by both its bodies.
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// Whether a contact has a point without a gap: Box3D also keeps points of shapes a little apart.
fn touches(contact: &b3ContactData) -> bool {
    if contact.manifoldCount == 0 {
        return false;
    }
    let count = contact.manifoldCount as usize;
    // SAFETY: the contact was just got from the world, which nobody has changed since.
    let manifolds: &[b3Manifold] = unsafe { slice::from_raw_parts(contact.manifolds, count) };
    let points = |manifold: &b3Manifold| manifold.points[..manifold.pointCount as usize].to_vec();
    manifolds.iter().flat_map(points).any(|point| point.separation <= 0.0)
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: the world is not used again.
        unsafe { b3DestroyWorld(self.world) };
    }
}
