//! Predicts the choice that `rewrite` and the writer would make for a column, for some row groups or for all.

use super::files::Files;
use super::options::AdviseOptions;
use super::source::Source;
use crate::rewrite::RewriteOptions;
use crate::rewrite::plan::{Request, beside_int96};
use arrow_array::ArrayRef;
use bytelane_parquet::choice::{Choice, Chooser, Estimate, Tally};
use bytelane_parquet::chunk::{Column, Layout, PageSizes};
use bytelane_parquet::{Encoding, Result, WriterOptions};
use parquet::basic::{Compression, Type};

/// Predicted outcome for a leaf.
#[derive(Clone, Default, Debug)]
pub(super) struct Promise {
    /// Number of rows in the examined row groups.
    pub(super) rows: u64,
    /// Current size of these row groups in the file.
    before: f64,
    /// Predicted size of these row groups.
    after: f64,
    /// Set if any of them would change.
    pub(super) changes: bool,
    /// Size in bytes for each encoding that was considered.
    weighed: Vec<(Encoding, f64)>,
    /// Bytes of the row groups that end up in each encoding, because it was chosen or because they keep it.
    chosen: Vec<(Encoding, f64)>,
    /// Distinct values of the examined rows, unless the column is nested.
    pub(super) tally: Option<Tally>,
    /// Compression of new pages in the first row group that has any.
    pub(super) compression: Option<Compression>,
    /// Sizes of the new pages.
    pub(super) pages: Option<PageSizes>,
    /// Reason why the leaf cannot be re-encoded.
    pub(super) obstacle: Option<String>,
    /// Reason why the leaf is re-encoded regardless of its size.
    pub(super) reason: Option<String>,
}

impl Promise {
    /// Returns the predictions for the leaves of a column, in order.
    pub(super) fn of(source: &Source, column: usize, options: &AdviseOptions) -> Result<Vec<Self>> {
        match source {
            Source::Parquet(files) => of_files(files, column, options),
            Source::Array(_) | Source::Table(_) => of_rows(source, column, options),
        }
    }

    /// Returns the encoding of most bytes.
    pub(super) fn encoding(&self) -> Option<Encoding> {
        let most = self
            .chosen
            .iter()
            .max_by(|one, other| one.1.total_cmp(&other.1));
        most.map(|(encoding, _)| *encoding)
    }

    /// Returns the predicted size of the whole column. It has `rows` rows, and currently takes `bytes` bytes
    /// if it is in a file.
    pub(super) fn bytes(&self, rows: u64, bytes: Option<u64>) -> u64 {
        (self.after * self.scale(rows, bytes)).round() as u64
    }

    /// Returns the predicted size of the whole column in an encoding that was considered.
    pub(super) fn bytes_in(
        &self,
        encoding: Encoding,
        rows: u64,
        bytes: Option<u64>,
    ) -> Option<u64> {
        let found = self.weighed.iter().find(|(other, _)| *other == encoding);
        found.map(|(_, weighed)| (weighed * self.scale(rows, bytes)).round() as u64)
    }

    /// Returns the factor from the examined row groups to the whole column. The other row groups are assumed
    /// to change in proportion to their size in the file.
    fn scale(&self, rows: u64, bytes: Option<u64>) -> f64 {
        match bytes {
            Some(bytes) if self.before > 0.0 => bytes as f64 / self.before,
            _ => rows as f64 / self.rows.max(1) as f64,
        }
    }

    fn weigh(&mut self, written: &Written) {
        match written.weighed.as_slice() {
            [] => add(&mut self.weighed, written.layout.encoding, written.bytes),
            weighed => weighed.iter().for_each(|estimate| {
                add(&mut self.weighed, estimate.layout.encoding, estimate.bytes);
            }),
        }
    }
}

fn add(sums: &mut Vec<(Encoding, f64)>, encoding: Encoding, bytes: f64) {
    match sums.iter_mut().find(|(other, _)| *other == encoding) {
        Some((_, sum)) => *sum += bytes,
        None => sums.push((encoding, bytes)),
    }
}

