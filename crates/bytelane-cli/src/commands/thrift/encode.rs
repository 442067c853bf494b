//! `bytelane thrift encode`.

use super::messages::{CallArguments, Message, Messages, Protocol, TypeArguments};
use crate::Outcome;
use crate::files::{Force, Input, Output};
use anyhow::Context;
use bytelane_thrift::dynamic::{List, Value, ValueType};
use bytelane_thrift::framed;
use serde::de::DeserializeSeed;
use std::io::{Read, Write};
use std::path::PathBuf;

/// Write JSON values as Thrift messages
///
/// The input has the form that `bytelane thrift cat` prints: a JSON value for each message, or for each
/// element of a list. A field that the IDL does not declare has the key `id: type`, such as
/// `7: list<i32>`; without an IDL, all fields have. Default values of the IDL are not added.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Encode {
    /// The file to read; `-` or nothing means standard input
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,
    #[command(flatten)]
    ty: TypeArguments,
    #[command(flatten)]
    of_calls: CallArguments,
    /// The protocol of the messages
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Protocol,
    /// Write the length of each message before it, in four bytes
    #[arg(long)]
    framed: bool,
    /// The file to write; `-` or nothing means standard output
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

const EXAMPLES: &str = "Examples:
  bytelane thrift encode orders.json --idl shop.thrift --type Order --protocol compact -o orders.bin
  bytelane thrift cat traffic.bin --idl shop.thrift --calls |
      bytelane thrift encode --idl shop.thrift --calls --protocol binary -o copy.bin
  echo '{\"1: i32\": 5}' | bytelane thrift encode --protocol binary -o five.bin";

impl Encode {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let messages = self.of_calls.open(&self.ty)?;
        let mut input = Input::open(self.input.as_deref())?;
        let name = input.name().to_owned();
        let mut output = Output::create(
            self.output.as_deref(),
            self.input.as_deref(),
            self.force.replace,
        )?;
        let mut json = Vec::new();
        let read = input.read_to_end(&mut json);
        read.with_context(|| format!("cannot read {name}"))?;
        let values = match self.of_calls.calls {
            true => self.calls(&messages, &json),
            false => values(&messages, &json),
        };
        for (index, value) in values.with_context(|| name.clone())?.iter().enumerate() {
            let message = self.protocol.encode(value);
            let message = message.with_context(|| format!("{name}: message {}", index + 1))?;
            let written = self.write(&message, &mut output);
            written.with_context(|| format!("cannot write {}", output.name()))?;
        }
        output.finish()?;
        Ok(Outcome::Fine)
    }

    /// Returns the calls and replies that a text stands for.
    fn calls(&self, messages: &Messages, json: &[u8]) -> anyhow::Result<Vec<Message>> {
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let mut calls = Vec::new();
        while deserializer.end().is_err() {
            let seed = messages.schema.call_seed(self.of_calls.service.as_deref());
            calls.push(Message::Call(seed.deserialize(&mut deserializer)?));
        }
        Ok(calls)
    }

    fn write(&self, message: &[u8], output: &mut Output) -> std::io::Result<()> {
        if self.framed {
            return framed::write_frame(output, message);
        }
        output.write_all(message)?;
        if self.protocol.is_text() {
            output.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// Returns the messages that a text stands for. If they are lists or sets, its values are the elements
/// of one.
fn values(messages: &Messages, json: &[u8]) -> anyhow::Result<Vec<Message>> {
    let Messages { schema, ty } = messages;
    let element = match ty {
        ValueType::List(element) | ValueType::Set(element) => element,
        message => message,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let mut values = Vec::new();
    while deserializer.end().is_err() {
        values.push(schema.seed(element).deserialize(&mut deserializer)?);
    }
    let element = element.kind();
    Ok(match ty {
        ValueType::List(_) => vec![Message::Value(Value::List(List { element, values }))],
        ValueType::Set(_) => vec![Message::Value(Value::Set(List { element, values }))],
        _ => values.into_iter().map(Message::Value).collect(),
    })
}
