//! Parses the types, values and annotations within definitions.

use super::Parser;
use crate::idl::lexer::{Lexed, Token};
use crate::idl::source::Error;
use crate::idl::syntax::*;
use crate::idl::words;

/// Maximum nesting depth of types and values.
const DEPTH: usize = 64;

impl Parser<'_> {
    /// Parses one level deeper in a type or a value.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth == DEPTH {
            return self.error(self.peek().place, format!("nested more than {DEPTH} deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Parses a type; annotations after it are added to `annotations`.
    pub(super) fn annotated_type(
        &mut self,
        annotations: &mut Vec<Annotation>,
    ) -> Result<Type, Error> {
        let ty = self.bare_type()?;
        annotations.extend(self.annotations()?);
        Ok(ty)
    }

    /// Parses a type and ignores its annotations.
    pub(super) fn ty(&mut self) -> Result<Type, Error> {
        self.annotated_type(&mut Vec::new())
    }

    fn bare_type(&mut self) -> Result<Type, Error> {
        let name = self.name("a type")?;
        let ty = match &*name.text {
            "list" => {
                let [element] = self.parameters()?;
                self.cpp_type()?;
                Type::List(Box::new(element))
            }
            "set" => {
                self.cpp_type()?;
                let [element] = self.parameters()?;
                Type::Set(Box::new(element))
            }
            "map" => {
                self.cpp_type()?;
                let [key, value] = self.parameters()?;
                Type::Map(Box::new(key), Box::new(value))
            }
            // A definition may have the name of some built-in types.
            word => match words::base(word).filter(|_| words::is_reserved(word, false)) {
                Some(base) => Type::Base(base),
                None => Type::Named(name),
            },
        };
        Ok(ty)
    }

    /// Parses `<A>` or `<A, B>`.
    fn parameters<const N: usize>(&mut self) -> Result<[Type; N], Error> {
        self.symbol('<')?;
        let mut types = Vec::with_capacity(N);
        for i in 0..N {
            if i > 0 {
                self.symbol(',')?;
            }
            types.push(self.nested(Self::ty)?);
        }
        self.symbol('>')?;
        Ok(types.try_into().expect("as many as were read"))
    }

    fn cpp_type(&mut self) -> Result<(), Error> {
        if self.take_word("cpp_type") {
            self.string("a quoted C++ type")?;
        }
        Ok(())
    }

    pub(super) fn value(&mut self) -> Result<Value, Error> {
        let Lexed { token, place, .. } = self.peek().clone();
        self.at += usize::from(!matches!(token, Token::Symbol(_) | Token::End));
        let kind = match token {
            Token::Integer(number) => Literal::Integer(number),
            Token::Double(number) => Literal::Double(number),
            Token::String(text) => Literal::String(text),
            Token::Word(name) if self.peek().token == Token::Symbol('{') => {
                Literal::Struct(Name { text: name, place }, self.entries()?)
            }
            Token::Word(name) => Literal::Name(name),
            Token::Symbol('[') => {
                self.next();
                let mut values = Vec::new();
                while !self.take(']') {
                    values.push(self.nested(Self::value)?);
                    self.separator();
                }
                Literal::List(values)
            }
            Token::Symbol('{') => Literal::Map(self.entries()?),
            Token::Symbol(_) | Token::End => return self.expected("a value"),
        };
        Ok(Value { place, kind })
    }

    /// Parses `{a: b}`, or `{a = b}` with the names of fields.
    fn entries(&mut self) -> Result<Vec<(Value, Value)>, Error> {
        self.symbol('{')?;
        let mut entries = Vec::new();
        while !self.take('}') {
            let mut key = self.nested(Self::value)?;
            match &mut key.kind {
                Literal::Name(name) if self.take('=') => {
                    key.kind = Literal::String(std::mem::take(name).into_bytes());
                }
                _ => self.symbol(':')?,
            }
            entries.push((key, self.nested(Self::value)?));
            self.separator();
        }
        Ok(entries)
    }

    /// Parses `(a = "b", c)` or nothing.
    pub(super) fn annotations(&mut self) -> Result<Vec<Annotation>, Error> {
        let mut annotations = Vec::new();
        if !self.take('(') {
            return Ok(annotations);
        }
        while !self.take(')') {
            let key = self.name("an annotation")?;
            let Lexed { token, place, .. } = self.peek().clone();
            let text = match token {
                Token::Symbol('=') => {
                    self.next();
                    self.string("a quoted string")?.text
                }
                _ => "1".to_owned(),
            };
            self.separator();
            let kind = Literal::String(text.into_bytes());
            let value = Value { place, kind };
            annotations.push(Annotation { key, value });
        }
        Ok(annotations)
    }

    /// Parses `@A`, `@B{x = 1}` and so on, or nothing.
    pub(super) fn structured_annotations(&mut self) -> Result<Vec<Annotation>, Error> {
        let mut annotations = Vec::new();
        while self.take('@') {
            let key = self.name("the name of an annotation")?;
            let place = self.peek().place;
            let entries = match self.peek().token {
                Token::Symbol('{') => self.nested(Self::entries)?,
                _ => Vec::new(),
            };
            let kind = Literal::Map(entries);
            let value = Value { place, kind };
            annotations.push(Annotation { key, value });
        }
        Ok(annotations)
    }
}
