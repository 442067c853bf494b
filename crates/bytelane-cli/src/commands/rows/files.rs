//! Files with the same columns, read one after the other.

use super::input::{Input, STANDARD, standard_input};
use crate::readable;
use crate::search::collect;
use crate::specification::similar;
use anyhow::{Context, bail};
use arrow_array::{BooleanArray, RecordBatch, RecordBatchReader};
use arrow_select::filter::filter_record_batch;
use bytelane_parquet::arrow_schema::Schema;
use bytelane_parquet::filter::Selection;
use bytelane_parquet::parquet::arrow::arrow_reader::{RowSelection, RowSelector};
use bytelane_parquet::{Error, ReaderBuilder};
use bytes::Bytes;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;

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

/// Returns the files at these paths; directories are searched recursively.
pub fn files_at(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path == Path::new(STANDARD) {
            bail!(
                "only head, cat, sample and count read a Parquet file from standard input, which is not seekable; save it \
                 to disk first"
            );
        }
        let before = files.len();
        collect(path, &|extension| extension == "parquet", &mut files)?;
        if files.len() == before {
            bail!(
                "{}: no .parquet file in this directory",
                readable::path(path)
            );
        }
    }
    Ok(files)
}

/// Path and columns of the file that is opened first. The columns are those that a selection needs.
type First = OnceLock<(PathBuf, Schema)>;

/// Files with the same columns. One is open at a time.
pub struct Files {
    paths: Vec<PathBuf>,
    /// Bytes of standard input, once they have been read.
    standard: OnceLock<Bytes>,
}

