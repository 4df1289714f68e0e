//! The structure of hulls, checked exactly by other means than they were made.

use std::cmp::Ordering;

use super::*;
use crate::exact::Exact;
use crate::filter::{Approx, Number, Vector};
use crate::simd::SimdLevel;
use crate::{at_level, tolerance};

/// A linear congruential generator.
pub(super) struct Draw(pub(super) u64);

impl Draw {
    pub(super) fn below(&mut self, n: u16) -> u16 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u16::try_from((self.0 >> 33) % u64::from(n)).unwrap()
    }

    /// A whole number from `-reach` to `reach`.
    pub(super) fn whole(&mut self, reach: u16) -> f32 {
        f32::from(self.below(2 * reach + 1)) - f32::from(reach)
    }

    pub(super) fn lattice(&mut self, reach: u16) -> Vec3 {
        Vec3::new(self.whole(reach), self.whole(reach), self.whole(reach))
    }

    pub(super) fn cube(&mut self) -> Vec3 {
        self.lattice(16_000) / 16_384.0
    }

    pub(super) fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.cube();
            if (0.01..1.0).contains(&v.length_squared()) {
                return v / v.length();
            }
        }
    }

    fn shuffle(&mut self, points: &mut [Vec3]) {
        for i in (1..points.len()).rev() {
            points.swap(i, usize::from(self.below(u16::try_from(i + 1).unwrap())));
        }
    }
}

/// How many kinds of point sets [`cloud`] makes.
pub(super) const KINDS: u16 = 12;

/// Points of one kind, many of them degenerate.
pub(super) fn cloud(kind: u16, count: usize, draw: &mut Draw) -> Vec<Vec3> {
    let (u, v, w) = (draw.lattice(3), draw.lattice(3), draw.lattice(3));
    let (at, size) = (draw.cube(), draw.cube().abs() + 0.1);
    let turn = glam::Quat::from_vec4(draw.direction().extend(draw.whole(2)));
    let mut point = |i: usize| match kind {
        0 => draw.lattice(2),
        1 => draw.cube(),
        2 => draw.direction(),
        // In a tilted plane or a line of it, exactly.
        3 => u * draw.whole(5) + v * draw.whole(5) + w,
        4 => u * draw.whole(9) + w,
        // Two lattices, one of them far and fine.
        5 if i.is_multiple_of(2) => draw.lattice(1),
        5 => Vec3::splat(8.0) + draw.lattice(2) / 1024.0,
        // A box in any position, its corners rounded, and points in it.
        6 if i < 8 => turn.normalize() * (draw.lattice(1).signum() * size) + at,
        6 => turn.normalize() * (draw.cube() * size) + at,
        // Needles, plates, denormals and large coordinates.
        7 => draw.lattice(2) * Vec3::new(1e6, 1.0, 1.0) + at,
        8 => draw.cube() * Vec3::new(1.0, 1e-6, 1.0),
        9 => draw.lattice(3) * f32::from_bits(1),
        10 => draw.lattice(3) * 128.0 + 1e9,
        // Everything at once, over the whole range of f32.
        _ => draw.lattice(1) * [1e-45, 1.0, 1e9, 2e38][usize::from(draw.below(4))],
    };
    let mut points: Vec<Vec3> = (0..count).map(&mut point).collect();
    // Repeated points and negative zeros.
    let again = points[0];
    points.push(again);
    points.push(-(-again));
    points
}

fn cross<N: Number>(a: Vec3, b: Vec3, c: Vec3) -> Vector<N> {
    Vector::between(a, b).cross(&Vector::between(a, c))
}

