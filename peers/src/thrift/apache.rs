//! The crate `thrift`: what Apache's compiler generates, to and from memory.

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol,
    TInputProtocol, TListIdentifier, TOutputProtocol, TType,
};

/// Operations of generated code on a value of one type.
pub trait Value: Sized {
    const TYPE: TType;
    fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()>;
    fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self>;
}

macro_rules! values {
    ($($T:ty: $TYPE:ident, $write:ident($self:ident => $value:expr), $read:ident;)*) => { $(
        impl Value for $T {
            const TYPE: TType = TType::$TYPE;
            fn write(&$self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
                to.$write($value)
            }
            fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
                from.$read()
            }
        }
    )* };
}
values! {
    bool: Bool, write_bool(self => *self), read_bool;
    i16: I16, write_i16(self => *self), read_i16;
    i32: I32, write_i32(self => *self), read_i32;
    i64: I64, write_i64(self => *self), read_i64;
    f64: Double, write_double(self => *self), read_double;
    String: String, write_string(self => self), read_string;
    Vec<u8>: String, write_bytes(self => self), read_bytes;
}

macro_rules! lists {
    ($($T:ty)*) => { $(
        impl Value for Vec<$T> {
            const TYPE: TType = TType::List;
            fn write(&self, to: &mut dyn TOutputProtocol) -> thrift::Result<()> {
                to.write_list_begin(&TListIdentifier::new(<$T>::TYPE, self.len() as i32))?;
                for value in self {
                    value.write(to)?;
                }
                to.write_list_end()
            }
            fn read(from: &mut dyn TInputProtocol) -> thrift::Result<Self> {
                let list = from.read_list_begin()?;
                let mut values = Vec::with_capacity(list.size as usize);
                for _ in 0..list.size {
                    values.push(<$T>::read(from)?);
                }
                from.read_list_end()?;
                Ok(values)
            }
        }
    )* };
}
lists! { i16 i32 i64 f64 super::structs::Mixed }

macro_rules! structure {
    ($Struct:ident { $($field:ident: $of:ty = $id:literal,)* }) => {
        impl super::apache::Value for $Struct {
            const TYPE: ::thrift::protocol::TType = ::thrift::protocol::TType::Struct;

            fn write(
                &self,
                to: &mut dyn ::thrift::protocol::TOutputProtocol,
            ) -> ::thrift::Result<()> {
                use ::thrift::protocol::{TFieldIdentifier, TStructIdentifier};
                to.write_struct_begin(&TStructIdentifier::new(stringify!($Struct)))?;
                $(
                    let kind = <$of as super::apache::Value>::TYPE;
                    to.write_field_begin(&TFieldIdentifier::new(stringify!($field), kind, $id))?;
                    super::apache::Value::write(&self.$field, to)?;
                    to.write_field_end()?;
                )*
                to.write_field_stop()?;
                to.write_struct_end()
            }

            fn read(from: &mut dyn ::thrift::protocol::TInputProtocol) -> ::thrift::Result<Self> {
                let mut value = Self::default();
                from.read_struct_begin()?;
                loop {
                    let field = from.read_field_begin()?;
                    if field.field_type == ::thrift::protocol::TType::Stop {
                        break;
                    }
                    match field.id {
                        $(Some($id) => value.$field = super::apache::Value::read(from)?,)*
                        _ => from.skip(field.field_type)?,
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

pub fn write_binary(value: &impl Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut protocol = TBinaryOutputProtocol::new(&mut bytes, true);
    value.write(&mut protocol).expect("memory takes everything");
    bytes
}

pub fn read_binary<T: Value>(bytes: &[u8]) -> T {
    T::read(&mut TBinaryInputProtocol::new(bytes, true)).expect("its own message")
}

pub fn write_compact(value: &impl Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut protocol = TCompactOutputProtocol::new(&mut bytes);
    value.write(&mut protocol).expect("memory takes everything");
    bytes
}

pub fn read_compact<T: Value>(bytes: &[u8]) -> T {
    T::read(&mut TCompactInputProtocol::new(bytes)).expect("its own message")
}
