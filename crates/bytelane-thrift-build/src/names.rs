//! Converts names of the IDL to Rust names.

use std::collections::HashSet;

/// Words that cannot be names in Rust, in any edition.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "Self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Built-in types of Rust, which a module of the same name would hide.
pub(crate) const PRIMITIVES: [&str; 18] = [
    "bool", "char", "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "i128", "isize", "str",
    "u8", "u16", "u32", "u64", "usize",
];

/// Types that generated code uses without a path.
const TYPES: &[&str] = &[
    "BTreeMap",
    "BTreeSet",
    "Box",
    "Debug",
    "Clone",
    "Copy",
    "Default",
    "Eq",
    "Hash",
    "LazyLock",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Some",
    "None",
    "Ok",
    "Err",
    "Result",
    "String",
    "Vec",
];

/// Splits a name into words: at underscores, and at a capital letter that follows a small one, or
/// that follows another capital or a digit and begins a word of small letters (`HTTPServer` is
/// `HTTP`, `Server`).
fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (i, &c) in characters.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before_small = characters
            .get(i + 1)
            .is_some_and(|next| next.is_lowercase());
        let begins = i > 0
            && c.is_uppercase()
            && match characters[i - 1] {
                previous if previous.is_uppercase() || previous.is_numeric() => before_small,
                _ => true,
            };
        if begins {
            words.push(String::new());
        }
        words.last_mut().expect("one at least").push(c);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Makes a valid Rust name of `name`, which was converted from `original`.
fn escaped(name: String, original: &str) -> String {
    let name = if name.is_empty() {
        // Underscores alone are not a name: use `_1`, `_2` and so on.
        format!("_{}", original.matches('_').count().max(1))
    } else if name.starts_with(|c: char| c.is_numeric()) {
        format!("_{name}")
    } else {
        name
    };
    let name = identifier(name);
    if KEYWORDS.contains(&&*name) || TYPES.contains(&&*name) {
        name + "_"
    } else {
        name
    }
}

/// Replaces letters and digits that Rust identifiers cannot have, such as those in circles.
fn identifier(name: String) -> String {
    let is_allowed =
        |c: char| c.is_ascii() || syn::parse_str::<proc_macro2::Ident>(&format!("a{c}")).is_ok();
    let name: String = name
        .chars()
        .map(|c| if is_allowed(c) { c } else { '_' })
        .collect();
    let starts = name.chars().next().is_some_and(|c| {
        c.is_ascii() || syn::parse_str::<proc_macro2::Ident>(&c.to_string()).is_ok()
    });
    if starts && name.contains(|c| c != '_') {
        name
    } else {
        format!("_{}1", name.trim_end_matches('_'))
    }
}

/// Converts `fooBar` to `foo_bar`: fields, functions, modules.
pub(crate) fn snake_case(name: &str) -> String {
    escaped(words(name).join("_").to_lowercase(), name)
}

/// Converts `foo_bar` to `FooBar`: types and enum variants. Runs of capitals that form a whole word
/// are kept in types (`HTTPServer`), and are one word in variants (`BOLD_RED`).
pub(crate) fn camel_case(name: &str) -> String {
    let all_capitals = !name.contains(char::is_lowercase);
    let capitalised = |word: String| {
        let mut characters = word.chars();
        let first = characters
            .next()
            .map(|c| c.to_uppercase().to_string())
            .unwrap_or_default();
        let rest = characters.as_str();
        first
            + &if all_capitals {
                rest.to_lowercase()
            } else {
                rest.to_owned()
            }
    };
    escaped(words(name).into_iter().map(capitalised).collect(), name)
}

/// Converts `fooBar` to `FOO_BAR`: constants.
pub(crate) fn upper_case(name: &str) -> String {
    escaped(words(name).join("_").to_uppercase(), name)
}

/// Returns the name most similar to `wrong`, if any is similar.
pub(crate) fn similar<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = names.map(|name| (strsim::jaro_winkler(wrong, name), name));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (best.0 > 0.75).then_some(best.1)
}

/// Hands out each name once: a name that is already used gets a trailing underscore.
#[derive(Default)]
pub(crate) struct Unique(HashSet<String>);

impl Unique {
    pub(crate) fn name(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// Returns the Rust names of members of one type, in their order, avoiding those in `taken`.
pub(crate) fn members<'a>(
    names: impl Iterator<Item = &'a str>,
    case: fn(&str) -> String,
    taken: &[&str],
) -> Vec<String> {
    let mut unique = Unique::default();
    for name in taken {
        unique.name((*name).to_owned());
    }
    names.map(|name| unique.name(case(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        assert_eq!(snake_case("fooBar"), "foo_bar");
        assert_eq!(snake_case("HTTPServer2X"), "http_server2x");
        assert_eq!(snake_case("type"), "type_");
        assert_eq!(snake_case("_secret"), "secret");
        assert_eq!(camel_case("my_struct"), "MyStruct");
        assert_eq!(camel_case("HTTPServer"), "HTTPServer");
        assert_eq!(camel_case("BOLD_RED"), "BoldRed");
        assert_eq!(camel_case("ONE"), "One");
        assert_eq!(camel_case("String"), "String_");
        assert_eq!(camel_case("2D"), "_2d");
        assert_eq!([snake_case("_"), camel_case("__")], ["_1", "_2"]);
        assert_eq!(snake_case("a b+c"), "a_b_c");
        assert_eq!(snake_case("\u{1f600}"), "_1");
        assert_eq!(snake_case("größe"), "größe");
        assert_eq!(snake_case("a\u{24b6}"), "a__");
        assert_eq!(snake_case("\u{24b6}"), "_1");
        assert_eq!(upper_case("maxValue"), "MAX_VALUE");
        assert_eq!(upper_case("INT32CONSTANT"), "INT32CONSTANT");
    }

    #[test]
    fn no_name_twice() {
        let mut unique = Unique::default();
        let names = ["a", "b", "a", "a"].map(|name| unique.name(name.to_owned()));
        assert_eq!(names, ["a", "b", "a_", "a__"]);
    }
}
