//! Transports of clients.

use std::io;

/// Carries the messages of a [`Client`](super::Client) to a service, and waits for the replies.
///
/// [`framed::Connection`](crate::framed::Connection) and
/// [`unframed::Connection`](crate::unframed::Connection) are transports over a `TcpStream`, or any
/// type that is `Read` and `Write`.
pub trait Transport {
    /// Bytes of a reply.
    type Reply: AsRef<[u8]>;

    /// Sends a message and receives the reply.
    ///
    /// # Errors
    ///
    /// Sending or receiving fails. After an error, a late reply may still arrive: do not use the
    /// connection again.
    fn call(&mut self, message: Vec<u8>) -> io::Result<Self::Reply>;

    /// Sends a message that has no reply.
    ///
    /// # Errors
    ///
    /// Sending fails.
    fn send(&mut self, message: Vec<u8>) -> io::Result<()>;
}

impl<T: Transport + ?Sized> Transport for &mut T {
    type Reply = T::Reply;

    fn call(&mut self, message: Vec<u8>) -> io::Result<Self::Reply> {
        (**self).call(message)
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        (**self).send(message)
    }
}

/// Carries the messages of an [`AsyncClient`](super::AsyncClient) to a service, and waits for the
/// replies. It does not depend on a runtime; implement it with `async fn`.
pub trait AsyncTransport: Send {
    /// Bytes of a reply.
    type Reply: AsRef<[u8]> + Send;

    /// Sends a message and receives the reply.
    ///
    /// # Errors
    ///
    /// Sending or receiving fails. After an error, or if the future is dropped before it is ready,
    /// a late reply may still arrive: do not use the connection again.
    fn call(&mut self, message: Vec<u8>) -> impl Future<Output = io::Result<Self::Reply>> + Send;

    /// Sends a message that has no reply.
    ///
    /// # Errors
    ///
    /// Sending fails.
    fn send(&mut self, message: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send;
}

impl<T: AsyncTransport + ?Sized> AsyncTransport for &mut T {
    type Reply = T::Reply;

    async fn call(&mut self, message: Vec<u8>) -> io::Result<Self::Reply> {
        (**self).call(message).await
    }

    async fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        (**self).send(message).await
    }
}
