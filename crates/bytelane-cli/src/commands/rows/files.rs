//! Files of one table, read one after the other.

use super::input::{Input, STANDARD, standard_input};
use crate::readable;
use crate::search::Search;
use crate::specification::similar;
use crate::verb::Verb;
use anyhow::{Context, bail};
use arrow_array::{BooleanArray, RecordBatch, RecordBatchReader};
use arrow_select::filter::filter_record_batch;
use bytelane_parquet::arrow_schema::{DataType, Schema, SchemaRef};
use bytelane_parquet::budget::{DecodedRows, RowLimit, rows_of};
use bytelane_parquet::filter::{SelectedRows, Selection, list_of};
use bytelane_parquet::parallel::all_cores;
use bytelane_parquet::parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use bytelane_parquet::parquet::file::metadata::ParquetMetaData;
use bytelane_parquet::table::{Table, TableFile, conform, selected};
use bytelane_parquet::{Error, ReaderBuilder, StringType};
use bytelane_store::table_files;
use bytes::Bytes;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Number of rows that are decoded at a time.
const BATCH_ROWS: usize = 8192;

/// Number of column names that an error lists.
const LISTED: usize = 20;

/// Rows of a selection by their indices over all files.
pub struct Chosen<'a> {
    /// Number of rows that the selection has in each file.
    pub counts: &'a [u64],
    /// Indices in ascending order.
    pub rows: &'a [u64],
    /// True if the selection has a filter.
    pub is_filtered: bool,
}

/// Rows of a selection that follow each other.
#[derive(Clone, Copy)]
pub struct Window {
    /// Number of rows before the first one.
    pub offset: u64,
    /// Maximum number of rows.
    pub rows: u64,
}

impl Window {
    pub const ALL: Self = Self {
        offset: 0,
        rows: u64::MAX,
    };
}

/// Files of one table. One is open at a time.
pub struct Files {
    files: Vec<TableFile>,
    /// Set if rows are used and not only shown: columns keep their Arrow types, instead of the ones that are best to show, and a file
    /// may not have more rows than this limit, because a few bytes can claim billions.
    limit: Option<RowLimit>,
    /// Set if the columns of all files must be the same.
    is_strict: bool,
    /// Columns of all files, once they have been read; `None` for a single file without other columns.
    table: OnceLock<Option<Table>>,
    /// Bytes of standard input, once they have been read.
    standard: OnceLock<Bytes>,
}

impl Files {
    /// Finds the files at these paths; directories are searched recursively.
    pub fn find(
        paths: &[PathBuf],
        search: Search,
        types: &[(String, DataType)],
        is_strict: bool,
        limit: Option<RowLimit>,
    ) -> anyhow::Result<Self> {
        let is_standard = |path: &PathBuf| path == Path::new(STANDARD);
        let files = match paths {
            [path] if is_standard(path) => vec![TableFile::new(path)],
            _ => match paths.iter().find(|path| is_standard(path)) {
                Some(_) => bail!(
                    "standard input cannot be read together with files; save it to disk first"
                ),
                None => {
                    let files = search.find(paths)?;
                    table_files(files, types)?
                }
            },
        };
        Ok(Self {
            files,
            limit,
            is_strict,
            table: OnceLock::new(),
            standard: OnceLock::new(),
        })
    }

    pub fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// Returns the columns of all files; `None` for a single file without other columns.
    fn table(&self) -> anyhow::Result<Option<&Table>> {
        if self.table.get().is_none() {
            let is_one = self.files.len() == 1 && self.files[0].constants.is_empty();
            let open = || Table::open(&self.files, self.is_strict);
            let table = (!is_one).then(open).transpose()?;
            let _ = self.table.set(table);
        }
        Ok(self.table.get().and_then(Option::as_ref))
    }

