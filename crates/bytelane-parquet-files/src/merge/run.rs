//! Runs a merge: chooses the rows of the next row group and the end of each file.

use super::input::RowGroup;
use super::options::{MergeOptions, MergePages};
use super::outcome::{MergedColumn, Notes};
use super::output::{Outputs, Room};
use super::part::Part;
use super::plan::{OPEN_FILES, Plan};
use super::writer::{Joined, Writer};
use bytelane_parquet::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of times that the last row group of a file is joined to find the right size.
const ATTEMPTS: usize = 6;

/// Fraction of its rows by which a row group may be smaller to keep a row group of an input whole.
const NEAR_BORDER: f64 = 0.01;

/// Merge in progress.
pub(super) struct Run<'a> {
    plan: &'a Plan<'a>,
    options: &'a MergeOptions,
    outputs: Outputs<'a>,
    writer: Writer<'a>,
    /// Rows that have not been written.
    parts: VecDeque<Part>,
    /// Set if row groups may be split when a file is full.
    splits: bool,
    last: Option<LastRead>,
    /// Bytes of chunks done, and total.
    done: u64,
    total: u64,
}

/// Row group that was read last, and the number of its input.
type LastRead = (usize, RowGroup);

/// Joined row group for a file of limited size, and its number of rows.
struct Fitting {
    rows: u64,
    bytes: u64,
    joined: Joined,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        plan: &'a Plan<'a>,
        options: &'a MergeOptions,
        outputs: Outputs<'a>,
        notes: Notes,
    ) -> Self {
        Self {
            plan,
            options,
            outputs,
            writer: Writer::new(plan, options.pages == MergePages::Fresh, notes),
            parts: plan.parts.iter().cloned().collect(),
            splits: !options.keeps_row_groups(),
            last: None,
            done: 0,
            total: plan.parts.iter().map(|part| part.bytes).sum(),
        }
    }

    pub(super) fn finish(self) -> (Outputs<'a>, Vec<MergedColumn>, Vec<String>) {
        let (columns, notes) = self.writer.finish();
        (self.outputs, columns, notes)
    }

    pub(super) fn merge(&mut self) -> Result<()> {
        while let Some(next) = self.parts.front_mut() {
            // Split only the next part: a damaged footer may claim any number of rows.
            let first = self
                .options
                .split_rows()
                .and_then(|rows| next.first_of(rows));
            if let Some(first) = first {
                self.parts.push_front(first);
            }
            let most = self.most_rows();
            match self.outputs.room() {
                None => self.join_and_write(most)?,
                Some(room) => self.fill(room, most)?,
            }
        }
        if self.outputs.are_none() {
            // The file has no rows.
            self.outputs.writer()?;
        }
        self.outputs.end_file()
    }

    /// Returns the maximum number of rows of a row group that consists of whole parts.
    fn most_rows(&self) -> u64 {
        let mut rows = 0_u64;
        let mut last: Option<&Part> = None;
        for part in &self.parts {
            let with = rows.saturating_add(part.len());
            let is_other =
                |last: &Part| (last.input, last.row_group) != (part.input, part.row_group);
            let is_full = if self.options.keeps_row_groups() {
                last.is_some_and(is_other)
            } else {
                last.is_some() && with > self.options.joined_rows()
            };
            last = Some(part);
            if is_full {
                break;
            }
            rows = with;
        }
        rows
    }

    /// Writes the next row group into a file with this much room, or finishes the file.
    fn fill(&mut self, room: Room, most: u64) -> Result<()> {
        if room.least == 0 && !self.outputs.is_new() {
            return self.outputs.end_file();
        }
        let found = self.fitting(room, most)?;
        if found.bytes > room.most && !self.outputs.is_new() {
            return self.outputs.end_file();
        }
        let is_full = found.bytes >= room.least || found.rows < most;
        self.write(found.rows, found.joined)?;
        if is_full {
            self.outputs.end_file()
        } else {
            Ok(())
        }
    }

    /// Joins up to `most` of the next rows: those that fill the file, or as few as possible if all
    /// are too many.
    fn fitting(&mut self, room: Room, most: u64) -> Result<Fitting> {
        let mut rows = self.rows_of(room.most as f64 / self.writer.ratio(), most);
        let mut best: Option<Fitting> = None;
        // `low` rows fit, and `high` rows are too many.
        let (mut low, mut high) = (0, most + 1);
        for _ in 0..ATTEMPTS {
            rows = self.at_border(rows, most);
            let joined = match self.join(rows) {
                Ok(joined) => joined,
                Err(error) if self.splits && error.is_obstacle() && !self.is_whole(rows) => {
                    self.splits = false;
                    self.writer.note(format!(
                        "row groups were not split to fill files: {}",
                        error.problem()
                    ));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let bytes = joined.bytes()?;
            let next = Fitting {
                rows,
                bytes,
                joined,
            };
            let fits = bytes <= room.most;
            if fits {
                low = rows;
            } else {
                high = rows;
            }
            let is_better = match &best {
                None => true,
                Some(best) if best.bytes > room.most => next.bytes < best.bytes,
                Some(best) => fits && next.rows > best.rows,
            };
            if is_better {
                best = Some(next);
            }
            // Aim slightly below the requested size, so that the next attempt is not too large
            // again.
            let aim = (room.least as f64 + 2.0 * room.most as f64) / 3.0;
            let wanted = (rows as f64 * aim / bytes.max(1) as f64) as u64;
            if (fits && (bytes >= room.least || rows == most)) || high - low <= 1 {
                break;
            }
            let between = wanted.clamp(low + 1, high - 1);
            if between == rows {
                break;
            }
            rows = between;
        }
        best.ok_or_else(|| Error::corrupt("no rows fill a file"))
    }

    /// Returns the number of the next rows, up to `most`, that have this size in the inputs.
    fn rows_of(&self, bytes: f64, most: u64) -> u64 {
        let (mut rows, mut left) = (0, bytes);
        for part in &self.parts {
            let own = part.bytes as f64;
            if own > left {
                rows += (part.len() as f64 * left.max(0.0) / own) as u64;
                break;
            }
            left -= own;
            rows += part.len();
        }
        rows.clamp(1, most)
    }

    /// Rounds a number of rows to whole parts, if one is near or parts must not be split.
    fn at_border(&self, rows: u64, most: u64) -> u64 {
        let (mut below, mut above) = (0, most);
        let mut sum = 0;
        for part in &self.parts {
            sum += part.len();
            if sum <= rows {
                below = sum;
            } else {
                above = sum.min(most);
                break;
            }
        }
        let is_near = (rows - below) as f64 <= NEAR_BORDER * rows as f64;
        match below {
            0 if !self.splits => above,
            0 => rows,
            _ if is_near || !self.splits => below,
            _ => rows,
        }
    }

    /// Returns whether this number of rows keeps parts whole.
    fn is_whole(&self, rows: u64) -> bool {
        let mut sums = self.parts.iter().scan(0, |sum, part| {
            *sum += part.len();
            Some(*sum)
        });
        sums.any(|sum| sum == rows)
    }

    /// Joins the next rows.
    fn join(&mut self, rows: u64) -> Result<Joined> {
        let groups = self.read(rows)?;
        let (done, total) = (self.done, self.total);
        let report = || self.options.report(done, total);
        self.writer.join(&groups, report)
    }

    /// Joins the next rows, and writes them.
    fn join_and_write(&mut self, rows: u64) -> Result<()> {
        let groups = self.read(rows)?;
        let (done, total) = (self.done, self.total);
        let report = || self.options.report(done, total);
        let to = self.outputs.writer()?;
        self.writer.join_and_write(&groups, to, report)?;
        self.are_written(rows);
        Ok(())
    }

    /// Reads the row groups with the next rows.
    fn read(&mut self, rows: u64) -> Result<Vec<RowGroup>> {
        let parts = self.next_parts(rows);
        let files = parts.chunk_by(|one, other| one.input == other.input);
        let (plan, mut last, mut groups) = (self.plan, self.last.take(), Vec::new());
        // The row group that was read last can only be one of the first file.
        let units = files.map(|parts| (1, (parts, last.take())));
        let read = |(parts, mut last): (&[Part], Option<LastRead>)| {
            let groups = parts.iter().map(|part| read(plan, part, &mut last));
            Ok((groups.collect::<Result<Vec<_>>>()?, last))
        };
        let take = |(next, last)| {
            groups.extend::<Vec<_>>(next);
            self.last = last;
            Ok(())
        };
        let limits = (OPEN_FILES, plan.depth);
        plan.workers
            .in_order(limits, units, read, take, || Ok(()))?;
        Ok(groups)
    }

    /// Returns the parts with the next rows.
    fn next_parts(&self, rows: u64) -> Vec<Part> {
        let (mut left, mut parts) = (rows, Vec::new());
        for part in &self.parts {
            if left == 0 {
                break;
            }
            let mut part = part.clone();
            if part.len() > left {
                part = part.split_off(left);
            }
            left -= part.len();
            parts.push(part);
        }
        parts
    }

    /// Writes the next rows, which have been joined.
    fn write(&mut self, rows: u64, joined: Joined) -> Result<()> {
        self.writer.write(joined, self.outputs.writer()?)?;
        self.are_written(rows);
        Ok(())
    }

    /// Counts rows that have been written.
    fn are_written(&mut self, rows: u64) {
        self.outputs.add_rows(rows);
        let mut left = rows;
        while let Some(part) = self.parts.front_mut().filter(|_| left > 0) {
            let length = part.len();
            if length > left {
                self.done += part.split_off(left).bytes;
                break;
            }
            left -= length;
            self.done += part.bytes;
            self.parts.pop_front();
        }
    }
}

/// Reads a part of a row group, which may be of the one that was read last, or in the same file.
fn read(plan: &Plan<'_>, part: &Part, last: &mut Option<LastRead>) -> Result<RowGroup> {
    let input = &plan.inputs[part.input];
    let located = |error: Error| error.in_row_group(part.row_group).in_file(input.path);
    let file = match last.take() {
        Some((index, group)) if index == part.input && group.index == part.row_group => {
            let wanted = group.part(part);
            *last = Some((index, group));
            return wanted.ok_or_else(|| located(changed()));
        }
        Some((index, group)) if index == part.input => group.file.without_row_group(),
        _ => input.open()?,
    };
    if file.footer.row_groups.len() <= part.row_group {
        return Err(located(changed()));
    }
    let layout = Arc::clone(&input.layout);
    let group = RowGroup::read(input.path, file, part.row_group, layout).map_err(located)?;
    let wanted = group.part(part).ok_or_else(|| located(changed()))?;
    *last = Some((part.input, group));
    Ok(wanted)
}

fn changed() -> Error {
    Error::corrupt("the file has changed")
}
