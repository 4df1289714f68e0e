use super::*;

const REST: Pose = Pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };

fn at(x: f32) -> Pose {
    Pose { position: [x, 0.0, 0.0], ..REST }
}

/// Five unit cubes two apart, along x.
fn row(motion: Motion) -> World {
    let (mut world, cube) = (World::new(1), BoxHull::new([0.5; 3]));
    for place in 0..5 {
        world.insert(cube.hull(), &at(2.0 * place as f32), motion);
    }
    world.rebuild_static_tree();
    world
}

#[test]
fn a_world_answers_queries() {
    let world = row(Motion::Static);
    assert_eq!(world.cast_ray([-1.5, 0.0, 0.0], [4.0, 0.0, 0.0]), Some((0, 0.25)));
    assert_eq!(world.cast_ray([-1.5, 2.0, 0.0], [4.0, 0.0, 0.0]), None);
    assert!(world.meets_ray([-1.5, 0.0, 0.0], [4.0, 0.0, 0.0]));
    assert!(!world.meets_ray([-1.5, 2.0, 0.0], [4.0, 0.0, 0.0]));
    let ball = Cloud::new(&[[0.0; 3]], 0.5);
    let (body, part) = world.cast([-3.0, 0.0, 0.0], ball, [4.0, 0.0, 0.0]).expect("a hit");
    assert!(body == 0 && (part - 0.5).abs() < 0.01, "{body} {part}");
    let mut found = Vec::new();
    world.overlap([1.0, 0.0, 0.0], Cloud::new(&[[0.0; 3]], 0.75), |body| found.push(body));
    found.sort_unstable();
    assert_eq!(found, [0, 1]);
}

#[test]
fn a_step_of_no_time_finds_contacts() {
    let mut world = row(Motion::Dynamic);
    world.update();
    assert_eq!(world.touching(), []);
    world.set_pose(3, &at(4.25));
    world.update();
    assert_eq!(world.touching(), [(2, 3)]);
    world.set_motion(2, Motion::Static);
    world.update();
    assert_eq!(world.touching(), [(2, 3)]);
    world.set_pose(3, &at(6.0));
    world.update();
    assert_eq!(world.touching(), []);
}

#[test]
fn a_tree_finds_boxes() {
    let cube = |at: f32| Bounds { min: [at, 0.0, 0.0], max: [at + 0.5, 0.5, 0.5] };
    let mut tree = Tree::new((0..5).map(|number| (10 + number, cube(number as f32))));
    let found = |tree: &Tree, bounds| {
        let mut found = Vec::new();
        tree.query(bounds, |number| found.push(number));
        found.sort_unstable();
        found
    };
    assert_eq!(found(&tree, cube(1.25)), [11]);
    tree.enlarge(4, cube(1.5));
    tree.rebuild(false);
    tree.reinsert(0, cube(1.25));
    assert_eq!(found(&tree, cube(1.25)), [10, 11, 14]);
    let mut first = None;
    tree.cast_ray([-1.0, 0.25, 0.25], [10.0, 0.0, 0.0], |number, most| {
        first = Some(number);
        most
    });
    assert!(first.is_some());
    let mut met = Vec::new();
    tree.cast_box(cube(-1.0), [3.0, 0.0, 0.0], |number, most| {
        met.push(number);
        most
    });
    met.sort_unstable();
    assert_eq!(met, [10, 11, 12, 14]);
}

#[test]
fn two_shapes_are_tested() {
    let cube = BoxHull::new([0.5; 3]);
    let other = PointHull::new(cube.hull().points()).expect("a cube has a volume");
    let deepest = |at: &Pose| collide_hulls(cube.hull(), other.hull(), at).deepest();
    assert_eq!(deepest(&at(0.75)), Some(-0.25));
    assert_eq!(deepest(&at(2.0)), None);
    assert_eq!(distance(cube.hull().cloud(), other.hull().cloud(), &at(1.5)), 0.5);
    assert_eq!(distance(cube.hull().cloud(), other.hull().cloud(), &at(0.5)), 0.0);
    let (ball, capsule) = (Sphere::new(0.5), Capsule::new([0.0, -1.0, 0.0], [0.0, 1.0, 0.0], 0.5));
    let near = |manifold: Manifold| (manifold.deepest().expect("a contact") + 0.25).abs() < 1e-5;
    assert!(near(collide_spheres(&ball, &ball, &at(0.75))));
    assert!(near(collide_hull_and_sphere(cube.hull(), &ball, &at(0.75))));
    assert!(near(collide_hull_and_capsule(cube.hull(), &capsule, &at(0.75))));
    assert!(near(collide_capsules(&capsule, &capsule, &at(0.75))));
    let hit = ray_hull(cube.hull(), [-1.5, 0.0, 0.0], [2.0, 0.0, 0.0], 1.0);
    assert_eq!(hit, Some((0.5, [-1.0, 0.0, 0.0])));
    let part = cast(cube.hull().cloud(), cube.hull().cloud(), &at(-3.0), [4.0, 0.0, 0.0], 1.0);
    assert!((part.expect("a hit") - 0.5).abs() < 0.01);
}
