//! Checks properties of `rewrite` that hold for any file.

use super::files::file_of;
use super::rows::{BATCH, read};
use bytelane::Backend;
use bytelane_parquet::{Encoding, Goal, Problem, bytelane, parse_compression};
use bytelane_parquet_files::inspect::inspect_reader;
use bytelane_parquet_files::rewrite::{RewriteOptions, rewrite_bytes};

/// Rewrites the file that these bytes describe. The last byte chooses the options. The result can be
/// inspected and, if the old file can be read, has the same rows.
pub fn check(input: &[u8]) {
    let file = file_of(input);
    let options = options(input.last().copied().unwrap_or_default());
    let new = match rewrite_bytes(file.clone(), &options) {
        Ok((new, _)) => new,
        Err(error) => {
            let problem = error.problem();
            assert!(!matches!(problem, Problem::Different(_)), "{error}");
            return;
        }
    };
    inspect_reader(&new).expect("what was written can be inspected");
    if let Ok(rows) = read(&file, BATCH, Backend::active()) {
        let after = read(&new, BATCH, Backend::active());
        assert_eq!(after, Ok(rows));
    }
}

/// Returns options that compare every value, and that accept any change of encodings or force one.
fn options(choice: u8) -> RewriteOptions {
    let encoding = Encoding::ALL[usize::from(choice) % Encoding::ALL.len()];
    let options = RewriteOptions::default()
        .with_goal(Goal::Read)
        .with_encoding(encoding)
        .with_max_rows_per_page(20)
        .with_verify(true);
    match choice >> 4 {
        0..8 => options,
        8..12 => options.with_compression(parse_compression("zstd:1").expect("a compression")),
        _ => options.with_compression(parse_compression("snappy").expect("a compression")),
    }
}
