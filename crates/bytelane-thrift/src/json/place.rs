//! Reads a message in several calls, as the crate `thrift` does.

use super::read::JsonReader;
use super::text::Text;
use crate::Options;
use crate::input::Input;

/// Position of a reader in its message, without the message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    offset: usize,
    options: Options,
    separator: u8,
    key: bool,
}

impl Place {
    /// Returns the position at the start of a message.
    pub(crate) fn start(options: &Options) -> Self {
        Self {
            offset: 0,
            options: *options,
            separator: 0,
            key: false,
        }
    }
}

impl<'de, const SIMPLE: bool> JsonReader<'de, SIMPLE> {
    /// Resumes reading a message.
    pub(crate) fn resume(message: &'de [u8], place: Place) -> Self {
        Self {
            text: Text {
                input: Input::behind(message, place.offset, place.options),
                separator: place.separator,
            },
            key: place.key,
        }
    }

    /// Returns the position at which to resume reading the message.
    pub(crate) fn suspend(self) -> Place {
        Place {
            offset: self.text.input.offset(),
            options: self.text.input.options(),
            separator: self.text.separator,
            key: self.key,
        }
    }
}
