//! Base64, with the functions of the standard library.

use pyo3::prelude::*;

/// Base64: the functions of the standard library's `base64` and of pybase64, with the same names,
/// results and exceptions.
///
/// Rare or malformed input is passed to the standard library, which decides.
#[pymodule]
pub mod base64 {
    use crate::codec::prelude::*;
    use ::bytelane::base64::{Alphabet, Engine, ErrorKind, STANDARD, URL_SAFE, decoded_len};
    use pyo3::exceptions::PyOverflowError;
    use pyo3::types::{PyBool, PyByteArray, PyBytes, PyString};

    /// Encodes bytes. `altchars` are two characters instead of `+` and `/`.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.b64encode(b"bytes")
    /// b'Ynl0ZXM='
    #[pyfunction(signature = (s, altchars=None))]
    fn b64encode(py: Python, s: &Object, altchars: Optional) -> Answer {
        // Here, the standard library takes bytes only; to decode, it takes a string as well.
        if altchars.is_some_and(|altchars| altchars.is_instance_of::<PyString>()) {
            return standard(py, "b64encode", (s, altchars));
        }
        encoded(py, s, altchars)
    }

    /// Encodes bytes, and returns a string.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.b64encode_as_string(b"bytes")
    /// 'Ynl0ZXM='
    #[pyfunction(signature = (s, altchars=None))]
    fn b64encode_as_string(py: Python, s: &Object, altchars: Optional) -> PyResult<Py<PyString>> {
        let text = encoded(py, s, altchars)?;
        Ok(PyString::from_bytes(py, text.extract(py)?)?.unbind())
    }

    /// Encodes bytes into the caller's memory. Returns the number of characters.
    ///
    /// >>> from bytelane import base64
    /// >>> room = bytearray(12)
    /// >>> base64.b64encode_into(b"bytes", room)
    /// 8
    #[pyfunction(signature = (s, out, altchars=None))]
    fn b64encode_into(s: &Object, out: &Object, altchars: Optional) -> Answer {
        let engine = engine(altchars).ok_or_else(|| no_such_alphabet(altchars))?;
        encode(engine, &Memory::of(s)?, Target::bytes(Some(out))?)
    }

