//! The bodies of a world, in columns by slot.

mod refresh;

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge_shapes::simd::SimdLevel;
use impinge_shapes::{Aabb, Pose, round};
use prefetch_index::prefetch_index;
use slotmap::KeyData;

use self::refresh::Refresh;
use crate::body::Stored;
use crate::face::{Brief, Face};
use crate::filter::Tag;
use crate::world::is_same;
use crate::{Body, BodyError, BodyId, parallel};

/// Bodies of one [`Chunk`].
///
/// - Reason: a snapshot counts one reference for each chunk, and the first write to a chunk after
///   it copies the chunk. With one body in a hundred moving, 64 make half of the chunks be copied
///   if the moving ones are scattered, and one in a hundred if they lie side by side; smaller ones
///   make every snapshot dearer by as much.
pub(crate) const CHUNK: usize = 64;
/// Poses of one task.
const POSES_CHUNK: usize = 2048;
/// Poses between the one in hand and the one whose body is fetched.
const AHEAD: usize = 16;

/// Columns by slot index, which is also the id that the broad phase knows, in chunks that
/// snapshots share.
///
/// A query meets its bodies in no order of memory, so each costs a miss per cache line. What the
/// narrow phase reads fits one; what a filter reads of most bodies fits four bytes, so that those of
/// many bodies stay in cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    chunks: Vec<Arc<Chunk>>,
    /// Slots that were ever used, slot 0 included, which no body has.
    end: usize,
    len: usize,
    /// Slots whose bodies are gone; the last one is used next.
    vacant: Vec<u32>,
    /// Number of bodies with a contact margin of their own.
    margined: usize,
    /// Number of bodies that were ever given a face that no brief holds.
    unusual: usize,
    /// Pairs that are to be ignored, each in both orders.
    ignored: Arc<BTreeSet<(BodyId, BodyId)>>,
}

/// Bodies of neighbouring slots.
#[derive(Clone, Debug)]
struct Chunk {
    stored: [Option<Stored>; CHUNK],
    /// Those of the faces.
    briefs: [Brief; CHUNK],
    faces: [Face; CHUNK],
    /// As of the last refresh.
    bounds: [Aabb; CHUNK],
    user_data: [u64; CHUNK],
    /// Contact margins of their own.
    margins: [f32; CHUNK],
}

impl Chunk {
    fn vacant() -> Self {
        Self {
            stored: [const { None }; CHUNK],
            briefs: [Brief::UNKNOWN; CHUNK],
            faces: [Face::VACANT; CHUNK],
            bounds: [Aabb::EVERYTHING; CHUNK],
            user_data: [0; CHUNK],
            margins: [0.0; CHUNK],
        }
    }

    /// The face, from its brief if that holds it.
    #[inline]
    fn face(&self, lane: usize) -> Face {
        self.briefs[lane].face().unwrap_or_else(|| self.faces[lane])
    }
}

/// A body as an update or a query meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encounter<'b> {
    pub(crate) id: BodyId,
    pub(crate) tag: Tag,
    pub(crate) stored: &'b Stored,
}

/// Chunk of a slot, and place in the chunk.
#[inline]
fn place(slot: u32) -> (usize, usize) {
    (slot as usize / CHUNK, slot as usize % CHUNK)
}

impl Bodies {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { chunks: Vec::with_capacity(capacity / CHUNK + 1), ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// One past the last slot that was ever used.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Slots whose bodies are gone; the last one is used next.
    pub(crate) fn vacant(&self) -> &[u32] {
        &self.vacant
    }

    #[inline]
    pub(crate) fn contains(&self, id: BodyId) -> bool {
        let (chunk, lane) = place(id.index());
        self.chunks.get(chunk).is_some_and(|chunk| chunk.face(lane).version == version(id))
    }

    /// The place of the first of these bodies that does not exist.
    pub(crate) fn first_stale(&self, poses: &[(BodyId, Pose)]) -> Option<usize> {
        let first = |poses: &[(BodyId, Pose)]| poses.iter().position(|(id, _)| !self.contains(*id));
        let found = parallel::chunks(poses, POSES_CHUNK, first);
        let chunk = found.iter().position(Option::is_some)?;
        found[chunk].map(|place| chunk * POSES_CHUNK + place)
    }

