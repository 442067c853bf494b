//! Runs every function on files of a few hundred bytes that claim huge arrays, in processes with little memory: none of
//! them may abort.

use super::without_first_row;
use crate::allocation::{as_it_is, column, leb128, nulls, run, strings};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::parquet::basic::{Encoding, Type};
use bytelane_parquet::{Error, InputFile, Reader, ReaderBuilder, StringType};
use bytelane_parquet_files::advise::{AdviseOptions, advise};
use bytelane_parquet_files::check::{CheckOptions, check, check_order};
use bytelane_parquet_files::diff::{DiffOptions, diff};
use bytelane_parquet_files::edit::edit;
use bytelane_parquet_files::inspect::{InspectOptions, inspect};
use bytelane_parquet_files::merge::{MergeOptions, MergePages, merge};
use bytelane_parquet_files::repair::{RepairOptions, repair};
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite};
use bytes::Bytes;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Environment variable with the path of a bomb, for the process that runs the functions.
const BOMB: &str = "BYTELANE_BOMB";

/// Encodes integers from 0 in steps of 0 or 1 as DELTA_BINARY_PACKED.
fn packed(count: u32, first: u8, step: u8) -> Vec<u8> {
    let mut bytes = [leb128(128_u64), leb128(4_u64), leb128(count)].concat();
    bytes.push(2 * first);
    for _ in 0..(count - 1).div_ceil(128) {
        bytes.extend([2 * step, 0, 0, 0, 0]);
    }
    bytes
}

/// Returns a file of strings of which each has one byte more than the one before it, in one byte each.
fn growing(rows: u32) -> Bytes {
    let mut chunk = column(Type::BYTE_ARRAY, 0);
    let suffixes = vec![b'x'; rows as usize];
    let values = [packed(rows, 0, 1), packed(rows, 1, 0), suffixes].concat();
    let page = chunk.page(rows, Encoding::DELTA_BYTE_ARRAY, &run(rows, 1), &values);
    chunk.pages.push(as_it_is(page));
    chunk.file()
}

fn bombs() -> Vec<(&'static str, Bytes)> {
    let most = i32::MAX as u32;
    vec![
        (
            "null strings",
            nulls(Type::BYTE_ARRAY, 0, most, Encoding::PLAIN),
        ),
        ("null numbers", nulls(Type::INT64, 0, most, Encoding::PLAIN)),
        (
            "null wide values",
            nulls(Type::FIXED_LEN_BYTE_ARRAY, 100_000, most, Encoding::PLAIN),
        ),
        ("a long string", strings(1 << 10, most)),
        ("a string of a mebibyte", strings(1 << 20, 5_000)),
        ("growing strings", growing(80_000)),
    ]
}

fn opened(path: &Path) -> Result<ReaderBuilder<InputFile>, Error> {
    ReaderBuilder::try_new(InputFile::open(path)?)
}

/// Reads some batches, one after the other.
fn read(reader: Reader) -> Result<(), Error> {
    reader.take(20).try_for_each(|batch| batch.map(drop))?;
    Ok(())
}

/// Reads all batches, and keeps them.
fn keep(reader: Reader) -> Result<(), Error> {
    let batches = reader.collect::<Result<Vec<_>, _>>()?;
    drop(batches);
    Ok(())
}

type Function<'a> = (&'a str, &'a dyn Fn() -> Result<(), Error>);

/// Runs all functions. Errors are fine.
fn run_all(path: &Path) {
    let new = path.with_extension("new");
    let (fresh, split) = (
        MergeOptions::default().with_pages(MergePages::Fresh),
        MergeOptions::default()
            .with_row_group_size(1 << 20)
            .with_verify(true),
    );
    let checks = CheckOptions::default().with_values(true);
    let functions: [Function<'_>; 16] = [
        ("read", &|| read(opened(path)?.build()?)),
        ("read a table", &|| {
            keep(opened(path)?.with_batches_kept(true).build()?)
        }),
        ("read views", &|| {
            read(
                opened(path)?
                    .with_string_type(StringType::StringView)?
                    .build()?,
            )
        }),
        ("read large strings", &|| {
            read(
                opened(path)?
                    .with_string_type(StringType::LargeString)?
                    .build()?,
            )
        }),
        ("filter", &|| {
            let rows = Selection::default()
                .with_row_groups(vec![0])
                .read(opened(path)?)?;
            rows.take(20).try_for_each(|batch| batch.map(drop))?;
            Ok(())
        }),
        ("inspect", &|| {
            inspect(path, &InspectOptions::default()).map(drop)
        }),
        ("check", &|| check(path, &checks).map(drop)),
        ("check the order", &|| check_order(path).map(drop)),
        ("diff", &|| {
            diff(&[path], &[path], &DiffOptions::default()).map(drop)
        }),
        ("diff in any order", &|| {
            diff(
                &[path],
                &[path],
                &DiffOptions::default().with_any_order(true),
            )
            .map(drop)
        }),
        ("merge", &|| merge(&[path, path], &new, &fresh).map(drop)),
        ("split", &|| merge(&[path], &new, &split).map(drop)),
        ("edit", &|| edit(path, &new, &without_first_row()).map(drop)),
        ("repair", &|| {
            repair(path, &new, &RepairOptions::default()).map(drop)
        }),
        ("rewrite", &|| {
            rewrite(path, &new, &RewriteOptions::default()).map(drop)
        }),
        ("advise", &|| {
            advise(path, &AdviseOptions::default()).map(drop)
        }),
    ];
    for (name, function) in functions {
        eprintln!("{name}");
        if let Err(error) = function() {
            eprintln!("{name}: {error}");
        }
    }
}

#[test]
#[ignore = "runs in a process of its own"]
fn run_all_on_a_bomb() {
    if let Some(bomb) = env::var_os(BOMB) {
        run_all(Path::new(&bomb));
    }
}

/// Runs all functions on all bombs in processes with this address space.
fn check_space(gibibytes: u64) {
    let directory = tempfile::tempdir().unwrap();
    for (name, bomb) in bombs() {
        let path = directory.path().join("bomb.parquet");
        fs::write(&path, bomb).unwrap();
        let program = env::current_exe().unwrap();
        let test = "bad_input::bombs::run_all_on_a_bomb";
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!(
                "ulimit -v {}; exec \"$0\" {test} --exact --ignored --nocapture --test-threads 1",
                gibibytes << 20
            ))
            .arg(program)
            .env(BOMB, &path)
            .env("RAYON_NUM_THREADS", "2")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}, {gibibytes} GiB: {told}");
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes long"]
fn no_bomb_aborts_a_process_of_a_gibibyte() {
    check_space(1);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "takes long"]
fn no_bomb_aborts_a_process_of_a_few_gibibytes() {
    check_space(2);
    check_space(4);
}
