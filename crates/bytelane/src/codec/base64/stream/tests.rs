//! Tests streams in pieces of every size, with readers and writers that process little at a time.

use super::*;
use crate::base64::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use crate::grid::thinned;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::string::ToString;
use std::vec::Vec;

fn input(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 197 + i / 83 * 11) as u8).collect()
}

/// Reads and writes at most this many bytes at a time, and interrupts every other call.
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
        if self.interrupt {
            Err(io::ErrorKind::Interrupted.into())
        } else {
            Ok(())
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
        for len in thinned(0..=bytes.len(), 4) {
            let expected = engine.encode_to_string(&bytes[..len]).into_bytes();
            for split in thinned(0..=len, 4) {
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
    let expected = STANDARD.encode_to_string(&bytes).into_bytes();
    let sizes = [BYTES + 1, BYTES - 1, BYTES, bytes.len()];
    for size in thinned(sizes.into_iter().chain(1..100), 1) {
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
    /// Fails in every other call; accepts a few bytes in the others.
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
    // One byte is left; its text is written in one call.
    encoder.get_mut().1 = true;
    let text = encoder.finish().unwrap().0;
    assert!(failures > 10);
    assert!(text == STANDARD.encode_to_string(&bytes).into_bytes());
}

/// Effect of one call of a writer.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    /// Accepts this many bytes.
    Take(usize),
    Fail,
    /// Accepts a byte and panics.
    Panic,
}

/// Performs one step of a script in each call, and accepts everything once the script has ended.
#[derive(Clone, Default)]
struct Scripted(Rc<RefCell<Script>>);

#[derive(Default)]
struct Script {
    steps: Vec<Step>,
    calls: usize,
    text: Vec<u8>,
}

impl Scripted {
    fn new(steps: &[Step]) -> Self {
        let writer = Self::default();
        writer.0.borrow_mut().steps = steps.to_vec();
        writer
    }

    /// Returns the steps of the calls so far.
    fn done(&self) -> Vec<Step> {
        let script = self.0.borrow();
        script.steps[..usize::min(script.calls, script.steps.len())].to_vec()
    }

    fn calls(&self) -> usize {
        self.0.borrow().calls
    }

    fn text(&self) -> Vec<u8> {
        self.0.borrow().text.clone()
    }

    fn step(&self, from: &[u8]) -> io::Result<usize> {
        let mut script = self.0.borrow_mut();
        let step = script.steps.get(script.calls).copied();
        script.calls += 1;
        let len = match step {
            None => from.len(),
            Some(Step::Take(most)) => usize::min(most, from.len()),
            Some(Step::Fail) => return Err(io::ErrorKind::StorageFull.into()),
            Some(Step::Panic) => usize::min(1, from.len()),
        };
        script.text.extend_from_slice(&from[..len]);
        drop(script);
        if step == Some(Step::Panic) {
            panic_quietly();
        }
        Ok(len)
    }
}

impl Write for Scripted {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.step(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.step(&[]).map(|_| ())
    }
}

/// Panics without a message on stderr.
fn panic_quietly() {
    resume_unwind(Box::new("on purpose"));
}

/// Returns all scripts of five steps.
fn scripts(kinds: &[Step]) -> impl Iterator<Item = Vec<Step>> {
    (0..kinds.len().pow(5)).map(|number| {
        let kind = |i| kinds[number / kinds.len().pow(i) % kinds.len()];
        (0..5).map(kind).collect()
    })
}

/// Returns an encoder that was given `input(8)` in two pieces, each flushed, so that it keeps one
/// byte of the first and two of both. After an error or a panic of the writer, it is called again.
fn written_in_pieces(writer: &Scripted) -> Encoder<Scripted> {
    let mut encoder = Encoder::new(writer.clone(), STANDARD);
    for piece in input(8).chunks(4) {
        insist(|| encoder.write_all(piece));
        insist(|| encoder.flush());
    }
    encoder
}

fn insist(mut call: impl FnMut() -> io::Result<()>) {
    // A script fails at most six times.
    for _ in 0..6 {
        if let Ok(Ok(())) = catch_unwind(AssertUnwindSafe(&mut call)) {
            return;
        }
    }
}

#[test]
fn a_finish_that_failed_can_be_repeated() {
    let expected = STANDARD.encode_to_string(input(8)).into_bytes();
    let mut failures = 0;
    for script in thinned(scripts(&[Step::Take(1), Step::Take(9), Step::Fail]), 10) {
        let writer = Scripted::new(&script);
        let mut encoder = written_in_pieces(&writer);
        while let Err(failed) = encoder.finish() {
            failures += 1;
            assert_eq!(failed.to_string(), failed.error().to_string());
            let error;
            (error, encoder) = failed.into_parts();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            // Bytes after the padding would make the text wrong.
            assert!(encoder.write(b"a").is_err());
        }
        assert!(writer.text() == expected, "{script:?}");
    }
    assert!(failures > 0);
}

#[test]
fn a_failed_finish_gives_back_the_error_and_the_writer() {
    let finish = |writer: &Scripted| -> Result<Scripted, FinishError<Scripted>> {
        let mut encoder = Encoder::new(writer.clone(), STANDARD);
        encoder.write_all(b"bytes").unwrap();
        encoder.finish()
    };
    let writer = Scripted::new(&[Step::Fail]);
    let error = io::Error::from(finish(&writer).err().unwrap());
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);

    let writer = Scripted::new(&[Step::Take(1), Step::Fail]);
    let encoder = finish(&writer).err().unwrap().into_encoder();
    assert_eq!(encoder.get_ref().text(), b"Y");
    assert_eq!(encoder.into_inner().text(), b"Y");
    assert_eq!(writer.text(), b"Y", "nothing follows");
}

/// This also holds while a panic unwinds, and after errors.
#[cfg_attr(not(panic = "unwind"), ignore = "needs unwinding")]
#[test]
fn dropping_writes_the_rest_once() {
    let expected = STANDARD.encode_to_string(input(8)).into_bytes();
    for script in thinned(scripts(&[Step::Take(1), Step::Take(9), Step::Fail]), 10) {
        for unwinding in [false, true] {
            let writer = Scripted::new(&script);
            let encoder = written_in_pieces(&writer);
            let before = writer.done().len();
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let _encoder = encoder;
                if unwinding {
                    panic_quietly();
                }
            }));
            assert_eq!(outcome.is_err(), unwinding);
            let text = writer.text();
            if writer.done()[before..].contains(&Step::Fail) {
                assert!(expected.starts_with(&text), "{script:?}");
            } else {
                assert!(text == expected, "{script:?}, unwinding: {unwinding}");
            }
        }
    }
}

