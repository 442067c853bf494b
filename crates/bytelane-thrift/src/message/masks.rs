//! Masks of the types of messages.

use crate::mask::Shape;
use crate::{FieldMask, InvalidPath, Message};

impl FieldMask {
    /// Creates a mask that selects the given paths. Without paths, it selects everything, as in Kitex.
    ///
    /// # Errors
    ///
    /// A path is malformed, or does not fit the type; all paths together have more than 65,536 parts.
    pub fn of<T: Message>(
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, InvalidPath> {
        Self::selecting(Shape::of::<T>(), paths)
    }

    /// Creates a mask that selects everything except the given paths.
    ///
    /// # Errors
    ///
    /// The same as [`of`](Self::of).
    pub fn without<T: Message>(
        paths: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, InvalidPath> {
        Self::rejecting(Shape::of::<T>(), paths)
    }
}
