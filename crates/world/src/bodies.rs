//! The bodies of a world, in columns by slot.

use std::collections::BTreeSet;

use impinge_shapes::{Aabb, Pose, round};
use slotmap::{KeyData, SlotMap};

use crate::body::Stored;
use crate::filter::Tag;
use crate::{Body, BodyError, BodyId};

/// Columns by slot index, which is also the id that the broad phase knows.
///
/// A query meets its bodies in no order of memory, so each costs a miss per cache line. What a
/// filter reads fits a quarter of a line, what the narrow phase reads fits one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    keys: SlotMap<BodyId, ()>,
    faces: Vec<Face>,
    stored: Vec<Option<Stored>>,
    bounds: Vec<Aabb>,
    user_data: Vec<u64>,
    /// Contact margins of their own.
    margins: Vec<f32>,
    /// Pairs that are to be ignored, each in both orders.
    ignored: BTreeSet<(BodyId, BodyId)>,
}

/// What a filter reads of a body.
#[derive(Clone, Copy, Debug)]
struct Face {
    /// Upper half of the id, whose lower half is the slot; 0 for a vacant slot.
    version: u32,
    tag: Tag,
}

impl Bodies {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            keys: SlotMap::with_capacity_and_key(capacity),
            faces: Vec::with_capacity(capacity + 1),
            stored: Vec::with_capacity(capacity + 1),
            bounds: Vec::with_capacity(capacity + 1),
            user_data: Vec::with_capacity(capacity + 1),
            margins: Vec::with_capacity(capacity + 1),
            ignored: BTreeSet::new(),
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
        if !is_margin(body.margin) {
            return Err(BodyError::Margin(body.margin));
        }
        // One slot is the map's own, one number means "none".
        if self.keys.len() >= (u32::MAX - 2) as usize {
            return Err(BodyError::Full);
        }
        let bounds = body.shape.aabb(&pose);
        let id = self.keys.insert(());
        let slot = id.index() as usize;
        if slot >= self.faces.len() {
            self.faces.resize(slot + 1, Face { version: 0, tag: body.tag });
            self.stored.resize(slot + 1, None);
            self.bounds.resize(slot + 1, bounds);
            self.user_data.resize(slot + 1, 0);
            self.margins.resize(slot + 1, 0.0);
        }
        self.faces[slot] = Face { version: version(id), tag: body.tag };
        self.stored[slot] = Some(Stored { shape: body.shape, pose });
        self.bounds[slot] = bounds;
        self.user_data[slot] = body.user_data;
        self.margins[slot] = body.margin;
        Ok(id)
    }

    pub(crate) fn remove(&mut self, id: BodyId) -> Option<Body> {
        self.keys.remove(id)?;
        let slot = id.index() as usize;
        self.faces[slot].version = 0;
        let others: Vec<BodyId> = self.ignored_by(id).collect();
        for other in others {
            self.set_ignored(id, other, false);
        }
        self.stored[slot].take().map(|stored| Body {
            shape: stored.shape,
            position: stored.pose.position(),
            rotation: stored.pose.rotation(),
            tag: self.faces[slot].tag,
            user_data: self.user_data[slot],
            margin: self.margins[slot],
        })
    }

    /// Id of the body in this slot; the default id for a vacant one.
    #[inline]
    pub(crate) fn id(&self, slot: u32) -> BodyId {
        match self.faces[slot as usize].version {
            0 => BodyId::default(),
            version => KeyData::from_ffi(u64::from(version) << 32 | u64::from(slot)).into(),
        }
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
        self.faces[slot as usize].tag
    }

    #[inline]
    pub(crate) fn tag_mut(&mut self, slot: u32) -> &mut Tag {
        &mut self.faces[slot as usize].tag
    }

    #[inline]
    pub(crate) fn user_data(&self, slot: u32) -> u64 {
        self.user_data[slot as usize]
    }

    pub(crate) fn set_user_data(&mut self, slot: u32, user_data: u64) {
        self.user_data[slot as usize] = user_data;
    }

    /// Contact margin of the body's own.
    #[inline]
    pub(crate) fn margin(&self, slot: u32) -> f32 {
        self.margins[slot as usize]
    }

    pub(crate) fn set_margin(&mut self, slot: u32, margin: f32) {
        self.margins[slot as usize] = margin;
    }

    /// Half of a world's margin and the body's own, rounded up: by how much its bounds grow.
    pub(crate) fn growth(&self, slot: u32, world: f32) -> f32 {
        let own = self.margin(slot);
        // Half of the least denormal would be 0.
        let half = if world > 0.0 { (world * 0.5).max(f32::from_bits(1)) } else { 0.0 };
        if own > 0.0 { round::sum_up(half.into(), own.into()) } else { half }
    }

    /// Contact margin of a pair in a world with this margin; rounded down, so that grown bounds
    /// never miss a pair.
    #[inline]
    pub(crate) fn pair_margin(&self, a: u32, b: u32, world: f32) -> f32 {
        let own = f64::from(self.margin(a)) + f64::from(self.margin(b));
        if own > 0.0 { round::down(f64::from(world) + own) } else { world }
    }

    /// Whether the two are to be ignored.
    #[inline]
    pub(crate) fn are_ignored(&self, a: BodyId, b: BodyId) -> bool {
        !self.ignored.is_empty() && self.ignored.contains(&(a, b))
    }

    /// Whether that is a change.
    pub(crate) fn set_ignored(&mut self, a: BodyId, b: BodyId, ignored: bool) -> bool {
        if ignored {
            self.ignored.insert((b, a));
            self.ignored.insert((a, b))
        } else {
            self.ignored.remove(&(b, a));
            self.ignored.remove(&(a, b))
        }
    }

    /// Bodies that are ignored together with this one, in their order.
    pub(crate) fn ignored_by(&self, id: BodyId) -> impl Iterator<Item = BodyId> + '_ {
        let least = BodyId::from_bits(0);
        let all = self.ignored.range((id, least)..);
        all.take_while(move |(a, _)| *a == id).map(|&(_, b)| b)
    }

    /// Ids of the bodies, in their order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        (0..).zip(&self.faces).filter(|(_, face)| face.version != 0).map(|(slot, _)| self.id(slot))
    }
}

/// Whether a contact margin is a length.
pub(crate) fn is_margin(margin: f32) -> bool {
    margin.is_finite() && margin >= 0.0
}

/// Upper half of an id.
fn version(id: BodyId) -> u32 {
    (id.to_bits() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_their_cache_lines() {
        assert_eq!(size_of::<Face>(), 16);
        assert_eq!(size_of::<Option<Stored>>(), 64);
        assert_eq!(align_of::<Option<Stored>>(), 64);
    }
}
