//! Generates the traits, the client and the dispatchers of a service.

use super::method::Method;
use super::tokens::{documented, tokens};
use crate::names::Unique;
use proc_macro2::TokenStream;
use quote::quote;

/// A service with its methods.
pub(super) struct Service {
    name: String,
    runtime: TokenStream,
    pub(super) parent: Option<Parent>,
    pub(super) methods: Vec<Method>,
}

/// Items of the service that this one extends.
pub(super) struct Parent {
    module: TokenStream,
    blocking: TokenStream,
    asynchronous: TokenStream,
    client: TokenStream,
}

impl Parent {
    pub(super) fn new(module: &str, name: &str) -> Self {
        Self {
            module: tokens(module),
            blocking: tokens(&format!("{module}::{name}")),
            asynchronous: tokens(&format!("{module}::Async{name}")),
            client: tokens(&format!("{module}::{}", client_name(name))),
        }
    }
}

impl Service {
    pub(super) fn named(name: String, runtime: &str) -> Self {
        Self {
            name,
            runtime: tokens(runtime),
            parent: None,
            methods: Vec::new(),
        }
    }

    fn blocking(&self) -> TokenStream {
        tokens(&self.name)
    }

    fn asynchronous(&self) -> TokenStream {
        tokens(&format!("Async{}", self.name))
    }

    fn client(&self) -> TokenStream {
        tokens(&client_name(&self.name))
    }

    /// Returns the names that the types of methods cannot have.
    pub(super) fn type_names(&self) -> Unique {
        let mut names = Unique::default();
        for taken in ["", "Async"].map(|prefix| format!("{prefix}{}", self.name)) {
            names.name(taken);
        }
        names.name(client_name(&self.name));
        names
    }

