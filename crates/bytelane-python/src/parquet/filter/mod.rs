//! Conditions from Python values.

mod condition;
mod expression;
mod literal;

pub use condition::Condition;

use crate::arrow;
use crate::parquet::error::of_parquet;
use bytelane_parquet::filter::{self, Comparison, Predicate, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Conjunctions of tests, one of which must be true. `_filters.py` creates them from all forms that users
/// write.
pub type Disjunction = Vec<Vec<Test>>;

/// Column, operator and values; all operators except `in` and `not in` have one value.
pub type Test = (String, String, Vec<Tagged>);

/// Condition in one of its forms.
#[derive(FromPyObject)]
pub enum Filters {
    Converted(Py<Condition>),
    /// Condition in the syntax of SQL.
    Text(String),
    Tests(Disjunction),
}

impl Filters {
    pub fn predicate(&self, py: Python<'_>) -> PyResult<Predicate> {
        match self {
            Self::Converted(condition) => Ok(condition.get().predicate()),
            Self::Text(text) => text.parse().map_err(of_parquet),
            Self::Tests(tests) => predicate(py, tests),
        }
    }
}

/// Column in the text of a condition: the positions of its first character and of the one after it, and the steps to its values.
pub type NamedColumn = (usize, usize, Vec<String>);

/// Returns the columns in the text of a condition on the columns of a schema.
#[pyfunction]
pub fn columns_in(condition: &str, schema: &Bound<'_, PyAny>) -> PyResult<Vec<NamedColumn>> {
    let (schema, _) = arrow::import_schema(schema)?;
    let found = filter::columns_in(condition, &schema).map_err(of_parquet)?;
    let characters = |bytes: usize| condition[..bytes].chars().count();
    let found = found.into_iter().map(|it| {
        let (start, end) = (characters(it.place.start), characters(it.place.end));
        (start, end, it.steps)
    });
    Ok(found.collect())
}

/// Value with the name of its kind.
#[derive(FromPyObject)]
pub struct Tagged(String, Py<PyAny>);

impl Tagged {
    fn value(&self, py: Python<'_>) -> PyResult<Value> {
        let Self(kind, value) = self;
        let value = value.bind(py);
        Ok(match kind.as_str() {
            "boolean" => Value::Boolean(value.extract()?),
            "integer" => Value::Integer(value.extract()?),
            "float" => Value::Float(value.extract()?),
            "decimal" => {
                let (digits, scale) = value.extract()?;
                Value::Decimal { digits, scale }
            }
            "text" => Value::Text(value.extract()?),
            "binary" => Value::Binary(value.extract()?),
            "date" => Value::Date(value.extract()?),
            "time" => Value::Time(value.extract()?),
            "timestamp" => Value::Timestamp {
                nanoseconds: value.extract()?,
                is_utc: false,
            },
            "timestamp in UTC" => Value::Timestamp {
                nanoseconds: value.extract()?,
                is_utc: true,
            },
            "duration" => Value::Duration(value.extract()?),
            other => {
                return Err(PyValueError::new_err(format!(
                    "unknown kind of value {other:?}"
                )));
            }
        })
    }
}

fn predicate(py: Python<'_>, disjunction: &Disjunction) -> PyResult<Predicate> {
    let conjunctions = disjunction.iter().map(|conjunction| {
        let tests = conjunction.iter().map(|test| self::test(py, test));
        Ok(Predicate::And(tests.collect::<PyResult<_>>()?))
    });
    Ok(Predicate::Or(conjunctions.collect::<PyResult<_>>()?))
}

fn test(py: Python<'_>, (column, operator, values): &Test) -> PyResult<Predicate> {
    let column = column.clone();
    let mut values = values
        .iter()
        .map(|value| value.value(py))
        .collect::<PyResult<Vec<_>>>()?;
    let is_in = |values| Predicate::In {
        column: column.clone(),
        values,
    };
    let is_null = || Predicate::IsNull {
        column: column.clone(),
    };
    let not = |predicate| Predicate::Not(Box::new(predicate));
    let comparison = match operator.as_str() {
        "in" => return Ok(is_in(values)),
        "in or null" => return Ok(Predicate::Or(vec![is_in(values), is_null()])),
        // As in pyarrow, null is not in a list without nulls.
        "not in" => return Ok(Predicate::Or(vec![not(is_in(values)), is_null()])),
        "not in and not null" => {
            return Ok(Predicate::And(vec![not(is_in(values)), not(is_null())]));
        }
        "is null" => return Ok(is_null()),
        "is not null" => return Ok(not(is_null())),
        "==" => Comparison::Equal,
        "!=" => Comparison::NotEqual,
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        ">=" => Comparison::GreaterOrEqual,
        other => return Err(PyValueError::new_err(format!("unknown operator {other:?}"))),
    };
    match values.pop() {
        Some(value) if values.is_empty() => Ok(Predicate::Compare {
            column,
            comparison,
            value,
        }),
        _ => Err(PyValueError::new_err(format!("{operator} needs one value"))),
    }
}
