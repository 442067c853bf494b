//! Tests code that Apache's compiler generated, over the protocols of the feature `apache`.

// `thrift --gen rs -out . record.thrift`, of version 0.17.
#[allow(dead_code, clippy::all)]
mod record;

use bytelane_thrift::apache::{
    TJsonInputProtocol, TJsonInputProtocolFactory, TJsonOutputProtocol, TJsonOutputProtocolFactory,
    TSimpleJsonOutputProtocol,
};
use bytelane_thrift::{Json, Limits, Message, Thrift};
use record::{
    Earlier, Level, Mark, Missing, Record, RecordsSyncClient, RecordsSyncHandler,
    RecordsSyncProcessor, TRecordsSyncClient,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use thrift::protocol::{
    TInputProtocol, TInputProtocolFactory, TOutputProtocolFactory, TSerializable,
};
use thrift::server::TProcessor;
use thrift::{OrderedFloat, ProtocolErrorKind, TransportErrorKind};

/// Returns a record with only the required fields.
fn small(id: i32) -> Record {
    Record {
        id,
        flag: None,
        small: None,
        short_number: None,
        big: None,
        real: None,
        text: None,
        data: None,
        level: None,
        mark: None,
        records: None,
        numbers: None,
        by_text: None,
        by_real: None,
        by_flag: None,
    }
}

fn large() -> Record {
    let words = |text: &str| BTreeMap::from([(-1, text.to_owned())]);
    Record {
        id: -5,
        flag: Some(true),
        small: Some(i8::MIN),
        short_number: Some(300),
        big: Some(i64::MAX),
        real: Some(OrderedFloat(0.1)),
        text: Some("a \"quote\"".to_owned()),
        data: Some(vec![255, 0]),
        level: Some(Level(77)),
        mark: Some(Mark::Numbers(vec![1, -2])),
        records: Some(vec![Box::new(small(1)), Box::new(small(2))]),
        numbers: Some(BTreeSet::new()),
        by_text: Some(BTreeMap::from([("k".to_owned(), vec![true, false])])),
        by_real: Some(BTreeMap::from([
            (OrderedFloat(-1.5), words("minus")),
            (OrderedFloat(f64::INFINITY), BTreeMap::new()),
        ])),
        by_flag: Some(BTreeMap::from([(false, vec![]), (true, vec![1])])),
    }
}

const LARGE: &str = concat!(
    r#"{"1":{"i32":-5},"2":{"tf":1},"3":{"i8":-128},"4":{"i16":300},"#,
    r#""5":{"i64":9223372036854775807},"6":{"dbl":0.1},"7":{"str":"a \"quote\""},"#,
    r#""8":{"str":"/wA"},"9":{"i32":77},"10":{"rec":{"2":{"lst":["i64",2,1,-2]}}},"#,
    r#""11":{"lst":["rec",2,{"1":{"i32":1}},{"1":{"i32":2}}]},"12":{"set":["i32",0]},"#,
    r#""13":{"map":["str","lst",1,{"k":["tf",2,1,0]}]},"#,
    r#""14":{"map":["dbl","map",2,{"-1.5":["i16","str",1,{"-1":"minus"}],"#,
    r#""Infinity":["i16","str",0,{}]}]},"15":{"map":["tf","str",2,{"0":"","1":"AQ"}]}}"#,
);

fn write(value: &impl TSerializable) -> String {
    let mut bytes = Vec::new();
    let written = value.write_to_out_protocol(&mut TJsonOutputProtocol::new(&mut bytes));
    written.unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read<T: TSerializable>(text: &str) -> thrift::Result<T> {
    T::read_from_in_protocol(&mut TJsonInputProtocol::new(text.as_bytes()))
}

#[test]
fn generated_code_writes_and_reads_json() {
    assert_eq!(write(&large()), LARGE);
    assert_eq!(read::<Record>(LARGE).unwrap(), large());
    let spaced = LARGE.replace(',', " , ").replace(':', "\n:\t");
    assert_eq!(read::<Record>(&spaced).unwrap(), large());
    assert_eq!(write(&small(7)), r#"{"1":{"i32":7}}"#);
    assert_eq!(read::<Record>(r#"{"1":{"i32":7}}"#).unwrap(), small(7));
}

#[test]
fn it_is_the_json_of_derived_types() {
    #[derive(Debug, PartialEq, Thrift)]
    struct Derived {
        #[thrift(id = 1, required)]
        id: i32,
        #[thrift(id = 7)]
        text: Option<String>,
        #[thrift(id = 15)]
        by_flag: BTreeMap<bool, Vec<u8>>,
    }
    let derived = Derived::decode::<Json>(LARGE.as_bytes()).unwrap();
    let by_flag = BTreeMap::from([(false, vec![]), (true, vec![1])]);
    let text = Some("a \"quote\"".to_owned());
    assert_eq!(
        derived,
        Derived {
            id: -5,
            text,
            by_flag
        }
    );
    let written = String::from_utf8(derived.encode::<Json>().unwrap()).unwrap();
    let record: Record = read(&written).unwrap();
    assert_eq!((record.id, record.by_flag), (-5, large().by_flag));
}

#[test]
fn generated_code_writes_simple_json() {
    let mut bytes = Vec::new();
    let mut output = TSimpleJsonOutputProtocol::new(&mut bytes);
    large().write_to_out_protocol(&mut output).unwrap();
    let expected = concat!(
        r#"{"id":-5,"flag":true,"small":-128,"short_number":300,"big":9223372036854775807,"#,
        r#""real":0.1,"text":"a \"quote\"","data":"/wA","level":77,"mark":{"numbers":[1,-2]},"#,
        r#""records":[{"id":1},{"id":2}],"numbers":[],"by_text":{"k":[true,false]},"#,
        r#""by_real":{"-1.5":{"-1":"minus"},"Infinity":{}},"by_flag":{"false":"","true":"AQ"}}"#,
    );
    assert_eq!(String::from_utf8(bytes).unwrap(), expected);
}

#[test]
fn unknown_fields_are_skipped() {
    let expected = Earlier {
        id: -5,
        text: large().text,
    };
    assert_eq!(read::<Earlier>(LARGE).unwrap(), expected);
    // A boxed protocol skips with the methods of the trait, one value after the other, and does not
    // report where the fields of a skipped struct end.
    let mut input: Box<dyn TInputProtocol> = Box::new(TJsonInputProtocol::new(LARGE.as_bytes()));
    assert_eq!(
        Earlier::read_from_in_protocol(&mut input).unwrap(),
        expected
    );
}

/// Returns one byte at a time.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(1);
        self.0.read(&mut buffer[..len])
    }
}

#[test]
fn several_structs_come_from_one_transport() {
    let stream = format!("{LARGE} {}\n{LARGE}", write(&small(3)));
    let mut fast = TJsonInputProtocol::new(stream.as_bytes());
    let mut slow = TJsonInputProtocol::new(Slow(stream.as_bytes()));
    let inputs: [&mut dyn TInputProtocol; 2] = [&mut fast, &mut slow];
    for input in inputs {
        for expected in [large(), small(3), large()] {
            assert_eq!(Record::read_from_in_protocol(input).unwrap(), expected);
        }
        let error = Record::read_from_in_protocol(input).unwrap_err();
        let thrift::Error::Transport(error) = error else {
            panic!("{error}");
        };
        assert_eq!(error.kind, TransportErrorKind::EndOfFile);
    }
}

#[test]
fn malformed_messages_are_errors_of_their_kind() {
    let too_deep = format!(
        "{}{{\"1\":{{\"i32\":1}}}}{}",
        r#"{"1":{"i32":1},"11":{"lst":["rec",1,"#.repeat(40),
        "]}}".repeat(40)
    );
    use ProtocolErrorKind::{DepthLimit, InvalidData, NegativeSize, SizeLimit};
    let cases = [
        ("5", InvalidData),
        ("[]", InvalidData),
        ("{]", InvalidData),
        (r#"{"1":{"i32":99999999999}}"#, InvalidData),
        (r#"{"1":{"i32":1}"2"}"#, InvalidData),
        (r#"{"1":{"flt":1}}"#, ProtocolErrorKind::NotImplemented),
        (r#"{"12":{"set":["i32",99999999]}}"#, InvalidData),
        (r#"{"12":{"set":["i32",-1]}}"#, NegativeSize),
        (r#"{"12":{"set":["i32",1,2,3]}}"#, InvalidData),
        (
            r#"{"13":{"map":["str","lst",1,{5:["tf",0]}]}}"#,
            InvalidData,
        ),
        // A struct may be a key, but not half of one.
        (r#"{"99":{"map":["rec","i32",1,{{]:1}]}}"#, InvalidData),
        (&too_deep, DepthLimit),
    ];
    for (text, kind) in cases {
        match read::<Record>(text) {
            Err(thrift::Error::Protocol(error)) => assert_eq!(error.kind, kind, "{text}: {error}"),
            result => panic!("{text}: {result:?}"),
        }
    }
    // An endless message is rejected once it is larger than the limit.
    let limits = Limits::default().with_total_allocation(10_000);
    let mut input = TJsonInputProtocol::with_limits(io::repeat(b'['), limits);
    match Record::read_from_in_protocol(&mut input) {
        Err(thrift::Error::Protocol(error)) => assert_eq!(error.kind, SizeLimit),
        result => panic!("{result:?}"),
    }
}

#[derive(Default)]
struct Store(Mutex<Vec<Record>>);

impl RecordsSyncHandler for Store {
    fn handle_find(&self, id: i32) -> thrift::Result<Record> {
        let records = self.0.lock().unwrap();
        let found = records.iter().find(|record| record.id == id).cloned();
        found.ok_or_else(|| Missing { id: Some(id) }.into())
    }

    fn handle_store(&self, record: Record) -> thrift::Result<()> {
        self.0.lock().unwrap().push(record);
        Ok(())
    }
}

#[test]
fn generated_client_and_server_talk() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let input = Box::new(stream.try_clone().unwrap());
        let mut input = TJsonInputProtocolFactory::default().create(input);
        let mut output = TJsonOutputProtocolFactory::default().create(Box::new(stream));
        let processor = RecordsSyncProcessor::new(Store::default());
        loop {
            if let Err(error) = processor.process(&mut *input, &mut *output) {
                return error;
            }
        }
    });
    let stream = TcpStream::connect(address).unwrap();
    let input = TJsonInputProtocol::new(stream.try_clone().unwrap());
    let mut client = RecordsSyncClient::new(input, TJsonOutputProtocol::new(stream));
    client.store(large()).unwrap();
    client.store(small(9)).unwrap();
    assert_eq!(client.find(-5).unwrap(), large());
    assert_eq!(client.find(9).unwrap(), small(9));
    match client.find(1).unwrap_err() {
        thrift::Error::User(error) => {
            assert_eq!(error.downcast_ref(), Some(&Missing { id: Some(1) }));
        }
        error => panic!("{error}"),
    }
    drop(client);
    match server.join().unwrap() {
        thrift::Error::Transport(error) => assert_eq!(error.kind, TransportErrorKind::EndOfFile),
        error => panic!("{error}"),
    }
}
