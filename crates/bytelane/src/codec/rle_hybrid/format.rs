//! Public functions: methods of a width.
#![forbid(unsafe_code)]

#[cfg(doc)]
use super::ErrorKind;
use super::runs::{Cursor, MOST, Runs};
use super::{Effort, Error, Integer};
use crate::Detected;
use crate::codec::bit_packing::Layout;
use crate::error::front_for;
use crate::memory::{Fill, Slot, forms};
use core::marker::PhantomData;
use core::ops::Range;

/// Width in bits of values of type `u8`, `u16` or `u32`.
///
/// ```
/// use bytelane::rle_hybrid::Format;
///
/// let levels = Format::<u8>::new(2).expect("at most 8 bits");
/// let encoded = levels.encode_to_vec(&[3; 1000])?;
/// assert_eq!(encoded, [0xd0, 0x0f, 3]);
/// assert_eq!(levels.decode_to_vec(&encoded, 1000)?, (vec![3; 1000], 3));
/// # Ok::<(), bytelane::rle_hybrid::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format<T> {
    layout: Layout,
    effort: Effort,
    of: PhantomData<T>,
}

/// Returns the maximum size of values of a width: that of packed values, and one more group, for
/// searches that do not remember everything.
pub(super) const fn max_encoded_len(width: usize, count: usize) -> usize {
    let groups = count.div_ceil(8).saturating_add(1);
    let headers = 5 * (2 + count / (MOST / 8 * 8));
    groups.saturating_mul(width).saturating_add(headers)
}

