//! Decodes pages as those of a column.

use super::columns::Columns;
use super::division::{Fit, Group, PageRows};
use crate::merge::Trial;
use bytelane_parquet::Result;
use bytelane_parquet::chunk::Page;
use bytelane_parquet::format::CompressionCodec;
use bytelane_parquet::input::{InputFile, bytes_at};
use bytelane_parquet::page::{Decompressor, LevelLayout, PageKind, codec_in_parquet, read_header};
use bytes::Bytes;
use parquet::file::reader::Length;
use std::collections::HashMap;

/// Number of pages per page of a file that are decoded before a search is given up, and of any file.
const EACH: usize = 16;
const ANY: usize = 1 << 14;

/// Decoder of the pages of a segment.
pub(super) struct Fits<'a> {
    file: &'a InputFile,
    columns: &'a Columns,
    codecs: &'a [CompressionCodec],
    pages: &'a [Page],
    trials: Vec<Option<Open>>,
    known: HashMap<(usize, usize, Option<usize>), Option<PageRows>>,
    /// Number of pages that may still be decoded.
    left: usize,
}

/// Decoder of a column, and the dictionary that it has read.
struct Open {
    trial: Trial,
    dictionary: Option<(usize, bool)>,
}

impl<'a> Fits<'a> {
    pub(super) fn new(
        file: &'a InputFile,
        columns: &'a Columns,
        codecs: &'a [CompressionCodec],
        pages: &'a [Page],
    ) -> Self {
        Self {
            file,
            columns,
            codecs,
            pages,
            trials: codecs.iter().map(|_| None).collect(),
            known: HashMap::new(),
            left: ANY.saturating_add(EACH.saturating_mul(pages.len())),
        }
    }

    /// Returns the data pages of the first column of a row group, each with the number of rows that begin in it.
    pub(super) fn rows_of(&mut self, group: &Group) -> Vec<(&'a Page, u64)> {
        let start = group.start();
        let end = group.starts.get(1).copied().unwrap_or(group.end);
        let dictionary = Some(start).filter(|start| !self.pages[*start].is_data());
        let mut rows = Vec::new();
        for page in (start..end)
            .filter(|page| self.pages[*page].is_data())
            .collect::<Vec<_>>()
        {
            // A chunk without a dictionary begins with a page that was read without one.
            let begun = self.rows(page, 0, dictionary).map_or(0, |(begun, _)| begun);
            rows.push((&self.pages[page], begun));
        }
        rows
    }

    /// Returns whether a page is an intact dictionary, but not one of the only column.
    pub(super) fn is_of_other_column(&mut self, page: usize) -> bool {
        let Some(found) = self.pages.get(page).filter(|page| !page.is_data()) else {
            return false;
        };
        let bytes = bytes_of(self.file, found);
        let is_intact = bytes.is_ok_and(|bytes| !is_damaged(found, &bytes, self.codecs[0]));
        is_intact && !self.is_dictionary(page, 0)
    }

    fn open(&mut self, column: usize) -> Option<&mut Open> {
        if self.trials[column].is_none() {
            let leaf = &self.columns.leaves[column];
            let order = self.columns.orders.as_ref().and_then(|it| it.get(column));
            let trial = Trial::new(leaf, order, self.codecs[column], self.file.len()).ok()?;
            self.trials[column] = Some(Open {
                trial,
                dictionary: None,
            });
        }
        self.trials[column].as_mut()
    }

    fn decoded(
        &mut self,
        page: usize,
        column: usize,
        dictionary: Option<usize>,
    ) -> Option<PageRows> {
        self.left = self.left.checked_sub(1)?;
        if let Some(dictionary) = dictionary {
            self.is_dictionary(dictionary, column);
        }
        let found = self.pages[page].clone();
        let bytes = bytes_of(self.file, &found).ok()?;
        if is_damaged(&found, &bytes, self.codecs[column]) {
            return self.promised(&found, column);
        }
        let open = self.open(column)?;
        let read = open.dictionary.filter(|_| dictionary.is_some());
        if let Some((_, false)) = read {
            return self.promised(&found, column);
        }
        open.trial.rows(found, bytes).ok()
    }

    /// Returns the rows of a damaged page according to its header.
    fn promised(&self, page: &Page, column: usize) -> Option<PageRows> {
        let rows = match read_header(&page.header).ok()?.kind {
            PageKind::Data(data) => match self.columns.leaves[column].max_rep_level() {
                0 => Some(data.slots),
                _ => data.rows,
            },
            _ => None,
        };
        Some((rows? as u64, true))
    }
}

impl Fit for Fits<'_> {
    fn rows(&mut self, page: usize, column: usize, dictionary: Option<usize>) -> Option<PageRows> {
        let key = (page, column, dictionary);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let rows = self.decoded(page, column, dictionary);
        self.known.insert(key, rows);
        rows
    }

    fn is_dictionary(&mut self, page: usize, column: usize) -> bool {
        let found = self.pages[page].clone();
        let Ok(bytes) = bytes_of(self.file, &found) else {
            return false;
        };
        let is_damaged = is_damaged(&found, &bytes, self.codecs[column]);
        let Some(open) = self.open(column) else {
            return false;
        };
        match open.dictionary {
            Some((read, _)) if read == page => {}
            _ => {
                let is_read = open.trial.dictionary(found, bytes);
                open.dictionary = Some((page, is_read));
            }
        }
        is_damaged || open.dictionary.is_some_and(|(_, is_read)| is_read)
    }
}

fn bytes_of(file: &InputFile, page: &Page) -> Result<Bytes> {
    bytes_at(file, page.offset..page.offset + page.compressed())
}

/// Returns whether a page is damaged, whatever its column.
pub(super) fn is_damaged(page: &Page, bytes: &Bytes, codec: CompressionCodec) -> bool {
    let body = bytes.slice(page.header_length as usize..);
    let Ok(header) = read_header(&page.header) else {
        return true;
    };
    if header.check(&body).is_err() {
        return true;
    }
    let (from, size) = match header.kind {
        PageKind::Dictionary(dictionary) => (0, dictionary.uncompressed),
        PageKind::Symbols(symbols) if page.header.is_compressed() => (0, symbols.uncompressed),
        PageKind::Symbols(_) => return false,
        PageKind::Data(data) => match data.levels {
            LevelLayout::Inside { .. } => (0, data.uncompressed),
            LevelLayout::Before {
                repetition,
                definition,
                compressed: true,
            } => {
                let levels = repetition.saturating_add(definition);
                (levels, data.uncompressed.saturating_sub(levels))
            }
            LevelLayout::Before { .. } => return false,
        },
        PageKind::Other => return true,
    };
    let Some(values) = body.get(from..) else {
        return true;
    };
    if codec == CompressionCodec::Uncompressed {
        return values.len() != size;
    }
    let Ok(codec) = codec_in_parquet(codec) else {
        return false;
    };
    let decompressed = page.check_promise(codec).and_then(|()| {
        let mut to = Vec::new();
        Decompressor::new(codec)?.decompress(values, size, &mut to)
    });
    !(values.is_empty() && size == 0) && decompressed.is_err()
}
