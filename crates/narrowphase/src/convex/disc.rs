//! The eight corners that stand for the rim of a disc, and the four of them that a manifold keeps.

use crate::FeatureId;

/// Corners of a polygon that stands for a disc.
pub(super) const CORNERS: usize = 8;

/// Cosines and sines of eighths of a turn.
pub(crate) const EIGHTHS: [(f64, f64); CORNERS] = {
    const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [(1.0, 0.0), (S, S), (0.0, 1.0), (-S, S), (-1.0, 0.0), (-S, -S), (0.0, -1.0), (S, -S)]
};

/// Every second corner of a rim, a bit each: those that stand for all, where these are the names of
/// the corners but for their places, which come first and are doubled.
pub(crate) const fn quarters([below, second, third, fourth]: [u32; 4]) -> u8 {
    let (mut first, mut least) = (0, u32::MAX);
    let mut place = 0;
    while place < 8 {
        // The first by feature is the first of all that are equally deep.
        let FeatureId(feature) = FeatureId::of([place << 1 | below, second, third, fourth]);
        if feature < least {
            (first, least) = (place, feature);
        }
        place += 1;
    }
    0x55 << (first % 2)
}

/// Which corners of a rim are kept, a bit each, and which of them gives its place to the lowest
/// point: the quarters within the margin, then ends of the arc within it, up to four.
///
/// So which of them carry a disc does not change with the way it leans, and they cover half of all
/// that are within the margin.
#[inline(always)]
pub(crate) fn kept(distances: &[f64; CORNERS], margin: f64, quarters: u8) -> (u8, usize) {
    let mut within = 0;
    for (place, &distance) in distances.iter().enumerate() {
        within |= u8::from(distance <= margin) << place;
    }
    let kept = of_many(within, quarters);
    let (mut lowest, mut least) = (0, f64::INFINITY);
    for (place, &distance) in distances.iter().enumerate() {
        if kept >> place & 1 == 1 && distance < least {
            (lowest, least) = (place, distance);
        }
    }
    (kept, lowest)
}

/// At most four of the corners of a set.
#[inline(always)]
fn of_many(within: u8, quarters: u8) -> u8 {
    if within.count_ones() <= 4 {
        return within;
    }
    let mut kept = within & quarters;
    let mut ends = within & !(within.rotate_left(1) & within.rotate_right(1)) & !kept;
    while kept.count_ones() < 4 && ends != 0 {
        kept |= ends & ends.wrapping_neg();
        ends &= ends - 1;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area of the polygon of some corners of a rim of radius 1, one of which is elsewhere
    /// on it, by the turns from the middle.
    fn area(set: u8, moved: Option<(usize, f64)>) -> f64 {
        let eighth = std::f64::consts::FRAC_PI_4;
        let turn = |place: usize| match moved {
            Some((from, to)) if from == place => to * eighth,
            _ => f64::from(u32::try_from(place).unwrap()) * eighth,
        };
        let mut turns: Vec<f64> = (0..8).filter(|&k| set >> k & 1 == 1).map(turn).collect();
        turns.sort_by(f64::total_cmp);
        let next = turns.iter().cycle().skip(1);
        turns.iter().zip(next).map(|(from, to)| libm::sin(to - from)).sum()
    }

    #[test]
    fn the_kept_corners_of_an_arc_cover_half_of_it() {
        let (mut least, mut counts) = (f64::INFINITY, [0; 9]);
        for quarters in [0x55, 0xaa] {
            // The lowest point, and how much of the rim is within the margin.
            for step in 0..8 * 64_u32 {
                let at = f64::from(step) / 64.0;
                for reach in 0..=64 {
                    let margin = -libm::cos(f64::from(reach) / 64.0 * std::f64::consts::PI);
                    let mut distances = [0.0; CORNERS];
                    for (place, distance) in (0..).zip(&mut distances) {
                        let off = f64::from(place) - at;
                        *distance = -libm::cos(off * std::f64::consts::FRAC_PI_4);
                    }
                    let nearest = (0..8).min_by(|&j, &k| distances[j].total_cmp(&distances[k]));
                    let nearest = nearest.unwrap();
                    distances[nearest] = -1.0;
                    let (kept, lowest) = kept(&distances, margin, quarters);
                    assert_eq!(kept >> lowest & 1, 1, "the lowest point is one of them");
                    let within =
                        (0..8).fold(0, |set, k| set | u8::from(distances[k] <= margin) << k);
                    assert_eq!(kept & !within, 0);
                    let count = within.count_ones();
                    assert_eq!(kept.count_ones().min(3), count.min(3));
                    assert!(kept.count_ones() <= 4);
                    counts[count as usize] += 1;
                    // A turn of eight is one of none.
                    let turned = |place: usize| {
                        let far = at - f64::from(u32::try_from(place).unwrap());
                        if far > 4.0 { at - 8.0 } else { at }
                    };
                    let all = area(within, Some((nearest, turned(nearest))));
                    let own = area(kept, Some((lowest, turned(lowest))));
                    if count > 4 {
                        least = least.min(own / all);
                    }
                }
            }
        }
        assert!(counts[1..].iter().all(|&count| count > 100), "{counts:?}");
        assert!(least >= 0.5, "{least}");
    }
}
