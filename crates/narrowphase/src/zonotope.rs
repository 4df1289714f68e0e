//! Distance between the origin and a set of points `start + Σ s_k · generator_k`, `0 ≤ s_k ≤ 1`.
//!
//! The difference of two segments, the path of such a difference, or a box seen from a moving
//! point are all of this form, with up to four generators. The exact test here is the last resort
//! of the rounded pairs: their rooms ask it only where f64 cannot tell.

use std::cmp::Ordering;

use impinge_shapes::exact::{Exact, ExactVec3};
use impinge_shapes::glam::DVec3;

/// A lower bound of the distance between the origin and the set: its least product with a unit
/// vector.
pub(crate) fn least_along(unit: DVec3, start: DVec3, generators: &[DVec3]) -> f64 {
    generators.iter().fold(start.dot(unit), |sum, g| sum + g.dot(unit).min(0.0))
}

/// Compares the distance between the origin and the set with `reach`, where f64 can tell.
///
/// - `between` is a vector from the origin to a point of the set, the nearest or close to it: its
///   length bounds the distance from above.
/// - `direction` is that of the nearest point or close to it: the set's extent along it bounds the
///   distance from below. So the answer is certified however both were found.
/// - `noise` bounds the error of the coordinates.
pub(crate) fn certain_distance(
    start: DVec3,
    generators: &[DVec3],
    between: DVec3,
    direction: DVec3,
    reach: f64,
    noise: f64,
) -> Option<Ordering> {
    let length = between.length();
    if length + noise < reach {
        return Some(Ordering::Less);
    }
    if length - noise > reach {
        let least = least_along(direction / direction.length(), start, generators);
        if least - noise > reach {
            return Some(Ordering::Greater);
        }
    }
    None
}

/// The set in exact arithmetic.
#[derive(Clone, Debug)]
pub(crate) struct Zonotope<const N: usize> {
    start: ExactVec3,
    generators: [ExactVec3; N],
}

/// A nearest point of one of the set's faces: its squared distance `numerator / denominator` from
/// the origin, and a positive multiple of the vector to it.
struct Candidate {
    numerator: Exact,
    denominator: Exact,
    vector: ExactVec3,
}

impl<const N: usize> Zonotope<N> {
    pub(crate) fn new(start: ExactVec3, generators: [ExactVec3; N]) -> Self {
        Self { start, generators }
    }

    /// Compares the distance from the origin with `reach`, which is not negative. Exact.
    pub(crate) fn compare(&self, reach: &Exact) -> Ordering {
        let square = reach.square();
        let mut least = Ordering::Greater;
        self.candidates(&mut |found| {
            least = least.min(found.numerator.cmp(&(square.clone() * found.denominator)));
            least == Ordering::Less
        });
        least
    }

    /// For a set at the distance `reach` exactly: a multiple of the vector from the origin to its
    /// nearest point.
    pub(crate) fn nearest_at(&self, reach: &Exact) -> Option<ExactVec3> {
        let square = reach.square();
        let mut nearest = None;
        self.candidates(&mut |found| {
            let touches = found.numerator == square.clone() * found.denominator;
            if touches {
                nearest = Some(found.vector);
            }
            touches
        });
        nearest
    }

    /// Visits the nearest point of every face that has it in its inside, until `visit` returns
    /// true.
    ///
    /// The nearest point of the whole set lies inside some face with independent generators, so
    /// it is among these; all of them belong to the set, so none is nearer.
    fn candidates(&self, visit: &mut impl FnMut(Candidate) -> bool) {
        // Each generator is at 0, at 1, or free: the digits of a number to base three.
        let base = |i: usize, face: usize| face / 3_usize.pow(u32::try_from(i).unwrap_or(0)) % 3;
        for face in 0..3_usize.pow(u32::try_from(N).unwrap_or(0)) {
            let mut corner = self.start.clone();
            let mut free: [Option<&ExactVec3>; 3] = [None; 3];
            let mut count = 0;
            for (i, generator) in self.generators.iter().enumerate() {
                match base(i, face) {
                    0 => {}
                    1 => corner = corner.plus(generator),
                    _ => {
                        if count < 3 {
                            free[count] = Some(generator);
                        }
                        count += 1;
                    }
                }
            }
            let found = match (count, free) {
                (0, _) => Some(vertex(corner)),
                (1, [Some(g), ..]) => edge(&corner, g),
                (2, [Some(g), Some(h), _]) => parallelogram(&corner, g, h),
                (3, [Some(g), Some(h), Some(k)]) => cell(&corner, g, h, k),
                // More than three directions in space are never independent.
                _ => None,
            };
            if found.is_some_and(&mut *visit) {
                return;
            }
        }
    }
}

