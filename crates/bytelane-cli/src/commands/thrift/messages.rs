//! Types and protocols of messages that `cat` and `encode` share.

use anyhow::{Context, bail};
use bytelane_thrift::dynamic::{Call, Schema, Value, ValueType};
use bytelane_thrift::{Binary, Compact, Error, FbthriftCompact, Json, Options, SimpleJson};
use bytelane_thrift_build::Compiler;
use clap::ValueEnum;
use std::fmt;
use std::path::PathBuf;

/// Protocol of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Protocol {
    /// Apache's binary protocol
    Binary,
    /// Apache's compact protocol
    Compact,
    /// fbthrift's compact protocol
    FbthriftCompact,
    /// Thrift's JSON, with ids and types
    Json,
    /// SimpleJSON, with names
    SimpleJson,
}

/// Calls a generic function with a protocol.
macro_rules! dispatch {
    ($protocol:expr, $($function:ident).+ ( $($argument:expr),* )) => {
        match $protocol {
            Protocol::Binary => $($function).+::<Binary>($($argument),*),
            Protocol::Compact => $($function).+::<Compact>($($argument),*),
            Protocol::FbthriftCompact => $($function).+::<FbthriftCompact>($($argument),*),
            Protocol::Json => $($function).+::<Json>($($argument),*),
            Protocol::SimpleJson => $($function).+::<SimpleJson>($($argument),*),
        }
    };
}

impl Protocol {
    /// Returns whether messages are text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Json | Self::SimpleJson)
    }

    /// Returns the message at the start of `bytes`, and its length.
    pub fn decode(self, messages: &Messages, bytes: &[u8]) -> Result<(Value, usize), Error> {
        let Messages { schema, ty } = messages;
        let options = Options::default();
        dispatch!(self, schema.decode_prefix_with(ty, bytes, options))
    }

    /// Returns the call or reply at the start of `bytes`, and its length.
    pub fn decode_call(
        self,
        messages: &Messages,
        service: Option<&str>,
        bytes: &[u8],
    ) -> Result<(Call, usize), Error> {
        let Messages { schema, .. } = messages;
        let options = Options::default();
        dispatch!(self, schema.decode_call(service, bytes, options))
    }

    /// Returns the bytes of a message.
    pub fn encode(self, message: &Message) -> Result<Vec<u8>, Error> {
        match message {
            Message::Value(value) => dispatch!(self, value.encode()),
            Message::Call(call) => dispatch!(self, call.encode()),
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binary => "binary",
            Self::Compact => "compact",
            Self::FbthriftCompact => "fbthrift_compact",
            Self::Json => "json",
            Self::SimpleJson => "simple_json",
        })
    }
}

/// A message.
pub enum Message {
    Value(Value),
    Call(Call),
}

/// Options for messages that are calls.
#[derive(Debug, clap::Args)]
pub struct CallArguments {
    /// The messages are calls and replies of services; their names find the types in the IDL
    #[arg(long, conflicts_with = "ty")]
    pub calls: bool,
    /// The service of the calls, if several have functions of the same name
    #[arg(long, value_name = "NAME", requires = "calls", requires = "idl")]
    pub service: Option<String>,
}

impl CallArguments {
    /// Opens the IDL of the messages, and checks that it has the service.
    pub fn open(&self, ty: &TypeArguments) -> anyhow::Result<Messages> {
        let messages = ty.open(!self.calls)?;
        if let Some(service) = &self.service {
            let functions = messages.schema.functions().iter();
            let mut names: Vec<_> = functions.map(|it| &*it.service).collect();
            names.dedup();
            if !names.contains(&&**service) {
                let names = names.join(", ");
                bail!(
                    "--service: the IDL has no functions of a service {service}; its services are {names}"
                );
            }
        }
        Ok(messages)
    }
}

/// Options that name the type of the messages.
#[derive(Debug, clap::Args)]
pub struct TypeArguments {
    /// The IDL file that declares the type of the messages
    #[arg(long, value_name = "FILE")]
    idl: Option<PathBuf>,
    /// The type of the messages: a struct of the IDL, or a list<T>, set<T> or map<K, V>
    #[arg(id = "ty", long = "type", value_name = "TYPE")]
    ty: Option<String>,
    /// A directory to search for included IDL files, besides that of the including file
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
}

/// Type of the messages, and the schema that it belongs to.
#[derive(Debug)]
pub struct Messages {
    pub schema: Schema,
    pub ty: ValueType,
}

impl TypeArguments {
    /// Opens the IDL; `has_type` is false if it finds the types of messages by itself.
    fn open(&self, needs_type: bool) -> anyhow::Result<Messages> {
        if needs_type && self.idl.is_some() && self.ty.is_none() {
            bail!("--idl needs --type, the type of the messages");
        }
        let schema = match &self.idl {
            Some(idl) => {
                let directories = self.include.iter();
                let compiler = directories.fold(Compiler::new(), |compiler, directory| {
                    compiler.include(directory)
                });
                compiler.schema(&[idl])?
            }
            None => Schema::default(),
        };
        let name = self.ty.as_deref().unwrap_or("struct");
        let ty = schema.parse_type(name).context("--type")?;
        if !matches!(
            ty,
            ValueType::Struct(_)
                | ValueType::AnyStruct
                | ValueType::List(_)
                | ValueType::Set(_)
                | ValueType::Map(..)
        ) {
            bail!("--type: messages are structs, lists, sets or maps, not values of `{name}`");
        }
        Ok(Messages { schema, ty })
    }
}

impl Messages {
    /// Returns whether field names are known, without which SimpleJSON cannot be read.
    pub fn has_names(&self) -> bool {
        !self.schema.structs().is_empty()
    }
}
