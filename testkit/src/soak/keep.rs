//! Worlds that are put aside, asked about, and taken back.

use impinge_world::{Snapshot, World};

use super::ask::ray_hits;
use super::naive::Naive;
use super::{Setting, Soak, draw};
use crate::check::expect_same;

/// A world of the past and its naive twin.
#[derive(Debug)]
pub(super) struct Saved {
    kept: Kept,
    naive: Naive,
    setting: Setting,
}

/// The ways to keep a world.
#[derive(Debug)]
enum Kept {
    Clone(Box<World>),
    Snapshot(Snapshot),
}

impl Soak {
    /// Most worlds that are kept at a time.
    const MOST_SAVED: usize = 4;

    pub(super) fn save(&mut self) -> Result<(), String> {
        if self.saved.len() >= Self::MOST_SAVED {
            let place = self.rng.below(self.saved.len());
            self.saved.swap_remove(place);
        }
        let kept = if self.rng.one_in(4) {
            Kept::Clone(Box::new(self.world.clone()))
        } else {
            Kept::Snapshot(self.world.snapshot())
        };
        self.saved.push(Saved { kept, naive: self.naive.clone(), setting: self.setting });
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
        };
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
        let Saved { kept, naive, setting } = &self.saved[place];
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
            expect_same(hits, ray_hits(naive, &query), &query)?;
        }
        self.tick("questions to the past");
        Ok(())
    }
}
