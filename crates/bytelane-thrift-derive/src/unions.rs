//! Unions: enums whose variants have one value each.

use crate::attributes::{Container, Field, Numbers, is_unknown};
use crate::{Around, check_type};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, Result, Type, parse_quote};

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
    /// The variant that keeps what is not declared.
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

    /// What it is, to be read or written.
    fn message(&self) -> TokenStream {
        let (ident, name, runtime) = (&self.input.ident, &self.container.name, self.runtime());
        let Around {
            parameters,
            of_type,
            conditions,
        } = Around::with_bound(&self.input.generics, &parse_quote!(#runtime::Element));
        let fields = self.variants.iter().map(|variant| {
            let Field { id, name, .. } = &variant.attributes;
            let of = variant.of;
            quote!(#runtime::Field::new(#id, #name, <#of as #runtime::Element>::TYPE))
        });
        quote! {
            #[automatically_derived]
            impl #parameters #runtime::Element for #ident #of_type #conditions {
                const TYPE: #runtime::Type = #runtime::Type::Struct;
            }

            #[automatically_derived]
            impl #parameters #runtime::Message for #ident #of_type #conditions {
                const NAME: &'static str = #name;
                const FIELDS: &'static [#runtime::Field] = &[#(#fields),*];
            }
        }
    }

    fn encode(&self) -> TokenStream {
        let (ident, runtime) = (&self.input.ident, self.runtime());
        let Around {
            parameters,
            of_type,
            conditions,
        } = Around::with_bound(&self.input.generics, &parse_quote!(#runtime::Encode));
        let writes = self.variants.iter().enumerate().map(|(i, variant)| {
            let ident = variant.ident;
            quote! {
                Self::#ident(value) => #runtime::derived::write_field(
                    value, writer, &mut frame, &fields[#i],
                )?,
            }
        });
        let rooms = self.variants.iter().map(|Variant { ident, .. }| {
            quote!(Self::#ident(value) => 4 + #runtime::Encode::room(value),)
        });
        let unknown = self.unknown.iter();
        let unknown_room = unknown.clone();
        quote! {
            #[automatically_derived]
            impl #parameters #runtime::Encode for #ident #of_type #conditions {
                fn room(&self) -> usize {
                    match self {
                        #(#rooms)*
                        #(Self::#unknown_room(field) => 1 + #runtime::derived::field_room(field),)*
                    }
                }

                fn write<W: #runtime::Writer>(
                    &self,
                    writer: &mut W,
                ) -> ::core::result::Result<(), #runtime::Error> {
                    let fields = <Self as #runtime::Message>::FIELDS;
                    let mut frame = writer.struct_begin()?;
                    match self {
                        #(#writes)*
                        #(Self::#unknown(field) => writer.unknown_field(&mut frame, field)?,)*
                    }
                    writer.struct_end(frame);
                    ::core::result::Result::Ok(())
                }
            }
        }
    }

    fn decode(&self) -> TokenStream {
        let (ident, runtime) = (&self.input.ident, self.runtime());
        let bound = parse_quote!(#runtime::Decode<'de>);
        let Around {
            parameters,
            of_type,
            conditions,
        } = Around::with_lifetime(&self.input.generics, &bound);
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
        quote! {
            #[automatically_derived]
            impl #parameters #runtime::Decode<'de> for #ident #of_type #conditions {
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
                    let mut frame = reader.struct_begin()?;
                    while let ::core::option::Option::Some(field) =
                        reader.field_begin(&mut frame, <Self as #runtime::Message>::FIELDS)?
                    {
                        match field.id {
                            #(#reads)*
                            #other
                            _ => reader.skip(field.kind)?,
                        }
                        reader.field_end()?;
                    }
                    *slot = union;
                    ::core::result::Result::Ok(())
                }
            }
        }
    }

    /// The arm that reads a variant.
    fn read(&self, variant: &Variant) -> TokenStream {
        let Field { id, name, .. } = &variant.attributes;
        let (ident, runtime) = (variant.ident, self.runtime());
        let read = match self.unknown {
            // What is known takes the place of what is not.
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

    /// The first variant with its type's default; one in a box may hold the union itself, which
    /// would have no end.
    fn default(&self) -> TokenStream {
        let (ident, runtime) = (&self.input.ident, self.runtime());
        let bound = parse_quote!(::core::default::Default);
        let Around {
            parameters,
            of_type,
            conditions,
        } = Around::with_bound(&self.input.generics, &bound);
        let mut variants = self.variants.iter();
        let unboxed = variants.find(|variant| !is_box(variant.of));
        let value = match (unboxed.or(self.variants.first()), self.unknown) {
            (Some(Variant { ident, .. }), _) => {
                quote!(Self::#ident(::core::default::Default::default()))
            }
            (None, Some(unknown)) => quote!(Self::#unknown(#runtime::derived::no_field())),
            (None, None) => return TokenStream::new(),
        };
        quote! {
            #[automatically_derived]
            impl #parameters ::core::default::Default for #ident #of_type #conditions {
                fn default() -> Self {
                    #value
                }
            }
        }
    }

    fn runtime(&self) -> &TokenStream {
        &self.container.runtime
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
