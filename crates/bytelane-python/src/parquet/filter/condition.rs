//! Converts expressions of pyarrow to conditions, as far as they select the same rows.

use super::expression::{Call, Part, read};
use super::literal::{ColumnType, Set, value_in};
use crate::parquet::table::schema::Schema;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef, Fields};
use bytelane_parquet::filter::{Comparison, Predicate, Value};
use pyo3::prelude::*;
use std::collections::BTreeSet;

/// Condition for rows for which an expression of pyarrow can be true.
#[pyclass(frozen, module = "bytelane._native._parquet")]
pub struct Condition {
    /// Condition; `None` if nothing of the expression could be converted.
    converted: Option<Converted>,
    columns: Option<BTreeSet<String>>,
}

struct Converted {
    predicate: Predicate,
    /// Set if the condition is true, false and null for the same rows as the expression; otherwise, it is also true for others.
    is_exact: bool,
}

#[pymethods]
impl Condition {
    /// Converts what pickle stores of an expression about columns of a schema, which several files may be united to.
    #[new]
    fn new(stored: &[u8], schema: &Schema, is_united: bool) -> Self {
        let part = read(stored);
        let columns = Columns {
            fields: schema.0.fields(),
            is_united,
        };
        Self {
            converted: part.as_ref().and_then(|part| columns.condition(part)),
            columns: part.map(|part| {
                let mut columns = BTreeSet::new();
                collect_columns(&part, &mut columns);
                columns
            }),
        }
    }

    /// True if the expression is true for all rows for which the condition is.
    #[getter]
    fn is_exact(&self) -> bool {
        self.converted.as_ref().is_some_and(|it| it.is_exact)
    }

    /// Columns of the expression; `None` if it could not be read.
    #[getter]
    fn columns(&self) -> Option<Vec<&str>> {
        let columns = self.columns.as_ref()?.iter();
        Some(columns.map(String::as_str).collect())
    }
}

impl Condition {
    pub fn predicate(&self) -> Predicate {
        let converted = self.converted.as_ref();
        converted.map_or_else(|| Predicate::And(Vec::new()), |it| it.predicate.clone())
    }
}

fn collect_columns(part: &Part, columns: &mut BTreeSet<String>) {
    match part {
        Part::Literal(_) => {}
        Part::Field(names) => columns.extend(names.first().cloned()),
        Part::Call(call) => call
            .arguments
            .iter()
            .for_each(|it| collect_columns(it, columns)),
    }
}

fn exact(predicate: Predicate) -> Option<Converted> {
    Some(Converted {
        predicate,
        is_exact: true,
    })
}

fn not(predicate: Predicate) -> Predicate {
    Predicate::Not(Box::new(predicate))
}

/// Columns that an expression may name.
struct Columns<'a> {
    fields: &'a Fields,
    is_united: bool,
}

impl<'a> Columns<'a> {
    fn condition(&self, part: &Part) -> Option<Converted> {
        match part {
            Part::Literal(value) => match value.as_boolean_opt()? {
                value if value.is_null(0) => None,
                value if value.value(0) => exact(Predicate::And(Vec::new())),
                _ => exact(Predicate::Or(Vec::new())),
            },
            Part::Field(_) => {
                let (column, field) = self.column(part)?;
                let is_boolean = *field.data_type() == DataType::Boolean;
                is_boolean.then_some(())?;
                exact(Predicate::Compare {
                    column,
                    comparison: Comparison::Equal,
                    value: Value::Boolean(true),
                })
            }
            Part::Call(call) => self.function(call),
        }
    }

    fn function(&self, call: &Call) -> Option<Converted> {
        let arguments = call.arguments.as_slice();
        match (call.function.as_str(), arguments) {
            ("and_kleene", all) => {
                let parts: Vec<_> = all.iter().filter_map(|it| self.condition(it)).collect();
                let is_exact = parts.len() == all.len() && parts.iter().all(|it| it.is_exact);
                let parts: Vec<_> = parts.into_iter().map(|it| it.predicate).collect();
                (!parts.is_empty()).then_some(Converted {
                    predicate: Predicate::And(parts),
                    is_exact,
                })
            }
            ("or_kleene", all) => {
                let parts: Option<Vec<_>> = all.iter().map(|it| self.condition(it)).collect();
                let parts = parts?;
                Some(Converted {
                    is_exact: parts.iter().all(|it| it.is_exact),
                    predicate: Predicate::Or(parts.into_iter().map(|it| it.predicate).collect()),
                })
            }
            ("invert", [inner]) => {
                let inner = self.condition(inner)?;
                inner.is_exact.then_some(())?;
                exact(not(inner.predicate))
            }
            ("is_valid", [inner]) => {
                let (column, _) = self.column(inner)?;
                exact(not(Predicate::IsNull { column }))
            }
            ("is_null", [inner]) => {
                let (column, field) = self.column(inner)?;
                let nan_is_null = call.option("nan_is_null")?.as_boolean_opt()?.value(0);
                (!nan_is_null || !field.data_type().is_floating()).then_some(())?;
                exact(Predicate::IsNull { column })
            }
            ("is_in", [inner]) => self.is_in(inner, call),
            ("if_else", [Part::Call(test), Part::Call(then), Part::Literal(otherwise)]) => {
                self.is_in_or_null(test, then, otherwise)
            }
            (name, [left, right]) => self.compare(comparison(name)?, left, right),
            _ => None,
        }
    }

