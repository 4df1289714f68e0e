//! Random scenes, half of whose numbers are bad or extreme: every query is answered, and no
//! answer holds a NaN, an infinite point or a normal that is not unit.

use impinge_testkit::rng::Rng;
use serde_json::Value;

use std::path::Path;

use super::answer_all;

/// Finite numbers at the ends of what an f32 holds, and plain ones.
const FINITE: [&str; 14] = [
    "0", "-0.0", "1", "-1", "0.5", "2", "3.25", "-7", "1e-45", "1e-20", "1e4", "1e19", "3e38",
    "-3e38",
];
const BAD: [&str; 5] = ["null", "\"NaN\"", "\"Infinity\"", "1e39", "true"];

struct Generator {
    rng: Rng,
    /// Numbers that are bad, of a hundred.
    bad_percent: f64,
}

impl Generator {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn below(&mut self, end: usize) -> usize {
        let place = (self.rng.unit() * end as f64).floor();
        (0..end).rev().find(|&i| i as f64 <= place).unwrap_or(0)
    }

    fn number(&mut self) -> String {
        let bad = self.rng.unit() * 100.0 < self.bad_percent;
        self.pick(if bad { &BAD } else { &FINITE }).to_owned()
    }

    fn size(&mut self) -> String {
        self.number().trim_start_matches('-').to_owned()
    }

    fn vector(&mut self) -> String {
        format!("[{},{},{}]", self.number(), self.number(), self.number())
    }

    fn vectors(&mut self, count: usize) -> String {
        (0..count).map(|_| self.vector()).collect::<Vec<_>>().join(",")
    }

