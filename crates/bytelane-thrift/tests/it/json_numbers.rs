//! Lists of numbers in JSON are written many at a time, with the same texts as single numbers.

use bytelane_thrift::{Json, Message, SimpleJson, Thrift};

#[derive(Debug, PartialEq, Thrift)]
struct Numbers {
    #[thrift(id = 1)]
    bytes: Vec<i8>,
    #[thrift(id = 2)]
    shorts: Vec<i16>,
    #[thrift(id = 3)]
    integers: Vec<i32>,
    #[thrift(id = 4)]
    longs: Vec<Vec<i64>>,
    #[thrift(id = 5)]
    doubles: Vec<f64>,
}

/// Returns the SimpleJSON of a list, built from its elements one by one.
fn list<T: Copy>(values: &[T], one: impl Fn(T) -> String) -> String {
    let texts: Vec<_> = values.iter().map(|&value| one(value)).collect();
    format!("[{}]", texts.join(","))
}

fn check(numbers: &Numbers) {
    let text = numbers.encode::<SimpleJson>().unwrap();
    let longs: Vec<_> = numbers
        .longs
        .iter()
        .map(|longs| list(longs, |value| value.to_string()))
        .collect();
    let expected = format!(
        r#"{{"bytes":{},"shorts":{},"integers":{},"longs":[{}],"doubles":{}}}"#,
        list(&numbers.bytes, |value| value.to_string()),
        list(&numbers.shorts, |value| value.to_string()),
        list(&numbers.integers, |value| value.to_string()),
        longs.join(","),
        list(&numbers.doubles, double),
    );
    assert_eq!(String::from_utf8(text.clone()).unwrap(), expected);
    assert_eq!(Numbers::decode::<SimpleJson>(&text).unwrap(), *numbers);
    assert_eq!(numbers.encoded_len::<SimpleJson>().unwrap(), text.len());
    let text = numbers.encode::<Json>().unwrap();
    assert_eq!(Numbers::decode::<Json>(&text).unwrap(), *numbers);
    assert_eq!(numbers.encoded_len::<Json>().unwrap(), text.len());
}

/// Returns the text of a double that is alone in its list.
fn double(value: f64) -> String {
    let numbers = Numbers {
        doubles: vec![value],
        ..Numbers::default()
    };
    let text = String::from_utf8(numbers.encode::<SimpleJson>().unwrap()).unwrap();
    let (_, list) = text.split_once(r#""doubles":["#).unwrap();
    list.trim_end_matches("]}").to_owned()
}

#[test]
fn lists_of_every_length_have_the_texts_of_single_numbers() {
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (seed ^ seed >> 33).cast_signed() >> (seed >> 58)
    };
    for len in 0..100 {
        let longs: Vec<i64> = (0..len).map(|_| next()).collect();
        let kinds: [fn(i64) -> f64; 4] = [
            |value| value as f64,
            |value| (value % 1_000_000) as f64 / 100.0,
            |value| (value % 1000) as f64 * 1e-7,
            |value| value as f64 / 3e20,
        ];
        for kind in kinds {
            let mut doubles: Vec<f64> = longs.iter().map(|&value| kind(value)).collect();
            check(&Numbers {
                bytes: longs.iter().map(|&value| value as i8).collect(),
                shorts: longs.iter().map(|&value| value as i16).collect(),
                integers: longs.iter().map(|&value| value as i32).collect(),
                longs: vec![longs.clone(), vec![], longs[len / 2..].to_vec()],
                doubles: doubles.clone(),
            });
            // Insert one that is written in another way before, between or after the others.
            for i in [0, len / 2, len] {
                doubles.insert(i, f64::MIN_POSITIVE);
                check(&Numbers {
                    doubles: doubles.clone(),
                    ..Numbers::default()
                });
                doubles[i] = f64::NEG_INFINITY;
                check(&Numbers {
                    doubles: doubles.clone(),
                    ..Numbers::default()
                });
                doubles.remove(i);
            }
        }
    }
}
