//! Generated clients call generated dispatchers, in memory; the examples do so over TCP.

#![allow(clippy::duplicate_mod, reason = "each example is a program by itself")]

#[path = "../../examples/blocking.rs"]
mod example_blocking;
#[path = "../../examples/headers.rs"]
mod example_headers;
#[path = "../../examples/tokio.rs"]
mod example_tokio;

use crate::generated::common_shared::base::{self, AsyncBase, Base, BaseClient};
use crate::generated::everything::calculator::{
    self, AddArgs, AddException, AddResult, AsyncCalculator, Calculator, CalculatorClient, LogArgs,
    NothingArgs, TreesArgs, TreesResult,
};
use crate::generated::everything::{LowerCaseError, NotFound, Tree};
use bytelane_thrift::service::{
    self, AsyncClient, AsyncTransport, CallError, Client, Method, Request, Transport,
};
use bytelane_thrift::{
    ApplicationException, ApplicationExceptionKind as Kind, Binary, Compact, Encode, Envelope,
    FbthriftCompact, Json, Message, MessageKind, Protocol, SimpleJson,
};
use std::collections::BTreeSet;
use std::io;
use std::marker::PhantomData;
use std::sync::Mutex;

/// A calculator for small numbers.
#[derive(Default)]
struct Small {
    texts: Mutex<Vec<String>>,
}

impl Small {
    fn sum(first: i32, second: i32) -> service::Result<i32, AddException> {
        match first {
            ..0 => Err(NotFound {
                message: "negative".into(),
            })?,
            100.. => Err(AddException::from(LowerCaseError { code: first }))?,
            42 => Err(io::Error::other("no answer"))?,
            43 => Err(ApplicationException {
                message: "busy".into(),
                kind: Kind::Other,
            })?,
            _ => Ok(first + second),
        }
    }

    fn note(&self, text: String) {
        self.texts.lock().unwrap().push(text);
    }
}

impl Base for Small {
    fn ping(&self) -> service::Result<()> {
        self.note("ping".into());
        Ok(())
    }
}

impl Calculator for Small {
    fn add(&self, first: i32, second: i32) -> service::Result<i32, AddException> {
        Self::sum(first, second)
    }

    fn log(&self, text: String) {
        self.note(text);
    }

    fn nothing(&self) -> service::Result<()> {
        Ok(())
    }

    fn trees(&self, of: BTreeSet<Tree>) -> service::Result<Vec<Tree>> {
        Ok(of.into_iter().collect())
    }
}

impl AsyncBase for Small {
    async fn ping(&self) -> service::Result<()> {
        Base::ping(self)
    }
}

impl AsyncCalculator for Small {
    async fn add(&self, first: i32, second: i32) -> service::Result<i32, AddException> {
        Self::sum(first, second)
    }

    async fn log(&self, text: String) {
        self.note(text);
    }

    async fn nothing(&self) -> service::Result<()> {
        Ok(())
    }

    async fn trees(&self, of: BTreeSet<Tree>) -> service::Result<Vec<Tree>> {
        Ok(of.into_iter().collect())
    }
}

/// A server in the same thread, as a transport.
struct Loopback<'a, P>(&'a Small, PhantomData<fn() -> P>);

impl<P: Protocol> Transport for Loopback<'_, P> {
    type Reply = Vec<u8>;

    fn call(&mut self, message: Vec<u8>) -> io::Result<Vec<u8>> {
        let request = Request::<P>::decode(&message).map_err(io::Error::other)?;
        calculator::dispatch(self.0, request).ok_or_else(|| io::Error::other("no reply"))
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        let request = Request::<P>::decode(&message).map_err(io::Error::other)?;
        assert_eq!(calculator::dispatch(self.0, request), None);
        Ok(())
    }
}

impl<P: Protocol> AsyncTransport for Loopback<'_, P> {
    type Reply = Vec<u8>;

    async fn call(&mut self, message: Vec<u8>) -> io::Result<Vec<u8>> {
        let request = Request::<P>::decode(&message).map_err(io::Error::other)?;
        let reply = calculator::dispatch_async(self.0, request).await;
        reply.ok_or_else(|| io::Error::other("no reply"))
    }

    async fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        let request = Request::<P>::decode(&message).map_err(io::Error::other)?;
        assert_eq!(calculator::dispatch_async(self.0, request).await, None);
        Ok(())
    }
}

fn trees() -> BTreeSet<Tree> {
    BTreeSet::from([1, 2].map(|value| Tree {
        value,
        ..Tree::default()
    }))
}

/// Describes the failure of a call.
fn kinds<T: std::fmt::Debug>(result: service::Result<T, AddException>) -> (&'static str, String) {
    match result.unwrap_err() {
        CallError::Exception(AddException::NotFound(found)) => ("not found", found.message),
        CallError::Exception(AddException::LowerCaseError(error)) => {
            ("code", error.code.to_string())
        }
        CallError::Application(error) if error.kind == Kind::InternalError => {
            ("internal", error.message)
        }
        CallError::Application(error) => ("application", error.message),
        error => ("other", error.to_string()),
    }
}

