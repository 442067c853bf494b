//! What a file says, as it says it: names are not looked up yet.

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
    /// Files named by `include`, as they are written.
    pub includes: Vec<Name>,
    /// Scope and name of each `namespace`.
    pub namespaces: Vec<(String, Name)>,
    /// Everything that is defined, in order.
    pub definitions: Vec<Definition>,
}

/// One definition.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// The comment before it.
    pub documentation: Option<String>,
    /// Annotations after it.
    pub annotations: Vec<Annotation>,
    /// What it is.
    pub kind: Kind,
}

/// What is defined.
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

/// `(key = "value")`.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    /// The key.
    pub key: String,
    /// The value, `1` if none is given.
    pub value: String,
}

/// A number of an enum.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// Its number: the one given, or the one before it plus one.
    pub value: i32,
    /// The comment before it.
    pub documentation: Option<String>,
}

/// Whether a field must be there.
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
    /// Whether it must be there.
    pub requiredness: Requiredness,
    /// Its type.
    pub ty: Type,
    /// Its name.
    pub name: Name,
    /// Its value if it is missing.
    pub default: Option<Value>,
    /// The comment before it.
    pub documentation: Option<String>,
    /// Annotations after it.
    pub annotations: Vec<Annotation>,
}

/// A function of a service.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Whether nothing comes back, not even the end.
    pub oneway: bool,
    /// What it returns; none for `void`.
    pub returns: Option<Type>,
    /// Its arguments.
    pub arguments: Vec<Field>,
    /// What it throws.
    pub throws: Vec<Field>,
    /// The comment before it.
    pub documentation: Option<String>,
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
    /// What it is.
    pub kind: Literal,
}

/// A value as it is written.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// A whole number.
    Integer(i64),
    /// A number with a point or an exponent, as it is written.
    Double(String),
    /// Text.
    String(String),
    /// The name of a constant or of an enum's number, `true` or `false`.
    Name(String),
    /// `[a, b]`.
    List(Vec<Value>),
    /// `{a: b}`.
    Map(Vec<(Value, Value)>),
}
