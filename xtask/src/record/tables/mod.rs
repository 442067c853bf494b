//! The tables computed from a record: who is faster in how many cells, by codec and by instruction
//! set, and every cell in which bytelane loses.
//!
//! A *cell* is one codec with its parameters, one operation, one type and kind of data, and one
//! size. The rows of a cell were measured alternately, so their times are comparable.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use bytelane::Backend;
use serde::Deserialize;

mod cells;

/// Codecs of the documents that older records lack.
const NEWER: &[&str] = &["utf8", "validity", "alp"];

/// One measured figure; the other columns of the file are for human readers.
#[derive(Deserialize)]
struct Row {
    codec: String,
    parameters: String,
    operation: String,
    #[serde(rename = "type")]
    value_type: String,
    data: String,
    values: u64,
    backend: String,
    library: String,
    ns: f64,
    of_memcpy: f64,
}

/// A file of measurements of bytelane and its peers.
pub struct Record {
    /// The file's path in the repository.
    pub name: String,
    cells: Vec<Cell>,
}

/// A cell and its times.
struct Cell {
    /// The codec with its parameters.
    specification: String,
    codec: String,
    parameters: String,
    operation: String,
    /// The type of a value; for a Thrift message, its struct.
    value_type: String,
    data: String,
    values: u64,
    /// The time of the specification, in nanoseconds.
    scalar: Option<f64>,
    /// Our times on each instruction set, slowest first, without the specification.
    ours: Vec<Ours>,
    peers: Vec<Peer>,
}

/// Another library and its time.
struct Peer {
    library: String,
    /// The instruction set that it was limited to; none if it chose the best one of the CPU.
    level: Option<Backend>,
    ns: f64,
}

struct Ours {
    backend: Backend,
    ns: f64,
    of_memcpy: f64,
}

/// Our result against the fastest peer. A difference of up to a twentieth is a tie: two runs differ
/// by that much.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Verdict {
    Won,
    Tied,
    Lost,
}

impl Verdict {
    fn of(gain: f64) -> Self {
        const EVEN: f64 = 1.05;
        match gain {
            _ if gain > EVEN => Verdict::Won,
            _ if gain < 1.0 / EVEN => Verdict::Lost,
            _ => Verdict::Tied,
        }
    }
}

impl Row {
    /// The instruction set, if the row is ours, and whether it was called in the same way as the
    /// peers.
    fn ours(&self) -> Option<(Backend, bool)> {
        let (name, as_peers) = match self.library.strip_prefix("bytelane ") {
            Some(library) => (library.split(',').next()?, true),
            None if self.library.is_empty() => (self.backend.as_str(), false),
            None => return None,
        };
        Some((name.parse().ok()?, as_peers))
    }

    fn same_cell(&self, other: &Row) -> bool {
        fn key(row: &Row) -> ([&str; 5], u64) {
            let texts = [
                &row.codec,
                &row.parameters,
                &row.operation,
                &row.value_type,
                &row.data,
            ];
            (texts.map(String::as_str), row.values)
        }
        key(self) == key(other)
    }
}

impl Cell {
    fn new(rows: &[Row]) -> Self {
        let first = &rows[0];
        let specification = match first.parameters.as_str() {
            "" => first.codec.clone(),
            parameters => format!("{}:{parameters}", first.codec),
        };
        let as_peers = rows.iter().any(|row| matches!(row.ours(), Some((_, true))));
        let mut ours = Vec::new();
        let (mut scalar, mut peers) = (None, Vec::new());
        for row in rows {
            match row.ours() {
                Some((Backend::Scalar, called)) if called == as_peers => scalar = Some(row.ns),
                Some((backend, called)) if called == as_peers => ours.push(Ours {
                    backend,
                    ns: row.ns,
                    of_memcpy: row.of_memcpy,
                }),
                Some(_) => {}
                None if row.library.is_empty() => {}
                None => peers.push(Peer::new(row)),
            }
        }
        ours.sort_by_key(|ours| ours.backend);
        Self {
            specification,
            codec: first.codec.clone(),
            parameters: first.parameters.clone(),
            operation: first.operation.clone(),
            value_type: first.value_type.clone(),
            data: first.data.clone(),
            values: first.values,
            scalar,
            ours,
            peers,
        }
    }

    /// The fastest peer at an instruction set.
    fn peer(&self, backend: Backend) -> Option<&Peer> {
        let is_best = self.active().is_some_and(|ours| ours.backend == backend);
        let comparable = |peer: &&Peer| match peer.level {
            Some(level) => level <= backend,
            None => is_best || !self.peers.iter().any(|other| other.limits(peer)),
        };
        let peers = self.peers.iter().filter(comparable);
        peers.min_by(|a, b| a.ns.total_cmp(&b.ns))
    }

    /// The speedup over the fastest peer at the same instruction set.
    fn gain(&self, ours: &Ours) -> Option<f64> {
        Some(self.peer(ours.backend)?.ns / ours.ns)
    }

