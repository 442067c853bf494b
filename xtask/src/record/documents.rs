//! Tables between marks in a document; the rest of the document stays unchanged.
//!
//! ```text
//! <!-- record: lost -->
//! ... what `cargo xtask record` writes ...
//! <!-- end of record -->
//! ```

use anyhow::{Context, Result, bail};

const BEGIN: &str = "<!-- record: ";
const END: &str = "<!-- end of record -->";

/// Fills in the tables between the marks of a document; `table` creates each one by its name.
///
/// # Errors
///
/// A mark without its end or its beginning, or a mark for an unknown table, with its line.
pub fn fill(document: &str, table: &dyn Fn(&str) -> Option<String>) -> Result<String> {
    let mut filled = String::new();
    let mut lines = document.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let number = number + 1;
        if line == END {
            bail!("line {number}: an end without a begin");
        }
        filled += line;
        filled.push('\n');
        let Some(mark) = line.strip_prefix(BEGIN) else {
            continue;
        };
        let name = mark.trim_end_matches(" -->");
        let table =
            table(name).with_context(|| format!("line {number}: there is no table `{name}`"))?;
        let mut until_end = lines.by_ref().take_while(|(_, line)| *line != END);
        let another = until_end.find(|(_, line)| line.starts_with(BEGIN));
        if another.is_some() || !table_ended(document, number) {
            bail!("line {number}: a begin without an end");
        }
        filled += &format!("\n{table}\n{END}\n");
    }
    Ok(filled)
}

/// Returns whether an end mark follows after a line.
fn table_ended(document: &str, line: usize) -> bool {
    document.lines().skip(line).any(|line| line == END)
}

#[cfg(test)]
mod tests {
    use super::super::tables::tests::records;
    use super::*;

    const DOCUMENT: &str = "\
# Speed

<!-- record: summary -->
old
<!-- end of record -->

after
";

    #[test]
    fn what_is_between_the_marks_is_replaced_and_nothing_else() {
        let record = records();
        let filled = fill(DOCUMENT, &|name| record.table(name)).unwrap();
        let summary = record.table("summary").unwrap();
        let wanted = DOCUMENT.replace("old", &format!("\n{summary}"));
        assert_eq!(filled, wanted);
        let again = fill(&filled, &|name| record.table(name)).unwrap();
        assert_eq!(again, filled);
    }

    #[test]
    fn wrong_marks_are_named_with_their_line() {
        let record = records();
        let error = |from: &str, to: &str| {
            let document = DOCUMENT.replace(from, to);
            let filled = fill(&document, &|name| record.table(name));
            filled.unwrap_err().to_string()
        };
        assert_eq!(error(END, ""), "line 3: a begin without an end");
        assert_eq!(
            error("old", "<!-- record: lost -->"),
            "line 3: a begin without an end"
        );
        assert_eq!(error("after", END), "line 7: an end without a begin");
        assert_eq!(error("summary", "sum"), "line 3: there is no table `sum`");
    }
}
