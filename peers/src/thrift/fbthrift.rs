//! The crate `fbthrift`: what fbthrift's compiler generates.

use bytes::Bytes;

/// Operations of the library on a struct: its calls have bounds on types of its own.
pub trait Value: Sized {
    fn write_binary(&self) -> Bytes;
    fn read_binary(bytes: Bytes) -> Self;
    fn write_json(&self) -> Bytes;
    fn read_json(bytes: Bytes) -> Self;
}

macro_rules! structure {
    ($Struct:ident { $($field:ident: $of:ty = $id:literal,)* }) => {
        impl super::fbthrift::Value for $Struct {
            fn write_binary(&self) -> ::bytes::Bytes {
                ::fbthrift::binary_protocol::serialize(self)
            }
            fn read_binary(bytes: ::bytes::Bytes) -> Self {
                ::fbthrift::binary_protocol::deserialize(bytes).expect("its own message")
            }
            fn write_json(&self) -> ::bytes::Bytes {
                ::fbthrift::simplejson_protocol::serialize(self)
            }
            fn read_json(bytes: ::bytes::Bytes) -> Self {
                ::fbthrift::simplejson_protocol::deserialize(bytes).expect("its own message")
            }
        }

        impl ::fbthrift::GetTType for $Struct {
            const TTYPE: ::fbthrift::TType = ::fbthrift::TType::Struct;
        }

        impl<P: ::fbthrift::ProtocolWriter> ::fbthrift::Serialize<P> for $Struct {
            fn write(&self, to: &mut P) {
                to.write_struct_begin(stringify!($Struct));
                $(
                    let kind = <$of as ::fbthrift::GetTType>::TTYPE;
                    to.write_field_begin(stringify!($field), kind, $id);
                    ::fbthrift::Serialize::write(&self.$field, to);
                    to.write_field_end();
                )*
                to.write_field_stop();
                to.write_struct_end();
            }
        }

        impl<P: ::fbthrift::ProtocolReader> ::fbthrift::Deserialize<P> for $Struct {
            fn read(from: &mut P) -> ::anyhow::Result<Self> {
                // Sorted by name, as SimpleJSON looks for them.
                static FIELDS: std::sync::LazyLock<Vec<::fbthrift::Field>> =
                    std::sync::LazyLock::new(|| {
                        let mut fields = vec![$(::fbthrift::Field::new(
                            stringify!($field),
                            <$of as ::fbthrift::GetTType>::TTYPE,
                            $id,
                        )),*];
                        fields.sort_by_key(|field| field.name);
                        fields
                    });
                let fields: &[::fbthrift::Field] = &FIELDS;
                let mut value = Self::default();
                from.read_struct_begin(|_| ())?;
                loop {
                    let (_, kind, id) = from.read_field_begin(|_| (), fields)?;
                    match (kind, i32::from(id)) {
                        (::fbthrift::TType::Stop, _) => break,
                        $((<$of as ::fbthrift::GetTType>::TTYPE, $id) => {
                            value.$field = ::fbthrift::Deserialize::read(from)?;
                        })*
                        (kind, _) => from.skip(kind)?,
                    }
                    from.read_field_end()?;
                }
                from.read_struct_end()?;
                Ok(value)
            }
        }
    };
}
pub(super) use structure;
