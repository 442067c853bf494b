//! A service with one method, its server and its client, over TCP with framed messages.
//!
//!     cargo run --example calculator -p bytelane-thrift

use bytelane_thrift::{
    ApplicationException, ApplicationExceptionKind, Compact, Envelope, Error, MessageKind, Thrift,
    framed,
};
use std::io;
use std::net::{TcpListener, TcpStream};

/// Arguments, as the compiler of the IDL generates them, of `i64 add(1: i32 first, 2: i32 second)`.
#[derive(Thrift)]
struct AddArgs {
    #[thrift(id = 1)]
    first: i32,
    #[thrift(id = 2)]
    second: i32,
}

#[derive(Thrift)]
struct AddResult {
    #[thrift(id = 0)]
    success: Option<i64>,
}

/// Maximum length of a frame.
const FRAME_LIMIT: usize = 1 << 20;

/// Prepares a connection: without TCP_NODELAY, a message that follows another one can wait for 40
/// ms.
fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Answers calls until the client leaves.
fn serve(mut stream: TcpStream) -> Result<(), Box<dyn std::error::Error>> {
    let (mut frame, mut reply) = (Vec::new(), Vec::new());
    while framed::read_frame(&mut stream, &mut frame, FRAME_LIMIT)? {
        reply.clear();
        answer(&frame, &mut reply)?;
        framed::write_frame(&mut stream, &reply)?;
    }
    Ok(())
}

fn answer(call: &[u8], reply: &mut Vec<u8>) -> Result<(), Error> {
    let (mut envelope, body) = Envelope::decode::<Compact>(call)?;
    if envelope.name == "add" {
        let AddArgs { first, second } = body.read()?;
        let success = Some(i64::from(first) + i64::from(second));
        envelope.kind = MessageKind::Reply;
        return envelope.encode_into::<Compact, _>(&AddResult { success }, reply);
    }
    let exception = ApplicationException {
        message: format!("there is no method {}", envelope.name),
        kind: ApplicationExceptionKind::UnknownMethod,
    };
    envelope.kind = MessageKind::Exception;
    envelope.encode_into::<Compact, _>(&exception, reply)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut stream = prepared(TcpStream::connect(listener.local_addr()?)?)?;
    let connection = prepared(listener.accept()?.0)?;
    let server = std::thread::spawn(|| {
        if let Err(error) = serve(connection) {
            eprintln!("the connection failed: {error}");
        }
    });

    let mut frame = Vec::new();
    for sequence in 1..=3 {
        let call = Envelope {
            name: "add".into(),
            kind: MessageKind::Call,
            sequence,
        };
        let arguments = AddArgs {
            first: sequence,
            second: 10,
        };
        framed::write_frame(&mut stream, &call.encode::<Compact, _>(&arguments)?)?;
        if !framed::read_frame(&mut stream, &mut frame, FRAME_LIMIT)? {
            return Err("the server left".into());
        }
        let (reply, body) = Envelope::decode::<Compact>(&frame)?;
        assert_eq!(reply.sequence, sequence, "the reply to another call");
        if reply.kind == MessageKind::Exception {
            return Err(body.read::<ApplicationException>()?.into());
        }
        let AddResult { success } = body.read()?;
        println!("{sequence} + 10 = {}", success.ok_or("no result")?);
    }

    drop(stream);
    server.join().map_err(|_| "the server panicked")?;
    Ok(())
}
