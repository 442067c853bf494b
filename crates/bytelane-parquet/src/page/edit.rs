//! Edits pages whose values keep their encoding, while their indices or their compression change.

use super::codec::{Compressor, Decompressor, check_promise};
use super::header::{DataPage, DictionaryPage, LevelLayout, PageKind, checksum, read};
use super::levels::bits::bits;
use super::levels::empty_runs;
use super::parts::{LevelBytes, Opener, Parts, check_size};
use super::{LeafLevels, PageLevels};
use crate::budget::Budget;
use crate::format::{Encoding, PageHeader};
use crate::{Error, Problem, Result};
use bytelane::Detected;
use bytelane::rle_hybrid::{self, Format};
use bytes::Bytes;
use parquet::basic::{Compression, CompressionCodec};
use parquet::schema::types::ColumnDescriptor;

/// Editor of the pages of one column.
pub struct PageEditor {
    opener: Opener,
    decompressor: Decompressor,
    levels: PageLevels,
    repetition_bits: u32,
    definition_bits: u32,
    most: u64,
    indices: Vec<u32>,
    edited: Vec<u8>,
    /// New definition level for each old one, if they change.
    widened: Option<Vec<u8>>,
}

impl PageEditor {
    /// Creates an editor for pages of this codec, with an uncompressed size of up to `most` bytes.
    pub fn new(
        codec: CompressionCodec,
        column: &ColumnDescriptor,
        most: u64,
        budget: &Budget,
    ) -> Result<Self> {
        let level = |greatest: i16| u8::try_from(greatest).unwrap_or(u8::MAX);
        let of = LeafLevels {
            max_definition: level(column.max_def_level()),
            max_repetition: level(column.max_rep_level()),
            slot: 0,
            is_nested: false,
        };
        Ok(Self {
            opener: Opener::new(codec, column, most, budget)?,
            decompressor: Decompressor::new(codec)?,
            levels: PageLevels::new(Detected::active(), of, budget),
            repetition_bits: bits(column.max_rep_level()),
            definition_bits: bits(column.max_def_level()),
            most,
            indices: Vec::new(),
            edited: Vec::new(),
            widened: None,
        })
    }

    /// Continues with the pages of another chunk of the column.
    pub fn next_chunk(
        &mut self,
        codec: CompressionCodec,
        column: &ColumnDescriptor,
        most: u64,
        budget: &Budget,
    ) -> Result<()> {
        if self.decompressor.codec() != codec {
            self.decompressor = Decompressor::new(codec)?;
        }
        self.opener.next_chunk(codec, column, most, budget)?;
        self.levels.renew(budget);
        self.most = most;
        Ok(())
    }

    /// Sets the definition levels of the pages for a schema in which more is optional. `levels` has the new
    /// level for each old one.
    pub fn with_definition_levels(mut self, levels: Vec<u8>) -> Self {
        self.widened = Some(levels);
        self
    }

    /// Returns the definition levels of a page in the form in which they are written.
    fn definition(&self, page: &DataPage, old: &LevelBytes) -> Result<LevelBytes> {
        let Some(new) = &self.widened else {
            return Ok(old.clone());
        };
        if self.definition_bits == 0 {
            let level = new.first().copied().unwrap_or(0);
            return Ok(LevelBytes::Rle(run(page.slots, level).into()));
        }
        check_size(page.slots as u64, self.most)?;
        let mut levels = vec![0; page.slots];
        match old {
            LevelBytes::Rle(bytes) => {
                let format = Format::<u8>::new(self.definition_bits);
                let format = format.ok_or_else(|| Error::corrupt("levels of so many bits"))?;
                empty_runs::read(bytes, self.definition_bits, page.slots, |bytes| {
                    format.decode(bytes, &mut levels[..]).map(drop)
                })
                .map_err(damaged)?;
            }
            LevelBytes::BitPacked(_) => {
                let problem = "levels in the deprecated encoding BIT_PACKED of a column that becomes optional; rewrite the file before";
                return Err(Problem::Unsupported(problem.to_owned()).into());
            }
        }
        for level in &mut levels {
            let widened = new.get(usize::from(*level));
            *level =
                *widened.ok_or_else(|| Error::corrupt("a definition level that is too large"))?;
        }
        let greatest = new.iter().copied().max().unwrap_or(0);
        let format = Format::<u8>::new(bits(i16::from(greatest)));
        let format = format.ok_or_else(|| Error::corrupt("levels of so many bits"))?;
        let mut bytes = Vec::new();
        format.encode_append(&levels, &mut bytes).map_err(damaged)?;
        Ok(LevelBytes::Rle(bytes.into()))
    }

