//! The library as a whole: its version, its backends, and the messages of statuses.

use crate::result::*;
use bytelane::Backend;
use core::ffi::{CStr, c_char, c_int};

/// Returns the version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Describes a status in an English phrase; never null, even for numbers that are not a status.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_status_message(status: c_int) -> *const c_char {
    message(status).as_ptr()
}

fn message(status: c_int) -> &'static CStr {
    const MESSAGES: &[(bytelane_status, &CStr)] = &[
        (BYTELANE_OK, c"success"),
        (BYTELANE_NULL, c"a pointer is null, but its length is not 0"),
        (BYTELANE_LENGTH, c"a buffer has more than PTRDIFF_MAX bytes"),
        (BYTELANE_OVERLAP, c"the buffers overlap"),
        (
            BYTELANE_MISALIGNED,
            c"a pointer to values is not aligned to their size",
        ),
        (
            BYTELANE_ARGUMENT,
            c"a width, a variant, a flag or a name that does not exist",
        ),
        (BYTELANE_DESTINATION, c"the destination is too short"),
        (
            BYTELANE_INDIVISIBLE,
            c"the length of the input is not a multiple of the width",
        ),
        (BYTELANE_RANGE, c"the range is not within the values"),
        (BYTELANE_UNAVAILABLE, c"this CPU lacks the backend"),
        (BYTELANE_MALFORMED, c"the input is malformed"),
        (BYTELANE_TRUNCATED, c"the input ends too early"),
        (
            BYTELANE_OVERLONG,
            c"a varint has more bytes than its type allows",
        ),
        (
            BYTELANE_OVERFLOW,
            c"the value of a varint does not fit its type",
        ),
        (
            BYTELANE_INVALID_BYTE,
            c"a byte that is not in the base64 alphabet",
        ),
        (
            BYTELANE_INVALID_PADDING,
            c"the padding is missing or not allowed",
        ),
        (
            BYTELANE_INVALID_LAST_SYMBOL,
            c"the last character has bits beyond the last byte",
        ),
        (BYTELANE_INVALID_UTF8, c"invalid UTF-8"),
        (BYTELANE_UNEXPECTED_QUOTE, c"an unescaped quote"),
        (
            BYTELANE_CONTROL_CHARACTER,
            c"an unescaped control character",
        ),
        (BYTELANE_INVALID_ESCAPE, c"an unknown escape"),
        (BYTELANE_INVALID_HEX, c"\\u without four hexadecimal digits"),
        (
            BYTELANE_LONE_SURROGATE,
            c"one half of a surrogate pair without the other",
        ),
        (BYTELANE_INVALID_VALUE, c"a value does not fit the width"),
        (BYTELANE_UNKNOWN_CODE, c"a code without a symbol"),
    ];
    let known = MESSAGES.iter().find(|(known, _)| *known as c_int == status);
    known.map_or(c"an unknown status", |(_, message)| message)
}

/// Returns the name of the instruction set that all calls use, such as "avx2". It is the best one
/// of this CPU unless `bytelane_set_backend` chose another.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_backend() -> *const c_char {
    let name = match Backend::active() {
        Backend::Scalar => c"scalar",
        Backend::Sse41 => c"sse4.1",
        Backend::Avx2 => c"avx2",
        Backend::Avx512 => c"avx512",
        Backend::Neon => c"neon",
        _ => c"unknown",
    };
    name.as_ptr()
}

/// Makes all later calls in this process use the instruction set of this name: `scalar`, `sse4.1`,
/// `avx2`, `avx512` or `neon`. For tests and measurements.
///
/// Fails with `BYTELANE_ARGUMENT` for an unknown name, and with `BYTELANE_UNAVAILABLE` if this CPU
/// lacks it; nothing changes then. `name` ends with a null byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bytelane_set_backend(name: *const c_char) -> bytelane_status {
    if name.is_null() {
        return BYTELANE_NULL;
    }
    // SAFETY: it is not null, and the caller promises a string that ends with a null byte.
    let name = unsafe { CStr::from_ptr(name) };
    let Some(backend) = name.to_str().ok().and_then(|name| name.parse().ok()) else {
        return BYTELANE_ARGUMENT;
    };
    match Backend::set_active(backend) {
        Ok(()) => BYTELANE_OK,
        Err(_) => BYTELANE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_message_of_its_own() {
        let mut seen = Vec::new();
        for status in BYTELANE_OK as c_int..=BYTELANE_UNKNOWN_CODE as c_int {
            let message = message(status);
            assert!(!seen.contains(&message) && message != c"an unknown status");
            seen.push(message);
        }
        assert_eq!(message(-1), c"an unknown status");
        assert_eq!(
            message(BYTELANE_UNKNOWN_CODE as c_int + 1),
            c"an unknown status"
        );
    }

    #[test]
    fn backends_have_the_names_of_the_core() {
        for backend in Backend::available() {
            Backend::set_active(backend).unwrap();
            // SAFETY: a literal of this module.
            let name = unsafe { CStr::from_ptr(bytelane_backend()) };
            assert_eq!(name.to_str(), Ok(backend.name()));
        }
        // SAFETY: strings that end with a null byte, or null.
        let set = |name: *const c_char| unsafe { bytelane_set_backend(name) };
        assert_eq!(set(c"nonsense".as_ptr()), BYTELANE_ARGUMENT);
        assert_eq!(set(core::ptr::null()), BYTELANE_NULL);
        assert_eq!(set(c"scalar".as_ptr()), BYTELANE_OK);
    }
}
