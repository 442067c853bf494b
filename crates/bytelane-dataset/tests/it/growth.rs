//! Counts the work of a plan and of a run while the number of files doubles: it may not grow with a square.

use crate::data::Lake;
use bytelane_dataset::{PlanOptions, RunOptions, plan, run, verify};
use std::ops::ControlFlow;

/// Bytes that the steps allocate in a data set of this many files, with one thread, by name.
fn allocated(files: i64) -> Vec<(&'static str, u64)> {
    let lake = Lake::empty();
    for number in 0..files {
        lake.write_other(&format!("{number}.parquet"), number..number + 1);
    }
    let options = PlanOptions::default();
    let (old, new) = (lake.old(), lake.new_root());
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1);
    let one_thread = one_thread.build().unwrap();
    let measure = |step: &mut (dyn FnMut() + Send)| {
        one_thread.install(|| allocation_counter::measure(step).bytes_total)
    };
    let mut planned = None;
    let plan = measure(&mut || planned = Some(plan(&old, &options).unwrap()));
    let planned = planned.unwrap();
    let run = measure(&mut || drop(run(&planned, &new, &RunOptions::default()).unwrap()));
    let verify = measure(&mut || drop(verify(&old, &new, |_| ControlFlow::Continue(())).unwrap()));
    vec![("plan", plan), ("run", run), ("verify", verify)]
}

#[test]
fn work_grows_with_the_files() {
    let [one, two] = [50, 100].map(allocated);
    for ((step, one), (_, two)) in one.iter().zip(&two) {
        let (one, two) = (*one as f64, *two as f64);
        assert!(two <= 2.3 * one, "{step}: {one} and {two} bytes");
    }
}
