//! Records: cells with the times of bytelane and of its peers.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use bytelane::Backend;
use serde::Deserialize;

/// Peers that do not count where they are faster. The documents list these cells.
pub const UNCOUNTED: [Uncounted; 11] = [
    Uncounted::new("bit_packing", "bitpacking", "has another layout"),
    Uncounted::new("bit_packing", "fastlanes", "has another layout"),
    Uncounted::new("alp", "alp, fastlanes", "has another layout"),
    Uncounted::new("big_endian", "pilota unchecked", "checks no lengths"),
    Uncounted::new(
        "thrift",
        "pilota unchecked",
        "checks no lengths and no UTF-8",
    ),
    Uncounted::unchecked_text("pilota"),
    Uncounted::past_the_end("sonic-rs", Backend::Neon, "reads past the end of the text"),
    Uncounted::past_the_end(
        "json-escape-simd",
        Backend::Avx2,
        "reads past the end of the text at AVX2 and SSE4.1",
    ),
    Uncounted::without_length("C library"),
    Uncounted::small("parquet"),
    Uncounted::small("parquet, native"),
];

/// A peer that does less work than ours.
pub struct Uncounted {
    pub codec: &'static str,
    pub library: &'static str,
    pub reason: &'static str,
    /// Best instruction set at which it does less.
    up_to: Backend,
    /// Returns whether it does less in the cell of a row.
    does_less: fn(&Row) -> bool,
}

impl Uncounted {
    const fn new(codec: &'static str, library: &'static str, reason: &'static str) -> Self {
        Self {
            codec,
            library,
            reason,
            up_to: Backend::Neon,
            does_less: |_| true,
        }
    }

    /// Creates a peer that does not search for small output, against our encoder that does.
    const fn small(library: &'static str) -> Self {
        let reason = "does not search for the smallest output, and counts against `Effort::Fast`";
        Self {
            does_less: |row| row.operation == "encode" && !row.parameters.ends_with("effort=fast"),
            ..Self::new("rle_hybrid", library, reason)
        }
    }

    /// Creates a peer that makes a `String` of bytes that need not be UTF-8, in the messages that consist of one.
    const fn unchecked_text(library: &'static str) -> Self {
        Self {
            does_less: |row| {
                row.operation == "read" && matches!(&*row.value_type, "Text" | "SmallString")
            },
            ..Self::new("thrift", library, "reads text without checking UTF-8")
        }
    }

    /// Creates a peer that loads whole vectors past the end of a text, if its page goes on. With AVX-512,
    /// `json-escape-simd` masks them instead, and counts.
    const fn past_the_end(library: &'static str, up_to: Backend, reason: &'static str) -> Self {
        Self {
            up_to,
            does_less: |row| row.operation == "encode",
            ..Self::new("json_string", library, reason)
        }
    }

    /// Creates a peer that decodes from a pointer: control bytes that say so make it read anything, and its vectors go up
    /// to 16 bytes beyond the last value in any case.
    const fn without_length(library: &'static str) -> Self {
        let reason = "is not told the length of its input, and reads past the end";
        Self {
            does_less: |row| row.operation == "decode",
            ..Self::new("stream_vbyte", library, reason)
        }
    }

    /// Returns whether a row is of this peer, in a cell with a best instruction set.
    fn is_peer_of(&self, row: &Row, best: Backend) -> bool {
        (self.codec, self.library) == (&*row.codec, &*row.library)
            && best <= self.up_to
            && (self.does_less)(row)
    }
}

/// Length of the date with which the name of a file begins.
const DATE: usize = "2026-11-23-".len();

/// End of the names of records without other libraries.
pub const ONLY_BACKENDS: &str = "-backends";

/// One measured figure; the other columns of the file are for human readers.
#[derive(Deserialize)]
struct Row {
    codec: String,
    /// Missing, like `library`, where no row has any.
    #[serde(default)]
    parameters: String,
    operation: String,
    #[serde(rename = "type")]
    value_type: String,
    data: String,
    values: u64,
    backend: String,
    #[serde(default)]
    library: String,
    ns: f64,
    of_memcpy: f64,
    spread: f64,
}

