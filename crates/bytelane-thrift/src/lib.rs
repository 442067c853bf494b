#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// The code of the derive macro uses this crate's name, here as elsewhere.
extern crate self as bytelane_thrift;

#[cfg(feature = "apache")]
pub mod apache;
mod binary;
mod compact;
#[doc(hidden)]
pub mod derived;
pub mod dynamic;
mod element;
mod error;
pub mod header;
mod input;
mod json;
mod layout;
mod limits;
mod mask;
mod message;
mod output;
mod protocol;
#[cfg(feature = "serde")]
mod serde;
pub mod service;
mod unknown;
mod values;
mod wire;

pub use binary::{Binary, BinaryReader, BinaryWriter};
pub use bytelane_thrift_derive::Thrift;
pub use compact::{
    Apache, Compact, CompactReader, CompactWriter, Dialect, Fbthrift, FbthriftCompact, Outlines,
};
pub use element::{Decode, DecodeOwned, Element, Encode};
pub use error::{Error, ErrorKind};
pub use input::{Input, Mark};
pub use json::{Json, JsonProtocol, JsonReader, JsonWriter, SimpleJson};
pub use limits::{Limits, Options};
pub use mask::{FieldMask, InvalidPath};
pub use message::{
    ApplicationException, ApplicationExceptionKind, Body, Message, framed, unframed,
};
pub use output::{Length, Output};
pub use protocol::{Protocol, Reader, Writer};
pub use unknown::{UnknownField, UnknownFields};
pub use values::{Double, Float, InvalidUuid, Uuid};
pub use wire::{Envelope, Field, FieldHeader, Frame, Items, MessageKind, Segment, Type};

/// Code of the page, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/getting-started/thrift.md")]
mod getting_started {}
