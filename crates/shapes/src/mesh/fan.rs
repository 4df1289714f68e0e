//! Edges at which more than two triangles meet.

use std::cmp::Ordering;

use glam::Vec3;

use super::edges::{Corners, Side};
use crate::triangles::{Bend, Bends, bend};

/// The triangles at one edge that lie in the same half of the same plane.
struct Leaf<'a> {
    /// A corner beside the edge.
    far: Vec3,
    sides: Vec<&'a Side>,
}

/// The edge, looked at along its ascending direction.
struct Spine {
    p: Vec3,
    q: Vec3,
}

impl Spine {
    /// Where `to` lies for one who comes over the edge from `from`.
    fn bend(&self, from: Vec3, to: Vec3) -> Bend {
        bend([self.p, self.q, from], to)
    }

    /// Order around the edge, beginning at `first`.
    fn compare(&self, first: Vec3, a: Vec3, b: Vec3) -> Ordering {
        let turn = |to: Vec3| match self.bend(first, to) {
            Bend::Folded => 0,
            Bend::Rising => 1,
            Bend::Level => 2,
            Bend::Falling => 3,
        };
        turn(a).cmp(&turn(b)).then_with(|| match self.bend(a, b) {
            Bend::Rising => Ordering::Less,
            Bend::Falling => Ordering::Greater,
            Bend::Level | Bend::Folded => Ordering::Equal,
        })
    }
}

/// Calls back with every side and the bends to all the other triangles at the edge.
///
/// The triangles are sorted around the edge, so that any number of them costs little more than
/// a sort: what rises begins with the next one, what falls ends with the one before.
pub(super) fn for_each(mesh: &Corners, shared: &[Side], mut add: impl FnMut(&Side, Bends)) {
    let Some(first) = shared.first() else { return };
    let [p, q, _] = mesh.seen_from(first);
    let spine = if first.ascending { Spine { p, q } } else { Spine { p: q, q: p } };
    // A triangle without area has no direction; it makes the edge level for all others.
    let is_thin = |side: &&Side| {
        let far = mesh.opposite(side);
        spine.bend(far, far) == Bend::Level
    };
    let (thin, wide): (Vec<&Side>, Vec<&Side>) = shared.iter().partition(is_thin);
    let several = shared.iter().any(|side| side.triangle != first.triangle);
    for side in &thin {
        add(side, if several { Bends::from(Bend::Level) } else { Bends::default() });
    }
    let leaves = sorted(mesh, &spine, wide);
    for (i, leaf) in leaves.iter().enumerate() {
        let mut bends = Bends::default();
        if !thin.is_empty() {
            bends.add(Bend::Level);
        }
        if leaf.sides.len() > 1 {
            bends.add(Bend::Folded);
        }
        let around = |k: usize| spine.bend(leaf.far, leaves[(i + k) % leaves.len()].far);
        let (mut rising, mut others) = (1, leaves.len());
        while rising < others {
            let middle = usize::midpoint(rising, others);
            if around(middle) == Bend::Rising { rising = middle + 1 } else { others = middle }
        }
        if rising > 1 {
            bends.add(Bend::Rising);
        }
        if rising < leaves.len() {
            bends.add(around(rising));
            bends.add(around(leaves.len() - 1));
        }
        for side in &leaf.sides {
            add(side, if side.ascending { bends } else { bends.flipped() });
        }
    }
}

/// The triangles with an area in their order around the edge.
fn sorted<'a>(mesh: &Corners, spine: &Spine, wide: Vec<&'a Side>) -> Vec<Leaf<'a>> {
    let mut wide: Vec<(Vec3, &Side)> =
        wide.into_iter().map(|side| (mesh.opposite(side), side)).collect();
    let Some(&(start, _)) = wide.first() else { return Vec::new() };
    wide.sort_by(|(a, _), (b, _)| spine.compare(start, *a, *b));
    let mut leaves: Vec<Leaf> = Vec::new();
    for (far, side) in wide {
        match leaves.last_mut() {
            Some(leaf) if spine.bend(leaf.far, far) == Bend::Folded => leaf.sides.push(side),
            _ => leaves.push(Leaf { far, sides: vec![side] }),
        }
    }
    leaves
}
