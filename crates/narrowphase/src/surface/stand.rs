//! How deep a solid is in the plane of a triangle of a surface: of many triangles that it is in, most
//! need no more than that to be told apart from the one that counts.

use impinge_shapes::convex::Solid;
use impinge_shapes::glam::DVec3;
use impinge_shapes::round;

use super::Corners;
use crate::parts::Leaf;
use crate::{Relative, convex, segment, tolerance};

/// How a patch compares with one of known depth before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    Shallower,
    /// As deep at most.
    NoDeeper,
    Unknown,
}

/// A solid (B) at the plane of a triangle of a surface (A), in A's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stand {
    corners: [DVec3; 3],
    /// The triangle's unit normal, on the side of the solid's middle.
    face: DVec3,
    /// Along the normal, negative by the depth.
    distance: f64,
    /// The lowest point of the solid's core.
    lowest: DVec3,
    /// Whether the solid is in the plane by more than rounding.
    is_in: bool,
    /// Unit, in the plane, out of the triangle to the solid's lowest point, where the solid is in the
    /// plane and that point lies beside the triangle.
    out: Option<DVec3>,
}

/// The lowest point of a solid over the last triangle: the triangles of a floor look the same way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lowest {
    /// The solid's part, and whether it is one of the caller's B.
    of: (u32, bool),
    /// Downward, in the solid's frame.
    along: DVec3,
    point: DVec3,
}

impl Stand {
    /// `None` for others, and where the triangle has no area.
    ///
    /// `triangle_first`: the triangle is one of the caller's A.
    pub(super) fn of(
        (a, b): (&Leaf<'_>, &Leaf<'_>),
        at: &Relative,
        triangle_first: bool,
        last: &mut Option<Lowest>,
    ) -> Option<Self> {
        let (None, Some(other)) = (b.surface, b.simple.solid()) else { return None };
        let triangle = Corners::of(a)?;
        let up = triangle.face_normal(DVec3::ZERO)?;
        let from = triangle.corners[0];
        let middle = at.point_from_b(other.core.middle());
        let face = if up.dot(middle - from) < 0.0 { -up } else { up };
        let (of, along) = ((b.part, triangle_first), at.vector_to_b(-face));
        let found = match last {
            Some(last) if last.of == of && last.along == along => *last,
            _ => *last.insert(Lowest { of, along, point: other.core.support_nearly(along) }),
        };
        let lowest = at.point_from_b(found.point);
        let distance = face.dot(lowest - from) - other.radius();
        // What touches is in no plane, whatever rounding says.
        let size = lowest.abs() + from.abs() + at.translation().abs();
        let is_in = distance < -tolerance::FRAME * size.element_sum();
        let out = if is_in { way_out(&triangle.corners, face, lowest) } else { None };
        Some(Self { corners: triangle.corners, face, distance, lowest, is_in, out })
    }

    /// Whether the solid is in the plane with its lowest point beside the triangle: mostly there is
    /// another triangle that it is deeper in.
    pub(crate) fn is_beside(&self) -> bool {
        self.out.is_some()
    }

    /// Whether the solid is in the plane.
    pub(crate) fn is_in(&self) -> bool {
        self.is_in
    }

    /// The two are no farther apart than that, where the lowest point lies beside the triangle.
    pub(crate) fn most(&self, at: &Relative) -> f64 {
        let [p, q, r] = self.corners;
        let to_edge = |(from, to): (DVec3, DVec3)| {
            segment::nearest_to_origin(from - self.lowest, to - from).1.length()
        };
        let nearest =
            [(p, q), (q, r), (r, p)].map(to_edge).into_iter().fold(f64::INFINITY, f64::min);
        let size = self.lowest.abs() + p.abs() + q.abs() + r.abs() + at.translation().abs();
        nearest + tolerance::FRAME * size.element_sum()
    }

