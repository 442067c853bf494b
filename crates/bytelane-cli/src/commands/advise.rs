//! `bytelane advise`.

mod groups;

use crate::table::{Table, format_parser, number, text};
use crate::{Outcome, backend, progress, readable, standard};
use anyhow::{Context, bail};
use bytelane_measure::format::Format;
use bytelane_parquet::advise::{
    Advice, AdviseOptions, Advisor, Candidate, ColumnAdvice, RAW_ENDINGS, Settings, advise,
};
use bytelane_parquet::compatibility::Readers;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::{Encodings, Goal, local_path, parse_compression, remote_url};
use indicatif::ProgressBar;
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::fs;
use std::io::{self, Write};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Find the best Parquet encodings for the columns of files
///
/// Reads Parquet files, .npy files, and raw little-endian numbers with the extensions .f32 .sp .f64 .dp .i32
/// .i64. Encodes parts of each column in memory in every encoding. Shows the best choice for the goal, the size
/// that `bytelane rewrite` would make of it, and the settings for other writers.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// Files, or directories, which are searched for files with these extensions
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Goal to optimise for
    #[arg(long, value_name = "GOAL", default_value = Goal::Balanced.name(), value_parser = super::rewrite::goal_parser())]
    goal: Goal,
    /// Programs that must be able to read the files, optionally with the oldest version in use; any: no restriction
    #[arg(long, value_name = "NAME[>=VERSION],..", default_value_t = Readers::default())]
    readers: Readers,
    /// Encodings to choose from: names, or +alp to add a preview to the usual ones, which --readers must all know
    #[arg(long, value_name = "NAME,..")]
    encodings: Option<Encodings>,
    /// The compression to assume: none, snappy, lz4_raw, zstd:LEVEL, gzip:LEVEL, brotli:LEVEL. By default, columns of
    /// Parquet files keep theirs, and other files get zstd:1
    #[arg(long, value_name = "CODEC[:LEVEL]", value_parser = parse_compression)]
    compression: Option<Compression>,
    /// Further compressions to try, for comparison
    #[arg(long, value_name = "CODEC[:LEVEL],..", value_delimiter = ',', value_parser = parse_compression)]
    compare: Vec<Compression>,
    /// Rows of each column to look at, in row groups spread over the file, of which parts are encoded
    #[arg(long, value_name = "N", default_value_t = 1 << 20, value_parser = clap::value_parser!(u64).range(1..))]
    rows: u64,
    /// Threads that work at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Maximum memory for a column of a row group, or for a page, as in 4GiB [default: 128MiB and 1024 times its size in the file]
    #[arg(long, value_name = "SIZE", value_parser = readable::parse_size)]
    memory_limit: Option<u64>,
    /// Encode all rows with the choice, so that the new sizes are exact
    #[arg(long)]
    exact: bool,
    /// Exit with code 1 if any file could become smaller by more than the threshold
    #[arg(long)]
    check: bool,
    /// For --check: the size reduction of a file's columns, in percent
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 10.0,
        requires = "check"
    )]
    threshold: f64,
    /// Leave out the table of everything that was tried
    #[arg(long)]
    brief: bool,
    /// A table, one JSON object per file, CSV, or Markdown tables
    #[arg(long, value_name = "FORMAT", default_value = "table", value_parser = format_parser())]
    format: Format,
}

const EXAMPLES: &str = "Examples:
  bytelane advise weather.parquet
  bytelane advise positions.f32 --goal size --compression zstd:3
  bytelane advise lake/ --readers 'pyarrow>=17,duckdb,spark' --brief
  bytelane advise prices.f64 --encodings +alp --readers arrow-rs
  bytelane advise lake/ --check --threshold 20 --format json

Speeds are measured on one thread while other threads are busy; the size ratios do not depend on that.";

