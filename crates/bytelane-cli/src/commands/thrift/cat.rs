//! `bytelane thrift cat`.

use super::messages::{CallArguments, Message, Messages, Protocol, TypeArguments};
use crate::files::Input;
use crate::{Outcome, standard};
use anyhow::{Context, bail};
use bytelane_thrift::dynamic::{List, Struct, Value};
use bytelane_thrift::{Error, Limits};
use serde::Serialize;
use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;

/// Number of messages from which the protocol is found.
const TRIED: usize = 16;

/// Show Thrift messages as JSON, one per line
///
/// The file contains one message, or several after each other, with or without frames. With an IDL,
/// fields and variants of enums have their names; a field that the IDL does not declare has the key
/// `id: type`. Without an IDL, all fields have. Binary values are shown in base64. `bytelane thrift
/// encode` writes such lines as messages.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Cat {
    /// The file to read; `-` or nothing means standard input
    #[arg(value_name = "FILE")]
    input: Option<PathBuf>,
    #[command(flatten)]
    ty: TypeArguments,
    /// The protocol; if none is given, one in which the messages can be read. Name fbthrift's compact
    /// protocol: it differs from Apache's only in the order of the bytes of doubles
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<Protocol>,
    /// The length of each message precedes it, in four bytes; if not given, this is found out
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    framed: Option<bool>,
    #[command(flatten)]
    of_calls: CallArguments,
    /// Show fields that a message lacks with their default values in the IDL
    #[arg(long, requires = "idl")]
    defaults: bool,
}

const EXAMPLES: &str = "Examples:
  bytelane thrift cat orders.bin --idl shop.thrift --type Order
  bytelane thrift cat list.bin --idl shop.thrift --type 'list<Order>'
      One line for each element
  bytelane thrift cat unknown.bin
      The structure of the messages, without names
  bytelane thrift cat traffic.bin --idl shop.thrift --calls
      Calls and replies, with their functions and sequence numbers";

impl Cat {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let messages = self.of_calls.open(&self.ty)?;
        let mut input = Input::open(self.input.as_deref())?;
        let name = input.name().to_owned();
        let mut bytes = Vec::new();
        let read = input.read_to_end(&mut bytes);
        read.with_context(|| format!("cannot read {name}"))?;
        let reading = self.find(&messages, &bytes).with_context(|| name.clone())?;
        let mut out = BufWriter::new(standard::output()?);
        for message in self.messages(reading, &messages, &bytes) {
            let mut message = match message {
                Ok((message, _)) => message,
                Err(error) => {
                    // The messages before the error are shown first.
                    out.flush()?;
                    return Err(error.context(name));
                }
            };
            if self.defaults {
                message.add_defaults(&messages, self.of_calls.service.as_deref())?;
            }
            message.show(&mut out)?;
        }
        out.flush()?;
        Ok(Outcome::Fine)
    }

    /// Finds how the messages are written: the way in which the first ones can be read, and have the
    /// fewest undeclared fields.
    fn find(&self, messages: &Messages, bytes: &[u8]) -> anyhow::Result<Reading> {
        let protocols = match self.protocol {
            Some(protocol) => vec![protocol],
            None => vec![
                Protocol::Binary,
                Protocol::Compact,
                Protocol::Json,
                Protocol::SimpleJson,
                Protocol::FbthriftCompact,
            ],
        };
        let framings = match self.framed {
            Some(framed) => vec![framed],
            None => vec![false, true],
        };
        let mut ways = Vec::new();
        for protocol in protocols {
            if protocol == Protocol::SimpleJson && !messages.has_names() {
                if self.protocol.is_some() {
                    bail!("SimpleJSON has no types; name an IDL with --idl and --type");
                }
                continue;
            }
            ways.extend(framings.iter().map(|&framed| Reading { protocol, framed }));
        }
        if let [way] = ways[..] {
            return Ok(way);
        }
        let mut best: Option<(usize, Reading)> = None;
        let mut errors = Vec::new();
        for &way in &ways {
            // SimpleJSON takes any JSON: it skips fields whose names it does not know.
            if way.protocol == Protocol::SimpleJson && best.is_some() {
                continue;
            }
            match self.undeclared(way, messages, bytes) {
                Ok(count) if best.is_none_or(|(fewest, _)| count < fewest) => {
                    best = Some((count, way));
                }
                Ok(_) => {}
                Err(error) => errors.push(format!("  {way}: {error:#}")),
            }
        }
        match best {
            Some((_, way)) => Ok(way),
            // The messages before the error are shown first.
            None if self.protocol.is_some() => {
                let end = |way: &&Reading| {
                    let read = self.messages(**way, messages, bytes).take(TRIED);
                    read.map_while(Result::ok).last().map(|(_, end)| end)
                };
                // The first of several that are equally good.
                Ok(*ways.iter().rev().max_by_key(end).unwrap_or(&ways[0]))
            }
            None => bail!(
                "no protocol was found in which the messages can be read; name one with --protocol\n{}",
                errors.join("\n")
            ),
        }
    }

    /// Reads the message at the start of `bytes`. Returns its length as well.
    fn decode(
        &self,
        way: Reading,
        messages: &Messages,
        bytes: &[u8],
    ) -> Result<(Message, usize), Error> {
        if self.of_calls.calls {
            let service = self.of_calls.service.as_deref();
            let (call, length) = way.protocol.decode_call(messages, service, bytes)?;
            return Ok((Message::Call(call), length));
        }
        let (value, length) = way.protocol.decode(messages, bytes)?;
        Ok((Message::Value(value), length))
    }

    /// Returns all messages, each with the offset behind it, until one cannot be read.
    fn messages<'a>(
        &'a self,
        way: Reading,
        messages: &'a Messages,
        bytes: &'a [u8],
    ) -> impl Iterator<Item = anyhow::Result<(Message, usize)>> + 'a {
        let (mut at, mut count) = (0, 0);
        std::iter::from_fn(move || {
            if way.protocol.is_text() && !way.framed {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_whitespace())
                    .count();
            }
            if at == bytes.len() {
                return None;
            }
            count += 1;
            let message = way.message(&bytes[at..], |bytes| self.decode(way, messages, bytes));
            let message = message
                .map(|(message, length)| (message, at + length))
                .with_context(|| format!("message {count}, which begins at byte {at}"));
            // After an error, nothing more can be read.
            at = message.as_ref().map_or(bytes.len(), |(_, end)| *end);
            Some(message)
        })
    }

    /// Returns the number of undeclared fields in the first messages.
    fn undeclared(&self, way: Reading, messages: &Messages, bytes: &[u8]) -> anyhow::Result<usize> {
        let mut count = 0;
        for message in self.messages(way, messages, bytes).take(TRIED) {
            count += message?.0.undeclared();
        }
        Ok(count)
    }
}

