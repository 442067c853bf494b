//! Windows of a slice at distances that are limited by their type, so that none of them needs a check of its
//! own.
#![allow(unsafe_code)] // Windows that were checked before.

/// A number of bytes, at most `MOST`. Tables hold such numbers, so that no use of them needs a check.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Stride<const MOST: usize>(usize);

impl<const MOST: usize> Stride<MOST> {
    /// Creates a stride.
    ///
    /// # Panics
    ///
    /// Panics if there are more bytes.
    #[inline(always)]
    pub(crate) const fn new(bytes: usize) -> Self {
        assert!(bytes <= MOST, "a stride beyond its maximum");
        Self(bytes)
    }

    #[inline(always)]
    pub(crate) const fn get(self) -> usize {
        self.0
    }
}

/// Entry of a table: a shuffle of 16 bytes, and the number of bytes that it takes, or gives. One index serves
/// both, and the number is as long as a register, so that an addition reads it from memory.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Shuffle {
    pub(crate) places: [u8; 16],
    pub(crate) length: Stride<16>,
}

/// Windows of `K` bytes in an array of `N`, each at most `K` bytes after the one before: there are `N / K`
/// of them, wherever they are. So a kernel that loads a vector, and passes as many of its bytes as it has
/// used, needs no check in between.
pub(crate) struct Strides<'a, const K: usize, const N: usize> {
    from: &'a [u8; N],
    passed: usize,
    /// Number of further windows; `passed + K * left` is at most `N`.
    left: usize,
}

impl<'a, const K: usize, const N: usize> Strides<'a, K, N> {
    #[inline(always)]
    pub(crate) fn new(from: &'a [u8; N]) -> Self {
        Self {
            from,
            passed: 0,
            left: N / K,
        }
    }

    /// Returns the next window and stays there, to [`pass`](Self::pass) it later.
    #[inline(always)]
    pub(crate) fn here(&self) -> &'a [u8; K] {
        assert!(self.left > 0, "a stride out of range");
        // SAFETY: one window is left, so `passed + K` is at most `N`.
        let window = unsafe { self.from.as_ptr().add(self.passed) };
        // SAFETY: as above: the array, which is borrowed for `'a`, has `K` bytes from here on. An array of
        // bytes needs no alignment.
        unsafe { &*window.cast() }
    }

    /// Passes bytes of the window.
    #[inline(always)]
    pub(crate) fn pass(&mut self, bytes: Stride<K>) {
        assert!(self.left > 0, "a stride out of range");
        // At most `K` bytes more, and one window less.
        self.passed += bytes.0;
        self.left -= 1;
    }

    /// Returns the number of bytes passed.
    #[inline(always)]
    pub(crate) fn passed(&self) -> Stride<N> {
        Stride(self.passed)
    }
}

/// Same as [`Strides`], for writing.
pub(crate) struct StridesMut<'a, B, const K: usize, const N: usize> {
    to: &'a mut [B; N],
    passed: usize,
    /// Number of further windows; `passed + K * left` is at most `N`.
    left: usize,
}

impl<'a, B, const K: usize, const N: usize> StridesMut<'a, B, K, N> {
    #[inline(always)]
    pub(crate) fn new(to: &'a mut [B; N]) -> Self {
        Self {
            to,
            passed: 0,
            left: N / K,
        }
    }

    /// Returns the next window and stays there, to [`pass`](Self::pass) it later.
    #[inline(always)]
    pub(crate) fn here(&mut self) -> &mut [B; K] {
        assert!(self.left > 0, "a stride out of range");
        // SAFETY: one window is left, so `passed + K` is at most `N`.
        let window = unsafe { self.to.as_mut_ptr().add(self.passed) };
        // SAFETY: as above: the array has `K` elements from here on. It is borrowed through `self` for as
        // long as the window, and an array is aligned as its elements are.
        unsafe { &mut *window.cast() }
    }

    /// Passes elements of the window.
    #[inline(always)]
    pub(crate) fn pass(&mut self, elements: Stride<K>) {
        assert!(self.left > 0, "a stride out of range");
        // At most `K` elements more, and one window less.
        self.passed += elements.0;
        self.left -= 1;
    }

    /// Returns the number of elements passed.
    #[inline(always)]
    pub(crate) fn passed(&self) -> Stride<N> {
        Stride(self.passed)
    }
}

/// Returns four windows of `K` bytes, each a stride after the one before, the first at the front of a
/// slice. `None` if the last one does not end within it.
#[cfg(all(target_arch = "x86_64", feature = "sse41"))]
#[inline(always)]
pub(crate) fn windows_of_strides<const K: usize>(
    from: &[u8],
    strides: [Stride<K>; 3],
) -> Option<[&[u8; K]; 4]> {
    // Three strides of at most `K` bytes, and `K` bytes more, which is the length of an array: no overflow.
    let second = strides[0].0;
    let third = second + strides[1].0;
    let last = third + strides[2].0;
    if last + K > from.len() {
        return None;
    }
    let first = from.as_ptr();
    // SAFETY: no place is after the last one, from which on the slice has `K` bytes, as checked above.
    let second = unsafe { first.add(second) };
    // SAFETY: as above.
    let third = unsafe { first.add(third) };
    // SAFETY: as above.
    let last = unsafe { first.add(last) };
    // SAFETY: as above: the slice, which is borrowed for as long, has `K` bytes from here on. An array of bytes
    // needs no alignment.
    let first = unsafe { &*first.cast() };
    // SAFETY: as above.
    let second = unsafe { &*second.cast() };
    // SAFETY: as above.
    let third = unsafe { &*third.cast() };
    // SAFETY: as above.
    let last = unsafe { &*last.cast() };
    Some([first, second, third, last])
}