    /// Returns the values of a dictionary. `bytes` are the bytes after its header.
    pub fn dictionary(&mut self, header: &DictionaryPage, bytes: &Bytes) -> Result<Bytes> {
        let codec = self.decompressor.codec();
        if codec == CompressionCodec::UNCOMPRESSED {
            return Ok(bytes.clone());
        }
        check_promise(codec, bytes.len(), header.uncompressed)?;
        check_size(header.uncompressed as u64, self.most)?;
        let mut values = Vec::new();
        self.decompressor
            .decompress(bytes, header.uncompressed, &mut values)?;
        values.truncate(header.uncompressed);
        Ok(values.into())
    }

    /// Returns the number of rows that begin in a data page, and whether the page begins with a new row.
    pub fn rows(&mut self, page: &DataPage, bytes: &Bytes) -> Result<(usize, bool)> {
        let (repetition, definition) = self.level_bytes(page, bytes)?;
        self.levels.open(page, repetition, definition)?;
        let (_, rows) = self.levels.rows(usize::MAX);
        Ok((rows, self.levels.begins_row()))
    }

    /// Returns the number of values, without nulls, of the page whose rows were counted last.
    pub(crate) fn valid(&self) -> usize {
        self.levels.valid()
    }

    /// Returns the levels of a page. Only those of version 1 have to be decompressed, with the values.
    fn level_bytes(&mut self, page: &DataPage, bytes: &Bytes) -> Result<(LevelBytes, LevelBytes)> {
        let LevelLayout::Before {
            repetition,
            definition,
            ..
        } = page.levels
        else {
            let parts = self.opener.open(page, bytes.clone())?;
            return Ok((parts.repetition, parts.definition));
        };
        let end = repetition.checked_add(definition);
        if end.is_none_or(|end| end > bytes.len()) {
            return Err(Error::corrupt("the levels are longer than the page"));
        }
        let levels = |range| LevelBytes::Rle(bytes.slice(range));
        Ok((
            levels(0..repetition),
            levels(repetition..repetition + definition),
        ))
    }

    /// Decompresses a page and splits it into its parts.
    pub fn open(&mut self, page: &DataPage, bytes: &Bytes) -> Result<Parts> {
        self.opener.open(page, bytes.clone())
    }

    /// Recompresses a data page with `compressor`. If there is a `map`, the indices are replaced by its
    /// entries.
    pub fn edit(
        &mut self,
        header: &PageHeader,
        bytes: &Bytes,
        map: Option<&[u32]>,
        compressor: &mut Compressor,
    ) -> Result<(PageHeader, Bytes)> {
        let PageKind::Data(page) = read(header)?.kind else {
            return Err(Error::corrupt("a page without data"));
        };
        let parts = self.opener.open(&page, bytes.clone())?;
        let values = match map {
            Some(map) => self.mapped(&page, &parts, map)?,
            None => parts.values.clone(),
        };
        let definition = self.definition(&page, &parts.definition)?;
        let has_definition = self.definition_bits > 0 || self.widened.is_some();
        let levels = [&parts.repetition, &definition];
        let present = [self.repetition_bits > 0, has_definition];
        self.edited.clear();
        let mut header = header.clone();
        let mut body = Vec::new();
        let uncompressed = match page.levels {
            LevelLayout::Inside { .. } => {
                let present = levels.into_iter().zip(present).filter(|(_, is)| *is);
                present.for_each(|(levels, _)| append_levels(levels, &mut self.edited));
                self.edited.extend_from_slice(&values);
                compressor.append(&self.edited, &mut body)?;
                self.edited.len()
            }
            LevelLayout::Before { .. } => {
                levels
                    .into_iter()
                    .for_each(|it| body.extend_from_slice(it.bytes()));
                let uncompressed = body.len() + values.len();
                let is_compressed = !values.is_empty() && !compressor.is_none();
                if is_compressed {
                    compressor.append(&values, &mut body)?
                } else {
                    body.extend_from_slice(&values)
                }
                if let Some(page) = &mut header.data_page_header_v2 {
                    page.is_compressed = Some(is_compressed);
                }
                uncompressed
            }
        };
        if self.widened.is_some() {
            if let Some(page) = &mut header.data_page_header {
                page.definition_level_encoding = Encoding::Rle;
            }
            if let Some(page) = &mut header.data_page_header_v2 {
                page.definition_levels_byte_length = definition.bytes().len() as i32;
            }
        }
        set_sizes(&mut header, uncompressed, &body)?;
        Ok((header, body.into()))
    }

