//! Checks predicates against a schema and evaluates them.

use super::boxes::Boxed;
use super::column::{Column, test_parts};
use super::compute::Computed;
use super::like::Pattern;
use super::test::Test;
use super::{Comparison, Predicate};
use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{
    AnyDictionaryArray, Array, ArrayRef, BooleanArray, RecordBatch, downcast_integer,
    new_empty_array,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, NullBuffer};
use arrow_schema::{FieldRef, Fields, Schema};
use arrow_select::take::take;
use bytelane::validity::Format;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Predicate that has been checked against a schema.
///
/// ```
/// use arrow_array::{Float64Array, RecordBatch};
/// use bytelane_parquet::filter::{Filter, Predicate};
/// use std::sync::Arc;
///
/// let prices = Float64Array::from(vec![Some(99.5), None, Some(101.0)]);
/// let batch = RecordBatch::try_from_iter([("price", Arc::new(prices) as _)])?;
/// let predicate: Predicate = "price > 100".parse()?;
/// let filter = Filter::try_new(&predicate, &batch.schema())?;
/// assert_eq!(filter.evaluate(&batch)?, vec![false, false, true].into());
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter {
    pub(super) root: Node,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf(Leaf),
    Computed(Computed),
    /// Result for all rows; `None` for null.
    Constant(Option<bool>),
    Not(Box<Node>),
    And(Vec<Node>),
    Or(Vec<Node>),
}

/// Test of a column.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) column: Column,
    pub(super) test: Test,
    /// Results for the entries of the last dictionary.
    entries: Arc<Mutex<Option<Entries>>>,
}

/// Entries of a dictionary, and the test's results for them.
type Entries = (ArrayRef, BooleanArray);

impl Filter {
    /// Resolves the columns in a schema and checks that they are comparable with the values.
    ///
    /// # Errors
    ///
    /// [`Problem::NoSuchColumn`]; [`Problem::Option`] for an element of a column that is no list, or a column of a type that is
    /// not comparable with a value.
    pub fn try_new(predicate: &Predicate, schema: &Schema) -> Result<Self> {
        Ok(Self {
            root: Node::new(predicate, schema.fields())?,
        })
    }

    /// Returns the paths of the columns, as lists of names.
    pub(super) fn columns(&self) -> Vec<&[String]> {
        let mut columns = Vec::new();
        self.root
            .visit(&mut |column| columns.push(column.names.as_slice()));
        columns
    }

    /// Replaces tests of columns with the same value in all rows by their results.
    pub(super) fn with_constants(self, constants: &[(FieldRef, ArrayRef)]) -> Result<Self> {
        Ok(Self {
            root: self.root.with_constants(constants)?,
        })
    }

    /// Splits a conjunction into filters that must all be true, each with a different set of
    /// columns.
    pub(super) fn conjuncts(self) -> Vec<Self> {
        let mut parts = Vec::new();
        self.root.split(&mut parts);
        let mut filters: Vec<Self> = Vec::new();
        for part in parts {
            let part = Self { root: part };
            let same = filters
                .iter_mut()
                .find(|filter| filter.column_set() == part.column_set());
            match same {
                Some(same) => same.root.add(part.root),
                None => filters.push(part),
            }
        }
        filters
    }

    fn column_set(&self) -> BTreeSet<&[String]> {
        self.columns().into_iter().collect()
    }

    /// Returns a mask of the rows for which the predicate is true. The batch may have other
    /// columns, too.
    ///
    /// # Errors
    ///
    /// Same errors as [`try_new`](Self::try_new), if a column is missing or has another type than
    /// in the schema.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        Ok(BooleanArray::new(self.rows(batch)?, None))
    }

    /// Returns a mask of the rows for which the predicate is true.
    pub(super) fn rows(&self, batch: &RecordBatch) -> Result<BooleanBuffer> {
        self.root.rows(batch, true)
    }
}

impl Node {
    fn new(predicate: &Predicate, fields: &Fields) -> Result<Self> {
        let nodes = |all: &[Predicate]| {
            all.iter()
                .map(|it| Self::new(it, fields))
                .collect::<Result<_>>()
        };
        let leaf = |column, test| Leaf::new(column, test, fields).map(Self::Leaf);
        match predicate {
            Predicate::Compare {
                column,
                comparison,
                value,
            } => leaf(column, Test::Compare(*comparison, value.clone())),
            Predicate::In { column, values } => leaf(column, Test::In(values.clone())),
            Predicate::Like { column, pattern } => leaf(column, Test::Like(Pattern::new(pattern))),
            Predicate::ILike { column, pattern } => {
                leaf(column, Test::Like(Pattern::ignoring_case(pattern)))
            }
            Predicate::IntersectsBox { column, corners } => {
                leaf(column, Test::IntersectsBox(Boxed::new(*corners)))
            }
            Predicate::IsNull { column } => leaf(column, Test::IsNull),
            Predicate::CompareExpressions {
                left,
                comparison,
                right,
            } => Computed::new(left, *comparison, right, fields).map(Self::Computed),
            Predicate::ExpressionIsNull { expression } => {
                Computed::is_null(expression, fields).map(Self::Computed)
            }
            Predicate::Not(inner) => Ok(Self::Not(Box::new(Self::new(inner, fields)?))),
            Predicate::And(all) => Ok(Self::And(nodes(all)?)),
            Predicate::Or(all) => Ok(Self::Or(nodes(all)?)),
        }
    }

