use super::*;
use crate::triangles::Closest;

fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray::new(origin, direction).unwrap()
}

fn cast(field: &HeightField, ray: &Ray) -> Option<ShapeRayHit> {
    field.raycast(&Pose::IDENTITY, ray, f32::INFINITY, &RayOptions::default())
}

/// Heights that are multiples of 1/8; every coordinate is exact.
fn rolling(rows: usize, columns: usize) -> HeightField {
    let height = |k: usize| {
        let (row, column) = (k / columns, k % columns);
        u16::try_from((row * row * 3 + column * 5 + row * column * 7) % 17).unwrap()
    };
    let heights = (0..rows * columns).map(|k| f32::from(height(k)) / 8.0).collect();
    let size = |count: usize| f32::from(u16::try_from(count - 1).unwrap()) * 0.5;
    HeightField::new(rows, columns, heights, Vec3::new(size(columns), 1.0, size(rows))).unwrap()
}

#[test]
fn bad_fields_are_refused_and_named() {
    let flat = |rows: usize, columns: usize, count: usize, scale: [f32; 3]| {
        HeightField::new(rows, columns, vec![0.0; count], scale.into()).unwrap_err().to_string()
    };
    let one = [1.0; 3];
    assert_eq!(flat(1, 5, 5, one), "rows: must be at least 2, got 1");
    assert_eq!(flat(2, 0, 0, one), "columns: must be at least 2, got 0");
    assert_eq!(flat(2, 3, 5, one), "heights: must be 6, rows times columns, got 5");
    let text = "rows and columns: must make at most 2^31 cells, got 65536 by 65537";
    assert_eq!(flat(65536, 65537, 0, one), text);
    assert!(flat(usize::MAX, usize::MAX, 0, one).starts_with("rows and columns"));
    assert_eq!(flat(2, 2, 4, [0.0, 1.0, 1.0]), "scale[0]: must be finite and positive, got 0");
    assert_eq!(flat(2, 2, 4, [1.0, 1.0, -2.0]), "scale[2]: must be finite and positive, got -2");
    assert_eq!(flat(2, 2, 4, [1.0, f32::NAN, 1.0]), "scale[1]: must be finite, got NaN");
    let heights = |value: f32, scale: f32| {
        let heights = vec![0.0, 0.0, value, 0.0];
        let field = HeightField::new(2, 2, heights, Vec3::new(1.0, scale, 1.0));
        field.unwrap_err().to_string()
    };
    assert_eq!(heights(f32::INFINITY, 1.0), "heights[2]: must be finite, got inf");
    assert_eq!(heights(f32::NAN, 1.0), "heights[2]: must be finite, got NaN");
    assert_eq!(
        heights(1e30, 1e30),
        format!("heights[2]: must be finite after scaling, got {}", 1e30_f32)
    );
    let holes = HeightField::with_holes(2, 2, vec![Some(0.0), None, Some(1.0), None], Vec3::ONE);
    assert_eq!(holes, Err(HeightFieldError::Empty));
    assert!(HeightField::new(2, 2, vec![1.0; 4], Vec3::new(1.0, 0.0, 1.0)).is_ok());
}

#[test]
fn the_grid_is_centred_symmetric_and_rounded_once() {
    let field = HeightField::new(4, 7, vec![3.0; 28], Vec3::new(0.3, 0.1, 10.0)).unwrap();
    let at = |row: usize, column: usize| field.vertex(row, column).unwrap();
    assert_eq!((at(0, 0).x, at(0, 0).z), (-0.15, -5.0));
    assert_eq!((at(3, 6).x, at(3, 6).z), (0.15, 5.0));
    for (row, column) in (0..28).map(|k| (k / 7, k % 7)) {
        let (vertex, mirrored) = (at(row, column), at(3 - row, 6 - column));
        assert_eq!((vertex.x, vertex.z), (-mirrored.x, -mirrored.z));
        assert_eq!(vertex.y.to_bits(), round::nearest(f64::from(0.1_f32) * 3.0).to_bits());
    }
    assert_eq!(at(1, 0).z.to_bits(), (-5.0_f32 / 3.0).to_bits());
    assert_eq!((field.vertex(4, 0), field.vertex(0, 7)), (None, None));
    assert_eq!((field.rows(), field.columns(), field.scale().x), (4, 7, 0.3));
    assert_eq!(field.bounds(), &field.aabb(&Pose::IDENTITY));
    assert_eq!(field.mass_properties(), None);
}

