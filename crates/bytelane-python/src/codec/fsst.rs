//! FSST.

use pyo3::prelude::*;

/// FSST: strings as codes for their frequent parts. Each string can be decoded alone, and compared
/// without decoding it. Good for URLs, log lines, comments and identifiers, where a dictionary of
/// whole strings does not help.
#[pymodule]
pub mod fsst {
    use crate::arrow::{element, export_array, import_bytes, text_of};
    use crate::codec::prelude::*;
    use ::bytelane::fsst::{self, Encoder, Finder, Offset, wide};
    use arrow_array::cast::AsArray;
    use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType};
    use arrow_array::{Array, ArrayRef, GenericByteArray, OffsetSizeTrait};
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::DataType;
    use pyo3::exceptions::PyIndexError;
    use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyList, PyTuple};
    use std::sync::{Arc, OnceLock};

    /// Symbol table: up to 255 symbols of 1 to 8 bytes, or, with `code_bits=16`, up to 65,535 symbols of 1 to
    /// 16 bytes. `train` makes one.
    ///
    /// >>> from bytelane import fsst
    /// >>> table = fsst.Table([b"http://", b"www."])
    /// >>> len(table), table.symbols
    /// (2, [b'http://', b'www.'])
    #[pyclass(module = "bytelane.fsst", frozen, eq)]
    struct Table {
        of: Symbols,
    }

    enum Symbols {
        Narrow(Box<Lazy<fsst::Table, Encoder>>),
        Wide(Box<Lazy<wide::Table, wide::Encoder>>),
    }

    /// Table, and its encoder once it is needed.
    struct Lazy<T, E> {
        table: T,
        encoder: OnceLock<E>,
    }

    impl<T, E> Lazy<T, E> {
        fn new(table: T) -> Self {
            Self {
                table,
                encoder: OnceLock::new(),
            }
        }

        fn encoder(&self, new: fn(&T) -> E) -> &E {
            self.encoder.get_or_init(|| new(&self.table))
        }
    }

    impl PartialEq for Table {
        fn eq(&self, other: &Self) -> bool {
            match (&self.of, &other.of) {
                (Symbols::Narrow(one), Symbols::Narrow(other)) => one.table == other.table,
                (Symbols::Wide(one), Symbols::Wide(other)) => one.table == other.table,
                _ => false,
            }
        }
    }

    impl From<fsst::Table> for Table {
        fn from(table: fsst::Table) -> Self {
            let of = Symbols::Narrow(Box::new(Lazy::new(table)));
            Self { of }
        }
    }

    impl From<wide::Table> for Table {
        fn from(table: wide::Table) -> Self {
            let of = Symbols::Wide(Box::new(Lazy::new(table)));
            Self { of }
        }
    }

    /// Returns whether codes have 16 bits.
    fn is_wide(code_bits: u32) -> PyResult<bool> {
        match code_bits {
            8 => Ok(false),
            16 => Ok(true),
            other => Err(PyValueError::new_err(format!(
                "codes have 8 or 16 bits, not code_bits={other}"
            ))),
        }
    }

    impl Table {
        /// Returns the table of codes of 8 bits, which alone has a serialised form and searches.
        fn narrow(&self) -> PyResult<&fsst::Table> {
            match &self.of {
                Symbols::Narrow(it) => Ok(&it.table),
                Symbols::Wide(_) => Err(PyValueError::new_err(
                    "this needs a table with codes of 8 bits; one of 16 bits can encode and decode",
                )),
            }
        }

        fn all<'a>(&'a self) -> Box<dyn Iterator<Item = &'a [u8]> + 'a> {
            match &self.of {
                Symbols::Narrow(it) => Box::new(it.table.symbols()),
                Symbols::Wide(it) => Box::new(it.table.symbols()),
            }
        }
    }

    #[pymethods]
    impl Table {
        #[new]
        #[pyo3(signature = (symbols, *, code_bits=8))]
        fn new(symbols: Vec<Vec<u8>>, code_bits: u32) -> PyResult<Self> {
            Ok(if is_wide(code_bits)? {
                wide::Table::new(&symbols).map_err(of_codec)?.into()
            } else {
                fsst::Table::new(&symbols).map_err(of_codec)?.into()
            })
        }

        /// Reads a table in the serialised form of the reference implementation. Raises bytelane.Error
        /// if the bytes are malformed, and ValueError if more follow.
        #[staticmethod]
        fn from_bytes(data: &Object) -> PyResult<Self> {
            let source = Memory::of(data)?;
            let (table, read) = source.read(fsst::Table::read)?.map_err(of_codec)?;
            match source.len() - read {
                0 => Ok(table.into()),
                rest => Err(PyValueError::new_err(format!(
                    "{rest} bytes follow the table, at offset {read}"
                ))),
            }
        }

        /// Returns the table in the serialised form of the reference implementation, which has codes of 8 bits.
        fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
            let bytes = self.narrow()?.write_to_vec().map_err(of_codec)?;
            Ok(PyBytes::new(py, &bytes))
        }

        /// Symbols, in the order of their codes.
        #[getter]
        fn symbols<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyBytes>> {
            let symbols = self.all();
            symbols.map(|symbol| PyBytes::new(py, symbol)).collect()
        }

        /// Number of bits of a code: 8 or 16.
        #[getter]
        fn code_bits(&self) -> u32 {
            match &self.of {
                Symbols::Narrow(_) => 8,
                Symbols::Wide(_) => 16,
            }
        }

        fn __len__(&self) -> usize {
            self.all().count()
        }

        fn __repr__(&self) -> String {
            format!("Table of {} symbols", self.__len__())
        }

        fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
            let class = py.get_type::<Self>();
            let keywords = PyDict::new(py);
            keywords.set_item("code_bits", self.code_bits())?;
            let partial = py.import("functools")?.getattr("partial")?;
            let make = partial.call((class,), Some(&keywords))?;
            (make, (self.symbols(py),)).into_pyobject(py)
        }
    }

    /// Strings, encoded or decoded: a sequence, and an Arrow array for other libraries, as in
    /// `pyarrow.array(strings)`.
    #[pyclass(module = "bytelane.fsst", frozen)]
    struct Strings {
        array: ArrayRef,
        /// True if the strings that were encoded were text.
        is_text: bool,
    }

    #[pymethods]
    impl Strings {
        /// Number of bytes of all strings, of the offsets and of the validity bitmap.
        #[getter]
        fn nbytes(&self) -> usize {
            self.array.to_data().get_slice_memory_size().unwrap_or(0)
        }

        fn __len__(&self) -> usize {
            self.array.len()
        }

        fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Object<'py>> {
            let length = self.array.len();
            let row = match index {
                0.. => index.cast_unsigned(),
                _ => length.wrapping_add_signed(index),
            };
            if row < length {
                Ok(element(py, &self.array, row))
            } else {
                Err(PyIndexError::new_err(format!(
                    "there are {length} strings, but no string {index}"
                )))
            }
        }

        /// Returns all strings.
        fn to_pylist<'py>(&self, py: Python<'py>) -> Vec<Object<'py>> {
            let rows = 0..self.array.len();
            rows.map(|row| element(py, &self.array, row)).collect()
        }

        fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
            PyList::new(py, self.to_pylist(py))?.try_iter()
        }

        fn __repr__(&self) -> String {
            format!("{} strings, {} bytes", self.__len__(), self.nbytes())
        }

        #[pyo3(signature = (requested_schema=None))]
        fn __arrow_c_array__<'py>(
            &self,
            py: Python<'py>,
            requested_schema: Optional,
        ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
            // Consumers convert the array themselves.
            let _ = requested_schema;
            export_array(py, &self.array)
        }
    }

    /// Makes a table of the symbols that shorten strings like these most, from a sample of 16 KiB.
    ///
    /// With `code_bits=16`, codes have two bytes and symbols up to 16, for a megabyte and more of strings with long parts in common,
    /// such as log lines and JSON. The sample has 256 KiB then, and the table takes some ten to fifty thousand bytes.
    ///
    /// `strings` is an Arrow array of strings or binary, or a sequence of str or bytes.
    ///
    /// >>> from bytelane import fsst
    /// >>> urls = [f"https://example.com/items/{i}" for i in range(1000)]
    /// >>> table = fsst.train(urls)
    /// >>> encoded = fsst.encode(table, urls)
    /// >>> encoded.nbytes < sum(map(len, urls)) / 2
    /// True
    /// >>> fsst.decode(table, encoded)[7]
    /// 'https://example.com/items/7'
    #[pyfunction(signature = (strings, *, code_bits=8))]
    fn train(strings: &Object, code_bits: u32) -> PyResult<Table> {
        let strings = import_bytes(strings)?.array;
        let all = match strings.data_type() {
            DataType::LargeBinary => all::<LargeBinaryType>(&strings),
            _ => all::<BinaryType>(&strings),
        };
        Ok(if is_wide(code_bits)? {
            wide::train(&all).into()
        } else {
            fsst::train(&all).into()
        })
    }

    fn all<T: ByteArrayType<Native = [u8]>>(strings: &ArrayRef) -> Vec<&[u8]> {
        strings.as_bytes::<T>().iter().flatten().collect()
    }

    /// Encodes strings with a table: an Arrow array of strings or binary, or a sequence of str or
    /// bytes. Nulls stay nulls. Any strings can be encoded, but each byte that no symbol has takes two.
    ///
    /// >>> from bytelane import fsst
    /// >>> fsst.encode(fsst.Table([b"ab"]), ["ababab", None])[0]
    /// b'\x00\x00\x00'
    #[pyfunction]
    fn encode(table: &Table, strings: &Object) -> PyResult<Strings> {
        let strings = import_bytes(strings)?;
        let array = match strings.array.data_type() {
            DataType::LargeBinary => encoded::<LargeBinaryType, i64>(table, &strings.array),
            _ => encoded::<BinaryType, i32>(table, &strings.array),
        };
        Ok(Strings {
            array: array?,
            is_text: strings.is_text,
        })
    }

    fn encoded<T, O>(table: &Table, array: &ArrayRef) -> PyResult<ArrayRef>
    where
        T: ByteArrayType<Offset = O, Native = [u8]>,
        O: OffsetSizeTrait + Offset,
    {
        converted::<T, O>(array, |strings, bytes, offsets| match &table.of {
            Symbols::Narrow(it) => {
                let encoder = it.encoder(Encoder::new);
                encoder.encode_strings_append(strings, bytes, offsets)
            }
            Symbols::Wide(it) => {
                let encoder = it.encoder(wide::Encoder::new);
                encoder.encode_strings_append(strings, bytes, offsets)
            }
        })
    }

    fn decoded<T, O>(table: &Table, array: &ArrayRef) -> PyResult<ArrayRef>
    where
        T: ByteArrayType<Offset = O, Native = [u8]>,
        O: OffsetSizeTrait + Offset,
    {
        converted::<T, O>(array, |strings, bytes, offsets| match &table.of {
            Symbols::Narrow(it) => it.table.decode_strings_append(strings, bytes, offsets),
            Symbols::Wide(it) => it.table.decode_strings_append(strings, bytes, offsets),
        })
    }

    /// Decodes strings: the result of `encode`, or an Arrow array of binary, such as one that was stored.
    ///
    /// Returns text if the strings of `encode` were text, else bytes. For an Arrow array, `text` says
    /// which. Raises bytelane.Error if a string is malformed, and ValueError if a text is not UTF-8.
    ///
    /// >>> import pyarrow
    /// >>> from bytelane import fsst
    /// >>> table = fsst.Table([b"ab"])
    /// >>> stored = pyarrow.array(fsst.encode(table, ["abab", None, "c"]))
    /// >>> pyarrow.array(fsst.decode(table, stored[1:], text=True)).to_pylist()
    /// [None, 'c']
    #[pyfunction(signature = (table, encoded, *, text=None))]
    fn decode(table: &Table, encoded: &Object, text: Option<bool>) -> PyResult<Strings> {
        let (array, is_text) = imported(encoded)?;
        let is_text = text.unwrap_or(is_text);
        let array = match array.data_type() {
            DataType::LargeBinary => decoded::<LargeBinaryType, i64>(table, &array),
            _ => decoded::<BinaryType, i32>(table, &array),
        }?;
        Ok(Strings {
            array: if is_text { text_of(&array)? } else { array },
            is_text,
        })
    }

    /// Returns encoded strings, and whether they were text.
    fn imported(encoded: &Object) -> PyResult<(ArrayRef, bool)> {
        if let Ok(strings) = encoded.cast::<Strings>() {
            let strings = strings.get();
            if matches!(
                strings.array.data_type(),
                DataType::Binary | DataType::LargeBinary
            ) {
                return Ok((Arc::clone(&strings.array), strings.is_text));
            }
        }
        let bytes = import_bytes(encoded)?;
        if bytes.is_text {
            Err(PyTypeError::new_err("encoded strings are bytes, not text"))
        } else {
            Ok((bytes.array, false))
        }
    }

    /// Encodes or decodes the strings of an array.
    fn converted<T, O>(
        array: &ArrayRef,
        convert: impl FnOnce(fsst::Strings<'_, O>, &mut Vec<u8>, &mut Vec<O>) -> Result<(), fsst::Error>,
    ) -> PyResult<ArrayRef>
    where
        T: ByteArrayType<Offset = O, Native = [u8]>,
        O: OffsetSizeTrait + Offset,
    {
        let (offsets, values, nulls) = array.as_bytes::<T>().clone().into_parts();
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        fsst::Strings::new(&values, &offsets)
            .and_then(|strings| convert(strings, &mut bytes, &mut ends))
            .map_err(of_codec)?;
        let array =
            GenericByteArray::<T>::try_new(OffsetBuffer::new(ends.into()), bytes.into(), nulls);
        let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Arc::new(array))
    }

    /// Returns for each encoded string whether it contains a text, without decoding it: a list of
    /// booleans, and None for nulls.
    ///
    /// >>> from bytelane import fsst
    /// >>> table = fsst.Table([b"ab", b"c"])
    /// >>> fsst.contains(table, fsst.encode(table, ["abc", "ab", None]), "bc")
    /// [True, False, None]
    #[pyfunction]
    fn contains(table: &Table, encoded: &Object, text: &Object) -> PyResult<Vec<Option<bool>>> {
        let text = Memory::of_text(text)?;
        let table = table.narrow()?;
        let finder = text.read(|text: &[u8]| Finder::new(table, text))?;
        tested(encoded, |string| finder.is_in(string))
    }

    /// Returns for each encoded string whether it begins with a text, without decoding it: a list of
    /// booleans, and None for nulls.
    ///
    /// >>> from bytelane import fsst
    /// >>> table = fsst.Table([b"ab", b"c"])
    /// >>> fsst.starts_with(table, fsst.encode(table, ["abc", "ca", None]), "a")
    /// [True, False, None]
    #[pyfunction]
    fn starts_with(table: &Table, encoded: &Object, text: &Object) -> PyResult<Vec<Option<bool>>> {
        let text = Memory::of_text(text)?.read(<[u8]>::to_vec)?;
        let table = table.narrow()?;
        tested(encoded, |string| table.starts_with(string, &text))
    }

    /// Returns for each encoded string whether it stands for a text, without decoding it: a list of
    /// booleans, and None for nulls.
    ///
    /// >>> from bytelane import fsst
    /// >>> table = fsst.Table([b"ab", b"c"])
    /// >>> fsst.equals(table, fsst.encode(table, ["abc", "ab", None]), "ab")
    /// [False, True, None]
    #[pyfunction]
    fn equals(table: &Table, encoded: &Object, text: &Object) -> PyResult<Vec<Option<bool>>> {
        let text = Memory::of_text(text)?.read(<[u8]>::to_vec)?;
        let table = table.narrow()?;
        tested(encoded, |string| table.equals(string, &text))
    }

    fn tested(
        encoded: &Object,
        test: impl Fn(&[u8]) -> Result<bool, fsst::Error>,
    ) -> PyResult<Vec<Option<bool>>> {
        let (array, _) = imported(encoded)?;
        let test = |string: Option<&[u8]>| string.map(&test).transpose().map_err(of_codec);
        match array.data_type() {
            DataType::LargeBinary => array
                .as_bytes::<LargeBinaryType>()
                .iter()
                .map(test)
                .collect(),
            _ => array.as_bytes::<BinaryType>().iter().map(test).collect(),
        }
    }
}
