//! The rule that a better instruction set is not slower, on any recorded CPU.
//!
//! Where one is slower, [`Tuning`](bytelane::tuning::Tuning) gives its work to the next lower one. A
//! record that was taken before it did so is read as if it had.

use std::collections::BTreeSet;

use bytelane::Backend;
use bytelane::tuning::{Cpu, Tuning};

use super::record::{Cell, ONLY_BACKENDS, Ours, Record};
use super::{CODECS, Records};

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

    fn covers(&self, machine: &str, cell: &Cell, backend: Backend, ratio: f64) -> bool {
        machine.starts_with(self.machine)
            && cell.specification.starts_with(self.specification)
            && cell.operation.starts_with(self.operation)
            && backend == self.backend
            && ratio <= self.most
    }
}

/// Returns the best backend for the work of a cell, if it depends on the CPU.
fn best(tuning: &Tuning, cell: &Cell) -> Option<Backend> {
    match (&*cell.specification, &*cell.operation) {
        ("varint:type=u32" | "varint:type=i32", "decode") => Some(tuning.decode_varint32),
        (bits, "decode")
            if bits.starts_with("bit_packing:type=u32")
                || bits.starts_with("bit_packing:type=u64") =>
        {
            Some(tuning.unpack)
        }
        ("byte_stream_split:width=16", "encode") if cell.values >= 512 => Some(tuning.split16),
        ("byte_stream_split:width=2", "decode") | ("big_endian:width=2", _)
            if cell.values >= tuning.two_bytes_from as u64 / 2 =>
        {
            Some(Backend::Avx2)
        }
        _ => None,
    }
}

/// Returns the backends of a cell that are slower than the next lower one, with the ratio of their times.
fn slower(tuning: &Tuning, cell: &Cell) -> Vec<(Backend, f64)> {
    let best = best(tuning, cell);
    let runs = |ours: &Ours| best.is_none_or(|best| ours.backend <= best);
    let steps = cell.scalar.iter().chain(&cell.ours);
    let steps: Vec<_> = steps.filter(|ours| runs(ours)).collect();
    let pairs = steps.windows(2).filter_map(|pair| {
        let [lower, higher] = pair else { return None };
        let ratio = higher.ns / lower.ns;
        (ratio > SLOWER + lower.spread + higher.spread).then_some((higher.backend, ratio))
    });
    pairs.collect()
}

/// Returns the CPU of a record.
fn cpu(record: &Record) -> &'static Tuning {
    let name = record.machine();
    let known = Cpu::ALL.iter().find(|(known, _)| name.starts_with(known));
    known.map_or(Cpu::Other, |(_, cpu)| *cpu).tuning()
}

impl Records {
    /// Returns the records of each machine and codec to hold against the rule: the newest one of
    /// backends only, or else the newest one.
    fn of_machines(&self) -> Vec<(&Record, &'static str)> {
        let machines: BTreeSet<_> = self.0.iter().map(Record::machine).collect();
        let mut found = Vec::new();
        for machine in machines {
            for codec in CODECS.into_iter().filter(|codec| *codec != "thrift") {
                let fits = |it: &&Record| it.machine() == machine && it.contains(codec);
                let mut only = self
                    .0
                    .iter()
                    .filter(|it| it.stem().ends_with(ONLY_BACKENDS));
                let record = only.find(fits).or_else(|| self.0.iter().find(fits));
                found.extend(record.map(|record| (record, codec)));
            }
        }
        found
    }
}

#[test]
fn no_backend_is_slower_than_the_next_lower_one() {
    let records = super::super::read_records(|_| true).unwrap();
    let exceptions = Exception::all();
    let mut used = vec![false; exceptions.len()];
    let (mut cells, mut wrong) = (0, Vec::new());
    for (record, codec) in records.of_machines() {
        let machine = record.machine();
        for cell in record.cells.iter().filter(|cell| cell.codec == codec) {
            cells += 1;
            for (backend, ratio) in slower(cpu(record), cell) {
                let covers = |it: &Exception| it.covers(&machine, cell, backend, ratio);
                let mut covered = false;
                for (used, exception) in used.iter_mut().zip(&exceptions) {
                    let covers = covers(exception);
                    *used |= covers;
                    covered |= covers;
                }
                if !covered {
                    let Cell {
                        specification,
                        operation,
                        values,
                        data,
                        ..
                    } = cell;
                    wrong.push(format!(
                        "{machine}: {specification} {operation}, {values} {data}: {backend} takes {ratio:.2} \
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
