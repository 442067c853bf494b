//! Joins what footers say of a file: the rule of each field is in [`FIELDS`], that of each key of the key-value metadata in
//! [`KEYS`].

mod fields;
mod geo;
mod pandas;

pub use fields::{FIELDS, Fact, Rule};

use super::meaning::Hints;
use super::outcome::Notes;
use super::schema::Columns;
use crate::edits::Edits;
use bytelane_parquet::format::{FileMetaData, KeyValue};
use bytelane_parquet::{Error, Problem, Result};
use geo::Geo;
use pandas::Pandas;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Rules for the keys of the key-value metadata that are known. Any other key is [`Rule::Equal`].
pub const KEYS: &[Fact] = &[
    Fact::new(
        "",
        ARROW_SCHEMA_META_KEY,
        Rule::Joined,
        "the types that unite those of the inputs, with keys for all entries of dictionaries",
    ),
    Fact::new(
        "",
        "pandas",
        Rule::Joined,
        "columns of all inputs; a RangeIndex counts the rows of the output",
    ),
    Fact::new(
        "",
        "geo",
        Rule::Joined,
        "boxes and geometry types of all inputs; coordinate systems, encodings and edges must be the same",
    ),
    Fact::new(
        "",
        "org.apache.spark.legacyDateTime",
        Rule::Same,
        "the calendar of dates and times",
    ),
    Fact::new(
        "",
        "org.apache.spark.legacyINT96",
        Rule::Same,
        "the calendar of INT96 timestamps",
    ),
    Fact::new(
        "",
        "org.apache.spark.timeZone",
        Rule::Same,
        "the time zone of dates in the old calendar",
    ),
    Fact::new(
        "",
        "org.apache.spark.version",
        Rule::Equal,
        "the version of Spark",
    ),
    Fact::new(
        "",
        "org.apache.spark.sql.parquet.row.metadata",
        Rule::Described,
        "the schema in Spark",
    ),
    Fact::new(
        "",
        "iceberg.schema",
        Rule::Described,
        "the schema in Iceberg",
    ),
    Fact::new(
        "",
        "parquet.avro.schema",
        Rule::Described,
        "the schema in Avro",
    ),
    Fact::new("", "avro.schema", Rule::Described, "the schema in Avro"),
    Fact::new(
        "",
        "parquet.proto.descriptor",
        Rule::Described,
        "the schema in Protocol Buffers",
    ),
    Fact::new(
        "",
        "parquet.proto.class",
        Rule::Described,
        "the class in Java",
    ),
    Fact::new(
        "",
        "parquet.thrift.descriptor",
        Rule::Described,
        "the schema in Thrift",
    ),
    Fact::new("", "thrift.class", Rule::Described, "the class in Java"),
    Fact::new(
        "",
        "thrift.descriptor",
        Rule::Described,
        "the schema in Thrift",
    ),
    Fact::new(
        "",
        "huggingface",
        Rule::Described,
        "the features of a data set",
    ),
    Fact::new(
        "",
        "r",
        Rule::Described,
        "the attributes of a data frame in R",
    ),
    Fact::new("", "gdal:schema", Rule::Described, "the fields in GDAL"),
    Fact::new(
        "",
        "gdal:creation-options",
        Rule::Equal,
        "how GDAL wrote the file",
    ),
    Fact::new(
        "",
        "writer.model.name",
        Rule::Equal,
        "the object model of parquet-java",
    ),
    Fact::new("", "writer.date", Rule::Equal, "the time of writing"),
];

/// Returns the rule for a key.
fn rule(key: &[u8]) -> Rule {
    let known = KEYS.iter().find(|fact| fact.name.as_bytes() == key);
    known.map_or(Rule::Equal, |fact| fact.rule)
}

/// Key-value pairs of all inputs.
#[derive(Default)]
pub(super) struct KeyValues {
    pairs: Vec<Pair>,
    /// Number of each pair, by its key.
    by_key: HashMap<bytes::Bytes, usize>,
    /// Keys of pairs that contain deleted values.
    pub(super) leaks: HashSet<bytes::Bytes>,
    files: usize,
    /// First input.
    first: PathBuf,
    hints: Hints,
    geo: Geo,
    pandas: Pandas,
}

