//! Parquet files of which samples are taken.

use super::source::Sampled;
use crate::allowance::{Allowance, TOO_LARGE};
use crate::input::InputFile;
use crate::physical::has_dictionary;
use crate::rewrite::RewriteOptions;
use crate::rewrite::kinds::PageKinds;
use crate::rewrite::plan::{Plan, as_dictionaries};
use crate::writer::Column;
use crate::{Error, Problem, ReaderBuilder, Result};
use arrow_array::ArrayRef;
use arrow_schema::{FieldRef, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::basic::{Compression, Type};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, SchemaDescriptor};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 1 << 16;

/// Row groups that are looked at, if there are as many.
const FEWEST: usize = 4;

/// A row group of one of the files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) row_group: usize,
}

/// Parquet files with the same columns.
pub(super) struct Files(Vec<Opened>);

struct Opened {
    path: PathBuf,
    /// The types that other readers see.
    types: SchemaRef,
    /// Reads views of strings.
    file: ReaderBuilder<InputFile>,
    /// The leaves of each column.
    roots: Vec<Range<usize>>,
    as_dictionaries: Arc<BTreeSet<usize>>,
}

impl Files {
    /// Opens one file or more.
    pub(super) fn open(paths: &[impl AsRef<Path>]) -> Result<Self> {
        let mut files: Vec<Opened> = Vec::new();
        for path in paths {
            let opened = Opened::open(path.as_ref())?;
            if let Some(first) = files.first() {
                first.check_columns(&opened)?;
            }
            files.push(opened);
        }
        match files.is_empty() {
            true => Err(Problem::Input("there is no file".to_owned()).into()),
            false => Ok(Self(files)),
        }
    }

    /// The path, if there is one file.
    pub(super) fn only(&self) -> Option<&Path> {
        match self.0.as_slice() {
            [only] => Some(&only.path),
            _ => None,
        }
    }

    /// The footers.
    pub(super) fn metadata(&self) -> impl Iterator<Item = &ParquetMetaData> {
        self.0.iter().map(|opened| &**opened.file.metadata())
    }

    pub(super) fn rows(&self) -> u64 {
        self.0.iter().map(Opened::rows).sum()
    }

    pub(super) fn columns(&self) -> usize {
        self.0[0].file.schema().fields().len()
    }

    /// Bytes that a row of a column takes in PLAIN, on average; of texts, in the file.
    pub(super) fn bytes_of_row(&self, column: usize) -> f64 {
        let bytes = self
            .0
            .iter()
            .map(|opened| opened.bytes_of_row(column) * opened.rows() as f64);
        bytes.sum::<f64>() / self.rows().max(1) as f64
    }

    /// Row groups with about so many rows together, evenly spread over all files; at least four, or all.
    pub(super) fn row_groups(&self, rows: usize, all: bool) -> Vec<Place> {
        let places = self.0.iter().enumerate().flat_map(|(file, opened)| {
            let row_groups = 0..opened.file.metadata().num_row_groups();
            row_groups.map(move |row_group| Place { file, row_group })
        });
        let places: Vec<Place> = places.collect();
        let share = rows as f64 / self.rows().max(1) as f64;
        let wanted = (places.len() as f64 * share).ceil() as usize;
        let wanted = match all {
            true => places.len(),
            // Several, even where one would be enough: they differ.
            false => wanted.max(FEWEST).min(places.len()),
        };
        (0..wanted)
            .map(|index| places[index * places.len() / wanted])
            .collect()
    }

    /// The compression of the first chunk of a column that can be written.
    pub(super) fn compression(&self, column: usize) -> Option<Compression> {
        self.metadata().find_map(|metadata| {
            let leaf = self.leaves(0, column).start;
            let compression = metadata
                .row_groups()
                .first()?
                .columns()
                .get(leaf)?
                .compression();
            let is_old = matches!(compression, Compression::LZO | Compression::LZ4);
            (!is_old).then_some(compression)
        })
    }

    pub(super) fn metadata_of(&self, file: usize) -> &ParquetMetaData {
        self.0[file].file.metadata()
    }

    /// The leaves of a column in the first file.
    pub(super) fn described(&self, column: usize) -> Vec<ColumnDescPtr> {
        let schema = self.metadata_of(0).file_metadata().schema_descr();
        schema.columns()[self.leaves(0, column)].to_vec()
    }

    /// The leaves of a column.
    pub(super) fn leaves(&self, file: usize, column: usize) -> Range<usize> {
        self.0[file].roots[column].clone()
    }

    /// What `rewrite` would do with a file.
    pub(super) fn plan<'a>(&'a self, file: usize, options: &'a RewriteOptions) -> Plan<'a> {
        let described = self.metadata_of(file).file_metadata();
        Plan::of_known(
            described,
            options,
            Arc::clone(&self.0[file].as_dictionaries),
        )
    }