    /// Our time on the instruction set that a caller gets by default.
    fn active(&self) -> Option<&Ours> {
        self.ours.last()
    }
}

impl Peer {
    /// A level follows the name of the library after a comma.
    fn new(row: &Row) -> Self {
        let limited = row.library.rsplit_once(", ");
        let level = limited.and_then(|(_, level)| level.parse().ok());
        Self {
            library: row.library.clone(),
            level,
            ns: row.ns,
        }
    }

    /// Returns whether this is another library limited to an instruction set.
    fn limits(&self, other: &Peer) -> bool {
        let library = self.library.strip_prefix(&other.library);
        self.level.is_some() && library.is_some_and(|rest| rest.starts_with(", "))
    }
}

impl Record {
    /// Reads a file; `None` if its columns are not those of a comparison.
    ///
    /// # Errors
    ///
    /// An invalid row, with its line.
    pub fn parse(name: &str, text: &str) -> Result<Option<Self>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().context("no line of column names")?;
        let is_there = |column: &str| headers.iter().any(|header| header == column);
        if !["codec", "library", "ns", "of_memcpy"]
            .into_iter()
            .all(is_there)
        {
            return Ok(None);
        }
        let rows: Vec<Row> = reader.deserialize().collect::<Result<_, _>>()?;
        Ok(Some(Self {
            name: name.to_owned(),
            cells: rows.chunk_by(Row::same_cell).map(Cell::new).collect(),
        }))
    }

    /// A table by its name in the documents, in Markdown, with a line above it that describes it.
    pub fn table(&self, name: &str) -> Option<String> {
        match name {
            "headline" => Some(self.headline()),
            "summary" => Some(self.summary()),
            "backends" => Some(self.backends()),
            "lost" => Some(self.lost()),
            codec => cells::table(self, codec).or_else(|| self.missing(codec)),
        }
    }

    /// Text in place of the table of a codec that is newer than the record.
    fn missing(&self, codec: &str) -> Option<String> {
        let text = format!(
            "The record (`{}`) does not contain this codec yet.\n",
            self.name
        );
        NEWER.contains(&codec).then_some(text)
    }

    /// The values of a field, without duplicates, in the order of the file.
    fn each<'a, T: PartialEq>(&'a self, field: impl Fn(&'a Cell) -> T) -> Vec<T> {
        let mut each = Vec::new();
        for cell in &self.cells {
            let value = field(cell);
            if !each.contains(&value) {
                each.push(value);
            }
        }
        each
    }

    /// The codec of a cell with its parameters, plus the type if the parameters alone are
    /// ambiguous.
    fn what(&self, cell: &Cell) -> String {
        let Cell {
            specification,
            value_type,
            ..
        } = cell;
        let is_another =
            |other: &Cell| other.specification == *specification && other.value_type != *value_type;
        if self.cells.iter().any(is_another) {
            format!("`{specification}` of `{value_type}`")
        } else {
            format!("`{specification}`")
        }
    }

    /// All cells in one sentence.
    fn headline(&self) -> String {
        let gains = self.gains(|_| true);
        let [_, _, lost] = counts(&gains);
        format!(
            "It is **{} times as fast as the fastest other library**: the geometric mean of {} measured cases on one\n\
             AVX-512 CPU, of which {lost} are lost: see [below](#against-other-libraries).\n",
            ratio(geometric_mean(&gains)),
            gains.len(),
        )
    }

    /// Speedups over the fastest other library, in cells for which that is known, on the instruction set that a caller
    /// gets by default.
    fn gains(&self, wanted: impl Fn(&&Cell) -> bool) -> Vec<f64> {
        let cells = self.cells.iter().filter(wanted);
        cells.filter_map(|cell| cell.gain(cell.active()?)).collect()
    }

    /// The fastest peer of each cell and our speed as a multiple of its speed, as CSV below the name of the
    /// record.
    pub fn fastest_peers(&self) -> String {
        let file = Path::new(&self.name).file_stem();
        let name = file.unwrap_or_default().to_string_lossy();
        let mut text = format!("# {name}\n");
        let mut writer = csv::Writer::from_writer(Vec::new());
        let header = [
            "codec",
            "parameters",
            "operation",
            "type",
            "data",
            "values",
            "library",
            "speedup",
        ];
        writer.write_record(header).expect("to memory");
        for cell in &self.cells {
            let Some((ours, gain)) = cell
                .active()
                .and_then(|ours| Some((ours, cell.gain(ours)?)))
            else {
                continue;
            };
            let Some(peer) = cell.peer(ours.backend) else {
                continue;
            };
            let fields = [
                &cell.codec,
                &cell.parameters,
                &cell.operation,
                &cell.value_type,
                &cell.data,
                &cell.values.to_string(),
                &peer.library,
                &format!("{gain:.3}"),
            ];
            writer.write_record(fields).expect("to memory");
        }
        let cells = writer.into_inner().expect("to memory");
        text += &String::from_utf8_lossy(&cells);
        text
    }

    /// Cells by codec.
    fn summary(&self) -> String {
        let mut text = format!(
            "Each cell is one codec, operation, size and data set, against the fastest of the other libraries,\n\
             within one run (`{}`). Tied: within 5%. The last\n\
             column is the geometric mean of the speedups.\n\n\
             | codec | cells | won | tied | lost | speedup |\n|---|---|---|---|---|---|\n",
            self.name
        );
        let mut row = |codec: &str, cells: &dyn Fn(&&Cell) -> bool| {
            let gains = self.gains(cells);
            if !gains.is_empty() {
                let mean = ratio(geometric_mean(&gains));
                let [won, tied, lost] = counts(&gains);
                let cells = gains.len();
                writeln!(
                    text,
                    "| {codec} | {cells} | {won} | {tied} | {lost} | {mean} |"
                )
                .expect("to memory");
            }
        };
        for codec in self.each(|cell| cell.codec.as_str()) {
            row(&format!("`{codec}`"), &|cell| cell.codec == codec);
        }
        row("all", &|_| true);
        text
    }

    /// Medians by codec, operation and instruction set.
    fn backends(&self) -> String {
        let mut text = format!(
            "Medians over sizes and data (`{}`). The first two figures are multiples of the speed of `memcpy` and of\n\
             the scalar backend; the last three columns count cells against the fastest peer,\n\
             which is limited to the same instruction set if it can be.\n\n\
             | codec | operation | backend | x memcpy | x scalar | won | tied | lost |\n\
             |---|---|---|---|---|---|---|---|\n",
            self.name
        );
        let mut backends: Vec<_> = self.cells.iter().flat_map(|cell| &cell.ours).collect();
        backends.sort_by_key(|ours| ours.backend);
        backends.dedup_by_key(|ours| ours.backend);
        let backends: Vec<_> = backends.iter().map(|ours| ours.backend).collect();
        for (codec, operation) in self.each(|cell| (cell.codec.as_str(), cell.operation.as_str())) {
            for &backend in &backends {
                let cells = self
                    .cells
                    .iter()
                    .filter(|cell| cell.codec == codec && cell.operation == operation);
                let on_backend: Vec<_> = cells
                    .filter_map(|cell| {
                        let ours = cell.ours.iter().find(|ours| ours.backend == backend)?;
                        Some((cell, ours))
                    })
                    .collect();
                let figures = figures(&on_backend);
                writeln!(text, "| `{codec}` | {operation} | {backend} | {figures} |")
                    .expect("to memory");
            }
        }
        text
    }

    /// Every cell in which a peer is faster than the instruction set that a caller gets by default.
    fn lost(&self) -> String {
        let mut text = format!(
            "Every lost cell (`{}`). The last figure is our speed as a multiple of the peer's.\n\n\
             | codec | operation | data | values | x peer | peer |\n|---|---|---|---|---|---|\n",
            self.name
        );
        for cell in &self.cells {
            let Some(ours) = cell.active() else {
                continue;
            };
            let (Some(gain), Some(peer)) = (cell.gain(ours), cell.peer(ours.backend)) else {
                continue;
            };
            if Verdict::of(gain) == Verdict::Lost {
                let Cell {
                    operation,
                    data,
                    values,
                    ..
                } = cell;
                let (what, share, peer) = (self.what(cell), ratio(gain), &peer.library);
                writeln!(
                    text,
                    "| {what} | {operation} | {data} | {values} | {share} | {peer} |"
                )
                .expect("to memory");
            }
        }
        text
    }
}

