//! Scenes that show whether contacts carry a solver, and the figures that tell.

use impinge::glam::{Vec3, vec3};
use impinge::{BodyId, Shape};

use crate::solver::{STEP, SUBSTEPS, Simulation};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What a scene came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) bodies: usize,
    pub(crate) seconds: f32,
    /// Farthest that a body went from where it was put.
    pub(crate) drift: f32,
    /// Deepest contact, and the deepest of the last second.
    pub(crate) depth: f32,
    pub(crate) fastest: f32,
    /// Root of the mean square speed.
    pub(crate) speed: f32,
    /// Bodies outside the container.
    pub(crate) lost: usize,
}

/// Steps of this many seconds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
fn steps(seconds: f32) -> usize {
    (seconds / STEP).round() as usize
}

fn run(simulation: &mut Simulation, ids: &[BodyId], seconds: f32) -> Result<Figures> {
    let at = |simulation: &Simulation| -> Vec<Vec3> {
        ids.iter().map(|&id| simulation.position(id)).collect()
    };
    let (start, count) = (at(simulation), steps(seconds));
    let mut depth = 0.0_f32;
    for step in 0..count {
        simulation.step()?;
        if step + 60 >= count {
            depth = depth.max(simulation.depth());
        }
    }
    let drift = start.iter().zip(at(simulation)).map(|(from, to)| from.distance(to));
    let (fastest, speed) = simulation.speeds();
    let drift = drift.fold(0.0, f32::max);
    Ok(Figures { bodies: ids.len(), seconds, drift, depth, fastest, speed, lost: 0 })
}

fn floor(simulation: &mut Simulation) -> Result<()> {
    simulation.add_fixed(Shape::cuboid(vec3(50.0, 1.0, 50.0))?, vec3(0.0, -1.0, 0.0))?;
    Ok(())
}

/// Boxes of a metre on each other.
pub(crate) fn stack(height: u8, seconds: f32) -> Result<Figures> {
    let mut simulation = Simulation::new(SUBSTEPS)?;
    floor(&mut simulation)?;
    let cube = Shape::cuboid(Vec3::splat(0.5))?;
    let ids = (0..height)
        .map(|i| {
            let at = vec3(0.0, 0.5 + f32::from(i), 0.0);
            simulation.add_moving(cube.clone(), at, Vec3::ZERO)
        })
        .collect::<Result<Vec<_>>>()?;
    run(&mut simulation, &ids, seconds)
}

/// Rows of boxes, each with one less than the row below.
pub(crate) fn pyramid(base: u8, seconds: f32) -> Result<Figures> {
    let mut simulation = Simulation::new(SUBSTEPS)?;
    floor(&mut simulation)?;
    let cube = Shape::cuboid(Vec3::splat(0.5))?;
    let mut ids = Vec::new();
    for row in 0..base {
        for column in 0..base - row {
            let x = 1.1 * (f32::from(column) + 0.5 * f32::from(row) - 0.5 * f32::from(base));
            let at = vec3(x, 0.5 + f32::from(row), 0.0);
            ids.push(simulation.add_moving(cube.clone(), at, Vec3::ZERO)?);
        }
    }
    run(&mut simulation, &ids, seconds)
}

/// Bodies of five kinds fall into a container of five walls.
pub(crate) fn container(count: u16, seconds: f32) -> Result<Figures> {
    let mut simulation = Simulation::new(SUBSTEPS)?;
    let side = 0.6 * f32::from(count).cbrt();
    let wall = 1.0;
    simulation.add_fixed(Shape::cuboid(vec3(side + 2.0, wall, side + 2.0))?, Vec3::Y * -wall)?;
    let height = side * 8.0;
    for sign in [-1.0, 1.0] {
        let away = sign * (side + wall);
        let across = Shape::cuboid(vec3(wall, height, side + 2.0))?;
        simulation.add_fixed(across, vec3(away, height, 0.0))?;
        let along = Shape::cuboid(vec3(side + 2.0, height, wall))?;
        simulation.add_fixed(along, vec3(0.0, height, away))?;
    }
    let shapes = mixed()?;
    let mut ids = Vec::new();
    let mut random = Random(7);
    let columns = (side / 0.6).floor();
    let (mut x, mut y, mut z) = (-columns, 1.0, -columns);
    for i in 0..count {
        let at = vec3(x, y, z) * 0.55 + random.vec(0.03);
        let shape = shapes[usize::from(i) % shapes.len()].clone();
        ids.push(simulation.add_moving(shape, at, random.vec(0.5))?);
        x += 2.0;
        if x > columns {
            (x, z) = (-columns, z + 2.0);
        }
        if z > columns {
            (z, y) = (-columns, y + 2.0);
        }
    }
    let mut figures = run(&mut simulation, &ids, seconds)?;
    let outside = |at: Vec3| at.x.abs() > side || at.z.abs() > side || at.y < 0.0;
    figures.lost = ids.iter().filter(|&&id| outside(simulation.position(id))).count();
    Ok(figures)
}

/// Shapes of about the same size, their centres of mass at their origins.
fn mixed() -> Result<[Shape; 5]> {
    let corners = [-0.35, 0.35].map(|x| [Vec3::X * x, Vec3::Y * x, Vec3::Z * x]);
    Ok([
        Shape::sphere(0.3)?,
        Shape::cuboid(vec3(0.3, 0.25, 0.2))?,
        Shape::capsule_along_y(0.2, 0.2)?,
        Shape::from(impinge::Cylinder::new(0.25, 0.25)?),
        Shape::from(impinge::ConvexHull::new(corners.as_flattened())?),
    ])
}

/// A ball of a few centimetres at hundreds of metres a second against a thin wall; how far beyond
/// the wall it came.
pub(crate) fn bullet(speed: f32) -> Result<f32> {
    let mut simulation = Simulation::new(SUBSTEPS)?;
    simulation.add_fixed(Shape::cuboid(vec3(0.01, 5.0, 5.0))?, vec3(10.0, 0.0, 0.0))?;
    let ball = Shape::sphere(0.03)?;
    let ball = simulation.add_moving(ball, Vec3::ZERO, Vec3::X * speed)?;
    let mut farthest = f32::NEG_INFINITY;
    for _ in 0..steps(1.0) {
        simulation.step()?;
        farthest = farthest.max(simulation.position(ball).x - 10.0);
    }
    Ok(farthest)
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn vec(&mut self, most: f32) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number()) * most
    }
}
