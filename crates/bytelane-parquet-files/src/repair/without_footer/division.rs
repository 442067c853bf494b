//! Divides pages into the chunks of row groups.
//!
//! Nothing in a page names its column. A chunk begins with a dictionary (or symbols, which stand for one here) or with a data page, chunks follow each other in
//! the order of the schema, and all chunks of a row group have the same number of rows. All divisions that agree with this
//! are followed at once, page by page. Rows are certain only if their row group is part of every division.

use super::scan::{End, Segment};
use bytelane_parquet::format::Encoding;
use bytes::Bytes;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// Maximum number of divisions that are followed at once.
const DIVISIONS: usize = 256;

/// Chunks of a row group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Group {
    /// Number of the first page of each chunk.
    pub starts: Rc<Vec<usize>>,
    /// Number of the page after the last one.
    pub end: usize,
    pub rows: u64,
}

impl Group {
    pub(super) fn start(&self) -> usize {
        self.starts.first().copied().unwrap_or(self.end)
    }
}

/// Pages of a segment that are divided.
#[derive(Debug, Default)]
pub(super) struct Divided {
    /// Row groups that are part of every division.
    pub certain: Vec<Group>,
    /// Number of pages that were divided. The next one fits no division.
    pub pages: usize,
    /// Set if there are too many divisions to follow.
    pub is_given_up: bool,
}

/// Rows that begin in a page, and whether it begins with a new row.
pub(super) type PageRows = (u64, bool);

/// Decodes a page as one of a column, with the dictionary at the beginning of its chunk, if it has one.
pub(super) trait Fit {
    /// Returns the rows of a data page; `None` if it cannot be a page of the column.
    fn rows(&mut self, page: usize, column: usize, dictionary: Option<usize>) -> Option<PageRows>;

    /// Returns whether a page can be the dictionary of a column.
    fn is_dictionary(&mut self, page: usize, column: usize) -> bool;
}

/// Division of the pages so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Division {
    /// First pages of the chunks of the row group; `None` if its first pages are lost.
    starts: Option<Rc<Vec<usize>>>,
    column: usize,
    /// Number of the first page of the chunk; `None` if it is lost.
    chunk: Option<usize>,
    /// Rows of the chunk so far; unknown if its first pages are lost.
    rows: Option<u64>,
    /// Rows of each chunk of the row group, if they are known.
    expected: Option<u64>,
}

/// Divides the pages of a segment from a page on; `begins` is set if a row group begins with it.
pub(super) fn divide(
    segment: &Segment,
    from: usize,
    begins: bool,
    columns: &[Vec<Bytes>],
    fit: &mut impl Fit,
) -> Divided {
    let mut divider = Divider {
        segment,
        columns,
        fit,
        groups: HashSet::new(),
        heads: HashSet::new(),
    };
    let mut open = divider.first(from, begins);
    let mut page = from + 1;
    let mut is_given_up = false;
    while page < segment.pages.len() && !open.is_empty() {
        let next = divider.next(&open, page);
        is_given_up = next.len() > DIVISIONS;
        if next.is_empty() || is_given_up {
            break;
        }
        open = next;
        page += 1;
    }
    let pages = if open.is_empty() { from } else { page };
    let is_whole = segment.is_whole && page == segment.pages.len();
    Divided {
        certain: divider.certain(&open, from, page, is_whole),
        pages,
        is_given_up,
    }
}

struct Divider<'a, F> {
    segment: &'a Segment,
    columns: &'a [Vec<Bytes>],
    fit: &'a mut F,
    /// Row groups of all divisions, and the pages where the first row group after lost pages begins.
    groups: HashSet<Group>,
    heads: HashSet<usize>,
}

