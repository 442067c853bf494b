//! Matches the patterns of `like`.

/// Pattern in which `%` matches any sequence of characters and `_` any single one.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    characters: Vec<char>,
    ignores_case: bool,
}

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        Self {
            characters: pattern.chars().collect(),
            ignores_case: false,
        }
    }

    /// Returns a pattern that matches letters in any case.
    pub(super) fn ignoring_case(pattern: &str) -> Self {
        Self {
            ignores_case: true,
            ..Self::new(&pattern.to_lowercase())
        }
    }

    /// Returns the characters with which all texts that match begin.
    pub(super) fn prefix(&self) -> String {
        let is_literal = |c: &&char| !self.ignores_case && !matches!(c, '%' | '_');
        self.characters.iter().take_while(is_literal).collect()
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        if self.ignores_case {
            self.matches_case(&text.to_lowercase())
        } else {
            self.matches_case(text)
        }
    }

    /// Returns whether the whole text matches. Takes time proportional to the product of both
    /// lengths: only the last `%` is retried.
    fn matches_case(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut at = 0;
        // Position after the last `%`, and the part of the text to retry from.
        let mut retry = None;
        loop {
            let before = rest.clone();
            match (self.characters.get(at), rest.next()) {
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
        assert!(Pattern::ignoring_case("ÄB%_").matches("äbCd"));
        assert!(!Pattern::ignoring_case("äb%_").matches("ÄB"));
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
            assert_eq!(Pattern::ignoring_case(pattern).prefix(), "");
        }
    }
}
