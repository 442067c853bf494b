//! `bytelane bench thrift`.

mod messages;
mod structs;
mod workloads;

pub use messages::Protocol;
pub use workloads::{WORKLOADS, Workload};

use super::backends::{self, Backends};
use super::measuring::Measuring;
use crate::Outcome;
use crate::output::measured::Titles;
use anyhow::{Context, bail, ensure};
use bytelane::Backend;
use bytelane_measure::rounds::{Rounds, Subject};
use bytelane_measure::row::{self, Row};
use bytelane_measure::transform::MEMCPY;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use messages::Messages;
use std::hint::black_box;

/// Measure Thrift's protocols on the structs of ProtocolBench
///
/// Writes each struct to a new buffer and reads it into a new value, in four protocols, on every
/// available backend. For comparison, memcpy copies the bytes of the message in the Binary protocol to a
/// new buffer. Besides the published data, there are other kinds of strings, and lists of other lengths
/// and ranges. Before anything is timed, every backend must write what the scalar code writes, and
/// read it back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Arguments {
    /// Structs [default: all with up to 50,000 values]
    #[arg(value_name = "STRUCT", value_parser = struct_parser())]
    structs: Vec<&'static str>,
    /// Only these protocols
    #[arg(long = "protocol", value_name = "NAME", value_delimiter = ',')]
    protocols: Vec<Protocol>,
    /// Only this operation
    #[arg(long)]
    operation: Option<Operation>,
    /// Only this data: "published", or data sets
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = data_parser())]
    data: Vec<&'static str>,
    #[command(flatten)]
    backends: Backends,
    #[command(flatten)]
    measuring: Measuring,
}

const EXAMPLES: &str = "\
Examples:
  bytelane bench thrift
  bytelane bench thrift SmallString BigString --protocol json
  bytelane bench thrift ListInt --protocol binary,compact --nanoseconds
  bytelane bench thrift LargeMapInt --operation read --format json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operation {
    Write,
    Read,
}

impl Operation {
    pub const ALL: [Self; 2] = [Self::Write, Self::Read];

    pub fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
        }
    }
}

fn struct_parser() -> impl TypedValueParser<Value = &'static str> {
    parser(|workload| workload.name)
}

fn data_parser() -> impl TypedValueParser<Value = &'static str> {
    parser(|workload| workload.data)
}

/// Returns a parser that accepts the names of workloads.
fn parser(of: fn(&Workload) -> &'static str) -> impl TypedValueParser<Value = &'static str> {
    let mut names: Vec<&str> = Vec::new();
    for name in WORKLOADS.iter().map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    PossibleValuesParser::new(names.clone()).map(move |given| {
        let known = names.iter().find(|&&name| name == given);
        known.copied().unwrap_or_default()
    })
}

/// Workload in one protocol; its subjects are measured together.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub workload: &'static Workload,
    pub protocol: Protocol,
}

impl Case {
    /// Returns a unique label.
    pub fn label(&self) -> String {
        let Workload {
            name, data, values, ..
        } = self.workload;
        format!("{name}, {values} values ({data}), {}", self.protocol.name())
    }
}

impl Arguments {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let asked_for = self.backends.asked_for()?;
        let workloads: Vec<&Workload> = WORKLOADS
            .iter()
            .filter(|workload| self.structs.is_empty() || self.structs.contains(&workload.name))
            .filter(|workload| self.data.is_empty() || self.data.contains(&workload.data))
            .collect();
        if workloads.is_empty() {
            bail!("none of these structs is measured with these data sets");
        }
        let is_wanted = |workload: &&Workload| !self.structs.is_empty() || !workload.is_long();
        let (wanted, left_out): (Vec<_>, Vec<_>) = workloads.into_iter().partition(is_wanted);
        let cases = cases(&wanted, &self.protocols);
        let rounds = self.measuring.rounds()?;
        let backends = backends::or_all(&asked_for);
        let operations = match self.operation {
            Some(operation) => vec![operation],
            None => Operation::ALL.to_vec(),
        };
        // One table per protocol, because there are many structs and kinds of data with few rows
        // each.
        self.measuring
            .show(&cases, Titles::Parameters, Case::label, |case| {
                measure(case, &operations, &rounds, &backends)
            })?;
        if !left_out.is_empty() {
            let names: Vec<&str> = left_out.iter().map(|workload| workload.name).collect();
            anstream::eprintln!("Left out: {}. Name them to run them.", names.join(", "));
        }
        Ok(Outcome::Fine)
    }
}

