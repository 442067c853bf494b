//! Checks that strings are UTF-8; other values may be any bytes.

use super::encodings::plain::Entries;
use crate::memory::NotText;
use crate::{Error, Result};
use bytelane::{Detected, utf8};

/// Returns an error if an entry is not UTF-8.
pub(super) fn check(backend: Detected, entries: &Entries) -> Result<()> {
    // Lengths below 128 between the entries are ASCII as well.
    if utf8::is_ascii_with(backend, &entries.bytes) {
        return Ok(());
    }
    for (index, entry) in entries.iter().enumerate() {
        if let Err(error) = utf8::validate_with(backend, entry) {
            return Err(fault(
                &format!("the value {index} of the dictionary"),
                &error,
            ));
        }
    }
    Ok(())
}

impl From<NotText> for Error {
    fn from(value: NotText) -> Self {
        fault(
            &format!("the value {} of the array", value.index),
            &value.error,
        )
    }
}

fn fault(value: &str, error: &utf8::Error) -> Error {
    Error::corrupt(format!(
        "{value} is not UTF-8: {error}; read the column as Binary, which can have any bytes"
    ))
}
