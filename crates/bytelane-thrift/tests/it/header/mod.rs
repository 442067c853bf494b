//! Tests frames with headers.

mod calls;
mod golden;
mod hostile;

use bytelane_thrift::Thrift;

/// Arguments of the call in the golden frames: `add(5)`, number 7.
#[derive(Debug, PartialEq, Thrift)]
struct AddArgs {
    #[thrift(id = 1)]
    x: i32,
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}
