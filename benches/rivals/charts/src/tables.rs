//! Tables of a CSV of ours in Markdown: contenders below each other, scenes side by side.

use std::fmt::Write as _;

use crate::results::{Row, distinct, read};

/// Peers that are no Rust library: what is left without them has a line of its own.
const FOREIGN: [&str; 2] = ["embree", "box3d"];

/// The tables of all `wanted` suites, one for each number of threads and bodies and share that
/// moves, or for kernels, which have no scenes, one in which the contenders are side by side.
///
/// # Errors
///
/// A missing column, or a cell that is no number.
pub fn tables(csv: &str, wanted: impl Fn(&str) -> bool) -> anyhow::Result<String> {
    let rows = read(csv)?;
    let rows: Vec<&Row> = rows.iter().filter(|row| wanted(&row.suite)).collect();
    let mut text = String::new();
    for (suite, threads, bodies, moving) in
        distinct(&rows, |row| (&row.suite, &row.threads, &row.bodies, &row.moving))
    {
        let of = |row: &&&Row| {
            (&row.suite, &row.threads, &row.bodies, &row.moving) == (suite, threads, bodies, moving)
        };
        let rows: Vec<&Row> = rows.iter().filter(of).copied().collect();
        let unit = rows.first().and_then(|row| row.numbers.first()).map_or("", |first| &first.unit);
        let turned =
            ["kernels", "matrix", "resting", "settled", "meshes"].contains(&suite.as_str());
        let what = if turned { "cases" } else { "bodies" };
        let _ = writeln!(
            text,
            "\n{suite}, {bodies} {what}, {moving} % move, {threads} thread(s), {unit}\n"
        );
        text += &if turned { by_contender(&rows) } else { by_scene(&rows) };
    }
    Ok(text)
}

/// A column for each scene, and a row for each contender.
fn by_scene(rows: &[&Row]) -> String {
    let mut text = head("contender", rows.iter().map(|row| row.scene.as_str()));
    for contender in contenders(rows) {
        line(&mut text, contender, rows.iter().map(|row| cell(row, contender)));
    }
    let mut ratios = |title: &str, without: &[&str]| {
        line(&mut text, title, rows.iter().map(|row| ratio(row, without)));
    };
    ratios("ratio, best peer / impinge", &[]);
    if contenders(rows).iter().any(|name| FOREIGN.iter().any(|foreign| name.starts_with(foreign))) {
        ratios("the same of Rust peers", &FOREIGN);
    }
    text
}

/// A column for each contender, and a row for each kernel.
fn by_contender(rows: &[&Row]) -> String {
    let contenders = contenders(rows);
    let ends = ["ratio, best peer / impinge", "best peer"];
    let mut text = head("case", contenders.iter().copied().chain(ends));
    for row in rows {
        let best = row.best_peer(&[]).map_or("–".to_owned(), |peer| peer.contender.clone());
        let numbers = contenders.iter().map(|contender| cell(row, contender));
        line(&mut text, &row.scene, numbers.chain([ratio(row, &[]), best]));
    }
    text
}

/// The ratio to the best peer but these, with an asterisk if that one's answers differ.
fn ratio(row: &Row, without: &[&str]) -> String {
    match (row.ratio(without), row.best_peer(without)) {
        (Some(ratio), Some(peer)) => format!("{ratio:.2}{}", if peer.differs { "*" } else { "" }),
        _ => "–".to_owned(),
    }
}

/// All contenders of some rows.
fn contenders<'r>(rows: &[&'r Row]) -> Vec<&'r str> {
    let mut names: Vec<&str> = Vec::new();
    for number in rows.iter().flat_map(|row| &row.numbers) {
        if !names.contains(&number.contender.as_str()) {
            names.push(&number.contender);
        }
    }
    names
}

fn head<'r>(first: &str, columns: impl Iterator<Item = &'r str> + Clone) -> String {
    let mut text = String::new();
    line(&mut text, first, columns.clone().map(ToOwned::to_owned));
    line(&mut text, "---", columns.map(|_| "---".to_owned()));
    text
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let _ = write!(text, "| {first} |");
    for cell in cells {
        let _ = write!(text, " {cell} |");
    }
    text.push('\n');
}

/// A contender's number to three digits, with an asterisk if its answers differ.
fn cell(row: &Row, contender: &str) -> String {
    let Some(number) = row.numbers.iter().find(|number| number.contender == contender) else {
        return "–".to_owned();
    };
    let decimals = match number.figure {
        figure if figure >= 99.95 => 0,
        figure if figure >= 9.995 => 1,
        figure if figure >= 0.9995 => 2,
        figure if figure >= 0.09995 => 3,
        _ => 4,
    };
    let mark = if number.differs { "*" } else { "" };
    format!("{:.decimals$}{mark}", number.figure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::CSV;

    #[test]
    fn a_table_has_every_contender_and_the_ratio() {
        let text = tables(CSV, |suite| suite == "pairs").expect("well formed");
        assert!(text.contains("| impinge one slice | 5.00 |\n"), "{text}");
        assert!(text.contains("| parry3d fat | 2.00* |\n| ratio, best peer / impinge | 0.50* |\n"));
        assert!(!text.contains("bvh"), "{text}");
        assert!(tables(CSV, |_| true).expect("well formed").contains("| bvh | 1.00 |"));
    }

    #[test]
    fn kernels_stand_below_each_other() {
        let csv = CSV.replace("box sweeps", "kernels");
        let text = tables(&csv, |suite| suite == "kernels").expect("well formed");
        assert!(
            text.contains("| case | impinge | bvh | ratio, best peer / impinge | best peer |\n")
        );
        assert!(text.contains("| stack | 2.00 | 1.00 | 0.50 | bvh |\n"), "{text}");
    }
}