    fn with_constants(self, constants: &[(FieldRef, ArrayRef)]) -> Result<Self> {
        let all = |nodes: Vec<Self>| -> Result<Vec<Self>> {
            let nodes = nodes.into_iter();
            nodes.map(|node| node.with_constants(constants)).collect()
        };
        Ok(match self {
            Self::Leaf(leaf) => {
                let is_tested = |(field, _): &&(FieldRef, ArrayRef)| {
                    leaf.column.names == [field.name().as_str()]
                };
                match constants.iter().find(is_tested) {
                    Some((_, value)) => {
                        let result = leaf.test_parts(value)?;
                        Self::Constant(result.is_valid(0).then(|| result.value(0)))
                    }
                    None => Self::Leaf(leaf),
                }
            }
            Self::Computed(computed) => {
                let constants = constants.iter();
                Self::Computed(constants.fold(computed, |computed, (field, value)| {
                    computed.with_constant(field.name(), value)
                }))
            }
            Self::Constant(_) => self,
            Self::Not(inner) => Self::Not(Box::new(inner.with_constants(constants)?)),
            Self::And(nodes) => Self::And(all(nodes)?),
            Self::Or(nodes) => Self::Or(all(nodes)?),
        })
    }

    /// Appends the operands of a conjunction.
    fn split(self, parts: &mut Vec<Self>) {
        match self {
            Self::And(nodes) => nodes.into_iter().for_each(|node| node.split(parts)),
            other => parts.push(other),
        }
    }

    /// Adds a node as a conjunct.
    fn add(&mut self, node: Self) {
        if let Self::And(nodes) = self {
            nodes.push(node);
            return;
        }
        let own = std::mem::replace(self, Self::Constant(None));
        *self = Self::And(vec![own, node]);
    }

    fn visit<'a>(&'a self, column: &mut impl FnMut(&'a Column)) {
        match self {
            Self::Leaf(leaf) => column(&leaf.column),
            Self::Computed(computed) => computed.visit(column),
            Self::Constant(_) => {}
            Self::Not(inner) => inner.visit(column),
            Self::And(all) | Self::Or(all) => all.iter().for_each(|it| it.visit(column)),
        }
    }

    /// Returns whether it tests each value of a column alone, so that keys of dictionaries can replace values.
    pub(super) fn takes_dictionaries(&self) -> bool {
        match self {
            Self::Leaf(_) | Self::Constant(_) => true,
            Self::Computed(computed) => !computed.has_several_columns(),
            Self::Not(inner) => inner.takes_dictionaries(),
            Self::And(all) | Self::Or(all) => all.iter().all(Self::takes_dictionaries),
        }
    }

    /// Returns the estimated share of the rows for which the node is true, assuming that its operands
    /// are independent. The shares are those that databases assume without statistics.
    pub(super) fn selectivity(&self) -> f64 {
        match self {
            Self::Leaf(leaf) => match &leaf.test {
                Test::IsNull | Test::IntersectsBox(_) | Test::Compare(Comparison::Equal, _) => 0.05,
                Test::In(values) => (0.05 * values.len() as f64).min(0.5),
                Test::Compare(Comparison::NotEqual, _) => 0.95,
                Test::Compare(..) => 0.33,
                Test::Like(_) => 0.25,
            },
            Self::Computed(_) => 0.33,
            Self::Constant(result) => f64::from(u8::from(*result == Some(true))),
            Self::Not(inner) => 1.0 - inner.selectivity(),
            Self::And(all) => all.iter().map(Self::selectivity).product(),
            Self::Or(all) => 1.0 - all.iter().map(|it| 1.0 - it.selectivity()).product::<f64>(),
        }
    }

    /// Returns a mask of the rows for which the node has the wanted result, neither the opposite
    /// nor null.
    fn rows(&self, batch: &RecordBatch, wanted: bool) -> Result<BooleanBuffer> {
        match self {
            Self::Leaf(leaf) => Ok(with_result(leaf.evaluate(batch)?, wanted)),
            Self::Computed(computed) => Ok(with_result(computed.evaluate(batch)?, wanted)),
            Self::Constant(result) if *result == Some(wanted) => {
                Ok(BooleanBuffer::new_set(batch.num_rows()))
            }
            Self::Constant(_) => Ok(BooleanBuffer::new_unset(batch.num_rows())),
            Self::Not(inner) => inner.rows(batch, !wanted),
            // By De Morgan, a conjunction is false where one of its operands is false.
            Self::And(all) | Self::Or(all) => {
                let needs_all = matches!(self, Self::And(_)) == wanted;
                let start = if needs_all {
                    BooleanBuffer::new_set(batch.num_rows())
                } else {
                    BooleanBuffer::new_unset(batch.num_rows())
                };
                all.iter().try_fold(start, |rows, node| {
                    let others = node.rows(batch, wanted)?;
                    Ok(if needs_all {
                        &rows & &others
                    } else {
                        &rows | &others
                    })
                })
            }
        }
    }
}

