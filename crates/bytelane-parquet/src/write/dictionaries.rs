//! Follows the dictionaries of all batches: keys must suffice for the entries of the whole file, because readers join its
//! dictionaries, and ordered ones must have one order.

use crate::types::fields::{children, with_children};
use crate::types::unite::{is_enum, is_ordered, united_order, wide_enough};
use crate::{Error, Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use std::collections::HashSet;
use std::sync::Arc;

/// Number of entries from which on 32-bit keys are needed in any case.
const MANY: usize = 1 << 17;

/// Dictionaries of the rows so far.
#[derive(Default)]
pub(super) struct Dictionaries {
    /// One for each dictionary in the schema, in the order of the fields.
    leaves: Vec<Leaf>,
}

/// Dictionaries of a column.
struct Leaf {
    column: String,
    is_ordered: bool,
    /// Set if more entries may need wider keys.
    is_counted: bool,
    /// Dictionary that was added last.
    last: Option<ArrayRef>,
    distinct: HashSet<Vec<u8>>,
    /// Entries of an ordered dictionary.
    order: Vec<Vec<u8>>,
}

impl Dictionaries {
    pub(super) fn new(schema: &Schema) -> Self {
        let mut leaves = Vec::new();
        for root in schema.fields() {
            each_dictionary(root, &mut |field, keys| {
                leaves.push(Leaf {
                    column: root.name().clone(),
                    is_ordered: is_ordered(field) && !is_enum(field),
                    is_counted: !is_enum(field) && keys.primitive_width().is_some_and(|it| it <= 2),
                    last: None,
                    distinct: HashSet::new(),
                    order: Vec::new(),
                });
            });
        }
        Self { leaves }
    }

    /// Adds the dictionaries of some rows.
    ///
    /// # Errors
    ///
    /// [`Problem::Input`] if an ordered dictionary does not continue the order of earlier ones.
    pub(super) fn add(&mut self, schema: &Schema, columns: &[ArrayRef]) -> Result<()> {
        if self.leaves.is_empty() {
            return Ok(());
        }
        let mut leaves = self.leaves.iter_mut();
        for (field, column) in schema.fields().iter().zip(columns) {
            add(field, column, &mut leaves)?;
        }
        Ok(())
    }

    /// Returns the schema with keys that suffice for all entries; `None` if they do already.
    pub(super) fn widened(&self, schema: &SchemaRef) -> Option<Schema> {
        let mut leaves = self.leaves.iter();
        let fields = schema.fields().iter();
        let fields: Vec<FieldRef> = fields.map(|field| widened(field, &mut leaves)).collect();
        let is_same = schema.fields().iter().eq(&fields);
        (!is_same).then(|| Schema::new_with_metadata(fields, schema.metadata().clone()))
    }
}

/// Calls a function with each dictionary in a field, and the type of its keys.
fn each_dictionary(field: &FieldRef, see: &mut impl FnMut(&Field, &DataType)) {
    if let DataType::Dictionary(keys, _) = field.data_type() {
        see(field, keys);
    }
    for child in children(field.data_type()) {
        each_dictionary(child, see);
    }
}

fn add<'a>(
    field: &FieldRef,
    array: &ArrayRef,
    leaves: &mut impl Iterator<Item = &'a mut Leaf>,
) -> Result<()> {
    if let (DataType::Dictionary(..), Some(dictionary)) =
        (field.data_type(), array.as_any_dictionary_opt())
    {
        return leaves
            .next()
            .map_or(Ok(()), |leaf| leaf.add(dictionary.values()));
    }
    let within = children(field.data_type());
    if within
        .iter()
        .all(|child| !crate::types::physical::has_dictionary(child.data_type()))
    {
        return Ok(());
    }
    let data = array.to_data();
    for (child, data) in within.into_iter().zip(data.child_data()) {
        add(child, &make_array(data.clone()), leaves)?;
    }
    Ok(())
}

impl Leaf {
    fn add(&mut self, values: &ArrayRef) -> Result<()> {
        let is_wanted = self.is_ordered || self.is_counted && self.distinct.len() < MANY;
        let is_same = |last: &ArrayRef| last.to_data().ptr_eq(&values.to_data());
        if !is_wanted || self.last.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        self.last = Some(Arc::clone(values));
        let entries = entries(values)?;
        if self.is_counted {
            self.distinct.extend(entries.iter().cloned());
        }
        if !self.is_ordered || self.order == entries {
            return Ok(());
        }
        let united = united_order(&self.order, &entries);
        match united.filter(|united| united.starts_with(&self.order)) {
            Some(united) => self.order = united,
            None => {
                let problem = "its categories are ordered otherwise than those of earlier rows; give all rows the same categories before";
                let error = Error::from(Problem::Input(problem.to_owned()));
                return Err(error.in_column(&self.column));
            }
        }
        Ok(())
    }
}

/// Returns the bytes of the distinct entries of a dictionary, in their order.
fn entries(values: &ArrayRef) -> Result<Vec<Vec<u8>>> {
    let all: Vec<Option<Vec<u8>>> = match values.data_type() {
        DataType::Utf8 => owned(values.as_string::<i32>().iter()),
        DataType::LargeUtf8 => owned(values.as_string::<i64>().iter()),
        DataType::Utf8View => owned(values.as_string_view().iter()),
        DataType::Binary => owned(values.as_binary::<i32>().iter()),
        DataType::LargeBinary => owned(values.as_binary::<i64>().iter()),
        DataType::BinaryView => owned(values.as_binary_view().iter()),
        DataType::FixedSizeBinary(_) => owned(values.as_fixed_size_binary().iter()),
        _ => {
            let options = FormatOptions::default();
            let texts = ArrayFormatter::try_new(values, &options)?;
            let text = |at: usize| (!values.is_null(at)).then(|| texts.value(at).to_string());
            (0..values.len())
                .map(|at| text(at).map(String::into_bytes))
                .collect()
        }
    };
    let mut seen = HashSet::new();
    let distinct = all
        .into_iter()
        .flatten()
        .filter(|entry| seen.insert(entry.clone()));
    Ok(distinct.collect())
}

fn owned<T: AsRef<[u8]>>(values: impl Iterator<Item = Option<T>>) -> Vec<Option<Vec<u8>>> {
    values
        .map(|value| value.map(|it| it.as_ref().to_vec()))
        .collect()
}

fn widened<'a>(field: &FieldRef, leaves: &mut impl Iterator<Item = &'a Leaf>) -> FieldRef {
    let DataType::Dictionary(keys, values) = field.data_type() else {
        return with_children(field, &mut |child| widened(child, leaves));
    };
    match leaves.next().filter(|leaf| leaf.is_counted) {
        Some(leaf) => {
            let keys = wide_enough(keys, leaf.distinct.len());
            let wide = DataType::Dictionary(Box::new(keys), values.clone());
            Arc::new(Field::clone(field).with_data_type(wide))
        }
        None => Arc::clone(field),
    }
}
