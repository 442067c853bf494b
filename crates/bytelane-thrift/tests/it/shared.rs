//! Tests fields of the type `bytes::Bytes`, which share the memory of the message.

use bytelane_thrift::{Binary, Compact, Json, Message, Protocol, SimpleJson, Thrift};
use bytes::Bytes;

#[derive(Clone, Debug, PartialEq, Thrift)]
struct Blobs {
    #[thrift(id = 1)]
    one: Bytes,
    #[thrift(id = 2)]
    many: Vec<Bytes>,
}

fn blobs() -> Blobs {
    Blobs {
        one: Bytes::from_static(b"first"),
        many: vec![Bytes::new(), Bytes::from(vec![7; 1000])],
    }
}

/// Returns whether the bytes lie in the message's memory.
fn lies_within(part: &Bytes, message: &Bytes) -> bool {
    let range = message.as_ptr_range();
    range.contains(&part.as_ptr()) && part.as_ptr_range().end <= range.end
}

/// Returns whether the fields read share the message's memory.
fn shares<P: Protocol>() -> bool {
    let message = Bytes::from(blobs().encode::<P>().unwrap());
    let copied = Blobs::decode::<P>(&message).unwrap();
    assert_eq!(copied, blobs());
    assert!(!lies_within(&copied.one, &message) && !lies_within(&copied.many[1], &message));

    let shared = Blobs::decode_shared::<P>(&message).unwrap();
    assert_eq!(shared, blobs());
    let shares = lies_within(&shared.one, &message);
    assert_eq!(lies_within(&shared.many[1], &message), shares);
    // They outlive the message.
    drop(message);
    assert_eq!(shared, blobs());
    shares
}

#[test]
fn what_lies_in_the_message_is_shared() {
    assert!(shares::<Binary>());
    assert!(shares::<Compact>());
    // In JSON, binary is base64.
    assert!(!shares::<Json>());
    assert!(!shares::<SimpleJson>());
}
