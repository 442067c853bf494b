//! Directory tree of a store: slashes in the names of objects separate directories.

use super::tree::{Entry, Kind, Listed, Tree};
use crate::store::{KEYS, Meta, Store};
use crate::{Error, Location, Object, Problem, Put, Result};
use object_store::GetRange;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Objects of all stores.
#[derive(Debug)]
pub(super) struct Objects;

impl Tree for Objects {
    fn entry(&self, path: &Path) -> Result<Entry> {
        let (store, location) = at(path)?;
        let is_prefix = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if !is_prefix
            && !location.key().is_empty()
            && let Some(meta) = store.head(&location)?
        {
            return Ok(Entry::File(meta));
        }
        match self.names(&[path.to_owned()]).pop().flatten() {
            Some(_) => Ok(Entry::Directory),
            // Lists it to report why, if the store fails.
            None if store.list(&location)?.is_empty() => {
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
        let (store, root) = at(root)?;
        let mut listed = Vec::new();
        let mut closed = BTreeSet::new();
        for (object, meta) in store.list(&root)? {
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
        let store = locations.first().map(Store::of);
        let Some(Ok(Ok(keys))) = store.map(|store| store.map(|it| it.first_keys(&locations)))
        else {
            return vec![None; directories.len()];
        };
        let keys = keys.into_iter().map(Result::unwrap_or_default);
        locations.iter().zip(keys).map(names).collect()
    }

    /// Asks for a single file; lists the directories of several, and asks for each file where lists are refused.
    fn are_there(&self, files: &[PathBuf]) -> Result<Vec<bool>> {
        let objects = files.iter().map(|file| location(file));
        let objects = objects.collect::<Result<Vec<Location>>>()?;
        let Some(first) = objects.first() else {
            return Ok(Vec::new());
        };
        let store = Store::of(first)?;
        let (mut there, asked) = match objects.len() {
            1 => (HashSet::new(), objects.clone()),
            _ => listed(&store, &objects)?,
        };
        for (object, is_there) in asked.iter().zip(store.heads(&asked)?) {
            match is_there {
                Ok(true) => {
                    there.insert(object.clone());
                }
                Err(error) if !error.is_denied() => return Err(error),
                _ => {}
            }
        }
        Ok(objects.iter().map(|it| there.contains(it)).collect())
    }

    fn start(&self, path: &Path, length: usize) -> Result<Vec<u8>> {
        let range = GetRange::Bounded(0..length as u64);
        let (store, location) = at(path)?;
        let (bytes, _) = store.read(&location, Some(range), None)?;
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

    fn is_disk(&self) -> bool {
        false
    }

    fn place(&self, path: &Path) -> Result<PathBuf> {
        Ok(location(path)?.identity().into())
    }

    fn real(&self, path: &Path) -> Result<PathBuf> {
        Ok(location(path)?.to_string().into())
    }

    fn identity(&self, path: &Path) -> Result<[String; 2]> {
        Ok([location(path)?.identity(), String::new()])
    }

    fn meta(&self, path: &Path) -> Result<Option<Meta>> {
        let (store, location) = at(path)?;
        store.head(&location)
    }

    fn is_version(&self, path: &Path, meta: &Meta) -> Result<bool> {
        Ok(self.meta(path)?.is_some_and(|now| now.is_same(meta)))
    }

    fn object(&self, path: &Path, meta: &Meta) -> Result<Option<Object>> {
        Object::of_version(&location(path)?, meta.clone()).map(Some)
    }

    fn download(&self, path: &Path, meta: &Meta, to: &Path) -> Result<()> {
        Object::download(&location(path)?, meta, to)
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let (store, location) = at(path)?;
        let bytes = store.get(&location)?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    fn replace(&self, path: &Path, bytes: Vec<u8>) -> Result<()> {
        let (store, location) = at(path)?;
        store.replace_bytes(&location, bytes)
    }

    fn publish(&self, made: &Path, root: &Path, name: &str, temporary: &Path) -> Result<Put> {
        let (store, root) = at(root)?;
        store.put_file_if_absent(&root.join(name)?, made, &location(temporary)?)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        let (store, location) = at(path)?;
        store.delete(&location)
    }

    fn is_exclusive(&self, directory: &Path) -> Result<bool> {
        let (store, location) = at(directory)?;
        store.is_conditional(&location)
    }
}

fn url(root: &str, key: &str) -> String {
    match key {
        "" => root.to_owned(),
        key => format!("{root}/{key}"),
    }
}

/// Returns the objects in the directories of these objects, and those of them whose directories must not be listed.
fn listed(store: &Store, objects: &[Location]) -> Result<(HashSet<Location>, Vec<Location>)> {
    let mut directories: HashMap<Location, Vec<Location>> = HashMap::new();
    for object in objects {
        let of_one = directories.entry(object.parent()).or_default();
        of_one.push(object.clone());
    }
    let (directories, objects): (Vec<_>, Vec<_>) = directories.into_iter().unzip();
    let lists = store.first_keys(&directories)?.into_iter();
    let (mut listed, mut others) = (HashSet::new(), Vec::new());
    for ((directory, objects), keys) in directories.iter().zip(objects).zip(lists) {
        let all = match keys {
            // The list was cut.
            Ok(keys) if keys.len() >= KEYS => {
                let names = store.names_beside(&objects[0]);
                names.and_then(|names| names.iter().map(|name| directory.join(name)).collect())
            }
            keys => keys,
        };
        match all {
            Ok(keys) => listed.extend(keys),
            Err(error) if error.is_denied() => others.extend(objects),
            Err(error) => return Err(error),
        }
    }
    Ok((listed, others))
}

/// Returns the store of a URL, and the location in it.
fn at(path: &Path) -> Result<(Arc<Store>, Location)> {
    let location = location(path)?;
    Ok((Store::of(&location)?, location))
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
