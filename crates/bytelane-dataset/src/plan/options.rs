//! Defines the options of plans.

use bytelane_parquet::compatibility::Readers;
#[cfg(feature = "clap")]
use bytelane_parquet::options::flags;
use bytelane_parquet::options::{
    deserialize_bytes, deserialize_compression, deserialize_name, serialize_compression,
};
use bytelane_parquet::parquet::basic::Compression;
use bytelane_parquet::{Encodings, Goal, WriterOptions, compression_name};
use bytelane_parquet_files::advise::AdviseOptions;
use bytelane_parquet_files::merge::MergeOptions;
use bytelane_parquet_files::rewrite::RewriteOptions;
#[cfg(feature = "clap")]
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use derive_setters::Setters;
use serde::{Deserialize, Serialize};

/// How to find the sort orders to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SortBy {
    /// Tries the columns of the sample.
    Auto,
}

/// Options for making a plan and for writing its outputs.
///
/// ```
/// use bytelane_dataset::PlanOptions;
///
/// let options = PlanOptions::default()
///     .with_file_size(512 << 20)
///     .with_min_saving(0.1)
///     .with_sample_files(16)
///     .with_seed(42);
/// ```
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Setters)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
#[setters(prefix = "with_", strip_option)]
#[non_exhaustive]
pub struct PlanOptions {
    /// The size that files should have: those below a quarter of it are merged, those above twice of it are split
    #[serde(deserialize_with = "deserialize_bytes")]
    #[cfg_attr(feature = "clap", arg(long, alias = "target-size", value_name = "SIZE", default_value = "256MiB", value_parser = bytelane_parquet::parse_size))]
    pub file_size: u64,
    /// Maximum number of rows of a joined row group
    #[cfg_attr(feature = "clap", arg(long, alias = "row-group-rows", value_name = "N", default_value = "1048576", value_parser = RangedU64ValueParser::<u64>::new().range(1..)))]
    pub row_group_size: u64,
    /// The share of the bytes that better encodings must save
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value = "0.05", value_parser = parse_share))]
    pub min_saving: f64,
    /// The number of files of each schema to try encodings on; 0: do not re-encode
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "8"))]
    pub sample_files: usize,
    /// The number of rows of each of these files
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "65536", value_parser = RangedU64ValueParser::<usize>::new().range(1..)))]
    pub sample_rows: usize,
    /// Seed that selects these files
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "0"))]
    pub seed: u64,
    /// Goal of the encodings
    #[serde(deserialize_with = "deserialize_name")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "GOAL", default_value_t, value_parser = flags::names(Goal::ALL, Goal::name)))]
    pub goal: Goal,
    /// Programs that must be able to read re-encoded columns, optionally with the oldest version in use; any: no restriction
    #[cfg_attr(
        feature = "clap",
        arg(long, value_name = "NAME[>=VERSION],..", default_value_t)
    )]
    pub readers: Readers,
    /// Encodings to choose from: names, or +alp to add a preview to the usual ones, which --readers must all know
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME,.."))]
    pub encodings: Option<Encodings>,
    /// Compress the columns of re-encoded files with this codec [default: unchanged]
    #[serde(
        deserialize_with = "deserialize_compression",
        serialize_with = "serialize_compression"
    )]
    #[cfg_attr(feature = "clap", arg(long, value_name = "CODEC[:LEVEL]", value_parser = bytelane_parquet::parse_compression))]
    pub compression: Option<Compression>,
    /// Say how much a sort order would save, measured on the sample, and check the orders that its files promise
    #[cfg_attr(feature = "clap", arg(long, value_name = "auto", value_parser = PossibleValuesParser::new(["auto"]).map(|_| SortBy::Auto)))]
    pub sort_by: Option<SortBy>,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            file_size: 256 << 20,
            row_group_size: 1 << 20,
            min_saving: 0.05,
            sample_files: 8,
            sample_rows: 1 << 16,
            seed: 0,
            goal: Goal::default(),
            readers: Readers::default(),
            encodings: None,
            compression: None,
            sort_by: None,
        }
    }
}

#[cfg(feature = "clap")]
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "give a share from 0 to 1, as in 0.05".to_owned())
}

impl PlanOptions {
    pub(super) fn advise(&self) -> AdviseOptions {
        let mut options = AdviseOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers.clone())
            .with_rows(self.sample_rows);
        options.encodings.clone_from(&self.encodings);
        options.compression = self.compression;
        options
    }

    /// Returns the options for writing re-encoded rows.
    pub(super) fn writer(&self) -> WriterOptions {
        let writer = WriterOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers.clone())
            .with_encodings(self.encodings.clone().unwrap_or_default());
        match self.compression {
            Some(compression) => writer.with_compression(compression),
            None => writer,
        }
    }

    /// Returns whether columns keep their compression.
    pub(super) fn keeps_compression(&self) -> bool {
        self.compression.is_none()
    }

    pub(crate) fn rewrite(&self) -> RewriteOptions {
        let mut options = RewriteOptions::default()
            .with_goal(self.goal)
            .with_readers(self.readers.clone());
        options.encodings.clone_from(&self.encodings);
        options.compression = self.compression;
        options
    }

    pub(crate) fn merge(&self) -> MergeOptions {
        MergeOptions::default()
            .with_row_group_size(self.row_group_size)
            .with_readers(self.readers.clone())
    }

    /// Returns the size to which files are merged and split.
    pub(crate) fn file_size(&self) -> u64 {
        self.file_size.max(1)
    }

    /// Returns the size below which files are merged.
    pub(super) fn small_bytes(&self) -> u64 {
        self.file_size() / 4
    }

    /// Returns the size above which files are split.
    pub(super) fn large_bytes(&self) -> u64 {
        self.file_size().saturating_mul(2)
    }

    /// Returns a text of the options that the outputs of a unit depend on.
    pub(super) fn of_outputs(&self) -> String {
        let compression = self.compression.map(compression_name).unwrap_or_default();
        let mut text = format!(
            "{} {} {} {} {compression}",
            self.file_size(),
            self.row_group_size,
            self.goal,
            self.readers
        );
        if let Some(encodings) = &self.encodings {
            text += &format!(" {encodings}");
        }
        text
    }
}
