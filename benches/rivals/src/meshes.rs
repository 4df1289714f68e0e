//! Rays, spheres and boxes against one mesh: a planning environment of closed parts, and a terrain.

use std::sync::Arc;

use glam::{Quat, Vec3};
use impinge_narrowphase as narrow;
use impinge_shapes::{Pose, Ray, RayOptions, Shape};
use impinge_testkit::rng::Rng;
use parry3d::query::{self, RayCast};
use parry3d::shape::{SharedShape, TriMesh};

use crate::kernels::{Runner, compare, runner, side};
use crate::{Args, convert, report::Report};

/// Calls a round.
const CALLS: usize = 2048;
/// Squares along a side of the terrain.
const SQUARES: u32 = 64;

/// A mesh, and the size of what meets it.
struct Ground {
    name: &'static str,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Half extent of the boxes, about.
    size: f32,
}

/// A body or a ray near the mesh.
#[derive(Clone)]
struct Case {
    shape: Shape,
    pose: Pose,
    ray: Ray,
}

/// The 2,180 triangles of the planning environment.
fn environment() -> Ground {
    let text = include_str!("../../../testkit/data/planning-environment.obj");
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["v", x, y, z] => {
                vertices.push(Vec3::from_array([x, y, z].map(|w| w.parse().expect("a number"))));
            }
            ["f", a, b, c] => {
                triangles.push([a, b, c].map(|w| w.parse::<u32>().expect("a number") - 1));
            }
            _ => {}
        }
    }
    Ground { name: "environment", vertices, triangles, size: 60.0 }
}

/// Hills of two triangles a square.
fn terrain(seed: u64) -> Ground {
    let mut rng = Rng::new(seed);
    let side = SQUARES + 1;
    let vertex = |k: u32, rng: &mut Rng| {
        Vec3::new((k % side) as f32, rng.range(-0.4, 0.4), (k / side) as f32)
    };
    let vertices = (0..side * side).map(|k| vertex(k, &mut rng)).collect();
    let square = |k: u32| {
        let first = k % SQUARES + k / SQUARES * side;
        let [a, b, c, d] = [first, first + 1, first + side, first + side + 1];
        [[a, c, b], [b, c, d]]
    };
    let triangles = (0..SQUARES * SQUARES).flat_map(square).collect();
    Ground { name: "terrain", vertices, triangles, size: 0.6 }
}

/// Bodies of which the nearer half overlaps some triangle, and rays of which most hit.
fn cases(ground: &Ground, seed: u64, is_box: bool) -> Vec<Case> {
    let mut rng = Rng::new(seed);
    let size = ground.size;
    let case = |_| {
        let corners = rng.pick(&ground.triangles).map(|v| ground.vertices[v as usize]);
        let (s, t) = (rng.range(0.0, 0.5), rng.range(0.0, 0.5));
        let place = corners[0] * (1.0 - s - t) + corners[1] * s + corners[2] * t;
        let away = rng.direction() * rng.range(0.0, 2.5) * size;
        let shape = if is_box {
            Shape::cuboid(rng.cube(0.4, 1.2) * size).expect("positive sizes")
        } else {
            Shape::sphere(rng.range(0.4, 1.2) * size).expect("positive sizes")
        };
        let pose = Pose::new(place + away, rng.rotation()).expect("finite");
        let origin = place + rng.direction() * rng.range(2.0, 20.0) * size;
        let aim = place + rng.cube(-1.0, 1.0) * size;
        Case { shape, pose, ray: Ray::new(origin, aim - origin).expect("not zero") }
    };
    (0..CALLS).map(case).collect()
}

type Mesh = (Arc<Shape>, Arc<TriMesh>, Pose);

fn ours(mesh: &Mesh, cases: &[Case], test: fn(&Case, &Shape, &Pose) -> f32) -> Runner {
    let (mesh, pose) = (mesh.0.clone(), mesh.2);
    runner(cases.to_vec(), move |case| test(case, &mesh, &pose))
}

/// A body or a ray in parry3d's types.
struct Peer {
    shape: SharedShape,
    pose: parry3d::math::Pose,
    ray: query::Ray,
}

