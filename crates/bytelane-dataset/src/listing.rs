//! Lists the files of a data set.

use crate::root::Root;
use crate::{Error, Result};
use bytelane_store::{Location, Meta, Store};
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Parquet file of a data set, as it was when listed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceFile {
    /// Path relative to the root, with `/` as the separator.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the last modification, in nanoseconds since 1970.
    pub modified: u64,
    /// ETag of an object; `None` for files on disks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
}

impl SourceFile {
    /// Returns the file's directory relative to the root, which is its partition; empty for files
    /// in the root itself.
    #[must_use]
    pub fn partition(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(path, _)| path)
    }

    /// Returns the full path of the file, which may be a URL.
    pub(crate) fn under(&self, root: &Root) -> PathBuf {
        root.under(&self.path)
    }

    /// Returns the version of an object.
    pub(crate) fn meta(&self) -> Meta {
        Meta::new(self.bytes, self.etag.clone(), self.modified)
    }

    fn of_object(path: String, meta: Meta) -> Self {
        Self {
            path,
            bytes: meta.bytes,
            modified: meta.modified,
            etag: meta.etag,
        }
    }

    /// Returns a text that identifies the file as it was when listed.
    pub(crate) fn identity(&self) -> String {
        let modified = self.modified.to_string();
        let version = self.etag.as_ref().unwrap_or(&modified);
        format!("{}\0{}\0{version}", self.path, self.bytes)
    }

    pub(crate) fn new(path: String, metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            path,
            bytes: metadata.len(),
            modified: since.map_or(0, |since| since.as_nanos() as u64),
            etag: None,
        }
    }

    /// Returns an error if the file has changed since it was listed.
    pub(crate) fn check(&self, root: &Root) -> Result<()> {
        let path = self.under(root);
        let is_same = match root {
            Root::Disk(_) => match fs::metadata(&path) {
                Ok(metadata) => Self::new(self.path.clone(), &metadata) == *self,
                Err(_) => false,
            },
            Root::Store(location) => {
                let meta = Store::of(location)?.head(&location.join(&self.path)?)?;
                meta.is_some_and(|meta| meta.is_same(&self.meta()))
            }
        };
        if is_same {
            Ok(())
        } else {
            Err(Error::Changed(path.display().to_string()))
        }
    }
}

/// Files below a root.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// Parquet files, sorted by path.
    pub files: Vec<SourceFile>,
    /// Number of other files, which a run does not copy. Names that begin with `.` or `_` are not
    /// counted.
    pub others: usize,
    /// Table format that owns the files, if any: its metadata determines which of them are part of
    /// the table.
    pub table_format: Option<&'static str>,
    /// Set if the files were selected from a list, so there may be others.
    pub(crate) chosen: bool,
}

impl Listing {
    /// Returns a listing with only these files, such as the current files of a Delta Lake or Apache
    /// Iceberg table.
    ///
    /// # Errors
    ///
    /// One of the paths is not in the listing.
    ///
    /// # Example
    ///
    /// ```no_run
    /// let all = bytelane_dataset::list("table")?;
    /// let current = all.only(["part-1.parquet", "part-2.parquet"])?;
    /// # Ok::<(), bytelane_dataset::Error>(())
    /// ```
    pub fn only<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut files = Vec::new();
        for path in paths {
            let place = self
                .files
                .binary_search_by(|file| file.path.as_str().cmp(path));
            let place = place.map_err(|_| {
                Error::Input(format!(
                    "there is no Parquet file {path:?} below the root; give the paths of existing files, relative to the root"
                ))
            })?;
            files.push(self.files[place].clone());
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files.dedup();
        Ok(Self {
            files,
            chosen: true,
            ..Self::default()
        })
    }

    /// Checks that the files are not owned by a table format.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if they are.
    pub fn check_plain(&self, root: &Path) -> Result<()> {
        let Some(format) = self.table_format else {
            return Ok(());
        };
        Err(Error::Input(format!(
            "{}: this is a table of {format}, whose metadata says which files are part of it; name its current files instead, and publish \
             the new ones with the table format's own library",
            root.display()
        )))
    }
}

/// Lists the Parquet files below a directory, or below a URL of a store.
///
/// Skips files and directories whose names begin with `.` or `_`, except for partition directories,
/// whose names contain `=`.
///
/// # Errors
///
/// The directory cannot be read; a name is not UTF-8; there is a symbolic link to a directory.
pub fn list(root: impl AsRef<Path>) -> Result<Listing> {
    let mut listing = match Root::of(root.as_ref())? {
        Root::Disk(root) => list_directory(root)?,
        Root::Store(location) => list_objects(&location)?,
    };
    listing
        .files
        .sort_by(|one, other| one.path.cmp(&other.path));
    Ok(listing)
}

