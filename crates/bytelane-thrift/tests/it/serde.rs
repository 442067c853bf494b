//! Tests Serde's traits for the field types of this crate.

use bytelane_thrift::{
    Binary, Compact, Double, Float, Json, Message, Protocol, Thrift, UnknownFields, Uuid,
};

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
