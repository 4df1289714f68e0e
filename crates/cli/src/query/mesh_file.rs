//! Reads triangles from OBJ, STL and glTF files.

use std::fs;
use std::mem::replace;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use impinge::glam::{Mat4, Vec3};

/// Vertices, and three indices of them for each triangle.
#[derive(Debug, Default)]
pub(crate) struct Triangles {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Triangles {
    /// The triangles of a file, told apart by its extension; the error says what is wrong.
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        match extension.to_ascii_lowercase().as_str() {
            "obj" => Self::read_obj(file),
            "stl" => Self::read_stl(file),
            "gltf" | "glb" => Self::read_gltf(file),
            _ => Err("must be an .obj, .stl, .gltf or .glb file".to_owned()),
        }
        .map_err(|message| format!("cannot read {}: {message}", file.display()))
    }

    /// Groups and materials are of no interest; faces with more corners are split into triangles.
    fn read_obj(file: &Path) -> Result<Self, String> {
        let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
        let (models, _) = tobj::load_obj(file, &options).map_err(|error| error.to_string())?;
        let mut all = Self::default();
        for model in &models {
            let (positions, _) = model.mesh.positions.as_chunks::<3>();
            let (triangles, _) = model.mesh.indices.as_chunks::<3>();
            all.append(positions.iter().map(|&p| Vec3::from_array(p)), triangles)?;
        }
        Ok(all)
    }

    fn read_stl(file: &Path) -> Result<Self, String> {
        let mut reader = fs::File::open(file).map_err(|error| error.to_string())?;
        let mesh = stl_io::read_stl(&mut reader).map_err(|error| error.to_string())?;
        let mut triangles = Vec::with_capacity(mesh.faces.len());
        for face in &mesh.faces {
            let mut corners = [0; 3];
            for (corner, &vertex) in corners.iter_mut().zip(&face.vertices) {
                *corner = u32::try_from(vertex).map_err(|_| "too many vertices".to_owned())?;
            }
            triangles.push(corners);
        }
        let mut all = Self::default();
        all.append(mesh.vertices.iter().map(|v| Vec3::new(v[0], v[1], v[2])), &triangles)?;
        Ok(all)
    }

    /// All triangles of the file's first scene, placed as its nodes say; a node that is reached
    /// twice is an error, as glTF 2.0 says (3.5.3, "Node Hierarchy").
    fn read_gltf(file: &Path) -> Result<Self, String> {
        let bytes = fs::read(file).map_err(|error| error.to_string())?;
        let gltf = gltf::Gltf::from_slice(&bytes).map_err(|error| error.to_string())?;
        let base = file.parent().unwrap_or_else(|| Path::new(""));
        let mut buffers = Vec::new();
        for buffer in gltf.buffers() {
            buffers.push(match buffer.source() {
                gltf::buffer::Source::Bin => {
                    gltf.blob.clone().ok_or("the binary part is missing")?
                }
                gltf::buffer::Source::Uri(uri) => read_uri(uri, base)?,
            });
        }
        let scene = gltf.default_scene().or_else(|| gltf.scenes().next());
        let mut all = Self::default();
        let mut nodes: Vec<(gltf::Node<'_>, Mat4)> = Vec::new();
        nodes.extend(scene.iter().flat_map(gltf::Scene::nodes).map(|node| (node, Mat4::IDENTITY)));
        // A stack of our own: a chain of nodes may be as deep as the file is long.
        let mut is_reached = vec![false; gltf.nodes().len()];
        while let Some((node, parent)) = nodes.pop() {
            // Else a cycle would never end, and shared children would double at every level.
            if is_reached.get_mut(node.index()).is_none_or(|reached| replace(reached, true)) {
                let problem = "is reached twice, but nodes must form disjoint trees";
                return Err(format!("nodes[{}] {problem}", node.index()));
            }
            let place = parent * Mat4::from_cols_array_2d(&node.transform().matrix());
            nodes.extend(node.children().map(|child| (child, place)));
            for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
                all.append_primitive(&primitive, &place, &buffers)?;
            }
        }
        Ok(all)
    }

    fn append_primitive(
        &mut self,
        primitive: &gltf::Primitive<'_>,
        place: &Mat4,
        buffers: &[Vec<u8>],
    ) -> Result<(), String> {
        if primitive.mode() != gltf::mesh::Mode::Triangles {
            return Ok(());
        }
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
        let positions = reader.read_positions().ok_or("a mesh without positions")?;
        let positions: Vec<Vec3> =
            positions.map(|p| place.transform_point3(Vec3::from_array(p))).collect();
        let count = u32::try_from(positions.len()).map_err(|_| "too many vertices".to_owned())?;
        let indices: Vec<u32> = match reader.read_indices() {
            Some(indices) => indices.into_u32().collect(),
            None => (0..count).collect(),
        };
        let (triangles, _) = indices.as_chunks::<3>();
        self.append(positions.into_iter(), triangles)
    }

    fn append(
        &mut self,
        vertices: impl Iterator<Item = Vec3>,
        triangles: &[[u32; 3]],
    ) -> Result<(), String> {
        let first = u32::try_from(self.vertices.len()).map_err(|_| "too many vertices")?;
        self.vertices.extend(vertices);
        for corners in triangles {
            let mut named = [0; 3];
            for (named, corner) in named.iter_mut().zip(corners) {
                *named = corner.checked_add(first).ok_or("too many vertices")?;
            }
            self.triangles.push(named);
        }
        Ok(())
    }
}

/// The bytes that a glTF file names: written into it, or in a file beside it.
fn read_uri(uri: &str, base: &Path) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, text) = data.split_once(";base64,").ok_or("a data URI that is not base64")?;
        return STANDARD.decode(text).map_err(|error| error.to_string());
    }
    fs::read(base.join(uri)).map_err(|error| format!("{uri}: {error}"))
}
