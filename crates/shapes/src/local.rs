//! Points and rays in a shape's frame.

use glam::Vec3;

use crate::filter::{Number, Rotation, Vector};
use crate::{Pose, Ray};

/// A world point in a shape's frame, `norm` times as far.
#[derive(Clone, Debug)]
pub(crate) struct LocalPoint<N> {
    pub(crate) from: Vector<N>,
    pub(crate) norm: N,
}

/// A ray in a shape's frame, `norm` times as large.
#[derive(Clone, Debug)]
pub(crate) struct LocalRay<N> {
    pub(crate) start: LocalPoint<N>,
    pub(crate) direction: Vector<N>,
}

impl<N: Number> LocalPoint<N> {
    #[inline]
    pub(crate) fn new(pose: &Pose, rotation: &Rotation<N>, point: Vec3) -> Self {
        let from = rotation.unrotate(&Vector::between(pose.position(), point));
        Self { from, norm: rotation.norm.clone() }
    }

    /// From the point to a place in the shape's frame.
    #[inline]
    pub(crate) fn to(&self, place: Vec3) -> Vector<N> {
        Vector::new(place).scaled(&self.norm).minus(&self.from)
    }

    /// A length of the shape, `norm` times as large.
    #[inline]
    pub(crate) fn length(&self, length: f32) -> N {
        self.norm.times(&N::new(length.into()))
    }
}

impl<N: Number> LocalRay<N> {
    #[inline]
    pub(crate) fn new(pose: &Pose, ray: &Ray) -> Self {
        let rotation = Rotation::new(pose.rotation());
        Self {
            start: LocalPoint::new(pose, &rotation, ray.origin()),
            direction: rotation.unrotate(&Vector::new(ray.direction())),
        }
    }
}
