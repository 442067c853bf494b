//! Compares [`Escaper`] and [`Unescaper`] with single calls.

use super::*;

/// Checks that pieces of a given length give the same result as a single call, and that nothing
/// malformed is appended.
fn assert_streams_alike(bytes: &[u8], length: usize) {
    for (backend, format) in backends().flat_map(|backend| [(backend, QUOTED), (backend, BARE)]) {
        let place = || format!("{backend:?}, {format:?}: {}", bytes.escape_ascii());
        let expected = match core::str::from_utf8(bytes) {
            Ok(text) => Ok(format.escape_to_string(text)),
            Err(error) if error.error_len().is_none() => {
                Err(Error::at(bytes.len(), ErrorKind::UnexpectedEnd))
            }
            Err(error) => Err(Error::at(error.valid_up_to(), ErrorKind::InvalidUtf8)),
        };
        let (mut json, mut escaper) = (String::new(), Escaper::new_with(backend, format));
        let mut pieces = bytes.chunks(length);
        let pushed = pieces.try_for_each(|piece| escaper.push(piece, &mut json));
        if pushed.is_err() {
            let before = json.clone();
            assert_eq!(escaper.push(b"more", &mut json), pushed, "{}", place());
            assert_eq!(json, before, "{}", place());
        }
        let finished = escaper.finish(&mut json);
        assert_eq!(pushed.and(finished).map(|()| json), expected, "{}", place());

        let expected = unescape(backend, format, bytes, bytes.len());
        let (mut text, mut unescaper) = (String::new(), Unescaper::new_with(backend, format));
        let mut pieces = bytes.chunks(length);
        let pushed = pieces.try_fold(0, |sum, piece| {
            unescaper.push(piece, &mut text).map(|used| sum + used)
        });
        if pushed.is_err() {
            let before = text.clone();
            assert_eq!(unescaper.push(b"more", &mut text).err(), pushed.err());
            assert_eq!(text, before, "{}", place());
        }
        let finished = unescaper.finish();
        let outcome = pushed.and_then(|read| finished.map(|()| (text, read)));
        assert_eq!(outcome, expected, "{}", place());
    }
}

#[test]
fn pieces_come_to_the_same_as_the_whole() {
    let mut random = random();
    let pieces: [&[u8]; 15] = [
        b"a",
        b"\"",
        b"\\",
        b"\\n",
        b"\\u00e9",
        b"\\ud83d\\ude00",
        b"\\ud83d",
        b"\\u0",
        b"\x01",
        b"\xc3",
        b"\xa9",
        b"\xf0\x9f\x98\x80",
        b"\xf0\x9f",
        b"\xff",
        b"This is more than one vector of clean text, more than sixty-four bytes.",
    ];
    for _ in thinned(0..10_000, 5) {
        let most = 1 + random(pieces.len());
        let bytes: Vec<&[u8]> = (0..random(10)).map(|_| pieces[random(most)]).collect();
        assert_streams_alike(&bytes.concat(), 1 + random(9) * random(9));
    }
}
