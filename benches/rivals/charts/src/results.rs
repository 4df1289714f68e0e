//! What a CSV of ours says, read back.

use anyhow::Context;

/// One contender's number.
#[derive(Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) contender: String,
    /// The time that stands for it.
    pub(crate) figure: f64,
    pub(crate) unit: String,
    /// Its answers differ from the reference.
    pub(crate) differs: bool,
}

impl Number {
    fn is_ours(&self) -> bool {
        self.contender.starts_with("impinge")
    }

    /// The contender, with an asterisk if its answers differ.
    pub(crate) fn marked(&self) -> String {
        let mark = if self.differs { "*" } else { "" };
        format!("{}{mark}", self.contender)
    }
}

/// Everyone's numbers for the same work.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) threads: String,
    pub(crate) suite: String,
    pub(crate) scene: String,
    pub(crate) bodies: String,
    pub(crate) moving: String,
    pub(crate) numbers: Vec<Number>,
}

impl Row {
    fn same_work(&self, other: &Self) -> bool {
        (&self.threads, &self.suite, &self.scene, &self.bodies, &self.moving)
            == (&other.threads, &other.suite, &other.scene, &other.bodies, &other.moving)
    }

    /// The least number of a peer whose name begins with none of these.
    pub(crate) fn best_peer(&self, without: &[&str]) -> Option<&Number> {
        let counts = |number: &&Number| {
            !number.is_ours() && !without.iter().any(|name| number.contender.starts_with(name))
        };
        self.numbers.iter().filter(counts).min_by(|a, b| a.figure.total_cmp(&b.figure))
    }

    /// The best peer's number over our best; above 1 we are faster.
    pub(crate) fn ratio(&self, without: &[&str]) -> Option<f64> {
        let ours = self.numbers.iter().filter(|number| number.is_ours());
        let least = ours.map(|number| number.figure).min_by(f64::total_cmp)?;
        Some(self.best_peer(without)?.figure / least)
    }
}

/// The different values of a column, in the order of the rows.
pub(crate) fn distinct<'r, T: PartialEq>(
    rows: &[&'r Row],
    column: impl Fn(&'r Row) -> T,
) -> Vec<T> {
    let mut values = Vec::new();
    for value in rows.iter().map(|row| column(row)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// The rows of one or more CSVs, one after the other, each with its head.
pub(crate) fn read(csv: &str) -> anyhow::Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    for line in csv.lines().filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] == "cpu" {
            head = cells;
            continue;
        }
        let find = |name: &str| {
            let column = head.iter().position(|&column| column == name)?;
            cells.get(column).copied()
        };
        let cell = |name: &str| find(name).with_context(|| format!("no {name} in: {line}"));
        let text = |name: &str| cell(name).map(ToOwned::to_owned);
        let work = Row {
            threads: find("threads").unwrap_or("1").to_owned(),
            suite: text("suite")?,
            scene: text("scene")?,
            bodies: text("bodies")?,
            moving: text("moving_percent")?,
            numbers: Vec::new(),
        };
        let contender = text("contender")?;
        // Files from before there was the figure that stands for a contender.
        let column = match find("figure") {
            Some(_) => "figure",
            None if uneven(&work.suite, &contender) => "mean",
            None => "median",
        };
        let figure = cell(column)?.parse().with_context(|| format!("no number: {line}"))?;
        let unit = find("unit").unwrap_or_default().to_owned();
        let differs = !cell("remark")?.is_empty();
        let number = Number { contender, figure, unit, differs };
        // From the end, where it mostly is.
        match rows.iter_mut().rev().find(|row| row.same_work(&work)) {
            Some(row) => row.numbers.push(number),
            None => rows.push(Row { numbers: vec![number], ..work }),
        }
    }
    Ok(rows)
}

/// Whether the mean stood for a contender, in files that do not say it.
fn uneven(suite: &str, contender: &str) -> bool {
    match suite {
        "pairs" => !contender.starts_with("parry3d") || contender == "parry3d fat",
        "update" => !contender.starts_with("parry3d"),
        _ => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const CSV: &str = "\
cpu,suite,scene,bodies,moving_percent,contender,median,mean,remark
x,pairs,uniform,10,100,impinge,1,4,
x,pairs,uniform,10,100,impinge one slice,1,5,
x,pairs,uniform,10,100,parry3d refit,3,9,
x,pairs,uniform,10,100,parry3d fat,1,2,one missing
x,pairs,uniform,10,1,impinge,1,4,
x,pairs,uniform,10,1,parry3d refit,8,2,
cpu,suite,scene,bodies,moving_percent,contender,unit,median,mean,figure,remark
x,box sweeps,stack,10,0,impinge,ns/call,1,1,2,
x,box sweeps,stack,10,0,bvh,ns/call,1,1,1,
";

    #[test]
    fn ratios_are_those_of_the_figures_that_stand() {
        let rows = read(CSV).expect("well formed");
        let best = |row: &Row| row.best_peer(&[]).map(|peer| (peer.figure, peer.marked()));
        let found: Vec<_> = rows.iter().map(|row| (row.ratio(&[]), best(row))).collect();
        let peer = |figure, name: &str| Some((figure, name.to_owned()));
        assert_eq!(
            found,
            [
                (Some(0.5), peer(2.0, "parry3d fat*")),
                (Some(2.0), peer(8.0, "parry3d refit")),
                (Some(0.5), peer(1.0, "bvh")),
            ]
        );
        assert_eq!(rows[0].ratio(&["parry3d fat"]), Some(0.75));
        assert_eq!(rows[0].ratio(&["parry3d"]), None);
    }

    #[test]
    fn a_cell_that_is_no_number_is_named() {
        let error = read(&CSV.replace(",8,2,", ",eight,2,")).expect_err("a word");
        assert!(format!("{error:#}").contains("eight"));
    }
}
