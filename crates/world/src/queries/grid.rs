//! Several shapes along several motions, as motion planners ask.

use impinge_narrowphase::{ImpactOptions, Motion, SweepOptions};
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape};

use super::Queries;
use crate::{Filter, FirstImpact, ImpactQuery, SweepHit, SweepQuery};

/// A part of what moves, such as the link of a robot.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Filter, GridMover, Groups};
///
/// let link = Shape::capsule_along_y(0.5, 0.125)?;
/// let upper = GridMover::new(&link, Pose::from_position(Vec3::Y)?);
/// let lower = upper.filter(Filter::new().groups(Groups::new(0b1, 0b1)));
/// assert!(lower.place == upper.place && lower.filter.groups != upper.filter.groups);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GridMover<'q> {
    /// Its shape.
    pub shape: &'q Shape,
    /// Where it sits in the frame that moves.
    pub place: Pose,
    /// Which bodies it sees.
    pub filter: Filter<'q>,
}

impl<'q> GridMover<'q> {
    /// Against every solid body.
    #[must_use]
    pub fn new(shape: &'q Shape, place: Pose) -> Self {
        Self { shape, place, filter: Filter::default() }
    }

    /// With a filter.
    #[must_use]
    pub fn filter(mut self, filter: Filter<'q>) -> Self {
        self.filter = filter;
        self
    }
}

/// A way of the frame that moves, without turning; [`Motion`] also turns.
///
/// ```
/// use impinge_shapes::{Pose, glam::Vec3};
/// use impinge_world::GridMotion;
///
/// // One way along each axis.
/// let ways = [Vec3::X, Vec3::Y, Vec3::Z]
///     .map(|displacement| GridMotion { pose: Pose::IDENTITY, displacement });
/// assert_eq!(ways[1].displacement, Vec3::Y);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GridMotion {
    /// Where the frame starts.
    pub pose: Pose,
    /// How far it goes, without turning.
    pub displacement: Vec3,
}

/// The first conflict of every mover along every motion.
///
/// - Order: motions one after the other, the movers of each in theirs.
///
/// ```
/// use impinge_narrowphase::SweepOptions;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, GridMotion, GridMover, SweepGrid, World};
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::sphere(1.0)?).at(Vec3::X * 4.0))?;
/// let ball = Shape::sphere(1.0)?;
/// let movers = [GridMover::new(&ball, Pose::IDENTITY)];
/// let ways = [Vec3::X * 4.0, Vec3::NEG_X * 4.0]
///     .map(|displacement| GridMotion { pose: Pose::IDENTITY, displacement });
/// let mut grid = SweepGrid::new();
/// world.queries().sweep_grid(&movers, &ways, &SweepOptions::default(), &mut grid);
/// assert_eq!(grid.hit(0, 0).map(|hit| hit.fraction), Some(0.5));
/// assert_eq!((grid.hit(1, 0), grid.of_motion(1)), (None, &[None][..]));
/// assert!(grid.is_complete()); // a grid that was cancelled holds nothing, and says so
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepGrid {
    is_complete: bool,
    movers: usize,
    hits: Vec<Option<SweepHit>>,
}

impl SweepGrid {
    /// Nothing asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether every mover was followed along every motion: not if the batch was
    /// [ended early](crate::BatchControl::cancel_when), nor before anything was asked.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The first conflict of a mover along a motion; `None` for none, and beyond the grid.
    ///
    /// - Degenerate: a grid that is not [complete](Self::is_complete) is empty; `None` says nothing
    ///   then.
    #[must_use]
    pub fn hit(&self, motion: usize, mover: usize) -> Option<&SweepHit> {
        self.of_motion(motion).get(mover)?.as_ref()
    }

    /// The first conflict of each mover along a motion.
    #[must_use]
    pub fn of_motion(&self, motion: usize) -> &[Option<SweepHit>] {
        self.hits.chunks(self.movers.max(1)).nth(motion).unwrap_or_default()
    }

