//! Finds deleted texts in the key-value metadata.

use super::kept::KeptRows;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_schema::DataType;
use bytelane_parquet::Result;
use bytelane_parquet::format::FileMetaData;
use bytelane_parquet::read::ReaderBuilder;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::basic::Type;
use parquet::file::reader::ChunkReader;
use std::borrow::Cow;
use std::sync::Arc;

/// Length, in bytes, from which on a text is searched: shorter ones are everywhere.
const SEARCHED: usize = 4;

/// Keys of pairs that describe columns. They have no values of rows.
const DESCRIPTIONS: [&[u8]; 3] = [b"ARROW:schema", b"pandas", b"geo"];

/// Returns the keys of the key-value pairs that contain a deleted text.
pub(crate) fn pairs_with_deleted<T: ChunkReader + 'static>(
    file: T,
    footer: &FileMetaData,
    kept: &[Arc<KeptRows>],
) -> Result<Vec<Bytes>> {
    let pairs = footer.key_value_metadata.iter().flatten();
    let pairs = pairs.filter(|pair| !DESCRIPTIONS.contains(&&pair.key[..]));
    let pairs = pairs.filter_map(|pair| {
        let value = String::from_utf8_lossy(pair.value.as_deref()?);
        Some((pair.key.clone(), value))
    });
    let mut clean: Vec<(Bytes, Cow<str>)> = pairs.collect();
    let mut found = Vec::new();
    if clean.is_empty() {
        return Ok(found);
    }
    let builder = ReaderBuilder::try_new(file)?;
    let columns = builder.parquet_schema().columns().iter().enumerate();
    let texts = columns.filter(|(_, column)| column.physical_type() == Type::BYTE_ARRAY);
    let texts: Vec<usize> = texts.map(|(leaf, _)| leaf).collect();
    let (mut deleted, mut first) = (Vec::new(), 0);
    for (kept, row_group) in kept.iter().zip(builder.metadata().row_groups()) {
        let rows = row_group.num_rows() as usize;
        let ranges = kept.deleted(rows as u64).into_iter();
        deleted.extend(ranges.map(|it| first + it.start as usize..first + it.end as usize));
        first += rows;
    }
    let mask = ProjectionMask::leaves(builder.parquet_schema(), texts);
    let rows = RowSelection::from_consecutive_ranges(deleted.into_iter(), first);
    let reader = builder.with_projection(mask).with_row_selection(rows);
    for batch in reader.build()? {
        for column in batch?.columns() {
            look(column, &mut |text| {
                if text.len() < SEARCHED {
                    return;
                }
                clean.retain(|(key, value)| {
                    let has_it = value.contains(text);
                    found.extend(has_it.then(|| key.clone()));
                    !has_it
                });
            })?;
        }
    }
    Ok(found)
}

/// Calls a function with all texts of an array.
fn look(array: &ArrayRef, see: &mut impl FnMut(&str)) -> Result<()> {
    let members: Vec<ArrayRef> = match array.data_type() {
        DataType::Struct(_) => array.as_struct().columns().to_vec(),
        DataType::Map(..) => array.as_map().entries().columns().to_vec(),
        DataType::List(_) => vec![Arc::clone(array.as_list::<i32>().values())],
        DataType::LargeList(_) => vec![Arc::clone(array.as_list::<i64>().values())],
        DataType::FixedSizeList(..) => vec![Arc::clone(array.as_fixed_size_list().values())],
        other => {
            let values = match other {
                DataType::Dictionary(_, values) => values,
                other => other,
            };
            if values.is_string() {
                let texts = cast(array, &DataType::Utf8View)?;
                texts.as_string_view().iter().flatten().for_each(see);
            }
            return Ok(());
        }
    };
    members.iter().try_for_each(|member| look(member, see))
}
