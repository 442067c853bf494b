//! Metadata of schemas, whose keys and values may be any bytes in Arrow's C interface.

use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Schema};
use bytelane_parquet::{MetadataBytes, metadata_text};
use std::ffi::{c_char, c_void};
use std::ptr;

/// Keys and values.
type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// Start of Arrow's C structure, whose fields `FFI_ArrowSchema` hides.
#[repr(C)]
struct Header {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_void,
    flags: i64,
    n_children: i64,
    children: *mut *mut Header,
}

impl Header {
    fn pairs(&self) -> Pairs {
        if self.metadata.is_null() {
            return Vec::new();
        }
        let mut rest = Reader(self.metadata.cast());
        let count = rest.number();
        (0..count).map(|_| (rest.bytes(), rest.bytes())).collect()
    }
}

/// Converts a schema that another library exported. Returns its metadata that is not UTF-8 as well: [`metadata_text`] stands for that of
/// fields.
pub fn convert(schema: &mut FFI_ArrowSchema) -> Result<(Schema, Vec<MetadataBytes>), ArrowError> {
    let root = ptr::from_mut(schema).cast::<Header>();
    let mut replaced = Replaced::default();
    // SAFETY: both structures have the layout of the C interface, which begins with these fields, and the producer guarantees
    // that the children are valid. The reference to the schema is exclusive.
    unsafe { replaced.children(root, &mut Vec::new()) };
    // SAFETY: the same holds here.
    let pairs = unsafe { (*root).pairs() };
    // SAFETY: the same holds here, and there is no metadata that has to live.
    unsafe { replaced.replace(root, ptr::null()) };
    let converted = Schema::try_from(&*schema);
    let (schema, others) = split(converted?, pairs);
    let mut found = std::mem::take(&mut replaced.found);
    if !others.is_empty() {
        found.push((Vec::new(), others));
    }
    Ok((schema, found))
}

/// Metadata that was replaced. It is put back when this is dropped, because the producer may release its memory by these pointers.
#[derive(Default)]
struct Replaced {
    found: Vec<MetadataBytes>,
    /// Replacements, which live as long as the headers point to them.
    texts: Vec<Vec<u8>>,
    old: Vec<(*mut Header, *const c_void)>,
}

impl Replaced {
    /// Replaces metadata that is not UTF-8 in all fields.
    ///
    /// # Safety
    ///
    /// `header` and all its children are valid, and nothing else uses them while this lives.
    unsafe fn children(&mut self, header: *mut Header, path: &mut Vec<usize>) {
        // SAFETY: the caller guarantees it.
        let own = unsafe { &*header };
        let count = usize::try_from(own.n_children).unwrap_or(0);
        if count == 0 || own.children.is_null() {
            return;
        }
        // SAFETY: there are so many children.
        let children = unsafe { std::slice::from_raw_parts(own.children, count) };
        for (at, &child) in children.iter().enumerate() {
            if child.is_null() {
                continue;
            }
            path.push(at);
            // SAFETY: the child is valid.
            let pairs = unsafe { (*child).pairs() };
            let is_text = |bytes: &[u8]| str::from_utf8(bytes).is_ok();
            if !pairs
                .iter()
                .all(|(key, value)| is_text(key) && is_text(value))
            {
                let text = as_text(&pairs);
                let start = text.as_ptr();
                self.texts.push(text);
                // SAFETY: the bytes live as long as this.
                unsafe { self.replace(child, start.cast()) };
                self.found.push((path.clone(), pairs));
            }
            // SAFETY: the child is valid.
            unsafe { self.children(child, path) };
            path.pop();
        }
    }

    /// Replaces the metadata of a field.
    ///
    /// # Safety
    ///
    /// `header` is valid, and `metadata` lives as long as this.
    unsafe fn replace(&mut self, header: *mut Header, metadata: *const c_void) {
        // SAFETY: the caller guarantees it.
        let old = unsafe { std::mem::replace(&mut (*header).metadata, metadata) };
        self.old.push((header, old));
    }
}

impl Drop for Replaced {
    fn drop(&mut self) {
        for (header, old) in &self.old {
            // SAFETY: the headers are still valid: the caller of `replace` guarantees it.
            unsafe { (**header).metadata = *old };
        }
    }
}

/// Returns metadata in the format of the C interface, with text that stands for other bytes.
fn as_text(pairs: &Pairs) -> Vec<u8> {
    let mut text = (pairs.len() as i32).to_ne_bytes().to_vec();
    for bytes in pairs.iter().flat_map(|(key, value)| [key, value]) {
        let bytes = metadata_text(bytes);
        text.extend((bytes.len() as i32).to_ne_bytes());
        text.extend(bytes.into_bytes());
    }
    text
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
fn split(schema: Schema, pairs: Pairs) -> (Schema, Pairs) {
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
