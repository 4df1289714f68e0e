//! Invariants of the sources, checked by reading them. Each check is a function from text to
//! complaints, and each is shown to complain about a bad snippet.

use std::{fs, path::Path};

/// A text file of the project, its path relative to the root and with forward slashes.
struct Source {
    path: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn is_text(path: &str) -> bool {
    let known = ["rs", "toml", "md", "yml", "yaml", "sh", "json", "csv", "txt", "svg"];
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    known.contains(&extension) || ["NOTICE", "LICENSE-MIT", "LICENSE-APACHE"].contains(&path)
}

fn collect(directory: &Path, prefix: &str, sources: &mut Vec<Source>) {
    let entries = fs::read_dir(directory).expect("the directory is readable");
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("so are its entries")).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().into_string().expect("names are Unicode");
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            if name != "target" && name != ".git" {
                collect(&entry.path(), &format!("{path}/"), sources);
            }
        } else if is_text(&path)
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            sources.push(Source { path, text });
        }
    }
}

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    collect(root(), "", &mut sources);
    assert!(sources.len() > 40, "the sources were not found");
    sources
}

/// Complaints of a check about all files that it concerns, one a line.
fn complaints(
    concerns: impl Fn(&str) -> bool,
    check: impl Fn(&str, &str) -> Vec<String>,
) -> String {
    let mut all = Vec::new();
    let mut checked = 0;
    for source in sources().iter().filter(|source| concerns(&source.path)) {
        checked += 1;
        let found = check(&source.path, &source.text);
        all.extend(found.into_iter().map(|complaint| format!("{}: {complaint}", source.path)));
    }
    assert!(checked > 0, "the check concerns no file");
    all.join("\n")
}

fn assert_tidy(complaints: &str) {
    assert!(complaints.is_empty(), "\n{complaints}");
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

/// Sources that end up in somebody's program.
fn is_library(path: &str) -> bool {
    is_rust(path)
        && (path.starts_with("src/") || path.starts_with("crates/"))
        && path.contains("src/")
}

/// The lines of a library file without comments and without its unit tests, with their numbers.
fn code_lines<'a>(path: &str, text: &'a str) -> Vec<(usize, &'a str)> {
    if path.ends_with("tests.rs") || path.contains("/tests/") {
        return Vec::new();
    }
    let lines = (1..).zip(text.lines()).take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.map(|(n, line)| (n, line.split("//").next().unwrap_or(""))).collect()
}

/// Whether a line names something as a whole word.
fn names(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

fn too_long(_: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    if lines > 600 { vec![format!("{lines} lines, at most 600")] } else { Vec::new() }
}

#[test]
fn no_source_file_is_above_600_lines() {
    assert_tidy(&complaints(is_rust, too_long));
    assert!(!too_long("", &"\n".repeat(601)).is_empty());
    assert!(too_long("", &"\n".repeat(600)).is_empty());
}

fn unfinished(_: &str, text: &str) -> Vec<String> {
    // Put together, so that this file does not contain them.
    let marks = [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("FIX", "ME")];
    let lines = (1..).zip(text.lines());
    let marked = lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
    marked.map(|(n, line)| format!("line {n} is unfinished: {}", line.trim())).collect()
}

#[test]
fn nothing_is_left_unfinished() {
    assert_tidy(&complaints(is_rust, unfinished));
    assert!(!unfinished("", concat!("    to", "do!()")).is_empty());
}

fn lints_not_inherited(_: &str, text: &str) -> Vec<String> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "[lints]");
    if lines.nth(1) == Some("workspace = true") {
        Vec::new()
    } else {
        vec!["[lints] must say workspace = true".to_owned()]
    }
}

fn unsafe_not_forbidden(_: &str, text: &str) -> Vec<String> {
    let forbids = text.lines().any(|line| line == "unsafe_code = \"forbid\"");
    if forbids { Vec::new() } else { vec!["unsafe code must be forbidden".to_owned()] }
}

