//! Values behind pointers, which are written and read as the values themselves.

use super::{Decode, Element, Encode};
use crate::mask::{Described, Key};
use crate::protocol::{Reader, Writer};
use crate::{Error, Field, Frame, Type};
use std::rc::Rc;
use std::sync::Arc;

/// Writes the value that the pointer points to.
macro_rules! written {
    ($($Pointer:ty)*) => { $(
        impl<T: Element + ?Sized> Element for $Pointer {
            const TYPE: Type = T::TYPE;

            fn describe() -> Described {
                T::describe()
            }
        }

        impl<T: Encode + ?Sized> Encode for $Pointer {
            #[inline]
            fn room(&self) -> usize {
                (**self).room()
            }

            #[inline]
            fn mask_key(&self) -> Key<'_> {
                (**self).mask_key()
            }

            #[inline]
            fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
                (**self).write(writer)
            }

            #[inline]
            fn write_field<W: Writer>(
                &self,
                writer: &mut W,
                frame: &mut Frame,
                field: &Field,
            ) -> Result<(), Error> {
                (**self).write_field(writer, frame, field)
            }
        }
    )* };
}
written! { &T Box<T> Rc<T> Arc<T> }

/// Reads a value on the heap; `over` reads one over another.
macro_rules! read {
    ($($Pointer:ident $value:ident => $over:expr,)*) => { $(
        impl<'de, T: Decode<'de>> Decode<'de> for $Pointer<T> {
            #[inline]
            fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
                reader.input().charge(size_of::<T>())?;
                T::read(reader).map($Pointer::new)
            }

            #[inline]
            fn read_into<R: Reader<'de>>(&mut self, reader: &mut R) -> Result<(), Error> {
                let $value = self;
                let value: Option<&mut T> = $over;
                match value {
                    Some(value) => value.read_into(reader),
                    None => {
                        *$value = Self::read(reader)?;
                        Ok(())
                    }
                }
            }

            #[inline]
            fn read_optional<R: Reader<'de>>(
                slot: &mut Option<Self>,
                reader: &mut R,
            ) -> Result<(), Error> {
                if let Some(value) = slot {
                    return value.read_into(reader);
                }
                reader.input().charge(size_of::<T>())?;
                let mut value = None;
                T::read_optional(&mut value, reader)?;
                *slot = value.map($Pointer::new);
                Ok(())
            }
        }
    )* };
}
read! {
    Box value => Some(&mut **value),
    Rc value => Rc::get_mut(value),
    Arc value => Arc::get_mut(value),
}

/// Reads owned slices and texts through the types that have a capacity.
macro_rules! read_unsized {
    ($($Pointer:ident)*) => { $(
        impl<'de, T> Decode<'de> for $Pointer<[T]>
        where
            [T]: Element,
            Vec<T>: Decode<'de>,
        {
            #[inline]
            fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
                Vec::<T>::read(reader).map(Self::from)
            }
        }

        impl<'de> Decode<'de> for $Pointer<str> {
            #[inline]
            fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
                String::read(reader).map(Self::from)
            }
        }
    )* };
}
read_unsized! { Box Rc Arc }
