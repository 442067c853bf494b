//! Field masks: what they select, in all protocols, in generated and dynamic values.

use crate::common::{everything, masks};
use allocation_counter::measure;
use bytelane_thrift::dynamic::{
    EnumType, FieldType, List, Map, Schema, Struct, StructType, Value, ValueType,
};
use bytelane_thrift::{
    Binary, Compact, Decode, Element, Encode, Error, ErrorKind, FbthriftCompact, Field, FieldMask,
    Json, Message, Options, Protocol, Reader, SimpleJson, Thrift, Type, UnknownFields, Writer,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Thrift)]
enum Color {
    #[default]
    #[thrift(value = 1)]
    Red,
    #[thrift(value = 2)]
    Blue,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Thrift)]
struct Item {
    #[thrift(id = 1)]
    a: i32,
    #[thrift(id = 2)]
    b: String,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Extra {
    #[thrift(id = 1)]
    list: Vec<i32>,
    #[thrift(id = 2)]
    set: BTreeSet<Item>,
    #[thrift(id = 3)]
    int_map: BTreeMap<i64, Item>,
    #[thrift(id = 4)]
    str_map: HashMap<String, Item>,
    #[thrift(id = 5)]
    colors: BTreeMap<Color, Vec<i32>>,
    #[thrift(id = 6)]
    by_item: BTreeMap<Item, Item>,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
#[thrift(union)]
enum Shape {
    #[thrift(id = 1)]
    Circle(f64),
    #[thrift(id = 2)]
    Inside(Box<Base>),
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Base {
    #[thrift(id = 1)]
    log_id: String,
    #[thrift(id = 2)]
    doubles: Vec<Vec<f64>>,
    #[thrift(id = 5, required)]
    item: Item,
    #[thrift(id = 6)]
    extra: Vec<Extra>,
    #[thrift(id = 7)]
    shape: Option<Shape>,
    #[thrift(id = 8)]
    inner: Option<Box<Base>>,
    #[thrift(id = 9)]
    bytes: Vec<u8>,
    #[thrift(unknown)]
    unknown: UnknownFields,
}

fn item(a: i32) -> Item {
    Item {
        a,
        b: format!("b{a}"),
    }
}

fn base() -> Base {
    let extra = |n: i32| Extra {
        list: vec![n, 1, 2],
        set: [item(n), item(n + 1)].into(),
        int_map: [(1, item(n)), (3, item(3)), (-7, item(7))].into(),
        str_map: [("x".into(), item(n)), ("y \"\\".into(), item(5))].into(),
        colors: [(Color::Red, vec![1]), (Color::Blue, vec![2, 3])].into(),
        by_item: [(item(1), item(2)), (item(3), item(4))].into(),
    };
    Base {
        log_id: "log".into(),
        doubles: vec![vec![0.5], vec![], vec![1.5, 2.5]],
        item: item(9),
        extra: (0..4).map(extra).collect(),
        shape: Some(Shape::Inside(Box::new(Base {
            log_id: "in".into(),
            ..Base::default()
        }))),
        inner: Some(Box::new(Base {
            log_id: "inner".into(),
            item: item(6),
            ..Base::default()
        })),
        bytes: vec![1, 2, 3],
        unknown: UnknownFields::default(),
    }
}

/// Reads and writes with a mask in each protocol, and compares with the expected value.
#[track_caller]
fn check(mask: &FieldMask, expected: &Base) {
    fn in_protocol<P: Protocol>(mask: &FieldMask, expected: &Base) {
        let all = base().encode::<P>().unwrap();
        let read = Base::decode_masked::<P>(&all, mask).unwrap();
        assert_eq!(&read, expected, "{}", std::any::type_name::<P>());
        // Required fields that the mask does not select are written as well.
        let written = base().encode_masked::<P>(mask).unwrap();
        let mut read = Base::decode::<P>(&written).unwrap();
        if expected.item == Item::default() {
            assert_eq!(read.item, item(9));
            read.item = Item::default();
        }
        if let (Some(read), Some(inner)) = (&mut read.inner, &expected.inner)
            && inner.item == Item::default()
        {
            assert_eq!(read.item, item(6));
            read.item = Item::default();
        }
        assert_eq!(&read, expected, "{}", std::any::type_name::<P>());
    }
    in_protocol::<Binary>(mask, expected);
    in_protocol::<Compact>(mask, expected);
    in_protocol::<FbthriftCompact>(mask, expected);
    in_protocol::<Json>(mask, expected);
    in_protocol::<SimpleJson>(mask, expected);
}

#[test]
fn paths_select_as_in_kitex() {
    let all = base();
    let mask = FieldMask::of::<Base>(["$.log_id", "$.item.a"]).unwrap();
    let expected = Base {
        log_id: "log".into(),
        item: Item {
            a: 9,
            b: String::new(),
        },
        ..Base::default()
    };
    check(&mask, &expected);

    let paths = [
        "$.extra[0]",
        "$.extra[1].list",
        "$.extra[1].set[1].a",
        "$.extra[3].int_map{1}",
        "$.extra[3].int_map{3,-7}.a",
        r#"$.extra[3].str_map{"x"}"#,
        r#"$.extra[3].str_map{"y \"\\","z"}.b"#,
        "extra[3].colors{2}[0]",
        "extra[3].by_item{*}.a",
        "doubles[0,2][*]",
        "extra[100].list",
    ];
    let mask = FieldMask::of::<Base>(paths).unwrap();
    let only_a = |a| Item {
        a,
        b: String::new(),
    };
    let extra = vec![
        all.extra[0].clone(),
        Extra {
            list: vec![1, 1, 2],
            set: [only_a(2)].into(),
            ..Extra::default()
        },
        Extra {
            int_map: [(1, item(3)), (3, only_a(3)), (-7, only_a(7))].into(),
            str_map: [
                ("x".into(), item(3)),
                (
                    "y \"\\".into(),
                    Item {
                        a: 0,
                        b: "b5".into(),
                    },
                ),
            ]
            .into(),
            colors: [(Color::Blue, vec![2])].into(),
            by_item: [(item(1), only_a(2)), (item(3), only_a(4))].into(),
            ..Extra::default()
        },
    ];
    let expected = Base {
        doubles: vec![vec![0.5], vec![1.5, 2.5]],
        extra,
        ..Base::default()
    };
    check(&mask, &expected);
}

#[test]
fn paths_reject_as_in_kitex() {
    let mut expected = base();
    let mask = FieldMask::without::<Base>([
        "log_id",
        "extra[1,2]",
        "extra[*].list[0]",
        "extra[0].int_map{1,3}.b",
        "extra[*].str_map{*}.a",
        "extra[*].set[0]",
        "inner.log_id",
        "shape.Inside.item",
        "bytes",
    ]);
    expected.log_id.clear();
    expected.bytes.clear();
    expected.extra.drain(1..3);
    for extra in &mut expected.extra {
        extra.list.remove(0);
        extra.set.pop_first();
        extra.str_map.values_mut().for_each(|item| item.a = 0);
    }
    for key in [1, 3] {
        expected.extra[0].int_map.get_mut(&key).unwrap().b.clear();
    }
    expected.inner.as_mut().unwrap().log_id.clear();
    let mask = mask.unwrap();
    check(&mask, &expected);
    // A whole value and a part of it: the order does not matter.
    for paths in [["item", "item.b"], ["item.b", "item"]] {
        let mask = FieldMask::of::<Base>(paths).unwrap();
        check(
            &mask,
            &Base {
                item: item(9),
                ..Base::default()
            },
        );
        let mask = FieldMask::without::<Base>(paths).unwrap();
        check(
            &mask,
            &Base {
                item: Item::default(),
                ..base()
            },
        );
    }
    // Without paths, everything is selected.
    let none: [&str; 0] = [];
    check(&FieldMask::of::<Base>(none).unwrap(), &base());
    check(&FieldMask::without::<Base>(none).unwrap(), &base());
    check(&FieldMask::of::<Base>(["$"]).unwrap(), &base());
}

#[test]
fn unions_unknown_fields_and_required_ones() {
    let circle = Base {
        shape: Some(Shape::Circle(1.0)),
        ..base()
    };
    let bytes = circle.encode::<Compact>().unwrap();
    let mask = FieldMask::of::<Base>(["shape.Circle"]).unwrap();
    let read = Base::decode_masked::<Compact>(&bytes, &mask).unwrap();
    assert_eq!(read.shape, Some(Shape::Circle(1.0)));
    // An optional union without a selected member is none.
    let mask = FieldMask::of::<Base>(["shape.Inside.log_id"]).unwrap();
    let read = Base::decode_masked::<Compact>(&bytes, &mask).unwrap();
    assert_eq!(read.shape, None);
    // A field that is not selected may also be missing, but one that is selected may not.
    let none = Base::decode_masked::<Compact>(&[0], &mask).unwrap();
    assert_eq!(none, Base::default());
    let mask = FieldMask::of::<Base>(["item.a"]).unwrap();
    let error = Base::decode_masked::<Compact>(&[0], &mask).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingField("item"));

    // Fields that are not declared are only read and written with masks that reject others.
    let message = b"\x08\0\x63\0\0\0\x05\x0c\0\x05\0\0";
    let mask = FieldMask::without::<Base>(["log_id"]).unwrap();
    let read = Base::decode_masked::<Binary>(message, &mask).unwrap();
    assert_eq!(read.unknown.len(), 1);
    let rejecting = read.encode_masked::<Binary>(&mask).unwrap();
    assert!(rejecting.windows(7).any(|it| it == &message[..7]));
    let mask = FieldMask::of::<Base>(["log_id"]).unwrap();
    let selecting = read.encode_masked::<Binary>(&mask).unwrap();
    assert!(!selecting.windows(7).any(|it| it == &message[..7]));
    assert!(
        Base::decode_masked::<Binary>(message, &mask)
            .unwrap()
            .unknown
            .is_empty()
    );
}

#[test]
fn values_of_another_type_are_skipped() {
    // Field 6 has a list of structs of which field 1 has strings instead of numbers, behind elements that can
    // be read: the list is abandoned in the middle.
    #[derive(Debug, PartialEq, Thrift)]
    struct Other {
        #[thrift(id = 6)]
        extra: Vec<Vec<Vec<String>>>,
        #[thrift(id = 9)]
        bytes: Vec<u8>,
    }
    #[derive(Debug, PartialEq, Thrift)]
    struct Ours {
        #[thrift(id = 6)]
        extra: Vec<Vec<Vec<i32>>>,
        #[thrift(id = 9)]
        bytes: Vec<u8>,
    }
    let other = Other {
        extra: vec![vec![], vec![vec!["a".into()]]],
        bytes: vec![7],
    };
    let bytes = other.encode::<Binary>().unwrap();
    for path in ["extra[1][0][0]", "extra[*][0]", "extra"] {
        let mask = FieldMask::of::<Ours>([path, "bytes"]).unwrap();
        let read = Ours::decode_masked::<Binary>(&bytes, &mask).unwrap();
        assert_eq!((read.extra.len(), read.bytes), (0, vec![7]), "{path}");
    }
}

#[test]
fn errors_of_paths_say_what_is_expected() {
    for (path, expected) in [
        (
            "logid",
            "`logid` is not a field; the fields are log_id, doubles,",
        ),
        (
            "log_id.x",
            "`x` is not a field, because its parent is not a struct",
        ),
        ("item[0]", "`[` is not behind a list or set"),
        ("extra{0}", "`{` is not behind a map"),
        ("extra[0", "`]` is missing"),
        ("extra[-1]", "expected an index, found `-1`"),
        ("extra[]", "expected an index, found ``"),
        ("extra[0].int_map{x}", "expected an integer key, found `x`"),
        (
            "extra[0].str_map{x}",
            "expected a string key in double quotes",
        ),
        ("extra[0].str_map{\"x}", "a string key has no end"),
        ("extra[0].str_map{\"\\n\"}", "are escapes"),
        ("extra[0].str_map{\"x\";}", "expected `,` or `}`"),
        (
            "extra[0].by_item{1}",
            "expected `*`, because the keys are of the type struct",
        ),
        ("extra[0]x", "expected `.`, `[` or `{`, found `x`"),
        ("$log_id", "expected `.`, `[` or `{`, found `l`"),
        ("", "`` is not a field"),
    ] {
        let error = FieldMask::of::<Base>([path]).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("the path `{path}`: ")),
            "{error}"
        );
        assert!(error.contains(expected), "{error}");
    }
    // Each of ten steps names a hundred elements: 100^3 parts.
    let indices: Vec<_> = (0..100).map(|i| i.to_string()).collect();
    #[derive(Debug, Thrift)]
    struct Deep {
        #[thrift(id = 1)]
        lists: Vec<Vec<Vec<Vec<i32>>>>,
    }
    let path = format!("lists{}", format!("[{}]", indices.join(",")).repeat(4));
    let error = FieldMask::of::<Deep>([path]).unwrap_err().to_string();
    assert!(
        error.ends_with("the mask has more than 65536 parts"),
        "{error}"
    );
}

