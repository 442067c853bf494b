//! Converts comments of the IDL to Markdown for Rust documentation, in which no code is a test.

/// An opened code fence: its character, and its length.
struct Fence {
    character: char,
    length: usize,
    /// True if it is in a block quote, whose lines begin with `>`.
    quoted: bool,
}

/// Returns the text of a comment, line by line, with code blocks marked as text.
///
/// Lines have lost their indentation, so only fences mark code blocks. The fences are on lines of
/// their own, outside of lists and block quotes, where they begin and end in the same way as here.
pub(crate) fn documentation(text: &str) -> String {
    let mut lines = Vec::new();
    let mut open: Option<Fence> = None;
    for line in text.lines() {
        if let Some(fence) = &open {
            let line = match line.strip_prefix('>') {
                Some(rest) if fence.quoted => rest.trim(),
                _ => line,
            };
            lines.push(line.to_owned());
            if fence_in(line).is_some_and(|(found, info)| {
                info.is_empty()
                    && found.character == fence.character
                    && found.length >= fence.length
            }) {
                open = None;
            }
            continue;
        }
        let line = narrow(line);
        let start = markers(&line);
        let Some((mut fence, info)) = fence_in(&line[start..]) else {
            lines.push(line);
            continue;
        };
        let before = line[..start].trim();
        fence.quoted = before.contains('>');
        if !before.chars().all(|c| c == '>') {
            lines.push(before.to_owned());
        }
        if lines.last().is_some_and(|line| !line.is_empty()) {
            lines.push(String::new());
        }
        let marks = fence.character.to_string().repeat(fence.length);
        lines.push(format!("{marks}{}", language(info)));
        open = Some(fence);
    }
    if let Some(Fence {
        character, length, ..
    }) = open
    {
        lines.push(character.to_string().repeat(length));
    }
    lines.join("\n")
}

/// Returns the fence that a line begins with, and the text after it.
fn fence_in(line: &str) -> Option<(Fence, &str)> {
    let character = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = line.trim_start_matches(character);
    let length = line.len() - info.len();
    // Inline code is between backticks too.
    let is_fence = length >= 3 && !(character == '`' && info.contains('`'));
    let fence = Fence {
        character,
        length,
        quoted: false,
    };
    is_fence.then_some((fence, info.trim()))
}

/// Returns the length of the markers of lists and block quotes that a line begins with.
fn markers(line: &str) -> usize {
    let mut rest = line;
    loop {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = match rest.strip_prefix(['-', '*', '+']) {
            Some(after) if after.starts_with([' ', '\t']) => after,
            _ if rest.starts_with('>') => &rest[1..],
            _ if digits.len() < rest.len() && digits.starts_with([')', '.']) => &digits[1..],
            _ => return line.len() - rest.len(),
        };
        rest = after.trim_start();
    }
}

/// Returns the language of a code block, unless it could be Rust.
fn language(info: &str) -> &str {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '#'))
    };
    let may_be_rust = |word: &str| {
        ["rust", "ignore", "edition", "standalone", "custom"]
            .iter()
            .any(|start| word.starts_with(start))
            || (word.starts_with('E') && word[1..].chars().all(|c| c.is_ascii_digit()))
    };
    match info.split([' ', ',', '\t']).next() {
        Some(word) if is_word(word) && !may_be_rust(word) => word,
        _ => "text",
    }
}

/// Narrows the gaps of a line after the marker of a list or a footnote: after wide gaps, the text
/// would be code.
fn narrow(line: &str) -> String {
    if markers(line) == 0 && !line.starts_with("[^") {
        return line.to_owned();
    }
    let mut narrow = String::with_capacity(line.len());
    for part in line.split_inclusive([' ', '\t']) {
        let (text, gap) = part.split_at(part.trim_end_matches([' ', '\t']).len());
        if text.is_empty() && narrow.ends_with("   ") {
            continue;
        }
        narrow.push_str(text);
        narrow.push_str(if gap.is_empty() { "" } else { " " });
    }
    narrow
}

#[cfg(test)]
mod tests {
    use super::documentation;

    #[test]
    fn fences_are_marked_as_text() {
        let cases = [
            ("```\na\n```\nb", "```text\na\n```\nb"),
            ("~~~~\na\n~~~\n~~~~", "~~~~text\na\n~~~\n~~~~"),
            ("```rust\na\n```", "```text\na\n```"),
            ("```rust,no_run\na\n```", "```text\na\n```"),
            ("```{.cpp}\na\n```", "```text\na\n```"),
            ("```E0308\na\n```", "```text\na\n```"),
            ("``` cpp\na\n```", "```cpp\na\n```"),
            ("```c++\na\n```", "```c++\na\n```"),
            ("a\n```\nb", "a\n\n```text\nb\n```"),
            ("- ```\na\n```\nb", "-\n\n```text\na\n```\nb"),
            ("1. ```\na\n- ```\n```", "1.\n\n```text\na\n- ```\n```"),
            ("> ```\n> a\n> ```\nb", "```text\na\n```\nb"),
            ("```a``` is code", "```a``` is code"),
            ("``\na", "``\na"),
        ];
        for (text, expected) in cases {
            assert_eq!(documentation(text), expected, "{text}");
        }
    }

    #[test]
    fn lists_have_no_indented_code() {
        assert_eq!(documentation("-      let x = 1;"), "-   let x = 1;");
        assert_eq!(documentation("1.\tlet x"), "1. let x");
        assert_eq!(documentation("a        b"), "a        b");
    }
}
