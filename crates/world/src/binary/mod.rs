//! The state of a world as bytes, and its hash.
//!
//! Both come from one walk over the state ([`state`]), so that whatever is saved is hashed.

mod contacts;
mod reader;
mod shapes;
mod sink;
mod state;
#[cfg(test)]
mod tests;

use thiserror::Error;

use self::reader::{Reader, Refusal};
use self::sink::{Bytes, Digest, Hashing};
use crate::snapshot::Snapshot;
use crate::state::State;
use crate::world::World;

/// First bytes of every saved world. The line end shows whether a transfer took it for text.
const MAGIC: [u8; 8] = *b"impinge\n";
/// Version of the form that is written, the only one so far.
const VERSION: u32 = 1;
/// Magic, version, number of sections and length of the whole.
const HEADER: usize = 8 + 4 + 4 + 8;
/// Checksum of all before it.
const FOOTER: usize = 8;

/// Number of sections.
const COUNT: u32 = 5;
/// The sections, in this order: each is its length in bytes, then these.
const SECTIONS: [&str; COUNT as usize] = ["settings", "shapes", "bodies", "contacts", "events"];

/// Why bytes are not a saved world.
///
/// ```
/// use impinge_world::{DecodeError, World};
///
/// let mut bytes = World::new().to_bytes();
/// assert!(matches!(World::from_bytes(b"GIF89a"), Err(DecodeError::Foreign)));
/// let last = bytes.len() - 1;
/// assert!(World::from_bytes(&bytes[..last]).is_err());
/// bytes[last] ^= 1;
/// assert!(World::from_bytes(&bytes).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// They do not begin as a saved world does.
    #[error("bytes: not a saved world")]
    Foreign,
    /// They were written by a newer library, or have a version that no library writes.
    #[error("version: must be {newest}, got {found}")]
    Version {
        /// Version of the bytes.
        found: u32,
        /// The newest one that can be read, and the only one so far.
        newest: u32,
    },
    /// Some are missing, or there are more than belong to the world.
    #[error("length: {stated} bytes are stated, got {found}")]
    Length {
        /// As the bytes say.
        stated: u64,
        /// As they are.
        found: u64,
    },
    /// Some were changed.
    #[error("checksum: must be {wanted:#018x}, got {found:#018x}")]
    Checksum {
        /// As the bytes say.
        wanted: u64,
        /// As they are.
        found: u64,
    },
    /// A section ends before what it says it holds.
    #[error("{0}: the section ends too soon")]
    SectionEnds(&'static str),
    /// A section holds something that no world has.
    #[error("{section}: {what}")]
    Invalid {
        /// The section.
        section: &'static str,
        /// What is wrong.
        what: String,
    },
}

impl World {
    /// Hash of all that the world's answers follow from.
    ///
    /// It covers every bit of the bodies (ids, shapes, poses, kinds, groups, sensors, margins,
    /// numbers of the caller's, ignored pairs), the settings, the contacts with their names,
    /// points, anchors and slots, sensor overlaps, filtered pairs and events of the last update,
    /// what changed since, and which ids come next. Equal histories have equal hashes on every
    /// machine, and so has a world that was restored, or saved and loaded. How shapes are shared,
    /// and whether the query index is up to date, is not covered.
    ///
    /// - Ties: worlds that came to the same bodies by different ways may differ in the ids that
    ///   come next and in the names of contacts.
    /// - Cost: a pass over all of this.
    ///
    /// ```
    /// use impinge_shapes::{Pose, Shape, glam::Vec3};
    /// use impinge_world::{Body, World};
    ///
    /// let mut world = World::new();
    /// let ball = world.insert(Body::moving(Shape::sphere(1.0)?))?;
    /// let before = world.hash();
    /// let twin = World::from_bytes(&world.to_bytes())?;
    /// world.set_pose(ball, Pose::from_position(Vec3::X)?)?;
    /// assert_eq!(twin.hash(), before);
    /// assert_ne!(world.hash(), before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.snapshot().hash()
    }

    /// The world as bytes, to be read by [`World::from_bytes`] on any machine.
    ///
    /// The form has a version, little-endian numbers and a checksum. Shapes that bodies share are
    /// written once. What follows from the rest, such as pairs, the query index and the faces of
    /// hulls, is left out.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.snapshot().to_bytes()
    }

    /// The world that was written by [`World::to_bytes`] or [`Snapshot::to_bytes`], with the same
    /// ids; it goes on with the same bits.
    ///
    /// - Degenerate: bytes may come from anywhere. Every number is checked, and memory is asked for
    ///   in proportion to their number only. That the contacts and overlaps they tell are those of
    ///   the bodies is taken on trust until a body moves.
    ///
    /// # Errors
    /// Bytes that are not a saved world, were cut off, changed or written by a newer library, or
    /// hold a value that no world has.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Snapshot::from_bytes(bytes).map(|snapshot| snapshot.to_world())
    }
}

