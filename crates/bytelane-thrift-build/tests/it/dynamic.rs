//! Tests that values of a loaded IDL read and write what generated types do.

use crate::faults::directory;
use crate::generated::common_shared::Header;
use crate::generated::everything::{EXAMPLE, Everything, Inner, Key, Shape, Tree};
use bytelane_thrift::dynamic::{Schema, Struct, Value};
use bytelane_thrift::{
    Binary, Compact, Double, Encode, Error, ErrorKind, FbthriftCompact, FieldMask, Json, Limits,
    Message, Options, Protocol, SimpleJson,
};
use bytelane_thrift_build::Compiler;
use serde::de::DeserializeSeed;
use std::path::Path;

fn schema() -> Schema {
    let idl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/idl/everything.thrift");
    Compiler::new().schema(&[idl]).unwrap()
}

fn load(name: &str, idl: &str) -> Result<Schema, bytelane_thrift_build::Error> {
    let directory = directory(name, &[("case.thrift", idl)]);
    Compiler::new().schema(&[directory.join("case.thrift")])
}

fn everything() -> Everything {
    let key = Key {
        name: "k".into(),
        weight: Double(0.5),
        inner: vec![Inner { x: Double(-0.0) }],
    };
    let header = Header {
        trace_id: "t \"quoted\"\n".into(),
        at: Some(7),
    };
    let mut value = Everything {
        shape: Some(Shape::Inside(Box::new(Shape::PolyLine(key.inner.clone())))),
        nested: vec![vec![], vec!["a".into()]],
        data: vec![0, 255, 3],
        ..EXAMPLE.clone()
    };
    value
        .doubles
        .insert(Double(f64::INFINITY), [Double(-2.5)].into());
    value.by_key.insert(key, header);
    value
}

/// Reads a value, writes it again, in JSON of serde as well, and compares the bytes.
fn round_trip<P: Protocol, T: Message + Encode>(schema: &Schema, ty: &str, value: &T) {
    let name = std::any::type_name::<P>();
    let bytes = value.encode::<P>().unwrap();
    let ty = schema.parse_type(ty).unwrap();
    let read = schema.decode::<P>(&ty, &bytes).unwrap();
    assert_eq!(read.encode::<P>().unwrap(), bytes, "{name}");
    let json = serde_json::to_string(&read).unwrap();
    let mut deserializer = serde_json::Deserializer::from_str(&json);
    let again = schema.seed(&ty).deserialize(&mut deserializer).unwrap();
    assert_eq!(again, read, "{name}: {json}");
    assert_eq!(again.encode::<P>().unwrap(), bytes, "{name}");
}

#[test]
fn values_have_the_bytes_of_generated_types() {
    let schema = schema();
    let tree = Tree {
        right: Some(Box::new(Tree::default())),
        others: vec![Tree::default(); 3],
        ..Tree::default()
    };
    macro_rules! each {
        ($($P:ty)*) => { $(
            round_trip::<$P, _>(&schema, "Everything", &everything());
            round_trip::<$P, _>(&schema, "Tree", &tree);
        )* };
    }
    each!(Binary Compact Json SimpleJson);
}

#[test]
fn values_are_converted_between_protocols() {
    let (schema, value) = (schema(), everything());
    let ty = schema.parse_type("Everything").unwrap();
    let bytes = value.encode::<SimpleJson>().unwrap();
    let read = schema.decode::<SimpleJson>(&ty, &bytes).unwrap();
    assert_eq!(
        read.encode::<Compact>().unwrap(),
        value.encode::<Compact>().unwrap()
    );
    assert_eq!(
        read.encode::<Json>().unwrap(),
        value.encode::<Json>().unwrap()
    );
}

