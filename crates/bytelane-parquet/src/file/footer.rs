//! Reads the footer of a file, and corrects known errors of writers.

use super::columns::of_columns;
use super::regular::regular;
use super::repair::in_parquet;
use super::row_groups::RowGroups;
use super::schema::depth_of_schema;
use super::sizes::with_right_sizes;
use crate::format::{
    self, FileMetaData as Metadata, PhysicalType, TAIL_LENGTH, encrypted_columns, encrypted_footer,
    footer_range, tail_start,
};
use crate::input::bytes_at;
use crate::stack::with_stack;
use crate::{Error, Problem, Result};
use bytes::Bytes;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::ChunkReader;
use std::fmt::Display;
use std::sync::Arc;

/// Number of bytes of an INT96 value.
const INT96_BYTES: i32 = 12;

/// Footer for reading: the schema of its file, and the row groups.
pub struct OpenFooter {
    /// Metadata of the file; the row groups may be missing.
    pub(crate) schema: Arc<ParquetMetaData>,
    pub(crate) row_groups: RowGroups,
    /// Nesting depth of its columns.
    pub(crate) depth: usize,
}

impl OpenFooter {
    fn decoded(reader: &impl ChunkReader, file: &Metadata, depth: usize) -> Result<Self> {
        let schema = Arc::new(metadata_in_parquet(reader, file, depth)?);
        Ok(Self {
            row_groups: RowGroups::Decoded(Arc::clone(&schema)),
            schema,
            depth,
        })
    }
}

/// Opens a file for reading.
pub fn open_footer(reader: &impl ChunkReader) -> Result<OpenFooter> {
    open_bytes(reader, &footer_bytes(reader)?)
}

/// Opens a file to read some of its columns. Keeps the top-level columns that contain them, and
/// skips the others.
pub fn open_columns(reader: &impl ChunkReader, paths: &[&str]) -> Result<OpenFooter> {
    let bytes = footer_bytes(reader)?;
    match of_columns(&bytes, paths) {
        Some((file, depth)) => OpenFooter::decoded(reader, &file, depth),
        None => open_bytes(reader, &bytes),
    }
}

fn open_bytes(reader: &impl ChunkReader, footer: &Bytes) -> Result<OpenFooter> {
    let Some(regular) = regular(footer) else {
        let (file, depth) = decoded(footer)?;
        return OpenFooter::decoded(reader, &file, depth);
    };
    Ok(OpenFooter {
        schema: Arc::clone(&regular.schema),
        depth: regular.depth,
        row_groups: RowGroups::Encoded(Arc::new(regular)),
    })
}

/// Returns a footer as the crate `parquet` decodes it, without page indexes. Its columns have this nesting depth.
pub fn metadata_in_parquet(
    reader: &impl ChunkReader,
    file: &Metadata,
    depth: usize,
) -> Result<ParquetMetaData> {
    with_stack(depth, || with_right_sizes(reader, in_parquet(file)?))
}

/// Reads the footer of a file whose values are wanted in their physical types: leaves have no
/// annotations, INT96 is 12 bytes, and there is no Arrow schema.
pub fn read_bare_footer(reader: &impl ChunkReader) -> Result<OpenFooter> {
    let (mut file, depth) = read_file_metadata(reader)?;
    file.key_value_metadata = None;
    for element in &mut file.schema {
        if element.num_children.is_some_and(|it| it > 0) {
            continue;
        }
        element.converted_type = None;
        element.logical_type = None;
        element.scale = None;
        element.precision = None;
        if element.physical_type == Some(PhysicalType::Int96) {
            element.physical_type = Some(PhysicalType::FixedLenByteArray);
            element.type_length = Some(INT96_BYTES);
        }
    }
    OpenFooter::decoded(reader, &file, depth)
}

/// Reads the footer of a file, and returns the nesting depth of its columns, too. Returns an error
/// if the footer is encrypted.
pub fn read_file_metadata(reader: &impl ChunkReader) -> Result<(Metadata, usize)> {
    decoded(&footer_bytes(reader)?)
}

/// Reads the footer of a file with only the top-level columns that contain these paths, and returns
/// the nesting depth of these columns, too.
pub fn read_columns_metadata(
    reader: &impl ChunkReader,
    paths: &[&str],
) -> Result<(Metadata, usize)> {
    let bytes = footer_bytes(reader)?;
    of_columns(&bytes, paths).ok_or_else(|| {
        let problem = "the footer cannot be restricted to some of its columns";
        Problem::Unsupported(problem.to_owned()).into()
    })
}

fn footer_bytes(reader: &impl ChunkReader) -> Result<Bytes> {
    let length = reader.len();
    let tail = reader.get_bytes(tail_start(length)?, TAIL_LENGTH)?;
    match footer_range(length, &tail)? {
        (range, true) => Err(encrypted_footer(&bytes_at(reader, range)?)),
        (range, false) => bytes_at(reader, range),
    }
}

fn decoded(footer: &Bytes) -> Result<(Metadata, usize)> {
    let decoded = format::decode_prefix::<Metadata>(footer);
    let (file, _) = decoded.map_err(|error| damaged(&error))?;
    if file.encryption_algorithm.is_some() {
        return Err(encrypted_columns(&file));
    }
    let depth = depth_of_schema(&file.schema)?;
    Ok((file, depth))
}

pub(super) fn damaged(error: &dyn Display) -> Error {
    Error::corrupt(format!("the footer is damaged: {error}"))
}
