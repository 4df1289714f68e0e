//! Whether two cores certainly overlap: four support points lie around the origin, or one of them in a
//! box.

use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::Support;
use impinge_shapes::glam::DVec3;

use super::Cores;
use super::side::Side;
use crate::{Relation, tolerance};

impl Cores<'_> {
    /// The relation where an axis of the world tells it, or something dips into a box.
    #[inline]
    pub(super) fn level_or_dips(&self) -> Option<Relation> {
        let level = self.level_relation(None);
        if level.is_none() && self.dips() { Some(Relation::Penetrating) } else { level }
    }

    /// Whether the point of one core that lies deepest under the face of a box next to its middle is
    /// certainly inside the box: mostly so where something has sunk into a box that is larger.
    #[inline]
    pub(super) fn dips(&self) -> bool {
        match (&self.a.core, &self.b.core) {
            (Core::Cuboid(half), other) => {
                let middle = self.at.point_from_b(other.middle());
                self.dips_into(half.as_dvec3(), middle, |way| {
                    self.at.point_from_b(other.support_nearly(self.at.vector_to_b(way)))
                })
            }
            (other, Core::Cuboid(half)) => {
                let to_b = |point: DVec3| self.at.vector_to_b(point - self.at.translation());
                self.dips_into(half.as_dvec3(), to_b(other.middle()), |way| {
                    to_b(other.support_nearly(*self.at.rotation() * way))
                })
            }
            _ => false,
        }
    }

    /// In the frame of the box, `support` of the other core.
    #[inline(always)]
    fn dips_into(&self, half: DVec3, middle: DVec3, support: impl Fn(DVec3) -> DVec3) -> bool {
        let inner = half - self.error();
        let holds = |point: DVec3| point.abs().cmplt(inner).all();
        if holds(middle) {
            return true;
        }
        holds(support(-Side::of_cuboid(half, middle).normal))
    }
}

/// Whether the tetrahedron of four differences certainly holds the origin, as [`holds`].
///
/// - Degenerate: not certain for fewer points.
pub(super) fn is_certain(points: &[Support], error: f64) -> bool {
    let [p, q, r, s] = points else { return false };
    holds([p.difference(), q.difference(), r.difference(), s.difference()], error)
}

/// Whether a tetrahedron holds the origin and everything around it up to `error`, the bound of the
/// error of its coordinates. The exact sets then overlap: in no direction do they reach less far
/// than the tetrahedron by more than that.
///
/// - Degenerate: not certain for flat tetrahedra.
pub(super) fn holds([p, q, r, s]: [DVec3; 4], error: f64) -> bool {
    is_behind([p, q, r], s, error)
        && is_behind([p, r, s], q, error)
        && is_behind([p, s, q], r, error)
        && is_behind([q, s, r], p, error)
}

/// Whether the origin certainly lies on the side of a face where the opposite corner is, and
/// farther away from it than `error`.
fn is_behind([p, q, r]: [DVec3; 3], opposite: DVec3, error: f64) -> bool {
    let (one, other, arm) = (q - p, r - p, opposite - p);
    let normal = one.cross(other);
    let (origin_side, corner_side) = (-p.dot(normal), arm.dot(normal));
    let area = (one.length_squared() * other.length_squared()).sqrt();
    let noise = tolerance::VOLUME * area;
    let far = error * normal.length() + noise * p.length();
    origin_side * corner_side > 0.0
        && origin_side.abs() > far
        && corner_side.abs() > noise * arm.length()
}

#[cfg(test)]
mod tests {
    use impinge_shapes::{Pose, Shape};

    use super::*;
    use crate::Relative;
    use crate::convex::draw::Draw;

    #[test]
    fn what_dips_into_a_box_penetrates_it() {
        let (mut dips, mut others, mut touching) = (0, 0, 0);
        for seed in 0..20_000 {
            let mut draw = Draw(seed);
            let scale = draw.scale();
            let half = (draw.vector().abs() * 4.0).ceil() * 0.25 * scale;
            let floor = Shape::cuboid(half).unwrap();
            let (it, at) = if draw.below(2) == 0 {
                (draw.round(scale), draw.pose(half * 1.5))
            } else {
                (draw.cornered(scale), draw.pose(half * 1.5))
            };
            // Nearly on the upper face, or aside.
            let low = it.aabb(&at).min().y;
            let sunk = [0.0, 1e-7, 1e-3, 0.5][usize::try_from(draw.below(4)).unwrap()] * scale;
            let place = (draw.vector() * half).with_y(at.position().y - low + half.y - sunk);
            let at = Pose::new(place, at.rotation()).unwrap();
            let pose = Pose::IDENTITY;
            let (one, other) = (floor.solid().unwrap(), it.solid().unwrap());
            let flipped = draw.below(2) == 0;
            let between =
                if flipped { Relative::new(&at, &pose) } else { Relative::new(&pose, &at) };
            let (a, b) = if flipped { (&other, &one) } else { (&one, &other) };
            let cores = Cores::new(a, b, &between);
            if !cores.dips() {
                others += 1;
                continue;
            }
            dips += 1;
            let known = if cores.is_exact() {
                cores.settled(DVec3::ZERO, None)
            } else {
                cores.relation_of_curved()
            };
            // What no search of a curved core is certain of counts as touching.
            assert_ne!(known, Relation::Apart, "seed {seed}: {it:?} {at:?} {half}");
            assert!(known == Relation::Penetrating || !cores.is_exact(), "seed {seed}: {it:?}");
            touching += usize::from(known == Relation::Touching);
        }
        assert!(dips > 5_000 && others > 2_000, "{dips} {others}");
        assert!(touching < 100, "{touching}");
    }

    fn tetrahedron(inset: f64) -> [Support; 4] {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        corners.map(|corner| Support { a: corner, b: DVec3::splat(inset) })
    }

    #[test]
    fn only_what_is_surely_inside_is_certain() {
        assert!(is_certain(&tetrahedron(0.25), 0.125));
        assert!(is_certain(&tetrahedron(1e-6), 1e-7));
        assert!(!is_certain(&tetrahedron(1e-6), 2e-6));
        assert!(!is_certain(&tetrahedron(0.0), 0.0));
        assert!(!is_certain(&tetrahedron(-0.25), 0.125));
        assert!(!is_certain(&tetrahedron(0.5), 0.125));
        assert!(!is_certain(&tetrahedron(0.25)[..3], 0.0));
        let mut flat = tetrahedron(0.25);
        flat[3] = flat[2];
        assert!(!is_certain(&flat, 0.0));
    }
}
