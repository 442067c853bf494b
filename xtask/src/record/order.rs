//! The rule that a better instruction set is not slower, on any recorded CPU.
//!
//! Where one is slower, [`Tuning`](bytelane::tuning::Tuning) gives its work to the next lower one. A
//! record that was taken before it did so is read as if it had.

use std::collections::BTreeSet;
use std::fs;

use bytelane::Backend;
use bytelane::tuning::{Cpu, Tuning};
use bytelane_measure::row::{Row, read_csv};

use super::{DIRECTORY, ONLY_BACKENDS};
use crate::process::root;

/// Ratio of times from which a backend counts as slower, if they do not vary by more themselves.
const SLOWER: f64 = 1.05;

/// Exceptions from the rule: the start of the machine's name, the start of the codec with its parameters, the
/// operation, the backend, the greatest ratio of times, and the reason.
const EXCEPTIONS: &str = "
    zen5            | bit_packing:type=u8        | decode | avx2   | 1.2  | 8 values
    zen5            | delta:type=i64             | encode | sse4.1 | 1.15 | constant steps, which portable code reads once
    zen5            | delta:type=i64             | encode | avx2   | 1.2  | 32 values of a constant step
    zen5            | delta:type=i64             | decode | avx2   | 1.25 | 8 and 32 values; sums cross halves of vectors
    zen5            | delta                      | decode | avx512 | 1.15 | constant steps are limited by stores
    zen5            | rle_hybrid:type=u16        | decode | sse4.1 | 1.25 | 64 values
    zen5            | rle_hybrid:type=u16        | encode | avx2   | 1.15 | 64 values
    zen5            | validity:spread=f64        |        | sse4.1 | 1.8  | 64 values
    zen5-avx2       | validity:spread=f64        | decode | avx2   | 1.15 | 64 values
    zen5            | json_string                | decode | avx512 | 1.25 | emoji in 8 to 64 bytes
    zen5-avx2       | json_string                | encode | avx2   | 1.2  | 4 KiB with escapes
    zen5-avx2       | json_string                | decode | sse4.1 | 1.15 | 8 bytes
    zen4            | bit_packing                |        | avx512 | 1.7  | AVX2 has code for each width, and two vectors of 32 bytes are as fast as one of 64
    zen4            | rle_hybrid                 | encode | avx512 | 1.45 | the same in packing
    zen4            | rle_hybrid                 | decode | avx512 | 1.25 | 64 values
    zen4            | rle_hybrid                 | decode | sse4.1 | 1.25 | 64 values
    zen4            | delta                      | encode | avx512 | 1.2  | the same in packing, and constant steps
    zen4            | delta                      | decode | avx512 | 1.55 | constant steps are limited by stores
    zen4            | delta                      | decode | avx2   | 1.2  | 8 and 32 values; sums cross halves of vectors
    zen4            | delta:type=i64             | encode | avx2   | 1.2  | 8 and 32 values
    zen4            | validity:spread=f64        |        | sse4.1 | 1.3  | 64 values
    zen4            | varint:type                | decode | avx512 | 1.25 | values of one and two bytes
    zen4            | alp:type=f32               | encode | avx512 | 1.25 | 1,024 random values, by their search
    zen4            | byte_stream_split:width=8  | decode | avx512 | 1.15 | 4,097 values, whose streams no cache line aligns
    zen4            | stream_vbyte:variant=1234  | encode | avx512 | 1.15 | 100,000 values of one byte, which AVX2 narrows
    zen4            | json_string                | encode | avx512 | 1.4  | 256 bytes, and 64 KiB that are not ASCII
    zen4            | json_string                | encode | sse4.1 | 1.2  | 8 and 16 bytes
    zen4-avx2       | json_string                | encode | avx2   | 1.15 | 64 bytes that are not ASCII
    zen4-avx2       | rle_hybrid:type=u8         | encode | avx2   | 1.1  | 20,000 values in long runs
    zen4            | utf8                       |        | avx512 | 1.2  | 8 letters
    sapphire-rapids | stream_vbyte:delta         | encode | avx2   | 1.25 | 128 values
    sapphire-rapids | varint                     | decode | avx512 | 1.65 | 100 values repeat
