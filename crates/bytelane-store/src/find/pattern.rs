//! Patterns of paths: `*`, `?` and `[ab]` in names, and `**` for any number of directories.

use std::path::{Path, PathBuf};

/// Pattern of paths.
pub(super) struct Pattern {
    root: PathBuf,
    segments: Vec<String>,
}

/// Relation of a pattern to the names of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Match {
    /// Neither this path nor one below it matches.
    None,
    /// A path below it may match.
    Above,
    /// The first names match: this number of them.
    Whole(usize),
}

impl Pattern {
    /// Returns the pattern in a path, if it is one.
    pub fn of(path: &Path) -> Option<Self> {
        let text = path.to_str()?;
        let is_pattern = |segment: &str| segment.contains(['*', '?', '[']);
        // The beginning of a URL, or of an absolute path, is not split.
        let (start, rest) = match text.split_once("://") {
            Some((scheme, rest)) => {
                let (bucket, key) = rest.split_once('/')?;
                (format!("{scheme}://{bucket}"), key)
            }
            None if text.starts_with('/') => ("/".to_owned(), text.trim_start_matches('/')),
            None => (String::new(), text),
        };
        let segments: Vec<&str> = rest.split('/').filter(|it| !it.is_empty()).collect();
        let fixed = segments.iter().position(|it| is_pattern(it))?;
        let (fixed, segments) = segments.split_at(fixed);
        let fixed = fixed.join("/");
        let root = match (start.as_str(), fixed.as_str()) {
            ("", "") => ".".to_owned(),
            ("" | "/", fixed) => format!("{start}{fixed}"),
            (start, "") => start.to_owned(),
            (start, fixed) => format!("{start}/{fixed}"),
        };
        Some(Self {
            root: root.into(),
            segments: segments.iter().map(|it| (*it).to_owned()).collect(),
        })
    }

    /// Returns the directory above all paths that match.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns how the names of a path relative to the root match.
    pub fn matches(&self, names: &[&str]) -> Match {
        // `reached[i]`: whether the first `i` segments match the names so far.
        let mut reached = vec![false; self.segments.len() + 1];
        reached[0] = true;
        self.skip_stars(&mut reached);
        for (index, name) in names.iter().enumerate() {
            if reached[self.segments.len()] {
                return Match::Whole(index);
            }
            let mut next = vec![false; reached.len()];
            for (segment, pattern) in self.segments.iter().enumerate() {
                if !reached[segment] {
                    continue;
                }
                if pattern == "**" {
                    next[segment] |= !is_skipped(name);
                } else {
                    next[segment + 1] |= matches_name(pattern, name);
                }
            }
            self.skip_stars(&mut next);
            reached = next;
        }
        match (reached[self.segments.len()], reached.contains(&true)) {
            (true, _) => Match::Whole(names.len()),
            (false, true) => Match::Above,
            (false, false) => Match::None,
        }
    }

    /// Lets `**` match no names.
    fn skip_stars(&self, reached: &mut [bool]) {
        for (segment, pattern) in self.segments.iter().enumerate() {
            reached[segment + 1] |= reached[segment] && pattern == "**";
        }
    }
}

/// Part of the pattern of a name.
enum Part {
    /// Any characters.
    Any,
    /// Any of these characters, or any but these.
    One {
        ranges: Vec<(char, char)>,
        is_not: bool,
    },
}

/// Returns whether a name matches a segment. Names that are skipped must begin with a character of the pattern.
fn matches_name(pattern: &str, name: &str) -> bool {
    let is_literal = pattern.starts_with(|first| name.starts_with(first))
        && !pattern.starts_with(['*', '?', '[']);
    if is_skipped(name) && !is_literal {
        return false;
    }
    let name: Vec<char> = name.chars().collect();
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for part in parts(pattern) {
        let mut next = vec![false; name.len() + 1];
        for index in 0..=name.len() {
            next[index] = match &part {
                Part::Any => reached[index] || (index > 0 && next[index - 1]),
                Part::One { ranges, is_not } => {
                    let is_in = |it: char| {
                        ranges
                            .iter()
                            .any(|(first, last)| (*first..=*last).contains(&it))
                    };
                    index > 0 && reached[index - 1] && is_in(name[index - 1]) != *is_not
                }
            };
        }
        reached = next;
    }
    reached[name.len()]
}