fn blocking<P: Protocol>(small: &Small) {
    let mut client = CalculatorClient::new(Client::<P, _>::new(Loopback::<P>(small, PhantomData)));
    assert_eq!(client.add(1, 2).unwrap(), 3);
    assert_eq!(kinds(client.add(-1, 2)), ("not found", "negative".into()));
    assert_eq!(kinds(client.add(100, 2)), ("code", "100".into()));
    assert_eq!(kinds(client.add(42, 0)), ("internal", "no answer".into()));
    assert_eq!(kinds(client.add(43, 0)), ("application", "busy".into()));
    client.log("text".into()).unwrap();
    client.nothing().unwrap();
    assert!(client.trees(trees()).unwrap().into_iter().eq(trees()));
    // A method of the parent, which its own client has as well.
    client.ping().unwrap();
    let parent: &mut BaseClient<_> = &mut client;
    parent.ping().unwrap();
    assert_eq!(*small.texts.lock().unwrap(), ["text", "ping", "ping"]);
}

#[test]
fn clients_call_dispatchers() {
    blocking::<Binary>(&Small::default());
    blocking::<Binary<false>>(&Small::default());
    blocking::<Compact>(&Small::default());
    blocking::<FbthriftCompact>(&Small::default());
    blocking::<Json>(&Small::default());
    blocking::<SimpleJson>(&Small::default());
}

async fn asynchronous<P: Protocol>(small: &Small) {
    let client = AsyncClient::<P, _>::new(Loopback::<P>(small, PhantomData));
    let mut client = CalculatorClient::new(client);
    assert_eq!(client.add(1, 2).await.unwrap(), 3);
    assert_eq!(
        kinds(client.add(-1, 2).await),
        ("not found", "negative".into())
    );
    assert_eq!(
        kinds(client.add(42, 0).await),
        ("internal", "no answer".into())
    );
    client.log("text".into()).await.unwrap();
    client.nothing().await.unwrap();
    assert!(client.trees(trees()).await.unwrap().into_iter().eq(trees()));
    client.ping().await.unwrap();
    assert_eq!(*small.texts.lock().unwrap(), ["text", "ping"]);
}

/// A server can spawn futures on threads, even if the protocol is a parameter.
fn sendable<P: Protocol>(small: &Small) -> impl Future<Output = ()> + Send {
    asynchronous::<P>(small)
}

#[test]
fn asynchronous_clients_call_asynchronous_dispatchers() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(sendable::<Binary>(&Small::default()));
    runtime.block_on(sendable::<Compact>(&Small::default()));
    runtime.block_on(sendable::<Json>(&Small::default()));
}

fn message<P: Protocol, M: Message + Encode>(
    name: &str,
    kind: MessageKind,
    sequence: i32,
    body: &M,
) -> Vec<u8> {
    let envelope = Envelope {
        name: name.into(),
        kind,
        sequence,
    };
    envelope.encode::<P, _>(body).unwrap()
}

/// Returns the exception in a reply with the number 7.
fn exception<P: Protocol>(reply: Option<Vec<u8>>) -> ApplicationException {
    let reply = reply.expect("no reply");
    let (envelope, body) = Envelope::decode::<P>(&reply).unwrap();
    assert_eq!(
        (envelope.kind, envelope.sequence),
        (MessageKind::Exception, 7)
    );
    body.read().unwrap()
}

