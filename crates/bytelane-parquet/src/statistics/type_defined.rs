//! Float statistics of other writers in the order that this crate declares.
//!
//! The crate `parquet` makes them in the IEEE 754 total order, NaN left out where there is any number. There -0.0
//! is less than +0.0; under TYPE_DEFINED_ORDER they are equal, so that a bound of 0 must take in both, and NaN is
//! no bound at all. Widened so, the bounds hold in the other order as well.

use half::f16;
use parquet::basic::{LogicalType, Type};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::FixedLenByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnIndexBuilder, LevelHistogram};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::statistics::{Statistics, ValueStatistics};

/// Makes the statistics and the column index of a chunk true under TYPE_DEFINED_ORDER; columns of other types
/// than floats are left alone.
pub(crate) fn to_type_defined_order(close: &mut ColumnCloseResult) -> Result<(), ParquetError> {
    let column = close.metadata.column_descr_ptr();
    let is_float = matches!(column.physical_type(), Type::FLOAT | Type::DOUBLE)
        || column.logical_type_ref() == Some(&LogicalType::Float16);
    if !is_float {
        return Ok(());
    }
    if let Some(statistics) = close.metadata.statistics() {
        let widened = widened_statistics(statistics);
        let builder = close.metadata.clone().into_builder();
        close.metadata = builder.set_statistics(widened).build()?;
    }
    if let Some(index) = close.column_index.take() {
        close.column_index = widened_index(&index, column.physical_type())?;
    }
    Ok(())
}

/// Bounds that take in both zeros; none if they are no numbers.
fn widened(least: f64, most: f64) -> Option<(f64, f64)> {
    let number = !least.is_nan() && !most.is_nan();
    number.then(|| {
        let least = if least == 0.0 { -0.0 } else { least };
        let most = if most == 0.0 { 0.0 } else { most };
        (least, most)
    })
}

fn half(bytes: &[u8]) -> f64 {
    bytes
        .first_chunk()
        .map_or(f64::NAN, |bytes| f16::from_le_bytes(*bytes).to_f64())
}

fn half_bytes(value: f64) -> Vec<u8> {
    f16::from_f64(value).to_le_bytes().to_vec()
}

fn widened_statistics(statistics: &Statistics) -> Statistics {
    fn typed<T>(
        statistics: &ValueStatistics<T>,
        to: impl Fn(&T) -> f64,
        from: impl Fn(f64) -> T,
    ) -> Statistics
    where
        Statistics: From<ValueStatistics<T>>,
    {
        let bounds = statistics.min_opt().zip(statistics.max_opt());
        let bounds = bounds.and_then(|(least, most)| widened(to(least), to(most)));
        let (least, most) = bounds
            .map(|(least, most)| (from(least), from(most)))
            .unzip();
        let nulls = statistics.null_count_opt();
        ValueStatistics::new(least, most, statistics.distinct_count(), nulls, false)
            .with_nan_count(statistics.nan_count_opt())
            .into()
    }
    match statistics {
        // Every f32 is an f64, and comes back as itself.
        Statistics::Float(own) => typed(own, |value| f64::from(*value), |value| value as f32),
        Statistics::Double(own) => typed(own, |value| *value, |value| value),
        Statistics::FixedLenByteArray(own) => typed(
            own,
            |value| half(value.data()),
            |value| FixedLenByteArray::from(half_bytes(value)),
        ),
        other => other.clone(),
    }
}

/// None if a page has values, but no number: the order has no bounds for it. Nor is there an index without counts
/// of nulls.
fn widened_index(
    index: &ColumnIndexMetaData,
    physical: Type,
) -> Result<Option<ColumnIndexMetaData>, ParquetError> {
    let bounds = |page: usize| match index {
        ColumnIndexMetaData::FLOAT(own) => {
            let (least, most) = own.min_value(page).zip(own.max_value(page))?;
            let (least, most) = widened((*least).into(), (*most).into())?;
            let bytes = |value: f64| (value as f32).to_le_bytes().to_vec();
            Some((bytes(least), bytes(most)))
        }
        ColumnIndexMetaData::DOUBLE(own) => {
            let (least, most) = own.min_value(page).zip(own.max_value(page))?;
            let (least, most) = widened(*least, *most)?;
            Some((least.to_le_bytes().to_vec(), most.to_le_bytes().to_vec()))
        }
        ColumnIndexMetaData::FIXED_LEN_BYTE_ARRAY(own) => {
            let (least, most) = own.min_value(page).zip(own.max_value(page))?;
            let (least, most) = widened(half(least), half(most))?;
            Some((half_bytes(least), half_bytes(most)))
        }
        _ => None,
    };
    let mut builder = ColumnIndexBuilder::new(physical);
    for page in 0..index.num_pages() as usize {
        let null_page = index.is_null_page(page);
        let found = match null_page {
            true => Some((Vec::new(), Vec::new())),
            false => bounds(page),
        };
        let Some(((least, most), nulls)) = found.zip(index.null_count(page)) else {
            return Ok(None);
        };
        builder.append(null_page, least, most, nulls, index.nan_count(page));
        let histogram = |levels: Option<&[i64]>| levels.map(|it| LevelHistogram::from(it.to_vec()));
        builder.append_histograms(
            &histogram(index.repetition_level_histogram(page)),
            &histogram(index.definition_level_histogram(page)),
        );
    }
    if let Some(order) = index.get_boundary_order() {
        builder.set_boundary_order(order);
    }
    builder.build().map(Some)
}
