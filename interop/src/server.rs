//! Server of the service, over any protocol.

use crate::idl::everything::exchange::{
    EchoArgs, EchoResult, NoteArgs, NotesArgs, NotesResult, SumsArgs, SumsResult,
};
use crate::idl::everything::{Point, Rejected};
use crate::protocol::FRAME_LIMIT;
use bytelane_thrift::header::{ProtocolId, Server};
use bytelane_thrift::{
    ApplicationException, ApplicationExceptionKind, Binary, Compact, Envelope, Error, MessageKind,
    Protocol, framed,
};
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// Answers calls until the input ends.
pub fn serve<P: Protocol>(input: &mut impl Read, output: &mut impl Write) -> anyhow::Result<()> {
    let mut notes = Vec::new();
    let mut frame = Vec::new();
    while framed::read_frame(input, &mut frame, FRAME_LIMIT)? {
        if let Some(reply) = answer::<P>(&frame, &mut notes)? {
            framed::write_frame(output, &reply)?;
            output.flush()?;
        }
    }
    Ok(())
}

/// Answers the calls of a client with headers, with frames or with neither, until the input ends.
pub fn serve_any(streams: impl Read + Write) -> anyhow::Result<()> {
    let mut notes = Vec::new();
    Server::new(streams, FRAME_LIMIT).serve(|call| {
        let strings = call.header().map(|header| header.strings.clone());
        if let (Some(strings), Some(reply)) = (strings, call.reply_header()) {
            reply.strings = strings;
        }
        match call.protocol() {
            ProtocolId::Binary => answer::<Binary>(call.message(), &mut notes),
            ProtocolId::Compact => answer::<Compact>(call.message(), &mut notes),
        }
    })?;
    Ok(())
}

/// Answers a call; returns `None` for a oneway call.
fn answer<P: Protocol>(call: &[u8], notes: &mut Vec<String>) -> Result<Option<Vec<u8>>, Error> {
    let (call, body) = Envelope::decode::<P>(call)?;
    let reply = Envelope {
        kind: MessageKind::Reply,
        ..call
    };
    let reply = match &*reply.name {
        "echo" => {
            let EchoArgs { value } = body.read()?;
            let success = Some(value);
            reply.encode::<P, _>(&EchoResult { success })
        }
        "sums" => {
            let SumsArgs { points } = body.read()?;
            reply.encode::<P, _>(&sums(&points))
        }
        "note" => {
            let NoteArgs { text } = body.read()?;
            notes.push(text);
            return Ok(None);
        }
        "notes" => {
            let NotesArgs {} = body.read()?;
            let success = Some(notes.clone());
            reply.encode::<P, _>(&NotesResult { success })
        }
        name => {
            let exception = ApplicationException {
                message: format!("there is no method {name}"),
                kind: ApplicationExceptionKind::UnknownMethod,
            };
            let kind = MessageKind::Exception;
            Envelope { kind, ..reply }.encode::<P, _>(&exception)
        }
    };
    reply.map(Some)
}

fn sums(points: &[Point]) -> SumsResult {
    if points.is_empty() {
        let rejected = Some(Rejected {
            reason: "no points".to_owned(),
            code: -1,
        });
        return SumsResult {
            rejected,
            ..SumsResult::default()
        };
    }
    let x = points.iter().map(|point| i64::from(point.x)).sum();
    let y = points.iter().filter_map(|point| point.y).sum();
    SumsResult {
        success: Some(BTreeMap::from([("x".to_owned(), x), ("y".to_owned(), y)])),
        ..SumsResult::default()
    }
}
