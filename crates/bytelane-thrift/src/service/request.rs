//! Server side of a call.

use super::{CallError, Method, MethodResult, Oneway, Result, Returned};
use crate::{
    ApplicationException, ApplicationExceptionKind as Kind, Body, Encode, Envelope, Error, Message,
    MessageKind, Options, Protocol,
};
use std::fmt;

/// A call that a service has received: pass it to the generated function `dispatch` or
/// `dispatch_async`.
///
/// ```ignore
/// let request = Request::<Compact>::decode(&message)?;
/// if let Some(reply) = calculator::dispatch(&service, request) {
///     // Send the reply.
/// }
/// ```
pub struct Request<'a, P: Protocol> {
    call: Call<'a>,
    body: Body<'a, P>,
}

impl<'a, P: Protocol> Request<'a, P> {
    /// Reads the envelope of a message.
    ///
    /// # Errors
    ///
    /// The envelope is malformed, or not that of a call. No reply is possible: close the
    /// connection.
    pub fn decode(message: &'a [u8]) -> std::result::Result<Self, Error> {
        Self::decode_with(message, Options::default())
    }

    /// Same as [`decode`](Self::decode), with [`Options`] or [`Limits`](crate::Limits) of the
    /// caller's choice, for the arguments as well.
    ///
    /// # Errors
    ///
    /// The same as [`decode`](Self::decode).
    pub fn decode_with(
        message: &'a [u8],
        options: impl Into<Options>,
    ) -> std::result::Result<Self, Error> {
        let options = options.into();
        let (envelope, body) = Envelope::decode_with::<P>(message, options)?;
        match envelope.kind {
            MessageKind::Call | MessageKind::Oneway => {}
            MessageKind::Reply | MessageKind::Exception => {
                return Err(Error::custom("expected a call, found a reply"));
            }
        }
        let call = Call { envelope, options };
        Ok(Self { call, body })
    }

    /// Returns the name of the method.
    pub fn name(&self) -> &str {
        &self.call.envelope.name
    }

    /// Returns the name of the method, the kind of the message and the number of the call.
    pub fn envelope(&self) -> &Envelope<'a> {
        &self.call.envelope
    }

    /// Calls a method with the arguments of this call. Returns the reply.
    #[must_use]
    pub fn reply<M: Method<Result: MethodResult>>(
        self,
        method: impl FnOnce(M) -> Returned<M>,
    ) -> Option<Vec<u8>> {
        match self.body.read::<M>() {
            Ok(arguments) => self.call.reply::<P, M::Result>(method(arguments)),
            Err(error) => self.call.malformed::<P>(&error),
        }
    }

    /// Calls an asynchronous method with the arguments of this call. Returns the reply.
    pub async fn reply_async<M, F>(self, method: impl FnOnce(M) -> F) -> Option<Vec<u8>>
    where
        M: Method<Result: MethodResult>,
        F: Future<Output = Returned<M>>,
    {
        let method = match self.body.read::<M>() {
            Ok(arguments) => method(arguments),
            Err(error) => return self.call.malformed::<P>(&error),
        };
        let result = method.await;
        self.call.reply::<P, M::Result>(result)
    }

    /// Calls a oneway method with the arguments of this call. There is a reply only if the client
    /// waits for one and the arguments are malformed.
    #[must_use]
    pub fn oneway<M: Method<Result = Oneway>>(self, method: impl FnOnce(M)) -> Option<Vec<u8>> {
        match self.body.read::<M>() {
            Ok(arguments) => {
                method(arguments);
                None
            }
            Err(error) => self.call.malformed::<P>(&error),
        }
    }

    /// Calls an asynchronous oneway method with the arguments of this call. There is a reply only
    /// if the client waits for one and the arguments are malformed.
    pub async fn oneway_async<M, F>(self, method: impl FnOnce(M) -> F) -> Option<Vec<u8>>
    where
        M: Method<Result = Oneway>,
        F: Future<Output = ()>,
    {
        let method = match self.body.read::<M>() {
            Ok(arguments) => method(arguments),
            Err(error) => return self.call.malformed::<P>(&error),
        };
        method.await;
        None
    }

    /// Returns the reply to a call of a method that the service does not have.
    #[must_use]
    pub fn unknown_method(self) -> Option<Vec<u8>> {
        let message = format!("the service has no method `{}`", self.name());
        self.call.fail::<P>(Kind::UnknownMethod, message)
    }
}

impl<P: Protocol> fmt::Debug for Request<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.envelope.fmt(f)
    }
}

/// Parts of a call that its reply needs.
struct Call<'a> {
    envelope: Envelope<'a>,
    options: Options,
}

impl Call<'_> {
    /// Encodes a message with the return value or exception of a method.
    fn reply<P: Protocol, R: MethodResult>(
        self,
        result: Result<R::Success, R::Exception>,
    ) -> Option<Vec<u8>> {
        let result = match result {
            Ok(success) => Ok(success),
            Err(CallError::Exception(exception)) => Err(exception),
            Err(CallError::Application(exception)) => return self.throw::<P>(&exception),
            Err(CallError::Protocol(error)) => return self.internal::<P>(&error),
            Err(CallError::Transport(error)) => return self.internal::<P>(&error),
        };
        let reply = self.message::<P, R>(MessageKind::Reply, &R::from_result(result))?;
        reply
            .or_else(|error| self.internal::<P>(&error).ok_or(error))
            .ok()
    }

    fn internal<P: Protocol>(&self, error: &dyn fmt::Display) -> Option<Vec<u8>> {
        self.fail::<P>(Kind::InternalError, error.to_string())
    }

    fn malformed<P: Protocol>(&self, error: &Error) -> Option<Vec<u8>> {
        let message = format!("the arguments of `{}`: {error}", self.envelope.name);
        self.fail::<P>(Kind::ProtocolError, message)
    }

    fn fail<P: Protocol>(&self, kind: Kind, message: String) -> Option<Vec<u8>> {
        self.throw::<P>(&ApplicationException { message, kind })
    }

    /// Encodes an exception. It is small, so no limit prevents writing it.
    fn throw<P: Protocol>(&self, exception: &ApplicationException) -> Option<Vec<u8>> {
        self.message::<P, _>(MessageKind::Exception, exception)?
            .ok()
    }

    /// Encodes a message to the client, unless the client does not wait for one.
    fn message<P: Protocol, M: Message + Encode>(
        &self,
        kind: MessageKind,
        body: &M,
    ) -> Option<std::result::Result<Vec<u8>, Error>> {
        let Envelope { name, sequence, .. } = &self.envelope;
        let reply = Envelope {
            name: (**name).into(),
            kind,
            sequence: *sequence,
        };
        let waits = self.envelope.kind == MessageKind::Call;
        waits.then(|| reply.encode_with::<P, M>(body, self.options))
    }
}
