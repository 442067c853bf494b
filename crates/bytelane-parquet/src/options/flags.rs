//! Parses the flags of options.

use super::encoding::Encoding;
use crate::{Error, Problem, Result};
pub use clap::ArgAction;
use clap::builder::{BoolValueParser, PossibleValuesParser, TypedValueParser};
use std::fmt::Display;
use std::num::{NonZero, ParseIntError};
use std::str::FromStr;

/// Returns the parser of the name of one of these values.
pub fn names<T: FromStr<Err = Error> + Clone + Copy + Send + Sync + 'static>(
    all: &[T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|value| name(*value))).try_map(|name| name.parse())
}

/// Returns the parser of a flag that stands for one of two values.
pub fn switch<T: From<bool> + Clone + Send + Sync + 'static>() -> impl TypedValueParser<Value = T> {
    BoolValueParser::new().map(T::from)
}

/// Parses a number above 0.
pub fn count(text: &str) -> std::result::Result<usize, ParseIntError> {
    text.parse().map(NonZero::get)
}

/// Parses a value for a name: `NAME=VALUE`.
pub fn pair<T: FromStr<Err: Display>>(text: &str) -> std::result::Result<(String, T), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("the form is NAME=VALUE")?;
    let value = value.parse().map_err(|error: T::Err| error.to_string())?;
    Ok((name.to_owned(), value))
}

/// Parses the encoding of a column: `price=byte_stream_split`.
pub fn column_encoding(text: &str) -> Result<(String, Encoding)> {
    let (name, encoding) = text.rsplit_once('=').ok_or_else(|| {
        Problem::Option("give NAME=ENCODING, as in price=byte_stream_split".to_owned())
    })?;
    Ok((name.to_owned(), encoding.parse()?))
}
