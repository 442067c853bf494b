//! Field masks: what they select, in all protocols, in generated and dynamic values.

mod fbthrift;
mod random;

use crate::common::{everything, masks};
use allocation_counter::measure;
use bytelane_thrift::{
    Binary, Compact, Decode, Element, Encode, Error, ErrorKind, FbthriftCompact, FieldMask, Json,
    Message, Protocol, Reader, SimpleJson, Thrift, Type, UnknownFields, Writer,
};
use random::Random;
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
