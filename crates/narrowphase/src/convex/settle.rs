//! How two cores lie to each other, from what searches are certain of; where none is, polytopes ask
//! exact arithmetic, and curved cores touch.

use impinge_shapes::convex::Core;
use impinge_shapes::convex::gjk::{Enough, Nearest};
use impinge_shapes::glam::{DVec3, Vec3};

use super::exact::Vertices;
use super::{Cores, Gap, Proof, enclosure};
use crate::exact_pair::settle;
use crate::{Relation, Separation};

impl Cores<'_> {
    /// What is enough of the distance of the cores to know the relation.
    pub(super) fn enough(&self) -> Enough {
        let error = self.error();
        Enough { below: self.radius - error, above: self.radius + error }
    }

    /// The relation as far as f64 knows it.
    pub(super) fn known(&self, gap: &Gap) -> Option<Relation> {
        if gap.proof == Proof::Touch {
            return Some(Relation::Touching);
        }
        let error = self.error();
        if gap.at_least - error > self.radius {
            return Some(Relation::Apart);
        }
        // What has no vertices has nobody else to ask.
        let trusted = gap.proof == Proof::Bounds || !self.is_exact();
        (gap.at_most + error < self.radius && trusted).then_some(Relation::Penetrating)
    }

    /// The relation as far as a search for the nearest points knows it.
    pub(super) fn seen(&self, nearest: &Nearest, enough: &Enough) -> Option<Relation> {
        if nearest.lower_bound > enough.above {
            return Some(Relation::Apart);
        }
        let overlaps = nearest.distance < enough.below
            || enclosure::is_certain(nearest.simplex.points(), self.error());
        overlaps.then_some(Relation::Penetrating)
    }

    /// Whether the cores have grown by no more than rounding hides, so that they overlap where the
    /// two penetrate.
    pub(super) fn is_hardly_grown(&self) -> bool {
        self.radius <= self.error()
    }

    /// The relation of cores of which one is curved: touching where no search is certain of more, in
    /// either order of the two.
    pub(super) fn relation_of_curved(&self) -> Relation {
        self.known_of_curved().or_else(|| self.known_of_exchanged()).unwrap_or(Relation::Touching)
    }

    /// The relation as far as any search in this order is certain of it.
    ///
    /// Each of them is open beside some pairs, so that all are asked, whoever asks: distances take
    /// their sign from here where their own search leaves it open.
    pub(super) fn known_of_curved(&self) -> Option<Relation> {
        let (enough, is_small, start) = (self.enough(), self.is_hardly_grown(), self.start());
        // With a larger ball around the cores a simplex tells sooner.
        let soon = self
            .relation_of_turned(&enough)
            .or_else(|| if is_small { self.walked() } else { None });
        if soon.is_some() {
            return soon;
        }
        let nearest = self.searched(start, &enough);
        self.seen(&nearest, &enough)
            .or_else(|| if is_small { None } else { self.walked() })
            .or_else(|| self.known_of_gap(nearest.distance <= enough.above))
    }

    /// The relation as far as the gap that distances are made from knows it, or a plane along the
    /// faces and edges, which parts none of which two points are near.
    fn known_of_gap(&self, is_near: bool) -> Option<Relation> {
        let gap = self.gap_alone();
        let known = self.known(&gap);
        if known.is_some() || is_near {
            return known;
        }
        let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
        let open = Gap { distance: least, at_least: least, at_most: most, ..gap };
        self.known(&self.through_axes(open))
    }

    /// The relation of polytopes, or of what they sweep over, in exact arithmetic; with a curved core
    /// touching. `normal` is a guess of the direction from A to B, which may be zero.
    pub(super) fn settled(&self, normal: DVec3, motion: Option<Vec3>) -> Relation {
        if let Some(relation) = self.level_relation_towards(normal, motion) {
            return relation;
        }
        let (Some(a), Some(b)) = (self.a.core.vertices(), self.b.core.vertices()) else {
            return Relation::Touching;
        };
        let ([r0, r1], [r2, r3]) = (self.a.radii, self.b.radii);
        let normal = self.face().unwrap_or(normal);
        Vertices { a: &a, b: &b, motion, radii: [r0, r1, r2, r3] }.relation(self.at, normal)
    }

    /// Normal of the plane of a triangle, from A to B, of any length: what rests on a triangle mostly
    /// rests on that.
    pub(super) fn face(&self) -> Option<DVec3> {
        let across = |[p, q, r]: [Vec3; 3]| {
            let [p, q, r] = [p, q, r].map(|corner| corner.as_dvec3());
            (q - p).cross(r - p)
        };
        let normal = match (&self.a.core, &self.b.core) {
            (Core::Triangle(corners), _) => across(*corners),
            (_, Core::Triangle(corners)) => *self.at.rotation() * across(*corners),
            _ => return None,
        };
        Some(if normal.dot(self.start()) < 0.0 { -normal } else { normal })
    }

    /// The relation that a gap leaves open: exact for polytopes; for curved cores what any search is
    /// certain of, else touching.
    fn opened(&self, gap: &Gap) -> Relation {
        // Of a point the profile has told all.
        if self.is_exact() || self.gap_of_point().is_some() {
            return self.settled(gap.normal, None);
        }
        if let Some(relation) = self.level_relation_towards(gap.normal, None) {
            return relation;
        }
        // Two points that are near, and a plane that leaves no depth: nobody is certain of more.
        let near = 0.5 * self.error();
        let is_shallow = gap.at_least >= self.radius - near;
        let is_near = || self.searched(self.start(), &self.enough()).distance <= self.radius + near;
        if is_shallow && is_near() { Relation::Touching } else { self.relation_of_curved() }
    }

    pub(super) fn relation(&self, gap: &Gap) -> Relation {
        self.known(gap).unwrap_or_else(|| self.opened(gap))
    }

    /// The separation of the grown cores with the sign that the exact relation has.
    pub(super) fn separation(&self, gap: &Gap) -> Separation {
        let mut found = self.grown(gap);
        self.settle(gap, &mut found);
        found
    }

    /// The sign of the distance where it is too near to zero to be trusted.
    fn settle(&self, gap: &Gap, found: &mut Separation) {
        let certain = self.known(gap).is_some();
        let noise = if certain { 0.0 } else { self.error().max(found.distance.abs()) };
        found.distance = settle(found.distance, noise, || self.relation(gap));
        found.point_b = found.point_a + found.normal * found.distance;
    }
}