#[test]
fn messages_show_their_structure_without_an_idl() {
    let value = everything();
    fn shown<P: Protocol>(bytes: &[u8]) -> String {
        let read = Struct::decode::<P>(bytes).unwrap();
        assert_eq!(read.encode::<P>().unwrap(), bytes);
        let json = serde_json::to_string(&read).unwrap();
        let (schema, mut from) = (Schema::default(), serde_json::Deserializer::from_str(&json));
        let ty = schema.parse_type("struct").unwrap();
        let again = schema.seed(&ty).deserialize(&mut from).unwrap();
        assert_eq!(again.encode::<P>().unwrap(), bytes, "{json}");
        json
    }
    let binary = shown::<Binary>(&value.encode::<Binary>().unwrap());
    // Empty maps of the compact protocol have no types.
    let compact = shown::<Compact>(&value.encode::<Compact>().unwrap());
    assert_eq!(
        compact.replace("map<bool, bool>", "map<string, list>"),
        binary.replace("map<string, list<struct>>", "map<string, list>")
    );
    shown::<Json>(&value.encode::<Json>().unwrap());
    for part in [
        r#""1: bool":true"#,
        r#""8: binary":"AP8D""#,
        r#""11: list<list<string>>":[[],["a"]]"#,
        r#""14: struct":{"1: string":"#,
        r#""17: map<double, set<double>>":{"Infinity":[-2.5]}"#,
        r#""13: map<struct, struct>":[[{"1: string":"k""#,
    ] {
        assert!(binary.contains(part), "{part} in {binary}");
    }
}

const SHOP: &str = "enum Color { RED = 1, BLUE = 2 }
struct Point { 1: required i32 x, 2: optional i64 y }
union Shape { 1: Point point, 2: list<Color> colors }
struct Order { 1: Shape shape, 2: map<string, i16> counts, 3: binary data }";

fn read(schema: &Schema, ty: &str, json: &str) -> Result<Value, String> {
    let ty = schema.parse_type(ty).map_err(|error| error.to_string())?;
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = schema.seed(&ty).deserialize(&mut deserializer);
    value.map_err(|error| error.to_string())
}

#[test]
fn errors_of_text_say_what_is_expected() {
    let schema = load("dynamic_text", SHOP).unwrap();
    for (ty, json, expected) in [
        (
            "Point",
            r#"{"x": 2147483648}"#,
            "2147483648 is out of the range of i32",
        ),
        ("Point", r#"{"y": 1}"#, "the required field `x` is missing"),
        (
            "Point",
            r#"{"x": 1, "z": 1}"#,
            "`z` is not a field; the fields are x, y",
        ),
        (
            "Point",
            r#"{"x": "one"}"#,
            "expected a value of the type i32, found \"one\"",
        ),
        ("Point", "[]", "expected the struct Point, found a sequence"),
        (
            "Shape",
            "{}",
            "the union `Shape` has 0 fields, and must have one",
        ),
        (
            "Shape",
            r#"{"colors": ["GREEN"]}"#,
            "expected a variant of Color: RED, BLUE",
        ),
        (
            "Order",
            r#"{"data": "?"}"#,
            "expected binary in base64, found \"?\"",
        ),
        (
            "Pint",
            "{}",
            "`Pint` is not a type; the IDL defines Point, Shape, Order, Color",
        ),
        ("list<", "{}", "`list<` is not a type"),
    ] {
        let error = read(&schema, ty, json).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let value = read(&schema, "Shape", r#"{"colors": ["BLUE", 1, 7]}"#).unwrap();
    assert_eq!(
        serde_json::to_string(&value).unwrap(),
        r#"{"colors":["BLUE","RED",7]}"#
    );
    let value = read(
        &schema,
        "Point",
        r#"{"x": 1, "y": null, "9: list<i8>": [5]}"#,
    )
    .unwrap();
    assert_eq!(
        value.encode::<Binary>().unwrap(),
        b"\x08\0\x01\0\0\0\x01\x0f\0\x09\x03\0\0\0\x01\x05\0"
    );
}

#[test]
fn malformed_messages_are_errors_with_a_place() {
    let schema = load("dynamic_malformed", SHOP).unwrap();
    let decode = |ty: &str, bytes: &[u8], options: Options| -> Result<Value, Error> {
        schema.decode_with::<Binary>(&schema.parse_type(ty).unwrap(), bytes, options)
    };
    let lenient = Options::default();
    let kind = |ty, bytes: &[u8]| decode(ty, bytes, lenient).unwrap_err().kind();
    assert_eq!(kind("Point", b"\0"), ErrorKind::MissingField("x"));
    assert_eq!(kind("Shape", b"\0"), ErrorKind::EmptyUnion);
    // An element of a list of a billion, in a message of 8 bytes.
    let error = decode("Shape", b"\x0f\0\x02\x08\x40\0\0\0", lenient).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEnd);
    assert!(
        error.to_string().ends_with("at byte 8, in colors"),
        "{error}"
    );
    // Field 1 as an i64 is another field, unless types are strict.
    let other = b"\x0a\0\x01\0\0\0\0\0\0\0\x05\x08\0\x01\0\0\0\x05\0";
    let value = decode("Point", other, lenient).unwrap();
    assert_eq!(
        serde_json::to_string(&value).unwrap(),
        r#"{"1: i64":5,"x":5}"#
    );
    assert_eq!(value.encode::<Binary>().unwrap(), other);
    let error = decode("Point", other, lenient.with_strict_types(true)).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::WrongType { .. }),
        "{error}"
    );
    // A list of empty structs takes more memory than the message.
    let mut large = b"\x0f\0\x09\x0c\0\0\x40\0".to_vec();
    large.resize(8 + 0x4000 + 1, 0);
    let limits = Limits::default().with_total_allocation(100_000);
    let error = decode("Order", &large, limits.into()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AllocationLimit);
    assert!(decode("Order", &large, lenient).is_ok());
}

