//! Services and their functions.

use super::Parser;
use crate::idl::lexer::Token;
use crate::idl::source::{Error, Place};
use crate::idl::syntax::*;

/// Reason for skipping a function, and the position to report.
type Unsupported = (Place, &'static str);

impl Parser<'_> {
    pub(super) fn service(&mut self) -> Result<(Name, Kind), Error> {
        let name = self.plain_name("the name of a service")?;
        let parent = if self.take_word("extends") {
            Some(self.name("a service")?)
        } else {
            None
        };
        let functions = self.functions()?;
        Ok((name, Kind::Service(parent, functions)))
    }

    /// Parses an interaction: fbthrift's group of calls that share a state of the connection, which
    /// messages lack.
    pub(super) fn interaction(&mut self) -> Result<(Name, Kind), Error> {
        let name = self.plain_name("the name of an interaction")?;
        let skipped = self.notes.len();
        self.functions()?;
        self.notes.truncate(skipped);
        let text = format!("the interaction `{}` is skipped", name.text);
        self.note(name.place, text);
        Ok((name, Kind::Interaction))
    }

    fn functions(&mut self) -> Result<Vec<Function>, Error> {
        self.symbol('{')?;
        let mut functions: Vec<Function> = Vec::new();
        while !self.take('}') {
            let Some(function) = self.function()? else {
                continue;
            };
            if functions
                .iter()
                .any(|other| other.name.text == function.name.text)
            {
                let message = format!("there is already a function `{}`", function.name.text);
                return self.error(function.name.place, message);
            }
            functions.push(function);
        }
        Ok(functions)
    }

    /// Parses a function, unless it is one to skip.
    fn function(&mut self) -> Result<Option<Function>, Error> {
        let (documentation, mut annotations) = self.introduction()?;
        if self.take_word("performs") {
            let Name { text, place } = self.name("the name of an interaction")?;
            self.separator();
            self.note(place, format!("`performs {text}` is skipped"));
            return Ok(None);
        }
        let mut oneway = false;
        loop {
            if self.take_word("oneway") || self.take_word("async") {
                oneway = true;
            } else if !self.take_word("readonly") && !self.take_word("idempotent") {
                break;
            }
        }
        let (returns, unsupported) = self.returned(&mut annotations)?;
        let name = self.plain_name("the name of a function")?;
        self.symbol('(')?;
        let arguments = self.fields(')')?;
        let throws = self.throws()?;
        annotations.extend(self.annotations()?);
        self.separator();
        if let Some((place, what)) = unsupported {
            let text = format!("the function `{}` is skipped: {what}", name.text);
            self.note(place, text);
            return Ok(None);
        }
        Ok(Some(Function {
            name,
            oneway,
            returns,
            arguments,
            throws,
            documentation,
            annotations,
        }))
    }

    fn throws(&mut self) -> Result<Vec<Field>, Error> {
        if !self.take_word("throws") {
            return Ok(Vec::new());
        }
        self.symbol('(')?;
        self.fields(')')
    }

    /// Parses the return type of a function, `None` for `void`. Also returns the reason for
    /// skipping the function, if it uses a feature of fbthrift's transport: an interaction, a
    /// stream or a sink.
    fn returned(
        &mut self,
        annotations: &mut Vec<Annotation>,
    ) -> Result<(Option<Type>, Option<Unsupported>), Error> {
        let mut unsupported = None;
        let mut first = None;
        for i in 0.. {
            let place = self.peek().place;
            let ty = if self.next_is_parameterised("stream") {
                unsupported.get_or_insert((place, "it returns a stream"));
                self.parts_of_stream()?;
                None
            } else if self.next_is_parameterised("sink") {
                unsupported.get_or_insert((place, "it returns a sink"));
                self.parts_of_stream()?;
                None
            } else if self.take_word("void") {
                None
            } else {
                Some(self.annotated_type(annotations)?)
            };
            if i == 0 {
                first = ty;
            }
            if !self.take(',') {
                break;
            }
            unsupported.get_or_insert((place, "it returns an interaction or a stream"));
        }
        Ok((first, unsupported))
    }

    /// Returns whether a word and `<` come next.
    fn next_is_parameterised(&self, word: &str) -> bool {
        let behind = self.tokens.get(self.at + 1);
        matches!(&self.peek().token, Token::Word(next) if next == word)
            && behind.is_some_and(|lexed| lexed.token == Token::Symbol('<'))
    }

    /// Parses `stream<T throws (..)>`, `sink<T throws (..), U throws (..)>`.
    fn parts_of_stream(&mut self) -> Result<(), Error> {
        self.next();
        self.symbol('<')?;
        loop {
            self.ty()?;
            self.throws()?;
            if !self.take(',') {
                return self.symbol('>');
            }
        }
    }
}
