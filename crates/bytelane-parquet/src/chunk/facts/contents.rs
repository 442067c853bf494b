//! Compares a few pages of a chunk with what the footer and their headers say: a chunk that is copied is not decoded, and
//! with another codec or dictionary nobody could read the copy.

use crate::budget::{Budget, MemoryLimit};
use crate::chunk::{Chunk, Page};
use crate::format::{CompressionCodec, Encoding, PageHeader};
use crate::input::bytes_at;
use crate::page::{PageEditor, PageKind, codec_in_parquet, read_header};
use crate::types::physical;
use crate::{Error, Result};
use bytes::Bytes;
use parquet::basic::Type;
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnDescriptor;
use std::collections::BTreeSet;

/// Checks the dictionary, the smallest data page, and the data pages with these numbers.
///
/// # Errors
///
/// A page cannot be opened as its header and the footer say. Chunks in a compression that is not known are not checked,
/// nor those that exceed the memory limit.
pub(super) fn check(
    reader: &impl ChunkReader,
    chunk: &Chunk,
    pages: &[&Page],
    column: &ColumnDescriptor,
    numbers: &BTreeSet<usize>,
) -> Result<()> {
    let has_codec = chunk.metadata().codec != CompressionCodec::Uncompressed;
    let headers = pages.iter().map(|page| &page.header);
    headers
        .filter(|header| !has_codec || !header.is_compressed())
        .try_for_each(PageHeader::check_equal_sizes)?;
    let Some(mut contents) = Contents::new(reader, chunk, column)? else {
        return Ok(());
    };
    let checked = contents.check(pages, column, numbers);
    match checked {
        Err(error) if error.is_obstacle() || error.is_of_memory() => Ok(()),
        checked => checked,
    }
}

struct Contents<'a, R> {
    reader: &'a R,
    editor: PageEditor,
}

impl<'a, R: ChunkReader> Contents<'a, R> {
    fn new(reader: &'a R, chunk: &Chunk, column: &ColumnDescriptor) -> Result<Option<Self>> {
        let metadata = chunk.metadata();
        let limit = MemoryLimit::default();
        let values = u64::try_from(metadata.num_values).unwrap_or(0);
        let most = limit.of_page(chunk.bytes(), values);
        let budget = Budget::new(limit.of_read(reader.len()));
        let Ok(codec) = codec_in_parquet(metadata.codec) else {
            return Ok(None);
        };
        match PageEditor::new(codec, column, most, &budget) {
            Ok(editor) => Ok(Some(Self { reader, editor })),
            Err(error) if error.is_obstacle() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn check(
        &mut self,
        pages: &[&Page],
        column: &ColumnDescriptor,
        numbers: &BTreeSet<usize>,
    ) -> Result<()> {
        let dictionary = pages.iter().find(|page| !page.is_data());
        let data = pages.iter().filter(|page| page.is_data());
        let data: Vec<&Page> = data.copied().collect();
        match dictionary {
            Some(page) => self.check_dictionary(page, column)?,
            None => {
                let indices = data.iter().filter(|page| has_indices(page));
                indices
                    .copied()
                    .try_for_each(|page| self.check_nulls(page))?;
            }
        }
        let smallest = data
            .iter()
            .enumerate()
            .filter(|(_, page)| page.header.has_compressed_values());
        let smallest = smallest.min_by_key(|(_, page)| page.compressed());
        let smallest = smallest.map(|(number, _)| number);
        for number in numbers.iter().copied().chain(smallest) {
            if let Some(page) = data.get(number) {
                let has_lists = column.max_rep_level() > 0;
                self.check_data(page, has_lists)
                    .map_err(|error| error.in_page(number))?;
            }
        }
        Ok(())
    }

    fn body(&self, page: &Page) -> Result<Bytes> {
        let end = page.offset + page.compressed();
        bytes_at(self.reader, page.offset + page.header_length..end)
    }

    /// Checks that the dictionary has the entries that its header counts.
    fn check_dictionary(&mut self, page: &Page, column: &ColumnDescriptor) -> Result<()> {
        let PageKind::Dictionary(header) = read_header(&page.header)?.kind else {
            return Ok(());
        };
        if column.physical_type() == Type::BOOLEAN {
            return Ok(());
        }
        let body = self.body(page)?;
        let bytes = self.editor.dictionary(&header, &body)?;
        let found = match physical::width(column) {
            Some(width) => bytes.len() / width.max(1),
            None => strings(&bytes),
        };
        // Some writers store more than the header counts.
        if found >= header.values {
            return Ok(());
        }
        let claimed = header.values;
        Err(Error::corrupt(format!(
            "its dictionary has {found} entries, but the header says {claimed}"
        )))
    }

    /// Checks that all values of a page of indices without a dictionary are null.
    fn check_nulls(&mut self, page: &Page) -> Result<()> {
        let body = self.body(page)?;
        let PageKind::Data(header) = read_header(&page.header)?.kind else {
            return Ok(());
        };
        self.editor.rows(&header, &body)?;
        if self.editor.valid() == 0 {
            return Ok(());
        }
        Err(Error::corrupt(
            "a page of indices, but no dictionary before it",
        ))
    }

    /// Opens a data page, and compares its levels with its header. Readers know the rows of a page without lists.
    fn check_data(&mut self, page: &Page, has_lists: bool) -> Result<()> {
        let body = self.body(page)?;
        let PageKind::Data(header) = read_header(&page.header)?.kind else {
            return Ok(());
        };
        let (rows, begins) = self.editor.rows(&header, &body)?;
        self.editor.open(&header, &body)?;
        match header
            .rows
            .filter(|claimed| has_lists && begins && *claimed != rows)
        {
            None => Ok(()),
            Some(claimed) => Err(Error::corrupt(format!(
                "the page has {rows} rows, but its header says {claimed}"
            ))),
        }
    }
}

fn has_indices(page: &Page) -> bool {
    matches!(
        page.encoding(),
        Some(Encoding::RleDictionary | Encoding::PlainDictionary)
    )
}

/// Returns the number of whole strings in the encoding PLAIN.
fn strings(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(rest) = rest.get(length..) else {
            break;
        };
        (bytes, count) = (rest, count + 1);
    }
    count
}
