//! Answers to good scenes.

use serde_json::{Value, json};

use crate::support::{impinge, plain, query};

const PAGE: &str = include_str!("../../../../docs/scene-format.md");

/// The code blocks of the page that hold JSON: the scene, its answers, the errors.
fn blocks() -> Vec<&'static str> {
    PAGE.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Asks one query of some bodies and returns its answer.
fn ask(bodies: &Value, mut request: Value) -> Value {
    request["id"] = json!("q");
    let scene = json!({ "bodies": bodies, "queries": [request] });
    let outcome = query(&scene.to_string());
    assert_eq!(outcome.status, 0, "{}", outcome.stdout);
    outcome.answers().remove(0)
}

fn ball(id: &str, x: f64, radius: f64) -> Value {
    json!({ "id": id, "position": [x, 0, 0], "shape": { "type": "sphere", "radius": radius } })
}

/// Bodies of an answer's hits.
fn bodies_hit(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["body"].as_str().unwrap()).collect()
}

#[test]
fn the_page_s_scene_gives_the_page_s_answers() {
    let [scene, answers, _] = blocks()[..] else { panic!("the page has three blocks of JSON") };
    let outcome = query(scene);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    let expected: Vec<Value> =
        answers.lines().map(|line| plain(serde_json::from_str(line).unwrap())).collect();
    assert_eq!(outcome.answers(), expected);
    // The same fields in the same order, whichever way the numbers are written.
    let shape = |text: &str| text.replace(".0", "");
    assert_eq!(shape(&outcome.stdout), shape(answers));
}

#[test]
fn modes_of_rays_and_sweeps() {
    let bodies = json!([ball("far", 8.0, 1.0), ball("near", 4.0, 1.0), ball("here", 0.0, 1.0)]);
    for (kind, motion) in [
        ("raycast", json!({ "origin": [0, 0, 0], "direction": [2, 0, 0] })),
        (
            "sweep",
            json!({ "shape": { "type": "sphere", "radius": 0.25 }, "displacement": [20, 0, 0] }),
        ),
    ] {
        let ask = |mode: &str, skip: bool| {
            let mut request = motion.clone();
            request["type"] = json!(kind);
            request["mode"] = json!(mode);
            request["skip_started"] = json!(skip);
            ask(&bodies, request)
        };
        assert_eq!(bodies_hit(&ask("closest", false)), ["here"]);
        assert_eq!(bodies_hit(&ask("closest", true)), ["near"]);
        assert_eq!(bodies_hit(&ask("any", true)), ["near"]);
        assert_eq!(bodies_hit(&ask("all", true)), ["near", "far"]);
        assert_eq!(bodies_hit(&ask("all", false)), ["here", "near", "far"]);
    }
}

#[test]
fn a_ray_ends_at_its_max_distance() {
    let bodies = json!([ball("a", 4.0, 1.0)]);
    for (max_distance, hits) in
        [(json!(3), 1), (json!(2.999), 0), (json!("Infinity"), 1), (json!(0), 0)]
    {
        let answer = ask(
            &bodies,
            json!({ "type": "raycast", "origin": [0, 0, 0], "direction": [1, 0, 0],
                "max_distance": max_distance }),
        );
        assert_eq!(bodies_hit(&answer).len(), hits, "{max_distance}");
    }
}

#[test]
fn a_sweep_stops_on_touch_only_if_asked_to() {
    let bodies = json!([ball("a", 0.0, 1.0)]);
    for (stop, hits) in [(false, 0), (true, 1)] {
        let answer = ask(
            &bodies,
            json!({ "type": "sweep", "shape": { "type": "sphere", "radius": 1 },
                "position": [2, 0, 0], "displacement": [3, 0, 0], "stop_on_touch": stop }),
        );
        assert_eq!(bodies_hit(&answer).len(), hits, "{stop}");
    }
}

#[test]
fn a_sweep_leaves_what_it_moves_out_of_only_if_asked_to() {
    let bodies = json!([ball("a", 0.0, 1.0)]);
    for (skip, way, hits) in [(false, 3, 1), (true, 3, 0), (true, -3, 1)] {
        let answer = ask(
            &bodies,
            json!({ "type": "sweep", "shape": { "type": "sphere", "radius": 1 },
                "position": [1.5, 0, 0], "displacement": [way, 0, 0], "skip_leaving": skip }),
        );
        assert_eq!(bodies_hit(&answer).len(), hits, "{skip} {way}");
    }
}

#[test]
fn a_pair_in_contact_has_points() {
    let bodies = json!([
        { "id": "a", "kind": "fixed", "shape": { "type": "cuboid", "half_extents": [1, 1, 1] } },
        { "id": "b", "position": [0, 1.75, 0],
          "shape": { "type": "cuboid", "half_extents": [0.5, 1, 0.5] } },
    ]);
    let answer = ask(&bodies, json!({ "type": "pair", "a": "a", "b": "b" }));
    assert_eq!(answer["overlap"], json!(true));
    assert_eq!(answer["distance"], json!(-0.25));
    assert_eq!(answer["normal"], json!([0.0, 1.0, 0.0]));
    let manifold = answer["manifold"].as_array().unwrap();
    assert_eq!(manifold.len(), 4);
    for point in manifold {
        assert_eq!(point["distance"], json!(-0.25));
        assert_eq!(point["normal"], json!([0.0, 1.0, 0.0]));
        assert_eq!(point["point_a"][1], json!(1.0));
        assert_eq!(point["point_b"][1], json!(0.75));
        assert!(point["feature"].is_number());
    }
    let flipped = ask(&bodies, json!({ "type": "pair", "a": "b", "b": "a" }));
    assert_eq!(flipped["normal"], json!([0.0, -1.0, 0.0]));
}

