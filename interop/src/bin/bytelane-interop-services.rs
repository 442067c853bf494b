//! bytelane's side of the exchange of ThriftTest's methods with Apache Thrift over TCP.

/// Code that the build script generates from the IDL.
#[allow(dead_code, reason = "each program uses its part")]
mod idl {
    include!(concat!(env!("OUT_DIR"), "/mod.rs"));
}

use anyhow::{Result, bail, ensure};
use bytelane_thrift::service::{self, CallError, Client, Request, Transport};
use bytelane_thrift::unframed::MessageReader;
use bytelane_thrift::{
    ApplicationException, ApplicationExceptionKind, Binary, Compact, Protocol, Uuid, framed,
    unframed,
};
use clap::{Parser, ValueEnum};
use idl::thrift_test::extended_test::{self, ExtendedTest, ExtendedTestClient};
use idl::thrift_test::second_service::{self, SecondService, SecondServiceClient};
use idl::thrift_test::thrift_test::{
    TestExceptionException, TestMultiExceptionException, ThriftTest,
};
use idl::thrift_test::{Insanity, Numberz, UserId, Xception, Xception2, Xtruct, Xtruct2};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;

/// Maximum length of a message.
const LIMIT: usize = 1 << 20;

#[derive(Parser)]
enum Command {
    /// Print a port, and answer the calls of one connection to it
    Serve(Options),
    /// Call all methods of a service, and check what they return
    Call {
        #[command(flatten)]
        options: Options,
        port: u16,
        /// Leave out the method with UUIDs, which old libraries cannot even skip
        #[arg(long)]
        without_uuid: bool,
    },
}

#[derive(clap::Args)]
struct Options {
    protocol: Named,
    framing: Framing,
    service: Service,
}

#[derive(Clone, Copy, ValueEnum)]
enum Named {
    Binary,
    Compact,
}

#[derive(Clone, Copy, ValueEnum)]
enum Framing {
    Framed,
    Buffered,
}

#[derive(Clone, Copy, ValueEnum)]
enum Service {
    Extended,
    Second,
}

/// Service of the tests, most of whose methods return their argument.
#[derive(Default)]
struct Server {
    slept: Mutex<Vec<i32>>,
}

/// Defines methods that return their argument.
macro_rules! echo {
    ($($method:ident: $type:ty),* $(,)?) => {
        $(fn $method(&self, thing: $type) -> service::Result<$type> {
            Ok(thing)
        })*
    };
}

impl ThriftTest for Server {
    echo! {
        test_string: String,
        test_bool: bool,
        test_byte: i8,
        test_i32: i32,
        test_i64: i64,
        test_double: f64,
        test_binary: Vec<u8>,
        test_uuid: Uuid,
        test_struct: Xtruct,
        test_nest: Xtruct2,
        test_map: BTreeMap<i32, i32>,
        test_string_map: BTreeMap<String, String>,
        test_set: BTreeSet<i32>,
        test_list: Vec<i32>,
        test_enum: Numberz,
        test_typedef: UserId,
    }

    fn test_void(&self) -> service::Result<()> {
        Ok(())
    }

    fn test_map_map(&self, _: i32) -> service::Result<BTreeMap<i32, BTreeMap<i32, i32>>> {
        Ok(map_of_maps())
    }

    fn test_insanity(
        &self,
        argument: Insanity,
    ) -> service::Result<BTreeMap<UserId, BTreeMap<Numberz, Insanity>>> {
        Ok(insanities(argument))
    }

    fn test_multi(
        &self,
        arg0: i8,
        arg1: i32,
        arg2: i64,
        _: BTreeMap<i16, String>,
        _: Numberz,
        _: UserId,
    ) -> service::Result<Xtruct> {
        Ok(Xtruct {
            string_thing: "Hello2".to_owned(),
            byte_thing: arg0,
            i32_thing: arg1,
            i64_thing: arg2,
        })
    }

    fn test_exception(&self, arg: String) -> service::Result<(), TestExceptionException> {
        match &*arg {
            "Xception" => Err(Xception {
                error_code: 1001,
                message: arg,
            })?,
            "TException" => Err(ApplicationException {
                message: arg,
                kind: ApplicationExceptionKind::InternalError,
            })?,
            _ => Ok(()),
        }
    }

    fn test_multi_exception(
        &self,
        arg0: String,
        arg1: String,
    ) -> service::Result<Xtruct, TestMultiExceptionException> {
        let message = format!("This is an {arg0}");
        match &*arg0 {
            "Xception" => Err(Xception {
                error_code: 1001,
                message,
            })?,
            "Xception2" => Err(Xception2 {
                error_code: 2002,
                struct_thing: text(&message),
            })?,
            _ => Ok(text(&arg1)),
        }
    }