#[test]
fn servers_refuse_what_they_cannot_answer() {
    fn test<P: Protocol>() {
        let small = Small::default();
        let answer =
            |message: &[u8]| calculator::dispatch(&small, Request::<P>::decode(message).unwrap());
        let add = AddArgs {
            first: 1,
            second: 2,
        };
        for name in ["", "Add", "add2", "trees_args"] {
            let call = message::<P, _>(name, MessageKind::Call, 7, &add);
            let exception = exception::<P>(answer(&call));
            assert_eq!(exception.kind, Kind::UnknownMethod);
            assert_eq!(
                exception.message,
                format!("the service has no method `{name}`")
            );
            let oneway = message::<P, _>(name, MessageKind::Oneway, 7, &add);
            assert_eq!(answer(&oneway), None);
        }
        // Methods of the derived service are unknown to its parent.
        let call = message::<P, _>("add", MessageKind::Call, 7, &add);
        let reply = base::dispatch(&small, Request::<P>::decode(&call).unwrap());
        assert_eq!(exception::<P>(reply).kind, Kind::UnknownMethod);
        // A client that does not wait for the result gets no reply.
        assert_eq!(
            answer(&message::<P, _>("add", MessageKind::Oneway, 7, &add)),
            None
        );
        assert_eq!(
            answer(&message::<P, _>(
                "log",
                MessageKind::Call,
                7,
                &LogArgs::default()
            )),
            None
        );
        for kind in [MessageKind::Reply, MessageKind::Exception] {
            let reply = message::<P, _>("add", kind, 7, &add);
            assert!(Request::<P>::decode(&reply).is_err());
        }
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
    test::<SimpleJson>();
}

#[test]
fn truncated_and_changed_requests_are_refused() {
    fn test<P: Protocol>() {
        let small = Small::default();
        let calls = [
            message::<P, _>(
                "add",
                MessageKind::Call,
                7,
                &AddArgs {
                    first: 1,
                    second: 2,
                },
            ),
            message::<P, _>("trees", MessageKind::Call, 7, &TreesArgs { of: trees() }),
            message::<P, _>("ping", MessageKind::Call, 7, &NothingArgs {}),
        ];
        let mut malformed = 0;
        for call in calls {
            for len in 0..call.len() {
                if let Ok(request) = Request::<P>::decode(&call[..len]) {
                    let exception = exception::<P>(calculator::dispatch(&small, request));
                    assert_eq!(exception.kind, Kind::ProtocolError);
                    malformed += 1;
                }
                for change in [1, 0x80, 0xff] {
                    let mut changed = call.clone();
                    changed[len] ^= change;
                    // Whatever the message is now, it gets an answer or none.
                    if let Ok(request) = Request::<P>::decode(&changed) {
                        let _ = calculator::dispatch(&small, request);
                    }
                }
            }
        }
        assert!(malformed > 10, "only {malformed}");
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
}

/// Returns the same reply to every call.
struct Always(Vec<u8>);

impl Transport for Always {
    type Reply = Vec<u8>;

    fn call(&mut self, _: Vec<u8>) -> io::Result<Vec<u8>> {
        if self.0.is_empty() {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(self.0.clone())
        }
    }

    fn send(&mut self, _: Vec<u8>) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

#[test]
fn clients_refuse_replies_to_other_calls() {
    fn test<P: Protocol>() {
        let result = AddResult {
            success: Some(3),
            ..AddResult::default()
        };
        let call =
            |reply: Vec<u8>| CalculatorClient::new(Client::<P, _>::new(Always(reply))).add(1, 2);
        let application = |reply: Vec<u8>| match call(reply) {
            Err(CallError::Application(exception)) => exception.kind,
            other => panic!("{other:?}"),
        };
        let reply = |name: &str, kind, sequence| message::<P, _>(name, kind, sequence, &result);
        assert_eq!(call(reply("add", MessageKind::Reply, 1)).unwrap(), 3);
        assert_eq!(
            application(reply("add", MessageKind::Reply, 2)),
            Kind::BadSequence
        );
        assert_eq!(
            application(reply("sub", MessageKind::Reply, 1)),
            Kind::WrongMethodName
        );
        assert_eq!(
            application(reply("add", MessageKind::Call, 1)),
            Kind::InvalidMessageKind
        );
        let empty = message::<P, _>("add", MessageKind::Reply, 1, &AddResult::default());
        assert_eq!(application(empty), Kind::MissingResult);
        let thrown = ApplicationException {
            message: "m".into(),
            kind: Kind::UnknownMethod,
        };
        let thrown = message::<P, _>("add", MessageKind::Exception, 1, &thrown);
        assert_eq!(application(thrown), Kind::UnknownMethod);

        let whole = reply("add", MessageKind::Reply, 1);
        for len in 1..whole.len() {
            let error = call(whole[..len].to_vec()).unwrap_err();
            assert!(matches!(error, CallError::Protocol(_)), "{error:?}");
        }
        let mut client = CalculatorClient::new(Client::<P, _>::new(Always(Vec::new())));
        let error = client.add(1, 2).unwrap_err();
        assert!(
            matches!(error, CallError::Transport(error) if error.kind() == io::ErrorKind::TimedOut)
        );
        let error = client.log(String::new()).unwrap_err();
        assert!(
            matches!(error, CallError::Transport(error) if error.kind() == io::ErrorKind::BrokenPipe)
        );
    }
    test::<Binary>();
    test::<Compact>();
    test::<Json>();
}

#[test]
fn names_and_errors() {
    assert_eq!((calculator::ADD, AddArgs::METHOD), ("add", "add"));
    assert_eq!(base::PING, "ping");
    let error = CallError::from(LowerCaseError { code: 5 });
    let _: &CallError<AddException> = &error;
    assert!(error.to_string().contains('5'));
    let dynamic: &dyn Calculator = &Small::default();
    let call = message::<Compact, _>("trees", MessageKind::Call, 1, &TreesArgs { of: trees() });
    let reply = calculator::dispatch(dynamic, Request::<Compact>::decode(&call).unwrap()).unwrap();
    let (_, body) = Envelope::decode::<Compact>(&reply).unwrap();
    assert_eq!(
        body.read::<TreesResult>().unwrap().success.unwrap().len(),
        2
    );
}

#[test]
fn the_examples_run() {
    example_blocking::main().unwrap();
    example_headers::main().unwrap();
    example_tokio::main().unwrap();
}
