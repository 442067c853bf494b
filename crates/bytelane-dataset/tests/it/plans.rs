//! Tests the contents of plans.

use crate::data::{Lake, options, plain, random, sorted};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use bytelane_dataset::{Action, Plan, RunOptions, SortBy, list, plan, plan_files, run};
use bytelane_parquet::Writer;
use bytelane_parquet::arrow_schema::{DataType, Field, Schema as ArrowSchema};
use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

#[track_caller]
fn sources(plan: &Plan, action: Action) -> Vec<Vec<&str>> {
    let units = plan.units.iter().filter(|unit| unit.action == action);
    let paths = units.map(|unit| unit.sources.iter().map(|file| file.path.as_str()).collect());
    paths.collect()
}

#[test]
fn each_file_is_merged_split_rewritten_or_left() {
    let lake = Lake::new();
    lake.write_with("encoded-badly.parquet", 0..2400, plain());
    fs::write(lake.old().join("notes.txt"), "").unwrap();
    let plan = plan(lake.old(), &options()).unwrap();
    assert_eq!((plan.files, plan.rows), (12, 36_000));
    let merged = sources(&plan, Action::Merge);
    let of_2024 = ["0", "1", "2", "3", "4"].map(|name| format!("year=2024/{name}.parquet"));
    assert!(merged.iter().any(|it| *it == of_2024), "{merged:?}");
    let of_2025 = ["year=2025/0.parquet", "year=2025/1.parquet"];
    assert!(merged.iter().any(|it| *it == of_2025), "{merged:?}");
    let others = ["year=2024/other-0.parquet", "year=2024/other-1.parquet"];
    assert!(merged.iter().any(|it| *it == others), "{merged:?}");
    assert_eq!(sources(&plan, Action::Split), [["large.parquet"]]);
    assert_eq!(sources(&plan, Action::Rewrite), [["encoded-badly.parquet"]]);
    let left: Vec<&str> = plan.left.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(left, ["good.parquet"]);
    assert!(
        plan.notes.iter().any(|note| note.contains("other files")),
        "{:?}",
        plan.notes
    );
    let advice = plan.advice.iter().find(|class| class.rewrite).unwrap();
    assert!(!advice.sample.is_empty() && advice.spread.min <= advice.spread.max);
    let expected: u64 = plan.units.iter().map(|unit| unit.expected_bytes).sum();
    let left: u64 = plan.left.iter().map(|file| file.bytes).sum();
    assert_eq!(plan.expected.bytes_after, expected + left);
    assert!(plan.expected.bytes_after < plan.bytes);
}

