//! Tests Serde's traits for the field types of this crate.

use bytelane_thrift::dynamic::{FieldType, FunctionType, Schema, StructType, ValueType};
use bytelane_thrift::{
    Binary, Compact, Double, Float, Json, Message, Options, Protocol, Thrift, UnknownFields, Uuid,
};
use serde::de::DeserializeSeed;

#[derive(Thrift)]
struct Later {
    #[thrift(id = 1)]
    flag: bool,
    #[thrift(id = 2)]
    numbers: Vec<i32>,
    #[thrift(id = 3)]
    text: String,
}

#[derive(Thrift, PartialEq, Debug)]
struct Earlier {
    #[thrift(unknown)]
    unknown: UnknownFields,
}

/// Returns the message, a value that has its fields as unknown ones, and these as Serde's JSON.
fn unknown<P: Protocol>() -> (Vec<u8>, Earlier, String) {
    let later = Later {
        flag: true,
        numbers: vec![1, -2, 3],
        text: "text".into(),
    };
    let message = later.encode::<P>().unwrap();
    let earlier = Earlier::decode::<P>(&message).unwrap();
    assert_eq!(earlier.unknown.len(), 3);
    let json = serde_json::to_string(&earlier.unknown).unwrap();
    (message, earlier, json)
}

fn unknown_fields_return<P: Protocol>() {
    let (message, earlier, json) = unknown::<P>();
    let unknown: UnknownFields = serde_json::from_str(&json).unwrap();
    assert_eq!(unknown, earlier.unknown);
    assert_eq!(Earlier { unknown }.encode::<P>().unwrap(), message);
}

#[test]
fn unknown_fields_return_in_every_protocol() {
    unknown_fields_return::<Binary>();
    unknown_fields_return::<Compact>();
    unknown_fields_return::<Json>();
}

#[test]
fn bytes_that_are_no_value_are_no_field() {
    let (_, _, json) = unknown::<Binary>();
    let longer = json.replace(r#""bytes":[1]"#, r#""bytes":[1,1]"#);
    let other_type = json.replace(r#""type":15"#, r#""type":13"#);
    let no_type = json.replace(r#""type":15"#, r#""type":5"#);
    for changed in [longer, other_type, no_type] {
        assert_ne!(changed, json);
        assert!(
            serde_json::from_str::<UnknownFields>(&changed).is_err(),
            "{changed}"
        );
    }
}

#[test]
fn numbers_and_uuids_are_what_they_look_like() {
    let id = "00112233-4455-6677-8899-aabbccddeeff";
    let values: (Double, Float, Uuid) =
        serde_json::from_str(&format!("[0.5,1.5,\"{id}\"]")).unwrap();
    assert_eq!(values, (Double(0.5), Float(1.5), id.parse().unwrap()));
    assert_eq!(
        serde_json::to_string(&values).unwrap(),
        format!("[0.5,1.5,\"{id}\"]")
    );
    assert!(serde_json::from_str::<Uuid>("\"0011\"").is_err());
}

/// Calls are read from the lines that they are shown as.
#[test]
fn calls_round_trip_through_json() {
    let id = || vec![FieldType::new(1, "id", ValueType::I64)];
    let buy = |service: &str, name| FunctionType {
        service: service.into(),
        name: "buy".into(),
        arguments: StructType::new("arguments", vec![FieldType::new(1, name, ValueType::I64)]),
        result: Some(StructType::new("result", id())),
    };
    let schema = Schema::default().with_functions(vec![buy("Shop", "id"), buy("Other", "number")]);
    let read = |service: Option<&str>, text: &str| {
        let mut json = serde_json::Deserializer::from_str(text);
        schema.call_seed(service).deserialize(&mut json)
    };
    for (service, line) in [
        (None, r#"{"call":"buy","sequence":-1,"arguments":{"id":5}}"#),
        (
            Some("Other"),
            r#"{"call":"buy","sequence":2,"arguments":{"number":5}}"#,
        ),
        (
            None,
            r#"{"oneway":"Other:buy","sequence":2,"arguments":{"number":5}}"#,
        ),
        (
            None,
            r#"{"reply":"buy","sequence":7,"result":{"id":5,"9: list<i8>":[1]}}"#,
        ),
        (
            None,
            r#"{"exception":"buy","sequence":7,"result":{"message":"no","type":6}}"#,
        ),
        (
            None,
            r#"{"call":"sell","sequence":7,"arguments":{"1: bool":true}}"#,
        ),
    ] {
        let call = read(service, line).unwrap();
        assert_eq!(serde_json::to_string(&call).unwrap(), line);
        let bytes = call.encode::<Compact>().unwrap();
        let (again, length) = schema
            .decode_call::<Compact>(service, &bytes, Options::default())
            .unwrap();
        assert_eq!((again, length), (call, bytes.len()));
    }
    for (line, message) in [
        (r#"{"sequence":1}"#, "missing field `call`"),
        (
            r#"{"call":"buy","arguments":{}}"#,
            "missing field `sequence`",
        ),
        (
            r#"{"call":"buy","sequence":1}"#,
            "missing field `arguments`",
        ),
        (
            r#"{"arguments":{},"call":"buy"}"#,
            "expected `call`, `oneway`, `reply` or `exception` with a name, found `arguments`",
        ),
        (
            r#"{"reply":"buy","arguments":{}}"#,
            "expected `sequence` or `result`, found `arguments`",
        ),
        (
            r#"{"call":"buy","call":"buy"}"#,
            "the message has two names of functions",
        ),
        (
            r#"{"call":"buy","sequence":1,"arguments":{"ids":5}}"#,
            "`ids` is not a field; the fields are id",
        ),
        ("5", "expected a call, oneway, reply or exception"),
    ] {
        let error = read(None, line).unwrap_err().to_string();
        assert!(error.contains(message), "{line}: {error}");
    }
}
