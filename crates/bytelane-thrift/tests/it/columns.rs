//! Columns of result sets as Arrow arrays: those of HiveServer2, in all protocols.

use crate::common::{dynamic, hive::*};
use allocation_counter::measure;
use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, PrimitiveArray, RecordBatch};
use arrow_array::{cast::AsArray, types};
use bytelane_thrift::dynamic::{EnumType, FieldType, Schema, StructType, Value, ValueType};
use bytelane_thrift::{
    ApplicationException, ApplicationExceptionKind, Binary, Compact, Encode, Envelope, Error,
    ErrorKind, FbthriftCompact, Json, Limits, Message, MessageKind, Options, Protocol, SimpleJson,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

fn is_null(nulls: &[u8], index: usize) -> bool {
    nulls
        .get(index / 8)
        .is_some_and(|byte| byte >> (index % 8) & 1 == 1)
}

/// Returns the array that a column stands for, value by value.
fn expected(column: &Column) -> ArrayRef {
    fn options<T: Clone>(values: &[T], nulls: &[u8]) -> Vec<Option<T>> {
        let values = values.iter().cloned().enumerate();
        values
            .map(|(i, value)| (!is_null(nulls, i)).then_some(value))
            .collect()
    }
    macro_rules! numbers {
        ($of:ident $Type:ident) => {
            Arc::new(PrimitiveArray::<types::$Type>::from(options(
                &$of.values,
                &$of.nulls,
            )))
        };
    }
    match column {
        Column::Bools(of) => Arc::new(BooleanArray::from(options(&of.values, &of.nulls))),
        Column::Bytes(of) => numbers!(of Int8Type),
        Column::I16s(of) => numbers!(of Int16Type),
        Column::I32s(of) => numbers!(of Int32Type),
        Column::I64s(of) => numbers!(of Int64Type),
        Column::Doubles(of) => numbers!(of Float64Type),
        Column::Texts(of) => {
            let mut builder = StringBuilder::new();
            builder.extend(options(&of.values, &of.nulls));
            Arc::new(builder.finish())
        }
        Column::Binaries(of) => {
            let mut builder = BinaryBuilder::new();
            builder.extend(options(&of.values, &of.nulls));
            Arc::new(builder.finish())
        }
    }
}

fn column(len: usize) -> impl Strategy<Value = Column> {
    let nulls = vec(any::<u8>(), 0..8);
    macro_rules! of {
        ($Variant:ident $value:expr) => {
            (vec($value, len), nulls.clone())
                .prop_map(|(values, nulls)| Column::$Variant($Variant { values, nulls }))
        };
    }
    prop_oneof![
        of!(Bools any::<bool>()),
        of!(Bytes any::<i8>()),
        of!(I16s any::<i16>()),
        of!(I32s any::<i32>()),
        of!(I64s any::<i64>()),
        of!(Doubles any::<i32>().prop_map(f64::from)),
        of!(Texts "[a\"é漢\u{1}]{0,20}"),
        of!(Binaries vec(any::<u8>(), 0..20)),
    ]
}

fn check<P: Protocol>(response: &Response) -> Result<(), TestCaseError> {
    let columns = &response.results.as_ref().unwrap().columns;
    let bytes = response.encode::<P>().unwrap();
    let batch = of_response()
        .decode::<P>(&bytes, Options::default())
        .unwrap();
    prop_assert_eq!(batch.num_columns(), columns.len());
    for (array, column) in batch.columns().iter().zip(columns) {
        prop_assert_eq!(array, &expected(column));
        array.to_data().validate_full().unwrap();
    }
    // A reply of a service has the same columns.
    let reply = Envelope {
        name: "FetchResults".into(),
        kind: MessageKind::Reply,
        sequence: 1,
    };
    let success = Some(response.clone());
    let reply = reply.encode::<P, _>(&Success { success }).unwrap();
    let found = of_response()
        .in_reply()
        .decode::<P>(&reply, Options::default());
    prop_assert_eq!(found.unwrap(), batch);
    Ok(())
}

proptest! {
    #[test]
    fn columns_are_those_of_the_message(
        columns in (0usize..70).prop_flat_map(|len| vec(column(len), 0..6)),
    ) {
        let response = response(columns);
        check::<Binary>(&response)?;
        check::<Compact>(&response)?;
        check::<FbthriftCompact>(&response)?;
        check::<Json>(&response)?;
        check::<SimpleJson>(&response)?;
    }

    /// A message that a dynamic value accepts has the same columns as that, or is an error for a stated reason.
    #[test]
    fn damaged_messages_are_errors_or_read_like_dynamic_values(
        columns in (1usize..20).prop_flat_map(|len| vec(column(len), 1..4)),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in any::<prop::sample::Index>(),
    ) {
        let response = response(columns);
        damaged::<Binary>(&response, &changes, &end)?;
        damaged::<Compact>(&response, &changes, &end)?;
        damaged::<Json>(&response, &changes, &end)?;
    }
}

fn damaged<P: Protocol>(
    response: &Response,
    changes: &[(prop::sample::Index, u8)],
    end: &prop::sample::Index,
) -> Result<(), TestCaseError> {
    let (schema, ty) = schema();
    let mut bytes = response.encode::<P>().unwrap();
    let limits = Limits::default().with_total_allocation(1 << 20);
    for end in [end.index(bytes.len()), bytes.len() - 1] {
        prop_assert!(of_response().decode::<P>(&bytes[..end], limits).is_err());
    }
    for (place, byte) in changes {
        let place = place.index(bytes.len());
        bytes[place] = *byte;
    }
    let found = of_response().decode::<P>(&bytes, limits);
    let value = schema.decode_with::<P>(&ty, &bytes, limits);
    if let (Ok(batch), Ok(value)) = (&found, &value) {
        let first = columns_of(value).first().map_or(0, |first| first.len());
        prop_assert_eq!(batch.num_columns(), columns_of(value).len());
        prop_assert_eq!(batch.num_rows(), first);
    }
    Ok(())
}

/// Returns the values of each column of a dynamic value. The last of repeated fields counts.
fn columns_of(response: &Value) -> Vec<&[Value]> {
    fn last<'a>(value: &'a Value, name: &str) -> &'a Value {
        let Value::Struct(found) = value else {
            panic!("a struct")
        };
        let mut fields = found.fields.iter().rev();
        &fields.find(|(field, _)| field.name == name).unwrap().1
    }
    let Value::List(columns) = last(last(response, "results"), "columns") else {
        panic!("a list")
    };
    let columns = columns.values.iter().map(|column| {
        let Value::Struct(union) = column else {
            panic!("a union")
        };
        let Value::List(list) = last(&union.fields[0].1, "values") else {
            panic!("a list")
        };
        &list.values[..]
    });
    columns.collect()
}

