//! Measures FSST of bytelane beside fsst-rs, Lance and, if `--reference` names a library of it, the reference implementation.

mod data;
mod lance;
mod reference;

use ::fsst::{Compressor, Decompressor, Symbol};
use anyhow::ensure;
use bytelane::fsst::{self, Encoder, Strings, Table};
use bytelane::{Backend, Detected};
use bytelane_measure::rounds::{Rounds, Subject};
use clap::Parser;
use fsst::train;
use lance::Lance;
use reference::{Batch, Reference};
use std::mem::MaybeUninit;
use std::time::Duration;

#[derive(Parser)]
struct Options {
    /// Library of the reference implementation.
    #[arg(long)]
    reference: Option<String>,
    /// Kinds of strings; all by default.
    kinds: Vec<String>,
    /// Number of bytes of all strings.
    #[arg(long, default_value_t = 1 << 18)]
    bytes: usize,
    /// Operations: train, encode, both (train and encode), decode, whole.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "train,encode,both,decode,whole"
    )]
    operations: Vec<String>,
    /// Time per sample, in microseconds.
    #[arg(long, default_value_t = 2000)]
    sample: u64,
    /// Backends; all by default.
    #[arg(long, value_delimiter = ',')]
    backends: Vec<Backend>,
}

/// Strings of a kind, in the forms that the libraries take.
struct Data {
    strings: Vec<Vec<u8>>,
    bytes: Vec<u8>,
    offsets: Vec<i32>,
    table: Table,
    encoded: Vec<u8>,
    encoded_offsets: Vec<i32>,
}

impl Data {
    fn new(kind: &str, bytes: usize) -> anyhow::Result<Self> {
        let strings = data::strings(kind, bytes);
        let mut offsets = vec![0];
        for string in &strings {
            offsets.push(offsets.last().unwrap_or(&0) + string.len() as i32);
        }
        let bytes = strings.concat();
        let table = train(&strings);
        let (mut encoded, mut encoded_offsets) = (Vec::new(), Vec::new());
        let batch = Strings::new(&bytes, &offsets)?;
        Encoder::new(&table).encode_strings_append(batch, &mut encoded, &mut encoded_offsets)?;
        Ok(Self {
            strings,
            bytes,
            offsets,
            table,
            encoded,
            encoded_offsets,
        })
    }

    fn batch(&self) -> Strings<'_, i32> {
        Strings::new(&self.bytes, &self.offsets).expect("they were just made")
    }

    fn encoded(&self) -> Strings<'_, i32> {
        Strings::new(&self.encoded, &self.encoded_offsets).expect("they were just made")
    }
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let reference = options
        .reference
        .as_deref()
        .map(Reference::load)
        .transpose()?;
    if reference.is_none() {
        eprintln!("without the reference implementation: --reference names its library");
    }
    let backends: Vec<_> = Backend::available()
        .filter(|backend| *backend != Backend::Scalar)
        .filter(|backend| options.backends.is_empty() || options.backends.contains(backend))
        .map(Detected::new)
        .collect::<Result<_, _>>()?;
    let rounds = Rounds {
        sample: Duration::from_micros(options.sample),
        ..Rounds::default()
    };
    let kinds: Vec<&str> = match options.kinds.is_empty() {
        true => data::KINDS.to_vec(),
        false => options.kinds.iter().map(String::as_str).collect(),
    };
    for kind in kinds {
        let data = Data::new(kind, options.bytes)?;
        agree(&data, reference.as_ref())?;
        let text = data.bytes.len();
        println!(
            "{kind}: {} strings, {text} bytes, encoded {:.4}",
            data.strings.len(),
            data.encoded.len() as f64 / text as f64
        );
        let mut lance = Lance::new(8 * text, data.strings.len());
        let length = lance.encode(&data.bytes, &data.offsets).len();
        println!("  Lance encoded {:.4}", length as f64 / text as f64);
        if let Some(reference) = &reference {
            let mut batch = Batch::new(&data.strings);
            let encoder = reference.create(&batch);
            let length = reference.compress(encoder, &mut batch, &mut vec![0; 2 * text + 4096]);
            reference.destroy(encoder);
            println!("  reference encoded {:.4}", length as f64 / text as f64);
        }
        for operation in &options.operations {
            let subjects = match operation.as_str() {
                "train" => training(&data, reference.as_ref()),
                "encode" => encoding(&data, reference.as_ref(), &backends),
                "both" => both(&data, reference.as_ref(), &backends),
                "decode" => decoding(&data, reference.as_ref(), &backends),
                _ => decoding_whole(&data, reference.as_ref(), &backends),
            };
            let measured = rounds.measure(subjects);
            let cells: Vec<_> = measured
                .iter()
                .map(|it| match operation.as_str() {
                    "train" => format!("{} {:.0} µs", it.name, it.nanoseconds / 1000.0),
                    _ => format!("{} {:.2}", it.name, text as f64 / it.nanoseconds),
                })
                .collect();
            println!("  {operation}: {}", cells.join(", "));
        }
    }
    Ok(())
}

