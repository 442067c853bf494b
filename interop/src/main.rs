//! bytelane's side of the exchanges with Apache Thrift: converts messages, and serves and calls the
//! service in `everything.thrift`. Reads frames from stdin and writes them to stdout.

mod client;
mod convert;
mod server;

/// Code that the build script generates from the IDL.
#[allow(dead_code, reason = "each program uses its part")]
mod idl {
    include!(concat!(env!("OUT_DIR"), "/mod.rs"));
}

use bytelane_thrift::{Binary, Compact, FbthriftCompact, Json, SimpleJson};
use clap::{Parser, ValueEnum};
use convert::Structure;
use std::io;

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
    /// Make calls and check their answers
    Call { protocol: Protocol },
}

#[derive(Clone, Copy, ValueEnum)]
enum Protocol {
    Binary,
    NonStrictBinary,
    Compact,
    FbthriftCompact,
    Json,
    SimpleJson,
}

/// Evaluates an expression with a name bound to the type of the protocol.
macro_rules! with_protocol {
    ($P:ident = $type:ty, $value:expr) => {{
        type $P = $type;
        $value
    }};
    ($protocol:expr, $P:ident => $value:expr) => {
        match $protocol {
            Protocol::Binary => with_protocol!($P = Binary, $value),
            Protocol::NonStrictBinary => with_protocol!($P = Binary<false>, $value),
            Protocol::Compact => with_protocol!($P = Compact, $value),
            Protocol::FbthriftCompact => with_protocol!($P = FbthriftCompact, $value),
            Protocol::Json => with_protocol!($P = Json, $value),
            Protocol::SimpleJson => with_protocol!($P = SimpleJson, $value),
        }
    };
}
use with_protocol;

/// Maximum size of a frame in bytes.
const FRAME_LIMIT: usize = 1 << 24;

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
        Command::Call { protocol } => {
            with_protocol!(protocol, P => client::call::<P>(&mut input, &mut output))
        }
    }
}
