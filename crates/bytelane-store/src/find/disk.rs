//! Directory tree of the local file systems.

use super::publish::{self, at};
use super::tree::{Entry, Kind, Listed, Tree};
use crate::store::Meta;
use crate::{Error, Object, Put, Result};
use bytelane_parquet::real_path;
use std::fs::{self, File, Metadata};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Maximum number of links to directories that are followed.
const LINKS: usize = 10_000;

/// Number of names to look at in a directory.
const NAMES: usize = 1000;

/// Local file systems.
#[derive(Debug)]
pub(super) struct Disk;

impl Tree for Disk {
    fn entry(&self, path: &Path) -> Result<Entry> {
        let metadata = fs::metadata(path).map_err(at(path))?;
        Ok(if metadata.is_dir() {
            Entry::Directory
        } else {
            Entry::File(Meta::of_file(&metadata))
        })
    }

    fn walk(
        &self,
        root: &Path,
        follows_links: bool,
        enters: &dyn Fn(&[&str]) -> bool,
    ) -> Result<Vec<Listed>> {
        let mut walk = Walk {
            follows_links,
            enters,
            listed: Vec::new(),
            above: Vec::new(),
            links: 0,
        };
        // The root may be a link.
        let metadata = fs::metadata(root).map_err(at(root))?;
        walk.directory(root, &metadata, &PathBuf::new(), &[])?;
        Ok(walk.listed)
    }

    fn names(&self, directories: &[PathBuf]) -> Vec<Option<Vec<String>>> {
        let names = |directory: &PathBuf| {
            let entries = fs::read_dir(directory).ok()?.flatten().take(NAMES);
            Some(
                entries
                    .map(|it| it.file_name().to_string_lossy().into_owned())
                    .collect(),
            )
        };
        directories.iter().map(names).collect()
    }

    fn are_there(&self, files: &[PathBuf]) -> Result<Vec<bool>> {
        let is_file = |file: &PathBuf| match fs::metadata(file) {
            Ok(metadata) => Ok(!metadata.is_dir()),
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(false),
            Err(error) => Err(at(file)(error)),
        };
        files.iter().map(is_file).collect()
    }

    fn start(&self, path: &Path, length: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(at(path))?;
        file.take(length as u64)
            .read_to_end(&mut bytes)
            .map_err(at(path))?;
        Ok(bytes)
    }

    fn parents(&self, path: &Path) -> Vec<PathBuf> {
        let real = fs::canonicalize(path).or_else(|_| {
            let parent = path.parent().filter(|parent| *parent != Path::new(""));
            let parent = fs::canonicalize(parent.unwrap_or(Path::new(".")))?;
            Ok::<_, io::Error>(parent.join(path.file_name().unwrap_or_default()))
        });
        let Ok(real) = real else {
            return Vec::new();
        };
        real.ancestors().skip(1).map(Path::to_owned).collect()
    }

    fn join(&self, root: &Path, below: &Path) -> PathBuf {
        // Joining nothing would add a slash.
        if below == Path::new("") {
            return root.to_owned();
        }
        root.join(below)
    }

    fn is_disk(&self) -> bool {
        true
    }

    fn place(&self, path: &Path) -> Result<PathBuf> {
        real_path(path).map_err(at(path))
    }

    fn real(&self, path: &Path) -> Result<PathBuf> {
        fs::canonicalize(path).map_err(at(path))
    }

    fn identity(&self, path: &Path) -> Result<[String; 2]> {
        let metadata = fs::metadata(path).map_err(at(path))?;
        let file = identity(path, &metadata).map_err(at(path))?;
        Ok([format!("{file:?}"), version(&metadata)])
    }

    fn meta(&self, path: &Path) -> Result<Option<Meta>> {
        Ok(fs::metadata(path).ok().map(|it| Meta::of_file(&it)))
    }

    fn is_version(&self, path: &Path, meta: &Meta) -> Result<bool> {
        Ok(self.meta(path)?.as_ref() == Some(meta))
    }

    fn object(&self, _path: &Path, _meta: &Meta) -> Result<Option<Object>> {
        Ok(None)
    }

