//! Table of the facts that a file states several times, and what each verb does where they contradict each other.

/// Fact about a file that must agree with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    FileRows,
    ColumnRows,
    Values,
    PagePlaces,
    FirstRows,
    IndexedPages,
    NullPages,
    NullCounts,
    ChunkBounds,
    PageBounds,
    ChunkNulls,
    BoundSizes,
    Histograms,
    StringBytes,
    Encodings,
    Offsets,
    Type,
    Sizes,
    Orders,
    Sorting,
    Codec,
    Dictionary,
    Levels,
}

/// Operation that meets a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Check,
    Filter,
    Merge,
    Rewrite,
    Repair,
}

/// Response to a contradiction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Reports an error, and continues.
    Reports,
    /// Returns an error.
    Refuses,
    /// Reads the pages as if the fact were missing.
    Ignores,
    /// Reads on with the fact of the footer: comparing it would mean reading what it excludes.
    Believes,
    /// Determines the fact again from the pages, or leaves it out.
    Replaces,
}

/// Fact, the facts that it must agree with, and the reaction of each verb, in the order of [`VERBS`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub fact: Fact,
    /// Description of the fact.
    #[cfg_attr(not(test), allow(dead_code, reason = "the guide shows it"))]
    says: &'static str,
    /// Descriptions of the facts that it must agree with.
    #[cfg_attr(not(test), allow(dead_code, reason = "the guide shows it"))]
    agrees_with: &'static str,
    reactions: [Reaction; 5],
}

/// Verbs in the order of the table's columns.
pub(crate) const VERBS: [(Verb, &str); 5] = [
    (Verb::Check, "`check`"),
    (Verb::Filter, "filters"),
    (Verb::Merge, "`merge`"),
    (Verb::Rewrite, "`rewrite`"),
    (Verb::Repair, "`repair`"),
];

use Reaction::{Believes, Ignores, Refuses, Replaces, Reports};

/// All rules.
pub(crate) const RULES: [Rule; 23] = [
    Rule {
        fact: Fact::FileRows,
        says: "rows of the file",
        agrees_with: "rows of its row groups",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::ColumnRows,
        says: "rows of a row group",
        agrees_with: "rows of the pages of each column",
        reactions: [Reports, Refuses, Refuses, Refuses, Refuses],
    },
    Rule {
        fact: Fact::Values,
        says: "values of a column chunk",
        agrees_with: "values of its pages",
        reactions: [Reports, Ignores, Refuses, Refuses, Refuses],
    },
    Rule {
        fact: Fact::PagePlaces,
        says: "pages of the offset index, their offsets and sizes",
        agrees_with: "page headers",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::FirstRows,
        says: "first rows of the offset index",
        agrees_with: "rows of the page headers, repetition levels, rows of the row group",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::IndexedPages,
        says: "pages of the column index",
        agrees_with: "pages of the chunk",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::NullPages,
        says: "null pages of the column index",
        agrees_with: "its null counts and level histograms, page headers, statistics of the chunk",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::NullCounts,
        says: "null counts of the column index",
        agrees_with: "page headers, statistics of the chunk",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::ChunkBounds,
        says: "bounds of all pages in the column index",
        agrees_with: "bounds of the chunk",
        reactions: [Reports, Believes, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::PageBounds,
        says: "bounds of a page in the column index",
        agrees_with: "size of its type, each other: minimum and maximum, order of the pages",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::ChunkNulls,
        says: "nulls of a column chunk",
        agrees_with: "page headers, null counts of the column index, values of the chunk",
        reactions: [Reports, Believes, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::BoundSizes,
        says: "bounds of a column chunk",
        agrees_with: "size of its type, each other: minimum and maximum",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::Histograms,
        says: "level histograms of a column chunk",
        agrees_with: "its levels and values",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::StringBytes,
        says: "bytes of strings of a column chunk",
        agrees_with: "its type",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::Encodings,
        says: "encodings of a column chunk, and their counts",
        agrees_with: "encodings of its pages",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::Offsets,
        says: "offsets and size of a column chunk",
        agrees_with: "page headers",
        reactions: [Reports, Refuses, Refuses, Refuses, Refuses],
    },
    Rule {
        fact: Fact::Sizes,
        says: "other sizes, and the offset and number of a row group",
        agrees_with: "page headers, row groups",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::Orders,
        says: "orders of bounds",
        agrees_with: "number of columns",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::Sorting,
        says: "sorting columns",
        agrees_with: "columns, order of the rows",
        reactions: [Reports, Believes, Believes, Believes, Believes],
    },
    Rule {
        fact: Fact::Type,
        says: "type and path of a column chunk",
        agrees_with: "its column in the schema",
        reactions: [Reports, Ignores, Replaces, Replaces, Replaces],
    },
    Rule {
        fact: Fact::Codec,
        says: "codec of a column chunk",
        agrees_with: "sizes and bytes of its smallest page",
        reactions: [Reports, Refuses, Refuses, Refuses, Refuses],
    },
    Rule {
        fact: Fact::Dictionary,
        says: "entries of a dictionary",
        agrees_with: "its bytes, pages of indices",
        reactions: [Reports, Refuses, Refuses, Refuses, Refuses],
    },
    Rule {
        fact: Fact::Levels,
        says: "nulls and rows in a page header that contradict an index",
        agrees_with: "levels of the page",
        reactions: [Reports, Refuses, Refuses, Refuses, Refuses],
    },
];

impl Fact {
    /// Returns the reaction of a verb to a contradiction of this fact.
    pub fn reaction(self, verb: Verb) -> Reaction {
        let rule = RULES.iter().find(|rule| rule.fact == self);
        let column = VERBS.iter().position(|(other, _)| *other == verb);
        match rule.zip(column) {
            Some((rule, column)) => rule.reactions[column],
            None => Refuses,
        }
    }
}

#[cfg(test)]
impl Reaction {
    fn text(self) -> &'static str {
        match self {
            Reports => "reports",
            Refuses => "error",
            Ignores => "reads on without it",
            Believes => "believes the footer",
            Replaces => "replaces or drops it",
        }
    }
}

/// Returns the table in Markdown, as the guide shows it.
#[cfg(test)]
fn markdown() -> String {
    let names = VERBS.iter().map(|(_, name)| format!(" {name} |"));
    let head = names.collect::<String>();
    let mut table = format!("| fact | must agree with |{head}\n|---|---|---|---|---|---|---|\n");
    for rule in RULES {
        let reactions = VERBS.iter().map(|(verb, _)| {
            let reaction = rule.fact.reaction(*verb);
            format!(" {} |", reaction.text())
        });
        let reactions = reactions.collect::<String>();
        table += &format!("| {} | {} |{reactions}\n", rule.says, rule.agrees_with);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_shows_the_table() {
        let guide = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/getting-started/contradictions.md"
        );
        let guide = std::fs::read_to_string(guide).expect("the guide");
        assert!(guide.contains(&markdown()), "expected:\n{}", markdown());
    }
}
