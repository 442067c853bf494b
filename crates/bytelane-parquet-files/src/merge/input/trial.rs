//! Decodes pages on trial as those of a column, without a footer that describes their chunk.

use super::judge::Judge;
use crate::check::claims::Claims;
use crate::merge::leaf::{Leaf, StoredPage};
use bytelane_parquet::Result;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::chunk::{Chunk, Page};
use bytelane_parquet::format::{ColumnChunk, ColumnMetaData, ColumnOrder, CompressionCodec};
use bytes::Bytes;
use parquet::schema::types::ColumnDescriptor;

/// Decoder of pages that may be those of a column.
pub(crate) struct Trial {
    judge: Judge,
}

impl Trial {
    /// Tries pages of a file of this size.
    pub(crate) fn new(
        column: &ColumnDescriptor,
        order: Option<&ColumnOrder>,
        codec: CompressionCodec,
        file_bytes: u64,
    ) -> Result<Self> {
        let described = ColumnChunk {
            meta_data: ColumnMetaData {
                codec,
                ..Default::default()
            },
            ..Default::default()
        };
        let nothing = Bytes::new();
        let chunk = Chunk::open(&nothing, described, 0..file_bytes)?;
        let claims = Claims::new(&nothing, &chunk, column, order)?;
        let leaf = Leaf {
            bytes: chunk.bytes(),
            chunk,
            pages: Vec::new(),
            entries: Vec::new(),
            rows: 0,
            bloom_filter: None,
            cut: 0,
            memory: MemoryLimit::default(),
        };
        let judge = Judge::new(&leaf, column, claims)?.with_exact_sizes();
        Ok(Self { judge })
    }

    /// Reads the dictionary, or the symbols, of the pages that follow. Returns whether it is one of the column.
    pub(crate) fn dictionary(&mut self, page: Page, bytes: Bytes) -> bool {
        self.judge.dictionary(&StoredPage { page, bytes })
    }

    /// Returns the number of rows that begin in a data page, and whether it begins with a new row; an error if it
    /// cannot be a page of the column.
    pub(crate) fn rows(&mut self, page: Page, bytes: Bytes) -> Result<(u64, bool)> {
        let judged = self.judge.judge(StoredPage { page, bytes }, None, None);
        judged.map(|(_, rows, begins)| (rows, begins))
    }
}
