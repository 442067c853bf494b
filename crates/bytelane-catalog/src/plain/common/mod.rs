//! Parts that the loops of several codecs share.

pub(crate) mod bits;
pub(crate) mod level;
pub(crate) mod number;