    pub(crate) fn insert(&mut self, body: Body) -> Result<BodyId, BodyError> {
        let pose = checked(&body)?;
        // One slot is nobody's, one number means "none".
        if self.len >= (u32::MAX - 2) as usize {
            return Err(BodyError::Full);
        }
        let slot = self.vacant.pop().unwrap_or_else(|| self.add_slot());
        let version = self.version(slot) | 1;
        self.fill(slot, version, body, pose);
        Ok(name(slot, version))
    }

    /// Adds the next slot as it was in another world: vacant, with an even version, or with its
    /// body. Slots that stay vacant are to be [listed](Self::list_vacant).
    pub(crate) fn push(&mut self, version: u32, body: Option<Body>) -> Result<(), BodyError> {
        if self.end >= (u32::MAX - 1) as usize {
            return Err(BodyError::Full);
        }
        let slot = self.add_slot();
        let Some(body) = body else {
            let (chunk, lane) = self.chunk_mut(slot);
            chunk.faces[lane].version = version;
            return Ok(());
        };
        let pose = checked(&body)?;
        self.fill(slot, version, body, pose);
        Ok(())
    }

    /// Takes over the vacant slots, of which the last is to be used next; `false` if these are
    /// not all of them, each once.
    #[must_use]
    pub(crate) fn list_vacant(&mut self, vacant: Vec<u32>) -> bool {
        let mut is_free: Vec<bool> = vec![false; self.end];
        for &slot in &vacant {
            let is_known = (slot as usize) < self.end && slot > 0 && !self.is_alive(slot);
            if !is_known || std::mem::replace(&mut is_free[slot as usize], true) {
                return false;
            }
        }
        self.vacant = vacant;
        self.len + self.vacant.len() + 1 == self.end.max(1)
    }

    /// Makes room for one slot more.
    fn add_slot(&mut self) -> u32 {
        let slot = self.end.max(1);
        self.end = slot + 1;
        while self.chunks.len() <= slot / CHUNK {
            self.chunks.push(Arc::new(Chunk::vacant()));
        }
        to_slot(slot).unwrap_or(u32::MAX)
    }

    fn fill(&mut self, slot: u32, version: u32, body: Body, pose: Pose) {
        let (chunk, lane) = self.chunk_mut(slot);
        chunk.faces[lane] = Face { version, tag: body.tag };
        chunk.bounds[lane] = body.shape.aabb(&pose);
        chunk.stored[lane] = Some(Stored { shape: body.shape, pose });
        let brief = Brief::of(chunk.faces[lane]);
        chunk.briefs[lane] = brief;
        chunk.user_data[lane] = body.user_data;
        // There is one zero, so that whether other bodies have margins shows nowhere.
        chunk.margins[lane] = body.margin.abs();
        self.margined += usize::from(body.margin > 0.0);
        self.unusual += usize::from(!brief.is_known());
        self.len += 1;
    }

    pub(crate) fn remove(&mut self, id: BodyId) -> Option<Body> {
        if !self.contains(id) {
            return None;
        }
        let others: Vec<BodyId> = self.ignored_by(id).collect();
        for other in others {
            self.set_ignored(id, other, false);
        }
        let (chunk, lane) = place(id.index());
        let chunk = Arc::make_mut(&mut self.chunks[chunk]);
        let face = &mut chunk.faces[lane];
        face.version = face.version.wrapping_add(1);
        let tag = face.tag;
        chunk.briefs[lane] = Brief::UNKNOWN;
        self.margined -= usize::from(chunk.margins[lane] > 0.0);
        self.vacant.push(id.index());
        self.len -= 1;
        chunk.stored[lane].take().map(|stored| Body {
            shape: stored.shape,
            position: stored.pose.position(),
            rotation: stored.pose.rotation(),
            tag,
            user_data: chunk.user_data[lane],
            margin: chunk.margins[lane],
        })
    }

    #[inline]
    fn chunk(&self, slot: u32) -> (&Chunk, usize) {
        let (chunk, lane) = place(slot);
        (&self.chunks[chunk], lane)
    }