impl Files {
    /// Finds the files at these paths; directories are searched recursively.
    pub fn find(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let is_standard = |path: &PathBuf| path == Path::new(STANDARD);
        let paths = match paths {
            [path] if is_standard(path) => vec![path.clone()],
            _ => match paths.iter().find(|path| is_standard(path)) {
                Some(_) => bail!(
                    "standard input cannot be read together with files; save it to disk first"
                ),
                None => files_at(paths)?,
            },
        };
        Ok(Self {
            paths,
            standard: OnceLock::new(),
        })
    }

    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Opens a file, which must have the columns of the first one opened for this selection, and the named columns.
    fn open(
        &self,
        path: &Path,
        selection: &Selection,
        named: &[&str],
        first: &First,
    ) -> anyhow::Result<ReaderBuilder<Input>> {
        let opened = self.input(path).map(|input| {
            let remote = input.remote();
            selection.open(input).map(|file| file.with_prefetch(remote))
        })?;
        let file = match opened {
            Ok(file) => file,
            // The whole schema says which columns there are.
            Err(_) => self.builder(path)?,
        };
        let file = file.with_batch_size(BATCH_ROWS);
        let (first, schema) = first.get_or_init(|| (path.to_owned(), Schema::clone(file.schema())));
        if let Some(difference) = difference(schema, file.schema()) {
            let (path, first) = (readable::path(path), readable::path(first));
            bail!(
                "{path} has other columns than {first}: {}",
                readable::line(&difference)
            );
        }
        check_names(&file, named).with_context(|| readable::path(path))?;
        Ok(file)
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

    /// Reads a selection of all files, and passes it on batch by batch until the callback stops it. Without a filter, at
    /// most the first `most` rows are needed.
    pub fn each(
        &self,
        selection: &Selection,
        named: &[&str],
        most: u64,
        hand_on: &mut dyn FnMut(RecordBatch) -> anyhow::Result<ControlFlow<()>>,
    ) -> anyhow::Result<()> {
        let first_opened = First::new();
        for path in &self.paths {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let file = self
                .open(path, selection, named, &first_opened)?
                .with_batch_size(BATCH_ROWS.min(most.max(1)));
            let rows = selection
                .read(file)
                .map_err(|error| error.in_file(shown(path)))?;
            // The output shows the columns of a file even if it has no rows.
            if hand_on(RecordBatch::new_empty(rows.schema()))?.is_break() {
                return Ok(());
            }
            for batch in rows {
                let batch = batch.map_err(|error| Error::new(error).in_file(shown(path)))?;
                if hand_on(batch)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Counts the rows of each file, or those of a selection. Files may have different columns.
    pub fn counts(
        &self,
        selection: Option<&Selection>,
        named: &[&str],
    ) -> anyhow::Result<Vec<u64>> {
        let first_opened = First::new();
        let count = |path: &PathBuf| {
            let Some(selection) = selection else {
                let file = self.builder(path)?;
                let row_groups = file.metadata().row_groups().iter();
                let rows =
                    row_groups.map(|row_group| u64::try_from(row_group.num_rows()).unwrap_or(0));
                return Ok(rows.fold(0, u64::saturating_add));
            };
            // The columns of the condition are read, but none is returned.
            let selection = selection.clone().with_columns::<&str>([]);
            let file = self.open(path, &selection, named, &first_opened)?;
            let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
            let rows = selection
                .read(file.with_threads(threads))
                .map_err(|error| error.in_file(shown(path)))?;
            let mut count = 0;
            for batch in rows {
                let batch = batch.map_err(|error| Error::new(error).in_file(shown(path)))?;
                count += batch.num_rows() as u64;
            }
            Ok(count)
        };
        self.paths.iter().map(count).collect()
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
        hand_on: &mut dyn FnMut(RecordBatch) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let first_opened = First::new();
        let mut first: u64 = 0;
        for (index, (path, count)) in self.paths.iter().zip(counts).enumerate() {
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
            let mut file = self.open(path, selection, named, &first_opened)?;
            if !is_filtered {
                file = file.with_row_selection(only(&own));
            }
            let rows = selection
                .read(file)
                .map_err(|error| error.in_file(shown(path)))?;
            hand_on(RecordBatch::new_empty(rows.schema()))?;
            let mut before = 0;
            for batch in rows {
                let batch = batch.map_err(|error| Error::new(error).in_file(shown(path)))?;
                if !is_filtered {
                    hand_on(batch)?;
                    continue;
                }
                let after = before + batch.num_rows();
                let is_chosen = |row| Some(own.binary_search(&row).is_ok());
                let mask = BooleanArray::from_iter((before..after).map(is_chosen));
                hand_on(filter_record_batch(&batch, &mask)?)?;
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

/// Returns how the columns of a file differ from those of the first one.
fn difference(first: &Schema, other: &Schema) -> Option<String> {
    let name = |schema: &Schema, index: usize| {
        schema.fields().get(index).map(|field| field.name().clone())
    };
    for index in 0..first.fields().len().max(other.fields().len()) {
        match (name(first, index), name(other, index)) {
            (Some(one), Some(two)) if one == two => {
                let types = [first, other].map(|schema| schema.field(index).data_type());
                if !types[0].equals_datatype(types[1]) {
                    return Some(format!(
                        "{one} has the type {} and not {}",
                        types[1], types[0]
                    ));
                }
            }
            (one, two) => {
                let shown = |name: Option<String>| name.unwrap_or_else(|| "missing".to_owned());
                return Some(format!(
                    "column {} is {} and not {}",
                    index + 1,
                    shown(two),
                    shown(one)
                ));
            }
        }
    }
    None
}

/// Checks that a file has all named columns.
fn check_names(file: &ReaderBuilder<Input>, named: &[&str]) -> anyhow::Result<()> {
    let columns = file.parquet_schema().columns().iter();
    let paths = columns.flat_map(|column| {
        let parts = column.path().parts();
        (1..=parts.len()).map(|length| parts[..length].join("."))
    });
    let paths: Vec<String> = paths.collect();
    let Some(missing) = named
        .iter()
        .find(|name| !paths.iter().any(|path| path == *name))
    else {
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
    let fields = file.schema().fields();
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
