//! `cargo xtask record`: compares all codecs and the reading of whole Parquet files with other
//! libraries in one run, estimates NEON, stores the figures in `benchmarks/record/`, and writes the
//! resulting tables into the documents.

mod documents;
pub mod median;
pub mod neon;
pub mod parquet;
mod tables;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::peers::{self, Level};
use crate::process::{output, program, root};
use documents::fill;
use neon::Estimates;
use parquet::Files;
use tables::{ONLY_BACKENDS, Records};

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

/// Documents that contain tables between marks, and the directory of documents that contain nothing else.
const DOCUMENTS: [&str; 2] = ["README.md", "docs/performance.md"];
const PAGES: &str = "docs/performance";

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
    let tables = Tables::newest()?;
    for document in documents()? {
        let path = root().join(&document);
        let text = read(&path)?;
        let filled = fill(&text, &|name| tables.table(name)).with_context(|| document.clone())?;
        if filled != text {
            write(&path, &filled)?;
            println!("{document}");
        }
    }
    let (path, cells) = (root().join(IN_REPORTS), tables.records.fastest_peers());
    if read(&path).ok().as_deref() != Some(&cells) {
        write(&path, &cells)?;
        println!("{IN_REPORTS}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the paths of all documents that contain tables, from the root of the repository.
fn documents() -> Result<Vec<String>> {
    let mut documents: Vec<_> = DOCUMENTS.map(str::to_owned).into();
    documents.extend(files(PAGES, "md")?);
    Ok(documents)
}

/// Data for the tables of the documents.
struct Tables {
    records: Records,
    estimates: Estimates,
    /// Records of Parquet files, newest first.
    files: Vec<Files>,
}

impl Tables {
    fn newest() -> Result<Self> {
        let mut names = files(DIRECTORY, "csv")?;
        names.reverse();
        let named = |name: String| read(&root().join(&name)).map(|text| (name, text));
        let texts: Vec<_> = names.into_iter().map(named).collect::<Result<_>>()?;
        let mut estimates = parse(&texts, Estimates::parse)?;
        anyhow::ensure!(
            !estimates.is_empty(),
            "{DIRECTORY} has no estimates for NEON"
        );
        Ok(Self {
            records: read_records(|name| !name.contains(ONLY_BACKENDS))?,
            estimates: estimates.swap_remove(0),
            files: parse(&texts, Files::parse)?,
        })
    }

    /// Returns the table with this name in the documents, from the newest record that has it.
    fn table(&self, name: &str) -> Option<String> {
        if name == "neon" {
            return Some(self.estimates.table());
        }
        let of_files = self.files.iter().find_map(|files| files.table(name));
        of_files.or_else(|| self.records.table(name))
    }
}

/// Reads the records of codecs, newest first.
fn read_records(wanted: impl Fn(&str) -> bool) -> Result<Records> {
    let mut names = files(DIRECTORY, "csv")?;
    names.retain(|name| wanted(name));
    names.reverse();
    let named = |name: String| read(&root().join(&name)).map(|text| (name, text));
    let texts: Vec<_> = names.into_iter().map(named).collect::<Result<_>>()?;
    Records::parse(&texts)
}

/// Parses the records of one kind, and skips those with other columns.
fn parse<T>(
    texts: &[(String, String)],
    parse: fn(&str, &str) -> Result<Option<T>>,
) -> Result<Vec<T>> {
    let records = texts
        .iter()
        .map(|(name, text)| parse(name, text).with_context(|| name.clone()));
    let records: Vec<_> = records.collect::<Result<_>>()?;
    Ok(records.into_iter().flatten().collect())
}

/// Returns the files of a directory with an extension, sorted, as paths from the root of the
/// repository.
fn files(directory: &str, extension: &str) -> Result<Vec<String>> {
    let entries = fs::read_dir(root().join(directory));
    let mut names = Vec::new();
    for entry in entries.with_context(|| format!("cannot read {directory}"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if Path::new(&name)
            .extension()
            .is_some_and(|of| of == extension)
        {
            names.push(format!("{directory}/{name}"));
        }
    }
    names.sort();
    Ok(names)
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
    fn the_documents_have_the_tables_of_the_newest_records() {
        let tables = Tables::newest().unwrap();
        for document in documents().unwrap() {
            let text = read(&root().join(&document)).unwrap();
            let filled = fill(&text, &|name| tables.table(name)).unwrap();
            assert!(
                filled == text,
                "{document} has other tables: run `cargo xtask record --tables`",
            );
            assert!(text.contains(DIRECTORY), "{document} has no table");
        }
    }

    #[test]
    fn reports_have_the_cells_of_the_newest_records() {
        let records = Tables::newest().unwrap().records;
        assert!(
            read(&root().join(IN_REPORTS)).unwrap() == records.fastest_peers(),
            "{IN_REPORTS} has other cells: run `cargo xtask record --tables`",
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
