//! Reads and writes 2 of the 40 fields of a struct with a field mask, and compares the time with that of all
//! fields. The fields are those of ProtocolBench's struct `LargeMixed`, whose types alternate:
//!
//! ```text
//! cargo run --release -p bytelane-thrift --example masks
//! ```

use bytelane_thrift::{
    Binary, Compact, FieldMask, Json, Message, Options, Protocol, SimpleJson, Thrift,
};
use std::hint::black_box;
use std::time::Instant;

macro_rules! large {
    ($($int:ident $i:literal $long:ident $l:literal $flag:ident $f:literal $text:ident $t:literal)*) => {
        #[derive(Clone, Debug, PartialEq, Thrift)]
        struct Large {
            $(
                #[thrift(id = $i)]
                $int: i32,
                #[thrift(id = $l)]
                $long: i64,
                #[thrift(id = $f)]
                $flag: bool,
                #[thrift(id = $t)]
                $text: String,
            )*
        }

        impl Large {
            fn filled() -> Self {
                Self {
                    $($int: 5, $long: 12345, $flag: true, $text: "hello".to_owned(),)*
                }
            }
        }
    };
}
large! {
    var1 1 var2 2 var3 3 var4 4 var5 5 var6 6 var7 7 var8 8 var9 9 var10 10
    var11 11 var12 12 var13 13 var14 14 var15 15 var16 16 var17 17 var18 18 var19 19 var20 20
    var21 21 var22 22 var23 23 var24 24 var25 25 var26 26 var27 27 var28 28 var29 29 var30 30
    var31 31 var32 32 var33 33 var34 34 var35 35 var36 36 var37 37 var38 38 var39 39 var40 40
}

const ROUNDS: usize = 21;
const CALLS: u32 = 2000;

fn main() {
    println!("protocol      direction  all ns  masked ns  ratio");
    report::<Binary>("binary");
    report::<Compact>("compact");
    report::<Json>("json");
    report::<SimpleJson>("simple_json");
}

fn report<P: Protocol>(name: &str) {
    let mask = FieldMask::of::<Large>(["var9", "var24"]).expect("these are fields");
    let value = Large::filled();
    let bytes = value.encode::<P>().expect("it has no limits to exceed");
    let read = Large::decode_masked::<P>(&bytes, &mask).expect("a message that was written");
    assert_eq!((read.var9, &*read.var24, read.var1), (5, "hello", 0));
    // References: black boxes copy what they are given.
    let mut all = || {
        black_box(&Large::decode::<P>(black_box(&bytes)));
    };
    let mut masked = || {
        black_box(&Large::decode_masked::<P>(black_box(&bytes), &mask));
    };
    row(name, "read", [&mut all, &mut masked]);
    let (mut one, mut other) = (Large::default(), Large::default());
    let options = Options::default();
    let mut all = || {
        let _ = black_box(&mut one).merge::<P>(black_box(&bytes));
    };
    let mut masked = || {
        let _ = black_box(&mut other).merge_masked::<P>(black_box(&bytes), &mask, options);
    };
    row(name, "read over", [&mut all, &mut masked]);
    let mut all = || {
        black_box(&black_box(&value).encode::<P>());
    };
    let mut masked = || {
        black_box(&black_box(&value).encode_masked::<P>(&mask));
    };
    row(name, "write", [&mut all, &mut masked]);
}

/// Measures both calls alternately, and prints the medians and their ratio.
fn row(name: &str, direction: &str, mut calls: [&mut dyn FnMut(); 2]) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (call, times) in calls.iter_mut().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..CALLS {
                call();
            }
            times.push(start.elapsed() / CALLS);
        }
    }
    let [all, masked] = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2].as_nanos() as f64
    });
    println!(
        "{name:12}  {direction:9}  {all:6}  {masked:9}  {:5.2}",
        all / masked
    );
}
