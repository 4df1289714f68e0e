//! What a box meets along a way, against going through all triangles.

use super::*;

/// The part of the way after which a box, grown by a share of the sizes, touches another.
fn first_touch(mover: &Aabb, way: DVec3, grown: f64, target: &Aabb) -> f64 {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let near = f64::from(target.min()[axis]) - f64::from(mover.max()[axis]) - grown;
        let far = f64::from(target.max()[axis]) - f64::from(mover.min()[axis]) + grown;
        let step = way[axis];
        if step == 0.0 {
            leave = if near > 0.0 || far < 0.0 { f64::NEG_INFINITY } else { leave };
        } else {
            let (first, last) = if step > 0.0 { (near, far) } else { (far, near) };
            (enter, leave) = (enter.max(first / step), leave.min(last / step));
        }
    }
    if enter <= leave { enter } else { f64::INFINITY }
}

struct Case {
    mover: Aabb,
    way: DVec3,
    /// When each triangle is met, and when it is met at the earliest where all is a little larger.
    times: Vec<(u32, f64, f64)>,
    low: Vec<u32>,
}

impl Case {
    fn drawn(random: &mut Random, surface: &Surface) -> Self {
        let mut point =
            || if random.below(2) == 0 { random.lattice() } else { random.vector() * 4.0 };
        let (a, b, way) = (point(), point(), point().as_dvec3() * 2.0);
        let at = place(random, surface);
        let a = at + a;
        let b = if random.below(8) == 0 { a } else { a + b * 0.25 };
        let way = match random.below(6) {
            0 => DVec3::ZERO,
            1 => way * DVec3::AXES[random.below(3) as usize],
            _ => way,
        };
        let mover = Aabb::from_sorted(a.min(b), a.max(b));
        let size = (a.abs() + b.abs()).element_sum() + at.abs().element_sum() + 16.0;
        let grown = f64::from(size) * 1e-5;
        let (mut times, mut low) = (Vec::new(), Vec::new());
        for (index, triangle) in surface.triangles() {
            let bounds = triangle_bounds(&triangle.vertices());
            let time = first_touch(&mover, way, 0.0, &bounds);
            times.push((index, time, first_touch(&mover, way, grown, &bounds)));
            if bounds.max().y < at.y {
                low.push(index);
            }
        }
        Self { mover, way, times, low }
    }
}

#[test]
fn what_a_box_meets_is_visited_and_little_else() {
    let (mut met, mut missed, mut passed, mut narrowed) = (0, 0, 0, 0);
    for seed in 0..600 {
        let mut random = Random(seed);
        for surface in surfaces(&mut random) {
            let Case { mover, way, times, low } = Case::drawn(&mut random, &surface);
            let limit = [1.0, 1.0, 0.5, 0.0][random.below(4) as usize];
            let mut visited = Vec::new();
            on!(&surface, set => set.first_met(&mover, way, limit, &mut |_| false, &mut |k, it| {
                assert_eq!(Some(it), set.triangle(k), "seed {seed}");
                visited.push(k);
                1.0
            }));
            visited.sort_unstable();
            assert!(visited.is_sorted_by(|a, b| a < b), "seed {seed}: {visited:?}");
            for &(index, time, early) in &times {
                let seen = visited.binary_search(&index).is_ok();
                assert!(seen || time > limit, "seed {seed}: {index} is met at {time}");
                assert!(!seen || early <= limit + 1e-4, "seed {seed}: {index}, {early} of {limit}");
                *(if seen { &mut met } else { &mut missed }) += 1;
            }

            // Those that are passed are left out, and no others.
            let height = low.iter().filter_map(|&k| on!(&surface, set => set.triangle(k)));
            let height = height.map(|it| triangle_bounds(&it.vertices()).max().y);
            let height = height.fold(f32::NEG_INFINITY, f32::max);
            let mut above = Vec::new();
            let mut passes = |bounds: &Aabb| bounds.max().y <= height;
            on!(&surface, set => set.first_met(&mover, way, limit, &mut passes, &mut |k, _| {
                above.push(k);
                1.0
            }));
            above.sort_unstable();
            let all = visited.len();
            visited.retain(|k| !low.contains(k));
            assert_eq!(above, visited, "seed {seed}");
            passed += usize::from(above.len() < all);

            // Of a search for the first, all that come first are visited.
            let first = times.iter().fold(1.0_f64, |least, it| least.min(it.1));
            let (mut few, mut best) = (Vec::new(), f64::INFINITY);
            on!(&surface, set => set.first_met(&mover, way, 1.0, &mut |_| false, &mut |k, _| {
                few.push(k);
                let time = times.iter().find(|it| it.0 == k).map_or(1.0, |it| it.1.min(1.0));
                best = best.min(time);
                best
            }));
            for &(index, time, _) in &times {
                assert!(time > first || few.contains(&index), "seed {seed}: {index} at {time}");
            }
            narrowed += usize::from(few.len() < all);
        }
    }
    let seen = [met, missed, passed, narrowed];
    println!("met, missed, passed, narrowed: {seen:?}");
    assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
}

/// Without an end, or so far away that little is left of f32.
#[test]
fn boxes_of_any_size_and_place_meet_what_they_touch() {
    let mut random = Random(77);
    let all = |surface: &Surface, mover: &Aabb, way: DVec3| {
        let mut count = 0;
        on!(surface, set => set.first_met(mover, way, 1.0, &mut |_| false, &mut |_, _| {
            count += 1;
            1.0
        }));
        count
    };
    for surface in surfaces(&mut random) {
        let triangles = surface.triangles().len();
        let far = Vec3::splat(1e30);
        let whole = Aabb::from_sorted(-far, far);
        for mover in [Aabb::EVERYTHING, whole] {
            for way in [DVec3::ZERO, DVec3::Y, DVec3::splat(-1e30), DVec3::X * 1e-40] {
                assert_eq!(all(&surface, &mover, way), triangles);
            }
        }
        let above = Aabb::from_sorted(far, far * 2.0);
        assert_eq!(all(&surface, &above, DVec3::Y), 0);
        assert_eq!(all(&surface, &above, DVec3::splat(-3e30)), triangles);
    }
}