#[test]
fn a_plan_is_the_same_each_time_and_survives_json() {
    let lake = Lake::new();
    let one = plan(lake.old(), &options()).unwrap();
    assert_eq!(plan(lake.old(), &options()).unwrap(), one);
    let path = lake.old().join("plan.json");
    fs::write(&path, serde_json::to_vec(&one).unwrap()).unwrap();
    let other = Plan::open(&path).unwrap();
    assert_eq!((other.hash(), &other.units), (one.hash(), &one.units));
    for (from, to, wanted) in [
        (
            "\"path\":\"year=2024/0.parquet",
            "\"path\":\"../0.parquet",
            "not a path below",
        ),
        (
            "\"path\":\"year=2024/0.parquet",
            "\"path\":\"/etc/0.parquet",
            "not a path below",
        ),
        (
            "\"path\":\"year=2024/0.parquet",
            "\"path\":\"year=2024/1.parquet",
            "twice",
        ),
        (
            "\"action\":\"merge\"",
            "\"action\":\"split\"",
            "was changed",
        ),
        ("\"version\":1", "\"version\":2", "make a new plan"),
        ("{", "[", "not a plan"),
    ] {
        let text = serde_json::to_string(&one).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let error = Plan::open(&path).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[test]
fn sorted_files_are_merged_in_their_order_and_not_where_they_overlap() {
    let lake = Lake::empty();
    let ranges = [(0, 100), (300, 400), (100, 200), (150, 250), (400, 500)];
    for (number, (from, to)) in ranges.into_iter().enumerate() {
        lake.write_with(&format!("{number}.parquet"), from..to, sorted());
    }
    let plan = plan(lake.old(), &options().with_sample_files(0)).unwrap();
    // Sorted by range: 0 (0-100), 2 (100-200), 3 (150-250), 1 (300-400), 4 (400-500).
    assert_eq!(
        sources(&plan, Action::Merge),
        [
            vec!["0.parquet", "2.parquet"],
            vec!["3.parquet", "1.parquet", "4.parquet"]
        ]
    );
    assert!(plan.notes[0].contains("overlap: 1"), "{:?}", plan.notes);
}

#[test]
fn a_table_is_refused_but_for_a_list_of_its_files() {
    let lake = Lake::new();
    fs::create_dir(lake.old().join("_delta_log")).unwrap();
    let error = plan(lake.old(), &options()).unwrap_err().to_string();
    assert!(error.contains("Delta Lake"), "{error}");
    let all = list(lake.old()).unwrap();
    let some = all
        .only(["year=2025/1.parquet", "year=2025/0.parquet"])
        .unwrap();
    let proceed = |_, _| ControlFlow::Continue(());
    let plan = plan_files(lake.old(), some, &options(), &proceed).unwrap();
    assert!(plan.listed && plan.files == 2 && plan.units.len() == 1);
    assert!(all.only(["year=2025/2.parquet"]).is_err());
    let stop = |_, _| ControlFlow::Break(());
    let error = plan_files(lake.old(), all, &options(), &stop).unwrap_err();
    assert!(error.is_cancelled());
}

#[test]
fn a_damaged_file_is_listed_and_the_others_are_planned() {
    let lake = Lake::new();
    let before = plan(lake.old(), &options()).unwrap();
    let bad = lake.old().join("year=2024/bad.parquet");
    fs::write(&bad, "PAR1 nothing PAR1").unwrap();
    // The footer is sound, but the pages are not.
    let torn = lake.old().join("year=2024/0.parquet");
    let mut bytes = fs::read(&torn).unwrap();
    bytes[4..200].fill(0xff);
    fs::write(&torn, bytes).unwrap();
    let made = plan(lake.old(), &options()).unwrap();
    let [unreadable] = &made.unreadable[..] else {
        panic!("{:?}", made.unreadable)
    };
    assert_eq!(unreadable.path, "year=2024/bad.parquet");
    assert!(!unreadable.error.contains("bad.parquet"), "{unreadable:?}");
    assert_eq!(
        (made.files, made.units.len()),
        (before.files, before.units.len())
    );
    let made = Plan::parse(&serde_json::to_vec(&made).unwrap()).unwrap();
    let outcome = run(&made, lake.new_root(), &RunOptions::default()).unwrap();
    assert_eq!((outcome.unreadable, outcome.failed.len()), (1, 1));
    assert!(outcome.unplanned.is_empty() && !outcome.is_complete());
    assert!(!lake.new_root().join("_bytelane/complete.json").exists());
}

#[test]
fn a_sort_order_is_measured_and_promised_orders_are_checked() {
    let lake = Lake::empty();
    let sorted_keys = Vec::from_iter(0..5000);
    let mut keys = sorted_keys.clone();
    keys.sort_by(|one, other| random(*one as u64).total_cmp(&random(*other as u64)));
    for (name, keys) in [("sorted.parquet", sorted_keys), ("shuffled.parquet", keys)] {
        let prices = keys.iter().map(|key| random(*key as u64));
        let groups = keys.iter().map(|key| format!("group {}", key / 50));
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("key", Arc::new(Int64Array::from(keys.clone()))),
            ("price", Arc::new(Float64Array::from_iter_values(prices))),
            ("group", Arc::new(StringArray::from_iter_values(groups))),
        ];
        lake.write_columns(name, columns, sorted());
    }
    let before = plan(lake.old(), &options()).unwrap();
    assert!(before.sort_orders.is_empty());
    let made = plan(lake.old(), &options().with_sort_by(SortBy::Auto)).unwrap();
    assert_eq!((made.hash(), &made.units), (before.hash(), &before.units));
    let [advice] = &made.sort_orders[..] else {
        panic!("{:?}", made.sort_orders)
    };
    assert_eq!((&advice.by[..], advice.files), (&["key".to_owned()][..], 2));
    // One of the files is sorted already.
    assert!(
        advice.spread.min < 0.01 && advice.spread.max > 0.1,
        "{advice:?}"
    );
    assert!(advice.bytes_sorted < advice.bytes_now && advice.saved() > 0.05);
    assert_eq!(advice.tried.len(), 3);
    let promised = advice.promised.as_ref().unwrap();
    assert_eq!(
        (&promised.by[..], promised.files),
        (&["key".to_owned()][..], 2)
    );
    let [broken] = &promised.broken[..] else {
        panic!("{promised:?}")
    };
    assert_eq!(broken.path, "shuffled.parquet");
    assert!(
        broken
            .error
            .starts_with("row group 0: the rows are not sorted"),
        "{broken:?}"
    );
    let read = Plan::parse(&serde_json::to_vec(&made).unwrap()).unwrap();
    assert_eq!(read.sort_orders, made.sort_orders);
}

#[test]
fn files_with_two_columns_of_one_name_are_copied_and_noted() {
    let lake = Lake::new();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
    let file = fs::File::create(lake.old().join("year=2024/twice.parquet")).unwrap();
    let fields = ["a", "a"].map(|name| Field::new(name, DataType::Int64, true));
    let schema = Arc::new(ArrowSchema::new(fields.to_vec()));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::clone(&ids), ids]).unwrap();
    let mut writer = Writer::try_new(file, schema, plain()).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let plan = plan(lake.old(), &options()).unwrap();
    let note = plan
        .notes
        .iter()
        .find(|note| note.contains("two columns a"));
    assert!(
        note.is_some_and(|it| it.contains("year=2024/twice.parquet")),
        "{:?}",
        plan.notes
    );
    let outcome = run(&plan, lake.new_root(), &RunOptions::default()).unwrap();
    assert!(outcome.is_complete(), "{outcome:?}");
    assert!(lake.new_root().join("year=2024/twice.parquet").exists());
}
