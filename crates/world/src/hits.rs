//! What queries over the world answer.

use impinge_narrowphase::{Closest, ImpactHit, ShapeSweepHit};
use impinge_shapes::ShapeRayHit;
use impinge_shapes::glam::Vec3;

use crate::{BodyId, parallel};

/// Lists that one task copies.
const COPIED: usize = 1024;

/// Where a ray meets a body.
///
/// ```
/// use impinge_shapes::{Ray, Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, World};
///
/// let mut world = World::new();
/// let [a, b, c] = [Vec3::ZERO, Vec3::X * 4.0, Vec3::Z * 4.0];
/// let id = world.insert(Body::fixed(Shape::triangle(a, b, c)?))?;
/// let down = Ray::new(Vec3::new(1.0, 5.0, 1.0), Vec3::NEG_Y)?;
/// let hit = world.queries().raycast(&down, 9.0, &Filter::default()).expect("it is below");
/// assert_eq!((hit.body, hit.distance, hit.point), (id, 5.0, Vec3::new(1.0, 0.0, 1.0)));
/// assert_eq!(hit.barycentric, Some([0.5, 0.25, 0.25]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The body that was hit.
    pub body: BodyId,
    /// Along the unit direction, in `[0, max_distance]`.
    pub distance: f32,
    /// World position of the hit.
    pub point: Vec3,
    /// Unit, out of the shape; `-direction` for a start inside.
    pub normal: Vec3,
    /// The origin lies in the shape or on its boundary.
    pub started_inside: bool,
    /// Part that was hit: a triangle of a surface, a part of a compound; 0 for a simple shape.
    pub part: u32,
    /// Weights of the corners a, b, c at the point hit, of a triangle; `None` of other shapes.
    pub barycentric: Option<[f32; 3]>,
}

impl RayHit {
    pub(crate) fn new(body: BodyId, hit: ShapeRayHit) -> Self {
        Self {
            body,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            started_inside: hit.started_inside,
            part: hit.part,
            barycentric: hit.barycentric,
        }
    }
}

/// Where a moving shape first touches a body.
///
/// ```
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, World};
///
/// let mut world = World::new();
/// let wall = world.insert(Body::fixed(Shape::cuboid(Vec3::ONE)?).at(Vec3::X * 5.0))?;
/// let (ball, all) = (Shape::sphere(1.0)?, Filter::default());
/// let sweep = |world: &mut World, x: f32| {
///     let start = Pose::from_position(Vec3::X * x).ok()?;
///     world.queries().sweep(&ball, &start, Vec3::X * 6.0, &all)
/// };
/// let hit = sweep(&mut world, 0.0).unwrap();
/// assert_eq!((hit.body, hit.fraction, hit.distance), (wall, 0.5, 3.0));
/// assert_eq!((hit.point, hit.normal), (Vec3::X * 4.0, Vec3::NEG_X));
///
/// let hit = sweep(&mut world, 3.5).unwrap(); // half a metre inside at the start
/// assert!(hit.started_overlapping && hit.fraction == 0.0 && hit.depth == 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepHit {
    /// The body that was hit.
    pub body: BodyId,
    /// Part of the displacement done at the touch, in `[0, 1]`.
    pub fraction: f32,
    /// `fraction * |displacement|`.
    pub distance: f32,
    /// World point of the touch.
    pub point: Vec3,
    /// Unit, out of the body, against the motion; for a start in overlap the normal of least
    /// penetration.
    pub normal: Vec3,
    /// The shapes overlap at the start; `fraction` is 0 and `depth` says how deep.
    pub started_overlapping: bool,
    /// Depth of the overlap at the start, 0 otherwise.
    pub depth: f32,
    /// Part of the mover, 0 for a simple shape.
    pub part_mover: u32,
    /// Part of the body, 0 for a simple shape.
    pub part: u32,
}

impl SweepHit {
    pub(crate) fn new(body: BodyId, hit: ShapeSweepHit) -> Self {
        Self {
            body,
            fraction: hit.fraction,
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
            started_overlapping: hit.started_overlapping,
            depth: hit.depth,
            part_mover: hit.part_mover,
            part: hit.part,
        }
    }
}