/// Checks that the libraries read each other's tables and strings.
fn agree(data: &Data, reference: Option<&Reference>) -> anyhow::Result<()> {
    let scalar = Detected::new(Backend::Scalar)?;
    let mut to = vec![0; data.bytes.len()];
    let mut offsets = vec![0; data.offsets.len()];
    data.table
        .decode_strings_with(scalar, data.encoded(), &mut to[..], &mut offsets)?;
    ensure!(
        to == data.bytes && offsets == data.offsets,
        "a round trip failed"
    );
    let mut lance = lance(data);
    let decoded = lance.decode(&data.encoded, &data.encoded_offsets);
    ensure!(
        decoded == (&data.bytes[..], &data.offsets[..]),
        "Lance decodes something else"
    );
    let Some(reference) = reference else {
        return Ok(());
    };
    // Theirs, by us.
    let mut batch = Batch::new(&data.strings);
    let encoder = reference.create(&batch);
    let exported = reference.export(encoder);
    let (table, length) = Table::read(&exported)?;
    ensure!(
        length == exported.len() && table.write_to_vec()?[4..] == exported[4..],
        "their table differs"
    );
    let mut encoded = vec![0; 2 * data.bytes.len() + 4096];
    let length = reference.compress(encoder, &mut batch, &mut encoded);
    reference.destroy(encoder);
    let mut at = 0;
    for (length, string) in reference.lengths(&batch).iter().zip(&data.strings) {
        ensure!(
            table.decode_to_vec(&encoded[at..at + length])? == *string,
            "their string differs"
        );
        at += length;
    }
    ensure!(at == length, "their strings do not follow each other");
    // Ours, by them.
    let decoder = reference.import(&data.table.write_to_vec()?);
    for (encoded, string) in data.encoded().iter().zip(&data.strings) {
        let mut to = vec![0; string.len() + 64];
        let length = reference.decompress(&decoder, encoded, &mut to);
        ensure!(to[..length] == **string, "they decode something else");
    }
    Ok(())
}

fn training<'a>(data: &'a Data, reference: Option<&'a Reference>) -> Vec<Subject<'a>> {
    let lines: Vec<&[u8]> = data.strings.iter().map(|string| &string[..]).collect();
    let mut subjects = vec![
        Subject::new("bytelane", |_| {
            std::hint::black_box(train(&data.strings));
        }),
        Subject::new("fsst-rs", move |_| {
            std::hint::black_box(Compressor::train(&lines));
        }),
    ];
    if let Some(reference) = reference {
        let batch = Batch::new(&data.strings);
        subjects.push(Subject::new("reference", move |_| {
            reference.destroy(reference.create(&batch))
        }));
    }
    subjects
}

fn encoding<'a>(
    data: &'a Data,
    reference: Option<&'a Reference>,
    backends: &[Detected],
) -> Vec<Subject<'a>> {
    let mut subjects = Vec::new();
    for &backend in backends {
        let encoder = Encoder::new(&data.table);
        let mut to = vec![0; 2 * data.bytes.len()];
        let mut offsets = vec![0; data.offsets.len()];
        subjects.push(Subject::new(backend.to_string(), move |_| {
            let done =
                encoder.encode_strings_with(backend, data.batch(), &mut to[..], &mut offsets);
            std::hint::black_box(done.expect("there is room"));
        }));
    }
    let lines: Vec<&[u8]> = data.strings.iter().map(|string| &string[..]).collect();
    let compressor = Compressor::train(&lines);
    let (mut to, mut offsets) = (Vec::new(), Vec::new());
    subjects.push(Subject::new("fsst-rs", move |_| {
        to.clear();
        offsets.clear();
        compressor.compress_bulk_into::<{ Compressor::DEFAULT_BULK_LANES }>(
            &lines,
            &mut to,
            &mut offsets,
        );
        std::hint::black_box(&mut to);
    }));
    if let Some(reference) = reference {
        let mut batch = Batch::new(&data.strings);
        let encoder = reference.create(&batch);
        let mut to = vec![0; 2 * data.bytes.len() + 4096];
        subjects.push(Subject::new("reference", move |_| {
            std::hint::black_box(reference.compress(encoder, &mut batch, &mut to));
        }));
    }
    subjects
}

/// Trains a table and encodes with it, as Lance does in one call.
fn both<'a>(
    data: &'a Data,
    reference: Option<&'a Reference>,
    backends: &[Detected],
) -> Vec<Subject<'a>> {
    let mut subjects = Vec::new();
    let room = 2 * data.bytes.len() + 4096;
    for &backend in backends {
        let mut to = vec![0; room];
        let mut offsets = vec![0; data.offsets.len()];
        subjects.push(Subject::new(backend.to_string(), move |_| {
            let encoder = Encoder::new(&train(&data.strings));
            let done =
                encoder.encode_strings_with(backend, data.batch(), &mut to[..], &mut offsets);
            std::hint::black_box(done.expect("there is room"));
        }));
    }
    let lines: Vec<&[u8]> = data.strings.iter().map(|string| &string[..]).collect();
    let (mut to, mut offsets) = (Vec::new(), Vec::new());
    subjects.push(Subject::new("fsst-rs", move |_| {
        to.clear();
        offsets.clear();
        Compressor::train(&lines).compress_bulk_into::<{ Compressor::DEFAULT_BULK_LANES }>(
            &lines,
            &mut to,
            &mut offsets,
        );
        std::hint::black_box(&mut to);
    }));
    let mut lance = Lance::new(room, data.strings.len());
    subjects.push(Subject::new("Lance", move |_| {
        std::hint::black_box(lance.encode(&data.bytes, &data.offsets));
    }));
    if let Some(reference) = reference {
        let mut batch = Batch::new(&data.strings);
        let mut to = vec![0; room];
        subjects.push(Subject::new("reference", move |_| {
            let encoder = reference.create(&batch);
            std::hint::black_box(reference.compress(encoder, &mut batch, &mut to));
            reference.destroy(encoder);
        }));
    }
    subjects
}

