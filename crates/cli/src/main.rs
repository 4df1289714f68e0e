//! The impinge program: stress benchmarks, and answers to scene files.
#![expect(clippy::disallowed_methods, reason = "the program measures times; the library does not")]

mod query;
mod stress;

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures the collision world, and answers scene files with it.
#[derive(Debug, Parser)]
#[command(name = "impinge", version)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Stress(stress::StressArgs),
    Query(query::QueryArgs),
}

fn main() -> ExitCode {
    let program = match Program::try_parse() {
        Ok(program) => program,
        Err(error) => {
            // Help and version come as errors too; nothing can be done if they cannot be printed.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        }
    };
    let done = match &program.command {
        Command::Stress(args) => stress::run(args),
        Command::Query(args) => query::run(args),
    };
    match done {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr().lock(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the reader of our output, `head` say, has had enough: no failure of ours.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