#[test]
fn infinite_distances_are_strings() {
    let half = |id: &str, y: f64| json!({ "id": id, "shape": { "type": "half_space", "normal": [0, y, 0] } });
    // Nested half-spaces: no finite move parts them.
    let bodies = json!([half("a", 1.0), half("b", 2.0)]);
    let answer = ask(&bodies, json!({ "type": "pair", "a": "a", "b": "b" }));
    assert_eq!(answer["overlap"], json!(true));
    assert_eq!(answer["distance"], json!("-Infinity"));
}

#[test]
fn closest_answers_null_when_nothing_is_near() {
    let bodies = json!([ball("a", 4.0, 1.0)]);
    let near = ask(&bodies, json!({ "type": "closest", "point": [0, 0, 0], "max_distance": 3 }));
    assert_eq!(near, plain(json!({ "id": "q", "body": "a", "distance": 3, "point": [3, 0, 0] })));
    let far = ask(&bodies, json!({ "type": "closest", "point": [0, 0, 0], "max_distance": 2 }));
    assert_eq!(far, json!({ "id": "q", "body": null, "distance": null, "point": null }));
}

#[test]
fn pairs_hold_every_kind_of_body_in_the_file_s_order() {
    let mut bodies = json!([
        ball("z", 0.0, 1.0),
        ball("y", 1.5, 1.0),
        { "id": "x", "position": [0, 1.875, 1.875],
          "shape": { "type": "capsule", "half_height": 0, "radius": 1 } },
        ball("w", 50.0, 1.0),
        { "id": "floor", "shape": { "type": "half_space", "normal": [0, 1, 0], "offset": -1 } },
    ]);
    for i in 0..2 {
        bodies[i]["kind"] = json!("fixed");
    }
    let aabbs = ask(&bodies, json!({ "type": "aabb_pairs" }));
    let pairs =
        json!([["z", "y"], ["z", "x"], ["z", "floor"], ["y", "x"], ["y", "floor"], ["w", "floor"]]);
    assert_eq!(aabbs, plain(json!({ "id": "q", "pairs": pairs, "count": 6 })));
    let shapes = ask(&bodies, json!({ "type": "body_pairs" }));
    let pairs = json!([["z", "y"], ["z", "floor"], ["y", "floor"], ["w", "floor"]]);
    assert_eq!(shapes, plain(json!({ "id": "q", "pairs": pairs, "count": 4 })));
}

#[test]
fn compounds_nest_and_are_named_once() {
    let part = json!({ "shape": { "type": "sphere", "radius": 1 }, "position": [1, 0, 0] });
    let inner = json!({ "type": "compound", "parts": [part, part] });
    let outer = json!({ "type": "compound", "parts": [
        { "shape": inner, "position": [1, 0, 0], "rotation": [0, 0, 2, 0] }, part] });
    let bodies = json!([{ "id": "tree", "shape": outer }]);
    let answer = ask(
        &bodies,
        json!({ "type": "raycast", "origin": [-9, 0, 0], "direction": [1, 0, 0], "mode": "all" }),
    );
    // The inner spheres lie at the origin: half a turn takes their 1 to -1, beside 1.
    assert_eq!(bodies_hit(&answer), ["tree"]);
    assert_eq!(answer["hits"][0]["distance"], json!(8.0));
    let overlap = json!({ "type": "overlap", "shape": { "type": "sphere", "radius": 0 } });
    assert_eq!(ask(&bodies, overlap)["bodies"], json!(["tree"]));
}

#[test]
fn empty_scenes_and_empty_inputs() {
    for scene in ["{}", "{\"bodies\":[]}", "{\"queries\":[],\"bodies\":[]}"] {
        let outcome = query(scene);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (0, ""), "{scene}");
    }
    let nothing = [
        (json!({ "type": "raycast", "origin": [0, 0, 0], "direction": [1, 0, 0] }), "hits"),
        (json!({ "type": "overlap", "shape": { "type": "sphere", "radius": 9 } }), "bodies"),
        (json!({ "type": "plane", "normal": [0, 1, 0], "distance": 0 }), "front"),
        (json!({ "type": "aabb_pairs" }), "pairs"),
    ];
    for (request, field) in nothing {
        assert_eq!(ask(&json!([]), request)[field], json!([]));
    }
}

#[test]
fn json_lines_carry_the_number_of_their_line() {
    let asking = r#"{"bodies":[],"queries":[{"id":"a1","type":"aabb_pairs"}]}"#;
    let lines = format!("{asking}\n\n{{\"bodies\":[]}}\n{asking}\r\n");
    let outcome = query(&lines);
    assert_eq!(outcome.status, 0);
    assert_eq!(
        outcome.stdout,
        "{\"scene\":0,\"id\":\"a1\",\"pairs\":[],\"count\":0}\n\
         {\"scene\":3,\"id\":\"a1\",\"pairs\":[],\"count\":0}\n"
    );
    let single = impinge(&["query", "--lines", "-"], asking.as_bytes());
    assert_eq!(single.stdout, "{\"scene\":0,\"id\":\"a1\",\"pairs\":[],\"count\":0}\n");
    assert_eq!(query(asking).stdout, "{\"id\":\"a1\",\"pairs\":[],\"count\":0}\n");
}
