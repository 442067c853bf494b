//! Arguments of the kernels: levels, and which of them matter.
#![forbid(unsafe_code)]

/// The levels that tell lists of one depth from those around and within them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Depth {
    /// The repetition level that continues a list.
    pub(in crate::codec::validity) repetition: u16,
    /// From this definition level on, there is a place for a list: the entry of the list around it.
    pub(in crate::codec::validity) place: u16,
    /// From this definition level on, the list is not null.
    pub(in crate::codec::validity) valid: u16,
    /// From this definition level on, the list has an entry.
    pub(in crate::codec::validity) entry: u16,
}

/// Levels of a leaf, in bytes: the same number of both kinds.
#[derive(Clone, Copy)]
pub struct Pairs<'a> {
    pub(in crate::codec::validity) repetition: &'a [u8],
    pub(in crate::codec::validity) definition: &'a [u8],
    pub(in crate::codec::validity) depth: Depth,
}

/// Which bits are wanted.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// True for the bits of entries, false for those of lists.
    pub(in crate::codec::validity) entries: bool,
    /// The definition level from which on a bit is set.
    pub(in crate::codec::validity) level: u16,
}