#[test]
fn nothing_is_allocated_for_what_is_skipped() {
    let large = |n: usize| Base {
        log_id: "x".repeat(40 * n),
        doubles: vec![vec![0.5; n]; 20],
        extra: vec![
            Extra {
                list: vec![1; n],
                ..Extra::default()
            };
            50
        ],
        ..base()
    };
    let mask = FieldMask::of::<Base>(["item.a", "extra[3].list[1]"]).unwrap();
    let allocated = |n: usize| {
        let bytes = large(n).encode::<Compact>().unwrap();
        let mut found = None;
        let info = measure(|| found = Some(Base::decode_masked::<Compact>(&bytes, &mask).unwrap()));
        assert_eq!(found.unwrap().extra[0].list, [1]);
        (info.count_total, info.bytes_total)
    };
    assert_eq!(allocated(10), allocated(1000));
    assert!(allocated(1000).0 < 10);
}

#[test]
fn handwritten_lists_are_refused_instead_of_written_wrong() {
    #[derive(Debug, Default)]
    struct Own(i32);
    impl Element for Own {
        const TYPE: Type = Type::I32;
    }
    impl Encode for Own {
        fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
            writer.i32(self.0);
            Ok(())
        }

        fn write_list<W: Writer>(values: &[Self], writer: &mut W) -> Result<(), Error> {
            values.iter().try_for_each(|value| value.write(writer))
        }
    }
    impl<'de> Decode<'de> for Own {
        fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
            reader.i32().map(Self)
        }
    }
    #[derive(Debug, Thrift)]
    struct Holds {
        #[thrift(id = 1)]
        list: Vec<Own>,
    }
    let value = Holds {
        list: vec![Own(1), Own(2)],
    };
    let mask = FieldMask::of::<Holds>(["list[1]"]).unwrap();
    let error = value.encode_masked::<Binary>(&mask).unwrap_err();
    assert!(error.to_string().contains("handwritten"), "{error}");
    let bytes = value.encode::<Binary>().unwrap();
    assert_eq!(
        Holds::decode_masked::<Binary>(&bytes, &mask).unwrap().list[0].0,
        2
    );
    let whole = FieldMask::of::<Holds>(["list"]).unwrap();
    assert_eq!(value.encode_masked::<Binary>(&whole).unwrap(), bytes);
}

