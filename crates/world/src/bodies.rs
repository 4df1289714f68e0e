//! The bodies of a world, in columns by slot.

use impinge_shapes::{Aabb, Pose};
use slotmap::SlotMap;

use crate::body::Stored;
use crate::filter::Tag;
use crate::{Body, BodyError, BodyId};

/// Columns by slot index, which is also the id that the broad phase knows.
///
/// What the narrow phase reads of a body lies together; what filters and index queries read of
/// many bodies lies apart from it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    keys: SlotMap<BodyId, ()>,
    ids: Vec<BodyId>,
    stored: Vec<Option<Stored>>,
    bounds: Vec<Aabb>,
    tags: Vec<Tag>,
}

impl Bodies {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            keys: SlotMap::with_capacity_and_key(capacity),
            ids: Vec::with_capacity(capacity + 1),
            stored: Vec::with_capacity(capacity + 1),
            bounds: Vec::with_capacity(capacity + 1),
            tags: Vec::with_capacity(capacity + 1),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn contains(&self, id: BodyId) -> bool {
        self.keys.contains_key(id)
    }

    pub(crate) fn insert(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let pose = Pose::new(body.position, body.rotation)?;
        // One slot is the map's own, one number means "none".
        if self.keys.len() >= (u32::MAX - 2) as usize {
            return Err(BodyError::Full);
        }
        let bounds = body.shape.aabb(&pose);
        let id = self.keys.insert(());
        let slot = id.index() as usize;
        if slot >= self.ids.len() {
            self.ids.resize(slot + 1, BodyId::default());
            self.stored.resize(slot + 1, None);
            self.bounds.resize(slot + 1, bounds);
            self.tags.resize(slot + 1, body.tag);
        }
        self.ids[slot] = id;
        self.stored[slot] = Some(Stored { shape: body.shape, pose, user_data: body.user_data });
        self.bounds[slot] = bounds;
        self.tags[slot] = body.tag;
        Ok(id)
    }

    pub(crate) fn remove(&mut self, id: BodyId) -> Option<Body> {
        self.keys.remove(id)?;
        let slot = id.index() as usize;
        self.ids[slot] = BodyId::default();
        self.stored[slot].take().map(|stored| Body {
            shape: stored.shape,
            position: stored.pose.position(),
            rotation: stored.pose.rotation(),
            tag: self.tags[slot],
            user_data: stored.user_data,
        })
    }

    /// Id of the body in this slot; the default id for a vacant one.
    #[inline]
    pub(crate) fn id(&self, slot: u32) -> BodyId {
        self.ids[slot as usize]
    }

    #[inline]
    pub(crate) fn stored(&self, slot: u32) -> Option<&Stored> {
        self.stored[slot as usize].as_ref()
    }

    /// The body of this id, unless it is stale.
    pub(crate) fn get(&self, id: BodyId) -> Option<&Stored> {
        if self.contains(id) { self.stored(id.index()) } else { None }
    }

    /// The body of this id, unless it is stale.
    pub(crate) fn get_mut(&mut self, id: BodyId) -> Option<&mut Stored> {
        if self.contains(id) { self.stored[id.index() as usize].as_mut() } else { None }
    }

    /// The body column, for bulk changes.
    pub(crate) fn column_mut(&mut self) -> &mut [Option<Stored>] {
        &mut self.stored
    }

    /// Bounds as of the last refresh, without margin.
    #[inline]
    pub(crate) fn bounds(&self, slot: u32) -> &Aabb {
        &self.bounds[slot as usize]
    }

    #[inline]
    pub(crate) fn set_bounds(&mut self, slot: u32, bounds: Aabb) {
        self.bounds[slot as usize] = bounds;
    }

    #[inline]
    pub(crate) fn tag(&self, slot: u32) -> Tag {
        self.tags[slot as usize]
    }

    #[inline]
    pub(crate) fn tag_mut(&mut self, slot: u32) -> &mut Tag {
        &mut self.tags[slot as usize]
    }

    /// Ids of the bodies, in their order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.ids.iter().copied().filter(|&id| id != BodyId::default())
    }
}
