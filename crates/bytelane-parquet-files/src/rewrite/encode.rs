//! Re-encodes column chunks.

use super::int96::Int96Unit;
use super::plan::beside_int96;
use super::source::{Column, Read, Root, Source};
use crate::opened::Reopen;
use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{DataType, SchemaRef, TimeUnit};
use bytelane_parquet::budget::{Budget, MemoryLimit, extent, too_large};
use bytelane_parquet::choice::{Chooser, Learned};
use bytelane_parquet::chunk::{self, Chunk};
use bytelane_parquet::read::ColumnReader;
use bytelane_parquet::types::bare::{bare_leaf, group_of};
use bytelane_parquet::{Error, Problem, Result, WriterOptions};
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

/// Result of re-encoding a column, if that is possible.
#[derive(Debug)]
pub(crate) enum Encoded {
    /// New chunk of each leaf.
    Chunks(Vec<Chunk>),
    /// Reason why the column cannot be re-encoded.
    Obstacle(String),
}

impl<R: Reopen> Source<R> {
    /// Re-encodes a column of a row group, unless its values take more than `limit` bytes.
    pub fn encode(
        &self,
        at: Column<'_>,
        memory: MemoryLimit,
        limit: u64,
        options: WriterOptions,
        convert: Option<Int96Unit>,
    ) -> Result<Encoded> {
        if convert.is_none() && at.root.has_int96() {
            return Ok(Encoded::Obstacle(beside_int96()));
        }
        let read = match at.root.read() {
            Ok(read) => read,
            Err(why) => return Ok(Encoded::Obstacle(why.clone())),
        };
        let in_arrow = read.in_unit(convert);
        let Some(column) = column(at.root, &in_arrow, convert)? else {
            return Ok(Encoded::Obstacle(NO_TYPE.to_owned()));
        };
        let arrays = match self.arrays(at, read, memory, limit, convert) {
            Ok(arrays) => arrays,
            Err(error) if error.is_of_memory() => {
                return Ok(Encoded::Obstacle(too_large(limit)));
            }
            Err(error) => return Err(error),
        };
        chunks(&column, arrays, options).map(Encoded::Chunks)
    }

    /// Returns the values of a column of a row group.
    pub(crate) fn arrays(
        &self,
        at: Column<'_>,
        read: &Read,
        memory: MemoryLimit,
        limit: u64,
        convert: Option<Int96Unit>,
    ) -> Result<Vec<ArrayRef>> {
        let mut check = match convert {
            Some(unit) => Some(Check::new(self, at, read, unit, memory)?),
            None => None,
        };
        let used = Budget::new(limit).reservation();
        let mut arrays = Vec::new();
        for array in self.rows(at, read, convert, memory, at.batch_rows())? {
            let array = array?;
            used.add(extent(&array))?;
            if let Some(check) = &mut check {
                check.next(&array)?;
            }
            arrays.push(array);
        }
        Ok(arrays)
    }
}

/// Reason given for a column that has no Arrow type.
const NO_TYPE: &str = "Arrow has no type for this column";

/// Encodes values of several row groups of a column as one row group. Choices are made as for earlier row
/// groups of the column, if its values resemble them.
pub(crate) fn encode_arrays(
    root: &Root,
    in_arrow: &SchemaRef,
    arrays: Vec<ArrayRef>,
    options: WriterOptions,
    learned: &mut Learned,
) -> Result<Encoded> {
    let Some(column) = column(root, in_arrow, None)? else {
        return Ok(Encoded::Obstacle(NO_TYPE.to_owned()));
    };
    let mut chooser = Chooser::new(&options);
    let leaves = chooser.encode_learning(&column, arrays, learned, None)?;
    let chunks = leaves.into_iter().map(|leaf| leaf.chunk);
    Ok(Encoded::Chunks(chunks.collect()))
}

/// Encodes values with the given options.
fn chunks(
    column: &chunk::Column,
    arrays: Vec<ArrayRef>,
    options: WriterOptions,
) -> Result<Vec<Chunk>> {
    let leaves = Chooser::new(&options).encode(column, arrays)?;
    Ok(leaves.into_iter().map(|leaf| leaf.chunk).collect())
}

/// Returns the column the way it is written, or `None` if Arrow has no type for it.
fn column(
    root: &Root,
    in_arrow: &SchemaRef,
    convert: Option<Int96Unit>,
) -> Result<Option<chunk::Column>> {
    let column = in_file(root, convert)?;
    let by_arrow = ArrowSchemaConverter::new().convert(in_arrow)?;
    let mut pairs = by_arrow.columns().iter().zip(column.columns());
    if by_arrow.num_columns() != column.num_columns()
        || !pairs.all(|(by_arrow, column)| can_store(by_arrow, column))
    {
        return Ok(None);
    }
    let field = Arc::clone(&in_arrow.fields()[0]);
    let in_file = Arc::clone(&column.root_schema().get_fields()[0]);
    chunk::Column::new(field, in_file).map(Some)
}

