//! `cargo xtask record`: compares all codecs with all other libraries in one run, and how fast whole
//! Parquet files are read, estimates NEON, stores the figures in `benchmarks/record/`, and writes the
//! resulting tables into the documents.

mod documents;
pub mod neon;
pub mod parquet;
mod tables;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::peers;
use crate::process::{output, program, root};
use documents::fill;
use neon::Estimates;
use parquet::Files;
use tables::Record;

/// The options of `cargo xtask record`.
#[derive(clap::Args)]
pub struct Options {
    /// The name of the record, after its date: the processor, e.g. `sapphire-rapids`
    #[arg(required_unless_present_any = ["tables", "neon"], value_parser = name)]
    cpu: Option<String>,

    /// Measure only this part
    #[arg(long, requires = "cpu")]
    only: Option<Part>,

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
}

/// The directory of the records.
const DIRECTORY: &str = "benchmarks/record";

/// The documents that contain tables between marks.
const DOCUMENTS: &[&str] = &["README.md", "docs/performance.md"];

/// Figures of other libraries in the reports of the command.
const IN_REPORTS: &str = "crates/bytelane-cli/src/commands/report/record.csv";

/// Checks a part of a file's name.
fn name(text: &str) -> Result<String, String> {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    if text.is_empty() || !text.bytes().all(allowed) {
        return Err("takes small letters, digits, hyphens and full stops".to_owned());
    }
    Ok(text.to_owned())
}

/// Measures, unless only the tables are requested, and writes the tables.
pub fn run_command(options: &Options) -> Result<ExitCode> {
    let date = output(program("date").args(["-u", "+%F"]))?.text;
    let path = |name: &str| {
        let file = format!("{}-{name}.csv", date.trim());
        root().join(DIRECTORY).join(file)
    };
    let is_wanted = |part| options.only.is_none_or(|only| only == part);
    if !options.tables && is_wanted(Part::Codecs) {
        // Report anything missing before the long measurement starts.
        neon::record(&path("neon-estimates"))?;
    }
    if let Some(cpu) = &options.cpu {
        if is_wanted(Part::Codecs) {
            peers::record(&path(cpu))?;
        }
        if is_wanted(Part::Parquet) {
            parquet::record(&path(&format!("{cpu}-parquet")))?;
        }
    }
    let tables = Tables::newest()?;
    for document in DOCUMENTS {
        let path = root().join(document);
        let text = read(&path)?;
        let filled =
            fill(&text, &|name| tables.table(name)).with_context(|| (*document).to_owned())?;
        if filled != text {
            write(&path, &filled)?;
            println!("{document}: tables of {}", tables.record.name);
        }
    }
    let (path, cells) = (root().join(IN_REPORTS), tables.record.fastest_peers());
    if read(&path).ok().as_deref() != Some(&cells) {
        write(&path, &cells)?;
        println!("{IN_REPORTS}: {}", tables.record.name);
    }
    Ok(ExitCode::SUCCESS)
}

/// The data for the tables of the documents.
struct Tables {
    record: Record,
    estimates: Estimates,
    files: Files,
}

impl Tables {
    fn newest() -> Result<Self> {
        Ok(Self {
            record: newest("a comparison", Record::parse)?,
            estimates: newest("estimates for NEON", Estimates::parse)?,
            files: newest("Parquet files", Files::parse)?,
        })
    }

    /// A table by its name in the documents.
    fn table(&self, name: &str) -> Option<String> {
        match name {
            "neon" => Some(self.estimates.table()),
            _ => self.files.table(name).or_else(|| self.record.table(name)),
        }
    }
}

type Parse<T> = fn(&str, &str) -> Result<Option<T>>;

/// The newest file of [`DIRECTORY`] with the columns of such a record.
fn newest<T>(what: &str, parse: Parse<T>) -> Result<T> {
    let directory = root().join(DIRECTORY);
    let entries = fs::read_dir(&directory).with_context(|| format!("cannot read {DIRECTORY}"))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "csv") {
            paths.push(path);
        }
    }
    paths.sort();
    while let Some(path) = paths.pop() {
        let text = read(&path)?;
        let name = path.strip_prefix(root()).unwrap_or(&path);
        let name = name.display().to_string();
        if let Some(record) = parse(&name, &text).with_context(|| name.clone())? {
            return Ok(record);
        }
    }
    anyhow::bail!("{DIRECTORY} has no record of {what}")
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a temporary file, then renames it, so that a document is never incomplete.
fn write(path: &Path, text: &str) -> Result<()> {
    let beside = path.with_extension("incomplete");
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_have_the_tables_of_the_newest_record() {
        let tables = Tables::newest().unwrap();
        let name = &tables.record.name;
        for document in DOCUMENTS {
            let text = read(&root().join(document)).unwrap();
            let filled = fill(&text, &|name| tables.table(name)).unwrap();
            assert!(
                filled == text,
                "{document} has other tables than {name}: run `cargo xtask record --tables`",
            );
            assert!(text.contains(name), "{document} has no table");
        }
    }

    #[test]
    fn reports_have_the_cells_of_the_newest_record() {
        let record = Tables::newest().unwrap().record;
        assert!(
            read(&root().join(IN_REPORTS)).unwrap() == record.fastest_peers(),
            "{IN_REPORTS} has other cells than {}: run `cargo xtask record --tables`",
            record.name
        );
    }

    #[test]
    fn a_record_s_name_stays_in_its_directory() {
        assert_eq!(name("zen-4.5").as_deref(), Ok("zen-4.5"));
        for wrong in ["", "../x", "Zen 4", "a/b"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
