//! Random histories of two roots. Whatever the user does to files in between, no step of the library loses a row.

use crate::data::{Lake, names, options};
use crate::kill::run_until;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bytelane_dataset::{Plan, RunOptions, delete, plan, run, swap, verify};
use bytelane_parquet::ReaderBuilder;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Number of rows of a file.
const ROWS: i64 = 50;

/// Step of the user or of the library. `true` stands for the new root.
#[derive(Clone, Debug)]
enum Step {
    Plan(bool),
    Run(bool),
    Kill(bool, &'static str, usize),
    Verify(bool),
    Swap,
    Delete(bool),
    /// Plans, runs and verifies.
    Finish,
    Link(bool, Link, Option<Index>),
    /// Copies a file of this root to the other one, with or without its time.
    Copy(bool, Index, bool),
    /// Overwrites a file, with or without keeping its time.
    Change(bool, Index, bool),
    /// Puts a file back as it was at first.
    Restore(bool, Index),
}

#[derive(Clone, Copy, Debug)]
enum Link {
    Symbolic,
    Relative,
    Hard,
}

fn step() -> impl Strategy<Value = Step> {
    let file = any::<Index>;
    let points = ["started", "written", "verified", "renamed", "published"];
    let link = select(vec![Link::Symbolic, Link::Relative, Link::Hard]);
    prop_oneof![
        2 => any::<bool>().prop_map(Step::Plan),
        2 => any::<bool>().prop_map(Step::Run),
        1 => (any::<bool>(), select(points.to_vec()), 0..2_usize).prop_map(|it| Step::Kill(it.0, it.1, it.2)),
        4 => any::<bool>().prop_map(Step::Verify),
        3 => Just(Step::Swap),
        5 => any::<bool>().prop_map(Step::Delete),
        3 => Just(Step::Finish),
        4 => (any::<bool>(), link, proptest::option::of(file())).prop_map(|it| Step::Link(it.0, it.1, it.2)),
        3 => (any::<bool>(), file(), any::<bool>()).prop_map(|it| Step::Copy(it.0, it.1, it.2)),
        2 => (any::<bool>(), file(), any::<bool>()).prop_map(|it| Step::Change(it.0, it.1, it.2)),
        2 => (any::<bool>(), file()).prop_map(|it| Step::Restore(it.0, it.1)),
    ]
}

/// Two roots, and the history so far.
struct Roots {
    lake: Lake,
    backup: TempDir,
    plan: Option<Plan>,
    next: i64,
}

impl Roots {
    fn new() -> Self {
        let (lake, backup) = (Lake::empty(), tempfile::tempdir().unwrap());
        for (number, name) in ["a", "b", "x=1/a", "x=1/b"].into_iter().enumerate() {
            let first = number as i64 * ROWS;
            lake.write(&format!("{name}.parquet"), first..first + ROWS);
            let copy = backup.path().join(format!("{number}.parquet"));
            fs::copy(lake.old().join(format!("{name}.parquet")), copy).unwrap();
        }
        Self {
            lake,
            backup,
            plan: None,
            next: 4 * ROWS,
        }
    }

    fn root(&self, is_new: bool) -> PathBuf {
        if is_new {
            self.lake.new_root()
        } else {
            self.lake.old()
        }
    }

