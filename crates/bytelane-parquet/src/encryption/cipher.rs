//! Encrypted modules, and the ciphers that open them.

use super::aad::decryption;
use super::keys::Key;
use crate::{Error, Result};
use aws_lc_rs::aead::{
    AES_128_GCM, AES_192_GCM, AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey,
};
use aws_lc_rs::cipher::{
    AES_128, AES_192, AES_256, DecryptingKey, DecryptionContext, UnboundCipherKey,
};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::iv::FixedLength;
use aws_lc_rs::rand;
use std::fmt;

/// Number of bytes in front of a module, which are its length.
pub(super) const LENGTH: usize = 4;

/// Number of bytes of the tag that authenticates a module.
const TAG: usize = 16;

/// Number of bytes of a module beside its contents, with and without a tag.
pub(super) const SEALED: usize = LENGTH + NONCE_LEN + TAG;
pub(super) const UNTAGGED: usize = LENGTH + NONCE_LEN;

/// Number of bytes of a footer's signature.
pub(super) const SIGNATURE: usize = NONCE_LEN + TAG;

/// Value of the counter at the start of a page in AES_GCM_CTR_V1.
const FIRST_COUNT: [u8; 4] = [0, 0, 0, 1];

/// Key that is ready for use.
pub(super) struct Cipher {
    gcm: LessSafeKey,
    ctr: DecryptingKey,
}

impl Cipher {
    pub(super) fn new(key: &Key) -> Result<Self> {
        let bytes = key.bytes();
        let (gcm, ctr) = match bytes.len() {
            16 => (&AES_128_GCM, &AES_128),
            24 => (&AES_192_GCM, &AES_192),
            _ => (&AES_256_GCM, &AES_256),
        };
        let ctr = UnboundCipherKey::new(ctr, bytes).and_then(DecryptingKey::ctr);
        let gcm = UnboundKey::new(gcm, bytes).map(LessSafeKey::new);
        Ok(Self {
            gcm: gcm.map_err(|_| unusable())?,
            ctr: ctr.map_err(|_| unusable())?,
        })
    }

    /// Returns the contents of a module; `None` if it does not have this authenticated data, or another key.
    pub(super) fn open(&self, module: &[u8], aad: &[u8]) -> Option<Vec<u8>> {
        let (nonce, rest) = contents(module)?.split_first_chunk::<NONCE_LEN>()?;
        let (sealed, tag) = rest.split_last_chunk::<TAG>()?;
        let mut opened = vec![0; sealed.len()];
        let nonce = Nonce::assume_unique_for_key(*nonce);
        self.gcm
            .open_separate_gather(nonce, Aad::from(aad), sealed, tag, &mut opened)
            .ok()?;
        Some(opened)
    }

    /// Returns the contents of a page that is not authenticated.
    pub(super) fn open_untagged(&self, module: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = contents(module)?.split_first_chunk::<NONCE_LEN>()?;
        let mut opened = sealed.to_vec();
        self.count(nonce, &mut opened)?;
        Some(opened)
    }

    /// Returns an authenticated module with these contents.
    pub(super) fn seal(&self, text: &[u8], aad: &[u8]) -> Result<Vec<u8>> {
        let nonce = random()?;
        let mut module = framed(&nonce, text, TAG)?;
        let nonce = Nonce::assume_unique_for_key(nonce);
        let sealed = &mut module[UNTAGGED..];
        let tag = self
            .gcm
            .seal_in_place_separate_tag(nonce, Aad::from(aad), sealed);
        module.extend(tag.map_err(|_| unusable())?.as_ref());
        Ok(module)
    }

    /// Returns a module of a page that is not authenticated.
    pub(super) fn seal_untagged(&self, text: &[u8]) -> Result<Vec<u8>> {
        let nonce = random()?;
        let mut module = framed(&nonce, text, 0)?;
        self.count(&nonce, &mut module[UNTAGGED..])
            .ok_or_else(unusable)?;
        Ok(module)
    }

    /// Returns the signature of a text.
    pub(super) fn sign(&self, text: &[u8], aad: &[u8]) -> Result<[u8; SIGNATURE]> {
        let module = self.seal(text, aad)?;
        let (nonce, tag) = (&module[LENGTH..UNTAGGED], &module[module.len() - TAG..]);
        let mut signature = [0; SIGNATURE];
        signature[..NONCE_LEN].copy_from_slice(nonce);
        signature[NONCE_LEN..].copy_from_slice(tag);
        Ok(signature)
    }

    /// Encrypts or decrypts bytes: in counter mode, both are the same.
    fn count(&self, nonce: &[u8; NONCE_LEN], bytes: &mut [u8]) -> Option<()> {
        let mut iv = [0; NONCE_LEN + FIRST_COUNT.len()];
        iv[..NONCE_LEN].copy_from_slice(nonce);
        iv[NONCE_LEN..].copy_from_slice(&FIRST_COUNT);
        let context = DecryptionContext::Iv128(FixedLength::from(iv));
        self.ctr.decrypt(bytes, context).ok().map(drop)
    }

    /// Returns whether a text has this signature.
    pub(super) fn has_signed(&self, text: &[u8], signature: &[u8], aad: &[u8]) -> bool {
        let Some((nonce, tag)) = signature.split_first_chunk::<NONCE_LEN>() else {
            return false;
        };
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let mut text = text.to_vec();
        let computed = self
            .gcm
            .seal_in_place_separate_tag(nonce, Aad::from(aad), &mut text);
        computed.is_ok_and(|it| verify_slices_are_equal(it.as_ref(), tag).is_ok())
    }
}

/// Shows nothing of the key.
impl fmt::Debug for Cipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher(..)")
    }
}

/// Returns bytes from the system's source of random numbers.
pub(super) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = rand::fill(&mut bytes);
    filled.map_err(|_| decryption("the system has no random numbers"))?;
    Ok(bytes)
}

/// Returns a module that is not encrypted yet, before its tag of this many bytes.
fn framed(nonce: &[u8], text: &[u8], tag: usize) -> Result<Vec<u8>> {
    let length = i32::try_from(nonce.len() + text.len() + tag);
    let length = length.map_err(|_| decryption("an encrypted part is larger than 2 GiB"))?;
    let mut module = Vec::with_capacity(SEALED + text.len());
    module.extend(length.to_le_bytes());
    module.extend(nonce);
    module.extend(text);
    Ok(module)
}

/// Returns the bytes after the length of a module; `None` if they have another length.
fn contents(module: &[u8]) -> Option<&[u8]> {
    let (length, contents) = module.split_first_chunk::<LENGTH>()?;
    (u32::from_le_bytes(*length) as usize == contents.len()).then_some(contents)
}

fn unusable() -> Error {
    decryption("the cipher does not accept the key")
}

/// Returns the number of bytes of the module at the start of `bytes`, with its length in front.
pub(super) fn module_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.first_chunk::<LENGTH>()?;
    (u32::from_le_bytes(*length) as usize).checked_add(LENGTH)
}
