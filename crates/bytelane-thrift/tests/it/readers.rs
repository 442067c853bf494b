//! Tests the readers on changed messages, on every backend; the fuzz targets go further.

use crate::common::{everything, readers};
use bytelane_thrift::{Binary, Compact, FbthriftCompact, Json, Message, Protocol, SimpleJson};

/// Tests messages of a protocol with a few bytes changed, removed or repeated.
fn test<P: Protocol>() {
    let message = everything().encode::<P>().unwrap();
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % below
    };
    readers::check::<P>(&message);
    for _ in 0..300 {
        let mut changed = message.clone();
        for _ in 0..=random(2) {
            let at = random(changed.len());
            let end = usize::min(at + random(9), changed.len());
            match random(4) {
                0 => changed[at] = random(256) as u8,
                1 => changed[at] ^= 1 << random(8),
                2 => drop(changed.drain(at..end)),
                _ => changed.extend_from_within(at..end),
            }
        }
        readers::check::<P>(&changed);
    }
}

// A single test, since the active backend is state of the process.
#[test]
fn all_backends_read_alike() {
    test::<Binary>();
    test::<Compact>();
    test::<FbthriftCompact>();
    test::<Json>();
    test::<SimpleJson>();
}