    /// The chunk to be written, copied first if it is shared.
    #[inline]
    fn chunk_mut(&mut self, slot: u32) -> (&mut Chunk, usize) {
        let (chunk, lane) = place(slot);
        (Arc::make_mut(&mut self.chunks[chunk]), lane)
    }

    /// Id of the body in this slot; the default id for a vacant one.
    #[inline]
    pub(crate) fn id(&self, slot: u32) -> BodyId {
        let (chunk, lane) = self.chunk(slot);
        let face = chunk.faces[lane];
        if face.is_vacant() { BodyId::default() } else { name(slot, face.version) }
    }

    /// Fetches ahead what an update or a query reads of a body; the slot may be any number.
    #[inline]
    pub(crate) fn prefetch(&self, slot: u32) {
        let (chunk, lane) = place(slot);
        let Some(chunk) = self.chunks.get(chunk) else { return };
        prefetch_index(&chunk.stored[..], lane);
        prefetch_index(&chunk.briefs[..], lane);
        if self.unusual > 0 {
            prefetch_index(&chunk.faces[..], lane);
        }
    }

    /// The body in this slot, with what a filter reads.
    #[inline]
    pub(crate) fn met(&self, slot: u32) -> Option<Encounter<'_>> {
        let (chunk, lane) = self.chunk(slot);
        let stored = chunk.stored[lane].as_ref()?;
        let face = chunk.face(lane);
        Some(Encounter { id: name(slot, face.version), tag: face.tag, stored })
    }

    /// The body in this slot, with the brief of what a filter reads.
    #[inline]
    pub(crate) fn glimpse(&self, slot: u32) -> Option<(&Stored, Brief)> {
        let (chunk, lane) = self.chunk(slot);
        chunk.stored[lane].as_ref().map(|stored| (stored, chunk.briefs[lane]))
    }

    /// No pairs are to be ignored, and no body has a margin of its own.
    pub(crate) fn are_plain(&self) -> bool {
        self.margined == 0 && self.ignored.is_empty()
    }

    /// Upper half of the id of the body that is or was last in this slot: even if it is vacant.
    pub(crate) fn version(&self, slot: u32) -> u32 {
        let (chunk, lane) = self.chunk(slot);
        chunk.faces[lane].version
    }

    #[inline]
    pub(crate) fn stored(&self, slot: u32) -> Option<&Stored> {
        let (chunk, lane) = self.chunk(slot);
        chunk.stored[lane].as_ref()
    }

    /// The body of this id, unless it is stale.
    #[inline]
    pub(crate) fn get(&self, id: BodyId) -> Option<&Stored> {
        if self.contains(id) { self.stored(id.index()) } else { None }
    }

    /// The body of this id, unless it is stale.
    pub(crate) fn get_mut(&mut self, id: BodyId) -> Option<&mut Stored> {
        if !self.contains(id) {
            return None;
        }
        let (chunk, lane) = self.chunk_mut(id.index());
        chunk.stored[lane].as_mut()
    }

    /// Puts a body elsewhere; whether that is a change, or `None` for a stale id.
    #[inline]
    pub(crate) fn set_pose(&mut self, id: BodyId, pose: &Pose) -> Option<bool> {
        let (chunk, lane) = place(id.index());
        let shared = self.chunks.get_mut(chunk)?;
        if shared.face(lane).version != version(id) {
            return None;
        }
        // What does not change stays shared.
        if is_same(&shared.stored[lane].as_ref()?.pose, pose) {
            return Some(false);
        }
        if let Some(stored) = &mut Arc::make_mut(shared).stored[lane] {
            stored.pose = *pose;
        }
        Some(true)
    }

    /// Puts bodies elsewhere, all of which exist; says of each whether that is a change.
    pub(crate) fn set_poses(&mut self, poses: &[(BodyId, Pose)], moved: &mut Vec<bool>) {
        moved.clear();
        moved.resize(poses.len(), false);
        if poses.is_sorted_by(|a, b| a.0 < b.0) {
            write_sorted(poses, moved, &mut self.chunks, 0);
        } else {
            write(poses, moved, &mut self.chunks, 0);
        }
    }

