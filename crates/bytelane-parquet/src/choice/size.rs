//! Size of some rows of a leaf in a layout.

use crate::format::ColumnMetaData;

/// Size of some rows of a leaf in a layout.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Size {
    /// Number of bytes of all pages, including headers.
    pub(super) compressed: f64,
    /// Number of bytes of all pages before compression.
    pub(super) raw: f64,
    /// Number of compressed bytes that belong to the dictionary.
    pub(super) dictionary: f64,
    pub(super) values: f64,
}

impl Size {
    /// Returns the size of a chunk.
    pub(super) fn of(metadata: &ColumnMetaData) -> Self {
        Self {
            compressed: metadata.total_compressed_size as f64,
            raw: metadata.total_uncompressed_size as f64,
            dictionary: dictionary_bytes(metadata) as f64,
            values: metadata.num_values as f64,
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.compressed += other.compressed;
        self.raw += other.raw;
        self.dictionary += other.dictionary;
        self.values += other.values;
    }

    pub(super) fn scaled(self, by: f64) -> Self {
        Self {
            compressed: self.compressed * by,
            raw: self.raw * by,
            dictionary: self.dictionary * by,
            values: self.values * by,
        }
    }

    /// Returns the part of the size that the compressor works on. In BYTE_STREAM_SPLIT, it stores
    /// entire streams unchanged: as many as fit into its output.
    pub(super) fn without_stored_streams(self) -> Self {
        let streams = (self.raw / self.values.max(1.0)).round().max(1.0);
        let stored = (streams * self.compressed / self.raw.max(1.0))
            .floor()
            .min(streams);
        let bytes = self.raw * stored / streams;
        Self {
            raw: self.raw - bytes,
            compressed: (self.compressed - bytes).max(0.0),
            ..self
        }
    }

    /// Returns the ratio of the compressed size to another one.
    pub(super) fn to(self, other: Self) -> f64 {
        self.compressed / other.compressed.max(1.0)
    }
}

/// Returns the number of bytes of a chunk's dictionary, or of its symbols.
fn dictionary_bytes(metadata: &ColumnMetaData) -> i64 {
    let dictionary = metadata.first_page_offset();
    dictionary.map_or(0, |start| metadata.data_page_offset - start)
}
