//! Paths of a [`FieldMask`](super::FieldMask), and their text.

use super::shape::{Child, Parent};
use crate::Type;
use std::fmt;

/// Error for a path that is malformed, or does not fit the type of the messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidPath(String);

impl fmt::Display for InvalidPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPath {}

impl InvalidPath {
    #[cold]
    pub(crate) fn new(path: &str, problem: impl fmt::Display) -> Self {
        Self(format!("the path `{path}`: {problem}"))
    }

    #[cold]
    pub(super) fn too_many(path: &str) -> Self {
        let problem = format!("the mask has more than {} parts", super::PARTS);
        Self::new(path, problem)
    }
}

/// Step of a path: from a value to parts of it.
#[derive(Debug)]
pub(crate) enum Step {
    /// Field ids, indices or integer keys.
    Numbers(Vec<i64>),
    /// String keys.
    Texts(Vec<Box<str>>),
    All,
}

/// Parses a path of a type. Returns the type of its end as well.
pub(crate) fn parse<P: Parent>(path: &str, root: &P) -> Result<(Vec<Step>, P), InvalidPath> {
    let mut text = Text {
        path,
        rest: path.strip_prefix('$').unwrap_or(path),
    };
    let is_relative = text.rest.len() == path.len();
    let mut steps = Vec::new();
    let mut place = root.clone();
    if is_relative && !text.rest.starts_with(['[', '{']) {
        place = text.field(&place, &mut steps)?;
    }
    while let Some(first) = text.rest.chars().next() {
        text.rest = &text.rest[first.len_utf8()..];
        place = match first {
            '.' => text.field(&place, &mut steps)?,
            '[' => text.elements(&place, &mut steps)?,
            '{' => text.entries(&place, &mut steps)?,
            other => return Err(text.error(format!("expected `.`, `[` or `{{`, found `{other}`"))),
        };
    }
    Ok((steps, place))
}

struct Text<'a> {
    path: &'a str,
    rest: &'a str,
}

impl<'a> Text<'a> {
    #[cold]
    fn error(&self, problem: impl fmt::Display) -> InvalidPath {
        InvalidPath::new(self.path, problem)
    }

    fn field<P: Parent>(&mut self, of: &P, steps: &mut Vec<Step>) -> Result<P, InvalidPath> {
        let end = self.rest.find(['.', '[', '{']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if !matches!(of.child(), Child::Fields) {
            let problem = format!("`{name}` is not a field, because its parent is not a struct");
            return Err(self.error(problem));
        }
        let Some((id, child)) = of.field(name) else {
            let names = of.names().join(", ");
            return Err(self.error(format!("`{name}` is not a field; the fields are {names}")));
        };
        steps.push(Step::Numbers(vec![id.into()]));
        Ok(child)
    }

    fn elements<P: Parent>(&mut self, of: &P, steps: &mut Vec<Step>) -> Result<P, InvalidPath> {
        let Child::Elements(element) = of.child() else {
            return Err(self.error("`[` is not behind a list or set"));
        };
        steps.push(self.numbers(']', "an index", 0)?);
        Ok(element)
    }

    fn entries<P: Parent>(&mut self, of: &P, steps: &mut Vec<Step>) -> Result<P, InvalidPath> {
        let Child::Entries(key, value) = of.child() else {
            return Err(self.error("`{` is not behind a map"));
        };
        steps.push(match key {
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                self.numbers('}', "an integer key", i64::MIN)?
            }
            Type::String if !self.rest.starts_with('*') => self.texts()?,
            _ if self.rest.starts_with("*}") => self.numbers('}', "`*`", 0)?,
            _ => {
                return Err(self.error(format!(
                    "expected `*`, because the keys are of the type {key}"
                )));
            }
        });
        Ok(value)
    }

    fn numbers(&mut self, end: char, wanted: &str, least: i64) -> Result<Step, InvalidPath> {
        let unclosed = || self.error(format!("`{end}` is missing"));
        let (inside, rest) = self.rest.split_once(end).ok_or_else(unclosed)?;
        self.rest = rest;
        if inside == "*" {
            return Ok(Step::All);
        }
        let numbers = inside.split(',').map(|text| {
            let number = text.parse().ok().filter(|number| *number >= least);
            number.ok_or_else(|| self.error(format!("expected {wanted}, found `{text}`")))
        });
        Ok(Step::Numbers(numbers.collect::<Result<_, _>>()?))
    }

    /// Parses quoted keys, up to the end of the braces.
    fn texts(&mut self) -> Result<Step, InvalidPath> {
        let mut texts = Vec::new();
        loop {
            let Some(rest) = self.rest.strip_prefix('"') else {
                return Err(self.error("expected a string key in double quotes"));
            };
            self.rest = rest;
            texts.push(self.quoted()?.into());
            let mut rest = self.rest.chars();
            let next = rest.next();
            self.rest = rest.as_str();
            match next {
                Some(',') => {}
                Some('}') => return Ok(Step::Texts(texts)),
                _ => return Err(self.error("expected `,` or `}` behind a string key")),
            }
        }
    }

    fn quoted(&mut self) -> Result<String, InvalidPath> {
        let mut text = String::new();
        let mut rest = self.rest.chars();
        loop {
            match rest.next() {
                Some('"') => break,
                Some('\\') => match rest.next() {
                    Some(escaped @ ('"' | '\\')) => text.push(escaped),
                    _ => return Err(self.error("only `\\\"` and `\\\\` are escapes")),
                },
                Some(other) => text.push(other),
                None => return Err(self.error("a string key has no end")),
            }
        }
        self.rest = rest.as_str();
        Ok(text)
    }
}
