//! The C functions of every codec of the catalog, and their comparison with the catalog. The fuzz
//! target `c_functions` uses it too.

mod codecs;

pub use codecs::CODECS;

use bytelane::Backend;
use bytelane_capi::result::*;
use bytelane_catalog::stream::AlignedBytes;
use bytelane_catalog::{Codec, Entry};

/// A C function from one buffer to another: pointer and length, twice.
pub type Function = Box<dyn Fn(*const u8, usize, *mut u8, usize) -> bytelane_result + Send + Sync>;

/// C functions of a codec with some parameters.
pub struct Functions {
    pub encode: Function,
    pub decode: Function,
    /// Size of a value in bytes: the unit in which `encode` counts its input and `decode` its
    /// destination.
    pub unit: usize,
    /// Bytes at the beginning of an encoded text that `decode` expects to be consumed already.
    pub opening: &'static [u8],
}

/// A codec of the catalog with parameters, and its C functions.
pub struct Case {
    pub name: String,
    pub codec: Box<dyn Codec>,
    pub functions: Functions,
}

/// Returns every case of every codec, except those without C functions: cases in which the caller
/// splits a list into blocks, chooses an effort, looks up entries of dictionaries, or has a bitmap.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for entry in bytelane_catalog::CODECS {
        let functions = functions_of(entry);
        let others = ["block=", "effort=", "entries=", "spread="];
        let is_in_c = |case: &&&str| !others.iter().any(|other| case.contains(other));
        for &case in entry.cases.iter().filter(is_in_c) {
            let (parameters, functions) = functions(case);
            cases.push(Case {
                name: format!("{}:{parameters}", entry.name),
                codec: entry.open(&parameters).expect("a case of the catalog"),
                functions,
            });
        }
    }
    cases
}

/// Returns the row of a codec of the catalog.
fn functions_of(entry: &Entry) -> codecs::Make {
    let row = CODECS.iter().find(|(name, _)| *name == entry.name);
    row.unwrap_or_else(|| {
        panic!(
            "`{}` has no C functions: docs/getting-started/c.md, \"Adding a codec\"",
            entry.name
        )
    })
    .1
}

/// Byte that fills a destination before a call.
const FRESH: u8 = 0xa5;

/// Number of bytes after a destination, which must not change.
const BEHIND: usize = 64;

/// A destination, with bytes around it.
struct Room {
    bytes: AlignedBytes,
    length: usize,
}

impl Room {
    fn new(length: usize) -> Self {
        let mut bytes = AlignedBytes::default();
        bytes.resize(length + BEHIND);
        bytes.fill(FRESH);
        Self { bytes, length }
    }

    /// Calls a function with this destination. Checks the properties of every call.
    fn call(&mut self, function: &Function, src: &[u8], units: (usize, usize)) -> bytelane_result {
        let dst = self.bytes.as_mut_ptr();
        let result = function(
            src.as_ptr(),
            src.len() / units.0,
            dst,
            self.length / units.1,
        );
        assert!(self.bytes[self.length..].iter().all(|&byte| byte == FRESH));
        match result.status {
            BYTELANE_OK => {
                assert!(result.offset * units.0 <= src.len());
                assert!(result.count * units.1 <= self.length);
            }
            status if (status as u32) < BYTELANE_MALFORMED as u32 => {
                assert_eq!(result.offset, BYTELANE_NOWHERE);
                assert!(self.bytes.iter().all(|&byte| byte == FRESH), "it wrote");
            }
            _ => assert_eq!(result.count, 0),
        }
        result
    }
}

impl Case {
    /// Encodes values to a destination with `more` bytes more or less than they need; the result
    /// must be that of the catalog. Encoded values are decoded again.
    pub fn check_encoding(&self, values: &[u8], more: isize) {
        let unit = self.functions.unit;
        let values = aligned(&values[..values.len() - values.len() % self.codec.width()]);
        let mut expected = vec![0; self.codec.max_encoded_len(values.len())];
        let length = self.codec.encode(Backend::Scalar, &values, &mut expected);
        let needed = *length.as_ref().unwrap_or(&expected.len());
        let mut room = Room::new(needed.saturating_add_signed(more));
        let result = room.call(&self.functions.encode, &values, (unit, 1));
        let Ok(length) = length else {
            // A destination that is too short may be rejected without looking at the values.
            let is_short = result == too_short(result.count)
                && room.length < result.count
                && result.count <= needed;
            let is_malformed = result.status as u32 >= BYTELANE_MALFORMED as u32;
            assert!(is_malformed || is_short, "{}", self.name);
            return;
        };
        if room.length < needed {
            assert_eq!(result, too_short(needed), "{}", self.name);
            return;
        }
        let whole = (BYTELANE_OK, values.len() / unit, length);
        assert_eq!(
            (result.status, result.offset, result.count),
            whole,
            "{}",
            self.name
        );
        assert!(room.bytes[..length] == expected[..length], "{}", self.name);
        self.check_decoding(&expected[..length], values.len());
    }

    /// Decodes bytes to a destination of `room` elements; the result must be that of the catalog.
    pub fn check_decoding(&self, encoded: &[u8], room: usize) {
        let (unit, opening) = (self.functions.unit, self.functions.opening);
        let Some(rest) = encoded.strip_prefix(opening) else {
            return;
        };
        let room = room - room % self.codec.width();
        let mut expected = aligned(&vec![0; room]);
        let decoded = self.codec.decode(Backend::Scalar, encoded, &mut expected);
        let mut room = Room::new(room);
        let result = room.call(&self.functions.decode, rest, (1, unit));
        match decoded {
            Ok(decoded) => {
                let count = decoded.written / unit;
                let all = (BYTELANE_OK, count);
                assert_eq!((result.status, result.count), all, "{}", self.name);
                let read = opening.len() + result.offset;
                assert!(read == decoded.read || !opening.is_empty(), "{}", self.name);
                let written = decoded.written;
                assert!(
                    room.bytes[..written] == expected[..written],
                    "{}",
                    self.name
                );
            }
            Err(error) if result.status == BYTELANE_OK => {
                let read = opening.len() + result.offset;
                assert!(
                    read < encoded.len(),
                    "{}: C accepts it, but: {error}",
                    self.name
                );
            }
            Err(error) if result.offset != BYTELANE_NOWHERE => {
                let place = format!("offset {}: ", opening.len() + result.offset);
                assert!(
                    error.to_string().starts_with(&place),
                    "{}: {error}",
                    self.name
                );
            }
            Err(_) => {}
        }
    }
}

fn too_short(needed: usize) -> bytelane_result {
    bytelane_result {
        status: BYTELANE_DESTINATION,
        offset: BYTELANE_NOWHERE,
        count: needed,
    }
}

fn aligned(bytes: &[u8]) -> AlignedBytes {
    let mut aligned = AlignedBytes::default();
    aligned.resize(bytes.len());
    aligned.copy_from_slice(bytes);
    aligned
}

/// Runs one input of the fuzz target: the first bytes choose the case, the direction and the room;
/// the others are the input of the C function.
pub fn run(cases: &[Case], input: &[u8]) {
    let Some((&[case, direction, room], body)) = input.split_first_chunk() else {
        return;
    };
    let case = &cases[usize::from(case) % cases.len()];
    match direction % 2 {
        0 => case.check_encoding(body, (room as i8).into()),
        _ => {
            let most = case.codec.max_decoded_len(body.len());
            let room = match room {
                255 => most,
                values => usize::from(values) * case.codec.width(),
            };
            case.check_decoding(body, room);
        }
    }
}
