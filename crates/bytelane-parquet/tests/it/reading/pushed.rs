//! Tests bytes that are pushed when the reader requests them.

use crate::any::arrays::Numbers;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bytelane_parquet::filter::Selection;
use bytelane_parquet::{
    AsyncReader, Decoded, PushDecoder, PushedBytes, RangeReader, Reader, ReaderBuilder,
    arrow_array, parquet,
};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use proptest::prelude::{ProptestConfig, any, prop_assert_eq, proptest};
use std::future::{Future, ready};
use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

fn table(rows: i64) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    let texts = (0..rows).map(|it| (it % 11 > 0).then(|| format!("text {}", it * it % 1013)));
    let texts: ArrayRef = Arc::new(texts.collect::<StringArray>());
    RecordBatch::try_from_iter_with_nullable([("id", ids, true), ("text", texts, true)])
        .expect("columns")
}

fn file(batch: &RecordBatch, properties: WriterProperties) -> Bytes {
    let mut file = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(batch).expect("rows");
    writer.close().expect("a file");
    file.into()
}

/// File in memory that counts the bytes read.
struct Counted {
    file: Bytes,
    read: Arc<AtomicU64>,
}

impl RangeReader for Counted {
    fn length(&self) -> impl Future<Output = io::Result<u64>> + Send {
        ready(Ok(self.file.len() as u64))
    }

    fn read(&self, ranges: Vec<Range<u64>>) -> impl Future<Output = io::Result<Vec<Bytes>>> + Send {
        let parts = ranges.into_iter().map(|range| {
            self.read
                .fetch_add(range.end - range.start, Ordering::Relaxed);
            self.file.slice(range.start as usize..range.end as usize)
        });
        ready(Ok(parts.collect()))
    }
}

/// Runs a future that never waits.
fn run<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("nobody would wake it"),
    }
}

/// Reads all batches. Also returns the number of bytes read.
fn read(
    file: &Bytes,
    choose: impl FnOnce(
        ReaderBuilder<PushedBytes>,
    ) -> bytelane_parquet::Result<ReaderBuilder<PushedBytes>>,
) -> (Vec<RecordBatch>, u64) {
    let read = Arc::new(AtomicU64::new(0));
    let source = Counted {
        file: file.clone(),
        read: Arc::clone(&read),
    };
    let mut batches = Vec::new();
    run(async {
        let mut reader = AsyncReader::open(source, choose).await.expect("a footer");
        while let Some(batch) = reader.next().await.expect("rows") {
            assert_eq!(batch.schema(), reader.schema());
            batches.push(batch);
        }
    });
    (batches, read.load(Ordering::Relaxed))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn the_same_batches_are_read(seed in any::<u64>()) {
        let mut numbers = Numbers::new(seed);
        let statistics = [EnabledStatistics::None, EnabledStatistics::Page][numbers.below(2)];
        let properties = WriterProperties::builder()
            .set_statistics_enabled(statistics)
            .set_offset_index_disabled(numbers.below(2) == 0)
            .set_bloom_filter_enabled(numbers.below(2) == 0)
            .set_dictionary_enabled(numbers.below(2) == 0)
            .set_write_batch_size(1 + numbers.below(50))
            .set_data_page_row_count_limit(1 + numbers.below(300))
            .set_max_row_group_row_count(Some(500 + numbers.below(2000)))
            .build();
        let rows = numbers.below(3000) as i64;
        let file = file(&table(rows), properties);
        let condition = [
            None,
            Some("id between 700 and 790"),
            Some("text = 'text 4'"),
            Some("text is null and id > 100"),
            Some("id >= 0"),
        ][numbers.below(5)];
        let selection = match condition {
            Some(condition) => Selection::default().with_filter(condition.parse().expect("a condition")),
            None => Selection::default(),
        };
        let batch_size = 1 + numbers.below(700);
        let prefetch = [0, 2000, 1 << 20][numbers.below(3)];
        let builder = Reader::builder(file.clone()).expect("a footer").with_batch_size(batch_size);
        let expected: Vec<_> = selection.read(builder).expect("a reader").map(|batch| batch.expect("rows")).collect();

        let threads = NonZero::new(1 + numbers.below(2)).expect("threads");
        let (batches, _) = read(&file, |builder| {
            selection.choose(builder.with_batch_size(batch_size).with_threads(threads))
        });
        prop_assert_eq!(&batches, &expected);

        let pushed = PushedBytes::new(file.len() as u64).with_prefetch(prefetch);
        let give = |ranges: Vec<Range<u64>>| ranges.into_iter().for_each(|it| {
            pushed.give(it.start, file.slice(it.start as usize..it.end as usize));
        });
        let builder = loop {
            match ReaderBuilder::try_new(pushed.clone()) {
                Ok(builder) => break builder.with_batch_size(batch_size),
                Err(_) => give(pushed.missing()),
            }
        };
        let mut decoder = PushDecoder::new(selection.choose(builder).expect("columns")).expect("a decoder");
        let mut batches = Vec::new();
        loop {
            match decoder.step().expect("rows") {
                Decoded::Needs(ranges) => {
                    assert!(!ranges.is_empty());
                    give(ranges);
                }
                Decoded::Batch(batch) => batches.push(batch),
                Decoded::End => break,
            }
        }
        prop_assert_eq!(batches, expected);
    }
}

