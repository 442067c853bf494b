//! Names options in the words of the caller: methods in Rust, flags of the command, keywords in Python.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// Caller of this crate's functions, who reads its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caller {
    /// A program in Rust.
    Rust,
    /// The command `bytelane`.
    Command,
    /// A program in Python.
    Python,
}

static CALLER: AtomicU8 = AtomicU8::new(Caller::Rust as u8);

/// Sets in whose words the messages of this process name options; by default, in those of a program in Rust.
pub fn set_caller(caller: Caller) {
    CALLER.store(caller as u8, Ordering::Relaxed);
}

/// Returns in whose words messages name options.
#[must_use]
pub fn caller() -> Caller {
    match CALLER.load(Ordering::Relaxed) {
        it if it == Caller::Command as u8 => Caller::Command,
        it if it == Caller::Python as u8 => Caller::Python,
        _ => Caller::Rust,
    }
}

/// Option that messages name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Replaces existing files.
    Force,
    /// Raises the memory limit.
    MemoryLimit,
    /// Converts INT96 timestamps.
    Int96,
    /// Adds encodings to choose from.
    Encodings,
    /// Names a file with the schema of one without a footer.
    Schema,
    /// Gives the keys of encrypted files.
    DecryptionKeys,
    /// Sets the types of the columns in the names of directories.
    PartitionTypes,
}

impl Setting {
    /// Returns the method, the flag and the keyword.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Force => ["with_replace(Replace::All)", "--force", "force=True"],
            Self::MemoryLimit => ["with_memory_limit", "--memory-limit", "memory_limit"],
            Self::Int96 => ["with_convert_int96", "--convert-int96", "convert_int96"],
            Self::Encodings => ["with_encodings", "--encodings", "encodings"],
            Self::PartitionTypes => [
                "types of table_files",
                "--partition-type",
                "partition_types",
            ],
            Self::DecryptionKeys => ["InputFile::decrypted", "--decryption-keys", "decryption"],
            Self::Schema => ["with_schema", "--schema", "schema"],
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [method, flag, keyword] = self.names();
        f.write_str(match caller() {
            Caller::Rust => method,
            Caller::Command => flag,
            Caller::Python => keyword,
        })
    }
}

/// Returns the end of the message for a read-only file, if the caller can replace it all the same.
pub(crate) fn read_only_hint() -> &'static str {
    match caller() {
        Caller::Command => "; --force replaces it all the same",
        Caller::Rust | Caller::Python => "",
    }
}