    /// Bounds as of the last refresh, without margin.
    #[inline]
    pub(crate) fn bounds(&self, slot: u32) -> &Aabb {
        let (chunk, lane) = self.chunk(slot);
        &chunk.bounds[lane]
    }

    /// Computes the bounds of the bodies in these slots, which ascend, and lists them as the broad
    /// phase is to know them in a world with this margin.
    pub(crate) fn refresh_bounds(
        &mut self,
        slots: &[u32],
        margin: f32,
        level: SimdLevel,
        out: &mut Vec<(u32, Aabb)>,
    ) {
        out.clear();
        out.resize(slots.len(), (0, Aabb::EVERYTHING));
        let refresh = Refresh { margin, has_margins: self.margined > 0, level };
        refresh.run(slots, &mut self.chunks, 0, out);
    }

    #[inline]
    pub(crate) fn tag(&self, slot: u32) -> Tag {
        let (chunk, lane) = self.chunk(slot);
        chunk.faces[lane].tag
    }

    pub(crate) fn set_tag(&mut self, slot: u32, tag: Tag) {
        let (chunk, lane) = self.chunk_mut(slot);
        chunk.faces[lane].tag = tag;
        let brief = Brief::of(chunk.faces[lane]);
        chunk.briefs[lane] = brief;
        self.unusual += usize::from(!brief.is_known());
    }

    #[inline]
    pub(crate) fn user_data(&self, slot: u32) -> u64 {
        let (chunk, lane) = self.chunk(slot);
        chunk.user_data[lane]
    }

    pub(crate) fn set_user_data(&mut self, slot: u32, user_data: u64) {
        let (chunk, lane) = self.chunk_mut(slot);
        chunk.user_data[lane] = user_data;
    }

    /// Contact margin of the body's own.
    #[inline]
    pub(crate) fn margin(&self, slot: u32) -> f32 {
        if self.margined == 0 {
            // A column less to be fetched for each pair of an update.
            return 0.0;
        }
        let (chunk, lane) = self.chunk(slot);
        chunk.margins[lane]
    }

    /// Gives a body, which there is, a contact margin of its own.
    pub(crate) fn set_margin(&mut self, slot: u32, margin: f32) {
        let (chunk, lane) = self.chunk_mut(slot);
        let before = std::mem::replace(&mut chunk.margins[lane], margin.abs());
        self.margined += usize::from(margin > 0.0);
        self.margined -= usize::from(before > 0.0);
    }

    /// Half of a world's margin and the body's own, rounded up: by how much its bounds grow.
    pub(crate) fn growth(&self, slot: u32, world: f32) -> f32 {
        growth_of(self.margin(slot), world)
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
        if self.are_ignored(a, b) == ignored {
            return false;
        }
        let list = Arc::make_mut(&mut self.ignored);
        if ignored {
            list.insert((b, a));
            list.insert((a, b))
        } else {
            list.remove(&(b, a));
            list.remove(&(a, b))
        }
    }

    /// Bodies that are ignored together with this one, in their order.
    pub(crate) fn ignored_by(&self, id: BodyId) -> impl Iterator<Item = BodyId> + '_ {
        let least = BodyId::from_bits(0);
        let all = self.ignored.range((id, least)..);
        all.take_while(move |(a, _)| *a == id).map(|&(_, b)| b)
    }

    /// Pairs that are ignored, the smaller id first, in their order.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = (BodyId, BodyId)> + '_ {
        self.ignored.iter().copied().filter(|(a, b)| a < b)
    }

    /// Ids of the bodies, in their order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let faces = self.chunks.iter().flat_map(|chunk| &chunk.faces);
        let alive = (0..).zip(faces).filter(|(_, face)| !face.is_vacant());
        alive.map(|(slot, face)| name(slot, face.version))
    }

    /// Slots of chunks that the other one does not share; those beyond the end of either included.
    pub(crate) fn unshared<'b>(&'b self, other: &'b Self) -> impl Iterator<Item = u32> + 'b {
        let most = self.chunks.len().max(other.chunks.len());
        let is_shared = |&chunk: &usize| match (self.chunks.get(chunk), other.chunks.get(chunk)) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let unshared = (0..most).filter(move |chunk| !is_shared(chunk));
        unshared.flat_map(|chunk| (chunk * CHUNK..(chunk + 1) * CHUNK).filter_map(to_slot))
    }

    /// Whether a body is in this slot, which may be any number.
    pub(crate) fn is_alive(&self, slot: u32) -> bool {
        let (chunk, lane) = place(slot);
        self.chunks.get(chunk).is_some_and(|chunk| !chunk.faces[lane].is_vacant())
    }
}

