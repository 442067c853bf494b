//! `bytelane bench codec`.

use super::baselines::{self, Baseline};
use super::measuring::Measuring;
use crate::specification::{Specification, SpecificationParser, codecs_and};
use crate::{Outcome, backend};
use anyhow::{Context, bail, ensure};
use bytelane::Backend;
use bytelane_catalog::{CODECS, Codec, Entry};
use bytelane_measure::buffer::{APART, Buffer, Pool};
use bytelane_measure::data::{DATASETS, Dataset, ElementType};
use bytelane_measure::rounds::{Measurement, Rounds, Subject};
use bytelane_measure::row::{Row, Workload};
use bytelane_measure::transform::{Buffers, MEMCPY, NON_TEMPORAL_COPY};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::cell::RefCell;

/// Bytes of values if only `--evicted` is given: far more than the caches near a core hold.
const EVICTED_BYTES: usize = 32 << 20;

/// Measure codecs: the scalar code, every available backend and memcpy side by side
///
/// Without options, a codec runs its published experiments; --values or --evicted replace them.
/// Before anything is timed, every backend must give the scalar code's result and bring the values
/// back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = codecs_and(EXAMPLES))]
pub struct Arguments {
    /// Codecs, with parameters if wanted: NAME[:key=value,..]; all if none is named
    #[arg(value_name = "NAME", value_parser = SpecificationParser, hide_possible_values = true)]
    codecs: Vec<Specification>,
    /// Only this operation
    #[arg(long)]
    operation: Option<Operation>,
    /// Only these element types: f32, f64, u8, fixed12, ..
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<ElementType>,
    /// Numbers of values a call
    #[arg(long, value_name = "N", value_delimiter = ',',
        value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    values: Vec<u64>,
    /// Backends [default: all that this CPU can run, or BYTELANE_BACKEND]
    #[arg(long = "backend", value_name = "NAME", value_delimiter = ',')]
    backends: Vec<Backend>,
    /// Data sets [default: the one most typical for the codec]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = data_parser())]
    data: Vec<&'static Dataset>,
    /// Evict inputs and outputs from the caches before each call
    #[arg(long)]
    evicted: bool,
    /// Distinct inputs that are taken in turn: a branch predictor memorises a single small one
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    inputs: u64,
    #[command(flatten)]
    measuring: Measuring,
}

fn data_parser() -> impl TypedValueParser<Value = &'static Dataset> {
    let names = DATASETS.iter();
    let values = names.map(|data| PossibleValue::new(data.name).help(data.description));
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

const EXAMPLES: &str = "  bytelane bench codec
  bytelane bench codec byte_stream_split --operation encode --type f32
  bytelane bench codec byte_stream_split:width=12 --values 100,4097
  bytelane bench codec big_endian --values 1000000 --evicted --format json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Operation {
    Encode,
    Decode,
}

impl Operation {
    const ALL: [Self; 2] = [Self::Encode, Self::Decode];

    fn name(self) -> &'static str {
        match self {
            Self::Encode => "encode",
            Self::Decode => "decode",
        }
    }
}

/// One input size of one codec with one kind of data: both operations share its buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Case {
    codec: &'static str,
    parameters: String,
    data: String,
    values: usize,
    evicted: bool,
}