    /// The first conflict of all movers along a motion, with the mover's place; of equal fractions
    /// the first mover's. `None` if the way is free.
    ///
    /// - Degenerate: a grid that is not [complete](Self::is_complete) is empty; `None` says nothing
    ///   then, and nothing beyond the grid.
    #[must_use]
    pub fn first(&self, motion: usize) -> Option<(usize, &SweepHit)> {
        let hits = self.of_motion(motion).iter().enumerate();
        let hits = hits.filter_map(|(mover, hit)| Some((mover, hit.as_ref()?)));
        hits.min_by(|(i, a), (j, b)| a.fraction.total_cmp(&b.fraction).then(i.cmp(j)))
    }

    /// All of it.
    #[must_use]
    pub fn hits(&self) -> &[Option<SweepHit>] {
        &self.hits
    }
}

/// The first touch of every mover along every motion that may turn.
///
/// - Order: motions one after the other, the movers of each in theirs.
///
/// ```
/// use impinge_narrowphase::{ImpactOptions, Motion};
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, FirstImpact, GridMover, ImpactGrid, World};
///
/// // An arm of two links turns about its shoulder, by a quarter of a turn either way.
/// let mut world = World::new();
/// let post = world.insert(Body::fixed(Shape::sphere(0.25)?).at(vec3(0.0, 1.75, 0.0)))?;
/// let link = Shape::cuboid(vec3(0.5, 0.125, 0.125))?;
/// let at = |x| Pose::from_position(Vec3::X * x);
/// let links = [GridMover::new(&link, at(0.5)?), GridMover::new(&link, at(1.5)?)];
/// let turn = Vec3::Z * std::f32::consts::FRAC_PI_2;
/// let turns = [turn, -turn].map(|turn| Motion::new(Pose::IDENTITY, Vec3::ZERO, turn));
/// let turns = [turns[0]?, turns[1]?];
/// let mut grid = ImpactGrid::new();
/// world.queries().impact_grid(&links, &turns, &ImpactOptions::default(), &mut grid);
/// let (mover, first) = grid.first(0).unwrap();
/// let FirstImpact::Touches(hit) = first else { panic!("the outer link meets the post") };
/// assert!(mover == 1 && hit.body == post && hit.fraction > 0.7);
/// assert_eq!((grid.impact(0, 0), grid.first(1)), (Some(&FirstImpact::Apart), None));
/// assert!(grid.is_complete()); // the second way is free
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImpactGrid {
    is_complete: bool,
    movers: usize,
    impacts: Vec<FirstImpact>,
}

impl ImpactGrid {
    /// Nothing asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether every mover was followed along every motion: not if the batch was
    /// [ended early](crate::BatchControl::cancel_when), nor before anything was asked.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// What a mover meets along a motion; `None` beyond the grid.
    #[must_use]
    pub fn impact(&self, motion: usize, mover: usize) -> Option<&FirstImpact> {
        self.of_motion(motion).get(mover)
    }

    /// What each mover meets along a motion.
    #[must_use]
    pub fn of_motion(&self, motion: usize) -> &[FirstImpact] {
        self.impacts.chunks(self.movers.max(1)).nth(motion).unwrap_or_default()
    }

    /// What ends the motion: the first touch of all movers, or the time from which on nothing is
    /// known if that comes first, with the mover's place; `None` if the way is free.
    ///
    /// - Ties: the first mover's.
    /// - Degenerate: a grid that is not [complete](Self::is_complete) is empty; `None` says nothing
    ///   then, and nothing beyond the grid.
    #[must_use]
    pub fn first(&self, motion: usize) -> Option<(usize, &FirstImpact)> {
        let ends = self.of_motion(motion).iter().enumerate().filter_map(|(mover, impact)| {
            let end = match impact {
                FirstImpact::Apart => return None,
                FirstImpact::Touches(hit) => hit.fraction,
                FirstImpact::Unconverged { safe } => *safe,
            };
            Some((end, mover, impact))
        });
        let first = ends.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        first.map(|(_, mover, impact)| (mover, impact))
    }

    /// All of it.
    #[must_use]
    pub fn impacts(&self) -> &[FirstImpact] {
        &self.impacts
    }
}

