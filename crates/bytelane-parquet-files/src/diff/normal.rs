//! Normalises arrays, to compare those of different files: names of list items and map entries, and
//! nullability, are ignored.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeListArray, ListArray, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use bytelane_parquet::Result;
use std::sync::Arc;

fn item(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("item", data_type, true))
}

fn members(fields: &Fields) -> Fields {
    let member = |field: &FieldRef| {
        let data_type = normal_type(field.data_type());
        Arc::new(Field::new(field.name(), data_type, true))
    };
    fields.iter().map(member).collect()
}

/// Returns the members of a map's entries, whose names vary.
fn entries(fields: &Fields) -> Fields {
    let names = ["key", "value"].into_iter().zip(fields);
    let member = |(name, field): (&str, &FieldRef)| {
        Arc::new(Field::new(name, normal_type(field.data_type()), true))
    };
    names.map(member).collect()
}

/// Returns the normal form of a type.
pub(super) fn normal_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::List(field) => DataType::List(item(normal_type(field.data_type()))),
        DataType::LargeList(field) => DataType::LargeList(item(normal_type(field.data_type()))),
        DataType::Map(field, _) => match field.data_type() {
            DataType::Struct(fields) => DataType::List(item(DataType::Struct(entries(fields)))),
            other => DataType::List(item(normal_type(other))),
        },
        DataType::Struct(fields) => DataType::Struct(members(fields)),
        other => other.clone(),
    }
}

/// Returns the normal form of an array. The values are shared.
pub(super) fn normal(array: &ArrayRef) -> Result<ArrayRef> {
    Ok(match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let values = normal(list.values())?;
            let field = item(values.data_type().clone());
            let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
            Arc::new(ListArray::try_new(field, offsets, values, nulls)?)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            let values = normal(list.values())?;
            let field = item(values.data_type().clone());
            let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
            Arc::new(LargeListArray::try_new(field, offsets, values, nulls)?)
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let pairs = map.entries();
            let values = pairs.columns().iter().map(normal);
            let values = values.collect::<Result<Vec<_>>>()?;
            let fields = entries(pairs.fields());
            let values = StructArray::try_new(fields, values, pairs.nulls().cloned())?;
            let field = item(values.data_type().clone());
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            Arc::new(ListArray::try_new(field, offsets, Arc::new(values), nulls)?)
        }
        DataType::Struct(fields) => {
            let group = array.as_struct();
            let values = group.columns().iter().map(normal);
            let values = values.collect::<Result<Vec<_>>>()?;
            let nulls = group.nulls().cloned();
            let fields = members(fields);
            if values.is_empty() {
                Arc::new(StructArray::new_empty_fields(array.len(), nulls))
            } else {
                Arc::new(StructArray::try_new(fields, values, nulls)?)
            }
        }
        _ => Arc::clone(array),
    })
}
