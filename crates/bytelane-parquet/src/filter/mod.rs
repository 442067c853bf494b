//! Selects the rows that satisfy a condition.
//!
//! A [`Predicate`] is a condition on columns, which it names by their paths. A [`Filter`] is a
//! predicate that has been checked against a schema: it takes record batches and returns masks.
//! [`Selection`] reads the rows of a file that satisfy a predicate, and skips row groups that
//! statistics exclude.
//!
//! Nulls follow SQL: a comparison with null is null, `not` of null is null, and only rows for which
//! the predicate is true are kept. Floats follow IEEE 754, as in pyarrow: NaN equals nothing and is
//! neither smaller nor larger than anything, and 0.0 equals -0.0.

mod bind;
mod boxes;
mod column;
mod compute;
mod expression;
mod like;
mod parse;
mod prune;
mod select;
mod test;
mod tokens;
mod value;

pub use bind::Filter;
#[doc(hidden)]
pub use column::list_of;
pub use expression::{Expression, Operator};
#[doc(hidden)]
pub use parse::{NamedColumn, columns_in};
#[doc(hidden)]
pub use prune::exact_bounds;
pub use select::{SelectedRows, Selection};
pub use value::Value;

/// Condition on the rows of a table.
///
/// Paths of columns consist of names, separated by dots. In a column of lists, `items[1].price` is a part of the first element and
/// `items[-1].price` of the last one; it is null if there is none. A test of `items[*].price` is true if it is true for any element.
/// In a column of maps, `sizes['x']` is the value of the key `x`, and null without that key. Keys that are integers have no
/// quotation marks.
///
/// [`FromStr`](std::str::FromStr) parses conditions in SQL syntax:
///
/// ```
/// use bytelane_parquet::filter::{Comparison, Predicate, Value};
///
/// let parsed: Predicate = "price > 100 and not name is null".parse()?;
/// let built = Predicate::And(vec![
///     Predicate::Compare { column: "price".into(), comparison: Comparison::Greater, value: Value::Integer(100) },
///     Predicate::Not(Box::new(Predicate::IsNull { column: "name".into() })),
/// ]);
/// assert_eq!(parsed, built);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// Compares a column with a value.
    Compare {
        /// Path of the column, its names separated by dots.
        column: String,
        /// Operator between the column and the value.
        comparison: Comparison,
        /// Right side of the operator.
        value: Value,
    },
    /// The column equals one of the values.
    In {
        /// Path of the column.
        column: String,
        /// Values in any order.
        values: Vec<Value>,
    },
    /// The text matches a pattern, in which `%` matches any sequence of characters and `_` any
    /// single one.
    Like {
        /// Path of the column.
        column: String,
        /// Pattern that must match the whole text.
        pattern: String,
    },
    /// The text matches a pattern as in [`Like`](Self::Like), if the case of letters is ignored.
    ILike {
        /// Path of the column.
        column: String,
        /// Pattern that must match the whole text.
        pattern: String,
    },
    /// The box around the vertices of a geometry has a point in common with a box; null if the value is not a geometry in WKB.
    ///
    /// Row groups are skipped by the boxes of their geometries.
    IntersectsBox {
        /// Path of the column.
        column: String,
        /// Smallest x and y, and largest x and y. If the smallest x exceeds the largest one, the box crosses the antimeridian.
        corners: [f64; 4],
    },
    /// Compares two expressions, such as two columns.
    CompareExpressions {
        /// Left side of the operator.
        left: Expression,
        /// Operator between the expressions.
        comparison: Comparison,
        /// Right side of the operator.
        right: Expression,
    },
    /// The column is null. This is never null itself.
    IsNull {
        /// Path of the column.
        column: String,
    },
    /// The expression is null. This is never null itself.
    ExpressionIsNull {
        /// Expression, such as the sum of two columns.
        expression: Expression,
    },
    /// The condition is false.
    Not(Box<Predicate>),
    /// All conditions are true; true if there are none.
    And(Vec<Predicate>),
    /// One of the conditions is true; false if there are none.
    Or(Vec<Predicate>),
}

/// Operator that compares two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Returns the operator for swapped sides.
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

impl Predicate {
    /// Returns the paths of the columns in the order of their first appearance.
    ///
    /// ```
    /// let predicate: bytelane_parquet::filter::Predicate = "b.c = 1 or a = 2 or b.c = 3".parse()?;
    /// assert_eq!(predicate.columns(), ["b.c", "a"]);
    /// # Ok::<(), bytelane_parquet::Error>(())
    /// ```
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        let mut columns = Vec::new();
        self.collect_columns(&mut columns);
        columns
    }

    fn collect_columns<'a>(&'a self, columns: &mut Vec<&'a str>) {
        match self {
            Self::Compare { column, .. }
            | Self::In { column, .. }
            | Self::Like { column, .. }
            | Self::ILike { column, .. }
            | Self::IntersectsBox { column, .. }
            | Self::IsNull { column } => {
                if !columns.contains(&column.as_str()) {
                    columns.push(column);
                }
            }
            Self::CompareExpressions { left, right, .. } => {
                left.collect_columns(columns);
                right.collect_columns(columns);
            }
            Self::ExpressionIsNull { expression } => expression.collect_columns(columns),
            Self::Not(inner) => inner.collect_columns(columns),
            Self::And(all) | Self::Or(all) => {
                all.iter().for_each(|it| it.collect_columns(columns));
            }
        }
    }
}
