//! Arguments of the kernels: levels, and those that matter.
#![forbid(unsafe_code)]

/// Levels that distinguish lists of one depth from those around and within them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Depth {
    /// Repetition level that continues a list.
    pub(in crate::codec::validity) repetition: u16,
    /// Lowest definition level with a position for a list: an entry of the list around it.
    pub(in crate::codec::validity) place: u16,
    /// Lowest definition level of a list that is not null.
    pub(in crate::codec::validity) valid: u16,
    /// Lowest definition level of a list with an entry.
    pub(in crate::codec::validity) entry: u16,
}

/// Levels of a leaf, in bytes: the same number of both kinds.
#[derive(Clone, Copy)]
pub struct Pairs<'a> {
    pub(in crate::codec::validity) repetition: &'a [u8],
    pub(in crate::codec::validity) definition: &'a [u8],
    pub(in crate::codec::validity) depth: Depth,
}

/// Selection of bits to write.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// True for the bits of entries, false for those of lists.
    pub(in crate::codec::validity) entries: bool,
    /// Lowest definition level for which a bit is set.
    pub(in crate::codec::validity) level: u16,
}
