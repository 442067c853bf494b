//! Public functions: methods of a width and a mapping of its bits to values.
#![forbid(unsafe_code)]

use super::{Error, ErrorKind, Integer, Layout, SignedInteger};
use crate::backend::tuning::tuning;
use crate::error::front;
use crate::memory::{Fill, Slot, forms};
use crate::{Backend, Detected};
use core::marker::PhantomData;
use core::ops::Range;

/// Format of packed values: a width in bits, and optionally a frame of reference or zigzag.
///
/// ```
/// use bytelane::bit_packing::Format;
///
/// let years = Format::<i32>::new(7).expect("at most 32 bits").frame(1970);
/// let packed = years.encode_to_vec(&[1970, 2026, 2097])?;
/// assert_eq!(packed.len(), 3);
/// assert_eq!(years.decode_to_vec(&packed, 3)?, ([1970, 2026, 2097].to_vec(), 3));
/// # Ok::<(), bytelane::bit_packing::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format<T> {
    layout: Layout,
    of: PhantomData<T>,
}

impl<T: Integer> Format<T> {
    /// Packs each value in `width` bits. `None` if the type has fewer.
    #[must_use]
    #[inline]
    pub const fn new(width: u32) -> Option<Self> {
        if width as usize > 8 * size_of::<T>() {
            return None;
        }
        let layout = Layout {
            width: width as usize,
            reference: 0,
            zigzag: false,
        };
        let of = PhantomData;
        Some(Self { layout, of })
    }

    /// Returns the number of bits per value.
    #[must_use]
    #[inline]
    pub const fn width(self) -> u32 {
        self.layout.width as u32
    }

    /// Sets a frame of reference: packs differences from `reference`, which is usually the smallest
    /// value. They are taken modulo the size of the type. Replaces zigzag.
    #[must_use]
    #[inline]
    pub fn frame(mut self, reference: T) -> Self {
        self.layout.reference = reference.to_u64();
        self.layout.zigzag = false;
        self
    }

    /// Returns the smallest width that fits these values, without a frame of reference or zigzag.
    ///
    /// ```
    /// use bytelane::bit_packing::Format;
    /// assert_eq!(Format::<u16>::narrowest(&[0, 5, 9]).width(), 4);
    /// ```
    #[must_use]
    pub fn narrowest(values: &[T]) -> Self {
        let unused = 64 - 8 * size_of::<T>();
        let all = values.iter().fold(0, |all, value| all | value.to_u64());
        let width = 64 - (all << unused >> unused).leading_zeros();
        Self::new(width).expect("no value has more bits than its type")
    }

    /// Returns the number of bytes that `count` values take; `usize::MAX` if it does not fit in a
    /// `usize`.
    ///
    /// ```
    /// use bytelane::bit_packing::Format;
    /// assert_eq!(Format::<u64>::new(13).map(|format| format.encoded_len(9)), Some(15));
    /// ```
    #[must_use]
    #[inline]
    pub fn encoded_len(self, count: usize) -> usize {
        self.layout.bytes(count).unwrap_or(usize::MAX)
    }

    forms! {
        /// Packs values to the front of `dst`. Returns the number of bytes, which is
        /// [`encoded_len`](Self::encoded_len).
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Destination`] if `dst` is shorter than that; nothing is written then.
        /// [`ErrorKind::Value`] for the first value that does not fit, with its offset in memory; the
        /// contents of `dst` are then unspecified.
        encode[](self, values: &[T]) -> dst: [u8], Error;
        encode_with: |backend| self.packing(backend, values);
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Value`] for the first value that does not fit; the `Vec` is unchanged then.
        encode_append: self.encoded_len(values.len());
        encode_to_vec;
    }

    forms! {
        /// Unpacks values from the front of `src`, up to the length of `values`. Returns the number of
        /// bytes that they take, which is [`encoded_len`](Self::encoded_len).
        ///
        /// It is fastest if `src` continues for at least 72 bytes after them.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Truncated`] if `src` is shorter than that; nothing is written then.
        decode[](self, src: &[u8]) -> values: [T; count] and ("number of bytes read", usize), Error;
        decode_with: |backend| self.unpacking(backend, src, 0..count);
        ///
        /// Memory is allocated only for values that `src` contains. With a width of 0, that is any
        /// number of values.
        decode_append: check(self.layout, src, count).map(|_| count)?;
        decode_to_vec;
    }

    forms! {
        /// Unpacks the values of a range to the front of `values`. Returns their number. Values before
        /// the range are skipped, not read.
        ///
        /// ```
        /// use bytelane::bit_packing::Format;
        ///
        /// let format = Format::<u16>::new(12).expect("at most 16 bits");
        /// let packed = format.encode_to_vec(&[10, 20, 30, 40])?;
        /// let mut two = [0; 2];
        /// assert_eq!(format.decode_range(&packed, 1..3, &mut two)?, 2);
        /// assert_eq!(two, [20, 30]);
        /// # Ok::<(), bytelane::bit_packing::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Range`] if the range begins after its end, [`ErrorKind::Truncated`] if it
        /// reaches past the end of `src`, [`ErrorKind::Destination`] if `values` is too short; nothing
        /// is written then.
        decode_range[](self, src: &[u8], range: Range<usize>) -> values: [T], Error;
        decode_range_with: |backend| self.unpacking(backend, src, range);
    }

    #[inline]
    fn packing(self, backend: Detected, values: &[T]) -> Packing<'_, T> {
        Packing {
            layout: self.layout,
            values,
            backend,
        }
    }

    #[inline]
    fn unpacking(self, backend: Detected, src: &[u8], range: Range<usize>) -> Unpacking<'_, T> {
        Unpacking {
            layout: self.layout,
            src,
            range,
            backend,
            of: PhantomData,
        }
    }
}

