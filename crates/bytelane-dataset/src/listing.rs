//! Lists the files of a data set.

use crate::root::Root;
use crate::{Error, Result};
use bytelane_store::{FindOptions, Meta, Owner};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

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

    /// Returns the version of the file.
    pub(crate) fn meta(&self) -> Meta {
        Meta::new(self.bytes, self.etag.clone(), self.modified)
    }

    fn of(path: String, meta: Option<&Meta>) -> Self {
        Self {
            path,
            bytes: meta.map_or(0, |meta| meta.bytes),
            modified: meta.map_or(0, |meta| meta.modified),
            etag: meta.and_then(|meta| meta.etag.clone()),
        }
    }

    /// Returns a text that identifies the file as it was when listed.
    pub(crate) fn identity(&self) -> String {
        let modified = self.modified.to_string();
        let version = self.etag.as_ref().unwrap_or(&modified);
        format!("{}\0{}\0{version}", self.path, self.bytes)
    }

    /// Returns an error if the file has changed since it was listed.
    pub(crate) fn check(&self, root: &Root) -> Result<()> {
        let path = self.under(root);
        if root.tree.is_version(&path, &self.meta())? {
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
    pub owner: Option<Owner>,
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

    /// Returns a listing with the same files, as if all of them had been chosen: even if a table format owns them.
    #[must_use]
    pub fn all(self) -> Self {
        Self {
            owner: None,
            chosen: true,
            ..self
        }
    }

    /// Returns the files to plan: all with `as_files`, otherwise none of a table format.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if a table format owns them.
    pub fn planned(self, as_files: bool) -> Result<Self> {
        match &self.owner {
            Some(owner) if !as_files => {
                let table = owner.table.display();
                Err(Error::Input(format!("{table}: {}", owner.refusal())))
            }
            _ if as_files => Ok(self.all()),
            _ => Ok(self),
        }
    }

    /// Checks that the files are not owned by a table format.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] if they are.
    pub fn check_plain(&self) -> Result<()> {
        match &self.owner {
            Some(owner) => Err(Error::Input(format!("{}: {owner}", owner.table.display()))),
            None => Ok(()),
        }
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
    let root = Root::of(root.as_ref())?.path;
    // Deleting files behind a link would delete those of another directory.
    let options = FindOptions::default().with_links_refused(true);
    let found = bytelane_store::list(&root, &options)?;
    let mut listing = Listing {
        others: found.others,
        owner: found.owner,
        ..Listing::default()
    };
    for file in found.files {
        let Some(names) = file.below.iter().map(|name| name.to_str()).collect() else {
            let problem = "the name is not UTF-8, so a plan cannot have it; rename it";
            return Err(Error::Input(format!("{}: {problem}", file.path.display())));
        };
        let names: Vec<&str> = names;
        listing
            .files
            .push(SourceFile::of(names.join("/"), file.meta.as_ref()));
    }
    listing
        .files
        .sort_by(|one, other| one.path.cmp(&other.path));
    Ok(listing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
        assert_eq!((listing.others, listing.owner.clone()), (1, None));
        assert_eq!(listing.files[2].partition(), "year=2");
        let disk = Root::of(root.path()).unwrap();
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
            assert_eq!(listing.owner.as_ref().map(|it| it.format), format);
            assert_eq!(listing.check_plain().is_err(), format.is_some());
        }
    }
}
