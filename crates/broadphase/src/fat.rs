//! Fat boxes: what the index and the near pairs know of a box, so that they stay true for some
//! updates while it moves.
//!
//! - Source: Catto, *Dynamic Bounding Volume Hierarchies* (GDC 2019): boxes of a tree are enlarged
//!   by a margin and in the direction of motion. Here the margin follows each box's own motion, and
//!   a box that rests has none.

use crate::lanes::Bounds;
use crate::tolerance::{
    AHEAD, AHEAD_FEW, AHEAD_LEAST, AHEAD_MORE, AHEAD_TURNED, EARLY, REACH, ROOM, SWERVE,
    SWERVE_TURNED,
};

/// Pairs with moving boxes only.
pub(crate) const FIXED: u32 = 1;
/// The fat box may be larger than the box.
pub(crate) const STRETCHED: u32 = 2;

/// A fat box: 32 bytes, so that two share a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Fat {
    lo: [f32; 3],
    kind: u32,
    hi: [f32; 3],
}

/// What a box that is set depends on beside itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene {
    /// Motions to make room for.
    pub(crate) ahead: f32,
    /// Edge of a box of the scene.
    pub(crate) typical: f32,
    /// Whether near pairs stand in two parts, those that touch first, and leeway counts.
    pub(crate) settled: bool,
    /// Number of the update to come, from 1.
    pub(crate) update: u64,
}

impl Scene {
    pub(crate) const EMPTY: Self =
        Self { ahead: AHEAD_FEW, typical: 0.0, settled: false, update: 1 };
}

/// How much room the next search of all near pairs gives: as many updates as the last one lasted.
///
/// The size of a box bounds its room, so that small ones may leave theirs early; then the larger
/// room of the others only makes near pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Motions to make room for.
    pub(crate) ahead: f32,
    /// Updates since all near pairs were searched, up to the first in which more than a few boxes
    /// left their room.
    lasted: u16,
    left: bool,
}

impl Default for Room {
    fn default() -> Self {
        Self { ahead: AHEAD, lasted: 0, left: false }
    }
}

impl Room {
    /// Counts an update, and whether more than a few boxes left their room in it.
    pub(crate) fn count(&mut self, left: bool) {
        self.lasted = self.lasted.saturating_add(u16::from(!self.left));
        self.left |= left;
    }

    /// All near pairs are about to be searched.
    pub(crate) fn adapt(&mut self) {
        let lasted = f32::from(self.lasted);
        (self.lasted, self.left) = (0, false);
        // Boxes that begin to move had no room yet.
        if lasted >= AHEAD_LEAST {
            let fits = lasted > self.ahead;
            self.ahead = if fits { (self.ahead + AHEAD_MORE).min(AHEAD) } else { lasted - 1.0 };
        }
    }
}

impl Fat {
    /// Of an id without a box.
    pub(crate) const NONE: Self = Self { lo: [0.0; 3], kind: 0, hi: [0.0; 3] };

    /// No larger than the box.
    #[inline(always)]
    pub(crate) fn tight(bounds: &Bounds) -> Self {
        Self { lo: bounds.lo, kind: 0, hi: bounds.hi }
    }