/// Returns the column in a form that the crate `parquet` can write.
fn in_file(root: &Root, convert: Option<Int96Unit>) -> Result<SchemaDescriptor> {
    let column = known(root.in_file(), convert)?;
    let schema = Type::group_type_builder(root.schema.name()).with_fields(vec![column]);
    Ok(SchemaDescriptor::new(Arc::new(schema.build()?)))
}

/// Removes logical types that the crate `parquet` does not know and refuses to write. They do not affect how
/// values are stored, and the new file keeps the schema of the old one anyway.
fn known(column: &TypePtr, convert: Option<Int96Unit>) -> Result<TypePtr> {
    let info = column.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let unknown = matches!(info.logical_type_ref(), Some(LogicalType::_Unknown { .. }));
    match column.as_ref() {
        Type::PrimitiveType {
            physical_type: PhysicalType::INT96,
            ..
        } if convert.is_some() => {
            let logical = convert.map(Int96Unit::logical_type);
            let leaf = Type::primitive_type_builder(info.name(), PhysicalType::INT64)
                .with_repetition(info.repetition())
                .with_logical_type(logical)
                .with_id(id);
            Ok(Arc::new(leaf.build()?))
        }
        Type::PrimitiveType {
            physical_type,
            type_length,
            ..
        } if unknown => bare_leaf(column, *physical_type, *type_length),
        Type::PrimitiveType { .. } => Ok(Arc::clone(column)),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| known(field, convert));
            group_of(column, fields.collect::<Result<_>>()?)
        }
    }
}

/// Returns whether the crate `parquet` would store values without annotations in the same way, with the same
/// levels.
fn can_store(by_arrow: &ColumnDescriptor, column: &ColumnDescriptor) -> bool {
    let levels = |column: &ColumnDescriptor| (column.max_def_level(), column.max_rep_level());
    // Some writers set a length for numbers, too.
    let length = |column: &ColumnDescriptor| match column.physical_type() {
        PhysicalType::FIXED_LEN_BYTE_ARRAY => column.type_length(),
        _ => 0,
    };
    let physical = |column: &ColumnDescriptor| (column.physical_type(), length(column));
    levels(by_arrow) == levels(column) && physical(by_arrow) == physical(column)
}

/// Checks that no timestamp changes, by reading a column a second time in the other unit. A reader wraps
/// around if timestamps do not fit, and rounds if they are finer than the unit.
struct Check {
    unit: Int96Unit,
    other: ColumnReader,
}

impl Check {
    fn new<R: Reopen>(
        source: &Source<R>,
        column: Column<'_>,
        read: &Read,
        unit: Int96Unit,
        limit: MemoryLimit,
    ) -> Result<Self> {
        let other = source.rows(column, read, Some(unit.other()), limit, column.batch_rows())?;
        Ok(Self { unit, other })
    }

    /// Returns an error if these values, the next ones of the column, differ from those of the file.
    fn next(&mut self, values: &ArrayRef) -> Result<()> {
        let other = self.other.next().transpose()?;
        let other = other.ok_or_else(|| Error::corrupt("the column ends early"))?;
        let is_exact = match self.unit {
            Int96Unit::Micros => all_exact(values, &other, &|micros, nanos| {
                micros.wrapping_mul(1000) == nanos
            }),
            Int96Unit::Nanos => all_exact(&other, values, &|micros, nanos| {
                nanos.div_euclid(1000) == micros
            }),
        };
        let problem = match (is_exact, self.unit) {
            (true, _) => return Ok(()),
            (_, Int96Unit::Micros) => {
                "it has timestamps with nanoseconds, which microseconds would lose; convert to ns"
            }
            (_, Int96Unit::Nanos) => {
                "it has timestamps outside the years 1677 to 2262, which do not fit nanoseconds; convert to us"
            }
        };
        Err(Problem::Unsupported(problem.to_owned()).into())
    }
}

/// Returns whether all timestamps in two arrays, which may be nested, are the same. Columns with the same
/// unit in both arrays always are.
fn all_exact(micros: &ArrayRef, nanos: &ArrayRef, same: &impl Fn(i64, i64) -> bool) -> bool {
    use TimeUnit::{Microsecond, Nanosecond};
    match (micros.data_type(), nanos.data_type()) {
        (DataType::Timestamp(Microsecond, _), DataType::Timestamp(Nanosecond, _)) => {
            let micros = micros.as_primitive::<TimestampMicrosecondType>();
            let nanos = nanos.as_primitive::<TimestampNanosecondType>();
            let mut pairs = micros.iter().zip(nanos);
            pairs.all(|pair| match pair {
                (Some(micros), Some(nanos)) => same(micros, nanos),
                (one, other) => one == other,
            })
        }
        _ => {
            let children = |array: &ArrayRef| {
                let data = array.to_data();
                let children = data.child_data().iter().cloned();
                children.map(make_array).collect::<Vec<_>>()
            };
            let (micros, nanos) = (children(micros), children(nanos));
            let mut pairs = micros.iter().zip(&nanos);
            pairs.all(|(micros, nanos)| all_exact(micros, nanos, same))
        }
    }
}
