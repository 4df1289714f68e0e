//! Meshes from files: real ones, and small ones in every format.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{impinge, plain, query};

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testkit/data");
    folder.join(name).to_str().unwrap().to_owned()
}

/// Distance and overlap of the planning robot at a place in its environment.
fn robot_at(position: [f64; 3]) -> (bool, f64, Value) {
    let scene = json!({
        "bodies": [
            { "id": "environment", "kind": "fixed",
              "shape": { "type": "mesh", "file": data("planning-environment.obj") } },
            { "id": "robot", "position": position,
              "shape": { "type": "mesh", "file": data("planning-robot.obj") } }],
        "queries": [{ "id": "p", "type": "pair", "a": "environment", "b": "robot" }] });
    let outcome = query(&scene.to_string());
    assert_eq!(outcome.status, 0, "{}", outcome.stdout);
    let answer = outcome.answers().remove(0);
    let distance = answer["distance"].as_f64().unwrap();
    (answer["overlap"].as_bool().unwrap(), distance, answer)
}

#[test]
fn the_planning_robot_is_clear_touching_and_colliding() {
    let far = [0.0, 20_000.0, 0.0];
    let (overlap, distance, answer) = robot_at(far);
    assert!(!overlap && distance > 1000.0, "{answer}");
    assert_eq!(answer["manifold"], json!([]));
    // Moving the robot by the distance against the normal brings the two to touch.
    let step = |share: f64| {
        let along = |k: usize| far[k] - share * distance * answer["normal"][k].as_f64().unwrap();
        robot_at([along(0), along(1), along(2)])
    };
    let (_, touching, answer) = step(1.0);
    assert!(touching.abs() < 0.01, "{answer}");
    let (overlap, near, answer) = step(0.9999);
    assert!(!overlap && near > 0.0 && near < 3.0, "{answer}");
    let (overlap, depth, answer) = step(1.001);
    assert!(overlap && depth <= 0.0, "{answer}");
    assert_ne!(answer["manifold"], json!([]));
}

/// A file in the folder for the tests' own files.
fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("meshes");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// A square of side 2 around the origin, at height 1, as each format writes it.
fn squares() -> [PathBuf; 4] {
    let obj = "v -1 1 -1\nv 1 1 -1\nv 1 1 1\nv -1 1 1\nf 1 4 3 2\n";
    let facet = |corners: [&str; 3]| {
        let [a, b, c] = corners.map(|corner| format!("vertex {corner}\n"));
        format!("facet normal 0 1 0\nouter loop\n{a}{b}{c}endloop\nendfacet\n")
    };
    let two = [["-1 1 -1", "-1 1 1", "1 1 1"], ["-1 1 -1", "1 1 1", "1 1 -1"]].map(facet).concat();
    let stl = format!("solid square\n{two}endsolid square\n");
    let corners: [[f32; 3]; 4] =
        [[-0.5, 0., -0.5], [-0.5, 0., 0.5], [0.5, 0., 0.5], [0.5, 0., -0.5]];
    let mut buffer: Vec<u8> = corners.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    buffer.extend([0_u16, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()));
    write("square.bin", &buffer);
    // Scaled by 2 and lifted by a node.
    let gltf = |uri: Option<&str>| {
        let mut buffer = json!({ "byteLength": 60 });
        if let Some(uri) = uri {
            buffer["uri"] = json!(uri);
        }
        json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
            "nodes": [{ "mesh": 0, "translation": [0, 1, 0], "scale": [2, 1, 2] }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
            "buffers": [buffer],
            "bufferViews": [{ "buffer": 0, "byteOffset": 0, "byteLength": 48 },
                            { "buffer": 0, "byteOffset": 48, "byteLength": 12 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
                  "min": [-0.5, 0, -0.5], "max": [0.5, 0, 0.5] },
                { "bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR" }] })
        .to_string()
    };
    let mut text = gltf(None).into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |x: usize| u32::try_from(x).unwrap().to_le_bytes();
    let glb = [
        &b"glTF"[..],
        &2_u32.to_le_bytes(),
        &word(12 + 8 + text.len() + 8 + buffer.len()),
        &word(text.len()),
        b"JSON",
        &text,
        &word(buffer.len()),
        b"BIN\0",
        &buffer,
    ]
    .concat();
    [
        write("square.obj", obj.as_bytes()),
        write("square.stl", stl.as_bytes()),
        write("square.gltf", gltf(Some("square.bin")).as_bytes()),
        write("square.glb", &glb),
    ]
}

