//! What a world is, but for what follows from it.

use std::sync::Arc;

use impinge_broadphase::Pair;

use crate::bodies::Bodies;
use crate::event_list::EventList;
use crate::store::ContactStore;
use crate::{Event, SensorOverlap};

/// All of a world but its broad phase, which follows from the bodies.
///
/// A clone shares with this one whatever neither of them changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) bodies: Bodies,
    pub(crate) marks: Marks,
    /// Slots whose bounds are out of date; may name slots that were refreshed or vacated since.
    pub(crate) stale: Vec<u32>,
    /// Slots that changed since the last update; may name slots that were vacated since.
    pub(crate) changed: Vec<u32>,
    pub(crate) margin: f32,
    pub(crate) has_slots: bool,
    pub(crate) recycling: f32,
    pub(crate) retest_all: bool,
    pub(crate) had_contact_filter: bool,
    pub(crate) contacts: ContactStore,
    pub(crate) sensors: Arc<Vec<SensorOverlap>>,
    /// Pairs that groups or the contact filter kept apart at the last update, sorted.
    pub(crate) filtered: Arc<Vec<Pair>>,
    pub(crate) events: Arc<EventList>,
    /// Pairs of the last update, in a world that was restored to a state between two updates and
    /// has seen none since, or in a snapshot between two; the broad phase knows those of the
    /// present bounds.
    pub(crate) pairs_before: Option<Arc<Vec<Pair>>>,
}

impl State {
    /// What began, lasted and ended at the last update.
    pub(crate) fn all_events(&self) -> &[Event] {
        self.events.all(self.contacts.entries(), &self.sensors)
    }
}

/// The bounds of the body are out of date.
pub(crate) const STALE: u8 = 1;
/// The body changed since the last update.
pub(crate) const CHANGED: u8 = 2;
/// The body was inserted since the last update; its slot may have been another's then.
pub(crate) const NEW: u8 = 4;
/// The body got another shape or margin since the last update.
pub(crate) const RESHAPED: u8 = 8;
/// All that the next update must know.
pub(crate) const CHANGES: u8 = CHANGED | NEW | RESHAPED;

/// What is pending for each slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    bits: Vec<u8>,
}

impl Marks {
    /// Sets the mark and lists the slot, unless it has the mark already.
    pub(crate) fn set(&mut self, slot: u32, mark: u8, list: &mut Vec<u32>) {
        let place = slot as usize;
        if place >= self.bits.len() {
            self.bits.resize(place + 1, 0);
        }
        if self.bits[place] & mark != mark {
            self.bits[place] |= mark;
            list.push(slot);
        }
    }

    /// Marks a body that moved as changed and its bounds as out of date, and lists it where it was not.
    #[inline]
    pub(crate) fn set_moved(&mut self, slot: u32, stale: &mut Vec<u32>, changed: &mut Vec<u32>) {
        let Some(bits) = self.bits.get_mut(slot as usize) else {
            self.set(slot, STALE, stale);
            self.set(slot, CHANGED, changed);
            return;
        };
        let before = std::mem::replace(bits, *bits | STALE | CHANGED);
        if before & STALE == 0 {
            stale.push(slot);
        }
        if before & CHANGED == 0 {
            changed.push(slot);
        }
    }

    /// What changed about a body since the last update; whether its bounds are known is left out.
    pub(crate) fn changes(&self, slot: u32) -> u8 {
        self.bits.get(slot as usize).copied().unwrap_or(0) & CHANGES
    }

    /// Clears the mark and says whether it was set.
    pub(crate) fn take(&mut self, slot: u32, mark: u8) -> bool {
        let Some(bits) = self.bits.get_mut(slot as usize) else { return false };
        let was = *bits & mark != 0;
        *bits &= !mark;
        was
    }

    pub(crate) fn any(&self, a: u32, b: u32, mark: u8) -> bool {
        let of = |slot: u32| self.bits.get(slot as usize).copied().unwrap_or(0);
        (of(a) | of(b)) & mark != 0
    }

    /// Empties the list and returns how many bodies of it were marked.
    pub(crate) fn clear_changed(&mut self, list: &mut Vec<u32>) -> usize {
        list.drain(..).filter(|&slot| self.take(slot, CHANGES)).count()
    }
}
