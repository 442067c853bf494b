//! Client of the service, over any protocol.

use crate::idl::everything::exchange::{
    EchoArgs, EchoResult, NoteArgs, NotesArgs, NotesResult, SumsArgs, SumsResult,
};
use crate::idl::everything::{Everything, Point, Rejected, Shape, Tree};
use crate::protocol::FRAME_LIMIT;
use anyhow::{Context, Result, ensure};
use bytelane_thrift::header::{Format, Subprotocol, Transform, WithHeader};
use bytelane_thrift::service::Transport;
use bytelane_thrift::{
    ApplicationException, ApplicationExceptionKind, Body, Encode, Envelope, Message, MessageKind,
    Protocol,
};
use std::marker::PhantomData;

/// Calls every method and checks the results.
pub fn call<P: Protocol>(transport: impl Transport) -> Result<()> {
    let protocol = PhantomData::<P>;
    let mut client = Client {
        transport,
        sequence: 0,
        reply: Vec::new(),
        protocol,
    };
    client.check_echo()?;
    client.check_sums()?;
    client.check_notes()?;
    client.check_unknown_method()
}

/// Does the same with headers. The server must reply with the same protocol and number.
pub fn call_with_header<P: Subprotocol>(
    frames: impl Transport,
    format: Format,
    transform: Option<Transform>,
) -> Result<()> {
    let mut transport = WithHeader::<_, P>::new(frames, format, FRAME_LIMIT);
    let header = transport.header();
    header.strings.insert(b"trace".into(), b"7f3a".into());
    header.transforms.extend(transform);
    call::<P>(&mut transport)?;
    let reply = transport.reply_header().context("no call has a reply")?;
    ensure!((reply.format, reply.protocol) == (format, P::ID));
    // The calls: echo, sums twice, note twice, notes, missing.
    ensure!(reply.sequence == 7, "the last reply: {reply:?}");
    Ok(())
}

struct Client<P, T> {
    transport: T,
    sequence: i32,
    reply: Vec<u8>,
    protocol: PhantomData<P>,
}

impl<P: Protocol, T: Transport> Client<P, T> {
    fn message<M>(&mut self, name: &str, kind: MessageKind, body: &M) -> Result<Vec<u8>>
    where
        M: Message + Encode,
    {
        self.sequence += 1;
        let call = Envelope {
            name: name.into(),
            kind,
            sequence: self.sequence,
        };
        Ok(call.encode::<P, _>(body)?)
    }

    /// Calls a method and returns the body of the reply, which may be an exception.
    fn call<M>(&mut self, name: &str, body: &M) -> Result<(MessageKind, Body<'_, P>)>
    where
        M: Message + Encode,
    {
        let message = self.message(name, MessageKind::Call, body)?;
        self.reply = self.transport.call(message)?.as_ref().to_vec();
        let (reply, body) = Envelope::decode::<P>(&self.reply)?;
        ensure!(reply.name == name, "a reply to {}, not {name}", reply.name);
        ensure!(reply.sequence == self.sequence, "a reply to another call");
        Ok((reply.kind, body))
    }

    fn check_echo(&mut self) -> Result<()> {
        let value = Everything {
            text: "two \"quotes\" and a line\n".to_owned(),
            reals: vec![0.1, f64::MIN_POSITIVE, f64::INFINITY],
            data: vec![0, 255],
            // Apache's Go code cannot write a struct without its union.
            shape: Some(Shape::Circle(-0.5)),
            tree: Some(Tree {
                value: 1,
                left: Some(Box::default()),
                others: vec![Tree::default()],
            }),
            ..Everything::default()
        };
        let (_, body) = self.call(
            "echo",
            &EchoArgs {
                value: value.clone(),
            },
        )?;
        let EchoResult { success } = body.read()?;
        ensure!(success == Some(value), "another value came back");
        Ok(())
    }

    fn check_sums(&mut self) -> Result<()> {
        let point = |x, y| Point { x, y };
        let points = vec![point(i32::MAX, None), point(1, Some(-1 << 40))];
        let (_, body) = self.call("sums", &SumsArgs { points })?;
        let SumsResult { success, rejected } = body.read()?;
        let sums = success.unwrap_or_default();
        ensure!(sums["x"] == 1 << 31 && sums["y"] == -1 << 40 && rejected.is_none());

        let (_, body) = self.call("sums", &SumsArgs::default())?;
        let SumsResult { success, rejected } = body.read()?;
        let expected = Rejected {
            reason: "no points".to_owned(),
            code: -1,
        };
        ensure!(success.is_none() && rejected == Some(expected));
        Ok(())
    }

    fn check_notes(&mut self) -> Result<()> {
        for text in ["first", ""] {
            let text = text.to_owned();
            let message = self.message("note", MessageKind::Oneway, &NoteArgs { text })?;
            self.transport.send(message)?;
        }
        let (_, body) = self.call("notes", &NotesArgs {})?;
        let NotesResult { success } = body.read()?;
        ensure!(success.unwrap_or_default() == ["first", ""]);
        Ok(())
    }

    fn check_unknown_method(&mut self) -> Result<()> {
        let (kind, body) = self.call("missing", &NotesArgs {})?;
        ensure!(kind == MessageKind::Exception, "a method that is not there");
        let exception: ApplicationException = body.read()?;
        ensure!(exception.kind == ApplicationExceptionKind::UnknownMethod);
        Ok(())
    }
}
