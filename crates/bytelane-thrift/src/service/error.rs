//! Errors of calls.

use crate::{ApplicationException, ApplicationExceptionKind, Error};
use std::convert::Infallible;
use std::{fmt, io};

/// Result of a method call, on both sides.
pub type Result<T, E = Infallible> = std::result::Result<T, CallError<E>>;

/// Error of a call.
///
/// A client receives it, and a service returns it: an exception that the method declares becomes a
/// part of the result, an [`ApplicationException`] is sent unchanged, and any other error is sent
/// as one of the kind [`InternalError`](ApplicationExceptionKind::InternalError), with the error's
/// text.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError<E = Infallible> {
    /// An exception that the method declares.
    Exception(E),
    /// The service failed otherwise, or its reply does not belong to this call.
    Application(ApplicationException),
    /// A message is malformed, or cannot be written.
    Protocol(Error),
    /// The message could not be sent, or no reply was received.
    Transport(io::Error),
}

impl<E> CallError<E> {
    pub(super) fn application(kind: ApplicationExceptionKind, message: impl Into<String>) -> Self {
        Self::Application(ApplicationException {
            message: message.into(),
            kind,
        })
    }
}

impl<E: fmt::Display> fmt::Display for CallError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exception(error) => error.fmt(f),
            Self::Application(error) => error.fmt(f),
            Self::Protocol(error) => error.fmt(f),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl<E: std::error::Error> std::error::Error for CallError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Exception(error) => error.source(),
            Self::Application(error) => error.source(),
            Self::Protocol(error) => error.source(),
            Self::Transport(error) => error.source(),
        }
    }
}

impl<E> From<ApplicationException> for CallError<E> {
    fn from(error: ApplicationException) -> Self {
        Self::Application(error)
    }
}

impl<E> From<Error> for CallError<E> {
    fn from(error: Error) -> Self {
        Self::Protocol(error)
    }
}

impl<E> From<io::Error> for CallError<E> {
    fn from(error: io::Error) -> Self {
        Self::Transport(error)
    }
}