#[test]
fn fields_without_names_are_not_written_in_simple_json() {
    let value = Struct::decode::<Binary>(b"\x08\0\x01\0\0\0\x05\0").unwrap();
    let error = value.encode::<SimpleJson>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherProtocol);
    assert_eq!(value.encode::<Json>().unwrap(), br#"{"1":{"i32":5}}"#);
}

#[test]
fn every_type_of_fbthrift_is_read() {
    let schema = load(
        "dynamic_float",
        "package \"a.b/c\"\nstruct F { 1: float f, 2: list<float> l }",
    );
    let schema = schema.unwrap();
    let value = read(&schema, "F", r#"{"f": 0.1, "l": [1, "NaN", "-Infinity"]}"#).unwrap();
    let bytes = value.encode::<FbthriftCompact>().unwrap();
    let ty = schema.parse_type("F").unwrap();
    let again = schema.decode::<FbthriftCompact>(&ty, &bytes).unwrap();
    let json = serde_json::to_string(&again).unwrap();
    assert_eq!(json, r#"{"f":0.1,"l":[1.0,"NaN","-Infinity"]}"#);
}

#[test]
fn included_types_have_the_name_of_their_file() {
    let directory = directory(
        "dynamic_includes",
        &[
            (
                "main.thrift",
                "include \"base.thrift\"\nstruct A { 1: base.A inner }",
            ),
            ("base.thrift", "struct A { 1: i32 x }"),
        ],
    );
    let schema = Compiler::new()
        .schema(&[directory.join("main.thrift")])
        .unwrap();
    let value = read(&schema, "A", r#"{"inner": {"x": 1}}"#).unwrap();
    assert_eq!(value.encode::<Compact>().unwrap(), [0x1c, 0x15, 2, 0, 0]);
    assert!(read(&schema, "base.A", r#"{"x": 1}"#).is_ok());
}

#[test]
fn two_fields_of_one_id_are_an_error() {
    let error = load("dynamic_ids", "struct A { 1: i32 x, 1: i32 y }").unwrap_err();
    assert!(
        error.to_string().contains("already has the id 1"),
        "{error}"
    );
}

#[test]
fn constants_and_defaults_are_those_of_generated_types() {
    let schema = schema();
    let named = |name: &str| {
        let constants = schema.constants().iter();
        &constants
            .into_iter()
            .find(|it| it.name == name)
            .unwrap()
            .value
    };
    let example = named("EXAMPLE").encode::<Binary>().unwrap();
    let mut read = EXAMPLE.clone();
    // The field is required, and the constant does not have it.
    let error = Everything::decode::<Binary>(&example).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingField("number"));
    read.merge::<Binary>(&[&b"\x08\0\x04\0\0\0\0"[..], &example].concat())
        .unwrap();
    assert_eq!(read, *EXAMPLE);
    for (name, json) in [
        ("YES", "true"),
        ("SMALL", "-7"),
        ("DOUBLED_LIMIT", "100"),
        ("WHOLE", "2.0"),
        ("FAVOURITE", "\"DARK_GREEN\""),
        ("NUMBER_OF_FAVOURITE", "17"),
        ("PRIMES", "[2,3,5,7]"),
        ("SETS", r#"{"a":[1.0,2.5],"b":[]}"#),
        ("STRANGE", "true"),
        ("INNER", r#"{"x":1.0}"#),
    ] {
        assert_eq!(serde_json::to_string(named(name)).unwrap(), json, "{name}");
    }
    let Some(Value::Bool(true)) = schema.structs().iter().find_map(|it| {
        let field = it.fields().iter().find(|field| field.field.name == "flag");
        field?.default.clone()
    }) else {
        panic!("the default of `flag` is 1")
    };
}

#[test]
fn values_in_the_idl_are_bounded() {
    // Each constant has the previous one ten times.
    let constant = |i: usize| {
        let names = vec![format!("C{i}"); 10].join(", ");
        let ty = format!("{}i32{}", "list<".repeat(i + 2), ">".repeat(i + 2));
        format!("const {ty} C{} = [{names}]\n", i + 1)
    };
    let rest: String = (0..10).map(constant).collect();
    let error = load("dynamic_bomb", &format!("const list<i32> C0 = [1]\n{rest}")).unwrap_err();
    assert!(error.to_string().contains("have more than"), "{error}");
    let error = load("dynamic_wrong", "struct A { 1: i8 x = 300 }").unwrap_err();
    let expected = "case.thrift:1:22: expected an integer of 8 bits";
    assert!(error.to_string().contains(expected), "{error}");
}

/// Paths of an IDL mean the same for its generated types as for its dynamic values.
#[test]
fn masks_select_the_same_parts_of_generated_types() {
    let (schema, value) = (schema(), everything());
    let ty = schema.parse_type("Everything").unwrap();
    let bytes = value.encode::<Binary>().unwrap();
    let dynamic = schema.decode::<Binary>(&ty, &bytes).unwrap();
    for paths in [
        &["number", "flag", "big", "nested[1]"][..],
        &["number", "by_key{*}", "numbers[*]", "header"],
        &[
            "number",
            "shape.inside.poly_line[0].x",
            "doubles{*}",
            "weights{\"a\"}",
        ],
        &["number", "type", "weights{*}[0]", "color"],
    ] {
        let generated = FieldMask::of::<Everything>(paths).unwrap();
        let mask = schema.mask(&ty, paths).unwrap();
        assert_eq!(generated, mask);
        let written = value.encode_masked::<Binary>(&mask).unwrap();
        let expected = dynamic.encode_masked::<Binary>(&mask, Options::default());
        assert_eq!(written, expected.unwrap());
        let read = Everything::decode_masked::<Binary>(&bytes, &mask).unwrap();
        assert_eq!(read, Everything::decode::<Binary>(&written).unwrap());

        let mask = FieldMask::without::<Everything>(&paths[1..]).unwrap();
        assert_eq!(mask, schema.mask_without(&ty, &paths[1..]).unwrap());
        let written = value.encode_masked::<Binary>(&mask).unwrap();
        let read = Everything::decode_masked::<Binary>(&bytes, &mask).unwrap();
        assert_eq!(read, Everything::decode::<Binary>(&written).unwrap());
    }
    let error = FieldMask::of::<Everything>(["by_key{1}.trace_id"]).unwrap_err();
    assert!(error.to_string().contains("expected `*`"), "{error}");
}

#[test]
fn calls_and_replies_have_the_types_of_their_functions() {
    let idl = "exception Sold { 1: string article }
struct Point { 1: i32 x = 3, 2: list<Point> inner }
service Base { void ping() }
service Shop extends Base {
  Point buy(1: string article, 2: i32 count = 1) throws (1: Sold sold),
  oneway void log(1: string text),
}
service Other { i64 buy(1: i64 number) }";
    let schema = load("dynamic_calls", idl).unwrap();
    let names: Vec<_> = schema
        .functions()
        .iter()
        .map(|it| (&*it.service, &*it.name))
        .collect();
    assert_eq!(
        names,
        [
            ("Base", "ping"),
            ("Shop", "buy"),
            ("Shop", "log"),
            ("Shop", "ping"),
            ("Other", "buy")
        ]
    );
    let read = |service, json: &str| {
        let (mut call, length) =
            schema.decode_call::<Json>(service, json.as_bytes(), Options::default())?;
        assert_eq!(length, json.len());
        schema.add_defaults_of_call(service, &mut call, &Limits::default())?;
        Ok::<_, Error>(serde_json::to_string(&call).unwrap())
    };
    for (service, json, expected) in [
        (
            None,
            r#"[1,"buy",1,7,{"1":{"str":"tea"}}]"#,
            r#"{"call":"buy","sequence":7,"arguments":{"article":"tea","count":1}}"#,
        ),
        (
            Some("Other"),
            r#"[1,"buy",1,7,{"1":{"i64":5}}]"#,
            r#"{"call":"buy","sequence":7,"arguments":{"number":5}}"#,
        ),
        (
            None,
            r#"[1,"Other:buy",1,7,{"1":{"i64":5}}]"#,
            r#"{"call":"Other:buy","sequence":7,"arguments":{"number":5}}"#,
        ),
        (
            None,
            r#"[1,"buy",2,7,{"0":{"rec":{"2":{"lst":["rec",1,{"1":{"i32":4}}]}}}}]"#,
            r#"{"reply":"buy","sequence":7,"result":{"success":{"x":3,"inner":[{"x":4}]}}}"#,
        ),
        (
            None,
            r#"[1,"buy",2,7,{"1":{"rec":{"1":{"str":"tea"}}}}]"#,
            r#"{"reply":"buy","sequence":7,"result":{"sold":{"article":"tea"}}}"#,
        ),
        (
            None,
            r#"[1,"buy",3,7,{"1":{"str":"no"},"2":{"i32":1}}]"#,
            r#"{"exception":"buy","sequence":7,"result":{"message":"no","type":1}}"#,
        ),
        (
            None,
            r#"[1,"log",4,0,{"1":{"str":"t"}}]"#,
            r#"{"oneway":"log","sequence":0,"arguments":{"text":"t"}}"#,
        ),
        (
            Some("Shop"),
            r#"[1,"none",1,1,{"1":{"str":"t"}}]"#,
            r#"{"call":"none","sequence":1,"arguments":{"1: string":"t"}}"#,
        ),
    ] {
        assert_eq!(read(service, json).unwrap(), expected);
    }
    // A value of a few bytes for which the defaults take more than the limit.
    let point = schema.parse_type("list<Point>").unwrap();
    let mut many = schema
        .decode::<Binary>(&point, b"\x0c\0\0\0\x02\0\0")
        .unwrap();
    let limits = Limits::default().with_total_allocation(60);
    let error = schema.add_defaults(&point, &mut many, &limits).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AllocationLimit);
    assert_eq!(error.to_string().split_once(", in ").unwrap().1, "[1].x");
}