    /// What the page headers of a chunk tell.
    pub(super) fn page_kinds(
        &self,
        place: Place,
        chunk: &ColumnChunkMetaData,
    ) -> Result<PageKinds> {
        let opened = &self.0[place.file];
        let kinds = || {
            let input = opened.file.input();
            PageKinds::of(input, chunk).map(|(kinds, _)| kinds)
        };
        kinds().map_err(|error| {
            let error = error.in_column(chunk.column_path());
            error.in_row_group(place.row_group).in_file(&opened.path)
        })
    }

    /// A column as a file of these types has it.
    pub(super) fn column(&self, file: usize, column: usize) -> Result<Column> {
        let opened = &self.0[file];
        let schema = opened.file.metadata().file_metadata().schema();
        let in_file = Arc::clone(&schema.get_fields()[column]);
        Column::new(Arc::clone(opened.field(column)), in_file)
    }

    /// All rows of a column in a row group.
    pub(super) fn rows_of(&self, place: Place, column: usize) -> Result<Vec<ArrayRef>> {
        let opened = &self.0[place.file];
        let rows = opened.read(place.row_group, column, usize::MAX);
        rows.map_err(|error| error.in_file(&opened.path))
    }

    /// Up to about `most` rows of a column, of each file its part.
    pub(super) fn sample(&self, column: usize, most: usize) -> Result<Sampled> {
        let rows = self.rows().max(1);
        let mut arrays = Vec::new();
        for opened in &self.0 {
            let part = (most as f64 * opened.rows() as f64 / rows as f64).ceil() as usize;
            let sample = opened.sample(column, part);
            arrays.extend(sample.map_err(|error| error.in_file(&opened.path))?);
        }
        let mut fields = self.0.iter().map(|opened| opened.field(column));
        let nullable = fields.any(|field| field.is_nullable());
        let field = self.0[0].field(column).as_ref().clone();
        let mut types = self.0.iter().map(|opened| opened.types.field(column));
        let sampled = Sampled::new(Arc::new(field.with_nullable(nullable)), arrays)?;
        // What the file calls them, which may be something else than the names of the format.
        let in_file = self.column(0, column)?;
        let leaves = in_file.leaves().to_vec();
        if leaves.len() != sampled.leaves.len() {
            let problem = "Arrow has other leaves than the file".to_owned();
            return Err(Problem::Unsupported(problem).into());
        }
        Ok(Sampled {
            has_dictionary: types.any(|field| has_dictionary(field.data_type())),
            leaves,
            ..sampled
        })
    }
}

impl Opened {
    fn open(path: &Path) -> Result<Self> {
        let file = ReaderBuilder::open(path)?;
        let types = SchemaRef::clone(file.schema());
        let file = file.with_views().map_err(|error| error.in_file(path))?;
        let described = file.metadata().file_metadata();
        Ok(Self {
            path: path.to_owned(),
            types,
            roots: roots(described.schema_descr()),
            as_dictionaries: Arc::new(as_dictionaries(described)),
            file,
        })
    }

    fn rows(&self) -> u64 {
        self.file.metadata().file_metadata().num_rows().max(0) as u64
    }

    fn field(&self, column: usize) -> &FieldRef {
        &self.file.schema().fields()[column]
    }

    /// That another file has the same columns of the same types.
    fn check_columns(&self, other: &Self) -> Result<()> {
        let (ours, theirs) = (self.file.schema().fields(), other.file.schema().fields());
        let same = |ours: &FieldRef, theirs: &FieldRef| {
            ours.name() == theirs.name() && ours.data_type() == theirs.data_type()
        };
        let pairs = ours.iter().zip(theirs);
        let differs = pairs.clone().find(|(ours, theirs)| !same(ours, theirs));
        let problem = match differs {
            Some((ours, theirs)) => format!(
                "its column {} ({}) is {} ({}) in {}",
                theirs.name(),
                theirs.data_type(),
                ours.name(),
                ours.data_type(),
                self.path.display()
            ),
            None if ours.len() != theirs.len() => format!(
                "it has {} columns, but {} has {}",
                theirs.len(),
                self.path.display(),
                ours.len()
            ),
            None => return Ok(()),
        };
        Err(Error::new(Problem::Input(problem)).in_file(&other.path))
    }

    fn bytes_of_row(&self, column: usize) -> f64 {
        let metadata = self.file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let leaves = schema.columns().iter().enumerate();
        leaves
            .filter(|(index, _)| schema.get_column_root_idx(*index) == column)
            .map(|(index, leaf)| bytes_of_row(metadata, index, leaf))
            .sum()
    }

