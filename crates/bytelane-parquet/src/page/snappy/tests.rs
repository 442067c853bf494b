//! Tests against the crate `snap`.

use super::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Decompresses to memory that held other bytes before.
fn ours(bytes: &[u8]) -> Option<Vec<u8>> {
    let (size, tags) = split_size(bytes).ok()?;
    let found = decompress(tags, size, vec![0xaa; 100]).ok()?;
    (found.len() == size).then_some(found)
}

fn theirs(bytes: &[u8]) -> Option<Vec<u8>> {
    snap::raw::Decoder::new().decompress_vec(bytes).ok()
}

/// Makes text of a few words, bytes that repeat at a small distance, and bytes that do not repeat.
fn text(random: &mut Xoshiro256PlusPlus, length: usize) -> Vec<u8> {
    let mut text = Vec::new();
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    while text.len() < length {
        match below(10) {
            0 => {
                let period: Vec<u8> = (0..1 + below(20)).map(|_| below(256) as u8).collect();
                let bytes = period.iter().cycle();
                text.extend(bytes.take(below(200)));
            }
            1 => text.extend((0..below(200)).map(|_| below(256) as u8)),
            _ => {
                let word = below(50) as u8;
                text.extend((0..2 + word % 7).map(|at| b'a' + (word ^ at) % 26));
                text.push(b' ');
            }
        }
    }
    text.truncate(length);
    text
}

#[test]
fn what_snap_compresses_comes_back() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for length in (0..100).chain([1000, 5000, 70_000, 300_000]) {
        let text = text(&mut random, length);
        let compressed = snap::raw::Encoder::new().compress_vec(&text);
        let compressed = compressed.expect("less than 4 GiB");
        assert!(ours(&compressed) == Some(text), "{length} bytes");
    }
}

#[test]
fn random_tags_and_damaged_bytes_mean_what_snap_says() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut accepted, mut rejected) = (0, 0);
    for round in 0..4000 {
        let length = random.next_u64() as usize % 300;
        let mut bytes = if round % 2 == 0 {
            let text = text(&mut random, length);
            let compressed = snap::raw::Encoder::new().compress_vec(&text);
            compressed.expect("less than 4 GiB")
        } else {
            tags(&mut random)
        };
        if round % 4 > 1 {
            let at = random.next_u64() as usize % bytes.len();
            bytes[at] = random.next_u64() as u8;
            let length = random.next_u64() as usize % 2 * at;
            bytes.truncate(bytes.len() - length);
        }
        let found = ours(&bytes);
        assert_eq!(found, theirs(&bytes), "{bytes:?}");
        *if found.is_some() {
            &mut accepted
        } else {
            &mut rejected
        } += 1;
    }
    assert!(accepted > 1500 && rejected > 500, "{accepted}, {rejected}");
}

/// Makes tags of every kind, including those that compressors never write.
fn tags(random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let (mut tags, mut size) = (Vec::new(), 0usize);
    for _ in 0..1 + below(40) {
        let length = 1 + below(64);
        let most = [10, 2047, 5000][below(3)];
        let distance = 1 + below(most.min(size.max(1)));
        match below(5) {
            1 if size > 0 => {
                let length = 4 + below(8);
                tags.push((distance >> 8 << 5 | (length - 4) << 2 | 1) as u8);
                tags.push(distance as u8);
                size += length;
            }
            kind @ 2..=3 if size > 0 => {
                tags.push(((length - 1) << 2 | kind) as u8);
                tags.extend(&distance.to_le_bytes()[..if kind == 2 { 2 } else { 4 }]);
                size += length;
            }
            _ => {
                let length = if below(4) == 0 {
                    1 + below(700)
                } else {
                    length
                };
                // Lengths may have more bytes than they need.
                let least = if length <= 60 {
                    0
                } else if length <= 256 {
                    1
                } else {
                    2
                };
                let bytes = least + below(5 - least);
                let upper = if bytes == 0 { length - 1 } else { 59 + bytes };
                tags.push((upper << 2) as u8);
                tags.extend(&(length - 1).to_le_bytes()[..bytes]);
                tags.extend((0..length).map(|_| below(256) as u8));
                size += length;
            }
        }
    }
    let mut bytes = vec![
        size as u8 | 0x80,
        (size >> 7) as u8 | 0x80,
        (size >> 14) as u8,
    ];
    bytes.extend(tags);
    bytes
}

#[test]
fn sizes_that_are_too_large_are_rejected() {
    assert_eq!(
        split_size(&[0xff, 0xff, 0xff, 0xff, 0x0f, 7]),
        Ok((u32::MAX as usize, &[7][..]))
    );
    for bytes in [
        &[0xff, 0xff, 0xff, 0xff, 0x10][..],
        &[0x80; 9],
        &[0x80],
        &[],
    ] {
        assert!(split_size(bytes).is_err(), "{bytes:?}");
        assert_eq!(theirs(bytes), None);
    }
}
