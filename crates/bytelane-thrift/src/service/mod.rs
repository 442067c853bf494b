//! Services: common code of the traits, clients and dispatchers that `bytelane-thrift-build`
//! generates.
//!
//! For a service `Calculator`, the generated module `calculator` has
//!
//! | | |
//! |---|---|
//! | `Calculator`, `AsyncCalculator` | the traits that a server implements |
//! | `dispatch`, `dispatch_async` | call the method that a [`Request`] names, and return the reply |
//! | `CalculatorClient` | has the methods of the service, over a [`Client`] or an [`AsyncClient`] |
//! | `AddArgs`, `AddResult`, `AddException` | the arguments of `add`, its result, the exceptions that it declares |
//!
//! Nothing here depends on sockets or a runtime. A client sends its messages over a [`Transport`]
//! or an [`AsyncTransport`]; a server reads messages from any source.

mod client;
mod error;
mod request;
mod transport;

pub use client::{AsyncClient, Client};
pub use error::{CallError, Result};
pub use request::Request;
pub use transport::{AsyncTransport, Transport};

use crate::{DecodeOwned, Encode, Message};

/// Arguments of a method, which also represent the method itself.
pub trait Method: Message + Encode + DecodeOwned {
    /// Name of the method in messages.
    const METHOD: &'static str;
    /// Struct of its result: a [`MethodResult`], or [`Oneway`].
    type Result;
}

/// Result type of a oneway method, which has no result and is not waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oneway {}

/// Struct of the return value or exception of a method.
pub trait MethodResult: Message + Encode + DecodeOwned {
    /// Return type of the method.
    type Success;
    /// Exceptions of the method: an enum of the exceptions that it declares, or
    /// [`Infallible`](std::convert::Infallible).
    type Exception;

    /// Converts from the return value or exception of a method.
    fn from_result(result: std::result::Result<Self::Success, Self::Exception>) -> Self;

    /// Converts to the return value or exception of a method. `None` if the struct has neither.
    fn into_result(self) -> Option<std::result::Result<Self::Success, Self::Exception>>;
}

/// Result of calling a method.
type Returned<M> = Result<
    <<M as Method>::Result as MethodResult>::Success,
    <<M as Method>::Result as MethodResult>::Exception,
>;
