//! A service and its client over blocking sockets, with framed messages.
//!
//!     cargo run -p bytelane-thrift-build --example blocking

#[rustfmt::skip]
#[allow(dead_code, clippy::approx_constant, reason = "the IDL has more than the example uses")]
#[path = "../tests/generated/mod.rs"]
mod idl;

use bytelane_thrift::service::{self, Client, Request};
use bytelane_thrift::{Compact, framed};
use idl::common_shared::base::Base;
use idl::everything::calculator::{self, AddException, Calculator, CalculatorClient};
use idl::everything::{NotFound, Tree};
use std::collections::BTreeSet;
use std::error::Error;
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Maximum length of a frame.
const FRAME_LIMIT: usize = 1 << 20;

struct Server;

impl Base for Server {
    fn ping(&self) -> service::Result<()> {
        Ok(())
    }
}

impl Calculator for Server {
    fn add(&self, first: i32, second: i32) -> service::Result<i32, AddException> {
        let overflow = || NotFound {
            message: "the sum is too large".to_owned(),
        };
        Ok(first.checked_add(second).ok_or_else(overflow)?)
    }

    fn log(&self, text: String) {
        println!("the client says {text}");
    }

    fn nothing(&self) -> service::Result<()> {
        Ok(())
    }

    fn trees(&self, of: BTreeSet<Tree>) -> service::Result<Vec<Tree>> {
        Ok(of.into_iter().collect())
    }
}

/// Answers the calls of one connection.
fn serve(mut stream: TcpStream, server: &impl Calculator) -> Result<(), Box<dyn Error>> {
    stream.set_nodelay(true)?;
    let mut message = Vec::new();
    while framed::read_frame(&mut stream, &mut message, FRAME_LIMIT)? {
        let request = Request::<Compact>::decode(&message)?;
        if let Some(reply) = calculator::dispatch(server, request) {
            framed::write_frame(&mut stream, &reply)?;
        }
    }
    Ok(())
}

/// Makes some calls.
pub fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || {
        let connection = listener.accept().map_err(|error| error.to_string())?;
        serve(connection.0, &Server).map_err(|error| error.to_string())
    });

    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let connection = framed::Connection::new(stream, FRAME_LIMIT);
    let mut client = CalculatorClient::new(Client::<Compact, _>::new(connection));
    client.ping()?;
    client.log("good morning".to_owned())?;
    println!("2 + 3 = {}", client.add(2, 3)?);
    match client.add(i32::MAX, 1) {
        Err(service::CallError::Exception(AddException::NotFound(error))) => {
            println!("{}", error.message);
        }
        other => return Err(format!("expected an exception, found {other:?}").into()),
    }

    drop(client);
    server.join().map_err(|_| "the server panicked")??;
    Ok(())
}
