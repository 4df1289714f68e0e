//! Which edges of a triangle stick out, and which only lead on to the next triangle.

use std::cmp::Ordering;

use glam::Vec3;

use crate::hull::predicates;

/// What an edge of a triangle is, as seen from one side of the triangle.
///
/// A body that slides over a surface of several triangles must feel the surface, not the edges
/// within: at [`EdgeKind::Flat`] and [`EdgeKind::Concave`] edges a contact normal other than the
/// triangle's own is an artefact.
///
/// ```
/// use impinge_shapes::{EdgeKind, TriangleMesh};
/// use glam::Vec3;
///
/// // Two triangles whose common edge is a ridge, a line within a plane, or a valley.
/// let common = |height: f32| {
///     let (left, right) = (Vec3::new(-1.0, height, 0.5), Vec3::new(1.0, height, 0.5));
///     let corners = vec![Vec3::ZERO, Vec3::Z, left, right];
///     let mesh = TriangleMesh::new(corners, vec![[0, 1, 3], [1, 0, 2]]).ok()?;
///     mesh.edge_kind(0, 0)
/// };
/// assert_eq!(common(-0.5), Some(EdgeKind::Convex));
/// assert_eq!(common(0.0), Some(EdgeKind::Flat));
/// assert_eq!(common(0.5), Some(EdgeKind::Concave));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// No other triangle has this edge.
    Boundary,
    /// Every other triangle at this edge bends away from this side, be it by turning back.
    Convex,
    /// Some other triangle goes on in exactly the same plane, and none rises out of it.
    Flat,
    /// Some other triangle rises out of the plane to this side.
    Concave,
}

/// Where another triangle leads beyond an edge of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bend {
    /// To the front side.
    Rising,
    /// To the back side.
    Falling,
    /// On in the same plane, or nowhere: one of the two has no area.
    Level,
    /// Back in the same plane.
    Folded,
}

impl Bend {
    /// The same for one who looks at the other side.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::Rising => Self::Falling,
            Self::Falling => Self::Rising,
            Self::Level | Self::Folded => self,
        }
    }
}

/// What is known about one edge: a bit for each [`Bend`] that occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bends(u8);

impl Bends {
    /// Bits that an edge takes.
    pub(crate) const BITS: u32 = 4;

    pub(crate) fn from_bits(bits: u16) -> Self {
        Self(u8::try_from(bits & 15).unwrap_or(0))
    }

    pub(crate) fn bits(self) -> u16 {
        self.0.into()
    }

    pub(crate) fn add(&mut self, bend: Bend) {
        self.0 |= 1 << bend as u8;
    }

    /// The same for one who looks at the other side.
    pub(crate) fn flipped(self) -> Self {
        let mut flipped = Self::default();
        for bend in [Bend::Rising, Bend::Falling, Bend::Level, Bend::Folded] {
            if self.has(bend) {
                flipped.add(bend.flipped());
            }
        }
        flipped
    }

    fn has(self, bend: Bend) -> bool {
        self.0 & 1 << bend as u8 != 0
    }

    /// The edge as seen from the front, where the corners run counter-clockwise, or from behind.
    pub(crate) fn kind(self, behind: bool) -> EdgeKind {
        let rising = if behind { Bend::Falling } else { Bend::Rising };
        if self.has(rising) {
            EdgeKind::Concave
        } else if self.has(Bend::Level) {
            EdgeKind::Flat
        } else if self == Self::default() {
            EdgeKind::Boundary
        } else {
            EdgeKind::Convex
        }
    }
}

impl From<Bend> for Bends {
    fn from(bend: Bend) -> Self {
        Self(1 << bend as u8)
    }
}

/// Where the triangle with the corner `far` leads beyond the edge from `p` to `q` of the triangle
/// `p`, `q`, `r`. Exact.
pub(crate) fn bend([p, q, r]: [Vec3; 3], far: Vec3) -> Bend {
    match predicates::side(p, q, r, far) {
        Ordering::Greater => Bend::Rising,
        Ordering::Less => Bend::Falling,
        Ordering::Equal => {
            let Some(axes) = predicates::spread(p, q, r) else { return Bend::Level };
            let turn = |to: Vec3| predicates::turn(p, q, to, axes);
            if turn(r) == turn(far) { Bend::Folded } else { Bend::Level }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: [Vec3; 3] = [Vec3::ZERO, Vec3::Z, Vec3::X];

    #[test]
    fn the_fourth_corner_decides() {
        let beyond = Vec3::new(-1.0, 0.0, 0.5);
        assert_eq!(bend(FLOOR, beyond), Bend::Level);
        assert_eq!(bend(FLOOR, beyond + Vec3::Y * f32::MIN_POSITIVE), Bend::Rising);
        assert_eq!(bend(FLOOR, beyond - Vec3::Y * f32::from_bits(1)), Bend::Falling);
        assert_eq!(bend(FLOOR, Vec3::new(0.25, 0.0, 9.0)), Bend::Folded);
        // On the line of the edge: a triangle without area.
        assert_eq!(bend(FLOOR, Vec3::Z * 3.0), Bend::Level);
        let segment = [Vec3::ZERO, Vec3::Z, Vec3::Z * 2.0];
        assert_eq!(bend(segment, Vec3::ONE), Bend::Level);
    }

    #[test]
    fn kinds_need_every_neighbour_to_bend_away() {
        let kinds = |bends: &[Bend]| {
            let mut all = Bends::default();
            bends.iter().for_each(|&bend| all.add(bend));
            assert_eq!(Bends::from_bits(all.bits()), all);
            (all.kind(false), all.kind(true))
        };
        assert_eq!(kinds(&[]), (EdgeKind::Boundary, EdgeKind::Boundary));
        assert_eq!(kinds(&[Bend::Rising]), (EdgeKind::Concave, EdgeKind::Convex));
        assert_eq!(kinds(&[Bend::Falling]), (EdgeKind::Convex, EdgeKind::Concave));
        assert_eq!(kinds(&[Bend::Folded]), (EdgeKind::Convex, EdgeKind::Convex));
        assert_eq!(kinds(&[Bend::Level]), (EdgeKind::Flat, EdgeKind::Flat));
        // A wall that stands on a floor.
        assert_eq!(kinds(&[Bend::Level, Bend::Rising]), (EdgeKind::Concave, EdgeKind::Flat));
        assert_eq!(kinds(&[Bend::Falling, Bend::Rising]), (EdgeKind::Concave, EdgeKind::Concave));
    }
}
