//! Properties of dynamic values with a schema that hold for any input, for the tests and the fuzz targets.

use bytelane_thrift::dynamic::{
    EnumType, FieldType, FunctionType, Schema, StructType, Value, ValueType,
};
use bytelane_thrift::{Binary, Compact, FbthriftCompact, Json, Limits, Protocol, SimpleJson};
use std::sync::OnceLock;

/// Paths of columns in the types below.
const COLUMNS: [&str; 2] = ["columns", "unions"];

/// Returns a schema with all kinds of types, which contain each other, and functions of it.
fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        use ValueType::{
            Binary, Bool, Double, Enum, Float, I8, I16, I32, I64, String, Struct, Uuid,
        };
        let list = |of: ValueType| ValueType::List(Box::new(of));
        let set = |of: ValueType| ValueType::Set(Box::new(of));
        let map = |key, value| ValueType::Map(Box::new(key), Box::new(value));
        let fields = |types: Vec<(&str, ValueType)>| -> Vec<FieldType> {
            let fields = types.into_iter().zip(1..);
            fields
                .map(|((name, ty), id)| FieldType::new(id, name, ty))
                .collect()
        };
        let all = fields(vec![
            ("flag", Bool),
            ("small", I8),
            ("short", I16),
            ("number", I32),
            ("long", I64),
            ("real", Double),
            ("text", String),
            ("data", Binary),
            ("color", Enum(0)),
            ("list", list(I64)),
            ("flags", list(Bool)),
            ("nested", list(set(I16))),
            ("by_text", map(String, list(Double))),
            ("by_union", map(Struct(1), Enum(0))),
            ("again", Struct(0)),
            ("trees", list(Struct(0))),
            ("columns", list(Struct(2))),
            ("unions", list(Struct(3))),
            ("id", Uuid),
            ("single", Float),
        ]);
        let required = FieldType::new(300, "required", I32).required(true);
        let default = FieldType::new(5, "default", String).with_default(Some(Value::I64(7)));
        let union = StructType::union("Union", vec![all[3].clone(), all[14].clone(), required]);
        let column = |name, of| fields(vec![(name, list(of)), ("nulls", Binary)]);
        let structs = vec![
            StructType::new("All", all),
            union,
            StructType::new("Column", column("values", String)),
            StructType::union(
                "Columns",
                fields(vec![("text", Struct(2)), ("numbers", Struct(4))]),
            ),
            StructType::new("Numbers", column("values", I32)),
            StructType::new("Default", vec![default]),
        ];
        let function = FunctionType {
            service: "Service".into(),
            name: "f".into(),
            arguments: StructType::new("arguments", fields(vec![("all", Struct(0))])),
            result: Some(StructType::new(
                "result",
                vec![FieldType::new(0, "success", Struct(1))],
            )),
        };
        let colors = EnumType::new("Color", [("RED", 1), ("BLUE", -2)]);
        Schema::new(structs, vec![colors]).with_functions(vec![function])
    })
}

/// Reads the rest of the input as a type and in a protocol that its first byte chooses.
pub fn check(input: &[u8]) {
    let Some((choice, message)) = input.split_first() else {
        return;
    };
    let ty = match choice >> 4 & 3 {
        0 | 1 => ValueType::Struct(0),
        2 => ValueType::Struct(1),
        _ => ValueType::List(Box::new(ValueType::Struct(0))),
    };
    match choice & 7 {
        0 | 1 => in_protocol::<Binary>(&ty, message),
        2 | 3 => in_protocol::<Compact>(&ty, message),
        4 => in_protocol::<FbthriftCompact>(&ty, message),
        5 => in_protocol::<Json>(&ty, message),
        _ => in_protocol::<SimpleJson>(&ty, message),
    }
}

fn in_protocol<P: Protocol>(ty: &ValueType, message: &[u8]) {
    let schema = schema();
    let limits = Limits::default().with_total_allocation(16 << 20);
    let value = schema.decode_with::<P>(ty, message, limits);
    if let Err(error) = &value {
        let offset = error.offset().expect("errors of reading have a place");
        assert!(offset <= message.len(), "{error}");
    }
    // Elements of containers without a type may have one that the protocol does not name.
    if let Ok(value) = &value
        && let Ok(bytes) = value.encode::<P>()
    {
        let again = schema.decode_with::<P>(ty, &bytes, limits);
        let again = again.expect("what was written can be read");
        let twice = again.encode::<P>().expect("it was written before");
        assert_eq!(twice, bytes);
    }
    if let Ok((call, length)) = schema.decode_call::<P>(None, message, limits) {
        assert!(length <= message.len());
        if let Ok(bytes) = call.encode::<P>() {
            let (again, length) = schema
                .decode_call::<P>(None, &bytes, limits)
                .expect("what was written can be read");
            assert_eq!(length, bytes.len());
            assert_eq!(again.encode::<P>().expect("it was written before"), bytes);
        }
    }
    for path in COLUMNS {
        let columns = schema.columns(&ValueType::Struct(0), path);
        let columns = columns.expect("the path leads to columns");
        match columns.decode::<P>(message, limits) {
            Ok(batch) => {
                for column in batch.columns() {
                    column.to_data().validate_full().expect("a valid array");
                    assert_eq!(column.len(), batch.num_rows());
                }
            }
            Err(error) => {
                let offset = error.offset().expect("errors of reading have a place");
                assert!(offset <= message.len(), "{error}");
            }
        }
    }
}