#[cfg_attr(not(panic = "unwind"), ignore = "needs unwinding")]
#[test]
fn a_writer_that_panicked_is_never_called_again() {
    let expected = STANDARD.encode_to_string(input(8)).into_bytes();
    let mut panics = 0;
    for script in thinned(scripts(&[Step::Take(1), Step::Fail, Step::Panic]), 10) {
        for finish in [false, true] {
            let writer = Scripted::new(&script);
            let mut encoder = written_in_pieces(&writer);
            if !writer.done().contains(&Step::Panic) {
                continue;
            }
            panics += 1;
            let calls = writer.calls();
            assert_eq!(writer.done().last(), Some(&Step::Panic));
            assert_eq!(writer.done().len(), calls, "{script:?}");
            for error in [
                encoder.write(b"a").err(),
                encoder.write(b"").err(),
                encoder.flush().err(),
            ] {
                let error = error.expect("an error from every call").to_string();
                assert!(error.starts_with("the writer panicked"), "{error}");
            }
            if finish {
                let error;
                (error, encoder) = encoder.finish().err().unwrap().into_parts();
                assert!(error.to_string().starts_with("the writer panicked"));
            }
            drop(encoder);
            assert_eq!(writer.calls(), calls, "{script:?}");
            assert!(expected.starts_with(&writer.text()), "{script:?}");
        }
    }
    assert!(panics > if cfg!(miri) { 1 } else { 20 });
}

