use super::*;

fn clipped(quad: &Quad, half: [f64; 2]) -> Polygon {
    let mut polygon = Polygon::none(SimdLevel::detected());
    polygon.clip(quad, half, 8.0);
    polygon
}

/// A quad whose distances are `u - v`.
fn quad([u, v]: [f64; 2], halves: [[f64; 2]; 2]) -> Quad {
    let over = |[u, v]: [f64; 2]| [u, v, u - v];
    Quad { centre: over([u, v]), halves: halves.map(over) }
}

fn diamond() -> Quad {
    quad([0.0, 0.0], [[0.75, -0.75], [0.75, 0.75]])
}

#[test]
fn a_quad_inside_stays_whole() {
    let inside = quad([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
    let polygon = clipped(&inside, [1.0, 1.0]);
    assert!(polygon.plain);
    let mut found: Vec<_> = polygon.corners().iter().map(|c| (c.u, c.v)).collect();
    let mut expected: Vec<_> = inside.corners().iter().map(|c| (c.u, c.v)).collect();
    found.sort_by(|p, q| p.partial_cmp(q).unwrap());
    expected.sort_by(|p, q| p.partial_cmp(q).unwrap());
    assert_eq!(found, expected);
}

#[test]
fn a_diamond_over_a_square_has_eight_corners_with_own_edges() {
    let polygon = clipped(&diamond(), [1.0, 1.0]);
    assert_eq!(polygon.corners().len(), 8);
    let mut names: Vec<u8> = polygon.corners().iter().map(|c| c.edges).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 8);
    for corner in polygon.corners() {
        assert!((corner.u.abs() - 1.0).abs() < 1e-15 || (corner.v.abs() - 1.0).abs() < 1e-15);
        assert!((corner.distance - (corner.u - corner.v)).abs() < 1e-15);
    }
}

#[test]
fn a_quad_outside_leaves_nothing() {
    let outside = quad([3.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
    assert!(clipped(&outside, [1.0, 1.0]).corners().is_empty());
}

#[test]
fn four_corners_span_the_eight_of_a_diamond() {
    let mut polygon = clipped(&diamond(), [1.0, 1.0]);
    polygon.reduce(f64::INFINITY, 8.0);
    assert_eq!(polygon.corners().len(), 4);
    assert!(polygon.corners().is_sorted_by_key(|c| c.edges));
    // The deepest stays: u - v is least at (-1, 0.5) and (-0.5, 1).
    assert!((polygon.deepest() + 1.5).abs() < 1e-15);
    polygon.reduce(-1.0, 8.0);
    assert!(polygon.corners().iter().all(|c| c.distance <= -1.0));
}

/// Faces that lie on each other have crossings of edges that run along each other anywhere.
#[test]
fn crossings_on_a_straight_edge_give_way_to_the_corners() {
    let tiny = 2.0_f64.powi(-50);
    let square = Quad {
        centre: [0.0, 0.0, -1.0],
        halves: [[1.0 + tiny, tiny, 0.0], [-tiny, 1.0 + tiny, 0.0]],
    };
    let mut polygon = clipped(&square, [1.0, 1.0]);
    assert!(polygon.corners().len() > 4 && !polygon.plain);
    polygon.reduce(f64::INFINITY, 8.0);
    assert_eq!(polygon.corners().len(), 4);
    for corner in polygon.corners() {
        let off = (corner.u.abs() - 1.0).abs().max((corner.v.abs() - 1.0).abs());
        assert!(off < 1e-12, "{corner:?}");
    }
}

#[test]
fn twins_are_joined() {
    let flat = quad([0.0, 0.25], [[0.5, 0.0], [0.0, 0.0]]);
    let mut polygon = clipped(&flat, [0.25, 1.0]);
    polygon.reduce(f64::INFINITY, 2.0);
    assert_eq!(polygon.corners().len(), 2);
}

/// Numbers in -1 to 1, some of them whole quarters.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let x = f64::from(u32::try_from(self.0 >> 33).unwrap()) / f64::from(1 << 30) - 1.0;
        if self.0 >> 32 & 0b111 == 0 { (x * 4.0).round() * 0.25 } else { x }
    }
}

/// The two ways to clip name the same corners, and put them into the same places; every level finds
/// the same bits.
#[test]
fn corners_found_at_once_are_those_of_clipping_line_by_line() {
    let mut random = Random(11);
    let (mut counts, mut refused, mut left_turns) = ([0; MOST + 1], 0, 0);
    for round in 0..40_000 {
        let mut next = || random.next();
        let (angle_u, angle_v) = (next(), next());
        let (k, l) = (next().abs() * 1.5, next().abs() * 1.5);
        // Sides of a rectangle that is tilted by up to 45 degrees, of either orientation.
        let length = (angle_u * angle_u + angle_v * angle_v).sqrt().max(1e-3);
        let (cos, sin) = (angle_u / length, angle_v / length);
        let flip = if next() < 0.0 { -1.0 } else { 1.0 };
        let tilt = 0.72 + 0.28 * next();
        let quad = Quad {
            centre: [next() * 1.5, next() * 1.5, next()],
            halves: [
                [k * cos, k * sin * tilt, next()],
                [-l * sin * flip, l * cos * tilt * flip, next()],
            ],
        };
        let half = [next().abs() + 0.01, next().abs() + 0.01];
        let at_once = clipped(&quad, half);
        let mut by_lines = Polygon::none(SimdLevel::scalar());
        by_lines.cut_by_sides(&quad.corners(), half);
        by_lines.join_twins(tolerance::SAME_POINT * 8.0);
        by_lines.sort();
        if !at_once.plain {
            refused += 1;
            continue;
        }
        let mut scalar = Polygon::none(SimdLevel::scalar());
        scalar.clip(&quad, half, 8.0);
        assert_eq!(scalar.corners(), at_once.corners(), "round {round}");
        assert_eq!(by_lines.count, at_once.count, "round {round}: {quad:?} over {half:?}");
        for (one, other) in by_lines.corners().iter().zip(at_once.corners()) {
            assert_eq!(one.edges, other.edges, "round {round}: {quad:?} over {half:?}");
            let off = (one.u - other.u).abs() + (one.v - other.v).abs();
            let off = off + (one.distance - other.distance).abs();
            // The quad's sides may be short beside its slopes.
            assert!(off < 1e-12 / k.min(l).min(1.0), "round {round}: {one:?} {other:?}");
        }
        counts[at_once.count] += 1;
        left_turns += usize::from(flip > 0.0);
    }
    for (count, least) in [(0, 100), (3, 100), (4, 100), (5, 100), (6, 100), (7, 100), (8, 10)] {
        assert!(counts[count] > least, "{counts:?}");
    }
    assert!(refused > 100 && left_turns > 10_000, "{refused} {left_turns} {counts:?}");
}
