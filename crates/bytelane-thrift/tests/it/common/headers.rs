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
    let (whole, pieces) = (calls(input, input.len()), calls(input, 3));
    assert_eq!(whole.0, pieces.0);
    // A message without a frame, if its containers claim more bytes than it has, is incomplete. In pieces, earlier claims
    // are not counted, so an error behind them may be noticed already.
    assert!(
        whole.1.is_none() || whole.1 == pieces.1,
        "{whole:?} {pieces:?}"
    );
}

/// Returns the lengths of all calls, and the final error. The bytes arrive in pieces.
fn calls(input: &[u8], piece: usize) -> (Vec<usize>, Option<String>) {
    let mut session = Session::new(LIMIT);
    let mut lengths = Vec::new();
    let (mut start, mut end) = (0, 0);
    loop {
        match session.receive(&input[start..end]) {
            Ok(Some(call)) => {
                start += call.len();
                lengths.push(call.len());
            }
            Ok(None) if end == input.len() => return (lengths, None),
            Ok(None) => end = input.len().min(end + piece),
            Err(error) => return (lengths, Some(error.to_string())),
        }
    }
}