/// Returns incompressible values, in pages of 1000 rows.
fn large() -> (RecordBatch, Bytes) {
    let mut numbers = Numbers::new(1);
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..200_000));
    let noise = (0..200_000).map(|_| numbers.below(usize::MAX) as i64);
    let noise: ArrayRef = Arc::new(Int64Array::from_iter_values(noise));
    let batch = RecordBatch::try_from_iter([("id", ids), ("noise", noise)]).expect("columns");
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_write_batch_size(1000)
        .set_data_page_row_count_limit(1000);
    let file = file(&batch, properties.build());
    (batch, file)
}

#[test]
fn only_pages_that_may_have_rows_are_asked_for() {
    let (batch, file) = large();
    let selection = Selection::default().with_filter("id = 123456".parse().expect("a condition"));
    let (batches, bytes) = read(&file, |builder| selection.choose(builder));
    assert_eq!(batches, [batch.slice(123_456, 1)]);
    assert!(bytes < file.len() as u64 / 10, "{bytes} of {}", file.len());
    let (batches, bytes) = read(&file, |builder| builder.with_columns(["id"]));
    assert_eq!(
        batches.iter().map(RecordBatch::num_rows).sum::<usize>(),
        200_000
    );
    assert!(
        bytes < file.len() as u64 * 6 / 10,
        "{bytes} of {}",
        file.len()
    );
}

#[test]
fn pages_are_held_until_they_are_read() {
    let (_, file) = large();
    let pushed = PushedBytes::new(file.len() as u64).with_prefetch(200_000);
    let give = |ranges: Vec<Range<u64>>| {
        ranges.into_iter().for_each(|it| {
            pushed.give(it.start, file.slice(it.start as usize..it.end as usize));
        })
    };
    let builder = loop {
        match ReaderBuilder::try_new(pushed.clone()) {
            Ok(builder) => break builder.with_batch_size(5000),
            Err(_) => give(pushed.missing()),
        }
    };
    let mut decoder = PushDecoder::new(builder).expect("a decoder");
    let (mut most, mut steps) = (0, 0);
    loop {
        most = most.max(pushed.held());
        match decoder.step().expect("rows") {
            Decoded::Needs(ranges) => give(ranges),
            Decoded::Batch(_) => steps += 1,
            Decoded::End => break,
        }
    }
    assert_eq!(steps, 40);
    assert!(most < 1 << 20, "{most}");
}

#[test]
fn sources_that_fail_are_reported() {
    #[derive(Debug)]
    struct Failing(bool);

    impl RangeReader for Failing {
        fn length(&self) -> impl Future<Output = io::Result<u64>> + Send {
            ready(if self.0 {
                Ok(1000)
            } else {
                Err(io::Error::other("no such object"))
            })
        }

        fn read(
            &self,
            ranges: Vec<Range<u64>>,
        ) -> impl Future<Output = io::Result<Vec<Bytes>>> + Send {
            ready(Ok(ranges
                .into_iter()
                .map(|_| Bytes::from_static(b"PAR1"))
                .collect()))
        }
    }

    for (has_length, message) in [(false, "no such object"), (true, "other ranges")] {
        let error = run(AsyncReader::open(Failing(has_length), Ok)).expect_err("an error");
        assert!(error.to_string().contains(message), "{error}");
    }
}
