//! Runs of one comparison, joined to one record by their medians.
//!
//! The addresses of code and data differ from process to process, and with them the times of some cells, which
//! more rounds in one process do not show.

use std::collections::HashMap;

use anyhow::{Context, Result};

/// Columns that are measured. The others name the cell and the library.
const MEASURED: [&str; 5] = ["ns", "gb_per_s", "memcpy_gb_per_s", "of_memcpy", "spread"];

/// Returns the rows of the first run, each with the figures of the run that has the median time.
pub fn join(runs: &[String]) -> Result<String> {
    let runs: Vec<_> = runs
        .iter()
        .map(|text| Run::parse(text))
        .collect::<Result<_>>()?;
    let (first, others) = runs.split_first().context("no runs")?;
    let others: Vec<_> = others.iter().map(Run::by_name).collect();
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(&first.columns)?;
    for row in &first.rows {
        let name = first.name(row);
        let mut rows = vec![row];
        for other in &others {
            let found = other.get(&name);
            rows.push(found.with_context(|| format!("a run has no {}", name.join(", ")))?);
        }
        rows.sort_by(|a, b| first.ns(a).total_cmp(&first.ns(b)));
        csv.write_record(rows[(rows.len() - 1) / 2])?;
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
        anyhow::ensure!(
            run.rows.iter().all(|row| run.ns(row).is_finite()),
            "a row has no time"
        );
        Ok(run)
    }

    /// Returns the fields that name the cell and the library of a row.
    fn name<'a>(&self, row: &'a csv::StringRecord) -> Vec<&'a str> {
        let fields = self.columns.iter().zip(row);
        let names = fields.filter(|(column, _)| !MEASURED.contains(column));
        names.map(|(_, field)| field).collect()
    }

    fn by_name(&self) -> HashMap<Vec<&str>, &csv::StringRecord> {
        self.rows.iter().map(|row| (self.name(row), row)).collect()
    }

    /// Returns the time of a row, or NaN if it has none.
    fn ns(&self, row: &csv::StringRecord) -> f64 {
        let place = self.columns.iter().position(|column| column == "ns");
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
    fn a_run_that_lacks_a_row_is_an_error() {
        let runs = [run(&["varint,8,3.0,0.1,"]), run(&["varint,16,3.0,0.1,"])];
        let error = join(&runs).unwrap_err().to_string();
        assert!(error.contains("varint, 8"), "{error}");
        let error = join(&[run(&["varint,8,,0.1,"])]).unwrap_err().to_string();
        assert!(error.contains("no time"), "{error}");
    }
}
