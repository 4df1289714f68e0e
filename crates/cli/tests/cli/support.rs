//! Runs the program and reads what it prints.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What one call of the program did.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The lines of the output, each as JSON.
    pub(crate) fn answers(&self) -> Vec<Value> {
        let parse = |line: &str| {
            let value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            plain(value)
        };
        self.stdout.lines().map(parse).collect()
    }
}

/// Runs the program; a signal, which a panic in the wrong place or an exhausted stack would be,
/// fails the test, and so does a panic.
pub(crate) fn impinge(arguments: &[&str], stdin: &[u8]) -> Outcome {
    impinge_with(&[], arguments, stdin)
}

/// [`impinge`] with environment variables.
pub(crate) fn impinge_with(
    variables: &[(&str, &str)],
    arguments: &[&str],
    stdin: &[u8],
) -> Outcome {
    let mut child = Command::new(env!("CARGO_BIN_EXE_impinge"))
        .args(arguments)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = stdin.to_vec();
    // The program may end without reading its input.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    let status = status.code().unwrap_or_else(|| panic!("{arguments:?}: {status}\n{stderr}"));
    assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
    Outcome { status, stdout: String::from_utf8(stdout).unwrap(), stderr }
}

/// Answers to a scene or scenes given on standard input.
pub(crate) fn query(input: &str) -> Outcome {
    impinge(&["query", "-"], input.as_bytes())
}

/// The value with every number as f64: `0` and `0.0` are the same number.
pub(crate) fn plain(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().unwrap().into(),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, plain(value))).collect(),
        other => other,
    }
}
