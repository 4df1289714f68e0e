//! Worlds that are put aside, asked about, and taken back.

use impinge_world::{Snapshot, World};

use super::naive::Naive;
use super::{Setting, Soak, draw};
use crate::check::expect_same;
use crate::naive::ray_hits;

/// A world of the past and its naive twin.
#[derive(Debug)]
pub(super) struct Saved {
    kept: Kept,
    /// Hash of the world.
    hash: u64,
    naive: Naive,
    setting: Setting,
}

/// The ways to keep a world.
#[derive(Debug)]
enum Kept {
    Clone(Box<World>),
    Snapshot(Snapshot),
    Bytes(Vec<u8>),
}

impl Soak {
    /// Most worlds that are kept at a time.
    const MOST_SAVED: usize = 4;

    pub(super) fn save(&mut self) -> Result<(), String> {
        if self.saved.len() >= Self::MOST_SAVED {
            let place = self.rng.below(self.saved.len());
            self.saved.swap_remove(place);
        }
        let kept = match self.rng.below(4) {
            0 => Kept::Clone(Box::new(self.world.clone())),
            1 => Kept::Bytes(self.world.to_bytes()),
            _ => Kept::Snapshot(self.world.snapshot()),
        };
        if let Kept::Bytes(bytes) = &kept {
            let mut damaged = bytes.clone();
            damaged[self.rng.below(bytes.len())] ^= 1 << self.rng.below(8);
            expect_same(World::from_bytes(&damaged).is_err(), true, &"damaged bytes refused")?;
            self.tick("damaged worlds refused");
        }
        let (naive, hash) = (self.naive.clone(), self.world.hash());
        self.saved.push(Saved { kept, hash, naive, setting: self.setting });
        self.check_standing()?;
        self.ask_the_past()
    }

    pub(super) fn restore(&mut self) -> Result<(), String> {
        if self.saved.is_empty() {
            return Ok(());
        }
        let place = self.rng.below(self.saved.len());
        let saved = &self.saved[place];
        let way = match &saved.kept {
            Kept::Clone(world) => {
                self.world = (**world).clone();
                "worlds taken back as clones"
            }
            // Into the present world, or into one of its own.
            Kept::Snapshot(snapshot) if self.rng.one_in(4) => {
                self.world = snapshot.to_world();
                "worlds made of snapshots"
            }
            Kept::Snapshot(snapshot) => {
                self.world.restore(snapshot);
                "worlds taken back to snapshots"
            }
            Kept::Bytes(bytes) => {
                self.world = World::from_bytes(bytes).map_err(|error| error.to_string())?;
                "worlds read from bytes"
            }
        };
        expect_same(self.world.hash(), saved.hash, &way)?;
        (self.naive, self.setting) = (saved.naive.clone(), saved.setting);
        self.tick(way);
        // Some are kept, and taken back again after other changes.
        if self.rng.one_in(2) {
            self.saved.swap_remove(place);
        }
        self.check_standing()
    }

    /// A snapshot answers as its world did, whatever happened since.
    fn ask_the_past(&mut self) -> Result<(), String> {
        let place = self.rng.below(self.saved.len());
        let Saved { kept, naive, setting, .. } = &self.saved[place];
        let Kept::Snapshot(snapshot) = kept else { return Ok(()) };
        expect_same(snapshot.len(), naive.bodies.len(), &"bodies of the past")?;
        for body in &naive.bodies {
            let pose = snapshot.body(body.id).map(|found| found.pose());
            expect_same(pose, Some(body.pose), &body.id)?;
        }
        let contacts = snapshot.contacts().iter().map(|contact| (contact.a, contact.b));
        let expected = naive.contacts.iter().map(|contact| (contact.a, contact.b));
        expect_same(contacts.collect::<Vec<_>>(), expected.collect(), &"contacts of the past")?;
        expect_same(snapshot.events().len(), naive.events.len(), &"events of the past")?;
        let queries = snapshot.queries();
        for _ in 0..3 {
            let query = draw::ray_query(setting, naive, &mut self.rng);
            let mut hits = Vec::new();
            queries.raycast_all_with(&query, &mut hits);
            expect_same(hits, ray_hits(naive.placed(&query.filter), &query), &query)?;
        }
        self.tick("questions to the past");
        Ok(())
    }
}
