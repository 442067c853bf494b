//! Records of whole Parquet files, read to Arrow arrays by bytelane and other libraries.
//! `benchmarks/parquet/compare.py` measures; this module computes the tables.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::tables::ratio;
use crate::process::{cargo, program, root, run};
use crate::test::python::{build_programs, environment_with, lay_out_package};

/// Other libraries, by their names in the record and in the documents.
const OTHERS: [(&str, &str); 4] = [
    ("parquet", "`parquet`"),
    ("pyarrow", "pyarrow"),
    ("duckdb", "DuckDB"),
    ("polars", "Polars"),
];

/// Name of the baseline that reads and decompresses pages without decoding them.
const PAGES: &str = "pages";

/// Name of the baseline that copies the table.
const ROOF: &str = "memcpy";

/// Name of bytelane with strings as views.
const VIEWS: &str = "bytelane-views";

/// Name of the file of many columns.
const LINEITEM: &str = "lineitem";

/// Name of the same file, read by each library alternately with one thread and with two.
const THREADS: &str = "lineitem, threads";

/// Follows the name of a table that is written.
const WRITTEN: &str = ", written";

/// Follows the name of files that are merged.
const MERGED: &str = ", merged";

/// Follows the name of a query.
const QUERIED: &str = ", query";

/// Measures everything, and writes the results to a file.
pub fn record(path: &Path) -> Result<()> {
    compare("release", [path])
}

/// Runs every comparison once on small files, to check that all libraries read the same values.
pub fn run_quick() -> Result<()> {
    let path = root().join("target/peers/parquet-quick.csv");
    compare("dev", [path.as_os_str(), "--quick".as_ref()])
}

fn compare<A: AsRef<OsStr>>(profile: &str, arguments: impl IntoIterator<Item = A>) -> Result<()> {
    let requirements = "benchmarks/parquet/requirements.txt";
    let python = environment_with("target/benchmarks/python", requirements)?;
    run(program(python)
        .arg("benchmarks/parquet/compare.py")
        .arg(build_reader(profile)?)
        .args(arguments)
        .arg("--queries")
        .arg(build_queries(profile)?)
        .env("PYTHONPATH", build_package(profile)?))
}

/// Builds the Python package. Returns the directory to import it from.
fn build_package(profile: &str) -> Result<PathBuf> {
    if profile == "dev" {
        return lay_out_package(&build_programs()?);
    }
    let build = "build --quiet --locked --package bytelane-python --target-dir target --profile";
    run(cargo(build).arg(profile))?;
    lay_out_package(&root().join("target").join(profile))
}

