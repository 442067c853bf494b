//! Separate pass of the C library that maps signed values to unsigned ones.
//!
//! Input and output may be the same memory, so both are accessed only through pointers.

/// Maps 0, -1, 1, -2 to 0, 1, 2, 3.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zigzag_encode(values: *const i32, out: *mut u32, count: usize) {
    // SAFETY: the caller promises what `map` requires.
    unsafe { map(values, out, count, encoded) }
}

/// Maps the differences of the values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zigzag_delta_encode(
    values: *const i32,
    out: *mut u32,
    count: usize,
    mut previous: i32,
) {
    let difference = |value: i32| {
        let difference = value.wrapping_sub(previous);
        previous = value;
        encoded(difference)
    };
    // SAFETY: the caller promises what `map` requires.
    unsafe { map(values, out, count, difference) }
}

/// Reverses [`zigzag_encode`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zigzag_decode(values: *const u32, out: *mut i32, count: usize) {
    // SAFETY: the caller promises what `map` requires.
    unsafe { map(values, out, count, decoded) }
}

/// Reverses [`zigzag_delta_encode`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zigzag_delta_decode(
    values: *const u32,
    out: *mut i32,
    count: usize,
    mut previous: i32,
) {
    let sum = |value: u32| {
        previous = previous.wrapping_add(decoded(value));
        previous
    };
    // SAFETY: the caller promises what `map` requires.
    unsafe { map(values, out, count, sum) }
}

fn encoded(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

fn decoded(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// Maps values one by one.
///
/// # Safety
///
/// `from` points to `count` aligned values, and `to` to aligned memory for `count` values, which is
/// the same memory or does not overlap.
#[inline(always)]
unsafe fn map<S, D>(from: *const S, to: *mut D, count: usize, mut each: impl FnMut(S) -> D) {
    for i in 0..count {
        // SAFETY: `i` is less than `count`, so the value is one of the caller's.
        let value = unsafe { from.wrapping_add(i).read() };
        // SAFETY: as above. If the memory is the same, value `i` has been read.
        unsafe { to.wrapping_add(i).write(each(value)) };
    }
}
