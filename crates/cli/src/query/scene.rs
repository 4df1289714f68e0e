//! Reads the bodies of a scene.

use std::collections::BTreeMap;
use std::path::Path;

use impinge::{Pose, Shape};

use super::fields::{Fields, Problem, list};
use super::json::{Json, quote};
use super::shape;

/// A body as the file gives it.
#[derive(Clone, Debug)]
pub(crate) struct SceneBody {
    /// Unique in its scene.
    pub(crate) id: String,
    /// Fixed rather than moving.
    pub(crate) fixed: bool,
    pub(crate) pose: Pose,
    pub(crate) shape: Shape,
}

/// The bodies of one scene, and its queries still to be read: one bad query must not keep the
/// others from being answered, but one bad body spoils every answer.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) bodies: Vec<SceneBody>,
    pub(crate) queries: &'a [Json],
    /// The folder that files are relative to.
    pub(crate) base: &'a Path,
    index_of: BTreeMap<String, usize>,
}

impl<'a> Scene<'a> {
    /// Reads everything but the queries.
    pub(crate) fn read(json: &'a Json, base: &'a Path) -> Result<Self, Problem> {
        let mut fields = Fields::new(json, "")?;
        let bodies = match fields.optional("bodies") {
            Some(json) => read_bodies(json, base)?,
            None => Vec::new(),
        };
        let queries = match fields.optional("queries") {
            Some(json) => list(json, "queries")?,
            None => &[],
        };
        fields.finish()?;
        let mut index_of = BTreeMap::new();
        for (i, body) in bodies.iter().enumerate() {
            if let Some(first) = index_of.insert(body.id.clone(), i) {
                let message = format!("{} is already the id of bodies[{first}]", quote(&body.id));
                return Err(Problem::at(&format!("bodies[{i}].id"), message));
            }
        }
        Ok(Self { bodies, queries, base, index_of })
    }

    /// Place of the named body in the file's order.
    pub(crate) fn index_of(&self, id: &str) -> Option<usize> {
        self.index_of.get(id).copied()
    }
}

fn read_bodies(json: &Json, base: &Path) -> Result<Vec<SceneBody>, Problem> {
    let items = list(json, "bodies")?;
    let body = |(i, item)| read_body(item, &format!("bodies[{i}]"), base);
    items.iter().enumerate().map(body).collect()
}

fn read_body(json: &Json, path: &str, base: &Path) -> Result<SceneBody, Problem> {
    let mut fields = Fields::new(json, path)?;
    let id = fields.text("id")?.to_owned();
    let fixed = match fields.text_or("kind", "moving")? {
        "fixed" => true,
        "moving" => false,
        other => {
            let message = format!("must be \"fixed\" or \"moving\", got {}", quote(other));
            return Err(Problem::at(&fields.path_of("kind"), message));
        }
    };
    let pose = fields.pose()?;
    let shape_path = fields.path_of("shape");
    let shape = shape::read(fields.required("shape")?, &shape_path, base)?;
    fields.finish()?;
    Ok(SceneBody { id, fixed, pose, shape })
}
