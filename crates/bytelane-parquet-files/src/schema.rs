//! Compares the columns of files.

use arrow_schema::{DataType, Field, Schema};
use bytelane_parquet::table::{TableFile, unite_schemas};
use bytelane_parquet::unite::words;
use bytelane_parquet::{ReaderBuilder, Result};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Columns of files.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Schemas {
    /// Number of files.
    pub files: usize,
    /// Columns that all files have together, if they can be read as one table.
    pub columns: Vec<SchemaColumn>,
    /// Reason why the files cannot be read as one table.
    pub problem: Option<String>,
    /// Files with the same columns: those of most files first, without differences.
    pub groups: Vec<SchemaGroup>,
}

/// Column, or a member of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SchemaColumn {
    /// Path of the column.
    pub path: String,
    /// Type in pyarrow's words.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Set if it may have nulls.
    pub nullable: bool,
}

/// Files with the same columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SchemaGroup {
    /// Paths of the files.
    pub files: Vec<PathBuf>,
    /// Differences from the first group.
    pub differences: Vec<Difference>,
}

/// Difference between the columns of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// Path of the column; empty for the order of all columns.
    pub column: String,
    /// Column of the first group; `None` if it has none.
    pub usual: Option<String>,
    /// Column of this group; `None` if it has none.
    pub own: Option<String>,
}

/// Reads the footers of files, and compares their columns.
///
/// # Errors
///
/// A file cannot be read.
///
/// # Example
///
/// ```no_run
/// use bytelane_parquet::table::TableFile;
///
/// let files = ["january.parquet", "february.parquet"].map(TableFile::new);
/// let schemas = bytelane_parquet_files::schema::schemas(&files)?;
/// assert_eq!(schemas.groups.len(), 1, "the columns differ");
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn schemas(files: &[TableFile]) -> Result<Schemas> {
    let read = files.par_iter().map(|file| {
        let schema = ReaderBuilder::open(&file.path)?.schema().as_ref().clone();
        let fields = schema.fields().iter().cloned();
        let added = file.constants.iter().map(|(field, _)| field);
        let added = added.filter(|field| schema.field_with_name(field.name()).is_err());
        Ok(Schema::new(
            fields.chain(added.cloned()).collect::<Vec<_>>(),
        ))
    });
    let read: Vec<Schema> = read.collect::<Result<_>>()?;
    let paths = files.iter().map(|file| file.path.as_path());
    Ok(compared(&paths.zip(&read).collect::<Vec<_>>()))
}

fn compared(files: &[(&Path, &Schema)]) -> Schemas {
    let mut groups: Vec<(Vec<SchemaColumn>, Vec<PathBuf>)> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (path, schema) in files {
        let columns = columns(schema);
        let place = *places.entry(format!("{columns:?}")).or_insert_with(|| {
            groups.push((columns, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(path.to_path_buf());
    }
    groups.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    let united = unite_schemas(files.iter().copied(), false);
    let usual = groups.first().map_or(&[][..], |(columns, _)| columns);
    let usual = usual.to_vec();
    Schemas {
        files: files.len(),
        columns: united
            .as_ref()
            .map_or_else(|_| usual.clone(), |schema| columns(schema)),
        problem: united.err().map(|error| error.to_string()),
        groups: groups
            .into_iter()
            .map(|(own, files)| SchemaGroup {
                files,
                differences: differences(&usual, &own),
            })
            .collect(),
    }
}

/// Returns the columns of a schema, and the members of structs instead of these.
fn columns(schema: &Schema) -> Vec<SchemaColumn> {
    let mut columns = Vec::new();
    for field in schema.fields() {
        flatten(field.name(), field, false, &mut columns);
    }
    columns
}

fn flatten(path: &str, field: &Field, in_nullable: bool, columns: &mut Vec<SchemaColumn>) {
    let nullable = in_nullable || field.is_nullable();
    match field.data_type() {
        DataType::Struct(members) if !members.is_empty() => {
            for member in members {
                flatten(
                    &format!("{path}.{}", member.name()),
                    member,
                    nullable,
                    columns,
                );
            }
        }
        _ => columns.push(SchemaColumn {
            path: path.to_owned(),
            data_type: words(field),
            nullable,
        }),
    }
}

fn differences(usual: &[SchemaColumn], own: &[SchemaColumn]) -> Vec<Difference> {
    let find = |columns: &[SchemaColumn], path: &str| {
        let column = columns.iter().find(|column| column.path == path);
        column.map(|column| {
            let required = if column.nullable { "" } else { " not null" };
            format!("{}{required}", column.data_type)
        })
    };
    let added = own
        .iter()
        .filter(|column| find(usual, &column.path).is_none());
    let mut differences = Vec::new();
    for column in usual.iter().chain(added) {
        let (usual, own) = (find(usual, &column.path), find(own, &column.path));
        if usual != own {
            let column = column.path.clone();
            differences.push(Difference { column, usual, own });
        }
    }
    let order = |columns: &[SchemaColumn], others: &[SchemaColumn]| {
        let columns = columns.iter().map(|column| column.path.clone());
        let common = columns.filter(|path| others.iter().any(|it| it.path == *path));
        common.collect::<Vec<_>>().join(", ")
    };
    let (one, other) = (order(usual, own), order(own, usual));
    if one != other {
        differences.push(Difference {
            column: String::new(),
            usual: Some(one),
            own: Some(other),
        });
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_from_most_files() {
        let field = |name: &str, data_type, nullable| Field::new(name, data_type, nullable);
        let most = Schema::new(vec![
            field("a", DataType::Int32, false),
            field("b", DataType::Utf8, true),
            field("c", DataType::Int64, true),
        ]);
        let other = Schema::new(vec![
            field("b", DataType::Utf8, true),
            field("a", DataType::Int64, false),
            field("d", DataType::Date32, true),
        ]);
        let paths = ["1", "2", "3"].map(Path::new);
        let compared = compared(&[(paths[0], &other), (paths[1], &most), (paths[2], &most)]);
        let shown: Vec<String> = compared.groups[1]
            .differences
            .iter()
            .map(|it| format!("{}: {:?} {:?}", it.column, it.usual, it.own))
            .collect();
        assert_eq!(
            shown,
            [
                "a: Some(\"int32 not null\") Some(\"int64 not null\")",
                "c: Some(\"int64\") None",
                "d: None Some(\"date32[day]\")",
                ": Some(\"a, b\") Some(\"b, a\")",
            ]
        );
        assert_eq!(compared.groups[0].files, [paths[1], paths[2]]);
        assert!(compared.groups[0].differences.is_empty());
        let united: Vec<&str> = compared.columns.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(
            (united.join(","), compared.problem),
            ("b,a,d,c".to_owned(), None)
        );
    }
}
