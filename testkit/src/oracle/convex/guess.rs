//! The nearest point of a convex set in f64: where the exact search starts, mostly at its end.
//!
//! Nothing here is relied on. A wrong guess costs the exact search some steps.
//!
//! - Source: Gilbert, Johnson, Keerthi 1988, as for the exact search.

use glam::DVec3;

/// Steps after which the guess is what has been found.
const MOST_STEPS: usize = 64;

/// A point of the hull of a few points of a set.
#[derive(Clone, Debug)]
pub(in crate::oracle) struct Guess<T> {
    /// Points of the set, what they are, and their shares, positive and of the sum 1.
    pub(in crate::oracle) corners: Vec<(DVec3, T, f64)>,
}

impl<T: Copy> Guess<T> {
    /// The sum of the corners by their shares: in the set, but for rounding.
    pub(in crate::oracle) fn point(&self) -> DVec3 {
        self.corners.iter().map(|(at, _, share)| *at * *share).sum()
    }

    /// The nearest point of the hull of the corners; the last must be needed.
    fn reduced(corners: &[(DVec3, T, f64)]) -> Option<Self> {
        let last = corners.len().checked_sub(1)?;
        let mut best: Option<(f64, Self)> = None;
        for others in 0..1_usize << last {
            let kept = corners.iter().enumerate();
            let kept = kept.filter(|(i, _)| *i == last || others >> i & 1 == 1).map(|(_, c)| *c);
            let mut kept: Vec<(DVec3, T, f64)> = kept.collect();
            let Some(shares) = shares(&kept.iter().map(|c| c.0).collect::<Vec<_>>()) else {
                continue;
            };
            for (corner, share) in kept.iter_mut().zip(shares) {
                corner.2 = share;
            }
            let candidate = Self { corners: kept };
            let square = candidate.point().length_squared();
            if best.as_ref().is_none_or(|(least, _)| square < *least) {
                best = Some((square, candidate));
            }
        }
        best.map(|(_, guess)| guess)
    }
}

/// Shares of the point of the affine hull that is nearest to the origin, if all are positive.
fn shares(points: &[DVec3]) -> Option<Vec<f64>> {
    let volume = |x: DVec3, y: DVec3, z: DVec3| x.dot(y.cross(z));
    let weights = match *points {
        [_] => vec![1.0],
        [p, q] => vec![q.dot(q - p), -p.dot(q - p)],
        [p, q, r] => {
            let n = (q - p).cross(r - p);
            vec![volume(n, q, r), volume(n, r, p), volume(n, p, q)]
        }
        [p, q, r, s] => {
            let all = [volume(q, r, s), -volume(p, r, s), volume(p, q, s), -volume(p, q, r)];
            let sign = if all[0] < 0.0 { -1.0 } else { 1.0 };
            all.map(|w| w * sign).to_vec()
        }
        _ => return None,
    };
    let sum: f64 = weights.iter().sum();
    let fits = sum.is_finite() && weights.iter().all(|&w| w > 0.0);
    fits.then(|| weights.into_iter().map(|w| w / sum).collect())
}

/// Searches with the function that gives a point of the set lowest along a direction.
pub(in crate::oracle) fn guess<T: Copy>(lowest: impl Fn(DVec3) -> (DVec3, T)) -> Guess<T> {
    let (at, tag) = lowest(DVec3::X);
    let mut best = Guess { corners: vec![(at, tag, 1.0)] };
    for _ in 0..MOST_STEPS {
        let point = best.point();
        let square = point.length_squared();
        if square.is_nan() || square <= 0.0 || best.corners.len() == 4 {
            break;
        }
        let (at, tag) = lowest(point);
        let gain = square - point.dot(at);
        if gain.is_nan() || gain <= square * (4.0 * f64::EPSILON) {
            break;
        }
        let mut corners = best.corners.clone();
        corners.push((at, tag, 0.0));
        let Some(next) = Guess::reduced(&corners) else { break };
        if next.corners.len() < 4 && next.point().length_squared() >= square {
            break;
        }
        best = next;
    }
    best
}
