//! Properties of field masks that hold for any input, for the tests and the fuzz targets.

use super::types::Everything;
use bytelane_thrift::{Binary, Compact, FieldMask, Json, Message, Protocol, SimpleJson};

/// Paths of `Everything`, one for each bit of the input. None of them has indices of a set: readers may
/// order and join its elements.
const PATHS: [&str; 16] = [
    "type",
    "point.y",
    "shape.poly_line[1].x",
    "shape.inside",
    "tree.others[*].left.value",
    "bools[0,2]",
    "ints[1,2,50]",
    "texts[3]",
    "points[0].x",
    "nested[*][0]",
    "set[*]",
    "map{\"a\\\"b\",\"\"}",
    "hash_map{-9,4}[0]",
    "by_double{*}{*}",
    "colors{-2}",
    "$.datas[1]",
];

/// Reads the rest of the input with a mask that its first three bytes choose. A message that is read without a
/// mask is read with one, and has the same parts if it was written by us.
pub fn check(input: &[u8]) {
    let Some(([low, high, kind], message)) = input.split_first_chunk() else {
        return;
    };
    let bits = u16::from_le_bytes([*low, *high]);
    let paths = (0..16).filter(|bit| bits >> bit & 1 == 1);
    let paths = paths.map(|bit| PATHS[bit as usize]);
    let mask = match kind & 1 {
        0 => FieldMask::of::<Everything>(paths),
        _ => FieldMask::without::<Everything>(paths),
    };
    let mask = mask.expect("the paths fit the type");
    match kind >> 1 & 3 {
        0 => in_protocol::<Binary>(message, &mask),
        1 => in_protocol::<Compact>(message, &mask),
        2 => in_protocol::<Json>(message, &mask),
        _ => in_protocol::<SimpleJson>(message, &mask),
    }
}

fn in_protocol<P: Protocol>(message: &[u8], mask: &FieldMask) {
    let masked = Everything::decode_masked::<P>(message, mask);
    if let Err(error) = &masked {
        let offset = error.offset().expect("errors of reading have a place");
        assert!(offset <= message.len(), "{error}");
    }
    let Ok(all) = Everything::decode::<P>(message) else {
        return;
    };
    let masked = masked.expect("what is read without a mask is read with one");
    let bytes = all.encode::<P>().expect("what was read can be written");
    let again = Everything::decode_masked::<P>(&bytes, mask).expect("it was written");
    let debug = |value: &Everything| {
        let mut value = value.clone();
        let mut set: Vec<_> = std::mem::take(&mut value.hash_set).into_iter().collect();
        let mut map: Vec<_> = std::mem::take(&mut value.hash_map).into_iter().collect();
        set.sort();
        map.sort();
        format!("{value:?} {set:?} {map:?}")
    };
    assert_eq!(debug(&masked), debug(&again));
    let written = all
        .encode_masked::<P>(mask)
        .expect("what was read can be written");
    Everything::decode::<P>(&written).expect("required fields are written");
}