/// Runs the property of the fuzz target on whole, shortened and changed messages.
#[test]
fn masks_of_any_message() {
    let value = everything();
    let messages = [
        value.encode::<Binary>(),
        value.encode::<Compact>(),
        value.encode::<Json>(),
        value.encode::<SimpleJson>(),
    ];
    let mut random = Random(7);
    for (protocol, message) in messages.into_iter().enumerate() {
        let message = message.unwrap();
        for round in 0..150 {
            let mut input = vec![0, 0, (protocol << 1) as u8 | (round & 1) as u8];
            input[..2].copy_from_slice(&(random.below(1 << 16) as u16).to_le_bytes());
            input.extend(&message);
            match round % 4 {
                0 => {}
                1 => input.truncate(3 + random.below(message.len() as u64) as usize),
                _ => {
                    let place = 3 + random.below(message.len() as u64) as usize;
                    input[place] = random.below(256) as u8;
                }
            }
            masks::check(&input);
        }
    }
}

/// Step of a path, for the specification below.
#[derive(Clone, Debug)]
enum Step {
    Field(i16),
    Numbers(Vec<i64>),
    Texts(Vec<String>),
    All,
}

impl Step {
    fn takes(&self, index: i64, key: Option<&Value>) -> bool {
        match (self, key) {
            (Self::All, _) => true,
            (Self::Field(id), _) => i64::from(*id) == index,
            (Self::Numbers(numbers), None) => numbers.contains(&index),
            (Self::Numbers(numbers), Some(key)) => match key {
                Value::I32(key) => numbers.contains(&(*key).into()),
                Value::Enum { number, .. } => numbers.contains(&(*number).into()),
                _ => false,
            },
            (Self::Texts(texts), Some(Value::String(key))) => texts.contains(key),
            (Self::Texts(_), _) => false,
        }
    }
}

