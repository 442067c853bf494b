//! Measures bytelane's codecs and other libraries.

mod libraries;
mod thrift;

use anyhow::{Context, ensure};
use bytelane::Backend;
use bytelane::tuning::Cpu;
use bytelane_catalog::Codec;
use bytelane_measure::buffer::{APART, Buffer, Pool};
use bytelane_measure::clock::Clock;
use bytelane_measure::cpu;
use bytelane_measure::data::{Dataset, ElementType};
use bytelane_measure::rounds::{Rounds, Subject};
use bytelane_measure::row::{Row, Workload, write_csv};
use bytelane_measure::transform::Buffers;
use clap::Parser;
use libraries::{COMPARISONS, Comparison, FRESH, Work};
use std::cell::RefCell;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// Measure bytelane's codecs and other libraries, in interleaved rounds of one process
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Only these codecs
    codecs: Vec<String>,
    /// Values per call [default: those of each comparison]
    #[arg(long, value_delimiter = ',')]
    values: Vec<usize>,
    /// Only bytelane's codecs, on each backend, without other libraries and Thrift messages
    #[arg(long)]
    backends: bool,
    /// Leave out these libraries
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Run the kernels of each backend, also where another one is chosen for this CPU
    #[arg(long)]
    untuned: bool,
    /// Only this operation: encode or decode, for Thrift write or read
    #[arg(long)]
    operation: Option<String>,
    /// Write the figures to this CSV file, instead of showing them
    #[arg(long)]
    output: Option<PathBuf>,
    /// Use turns of a tenth of a millisecond, and only the first size, to check that everything
    /// runs
    #[arg(long)]
    quick: bool,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    // A process that moves between cores finds its data in the cache of the other core.
    if let Err(error) = cpu::pin_to_current_core() {
        eprintln!("not pinned to a core: {error}");
    }
    if arguments.untuned {
        Cpu::Other.assume();
    }
    let mut rows = Vec::new();
    for comparison in COMPARISONS {
        let name = comparison
            .specification
            .split(':')
            .next()
            .unwrap_or_default();
        if arguments.codecs.is_empty() || arguments.codecs.iter().any(|codec| codec == name) {
            eprintln!("{}", comparison.specification);
            measure(&arguments, comparison, &mut rows)?;
        }
    }
    let has_thrift = arguments.codecs.iter().any(|codec| codec == "thrift");
    if has_thrift || arguments.codecs.is_empty() && !arguments.backends {
        eprintln!("thrift");
        let operation = arguments.operation.as_deref();
        rows.extend(thrift::measure(
            &rounds(&arguments),
            operation,
            arguments.quick,
        )?);
    }
    ensure!(
        !rows.is_empty(),
        "no comparison of these codecs and operations"
    );
    output(&arguments, &rows)
}

/// Makes a backend the one that calls use.
fn activate(backend: Backend) {
    Backend::set_active(backend).expect("it is available");
}

fn rounds(arguments: &Arguments) -> Rounds {
    let sample = Duration::from_micros(if arguments.quick { 100 } else { 2000 });
    // CPU time of the thread: other work on the machine does not count.
    Rounds {
        clock: Clock::ThreadCpu,
        sample,
        ..Rounds::default()
    }
}

