//! A service and its client over tokio's sockets, with headers. The server answers clients with
//! headers, with frames and without them.
//!
//!     cargo run -p bytelane-thrift-build --example headers

#[rustfmt::skip]
#[allow(dead_code, clippy::approx_constant, reason = "the IDL has more than the example uses")]
#[path = "../tests/generated/mod.rs"]
mod idl;

use bytelane_thrift::header::{Format, ProtocolId, Session, WithHeader};
use bytelane_thrift::service::{self, AsyncClient, AsyncTransport, Request};
use bytelane_thrift::{Binary, Compact};
use bytes::{Buf, Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use idl::common_shared::base::{AsyncBase, BaseClient, dispatch_async};
use std::error::Error;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::{Framed, LengthDelimitedCodec};

/// Maximum length of a frame, and of a message after decompression.
const LIMIT: usize = 1 << 20;

struct Server;

impl AsyncBase for Server {
    async fn ping(&self) -> service::Result<()> {
        Ok(())
    }
}

/// Answers the calls of one connection.
async fn serve(mut stream: TcpStream) -> io::Result<()> {
    let mut session = Session::new(LIMIT);
    let mut bytes = BytesMut::new();
    loop {
        let found = session.receive(&bytes).map_err(io::Error::other)?;
        let Some(mut call) = found else {
            if stream.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
            continue;
        };
        if let Some(header) = call.reply_header() {
            header.strings.insert(b"server".into(), b"example".into());
        }
        let message = call.message();
        let reply = match call.protocol() {
            ProtocolId::Binary => {
                let request = Request::<Binary>::decode(message).map_err(io::Error::other)?;
                dispatch_async(&Server, request).await
            }
            ProtocolId::Compact => {
                let request = Request::<Compact>::decode(message).map_err(io::Error::other)?;
                dispatch_async(&Server, request).await
            }
        };
        let reply = reply.map(|message| call.reply(message)).transpose();
        let len = call.len();
        if let Some(reply) = reply.map_err(io::Error::other)? {
            stream.write_all(&reply).await?;
        }
        bytes.advance(len);
    }
}

struct Frames(Framed<TcpStream, LengthDelimitedCodec>);

impl Frames {
    async fn connect(address: std::net::SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut codec = LengthDelimitedCodec::new();
        codec.set_max_frame_length(LIMIT);
        Ok(Self(Framed::new(stream, codec)))
    }
}

impl AsyncTransport for Frames {
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
        for _ in 0..2 {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            serve(stream).await?;
        }
        io::Result::Ok(())
    });

    let frames = Frames::connect(address).await?;
    let mut transport = WithHeader::<_, Compact>::new(frames, Format::THeader, LIMIT);
    let header = transport.header();
    header.strings.insert(b"trace".into(), b"7f3a".into());
    let mut client = BaseClient::new(AsyncClient::<Compact, _>::new(&mut transport));
    client.ping().await?;
    let reply = transport.reply_header().ok_or("the reply has a header")?;
    if reply.string("server") != Some(b"example") {
        return Err(format!("found {reply:?}").into());
    }
    println!("the server answers with headers");
    drop(transport);

    // The same server answers a client without headers.
    let frames = Frames::connect(address).await?;
    let mut client = BaseClient::new(AsyncClient::<Binary, _>::new(frames));
    client.ping().await?;
    println!("the server answers without headers");
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
