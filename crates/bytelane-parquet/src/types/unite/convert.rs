//! Converts values to a united type.

use crate::types::fields::children;
use crate::{Problem, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray, make_array, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, FieldRef, Fields};
use std::sync::Arc;

/// Converts an array to a type that [unites](super::unite) its own with others. Members that a struct lacks are null.
///
/// # Errors
///
/// [`Problem::Input`] for a value that the type cannot hold, such as a time that is too far away for nanoseconds.
///
/// ```
/// use bytelane_parquet::arrow_array::{ArrayRef, DurationMillisecondArray, DurationSecondArray};
/// use bytelane_parquet::unite::convert;
/// use std::sync::Arc;
///
/// let seconds: ArrayRef = Arc::new(DurationSecondArray::from(vec![1, 2]));
/// let millis: ArrayRef = Arc::new(DurationMillisecondArray::from(vec![1000, 2000]));
/// assert_eq!(&convert(&seconds, millis.data_type())?, &millis);
/// # Ok::<(), bytelane_parquet::Error>(())
/// ```
pub fn convert(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let own = array.data_type();
    match (own, to) {
        (same, to) if same == to => Ok(Arc::clone(array)),
        (DataType::Null, _) => Ok(new_null_array(to, array.len())),
        (DataType::Struct(_), DataType::Struct(members)) => of_struct(array.as_struct(), members),
        (DataType::Map(..), DataType::Map(entries, _)) => of_map(array, entries, to),
        (DataType::Dictionary(..), _) => casted(array, to),
        _ => match (children(own).first(), children(to).first()) {
            (Some(_), Some(item)) => of_list(array, item, to),
            _ => casted(array, to),
        },
    }
}

fn casted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let strict = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, to, &strict).map_err(|error| {
        let problem = format!("a value cannot be converted to {to}: {error}");
        Problem::Input(problem).into()
    })
}

fn of_struct(array: &StructArray, members: &Fields) -> Result<ArrayRef> {
    let columns = members
        .iter()
        .map(|member| match array.column_by_name(member.name()) {
            Some(column) => convert(column, member.data_type()),
            None => Ok(new_null_array(member.data_type(), array.len())),
        });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let nulls = array.nulls().cloned();
    let converted = StructArray::try_new_with_length(members.clone(), columns, nulls, array.len())?;
    Ok(Arc::new(converted))
}

/// Converts the keys and values of maps, whose names have no meaning.
fn of_map(array: &ArrayRef, entries: &FieldRef, to: &DataType) -> Result<ArrayRef> {
    let DataType::Struct(members) = entries.data_type() else {
        return casted(array, to);
    };
    let map = array.as_map();
    let columns = map.entries().columns().iter().zip(members);
    let columns = columns.map(|(column, member)| convert(column, member.data_type()));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let pairs = StructArray::try_new(members.clone(), columns, map.entries().nulls().cloned())?;
    let data = array.to_data().into_builder().data_type(to.clone());
    let data = data.child_data(vec![pairs.to_data()]);
    Ok(make_array(data.build()?))
}

/// Converts the values of lists, then the lists.
fn of_list(array: &ArrayRef, item: &FieldRef, to: &DataType) -> Result<ArrayRef> {
    let item = Arc::clone(item);
    let like = match array.data_type() {
        DataType::List(_) => DataType::List(item),
        DataType::LargeList(_) => DataType::LargeList(item),
        DataType::ListView(_) => DataType::ListView(item),
        DataType::LargeListView(_) => DataType::LargeListView(item),
        DataType::FixedSizeList(_, size) => DataType::FixedSizeList(item, *size),
        _ => return casted(array, to),
    };
    let data = array.to_data();
    let item_type = children(&like)[0].data_type().clone();
    let values = data.child_data().iter().cloned().map(make_array);
    let values = values.map(|values| Ok(convert(&values, &item_type)?.to_data()));
    let values = values.collect::<Result<_>>()?;
    let data = data.into_builder().data_type(like).child_data(values);
    casted(&make_array(data.build()?), to)
}
