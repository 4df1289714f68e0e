//! Volume, centre of mass and inertia of a hull.

use glam::{DMat3, DVec3};

use super::{ConvexHull, HullFace};
use crate::MassProperties;

/// Integrals over a solid, relative to some point.
#[derive(Clone, Copy)]
struct Moments {
    /// Six times the volume.
    volume: f64,
    /// 24 times the integral of `x`.
    first: DVec3,
    /// 120 times the integral of `x xᵀ`.
    second: DMat3,
}

impl ConvexHull {
    /// See [`Shape::mass_properties`](crate::Shape::mass_properties).
    ///
    /// - Degenerate: a flat hull has no volume; its centre is the centroid of its area, or of its
    ///   length.
    /// - Error: summed in f64 over tetrahedra from [`ConvexHull::center`], none of which is
    ///   negative but by rounding, so that the distance from the origin costs no accuracy.
    /// - Source: Mirtich, *Fast and Accurate Computation of Polyhedral Mass Properties* (1996);
    ///   Eberly, *Polyhedral Mass Properties (Revisited)* (2002).
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        let nothing = |center| MassProperties::from_f64(0.0, center, DMat3::ZERO);
        match self.dimension {
            3 => {}
            2 => return nothing(self.area_center()),
            _ => return nothing(self.center),
        }
        let mut sum = Moments { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };
        for face in self.faces() {
            for [a, b, c] in self.fan(face) {
                sum.add([a, b, c]);
            }
        }
        if sum.volume <= 0.0 {
            return nothing(self.center); // thinner than rounding
        }
        let volume = sum.volume / 6.0;
        let arm = sum.first / (4.0 * sum.volume);
        let about_center = sum.second * (1.0 / 120.0) - outer(arm) * volume;
        let trace = about_center.x_axis.x + about_center.y_axis.y + about_center.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - about_center;
        MassProperties::from_f64(volume, self.center + arm, inertia)
    }

    /// The triangles of a face from its first corner, relative to the hull's centre.
    fn fan<'a>(&'a self, face: HullFace<'a>) -> impl Iterator<Item = [DVec3; 3]> + 'a {
        let at = |v: u32| self.position(v) - self.center;
        let pairs = face.vertices.windows(2).skip(1);
        pairs.filter_map(move |pair| {
            let (&first, &[b, c]) = (face.vertices.first()?, pair) else { return None };
            Some([at(first), at(b), at(c)])
        })
    }

    /// The centroid of a polygon.
    fn area_center(&self) -> DVec3 {
        let (mut area, mut sum) = (0.0, DVec3::ZERO);
        for face in self.faces().take(1) {
            for [a, b, c] in self.fan(face) {
                let part = (b - a).cross(c - a).length();
                area += part;
                sum += (a + b + c) * (part / 3.0);
            }
        }
        if area > 0.0 { self.center + sum / area } else { self.center }
    }
}

impl Moments {
    /// Adds the tetrahedron of the reference point and a triangle.
    fn add(&mut self, [a, b, c]: [DVec3; 3]) {
        let volume = a.dot(b.cross(c));
        let sum = a + b + c;
        self.volume += volume;
        self.first += sum * volume;
        self.second += (outer(a) + outer(b) + outer(c) + outer(sum)) * volume;
    }
}

/// `v vᵀ`.
fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}
