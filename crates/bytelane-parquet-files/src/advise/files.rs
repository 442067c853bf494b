//! Takes samples from Parquet files.

use super::parquet_file::{FEWEST, ParquetFile};
use super::values::Sampled;
use crate::rewrite::plan::Plan;
use crate::rewrite::{RewriteOptions, RewrittenColumn};
use arrow_array::ArrayRef;
use bytelane_parquet::budget::MemoryLimit;
use bytelane_parquet::chunk::{Column, PageSummary, chunk_range, estimated_compression};
use bytelane_parquet::types::physical::has_dictionary;
use bytelane_parquet::{Error, Problem, Result};
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::Length;
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Row group of one of the files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) row_group: usize,
}

/// Parquet files with the same columns.
pub(super) struct Files(Vec<ParquetFile>);

impl Files {
    /// Opens one file or more.
    pub(super) fn open(paths: &[impl AsRef<Path>], limit: MemoryLimit) -> Result<Self> {
        let mut files: Vec<ParquetFile> = Vec::new();
        for path in paths {
            let opened = ParquetFile::open(path.as_ref(), limit)?;
            if let Some(first) = files.first() {
                first.check_columns(&opened)?;
            }
            files.push(opened);
        }
        if files.is_empty() {
            Err(Problem::Input("there is no file".to_owned()).into())
        } else {
            Ok(Self(files))
        }
    }

    /// Returns the path if there is only one file.
    pub(super) fn only(&self) -> Option<&Path> {
        match self.0.as_slice() {
            [only] => Some(&only.path),
            _ => None,
        }
    }

    /// Returns the footers.
    pub(super) fn metadata(&self) -> impl Iterator<Item = &ParquetMetaData> {
        self.0.iter().map(|opened| &opened.metadata)
    }

    /// Returns the nesting depth of the columns.
    pub(super) fn depth(&self) -> usize {
        self.0
            .iter()
            .map(|opened| opened.source.file.depth)
            .max()
            .unwrap_or(0)
    }

    pub(super) fn rows(&self) -> u64 {
        self.0.iter().map(ParquetFile::rows).sum()
    }

    pub(super) fn columns(&self) -> usize {
        self.0[0].source.roots.len()
    }

    /// Returns the average size of a row of a column in PLAIN, in bytes; for strings, their size in the file.
    pub(super) fn bytes_of_row(&self, column: usize) -> f64 {
        let bytes = self
            .0
            .iter()
            .map(|opened| opened.bytes_of_row(column) * opened.rows() as f64);
        bytes.sum::<f64>() / self.rows().max(1) as f64
    }

    /// Selects row groups that have about `rows` rows in total, evenly spread over all files; at least four
    /// if there are that many.
    pub(super) fn row_groups(&self, rows: usize) -> Vec<Place> {
        let places = self.0.iter().enumerate().flat_map(|(file, opened)| {
            let row_groups = 0..opened.metadata.num_row_groups();
            row_groups.map(move |row_group| Place { file, row_group })
        });
        let places: Vec<Place> = places.collect();
        let share = rows as f64 / self.rows().max(1) as f64;
        let wanted = (places.len() as f64 * share).ceil() as usize;
        // Sample several row groups even where one has enough rows, because they differ.
        let wanted = wanted.max(FEWEST).min(places.len());
        (0..wanted)
            .map(|index| places[index * places.len() / wanted])
            .collect()
    }

    /// Returns the compression of the first chunk of a column, at about its level, if it is one that can be written.
    pub(super) fn compression(&self, column: usize) -> Option<Compression> {
        self.0.iter().find_map(|opened| {
            let leaf = self.leaves(0, column).start;
            let chunk = opened.metadata.row_groups().first()?.columns().get(leaf)?;
            let usual = chunk.compression();
            let is_old = matches!(usual, Compression::LZO | Compression::LZ4);
            let input = &opened.source.file.reader;
            let estimated = || {
                let range = chunk_range(chunk, input.len())?;
                estimated_compression(input, usual, chunk.num_values(), range, opened.limit)
            };
            (!is_old).then(|| estimated().unwrap_or(usual))
        })
    }

    pub(super) fn metadata_of(&self, file: usize) -> &ParquetMetaData {
        &self.0[file].metadata
    }

