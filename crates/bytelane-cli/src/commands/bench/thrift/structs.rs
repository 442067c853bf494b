//! Structs of ProtocolBench, fbthrift's benchmark of its protocols.

use bytelane_thrift::Thrift;
use std::collections::{BTreeMap, BTreeSet};

/// Defines structs with one field, whose id is 1.
macro_rules! one_field {
    ($($Struct:ident { $field:ident: $of:ty })*) => { $(
        #[derive(Clone, Debug, PartialEq, Thrift)]
        pub struct $Struct {
            #[thrift(id = 1)]
            pub $field: $of,
        }

        impl From<$of> for $Struct {
            fn from($field: $of) -> Self {
                Self { $field }
            }
        }
    )* };
}
one_field! {
    Int { number: i32 }
    BigInt { number: i64 }
    Text { text: String }
    Binary { bytes: Vec<u8> }
    ListByte { list: Vec<i8> }
    ListShort { list: Vec<i16> }
    ListInt { list: Vec<i32> }
    ListBigInt { list: Vec<i64> }
    ListFloat { list: Vec<f32> }
    ListDouble { list: Vec<f64> }
    ListMixed { list: Vec<Mixed> }
    MapInt { map: BTreeMap<i32, i32> }
    SetInt { set: BTreeSet<i32> }
    NestedMap { map: BTreeMap<i32, NestedMap2> }
    NestedMap2 { map: BTreeMap<i32, NestedMap3> }
    NestedMap3 { map: BTreeMap<i32, NestedMap4> }
    NestedMap4 { map: BTreeMap<i32, MapInt> }
}

#[derive(Clone, Debug, PartialEq, Thrift)]
pub struct Mixed {
    #[thrift(id = 1)]
    pub int32: i32,
    #[thrift(id = 2)]
    pub int64: i64,
    #[thrift(id = 3)]
    pub b: bool,
    #[thrift(id = 4)]
    pub text: String,
}

/// Defines the struct with 100 fields of alternating types, and its value.
macro_rules! large_mixed {
    ($($int:ident $i:literal $long:ident $l:literal $flag:ident $f:literal $text:ident $t:literal)*) => {
        #[derive(Clone, Debug, PartialEq, Thrift)]
        pub struct LargeMixed {
            $(
                #[thrift(id = $i)]
                pub $int: i32,
                #[thrift(id = $l)]
                pub $long: i64,
                #[thrift(id = $f)]
                pub $flag: bool,
                #[thrift(id = $t)]
                pub $text: String,
            )*
        }

        impl LargeMixed {
            pub fn filled() -> Self {
                Self {
                    $($int: 5, $long: 12345, $flag: true, $text: "hello".to_owned(),)*
                }
            }
        }
    };
}
large_mixed! {
    var1 1 var2 2 var3 3 var4 4 var5 5 var6 6 var7 7 var8 8 var9 9 var10 10
    var11 11 var12 12 var13 13 var14 14 var15 15 var16 16 var17 17 var18 18 var19 19 var20 20
    var21 21 var22 22 var23 23 var24 24 var25 25 var26 26 var27 27 var28 28 var29 29 var30 30
    var31 31 var32 32 var33 33 var34 34 var35 35 var36 36 var37 37 var38 38 var39 39 var40 40
    var41 41 var42 42 var43 43 var44 44 var45 45 var46 46 var47 47 var48 48 var49 49 var50 50
    var51 51 var52 52 var53 53 var54 54 var55 55 var56 56 var57 57 var58 58 var59 59 var60 60
    var61 61 var62 62 var63 63 var64 64 var65 65 var66 66 var67 67 var68 68 var69 69 var70 70
    var71 71 var72 72 var73 73 var74 74 var75 75 var76 76 var77 77 var78 78 var79 79 var80 80
    var81 81 var82 82 var83 83 var84 84 var85 85 var86 86 var87 87 var88 88 var89 89 var90 90
    var91 91 var92 92 var93 93 var94 94 var95 95 var96 96 var97 97 var98 98 var99 99 var100 100
}
