//! Numbers of the compact protocol.

use crate::Type;

pub(super) const PROTOCOL: u8 = 0x82;
pub(super) const VERSION: u8 = 1;

/// Types as the compact protocol numbers them.
pub(super) const TRUE: u8 = 1;
pub(super) const FALSE: u8 = 2;

pub(super) fn number(kind: Type) -> u8 {
    match kind {
        Type::Bool => TRUE,
        Type::I8 => 3,
        Type::I16 => 4,
        Type::I32 => 5,
        Type::I64 => 6,
        Type::Double => 7,
        Type::String => 8,
        Type::List => 9,
        Type::Set => 10,
        Type::Map => 11,
        Type::Struct => 12,
        Type::Uuid | Type::Float => 13,
    }
}
