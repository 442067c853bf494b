//! Reads the rows of TPC-H's lineitem that satisfy a condition, each time it is told to.
//! `benchmarks/parquet/compare.py` starts and measures it, to compare this crate with the crate
//! `parquet`.
//!
//! Arguments: `bytelane` or `parquet`, and a file. Input: lines with the names of queries. Output:
//! a line at the start, and the number of rows for each query.

use bytelane_parquet::ReaderBuilder;
use bytelane_parquet::arrow_array::cast::AsArray;
use bytelane_parquet::arrow_array::types::{Date32Type, Decimal128Type, Int64Type};
use bytelane_parquet::arrow_array::{BooleanArray, RecordBatch};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::parquet::arrow::ProjectionMask;
use bytelane_parquet::parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ArrowReaderMetadata, ArrowReaderOptions,
    ParquetRecordBatchReaderBuilder, RowFilter,
};
use bytelane_parquet::parquet::file::metadata::PageIndexPolicy;
use std::error::Error;
use std::fs::File;
use std::io::stdin;
use std::path::Path;

/// Key of an order in the middle of the table at scale 1.
const ORDER: i64 = 3_000_000;
/// Days from 1970 to 1994-01-01 and to 1995-01-01.
const YEAR: [i32; 2] = [8766, 9131];
/// Batch size for the crate `parquet`, in rows. Its default of 1024 is slower.
const BATCH_ROWS: usize = 8192;

const Q6: &str = "l_shipdate >= '1994-01-01' and l_shipdate < '1995-01-01' \
                  and l_discount between 0.05 and 0.07 and l_quantity < 24";
const RETURNED: [&str; 2] = ["l_extendedprice", "l_discount"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, file] = arguments.as_slice() else {
        return Err("expected a library and a file".into());
    };
    let read = match library.as_str() {
        "bytelane" => with_bytelane,
        "parquet" => with_parquet,
        other => return Err(format!("{other:?} is neither bytelane nor parquet").into()),
    };
    println!("ready");
    for line in stdin().lines() {
        // Keep the entire result in memory until the end, as with the other libraries.
        let batches = read(file.as_ref(), &line?)?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        println!("{rows}");
    }
    Ok(())
}

fn with_bytelane(file: &Path, query: &str) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let all = Selection::default();
    let selection = match query {
        "q6" => all.with_filter(Q6.parse()?).with_columns(RETURNED),
        "lookup" => all.with_filter(format!("l_orderkey = {ORDER}").parse()?),
        "modes" => all
            .with_filter("l_shipmode in ('AIR', 'REG AIR')".parse()?)
            .with_columns(RETURNED),
        "everything" => all.with_filter("l_quantity > 0".parse()?),
        "most" => all.with_filter("l_quantity > 1".parse()?),
        "plain" => all,
        other => all.with_filter(other.parse()?),
    };
    let rows = selection.read(ReaderBuilder::open(file)?)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

type Predicates = Vec<Box<dyn ArrowPredicate>>;

fn with_parquet(file: &Path, query: &str) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let file = File::open(file)?;
    // The reader of batches does not prune by itself. A program that wants a single row group or
    // page reads the indexes and prunes.
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Skip);
    let metadata = ArrowReaderMetadata::load(&file, options)?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
    let schema = builder.parquet_schema().clone();
    let columns = |names: &[&str]| ProjectionMask::columns(&schema, names.iter().copied());
    let decimals = |column, keep: fn(i128) -> bool| -> Box<dyn ArrowPredicate> {
        let predicate = move |batch: RecordBatch| {
            let values = batch.column(0).as_primitive::<Decimal128Type>();
            Ok(BooleanArray::from_unary(values, keep))
        };
        Box::new(ArrowPredicateFn::new(columns(&[column]), predicate))
    };
    let (predicates, projection): (Predicates, _) = match query {
        "q6" => {
            let dates = |batch: RecordBatch| {
                let dates = batch.column(0).as_primitive::<Date32Type>();
                Ok(BooleanArray::from_unary(dates, |it| {
                    (YEAR[0]..YEAR[1]).contains(&it)
                }))
            };
            let predicates: Predicates = vec![
                Box::new(ArrowPredicateFn::new(columns(&["l_shipdate"]), dates)),
                decimals("l_discount", |it| (5..=7).contains(&it)),
                decimals("l_quantity", |it| it < 2400),
            ];
            (predicates, columns(&RETURNED))
        }
        "lookup" => {
            let keys = |batch: RecordBatch| {
                let keys = batch.column(0).as_primitive::<Int64Type>();
                Ok(BooleanArray::from_unary(keys, |it| it == ORDER))
            };
            let predicate = ArrowPredicateFn::new(columns(&["l_orderkey"]), keys);
            (vec![Box::new(predicate)], ProjectionMask::all())
        }
        "modes" => {
            let modes = |batch: RecordBatch| {
                let modes = batch.column(0).as_string::<i32>();
                let is_wanted = |mode| matches!(mode, "AIR" | "REG AIR");
                Ok(BooleanArray::from_unary(modes, is_wanted))
            };
            let predicate = ArrowPredicateFn::new(columns(&["l_shipmode"]), modes);
            (vec![Box::new(predicate)], columns(&RETURNED))
        }
        "everything" => (
            vec![decimals("l_quantity", |it| it > 0)],
            ProjectionMask::all(),
        ),
        "most" => (
            vec![decimals("l_quantity", |it| it > 100)],
            ProjectionMask::all(),
        ),
        "plain" => (Vec::new(), ProjectionMask::all()),
        other => return Err(format!("{other:?} is not a query of the crate parquet").into()),
    };
    let builder = builder
        .with_projection(projection)
        .with_batch_size(BATCH_ROWS);
    let reader = builder
        .with_row_filter(RowFilter::new(predicates))
        .build()?;
    Ok(reader.collect::<Result<_, _>>()?)
}