fn texts(values: &[&str]) -> Column {
    Column::Texts(Texts {
        values: values.iter().map(|it| (*it).into()).collect(),
        nulls: vec![],
    })
}

fn decode<P: Protocol>(response: &Response) -> Result<RecordBatch, Error> {
    let bytes = response.encode::<P>().unwrap();
    of_response().decode::<P>(&bytes, Options::default())
}

#[test]
fn fields_have_names_and_are_nullable_if_the_type_has_null_bits() {
    let values = vec![1, 2];
    let numbers = Column::I32s(I32s {
        values,
        nulls: vec![2, 255],
    });
    let response = response(vec![numbers, texts(&["a", "b"])]);
    let batch = decode::<Binary>(&response).unwrap();
    let schema = batch.schema();
    let shown: Vec<_> = schema.fields().iter().map(|it| it.to_string()).collect();
    assert!(
        shown[0].contains("\"column_0\": nullable Int32"),
        "{shown:?}"
    );
    assert!(
        shown[1].contains("\"column_1\": nullable Utf8"),
        "{shown:?}"
    );
    assert_eq!(batch["column_0"].null_count(), 1);
    // Missing null bits are not null, and leave no bitmap.
    assert!(batch["column_1"].nulls().is_none());

    let bytes = response.encode::<Binary>().unwrap();
    let named = of_response().with_names(["id", "name"]);
    let batch = named.decode::<Binary>(&bytes, Options::default()).unwrap();
    assert_eq!(batch["name"].as_string::<i32>().value(1), "b");
    let error = of_response()
        .with_names(["id"])
        .decode::<Binary>(&bytes, Options::default());
    let message = error.unwrap_err().to_string();
    assert!(
        message.starts_with("the number of columns is 2, that of names 1"),
        "{message}"
    );
}

