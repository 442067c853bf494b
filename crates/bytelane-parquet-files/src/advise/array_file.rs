//! Reads arrays of numbers from files: raw files, whose extension gives the type, and NumPy's `.npy`.

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::Buffer;
use bytelane_parquet::{Error, InputFile, Problem, Result, input};
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Number type.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// NumPy's name of the type.
    name: &'static str,
    width: usize,
    array: fn(Buffer) -> ArrayRef,
}

fn array<T: ArrowPrimitiveType>(bytes: Buffer) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(bytes.into(), None))
}

const fn element<T: ArrowPrimitiveType>(name: &'static str) -> Element {
    Element {
        name,
        width: size_of::<T::Native>(),
        array: array::<T>,
    }
}

const ELEMENTS: [Element; 11] = [
    element::<Float16Type>("f2"),
    element::<Float32Type>("f4"),
    element::<Float64Type>("f8"),
    element::<Int8Type>("i1"),
    element::<Int16Type>("i2"),
    element::<Int32Type>("i4"),
    element::<Int64Type>("i8"),
    element::<UInt8Type>("u1"),
    element::<UInt16Type>("u2"),
    element::<UInt32Type>("u4"),
    element::<UInt64Type>("u8"),
];

/// File extensions of raw little-endian numbers, with NumPy's names of their types.
pub const RAW_ENDINGS: [(&str, &str); 6] = [
    ("f32", "f4"),
    ("sp", "f4"),
    ("f64", "f8"),
    ("dp", "f8"),
    ("i32", "i4"),
    ("i64", "i8"),
];

/// Number of ranges that a sample is taken from.
const STRETCHES: u64 = 8;

/// Maximum header size of an `.npy` file, in bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// File of numbers.
#[derive(Debug)]
pub(super) struct ArrayFile {
    file: InputFile,
    element: Element,
    big_endian: bool,
    /// Offset of the first number.
    start: u64,
    /// Number of values.
    pub(super) values: u64,
}

/// Returns whether this module reads files with the extension of the path.
pub(super) fn is_array(path: &Path) -> bool {
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    ending == "npy" || RAW_ENDINGS.iter().any(|(known, _)| *known == ending)
}

impl ArrayFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut file = input::open(path)?;
        let length = file.metadata()?.len();
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        let raw = RAW_ENDINGS.iter().find(|(known, _)| *known == ending);
        let header = match raw {
            Some((_, name)) => Header {
                name: (*name).to_owned(),
                big_endian: false,
                values: None,
                start: 0,
            },
            None => Header::read(&mut file)?,
        };
        let found = ELEMENTS
            .into_iter()
            .find(|element| element.name == header.name);
        let Some(element) = found else {
            let problem = format!("an array of {:?} has no column here", header.name);
            return Err(Problem::Unsupported(problem).into());
        };
        let bytes = length.saturating_sub(header.start);
        let width = element.width as u64;
        let fits = match header.values {
            None => bytes.is_multiple_of(width),
            Some(values) => values.checked_mul(width) == Some(bytes),
        };
        if !fits {
            return Err(Error::corrupt(match header.values {
                None => format!("{bytes} bytes is not a multiple of the value size, {width} bytes"),
                Some(values) => {
                    format!(
                        "the header claims {values} values of {width} bytes, but {bytes} bytes follow"
                    )
                }
            }));
        }
        Ok(Self {
            file: InputFile::new(file)?,
            element,
            big_endian: header.big_endian,
            start: header.start,
            values: bytes / width,
        })
    }

    /// Returns the size of a number in bytes.
    pub(super) fn width(&self) -> usize {
        self.element.width
    }

    /// Samples up to about `most` numbers from the whole file.
    pub(super) fn sample(&self, most: u64) -> Result<ArrayRef> {
        let stretches = if self.values <= most { 1 } else { STRETCHES };
        let count = most.min(self.values) / stretches;
        let mut bytes = Vec::new();
        for index in 0..stretches {
            let first = (self.values - count) * index / (stretches - 1).max(1);
            self.append(first..first + count, &mut bytes)?;
        }
        Ok(self.array(bytes))
    }

    /// Reads a range of the numbers.
    pub(super) fn read(&self, rows: Range<u64>) -> Result<ArrayRef> {
        let mut bytes = Vec::new();
        self.append(rows, &mut bytes)?;
        Ok(self.array(bytes))
    }

    fn append(&self, rows: Range<u64>, bytes: &mut Vec<u8>) -> Result<()> {
        let width = self.element.width as u64;
        let count = (rows.end - rows.start) * width;
        let start = self.start + rows.start * width;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        bytes.extend_from_slice(&self.file.get_bytes(start, count)?);
        Ok(())
    }

    fn array(&self, mut bytes: Vec<u8>) -> ArrayRef {
        if self.big_endian != cfg!(target_endian = "big") {
            bytes
                .chunks_exact_mut(self.element.width)
                .for_each(<[u8]>::reverse);
        }
        // Copies into memory that is aligned for numbers.
        (self.element.array)(Buffer::from_slice_ref(&bytes))
    }
}