/// Sign of the height of `d` above the plane through `a`, `b` and `c`.
fn height(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Ordering {
    fn sign<N: Number>(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Option<Ordering> {
        cross::<N>(a, b, c).dot(&Vector::between(a, d)).known_sign()
    }
    sign::<Approx>(a, b, c, d).or_else(|| sign::<Exact>(a, b, c, d)).unwrap()
}

/// Sign of how far `d` lies beyond the line from `a` to `b`, seen against the normal of `a`, `b`
/// and `c`.
fn beyond(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Ordering {
    fn sign<N: Number>(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Option<Ordering> {
        cross::<N>(a, d, b).dot(&cross::<N>(a, b, c)).known_sign()
    }
    sign::<Approx>(a, b, c, d).or_else(|| sign::<Exact>(a, b, c, d)).unwrap()
}

fn check_faces(hull: &ConvexHull, points: &[Vec3], context: &str) {
    let at = |v: u32| hull.vertices()[v as usize];
    for (index, face) in (0..).zip(hull.faces()) {
        let [a, b, c] = [0, 1, 2].map(|k| at(face.vertices[k]));
        for &point in points {
            assert_ne!(height(a, b, c, point), Ordering::Greater, "{context}: {point} outside");
        }
        let count = face.vertices.len();
        assert!(face.vertices[1..].iter().all(|v| *v > face.vertices[0]), "{context}: order");
        for k in 0..count {
            let (v, next) = (face.vertices[k], face.vertices[(k + 1) % count]);
            assert_eq!(height(a, b, c, at(v)), Ordering::Equal, "{context}: not flat");
            for other in face.vertices.iter().filter(|&&o| o != v && o != next) {
                let inner = beyond(at(v), at(next), at(*other), at(*other));
                assert_eq!(inner, Ordering::Less, "{context}: corners in line");
                // Turning the same way as the first corner.
                let same = cross::<Exact>(at(v), at(next), at(*other)).dot(&cross(a, b, c));
                assert_eq!(same.sign(), Ordering::Greater, "{context}: not convex");
            }
            let edge = hull.edges()[face.edges[k] as usize];
            assert_eq!(edge.vertices, [v.min(next), v.max(next)], "{context}: edges");
            assert_eq!(edge.faces.unwrap()[usize::from(v > next)], index, "{context}: edges");
        }
        assert!((face.normal.length() - 1.0).abs() < 1e-15, "{context}: unit");
        let above = |&v: &u32| face.normal.dot(at(v).as_dvec3()) - hull.heights()[index as usize];
        let size = at(face.vertices[0]).abs().as_dvec3().element_sum();
        let far = face.vertices.iter().map(above).fold(0.0, |far: f64, it| far.max(it.abs()));
        let reach = hull.extents().element_sum();
        assert!(above(&face.vertices[0]).abs() <= size / (1_u64 << 45) as f64, "{context}: height");
        assert!(far <= reach / (1_u64 << 43) as f64, "{context}: {far} off its height");
        let exact = cross::<Exact>(a, b, c);
        let off = (exact.value().normalize() - face.normal).abs().max_element();
        assert!(off < tolerance::HULL_NORMAL, "{context}: normal off by {off}");
        for i in 0..3 {
            assert_eq!(face.normal[i] == 0.0, exact.0[i].sign().is_eq(), "{context}: zeros");
        }
    }
}

fn check_flat(hull: &ConvexHull, points: &[Vec3], context: &str) {
    let at = |v: u32| hull.vertices()[v as usize];
    let (first, last) = (at(0), hull.vertices()[hull.vertices().len() - 1]);
    match hull.dimension() {
        0 => assert!(points.iter().all(|&p| p == first), "{context}"),
        1 => {
            for &point in points {
                let flat = cross::<Exact>(first, last, point).0.iter().all(|x| x.sign().is_eq());
                assert!(flat, "{context}: {point} beside the line");
                let (low, high) = (first.min(last), first.max(last));
                assert_eq!(point.clamp(low, high), point, "{context}: {point} outside");
            }
        }
        2 => {
            let face = hull.face(0).unwrap().vertices;
            for (k, &a) in face.iter().enumerate() {
                let (b, c) = (face[(k + 1) % face.len()], face[(k + 2) % face.len()]);
                for &point in points {
                    let side = beyond(at(a), at(b), at(c), point);
                    assert_ne!(side, Ordering::Greater, "{context}: {point} outside");
                }
            }
        }
        _ => {}
    }
}

/// Everything that makes this the hull of the points: its corners are some of them, its surface
/// is closed and convex, and no point lies beyond.
fn check(hull: &ConvexHull, points: &[Vec3], context: &str) {
    let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.face_count());
    assert!(hull.vertices().iter().all(|v| points.contains(v)), "{context}: vertices");
    let ascend = |a: &Vec3, b: &Vec3| a.to_array() < b.to_array();
    assert!(hull.vertices().is_sorted_by(ascend), "{context}: order");
    assert!(hull.edges().is_sorted_by(|a, b| a.vertices < b.vertices), "{context}: order");
    match hull.dimension() {
        0 => assert_eq!((v, e, f), (1, 0, 0), "{context}"),
        1 => assert_eq!((v, e, f), (2, 1, 0), "{context}"),
        2 => assert_eq!((e, f), (v, 2), "{context}"),
        _ => assert_eq!(v + f, e + 2, "{context}: Euler"),
    }
    check_faces(hull, points, context);
    check_flat(hull, points, context);
    let mut ends = 0;
    for vertex in 0..to_u32(v) {
        let neighbours = hull.neighbours(vertex);
        ends += neighbours.len();
        assert!(neighbours.len() >= hull.dimension().into(), "{context}: {vertex} no corner");
        assert!(neighbours.is_sorted_by(|a, b| a < b), "{context}: neighbours");
        for &other in neighbours {
            let edge = [vertex.min(other), vertex.max(other)];
            let found = hull.edges().binary_search_by_key(&edge, |edge| edge.vertices);
            assert!(found.is_ok(), "{context}: neighbours without an edge");
        }
    }
    assert_eq!(ends, 2 * e, "{context}: neighbours");
}

#[test]
fn hulls_of_all_kinds_of_points_are_right() {
    let mut draw = Draw(1);
    let mut dimensions = [0; 4];
    for round in 0..KINDS * 60 {
        let count = [1, 2, 3, 4, 5, 8, 12, 20, 60][usize::from(draw.below(9))];
        let kind = round % KINDS;
        let points = cloud(kind, count, &mut draw);
        let hull = ConvexHull::new(&points).unwrap();
        check(&hull, &points, &format!("round {round}, kind {kind}, {count} points"));
        dimensions[usize::from(hull.dimension())] += 1;
    }
    assert!(dimensions.iter().all(|&n| n > 40), "{dimensions:?}");
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    let mut draw = Draw(2);
    for round in 0..KINDS * 20 {
        let mut points = cloud(round % KINDS, 40, &mut draw);
        let hull = ConvexHull::new(&points).unwrap();
        for _ in 0..3 {
            draw.shuffle(&mut points);
            let again = points[3];
            points.push(again);
            assert_eq!(ConvexHull::new(&points).unwrap(), hull, "{round}");
        }
        let corners = ConvexHull::new(hull.vertices()).unwrap();
        assert_eq!(corners, hull, "{round}: the hull of the corners");
    }
}

#[test]
fn powers_of_two_scale_the_hull_bit_for_bit() {
    let mut draw = Draw(3);
    for round in 0..KINDS * 20 {
        let kind = round % KINDS;
        if kind == 9 || kind == 11 {
            continue; // scaled, these would round or overflow
        }
        let points = cloud(kind, 40, &mut draw);
        let hull = ConvexHull::new(&points).unwrap();
        for scale in [2.0_f32.powi(-60), 0.5, 2.0_f32.powi(90)] {
            let scaled: Vec<Vec3> = points.iter().map(|&p| p * scale).collect();
            let scaled = ConvexHull::new(&scaled).unwrap();
            let vertices: Vec<Vec3> = hull.vertices().iter().map(|&p| p * scale).collect();
            assert_eq!(scaled.vertices(), vertices, "{round}");
            assert_eq!(scaled.center(), hull.center() * f64::from(scale), "{round}");
            assert_eq!((&scaled.faces, &scaled.normals), (&hull.faces, &hull.normals), "{round}");
            assert_eq!((&scaled.edges, &scaled.neighbours), (&hull.edges, &hull.neighbours));
        }
    }
}

#[test]
fn full_lattices_keep_their_corners_only() {
    let mut points = Vec::new();
    for x in 0..12_u8 {
        for y in 0..10_u8 {
            for z in 0..9_u8 {
                points.push(Vec3::from([x, y, z].map(f32::from)));
            }
        }
    }
    let upright = ConvexHull::new(&points).unwrap();
    assert_eq!((upright.vertices().len(), upright.edges().len(), upright.face_count()), (8, 12, 6));
    // Sheared, no face is along the axes, and every plane holds many points.
    let shear = |p: &Vec3| Vec3::new(p.x + 2.0 * p.y, p.y + 3.0 * p.z, p.z + p.x);
    let sheared: Vec<Vec3> = points.iter().map(shear).collect();
    let sheared = ConvexHull::new(&sheared).unwrap();
    assert_eq!((sheared.vertices().len(), sheared.edges().len(), sheared.face_count()), (8, 12, 6));
    assert!(sheared.faces().all(|face| face.vertices.len() == 4));
}

#[test]
fn large_hulls_are_convex_at_every_edge() {
    let mut draw = Draw(4);
    for kind in [0, 1, 2, 6, 11] {
        let points = cloud(kind, 6000, &mut draw);
        let hull = ConvexHull::new(&points).unwrap();
        let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.face_count());
        assert_eq!(v + f, e + 2, "kind {kind}: Euler");
        assert!(kind != 2 || v > 5000, "{v}");
        let at = |v: u32| hull.vertices()[v as usize];
        for edge in hull.edges() {
            let [left, right] = edge.faces.unwrap().map(|face| hull.face(face).unwrap());
            let [a, b, c] = [0, 1, 2].map(|k| at(left.vertices[k]));
            for other in right.vertices.iter().filter(|v| !edge.vertices.contains(v)) {
                assert_eq!(height(a, b, c, at(*other)), Ordering::Less, "kind {kind}: {edge:?}");
            }
        }
        let holds = |&point: &Vec3| hull.contains_point(&crate::Pose::IDENTITY, point);
        assert!(points.iter().all(holds), "kind {kind}");
    }
}

#[test]
fn hulls_without_volume_say_what_they_are() {
    let zero = ConvexHull::new(&[Vec3::new(-0.0, 0.0, -0.0); 3]).unwrap();
    assert_eq!((zero.dimension(), zero.vertices().len()), (0, 1));
    assert!(zero.vertices()[0].to_array().iter().all(|x| x.is_sign_positive()));
    assert_eq!((zero.edges(), zero.neighbours(0)), (&[][..], &[][..]));

    let rod = ConvexHull::new(&[Vec3::ZERO, Vec3::splat(3.0), Vec3::ONE, Vec3::ZERO]).unwrap();
    assert_eq!(rod.edges(), &[HullEdge { vertices: [0, 1], faces: None }]);
    assert_eq!((rod.neighbours(0), rod.neighbours(1)), (&[1][..], &[0][..]));
    assert_eq!(rod.center(), DVec3::splat(1.5));

    let square = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), Vec3::X * 0.5];
    let square = ConvexHull::new(&square).unwrap();
    assert_eq!((square.dimension(), square.vertices().len()), (2, 4));
    let [up, down] = [0, 1].map(|face| square.face(face).unwrap());
    assert_eq!((up.normal, down.normal), (-DVec3::Z, DVec3::Z));
    assert_eq!((up.vertices, down.vertices), (&[0, 1, 3, 2][..], &[0, 2, 3, 1][..]));
    assert_eq!(square.face(2), None);
    assert_eq!(square.neighbours(4), &[0; 0]);
}

