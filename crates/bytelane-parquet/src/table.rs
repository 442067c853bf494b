//! Reads several files as one table.
//!
//! Columns are matched by name, in the order of the first file that has them:
//!
//! | difference between files | in the table |
//! |---|---|
//! | order of columns, or of members of structs | that of the first file |
//! | a column or a member that a file lacks | null there |
//! | a column of the null type | the other type |
//! | required and optional | optional |
//! | integers or floats of other widths, units of times | the one that holds both |
//! | decimals of other precisions | the larger precision |
//! | strings and bytes with other offsets, or views | the larger ones |
//! | dictionaries beside each other or beside their values | one dictionary, or the values |
//!
//! [`unite`](crate::unite) has all rules; everything else is an error. With `strict`, files must have the same columns, in the
//! same order and with the same types.
//!
//! Columns in the names of directories, such as `year=2024`, are constants of a file.

use crate::filter::Selection;
use crate::input::InputFile;
use crate::read::ReaderBuilder;
use crate::types::unite::{convert, unite, words};
use crate::{Error, Problem, Result};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Column with the same value in all rows of a file, as an array with that value.
pub type Constant = (FieldRef, ArrayRef);

/// File of a table, with the columns that are not in it.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// Path or URL.
    pub path: PathBuf,
    /// Columns with the same value in all rows.
    pub constants: Vec<Constant>,
}

impl TableFile {
    /// Returns a file without other columns than its own.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            constants: Vec::new(),
        }
    }
}

/// Columns of several files that are read as one table.
#[derive(Debug)]
pub struct Table {
    schema: SchemaRef,
    rows: u64,
    /// Constants of each file, and nulls for the columns that it lacks.
    added: Vec<Vec<Constant>>,
}

impl Table {
    /// Reads the footers of the files, and unites their columns.
    ///
    /// # Errors
    ///
    /// A file cannot be read; [`Problem::Input`] if its columns have no common meaning with those of the others, or, with
    /// `strict`, if they differ.
    pub fn open(files: &[TableFile], strict: bool) -> Result<Self> {
        Self::open_with(files, strict, InputFile::open)
    }

    /// Does the same as [`open`](Self::open) for files that `open` opens, such as encrypted ones.
    ///
    /// # Errors
    ///
    /// Same errors as [`open`](Self::open), and those of `open`.
    pub fn open_with(
        files: &[TableFile],
        strict: bool,
        open: impl Fn(&Path) -> Result<InputFile> + Sync,
    ) -> Result<Self> {
        let schemas = files.par_iter().map(|file| {
            let reader = open(&file.path).and_then(ReaderBuilder::try_new);
            let reader = reader.map_err(|error| error.in_file(&file.path))?;
            let rows = reader.metadata().file_metadata().num_rows();
            let rows = u64::try_from(rows).unwrap_or(0);
            Ok((without(reader.schema(), &file.constants), rows))
        });
        let schemas = schemas.collect::<Result<Vec<(Schema, u64)>>>()?;
        let (schemas, rows): (Vec<Schema>, Vec<u64>) = schemas.into_iter().unzip();
        let of_files = files.iter().map(|file| file.path.as_path()).zip(&schemas);
        let united = unite_schemas(of_files, strict)?;
        let added = files.iter().zip(&schemas).map(|(file, schema)| {
            let is_missing = |field: &&FieldRef| match schema.field_with_name(field.name()) {
                Ok(own) => own.data_type().is_null() && !field.data_type().is_null(),
                Err(_) => true,
            };
            let missing = united.fields().iter().filter(is_missing);
            let nulls = missing.map(|field| {
                let field: FieldRef = Arc::new(Field::clone(field).with_nullable(true));
                let null = new_null_array(field.data_type(), 1);
                (field, null)
            });
            nulls.chain(file.constants.iter().cloned()).collect()
        });
        let added = added.collect();
        let mut fields = united.fields().to_vec();
        for (field, _) in files.iter().flat_map(|file| &file.constants) {
            if !fields.iter().any(|it| it.name() == field.name()) {
                fields.push(Arc::clone(field));
            }
        }
        let schema = Schema::new_with_metadata(fields, united.metadata().clone());
        Ok(Self {
            schema: Arc::new(schema),
            rows: rows.into_iter().fold(0, u64::saturating_add),
            added,
        })
    }

