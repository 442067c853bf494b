//! Runs of one comparison, joined to one record by their medians.
//!
//! The addresses of code and data differ from process to process, and with them the times of some cells, which
//! more rounds in one process do not show.

use std::collections::HashMap;

use anyhow::{Context, Result};
use bytelane_measure::rounds::even_out;
use bytelane_measure::row::Row;

/// Returns the rows of the first run, each with the figures of the run that has the median time, after
/// [`even_out`] has removed the speed of the machine from the runs of each cell.
pub fn join(runs: &[Vec<Row>]) -> Result<Vec<Row>> {
    let (first, others) = runs.split_first().context("no runs")?;
    let by_name = |run: &'_ Vec<Row>| run.iter().map(|row| (name(row), row.clone())).collect();
    let others: Vec<HashMap<String, Row>> = others.iter().map(by_name).collect();
    let mut joined = Vec::new();
    for cell in first.chunk_by(|one, other| without_subject(one) == without_subject(other)) {
        let mut found = Vec::new();
        for row in cell {
            let mut rows = vec![row];
            for other in &others {
                let same = other.get(&name(row));
                rows.push(same.with_context(|| format!("a run has no {}", name(row)))?);
            }
            found.push(rows);
        }
        let times = |rows: &Vec<&Row>| rows.iter().map(|row| row.ns).collect();
        let mut evened: Vec<Vec<f64>> = found.iter().map(times).collect();
        even_out(&mut evened);
        for (rows, times) in found.iter().zip(&evened) {
            let mut order: Vec<_> = (0..times.len()).collect();
            order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
            let median = order[(order.len() - 1) / 2];
            joined.push(with_time(rows[median], times[median]));
        }
    }
    Ok(joined)
}

/// Returns the fields that name the cell and the subject of a row.
fn name(row: &Row) -> String {
    let named = without_figures(row);
    serde_json::to_string(&named).unwrap_or_default()
}

fn without_figures(row: &Row) -> Row {
    Row {
        ns: 0.0,
        gb_per_s: 0.0,
        memcpy_gb_per_s: 0.0,
        of_memcpy: 0.0,
        spread: None,
        ..row.clone()
    }
}

/// Returns the fields that name the cell of a row.
fn without_subject(row: &Row) -> Row {
    Row {
        backend: String::new(),
        library: None,
        ..without_figures(row)
    }
}

/// Returns a row with another time, and with the speeds that follow from it.
fn with_time(row: &Row, ns: f64) -> Row {
    let slower = ns / row.ns;
    Row {
        ns,
        gb_per_s: row.gb_per_s / slower,
        memcpy_gb_per_s: row.memcpy_gb_per_s / slower,
        ..row.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(rows: &[Row]) -> Vec<(String, f64)> {
        rows.iter().map(|row| (row.worker(), row.ns)).collect()
    }

    fn run(rows: &[(&str, f64)]) -> Vec<Row> {
        let rows = rows.iter();
        rows.map(|(name, ns)| Row::example(name, 8, *ns)).collect()
    }

    #[test]
    fn each_row_is_that_of_the_median_time() {
        let runs = [
            run(&[("avx2", 3.0), ("scalar", 9.0)]),
            run(&[("scalar", 9.0), ("avx2", 1.0)]),
            run(&[("avx2", 2.5), ("scalar", 7.0)]),
        ];
        let joined = join(&runs).unwrap();
        assert_eq!(joined, run(&[("avx2", 2.5), ("scalar", 9.0)]));
        assert_eq!(join(&runs[..1]).unwrap(), runs[0]);
        // With two runs, each row is that of the faster one.
        let joined = join(&runs[..2]).unwrap();
        assert_eq!(joined, run(&[("avx2", 1.0), ("scalar", 9.0)]));
    }

    #[test]
    fn a_slow_run_counts_as_much_as_the_others() {
        let run = |ours, simdutf, std| run(&[("avx2", ours), ("simdutf", simdutf), ("std", std)]);
        let runs = [
            run(10.0, 20.0, 40.0),
            // Twice as slow, except for the first library.
            run(20.0, 39.0, 80.0),
            run(10.0, 19.0, 40.0),
        ];
        // The median of simdutf is in the slow run; the median of its three times is 20.
        let joined = join(&runs).unwrap();
        let expected = [("avx2", 10.0), ("simdutf", 19.5), ("std", 40.0)];
        assert_eq!(
            times(&joined),
            expected.map(|(name, ns)| (name.to_owned(), ns))
        );
        let slow = &runs[1][1];
        assert_eq!(joined[1].gb_per_s, 2.0 * slow.gb_per_s);
        assert_eq!(joined[1].of_memcpy, slow.of_memcpy);
    }

    #[test]
    fn a_run_that_lacks_a_row_is_an_error() {
        let runs = [run(&[("avx2", 3.0)]), run(&[("scalar", 3.0)])];
        let error = join(&runs).unwrap_err().to_string();
        assert!(error.contains("avx2"), "{error}");
    }
}
