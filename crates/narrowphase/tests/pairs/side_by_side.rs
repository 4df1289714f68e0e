//! Contact points of shapes that lie nearly but not quite parallel to each other.

use impinge_narrowphase::{FeatureId, Patch, Relative, convex};
use impinge_shapes::convex::Solid;
use impinge_shapes::glam::{DVec3, Quat, Vec3, vec3};
use impinge_shapes::{Capsule, Cone, ConvexHull, Cuboid, Cylinder, Pose, Rounded, Shape};

const ANGLES: [f32; 9] = [0.0, 1e-6, -1e-6, 1e-4, -1e-4, 1e-3, -1e-3, 1e-2, -1e-2];
const DEPTH: f32 = 0.005;
const MARGIN: f64 = 0.02;

/// How far a point is out of a shape, at least; zero on its surface.
fn outside(shape: &Shape, point: DVec3) -> f64 {
    let (sideways, y) = (DVec3::new(point.x, 0.0, point.z).length(), point.y);
    match shape {
        Shape::Cuboid(cuboid) => (point.abs() - cuboid.half_extents().as_dvec3()).max_element(),
        Shape::Capsule(capsule) => {
            let (a, b) = (capsule.a().as_dvec3(), capsule.b().as_dvec3());
            let share = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            point.distance(a + (b - a) * share) - f64::from(capsule.radius())
        }
        Shape::Cylinder(cylinder) => {
            let [h, r] = [cylinder.half_height(), cylinder.radius()].map(f64::from);
            (sideways - r).max(y.abs() - h)
        }
        Shape::Cone(cone) => {
            let [h, r] = [cone.half_height(), cone.radius()].map(f64::from);
            let slant = (4.0 * h * h + r * r).sqrt();
            ((sideways * 2.0 * h - (h - y) * r) / slant).max(-h - y)
        }
        Shape::ConvexHull(hull) => hull
            .faces()
            .map(|face| {
                let corner = hull.vertices()[face.vertices[0] as usize].as_dvec3();
                (point - corner).dot(face.normal)
            })
            .fold(f64::NEG_INFINITY, f64::max),
        // Only where it is nearest to a flat part, as here, and to second order beside an edge.
        Shape::Rounded(rounded) => {
            let found = impinge_narrowphase::project_point(
                rounded.core(),
                &Pose::IDENTITY,
                impinge_shapes::round::nearest_vec(point),
                f32::INFINITY,
            );
            f64::from(found.expect("a distance").distance) - f64::from(rounded.radius())
        }
        _ => panic!("no such shape here"),
    }
}

struct Case {
    name: &'static str,
    a: Shape,
    b: Shape,
    /// B's place at an angle of zero, where it is [`DEPTH`] deep along the normal +X.
    at: Vec3,
    base: Quat,
    /// Points at an angle of zero.
    count: usize,
}

fn wedge() -> Shape {
    let corners =
        [-0.5, 0.5].map(|y| [vec3(0.25, y, 0.0), vec3(-0.25, y, 0.25), vec3(-0.25, y, -0.25)]);
    Shape::from(ConvexHull::new(corners.as_flattened()).expect("a prism"))
}

fn cases() -> Vec<Case> {
    let cylinder = || Shape::from(Cylinder::new(0.5, 0.25).expect("valid"));
    let capsule = || Shape::from(Capsule::new(Vec3::Y * -0.5, Vec3::Y * 0.5, 0.25).expect("valid"));
    let cuboid = || Shape::from(Cuboid::new(vec3(0.25, 1.0, 1.0)).expect("valid"));
    let cone = || Shape::from(Cone::new(0.2, 0.3).expect("valid"));
    let block = |size: f32| {
        let half = vec3(0.25, 0.5 * size, 0.25 * size);
        let corners = Cuboid::new(half).expect("valid").corners();
        Shape::from(ConvexHull::new(&corners).expect("a block"))
    };
    let rounded = |core: Shape| Shape::from(Rounded::new(core, 0.0625).expect("valid"));
    // The cone's side that looks to -X stands upright once it is turned by half of its opening.
    let upright = Quat::from_xyzw(0.0, 0.0, 1.0, 3.0);
    let middle = 0.12;
    let case = |name, a: Shape, b: Shape, x: f32, count| Case {
        name,
        a,
        b,
        at: Vec3::X * (x - DEPTH),
        base: Quat::IDENTITY,
        count,
    };
    vec![
        case("cylinder on cylinder", cylinder(), cylinder(), 0.5, 2),
        case("capsule on capsule", capsule(), capsule(), 0.5, 2),
        case("cylinder on capsule", cylinder(), capsule(), 0.5, 2),
        case("cylinder on the face of a box", cuboid(), cylinder(), 0.5, 2),
        case("capsule on the face of a box", cuboid(), capsule(), 0.5, 2),
        Case {
            base: upright,
            ..case("cone on the face of a box", cuboid(), cone(), 0.25 + middle, 2)
        },
        Case { base: upright, ..case("cone on cylinder", cylinder(), cone(), 0.25 + middle, 2) },
        case("edge on the face of a box", wedge(), cuboid(), 0.5, 2),
        case("edge on cylinder", wedge(), cylinder(), 0.5, 2),
        case("edge on capsule", wedge(), capsule(), 0.5, 2),
        case("block on the face of a box", block(1.0), cuboid(), 0.5, 4),
        case("block on block", block(1.0), block(0.75), 0.5, 4),
        case("rounded cylinder on cylinder", rounded(cylinder()), cylinder(), 0.5625, 2),
        case("rounded edge on the face of a box", rounded(wedge()), cuboid(), 0.5625, 2),
        case("rounded block on block", rounded(block(1.0)), block(0.75), 0.5625, 4),
    ]
}

