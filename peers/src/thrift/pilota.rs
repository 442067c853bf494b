//! The crate `pilota`: what its compiler generates, with checked and with unchecked buffers.

use bytes::{Bytes, BytesMut};
use pilota::thrift::{
    TInputProtocol, TLengthProtocol, TLengthProtocolExt, TOutputProtocol, TOutputProtocolExt,
    TType, ThriftException,
};
use pilota::thrift::{binary::TBinaryProtocol, binary_unsafe, compact};

/// Operations of generated code on a value of one type.
pub trait Value: Sized {
    const TYPE: TType;
    fn size(&self, of: &mut impl TLengthProtocol) -> usize;
    fn write(&self, to: &mut impl TOutputProtocol) -> Result<(), ThriftException>;
    fn read(from: &mut impl TInputProtocol) -> Result<Self, ThriftException>;
}

macro_rules! values {
    ($($T:ty: $TYPE:ident, $self:ident => $value:expr, $size:ident $write:ident $read:ident;)*) => { $(
        impl Value for $T {
            const TYPE: TType = TType::$TYPE;
            fn size(&$self, of: &mut impl TLengthProtocol) -> usize {
                of.$size($value)
            }
            fn write(&$self, to: &mut impl TOutputProtocol) -> Result<(), ThriftException> {
                to.$write($value)
            }
            fn read(from: &mut impl TInputProtocol) -> Result<Self, ThriftException> {
                from.$read()
            }
        }
    )* };
}
values! {
    bool: Bool, self => *self, bool_len write_bool read_bool;
    i16: I16, self => *self, i16_len write_i16 read_i16;
    i32: I32, self => *self, i32_len write_i32 read_i32;
    i64: I64, self => *self, i64_len write_i64 read_i64;
    f64: Double, self => *self, double_len write_double read_double;
    String: Binary, self => self, string_len write_string read_string;
    Vec<u8>: Binary, self => self, bytes_vec_len write_bytes_vec read_bytes_vec;
}

macro_rules! lists {
    ($($T:ty)*) => { $(
        impl Value for Vec<$T> {
            const TYPE: TType = TType::List;
            fn size(&self, of: &mut impl TLengthProtocol) -> usize {
                of.list_len(<$T>::TYPE, self, |of, value| value.size(of))
            }
            fn write(&self, to: &mut impl TOutputProtocol) -> Result<(), ThriftException> {
                to.write_list(<$T>::TYPE, self, |to, value| value.write(to))
            }
            fn read(from: &mut impl TInputProtocol) -> Result<Self, ThriftException> {
                let list = from.read_list_begin()?;
                let mut values = Vec::with_capacity(list.size);
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
        impl super::pilota::Value for $Struct {
            const TYPE: ::pilota::thrift::TType = ::pilota::thrift::TType::Struct;

            fn size(&self, of: &mut impl ::pilota::thrift::TLengthProtocol) -> usize {
                let name = ::pilota::thrift::TStructIdentifier { name: stringify!($Struct) };
                of.struct_begin_len(&name)
                    $(
                        + of.field_begin_len(<$of as super::pilota::Value>::TYPE, Some($id))
                        + super::pilota::Value::size(&self.$field, of)
                        + of.field_end_len()
                    )*
                    + of.field_stop_len()
                    + of.struct_end_len()
            }

            fn write(
                &self,
                to: &mut impl ::pilota::thrift::TOutputProtocol,
            ) -> Result<(), ::pilota::thrift::ThriftException> {
                let name = ::pilota::thrift::TStructIdentifier { name: stringify!($Struct) };
                to.write_struct_begin(&name)?;
                $(
                    to.write_field_begin(<$of as super::pilota::Value>::TYPE, $id)?;
                    super::pilota::Value::write(&self.$field, to)?;
                    to.write_field_end()?;
                )*
                to.write_field_stop()?;
                to.write_struct_end()
            }

            fn read(
                from: &mut impl ::pilota::thrift::TInputProtocol,
            ) -> Result<Self, ::pilota::thrift::ThriftException> {
                let mut value = Self::default();
                from.read_struct_begin()?;
                loop {
                    let field = from.read_field_begin()?;
                    if field.field_type == ::pilota::thrift::TType::Stop {
                        break;
                    }
                    match field.id {
                        $(Some($id) if field.field_type == <$of as super::pilota::Value>::TYPE => {
                            value.$field = super::pilota::Value::read(from)?;
                        })*
                        _ => {
                            from.skip(field.field_type)?;
                        }
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

const WRITTEN: &str = "memory takes everything";
const READ: &str = "its own message";

pub fn write_binary(value: &impl Value) -> BytesMut {
    let mut bytes = BytesMut::new();
    let size = value.size(&mut TBinaryProtocol::new(&mut bytes, false));
    bytes.reserve(size);
    let written = value.write(&mut TBinaryProtocol::new(&mut bytes, false));
    written.expect(WRITTEN);
    bytes
}

pub fn read_binary<T: Value>(mut bytes: Bytes) -> T {
    T::read(&mut TBinaryProtocol::new(&mut bytes, false)).expect(READ)
}

pub fn write_binary_unchecked(value: &impl Value) -> BytesMut {
    let mut bytes = BytesMut::new();
    let size = value.size(&mut TBinaryProtocol::new(&mut bytes, false));
    bytes.resize(size, 0);
    // SAFETY: the protocol wants the buffer a second time, as a slice, and uses only one of them at a
    // time. The buffer is as long as the message, and does not move while the slice is in use.
    let slice = unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr(), size) };
    // SAFETY: as above.
    let mut protocol =
        unsafe { binary_unsafe::TBinaryUnsafeOutputProtocol::new(&mut bytes, slice, false) };
    value.write(&mut protocol).expect(WRITTEN);
    bytes
}

pub fn read_binary_unchecked<T: Value>(mut bytes: Bytes) -> T {
    // SAFETY: the message is one that was written.
    let mut protocol = unsafe { binary_unsafe::TBinaryUnsafeInputProtocol::new(&mut bytes) };
    T::read(&mut protocol).expect(READ)
}

pub fn write_compact(value: &impl Value) -> BytesMut {
    let mut bytes = BytesMut::new();
    let size = value.size(&mut compact::TCompactOutputProtocol::new(&mut bytes, false));
    bytes.reserve(size);
    let written = value.write(&mut compact::TCompactOutputProtocol::new(&mut bytes, false));
    written.expect(WRITTEN);
    bytes
}

pub fn read_compact<T: Value>(mut bytes: Bytes) -> T {
    T::read(&mut compact::TCompactInputProtocol::new(&mut bytes)).expect(READ)
}
