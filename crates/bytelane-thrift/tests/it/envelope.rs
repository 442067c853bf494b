//! Tests calls and replies, and their frames.

use crate::common::{Point, everything};
use bytelane_thrift::{
    ApplicationException, ApplicationExceptionKind, Binary, Compact, Envelope, ErrorKind, Json,
    MessageKind, Protocol, SimpleJson, framed,
};

fn envelope(kind: MessageKind) -> Envelope<'static> {
    Envelope {
        name: "ping".into(),
        kind,
        sequence: 7,
    }
}

#[test]
fn all_kinds_travel() {
    fn test<P: Protocol>() {
        for kind in [
            MessageKind::Call,
            MessageKind::Reply,
            MessageKind::Exception,
            MessageKind::Oneway,
        ] {
            let sent = Envelope {
                sequence: -5,
                ..envelope(kind)
            };
            let bytes = sent.encode::<P, _>(&everything()).unwrap();
            let (received, body) = Envelope::decode::<P>(&bytes).unwrap();
            assert_eq!(received, sent);
            assert_eq!(
                body.read::<crate::common::Everything>().unwrap(),
                everything()
            );
            let longer = [&bytes[..], b"?"].concat();
            let (_, body) = Envelope::decode::<P>(&longer).unwrap();
            let error = body.read::<crate::common::Everything>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::TrailingBytes);
            for len in (0..bytes.len()).step_by(7) {
                let read = Envelope::decode::<P>(&bytes[..len])
                    .and_then(|(_, body)| body.read::<crate::common::Everything>());
                assert!(read.is_err());
            }
        }
    }
    test::<Binary>();
    test::<Binary<false>>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

#[test]
fn the_bytes_are_those_of_the_specification() {
    let point = Point { x: 5, y: None };
    let call = envelope(MessageKind::Call);
    let bytes = call.encode::<Binary, _>(&point).unwrap();
    assert_eq!(
        bytes,
        b"\x80\x01\0\x01\0\0\0\x04ping\0\0\0\x07\x08\0\x01\0\0\0\x05\0"
    );
    let bytes = call.encode::<Binary<false>, _>(&point).unwrap();
    assert_eq!(bytes, b"\0\0\0\x04ping\x01\0\0\0\x07\x08\0\x01\0\0\0\x05\0");
    let error = Envelope::decode::<Binary>(&bytes).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidVersion);
    let bytes = call.encode::<Compact, _>(&point).unwrap();
    assert_eq!(bytes, b"\x82\x21\x07\x04ping\x15\x0a\0");
    let bytes = call.encode::<Json, _>(&point).unwrap();
    assert_eq!(bytes, br#"[1,"ping",1,7,{"1":{"i32":5}}]"#);
    let bytes = call.encode::<SimpleJson, _>(&point).unwrap();
    assert_eq!(bytes, br#"[1,"ping",1,7,{"x":5}]"#);
}

#[test]
fn malformed_envelopes() {
    fn kind<P: Protocol>(message: &[u8]) -> ErrorKind {
        Envelope::decode::<P>(message).unwrap_err().kind()
    }
    assert_eq!(
        kind::<Binary>(b"\x80\x02\0\x01...."),
        ErrorKind::InvalidVersion
    );
    assert_eq!(
        kind::<Binary>(b"\x80\x01\0\x05\0\0\0\0\0\0\0\0"),
        ErrorKind::InvalidMessageKind(5)
    );
    assert_eq!(
        kind::<Binary<false>>(b"\xff\xff\xff\xff...."),
        ErrorKind::InvalidVersion
    );
    assert_eq!(kind::<Compact>(b"\x81\x21\0\0"), ErrorKind::InvalidVersion);
    assert_eq!(kind::<Compact>(b"\x82\x22\0\0"), ErrorKind::InvalidVersion);
    assert_eq!(
        kind::<Compact>(b"\x82\xe1\0\0"),
        ErrorKind::InvalidMessageKind(7)
    );
    assert_eq!(kind::<Json>(b"[2,\"x\",1,1,{}]"), ErrorKind::InvalidVersion);
    assert_eq!(
        kind::<Json>(b"[1,\"x\",0,1,{}]"),
        ErrorKind::InvalidMessageKind(0)
    );
}

#[test]
fn application_exceptions() {
    let exception = ApplicationException {
        message: "no such method".into(),
        kind: ApplicationExceptionKind::UnknownMethod,
    };
    let bytes = envelope(MessageKind::Exception)
        .encode::<Json, _>(&exception)
        .unwrap();
    let expected = r#"[1,"ping",3,7,{"1":{"str":"no such method"},"2":{"i32":1}}]"#;
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    assert_eq!(exception.to_string(), "unknown method: no such method");
}

#[test]
fn frames() {
    let messages = [&b"one"[..], b"", b"three"];
    let mut stream = Vec::new();
    for message in messages {
        framed::write_frame(&mut stream, message).unwrap();
    }
    let mut frame = vec![1, 2, 3];
    let mut rest = &stream[..];
    for message in messages {
        assert!(framed::read_frame(&mut rest, &mut frame, 5).unwrap());
        assert_eq!(frame, message);
    }
    assert!(!framed::read_frame(&mut rest, &mut frame, 5).unwrap());

    let mut kind = |mut stream: &[u8]| {
        framed::read_frame(&mut stream, &mut frame, 1 << 30)
            .unwrap_err()
            .kind()
    };
    assert_eq!(kind(b"\0\0\0"), std::io::ErrorKind::UnexpectedEof);
    assert_eq!(kind(b"\x10\0\0\0abc"), std::io::ErrorKind::UnexpectedEof);
    assert_eq!(kind(b"\xff\xff\xff\xff"), std::io::ErrorKind::InvalidData);
    assert_eq!(kind(b"\x7f\xff\xff\xff"), std::io::ErrorKind::InvalidData);
    assert!(
        frame.capacity() < 4096,
        "a frame that does not arrive takes no memory"
    );
}
