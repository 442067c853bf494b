//! Objects are stored once, whatever happens to the answers.

use crate::faulty::{Fault, Faulty, Request, at};
use bytelane_store::Put;
use std::fs;

#[test]
fn an_object_is_never_replaced() {
    let store = Faulty::new().registered("memory://never-replaced");
    let object = at(&store, "a");
    assert_eq!(store.put_if_absent(&object, "one").unwrap(), Put::Stored);
    assert_eq!(store.put_if_absent(&object, "one").unwrap(), Put::Same);
    assert_eq!(store.put_if_absent(&object, "two").unwrap(), Put::Other);
    assert_eq!(store.put_if_absent(&object, "three").unwrap(), Put::Other);
    assert_eq!(store.get(&object).unwrap().unwrap(), "one");
    store.replace_bytes(&object, "two").unwrap();
    assert_eq!(store.get(&object).unwrap().unwrap(), "two");
    store.delete(&object).unwrap();
    store.delete(&object).unwrap();
    assert_eq!(store.get(&object).unwrap(), None);
}

#[test]
fn a_lost_answer_is_found_out() {
    let faulty = Faulty::new();
    let store = faulty.registered("memory://lost-answers");
    let object = at(&store, "a");
    // The object is there although the put failed: it is read and compared, not put again.
    faulty.fail(Request::Put, "a", Fault::Lost);
    assert_eq!(store.put_if_absent(&object, "one").unwrap(), Put::Same);
    assert_eq!(faulty.count(Request::Put, "a"), 1);
    // Another process was faster, and the put never arrived.
    faulty.fail(Request::Put, "a", Fault::Dropped);
    assert_eq!(store.put_if_absent(&object, "two").unwrap(), Put::Other);
    // Nothing was stored, so it is tried again.
    faulty.fail(Request::Put, "b", Fault::Dropped);
    faulty.fail(Request::Put, "b", Fault::Dropped);
    let other = at(&store, "b");
    assert_eq!(store.put_if_absent(&other, "one").unwrap(), Put::Stored);
    assert_eq!(faulty.count(Request::Put, "b"), 3);
    // The number of attempts is bounded.
    for _ in 0..20 {
        faulty.fail(Request::Put, "c", Fault::Dropped);
    }
    let error = store.put_if_absent(&at(&store, "c"), "one").unwrap_err();
    assert!(
        error.to_string().starts_with("memory://lost-answers/c: "),
        "{error}"
    );
    assert_eq!(faulty.count(Request::Put, "c"), 4);
}

#[test]
fn a_large_file_is_published_by_a_copy() {
    let faulty = Faulty::new();
    let store = faulty.registered("memory://large-files");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, vec![7; 5000]).unwrap();
    let temporary = at(&store, "tmp/1");
    for fault in [None, Some(Fault::Lost), Some(Fault::Dropped)] {
        let name = format!("large-{fault:?}");
        let object = at(&store, &name);
        if let Some(fault) = fault {
            faulty.fail(Request::Copy, &name, fault);
        }
        let put = store.put_file_if_absent(&object, &file, &temporary);
        let expected = if fault == Some(Fault::Lost) {
            Put::Same
        } else {
            Put::Stored
        };
        assert_eq!(put.unwrap(), expected, "{fault:?}");
        assert_eq!(store.get(&object).unwrap().unwrap(), vec![7; 5000]);
        assert_eq!(store.head(&temporary).unwrap(), None);
        assert_eq!(
            store
                .put_file_if_absent(&object, &file, &temporary)
                .unwrap(),
            Put::Same
        );
    }
    let object = at(&store, "other");
    store.put_if_absent(&object, vec![8; 5000]).unwrap();
    let put = store.put_file_if_absent(&object, &file, &temporary);
    assert_eq!(put.unwrap(), Put::Other);
    store.replace(&object, &file).unwrap();
    assert_eq!(store.get(&object).unwrap().unwrap(), vec![7; 5000]);
}

#[test]
fn a_store_that_ignores_conditions_is_noticed() {
    let store = Faulty::new().registered("memory://checks");
    let prefix = at(&store, "state");
    assert!(store.is_conditional(&prefix).unwrap());
    let ignoring = Faulty::that_ignores_conditions();
    let store = ignoring.registered("memory://ignores");
    let prefix = at(&store, "state");
    assert!(!store.is_conditional(&prefix).unwrap());
    assert!(!store.is_conditional(&prefix).unwrap());
    assert_eq!(ignoring.count(Request::Put, "probe"), 2);
    assert_eq!(store.list(&prefix).unwrap(), []);
    // From then on, a single process looks before it puts.
    let object = at(&store, "a");
    assert_eq!(store.put_if_absent(&object, "one").unwrap(), Put::Stored);
    assert_eq!(store.put_if_absent(&object, "two").unwrap(), Put::Other);
    assert_eq!(store.get(&object).unwrap().unwrap(), "one");
    // The answer of the first put is lost, and it is refused when it is sent again.
    let faulty = Faulty::new();
    let store = faulty.registered("memory://lost-probe");
    faulty.fail(Request::Put, "probe", Fault::Lost);
    assert!(store.is_conditional(&at(&store, "state")).unwrap());
}
