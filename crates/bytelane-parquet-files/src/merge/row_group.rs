//! Joins the columns of row groups.

use super::encode::Encoding;
use super::input::RowGroup;
use super::join::{Input, Join};
use super::meaning::Converting;
use super::outcome::{MergedPages, Notes};
use super::plan::Plan;
use arrow_schema::DataType;
use bytelane_parquet::catch_panic::catch_panic;
use bytelane_parquet::choice::Learned;
use bytelane_parquet::chunk::Chunk;
use bytelane_parquet::types::fields::{children, leaves};
use bytelane_parquet::{Error, Problem, Result};
use parquet::basic::Compression;
use std::ops::Range;

/// New chunk of a leaf.
pub(super) struct Leaf {
    pub chunk: Chunk,
    /// Its pages by operation.
    pub pages: MergedPages,
    /// Compression of new pages; `None` if all were copied.
    pub compression: Option<Compression>,
    /// Size of the chunks read, in bytes.
    pub before: u64,
}

impl Leaf {
    fn encoded(chunk: Chunk, compression: Compression, before: u64) -> Self {
        let encoded = chunk.page_starts().map_or(1, |pages| pages.len() as u64);
        Self {
            pages: MergedPages {
                encoded,
                ..MergedPages::default()
            },
            chunk,
            compression: Some(compression),
            before,
        }
    }
}

/// Joins the chunks of a column.
pub(super) struct Joining<'a> {
    pub plan: &'a Plan<'a>,
    pub groups: &'a [RowGroup],
    pub root: usize,
    pub leaves: Range<usize>,
    /// Set if all pages are re-encoded.
    pub fresh: bool,
}

