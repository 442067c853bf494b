//! Runs the fuzz target of stream_vbyte's cursor on one input. It is here so that the ordinary
//! tests can run it as well.

use crate::{Edge, Guarded, backends, on};
use bytelane::stream_vbyte::{Checkpoint, Cursor, Error, Format, Integer};
use bytelane::{Backend, Detected};

/// Size of the header in bytes: the format, the number of values, and the number of moves after it.
pub const HEADER: usize = 4;

/// Maximum number of moves.
const MOVES: u8 = 24;

/// Validates a stream and moves a cursor over it on every backend: each must agree with the scalar
/// code on results, errors and positions. A move that fails is repeated: the error must be the
/// same, and the cursor must not have moved.
///
/// An input is a header, moves of three bytes (an operation and a number), and the stream.
///
/// # Panics
///
/// If a backend differs.
pub fn run(input: &[u8]) {
    let Some((&[format, low, high, moves], rest)) = input.split_first_chunk::<HEADER>() else {
        return;
    };
    let Some((moves, encoded)) = rest.split_at_checked(3 * usize::from(moves % MOVES)) else {
        return;
    };
    let count = usize::from(u16::from_le_bytes([low, high]));
    let encoded = Guarded::copy_of(encoded, Edge::Back);
    match format % 3 {
        0 => every_backend(format, Format::<u32>::V1234, &encoded, count, moves),
        1 => every_backend(format, Format::<u32>::V0124, &encoded, count, moves),
        _ => every_backend(format, Format::<u64>::V1248, &encoded, count, moves),
    }
}

fn every_backend<T: Integer + From<u32>>(
    transform: u8,
    plain: Format<T>,
    encoded: &[u8],
    count: usize,
    moves: &[u8],
) {
    let start = T::from(u32::from(transform));
    let format = match transform / 3 % 4 {
        0 => plain,
        1 => plain.delta(start),
        2 => plain.zigzag(),
        _ => plain.delta(start).zigzag(),
    };
    let expected = trace(Backend::Scalar, format, encoded, count, moves);
    for backend in backends() {
        let found = trace(backend, format, encoded, count, moves);
        assert_eq!(found, expected, "{backend}, {format:?}, {count} values");
    }
}

/// Result of one move, and the position of the cursor after it.
type Step<T> = (Result<Vec<T>, Error>, Option<Checkpoint<T>>);

fn trace<T: Integer + From<u32>>(
    backend: Backend,
    format: Format<T>,
    encoded: &[u8],
    count: usize,
    moves: &[u8],
) -> (Result<usize, Error>, Vec<Step<T>>) {
    let valid = on(backend, || format.validate(encoded, count));
    let backend = Detected::new(backend).expect("it is available");
    let mut steps = Vec::new();
    let mut cursor = match format.cursor_with(backend, encoded, count) {
        Ok(cursor) => cursor,
        Err(error) => return (valid, vec![(Err(error), None)]),
    };
    let mut stored = cursor.checkpoint();
    for &what in moves.as_chunks::<3>().0 {
        let before = cursor.checkpoint();
        let outcome = step(&mut cursor, &mut stored, what);
        if outcome.is_err() {
            assert_eq!(cursor.checkpoint(), before, "{backend}, {format:?}");
            let again = step(&mut cursor, &mut stored, what);
            assert_eq!(again, outcome, "{backend}, {format:?}");
        }
        steps.push((outcome, Some(cursor.checkpoint())));
    }
    (valid, steps)
}

/// Makes one move. Returns the values decoded or found.
fn step<T: Integer + From<u32>>(
    cursor: &mut Cursor<'_, T>,
    stored: &mut Checkpoint<T>,
    [what, low, high]: [u8; 3],
) -> Result<Vec<T>, Error> {
    let number = usize::from(u16::from_le_bytes([low, high]));
    let mut values = vec![T::default(); number % 300];
    match what % 8 {
        0 => {
            let read = cursor.decode(&mut values)?;
            values.truncate(read);
        }
        1 => cursor.skip(number)?,
        2 => cursor.seek(number)?,
        3 => cursor.decode_at(number / 2, &mut values)?,
        4 => {
            let target = T::from((number as u32) << (what / 8 % 17));
            values = cursor.seek_at_least(target)?.into_iter().collect();
        }
        5 => *stored = cursor.checkpoint(),
        6 => cursor.resume(*stored)?,
        _ => cursor.resume(Checkpoint {
            index: number % 512,
            offset: number / 4,
            previous: T::from(u32::from(what)),
        })?,
    }
    Ok(values)
}

/// Returns seed inputs for [`run`]: sorted lists in every format, and moves of every kind.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let moves: Vec<u8> = (0..MOVES - 1)
        .flat_map(|i| [i % 8 + 8 * (i % 3), i.wrapping_mul(37), i % 2])
        .collect();
    let mut seeds = Vec::new();
    for format in 0..12 {
        for count in [0_u16, 5, 129, 700] {
            let ids = (0..u32::from(count)).map(|i| 40 * i + i % 7 + (i / 100) * 70_000);
            let encoded = match format % 3 {
                0 => encode(format, Format::V1234, ids.collect()),
                1 => encode(format, Format::V0124, ids.collect()),
                _ => encode(format, Format::V1248, ids.map(u64::from).collect()),
            };
            let [low, high] = count.to_le_bytes();
            seeds.push([&[format, low, high, MOVES - 1], &moves[..], &encoded].concat());
        }
    }
    seeds
}

fn encode<T: Integer>(transform: u8, plain: Format<T>, values: Vec<T>) -> Vec<u8> {
    let format = match transform / 3 % 2 {
        0 => plain,
        _ => plain.delta(T::default()),
    };
    let mut encoded = Vec::new();
    format.encode_append(&values, &mut encoded);
    encoded
}
