//! Enums: names for 32-bit numbers.

use crate::attributes::{Container, Numbers, Value};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result};

pub fn derive(input: &DeriveInput, container: &Container, data: &DataEnum) -> Result<TokenStream> {
    if !input.generics.params.is_empty() {
        let message = "a Thrift enum cannot have parameters";
        return Err(Error::new_spanned(&input.generics, message));
    }
    let (known, unknown) = variants(data)?;
    let (ident, runtime) = (&input.ident, &container.runtime);
    let numbers = known
        .iter()
        .map(|(variant, number)| quote!(#ident::#variant => #number,));
    let of_unknown = unknown.map(|variant| quote!(#ident::#variant(number) => number,));
    let conversion = conversion(ident, &known, unknown);
    let read = match unknown {
        Some(_) => quote!(reader.i32().map(Self::from)),
        None => {
            let arms = known.iter().map(
                |(variant, number)| quote!(#number => ::core::result::Result::Ok(Self::#variant),),
            );
            quote! {
                match reader.i32()? {
                    #(#arms)*
                    number => ::core::result::Result::Err(
                        #runtime::derived::unknown_enum_value(reader, number),
                    ),
                }
            }
        }
    };
    Ok(quote! {
        #[automatically_derived]
        impl ::core::convert::From<#ident> for i32 {
            fn from(value: #ident) -> Self {
                match value {
                    #(#numbers)*
                    #of_unknown
                }
            }
        }

        #conversion

        #[automatically_derived]
        impl #runtime::Element for #ident {
            const TYPE: #runtime::Type = #runtime::Type::I32;
        }

        #[automatically_derived]
        impl #runtime::Encode for #ident {
            #[inline]
            fn room(&self) -> usize {
                4
            }

            #[inline]
            fn mask_key(&self) -> #runtime::derived::Key<'_> {
                #runtime::derived::Key::Number(i32::from(*self).into())
            }

            #[inline]
            fn write<W: #runtime::Writer>(
                &self,
                writer: &mut W,
            ) -> ::core::result::Result<(), #runtime::Error> {
                writer.i32(i32::from(*self));
                ::core::result::Result::Ok(())
            }
        }

        #[automatically_derived]
        impl<'de> #runtime::Decode<'de> for #ident {
            #[inline]
            fn read<R: #runtime::Reader<'de>>(
                reader: &mut R,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                #read
            }
        }
    })
}

/// A variant and its number.
type Known<'a> = (&'a Ident, i32);

/// Returns the variants with their numbers, and the one for unknown numbers.
fn variants(data: &DataEnum) -> Result<(Vec<Known<'_>>, Option<&Ident>)> {
    let mut values = Numbers::default();
    let mut known = Vec::new();
    let mut unknown = None;
    for variant in &data.variants {
        match (
            Value::parse(&variant.attrs, &variant.ident, &mut values)?,
            &variant.fields,
        ) {
            (Value::Number(number), Fields::Unit) => known.push((&variant.ident, number)),
            (Value::Number(_), _) => {
                let message =
                    "an enum variant cannot have data; for a union, add `#[thrift(union)]`";
                return Err(Error::new_spanned(variant, message));
            }
            (Value::Unknown, Fields::Unnamed(fields)) if fields.unnamed.len() == 1 => {
                if unknown.replace(&variant.ident).is_some() {
                    let message = "there is already a variant for unknown numbers";
                    return Err(Error::new_spanned(variant, message));
                }
            }
            (Value::Unknown, _) => {
                let message = "the variant for unknown numbers must hold them: `Unknown(i32)`";
                return Err(Error::new_spanned(variant, message));
            }
        }
    }
    Ok((known, unknown))
}

/// Generates the conversion from `i32`, if each number has a variant.
fn conversion(ident: &Ident, known: &[Known], unknown: Option<&Ident>) -> Option<TokenStream> {
    let unknown = unknown?;
    let arms = known
        .iter()
        .map(|(variant, number)| quote!(#number => Self::#variant,));
    Some(quote! {
        #[automatically_derived]
        impl ::core::convert::From<i32> for #ident {
            fn from(number: i32) -> Self {
                match number {
                    #(#arms)*
                    number => Self::#unknown(number),
                }
            }
        }
    })
}
