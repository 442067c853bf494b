//! `cargo xtask record`: compares all codecs and the reading of whole Parquet files with other
//! libraries in one run, estimates NEON, and stores the figures in `benchmarks/record/`.
//! `benchmarks/tables/fill.py` writes the resulting tables into the documents.

pub mod median;
pub mod neon;
#[cfg(test)]
mod order;
pub mod parquet;

use std::process::ExitCode;

use anyhow::Result;

use crate::peers::{self, Level};
use crate::process::{output, program, root, run};
use crate::test::languages::python;

/// The options of `cargo xtask record`.
#[derive(clap::Args)]
pub struct Options {
    /// The name of the record, after its date: the processor, e.g. `sapphire-rapids`
    #[arg(required_unless_present_any = ["tables", "neon"], value_parser = name)]
    cpu: Option<String>,

    /// Measure only this part
    #[arg(long, requires = "cpu")]
    only: Option<Part>,

    /// Measure only these codecs
    #[arg(long, value_delimiter = ',', requires = "cpu", conflicts_with = "only")]
    codecs: Vec<String>,

    /// Limit bytelane and the other libraries to this instruction set; measures the codecs, and adds the
    /// instruction set to the name of the record
    #[arg(long, requires = "cpu", conflicts_with = "only")]
    level: Option<Level>,

    /// Measure the codecs in this many processes, one after the other, and keep the median of each time
    #[arg(long, default_value_t = 1, requires = "cpu", value_parser = clap::value_parser!(u8).range(1..))]
    runs: u8,

    /// Do not measure; write the tables of the newest record again
    #[arg(long, conflicts_with = "cpu")]
    tables: bool,

    /// Do not measure; estimate NEON and write the tables
    #[arg(long, conflicts_with_all = ["cpu", "tables"])]
    neon: bool,
}

/// Part of the record, with a file of its own.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The codecs and Thrift messages; the estimates for NEON as well
    Codecs,
    /// Parquet files, read as a whole
    Parquet,
    /// The codecs on each backend, without other libraries: for the rule that no backend is slower than
    /// the next lower one
    Backends,
}

/// Directory of the records.
const DIRECTORY: &str = "benchmarks/record";

/// End of the names of records without other libraries.
const ONLY_BACKENDS: &str = "-backends";

/// Checks a part of a file's name.
fn name(text: &str) -> Result<String, String> {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    if text.is_empty() || !text.bytes().all(allowed) {
        return Err("takes small letters, digits, hyphens and full stops".to_owned());
    }
    Ok(text.to_owned())
}

/// Measures, unless only the tables are requested, and writes the tables, with the Python environment of the stage `python`.
pub fn run_command(options: &Options) -> Result<ExitCode> {
    let date = output(program("date").args(["-u", "+%F"]))?.text;
    let path = |name: &str| {
        let file = format!("{}-{name}.csv", date.trim());
        root().join(DIRECTORY).join(file)
    };
    let all = options.codecs.is_empty() && options.level.is_none();
    let only = if all {
        options.only
    } else {
        Some(Part::Codecs)
    };
    // A record of the codecs has their backends as well.
    let is_wanted = |part| only.map_or(part != Part::Backends, |only| only == part);
    if !options.tables && all && is_wanted(Part::Codecs) {
        // Report anything missing before the long measurement starts.
        neon::record(&path("neon-estimates"))?;
    }
    if let Some(cpu) = &options.cpu {
        if is_wanted(Part::Codecs) {
            let name = match options.level {
                Some(level) => format!("{cpu}-{}", level.backend()),
                None => cpu.clone(),
            };
            peers::record(&path(&name), options.level, options.runs, &options.codecs)?;
        }
        if is_wanted(Part::Backends) {
            peers::record(
                &path(&format!("{cpu}{ONLY_BACKENDS}")),
                None,
                options.runs,
                &["--backends".to_owned()],
            )?;
        }
        if is_wanted(Part::Parquet) {
            parquet::record(&path(&format!("{cpu}-parquet")))?;
        }
    }
    run(program(python::environment()?).arg("benchmarks/tables/fill.py"))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_s_name_stays_in_its_directory() {
        assert_eq!(name("zen-4.5").as_deref(), Ok("zen-4.5"));
        for wrong in ["", "../x", "Zen 4", "a/b"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