    /// Returns the leaves of a column in the first file.
    pub(super) fn described(&self, column: usize) -> Vec<ColumnDescPtr> {
        let schema = self.metadata_of(0).file_metadata().schema_descr();
        schema.columns()[self.leaves(0, column)].to_vec()
    }

    /// Returns the leaves of a column.
    pub(super) fn leaves(&self, file: usize, column: usize) -> Range<usize> {
        self.0[file].source.roots[column].leaves.clone()
    }

    /// Measures a rewrite of a column. Returns one list per leaf, with an entry for each row group of each
    /// file.
    pub(super) fn rewritten(
        &self,
        column: usize,
        options: &RewriteOptions,
    ) -> Result<Vec<Vec<RewrittenColumn>>> {
        let mut all = Vec::new();
        for opened in &self.0 {
            let in_file = |error: Error| error.in_file(&opened.path);
            for row_group in 0..opened.source.row_groups() {
                let rewritten = opened.source.measure(row_group, column, options);
                all.push(rewritten.map_err(in_file)?);
            }
        }
        Ok(all)
    }

    /// Plans a rewrite of a file.
    pub(super) fn plan<'a>(&'a self, file: usize, options: &'a RewriteOptions) -> Plan<'a> {
        let described = self.metadata_of(file).file_metadata();
        Plan::of_known(described, options, Arc::clone(&self.0[file].dictionaries))
    }

    /// Summarizes the page headers of a chunk, with the level of its compression if a rewrite keeps it.
    pub(super) fn page_summary(
        &self,
        place: Place,
        chunk: &ColumnChunkMetaData,
        keeps_compression: bool,
    ) -> Result<PageSummary> {
        let opened = &self.0[place.file];
        let summary = || {
            let input = &opened.source.file.reader;
            let (summary, range) = PageSummary::of(input, chunk, opened.limit)?;
            if keeps_compression {
                summary.with_level(input, chunk, range, opened.limit)
            } else {
                Ok(summary)
            }
        };
        summary().map_err(|error| {
            let error = error.in_column(chunk.column_path());
            error.in_row_group(place.row_group).in_file(&opened.path)
        })
    }

    /// Returns a column as a file with these types stores it.
    pub(super) fn column(&self, file: usize, column: usize) -> Result<Column> {
        let opened = &self.0[file];
        let in_file = Arc::clone(opened.source.roots[column].in_file());
        Column::new(Arc::clone(opened.field(column)?), in_file)
    }

    /// Reads all rows of a column in a row group.
    pub(super) fn rows_of(&self, place: Place, column: usize) -> Result<Vec<ArrayRef>> {
        let opened = &self.0[place.file];
        let rows = opened.read(place.row_group, column, usize::MAX);
        rows.map_err(|error| error.in_file(&opened.path))
    }

    /// Samples up to about `most` rows of a column, from each file in proportion to its rows.
    pub(super) fn sample(&self, column: usize, most: usize) -> Result<Sampled> {
        let rows = self.rows().max(1);
        let mut arrays = Vec::new();
        for opened in &self.0 {
            let part = (most as f64 * opened.rows() as f64 / rows as f64).ceil() as usize;
            let sample = opened.sample(column, part);
            arrays.extend(sample.map_err(|error| error.in_file(&opened.path))?);
        }
        let (mut nullable, mut is_dictionary) = (false, false);
        for opened in &self.0 {
            nullable |= opened.field(column)?.is_nullable();
            is_dictionary |= has_dictionary(opened.field_elsewhere(column)?.data_type());
        }
        let field = self.0[0].field(column)?.as_ref().clone();
        let sampled = Sampled::new(Arc::new(field.with_nullable(nullable)), arrays)?;
        // Use the names in the file, which may differ from those of the format.
        let in_file = self.column(0, column)?;
        let leaves = in_file.leaves().to_vec();
        if leaves.len() != sampled.leaves.len() {
            let problem = "Arrow has other leaves than the file".to_owned();
            return Err(Problem::Unsupported(problem).into());
        }
        Ok(Sampled {
            has_dictionary: is_dictionary,
            leaves,
            ..sampled
        })
    }
}
