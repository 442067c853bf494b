//! Plain loops of `fsst`: symbols in a hash table, and one branch for each code. The symbols are those of the codec.

use super::{Loops, Plain};
use crate::codec::fsst::{Symbols, lines, trained};
use crate::{Parameters, SpecificationError};
use bytelane::fsst::Table;
use std::collections::HashMap;

pub(crate) fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Plain>, SpecificationError> {
    let Symbols(table) = parameters.get("symbols", |_| true)?;
    Ok(Box::new(Fsst { table }))
}

const ESCAPE: u8 = 255;

struct Fsst {
    /// Table of given symbols; `None` if they are trained for each text.
    table: Option<Table>,
}

impl Loops for Fsst {
    #[inline(always)]
    fn encode(&self, values: &[u8], encoded: &mut [u8]) -> Option<usize> {
        let trained_now;
        let (table, mut at) = match &self.table {
            Some(table) => (table, 0),
            None => {
                trained_now = trained(values);
                (&trained_now, trained_now.write(encoded).ok()?)
            }
        };
        let mut codes = HashMap::new();
        for (symbol, code) in table.symbols().zip(0..ESCAPE) {
            codes.entry(symbol).or_insert(code);
        }
        for mut rest in lines(values) {
            while let Some(&first) = rest.first() {
                let longest = (1..=usize::min(8, rest.len())).rev();
                let found = longest
                    .map(|length| &rest[..length])
                    .find_map(|symbol| Some((*codes.get(symbol)?, symbol.len())));
                let (code, length) = found.unwrap_or((ESCAPE, 1));
                *encoded.get_mut(at)? = code;
                at += 1;
                if code == ESCAPE {
                    *encoded.get_mut(at)? = first;
                    at += 1;
                }
                rest = &rest[length..];
            }
        }
        Some(at)
    }

    #[inline(always)]
    fn decode(&self, encoded: &[u8], values: &mut [u8]) -> Option<usize> {
        let read;
        let (table, start) = match &self.table {
            Some(table) => (table, 0),
            None => {
                read = Table::read(encoded).ok()?;
                (&read.0, read.1)
            }
        };
        let mut symbols: [&[u8]; 256] = [&[]; 256];
        for (to, symbol) in symbols.iter_mut().zip(table.symbols()) {
            *to = symbol;
        }
        let (mut rest, mut at) = (&encoded[start..], 0);
        while let [code, following @ ..] = rest {
            let mut symbol = symbols[usize::from(*code)];
            rest = following;
            if *code == ESCAPE {
                (symbol, rest) = rest.split_at_checked(1)?;
            }
            if symbol.is_empty() {
                return None;
            }
            values
                .get_mut(at..)?
                .get_mut(..symbol.len())?
                .copy_from_slice(symbol);
            at += symbol.len();
        }
        Some(at)
    }
}
