//! How a leaf is written: its encoding, and where its pages end.

use crate::Encoding;
use crate::types::physical;
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
}

impl PageSizes {
    /// Pages of so many rows, however large these are.
    pub(crate) fn of_rows(rows: usize) -> Self {
        Self {
            rows: rows.max(1),
            bytes: usize::MAX,
        }
    }

    /// Pages of values of a leaf that together have so many bytes. The crate `parquet` looks at the rows of a page
    /// more often than at its bytes.
    pub(crate) fn of_bytes(bytes: usize, leaf: &ColumnDescriptor) -> Self {
        let rows = bytes / physical::width(leaf).unwrap_or(1);
        Self {
            rows: rows.max(1),
            bytes,
        }
    }
}
