//! Protocols of the exchanges.

use clap::ValueEnum;

#[derive(Clone, Copy, ValueEnum)]
pub enum Protocol {
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
            $crate::protocol::Protocol::Binary => with_protocol!($P = bytelane_thrift::Binary, $value),
            $crate::protocol::Protocol::NonStrictBinary => with_protocol!($P = bytelane_thrift::Binary<false>, $value),
            $crate::protocol::Protocol::Compact => with_protocol!($P = bytelane_thrift::Compact, $value),
            $crate::protocol::Protocol::FbthriftCompact => with_protocol!($P = bytelane_thrift::FbthriftCompact, $value),
            $crate::protocol::Protocol::Json => with_protocol!($P = bytelane_thrift::Json, $value),
            $crate::protocol::Protocol::SimpleJson => with_protocol!($P = bytelane_thrift::SimpleJson, $value),
        }
    };
}
pub(crate) use with_protocol;

/// Maximum size of a frame in bytes.
pub const FRAME_LIMIT: usize = 1 << 24;