    /// Decodes a text: bytes, or a string of ASCII.
    ///
    /// As in the standard library, characters outside the alphabet are skipped unless `validate` is
    /// true, and binascii.Error is raised for wrong padding.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.b64decode("Ynl0ZXM=")
    /// b'bytes'
    #[pyfunction]
    #[pyo3(
        signature = (s, altchars=None, validate=Validate::Bool(false)),
        text_signature = "(s, altchars=None, validate=False)"
    )]
    fn b64decode(
        py: Python,
        s: &Object,
        altchars: Optional,
        #[pyo3(from_py_with = validation)] validate: Validate,
    ) -> Answer {
        match validate {
            Validate::Bool(validate) => {
                let decode = |engine| decode(py, engine, s, validate);
                match engine(altchars).and_then(decode) {
                    Some(bytes) => Ok(bytes),
                    None => standard(py, "b64decode", (s, altchars, validate)),
                }
            }
            Validate::Other(object) => standard(py, "b64decode", (s, altchars, object)),
        }
    }

    /// Decodes a text to a bytearray.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.b64decode_as_bytearray("Ynl0ZXM=")
    /// bytearray(b'bytes')
    #[pyfunction]
    #[pyo3(
        signature = (s, altchars=None, validate=Validate::Bool(false)),
        text_signature = "(s, altchars=None, validate=False)"
    )]
    fn b64decode_as_bytearray(
        py: Python,
        s: &Object,
        altchars: Optional,
        #[pyo3(from_py_with = validation)] validate: Validate,
    ) -> Answer {
        let bytes = b64decode(py, s, altchars, validate)?;
        Ok(PyByteArray::new(py, bytes.extract(py)?).into_any().unbind())
    }

    /// Decodes a text into the caller's memory. The text may only have characters of the alphabet
    /// and padding. Returns the number of bytes.
    ///
    /// Raises bytelane.Error for anything else.
    ///
    /// >>> from bytelane import base64
    /// >>> room = bytearray(12)
    /// >>> base64.b64decode_into("Ynl0ZXM=", room)
    /// 5
    #[pyfunction(signature = (s, out, altchars=None))]
    fn b64decode_into(s: &Object, out: &Object, altchars: Optional) -> Answer {
        let engine = engine(altchars).ok_or_else(|| no_such_alphabet(altchars))?;
        let source = Memory::of_text(s)?;
        let target = Target::bytes(Some(out))?;
        target.write(&source, Room::AtMost(0), of_codec, |text: &[u8], to| {
            engine.decode_with(Detected::active(), text, to)
        })
    }

    /// Encodes bytes, as `b64encode` without `altchars`.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.standard_b64encode(b"bytes")
    /// b'Ynl0ZXM='
    #[pyfunction]
    fn standard_b64encode(py: Python, s: &Object) -> Answer {
        b64encode(py, s, None)
    }

    /// Decodes a text, as `b64decode` without `altchars`.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.standard_b64decode("Ynl0ZXM=")
    /// b'bytes'
    #[pyfunction]
    fn standard_b64decode(py: Python, s: &Object) -> Answer {
        b64decode(py, s, None, Validate::Bool(false))
    }

    /// Encodes with `-` and `_` instead of `+` and `/`.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.urlsafe_b64encode(b"\xfb\xff")
    /// b'-_8='
    #[pyfunction]
    fn urlsafe_b64encode(py: Python, s: &Object) -> Answer {
        match Memory::of(s) {
            Ok(source) => encode(URL_SAFE, &source, Target::Bytes),
            Err(_) => standard(py, "urlsafe_b64encode", (s,)),
        }
    }

    /// Decodes a text with `-` and `_` instead of `+` and `/`.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.urlsafe_b64decode("-_8=")
    /// b'\xfb\xff'
    #[pyfunction]
    fn urlsafe_b64decode(py: Python, s: &Object) -> Answer {
        match decode(py, URL_SAFE, s, false) {
            Some(bytes) => Ok(bytes),
            None => standard(py, "urlsafe_b64decode", (s,)),
        }
    }

    /// Encodes bytes as lines of 76 characters, each with a newline, as in MIME.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.encodebytes(b"bytes")
    /// b'Ynl0ZXM=\n'
    #[pyfunction]
    fn encodebytes(py: Python, s: &Object) -> Answer {
        /// Bytes per line, and characters per line with the newline.
        const LINE: (usize, usize) = (57, 77);
        let source = match (Memory::of(s), s.len()) {
            (Ok(source), Ok(_)) if source.is_row_of_bytes() => source,
            _ => return standard(py, "encodebytes", (s,)),
        };
        let (lines, rest) = (source.len() / LINE.0, source.len() % LINE.0);
        let last = rest.div_ceil(3) * 4 + usize::from(rest > 0);
        let room = lines
            .checked_mul(LINE.1)
            .and_then(|all| all.checked_add(last));
        let room = Room::AtMost(room.ok_or_else(too_long)?);
        Target::Bytes.write(&source, room, of_room, |bytes: &[u8], to| {
            let mut written = 0;
            for line in bytes.chunks(LINE.0) {
                let text = STANDARD.encode_with(Detected::active(), line, &mut to[written..])?;
                written += text.len();
                to[written].write(b'\n');
                written += 1;
            }
            // SAFETY: the loop has written all of these bytes.
            Ok(unsafe { to[..written].assume_init_mut() })
        })
    }

    /// Decodes lines of base64.
    ///
    /// >>> from bytelane import base64
    /// >>> base64.decodebytes(b"Ynl0\nZXM=\n")
    /// b'bytes'
    #[pyfunction]
    fn decodebytes(py: Python, s: &Object) -> Answer {
        let of_bytes = Memory::of(s).is_ok_and(|source| source.is_row_of_bytes());
        match of_bytes.then(|| decode(py, STANDARD, s, false)).flatten() {
            Some(bytes) => Ok(bytes),
            None => standard(py, "decodebytes", (s,)),
        }
    }

    /// Encodes bytes; `altchars` may be a string.
    fn encoded(py: Python, s: &Object, altchars: Optional) -> Answer {
        match (engine(altchars), Memory::of(s)) {
            (Some(engine), Ok(source)) => encode(engine, &source, Target::Bytes),
            _ => standard(py, "b64encode", (s, altchars)),
        }
    }

    fn encode(engine: Engine, source: &Memory, target: Target) -> Answer {
        let length = engine.encoded_len(source.len()).ok_or_else(too_long)?;
        target.write(
            source,
            Room::Exactly(length),
            of_room,
            |bytes: &[u8], to| engine.encode_with(Detected::active(), bytes, to),
        )
    }

    /// Argument `validate`. Which objects are allowed depends on the version of Python: for all but
    /// bools, the standard library decides.
    enum Validate<'py> {
        Bool(bool),
        Other(Object<'py>),
    }

    fn validation<'py>(object: &Object<'py>) -> PyResult<Validate<'py>> {
        Ok(match object.cast_exact::<PyBool>() {
            Ok(value) => Validate::Bool(value.is_true()),
            Err(_) => Validate::Other(object.clone()),
        })
    }

    /// Decodes a well-formed text, after removing ASCII whitespace unless `validate` is set. Returns
    /// `None` for a text that the standard library must decide on.
    fn decode(py: Python, engine: Engine, s: &Object, validate: bool) -> Option<Py<PyAny>> {
        if let Some(bytes) = decode_strictly(engine, s) {
            return Some(bytes);
        }
        let bytes = s.cast_exact::<PyBytes>().ok().filter(|_| !validate)?;
        let packed = bytes.call_method1("translate", (py.None(), " \t\n\r\x0b\x0c".as_bytes()));
        decode_strictly(engine, &packed.ok()?)
    }

    fn decode_strictly(engine: Engine, s: &Object) -> Option<Py<PyAny>> {
        let source = Memory::of_text(s).and_then(Memory::frozen).ok()?;
        // The standard library ignores these bits, too.
        let engine = engine.with_decode_allow_trailing_bits(true);
        let length = source.read(decoded_len).ok()?;
        let wrong = |_: ::bytelane::Error<ErrorKind>| PyOverflowError::new_err("not base64");
        let done = Target::Bytes.write(&source, Room::Exactly(length), wrong, |text: &[u8], to| {
            engine.decode_with(Detected::active(), text, to)
        });
        done.ok()
    }

    /// Returns the engine for two characters in place of `+` and `/`, if the core has it.
    fn engine(altchars: Optional) -> Option<Engine> {
        let Some(altchars) = altchars else {
            return Some(STANDARD);
        };
        let of_text = altchars.extract::<&str>().ok().map(str::as_bytes);
        match of_text.or_else(|| altchars.extract().ok())? {
            b"+/" => Some(STANDARD),
            b"-_" => Some(Engine::new(Alphabet::UrlSafe)),
            _ => None,
        }
    }

    fn no_such_alphabet(altchars: Optional) -> PyErr {
        let altchars = altchars.map_or_else(String::new, ToString::to_string);
        let message = format!("altchars must be b'+/' or b'-_' here, but are {altchars}");
        pyo3::exceptions::PyValueError::new_err(message)
    }

    fn too_long() -> PyErr {
        pyo3::exceptions::PyMemoryError::new_err("the text would not fit in memory")
    }

    /// Calls the standard library's function.
    fn standard<'py>(
        py: Python<'py>,
        name: &str,
        arguments: impl pyo3::call::PyCallArgs<'py>,
    ) -> Answer {
        Ok(py.import("base64")?.call_method1(name, arguments)?.unbind())
    }
}
