//! Numbers as the crates `thrift` and `pilota` write and read them, in any protocol.

use bytemuck::Pod;
use thrift::protocol::{TInputProtocol as ApacheInput, TOutputProtocol as ApacheOutput};

/// Number type that both crates support.
pub trait Number: Pod {
    fn write_apache(self, to: &mut impl ApacheOutput) -> thrift::Result<()>;
    fn read_apache(from: &mut impl ApacheInput) -> thrift::Result<Self>;
    fn write_pilota(self, to: &mut impl pilota::thrift::TOutputProtocol);
    fn read_pilota(from: &mut impl pilota::thrift::TInputProtocol) -> Self;
}

macro_rules! numbers {
    ($($T:ty: $write:ident $read:ident;)*) => { $(
        impl Number for $T {
            #[inline]
            fn write_apache(self, to: &mut impl ApacheOutput) -> thrift::Result<()> {
                to.$write(self)
            }
            #[inline]
            fn read_apache(from: &mut impl ApacheInput) -> thrift::Result<Self> {
                from.$read()
            }
            #[inline]
            fn write_pilota(self, to: &mut impl pilota::thrift::TOutputProtocol) {
                to.$write(self).expect("memory takes everything");
            }
            #[inline]
            fn read_pilota(from: &mut impl pilota::thrift::TInputProtocol) -> Self {
                from.$read().expect("as many values as were written")
            }
        }
    )* };
}
numbers! {
    i16: write_i16 read_i16;
    i32: write_i32 read_i32;
    i64: write_i64 read_i64;
}