    fn test_oneway(&self, seconds_to_sleep: i32) {
        self.slept
            .lock()
            .expect("no method panics")
            .push(seconds_to_sleep);
    }
}

impl ExtendedTest for Server {
    fn slept(&self) -> service::Result<Vec<i32>> {
        Ok(self.slept.lock().expect("no method panics").clone())
    }
}

impl SecondService for Server {
    echo!(secondtest_string: String);
}

fn text(text: &str) -> Xtruct {
    Xtruct {
        string_thing: text.to_owned(),
        ..Xtruct::default()
    }
}

fn map_of_maps() -> BTreeMap<i32, BTreeMap<i32, i32>> {
    let same = |numbers: std::ops::RangeInclusive<i32>| numbers.map(|n| (n, n)).collect();
    BTreeMap::from([(-4, same(-4..=-1)), (4, same(1..=4))])
}

fn insanities(argument: Insanity) -> BTreeMap<UserId, BTreeMap<Numberz, Insanity>> {
    let first = [Numberz::Two, Numberz::Three].map(|number| (number, argument.clone()));
    let second = [(Numberz::Six, Insanity::default())];
    BTreeMap::from([(1, BTreeMap::from(first)), (2, BTreeMap::from(second))])
}

fn serve<P: Protocol>(framing: Framing, service: Service) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    std::io::stdout().flush()?;
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    let server = Server::default();
    let answer = |message: &[u8]| -> Result<Option<Vec<u8>>> {
        let request = Request::<P>::decode(message)?;
        Ok(match service {
            Service::Extended => extended_test::dispatch(&server, request),
            Service::Second => second_service::dispatch(&server, request),
        })
    };
    match framing {
        Framing::Framed => {
            let mut message = Vec::new();
            while framed::read_frame(&mut stream, &mut message, LIMIT)? {
                if let Some(reply) = answer(&message)? {
                    framed::write_frame(&mut stream, &reply)?;
                }
            }
        }
        Framing::Buffered => {
            let mut reader = MessageReader::<_, P>::new(stream, LIMIT);
            while let Some(message) = reader.read_message()? {
                if let Some(reply) = answer(message)? {
                    reader.stream().write_all(&reply)?;
                }
            }
        }
    }
    Ok(())
}

fn call<P: Protocol>(options: &Options, port: u16, with_uuid: bool) -> Result<()> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_nodelay(true)?;
    let service = options.service;
    match options.framing {
        Framing::Framed => {
            let connection = framed::Connection::new(stream, LIMIT);
            check::<P, _>(connection, service, with_uuid)
        }
        Framing::Buffered => {
            let connection = unframed::Connection::<_, P>::new(stream, LIMIT);
            check::<P, _>(connection, service, with_uuid)
        }
    }
}

fn check<P: Protocol, T: Transport>(transport: T, service: Service, with_uuid: bool) -> Result<()> {
    let client = Client::<P, T>::new(transport);
    match service {
        Service::Extended => {
            let mut client = ExtendedTestClient::new(client);
            check_values(&mut client)?;
            if with_uuid {
                check_uuid(&mut client)?;
            }
            check_containers(&mut client)?;
            check_exceptions(&mut client)?;
            check_oneway(&mut client)
        }
        Service::Second => {
            let mut client = SecondServiceClient::new(client);
            ensure!(client.secondtest_string("second".to_owned())? == "second");
            Ok(())
        }
    }
}

