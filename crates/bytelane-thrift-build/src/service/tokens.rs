//! Text as tokens of Rust.

use proc_macro2::TokenStream;
use quote::quote;

/// Converts text to tokens. Invalid text, such as a malformed crate path, is left out: it also
/// appears in the attributes of types, where the compiler reports it.
pub(super) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// Converts text to a comment.
pub(super) fn documented(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| match line {
        "" => String::new(),
        line => format!(" {line}"),
    });
    quote!(#(#[doc = #lines])*)
}