    /// Maps the indices of a page. Returns them, preceded by their width.
    fn mapped(&mut self, page: &DataPage, parts: &Parts, map: &[u32]) -> Result<Bytes> {
        let (repetition, definition) = (parts.repetition.clone(), parts.definition.clone());
        self.levels.open(page, repetition, definition)?;
        let valid = self.levels.valid();
        check_size((valid * size_of::<u32>()) as u64, self.most)?;
        decoded_indices(&parts.values, valid, &mut self.indices)?;
        let indices = &mut self.indices[..];
        look_up(indices, map)?;
        // The compiler vectorises this, unlike `max` of an iterator.
        let greatest = indices.iter().fold(0, |most, index| (*index).max(most));
        // Not all readers support indices of 0 bits.
        let width = (u32::BITS - greatest.leading_zeros()).max(1);
        let format = Format::<u32>::new(width)
            .ok_or_else(|| Error::corrupt(format!("indices of {width} bits")))?;
        let mut values = vec![width as u8];
        format
            .encode_append(indices, &mut values)
            .map_err(damaged)?;
        Ok(values.into())
    }
}

/// Decodes the indices of a page, which are preceded by their width.
pub(super) fn decoded_indices(values: &Bytes, valid: usize, to: &mut Vec<u32>) -> Result<()> {
    // Some writers store no bytes, not even a width, if there are no indices.
    let (width, runs) = values.split_first().unwrap_or((&0, &[]));
    let format = Format::<u32>::new(u32::from(*width))
        .ok_or_else(|| Error::corrupt(format!("indices of {width} bits")))?;
    to.resize(valid, 0);
    empty_runs::read(runs, format.width(), valid, |runs| {
        format.decode(runs, &mut to[..])
    })
    .map_err(damaged)?;
    Ok(())
}

/// Replaces indices by the entries of a map.
pub(super) fn look_up(indices: &mut [u32], map: &[u32]) -> Result<()> {
    for index in indices {
        let Some(mapped) = map.get(*index as usize) else {
            return Err(Error::corrupt(format!(
                "the index {index} into a dictionary of {} values",
                map.len()
            )));
        };
        *index = *mapped;
    }
    Ok(())
}

/// Returns a run of one level of up to 8 bits.
fn run(slots: usize, level: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut header = (slots as u64) << 1;
    while header >= 0x80 {
        bytes.push(header as u8 | 0x80);
        header >>= 7;
    }
    bytes.extend([header as u8, level]);
    bytes
}

fn append_levels(levels: &LevelBytes, to: &mut Vec<u8>) {
    if let LevelBytes::Rle(bytes) = levels {
        to.extend((bytes.len() as u32).to_le_bytes());
    }
    to.extend_from_slice(levels.bytes());
}

fn damaged(error: rle_hybrid::Error) -> Error {
    Error::corrupt(format!("the indices into the dictionary: {error}"))
}

/// Writes the sizes of a page into its header, and updates its checksum if it has one.
pub fn set_sizes(header: &mut PageHeader, uncompressed: usize, body: &[u8]) -> Result<()> {
    let size = |bytes: usize| {
        i32::try_from(bytes).map_err(|_| Error::corrupt("a page is larger than 2 GiB"))
    };
    header.uncompressed_page_size = size(uncompressed)?;
    header.compressed_page_size = size(body.len())?;
    header.crc = header.crc.map(|_| checksum([body]).cast_signed());
    Ok(())
}

/// Returns a page of `rows` null rows, for a column with an optional root. It is a page of indices if the chunk has a
/// dictionary: pyarrow takes a dictionary only from such pages.
pub fn null_page(
    column: &ColumnDescriptor,
    rows: usize,
    compression: Compression,
    has_dictionary: bool,
) -> Result<(PageHeader, Vec<u8>)> {
    let mut plain = Vec::new();
    for greatest in [column.max_rep_level(), column.max_def_level()] {
        let bits = bits(greatest);
        if bits > 0 {
            let mut levels = Vec::new();
            let format = Format::<u8>::new(bits);
            let format = format.ok_or_else(|| Error::corrupt("levels of so many bits"))?;
            let zeros = vec![0; rows];
            format.encode_append(&zeros, &mut levels).map_err(damaged)?;
            plain.extend((levels.len() as u32).to_le_bytes());
            plain.extend(levels);
        }
    }
    let encoding = if has_dictionary {
        // Number of bits of an index.
        plain.push(1);
        Encoding::RleDictionary
    } else {
        Encoding::Plain
    };
    let mut body = Vec::new();
    Compressor::new(compression)?.append(&plain, &mut body)?;
    let values = i32::try_from(rows).map_err(|_| Error::corrupt("a page of so many rows"))?;
    let mut header = PageHeader {
        data_page_header: Some(crate::format::DataPageHeader {
            num_values: values,
            encoding,
            definition_level_encoding: Encoding::Rle,
            repetition_level_encoding: Some(Encoding::Rle),
            ..Default::default()
        }),
        ..Default::default()
    };
    set_sizes(&mut header, plain.len(), &body)?;
    Ok((header, body))
}
