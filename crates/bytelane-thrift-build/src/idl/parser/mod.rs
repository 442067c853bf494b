//! Parses tokens to definitions: the IDL of Apache Thrift and of fbthrift, by recursive descent.

mod definitions;
mod functions;
mod types;

use crate::idl::lexer::{Lexed, Token, lex, octal};
use crate::idl::source::{Error, Place, SharedSource};
use crate::idl::syntax::*;

/// Parses a file.
pub(crate) fn parse(source: &SharedSource) -> Result<Document, Error> {
    let tokens = lex(source)?;
    Parser {
        source,
        tokens,
        at: 0,
        depth: 0,
        notes: Vec::new(),
    }
    .document()
}

struct Parser<'a> {
    source: &'a SharedSource,
    tokens: Vec<Lexed>,
    at: usize,
    depth: usize,
    /// Skipped definitions.
    notes: Vec<Name>,
}

impl Parser<'_> {
    fn peek(&self) -> &Lexed {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> Lexed {
        let lexed = self.tokens[self.at].clone();
        self.at = usize::min(self.at + 1, self.tokens.len() - 1);
        lexed
    }

    fn error<T>(&self, place: Place, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::at(self.source, place, message))
    }

    /// Returns an error that names what was expected at this position.
    fn expected<T>(&self, what: &str) -> Result<T, Error> {
        let found = self.peek();
        self.error(
            found.place,
            format!("expected {what}, found {}", found.token.describe()),
        )
    }

    /// Consumes a symbol if it comes next.
    fn take(&mut self, symbol: char) -> bool {
        let there = self.peek().token == Token::Symbol(symbol);
        self.at += usize::from(there);
        there
    }

    /// Consumes a word if it comes next.
    fn take_word(&mut self, word: &str) -> bool {
        let there = matches!(&self.peek().token, Token::Word(next) if next == word);
        self.at += usize::from(there);
        there
    }

    fn symbol(&mut self, symbol: char) -> Result<(), Error> {
        if self.take(symbol) {
            Ok(())
        } else {
            self.expected(&format!("`{symbol}`"))
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, Error> {
        match &self.peek().token {
            Token::Word(text) => {
                let name = Name {
                    text: text.clone(),
                    place: self.peek().place,
                };
                self.next();
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    /// Parses a defined name: no dots, no hyphens.
    fn plain_name(&mut self, what: &str) -> Result<Name, Error> {
        let name = self.name(what)?;
        if let Some(at) = name.text.find(['.', '-']) {
            let message = format!("{what} cannot contain `{}`", &name.text[at..=at]);
            return self.error(Place(name.place.0 + at), message);
        }
        Ok(name)
    }

    fn string(&mut self, what: &str) -> Result<Name, Error> {
        match &self.peek().token {
            Token::String(text) => {
                let place = self.peek().place;
                let Ok(text) = String::from_utf8(text.clone()) else {
                    return self.error(place, format!("{what} must be UTF-8"));
                };
                self.next();
                Ok(Name { text, place })
            }
            _ => self.expected(what),
        }
    }

    /// Notes a skipped part.
    fn note(&mut self, place: Place, text: String) {
        self.notes.push(Name { text, place });
    }

    /// Parses `,` or `;` or nothing.
    fn separator(&mut self) {
        let _ = self.take(',') || self.take(';');
    }

    fn document(mut self) -> Result<Document, Error> {
        let mut document = Document::default();
        while self.peek().token != Token::End {
            let documentation = self.peek().documentation.clone();
            let annotations = self.structured_annotations()?;
            if !self.header(&mut document)? {
                let definition = self.definition(documentation, annotations)?;
                document.definitions.push(definition);
            }
            self.separator();
        }
        document.notes = self.notes;
        Ok(document)
    }

    fn header(&mut self, document: &mut Document) -> Result<bool, Error> {
        let Token::Word(word) = self.peek().token.clone() else {
            return Ok(false);
        };
        match &*word {
            "include" => {
                self.next();
                let path = self.string("a quoted file path")?;
                let alias = if self.take_word("as") {
                    Some(self.namespace()?.text)
                } else {
                    None
                };
                document.includes.push(Include { path, alias });
            }
            // The name under which fbthrift registers types. It does not affect module names, so
            // that Apache's and fbthrift's files are treated the same.
            "package" => {
                self.next();
                document.has_package = true;
                if matches!(self.peek().token, Token::String(_)) {
                    self.next();
                }
                self.read_octal();
            }
            "cpp_include" | "hs_include" => {
                self.next();
                self.string("a quoted header name")?;
            }
            "namespace" => {
                self.next();
                let scope = if self.take('*') {
                    "*".to_owned()
                } else {
                    self.name("a language")?.text
                };
                let name = self.namespace()?;
                self.annotations()?;
                document.namespaces.push((scope, name));
            }
            // Forms of namespaces before version 0.2.
            "cpp_namespace" | "php_namespace" | "py_module" | "perl_package" | "ruby_namespace"
            | "smalltalk_category" | "smalltalk_prefix" | "java_package" | "cocoa_prefix"
            | "csharp_namespace" | "delphi_namespace" | "xsd_namespace" => {
                self.next();
                self.namespace()?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads numbers with a leading zero as octal from here on.
    fn read_octal(&mut self) {
        for lexed in &mut self.tokens[self.at..] {
            if matches!(lexed.token, Token::Integer(_) | Token::Double(_))
                && let Some(number) = octal(self.source, lexed.place)
            {
                lexed.token = Token::Integer(number);
            }
        }
    }

    fn namespace(&mut self) -> Result<Name, Error> {
        match self.peek().token {
            Token::String(_) => self.string("a namespace"),
            _ => self.name("a namespace"),
        }
    }
}

#[cfg(test)]
mod tests;
