//! Joins the chunks of a leaf.

use super::add::{Adder, Prepared};
use super::codec::target;
use super::dictionary::{Dictionary, Map};
use super::dictionary_of;
use super::entry::Editors;
use super::estimate::Sizes;
use super::{Input, Join};
use crate::merge::leaf::{Leaf, StoredPage};
use crate::merge::outcome::{MergedPages, Notes};
use bytelane_parquet::chunk::Chunk;
use bytelane_parquet::format::{
    CompressionCodec, DictionaryPageHeader, Encoding, PageHeader, PageType,
};
use bytelane_parquet::page::set_sizes;
use bytelane_parquet::types::physical;
use bytelane_parquet::{Error, Result};
use parquet::basic::{Compression, Type};

impl Join<'_> {
    /// Returns the joined chunk, and the compression of its new pages if it has any; `None` if the joined dictionary would be so large that re-encoding
    /// the values is better.
    pub(in crate::merge) fn chunk(
        &self,
        notes: &mut Notes,
    ) -> Result<Option<(Chunk, MergedPages, Option<Compression>)>> {
        let mut dictionary = Dictionary::new(match self.column.physical_type() {
            Type::BYTE_ARRAY => None,
            _ => Some(physical::width(self.column).unwrap_or(1)),
        });
        if let Some(order) = self.order {
            dictionary.add(&order.bytes, order.count, u32::MAX as usize)?;
        }
        let sizes = self.sizes()?;
        if !self.any_dictionary && self.is_hopeless(&sizes)? {
            return Ok(None);
        }
        let limit = if self.any_dictionary {
            u32::MAX as usize
        } else {
            sizes.limit()
        };
        let mut editors = Editors::new(self.column);
        let Some(prepared) = self.prepared(&mut editors, &mut dictionary, limit)? else {
            return Ok(None);
        };
        if !self.any_dictionary && sizes.grow(dictionary.len(), dictionary.bytes().len()) {
            return Ok(None);
        }
        let is_mapped = prepared.iter().any(|it| it.map.is_some());
        let codec = target(self.leaves().map(Leaf::metadata), is_mapped)?;
        // Entries of the first dictionary keep their indices, unless it has duplicates.
        let mut with_dictionary = prepared.iter().filter(|it| it.has_dictionary);
        let is_first = with_dictionary.next().is_some_and(|it| it.map.is_none());
        let mut adder = Adder::new(self, codec, prepared, editors)?;
        self.add_dictionary(&dictionary, is_first, codec, &mut adder)?;
        // All chunks have the same symbols, or none.
        if let Some(StoredPage { page, bytes }) = self.leaves().find_map(Leaf::symbols) {
            let bytes = bytes.clone();
            let pages = &mut adder.pages;
            pages.add_copy(&page.header, page.header_length, bytes, None)?;
        }
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
            compression,
            ..
        } = adder;
        let cut: u64 = self.leaves().map(|leaf| leaf.cut).sum();
        let counts = MergedPages {
            cut: cut.min(counts.copied),
            copied: counts.copied.saturating_sub(cut),
            ..counts
        };
        self.described(pages, &entries, codec, notes)
            .map(|chunk| Some((chunk, counts, compression)))
    }

    /// Returns the dictionary page of a chunk if its indices have to be mapped.
    fn dictionary_page<'l>(&self, leaf: &'l Leaf) -> Result<Option<&'l StoredPage>> {
        if self.is_copy() || !leaf.data_pages().any(StoredPage::uses_dictionary) {
            return Ok(None);
        }
        let page = leaf.dictionary();
        page.map(Some)
            .ok_or_else(|| Error::corrupt("a page of indices, but no dictionary"))
    }

    fn sizes(&self) -> Result<Sizes> {
        let mut sizes = Sizes::default();
        for leaf in self.leaves() {
            if let Some(page) = self.dictionary_page(leaf)? {
                sizes.add(leaf, page)?;
            }
        }
        Ok(sizes)
    }

    /// Adds the dictionaries of all inputs to the joined one; `None` if it exceeds `limit` bytes.
    fn prepared(
        &self,
        editors: &mut Editors<'_>,
        dictionary: &mut Dictionary,
        limit: usize,
    ) -> Result<Option<Vec<Prepared>>> {
        let mut all: Vec<Prepared> = Vec::new();
        let mut last: Option<(&StoredPage, CompressionCodec, Map)> = None;
        for (number, leaf) in self.leaves().enumerate() {
            let Some(page) = self.dictionary_page(leaf)? else {
                all.push(Prepared {
                    has_dictionary: false,
                    map: None,
                });
                continue;
            };
            let codec = leaf.metadata().codec;
            let map = match &last {
                // Files of one writer often have the same dictionary.
                Some((same, its_codec, map)) if *its_codec == codec && same.bytes == page.bytes => {
                    map.clone()
                }
                _ => {
                    let (bytes, count) = dictionary_of(page, editors.of(number, leaf)?)?;
                    let Some(map) = dictionary.add(&bytes, count, limit)? else {
                        return Ok(None);
                    };
                    map
                }
            };
            last = Some((page, codec, map.clone()));
            all.push(Prepared {
                has_dictionary: true,
                map,
            });
        }
        Ok(Some(all))
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
            .filter(|leaf| leaf.data_pages().any(StoredPage::uses_dictionary));
        let used: Vec<&Leaf> = used.collect();
        let old: Vec<&StoredPage> = used.iter().filter_map(|leaf| leaf.dictionary()).collect();
        if used.is_empty() && self.order.is_none() {
            return Ok(());
        }
        if old.len() < used.len() {
            return Err(Error::corrupt("a page of indices, but no dictionary"));
        }
        let count = |page: &StoredPage| {
            let header = page.page.header.dictionary_page_header.as_ref();
            header.map_or(0, |it| it.num_values)
        };
        let is_same = |first: &StoredPage| {
            let has_all = is_first && usize::try_from(count(first)) == Ok(dictionary.len());
            (has_all || self.is_copy()) && used[0].metadata().codec == codec
        };
        let first = old.first();
        if let Some(first) = first.filter(|first| is_same(first)) {
            let page = &first.page;
            let bytes = first.bytes.clone();
            return adder
                .pages
                .add_copy(&page.header, page.header_length, bytes, None);
        }
        let header = first.and_then(|it| it.page.header.dictionary_page_header.as_ref());
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