#[test]
fn enums_floats_and_structs_without_null_bits_are_columns() {
    let list = |element| ValueType::List(Box::new(element));
    let of = |name, element| StructType::new(name, vec![FieldType::new(4, "data", list(element))]);
    let kinds = EnumType::new("Kind", [("A", 0)]);
    let union = ["kinds", "floats"].into_iter().zip(0..);
    let union = union.map(|(name, i)| FieldType::new(i as i16, name, ValueType::Struct(i)));
    let structs = vec![
        of("Kinds", ValueType::Enum(0)),
        of("Floats", ValueType::Float),
        StructType::union("Column", union.collect()),
        StructType::new(
            "Table",
            vec![FieldType::new(1, "columns", list(ValueType::Struct(2)))],
        ),
        StructType::new(
            "Plain",
            vec![FieldType::new(1, "columns", list(ValueType::Struct(1)))],
        ),
    ];
    let schema = Schema::new(structs, vec![kinds]);
    let columns = schema.columns(&ValueType::Struct(3), "columns").unwrap();
    let json = br#"{"columns":[{"kinds":{"data":[0,7]}},{"floats":{"data":[0.5,1]}}]}"#;
    let batch = columns
        .decode::<SimpleJson>(json, Options::default())
        .unwrap();
    assert_eq!(
        batch["column_0"].as_any().downcast_ref(),
        Some(&Int32Array::from(vec![0, 7]))
    );
    assert_eq!(
        batch["column_1"]
            .as_primitive::<types::Float32Type>()
            .values(),
        &[0.5, 1.0]
    );
    assert!(!batch.schema().field(0).is_nullable());

    let columns = schema.columns(&ValueType::Struct(4), "columns").unwrap();
    let batch = columns.decode::<SimpleJson>(br#"{"columns":[{"data":[2]}]}"#, Options::default());
    assert_eq!(batch.unwrap().num_rows(), 1);
}

#[test]
fn errors_tell_the_byte_and_the_column() {
    let shown = |response: &Response| decode::<Binary>(response).unwrap_err().to_string();
    let uneven = response(vec![texts(&["a"]), texts(&["b", "c"])]);
    assert_eq!(
        shown(&uneven),
        "the column `column_1` has 2 values, but `column_0` has 1, at byte 86, in results.columns[1]"
    );
    let missing = shown(&Response::default());
    assert!(
        missing.starts_with("the required field `results` is missing, at byte"),
        "{missing}"
    );

    let bytes = response(vec![texts(&["ab", "cd"])])
        .encode::<Binary>()
        .unwrap();
    let place = bytes.windows(2).position(|two| two == b"cd").unwrap();
    let mut invalid = bytes.clone();
    invalid[place + 1] = 0xff;
    let error = of_response()
        .decode::<Binary>(&invalid, Options::default())
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.offset()),
        (ErrorKind::InvalidUtf8, Some(place + 1))
    );
    let path = "in results.columns[0].stringVal.values[1]";
    assert!(error.to_string().ends_with(path), "{error}");

    // The second text claims more bytes than there are.
    let mut long = bytes;
    long[place - 2] = 1;
    let error = of_response()
        .decode::<Binary>(&long, Options::default())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEnd);
    assert!(error.to_string().ends_with(path), "{error}");
}

