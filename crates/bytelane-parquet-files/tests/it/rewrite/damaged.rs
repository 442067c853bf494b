//! Tests truncated and modified files.

use super::*;

#[test]
fn cut_and_changed_files_are_errors() {
    let before = file(WriterVersion::PARQUET_1_0);
    let options = RewriteOptions::default();
    for length in (0..before.len())
        .step_by(997)
        .chain(before.len() - 20..before.len())
    {
        assert!(
            rewrite_bytes(before.slice(..length), &options).is_err(),
            "{length}"
        );
    }
    // Header of the first page, and its contents.
    for at in [4, 6, 40] {
        let mut changed = before.to_vec();
        changed[at] ^= 0xff;
        let error = rewrite_bytes(changed.into(), &other_encodings()).unwrap_err();
        assert_eq!(error.place().row_group, Some(0), "byte {at}: {error}");
        assert_eq!(
            error.place().column.as_deref(),
            Some("double"),
            "byte {at}: {error}"
        );
    }
    let mut encrypted = before.to_vec();
    let end = encrypted.len();
    encrypted[end - 4..].copy_from_slice(b"PARE");
    let error = rewrite_bytes(encrypted.into(), &options).unwrap_err();
    assert!(error.to_string().contains("encrypted"), "{error}");
}

/// Writes a small file in one of the encodings.
fn small_file(encoding: Encoding, compression: &str) -> Bytes {
    let batch = batch().slice(0, 60).project(&[0, 1, 2, 5]).unwrap();
    let options = WriterOptions::default()
        .with_encoding(encoding)
        .with_compression(parse_compression(compression).unwrap())
        .with_max_rows_per_page(25)
        .with_row_group_size(35);
    let mut file = Vec::new();
    let mut writer = Writer::try_new(&mut file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    file.into()
}

#[test]
fn whichever_byte_is_changed_it_is_an_error_or_the_same_values_come_back() {
    // Accept any change of encodings, and compare every value.
    let options = RewriteOptions::default()
        .with_goal(Goal::Read)
        .with_verify(true);
    for (encoding, compression) in [
        (Encoding::Plain, "none"),
        (Encoding::Dictionary, "snappy"),
        (Encoding::ByteStreamSplit, "zstd"),
    ] {
        let file = small_file(encoding, compression);
        // Change every fifth byte: one bit, another bit, or all bits in turn.
        for at in (0..file.len()).step_by(5) {
            let mut changed = file.to_vec();
            changed[at] ^= [0x01, 0x80, 0xff][at % 3];
            let changed = Bytes::from(changed);
            // A run of levels can claim any number of rows in a few bytes.
            let groups = inspect_reader(&changed).map_or(Vec::new(), |it| it.row_groups);
            if groups.iter().any(|group| group.rows > 100_000) {
                continue;
            }
            match rewrite_bytes(changed, &options) {
                Ok((file, _)) => drop(inspect_reader(&file).unwrap()),
                Err(error) => assert!(
                    !matches!(error.problem(), Problem::Different(_)),
                    "byte {at} of {encoding}: {error}"
                ),
            }
        }
    }
}
