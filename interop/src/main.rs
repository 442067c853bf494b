//! bytelane's side of the exchanges with Apache Thrift: converts messages, and serves and calls the
//! service in `everything.thrift`. Reads frames from stdin and writes them to stdout.

mod client;
mod convert;
mod idl;
mod protocol;
mod server;

use anyhow::bail;
use bytelane_thrift::header::{Format, Transform};
use bytelane_thrift::{Binary, Compact, framed};
use clap::{Parser, ValueEnum};
use convert::Structure;
use protocol::{FRAME_LIMIT, Protocol, with_protocol};
use std::io::{self, Read, Write};

#[derive(Parser)]
enum Command {
    /// Read structs in one protocol, write them in another
    Convert {
        structure: Structure,
        from: Protocol,
        to: Protocol,
    },
    /// Answer calls until the input ends
    Serve { protocol: Protocol },
    /// Answer the calls of a client with headers, with frames or with neither
    ServeAny,
    /// Make calls and check their answers
    Call {
        protocol: Protocol,
        /// Kind of header of the frames
        #[arg(long)]
        header: Option<HeaderFormat>,
        /// Compress the messages
        #[arg(long)]
        zlib: bool,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum HeaderFormat {
    Theader,
    Ttheader,
}

fn main() -> anyhow::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    match Command::parse() {
        Command::Convert {
            structure,
            from,
            to,
        } => structure.convert(from, to, &mut input, &mut output),
        Command::Serve { protocol } => {
            with_protocol!(protocol, P => server::serve::<P>(&mut input, &mut output))
        }
        Command::ServeAny => server::serve_any(Streams(input, output)),
        Command::Call {
            protocol,
            header,
            zlib,
        } => {
            let frames = framed::Connection::new(Streams(input, output), FRAME_LIMIT);
            let Some(header) = header else {
                return with_protocol!(protocol, P => client::call::<P>(frames));
            };
            let format = match header {
                HeaderFormat::Theader => Format::THeader,
                HeaderFormat::Ttheader => Format::TtHeader,
            };
            let transform = zlib.then_some(Transform::Zlib);
            match protocol {
                Protocol::Binary => client::call_with_header::<Binary>(frames, format, transform),
                Protocol::Compact => client::call_with_header::<Compact>(frames, format, transform),
                _ => bail!("headers name only the protocols binary and compact"),
            }
        }
    }
}

/// A stream of two halves.
struct Streams<R, W>(R, W);

impl<R: Read, W> Read for Streams<R, W> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl<R, W: Write> Write for Streams<R, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1.flush()
    }
}