/// Header of an `.npy` file ([NumPy's
/// documentation](https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html)).
#[derive(PartialEq, Debug)]
struct Header {
    name: String,
    big_endian: bool,
    values: Option<u64>,
    start: u64,
}

impl Header {
    fn read(file: &mut File) -> Result<Self> {
        let mut start = [0; 10];
        let is_npy = file.read_exact(&mut start).is_ok() && start.starts_with(b"\x93NUMPY");
        if !is_npy {
            return Err(Error::corrupt(
                "not an .npy file: it does not begin with the magic bytes",
            ));
        }
        let mut length = usize::from(u16::from_le_bytes([start[8], start[9]]));
        let mut before = start.len();
        // Since version 2, the length field has 4 bytes.
        if start[6] >= 2 {
            let mut upper = [0; 2];
            file.read_exact(&mut upper)?;
            length |= usize::from(u16::from_le_bytes(upper)) << 16;
            before += upper.len();
        }
        if length > LONGEST_HEADER {
            return Err(Error::corrupt(format!("a header of {length} bytes")));
        }
        let mut text = Vec::new();
        file.take(length as u64).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        let header = Self::parse(&text, (before + length) as u64);
        header
            .ok_or_else(|| Error::corrupt(format!("its header cannot be parsed: {}", text.trim())))
    }

    /// Parses `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str, start: u64) -> Option<Self> {
        let value = |key: &str| {
            let (_, after) = text.split_once(&format!("'{key}':"))?;
            Some(after.trim_start())
        };
        let descr = value("descr")?.strip_prefix('\'')?.split('\'').next()?;
        let order = descr.get(..1)?;
        let shape = value("shape")?.strip_prefix('(')?.split(')').next()?;
        let sizes = shape
            .split(',')
            .map(str::trim)
            .filter(|size| !size.is_empty());
        let values = sizes
            .map(|size| size.parse().ok())
            .try_fold(1_u64, |product, size: Option<u64>| {
                product.checked_mul(size?)
            })?;
        Some(Self {
            name: descr.get(1..)?.to_owned(),
            big_endian: match order {
                "<" | "|" => false,
                ">" => true,
                _ => return None,
            },
            values: Some(values),
            start,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_npy_files() {
        let text = "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 4), }   \n";
        let expected = Header {
            name: "f4".into(),
            big_endian: true,
            values: Some(12),
            start: 128,
        };
        assert_eq!(Header::parse(text, 128), Some(expected));
        let scalar = Header::parse("{'descr': '|i1', 'shape': (), }", 0).unwrap();
        assert_eq!(scalar.values, Some(1));
        for wrong in [
            "",
            "{'descr': [('a', '<f8')], 'shape': (3,)}",
            "{'descr': '<f8'}",
            "{'descr': '', 'shape': (1,)}",
            "{'descr': '<f8', 'shape': (18446744073709551615, 2)}",
            "{'descr': '<f8', 'shape': (-1,)}",
        ] {
            assert_eq!(Header::parse(wrong, 0), None, "{wrong}");
        }
    }
}
