//! Measuring one case of a codec.

use super::baselines::Baseline;
use super::plan::Case;
use anyhow::{Context, ensure};
use bytelane::Backend;
use bytelane_catalog::Codec;
use bytelane_measure::buffer::{APART, Buffer, Pool};
use bytelane_measure::data::{Dataset, ElementType};
use bytelane_measure::rounds::{Measurement, Rounds, Subject};
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

/// A case with its data.
pub struct Prepared<'a> {
    case: &'a Case,
    codec: Box<dyn Codec>,
    values: Pool,
    encoded: Pool,
}

impl<'a> Prepared<'a> {
    pub fn new(case: &'a Case, inputs: usize) -> anyhow::Result<Self> {
        let codec = bytelane_catalog::find(case.codec)?.open(&case.parameters)?;
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
            values,
            encoded,
        })
    }

    /// A benchmark of wrong results would be fast.
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

    pub fn measure(
        &self,
        operation: Operation,
        rounds: &Rounds,
        backends: &[Backend],
        baselines: &'static [Baseline],
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
        subjects.extend(
            baselines
                .iter()
                .map(|baseline| self.baseline(operation, baseline, work)),
        );
        subjects.extend(
            backends
                .iter()
                .map(|&backend| self.subject(operation, backend, work)),
        );
        self.rows(operation, &rounds.measure(subjects))
    }

    /// Room for a result of the operation, and for a copy of the values.
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

    fn baseline<'b>(
        &self,
        operation: Operation,
        baseline: &'static Baseline,
        on: Buffers<'b>,
    ) -> Subject<'b> {
        let width = self.codec.width();
        let work = match operation {
            Operation::Encode => baseline.encode,
            Operation::Decode => baseline.decode,
        };
        on.subject(baseline.name, move |input, output| {
            work(input, width, output)
        })
    }

    fn rows(&self, operation: Operation, measured: &[Measurement]) -> Vec<Row> {
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
            operation: operation.name().to_owned(),
            element_type: self.codec.element(),
            data: data.clone(),
            values: *values as u64,
            bytes: *bytes as u64,
            evicted: *evicted,
        };
        let find = |name| measured.iter().find(|measurement| measurement.name == name);
        let Some(memcpy) = find(MEMCPY) else {
            return Vec::new();
        };
        let best_copy = find(NON_TEMPORAL_COPY).map_or(memcpy.nanoseconds, |other| {
            other.nanoseconds.min(memcpy.nanoseconds)
        });
        let encoded: usize = self.encoded.iter().map(<[u8]>::len).sum();
        let rows = measured.iter().map(|measurement| {
            let mut row = workload.row(measurement, memcpy);
            row.parameters = Some(parameters.clone()).filter(|text| !text.is_empty());
            let row = row.with("encoded_bytes", encoded / self.encoded.iter().len());
            match evicted {
                true => row.with("of_best_copy", best_copy / measurement.nanoseconds),
                false => row,
            }
        });
        rows.collect()
    }
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
