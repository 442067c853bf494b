//! The reference implementation, in C++, if a library of it is given.

use anyhow::Context;
use libloading::Library;
use std::ffi::{c_int, c_uint, c_void};

type Encoder = *mut c_void;
type Create = unsafe extern "C" fn(usize, *const usize, *const *const u8, c_int) -> Encoder;
type Destroy = unsafe extern "C" fn(Encoder);
type Export = unsafe extern "C" fn(Encoder, *mut u8) -> c_uint;
type Import = unsafe extern "C" fn(*mut Decoder, *const u8) -> c_uint;
type Compress = unsafe extern "C" fn(
    Encoder,
    usize,
    *const usize,
    *const *const u8,
    usize,
    *mut u8,
    *mut usize,
    *mut *mut u8,
) -> usize;
type Decompress = unsafe extern "C" fn(*const Decoder, usize, *const u8, usize, *mut u8) -> usize;

/// `fsst_decoder_t`.
#[repr(C)]
pub struct Decoder {
    version: u64,
    zero_terminated: u8,
    len: [u8; 255],
    symbol: [u64; 255],
}

/// Functions of the library.
pub struct Reference {
    create: Create,
    destroy: Destroy,
    export: Export,
    import: Import,
    compress: Compress,
    decompress: Decompress,
    _library: Library,
}

/// Strings as the library takes them.
pub struct Batch {
    lengths: Vec<usize>,
    starts: Vec<*const u8>,
    encoded_lengths: Vec<usize>,
    encoded_starts: Vec<*mut u8>,
}

impl Batch {
    pub fn new(strings: &[Vec<u8>]) -> Self {
        Self {
            lengths: strings.iter().map(Vec::len).collect(),
            starts: strings.iter().map(|string| string.as_ptr()).collect(),
            encoded_lengths: vec![0; strings.len()],
            encoded_starts: vec![std::ptr::null_mut(); strings.len()],
        }
    }
}

impl Reference {
    /// Loads a library, which has `fsst_ref_decompress` besides, a function that calls the inline function `fsst_decompress`.
    pub fn load(path: &str) -> anyhow::Result<Self> {
        // SAFETY: the caller names a library of the reference implementation, whose initialisation does nothing else.
        let library = unsafe { Library::new(path) }.context("cannot load the reference")?;
        /// Finds a function of the type that the header declares.
        fn find<T: Copy>(library: &Library, name: &[u8]) -> anyhow::Result<T> {
            // SAFETY: the types above are those of `fsst.h`.
            let found = unsafe { library.get::<T>(name) };
            Ok(*found.context("a function is missing")?)
        }
        Ok(Self {
            create: find(&library, b"fsst_create")?,
            destroy: find(&library, b"fsst_destroy")?,
            export: find(&library, b"fsst_export")?,
            import: find(&library, b"fsst_import")?,
            compress: find(&library, b"fsst_compress")?,
            decompress: find(&library, b"fsst_ref_decompress")?,
            _library: library,
        })
    }

    /// Trains a table.
    pub fn create(&self, batch: &Batch) -> Encoder {
        // SAFETY: pointers and lengths of strings, which live as long as the batch.
        unsafe {
            (self.create)(
                batch.lengths.len(),
                batch.lengths.as_ptr(),
                batch.starts.as_ptr(),
                0,
            )
        }
    }

    /// Deletes an encoder.
    pub fn destroy(&self, encoder: Encoder) {
        // SAFETY: `create` has returned it, and it is not used again.
        unsafe { (self.destroy)(encoder) }
    }

    /// Returns the serialised table.
    pub fn export(&self, encoder: Encoder) -> Vec<u8> {
        let mut bytes = vec![0; 8 + 1 + 8 + 2048 + 1];
        // SAFETY: `FSST_MAXHEADER` bytes.
        let length = unsafe { (self.export)(encoder, bytes.as_mut_ptr()) };
        bytes.truncate(length as usize);
        bytes
    }

    /// Reads a serialised table.
    pub fn import(&self, bytes: &[u8]) -> Decoder {
        let mut decoder = Decoder {
            version: 0,
            zero_terminated: 0,
            len: [0; 255],
            symbol: [0; 255],
        };
        // SAFETY: a whole table, which the library or `Table::write` has written.
        let length = unsafe { (self.import)(&mut decoder, bytes.as_ptr()) };
        assert_eq!(length as usize, bytes.len());
        decoder
    }

    /// Encodes all strings. Returns the number of bytes.
    pub fn compress(&self, encoder: Encoder, batch: &mut Batch, to: &mut [u8]) -> usize {
        let count = batch.lengths.len();
        // SAFETY: pointers and lengths of strings, room for one result each, and the room for all of them.
        let done = unsafe {
            (self.compress)(
                encoder,
                count,
                batch.lengths.as_ptr(),
                batch.starts.as_ptr(),
                to.len(),
                to.as_mut_ptr(),
                batch.encoded_lengths.as_mut_ptr(),
                batch.encoded_starts.as_mut_ptr(),
            )
        };
        assert_eq!(done, count, "there is room for all strings");
        batch.encoded_lengths.iter().sum()
    }

    /// Returns the lengths of the encoded strings, which follow each other.
    pub fn lengths<'a>(&self, batch: &'a Batch) -> &'a [usize] {
        &batch.encoded_lengths
    }

    /// Decodes a string to the front of a destination. Returns the number of bytes.
    pub fn decompress(&self, decoder: &Decoder, from: &[u8], to: &mut [u8]) -> usize {
        // SAFETY: both slices, and a decoder that `import` has filled.
        unsafe {
            (self.decompress)(
                decoder,
                from.len(),
                from.as_ptr(),
                to.len(),
                to.as_mut_ptr(),
            )
        }
    }
}
