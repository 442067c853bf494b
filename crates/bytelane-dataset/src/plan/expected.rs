//! Estimates the outcome of a run.

use super::{Action, PlanOptions, Unit};
use crate::listing::SourceFile;
use serde::{Deserialize, Serialize};

/// Estimates for a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Expected {
    /// Number of files in the new root.
    pub files_after: usize,
    /// Size of the new root in bytes.
    pub bytes_after: u64,
    /// Number of bytes read: sources twice, once to write the outputs and once for their
    /// fingerprints, and outputs once.
    pub bytes_read: u64,
    /// Number of bytes written.
    pub bytes_written: u64,
}

impl Expected {
    pub(super) fn new(units: &[Unit], left: &[SourceFile], options: &PlanOptions) -> Self {
        let mut expected = Self::default();
        let left_bytes: u64 = left.iter().map(|file| file.bytes).sum();
        expected.files_after = left.len();
        expected.bytes_after = left_bytes;
        if units.is_empty() {
            return expected;
        }
        // Copies are compared with their sources.
        expected.bytes_read = 3 * left_bytes;
        expected.bytes_written = left_bytes;
        for unit in units {
            expected.files_after += match unit.action {
                Action::Split => unit.expected_bytes.div_ceil(options.target_bytes) as usize,
                _ => 1,
            };
            expected.bytes_after += unit.expected_bytes;
            expected.bytes_read += 2 * unit.bytes + unit.expected_bytes;
            expected.bytes_written += unit.expected_bytes;
            if unit.rewrite && unit.action != Action::Rewrite {
                // The merged file is written before its columns are re-encoded.
                expected.bytes_read += unit.bytes;
                expected.bytes_written += unit.bytes;
            }
        }
        expected
    }
}
