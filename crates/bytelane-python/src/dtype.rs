//! Types of numbers, by their names in NumPy, Arrow and polars.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::ffi::CStr;
use std::fmt;

/// Type of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DType {
    pub kind: Kind,
    /// Bytes per value.
    pub size: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Signed,
    Unsigned,
    Float,
}

impl DType {
    pub const BYTE: Self = Self {
        kind: Kind::Unsigned,
        size: 1,
    };

    /// All types.
    pub const ALL: [Self; 11] = {
        use Kind::{Float, Signed, Unsigned};
        const fn of(kind: Kind, size: usize) -> DType {
            DType { kind, size }
        }
        [
            of(Signed, 1),
            of(Signed, 2),
            of(Signed, 4),
            of(Signed, 8),
            of(Unsigned, 1),
            of(Unsigned, 2),
            of(Unsigned, 4),
            of(Unsigned, 8),
            of(Float, 2),
            of(Float, 4),
            of(Float, 8),
        ]
    };

    /// Names of the types in NumPy, Arrow and polars.
    const NAMES: [&'static str; 11] = [
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
        "float32", "float64",
    ];

    /// Names of the types in the array interface.
    const CODES: [&'static str; 11] = [
        "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8",
    ];

    /// Returns the type with a name of NumPy, Arrow or polars, or with a code of the array interface in this machine's byte
    /// order.
    pub fn named(name: &str) -> Option<Self> {
        let native = if cfg!(target_endian = "little") {
            '<'
        } else {
            '>'
        };
        let code = name.trim_start_matches(['=', '|', native]);
        let by_name = Self::NAMES.iter().position(|it| *it == name);
        let place = by_name.or_else(|| Self::CODES.iter().position(|it| *it == code))?;
        Some(Self::ALL[place])
    }

    /// Returns the name in NumPy, Arrow and polars, such as `uint32`.
    pub fn name(self) -> &'static str {
        let place = Self::ALL.iter().position(|it| *it == self);
        place.map_or("a number of another size", |place| Self::NAMES[place])
    }

    /// Returns the type of a buffer's elements; `None` if they are not numbers.
    pub fn of_format(format: &CStr, size: usize) -> Option<Self> {
        let native: &[u8] = if cfg!(target_endian = "little") {
            b"@=<"
        } else {
            b"@=>!"
        };
        let code = match format.to_bytes() {
            [code] => *code,
            [order, code] if native.contains(order) || size == 1 => *code,
            _ => return None,
        };
        let kind = match code {
            b'b' | b'h' | b'i' | b'l' | b'q' | b'n' => Kind::Signed,
            b'B' | b'H' | b'I' | b'L' | b'Q' | b'N' | b'c' => Kind::Unsigned,
            b'e' | b'f' | b'd' => Kind::Float,
            _ => return None,
        };
        Some(Self { kind, size })
    }

    /// Returns the exception for a codec that does not support the type.
    pub fn unsupported(self, codec: &str, types: &str) -> PyErr {
        let hint = if self == Self::BYTE {
            "; `dtype=` says what bytes contain"
        } else {
            ""
        };
        PyTypeError::new_err(format!("{codec} takes {types}, but these are {self}{hint}"))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Checks that a number of bytes is a multiple of the value size.
pub fn whole(bytes: usize, size: usize) -> PyResult<usize> {
    match bytes % size {
        0 => Ok(bytes / size),
        _ => Err(PyValueError::new_err(format!(
            "{bytes} bytes are not a multiple of the value size, {size} bytes"
        ))),
    }
}

/// Calls a generic function for the Rust type of a [`DType`] from a list.
macro_rules! by_type {
    ($dtype:expr, $codec:literal, $types:literal, [$($kind:ident $size:literal $T:ty),*], $Name:ident => $call:expr) => {
        match $dtype {
            $($crate::dtype::DType { kind: $crate::dtype::Kind::$kind, size: $size } => {
                type $Name = $T;
                $call
            })*
            other => Err(other.unsupported($codec, $types)),
        }
    };
}
pub(crate) use by_type;

/// Calls a generic function for the unsigned integer with the size of a [`DType`].
macro_rules! by_size {
    ($dtype:expr, $Name:ident => $call:expr) => {
        match $dtype.size {
            1 => {
                type $Name = u8;
                $call
            }
            2 => {
                type $Name = u16;
                $call
            }
            4 => {
                type $Name = u32;
                $call
            }
            _ => {
                type $Name = u64;
                $call
            }
        }
    };
}
pub(crate) use by_size;
