//! Implementations common to structs and unions.

use crate::Around;
use crate::attributes::{Container, Field};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Type, parse_quote};

/// Implements the description of a type: its name, and its fields with their types.
pub fn message<'a>(
    input: &DeriveInput,
    container: &Container,
    fields: impl Iterator<Item = (&'a Field, &'a Type)>,
) -> TokenStream {
    let (ident, name, runtime) = (&input.ident, &container.name, &container.runtime);
    let Around {
        parameters,
        of_type,
        conditions,
    } = Around::with_bound(&input.generics, &parse_quote!(#runtime::Element));
    let (fields, types): (Vec<_>, Vec<_>) = fields.unzip();
    let shapes = types.iter().enumerate();
    let shapes = shapes.map(|(place, of)| {
        quote!(#place => ::core::option::Option::Some(#runtime::derived::Shape::of::<#of>()),)
    });
    let fields = fields.iter().zip(&types).map(|(Field { id, name, .. }, of)| {
        quote!(#runtime::Field::new(#id, #name, <#of as #runtime::Element>::TYPE))
    });
    quote! {
        #[automatically_derived]
        impl #parameters #runtime::Element for #ident #of_type #conditions {
            const TYPE: #runtime::Type = #runtime::Type::Struct;

            fn describe() -> #runtime::derived::Described {
                #runtime::derived::Described::Struct(
                    <Self as #runtime::Message>::FIELDS,
                    |place| match place {
                        #(#shapes)*
                        _ => ::core::option::Option::None,
                    },
                )
            }
        }

        #[automatically_derived]
        impl #parameters #runtime::Message for #ident #of_type #conditions {
            const NAME: &'static str = #name;
            const FIELDS: &'static [#runtime::Field] = &[#(#fields),*];
        }
    }
}

/// Implements writing, from an expression for the estimated size, and statements that write the
/// fields.
pub fn encode(
    input: &DeriveInput,
    container: &Container,
    room: &TokenStream,
    write: &TokenStream,
) -> TokenStream {
    let (ident, runtime) = (&input.ident, &container.runtime);
    let Around {
        parameters,
        of_type,
        conditions,
    } = Around::with_bound(&input.generics, &parse_quote!(#runtime::Encode));
    quote! {
        #[automatically_derived]
        impl #parameters #runtime::Encode for #ident #of_type #conditions {
            #[inline]
            fn room(&self) -> usize {
                #room
            }

            #[inline]
            fn write<W: #runtime::Writer>(
                &self,
                writer: &mut W,
            ) -> ::core::result::Result<(), #runtime::Error> {
                let fields = <Self as #runtime::Message>::FIELDS;
                let mut frame = writer.struct_begin()?;
                #write
                writer.struct_end(frame);
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// Implements reading, from the methods of `Decode`.
pub fn decode(input: &DeriveInput, container: &Container, methods: &TokenStream) -> TokenStream {
    let (ident, runtime) = (&input.ident, &container.runtime);
    let Around {
        parameters,
        of_type,
        conditions,
    } = Around::with_lifetime(&input.generics, &parse_quote!(#runtime::Decode<'de>));
    quote! {
        #[automatically_derived]
        impl #parameters #runtime::Decode<'de> for #ident #of_type #conditions {
            #methods
        }
    }
}

/// Generates the loop that reads the fields, from the arms of a `match`.
pub fn read_fields(container: &Container, arms: &TokenStream) -> TokenStream {
    let runtime = &container.runtime;
    quote! {
        let mut frame = reader.struct_begin()?;
        while let ::core::option::Option::Some(field) =
            reader.field_begin(&mut frame, <Self as #runtime::Message>::FIELDS)?
        {
            match field.id {
                #arms
            }
            reader.field_end()?;
        }
    }
}

/// Implements `Default`.
pub fn default(input: &DeriveInput, value: &TokenStream) -> TokenStream {
    let ident = &input.ident;
    let Around {
        parameters,
        of_type,
        conditions,
    } = Around::with_bound(&input.generics, &parse_quote!(::core::default::Default));
    quote! {
        #[automatically_derived]
        impl #parameters ::core::default::Default for #ident #of_type #conditions {
            fn default() -> Self {
                #value
            }
        }
    }
}
