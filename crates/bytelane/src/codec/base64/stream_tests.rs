//! Streams in pieces of every size, from and to readers and writers that do little at a time.

use super::*;
use crate::base64::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::vec::Vec;

fn input(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 197 + i / 83 * 11) as u8).collect()
}

/// Reads and writes at most so many bytes at a time, and interrupts every other call.
struct Few<T> {
    inner: T,
    most: usize,
    interrupt: bool,
}

impl<T> Few<T> {
    fn new(inner: T, most: usize) -> Self {
        Self {
            inner,
            most,
            interrupt: false,
        }
    }

    fn take_turn(&mut self) -> io::Result<()> {
        self.interrupt = !self.interrupt;
        match self.interrupt {
            true => Err(io::ErrorKind::Interrupted.into()),
            false => Ok(()),
        }
    }
}

impl<R: Read> Read for Few<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.take_turn()?;
        let len = usize::min(to.len(), self.most);
        self.inner.read(&mut to[..len])
    }
}

impl<W: Write> Write for Few<W> {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.take_turn()?;
        self.inner.write(&from[..usize::min(from.len(), self.most)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[test]
fn every_split_encodes_alike() {
    let bytes = input(70);
    for engine in [STANDARD, URL_SAFE_NO_PAD] {
        for len in 0..=bytes.len() {
            let expected = engine.encode(&bytes[..len]).into_bytes();
            for split in 0..=len {
                let mut encoder = Encoder::new(Vec::new(), engine);
                encoder.write_all(&bytes[..split]).unwrap();
                encoder.flush().unwrap();
                encoder.write_all(&bytes[split..len]).unwrap();
                assert_eq!(encoder.finish().unwrap(), expected);
            }
        }
    }
}

#[test]
fn pieces_of_every_size_encode_alike() {
    let bytes = input(3 * BYTES + 1000);
    let expected = STANDARD.encode(&bytes).into_bytes();
    for size in (1..100).chain([BYTES - 1, BYTES, BYTES + 1, bytes.len()]) {
        let mut text = Vec::new();
        let mut encoder = Encoder::new(Few::new(&mut text, 701), STANDARD);
        for piece in bytes.chunks(size) {
            encoder.write_all(piece).unwrap();
        }
        drop(encoder);
        assert!(text == expected, "pieces of {size}");
    }
}

#[test]
fn nothing_is_lost_when_a_write_fails() {
    /// Fails every other time, having taken a few bytes the time before.
    struct Failing(Vec<u8>, bool);
    impl Write for Failing {
        fn write(&mut self, from: &[u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let len = usize::min(from.len(), 1001);
            self.0.extend_from_slice(&from[..len]);
            Ok(len)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let bytes = input(2 * BYTES + 7);
    let mut encoder = Encoder::new(Failing(Vec::new(), false), STANDARD);
    let mut failures = 0;
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        match encoder.write(rest) {
            Ok(len) => rest = &rest[len..],
            Err(_) => failures += 1,
        }
    }
    while encoder.flush().is_err() {
        failures += 1;
    }
    // One byte is left, whose text goes in one turn.
    encoder.writer.as_mut().unwrap().1 = true;
    let text = encoder.finish().unwrap().0;
    assert!(failures > 10);
    assert!(text == STANDARD.encode(&bytes).into_bytes());
}

#[test]
fn pieces_of_every_size_decode_alike() {
    let bytes = input(2 * BYTES + 1000);
    for engine in [STANDARD, URL_SAFE_NO_PAD] {
        let text = engine.encode(&bytes);
        for size in (1..70).chain([TEXT - 1, TEXT, TEXT + 1]) {
            let mut decoder = Decoder::new(Few::new(text.as_bytes(), size), engine);
            let mut decoded = Vec::new();
            decoder.read_to_end(&mut decoded).unwrap();
            assert!(decoded == bytes, "pieces of {size}");
        }
        let mut decoder = Decoder::new(text.as_bytes(), engine);
        for byte in &bytes {
            let mut one = [0];
            assert_eq!(decoder.read(&mut one).unwrap(), 1);
            assert_eq!(one, [*byte]);
        }
        assert_eq!(decoder.read(&mut [0]).unwrap(), 0);
    }
}

/// Cut anywhere, a text decodes as it does in one piece, faults and their places included.
#[test]
fn every_split_decodes_alike() {
    let texts = [
        "",
        "Q",
        "QQ",
        "QQ=",
        "QQ==",
        "QQ==QQ==",
        "QR==",
        "QUE=",
        "QUFB",
        "QUFB=",
        "QUFB====",
        "QUFBQUFBQQ",
        "QUFBQUFBQQ==",
        "QUFBQU!BQQ==",
        "QUFBQUFBQQ==\n",
        "====",
        "QUFBQ===",
    ];
    for engine in [
        STANDARD,
        STANDARD_NO_PAD,
        STANDARD.with_decode_padding(DecodePadding::Either),
    ] {
        for text in texts {
            for split in 0..=text.len() {
                let (front, back) = text.as_bytes().split_at(split);
                let mut decoder = Decoder::new(front.chain(back), engine);
                let mut decoded = Vec::new();
                match (engine.decode(text), decoder.read_to_end(&mut decoded)) {
                    (Ok(bytes), Ok(_)) => assert_eq!(decoded, bytes),
                    (Err(expected), Err(error)) => {
                        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
                        assert_eq!(error.downcast::<DecodeError>().unwrap(), expected, "{text}");
                        // It stays an error.
                        assert!(decoder.read(&mut [0]).is_err());
                    }
                    (whole, split) => panic!("{text}: {whole:?} whole, {split:?} split"),
                }
            }
        }
    }
}

#[test]
fn offsets_count_from_the_beginning_of_the_stream() {
    let mut text = STANDARD.encode(input(100_000)).into_bytes();
    text[77_777] = b'\n';
    let mut decoded = Vec::new();
    let error = Decoder::new(&text[..], STANDARD)
        .read_to_end(&mut decoded)
        .unwrap_err();
    let error = error.downcast::<DecodeError>().unwrap();
    assert_eq!(error.offset(), Some(77_777));
    assert!(input(100_000).starts_with(&decoded));
}
