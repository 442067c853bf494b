//! Types of a [`Schema`].

use super::names::intern;
use super::value::Value;
use crate::{Field, Type};

/// Type of a [`Value`](super::Value).
///
/// Structs and enums are numbered in the order of their [`Schema`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ValueType {
    /// `bool`
    Bool,
    /// `i8`, also called `byte`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `float`, which only fbthrift has
    Float,
    /// `double`
    Double,
    /// `string`
    String,
    /// `binary`
    Binary,
    /// `uuid`
    Uuid,
    /// An enum of the schema
    Enum(usize),
    /// `list` of an element type
    List(Box<ValueType>),
    /// `set` of an element type
    Set(Box<ValueType>),
    /// `map` of a key type and a value type
    Map(Box<ValueType>, Box<ValueType>),
    /// A struct, union or exception of the schema
    Struct(usize),
    /// A struct of which nothing is declared
    AnyStruct,
}

impl ValueType {
    /// Returns the type in messages.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::I8 => Type::I8,
            Self::I16 => Type::I16,
            Self::I32 | Self::Enum(_) => Type::I32,
            Self::I64 => Type::I64,
            Self::Float => Type::Float,
            Self::Double => Type::Double,
            Self::String | Self::Binary => Type::String,
            Self::Uuid => Type::Uuid,
            Self::List(_) => Type::List,
            Self::Set(_) => Type::Set,
            Self::Map(..) => Type::Map,
            Self::Struct(_) | Self::AnyStruct => Type::Struct,
        }
    }
}

/// Field of a [`StructType`].
#[derive(Clone, PartialEq, Debug)]
pub struct FieldType {
    /// Id, name and type in messages.
    pub field: Field,
    /// Type of the value.
    pub ty: ValueType,
    /// True if a message without the field is an error.
    pub is_required: bool,
    /// Value of the field in a message without it, if the IDL gives one.
    pub default: Option<Value>,
}

impl FieldType {
    /// Creates a field that a message may lack.
    ///
    /// Each distinct name stays in memory until the process ends, as the names of generated types
    /// do.
    #[must_use]
    pub fn new(id: i16, name: &str, ty: ValueType) -> Self {
        Self {
            field: Field::new(id, intern(name), ty.kind()),
            ty,
            is_required: false,
            default: None,
        }
    }

    /// Returns this field, required or not.
    #[must_use]
    pub fn required(mut self, is_required: bool) -> Self {
        self.is_required = is_required;
        self
    }

    /// Returns this field with a default value, or without one.
    #[must_use]
    pub fn with_default(mut self, default: Option<Value>) -> Self {
        self.default = default;
        self
    }
}

/// A constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    /// Name in the IDL, behind that of its file and a dot if it is an included one.
    pub name: String,
    /// Type of the value.
    pub ty: ValueType,
    /// Value of the constant.
    pub value: Value,
}

/// A struct, union or exception.
#[derive(Clone, PartialEq, Debug)]
pub struct StructType {
    name: String,
    is_union: bool,
    is_exception: bool,
    fields: Vec<FieldType>,
    /// The same fields, as readers expect them.
    wire: Vec<Field>,
    /// Index of each field in `fields`, in ascending order of the ids.
    by_id: Vec<usize>,
}

impl StructType {
    /// Creates a struct.
    ///
    /// # Panics
    ///
    /// Two fields have the same id.
    #[must_use]
    pub fn new(name: impl Into<String>, fields: Vec<FieldType>) -> Self {
        let wire: Vec<Field> = fields.iter().map(|field| field.field).collect();
        let mut by_id: Vec<usize> = (0..fields.len()).collect();
        by_id.sort_by_key(|&index| wire[index].id);
        let repeated = by_id
            .windows(2)
            .find(|pair| wire[pair[0]].id == wire[pair[1]].id);
        assert!(
            repeated.is_none(),
            "two fields of a struct have the same id"
        );
        Self {
            name: name.into(),
            is_union: false,
            is_exception: false,
            fields,
            wire,
            by_id,
        }
    }

    /// Creates a union: a struct with exactly one field in each message.
    ///
    /// # Panics
    ///
    /// Two fields have the same id.
    #[must_use]
    pub fn union(name: impl Into<String>, fields: Vec<FieldType>) -> Self {
        Self {
            is_union: true,
            ..Self::new(name, fields)
        }
    }

