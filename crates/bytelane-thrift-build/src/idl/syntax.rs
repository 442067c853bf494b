//! Syntax tree of a file. Names are not resolved yet.

use crate::idl::source::Place;

/// A name with its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Name {
    /// The name, with dots if it has any.
    pub text: String,
    /// Start of the name.
    pub place: Place,
}

/// A file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Document {
    /// Files named by `include`.
    pub includes: Vec<Include>,
    /// Scope and name of each `namespace`.
    pub namespaces: Vec<(String, Name)>,
    /// All definitions, in order.
    pub definitions: Vec<Definition>,
    /// True if it is an fbthrift file: it has a `package`.
    pub has_package: bool,
    /// Skipped parts, and the reasons.
    pub notes: Vec<Name>,
}

/// `include "PATH"` or `include "PATH" as NAME`.
#[derive(Clone, PartialEq, Debug)]
pub struct Include {
    /// Path, in its original form.
    pub path: Name,
    /// Name before the dot, if it differs from that of the file.
    pub alias: Option<String>,
}

/// A definition.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// Name of the definition.
    pub name: Name,
    /// Comment before it.
    pub documentation: Option<String>,
    /// Annotations before and after it.
    pub annotations: Vec<Annotation>,
    /// Kind of definition.
    pub kind: Kind,
}

/// Kind of definition.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// `const TYPE NAME = VALUE`.
    Const(Type, Value),
    /// `typedef TYPE NAME`.
    Typedef(Type),
    /// `enum NAME { .. }`.
    Enum(Vec<Variant>),
    /// `struct`, `union` or `exception`.
    Struct(Shape, Vec<Field>),
    /// `service NAME extends PARENT { .. }`.
    Service(Option<Name>, Vec<Function>),
    /// `interaction NAME { .. }`, for which nothing is generated.
    Interaction,
}

/// Kinds of definitions with fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All fields.
    Struct,
    /// Exactly one of the fields.
    Union,
    /// A struct that can be thrown.
    Exception,
}

/// `(key = "value")` after the annotated item, or `@Name{field = value}` before it.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    /// Key, or name of the annotation's struct, in its original form.
    pub key: Name,
    /// String, `1` if none is given; or map from the names of fields to their values.
    pub value: Value,
}

impl Annotation {
    /// Returns the text of `(key = "value")`, or of a field of `@Name{..}`.
    pub fn text(&self, field: &str) -> Option<&str> {
        match &self.value.kind {
            Literal::Map(_) => self.field(field)?.text(),
            _ => self.value.text(),
        }
    }

    /// Returns the value of a field of `@Name{..}`.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let Literal::Map(entries) = &self.value.kind else {
            return None;
        };
        let (_, value) = entries.iter().find(|(key, _)| key.text() == Some(name))?;
        Some(value)
    }
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// Name of the variant.
    pub name: Name,
    /// Number of the variant: the given one, or the previous one plus one.
    pub value: i32,
    /// Comment before it, or after it on its line.
    pub documentation: Option<String>,
    /// Annotations before and after it.
    pub annotations: Vec<Annotation>,
}

/// Requiredness of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Requiredness {
    /// Always written; an error if it is missing.
    Required,
    /// Written if present.
    Optional,
    /// Always written; may be missing.
    Default,
}

/// A field of a struct, an argument or an exception of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Field id: the given one if it is above 0, otherwise one below the last generated one.
    pub id: i16,
    /// Requiredness of the field.
    pub requiredness: Requiredness,
    /// Type of the field.
    pub ty: Type,
    /// Name of the field.
    pub name: Name,
    /// Value if the field is missing.
    pub default: Option<Value>,
    /// Comment before it, or after it on its line.
    pub documentation: Option<String>,
    /// Annotations before and after it, and after its type.
    pub annotations: Vec<Annotation>,
}

/// A function of a service.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Name of the function.
    pub name: Name,
    /// True if there is no reply, not even an empty one.
    pub oneway: bool,
    /// Return type; `None` for `void`.
    pub returns: Option<Type>,
    /// Arguments of the function.
    pub arguments: Vec<Field>,
    /// Exceptions that it throws.
    pub throws: Vec<Field>,
    /// Comment before it.
    pub documentation: Option<String>,
    /// Annotations before and after it.
    pub annotations: Vec<Annotation>,
}

/// A type, before names are resolved.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A type built into Thrift.
    Base(Base),
    /// `list<T>`.
    List(Box<Type>),
    /// `set<T>`.
    Set(Box<Type>),
    /// `map<K, V>`.
    Map(Box<Type>, Box<Type>),
    /// A definition, possibly in another file, or else a built-in type that not every dialect has.
    Named(Name),
}

/// Types built into Thrift.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// `bool`.
    Bool,
    /// `i8` or `byte`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `double`.
    Double,
    /// `float`, which only fbthrift has.
    Float,
    /// `string`.
    String,
    /// `binary`.
    Binary,
    /// `uuid`.
    Uuid,
}

/// A constant's value with its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// Start of the value.
    pub place: Place,
    /// Kind of value.
    pub kind: Literal,
}

impl Value {
    /// Returns the text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Literal::String(text) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }
}

/// A literal value.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// An integer.
    Integer(i64),
    /// A number with a point or an exponent, in its original form.
    Double(String),
    /// Text, or bytes if escapes produce invalid UTF-8.
    String(Vec<u8>),
    /// Name of a constant or an enum variant, `true` or `false`.
    Name(String),
    /// `[a, b]`.
    List(Vec<Value>),
    /// `{a: b}`, and `{a = b}` with the name `a` as a string.
    Map(Vec<(Value, Value)>),
    /// `Name{a = b}`, with entries like those of a map.
    Struct(Name, Vec<(Value, Value)>),
}
