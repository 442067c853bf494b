//! Reads the columns and rows of a side's files.

use super::convert::converted;
use super::normal::{normal, normal_type};
use arrow_array::{Array, ArrayRef, NullArray, UInt32Array};
use arrow_cast::cast;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, FieldRef, Schema};
use arrow_select::take::take;
use bytelane_parquet::budget::{RowLimit, rows_of};
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::filter::Selection;
use bytelane_parquet::input::{InputFile, serialize_path};
use bytelane_parquet::read::{Reader, ReaderBuilder};
use bytelane_parquet::table::TableFile;
use bytelane_parquet::types::fields::type_in_utc;
use bytelane_parquet::{Error, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::file::reader::Length;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of rows to decode at a time.
const BATCH_ROWS: usize = 8192;

/// Number of characters to which displayed values are truncated.
const SHOWN: usize = 120;

/// Column of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Column {
    pub(super) name: String,
    /// Normalised type without the Arrow schema in the file.
    pub(super) data_type: DataType,
    /// Normalised type of the stored values: decimals may be integers or bytes.
    pub(super) stored: DataType,
    /// Arrow type, as readers see it.
    pub(super) field: FieldRef,
    /// Set if it is in the names of directories.
    pub(super) is_constant: bool,
}

pub(super) type Columns = Vec<Column>;

/// Returns the columns of a file, and its number of rows. The columns of its directories replace those of the same names, which must
/// have the same values.
pub(super) fn columns(file: &TableFile) -> Result<(Columns, u64)> {
    let path = &file.path;
    let columns = || {
        let own = typed(path)?;
        let stored = ReaderBuilder::of_stored_values(InputFile::open(path)?)?;
        let seen = ReaderBuilder::try_new(InputFile::open(path)?)?;
        let mut constants = Selection::default();
        for (field, value) in &file.constants {
            constants = constants.with_constant(Arc::clone(field), Arc::clone(value))?;
        }
        constants.check_constants(&seen)?;
        let row_groups = seen.metadata().row_groups().iter();
        let rows = row_groups.map(|it| u64::try_from(it.num_rows()).unwrap_or(0));
        let rows = rows.fold(0, u64::saturating_add);
        let pairs = own.schema().fields().iter().zip(seen.schema().fields());
        let pairs = pairs.zip(stored.schema().fields());
        let column = |((own, seen), stored): ((&FieldRef, &FieldRef), &FieldRef)| Column {
            name: own.name().clone(),
            data_type: normal_type(own.data_type()),
            stored: normal_type(stored.data_type()),
            field: Arc::clone(seen),
            is_constant: false,
        };
        let is_constant = |name: &str| file.constants.iter().any(|(field, _)| field.name() == name);
        let own = pairs.map(column).filter(|it| !is_constant(&it.name));
        let constants = file.constants.iter().map(|(field, _)| Column {
            name: field.name().clone(),
            data_type: values_of(field.data_type()).clone(),
            stored: values_of(field.data_type()).clone(),
            field: Arc::clone(field),
            is_constant: true,
        });
        Ok((own.chain(constants).collect(), rows))
    };
    catch_panic(columns).map_err(|error| error.in_file(path))
}

/// Returns the type of the values of a dictionary, or another type itself.
fn values_of(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    }
}

/// Opens a file for reading typed values, based on its Parquet schema alone.
fn typed(path: &Path) -> Result<ReaderBuilder<InputFile>> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    ReaderBuilder::try_new_with_options(InputFile::open(path)?, options)
}

/// Returns columns by their names. The first column of a name counts.
pub(super) fn by_name(columns: &[Column]) -> HashMap<&str, &Column> {
    let columns = columns.iter().rev();
    columns.map(|column| (&*column.name, column)).collect()
}

/// Files of a side; columns that one of them lacks are null there.
pub(super) struct Files<'a> {
    files: &'a [TableFile],
    names: Vec<&'a str>,
    /// Types to convert the values to; `None` to compare them as they are stored, bit for bit.
    types: Option<&'a [DataType]>,
    row_limit: RowLimit,
}

impl<'a> Files<'a> {
    pub(super) fn new(files: &'a [TableFile], columns: &'a Columns, row_limit: RowLimit) -> Self {
        let names = columns.iter().map(|column| column.name.as_str()).collect();
        Self {
            files,
            names,
            types: None,
            row_limit,
        }
    }

    /// Converts the values of each column to a type, because files have different ones.
    pub(super) fn with_types(mut self, types: Option<&'a [DataType]>) -> Self {
        self.types = types;
        self
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// Returns the rows of all files.
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows {
            files: self,
            next: 0,
            reader: None,
            order: Vec::new(),
            ends: Vec::new(),
            row: 0,
            bytes: 0,
            decoded: 0,
        }
    }

    /// Returns the value of a column in the names of a file's directories, as an array of one value without dictionary.
    fn constant(&self, file: usize, name: &str) -> Result<Option<ArrayRef>> {
        let mut constants = self.files[file].constants.iter();
        let Some((field, value)) = constants.find(|(field, _)| field.name() == name) else {
            return Ok(None);
        };
        Ok(Some(converted(value, values_of(field.data_type()))?))
    }

