//! bytelane's own C libraries, loaded as by a C program. Left out unless their environment
//! variables are set: `docs/lab-notes/c.md` has the command.

use super::wheel::Wheel;
use super::{Peer, Work};
use libloading::Library;

/// Result of every function.
#[repr(C)]
struct Done {
    status: i32,
    offset: usize,
    count: usize,
}

impl Done {
    fn count(self) -> usize {
        assert_eq!(self.status, 0, "at {}", self.offset);
        self.count
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Format {
    variant: u32,
    flags: u32,
    start: u64,
}

type Base64 = unsafe extern "C" fn(*const u8, usize, u32, *mut u8, usize) -> Done;
type Encode = unsafe extern "C" fn(Format, *const u32, usize, *mut u8, usize) -> Done;
type Decode = unsafe extern "C" fn(Format, *const u8, usize, *mut u32, usize) -> Done;

fn checked() -> anyhow::Result<Option<&'static Library>> {
    load("bytelane from C", "BYTELANE_PEERS_LIBBYTELANE")
}

fn trusting() -> anyhow::Result<Option<&'static Library>> {
    load(
        "bytelane as streamvbyte",
        "BYTELANE_PEERS_LIBBYTELANE_STREAMVBYTE",
    )
}

/// Loads a library if it was named. Nothing is missing from a comparison without it.
fn load(library: &'static str, variable: &'static str) -> anyhow::Result<Option<&'static Library>> {
    if std::env::var_os(variable).is_none() {
        return Ok(None);
    }
    Wheel { library, variable }.load()
}

/// Returns a function of a library.
///
/// # Safety
///
/// It has this type.
unsafe fn function<T: Copy>(library: &'static Library, name: &str) -> anyhow::Result<T> {
    // SAFETY: the caller guarantees the type.
    Ok(*unsafe { library.get::<T>(name.as_bytes()) }?)
}

/// Creates a peer for `base64`, if the library was named.
pub fn base64() -> anyhow::Result<Option<Peer>> {
    let Some(library) = checked()? else {
        return Ok(None);
    };
    let call = |name| -> anyhow::Result<Work<'static>> {
        // SAFETY: the type is that of the header, for both functions.
        let function: Base64 = unsafe { function(library, name) }?;
        Ok(Box::new(move |src, dst| {
            // SAFETY: both slices are valid.
            unsafe { function(src.as_ptr(), src.len(), 0, dst.as_mut_ptr(), dst.len()) }.count()
        }))
    };
    Ok(Some(Peer::new(
        "bytelane from C",
        call("bytelane_base64_encode")?,
        call("bytelane_base64_decode")?,
    )))
}

/// Creates peers for 32-bit `stream_vbyte`, through both libraries; `of_original` is the part of
/// the names in the original library that identifies the format.
pub fn stream_vbyte(variant: u32, flags: u32, of_original: &str) -> anyhow::Result<Vec<Peer>> {
    let format = Format {
        variant,
        flags,
        start: 0,
    };
    let mut peers = Vec::new();
    if let Some(library) = checked()? {
        // SAFETY: the types are those of the header.
        let encode: Encode = unsafe { function(library, "bytelane_stream_vbyte_encode_u32") }?;
        // SAFETY: as above.
        let decode: Decode = unsafe { function(library, "bytelane_stream_vbyte_decode_u32") }?;
        let encode: Work = Box::new(move |values, bytes| {
            let (values, count) = (values.as_ptr().cast(), values.len() / 4);
            // SAFETY: both slices are valid; buffers are aligned.
            unsafe { encode(format, values, count, bytes.as_mut_ptr(), bytes.len()) }.count()
        });
        let decode: Work = Box::new(move |bytes, values| {
            let (to, count) = (values.as_mut_ptr().cast(), values.len() / 4);
            // SAFETY: as above.
            4 * unsafe { decode(format, bytes.as_ptr(), bytes.len(), to, count) }.count()
        });
        peers.push(Peer::new("bytelane from C", encode, decode));
    }
    if let Some(library) = trusting()? {
        let (encode, decode) = match of_original {
            "delta" => ("streamvbyte_delta_encode", "streamvbyte_delta_decode"),
            "0124" => ("streamvbyte_encode_0124", "streamvbyte_decode_0124"),
            _ => ("streamvbyte_encode", "streamvbyte_decode"),
        };
        // The last argument is that of the delta functions; the others ignore its register.
        type Encode = unsafe extern "C" fn(*const u32, u32, *mut u8, u32) -> usize;
        type Decode = unsafe extern "C" fn(*const u8, *mut u32, u32, u32) -> usize;
        // SAFETY: the types are those of the header, or have one more argument in a register.
        let encode: Encode = unsafe { function(library, encode) }?;
        // SAFETY: as above.
        let decode: Decode = unsafe { function(library, decode) }?;
        let encode: Work = Box::new(move |values, bytes| {
            let (values, count) = (values.as_ptr().cast(), values.len() / 4);
            // SAFETY: both slices are valid; the output has room for the longest result.
            unsafe { encode(values, count as u32, bytes.as_mut_ptr(), 0) }
        });
        let decode: Work = Box::new(move |bytes, values| {
            let (to, count) = (values.as_mut_ptr().cast(), values.len() / 4);
            // SAFETY: as above; the stream is complete.
            unsafe { decode(bytes.as_ptr(), to, count as u32, 0) };
            values.len()
        });
        peers.push(Peer::new("bytelane as streamvbyte", encode, decode));
    }
    Ok(peers)
}
