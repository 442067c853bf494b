//! Iterates over the pages of a column chunk by reading their headers.

use crate::format::{Encoding, PageEncodingStats, PageHeader, PageType, decode_prefix};
use crate::page::check_promise;
use bytelane_thrift::ErrorKind;
use parquet::basic::{CompressionCodec, EncodingMask};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::ChunkReader;
use std::ops::Range;

/// Number of bytes that are read first for a page header. Most headers are shorter.
const FIRST_READ: u64 = 256;

/// Maximum size of a page header, in bytes. No writer produces statistics large enough to exceed
/// it.
const LONGEST_HEADER: u64 = 16 << 20;

/// Number of bytes by which the last page may exceed its chunk: old versions of parquet-java do not
/// count the header of the dictionary.
const UNCOUNTED: u64 = 100;

/// Page in a file.
#[derive(Clone, Debug)]
pub struct Page {
    /// Position of the header.
    pub offset: u64,
    /// Size of the header, in bytes.
    pub header_length: u64,
    pub header: PageHeader,
}

impl Page {
    /// Returns the number of bytes of the header and the page.
    pub fn compressed(&self) -> u64 {
        self.header_length + self.header.compressed_page_size as u64
    }

    /// Returns the number of bytes of the header and the decompressed page.
    pub fn uncompressed(&self) -> u64 {
        self.header_length + self.header.uncompressed_page_size as u64
    }

    /// Returns whether this is a data page.
    pub fn is_data(&self) -> bool {
        matches!(
            self.header.page_type,
            PageType::DataPage | PageType::DataPageV2
        )
    }

    /// Returns an error if its bytes cannot decompress to the size that its header claims. This
    /// avoids allocating memory in vain.
    pub fn check_promise(&self, codec: CompressionCodec) -> crate::Result<()> {
        if codec == CompressionCodec::UNCOMPRESSED {
            return Ok(());
        }
        let PageHeader {
            compressed_page_size,
            uncompressed_page_size,
            ..
        } = self.header;
        check_promise(
            codec,
            compressed_page_size as usize,
            uncompressed_page_size as usize,
        )
    }

    /// Returns the number of values of a data page, including nulls; 0 for other pages.
    pub fn values(&self) -> i64 {
        let of_data = self.header.data_page_header.as_ref();
        let of_data_v2 = self.header.data_page_header_v2.as_ref();
        let values = of_data.map(|page| page.num_values);
        values
            .or(of_data_v2.map(|page| page.num_values))
            .map_or(0, i64::from)
    }

    /// Returns the encoding of the values.
    pub fn encoding(&self) -> Option<Encoding> {
        let PageHeader {
            data_page_header,
            dictionary_page_header,
            data_page_header_v2,
            ..
        } = &self.header;
        let of_data = data_page_header.as_ref().map(|page| page.encoding);
        let of_data_v2 = data_page_header_v2.as_ref().map(|page| page.encoding);
        let of_dictionary = dictionary_page_header.as_ref().map(|page| page.encoding);
        of_data.or(of_data_v2).or(of_dictionary)
    }
}

/// Counts a page in `encoding_stats`.
pub fn count_page(counts: &mut Vec<PageEncodingStats>, page_type: PageType, encoding: Encoding) {
    let mut same = counts.iter_mut();
    match same.find(|it| (it.page_type, it.encoding) == (page_type, encoding)) {
        Some(counted) => counted.count += 1,
        None => counts.push(PageEncodingStats {
            page_type,
            encoding,
            count: 1,
            ..Default::default()
        }),
    }
}

/// Iterator over the pages of a column chunk that reads their headers, but not their values.
#[derive(Debug)]
pub struct Pages<'a, R> {
    reader: &'a R,
    /// Rest of the chunk.
    range: Range<u64>,
}

impl<'a, R: ChunkReader> Pages<'a, R> {
    /// Iterates over the pages in a range of bytes.
    pub fn new(reader: &'a R, range: Range<u64>) -> Self {
        Self { reader, range }
    }

    fn page(&self) -> Result<Page> {
        let Range { start, end } = self.range;
        let counted = end - start;
        let end = self.reader.len().min(end + UNCOUNTED);
        let most = LONGEST_HEADER.min(end - start);
        let mut length = FIRST_READ.min(most);
        let (header, header_length) = loop {
            let bytes = self.reader.get_bytes(start, length as usize)?;
            match decode_prefix::<PageHeader>(&bytes) {
                Ok(read) => break read,
                Err(error) if error.kind() == ErrorKind::UnexpectedEnd && length < most => {
                    length = most.min(length * 8);
                }
                Err(error) => {
                    let problem = format!("the page's header is damaged: {error}");
                    return Err(ParquetError::General(problem));
                }
            }
        };
        let page = Page {
            offset: start,
            header_length: header_length as u64,
            header,
        };
        let PageHeader {
            compressed_page_size: compressed,
            uncompressed_page_size: uncompressed,
            ..
        } = page.header;
        if compressed < 0 || uncompressed < 0 || page.compressed() > end - start {
            return Err(ParquetError::General(format!(
                "a page claims {compressed} bytes, {uncompressed} uncompressed, but only {} remain in the column chunk",
                counted.saturating_sub(page.header_length),
            )));
        }
        Ok(page)
    }
}

impl<R: ChunkReader> Iterator for Pages<'_, R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        if self.range.is_empty() {
            return None;
        }
        let page = self.page();
        // After an error, the position of the next page is unknown.
        self.range.start = match &page {
            Ok(page) => self.range.start + page.compressed(),
            Err(_) => self.range.end,
        };
        Some(page)
    }
}

/// Returns the name of an encoding.
pub fn encoding_name(encoding: Encoding) -> String {
    if encoding == Encoding::Fsst {
        return "fsst".to_owned();
    }
    let number = i32::from(encoding);
    let bit = u32::try_from(number)
        .ok()
        .and_then(|number| 1_i32.checked_shl(number));
    let mask = bit.and_then(|bit| EncodingMask::try_new(bit).ok());
    match mask.and_then(|mask| mask.encodings().next()) {
        Some(encoding) => encoding.to_string().to_lowercase(),
        None => format!("encoding {number}"),
    }
}