    /// Opens a file, which must have the named columns, and adapts the selection to it.
    fn open(
        &self,
        index: usize,
        selection: &Selection,
        named: &[&str],
    ) -> anyhow::Result<(ReaderBuilder<Input>, Selection)> {
        let path = &self.files[index].path;
        let table = self.table()?;
        let selection = match table {
            Some(table) => table.selection(index, selection)?,
            None => selection.clone(),
        };
        let opened = self.input(path).map(|input| {
            let remote = input.remote();
            selection.open(input).map(|file| file.with_prefetch(remote))
        })?;
        let file = match opened {
            Ok(file) => file,
            // The whole schema says which columns there are.
            Err(_) => self.builder(path)?,
        };
        let file = if self.limit.is_some() {
            file
        } else {
            // Rows that share an entry of a dictionary then share its memory.
            file.with_string_type(StringType::StringView)?
        };
        let file = file.with_batch_size(BATCH_ROWS);
        check_names(&file, table, named).with_context(|| readable::path(path))?;
        Ok((file, selection))
    }

    /// Returns a counter of the rows of a file.
    fn decoded(&self, file: &ReaderBuilder<Input>) -> DecodedRows {
        DecodedRows::new(self.limit.unwrap_or(RowLimit::NONE), file.file_bytes())
    }

    /// Returns the columns of the output for a selection of a file.
    fn shown_columns(
        &self,
        rows: &SelectedRows,
        selection: &Selection,
    ) -> anyhow::Result<SchemaRef> {
        Ok(match self.table()? {
            Some(table) => selection.narrowed(&selected(table.schema(), &rows.schema())),
            None => rows.schema(),
        })
    }

    /// Returns rows of a file as rows of the table.
    fn conform(&self, batch: RecordBatch, columns: &SchemaRef) -> anyhow::Result<RecordBatch> {
        match self.table()? {
            Some(_) => Ok(conform(&batch, columns)?),
            None => Ok(batch),
        }
    }

    fn builder(&self, path: &Path) -> anyhow::Result<ReaderBuilder<Input>> {
        let input = self.input(path)?;
        let remote = input.remote();
        let builder = ReaderBuilder::try_new(input).map_err(|error| error.in_file(shown(path)))?;
        Ok(builder.with_prefetch(remote))
    }

    fn input(&self, path: &Path) -> anyhow::Result<Input> {
        if path != Path::new(STANDARD) {
            return Input::open(path);
        }
        if self.standard.get().is_none() {
            let _ = self.standard.set(standard_input()?);
        }
        Ok(Input::Memory(
            self.standard.get().cloned().unwrap_or_default(),
        ))
    }