#[test]
fn bad_points_are_refused_and_named() {
    assert_eq!(ConvexHull::new(&[]), Err(ConvexHullError::Empty));
    let lost = ConvexHull::new(&[Vec3::ZERO, Vec3::new(0.0, f32::NAN, 0.0)]).unwrap_err();
    assert_eq!(lost.to_string(), "points[1]: must be finite, got NaN");
    let far = ConvexHull::new(&[Vec3::NEG_INFINITY]);
    assert_eq!(far, Err(ConvexHullError::NotFinite { index: 0, value: f32::NEG_INFINITY }));
    let many = ConvexHullError::TooMany(1 << 29).to_string();
    assert_eq!(many, "points: must be at most 536870911, got 536870912");
}

#[test]
fn scans_in_f32_find_what_plain_loops_in_f64_find() {
    let mut ties = 0;
    for seed in 0..60_usize {
        let mut state = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        };
        // Some on a lattice, where many lie equally far along an axis, some tiny and some huge.
        let size = [1.0, 1e-38, 1e37, 0.25][seed % 4];
        let is_lattice = seed % 3 == 0;
        let snap = |x: f32| if is_lattice { (x * 2.0).round() } else { x } * size;
        let count = [4, 9, 32, 64, 120][seed % 5];
        // A cube's worth of 120 points has fewer than 64 corners.
        let points: Vec<Vec3> =
            (0..count).map(|_| Vec3::new(snap(next()), snap(next()), snap(next()))).collect();
        let hull = ConvexHull::new(&points).unwrap();
        let all: Vec<DVec3> = hull.vertices().iter().map(|v| v.as_dvec3()).collect();
        for turn in 0..40 {
            let mut direction = DVec3::new(next().into(), next().into(), next().into());
            if turn % 4 == 0 {
                direction = DVec3::AXES[turn / 4 % 3] * direction.x;
            }
            let along = |v: DVec3| v.x * direction.x + v.z * direction.z + v.y * direction.y;
            let most = all.iter().copied().map(along).fold(f64::NEG_INFINITY, f64::max);
            let first = all.iter().copied().find(|&v| along(v) >= most).unwrap();
            assert_eq!(hull.support_nearly(direction), first, "seed {seed} turn {turn}");
            let below = [0.0, 1e-14, 0.25][turn % 3] * f64::from(size) * direction.length();
            let least = direction.dot(first) - below;
            let mut above = Vec::new();
            hull.vertices_within(direction, below, |place| above.push(place as usize));
            let expected: Vec<usize> =
                (0..all.len()).filter(|&k| direction.dot(all[k]) >= least).collect();
            assert_eq!(above, expected, "seed {seed} turn {turn}");
            ties += usize::from(expected.len() > 1);
            let normals = hull.normals();
            let most = normals.iter().map(|n| n.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
            let face = normals.iter().position(|n| n.dot(direction) >= most).map(to_u32);
            assert_eq!(hull.face_along(direction), face, "seed {seed} turn {turn}");
            let lanes =
                at_level!(SimdLevel::detected(), simd => hull.face_along_in_lanes(simd, direction));
            assert_eq!(lanes, face, "seed {seed} turn {turn}");
        }
    }
    assert!(ties > 50, "{ties}");
}

