//! Unions: enums whose variants have one value each.

use crate::attributes::{Container, Field, Numbers, is_unknown};
use crate::{check_type, parts};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result, Type};

struct Variant<'a> {
    ident: &'a Ident,
    attributes: Field,
    of: &'a Type,
}

/// A union with its variants.
struct Union<'a> {
    input: &'a DeriveInput,
    container: &'a Container,
    variants: Vec<Variant<'a>>,
    /// Variant that keeps undeclared members.
    unknown: Option<&'a Ident>,
}

pub fn derive(input: &DeriveInput, container: &Container, data: &DataEnum) -> Result<TokenStream> {
    let union = Union::new(input, container, data)?;
    let (message, encode) = (union.message(), union.encode());
    if container.encode_only {
        return Ok(quote!(#message #encode));
    }
    let (decode, default) = (union.decode(), union.default());
    Ok(quote!(#message #encode #decode #default))
}

impl<'a> Union<'a> {
    fn new(input: &'a DeriveInput, container: &'a Container, data: &'a DataEnum) -> Result<Self> {
        let mut ids = Numbers::default();
        let (mut variants, mut unknown) = (Vec::new(), None);
        for variant in &data.variants {
            let ident = &variant.ident;
            let of = match &variant.fields {
                Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
                _ => {
                    let message = "a union variant must have one value: `Variant(Type)`";
                    return Err(Error::new_spanned(variant, message));
                }
            };
            if is_unknown(&variant.attrs) {
                if unknown.replace(ident).is_some() {
                    let message = "there is already a variant for unknown members";
                    return Err(Error::new_spanned(variant, message));
                }
                continue;
            }
            let attributes = Field::parse(&variant.attrs, ident, &mut ids)?;
            if attributes.required || attributes.default.is_some() {
                let message = "a union variant cannot be required or have a default";
                return Err(Error::new_spanned(variant, message));
            }
            check_type(of)?;
            variants.push(Variant {
                ident,
                attributes,
                of,
            });
        }
        if variants.is_empty() && unknown.is_none() {
            let message = "a union must have at least one variant";
            return Err(Error::new_spanned(&input.ident, message));
        }
        Ok(Self {
            input,
            container,
            variants,
            unknown,
        })
    }

    fn message(&self) -> TokenStream {
        let variants = self.variants.iter();
        let fields = variants.map(|variant| (&variant.attributes, variant.of));
        parts::message(self.input, self.container, fields)
    }

    fn encode(&self) -> TokenStream {
        let runtime = self.runtime();
        let rooms = self.variants.iter().map(|Variant { ident, .. }| {
            quote!(Self::#ident(value) => 4 + #runtime::Encode::room(value),)
        });
        let writes = self.variants.iter().enumerate().map(|(i, variant)| {
            let ident = variant.ident;
            quote! {
                Self::#ident(value) => #runtime::derived::write_field(
                    value, writer, &mut frame, &fields[#i],
                )?,
            }
        });
        let unknown: Vec<_> = self.unknown.iter().collect();
        let room = quote! {
            match self {
                #(#rooms)*
                #(Self::#unknown(field) => 1 + #runtime::derived::field_room(field),)*
            }
        };
        let write = quote! {
            match self {
                #(#writes)*
                #(Self::#unknown(field) => writer.unknown_field(&mut frame, field)?,)*
            }
        };
        parts::encode(self.input, self.container, &room, &write)
    }

    fn decode(&self) -> TokenStream {
        let runtime = self.runtime();
        let reads = self.variants.iter().map(|variant| self.read(variant));
        let other = match self.unknown {
            Some(unknown) => quote! {
                _ if union.is_none() => {
                    let field = reader.unknown_field(field)?;
                    union = ::core::option::Option::Some(Self::#unknown(field));
                }
            },
            None => TokenStream::new(),
        };
        let arms = quote!(#(#reads)* #other _ => reader.skip(field.kind)?,);
        let read_fields = parts::read_fields(self.container, &arms);
        let methods = quote! {
            fn read<R: #runtime::Reader<'de>>(
                reader: &mut R,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                let mut union = ::core::option::Option::None;
                #runtime::Decode::read_optional(&mut union, reader)?;
                union.ok_or_else(|| #runtime::derived::empty_union(reader))
            }

            fn read_optional<R: #runtime::Reader<'de>>(
                slot: &mut ::core::option::Option<Self>,
                reader: &mut R,
            ) -> ::core::result::Result<(), #runtime::Error> {
                let mut union: ::core::option::Option<Self> = ::core::option::Option::None;
                #read_fields
                *slot = union;
                ::core::result::Result::Ok(())
            }
        };
        parts::decode(self.input, self.container, &methods)
    }

    /// Generates the arm that reads a variant.
    fn read(&self, variant: &Variant) -> TokenStream {
        let Field { id, name, .. } = &variant.attributes;
        let (ident, runtime) = (variant.ident, self.runtime());
        let read = match self.unknown {
            // A known variant replaces an unknown one.
            Some(unknown) => quote!(#runtime::derived::read_known_or_unknown(
                matches!(
                    union,
                    ::core::option::Option::None | ::core::option::Option::Some(Self::#unknown(_))
                ),
                reader, field, #name, Self::#ident, Self::#unknown,
            )?),
            None => quote!(
                #runtime::derived::read_variant(union.is_none(), reader, field, #name)?
                    .map(Self::#ident)
            ),
        };
        quote! {
            #id => if let ::core::option::Option::Some(value) = #read {
                union = ::core::option::Option::Some(value);
            },
        }
    }

    /// Generates the default: the first variant with its type's default, unless that is behind a
    /// pointer: it may contain the union itself, which would recurse endlessly.
    fn default(&self) -> TokenStream {
        let runtime = self.runtime();
        let mut variants = self.variants.iter();
        let direct = variants.find(|variant| !is_pointer(variant.of));
        let value = match (direct, self.unknown, self.variants.first()) {
            (Some(Variant { ident, .. }), ..) | (None, None, Some(Variant { ident, .. })) => {
                quote!(Self::#ident(::core::default::Default::default()))
            }
            (None, Some(unknown), _) => quote!(Self::#unknown(#runtime::derived::no_field())),
            (None, None, None) => return TokenStream::new(),
        };
        parts::default(self.input, &value)
    }

    fn runtime(&self) -> &TokenStream {
        &self.container.runtime
    }
}

fn is_pointer(of: &Type) -> bool {
    match of {
        Type::Path(path) => {
            path.path.segments.last().is_some_and(|last| {
                last.ident == "Box" || last.ident == "Arc" || last.ident == "Rc"
            })
        }
        _ => false,
    }
}
