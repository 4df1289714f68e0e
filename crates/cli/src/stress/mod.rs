//! `impinge stress`: moves bodies, asks queries, and reports times and what was found.

mod args;
mod clock;
mod report;
mod run;
mod table;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use rayon::ThreadPoolBuilder;

pub(crate) use self::args::StressArgs;
use self::report::{Machine, Report};

/// Commit of the sources, from the build script.
const COMMIT: Option<&str> = option_env!("IMPINGE_COMMIT");

/// Runs the command.
pub(crate) fn run(args: &StressArgs) -> anyhow::Result<ExitCode> {
    let mut pool = ThreadPoolBuilder::new();
    if let Some(threads) = args.threads {
        pool = pool.num_threads(threads);
    }
    let pool = pool.build().context("cannot start the threads")?;
    // Opened first, so that a run of minutes does not end in a bad path.
    let json = args.json.as_deref().map(create).transpose()?;

    let mut report =
        Report { machine: Machine::this(), commit: COMMIT.unwrap_or("unknown"), runs: Vec::new() };
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}, {} cores; commit {}",
        report.machine.cpu, report.machine.cores, report.commit
    )?;
    for plan in args.plans() {
        let threads = pool.current_num_threads();
        let run = pool.install(|| run::run(args, plan, threads))?;
        writeln!(out)?;
        table::print(&run, &mut out)?;
        report.runs.push(run);
    }
    if let Some((mut file, path)) = json {
        write_json(&report, &mut file)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn create(path: &Path) -> anyhow::Result<(BufWriter<File>, &Path)> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok((BufWriter::new(file), path))
}

fn write_json(report: &Report, file: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *file, report)?;
    file.write_all(b"\n")?;
    file.flush()
}
