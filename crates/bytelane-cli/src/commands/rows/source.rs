//! Files whose rows are read, and the condition on them.

use super::files::Files;
use super::input::STANDARD;
use crate::backend;
use crate::search::{Partitions, Search};
use bytelane_parquet::budget::RowLimit;
use bytelane_parquet::filter::{Predicate, Selection};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct Source {
    /// Parquet files, directories, or patterns such as 'lake/year=*', as one table, or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    search: Search,
    /// Refuse files with other columns than the first one, instead of uniting them by name: in another order, missing, or with types that
    /// have a common one
    #[arg(long)]
    strict_schema: bool,
    #[command(flatten)]
    partitions: Partitions,
    /// Only rows for which this condition is true
    #[arg(long = "where", value_name = "CONDITION", long_help = WHERE)]
    condition: Option<Predicate>,
    /// Maximum number of rows of a file to decode for a condition, a new file or stats; 64 Mi, plus 1 Ki for each byte of the file by default
    #[arg(long, value_name = "ROWS")]
    row_limit: Option<u64>,
}

const WHERE: &str = "\
Only rows for which this condition is true, as in SQL:

  price > 100, = == != <> < <= > >=
  price > limit * 1.1, + - * / %
  id in (1, 2), day between '2024-01-01' and '2024-01-31'
  name is null, price - limit is not null
  name like 'a%': % stands for any characters, _ for one; ilike ignores the case
  landing - start > interval '1 hour 30 minutes'
  tags[1] = 'x', the first element of a list; [-1] is the last, and [*] any
  sizes['x'] > 3, the value of a key of a map
  and, or, not, parentheses

Texts, dates and times have single quotation marks: day >= '2024-12-31'. Bytes are x'00ff'. Names of columns may have \
double quotation marks: \"unit price\" > 1. Columns in groups are paths: item.price, items[*].price. Nulls are neither equal \
nor unequal to a value. NaN equals nothing. Integers and decimals are calculated exactly; / divides as floats.";

impl Source {
    /// Finds the files, whose rows may only be shown.
    pub fn open(&self, is_shown: bool) -> anyhow::Result<Files> {
        backend::force_from_environment()?;
        Files::find(
            &self.files,
            self.search,
            &self.partitions.types,
            self.strict_schema,
            (!is_shown).then_some(RowLimit(self.row_limit)),
        )
    }

    /// Checks that the next run would not read an output as well.
    pub fn check_output(&self, output: &Path) -> anyhow::Result<()> {
        let is_file = |path: &&PathBuf| path.as_path() != Path::new(STANDARD);
        let files: Vec<PathBuf> = self.files.iter().filter(is_file).cloned().collect();
        self.search.check_outputs(&files, &[output])
    }

    pub fn has_condition(&self) -> bool {
        self.condition.is_some()
    }

    pub fn selection(&self) -> Selection {
        let mut selection = Selection::default();
        if let Some(condition) = &self.condition {
            selection = selection.with_filter(condition.clone());
        }
        if let Some(rows) = self.row_limit {
            selection = selection.with_row_limit(rows);
        }
        selection
    }

    /// Returns the paths of the columns of the condition.
    pub fn condition_columns(&self) -> Vec<&str> {
        self.condition.iter().flat_map(Predicate::columns).collect()
    }
}
