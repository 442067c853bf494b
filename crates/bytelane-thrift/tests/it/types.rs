//! Tests which Rust types can be fields.

use bytelane_thrift::{
    Apache, Binary, Compact, Decode, DecodeOwned, Element, Encode, Error, ErrorKind, Input, Json,
    Limits, Message, Protocol, Reader, SimpleJson, Thrift, Type, Writer,
};
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Point {
    #[thrift(id = 1)]
    x: i32,
}

/// Can only be written, so nothing is copied.
#[derive(Debug, Thrift)]
#[thrift(name = "Owned", encode_only)]
struct Borrowed<'a> {
    #[thrift(id = 1)]
    points: &'a [Point],
    #[thrift(id = 2)]
    numbers: &'a [i64],
    #[thrift(id = 3)]
    text: &'a &'a str,
    #[thrift(id = 4)]
    shared: Option<&'a Arc<Point>>,
    #[thrift(id = 5)]
    array: [i16; 3],
    #[thrift(id = 6)]
    bytes: &'a [u8; 4],
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Owned {
    #[thrift(id = 1)]
    points: Arc<[Point]>,
    #[thrift(id = 2)]
    numbers: Box<[i64]>,
    #[thrift(id = 3)]
    text: Rc<str>,
    #[thrift(id = 4)]
    shared: Option<Arc<Point>>,
    #[thrift(id = 5)]
    array: [i16; 3],
    #[thrift(id = 6)]
    bytes: [u8; 4],
}

fn reread<P: Protocol, T: Message + DecodeOwned>(value: &(impl Message + Encode)) -> T {
    T::decode::<P>(&value.encode::<P>().unwrap()).unwrap()
}

#[test]
fn slices_pointers_and_arrays() {
    fn test<P: Protocol>() {
        let shared = Arc::new(Point { x: 3 });
        let points = [Point { x: 1 }, Point { x: 2 }];
        let borrowed = Borrowed {
            points: &points,
            numbers: &[5, -6],
            text: &"text",
            shared: Some(&shared),
            array: [1, 2, 3],
            bytes: b"\0\x01\x02\xff",
        };
        let owned: Owned = reread::<P, _>(&borrowed);
        let expected = Owned {
            points: points.clone().into(),
            numbers: Box::new([5, -6]),
            text: "text".into(),
            shared: Some(shared),
            array: [1, 2, 3],
            bytes: [0, 1, 2, 255],
        };
        assert_eq!(owned, expected);
        assert_eq!(reread::<P, Owned>(&owned), owned);
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

#[test]
fn an_array_of_another_length_is_an_error() {
    #[derive(Debug, Thrift)]
    struct Two {
        #[thrift(id = 5)]
        array: [i16; 2],
    }
    let bytes = Two { array: [1, 2] }.encode::<Binary>().unwrap();
    let error = Owned::decode::<Binary>(&bytes).unwrap_err();
    let (expected, found) = (3, 2);
    assert_eq!(error.kind(), ErrorKind::WrongLength { expected, found });
    assert!(error.to_string().ends_with(", in array"), "{error}");
}

/// A shared value is replaced, not changed for its other owners.
#[test]
fn merging_leaves_what_others_hold() {
    let held = Arc::new(Point { x: 1 });
    let mut owned = Owned {
        shared: Some(held.clone()),
        ..Owned::default()
    };
    let message = Owned {
        shared: Some(Arc::new(Point { x: 2 })),
        ..Owned::default()
    };
    let message = message.encode::<Binary>().unwrap();
    owned.merge::<Binary>(&message).unwrap();
    assert_eq!((held.x, owned.shared.unwrap().x), (1, 2));
}

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Page<T, const N: usize>
where
    T: Clone,
{
    #[thrift(id = 1)]
    items: Vec<T>,
    #[thrift(id = 2)]
    next: Option<Box<Page<T, N>>>,
    #[thrift(id = 3, default = [0; N])]
    array: [i32; N],
}

#[derive(Clone, Debug, PartialEq, Thrift)]
#[thrift(union)]
enum Either<'a, A, B> {
    #[thrift(id = 1)]
    First(A),
    #[thrift(id = 2)]
    Second(Vec<B>),
    #[thrift(id = 3)]
    Text(&'a str),
}

#[test]
fn generic_types() {
    fn test<P: Protocol>() {
        let page = Page {
            items: vec![Point { x: 1 }],
            next: Some(Box::default()),
            array: [7; 40],
        };
        assert_eq!(reread::<P, Page<Point, 40>>(&page), page);
        let either = Either::<Point, i32>::Text("here");
        let bytes = either.encode::<P>().unwrap();
        assert_eq!(Either::<Point, i32>::decode::<P>(&bytes).unwrap(), either);
        // A type that is only written needs no other traits.
        let bytes = Either::<&[Point], i32>::First(&[]).encode::<P>().unwrap();
        assert_eq!(
            Either::<Vec<Point>, i32>::decode::<P>(&bytes).unwrap(),
            Either::First(vec![])
        );
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

/// A crate that reexports this one under another name.
pub mod facade {
    pub mod thrift {
        pub use bytelane_thrift::*;
    }
}

#[test]
fn the_path_of_the_crate() {
    use facade::thrift::Thrift as Derive;
    #[derive(Debug, PartialEq, Derive)]
    #[thrift(crate = "crate::types::facade::thrift")]
    struct Renamed {
        #[thrift(id = 1, required)]
        number: i32,
        #[thrift(unknown)]
        rest: bytelane_thrift::UnknownFields,
    }
    #[derive(Clone, Copy, Debug, Default, PartialEq, Derive)]
    #[thrift(crate = "facade::thrift")]
    enum Number {
        #[default]
        #[thrift(value = 1)]
        One,
    }
    let renamed = Renamed {
        number: Number::One.into(),
        rest: Default::default(),
    };
    assert_eq!(reread::<Binary, Renamed>(&renamed), renamed);
}

/// A type with handwritten traits and a rule of its own.
#[derive(Debug, Default, PartialEq)]
struct Port(u16);

impl Element for Port {
    const TYPE: Type = Type::I32;
}

impl Encode for Port {
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        match self.0 {
            0 => Err(Error::custom("a port must not be 0")),
            port => i32::from(port).write(writer),
        }
    }
}

impl<'de> Decode<'de> for Port {
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        let number = reader.i32()?;
        let port = u16::try_from(number);
        port.map(Self)
            .map_err(|_| reader.custom_error(format_args!("{number} is no port")))
    }
}

#[test]
fn errors_of_the_program() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Listens {
        #[thrift(id = 1)]
        ports: Vec<Port>,
    }
    let listens = |ports| Listens { ports };
    let value = listens(vec![Port(80)]);
    assert_eq!(reread::<Compact, Listens>(&value), value);
    let error = listens(vec![Port(80), Port(0)]).encode::<Binary>();
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Custom);
    assert_eq!(error.to_string(), "a port must not be 0, in ports[1]");
    let message = b"\x0f\0\x01\x08\0\0\0\x01\0\x01\0\0\0";
    let error = Listens::decode::<Binary>(message).unwrap_err();
    let expected = "65536 is no port, at byte 12, in ports[0]";
    assert_eq!(error.to_string(), expected);
}