    fn sample(&self, column: usize, most: usize) -> Result<Vec<ArrayRef>> {
        let row_groups = spread(self.file.metadata(), most);
        let each = most.div_ceil(row_groups.len().max(1));
        let mut arrays = Vec::new();
        for row_group in row_groups {
            arrays.extend(self.read(row_group, column, each)?);
        }
        Ok(arrays)
    }

    /// The first rows of a column in a row group.
    fn read(&self, row_group: usize, column: usize, most: usize) -> Result<Vec<ArrayRef>> {
        let metadata = self.file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let rows = usize::try_from(metadata.row_group(row_group).num_rows()).unwrap_or(0);
        let mut left = most.min(rows);
        let mut allowance = allowance(metadata, row_group, column, most >= rows)?;
        let reader = self
            .file
            .clone()
            .with_projection(ProjectionMask::roots(schema, [column]))
            .with_row_groups(vec![row_group])
            .with_batch_size(left.clamp(1, BATCH_ROWS))
            .build()?;
        let mut arrays = Vec::new();
        for batch in reader {
            let array = Arc::clone(batch.map_err(Error::from)?.column(0));
            let taken = left.min(array.len());
            let array = array.slice(0, taken);
            if !allowance.take(&array) {
                return Err(too_large(row_group, self.field(column).name()));
            }
            arrays.push(array);
            left -= taken;
            if left == 0 {
                break;
            }
        }
        Ok(arrays)
    }
}

/// The leaves of each column of the schema's outermost level.
fn roots(schema: &SchemaDescriptor) -> Vec<Range<usize>> {
    let mut roots: Vec<Range<usize>> = Vec::new();
    for leaf in 0..schema.num_columns() {
        match roots.last_mut() {
            Some(last)
                if schema.get_column_root_idx(last.start) == schema.get_column_root_idx(leaf) =>
            {
                last.end = leaf + 1;
            }
            _ => roots.push(leaf..leaf + 1),
        }
    }
    roots
}

/// Bytes that a row of a leaf takes in PLAIN, on average; of texts, in the file.
fn bytes_of_row(metadata: &ParquetMetaData, index: usize, leaf: &ColumnDescriptor) -> f64 {
    let chunks = || {
        metadata
            .row_groups()
            .iter()
            .map(|group| group.column(index))
    };
    let values: f64 = chunks().map(|chunk| chunk.num_values() as f64).sum();
    let rows = metadata.file_metadata().num_rows().max(1) as f64;
    let width = match leaf.physical_type() {
        Type::BOOLEAN => 1.0 / 8.0,
        Type::INT32 | Type::FLOAT => 4.0,
        Type::INT64 | Type::DOUBLE => 8.0,
        Type::INT96 => 12.0,
        Type::FIXED_LEN_BYTE_ARRAY => f64::from(leaf.type_length()),
        Type::BYTE_ARRAY => {
            let bytes = chunks().map(|chunk| chunk.uncompressed_size() as f64);
            return bytes.sum::<f64>() / rows;
        }
    };
    width * values / rows
}

/// The memory that a column of a row group may take; an error if rows of it could take any amount.
fn allowance(
    metadata: &ParquetMetaData,
    row_group: usize,
    column: usize,
    is_whole: bool,
) -> Result<Allowance> {
    let schema = metadata.file_metadata().schema_descr();
    let chunks = metadata.row_group(row_group).columns().iter().enumerate();
    let chunks = chunks.filter(|(leaf, _)| schema.get_column_root_idx(*leaf) == column);
    let chunks: Vec<&ColumnChunkMetaData> = chunks.map(|(_, chunk)| chunk).collect();
    let bytes = chunks
        .iter()
        .map(|chunk| chunk.compressed_size().max(0) as u64);
    let allowance = Allowance::of(bytes.fold(0, u64::saturating_add));
    // Of flat columns only as many rows are read as are sampled.
    let is_read =
        |chunk: &&&ColumnChunkMetaData| is_whole || chunk.column_descr().max_rep_level() > 0;
    match chunks
        .iter()
        .filter(is_read)
        .find(|chunk| !allowance.has_room_for(chunk))
    {
        Some(chunk) => Err(too_large(row_group, chunk.column_path())),
        None => Ok(allowance),
    }
}

fn too_large(row_group: usize, column: impl Display) -> Error {
    let problem = format!("it cannot be sampled: {TOO_LARGE}");
    Error::new(Problem::Unsupported(problem))
        .in_column(column)
        .in_row_group(row_group)
}

/// Row groups with rows enough, evenly spread.
fn spread(metadata: &ParquetMetaData, most: usize) -> Vec<usize> {
    let groups = metadata.num_row_groups();
    let rows = metadata.file_metadata().num_rows().max(1) as f64;
    let wanted = (groups as f64 * most as f64 / rows).ceil() as usize;
    // Several, even where one would be enough: they differ.
    let wanted = wanted.max(FEWEST).min(groups);
    (0..wanted).map(|index| index * groups / wanted).collect()
}
