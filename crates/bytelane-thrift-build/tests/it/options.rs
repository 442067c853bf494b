//! Tests the effects of options and annotations on the same IDL.

#[rustfmt::skip]
#[allow(dead_code, reason = "used in part")]
#[path = "../generated/options/mod.rs"]
mod generated;

use crate::elsewhere;
use bytelane_thrift::service::{self, CallError, Request, Transport};
use bytelane_thrift::{Binary, Compact, Double, Json, Message};
use bytelane_thrift_build::Compiler;
use bytes::Bytes;
use generated::options::store::{self, Store, StoreClient};
use generated::options::{
    Choice, EXAMPLE, Everything, Flag, Hashed, Key, Level, Little, NAME, NAMES, RAW, Ranked, SIZES,
};
use indexmap::{IndexMap, IndexSet};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;
use std::sync::Arc;

fn example() -> Everything {
    let inside = Everything {
        name: "inner".into(),
        ..Everything::default()
    };
    Everything {
        inside: Some(Arc::new(inside)),
        header: elsewhere::Header {
            trace_id: "t".into(),
            at: None,
        },
        choice: Some(Choice::Again(Arc::new(Choice::Raw(Bytes::from_static(
            b"raw",
        ))))),
        alias: Hashed::from([3, 1]),
        shared: Some(Arc::new(Little::default())),
        level: Level::Top,
        ..example_of_the_idl()
    }
}

fn example_of_the_idl() -> Everything {
    let key = Key {
        part: "p".into(),
        marks: BTreeMap::from([("m".into(), 1)]),
    };
    Everything {
        name: Arc::from("name"),
        raw: Bytes::from_static(b"\x00\xff"),
        sizes: IndexMap::from([("a".into(), 1), ("b".into(), 2)]),
        names: IndexSet::from(["x".into(), "y".into()]),
        by_key: IndexMap::from([(key, vec!["n".into()])]),
        hashed: HashMap::from([("h".into(), 1)]),
        exact: vec![Double(0.5)],
        text: Box::from("s"),
        own: Box::new(Little { name: "o".into() }),
        ..Everything::default()
    }
}

#[test]
fn fields_have_the_types_that_were_asked_for() {
    assert_eq!((NAME, RAW), ("name", &b"\x00\xff"[..]));
    assert_eq!((SIZES.len(), NAMES.len()), (2, 2));
    assert_eq!(*EXAMPLE, example_of_the_idl());
    assert_eq!(Everything::default().name, Arc::from("unnamed"));
    let flag = Flag::default();
    let copied = flag;
    assert_eq!(flag, copied);
    assert!(
        Ranked {
            weight: Double(0.5)
        } < Ranked {
            weight: Double(1.0)
        }
    );
}

#[test]
fn values_travel() {
    let value = example();
    let bytes = value.encode::<Compact>().unwrap();
    assert_eq!(Everything::decode::<Compact>(&bytes).unwrap(), value);
    let mut for_json = value;
    for_json.by_key.clear();
    let bytes = for_json.encode::<Json>().unwrap();
    assert_eq!(Everything::decode::<Json>(&bytes).unwrap(), for_json);
    assert!(
        String::from_utf8(bytes)
            .unwrap()
            .contains(r#""13":{"rec":{"1":{"str":"o"}}}"#)
    );
}

#[test]
fn serde_has_every_part() {
    let mut value = example();
    // JSON does not allow structs as keys.
    value.by_key.clear();
    // Member 3 belongs to a later version.
    let unknown = Choice::decode::<Binary>(b"\x08\0\x03\0\0\0\x05\0").unwrap();
    assert!(matches!(unknown, Choice::Unknown(_)));
    value.choice = Some(Choice::Again(Arc::new(unknown)));
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<Everything>(&text).unwrap(), value);
}

/// Keeps at most one value.
struct Full;

impl elsewhere::base::Base for Full {
    fn ping(&self) -> service::Result<()> {
        Ok(())
    }
}

