//! UTF-8, RFC 3629.

use crate::exports::exports;
use crate::result::*;
use bytelane::DestinationError;
use bytelane::utf8::{self, ErrorKind};
use core::mem::MaybeUninit;

exports! {
    validate(; src: [u8; src_length];) {
        /// Checks that bytes are UTF-8. `count` is the number of characters.
        ///
        /// Fails with `BYTELANE_INVALID_UTF8`, or with `BYTELANE_TRUNCATED` if the input ends within a
        /// character; `offset` is the length of the text before it.
        bytelane_utf8_validate;
    }

    copy(; src: [u8; src_length];; dst: [u8; dst_length]) {
        /// Copies bytes if they are UTF-8, to a destination of at least the same length.
        ///
        /// Fails in the same cases as `bytelane_utf8_validate`; nothing is written then.
        bytelane_utf8_copy;
    }

    is_ascii(; src: [u8; src_length];) {
        /// Tests for ASCII: `count` is 1 if all bytes are ASCII.
        bytelane_utf8_is_ascii;
    }
}

fn validate(src: &[u8]) -> Answer {
    let text = utf8::validate(src)?;
    Ok(bytelane_result::ok(src.len(), utf8::count_chars(text)))
}

fn copy(src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Answer {
    let text = utf8::validate(src)?;
    check_room(dst.len(), src.len(), || src.len())?;
    dst[..src.len()].write_copy_of_slice(text.as_bytes());
    Ok(bytelane_result::ok(src.len(), src.len()))
}

fn is_ascii(src: &[u8]) -> Answer {
    let is_ascii = utf8::is_ascii(src);
    Ok(bytelane_result::ok(src.len(), usize::from(is_ascii)))
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::UnexpectedEnd => BYTELANE_TRUNCATED,
            Self::InvalidUtf8 { .. } => BYTELANE_INVALID_UTF8,
            _ => BYTELANE_MALFORMED,
        })
    }
}