#[test]
fn every_format_gives_the_same_surface() {
    for file in squares() {
        // Relative to the scene file, which lies beside it.
        let name = file.file_name().unwrap().to_str().unwrap();
        let scene = json!({
            "bodies": [{ "id": "square", "shape": { "type": "mesh", "file": name } }],
            "queries": [
                { "id": "hit", "type": "raycast", "origin": [0.99, 3, -0.5], "direction": [0, -1, 0] },
                { "id": "miss", "type": "raycast", "origin": [1.01, 3, 0], "direction": [0, -1, 0] },
                { "id": "near", "type": "closest", "point": [3, 1, 0], "max_distance": 9 }] });
        let path = write(&format!("{name}.json"), scene.to_string().as_bytes());
        let outcome = impinge(&["query", path.to_str().unwrap()], b"");
        assert_eq!(outcome.status, 0, "{name}: {}", outcome.stdout);
        let answers = outcome.answers();
        assert_eq!(answers[0]["hits"][0]["distance"], json!(2.0), "{name}");
        assert_eq!(answers[0]["hits"][0]["normal"], plain(json!([0, 1, 0])), "{name}");
        assert_eq!(answers[1]["hits"], json!([]), "{name}");
        assert_eq!(answers[2]["distance"], json!(2.0), "{name}");
        assert_eq!(answers[2]["point"], plain(json!([1, 1, 0])), "{name}");
    }
}

/// The answer to a scene of one mesh in a glTF file of these nodes, with the first as its root and
/// the square as mesh 0.
fn of_nodes(name: &str, nodes: &Value) -> (i32, String) {
    let text = fs::read_to_string(&squares()[2]).unwrap();
    let mut gltf: Value = serde_json::from_str(&text).unwrap();
    gltf["nodes"] = nodes.clone();
    let path = write(name, gltf.to_string().as_bytes());
    let scene = json!({
        "bodies": [{ "id": "m", "shape": { "type": "mesh", "file": path.to_str().unwrap() } }],
        "queries": [{ "id": "r", "type": "raycast", "origin": [0.25, 9, 0],
                      "direction": [0, -1, 0], "mode": "all" }] });
    let outcome = query(&scene.to_string());
    (outcome.status, outcome.stdout)
}

/// A cycle never ended and took ever more memory, and a chain of shared children took 2^40 steps.
#[test]
fn nodes_that_are_reached_twice_are_refused() {
    let mut shared: Vec<Value> = (1..=40).map(|i| json!({ "children": [i, i] })).collect();
    shared.push(json!({ "mesh": 0 }));
    for (name, nodes, twice) in [
        ("cycle.gltf", json!([{ "children": [1] }, { "children": [0] }]), 0),
        ("itself.gltf", json!([{ "children": [0], "mesh": 0 }]), 0),
        ("shared.gltf", json!(shared), 40),
        ("two-parents.gltf", json!([{ "children": [1, 2] }, { "children": [2] }, {}]), 2),
    ] {
        let (status, told) = of_nodes(name, &nodes);
        let problem = "is reached twice, but nodes must form disjoint trees";
        assert!(status == 1 && told.contains(&format!("nodes[{twice}] {problem}")), "{told}");
    }
}

#[test]
fn a_deep_chain_of_nodes_is_read() {
    let mut nodes: Vec<Value> = (1..100_000).map(|i| json!({ "children": [i] })).collect();
    nodes.push(json!({ "mesh": 0, "translation": [0, 4, 0] }));
    let (status, told) = of_nodes("deep.gltf", &json!(nodes));
    assert!(status == 0 && told.contains("\"distance\":5.0"), "{told}");
}

#[test]
fn nodes_may_share_a_mesh() {
    let [low, high] = [2, 4].map(|y| json!({ "mesh": 0, "translation": [0, y, 0] }));
    let (status, told) = of_nodes("instances.gltf", &json!([{ "children": [1, 2] }, low, high]));
    assert!(status == 0 && told.contains("\"distance\":5.0"), "{told}");
}
