//! Headers that are wrong: each is an error at its byte, and takes no more memory than the limits.

use super::from_hex;
use crate::common::headers;
use allocation_counter::{AllocationInfo, measure};
use bytelane_thrift::header::{Format, Header, MAX_ENTRIES, Session, Transform};
use bytelane_thrift::{Error, ErrorKind};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

const LIMIT: usize = 1 << 20;

fn error(frame: &[u8]) -> String {
    Header::decode(frame, LIMIT).unwrap_err().to_string()
}

/// Returns a frame with a header of whole words, and without a message.
fn theader(block: &[u8]) -> Vec<u8> {
    let mut frame = b"\x0f\xff\0\0\0\0\0\x01".to_vec();
    let words = block.len().div_ceil(4);
    frame.extend((words as u16).to_be_bytes());
    frame.extend(block);
    frame.resize(10 + 4 * words, 0);
    frame
}

fn ttheader(block: &[u8]) -> Vec<u8> {
    let mut frame = theader(block);
    frame[..2].copy_from_slice(b"\x10\0");
    frame
}

#[test]
fn errors_name_the_byte_and_what_is_wrong() {
    let cases: [(&[u8], &str); 16] = [
        (b"", "the frame has no header, at byte 0"),
        (b"\x80\x01\0\x01", "the frame has no header, at byte 0"),
        (
            b"\x0f\xff\0\0\0",
            "the frame ends within its header, at byte 5",
        ),
        (
            b"\x0f\xff\0\0\0\0\0\0\xff\xff\0\0",
            "the header is longer than its frame, at byte 8",
        ),
        (&theader(b""), "the header ends within an entry, at byte 10"),
        (
            &theader(b"\x07\0"),
            "the protocol 7 is neither Binary (0) nor Compact (2), at byte 10",
        ),
        (
            &theader(b"\xff\xff\xff\xff\xff\xff\xff\xff"),
            "a varint is too long, at byte 10",
        ),
        (
            &theader(b"\xff\xff\xff\xff\x10\0\0\0"),
            "a varint is too long, at byte 10",
        ),
        (
            &theader(b"\0\x01\x03"),
            "the transform 3 is neither zlib (1) nor zstd (5), at byte 12",
        ),
        (
            &theader(b"\0\x05\x01\x01\x01\x01\x01\0"),
            "the message has more than 4 transforms, at byte 11",
        ),
        (
            &theader(b"\0\0\x01\xff\xff\xff\x7f\0"),
            "the header has more than 1024 entries, at byte 13",
        ),
        (
            &theader(b"\0\0\x01\x01\xff\xff\xff\xff\x0f\0\0\0"),
            "the header ends within an entry, at byte 19",
        ),
        (
            &theader(b"\0\0\x01\x02\x01a\x01b"),
            "the header ends within an entry, at byte 18",
        ),
        (
            &ttheader(b"\0\0\x01\xff\xff\0\0\0"),
            "the header has more than 1024 entries, at byte 13",
        ),
        (
            &ttheader(b"\0\0\x11\xff\xff\0\0\0"),
            "the header ends within an entry, at byte 15",
        ),
        (
            &[&theader(b"\0\x01\x01\0")[..], b"no zlib"].concat(),
            "the message is not valid zlib, at byte 11",
        ),
    ];
    for (frame, expected) in cases {
        assert_eq!(error(frame), expected, "{frame:x?}");
    }
}

/// The length of an unknown entry is unknown, so what follows it is ignored.
#[test]
fn unknown_entries_end_the_header() {
    let block = b"\0\0\x01\x01\x01a\x01b\x09\xff\xff\xff";
    let (header, _) = Header::decode(&theader(block), LIMIT).unwrap();
    assert_eq!(header.string("a"), Some(&b"b"[..]));
    assert_eq!(header.strings.len(), 1);
    // In a TTHeader, entries may follow padding.
    let block = b"\0\0\0\0\x01\0\x01\0\x01a\0\x01b\x77\xff\xff";
    let (header, _) = Header::decode(&ttheader(block), LIMIT).unwrap();
    assert_eq!(header.string("a"), Some(&b"b"[..]));
}

/// Returns the frame of a message that is compressed `times` times with zlib.
fn bomb(len: usize, times: usize) -> Vec<u8> {
    let mut message = vec![0; len];
    for _ in 0..times {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&message).unwrap();
        message = encoder.finish().unwrap();
    }
    let mut block = vec![0, times as u8];
    block.resize(2 + times, 1);
    [theader(&block), message].concat()
}

fn peak(frame: &[u8]) -> (u64, Option<Error>) {
    let mut error = None;
    let AllocationInfo { bytes_max, .. } = measure(|| {
        error = Header::decode(frame, LIMIT).err();
    });
    (bytes_max, error)
}

