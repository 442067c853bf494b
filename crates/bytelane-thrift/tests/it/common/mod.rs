//! Types with a field of each kind, and a value of them.

pub mod dynamic;
pub mod headers;
pub mod hive;
pub mod masks;
pub mod readers;
mod types;

pub use types::*;

use bytelane_thrift::Double;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Returns a value with all fields set, with numbers of every size, empty containers within others,
/// and text that JSON has to escape. Apache Thrift for Python mishandles control characters and
/// infinite keys in JSON, so these have tests of their own.
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
