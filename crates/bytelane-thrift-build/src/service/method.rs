//! Items of one method: its name, the connection between arguments and result, and its exceptions.

use super::tokens::{documented, tokens};
use crate::idl::syntax::Function;
use proc_macro2::TokenStream;
use quote::quote;

/// A function of a service, with its Rust names.
pub(super) struct Method {
    /// Name in messages.
    pub(super) original: String,
    pub(super) documentation: TokenStream,
    pub(super) name: TokenStream,
    pub(super) constant: TokenStream,
    /// Name of the struct of its arguments.
    pub(super) arguments: String,
    /// Name of the struct of its result, unless it is oneway.
    pub(super) result: Option<String>,
    /// Name of the enum of its exceptions, if it declares any.
    pub(super) exception: Option<String>,
    /// Names and types of the arguments.
    pub(super) parameters: Vec<(TokenStream, TokenStream)>,
    /// Field and type of its return value, if any.
    pub(super) success: Option<(TokenStream, TokenStream)>,
    /// Exceptions that it declares.
    pub(super) throws: Vec<Throw>,
    /// True if its structs have a field for unknown fields.
    pub(super) keeps_unknown: bool,
}

/// An exception that a function declares.
pub(super) struct Throw {
    pub(super) variant: TokenStream,
    /// Field of the struct of the result.
    pub(super) field: TokenStream,
    pub(super) ty: TokenStream,
    /// True if its type may belong to another crate.
    pub(super) is_external: bool,
}

impl Method {
    pub(super) fn named(function: &Function, name: String, constant: String) -> Self {
        let documentation = function.documentation.as_deref().unwrap_or_default();
        Self {
            original: function.name.text.clone(),
            documentation: documented(documentation),
            name: tokens(&name),
            constant: tokens(&constant),
            arguments: String::new(),
            result: None,
            exception: None,
            parameters: Vec::new(),
            success: None,
            throws: Vec::new(),
            keeps_unknown: false,
        }
    }

    pub(super) fn arguments(&self) -> TokenStream {
        tokens(&self.arguments)
    }

    /// Returns the type of its return value.
    pub(super) fn returned(&self) -> TokenStream {
        match &self.success {
            Some((_, ty)) => ty.clone(),
            None => quote!(()),
        }
    }

    /// Returns the type of its exceptions.
    fn thrown(&self) -> TokenStream {
        match &self.exception {
            Some(name) => tokens(name),
            None => quote!(std::convert::Infallible),
        }
    }

    /// Returns the type of the result of a call.
    pub(super) fn outcome(&self) -> TokenStream {
        let returned = self.returned();
        match &self.exception {
            Some(name) => {
                let exception = tokens(name);
                quote!(service::Result<#returned, #exception>)
            }
            None => quote!(service::Result<#returned>),
        }
    }

    /// Generates everything except the structs.
    pub(super) fn items(&self) -> TokenStream {
        let Self {
            original, constant, ..
        } = self;
        let arguments = self.arguments();
        let result = match &self.result {
            Some(name) => tokens(name),
            None => quote!(service::Oneway),
        };
        let documentation = documented(&format!("The name of `{original}` in messages."));
        let conversion = self.result.as_ref().map(|_| self.conversion(&result));
        let exception = self.exception.as_ref().map(|name| self.exceptions(name));
        quote! {
            #documentation
            pub const #constant: &str = #original;

            impl service::Method for #arguments {
                const METHOD: &'static str = #constant;
                type Result = #result;
            }

            #conversion
            #exception
        }
    }

    /// Generates the conversion between the struct of the result and `Result`.
    fn conversion(&self, result: &TokenStream) -> TokenStream {
        let (returned, thrown) = (self.returned(), self.thrown());
        let from = self.construction(&thrown);
        let throws = self.throws.iter().map(|Throw { variant, field, .. }| {
            quote! {
                if let Some(exception) = self.#field {
                    return Some(Err(#thrown::#variant(exception)));
                }
            }
        });
        let success = match &self.success {
            Some((field, _)) => quote!(self.#field.map(Ok)),
            None => quote!(Some(Ok(()))),
        };
        quote! {
            impl service::MethodResult for #result {
                type Success = #returned;
                type Exception = #thrown;

                fn from_result(result: Result<#returned, #thrown>) -> Self {
                    #from
                }

                fn into_result(self) -> Option<Result<#returned, #thrown>> {
                    #(#throws)*
                    #success
                }
            }
        }
    }

    fn construction(&self, thrown: &TokenStream) -> TokenStream {
        let fields = self.throws.len()
            + usize::from(self.success.is_some())
            + usize::from(self.keeps_unknown);
        let rest = (fields > 1).then(|| quote!(, ..Self::default()));
        let (pattern, success) = match &self.success {
            Some((field, _)) => (
                quote!(success),
                quote!(Self { #field: Some(success) #rest }),
            ),
            None if fields > 0 => (quote!(()), quote!(Self::default())),
            None => (quote!(()), quote!(Self {})),
        };
        if self.throws.is_empty() {
            return quote! {
                let Ok(#pattern) = result;
                #success
            };
        }
        let throws = self.throws.iter().map(|Throw { variant, field, .. }| {
            quote!(Err(#thrown::#variant(exception)) => Self { #field: Some(exception) #rest },)
        });
        quote! {
            match result {
                Ok(#pattern) => #success,
                #(#throws)*
            }
        }
    }

    /// Generates the enum of the declared exceptions, with a conversion from each of them, unless
    /// two have the same type.
    fn exceptions(&self, name: &str) -> TokenStream {
        let name = tokens(name);
        let documentation = documented(&format!("The exceptions of `{}`.", self.original));
        let variants = || self.throws.iter().map(|throw| &throw.variant);
        let types = self.throws.iter().map(|throw| &throw.ty);
        let (declared, shown, sources) = (variants(), variants(), variants());
        let same = |ty: &TokenStream| {
            let text = ty.to_string();
            let all = self.throws.iter().map(|throw| throw.ty.to_string());
            all.filter(|other| *other == text).count()
        };
        let conversions = self.throws.iter().filter(|throw| same(&throw.ty) == 1);
        let conversions = conversions.map(|throw| {
            let Throw { variant, ty, .. } = throw;
            // Rust has no conversions between types that both belong to other crates.
            let of_call = (!throw.is_external).then(|| {
                quote! {
                    impl From<#ty> for service::CallError<#name> {
                        fn from(exception: #ty) -> Self {
                            Self::Exception(exception.into())
                        }
                    }
                }
            });
            quote! {
                impl From<#ty> for #name {
                    fn from(exception: #ty) -> Self {
                        Self::#variant(exception)
                    }
                }

                #of_call
            }
        });
        quote! {
            #documentation
            #[derive(Clone, Debug, PartialEq)]
            pub enum #name {
                #(#declared(#types),)*
            }

            impl std::fmt::Display for #name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    match self {
                        #(Self::#shown(exception) => std::fmt::Display::fmt(exception, f),)*
                    }
                }
            }

            impl std::error::Error for #name {
                fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                    match self {
                        #(Self::#sources(exception) => std::error::Error::source(exception),)*
                    }
                }
            }

            impl From<#name> for service::CallError<#name> {
                fn from(exception: #name) -> Self {
                    Self::Exception(exception)
                }
            }

            #(#conversions)*
        }
    }
}