impl Arguments {
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        if let Some(forced) = backend::force_from_environment()?
            && self.backends.is_empty()
        {
            self.backends.push(forced);
        }
        if let Some(&missing) = self.backends.iter().find(|backend| !backend.is_available()) {
            bail!(bytelane::Unavailable(missing));
        }
        let cases = self.plan()?;
        let rounds = self.measuring.rounds()?;
        let label =
            |case: &Case| format!("{}, {} values of {}", case.name(), case.values, case.data);
        self.measuring
            .show(&cases, label, |case| self.measure(case, &rounds))?;
        Ok(Outcome::Fine)
    }

    fn plan(&self) -> anyhow::Result<Vec<Case>> {
        let every = || {
            CODECS.iter().map(|entry| Specification {
                entry,
                parameters: String::new(),
            })
        };
        let named = match self.codecs.as_slice() {
            [] => every().collect(),
            named => named.to_vec(),
        };
        let mut cases: Vec<Case> = Vec::new();
        for specification in named {
            for case in self.cases_of(&specification)? {
                if !cases.contains(&case) {
                    cases.push(case);
                }
            }
        }
        if cases.is_empty() {
            let types: Vec<String> = self.types.iter().map(ToString::to_string).collect();
            bail!(
                "none of these codecs has values of the type {}",
                types.join(" or ")
            );
        }
        Ok(cases)
    }

    fn cases_of(&self, specification: &Specification) -> anyhow::Result<Vec<Case>> {
        let entry = specification.entry;
        if !specification.parameters.is_empty() {
            specification.open()?;
            return self.chosen_cases(entry, &[&specification.parameters]);
        }
        let published = entry
            .experiments
            .iter()
            .flat_map(|experiment| experiment.cases);
        let mut parameters = self.of_wanted_type(entry, published)?;
        if parameters.is_empty() {
            parameters = self.of_wanted_type(entry, entry.cases)?;
        } else if self.values.is_empty() && !self.evicted {
            return self.published_cases(entry, &parameters);
        }
        self.chosen_cases(entry, &parameters)
    }

    /// Those parameters that make a codec of a type which was asked for.
    fn of_wanted_type<'a>(
        &self,
        entry: &Entry,
        parameters: impl IntoIterator<Item = &'a &'a str>,
    ) -> anyhow::Result<Vec<&'a str>> {
        let mut wanted = Vec::new();
        for &parameters in parameters {
            let element: ElementType = entry.open(parameters)?.element().parse()?;
            let is_wanted = self.types.is_empty() || self.types.contains(&element);
            if is_wanted && !wanted.contains(&parameters) {
                wanted.push(parameters);
            }
        }
        Ok(wanted)
    }

    /// The published experiments, as far as they are about these parameters.
    fn published_cases(&self, entry: &Entry, parameters: &[&str]) -> anyhow::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for experiment in entry.experiments {
            for case in experiment
                .cases
                .iter()
                .filter(|case| parameters.contains(case))
            {
                let values = experiment.values;
                cases.extend(self.cross(entry, case, experiment.data, values, experiment.evicted));
            }
        }
        Ok(cases)
    }

    /// What the options ask for.
    fn chosen_cases(&self, entry: &Entry, parameters: &[&str]) -> anyhow::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for parameters in parameters {
            let codec = entry.open(parameters)?;
            let values = match self.values.as_slice() {
                [] if self.evicted => vec![EVICTED_BYTES / codec.width()],
                [] => entry
                    .experiments
                    .first()
                    .map_or(&[4096][..], |first| first.values)
                    .to_vec(),
                values => values.iter().map(|&values| values as usize).collect(),
            };
            let typical = &codec.data()[..1];
            cases.extend(self.cross(entry, parameters, typical, &values, self.evicted));
        }
        Ok(cases)
    }

    fn cross(
        &self,
        entry: &Entry,
        parameters: &str,
        data: &[&'static str],
        values: &[usize],
        evicted: bool,
    ) -> Vec<Case> {
        let chosen: Vec<&str> = self.data.iter().map(|data| data.name).collect();
        let data = if chosen.is_empty() { data } else { &chosen };
        let case = |data: &str, values| Case {
            codec: entry.name,
            parameters: parameters.to_owned(),
            data: data.to_owned(),
            values,
            evicted,
        };
        data.iter()
            .flat_map(|data| values.iter().map(|&values| case(data, values)))
            .collect()
    }

    fn measure(&self, case: &Case, rounds: &Rounds) -> anyhow::Result<Vec<Row>> {
        let prepared = Prepared::new(case, self.inputs as usize)?;
        let backends = match self.backends.as_slice() {
            [] => Backend::available().collect(),
            named => named.to_vec(),
        };
        for &backend in &backends {
            prepared.check_round_trip(backend)?;
        }
        let baselines = match self.backends.as_slice() {
            [] => baselines::of(case.codec),
            _ => &[],
        };
        let mut rows = Vec::new();
        for operation in Operation::ALL {
            if self.operation.is_none_or(|wanted| wanted == operation) {
                rows.extend(prepared.measure(operation, rounds, &backends, baselines));
            }
        }
        Ok(rows)
    }
}