#[test]
fn unsafe_code_is_forbidden_everywhere() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.lines().any(|line| line == "unsafe_code = \"forbid\""));
    // Workspaces of their own are not published and measure other libraries.
    let apart = |path: &str| {
        ["benches/rapier_seam/", "benches/rivals/"].iter().any(|at| path.starts_with(at))
    };
    let is_manifest = |path: &str| path.ends_with("Cargo.toml");
    assert_tidy(&complaints(|path| is_manifest(path) && !apart(path), lints_not_inherited));
    // They say so themselves, but for the crate that calls libraries written in C.
    let concerns = |path: &str| {
        is_manifest(path) && apart(path) && path != "benches/rivals/foreign/Cargo.toml"
    };
    assert_tidy(&complaints(concerns, unsafe_not_forbidden));
    assert!(!lints_not_inherited("", "[package]\nname = \"x\"").is_empty());
    assert!(!lints_not_inherited("", "[lints]\nworkspace = false").is_empty());
    assert!(!unsafe_not_forbidden("", "unsafe_code = \"deny\"").is_empty());
}

fn foreign_names(path: &str, text: &str) -> Vec<String> {
    let forbidden: &[&str] = if path.starts_with("crates/broadphase/") {
        &["Shape", "Sphere", "Cuboid", "Capsule", "HalfSpace", "Compound", "impinge_narrowphase"]
    } else if path.starts_with("crates/narrowphase/") {
        &["BodyId", "SlotMap", "impinge_broadphase", "impinge_world"]
    } else if path.starts_with("crates/shapes/") {
        &["BodyId", "impinge_broadphase", "impinge_narrowphase", "impinge_world"]
    } else {
        &[]
    };
    let mut found = Vec::new();
    for (n, line) in code_lines(path, text) {
        let named = forbidden.iter().filter(|word| names(line, word));
        found.extend(named.map(|word| format!("line {n} names {word}")));
    }
    found
}

#[test]
fn crates_know_only_what_is_theirs() {
    assert_tidy(&complaints(is_library, foreign_names));
    let in_broadphase = |text: &str| foreign_names("crates/broadphase/src/x.rs", text);
    assert!(!in_broadphase("use impinge_shapes::{Aabb, Shape};").is_empty());
    assert!(in_broadphase("struct Shapeless; // a Shape").is_empty());
    assert!(!foreign_names("crates/narrowphase/src/x.rs", "fn f(body: BodyId) {}").is_empty());
}

fn manifest_edges(path: &str, text: &str) -> Vec<String> {
    let forbidden: &[&str] = match path {
        "crates/shapes/Cargo.toml" => {
            &["impinge-broadphase", "impinge-narrowphase", "impinge-world"]
        }
        "crates/broadphase/Cargo.toml" => &["impinge-narrowphase", "impinge-world"],
        "crates/narrowphase/Cargo.toml" => &["impinge-broadphase", "impinge-world"],
        _ => &[],
    };
    let edges = forbidden.iter().filter(|name| text.lines().any(|line| line.starts_with(**name)));
    edges.map(|name| format!("must not depend on {name}")).collect()
}

#[test]
fn crates_depend_downwards_only() {
    assert_tidy(&complaints(|path| path.ends_with("Cargo.toml"), manifest_edges));
    let bad = "impinge-world.workspace = true";
    assert!(!manifest_edges("crates/broadphase/Cargo.toml", bad).is_empty());
}

/// State that outlives every world and is seen from all of them.
fn global_state(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (n, line) in code_lines(path, text) {
        let line = line.trim_start();
        let line = line.strip_prefix("pub ").or(line.strip_prefix("pub(crate) ")).unwrap_or(line);
        if line.starts_with("static ") || names(line, "thread_local") {
            found.push(format!("line {n} is global state: {line}"));
        }
    }
    found
}

#[test]
fn there_is_no_global_state() {
    // Counts for measuring, behind a feature that nobody but benches switches on.
    let concerns = |path: &str| is_library(path) && path != "crates/narrowphase/src/counters.rs";
    assert_tidy(&complaints(concerns, global_state));
    assert!(
        !global_state("src/x.rs", "pub static POOL: OnceLock<Pool> = OnceLock::new();").is_empty()
    );
    assert!(!global_state("src/x.rs", "    thread_local! {").is_empty());
    assert!(global_state("src/x.rs", "fn name() -> &'static str { // static").is_empty());
}

/// Names of the kinds of shapes, as the rooms spell them.
const KINDS: [&str; 15] = [
    "capsule",
    "compound",
    "cone",
    "convex",
    "convex_hull",
    "cuboid",
    "cylinder",
    "half_space",
    "height_field",
    "hull",
    "mesh",
    "round",
    "sphere",
    "triangle",
    "triangle_mesh",
];

