//! Candidates for a leaf: encodings that its readers support, and page sizes.

use crate::chunk::{Column, Layout, PageSizes};
use crate::compatibility::ValueType;
use crate::types::physical::has_dictionary;
use crate::{ColumnOptions, Encoding, Goal, WriterOptions};
use parquet::basic::{Compression, Type};
use parquet::schema::types::ColumnDescriptor;

/// Page sizes to try, in bytes, if only the size counts. Zstandard uses other parameters for inputs
/// of up to 256 KiB than for longer ones; the limit leaves room for the rows that are written
/// between two checks of a page's size.
pub(super) const PAGE_BYTES: [usize; 3] = [40 << 10, 240 << 10, LARGEST_PAGE];
pub(super) const LARGEST_PAGE: usize = 4 << 20;
/// Page sizes to try, in bytes, for other goals, and the fraction of the size that they must beat. The
/// second one is close to that of small pieces, which show whether it is worth a trial.
pub(super) const SMALL_PAGE_BYTES: [usize; 2] = [240 << 10, 40 << 10];
pub(super) const PAGES_GAIN: f64 = 0.98;
/// Page sizes to try with a dictionary, in rows.
pub(super) const PAGE_ROWS: [usize; 1] = [STEP_ROWS];
/// Number of rows after which a page may end because dictionary indices become wider.
pub(super) const STEP_ROWS: usize = 16_384;
/// Maximum size of a dictionary if only the size counts.
pub const DICTIONARY_BYTES: usize = 16 << 20;
/// Maximum fraction of distinct values for which a dictionary is tried. Without compression, one of
/// 70% is smaller than values of 8 bytes.
pub(super) const MOST_DISTINCT: f64 = 0.9;

/// Returns the encodings that a leaf can have and its readers support, the simplest first.
pub(super) fn allowed(
    leaf: &ColumnDescriptor,
    column: &Column,
    options: &WriterOptions,
) -> Vec<Encoding> {
    let path = leaf.path();
    let has_order = |column: &ColumnOptions| column.entries.as_ref().map(|_| ());
    let is_ordered = column.is_ordered(leaf) || options.own(path, has_order).is_some();
    if is_ordered && Encoding::Dictionary.exists_for(leaf.physical_type()) {
        // Readers take the order of the entries from the dictionary.
        return vec![Encoding::Dictionary];
    }
    let wanted = options.encoding_of(path.clone());
    if wanted != Encoding::Auto && wanted.exists_for(leaf.physical_type()) {
        return vec![wanted];
    }
    let as_dictionary = leaf.physical_type() == Type::BYTE_ARRAY
        && (has_dictionary(column.field().data_type())
            || options
                .own(path, |column| column.as_dictionary.then_some(()))
                .is_some());
    let without_dictionaries = options
        .own(path, |column| column.without_dictionaries.then_some(()))
        .is_some();
    let readers = &options.readers;
    let is_readable = |encoding: Encoding| {
        if !as_dictionary {
            readers.read(encoding, ValueType::of(leaf))
        } else if without_dictionaries {
            readers.obstacle_to_nested_dictionaries(encoding).is_none()
        } else {
            readers.obstacle_to_dictionary(encoding).is_none()
        }
    };
    let possible = options.encodings.iter().filter(|encoding| {
        encoding.exists_for(leaf.physical_type())
            && (*encoding == Encoding::Plain || is_readable(*encoding))
    });
    let possible: Vec<Encoding> = possible.collect();
    // Without compression, BYTE_STREAM_SPLIT takes as many bytes as PLAIN, which any reader copies.
    let is_plain_best = possible.contains(&Encoding::Plain)
        && options.compression_of(path.clone()) == Compression::UNCOMPRESSED;
    let possible = possible
        .into_iter()
        .filter(|encoding| !is_plain_best || *encoding != Encoding::ByteStreamSplit);
    let possible: Vec<Encoding> = possible.collect();
    if possible.is_empty() {
        vec![Encoding::Plain]
    } else {
        possible
    }
}

/// Returns the layout of a leaf in an encoding, with the usual page size.
pub(super) fn layout(
    leaf: &ColumnDescriptor,
    encoding: Encoding,
    options: &WriterOptions,
) -> Layout {
    let path = leaf.path();
    let (rows, bytes) = options.page_limits();
    Layout {
        encoding,
        pages: match options.own(path, |column| column.page_rows) {
            own if let Some(content) = options.content_defined_pages => PageSizes::of_content(
                content,
                own.or(options.max_rows_per_page).unwrap_or(usize::MAX),
            ),
            _ if tries_pages(options) => PageSizes::of_bytes(bytes, leaf),
            Some(rows) => PageSizes::of_rows(rows),
            None => PageSizes {
                rows,
                bytes,
                step_rows: options.leaves_pages_open().then_some(STEP_ROWS),
                content: None,
            },
        },
        dictionary_bytes: match options.goal {
            Goal::Size if options.encoding_of(path.clone()) == Encoding::Auto => {
                options.dictionary_pagesize_limit.max(DICTIONARY_BYTES)
            }
            _ => options.dictionary_pagesize_limit,
        },
    }
}

/// Returns whether the page size is part of the choice.
pub(super) fn tries_pages(options: &WriterOptions) -> bool {
    options.goal == Goal::Size && options.leaves_pages_open()
}

/// Returns whether the compression ratio of a codec depends on the page size.
pub(super) fn depends_on_pages(compression: Compression) -> bool {
    matches!(compression, Compression::ZSTD(_) | Compression::BROTLI(_))
}

/// Returns whether a dictionary may pay off for a leaf.
pub(super) fn is_counted(leaf: &ColumnDescriptor) -> bool {
    leaf.physical_type() != Type::BOOLEAN
}
