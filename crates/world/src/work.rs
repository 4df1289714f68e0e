//! Memory that a world uses again from update to update.

use std::sync::{Mutex, PoisonError};

use impinge_broadphase::Pair;
use impinge_shapes::Aabb;

use crate::SensorOverlap;
use crate::patch::Edits;
use crate::store::Part;
use crate::task::Open;

/// What updates and refreshes write anew each time; nothing of it means anything in between.
///
/// A clone is empty, because it is worth nothing but its memory.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Pairs of the broad phase as a list, for the update.
    pub(crate) pair_list: Vec<Pair>,
    /// Pairs of bodies that changed with smaller ones that did not.
    pub(crate) behind: Vec<Pair>,
    /// Which of the poses that are set move a body.
    pub(crate) moved: Vec<bool>,
    /// Bounds of the bodies that moved.
    pub(crate) refreshed: Vec<(u32, Aabb)>,
    /// What the tasks found, each at the place of its chunk; there may be more than chunks.
    pub(crate) parts: Vec<Part>,
    /// What all tasks of an update found together but for contacts.
    pub(crate) found: Part,
    pub(crate) sensor_edits: Edits<SensorOverlap>,
    pub(crate) pair_edits: Edits<Pair>,
    pub(crate) scratch: ScratchPool,
}

impl Clone for Work {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What a task needs while it runs.
///
/// There are as many as tasks that ran at once, so that each stays in the cache of its thread, and
/// not as many as tasks.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool {
    free: Mutex<Vec<Open<'static>>>,
}

impl ScratchPool {
    /// An empty one, with memory if one was given back.
    pub(crate) fn take(&self) -> Open<'static> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&self, open: Open<'_>) {
        let open = open.emptied();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(open);
    }
}
