//! Source files, positions in them, and errors that show the position.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A source file.
#[derive(Debug)]
pub struct Source {
    /// Path of the file.
    pub path: PathBuf,
    /// Text of the file.
    pub text: String,
}

/// Position in a file: the offset of a byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place(pub usize);

/// Error in a file, or of the file as a whole.
///
/// It is displayed like a compiler message: `file:line:column: message`, the line, and a caret
/// below the position.
#[derive(Clone, Debug)]
pub struct Error {
    /// Message.
    pub message: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Line and column, both from 1, and the text of the line; `None` if the file could not be
    /// read.
    pub at: Option<(usize, usize, String)>,
}

impl Error {
    /// Creates an error at a position of a file.
    pub(crate) fn at(source: &Source, place: Place, message: impl Into<String>) -> Self {
        let offset = place.0.min(source.text.len());
        let before = &source.text[..offset];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = source.text[start..].lines().next().unwrap_or("");
        let number = before.matches('\n').count() + 1;
        let column = source.text[start..offset].chars().count() + 1;
        Self {
            message: message.into(),
            path: source.path.clone(),
            at: Some((number, column, line.to_owned())),
        }
    }

    /// Creates an error for a file as a whole.
    pub(crate) fn with(path: &Path, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            path: path.to_owned(),
            at: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let Some((line, column, text)) = &self.at else {
            return write!(f, "{path}: {}", self.message);
        };
        writeln!(f, "{path}:{line}:{column}: {}", self.message)?;
        let number = line.to_string();
        writeln!(f, "{number} | {text}")?;
        // Tabs stay tabs, so that the caret is below its character.
        let indent = text
            .chars()
            .take(column - 1)
            .map(|c| if c == '\t' { c } else { ' ' });
        write!(
            f,
            "{:1$} | {2}^",
            "",
            number.len(),
            indent.collect::<String>()
        )
    }
}

impl std::error::Error for Error {}

/// Note on a skipped part of a file. It is displayed on one line: `file:line:column: message`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The skipped part, and the reason.
    pub message: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl Note {
    /// Creates a note on a position in a file.
    pub(crate) fn at(source: &Source, place: Place, message: &str) -> Self {
        let Error {
            message, path, at, ..
        } = Error::at(source, place, message);
        let (line, column, _) = at.unwrap_or_default();
        Self {
            message,
            path,
            line,
            column,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            message,
            path,
            line,
            column,
        } = self;
        write!(f, "{}:{line}:{column}: {message}", path.display())
    }
}

/// A file shared by everything that was parsed from it.
pub(crate) type SharedSource = Arc<Source>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_point_at_their_place() {
        let text = "namespace rs a\n\tstrukt B {}\n".to_owned();
        let source = Source {
            path: "a/b.thrift".into(),
            text,
        };
        let error = Error::at(&source, Place(16), "there is no `strukt`");
        let shown = "a/b.thrift:2:2: there is no `strukt`\n2 | \tstrukt B {}\n  | \t^";
        assert_eq!(error.to_string(), shown);
        let end = Error::at(&source, Place(28), "the end").to_string();
        assert_eq!(end, "a/b.thrift:3:1: the end\n3 | \n  | ^");
    }
}
