//! Finds the files of a URL: one file, all files below a prefix, or those that match a pattern.

use crate::{Error, Location, Problem, Result, Store};

/// Returns the URLs of files, sorted: the file with this URL; the files below it, if there is no such file;
/// or those that match it, if it has `*`, `?` or `**`.
///
/// Below a prefix, only files whose extension is accepted are found, and names that begin with `.` are
/// skipped.
///
/// # Errors
///
/// There is no such file, or the store fails.
pub fn find(url: &str, is_known: &dyn Fn(&str) -> bool) -> Result<Vec<String>> {
    let location = Location::parse(url)?;
    if !location.is_store() {
        return Ok(vec![url.to_owned()]);
    }
    if location.key().contains(['*', '?']) {
        return matching(&location);
    }
    let store = Store::of(&location)?;
    let is_prefix = url.ends_with('/') || location.key().is_empty();
    if !is_prefix && store.head(&location)?.is_some() {
        return Ok(vec![url.to_owned()]);
    }
    let mut found = Vec::new();
    let mut is_there = false;
    for (object, _) in store.list(&location)? {
        is_there = true;
        let below = below(&object, &location);
        let is_hidden = below.split('/').any(|name| name.starts_with('.'));
        let extension = below
            .rsplit('/')
            .next()
            .and_then(|name| name.rsplit_once('.'));
        if !is_hidden && extension.is_some_and(|(_, extension)| is_known(extension)) {
            found.push(object.to_string());
        }
    }
    if is_there {
        Ok(found)
    } else {
        Err(Error::new(url, Problem::Missing))
    }
}

/// Returns the key of an object relative to a prefix.
fn below<'a>(object: &'a Location, prefix: &Location) -> &'a str {
    let key = object.key();
    let below = key.strip_prefix(prefix.key()).unwrap_or(key);
    below.strip_prefix('/').unwrap_or(below)
}

fn matching(pattern: &Location) -> Result<Vec<String>> {
    let segments: Vec<&str> = pattern.key().split('/').collect();
    let is_pattern = |segment: &&str| segment.contains(['*', '?']);
    let fixed = segments.iter().take_while(|it| !is_pattern(it)).count();
    let prefix = Location::parse(&format!(
        "{}/{}",
        pattern.root(),
        segments[..fixed].join("/")
    ))?;
    let mut found = Vec::new();
    for (object, _) in Store::of(pattern)?.list(&prefix)? {
        let names: Vec<&str> = below(&object, &prefix).split('/').collect();
        if matches(&segments[fixed..], &names) {
            found.push(object.to_string());
        }
    }
    if found.is_empty() {
        let problem =
            "no object matches this pattern; quote it, so that the shell does not change it";
        return Err(Error::input(pattern, problem));
    }
    Ok(found)
}

/// Returns whether the names of a key match the segments of a pattern, of which `**` matches any number.
fn matches(segments: &[&str], names: &[&str]) -> bool {
    // Row `i`: whether the segments so far match the first `i` names.
    let mut reached = vec![false; names.len() + 1];
    reached[0] = true;
    for segment in segments {
        let mut next = vec![false; names.len() + 1];
        for index in 0..=names.len() {
            next[index] = if *segment == "**" {
                reached[index] || (index > 0 && next[index - 1])
            } else {
                index > 0 && reached[index - 1] && matches_name(segment, names[index - 1])
            };
        }
        reached = next;
    }
    reached[names.len()]
}

/// Returns whether a name matches a segment. As in a shell, names with a leading dot must be matched by one.
fn matches_name(segment: &str, name: &str) -> bool {
    if name.starts_with('.') && !segment.starts_with('.') {
        return false;
    }
    let name: Vec<char> = name.chars().collect();
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for pattern in segment.chars() {
        let mut next = vec![false; name.len() + 1];
        for index in 0..=name.len() {
            next[index] = match pattern {
                '*' => reached[index] || (index > 0 && next[index - 1]),
                '?' => index > 0 && reached[index - 1],
                other => index > 0 && reached[index - 1] && name[index - 1] == other,
            };
        }
        reached = next;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let is_match = |pattern: &str, key: &str| {
            let (segments, names): (Vec<_>, Vec<_>) =
                (pattern.split('/').collect(), key.split('/').collect());
            matches(&segments, &names)
        };
        assert!(is_match("*.parquet", "a.parquet"));
        assert!(!is_match("*.parquet", "x/a.parquet"));
        assert!(is_match("year=*/**/?.parquet", "year=2024/a.parquet"));
        assert!(is_match("year=*/**/?.parquet", "year=2024/x/y/a.parquet"));
        assert!(!is_match("year=*/**/?.parquet", "year=2024/x/ab.parquet"));
        assert!(is_match("**", "a/b/c"));
        assert!(!is_match("*", ".hidden") && is_match(".*", ".hidden"));
        assert!(is_match("a**b", "axxb") && !is_match("a?b", "ab"));
        // Patterns that are slow to match by backtracking.
        assert!(!is_match(&"*a".repeat(40), &"a".repeat(39)));
    }
}
