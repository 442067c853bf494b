//! Tests bytes kept in the repository: those of other libraries, and those of earlier versions.
//!
//! `apache-python.*` are written by `tests/apache.py`, which also reads `bytelane.*`. The latter
//! are rewritten by a run of these tests with `BYTELANE_WRITE_GOLDEN=1`.

use crate::common::{Everything, everything};
use bytelane_thrift::{Binary, Compact, FbthriftCompact, Json, Message, Protocol, SimpleJson};
use std::path::Path;
use std::{env, fs};

fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/golden/thrift")
        .join(name)
}

fn read<P: Protocol>(name: &str) -> Vec<u8> {
    let bytes = fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let read = Everything::decode::<P>(&bytes);
    let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(read, everything(), "{name}");
    // Equality does not distinguish the zeros.
    assert!(read.reals[1].is_sign_negative(), "{name}");
    bytes
}

#[test]
fn bytes_of_apache_thrift_for_python_are_read() {
    let binary = read::<Binary>("apache-python.binary");
    let compact = read::<Compact>("apache-python.compact");
    read::<Json>("apache-python.json");
    // In these two, the writer can choose only the order of sets and maps.
    assert_eq!(binary.len(), everything().encode::<Binary>().unwrap().len());
    assert_eq!(
        compact.len(),
        everything().encode::<Compact>().unwrap().len()
    );
}

#[test]
fn bytes_of_earlier_versions_are_read_and_written() {
    fn test<P: Protocol>(name: &str) {
        let written = everything().encode::<P>().unwrap();
        if env::var_os("BYTELANE_WRITE_GOLDEN").is_some() {
            fs::write(path(name), &written).unwrap();
        }
        assert_eq!(read::<P>(name), written, "{name}");
    }
    test::<Binary>("bytelane.binary");
    test::<Compact>("bytelane.compact");
    test::<FbthriftCompact>("bytelane.fbthrift-compact");
    test::<Json>("bytelane.json");
    test::<SimpleJson>("bytelane.simple-json");
}