fn misnamed_room(room: &str) -> Vec<String> {
    if room == "mod" {
        return Vec::new();
    }
    let pair = KINDS.iter().find_map(|kind| {
        let other = room.strip_prefix(kind)?.strip_prefix('_')?;
        KINDS.contains(&other).then_some((*kind, other))
    });
    match pair {
        None => vec![format!("{room} is no pair of shapes")],
        Some((a, b)) if a > b => vec![format!("{room} must be called {b}_{a}")],
        Some(_) => Vec::new(),
    }
}

#[test]
fn rooms_are_pairs_in_alphabetical_order() {
    let prefix = "crates/narrowphase/src/pairs/";
    let check = |path: &str, _: &str| {
        let room = path[prefix.len()..].split('/').next().unwrap_or("");
        misnamed_room(room.strip_suffix(".rs").unwrap_or(room))
    };
    assert_tidy(&complaints(|path| path.starts_with(prefix), check));
    assert!(misnamed_room("capsule_half_space").is_empty());
    assert!(!misnamed_room("sphere_cuboid").is_empty());
    assert!(!misnamed_room("helpers").is_empty());
}

/// Numbers like 1e-6, which are somebody's tolerance.
fn hidden_tolerances(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (n, line) in code_lines(path, text) {
        let bytes = line.as_bytes();
        let is_small = |at: usize| {
            let e = bytes[at] == b'e' || bytes[at] == b'E';
            e && at > 0
                && (bytes[at - 1].is_ascii_digit() || bytes[at - 1] == b'.')
                && bytes.get(at + 1) == Some(&b'-')
                && bytes.get(at + 2).is_some_and(u8::is_ascii_digit)
        };
        if (0..bytes.len()).any(is_small) {
            found.push(format!("line {n} hides a tolerance: {}", line.trim()));
        }
    }
    found
}

#[test]
fn tolerances_live_in_their_file() {
    let concerns = |path: &str| {
        is_library(path) && !path.ends_with("tolerance.rs") && !path.starts_with("crates/cli/")
    };
    assert_tidy(&complaints(concerns, hidden_tolerances));
    assert!(!hidden_tolerances("src/x.rs", "if length < 1e-6 {").is_empty());
    assert!(!hidden_tolerances("src/x.rs", "let slop = 0.5E-3_f32;").is_empty());
    assert!(hidden_tolerances("src/x.rs", "let a = cube - 3; // about 1e-6").is_empty());
    assert!(
        hidden_tolerances("src/x.rs", "#[cfg(test)]\nmod tests { const E: f32 = 1e-6; }")
            .is_empty()
    );
}

fn machine_paths(_: &str, text: &str) -> Vec<String> {
    // Put together, so that this file does not contain them.
    let marks = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/tm", "p/"),
        concat!("/wo", "rk/"),
        concat!("/Us", "ers/"),
        concat!("C:", "\\"),
    ];
    let lines = (1..).zip(text.lines());
    let marked = lines.filter(|(_, line)| {
        marks.iter().any(|mark| {
            // A web address may contain anything.
            line.match_indices(mark).any(|(at, _)| {
                !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_')
            })
        })
    });
    marked.map(|(n, line)| format!("line {n} names a machine's path: {}", line.trim())).collect()
}

#[test]
fn no_machine_paths() {
    assert_tidy(&complaints(|_| true, machine_paths));
    assert!(!machine_paths("", concat!("open(\"/ho", "me/me/x\")")).is_empty());
    assert!(machine_paths("", concat!("https://example.org/ho", "me/")).is_empty());
}

fn document_limit(path: &str) -> Option<usize> {
    match path {
        "README.md" => Some(150),
        "CONTRIBUTING.md" | "docs/adding-a-shape.md" | "docs/adding-a-pair.md" => Some(60),
        "docs/architecture.md"
        | "docs/semantics.md"
        | "docs/accuracy.md"
        | "docs/determinism.md" => Some(200),
        _ => None,
    }
}

fn long_document(path: &str, text: &str) -> Vec<String> {
    let lines = text.lines().count();
    let limit = document_limit(path).filter(|&limit| lines > limit);
    limit.map(|limit| format!("{lines} lines, at most {limit}")).into_iter().collect()
}