/// Specification: the parts of a value that paths select, or do not reject. Each path is relative to the
/// value, and all of them begin there.
fn filtered(value: &Value, paths: &[&[Step]], selects: bool) -> Option<Value> {
    if paths.iter().any(|path| path.is_empty()) {
        return selects.then(|| value.clone());
    }
    let part = |value: &Value, index: i64, key: Option<&Value>| {
        let inside = paths.iter().filter(|path| path[0].takes(index, key));
        let inside: Vec<_> = inside.map(|path| &path[1..]).collect();
        if inside.is_empty() {
            (!selects).then(|| value.clone())
        } else {
            filtered(value, &inside, selects)
        }
    };
    let elements = |list: &List| {
        let values = list.values.iter().enumerate();
        let values = values.filter_map(|(index, value)| part(value, index as i64, None));
        List {
            element: list.element,
            values: values.collect(),
        }
    };
    Some(match value {
        Value::List(list) => Value::List(elements(list)),
        Value::Set(set) => Value::Set(elements(set)),
        Value::Map(map) => {
            let entries = map.entries.iter();
            let entries =
                entries.filter_map(|(key, value)| Some((key.clone(), part(value, -1, Some(key))?)));
            Value::Map(Map {
                entries: entries.collect(),
                ..map.clone()
            })
        }
        Value::Struct(fields) => {
            let fields = fields.fields.iter();
            let fields = fields
                .filter_map(|(field, value)| Some((*field, part(value, field.id.into(), None)?)));
            Value::Struct(Struct {
                fields: fields.collect(),
            })
        }
        other => other.clone(),
    })
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn value(&mut self, schema: &Schema, ty: &ValueType, depth: u32) -> Value {
        let count = if depth == 0 { 0 } else { self.below(4) };
        let depth = depth.saturating_sub(1);
        match ty {
            ValueType::Bool => Value::Bool(self.below(2) == 1),
            ValueType::I32 => Value::I32(self.below(4) as i32),
            ValueType::Double => Value::Double(self.below(9) as f64),
            ValueType::String => Value::String("xyz"[..self.below(3) as usize].into()),
            ValueType::Enum(0) => match self.below(3) as i32 {
                number @ 1.. => Value::Enum {
                    number,
                    name: ["", "RED", "BLUE"][number as usize],
                },
                number => Value::I32(number),
            },
            ValueType::List(of) | ValueType::Set(of) => {
                let values = (0..count).map(|_| self.value(schema, of, depth)).collect();
                let list = List {
                    element: of.kind(),
                    values,
                };
                match ty.kind() {
                    Type::Set => Value::Set(list),
                    _ => Value::List(list),
                }
            }
            ValueType::Map(key, of) => {
                let entry = |_| (self.value(schema, key, 1), self.value(schema, of, depth));
                let entries = (0..count).map(entry).collect();
                Value::Map(Map {
                    key: key.kind(),
                    value: of.kind(),
                    entries,
                })
            }
            ValueType::Struct(number) => {
                let mut fields: Vec<(Field, Value)> = Vec::new();
                for it in schema.structs()[*number].fields() {
                    if depth > 0 && self.below(4) > 0 {
                        fields.push((it.field, self.value(schema, &it.ty, depth)));
                    }
                }
                Value::Struct(Struct { fields })
            }
            other => panic!("no value of the type {other}"),
        }
    }

    /// Returns a path, its text, and its end's type.
    fn path(&mut self, schema: &Schema, ty: &ValueType) -> (Vec<Step>, String) {
        let (mut steps, mut text, mut ty) = (Vec::new(), String::from("$"), ty);
        while self.below(6) > 0 {
            match ty {
                ValueType::Struct(number) => {
                    let fields = schema.structs()[*number].fields();
                    let field = &fields[self.below(fields.len() as u64) as usize];
                    steps.push(Step::Field(field.field.id));
                    text += &format!(".{}", field.field.name);
                    ty = &field.ty;
                }
                ValueType::List(of) | ValueType::Set(of) => {
                    let (step, inside) = self.numbers();
                    steps.push(step);
                    text += &format!("[{inside}]");
                    ty = of;
                }
                ValueType::Map(key, of) => {
                    let (step, inside) = match key.kind() {
                        Type::I32 => self.numbers(),
                        Type::String if self.below(4) > 0 => {
                            let texts = ["", "x", "xy"];
                            let first = self.below(3) as usize;
                            let texts = texts[first..].iter().map(|it| (*it).to_owned());
                            let texts: Vec<String> = texts.collect();
                            let quoted = texts.iter().map(|it| format!("{it:?}"));
                            let inside = quoted.collect::<Vec<_>>().join(",");
                            (Step::Texts(texts), inside)
                        }
                        _ => (Step::All, "*".into()),
                    };
                    steps.push(step);
                    text += &format!("{{{inside}}}");
                    ty = of;
                }
                _ => break,
            }
        }
        (steps, text)
    }

    fn numbers(&mut self) -> (Step, String) {
        match self.below(4) {
            0 => (Step::All, "*".into()),
            first => {
                let numbers = [self.below(4), first].map(|it| it as i64);
                let texts = numbers.map(|it| it.to_string());
                (Step::Numbers(numbers.into()), texts.join(","))
            }
        }
    }
}

