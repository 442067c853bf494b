//! Finds the files of a table: the one rule about which files belong to the inputs of a command or function.
//!
//! An input is a file, a directory, a pattern with `*`, `?`, `[ab]` or `**`, or the URL of one of these on a store.
//!
//! - Named files are always taken.
//! - In directories, files with a known extension in any case are taken, and Parquet files that Hive, Trino and BigQuery name without an extension, or that have a UUID as their name. Names that begin with `.` or `_` are skipped, except partitions such as `_year=2024`.
//! - Links to directories are followed, but not into a directory that contains them.
//! - Directories of a table format, such as Delta Lake, are refused, because its metadata says which files are current.

mod disk;
mod format;
mod objects;
mod open;
mod outputs;
mod owner;
mod partition;
mod pattern;
mod publish;
mod tree;

use crate::store::Meta;
use crate::{Error, Problem, Result};
use bytelane_parquet::unsupported_scheme;
use format::{above, inside};
use pattern::{Match, Pattern, is_skipped};
use std::path::{Path, PathBuf};
use tree::{Entry, Kind};

pub use open::tree_of;
pub use outputs::{check_outputs, outputs_of};
pub use owner::Owner;
pub use partition::{
    PARTITION_TYPES, Partition, check_one_partition, partition_columns, partition_type,
    partitions_in, table_files, table_sides,
};
pub use publish::sync_directory;
pub use tree::Tree;

/// First bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Smallest size of a Parquet file in bytes.
const SMALLEST: u64 = 12;

/// Extensions of Parquet files.
const PARQUET: [&str; 3] = ["parquet", "parq", "pq"];

/// Options for finding files.
///
/// ```
/// use bytelane_store::FindOptions;
///
/// let options = FindOptions::default().with_extensions(["npy"]).with_owned(true);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FindOptions {
    extensions: Vec<String>,
    owned: bool,
    unlinked: bool,
    ignored: Option<Vec<String>>,
}

impl FindOptions {
    /// Adds extensions, in lower case, to those of Parquet files.
    #[must_use]
    pub fn with_extensions<S: Into<String>>(
        mut self,
        extensions: impl IntoIterator<Item = S>,
    ) -> Self {
        self.extensions = extensions.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether to take all files of a directory that a table format owns, instead of refusing it.
    #[must_use]
    pub fn with_owned(mut self, owned: bool) -> Self {
        self.owned = owned;
        self
    }

    /// Sets whether to refuse links to directories instead of following them.
    #[must_use]
    pub fn with_links_refused(mut self, refused: bool) -> Self {
        self.unlinked = refused;
        self
    }

    /// Sets the prefixes of the names of files and directories to leave out of a directory, instead of `.` and `_`.
    #[must_use]
    pub fn with_ignored_prefixes<S: Into<String>>(
        mut self,
        prefixes: impl IntoIterator<Item = S>,
    ) -> Self {
        self.ignored = Some(prefixes.into_iter().map(Into::into).collect());
        self
    }

    /// Returns whether a name in a directory is left out.
    fn is_ignored(&self, name: &str) -> bool {
        match &self.ignored {
            Some(prefixes) => prefixes.iter().any(|prefix| name.starts_with(prefix)),
            None => is_skipped(name),
        }
    }

    /// Returns whether a file of a directory has a known extension.
    fn is_known(&self, name: &str) -> bool {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let known = PARQUET
            .into_iter()
            .chain(self.extensions.iter().map(String::as_str));
        known
            .into_iter()
            .any(|known| known.eq_ignore_ascii_case(extension))
    }
}

/// File that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FoundFile {
    /// Path or URL.
    pub path: PathBuf,
    /// Set if the input is this file, and no directory or pattern.
    pub is_named: bool,
    /// Directory or URL below which it was found; `None` for a file that was named or that matches a pattern.
    pub root: Option<PathBuf>,
    /// Path relative to the root, or to the directory above all matches of a pattern; the name of a file that was named.
    pub below: PathBuf,
    /// Size and version; `None` if unknown, as on web servers.
    pub meta: Option<Meta>,
    /// Columns in the names of its directories.
    pub partitions: Vec<Partition>,
}

impl FoundFile {
    /// Takes columns from whole names of directories, as in `2024/05`, instead of from names like `year=2024`: these columns,
    /// from the outermost directory below the root. Without columns, the file has none.
    ///
    /// ```no_run
    /// use bytelane_store::{FindOptions, find};
    ///
    /// for mut file in find(&["lake"], &FindOptions::default())? {
    ///     file.name_directories(&["year".to_owned(), "month".to_owned()]);
    /// }
    /// # Ok::<(), bytelane_store::Error>(())
    /// ```
    pub fn name_directories(&mut self, columns: &[String]) {
        let directories = self.below.parent().into_iter().flat_map(Path::iter);
        let named = columns.iter().zip(directories);
        self.partitions = named
            .map(|(column, directory)| Partition::new(column, &directory.to_string_lossy()))
            .collect();
    }
}

