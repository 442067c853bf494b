//! JSON strings.

use pyo3::prelude::*;

/// JSON strings (RFC 8259): escapes and reads them.
#[pymodule]
pub mod json_string {
    use crate::codec::prelude::*;
    use ::bytelane::json_string::{BARE, Format, QUOTED};
    use ::bytelane::utf8;
    use pyo3::types::{PyBytes, PyString};

    /// Strings up to this length are escaped on the stack.
    const SHORT: usize = 2048;

    /// Up to this length, the buffer has room for escapes everywhere, and the unused part is released. The
    /// system does not allocate pages that are never written.
    const LONG: usize = 4 << 20;

    fn format(quotes: bool) -> Format {
        if quotes { QUOTED } else { BARE }
    }

    /// Escapes a text to UTF-8 bytes, with quotes around it unless `quotes` is false.
    ///
    /// `text` is a string, or UTF-8 bytes. Only quotes, backslashes and control characters are
    /// escaped. Returns bytes or, with `out`, the number of bytes written there.
    ///
    /// Raises bytelane.Error if bytes are not UTF-8, and UnicodeEncodeError if a string has lone
    /// surrogates.
    ///
    /// >>> from bytelane import json_string
    /// >>> json_string.escape('say "grün"')
    /// b'"say \\"gr\xc3\xbcn\\""'
    #[pyfunction(signature = (text, *, quotes=true, out=None))]
    fn escape(py: Python, text: &Object, quotes: bool, out: Optional) -> Answer {
        let format = format(quotes);
        if out.is_none()
            && let Ok(text) = text.cast::<PyString>()
            && let short = text.to_str()?
            && short.len() <= SHORT
        {
            let mut room = [MaybeUninit::uninit(); 6 * SHORT + 2];
            let written = format.escape_with(Detected::active(), short, &mut room[..]);
            return Ok(PyBytes::new(py, written.map_err(of_room)?.as_bytes())
                .into_any()
                .unbind());
        }
        let source = Memory::of_text(text)?;
        if out.is_none() && source.len() > LONG {
            return escape_long(&source.frozen()?, format);
        }
        let room = Room::AtMost(6 * source.len() + 2);
        let target = Target::bytes(out)?;
        if text.is_instance_of::<PyString>() {
            target.write(&source, room, of_room, |bytes: &[u8], to| {
                // SAFETY: Python has encoded these bytes as UTF-8.
                let text = unsafe { str::from_utf8_unchecked(bytes) };
                format
                    .escape_with(Detected::active(), text, to)
                    .map(in_bytes)
            })
        } else {
            target.write(&source, room, of_codec, |bytes: &[u8], to| {
                format
                    .escape_bytes_with(Detected::active(), bytes, to)
                    .map(in_bytes)
            })
        }
    }

    /// Escapes a text that is too long for a buffer with room for escapes everywhere: counts the length of
    /// the result first.
    fn escape_long(source: &Memory, format: Format) -> Answer {
        let needed = source.read(|bytes: &[u8]| {
            let text = utf8::validate(bytes)?;
            Ok(format.escaped_len(text))
        })?;
        let room = Room::Exactly(needed.map_err(of_codec::<utf8::ErrorKind>)?);
        Target::Bytes.write(source, room, of_codec, |bytes: &[u8], to| {
            format
                .escape_bytes_with(Detected::active(), bytes, to)
                .map(in_bytes)
        })
    }

    fn in_bytes(text: &mut str) -> &mut [u8] {
        // SAFETY: these bytes are never used as text again.
        unsafe { text.as_bytes_mut() }
    }

    /// Reads a JSON string, the inverse of `escape`. With `quotes`, the input begins with a quote, and
    /// must end with the closing one.
    ///
    /// Raises bytelane.Error for a malformed escape, a control character, invalid UTF-8 or a string
    /// that does not end, and ValueError if bytes follow it.
    ///
    /// >>> from bytelane import json_string
    /// >>> json_string.unescape(b'"gr\\u00fcn"')
    /// 'grün'
    #[pyfunction(signature = (data, *, quotes=true))]
    fn unescape(data: &Object, quotes: bool) -> PyResult<String> {
        let (text, read) = unescape_front(data, quotes)?;
        match Memory::of_text(data)?.len() - read {
            0 => Ok(text),
            rest => Err(PyValueError::new_err(format!(
                "{rest} bytes follow the string, at offset {read}; unescape_prefix allows that"
            ))),
        }
    }

    /// Reads a JSON string, in quotes, at the front of an input. Returns the string and the number of
    /// bytes read, including quotes.
    ///
    /// >>> from bytelane import json_string
    /// >>> json_string.unescape_prefix(b'"a", "b"')
    /// ('a', 3)
    #[pyfunction]
    fn unescape_prefix(data: &Object) -> PyResult<(String, usize)> {
        unescape_front(data, true)
    }

    fn unescape_front(data: &Object, quotes: bool) -> PyResult<(String, usize)> {
        let opening = usize::from(quotes);
        let done = Memory::of_text(data)?.read(|data: &[u8]| {
            let inside = match (quotes, data.first()) {
                (true, Some(b'"')) => &data[1..],
                (true, _) => return None,
                (false, _) => data,
            };
            Some(format(quotes).unescape_to_string(inside))
        })?;
        let done = done.ok_or_else(|| PyValueError::new_err("offset 0: expected a quote"))?;
        let (text, read) = done.map_err(|error| of_codec(error.behind(opening)))?;
        Ok((text, read + opening))
    }
}