#[test]
fn triangles_are_numbered_as_documented() {
    let field = rolling(4, 5);
    assert_eq!(field.triangle_count(), 24);
    let vertex = |row: usize, column: usize| field.vertex(row, column).unwrap();
    for index in 0..24 {
        let cell = index as usize / 2;
        let (r, c) = (cell / 4, cell % 4);
        let corners = if index % 2 == 0 {
            [vertex(r, c), vertex(r + 1, c), vertex(r, c + 1)]
        } else {
            [vertex(r + 1, c), vertex(r + 1, c + 1), vertex(r, c + 1)]
        };
        assert_eq!(field.triangle(index).map(|triangle| triangle.vertices()), Some(corners));
        let [a, b, c] = corners;
        assert!((b - a).cross(c - a).y > 0.0, "the front is above");
    }
    assert_eq!((field.triangle(24), field.triangle(u32::MAX)), (None, None));
}

#[test]
fn holes_take_their_triangles_away() {
    // A hole at each corner of the second cell in turn.
    let missing = |hole: usize| {
        let heights = (0..8).map(|k| (k != hole).then_some(0.0)).collect();
        let field = HeightField::with_holes(2, 4, heights, Vec3::new(6.0, 1.0, 2.0)).unwrap();
        let missing: Vec<u32> = (0..6).filter(|&i| field.triangle(i).is_none()).collect();
        for index in 0..6 {
            // The middle of where the triangle is or would be.
            let at = f32::from(u8::try_from(index / 2).unwrap()) * 2.0 - 3.0;
            let within = if index % 2 == 0 { Vec3::splat(0.25) } else { Vec3::new(1.5, 9.0, 1.5) };
            let origin = Vec3::new(at + within.x, 5.0, within.z - 1.0);
            let hit = cast(&field, &ray(origin, Vec3::NEG_Y));
            assert_eq!(hit.map(|hit| hit.part), (!missing.contains(&index)).then_some(index));
            for edge in 0..3 {
                let there = field.edge_kind(index, edge).is_some();
                assert_eq!(there, !missing.contains(&index));
            }
        }
        missing
    };
    assert_eq!(missing(1), [0, 1, 2]);
    assert_eq!(missing(2), [2, 3, 4]);
    assert_eq!(missing(5), [1, 2, 3]);
    assert_eq!(missing(6), [3, 4, 5]);
    assert_eq!(missing(0), [0]);
    assert_eq!(missing(7), [5]);
}

#[test]
fn bounds_leave_out_what_holes_cut_off() {
    let mut heights = vec![Some(1.0); 16];
    for k in [0, 4, 8, 12, 3] {
        heights[k] = None;
    }
    heights[7] = Some(9.0);
    let field = HeightField::with_holes(4, 4, heights, Vec3::new(3.0, 1.0, 3.0)).unwrap();
    assert_eq!(field.bounds().min(), Vec3::new(-0.5, 1.0, -1.5));
    assert_eq!(field.bounds().max(), Vec3::new(1.5, 9.0, 1.5));
}