/// Files below a root.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Listing {
    /// Files, sorted by path.
    pub files: Vec<FoundFile>,
    /// Number of other files; names that begin with `.` or `_` are not counted.
    pub others: usize,
    /// Table format that owns the directory, one above it or one in it.
    pub owner: Option<Owner>,
}

/// Returns the files of inputs, in the order of the inputs, those of each input sorted by path.
///
/// # Errors
///
/// [`Problem::Missing`] or [`Problem::Local`] if an input does not exist; [`Problem::NoFiles`] if a directory or a pattern
/// has no files; [`Problem::Owned`] if a table format owns the files; the disk or the store fails.
///
/// # Example
///
/// ```no_run
/// use bytelane_store::{FindOptions, find};
///
/// for file in find(&["lake", "s3://bucket/lake/year=*"], &FindOptions::default())? {
///     println!("{}: {:?}", file.path.display(), file.partitions);
/// }
/// # Ok::<(), bytelane_store::Error>(())
/// ```
pub fn find(inputs: &[impl AsRef<Path>], options: &FindOptions) -> Result<Vec<FoundFile>> {
    let mut found = Vec::new();
    for input in inputs {
        found.extend(find_one(input.as_ref(), options)?);
    }
    // Other readers take no columns from the path of a single file.
    if let ([file], 1) = (&mut found[..], inputs.len())
        && file.is_named
    {
        file.partitions.clear();
    }
    for file in &found {
        let names = file.partitions.iter().filter_map(|it| it.value.as_deref());
        let mut names = names.chain(file.partitions.iter().map(|it| it.column.as_str()));
        // No other name has this character where a path is UTF-8.
        if file.path.to_str().is_none()
            && names.any(|name| name.contains(char::REPLACEMENT_CHARACTER))
        {
            let problem = "the name of a directory above the file is not UTF-8, so that it has no value for the column; rename it";
            return Err(Error::input(file.path.display(), problem));
        }
    }
    Ok(found)
}

/// Lists the files below a directory, or below the URL of one on a store, and says which table format owns them.
///
/// # Errors
///
/// The directory does not exist, or the disk or the store fails.
pub fn list(root: &Path, options: &FindOptions) -> Result<Listing> {
    let Some((tree, root)) = tree_of(root)? else {
        let problem = "web servers cannot list their files; give the URL of each file";
        return Err(Error::input(root.display(), problem));
    };
    list_tree(tree, &root, options).map_err(|error| match Pattern::of(&root) {
        Some(_) if error.is_missing() => {
            let problem = "there is no directory of this name, and a data set is one directory, not a pattern";
            Error::input(root.display(), problem)
        }
        _ => error,
    })
}

fn find_one(input: &Path, options: &FindOptions) -> Result<Vec<FoundFile>> {
    let Some((tree, path)) = tree_of(input)? else {
        return Ok(named(input, None));
    };
    find_in(tree, &path, options).map_err(|error| {
        let scheme = unsupported_scheme(input).filter(|_| error.is_missing());
        scheme.map_or(error, |problem| {
            Error::new(shown(input), Problem::Input(problem))
        })
    })
}

fn named(path: &Path, meta: Option<Meta>) -> Vec<FoundFile> {
    vec![FoundFile {
        path: path.to_owned(),
        is_named: true,
        root: None,
        below: PathBuf::from(path.file_name().unwrap_or(path.as_os_str())),
        meta,
        partitions: partitions_in(path),
    }]
}

fn find_in(tree: &dyn Tree, input: &Path, options: &FindOptions) -> Result<Vec<FoundFile>> {
    match tree.entry(input) {
        Ok(Entry::File(meta)) => return Ok(named(input, Some(meta))),
        Ok(Entry::Directory) => {}
        Err(error) => {
            return match Pattern::of(input) {
                Some(pattern) if error.is_missing() => matching(tree, input, &pattern, options),
                _ => Err(error),
            };
        }
    }
    let listing = list_tree(tree, input, options)?;
    refuse(listing.owner, options)?;
    if listing.files.is_empty() {
        let hint = match listing.others {
            0 => "",
            1 => ": name it to read it",
            _ => ": name them to read them",
        };
        let problem = format!("{}{hint}", no_files(listing.others));
        return Err(Error::new(shown(input), Problem::NoFiles(problem)));
    }
    Ok(listing.files)
}

