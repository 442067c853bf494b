//! A service and its client over tokio's sockets, with framed messages.
//!
//!     cargo run -p bytelane-thrift-build --example tokio

#[rustfmt::skip]
#[allow(dead_code, clippy::approx_constant, reason = "the IDL has more than the example uses")]
#[path = "../tests/generated/mod.rs"]
mod idl;

use bytelane_thrift::Compact;
use bytelane_thrift::service::{self, AsyncClient, AsyncTransport, Request};
use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use idl::common_shared::base::AsyncBase;
use idl::everything::calculator::{self, AddException, AsyncCalculator, CalculatorClient};
use idl::everything::{NotFound, Tree};
use std::collections::BTreeSet;
use std::error::Error;
use std::io;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::{Framed, LengthDelimitedCodec};

struct Server;

impl AsyncBase for Server {
    async fn ping(&self) -> service::Result<()> {
        Ok(())
    }
}

impl AsyncCalculator for Server {
    async fn add(&self, first: i32, second: i32) -> service::Result<i32, AddException> {
        let overflow = || NotFound {
            message: "the sum is too large".to_owned(),
        };
        Ok(first.checked_add(second).ok_or_else(overflow)?)
    }

    async fn log(&self, text: String) {
        println!("the client says {text}");
    }

    async fn nothing(&self) -> service::Result<()> {
        Ok(())
    }

    async fn trees(&self, of: BTreeSet<Tree>) -> service::Result<Vec<Tree>> {
        Ok(of.into_iter().collect())
    }
}

/// Frames start with their length, in four bytes: the default of the codec.
type Frames = Framed<TcpStream, LengthDelimitedCodec>;

fn frames(stream: TcpStream) -> io::Result<Frames> {
    stream.set_nodelay(true)?;
    let codec = LengthDelimitedCodec::builder()
        .max_frame_length(1 << 20)
        .new_codec();
    Ok(Framed::new(stream, codec))
}

/// Answers the calls of one connection.
async fn serve(mut frames: Frames, server: &impl AsyncCalculator) -> io::Result<()> {
    while let Some(message) = frames.next().await.transpose()? {
        let request = Request::<Compact>::decode(&message).map_err(io::Error::other)?;
        if let Some(reply) = calculator::dispatch_async(server, request).await {
            frames.send(Bytes::from(reply)).await?;
        }
    }
    Ok(())
}

struct Connection(Frames);

impl AsyncTransport for Connection {
    type Reply = BytesMut;

    async fn call(&mut self, message: Vec<u8>) -> io::Result<BytesMut> {
        self.0.send(Bytes::from(message)).await?;
        let reply = self.0.next().await;
        reply.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))
    }

    async fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        self.0.send(Bytes::from(message)).await
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await?;
        serve(frames(stream)?, &Server).await
    });

    let connection = Connection(frames(TcpStream::connect(address).await?)?);
    let mut client = CalculatorClient::new(AsyncClient::<Compact, _>::new(connection));
    client.ping().await?;
    client.log("good morning".to_owned()).await?;
    println!("2 + 3 = {}", client.add(2, 3).await?);
    match client.add(i32::MAX, 1).await {
        Err(service::CallError::Exception(AddException::NotFound(error))) => {
            println!("{}", error.message);
        }
        other => return Err(format!("expected an exception, found {other:?}").into()),
    }

    drop(client);
    server.await??;
    Ok(())
}

/// Makes some calls.
pub fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    runtime.block_on(run())
}
