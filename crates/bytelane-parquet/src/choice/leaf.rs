//! Leaf of a column, its candidates, and their sizes.

use super::candidates::{
    MOST_DISTINCT, PAGE_BYTES, PAGE_ROWS, PAGES_GAIN, depends_on_pages, is_counted,
};
use super::chosen::Choice;
use super::distinct::Distinct;
use super::goal::{DOUBT, DOUBT_OF_DICTIONARY, Estimate};
use super::size::Size;
use crate::Encoding;
use crate::chunk::{EncodedLeaf, Layout, PageSizes};
use parquet::basic::Compression;
use parquet::schema::types::ColumnDescPtr;

/// Size of a dictionary, in bytes, above which it is only written if it looks best. With 1.7 for all of
/// them, lineitem took 1.05 times as long, and no column became smaller.
const LARGE_DICTIONARY: f64 = (1 << 20) as f64;
/// Factor by which one page must be larger than in the best layout to show that the others are, too.
const CLEARLY: f64 = 1.08;

/// Size of all rows of a leaf in a layout.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) layout: Layout,
    pub(super) size: Size,
    /// Estimate of the same size from a few of the pieces.
    pub(super) glance: Size,
}

/// Order of trials. A dictionary that looks best is written first, because its chunk may be kept, and
/// the result may rule out others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    BestDictionary,
    Others,
    Dictionary,
}

/// Leaf of the column, and results so far.
pub(super) struct Leaf {
    pub(super) column: ColumnDescPtr,
    pub(super) compression: Compression,
    /// Number of distinct values, if they can be counted.
    pub(super) distinct: Option<Distinct>,
    /// Mean size of a value in PLAIN, in bytes.
    pub(super) value_bytes: f64,
    /// Layout to use while only other leaves are tried.
    pub(super) idle: Layout,
    /// Candidate layouts.
    pub(super) layouts: Vec<Layout>,
    /// Estimates of the candidates, and the best of them.
    pub(super) choice: Choice,
    /// Estimates from screening.
    pub(super) screened: Vec<Estimate>,
    /// Estimates from a few of the pieces.
    pub(super) glanced: Vec<Estimate>,
    /// Set if the page sizes are open to choice.
    pub(super) has_open_pages: bool,
    /// Encoded chunks of all rows.
    pub(super) encoded: Vec<(Layout, EncodedLeaf)>,
}

impl Leaf {
    pub(super) fn estimate(&self, written: Written, is_measured: bool) -> Estimate {
        let Written { layout, size, .. } = written;
        let physical = self.column.physical_type();
        Estimate::new(layout, self.compression, physical, size, is_measured)
    }

    pub(super) fn glance(&self, written: &Written) -> Estimate {
        let glance = Written {
            size: written.glance,
            ..written.clone()
        };
        self.estimate(glance, false)
    }

    /// Returns the layout with a dictionary, if one may pay off.
    pub(super) fn dictionary(&self) -> Option<&Layout> {
        let share = self.distinct.as_ref().map_or(0.0, Distinct::share);
        let is_worth_it = is_counted(&self.column) && share <= MOST_DISTINCT;
        let mut all = self.layouts.iter();
        let found = all.find(|layout| layout.encoding == Encoding::Dictionary);
        found.filter(|_| is_worth_it || self.layouts.len() == 1)
    }

    /// Returns whether a dictionary would be so large that it is only written if it looks best: it
    /// takes several times as long as the other candidates.
    pub(super) fn has_large_dictionary(&self) -> bool {
        let distinct = self.distinct.as_ref().map_or(0.0, Distinct::count);
        distinct * self.value_bytes > LARGE_DICTIONARY
    }

