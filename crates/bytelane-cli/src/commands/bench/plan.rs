//! Cases of `bytelane bench codec`.

use crate::specification::{Specification, SpecificationParser};
use anyhow::{Context, bail};
use bytelane_catalog::{CODECS, Entry, Experiment};
use bytelane_measure::data::{DATASETS, Dataset, ElementType};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Bytes of values if only `--evicted` is given: far more than the caches near a core can hold.
const EVICTED_BYTES: usize = 32 << 20;

/// Size limit of experiments if no codec is named, so that all codecs take about a minute. Larger
/// experiments add little to the smaller ones.
const MOST_BYTES_UNNAMED: usize = 4 << 20;

/// Which codecs, on which data.
#[derive(Debug, clap::Args)]
pub struct Choice {
    /// Codecs, optionally with parameters: NAME[:key=value,..] [default: all]
    #[arg(value_name = "NAME", value_parser = SpecificationParser, hide_possible_values = true)]
    codecs: Vec<Specification>,
    /// Only these element types: f32, f64, u8, fixed12, ..
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<ElementType>,
    /// Values per call
    #[arg(long, value_name = "N", value_delimiter = ',',
        value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    values: Vec<u64>,
    /// Data sets [default: the most typical for the codec]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = data_parser())]
    data: Vec<&'static Dataset>,
    /// Evict inputs and outputs from the caches before each call
    #[arg(long)]
    evicted: bool,
}

fn data_parser() -> impl TypedValueParser<Value = &'static Dataset> {
    let names = DATASETS.iter();
    let values = names.map(|data| PossibleValue::new(data.name).help(data.description));
    PossibleValuesParser::new(values).try_map(|name| name.parse())
}

/// One input size of one codec with one kind of data. Both operations share its buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub codec: &'static str,
    pub parameters: String,
    pub data: String,
    pub values: usize,
    pub bytes: usize,
    pub evicted: bool,
}

impl Choice {
    /// Returns the cases to measure, and the number of published experiments that are left out.
    pub fn plan(&self) -> anyhow::Result<(Vec<Case>, usize)> {
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
                "none of these codecs has the value type {}",
                types.join(" or ")
            );
        }
        let planned = cases.len();
        if self.codecs.is_empty() && self.values.is_empty() {
            cases.retain(|case| case.evicted || case.bytes <= MOST_BYTES_UNNAMED);
        }
        let left_out = planned - cases.len();
        Ok((cases, left_out))
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

    /// Returns the parameters for which the codec has a requested type.
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

    /// Returns the published experiments with these parameters.
    fn published_cases(&self, entry: &Entry, parameters: &[&str]) -> anyhow::Result<Vec<Case>> {
        let mut cases = Vec::new();
        for experiment in entry.experiments {
            let wanted = |case: &&&str| parameters.contains(case);
            for case in experiment.cases.iter().filter(wanted) {
                let Experiment {
                    data,
                    values,
                    evicted,
                    ..
                } = *experiment;
                cases.extend(self.cross(entry, case, data, values, evicted)?);
            }
        }
        Ok(cases)
    }

    /// Returns the cases that the options select.
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
            cases.extend(self.cross(entry, parameters, typical, &values, self.evicted)?);
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
    ) -> anyhow::Result<Vec<Case>> {
        let chosen: Vec<&str> = self.data.iter().map(|data| data.name).collect();
        let mut cases = Vec::new();
        for data in if chosen.is_empty() { data } else { &chosen } {
            for &values in values {
                cases.push(Case {
                    evicted,
                    ..Case::new(entry.name, parameters, data, values)?
                });
            }
        }
        Ok(cases)
    }
}

impl Case {
    /// Creates a case whose values are in cache.
    ///
    /// # Errors
    /// The catalog does not know the codec or the parameters, or the values do not fit in memory.
    pub fn new(
        codec: &'static str,
        parameters: &str,
        data: &str,
        values: usize,
    ) -> anyhow::Result<Self> {
        let width = bytelane_catalog::find(codec)?.open(parameters)?.width();
        let bytes = values.checked_mul(width);
        Ok(Self {
            codec,
            parameters: parameters.to_owned(),
            data: data.to_owned(),
            values,
            bytes: bytes.with_context(|| format!("{values} values do not fit in memory"))?,
            evicted: false,
        })
    }

    pub fn name(&self) -> String {
        match self.parameters.as_str() {
            "" => self.codec.to_owned(),
            parameters => format!("{}:{parameters}", self.codec),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        choice: Choice,
    }

    fn choose(line: &str) -> Choice {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Line::try_parse_from(words).unwrap().choice
    }

    fn plan(line: &str) -> Vec<Case> {
        let (cases, left_out) = choose(line).plan().unwrap();
        assert_eq!(left_out, 0, "{line}");
        cases
    }

    #[test]
    fn without_names_all_codecs_run_what_is_not_long() {
        let (cases, left_out) = choose("").plan().unwrap();
        let mut own = Vec::new();
        for entry in CODECS {
            assert!(
                cases.iter().any(|case| case.codec == entry.name),
                "{}",
                entry.name
            );
            own.extend(plan(entry.name));
        }
        assert_eq!(cases.len() + left_out, own.len());
        own.retain(|case| case.evicted || case.bytes <= MOST_BYTES_UNNAMED);
        assert_eq!(cases, own);
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
                    .any(|case| case.bytes == bytes && case.evicted == evicted)
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
        assert_eq!(evicted[0].bytes, EVICTED_BYTES);
    }
}
