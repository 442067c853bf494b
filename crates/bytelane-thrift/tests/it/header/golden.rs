//! Frames that other libraries wrote. All of them are the call `add` with the arguments
//! [`AddArgs`], number 7.

use super::{AddArgs, from_hex};
use bytelane_thrift::header::{Format, Header, ProtocolId, Subprotocol, Transform};
use bytelane_thrift::{Binary, Compact, Envelope, MessageKind};

/// Apache Thrift 0.25 for Python: `THeaderProtocol` with `set_header(b"env", b"test")` and
/// `set_header(b"trace", b"7f3a")`; the protocols 0 and 2, without and with `add_transform(1)`.
const PYTHON: [(ProtocolId, bool, &str); 4] = [
    (
        ProtocolId::Binary,
        false,
        "000000390fff00000000000700060000010203656e7604746573740574726163650437663361\
         8001000100000003616464000000070800010000000500",
    ),
    (
        ProtocolId::Binary,
        true,
        "000000400fff0000000000070007000101010203656e7604746573740574726163650437663361000000\
         789c6b606460646060604e4c490152ec1c601e2b03001cbb01c4",
    ),
    (
        ProtocolId::Compact,
        false,
        "0000002c0fff00000000000700060200010203656e7604746573740574726163650437663361\
         82210703616464150a00",
    ),
    (
        ProtocolId::Compact,
        true,
        "000000380fff0000000000070007020101010203656e7604746573740574726163650437663361000000\
         789c6b5264674e4c4911e56200000cb101f6",
    ),
];

/// Apache Thrift 0.22 for Go: `NewTHeaderProtocolConf` with the protocol Compact and zlib,
/// `SetWriteHeader("trace", "7f3a")`.
const GO: &str = "000000300fff00000000000700040201010101057472616365043766336178\
                  9c6a5264674e4c4911e56200040000ffff0cb101f6";

/// `ttheader.EncodeToBytes` of cloudwego/gopkg 0.1.4: `Flags` 1, `SeqID` 7, the integer key
/// `ToService`, the string `trace`, and `GDPRToken`.
const KITEX: &str = "0000004d1000000100000007000b0000110006736563726574010001000574726163650004376633\
                     611000010006000a63616c63756c61746f7280010001000000036164640000000708000100000005\
                     00";

/// Returns the message of the golden frames.
fn message<P: Subprotocol>() -> Vec<u8> {
    let call = Envelope {
        name: "add".into(),
        kind: MessageKind::Call,
        sequence: 7,
    };
    call.encode::<P, _>(&AddArgs { x: 5 }).unwrap()
}

fn message_in(protocol: ProtocolId) -> Vec<u8> {
    match protocol {
        ProtocolId::Binary => message::<Binary>(),
        ProtocolId::Compact => message::<Compact>(),
    }
}

/// Reads a golden frame with its length.
fn decode(frame: &[u8]) -> (Header, Vec<u8>) {
    assert_eq!(frame[..4], (frame.len() as u32 - 4).to_be_bytes());
    let (header, message) = Header::decode(&frame[4..], 1 << 20).unwrap();
    (header, message.into_owned())
}

#[test]
fn frames_of_apache_thrift_for_python_are_read_and_written() {
    for (protocol, zlib, frame) in PYTHON {
        let frame = from_hex(frame);
        let (header, message) = decode(&frame);
        let mut expected = Header::new(Format::THeader)
            .with_string("env", "test")
            .with_string("trace", "7f3a");
        expected.sequence = 7;
        expected.protocol = protocol;
        if zlib {
            expected = expected.with_transform(Transform::Zlib);
        }
        assert_eq!(header, expected);
        assert_eq!(message, message_in(protocol));
        let written = header.encode(&message).unwrap();
        if zlib {
            // The header is the same; zlib's output depends on the library.
            assert_eq!(written[..38], frame[4..42]);
            assert_eq!(Header::decode(&written, 100).unwrap().1, message);
        } else {
            assert_eq!(written, frame[4..]);
        }
    }
}

#[test]
fn frames_of_apache_thrift_for_go_are_read() {
    let (header, found) = decode(&from_hex(GO));
    assert_eq!(header.string("trace"), Some(&b"7f3a"[..]));
    assert_eq!(header.transforms, [Transform::Zlib]);
    assert_eq!(found, message::<Compact>());
}

#[test]
fn frames_of_kitex_are_read_and_written() {
    let frame = from_hex(KITEX);
    let (header, found) = decode(&frame);
    assert_eq!(header.format, Format::TtHeader);
    assert_eq!((header.flags, header.sequence), (1, 7));
    assert_eq!(header.string("trace"), Some(&b"7f3a"[..]));
    assert_eq!(header.integers[&6], b"calculator");
    assert_eq!(header.token.as_deref(), Some(&b"secret"[..]));
    assert_eq!(found, message::<Binary>());
    assert_eq!(header.encode(&found).unwrap(), frame[4..]);
}

#[test]
fn every_part_of_a_header_comes_back() {
    for format in [Format::THeader, Format::TtHeader] {
        for len in [0, 1, 127, 128, 300, 65_535] {
            let mut header = Header::new(format).with_string("k".repeat(len), vec![0xFF; len]);
            header.flags = 0x8001;
            header.sequence = i32::MIN;
            match format {
                Format::THeader => {
                    header.persistent.insert(b"p".to_vec(), b"q".to_vec());
                }
                Format::TtHeader => {
                    header.integers.insert(65_535, vec![]);
                    header.token = Some(vec![7; len]);
                }
            }
            header.transforms = vec![Transform::Zstd, Transform::Zlib];
            let message = vec![3; len];
            let frame = header.encode(&message).unwrap();
            let (found, body) = Header::decode(&frame, 1 << 20).unwrap();
            assert_eq!((found, &*body), (header, &message[..]));
        }
    }
}
