//! Keys as JSON, for programs that are given them in a file.

use super::keys::{DecryptionKeys, Key};
use crate::{Problem, Result};
use bytelane::base64::STANDARD;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use zeroize::{Zeroize, Zeroizing};

/// Number of bytes of the longest key.
const LONGEST: usize = 32;

/// Text of a key, in hexadecimal or Base64.
#[derive(Deserialize)]
#[serde(transparent)]
struct KeyText(String);

impl Drop for KeyText {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Keys {
    footer_key: Option<KeyText>,
    column_keys: BTreeMap<String, KeyText>,
    /// Keys by their metadata.
    keys: HashMap<String, KeyText>,
    aad_prefix: Option<String>,
    plain_files: bool,
}

impl DecryptionKeys {
    /// Reads keys from JSON, in hexadecimal or Base64. All entries are optional; `keys` has keys by their metadata:
    ///
    /// ```
    /// # use bytelane_parquet::DecryptionKeys;
    /// let keys = DecryptionKeys::from_json(
    ///     r#"{
    ///         "footer_key": "30313233343536373839303132333435",
    ///         "column_keys": {"customer.name": "MTIzNDU2Nzg5MDEyMzQ1MA=="},
    ///         "keys": {"kc2": "MTIzNDU2Nzg5MDEyMzQ1MQ=="},
    ///         "aad_prefix": "orders-2026-12-01",
    ///         "plain_files": false
    ///     }"#,
    /// )?;
    /// # Ok::<(), bytelane_parquet::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Problem::Option`] for anything else. The message has no part of the text.
    pub fn from_json(text: &str) -> Result<Self> {
        let given: Keys = serde_json::from_str(text).map_err(|error| {
            option(format!(
                "the keys are not JSON with the entries footer_key, column_keys, keys, aad_prefix and plain_files: \
                 see line {}, column {}",
                error.line(),
                error.column()
            ))
        })?;
        let mut keys = Self::default().with_plain_files(given.plain_files);
        if let Some(text) = given.footer_key {
            keys = keys.with_footer_key(text.key("footer_key")?);
        }
        for (path, text) in given.column_keys {
            let key = text.key(&path)?;
            keys = keys.with_column_key(path, key);
        }
        if let Some(prefix) = given.aad_prefix {
            keys = keys.with_aad_prefix(prefix);
        }
        let named = given.keys.into_iter();
        let named = named.map(|(name, text)| Ok((name.clone().into_bytes(), text.key(&name)?)));
        let named: HashMap<Vec<u8>, Key> = named.collect::<Result<_>>()?;
        Ok(keys.with_key_retriever(move |metadata| Ok(named.get(metadata).cloned())))
    }
}

impl KeyText {
    fn key(&self, name: &str) -> Result<Key> {
        let found = self.hexadecimal().or_else(|| self.base64());
        let bytes = found.filter(|it| matches!(it.len(), 16 | 24 | 32));
        let bytes = bytes.ok_or_else(|| {
            option(format!(
                "the key {name:?} is not 16, 24 or 32 bytes in hexadecimal or Base64"
            ))
        })?;
        Key::new(bytes.to_vec())
    }

    fn hexadecimal(&self) -> Option<Zeroizing<Vec<u8>>> {
        let digits = self.0.as_bytes();
        let pairs = matches!(digits.len(), 32 | 48 | 64).then(|| digits.chunks_exact(2))?;
        let digit = |it: u8| char::from(it).to_digit(16);
        let bytes = pairs.map(|it| Some((digit(it[0])? * 16 + digit(it[1])?) as u8));
        bytes.collect::<Option<Vec<u8>>>().map(Zeroizing::new)
    }

    fn base64(&self) -> Option<Zeroizing<Vec<u8>>> {
        let mut bytes = Zeroizing::new([0; LONGEST]);
        let length = STANDARD.decode(&self.0, &mut bytes[..]).ok()?;
        Some(Zeroizing::new(bytes[..length].to_vec()))
    }
}

fn option(problem: String) -> Problem {
    Problem::Option(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_no_part_of_a_key() {
        for text in [
            r#"{"footer_key": "MTIzNDU2Nzg5MDEyMzQ1M!=="}"#,
            r#"{"footer_key": "MTIzNDU2Nzg5MDEyMzQ1"}"#,
            r#"{"column_keys": "MTIzNDU2Nzg5MDEyMzQ1MA=="}"#,
            r#"{"footer_key": {"MTIzNDU2Nzg5MDEyMzQ1MA==": 1}}"#,
            r#"{"MTIzNDU2Nzg5MDEyMzQ1MA==": 1}"#,
            r#""MTIzNDU2Nzg5MDEyMzQ1MA==""#,
        ] {
            let error = DecryptionKeys::from_json(text).unwrap_err().to_string();
            assert!(!error.contains("MTIz"), "{error}");
        }
    }
}
