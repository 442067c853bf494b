#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod attributes;
mod enums;
mod parts;
mod structs;
mod unions;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Generics, Result, Type, TypeParamBound, parse_quote};

use attributes::Container;

/// Makes a Rust type a Thrift struct, union, exception or enum.
///
/// On a **struct**, it implements `Encode`, `Decode`, `Message` and `Default`. On its fields:
///
/// | `#[thrift(..)]` | |
/// |---|---|
/// | `id = 1` | the id of the field; required for each field |
/// | `required` | a message without the field is an error |
/// | `default = EXPRESSION` | the value in `Default`, used if the message lacks the field; otherwise the type's default |
/// | `name = "type"` | the name in the IDL, if it differs from the Rust one; used in SimpleJSON and errors |
/// | `unknown` | instead of an id, on a field of the type `UnknownFields`: keeps the fields that the struct does not declare |
///
/// A field whose type is spelled `Option<..>` is optional: `None` is not written.
///
/// On an **enum** with `#[thrift(union)]`, whose variants have one value each, it implements
/// `Encode`, `Decode`, `Message` and `Default`, which is the first variant whose value is not
/// behind a `Box`, `Arc` or `Rc`. Variants have `id` and `name`. One may be `#[thrift(unknown)]`,
/// with an `UnknownField`: it keeps a member that this version does not know. Without it, a union
/// without a known member is `None` if it is optional, and an error otherwise.
///
/// On another **enum**, it implements `Encode`, `Decode` and the conversion to `i32`. Its variants
/// have `value = NUMBER`. One may be `#[thrift(unknown)]`, with an `i32`: it keeps the numbers that
/// this version does not know, and the conversion from `i32` is then implemented. Without it,
/// unknown numbers are errors.
///
/// On types:
///
/// | `#[thrift(..)]` | |
/// |---|---|
/// | `union` | see above |
/// | `name = "type"` | the name in the IDL, if it differs |
/// | `encode_only` | implements neither `Decode` nor `Default`: for fields that can only be written, such as `&[T]` |
/// | `decode_only` | on a struct, does not implement `Encode`: for fields that can only be read |
/// | `crate = "path"` | the path of the crate `bytelane_thrift`, if it has been renamed or is reexported |
///
/// Structs and unions may have parameters. Type parameters must implement `Encode` to write the
/// message, and `Decode` and `Default` to read it.
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
        Data::Enum(data) => enums::derive(input, &container, data),
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

/// Generics of an implementation: the parameters of the `impl`, those of the type, and the where
/// clause.
struct Around {
    parameters: TokenStream,
    of_type: TokenStream,
    conditions: TokenStream,
}

impl Around {
    /// Returns the generics of an implementation with this bound on the type's own parameters.
    fn with_bound(generics: &Generics, bound: &TypeParamBound) -> Self {
        Self::with(generics, generics.clone(), bound)
    }

    /// Returns the generics of an implementation of a trait with the lifetime `'de`: the message
    /// lives at least as long as the borrows of the type.
    fn with_lifetime(generics: &Generics, bound: &TypeParamBound) -> Self {
        let lifetimes = generics.lifetimes().map(|parameter| &parameter.lifetime);
        let mut longer = generics.clone();
        longer.params.insert(0, parse_quote!('de: #(#lifetimes)+*));
        for parameter in longer.type_params_mut() {
            // Reading starts from the default.
            let default = parse_quote!(::core::default::Default);
            parameter.bounds.push(default);
        }
        Self::with(generics, longer, bound)
    }

    fn with(generics: &Generics, mut of_impl: Generics, bound: &TypeParamBound) -> Self {
        for parameter in of_impl.type_params_mut() {
            parameter.bounds.push(bound.clone());
        }
        let (parameters, _, conditions) = of_impl.split_for_impl();
        let (_, of_type, _) = generics.split_for_impl();
        Self {
            parameters: quote!(#parameters),
            of_type: quote!(#of_type),
            conditions: quote!(#conditions),
        }
    }
}

/// Rejects number types that Thrift does not have: the compiler would report each use.
fn check_type(of: &Type) -> Result<()> {
    let Type::Path(path) = of else { return Ok(()) };
    let Some(last) = path.path.segments.last() else {
        return Ok(());
    };
    let instead = match &*last.ident.to_string() {
        "u8" => "`i8`, or `Vec<u8>` for binary",
        "u16" => "`i16` or `i32`",
        "u32" => "`i32` or `i64`",
        "u64" | "i128" | "u128" | "isize" | "usize" => "`i64`",
        "char" => "`i32` or `String`",
        _ => return Ok(()),
    };
    let message = format!("Thrift has no type `{}`: use {instead}", last.ident);
    match path.path.segments.len() {
        1 => Err(Error::new_spanned(of, message)),
        _ => Ok(()),
    }
}
