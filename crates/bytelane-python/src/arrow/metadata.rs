//! Metadata of schemas, whose keys and values may be any bytes in Arrow's C interface.

use arrow_schema::Schema;
use arrow_schema::ffi::FFI_ArrowSchema;
use std::ffi::{c_char, c_void};
use std::ptr;

/// Keys and values.
pub type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// Start of Arrow's C structure, whose fields `FFI_ArrowSchema` hides.
#[repr(C)]
struct Header {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_void,
}

/// Takes the metadata of a schema, which then has none.
pub fn take(schema: &mut FFI_ArrowSchema) -> Pairs {
    let header = ptr::from_mut(schema).cast::<Header>();
    // SAFETY: both structures have the layout of the C interface, which begins with these fields. The reference
    // to the schema is exclusive.
    let header = unsafe { &mut *header };
    // The producer releases its memory by its private data, not by this pointer, as the interface demands.
    let metadata = std::mem::replace(&mut header.metadata, ptr::null());
    if metadata.is_null() {
        return Vec::new();
    }
    let mut rest = Reader(metadata.cast());
    let count = rest.number();
    (0..count).map(|_| (rest.bytes(), rest.bytes())).collect()
}

/// Reads the format of the metadata: the number of pairs, and the length and the bytes of each key and value.
struct Reader(*const u8);

impl Reader {
    /// Reads a number in the byte order of the machine. Negative ones, which are invalid, become 0.
    fn number(&mut self) -> usize {
        // SAFETY: the producer guarantees that a number follows.
        let number = unsafe { self.0.cast::<i32>().read_unaligned() };
        self.skip(size_of::<i32>());
        usize::try_from(number).unwrap_or(0)
    }

    fn bytes(&mut self) -> Vec<u8> {
        let length = self.number();
        // SAFETY: the producer guarantees that as many bytes follow.
        let bytes = unsafe { std::slice::from_raw_parts(self.0, length) }.to_vec();
        self.skip(length);
        bytes
    }

    fn skip(&mut self, bytes: usize) {
        // SAFETY: these bytes have been read, so that the end is within the metadata or directly after it.
        self.0 = unsafe { self.0.add(bytes) };
    }
}

/// Returns a schema with those pairs that are UTF-8, and the others.
pub fn split(schema: Schema, pairs: Pairs) -> (Schema, Pairs) {
    let (mut texts, mut others) = (Vec::new(), Vec::new());
    for (key, value) in pairs {
        match (str::from_utf8(&key), str::from_utf8(&value)) {
            (Ok(key), Ok(value)) => texts.push((key.to_owned(), value.to_owned())),
            _ => others.push((key, value)),
        }
    }
    let schema = Schema::new_with_metadata(
        schema.fields,
        texts
            .into_iter()
            .collect::<std::collections::HashMap<_, _>>(),
    );
    (schema, others)
}
