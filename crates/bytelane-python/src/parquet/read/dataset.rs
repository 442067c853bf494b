//! Several files as one table.

use crate::parquet::error::of_parquet;
use crate::parquet::options::{Columns, Count};
use crate::parquet::read::file::{Limits, ParquetFile, Types, selection};
use crate::parquet::table::rows::Table;
use crate::parquet::table::schema::Schema;
use crate::parquet::verbs::find::{find_but, of_store};
use bytelane_parquet::arrow_schema::DataType;
use bytelane_parquet::filter::Selection;
use bytelane_parquet::table::{TableFile, conform, unite_schemas};
use bytelane_store::{PARTITION_TYPES, partition_type, table_files};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// Reads the rows of files as one table, one file after the other.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python's keywords, one each")]
pub fn read_files(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    ignore_prefixes: Option<Vec<String>>,
    strict_schema: bool,
    partitions: Partitions,
    columns: Option<Columns>,
    row_groups: Option<Vec<Count>>,
    filters: Option<Bound<'_, PyAny>>,
    types: Types,
    threads: Option<Count>,
    memory_limit: Option<u64>,
    row_limit: Option<u64>,
) -> PyResult<Table> {
    let limits = Limits::new(threads, memory_limit)?;
    let is_part = row_groups.is_some();
    let selection = selection(py, columns, row_groups, filters, row_limit)?;
    let files = py.detach(|| partitions.files(&sources, as_files, ignore_prefixes))?;
    if is_part && files.len() != 1 {
        return Err(PyValueError::new_err("row_groups are those of one file"));
    }
    let together = if files.len() > 1 || files.iter().any(|file| !file.constants.is_empty()) {
        let open = || types.open_table(&files, strict_schema);
        Some(py.detach(open).map_err(of_parquet)?)
    } else {
        None
    };
    let mut tables = Vec::new();
    for (index, TableFile { path, .. }) in files.iter().enumerate() {
        // A `pathlib.Path` would join the slashes of a URL.
        let source = path.as_os_str().into_pyobject(py)?;
        let selection = match &together {
            Some(together) => together.selection(index, &selection).map_err(of_parquet)?,
            None => selection.clone(),
        };
        let file = ParquetFile::open(source.as_any(), types.clone(), &selection)?;
        tables.push(py.detach(|| file.table(&selection, limits))?);
    }
    py.detach(|| joined(&files, tables))
}

/// Returns the columns of files that are read as one table.
#[pyfunction]
pub fn table_schema(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    ignore_prefixes: Option<Vec<String>>,
    strict_schema: bool,
    partitions: Partitions,
    types: Types,
) -> PyResult<Schema> {
    let files = py.detach(|| partitions.files(&sources, as_files, ignore_prefixes))?;
    if let [TableFile { path, constants }] = &files[..]
        && constants.is_empty()
    {
        let source = path.as_os_str().into_pyobject(py)?;
        let file = ParquetFile::open(source.as_any(), types, &Selection::default())?;
        return Ok(file.schema());
    }
    let open = || types.open_table(&files, strict_schema);
    let table = py.detach(open).map_err(of_parquet)?;
    Ok(Schema(Arc::clone(table.schema())))
}

/// Returns the paths of Parquet files at paths, in directories, and those that match patterns.
#[pyfunction]
pub fn find_files(
    py: Python<'_>,
    sources: Vec<PathBuf>,
    as_files: bool,
    ignore_prefixes: Option<Vec<String>>,
) -> PyResult<Vec<OsString>> {
    let files = py.detach(|| find_but(&sources, as_files, ignore_prefixes))?;
    Ok(files
        .into_iter()
        .map(|file| file.path.into_os_string())
        .collect())
}

/// Columns in the names of directories: their types by name, and their names if the directories have only values.
#[derive(FromPyObject)]
pub struct Partitions(Vec<(String, String)>, Option<Vec<String>>);

impl Partitions {
    fn files(
        &self,
        sources: &[PathBuf],
        as_files: bool,
        ignored: Option<Vec<String>>,
    ) -> PyResult<Vec<TableFile>> {
        let mut files = find_but(sources, as_files, ignored)?;
        if let Some(names) = &self.1 {
            files
                .iter_mut()
                .for_each(|file| file.name_directories(names));
        }
        table_files(files, &types_of(&self.0)?).map_err(of_store)
    }
}

/// Joins the rows of several files, whose text columns may have other types than the schema of the table says.
fn joined(files: &[TableFile], tables: Vec<Table>) -> PyResult<Table> {
    let of_files = files.iter().map(|file| file.path.as_path());
    let of_files = of_files.zip(tables.iter().map(|table| &*table.schema));
    let schema = unite_schemas(of_files, false).map_err(of_parquet)?;
    let mut batches = Vec::new();
    for (file, table) in files.iter().zip(tables) {
        for batch in table.batches {
            let batch = conform(&batch, &schema);
            batches.push(batch.map_err(|error| of_parquet(error.in_file(&file.path)))?);
        }
    }
    Ok(Table { schema, batches })
}

/// Returns the types of partition columns by their names.
pub fn types_of(names: &[(String, String)]) -> PyResult<Vec<(String, DataType)>> {
    let types = names.iter().map(|(column, name)| {
        let data_type = partition_type(name).ok_or_else(|| {
            let known = PARTITION_TYPES.join(", ");
            PyValueError::new_err(format!(
                "unknown type {name:?} of the partition {column}; known: {known}"
            ))
        })?;
        Ok((column.clone(), data_type))
    });
    types.collect()
}
