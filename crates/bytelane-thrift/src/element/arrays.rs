//! Arrays: lists whose length is part of the type, and binary of a fixed length.

use super::{Decode, Element, Encode};
use crate::mask::Described;
use crate::protocol::{Reader, Writer};
use crate::{Error, ErrorKind, Field, Frame, Type};

impl<T, const N: usize> Element for [T; N]
where
    [T]: Element,
{
    const TYPE: Type = <[T]>::TYPE;

    fn describe() -> Described {
        <[T]>::describe()
    }
}

impl<T, const N: usize> Encode for [T; N]
where
    [T]: Encode,
{
    #[inline]
    fn room(&self) -> usize {
        self.as_slice().room()
    }

    #[inline]
    fn write<W: Writer>(&self, writer: &mut W) -> Result<(), Error> {
        self.as_slice().write(writer)
    }

    #[inline]
    fn write_field<W: Writer>(
        &self,
        writer: &mut W,
        frame: &mut Frame,
        field: &Field,
    ) -> Result<(), Error> {
        self.as_slice().write_field(writer, frame, field)
    }
}

/// Any other length is an error.
impl<'de, T, const N: usize> Decode<'de> for [T; N]
where
    [T]: Element,
    Vec<T>: Decode<'de>,
{
    fn read<R: Reader<'de>>(reader: &mut R) -> Result<Self, Error> {
        let values = Vec::<T>::read(reader)?;
        let found = values.len();
        let wrong = |_| reader.error(ErrorKind::WrongLength { expected: N, found });
        values.try_into().map_err(wrong)
    }
}
