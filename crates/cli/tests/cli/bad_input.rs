//! Answers to bad scenes: each error as the page documents it, and no panic.

use serde_json::{Value, json};

use crate::support::{impinge, query};

/// The error of a scene that holds this body after a good one.
fn body_error(body: &str) -> String {
    let good = r#"{"id":"ok","shape":{"type":"sphere","radius":1}}"#;
    let query_line = r#"{"id":"a","type":"aabb_pairs"}"#;
    let scene = format!("{{\"bodies\":[{good},{body}],\"queries\":[{query_line}]}}");
    let outcome = query(&scene);
    assert_eq!(outcome.status, 1, "{body}");
    let answers = outcome.answers();
    assert_eq!(answers.len(), 1, "{body}: {answers:?}");
    assert_eq!(answers[0]["scene"], json!(0.0));
    answers[0]["error"].as_str().unwrap().to_owned()
}

/// The error of a bad query between two good ones, which are answered.
fn query_error(request: &str) -> String {
    let good = r#"{"id":"g","type":"aabb_pairs"}"#;
    let body = r#"{"id":"ok","shape":{"type":"sphere","radius":1}}"#;
    let scene = format!("{{\"bodies\":[{body}],\"queries\":[{good},{request},{good}]}}");
    let outcome = query(&scene);
    assert_eq!(outcome.status, 1, "{request}");
    let answers = outcome.answers();
    assert_eq!(answers.len(), 3, "{request}: {answers:?}");
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, ["g", "q", "g"], "{request}");
    answers[1]["error"].as_str().unwrap().to_owned()
}

