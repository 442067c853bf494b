//! Joins the chunks of a leaf.

use super::add::{Adder, Prepared};
use super::codec::target;
use super::dictionary::Dictionary;
use super::entry::editor;
use crate::chunk::Chunk;
use crate::format::{CompressionCodec, DictionaryPageHeader, Encoding, PageHeader, PageType};
use crate::merge::input::{Leaf, StoredPage, dictionary_of};
use crate::merge::outcome::{MergedPages, Notes};
use crate::page::set_sizes;
use crate::statistics::Compare;
use crate::types::physical;
use crate::{Error, Result};
use parquet::basic::Type;
use parquet::schema::types::ColumnDescriptor;

/// Maximum size of a joined dictionary in bytes, unless that of an input is larger.
const DICTIONARY: usize = 1 << 20;

/// Number of bytes by which the growth of indices may exceed the savings on dictionaries.
const SLACK: u64 = 4096;

/// Chunk of an input.
pub(in crate::merge) enum Input {
    Leaf(Box<Leaf>),
    /// Number of rows, all null.
    Missing(u64),
}

/// Joins the chunks of a leaf.
pub(in crate::merge) struct Join<'a> {
    pub column: &'a ColumnDescriptor,
    pub inputs: &'a [Input],
    /// Order of the bounds, if it is the same in all inputs.
    pub compare: Option<Compare>,
    /// Set if dictionaries of any size may be joined.
    pub any_dictionary: bool,
}

