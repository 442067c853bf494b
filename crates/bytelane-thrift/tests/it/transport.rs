//! Tests messages over TCP, framed and unframed.

use crate::common::{Everything, everything};
use bytelane_thrift::unframed::{MessageReader, Scanner};
use bytelane_thrift::{
    Binary, Compact, Envelope, ErrorKind, Json, Limits, MessageKind, Protocol, SimpleJson, framed,
};
use std::io::{self, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Returns the two ends of a connection, without `TCP_NODELAY`.
fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

const CALLS: usize = 100;

/// Measures the calls that `call` makes to a server that `answer`s.
fn time(
    answer: impl Fn(&mut TcpStream) + Send + 'static,
    call: impl Fn(&mut TcpStream),
) -> Duration {
    let (mut client, mut server) = connection();
    let thread = std::thread::spawn(move || (0..CALLS).for_each(|_| answer(&mut server)));
    let start = Instant::now();
    (0..CALLS).for_each(|_| call(&mut client));
    let took = start.elapsed();
    thread.join().unwrap();
    took
}

fn take_frame(stream: &mut TcpStream) -> Vec<u8> {
    let mut frame = Vec::new();
    assert!(framed::read_frame(stream, &mut frame, 1 << 20).unwrap());
    frame
}

/// If the length were written separately, each call would wait 40 ms for an acknowledgement.
#[test]
fn a_framed_call_takes_at_most_twice_as_long_as_an_echo() {
    let message = [7; 300];
    let framed = || {
        time(
            |stream| {
                let frame = take_frame(stream);
                framed::write_frame(stream, &frame).unwrap();
            },
            |stream| {
                framed::write_frame(stream, &message).unwrap();
                assert_eq!(take_frame(stream), message);
            },
        )
    };
    let echo = || {
        let pass = |stream: &mut TcpStream| {
            let mut bytes = [0; 304];
            stream.read_exact(&mut bytes).unwrap();
            bytes
        };
        time(
            move |stream| {
                let bytes = pass(stream);
                stream.write_all(&bytes).unwrap();
            },
            |stream| {
                stream.write_all(&[7; 304]).unwrap();
                pass(stream);
            },
        )
    };
    // Other tests use the CPU as well, so one undisturbed round is enough.
    let mut rounds = (0..30).map(|_| (echo(), framed()));
    assert!(rounds.any(|(echo, framed)| framed <= 2 * echo));
}

/// Counts writes, and accepts only a part of each.
struct Counts {
    calls: usize,
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Counts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        self.calls += 1;
        let all: Vec<u8> = pieces.iter().flat_map(|piece| piece.to_vec()).collect();
        let taken = &all[..all.len().min(self.most)];
        self.bytes.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_frame_is_written_once() {
    for len in [0usize, 1, 5000, 8192, 8193, 1_000_000] {
        let message: Vec<u8> = (0..len).map(|i| i as u8).collect();
        let expected = [&(len as u32).to_be_bytes()[..], &message].concat();
        for (most, calls) in [(usize::MAX, 1), (50_000, (len + 4).div_ceil(50_000))] {
            let mut to = Counts {
                calls: 0,
                bytes: Vec::new(),
                most,
            };
            framed::write_frame(&mut to, &message).unwrap();
            assert_eq!(to.bytes, expected);
            assert_eq!(to.calls, calls, "{len}");
        }
    }
}

fn envelope(sequence: i32) -> Envelope<'static> {
    Envelope {
        name: "method".into(),
        kind: MessageKind::Call,
        sequence,
    }
}

/// Returns three messages.
fn messages<P: Protocol>() -> Vec<Vec<u8>> {
    let of = |value: &Everything, i| envelope(i).encode::<P, _>(value).unwrap();
    vec![
        of(&everything(), 1),
        of(&Everything::default(), 2),
        of(&everything(), 3),
    ]
}

/// Returns this many bytes at a time.
struct Parts<'a>(&'a [u8], usize);

impl Read for Parts<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let len = self.0.len().min(to.len()).min(self.1);
        to[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

#[test]
fn messages_without_frames() {
    fn test<P: Protocol>() {
        let messages = messages::<P>();
        let stream = messages.concat();
        for most in [1, 7, 1000, usize::MAX] {
            let mut reader = MessageReader::<_, P>::new(Parts(&stream, most), stream.len());
            for message in &messages {
                assert_eq!(reader.read_message().unwrap().unwrap(), message);
            }
            assert!(reader.read_message().unwrap().is_none());
        }
        let cut = &stream[..stream.len() - 1];
        let mut reader = MessageReader::<_, P>::new(Parts(cut, 100), stream.len());
        for _ in 0..2 {
            assert!(reader.read_message().unwrap().is_some());
        }
        let error = reader.read_message().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let mut reader = MessageReader::<_, P>::new(&stream[..], messages[0].len() - 1);
        let error = reader.read_message().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
    test::<Binary>();
    test::<Binary<false>>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

/// A message that arrives a byte at a time needs only a few looks at each byte.
#[test]
fn a_slow_stream_costs_no_more() {
    fn test<P: Protocol>() {
        let value = Everything {
            longs: (0..20_000).collect(),
            texts: vec!["text".into(); 2000],
            ..Everything::default()
        };
        let message = envelope(1).encode::<P, _>(&value).unwrap();
        let mut scanner = Scanner::<P>::default();
        let start = Instant::now();
        for len in 0..message.len() {
            assert_eq!(scanner.message_len(&message[..len]).unwrap(), None);
        }
        assert_eq!(scanner.message_len(&message).unwrap(), Some(message.len()));
        // Starting over each time would take minutes.
        assert!(start.elapsed() < Duration::from_secs(5));
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
}

#[test]
fn a_scanner_has_limits() {
    let message = &messages::<Binary>()[0];
    let mut scanner = Scanner::<Binary>::new(Limits::default().with_depth(2));
    let error = scanner.message_len(message).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DepthLimit);
    let error = scanner.message_len(b"????").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidVersion);
}

/// A long message arrives in small reads: the buffer is not cleared for each of them.
#[test]
fn a_reader_of_small_pieces_takes_linear_time() {
    let value = Everything {
        data: vec![7; 1 << 20],
        ..Everything::default()
    };
    let message = envelope(1).encode::<Binary, _>(&value).unwrap();
    let time = |most: usize| {
        let start = Instant::now();
        let parts = Parts(&message, most);
        let mut reader = MessageReader::<_, Binary>::new(parts, message.len());
        assert_eq!(reader.read_message().unwrap().unwrap(), message);
        start.elapsed()
    };
    // Clearing it for each byte would take 500 GB.
    assert!(time(1) < Duration::from_secs(5));
}

/// Small messages after a large one do not move each other.
#[test]
fn small_messages_after_a_large_one_take_linear_time() {
    let large = Everything {
        data: vec![7; 8 << 20],
        ..Everything::default()
    };
    let large = envelope(1).encode::<Binary, _>(&large).unwrap();
    let small = envelope(2)
        .encode::<Binary, _>(&Everything::default())
        .unwrap();
    let count = (8 << 20) / small.len();
    let stream = [&large[..], &small.repeat(count)].concat();
    let mut reader = MessageReader::<_, Binary>::new(&stream[..], large.len());
    let start = Instant::now();
    assert_eq!(reader.read_message().unwrap().unwrap(), large);
    for _ in 0..count {
        assert_eq!(reader.read_message().unwrap().unwrap(), small);
    }
    assert!(reader.read_message().unwrap().is_none());
    assert!(start.elapsed() < Duration::from_secs(10));
}