    /// Returns the values of a row as text, in the order of the columns.
    pub(super) fn texts(&self, place: &RowPlace) -> Result<Vec<String>> {
        let texts = catch_panic(|| {
            let row = usize::try_from(place.row_in_file).unwrap_or(usize::MAX);
            let reader = typed(&place.file)?.with_offset(row).with_limit(1).build()?;
            let Some(batch) = reader.into_iter().next() else {
                return Ok(Vec::new());
            };
            let batch = batch?;
            let options = FormatOptions::default().with_null("null");
            let places = places(batch.schema_ref());
            let text = |name: &&str| {
                let file = self.files.iter().position(|it| it.path == place.file);
                let constant = file.map(|file| self.constant(file, name)).transpose()?;
                let constant = constant.flatten();
                let own = places.get(name).map(|at| batch.column(*at));
                let Some(column) = constant.as_ref().or(own) else {
                    return Ok("null".to_owned());
                };
                let column = cast(column, &type_in_utc(column.data_type()))?;
                let formatter = ArrayFormatter::try_new(&column, &options)?;
                Ok(shortened(&formatter.value(0).try_to_string()?))
            };
            self.names.iter().map(text).collect()
        });
        texts.map_err(|error: Error| error.in_file(&place.file))
    }
}

/// Returns the places of columns by their names. The first column of a name counts.
fn places(schema: &Schema) -> HashMap<&str, usize> {
    let fields = schema.fields().iter().enumerate().rev();
    fields
        .map(|(place, field)| (field.name().as_str(), place))
        .collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// Rows of files, batch by batch.
pub(super) struct Rows<'a> {
    files: &'a Files<'a>,
    /// Number of files that have been opened.
    next: usize,
    reader: Option<Reader>,
    /// Number of each column in the open file; `None` if the file lacks it.
    order: Vec<Option<usize>>,
    /// Cumulative number of rows before each file that has been opened.
    ends: Vec<u64>,
    /// Number of rows read.
    row: u64,
    /// Size of the open file, and the rows that were decoded of it.
    bytes: u64,
    decoded: i64,
}

impl Rows<'_> {
    /// Returns the next rows, as one array per column; `None` after the last file.
    pub(super) fn next(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        loop {
            let Some(reader) = &mut self.reader else {
                let Some(TableFile { path, .. }) = self.files.files.get(self.next) else {
                    return Ok(None);
                };
                self.ends.push(self.row);
                self.next += 1;
                self.open(path).map_err(|error| error.in_file(path))?;
                continue;
            };
            let file = self.next - 1;
            let path = &self.files.files[file].path;
            let batch = catch_panic(|| Ok(reader.next().transpose()?));
            let Some(batch) = batch.map_err(|error| error.in_file(path))? else {
                self.reader = None;
                continue;
            };
            self.row += batch.num_rows() as u64;
            self.decoded = self.decoded.saturating_add(rows_of(&batch));
            let limit = self.files.row_limit;
            let checked = limit.check(self.decoded, self.bytes);
            checked.map_err(|error| error.in_file(path))?;
            let columns = self.order.iter().enumerate().map(|(place, index)| {
                if let Some(value) = self.files.constant(file, self.files.names[place])? {
                    let value = match self.files.types {
                        Some(types) => converted(&value, &types[place])?,
                        None => value,
                    };
                    let rows = UInt32Array::from(vec![0; batch.num_rows()]);
                    return Ok(take(&value, &rows, None)?);
                }
                let Some(index) = index else {
                    return Ok(Arc::new(NullArray::new(batch.num_rows())) as ArrayRef);
                };
                match self.files.types {
                    Some(types) => normal(&converted(batch.column(*index), &types[place])?),
                    None => normal(batch.column(*index)),
                }
            });
            return columns.collect::<Result<_>>().map(Some);
        }
    }

    fn open(&mut self, path: &Path) -> Result<()> {
        let input = InputFile::open(path)?;
        let bytes = input.len();
        let builder = catch_panic(|| match self.files.types {
            Some(_) => ReaderBuilder::try_new(input),
            None => ReaderBuilder::of_stored_values(input),
        })?;
        let row_groups = builder.metadata().row_groups().iter();
        let rows = row_groups.map(|it| it.num_rows());
        let rows = rows.fold(0, i64::saturating_add);
        self.files.row_limit.check(rows, bytes)?;
        (self.bytes, self.decoded) = (bytes, 0);
        let places = places(builder.schema());
        let names = self.files.names.iter();
        self.order = names.map(|name| places.get(name).copied()).collect();
        let reader = builder
            .with_projection(ProjectionMask::all())
            .with_batch_size(BATCH_ROWS);
        self.reader = Some(catch_panic(|| reader.build())?);
        Ok(())
    }

    /// Returns the number of rows read.
    pub(super) fn count(&self) -> u64 {
        self.row
    }

    /// Returns the location of a row that was read.
    pub(super) fn place(&self, row: u64) -> RowPlace {
        let file = self.ends.partition_point(|start| *start <= row).max(1) - 1;
        RowPlace {
            row,
            file: self.files.files[file].path.clone(),
            row_in_file: row - self.ends[file],
        }
    }
}

/// Location of a row: its file and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RowPlace {
    /// Number across all files of the side, counted from 0.
    pub row: u64,
    /// Path of the file.
    #[serde(serialize_with = "serialize_path")]
    pub file: PathBuf,
    /// Number within the file, counted from 0.
    pub row_in_file: u64,
}
