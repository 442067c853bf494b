//! Packs the files of a partition into units.

use super::advice::Classes;
use super::{Action, PlanOptions, Read, Unit, unit_id};
use crate::listing::SourceFile;
use std::cmp::Ordering;

/// Row groups are joined if a file has this many times as many as its rows require.
const TOO_MANY: u64 = 4;

/// Units, and files to copy unchanged.
#[derive(Default)]
pub(super) struct Packed {
    pub units: Vec<Unit>,
    pub left: Vec<SourceFile>,
    /// Number of files that were not merged because their sorted ranges overlap.
    overlapping: usize,
    /// Number of files that are too large but have only one row group.
    unsplittable: usize,
    /// Number of files of which two columns have one name, with an example.
    ambiguous: usize,
    example: Option<String>,
}

/// File with the expectations for it.
struct Candidate {
    read: Read,
    /// Set if its columns are worth re-encoding.
    rewrite: bool,
    /// Estimated size in the output, in bytes.
    expected: u64,
}

impl Packed {
    /// Adds the files of a partition with the same schema.
    pub(super) fn add(&mut self, files: Vec<Read>, classes: &Classes, options: &PlanOptions) {
        let (ambiguous, files): (Vec<Read>, Vec<Read>) = files
            .into_iter()
            .partition(|file| file.footer.repeated.is_some());
        ambiguous.into_iter().for_each(|file| self.leave(file));
        let mut candidates: Vec<Candidate> = files
            .into_iter()
            .map(|read| candidate(read, classes))
            .collect();
        // Files with a declared order are sorted by it; others stay sorted by name.
        candidates.sort_by(|one, other| in_order(&one.read, &other.read));
        let mut open: Vec<Candidate> = Vec::new();
        for candidate in candidates {
            let is_small = candidate.expected < options.small_bytes();
            let is_sorted = candidate.read.footer.sorting.is_some();
            if !is_small {
                if is_sorted {
                    // A file merged from both its neighbours would have a range that includes its
                    // own.
                    self.close(&mut open, options);
                }
                self.single(candidate, options);
                continue;
            }
            if let Some(last) = open.last() {
                let bytes: u64 = open.iter().map(|it| it.expected).sum();
                let follows = follows(&last.read, &candidate.read);
                self.overlapping += usize::from(!follows);
                if !follows || bytes + candidate.expected > options.file_size() {
                    self.close(&mut open, options);
                }
            }
            open.push(candidate);
        }
        self.close(&mut open, options);
    }

    /// Leaves a file of which two columns have one name: its rows cannot be compared by name.
    fn leave(&mut self, Read { file, footer, .. }: Read) {
        self.ambiguous += 1;
        let name = footer.repeated.unwrap_or_default();
        let example = || format!("{} has two columns {name}", file.path);
        self.example.get_or_insert_with(example);
        self.left.push(file);
    }

    /// Turns the collected files into a unit.
    fn close(&mut self, open: &mut Vec<Candidate>, options: &PlanOptions) {
        let files = std::mem::take(open);
        let count = files.len();
        if count < 2 {
            files
                .into_iter()
                .for_each(|file| self.single(file, options));
            return;
        }
        let reason = format!("{count} small files");
        self.push(Action::Merge, files, reason, options);
    }

    /// Decides what to do with a single file.
    fn single(&mut self, file: Candidate, options: &PlanOptions) {
        let footer = &file.read.footer;
        let groups = footer.row_groups as u64;
        let needed = footer.rows.div_ceil(options.row_group_size.max(1)).max(1);
        let is_large = file.expected > options.large_bytes();
        let is_sorted = footer.sorting.is_some();
        self.unsplittable += usize::from(is_large && groups < 2);
        let (action, reason) = if is_large && groups > 1 {
            (Action::Split, "a large file".to_owned())
        } else if groups >= TOO_MANY * needed && !is_sorted {
            (Action::Merge, format!("{groups} small row groups"))
        } else if file.rewrite {
            (Action::Rewrite, "better encodings".to_owned())
        } else {
            self.left.push(file.read.file);
            return;
        };
        self.push(action, vec![file], reason, options);
    }

    fn push(
        &mut self,
        action: Action,
        files: Vec<Candidate>,
        mut reason: String,
        options: &PlanOptions,
    ) {
        let rewrite = files.iter().any(|file| file.rewrite);
        if rewrite && action != Action::Rewrite {
            reason += ", better encodings";
        }
        let rows = files.iter().map(|file| file.read.footer.rows).sum();
        let expected_bytes = files.iter().map(|file| file.expected).sum();
        let sources: Vec<SourceFile> = files.into_iter().map(|file| file.read.file).collect();
        self.units.push(Unit {
            id: unit_id(action, rewrite, &sources, options),
            action,
            rewrite,
            bytes: sources.iter().map(|file| file.bytes).sum(),
            rows,
            expected_bytes,
            reason,
            sources,
        });
    }

    /// Returns remarks, one sentence each.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(example) = &self.example {
            notes.push(format!(
                "files that are left unchanged, because columns are matched by name and two of theirs have one name: {}, such as: {example}; \
                 rename one of the two columns",
                self.ambiguous
            ));
        }
        if self.overlapping > 0 {
            notes.push(format!(
                "small files that were not merged with the one before, because their promised sort orders differ or their ranges overlap: {}",
                self.overlapping
            ));
        }
        if self.unsplittable > 0 {
            notes.push(format!(
                "large files that cannot be split, because they have a single row group: {}",
                self.unsplittable
            ));
        }
        notes
    }
}

fn candidate(read: Read, classes: &Classes) -> Candidate {
    let saving = classes.saving(read.footer.class, read.schema);
    let kept = 1.0 - saving.unwrap_or(0.0);
    Candidate {
        rewrite: saving.is_some(),
        expected: (read.file.bytes as f64 * kept) as u64,
        read,
    }
}

/// Compares files by their declared order, then by name.
fn in_order(one: &Read, other: &Read) -> Ordering {
    let order = match (&one.footer.sorting, &other.footer.sorting) {
        (Some(own), Some(other)) => own.compare(other),
        (own, other) => own.is_some().cmp(&other.is_some()),
    };
    order.then_with(|| one.file.path.cmp(&other.file.path))
}

/// Returns whether a file may follow another in an output without violating an order that both
/// declare.
fn follows(last: &Read, next: &Read) -> bool {
    match (&last.footer.sorting, &next.footer.sorting) {
        (Some(last), Some(next)) => last.is_followed_by(next),
        (None, None) => true,
        _ => false,
    }
}
