use glam::Quat;

use super::*;
use crate::Shape;

const DOWN: Vec3 = Vec3::NEG_Y;

fn ray(origin: Vec3, direction: Vec3) -> Ray {
    Ray::new(origin, direction).unwrap()
}

fn cast(mesh: &TriangleMesh, ray: &Ray) -> Option<ShapeRayHit> {
    mesh.raycast(&Pose::IDENTITY, ray, f32::INFINITY, &RayOptions::default())
}

/// A box from `min` to `max` whose twelve triangles share nothing but positions.
fn solid(min: Vec3, max: Vec3) -> TriangleMesh {
    let corners = Aabb::new(min, max).unwrap().corners();
    let faces =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for [a, b, c, d] in faces {
        for corner in [a, b, c, a, c, d] {
            let next = u32::try_from(vertices.len()).unwrap();
            vertices.push(corners[corner]);
            if next % 3 == 2 {
                triangles.push([next - 2, next - 1, next]);
            }
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

fn turned_inside_out(mesh: &TriangleMesh) -> TriangleMesh {
    let triangles = mesh.triangles().iter().map(|&[a, b, c]| [b, a, c]).collect();
    TriangleMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

#[test]
fn bad_meshes_are_refused_and_named() {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let refused = |vertices: &[Vec3], triangles: &[[u32; 3]]| {
        TriangleMesh::new(vertices.to_vec(), triangles.to_vec()).unwrap_err().to_string()
    };
    assert_eq!(refused(&corners, &[]), "triangles: must not be empty");
    let text = "triangles[1]: must name vertices below 3, got 3";
    assert_eq!(refused(&corners, &[[0, 1, 2], [0, 3, 9]]), text);
    assert_eq!(refused(&[], &[[0, 0, 0]]), "triangles[0]: must name vertices below 0, got 0");
    let lost = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, f32::NAN, 0.0)];
    assert_eq!(refused(&lost, &[[0, 0, 0]]), "vertices[2]: must be finite, got NaN");
    assert!(TriangleMesh::new(corners, vec![[0, 0, 0]]).is_ok());
}

#[test]
fn unnamed_vertices_are_not_part_of_the_shape() {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(1e30)];
    let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2]]).unwrap();
    assert_eq!(mesh.bounds().max(), Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(mesh.support(DVec3::X), DVec3::X);
    assert!(!mesh.contains_point(&Pose::IDENTITY, Vec3::splat(1e30)));
}

#[test]
fn a_closed_box_weighs_like_a_box() {
    let half = Vec3::new(1.0, 2.0, 3.0);
    let mesh = solid(-half, half);
    let expected = Shape::cuboid(half).unwrap().mass_properties();
    assert!(mesh.is_closed());
    assert_eq!(mesh.mass_properties(), expected);
    assert_eq!(turned_inside_out(&mesh).mass_properties(), expected);
    // Far from its own origin too.
    let far = Vec3::new(4e6, -8e6, 1e6);
    let moved = solid(far - half, far + half).mass_properties().unwrap();
    assert_eq!(moved.center_of_mass, far);
    assert_eq!(Some(moved.inertia), expected.map(|mass| mass.inertia));
}

#[test]
fn what_encloses_nothing_has_no_mass() {
    let mesh = solid(-Vec3::ONE, Vec3::ONE);
    let mut triangles = mesh.triangles().to_vec();
    triangles.pop();
    let open = TriangleMesh::new(mesh.vertices().to_vec(), triangles.clone()).unwrap();
    assert!(!open.is_closed() && open.mass_properties().is_none());
    // One triangle the wrong way round.
    let [a, b, c] = mesh.triangles()[11];
    triangles.push([b, a, c]);
    let mixed = TriangleMesh::new(mesh.vertices().to_vec(), triangles).unwrap();
    assert!(!mixed.is_closed() && mixed.mass_properties().is_none());
    let sheet = vec![Vec3::ZERO, Vec3::new(0.1, 0.7, 0.3), Vec3::new(0.9, 0.2, 0.4)];
    let sheet = TriangleMesh::new(sheet, vec![[0, 1, 2], [1, 0, 2]]).unwrap();
    assert!(sheet.is_closed() && sheet.mass_properties().is_none());
}