    /// Returns the columns of the table.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the number of rows of all files, as their footers say.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns a selection for one of the files, by its index: with the columns that are not in it.
    ///
    /// # Errors
    ///
    /// Same errors as [`Selection::with_constant`].
    pub fn selection(&self, file: usize, selection: &Selection) -> Result<Selection> {
        let mut selection = selection.clone().with_order_of(&self.schema);
        for (field, value) in self.added.get(file).into_iter().flatten() {
            selection = selection.with_constant(Arc::clone(field), Arc::clone(value))?;
        }
        Ok(selection)
    }
}

/// Returns a schema without the columns that constants replace.
fn without(schema: &Schema, constants: &[Constant]) -> Schema {
    let is_constant = |name: &str| constants.iter().any(|(field, _)| field.name() == name);
    let fields = schema.fields().iter().filter(|it| !is_constant(it.name()));
    Schema::new_with_metadata(
        fields.cloned().collect::<Vec<_>>(),
        schema.metadata().clone(),
    )
}

/// Returns the columns of a table with these files, which it names in errors.
///
/// # Errors
///
/// [`Problem::Input`] if the columns of a file have no common meaning with those of the others, or, with `strict`, if they
/// differ.
pub fn unite_schemas<'a>(
    files: impl IntoIterator<Item = (&'a Path, &'a Schema)>,
    strict: bool,
) -> Result<SchemaRef> {
    let mut united: Option<(&Path, Schema)> = None;
    for (path, schema) in files {
        let Some((first, own)) = &mut united else {
            united = Some((path, schema.clone()));
            continue;
        };
        if own.fields() == schema.fields() {
            continue;
        }
        let add = if strict { match_fields } else { add_fields };
        let fields = add(own, schema).map_err(|difference| {
            let hint = if strict {
                "; without the strict schema, they may differ"
            } else {
                ""
            };
            let problem = format!(
                "other columns than in {}: {difference}{hint}",
                first.display()
            );
            Error::new(Problem::Input(problem)).in_file(path)
        })?;
        *own = Schema::new_with_metadata(fields, own.metadata().clone());
    }
    let schema = united.map_or_else(Schema::empty, |(_, schema)| schema);
    Ok(Arc::new(schema))
}

/// Unites the fields of a table with those of another file.
fn add_fields(own: &Schema, other: &Schema) -> std::result::Result<Vec<FieldRef>, String> {
    let mut fields = own.fields().to_vec();
    for schema in [own, other] {
        if let Some(name) = repeated(schema) {
            return Err(format!("several columns have the name {name}"));
        }
    }
    for field in &mut fields {
        let name = field.name().clone();
        *field = Arc::new(match other.field_with_name(&name) {
            Ok(other) => unite(field, other).map_err(|it| format!("{name}: {it}"))?,
            Err(_) => Field::clone(field).with_nullable(true),
        });
    }
    for field in other.fields() {
        if own.field_with_name(field.name()).is_err() {
            fields.push(Arc::new(Field::clone(field).with_nullable(true)));
        }
    }
    Ok(fields)
}

/// Checks that the fields of another file have the same names and types; only nulls may be allowed in one of them.
fn match_fields(own: &Schema, other: &Schema) -> std::result::Result<Vec<FieldRef>, String> {
    let names = |schema: &Schema| {
        let names = schema.fields().iter().map(|field| field.name().clone());
        names.collect::<Vec<_>>()
    };
    let (one, two) = (names(own), names(other));
    if one != two {
        return Err(format!("{} and not {}", two.join(", "), one.join(", ")));
    }
    let fields = own.fields().iter().zip(other.fields()).map(|(one, two)| {
        if !one.data_type().equals_datatype(two.data_type()) {
            return Err(format!(
                "{}: {} and not {}",
                one.name(),
                words(two),
                words(one)
            ));
        }
        let is_nullable = one.is_nullable() || two.is_nullable();
        Ok(Arc::new(Field::clone(one).with_nullable(is_nullable)))
    });
    fields.collect()
}