impl Case {
    fn name(&self) -> String {
        match self.parameters.as_str() {
            "" => self.codec.to_owned(),
            parameters => format!("{}:{parameters}", self.codec),
        }
    }
}

/// A case with its data.
struct Prepared<'a> {
    case: &'a Case,
    codec: Box<dyn Codec>,
    values: Pool,
    encoded: Pool,
}

impl<'a> Prepared<'a> {
    fn new(case: &'a Case, inputs: usize) -> anyhow::Result<Self> {
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
    fn check_round_trip(&self, backend: Backend) -> anyhow::Result<()> {
        for (values, encoded) in self.values.iter().zip(self.encoded.iter()) {
            let by_backend = encode(&*self.codec, backend, values)?;
            ensure!(
                by_backend == encoded,
                "{backend} and scalar encode differently"
            );
            let mut decoded = Buffer::zeroed(values.len(), 0);
            let decode = self.codec.decode(backend, encoded, &mut decoded);
            decode
                .map_err(anyhow::Error::from_boxed)
                .with_context(|| backend.name())?;
            ensure!(
                *decoded == *values,
                "{backend} does not decode what was encoded"
            );
        }
        Ok(())
    }

    fn measure(
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
            evicted,
        } = self.case;
        let workload = Workload {
            codec: (*codec).to_owned(),
            operation: operation.name().to_owned(),
            element_type: self.codec.element(),
            data: data.clone(),
            values: *values as u64,
            bytes: (values * self.codec.width()) as u64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn plan(line: &str) -> Vec<Case> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Line::try_parse_from(words)
            .unwrap()
            .arguments
            .plan()
            .unwrap()
    }

    fn bytes_of(case: &Case) -> usize {
        let codec = bytelane_catalog::find(case.codec).unwrap();
        case.values * codec.open(&case.parameters).unwrap().width()
    }

    #[test]
    fn everything_is_planned_by_default() {
        let cases = plan("");
        for entry in CODECS {
            let own: Vec<Case> = cases
                .iter()
                .filter(|case| case.codec == entry.name)
                .cloned()
                .collect();
            assert!(!own.is_empty(), "{}", entry.name);
            assert_eq!(own, plan(entry.name));
        }
    }

    #[test]
    fn the_published_experiments_of_byte_stream_split() {
        for line in [
            "byte_stream_split --type f32",
            "byte_stream_split --type f64",
        ] {
            let cases = plan(line);
            for values in [1024, 4096, 32_768, 65_536] {
                assert!(
                    cases
                        .iter()
                        .any(|case| case.values == values && !case.evicted),
                    "{line}"
                );
            }
            let has = |bytes, evicted| {
                cases
                    .iter()
                    .any(|case| bytes_of(case) == bytes && case.evicted == evicted)
            };
            assert!(has(1 << 20, false) && has(32 << 20, true), "{line}");
        }
    }

    #[test]
    fn the_published_experiments_of_big_endian() {
        let values = |line| {
            plan(line)
                .iter()
                .map(|case| case.values)
                .collect::<Vec<_>>()
        };
        assert!(values("big_endian --type i32").contains(&100_000_000));
        assert!(values("big_endian --type i32").contains(&12_345));
        assert!(values("big_endian --type i64").contains(&12_345));
    }

    #[test]
    fn options_replace_what_is_published() {
        let cases = plan("byte_stream_split:width=12 --values 5,7 --data random,gaps --evicted");
        let shown: Vec<String> = cases
            .iter()
            .map(|case| {
                format!(
                    "{} {} {} {}",
                    case.name(),
                    case.data,
                    case.values,
                    case.evicted
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "byte_stream_split:width=12 random 5 true",
                "byte_stream_split:width=12 random 7 true",
                "byte_stream_split:width=12 gaps 5 true",
                "byte_stream_split:width=12 gaps 7 true",
            ]
        );
        let rare = plan("byte_stream_split --type fixed20");
        assert!(!rare.is_empty() && rare.iter().all(|case| case.parameters == "width=20"));
        let evicted = plan("byte_stream_split:width=8 --evicted");
        assert_eq!(bytes_of(&evicted[0]), EVICTED_BYTES);
    }
}