#[test]
fn directions_beyond_f32_have_the_support_of_their_like() {
    // Components that both are more than f32 holds, of which only one counts.
    let points = [[0.3, -0.3, 0.0], [0.25, 0.3, 0.1], [-0.3, 0.1, 0.2], [0.0, 0.0, -0.3]];
    let hull = ConvexHull::new(&points.map(Vec3::from)).unwrap();
    let farthest = Vec3::from(points[0]).as_dvec3();
    for direction in [DVec3::new(1e300, 1e100, 0.0), DVec3::new(1e50, 1e39, 1e39)] {
        assert_eq!(hull.support(direction), farthest, "{direction}");
        assert_eq!(hull.support_nearly(direction), farthest, "{direction}");
    }
}

#[test]
fn lists_in_bytes_are_those_of_the_hull() {
    let mut draw = Draw(31);
    let mut seen = [0; 2];
    for seed in 0..180_u16 {
        let count = [1, 2, 3, 5, 12, 32, 64, 70, 200][usize::from(seed % 9)];
        let hull = ConvexHull::new(&cloud(seed % KINDS, count, &mut draw)).unwrap();
        let is_small = hull.vertices().len() <= 64 && hull.face_count() <= 64;
        seen[usize::from(is_small && hull.face_count() > 0)] += 1;
        for index in 0..to_u32(hull.face_count() + hull.vertices().len() + 70) {
            let mut around = Vec::new();
            let corners: Vec<u32> = hull.face_corners(index).collect();
            hull.for_each_neighbour(index, |vertex| around.push(vertex));
            let face = hull.face(index).map_or(&[][..], |face| face.vertices);
            assert_eq!(corners, face, "seed {seed}, face {index}");
            assert_eq!(around, hull.neighbours(index), "seed {seed}, vertex {index}");
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}
