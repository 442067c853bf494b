//! Converts messages from one protocol to another.

use crate::idl::everything::{Everything, RecordV1, RecordV2};
use crate::protocol::{FRAME_LIMIT, Protocol, with_protocol};
use bytelane_thrift::{DecodeOwned, Encode, Error, Message, Thrift, Uuid, framed};
use std::collections::BTreeMap;
use std::io::{Read, Write};

/// Struct to convert.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Structure {
    Everything,
    RecordV1,
    RecordV2,
    Ids,
}

/// Struct that is not in the IDL, because Debian's compiler does not support `uuid` yet.
#[derive(Thrift)]
struct Ids {
    #[thrift(id = 1)]
    id: Uuid,
    #[thrift(id = 2)]
    by_id: BTreeMap<Uuid, Vec<Uuid>>,
}

impl Structure {
    /// Reads frames until the input ends, and writes each in the other protocol.
    pub fn convert(
        self,
        from: Protocol,
        to: Protocol,
        input: &mut impl Read,
        output: &mut impl Write,
    ) -> anyhow::Result<()> {
        let mut frame = Vec::new();
        while framed::read_frame(input, &mut frame, FRAME_LIMIT)? {
            let converted = match self {
                Structure::Everything => convert::<Everything>(from, to, &frame),
                Structure::RecordV1 => convert::<RecordV1>(from, to, &frame),
                Structure::RecordV2 => convert::<RecordV2>(from, to, &frame),
                Structure::Ids => convert::<Ids>(from, to, &frame),
            }?;
            framed::write_frame(output, &converted)?;
        }
        Ok(output.flush()?)
    }
}

fn convert<M: Message + Encode + DecodeOwned>(
    from: Protocol,
    to: Protocol,
    message: &[u8],
) -> Result<Vec<u8>, Error> {
    let value: M = with_protocol!(from, P => M::decode::<P>(message))?;
    with_protocol!(to, P => value.encode::<P>())
}
