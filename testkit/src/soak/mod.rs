//! A world under many random operations, checked after each against a naive world.
//!
//! The naive world keeps its bodies in a plain list, in no order, and finds everything anew each
//! time: pairs by comparing all bounds, contacts and answers by asking the narrow phase about every
//! body. It shares no search, no cache and no history with the world.
//!
//! All bodies of a world have sizes within a factor of some millions: beyond that the narrow phase
//! itself has no digits left to compare. Bodies at the ends of the range of f32 visit a copy.

mod ask;
mod bad;
mod change;
mod compare;
mod draw;
mod extreme;
mod keep;
mod naive;

use std::collections::BTreeMap;

use impinge_world::World;
use thiserror::Error;

use self::keep::Saved;
use self::naive::Naive;
use crate::generate::Kind;
use crate::hash::mix;
use crate::rng::Rng;

/// What is done to a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// A body comes in.
    Insert,
    /// A body goes, or rarely all of them.
    Remove,
    /// One or many bodies move a little.
    Move,
    /// A body goes anywhere.
    Teleport,
    /// A body gets another shape.
    Reshape,
    /// A body gets other groups, another kind, becomes a sensor, gets a margin, or ignores another.
    Refilter,
    /// The world's margin, its slots, and how many bodies it is to have.
    Settings,
    /// An update, whose pairs, contacts, overlaps, events, names and slots are checked.
    Update,
    /// A question of any sort.
    Query,
    /// The world is put aside.
    Snapshot,
    /// A world that was put aside takes its place.
    Restore,
    /// Input that must be refused and change nothing.
    BadInput,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Self; 12] = [
        Self::Insert,
        Self::Remove,
        Self::Move,
        Self::Teleport,
        Self::Reshape,
        Self::Refilter,
        Self::Settings,
        Self::Update,
        Self::Query,
        Self::Snapshot,
        Self::Restore,
        Self::BadInput,
    ];
}

/// What a soak did and saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How often each operation was done.
    pub operations: BTreeMap<Operation, usize>,
    /// How often each sort of question found nothing, and how often something.
    pub queries: BTreeMap<&'static str, [usize; 2]>,
    /// How often each other check was passed.
    pub checks: BTreeMap<&'static str, usize>,
    /// How often each sort of bad input was refused.
    pub refused: BTreeMap<&'static str, usize>,
    /// Worlds that were emptied and filled again, by the binary exponent of their unit.
    pub units: BTreeMap<i32, usize>,
    /// Bodies and new shapes of each kind.
    pub shapes: BTreeMap<Kind, usize>,
    /// Pairs whose bounds met, summed over the updates.
    pub pairs: usize,
    /// Those that groups, ignored pairs or a contact filter kept apart.
    pub filtered: usize,
    /// Contacts, summed over the updates.
    pub contacts: usize,
    /// Overlaps through sensors, summed over the updates.
    pub sensor_overlaps: usize,
    /// Events of each kind.
    pub begun: usize,
    /// See [`Figures::begun`].
    pub persisted: usize,
    /// See [`Figures::begun`].
    pub ended: usize,
    /// Slots that stayed with their contact points.
    pub slots_kept: usize,
    /// Most bodies at a time.
    pub most_bodies: usize,
    /// Hash of all that the updates told: equal seeds give equal numbers.
    pub hash: u64,
}

/// What differed from the naive world, and when.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("seed {seed}, operation {number} ({operation:?}): {message}")]
pub struct SoakError {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the operation, from 0.
    pub number: usize,
    /// What was done.
    pub operation: Operation,
    /// What differed.
    pub message: String,
}

/// How large the world is at present.
#[derive(Clone, Copy, Debug)]
struct Setting {
    /// About how many bodies there are to be.
    bodies: usize,
    /// Half of the edge of the cube they lie in.
    side: f64,
    /// Unit of all lengths, `side` included: a power of two, the same for all bodies.
    unit: f64,
}

/// A world, its naive twin, and copies of both that were put aside.
#[derive(Debug)]
struct Soak {
    rng: Rng,
    setting: Setting,
    world: World,
    naive: Naive,
    saved: Vec<Saved>,
    figures: Figures,
    /// What was written to a slot last; unique for each slot.
    mark: u32,
}

/// Runs random operations and checks each of them.
///
/// # Errors
/// The first answer that differs from the naive world's, or bad input that was not refused.
pub fn run(seed: u64, operations: usize) -> Result<Figures, SoakError> {
    let mut soak = Soak::new(Rng::stream(seed, 1));
    for number in 0..operations {
        soak.step(number).map_err(|error| SoakError { seed, ..error })?;
    }
    Ok(soak.figures)
}

/// Runs operations that a fuzzer chooses, as long as there are bytes left, and checks each of them.
///
/// # Errors
/// As [`run`], with 0 for the seed.
pub fn run_over(bytes: &[u8]) -> Result<Figures, SoakError> {
    let mut soak = Soak::new(Rng::over(bytes));
    let mut number = 0;
    while !soak.rng.is_spent() {
        soak.step(number)?;
        number += 1;
    }
    Ok(soak.figures)
}

