//! Runs the fuzz target of validity on one input. It is here so that the ordinary tests can run it
//! as well.

use crate::{Edge, Guarded, backends};
use bytelane::validity::lists::{Bits, List};
use bytelane::validity::{Element, values};
use bytelane::{Backend, Detected};
use std::fmt::Debug;

/// Spreads and compacts values with the input as a bitmap, or reads it as levels of lists, on every
/// backend: results and errors must be those of the scalar code.
///
/// An input is a byte that chooses the operation, two bytes with parameters, and a body.
///
/// # Panics
///
/// If a backend differs, or if compacted values are not those that were spread.
pub fn run(input: &[u8]) {
    let Some((&[choice, first, second], body)) = input.split_first_chunk() else {
        return;
    };
    match choice % 6 {
        0 => nulls(body, first, second, |i| i as u8),
        1 => nulls(body, first, second, |i| i as u16),
        2 => nulls(body, first, second, |i| i as f32),
        3 => nulls(body, first, second, |i| i as i64),
        4 => nulls(body, first, second, |i| i as u128),
        _ => lists(body, first, second),
    }
}

/// Calls a closure on every backend. The results must be equal.
pub(crate) fn same<R: PartialEq + Debug>(work: impl Fn(Detected, Edge) -> R) -> R {
    let scalar = Detected::new(Backend::Scalar).expect("it is always available");
    let expected = work(scalar, Edge::Front);
    for backend in backends() {
        let backend = Detected::new(backend).expect("it is available");
        for edge in [Edge::Front, Edge::Back] {
            assert_eq!(work(backend, edge), expected, "{backend}, {edge:?}");
        }
    }
    expected
}

/// Tests values with nulls. The parameters are the number of positions that the last byte lacks,
/// and the difference between the number of values and that of set bits.
fn nulls<T: Element>(bitmap: &[u8], less: u8, more: u8, value: impl Fn(usize) -> T) {
    let count = (8 * bitmap.len()).saturating_sub(usize::from(less % 8));
    let valid = values::count_valid(bitmap, count).expect("it has so many bits");
    let given = valid.saturating_add_signed(isize::from(more as i8) / 32);
    let dense: Vec<T> = (1..=given).map(&value).collect();
    let spread = same(|backend, edge| {
        let bitmap = Guarded::copy_of(bitmap, edge);
        let mut places = vec![value(7); count];
        let spread = values::spread_with(backend, &dense, &bitmap, &mut places[..]);
        spread.map(|places| places.to_vec())
    });
    assert_eq!(spread.is_ok(), given == valid);
    let places = spread.unwrap_or_else(|_| (1..=count).map(&value).collect());
    let compacted = same(|backend, edge| {
        let bitmap = Guarded::copy_of(bitmap, edge);
        let mut dense = vec![value(7); given];
        let compacted = values::compact_with(backend, &places, &bitmap, &mut dense[..]);
        compacted.map(|dense| dense.to_vec())
    });
    assert_eq!(compacted.is_ok(), given >= valid);
    if given == valid {
        assert_eq!(compacted.as_ref(), Ok(&dense));
    }
}

/// Tests lists. The parameters are the depth, and the amount by which the room is too small.
/// Repetition levels are the lower bits of the body's bytes, definition levels the upper ones.
fn lists(body: &[u8], depth: u8, less: u8) {
    let repetition: Vec<u8> = body.iter().map(|byte| byte & 3).collect();
    let definition: Vec<u8> = body.iter().map(|byte| byte >> 2 & 7).collect();
    let outermost = List::<u8>::new(u16::from(depth >> 4 & 1)).expect("a small level");
    let list = match depth & 1 {
        0 => outermost,
        _ => outermost.inner(3).expect("a greater level"),
    };
    let room = (body.len() + 1).saturating_sub(usize::from(less % 4));
    let offsets = same(|backend, edge| {
        let repetition = Guarded::copy_of(&repetition, edge);
        let definition = Guarded::copy_of(&definition, edge);
        let mut offsets = vec![0i32; room];
        let written = list.offsets_with(backend, &repetition, &definition, &mut offsets[..]);
        written.map(|offsets| offsets.to_vec())
    });
    let bits = same(|backend, edge| {
        let mut room = Guarded::new(room.div_ceil(8), edge);
        let validity = list.validity_with(backend, &repetition, &definition, &mut room[..]);
        let validity = validity.map(|(bitmap, bits)| (bitmap.to_vec(), bits));
        let entries = list.entries_with(backend, 3, &repetition, &definition, &mut room[..]);
        (
            validity,
            entries.map(|(bitmap, bits)| (bitmap.to_vec(), bits)),
        )
    });
    if let (Ok(offsets), (Ok((_, lists)), Ok((_, entries)))) = (offsets, bits) {
        agree(&offsets, lists, entries);
    }
}

fn agree(offsets: &[i32], lists: Bits, entries: Bits) {
    assert_eq!(offsets.len(), lists.count + 1);
    assert_eq!(offsets.last(), i32::try_from(entries.count).ok().as_ref());
    assert!(offsets.is_sorted());
}

/// Returns inputs from which the fuzzer starts.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for choice in 0..6 {
        for length in [0, 5, 8, 9, 40, 150] {
            for step in [0, 1, 7, 77] {
                let byte = |i: usize| (i * step) as u8 ^ if i % 16 > 8 { 0xff } else { 0 };
                // Levels of a row, and of a value that continues it.
                let body = (0..length).map(|i| match (choice, i % 3) {
                    (5, 0) => 5 << 2,
                    (5, _) => 5 << 2 | 1,
                    _ => byte(i),
                });
                for parameters in [[0, 0], [3, 0], [0, 255], [17, 33]] {
                    seeds.push(
                        [choice]
                            .into_iter()
                            .chain(parameters)
                            .chain(body.clone())
                            .collect(),
                    );
                }
            }
        }
    }
    seeds
}
