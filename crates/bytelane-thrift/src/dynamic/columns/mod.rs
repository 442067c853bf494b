//! Columns of a message as Arrow arrays.

mod arrays;
mod read;

use super::{Schema, StructType, ValueType};
use crate::input::Input;
use crate::mask::{InvalidPath, Step, parse_path};
use crate::protocol::Protocol;
use crate::{Error, Field, Options, Type};
use arrow_array::RecordBatch;

/// List of columns in messages of a type, such as the result sets of HiveServer2. Its columns are
/// read as Arrow arrays, straight from the message.
///
/// A column is a struct with one list of values, and with a binary field for null bits or without
/// one; or a union of such structs. Bit `i % 8` of byte `i / 8` of the null bits, least significant
/// first, is set if value `i` is null. Values for which there is no byte are not null. Columns whose
/// type has null bits are nullable.
///
/// | elements in the IDL | Arrow type |
/// |---|---|
/// | `bool` | `Boolean` |
/// | `i8`, `i16`, `i32`, `i64` | `Int8`, `Int16`, `Int32`, `Int64` |
/// | an enum | `Int32` |
/// | `float`, `double` | `Float32`, `Float64` |
/// | `string`, `binary` | `Utf8`, `Binary` |
///
/// ```
/// use arrow_array::{Array, cast::AsArray, types::Int32Type};
/// use bytelane_thrift::dynamic::{FieldType, Schema, StructType, ValueType};
/// use bytelane_thrift::{Compact, Options};
///
/// let values = FieldType::new(1, "values", ValueType::List(Box::new(ValueType::I32)));
/// let nulls = FieldType::new(2, "nulls", ValueType::Binary);
/// let columns = ValueType::List(Box::new(ValueType::Struct(0)));
/// let column = StructType::new("Column", vec![values, nulls]);
/// let result = StructType::new("Result", vec![FieldType::new(1, "columns", columns)]);
/// let schema = Schema::new(vec![column, result], vec![]);
///
/// let columns = schema.columns(&ValueType::Struct(1), "columns")?.with_names(["id"]);
/// let bytes = b"\x19\x1c\x19\x35\x02\x04\x06\x18\x01\x02\0\0"; // one column: 1, 2, 3; null bits 0b010
/// let batch = columns.decode::<Compact>(bytes, Options::default())?;
/// let ids = batch["id"].as_primitive::<Int32Type>();
/// assert_eq!((ids.value(0), ids.is_null(1), ids.value(2)), (1, true, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Columns {
    path: Vec<Place>,
    column: Column,
    names: Option<Vec<String>>,
    is_reply: bool,
}

/// Struct on the path, and the field at which the path continues.
#[derive(Clone, Debug)]
struct Place {
    field: Field,
    /// All fields, as readers expect them.
    wire: Vec<Field>,
}

/// Type of the columns.
#[derive(Clone, Debug)]
enum Column {
    Values(Values),
    /// Members that are columns, and all of them as readers expect them.
    Union(Vec<(Field, Values)>, Vec<Field>),
}

/// A struct with a list of values.
#[derive(Clone, Debug)]
struct Values {
    values: Field,
    element: ValueType,
    nulls: Option<Field>,
    wire: Vec<Field>,
}

impl Schema {
    /// Finds the list of columns at a path of fields, such as `results.columns`, in values of a type.
    ///
    /// # Errors
    ///
    /// The path is malformed, does not fit the type, or does not end at a list of columns.
    ///
    /// # Panics
    ///
    /// The same as [`decode`](Self::decode).
    pub fn columns(&self, ty: &ValueType, path: &str) -> Result<Columns, InvalidPath> {
        let (steps, _) = parse_path(path, &(self, ty))?;
        let mut places = Vec::new();
        let mut end = ty;
        for step in &steps {
            let found = match (end, step) {
                (ValueType::Struct(number), Step::Numbers(ids)) => {
                    let parent = &self.structs()[*number];
                    let id = ids.first().and_then(|&id| i16::try_from(id).ok());
                    id.and_then(|id| parent.field(id))
                        .map(|field| (parent, field))
                }
                _ => None,
            };
            let Some((parent, field)) = found else {
                let problem = "only fields lead to columns, not elements or entries";
                return Err(InvalidPath::new(path, problem));
            };
            places.push(Place {
                field: field.field,
                wire: parent.wire().to_vec(),
            });
            end = &field.ty;
        }
        let column = match end {
            ValueType::List(element) => self.column(element),
            _ => None,
        };
        let Some(column) = column else {
            return Err(InvalidPath::new(
                path,
                "it does not end at a list of columns: structs with one list of bools, numbers, text or binary \
                 and at most one binary field, for null bits; or unions of these",
            ));
        };
        Ok(Columns {
            path: places,
            column,
            names: None,
            is_reply: false,
        })
    }

    fn column(&self, ty: &ValueType) -> Option<Column> {
        let of_struct = |ty: &ValueType| match ty {
            ValueType::Struct(number) => Some(&self.structs()[*number]),
            _ => None,
        };
        let of = of_struct(ty)?;
        if let Some(values) = Values::of(of) {
            return Some(Column::Values(values));
        }
        let members = of.fields().iter().filter_map(|member| {
            let values = Values::of(of_struct(&member.ty)?)?;
            Some((member.field, values))
        });
        let members: Vec<_> = members.collect();
        (!members.is_empty()).then(|| Column::Union(members, of.wire().to_vec()))
    }
}

impl Values {
    /// `None` if the struct is not a column.
    fn of(of: &StructType) -> Option<Self> {
        let (mut values, mut nulls) = (None, None);
        for field in of.fields() {
            let repeated = match &field.ty {
                ValueType::List(element) => values.replace((field.field, element)).is_some(),
                ValueType::Binary => nulls.replace(field.field).is_some(),
                _ => false,
            };
            if repeated {
                return None;
            }
        }
        let (values, element) = values?;
        arrays::data_type(element)?;
        Some(Self {
            values,
            element: (**element).clone(),
            nulls,
            wire: of.wire().to_vec(),
        })
    }
}

impl Columns {
    /// Returns these columns with names. Without them, the names are `column_0`, `column_1` and so on.
    #[must_use]
    pub fn with_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Returns these columns in replies of a service, whose return value has the type: an
    /// [`Envelope`](crate::Envelope) and a result.
    #[must_use]
    pub fn in_reply(mut self) -> Self {
        let field = Field::new(0, "success", Type::Struct);
        let wire = vec![field];
        self.path.insert(0, Place { field, wire });
        self.is_reply = true;
        self
    }

    /// Reads the columns from all of `bytes`, and skips everything else.
    ///
    /// # Errors
    ///
    /// The message is malformed, lacks the list of columns, or exceeds a limit; a column has another
    /// number of values than the first one; there are more or fewer columns than names; or the
    /// message is the answer of a call that failed.
    pub fn decode<P: Protocol>(
        &self,
        bytes: &[u8],
        options: impl Into<Options>,
    ) -> Result<RecordBatch, Error> {
        let mut reader = P::reader(Input::new(bytes, options));
        let batch = self.read(&mut reader)?;
        crate::Reader::end(&mut reader)?;
        Ok(batch)
    }
}
