//! UTF-8.

use pyo3::prelude::*;

/// Validation of UTF-8, without creating a string.
#[pymodule]
pub mod utf8 {
    use crate::codec::prelude::*;
    use ::bytelane::utf8;

    /// Checks that bytes are UTF-8. Raises bytelane.Error with the offset of the first byte that is not.
    ///
    /// >>> from bytelane import utf8
    /// >>> utf8.validate("grün".encode())
    /// >>> utf8.validate(b"ab\xff")
    /// Traceback (most recent call last):
    ///     ...
    /// bytelane.Error: offset 2: invalid UTF-8
    #[pyfunction]
    fn validate(data: &Object) -> PyResult<()> {
        let done = Memory::of(data)?.read(|data: &[u8]| utf8::validate(data).map(|_| ()))?;
        done.map_err(of_codec)
    }

    /// Returns the length of the longest valid prefix of some bytes.
    ///
    /// >>> from bytelane import utf8
    /// >>> utf8.valid_up_to(b"ab\xff")
    /// 2
    #[pyfunction]
    fn valid_up_to(data: &Object) -> PyResult<usize> {
        Memory::of(data)?.read(utf8::valid_up_to)
    }

    /// Returns whether all bytes are ASCII.
    ///
    /// >>> from bytelane import utf8
    /// >>> utf8.is_ascii(b"abc"), utf8.is_ascii("grün".encode())
    /// (True, False)
    #[pyfunction]
    fn is_ascii(data: &Object) -> PyResult<bool> {
        Memory::of_text(data)?.read(utf8::is_ascii)
    }

    /// Returns the number of code points in a text. Raises bytelane.Error if it is not UTF-8.
    ///
    /// >>> from bytelane import utf8
    /// >>> utf8.count_chars("grün".encode())
    /// 4
    #[pyfunction]
    fn count_chars(data: &Object) -> PyResult<usize> {
        let count = |data: &[u8]| utf8::validate(data).map(utf8::count_chars);
        Memory::of_text(data)?.read(count)?.map_err(of_codec)
    }
}
