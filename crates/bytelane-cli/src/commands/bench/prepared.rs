//! Measuring one case of a codec.

use super::baselines::{Baseline, UNVECTORISED};
use super::plan::Case;
use anyhow::{Context, ensure};
use bytelane::Backend;
use bytelane_catalog::Codec;
use bytelane_catalog::plain::{Level, Plain};
use bytelane_measure::buffer::{APART, Buffer, Pool};
use bytelane_measure::data::{Dataset, ElementType};
use bytelane_measure::rounds::{Rounds, Subject};
use bytelane_measure::row::{Row, Workload};
use bytelane_measure::transform::{Buffers, MEMCPY, NON_TEMPORAL_COPY};
use clap::ValueEnum;
use std::cell::RefCell;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operation {
    Encode,
    Decode,
}

impl Operation {
    pub const ALL: [Self; 2] = [Self::Encode, Self::Decode];

    fn name(self) -> &'static str {
        match self {
            Self::Encode => "encode",
            Self::Decode => "decode",
        }
    }
}

/// Subjects that are measured in addition to the copies.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// Levels of the plain loops.
    pub levels: &'a [Level],
    /// Loops of publications.
    pub baseline: Option<Baseline>,
    pub backends: &'a [Backend],
}

/// Case with its data.
pub struct Prepared<'a> {
    case: &'a Case,
    codec: Box<dyn Codec>,
    plain: Option<Box<dyn Plain>>,
    values: Pool,
    encoded: Pool,
}

impl<'a> Prepared<'a> {
    pub fn new(case: &'a Case, inputs: usize) -> anyhow::Result<Self> {
        let entry = bytelane_catalog::find(case.codec)?;
        let codec = entry.open(&case.parameters)?;
        let element: ElementType = codec.element().parse()?;
        let dataset: &Dataset = case.data.parse()?;
        let values = Pool::generate(inputs, 0, |index| {
            dataset.generate(element, case.values, index as u64)
        });
        let encode = |values| encode(&*codec, Backend::Scalar, values);
        let encoded = values
            .iter()
            .map(encode)
            .collect::<anyhow::Result<Vec<_>>>()?;
        let encoded = Pool::generate(encoded.len(), 0, |index| encoded[index].clone());
        Ok(Self {
            case,
            codec,
            plain: entry.open_plain(&case.parameters)?,
            values,
            encoded,
        })
    }

    /// Checks the round trip, because a benchmark of wrong results would be fast.
    pub fn check_round_trip(&self, backend: Backend) -> anyhow::Result<()> {
        for (values, encoded) in self.values.iter().zip(self.encoded.iter()) {
            let by_backend = encode(&*self.codec, backend, values)?;
            ensure!(
                by_backend == encoded,
                "{backend} and scalar give different encodings"
            );
            let mut decoded = Buffer::zeroed(values.len(), 0);
            let decode = self.codec.decode(backend, encoded, &mut decoded);
            decode
                .map_err(anyhow::Error::from_boxed)
                .with_context(|| backend.name())?;
            ensure!(*decoded == *values, "{backend} does not restore the values");
        }
        Ok(())
    }

    /// Checks a plain loop. Its encoding may differ where the format leaves a choice, but must decode
    /// to the same values.
    pub fn check_plain(&self, level: Level) -> anyhow::Result<()> {
        let Some(plain) = &self.plain else {
            return Ok(());
        };
        let name = level.name();
        for (values, encoded) in self.values.iter().zip(self.encoded.iter()) {
            let mut by_plain = vec![0; self.codec.max_encoded_len(values.len())];
            let length = plain.encode(level, values, &mut by_plain);
            let length = length.with_context(|| format!("{name} cannot encode"))?;
            let mut decoded = Buffer::zeroed(values.len(), 0);
            let decode = self
                .codec
                .decode(Backend::Scalar, &by_plain[..length], &mut decoded);
            decode.map_err(anyhow::Error::from_boxed).context(name)?;
            ensure!(*decoded == *values, "{name} does not encode the values");
            decoded.fill(0);
            let written = plain.decode(level, encoded, &mut decoded);
            ensure!(
                written == Some(values.len()) && *decoded == *values,
                "{name} does not restore the values"
            );
        }
        Ok(())
    }