/// Writes to a temporary file, then renames it, so that a record exists only when it is complete.
fn output(arguments: &Arguments, rows: &[Row]) -> anyhow::Result<()> {
    let Some(path) = &arguments.output else {
        return Ok(show(rows)?);
    };
    let mut text = Vec::new();
    write_csv(rows, &mut text)?;
    let beside = path.with_extension("incomplete");
    std::fs::write(&beside, text)
        .and_then(|()| std::fs::rename(&beside, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Shows the speed of each library, and its share of that of `memcpy`, below what they did.
fn show(rows: &[Row]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let case = |row: &Row| {
        let codec = [Some(row.codec.clone()), row.parameters.clone()];
        let codec = codec.into_iter().flatten().collect::<Vec<_>>().join(":");
        format!(
            "{codec} {}, {} {} of {}",
            row.operation, row.values, row.element_type, row.data
        )
    };
    for rows in rows.chunk_by(|one, other| case(one) == case(other)) {
        writeln!(out, "{}", case(&rows[0]))?;
        for row in rows {
            let (speed, share) = (row.gb_per_s, row.of_memcpy);
            writeln!(out, "{:>32} {speed:8.2} GB/s {share:6.2}", row.worker())?;
        }
    }
    Ok(())
}

/// Measures all sizes, data sets and operations of one comparison.
fn measure(
    arguments: &Arguments,
    comparison: &Comparison,
    rows: &mut Vec<Row>,
) -> anyhow::Result<()> {
    let codec = bytelane_catalog::open(comparison.specification)?;
    let mut sizes = if arguments.values.is_empty() {
        comparison.values.to_vec()
    } else {
        arguments.values.clone()
    };
    if arguments.quick {
        sizes.truncate(1);
    }
    for data in comparison.data {
        for &values in &sizes {
            let case = Case::new(comparison, &*codec, data, values)?;
            for operation in ["encode", "decode"] {
                if arguments
                    .operation
                    .as_ref()
                    .is_none_or(|wanted| wanted == operation)
                {
                    rows.extend(case.measure(arguments, operation)?);
                }
            }
        }
    }
    Ok(())
}

/// Number of values that means 8 to 64, with a different number in each call.
const VARIED_LENGTHS: usize = 0;

/// Total size in bytes of inputs that a branch predictor cannot memorise.
const POOL_BYTES: usize = 1 << 20;

/// A size and a kind of data.
struct Case<'a> {
    comparison: &'a Comparison,
    codec: &'a dyn Codec,
    data: &'static str,
    values: usize,
    decoded: Pool,
    encoded: Pool,
}

impl<'a> Case<'a> {
    fn new(
        comparison: &'a Comparison,
        codec: &'a dyn Codec,
        data: &'static str,
        values: usize,
    ) -> anyhow::Result<Self> {
        let element: ElementType = codec.element().parse()?;
        let dataset: &Dataset = data.parse()?;
        // The number of inputs follows from their total, but the caches must hold what one call
        // needs.
        let (inputs, length): (usize, fn(usize, usize) -> usize) = match values {
            VARIED_LENGTHS => (4096, |_, index| 8 + index * 37 % 57),
            _ if comparison.varied => {
                let most = POOL_BYTES / (values * codec.width()).max(1);
                (most.clamp(1, 256), |values, _| values)
            }
            _ => (1, |values, _| values),
        };
        let decoded = Pool::generate(inputs, 0, |index| {
            dataset.generate(element, length(values, index), index as u64 + 1)
        });
        let mut results = Vec::new();
        for input in decoded.iter() {
            let mut result = vec![0; codec.max_encoded_len(input.len())];
            let length = codec
                .encode(Backend::Scalar, input, &mut result)
                .map_err(|error| anyhow::anyhow!("{}: {error}", comparison.specification))?;
            result.truncate(length);
            results.push(result);
        }
        let encoded = Pool::generate(inputs, 0, |index| results[index].clone());
        Ok(Self {
            comparison,
            codec,
            data,
            values,
            decoded,
            encoded,
        })
    }

    fn measure(&self, arguments: &Arguments, operation: &str) -> anyhow::Result<Vec<Row>> {
        let encodes = operation == "encode";
        let inputs = if encodes {
            &self.decoded
        } else {
            &self.encoded
        };
        // Some peers require room after their result, and the copy takes as much as the values.
        let room = usize::max(self.room(encodes), self.room(false));
        let output = RefCell::new(Buffer::zeroed(room + 64, APART));
        let buffers = Buffers {
            inputs,
            output: &output,
            evicted: false,
        };
        let copied = Buffers {
            inputs: &self.decoded,
            ..buffers
        };

        let mut subjects = vec![copied.memcpy()];
        let mut libraries = vec![None];
        for backend in Backend::available() {
            let work = self.ours(backend, encodes);
            activate(backend);
            let subject = self.checked(buffers, backend.name(), encodes, work)?;
            subjects.push(subject.prepared_by(move || activate(backend)));
            libraries.push(None);
        }
        if arguments.backends {
            return Ok(self.rows(operation, subjects, libraries, arguments));
        }
        for peer in (self.comparison.peers)(self.values)? {
            let library = peer.library;
            if arguments.without.iter().any(|without| without == library) {
                continue;
            }
            let Some(work) = (if encodes { peer.encode } else { peer.decode }) else {
                continue;
            };
            let mut subject = self.checked(buffers, library, encodes, work)?;
            if let Some(backend) = peer.backend {
                subject = subject.prepared_by(move || activate(backend));
            }
            subjects.push(subject);
            libraries.push(Some(library));
        }
        Ok(self.rows(operation, subjects, libraries, arguments))
    }

    /// Measures the subjects, the first of which is `memcpy`.
    fn rows(
        &self,
        operation: &str,
        subjects: Vec<Subject<'_>>,
        libraries: Vec<Option<&str>>,
        arguments: &Arguments,
    ) -> Vec<Row> {
        let total: usize = self.decoded.iter().map(<[u8]>::len).sum();
        let bytes = (total / self.decoded.iter().len()) as u64;
        let specification = self.comparison.specification;
        let (codec, parameters) = specification.split_once(':').unwrap_or((specification, ""));
        let workload = Workload {
            codec: codec.to_owned(),
            parameters: parameters.to_owned(),
            operation: operation.to_owned(),
            element_type: self.codec.element(),
            data: match self.values {
                VARIED_LENGTHS => format!("{}, 8 to 64", self.data),
                _ => self.data.to_owned(),
            },
            values: bytes / self.codec.width() as u64,
            bytes,
            evicted: false,
        };
        let mut rows = workload.measure(&rounds(arguments), subjects);
        for (row, library) in rows.iter_mut().zip(libraries) {
            if let Some(library) = library {
                row.library = Some(library.to_owned());
                row.backend = String::new();
            }
        }
        rows
    }

    /// Returns a call of bytelane: the one that a program makes, on the active backend, or that of the
    /// catalog.
    fn ours(&self, backend: Backend, encodes: bool) -> Work<'a> {
        if let Some(calls) = self.comparison.ours {
            let calls = calls();
            return if encodes { calls.encode } else { calls.decode };
        }
        let codec = self.codec;
        if encodes {
            Box::new(move |values, encoded| {
                codec
                    .encode(backend, values, encoded)
                    .expect("values of its own")
            })
        } else {
            Box::new(move |encoded, values| {
                codec
                    .decode(backend, encoded, values)
                    .expect("its own bytes")
                    .written
            })
        }
    }

    /// Returns the subject for a piece of work, after it has produced the right result for every
    /// input.
    fn checked<'b>(
        &'b self,
        buffers: Buffers<'b>,
        name: &str,
        encodes: bool,
        mut work: Work<'b>,
    ) -> anyhow::Result<Subject<'b>> {
        let wanted = if encodes {
            &self.encoded
        } else {
            &self.decoded
        };
        for (input, wanted) in buffers.inputs.iter().zip(wanted.iter()) {
            let mut output = buffers.output.borrow_mut();
            output.fill(FRESH);
            let length = work(input, &mut output[..self.room(encodes)]);
            let same = output[..length] == *wanted;
            let what = if encodes {
                "other bytes than the specification"
            } else {
                "other values"
            };
            let specification = self.comparison.specification;
            ensure!(
                same,
                "{name}: {specification}, {} values: {what}",
                self.values
            );
        }
        let room = self.room(encodes);
        Ok(buffers.subject(name, move |input, output| {
            work(input, &mut output[..room]);
        }))
    }

    /// Returns the size of the output for a piece of work: room for all values, or for the maximum
    /// number of bytes that they can become. If inputs have different lengths, the decoder
    /// determines the length.
    fn room(&self, encodes: bool) -> usize {
        let values = self.decoded.iter().map(<[u8]>::len).max().unwrap_or(0);
        if encodes {
            self.codec.max_encoded_len(values)
        } else {
            values
        }
    }
}