/// Whether and when a shape that moves and turns touches a body of the world.
///
/// ```
/// use impinge_narrowphase::{ImpactOptions, Motion};
/// use impinge_shapes::{Pose, Shape, glam::{Vec3, vec3}};
/// use impinge_world::{Body, FirstImpact, ImpactQuery, World};
///
/// let mut world = World::new();
/// world.insert(Body::fixed(Shape::cuboid(vec3(0.125, 4.0, 4.0))?).at(Vec3::X * 3.0))?;
/// let rod = Shape::cuboid(vec3(1.0, 0.25, 0.25))?;
/// let tumbling = Motion::new(Pose::IDENTITY, Vec3::X * 9.0, vec3(0.0, 9.0, 3.0))?;
/// let mut ask = |max_iterations| {
///     let options = ImpactOptions { max_iterations, ..ImpactOptions::default() };
///     world.queries().time_of_impact_with(&ImpactQuery::new(&rod, tumbling).options(options))
/// };
/// // How far a mover may go at least, whatever the answer.
/// let free = |impact| match impact {
///     FirstImpact::Apart => 1.0,
///     FirstImpact::Touches(hit) => hit.fraction,
///     FirstImpact::Unconverged { safe } => safe,
/// };
/// let (cut_short, whole) = (ask(1), ask(100));
/// assert!(matches!(cut_short, FirstImpact::Unconverged { .. }));
/// assert!(matches!(whole, FirstImpact::Touches(_)) && free(cut_short) <= free(whole));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FirstImpact {
    /// It penetrates no body deeper than the tolerance.
    #[default]
    Apart,
    /// It comes to touch a body.
    Touches(BodyImpact),
    /// The steps were used up: up to the time `safe` it penetrates no body deeper than the
    /// tolerance, and what comes after is not known.
    Unconverged {
        /// Part of the motion, in `[0, 1]`.
        safe: f32,
    },
}

/// Where a shape that moves and turns first touches a body.
///
/// ```
/// use impinge_narrowphase::Motion;
/// use impinge_shapes::{Pose, Shape, glam::Vec3};
/// use impinge_world::{Body, BodyImpact, Filter, FirstImpact, World};
///
/// let mut world = World::new();
/// let floor = world.insert(Body::fixed(Shape::half_space(Vec3::Y, 0.0)?))?;
/// let ball = Shape::sphere(0.5)?;
/// let fall = Motion::new(Pose::from_position(Vec3::Y * 2.0)?, Vec3::Y * -3.0, Vec3::X)?;
/// let found = world.queries().time_of_impact(&ball, &fall, &Filter::default());
/// let FirstImpact::Touches(BodyImpact { body, fraction, normal, .. }) = found else {
///     panic!("it lands")
/// };
/// assert_eq!((body, normal), (floor, Vec3::Y));
/// assert!(fraction <= 0.5 && fraction > 0.49);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyImpact {
    /// The body that was hit.
    pub body: BodyId,
    /// Part of the motion done at the touch, in `[0, 1]`.
    pub fraction: f32,
    /// World point of the touch.
    pub point: Vec3,
    /// Unit, out of the body, at the touch; for a start in overlap the normal of least penetration.
    pub normal: Vec3,
    /// The shapes overlap at the start; `fraction` is 0 and `depth` says how deep.
    pub started_overlapping: bool,
    /// Depth of the overlap at the start, 0 otherwise.
    pub depth: f32,
    /// Part of the mover, 0 for a simple shape.
    pub part_mover: u32,
    /// Part of the body, 0 for a simple shape.
    pub part: u32,
}

impl BodyImpact {
    /// Of a hit whose A is the body.
    pub(crate) fn new(body: BodyId, hit: ImpactHit) -> Self {
        Self {
            body,
            fraction: hit.fraction,
            point: hit.point,
            normal: hit.normal,
            started_overlapping: hit.started_overlapping,
            depth: hit.depth,
            part_mover: hit.part_b,
            part: hit.part_a,
        }
    }
}

/// A body near a shape, with the closest points of the two.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, World};
///
/// let mut world = World::new();
/// let ball = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 4.0))?;
/// let found = world.queries().closest_point(Vec3::X, 9.0, &Filter::default()).unwrap();
/// assert_eq!((found.body, found.closest.distance), (ball, 2.0));
/// assert_eq!(found.closest.normal, Vec3::X); // from the point to the body
/// assert_eq!(found.closest.point_b, Vec3::X * 3.0); // on the body
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestBody {
    /// The body.
    pub body: BodyId,
    /// A is the shape that was asked about, B the body.
    pub closest: Closest,
}

/// Bodies by side of a plane, each list in the order of ids.
///
/// ```
/// use impinge_shapes::{Shape, glam::Vec3};
/// use impinge_world::{Body, Filter, World};
///
/// let mut world = World::new();
/// let a = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let b = world.insert(Body::moving(Shape::sphere(1.0)?).at(Vec3::X * 1.5))?;
/// let plane = impinge_shapes::Plane::new(Vec3::X, 1.0)?;
/// let split = world.queries().classify_plane(&plane, &Filter::default());
/// assert_eq!((split.straddling, split.front.len()), (vec![a, b], 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlaneSplit {
    /// Every point lies in front.
    pub front: Vec<BodyId>,
    /// Some point lies on the plane.
    pub straddling: Vec<BodyId>,
    /// Every point lies behind.
    pub behind: Vec<BodyId>,
}

