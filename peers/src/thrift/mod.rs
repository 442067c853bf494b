//! Thrift messages: bytelane-thrift and other crates.

mod apache;
mod fbthrift;
mod pilota;
mod structs;

use anyhow::bail;
use bytelane::Backend;
use bytelane_measure::data::{Dataset, ElementType};
use bytelane_measure::rounds::{Rounds, Subject};
use bytelane_measure::row::{Row, Workload};
use bytelane_measure::transform::MEMCPY;
use bytelane_thrift::{Compact, DecodeOwned, Encode, Json, Message, Protocol, SimpleJson};
use bytes::Bytes;
use std::fmt::Debug;
use std::hint::black_box;
use structs::*;

macro_rules! values {
    ($($Bound:path),*) => {
        /// Values that every library can write and read.
        pub trait Value: $($Bound +)* 'static {}

        impl<T: $($Bound +)* 'static> Value for T {}
    };
}
values!(
    Message,
    Encode,
    DecodeOwned,
    apache::Value,
    pilota::Value,
    fbthrift::Value,
    PartialEq,
    Debug
);

/// A library, or a backend of bytelane, with one value in one protocol.
struct Peer<'a, T> {
    library: Option<&'static str>,
    backend: &'static str,
    /// Message that was written.
    message: Vec<u8>,
    /// Value that was read from the message.
    value: T,
    write: Subject<'a>,
    read: Subject<'a>,
}

type Peers<'a, T> = Vec<Peer<'a, T>>;

/// Creates a peer from the two calls of a library. It reads `Bytes`, as a service has them.
fn peer<'a, T: Value, M: AsRef<[u8]>>(
    library: &'static str,
    value: &'a T,
    write: impl Fn(&T) -> M + 'a,
    read: impl Fn(&Bytes) -> T + 'a,
) -> Peer<'a, T> {
    let message = write(value).as_ref().to_vec();
    let received = Bytes::from(message.clone());
    Peer {
        library: Some(library),
        backend: "",
        message,
        value: read(&received),
        write: Subject::new(library, move |_| {
            black_box(write(black_box(value)));
        }),
        read: Subject::new(library, move |_| {
            black_box(read(black_box(&received)));
        }),
    }
}

/// Creates peers for bytelane on every backend. It runs on the one that is active in the process.
fn bytelane<P: Protocol, T: Value>(value: &T) -> Peers<'_, T> {
    let on = |backend: Backend| {
        let activate = move || Backend::set_active(backend).expect("it is available");
        activate();
        let peer = peer(
            backend.name(),
            value,
            |value| value.encode::<P>().expect("within the limits"),
            |message| T::decode::<P>(message).expect("its own message"),
        );
        Peer {
            library: None,
            backend: backend.name(),
            write: peer.write.prepared_by(activate),
            read: peer.read.prepared_by(activate),
            ..peer
        }
    };
    Backend::available().map(on).collect()
}

fn binary<T: Value>(value: &T) -> Peers<'_, T> {
    let mut peers = bytelane::<bytelane_thrift::Binary, T>(value);
    peers.extend([
        peer("thrift", value, apache::write_binary, |bytes| {
            apache::read_binary(bytes)
        }),
        peer("pilota", value, pilota::write_binary, |bytes| {
            pilota::read_binary(bytes.clone())
        }),
        peer(
            "pilota unchecked",
            value,
            pilota::write_binary_unchecked,
            |bytes| pilota::read_binary_unchecked(bytes.clone()),
        ),
        peer("fbthrift", value, T::write_binary, |bytes| {
            T::read_binary(bytes.clone())
        }),
    ]);
    peers
}

/// Creates peers for Apache's dialect. The crate `fbthrift` has the other one, in which doubles
/// differ.
fn compact<T: Value>(value: &T) -> Peers<'_, T> {
    let mut peers = bytelane::<Compact, T>(value);
    peers.extend([
        peer("thrift", value, apache::write_compact, |bytes| {
            apache::read_compact(bytes)
        }),
        peer("pilota", value, pilota::write_compact, |bytes| {
            pilota::read_compact(bytes.clone())
        }),
    ]);
    peers
}

fn simple_json<T: Value>(value: &T) -> Peers<'_, T> {
    let mut peers = bytelane::<SimpleJson, T>(value);
    peers.push(peer("fbthrift", value, T::write_json, |bytes| {
        T::read_json(bytes.clone())
    }));
    peers
}

/// Measures every value in every protocol; only a few sizes if `quick`.
pub fn measure(rounds: &Rounds, operation: Option<&str>, quick: bool) -> anyhow::Result<Vec<Row>> {
    let active = Backend::active();
    let mut run = Run {
        rounds,
        operation,
        quick,
        rows: Vec::new(),
    };
    let outcome = run
        .structs()
        .and_then(|()| run.texts())
        .and_then(|()| run.lists());
    Backend::set_active(active)?;
    outcome.map(|()| run.rows)
}

struct Run<'a> {
    rounds: &'a Rounds,
    operation: Option<&'a str>,
    quick: bool,
    rows: Vec<Row>,
}