    /// How deep the patch of the two leaves that this was made of is beside `deepest`.
    ///
    /// Its normal is the way on which the two are the least deep, or that of the triangle: along
    /// this they are at least as deep as the patch is. Of what is no deeper, the two kinds are told
    /// apart only where `both_count`.
    ///
    /// - Error: none, but that a patch with a cylinder or a cone, whose depth may be told too large
    ///   by its own bound, counts as no deeper than it is.
    pub(super) fn rank(
        &self,
        (a, b): (&Leaf<'_>, &Leaf<'_>),
        at: &Relative,
        deepest: f32,
        both_count: bool,
    ) -> Rank {
        let (Some(one), Some(other)) = (a.simple.solid(), b.simple.solid()) else {
            return Rank::Unknown;
        };
        if (0.0..=0.0).contains(&deepest) && self.distance >= 0.0 {
            let (one, other) = ((&one, at.pose_a()), (&other, at.pose_b()));
            if convex::is_parted(one, other, *at.world_from_a() * self.face) {
                return Rank::NoDeeper;
            }
        }
        let error = if convex::is_polytope(&other.core) {
            tolerance::SHALLOWER * convex::size_of((&one, &other), at)
        } else {
            0.0
        };
        let bound = round::nearest(self.distance - error);
        if bound > deepest {
            return Rank::Shallower;
        }
        if bound >= deepest && !both_count {
            return Rank::NoDeeper;
        }
        if self.is_passed(&other, at, error, deepest) {
            Rank::Shallower
        } else if bound >= deepest {
            Rank::NoDeeper
        } else {
            Rank::Unknown
        }
    }

    /// Whether an axis next to the normal tells that the solid is less deep in the triangle than
    /// `deepest`: where its lowest point lies beside the triangle, one that is turned out there may.
    fn is_passed(&self, solid: &Solid<'_>, at: &Relative, error: f64, deepest: f32) -> bool {
        let Some(out) = self.out else { return false };
        tolerance::TURNED_OUT.iter().any(|&turn| {
            // Not unit, so that along the triangle's normal, too, nothing of the solid that is over
            // the triangle is deeper.
            let (axis, length) = (self.face + out * turn, (1.0 + turn * turn).sqrt());
            let lowest = at.point_from_b(solid.core.support_nearly(-at.vector_to_b(axis)));
            let [p, q, r] = self.corners.map(|corner| axis.dot(lowest - corner));
            let distance = p.min(q).min(r) - solid.radius() * length;
            round::nearest(distance - error) > deepest
        })
    }
}

/// Unit, in the plane of a triangle, out of it to a point that lies beside it.
fn way_out(&[p, q, r]: &[DVec3; 3], face: DVec3, point: DVec3) -> Option<DVec3> {
    let (mut most, mut way) = (0.0, None);
    for (from, to, inside) in [(p, q, r), (q, r, p), (r, p, q)] {
        let out = (to - from).cross(face);
        let out = if out.dot(inside - from) > 0.0 { -out } else { out };
        // The square of how far it is, without a root.
        let far = out.dot(point - from);
        let square = far * far / out.length_squared();
        if far > 0.0 && square > most {
            (most, way) = (square, Some(out));
        }
    }
    way?.try_normalize()
}

#[cfg(test)]
mod tests {
    use impinge_shapes::Shape;

    use super::*;
    use crate::convex::draw::Draw;
    use crate::dispatch::Simple;
    use crate::parts::Surface;
    use crate::queries;

    #[test]
    fn what_lies_beside_a_triangle_is_no_farther_than_told() {
        let (mut seen, mut overlap) = (0, 0);
        for seed in 0..3_000 {
            let [(ground, under), (it, there)] = Draw(seed).on_surface();
            let surface = match &ground {
                Shape::TriangleMesh(mesh) => Surface::Mesh(mesh),
                Shape::HeightField(field) => Surface::Field(field),
                _ => unreachable!("a surface"),
            };
            let Some(simple) = Simple::of(&it) else { continue };
            let leaf = Leaf::whole(simple, &there);
            let at = Relative::new(&under, &there);
            let mut last = None;
            for index in 0..50 {
                let Some(triangle) = surface.triangle(index) else { continue };
                let own = Leaf {
                    surface: Some((surface, index)),
                    ..Leaf::whole(Simple::Triangle(triangle), &under)
                };
                let Some(stand) = Stand::of((&own, &leaf), &at, true, &mut last) else { continue };
                if !stand.is_beside() {
                    continue;
                }
                let triangle = Shape::from(triangle);
                let distance = queries::distance(&triangle, &under, &it, &there);
                let most = round::up(stand.most(&at));
                assert!(distance <= most, "seed {seed}, {index}: {distance} {most}");
                seen += 1;
                overlap += usize::from(distance <= 0.0);
            }
        }
        println!("{seen} beside, {overlap} overlap");
        assert!(overlap > 1_000 && seen - overlap > 1_000, "{overlap} of {seen}");
    }
}
