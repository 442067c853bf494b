//! Converts values of files with other types to the type that they are compared in, which has no dictionaries.

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, ListArray, MapArray, StructArray, new_null_array,
};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, FieldRef, Fields};
use bytelane_parquet::{Problem, Result};
use std::sync::Arc;

/// Converts an array. Members of structs are found by name, those of maps by their place.
pub(super) fn converted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let own = array.data_type();
    Ok(match (own, to) {
        (same, to) if same == to => Arc::clone(array),
        (DataType::Null, _) => new_null_array(to, array.len()),
        (DataType::Dictionary(_, values), _) => converted(&casted(array, values)?, to)?,
        (DataType::Struct(_), DataType::Struct(members)) => {
            Arc::new(group(array.as_struct(), members)?)
        }
        (DataType::Map(..), DataType::Map(field, sorted)) => {
            let map = array.as_map();
            let DataType::Struct(members) = field.data_type() else {
                return casted(array, to);
            };
            let columns = map.entries().columns().iter().zip(members);
            let columns = columns.map(|(column, member)| converted(column, member.data_type()));
            let columns = columns.collect::<Result<_>>()?;
            let entries = StructArray::try_new(members.clone(), columns, None)?;
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            let field = Arc::clone(field);
            Arc::new(MapArray::try_new(field, offsets, entries, nulls, *sorted)?)
        }
        (DataType::FixedSizeList(..), DataType::FixedSizeList(item, size)) => {
            let lists = array.as_fixed_size_list();
            let values = converted(lists.values(), item.data_type())?;
            let (item, nulls) = (Arc::clone(item), lists.nulls().cloned());
            let lists =
                FixedSizeListArray::try_new_with_length(item, *size, values, nulls, array.len());
            Arc::new(lists?)
        }
        (DataType::List(_), DataType::List(item)) => list(array.as_list(), item)?,
        (
            DataType::LargeList(of) | DataType::ListView(of) | DataType::LargeListView(of),
            DataType::List(_),
        ) => converted(&casted(array, &DataType::List(Arc::clone(of)))?, to)?,
        _ => casted(array, to)?,
    })
}

fn list(lists: &ListArray, item: &FieldRef) -> Result<ArrayRef> {
    let values = converted(lists.values(), item.data_type())?;
    let (offsets, nulls) = (lists.offsets().clone(), lists.nulls().cloned());
    let lists = ListArray::try_new(Arc::clone(item), offsets, values, nulls)?;
    Ok(Arc::new(lists))
}

fn group(own: &StructArray, members: &Fields) -> Result<StructArray> {
    let columns = members.iter().enumerate().map(|(place, member)| {
        // Names may be repeated.
        let same = own.fields().get(place);
        let column = match same.filter(|same| same.name() == member.name()) {
            Some(_) => Some(own.column(place)),
            None => own.column_by_name(member.name()),
        };
        match column {
            Some(column) => converted(column, member.data_type()),
            None => Ok(new_null_array(member.data_type(), own.len())),
        }
    });
    let columns = columns.collect::<Result<_>>()?;
    let (members, nulls) = (members.clone(), own.nulls().cloned());
    Ok(StructArray::try_new_with_length(
        members,
        columns,
        nulls,
        own.len(),
    )?)
}

fn casted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let strict = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, to, &strict).map_err(|error| {
        let problem = format!("a value cannot be compared as {to}: {error}");
        Problem::Input(problem).into()
    })
}
