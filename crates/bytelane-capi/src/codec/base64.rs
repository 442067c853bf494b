//! Base64, RFC 4648.

use crate::exports::exports;
use crate::result::*;
use bytelane::base64::{Alphabet, DecodePadding, Engine, ErrorKind, STANDARD, decoded_len};
use bytelane::{DestinationError, Detected};
use core::mem::MaybeUninit;

/// Flag of the base64 functions: `-` and `_` instead of `+` and `/`.
pub const BYTELANE_BASE64_URL_SAFE: u32 = 1;

/// Flag of the base64 functions: no padding, neither written nor accepted. Without it, padding is
/// written and required.
pub const BYTELANE_BASE64_NO_PADDING: u32 = 2;

/// Flag of the base64 functions: accept text with or without padding.
pub const BYTELANE_BASE64_PADDING_OPTIONAL: u32 = 4;

/// Flag of the base64 functions: accept a last character with bits beyond the last byte.
pub const BYTELANE_BASE64_TRAILING_BITS: u32 = 8;

/// Returns the number of characters that `bytelane_base64_encode` writes for `length` bytes:
/// `SIZE_MAX` if it does not fit in a `size_t` or a flag does not exist.
#[unsafe(no_mangle)]
pub extern "C" fn bytelane_base64_encoded_length(length: usize, flags: u32) -> usize {
    let engine = engine(flags).ok();
    let encoded = engine.and_then(|engine| engine.encoded_len(length));
    encoded.unwrap_or(usize::MAX)
}

exports! {
    encode(; src: [u8; src_length]; flags: u32 = 0; dst: [u8; dst_length]) {
        /// Writes bytes as text, without a null byte at its end. The result has
        /// `bytelane_base64_encoded_length` characters.
        ///
        /// `flags` is 0 or a sum of `BYTELANE_BASE64_..`.
        bytelane_base64_encode;
    }

    decoded_length(; src: [u8; src_length];) {
        /// Counts the bytes that a text encodes, if it is valid: `count` is their number. It looks only at
        /// the length and the last two characters.
        bytelane_base64_decoded_length;
    }

    decode(; src: [u8; src_length]; flags: u32 = 0; dst: [u8; dst_length]) {
        /// Decodes all of a text. Whitespace and everything else that no encoder writes is an error, unless
        /// a flag says otherwise. `src_length / 4 * 3 + 2` bytes are always enough room.
        ///
        /// `flags` is 0 or a sum of `BYTELANE_BASE64_..`. Fails with `BYTELANE_INVALID_BYTE`,
        /// `BYTELANE_INVALID_PADDING`, `BYTELANE_INVALID_LAST_SYMBOL` or, if the last group has only one
        /// character, `BYTELANE_TRUNCATED`.
        bytelane_base64_decode;
    }
}

fn encode(src: &[u8], flags: u32, dst: &mut [MaybeUninit<u8>]) -> Answer {
    let engine = engine(flags)?;
    let written = engine.encode_with(Detected::active(), src, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}

fn decoded_length(src: &[u8]) -> Answer {
    Ok(bytelane_result::ok(src.len(), decoded_len(src)))
}

fn decode(src: &[u8], flags: u32, dst: &mut [MaybeUninit<u8>]) -> Answer {
    let engine = engine(flags)?;
    let written = engine.decode_with(Detected::active(), src, dst)?;
    Ok(bytelane_result::ok(src.len(), written.len()))
}

#[inline(always)]
fn engine(flags: u32) -> Result<Engine, bytelane_status> {
    let engine = ENGINES.get(flags as usize);
    engine.copied().ok_or(BYTELANE_ARGUMENT)
}

/// Engines for all flags, so that a short call need not build one.
static ENGINES: [Engine; 16] = {
    let mut engines = [STANDARD; 16];
    let mut flags = 0;
    while flags < engines.len() {
        engines[flags] = engine_of(flags as u32);
        flags += 1;
    }
    engines
};

const fn engine_of(flags: u32) -> Engine {
    let alphabet = match flags & BYTELANE_BASE64_URL_SAFE {
        0 => Alphabet::Standard,
        _ => Alphabet::UrlSafe,
    };
    let writes = flags & BYTELANE_BASE64_NO_PADDING == 0;
    let optional = flags & BYTELANE_BASE64_PADDING_OPTIONAL != 0;
    let accepted = match (optional, writes) {
        (true, _) => DecodePadding::Either,
        (false, true) => DecodePadding::Required,
        (false, false) => DecodePadding::None,
    };
    Engine::new(alphabet)
        .with_encode_padding(writes)
        .with_decode_padding(accepted)
        .with_decode_allow_trailing_bits(flags & BYTELANE_BASE64_TRAILING_BITS != 0)
}

impl Kind for ErrorKind {
    fn status(self) -> Result<bytelane_status, DestinationError> {
        Ok(match self {
            Self::InvalidByte(_) => BYTELANE_INVALID_BYTE,
            Self::InvalidLength => BYTELANE_TRUNCATED,
            Self::InvalidPadding => BYTELANE_INVALID_PADDING,
            Self::InvalidLastSymbol(_) => BYTELANE_INVALID_LAST_SYMBOL,
            Self::Destination(error) => return Err(error),
            _ => BYTELANE_MALFORMED,
        })
    }
}