    /// Returns the ids of all rows that a reader of a root finds.
    fn rows(&self, is_new: bool) -> Vec<i64> {
        let mut rows = Vec::new();
        let mut open = vec![self.root(is_new)];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let path = entry.path();
                match fs::metadata(&path) {
                    Ok(it) if it.is_dir() && entry.file_name() != "_bytelane" => open.push(path),
                    Ok(it)
                        if it.is_file() && path.extension().is_some_and(|it| it == "parquet") =>
                    {
                        rows.extend(ids(&path));
                    }
                    _ => {}
                }
            }
        }
        rows.sort_unstable();
        rows
    }

    fn all(&self) -> BTreeSet<i64> {
        let rows = [false, true].map(|is_new| self.rows(is_new));
        rows.into_iter().flatten().collect()
    }

    /// Returns the name of some file of a root, if it has any.
    fn file(&self, is_new: bool, index: &Index) -> Option<String> {
        if !self.root(is_new).exists() {
            return None;
        }
        let mut names = readable_names(&self.root(is_new));
        // A link may lead nowhere, or to itself.
        names.retain(|name| fs::metadata(self.root(is_new).join(name)).is_ok());
        (!names.is_empty()).then(|| index.get(&names).clone())
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Plan(_) | Step::Run(_) | Step::Kill(..) => self.work(step),
            Step::Finish => {
                self.work(&Step::Plan(false));
                self.work(&Step::Run(true));
                self.work(&Step::Verify(true));
            }
            Step::Verify(_) | Step::Swap | Step::Delete(_) => self.work(step),
            Step::Link(from, link, file) => self.link(*from, *link, file.as_ref()),
            Step::Copy(from, file, keeps_time) => {
                let Some(name) = self.file(*from, file) else {
                    return;
                };
                let (source, to) = (self.root(*from).join(&name), self.root(!from).join(&name));
                if is_apart(&source, &to) {
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    // Another name of the same file would be truncated before it is read.
                    let _ = fs::remove_file(&to);
                    fs::copy(&source, &to).unwrap();
                    if *keeps_time {
                        set_time(&to, &source);
                    }
                }
            }
            Step::Change(is_new, file, keeps_time) => {
                let Some(name) = self.file(*is_new, file) else {
                    return;
                };
                let path = self.root(*is_new).join(name);
                let before = fs::metadata(&path).unwrap().modified().unwrap();
                // It may be a link to a file of the other root, which is overwritten then.
                let scratch = Lake::empty();
                scratch.write("other.parquet", self.next..self.next + ROWS);
                self.next += ROWS;
                fs::write(
                    &path,
                    fs::read(scratch.old().join("other.parquet")).unwrap(),
                )
                .unwrap();
                if *keeps_time {
                    let file = File::options().write(true).open(&path).unwrap();
                    file.set_modified(before).unwrap();
                }
            }
            Step::Restore(is_new, index) => {
                let number = index.index(4);
                let name = ["a", "b", "x=1/a", "x=1/b"][number];
                let to = self.root(*is_new).join(format!("{name}.parquet"));
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                let _ = fs::remove_file(&to);
                let copy = self.backup.path().join(format!("{number}.parquet"));
                fs::copy(&copy, &to).unwrap();
                set_time(&to, &copy);
            }
        }
    }

    /// Replaces one file of a root, or all, by links to those of the other one.
    fn link(&self, from: bool, link: Link, file: Option<&Index>) {
        let (source, root) = (self.root(from), self.root(!from));
        let linked = match file {
            Some(index) => self.file(from, index).into_iter().collect(),
            None if !source.exists() => return,
            None => {
                let old = if root.exists() {
                    readable_names(&root)
                } else {
                    Vec::new()
                };
                old.iter()
                    .for_each(|name| fs::remove_file(root.join(name)).unwrap());
                readable_names(&source)
            }
        };
        for name in linked {
            let (target, to) = (source.join(&name), root.join(&name));
            if !target.exists() || !is_apart(&target, &to) {
                continue;
            }
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&to);
            let up = "../".repeat(name.matches('/').count() + 1);
            let own = source.file_name().unwrap().to_str().unwrap();
            match link {
                Link::Symbolic => symlink(&target, &to).unwrap(),
                Link::Relative => symlink(format!("{up}{own}/{name}"), &to).unwrap(),
                Link::Hard => fs::hard_link(&target, &to).unwrap(),
            }
        }
    }

    /// Lets the library do a step, and checks that all rows are still there.
    fn work(&mut self, step: &Step) {
        let before = self.all();
        let both = [false, true].map(|is_new| self.rows(is_new));
        match step {
            Step::Plan(is_new) => {
                let options = options().with_sample_files(0);
                self.plan = plan(self.root(*is_new), &options).ok();
            }
            Step::Run(to) => {
                if let Some(plan) = &self.plan {
                    let _ = run(plan, self.root(*to), &RunOptions::default());
                    let other = usize::from(!to);
                    assert_eq!(self.rows(!to), both[other], "a run changed the old root");
                }
            }
            Step::Kill(to, point, times) => {
                if let Some(plan) = &self.plan {
                    let path = self.backup.path().join("plan.json");
                    fs::write(&path, serde_json::to_vec(plan).unwrap()).unwrap();
                    run_until(&path, &self.root(*to), point, *times, None);
                }
            }
            Step::Verify(to) => {
                let _ = verify(
                    self.root(!to),
                    self.root(*to),
                    |_| ControlFlow::Continue(()),
                );
            }
            Step::Swap => {
                if swap(self.root(false), self.root(true)).is_ok() {
                    let [one, other] = both;
                    assert_eq!((self.rows(true), self.rows(false)), (one, other));
                }
            }
            Step::Delete(is_new) => {
                if delete(self.root(*is_new), self.root(!is_new)).is_ok() {
                    let gone = &both[usize::from(*is_new)];
                    assert_eq!(&self.rows(!is_new), gone, "rows were deleted");
                }
            }
            _ => unreachable!("a step of the user"),
        }
        assert_eq!(self.all(), before, "{step:?}");
    }
}

/// Returns the ids of a file's rows.
fn ids(path: &Path) -> Vec<i64> {
    let reader = ReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let mut ids = Vec::new();
    for batch in reader.build().unwrap() {
        let batch = batch.unwrap();
        ids.extend(batch.column(0).as_primitive::<Int64Type>().values());
    }
    ids
}

/// Returns the names of a root's files; none if a link leads nowhere.
fn readable_names(root: &Path) -> Vec<String> {
    bytelane_dataset::list(root).map_or_else(|_| Vec::new(), |_| names(root))
}

/// Returns whether two paths do not lead to one file.
fn is_apart(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(other).is_none_or(|other| Some(other) != real(one))
}

fn set_time(file: &Path, of: &Path) {
    let time = fs::metadata(of).unwrap().modified().unwrap();
    let file = File::options().write(true).open(file).unwrap();
    file.set_modified(time).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_step_of_the_library_loses_a_row(history in vec(step(), 3..16)) {
        let mut roots = Roots::new();
        for step in &history {
            roots.take(step);
        }
    }
}
