//! Formatting of the generated text.

/// First tokens of an item, its attributes or its comments.
const STARTS: [&str; 8] = [
    "///", "#[", "pub ", "impl", "fn ", "const ", "type ", "async ",
];

/// Formats Rust source text, with an empty line between items.
///
/// Text that is not valid Rust stays unchanged: the Rust compiler will report the error.
pub(crate) fn formatted(text: &str) -> String {
    match syn::parse_file(text) {
        Ok(file) => separated(&prettyplease::unparse(&file)),
        Err(_) => text.to_owned(),
    }
}

/// Inserts empty lines, which `prettyplease` does not write.
fn separated(text: &str) -> String {
    let mut separated = String::with_capacity(text.len() + text.len() / 16);
    let mut previous = "";
    for line in text.lines() {
        let ends = previous.ends_with(['}', ';'])
            && !previous.trim_start().starts_with("///")
            && indentation(previous) == indentation(line);
        if ends
            && STARTS
                .iter()
                .any(|start| line.trim_start().starts_with(start))
        {
            separated.push('\n');
        }
        separated.push_str(line);
        separated.push('\n');
        previous = line;
    }
    separated
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::formatted;

    #[test]
    fn items_are_apart_and_fields_are_not() {
        let text = "pub mod m { use a::b; #[derive(Clone)] pub struct A { #[x] pub a: i32, pub b: \
            i32 } pub struct B {} impl B { fn f() { let x = 1; g(x) } fn g(x: i32) {} } }";
        let expected = "\
pub mod m {
    use a::b;

    #[derive(Clone)]
    pub struct A {
        #[x]
        pub a: i32,
        pub b: i32,
    }

    pub struct B {}

    impl B {
        fn f() {
            let x = 1;
            g(x)
        }

        fn g(x: i32) {}
    }
}
";
        assert_eq!(formatted(text), expected);
    }

    #[test]
    fn comments_are_in_one_piece() {
        let text = "/// let x = 1;\n/// }\n/// b\npub struct A {\n    /// f();\n    /// g\n    pub a: i32,\n}\n";
        assert_eq!(formatted(text), text);
    }

    #[test]
    fn what_is_not_rust_stays() {
        assert_eq!(formatted("pub struct"), "pub struct");
    }
}
