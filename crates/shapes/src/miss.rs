//! Rays that clearly miss or enter a box, for little work.
//!
//! Most candidates of a ray query are misses that nothing hides, and most of the others enter
//! through the middle of a face. They are found here by plain f64 arithmetic with one error bound;
//! whatever is not clear goes to the filtered predicate, which costs several times as much.

use glam::{DVec3, Vec3};

use crate::{Pose, Ray, tolerance};

/// Whether the ray, up to `max_distance`, certainly has no point in the box; `false` means
/// nothing.
///
/// - Source: Ericson, *Real-Time Collision Detection* (2005), §5.3.3, segment against box by the
///   box's three axes and their cross products with the segment.
/// - Error: `m`, `d` are the ray in the box's frame, times `n = |q|²`. An entry of the rotation
///   is at most `n` with its terms made positive, so the magnitudes of `m` and `d` are at most
///   `n·|m|₁` and `n·|d|₁`, those of a cross product twice the product of the two plus its reach;
///   [`tolerance::FILTER`] times the magnitudes bounds the error.
#[inline]
pub(crate) fn clearly(pose: &Pose, half: Vec3, ray: &Ray, max_distance: f32) -> bool {
    clearly_around(pose, DVec3::ZERO, half.as_dvec3(), ray, max_distance)
}

/// As [`clearly`], for the box `center ± half` in the body's frame.
#[inline(always)]
pub(crate) fn clearly_around(
    pose: &Pose,
    center: DVec3,
    half: DVec3,
    ray: &Ray,
    max_distance: f32,
) -> bool {
    Aim::new(pose, center, half, ray).misses(max_distance.into())
}

/// A ray in the frame of a box, everything times `n = |q|²`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// From the box's centre to the ray's origin.
    from: DVec3,
    direction: DVec3,
    reach: DVec3,
    /// The box's axes in the world.
    columns: [DVec3; 3],
    /// `n`.
    norm: f64,
    /// Bound of the errors of `from` and `reach` together.
    error: f64,
    /// Bound of the error of `direction`.
    speed_error: f64,
    /// Bound of the error of their cross product.
    cross_error: f64,
}

impl Aim {
    /// The ray as seen from the box `center ± half` in the body's frame.
    #[inline(always)]
    pub(crate) fn new(pose: &Pose, center: DVec3, half: DVec3, ray: &Ray) -> Self {
        let arm = ray.origin().as_dvec3() - pose.translation();
        let way = ray.direction().as_dvec3();
        let (scaled, n) = pose.scaled_rotation();
        let columns = [scaled.x_axis, scaled.y_axis, scaled.z_axis];
        let in_box = |v: DVec3| DVec3::new(columns[0].dot(v), columns[1].dot(v), columns[2].dot(v));
        let sum = |v: DVec3| v.x.abs() + v.y.abs() + v.z.abs();
        let reach = half * n;
        // Doubled for the roundings of the magnitudes themselves.
        let share = 2.0 * tolerance::FILTER;
        let size = n * (sum(arm) + sum(center)) + reach.element_sum();
        Self {
            from: in_box(arm) - center * n,
            direction: in_box(way),
            reach,
            columns,
            norm: n,
            error: share * size,
            speed_error: share * n * sum(way),
            cross_error: 4.0 * share * n * sum(way) * size,
        }
    }

    /// See [`clearly`].
    #[inline(always)]
    pub(crate) fn misses(&self, max_distance: f64) -> bool {
        let Self { from: m, direction: d, reach, .. } = *self;
        // Which of the axes tells is anybody's guess: one branch for three of them.
        let mut apart = false;
        for i in 0..3 {
            // On the positive side of the slab at the start, by reflection.
            let speed = if m[i] < 0.0 { -d[i] } else { d[i] };
            let gap = m[i].abs() - reach[i] - self.error;
            let closing = self.speed_error - speed;
            apart |= (gap > 0.0) & ((closing <= 0.0) | (closing * max_distance < gap));
        }
        if apart {
            return true;
        }
        let speed = d.abs();
        for (j, k) in [(1, 2), (2, 0), (0, 1)] {
            let height = (m[j] * d[k] - m[k] * d[j]).abs();
            apart |= height > reach[j] * speed[k] + reach[k] * speed[j] + self.cross_error;
        }
        apart
    }

    /// Whether the ray certainly starts in the box.
    #[inline(always)]
    pub(crate) fn starts_inside(&self) -> bool {
        let Self { from: m, reach, error, .. } = *self;
        let within = m.abs() + DVec3::splat(error);
        (within.x < reach.x) & (within.y < reach.y) & (within.z < reach.z)
    }