/// Text that requests no room.
#[derive(Debug)]
struct Greedy;

impl Element for Greedy {
    const TYPE: Type = Type::String;
}

impl Encode for Greedy {
    fn room(&self) -> usize {
        0
    }

    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.string(&"greedy".repeat(100))
    }
}

#[derive(Debug, Thrift)]
#[thrift(encode_only)]
struct Texts<T> {
    #[thrift(id = 1)]
    texts: Vec<T>,
    #[thrift(id = 2)]
    number: i64,
}

#[test]
fn what_needs_more_room_than_it_says_is_written_all_the_same() {
    fn check<P: Protocol>() {
        let greedy = Texts {
            texts: vec![Greedy, Greedy, Greedy],
            number: 7,
        };
        let plain = Texts {
            texts: vec!["greedy".repeat(100); 3],
            number: 7,
        };
        let expected = plain.encode::<P>().unwrap();
        assert_eq!(greedy.encode::<P>().unwrap(), expected);
        assert_eq!(greedy.encoded_len::<P>().unwrap(), expected.len());
        let mut appended = b"before".to_vec();
        greedy.encode_into::<P>(&mut appended).unwrap();
        assert_eq!(appended, [b"before", &expected[..]].concat());
    }
    check::<Binary>();
    check::<Compact>();
    check::<Json>();
}

/// Place of a value, which is skipped.
#[derive(Debug, Default, PartialEq)]
struct Skipped {
    start: usize,
    end: usize,
}

impl Element for Skipped {
    const TYPE: Type = Type::Struct;
}

impl<'de> Decode<'de> for Skipped {
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        let start = reader.input().offset();
        reader.skip(Self::TYPE)?;
        let end = reader.input().offset();
        Ok(Self { start, end })
    }
}

#[derive(Debug, PartialEq, Thrift)]
#[thrift(decode_only)]
struct View<'a, T> {
    #[thrift(id = 1)]
    point: Skipped,
    #[thrift(id = 2)]
    name: &'a str,
    #[thrift(id = 3)]
    values: Vec<T>,
}

#[test]
fn a_struct_may_have_fields_that_can_only_be_read() {
    let message = b"\x1c\x15\x0e\0\x18\x04name\x19\x25\x02\x04\0";
    let expected = View {
        point: Skipped { start: 1, end: 4 },
        name: "name",
        values: vec![1, 2],
    };
    assert_eq!(View::decode::<Compact>(message).unwrap(), expected);
}

#[test]
fn a_field_that_is_there_twice_is_out_of_order() {
    let is_ordered = |message: &[u8]| {
        let mut reader = Compact::<Apache>::reader(Input::new(message, Limits::default()));
        Point::read(&mut reader).unwrap();
        reader.finish().is_ordered()
    };
    assert!(is_ordered(b"\x15\x02\x15\x02\0"));
    assert!(is_ordered(b"\x05\x02\x02\0"));
    // Field 1 twice, and field 1 after field 2.
    assert!(!is_ordered(b"\x15\x02\x05\x02\x02\0"));
    assert!(!is_ordered(b"\x25\x02\x05\x02\x02\0"));
}
