//! Keeps a journal on a store, as numbered objects that never change.
//!
//! Each object is put if there is none with its number, so a second process that works on the same shard
//! is noticed, and each process on any machine reads what others have finished.

use super::entry::{Entry, Header, line};
use crate::{Error, Result, STATE_DIRECTORY};
use bytelane_store::{Location, Put, Store};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Journal of a shard on a store.
#[derive(Debug)]
pub(crate) struct Segments {
    store: Arc<Store>,
    directory: Location,
    /// First line of each segment.
    header: Vec<u8>,
    open: Mutex<Open>,
}

/// Segment that is not stored yet.
#[derive(Debug)]
struct Open {
    number: u64,
    lines: Vec<u8>,
}

impl Segments {
    /// Opens the journal of a shard below a root.
    pub(super) fn open(root: &Path, header: &Header) -> Result<Self> {
        let root = Location::parse(&root.to_string_lossy())?;
        let store = Store::of(&root)?;
        let directory = root.join(&format!("{STATE_DIRECTORY}/journal-{}", header.shard))?;
        let stored = store.list(&directory)?;
        let numbers = stored.iter().filter_map(|(segment, _)| number(segment));
        let next = numbers.max().map_or(0, |number| number + 1);
        Ok(Self {
            store,
            directory,
            header: line(header)?,
            open: Mutex::new(Open {
                number: next,
                lines: Vec::new(),
            }),
        })
    }

    /// Adds an entry. Those that are not stored at once wait for the next one that is.
    pub(super) fn append(&self, entry: &Entry) -> Result<()> {
        let lines = line(entry)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.lines.extend(lines);
        if entry.state.is_stored_at_once() {
            self.store(&mut open)?;
        }
        Ok(())
    }

    /// Stores all entries.
    pub(super) fn flush(&self) -> Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.store(&mut open)
    }

    fn store(&self, open: &mut Open) -> Result<()> {
        if open.lines.is_empty() {
            return Ok(());
        }
        let segment = self.directory.join(&format!("{:08}.jsonl", open.number))?;
        let text = [&self.header[..], &open.lines].concat();
        match self.store.put_if_absent(&segment, text)? {
            Put::Stored | Put::Same => {}
            Put::Other => {
                let problem =
                    "another process works on this shard; wait for it, or name another shard";
                return Err(Error::Input(format!("{segment}: {problem}")));
            }
        }
        open.number += 1;
        open.lines.clear();
        Ok(())
    }
}

/// Returns the number of a segment.
fn number(segment: &Location) -> Option<u64> {
    let name = segment.key().rsplit('/').next()?;
    name.strip_suffix(".jsonl")?.parse().ok()
}
