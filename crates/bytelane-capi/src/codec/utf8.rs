//! UTF-8, RFC 3629.

use crate::buffers::{both, input};
use crate::result::*;
use bytelane::DestinationError;
use bytelane::utf8::{self, ErrorKind};

/// Checks that bytes are UTF-8. `count` is the number of characters.
///
/// Fails with `BYTELANE_INVALID_UTF8`, or with `BYTELANE_TRUNCATED` if the input ends within a
/// character; `offset` is the length of the text before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_utf8_validate(
    src: *const u8,
    src_length: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `input` requires.
        let text = utf8::validate(unsafe { input(src, src_length) }?)?;
        Ok(bytelane_result::ok(src_length, utf8::count_chars(text)))
    })
}

/// Copies bytes if they are UTF-8, to a destination of at least the same length.
///
/// Fails in the same cases as `bytelane_utf8_validate`; nothing is written then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_utf8_copy(
    src: *const u8,
    src_length: usize,
    dst: *mut u8,
    dst_length: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `both` requires.
        let (src, dst) = unsafe { both((src, src_length), (dst, dst_length)) }?;
        let text = utf8::validate(src)?;
        check_room(dst.len(), src.len())?;
        dst[..src.len()].write_copy_of_slice(text.as_bytes());
        Ok(bytelane_result::ok(src_length, src_length))
    })
}

/// Tests for ASCII: `count` is 1 if all bytes are ASCII.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_utf8_is_ascii(
    src: *const u8,
    src_length: usize,
) -> bytelane_result {
    catching(|| {
        // SAFETY: the caller promises what `input` requires.
        let is_ascii = utf8::is_ascii(unsafe { input(src, src_length) }?);
        Ok(bytelane_result::ok(src_length, usize::from(is_ascii)))
    })
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