impl Join<'_> {
    /// Returns whether there is nothing to join.
    fn is_copy(&self) -> bool {
        self.inputs.len() == 1
    }

    pub(super) fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.inputs.iter().filter_map(|input| match input {
            Input::Leaf(leaf) => Some(&**leaf),
            Input::Missing(_) => None,
        })
    }

    /// Returns the joined chunk; `None` if the joined dictionary would be so large that re-encoding
    /// the values is better.
    pub(in crate::merge) fn chunk(
        &self,
        notes: &mut Notes,
    ) -> Result<Option<(Chunk, MergedPages)>> {
        let mut dictionary = Dictionary::new(match self.column.physical_type() {
            Type::BYTE_ARRAY => None,
            _ => Some(physical::width(self.column).unwrap_or(1)),
        });
        let mut prepared = Vec::new();
        let mut sizes = Sizes::default();
        for leaf in self.leaves() {
            match self.prepare(leaf, &mut dictionary, &mut sizes)? {
                Some(input) => prepared.push(input),
                None => return Ok(None),
            }
        }
        if !self.any_dictionary && sizes.grow(dictionary.len(), dictionary.bytes().len()) {
            return Ok(None);
        }
        let is_mapped = prepared.iter().any(|it| it.map.is_some());
        let codec = target(self.leaves().map(Leaf::metadata), is_mapped)?;
        // Entries of the first dictionary keep their indices, unless it has duplicates.
        let mut with_dictionary = prepared.iter().filter(|it| it.has_dictionary);
        let is_first = with_dictionary.next().is_some_and(|it| it.map.is_none());
        let mut adder = Adder::new(self, codec, prepared)?;
        self.add_dictionary(&dictionary, is_first, codec, &mut adder)?;
        let mut number = 0;
        for input in self.inputs {
            match input {
                Input::Missing(rows) => adder.nulls(*rows)?,
                Input::Leaf(leaf) => {
                    adder.leaf(leaf, number)?;
                    number += 1;
                }
            }
        }
        adder.flush()?;
        let Adder {
            pages,
            entries,
            counts,
            ..
        } = adder;
        self.described(pages, &entries, codec, notes)
            .map(|chunk| Some((chunk, counts)))
    }

    /// Adds the dictionary of an input to the joined one; `None` if the result is too large.
    fn prepare(
        &self,
        leaf: &Leaf,
        dictionary: &mut Dictionary,
        sizes: &mut Sizes,
    ) -> Result<Option<Prepared>> {
        if self.is_copy() || !leaf.data_pages().any(uses_dictionary) {
            return Ok(Some(Prepared {
                editor: None,
                has_dictionary: false,
                map: None,
            }));
        }
        let Some(page) = leaf.dictionary() else {
            return Err(Error::corrupt("a page of indices, but no dictionary"));
        };
        let mut editor = editor(leaf, self.column)?;
        let (bytes, count) = dictionary_of(page, &mut editor)?;
        let limit = if self.any_dictionary {
            u32::MAX as usize
        } else {
            DICTIONARY.max(bytes.len())
        };
        let indices = leaf.data_pages().filter(|page| uses_dictionary(page));
        let values = indices.map(|page| page.page.values()).sum();
        sizes.add(values, count, bytes.len());
        let map = dictionary.add(&bytes, count, limit)?;
        Ok(map.map(|map| Prepared {
            editor: Some(editor),
            has_dictionary: true,
            map,
        }))
    }

    /// Adds the dictionary page. Copies that of an input if it is the same.
    fn add_dictionary(
        &self,
        dictionary: &Dictionary,
        is_first: bool,
        codec: CompressionCodec,
        adder: &mut Adder<'_>,
    ) -> Result<()> {
        let used = self
            .leaves()
            .filter(|leaf| leaf.data_pages().any(uses_dictionary));
        let used: Vec<&Leaf> = used.collect();
        let old: Vec<&StoredPage> = used.iter().filter_map(|leaf| leaf.dictionary()).collect();
        if used.is_empty() {
            return Ok(());
        }
        let count = |page: &StoredPage| {
            let header = page.page.header.dictionary_page_header.as_ref();
            header.map_or(0, |it| it.num_values)
        };
        let Some(first) = old.first() else {
            return Err(Error::corrupt("a page of indices, but no dictionary"));
        };
        let is_same = is_first && usize::try_from(count(first)) == Ok(dictionary.len());
        let is_same = is_same || self.is_copy();
        if is_same && used[0].metadata().codec == codec {
            let page = &first.page;
            let bytes = first.bytes.clone();
            return adder
                .pages
                .add_copy(&page.header, page.header_length, bytes, None);
        }
        let header = first.page.header.dictionary_page_header.as_ref();
        let mut header = PageHeader {
            page_type: PageType::DictionaryPage,
            crc: old
                .iter()
                .any(|it| it.page.header.crc.is_some())
                .then_some(0),
            dictionary_page_header: Some(DictionaryPageHeader {
                num_values: i32::try_from(dictionary.len())
                    .map_err(|_| Error::corrupt("a dictionary of too many values"))?,
                encoding: header.map_or(Encoding::Plain, |it| it.encoding),
                is_sorted: None,
                ..Default::default()
            }),
            ..Default::default()
        };
        let mut body = Vec::new();
        adder.compressor()?.append(dictionary.bytes(), &mut body)?;
        set_sizes(&mut header, dictionary.bytes().len(), &body)?;
        adder.pages.add_new(&header, body.into(), None)
    }
}

/// Returns whether a page has dictionary indices.
pub(in crate::merge) fn uses_dictionary(page: &StoredPage) -> bool {
    let encoding = page.page.encoding();
    matches!(
        encoding,
        Some(Encoding::RleDictionary | Encoding::PlainDictionary)
    )
}

/// Sizes of dictionaries and of their indices before they are joined.
#[derive(Default)]
struct Sizes {
    dictionaries: u64,
    /// Number of values and width of their indices in bits, for each input.
    indices: Vec<(u64, u32)>,
}

impl Sizes {
    fn add(&mut self, values: i64, entries: usize, bytes: usize) {
        self.dictionaries += bytes as u64;
        self.indices.push((values.unsigned_abs(), width(entries)));
    }

    /// Returns whether indices into `entries` entries grow by more than a dictionary of `bytes`
    /// bytes saves.
    fn grow(&self, entries: usize, bytes: usize) -> bool {
        let wider = |(values, old): &(u64, u32)| {
            values * u64::from(width(entries).saturating_sub(*old)) / 8
        };
        let more: u64 = self.indices.iter().map(wider).sum();
        more > self.dictionaries.saturating_sub(bytes as u64) + SLACK
    }
}

/// Returns the number of bits of an index into `entries` entries.
fn width(entries: usize) -> u32 {
    usize::BITS - entries.saturating_sub(1).leading_zeros()
}