fn check_uuid<P: Protocol, T: Transport>(client: &mut Extended<P, T>) -> Result<()> {
    match client.test_uuid(Uuid([7; 16])) {
        Ok(id) => ensure!(id == Uuid([7; 16])),
        // Older versions of Apache's compiler have no UUIDs.
        Err(CallError::Application(error))
            if error.kind == ApplicationExceptionKind::UnknownMethod => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

type Extended<P, T> = ExtendedTestClient<Client<P, T>>;

/// Returns a struct with the limits of all ranges.
fn extremes() -> Xtruct {
    Xtruct {
        string_thing: "äöü 漢字".to_owned(),
        byte_thing: i8::MIN,
        i32_thing: i32::MAX,
        i64_thing: i64::MIN,
    }
}

fn check_values<P: Protocol, T: Transport>(client: &mut Extended<P, T>) -> Result<()> {
    client.test_void()?;
    for text in ["", "Test", "quotes \" and \\ and lines\r\n", "äöü 漢字 😀"] {
        ensure!(client.test_string(text.to_owned())? == text);
    }
    for flag in [true, false] {
        ensure!(client.test_bool(flag)? == flag);
    }
    for number in [0, -1, i8::MIN, i8::MAX] {
        ensure!(client.test_byte(number)? == number);
    }
    for number in [0, -1, i32::MIN, i32::MAX] {
        ensure!(client.test_i32(number)? == number);
        ensure!(client.test_i64(i64::from(number) << 20)? == i64::from(number) << 20);
    }
    for number in [0.0, -1.5, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY] {
        ensure!(client.test_double(number)? == number);
    }
    let bytes: Vec<u8> = (0..=255).collect();
    ensure!(client.test_binary(bytes.clone())? == bytes);
    ensure!(client.test_struct(extremes())? == extremes());
    let nest = Xtruct2 {
        byte_thing: 1,
        struct_thing: extremes(),
        i32_thing: 5,
    };
    ensure!(client.test_nest(nest.clone())? == nest);
    ensure!(client.test_enum(Numberz::Eight)? == Numberz::Eight);
    ensure!(client.test_typedef(309_858_235_082_523)? == 309_858_235_082_523);
    let names = BTreeMap::from([(1, "one".to_owned())]);
    let multi = client.test_multi(42, 4242, 424_242, names, Numberz::Five, 7)?;
    let Xtruct {
        string_thing,
        byte_thing,
        i32_thing,
        i64_thing,
    } = multi;
    ensure!((&*string_thing, byte_thing, i32_thing, i64_thing) == ("Hello2", 42, 4242, 424_242));
    Ok(())
}

fn check_containers<P: Protocol, T: Transport>(client: &mut Extended<P, T>) -> Result<()> {
    // The list header of the Compact protocol changes at 15.
    for len in [0, 1, 14, 15, 1000] {
        let list: Vec<i32> = (0..len).collect();
        ensure!(client.test_list(list.clone())? == list);
        let set: BTreeSet<i32> = (0..len).collect();
        ensure!(client.test_set(set.clone())? == set);
        let map: BTreeMap<i32, i32> = (0..len).map(|n| (n, n - 10)).collect();
        ensure!(client.test_map(map.clone())? == map);
    }
    let map =
        BTreeMap::from([("a", "2"), ("b", ""), ("", "c d")].map(|(a, b)| (a.into(), b.into())));
    ensure!(client.test_string_map(map.clone())? == map);
    ensure!(client.test_map_map(1)? == map_of_maps());
    let argument = Insanity {
        user_map: BTreeMap::from([(Numberz::Five, 5), (Numberz::Eight, 8)]),
        xtructs: vec![extremes(), text("Goodbye4")],
    };
    ensure!(client.test_insanity(argument.clone())? == insanities(argument));
    Ok(())
}

fn check_exceptions<P: Protocol, T: Transport>(client: &mut Extended<P, T>) -> Result<()> {
    client.test_exception("success".to_owned())?;
    match client.test_exception("Xception".to_owned()) {
        Err(CallError::Exception(TestExceptionException::Xception(error))) => {
            ensure!((error.error_code, &*error.message) == (1001, "Xception"));
        }
        other => bail!("expected Xception, found {other:?}"),
    }
    match client.test_exception("TException".to_owned()) {
        Err(CallError::Application(error)) => {
            // Apache's C++ code reports `Other`.
            let kinds = [
                ApplicationExceptionKind::InternalError,
                ApplicationExceptionKind::Other,
            ];
            ensure!(kinds.contains(&error.kind), "{error}");
        }
        other => bail!("expected a failure of the server, found {other:?}"),
    }
    let mut multi = |name: &str| client.test_multi_exception(name.to_owned(), "text".to_owned());
    ensure!(multi("success")? == text("text"));
    match multi("Xception") {
        Err(CallError::Exception(TestMultiExceptionException::Xception(error))) => {
            ensure!((error.error_code, &*error.message) == (1001, "This is an Xception"));
        }
        other => bail!("expected Xception, found {other:?}"),
    }
    match multi("Xception2") {
        Err(CallError::Exception(TestMultiExceptionException::Xception2(error))) => {
            ensure!((error.error_code, error.struct_thing) == (2002, text("This is an Xception2")));
        }
        other => bail!("expected Xception2, found {other:?}"),
    }
    Ok(())
}

fn check_oneway<P: Protocol, T: Transport>(client: &mut Extended<P, T>) -> Result<()> {
    client.test_oneway(0)?;
    client.test_oneway(1)?;
    ensure!(client.slept()? == [0, 1]);
    Ok(())
}

fn main() -> Result<()> {
    match Command::parse() {
        Command::Serve(options) => match options.protocol {
            Named::Binary => serve::<Binary>(options.framing, options.service),
            Named::Compact => serve::<Compact>(options.framing, options.service),
        },
        Command::Call {
            options,
            port,
            without_uuid,
        } => match options.protocol {
            Named::Binary => call::<Binary>(&options, port, !without_uuid),
            Named::Compact => call::<Compact>(&options, port, !without_uuid),
        },
    }
}