#[test]
fn unions_have_one_known_member_of_the_declared_type() {
    let error = |json: &[u8]| {
        let error = of_response()
            .decode::<Json>(json, Options::default())
            .unwrap_err();
        (error.kind(), error.to_string())
    };
    let (kind, _) = error(br#"{"3":{"rec":{"3":{"lst":["rec",1,{}]}}}}"#);
    assert_eq!(kind, ErrorKind::EmptyUnion);
    let (kind, _) = error(br#"{"3":{"rec":{"3":{"lst":["rec",1,{"9":{"i32":1}}]}}}}"#);
    assert_eq!(kind, ErrorKind::EmptyUnion);
    let column = r#"{"rec":{"1":{"lst":["i32",0]}}}"#;
    let two =
        format!(r#"{{"3":{{"rec":{{"3":{{"lst":["rec",1,{{"4":{column},"4":{column}}}]}}}}}}}}"#);
    assert_eq!(error(two.as_bytes()).0, ErrorKind::SecondUnionField);
    let (kind, message) =
        error(br#"{"3":{"rec":{"3":{"lst":["rec",1,{"4":{"rec":{"1":{"lst":["i64",1,1]}}}}]}}}}"#);
    assert!(matches!(kind, ErrorKind::WrongType { .. }));
    assert!(
        message.ends_with("in results.columns[0].i32Val.values"),
        "{message}"
    );
    let (kind, _) = error(br#"{"3":{"rec":{"3":{"lst":["rec",1,{"4":{"rec":{}}}]}}}}"#);
    assert_eq!(kind, ErrorKind::MissingField("values"));
}

#[test]
fn replies_of_failed_calls_are_errors() {
    fn shown(kind: MessageKind, body: &(impl Message + Encode)) -> String {
        let (name, sequence) = ("FetchResults".into(), 1);
        let envelope = Envelope {
            name,
            kind,
            sequence,
        };
        let bytes = envelope.encode::<Compact, _>(body).unwrap();
        let columns = of_response().in_reply();
        columns
            .decode::<Compact>(&bytes, Options::default())
            .unwrap_err()
            .to_string()
    }
    let failure = ApplicationException {
        message: "no session".into(),
        kind: ApplicationExceptionKind::InternalError,
    };
    let exception = shown(MessageKind::Exception, &failure);
    let expected = "the service answered with an exception: internal error: no session";
    assert!(exception.starts_with(expected), "{exception}");
    let call = shown(MessageKind::Call, &Success::default());
    assert!(call.starts_with("1 is not a message kind"), "{call}");
    let empty = shown(MessageKind::Reply, &Success::default());
    assert!(
        empty.starts_with("the required field `success` is missing"),
        "{empty}"
    );
}

#[test]
fn paths_lead_to_lists_of_columns() {
    let (schema, response) = schema();
    let error = |path: &str| schema.columns(&response, path).unwrap_err().to_string();
    assert_eq!(
        error("results.colums"),
        "the path `results.colums`: `colums` is not a field; the fields are start, columns, count"
    );
    assert!(error("status").starts_with("the path `status`: it does not end at a list of columns"));
    assert!(error("results").contains("does not end at a list of columns"));
    assert!(error("results.columns[0]").contains("only fields lead to columns"));
    assert!(error("results.columns[*].i32Val.values").contains("only fields lead to columns"));
    assert!(schema.columns(&response, "$.results.columns").is_ok());
}

#[test]
fn memory_is_within_the_limit() {
    fn peak<P: Protocol>(message: &[u8], limit: usize) -> (u64, Result<RecordBatch, Error>) {
        let columns = of_response();
        let limits = Limits::default().with_total_allocation(limit);
        let mut result = None;
        let info = measure(|| result = Some(columns.decode::<P>(message, limits)));
        (info.bytes_max, result.unwrap())
    }
    let numbers = Column::I64s(I64s {
        values: (0..5000).collect(),
        nulls: vec![0x55; 625],
    });
    let words: Vec<_> = (0..5000).map(|i| format!("\"word\u{1}{i}")).collect();
    let words: Vec<_> = words.iter().map(|it| &**it).collect();
    let bools = Column::Bools(Bools {
        values: vec![true; 5000],
        nulls: vec![],
    });
    let response = response(vec![numbers, texts(&words), bools]);
    fn test<P: Protocol>(response: &Response) {
        let message = response.encode::<P>().unwrap();
        let mut read = 0;
        for shift in 8..24 {
            let (bytes, result) = peak::<P>(&message, 1 << shift);
            assert!(bytes <= (1 << shift) + 10_000, "{bytes} of {}", 1 << shift);
            match result {
                Ok(_) => read += 1,
                Err(error) => assert_eq!(error.kind(), ErrorKind::AllocationLimit),
            }
        }
        assert!((2..12).contains(&read), "{read}");
    }
    test::<Binary>(&response);
    test::<Compact>(&response);
    test::<Json>(&response);
    test::<SimpleJson>(&response);

    // 2 billion numbers in a few bytes, in the list of the third column.
    let claim =
        b"\x0c\0\x03\x0f\0\x03\x0c\0\0\0\x01\x0c\0\x05\x0f\0\x01\x0a\x7f\xff\xff\xff\0\0\0\0";
    let (bytes, result) = peak::<Binary>(claim, 256 << 20);
    assert_eq!(result.unwrap_err().kind(), ErrorKind::UnexpectedEnd);
    assert!(bytes < 10_000, "{bytes}");
    // Columns of 3 bytes each.
    let mut many = b"\x3c\x39\xfc\xc0\x84\x3d".to_vec();
    many.extend(b"\x4c\0\0".repeat(1_000_000));
    let (bytes, result) = peak::<Compact>(&many, 256 << 20);
    assert_eq!(result.unwrap_err().kind(), ErrorKind::AllocationLimit);
    assert!(bytes < 10_000, "{bytes}");
}

/// Runs the properties that the fuzz target checks, on damaged messages in all protocols.
#[test]
fn properties_of_dynamic_values_hold_for_damaged_messages() {
    let words = Column::Texts(Texts {
        values: vec!["é".into(), "b".into()],
        nulls: vec![1],
    });
    let response = response(vec![words]);
    for (choice, message) in [
        (0, response.encode::<Binary>()),
        (2, response.encode::<Compact>()),
        (5, response.encode::<Json>()),
        (6, response.encode::<SimpleJson>()),
    ] {
        let message = message.unwrap();
        let mut input = [&[choice], &message[..]].concat();
        for at in 0..input.len() {
            dynamic::check(&input[..at]);
            let kept = input[at];
            for byte in (0..=255).step_by(3) {
                input[at] = byte;
                dynamic::check(&input);
            }
            input[at] = kept;
        }
    }
}
