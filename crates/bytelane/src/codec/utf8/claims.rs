//! Proofs that the operations of this codec write what they claim. When you change code that a
//! comment names, check the comment again. The oracle sweep tests each claim with destinations of
//! different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::Front;
use crate::memory::Validated;

// SAFETY: `valid_up_to_with` returns the length of the input if `short::is_ascii` finds no bit 7
// set, or if `short::has_one_character` finds ASCII except for one character of three or four
// bytes. Otherwise, either a kernel has checked all of the input, or `scalar::valid_up_to` counts
// the bytes of whole characters, from the start or from an offset up to which a kernel has checked.
// `kernel::is_text18`, `is_text64` and `fault` report all of the input only if they have checked
// parts that cover it: each is ASCII, at the start or after a byte of ASCII, or each of its bytes
// has been compared with the three before; and only if `is_unfinished` finds no incomplete
// character at the end.
unsafe impl Validated for Front {}
