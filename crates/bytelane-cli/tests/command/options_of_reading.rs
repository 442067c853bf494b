//! Options of reading, in their three doors: methods in Rust, flags of the commands, and keywords in Python.
//!
//! `read_table` declares the keywords of all functions in Python that read. The others have copies, which this test writes:
//!
//!     BYTELANE_WRITE_OPTIONS=1 cargo test --package bytelane-cli --test command options

use crate::options::{python, range};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Options of reading: flag, commands with it, keyword in Python, method in Rust, and what a door has instead.
const READING: &str = "\
columns        | cat head sample stats tail               | columns         | with_columns      |
exclude        | cat head sample stats tail               |                 | with_excluded     | lists of names in Python
where          | cat count head sample stats tail         | filters         | with_filter       |
row-limit      | cat convert count head sample stats tail | row_limit       | with_row_limit    |
strict-schema  | cat count head sample stats tail         | strict_schema   |                   | an argument of Table::open
partition-type | cat count head sample schema stats tail  | partition_types |                   | an argument of table_files
offset         | cat head                                 |                 | with_offset       | Table.slice in Python
rows           | head sample tail                         |                 | with_limit        | Table.slice in Python
seed           | sample                                   |                 |                   | rows by their numbers
               |                                          | row_groups      | with_row_groups   | commands read all
               |                                          | batch_size      | with_batch_size   | commands choose it
               |                                          | threads         | with_threads      | commands use all cores
               |                                          | memory_limit    | with_memory_limit | commands have the default
               |                                          | read_dictionary | with_dictionaries | commands show values
               |                                          | string_type     | with_string_type  | commands show values
";

/// Option of reading, by its doors; a text is empty if a door lacks it.
struct Option {
    flag: &'static str,
    commands: Vec<&'static str>,
    keyword: &'static str,
    method: &'static str,
    instead: &'static str,
}

fn options() -> impl Iterator<Item = Option> {
    READING.lines().map(|line| {
        let mut parts = line.split('|').map(str::trim);
        let mut next = || parts.next().unwrap();
        Option {
            flag: next(),
            commands: next().split_whitespace().collect(),
            keyword: next(),
            method: next(),
            instead: next(),
        }
    })
}

/// Returns the flags of a command that are options of reading.
pub fn flags(command: &str) -> impl Iterator<Item = &'static str> {
    let own = options().filter(move |it| it.commands.contains(&command));
    own.map(|it| it.flag)
}

/// Keywords of reading functions that are no option of reading, and why.
const OTHER_KEYWORDS: &[(&str, &str)] = &[
    ("arrow_extensions_enabled", "of pyarrow; GivenTypes"),
    ("as_files", "how inputs are found"),
    ("binary_type", "of pyarrow; GivenTypes"),
    ("buffer_size", "of pyarrow; without effect"),
    ("coerce_int96_timestamp_unit", "of pyarrow; GivenTypes"),
    ("common_metadata", "of pyarrow; the index of pandas"),
    (
        "decryption",
        "keys: InputFile::decrypted, --decryption-keys",
    ),
    ("decryption_properties", "of pyarrow; refused"),
    ("filesystem", "of pyarrow; the source"),
    ("i", "the row group"),
    ("ignore_prefixes", "of pyarrow; how inputs are found"),
    ("list_type", "of pyarrow; GivenTypes"),
    ("memory_map", "of pyarrow; without effect"),
    ("metadata", "of pyarrow; without effect"),
    ("page_checksum_verification", "of pyarrow; always"),
    ("partitioning", "of pyarrow; how inputs are found"),
    ("path_or_paths", "the source"),
    ("pre_buffer", "of pyarrow; without effect"),
    ("schema", "of pyarrow; the result is cast"),
    ("schema_depth_limit", "of pyarrow; refused"),
    ("source", "the source"),
    ("thrift_container_size_limit", "of pyarrow; refused"),
    ("thrift_string_size_limit", "of pyarrow; refused"),
    ("use_pandas_metadata", "of pyarrow; columns"),
    ("use_threads", "of pyarrow; threads"),
    ("where", "the source"),
];

/// Functions that read, with their modules, and the class of a method.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("parquet/_dataset.py", "class ParquetDataset", "__init__"),
    ("parquet/_dataset.py", "class ParquetDataset", "read"),
    ("parquet/_dataset.py", "class ParquetDataset", "read_pandas"),
    ("parquet/_file.py", "class ParquetFile", "__init__"),
    ("parquet/_file.py", "class ParquetFile", "iter_batches"),
    ("parquet/_file.py", "class ParquetFile", "read"),
    ("parquet/_file.py", "class ParquetFile", "read_row_group"),
    ("parquet/_file.py", "class ParquetFile", "read_row_groups"),
    ("parquet/_file.py", "class ParquetFile", "scan_contents"),
    ("parquet/_file.py", "", "read_metadata"),
    ("parquet/_file.py", "", "read_schema"),
    (READ, "", "read_pandas"),
];

