//! Tables computed from the records of all CPUs: speedups and lost cells by codec and by instruction set, and
//! every cell in which bytelane loses.
//!
//! A *cell* is one codec with its parameters, one operation, one type and kind of data, and one
//! size. The rows of a cell were measured alternately, so their times are comparable.
//!
//! Each table of a codec is from the newest record, with that codec, of the CPU with the most measured codecs. So
//! a record may cover only some codecs.

mod cells;
mod levels;
mod lost;
#[cfg(test)]
mod order;
mod record;
mod summary;

use anyhow::Result;

use super::DIRECTORY;
pub use record::ONLY_BACKENDS;
use record::{Cell, Ours, Record, Verdict};

/// All codecs in the order of the documents.
const CODECS: [&str; 13] = [
    "byte_stream_split",
    "big_endian",
    "stream_vbyte",
    "varint",
    "bit_packing",
    "delta",
    "rle_hybrid",
    "validity",
    "alp",
    "base64",
    "json_string",
    "utf8",
    "thrift",
];

/// Records of all CPUs, newest first.
pub struct Records(Vec<Record>);

impl Records {
    /// Reads files, newest first, and skips those with other columns.
    ///
    /// # Errors
    ///
    /// An invalid row, with its line.
    pub fn parse(files: &[(String, String)]) -> Result<Self> {
        let records = files.iter().map(|(name, text)| Record::parse(name, text));
        let records: Result<Vec<Option<Record>>> = records.collect();
        Ok(Self(records?.into_iter().flatten().collect()))
    }

    /// Returns the table with this name in the documents, in Markdown, with a descriptive line
    /// above it.
    pub fn table(&self, name: &str) -> Option<String> {
        match name {
            "headline" => self.headline(),
            "summary" => Some(self.summary()),
            "backends" => Some(self.backends()),
            "levels" => Some(self.levels()),
            "lost" => Some(self.lost()),
            "uncounted" => Some(self.uncounted()),
            codec if CODECS.contains(&codec) => Some(match self.of_codec(codec) {
                Some(record) => cells::table(record, codec),
                None => "No record contains this codec yet.\n".to_owned(),
            }),
            _ => None,
        }
    }

    /// Returns the record for the tables of a codec.
    fn of_codec(&self, codec: &str) -> Option<&Record> {
        let cpus = self.cpus();
        cpus.iter().find_map(|cpu| self.newest(cpu, codec))
    }

    /// Returns every measured codec, with its newest record.
    fn codecs(&self) -> impl Iterator<Item = (&'static str, &Record)> {
        let newest = |codec| Some((codec, self.of_codec(codec)?));
        CODECS.into_iter().filter_map(newest)
    }

    /// Returns the cells of each codec in its newest record.
    fn cells(&self) -> impl Iterator<Item = (&Record, &Cell)> {
        cells(self.codecs())
    }

    /// Returns the names of the records of the cells, as the documents quote them.
    fn names(&self) -> String {
        names(&self.codecs().collect::<Vec<_>>())
    }

    /// Returns the fastest peer of each cell and our speedup over it, as CSV below the names of the records.
    pub fn fastest_peers(&self) -> String {
        let mut names: Vec<_> = self.codecs().map(|(_, record)| record.stem()).collect();
        names.dedup();
        let mut text = format!("# {}\n", names.join(", "));
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
        for (_, cell) in self.cells() {
            let Some((ours, gain)) = cell
                .active()
                .and_then(|ours| Some((ours, cell.gain(ours)?)))
            else {
                continue;
            };
            let Some(peer) = cell.peer(ours) else {
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
}

/// Returns the cells of codecs, each with its record.
fn cells<'a>(
    codecs: impl Iterator<Item = (&'static str, &'a Record)>,
) -> impl Iterator<Item = (&'a Record, &'a Cell)> {
    codecs.flat_map(|(codec, record)| {
        let cells = record.cells.iter().filter(move |cell| cell.codec == codec);
        cells.map(move |cell| (record, cell))
    })
}

/// Returns the names of records, as the documents quote them.
fn names(codecs: &[(&'static str, &Record)]) -> String {
    let mut names = Vec::new();
    for (_, record) in codecs {
        let name = format!("`{}`", record.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
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

/// Formats a ratio with at most two significant digits: `0.07`, `0.95`, `1.3`, `22`.
pub fn ratio(value: f64) -> String {
    match value {
        ..0.995 => format!("{value:.2}"),
        ..9.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
pub mod tests;
