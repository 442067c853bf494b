//! Layout of a leaf: its encoding, and where its pages end.

use crate::types::physical;
use crate::{ContentDefinedPages, Encoding};
use parquet::schema::types::ColumnDescriptor;

/// Layout of a column chunk.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// Encoding of the values, never [`Encoding::Auto`].
    pub encoding: Encoding,
    pub pages: PageSizes,
    /// Size at which a dictionary is abandoned.
    pub(crate) dictionary_bytes: usize,
}

/// Page size limits: a page ends at the first limit that it reaches, in rows or in bytes of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PageSizes {
    pub rows: usize,
    pub bytes: usize,
    /// Multiple of rows at which a page may end early because dictionary indices become wider, if
    /// page sizes are open to choice.
    pub(crate) step_rows: Option<usize>,
    /// Set if page boundaries depend on the values.
    pub(crate) content: Option<ContentDefinedPages>,
}

impl PageSizes {
    /// Limits pages to a number of rows, whatever their size.
    pub(crate) fn of_rows(rows: usize) -> Self {
        Self {
            rows: rows.max(1),
            bytes: usize::MAX,
            step_rows: None,
            content: None,
        }
    }

    /// Limits the values of a page to a number of bytes. The crate `parquet` checks the number of
    /// rows of a page more often than its size in bytes.
    pub(crate) fn of_bytes(bytes: usize, leaf: &ColumnDescriptor) -> Self {
        let rows = bytes / physical::width(leaf).unwrap_or(1);
        Self {
            rows: rows.max(1),
            bytes,
            step_rows: None,
            content: None,
        }
    }

    /// Places page boundaries according to the values, after `rows` rows at the latest.
    pub(crate) fn of_content(pages: ContentDefinedPages, rows: usize) -> Self {
        Self {
            rows,
            bytes: pages.max_bytes(),
            step_rows: None,
            content: Some(pages),
        }
    }
}
