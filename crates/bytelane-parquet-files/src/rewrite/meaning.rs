//! Compares what two files mean beside their values: types, as readers see them, and the order of categories.

use super::int96::Int96Unit;
use super::source::{Column, Source};
use crate::opened::Reopen;
use arrow_schema::FieldRef;
use bytelane_parquet::chunk::PageSummary;
use bytelane_parquet::types::fields::leaves;
use bytelane_parquet::types::written::schema_in_parquet;
use bytelane_parquet::unite::{is_ordered, words};
use bytelane_parquet::{Encoding, Problem, Result};
use bytes::Bytes;
use parquet::file::metadata::FileMetaData;
use std::collections::BTreeSet;

/// Checks that readers of both files see the same types. The crate `parquet` derives them from the footers. Leaves that were
/// converted from INT96 have other types.
pub(super) fn same_types<R: Reopen>(
    before: &Source<R>,
    after: &Source<R>,
    convert: Option<Int96Unit>,
) -> Result<()> {
    let (one, other) = (before.file_metadata(), after.file_metadata());
    let kept = |root: &usize| convert.is_none() || !before.roots[*root].has_int96();
    let roots = || (0..before.roots.len()).filter(kept);
    if let (Some(old), Some(new)) = (fields(one), fields(other)) {
        for root in roots() {
            if old.get(root) != new.get(root) {
                return Err(other_type(old.get(root), new.get(root)));
            }
        }
    }
    // Readers that know nothing of Arrow take the types from here.
    let in_file = |source: &Source<R>, root: usize| source.roots[root].in_file().clone();
    let is_same = before.roots.len() == after.roots.len()
        && roots().all(|root| in_file(before, root) == in_file(after, root));
    if !is_same {
        return Err(different("columns"));
    }
    if one.key_value_metadata() == other.key_value_metadata() {
        Ok(())
    } else {
        Err(different("key-value metadata"))
    }
}

/// Returns the Arrow types of the columns; `None` if there are none for some of them.
fn fields(file: &FileMetaData) -> Option<Vec<FieldRef>> {
    schema_in_parquet(file)
        .ok()
        .map(|schema| schema.fields().to_vec())
}

fn other_type(old: Option<&FieldRef>, new: Option<&FieldRef>) -> bytelane_parquet::Error {
    let shown = |field: Option<&FieldRef>| field.map_or("missing".to_owned(), |it| words(it));
    let name = old.or(new).map_or("", |field| field.name());
    let (old, new) = (shown(old), shown(new));
    let problem = if old == new {
        format!("the rewritten file has other metadata of column {name}")
    } else {
        format!("column {name} is {new} in the rewritten file, but {old} in the old one")
    };
    Problem::Different(problem).into()
}

pub(super) fn different(what: &str) -> bytelane_parquet::Error {
    Problem::Different(format!("the rewritten file has different {what}")).into()
}

/// Returns the leaves that are ordered dictionaries, whose entries are part of their type.
pub(super) fn ordered(file: &FileMetaData) -> BTreeSet<usize> {
    let fields = fields(file).unwrap_or_default();
    let leaves: Vec<&FieldRef> = fields.iter().flat_map(leaves).collect();
    if leaves.len() != file.schema_descr().num_columns() {
        return BTreeSet::new();
    }
    let leaves = leaves.into_iter().enumerate();
    leaves
        .filter(|(_, field)| is_ordered(field))
        .map(|(leaf, _)| leaf)
        .collect()
}

