//! Tests valid files after a few changes: none may end the process, take long, or change a value.
//!
//! Run by `cargo xtask extended --only mutated-files`, which limits the address space of the process. Each
//! thread writes down the number of its trial before it begins, because a failed allocation ends the process.
//! `BYTELANE_TRIAL` repeats a trial, and writes its file to the folder of these notes. `BYTELANE_FIRST_TRIAL`
//! is the number of the first trial, and `BYTELANE_TRIALS` the number after the last one.

use super::fuzzing::{files, reader, rewrite};
use bytes::Bytes;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Maximum duration of a trial, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// Interval of trials that also rewrite the file, which takes longer than reading it.
const REWRITTEN: u64 = 8;

/// Bytes at the ends of ranges, and varints of 32 and 64 bits that are larger than anything in the file.
const VALUES: [&[u8]; 9] = [
    &[0],
    &[1],
    &[0x7f],
    &[0x80],
    &[0xff],
    &[0x15, 0, 0x15],
    &[0xfe, 0xff, 0xff, 0xff, 0x0f],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    &[0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f],
];

/// Repeats trials with fields of footers that have a type other than the format's (in a schema element, and
/// the offset of a dictionary), and one with a list annotated as a string.
#[test]
fn trials_that_have_failed() {
    let seeds = seeds();
    for trial in [1_332_744, 1_543_632, 3_136_744] {
        run(&seeds, trial);
    }
}

#[test]
#[ignore = "takes long; `cargo xtask extended --only mutated-files` runs it"]
fn mutated_files() {
    let seeds = seeds();
    let folder = std::env::var_os("BYTELANE_TRIAL_FOLDER").map(PathBuf::from);
    if let Some(trial) = number("BYTELANE_TRIAL") {
        if let Some(folder) = folder {
            let path = folder.join(format!("{trial}.parquet"));
            fs::write(path, file_of(&seeds, trial)).expect("a writable folder");
        }
        return run(&seeds, trial);
    }
    let trials = number("BYTELANE_TRIALS").expect("BYTELANE_TRIALS says how many");
    let folder = folder.expect("BYTELANE_TRIAL_FOLDER names a folder");
    let next = AtomicU64::new(number("BYTELANE_FIRST_TRIAL").unwrap_or(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let note =
                File::create(folder.join(format!("{thread}.txt"))).expect("a writable folder");
            let (seeds, next) = (&seeds, &next);
            scope.spawn(move || {
                loop {
                    let trial = next.fetch_add(1, Relaxed);
                    if trial >= trials {
                        break;
                    }
                    let text = format!("BYTELANE_TRIAL={trial:<20}\n");
                    note.write_all_at(text.as_bytes(), 0)
                        .expect("a writable file");
                    run(seeds, trial);
                }
            });
        }
    });
}

/// Changes a file and reads it. Panics if that takes too long.
fn run(seeds: &[Bytes], trial: u64) {
    let file = file_of(seeds, trial);
    let begin = Instant::now();
    reader::check(&file);
    if trial.is_multiple_of(REWRITTEN) {
        rewrite::check(&file);
    }
    let elapsed = begin.elapsed();
    assert!(elapsed < LONGEST, "trial {trial} took {elapsed:?}");
}

/// Returns the file of a trial.
fn file_of(seeds: &[Bytes], trial: u64) -> Vec<u8> {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(trial);
    mutated(&seeds[below(random, seeds.len())], random)
}

/// Makes up to four changes, most of them where the file describes itself: in the footer, and at the start of
/// pages.
fn mutated(file: &Bytes, random: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut file = file.to_vec();
    for _ in 0..=below(random, 4) {
        let length = file.len();
        let footer = file[length - 8..].first_chunk().expect("eight bytes");
        let footer = (u32::from_le_bytes(*footer) as usize).min(length - 12);
        let at = match below(random, 8) {
            0..4 => length - 8 - footer + below(random, footer + 1),
            4..6 => 4 + below(random, (length - 12).min(64)),
            _ => 4 + below(random, length - 12),
        };
        match below(random, 6) {
            0 | 1 => file[at] ^= 1 << below(random, 8),
            2 => file[at] = random.next_u64() as u8,
            3 => {
                let value = VALUES[below(random, VALUES.len())];
                let end = (at + value.len()).min(length - 8);
                file[at..end].copy_from_slice(&value[..end - at]);
            }
            4 => replaced(&mut file, at, VALUES[below(random, VALUES.len())]),
            _ => {
                let from = 4 + below(random, length - 12);
                let bytes = below(random, 16).min(length - 8 - at.max(from));
                file.copy_within(from..from + bytes, at);
            }
        }
    }
    file
}

/// Replaces one byte of the footer by several, and updates the footer's length.
fn replaced(file: &mut Vec<u8>, at: usize, value: &[u8]) {
    let length = file.len();
    file.splice(at..at + 1, value.iter().copied());
    let tail = file.len() - 8;
    let footer = u32::from_le_bytes(*file[tail..].first_chunk().expect("eight bytes"));
    if at + footer as usize >= length - 8 {
        let footer = footer.wrapping_add(value.len() as u32 - 1);
        file[tail..][..4].copy_from_slice(&footer.to_le_bytes());
    }
}

/// Returns the samples of the fuzz targets, the golden files, and the files of the folder in
/// `BYTELANE_SEEDS`.
fn seeds() -> Vec<Bytes> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden");
    let mut folders = vec![golden.join("parquet"), golden.join("alp")];
    folders.extend(std::env::var_os("BYTELANE_SEEDS").map(PathBuf::from));
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "parquet")
        })
        .collect();
    paths.sort();
    let files = paths
        .iter()
        .map(|path| Bytes::from(fs::read(path).expect("a file")));
    let seeds: Vec<_> = files.chain(files::samples().iter().cloned()).collect();
    assert!(seeds.len() > files::samples().len(), "no golden files");
    seeds
}

fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    (random.next_u64() % bound.max(1) as u64) as usize
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.trim().parse().expect("a number"))
}
