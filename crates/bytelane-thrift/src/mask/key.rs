//! Keys of maps.

/// Key of an entry of a map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[doc(hidden)]
pub enum Key<'a> {
    /// An integer, or the number of an enum.
    Number(i64),
    /// A string or binary.
    Text(&'a [u8]),
    /// Anything else.
    Other,
}
