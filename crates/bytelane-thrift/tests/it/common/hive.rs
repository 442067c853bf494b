//! Types of the results of HiveServer2, as far as tests need them.

use bytelane_thrift::Thrift;
use bytelane_thrift::dynamic::{Columns, FieldType, Schema, StructType, ValueType};

macro_rules! columns {
    ($($Name:ident $T:ty,)*) => { $(
        #[derive(Clone, Debug, PartialEq, Thrift)]
        pub struct $Name {
            #[thrift(id = 1)]
            pub values: Vec<$T>,
            #[thrift(id = 2)]
            pub nulls: Vec<u8>,
        }
    )* };
}
columns! {
    Bools bool,
    Bytes i8,
    I16s i16,
    I32s i32,
    I64s i64,
    Doubles f64,
    Texts String,
    Binaries Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
#[thrift(union)]
pub enum Column {
    #[thrift(id = 1, name = "boolVal")]
    Bools(Bools),
    #[thrift(id = 2, name = "byteVal")]
    Bytes(Bytes),
    #[thrift(id = 3, name = "i16Val")]
    I16s(I16s),
    #[thrift(id = 4, name = "i32Val")]
    I32s(I32s),
    #[thrift(id = 5, name = "i64Val")]
    I64s(I64s),
    #[thrift(id = 6, name = "doubleVal")]
    Doubles(Doubles),
    #[thrift(id = 7, name = "stringVal")]
    Texts(Texts),
    #[thrift(id = 8, name = "binaryVal")]
    Binaries(Binaries),
}

#[derive(Clone, Debug, PartialEq, Thrift)]
pub struct RowSet {
    #[thrift(id = 1)]
    pub start: i64,
    #[thrift(id = 3)]
    pub columns: Vec<Column>,
    #[thrift(id = 5)]
    pub count: i32,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
pub struct Response {
    #[thrift(id = 1)]
    pub status: String,
    #[thrift(id = 3)]
    pub results: Option<RowSet>,
}

/// Result of the function, in its reply.
#[derive(Debug, Thrift)]
pub struct Success {
    #[thrift(id = 0)]
    pub success: Option<Response>,
}

/// Returns the schema of these types, and that of a response.
pub fn schema() -> (Schema, ValueType) {
    use ValueType::{Binary, Bool, Double, I8, I16, I32, I64, List, String, Struct};
    let list = |element| List(Box::new(element));
    let members = [
        ("boolVal", Bool),
        ("byteVal", I8),
        ("i16Val", I16),
        ("i32Val", I32),
        ("i64Val", I64),
        ("doubleVal", Double),
        ("stringVal", String),
        ("binaryVal", Binary),
    ];
    let mut structs = Vec::new();
    let mut union = Vec::new();
    for (number, (name, element)) in members.into_iter().enumerate() {
        let values = FieldType::new(1, "values", list(element));
        let nulls = FieldType::new(2, "nulls", Binary);
        structs.push(StructType::new(name, vec![values, nulls]));
        union.push(FieldType::new(number as i16 + 1, name, Struct(number)));
    }
    structs.push(StructType::union("Column", union));
    let start = FieldType::new(1, "start", I64);
    let columns = FieldType::new(3, "columns", list(Struct(8)));
    let count = FieldType::new(5, "count", I32);
    structs.push(StructType::new("RowSet", vec![start, columns, count]));
    let status = FieldType::new(1, "status", String);
    let results = FieldType::new(3, "results", Struct(9));
    structs.push(StructType::new("Response", vec![status, results]));
    (Schema::new(structs, vec![]), Struct(10))
}

pub fn of_response() -> Columns {
    let (schema, response) = schema();
    schema.columns(&response, "results.columns").unwrap()
}

pub fn response(columns: Vec<Column>) -> Response {
    Response {
        status: "ok".into(),
        results: Some(RowSet {
            start: 7,
            columns,
            count: 1,
        }),
    }
}