    /// Where the ray enters the box from outside, and the unit normal there, if that is certain
    /// and known as well as [`tolerance::REPORTED`] asks.
    ///
    /// The last slab to be entered is told by products, so that there is one quotient for the
    /// distance and for the share of its error.
    ///
    /// - Error: the quotient `t` of a gap and a speed is off by the share that both errors make.
    ///   At `t` the ray is inside the other two slabs by more than what the errors of its place
    ///   and of `t` can take away, so it enters the box there and nowhere else.
    #[inline(always)]
    pub(crate) fn entry(&self, max_distance: f64) -> Option<(f64, DVec3)> {
        let Self { from: m, direction: d, reach, error, speed_error, .. } = *self;
        let gaps = m.abs() - reach;
        let (mut axis, mut gap, mut speed) = (3, 0.0, 1.0);
        for i in 0..3 {
            let closing = if m[i] < 0.0 { d[i] } else { -d[i] };
            // Choices without branches, for the same reason as above.
            let last = gaps[i] * speed > gap * closing;
            let later = (gaps[i] > error) & (closing > speed_error) & last;
            axis = if later { i } else { axis };
            gap = if later { gaps[i] } else { gap };
            speed = if later { closing } else { speed };
        }
        if axis > 2 {
            return None;
        }
        // One quotient for both.
        let per_both = 1.0 / (speed * self.norm);
        let (per_speed, per_norm) = (per_both * self.norm, per_both * speed);
        let distance = gap * per_speed;
        // Doubled for the roundings of the quotient and of the place.
        let noise = 2.0 * (error + distance * speed_error);
        let spread = noise * per_speed;
        let mut unclear =
            (spread > distance * tolerance::REPORTED) | (distance + spread > max_distance);
        for i in 0..3 {
            let place = (m[i] + d[i] * distance).abs();
            unclear |= (i != axis) & (place + d[i].abs() * spread + noise > reach[i]);
        }
        let [x, y, z] = self.columns;
        let (column, from) = match axis {
            0 => (x, m.x),
            1 => (y, m.y),
            _ => (z, m.z),
        };
        // A column is as long as `n`.
        let unit = column * if from < 0.0 { -per_norm } else { per_norm };
        (!unclear).then_some((distance, unit))
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::{Cuboid, RayOptions};

    #[test]
    fn what_is_clear_is_also_true_and_most_rays_are_clear() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
        };
        let (mut clear, mut misses, mut hits) = (0, 0, 0);
        let (mut clear_entries, mut entries) = (0, 0);
        let (mut clear_starts, mut starts) = (0, 0);
        for _ in 0..20_000 {
            let mut vector = |scale: f32| Vec3::new(random(), random(), random()) * scale;
            let (origin, direction, at, axis) =
                (vector(4.0), vector(1.0), vector(1.0), vector(1.0));
            let half = vector(1.0).abs();
            let max_distance = if at.x > 0.5 { f32::INFINITY } else { 3.0 + at.y };
            let pose = Pose::new(at, Quat::from_xyzw(axis.x, axis.y, axis.z, 0.3)).unwrap();
            let Ok(ray) = Ray::new(origin, at - origin + direction) else { continue };
            let exact = Cuboid::new(half).unwrap().probe::<crate::exact::Exact>(
                &pose,
                &ray,
                &crate::crossing::Limits::new(max_distance, &RayOptions::default()).unwrap(),
            );
            let missed = matches!(exact, Some(crate::crossing::Found::Miss));
            let said = clearly(&pose, half, &ray, max_distance);
            assert!(missed || !said, "{pose:?} {half} {ray:?} {max_distance}");
            let aim = Aim::new(&pose, DVec3::ZERO, half.as_dvec3(), &ray);
            let entry = aim.entry(max_distance.into());
            let inside = matches!(exact, Some(crate::crossing::Found::Inside));
            assert!(inside || !aim.starts_inside(), "{pose:?} {half} {ray:?}");
            clear_starts += u32::from(aim.starts_inside());
            starts += u32::from(inside);
            if let Some(crate::crossing::Found::Boundary { distance, normal, .. }) = exact {
                entries += 1;
                if let Some((said, axis)) = entry {
                    clear_entries += 1;
                    assert!((said - distance).abs() <= distance / f64::from(1 << 28), "{ray:?}");
                    let cosine = axis.dot(normal.normalize());
                    assert!((cosine - 1.0).abs() < 1e-12, "{ray:?}");
                }
            } else {
                assert!(entry.is_none(), "{pose:?} {half} {ray:?} {max_distance}");
            }
            clear += u32::from(said);
            misses += u32::from(missed);
            hits += u32::from(!missed);
        }
        assert!(clear * 100 > misses * 99 && hits > 1000, "{clear} of {misses}, {hits}");
        assert!(clear_entries * 100 > entries * 99, "{clear_entries} of {entries}");
        assert!(starts > 20 && clear_starts * 100 > starts * 99, "{clear_starts} of {starts}");
    }
}