    #[inline(always)]
    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { lo: self.lo, hi: self.hi }
    }

    #[inline(always)]
    pub(crate) fn has(&self, kind: u32) -> bool {
        self.kind & kind != 0
    }

    /// Sets or clears a bit; whether that changed it.
    #[inline(always)]
    pub(crate) fn put(&mut self, kind: u32, on: bool) -> bool {
        let before = self.kind;
        self.kind = if on { before | kind } else { before & !kind };
        self.kind != before
    }

    /// Whether it may stand for the box: one that is not stretched stands for no other than its
    /// own.
    #[inline(always)]
    pub(crate) fn stands_for(&self, bounds: &Bounds) -> bool {
        if self.has(STRETCHED) { self.bounds().holds(bounds) } else { self.bounds() == *bounds }
    }

    /// Makes it hold the box for some updates to come, if it goes on as it moved.
    ///
    /// `lasted` is for how many motions the room was enough that it had before.
    pub(crate) fn stretch(
        &mut self,
        bounds: &Bounds,
        motion: &[f32; 6],
        lasted: u32,
        scene: Scene,
    ) {
        let turned = self.has(STRETCHED) && lasted < EARLY;
        let (ahead, swerve) =
            if turned { (AHEAD_TURNED, SWERVE_TURNED) } else { (scene.ahead, SWERVE) };
        let typical = scene.typical;
        (self.lo, self.hi) = (bounds.lo, bounds.hi);
        let mut fastest = 0.0;
        for &d in motion {
            // A NaN is the motion of a face at infinity, which stays there.
            fastest = if d.abs() > fastest { d.abs() } else { fastest };
        }
        let longest = (0..3).fold(typical, |longest, axis| {
            let edge = bounds.hi[axis] - bounds.lo[axis];
            if edge > longest { edge } else { longest }
        });
        // Finite, because infinity taken from a face at infinity leaves no number.
        let most = (longest * REACH).min(f32::MAX);
        let stretches = fastest > 0.0 && fastest < most;
        self.put(STRETCHED, stretches);
        if !stretches {
            return;
        }
        let swerve = (fastest * swerve).max(typical * ROOM).min(most);
        for axis in 0..3 {
            let (down, up) = (motion[axis] * ahead, motion[axis + 3] * ahead);
            let down = if down < 0.0 { swerve - down } else { swerve };
            let up = if up > 0.0 { swerve + up } else { swerve };
            // Rounding keeps the order: what is taken away never gives more than there was.
            self.lo[axis] -= down.min(most);
            self.hi[axis] += up.min(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: Scene = Scene { typical: 1.0, ..Scene::EMPTY };
    const BOX: Bounds = Bounds { lo: [0.0, 0.0, 0.0], hi: [1.0, 1.0, 1.0] };

    #[test]
    fn a_resting_box_has_no_margin() {
        let mut fat = Fat::tight(&BOX);
        fat.stretch(&BOX, &[0.0; 6], 9, SCENE);
        assert!(fat.bounds() == BOX && !fat.has(STRETCHED) && fat.stands_for(&BOX));
        let smaller = Bounds { lo: [0.0; 3], hi: [1.0, 1.0, 0.5] };
        assert!(!fat.stands_for(&smaller));
    }

    #[test]
    fn a_steady_motion_stays_inside_for_some_updates() {
        let mut fat = Fat::tight(&BOX);
        let step = [0.01, -0.02, 0.0, 0.01, -0.02, 0.0];
        fat.stretch(&BOX, &step, 9, SCENE);
        let after = |steps: f32| Bounds {
            lo: [0, 1, 2].map(|axis| BOX.lo[axis] + steps * step[axis]),
            hi: [0, 1, 2].map(|axis| BOX.hi[axis] + steps * step[axis]),
        };
        assert!(fat.has(STRETCHED) && fat.stands_for(&after(AHEAD_FEW)));
        assert!(!fat.stands_for(&after(AHEAD_FEW + 1.0)));
        // It is open to the front, and hardly to the back.
        assert!(!fat.stands_for(&after(-1.0)));
        // A box that turned at once gets room on all sides.
        fat.stretch(&BOX, &step, 1, SCENE);
        assert!(fat.stands_for(&after(-1.0)) && fat.stands_for(&after(2.0)));
        assert!(!fat.stands_for(&after(AHEAD_FEW)));
    }

    #[test]
    fn a_trembling_box_stays_inside() {
        let mut fat = Fat::tight(&BOX);
        fat.stretch(&BOX, &[1e-4; 6], 9, SCENE);
        let back = Bounds { lo: [-1e-3; 3], hi: [1.0 - 1e-3; 3] };
        assert!(fat.stands_for(&back));
    }

    #[test]
    fn boxes_that_jump_or_have_no_end_are_not_torn_apart() {
        let mut fat = Fat::tight(&BOX);
        fat.stretch(&BOX, &[100.0; 6], 9, SCENE);
        assert!(fat.bounds() == BOX && !fat.has(STRETCHED));
        let endless = Bounds { lo: [f32::NEG_INFINITY, 0.0, 0.0], hi: [f32::INFINITY, 1.0, 1.0] };
        fat.stretch(&endless, &[f32::NAN, 0.1, 0.0, f32::NAN, 0.1, 0.0], 9, SCENE);
        assert!(fat.stands_for(&endless) && fat.bounds().hi[1] > 1.0);
    }

    #[test]
    fn a_box_at_infinity_that_moves_far_keeps_its_faces() {
        let far = f32::INFINITY;
        let bounds = Bounds { lo: [far, f32::NEG_INFINITY, 0.0], hi: [far, far, 1.0] };
        let mut fat = Fat::tight(&bounds);
        let motion = [f32::NAN, f32::NAN, 2e38, f32::NAN, f32::NAN, 2e38];
        fat.stretch(&bounds, &motion, 9, SCENE);
        fat.stretch(&bounds, &motion, 1, SCENE);
        assert!(fat.has(STRETCHED) && fat.stands_for(&bounds), "{fat:?}");
    }

    #[test]
    fn room_is_for_as_many_updates_as_it_lasted() {
        let mut room = Room::default();
        let mut search_after = |updates: u16, left_in: u16| {
            (1..=updates).for_each(|update| room.count(update >= left_in));
            room.adapt();
            room.ahead
        };
        // Boxes that begin to move say nothing. Then some leave in the seventh update, and all are
        // searched in the ninth; and so on.
        let ways = [(1, 1), (13, 13), (9, 7), (7, 7), (4, 4), (3, 3)];
        let found = ways.map(|(updates, left_in)| search_after(updates, left_in).to_bits());
        let expected = [AHEAD, AHEAD, 6.0, 6.0 + AHEAD_MORE, 3.0, 3.0];
        assert_eq!(found, expected.map(f32::to_bits));
    }
}
