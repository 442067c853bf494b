//! Finds the smallest and the largest of many values, several at a time.

/// Number of accumulators: enough for the widest vectors, and to hide the latency of narrow ones.
const LANES: usize = 32;

/// Number stored as little-endian bytes in a page.
pub(super) trait Number<const WIDTH: usize>: Copy {
    /// Greatest number.
    const MOST: Self;
    /// Smallest number.
    const LEAST: Self;
    fn read(bytes: [u8; WIDTH]) -> Self;
    fn write(self) -> [u8; WIDTH];
    /// Returns the smaller one, or `self` if the other is NaN.
    fn lesser(self, other: Self) -> Self;
    /// Returns the greater one, or `self` if the other is NaN.
    fn greater(self, other: Self) -> Self;
    fn is_nan(self) -> bool;
    fn is_above(self, other: Self) -> bool;
}

macro_rules! numbers {
    ($($T:ty: $least:ident to $most:ident),*) => { $(
        // Comparisons with NaN are false, so NaN never replaces anything.
        impl Number<{ size_of::<$T>() }> for $T {
            const MOST: Self = <$T>::$most;
            const LEAST: Self = <$T>::$least;
            #[inline(always)]
            fn read(bytes: [u8; size_of::<$T>()]) -> Self {
                <$T>::from_le_bytes(bytes)
            }
            fn write(self) -> [u8; size_of::<$T>()] {
                self.to_le_bytes()
            }
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                if other < self { other } else { self }
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                if other > self { other } else { self }
            }
            #[inline(always)]
            #[allow(clippy::eq_op, reason = "integers equal themselves, NaN does not")]
            fn is_nan(self) -> bool {
                self != self
            }
            fn is_above(self, other: Self) -> bool {
                self > other
            }
        }
    )* };
}
numbers! {
    i32: MIN to MAX, u32: MIN to MAX, i64: MIN to MAX, u64: MIN to MAX,
    f32: NEG_INFINITY to INFINITY, f64: NEG_INFINITY to INFINITY
}

/// Half-precision number as an integer with the same order: in negative numbers, the bits of the magnitude
/// are inverted. -0.0 is -1, +0.0 is 0.
#[derive(Clone, Copy)]
pub(super) struct Half(i16);

impl Half {
    const INFINITY: i16 = 0x7c00;

    fn turn(bits: i16) -> i16 {
        bits ^ ((bits >> 15) & 0x7fff)
    }
}

impl Number<2> for Half {
    const MOST: Self = Half(Self::INFINITY);
    const LEAST: Self = Half(!Self::INFINITY);
    #[inline(always)]
    fn read(bytes: [u8; 2]) -> Self {
        Half(Half::turn(i16::from_le_bytes(bytes)))
    }
    fn write(self) -> [u8; 2] {
        Half::turn(self.0).to_le_bytes()
    }
    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        if other.0 < self.0 && !other.is_nan() {
            other
        } else {
            self
        }
    }
    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        if other.0 > self.0 && !other.is_nan() {
            other
        } else {
            self
        }
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.0 > Half::INFINITY || self.0 < !Half::INFINITY
    }
    fn is_above(self, other: Self) -> bool {
        self.0 > other.0
    }
}

/// Smallest and largest number, if there is any.
pub(super) type Extremes<const WIDTH: usize> = Option<([u8; WIDTH], [u8; WIDTH])>;

/// Returns the smallest and the largest number of a page, if there is any, and the number of NaN values.
pub(super) fn extremes<T: Number<WIDTH>, const WIDTH: usize>(
    values: &[u8],
) -> (Extremes<WIDTH>, u64) {
    let (values, _) = values.as_chunks::<WIDTH>();
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut least = [T::MOST; LANES];
    let mut most = [T::LEAST; LANES];
    let mut nans = [0u32; LANES];
    for block in blocks {
        for lane in 0..LANES {
            let value = T::read(block[lane]);
            least[lane] = least[lane].lesser(value);
            most[lane] = most[lane].greater(value);
            nans[lane] += u32::from(value.is_nan());
        }
    }
    for lane in 0..rest.len() {
        let value = T::read(rest[lane]);
        least[lane] = least[lane].lesser(value);
        most[lane] = most[lane].greater(value);
        nans[lane] += u32::from(value.is_nan());
    }
    let least = least.into_iter().fold(T::MOST, T::lesser);
    let most = most.into_iter().fold(T::LEAST, T::greater);
    let nans: u64 = nans.into_iter().map(u64::from).sum();
    let any = nans < values.len() as u64 && !least.is_above(most);
    (any.then(|| (least.write(), most.write())), nans)
}
