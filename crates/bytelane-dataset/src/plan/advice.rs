//! Advises on the encodings of similarly encoded files, based on a sample of them.

use super::{PlanOptions, Read};
use crate::hash::{digits, hash};
use crate::root::Root;
use crate::{Error, Result};
use bytelane_parquet_files::advise::{Advice, ColumnAdvice, advise};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

/// Fraction of the bytes saved, across the files of a sample: 0 is nothing, 1 everything.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spread {
    /// Smallest fraction.
    pub min: f64,
    /// Median fraction.
    pub median: f64,
    /// Largest fraction.
    pub max: f64,
}

impl Spread {
    pub(super) fn new(mut shares: Vec<f64>) -> Self {
        shares.sort_by(f64::total_cmp);
        let at = |index: usize| shares.get(index).copied().unwrap_or(0.0);
        Self {
            min: at(0),
            median: (at(shares.len().saturating_sub(1) / 2) + at(shares.len() / 2)) / 2.0,
            max: at(shares.len().saturating_sub(1)),
        }
    }
}

/// Advice for files with the same schema and the same encodings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassAdvice {
    /// Hash of the schema, the encodings and the compression.
    pub class: String,
    /// Index of the schema.
    pub schema: usize,
    /// Number of files.
    pub files: usize,
    /// Total size of these files in bytes.
    pub bytes: u64,
    /// Sampled files: those whose paths, hashed with the seed, have the smallest hashes.
    pub sample: Vec<String>,
    /// Number of rows examined in each of them.
    pub rows_per_file: usize,
    /// Fraction of the bytes saved.
    pub saved: f64,
    /// Fraction of the bytes saved, across the files of the sample.
    pub spread: Spread,
    /// Set if this justifies re-encoding the files.
    pub rewrite: bool,
    /// Advice for each column.
    pub columns: Vec<ColumnSaving>,
}

/// Advice for a column.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnSaving {
    /// Path of the column, with names separated by dots.
    pub path: String,
    /// Parquet type.
    pub column_type: String,
    /// Encodings and compression in the first sampled file.
    pub now: String,
    /// Encoding that is best for most of the sample's bytes.
    pub encoding: String,
    /// Assumed compression.
    pub compression: String,
    /// Size in the sampled files in bytes.
    pub bytes_now: u64,
    /// Estimated size after re-encoding, in bytes.
    pub bytes_then: u64,
    /// Fraction of the bytes saved, across the files of the sample.
    pub spread: Spread,
}

/// Advice for all classes.
#[derive(Default)]
pub(super) struct Classes {
    pub advice: Vec<ClassAdvice>,
    by_class: HashMap<u128, usize>,
    /// Fraction of the bytes saved by the sampled classes of each schema, for its other classes.
    others: HashMap<usize, f64>,
    min_saving: f64,
    /// Errors of files whose values could not be read.
    pub unreadable: Vec<String>,
}

/// Files of a class.
#[derive(Default)]
struct Members<'a> {
    files: usize,
    bytes: u64,
    /// Paths of candidates for the sample, by hash.
    drawn: BTreeMap<u128, &'a str>,
}

impl<'a> Members<'a> {
    fn add(&mut self, read: &'a Read, options: &PlanOptions) {
        self.files += 1;
        self.bytes += read.file.bytes;
        if read.footer.rows > 0 {
            let path = read.file.path.as_str();
            let seed = options.seed.to_string();
            self.drawn.insert(hash([seed.as_str(), path]), path);
            if self.drawn.len() > options.sample_files {
                self.drawn.pop_last();
            }
        }
    }
}

impl Classes {
    /// Computes the advice for all classes.
    pub(super) fn sample(
        root: &Root,
        groups: &BTreeMap<(String, usize), Vec<Read>>,
        options: &PlanOptions,
        progress: &(dyn Fn(usize, usize) -> ControlFlow<()> + Sync),
    ) -> Result<Self> {
        let mut classes = Self {
            min_saving: options.min_saving.clamp(0.0, 1.0),
            ..Self::default()
        };
        let mut schemas: BTreeMap<usize, BTreeMap<u128, Members<'_>>> = BTreeMap::new();
        for ((_, schema), files) in groups {
            let members = schemas.entry(*schema).or_default();
            for read in files {
                members
                    .entry(read.footer.class)
                    .or_default()
                    .add(read, options);
            }
        }
        let chosen: Vec<_> = schemas
            .iter()
            .flat_map(|(schema, members)| choose(*schema, members, options.sample_files))
            .collect();
        let total = chosen.iter().map(|class| class.2).sum();
        let mut done = 0;
        for (schema, class, count) in chosen {
            let members = &schemas[&schema][&class];
            let sample: Vec<&str> = members.drawn.values().take(count).copied().collect();
            let mut advice = Vec::new();
            for path in &sample {
                match advise(root.under(path), &options.advise()).map_err(Error::from) {
                    Ok(one) => advice.push(one),
                    Err(error) if error.is_of_contents() => {
                        classes.unreadable.push(error.to_string())
                    }
                    Err(error) => return Err(error),
                }
                done += 1;
                if progress(done, total).is_break() {
                    return Err(Error::Cancelled);
                }
            }
            let advice = joined(&advice);
            classes.by_class.insert(class, classes.advice.len());
            classes.advice.push(ClassAdvice {
                class: digits(class),
                schema,
                files: members.files,
                bytes: members.bytes,
                sample: sample.into_iter().map(str::to_owned).collect(),
                rows_per_file: options.sample_rows,
                rewrite: advice.0 >= options.min_saving.clamp(0.0, 1.0) && advice.0 > 0.0,
                saved: advice.0,
                spread: advice.1,
                columns: advice.2,
            });
        }
        classes.others = classes.shares();
        Ok(classes)
    }