    /// Returns the layouts of the candidates that are not far behind, and of which only small
    /// pieces were written.
    pub(super) fn close(&self, turn: Turn) -> Vec<Layout> {
        let estimates = &self.choice.candidates;
        let bytes = estimates.iter().map(|it| it.bytes);
        let least = bytes.fold(f64::INFINITY, f64::min);
        let close = estimates.iter().filter(|it| {
            let is_dictionary = it.layout.encoding == Encoding::Dictionary;
            let doubt = match turn {
                Turn::BestDictionary => 1.0,
                Turn::Others => DOUBT,
                Turn::Dictionary if self.has_large_dictionary() => 1.0,
                Turn::Dictionary => DOUBT_OF_DICTIONARY,
            };
            let is_wanted = is_dictionary == (turn != Turn::Others);
            !it.is_measured && it.bytes <= doubt * least && is_wanted
        });
        let close: Vec<Layout> = close.map(|it| it.layout.clone()).collect();
        if turn == Turn::Others && close.len() == 1 && self.is_settled() {
            return Vec::new();
        }
        close
    }

    /// Returns whether all candidates but the best one are far behind, and whole pages would not tell another size:
    /// without compression, they are as large as small pieces.
    fn is_settled(&self) -> bool {
        let estimates = &self.choice.candidates;
        let bytes = estimates.iter().map(|it| it.bytes);
        let least = bytes.fold(f64::INFINITY, f64::min);
        let close = estimates.iter().filter(|it| {
            let doubt = match it.layout.encoding {
                Encoding::Dictionary => DOUBT_OF_DICTIONARY,
                _ => DOUBT,
            };
            it.bytes <= doubt * least
        });
        self.compression == Compression::UNCOMPRESSED && close.count() == 1
    }

    /// Returns the chosen layout, followed by the same layout with other page sizes that may be
    /// smaller. Returns nothing if there are no such sizes. The leaves have `bytes` and `rows`.
    pub(super) fn page_layouts(
        &self,
        of_dictionary: bool,
        bytes: usize,
        rows: usize,
    ) -> Vec<Layout> {
        let layout = &self.choice.layout;
        let is_dictionary = layout.encoding == Encoding::Dictionary;
        if is_dictionary != of_dictionary || self.compression == Compression::UNCOMPRESSED {
            return Vec::new();
        }
        let pages: Vec<PageSizes> = if is_dictionary {
            let fewer = PAGE_ROWS.into_iter().filter(|fewer| *fewer < rows);
            fewer.map(PageSizes::of_rows).collect()
        } else if depends_on_pages(self.compression) {
            let smaller = PAGE_BYTES.into_iter().filter(|smaller| *smaller < bytes);
            let pages = smaller.map(|bytes| PageSizes::of_bytes(bytes, &self.column));
            pages.collect()
        } else {
            Vec::new()
        };
        let others = pages.iter().map(|pages| Layout {
            pages: *pages,
            ..layout.clone()
        });
        let chosen = pages.first().map(|_| layout.clone());
        chosen.into_iter().chain(others).collect()
    }

    /// Returns the chosen layout with smaller pages if small pieces promise a gain by them.
    pub(super) fn with_pages(&self, page_bytes: usize, bytes: usize) -> Option<Layout> {
        let layout = &self.choice.layout;
        let pages = PageSizes::of_bytes(page_bytes, &self.column);
        let may_gain = page_bytes < bytes
            && layout.encoding != Encoding::Dictionary
            && self.compression != Compression::UNCOMPRESSED
            && self.gains_by_small_pages();
        may_gain.then(|| Layout {
            pages,
            ..layout.clone()
        })
    }

    /// Returns whether small pieces became smaller than the same share of pages in the chosen
    /// layout, so that small pages may compress better.
    pub(super) fn gains_by_small_pages(&self) -> bool {
        let encoding = self.choice.layout.encoding;
        let mut all = self.screened.iter();
        let small = all.find(|it| it.layout.encoding == encoding);
        self.has_open_pages
            && depends_on_pages(self.compression)
            && small.is_some_and(|small| small.bytes < PAGES_GAIN * self.choice.bytes())
    }
}

/// Returns the layouts in which a page is not clearly larger than in the best one.
pub(super) fn not_clearly_larger(written: &[Written]) -> Vec<Layout> {
    let bytes = written.iter().map(|it| it.size.compressed);
    let least = bytes.fold(f64::INFINITY, f64::min);
    let close = written
        .iter()
        .filter(|it| it.size.compressed <= CLEARLY * least);
    close.map(|it| it.layout.clone()).collect()
}
