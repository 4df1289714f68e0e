//! What a ray finds on one solid, and how that becomes a hit or two crossings.

use glam::{DVec3, Vec3};

use crate::ray::{Ray, RayCrossing, RayCrossings, RayOptions, ShapeRayHit, StartedInside};
use crate::{round, tolerance};

/// How far a ray goes and what it does with a start inside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// `None` for a ray without end.
    pub(crate) max_distance: Option<f64>,
    pub(crate) started_inside: StartedInside,
    /// For flat shapes, whose faces look both ways.
    pub(crate) cull_back_faces: bool,
}

impl Limits {
    /// `None` for a distance that is negative or NaN.
    #[inline]
    pub(crate) fn new(max_distance: f32, options: &RayOptions) -> Option<Self> {
        if max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        // A ray that leaves a solid does so through a back face.
        let culled = options.cull_back_faces && options.started_inside == StartedInside::Exit;
        Some(Self {
            max_distance: max_distance.is_finite().then_some(max_distance.into()),
            started_inside: if culled { StartedInside::Skip } else { options.started_inside },
            cull_back_faces: options.cull_back_faces,
        })
    }

    /// For rays that hit every boundary, from outside or from within.
    #[inline]
    pub(crate) fn both_ways(max_distance: f32) -> Option<Self> {
        let started_inside = StartedInside::Exit;
        Self::new(max_distance, &RayOptions { started_inside, cull_back_faces: false })
    }

    /// Whether the ray goes as far as a distance that is known up to twice
    /// [`tolerance::PLAIN_REPORTED`] of itself; `None` where that hides it.
    #[inline(always)]
    pub(crate) fn reaches(&self, distance: f64) -> Option<bool> {
        let Some(max) = self.max_distance else { return Some(true) };
        let slack = 4.0 * tolerance::PLAIN_REPORTED * distance;
        if distance + slack < max {
            Some(true)
        } else if distance - slack > max {
            Some(false)
        } else {
            None
        }
    }

    /// A distance as it is reported: rounded once, within the ray.
    #[inline]
    pub(crate) fn reported(&self, distance: f64) -> f32 {
        let end = self.max_distance.unwrap_or(f64::MAX);
        // Adding zero turns -0.0 into 0.0.
        round::nearest(distance.clamp(0.0, end) + 0.0)
    }
}

/// What a ray finds on one solid.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    Miss,
    /// The origin lies in the solid, and that counts as the hit.
    Inside,
    /// The ray enters, or leaves where it started inside; the normal may have any length.
    Boundary {
        started_inside: bool,
        distance: f64,
        normal: DVec3,
    },
    /// The ray enters from outside, where the normal is known at unit length.
    Entry {
        distance: f64,
        normal: DVec3,
    },
}

impl Found {
    /// The hit in f32. Each number is rounded once; the distance stays within the ray.
    #[inline(never)]
    pub(crate) fn hit(self, ray: &Ray, limits: &Limits) -> Option<ShapeRayHit> {
        self.hit_here(ray, limits)
    }

    /// [`Found::hit`] for those who know which of its answers it is.
    #[inline(always)]
    pub(crate) fn hit_here(self, ray: &Ray, limits: &Limits) -> Option<ShapeRayHit> {
        match self {
            Self::Miss => None,
            Self::Inside => Some(ShapeRayHit {
                distance: 0.0,
                point: ray.origin(),
                normal: -ray.direction(),
                started_inside: true,
                part: 0,
                barycentric: None,
            }),
            Self::Entry { distance, normal } => {
                let Place { distance, point, normal } =
                    Place::with_unit(distance, normal, ray, limits.max_distance);
                let (started_inside, part, barycentric) = (false, 0, None);
                Some(ShapeRayHit { distance, point, normal, started_inside, part, barycentric })
            }
            Self::Boundary { started_inside, distance, normal } => {
                let (pass, max) = (Pass { distance, normal }, limits.max_distance);
                let Place { distance, point, normal } = Place::new(pass, ray, max, !started_inside);
                let part = 0;
                let barycentric = None;
                Some(ShapeRayHit { distance, point, normal, started_inside, part, barycentric })
            }
        }
    }
}

/// A place where a line passes a surface; the normal may have any length, and none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    pub(crate) distance: f64,
    pub(crate) normal: DVec3,
}

/// A [`Pass`] in f32.
struct Place {
    distance: f32,
    point: Vec3,
    normal: Vec3,
}