fn parry(
    mesh: &Mesh,
    cases: &[Case],
    test: fn(&Peer, &TriMesh, &parry3d::math::Pose) -> f32,
) -> Runner {
    let peer = |case: &Case| Peer {
        shape: convert::shape(&case.shape).expect("a sphere or a box"),
        pose: convert::pose(&case.pose),
        ray: query::Ray::new(
            convert::vector(case.ray.origin()),
            convert::vector(case.ray.direction()),
        ),
    };
    let (mesh, pose) = (mesh.1.clone(), convert::pose(&mesh.2));
    runner(cases.iter().map(peer).collect(), move |case| test(case, &mesh, &pose))
}

fn ray(case: &Case, mesh: &Shape, pose: &Pose) -> f32 {
    mesh.raycast(pose, &case.ray, f32::INFINITY, &RayOptions::default())
        .map_or(f32::NAN, |hit| -hit.distance)
}

fn parry_ray(case: &Peer, mesh: &TriMesh, pose: &parry3d::math::Pose) -> f32 {
    mesh.cast_ray_and_get_normal(pose, &case.ray, f32::MAX, true)
        .map_or(f32::NAN, |hit| -hit.time_of_impact)
}

fn overlap(case: &Case, mesh: &Shape, pose: &Pose) -> f32 {
    side(narrow::overlaps(&case.shape, &case.pose, mesh, pose))
}

fn parry_overlap(case: &Peer, mesh: &TriMesh, pose: &parry3d::math::Pose) -> f32 {
    query::intersection_test(&case.pose, &*case.shape, pose, mesh)
        .map_or(f32::NAN, |found| side(found.intersecting))
}

fn distance(case: &Case, mesh: &Shape, pose: &Pose) -> f32 {
    narrow::distance(&case.shape, &case.pose, mesh, pose)
}

fn parry_distance(case: &Peer, mesh: &TriMesh, pose: &parry3d::math::Pose) -> f32 {
    query::distance(&case.pose, &*case.shape, pose, mesh).map_or(f32::NAN, |found| found.distance)
}

pub(crate) fn run(args: &Args, report: &mut Report) {
    for ground in [environment(), terrain(args.seed)] {
        let shape = Shape::triangle_mesh(ground.vertices.clone(), ground.triangles.clone());
        let corners = ground.vertices.iter().copied().map(convert::vector).collect();
        let peer = TriMesh::new(corners, ground.triangles.clone()).expect("a mesh");
        let turn = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
        let pose = Pose::new(Vec3::new(10.0, -20.0, 30.0), turn).expect("finite");
        let mesh: Mesh = (Arc::new(shape.expect("a mesh")), Arc::new(peer), pose);
        let placed = |case: &Case| {
            let at = |p: Vec3| turn * p + pose.position();
            Case {
                pose: Pose::new(at(case.pose.position()), turn * case.pose.rotation())
                    .expect("finite"),
                ray: Ray::new(at(case.ray.origin()), turn * case.ray.direction())
                    .expect("not zero"),
                shape: case.shape.clone(),
            }
        };
        let [balls, boxes] = [false, true].map(|is_box| -> Vec<Case> {
            cases(&ground, args.seed, is_box).iter().map(placed).collect()
        });
        let scene = |kernel: &str| ("meshes", format!("{kernel} {}", ground.name));
        let rows = [
            ("ray", ours(&mesh, &balls, ray), parry(&mesh, &balls, parry_ray)),
            ("sphere overlap", ours(&mesh, &balls, overlap), parry(&mesh, &balls, parry_overlap)),
            ("box overlap", ours(&mesh, &boxes, overlap), parry(&mesh, &boxes, parry_overlap)),
            (
                "sphere distance",
                ours(&mesh, &balls, distance),
                parry(&mesh, &balls, parry_distance),
            ),
            ("box distance", ours(&mesh, &boxes, distance), parry(&mesh, &boxes, parry_distance)),
        ];
        for (kernel, impinge, parry3d) in rows {
            let field = [("impinge", impinge), ("parry3d", parry3d)];
            report.add(compare(args, scene(kernel), CALLS, 4 * args.rounds, field.into_iter()));
        }
    }
}
