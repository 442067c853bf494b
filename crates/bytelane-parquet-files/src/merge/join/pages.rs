//! Collects the pages of a new chunk with their metadata.

use crate::merge::leaf::StoredPage;
use bytelane_parquet::chunk::{Page, count_page};
use bytelane_parquet::format::decode_prefix;
use bytelane_parquet::format::{
    self, ColumnChunk, ColumnMetaData, Encoded, Encoding, PageEncodingStats, PageHeader,
    PageLocation, PageType,
};
use bytelane_parquet::page::{DenseValues, Gathered, PageEncoder, PageGatherer, set_sizes};
use bytelane_parquet::{Error, Result};
use bytes::Bytes;

/// Assumed position of the first page while the real one is unknown: after the magic number of a
/// file.
pub(in crate::merge) const START: u64 = 4;

/// Consecutive pages.
#[derive(Default)]
pub(in crate::merge) struct NewPages {
    pub pieces: Vec<Bytes>,
    compressed: u64,
    uncompressed: i64,
    dictionary: Option<i64>,
    /// Place and size of the page of symbols.
    symbols: Option<(i64, i32)>,
    data: Option<i64>,
    counts: Vec<PageEncodingStats>,
    locations: Vec<PageLocation>,
    /// Set if a page begins within a row, or its rows are unknown.
    has_other_rows: bool,
    row: i64,
    values: i64,
}

impl NewPages {
    /// Adds a page with a new header.
    pub(in crate::merge) fn add_new(
        &mut self,
        header: &PageHeader,
        body: Bytes,
        rows: Option<u64>,
    ) -> Result<()> {
        let bytes = Bytes::from(format::encode(header)?);
        let length = bytes.len();
        self.pieces.push(bytes);
        self.pieces.push(body);
        self.describe(header, length, rows)
    }

    /// Adds an unchanged page.
    pub(in crate::merge) fn add_copy(
        &mut self,
        header: &PageHeader,
        header_length: u64,
        bytes: Bytes,
        rows: Option<u64>,
    ) -> Result<()> {
        self.pieces.push(bytes);
        self.describe(header, header_length as usize, rows)
    }

    fn describe(&mut self, header: &PageHeader, length: usize, rows: Option<u64>) -> Result<()> {
        let offset = (START + self.compressed) as i64;
        let compressed = length as i64 + i64::from(header.compressed_page_size);
        self.compressed += compressed as u64;
        self.uncompressed += length as i64 + i64::from(header.uncompressed_page_size);
        let size = i32::try_from(compressed);
        let size = size.map_err(|_| Error::corrupt("a page is larger than 2 GiB"))?;
        if header.page_type == PageType::SymbolTablePage {
            self.symbols = Some((offset, size));
            return Ok(());
        }
        let one = header.data_page_header.as_ref();
        let two = header.data_page_header_v2.as_ref();
        let (encoding, values) = match (header.page_type, one, two) {
            (PageType::DictionaryPage, ..) => {
                self.dictionary = Some(offset);
                let dictionary = header.dictionary_page_header.as_ref();
                (dictionary.map_or(Encoding::Plain, |it| it.encoding), None)
            }
            (_, Some(page), _) => (page.encoding, Some(page.num_values)),
            (_, _, Some(page)) => (page.encoding, Some(page.num_values)),
            _ => return Err(Error::corrupt("a page without its header")),
        };
        count_page(&mut self.counts, header.page_type, encoding);
        if let Some(values) = values {
            self.data.get_or_insert(offset);
            self.values += i64::from(values);
            self.has_other_rows |= rows.is_none();
            self.locations.push(PageLocation {
                offset,
                compressed_page_size: size,
                first_row_index: self.row,
                ..Default::default()
            });
            self.row += rows.unwrap_or(0) as i64;
        }
        Ok(())
    }

    /// Returns the locations of data pages; `None` if pages may not begin with new rows, or their
    /// rows differ from the row group's.
    pub(in crate::merge) fn locations(&mut self, rows: u64) -> Option<Vec<PageLocation>> {
        let is_right = !self.has_other_rows && u64::try_from(self.row) == Ok(rows);
        is_right.then(|| std::mem::take(&mut self.locations))
    }

    /// Returns the metadata of the pages; other fields are as in `like`.
    pub(in crate::merge) fn metadata(
        &self,
        like: ColumnMetaData,
        encodings: Vec<Encoding>,
    ) -> Result<ColumnChunk> {
        let mut encodings = encodings;
        for count in &self.counts {
            if !encodings.contains(&count.encoding) {
                encodings.push(count.encoding);
            }
        }
        Ok(ColumnChunk {
            meta_data: ColumnMetaData {
                encodings: Encoded::new(&encodings)?,
                num_values: self.values,
                total_uncompressed_size: self.uncompressed,
                total_compressed_size: self.compressed as i64,
                data_page_offset: self.data.unwrap_or(START as i64),
                index_page_offset: None,
                dictionary_page_offset: self.dictionary,
                symbol_table_page_offset: self.symbols.map(|(offset, _)| offset),
                symbol_table_page_length: self.symbols.map(|(_, size)| size),
                encoding_stats: Some(Encoded::new(&self.counts)?),
                bloom_filter_offset: None,
                bloom_filter_length: None,
                ..like
            },
            ..Default::default()
        })
    }
}

/// Encodes gathered rows as a page, with a header like another page's. `look` sees its values.
pub(in crate::merge) fn encoded_page(
    gatherer: &mut PageGatherer,
    encoder: &mut PageEncoder,
    like: &PageHeader,
    look: impl FnOnce(DenseValues<'_>),
) -> Result<(StoredPage, Gathered)> {
    let mut bytes = Vec::new();
    let gathered = gatherer.finish(encoder, &mut bytes, look)?;
    let bytes = Bytes::from(bytes);
    let (mut header, length) = decode_prefix::<PageHeader>(&bytes).map_err(format::damaged)?;
    let body = bytes.slice(length..);
    header.crc = like.crc;
    let old = like.data_page_header.as_ref().map(|it| it.encoding);
    if let (Some(Encoding::PlainDictionary), Some(page)) = (old, &mut header.data_page_header) {
        page.encoding = Encoding::PlainDictionary;
    }
    let uncompressed = header.uncompressed_page_size as usize;
    set_sizes(&mut header, uncompressed, &body)?;
    let mut bytes = format::encode(&header)?;
    let header_length = bytes.len() as u64;
    bytes.extend_from_slice(&body);
    let page = Page {
        offset: 0,
        header_length,
        header,
    };
    Ok((
        StoredPage {
            page,
            bytes: bytes.into(),
        },
        gathered,
    ))
}
