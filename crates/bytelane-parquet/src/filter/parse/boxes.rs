//! Tests of geometries.

use super::super::Predicate;
use super::super::tokens::{Fault, Kind};
use super::super::value::Place;
use super::parser::Parser;

/// Name of the function.
const NAME: &str = "st_intersects_box";

impl Parser {
    /// Parses a call of `st_intersects_box`, if one follows.
    pub(super) fn box_test(&mut self) -> Result<Option<Predicate>, Fault> {
        let after = self.tokens.get(self.next + 1).map(|token| &token.kind);
        if after != Some(&Kind::Symbol('(')) || !self.accept_word(NAME) {
            return Ok(None);
        }
        self.expect_symbol('(')?;
        let column = self.column()?;
        let mut corners = [0.0; 4];
        for corner in &mut corners {
            self.expect_symbol(',')?;
            *corner = self.coordinate()?;
        }
        if corners[1] > corners[3] {
            let problem = "the smallest y exceeds the largest one; name the corners as xmin, ymin, xmax, ymax";
            return Err(self.fault(problem.to_owned()));
        }
        self.expect_symbol(')')?;
        Ok(Some(Predicate::IntersectsBox { column, corners }))
    }

    fn coordinate(&mut self) -> Result<f64, Fault> {
        let at = self.next;
        let place = self.value()?.among_floats(|text| text.parse().ok());
        let number = match place {
            Some(Place::At(number)) => Some(number),
            _ => None,
        };
        number.ok_or_else(|| {
            self.next = at;
            self.expected("a number")
        })
    }
}
