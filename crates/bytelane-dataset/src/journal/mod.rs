//! Keeps journals of finished work, as append-only files of JSON lines.
//!
//! Each shard has its own journal, so that several processes can write one new root; each of them
//! reads all journals at the start.

mod entry;
mod segments;

use crate::root::Root;
use crate::{Error, Result, STATE_DIRECTORY};
use bytelane_store::sync_directory;
pub(crate) use entry::{Entry, OutputFile, State};
use entry::{Header, line};
use rayon::prelude::*;
use segments::Segments;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Version of the journal format.
const VERSION: u32 = 1;

/// State of a unit according to all journals of a new root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Last entry; the entry of its publication, if there is one.
    pub last: Option<Entry>,
    /// Outputs that an interrupted run may have published.
    pub perhaps: Vec<OutputFile>,
}

/// All units in the journals.
pub(crate) type History = HashMap<String, Known>;

/// Journal that this process appends to.
#[derive(Debug)]
pub(crate) enum Journal {
    Disk(Lines),
    Store(Segments),
}

/// Journal on a disk. It is locked: two processes cannot work on one shard.
#[derive(Debug)]
pub(crate) struct Lines {
    path: PathBuf,
    file: Mutex<File>,
}

fn file_name(shard: &str) -> String {
    format!("journal-{shard}.jsonl")
}

impl Journal {
    /// Opens or creates the journal of a shard, and reads the journals of all shards.
    pub(crate) fn open(root: &Root, plan: &str, shard: &str) -> Result<(Self, History)> {
        let mut header = Header {
            version: VERSION,
            plan: plan.to_owned(),
            shard: shard.to_owned(),
            run: None,
        };
        let journal = match root.disk() {
            Some(root) => Self::Disk(Lines::open(root, &header)?),
            None => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                let since = since.map_or(0, |since| since.as_nanos());
                header.run = Some((std::process::id(), since));
                Self::Store(Segments::open(&root.path, &header)?)
            }
        };
        Ok((journal, history(root, plan)?))
    }

    /// Appends an entry, and stores it if the unit must not continue without it. Others wait, to save syncs and requests.
    pub(crate) fn append(&self, entry: &Entry) -> Result<()> {
        match self {
            Self::Disk(lines) => lines.append(entry),
            Self::Store(segments) => segments.append(entry),
        }
    }

    /// Stores all entries.
    pub(crate) fn flush(&self) -> Result<()> {
        match self {
            Self::Disk(lines) => lines.sync(),
            Self::Store(segments) => segments.flush(),
        }
    }
}

impl Lines {
    fn open(root: &Path, header: &Header) -> Result<Self> {
        let directory = root.join(STATE_DIRECTORY);
        fs::create_dir_all(&directory).map_err(Error::at(&directory))?;
        let path = directory.join(file_name(&header.shard));
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .map_err(Error::at(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let problem =
                    "another process works on this shard; wait for it, or name another shard";
                return Err(Error::Input(format!("{}: {problem}", path.display())));
            }
            // The file system does not support locks; the names of outputs still protect concurrent
            // processes from each other.
            Err(TryLockError::Error(_)) => {}
        }
        end_line(&mut file).map_err(Error::at(&path))?;
        let is_empty = file.metadata().map_err(Error::at(&path))?.len() == 0;
        let lines = Self {
            path,
            file: Mutex::new(file),
        };
        if is_empty {
            lines.write(header)?;
            lines.sync()?;
            sync_directory(&directory)?;
        }
        Ok(lines)
    }

    /// Writes an entry, which other processes then see, and syncs it with all before it if it must be stored.
    fn append(&self, entry: &Entry) -> Result<()> {
        self.write(entry)?;
        if entry.state.is_stored_at_once() {
            self.sync()?;
        }
        Ok(())
    }

    fn write(&self, value: &impl Serialize) -> Result<()> {
        let text = line(value)?;
        let mut file = self.file();
        file.write_all(&text).map_err(Error::at(&self.path))
    }

