//! Options of pages that end where their content determines it.

use crate::{Problem, Result};
use serde::{Deserialize, Deserializer, de};

/// Size limits of content-defined pages, which end where the values themselves determine it, not after a
/// number of them.
///
/// If rows are inserted into a table or removed from it, only a few pages change, and the bytes of all others
/// stay the same. A store that deduplicates keeps them once. Large row groups help, because each of them
/// begins a new page.
///
/// ```
/// use bytelane_parquet::{ContentDefinedPages, WriterOptions};
///
/// let pages = ContentDefinedPages::default();
/// assert_eq!((pages.min_bytes(), pages.max_bytes()), (256 << 10, 1 << 20));
/// let options = WriterOptions::default().with_content_defined_pages(pages);
/// # drop(options);
/// assert!(ContentDefinedPages::new(1000, 1000).is_err());
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ContentDefinedPages {
    min: usize,
    max: usize,
}

impl ContentDefinedPages {
    /// Creates limits for the size of the values of a page, in bytes before encoding. The last page of a
    /// column chunk may be smaller, and a page has at least one row. Most pages are closer to `min`: their
    /// mean is a quarter of the way from it to `max`.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Option`] unless `max` is greater than `min`.
    pub fn new(min: usize, max: usize) -> Result<Self> {
        if min < max {
            return Ok(Self { min, max });
        }
        let problem = format!(
            "content-defined pages of {min} to {max} bytes: the second number must be greater"
        );
        Err(Problem::Option(problem).into())
    }

    /// Returns the minimum size in bytes.
    #[must_use]
    pub const fn min_bytes(self) -> usize {
        self.min
    }

    /// Returns the maximum size in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        self.max
    }
}

impl Default for ContentDefinedPages {
    /// Returns pages of 256 KiB to 1 MiB.
    fn default() -> Self {
        Self {
            min: 256 << 10,
            max: 1 << 20,
        }
    }
}

/// Deserializes whether there are such pages, or their sizes.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<ContentDefinedPages>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "invalid type: expected true, or a pair of minimum and maximum bytes"
    )]
    enum Pages {
        Wanted(bool),
        Sizes(usize, usize),
    }
    match Pages::deserialize(from)? {
        Pages::Wanted(wanted) => Ok(wanted.then(ContentDefinedPages::default)),
        Pages::Sizes(min, max) => {
            let pages = ContentDefinedPages::new(min, max);
            pages.map(Some).map_err(de::Error::custom)
        }
    }
}
