//! Proofs that the operations of this codec write what they claim. A change of the code that a
//! comment names needs another look at the comment. The oracle sweep tests each claim with
//! destinations of different contents, and Miri tests it with uninitialised destinations.
#![allow(unsafe_code)] // Only `unsafe impl`.

use super::Front;
use crate::memory::Validated;

// SAFETY: `valid_up_to_with` returns the length of the input where `short::is_ascii` finds no bit 7
// set, or where `short::has_one_character` finds ASCII but for one character of three or four
// bytes. Otherwise a kernel answers for all of the input, or `scalar::valid_up_to` counts the bytes
// of whole characters, from the start or from a place that a kernel has checked up to.
// `kernel::is_text34`, `is_text64` and `fault` report all of the input only if they have checked
// parts that cover it: each is ASCII, at the start or after a byte of ASCII, or each of its bytes
// has been compared with the three before; and only if `is_unfinished` finds no character unfinished
// at the end.
unsafe impl Validated for Front {}
