//! Structs and exceptions.

use crate::attributes::{Container, Field, Numbers};
use crate::generics;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    DataStruct, DeriveInput, Error, Fields, GenericArgument, Ident, PathArguments, Result, Type,
};

/// A field, and what is known of its type.
struct Member<'a> {
    ident: &'a Ident,
    attributes: Field,
    /// The type of its values, without `Option`.
    of: &'a Type,
    optional: bool,
}

pub fn derive(
    input: &DeriveInput,
    container: &Container,
    data: &DataStruct,
) -> Result<TokenStream> {
    let members = members(input, data)?;
    let elements = element(input, container, &members)?;
    let default = default(input, &members);
    Ok(quote!(#elements #default))
}

fn members<'a>(input: &DeriveInput, data: &'a DataStruct) -> Result<Vec<Member<'a>>> {
    let Fields::Named(fields) = &data.fields else {
        let message = "the fields of a Thrift struct must have names: `struct .. { .. }`";
        return Err(Error::new_spanned(&input.ident, message));
    };
    let mut ids = Numbers::default();
    let mut members = Vec::new();
    for field in &fields.named {
        let Some(ident) = &field.ident else { continue };
        let attributes = Field::parse(&field.attrs, ident, &mut ids)?;
        let inner = optional(&field.ty);
        members.push(Member {
            ident,
            attributes,
            of: inner.unwrap_or(&field.ty),
            optional: inner.is_some(),
        });
    }
    Ok(members)
}

/// The type within an `Option`.
fn optional(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if last.ident == "Option" => Some(inner),
        _ => None,
    }
}

fn element(input: &DeriveInput, container: &Container, members: &[Member]) -> Result<TokenStream> {
    let (of_impl, of_type) = generics(&input.generics)?;
    let (ident, name) = (&input.ident, &container.name);
    let fields = members.iter().map(|member| {
        let Field { id, name, .. } = &member.attributes;
        let of = member.of;
        quote!(::bytelane_thrift::Field {
            id: #id,
            name: #name,
            kind: <#of as ::bytelane_thrift::Element<'de>>::TYPE,
        })
    });
    let writes = members.iter().enumerate().map(write);
    let rooms = members.iter().map(room);
    let required: Vec<&str> = members
        .iter()
        .filter(|member| member.attributes.required)
        .map(|member| &*member.attributes.name)
        .collect();
    let count = required.len();
    let reads = reads(members);
    let (seen, check) = match count {
        0 => (None, None),
        _ => (
            Some(quote!(let mut seen = [false; #count];)),
            Some(
                quote!(::bytelane_thrift::derived::check_required(reader, seen, [#(#required),*])?;),
            ),
        ),
    };
    Ok(quote! {
        #[automatically_derived]
        impl #of_impl ::bytelane_thrift::Message<'de> for #ident #of_type {
            const NAME: &'static str = #name;
            const FIELDS: &'static [::bytelane_thrift::Field] = &[#(#fields),*];
        }

        #[automatically_derived]
        impl #of_impl ::bytelane_thrift::Element<'de> for #ident #of_type {
            const TYPE: ::bytelane_thrift::Type = ::bytelane_thrift::Type::Struct;

            #[inline]
            fn room(&self) -> usize {
                1 #(+ #rooms)*
            }

            fn write<W: ::bytelane_thrift::Writer>(
                &self,
                writer: &mut W,
            ) -> ::core::result::Result<(), ::bytelane_thrift::Error> {
                let fields = <Self as ::bytelane_thrift::Message<'de>>::FIELDS;
                let mut frame = writer.struct_begin()?;
                #(#writes)*
                writer.struct_end(frame);
                ::core::result::Result::Ok(())
            }

            fn read<R: ::bytelane_thrift::Reader<'de>>(
                reader: &mut R,
            ) -> ::core::result::Result<Self, ::bytelane_thrift::Error> {
                let mut value = <Self as ::core::default::Default>::default();
                ::bytelane_thrift::Element::read_into(&mut value, reader)?;
                ::core::result::Result::Ok(value)
            }

            fn read_into<R: ::bytelane_thrift::Reader<'de>>(
                &mut self,
                reader: &mut R,
            ) -> ::core::result::Result<(), ::bytelane_thrift::Error> {
                #seen
                let mut frame = reader.struct_begin()?;
                while let ::core::option::Option::Some(field) = reader.field_begin(
                    &mut frame,
                    <Self as ::bytelane_thrift::Message<'de>>::FIELDS,
                )? {
                    match field.id {
                        #reads
                        _ => reader.skip(field.kind)?,
                    }
                    reader.field_end()?;
                }
                #check
                ::core::result::Result::Ok(())
            }
        }
    })
}

fn write((i, member): (usize, &Member)) -> TokenStream {
    let ident = member.ident;
    let call = quote!(::bytelane_thrift::derived::write_field);
    if member.optional {
        quote! {
            if let ::core::option::Option::Some(value) = &self.#ident {
                #call(value, writer, &mut frame, &fields[#i])?;
            }
        }
    } else {
        quote!(#call(&self.#ident, writer, &mut frame, &fields[#i])?;)
    }
}

/// The room that a field takes, with the three bytes of its header.
fn room(member: &Member) -> TokenStream {
    let ident = member.ident;
    let call = quote!(3 + ::bytelane_thrift::Element::room);
    if member.optional {
        quote!(self.#ident.as_ref().map_or(0, |value| #call(value)))
    } else {
        quote!(#call(&self.#ident))
    }
}

/// The arms that read the fields.
fn reads(members: &[Member]) -> TokenStream {
    let mut required = 0usize;
    let arms = members.iter().map(|member| {
        let Field { id, name, .. } = &member.attributes;
        let ident = member.ident;
        let call = if member.optional {
            quote!(::bytelane_thrift::derived::read_optional)
        } else {
            quote!(::bytelane_thrift::derived::read_field)
        };
        let seen = member.attributes.required.then(|| {
            let seen = quote!(seen[#required] = true;);
            required += 1;
            seen
        });
        quote! {
            #id => {
                #call(&mut self.#ident, reader, field, #name)?;
                #seen
            }
        }
    });
    quote!(#(#arms)*)
}

fn default(input: &DeriveInput, members: &[Member]) -> TokenStream {
    let (of_impl, of_type, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    let values = members.iter().map(|member| {
        let ident = member.ident;
        match &member.attributes.default {
            Some(value) => quote!(#ident: #value),
            None => quote!(#ident: ::core::default::Default::default()),
        }
    });
    quote! {
        #[automatically_derived]
        impl #of_impl ::core::default::Default for #ident #of_type {
            fn default() -> Self {
                Self { #(#values),* }
            }
        }
    }
}
