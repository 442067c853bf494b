//! The structs that every library knows.

use super::{apache, fbthrift, pilota};
use bytelane_thrift::Thrift;

/// A struct for each library: its own derive for bytelane, what their compilers generate for the
/// others.
macro_rules! structs {
    ($($Struct:ident { $($field:ident: $of:ty = $id:literal,)* })*) => { $(
        #[derive(Clone, Debug, PartialEq, Thrift)]
        pub struct $Struct {
            $(
                #[thrift(id = $id)]
                pub $field: $of,
            )*
        }
        apache::structure! { $Struct { $($field: $of = $id,)* } }
        pilota::structure! { $Struct { $($field: $of = $id,)* } }
        fbthrift::structure! { $Struct { $($field: $of = $id,)* } }
    )* };
}
structs! {
    Int { number: i32 = 1, }
    Text { text: String = 1, }
    Binary { bytes: Vec<u8> = 1, }
    Mixed { int32: i32 = 1, int64: i64 = 2, flag: bool = 3, text: String = 4, }
    ListShort { list: Vec<i16> = 1, }
    ListInt { list: Vec<i32> = 1, }
    ListBigInt { list: Vec<i64> = 1, }
    ListDouble { list: Vec<f64> = 1, }
    ListMixed { list: Vec<Mixed> = 1, }
}