/// Returns the error about a directory without Parquet files, but with others.
#[doc(hidden)]
#[must_use]
pub fn no_files(others: usize) -> String {
    let problem = "no .parquet file in this directory";
    match others {
        0 => problem.to_owned(),
        1 => format!("{problem}; one other file was skipped"),
        _ => format!("{problem}; {others} other files were skipped"),
    }
}

fn list_tree(tree: &dyn Tree, root: &Path, options: &FindOptions) -> Result<Listing> {
    let enters = |names: &[&str]| names.last().is_none_or(|name| !options.is_ignored(name));
    let listed = tree.walk(root, !options.unlinked, &enters)?;
    let mut listing = Listing {
        owner: inside(tree, root, &listed)
            .into_iter()
            .next()
            .or_else(|| above(tree, root, &listed)),
        ..Listing::default()
    };
    for entry in listed {
        let names = entry.names();
        let name = names.last().map_or("", String::as_str);
        let Kind::File(meta) = &entry.kind else {
            continue;
        };
        if options.is_ignored(name) {
            continue;
        }
        let path = tree.join(root, &entry.below);
        if is_taken(tree, &path, name, meta.as_ref(), options)? {
            listing.files.push(FoundFile {
                path,
                is_named: false,
                root: Some(root.to_owned()),
                partitions: partitions_in(&entry.below),
                below: entry.below,
                meta: meta.clone(),
            });
        } else {
            listing.others += 1;
        }
    }
    listing.files.sort_by_key(|one| text(&one.below));
    Ok(listing)
}

/// Returns the files that match a pattern, and those in directories that match it.
fn matching(
    tree: &dyn Tree,
    input: &Path,
    pattern: &Pattern,
    options: &FindOptions,
) -> Result<Vec<FoundFile>> {
    let enters = |names: &[&str]| match pattern.matches(names) {
        Match::None => false,
        Match::Above => true,
        Match::Whole(length) => names[length..].iter().all(|name| !is_skipped(name)),
    };
    let root = pattern.root();
    let nothing = || {
        let problem =
            "no file matches this pattern; quote it, so that the shell does not change it";
        Error::new(shown(input), Problem::NoFiles(problem.to_owned()))
    };
    let listed = match tree.walk(root, true, &enters) {
        Err(error) if error.is_missing() => return Err(nothing()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in &listed {
        let Kind::File(meta) = &entry.kind else {
            continue;
        };
        let names = entry.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Match::Whole(length) = pattern.matches(&names) else {
            continue;
        };
        let path = tree.join(root, &entry.below);
        let name = names.last().copied().unwrap_or_default();
        let is_file = length == names.len();
        let is_taken = || is_taken(tree, &path, name, meta.as_ref(), options);
        if !is_file && (is_skipped(name) || !is_taken()?) {
            continue;
        }
        found.push(FoundFile {
            is_named: false,
            root: None,
            below: entry.below.clone(),
            meta: meta.clone(),
            partitions: partitions_in(&path),
            path,
        });
    }
    if found.is_empty() {
        return Err(nothing());
    }
    let owns = |owner: &Owner| found.iter().any(|file| file.path.starts_with(&owner.table));
    let inner = inside(tree, root, &listed).into_iter().find(owns);
    refuse(inner.or_else(|| above(tree, root, &listed)), options)?;
    found.sort_by_key(|one| text(&one.path));
    Ok(found)
}

/// Refuses the files of a table format, unless the options insist.
fn refuse(owner: Option<Owner>, options: &FindOptions) -> Result<()> {
    match owner {
        Some(owner) if !options.owned => {
            let table = shown(&owner.table);
            Err(Error::new(table, Problem::Owned(owner)))
        }
        _ => Ok(()),
    }
}

/// Returns whether a file in a directory is one to read.
fn is_taken(
    tree: &dyn Tree,
    path: &Path,
    name: &str,
    meta: Option<&Meta>,
    options: &FindOptions,
) -> Result<bool> {
    if options.is_known(name) {
        return Ok(true);
    }
    match meta {
        Some(meta) if is_numbered(name) && meta.bytes >= SMALLEST => {
            Ok(tree.start(path, MAGIC.len())? == MAGIC)
        }
        _ => Ok(false),
    }
}

/// Returns whether programs name files like this: `000000_0` in Hive, `20240131_101530_00001_abcde` in Trino, `000000000000` in
/// BigQuery, and 32 hexadecimal digits in Python.
fn is_numbered(name: &str) -> bool {
    if name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return true;
    }
    let number = name.split('_').next().unwrap_or_default();
    let is_number = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !name.contains('.')
}

/// Returns a path by which files are sorted: the same on a disk and on a store.
fn text(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
