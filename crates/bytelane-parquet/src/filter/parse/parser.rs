//! Position in the tokens of a condition.

use super::super::expression::Operator;
use super::super::tokens::{Fault, Kind, Token};
use std::ops::Range;

#[derive(Default)]
pub(super) struct Parser {
    pub(super) tokens: Vec<Token>,
    pub(super) next: usize,
    pub(super) operations: usize,
    /// Indices of the tokens of each column, and its path.
    pub(super) columns: Vec<(Range<usize>, String)>,
}

impl Parser {
    pub(super) fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.next).map(|token| &token.kind)
    }

    pub(super) fn expected(&self, what: &str) -> Fault {
        self.fault(format!("expected {what}"))
    }

    pub(super) fn fault(&self, problem: String) -> Fault {
        let at = self.tokens.get(self.next).map(|token| token.at);
        Fault { at, problem }
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found =
            matches!(self.peek(), Some(Kind::Word(found)) if found.eq_ignore_ascii_case(word));
        self.next += usize::from(found);
        found
    }

    pub(super) fn accept_symbol(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Kind::Symbol(symbol));
        self.next += usize::from(found);
        found
    }

    pub(super) fn expect_symbol(&mut self, symbol: char) -> Result<(), Fault> {
        if self.accept_symbol(symbol) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{symbol}`")))
        }
    }

    pub(super) fn accept_operator(&mut self, operators: &[Operator]) -> Option<Operator> {
        let of = |(symbol, operator): &(char, Operator)| {
            operators.contains(operator) && self.peek() == Some(&Kind::Symbol(*symbol))
        };
        let (_, operator) = Operator::ALL.into_iter().find(|it| of(it))?;
        self.next += 1;
        Some(operator)
    }
}
