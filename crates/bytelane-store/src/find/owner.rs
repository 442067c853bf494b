//! Table format that owns a directory.

use bytelane_parquet::{Caller, caller};
use std::fmt;
use std::path::PathBuf;

/// Table format that owns a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Owner {
    /// Name of the table format.
    pub format: &'static str,
    /// Directory or URL of the table.
    pub table: PathBuf,
}

impl Owner {
    /// Returns the refusal of callers who can insist, with their option.
    #[doc(hidden)]
    #[must_use]
    pub fn refusal(&self) -> String {
        format!("{self}; {} takes all of its files", as_files())
    }

    /// Returns the module of the Python package that changes such a table.
    fn module(&self) -> Option<&'static str> {
        match self.format {
            "Delta Lake" => Some("bytelane.deltalake"),
            "Apache Iceberg" => Some("bytelane.iceberg"),
            _ => None,
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "this is a table of {}, whose metadata says which files are part of it; name its current files, as the guide to table \
             formats shows, or read it with a library of the table format",
            self.format
        )?;
        match self.module() {
            Some(module) => write!(
                f,
                "; the Python module {module} compacts, sorts and edits it"
            ),
            None => Ok(()),
        }
    }
}

/// Returns the option of the caller that takes files for files, whatever their directories say.
pub(super) fn as_files() -> &'static str {
    match caller() {
        Caller::Command => "--as-files",
        Caller::Python => "as_files=True",
        _ => "with_owned(true)",
    }
}
