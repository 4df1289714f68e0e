use super::*;

fn hull(points: &[DVec3], n: DVec3) -> DVec3 {
    points.iter().copied().fold(points[0], |best, p| if p.dot(n) > best.dot(n) { p } else { best })
}

fn distance(a: &[DVec3], b: &[DVec3]) -> Nearest {
    nearest(|n| Support { a: hull(a, n), b: hull(b, -n) }, DVec3::X, 8.0)
}

#[test]
fn points_segments_and_triangles() {
    let point = [DVec3::new(0.0, 3.0, 4.0)];
    let segment = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0)];
    let triangle = [DVec3::new(-2.0, 0.0, 1.0), DVec3::new(2.0, 0.0, 1.0), DVec3::ZERO];
    assert!((distance(&segment, &point).distance - 5.0).abs() < 1e-14);
    assert!((distance(&triangle, &point).distance - 18.0_f64.sqrt()).abs() < 1e-14);
    assert!(distance(&triangle, &segment).distance <= 1e-14);
    let doubled = [point[0], point[0], point[0], point[0]];
    assert!((distance(&segment, &doubled).distance - 5.0).abs() < 1e-14);
}

#[test]
fn one_triangle_is_as_far_as_steps_towards_it_find() {
    let (mut places, mut state) = ([0; 3], 1_u64);
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 32) as f64 / 2_147_483_648.0 - 1.0
    };
    let mut corner = || DVec3::new(number(), number(), number());
    for case in 0..200 {
        let (triangle, point) = ([corner(), corner(), corner()], corner() * 2.0);
        let stepped = distance(&[point], &triangle);
        let found = nearest_of_triangle(triangle.map(|b| Support { a: point, b }));
        assert!((found.distance - stepped.distance).abs() < 1e-12, "{case}: {found:?}");
        assert!((found.point_b - stepped.point_b).length() < 1e-9, "{case}: {found:?}");
        assert!((found.lower_bound - found.distance).abs() < 1e-9, "{case}: {found:?}");
        places[found.simplex.points().len() - 1] += 1;
    }
    assert!(places.iter().all(|&count| count > 5), "{places:?}");
}

#[test]
fn the_bounds_enclose_the_distance_and_overlap_gives_zero() {
    let cube = |c: DVec3| -> Vec<DVec3> {
        let side = |bit: usize, k: usize| if k & bit == 0 { -1.0 } else { 1.0 };
        (0..8).map(|k| c + DVec3::new(side(1, k), side(2, k), side(4, k))).collect()
    };
    let apart = distance(&cube(DVec3::ZERO), &cube(DVec3::new(5.0, 4.0, 0.5)));
    assert!((apart.distance - 13.0_f64.sqrt()).abs() < 1e-14);
    assert!((apart.lower_bound - 13.0_f64.sqrt()).abs() < 1e-14);
    assert!((apart.point_b - apart.point_a - DVec3::new(3.0, 2.0, 0.0)).length() < 1e-13);
    assert!(distance(&cube(DVec3::ZERO), &cube(DVec3::splat(0.7))).distance <= 0.0);
}
