//! Messages of any type in a protocol that is chosen at run time.

use bytelane_measure::rounds::Subject;
use bytelane_thrift::{
    Binary, DecodeOwned, Encode, Error, FbthriftCompact, Json, Message, SimpleJson,
};
use clap::ValueEnum;
use std::fmt::Debug;
use std::hint::black_box;

/// Thrift protocol. Compact is fbthrift's dialect, like the benchmark: Apache's has no floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Protocol {
    Binary,
    Compact,
    Json,
    SimpleJson,
}

impl Protocol {
    pub const ALL: [Self; 4] = [Self::Binary, Self::Compact, Self::Json, Self::SimpleJson];

    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Compact => "compact",
            Self::Json => "json",
            Self::SimpleJson => "simple_json",
        }
    }
}

/// Evaluates an expression with the type of the protocol.
macro_rules! with {
    ($protocol:expr, $P:ident => $value:expr) => {
        match $protocol {
            Protocol::Binary => {
                type $P = Binary;
                $value
            }
            Protocol::Compact => {
                type $P = FbthriftCompact;
                $value
            }
            Protocol::Json => {
                type $P = Json;
                $value
            }
            Protocol::SimpleJson => {
                type $P = SimpleJson;
                $value
            }
        }
    };
}

/// Value with its messages.
pub trait Messages: Debug {
    /// Returns the message.
    fn encoded(&self, protocol: Protocol) -> Result<Vec<u8>, Error>;

    /// Returns whether the message decodes to this value.
    fn is_decoded(&self, protocol: Protocol, message: &[u8]) -> Result<bool, Error>;

    /// Returns a subject that writes the message to a new `Vec`.
    fn write<'a>(&'a self, protocol: Protocol, name: &str) -> Subject<'a>;

    /// Returns a subject that reads the message into a new value and drops it.
    fn read<'a>(&self, protocol: Protocol, name: &str, message: &'a [u8]) -> Subject<'a>;
}

impl<T> Messages for T
where
    T: Message + Encode + DecodeOwned + PartialEq + Debug + 'static,
{
    fn encoded(&self, protocol: Protocol) -> Result<Vec<u8>, Error> {
        with!(protocol, P => self.encode::<P>())
    }

    fn is_decoded(&self, protocol: Protocol, message: &[u8]) -> Result<bool, Error> {
        Ok(*self == with!(protocol, P => T::decode::<P>(message))?)
    }

    fn write<'a>(&'a self, protocol: Protocol, name: &str) -> Subject<'a> {
        with!(protocol, P => Subject::new(name, move |_| {
            let _ = black_box(black_box(self).encode::<P>());
        }))
    }

    fn read<'a>(&self, protocol: Protocol, name: &str, message: &'a [u8]) -> Subject<'a> {
        with!(protocol, P => Subject::new(name, move |_| {
            let _ = black_box(T::decode::<P>(black_box(message)));
        }))
    }
}
