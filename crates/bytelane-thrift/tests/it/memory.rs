//! Measures peak heap use while a message is read.

use allocation_counter::{AllocationInfo, measure};
use bytelane_thrift::{
    Binary, Compact, ErrorKind, Json, Limits, Message, Protocol, SimpleJson, Thrift,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Takes 1,200 bytes in memory, and one byte in a message if it is empty.
#[derive(Clone, Debug, PartialEq, Thrift)]
struct Large {
    #[thrift(id = 1, default = [0; 150])]
    numbers: [i64; 150],
}

#[derive(Debug, PartialEq, Thrift)]
struct Holds {
    #[thrift(id = 1)]
    list: Vec<Large>,
    #[thrift(id = 2)]
    map: HashMap<i32, Large>,
    #[thrift(id = 3)]
    tree: BTreeMap<i32, Large>,
    #[thrift(id = 4)]
    texts: Vec<String>,
    #[thrift(id = 5)]
    numbers: Vec<i64>,
    #[thrift(id = 6)]
    set: HashSet<i64>,
    #[thrift(id = 7)]
    ordered: BTreeSet<i64>,
    #[thrift(id = 8)]
    sets: Vec<BTreeSet<i64>>,
    #[thrift(id = 9)]
    data: Vec<Vec<u8>>,
}

/// Returns the peak heap use while a message is read, and whether it can be read.
fn peak<P: Protocol>(message: &[u8], limits: &Limits) -> (u64, Result<(), ErrorKind>) {
    let mut result = Ok(());
    let AllocationInfo { bytes_max, .. } = measure(|| {
        let read = Holds::decode_with::<P>(message, limits);
        result = read.map(drop).map_err(|error| error.kind());
    });
    (bytes_max, result)
}

/// Reads 900,000 empty structs: 1 byte each in the message, 1,200 in memory.
#[test]
fn the_peak_is_within_the_limit() {
    const COUNT: usize = 900_000;
    let mut message = b"\x0f\0\x01\x0c".to_vec();
    message.extend((COUNT as u32).to_be_bytes());
    message.resize(message.len() + COUNT + 1, 0);
    let (bytes, result) = peak::<Binary>(&message, &Limits::default());
    assert_eq!(result, Err(ErrorKind::AllocationLimit));
    assert!(bytes < 10_000, "{bytes}");
    // With a limit above what they need, they take exactly that much.
    let needed = COUNT * size_of::<Large>();
    let limits = Limits::default().with_total_allocation(needed);
    let (bytes, result) = peak::<Binary>(&message, &limits);
    assert_eq!(result, Ok(()));
    assert!(bytes <= needed as u64 + 10_000, "{bytes}");
}

/// SimpleJSON does not store the length of a list.
#[test]
fn lists_of_unknown_length_grow_within_the_limit() {
    let text = format!("{{\"list\":[{}{{}}]}}", "{},".repeat(99_999));
    for limit in [1 << 20, 16 << 20, 100 << 20, 256 << 20] {
        let limits = Limits::default().with_total_allocation(limit);
        let (bytes, result) = peak::<SimpleJson>(text.as_bytes(), &limits);
        assert!(bytes <= limit as u64 + 10_000, "{bytes} of {limit}");
        assert_eq!(result, Err(ErrorKind::AllocationLimit));
    }
    let limits = Limits::default().with_total_allocation(1 << 30);
    assert_eq!(peak::<SimpleJson>(text.as_bytes(), &limits).1, Ok(()));
}

fn holds() -> Holds {
    let large = || Large { numbers: [1; 150] };
    Holds {
        list: vec![large(); 20],
        map: (0..30).map(|i| (i, large())).collect(),
        tree: (0..30).map(|i| (i, large())).collect(),
        texts: (0..500).map(|i| "\u{1}é".repeat(i)).collect(),
        numbers: (0..10_000).collect(),
        set: (0..1000).collect(),
        ordered: (0..1000).collect(),
        sets: (0..1000).map(|i| BTreeSet::from([i])).collect(),
        data: (0..500).map(|i| vec![7; i]).collect(),
    }
}

/// In each protocol, each kind of container takes no more than it is charged for.
#[test]
fn no_limit_is_exceeded() {
    fn test<P: Protocol>() {
        let message = holds().encode::<P>().unwrap();
        let mut read = 0;
        for shift in 10..28 {
            let limit = 1 << shift;
            let limits = Limits::default().with_total_allocation(limit);
            let (bytes, result) = peak::<P>(&message, &limits);
            assert!(bytes <= limit as u64 + 10_000, "{bytes} of {limit}");
            read += usize::from(result.is_ok());
        }
        assert!((2..18).contains(&read), "{read}");
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

/// Nested lists each claim all remaining bytes.
#[test]
fn containers_share_the_bytes_of_the_message() {
    #[derive(Debug, Thrift)]
    struct Nested {
        #[thrift(id = 1)]
        lists: Vec<Vec<Vec<Vec<i64>>>>,
    }
    let mut message = b"\x0f\0\x01".to_vec();
    for (kind, size) in [(15, 5), (15, 5), (15, 5), (10, 8)] {
        let left = 1_000_000 / size;
        message.push(kind);
        message.extend((left as u32).to_be_bytes());
    }
    message.resize(1_000_100, 0);
    let mut kind = None;
    let AllocationInfo { bytes_max, .. } = measure(|| {
        kind = Some(Nested::decode::<Binary>(&message).unwrap_err().kind());
    });
    assert_eq!(kind, Some(ErrorKind::UnexpectedEnd));
    // Values of the first list: 24 bytes for each 5 of the message.
    assert!(bytes_max < 24 * 200_000 + 10_000, "{bytes_max}");
}
