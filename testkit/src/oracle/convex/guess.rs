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
        let mut best: Option<(f64, usize, [f64; 4])> = None;
        for others in 0..1_usize << last {
            let subset = others | 1 << last;
            let (mut points, mut count) = ([DVec3::ZERO; 4], 0);
            for corner in kept(corners, subset) {
                points[count] = corner.0;
                count += 1;
            }
            let Some(shares) = shares(&points[..count]) else { continue };
            let point: DVec3 = points.iter().zip(shares).map(|(at, share)| *at * share).sum();
            let square = point.length_squared();
            if best.is_none_or(|(least, ..)| square < least) {
                best = Some((square, subset, shares));
            }
        }
        let (_, subset, shares) = best?;
        let corners = kept(corners, subset).zip(shares);
        Some(Self { corners: corners.map(|(c, share)| (c.0, c.1, share)).collect() })
    }
}

/// Those of some corners whose bits are set.
fn kept<T>(corners: &[T], subset: usize) -> impl Iterator<Item = &T> {
    let is_in = move |i: &usize| subset >> *i & 1 == 1;
    corners.iter().enumerate().filter(move |(i, _)| is_in(i)).map(|(_, corner)| corner)
}

/// Shares of the point of the affine hull that is nearest to the origin, if all are positive.
fn shares(points: &[DVec3]) -> Option<[f64; 4]> {
    let volume = |x: DVec3, y: DVec3, z: DVec3| x.dot(y.cross(z));
    let weights = match *points {
        [_] => [1.0, 0.0, 0.0, 0.0],
        [p, q] => [q.dot(q - p), -p.dot(q - p), 0.0, 0.0],
        [p, q, r] => {
            let n = (q - p).cross(r - p);
            [volume(n, q, r), volume(n, r, p), volume(n, p, q), 0.0]
        }
        [p, q, r, s] => {
            let all = [volume(q, r, s), -volume(p, r, s), volume(p, q, s), -volume(p, q, r)];
            let sign = if all[0] < 0.0 { -1.0 } else { 1.0 };
            all.map(|w| w * sign)
        }
        _ => return None,
    };
    let sum: f64 = weights.iter().sum();
    let fits = sum.is_finite() && weights.iter().take(points.len()).all(|&w| w > 0.0);
    fits.then(|| weights.map(|w| w / sum))
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
