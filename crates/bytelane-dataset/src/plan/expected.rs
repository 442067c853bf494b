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
    /// Number of requests to read the sources, if they are on a store.
    #[serde(default)]
    pub read_requests: u64,
    /// Number of requests to write the new root and its journal, if it is on a store.
    #[serde(default)]
    pub write_requests: u64,
}

/// Number of bytes of an object that one request reads.
const READ_BYTES: u64 = 8 << 20;

/// Number of bytes of an object that one request writes, and of a part of a larger object.
const WRITE_BYTES: (u64, u64) = (64 << 20, 16 << 20);

/// Number of requests at the start and the end of a run: to list both roots, to try the store, and to write
/// the plan and the mark of completion.
const ALWAYS: u64 = 12;

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
        expected.write_requests = ALWAYS;
        for file in left {
            expected.add_requests(&[file], 1, file.bytes);
        }
        for unit in units {
            let files = match unit.action {
                Action::Split => unit.expected_bytes.div_ceil(options.file_size()).max(1),
                _ => 1,
            };
            expected.files_after += files as usize;
            let sources: Vec<&SourceFile> = unit.sources.iter().collect();
            expected.add_requests(&sources, files, unit.expected_bytes);
            // The segment of the journal.
            expected.write_requests += 1;
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

    fn add_requests(&mut self, sources: &[&SourceFile], files: u64, bytes: u64) {
        let reads = |file: &&SourceFile| file.bytes.div_ceil(READ_BYTES);
        self.read_requests += sources.iter().map(reads).sum::<u64>();
        let each = bytes / files;
        let writes = if each <= WRITE_BYTES.0 {
            1
        } else {
            // It is started, completed, copied to its final key, and its temporary key is deleted.
            each.div_ceil(WRITE_BYTES.1) + 5
        };
        self.write_requests += files * writes;
    }
}