impl<F: Fit> Divider<'_, F> {
    /// Returns all divisions of the first page.
    fn first(&mut self, page: usize, begins: bool) -> Vec<Division> {
        let mut open: Vec<Division> = self.first_chunk(page).into_iter().collect();
        self.heads.insert(page);
        // If there is only one column, nothing else is possible.
        let is_known = begins || (self.columns.len() == 1 && !open.is_empty());
        let columns = if is_known { 0 } else { self.columns.len() };
        for column in 0..columns {
            let lost = Division {
                starts: None,
                column,
                chunk: None,
                rows: None,
                expected: None,
            };
            open.extend(self.continued(&lost, page));
            if column > 0 {
                open.extend(self.chunk(None, column, None, page));
            }
        }
        self.without_wrong_ends(&mut open, page);
        open
    }

    /// Returns the divisions with another page.
    fn next(&mut self, open: &[Division], page: usize) -> Vec<Division> {
        let mut next = HashSet::new();
        let is_end = self.segment.ends.iter().any(|(at, _)| *at + 1 == page);
        for division in open {
            let is_first_page_of_chunk =
                self.columns.len() > 1 || is_end || self.is_dictionary(page);
            if !is_end {
                next.extend(self.continued(division, page));
            }
            if is_first_page_of_chunk && let Some(rows) = complete(division) {
                next.extend(self.after_chunk(division, rows, page));
            }
        }
        let mut next: Vec<Division> = next.into_iter().collect();
        self.without_wrong_ends(&mut next, page);
        next
    }

    /// Removes divisions that contradict the ends that the file marks.
    fn without_wrong_ends(&self, open: &mut Vec<Division>, page: usize) {
        for (_, end) in self.segment.ends.iter().filter(|(at, _)| *at == page) {
            let last = self.columns.len() - 1;
            open.retain(|it| match end {
                End::Chunk(path) => self.columns[it.column] == *path,
                End::RowGroup => it.column == last,
            } && complete(it).is_some());
        }
    }

    fn is_dictionary(&self, page: usize) -> bool {
        !self.segment.pages[page].is_data()
    }

    fn uses_dictionary(&self, page: usize) -> bool {
        let encoding = self.segment.pages[page].encoding();
        matches!(
            encoding,
            Some(Encoding::RleDictionary | Encoding::PlainDictionary | Encoding::Fsst)
        )
    }

    /// Returns the division in which the page continues the chunk.
    fn continued(&mut self, division: &Division, page: usize) -> Option<Division> {
        if self.is_dictionary(page) {
            return None;
        }
        let begin = division.chunk;
        let Some(begin) = begin else {
            // The dictionary may be lost, too.
            let fits =
                self.uses_dictionary(page) || self.fit.rows(page, division.column, None).is_some();
            return fits.then(|| division.clone());
        };
        let dictionary = Some(begin).filter(|begin| self.is_dictionary(*begin));
        let (rows, begins) = self.fit.rows(page, division.column, dictionary)?;
        if division.rows == Some(0) && !begins {
            return None;
        }
        let rows = division.rows.map(|before| before.saturating_add(rows));
        let is_too_long = rows
            .zip(division.expected)
            .is_some_and(|(rows, most)| rows > most);
        (!is_too_long).then(|| Division {
            rows,
            ..division.clone()
        })
    }

    /// Returns the division in which the page begins the next chunk.
    fn after_chunk(
        &mut self,
        division: &Division,
        rows: Option<u64>,
        page: usize,
    ) -> Option<Division> {
        if division.column + 1 < self.columns.len() {
            let starts = division.starts.clone();
            return self.chunk(starts, division.column + 1, rows, page);
        }
        let first = self.first_chunk(page)?;
        self.end_group(division, rows, page);
        Some(first)
    }

    /// Notes a row group that ends before a page.
    fn end_group(&mut self, division: &Division, rows: Option<u64>, end: usize) {
        match (&division.starts, rows) {
            (Some(starts), Some(rows)) => {
                let starts = Rc::clone(starts);
                self.groups.insert(Group { starts, end, rows });
            }
            _ => {
                self.heads.insert(end);
            }
        }
    }

    fn first_chunk(&mut self, page: usize) -> Option<Division> {
        self.chunk(Some(Rc::default()), 0, None, page)
    }

    /// Returns a division with a chunk that begins with a page.
    fn chunk(
        &mut self,
        starts: Option<Rc<Vec<usize>>>,
        column: usize,
        expected: Option<u64>,
        page: usize,
    ) -> Option<Division> {
        let rows = if self.is_dictionary(page) {
            self.fit.is_dictionary(page, column).then_some(0)?
        } else {
            let (rows, begins) = self.fit.rows(page, column, None)?;
            begins.then_some(rows)?
        };
        if expected.is_some_and(|most| rows > most) {
            return None;
        }
        let starts = starts.map(|starts| {
            let mut starts = Vec::clone(&starts);
            starts.push(page);
            Rc::new(starts)
        });
        Some(Division {
            starts,
            column,
            chunk: Some(page),
            rows: Some(rows),
            expected,
        })
    }

    /// Returns the row groups that are part of all divisions of the pages up to `end`.
    fn certain(
        &mut self,
        open: &[Division],
        from: usize,
        end: usize,
        is_whole: bool,
    ) -> Vec<Group> {
        // Starts of the last row group, if it is not complete.
        let mut tails: HashSet<usize> = HashSet::new();
        let mut ends_whole = false;
        for division in open {
            match complete(division).filter(|_| division.column + 1 == self.columns.len()) {
                Some(rows) => {
                    self.end_group(division, rows, end);
                    ends_whole = true;
                }
                None => {
                    let starts = division.starts.as_ref().and_then(|it| it.first());
                    tails.insert(starts.copied().unwrap_or(from));
                }
            }
        }
        if is_whole && ends_whole {
            tails.clear();
        }
        self.covered_once(&tails, from, end)
    }

    /// Returns the row groups on the way from the first to the last page that overlap nothing else on such a way.
    fn covered_once(&self, tails: &HashSet<usize>, from: usize, end: usize) -> Vec<Group> {
        let mut by_start: BTreeMap<usize, Vec<&Group>> = BTreeMap::new();
        for group in &self.groups {
            by_start.entry(group.start()).or_default().push(group);
        }
        let mut leads_on: HashSet<usize> = tails.iter().copied().chain([end]).collect();
        let mut on_way: Vec<&Group> = Vec::new();
        for (start, groups) in by_start.into_iter().rev() {
            let groups = groups.into_iter().filter(|it| leads_on.contains(&it.end));
            let before = on_way.len();
            on_way.extend(groups);
            if on_way.len() > before {
                leads_on.insert(start);
            }
        }
        let heads = self.heads.iter().filter(|it| leads_on.contains(it));
        let heads = heads.map(|head| from..*head);
        let tails = tails.iter().map(|tail| *tail..end);
        let groups = on_way.iter().map(|it| it.start()..it.end);
        // Number of overlapping parts that begin and end at each page.
        let mut changes = vec![0_i64; end - from + 1];
        for range in heads.chain(tails).chain(groups).filter(|it| !it.is_empty()) {
            changes[range.start - from] += 1;
            changes[range.end - from] -= 1;
        }
        let mut depth = 0;
        let depths: Vec<i64> = changes
            .iter()
            .map(|change| {
                depth += change;
                depth
            })
            .collect();
        let is_once = |it: &&Group| {
            depths[it.start() - from..it.end - from]
                .iter()
                .all(|it| *it == 1)
        };
        let mut certain: Vec<Group> = on_way.into_iter().filter(is_once).cloned().collect();
        certain.sort_unstable_by_key(Group::start);
        certain
    }
}

/// Returns the rows of the row group if the chunk can end here; these may be unknown.
fn complete(division: &Division) -> Option<Option<u64>> {
    match (division.rows, division.expected) {
        (Some(0), _) => None,
        (Some(rows), Some(expected)) => (rows == expected).then_some(Some(rows)),
        (Some(rows), None) => Some(Some(rows)),
        (None, expected) => Some(expected),
    }
}