#[test]
fn slivers_are_weighed_where_rounding_would_hide_them() {
    // Six times the volume of the tetrahedron is the smallest f32 step beside 1.
    let top = Vec3::new(0.25, 0.25, 0.25 + f32::EPSILON / 4.0);
    let vertices = vec![Vec3::new(1.0, 0.0, 0.0), Vec3::Y, Vec3::new(0.0, 0.0, 0.5), top];
    let faces = vec![[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]];
    let mass = TriangleMesh::new(vertices, faces).unwrap().mass_properties().unwrap();
    let [a, b, c] = [DVec3::Y - DVec3::X, DVec3::new(-1.0, 0.0, 0.5), top.as_dvec3() - DVec3::X];
    let volume = a.dot(b.cross(c)).abs() / 6.0;
    assert!((f64::from(mass.volume) - volume).abs() <= 1e-6 * volume, "{} {volume}", mass.volume);
    assert!(mass.volume > 0.0 && mass.volume < 1e-7);
    let center = (DVec3::X + DVec3::Y + DVec3::Z * 0.5 + top.as_dvec3()) / 4.0;
    assert!(mass.center_of_mass.as_dvec3().distance(center) < 1e-6, "{}", mass.center_of_mass);
}

#[test]
fn one_sided_meshes_are_hit_from_the_front_only() {
    let mesh = solid(-Vec3::ONE, Vec3::ONE).with_sides(Sides::Front);
    assert_eq!(mesh.sides(), Sides::Front);
    let from_inside = ray(Vec3::ZERO, Vec3::X);
    assert_eq!(cast(&mesh, &from_inside), None);
    let both = mesh.clone().with_sides(Sides::Both);
    assert_ne!(both, mesh);
    assert!(cast(&both, &from_inside).is_some_and(|hit| hit.normal == Vec3::NEG_X));
    let from_outside = ray(Vec3::X * 3.0, Vec3::NEG_X);
    assert!(cast(&mesh, &from_outside).is_some_and(|hit| hit.normal == Vec3::X));
    // Of a room the back walls are not seen from outside, but the far ones are.
    let room = turned_inside_out(&mesh).with_sides(Sides::Front);
    assert!(cast(&room, &from_outside).is_some_and(|hit| hit.point == Vec3::NEG_X));
}

/// A rolling surface over squares of 1/4, of which every coordinate is a multiple of 1/64.
fn hills(n: u32) -> TriangleMesh {
    let height = |i: u32, j: u32| ((i * i * 7 + j * 13 + i * j * 5) % 23) as f32 / 64.0;
    let vertex = |k: u32| {
        let (i, j) = (k / n, k % n);
        Vec3::new(j as f32, height(i, j) * 4.0, i as f32) * 0.25
    };
    let first = (0..(n - 1) * (n - 1)).map(|k| k / (n - 1) * n + k % (n - 1));
    let triangles = first.flat_map(|k| [[k, k + n, k + 1], [k + 1, k + n, k + n + 1]]).collect();
    TriangleMesh::new((0..n * n).map(vertex).collect(), triangles).unwrap()
}

