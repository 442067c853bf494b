//! Calls over connections with and without headers.

use super::AddArgs;
use bytelane_thrift::header::{
    Format, Header, ProtocolId, Server, Subprotocol, Transform, WithHeader,
};
use bytelane_thrift::service::{AsyncTransport, Transport};
use bytelane_thrift::{
    Binary, Compact, Envelope, Error, FbthriftCompact, MessageKind, framed, unframed,
};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::thread::{self, JoinHandle};

const LIMIT: usize = 1 << 20;

/// Answers `add` with the argument plus 1.
fn answer<P: Subprotocol>(call: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let (call, body) = Envelope::decode::<P>(call)?;
    let AddArgs { x } = body.read()?;
    let kind = MessageKind::Reply;
    let waits = call.kind == MessageKind::Call;
    let reply = Envelope { kind, ..call }.encode::<P, _>(&AddArgs { x: x + 1 });
    waits.then_some(reply).transpose()
}

/// Returns a connection to a server, which ends with it. The server replies with all strings of a
/// call, and `seen` with the number of its strings.
fn connect() -> (TcpStream, JoinHandle<io::Result<()>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    client.set_nodelay(true).unwrap();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        Server::new(stream, LIMIT).serve(|call| {
            let strings = call.header().map(|header| header.strings.clone());
            if let (Some(strings), Some(reply)) = (strings, call.reply_header()) {
                let seen = strings.len().to_string();
                reply.strings = strings;
                reply.strings.insert(b"seen".to_vec(), seen.into());
            }
            match call.protocol() {
                ProtocolId::Binary => answer::<Binary>(call.message()),
                ProtocolId::Compact => answer::<Compact>(call.message()),
            }
        })
    });
    (client, server)
}

fn message<P: Subprotocol>(kind: MessageKind, sequence: i32) -> Vec<u8> {
    let name = "add".into();
    let call = Envelope {
        name,
        kind,
        sequence,
    };
    call.encode::<P, _>(&AddArgs { x: sequence }).unwrap()
}

fn check<P: Subprotocol>(reply: &[u8], sequence: i32) {
    let (envelope, body) = Envelope::decode::<P>(reply).unwrap();
    assert_eq!(
        (envelope.kind, envelope.sequence),
        (MessageKind::Reply, sequence)
    );
    assert_eq!(body.read::<AddArgs>().unwrap().x, sequence + 1);
}

/// Makes a oneway call and two calls.
fn exchange<P: Subprotocol>(transport: &mut impl Transport) {
    transport
        .send(message::<P>(MessageKind::Oneway, 1))
        .unwrap();
    for sequence in [2, -3] {
        let reply = transport.call(message::<P>(MessageKind::Call, sequence));
        check::<P>(reply.unwrap().as_ref(), sequence);
    }
}

fn with_headers<P: Subprotocol>(format: Format, transforms: &[Transform]) {
    let (stream, server) = connect();
    let frames = framed::Connection::new(stream, LIMIT);
    let mut transport = WithHeader::<_, P>::new(frames, format, LIMIT);
    let header = transport.header();
    header.transforms = transforms.to_vec();
    header.flags = 9;
    header.strings.insert(b"trace".into(), b"7f3a".into());
    let mut seen = &b"1"[..];
    if format == Format::THeader {
        header.persistent.insert(b"once".into(), b"said".into());
        header.persistent.insert(b"trace".into(), b"hidden".into());
        seen = b"2";
    }
    exchange::<P>(&mut transport);
    let reply = transport.reply_header().unwrap();
    assert_eq!((reply.format, reply.protocol), (format, P::ID));
    assert_eq!((reply.flags, reply.sequence), (9, -3));
    assert_eq!(reply.transforms, transforms);
    assert_eq!(reply.string("trace"), Some(&b"7f3a"[..]));
    assert_eq!(reply.string("seen"), Some(seen));
    drop(transport);
    server.join().unwrap().unwrap();
}

#[test]
fn a_server_answers_every_kind_of_client() {
    for format in [Format::THeader, Format::TtHeader] {
        for transforms in [
            &[][..],
            &[Transform::Zlib],
            &[Transform::Zstd],
            &[Transform::Zlib, Transform::Zstd],
        ] {
            with_headers::<Binary>(format, transforms);
            with_headers::<Compact>(format, transforms);
            with_headers::<FbthriftCompact>(format, transforms);
        }
    }
    fn without<P: Subprotocol>() {
        let (stream, server) = connect();
        exchange::<P>(&mut framed::Connection::new(stream, LIMIT));
        server.join().unwrap().unwrap();
        let (stream, server) = connect();
        exchange::<P>(&mut unframed::Connection::<_, P>::new(stream, LIMIT));
        server.join().unwrap().unwrap();
    }
    without::<Binary>();
    without::<Compact>();
}

/// An asynchronous framed transport whose server is a function.
struct InMemory;

impl AsyncTransport for InMemory {
    type Reply = Vec<u8>;

    async fn call(&mut self, frame: Vec<u8>) -> io::Result<Vec<u8>> {
        let (header, message) = Header::decode(&frame, LIMIT).map_err(io::Error::other)?;
        let reply = answer::<Compact>(&message).map_err(io::Error::other)?;
        header.encode(&reply.unwrap()).map_err(io::Error::other)
    }

    async fn send(&mut self, frame: Vec<u8>) -> io::Result<()> {
        self.call(frame).await.map(drop)
    }
}

#[test]
fn asynchronous_transports_have_headers() {
    let mut transport = WithHeader::<_, Compact>::new(InMemory, Format::TtHeader, LIMIT);
    transport.header().transforms.push(Transform::Zlib);
    let reply = {
        let call = AsyncTransport::call(&mut transport, message::<Compact>(MessageKind::Call, 4));
        match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(reply) => reply.unwrap(),
            Poll::Pending => panic!("the reply is there"),
        }
    };
    check::<Compact>(reply.as_ref(), 4);
}

#[test]
fn a_reply_in_another_protocol_is_an_error() {
    struct Other;
    impl Transport for Other {
        type Reply = Vec<u8>;

        fn call(&mut self, _: Vec<u8>) -> io::Result<Vec<u8>> {
            Ok(Header::new(Format::THeader).encode(b"").unwrap())
        }

        fn send(&mut self, _: Vec<u8>) -> io::Result<()> {
            Ok(())
        }
    }
    let mut transport = WithHeader::<_, Compact>::new(Other, Format::THeader, LIMIT);
    let error = Transport::call(&mut transport, message::<Compact>(MessageKind::Call, 1));
    let text = error.map(drop).unwrap_err().to_string();
    assert_eq!(text, "the reply is in the protocol Binary, not Compact");
}
