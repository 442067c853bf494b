//! Serde's traits for calls.

use super::seed::Fields;
use crate::MessageKind;
use crate::dynamic::{Call, Schema};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// Each kind with its key, and the key of its body.
const KINDS: [(MessageKind, &str, &str); 4] = [
    (MessageKind::Call, "call", "arguments"),
    (MessageKind::Oneway, "oneway", "arguments"),
    (MessageKind::Reply, "reply", "result"),
    (MessageKind::Exception, "exception", "result"),
];

/// The kind with the name of the function, the sequence number, and the body.
impl Serialize for Call {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, body) = keys(self.kind);
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry(kind, &self.name)?;
        map.serialize_entry("sequence", &self.sequence)?;
        map.serialize_entry(body, &self.body)?;
        map.end()
    }
}

fn keys(kind: MessageKind) -> (&'static str, &'static str) {
    let [first, ..] = KINDS;
    let (_, key, body) = KINDS.into_iter().find(|it| it.0 == kind).unwrap_or(first);
    (key, body)
}

/// Reads a call or an answer from a self-describing format of serde: what `Serialize` of [`Call`] wrote.
///
/// The kind comes before the body, whose type it finds.
///
/// ```
/// use bytelane_thrift::Binary;
/// use bytelane_thrift::dynamic::Schema;
/// use serde::de::DeserializeSeed;
///
/// let text = r#"{"call": "add", "sequence": 7, "arguments": {"1: i32": 5}}"#;
/// let mut json = serde_json::Deserializer::from_str(text);
/// let call = Schema::default().call_seed(None).deserialize(&mut json)?;
/// let bytes = b"\x80\x01\0\x01\0\0\0\x03add\0\0\0\x07\x08\0\x01\0\0\0\x05\0";
/// assert_eq!(call.encode::<Binary>()?, bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CallSeed<'a> {
    schema: &'a Schema,
    service: Option<&'a str>,
}

impl Schema {
    /// Returns serde's seed of a call or an answer. Functions are found as in
    /// [`decode_call`](Self::decode_call).
    #[must_use]
    pub fn call_seed<'a>(&'a self, service: Option<&'a str>) -> CallSeed<'a> {
        let schema = self;
        CallSeed { schema, service }
    }
}

impl<'de> DeserializeSeed<'de> for CallSeed<'_> {
    type Value = Call;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Call, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for CallSeed<'_> {
    type Value = Call;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a call, oneway, reply or exception")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Call, A::Error> {
        let (mut begun, mut sequence, mut body) = (None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            if let Some((kind, ..)) = KINDS.into_iter().find(|it| it.1 == key) {
                if begun.is_some() {
                    return Err(A::Error::custom("the message has two names of functions"));
                }
                begun = Some((kind, map.next_value::<String>()?));
            } else if key == "sequence" {
                sequence = Some(map.next_value()?);
            } else if let Some((kind, name)) = begun.as_ref().filter(|it| keys(it.0).1 == key) {
                let declared = self.schema.body_type(self.service, name, *kind);
                let (schema, of) = (self.schema, declared.as_deref());
                body = Some(map.next_value_seed(Fields { schema, of })?);
            } else {
                let keys = match &begun {
                    Some((kind, _)) => format!("`sequence` or `{}`", keys(*kind).1),
                    None => "`call`, `oneway`, `reply` or `exception` with a name".to_owned(),
                };
                return Err(A::Error::custom(format_args!(
                    "expected {keys}, found `{key}`"
                )));
            }
        }
        let (kind, name) = begun.ok_or_else(|| A::Error::missing_field("call"))?;
        Ok(Call {
            name,
            kind,
            sequence: sequence.ok_or_else(|| A::Error::missing_field("sequence"))?,
            body: body.ok_or_else(|| A::Error::missing_field(keys(kind).1))?,
        })
    }
}
