//! Files that a command works on.

use crate::files::DASH;
use crate::readable;
use anyhow::{Context, bail};
use bytelane_parquet::advise::RAW_ENDINGS;
use bytelane_parquet::{local_path, remote_url, unsupported_scheme};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the extensions of the files to search for in directories.
fn endings() -> impl Iterator<Item = &'static str> {
    let raw = RAW_ENDINGS.iter().map(|(ending, _)| *ending);
    ["parquet", "npy"].into_iter().chain(raw)
}

/// Returns the files at these paths; directories are searched recursively.
///
/// # Errors
/// A path cannot be read, or there is no file at all.
pub fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        collect(
            path,
            &|ending| endings().any(|known| known == ending),
            &mut files,
        )?;
    }
    if files.is_empty() {
        let endings: Vec<&str> = endings().collect();
        bail!(
            "no file with a supported extension here; supported: .{}",
            endings.join(" .")
        );
    }
    Ok(files)
}

/// Collects the file at a path or URL, or the files with a known extension below it. Skips hidden files.
pub fn collect(
    path: &Path,
    is_known: &impl Fn(&str) -> bool,
    files: &mut Vec<PathBuf>,
) -> anyhow::Result<()> {
    if let Some(url) = remote_url(path) {
        let found = bytelane_store::find(url, &|extension| is_known(extension))?;
        files.extend(found.into_iter().map(PathBuf::from));
        return Ok(());
    }
    let path = &*local_path(path);
    let cannot_read = || readable::path(path);
    if let Some(problem) = unsupported_scheme(path).filter(|_| !path.exists()) {
        bail!("{}: {problem}", readable::path(path));
    }
    // The call that opens standard input says why it is not read.
    if path == Path::new(DASH) || !fs::metadata(path).with_context(cannot_read)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = fs::read_dir(path)
        .with_context(cannot_read)?
        .collect::<io::Result<Vec<_>>>()
        .with_context(cannot_read)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Following links to directories could loop.
        if entry.file_name().to_string_lossy().starts_with('.')
            || (path.is_symlink() && path.is_dir())
        {
            continue;
        }
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        if path.is_dir() || is_known(ending) {
            collect(&path, is_known, files)?;
        }
    }
    Ok(())
}
