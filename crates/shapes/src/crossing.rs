//! What a ray finds on one solid, and how that becomes a hit.

use glam::{DVec3, Vec3};

use crate::ray::{Ray, RayOptions, ShapeRayHit, StartedInside};
use crate::round;

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
}

impl Found {
    /// The hit in f32. Each number is rounded once; the distance stays within the ray.
    pub(crate) fn hit(self, ray: &Ray, limits: &Limits) -> Option<ShapeRayHit> {
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
            Self::Boundary { started_inside, distance, normal } => {
                // Whether the ray reaches so far was decided exactly; only the rounding of the
                // distance may lie outside.
                let end = limits.max_distance.unwrap_or(f64::MAX);
                let distance = distance.clamp(0.0, end) + 0.0; // no negative zero
                Some(ShapeRayHit {
                    distance: round::nearest(distance),
                    point: round::nearest_vec(ray.point_at_f64(distance)),
                    normal: unit_normal(normal, ray),
                    started_inside,
                    part: 0,
                    barycentric: None,
                })
            }
        }
    }
}

/// The normal at unit length; against the ray where it has none.
fn unit_normal(normal: DVec3, ray: &Ray) -> Vec3 {
    // Divided by its largest component first, so that no square overflows or underflows.
    let largest = normal.abs().max_element();
    let scaled = normal / largest;
    // Adding zero turns -0.0 into 0.0.
    if scaled.is_finite() {
        round::nearest_vec(scaled.normalize() + DVec3::ZERO)
    } else {
        -ray.direction()
    }
}
