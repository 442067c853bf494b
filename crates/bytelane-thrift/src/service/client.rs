//! Client side of a call.

use super::{AsyncTransport, CallError, Method, MethodResult, Oneway, Result, Returned, Transport};
use crate::{
    ApplicationException, ApplicationExceptionKind as Kind, Envelope, Error, MessageKind, Options,
    Protocol,
};
use std::fmt;
use std::marker::PhantomData;

/// Makes calls over a [`Transport`], in the protocol `P`. Generated clients add the methods of
/// their services.
pub struct Client<P, T> {
    transport: T,
    calls: Calls<P>,
}

/// Makes calls over an [`AsyncTransport`], in the protocol `P`. Generated clients add the methods
/// of their services.
pub struct AsyncClient<P, T> {
    transport: T,
    calls: Calls<P>,
}

/// Defines the methods that are the same for both clients.
macro_rules! common {
    ($Client:ident) => {
        impl<P: Protocol, T> $Client<P, T> {
            /// Creates a client that reads replies within the default [`Limits`](crate::Limits).
            pub fn new(transport: T) -> Self {
                Self::with_options(transport, Options::default())
            }

            /// Creates a client with [`Options`] or [`Limits`](crate::Limits) of the caller's
            /// choice.
            pub fn with_options(transport: T, options: impl Into<Options>) -> Self {
                Self {
                    transport,
                    calls: Calls::new(options.into()),
                }
            }

            /// Returns the transport of the messages.
            pub fn transport(&mut self) -> &mut T {
                &mut self.transport
            }

            /// Returns the transport, and drops the client.
            pub fn into_transport(self) -> T {
                self.transport
            }
        }

        impl<P, T> fmt::Debug for $Client<P, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Client)).finish_non_exhaustive()
            }
        }
    };
}
common!(Client);
common!(AsyncClient);

impl<P: Protocol, T: Transport> Client<P, T> {
    /// Calls a method and waits for its result.
    ///
    /// # Errors
    ///
    /// An exception that the method throws, or the call fails.
    pub fn call<M>(&mut self, arguments: &M) -> Returned<M>
    where
        M: Method<Result: MethodResult>,
    {
        let message = self.calls.message(MessageKind::Call, arguments)?;
        let reply = self.transport.call(message)?;
        self.calls.result::<M>(reply.as_ref())
    }

    /// Calls a oneway method, without waiting for a result.
    ///
    /// # Errors
    ///
    /// The message cannot be sent.
    pub fn send<M: Method<Result = Oneway>>(&mut self, arguments: &M) -> Result<()> {
        let message = self.calls.message(MessageKind::Oneway, arguments)?;
        Ok(self.transport.send(message)?)
    }
}

impl<P: Protocol, T: AsyncTransport> AsyncClient<P, T> {
    /// Calls a method and waits for its result.
    ///
    /// # Errors
    ///
    /// An exception that the method throws, or the call fails.
    pub async fn call<M>(&mut self, arguments: &M) -> Returned<M>
    where
        M: Method<Result: MethodResult>,
    {
        let message = self.calls.message(MessageKind::Call, arguments)?;
        let reply = self.transport.call(message).await?;
        self.calls.result::<M>(reply.as_ref())
    }

    /// Calls a oneway method, without waiting for a result.
    ///
    /// # Errors
    ///
    /// The message cannot be sent.
    pub async fn send<M: Method<Result = Oneway>>(&mut self, arguments: &M) -> Result<()> {
        let message = self.calls.message(MessageKind::Oneway, arguments)?;
        Ok(self.transport.send(message).await?)
    }
}

/// Numbers calls, and checks that replies have their numbers.
struct Calls<P> {
    /// Number of the latest call.
    sequence: i32,
    options: Options,
    protocol: PhantomData<fn() -> P>,
}

impl<P: Protocol> Calls<P> {
    fn new(options: Options) -> Self {
        Self {
            sequence: 0,
            options,
            protocol: PhantomData,
        }
    }

    /// Encodes the message of the next call.
    fn message<M: Method>(
        &mut self,
        kind: MessageKind,
        arguments: &M,
    ) -> std::result::Result<Vec<u8>, Error> {
        self.sequence = self.sequence.wrapping_add(1);
        let call = Envelope {
            name: M::METHOD.into(),
            kind,
            sequence: self.sequence,
        };
        call.encode_with::<P, M>(arguments, self.options)
    }

    /// Decodes the result from the reply to the latest call.
    fn result<M: Method<Result: MethodResult>>(&self, reply: &[u8]) -> Returned<M> {
        let (reply, body) = Envelope::decode_with::<P>(reply, self.options)?;
        let method = M::METHOD;
        if reply.sequence != self.sequence {
            let (expected, found) = (self.sequence, reply.sequence);
            let message =
                format!("the reply to call {expected} of `{method}` has the number {found}");
            return Err(CallError::application(Kind::BadSequence, message));
        }
        match reply.kind {
            MessageKind::Reply => {}
            MessageKind::Exception => return Err(body.read::<ApplicationException>()?.into()),
            MessageKind::Call | MessageKind::Oneway => {
                let message = format!("received a call in reply to `{method}`");
                return Err(CallError::application(Kind::InvalidMessageKind, message));
            }
        }
        if reply.name != method {
            let message = format!("received the reply to `{}`, not to `{method}`", reply.name);
            return Err(CallError::application(Kind::WrongMethodName, message));
        }
        match body.read::<M::Result>()?.into_result() {
            Some(result) => result.map_err(CallError::Exception),
            None => {
                let message = format!("the reply to `{method}` has no result");
                Err(CallError::application(Kind::MissingResult, message))
            }
        }
    }
}