/// Returns the workloads in each of these protocols, or in all if none is given.
pub fn cases(workloads: &[&'static Workload], protocols: &[Protocol]) -> Vec<Case> {
    let protocols = match protocols {
        [] => &Protocol::ALL,
        named => named,
    };
    let mut cases = Vec::new();
    for &protocol in protocols {
        for &workload in workloads {
            cases.push(Case { workload, protocol });
        }
    }
    cases
}

/// Measures a case on these backends and memcpy. Returns a row for each operation and subject.
pub fn measure(
    case: &Case,
    operations: &[Operation],
    rounds: &Rounds,
    backends: &[Backend],
) -> anyhow::Result<Vec<Row>> {
    // bytelane-thrift uses the backend that is active in the whole process.
    let active = Backend::active();
    let measured = Prepared::new(case, backends).map(|prepared| {
        let rows = operations
            .iter()
            .map(|&operation| prepared.measure(operation, rounds, backends));
        rows.collect::<Vec<_>>().concat()
    });
    Backend::set_active(active)?;
    measured
}

/// Case with its value and messages.
struct Prepared<'a> {
    case: &'a Case,
    value: Box<dyn Messages>,
    message: Vec<u8>,
    /// Message in the Binary protocol; its length counts as the size of the value in all protocols.
    plain: Vec<u8>,
}

impl<'a> Prepared<'a> {
    /// Prepares a case and checks that all backends agree, because a benchmark of wrong results
    /// would be fast.
    fn new(case: &'a Case, backends: &[Backend]) -> anyhow::Result<Self> {
        let (value, protocol) = (case.workload.make()?, case.protocol);
        Backend::set_active(Backend::Scalar)?;
        let message = value.encoded(protocol)?;
        let plain = value.encoded(Protocol::Binary)?;
        for &backend in backends {
            Backend::set_active(backend)?;
            ensure!(
                value.encoded(protocol)? == message,
                "{backend} and scalar write different messages"
            );
            ensure!(
                value.is_decoded(protocol, &message).context(backend)?,
                "{backend} does not read the value back"
            );
        }
        Ok(Self {
            case,
            value,
            message,
            plain,
        })
    }

    fn measure(&self, operation: Operation, rounds: &Rounds, backends: &[Backend]) -> Vec<Row> {
        let memcpy = Subject::new(MEMCPY, |_| {
            black_box(black_box(&self.plain).to_vec());
        });
        let mut subjects = vec![memcpy];
        for &backend in backends {
            let (protocol, name) = (self.case.protocol, backend.name());
            let subject = match operation {
                Operation::Write => self.value.write(protocol, name),
                Operation::Read => self.value.read(protocol, name, &self.message),
            };
            // The backend is available, because the round trip has been checked with it.
            subjects.push(subject.prepared_by(move || {
                let _ = Backend::set_active(backend);
            }));
        }
        let Case { workload, protocol } = self.case;
        let of_case = row::Workload {
            codec: "thrift".to_owned(),
            parameters: format!("protocol={}", protocol.name()),
            operation: operation.name().to_owned(),
            element_type: workload.name.to_owned(),
            data: workload.data.to_owned(),
            values: workload.values as u64,
            bytes: self.plain.len() as u64,
            evicted: false,
        };
        let rows = of_case.measure(rounds, subjects).into_iter().map(|row| {
            row.with("protocol", protocol.name())
                .with("struct", workload.name)
                .with("encoded_bytes", self.message.len())
        });
        rows.collect()
    }
}
