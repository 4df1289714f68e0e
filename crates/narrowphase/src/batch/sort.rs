//! Pairs of any mix, sorted by kind.

use impinge_shapes::Shape;

use super::{AsPair, PairOf};

/// Pairs that are sorted together: few enough for the stack and the first-level cache, enough to
/// fill the lanes of every kind.
pub(super) const RUN: usize = 512;

/// Fewer than these are answered one by one: sorting them and filling lanes takes longer.
pub(super) const FEW: usize = 8;

/// Kinds of pairs with kernels of their own, in the order in which they are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    SphereSphere,
    CuboidSphere,
    CapsuleSphere,
    CapsuleCapsule,
    CapsuleCuboid,
    CuboidCuboid,
    ConeSphere,
    CylinderSphere,
    SphereTriangle,
    HullHull,
    HalfSpaceSphere,
    CapsuleHalfSpace,
    CuboidHalfSpace,
    CylinderHalfSpace,
    ConeHalfSpace,
    TriangleHalfSpace,
    RoundCuboidHalfSpace,
    HullHalfSpace,
    /// Everything else.
    None,
}

impl Lane {
    const COUNT: usize = 19;

    pub(super) fn of(pair: &impl AsPair<Shape, Shape>) -> Self {
        let PairOf { a, b, .. } = pair.as_pair();
        use Shape::{
            Capsule, Cone, ConvexHull, Cuboid, Cylinder, HalfSpace, Rounded, Sphere, Triangle,
        };
        match (a, b) {
            (Sphere(_), Sphere(_)) => Self::SphereSphere,
            (Cuboid(_), Sphere(_)) | (Sphere(_), Cuboid(_)) => Self::CuboidSphere,
            (Capsule(_), Sphere(_)) | (Sphere(_), Capsule(_)) => Self::CapsuleSphere,
            (Capsule(_), Capsule(_)) => Self::CapsuleCapsule,
            (Capsule(_), Cuboid(_)) | (Cuboid(_), Capsule(_)) => Self::CapsuleCuboid,
            (Cuboid(_), Cuboid(_)) => Self::CuboidCuboid,
            (Cone(_), Sphere(_)) | (Sphere(_), Cone(_)) => Self::ConeSphere,
            (Cylinder(_), Sphere(_)) | (Sphere(_), Cylinder(_)) => Self::CylinderSphere,
            (Sphere(_), Triangle(_)) | (Triangle(_), Sphere(_)) => Self::SphereTriangle,
            (ConvexHull(_), ConvexHull(_)) => Self::HullHull,
            (HalfSpace(_), Sphere(_)) | (Sphere(_), HalfSpace(_)) => Self::HalfSpaceSphere,
            (Capsule(_), HalfSpace(_)) | (HalfSpace(_), Capsule(_)) => Self::CapsuleHalfSpace,
            (Cuboid(_), HalfSpace(_)) | (HalfSpace(_), Cuboid(_)) => Self::CuboidHalfSpace,
            (Cylinder(_), HalfSpace(_)) | (HalfSpace(_), Cylinder(_)) => Self::CylinderHalfSpace,
            (Cone(_), HalfSpace(_)) | (HalfSpace(_), Cone(_)) => Self::ConeHalfSpace,
            (Triangle(_), HalfSpace(_)) | (HalfSpace(_), Triangle(_)) => Self::TriangleHalfSpace,
            (ConvexHull(_), HalfSpace(_)) | (HalfSpace(_), ConvexHull(_)) => Self::HullHalfSpace,
            (Rounded(it), HalfSpace(_)) | (HalfSpace(_), Rounded(it)) => match it.core() {
                Cuboid(_) => Self::RoundCuboidHalfSpace,
                _ => Self::None,
            },
            _ => Self::None,
        }
    }
}

/// All places of a run.
const IN_ORDER: [u16; RUN] = {
    let (mut places, mut place) = ([0; RUN], 0_u16);
    while (place as usize) < RUN {
        places[place as usize] = place;
        place += 1;
    }
    places
};