    /// Returns the fraction of the bytes saved by the classes of each schema, weighted by size.
    fn shares(&self) -> HashMap<usize, f64> {
        let mut sums: HashMap<usize, (f64, f64)> = HashMap::new();
        for class in &self.advice {
            let sum = sums.entry(class.schema).or_default();
            sum.0 += class.saved * class.bytes as f64;
            sum.1 += class.bytes as f64;
        }
        let shares = sums.into_iter();
        shares
            .map(|(schema, (saved, bytes))| (schema, saved / bytes.max(1.0)))
            .collect()
    }

    /// Returns the fraction of the bytes that re-encoding saves, for files worth re-encoding.
    pub(super) fn saving(&self, class: u128, schema: usize) -> Option<f64> {
        let saved = match self.by_class.get(&class) {
            Some(index) => self.advice[*index].saved,
            None => *self.others.get(&schema)?,
        };
        Some(saved).filter(|saved| *saved >= self.min_saving && *saved > 0.0)
    }
}

/// Returns the classes of a schema to sample, largest first, and the number of files to sample of
/// each: one per class while there are any left, then one more per class.
fn choose(
    schema: usize,
    members: &BTreeMap<u128, Members<'_>>,
    mut files: usize,
) -> Vec<(usize, u128, usize)> {
    let mut classes: Vec<(usize, u128, usize)> =
        members.keys().map(|class| (schema, *class, 0)).collect();
    classes.sort_by_key(|(_, class, _)| std::cmp::Reverse(members[class].bytes));
    loop {
        let before = files;
        for (_, class, count) in &mut classes {
            if files > 0 && *count < members[class].drawn.len() {
                *count += 1;
                files -= 1;
            }
        }
        if files == 0 || files == before {
            classes.retain(|(_, _, count)| *count > 0);
            return classes;
        }
    }
}

/// Joins the advice for the files of a sample: the fraction saved, its spread, and the columns.
fn joined(advice: &[Advice]) -> (f64, Spread, Vec<ColumnSaving>) {
    let (now, then) = advice.iter().fold((0, 0), |(now, then), file| {
        (now + file.bytes_now(), then + file.bytes_then())
    });
    let shares = advice.iter().map(Advice::saved).collect();
    let columns = advice.first().map_or(&[][..], |first| &first.columns);
    let columns = columns.iter().enumerate().map(|(index, first)| {
        let all: Vec<&ColumnAdvice> = advice
            .iter()
            .filter_map(|file| file.columns.get(index))
            .collect();
        column(first, &all)
    });
    (share(now, then), Spread::new(shares), columns.collect())
}

fn column(first: &ColumnAdvice, all: &[&ColumnAdvice]) -> ColumnSaving {
    let mut encodings: BTreeMap<String, u64> = BTreeMap::new();
    for column in all {
        *encodings.entry(column.encoding.to_string()).or_default() += column.bytes_now.max(1);
    }
    let most = encodings.into_iter().max_by_key(|(_, bytes)| *bytes);
    ColumnSaving {
        path: first.path.clone(),
        column_type: first.column_type.clone(),
        now: first.now.clone().unwrap_or_default(),
        encoding: most.map(|(encoding, _)| encoding).unwrap_or_default(),
        compression: first.compression.clone(),
        bytes_now: all.iter().map(|column| column.bytes_now).sum(),
        bytes_then: all.iter().map(|column| column.bytes_then).sum(),
        spread: Spread::new(all.iter().map(|column| column.saved()).collect()),
    }
}

/// Returns the fraction of the bytes that is saved.
pub(super) fn share(now: u64, then: u64) -> f64 {
    if now == 0 {
        0.0
    } else {
        1.0 - then.min(now) as f64 / now as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_median() {
        let spread = Spread::new(vec![0.4, 0.1, 0.2]);
        assert_eq!((spread.min, spread.median, spread.max), (0.1, 0.2, 0.4));
        let spread = Spread::new(vec![0.25, 0.5]);
        assert_eq!((spread.min, spread.median, spread.max), (0.25, 0.375, 0.5));
        assert_eq!(Spread::new(Vec::new()), Spread::default());
    }

    #[test]
    fn each_class_has_a_file_before_one_has_two() {
        let members = |files: usize, bytes| Members {
            files,
            bytes,
            drawn: (0..files as u128).map(|it| (it, "")).collect(),
        };
        let classes = BTreeMap::from([
            (1, members(9, 10)),
            (2, members(1, 30)),
            (3, members(9, 20)),
        ]);
        assert_eq!(choose(7, &classes, 4), [(7, 2, 1), (7, 3, 2), (7, 1, 1)]);
        assert_eq!(choose(7, &classes, 2), [(7, 2, 1), (7, 3, 1)]);
        assert_eq!(choose(7, &classes, 99), [(7, 2, 1), (7, 3, 9), (7, 1, 9)]);
        assert_eq!(choose(7, &classes, 0), []);
    }
}
