//! What must hold for any file that is rewritten.

use super::files::file_of;
use super::rows::{BATCH, read};
use bytelane::Backend;
use bytelane_parquet::inspect::inspect_reader;
use bytelane_parquet::rewrite::{RewriteOptions, rewrite_bytes};
use bytelane_parquet::{Encoding, Goal, Problem, WriterOptions, bytelane, parse_compression};

/// Rewrites the file that these bytes stand for, the last of which chooses the options. What becomes of it can be
/// inspected and, where the old file can be read, has the same rows.
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

/// Every value is compared; any change of encodings is taken, or one is forced.
fn options(choice: u8) -> RewriteOptions {
    let encoding = Encoding::ALL[usize::from(choice) % Encoding::ALL.len()];
    let writer = WriterOptions::default()
        .with_goal(Goal::Read)
        .with_encoding(encoding)
        .with_page_rows(20);
    let options = RewriteOptions::new(writer).with_verification(true);
    match choice >> 4 {
        0..8 => options,
        8..12 => options.with_compression(parse_compression("zstd:1").expect("a compression")),
        _ => options.with_compression(parse_compression("snappy").expect("a compression")),
    }
}