/// Checks that a leaf of a column has the same dictionary in both files, followed by the values that were in no dictionary
/// before. The crate `parquet` reads the pages. `leaf` counts within the column.
pub(super) fn same_entries<R: Reopen>(
    (before, old): (&Source<R>, Column<'_>),
    (after, new): (&Source<R>, Column<'_>),
    summary: &PageSummary,
    leaf: usize,
) -> Result<()> {
    if !summary.have_dictionary() {
        return Ok(());
    }
    let is_same = match (entries(before, old, leaf)?, entries(after, new, leaf)?) {
        (Some(old), new) if summary.are(Encoding::Dictionary) => Some(old) == new,
        (Some((old, _)), Some((new, _))) => new.starts_with(&old),
        (old, _) => old.is_none(),
    };
    if is_same {
        Ok(())
    } else {
        Err(different("categories, or another order of them"))
    }
}

fn entries<R: Reopen>(
    source: &Source<R>,
    column: Column<'_>,
    leaf: usize,
) -> Result<Option<(Bytes, u32)>> {
    let unsupported =
        |why: &String| bytelane_parquet::Error::new(Problem::Unsupported(why.clone()));
    let read = column.root.read().as_ref().map_err(unsupported)?;
    source.witnessed_dictionary(column, read, leaf)
}

#[cfg(test)]
mod tests {
    use crate::rewrite::source::Source;
    use crate::rewrite::verify::verify;
    use crate::rewrite::{RewriteOptions, rewrite_bytes};
    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, DictionaryArray, DurationSecondArray, Int8Array, Int64Array, RecordBatch,
        StringArray, TimestampMicrosecondArray,
    };
    use arrow_schema::{Field, Schema};
    use bytelane_parquet::{Goal, Writer, WriterOptions};
    use bytes::Bytes;
    use std::sync::Arc;

    fn file(field: Field, array: ArrayRef) -> Bytes {
        let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]);
        let batch = batch.expect("rows");
        let mut bytes = Vec::new();
        let options = WriterOptions::default();
        let mut writer = Writer::try_new(&mut bytes, batch.schema(), options).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("a file");
        bytes.into()
    }

    fn column(array: impl arrow_array::Array + 'static) -> Bytes {
        file(
            Field::new("x", array.data_type().clone(), true),
            Arc::new(array),
        )
    }

    /// Levels as an ordered dictionary with these entries; the values are `low` and `high`.
    fn levels(entries: [&str; 3]) -> Bytes {
        let key = |value| {
            entries
                .iter()
                .position(|entry| *entry == value)
                .expect("an entry") as i8
        };
        let keys = Int8Array::from(vec![key("low"), key("high"), key("low")]);
        let values = Arc::new(StringArray::from(entries.to_vec()));
        let levels = DictionaryArray::<Int8Type>::new(keys, values);
        let field = Field::new_dictionary(
            "x",
            arrow_schema::DataType::Int8,
            arrow_schema::DataType::Utf8,
            true,
        );
        file(field.with_dict_is_ordered(true), Arc::new(levels))
    }

    fn verified(before: &Bytes, after: &Bytes) -> Result<(), String> {
        let [before, after] =
            [before, after].map(|file| Source::open(file.clone()).expect("a file"));
        let outcome = verify(&before, &after, &RewriteOptions::default());
        outcome.map_err(|error| error.to_string())
    }

    #[test]
    fn files_that_differ_only_in_their_arrow_types_are_not_the_same() {
        let numbers = column(Int64Array::from(vec![1, 2]));
        let durations = column(DurationSecondArray::from(vec![1, 2]));
        assert_eq!(verified(&numbers, &numbers), Ok(()));
        let error = verified(&durations, &numbers).expect_err("other types");
        assert_eq!(
            error,
            "column x is int64 in the rewritten file, but duration[s] in the old one"
        );
        let zoned = |zone: &str| {
            column(TimestampMicrosecondArray::from(vec![1]).with_timezone(zone.to_owned()))
        };
        assert!(verified(&zoned("UTC"), &zoned("Europe/Berlin")).is_err());
        let tagged = |value: &str| {
            let metadata = std::collections::HashMap::from([("unit".to_owned(), value.to_owned())]);
            let field = Field::new("x", arrow_schema::DataType::Int64, true);
            file(
                field.with_metadata(metadata),
                Arc::new(Int64Array::from(vec![1])),
            )
        };
        assert!(verified(&tagged("m"), &tagged("km")).is_err());
    }

    #[test]
    fn the_order_of_categories_is_compared() {
        let (up, down) = (
            levels(["low", "mid", "high"]),
            levels(["high", "mid", "low"]),
        );
        let error = verified(&up, &down).expect_err("another order");
        assert!(error.contains("categories"), "{error}");
        let options = RewriteOptions::default().with_goal(Goal::Size);
        let options = options.with_verify(true);
        assert!(rewrite_bytes(up, &options).is_ok());
    }
}