impl Snapshot {
    /// [`World::hash`] of the world as it was.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut to = Hashing::new(VERSION.into());
        state::write_settings(self.state(), &mut to);
        state::write_bodies(self.state(), &mut to);
        contacts::write_contacts(self.state(), &mut to);
        contacts::write_events(self.state(), &mut to);
        to.finish()
    }

    /// [`World::to_bytes`] of the world as it was.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Bytes::default();
        state::write_settings(self.state(), &mut to);
        let settings = std::mem::take(&mut to.out);
        state::write_bodies(self.state(), &mut to);
        let bodies = std::mem::take(&mut to.out);
        contacts::write_contacts(self.state(), &mut to);
        let contacts = std::mem::take(&mut to.out);
        contacts::write_events(self.state(), &mut to);
        let (table, count) = to.table();
        let shapes = [&(count as u64).to_le_bytes()[..], table].concat();
        let sections = [&settings, &shapes, &bodies, &contacts, &to.out];
        let content: usize = sections.iter().map(|section| 8 + section.len()).sum();
        let mut bytes = Vec::with_capacity(HEADER + content + FOOTER);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&COUNT.to_le_bytes());
        bytes.extend_from_slice(&((HEADER + content + FOOTER) as u64).to_le_bytes());
        for section in sections {
            bytes.extend_from_slice(&(section.len() as u64).to_le_bytes());
            bytes.extend_from_slice(section);
        }
        let checksum = Digest::of_bytes(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The snapshot that was written by [`Snapshot::to_bytes`] or [`World::to_bytes`].
    ///
    /// # Errors
    /// As [`World::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        decode(bytes).map(|state| Self::new(state, None)).map_err(|refusal| *refusal)
    }
}

fn decode(bytes: &[u8]) -> Result<State, Refusal> {
    let [settings, shapes, bodies, contacts, events] = sections(bytes)?;
    let mut state = State::default();
    state::read_settings(&mut Reader::new(SECTIONS[0], settings), &mut state)?;
    let table = state::read_table(&mut Reader::new(SECTIONS[1], shapes))?;
    state::read_bodies(&mut Reader::new(SECTIONS[2], bodies), &table, &mut state)?;
    contacts::read_contacts(&mut Reader::new(SECTIONS[3], contacts), &mut state)?;
    contacts::read_events(&mut Reader::new(SECTIONS[4], events), &mut state)?;
    Ok(state)
}

/// The contents of the sections, if the bytes are whole.
fn sections(bytes: &[u8]) -> Result<[&[u8]; SECTIONS.len()], Refusal> {
    let found = bytes.len() as u64;
    let magic = &bytes[..bytes.len().min(MAGIC.len())];
    if magic.is_empty() || !MAGIC.starts_with(magic) {
        return Err(Box::new(DecodeError::Foreign));
    }
    let Some((header, _)) = bytes.split_first_chunk::<HEADER>() else {
        let stated = (HEADER + FOOTER) as u64;
        return Err(Box::new(DecodeError::Length { stated, found }));
    };
    let mut header = Reader::new("header", &header[MAGIC.len()..]);
    let (version, count, stated) = (header.u32()?, header.u32()?, header.u64()?);
    if version != VERSION {
        return Err(Box::new(DecodeError::Version { found: version, newest: VERSION }));
    }
    let parts = bytes.split_last_chunk::<FOOTER>().filter(|_| stated == found);
    let Some((content, checksum)) = parts else {
        return Err(Box::new(DecodeError::Length { stated, found }));
    };
    let (wanted, found) = (u64::from_le_bytes(*checksum), Digest::of_bytes(content));
    if wanted != found {
        return Err(Box::new(DecodeError::Checksum { wanted, found }));
    }
    if count != COUNT {
        return Err(header.refuse("a number of sections that no world has"));
    }
    let mut rest = content.get(HEADER..).unwrap_or(&[]);
    let mut sections = [&[][..]; SECTIONS.len()];
    for (section, name) in sections.iter_mut().zip(SECTIONS) {
        let ends = || Box::new(DecodeError::SectionEnds(name));
        let (length, after) = rest.split_first_chunk().ok_or_else(ends)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| ends())?;
        (*section, rest) = after.split_at_checked(length).ok_or_else(ends)?;
    }
    if rest.is_empty() { Ok(sections) } else { Err(header.refuse("bytes after the last section")) }
}