impl Message {
    fn undeclared(&self) -> usize {
        match self {
            Self::Value(value) => undeclared(value),
            Self::Call(call) => undeclared_fields(&call.body),
        }
    }

    fn add_defaults(&mut self, messages: &Messages, service: Option<&str>) -> Result<(), Error> {
        let (schema, limits) = (&messages.schema, Limits::default());
        match self {
            Self::Value(value) => schema.add_defaults(&messages.ty, value, &limits),
            Self::Call(call) => schema.add_defaults_of_call(service, call, &limits),
        }
    }

    /// Writes the message as a line of JSON; a list or set as one for each element.
    fn show(&self, out: &mut impl Write) -> anyhow::Result<()> {
        match self {
            Self::Value(Value::List(list) | Value::Set(list)) => {
                list.values.iter().try_for_each(|value| line(out, value))
            }
            Self::Value(value) => line(out, value),
            Self::Call(call) => line(out, call),
        }
    }
}

fn line(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(out.write_all(b"\n")?)
}

/// How messages are written.
#[derive(Clone, Copy, Debug)]
struct Reading {
    protocol: Protocol,
    framed: bool,
}

impl std::fmt::Display for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let framing = if self.framed { ", framed" } else { "" };
        write!(f, "{}{framing}", self.protocol)
    }
}

impl Reading {
    /// Returns the message at the start of `bytes`, and its length with its frame.
    fn message(
        self,
        bytes: &[u8],
        decode: impl Fn(&[u8]) -> Result<(Message, usize), Error>,
    ) -> anyhow::Result<(Message, usize)> {
        if !self.framed {
            return Ok(decode(bytes)?);
        }
        let Some((length, rest)) = bytes.split_first_chunk() else {
            bail!("the frame's length has {} bytes instead of 4", bytes.len());
        };
        let length = u32::from_be_bytes(*length) as usize;
        let Some(frame) = rest.get(..length) else {
            bail!("the frame has {} of {length} bytes", rest.len());
        };
        let (message, end) = decode(frame)?;
        let blank = self.protocol.is_text() && frame[end..].trim_ascii().is_empty();
        if end < length && !blank {
            bail!("the message ends after {end} of the frame's {length} bytes");
        }
        Ok((message, 4 + length))
    }
}

/// Returns the number of undeclared fields.
fn undeclared(value: &Value) -> usize {
    match value {
        Value::List(List { values, .. }) | Value::Set(List { values, .. }) => {
            values.iter().map(undeclared).sum()
        }
        Value::Map(map) => {
            let entries = map.entries.iter();
            entries
                .map(|(key, value)| undeclared(key) + undeclared(value))
                .sum()
        }
        Value::Struct(fields) => undeclared_fields(fields),
        _ => 0,
    }
}

fn undeclared_fields(Struct { fields }: &Struct) -> usize {
    let fields = fields.iter();
    let counts =
        fields.map(|(field, value)| usize::from(field.name.is_empty()) + undeclared(value));
    counts.sum()
}
