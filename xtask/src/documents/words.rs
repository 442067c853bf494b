//! Rejects awkward phrases in documents, comments, help texts and messages. `words.txt` lists each
//! phrase with a replacement.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{files, read};

const LIST: &str = include_str!("words.txt");

/// Phrase in lower case, and its replacement.
type Phrase = (&'static str, &'static str);

fn phrases() -> Vec<Phrase> {
    let lines = LIST
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let phrase = |line: &'static str| {
        let (wrong, better) = line.split_once(" -> ")?;
        Some((wrong.trim(), better.trim()))
    };
    lines
        .map(|line| phrase(line).unwrap_or_else(|| panic!("words.txt: no ` -> ` in `{line}`")))
        .collect()
}

/// Text for readers, from one line of a file.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Piece<'a> {
    Prose(&'a str),
    /// Part of a string literal.
    Text(&'a str),
}

/// Returns the lines of a Markdown file, all of which are prose.
fn markdown(text: &str) -> Vec<(usize, Piece<'_>)> {
    let lines = (1..).zip(text.lines());
    lines
        .map(|(number, line)| (number, Piece::Prose(line)))
        .collect()
}

/// Returns the comments and string literals of a source file in Rust or Go, with their line
/// numbers.
fn source(text: &str) -> Vec<(usize, Piece<'_>)> {
    let mut pieces = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            let comment = rest.lines().next().unwrap_or_default();
            let prose = comment.trim_start_matches(['/', '!']);
            pieces.push((line, Piece::Prose(prose)));
            comment.len()
        } else if let Some((before, literal, after)) = literal(rest) {
            for (offset, part) in literal.lines().enumerate() {
                let part = part.trim_end_matches('\\');
                pieces.push((line + offset, Piece::Text(part)));
            }
            before + literal.len() + after
        } else {
            character(rest).unwrap_or(first.len_utf8())
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    pieces
}

/// Returns the string literal at the start of a source text, between the lengths of its opening and
/// closing quotes.
fn literal(source: &str) -> Option<(usize, &str, usize)> {
    if let Some(text) = source.strip_prefix('"') {
        let mut escaped = false;
        let end = text.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        return Some((1, &text[..end], 1));
    }
    if let Some(text) = source.strip_prefix('`') {
        return Some((1, &text[..text.find('`')?], 1));
    }
    let hashes = source.strip_prefix('r')?;
    let text = hashes.trim_start_matches('#');
    let count = hashes.len() - text.len();
    let text = text.strip_prefix('"')?;
    let close = format!("\"{}", &hashes[..count]);
    Some((2 + count, &text[..text.find(&close)?], close.len()))
}

/// Returns the length of the character literal at the start of a source text; `None` for a
/// lifetime.
fn character(source: &str) -> Option<usize> {
    let text = source.strip_prefix('\'')?;
    let mut characters = text.char_indices();
    let (_, first) = characters.next()?;
    if first == '\\' {
        characters.next();
    }
    let (end, _) = characters.find(|(_, c)| !c.is_ascii_hexdigit() && !"{}".contains(*c))?;
    let one = first == '\\' || end == first.len_utf8();
    (one && text[end..].starts_with('\'')).then_some(end + 2)
}

/// Pieces on consecutive lines, joined, so that phrases are found across line breaks.
#[derive(Default)]
struct Block {
    text: String,
    /// Start of each line in the text, and its number.
    lines: Vec<(usize, usize)>,
    is_prose: bool,
}

impl Block {
    fn line(&self, offset: usize) -> usize {
        let after = self.lines.partition_point(|(start, _)| *start <= offset);
        self.lines[after - 1].1
    }
}

fn blocks(pieces: &[(usize, Piece<'_>)]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for &(number, piece) in pieces {
        let (is_prose, text) = match piece {
            Piece::Prose(text) => (true, text),
            Piece::Text(text) => (false, text),
        };
        let follows = |block: &Block| {
            let last = block.lines.last().map_or(0, |(_, last)| *last);
            block.is_prose == is_prose && number == last + 1
        };
        if !blocks.last().is_some_and(follows) {
            blocks.push(Block {
                is_prose,
                ..Block::default()
            });
        }
        let block = blocks.last_mut().expect("one was pushed");
        block.lines.push((block.text.len(), number));
        for word in text.split_whitespace() {
            block.text += &word.to_lowercase();
            block.text.push(' ');
        }
    }
    blocks
}

/// Returns the problems in a file's text: line numbers, each with the phrase and its replacement.
fn faults(pieces: &[(usize, Piece<'_>)], phrases: &[Phrase]) -> BTreeSet<(usize, String)> {
    let mut faults = BTreeSet::new();
    for block in blocks(pieces) {
        for (wrong, better) in phrases {
            for (offset, _) in block.text.match_indices(wrong) {
                if is_whole(&block.text, offset, wrong.len()) {
                    let fault = format!("`{wrong}`: write {better}");
                    faults.insert((block.line(offset), fault));
                }
            }
        }
        // Decimal fractions need a digit before the point. In code, `.0` is a field.
        if block.is_prose {
            let words = block.text.split_inclusive([' ', '(', '|']);
            let mut offset = 0;
            for word in words {
                let digits = word.strip_prefix('.').unwrap_or_default();
                if digits.starts_with(|c: char| c.is_ascii_digit()) {
                    let fault = format!("`{}`: write 0{}", word.trim(), word.trim());
                    faults.insert((block.line(offset), fault));
                }
                offset += word.len();
            }
        }
    }
    faults
}

/// Returns whether no letter, digit or hyphen continues the match.
fn is_whole(text: &str, offset: usize, length: usize) -> bool {
    let continues = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let before = text[..offset].chars().next_back();
    let after = text[offset + length..].chars().next();
    !before.is_some_and(continues) && !after.is_some_and(continues)
}

/// Returns the pieces of a file, according to its file extension.
fn pieces<'a>(path: &Path, text: &'a str) -> Vec<(usize, Piece<'a>)> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("md") => markdown(text),
        Some("go") => {
            let mut pieces = source(text);
            pieces.retain(|(_, piece)| matches!(piece, Piece::Prose(_)));
            pieces
        }
        _ => source(text),
    }
}

#[test]
fn no_phrase_of_the_list_is_used() {
    let phrases = phrases();
    let paths: Vec<PathBuf> = ["*.md", "*.rs", "*.go"]
        .into_iter()
        .flat_map(files)
        .collect();
    // This file contains examples of them.
    let paths = paths.iter().filter(|path| !path.ends_with("words.rs"));
    let mut found = String::new();
    for path in paths {
        let text = read(path);
        for (line, fault) in faults(&pieces(path, &text), &phrases) {
            found += &format!("{}:{line}: {fault}\n", path.display());
        }
    }
    assert!(found.is_empty(), "\n{found}");
}

#[test]
fn each_phrase_stands_once_in_the_list_and_in_lower_case() {
    let mut known = BTreeSet::new();
    for (wrong, better) in phrases() {
        assert!(known.insert(wrong), "`{wrong}` is there twice");
        assert_eq!(wrong, wrong.to_lowercase());
        assert!(!better.is_empty(), "`{wrong}`");
    }
    assert!(known.len() > 50);
}

#[test]
fn phrases_are_found_in_prose_and_texts_and_nowhere_else() {
    let list = [("bytes a value", "bytes per value"), ("the ending", "x")];
    let lines = |pieces: &[(usize, Piece<'_>)]| {
        let faults = faults(pieces, &list);
        faults.into_iter().map(|(line, _)| line).collect::<Vec<_>>()
    };
    assert_eq!(lines(&markdown("Two bytes\na value")), [1]);
    assert_eq!(lines(&markdown("the endings\nbytes a valued")), [0; 0]);
    assert_eq!(lines(&markdown("a ratio of\n.95 of it, 0.5, file.7z")), [2]);
    let code = "let bytes = a.value;\n/// Bytes\n/// a value.\nfn f<'a>(x: &'a str) {\n    g('\"', \"the ending\");\n}";
    assert_eq!(lines(&source(code)), [2, 5]);
    assert_eq!(lines(&source("r#\"\nthe \"ending\"# // the ending")), [2]);
    let continued = "\"bytes \\\n    a value\" + .5";
    assert_eq!(lines(&source(continued)), [1]);
}
