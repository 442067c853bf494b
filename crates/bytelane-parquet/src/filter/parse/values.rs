//! Constants of a condition.

use super::super::Value;
use super::super::tokens::{Fault, Kind};
use super::super::value::duration;
use super::parser::Parser;
use arrow_schema::{DataType, TimeUnit};

impl Parser {
    pub(super) fn refuse_null(&self) -> Result<(), Fault> {
        match self.peek() {
            Some(Kind::Word(word)) if word.eq_ignore_ascii_case("null") => {
                Err(self.fault("nothing equals null; use `is null` or `is not null`:".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Parses a value of a list.
    pub(super) fn value(&mut self) -> Result<Value, Fault> {
        self.refuse_null()?;
        let is_negative = self.accept_symbol('-');
        let at = self.next;
        let value = self.constant()?;
        let value = match value {
            Some(value) if is_negative => opposite(&value),
            value => value,
        };
        value.ok_or_else(|| {
            self.next = at;
            self.expected(match self.peek() {
                Some(Kind::Word(_) | Kind::Quoted(_)) => {
                    "a number, or a text between single quotation marks, such as 'a',"
                }
                _ => "a value",
            })
        })
    }

    /// Parses a constant, if there is one.
    pub(super) fn constant(&mut self) -> Result<Option<Value>, Fault> {
        if let Some(Kind::Value(value)) = self.peek() {
            let value = value.clone();
            self.next += 1;
            return Ok(Some(value));
        }
        let Some(Kind::Word(word)) = self.peek() else {
            return Ok(None);
        };
        let word = word.to_ascii_lowercase();
        let after = self.tokens.get(self.next + 1).map(|token| &token.kind);
        let value = match (word.as_str(), after) {
            ("true", _) => Value::Boolean(true),
            ("false", _) => Value::Boolean(false),
            (_, Some(Kind::Value(Value::Text(text)))) => {
                let typed = typed(&word, text);
                let known = matches!(&*word, "date" | "time" | "timestamp" | "interval");
                let Some(value) = typed else {
                    if !known {
                        return Ok(None);
                    }
                    let what = if word == "interval" {
                        "duration, such as '1 day 2 hours'"
                    } else {
                        &word
                    };
                    return Err(self.fault(format!("{text:?} is no {what}")));
                };
                self.next += 1;
                value
            }
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(value))
    }
}

/// Returns the value of a text after a word such as `date`.
fn typed(word: &str, text: &str) -> Option<Value> {
    let text = Value::Text(text.to_owned());
    match word {
        "date" => {
            let nanoseconds = text.nanoseconds(&DataType::Date32)?;
            let days = nanoseconds.div_euclid(86_400_000_000_000);
            i32::try_from(days).ok().map(Value::Date)
        }
        "time" => {
            let nanoseconds = text.nanoseconds(&DataType::Time64(TimeUnit::Nanosecond))?;
            i64::try_from(nanoseconds).ok().map(Value::Time)
        }
        "timestamp" => {
            let data_type = DataType::Timestamp(TimeUnit::Nanosecond, None);
            let nanoseconds = text.nanoseconds(&data_type)?;
            Some(Value::Timestamp {
                nanoseconds,
                is_utc: false,
            })
        }
        "interval" => match &text {
            Value::Text(text) => duration(text).map(Value::Duration),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a number or a duration with the opposite sign.
pub(super) fn opposite(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Integer(value) => Value::Integer(value.checked_neg()?),
        Value::Float(value) => Value::Float(-value),
        Value::Decimal { digits, scale } => Value::Decimal {
            digits: digits.checked_neg()?,
            scale: *scale,
        },
        Value::Duration(value) => Value::Duration(value.checked_neg()?),
        _ => return None,
    })
}
