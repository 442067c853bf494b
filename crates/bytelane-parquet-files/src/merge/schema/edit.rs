//! Changes the columns of the output: their types, which there are, and their order.

use super::{Columns, Layout, Root};
use crate::edits::{AddedColumn, Edits, Promotion, names};
use crate::merge::meaning::elements_of;
use arrow_schema::{DataType, Field, FieldRef};
use bytelane_parquet::format::{FieldRepetitionType, SchemaElement};
use bytelane_parquet::types::unite::{unite, words};
use bytelane_parquet::{Error, Problem, Result};
use std::path::Path;
use std::sync::Arc;

/// Numbers of the former columns that become the columns of the output; `None` for a new one.
pub(in crate::merge) struct Edited(Vec<Option<usize>>);

impl Edited {
    /// Returns what there is for each column of the output.
    pub(in crate::merge) fn of<T: Clone>(&self, former: &[T], new: &T) -> Vec<T> {
        let all = self.0.iter();
        let all = all.map(|at| at.and_then(|at| former.get(at)).unwrap_or(new).clone());
        all.collect()
    }

    /// Returns the layout of an input.
    pub(in crate::merge) fn layout(&self, former: &Layout) -> Layout {
        self.of(former, &None)
    }
}

impl Columns {
    /// Makes the changes of columns, except for their names, which the inputs already have.
    pub(in crate::merge) fn edit(&mut self, edits: &Edits) -> Result<Edited> {
        if let Some((name, _)) = edits.rename.iter().find(|(it, _)| !self.found.contains(it)) {
            return Err(Problem::NoSuchColumn(name.clone()).into());
        }
        let renamed: Vec<String> = edits.rename.iter().map(|(old, _)| old.clone()).collect();
        names(&renamed, "rename")?;
        for (name, to) in &edits.promote {
            let at = self.position(edits.new_name(name))?;
            let promoted = self.promote(at, to);
            promoted.map_err(|error| error.in_column(name))?;
        }
        let mut kept: Vec<Option<usize>> = (0..self.roots.len()).map(Some).collect();
        let dropped = names(&edits.drop, "drop")?;
        for name in &edits.drop {
            let at = self.position(edits.new_name(name))?;
            kept.retain(|it| *it != Some(at));
        }
        self.changed |= !dropped.is_empty() || !edits.add.is_empty() || !edits.order.is_empty();
        let mut roots: Vec<(Root, Option<usize>)> = Vec::new();
        for at in kept.iter().flatten() {
            roots.push((self.roots[*at].clone(), Some(*at)));
        }
        for column in &edits.add {
            if roots.iter().any(|(root, _)| root.name() == column.name) {
                let problem = "it cannot be added: there is a column with this name";
                let error = Error::new(Problem::Option(problem.to_owned()));
                return Err(error.in_column(&column.name));
            }
            roots.push((added(column)?, None));
        }
        if roots.is_empty() && !self.roots.is_empty() {
            let problem = "all columns would be dropped; keep one";
            return Err(Problem::Option(problem.to_owned()).into());
        }
        names(&edits.order, "order")?;
        for (place, name) in edits.order.iter().enumerate() {
            let found = roots.iter().position(|(root, _)| root.name() == *name);
            let at = found.ok_or_else(|| Problem::NoSuchColumn(name.clone()))?;
            let root = roots.remove(at);
            roots.insert(place, root);
        }
        let (roots, former) = roots.into_iter().unzip();
        self.roots = roots;
        self.index();
        Ok(Edited(former))
    }

    /// Returns the number of a column with its new name.
    fn position(&self, name: &str) -> Result<usize> {
        let found = self.roots.iter().position(|root| root.name() == name);
        found.ok_or_else(|| match name.rsplit_once('.') {
            Some((parent, _)) if self.roots.iter().any(|root| root.name() == parent) => {
                let problem = "this option takes whole columns, and not their members";
                Error::new(Problem::Option(problem.to_owned())).in_column(name)
            }
            _ => Problem::NoSuchColumn(name.to_owned()).into(),
        })
    }

    /// Gives a column another type.
    fn promote(&mut self, at: usize, to: &Promotion) -> Result<()> {
        let root = &mut self.roots[at];
        let Some(field) = root.field.clone() else {
            let problem = "its type cannot be changed: Arrow has none for it";
            return Err(Problem::Unsupported(problem.to_owned()).into());
        };
        let data_type = match to {
            Promotion::Optional => {
                root.elements[0].repetition_type = Some(FieldRepetitionType::Optional);
                root.field = Some(Arc::new(Field::clone(&field).with_nullable(true)));
                self.is_widened = true;
                self.changed = true;
                return Ok(());
            }
            Promotion::Type(data_type) => data_type,
        };
        let target = Field::clone(&field).with_data_type(data_type.clone());
        let united = unite(&field, &target).ok();
        if united
            .as_ref()
            .is_some_and(|it| it.data_type() == data_type)
        {
            let elements = stored(&target)?;
            let other = Root::new(elements, Some(Arc::new(target)), Path::new(""));
            self.join(at, other, Path::new(""))
        } else if is_exact(field.data_type(), data_type) {
            let mut elements = stored(&target)?;
            elements[0].field_id = root.elements[0].field_id;
            *root = Root {
                is_converted: true,
                file: root.file.clone(),
                ..Root::new(elements, Some(Arc::new(target)), Path::new(""))
            };
            self.changed = true;
            Ok(())
        } else {
            let (own, wanted) = (words(&field), words(&target));
            let problem =
                format!("its type is {own}, and {wanted} does not hold all of its values");
            Err(Problem::Option(problem).into())
        }
    }
}

/// Returns true if a type of another kind holds all values of a type.
fn is_exact(from: &DataType, to: &DataType) -> bool {
    use DataType::{Date32, Decimal128, Float64, Int8, Int16, Int32, Int64, Timestamp};
    let digits = match from {
        Int8 => 3,
        Int16 => 5,
        Int32 => 10,
        Int64 => 19,
        _ => i16::MAX,
    };
    match (from, to) {
        (Date32, Timestamp(_, None)) | (Int8 | Int16 | Int32, Float64) => true,
        (Decimal128(precision, scale), Decimal128(wider, finer)) => {
            let before = |precision: u8, scale: i8| i16::from(precision) - i16::from(scale);
            finer >= scale && before(*wider, *finer) >= before(*precision, *scale)
        }
        (_, Decimal128(precision, scale)) => {
            *scale >= 0 && i16::from(*precision) - i16::from(*scale) >= digits
        }
        _ => false,
    }
}

/// Returns a new column.
fn added(column: &AddedColumn) -> Result<Root> {
    let field: FieldRef = Arc::new(Field::new(&column.name, column.data_type.clone(), true));
    Ok(Root {
        is_converted: true,
        constant: Some(column.array()?),
        ..Root::new(stored(&field)?, Some(field), Path::new(""))
    })
}

/// Returns the schema elements of a field.
fn stored(field: &Field) -> Result<Vec<SchemaElement>> {
    elements_of(field)?.ok_or_else(|| {
        let problem = format!("Parquet has no type for {}", words(field));
        Problem::Unsupported(problem).into()
    })
}
