//! Options in their three doors: fields of a struct in Rust, flags of the command, and keywords in Python.
//!
//! The keywords, and their words in the docstrings, are written by this test from the structs:
//!
//!     BYTELANE_WRITE_OPTIONS=1 cargo test --package bytelane-cli --test command options

use crate::options_of_reading;
use crate::{bytelane, text};
use bytelane_dataset::{PlanOptions, RunOptions, Shard, SortBy};
use bytelane_parquet::filter::Predicate;
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::{DataPageVersion, Encoding, Goal, WriterOptions};
use bytelane_parquet_files::advise::AdviseOptions;
use bytelane_parquet_files::check::CheckOptions;
use bytelane_parquet_files::convert::ConvertOptions;
use bytelane_parquet_files::diff::DiffOptions;
use bytelane_parquet_files::edit::EditOptions;
use bytelane_parquet_files::edits::{AddedColumn, DeletedRows, Promotion};
use bytelane_parquet_files::inspect::InspectOptions;
use bytelane_parquet_files::merge::MergeOptions;
use bytelane_parquet_files::repair::{RepairOptions, SalvageOptions};
use bytelane_parquet_files::rewrite::RewriteOptions;
use bytelane_parquet_files::rows::RowsOptions;
use bytelane_parquet_files::stats::StatsOptions;
use clap::{Arg, ArgAction, Args, Command};
use serde::de::DeserializeOwned;
use std::any::TypeId;
use std::fmt::Write;
use std::fs;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Options of a verb, by their doors.
struct Verb {
    /// Names of the command, and of the function in Python with its module; empty if there is none.
    command: &'static str,
    module: &'static str,
    function: &'static str,
    /// Declared options, as arguments of a command.
    arguments: Vec<Arg>,
    /// Names that the struct is read from.
    fields: Vec<String>,
}

fn verb<T: Args + DeserializeOwned>(command: &'static str, function: &'static str) -> Verb {
    let declared = T::augment_args(Command::new(command));
    let arguments: Vec<Arg> = declared.get_arguments().cloned().collect();
    let mut fields = fields::<T>();
    if fields.is_empty() {
        // The errors of a struct with another one in it name no fields.
        fields = arguments.iter().map(|it| it.get_id().to_string()).collect();
    }
    for name in &fields {
        let known = serde_json::from_str::<T>(&format!("{{\"{name}\": {{\"?\": []}}}}"));
        let error = known.err().map(|it| it.to_string()).unwrap_or_default();
        assert!(!error.contains("unknown field"), "{command}: {error}");
    }
    Verb {
        command,
        module: if function.is_empty() { "" } else { VERBS },
        function,
        arguments,
        fields,
    }
}