/// File of measurements of bytelane and its peers.
pub struct Record {
    /// Path in the repository.
    pub name: String,
    pub cells: Vec<Cell>,
}

/// Cell with its times.
pub struct Cell {
    /// Codec with its parameters.
    pub specification: String,
    pub codec: String,
    pub parameters: String,
    pub operation: String,
    /// Type of a value; for a Thrift message, its struct.
    pub value_type: String,
    pub data: String,
    pub values: u64,
    /// Our times with the scalar code.
    pub scalar: Option<Ours>,
    /// Our times on each instruction set, slowest first, without the scalar code.
    pub ours: Vec<Ours>,
    pub peers: Vec<Peer>,
}

/// Another library with its time.
pub struct Peer {
    pub library: String,
    /// Instruction set that it was limited to; `None` if it chose the best one of the CPU.
    pub level: Option<Backend>,
    pub ns: f64,
    /// False for those of [`UNCOUNTED`].
    counts: bool,
}

pub struct Ours {
    pub backend: Backend,
    /// Nanoseconds of a call.
    pub ns: f64,
    pub of_memcpy: f64,
    /// Variation of the times of the rounds, as a share of their median.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test compares backends"))]
    pub spread: f64,
}

/// Our result against the fastest peer. A difference of up to 5% is a tie, because two runs differ
/// by that much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    Won,
    Tied,
    Lost,
}

impl Verdict {
    pub fn of(gain: f64) -> Self {
        const EVEN: f64 = 1.05;
        match gain {
            _ if gain > EVEN => Verdict::Won,
            _ if gain < 1.0 / EVEN => Verdict::Lost,
            _ => Verdict::Tied,
        }
    }
}