#[test]
fn bad_bodies_spoil_their_scene() {
    let sphere =
        |radius: &str| format!(r#"{{"id":"b","shape":{{"type":"sphere","radius":{radius}}}}}"#);
    let radius = "bodies[1].shape.radius";
    let range = "must be finite and not negative";
    for (value, message) in [
        ("-1", format!("{range}, got -1")),
        ("null", format!("{range}, got NaN")),
        ("\"NaN\"", format!("{range}, got NaN")),
        ("\"Infinity\"", format!("{range}, got inf")),
        ("\"-Infinity\"", format!("{range}, got -inf")),
        ("1e39", format!("{range}, got inf")),
        ("\"one\"", "must be a number, got \"one\"".to_owned()),
        ("true", "must be a number, got true".to_owned()),
        ("[1]", "must be a number, got a list".to_owned()),
    ] {
        assert_eq!(body_error(&sphere(value)), format!("{radius}: {message}"));
    }
}

/// A body of that shape.
fn shaped(shape: &str) -> String {
    format!(r#"{{"id":"b","shape":{shape}}}"#)
}

#[test]
fn errors_of_bodies_name_the_field() {
    let with =
        |fields: &str| format!(r#"{{"id":"b","shape":{{"type":"sphere","radius":1}},{fields}}}"#);
    let table = [
        (with(r#""position":[0,null,0]"#), "bodies[1].position: must be finite, got NaN"),
        (with(r#""position":[0,0]"#), "bodies[1].position: must be 3 numbers, got 2"),
        (with(r#""position":7"#), "bodies[1].position: must be a list, got 7"),
        (with(r#""position":[0,"a",0]"#), "bodies[1].position[1]: must be a number, got \"a\""),
        (with(r#""rotation":[0,0,0,0]"#), "bodies[1].rotation: must not be zero"),
        (with(r#""rotation":[0,0,0,"NaN"]"#), "bodies[1].rotation: must be finite, got NaN"),
        (with(r#""rotation":[0,0,1]"#), "bodies[1].rotation: must be 4 numbers, got 3"),
        (with(r#""kind":"ghost""#), r#"bodies[1].kind: must be "fixed" or "moving", got "ghost""#),
        (with(r#""kind":1"#), "bodies[1].kind: must be a string, got 1"),
        (with(r#""colour":"red""#), "bodies[1]: unknown field \"colour\""),
        (r#"{"id":"b"}"#.to_owned(), "bodies[1].shape: is missing"),
        (r#"{"shape":{}}"#.to_owned(), "bodies[1].id: is missing"),
        (r#"{"id":7,"shape":{}}"#.to_owned(), "bodies[1].id: must be a string, got 7"),
        ("[]".to_owned(), "bodies[1]: must be an object, got a list"),
        (shaped("{}"), "bodies[1].shape.type: is missing"),
        (shaped(r#"{"type":"blob"}"#), "bodies[1].shape.type: unknown shape \"blob\""),
        (shaped(r#"{"type":"sphere"}"#), "bodies[1].shape.radius: is missing"),
        (
            shaped(r#"{"type":"cuboid","half_extents":[1,1,-1]}"#),
            "bodies[1].shape.half_extents[2]: must be finite and not negative, got -1",
        ),
        (
            shaped(r#"{"type":"cuboid","half_extents":[1,1,1],"radius":1}"#),
            "bodies[1].shape: unknown field \"radius\"",
        ),
        (
            shaped(r#"{"type":"half_space","normal":[0,0,0]}"#),
            "bodies[1].shape.normal: must not be zero",
        ),
        (
            shaped(r#"{"type":"capsule","half_height":-1,"radius":1}"#),
            "bodies[1].shape.half_height: must be finite and not negative, got -1",
        ),
        (
            shaped(r#"{"type":"capsule","a":[0,0,0],"b":[0,null,0],"radius":1}"#),
            "bodies[1].shape.b: must be finite, got NaN",
        ),
        (
            shaped(r#"{"type":"compound","parts":[{"shape":{"type":"cone"}}]}"#),
            "bodies[1].shape.parts[0].shape.half_height: is missing",
        ),
        (
            r#"{"id":"ok","shape":{"type":"sphere","radius":1}}"#.to_owned(),
            "bodies[1].id: \"ok\" is already the id of bodies[0]",
        ),
    ];
    for (body, message) in table {
        assert_eq!(body_error(&body), message, "{body}");
    }
}

#[test]
fn errors_of_points_and_files_name_the_value() {
    let table = [
        (
            shaped(r#"{"type":"cylinder","half_height":1,"radius":-2}"#),
            "bodies[1].shape.radius: must be finite and not negative, got -2",
        ),
        (
            shaped(r#"{"type":"triangle","vertices":[[0,0,0],[1,0,0],[0,null,0]]}"#),
            "bodies[1].shape.vertices[2]: must be finite, got NaN",
        ),
        (shaped(r#"{"type":"hull","points":[]}"#), "bodies[1].shape.points: must not be empty"),
        (
            shaped(r#"{"type":"hull","points":[[0,0,0],["NaN",0,0]]}"#),
            "bodies[1].shape.points[1]: must be finite, got NaN",
        ),
        (
            shaped(r#"{"type":"mesh","vertices":[[0,0,0]],"triangles":[]}"#),
            "bodies[1].shape.triangles: must not be empty",
        ),
        (
            shaped(r#"{"type":"mesh","vertices":[[0,0,0]],"triangles":[[0,0,1]]}"#),
            "bodies[1].shape.triangles[0]: must name vertices below 1, got 1",
        ),
        (
            shaped(
                r#"{"type":"height_field","rows":1,"columns":2,"heights":[0,0],"scale":[1,1,1]}"#,
            ),
            "bodies[1].shape.rows: must be at least 2, got 1",
        ),
        (
            shaped(
                r#"{"type":"rounded","radius":1,"shape":{"type":"half_space","normal":[0,1,0]}}"#,
            ),
            "bodies[1].shape.shape: must be a bounded convex shape, got half_space",
        ),
        (
            shaped(r#"{"type":"rounded","radius":-1,"shape":{"type":"sphere","radius":1}}"#),
            "bodies[1].shape.radius: must be finite and not negative, got -1",
        ),
    ];
    for (body, message) in table {
        assert_eq!(body_error(&body), message, "{body}");
    }
    let unknown = body_error(&shaped(r#"{"type":"torus"}"#));
    assert_eq!(unknown, "bodies[1].shape.type: unknown shape \"torus\"");
    let missing = body_error(&shaped(r#"{"type":"mesh","file":"no-such-file.obj"}"#));
    assert!(missing.starts_with("bodies[1].shape.file: cannot read no-such-file.obj: "));
    let other = body_error(&shaped(r#"{"type":"mesh","file":"a.txt"}"#));
    assert!(other.ends_with("must be an .obj, .stl, .gltf or .glb file"), "{other}");
}

#[test]
fn bad_queries_are_answered_in_their_place() {
    let ray = |fields: &str| format!(r#"{{"id":"q","type":"raycast","origin":[0,0,0],{fields}}}"#);
    let sphere = r#""shape":{"type":"sphere","radius":1}"#;
    let sweep = |fields: &str| format!(r#"{{"id":"q","type":"sweep",{sphere},{fields}}}"#);
    let other = |fields: &str| format!(r#"{{"id":"q",{fields}}}"#);
    let table = [
        (ray(r#""direction":[0,0,0]"#), "direction must not be zero"),
        (ray(r#""direction":[0,-0.0,0]"#), "direction must not be zero"),
        (ray(r#""direction":[0,null,0]"#), "direction must be finite, got NaN"),
        (ray(r#""direction":[0,"Infinity",0]"#), "direction must be finite, got inf"),
        (ray(r#""direction":[1,0]"#), "direction: must be 3 numbers, got 2"),
        (ray(r#""max_distance":1"#), "direction: is missing"),
        (
            ray(r#""direction":[1,0,0],"max_distance":-1"#),
            "max_distance must not be negative or NaN, got -1",
        ),
        (
            ray(r#""direction":[1,0,0],"max_distance":"NaN""#),
            "max_distance must not be negative or NaN, got NaN",
        ),
        (
            ray(r#""direction":[1,0,0],"mode":"first""#),
            r#"mode: must be "closest", "any" or "all", got "first""#,
        ),
        (
            ray(r#""direction":[1,0,0],"skip_started":1"#),
            "skip_started: must be true or false, got 1",
        ),
        (ray(r#""direction":[1,0,0],"stop_on_touch":true"#), "unknown field \"stop_on_touch\""),
        (sweep(r#""displacement":[0,"NaN",0]"#), "displacement must be finite, got NaN"),
        (sweep(r#""position":[0,0,0]"#), "displacement: is missing"),
        (sweep(r#""displacement":[0,0,0],"rotation":[0,0,0,0]"#), "rotation: must not be zero"),
        (
            sweep(r#""displacement":[0,0,0],"cull_back_faces":true"#),
            "unknown field \"cull_back_faces\"",
        ),
        (
            other(r#""type":"overlap","shape":{"type":"sphere","radius":-1}"#),
            "shape.radius: must be finite and not negative, got -1",
        ),
        (
            other(r#""type":"overlap","shape":{"type":"mesh","file":"a"}"#),
            "shape.file: cannot read a: must be an .obj, .stl, .gltf or .glb file",
        ),
        (other(r#""type":"pair","a":"ok","b":"gone""#), "b: unknown body \"gone\""),
        (other(r#""type":"pair","a":"ok""#), "b: is missing"),
        (other(r#""type":"closest","point":[0,"-Infinity",0]"#), "point must be finite, got -inf"),
        (other(r#""type":"plane","normal":[0,0,0],"distance":1"#), "normal must not be zero"),
        (
            other(r#""type":"plane","normal":[0,1,0],"distance":null"#),
            "distance must be finite, got NaN",
        ),
        (
            other(r#""type":"clamp_movement","body":"x","movement":[0,0,0]"#),
            "body: unknown body \"x\"",
        ),
        (
            other(r#""type":"clamp_movement","body":"ok","movement":[0,1e99,0]"#),
            "movement must be finite, got inf",
        ),
        (other(r#""type":"aabb_pairs","max":1"#), "unknown field \"max\""),
        (other(r#""type":"teleport""#), "type: unknown query \"teleport\""),
        (other(r#""origin":[0,0,0]"#), "type: is missing"),
    ];
    for (request, message) in table {
        assert_eq!(query_error(&request), message, "{request}");
    }
}

#[test]
fn queries_without_an_id_are_named_by_their_place() {
    let scene = r#"{"queries":[{"type":"aabb_pairs"},7,{"id":"b","type":"body_pairs"}]}"#;
    let outcome = query(scene);
    assert_eq!(outcome.status, 1);
    assert_eq!(
        outcome.stdout,
        "{\"scene\":0,\"error\":\"queries[0].id: is missing\"}\n\
         {\"scene\":0,\"error\":\"queries[1]: must be an object, got 7\"}\n\
         {\"id\":\"b\",\"pairs\":[],\"count\":0}\n"
    );
}

#[test]
fn malformed_scenes_are_one_error() {
    for (scene, message) in [
        ("", "malformed JSON: EOF while parsing a value at line 1 column 0"),
        ("{\n\"bodies\":[,]}", "malformed JSON: expected value at line 2 column 11"),
        ("{} {}", "malformed JSON: trailing characters at line 1 column 4"),
        ("{\"bodies\":[1e999]}", "malformed JSON: number out of range at line 1 column 16"),
        ("{\"bodies\":[NaN]}", "malformed JSON: expected value at line 1 column 12"),
        ("[]", "must be an object, got a list"),
        ("null", "must be an object, got null"),
        ("{\"bodies\":{}}", "bodies: must be a list, got an object"),
        ("{\"queries\":3}", "queries: must be a list, got 3"),
        ("{\"bodys\":[]}", "unknown field \"bodys\""),
    ] {
        let outcome = query(scene);
        assert_eq!(outcome.status, 1, "{scene}");
        assert_eq!(outcome.answers().len(), 1, "{scene}");
        assert_eq!(outcome.answers()[0]["error"], json!(message), "{scene}");
    }
    let twice = query(r#"{"bodies":[],"bodies":[]}"#);
    assert!(twice.stdout.contains("field \\\"bodies\\\" given twice"), "{}", twice.stdout);
    let latin = impinge(&["query", "-"], b"{\"bodies\":[{\"id\":\"\xe9\"}]}");
    assert_eq!(latin.status, 1);
    assert!(latin.stdout.contains("malformed JSON"), "{}", latin.stdout);
}

#[test]
fn good_lines_are_answered_beside_bad_ones() {
    let good = r#"{"queries":[{"id":"a","type":"aabb_pairs"}]}"#;
    let bad = r#"{"bodies":[{"id":"s","shape":{"type":"sphere","radius":-1}}]}"#;
    let outcome = query(&format!("{{oops\n{good}\n{bad}\n[1,2\n{good}\n"));
    assert_eq!(outcome.status, 1);
    let told: Vec<(f64, bool)> = outcome
        .answers()
        .iter()
        .map(|answer| (answer["scene"].as_f64().unwrap(), answer["error"].is_string()))
        .collect();
    assert_eq!(told, [(0.0, true), (1.0, false), (2.0, true), (3.0, true), (4.0, false)]);
    assert_eq!(
        outcome.answers()[2]["error"],
        json!("bodies[0].shape.radius: must be finite and not negative, got -1")
    );
}

#[test]
fn deep_nesting_ends_in_an_error() {
    let deep = |depth: usize| {
        let open = r#"{"type":"compound","parts":[{"shape":"#.repeat(depth);
        let close = "}]}".repeat(depth);
        let shape = format!(r#"{open}{{"type":"sphere","radius":1}}{close}"#);
        let scene = format!("{{\"bodies\":[{{\"id\":\"a\",\"shape\":{shape}}}]}}");
        query(&scene)
    };
    assert_eq!(deep(20).status, 0);
    for depth in [100, 10_000] {
        let outcome = deep(depth);
        assert_eq!(outcome.status, 1);
        assert!(outcome.stdout.contains("recursion limit exceeded"), "{}", outcome.stdout);
    }
    let brackets = query(&"[".repeat(1_000_000));
    assert_eq!(brackets.status, 1);
    assert!(brackets.stdout.contains("recursion limit exceeded"), "{}", brackets.stdout);
}

#[test]
fn extreme_but_finite_numbers_are_answered() {
    let bodies = json!([
        { "id": "dust", "shape": { "type": "sphere", "radius": 1e-45 } },
        { "id": "world", "position": [3e38, -3e38, 3e38],
          "shape": { "type": "cuboid", "half_extents": [3e38, 3e38, 3e38] } },
        { "id": "point", "rotation": [0, 0, 0, 1e-40],
          "shape": { "type": "capsule", "half_height": 0, "radius": 0 } },
    ]);
    let mut queries: Vec<Value> = Vec::new();
    for a in ["dust", "world", "point"] {
        for b in ["dust", "world", "point"] {
            queries.push(json!({ "id": format!("{a}-{b}"), "type": "pair", "a": a, "b": b }));
        }
        let movement = [3e38, 1e-45, -3e38];
        queries.push(json!({ "id": a, "type": "clamp_movement", "body": a, "movement": movement }));
    }
    let far = [3.4e38, 3.4e38, -3.4e38];
    let tiny = json!({ "type": "sphere", "radius": 1e-45 });
    for mode in ["closest", "all"] {
        queries.push(json!({ "id": mode, "type": "raycast", "origin": far,
            "direction": [-1, -1, 1e-45], "mode": mode }));
        queries.push(json!({ "id": mode, "type": "sweep", "shape": tiny, "position": far,
            "displacement": [-3.4e38, -3.4e38, 3.4e38], "mode": mode }));
    }
    queries.push(json!({ "id": "c", "type": "closest", "point": far }));
    queries.push(json!({ "id": "p", "type": "plane", "normal": [1e-45, 0, 0], "distance": 3e38 }));
    queries.push(json!({ "id": "o", "type": "overlap", "shape": tiny, "position": far }));
    queries.push(json!({ "id": "b", "type": "body_pairs" }));
    let outcome = query(&json!({ "bodies": bodies, "queries": queries }).to_string());
    assert_eq!(outcome.status, 0, "{}", outcome.stdout);
    assert_eq!(outcome.answers().len(), queries.len());
    assert!(!outcome.stdout.contains("NaN"), "{}", outcome.stdout);
}
