//! Syntax tree of a file: names are not looked up yet.

use crate::source::Place;

/// A name with the place where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Name {
    /// The name, with dots where it has any.
    pub text: String,
    /// Where it begins.
    pub place: Place,
}

/// A file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Document {
    /// Files named by `include`.
    pub includes: Vec<Include>,
    /// Scope and name of each `namespace`.
    pub namespaces: Vec<(String, Name)>,
    /// Everything that is defined, in order.
    pub definitions: Vec<Definition>,
    /// True if it is one of fbthrift's: it has a `package`.
    pub has_package: bool,
    /// Skipped parts, and the reasons.
    pub notes: Vec<Name>,
}

/// `include "PATH"` or `include "PATH" as NAME`.
#[derive(Clone, PartialEq, Debug)]
pub struct Include {
    /// The path, as it is written.
    pub path: Name,
    /// The name before the dot, if it is not that of the file.
    pub alias: Option<String>,
}

/// One definition.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// The comment before it.
    pub documentation: Option<String>,
    /// Annotations before and after it.
    pub annotations: Vec<Annotation>,
    /// Kind.
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
    /// `interaction NAME { .. }`, of which nothing is generated.
    Interaction,
}

/// The three things with fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// All fields.
    Struct,
    /// Exactly one of the fields.
    Union,
    /// A struct that is thrown.
    Exception,
}

/// `(key = "value")` after what it is about, or `@Name{field = value}` before it.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    /// The key, or the name of the annotation's struct, as it is written.
    pub key: Name,
    /// A string, `1` if none is given; or a map from the names of fields to their values.
    pub value: Value,
}

impl Annotation {
    /// The text of `(key = "value")`, or of a field of `@Name{..}`.
    pub fn text(&self, field: &str) -> Option<&str> {
        match &self.value.kind {
            Literal::Map(_) => self.field(field)?.text(),
            _ => self.value.text(),
        }
    }

    /// The value of a field of `@Name{..}`.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let Literal::Map(entries) = &self.value.kind else {
            return None;
        };
        let (_, value) = entries.iter().find(|(key, _)| key.text() == Some(name))?;
        Some(value)
    }
}

/// A number of an enum.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// Its number: the one given, or the one before it plus one.
    pub value: i32,
    /// The comment before it, or after it on its line.
    pub documentation: Option<String>,
    /// Annotations before and after it.
    pub annotations: Vec<Annotation>,
}

/// True if a field must be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Requiredness {
    /// Always written, an error if it is missing.
    Required,
    /// Written if it is there.
    Optional,
    /// Always written, may be missing.
    Default,
}

/// A field of a struct, an argument or an exception of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its number: the one given if it is above 0, otherwise one below all others that are not given.
    pub id: i16,
    /// True if it must be there.
    pub requiredness: Requiredness,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Name,
    /// Its value if it is missing.
    pub default: Option<Value>,
    /// The comment before it, or after it on its line.
    pub documentation: Option<String>,
    /// Annotations before and after it, and after its type.
    pub annotations: Vec<Annotation>,
}

/// A function of a service.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// True if nothing comes back, not even the end.
    pub oneway: bool,
    /// Type that it returns; none for `void`.
    pub returns: Option<Type>,
    /// Its arguments.
    pub arguments: Vec<Field>,
    /// Exceptions that it throws.
    pub throws: Vec<Field>,
    /// The comment before it.
    pub documentation: Option<String>,
    /// Annotations before and after it.
    pub annotations: Vec<Annotation>,
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A type that Thrift itself has.
    Base(Base),
    /// `list<T>`.
    List(Box<Type>),
    /// `set<T>`.
    Set(Box<Type>),
    /// `map<K, V>`.
    Map(Box<Type>, Box<Type>),
    /// A definition, maybe of another file.
    Named(Name),
}

/// The types that Thrift itself has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// A constant's value with the place where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// Where it begins.
    pub place: Place,
    /// Kind.
    pub kind: Literal,
}

impl Value {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Literal::String(text) => std::str::from_utf8(text).ok(),
            _ => None,
        }
    }
}

/// A value as it is written.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A number with a point or an exponent, as it is written.
    Double(String),
    /// Text, or bytes where escapes make what is no UTF-8.
    String(Vec<u8>),
    /// The name of a constant or of an enum's number, `true` or `false`.
    Name(String),
    /// `[a, b]`.
    List(Vec<Value>),
    /// `{a: b}`, and `{a = b}` with the name `a` as a string.
    Map(Vec<(Value, Value)>),
    /// `Name{a = b}`, its entries as those of a map.
    Struct(Name, Vec<(Value, Value)>),
}