impl Store for Full {
    fn put(
        &self,
        values: IndexMap<Arc<str>, Bytes>,
    ) -> service::Result<Everything, store::PutException> {
        let Some(name) = values.keys().next() else {
            let reason = "no values".into();
            return Err(store::PutException::Refused(elsewhere::Refused { reason }).into());
        };
        match values.len() {
            1 => Ok(Everything {
                name: name.clone(),
                ..example()
            }),
            size => Err(generated::options::Full { size: size as i32 }.into()),
        }
    }

    fn forget(&self, _: Arc<str>) {}
}

impl Transport for Full {
    type Reply = Vec<u8>;

    fn call(&mut self, message: Vec<u8>) -> io::Result<Vec<u8>> {
        let request = Request::<Compact>::decode(&message).map_err(io::Error::other)?;
        store::dispatch(self, request).ok_or_else(|| io::Error::other("no reply"))
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        self.call(message)
            .map_or(Ok(()), |_| Err(io::Error::other("a reply")))
    }
}

/// A service uses the types that the options choose, and extends one of another crate, whose
/// exception it throws.
#[test]
fn services_have_the_types_of_the_options() {
    let mut client = StoreClient::new(service::Client::<Compact, _>::new(Full));
    let value = |name: &str| (Arc::from(name), Bytes::from_static(b"v"));
    let stored = client.put(IndexMap::from([value("a")])).unwrap();
    assert_eq!(&*stored.name, "a");
    let refused = client.put(IndexMap::new()).unwrap_err();
    assert!(
        matches!(refused, CallError::Exception(store::PutException::Refused(it)) if &*it.reason == "no values")
    );
    let full = client
        .put(IndexMap::from([value("a"), value("b")]))
        .unwrap_err();
    assert!(matches!(full, CallError::Exception(store::PutException::Full(it)) if it.size == 2));
    client.forget("a".into()).unwrap();
    client.ping().unwrap();
}

#[test]
fn one_file_holds_all_modules() {
    let idl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/idl/everything.thrift");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("one_file");
    let _ = std::fs::remove_dir_all(&directory);
    let compiler = Compiler::new().one_file(true);
    let paths = compiler.compile(&[&idl], &directory).unwrap();
    assert_eq!(paths, [directory.join("mod.rs")]);
    let text = std::fs::read_to_string(&paths[0]).unwrap();
    for module in compiler.modules(&[&idl]).unwrap() {
        assert!(text.contains(&format!("pub mod {} {{\n{}}}\n", module.name, module.text)));
    }
}

#[test]
fn derives_are_for_the_types_that_match() {
    let idl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/idl/options.thrift");
    let compiler = Compiler::new()
        .derive("Flag", "Copy")
        .derive("*.Choi*", "my::Choose")
        .derive("common_shared.*", "my::Share");
    let modules = compiler.modules(&[&idl]).unwrap();
    let count = |text: &str, part: &str| text.matches(part).count();
    let [shared, options] = &modules[..] else {
        panic!("two modules")
    };
    assert_eq!(count(&options.text, "my::Choose"), 1);
    assert_eq!(count(&options.text, "my::Share"), 0);
    assert_eq!(
        count(&shared.text, "my::Share"),
        count(&shared.text, "bytelane_thrift::Thrift,")
    );
}

#[test]
fn types_of_other_modules_are_not_made_again() {
    let idl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/idl/options.thrift");
    let compiler = Compiler::new().extern_path("idl/shared.thrift", "shared_types::base");
    let modules = compiler.modules(&[&idl]).unwrap();
    assert_eq!(modules.len(), 1);
    let text = &modules[0].text;
    assert!(text.contains("pub header: shared_types::base::Header,"));
    assert!(text.contains("impl From<shared_types::base::Refused> for PutException"));
    // Rust has no such conversions between the types of two other crates.
    assert!(text.contains("impl From<super::Full> for service::CallError<PutException>"));
    assert!(!text.contains("impl From<shared_types::base::Refused> for service::CallError"));
}
