//! Identifies files whatever their names are: two names of one file are not two copies of its rows.

use crate::hash::{digits, hash};
use crate::listing::{Listing, SourceFile};
use crate::root::Root;
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::PathBuf;

/// Returns a hash of the paths, sizes and versions of all files. On a disk, it changes with every
/// change of a file, even if the program that changes it keeps size and time of modification.
pub(crate) fn state(listing: &Listing, root: &Root) -> Result<String> {
    let mut texts = Vec::new();
    for file in &listing.files {
        texts.push(file.identity());
        let [_, version] = root.tree.identity(&file.under(root))?;
        texts.push(version);
    }
    Ok(digits(hash(texts.iter().map(String::as_str))))
}

/// Identities of the files of a root, with their paths.
pub(crate) struct Identities(HashMap<String, PathBuf>);

impl Identities {
    /// Returns the identities of all files of a listing.
    pub(crate) fn of(listing: &Listing, root: &Root) -> Result<Self> {
        let found = listing.files.iter().map(|file| {
            let path = file.under(root);
            let [identity, _] = root.tree.identity(&path)?;
            Ok((identity, path))
        });
        Ok(Self(found.collect::<Result<_>>()?))
    }

    /// Checks that none of these files, which are below another root, is one of this root: a symbolic link to
    /// it, or another name of it.
    pub(crate) fn check_apart<'a>(
        &self,
        files: impl IntoIterator<Item = &'a SourceFile>,
        root: &Root,
    ) -> Result<()> {
        for file in files {
            let path = file.under(root);
            let [identity, _] = root.tree.identity(&path)?;
            if let Some(own) = self.0.get(&identity) {
                let own = own.display();
                return Err(Error::Input(format!(
                    "{}: this is {own} itself, under another name or by a link, and no second copy of its rows; replace it by a copy",
                    path.display()
                )));
            }
        }
        Ok(())
    }
}
