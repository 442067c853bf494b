//! Serde's traits, with the feature `serde`, for the field types of this crate.

use crate::input::Input;
use crate::protocol::{Protocol, Reader};
use crate::unknown::Encoding;
use crate::{
    Binary, Compact, Double, Error, FbthriftCompact, Float, Json, Options, Type, UnknownField,
    UnknownFields, Uuid,
};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

/// Implements them for numbers, as the numbers that they hold.
macro_rules! transparent {
    ($($Outer:ident $Inner:ty,)*) => { $(
        impl Serialize for $Outer {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $Outer {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$Inner>::deserialize(deserializer).map(Self)
            }
        }
    )* };
}
transparent! { Double f64, Float f32, UnknownFields Vec<UnknownField>, }

impl Serialize for Uuid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Uuid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Parts of an unknown field: its type, as its number in the binary protocol, and the bytes of its
/// value.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "UnknownField")]
struct Parts {
    id: i16,
    r#type: u8,
    protocol: Name,
    bytes: Vec<u8>,
}

/// Protocol of the bytes.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    Binary,
    Compact,
    FbthriftCompact,
    Json,
}

impl Serialize for UnknownField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let protocol = match self.encoding() {
            Encoding::Binary => Name::Binary,
            Encoding::Compact => Name::Compact,
            Encoding::FbthriftCompact => Name::FbthriftCompact,
            Encoding::Json => Name::Json,
        };
        let parts = Parts {
            id: self.id(),
            r#type: self.kind() as u8,
            protocol,
            bytes: self.bytes().to_vec(),
        };
        parts.serialize(serializer)
    }
}

/// Bytes that are not a value of the type are an error, since they would be written unchanged.
impl<'de> Deserialize<'de> for UnknownField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = Parts::deserialize(deserializer)?;
        let Some(kind) = Type::from_number(parts.r#type) else {
            let message = format_args!("{} is not the number of a type of Thrift", parts.r#type);
            return Err(D::Error::custom(message));
        };
        let (encoding, checked) = match parts.protocol {
            Name::Binary => (Encoding::Binary, check::<Binary>(&parts.bytes, kind)),
            Name::Compact => (Encoding::Compact, check::<Compact>(&parts.bytes, kind)),
            Name::FbthriftCompact => (
                Encoding::FbthriftCompact,
                check::<FbthriftCompact>(&parts.bytes, kind),
            ),
            Name::Json => (Encoding::Json, check::<Json>(&parts.bytes, kind)),
        };
        checked.map_err(D::Error::custom)?;
        Ok(Self::new(parts.id, kind, encoding, &parts.bytes))
    }
}

/// Checks that bytes are exactly one value of a type.
fn check<P: Protocol>(bytes: &[u8], kind: Type) -> Result<(), Error> {
    let mut reader = P::reader(Input::new(bytes, Options::default()));
    match kind {
        // Outside of a field's header, a bool has a byte, which skipping a field would not expect.
        Type::Bool => drop(reader.bool()?),
        _ => reader.skip(kind)?,
    }
    reader.end()
}