    /// Generates everything except the types of the methods.
    pub(super) fn items(&self) -> TokenStream {
        let (traits, client) = (self.traits(), self.clients());
        let (blocking, asynchronous) = (self.dispatcher(), self.asynchronous_dispatcher());
        quote!(#traits #blocking #asynchronous #client)
    }

    fn traits(&self) -> TokenStream {
        let (blocking, asynchronous) = (self.blocking(), self.asynchronous());
        let parent = self.parent.as_ref();
        let extends = parent.map(|Parent { blocking, .. }| quote!(: #blocking));
        let extends_async = match parent {
            Some(Parent { asynchronous, .. }) => asynchronous.clone(),
            None => quote!(Send + Sync),
        };
        let signatures = self.methods.iter().map(|method| {
            let (signature, outcome) = (signature(method, &quote!(&self)), method.outcome());
            let returns = method.result.as_ref().map(|_| quote!(-> #outcome));
            quote!(#signature #returns;)
        });
        let signatures_async = self.methods.iter().map(|method| {
            let signature = signature(method, &quote!(&self));
            let output = match method.result {
                Some(_) => method.outcome(),
                None => quote!(()),
            };
            quote!(#signature -> impl std::future::Future<Output = #output> + Send;)
        });
        let documentation = documented("The service, with methods that block.");
        let documentation_async =
            documented("The service, with asynchronous methods: implement them as `async fn`.");
        quote! {
            #documentation
            pub trait #blocking #extends {
                #(#signatures)*
            }

            #documentation_async
            pub trait #asynchronous: #extends_async {
                #(#signatures_async)*
            }
        }
    }

    fn dispatcher(&self) -> TokenStream {
        let Self { runtime, .. } = self;
        let name = self.blocking();
        let arms = self.methods.iter().map(|method| {
            let (constant, answer) = (&method.constant, answer(method, &name));
            match method.result {
                Some(_) => quote!(#constant => request.reply(#answer),),
                None => quote!(#constant => request.oneway(#answer),),
            }
        });
        let (handler, otherwise) = match &self.parent {
            Some(Parent { module, .. }) => {
                (quote!(handler), quote!(#module::dispatch(handler, request)))
            }
            None => (self.root_handler(), quote!(request.unknown_method())),
        };
        let body = self.matched(arms, &otherwise);
        let documentation = documented(
            "Calls the method that a request names. Returns the reply, if there is one.",
        );
        quote! {
            #documentation
            pub fn dispatch<P: #runtime::Protocol>(
                #handler: &(impl #name + ?Sized),
                request: service::Request<'_, P>,
            ) -> Option<Vec<u8>> {
                #body
            }
        }
    }

    fn asynchronous_dispatcher(&self) -> TokenStream {
        let Self { runtime, .. } = self;
        let name = self.asynchronous();
        let arms = self.methods.iter().map(|method| {
            let (constant, answer) = (&method.constant, answer(method, &name));
            match method.result {
                Some(_) => quote!(#constant => request.reply_async(#answer).await,),
                None => quote!(#constant => request.oneway_async(#answer).await,),
            }
        });
        let (handler, otherwise) = match &self.parent {
            Some(Parent { module, .. }) => (
                quote!(handler),
                quote!(#module::dispatch_async(handler, request).await),
            ),
            None => (self.root_handler(), quote!(request.unknown_method())),
        };
        let body = self.matched(arms, &otherwise);
        let documentation = documented(
            "Calls the asynchronous method that a request names. Returns the reply, if there is one.",
        );
        quote! {
            #documentation
            pub async fn dispatch_async<P: #runtime::Protocol>(
                #handler: &impl #name,
                request: service::Request<'_, P>,
            ) -> Option<Vec<u8>> {
                #body
            }
        }
    }

    /// Generates the root handler. A service without methods does not need one.
    fn root_handler(&self) -> TokenStream {
        if self.methods.is_empty() {
            quote!(_handler)
        } else {
            quote!(handler)
        }
    }

    fn matched(
        &self,
        arms: impl Iterator<Item = TokenStream>,
        otherwise: &TokenStream,
    ) -> TokenStream {
        if self.methods.is_empty() {
            return otherwise.clone();
        }
        quote! {
            match request.name() {
                #(#arms)*
                _ => #otherwise,
            }
        }
    }

    fn clients(&self) -> TokenStream {
        let Self { runtime, .. } = self;
        let name = self.client();
        let (target, inner) = match &self.parent {
            Some(Parent { client, .. }) => (quote!(#client<C>), quote!(#client::new(client))),
            None => (quote!(C), quote!(client)),
        };
        let methods = self.client_methods(&quote!(Client), &quote!(), &quote!());
        let methods_async =
            self.client_methods(&quote!(AsyncClient), &quote!(async), &quote!(.await));
        let blocking = self.implementation(
            &methods,
            quote!(impl<P: #runtime::Protocol, T: service::Transport> #name<service::Client<P, T>>),
        );
        let asynchronous = self.implementation(
            &methods_async,
            quote!(impl<P: #runtime::Protocol, T: service::AsyncTransport> #name<service::AsyncClient<P, T>>),
        );
        let documentation = documented(
            "Calls the service over a [`Client`](service::Client) or an\n[`AsyncClient`](service::AsyncClient).",
        );
        let new = documented(
            "Creates a client over a [`Client`](service::Client) or an\n[`AsyncClient`](service::AsyncClient).",
        );
        quote! {
            #documentation
            #[derive(Debug)]
            pub struct #name<C>(#target);

            impl<C> #name<C> {
                #new
                pub fn new(client: C) -> Self {
                    Self(#inner)
                }
            }

            #blocking
            #asynchronous

            impl<C> std::ops::Deref for #name<C> {
                type Target = #target;

                fn deref(&self) -> &Self::Target {
                    &self.0
                }
            }

            impl<C> std::ops::DerefMut for #name<C> {
                fn deref_mut(&mut self) -> &mut Self::Target {
                    &mut self.0
                }
            }
        }
    }

    fn implementation(&self, methods: &[TokenStream], header: TokenStream) -> Option<TokenStream> {
        (!methods.is_empty()).then(|| quote!(#header { #(#methods)* }))
    }

    fn client_methods(
        &self,
        client: &TokenStream,
        before: &TokenStream,
        after: &TokenStream,
    ) -> Vec<TokenStream> {
        let method = |method: &Method| {
            let documentation = &method.documentation;
            let arguments = method.arguments();
            let names = method.parameters.iter().map(|(name, _)| name);
            let unknown = method
                .keeps_unknown
                .then(|| quote!(unknown_fields: Default::default()));
            let (call, outcome) = match method.result {
                Some(_) => (quote!(call), method.outcome()),
                None => (quote!(send), quote!(service::Result<()>)),
            };
            let function = function(method, &quote!(&mut self));
            quote! {
                #documentation
                pub #before #function -> #outcome {
                    service::#client::#call(self, &#arguments { #(#names,)* #unknown }) #after
                }
            }
        };
        self.methods.iter().map(method).collect()
    }
}

/// Returns the name of a service's client, without the underscore that the name of the trait may
/// need.
fn client_name(service: &str) -> String {
    format!("{}Client", service.trim_end_matches('_'))
}

/// Generates the signature of a function with its comment, without the return type.
fn signature(method: &Method, receiver: &TokenStream) -> TokenStream {
    let (documentation, function) = (&method.documentation, function(method, receiver));
    quote!(#documentation #function)
}

fn function(method: &Method, receiver: &TokenStream) -> TokenStream {
    let name = &method.name;
    let parameters = method
        .parameters
        .iter()
        .map(|(name, ty)| quote!(#name: #ty));
    quote!(fn #name(#receiver #(, #parameters)*))
}

/// Generates code that calls the method of a trait with the struct of its arguments. It names the
/// trait, because the parent's trait may also have a method of this name.
fn answer(method: &Method, of: &TokenStream) -> TokenStream {
    let (name, arguments) = (&method.name, method.arguments());
    let fields = method.parameters.iter().map(|(name, _)| name);
    let argument = if method.parameters.is_empty() {
        quote!(_)
    } else {
        quote!(arguments)
    };
    quote!(|#argument: #arguments| #of::#name(handler #(, arguments.#fields)*))
}