fn schema() -> Schema {
    use ValueType::{Double, Enum, I32, List, Map, Set, String, Struct};
    let list = |of| List(Box::new(of));
    let map = |key, of| Map(Box::new(key), Box::new(of));
    let fields = [
        ("number", I32),
        ("text", String),
        ("numbers", list(I32)),
        ("flags", list(ValueType::Bool)),
        ("nested", list(list(Double))),
        ("set", Set(Box::new(Struct(1)))),
        ("tree", Struct(0)),
        ("trees", list(Struct(0))),
        ("by_number", map(I32, list(I32))),
        ("by_text", map(String, Struct(0))),
        ("by_color", map(Enum(0), Struct(1))),
        ("by_struct", map(Struct(1), list(String))),
        ("maps", list(map(String, Double))),
    ];
    let fields = fields.into_iter().zip(1..);
    let fields = fields
        .map(|((name, ty), id)| FieldType::new(id, name, ty))
        .collect();
    let leaf = [(1, "a", I32), (2, "b", String), (3, "c", list(String))];
    let leaf = leaf.map(|(id, name, ty)| FieldType::new(id, name, ty));
    let structs = vec![
        StructType::new("Tree", fields),
        StructType::new("Leaf", leaf.into()),
    ];
    Schema::new(
        structs,
        vec![EnumType::new("Color", [("RED", 1), ("BLUE", 2)])],
    )
}

