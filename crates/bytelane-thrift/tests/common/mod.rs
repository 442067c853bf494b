//! Types with a field of each kind, and values of them.

use bytelane_thrift::{Double, Thrift};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Thrift)]
pub enum Color {
    #[default]
    #[thrift(value = 1)]
    Red,
    #[thrift(value = -2)]
    Green,
    #[thrift(unknown)]
    Unknown(i32),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Thrift)]
pub struct Point {
    #[thrift(id = 1, required)]
    pub x: i32,
    #[thrift(id = 20)]
    pub y: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Thrift)]
#[thrift(union)]
pub enum Shape {
    #[thrift(id = 1, name = "circle")]
    Circle(f64),
    #[thrift(id = 2, name = "poly_line")]
    PolyLine(Vec<Point>),
    #[thrift(id = 300, name = "inside")]
    Inside(Box<Shape>),
}

#[derive(Clone, Debug, PartialEq, Thrift)]
pub struct Tree {
    #[thrift(id = 1)]
    pub value: i32,
    #[thrift(id = 2)]
    pub left: Option<Box<Tree>>,
    #[thrift(id = 3)]
    pub others: Vec<Tree>,
}

/// One field of each type that all the protocols have.
#[derive(Clone, Debug, PartialEq, Thrift)]
pub struct Everything {
    #[thrift(id = 1)]
    pub yes: bool,
    #[thrift(id = 2)]
    pub no: bool,
    #[thrift(id = 3)]
    pub small: i8,
    #[thrift(id = 4)]
    pub short: i16,
    #[thrift(id = 5)]
    pub int: i32,
    #[thrift(id = 6)]
    pub long: i64,
    #[thrift(id = 7)]
    pub real: f64,
    #[thrift(id = 8, name = "type")]
    pub text: String,
    #[thrift(id = 9)]
    pub data: Vec<u8>,
    #[thrift(id = 10)]
    pub color: Color,
    #[thrift(id = 11)]
    pub point: Point,
    #[thrift(id = 12)]
    pub shape: Option<Shape>,
    #[thrift(id = 13)]
    pub tree: Option<Box<Tree>>,
    #[thrift(id = 14)]
    pub bools: Vec<bool>,
    #[thrift(id = 15)]
    pub bytes: Vec<i8>,
    #[thrift(id = 40)]
    pub shorts: Vec<i16>,
    #[thrift(id = 41)]
    pub ints: Vec<i32>,
    #[thrift(id = 42)]
    pub longs: Vec<i64>,
    #[thrift(id = 43)]
    pub reals: Vec<f64>,
    #[thrift(id = 44)]
    pub texts: Vec<String>,
    #[thrift(id = 45)]
    pub points: Vec<Point>,
    #[thrift(id = 46)]
    pub nested: Vec<Vec<i32>>,
    #[thrift(id = 47)]
    pub set: BTreeSet<i64>,
    #[thrift(id = 48)]
    pub hash_set: HashSet<String>,
    #[thrift(id = 49)]
    pub doubles: BTreeSet<Double>,
    #[thrift(id = 50)]
    pub map: BTreeMap<String, i32>,
    #[thrift(id = 51)]
    pub hash_map: HashMap<i32, Vec<String>>,
    #[thrift(id = 52)]
    pub by_double: BTreeMap<Double, BTreeMap<bool, String>>,
    #[thrift(id = 53)]
    pub colors: BTreeMap<Color, BTreeSet<Color>>,
    #[thrift(id = 1000)]
    pub far: Option<i16>,
    #[thrift(id = 999)]
    pub datas: Vec<Vec<u8>>,
}

/// A value whose fields are all set, with numbers of every size, empty containers within others,
/// and text that JSON has to escape. Apache Thrift for Python is not right about control characters
/// and infinite keys in JSON, so these have tests of their own.
pub fn everything() -> Everything {
    let point = |x, y| Point { x, y };
    Everything {
        yes: true,
        no: false,
        small: -7,
        short: -30_000,
        int: i32::MIN,
        long: i64::MAX,
        real: -0.1,
        text: "say \"hi\"\\\n\t\u{7f} äöü 漢字 😀 /<>&".into(),
        data: (0..=255).collect(),
        color: Color::Unknown(77),
        point: point(-1, None),
        shape: Some(Shape::Inside(Box::new(Shape::PolyLine(vec![
            point(0, Some(1)),
            point(300, Some(i64::MIN)),
        ])))),
        tree: Some(Box::new(Tree {
            value: 1,
            left: Some(Box::new(Tree::default())),
            others: vec![
                Tree {
                    value: 5,
                    ..Tree::default()
                };
                3
            ],
        })),
        bools: vec![true, false, true],
        bytes: vec![0, -1, i8::MIN, i8::MAX],
        shorts: (0..300).map(|i| (i * i - 9000) as i16).collect(),
        ints: (0..100)
            .map(|i: i32| i.wrapping_mul(0x9e37_79b9_u32 as i32) >> (i % 32))
            .collect(),
        longs: vec![0, 1, -1, 63, 64, -64, -65, i64::MIN, i64::MAX, 1 << 40],
        reals: vec![
            0.0,
            -0.0,
            1.5,
            1e300,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
        ],
        texts: vec![String::new(), "a".into(), "\r".into(), "x".repeat(1000)],
        points: vec![point(1, Some(2)), point(3, None)],
        nested: vec![vec![], vec![1, 2], vec![-3]],
        set: BTreeSet::from([-1, 0, 1 << 33]),
        hash_set: HashSet::from(["one".into()]),
        doubles: BTreeSet::from([Double(0.5), Double(f64::INFINITY)]),
        map: BTreeMap::from([("a\"b".into(), 1), (String::new(), -2)]),
        hash_map: HashMap::from([(-9, vec!["x".into()])]),
        by_double: BTreeMap::from([
            (
                Double(1.5),
                BTreeMap::from([(true, "t".into()), (false, "f".into())]),
            ),
            (Double(-2.5), BTreeMap::new()),
        ]),
        colors: BTreeMap::from([(
            Color::Green,
            BTreeSet::from([Color::Red, Color::Unknown(0)]),
        )]),
        far: Some(2),
        datas: vec![vec![], vec![0], vec![1, 2], vec![255; 3]],
    }
}
