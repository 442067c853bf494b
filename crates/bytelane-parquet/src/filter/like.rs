//! Matches the patterns of `like`.

/// Pattern in which `%` matches any sequence of characters and `_` any single one.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Vec<char>);

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        Self(pattern.chars().collect())
    }

    /// Returns the characters before the first placeholder.
    pub(super) fn prefix(&self) -> String {
        let is_literal = |c: &&char| !matches!(c, '%' | '_');
        self.0.iter().take_while(is_literal).collect()
    }

    /// Returns whether the whole text matches. Takes time proportional to the product of both
    /// lengths: only the last `%` is retried.
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut at = 0;
        // Position after the last `%`, and the part of the text to retry from.
        let mut retry = None;
        loop {
            let before = rest.clone();
            match (self.0.get(at), rest.next()) {
                (Some('%'), _) => {
                    at += 1;
                    rest = before.clone();
                    retry = Some((at, before));
                }
                (None, None) => return true,
                (Some(&wanted), Some(found)) if wanted == '_' || wanted == found => at += 1,
                _ => {
                    let Some((after, mut from)) = retry.take() else {
                        return false;
                    };
                    if from.next().is_none() {
                        return false;
                    }
                    at = after;
                    rest = from.clone();
                    retry = Some((after, from));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_match_any_characters_or_one() {
        let cases = [
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
            ("a%", "a", true),
            ("a%", "ba", false),
            ("%a", "bca", true),
            ("%a", "ab", false),
            ("%ab%", "aab", true),
            ("a%b%c", "a-bb-c", true),
            ("a%b%c", "a-c-b", false),
            ("_", "ß", true),
            ("_", "", false),
            ("__%", "❤", false),
            ("__%", "❤❤", true),
            ("%_", "", false),
            ("a", "A", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(
                Pattern::new(pattern).matches(text),
                expected,
                "{text} like {pattern}"
            );
        }
    }

    #[test]
    fn the_prefix_ends_at_the_first_placeholder() {
        for (pattern, prefix) in [("abc%", "abc"), ("a_c", "a"), ("%a", ""), ("abc", "abc")] {
            assert_eq!(Pattern::new(pattern).prefix(), prefix);
        }
    }
}
