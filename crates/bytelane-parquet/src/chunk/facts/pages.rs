//! Compares the offset index with page headers.

use super::{Contradiction, Fact, Facts};
use crate::chunk::Page;
use crate::format::{Encoding, PageType, Statistics};
use parquet::schema::types::ColumnDescriptor;

/// Facts in the header of a data page.
#[derive(Clone, Debug)]
pub struct PageFacts {
    offset: i64,
    /// Size with the header, in bytes.
    bytes: i64,
    pub(super) values: i64,
    /// Number of rows, if the header determines it.
    pub(super) rows: Option<i64>,
    /// Number of nulls of a flat column, if the header has it.
    pub(super) nulls: Option<i64>,
    /// Set if the header has bounds of values.
    pub(super) has_bounds: bool,
    pub(super) encoding: Option<Encoding>,
}

impl PageFacts {
    /// Returns the number of values, including nulls.
    pub(crate) fn values(&self) -> i64 {
        self.values
    }

    /// Returns the facts in the header of a data page.
    pub fn of(page: &Page, column: &ColumnDescriptor) -> Self {
        let two = page.header.data_page_header_v2.as_ref();
        let two = two.filter(|_| page.header.page_type == PageType::DataPageV2);
        let one = page.header.data_page_header.as_ref();
        let statistics = two.and_then(|it| it.statistics.as_ref());
        let statistics = statistics.or(one.and_then(|it| it.statistics.as_ref()));
        let statistics: Option<Statistics> = statistics.and_then(|it| it.decode().ok());
        let is_flat = column.max_rep_level() == 0;
        let nulls = two.map(|it| i64::from(it.num_nulls));
        let nulls = nulls.or(statistics.as_ref().and_then(|it| it.null_count));
        let rows = two.map(|it| i64::from(it.num_rows));
        Self {
            offset: page.offset as i64,
            bytes: page.compressed() as i64,
            values: page.values(),
            rows: if is_flat { Some(page.values()) } else { rows },
            nulls: nulls.filter(|_| is_flat),
            encoding: page.encoding(),
            has_bounds: statistics
                .is_some_and(|it| it.min_value.is_some() && it.max_value.is_some()),
        }
    }
}

impl Facts<'_> {
    pub(super) fn check_offset_index(&self, found: &mut Vec<Contradiction>) {
        let Some(index) = self.offset_index else {
            return;
        };
        let locations = &index.page_locations;
        if locations.len() != self.pages.len() {
            let (own, count) = (locations.len(), self.pages.len());
            found.push(Contradiction {
                fact: Fact::PagePlaces,
                page: None,
                problem: format!("the offset index has {own} pages, but the chunk has {count}"),
            });
            return;
        }
        let mut begun = Some(0_i64);
        for (number, location) in locations.iter().enumerate() {
            let mut add = |fact, problem: String| {
                let page = Some(number);
                found.push(Contradiction {
                    fact,
                    page,
                    problem,
                });
            };
            let size = i64::from(location.compressed_page_size);
            let header = self.pages[number].as_ref();
            if header.is_some_and(|it| (it.offset, it.bytes) != (location.offset, size)) {
                let problem =
                    "the offset index says that the page is elsewhere, or of another size";
                add(Fact::PagePlaces, problem.to_owned());
            }
            let first = location.first_row_index;
            let next = locations.get(number + 1);
            let next = next.map_or(self.rows, |it| it.first_row_index);
            if first > next || first < 0 || (number == 0 && first != 0) {
                let problem =
                    "the rows of the offset index do not ascend from 0 to those of the row group";
                add(Fact::FirstRows, problem.to_owned());
            } else if let Some(begun) = begun.filter(|begun| *begun != first) {
                let problem = format!(
                    "the offset index says that it begins with row {first}, but it begins with {begun}"
                );
                add(Fact::FirstRows, problem);
            }
            // After a page whose rows are unknown, the index is believed.
            begun = match self.rows_of(number) {
                Some(rows) => begun.unwrap_or(first).checked_add(rows),
                None => None,
            };
        }
        if let Some(begun) = begun.filter(|begun| *begun != self.rows) {
            let rows = self.rows;
            found.push(Contradiction {
                fact: Fact::FirstRows,
                page: None,
                problem: format!(
                    "the pages of the offset index have {begun} rows, but the row group has {rows}"
                ),
            });
        }
    }
}