impl Place {
    /// Each number is rounded once; the distance stays within the ray.
    fn new(pass: Pass, ray: &Ray, max_distance: Option<f64>, entering: bool) -> Self {
        // Whether the ray reaches so far was decided exactly; only the rounding of the distance
        // may lie outside.
        let end = max_distance.unwrap_or(f64::MAX);
        let distance = pass.distance.clamp(0.0, end) + 0.0; // no negative zero
        let direction = ray.direction();
        Self {
            distance: round::nearest(distance),
            point: round::nearest_vec(ray.point_at_f64(distance)),
            normal: unit_normal(pass.normal)
                .unwrap_or_else(|| if entering { -direction } else { direction }),
        }
    }

    /// As [`Place::new`] for a normal that has unit length.
    #[inline(always)]
    fn with_unit(distance: f64, normal: DVec3, ray: &Ray, max_distance: Option<f64>) -> Self {
        let end = max_distance.unwrap_or(f64::MAX);
        let distance = distance.clamp(0.0, end) + 0.0; // no negative zero
        let (point, normal) = (ray.point_at_f64(distance), normal + DVec3::ZERO);
        let [distance, px, py, pz, nx, ny, nz] = round::nearest_array([
            distance, point.x, point.y, point.z, normal.x, normal.y, normal.z,
        ]);
        Self { distance, point: Vec3::new(px, py, pz), normal: Vec3::new(nx, ny, nz) }
    }
}

/// Both crossings of one convex solid, each with the bits of the ray's hit there.
///
/// `first` is what a ray finds that hits the boundary from within, `leave` where one that comes
/// from outside passes out again.
pub(crate) fn crossings(
    ray: &Ray,
    max_distance: f32,
    first: impl FnOnce(&Limits) -> Option<Found>,
    leave: impl FnOnce(Option<f64>) -> Option<Pass>,
) -> RayCrossings {
    let mut crossings = RayCrossings::new();
    let Some(limits) = Limits::both_ways(max_distance) else { return crossings };
    let max = limits.max_distance;
    let (started_inside, distance, place) = match first(&limits) {
        Some(Found::Boundary { started_inside, distance, normal }) => {
            let pass = Pass { distance, normal };
            (started_inside, distance, Place::new(pass, ray, max, !started_inside))
        }
        Some(Found::Entry { distance, normal }) => {
            (false, distance, Place::with_unit(distance, normal, ray, max))
        }
        Some(Found::Miss | Found::Inside) | None => return crossings,
    };
    let mut push = |place: Place, entering: bool| {
        let Place { distance, point, normal } = place;
        crossings.push(RayCrossing { distance, point, normal, entering, part: 0 });
    };
    push(place, !started_inside);
    if !started_inside && let Some(pass) = leave(max) {
        // Two distances that are nearly equal keep their order.
        let pass = Pass { distance: pass.distance.max(distance), ..pass };
        push(Place::new(pass, ray, max, false), false);
    }
    crossings
}

/// The normal at unit length, where it has any.
fn unit_normal(mut normal: DVec3) -> Option<Vec3> {
    /// 2^-900: squares from there on have all digits that count.
    const LEAST: f64 = f64::from_bits((1023 - 900) << 52);
    /// 2^600, a power of two so that no digit changes.
    const SCALE: f64 = f64::from_bits((1023 + 600) << 52);
    let mut square = normal.length_squared();
    if !(LEAST..f64::INFINITY).contains(&square) {
        normal *= if square < LEAST { SCALE } else { 1.0 / SCALE };
        square = normal.length_squared();
    }
    if !(square > 0.0 && square < f64::INFINITY) {
        return None;
    }
    // Adding zero turns -0.0 into 0.0.
    Some(round::nearest_vec(normal * (1.0 / square.sqrt()) + DVec3::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_of_every_length_have_the_same_direction() {
        let normal = DVec3::new(0.3, -0.7, 0.1);
        let expected = unit_normal(normal).expect("it has a length");
        assert!((expected.as_dvec3() - normal.normalize()).length() < 1e-7);
        for power in -1_010..=1_022_i32 {
            let scale = f64::from_bits(u64::try_from(1_023 + power).unwrap() << 52);
            assert_eq!(unit_normal(normal * scale), Some(expected), "2^{power}");
        }
        let least = f64::from_bits(1);
        assert_eq!(unit_normal(DVec3::new(0.0, least, -0.0)), Some(Vec3::Y));
        assert_eq!(unit_normal(DVec3::NEG_X * f64::MAX), Some(Vec3::NEG_X));
        for none in [0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(unit_normal(DVec3::new(0.0, none, 0.0)), None);
        }
    }
}
