//! Properties that hold for any bytes of a connection with headers, for the tests and the fuzz
//! target.

use bytelane_thrift::header::{Header, Session};

const LIMIT: usize = 1 << 16;

/// Reads the bytes as a frame, and as all that a connection receives.
pub fn check(input: &[u8]) {
    match Header::decode(input, LIMIT) {
        Ok((header, message)) => {
            assert!(message.len() <= LIMIT);
            let again = header
                .encode(&message)
                .expect("what was read can be written");
            // The frame of a small message may exceed the limit, but not after transforms.
            let (found, body) = Header::decode(&again, usize::MAX).expect("it was written");
            assert_eq!((found, body), (header, message));
        }
        Err(error) => {
            let offset = error.offset().expect("errors of reading have a place");
            assert!(offset <= input.len(), "{error}");
        }
    }
    // An error in a message without a frame may be noticed earlier or later.
    let (whole, pieces) = (calls(input, input.len()), calls(input, 3));
    let both = whole.len().min(pieces.len());
    assert_eq!(whole[..both], pieces[..both]);
}

/// Returns the lengths of all calls up to an error. The bytes arrive in pieces.
fn calls(input: &[u8], piece: usize) -> Vec<usize> {
    let mut session = Session::new(LIMIT);
    let mut lengths = Vec::new();
    let (mut start, mut end) = (0, 0);
    loop {
        match session.receive(&input[start..end]) {
            Ok(Some(call)) => {
                start += call.len();
                lengths.push(call.len());
            }
            Ok(None) if end == input.len() => return lengths,
            Ok(None) => end = input.len().min(end + piece),
            Err(_) => return lengths,
        }
    }
}
