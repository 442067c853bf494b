//! Results of other libraries, from the newest record of `cargo xtask record`. A report cannot measure
//! them, because the command does not contain them.

use super::workloads::Workload;
use anyhow::Context;
use serde::{Deserialize, Serialize};

/// Record, after a line with its dates and CPUs. `cargo xtask record` writes it.
const FILE: &str = include_str!("record.csv");

/// Ratios up to this are a tie, because two records differ by that much.
const EVEN: f64 = 1.05;

/// Results of bytelane and of the fastest other library for many workloads, on another machine.
#[derive(Debug)]
pub struct Record {
    pub summary: Summary,
    cells: Vec<Cell>,
}

/// Summary of all workloads of a record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// First and last date of its parts, or the only one.
    pub date: String,
    /// Names of the CPUs.
    pub cpu: String,
    /// Number of workloads.
    pub cases: usize,
    /// Number of workloads in which another library was faster.
    pub lost: usize,
    /// Geometric mean of the speedups over the fastest other library.
    pub speedup: f64,
}

/// Fastest other library for one workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherLibrary {
    pub name: String,
    /// Speedup of bytelane.
    pub speedup: f64,
}

#[derive(Debug, Deserialize)]
struct Cell {
    codec: String,
    parameters: String,
    operation: String,
    data: String,
    values: usize,
    library: String,
    speedup: f64,
}

impl Record {
    /// Returns the record that this program was built with.
    pub fn newest() -> anyhow::Result<Self> {
        Self::parse(FILE).context("the record of other libraries")
    }

    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let (name, table) = text.split_once('\n').context("it has no lines")?;
        let name = name.strip_prefix("# ").context("it has no name")?;
        let (date, cpu) = name.split_once(", ").context("its name has no date")?;
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        let cells: Vec<Cell> = reader.deserialize().collect::<Result<_, _>>()?;
        let logarithms: f64 = cells.iter().map(|cell| cell.speedup.ln()).sum();
        let is_lost = |cell: &&Cell| cell.speedup < 1.0 / EVEN;
        Ok(Self {
            summary: Summary {
                date: date.to_owned(),
                cpu: cpu.to_owned(),
                cases: cells.len(),
                lost: cells.iter().filter(is_lost).count(),
                speedup: (logarithms / cells.len() as f64).exp(),
            },
            cells,
        })
    }

    /// Returns the fastest other library for a workload.
    pub fn of(&self, workload: &Workload, operation: &str) -> Option<OtherLibrary> {
        let is_same = |cell: &&Cell| {
            (&*cell.codec, &*cell.parameters) == (workload.codec, workload.parameters)
                && (&*cell.operation, &*cell.data) == (operation, workload.data)
                && cell.values == workload.values
        };
        let cell = self.cells.iter().find(is_same)?;
        Some(OtherLibrary {
            name: cell.library.clone(),
            speedup: cell.speedup,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::workloads::WORKLOADS;
    use super::*;

    #[test]
    fn a_record_is_summed_up() {
        let text = "# 2026-01-31 to 2026-02-01, Sapphire Rapids and Zen 5\n\
                    codec,parameters,operation,type,data,values,library,speedup\n\
                    utf8,,decode,u8,cjk,64,simdutf,4.0\n\
                    utf8,,decode,u8,latin,64,std,0.25\n\
                    utf8,,decode,u8,emoji,64,std,0.97\n";
        let summary = Record::parse(text).unwrap().summary;
        assert_eq!(
            (&*summary.date, &*summary.cpu),
            ("2026-01-31 to 2026-02-01", "Sapphire Rapids and Zen 5")
        );
        assert_eq!((summary.cases, summary.lost), (3, 1));
        assert!((summary.speedup - 0.97_f64.cbrt()).abs() < 1e-9);
    }

    #[test]
    fn the_newest_record_has_the_workloads_of_its_codecs() {
        let record = Record::newest().unwrap();
        for workload in WORKLOADS {
            let is_recorded = record.cells.iter().any(|cell| cell.codec == workload.codec);
            let other = record.of(workload, "decode");
            assert_eq!(other.is_some(), is_recorded, "{workload:?}");
        }
    }
}