impl<T: Integer> Format<T> {
    /// Sets the width in bits. `None` if the type has fewer bits.
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
        Some(Self {
            layout,
            effort: Effort::Small,
            of: PhantomData,
        })
    }

    /// Sets the effort of the encoder; the default is [`Effort::Small`]. It makes no difference to
    /// decoders.
    ///
    /// ```
    /// use bytelane::rle_hybrid::{Effort, Format};
    ///
    /// let small = Format::<u16>::new(10).expect("at most 16 bits");
    /// let values = [[500; 6], [600; 6]].concat();
    /// assert_eq!(small.encode_to_vec(&values)?.len(), 6);
    /// let packed = small.effort(Effort::Fast).encode_to_vec(&values)?;
    /// assert_eq!(packed.len(), 21);
    /// assert_eq!(small.decode_to_vec(&packed, 12)?, (values, 21));
    /// # Ok::<(), bytelane::rle_hybrid::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn effort(self, effort: Effort) -> Self {
        Self { effort, ..self }
    }

    /// Returns the number of bits per value.
    #[must_use]
    #[inline]
    pub const fn width(self) -> u32 {
        self.layout.width as u32
    }

    #[cfg(feature = "alloc")]
    #[inline]
    pub(super) const fn layout(self) -> Layout {
        self.layout
    }

    /// Returns the maximum number of bytes that [`encode`](Self::encode) writes for `count` values;
    /// `usize::MAX` if it does not fit in a `usize`.
    #[must_use]
    pub const fn max_encoded_len(self, count: usize) -> usize {
        // Without a search, every group may be a run of its own, with a header.
        let width = match self.effort {
            Effort::Small => self.layout.width,
            Effort::Fast => self.layout.width + 1,
        };
        max_encoded_len(width, count)
    }

    /// Returns the number of bytes that [`encode`](Self::encode) writes. It looks at all values.
    #[must_use]
    pub fn encoded_len(self, values: &[T]) -> usize {
        T::encoded_len(self.layout, self.effort, values)
    }

    forms! {
        /// Encodes values to the front of `dst`. Returns the number of bytes. If `dst` is longer, bytes
        /// after the result may be overwritten.
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Destination`] if the result does not fit; otherwise [`ErrorKind::Value`] for
        /// the first value that does not fit the width, with its offset in memory. The contents of
        /// `dst` are then unspecified.
        encode[](self, values: &[T]) -> dst: [u8], Error;
        encode_with: |backend| self.encoding(backend, values);
        ///
        /// # Errors
        ///
        /// [`ErrorKind::Value`] for the first value that does not fit the width; the `Vec` is unchanged
        /// then.
        encode_append: self.encoded_len(values);
        encode_to_vec;
    }

    forms! {
        /// Decodes values from the front of `src`, up to the length of `values`. Returns the number of
        /// bytes read, up to the end of the last run, which may have more values.
        ///
        /// # Errors
        ///
        /// [`Error`] for the first run that is malformed, or [`ErrorKind::Truncated`] if the runs have
        /// fewer values. The contents of `values` are then unspecified.
        ///
        /// ```
        /// use bytelane::rle_hybrid::{ErrorKind, Format};
        ///
        /// let format = Format::<u16>::new(9).expect("at most 16 bits");
        /// let page = [5 << 1, 0x2c, 0x01];
        /// let mut values = [0; 4];
        /// assert_eq!(format.decode(&page, &mut values)?, 3);
        /// assert_eq!(values, [300; 4]);
        /// let error = format.decode(&page, &mut [0; 6]).unwrap_err();
        /// assert_eq!((error.kind(), error.offset()), (ErrorKind::Truncated, Some(3)));
        /// # Ok::<(), bytelane::rle_hybrid::Error>(())
        /// ```
        decode[](self, src: &[u8]) -> values: [T; count] and ("number of bytes read", usize), Error;
        decode_with: |backend| self.decoding(backend, src, 0..count);
        ///
        /// Memory for `count` values is allocated only after checking that the runs have them. A run of
        /// a few bytes can have up to 2^31 values: limit `count` for untrusted input.
        decode_append: self.validate(src, count).map(|_| count)?;
        decode_to_vec;
    }

    forms! {
        /// Decodes the values of a range to the front of `values`. Returns their number. Runs before
        /// the range are skipped.
        ///
        /// ```
        /// use bytelane::rle_hybrid::Format;
        ///
        /// let format = Format::<u8>::new(3).expect("at most 8 bits");
        /// let encoded = format.encode_to_vec(&[7, 7, 7, 7, 7, 7, 7, 7, 7, 1, 2, 3])?;
        /// let mut four = [0; 4];
        /// assert_eq!(format.decode_range(&encoded, 7..11, &mut four)?, 4);
        /// assert_eq!(four, [7, 7, 1, 2]);
        /// # Ok::<(), bytelane::rle_hybrid::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// The same as [`decode`](Self::decode); [`ErrorKind::Range`] if the range begins after its
        /// end, [`ErrorKind::Destination`] if `values` is too short.
        decode_range[](self, src: &[u8], range: Range<usize>) -> values: [T], Error;
        decode_range_with: |backend| self.decoding(backend, src, range);
    }

    /// Performs every check of [`decode`](Self::decode) of `count` values without unpacking any.
    /// Returns the number of bytes that it would read.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    pub fn validate(self, src: &[u8], count: usize) -> Result<usize, Error> {
        Cursor::new(self.layout, src).skip(count)
    }

    /// Returns the runs of `count` values, for consumers that need not see every value. Their
    /// counts add up to `count`.
    ///
    /// ```
    /// use bytelane::rle_hybrid::{Format, Run};
    ///
    /// let format = Format::<u8>::new(1).expect("at most 8 bits");
    /// let encoded = format.encode_to_vec(&[1; 100])?;
    /// let mut set = 0;
    /// for run in format.runs(&encoded, 100) {
    ///     set += match run? {
    ///         Run::Repeated { value, count } => usize::from(value) * count,
    ///         Run::Packed { bytes, .. } => bytes.iter().map(|byte| byte.count_ones() as usize).sum(),
    ///     };
    /// }
    /// assert_eq!(set, 100);
    /// # Ok::<(), bytelane::rle_hybrid::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn runs(self, src: &[u8], count: usize) -> Runs<'_, T> {
        Runs::new(self.layout, src, count)
    }

    #[inline]
    fn encoding(self, backend: Detected, values: &[T]) -> Encode<'_, T> {
        Encode {
            layout: self.layout,
            effort: self.effort,
            values,
            backend,
        }
    }

    #[inline]
    fn decoding(self, backend: Detected, src: &[u8], range: Range<usize>) -> Decode<'_, T> {
        Decode {
            layout: self.layout,
            src,
            range,
            backend,
            of: PhantomData,
        }
    }
}

/// Encodes values to runs.
pub(crate) struct Encode<'a, T> {
    layout: Layout,
    effort: Effort,
    values: &'a [T],
    backend: Detected,
}

impl<T: Integer> Fill for Encode<'_, T> {
    type Done = ();
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, ()), Error> {
        let length = T::encode(self.layout, self.effort, self.values, to, self.backend)?;
        Ok((length, ()))
    }
}

/// Decodes a range of the values of runs.
pub(crate) struct Decode<'a, T> {
    layout: Layout,
    src: &'a [u8],
    range: Range<usize>,
    backend: Detected,
    of: PhantomData<T>,
}

impl<T: Integer> Fill for Decode<'_, T> {
    /// Number of bytes read.
    type Done = usize;
    type Error = Error;

    #[inline]
    fn fill(self, to: &mut [Slot]) -> Result<(usize, usize), Error> {
        let start = self.range.start;
        let to = front_for::<T, _>(to, self.range)?;
        let bytes = to.len();
        let read = T::decode(self.layout, self.src, start, to, self.backend)?;
        Ok((bytes, read))
    }
}
