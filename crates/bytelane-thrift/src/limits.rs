//! Bounds on what a message may cost.

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
    /// How many structs and containers may be within each other. 64 by default: the stack bounds
    /// it.
    pub depth: u32,
    /// The most elements of a list or set, or entries of a map. 2³¹ - 1 by default, the most that
    /// the formats have.
    pub container: usize,
    /// The most bytes of a string or binary. 2³¹ - 1 by default, as above.
    pub string: usize,
    /// The most bytes of memory that all values of a message together take on the heap when they
    /// are read: 1 GiB by default.
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