/// Returns the encoding that makes a writer produce pages in these encodings, given by their names in the
/// format. This is the dictionary encoding if any page uses it, because writers fall back to another encoding
/// on their own.
pub(super) fn current(names: impl Iterator<Item = impl AsRef<str>>) -> Option<Encoding> {
    let encodings = names.filter_map(|name| match name.as_ref() {
        "rle_dictionary" | "plain_dictionary" => Some(Encoding::Dictionary),
        name => name.parse().ok().filter(|it| *it != Encoding::Auto),
    });
    encodings.max_by_key(|encoding| *encoding == Encoding::Dictionary)
}

/// Leaf the way it would be written.
struct Written {
    layout: Layout,
    bytes: f64,
    weighed: Vec<Estimate>,
}

impl Written {
    /// Returns the size of the checksums that `rewrite` adds to the headers of new pages. Each takes one byte
    /// for the field and usually five for the 32-bit number.
    fn checksum_bytes(&self, rows: usize) -> f64 {
        let is_dictionary = self.layout.encoding == Encoding::Dictionary;
        let pages = rows.div_ceil(self.layout.pages.rows) + usize::from(is_dictionary);
        6.0 * pages as f64
    }
}

/// Counts the distinct values of a column, unless it is nested.
fn tally(promises: &mut [Promise], arrays: &[ArrayRef]) {
    if let [promise] = promises {
        let tally = promise.tally.get_or_insert_default();
        arrays.iter().for_each(|array| tally.add(array));
    }
}

/// Chooses encodings for a column of a row group. The size is estimated, or found by writing all of it.
fn written(
    column: &Column,
    arrays: Vec<ArrayRef>,
    chooser: &mut Chooser,
    is_exact: bool,
) -> Result<Vec<Written>> {
    let mut choices = chooser.choose(column, &arrays)?;
    let is_estimated = |choice: &Choice| !choice.candidates.is_empty();
    let sizes: Vec<f64> = if !is_exact && choices.iter().all(is_estimated) {
        choices.iter().map(Choice::bytes).collect()
    } else {
        let leaves = chooser.encode_chosen(column, arrays, &mut choices, None)?;
        let sizes = leaves.iter().map(|leaf| leaf.chunk.bytes() as f64);
        sizes.collect()
    };
    let written = choices.into_iter().zip(sizes);
    let written = written.map(|(choice, bytes)| Written {
        layout: choice.layout,
        bytes,
        weighed: choice.candidates,
    });
    Ok(written.collect())
}

