//! Encrypted files.

use crate::{bytelane, failure, text};
use arrow_array::{Int64Array, RecordBatch};
use bytelane_parquet::{EncryptionKeys, Key, Writer, WriterOptions};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const KEYS: &str = r#"{"footer_key": "30313233343536373839303132333435", "keys": {"kc1": "MTIzNDU2Nzg5MDEyMzQ1MA=="}}"#;

fn written(path: &Path) {
    let numbers = Int64Array::from_iter_values(0..100);
    let columns = [
        ("a", Arc::new(numbers.clone()) as _),
        ("b", Arc::new(numbers) as _),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let keys = EncryptionKeys::new(Key::new(*b"0123456789012345").unwrap());
    let keys = keys.with_named_column_key("b", Key::new(*b"1234567890123450").unwrap(), "kc1");
    let (file, options) = (File::create(path).unwrap(), WriterOptions::default());
    let mut writer = Writer::try_new_encrypted(file, batch.schema(), options, &keys).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn commands_that_read_take_keys() {
    let directory = TempDir::new().unwrap();
    let (path, keys) = (
        directory.path().join("a.parquet"),
        directory.path().join("keys.json"),
    );
    written(&path);
    fs::write(&keys, KEYS).unwrap();
    let (path, keys) = (path.to_str().unwrap(), keys.to_str().unwrap());
    for arguments in [
        &["count", path, "--where", "b = 7"][..],
        &["cat", path, "--format", "csv"],
        &["inspect", path],
        &["check", path],
        &["diff", path, path],
        &["stats", path],
        &["schema", path],
        &["advise", path],
    ] {
        let mut command = bytelane(arguments);
        let output = command.args(["--decryption-keys", keys]).output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        let mut command = bytelane(arguments);
        let command = command
            .args(["--decryption-keys", "env:KEYS"])
            .env("KEYS", KEYS);
        assert!(command.output().unwrap().status.success());
        let output = bytelane(arguments).output().unwrap();
        let message = text(&output.stderr) + &text(&output.stdout);
        assert!(!output.status.success());
        assert!(
            message.contains(
                "the file is encrypted with AES_GCM_V1; --decryption-keys gives its keys"
            ),
            "{message}"
        );
    }
    let message = failure(&mut bytelane(&[
        "rewrite",
        path,
        "-",
        "--decryption-keys",
        keys,
    ]));
    assert!(message.contains("would not be encrypted"), "{message}");
    fs::write(keys, KEYS.replace("kc1", "other")).unwrap();
    let message = failure(&mut bytelane(&[
        "count",
        path,
        "--where",
        "b = 7",
        "--decryption-keys",
        keys,
    ]));
    assert!(
        message.contains(r#"the key of the column is missing (metadata of its key: "kc1")"#),
        "{message}"
    );
    let output = bytelane(&["inspect", path, "--decryption-keys", keys])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}
