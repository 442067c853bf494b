//! `serde_json`, `sonic-rs`, `simd-json`, `json-escape-simd`.

use super::{Comparison, Peer, Work, is_fresh, show};
use crate::VARIED_LENGTHS;
use bytelane::Backend;
use bytelane::json_string::QUOTED;
use bytelane_measure::buffer::{APART, PAGE};

pub const COMPARISON: Comparison = Comparison {
    specification: "json_string",
    data: &[
        "prose",
        "letters",
        "escapes_1",
        "escapes_10",
        "escapes_50",
        "cjk",
        "emoji",
    ],
    values: &[
        VARIED_LENGTHS,
        8,
        16,
        32,
        64,
        256,
        1 << 10,
        1 << 12,
        1 << 16,
        1 << 20,
        1 << 24,
    ],
    varied: true,
    ours: None,
    peers: |values| {
        let longest = match values {
            VARIED_LENGTHS => 64,
            _ => values,
        };
        Ok(peers(longest))
    },
};

/// Creates the peers for texts of up to a number of bytes.
fn peers(longest: usize) -> Vec<Peer> {
    let mut peers: Vec<Peer> = Backend::available()
        .map(|backend| bytelane(backend, longest))
        .collect();
    peers.extend([
        Peer::new(
            "serde_json",
            escape(longest, |text, json| {
                serde_json::to_writer(json, text).expect("to memory")
            }),
            unescape(|json| serde_json::from_slice(json).expect("its own string")),
        ),
        Peer::new(
            "sonic-rs",
            escape(longest, |text, json| {
                sonic_rs::to_writer(json, text).expect("to memory")
            }),
            unescape(|json| sonic_rs::from_slice(json).expect("its own string")),
        ),
        Peer::encoder(
            "json-escape-simd",
            escape(longest, |text, json| {
                json_escape_simd::escape_into(text, json)
            }),
        ),
        simd_json(),
    ]);
    peers
}

/// Creates a peer with our own calls in the same form as the others: from text that is known to be
/// UTF-8 to a `Vec`, and from JSON to a `String`. The backends' rows are those of the catalog: to
/// slices, and the text is checked first.
fn bytelane(backend: Backend, longest: usize) -> Peer {
    let encode = escape(longest, |text, json| {
        QUOTED.escape_append(text, json);
    });
    let decode = unescape(|json| {
        let (text, _) = QUOTED
            .unescape_to_string(&json[1..])
            .expect("its own string");
        text
    });
    let library = format!("bytelane {backend}, Vec").leak();
    Peer::new(library, encode, decode).on(backend)
}

/// Escapes UTF-8 to the end of a `Vec`, which is reused and has the room that json-escape-simd and sonic-rs reserve in each call.
fn escape(longest: usize, escape: impl Fn(&str, &mut Vec<u8>) + 'static) -> Work<'static> {
    let mut result = Appended::with_room(8 * longest + 1024);
    Box::new(move |text, json| {
        // SAFETY: the data sets of this comparison are text.
        let text = unsafe { std::str::from_utf8_unchecked(text) };
        escape(text, result.again());
        result.show(json)
    })
}

fn unescape(read: impl Fn(&[u8]) -> String + 'static) -> Work<'static> {
    Box::new(move |json, text| show(read(json).as_bytes(), text))
}

/// Creates a peer that works in its input, which is copied for it: that is part of its time.
fn simd_json() -> Peer {
    let mut copy = Vec::new();
    let decode: Work = Box::new(move |json, text| {
        copy.clear();
        copy.extend_from_slice(json);
        let string: String = simd_json::from_slice(&mut copy).expect("its own string");
        show(string.as_bytes(), text)
    });
    Peer::decoder("simd-json", decode)
}

/// A `Vec` that a library appends its result to, so that the result begins as many bytes after a page boundary as the output of
/// libraries that write to a slice. The allocator would place it at random: a result of 256 bytes that crosses two pages takes up
/// to 1.4 times as long, in one process and not in another.
struct Appended {
    bytes: Vec<u8>,
    start: usize,
}

impl Appended {
    /// Creates one with room for a result and all that a library reserves for it, so that it never moves.
    fn with_room(room: usize) -> Self {
        let mut bytes: Vec<u8> = Vec::with_capacity(room + 2 * PAGE);
        let start = bytes.as_ptr().align_offset(PAGE) + APART % PAGE;
        bytes.resize(start, 0);
        Self { bytes, start }
    }

    /// Returns the `Vec`, to append another result.
    fn again(&mut self) -> &mut Vec<u8> {
        self.bytes.truncate(self.start);
        &mut self.bytes
    }

    /// Shows the result: see [`show`].
    fn show(&self, output: &mut [u8]) -> usize {
        let made = &self.bytes[self.start..];
        if is_fresh(output) {
            let offset = made.as_ptr().addr() % PAGE;
            assert_eq!(
                offset,
                APART % PAGE,
                "a library reserved more than expected"
            );
        }
        show(made, output)
    }
}