    pub fn measure(
        &self,
        operation: Operation,
        rounds: &Rounds,
        compared: Compared<'_>,
    ) -> Vec<Row> {
        let evicted = self.case.evicted;
        let inputs = match operation {
            Operation::Encode => &self.values,
            Operation::Decode => &self.encoded,
        };
        let output = RefCell::new(Buffer::zeroed(self.output_len(operation), APART));
        let work = Buffers {
            inputs,
            output: &output,
            evicted,
        };
        let copy = Buffers {
            inputs: &self.values,
            output: &output,
            evicted,
        };
        let mut subjects = vec![copy.memcpy()];
        subjects.extend(copy.non_temporal_copy().filter(|_| evicted));
        if let Some(plain) = &self.plain {
            let levels = compared.levels.iter();
            subjects.extend(levels.map(|&level| plain_subject(operation, &**plain, level, work)));
        }
        let baseline = compared.baseline.map(|baseline| match operation {
            Operation::Encode => baseline.encode,
            Operation::Decode => baseline.decode,
        });
        let width = self.codec.width();
        subjects.extend(
            baseline.map(|run| {
                work.subject(UNVECTORISED, move |input, output| run(input, width, output))
            }),
        );
        let backends = compared.backends.iter();
        subjects.extend(backends.map(|&backend| self.subject(operation, backend, work)));
        self.rows(operation, rounds, subjects)
    }

    /// Returns the size of a buffer for a result of the operation and for a copy of the values.
    fn output_len(&self, operation: Operation) -> usize {
        let longest = self.values.iter().map(<[u8]>::len).max().unwrap_or(0);
        match operation {
            Operation::Encode => longest.max(self.codec.max_encoded_len(longest)),
            Operation::Decode => longest,
        }
    }

    fn subject<'b>(
        &'b self,
        operation: Operation,
        backend: Backend,
        on: Buffers<'b>,
    ) -> Subject<'b> {
        let codec = &*self.codec;
        match operation {
            Operation::Encode => on.subject(backend.name(), move |values, encoded| {
                let _ = std::hint::black_box(codec.encode(backend, values, encoded));
            }),
            Operation::Decode => on.subject(backend.name(), move |encoded, values| {
                let _ = std::hint::black_box(codec.decode(backend, encoded, values));
            }),
        }
    }

    /// Measures the subjects, the first of which is `memcpy`, and adds the ratios to others to their rows.
    fn rows(&self, operation: Operation, rounds: &Rounds, subjects: Vec<Subject<'_>>) -> Vec<Row> {
        let Case {
            codec,
            parameters,
            data,
            values,
            bytes,
            evicted,
        } = self.case;
        let workload = Workload {
            codec: (*codec).to_owned(),
            parameters: parameters.clone(),
            operation: operation.name().to_owned(),
            element_type: self.codec.element(),
            data: data.clone(),
            values: *values as u64,
            bytes: *bytes as u64,
            evicted: *evicted,
        };
        let measured = workload.measure(rounds, subjects);
        let nanoseconds = |name| {
            let mut rows = measured.iter();
            rows.find(|row| row.backend == name).map(|row| row.ns)
        };
        let copies = [MEMCPY, NON_TEMPORAL_COPY].into_iter();
        let best_copy = copies.filter_map(nanoseconds).reduce(f64::min);
        let encoded: usize = self.encoded.iter().map(<[u8]>::len).sum();
        let rows = measured.iter().cloned().map(|row| {
            let (name, ns) = (row.backend.clone(), row.ns);
            let mut row = row.with("encoded_bytes", encoded / self.encoded.iter().len());
            if let Some(best_copy) = best_copy.filter(|_| *evicted) {
                row = row.with("of_best_copy", best_copy / ns);
            }
            for (key, level) in plain_levels(&name) {
                if let Some(plain) = nanoseconds(level.name()) {
                    row = row.with(key, plain / ns);
                }
            }
            row
        });
        rows.collect()
    }
}

fn plain_subject<'a>(
    operation: Operation,
    plain: &'a dyn Plain,
    level: Level,
    on: Buffers<'a>,
) -> Subject<'a> {
    match operation {
        Operation::Encode => on.subject(level.name(), move |values, encoded| {
            let _ = std::hint::black_box(plain.encode(level, values, encoded));
        }),
        Operation::Decode => on.subject(level.name(), move |encoded, values| {
            let _ = std::hint::black_box(plain.decode(level, encoded, values));
        }),
    }
}

/// Returns the plain loops that a backend is compared with, by the key of the ratio: one built
/// without options, and one for the instruction set of the backend.
fn plain_levels(name: &str) -> impl Iterator<Item = (&'static str, Level)> {
    let backend = name.parse::<Backend>().ok().into_iter();
    backend.flat_map(|backend| {
        [
            ("of_plain", Level::TARGET),
            ("of_plain_same_level", Level::of(backend)),
        ]
    })
}

fn encode(codec: &dyn Codec, backend: Backend, values: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut encoded = vec![0; codec.max_encoded_len(values.len())];
    let length = codec.encode(backend, values, &mut encoded);
    let length = length
        .map_err(anyhow::Error::from_boxed)
        .with_context(|| backend.name())?;
    encoded.truncate(length);
    Ok(encoded)
}
