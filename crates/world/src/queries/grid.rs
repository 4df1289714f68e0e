//! Several shapes along several motions, as motion planners ask.

use impinge_narrowphase::SweepOptions;
use impinge_shapes::glam::Vec3;
use impinge_shapes::{Pose, Shape};

use super::Queries;
use crate::{Filter, SweepHit, SweepQuery};

/// A part of what moves, such as the link of a robot.
#[derive(Clone, Copy, Debug)]
pub struct GridMover<'q> {
    /// Its shape.
    pub shape: &'q Shape,
    /// Where it sits in the frame that moves.
    pub place: Pose,
    /// Which bodies it sees.
    pub filter: Filter<'q>,
}

/// A way of the frame that moves.
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepGrid {
    movers: usize,
    hits: Vec<Option<SweepHit>>,
}

impl SweepGrid {
    /// Nothing asked yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The first conflict of a mover along a motion; `None` for none, and beyond the grid.
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
    /// the first mover's.
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

impl Queries<'_> {
    /// [`Queries::sweep_with`] of every mover along every motion, in parallel.
    ///
    /// ```
    /// use impinge_narrowphase::SweepOptions;
    /// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
    /// use impinge_world::{Body, Filter, GridMotion, GridMover, SweepGrid, World};
    ///
    /// let mut world = World::new();
    /// let wall = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(Vec3::X * 5.0))?;
    /// let (arm, hand) = (Shape::sphere(0.5)?, Shape::sphere(0.25)?);
    /// let at = |shape, x| {
    ///     let place = Pose::from_position(Vec3::X * x)?;
    ///     Ok::<_, impinge_shapes::PoseError>(GridMover { shape, place, filter: Filter::new() })
    /// };
    /// let movers = [at(&arm, 0.0)?, at(&hand, 1.0)?];
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
    }
}
