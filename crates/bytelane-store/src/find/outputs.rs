//! Decides where outputs may be: not among the files that the next run would read, and not in place of a file that a table format describes.

use super::format::{above, is_of_ducklake};
use super::open::tree_of;
use super::owner::as_files;
use super::pattern::is_skipped;
use super::pattern::{Match, Pattern};
use super::tree::Tree;
use super::{FindOptions, FoundFile, is_numbered};
use crate::{Error, Location, Result};
use bytelane_parquet::{local_path, remote_url};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Path in a tree.
type InTree = (&'static dyn Tree, PathBuf);

/// Input that may have other files in the next run.
enum Source {
    /// Directory, by its real path, or prefix of a store.
    Directory(PathBuf),
    /// Pattern, and the real path of its root.
    Pattern(Pattern, PathBuf),
}

/// Checks that no output would be read by the next run, and by all programs that read these directories and patterns. Links and `..` are followed. Inputs that are files are ignored, and outputs that replace a file
/// that matches a pattern are allowed.
///
/// Checks as well that no output replaces a file of a table format, whose metadata would no longer describe it. New files beside those of
/// a table are allowed, and so is all with [`FindOptions::with_owned`].
///
/// # Errors
///
/// [`Problem::Input`](crate::Problem::Input) if an output must not be there; the disk or the store fails.
pub fn check_outputs(
    inputs: &[impl AsRef<Path>],
    outputs: &[impl AsRef<Path>],
    options: &FindOptions,
) -> Result<()> {
    let mut sources = Vec::new();
    for input in inputs.iter().map(AsRef::as_ref) {
        sources.extend(source(input)?.map(|source| (input, source)));
    }
    let mut checked = BTreeSet::new();
    let outputs: Vec<&Path> = outputs.iter().map(AsRef::as_ref).collect();
    for (output, there) in outputs.iter().zip(existing(&outputs)?) {
        if !sources.is_empty() {
            let place = place(output)?;
            let mut sources = sources.iter();
            if let Some((input, source)) = sources.find(|(_, it)| it.has(&place, there.is_some())) {
                let problem = source.refusal(input);
                return Err(Error::input(output.display(), problem));
            }
        }
        if let Some((tree, file)) = there
            && !options.owned
            && checked.insert(file.parent().map(Path::to_owned))
        {
            check_table(tree, &file)?;
        }
    }
    Ok(())
}

/// Returns the tree and the path of each output that replaces a file. Those in one store are looked up together.
fn existing(outputs: &[&Path]) -> Result<Vec<Option<InTree>>> {
    let mut groups: BTreeMap<String, (Vec<usize>, Vec<PathBuf>)> = BTreeMap::new();
    let mut trees = Vec::new();
    for (index, output) in outputs.iter().enumerate() {
        let tree = tree_of(output)?;
        if let Some((_, file)) = &tree {
            let url = remote_url(output).map(Location::parse).transpose()?;
            let store = url.map_or_else(String::new, |url| url.root().to_owned());
            let (indices, files) = groups.entry(store).or_default();
            indices.push(index);
            files.push(file.clone());
        }
        trees.push(tree);
    }
    for (indices, files) in groups.into_values() {
        let tree = indices.first().and_then(|first| trees[*first].as_ref());
        let are_there = tree.map_or_else(|| Ok(Vec::new()), |(tree, _)| tree.are_there(&files))?;
        for (index, is_there) in indices.into_iter().zip(are_there) {
            trees[index].take_if(|_| !is_there);
        }
    }
    Ok(trees)
}

/// Returns the output of each file: `output`, if it is the only one and was named; otherwise a file in the directory `output`, with the
/// path that it has below its input. A file is also written into a directory that exists, or whose path ends with a slash.
///
/// # Errors
///
/// [`Problem::Input`](crate::Problem::Input) if several files would have the same output, or `output` is no directory.
pub fn outputs_of(files: &[FoundFile], output: &Path) -> Result<Vec<PathBuf>> {
    let has_slash = output.as_os_str().as_encoded_bytes().ends_with(b"/");
    let is_several = files.len() != 1 || files.iter().any(|file| !file.is_named);
    if !is_several && !has_slash && !output.is_dir() {
        return Ok(vec![output.to_owned()]);
    }
    if output.exists() && !output.is_dir() {
        let problem = "this is not a directory; name one to rewrite several files";
        return Err(Error::input(output.display(), problem));
    }
    let outputs = files.iter().map(|file| output.join(&file.below));
    let outputs: Vec<PathBuf> = outputs.collect();
    let mut names = HashSet::new();
    match outputs.iter().find(|path| !names.insert(*path)) {
        Some(path) => {
            let problem =
                "several files would have this name; rewrite them into different directories";
            Err(Error::input(path.display(), problem))
        }
        None => Ok(outputs),
    }
}

/// Refuses to replace a file of a table format.
fn check_table(tree: &dyn Tree, file: &Path) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let format = match above(tree, file, &[]) {
        Some(owner) => owner.format,
        None if is_of_ducklake(&name) => "DuckLake",
        None => return Ok(()),
    };
    let flag = as_files();
    let problem = format!(
        "this is a file in a table of {format}, whose metadata describes it as it is; write a new file, and commit it with a library of the \
         table format; {flag} replaces it all the same"
    );
    Err(Error::input(file.display(), problem))
}

/// Returns what an input reads besides a file.
fn source(input: &Path) -> Result<Option<Source>> {
    let file = local_path(input);
    let is_remote = remote_url(input).is_some();
    if !is_remote && file.is_dir() {
        return Ok(Some(Source::Directory(place(input)?)));
    }
    Ok(match Pattern::of(&file).filter(|_| !file.exists()) {
        Some(pattern) => {
            let root = place(pattern.root())?;
            Some(Source::Pattern(pattern, root))
        }
        None if is_remote => Some(Source::Directory(place(input)?)),
        None => None,
    })
}

impl Source {
    /// Returns whether the next run would read a file that is no input of this one.
    fn has(&self, file: &Path, is_there: bool) -> bool {
        match self {
            Self::Directory(root) => {
                let below = file.strip_prefix(root);
                // An object is no directory of itself.
                below.is_ok_and(|below| is_read(below) && (file != root || !is_there))
            }
            Self::Pattern(pattern, root) => {
                let Ok(below) = file.strip_prefix(root) else {
                    return false;
                };
                let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
                let names: Vec<&str> = names.iter().map(|name| &**name).collect();
                match pattern.matches(&names) {
                    Match::Whole(length) => length < names.len() || !is_there,
                    Match::Above | Match::None => false,
                }
            }
        }
    }

    fn refusal(&self, input: &Path) -> String {
        let input = input.display();
        match self {
            Self::Directory(_) => format!(
                "it is in {input}, which is read, so that the next run would read it as well; choose a place outside of it"
            ),
            Self::Pattern(..) => format!(
                "it matches {input}, which is read, so that the next run would read it as well; choose a place outside of it, or another name"
            ),
        }
    }
}

/// Returns whether a directory with a file at this path would be read with it, if it were a Parquet file.
fn is_read(below: &Path) -> bool {
    let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    let is_known = |name: &str| is_numbered(name) || FindOptions::default().is_known(name);
    names.iter().all(|name| !is_skipped(name)) && names.last().is_none_or(|name| is_known(name))
}

/// Returns a path by which files are compared: without links and `..`, or with one scheme for each provider of stores.
fn place(path: &Path) -> Result<PathBuf> {
    match tree_of(path)? {
        Some((tree, path)) => tree.place(&path),
        None => Ok(path.to_owned()),
    }
}