impl Joining<'_> {
    /// Adds the column to an error, and the file if there is only one.
    pub(super) fn located(&self, error: Error) -> Error {
        let error = error.in_column(self.plan.columns.roots[self.root].name());
        match self.groups {
            [first, others @ ..] if others.iter().all(|it| it.path == first.path) => {
                error.in_file(&first.path)
            }
            _ => error,
        }
    }

    /// Returns the uncompressed size of the column in the first row group that has it, 0 if it is unknown.
    pub(super) fn typical_bytes(&self) -> i64 {
        let place = |group: &RowGroup| self.plan.columns.place(&group.layout, self.root);
        let mut placed = self.groups.iter().filter_map(|it| Some((it, place(it)?)));
        let Some((group, place)) = placed.next() else {
            return 0;
        };
        let described = &group.file.footer.row_groups[group.index];
        let chunks = described.columns.iter().skip(place.leaf).take(place.leaves);
        let chunks = chunks.filter_map(|chunk| chunk.decode().ok());
        let bytes = chunks.map(|chunk| chunk.meta_data.total_uncompressed_size);
        bytes.fold(0, i64::saturating_add)
    }

    pub(super) fn chunks(&self, notes: &mut Notes, learned: &mut Learned) -> Result<Vec<Leaf>> {
        if self.plan.columns.roots[self.root].is_converted {
            return self.converted(notes, learned);
        }
        let is_ordered = (0..self.leaves.len()).any(|it| self.plan.order(self.root, it).is_some());
        let inputs = (0..self.leaves.len()).map(|number| self.inputs(number));
        let inputs = inputs.collect::<Result<Vec<_>>>()?;
        if self.is_scrubbed() {
            return self.scrubbed(&inputs, learned);
        }
        let mut notes_of_joined = Notes::default();
        let is_split = self.is_split(&inputs);
        let joined = if is_ordered && !is_split {
            // New pages would not be better: the dictionary must have all entries in their order.
            let joined = self.joined(&inputs, true, &mut notes_of_joined)?;
            notes.append(notes_of_joined);
            return joined.ok_or_else(|| Error::corrupt("the dictionaries cannot be joined"));
        } else if self.fresh || is_split {
            None
        } else {
            self.joined(&inputs, false, &mut notes_of_joined)?
        };
        let bytes = |chunks: &[Leaf]| chunks.iter().map(|leaf| leaf.chunk.bytes()).sum::<u64>();
        let before: u64 = inputs.iter().map(|inputs| bytes_of(inputs)).sum();
        let is_small = |chunks: &Vec<Leaf>| {
            // Copied pages are never larger, except that a part of a row group may have its whole
            // dictionary. Without rows that were deleted, this is rarely worth encoding all values.
            let is_copy =
                |Leaf { pages, .. }: &Leaf| pages.mapped + pages.recompressed + pages.joined == 0;
            let has_parts = self.groups.iter().any(|group| group.part.is_some());
            let is_little = !has_parts || bytes(chunks) <= before + before / 16;
            let is_copy = chunks.iter().all(is_copy) && is_little;
            is_copy || self.plan.keeps_pages || bytes(chunks) <= before
        };
        let joined = match joined {
            Some(joined) if is_small(&joined) => {
                notes.append(notes_of_joined);
                return Ok(joined);
            }
            other => other,
        };
        let encoding = Encoding {
            groups: self.groups,
            plan: self.plan,
            root: self.root,
            inputs: &inputs,
            without_dictionaries: !self.fresh && !is_split && joined.is_none() && inputs.len() == 1,
            scrubs: false,
        };
        let encoded = catch_panic(|| encoding.chunks(learned))?;
        match (joined, encoded) {
            (Some(joined), Some(encoded)) if bytes(&joined) <= bytes_of_chunks(&encoded.0) => {
                notes.append(notes_of_joined);
                Ok(joined)
            }
            (Some(joined), None) => {
                notes.append(notes_of_joined);
                Ok(joined)
            }
            (_, Some(encoded)) => self.encoded(&inputs, encoded, notes),
            (None, None) if is_split && self.plan.readers.include_spark() => {
                let problem = "joining pages of values and of a dictionary, which Spark misreads, of values that exceed the memory limit; \
                     allow more memory, or leave out spark from the readers";
                Err(Error::new(Problem::Unsupported(problem.to_owned())))
            }
            // Values that exceed the memory limit keep their dictionaries, regardless of their
            // size.
            (None, None) => {
                if is_split && !self.plan.readers.allow_late_indices() {
                    let name = self.plan.columns.roots[self.root].name();
                    notes.add(format!(
                        "column {name} has pages of values before pages of a dictionary, which Spark misreads: its values exceed the memory limit"
                    ));
                }
                self.joined(&inputs, true, notes)?
                    .ok_or_else(|| Error::corrupt("the dictionaries cannot be joined"))
            }
        }
    }

    /// Returns whether nothing may be left of deleted values.
    fn is_scrubbed(&self) -> bool {
        let has_lost = |group: &RowGroup| group.is_rest;
        self.plan.scrubs_all || self.plan.scrubs && self.groups.iter().any(has_lost)
    }

    /// Encodes the values that are left.
    fn scrubbed(&self, inputs: &[Vec<Input>], learned: &mut Learned) -> Result<Vec<Leaf>> {
        let encoding = Encoding {
            groups: self.groups,
            plan: self.plan,
            root: self.root,
            inputs,
            without_dictionaries: false,
            scrubs: true,
        };
        let encoded = catch_panic(|| encoding.chunks(learned))?;
        let (chunks, compression) = encoded.ok_or_else(|| {
            let problem = "scrubbing a column whose values cannot be encoded again, or exceed the memory limit";
            Error::new(Problem::Unsupported(problem.to_owned()))
        })?;
        let chunks = chunks.into_iter().zip(inputs);
        let leaf = |(chunk, inputs): (Chunk, &Vec<Input>)| {
            Leaf::encoded(chunk, compression, bytes_of(inputs))
        };
        Ok(chunks.map(leaf).collect())
    }

    /// Returns whether joined pages would have indices after values where this is a problem: pyarrow makes several arrays of values
    /// that are dictionaries in Arrow, and refuses them in lists, maps and structs; Spark returns wrong values of any column.
    fn is_split(&self, inputs: &[Vec<Input>]) -> bool {
        // Nulls are read as such with any dictionary.
        let has_late = |inputs: &Vec<Input>| has_late_indices(inputs, false);
        let readers = &self.plan.readers;
        let is_avoided = match self.plan.keeps_pages || self.plan.repair.is_some() {
            // They are those of the input, and some may be damaged.
            true => readers.include_spark(),
            false => !readers.allow_late_indices(),
        };
        if is_avoided && inputs.iter().any(has_late) {
            return true;
        }
        let fields = self.plan.columns.roots[self.root].field.iter();
        let fields = fields.filter(|field| !children(field.data_type()).is_empty());
        fields.flat_map(leaves).zip(inputs).any(|(leaf, inputs)| {
            matches!(leaf.data_type(), DataType::Dictionary(..)) && has_late_indices(inputs, true)
        })
    }

    /// Encodes converted values.
    fn converted(&self, notes: &mut Notes, learned: &mut Learned) -> Result<Vec<Leaf>> {
        let converting = Converting {
            plan: self.plan,
            groups: self.groups,
            root: self.root,
        };
        let (chunks, compression, before) = catch_panic(|| converting.chunks(learned))?;
        let had_filter = |group: &RowGroup| {
            let place = self.plan.columns.place(&group.layout, self.root)?;
            let described = &group.file.footer.row_groups[group.index];
            let chunks = described
                .columns
                .get(place.leaf..place.leaf + place.leaves)?;
            let chunks = chunks.iter().filter_map(|chunk| chunk.decode().ok());
            chunks
                .into_iter()
                .find_map(|it| it.meta_data.bloom_filter_offset)
        };
        if self.groups.iter().any(|group| had_filter(group).is_some()) {
            notes.add(format!(
                "Bloom filters of column {} were left out: its values were converted",
                self.plan.columns.roots[self.root].name()
            ));
        }
        let count = chunks.len().max(1) as u64;
        let leaf = |chunk| Leaf::encoded(chunk, compression, before / count);
        Ok(chunks.into_iter().map(leaf).collect())
    }

    /// Joins the chunks page by page; `None` if the joined dictionary of a leaf is too large.
    fn joined(
        &self,
        inputs: &[Vec<Input>],
        any_dictionary: bool,
        notes: &mut Notes,
    ) -> Result<Option<Vec<Leaf>>> {
        let mut chunks = Vec::new();
        for (leaf, inputs) in self.leaves.clone().zip(inputs) {
            let join = self.join(leaf, inputs, any_dictionary);
            let joined = join.chunk(notes);
            let joined = joined.map_err(|error| error.in_column(join.column.path().string()))?;
            let Some((chunk, pages, compression)) = joined else {
                return Ok(None);
            };
            chunks.push(Leaf {
                chunk,
                pages,
                compression,
                before: bytes_of(inputs),
            });
        }
        Ok(Some(chunks))
    }

    /// Adds the inputs' metadata of a column's values to its re-encoded chunks.
    fn encoded(
        &self,
        inputs: &[Vec<Input>],
        (chunks, compression): (Vec<Chunk>, Compression),
        notes: &mut Notes,
    ) -> Result<Vec<Leaf>> {
        let chunks = self.leaves.clone().zip(inputs).zip(chunks);
        let chunks = chunks.map(|((leaf, inputs), mut chunk)| {
            self.join(leaf, inputs, false)
                .describe_encoded(&mut chunk, notes)?;
            Ok(Leaf::encoded(chunk, compression, bytes_of(inputs)))
        });
        chunks.collect()
    }

    fn join<'a>(&'a self, leaf: usize, inputs: &'a [Input], any_dictionary: bool) -> Join<'a> {
        Join {
            column: &self.plan.schema.columns()[leaf],
            inputs,
            compare: self.plan.compare(leaf),
            any_dictionary,
            order: self.plan.order(self.root, leaf - self.leaves.start),
        }
    }

    /// Reads the chunks of a leaf of the column.
    fn inputs(&self, number: usize) -> Result<Vec<Input>> {
        let read = self.groups.iter().map(|group| {
            match self.plan.columns.place(&group.layout, self.root) {
                None => Ok(Input::Missing(group.rows)),
                Some(place) => {
                    let leaf = group.leaf(
                        self.plan,
                        place,
                        self.root,
                        (number, self.leaves.start + number),
                    );
                    let leaf = leaf.map_err(|error| group.located(error))?;
                    Ok(Input::Leaf(Box::new(leaf)))
                }
            }
        });
        let mut inputs = read.collect::<Result<Vec<_>>>()?;
        if !share_symbols(&inputs) {
            let column = &self.plan.schema.columns()[self.leaves.start + number];
            for (input, group) in inputs.iter_mut().zip(self.groups) {
                if let Input::Leaf(leaf) = input {
                    let replaced = leaf.replace_codes(column);
                    replaced.map_err(|error| group.located(error))?;
                }
            }
        }
        Ok(inputs)
    }
}

