//! Reads queries.

use impinge::glam::Vec3;
use impinge::{Plane, Pose, Ray, RayOptions, Shape, StartedInside, SweepOptions};

use super::fields::{Fields, Problem};
use super::json::{Json, quote};
use super::scene::Scene;
use super::shape;

/// How many hits a ray or sweep reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The first one.
    Closest,
    /// One: the first one here too, so that the answer is the same in every run.
    Any,
    /// Every one, in order.
    All,
}

/// One question; bodies are named by their place in the scene.
#[derive(Debug)]
pub(crate) enum Request {
    Raycast { ray: Ray, max_distance: f32, options: RayOptions, mode: Mode },
    Sweep { shape: Shape, pose: Pose, displacement: Vec3, options: SweepOptions, mode: Mode },
    Overlap { shape: Shape, pose: Pose },
    Pair { a: usize, b: usize },
    Closest { point: Vec3, max_distance: f32 },
    Plane(Plane),
    ClampMovement { body: usize, movement: Vec3 },
    AabbPairs,
    BodyPairs,
}

/// Reads one query of the scene.
pub(crate) fn read(json: &Json, scene: &Scene<'_>) -> Result<Request, Problem> {
    let mut fields = Fields::new(json, "")?;
    fields.text("id")?;
    let request = match fields.text("type")? {
        "raycast" => raycast(&mut fields)?,
        "sweep" => sweep(&mut fields, scene)?,
        "overlap" => {
            Request::Overlap { shape: shape_of(&mut fields, scene)?, pose: fields.pose()? }
        }
        "pair" => {
            let (a, b) = (body(&mut fields, "a", scene)?, body(&mut fields, "b", scene)?);
            Request::Pair { a, b }
        }
        "closest" => {
            let point = finite("point", fields.vector("point")?)?;
            Request::Closest { point, max_distance: max_distance(&mut fields)? }
        }
        "plane" => {
            let plane = Plane::new(fields.vector("normal")?, fields.number("distance")?);
            Request::Plane(plane.map_err(|error| Problem::at("", error))?)
        }
        "clamp_movement" => {
            let body = body(&mut fields, "body", scene)?;
            Request::ClampMovement {
                body,
                movement: finite("movement", fields.vector("movement")?)?,
            }
        }
        "aabb_pairs" => Request::AabbPairs,
        "body_pairs" => Request::BodyPairs,
        other => return Err(Problem::at("type", format!("unknown query {}", quote(other)))),
    };
    fields.finish()?;
    Ok(request)
}

fn raycast(fields: &mut Fields<'_>) -> Result<Request, Problem> {
    let ray = Ray::new(fields.vector("origin")?, fields.vector("direction")?)
        .map_err(|error| Problem::at("", error))?;
    let skip = fields.flag("skip_started")?;
    let options = RayOptions {
        started_inside: if skip { StartedInside::Skip } else { StartedInside::Hit },
        cull_back_faces: fields.flag("cull_back_faces")?,
    };
    Ok(Request::Raycast { ray, max_distance: max_distance(fields)?, options, mode: mode(fields)? })
}

fn sweep(fields: &mut Fields<'_>, scene: &Scene<'_>) -> Result<Request, Problem> {
    let shape = shape_of(fields, scene)?;
    let pose = fields.pose()?;
    let displacement = finite("displacement", fields.vector("displacement")?)?;
    let options = SweepOptions {
        stop_on_touch: fields.flag("stop_on_touch")?,
        skip_started: fields.flag("skip_started")?,
        skip_leaving: fields.flag("skip_leaving")?,
    };
    Ok(Request::Sweep { shape, pose, displacement, options, mode: mode(fields)? })
}

fn shape_of(fields: &mut Fields<'_>, scene: &Scene<'_>) -> Result<Shape, Problem> {
    shape::read(fields.required("shape")?, "shape", scene.base)
}

fn body(fields: &mut Fields<'_>, name: &'static str, scene: &Scene<'_>) -> Result<usize, Problem> {
    let id = fields.text(name)?;
    scene.index_of(id).ok_or_else(|| Problem::at(name, format!("unknown body {}", quote(id))))
}

fn mode(fields: &mut Fields<'_>) -> Result<Mode, Problem> {
    match fields.text_or("mode", "closest")? {
        "closest" => Ok(Mode::Closest),
        "any" => Ok(Mode::Any),
        "all" => Ok(Mode::All),
        other => {
            let message = format!("must be \"closest\", \"any\" or \"all\", got {}", quote(other));
            Err(Problem::at("mode", message))
        }
    }
}

/// Infinite if it is left out or says so.
fn max_distance(fields: &mut Fields<'_>) -> Result<f32, Problem> {
    let value = fields.number_or("max_distance", f32::INFINITY)?;
    if value >= 0.0 {
        Ok(value)
    } else {
        Err(Problem::at("", format!("max_distance must not be negative or NaN, got {value}")))
    }
}

/// The vector, unless a component is NaN or infinite.
fn finite(name: &str, vector: Vec3) -> Result<Vec3, Problem> {
    match vector.to_array().into_iter().find(|component| !component.is_finite()) {
        None => Ok(vector),
        Some(bad) => Err(Problem::at("", format!("{name} must be finite, got {bad}"))),
    }
}
