//! `#[thrift(..)]` on types, fields and variants.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::HashSet;
use syn::meta::ParseNestedMeta;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Error, Expr, Ident, LitInt, LitStr, Path, Result, Token};

/// Attributes of a type.
pub struct Container {
    pub name: String,
    pub union: bool,
    /// True if the type is only written.
    pub encode_only: bool,
    /// True if the type is only read.
    pub decode_only: bool,
    /// Path of the crate `bytelane-thrift`.
    pub runtime: TokenStream,
}

impl Container {
    pub fn parse(input: &DeriveInput) -> Result<Self> {
        let mut container = Self {
            name: plain_name(&input.ident),
            union: false,
            encode_only: false,
            decode_only: false,
            runtime: quote!(::bytelane_thrift),
        };
        each(&input.attrs, |meta| {
            if meta.path.is_ident("name") {
                container.name = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("union") {
                container.union = true;
            } else if meta.path.is_ident("encode_only") {
                container.encode_only = true;
            } else if meta.path.is_ident("decode_only") {
                container.decode_only = true;
            } else if meta.path.is_ident("crate") {
                let path: Path = meta.value()?.parse::<LitStr>()?.parse()?;
                container.runtime = quote!(#path);
            } else {
                let expected = "expected `name = \"..\"`, `crate = \"..\"`, `union`, `encode_only` or `decode_only`";
                return Err(meta.error(expected));
            }
            Ok(())
        })?;
        Ok(container)
    }
}

/// Attributes of a field of a struct, or of a variant of a union.
pub struct Field {
    pub id: i16,
    pub name: String,
    pub required: bool,
    pub default: Option<Expr>,
}

impl Field {
    pub fn parse(attributes: &[Attribute], ident: &Ident, ids: &mut Numbers) -> Result<Self> {
        let mut id = None;
        let mut field = Self {
            id: 0,
            name: plain_name(ident),
            required: false,
            default: None,
        };
        each(attributes, |meta| {
            if meta.path.is_ident("id") {
                id = Some(integer(meta.value()?)?);
            } else if meta.path.is_ident("name") {
                field.name = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("required") {
                field.required = true;
            } else if meta.path.is_ident("default") {
                field.default = Some(meta.value()?.parse()?);
            } else {
                return Err(
                    meta.error("expected `id = ..`, `name = \"..\"`, `required`, `default = ..` or `unknown` alone")
                );
            }
            Ok(())
        })?;
        let Some((number, span)) = id else {
            let message = "a field needs an id: `#[thrift(id = ..)]`";
            return Err(Error::new_spanned(ident, message));
        };
        field.id = i16::try_from(number)
            .map_err(|_| Error::new(span, "a field id must fit in 16 bits"))?;
        ids.add(number, span)?;
        Ok(field)
    }
}

/// Returns whether a field or variant is `#[thrift(unknown)]`, which keeps what the type does not
/// declare.
pub fn is_unknown(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if !attribute.path().is_ident("thrift") {
            return false;
        }
        let word: Result<Ident> = attribute.parse_args();
        word.is_ok_and(|word| word == "unknown")
    })
}

/// Value of a variant of an enum.
pub enum Value {
    Number(i32),
    Unknown,
}

impl Value {
    pub fn parse(attributes: &[Attribute], ident: &Ident, values: &mut Numbers) -> Result<Self> {
        let mut value = None;
        each(attributes, |meta| {
            if meta.path.is_ident("value") {
                let (number, span) = integer(meta.value()?)?;
                values.add(number, span)?;
                let number = i32::try_from(number)
                    .map_err(|_| Error::new(span, "an enum value must fit in 32 bits"))?;
                value = Some(Self::Number(number));
            } else if meta.path.is_ident("unknown") {
                value = Some(Self::Unknown);
            } else {
                return Err(meta.error("expected `value = ..` or `unknown`"));
            }
            Ok(())
        })?;
        value.ok_or_else(|| {
            let message = "a variant needs a value: `#[thrift(value = ..)]`";
            Error::new_spanned(ident, message)
        })
    }
}

/// Numbers that are already used.
#[derive(Default)]
pub struct Numbers(HashSet<i64>);

impl Numbers {
    fn add(&mut self, number: i64, span: Span) -> Result<()> {
        if self.0.insert(number) {
            return Ok(());
        }
        Err(Error::new(span, "this number is already in use"))
    }
}

/// Calls a function with each part of the `#[thrift(..)]` attributes.
fn each(
    attributes: &[Attribute],
    mut parse: impl FnMut(ParseNestedMeta) -> Result<()>,
) -> Result<()> {
    for attribute in attributes {
        if attribute.path().is_ident("thrift") {
            attribute.parse_nested_meta(&mut parse)?;
        }
    }
    Ok(())
}

/// Parses an integer, possibly negative. Returns it and its span.
fn integer(input: ParseStream) -> Result<(i64, Span)> {
    let minus: Option<Token![-]> = input.parse()?;
    let literal: LitInt = input.parse()?;
    let number: i64 = literal.base10_parse()?;
    match minus {
        Some(minus) => Ok((
            -number,
            minus.span().join(literal.span()).unwrap_or(minus.span()),
        )),
        None => Ok((number, literal.span())),
    }
}

/// Returns an identifier without `r#`.
fn plain_name(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}
