//! Unions: enums whose variants have one value each.

use crate::attributes::{Container, Field, Numbers};
use crate::generics;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result, Type};

struct Variant<'a> {
    ident: &'a Ident,
    attributes: Field,
    of: &'a Type,
}

pub fn derive(input: &DeriveInput, container: &Container, data: &DataEnum) -> Result<TokenStream> {
    let variants = variants(input, data)?;
    let elements = element(input, container, &variants)?;
    let default = default(input, &variants);
    Ok(quote!(#elements #default))
}

fn variants<'a>(input: &DeriveInput, data: &'a DataEnum) -> Result<Vec<Variant<'a>>> {
    let mut ids = Numbers::default();
    let mut variants = Vec::new();
    for variant in &data.variants {
        let ident = &variant.ident;
        let of = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
            _ => {
                let message = "a union variant must have one value: `Variant(Type)`";
                return Err(Error::new_spanned(variant, message));
            }
        };
        let attributes = Field::parse(&variant.attrs, ident, &mut ids)?;
        if attributes.required || attributes.default.is_some() {
            let message = "a union variant cannot be required or have a default";
            return Err(Error::new_spanned(variant, message));
        }
        variants.push(Variant {
            ident,
            attributes,
            of,
        });
    }
    if variants.is_empty() {
        return Err(Error::new_spanned(
            &input.ident,
            "a union must have at least one variant",
        ));
    }
    Ok(variants)
}

fn element(
    input: &DeriveInput,
    container: &Container,
    variants: &[Variant],
) -> Result<TokenStream> {
    let (of_impl, of_type) = generics(&input.generics)?;
    let (ident, name) = (&input.ident, &container.name);
    let fields = variants.iter().map(|variant| {
        let Field { id, name, .. } = &variant.attributes;
        let of = variant.of;
        quote!(::bytelane_thrift::Field {
            id: #id,
            name: #name,
            kind: <#of as ::bytelane_thrift::Element<'de>>::TYPE,
        })
    });
    let writes = variants.iter().enumerate().map(|(i, variant)| {
        let ident = variant.ident;
        quote! {
            Self::#ident(value) => ::bytelane_thrift::derived::write_field(
                value, writer, &mut frame, &fields[#i],
            )?,
        }
    });
    let reads = variants.iter().map(|variant| {
        let Field { id, name, .. } = &variant.attributes;
        let ident = variant.ident;
        quote! {
            #id => {
                let value = ::bytelane_thrift::derived::read_variant(
                    union.is_none(), reader, field, #name,
                )?;
                union = ::core::option::Option::Some(Self::#ident(value));
            }
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl #of_impl ::bytelane_thrift::Message<'de> for #ident #of_type {
            const NAME: &'static str = #name;
            const FIELDS: &'static [::bytelane_thrift::Field] = &[#(#fields),*];
        }

        #[automatically_derived]
        impl #of_impl ::bytelane_thrift::Element<'de> for #ident #of_type {
            const TYPE: ::bytelane_thrift::Type = ::bytelane_thrift::Type::Struct;

            fn write<W: ::bytelane_thrift::Writer>(
                &self,
                writer: &mut W,
            ) -> ::core::result::Result<(), ::bytelane_thrift::Error> {
                let fields = <Self as ::bytelane_thrift::Message<'de>>::FIELDS;
                let mut frame = writer.struct_begin()?;
                match self {
                    #(#writes)*
                }
                writer.struct_end(frame);
                ::core::result::Result::Ok(())
            }

            fn read<R: ::bytelane_thrift::Reader<'de>>(
                reader: &mut R,
            ) -> ::core::result::Result<Self, ::bytelane_thrift::Error> {
                let mut union = ::core::option::Option::None;
                ::bytelane_thrift::Element::read_optional(&mut union, reader)?;
                union.ok_or_else(|| ::bytelane_thrift::derived::empty_union(reader))
            }

            fn read_optional<R: ::bytelane_thrift::Reader<'de>>(
                slot: &mut ::core::option::Option<Self>,
                reader: &mut R,
            ) -> ::core::result::Result<(), ::bytelane_thrift::Error> {
                let mut union = ::core::option::Option::None;
                let mut frame = reader.struct_begin()?;
                while let ::core::option::Option::Some(field) = reader.field_begin(
                    &mut frame,
                    <Self as ::bytelane_thrift::Message<'de>>::FIELDS,
                )? {
                    match field.id {
                        #(#reads)*
                        _ => reader.skip(field.kind)?,
                    }
                    reader.field_end()?;
                }
                *slot = union;
                ::core::result::Result::Ok(())
            }
        }
    })
}

/// The first variant with its type's default; one in a box may hold the union itself, which would
/// have no end.
fn default(input: &DeriveInput, variants: &[Variant]) -> TokenStream {
    let (of_impl, of_type, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    let unboxed = variants.iter().find(|variant| !is_box(variant.of));
    let Some(first) = unboxed.or(variants.first()) else {
        return TokenStream::new();
    };
    let first = first.ident;
    quote! {
        #[automatically_derived]
        impl #of_impl ::core::default::Default for #ident #of_type {
            fn default() -> Self {
                Self::#first(::core::default::Default::default())
            }
        }
    }
}

fn is_box(of: &Type) -> bool {
    match of {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "Box"),
        _ => false,
    }
}