    fn download(&self, path: &Path, _meta: &Meta, to: &Path) -> Result<()> {
        fs::copy(path, to).map(drop).map_err(at(path))
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(at(path)(error)),
        }
    }

    fn replace(&self, path: &Path, bytes: Vec<u8>) -> Result<()> {
        publish::write(path, &bytes)
    }

    fn publish(&self, made: &Path, root: &Path, name: &str, _temporary: &Path) -> Result<Put> {
        publish::publish(made, root, name)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
            _ => Ok(()),
        }
    }

    fn is_exclusive(&self, _directory: &Path) -> Result<bool> {
        Ok(true)
    }
}

/// Returns a text that changes with the contents of a file. Programs can set the time of modification, but not that of the last change.
#[cfg(unix)]
fn version(metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let (inode, seconds, nanoseconds) = (metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
    format!("{inode} {seconds}.{nanoseconds}")
}

#[cfg(not(unix))]
fn version(_: &Metadata) -> String {
    String::new()
}

/// Walk through a directory tree.
struct Walk<'a> {
    follows_links: bool,
    enters: &'a dyn Fn(&[&str]) -> bool,
    listed: Vec<Listed>,
    /// Identities of the directories that contain the current one.
    above: Vec<Identity>,
    /// Number of links that were followed.
    links: usize,
}

impl Walk<'_> {
    fn directory(
        &mut self,
        path: &Path,
        metadata: &Metadata,
        below: &Path,
        names: &[&str],
    ) -> Result<()> {
        let identity = identity(path, metadata).map_err(at(path))?;
        // A link has led back to a directory that contains it.
        if self.above.contains(&identity) {
            return Ok(());
        }
        self.above.push(identity);
        for entry in fs::read_dir(path).map_err(at(path))? {
            let entry = entry.map_err(at(path))?;
            self.entry(&entry, below, names)?;
        }
        self.above.pop();
        Ok(())
    }

    fn entry(&mut self, entry: &fs::DirEntry, below: &Path, names: &[&str]) -> Result<()> {
        let (path, name) = (entry.path(), entry.file_name());
        let below = below.join(&name);
        let name = name.to_string_lossy();
        let names = [names, &[&*name]].concat();
        let kind = entry.file_type().map_err(at(&path))?;
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            // A link that leads nowhere: opening the file fails, with its name.
            Err(_) if kind.is_symlink() => {
                let kind = Kind::File(None);
                self.listed.push(Listed { below, kind });
                return Ok(());
            }
            Err(error) => return Err(at(&path)(error)),
        };
        if !metadata.is_dir() {
            let kind = Kind::File(Some(Meta::of_file(&metadata)));
            self.listed.push(Listed { below, kind });
            return Ok(());
        }
        if !(self.enters)(&names) {
            let kind = Kind::Closed;
            self.listed.push(Listed { below, kind });
            return Ok(());
        }
        if kind.is_symlink() {
            self.link(&path, below.clone())?;
        }
        self.directory(&path, &metadata, &below, &names)
    }

    fn link(&mut self, path: &Path, below: PathBuf) -> Result<()> {
        if !self.follows_links {
            let problem = "a link to a directory, which could lead round in a circle; name that directory as a data set of its own";
            return Err(Error::input(path.display(), problem));
        }
        self.links += 1;
        if self.links > LINKS {
            let problem = format!(
                "there are more than {LINKS} links to directories here; name the directories themselves"
            );
            return Err(Error::input(path.display(), problem));
        }
        let real = fs::canonicalize(path).map_err(at(path))?;
        let kind = Kind::Linked(real);
        self.listed.push(Listed { below, kind });
        Ok(())
    }
}

/// Identity of a directory under all of its names.
#[cfg(unix)]
type Identity = (u64, u64);

/// Identity of a directory under all of its names.
#[cfg(not(unix))]
type Identity = PathBuf;

#[cfg(unix)]
fn identity(_: &Path, metadata: &Metadata) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> io::Result<Identity> {
    fs::canonicalize(path)
}
