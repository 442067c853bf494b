//! Directory tree of a store: slashes in the names of objects separate directories.

use super::tree::{Entry, Kind, Listed, Tree};
use crate::store::Store;
use crate::{Error, Location, Problem, Result};
use object_store::GetRange;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Objects of a store.
pub(super) struct Objects {
    store: Arc<Store>,
}

impl Objects {
    /// Returns the tree with this location.
    pub fn of(location: &Location) -> Result<Self> {
        let store = Store::of(location)?;
        Ok(Self { store })
    }
}

impl Tree for Objects {
    fn entry(&self, path: &Path) -> Result<Entry> {
        let location = location(path)?;
        let is_prefix = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if !is_prefix
            && !location.key().is_empty()
            && let Some(meta) = self.store.head(&location)?
        {
            return Ok(Entry::File(meta));
        }
        match self.names(&[path.to_owned()]).pop().flatten() {
            Some(_) => Ok(Entry::Directory),
            // Lists it to report why, if the store fails.
            None if self.store.list(&location)?.is_empty() => {
                Err(Error::new(path.display().to_string(), Problem::Missing))
            }
            None => Ok(Entry::Directory),
        }
    }

    fn walk(
        &self,
        root: &Path,
        _follows_links: bool,
        enters: &dyn Fn(&[&str]) -> bool,
    ) -> Result<Vec<Listed>> {
        let root = location(root)?;
        let mut listed = Vec::new();
        let mut closed = BTreeSet::new();
        for (object, meta) in self.store.list(&root)? {
            let below = below(&object, &root);
            let names: Vec<&str> = below.split('/').filter(|name| !name.is_empty()).collect();
            if names.is_empty() {
                continue;
            }
            let directories = 1..names.len();
            match directories.into_iter().find(|&end| !enters(&names[..end])) {
                Some(end) => {
                    let directory = names[..end].join("/");
                    if closed.insert(directory.clone()) {
                        let kind = Kind::Closed;
                        let below = directory.into();
                        listed.push(Listed { below, kind });
                    }
                }
                None => {
                    let below = below.into();
                    let kind = Kind::File(Some(meta));
                    listed.push(Listed { below, kind });
                }
            }
        }
        Ok(listed)
    }

    fn names(&self, directories: &[PathBuf]) -> Vec<Option<Vec<String>>> {
        let locations: Option<Vec<Location>> =
            directories.iter().map(|it| location(it).ok()).collect();
        let Some(locations) = locations else {
            return vec![None; directories.len()];
        };
        let names = |(location, keys): (&Location, Vec<Location>)| {
            let names = keys.iter().map(|key| below(key, location));
            let first = |below: &str| below.split('/').next().unwrap_or_default().to_owned();
            let names: Vec<String> = names.map(first).collect();
            (!names.is_empty()).then_some(names)
        };
        let keys = self.store.first_keys(&locations);
        locations.iter().zip(keys).map(names).collect()
    }

    fn start(&self, path: &Path, length: usize) -> Result<Vec<u8>> {
        let range = GetRange::Bounded(0..length as u64);
        let (bytes, _) = self.store.read(&location(path)?, Some(range), None)?;
        Ok(bytes.to_vec())
    }

    fn parents(&self, path: &Path) -> Vec<PathBuf> {
        let Ok(location) = location(path) else {
            return Vec::new();
        };
        let mut key = location.key();
        let mut parents = Vec::new();
        while !key.is_empty() {
            key = key.rsplit_once('/').map_or("", |(parent, _)| parent);
            parents.push(PathBuf::from(url(location.root(), key)));
        }
        parents
    }

    fn join(&self, root: &Path, below: &Path) -> PathBuf {
        let root = root.to_string_lossy();
        let root = root.trim_end_matches('/');
        PathBuf::from(url(root, &below.to_string_lossy()))
    }
}

fn url(root: &str, key: &str) -> String {
    match key {
        "" => root.to_owned(),
        key => format!("{root}/{key}"),
    }
}

fn location(path: &Path) -> Result<Location> {
    Location::parse(&path.to_string_lossy())
}

/// Returns the key of an object relative to a prefix.
fn below<'a>(object: &'a Location, prefix: &Location) -> &'a str {
    let key = object.key();
    let below = key.strip_prefix(prefix.key()).unwrap_or(key);
    below.strip_prefix('/').unwrap_or(below)
}