#[test]
fn no_ray_slips_through_a_vertex_or_an_edge() {
    let mesh = hills(24);
    let mut checked = 0;
    for (index, named) in (0..).zip(mesh.triangles()) {
        let corners = named.map(|v| mesh.vertices()[v as usize]);
        for i in 0..3 {
            let (vertex, next) = (corners[i], corners[(i + 1) % 3]);
            for point in [vertex, (vertex + next) * 0.5] {
                for (direction, start) in [(DOWN, 9.0), (Vec3::Y, 5.0)] {
                    let hit = cast(&mesh, &ray(point - direction * start, direction)).unwrap();
                    assert_eq!((hit.distance, hit.point), (start, point), "{index} {i}");
                    assert!(hit.part <= index, "{hit:?}");
                    checked += 1;
                }
                // Steeper than any slope, so that the surface is met where it is aimed at.
                let beside = Vec3::new(0.13, 3.1, 0.07);
                let hit = cast(&mesh, &ray(point + beside, -beside));
                let border = [point.x, point.z].iter().any(|&x| x <= 0.0 || x >= 23.0 * 0.25);
                let near = hit.is_some_and(|hit| hit.point.distance(point) < 1e-4);
                assert!(near || border, "{index} {i}: {hit:?}");
            }
        }
    }
    assert_eq!(checked, 23 * 23 * 2 * 3 * 2 * 2);
}

#[test]
fn positions_weld_whatever_their_index_and_zero() {
    let vertices = vec![
        Vec3::ZERO,
        Vec3::Z,
        Vec3::X,
        Vec3::new(-0.0, 0.0, 1.0),
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(0.0, -0.0, -0.0),
    ];
    let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [3, 5, 4]]).unwrap();
    assert_eq!(mesh.edge_kind(0, 0), Some(EdgeKind::Convex));
    assert_eq!(mesh.edge_kind(1, 0), Some(EdgeKind::Convex));
    assert_eq!(mesh.edge_kind_from_behind(1, 0), Some(EdgeKind::Concave));
    assert_eq!(mesh.edge_kind(0, 1), Some(EdgeKind::Boundary));
    assert_eq!(mesh.edge_kind(2, 0), None);
    assert_eq!(mesh.edge_kind(0, usize::MAX), None);
}

#[test]
fn a_book_of_many_pages_is_bound_quickly() {
    // Each page at its own angle; with a comparison of all with all this would take minutes.
    let count = 20_000_u32;
    let page = |i: u32| {
        let at = i as f32 / count as f32 * 8.0 - 4.0;
        let on_square = [(1.0, at + 3.0), (at + 1.0, -1.0), (-1.0, at - 1.0), (3.0 - at, 1.0)];
        let side = on_square[(i * 4 / count) as usize];
        Vec3::new(side.0, 0.5, side.1)
    };
    let mut vertices = vec![Vec3::ZERO, Vec3::Y];
    vertices.extend((0..count).map(page));
    let triangles = (0..count).map(|i| [0, 1, i + 2]).collect();
    let mesh = TriangleMesh::new(vertices, triangles).unwrap();
    for i in (0..count).step_by(997) {
        assert_eq!(mesh.edge_kind(i, 0), Some(EdgeKind::Concave));
        assert_eq!(mesh.edge_kind_from_behind(i, 0), Some(EdgeKind::Concave));
        assert_eq!(mesh.edge_kind(i, 1), Some(EdgeKind::Boundary));
    }
}

