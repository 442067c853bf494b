//! Runs of one comparison, joined to one record by their medians.
//!
//! The addresses of code and data differ from process to process, and with them the times of some cells, which
//! more rounds in one process do not show.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};
use bytelane_measure::rounds::even_out;

/// Columns that are measured. The others name the cell and the subject.
const MEASURED: [&str; 5] = [TIME, "gb_per_s", "memcpy_gb_per_s", "of_memcpy", "spread"];
const TIME: &str = "ns";
const SPEEDS: [&str; 2] = ["gb_per_s", "memcpy_gb_per_s"];

/// Columns that name the subject in a cell.
const SUBJECT: [&str; 2] = ["backend", "library"];

/// Returns the rows of the first run, each with the figures of the run that has the median time, after
/// [`even_out`] has removed the speed of the machine from the runs of each cell.
pub fn join(runs: &[String]) -> Result<String> {
    let runs: Vec<_> = runs
        .iter()
        .map(|text| Run::parse(text))
        .collect::<Result<_>>()?;
    let (first, others) = runs.split_first().context("no runs")?;
    let others: Vec<_> = others.iter().map(Run::by_name).collect();
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(&first.columns)?;
    let same_cell = |a: &csv::StringRecord, b: &csv::StringRecord| first.cell(a) == first.cell(b);
    for cell in first.rows.chunk_by(same_cell) {
        let mut found = Vec::new();
        for row in cell {
            let mut rows = vec![row];
            for other in &others {
                let name = first.name(row);
                let same = other.get(&name);
                rows.push(same.with_context(|| format!("a run has no {}", name.join(", ")))?);
            }
            found.push(rows);
        }
        let times = |rows: &Vec<&csv::StringRecord>| rows.iter().map(|row| first.ns(row)).collect();
        let mut evened: Vec<Vec<f64>> = found.iter().map(times).collect();
        even_out(&mut evened);
        for (rows, times) in found.iter().zip(&evened) {
            let mut order: Vec<_> = (0..times.len()).collect();
            order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
            let median = order[(order.len() - 1) / 2];
            csv.write_record(&first.scaled(rows[median], times[median]))?;
        }
    }
    Ok(String::from_utf8(csv.into_inner()?)?)
}

/// File of measurements.
struct Run {
    columns: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
}

impl Run {
    fn parse(text: &str) -> Result<Self> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns = reader.headers()?.clone();
        let rows: Vec<_> = reader.records().collect::<Result<_, _>>()?;
        let run = Self { columns, rows };
        ensure!(
            run.rows.iter().all(|row| run.ns(row).is_finite()),
            "a row has no time"
        );
        Ok(run)
    }

    /// Returns the fields that name the cell and the library of a row.
    fn name<'a>(&self, row: &'a csv::StringRecord) -> Vec<&'a str> {
        self.fields(row, &MEASURED)
    }

    /// Returns the fields that name the cell of a row.
    fn cell<'a>(&self, row: &'a csv::StringRecord) -> Vec<&'a str> {
        self.fields(row, &[&MEASURED[..], &SUBJECT].concat())
    }

    /// Returns the fields of a row except those of some columns.
    fn fields<'a>(&self, row: &'a csv::StringRecord, except: &[&str]) -> Vec<&'a str> {
        let fields = self.columns.iter().zip(row);
        let fields = fields.filter(|(column, _)| !except.contains(column));
        fields.map(|(_, field)| field).collect()
    }

    /// Returns a row with another time, and with the speeds that follow from it.
    fn scaled(&self, row: &csv::StringRecord, ns: f64) -> csv::StringRecord {
        let slower = ns / self.ns(row);
        let scale = |(column, field): (&str, &str)| match field.parse::<f64>() {
            _ if slower == 1.0 => field.to_owned(),
            Ok(_) if column == TIME => ns.to_string(),
            Ok(speed) if SPEEDS.contains(&column) => (speed / slower).to_string(),
            _ => field.to_owned(),
        };
        self.columns.iter().zip(row).map(scale).collect()
    }

    fn by_name(&self) -> HashMap<Vec<&str>, &csv::StringRecord> {
        self.rows.iter().map(|row| (self.name(row), row)).collect()
    }

    /// Returns the time of a row, or NaN if it has none.
    fn ns(&self, row: &csv::StringRecord) -> f64 {
        let place = self.columns.iter().position(|column| column == TIME);
        let field = place.and_then(|place| row.get(place));
        field
            .and_then(|field| field.parse().ok())
            .unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &str = "codec,values,ns,spread,library";

    fn run(rows: &[&str]) -> String {
        [&[COLUMNS], rows].concat().join("\n") + "\n"
    }

    #[test]
    fn each_row_is_that_of_the_median_time() {
        let runs = [
            run(&["varint,8,3.0,0.1,", "varint,8,9.0,0.2,parquet"]),
            run(&["varint,8,9.0,0.3,parquet", "varint,8,1.0,0.4,"]),
            run(&["varint,8,2.5,0.5,", "varint,8,7.0,0.6,parquet"]),
        ];
        let expected = run(&["varint,8,2.5,0.5,", "varint,8,9.0,0.2,parquet"]);
        assert_eq!(join(&runs).unwrap(), expected);
        assert_eq!(join(&runs[..1]).unwrap(), runs[0]);
        // With two runs, each row is that of the faster one.
        let expected = run(&["varint,8,1.0,0.4,", "varint,8,9.0,0.2,parquet"]);
        assert_eq!(join(&runs[..2]).unwrap(), expected);
    }

    #[test]
    fn a_slow_run_counts_as_much_as_the_others() {
        let run = |times: [&str; 3]| {
            let columns = "codec,values,backend,ns,gb_per_s,of_memcpy,library";
            let [ours, simdutf, std] = times;
            format!(
                "{columns}\nbase64,8,avx2,{ours},\nbase64,8,,{simdutf},simdutf\nbase64,8,,{std},std\n"
            )
        };
        let runs = [
            run(["10,1,1", "20,0.5,0.5", "40,0.25,0.25"]),
            // Twice as slow, except for the first library.
            run(["20,0.5,1", "39,0.25,0.5", "80,0.125,0.25"]),
            run(["10,1,1", "19,0.52,0.52", "40,0.25,0.25"]),
        ];
        // The median of simdutf is in the slow run; the median of its three times is 20.
        let expected = run(["10,1,1", "19.5,0.5,0.5", "40,0.25,0.25"]);
        assert_eq!(join(&runs).unwrap(), expected);
    }

    #[test]
    fn a_run_that_lacks_a_row_is_an_error() {
        let runs = [run(&["varint,8,3.0,0.1,"]), run(&["varint,16,3.0,0.1,"])];
        let error = join(&runs).unwrap_err().to_string();
        assert!(error.contains("varint, 8"), "{error}");
        let error = join(&[run(&["varint,8,,0.1,"])]).unwrap_err().to_string();
        assert!(error.contains("no time"), "{error}");
    }
}