    fn pose(&mut self) -> String {
        let rotation =
            self.pick(&["[0,0,0,1]", "[1e-30,0,2e-30,0]", "[3e38,3e38,1e-45,-3e38]", "[0,1,0,1]"]);
        format!(r#""position":{},"rotation":{rotation}"#, self.vector())
    }

    fn shape(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 10 } else { 12 }) {
            0 => format!(r#"{{"type":"sphere","radius":{}}}"#, self.size()),
            1 => {
                let sizes = [self.size(), self.size(), self.size()].join(",");
                format!(r#"{{"type":"cuboid","half_extents":[{sizes}]}}"#)
            }
            2 => format!(
                r#"{{"type":"capsule","a":{},"b":{},"radius":{}}}"#,
                self.vector(),
                self.vector(),
                self.size()
            ),
            3 => format!(
                r#"{{"type":"half_space","normal":{},"offset":{}}}"#,
                self.vector(),
                self.number()
            ),
            4 | 5 => {
                let kind = self.pick(&["cylinder", "cone"]);
                let (half_height, radius) = (self.size(), self.size());
                format!(r#"{{"type":"{kind}","half_height":{half_height},"radius":{radius}}}"#)
            }
            6 => format!(r#"{{"type":"triangle","vertices":[{}]}}"#, self.vectors(3)),
            7 => format!(r#"{{"type":"hull","points":[{}]}}"#, self.vectors(6)),
            8 => format!(
                r#"{{"type":"mesh","vertices":[{}],"triangles":[[0,1,2],[2,1,3]]}}"#,
                self.vectors(4)
            ),
            9 => {
                let heights: Vec<String> = (0..6).map(|_| self.number()).collect();
                let scale = [self.size(), self.number(), self.size()].join(",");
                format!(
                    r#"{{"type":"height_field","rows":2,"columns":3,"heights":[{}],"scale":[{scale}]}}"#,
                    heights.join(",")
                )
            }
            10 => {
                let core = self.shape(0);
                format!(r#"{{"type":"rounded","radius":{},"shape":{core}}}"#, self.size())
            }
            _ => {
                let part =
                    |g: &mut Self| format!(r#"{{"shape":{},{}}}"#, g.shape(depth - 1), g.pose());
                format!(r#"{{"type":"compound","parts":[{},{}]}}"#, part(self), part(self))
            }
        }
    }

    fn query(&mut self, names: &[&str]) -> String {
        let mode = self.pick(&["closest", "any", "all"]);
        let flag = self.pick(&["true", "false"]);
        let rest = match self.below(9) {
            0 => format!(
                r#""type":"raycast","origin":{},"direction":{},"mode":"{mode}","skip_started":{flag}"#,
                self.vector(),
                self.vector()
            ),
            1 => format!(
                r#""type":"sweep","shape":{},{},"displacement":{},"mode":"{mode}","stop_on_touch":{flag}"#,
                self.shape(1),
                self.pose(),
                self.vector()
            ),
            2 => format!(r#""type":"overlap","shape":{},{}"#, self.shape(1), self.pose()),
            3 => format!(r#""type":"pair","a":"{}","b":"{}""#, self.pick(names), self.pick(names)),
            4 => format!(
                r#""type":"closest","point":{},"max_distance":{}"#,
                self.vector(),
                self.size()
            ),
            5 => {
                format!(r#""type":"plane","normal":{},"distance":{}"#, self.vector(), self.number())
            }
            6 => format!(
                r#""type":"clamp_movement","body":"{}","movement":{}"#,
                self.pick(names),
                self.vector()
            ),
            7 => r#""type":"aabb_pairs""#.to_owned(),
            _ => r#""type":"body_pairs""#.to_owned(),
        };
        format!(r#"{{"id":"q",{rest}}}"#)
    }

    fn scene(&mut self) -> (String, usize) {
        let names = ["a", "b", "c", "d"];
        let bodies: Vec<String> = names
            .iter()
            .map(|name| format!(r#"{{"id":"{name}",{},"shape":{}}}"#, self.pose(), self.shape(1)))
            .collect();
        let queries: Vec<String> = (0..12).map(|_| self.query(&names)).collect();
        let text =
            format!(r#"{{"bodies":[{}],"queries":[{}]}}"#, bodies.join(","), queries.join(","));
        (text, queries.len())
    }
}

/// What is wrong with the numbers of an answer: a NaN, an infinity that is no distance, a normal
/// that is not unit.
fn flaw(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(flaw),
        Value::Object(map) => map.iter().find_map(|(key, value)| match key.as_str() {
            "point" | "point_a" | "point_b" | "movement" if !value.is_null() => {
                vector(value).is_none().then(|| format!("{key} {value}"))
            }
            "normal" => {
                let length = vector(value).map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt());
                let is_unit = length.is_some_and(|length| (length - 1.0).abs() < 1e-6);
                (!is_unit).then(|| format!("normal {value}"))
            }
            "distance" => (value == "NaN").then(|| "distance NaN".to_owned()),
            "fraction" => {
                let inside = value.as_f64().is_some_and(|x| (0.0..=1.0).contains(&x));
                (!inside).then(|| format!("fraction {value}"))
            }
            _ => flaw(value),
        }),
        _ => None,
    }
}

/// Three finite numbers.
fn vector(value: &Value) -> Option<Vec<f64>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

#[test]
fn random_scenes_are_answered_with_sound_numbers() {
    let (mut answered, mut refused, mut bad_scenes) = (0, 0, 0);
    for seed in 0..600 {
        let bad_percent = if seed % 2 == 0 { 0.0 } else { 2.0 };
        let mut generator = Generator { rng: Rng::stream(seed, 1), bad_percent };
        let (text, queries) = generator.scene();
        let mut out = Vec::new();
        answer_all(text.as_bytes(), false, Path::new(""), &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        if lines[0].get("scene").is_some() {
            assert_eq!(lines.len(), 1, "seed {seed}: {text}");
            bad_scenes += 1;
            continue;
        }
        assert_eq!(lines.len(), queries, "seed {seed}: {text}");
        for (place, line) in lines.iter().enumerate() {
            let flaw = flaw(line);
            assert_eq!(flaw, None, "seed {seed}, query {place}: {line}\n{text}");
            *(if line.get("error").is_some() { &mut refused } else { &mut answered }) += 1;
        }
    }
    assert!(answered > 500 && refused > 50 && bad_scenes > 20, "{answered} {refused} {bad_scenes}");
}

#[test]
fn damaged_texts_are_answered_or_refused() {
    let (mut good, mut bad) = (0, 0);
    for seed in 0..600 {
        let mut generator = Generator { rng: Rng::stream(seed, 2), bad_percent: 0.0 };
        let mut bytes = generator.scene().0.into_bytes();
        for _ in 0..1 + generator.below(3) {
            let place = generator.below(bytes.len());
            match generator.below(3) {
                0 => bytes.truncate(place.max(1)),
                1 => bytes[place] = b"{}[],:\"0e-.\n\xff"[generator.below(13)],
                _ => drop(bytes.remove(place)),
            }
        }
        let mut out = Vec::new();
        let all_good = answer_all(&bytes, seed % 2 == 0, Path::new(""), &mut out).unwrap();
        *(if all_good { &mut good } else { &mut bad }) += 1;
        for line in String::from_utf8(out).unwrap().lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "seed {seed}: {line}");
        }
    }
    assert!(good > 0 && bad > 100, "{good} {bad}");
}
