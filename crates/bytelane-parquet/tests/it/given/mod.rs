//! Reads the caller's own files: a directory of raw `.f32` and `.f64` files in `BYTELANE_FLOATS`.

use arrow_array::{ArrayRef, Float32Array, Float64Array};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the files, with the numbers in each.
pub fn columns() -> Vec<(PathBuf, ArrayRef)> {
    let directory = std::env::var_os("BYTELANE_FLOATS")
        .expect("BYTELANE_FLOATS names a directory of .f32 and .f64 files");
    let paths = fs::read_dir(directory).unwrap();
    let paths = paths.map(|entry| entry.unwrap().path());
    let columns: Vec<_> = paths
        .filter_map(|path| Some((path.clone(), column(&path)?)))
        .collect();
    assert!(
        !columns.is_empty(),
        "no .f32 or .f64 file in BYTELANE_FLOATS"
    );
    columns
}

fn column(path: &Path) -> Option<ArrayRef> {
    let ending = path.extension()?.to_str()?;
    let bytes = || fs::read(path).unwrap();
    match ending {
        "f32" => {
            let bytes = bytes();
            let values = bytes.as_chunks().0.iter();
            let values = values.map(|bytes| f32::from_le_bytes(*bytes));
            Some(Arc::new(Float32Array::from_iter_values(values)))
        }
        "f64" => {
            let bytes = bytes();
            let values = bytes.as_chunks().0.iter();
            let values = values.map(|bytes| f64::from_le_bytes(*bytes));
            Some(Arc::new(Float64Array::from_iter_values(values)))
        }
        _ => None,
    }
}