impl Row {
    /// Returns the instruction set, if the row is ours, and whether it was called in the same way
    /// as the peers.
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
        let backends = rows.iter().filter_map(|row| Some(row.ours()?.0));
        let best = backends.max().unwrap_or(Backend::Scalar);
        let mut ours = Vec::new();
        let (mut scalar, mut peers) = (None, Vec::new());
        for row in rows {
            let of = |backend| Ours {
                backend,
                ns: row.ns,
                of_memcpy: row.of_memcpy,
                spread: row.spread,
            };
            match row.ours() {
                Some((Backend::Scalar, called)) if called == as_peers => {
                    scalar = Some(of(Backend::Scalar));
                }
                Some((backend, called)) if called == as_peers => ours.push(of(backend)),
                Some(_) => {}
                None if row.library.is_empty() => {}
                None => peers.push(Peer::new(row, best)),
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

    /// Returns the fastest peer at an instruction set. A peer of [`UNCOUNTED`] counts only where it is not faster
    /// than ours.
    pub fn peer(&self, ours: &Ours) -> Option<&Peer> {
        let is_best = self
            .active()
            .is_some_and(|best| best.backend == ours.backend);
        let comparable = |peer: &&Peer| match peer.level {
            _ if !peer.counts && Verdict::of(peer.ns / ours.ns) == Verdict::Lost => false,
            Some(level) => level <= ours.backend,
            None => is_best || !self.peers.iter().any(|other| other.limits(peer)),
        };
        let peers = self.peers.iter().filter(comparable);
        peers.min_by(|a, b| a.ns.total_cmp(&b.ns))
    }

    /// Returns the fastest peer of [`UNCOUNTED`] that is faster than ours.
    pub fn uncounted(&self) -> Option<&Peer> {
        let peers = self.peers.iter().filter(|peer| !peer.counts);
        peers.min_by(|a, b| a.ns.total_cmp(&b.ns))
    }

    /// Returns the speedup over the fastest peer at the same instruction set.
    pub fn gain(&self, ours: &Ours) -> Option<f64> {
        Some(self.peer(ours)?.ns / ours.ns)
    }

    /// Returns our time on the default instruction set.
    pub fn active(&self) -> Option<&Ours> {
        self.ours.last()
    }
}

impl Peer {
    /// Parses a row of a cell with a best instruction set; the name of a library may be followed by a comma and a level.
    fn new(row: &Row, best: Backend) -> Self {
        let limited = row.library.rsplit_once(", ");
        let level = limited.and_then(|(_, level)| level.parse().ok());
        Self {
            library: row.library.clone(),
            level,
            ns: row.ns,
            counts: !UNCOUNTED.iter().any(|peer| peer.is_peer_of(row, best)),
        }
    }

    /// Returns whether this is another library limited to an instruction set.
    fn limits(&self, other: &Peer) -> bool {
        let library = self.library.strip_prefix(&other.library);
        self.level.is_some() && library.is_some_and(|rest| rest.starts_with(", "))
    }
}

impl Record {
    /// Returns the name of the file, without its directory and extension.
    pub fn stem(&self) -> String {
        let stem = Path::new(&self.name).file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// Returns the name of the file after its date, without what it covers: `zen5` for
    /// `2026-11-26-zen5-backends.csv`, and `zen5-avx2` where all libraries were limited to AVX2.
    #[cfg(test)]
    pub fn machine(&self) -> String {
        let stem = self.stem();
        let name = stem.get(DATE..).unwrap_or(&stem);
        name.strip_suffix(ONLY_BACKENDS).unwrap_or(name).to_owned()
    }

    /// Returns the record's CPU as the documents name it: `Zen 5` for `2026-11-23-zen5.csv`, with the
    /// instruction set if all libraries were limited to one.
    pub fn cpu(&self) -> String {
        let stem = self.stem();
        let mut cpu = String::new();
        for word in stem.get(DATE..).unwrap_or(&stem).split('-') {
            match word.parse::<Backend>() {
                Ok(_) => write!(cpu, ", {}", word.to_uppercase()).expect("to memory"),
                Err(_) => {
                    let digits = word.find(|letter: char| letter.is_ascii_digit());
                    let (name, number) = word.split_at(digits.unwrap_or(word.len()));
                    for part in [name, number].into_iter().filter(|part| !part.is_empty()) {
                        let (first, rest) = part.split_at(1);
                        let space = if cpu.is_empty() { "" } else { " " };
                        write!(cpu, "{space}{}{rest}", first.to_uppercase()).expect("to memory");
                    }
                }
            }
        }
        cpu
    }

    /// Reads a file; `None` if its columns are not those of a comparison.
    ///
    /// # Errors
    ///
    /// An invalid row, with its line.
    pub fn parse(name: &str, text: &str) -> Result<Option<Self>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().context("no line of column names")?;
        let is_there = |column: &str| headers.iter().any(|header| header == column);
        if !["codec", "backend", "ns", "of_memcpy"]
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

    /// Returns the operations of a codec, in the order of the file.
    pub fn operations(&self, codec: &str) -> Vec<&str> {
        let mut operations = Vec::new();
        for cell in self.cells.iter().filter(|cell| cell.codec == codec) {
            if !operations.contains(&&*cell.operation) {
                operations.push(&*cell.operation);
            }
        }
        operations
    }

    /// Returns the measured instruction sets of bytelane, slowest first.
    pub fn backends(&self) -> Vec<Backend> {
        let ours = self.cells.iter().flat_map(|cell| &cell.ours);
        let mut backends: Vec<_> = ours.map(|ours| ours.backend).collect();
        backends.sort();
        backends.dedup();
        backends
    }

    /// Returns whether the record has cells of a codec.
    pub fn contains(&self, codec: &str) -> bool {
        self.cells.iter().any(|cell| cell.codec == codec)
    }

    /// Returns the codec of a cell with its parameters, plus the type if the parameters alone are
    /// ambiguous.
    pub fn what(&self, cell: &Cell) -> String {
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

    /// Returns the speedups over the fastest other library on the default instruction set, in the cells of a codec
    /// for which they are known.
    pub fn gains(&self, codec: &str) -> Vec<f64> {
        let cells = self.cells.iter().filter(|cell| cell.codec == codec);
        cells.filter_map(|cell| cell.gain(cell.active()?)).collect()
    }
}