/// Returns whether pages in FSST fit into one chunk: all chunks have the same page of symbols. Filters of several are not kept, as they
/// may have to be made from the values.
fn share_symbols(inputs: &[Input]) -> bool {
    let known = |input: &Input| match input {
        Input::Leaf(leaf) if inputs.len() == 1 || leaf.bloom_filter.is_none() => {
            Some((leaf.symbols()?.bytes.clone(), leaf.metadata().codec))
        }
        _ => None,
    };
    let mut all = inputs.iter().map(known);
    let first = all.next().flatten();
    first.is_some() && all.all(|other| other == first)
}

fn bytes_of_chunks(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(Chunk::bytes).sum()
}

fn bytes_of(inputs: &[Input]) -> u64 {
    let bytes = inputs.iter().map(|input| match input {
        Input::Leaf(leaf) => leaf.bytes,
        Input::Missing(_) => 0,
    });
    bytes.sum()
}

/// Returns whether a page of indices follows one of values, or, if these count, one of nulls that stands for a missing column.
fn has_late_indices(inputs: &[Input], missing_count: bool) -> bool {
    let mut has_values = false;
    inputs.iter().any(|input| match input {
        Input::Missing(_) => {
            has_values |= missing_count;
            false
        }
        Input::Leaf(leaf) => leaf.data_pages().any(|page| {
            let is_index = page.uses_dictionary();
            has_values |= !is_index;
            is_index && has_values
        }),
    })
}