/// Results of a batch, a list for each query, all in one allocation.
///
/// ```
/// use impinge_shapes::{Pose, Shape};
/// use impinge_world::{Body, BodyId, Filter, Hits, OverlapQuery, World};
///
/// let mut world = World::new();
/// let id = world.insert(Body::moving(Shape::sphere(1.0)?))?;
/// let shape = Shape::sphere(0.5)?;
/// let query = OverlapQuery::new(&shape, Pose::IDENTITY);
/// let mut hits: Hits<BodyId> = Hits::new();
/// world.queries().overlap_batch(&[query, query], &mut hits);
/// assert_eq!(&hits[0], &[id]);
/// assert_eq!(hits.iter().map(<[BodyId]>::len).sum::<usize>(), hits.items().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hits<T> {
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Hits<T> {
    /// No queries yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { ends: Vec::new(), items: Vec::new() }
    }

    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no queries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Results of the query at this place of the batch.
    #[must_use]
    pub fn get(&self, query: usize) -> Option<&[T]> {
        let end = *self.ends.get(query)?;
        let start = query.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.items[start..end])
    }

    /// Results of each query in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|query| &self[query])
    }

    /// Results of all queries, one after the other.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// For each query, where its results end in [`Hits::items`].
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Forgets all, keeps the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }

    /// Lets the query write its results, then closes its list.
    pub(crate) fn push_with(&mut self, write: impl FnOnce(&mut Vec<T>)) {
        write(&mut self.items);
        self.ends.push(self.items.len());
    }

    /// Of where each list ends among the items.
    pub(crate) fn from_parts(ends: Vec<usize>, items: Vec<T>) -> Self {
        Self { ends, items }
    }

    /// Copies so many lists, in place of its own.
    pub(crate) fn copy<'l>(&mut self, count: usize, list: impl Fn(usize) -> &'l [T] + Send + Sync)
    where
        T: Copy + Send + Sync + 'l,
    {
        self.ends.clear();
        let mut all = 0;
        self.ends.extend((0..count).map(|number| {
            all += list(number).len();
            all
        }));
        // What lies there is written over, whatever it is.
        match (0..count).find_map(|number| list(number).first()) {
            Some(&any) => self.items.resize(all, any),
            None => self.items.clear(),
        }
        let (mut rest, mut begin) = (&mut self.items[..], 0);
        let tasks = self.ends.chunks(COPIED).enumerate().map(|(task, ends)| {
            let end = ends.last().copied().unwrap_or(begin);
            let (own, others) = std::mem::take(&mut rest).split_at_mut(end - begin);
            (rest, begin) = (others, end);
            (task * COPIED..task * COPIED + ends.len(), own)
        });
        parallel::each(tasks.collect(), |(numbers, mut rest)| {
            for number in numbers {
                let list = list(number);
                let (own, others) = rest.split_at_mut(list.len());
                own.copy_from_slice(list);
                rest = others;
            }
        });
    }

    /// Takes the lists of so many queries in place of its own.
    pub(crate) fn fill(&mut self, queries: usize, parts: &[Sparse<T>])
    where
        T: Copy + Default,
    {
        self.ends.clear();
        self.ends.resize(queries, 0);
        for &(place, count) in parts.iter().flat_map(|part| &part.counts) {
            self.ends[place] = count;
        }
        let mut all = 0;
        for end in &mut self.ends {
            all += *end;
            *end = all;
        }
        self.items.clear();
        self.items.resize(all, T::default());
        for part in parts {
            let mut rest = &part.items[..];
            for &(place, count) in &part.counts {
                let (own, others) = rest.split_at(count);
                let end = self.ends[place];
                self.items[end - count..end].copy_from_slice(own);
                rest = others;
            }
        }
    }
}

/// Results of some of the queries of a batch: of those that have any.
#[derive(Debug)]
pub(crate) struct Sparse<T> {
    /// Place of each query in the batch, and how many results are its own.
    counts: Vec<(usize, usize)>,
    items: Vec<T>,
}

impl<T> Sparse<T> {
    /// Adds the results of one query.
    pub(crate) fn push(&mut self, place: usize, results: impl ExactSizeIterator<Item = T>) {
        self.counts.push((place, results.len()));
        self.items.extend(results);
    }
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { counts: Vec::new(), items: Vec::new() }
    }
}

impl<T> Default for Hits<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> std::ops::Index<usize> for Hits<T> {
    type Output = [T];

    fn index(&self, query: usize) -> &[T] {
        let start = if query == 0 { 0 } else { self.ends[query - 1] };
        &self.items[start..self.ends[query]]
    }
}