impl Soak {
    fn new(mut rng: Rng) -> Self {
        let setting = Setting::draw(1.0, &mut rng);
        let (world, naive, figures) = (World::new(), Naive::default(), Figures::default());
        Self { rng, setting, world, naive, saved: Vec::new(), figures, mark: 0 }
    }

    /// The next operation; they come so often that every sort of change meets every other.
    fn choose(&mut self) -> Operation {
        let few = self.naive.bodies.len() < self.setting.bodies;
        match self.rng.below(1000) {
            0..60 => Operation::Insert,
            60..120 if few => Operation::Insert,
            60..120 => Operation::Remove,
            120..150 => Operation::Remove,
            150..360 => Operation::Move,
            360..420 => Operation::Teleport,
            420..480 => Operation::Reshape,
            480..570 => Operation::Refilter,
            570..574 => Operation::Settings,
            574..690 => Operation::Update,
            690..910 => Operation::Query,
            910..920 => Operation::Snapshot,
            920..926 => Operation::Restore,
            _ => Operation::BadInput,
        }
    }

    fn step(&mut self, number: usize) -> Result<(), SoakError> {
        let operation = self.choose();
        let failed = |message| SoakError { seed: 0, number, operation, message };
        self.perform(operation).map_err(failed)
    }

    fn perform(&mut self, operation: Operation) -> Result<(), String> {
        *self.figures.operations.entry(operation).or_default() += 1;
        match operation {
            Operation::Insert => self.insert(),
            Operation::Remove => self.remove(),
            Operation::Move => self.shift(),
            Operation::Teleport => self.teleport(),
            Operation::Reshape => self.reshape(),
            Operation::Refilter => self.refilter(),
            Operation::Settings => self.set(),
            Operation::Update => self.update(),
            Operation::Query => self.ask(),
            Operation::Snapshot => self.save(),
            Operation::Restore => self.restore(),
            Operation::BadInput => self.mistreat(),
        }
    }

    /// Counts an answer to a question.
    fn count(&mut self, sort: &'static str, found: bool) {
        self.figures.queries.entry(sort).or_default()[usize::from(found)] += 1;
    }

    /// Counts a check that was passed.
    fn tick(&mut self, check: &'static str) {
        *self.figures.checks.entry(check).or_default() += 1;
    }

    fn hash_in(&mut self, word: u64) {
        self.figures.hash = mix(self.figures.hash ^ word).wrapping_add(1);
    }
}

impl Setting {
    /// Units in which worlds are laid out: one, or far from it, with room for squares in f64 only.
    const UNITS: [f64; 3] = [1.0, 1.0 / (1_u64 << 60) as f64, (1_u64 << 60) as f64];

    fn draw(unit: f64, rng: &mut Rng) -> Self {
        let bodies = match rng.below(16) {
            0 => 3,
            1..5 => 16,
            5..11 => 50,
            11..15 => 120,
            _ => 300,
        };
        // A body and its share of the empty space take about eight units.
        let side = crate::rng::cube_root(bodies as f64) * rng.pick(&[0.7, 1.0, 1.6]);
        Self { bodies, side: side * unit, unit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A soak that went well so far and has something of everything to spoil.
    fn begun() -> Soak {
        let mut soak = Soak::new(Rng::stream(11, 1));
        for number in 0.. {
            assert!(number < 100_000, "no contacts and events at once");
            let operation = soak.choose();
            soak.perform(operation).unwrap();
            let naive = &soak.naive;
            let few = naive.contacts.len().min(naive.events.len()).min(naive.pairs.len()) < 2;
            if number >= 400 && naive.bodies.len() >= 8 && !few {
                break;
            }
        }
        soak.check_standing().unwrap();
        soak
    }

    #[test]
    fn a_difference_is_told() {
        let spoil: [fn(&mut Soak); 6] = [
            |soak| soak.naive.bodies[3].user_data += 1,
            |soak| soak.naive.bodies.truncate(1),
            |soak| soak.naive.contacts.truncate(1),
            |soak| soak.naive.events.truncate(1),
            |soak| soak.naive.margin += 0.5,
            |soak| soak.naive.pairs.truncate(1),
        ];
        for (number, spoil) in spoil.into_iter().enumerate() {
            let mut soak = begun();
            spoil(&mut soak);
            assert!(soak.check_standing().is_err(), "difference {number}");
        }
    }

    #[test]
    fn a_body_that_moved_alone_is_found_out() {
        let mut soak = begun();
        let (id, pose) = (soak.naive.bodies[0].id, soak.naive.bodies[0].pose);
        let away = crate::generate::pose(pose.position() * 0.5 + 0.25, pose.rotation());
        soak.world.set_pose(id, away).unwrap();
        assert!(soak.check_standing().is_err() && soak.update().is_err());
    }
}
