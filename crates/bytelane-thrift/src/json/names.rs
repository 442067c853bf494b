//! SimpleJSON fields, which have names but no types.

use super::read::JsonReader;
use super::text::is_number;
use crate::{Error, ErrorKind, Field, FieldHeader, Frame};

impl<const SIMPLE: bool> JsonReader<'_, SIMPLE> {
    /// Returns the next field of a SimpleJSON struct that has a value and is among `fields`.
    pub(super) fn named_field(
        &mut self,
        frame: &mut Frame,
        fields: &[Field],
    ) -> Result<Option<FieldHeader>, Error> {
        while !self.text.closes(b'}')? {
            let field = self.find(frame, fields)?;
            self.text.separator = b':';
            match field {
                Some(Field { id, kind, .. }) if !self.null()? => {
                    return Ok(Some(FieldHeader::new(id, kind)));
                }
                Some(_) => {}
                None => self.skip_value()?,
            }
        }
        self.text.input.leave();
        Ok(None)
    }

    /// Reads the name of a field and looks it up, starting after the field found last: most
    /// messages have them in order.
    fn find(&mut self, frame: &mut Frame, fields: &[Field]) -> Result<Option<Field>, Error> {
        let (start, separator) = (self.text.input, self.text.separator);
        let escaped;
        let name = match self.text.word()? {
            Some(name) => name,
            None => {
                (self.text.input, self.text.separator) = (start, separator);
                escaped = self.text.string()?;
                escaped.as_bytes()
            }
        };
        let first = usize::min(frame.last as usize, fields.len());
        let (before, behind) = fields.split_at(first);
        for (i, field) in behind.iter().enumerate() {
            if field.name.as_bytes() == name {
                frame.last = (first + i + 1) as i16;
                return Ok(Some(*field));
            }
        }
        let found = before.iter().find(|field| field.name.as_bytes() == name);
        Ok(found.copied())
    }

    /// Reads `null`, if the value is `null`.
    fn null(&mut self) -> Result<bool, Error> {
        let before = self.text;
        let text = &mut self.text;
        text.separate()?;
        text.peek()?;
        let Some(rest) = text.input.rest.strip_prefix(b"null") else {
            *text = before;
            return Ok(false);
        };
        text.input.rest = rest;
        Ok(true)
    }

    /// Reads any JSON value and drops it.
    pub(super) fn skip_value(&mut self) -> Result<(), Error> {
        self.text.separate()?;
        let first = self.text.peek()?;
        self.text.separator = 0;
        match first {
            b'"' => drop(self.text.string()?),
            b'{' | b'[' => {
                self.text.input.enter()?;
                self.text.open(first, "a value")?;
                let close = if first == b'{' { b'}' } else { b']' };
                while !self.text.closes(close)? {
                    if first == b'{' {
                        self.skip_key()?;
                        self.text.separator = b':';
                    }
                    self.skip_value()?;
                }
                self.text.input.leave();
            }
            b't' => self.keyword("true")?,
            b'f' => self.keyword("false")?,
            b'n' => self.keyword("null")?,
            _ => {
                let start = self.text.input;
                if !is_number(self.text.number()?) {
                    let expected = "a number";
                    return Err(start.error(ErrorKind::Syntax { expected }));
                }
            }
        }
        self.text.separator = b',';
        Ok(())
    }

    /// Reads a name or the key of a map, and drops it.
    pub(super) fn skip_key(&mut self) -> Result<(), Error> {
        let before = self.text;
        self.text.separate()?;
        let first = self.text.peek()?;
        self.text = before;
        match first {
            b'{' | b'[' => self.skip_value(),
            _ => self.text.string().map(drop),
        }
    }

    /// Reads a word, given that its first letter has been seen.
    pub(super) fn keyword(&mut self, word: &'static str) -> Result<(), Error> {
        match self.text.input.rest.strip_prefix(word.as_bytes()) {
            Some(rest) => {
                self.text.input.rest = rest;
                Ok(())
            }
            None => Err(self.text.unexpected(word)),
        }
    }
}