#[test]
fn no_vertical_ray_slips_through_a_seam() {
    let field = rolling(23, 18);
    let vertex = |row: usize, column: usize| field.vertex(row, column);
    let mut checked = 0;
    for (row, column) in (0..23 * 18).map(|k| (k / 18, k % 18)) {
        let here = vertex(row, column).unwrap();
        let mut points = vec![here];
        let diagonal = vertex(row + 1, column).zip(vertex(row, column + 1));
        points.extend(vertex(row, column + 1).map(|next| (here + next) * 0.5));
        points.extend(vertex(row + 1, column).map(|next| (here + next) * 0.5));
        points.extend(diagonal.map(|(a, b)| (a + b) * 0.5));
        for point in points {
            for direction in [Vec3::NEG_Y, Vec3::Y] {
                let hit = cast(&field, &ray(point - direction * 7.0, direction));
                let hit = hit.unwrap_or_else(|| panic!("{point} was missed"));
                assert_eq!((hit.distance, hit.point), (7.0, point));
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 2 * (23 * 18 + 23 * 17 + 22 * 18 + 22 * 17));
}

#[test]
fn rays_in_the_plane_of_a_flat_field_graze_it() {
    let field = HeightField::new(33, 65, vec![2.0; 33 * 65], Vec3::new(64.0, 1.0, 32.0)).unwrap();
    for z in [-16.0, -15.5, 0.0, 0.25, 16.0] {
        let hit = cast(&field, &ray(Vec3::new(-40.0, 2.0, z), Vec3::X)).unwrap();
        assert_eq!((hit.distance, hit.normal), (8.0, Vec3::NEG_X), "{z}");
    }
    let above = ray(Vec3::new(-40.0, 2.0_f32.next_up(), 0.0), Vec3::X);
    assert_eq!(cast(&field, &above), None);
    let beside = ray(Vec3::new(-40.0, 2.0, 16.0_f32.next_up()), Vec3::X);
    assert_eq!(cast(&field, &beside), None);
    assert_eq!(field.edge_kind(0, 1), Some(EdgeKind::Flat));
    assert_eq!(field.edge_kind(0, 0), Some(EdgeKind::Boundary));
}

#[test]
fn strips_of_many_cells_are_walked_too() {
    let count = 3000;
    let heights = (0..2 * count).map(|k| if k % count == 1234 { 8.0 } else { 0.0 }).collect();
    let field = HeightField::new(2, count, heights, Vec3::new(5998.0, 1.0, 2.0)).unwrap();
    let along = cast(&field, &ray(Vec3::new(-4000.0, 7.0, 0.3), Vec3::X)).unwrap();
    // The peak is at 1234 · 2 - 2999, and its slope is two wide and eight high.
    assert_eq!(along.point, Vec3::new(-531.25, 7.0, 0.3));
    assert_eq!(cast(&field, &ray(Vec3::new(-4000.0, 8.5, 0.3), Vec3::X)), None);
    assert_eq!(field.support(DVec3::new(0.0, 1.0, 0.0)).y.to_bits(), 8.0_f64.to_bits());
    let mut visited = Vec::new();
    let bounds = Aabb::new(Vec3::new(-530.5, 1.0, -1.0), Vec3::new(-530.25, 9.0, 1.0)).unwrap();
    let _ = field.for_each_in(&bounds, &mut |index| {
        visited.push(index);
        ControlFlow::Continue(())
    });
    visited.sort_unstable();
    assert_eq!(visited, [2468, 2469]);
}

#[test]
fn a_field_seen_from_below_can_be_open() {
    let field = rolling(5, 5).with_sides(Sides::Front);
    assert_eq!(cast(&field, &ray(Vec3::new(0.1, -9.0, 0.2), Vec3::Y)), None);
    assert!(cast(&field, &ray(Vec3::new(0.1, 9.0, 0.2), Vec3::NEG_Y)).is_some());
    let both = field.clone().with_sides(Sides::Both);
    assert!(cast(&both, &ray(Vec3::new(0.1, -9.0, 0.2), Vec3::Y)).is_some());
    assert_ne!(both, field);
    assert_eq!(format!("{field:?}").matches("rows: 5").count(), 1);
}

#[test]
fn short_rays_hit_what_those_down_the_pyramid_hit() {
    let mut state = 9_u64;
    let mut below = |n: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from(((state >> 32) * u64::from(n)) >> 32).unwrap()
    };
    let share = |n: u32| f32::from(u16::try_from(n).unwrap()) / 64.0;
    let (mut hits, mut misses, mut grazes) = (0, 0, 0);
    let mut ways = [0; 2];
    for case in 0..1200 {
        let (rows, columns) = (2 + below(12) as usize, 2 + below(30) as usize);
        let (holes, flat) = (below(3) == 0, below(4) == 0);
        let size = 2.0_f32.powi([0, 0, 0, 30, -40, -126][below(6) as usize]);
        let sample = |_| {
            let height = if flat { 0.5 } else { share(below(64)) };
            (!(holes && below(6) == 0)).then_some(height * size)
        };
        let heights: Vec<_> = (0..rows * columns).map(sample).collect();
        let extent = |count: usize| f32::from(u16::try_from(count - 1).unwrap()) * size;
        let scale = Vec3::new(extent(columns) * (0.1 + share(below(99))), 1.0, extent(rows));
        let Ok(field) = HeightField::with_holes(rows, columns, heights, scale) else { continue };
        let turn = Vec3::new(share(below(64)), share(below(64)), 0.3);
        let turned = case % 3 == 0;
        let turn = if turned { turn.extend(0.7) } else { Vec3::ZERO.extend(1.0) };
        let at = if turned { Vec3::new(3.0, -40.0, 9.0) * size } else { Vec3::ZERO };
        let pose = Pose::new(at, glam::Quat::from_vec4(turn)).unwrap();
        for _ in 0..24 {
            // Between samples, along rows and columns, straight down, from outside.
            let mut place = || {
                let lattice = below(2) == 0;
                let mut along = |count: usize| {
                    let steps = u32::try_from(count - 1).unwrap();
                    if lattice {
                        below(2 * steps + 1) as f32 / 2.0
                    } else {
                        share(below(64)) * steps as f32
                    }
                };
                let (x, z) = (along(columns), along(rows));
                let (x, z) = (x / (columns - 1) as f32 - 0.5, z / (rows - 1) as f32 - 0.5);
                Vec3::new(x * scale.x, share(below(128)) * size - 0.5 * size, z * scale.z)
            };
            let (from, to) = (place(), place());
            let to = [to, Vec3::new(from.x, to.y, from.z), Vec3::new(to.x, from.y, from.z), to]
                [below(4) as usize];
            let away = share(below(64)) * 4.0;
            let direction = pose.transform_vector(to - from);
            let origin = pose.transform_point(from - (to - from) * away);
            let Ok(ray) = Ray::new(origin, direction) else { continue };
            let max = if below(2) == 0 { f32::INFINITY } else { share(below(640)) * size };
            let options = RayOptions { cull_back_faces: below(4) == 0, ..RayOptions::default() };
            let limits = Limits::new(max, &options).unwrap();
            let found = field.raycast(&pose, &ray, max, &options);
            assert_eq!(found, triangles::closest(&field, &pose, &ray, limits), "{case}: {ray:?}");
            let mut strip = Closest::new(&pose, &ray, limits);
            if let Some(way) = cast::Way::new(&field, &pose, &ray, &strip) {
                let is_known = strip::offer(&way, &field.cells, &mut strip);
                assert!(!is_known || strip.hit() == found, "{case}: {ray:?}");
                ways[usize::from(is_known)] += 1;
            }
            hits += u32::from(found.is_some());
            misses += u32::from(found.is_none());
            grazes += u32::from(found.is_some_and(|hit| hit.normal == -ray.direction()));
        }
    }
    assert!(hits > 8000 && misses > 8000 && grazes > 300, "{hits} {misses} {grazes}");
    assert!(ways[0] > 4000 && ways[1] > 9000, "{ways:?}");
}

/// A regression: a cell was looked for below what is no number.
#[test]
fn near_what_is_no_number_every_triangle_is_looked_at() {
    let field = rolling(5, 7);
    let mut seen = [0; 2];
    for center in [DVec3::NAN, DVec3::new(f64::INFINITY, f64::NAN, 0.0)] {
        let half = DVec3::splat(f64::INFINITY);
        field.nearest_to_box((center, &DMat3::IDENTITY, half), 0.0, f64::INFINITY, &mut |_, _| {
            seen[0] += 1;
            f64::INFINITY
        });
        field.nearest_to(center, 0.0, f64::INFINITY, &mut |_, _| {
            seen[1] += 1;
            f64::INFINITY
        });
    }
    assert_eq!(seen, [2 * field.triangle_count(); 2]);
}
