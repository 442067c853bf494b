//! Runs inputs of the fuzz targets without a fuzzer.

use super::fuzzing::{files, reader, rewrite, rows};
use bytelane_parquet::bytelane::{self, Backend};

#[test]
fn samples_pass() {
    for sample in files::samples() {
        let rows = rows::read(sample, rows::BATCH, Backend::active());
        assert!(rows.is_ok_and(|rows| rows.num_rows() == 60));
        reader::check(sample);
        rewrite::check(sample);
    }
}

#[test]
fn recipes_pass() {
    let number = |number: u16| number.to_le_bytes();
    // DOUBLE, optional, uncompressed, version 1, without a dictionary; a page of 5 values, 3 of them valid.
    let pages = [
        &[0x80, 0, 1, 0, 0, 0][..],
        &[0],
        &number(5),
        &[2, 3, 0b10101],
        &number(24),
        &[7; 24],
    ]
    .concat();
    let rows = rows::read(&files::file_of(&pages), rows::BATCH, Backend::active());
    let rows = rows.expect("a whole page");
    assert_eq!((rows.num_rows(), rows.column(0).null_count()), (5, 2));
    for length in 0..pages.len() {
        reader::check(&pages[..length]);
        rewrite::check(&pages[..length]);
    }
    // The last encoding in place of the first: a page of two values, one of them null.
    let alp = bytelane::alp::encode_to_vec(&[2.5]).expect("one value");
    let pages = [
        &[0x80, 0, 1, 0, 0, 0][..],
        &[8],
        &number(2),
        &[2, 3, 0b01],
        &number(alp.len() as u16),
        &alp,
    ]
    .concat();
    let rows = rows::read(&files::file_of(&pages), rows::BATCH, Backend::active());
    assert_eq!(rows.expect("a whole page").column(0).null_count(), 1);
    for length in 0..pages.len() {
        reader::check(&pages[..length]);
        rewrite::check(&pages[..length]);
    }
    // INT32, lists: [], [null, null], null.
    let pages = [
        &[0x80, 2, 2, 0, 0, 0][..],
        &[0],
        &number(4),
        &[2, 3, 0b0100],
        &number(3),
        &[3, 0b10_10_01, 0],
    ]
    .concat();
    let rows = rows::read(&files::file_of(&pages), rows::BATCH, Backend::active());
    let rows = rows.expect("a whole page");
    assert_eq!((rows.num_rows(), rows.column(0).null_count()), (3, 1));
    for length in 0..pages.len() {
        reader::check(&pages[..length]);
        rewrite::check(&pages[..length]);
    }
    let changes = [&[1][..], &number(300), &[0x10], &number(3000), &[0xff]].concat();
    assert_ne!(files::file_of(&changes), files::samples()[1]);
    reader::check(&changes);
    rewrite::check(&changes);
}