    /// Creates an exception: a struct with another name for its purpose.
    ///
    /// # Panics
    ///
    /// Two fields have the same id.
    #[must_use]
    pub fn exception(name: impl Into<String>, fields: Vec<FieldType>) -> Self {
        Self {
            is_exception: true,
            ..Self::new(name, fields)
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is a union.
    #[must_use]
    pub fn is_union(&self) -> bool {
        self.is_union
    }

    /// Returns whether it is an exception.
    #[must_use]
    pub fn is_exception(&self) -> bool {
        self.is_exception
    }

    /// Returns the fields, in the order of their declaration.
    #[must_use]
    pub fn fields(&self) -> &[FieldType] {
        &self.fields
    }

    /// Returns the field with an id.
    #[must_use]
    pub fn field(&self, id: i16) -> Option<&FieldType> {
        let position = self
            .by_id
            .binary_search_by_key(&id, |&index| self.wire[index].id);
        position
            .ok()
            .map(|position| &self.fields[self.by_id[position]])
    }

    pub(super) fn wire(&self) -> &[Field] {
        &self.wire
    }
}

/// Function of a service.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionType {
    /// Name of the service.
    pub service: String,
    /// Name of the function.
    pub name: String,
    /// Arguments, the fields of a struct.
    pub arguments: StructType,
    /// Struct of the result: the field 0 has the return value, the others have the exceptions. `None` if
    /// the function is oneway.
    pub result: Option<StructType>,
}

/// An enum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumType {
    name: String,
    variants: Vec<(&'static str, i32)>,
}

impl EnumType {
    /// Creates an enum from the names and numbers of its variants.
    ///
    /// Each distinct name stays in memory until the process ends, as the names of generated types
    /// do.
    #[must_use]
    pub fn new<'a>(
        name: impl Into<String>,
        variants: impl IntoIterator<Item = (&'a str, i32)>,
    ) -> Self {
        let variants = variants.into_iter();
        Self {
            name: name.into(),
            variants: variants
                .map(|(name, number)| (intern(name), number))
                .collect(),
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names and numbers of the variants, in the order of their declaration.
    #[must_use]
    pub fn variants(&self) -> &[(&'static str, i32)] {
        &self.variants
    }

    /// Returns the name of a number, if it has one.
    #[must_use]
    pub fn variant(&self, number: i32) -> Option<&'static str> {
        let mut variants = self.variants.iter();
        variants
            .find(|variant| variant.1 == number)
            .map(|variant| variant.0)
    }

    /// Returns the number of a name, if it has one.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i32> {
        let mut variants = self.variants.iter();
        variants
            .find(|variant| variant.0 == name)
            .map(|variant| variant.1)
    }
}

/// Structs and enums that values are read with.
///
/// An empty schema reads messages of any type: all of their fields are undeclared then.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Schema {
    structs: Vec<StructType>,
    enums: Vec<EnumType>,
    constants: Vec<Constant>,
    pub(super) functions: Vec<FunctionType>,
}

impl Schema {
    /// Creates a schema. [`ValueType::Struct`] and [`ValueType::Enum`] contain indices of these lists.
    ///
    /// # Panics
    ///
    /// A field refers to a struct or enum that is not in the lists.
    #[must_use]
    pub fn new(structs: Vec<StructType>, enums: Vec<EnumType>) -> Self {
        let schema = Self {
            structs,
            enums,
            constants: Vec::new(),
            functions: Vec::new(),
        };
        for field in schema.structs.iter().flat_map(StructType::fields) {
            assert!(
                schema.has(&field.ty),
                "a field refers to a type that does not exist"
            );
        }
        schema
    }

    /// Returns this schema with other constants.
    #[must_use]
    pub fn with_constants(mut self, constants: Vec<Constant>) -> Self {
        self.constants = constants;
        self
    }

    /// Returns whether the schema has all structs and enums to which a type refers.
    fn has(&self, ty: &ValueType) -> bool {
        match ty {
            ValueType::Struct(index) => *index < self.structs.len(),
            ValueType::Enum(index) => *index < self.enums.len(),
            ValueType::List(element) | ValueType::Set(element) => self.has(element),
            ValueType::Map(key, value) => self.has(key) && self.has(value),
            _ => true,
        }
    }

    /// Returns the structs, unions and exceptions.
    #[must_use]
    pub fn structs(&self) -> &[StructType] {
        &self.structs
    }

    /// Returns the enums.
    #[must_use]
    pub fn enums(&self) -> &[EnumType] {
        &self.enums
    }

    /// Returns the constants.
    #[must_use]
    pub fn constants(&self) -> &[Constant] {
        &self.constants
    }
}
