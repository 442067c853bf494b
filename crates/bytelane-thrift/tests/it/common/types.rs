//! Types with a field of each kind.

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

/// Has one field of each type that all protocols support.
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
