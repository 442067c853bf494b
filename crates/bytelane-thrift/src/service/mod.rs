//! Services: what the traits, clients and dispatchers have in common that `bytelane-thrift-build`
//! generates.
//!
//! For a service `Calculator`, the generated module `calculator` has
//!
//! | | |
//! |---|---|
//! | `Calculator`, `AsyncCalculator` | the traits that a server implements |
//! | `dispatch`, `dispatch_async` | call the method that a [`Request`] names, and make the reply |
//! | `CalculatorClient` | has a method for each of the service, over a [`Client`] or an [`AsyncClient`] |
//! | `AddArgs`, `AddResult`, `AddException` | the arguments of `add`, its result, the exceptions that it declares |
//!
//! Nothing here knows sockets or a runtime. A client sends its messages over a [`Transport`] or an
//! [`AsyncTransport`]; a server reads messages from wherever they come.

mod client;
mod error;
mod request;
mod transport;

pub use client::{AsyncClient, Client};
pub use error::{CallError, Result};
pub use request::Request;
pub use transport::{AsyncTransport, Transport};

use crate::{DecodeOwned, Encode, Message};

/// The arguments of a method, which stand for the method itself.
pub trait Method: Message + Encode + DecodeOwned {
    /// The name of the method in messages.
    const METHOD: &'static str;
    /// The struct of its result: a [`MethodResult`], or [`Oneway`].
    type Result;
}

/// In place of the result of a method that has none, and that nobody waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Oneway {}

/// The struct of what a method returns or throws.
pub trait MethodResult: Message + Encode + DecodeOwned {
    /// Type that the method returns.
    type Success;
    /// Exceptions that it throws: an enum of the exceptions that it declares, or
    /// [`Infallible`](std::convert::Infallible).
    type Exception;

    /// The struct for what a method returned or threw.
    fn from_result(result: std::result::Result<Self::Success, Self::Exception>) -> Self;

    /// Returns what a method returned or threw. `None` if the struct has neither.
    fn into_result(self) -> Option<std::result::Result<Self::Success, Self::Exception>>;
}

/// Outcome of a call of a method.
type Returned<M> = Result<
    <<M as Method>::Result as MethodResult>::Success,
    <<M as Method>::Result as MethodResult>::Exception,
>;