impl Case {
    /// B's frame, turned by an angle around an axis of the world.
    fn frame(&self, axis: Vec3, angle: f32) -> Relative {
        let turn = Quat::from_vec4((axis * (0.5 * angle)).extend(1.0));
        Relative::from_b_in_a(&Pose::new(self.at, turn * self.base).expect("valid"))
    }

    fn solids(&self) -> [Solid<'_>; 2] {
        [&self.a, &self.b].map(|shape| shape.solid().expect("convex"))
    }

    fn patch(&self, at: &Relative) -> Patch {
        let [a, b] = self.solids();
        convex::manifold(a, b, at, MARGIN).expect("they touch")
    }

    /// Each point lies on both surfaces and tells how far they are apart there along the normal.
    fn check(&self, patch: &Patch, at: &Relative, name: &str) {
        let [a, b] = self.solids();
        let tiny = if [&self.a, &self.b].iter().any(|s| matches!(s, Shape::Rounded(_))) {
            1e-5
        } else {
            1e-6
        };
        let beyond = patch.normal * 1e-3;
        for point in &patch.points {
            let in_b = |p: DVec3| at.vector_to_b(p - at.translation());
            let off = [outside(&self.a, point.point_a), outside(&self.b, in_b(point.point_b))];
            assert!(off.iter().all(|off| off.abs() < tiny), "{name}: {off:?} {patch:?}");
            let past = [
                outside(&self.a, point.point_a + beyond),
                outside(&self.b, in_b(point.point_b - beyond)),
            ];
            assert!(past.iter().all(|past| *past > 0.0), "{name}: {past:?} {patch:?}");
            let gap = point.point_b - point.point_a - patch.normal * point.distance;
            assert!(gap.length() < 1e-12, "{name}: {gap} {patch:?}");
        }
        let found = convex::closest(a, b, at);
        let least = patch.points.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
        assert!((least - found.distance).abs() < 1e-15, "{name}: {found:?} {patch:?}");
    }
}

fn ids(patch: &Patch) -> Vec<FeatureId> {
    patch.points.iter().map(|point| point.feature).collect()
}

#[test]
fn nearly_parallel_shapes_keep_their_points() {
    let mut extra = 0;
    for case in cases() {
        let level = ids(&case.patch(&case.frame(Vec3::X, 0.0)));
        assert_eq!(level.len(), case.count, "{}", case.name);
        for axis in [Vec3::X, Vec3::Z, vec3(0.6, 0.0, 0.8), Vec3::Y] {
            for angle in ANGLES {
                let name = format!("{} turned by {angle} around {axis}", case.name);
                let at = case.frame(axis, angle);
                let patch = case.patch(&at);
                case.check(&patch, &at, &name);
                let found = ids(&patch);
                // Where lines cross, the crossing may be one point more.
                assert!(level.iter().all(|id| found.contains(id)), "{name}: {patch:?}");
                assert!(found.len() <= case.count + 1, "{name}: {patch:?}");
                extra += found.len() - case.count;
                let [a, b] = case.solids();
                let other = convex::manifold(b, a, &at.flipped(), MARGIN).expect("they touch");
                let sorted = |patch: &Patch| {
                    let mut all: Vec<f64> = patch.points.iter().map(|p| p.distance).collect();
                    all.sort_by(f64::total_cmp);
                    all
                };
                let (one, other) = (sorted(&patch), sorted(&other));
                let same = one.len() == other.len()
                    && one.iter().zip(&other).all(|(x, y)| (x - y).abs() < 1e-6);
                assert!(same, "{name}: {one:?} {other:?}");
            }
        }
    }
    assert!(extra > 0, "no crossing was seen");
}

/// The places along a small line that was lost in the coordinates of a huge one were 0 / 0.
#[test]
fn points_along_a_line_that_is_lost_in_rounding_are_numbers() {
    let turn = Quat::from_xyzw(0.123_663_9, -0.383_664_97, 0.428_197_15, 0.294_394_97);
    let small = [
        Shape::cone(1.0, 1.0).unwrap(),
        Shape::capsule_along_y(1.0, 0.5).unwrap(),
        Shape::rounded(Shape::cuboid(vec3(0.5, 1.0, 0.25)).unwrap(), 0.25).unwrap(),
    ];
    let mut points = 0;
    for power in 17..30 {
        let s = 10.0_f32.powi(power);
        let huge = [
            Shape::rounded(Shape::cone(0.7 * s, 0.05 * s).unwrap(), s).unwrap(),
            Shape::rounded(Shape::cylinder(0.7 * s, 0.05 * s).unwrap(), s).unwrap(),
            Shape::rounded(Shape::capsule_along_y(s, 0.1 * s).unwrap(), s).unwrap(),
        ];
        for (a, b) in huge.iter().flat_map(|a| small.iter().map(move |b| (a, b))) {
            for step in 0_u8..60 {
                let at = f32::from(step) / 60.0;
                let pose_a = Pose::new(vec3(-0.08, at, -0.08), turn).unwrap();
                let there =
                    vec3(0.617, 0.391 - at, 1.311) * if step % 2 == 0 { 1.0 } else { 0.05 * s };
                let pose_b = Pose::new(there, Quat::from_xyzw(0.877, at, 0.617, -0.398)).unwrap();
                for manifold in impinge_narrowphase::manifolds(a, &pose_a, b, &pose_b, 0.0) {
                    for point in &manifold.points {
                        let is_number = point.point_a.is_finite() && point.point_b.is_finite();
                        assert!(is_number, "1e{power} {step} {a:?} {b:?}: {point:?}");
                        points += 1;
                    }
                }
            }
        }
    }
    assert!(points > 2_000, "{points}");
}
