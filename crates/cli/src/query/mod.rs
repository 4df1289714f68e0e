//! `impinge query`: answers scene files, one line per query.

mod answer;
mod fields;
mod input;
mod json;
mod mesh_file;
mod request;
mod run;
mod scene;
mod shape;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use self::answer::{Answer, Line};
use self::input::Input;
use self::json::Json;

/// Answers the queries of a scene file, one JSON line each
///
/// The file holds one scene as JSON, or one scene a line as JSON Lines. What is wrong with a scene
/// or a query is answered in its place, the others are still answered, and the exit status is 1.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// The scene file; `-` reads standard input
    file: PathBuf,
    /// Take the input as JSON Lines even if it is a single line; so are files named `.jsonl` and
    /// `.ndjson`
    #[arg(long)]
    lines: bool,
}

/// Runs the command: failure if anything was wrong with the input.
pub(crate) fn run(args: &QueryArgs) -> anyhow::Result<ExitCode> {
    let bytes = read(&args.file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let lines = args.lines || named_lines(&args.file);
    let base = args.file.parent().unwrap_or_else(|| Path::new(""));
    let all_good = answer_all(&bytes, lines, base, &mut out)?;
    out.flush()?;
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

fn named_lines(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "jsonl" || extension == "ndjson")
}

/// Answers every scene of the input, and says whether nothing was wrong with it.
///
/// Files that a scene names are relative to the folder `base`.
fn answer_all(
    bytes: &[u8],
    known_lines: bool,
    base: &Path,
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    match Input::new(bytes, known_lines) {
        Input::One(scene) => answer_scene(scene, None, base, out),
        Input::Lines(bytes) => {
            let mut all_good = true;
            for (number, line) in input::lines(bytes) {
                let scene = input::parse_line(line);
                all_good &= answer_scene(scene, Some(number), base, out)?;
            }
            Ok(all_good)
        }
    }
}

/// Answers one scene, and says whether nothing was wrong with it.
fn answer_scene(
    scene: Result<Json, String>,
    number: Option<usize>,
    base: &Path,
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    let answered = match &scene {
        Err(message) => Err(message.clone()),
        Ok(json) => run::answer(json, number, base, out)?.map_err(|problem| problem.to_string()),
    };
    match answered {
        Ok(all_good) => Ok(all_good),
        Err(error) => {
            // The scene of an input that holds only one is number 0.
            let scene = Some(number.unwrap_or(0));
            write_line(&Line { scene, id: None, answer: Answer::Error { error } }, out)?;
            Ok(false)
        }
    }
}

fn write_line(line: &Line<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, line).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(())
}
