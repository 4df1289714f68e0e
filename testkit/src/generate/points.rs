//! Points for hulls, triangles and meshes: round clouds and boxes, lattices with many points in a
//! plane, slivers, needles, and what has no volume.

use glam::{DVec3, Vec3};
use impinge_shapes::round;

use crate::rng::Rng;

/// How points lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cloud {
    /// On a sphere.
    Sphere,
    /// The corners of a box.
    Corners,
    /// On a coarse lattice: many in a common plane or on a common line, some twice.
    Lattice,
    /// Two like polygons above each other.
    Prism,
    /// A thousand to a million times as thin as wide.
    Sliver,
    /// A thousand to a million times as long as thick.
    Needle,
    /// In a plane through the origin.
    Flat,
    /// On a line through the origin.
    Line,
    /// The same point again and again.
    Point,
}

impl Cloud {
    /// Every way.
    pub const ALL: [Self; 9] = [
        Self::Sphere,
        Self::Corners,
        Self::Lattice,
        Self::Prism,
        Self::Sliver,
        Self::Needle,
        Self::Flat,
        Self::Line,
        Self::Point,
    ];

    /// Those with a volume, mostly.
    pub const SOLID: [Self; 6] =
        [Self::Sphere, Self::Corners, Self::Lattice, Self::Prism, Self::Sliver, Self::Needle];
}

fn on_sphere(count: usize, size: f64, rng: &mut Rng) -> Vec<DVec3> {
    (0..count).map(|_| rng.direction().as_dvec3() * size).collect()
}

/// At most 16 points within about `size` of the origin.
#[must_use]
pub fn cloud(kind: Cloud, size: f64, rng: &mut Rng) -> Vec<Vec3> {
    let count = 4 + rng.below(9);
    let points = match kind {
        Cloud::Sphere => on_sphere(count, size, rng),
        Cloud::Corners => {
            let half = rng.cube(0.2 * size, size).as_dvec3();
            let side = |i: usize, bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
            (0..8).map(|i| half * DVec3::new(side(i, 1), side(i, 2), side(i, 4))).collect()
        }
        Cloud::Lattice => {
            let mut at = || rng.pick(&[-1.0, -0.5, 0.0, 0.5, 1.0]) * size;
            (0..count).map(|_| DVec3::new(at(), at(), at())).collect()
        }
        Cloud::Prism => {
            let (tilt, height) = (rng.cube(-0.3, 0.3).as_dvec3() * size, rng.range(0.1, 1.0));
            let up = DVec3::Y * f64::from(height) * size;
            let ring = on_sphere(3 + rng.below(4), size, rng);
            let ring = ring.into_iter().map(|p| DVec3::new(p.x, 0.0, p.z));
            ring.flat_map(|p| [p - up - tilt, p + up + tilt]).collect()
        }
        Cloud::Sliver | Cloud::Needle => {
            let thin = rng.power_of_ten(-6.0, -3.0);
            let mut scale = DVec3::ONE;
            let axis = rng.below(3);
            scale[axis] = thin;
            if kind == Cloud::Needle {
                scale[(axis + 1) % 3] = thin;
            }
            on_sphere(count, size, rng).into_iter().map(|p| p * scale).collect()
        }
        Cloud::Flat => {
            let mut scale = DVec3::ONE;
            scale[rng.below(3)] = 0.0;
            on_sphere(count, size, rng).into_iter().map(|p| p * scale).collect()
        }
        Cloud::Line => {
            // Halves of a rounded point stay on its line.
            let end = round::nearest_vec(rng.direction().as_dvec3() * size).as_dvec3();
            (0..3).map(|_| end * rng.pick(&[-1.0, -0.5, 0.0, 0.25, 1.0])).collect()
        }
        Cloud::Point => vec![rng.direction().as_dvec3() * (size * rng.pick(&[0.0, 0.5])); 2],
    };
    points.into_iter().map(round::nearest_vec).collect()
}

/// Corners of a triangle of about `size`; `flat` allows those on a line, and equal ones.
#[must_use]
pub fn corners(size: f64, flat: bool, rng: &mut Rng) -> [Vec3; 3] {
    let [a, b, mut c] = [0, 1, 2].map(|_| rng.cube(-size, size));
    if flat {
        c = match rng.below(3) {
            0 => a,
            1 => {
                // In the middle, exactly where the halves do not round.
                let coarse = |v: Vec3| round::nearest_vec((v.as_dvec3() / size * 64.0).round());
                let (a, b) = (coarse(a), coarse(b));
                let scaled = |v: Vec3| round::nearest_vec(v.as_dvec3() * size / 64.0);
                return [scaled(a), scaled(b), scaled((a + b) * 0.5)];
            }
            _ => Vec3::new(a.x, b.y, b.z),
        };
    } else {
        match rng.below(5) {
            // A needle: two corners near each other.
            0 => {
                c = round::nearest_vec(
                    a.as_dvec3() + (c - a).as_dvec3() * rng.power_of_ten(-6.0, -2.0),
                );
            }
            // A sliver: the third near the line of the others.
            1 => {
                let near = a.as_dvec3().lerp(b.as_dvec3(), rng.unit());
                let off = c.as_dvec3() * rng.power_of_ten(-6.0, -2.0);
                c = round::nearest_vec(near + off);
            }
            // Along two axes.
            2 => return [a, Vec3::new(b.x, a.y, a.z), Vec3::new(a.x, a.y, c.z)],
            _ => {}
        }
    }
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_are_what_they_say() {
        for kind in Cloud::ALL {
            for seed in 0..100 {
                let rng = &mut Rng::stream(kind as u64, seed);
                let points = cloud(kind, 4.0, rng);
                let told = format!("{kind:?}, seed {seed}: {points:?}");
                assert!(points.iter().all(|p| p.is_finite() && p.length() < 12.0), "{told}");
                let spread = |axis: usize| {
                    let values = points.iter().map(|p| p[axis]);
                    values.clone().fold(f32::MIN, f32::max) - values.fold(f32::MAX, f32::min)
                };
                let mut spreads = [spread(0), spread(1), spread(2)];
                spreads.sort_by(f32::total_cmp);
                match kind {
                    Cloud::Flat => assert!(spreads[0] <= 0.0, "{told}"),
                    Cloud::Point => assert!(spreads[2] <= 0.0, "{told}"),
                    Cloud::Sliver => assert!(spreads[0] < 0.01 && spreads[1] > 0.1, "{told}"),
                    Cloud::Needle => assert!(spreads[1] < 0.01, "{told}"),
                    Cloud::Corners => assert_eq!(points.len(), 8),
                    _ => {}
                }
            }
        }
    }
}
