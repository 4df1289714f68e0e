//! Contacts by the slots of their bodies.

use crate::entries::{Entries, Entry, Place};

/// Places of the contacts of each body.
#[derive(Clone, Debug, Default)]
pub(crate) struct BySlot {
    starts: Vec<u32>,
    places: Vec<Place>,
}

impl BySlot {
    pub(crate) fn new(entries: &Entries) -> Self {
        let slots = |entry: &Entry| [entry.a.index() as usize, entry.b.index() as usize];
        let end = entries.iter().flat_map(slots).max().map_or(0, |last| last + 1);
        let mut starts = vec![0_u32; end + 1];
        for slot in entries.iter().flat_map(slots) {
            starts[slot + 1] += 1;
        }
        for slot in 0..end {
            starts[slot + 1] += starts[slot];
        }
        let mut next = starts.clone();
        let mut places = vec![Place { page: 0, index: 0 }; entries.len() * 2];
        for entry in entries.iter() {
            for slot in slots(entry) {
                places[next[slot] as usize] = entry.place;
                next[slot] += 1;
            }
        }
        Self { starts, places }
    }

    pub(crate) fn of(&self, slot: u32) -> &[Place] {
        let bound = |at: usize| self.starts.get(at).map(|&start| start as usize);
        match (bound(slot as usize), bound(slot as usize + 1)) {
            (Some(start), Some(end)) => &self.places[start..end],
            _ => &[],
        }
    }
}