/// Module of `read_table`.
const READ: &str = "parquet/_read.py";

/// Keywords whose declarations differ from those of `read_table`, and why.
const OTHER_DECLARATIONS: &[(&str, &str, &str)] = &[
    ("ParquetDataset.__init__", "buffer_size", "as in pyarrow"),
    ("ParquetFile.__init__", "source", "one file"),
    ("ParquetFile.read_row_groups", "row_groups", "required"),
];

/// Returns the place of the parameters of a function in Python.
fn place(module: &str, class: &str, function: &str) -> Range<usize> {
    let start = module.find(class).unwrap();
    let found = range(&module[start..], &format!("def {function}("), &[") -> "]);
    start + found.start..start + found.end
}

/// Returns the names of parameters, each with its type and default.
fn parameters(found: &str) -> Vec<(String, String)> {
    let mut parts = vec![String::new()];
    // A comma within brackets separates no parameters.
    let mut depth = 0;
    for character in found.chars() {
        depth += i32::from(character == '[') - i32::from(character == ']');
        match character {
            ',' if depth == 0 => parts.push(String::new()),
            character => parts.last_mut().unwrap().push(character),
        }
    }
    let parts = parts.iter().filter_map(|it| it.trim().split_once(": "));
    let named = parts.filter(|(name, _)| !name.starts_with('*'));
    named
        .map(|(name, declared)| (name.to_owned(), declared.to_owned()))
        .collect()
}

/// Returns the parameters of a reading function as `read_table` declares them.
fn derived(name: &str, own: &str, declared: &[(String, String)]) -> String {
    let mut derived = own.to_owned();
    for (keyword, own) in parameters(own) {
        let first = declared.iter().find(|(name, _)| *name == keyword);
        let mut others = OTHER_DECLARATIONS.iter();
        let is_other = others.any(|(of, it, _)| (*of, *it) == (name, &*keyword));
        let Some((_, first)) = first.filter(|_| !is_other) else {
            continue;
        };
        let own = format!("{keyword}: {own}");
        derived = derived.replacen(&own, &format!("{keyword}: {first}"), 1);
    }
    derived
}

#[test]
fn readers_have_the_same_keywords_in_python() {
    let read = fs::read_to_string(python(READ)).unwrap();
    let declared = parameters(&read[place(&read, "", "read_table")]);
    let mut found: BTreeSet<String> = declared.iter().map(|(name, _)| name.clone()).collect();
    for (path, class, function) in FUNCTIONS {
        let mut module = fs::read_to_string(python(path)).unwrap();
        let name = match class.strip_prefix("class ") {
            Some(class) => format!("{class}.{function}"),
            None => (*function).to_owned(),
        };
        let at = place(&module, class, function);
        let own = module[at.clone()].to_owned();
        let derived = derived(&name, &own, &declared);
        if std::env::var_os("BYTELANE_WRITE_OPTIONS").is_some() {
            module.replace_range(at, &derived);
            fs::write(python(path), module).unwrap();
        }
        assert_eq!(
            own, derived,
            "{name}: write it again with BYTELANE_WRITE_OPTIONS=1"
        );
        found.extend(parameters(&own).into_iter().map(|(keyword, _)| keyword));
    }
    let known = options().map(|it| it.keyword);
    let known = known.filter(|it| !it.is_empty());
    let known = known.chain(OTHER_KEYWORDS.iter().map(|(name, _)| *name));
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    assert_eq!(found, known);
}

#[test]
fn options_of_reading_have_a_method_in_rust() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bytelane-parquet/src");
    let mut text = fs::read_to_string(source.join("filter/select.rs")).unwrap();
    for file in fs::read_dir(source.join("read/builder")).unwrap() {
        text += &fs::read_to_string(file.unwrap().path()).unwrap();
    }
    for it in options() {
        let has_all = ![it.flag, it.keyword, it.method].contains(&"");
        assert_eq!(has_all, it.instead.is_empty(), "{}{}", it.flag, it.keyword);
        let declaration = format!("pub fn {}", it.method);
        assert!(text.contains(&declaration), "{}", it.method);
    }
}