    /// Reads a window of a selection of all files, and passes it on batch by batch. Without a filter, only these rows are
    /// read.
    pub fn each(
        &self,
        selection: &Selection,
        named: &[&str],
        window: Window,
        hand_on: &mut dyn FnMut(&RecordBatch) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Window { mut offset, rows } = window;
        let mut left = usize::try_from(rows).unwrap_or(usize::MAX);
        // Rows before the window are decoded only if they depend on a condition.
        let batch = if selection.has_filter() && offset > 0 {
            BATCH_ROWS
        } else {
            BATCH_ROWS.min(left.max(1))
        };
        for (index, TableFile { path, .. }) in self.files.iter().enumerate() {
            let (mut file, own) = self.open(index, selection, named)?;
            let mut decoded = self.decoded(&file);
            file = file.with_batch_size(batch);
            if !selection.has_filter() && rows == u64::MAX {
                // Too many rows are refused before they are decoded.
                let claimed = i64::try_from(all_rows(&file)).unwrap_or(i64::MAX);
                let checked = self.decoded(&file).add(claimed);
                checked.map_err(|error| error.in_file(shown(path)))?;
            }
            if !selection.has_filter() && offset > 0 {
                let in_file = all_rows(&file);
                let skipped = offset.min(in_file);
                offset -= skipped;
                file = file.with_row_selection(between(skipped, in_file));
            }
            let rows = own.read(file).map_err(|error| error.in_file(shown(path)))?;
            let columns = self.shown_columns(&rows, selection)?;
            // The output shows the columns of a file even if it has no rows.
            hand_on(&RecordBatch::new_empty(Arc::clone(&columns)))?;
            if left == 0 {
                return Ok(());
            }
            for batch in rows {
                let batch = batch.map_err(|error| Error::new(error).in_file(shown(path)))?;
                let batch = self.conform(batch, &columns)?;
                decoded
                    .add(rows_of(&batch))
                    .map_err(|error| error.in_file(shown(path)))?;
                let first = batch
                    .num_rows()
                    .min(usize::try_from(offset).unwrap_or(usize::MAX));
                offset -= first as u64;
                let count = left.min(batch.num_rows() - first);
                hand_on(&batch.slice(first, count))?;
                left -= count;
                if left == 0 {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Passes on the footer of each file, with the columns of a selection in the file and in the table.
    pub fn footers(
        &self,
        selection: &Selection,
        named: &[&str],
        hand_on: &mut dyn FnMut(&ParquetMetaData, &Schema, &Schema) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        for (index, TableFile { path, .. }) in self.files.iter().enumerate() {
            let (file, own) = self.open(index, selection, named)?;
            let footer = file.metadata().clone();
            let rows = own.read(file).map_err(|error| error.in_file(shown(path)))?;
            let columns = self.shown_columns(&rows, selection)?;
            hand_on(&footer, &rows.schema(), &columns)?;
        }
        Ok(())
    }

    /// Counts the rows of each file, or those of a selection, whose progress it reports. Files may have different columns.
    pub fn counts(
        &self,
        selection: Option<&Selection>,
        named: &[&str],
        verb: &Verb,
    ) -> anyhow::Result<Vec<u64>> {
        let considered = Arc::new(AtomicU64::new(0));
        let count = |(index, file): (usize, &TableFile)| -> anyhow::Result<u64> {
            let path = &file.path;
            let Some(selection) = selection else {
                let constants = &file.constants;
                let file = self.builder(path)?;
                let mut own = Selection::default().with_columns::<&str>([]);
                for (field, value) in constants {
                    own = own.with_constant(Arc::clone(field), Arc::clone(value))?;
                }
                if !constants.is_empty() {
                    own.read(file.clone())
                        .map_err(|error| error.in_file(shown(path)))?;
                }
                return Ok(all_rows(&file));
            };
            // The columns of the condition are read, but none is returned.
            let selection = selection.clone().with_columns::<&str>([]);
            let (file, selection) = self.open(index, &selection, named)?;
            let in_file = u64::try_from(file.metadata().file_metadata().num_rows()).unwrap_or(0);
            let total = self.table()?.map_or(in_file, Table::rows);
            let (verb, considered) = (verb.clone(), Arc::clone(&considered));
            let file = file.with_max_threads(all_cores());
            let file = file.with_progress(move |rows| {
                let before = considered.fetch_add(rows, Ordering::Relaxed);
                // A signal ends the work after this file, or the process.
                let _ = verb.report(before + rows, total);
            });
            let rows = selection
                .read(file)
                .map_err(|error| error.in_file(shown(path)))?;
            let mut count = 0;
            for batch in rows {
                let batch = batch.map_err(|error| Error::new(error).in_file(shown(path)))?;
                count += batch.num_rows() as u64;
            }
            Ok(count)
        };
        let mut counts = Vec::new();
        for file in self.files.iter().enumerate() {
            counts.push(count(file)?);
            if verb.count(considered.load(Ordering::Relaxed)).is_break() {
                bail!("interrupted");
            }
        }
        Ok(counts)
    }

    /// Passes on the chosen rows of a selection. Without a filter, only these rows are read.
    pub fn rows(
        &self,
        selection: &Selection,
        named: &[&str],
        Chosen {
            counts,
            rows: mut chosen,
            is_filtered,
        }: Chosen<'_>,
        hand_on: &mut dyn FnMut(&RecordBatch) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut first: u64 = 0;
        for (index, (file, count)) in self.files.iter().zip(counts).enumerate() {
            let path = &file.path;
            let end = first.saturating_add(*count);
            let here = chosen.partition_point(|row| *row < end);
            let (own, others) = chosen.split_at(here);
            let own: Vec<usize> = own
                .iter()
                .filter_map(|row| usize::try_from(row - first).ok())
                .collect();
            (first, chosen) = (end, others);
            // The output shows the columns of the first file.
            if own.is_empty() && index > 0 {
                continue;
            }
            let (mut file, selection) = self.open(index, selection, named)?;
            let mut decoded = self.decoded(&file);
            if !is_filtered {
                file = file.with_row_selection(only(&own));
            }
            let rows = selection
                .read(file)
                .map_err(|error| error.in_file(shown(path)))?;
            let columns = self.shown_columns(&rows, &selection)?;
            hand_on(&RecordBatch::new_empty(Arc::clone(&columns)))?;
            let mut before = 0;
            for batch in rows {
                let batch = batch.map_err(|error| Error::new(error).in_file(shown(path)))?;
                let batch = self.conform(batch, &columns)?;
                decoded
                    .add(rows_of(&batch))
                    .map_err(|error| error.in_file(shown(path)))?;
                if !is_filtered {
                    hand_on(&batch)?;
                    continue;
                }
                let after = before + batch.num_rows();
                let is_chosen = |row| Some(own.binary_search(&row).is_ok());
                let mask = BooleanArray::from_iter((before..after).map(is_chosen));
                hand_on(&filter_record_batch(&batch, &mask)?)?;
                before = after;
            }
        }
        Ok(())
    }
}

/// Returns the name of an input in errors.
fn shown(path: &Path) -> &Path {
    if path == Path::new(STANDARD) {
        Path::new("standard input")
    } else {
        path
    }
}

/// Returns the number of rows of a file, as its footer says.
fn all_rows(file: &ReaderBuilder<Input>) -> u64 {
    let row_groups = file.metadata().row_groups().iter();
    let rows = row_groups.map(|row_group| u64::try_from(row_group.num_rows()).unwrap_or(0));
    rows.fold(0, u64::saturating_add)
}

/// Returns a selection of the rows from `start` to `end`.
fn between(start: u64, end: u64) -> RowSelection {
    let [start, end] = [start, end].map(|row| usize::try_from(row).unwrap_or(usize::MAX));
    vec![RowSelector::skip(start), RowSelector::select(end - start)].into()
}

/// Returns a selection of single rows.
fn only(rows: &[usize]) -> RowSelection {
    let mut next = 0;
    let selectors = rows.iter().flat_map(|&row| {
        let skipped = RowSelector::skip(row - next);
        next = row + 1;
        [skipped, RowSelector::select(1)]
    });
    selectors.collect::<Vec<_>>().into()
}

/// Checks that a file has all named columns.
fn check_names(
    file: &ReaderBuilder<Input>,
    table: Option<&Table>,
    named: &[&str],
) -> anyhow::Result<()> {
    let columns = file.parquet_schema().columns().iter();
    let paths = columns.flat_map(|column| {
        let parts = column.path().parts();
        (1..=parts.len()).map(|length| parts[..length].join("."))
    });
    let schema = table.map_or(file.schema(), Table::schema);
    // Those of other files, and of directories.
    let of_table = schema.fields().iter().map(|field| field.name().clone());
    let paths: Vec<String> = paths.chain(of_table).collect();
    let Some(missing) = named.iter().find(|name| {
        !paths
            .iter()
            .any(|path| path == *name || path == list_of(name))
    }) else {
        return Ok(());
    };
    let meant = similar(missing, paths.iter().map(String::as_str));
    let meant = meant.map_or_else(
        || ".".to_owned(),
        |meant| match readable::line(meant) {
            meant if meant.contains(',') => {
                format!(
                    "; did you mean \"{meant}\"? Quote names with a comma: --columns '\"{meant}\"'."
                )
            }
            meant => format!("; did you mean {meant}?"),
        },
    );
    let fields = schema.fields();
    let names = fields
        .iter()
        .take(LISTED)
        .map(|field| readable::line(field.name()));
    let more = match fields.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more, which `bytelane inspect` lists"),
    };
    let names = names.collect::<Vec<_>>().join(", ");
    bail!(
        "the file has no column {}{meant} Its columns: {names}{more}",
        readable::line(missing)
    )
}