fn to_slot(slot: usize) -> Option<u32> {
    u32::try_from(slot).ok()
}

/// Id of a body.
#[inline]
pub(crate) fn name(slot: u32, version: u32) -> BodyId {
    KeyData::from_ffi(u64::from(version) << 32 | u64::from(slot)).into()
}

/// By how much bounds grow for the body's own margin and half of the world's, rounded up.
fn growth_of(own: f32, world: f32) -> f32 {
    // Half of the least denormal would be 0.
    let half = if world > 0.0 { (world * 0.5).max(f32::from_bits(1)) } else { 0.0 };
    if own > 0.0 { round::sum_up(half.into(), own.into()) } else { half }
}

/// Bounds of which two overlap whenever their shapes are within the sum of their growths.
pub(crate) fn grown(bounds: Aabb, growth: f32) -> Aabb {
    // Without a margin the bounds stay tight to the bit.
    if growth > 0.0 { bounds.inflate(growth) } else { bounds }
}

/// Writes poses to their slots, and whether each moves its body; `first` is the number of the first
/// chunk.
fn write(
    poses: &[(BodyId, Pose)],
    mut moved: &mut [bool],
    chunks: &mut [Arc<Chunk>],
    first: usize,
) {
    let at = |entry: &(BodyId, Pose)| place(entry.0.index());
    let mut ahead = poses.iter().skip(AHEAD);
    for run in poses.chunk_by(|a, b| at(a).0 == at(b).0) {
        for (chunk, lane) in ahead.by_ref().take(run.len()).map(at) {
            chunks.get(chunk - first).inspect(|chunk| prefetch_index(&chunk.stored[..], lane));
        }
        let Some(own) = moved.split_off_mut(..run.len()) else { return };
        let chunk = run.first().and_then(|pose| chunks.get_mut(at(pose).0 - first));
        let Some(chunk) = chunk else { continue };
        let mut any = false;
        for (entry, moved) in run.iter().zip(own) {
            let stored = chunk.stored[at(entry).1].as_ref();
            *moved = stored.is_some_and(|stored| !is_same(&stored.pose, &entry.1));
            any |= *moved;
        }
        // What does not change stays shared.
        if !any {
            continue;
        }
        let chunk = Arc::make_mut(chunk);
        for entry in run {
            if let Some(stored) = &mut chunk.stored[at(entry).1] {
                stored.pose = entry.1;
            }
        }
    }
}

/// [`write`] for sorted ids, in parallel: halves of the list touch halves of the chunks.
fn write_sorted(
    poses: &[(BodyId, Pose)],
    moved: &mut [bool],
    chunks: &mut [Arc<Chunk>],
    first: usize,
) {
    if poses.len() <= POSES_CHUNK {
        return write(poses, moved, chunks, first);
    }
    let cut = place(poses[poses.len() / 2].0.index()).0;
    let at = poses.partition_point(|(id, _)| place(id.index()).0 < cut);
    let ((left, right), (left_moved, right_moved)) = (poses.split_at(at), moved.split_at_mut(at));
    let (left_chunks, right_chunks) = chunks.split_at_mut(cut - first);
    rayon::join(
        || write_sorted(left, left_moved, left_chunks, first),
        || write_sorted(right, right_moved, right_chunks, cut),
    );
}

/// The body's pose, if its numbers are what they must be.
pub(crate) fn checked(body: &Body) -> Result<Pose, BodyError> {
    let pose = Pose::new(body.position, body.rotation)?;
    if is_margin(body.margin) { Ok(pose) } else { Err(BodyError::Margin(body.margin)) }
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
