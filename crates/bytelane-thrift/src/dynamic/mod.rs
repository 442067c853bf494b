//! Values of types that are known only when the program runs.
//!
//! A [`Schema`] has the structs and enums of an IDL: `bytelane_thrift_build::Compiler::schema` loads
//! it from files. It reads a [`Value`] in any protocol. The value keeps the fields that the schema does
//! not declare, and the order of all fields, so that it is written with the same bytes. Without a
//! schema, a [`Struct`] shows the structure of a message in any protocol except SimpleJSON, which
//! has no types.
//!
//! [`Schema::add_defaults`] adds the default values of an IDL. [`Schema::decode_call`] reads calls and
//! replies of services.
//!
//! With the feature `serde`, values convert to and from those of serde, for example JSON: a value
//! implements `Serialize`, and [`Schema::seed`] reads one. So do calls, with [`Schema::call_seed`].
//!
//! A value takes 40 bytes and more of memory for each number. For large lists of numbers, and at the
//! speed of memory, use generated types; or, with the feature `arrow`, `Columns`, which reads
//! columnar results such as those of HiveServer2 as Arrow arrays.
//!
//! ```
//! use bytelane_thrift::dynamic::{FieldType, Schema, StructType, Value, ValueType};
//! use bytelane_thrift::{Compact, SimpleJson};
//!
//! let x = FieldType::new(1, "x", ValueType::I32).required(true);
//! let name = FieldType::new(2, "name", ValueType::String);
//! let schema = Schema::new(vec![StructType::new("Point", vec![x, name])], vec![]);
//! let point = schema.parse_type("Point")?;
//!
//! let value = schema.decode::<Compact>(&point, &[0x15, 10, 0])?;
//! let Value::Struct(fields) = &value else { panic!("a point is a struct") };
//! assert_eq!(fields.get("x"), Some(&Value::I32(5)));
//! assert_eq!(value.encode::<SimpleJson>()?, br#"{"x":5}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod calls;
#[cfg(feature = "arrow")]
mod columns;
mod defaults;
mod names;
mod parent;
mod read;
mod schema;
#[cfg(feature = "serde")]
mod serde;
mod text;
mod value;

pub use calls::Call;
#[cfg(feature = "arrow")]
pub use columns::Columns;
pub use schema::{Constant, EnumType, FieldType, FunctionType, Schema, StructType, ValueType};
#[cfg(feature = "serde")]
pub use serde::{CallSeed, Seed};
pub use text::InvalidType;
pub use value::{List, Map, Struct, Value};