#[test]
fn random_masks_select_what_the_specification_does() {
    fn in_protocol<P: Protocol>(
        schema: &Schema,
        value: &Value,
        mask: &FieldMask,
        expected: &Value,
    ) {
        let (ty, options) = (ValueType::Struct(0), Options::default());
        let bytes = value.encode::<P>().unwrap();
        let read = schema
            .decode_masked::<P>(&ty, &bytes, mask, options)
            .unwrap();
        let expected_bytes = expected.encode::<P>().unwrap();
        let name = std::any::type_name::<P>();
        assert_eq!(
            read.encode::<P>().unwrap(),
            expected_bytes,
            "{name} {mask:?}"
        );
        let written = value.encode_masked::<P>(mask, options).unwrap();
        assert_eq!(written, expected_bytes, "{name} {mask:?}");
    }
    let (schema, mut random) = (schema(), Random(1));
    let ty = ValueType::Struct(0);
    let mut parts = 0;
    for round in 0..600 {
        let value = random.value(&schema, &ty, 5);
        let count = 1 + random.below(5);
        let paths: Vec<_> = (0..count).map(|_| random.path(&schema, &ty)).collect();
        let selects = round % 2 == 0;
        let texts = paths.iter().map(|(_, text)| text);
        let mask = if selects {
            schema.mask(&ty, texts)
        } else {
            schema.mask_without(&ty, texts)
        };
        let steps: Vec<&[Step]> = paths.iter().map(|(steps, _)| &steps[..]).collect();
        // The message itself is always read.
        let expected = filtered(&value, &steps, selects);
        let expected = expected.unwrap_or(Value::Struct(Struct::default()));
        parts += usize::from(expected != value && expected != Value::Struct(Struct::default()));
        let mask = mask.unwrap();
        in_protocol::<Binary>(&schema, &value, &mask, &expected);
        in_protocol::<Compact>(&schema, &value, &mask, &expected);
        in_protocol::<Json>(&schema, &value, &mask, &expected);
        in_protocol::<SimpleJson>(&schema, &value, &mask, &expected);
    }
    assert!(parts > 200, "{parts}");
}