";

/// An exception from the rule.
#[derive(Debug)]
struct Exception {
    machine: &'static str,
    specification: &'static str,
    operation: &'static str,
    backend: Backend,
    most: f64,
}

impl Exception {
    fn all() -> Vec<Self> {
        let rows = EXCEPTIONS.trim().lines().map(|row| {
            let fields: Vec<_> = row.split('|').map(str::trim).collect();
            let [machine, specification, operation, backend, most, _] = fields[..] else {
                panic!("six fields: {row}");
            };
            let (backend, most) = (backend.parse().unwrap(), most.parse().unwrap());
            Self {
                machine,
                specification,
                operation,
                backend,
                most,
            }
        });
        rows.collect()
    }

    fn covers(&self, machine: &str, row: &Row, ratio: f64) -> bool {
        machine.starts_with(self.machine)
            && specification(row).starts_with(self.specification)
            && row.operation.starts_with(self.operation)
            && ours(row).is_some_and(|(backend, _)| backend == self.backend)
            && ratio <= self.most
    }
}

/// Returns the best backend for the work of a cell, if it depends on the CPU.
fn best(tuning: &Tuning, row: &Row) -> Option<Backend> {
    match (&*specification(row), &*row.operation) {
        ("varint:type=u32" | "varint:type=i32", "decode") => Some(tuning.decode_varint32),
        (bits, "decode")
            if bits.starts_with("bit_packing:type=u32")
                || bits.starts_with("bit_packing:type=u64") =>
        {
            Some(tuning.unpack)
        }
        ("byte_stream_split:width=16", "encode") if row.values >= 512 => Some(tuning.split16),
        ("byte_stream_split:width=2", "decode") | ("big_endian:width=2", _)
            if row.values >= tuning.two_bytes_from as u64 / 2 =>
        {
            Some(Backend::Avx2)
        }
        _ => None,
    }
}

/// Returns the rows of a cell whose backends are slower than the next lower one, with the ratio of their times.
fn slower<'a>(tuning: &Tuning, cell: &'a [Row]) -> Vec<(&'a Row, f64)> {
    let best = best(tuning, &cell[0]);
    // bytelane called in the same way as the other libraries, if it was.
    let own = cell.iter().filter_map(|row| Some((ours(row)?, row)));
    let as_peers = own.clone().any(|((_, as_peers), _)| as_peers);
    let own = own.filter(|((backend, called), _)| {
        *called == as_peers && best.is_none_or(|best| *backend <= best)
    });
    let mut steps: Vec<_> = own.map(|((backend, _), row)| (backend, row)).collect();
    steps.sort_by_key(|(backend, _)| *backend);
    let pairs = steps.windows(2).filter_map(|pair| {
        let (lower, higher) = (pair[0].1, pair[1].1);
        let ratio = higher.ns / lower.ns;
        let spread: f64 = [lower, higher].iter().filter_map(|row| row.spread).sum();
        (ratio > SLOWER + spread).then_some((higher, ratio))
    });
    pairs.collect()
}

/// Returns the codec of a row with its parameters.
fn specification(row: &Row) -> String {
    match row.parameters.as_deref() {
        None | Some("") => row.codec.clone(),
        Some(parameters) => format!("{}:{parameters}", row.codec),
    }
}

/// Returns the instruction set, if the row is ours, and whether it was called in the same way as other libraries.
fn ours(row: &Row) -> Option<(Backend, bool)> {
    let library = row.library.as_deref().unwrap_or_default();
    let backend = match library.strip_prefix("bytelane ") {
        Some(way) => way.split(',').next()?,
        None if library.is_empty() => &row.backend,
        None => return None,
    };
    Some((backend.parse().ok()?, !library.is_empty()))
}

/// Returns whether two rows are of the same cell.
fn same_cell(one: &Row, other: &Row) -> bool {
    fn key(row: &Row) -> ([&str; 4], Option<&str>, u64) {
        let texts = [&row.codec, &row.operation, &row.element_type, &row.data];
        (
            texts.map(String::as_str),
            row.parameters.as_deref(),
            row.values,
        )
    }
    key(one) == key(other)
}

