//! How a leaf is written: its encoding, and where its pages end.

use crate::types::physical;
use crate::{ContentDefinedPages, Encoding};
use parquet::schema::types::ColumnDescriptor;

/// How the chunk of a leaf is written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Layout {
    /// Not [`Encoding::Auto`].
    pub(crate) encoding: Encoding,
    pub(crate) pages: PageSizes,
    /// The size at which a dictionary is abandoned.
    pub(crate) dictionary_bytes: usize,
}

/// Where pages end: at the latest after so many rows, or bytes of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PageSizes {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
    /// Rows of pages while a dictionary grows, if they are open to choice: the indices of early pages are narrower.
    pub(crate) early_rows: Option<usize>,
    /// Set if they end where the values say.
    pub(crate) content: Option<ContentDefinedPages>,
}

impl PageSizes {
    /// Pages of so many rows, however large these are.
    pub(crate) fn of_rows(rows: usize) -> Self {
        Self {
            rows: rows.max(1),
            bytes: usize::MAX,
            early_rows: None,
            content: None,
        }
    }

    /// Pages of values of a leaf that together have so many bytes. The crate `parquet` looks at the rows of a page
    /// more often than at its bytes.
    pub(crate) fn of_bytes(bytes: usize, leaf: &ColumnDescriptor) -> Self {
        let rows = bytes / physical::width(leaf).unwrap_or(1);
        Self {
            rows: rows.max(1),
            bytes,
            early_rows: None,
            content: None,
        }
    }

    /// Pages that end where the values say, at the latest after so many rows.
    pub(crate) fn of_content(pages: ContentDefinedPages, rows: usize) -> Self {
        Self {
            rows,
            bytes: pages.max_bytes(),
            early_rows: None,
            content: Some(pages),
        }
    }
}
