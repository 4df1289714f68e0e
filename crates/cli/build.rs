//! Hands the commit's id to the program, for its reports; builds without git as well.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=IMPINGE_COMMIT");
    if std::env::var_os("IMPINGE_COMMIT").is_some() {
        // Set by whoever builds from sources without their history.
        return;
    }
    // Elsewhere, say in a vendored copy, the repository around us is not ours.
    if git(&["rev-parse", "--show-prefix"]).as_deref() != Some("crates/cli/") {
        return;
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo::rustc-env=IMPINGE_COMMIT={commit}");
    }
}

/// What git prints, or nothing if there is no git, no repository or no such thing in it.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    if !output.status.success() {
        return None;
    }
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