/// Record of codecs.
struct Record {
    /// Name of the file after its date, without what it covers: `zen5` for `2026-11-26-zen5-backends.csv`, and
    /// `zen5-avx2` where all libraries were limited to AVX2.
    machine: String,
    only_backends: bool,
    rows: Vec<Row>,
}

impl Record {
    /// Reads the records of codecs, newest first.
    fn all() -> Vec<Self> {
        let entries = fs::read_dir(root().join(DIRECTORY)).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|it| it == "csv"));
        paths.sort();
        let records = paths.iter().rev().filter_map(|path| {
            let text = fs::read_to_string(path).unwrap();
            let (columns, _) = text.split_once('\n')?;
            columns.split(',').find(|it| *it == "memcpy_gb_per_s")?;
            let stem = path.file_stem()?.to_str()?;
            let name = stem.get("2026-11-23-".len()..)?;
            let machine = name.strip_suffix(ONLY_BACKENDS);
            Some(Self {
                machine: machine.unwrap_or(name).to_owned(),
                only_backends: machine.is_some(),
                rows: read_csv(text.as_bytes()).unwrap(),
            })
        });
        records.collect()
    }

    /// Returns what the crate knows about the CPU.
    fn tuning(&self) -> &'static Tuning {
        let known = Cpu::ALL.iter();
        let mut known = known.filter(|(name, _)| self.machine.starts_with(name));
        known.next().map_or(Cpu::Other, |(_, cpu)| *cpu).tuning()
    }
}

/// Returns the records of each machine and codec to hold against the rule: the newest one of
/// backends only, or else the newest one.
fn of_machines(records: &[Record]) -> Vec<(&Record, &str)> {
    let all = records.iter().flat_map(|record| &record.rows);
    let codecs: BTreeSet<_> = all.map(|row| &*row.codec).collect();
    let machines: BTreeSet<_> = records.iter().map(|record| &record.machine).collect();
    let mut found = Vec::new();
    for machine in machines {
        for codec in codecs.iter().filter(|codec| **codec != "thrift") {
            let fits = |it: &&Record| {
                it.machine == *machine && it.rows.iter().any(|row| row.codec == *codec)
            };
            let mut only = records.iter().filter(|it| it.only_backends);
            let record = only.find(fits).or_else(|| records.iter().find(fits));
            found.extend(record.map(|record| (record, *codec)));
        }
    }
    found
}

#[test]
fn no_backend_is_slower_than_the_next_lower_one() {
    let records = Record::all();
    let exceptions = Exception::all();
    let mut used = vec![false; exceptions.len()];
    let (mut cells, mut wrong) = (0, Vec::new());
    for (record, codec) in of_machines(&records) {
        let machine = &record.machine;
        let of_codec = record.rows.chunk_by(same_cell);
        for cell in of_codec.filter(|cell| cell[0].codec == codec) {
            cells += 1;
            for (row, ratio) in slower(record.tuning(), cell) {
                let mut covered = false;
                for (used, exception) in used.iter_mut().zip(&exceptions) {
                    let covers = exception.covers(machine, row, ratio);
                    *used |= covers;
                    covered |= covers;
                }
                if !covered {
                    let (codec, backend) = (specification(row), row.worker());
                    let Row {
                        operation,
                        values,
                        data,
                        ..
                    } = row;
                    wrong.push(format!(
                        "{machine}: {codec} {operation}, {values} {data}: {backend} takes {ratio:.2} \
                         of the time of the next lower one",
                    ));
                }
            }
        }
    }
    assert!(cells > 1000, "{cells} cells");
    assert!(
        wrong.is_empty(),
        "{} cells:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let unused = exceptions.iter().zip(used).filter(|(_, used)| !used);
    let unused: Vec<_> = unused.map(|(exception, _)| exception).collect();
    assert!(unused.is_empty(), "nothing needs {unused:#?}");
}