#[test]
fn documents_stay_short() {
    assert_tidy(&complaints(|path| path.ends_with(".md"), long_document));
    assert!(!long_document("README.md", &"\n".repeat(151)).is_empty());
    assert!(long_document("docs/other.md", &"\n".repeat(151)).is_empty());
}

/// Lines of prose that hold the end of one sentence and the beginning of the next.
fn crowded_lines(_: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (n, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code || line.trim_start().starts_with('|') {
            continue;
        }
        let ends = line.match_indices(". ").any(|(at, _)| {
            let before = line[..at].rsplit(' ').next().unwrap_or("");
            let abbreviated = ["e.g", "i.e", "vs", "cf", "ca", "St", "al", "No"].contains(&before);
            // One letter is an initial, a number may begin a list.
            let short = before.chars().count() <= 1 || before.chars().all(|c| c.is_ascii_digit());
            let after = line[at + 2..].chars().next();
            !abbreviated && !short && after.is_some_and(char::is_uppercase)
        });
        if ends {
            found.push(format!("line {n} holds two sentences: {line}"));
        }
    }
    found
}

#[test]
fn one_sentence_a_line() {
    let ours = |path: &str| path.ends_with(".md") && !path.starts_with("docs/reports/");
    assert_tidy(&complaints(ours, crowded_lines));
    assert!(!crowded_lines("", "One sentence. Two sentences.").is_empty());
    assert!(crowded_lines("", "See e.g. Ericson, or G. van den Bergen.\n1. First").is_empty());
    assert!(crowded_lines("", "```\nOne. Two.\n```").is_empty());
}

/// Names that a crate's root, or its module of batches, gives to its users.
fn exported(text: &str) -> Vec<String> {
    let statements = text.split("\npub use ").skip(1).filter_map(|rest| rest.split(';').next());
    let names = statements.flat_map(|list| {
        let inner = list.split_once('{').map_or(list, |(_, inner)| inner);
        inner.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned)
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Types and functions among `exported` whose documentation has no example.
fn without_example(exported: &[String], text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut has_example = false;
    for (n, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim_start();
        if trimmed.starts_with("///") {
            has_example |= trimmed.starts_with("/// ```");
            continue;
        }
        if trimmed.starts_with("#[") {
            continue;
        }
        // Methods share the example of their type; functions stand alone.
        let is_function = line.starts_with("pub fn ");
        let kinds = ["pub struct ", "pub enum ", "pub trait "];
        let item = kinds.iter().find_map(|kind| trimmed.strip_prefix(kind));
        let item = item.or(line.strip_prefix("pub fn ").filter(|_| is_function));
        let name =
            item.and_then(|item| item.split(|c: char| !c.is_alphanumeric() && c != '_').next());
        if let Some(name) = name
            && !has_example
            && !name.ends_with("Error")
            && exported.iter().any(|exported| exported == name)
        {
            found.push(format!("line {n}: {name} has no example"));
        }
        has_example = false;
    }
    found
}

#[test]
fn what_users_name_has_an_example() {
    for library in ["shapes", "broadphase", "narrowphase", "world"] {
        let sources = format!("crates/{library}/src/");
        let read = |file: &str| fs::read_to_string(root().join(&sources).join(file));
        let mut names = exported(&read("lib.rs").unwrap());
        names.extend(read("batch/mod.rs").map_or(Vec::new(), |text| exported(&text)));
        assert!(names.len() > 5, "{library}: {names:?}");
        // Rooms answer the functions of the root, each for its pair.
        let is_room = |path: &str| path.contains("/pairs/") || path.contains("/convex/");
        let concerns = |path: &str| is_rust(path) && path.starts_with(&sources) && !is_room(path);
        assert_tidy(&complaints(concerns, |_, text| without_example(&names, text)));
    }
    let names = exported("//! Docs.\npub use a::{B,\n    c};\npub use d::E;\nuse f::G;\n");
    assert!(["B", "c", "E"].iter().all(|name| names.iter().any(|known| known == name)));
    assert!(!names.iter().any(|name| name == "G"));
    assert!(!without_example(&names, "/// Text.\n#[derive(Debug)]\npub struct B;").is_empty());
    assert!(!without_example(&names, "/// ```\n/// ```\npub struct B;\npub fn c() {}").is_empty());
    assert!(without_example(&names, "/// ```\n/// ```\n#[must_use]\npub fn c() {}").is_empty());
}
