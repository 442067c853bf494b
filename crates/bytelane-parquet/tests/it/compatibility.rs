//! Tests that the page on who reads Parquet says what `compatibility` knows.

use bytelane_parquet::Encoding;
use bytelane_parquet::compatibility::{PROGRAMS, ValueType};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const BEGIN: &str = "<!-- The code knows what follows, and a test keeps it true. -->\n";
const END: &str = "<!-- The rest is by hand. -->\n";

/// Returns a table with the first version of each program that reads an encoding of a type, and the sources of it.
fn known() -> String {
    let names = PROGRAMS.iter().map(|it| it.name);
    let names: Vec<&str> = names.collect();
    let mut text = format!("| encoding | values | {} |\n", names.join(" | "));
    writeln!(text, "|---|---|{}", "---|".repeat(names.len())).unwrap();
    let usual = [Encoding::Plain, Encoding::Dictionary, Encoding::Auto];
    for encoding in Encoding::ALL.iter().filter(|it| !usual.contains(it)) {
        let types = ValueType::ALL.iter();
        for values in types.filter(|values| encoding.exists_for(values.physical())) {
            let since = PROGRAMS.iter().map(|program| {
                let since = program.reads_since(*encoding, *values);
                since.map_or("–".to_owned(), |version| version.to_string())
            });
            let cells = since.collect::<Vec<_>>().join(" | ");
            writeln!(text, "| {encoding} | {} | {cells} |", values.name()).unwrap();
        }
    }
    text.push_str("\nHow this is known:\n\n");
    for program in PROGRAMS {
        writeln!(
            text,
            "- `{}`, up to {}: {}",
            program.name, program.newest, program.source
        )
        .unwrap();
    }
    text
}

/// `BYTELANE_WRITE_GOLDEN=1` rewrites the page.
#[test]
fn the_page_says_what_the_code_knows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/who-reads-parquet.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (old, after) = rest.split_once(END).unwrap();
    let new = format!("\n{}\n", known());
    if std::env::var_os("BYTELANE_WRITE_GOLDEN").is_some() {
        fs::write(&path, [before, BEGIN, &new, END, after].concat()).unwrap();
    } else {
        assert_eq!(old, new);
    }
}