/// The places of all pairs of a run.
pub(super) fn in_order<T>(run: &[T]) -> &'static [u16] {
    &IN_ORDER[..run.len().min(RUN)]
}

/// The places of a run's pairs, kind by kind, each kind in the order of the run.
pub(super) struct Order {
    places: [u16; RUN],
    /// Where each kind begins, and the end of the last.
    starts: [usize; Lane::COUNT + 1],
}

impl Order {
    /// The order of at most [`RUN`] pairs.
    pub(super) fn new<P: AsPair<Shape, Shape>>(run: &[P]) -> Self {
        Self::sorted(run.iter().map(|pair| Lane::of(pair) as u8))
    }

    /// The order of at most [`RUN`] things by their kinds, which are below [`Lane::COUNT`].
    ///
    /// - Source: counting sort; Knuth, *The Art of Computer Programming* 3, §5.2.
    #[inline]
    pub(super) fn sorted(of: impl ExactSizeIterator<Item = u8>) -> Self {
        let count = of.len().min(RUN);
        let mut kinds = [0_u8; RUN];
        for (slot, kind) in kinds.iter_mut().zip(of) {
            *slot = kind;
        }
        let kinds = &kinds[..count];
        let mut starts = [0; Lane::COUNT + 1];
        let first = kinds.first().copied().unwrap_or(0);
        // Nothing to count where all are of one kind: each count would wait for the one before.
        if kinds.iter().fold(true, |same, &kind| same & (kind == first)) {
            starts[usize::from(first) % Lane::COUNT + 1..].fill(count);
            return Self { places: IN_ORDER, starts };
        }
        for &kind in kinds {
            starts[usize::from(kind) % Lane::COUNT + 1] += 1;
        }
        for k in 0..Lane::COUNT {
            starts[k + 1] += starts[k];
        }
        let mut next = starts;
        let mut places = [0; RUN];
        for (place, &kind) in (0..).zip(kinds) {
            let kind = usize::from(kind) % Lane::COUNT;
            places[next[kind]] = place;
            next[kind] += 1;
        }
        Self { places, starts }
    }

    /// The places of one kind.
    pub(super) fn of(&self, kind: Lane) -> &[u16] {
        self.at(kind as usize)
    }

    /// The places of the kind of this number.
    pub(super) fn at(&self, kind: usize) -> &[u16] {
        &self.places[self.starts[kind]..self.starts[kind + 1]]
    }
}

#[cfg(test)]
mod tests {
    use impinge_shapes::glam::Vec3;
    use impinge_shapes::{Pose, Shape};

    use super::super::PairRef;
    use super::*;

    #[test]
    fn kinds_keep_the_order_of_the_run() {
        let (ball, block) = (Shape::sphere(1.0).unwrap(), Shape::cuboid(Vec3::ONE).unwrap());
        let floor = Shape::half_space(Vec3::Y, 0.0).unwrap();
        let at = &Pose::IDENTITY;
        let pair = |a, b| PairRef { a, pose_a: at, b, pose_b: at };
        let run = [
            pair(&block, &ball),
            pair(&ball, &ball),
            pair(&floor, &floor),
            pair(&ball, &block),
            pair(&ball, &ball),
        ];
        let order = Order::new(&run);
        assert_eq!(order.of(Lane::SphereSphere), [1, 4]);
        assert_eq!(order.of(Lane::CuboidSphere), [0, 3]);
        assert_eq!(order.of(Lane::CuboidCuboid), []);
        assert_eq!(order.of(Lane::None), [2]);
        let order = Order::new(&[pair(&block, &ball); 3]);
        assert_eq!(order.of(Lane::CuboidSphere), [0, 1, 2]);
        let others = [Lane::SphereSphere, Lane::CapsuleSphere, Lane::None];
        assert!(others.into_iter().all(|kind| order.of(kind).is_empty()));
        assert!(Order::new::<PairRef<'_>>(&[]).of(Lane::SphereSphere).is_empty());
    }
}
