//! What a filter reads of a body, and a brief of it that is a quarter as long.

use crate::bodies::name;
use crate::filter::Tag;
use crate::{BodyId, BodyKind, Groups};

/// What a filter reads of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Face {
    /// Upper half of the id, whose lower half is the slot: odd, or even for a vacant slot, whose
    /// next body gets the next odd one.
    pub(crate) version: u32,
    pub(crate) tag: Tag,
}

impl Face {
    pub(crate) const VACANT: Self = Self {
        version: 0,
        tag: Tag { groups: Groups::NONE, kind: BodyKind::Fixed, sensor: false },
    };

    pub(crate) fn is_vacant(self) -> bool {
        self.version.is_multiple_of(2)
    }
}

/// The [`Face`] of a body in four bytes, if it is like most: no sensor, in all groups, in a slot
/// that was used fewer than 2^30 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Brief(u32);

impl Brief {
    pub(crate) const UNKNOWN: Self = Self(0);
    /// Set if the face is known.
    const KNOWN: u32 = 1 << 31;
    /// In place of the lowest bit of the version, which is set in all bodies.
    const FIXED: u32 = 1;

    /// That of a body.
    pub(crate) fn of(face: Face) -> Self {
        let Tag { groups, kind, sensor } = face.tag;
        if sensor || groups != Groups::ALL || face.version >= Self::KNOWN || face.is_vacant() {
            return Self::UNKNOWN;
        }
        let fixed = if kind == BodyKind::Fixed { Self::FIXED } else { 0 };
        Self(Self::KNOWN | face.version & !Self::FIXED | fixed)
    }

    pub(crate) fn is_known(self) -> bool {
        self.0 & Self::KNOWN != 0
    }

    /// Whether a body whose face is known is fixed.
    pub(crate) fn is_fixed(self) -> bool {
        self.0 & Self::FIXED != 0
    }

    /// Id of a body whose face is known.
    #[inline]
    pub(crate) fn id(self, slot: u32) -> BodyId {
        name(slot, self.version())
    }

    fn version(self) -> u32 {
        self.0 & !Self::KNOWN | 1
    }

    /// The whole, if it is known.
    #[inline]
    pub(crate) fn face(self) -> Option<Face> {
        let kind = if self.is_fixed() { BodyKind::Fixed } else { BodyKind::Moving };
        let tag = Tag { groups: Groups::ALL, kind, sensor: false };
        self.is_known().then_some(Face { version: self.version(), tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_tells_the_face_or_nothing() {
        let (mut told, mut untold) = (0, 0);
        for version in [0, 1, 2, 3, 12_345, (1 << 31) - 1, (1 << 31) + 1, u32::MAX] {
            for groups in [Groups::ALL, Groups::NONE, Groups::new(1, u32::MAX)] {
                for kind in [BodyKind::Fixed, BodyKind::Moving] {
                    for sensor in [false, true] {
                        let face = Face { version, tag: Tag { groups, kind, sensor } };
                        match Brief::of(face).face() {
                            Some(found) => {
                                assert_eq!(found, face);
                                told += 1;
                            }
                            None => untold += 1,
                        }
                    }
                }
            }
        }
        // Odd versions below 2^31 of bodies in all groups that are no sensors.
        assert_eq!((told, untold), (8, 88));
    }
}