impl Run<'_> {
    /// Measures small structs, filled as in ProtocolBench.
    fn structs(&mut self) -> anyhow::Result<()> {
        let data = "published";
        self.value("SmallInt", data, 1, &Int { number: 5 })?;
        let text = "small string".to_owned();
        self.value("SmallString", data, 12, &Text { text })?;
        let bytes = generated("random", ElementType::U8, 12)?;
        self.value("SmallBinary", data, 12, &Binary { bytes })?;
        let mixed = Mixed {
            int32: 5,
            int64: 12345,
            flag: true,
            text: "hello".repeat(4),
        };
        self.value("Mixed", data, 4, &mixed)?;
        let list = vec![mixed; 1000];
        self.value("ListMixed", data, 1000, &ListMixed { list })
    }

    fn texts(&mut self) -> anyhow::Result<()> {
        for values in self.sizes(&[30, 10_000]) {
            for data in [
                "letters",
                "prose",
                "escapes_1",
                "escapes_10",
                "cjk",
                "emoji",
            ] {
                let text = String::from_utf8(generated(data, ElementType::U8, values)?)?;
                self.value("Text", data, values, &Text { text })?;
            }
            let bytes = generated("random", ElementType::U8, values)?;
            self.value("Binary", "random", values, &Binary { bytes })?;
        }
        Ok(())
    }

    fn lists(&mut self) -> anyhow::Result<()> {
        for values in self.sizes(&[16, 100, 12_345]) {
            let list = numbers("random", ElementType::I16, values, i16::from_le_bytes)?;
            self.value("ListShort", "random", values, &ListShort { list })?;
            let list = numbers("smooth", ElementType::F64, values, f64::from_le_bytes)?;
            self.value("ListDouble", "smooth", values, &ListDouble { list })?;
            for data in ["random", "one_byte", "two_bytes", "mixed_widths"] {
                let list = numbers(data, ElementType::I32, values, i32::from_le_bytes)?;
                self.value("ListInt", data, values, &ListInt { list })?;
            }
            for data in ["random", "all_widths"] {
                let list = numbers(data, ElementType::I64, values, i64::from_le_bytes)?;
                self.value("ListBigInt", data, values, &ListBigInt { list })?;
            }
        }
        Ok(())
    }

    fn sizes(&self, all: &'static [usize]) -> Vec<usize> {
        all[..if self.quick { 1 } else { all.len() }].to_vec()
    }

    /// Measures one value in every protocol.
    fn value<T: Value>(
        &mut self,
        name: &str,
        data: &str,
        values: usize,
        value: &T,
    ) -> anyhow::Result<()> {
        // No other crate has JSON. In SimpleJSON, numbers and base64 can be written in several
        // ways.
        for (protocol, peers, one_way) in [
            ("binary", binary(value), true),
            ("compact", compact(value), true),
            ("json", bytelane::<Json, T>(value), true),
            ("simple_json", simple_json(value), false),
        ] {
            let wanted = peers[0].message.clone();
            let mut right = Vec::new();
            for peer in peers {
                let same = peer.value == *value && (!one_way || peer.message == wanted);
                match peer.library {
                    _ if same => right.push(peer),
                    Some(library) => eprintln!("{library} left out: another {name} in {protocol}"),
                    None => bail!("{}: another {name} in {protocol}", peer.backend),
                }
            }
            let case = Case {
                name,
                data,
                values,
                protocol,
                plain: value.encode::<bytelane_thrift::Binary>()?,
            };
            self.measure(&case, right);
        }
        Ok(())
    }

    fn measure<T>(&mut self, case: &Case, peers: Peers<T>) {
        let mut who = vec![(None, MEMCPY, case.plain.len())];
        let (mut writes, mut reads) = (vec![case.memcpy()], vec![case.memcpy()]);
        for peer in peers {
            who.push((peer.library, peer.backend, peer.message.len()));
            writes.push(peer.write);
            reads.push(peer.read);
        }
        for (operation, subjects) in [("write", writes), ("read", reads)] {
            if self.operation.is_some_and(|wanted| wanted != operation) {
                continue;
            }
            let measured = case.workload(operation).measure(self.rounds, subjects);
            for (mut row, &(library, backend, encoded)) in measured.into_iter().zip(&who) {
                row.library = library.map(str::to_owned);
                row.backend = backend.to_owned();
                let row = row
                    .with("protocol", case.protocol)
                    .with("struct", case.name);
                self.rows.push(row.with("encoded_bytes", encoded));
            }
        }
    }
}

/// One value in one protocol.
struct Case<'a> {
    name: &'a str,
    data: &'a str,
    values: usize,
    protocol: &'a str,
    /// Message in the Binary protocol: its bytes represent those of the value.
    plain: Vec<u8>,
}

impl Case<'_> {
    fn memcpy(&self) -> Subject<'_> {
        Subject::new(MEMCPY, |_| {
            black_box(black_box(&self.plain).to_vec());
        })
    }

    fn workload(&self, operation: &str) -> Workload {
        Workload {
            codec: "thrift".to_owned(),
            parameters: format!("protocol={}", self.protocol),
            operation: operation.to_owned(),
            element_type: self.name.to_owned(),
            data: self.data.to_owned(),
            values: self.values as u64,
            bytes: self.plain.len() as u64,
            evicted: false,
        }
    }
}

fn generated(data: &str, element: ElementType, values: usize) -> anyhow::Result<Vec<u8>> {
    let dataset: &Dataset = data.parse()?;
    Ok(dataset.generate(element, values, 1))
}

fn numbers<T, const N: usize>(
    data: &str,
    element: ElementType,
    values: usize,
    from: fn([u8; N]) -> T,
) -> anyhow::Result<Vec<T>> {
    let bytes = generated(data, element, values)?;
    Ok(bytes.as_chunks().0.iter().copied().map(from).collect())
}