/// The last columns of a row of the table of instruction sets.
fn figures(cells: &[(&Cell, &Ours)]) -> String {
    if cells.is_empty() {
        return "missing | | | |".to_owned();
    }
    let of_memcpy = cells.iter().map(|(_, ours)| ours.of_memcpy);
    let of_scalar = cells
        .iter()
        .filter_map(|(cell, ours)| Some(cell.scalar? / ours.ns));
    let gains: Vec<_> = cells
        .iter()
        .filter_map(|(cell, ours)| cell.gain(ours))
        .collect();
    let [won, tied, lost] = counts(&gains);
    let [of_memcpy, of_scalar] = [median(of_memcpy.collect()), median(of_scalar.collect())]
        .map(|median| median.map_or("-".to_owned(), ratio));
    format!("{of_memcpy} | {of_scalar} | {won} | {tied} | {lost}")
}

fn counts(gains: &[f64]) -> [usize; 3] {
    [Verdict::Won, Verdict::Tied, Verdict::Lost].map(|verdict| {
        let same = gains.iter().filter(|&&gain| Verdict::of(gain) == verdict);
        same.count()
    })
}

fn geometric_mean(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (sum / values.len() as f64).exp()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// At most two significant decimals: `0.07`, `0.95`, `1.3`, `22`.
pub fn ratio(value: f64) -> String {
    match value {
        ..0.995 => format!("{value:.2}"),
        ..9.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
pub mod tests;