/// Returns the extensions of the files to search for in directories.
fn endings() -> impl Iterator<Item = &'static str> {
    let raw = RAW_ENDINGS.iter().map(|(ending, _)| *ending);
    ["parquet", "npy"].into_iter().chain(raw)
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        backend::force_from_environment()?;
        let mut out = standard::output()?;
        let files = files(&self.paths)?;
        super::rewrite::note_obstacles(self.encodings.as_ref(), &self.readers);
        let mut options = AdviseOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers.clone())
            .with_encodings(self.encodings.clone().unwrap_or_default())
            .with_comparisons(self.compare.clone())
            .with_exact_sizes(self.exact)
            .with_rows(usize::try_from(self.rows).unwrap_or(usize::MAX));
        if let Some(compression) = self.compression {
            options = options.with_compression(compression);
        }
        if let Some(limit) = self.memory_limit {
            options = options.with_memory_limit(limit);
        }
        let progress = progress::bar(files.len() as u64, "{pos}/{len}")?;
        let advice = match files.as_slice() {
            [only] => vec![self.advise_columns(only, &options, &progress)],
            several => self.advise_files(several, &options, &progress)?,
        };
        progress.finish_and_clear();
        self.show(advice, &mut out)
    }

    /// Analyses several columns at the same time.
    fn advise_columns(
        &self,
        file: &Path,
        options: &AdviseOptions,
        progress: &ProgressBar,
    ) -> bytelane_parquet::Result<Advice> {
        let mut options = options.clone();
        if let Some(threads) = self.threads {
            options = options.with_threads(threads);
        }
        let mut advisor = Advisor::open(file, &options)?;
        progress.set_length(advisor.columns() as u64);
        progress.set_message(readable::path(file));
        advisor.advise_rest(|tried| {
            progress.set_position(tried as u64);
            ControlFlow::Continue(())
        })?;
        Ok(advisor.advice())
    }

    /// Analyses several files at the same time.
    fn advise_files(
        &self,
        files: &[PathBuf],
        options: &AdviseOptions,
        progress: &ProgressBar,
    ) -> anyhow::Result<Vec<bytelane_parquet::Result<Advice>>> {
        // 0: one per core.
        let threads = self.threads.map_or(0, NonZero::get);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let options = options.clone().with_threads(NonZero::<usize>::MIN);
        let advised = |file: &PathBuf| {
            progress.set_message(readable::path(file));
            let advice = advise(file, &options);
            progress.inc(1);
            advice
        };
        Ok(pool.install(|| files.par_iter().map(advised).collect()))
    }

    /// Shows the results, then fails if some file could not be read.
    fn show(
        &self,
        advice: Vec<bytelane_parquet::Result<Advice>>,
        out: &mut impl Write,
    ) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        let (mut found, mut failures) = (Vec::new(), Vec::new());
        for result in advice {
            match result {
                Ok(advice) => found.push(advice),
                Err(error) => failures.push(error),
            }
        }
        match self.format {
            Format::Json | Format::Csv => {
                self.candidates(&found).write(self.format, &found, out)?;
            }
            Format::Table | Format::Markdown => match found.as_slice() {
                [] => {}
                [only] => self.show_file(only, out)?,
                several => groups::show(self, several, out)?,
            },
        }
        out.flush()?;
        let worst = found.iter().map(Advice::saved).fold(0.0, f64::max);
        if self.check && 100.0 * worst > self.threshold {
            outcome = Outcome::Found;
        }
        let many = failures.len();
        match failures.pop() {
            None => Ok(outcome),
            Some(only) if many == 1 => Err(only.into()),
            Some(last) => {
                failures
                    .iter()
                    .for_each(|error| anstream::eprintln!("{}", readable::parquet_error(error)));
                Err(last).with_context(|| format!("cannot read {many} files; the last one"))
            }
        }
    }

    /// Returns all results for the columns of these files.
    fn candidates<'a>(&self, files: impl IntoIterator<Item = &'a Advice>) -> Table {
        let is_csv = self.format == Format::Csv;
        // Names in CSV files are stable.
        let [write, read] = if is_csv {
            ["write MiB/s", "read MiB/s"]
        } else {
            ["write\nMB/s", "read\nMB/s"]
        };
        // All results of a column have the same compression, unless several are compared.
        let compression = if self.compare.is_empty() { 2 } else { 0 };
        let file = is_csv.then(|| text("file"));
        let mut table = Table::new(file.into_iter().chain([
            text("column"),
            text("type").dispensable(3),
            text("encoding"),
            text("compression").dispensable(compression),
            number("ratio"),
            number(write).dispensable(1),
            number(read).dispensable(1),
            text("choice"),
        ]));
        for advice in files {
            for column in &advice.columns {
                for candidate in &column.candidates {
                    let mut row = Vec::new();
                    row.extend(is_csv.then(|| advice.file.display().to_string()));
                    row.extend([column.path.clone(), column.column_type.clone()]);
                    row.extend(cells(candidate, column, is_csv));
                    table.row(row);
                }
            }
        }
        table
    }

    fn show_file(&self, advice: &Advice, out: &mut impl Write) -> anyhow::Result<()> {
        let Advice {
            file,
            rows,
            goal,
            readers,
            compression,
            ..
        } = advice;
        let heading = if self.format == Format::Markdown {
            "## "
        } else {
            ""
        };
        writeln!(out, "{heading}{}: {rows} rows", readable::path(file))?;
        writeln!(
            out,
            "Goal: {goal}. Compression: {}. Readers: {readers}.\n",
            match compression.as_str() {
                "" => "unchanged",
                asked => asked,
            }
        )?;
        choices(advice).write(self.format, [()], out)?;
        write_notes(advice, out)?;
        if !self.brief {
            writeln!(out)?;
            self.candidates([advice]).write(self.format, [()], out)?;
        }
        let (now, then) = (advice.bytes_now(), advice.bytes_then());
        let before = match (advice.kind.as_str(), advice.bytes_plain()) {
            ("parquet", _) | (_, None) => "today".to_owned(),
            (_, Some(plain)) => {
                let plain = readable::size(plain);
                format!("with pyarrow's default encoding ({plain} in PLAIN)")
            }
        };
        let saved = 100.0 * advice.saved();
        let about = if self.exact { "" } else { "about " };
        writeln!(
            out,
            "\n{} {before}, {about}{} with the choice: {saved:.1}% smaller\n",
            readable::size(now),
            readable::size(then)
        )?;
        if let Some(line) = smaller_compression(advice) {
            writeln!(out, "{line}\n")?;
        }
        write_settings(self.format, &advice.settings, out)
    }

    /// Returns the paths, quoted for a shell.
    fn words(&self) -> String {
        let words = self.paths.iter().map(|path| {
            let path = readable::path(path);
            if path.contains(|c: char| !c.is_ascii_alphanumeric() && !"._-/=".contains(c)) {
                format!("'{}'", path.replace('\'', r"'\''"))
            } else {
                path
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Suggests another compression if it would save much more.
fn smaller_compression(advice: &Advice) -> Option<String> {
    let (name, bytes) = advice.smaller_compression()?;
    let more = 100.0 * (1.0 - bytes as f64 / advice.bytes_then().max(1) as f64);
    let size = readable::size(bytes);
    Some(format!(
        "--compression {name} would save about {more:.0}% more: {size}."
    ))
}

/// Writes why columns cannot be re-encoded, or must be.
fn write_notes(advice: &Advice, out: &mut impl Write) -> io::Result<()> {
    for column in &advice.columns {
        let name = readable::line(&column.path);
        if let Some(reason) = &column.reason {
            writeln!(out, "\n{name} is re-encoded: {reason}")?;
        }
        if let Some(obstacle) = &column.obstacle {
            writeln!(out, "\n{name} cannot change: {}", readable::line(obstacle))?;
        }
    }
    Ok(())
}

fn write_settings(format: Format, all: &[Settings], out: &mut impl Write) -> anyhow::Result<()> {
    for settings in all {
        let text = readable::lines(&settings.text);
        match format {
            Format::Markdown => writeln!(out, "{}:\n\n```\n{}\n```", settings.writer, text)?,
            _ => writeln!(
                out,
                "{}:\n  {}",
                settings.writer,
                text.replace('\n', "\n  ")
            )?,
        }
        if let Some(shortcoming) = &settings.shortcoming {
            writeln!(out, "  ({})", readable::line(shortcoming))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns the choice for each column of a file.
fn choices(advice: &Advice) -> Table {
    let mut table = Table::new([
        text("column"),
        text("type").dispensable(3),
        number("nulls").dispensable(6),
        number("distinct").dispensable(5),
        number("entropy").dispensable(4),
        text("current").dispensable(2),
        text("choice"),
        number("current size"),
        number("new size"),
        number("saved").dispensable(1),
    ]);
    for column in &advice.columns {
        table.row(summary(column));
    }
    table
}

fn cells(candidate: &Candidate, column: &ColumnAdvice, is_csv: bool) -> [String; 6] {
    let is_choice =
        candidate.encoding == column.encoding && candidate.compression == column.compression;
    let throughput = |mib_s: f64| {
        if is_csv {
            format!("{mib_s:.0}")
        } else {
            readable::megabytes(mib_s)
        }
    };
    [
        if candidate.preview && !is_csv {
            format!("{} (preview)", candidate.encoding)
        } else {
            candidate.encoding.to_string()
        },
        candidate.compression.clone(),
        format!("{:.2}", candidate.ratio),
        throughput(candidate.write_mib_s),
        throughput(candidate.read_mib_s),
        match (&candidate.obstacle, is_choice) {
            (Some(reader), _) => format!("{reader} cannot read it"),
            (None, true) if column.keep => "current".to_owned(),
            (None, true) => "chosen".to_owned(),
            (None, false) => String::new(),
        },
    ]
}

/// Formats a number, with a mark if it is an estimate.
fn count(number: Option<u64>, is_estimated: bool) -> String {
    match (number, is_estimated) {
        (None, _) => "?".to_owned(),
        (Some(number), true) => format!("~{number}"),
        (Some(number), false) => number.to_string(),
    }
}

fn summary(column: &ColumnAdvice) -> [String; 10] {
    [
        column.path.clone(),
        column.column_type.clone(),
        // The share of nulls in a sample may differ from that in the other rows.
        count((!column.nulls_estimated).then_some(column.nulls), false),
        count(column.distinct, column.distinct_estimated),
        column
            .entropy_bits
            .map_or_else(|| "?".to_owned(), |bits| format!("{bits:.1}")),
        column.now.clone().unwrap_or_default(),
        match (&column.obstacle, column.keep) {
            (Some(_), _) => "cannot change".to_owned(),
            (None, true) => "unchanged".to_owned(),
            (None, false) => column.encoding.to_string(),
        },
        readable::size(column.bytes_now),
        readable::size(column.bytes_then),
        format!("{:.1}%", 100.0 * column.saved()),
    ]
}

/// Returns the files at these paths; directories are searched recursively.
///
/// # Errors
/// A path cannot be read, or there is no file at all.
pub fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        collect(
            path,
            &|ending| endings().any(|known| known == ending),
            &mut files,
        )?;
    }
    if files.is_empty() {
        let endings: Vec<&str> = endings().collect();
        bail!(
            "no file with a supported extension here; supported: .{}",
            endings.join(" .")
        );
    }
    Ok(files)
}

/// Collects the file at a path or URL, or the files with a known extension below it. Skips hidden files.
pub fn collect(
    path: &Path,
    is_known: &impl Fn(&str) -> bool,
    files: &mut Vec<PathBuf>,
) -> anyhow::Result<()> {
    if let Some(url) = remote_url(path) {
        let found = bytelane_store::find(url, &|extension| is_known(extension))?;
        files.extend(found.into_iter().map(PathBuf::from));
        return Ok(());
    }
    let path = &*local_path(path);
    let cannot_read = || readable::path(path);
    if !fs::metadata(path).with_context(cannot_read)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = fs::read_dir(path)
        .with_context(cannot_read)?
        .collect::<io::Result<Vec<_>>>()
        .with_context(cannot_read)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Following links to directories could loop.
        if entry.file_name().to_string_lossy().starts_with('.')
            || (path.is_symlink() && path.is_dir())
        {
            continue;
        }
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        if path.is_dir() || is_known(ending) {
            collect(&path, is_known, files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::at_all_widths;
    use clap::Parser;
    use serde_json::json;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn advice() -> Advice {
        let candidate = |encoding: &str, ratio: f64, obstacle: Option<&str>| {
            json!({
                "encoding": encoding, "compression": "zstd:1", "bytes": 1_000_000, "ratio": ratio,
                "write_mib_s": 285.4, "read_mib_s": 1234.0, "obstacle": obstacle, "preview": encoding == "alp",
            })
        };
        let column = |path: &str, encoding: &str| {
            json!({
                "path": path, "column_type": "INT64 TIMESTAMP(MICROS,true)", "rows": 1_048_576, "nulls": 12_345,
                "rows_tried": 1_048_576, "distinct": 987_654, "entropy_bits": 19.9,
                "now": "RLE_DICTIONARY ZSTD", "bytes_now": 4_321_987, "encoding": encoding,
                "compression": "zstd:1", "bytes_then": 1_234_567, "keep": false,
                "candidates": [
                    candidate("plain", 0.93, None),
                    candidate(encoding, 2.7, None),
                    candidate("delta_length_byte_array", 1.0, Some("pyarrow")),
                    candidate("alp", 3.1, Some("pyarrow")),
                ],
            })
        };
        let advice = json!({
            "file": "lake.parquet", "kind": "parquet", "rows": 1_048_576, "goal": "balanced",
            "readers": "duckdb", "compression": "zstd:1", "settings": [],
            "columns": [
                column("departure", "delta_binary_packed"),
                column("passenger.name.first", "byte_stream_split"),
            ],
        });
        serde_json::from_value(advice).unwrap()
    }

    fn arguments(line: &[&str]) -> Arguments {
        let line = ["advise", "lake.parquet"].iter().chain(line);
        Command::try_parse_from(line).unwrap().arguments
    }

    #[test]
    fn tables_fit() {
        let advice = advice();
        let shown = at_all_widths(|width, out| {
            choices(&advice).draw(width, out)?;
            writeln!(out)?;
            arguments(&[]).candidates([&advice]).draw(width, out)
        });
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn csv_keeps_its_names_and_units() {
        let arguments = arguments(&["--format", "csv"]);
        let mut out = Vec::new();
        let table = arguments.candidates([&advice()]);
        table.write(Format::Csv, [()], &mut out).unwrap();
        let csv = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = csv.lines().take(2).collect();
        assert!(
            lines[0].ends_with(",ratio,write MiB/s,read MiB/s,choice"),
            "{csv}"
        );
        assert!(lines[1].ends_with(",0.93,285,1234,"), "{csv}");
    }
}
