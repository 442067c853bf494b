//! Names of fields and variants, which errors and writers expect to live as long as the process.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Returns a copy of a name that is never freed: always the same one for the same name, so that
/// schemas which are loaded again take no more memory.
pub(super) fn intern(name: &str) -> &'static str {
    static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_default();
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = String::leak(name.to_owned());
    names.insert(name);
    name
}