#[test]
fn compressed_messages_are_bounded() {
    for times in 1..=4 {
        let frame = bomb(8 << 20, times);
        let (bytes, error) = peak(&frame);
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::FrameLimit(LIMIT));
        assert_eq!(error.offset(), Some(11));
        assert!(bytes < 2 * LIMIT as u64 + (100 << 10), "{bytes}");
    }
    // As long as the limit.
    assert!(peak(&bomb(LIMIT, 1)).1.is_none());
    assert!(peak(&bomb(LIMIT + 1, 1)).1.is_some());
    let header = Header::new(Format::THeader).with_transform(Transform::Zstd);
    let frame = header.encode(&vec![0; 8 << 20]).unwrap();
    let (bytes, error) = peak(&frame);
    assert_eq!(error.unwrap().kind(), ErrorKind::FrameLimit(LIMIT));
    assert!(bytes < 100 << 10, "{bytes}");
    // Without the length of the content, and a window of 2 GiB.
    let frame = [
        &theader(b"\0\x01\x05")[..],
        b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0",
    ]
    .concat();
    let (bytes, error) = peak(&frame);
    let text = error.unwrap().to_string();
    assert_eq!(text, "the message is not valid zstd, at byte 11");
    assert!(bytes < 9 << 20, "{bytes}");
}

/// A header with as many entries as fit, and one that claims more.
#[test]
fn entries_are_bounded() {
    let mut header = Header::new(Format::THeader);
    for i in 0..MAX_ENTRIES {
        header.strings.insert(i.to_string().into(), vec![1; 50]);
    }
    let frame = header.encode(b"").unwrap();
    let (bytes, error) = peak(&frame);
    assert!(error.is_none());
    assert!(bytes < 1 << 20, "{bytes}");
    header.persistent.insert(vec![], vec![]);
    let text = header.encode(b"").unwrap_err().to_string();
    assert_eq!(text, "the header has more than 1024 entries");
    let long = Header::new(Format::TtHeader).with_string("a", vec![0; 65_536]);
    let text = long.encode(b"").unwrap_err().to_string();
    assert_eq!(text, "a string of a TTHeader has more than 65535 bytes");
    let long = Header::new(Format::THeader).with_string("a", vec![0; 262_144]);
    let text = long.encode(b"").unwrap_err().to_string();
    assert_eq!(text, "the header has more than 262140 bytes");
}

#[test]
fn every_cut_of_a_frame_is_an_error_or_incomplete() {
    let header = Header::new(Format::TtHeader).with_string("a", "b");
    for format in [Format::THeader, Format::TtHeader] {
        let mut header = header.clone();
        header.format = format;
        let frame = header.encode(b"message").unwrap();
        let start = frame.len() - 7;
        for len in 0..start {
            assert!(Header::decode(&frame[..len], LIMIT).is_err(), "{len}");
        }
        let bytes = [&(frame.len() as u32).to_be_bytes(), &frame[..]].concat();
        for len in 0..bytes.len() {
            let found = Session::new(LIMIT)
                .receive(&bytes[..len])
                .map(|call| call.is_some());
            assert_eq!(found.ok(), Some(false), "{len}");
        }
    }
}

#[test]
fn connections_that_are_not_thrift_are_refused() {
    let cases = [
        (
            "GET / HTTP/1.1\r\n".as_bytes().to_vec(),
            "the frame exceeds the limit of 1048576 bytes, at byte 0",
        ),
        (
            from_hex("42494746000000000000000000000000"),
            "the frame exceeds the limit of 1048576 bytes, at byte 0",
        ),
        (
            from_hex("00000004deadbeef"),
            "the frame is neither a message nor has a header, at byte 0",
        ),
        (
            from_hex("00000000"),
            "the frame is neither a message nor has a header, at byte 0",
        ),
    ];
    for (bytes, expected) in cases {
        let error = Session::new(LIMIT).receive(&bytes).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// Strings that each frame adds are kept only as far as one header could hold them.
#[test]
fn persistent_strings_are_bounded() {
    let mut session = Session::new(LIMIT);
    let mut refused = None;
    for i in 0..100 {
        let mut header = Header::new(Format::THeader);
        header.persistent.insert(vec![i], vec![0; 20_000]);
        let frame = header.encode(b"").unwrap();
        let bytes = [&(frame.len() as u32).to_be_bytes(), &frame[..]].concat();
        if let Err(error) = session.receive(&bytes) {
            refused = Some((i, error.to_string()));
            break;
        }
    }
    let text = "the connection has more persistent strings than a header can hold, at byte 0";
    assert_eq!(refused, Some((13, text.to_owned())));
}

/// The fuzz target goes further.
#[test]
fn changed_frames_are_read_or_refused() {
    let header = Header::new(Format::THeader).with_string("a", "b");
    let mut other = header.clone().with_transform(Transform::Zlib);
    other.format = Format::TtHeader;
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % below
    };
    for header in [header, other] {
        let frame = header.encode(b"\x82\x21\x07\x03add\x15\x0a\0").unwrap();
        let bytes = [&(frame.len() as u32).to_be_bytes(), &frame[..]].concat();
        for original in [frame, bytes] {
            headers::check(&original);
            for _ in 0..2000 {
                let mut changed = original.clone();
                for _ in 0..=random(3) {
                    let at = random(changed.len());
                    changed[at] = [0, 1, 0x7F, 0xFF, random(256) as u8][random(5)];
                }
                headers::check(&changed);
            }
        }
    }
}
