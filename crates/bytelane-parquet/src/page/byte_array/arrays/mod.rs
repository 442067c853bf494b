//! Arrays that strings become: with offsets, of views, of keys, or of decimals.

pub(super) mod decimal;
pub(super) mod keys;
pub(super) mod offsets;
pub(super) mod views;
