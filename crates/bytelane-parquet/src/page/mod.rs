//! Data pages of flat columns of a fixed width.

mod codec;
mod encode;
mod levels;

pub(crate) use encode::{PageEncoder, PageValues, dense};
