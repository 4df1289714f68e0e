//! Time per pair of a half-space and a bounded shape, on near pairs of which half overlap: the
//! public functions beside the rooms, which work the frame of the pair out in full.
#![expect(clippy::disallowed_methods, reason = "this example measures times")]
#![expect(clippy::print_stdout, reason = "prints its result")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use impinge_narrowphase::pairs::convex_half_space as room;
use impinge_narrowphase::{
    Relative, SweepOptions, closest, distance, manifold, overlaps, relation, sweep,
};
use impinge_shapes::glam::{Quat, Vec3};
use impinge_shapes::{HalfSpace, Pose, Shape};

struct Random(u64);

impl Random {
    fn within(&mut self, low: f32, high: f32) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let bits = u16::try_from(self.0 >> 48).unwrap_or(0);
        low + (high - low) * (f32::from(bits) / 65536.0)
    }

    fn vector(&mut self, reach: f32) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.within(-reach, reach)))
    }

    fn pose(&mut self, at: Vec3) -> Result<Pose, impinge_shapes::PoseError> {
        Pose::new(at, Quat::from_array([0; 4].map(|_| self.within(-1.0, 1.0))).normalize())
    }
}

const NAMES: [&str; 8] =
    ["sphere", "box", "capsule", "cylinder", "cone", "triangle", "hull", "round-box"];

fn shape(name: &str, random: &mut Random) -> Result<Shape, Box<dyn Error>> {
    let mut size = || random.within(0.25, 0.75);
    Ok(match name {
        "sphere" => Shape::sphere(size())?,
        "box" => Shape::cuboid(Vec3::new(size(), size(), size()))?,
        "capsule" => Shape::capsule_along_y(size(), size() * 0.5)?,
        "cylinder" => Shape::cylinder(size(), size())?,
        "cone" => Shape::cone(size(), size())?,
        "triangle" => Shape::triangle(random.vector(1.0), random.vector(1.0), random.vector(1.0))?,
        "hull" => {
            let radii = Vec3::new(size(), size(), size());
            let points: Vec<Vec3> =
                (0..32).map(|_| random.vector(1.0).normalize() * radii).collect();
            Shape::convex_hull(&points)?
        }
        _ => Shape::rounded(Shape::cuboid(Vec3::new(size(), size(), size()))?, size() * 0.25)?,
    })
}

struct Placed {
    floor: Shape,
    plane: HalfSpace,
    plane_at: Pose,
    shape: Shape,
    at: Pose,
    way: Vec3,
}

/// Pairs that are apart or overlap by less than 0.3, as many of the ones as of the others.
fn near(name: &str, count: usize) -> Result<Vec<Placed>, Box<dyn Error>> {
    let (mut random, mut pairs) = (Random(7), Vec::new());
    while pairs.len() < count {
        let wanted = random.within(0.0, 1.0) < 0.5;
        loop {
            let plane = HalfSpace::new(random.vector(1.0), 0.0)?;
            let place = random.vector(50.0);
            let (plane_at, off) = (random.pose(place)?, random.vector(2.0));
            let (shape, at) = (shape(name, &mut random)?, random.pose(place + off)?);
            let way = random.vector(4.0);
            let pair = Placed { floor: plane.into(), plane, plane_at, shape, at, way };
            let found = closest(&pair.floor, &plane_at, &pair.shape, &at, 0.3);
            if found.is_some_and(|it| it.distance > -0.3 && (it.distance > 0.0) == wanted) {
                pairs.push(pair);
                break;
            }
        }
    }
    Ok(pairs)
}

type Run<'r> = (&'r str, Box<dyn Fn(&Placed) -> bool>);

/// The least times of many rounds that take turns, because the machine may have other work.
fn times(name: &str, pairs: &[Placed], runs: &[Run<'_>], rounds: u32) {
    let mut least = vec![f64::INFINITY; runs.len()];
    let mut answers: Vec<bool> = Vec::new();
    for _ in 0..rounds {
        for ((_, run), least) in runs.iter().zip(&mut least) {
            let start = Instant::now();
            answers.clear();
            answers.extend(pairs.iter().map(run));
            black_box(&answers);
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    for ((run, _), least) in runs.iter().zip(least) {
        let count = f64::from(u32::try_from(pairs.len()).unwrap_or(1));
        println!("{name:10} {run:16} {:8.1} ns", least * 1e9 / count);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let rounds = asked.first().map_or(Ok(200), |rounds| rounds.parse())?;
    let wanted = |name: &str| asked.len() < 2 || asked[1..].iter().any(|asked| name == asked);
    let options = SweepOptions::default();
    let runs: Vec<Run<'_>> = vec![
        ("overlap", Box::new(|p| overlaps(&p.floor, &p.plane_at, &p.shape, &p.at))),
        (
            "overlap room",
            Box::new(|p| {
                p.shape.solid().is_some_and(|solid| {
                    let frame = Relative::new(&p.at, &p.plane_at);
                    room::relation(solid, &p.plane, &frame).overlaps()
                })
            }),
        ),
        ("distance", Box::new(|p| distance(&p.floor, &p.plane_at, &p.shape, &p.at) > 0.0)),
        (
            "contact",
            Box::new(|p| black_box(closest(&p.floor, &p.plane_at, &p.shape, &p.at, 0.0)).is_some()),
        ),
        (
            "contact room",
            Box::new(|p| {
                p.shape.solid().is_some_and(|solid| {
                    let frame = Relative::new(&p.at, &p.plane_at);
                    black_box(room::closest(solid, &p.plane, &frame)).distance <= 0.0
                })
            }),
        ),
        (
            "manifold",
            Box::new(|p| {
                black_box(manifold(&p.floor, &p.plane_at, &p.shape, &p.at, 0.0)).is_some()
            }),
        ),
        (
            "manifold room",
            Box::new(|p| {
                p.shape.solid().is_some_and(|solid| {
                    let frame = Relative::new(&p.at, &p.plane_at);
                    black_box(room::manifold(solid, &p.plane, &frame, 0.0)).is_some()
                })
            }),
        ),
        (
            "sweep",
            Box::new(move |p| {
                black_box(sweep(&p.shape, &p.at, p.way, &p.floor, &p.plane_at, &options)).is_some()
            }),
        ),
        (
            "sweep room",
            Box::new(|p| {
                p.shape.solid().is_some_and(|solid| {
                    let frame = Relative::new(&p.at, &p.plane_at);
                    let apart = room::relation(solid, &p.plane, &frame).overlaps();
                    apart || black_box(room::sweep(solid, &p.plane, &frame, -p.way)).is_some()
                })
            }),
        ),
    ];
    for name in NAMES.into_iter().filter(|name| wanted(name)) {
        let pairs = near(name, 2048)?;
        let both =
            pairs.iter().filter(|p| relation(&p.floor, &p.plane_at, &p.shape, &p.at).overlaps());
        println!("{name}: {} of {} overlap", both.count(), pairs.len());
        times(name, &pairs, &runs, rounds);
    }
    Ok(())
}