/// Returns the names that a struct is read from: an error for an unknown field lists them.
pub fn fields<T: DeserializeOwned>() -> Vec<String> {
    let known = serde_json::from_str::<T>(r#"{"?": 0}"#).err().unwrap();
    let known = known.to_string();
    let (_, known) = known.split_once("expected ").unwrap_or_default();
    let names = known.split('`').skip(1).step_by(2);
    names.map(str::to_owned).collect()
}

fn verbs() -> Vec<Verb> {
    let written = ["cat", "convert", "head", "sample", "tail"];
    let written = written.map(|command| verb::<RowsOptions>(command, ""));
    let mut verbs = vec![
        verb::<AdviseOptions>("advise", "advise"),
        verb::<RewriteOptions>("rewrite", "rewrite"),
        verb::<MergeOptions>("merge", "merge"),
        verb::<EditOptions>("edit", "edit"),
        verb::<DiffOptions>("diff", "diff"),
        verb::<CheckOptions>("check", "check"),
        verb::<RepairOptions>("repair", "repair"),
        verb::<SalvageOptions>("check", "salvage"),
        Verb {
            module: DATASET,
            ..verb::<PlanOptions>("dataset plan", "plan")
        },
        Verb {
            module: DATASET,
            ..verb::<RunOptions>("dataset run", "run")
        },
        verb::<ConvertOptions>("convert", ""),
        verb::<InspectOptions>("inspect", ""),
        verb::<StatsOptions>("stats", ""),
    ];
    verbs.extend(written);
    verbs
}

/// Module of the functions of files.
const VERBS: &str = "parquet/_verbs.py";

/// Module of the functions of data sets.
const DATASET: &str = "dataset/__init__.py";

/// Flags that are no options of the struct: the command, if not all, the flag, and why.
const OTHER_FLAGS: &[(&str, &str, &str)] = &[
    (
        "",
        "as-files",
        "how inputs are found, like the keyword as_files",
    ),
    (
        "",
        "backend",
        "the whole process; bytelane.set_backend in Python",
    ),
    ("", "color", "output"),
    (
        "",
        "decryption-keys",
        "decryption in Python, InputFile::decrypted",
    ),
    ("", "format", "output"),
    ("", "help", "of the command itself"),
    ("", "output", "output"),
    ("", "vertical", "output"),
    ("advise", "brief", "output"),
    ("advise", "check", "the exit status"),
    ("advise", "threshold", "the exit status"),
    ("check", "salvage", "the output of the function salvage"),
    ("convert", "from", "the format of the input"),
    ("convert", "to", "the format of the output"),
    ("convert", "type", "types of ConvertOptions"),
    ("dataset plan", "files-from", "how inputs are found"),
    ("dataset plan", "force", "of the file with the plan"),
    ("dataset plan", "price-per-1000-reads", "output"),
    ("dataset plan", "price-per-1000-writes", "output"),
    (
        "diff",
        "partition-type",
        "how inputs are found, like partition_types",
    ),
    ("diff", "with", "inputs"),
    ("inspect", "by", "output"),
    ("inspect", "metadata", "the function metadata"),
    ("inspect", "schema", "output"),
    ("stats", "footer", "Footers instead of Stats"),
];

/// Keywords of functions that are no option of the struct, and why.
const OTHER_KEYWORDS: &[(&str, &str)] = &[
    ("as_files", "how inputs are found"),
    (
        "compression_level",
        "of pyarrow; the command has zstd:LEVEL",
    ),
    ("partition_types", "how inputs are found"),
    ("progress", "a function"),
];

/// Options of the struct whose flags have other names, and why.
const OTHER_NAMES: &[(&str, &str)] = &[("bloom_filters", "one column per flag")];

/// Options that have no flag of their own: the function, its option, and why.
const NO_FLAG: &[(&str, &str, &str)] = &[(
    "salvage",
    "row_limit",
    "check --row-limit is also for --salvage",
)];

impl Verb {
    /// Returns the declaration of a keyword in Python.
    fn parameter(&self, name: &str) -> String {
        let Some(it) = self.argument(name) else {
            return format!("    {name}: int | None = None,\n");
        };
        let kind = kind(it);
        let default = it.get_default_values().first();
        let default = default.map(|it| it.to_str().unwrap());
        let default = default.map(|it| match &*kind {
            "int" | "float" => it.to_owned(),
            "tuple[int, int]" => format!("({})", it.replace('/', ", ")),
            _ => format!("{it:?}"),
        });
        match (it.get_action(), default) {
            (ArgAction::SetTrue, _) => format!("    {name}: bool = False,\n"),
            (_, Some(default)) if kind != NAMES => format!("    {name}: {kind} = {default},\n"),
            _ => format!("    {name}: {kind} | None = None,\n"),
        }
    }

    fn argument(&self, name: &str) -> Option<&Arg> {
        self.arguments.iter().find(|it| it.get_id() == name)
    }

    /// Returns the words of an option: those of its flag.
    fn words(&self, name: &str) -> String {
        let Some(it) = self.argument(name) else {
            let of_check = verb::<CheckOptions>("check", "check");
            return of_check.words(name);
        };
        let help = it.get_help().unwrap().to_string();
        let words = help.split(' ').map(|word| match word.strip_prefix("--") {
            Some(flag) => format!("`{}`", flag.replace('-', "_")),
            None => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn parameters(&self) -> String {
        self.fields
            .iter()
            .map(|name| self.parameter(name))
            .collect()
    }

    fn list(&self) -> String {
        let mut list = String::new();
        for name in &self.fields {
            let mut line = format!("    - `{name}`:");
            let words = self.words(name);
            for word in words.split(' ') {
                if line.chars().count() + 1 + word.chars().count() > 120 {
                    writeln!(list, "{line}").unwrap();
                    line = "     ".to_owned();
                }
                write!(line, " {word}").unwrap();
            }
            writeln!(list, "{line}.").unwrap();
        }
        list
    }
}

/// Type of names in Python, whose default is `None`.
const NAMES: &str = "str | Iterable[str]";

/// Returns the type of an option in Python, by the type of its values in Rust.
fn kind(it: &Arg) -> String {
    let one = match it.get_value_parser().type_id() {
        _ if value_name(it) == "SIZE" => "int | str",
        id if id == TypeId::of::<u64>() => "int",
        id if id == TypeId::of::<usize>() => "int",
        id if id == TypeId::of::<NonZero<usize>>() => "int",
        id if id == TypeId::of::<f64>() => "float",
        id if id == TypeId::of::<Shard>() => "tuple[int, int]",
        id if id == TypeId::of::<PathBuf>() => "Path",
        id if id == TypeId::of::<String>() => "str",
        id if id == TypeId::of::<Compression>() => "str",
        id if id == TypeId::of::<Goal>() => "Goal",
        id if id == TypeId::of::<DataPageVersion>() => "DataPageVersion",
        id if id == TypeId::of::<(String, Encoding)>() => "Mapping[str, Encoding]",
        id if id == TypeId::of::<Predicate>() => "str",
        id if id == TypeId::of::<AddedColumn>() => "str",
        id if id == TypeId::of::<DeletedRows>() => {
            "Path | Sequence[int] | Mapping[str, Path | Sequence[int]]"
        }
        id if id == TypeId::of::<(String, String)>() => "Mapping[str, str]",
        id if id == TypeId::of::<(String, Promotion)>() => "Mapping[str, object]",
        id if id == TypeId::of::<SortBy>() => "Literal[\"auto\"]",
        _ => "",
    };
    let values = it.get_possible_values();
    match (one, it.get_action()) {
        ("str", ArgAction::Append) => "Sequence[str]".to_owned(),
        ("", _) if values.is_empty() => NAMES.to_owned(),
        ("", _) => {
            let names = values.iter().map(|it| format!("{:?}", it.get_name()));
            format!("Literal[{}]", names.collect::<Vec<_>>().join(", "))
        }
        (one, _) => one.to_owned(),
    }
}

fn value_name(it: &Arg) -> &str {
    it.get_value_names()
        .and_then(|names| names.first())
        .map_or("", |name| name)
}

pub fn python(module: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../bytelane-python/python/bytelane")
        .join(module)
}

/// Returns the range of the text from one part up to the next occurrence of another.
pub fn range(text: &str, from: &str, to: &[&str]) -> Range<usize> {
    let start = text.find(from).unwrap_or_else(|| panic!("{from:?}")) + from.len();
    let ends = to.iter().filter_map(|to| text[start..].find(to));
    start..start + ends.min().unwrap_or_else(|| panic!("{to:?}"))
}

/// Returns the text of a module with the keywords of all functions, and their words, as the structs have them.
fn derived(name: &str, mut module: String) -> String {
    for verb in verbs().iter().filter(|verb| verb.module == name) {
        let function = module.find(&format!("\ndef {}(\n", verb.function)).unwrap();
        let others = OTHER_KEYWORDS
            .iter()
            .map(|(name, _)| format!("    {name}: "));
        let others: Vec<String> = others.collect();
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        let keywords = range(&module[function..], "    *,\n", &others);
        let keywords = function + keywords.start..function + keywords.end;
        module.replace_range(keywords, &verb.parameters());
        let list = range(
            &module[function..],
            "    Options:\n\n",
            &["\n    >>>", "    \"\"\""],
        );
        let list = function + list.start..function + list.end;
        module.replace_range(list, &verb.list());
    }
    module
}

#[test]
fn python_has_the_declared_keywords() {
    for name in [VERBS, DATASET] {
        let module = fs::read_to_string(python(name)).unwrap();
        let derived = derived(name, module.clone());
        if std::env::var_os("BYTELANE_WRITE_OPTIONS").is_some() {
            fs::write(python(name), &derived).unwrap();
        }
        let mut lines = module.lines().zip(derived.lines());
        let differs = lines.find(|(now, then)| now != then);
        assert_eq!(
            differs, None,
            "{name}: write the keywords again with BYTELANE_WRITE_OPTIONS=1"
        );
        assert_eq!(module, derived);
    }
}

/// Keywords of `write_table` that are no option of the struct, and why.
const OTHER_KEYWORDS_OF_WRITERS: [(&str, &str); 15] = [
    ("bloom_filter_options", "of columns, with_column in Rust"),
    ("chunk_size", "of pyarrow; row_group_size"),
    ("column_encoding", "of columns, with_column in Rust"),
    (
        "compression_level",
        "of pyarrow; the Rust name is zstd:LEVEL",
    ),
    ("encryption", "keys: Writer::try_new_encrypted"),
    ("encryption_properties", "of pyarrow; refused"),
    ("filesystem", "of pyarrow; the sink"),
    ("flavor", "of pyarrow; the names of columns"),
    ("metadata_collector", "of pyarrow; Written in Rust"),
    (
        "store_decimal_as_integer",
        "of pyarrow; decimals always are, where they fit",
    ),
    ("use_byte_stream_split", "of pyarrow; column_encoding"),
    (
        "use_content_defined_chunking",
        "of pyarrow; content_defined_pages",
    ),
    ("use_dictionary", "of pyarrow; column_encoding"),
    ("write_batch_size", "of pyarrow; without effect"),
    ("writer_engine_version", "of pyarrow; without effect"),
];

#[test]
fn writers_have_the_declared_keywords_in_python() {
    let path = python("parquet/_writer.py");
    let module = fs::read_to_string(&path).unwrap();
    let end = ["\n) -> None:", "\n    ) -> None:"];
    let one = range(&module, "\ndef write_table(", &end);
    let start = module[one.clone()].find("encoding: Encoding").unwrap();
    let one = one.start + start + "encoding: Encoding".len()..one.end;
    let class = module.find("    def __init__(").unwrap();
    let other = range(&module[class..], "encoding: Encoding", &end);
    let other = class + other.start..class + other.end;
    let keywords = &module[one];
    let indented = keywords.replace('\n', "\n    ");
    if std::env::var_os("BYTELANE_WRITE_OPTIONS").is_some() {
        let mut module = module.clone();
        module.replace_range(other.clone(), &indented);
        fs::write(path, module).unwrap();
    }
    assert_eq!(
        &module[other], indented,
        "write the keywords of ParquetWriter again with BYTELANE_WRITE_OPTIONS=1"
    );
    let lines = keywords.lines().skip(1).map(str::trim);
    let names = lines.filter_map(|line| Some(line.split_once(':')?.0.to_owned()));
    let mut names: Vec<String> = names.chain(["encoding".to_owned()]).collect();
    let others = OTHER_KEYWORDS_OF_WRITERS.map(|(name, _)| name.to_owned());
    let mut declared: Vec<String> = fields::<WriterOptions>()
        .into_iter()
        .chain(others)
        .collect();
    names.sort_unstable();
    declared.sort_unstable();
    assert_eq!(names, declared);
    check_defaults(keywords);
}

/// Keywords of `write_table` whose defaults are pyarrow's and not those in Rust.
const OTHER_DEFAULTS: [&str; 1] = ["use_compliant_nested_type"];

/// Checks that the defaults in Python are those in Rust.
fn check_defaults(keywords: &str) {
    let usual = format!("{:?}", WriterOptions::default());
    let fields = fields::<WriterOptions>();
    let mut checked = 0;
    for line in keywords.lines() {
        let parts = line.trim().trim_end_matches(',').split_once(": ");
        let Some((name, (_, default))) =
            parts.and_then(|(name, it)| Some((name, it.split_once(" = ")?)))
        else {
            continue;
        };
        // None and an empty tuple leave the option to Rust.
        if !fields.iter().any(|it| it == name) || matches!(default, "None" | "()") {
            continue;
        }
        let value = match default.split_once(" << ") {
            Some((number, bits)) => {
                (number.parse::<u64>().unwrap() << bits.parse::<u32>().unwrap()).to_string()
            }
            None => default.replace("True", "true").replace("False", "false"),
        };
        let given: WriterOptions = serde_json::from_str(&format!("{{{name:?}: {value}}}")).unwrap();
        let is_usual = format!("{given:?}") == usual;
        assert_ne!(
            is_usual,
            OTHER_DEFAULTS.contains(&name),
            "{name} = {default}"
        );
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
}

/// Returns the flags of a command, as its help shows them.
fn flags_of(command: &str) -> Vec<String> {
    let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
    let help = text(&bytelane(&words).output().unwrap().stdout);
    let flags = help.lines().filter_map(|line| {
        let (before, flag) = line.trim_start().split_once("--")?;
        let is_declared = matches!(before, "" | "-h, " | "-n, " | "-o, ");
        is_declared.then(|| flag.split([' ', '.', '[']).next().unwrap().to_owned())
    });
    flags.collect()
}

#[test]
fn the_doors_of_a_verb_have_the_same_options() {
    let all = verbs();
    for verb in &all {
        let flags = flags_of(verb.command);
        for name in &verb.fields {
            let has_flag = !NO_FLAG
                .iter()
                .any(|(function, it, _)| (*function, *it) == (verb.function, name));
            let flag = verb.argument(name).and_then(Arg::get_long);
            assert_eq!(flag.is_some(), has_flag, "{}: {name}", verb.function);
            let flag = flag.unwrap_or("help");
            assert!(
                flags.iter().any(|it| it == flag),
                "{}: --{flag}",
                verb.command
            );
            let is_same = !has_flag || flag.replace('-', "_") == *name;
            assert_ne!(
                is_same,
                OTHER_NAMES.iter().any(|(it, _)| it == name),
                "{name}"
            );
        }
        for it in &verb.arguments {
            let is_field = verb.fields.iter().any(|name| it.get_id() == name);
            assert!(is_field, "{}", it.get_id());
        }
    }
    let mut commands: Vec<&str> = all.iter().map(|verb| verb.command).collect();
    commands.extend(["count", "schema"]);
    for command in commands {
        let declared = all.iter().filter(|it| it.command == command);
        let declared = declared.flat_map(|it| &it.arguments);
        let declared = declared.filter_map(Arg::get_long);
        let declared: Vec<&str> = declared.collect();
        for flag in flags_of(command) {
            let is_other = OTHER_FLAGS
                .iter()
                .any(|(of, name, _)| ["", command].contains(of) && *name == flag);
            let is_declared = declared.contains(&&*flag)
                || options_of_reading::flags(command).any(|it| it == flag);
            assert_ne!(is_declared, is_other, "{command}: --{flag}");
        }
    }
}
