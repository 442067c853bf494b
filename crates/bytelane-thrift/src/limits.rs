//! Limits on the cost of a message.

/// Bounds on a message, when it is read, skipped and written.
///
/// Whatever the limits are, a container that claims more elements than the bytes left can hold is
/// refused before memory is reserved.
///
/// ```
/// use bytelane_thrift::Limits;
///
/// let limits = Limits { string: 1 << 20, ..Limits::default() };
/// # assert_eq!(limits.depth, 64);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The maximum nesting depth of structs and containers, 64 by default. The stack bounds it.
    pub depth: u32,
    /// The maximum number of elements of a list or set, or entries of a map. 2³¹ - 1 by default, the maximum of the
    /// formats.
    pub container: usize,
    /// The maximum number of bytes of a string or binary. 2³¹ - 1 by default, as above.
    pub string: usize,
    /// The maximum number of bytes that all values of a message together may take on the heap when they are read: 1 GiB
    /// by default.
    pub total_allocation: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 64,
            container: i32::MAX as usize,
            string: i32::MAX as usize,
            total_allocation: 1 << 30,
        }
    }
}

impl Limits {
    /// These limits, and none beyond what the formats have.
    pub(crate) fn within_formats(mut self) -> Self {
        self.container = self.container.min(i32::MAX as usize);
        self.string = self.string.min(i32::MAX as usize);
        self
    }
}
