//! Numbers, and types that consist only of numbers.

use super::{Decode, Element, Encode};
use crate::mask::Key;
use crate::protocol::{Reader, Writer};
use crate::{Double, Error, Field, Float, Frame, Items, Type, Uuid};

macro_rules! numbers {
    ($($T:ident $TYPE:ident $one:ident $field:ident $list:ident $key:expr,)*) => { $(
        impl Element for $T {
            const TYPE: Type = Type::$TYPE;
        }

        impl Encode for $T {
            #[inline]
            fn mask_key(&self) -> Key<'_> {
                let key: fn($T) -> Key<'static> = $key;
                key(*self)
            }

            #[inline]
            fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
                writer.$one(*self);
                Ok(())
            }

            #[inline]
            fn write_field<W: Writer>(
                &self,
                writer: &mut W,
                frame: &mut Frame,
                field: &Field,
            ) -> Result<(), Error> {
                writer.$field(frame, field, *self);
                Ok(())
            }

            #[inline]
            fn write_list<W: Writer>(values: &[Self], writer: &mut W) -> Result<(), Error> {
                writer.$list(values);
                Ok(())
            }
        }

        impl<'de> Decode<'de> for $T {
            #[inline]
            fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
                reader.$one()
            }

            #[inline]
            fn read_list<R: Reader<'de>>(
                reader: &mut R,
                items: Items,
                values: &mut Vec<Self>,
            ) -> Result<(), Error> {
                reader.$list(items, values)
            }
        }
    )* };
}
numbers! {
    i8 I8 i8 i8_field i8s |number| Key::Number(number.into()),
    i16 I16 i16 i16_field i16s |number| Key::Number(number.into()),
    i32 I32 i32 i32_field i32s |number| Key::Number(number.into()),
    i64 I64 i64 i64_field i64s Key::Number,
    f64 Double double double_field doubles |_| Key::Other,
}

impl Element for bool {
    const TYPE: Type = Type::Bool;
}

impl Encode for bool {
    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.bool(*self);
        Ok(())
    }

    #[inline]
    fn write_field<W: Writer>(
        &self,
        writer: &mut W,
        frame: &mut Frame,
        field: &Field,
    ) -> Result<(), Error> {
        writer.bool_field(frame, field, *self);
        Ok(())
    }
}

impl<'de> Decode<'de> for bool {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.bool()
    }

    #[inline]
    fn read_list<R: Reader<'de>>(
        reader: &mut R,
        items: Items,
        values: &mut Vec<Self>,
    ) -> Result<(), Error> {
        reader.bools(items, values)
    }
}

impl Element for f32 {
    const TYPE: Type = Type::Float;
}

impl Encode for f32 {
    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.float(*self)
    }

    #[inline]
    fn write_list<W: Writer>(values: &[Self], writer: &mut W) -> Result<(), Error> {
        writer.floats(values)
    }
}

impl<'de> Decode<'de> for f32 {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.float()
    }

    #[inline]
    fn read_list<R: Reader<'de>>(
        reader: &mut R,
        items: Items,
        values: &mut Vec<Self>,
    ) -> Result<(), Error> {
        reader.floats(items, values)
    }
}

impl Element for Double {
    const TYPE: Type = Type::Double;
}

impl Encode for Double {
    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.double(self.0);
        Ok(())
    }
}

impl<'de> Decode<'de> for Double {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.double().map(Self)
    }
}

impl Element for Float {
    const TYPE: Type = Type::Float;
}

impl Encode for Float {
    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.float(self.0)
    }
}

impl<'de> Decode<'de> for Float {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.float().map(Self)
    }
}

impl Element for Uuid {
    const TYPE: Type = Type::Uuid;
}

impl Encode for Uuid {
    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        writer.uuid(&self.0)
    }
}

impl<'de> Decode<'de> for Uuid {
    #[inline]
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        reader.uuid().map(Self)
    }
}
