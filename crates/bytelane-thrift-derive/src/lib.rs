#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod attributes;
mod enums;
mod structs;
mod unions;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, GenericParam, Generics, Lifetime, Result};

use attributes::Container;

/// Makes a Rust type a struct, union, exception or enum of Thrift.
///
/// On a **struct**, it implements `Element`, `Message` and `Default`. On its fields:
///
/// | `#[thrift(..)]` | |
/// |---|---|
/// | `id = 1` | the number of the field, which each one has |
/// | `required` | a message without the field is an error |
/// | `default = EXPRESSION` | the value in `Default`, which a field has that the message lacks; otherwise the type's default |
/// | `name = "type"` | the name in the IDL, if it differs from the Rust one; SimpleJSON and errors have it |
///
/// A field of the type `Option<..>`, written like that, is optional: `None` is not written.
///
/// On an **enum** with `#[thrift(union)]`, whose variants have one value each, it implements
/// `Element`, `Message` and `Default`: the first variant that is not boxed. Variants have `id` and
/// `name`.
///
/// On another **enum**, it implements `Element` and the conversion to `i32`. Its variants have
/// `value = NUMBER`. One may be `#[thrift(unknown)]`, with an `i32`: it keeps the numbers that this
/// version does not know, and the conversion from `i32` is implemented then. Without it they are
/// errors.
///
/// Types have `#[thrift(name = "..")]` where the IDL's name differs. They may have lifetimes, and
/// no other parameters.
#[proc_macro_derive(Thrift, attributes(thrift))]
pub fn derive_thrift(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    derive(&input)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let container = Container::parse(input)?;
    match &input.data {
        Data::Struct(data) if !container.union => structs::derive(input, &container, data),
        Data::Enum(data) if container.union => unions::derive(input, &container, data),
        Data::Enum(data) => enums::derive(input, data),
        Data::Struct(_) => Err(Error::new_spanned(
            &input.ident,
            "a union must be an enum whose variants have one value each",
        )),
        Data::Union(_) => Err(Error::new_spanned(
            &input.ident,
            "Rust unions are not supported: write an enum with `#[thrift(union)]`",
        )),
    }
}

/// What stands around the implementations of traits with the lifetime `'de`: the parameters of the
/// `impl`, where the message lives at least as long as what the type borrows, and those of the type.
fn generics(generics: &Generics) -> Result<(TokenStream, TokenStream)> {
    let mut lifetimes: Vec<&Lifetime> = Vec::new();
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(parameter) => lifetimes.push(&parameter.lifetime),
            other => {
                let message = "a Thrift type can only have lifetime parameters";
                return Err(Error::new_spanned(other, message));
            }
        }
    }
    let (_, of_type, _) = generics.split_for_impl();
    let bound = match &lifetimes[..] {
        [] => quote!('de),
        _ => quote!('de: #(#lifetimes)+*),
    };
    Ok((quote!(<#bound, #(#lifetimes),*>), quote!(#of_type)))
}
