//! Objects are read in ranges of one version, with a bounded number of retries.

use crate::faulty::{Fault, Faulty, Request, at};
use bytelane_parquet::RemoteFile;
use bytelane_store::{FindOptions, Object, Problem, find};

fn numbers(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index / 3 % 251) as u8).collect()
}

#[test]
fn any_range_has_its_bytes_in_spite_of_faults() {
    let faulty = Faulty::new();
    let store = faulty.registered("memory://ranges");
    let bytes = numbers(20 << 20);
    let object = at(&store, "a");
    store.put_if_absent(&object, bytes.clone()).unwrap();
    let file = Object::open(&object).unwrap();
    assert_eq!(file.length(), bytes.len() as u64);
    for (number, range) in [
        (0, 10),
        (5, 70_000),
        (1, 20 << 20),
        (19 << 20, 20 << 20),
        (3, 3),
    ]
    .into_iter()
    .enumerate()
    {
        let fault = [Fault::Dropped, Fault::Truncated][number % 2];
        faulty.fail(Request::Get, "a", fault);
        let read = file.read(range.0..range.1).unwrap();
        assert_eq!(
            read,
            &bytes[range.0 as usize..range.1 as usize],
            "{range:?}"
        );
    }
    // Reading on finds the bytes of the requests before.
    let file = Object::open(&object).unwrap();
    let before = faulty.count(Request::Get, "a");
    for start in (0..1 << 20).step_by(1000) {
        let read = file.read(start..start + 1000).unwrap();
        assert_eq!(read, &bytes[start as usize..start as usize + 1000]);
    }
    assert!(faulty.count(Request::Get, "a") - before < 12);
    let file = Object::open(&object).unwrap();
    for _ in 0..20 {
        faulty.fail(Request::Get, "a", Fault::Dropped);
    }
    let error = file.read(0..9).unwrap_err();
    assert!(
        error.to_string().contains("connection was closed"),
        "{error}"
    );
}

#[test]
fn an_object_that_changes_is_an_error() {
    let faulty = Faulty::new();
    let store = faulty.registered("memory://changes");
    let object = at(&store, "a");
    store.put_if_absent(&object, numbers(1 << 20)).unwrap();
    let file = Object::open(&object).unwrap();
    let meta = file.meta().clone();
    faulty.fail(Request::Get, "a", Fault::Changed);
    let error = file.read(0..10).unwrap_err();
    assert!(error.to_string().contains("has changed"), "{error}");
    let error = Object::of_version(&object, meta.clone()).unwrap_err();
    assert!(matches!(error.problem, Problem::Changed), "{error}");
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path().join("copy");
    let error = Object::download(&object, &meta, &to).unwrap_err();
    assert!(matches!(error.problem, Problem::Changed), "{error}");
    store.delete(&object).unwrap();
    assert!(Object::open(&object).unwrap_err().is_missing());
}

#[test]
fn files_are_found_by_url_prefix_and_pattern() {
    let store = Faulty::new().registered("memory://find");
    for key in [
        "lake/year=2024/a.parquet",
        "lake/year=2024/.hidden.parquet",
        "lake/year=2025/b.parquet",
        "lake/notes.txt",
        "lake.parquet",
    ] {
        store.put_if_absent(&at(&store, key), key).unwrap();
    }
    let found = |url: &str| {
        let files = find(&[url], &FindOptions::default())?;
        let paths = files
            .into_iter()
            .map(|file| file.path.display().to_string());
        Ok::<_, bytelane_store::Error>(paths.collect::<Vec<_>>())
    };
    let all = [
        "memory://find/lake/year=2024/a.parquet",
        "memory://find/lake/year=2025/b.parquet",
    ];
    assert_eq!(found("memory://find/lake").unwrap(), all);
    assert_eq!(found("memory://find/lake/").unwrap(), all);
    assert_eq!(found("memory://find/lake/*/*.parquet").unwrap(), all);
    assert_eq!(found("memory://find/**/b.parquet").unwrap(), all[1..]);
    assert_eq!(
        found("memory://find/lake/notes.txt").unwrap(),
        ["memory://find/lake/notes.txt"]
    );
    assert!(found("memory://find/nothing").unwrap_err().is_missing());
    assert!(found("memory://find/nothing-*").is_err());
}