struct Pair {
    pair: KeyValue,
    /// Number of files that have it with the same value, and with others.
    same: usize,
    others: usize,
}

impl KeyValues {
    /// Adds the pairs of a file.
    ///
    /// # Errors
    ///
    /// [`Problem::Input`] if values of the files have to be read differently.
    pub(super) fn add(&mut self, footer: &FileMetaData, path: &Path) -> Result<()> {
        self.hints.add(footer);
        if self.files == 0 {
            path.clone_into(&mut self.first);
        }
        let mut seen: HashSet<&[u8]> = HashSet::new();
        for pair in footer.key_value_metadata.iter().flatten() {
            // Readers take the first of several pairs with one key.
            if !seen.insert(&pair.key) {
                continue;
            }
            let value = pair.value.as_deref().unwrap_or_default();
            match &pair.key[..] {
                b"geo" => self.geo.add(value, path)?,
                b"pandas" => self.pandas.add(value),
                _ => {}
            }
            let number = self.by_key.get(&pair.key).copied();
            match number.and_then(|it| self.pairs.get_mut(it)) {
                Some(own) if own.pair.value == pair.value => own.same += 1,
                Some(own) => own.others += 1,
                None => {
                    self.by_key.insert(pair.key.clone(), self.pairs.len());
                    self.pairs.push(Pair {
                        pair: pair.clone(),
                        same: 1,
                        others: 0,
                    });
                }
            }
        }
        self.files += 1;
        let refused = |own: &&Pair| rule(&own.pair.key) == Rule::Same && (own.same < self.files);
        match self.pairs.iter().find(refused) {
            None => Ok(()),
            Some(own) => {
                let problem = format!(
                    "cannot be merged: key-value pair {} differs from {}, so its dates and times mean other days; rewrite them with one calendar before",
                    String::from_utf8_lossy(&own.pair.key),
                    self.first.display()
                );
                Err(Error::new(Problem::Input(problem)).in_file(path))
            }
        }
    }

    /// Returns the pairs of the output, which has this many rows.
    pub(super) fn finish(
        self,
        columns: &Columns,
        rows: u64,
        edits: &Edits,
        notes: &mut Notes,
    ) -> Option<Vec<KeyValue>> {
        let is_copy = self.files == 1 && edits.is_empty();
        let mut joined = Vec::new();
        let (mut is_same, mut hint_at) = (true, None);
        for own in self.pairs {
            let key = String::from_utf8_lossy(&own.pair.key).into_owned();
            let left_out = |why: &str| format!("key-value pair {key} was left out: {why}");
            let differs = || {
                left_out(&format!(
                    "{} of {} files have another value",
                    own.others, self.files
                ))
            };
            let value = match rule(&own.pair.key) {
                _ if self.leaks.contains(&own.pair.key) => {
                    Err(left_out("it contains a deleted value"))
                }
                Rule::Joined if key == ARROW_SCHEMA_META_KEY => {
                    // It has a copy of all others.
                    hint_at = Some(joined.len());
                    continue;
                }
                Rule::Joined if is_copy => Ok(own.pair.value.clone()),
                Rule::Joined if key == "geo" => {
                    match self.geo.joined(own.same + own.others < self.files, edits) {
                        Ok(value) => Ok(Some(value.into())),
                        Err(why) => Err(left_out(why)),
                    }
                }
                Rule::Joined => match self.pandas.joined(rows, edits) {
                    Some(value) => Ok(Some(value.into())),
                    None if own.others == 0 => Ok(own.pair.value.clone()),
                    None => Err(differs()),
                },
                _ if own.others > 0 => Err(differs()),
                Rule::Described if columns.changed => Err(left_out(
                    "it describes other columns than those of the output",
                )),
                _ => Ok(own.pair.value.clone()),
            };
            is_same &= value.as_ref() == Ok(&own.pair.value);
            match value {
                Ok(value) => joined.push(KeyValue { value, ..own.pair }),
                Err(note) => notes.add(note),
            }
        }
        match hint_at.zip(self.hints.joined(columns, &joined, is_same)) {
            Some((at, Ok(pair))) => joined.insert(at, pair),
            Some((_, Err(note))) => notes.add(note),
            None => {}
        }
        (!joined.is_empty()).then_some(joined)
    }
}