#[test]
fn counts_beyond_the_buffer_are_errors() {
    struct Liar;
    impl Write for Liar {
        fn write(&mut self, from: &[u8]) -> io::Result<usize> {
            Ok(from.len() + 1)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl Read for Liar {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            Ok(to.len() + 1)
        }
    }
    let mut encoder = Encoder::new(Liar, STANDARD);
    encoder.write_all(b"bytes").unwrap();
    let error = encoder.flush().unwrap_err();
    let message = "the writer reported 5 bytes written out of 4";
    assert_eq!(error.to_string(), message);
    encoder.flush().unwrap();

    let mut decoder = Decoder::new(Liar, STANDARD);
    let message = "the reader reported 8193 bytes read into a buffer of 8192";
    for _ in 0..2 {
        let error = decoder.read(&mut [0]).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

/// Fails or panics in every other call.
struct Unsteady<R> {
    inner: R,
    fail: fn() -> io::Result<usize>,
    failed: bool,
}

impl<R: Read> Read for Unsteady<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.failed = !self.failed;
        if self.failed {
            return (self.fail)();
        }
        let len = usize::min(to.len(), 701);
        self.inner.read(&mut to[..len])
    }
}

#[test]
fn reading_goes_on_after_an_error_of_the_reader() {
    assert_reading_goes_on(|| Err(io::ErrorKind::TimedOut.into()));
}

#[cfg_attr(not(panic = "unwind"), ignore = "needs unwinding")]
#[test]
fn reading_goes_on_after_a_panic_of_the_reader() {
    assert_reading_goes_on(|| {
        panic_quietly();
        Ok(0)
    });
}

fn assert_reading_goes_on(fail: fn() -> io::Result<usize>) {
    let bytes = input(2 * BYTES + 1000);
    let text = STANDARD.encode_to_string(&bytes);
    let reader = Unsteady {
        inner: text.as_bytes(),
        fail,
        failed: false,
    };
    let mut decoder = Decoder::new(reader, STANDARD);
    let mut decoded = Vec::new();
    let mut failures = 0;
    // Not `read_to_end`, which does not say how much it has read when a reader panics.
    let mut piece = [0; 1000];
    loop {
        match catch_unwind(AssertUnwindSafe(|| decoder.read(&mut piece))) {
            Ok(Ok(0)) => break,
            Ok(Ok(len)) => decoded.extend_from_slice(&piece[..len]),
            _ => failures += 1,
        }
    }
    assert!(failures > 10);
    assert!(decoded == bytes);
}

#[test]
fn pieces_of_every_size_decode_alike() {
    let bytes = input(2 * BYTES + 1000);
    for engine in [STANDARD, URL_SAFE_NO_PAD] {
        let text = engine.encode_to_string(&bytes);
        for size in thinned([TEXT + 1, TEXT - 1, TEXT].into_iter().chain(1..70), 1) {
            let mut decoder = Decoder::new(Few::new(text.as_bytes(), size), engine);
            let mut decoded = Vec::new();
            decoder.read_to_end(&mut decoded).unwrap();
            assert!(decoded == bytes, "pieces of {size}");
        }
        let mut decoder = Decoder::new(text.as_bytes(), engine);
        let singly = if cfg!(miri) { 10 } else { bytes.len() };
        for byte in &bytes[..singly] {
            let mut one = [0];
            assert_eq!(decoder.read(&mut one).unwrap(), 1);
            assert_eq!(one, [*byte]);
        }
        let mut rest = Vec::new();
        decoder.read_to_end(&mut rest).unwrap();
        assert!(rest == bytes[singly..]);
    }
}

/// A text decodes the same however it is split, including errors and their offsets.
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
            for split in thinned(0..=text.len(), 2) {
                let (front, back) = text.as_bytes().split_at(split);
                let mut decoder = Decoder::new(front.chain(back), engine);
                let mut decoded = Vec::new();
                match (
                    engine.decode_to_vec(text),
                    decoder.read_to_end(&mut decoded),
                ) {
                    (Ok(bytes), Ok(_)) => assert_eq!(decoded, bytes),
                    (Err(expected), Err(error)) => {
                        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
                        assert_eq!(error.downcast::<Error>().unwrap(), expected, "{text}");
                        // The error persists.
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
    const LENGTH: usize = 3 * BYTES;
    const BROKEN: usize = 2 * TEXT + 777;
    let mut text = STANDARD.encode_to_string(input(LENGTH)).into_bytes();
    text[BROKEN] = b'\n';
    let mut decoded = Vec::new();
    let error = Decoder::new(&text[..], STANDARD)
        .read_to_end(&mut decoded)
        .unwrap_err();
    let error = error.downcast::<Error>().unwrap();
    assert_eq!(error.offset(), Some(BROKEN));
    assert!(input(LENGTH).starts_with(&decoded));
}