fn parts(pattern: &str) -> Vec<Part> {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let (part, length) = match pattern[at] {
            '*' => (Part::Any, 1),
            '?' => {
                let ranges = Vec::new();
                (
                    Part::One {
                        ranges,
                        is_not: true,
                    },
                    1,
                )
            }
            '[' => set(&pattern[at..]),
            other => {
                let ranges = vec![(other, other)];
                (
                    Part::One {
                        ranges,
                        is_not: false,
                    },
                    1,
                )
            }
        };
        parts.push(part);
        at += length;
    }
    parts
}

/// Returns the set of characters at the start of a pattern, and its length. A bracket that nothing closes is literal.
fn set(pattern: &[char]) -> (Part, usize) {
    let is_not = matches!(pattern.get(1), Some('!' | '^'));
    let first = if is_not { 2 } else { 1 };
    // A bracket directly behind the first one is part of the set.
    let end = pattern.iter().skip(first + 1).position(|it| *it == ']');
    let Some(end) = end.map(|end| end + first + 1) else {
        let ranges = vec![('[', '[')];
        return (
            Part::One {
                ranges,
                is_not: false,
            },
            1,
        );
    };
    let mut ranges = Vec::new();
    let mut at = first;
    while at < end {
        if at + 2 < end && pattern[at + 1] == '-' {
            ranges.push((pattern[at], pattern[at + 2]));
            at += 3;
        } else {
            ranges.push((pattern[at], pattern[at]));
            at += 1;
        }
    }
    (Part::One { ranges, is_not }, end + 1)
}

/// Returns whether programs that read data sets skip a name: that of hidden files, of files that are being written, and of metadata.
pub(super) fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || (name.starts_with('_') && !name.contains('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let matched = |pattern: &str, path: &str| {
            let names: Vec<&str> = path.split('/').collect();
            Pattern::of(Path::new(pattern)).unwrap().matches(&names)
        };
        let is_match = |pattern: &str, path: &str| {
            matched(pattern, path) == Match::Whole(path.split('/').count())
        };
        assert!(is_match("*.parquet", "a.parquet"));
        assert!(is_match("year=*/**/?.parquet", "year=2024/a.parquet"));
        assert!(is_match("year=*/**/?.parquet", "year=2024/x/y/a.parquet"));
        assert_eq!(
            matched("year=*/**/?.parquet", "year=2024/x/y/ab.parquet"),
            Match::Above
        );
        assert_eq!(matched("*.parquet", "x/a.parquet"), Match::None);
        assert_eq!(matched("year=*", "year=2024/x"), Match::Whole(1));
        assert_eq!(matched("**", "a/b"), Match::Whole(0));
        assert!(
            is_match("[a-c]?.p*", "b1.parquet") && is_match("[!a]", "b") && is_match("[]]", "]")
        );
        assert_eq!(matched("[!a]", "a"), Match::None);
        assert_eq!(matched("a[b", "a[b"), Match::Whole(1));
        assert!(is_match("a*b", "axxb"));
        // Hidden names are matched by name only.
        assert_eq!(matched("*", ".hidden"), Match::None);
        assert_eq!(matched("**/x", "_temporary/x"), Match::None);
        assert!(
            is_match(".*", ".hidden") && is_match("_t*", "_temporary") && is_match("*", "_a=1")
        );
        // Patterns that are slow to match by backtracking.
        assert_eq!(matched(&"*a".repeat(40), &"a".repeat(39)), Match::None);
    }

    #[test]
    fn the_root_has_no_pattern() {
        let root = |pattern: &str| Pattern::of(Path::new(pattern)).map(|it| it.root().to_owned());
        for (pattern, expected) in [
            ("*.parquet", "."),
            ("a/b*/c", "a"),
            ("/*", "/"),
            ("/a/b/?", "/a/b"),
            ("s3://b/*", "s3://b"),
            ("s3://b/k/x=*/y", "s3://b/k"),
        ] {
            assert_eq!(root(pattern).unwrap(), Path::new(expected), "{pattern}");
        }
        assert!(root("a/b").is_none());
    }
}