fn list_objects(root: &Location) -> Result<Listing> {
    let mut listing = Listing::default();
    let prefix = match root.key() {
        "" => 0,
        key => key.len() + 1,
    };
    for (object, meta) in Store::of(root)?.list(root)? {
        let Some(below) = object.key().get(prefix..).filter(|below| !below.is_empty()) else {
            continue;
        };
        let (directories, name) = below.rsplit_once('/').unwrap_or(("", below));
        let mut names = directories.split('/');
        let is_iceberg = || name.ends_with(".metadata.json") || name == "version-hint.text";
        let found = names.clone().find_map(|directory| match directory {
            "_delta_log" => Some("Delta Lake"),
            ".hoodie" => Some("Apache Hudi"),
            "metadata" if is_iceberg() => Some("Apache Iceberg"),
            _ => None,
        });
        listing.table_format = listing.table_format.or(found);
        if names.any(is_skipped) || is_skipped(name) {
            continue;
        }
        if name.ends_with(".parquet") {
            listing
                .files
                .push(SourceFile::of_object(below.to_owned(), meta));
        } else {
            listing.others += 1;
        }
    }
    Ok(listing)
}

fn list_directory(root: PathBuf) -> Result<Listing> {
    let mut listing = Listing::default();
    let mut directories = vec![(root, String::new())];
    while let Some((directory, prefix)) = directories.pop() {
        for entry in fs::read_dir(&directory).map_err(Error::at(&directory))? {
            let entry = entry.map_err(Error::at(&directory))?;
            let path = entry.path();
            let Ok(name) = entry.file_name().into_string() else {
                let problem = "the name is not UTF-8, so a plan cannot have it; rename it";
                return Err(Error::Input(format!("{}: {problem}", path.display())));
            };
            let kind = entry.file_type().map_err(Error::at(&path))?;
            note_format(&mut listing, &name, &path, kind.is_dir());
            if is_skipped(&name) {
                continue;
            }
            let metadata = fs::metadata(&path).map_err(Error::at(&path))?;
            let below = format!("{prefix}{name}");
            if kind.is_dir() {
                directories.push((path, format!("{below}/")));
            } else if metadata.is_dir() {
                let problem = "a link to a directory, which could lead round in a circle; name that directory as a data set of its own";
                return Err(Error::Input(format!("{}: {problem}", path.display())));
            } else if name.ends_with(".parquet") {
                listing.files.push(SourceFile::new(below, &metadata));
            } else {
                listing.others += 1;
            }
        }
    }
    Ok(listing)
}

/// Returns whether programs that read data sets skip a name.
fn is_skipped(name: &str) -> bool {
    name.starts_with(['.', '_']) && !(name.starts_with('_') && name.contains('='))
}

fn note_format(listing: &mut Listing, name: &str, path: &Path, is_directory: bool) {
    let has_metadata = || {
        let files = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
        names.any(|name| name.ends_with(".metadata.json") || name == "version-hint.text")
    };
    let found = match name {
        _ if !is_directory => None,
        "_delta_log" => Some("Delta Lake"),
        ".hoodie" => Some("Apache Hudi"),
        "metadata" if has_metadata() => Some("Apache Iceberg"),
        _ => None,
    };
    listing.table_format = listing.table_format.or(found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_sorted_and_hidden_ones_are_skipped() {
        let root = tempfile::tempdir().unwrap();
        for name in [
            "b.parquet",
            "year=2/a.parquet",
            "_x=1/a.parquet",
            "_temporary/a.parquet",
            ".hidden.parquet",
            "_SUCCESS",
            "notes.txt",
        ] {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        let listing = list(root.path()).unwrap();
        let paths: Vec<&str> = listing.files.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["_x=1/a.parquet", "b.parquet", "year=2/a.parquet"]);
        assert_eq!((listing.others, listing.table_format), (1, None));
        assert_eq!(listing.files[2].partition(), "year=2");
        let disk = Root::Disk(root.path().to_owned());
        listing.files[1].check(&disk).unwrap();
        fs::write(root.path().join("b.parquet"), "other").unwrap();
        let error = listing.files[1].check(&disk).unwrap_err();
        assert!(matches!(error, Error::Changed(_)), "{error}");
    }

    #[test]
    fn table_formats_are_noticed() {
        for (name, format) in [
            ("_delta_log/0.json", Some("Delta Lake")),
            ("metadata/v1.metadata.json", Some("Apache Iceberg")),
            ("metadata/notes.json", None),
        ] {
            let root = tempfile::tempdir().unwrap();
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
            let listing = list(root.path()).unwrap();
            assert_eq!(listing.table_format, format);
            assert_eq!(listing.check_plain(root.path()).is_err(), format.is_some());
        }
    }
}