fn vertex(corner: ExactVec3) -> Candidate {
    let numerator = corner.length_squared();
    Candidate { numerator, denominator: Exact::from(1.0), vector: corner }
}

fn inside(x: &Exact, end: &Exact) -> bool {
    x.sign() == Ordering::Greater && x < end
}

fn edge(corner: &ExactVec3, g: &ExactVec3) -> Option<Candidate> {
    let square = g.length_squared();
    let along = -corner.dot(g);
    if !inside(&along, &square) {
        return None;
    }
    let vector = corner.scale(&square).plus(&g.scale(&along));
    Some(Candidate { numerator: vector.dot(corner), denominator: square, vector })
}

fn parallelogram(corner: &ExactVec3, g: &ExactVec3, h: &ExactVec3) -> Option<Candidate> {
    let normal = g.cross(h);
    let square = normal.length_squared();
    let along_g = -corner.cross(h).dot(&normal);
    let along_h = -g.cross(corner).dot(&normal);
    if !inside(&along_g, &square) || !inside(&along_h, &square) {
        return None;
    }
    let height = corner.dot(&normal);
    let vector = normal.scale(&height);
    Some(Candidate { numerator: height.square(), denominator: square, vector })
}

fn cell(corner: &ExactVec3, g: &ExactVec3, h: &ExactVec3, k: &ExactVec3) -> Option<Candidate> {
    let volume = g.dot(&h.cross(k));
    let positive = volume.sign() == Ordering::Greater;
    let holds = |x: Exact| {
        let along = if positive { -x } else { x };
        inside(&along, &volume.abs())
    };
    let inner = holds(corner.dot(&h.cross(k)))
        && holds(g.dot(&corner.cross(k)))
        && holds(g.dot(&h.cross(corner)));
    inner.then(|| Candidate {
        numerator: Exact::ZERO,
        denominator: Exact::from(1.0),
        vector: ExactVec3::from(DVec3::ZERO),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(x: f64, y: f64, z: f64) -> ExactVec3 {
        ExactVec3::from(DVec3::new(x, y, z))
    }

    #[test]
    fn a_unit_cube_is_as_far_as_its_nearest_face_edge_or_corner() {
        let cube = |x: f64, y: f64, z: f64| {
            let generators = [exact(1.0, 0.0, 0.0), exact(0.0, 1.0, 0.0), exact(0.0, 0.0, 1.0)];
            Zonotope::new(exact(x, y, z), generators)
        };
        let square = |set: &Zonotope<3>, reach: f64| set.compare(&Exact::from(reach));
        for (at, reach) in
            [((2.0, -0.5, -0.25), 2.0), ((3.0, 4.0, -0.5), 5.0), ((2.0, 3.0, 6.0), 7.0)]
        {
            let set = cube(at.0, at.1, at.2);
            assert_eq!(square(&set, reach), Ordering::Equal);
            assert_eq!(square(&set, reach.next_down()), Ordering::Greater);
            assert_eq!(square(&set, reach.next_up()), Ordering::Less);
            let vector = set.nearest_at(&Exact::from(reach)).unwrap();
            assert_eq!(vector.dot(&exact(1.0, 0.0, 0.0)).sign(), Ordering::Greater);
        }
        assert_eq!(square(&cube(-0.5, -0.5, -0.5), 0.0), Ordering::Equal);
        assert_eq!(square(&cube(0.0, 0.0, 0.0), 0.0), Ordering::Equal);
    }

    #[test]
    fn dependent_generators_do_no_harm() {
        let g = exact(1.0, 0.0, 0.0);
        let line = Zonotope::new(
            exact(1.0, 3.0, 4.0),
            [g.clone(), g.scale(&Exact::from(-1.0)), exact(0.0, 0.0, 0.0)],
        );
        assert_eq!(line.compare(&Exact::from(5.0)), Ordering::Equal);
        let space = Zonotope::new(
            exact(-1.0, -0.5, -0.5),
            [g.clone(), g, exact(0.0, 1.0, 0.0), exact(0.0, 0.0, 1.0)],
        );
        assert_eq!(space.compare(&Exact::from(0.0)), Ordering::Equal);
    }
}