#[test]
fn uneven_and_equal_triangles_make_no_deep_tree() {
    // Sizes and distances grow by powers of two from the smallest denormal to 2^127.
    let mut vertices = Vec::new();
    for exponent in -149..127 {
        let size = 2.0_f32.powi(exponent);
        vertices.extend([
            Vec3::splat(size),
            Vec3::new(size, size, 0.0),
            Vec3::new(0.0, size, size),
        ]);
    }
    let count = u32::try_from(vertices.len()).unwrap();
    let mut triangles: Vec<[u32; 3]> =
        (0..count / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    triangles.extend([[0, 1, 2]; 3000]);
    triangles.extend([[count - 3; 3]; 3000]);
    let mesh = TriangleMesh::new(vertices.clone(), triangles).unwrap();
    let depth = depth(&mesh, mesh.tree.root);
    assert!(depth <= 40, "{depth}");
    for (index, vertex) in vertices.iter().enumerate().step_by(33) {
        let above = Vec3::new(vertex.x, f32::MAX, vertex.z);
        assert!(cast(&mesh, &ray(above, DOWN)).is_some(), "{index}");
        assert!(mesh.contains_point(&Pose::IDENTITY, *vertex), "{index}");
    }
}

fn depth(mesh: &TriangleMesh, link: Link) -> usize {
    if link.count != Link::NODE {
        return 0;
    }
    let node = &mesh.tree.nodes[link.first as usize];
    1 + node.links.iter().map(|&link| depth(mesh, link)).max().unwrap()
}

#[test]
fn the_tree_holds_every_triangle_once_in_exact_boxes() {
    let mesh = hills(30);
    let mut seen: Vec<u32> = mesh.tree.triangles.iter().map(|placed| placed.index).collect();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..29 * 29 * 2));
    let mut leaves = 0;
    for node in &mesh.tree.nodes {
        for (lane, link) in node.links.iter().enumerate() {
            let mut held: Option<Aabb> = None;
            let mut add = |bounds: Aabb| {
                held = Some(held.map_or(bounds, |held| held.union(&bounds)));
            };
            if link.count == Link::NODE {
                let child = &mesh.tree.nodes[link.first as usize];
                (0..4).filter_map(|lane| child.boxes.get(lane)).for_each(&mut add);
            } else {
                leaves += link.count;
                let held = link.first as usize..(link.first + link.count) as usize;
                for placed in &mesh.tree.triangles[held] {
                    add(triangles::triangle_bounds(&placed.corners));
                }
            }
            assert_eq!(node.boxes.get(lane), held);
        }
    }
    assert_eq!(leaves, 29 * 29 * 2);
}

#[test]
fn extreme_coordinates_neither_panic_nor_get_lost() {
    let big = f32::MAX;
    let vertices = vec![Vec3::splat(-big), Vec3::new(big, -big, 0.0), Vec3::splat(big), Vec3::X];
    let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [3, 2, 0], [3, 3, 3]]).unwrap();
    let pose = Pose::new(Vec3::splat(big), Quat::from_xyzw(0.1, 0.2, 0.3, 0.4)).unwrap();
    let _ = (mesh.aabb(&pose), mesh.mass_properties(), mesh.support(DVec3::ONE));
    for direction in [Vec3::X, Vec3::ONE, Vec3::new(1.0, 1e-30, -1e-38)] {
        for origin in [Vec3::ZERO, Vec3::splat(big), Vec3::splat(1e-45)] {
            let _ = mesh.raycast(&pose, &ray(origin, direction), big, &RayOptions::default());
        }
    }
    assert!(cast(&mesh, &ray(Vec3::new(1.0, 0.0, big), Vec3::NEG_Z)).is_some());
    assert!(mesh.contains_point(&Pose::IDENTITY, Vec3::X));
    let tiny = f32::from_bits(1);
    let vertices = vec![Vec3::ZERO, Vec3::X * tiny, Vec3::Z * tiny];
    let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2]]).unwrap();
    assert!(cast(&mesh, &ray(Vec3::new(tiny, 1.0, 0.0), DOWN)).is_some());
    assert!(cast(&mesh, &ray(Vec3::new(tiny, 1.0, tiny), DOWN)).is_none());
}

#[test]
#[ignore = "a million triangles: run it in release"]
fn a_million_triangles_are_built_and_hit() {
    let mesh = hills(708);
    assert_eq!(mesh.triangle_count(), 999_698);
    for (index, named) in (0_u32..).zip(mesh.triangles()).step_by(331) {
        let vertex = mesh.vertices()[named[0] as usize];
        let hit = cast(&mesh, &ray(vertex + Vec3::Y * 9.0, DOWN)).unwrap();
        assert!(hit.point == vertex && hit.part <= index, "{index}");
    }
}