    fn sync(&self) -> Result<()> {
        self.file().sync_data().map_err(Error::at(&self.path))
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a line that was only partly written when the machine stopped.
fn end_line(file: &mut File) -> std::io::Result<()> {
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last != *b"\n" {
        file.write_all(b"\n")?;
    }
    Ok(())
}

/// Reads the journals of all shards, which must belong to the same plan.
pub(crate) fn history(root: &Root, plan: &str) -> Result<History> {
    let state = root.under(STATE_DIRECTORY);
    let is_journal = |names: &[&str]| names[0].starts_with("journal-");
    let listed = root.tree.walk(&state, false, &is_journal)?.into_iter();
    let mut journals: Vec<PathBuf> = listed
        .filter(|file| {
            let name = file.below.to_string_lossy();
            name.starts_with("journal-") && name.ends_with(".jsonl")
        })
        .map(|file| root.tree.join(&state, &file.below))
        .collect();
    journals.sort();
    let texts = root.at_once(|| {
        let texts = journals.par_iter().map(|journal| root.tree.read(journal));
        texts.collect::<bytelane_store::Result<Vec<_>>>()
    })??;
    let mut history = History::new();
    for (journal, text) in journals.iter().zip(texts) {
        let text = text.unwrap_or_default();
        read(journal.display(), &text, plan, &mut history)?;
    }
    Ok(history)
}

/// Reads a journal, or a segment of one.
fn read(name: impl fmt::Display, text: &[u8], plan: &str, history: &mut History) -> Result<()> {
    for line in text.split(|byte| *byte == b'\n') {
        if let Ok(header) = serde_json::from_slice::<Header>(line) {
            if header.version != VERSION || header.plan != plan {
                let problem = "this is the journal of another plan; name a new directory, or the plan that was run into this one";
                return Err(Error::Input(format!("{name}: {problem}")));
            }
        } else if let Ok(entry) = serde_json::from_slice::<Entry>(line) {
            history.entry(entry.unit.clone()).or_default().add(entry);
        }
        // Other lines were only partly written when the machine stopped.
    }
    Ok(())
}

impl Known {
    fn add(&mut self, entry: Entry) {
        if entry.state == State::Verified {
            self.perhaps.extend(entry.outputs.iter().cloned());
        }
        let is_published = |it: &Entry| it.state == State::Published;
        // Entries of several journals are not ordered, and a publication is never undone.
        if !self.last.as_ref().is_some_and(is_published) {
            self.last = Some(entry);
        }
    }

    /// Returns the last state.
    pub(crate) fn state(&self) -> Option<State> {
        self.last.as_ref().map(|entry| entry.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_lines_are_skipped_and_publications_stay() {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::of(directory.path()).unwrap();
        let (journal, history) = Journal::open(&root, "p", "0-of-2").unwrap();
        assert!(history.is_empty());
        let error = Journal::open(&root, "p", "0-of-2").unwrap_err();
        assert!(error.to_string().contains("another process"), "{error}");
        let outputs = vec![OutputFile {
            path: "a".to_owned(),
            bytes: 1,
        }];
        let verified = Entry {
            outputs: outputs.clone(),
            ..Entry::new("one", State::Verified)
        };
        journal.append(&verified).unwrap();
        journal
            .append(&Entry::new("one", State::Published))
            .unwrap();
        journal
            .append(&Entry::new("two", State::Published))
            .unwrap();
        let path = directory.path().join("_bytelane/journal-0-of-2.jsonl");
        drop(journal);
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
        let (other, _) = Journal::open(&root, "p", "1-of-2").unwrap();
        other.append(&Entry::new("one", State::Failed)).unwrap();
        let (journal, history) = Journal::open(&root, "p", "0-of-2").unwrap();
        assert_eq!(history["one"].state(), Some(State::Published));
        assert_eq!(history["one"].perhaps, outputs);
        assert!(!history.contains_key("two"));
        journal.append(&Entry::new("two", State::Failed)).unwrap();
        let history = super::history(&root, "p").unwrap();
        assert_eq!(history["two"].state(), Some(State::Failed));
        drop((journal, other));
        let error = Journal::open(&root, "other", "0-of-2").unwrap_err();
        assert!(error.to_string().contains("another plan"), "{error}");
    }
}