/// Returns Lance's decoder of the encoded strings.
fn lance(data: &Data) -> Lance {
    let mut lance = Lance::new(16 * data.bytes.len(), data.strings.len());
    lance.encode(&data.bytes, &data.offsets);
    lance.import(&data.table);
    lance
}

/// Returns the decoder of fsst-rs for a table. It is never freed.
fn decompressor(table: &Table) -> Decompressor<'static> {
    let symbol = |symbol: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..symbol.len()].copy_from_slice(symbol);
        (Symbol::from_slice(&bytes), symbol.len() as u8)
    };
    let (mut symbols, mut lengths) = ([Symbol::ZERO; 255], [1; 255]);
    for (place, of) in table.symbols().map(symbol).enumerate() {
        (symbols[place], lengths[place]) = of;
    }
    Decompressor::new(Box::leak(Box::new(symbols)), Box::leak(Box::new(lengths)))
}

/// Decodes strings one after the other, as libraries do that have no call for a batch.
fn each<'a>(
    data: &'a Data,
    mut decode: impl FnMut(&[u8], usize) -> usize + 'a,
) -> impl FnMut(usize) + 'a {
    let mut offsets = vec![0; data.offsets.len()];
    move |_| {
        let mut at = 0;
        for (string, offset) in data.encoded().iter().zip(&mut offsets[1..]) {
            at += decode(string, at);
            *offset = at as i32;
        }
        std::hint::black_box(&mut offsets);
    }
}

fn decoding<'a>(
    data: &'a Data,
    reference: Option<&'a Reference>,
    backends: &[Detected],
) -> Vec<Subject<'a>> {
    let mut subjects = Vec::new();
    for &backend in backends {
        let mut to = vec![0; data.bytes.len()];
        let mut offsets = vec![0; data.offsets.len()];
        let encoded = data.encoded();
        subjects.push(Subject::new(backend.to_string(), move |_| {
            let done = data
                .table
                .decode_strings_with(backend, encoded, &mut to[..], &mut offsets);
            std::hint::black_box(done.expect("there is room"));
        }));
    }
    let theirs = decompressor(&data.table);
    let mut to = vec![MaybeUninit::new(0u8); data.bytes.len() + 64];
    let decode = move |from: &[u8], at: usize| theirs.decompress_into(from, &mut to[at..]);
    subjects.push(Subject::new("fsst-rs", each(data, decode)));
    let mut lance = lance(data);
    subjects.push(Subject::new("Lance", move |_| {
        std::hint::black_box(lance.decode(&data.encoded, &data.encoded_offsets));
    }));
    if let Some(reference) = reference {
        let decoder = reference.import(&data.table.write_to_vec().expect("it was trained"));
        let mut to = vec![0; data.bytes.len() + 64];
        let decode = move |from: &[u8], at| reference.decompress(&decoder, from, &mut to[at..]);
        subjects.push(Subject::new("reference", each(data, decode)));
    }
    subjects
}

fn decoding_whole<'a>(
    data: &'a Data,
    reference: Option<&'a Reference>,
    backends: &[Detected],
) -> Vec<Subject<'a>> {
    let mut subjects = Vec::new();
    for &backend in backends {
        let mut to = vec![0; data.bytes.len()];
        subjects.push(Subject::new(backend.to_string(), move |_| {
            let done = data.table.decode_with(backend, &data.encoded, &mut to[..]);
            std::hint::black_box(done.expect("there is room"));
        }));
    }
    let theirs = decompressor(&data.table);
    let mut to = vec![MaybeUninit::new(0u8); data.bytes.len() + 64];
    subjects.push(Subject::new("fsst-rs", move |_| {
        std::hint::black_box(theirs.decompress_into(&data.encoded, &mut to));
    }));
    if let Some(reference) = reference {
        let decoder = reference.import(&data.table.write_to_vec().expect("it was trained"));
        let mut to = vec![0; data.bytes.len() + 64];
        subjects.push(Subject::new("reference", move |_| {
            std::hint::black_box(reference.decompress(&decoder, &data.encoded, &mut to));
        }));
    }
    let mut to = vec![0u8; data.bytes.len()];
    subjects.push(Subject::new("memcpy", move |_| {
        to.copy_from_slice(std::hint::black_box(&data.bytes));
        std::hint::black_box(&mut to);
    }));
    subjects
}