fn of_files(files: &Files, column: usize, options: &AdviseOptions) -> Result<Vec<Promise>> {
    let rewrite = options.rewrite();
    let mut promises = Vec::new();
    for place in files.row_groups(options.rows()) {
        let metadata = files.metadata_of(place.file);
        let plan = files.plan(place.file, &rewrite);
        let leaves = files.leaves(place.file, column);
        promises.resize_with(leaves.len(), Promise::default);
        let chunks = &metadata.row_group(place.row_group).columns()[leaves.clone()];
        let rows = metadata.row_group(place.row_group).num_rows().max(0) as usize;
        let mut columns = options.writer();
        let mut requests = Vec::new();
        for (chunk, leaf) in chunks.iter().zip(leaves) {
            let keeps_compression = rewrite.compression.is_none();
            let summary = files.page_summary(place, chunk, keeps_compression)?;
            let request = plan.request(chunk, &summary);
            let pages = plan.pages(&request, &summary, leaf, rows);
            columns = columns.with_column(chunk.column_path().string(), pages);
            requests.push((request, summary));
        }
        if chunks
            .iter()
            .any(|chunk| chunk.column_type() == Type::INT96)
        {
            // `rewrite` writes either all leaves of a column or none.
            for (request, _) in requests
                .iter_mut()
                .filter(|(request, _)| request.pages().is_some())
            {
                *request = Request::Cannot(beside_int96());
            }
        }
        let is_open = requests
            .iter()
            .any(|(request, _)| request.pages().is_some());
        let outcome = if is_open {
            let arrays = files.rows_of(place, column)?;
            tally(&mut promises, &arrays);
            let mut chooser = Chooser::new(&columns);
            let column = files.column(place.file, column)?;
            let written = written(&column, arrays, &mut chooser, false);
            written?.into_iter().map(Some).collect()
        } else {
            requests.iter().map(|_| None).collect::<Vec<_>>()
        };
        let all = promises.iter_mut().zip(chunks).zip(requests).zip(outcome);
        for (((promise, chunk), (request, summary)), outcome) in all {
            let before = chunk.compressed_size() as f64;
            promise.rows += rows as u64;
            promise.before += before;
            let taken = outcome.filter(|new| {
                let differ = !summary.are(new.layout.encoding);
                promise.weigh(new);
                plan.is_better(&request, before, new.bytes, differ)
            });
            promise.changes |= taken.is_some();
            let compression = || plan.compression(chunk, &summary);
            let promised = promise.compression;
            promise.compression = promised.or_else(|| taken.is_some().then(compression));
            promise.pages = taken.as_ref().map(|new| new.layout.pages).or(promise.pages);
            let stays = || (current(summary.names()).unwrap_or(Encoding::Plain), before);
            let becomes = |new: &Written| (new.layout.encoding, new.bytes);
            let (encoding, bytes) = taken.as_ref().map_or_else(stays, becomes);
            add(&mut promise.chosen, encoding, bytes);
            let checksums = |new: &Written| {
                if summary.checksums {
                    new.checksum_bytes(rows)
                } else {
                    0.0
                }
            };
            promise.after += taken.map_or(before, |new| new.bytes + checksums(&new));
            match request {
                Request::Cannot(why) => promise.obstacle = Some(why),
                Request::Other(_) => {
                    let reason = plan.unwanted_preview(chunk, &summary);
                    promise.reason = promise.reason.take().or(reason);
                }
                _ => {}
            }
        }
    }
    Ok(promises)
}

/// Predicts the outcome for rows that are not in a Parquet file, in the row groups that the writer would
/// make.
fn of_rows(source: &Source, column: usize, options: &AdviseOptions) -> Result<Vec<Promise>> {
    let writer = options
        .writer()
        .with_compression(options.compression_or_default());
    let group = writer.row_group_size as u64;
    let groups = source.rows().div_ceil(group);
    let wanted = if options.exact {
        groups
    } else {
        (options.rows() as u64)
            .div_ceil(group)
            .clamp(1, groups.max(1))
    };
    let mut promises = Vec::new();
    // Like the writer's chooser, this one learns from one row group for the next.
    let mut chooser = Chooser::learning(&writer);
    for index in 0..wanted {
        let first = index * groups / wanted * group;
        let rows = first..source.rows().min(first + group);
        let (described, arrays) = source.rows_of(column, rows.clone())?;
        promises.resize_with(described.leaves().len(), Promise::default);
        tally(&mut promises, &arrays);
        let written = written(&described, arrays, &mut chooser, options.exact)?;
        for (promise, new) in promises.iter_mut().zip(written) {
            promise.rows += rows.end - rows.start;
            promise.weigh(&new);
            add(&mut promise.chosen, new.layout.encoding, new.bytes);
            promise.after += new.bytes;
            promise.pages = Some(new.layout.pages);
            promise.changes = true;
        }
    }
    Ok(promises)
}

impl AdviseOptions {
    /// Returns the options of the writer whose choices are predicted.
    fn writer(&self) -> WriterOptions {
        WriterOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers.clone())
            .with_encodings(self.encodings.clone().unwrap_or_default())
            .with_backend(self.backend)
    }

    /// Returns the options of `rewrite`, whose outcome is predicted.
    pub(super) fn rewrite(&self) -> RewriteOptions {
        RewriteOptions {
            goal: self.goal,
            readers: self.readers.clone(),
            encodings: self.encodings.clone(),
            compression: self.compression,
            memory_limit: self.memory_limit,
            backend: self.backend,
            ..RewriteOptions::default()
        }
    }

    /// Returns the compression of new files.
    pub(super) fn compression_or_default(&self) -> Compression {
        self.compression
            .unwrap_or(WriterOptions::default().compression)
    }
}
