//! Keys of encrypted files.

use crate::cli::Command;
use anyhow::{Context, bail};
use bytelane_parquet::{DecryptionKeys, set_decryption_keys};
use std::{env, fs};

/// Sets the keys for all files that a command opens.
pub fn set_keys(source: &str, command: &Command) -> anyhow::Result<()> {
    if !command.only_reads() {
        bail!(
            "--decryption-keys is for commands that only read, since the output of this one would not be encrypted"
        );
    }
    let text = match source.strip_prefix("env:") {
        Some(name) => env::var(name).with_context(|| format!("the environment variable {name}"))?,
        None => fs::read_to_string(source).with_context(|| source.to_owned())?,
    };
    let keys = DecryptionKeys::from_json(&text).with_context(|| source.to_owned())?;
    set_decryption_keys(keys);
    Ok(())
}