impl<T: SignedInteger> Format<T> {
    /// Sets zigzag: maps 0, -1, 1, -2 .. to 0, 1, 2, 3 .. before packing. Replaces a frame of
    /// reference.
    ///
    /// ```
    /// use bytelane::bit_packing::Format;
    ///
    /// let format = Format::<i64>::new(4).expect("at most 64 bits").zigzag();
    /// assert_eq!(format.encode_to_vec(&[-8, 7])?, [0xef]);
    /// # Ok::<(), bytelane::bit_packing::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn zigzag(mut self) -> Self {
        self.layout.reference = 0;
        self.layout.zigzag = true;
        self
    }
}

/// Fails if the packed bytes do not contain `count` values. Returns the number of bytes that they
/// take.
#[inline]
fn check(layout: Layout, src: &[u8], count: usize) -> Result<usize, Error> {
    let needed = layout.bytes(count).unwrap_or(usize::MAX);
    if needed <= src.len() {
        Ok(needed)
    } else {
        Err(Error::at(src.len(), ErrorKind::Truncated { needed }))
    }
}

/// Packs values. Like [`Unpacking`], it is always inlined: as a call of its own, which takes it and returns its
/// result in memory, it would have 40 instructions more, as many as the kernel for a few values.
pub(crate) struct Packing<'a, T> {
    layout: Layout,
    values: &'a [T],
    backend: Detected,
}

impl<T: Integer> Fill for Packing<'_, T> {
    type Done = ();
    type Error = Error;

    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let Self {
            layout,
            values,
            backend,
        } = self;
        let needed = layout.bytes(values.len()).unwrap_or(usize::MAX);
        let to = front(to, needed)?;
        if T::pack(layout, values, to, backend) {
            Ok((needed, ()))
        } else {
            Err(beyond(layout, values))
        }
    }
}

#[cold]
fn beyond<T: Integer>(layout: Layout, values: &[T]) -> Error {
    let first = T::first_beyond(layout, values).unwrap_or_default();
    let width = layout.width as u32;
    Error::at(first * size_of::<T>(), ErrorKind::Value { width })
}

/// Returns the backend to unpack `count` values of a size. The choice is made before the call of the
/// kernel: within, it would cost registers to save.
#[inline(always)]
fn backend_to_unpack(backend: Detected, size: usize, count: usize) -> Detected {
    if *backend > Backend::Avx2 && (size >= 4 || count <= 64) {
        backend.at_most(tuning().unpack)
    } else {
        backend
    }
}

/// Unpacks a range of packed values. Where that begins at 0, nothing of the code for its start is left.
pub(crate) struct Unpacking<'a, T> {
    layout: Layout,
    src: &'a [u8],
    range: Range<usize>,
    backend: Detected,
    of: PhantomData<T>,
}

impl<T: Integer> Fill for Unpacking<'_, T> {
    /// Number of bytes up to the end of the range.
    type Done = usize;
    type Error = Error;

    #[inline(always)]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let Self {
            layout,
            src,
            range: Range { start, end },
            backend,
            ..
        } = self;
        let Some(count) = end.checked_sub(start) else {
            return Err(Error::nowhere(ErrorKind::Range { start, end }));
        };
        let read = check(layout, src, end)?;
        let bytes = count.saturating_mul(size_of::<T>());
        let to = front(to, bytes)?;
        // Kernels begin at a group of eight values.
        let few = usize::min((8 - start % 8) % 8, count);
        let (first, rest) = to.split_at_mut(few * size_of::<T>());
        if few > 0 {
            let group = &src[start / 8 * layout.width..];
            T::unpack_few(layout, group, start % 8, first);
        }
        let backend = backend_to_unpack(backend, size_of::<T>(), count);
        T::unpack(
            layout,
            &src[(start + few) / 8 * layout.width..],
            rest,
            backend,
        );
        Ok((bytes, read))
    }
}
