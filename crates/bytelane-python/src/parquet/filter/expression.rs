//! Reads expressions of pyarrow.
//!
//! Their parts are only in what pickle stores: an Arrow file, whose columns have the literals and the options of functions, and the
//! metadata of whose schema has the expression. A function's name, arguments, options and end follow each other there.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_ipc::reader::FileReader;
use arrow_ipc::root_as_footer;
use std::io::Cursor;

/// Depth of functions within functions, of which those of many conditions count once.
const DEPTH: usize = 64;

/// Part of an expression.
pub enum Part {
    /// Array with one value.
    Literal(ArrayRef),
    /// Names from the column to a member of structs.
    Field(Vec<String>),
    Call(Call),
}

/// Function with its arguments.
#[derive(Default)]
pub struct Call {
    pub function: String,
    pub arguments: Vec<Part>,
    /// Struct with the options.
    options: Option<ArrayRef>,
    depth: usize,
}

impl Call {
    /// Returns an option of the function.
    pub fn option(&self, name: &str) -> Option<&ArrayRef> {
        self.options.as_ref()?.as_struct_opt()?.column_by_name(name)
    }

    /// Adds an argument. Conditions that are connected by the same word become arguments of one function.
    fn push(&mut self, part: Part) {
        match part {
            Part::Call(inner) if inner.function == self.function && inner.is_flat() => {
                self.depth = self.depth.max(inner.depth);
                self.arguments.extend(inner.arguments);
            }
            Part::Call(inner) => {
                self.depth = self.depth.max(inner.depth + 1);
                self.arguments.push(Part::Call(inner));
            }
            part => self.arguments.push(part),
        }
    }

    fn is_flat(&self) -> bool {
        matches!(self.function.as_str(), "and_kleene" | "or_kleene")
    }
}

/// Reads what pickle stores of an expression; `None` if it is in another form, or too deep.
pub fn read(file: &[u8]) -> Option<Part> {
    let literals = FileReader::try_new(Cursor::new(file), None).ok()?.next()?;
    let literals = literals.ok()?;
    let literal = |index: &str| {
        Some(ArrayRef::clone(
            literals.columns().get(index.parse::<usize>().ok()?)?,
        ))
    };
    let mut calls: Vec<Call> = Vec::new();
    let mut tokens = tokens(file)?.into_iter();
    while let Some((key, value)) = tokens.next() {
        let part = match key.as_str() {
            "call" => {
                calls.push(Call {
                    function: value,
                    ..Call::default()
                });
                continue;
            }
            "options" => {
                calls.last_mut()?.options = Some(literal(&value)?);
                continue;
            }
            "end" => Part::Call(calls.pop()?),
            "literal" => Part::Literal(literal(&value)?),
            "field_ref" => Part::Field(vec![value]),
            "nested_field_ref" => {
                let names = tokens.by_ref().take(value.parse().ok()?);
                let names = names.map(|(key, name)| (key == "field_ref").then_some(name));
                Part::Field(names.collect::<Option<_>>()?)
            }
            _ => return None,
        };
        match calls.last_mut() {
            Some(call) => call.push(part),
            None => return tokens.next().is_none().then_some(part),
        }
        if calls.last().is_some_and(|call| call.depth > DEPTH) {
            return None;
        }
    }
    None
}

/// Returns the metadata of a file's schema in order; keys are repeated.
fn tokens(file: &[u8]) -> Option<Vec<(String, String)>> {
    let (rest, _magic) = file.split_last_chunk::<6>()?;
    let (rest, length) = rest.split_last_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let footer = root_as_footer(rest.get(rest.len().checked_sub(length)?..)?).ok()?;
    let pairs = footer.schema()?.custom_metadata()?.iter();
    let pairs = pairs.map(|pair| Some((pair.key()?.to_owned(), pair.value()?.to_owned())));
    pairs.collect()
}