fn repeated(schema: &Schema) -> Option<&str> {
    let mut names: Vec<&str> = schema
        .fields()
        .iter()
        .map(|it| it.name().as_str())
        .collect();
    names.sort_unstable();
    names
        .windows(2)
        .find(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
}

/// Returns the columns of a schema that are among others, by their names, in the order of the others.
#[must_use]
pub fn selected(schema: &Schema, of: &Schema) -> SchemaRef {
    let names = of.fields().iter().map(|field| field.name());
    let fields = names.filter_map(|name| schema.fields().find(name));
    Arc::new(Schema::new_with_metadata(
        fields
            .map(|(_, field)| Arc::clone(field))
            .collect::<Vec<_>>(),
        schema.metadata().clone(),
    ))
}

/// Converts rows of a file to the columns of a table; those that they lack are null.
///
/// # Errors
///
/// [`Problem::Input`] for a value that the type of the table cannot hold.
pub fn conform(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let own = batch.schema_ref();
    let rows = batch.num_rows();
    let columns = if own.fields().len() == schema.fields().len() && names_are_same(own, schema) {
        // Several columns may have one name.
        let columns = batch.columns().iter().zip(schema.fields());
        columns
            .map(|(column, field)| convert(column, field.data_type()))
            .collect::<Result<Vec<_>>>()?
    } else {
        let columns = schema.fields().iter();
        let columns = columns.map(|field| match batch.column_by_name(field.name()) {
            Some(column) => convert(column, field.data_type()),
            None => Ok(new_null_array(field.data_type(), rows)),
        });
        columns.collect::<Result<Vec<_>>>()?
    };
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let schema = Arc::clone(schema);
    Ok(RecordBatch::try_new_with_options(
        schema, columns, &options,
    )?)
}

fn names_are_same(one: &Schema, other: &Schema) -> bool {
    let pairs = one.fields().iter().zip(other.fields());
    pairs
        .into_iter()
        .all(|(one, other)| one.name() == other.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Array, Int32Array, Int64Array, NullArray, StringArray};
    use arrow_schema::DataType;

    fn schema(fields: &[(&str, DataType)]) -> Schema {
        let fields = fields.iter();
        Schema::new(
            fields
                .map(|(name, it)| Field::new(*name, it.clone(), false))
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn columns_are_united_by_name() {
        let one = schema(&[("a", DataType::Int32), ("b", DataType::Null)]);
        let other = schema(&[
            ("c", DataType::Int64),
            ("b", DataType::Utf8),
            ("a", DataType::Int64),
        ]);
        let files = [(Path::new("1"), &one), (Path::new("2"), &other)];
        let united = unite_schemas(files, false).unwrap();
        let shown: Vec<String> = united
            .fields()
            .iter()
            .map(|it| format!("{}: {}", it.name(), it.data_type()))
            .collect();
        assert_eq!(shown, ["a: Int64", "b: Utf8", "c: Int64"]);
        assert!(united.field(2).is_nullable() && !united.field(0).is_nullable());
        let error = unite_schemas(files, true).unwrap_err().to_string();
        assert!(error.contains("c, b, a and not a, b"), "{error}");

        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int32Array::from(vec![1])),
            Arc::new(NullArray::new(1)),
        ];
        let batch = RecordBatch::try_new(Arc::new(one.clone()), columns).unwrap();
        let batch = conform(&batch, &united).unwrap();
        assert_eq!(
            batch.column(0).as_ref(),
            &Int64Array::from(vec![1]) as &dyn Array
        );
        assert_eq!(
            batch.column(1).as_ref(),
            &StringArray::from(vec![None::<&str>]) as &dyn Array
        );
        assert!(batch.column(2).is_null(0));
    }

    #[test]
    fn other_meanings_are_refused_by_name() {
        let one = schema(&[("a", DataType::Utf8)]);
        let other = schema(&[("a", DataType::Int64)]);
        let files = [(Path::new("1"), &one), (Path::new("2"), &other)];
        let error = unite_schemas(files, false).unwrap_err().to_string();
        assert_eq!(error, "2: other columns than in 1: a: string and int64");
        let twice = schema(&[("a", DataType::Utf8), ("a", DataType::Utf8)]);
        let same = [(Path::new("1"), &twice), (Path::new("2"), &twice)];
        assert_eq!(unite_schemas(same, false).unwrap().fields().len(), 2);
    }
}
