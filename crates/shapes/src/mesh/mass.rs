//! The solid that a closed mesh encloses.

use std::cmp::Ordering;

use glam::{DMat3, DVec3, Vec3};

use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::{MassProperties, tolerance};

/// Six times the volume, and 24 times the integrals of `x` and 120 times those of `x xᵀ` over a
/// solid, `x` measured from one point.
struct Moments<N> {
    volume: N,
    first: Vector<N>,
    second: [Vector<N>; 3],
}

impl<N: Number> Moments<N> {
    /// - Source: the divergence theorem, as tetrahedra from one point to every triangle; their
    ///   moments as in Tonon, *Explicit Exact Formulas for the 3-D Tetrahedron Inertia Tensor*
    ///   (2004).
    fn of(from: DVec3, triangles: impl Iterator<Item = [Vec3; 3]>) -> Self {
        let zero = || Vector([N::ZERO, N::ZERO, N::ZERO]);
        let mut sums = Self { volume: N::ZERO, first: zero(), second: [zero(), zero(), zero()] };
        let from = Vector(from.to_array().map(N::new));
        for corners in triangles {
            let [a, b, c] = corners.map(|corner| Vector::new(corner).minus(&from));
            let part = a.dot(&b.cross(&c));
            let sum = a.plus(&b).plus(&c);
            for (i, column) in sums.second.iter_mut().enumerate() {
                let outer = |v: &Vector<N>| v.scaled(&v.0[i]);
                let outer = outer(&a).plus(&outer(&b)).plus(&outer(&c)).plus(&outer(&sum));
                *column = column.plus(&outer.scaled(&part));
            }
            sums.first = sums.first.plus(&sum.scaled(&part));
            sums.volume = sums.volume.plus(&part);
        }
        sums
    }

    fn properties(&self, from: DVec3) -> MassProperties {
        let volume = self.volume.value();
        let center = self.first.value() / (4.0 * volume);
        let [x, y, z] = [0, 1, 2].map(|i| self.second[i].value() * (volume.signum() / 120.0));
        let volume = volume.abs() / 6.0;
        // About the centre of mass, by the parallel-axis theorem.
        let moved = DMat3::from_cols(center * center.x, center * center.y, center * center.z);
        let spread = DMat3::from_cols(x, y, z) - moved * volume;
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
        MassProperties::from_f64(volume, from + center, inertia)
    }
}

/// Mass properties of the solid that closed triangles enclose; `None` if they enclose none.
///
/// - Sign: triangles that all face inward enclose the same solid.
pub(super) fn of_solid(
    from: DVec3,
    triangles: impl ExactSizeIterator<Item = [Vec3; 3]> + Clone,
) -> Option<MassProperties> {
    // The filter's bound is for chains of 128 roundings; each triangle adds one to them.
    let longer = 1.0 + triangles.len() as f64 / 64.0;
    let rough = Moments::<Approx>::of(from, triangles.clone());
    let error = rough.volume.error() * longer;
    if error < rough.volume.value().abs() * tolerance::REPORTED {
        return Some(rough.properties(from));
    }
    let exact = Moments::<Exact>::of(from, triangles);
    (exact.volume.sign() != Ordering::Equal).then(|| exact.properties(from))
}