/// Builds the program that answers queries with the Rust libraries. Returns its path.
fn build_queries(profile: &str) -> Result<PathBuf> {
    let build = "build --quiet --locked --package bytelane-parquet --example time_queries --target-dir target --profile";
    run(cargo(build).arg(profile))?;
    let path = root()
        .join("target")
        .join(directory_of(profile))
        .join("examples");
    Ok(path.join(format!("time_queries{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds the program that reads files with the Rust libraries. Returns its path.
fn build_reader(profile: &str) -> Result<PathBuf> {
    let build = "build --quiet --locked --manifest-path peers/Cargo.toml --package read-parquet";
    let mut command = cargo(build);
    run(command.args(["--target-dir", "peers/target", "--profile", profile]))?;
    let path = root().join("peers/target").join(directory_of(profile));
    Ok(path.join(format!("read-parquet{}", std::env::consts::EXE_SUFFIX)))
}

/// Returns the directory of a profile's programs.
fn directory_of(profile: &str) -> &str {
    match profile {
        "dev" => "debug",
        profile => profile,
    }
}

/// Result of one library for one file.
#[derive(Deserialize)]
struct Row {
    column: String,
    encoding: String,
    compression: String,
    rows: u64,
    values: u64,
    /// Bytes of the file that was read, or written.
    file_bytes: f64,
    threads: u32,
    library: String,
    version: String,
    /// CPU time of all threads.
    cpu_seconds: f64,
    wall_seconds: f64,
    peak_bytes: f64,
    /// State of the process; empty if only the steady state was measured.
    #[serde(default)]
    regime: String,
}

impl Row {
    /// Returns the CPU time with one thread, otherwise the elapsed time, in seconds.
    fn seconds(&self) -> f64 {
        match self.threads {
            1 => self.cpu_seconds,
            _ => self.wall_seconds,
        }
    }

    /// Returns whether the table was written, not read.
    fn is_written(&self) -> bool {
        self.column.ends_with(WRITTEN)
    }

    /// Returns whether files were merged.
    fn is_merged(&self) -> bool {
        self.column.ends_with(MERGED)
    }

    /// Returns whether it answers a query, in the steady state.
    fn is_query(&self) -> bool {
        self.column.ends_with(QUERIED)
    }

    fn same_file(&self, other: &Row) -> bool {
        (&self.column, &self.encoding, &self.compression)
            == (&other.column, &other.encoding, &other.compression)
    }
}

/// File of measurements.
pub struct Files {
    /// Path in the repository.
    name: String,
    rows: Vec<Row>,
}

impl Files {
    /// Reads a record; `None` if the file has other columns.
    pub fn parse(name: &str, text: &str) -> Result<Option<Self>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().context("no line of column names")?;
        if !headers.iter().any(|header| header == "cpu_seconds") {
            return Ok(None);
        }
        Ok(Some(Self {
            name: name.to_owned(),
            rows: reader.deserialize().collect::<Result<_, _>>()?,
        }))
    }

    /// Returns the table with this name in the documents, in Markdown, with a descriptive line
    /// above it.
    pub fn table(&self, name: &str) -> Option<String> {
        match name {
            "parquet" => self.columns(),
            LINEITEM => self.lineitem(),
            "tables" => self.tables(),
            "writing" => self.writing(),
            "merging" => self.merging(),
            "queries" => self.queries(),
            _ => None,
        }
    }

    /// Returns the table of the single-column files, with the speed of each library.
    fn columns(&self) -> Option<String> {
        let mut text = format!(
            "One column per file, read to Arrow arrays on one core: `{}`.\n\
             The speed is in millions of values per second of CPU time. The columns with x say how many times as fast as\n\
             another library bytelane is. Pages: the share of the time that reading and decompressing the pages takes.\n\
             Memory: the peak, as a multiple of what the crate `parquet` takes.\n\n\
             | column | encoding | compression | speed |",
            self.name
        );
        for (_, name) in OTHERS {
            write!(text, " x {name} |").expect("to memory");
        }
        text += " pages | memory |\n|---|---|---|---|";
        text += &"---|".repeat(OTHERS.len() + 2);
        text.push('\n');
        let columns = self.rows.chunk_by(Row::same_file);
        let is_column = |row: &Row| row.regime.is_empty() && !row.column.starts_with(LINEITEM);
        let rows: Vec<_> = columns
            .filter(|file| is_column(&file[0]))
            .filter_map(column_row)
            .collect();
        for row in &rows {
            writeln!(text, "{row}").expect("to memory");
        }
        (!rows.is_empty()).then_some(text)
    }

    /// Returns the table of the files that several programs write, in both regimes.
    fn tables(&self) -> Option<String> {
        let mut text = format!(
            "Tables of TPC-H at scale 1, read to Arrow arrays by the Python packages, and by the crate `parquet` with one thread:\n\
             `{}`. The time is in seconds, of the CPU with one thread, else elapsed. The other\n\
             columns say how many times as fast as the fastest other library bytelane is. First: the first read of a process.\n\
             Steady: the best of seven reads after it. As views: the same with strings as views, in which form\n\
             Polars returns them. Roof: the same for `memcpy` of the table to memory that is kept. Memory: the peak\n\
             of eight reads, as a multiple of Polars's.\n\n\
             | table | writer | compression | threads | first | x fastest | steady | x fastest | as views | roof | memory |\n\
             |---|---|---|---|---|---|---|---|---|---|---|\n",
            self.name
        );
        let is_other = |row: &&Row| row.is_written() || row.is_merged() || row.is_query();
        let is_read = |row: &&Row| !row.regime.is_empty() && !is_other(row);
        let rows: Vec<_> = self.rows.iter().filter(is_read).collect();
        let same = |one: &&Row, other: &&Row| one.same_file(other) && one.threads == other.threads;
        for file in rows.chunk_by(same) {
            let first = file.first()?;
            let writer = first.encoding.trim_end_matches("'s defaults");
            let [in_first, in_steady] =
                ["first", "steady"].map(|regime| regime_cells(file, regime));
            let steady = |library: &str| {
                let mut rows = file.iter().filter(|row| row.regime == "steady");
                rows.find(|row| row.library == library)
            };
            let memory = |library: &str| steady(library).map(|row| row.peak_bytes);
            writeln!(
                text,
                "| {} | {writer} | {} | {} |{}{} {} | {:.3} | {} |",
                first.column,
                first.compression,
                first.threads,
                in_first?,
                in_steady?,
                speedup(file, "steady", VIEWS).map_or(String::new(), |(seconds, speedup, _)| {
                    format!("{seconds:.3}, {speedup}")
                }),
                steady(ROOF)?.seconds(),
                ratio(memory("bytelane")? / memory("polars")?),
            )
            .expect("to memory");
        }
        (!rows.is_empty()).then_some(text)
    }

    /// Returns the table of queries: a row for each of them, with the time of each library.
    fn queries(&self) -> Option<String> {
        let mut text = format!(
            "Rows of TPC-H's lineitem at scale 1 that satisfy a condition, as pyarrow writes the file, on one core: `{}`.\n\
             Milliseconds of CPU time, the median of seven reads in the steady state. The last column says how many times as fast\n\
             as the fastest other library bytelane is.\n\n\
             | query | rows | bytelane |",
            self.name
        );
        for (_, name) in OTHERS {
            write!(text, " {name} |").expect("to memory");
        }
        text += " x fastest |\n|---|--:|--:|";
        text += &"--:|".repeat(OTHERS.len() + 1);
        text.push('\n');
        let rows: Vec<_> = self.rows.iter().filter(|row| row.is_query()).collect();
        for query in rows.chunk_by(|one, other| one.column == other.column) {
            let seconds = |library: &str| {
                let row = query.iter().find(|row| row.library == library)?;
                Some(row.cpu_seconds)
            };
            let ours = seconds("bytelane")?;
            let others: Option<Vec<f64>> = OTHERS.iter().map(|(it, _)| seconds(it)).collect();
            let others = others?;
            let name = query[0].column.trim_end_matches(QUERIED);
            write!(text, "| {name} | {} | {:.1} |", query[0].rows, ours * 1e3).expect("to memory");
            for seconds in &others {
                write!(text, " {:.1} |", seconds * 1e3).expect("to memory");
            }
            let best = others.iter().copied().fold(f64::INFINITY, f64::min);
            writeln!(text, " {} |", ratio(best / ours)).expect("to memory");
        }
        (!rows.is_empty()).then_some(text)
    }

    /// Tables that the libraries write from memory: a row for each table, compression, number of threads and library.
    fn writing(&self) -> Option<String> {
        let mut text = format!(
            "Tables of TPC-H at scale 1, and single columns, written from memory by the Python packages and by the crate `parquet`, with\n\
             all defaults but for the compression: `{}`. The time is in\n\
             seconds, of the CPU with one thread, else elapsed; x is the time of bytelane times this. First: the first write of a\n\
             process. Steady: the best of two to seven writes after it. Memory: the peak of all writes beyond the table.\n\n\
             | table | compression | threads | library | first | x | steady | x | size | memory |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
            self.name
        );
        let steady = self
            .rows
            .iter()
            .filter(|row| row.is_written() && row.regime == "steady");
        for row in steady.clone() {
            let same = |other: &&Row| other.same_file(row) && other.threads == row.threads;
            let find = |library: &str, regime: &str| {
                let mut rows = self.rows.iter().filter(same);
                rows.find(|other| other.library == library && other.regime == regime)
            };
            let first = find(&row.library, "first")?;
            let [ours_first, ours] = ["first", "steady"].map(|it| find("bytelane", it));
            let name = OTHERS.iter().find(|(library, _)| *library == row.library);
            writeln!(
                text,
                "| {} | {} | {} | {} | {:.3} | {} | {:.3} | {} | {:.1} MB | {:.0} MB |",
                row.column.trim_end_matches(WRITTEN),
                row.compression,
                row.threads,
                name.map_or("bytelane", |(_, name)| name),
                first.seconds(),
                ratio(first.seconds() / ours_first?.seconds()),
                row.seconds(),
                ratio(row.seconds() / ours?.seconds()),
                row.file_bytes / 1e6,
                row.peak_bytes / 1e6,
            )
            .expect("to memory");
        }
        (steady.count() > 0).then_some(text)
    }

    /// Returns the table of the files that are merged: a row for each set of files and program.
    fn merging(&self) -> Option<String> {
        let mut text = format!(
            "Files of ten columns, written by pyarrow with Snappy, merged into row groups of up to a million rows by the Python packages\n\
             on one core: `{}`. The time is in seconds of the CPU, in a process of its\n\
             own, without imports; x is the time of `merge` times this. The memory is beyond what the process had before.\n\n\
             | files | program | time | x | memory | output |\n\
             |---|---|---|---|---|---|\n",
            self.name
        );
        let rows: Vec<_> = self.rows.iter().filter(|row| row.is_merged()).collect();
        for files in rows.chunk_by(|one, other| one.column == other.column) {
            let ours = files.first()?;
            for row in files {
                let name = OTHERS.iter().find(|(library, _)| *library == row.library);
                writeln!(
                    text,
                    "| {} | {}, {} | {:.3} | {} | {:.0} MB | {:.1} MB |",
                    row.column.trim_end_matches(MERGED),
                    name.map_or("bytelane", |(_, name)| name),
                    row.encoding,
                    row.cpu_seconds,
                    ratio(row.cpu_seconds / ours.cpu_seconds),
                    row.peak_bytes / 1e6,
                    row.file_bytes / 1e6,
                )
                .expect("to memory");
            }
        }
        (!rows.is_empty()).then_some(text)
    }

    /// Returns the table of the file of many columns: a row for each library.
    fn lineitem(&self) -> Option<String> {
        let find = |column: &str, library: &str, threads| {
            let is_wanted = |row: &&Row| row.regime.is_empty() && row.column == column;
            let mut rows = self.rows.iter().filter(is_wanted);
            rows.find(|row| row.library == library && row.threads == threads)
        };
        let ours = find(LINEITEM, "bytelane", 1)?;
        let pages = find(LINEITEM, PAGES, 1)?;
        let mut text = format!(
            "TPC-H's lineitem at scale 1, {:.1} million rows, which tpchgen-cli generated and pyarrow wrote with its\n\
             defaults: `{}`. The speed is in millions of rows per second of CPU\n\
             time on one core. Pages: the share of that time that reading and decompressing the pages takes; they are\n\
             read with the crate `parquet`. The last column is the speedup by a second thread on a second core.\n\n\
             | library | version | speed | bytelane's speedup | pages | peak memory | two threads |\n\
             |---|---|---|---|---|---|---|\n",
            ours.rows as f64 / 1e6,
            self.name
        );
        for (library, name) in [("bytelane", "bytelane")].into_iter().chain(OTHERS) {
            let Some(row) = find(LINEITEM, library, 1) else {
                continue;
            };
            let elapsed = [1, 2].map(|threads| Some(find(THREADS, library, threads)?.wall_seconds));
            let second_thread = match elapsed {
                [Some(one), Some(two)] => format!("{}x", ratio(one / two)),
                _ => String::new(),
            };
            writeln!(
                text,
                "| {name} | {} | {} | {}x | {} | {:.0} MB | {} |",
                row.version,
                ratio(row.rows as f64 / row.cpu_seconds / 1e6),
                ratio(row.cpu_seconds / ours.cpu_seconds),
                percent(pages.cpu_seconds / row.cpu_seconds),
                row.peak_bytes / 1e6,
                second_thread,
            )
            .expect("to memory");
        }
        Some(text)
    }
}

/// Returns the cells of a regime: seconds, speedup over the fastest other library, and its name.
fn regime_cells(rows: &[&Row], regime: &str) -> Option<String> {
    let (seconds, speedup, name) = speedup(rows, regime, "bytelane")?;
    Some(format!(" {seconds:.3} | {speedup}, {name} |"))
}

/// Returns the time of a library in seconds, its speedup over the fastest one of the others, and the name of that one.
fn speedup(rows: &[&Row], regime: &str, library: &str) -> Option<(f64, String, &'static str)> {
    let rows = rows.iter().filter(|row| row.regime == regime);
    let own = rows.clone().find(|row| row.library == library)?.seconds();
    let others = rows.filter_map(|row| {
        let (_, name) = OTHERS.iter().find(|(other, _)| *other == row.library)?;
        Some((row.seconds(), *name))
    });
    let (best, name) = others.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some((own, ratio(best / own), name))
}

/// Returns a row of the table of columns, if bytelane and the crate `parquet` were measured.
fn column_row(file: &[Row]) -> Option<String> {
    let find = |library: &str| file.iter().find(|row| row.library == library);
    let ours = find("bytelane")?;
    let mut text = format!(
        "| {} | {} | {} | {:.0} |",
        ours.column,
        ours.encoding,
        ours.compression,
        ours.values as f64 / ours.cpu_seconds / 1e6
    );
    for (library, _) in OTHERS {
        let speedup = find(library).map(|other| ratio(other.cpu_seconds / ours.cpu_seconds));
        write!(text, " {} |", speedup.unwrap_or_default()).expect("to memory");
    }
    let pages = percent(find(PAGES)?.cpu_seconds / ours.cpu_seconds);
    let memory = ratio(ours.peak_bytes / find("parquet")?.peak_bytes);
    write!(text, " {pages} | {memory} |").expect("to memory");
    Some(text)
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "\
column,encoding,compression,rows,values,file_bytes,threads,library,version,cpu_seconds,wall_seconds,peak_bytes,cpu
f64,PLAIN,none,4000000,4000000,32000000,1,bytelane,0.1.0,0.004,0.005,33000000,a CPU
f64,PLAIN,none,4000000,4000000,32000000,1,parquet,60.1.0,0.006,0.005,30000000,a CPU
f64,PLAIN,none,4000000,4000000,32000000,1,pages,60.1.0,0.001,0.005,30000000,a CPU
f64,PLAIN,none,4000000,4000000,32000000,1,polars,2.1.0,0.002,0.005,30000000,a CPU
f64,PLAIN,snappy,4000000,4000000,32000000,1,bytelane,0.1.0,0.040,0.005,33000000,a CPU
f64,PLAIN,snappy,4000000,4000000,32000000,1,parquet,60.1.0,0.040,0.005,33000000,a CPU
f64,PLAIN,snappy,4000000,4000000,32000000,1,pages,60.1.0,0.030,0.005,30000000,a CPU
lineitem,defaults,snappy,6000000,96000000,2,1,bytelane,0.1.0,0.5,0.5,1000000000,a CPU
lineitem,defaults,snappy,6000000,96000000,2,1,pages,60.1.0,0.1,0.1,1000000,a CPU
lineitem,defaults,snappy,6000000,96000000,2,1,pyarrow,26.0.1,1.0,1.1,2000000000,a CPU
\"lineitem, threads\",defaults,snappy,6000000,96000000,2,1,pyarrow,26.0.1,1.0,1.2,2000000000,a CPU
\"lineitem, threads\",defaults,snappy,6000000,96000000,2,2,pyarrow,26.0.1,1.0,0.8,2000000000,a CPU
";

    fn rows(name: &str) -> Vec<String> {
        let files = Files::parse("a.csv", RECORD).unwrap().unwrap();
        let table = files.table(name).unwrap();
        assert!(table.contains("`a.csv`"));
        let rows = table.lines().filter(|line| line.starts_with('|'));
        rows.skip(2).map(str::to_owned).collect()
    }

    #[test]
    fn a_row_compares_the_libraries_on_one_file() {
        let expected = [
            "| f64 | PLAIN | none | 1000 | 1.5 |  |  | 0.50 | 25% | 1.1 |",
            "| f64 | PLAIN | snappy | 100 | 1.0 |  |  |  | 75% | 1.0 |",
        ];
        assert_eq!(rows("parquet"), expected);
    }

    #[test]
    fn lineitem_has_a_row_for_each_library() {
        let expected = [
            "| bytelane | 0.1.0 | 12 | 1.0x | 20% | 1000 MB |  |",
            "| pyarrow | 26.0.1 | 6.0 | 2.0x | 10% | 2000 MB | 1.5x |",
        ];
        assert_eq!(rows("lineitem"), expected);
    }

    #[test]
    fn tables_have_both_regimes() {
        assert_eq!(
            Files::parse("a.csv", RECORD).unwrap().unwrap().tables(),
            None
        );
        let row = |library: &str, threads: u32, seconds: f64, regime: &str| {
            format!(
                "orders,DuckDB's defaults,snappy,9,9,9,{threads},{library},1,{seconds},{},9,a CPU,{regime}\n",
                seconds / 2.0
            )
        };
        let mut text = RECORD.lines().next().unwrap().to_owned() + ",regime\n";
        for threads in [1, 2] {
            for (regime, ours, parquet, polars) in
                [("first", 0.4, 0.6, 0.8), ("steady", 0.2, 0.3, 0.1)]
            {
                text += &row("bytelane", threads, ours, regime);
                text += &row("parquet", threads, parquet, regime);
                text += &row("polars", threads, polars, regime);
                if threads == 2 {
                    text += &row("bytelane-views", threads, 0.08, regime);
                }
                text += &row("memcpy", threads, 0.01, regime);
            }
        }
        let files = Files::parse("a.csv", &text).unwrap().unwrap();
        let table = files.table("tables").unwrap();
        let rows: Vec<_> = table
            .lines()
            .filter(|line| line.starts_with("| orders"))
            .collect();
        let expected = [
            "| orders | DuckDB | snappy | 1 | 0.400 | 1.5, `parquet` | 0.200 | 0.50, Polars |  | 0.010 | 1.0 |",
            "| orders | DuckDB | snappy | 2 | 0.200 | 1.5, `parquet` | 0.100 | 0.50, Polars | 0.040, 1.2 | 0.005 | 1.0 |",
        ];
        assert_eq!(rows, expected);
        assert_eq!(files.table("parquet"), None);
    }

    #[test]
    fn written_tables_have_a_row_for_each_library() {
        let header = RECORD.lines().next().unwrap();
        let mut text = format!("{header},regime\n");
        for (regime, ours, polars) in [("first", 0.4, 0.6), ("steady", 0.2, 0.4)] {
            for (library, seconds, size) in [("bytelane", ours, 33e6), ("polars", polars, 39.5e6)] {
                text += &format!(
                    "\"orders, written\",defaults,zstd:1,9,9,{size},1,{library},1,{seconds},1.0,5e7,a CPU,{regime}\n"
                );
            }
        }
        let files = Files::parse("a.csv", &text).unwrap().unwrap();
        let table = files.table("writing").unwrap();
        let rows: Vec<_> = table
            .lines()
            .filter(|line| line.starts_with("| orders"))
            .collect();
        let expected = [
            "| orders | zstd:1 | 1 | bytelane | 0.400 | 1.0 | 0.200 | 1.0 | 33.0 MB | 50 MB |",
            "| orders | zstd:1 | 1 | Polars | 0.600 | 1.5 | 0.400 | 2.0 | 39.5 MB | 50 MB |",
        ];
        assert_eq!(rows, expected);
        assert_eq!(files.tables(), None);
    }

    #[test]
    fn merged_files_have_a_row_for_each_program() {
        let header = RECORD.lines().next().unwrap();
        let mut text = format!("{header},regime\n");
        for (library, way, seconds) in [
            ("bytelane", "merge", 0.25),
            ("bytelane", "read and write", 1.5),
            ("duckdb", "COPY", 2.5),
        ] {
            text += &format!(
                "\"9 files, merged\",{way},snappy,9,9,3.05e7,1,{library},1,{seconds},3,5e7,a CPU,first\n"
            );
        }
        let files = Files::parse("a.csv", &text).unwrap().unwrap();
        let table = files.table("merging").unwrap();
        let rows: Vec<_> = table
            .lines()
            .filter(|line| line.starts_with("| 9"))
            .collect();
        let expected = [
            "| 9 files | bytelane, merge | 0.250 | 1.0 | 50 MB | 30.5 MB |",
            "| 9 files | bytelane, read and write | 1.500 | 6.0 | 50 MB | 30.5 MB |",
            "| 9 files | DuckDB, COPY | 2.500 | 10 | 50 MB | 30.5 MB |",
        ];
        assert_eq!(rows, expected);
        assert_eq!(files.tables(), None);
    }

    #[test]
    fn queries_have_the_time_of_each_library() {
        let header = RECORD.lines().next().unwrap();
        let mut text = format!("{header},regime\n");
        let libraries = ["bytelane", "parquet", "pyarrow", "polars", "duckdb"];
        for (library, seconds) in libraries.into_iter().zip([0.05, 0.2, 0.4, 0.08, 0.1]) {
            text += &format!(
                "\"q6, query\",x,snappy,114160,9,9,1,{library},1,{seconds},1.0,0,a CPU,steady\n"
            );
        }
        let files = Files::parse("a.csv", &text).unwrap().unwrap();
        let table = files.table("queries").unwrap();
        let row = table.lines().find(|line| line.starts_with("| q6"));
        let expected = "| q6 | 114160 | 50.0 | 200.0 | 400.0 | 100.0 | 80.0 | 1.6 |";
        assert_eq!(row, Some(expected));
        assert_eq!(files.tables(), None);
    }

    #[test]
    fn other_records_are_not_of_files() {
        assert!(Files::parse("a.csv", "codec,ns\n").unwrap().is_none());
    }
}