impl Queries<'_> {
    /// [`Queries::time_of_impact_with`] of every mover along every motion, in parallel; the movers
    /// go with the frame as [`Motion::of_part`] says.
    pub fn impact_grid(
        &self,
        movers: &[GridMover<'_>],
        motions: &[Motion],
        options: &ImpactOptions,
        grid: &mut ImpactGrid,
    ) {
        let mut queries = Vec::with_capacity(movers.len().saturating_mul(motions.len()));
        for motion in motions {
            queries.extend(movers.iter().map(|mover| ImpactQuery {
                shape: mover.shape,
                motion: motion.of_part(&mover.place),
                options: *options,
                filter: mover.filter,
            }));
        }
        grid.movers = movers.len();
        self.time_of_impact_batch(&queries, &mut grid.impacts);
        grid.is_complete = grid.impacts.len() == queries.len();
    }

    /// [`Queries::sweep_with`] of every mover along every motion, in parallel.
    ///
    /// ```
    /// use impinge_narrowphase::{ImpactOptions, Motion, SweepOptions};
    /// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, GridMotion, GridMover, SweepGrid, World};
    ///
    /// let mut world = World::new();
    /// let wall = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(Vec3::X * 5.0))?;
    /// let (arm, hand) = (Shape::sphere(0.5)?, Shape::sphere(0.25)?);
    /// let ahead = Pose::from_position(Vec3::X)?;
    /// let movers = [GridMover::new(&arm, Pose::IDENTITY), GridMover::new(&hand, ahead)];
    /// let motions = [Vec3::X * 4.0, Vec3::Y * 4.0]
    ///     .map(|displacement| GridMotion { pose: Pose::IDENTITY, displacement });
    /// let mut grid = SweepGrid::new();
    /// world.queries().sweep_grid(&movers, &motions, &SweepOptions::default(), &mut grid);
    /// let (mover, hit) = grid.first(0).unwrap();
    /// assert_eq!((mover, hit.body, hit.distance), (1, wall, 2.75));
    /// assert_eq!(grid.first(1), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sweep_grid(
        &self,
        movers: &[GridMover<'_>],
        motions: &[GridMotion],
        options: &SweepOptions,
        grid: &mut SweepGrid,
    ) {
        let mut queries = Vec::with_capacity(movers.len().saturating_mul(motions.len()));
        for motion in motions {
            queries.extend(movers.iter().map(|mover| SweepQuery {
                shape: mover.shape,
                pose: motion.pose.compose(&mover.place),
                displacement: motion.displacement,
                options: *options,
                filter: mover.filter,
            }));
        }
        grid.movers = movers.len();
        self.sweep_batch(&queries, &mut grid.hits);
        grid.is_complete = grid.hits.len() == queries.len();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::{BatchControl, Body, World};

    /// Nothing told a grid that was cancelled from one whose ways are all free.
    #[test]
    fn a_cancelled_grid_is_not_complete() {
        let mut world = World::new();
        let ball = Shape::sphere(1.0).unwrap();
        world.insert(Body::fixed(ball.clone()).at(Vec3::X * 3.0)).unwrap();
        let movers = vec![GridMover::new(&ball, Pose::IDENTITY); 10];
        let ways = vec![GridMotion { pose: Pose::IDENTITY, displacement: Vec3::X * 2.0 }; 20];
        let turns = vec![Motion::new(Pose::IDENTITY, Vec3::X * 2.0, Vec3::Z).unwrap(); 20];
        let (mut sweeps, mut impacts) = (SweepGrid::new(), ImpactGrid::new());
        assert!(!sweeps.is_complete() && !impacts.is_complete());
        for (limit, count, is_whole) in
            [(0, 10, false), (100, 10, false), (0, 0, true), (usize::MAX, 10, true)]
        {
            let movers = &movers[..count];
            let stop = AtomicBool::new(limit == 0);
            let progress = |done, _| {
                stop.fetch_or(done >= limit, Ordering::Relaxed);
            };
            let control = BatchControl::new().cancel_when(&stop).progress(&progress);
            let view = world.queries().controlled(&control);
            view.sweep_grid(movers, &ways, &SweepOptions::default(), &mut sweeps);
            assert_eq!(sweeps.is_complete(), is_whole, "{limit}");
            assert_eq!(sweeps.first(0).is_some(), limit > 100);
            stop.store(limit == 0, Ordering::Relaxed);
            view.impact_grid(movers, &turns, &ImpactOptions::default(), &mut impacts);
            assert_eq!(impacts.is_complete(), is_whole, "{limit}");
            assert_eq!(impacts.first(0).is_some(), limit > 100);
        }
    }
}