    fn is_in(&self, inner: &Part, call: &Call) -> Option<Converted> {
        let (column, _) = self.column(inner)?;
        let (values, set) = self.members(inner, call)?;
        let is_null = Predicate::IsNull { column };
        Some(Converted {
            predicate: if set.has_null {
                Predicate::Or(vec![is_null, values])
            } else {
                Predicate::And(vec![not(is_null), values])
            },
            is_exact: set.is_exact,
        })
    }

    /// Converts the `in` of DuckDB, which is null for a null.
    fn is_in_or_null(&self, test: &Call, then: &Call, otherwise: &ArrayRef) -> Option<Converted> {
        let [Part::Field(tested)] = test.arguments.as_slice() else {
            return None;
        };
        let [inner @ Part::Field(names)] = then.arguments.as_slice() else {
            return None;
        };
        let is_in = then.function == "is_in" && otherwise.is_null(0);
        let tests_null = test.function == "is_valid" && tested == names;
        (is_in && tests_null).then_some(())?;
        let (predicate, set) = self.members(inner, then)?;
        (!set.has_null).then_some(Converted {
            predicate,
            is_exact: set.is_exact,
        })
    }

    /// Returns whether the values of a column are in the set of `isin`, or null.
    fn members(&self, inner: &Part, call: &Call) -> Option<(Predicate, Set)> {
        let (column, field) = self.column(inner)?;
        let nulls = call.option("null_matching_behavior")?;
        let nulls = nulls.as_primitive_opt::<UInt32Type>()?.value(0);
        (nulls == MATCH).then_some(())?;
        let set = call.option("value_set")?.as_list_opt::<i32>()?.value(0);
        let mut set = Set::new(&set, ColumnType::new(field.data_type(), self.is_united))?;
        let values = std::mem::take(&mut set.values);
        Some((Predicate::In { column, values }, set))
    }

    fn compare(&self, comparison: Comparison, left: &Part, right: &Part) -> Option<Converted> {
        let (side, comparison, value) = match (left, right) {
            (side, Part::Literal(value)) => (side, comparison, value),
            (Part::Literal(value), side) => (side, comparison.flipped(), value),
            _ => return None,
        };
        let (column, field) = self.column(side)?;
        let data_type = ColumnType::new(field.data_type(), self.is_united);
        let value = value_in(value, 0, data_type)?;
        let is_exact = data_type.stores(&value);
        Some(Converted {
            predicate: Predicate::Compare {
                column,
                comparison: if is_exact {
                    comparison
                } else {
                    wider(comparison)?
                },
                value,
            },
            is_exact,
        })
    }

    /// Returns the path and the field of a column, unless its path could mean another one.
    fn column(&self, part: &Part) -> Option<(String, &'a FieldRef)> {
        let Part::Field(names) = part else {
            return None;
        };
        let is_simple = |name: &str| !name.contains(['.', '[', ']']);
        let mut found: Option<&FieldRef> = None;
        for name in names {
            let members = match found.map(|field| field.data_type()) {
                None => self.fields,
                Some(DataType::Struct(members)) => members,
                Some(_) => return None,
            };
            let mut same = members.iter().filter(|field| field.name() == name);
            found = Some(same.next()?);
            let is_only = same.next().is_none() && is_simple(name);
            let is_path = names.len() > 1;
            let is_clear = !is_path || members.iter().all(|field| is_simple(field.name()));
            (is_only && is_clear).then_some(())?;
        }
        Some((names.join("."), found?))
    }
}

/// `null_matching_behavior` of `isin`: null is in a set with null, and the result is never null.
const MATCH: u32 = 0;

/// Returns a comparison with the nearest float that is true if one with the value is.
fn wider(comparison: Comparison) -> Option<Comparison> {
    Some(match comparison {
        Comparison::NotEqual => return None,
        Comparison::Less => Comparison::LessOrEqual,
        Comparison::Greater => Comparison::GreaterOrEqual,
        other => other,
    })
}

fn comparison(function: &str) -> Option<Comparison> {
    Some(match function {
        "equal" => Comparison::Equal,
        "not_equal" => Comparison::NotEqual,
        "less" => Comparison::Less,
        "less_equal" => Comparison::LessOrEqual,
        "greater" => Comparison::Greater,
        "greater_equal" => Comparison::GreaterOrEqual,
        _ => return None,
    })
}
