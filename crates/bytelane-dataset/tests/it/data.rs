//! Creates data sets for tests.

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use bytelane_dataset::{PlanOptions, Verified, list, verify};
use bytelane_parquet::parquet::file::metadata::SortingColumn;
use bytelane_parquet::{Encoding, Writer, WriterOptions};
use bytelane_parquet_files::diff::{DiffOptions, diff};
use std::fs;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Directory with an old root, and room for a new one.
pub struct Lake {
    directory: TempDir,
}

impl Lake {
    pub fn empty() -> Self {
        let lake = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(lake.old()).unwrap();
        lake
    }

    /// Creates small files, files with another schema, a large file, one with bad encodings, and
    /// one that needs no changes.
    pub fn new() -> Self {
        let lake = Self::empty();
        for number in 0..5 {
            let first = number * 1000;
            lake.write(&format!("year=2024/{number}.parquet"), first..first + 1000);
        }
        lake.write_other("year=2024/other-0.parquet", 0..50);
        lake.write_other("year=2024/other-1.parquet", 50..100);
        // The same rows as in another unit.
        for number in 0..2 {
            let first = number * 1000;
            lake.write(&format!("year=2025/{number}.parquet"), first..first + 1000);
        }
        let options = plain().with_row_group_size(4000);
        lake.write_with("large.parquet", 0..24_000, options);
        lake.write_with("good.parquet", 0..2500, WriterOptions::default());
        lake
    }

    pub fn old(&self) -> PathBuf {
        self.directory.path().join("old")
    }

    pub fn new_root(&self) -> PathBuf {
        self.directory.path().join("new")
    }

    pub fn write(&self, name: &str, ids: Range<i64>) {
        self.write_with(name, ids, plain());
    }

    /// Writes a file with three columns, `id`, `name` and `price`.
    pub fn write_with(&self, name: &str, ids: Range<i64>, options: WriterOptions) {
        let names = ids.clone().map(|id| format!("name {}", id % 7));
        // No encoding makes these smaller, so sizes are proportional to the number of rows.
        let prices = ids.clone().map(|id| random(id as u64));
        self.write_columns(
            name,
            vec![
                (
                    "id",
                    Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef,
                ),
                ("name", Arc::new(StringArray::from_iter_values(names))),
                ("price", Arc::new(Float64Array::from_iter_values(prices))),
            ],
            options,
        );
    }

    /// Writes a file with one column.
    pub fn write_other(&self, name: &str, ids: Range<i64>) {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(ids));
        self.write_columns(name, vec![("id", ids)], WriterOptions::default());
    }

    pub fn write_columns(
        &self,
        name: &str,
        columns: Vec<(&str, ArrayRef)>,
        options: WriterOptions,
    ) {
        let path = self.old().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let file = fs::File::create(path).unwrap();
        let mut writer = Writer::try_new(file, batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    #[track_caller]
    pub fn verify(&self) -> Verified {
        verify(self.old(), self.new_root(), |_| ControlFlow::Continue(())).unwrap()
    }

    /// Checks that the new root has the rows of the old one, independently of `verify`: compares
    /// all files of `year=2025` at once.
    #[track_caller]
    pub fn check(&self) {
        let verified = self.verify();
        assert!(verified.is_same(), "{:?}", verified.differences);
        assert_eq!(verified.rows[0], verified.rows[1]);
        let files = |root: PathBuf| {
            let files = list(&root).unwrap().files.into_iter();
            let files = files.filter(|file| file.path.starts_with("year=2025"));
            files
                .map(move |file| root.join(file.path))
                .collect::<Vec<_>>()
        };
        let options = DiffOptions::default();
        let difference = diff(&files(self.old()), &files(self.new_root()), &options).unwrap();
        assert!(difference.is_none(), "{difference:?}");
    }
}

/// Returns a random number, which no encoding makes smaller, so that sizes are proportional to the
/// number of rows.
pub fn random(seed: u64) -> f64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    f64::from_bits((mixed ^ (mixed >> 32)) >> 2)
}

/// Returns options for encodings that can be improved.
pub fn plain() -> WriterOptions {
    WriterOptions::default().with_encoding(Encoding::Plain)
}

/// Returns options that declare a sort order by the first column.
pub fn sorted() -> WriterOptions {
    let column = SortingColumn {
        column_idx: 0,
        descending: false,
        nulls_first: false,
    };
    plain().with_sorting_columns(vec![column])
}

/// Returns plan options for files of 64 KiB.
pub fn options() -> PlanOptions {
    PlanOptions::default()
        .with_file_size(1 << 16)
        .with_row_group_size(5000)
}

/// Returns the names of the files below a root.
pub fn names(root: &Path) -> Vec<String> {
    let files = list(root).unwrap().files.into_iter();
    files.map(|file| file.path).collect()
}
