//! Tests that golden files of earlier versions can be read.

use arrow_array::{ArrayRef, Float32Array, Float64Array, Int32Array, RecordBatch};
use bytelane_parquet::ReaderBuilder;
use std::path::Path;
use std::sync::Arc;

#[test]
fn golden_files_are_read() {
    let price = (0..500).map(|i| (i % 5 != 2).then_some(f64::from(i) / 4.0));
    let columns: [(&str, ArrayRef); 3] = [
        ("price", Arc::new(Float64Array::from_iter(price))),
        (
            "id",
            Arc::new(Int32Array::from_iter_values((0..500).map(|i| i * 3))),
        ),
        (
            "ratio",
            Arc::new(Float32Array::from_iter_values(
                (0..500i16).map(|i| f32::from(-i) / 8.0),
            )),
        ),
    ];
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let want = RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length");
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/parquet");
    for name in [
        "byte_stream_split_v1.parquet",
        "byte_stream_split_v2.parquet",
    ] {
        let reader = ReaderBuilder::open(directory.join(name)).and_then(ReaderBuilder::build);
        let reader = reader.expect(name);
        let mut rows = 0;
        for batch in reader {
            let batch = batch.expect(name);
            let same = want.slice(rows, batch.num_rows());
            assert_eq!(batch.columns(), same.columns(), "{name}");
            rows += batch.num_rows();
        }
        assert_eq!(rows, want.num_rows(), "{name}");
    }
}