impl Leaf {
    fn new(path: &str, test: Test, fields: &Fields) -> Result<Self> {
        let column = Column::find(path, fields)?;
        let test = test
            .of_field(&column.field)
            .map_err(|error| error.in_column(path))?;
        let leaf = Self {
            column,
            test,
            entries: Arc::default(),
        };
        leaf.test(&new_empty_array(leaf.column.field.data_type()))?;
        Ok(leaf)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        let (array, outer) = self.column.array(batch)?;
        let mask = self.test_parts(&array)?;
        let Some(outer) = outer else {
            return Ok(mask);
        };
        // A value in a null group is null.
        let (values, own) = mask.into_parts();
        Ok(match self.test {
            Test::IsNull => BooleanArray::new(&values | &!outer.inner(), None),
            _ => BooleanArray::new(values, NullBuffer::union(own.as_ref(), Some(&outer))),
        })
    }

    /// Tests the values that the column's steps lead to.
    fn test_parts(&self, array: &ArrayRef) -> Result<BooleanArray> {
        test_parts(array, &self.column.steps, &|array| self.test(array))
    }

    /// Tests the values of an array.
    pub(super) fn test(&self, array: &ArrayRef) -> Result<BooleanArray> {
        let result = match array.as_any_dictionary_opt() {
            Some(dictionary) if !matches!(self.test, Test::IsNull) => self.test_keys(dictionary),
            _ => self.test.evaluate(array),
        };
        result.map_err(|error| error.in_column(self.column.path()))
    }

    /// Tests the entries of a dictionary, once for all consecutive arrays that share it.
    fn test_keys(&self, array: &dyn AnyDictionaryArray) -> Result<BooleanArray> {
        let values = array.values();
        let entries = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let known = entries().clone();
        let results = match known.filter(|(known, _)| Arc::ptr_eq(known, values)) {
            Some((_, results)) => results,
            None => {
                let results = self.test.evaluate(values)?;
                *entries() = Some((Arc::clone(values), results.clone()));
                results
            }
        };
        looked_up(array, &results)
    }
}

/// Returns the rows with this result, neither the opposite nor null.
fn with_result(results: BooleanArray, wanted: bool) -> BooleanBuffer {
    let (values, nulls) = results.into_parts();
    let rows = if wanted { values } else { !&values };
    match nulls {
        Some(nulls) => &rows & nulls.inner(),
        None => rows,
    }
}

/// Looks up the result of each key's entry.
fn looked_up(array: &dyn AnyDictionaryArray, results: &BooleanArray) -> Result<BooleanArray> {
    if results.null_count() > 0 {
        return Ok(take(results, array.keys(), None)?.as_boolean().clone());
    }
    let keys = array.keys();
    macro_rules! look_up {
        ($keys:ty) => {
            bits_of(keys.as_primitive::<$keys>().values(), results.values())
        };
    }
    let values = downcast_integer! {
        keys.data_type() => (look_up),
        other => return Err(no_such_column(&format!("with keys of the type {other}"))),
    };
    Ok(BooleanArray::new(values, keys.nulls().cloned()))
}

/// Returns the bit of each key's entry. Keys of nulls are arbitrary; those without an entry get no bit.
fn bits_of<K: ArrowNativeType>(keys: &[K], entries: &BooleanBuffer) -> BooleanBuffer {
    const RUN: usize = 64;
    if entries.count_set_bits() == 0 {
        return BooleanBuffer::new_unset(keys.len());
    }
    let entries: Vec<u8> = entries.iter().map(u8::from).collect();
    let result = |key: &K| entries.get(key.as_usize()).copied().unwrap_or(0);
    let mut results = vec![0; keys.len()];
    for (results, keys) in results.chunks_mut(RUN).zip(keys.chunks(RUN)) {
        // A run of equal keys is decided once.
        let first = keys[0];
        if keys.iter().fold(true, |all, key| all & (*key == first)) {
            results.fill(result(&first));
        } else {
            let pairs = results.iter_mut().zip(keys);
            pairs.for_each(|(to, key)| *to = result(key));
        }
    }
    // The kernel that makes a bitmap of levels takes any bytes of 0 and 1.
    let format = Format::<u8>::new(1).expect("a level");
    let mut bits = Vec::new();
    let encoded = format.encode_append(&results, &mut bits);
    encoded.expect("no result is greater than 1");
    BooleanBuffer::new(bits.into(), 0, keys.len())
}

fn no_such_column(path: &str) -> Error {
    Problem::NoSuchColumn(path.to_owned()).into()
}
