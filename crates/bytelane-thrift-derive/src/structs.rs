//! Structs and exceptions.

use crate::attributes::{Container, Field, Numbers, is_unknown};
use crate::{check_type, parts};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    DataStruct, DeriveInput, Error, Fields, GenericArgument, Ident, PathArguments, Result, Type,
    spanned::Spanned,
};

/// A field, with information on its type.
struct Member<'a> {
    ident: &'a Ident,
    attributes: Field,
    /// Type of its values, without `Option`.
    of: &'a Type,
    optional: bool,
}

/// A struct with its fields.
struct Struct<'a> {
    input: &'a DeriveInput,
    container: &'a Container,
    members: Vec<Member<'a>>,
    /// Field that keeps undeclared fields.
    unknown: Option<&'a Ident>,
}

pub fn derive(
    input: &DeriveInput,
    container: &Container,
    data: &DataStruct,
) -> Result<TokenStream> {
    let structure = Struct::new(input, container, data)?;
    let message = structure.message();
    let encode = (!container.decode_only).then(|| structure.encode());
    if container.encode_only {
        return Ok(quote!(#message #encode));
    }
    let (decode, default) = (structure.decode(), structure.default());
    Ok(quote!(#message #encode #decode #default))
}

/// Returns the type within an `Option`.
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

impl<'a> Struct<'a> {
    fn new(input: &'a DeriveInput, container: &'a Container, data: &'a DataStruct) -> Result<Self> {
        let Fields::Named(fields) = &data.fields else {
            let message = "the fields of a Thrift struct must have names: `struct .. { .. }`";
            return Err(Error::new_spanned(&input.ident, message));
        };
        let mut ids = Numbers::default();
        let (mut members, mut unknown) = (Vec::new(), None);
        for field in &fields.named {
            let Some(ident) = &field.ident else { continue };
            if is_unknown(&field.attrs) {
                if unknown.replace(ident).is_some() {
                    let message = "there is already a field for unknown fields";
                    return Err(Error::new_spanned(ident, message));
                }
                continue;
            }
            let attributes = Field::parse(&field.attrs, ident, &mut ids)?;
            let inner = optional(&field.ty);
            let of = inner.unwrap_or(&field.ty);
            check_type(of)?;
            members.push(Member {
                ident,
                attributes,
                of,
                optional: inner.is_some(),
            });
        }
        Ok(Self {
            input,
            container,
            members,
            unknown,
        })
    }

    fn message(&self) -> TokenStream {
        let members = self.members.iter();
        let fields = members.map(|member| (&member.attributes, member.of));
        parts::message(self.input, self.container, fields)
    }

    fn encode(&self) -> TokenStream {
        let runtime = self.runtime();
        let rooms = self.members.iter().map(|member| self.room(member));
        let writes = self.members.iter().enumerate();
        let writes = writes.map(|(i, member)| self.write(i, member));
        let unknown: Vec<_> = self.unknown.iter().collect();
        let room = quote!(
            1 #(+ #rooms)* #(+ #runtime::derived::unknown_room(&self.#unknown))*
        );
        let write = quote! {
            #(#writes)*
            #(#runtime::derived::write_unknown(&self.#unknown, writer, &mut frame)?;)*
        };
        parts::encode(self.input, self.container, &room, &write)
    }

    fn decode(&self) -> TokenStream {
        let runtime = self.runtime();
        let required = self.members.iter().map(|member| &member.attributes);
        let required = required.filter(|attributes| attributes.required);
        let required = required.map(|attributes| (&*attributes.name, attributes.id));
        let (required, ids): (Vec<&str>, Vec<i16>) = required.unzip();
        let count = required.len();
        let seen = (count > 0).then(|| quote!(let mut seen = [false; #count];));
        let check = (count > 0)
            .then(|| quote!(#runtime::derived::check_required(reader, seen, [#(#required),*], [#(#ids),*])?;));
        let reads = self.reads();
        let other = match self.unknown {
            Some(unknown) => {
                quote!(#runtime::derived::read_unknown(&mut self.#unknown, reader, field)?)
            }
            None => quote!(reader.skip(field.kind)?),
        };
        let read_fields = parts::read_fields(self.container, &quote!(#reads _ => #other,));
        let methods = quote! {
            fn read<R: #runtime::Reader<'de>>(
                reader: &mut R,
            ) -> ::core::result::Result<Self, #runtime::Error> {
                let mut value = <Self as ::core::default::Default>::default();
                #runtime::Decode::read_into(&mut value, reader)?;
                ::core::result::Result::Ok(value)
            }

            fn read_into<R: #runtime::Reader<'de>>(
                &mut self,
                reader: &mut R,
            ) -> ::core::result::Result<(), #runtime::Error> {
                #seen
                #read_fields
                #check
                ::core::result::Result::Ok(())
            }
        };
        parts::decode(self.input, self.container, &methods)
    }

    fn write(&self, i: usize, member: &Member) -> TokenStream {
        let (ident, runtime) = (member.ident, self.runtime());
        let call = if member.attributes.required {
            quote_spanned!(member.of.span()=> #runtime::derived::write_required)
        } else {
            quote_spanned!(member.of.span()=> #runtime::derived::write_field)
        };
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

    /// Generates the estimated size of a field, with the three bytes of its header.
    fn room(&self, member: &Member) -> TokenStream {
        let (ident, runtime) = (member.ident, self.runtime());
        let call = quote_spanned!(member.of.span()=> #runtime::Encode::room);
        if member.optional {
            quote!(self.#ident.as_ref().map_or(0, |value| 3 + #call(value)))
        } else {
            quote!(3 + #call(&self.#ident))
        }
    }

    /// Generates the arms that read the fields.
    fn reads(&self) -> TokenStream {
        let runtime = self.runtime();
        let mut required = 0usize;
        let unknown = match self.unknown {
            Some(unknown) => quote!(::core::option::Option::Some(&mut self.#unknown)),
            None => quote!(::core::option::Option::None),
        };
        let arms = self.members.iter().map(|member| {
            let Field { id, name, .. } = &member.attributes;
            let ident = member.ident;
            let call = if member.optional {
                quote_spanned!(member.of.span()=> #runtime::derived::read_optional)
            } else {
                quote_spanned!(member.of.span()=> #runtime::derived::read_field)
            };
            let read = quote!(#call(&mut self.#ident, reader, field, #name, #unknown)?);
            if !member.attributes.required {
                return quote!(#id => { #read; });
            }
            let index = required;
            required += 1;
            quote!(#id => if #read { seen[#index] = true; })
        });
        quote!(#(#arms)*)
    }

    fn default(&self) -> TokenStream {
        let values = self.members.iter().map(|member| {
            let ident = member.ident;
            match &member.attributes.default {
                Some(value) => quote!(#ident: #value),
                None => quote!(#ident: ::core::default::Default::default()),
            }
        });
        let unknown = self.unknown.iter();
        let value = quote! {
            Self {
                #(#values,)*
                #(#unknown: ::core::default::Default::default(),)*
            }
        };
        parts::default(self.input, &value)
    }

    fn runtime(&self) -> &TokenStream {
        &self.container.runtime
    }
}
